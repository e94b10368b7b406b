-- UPDATE and DELETE of several tables, and with subqueries: each node by itself.

-- sharded a
CREATE TABLE a (id INT NOT NULL PRIMARY KEY, k INT, v VARCHAR(10));
-- sharded b by a_id
CREATE TABLE b (a_id INT NOT NULL, n INT NOT NULL, w INT, PRIMARY KEY (a_id, n));
CREATE TABLE plain (id INT NOT NULL PRIMARY KEY, k INT);
INSERT INTO a VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c'), (4, 4, 'd'), (11, 5, 'e'), (12, 6, 'f');
INSERT INTO b VALUES (1, 1, 10), (1, 2, 11), (2, 1, 20), (3, 1, 30), (11, 1, 110), (13, 1, 130);
INSERT INTO plain VALUES (1, 1);
UPDATE a, b SET a.v = 'joined' WHERE a.id = b.a_id;
UPDATE a, b SET a.v = 'joined' WHERE a.id = b.a_id;
UPDATE a JOIN b ON a.id = b.a_id SET a.k = a.k + b.w, b.w = 0 WHERE b.n = 1;
UPDATE a x JOIN b AS y ON x.id = y.a_id SET y.w = x.k, x.v = 'alias' WHERE x.id IN (1, 2);
UPDATE a LEFT JOIN b ON a.id = b.a_id SET a.v = 'none' WHERE b.a_id IS NULL;
UPDATE b RIGHT JOIN a ON a.id = b.a_id SET a.v = 'right', b.w = 7 WHERE a.k < 50;
UPDATE a JOIN b ON a.id = b.a_id SET a.v = 'one node' WHERE a.id = 1;
UPDATE a JOIN b ON a.id = b.a_id SET a.id = a.id, b.w = 3 WHERE a.k > 0;
-- args 5, 2
UPDATE a JOIN b ON a.id = b.a_id SET b.w = ? WHERE a.id >= ?;
UPDATE IGNORE a JOIN b ON a.id = b.a_id SET a.v = 'this is too long', b.w = 1 WHERE b.n = 1;
SHOW WARNINGS;
UPDATE a JOIN b ON a.id = b.a_id SET a.v = 'this is too long';
UPDATE a JOIN b ON a.id = b.a_id SET a.nothing = 1;
UPDATE a JOIN b ON a.id = b.a_id SET v = 'x', w = 2 ORDER BY a.id;
SELECT * FROM a ORDER BY id;
SELECT * FROM b ORDER BY a_id, n;
UPDATE a SET v = 'exists' WHERE EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id AND b.n = 2);
UPDATE a SET k = (SELECT SUM(w) FROM b WHERE b.a_id = a.id);
UPDATE a SET v = 'in' WHERE id IN (SELECT a_id FROM b WHERE n = 2);
UPDATE a SET v = 'not in' WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id);
SELECT * FROM a ORDER BY id;
DELETE a FROM a JOIN b ON a.id = b.a_id WHERE b.n = 2;
DELETE FROM x, y USING a AS x JOIN b AS y ON x.id = y.a_id WHERE x.id IN (2, 3);
DELETE a FROM a LEFT JOIN b ON a.id = b.a_id WHERE b.a_id IS NULL AND a.id > 4;
DELETE a, b FROM a, b WHERE a.id = b.a_id AND a.id = 11;
DELETE FROM b WHERE NOT EXISTS (SELECT 1 FROM a WHERE a.id = b.a_id);
DELETE FROM b WHERE a_id IN (SELECT id FROM a);
SELECT * FROM a ORDER BY id;
SELECT * FROM b ORDER BY a_id, n;
-- refused 20045 multiple tables
UPDATE a, b SET a.k = 1;
-- refused 20045 multiple tables
UPDATE a JOIN b ON a.id = b.n SET a.k = 1;
-- refused 20045 multiple tables
DELETE a FROM a JOIN plain ON a.id = plain.id;
-- refused 20045 multiple tables
DELETE plain FROM a JOIN plain ON a.id = plain.id;
-- refused 20041 Can not update sharding value
UPDATE a JOIN b ON a.id = b.a_id SET a.id = b.n;
-- refused 30001 a subquery
DELETE FROM a WHERE k IN (SELECT w FROM b);
-- refused 30001 a subquery
UPDATE a SET k = (SELECT MAX(w) FROM b);
-- refused 30001 a subquery
DELETE FROM plain WHERE id IN (SELECT id FROM a);
SELECT * FROM plain;
