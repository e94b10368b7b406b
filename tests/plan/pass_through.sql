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
-- database: missing
SELECT 1
