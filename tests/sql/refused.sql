-- What cannot be done right over several nodes is refused by name, before anything was sent.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT, s VARCHAR(20), j JSON, e ENUM('a','b'));
-- sharded t2
CREATE TABLE t2 (id INT NOT NULL PRIMARY KEY, k INT);
INSERT INTO t (id, k, s) VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c'), (4, 4, 'd');
INSERT INTO t2 VALUES (1, 1), (2, 2);
-- refused 30000 sharding column `id`
INSERT INTO t (k, s) VALUES (1, 'no key');
-- refused 20020 null
INSERT INTO t (id, k) VALUES (NULL, 1);
-- refused 20020 null
INSERT INTO t (id, k) VALUES (5, 1), (NULL, 1);
-- refused 30001 row 2
INSERT INTO t (id, k) VALUES (5, 1), (RAND() * 100, 1);
-- refused 30001 row 1
INSERT INTO t (id, k) VALUES (k + 1, 1);
-- refused 1136 row 2
INSERT INTO t (id, k) VALUES (5, 1), (6);
-- refused 30000 not an integer
INSERT INTO t (id, k) VALUES ('abc', 1);
-- refused 30001 INSERT ... SELECT
INSERT INTO t (id, k) SELECT id + 10, k FROM t2;
-- refused 30001 INSERT ... SELECT
INSERT INTO t2 SELECT k, id FROM t;
-- refused 20041 Can not update sharding value
UPDATE t SET id = 9 WHERE id = 1;
-- refused 20041 Can not update sharding value
UPDATE t SET id = id + 10;
-- refused 20046 UPDATE ... LIMIT
UPDATE t SET k = 1 LIMIT 2;
-- refused 20046 UPDATE ... LIMIT
UPDATE t SET k = 1 WHERE id IN (1, 2) ORDER BY id LIMIT 1;
-- refused 20046 DELETE ... LIMIT
DELETE FROM t LIMIT 1;
-- refused 20046 DELETE ... LIMIT
DELETE FROM t WHERE k > 1 ORDER BY id LIMIT 1;
-- refused 20045 multiple tables
UPDATE t, t2 SET t.k = t2.k WHERE t.id = t2.k;
-- refused 20045 multiple tables
DELETE t FROM t JOIN t2 ON t.id = t2.k;
-- refused 30001 a join
SELECT t.id FROM t JOIN t2 ON t.id = t2.k;
-- refused 30001 a join
SELECT a.id FROM t a LEFT JOIN t b ON a.id = b.k;
-- refused 30001 UNION
SELECT k FROM t UNION SELECT id FROM t2 UNION ALL SELECT id FROM t;
-- refused 30001 subquery
SELECT id FROM t WHERE k IN (SELECT k FROM t2);
-- refused 30001 subquery
SELECT id, (SELECT MAX(k) FROM t2) FROM t;
-- refused 30001 subquery
SELECT SUM(k) + (SELECT MAX(k) FROM t2) FROM t;
-- refused 30001 `e`
SELECT e, COUNT(*) + 1 FROM t GROUP BY e ORDER BY e;
-- refused 30001 `e`
SELECT GROUP_CONCAT(k ORDER BY e) FROM t;
-- refused 30001 state of one server connection
SELECT id INTO @x FROM t;
-- refused 30001 EXPLAIN
EXPLAIN INTO @plan FORMAT=JSON SELECT * FROM t;
-- refused 20040 RENAME TABLE
RENAME TABLE t TO t9;
-- refused 20040 RENAME TABLE
ALTER TABLE t RENAME TO t9;
-- refused 30001 foreign key
CREATE TABLE t3 (id INT PRIMARY KEY, tid INT, FOREIGN KEY (tid) REFERENCES t (id));
-- refused 30001 LIKE
CREATE TABLE t4 AS SELECT * FROM t;
-- refused 30001
LOCK TABLES t WRITE;
-- refused 30001
LOAD DATA INFILE '/dev/null' INTO TABLE t;
-- refused 1064
SELECT FROM WHERE id = 1;
-- refused 1064
SELECT id FROM t WHERE;
-- refused 1064
INSERT INTO t (id VALUES (1);
-- refused 30001 NONSENSE
NONSENSE t;
-- refused 1064
SELECT id FROM t WHERE s = 'open;
-- Nothing of all that was done.
SELECT id, k, s FROM t ORDER BY id;
SELECT * FROM t2 ORDER BY id;
-- On one node the server does it all.
SELECT a.id, b.k FROM t a JOIN t b ON a.id = b.id WHERE a.id = 1 AND b.id = 1;
SELECT k, COUNT(*) FROM t WHERE id = 1 GROUP BY k HAVING COUNT(*) = 1;
SELECT COUNT(DISTINCT k), SUM(k) + 1, GROUP_CONCAT(s) FROM t WHERE id = 1;
UPDATE t SET k = 100 WHERE id = 1 ORDER BY k LIMIT 1;
DELETE FROM t WHERE id = 2 LIMIT 1;
SELECT id, k FROM t ORDER BY id;
