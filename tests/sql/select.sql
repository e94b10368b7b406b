-- Which rows a condition finds, however it is written and wherever they lie.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT, b VARCHAR(20), c DECIMAL(8,2), d DATE);
INSERT INTO t VALUES (1, 10, 'apple', 1.50, '2024-01-01'), (2, 20, 'Banana', 2.50, '2024-01-02'), (3, NULL, NULL, NULL, NULL),
  (4, 40, 'cherry', -4.25, '2023-12-31'), (5, 20, 'apple', 0.00, '2024-02-29'), (6, -60, '', 6.66, '1999-09-09'), (7, 70, 'date', 7.00, '2024-01-01'),
  (8, 20, 'Elder', 8.80, '2030-01-01'), (9, NULL, 'fig', 9.99, NULL), (10, 100, 'grape', 10.10, '2024-01-10'), (11, 110, 'apple', 11.11, '2024-01-11'),
  (12, 20, NULL, 12.12, '2024-01-12'), (13, 0, 'kiwi', 13.00, '2024-01-13'), (21, 10, 'lime', 21.00, '2024-01-21'), (32, 20, 'mango', 32.00, '2024-02-01');
SELECT * FROM t WHERE id = 7;
SELECT * FROM t WHERE 7 = id;
SELECT id, a FROM t WHERE t.id = 7;
SELECT x.id, x.a FROM t x WHERE x.id = 7;
SELECT x.* FROM t AS x WHERE x.id = 7;
SELECT t.* FROM t WHERE t.id = 7;
SELECT `id`, `t`.`a` FROM `t` WHERE `t`.`id` = 7;
SELECT id FROM t WHERE id = 7 AND a = 70;
SELECT id FROM t WHERE id = 7 AND a = 71;
SELECT id FROM t WHERE id = 7 OR id = 8;
SELECT id FROM t WHERE id = 7 OR a = 20;
SELECT id FROM t WHERE id = 7 AND id = 8;
SELECT id FROM t WHERE (id = 7 OR id = 8) AND (id = 8 OR id = 9);
SELECT id FROM t WHERE (id = 1 AND a = 10) OR (id = 2 AND b = 'banana');
SELECT id FROM t WHERE id IN (1, 2, 3);
SELECT id FROM t WHERE id IN (7);
SELECT id FROM t WHERE id IN (7, 7, 17);
SELECT id FROM t WHERE id IN (1, 2, NULL);
SELECT id FROM t WHERE id NOT IN (1, 2, 3);
SELECT id FROM t WHERE NOT id = 7;
SELECT id FROM t WHERE NOT (id = 7 OR id > 9);
SELECT id FROM t WHERE id <> 7;
SELECT id FROM t WHERE id != 7 AND id < 9;
SELECT id FROM t WHERE id <=> 7;
SELECT id FROM t WHERE id <=> NULL;
SELECT id FROM t WHERE id = NULL;
SELECT id FROM t WHERE id IS NULL;
SELECT id FROM t WHERE id IS NOT NULL AND a IS NULL;
SELECT id FROM t WHERE id BETWEEN 3 AND 5;
SELECT id FROM t WHERE id BETWEEN 5 AND 3;
SELECT id FROM t WHERE id NOT BETWEEN 3 AND 11;
SELECT id FROM t WHERE id > 3 AND id < 6;
SELECT id FROM t WHERE 3 < id AND 6 > id;
SELECT id FROM t WHERE id >= 3 AND id <= 6 AND id <> 4;
SELECT id FROM t WHERE id > 9;
SELECT id FROM t WHERE id < 3;
SELECT id FROM t WHERE 9 <= id;
SELECT id FROM t WHERE id > 3 AND id < 4;
SELECT id FROM t WHERE id = 3 + 4;
SELECT id FROM t WHERE id = 2 * 5 - 3;
SELECT id FROM t WHERE id = (7);
SELECT id FROM t WHERE id = -(-7);
SELECT id FROM t WHERE id = 7.0;
SELECT id FROM t WHERE id = 7.5;
SELECT id FROM t WHERE id = '7';
SELECT id FROM t WHERE id = 7e0;
SELECT id FROM t WHERE id = 0x07;
SELECT id FROM t WHERE id = TRUE;
SELECT id FROM t WHERE id + 0 = 7;
SELECT id FROM t WHERE id % 10 = 1;
SELECT id FROM t WHERE ABS(id) = 7;
SELECT id FROM t WHERE id = ABS(-7);
SELECT id FROM t WHERE id = a / 10;
SELECT id FROM t WHERE (id, a) = (7, 70);
SELECT id FROM t WHERE (id, a) IN ((7, 70), (8, 20));
SELECT id FROM t WHERE b LIKE 'a%';
SELECT id FROM t WHERE b = 'APPLE';
SELECT id FROM t WHERE b IN ('apple', 'FIG');
SELECT id FROM t WHERE b = '';
SELECT id FROM t WHERE b = 'apple' AND c > 1;
SELECT id FROM t WHERE c = 0;
SELECT id FROM t WHERE c BETWEEN -5 AND 2;
SELECT id FROM t WHERE d = '2024-01-01';
SELECT id FROM t WHERE d < '2024-01-01' OR d IS NULL;
SELECT id FROM t WHERE YEAR(d) = 2024 AND MONTH(d) = 2;
SELECT id FROM t WHERE CASE WHEN id > 5 THEN a ELSE -a END = 20;
SELECT id FROM t WHERE 1 = 0;
SELECT id FROM t WHERE 1;
SELECT id FROM t WHERE FALSE OR id = 7;
SELECT id FROM t WHERE id = 7 XOR id = 8;
-- repeated
SELECT id FROM t WHERE id = 7 || id = 8;
SELECT id FROM t WHERE id = 7 && a = 70;
SELECT id FROM t WHERE id IN (7, 8) AND id IN (8, 9);
SELECT id FROM t WHERE id IN (7, 8, 9) AND id > 8;
SELECT id FROM t WHERE id = 99;
SELECT * FROM t WHERE id = 99;
SELECT * FROM t WHERE id IN (99, 199, 1099);
SELECT id, a + 1, a * 2 AS twice, CONCAT(b, '!') "bang", 'literal', NULL, 1.5, c / 3 FROM t WHERE id IN (1, 2, 3, 4);
SELECT id AS `weird ``name`, b 'quoted alias' FROM t WHERE id < 4;
SELECT IFNULL(a, -1), COALESCE(b, 'none'), NULLIF(a, 20), IF(a > 20, 'big', 'small') FROM t WHERE id <= 12;
SELECT CAST(id AS CHAR), CAST(c AS SIGNED), CAST(a AS DECIMAL(12,4)), HEX(b), LENGTH(b) FROM t WHERE id BETWEEN 1 AND 8;
SELECT DATE_FORMAT(d, '%Y/%m'), d + INTERVAL 1 DAY, UNIX_TIMESTAMP(d) > 0 FROM t WHERE id > 3;
SELECT /* comment */ id -- to the end
FROM t # and this
WHERE id = 7;
select ID from t where ID = 7;
SELECT id FROM t WHERE id = 7 LIMIT 1;
SELECT id FROM t WHERE id = 7 FOR UPDATE;
SELECT id FROM t WHERE id IN (7, 8) ORDER BY id FOR UPDATE;
SELECT id FROM t WHERE id = 7 LOCK IN SHARE MODE;
SELECT id FROM t WHERE id = 7 FOR SHARE;
SELECT SQL_NO_CACHE id FROM t WHERE id = 7;
SELECT id FROM t FORCE INDEX (PRIMARY) WHERE id = 7;
SELECT id FROM t USE INDEX () WHERE id IN (6, 7) ORDER BY id;
SELECT id, (SELECT 1 + 1) FROM t WHERE id = 7;
SELECT COUNT(DISTINCT a), GROUP_CONCAT(b) FROM t WHERE id = 7;
SELECT a, COUNT(*) FROM t WHERE id = 7 GROUP BY a HAVING COUNT(*) > 0;
SELECT id, ROW_NUMBER() OVER (ORDER BY a) FROM t WHERE id = 7;
WITH one AS (SELECT 7 AS x) SELECT x FROM one;
-- args 7
SELECT * FROM t WHERE id = ?;
-- args 7, 8, 32
SELECT id FROM t WHERE id IN (?, ?, ?);
-- args 3, 6
SELECT id FROM t WHERE id BETWEEN ? AND ?;
-- args 3, 6
SELECT id FROM t WHERE id > ? AND ? > id;
-- args NULL
SELECT id FROM t WHERE id = ?;
-- args 5, 2
SELECT id FROM t WHERE id = ? + ?;
-- args 'apple', 1
SELECT id FROM t WHERE b = ? AND id = ?;
-- args '7'
SELECT id FROM t WHERE id = ?;
-- args 'x', 7
SELECT id, ? FROM t WHERE id = ?;
-- args 2, 1
SELECT id FROM t WHERE id < 9 ORDER BY id LIMIT ? OFFSET ?;
-- args 1, 2
SELECT id FROM t WHERE id < 9 ORDER BY id LIMIT ?, ?;

