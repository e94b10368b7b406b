-- Changes on one node and on many, and how many rows they count.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, v VARCHAR(20), n INT);
INSERT INTO t VALUES (1,1,'a',NULL),(2,2,'b',0),(3,3,'c',1),(4,4,'d',2),(5,5,'e',3),(6,6,'f',4),(7,7,'g',5),(8,8,'h',6),(9,9,'i',7),(10,10,'j',8),(11,11,'k',9),(12,12,'l',10),(13,13,'m',11),(14,14,'n',12);
UPDATE t SET v = 'one' WHERE id = 1;
UPDATE t SET v = 'one' WHERE id = 1;
UPDATE t SET k = k + 1 WHERE id = 2;
UPDATE t SET k = k + 1, v = CONCAT(v, '!') WHERE id IN (3, 4, 5);
UPDATE t SET n = 0 WHERE id BETWEEN 6 AND 8;
UPDATE t SET n = 0 WHERE n = 0;
UPDATE t SET n = n + 1 WHERE k > 8;
UPDATE t SET v = NULL WHERE id > 12;
UPDATE t SET v = 'all';
UPDATE t SET v = 'nobody' WHERE id = 99;
UPDATE t SET v = 'nobody' WHERE k > 1000;
UPDATE t x SET x.v = 'alias' WHERE x.id = 3;
UPDATE t AS x SET x.v = 'alias too' WHERE x.k = 4;
UPDATE `t` SET `t`.`v` = 'owner' WHERE `t`.`id` = 4;
UPDATE t SET v = 'limited' WHERE id = 5 LIMIT 1;
UPDATE t SET v = 'ordered' WHERE id = 6 ORDER BY k LIMIT 1;
UPDATE t SET id = 7, v = 'same key' WHERE id = 7;
UPDATE LOW_PRIORITY IGNORE t SET v = 'with modifiers' WHERE id = 8;
UPDATE t SET k = 'x' WHERE id = 9;
UPDATE t SET k = 1 / 0 WHERE id = 9;
UPDATE t SET k = NULL WHERE id = 9;
UPDATE t SET v = 'this is too long for twenty letters' WHERE id > 9;
UPDATE IGNORE t SET v = 'this is too long for twenty letters' WHERE id = 10;
SHOW WARNINGS;
UPDATE t SET nothing = 1 WHERE id = 1;
UPDATE t SET v = 1 WHERE nothing = 1;
-- args 'bound', 11
UPDATE t SET v = ? WHERE id = ?;
-- args 5, 12, 13
UPDATE t SET n = ? WHERE id IN (?, ?);
-- args 'all bound'
UPDATE t SET v = ? WHERE k < 100;
SELECT * FROM t ORDER BY id;
DELETE FROM t WHERE id = 1;
DELETE FROM t WHERE id = 1;
DELETE FROM t WHERE id IN (2, 3, 99);
DELETE FROM t WHERE k = 5;
DELETE FROM t WHERE id BETWEEN 5 AND 6;
DELETE FROM t WHERE id > 13;
DELETE FROM t AS x WHERE x.id = 7;
DELETE FROM t WHERE t.id = 8 LIMIT 1;
DELETE QUICK FROM t WHERE id = 9;
DELETE FROM t WHERE nothing = 1;
-- args 10
DELETE FROM t WHERE id = ?;
SELECT * FROM t ORDER BY id;
DELETE FROM t;
DELETE FROM t;
SELECT COUNT(*) FROM t;

-- Truncation and what follows.
INSERT INTO t VALUES (1, 1, 'x', 1), (2, 2, 'y', 2), (13, 3, 'z', 3);
TRUNCATE TABLE t;
SELECT COUNT(*) FROM t;
INSERT INTO t VALUES (1, 1, 'x', 1);
TRUNCATE t;
SELECT * FROM t;

-- In transactions.
BEGIN;
INSERT INTO t VALUES (1, 1, 'x', 1), (2, 2, 'y', 2), (3, 3, 'z', 3);
UPDATE t SET v = 'q' WHERE id = 2;
SELECT * FROM t ORDER BY id;
ROLLBACK;
SELECT * FROM t ORDER BY id;
START TRANSACTION;
INSERT INTO t VALUES (4, 4, 'x', 1), (5, 5, 'y', 2);
SAVEPOINT a;
DELETE FROM t;
INSERT INTO t VALUES (6, 6, 'z', 3);
ROLLBACK TO SAVEPOINT a;
RELEASE SAVEPOINT a;
COMMIT;
SELECT * FROM t ORDER BY id;
SET autocommit = 0;
INSERT INTO t VALUES (7, 7, 'x', 1);
ROLLBACK;
INSERT INTO t VALUES (8, 8, 'x', 1);
COMMIT;
SET autocommit = 1;
SELECT * FROM t ORDER BY id;
