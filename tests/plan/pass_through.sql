-- database: plain
SELECT * FROM t WHERE id = 1
SELECT plain.t.a, t.b + 1 FROM plain.t WHERE plain.t.id = 5
INSERT INTO plain.t VALUES (1)
SELECT * FROM information_schema.tables WHERE table_schema = 'plain'
SELECT * FROM mysql.user u JOIN t ON u.user = t.name
SELECT 1
SHOW TABLE STATUS
SHOW COLUMNS FROM t FROM plain
SHOW VARIABLES LIKE 'x'
SHOW TRIGGERS FROM plain
SHOW TABLE STATUS FROM `plain` LIKE 'x'
SHOW CREATE TABLE plain.t
SHOW INDEX FROM t IN plain
SHOW COLUMNS FROM user FROM mysql
CREATE TABLE t (id INT PRIMARY KEY)
CREATE TABLE `plain`.`t` (id INT)
UPDATE t SET a = 1 ORDER BY b LIMIT 1
SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1
SELECT * FROM t UNION SELECT * FROM u
WITH x AS (SELECT 1) SELECT * FROM x
LOAD DATA INFILE 'x' INTO TABLE t
CALL p(1)
GRANT SELECT ON *.* TO u
LOCK TABLES t READ
BEGIN
SET @x = 1
USE other
SHOW DATABASES
SHOW TABLES
KILL 5
-- database: same
SHOW TABLE STATUS FROM plain
SHOW TRIGGERS IN plain
SHOW TRIGGERS FROM information_schema
SELECT same.t.a + 1 FROM same.t
SELECT * FROM sharding_db.t_user WHERE id = 4
SELECT * FROM t, plain.u
SELECT * FROM nowhere.t
-- database: empty
SELECT * FROM t
-- database: none
SELECT 1
SELECT * FROM t
SELECT * FROM plain.t
SELECT * FROM information_schema.schemata
SHOW VARIABLES
CREATE TABLE t (id INT)
EXPLAIN SELECT 1
EXPLAIN SELECT * FROM t
VALUES ROW(1)
DO 1
(SELECT 1) UNION (SELECT 2)
WITH c AS (SELECT 1) SELECT * FROM c
SELECT * FROM (SELECT 1) x
SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a INT PATH '$')) j
SHOW ENGINES
SHOW GRANTS
SHOW TRIGGERS
SHOW TABLE STATUS
XA RECOVER
HELP 'x'
FLUSH TABLES
TABLE t
CALL p()
CREATE USER u
LOCK TABLES t READ
UNLOCK TABLES
SHOW TRIGGERS FROM plain
SHOW EVENTS IN plain
SHOW OPEN TABLES
-- database: missing
SELECT 1
-- database: sharding_db
-- Of schemas behind units, and others' ones, nothing is told.
SELECT phone FROM sbtest.t_user
SELECT * FROM t_single s WHERE EXISTS (SELECT 1 FROM Nowhere.t)
INSERT INTO nowhere.t SELECT * FROM t_single
SHOW COLUMNS FROM t FROM nowhere
DROP TABLE nowhere.t
SELECT * FROM performance_schema.threads