-- What has no table, or one of the server's own.
SELECT 1;
SELECT 1 + 1 AS two, 'x' AS x, NULL AS n;
SELECT 1 FROM DUAL;
SELECT 1 WHERE 1 = 0;
SELECT 'a' UNION SELECT 'b' ORDER BY 1;
SELECT @@session.autocommit, @@session.sql_mode;
SELECT DATABASE();
SELECT @@autocommit;
SET @x = 5;
SELECT @x + 1;
SELECT CONVERT(_latin1 0xE9 USING utf8mb4), _utf8mb4'é' COLLATE utf8mb4_bin;
DO 1;

-- A table without a rule lies on one server.
CREATE TABLE alone (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(10));
INSERT INTO alone (v) VALUES ('x'), ('y');
SELECT * FROM alone ORDER BY id;
SELECT a.id, b.v FROM alone a JOIN alone b ON a.id = b.id ORDER BY a.id;
SELECT v, COUNT(*) FROM alone GROUP BY v HAVING COUNT(*) = 1 ORDER BY v;
SELECT * FROM alone WHERE id IN (SELECT MAX(id) FROM alone);
UPDATE alone SET v = 'z' WHERE id = 2;
DELETE FROM alone ORDER BY id LIMIT 1;
SELECT * FROM alone;
DROP TABLE alone;
