-- What one server works out over the rows of all nodes.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, g INT, x INT, ui INT UNSIGNED, b BIGINT UNSIGNED, d DECIMAL(10,2), f DOUBLE, v VARCHAR(20), vb VARCHAR(20) COLLATE utf8mb4_bin,
  l VARCHAR(20) CHARACTER SET latin1, dt DATETIME(3), ts TIMESTAMP NULL, y YEAR, j JSON, bi VARBINARY(10), tm TIME(2), da DATE, tx TEXT, c CHAR(5), ti TINYINT, e ENUM('zz','b','a'));
-- Nothing there: one row without groups, none with them.
SELECT IFNULL(SUM(x), 0) + 1, COUNT(*) * 2, COUNT(DISTINCT x), BIT_AND(ui), BIT_OR(ui), GROUP_CONCAT(v), MAX(d) + 1 FROM t;
SELECT g, SUM(x) + 1 FROM t GROUP BY g;
SELECT g, SUM(x) FROM t GROUP BY g WITH ROLLUP;
SELECT g, COUNT(*), COUNT(x) + 1 FROM t GROUP BY g WITH ROLLUP;
SELECT JSON_ARRAYAGG(x), STD(x) FROM t;
INSERT INTO t VALUES
  (1, 1, 10, 5, 18446744073709551615, 1.50, 1.25, 'Ab', 'Ab', 'é', '2024-01-02 03:04:05.123', '2024-01-02 03:04:05', 2024, '{"a": 1, "b": [1.5, "x"]}', x'00ff', '10:11:12.25', '2024-01-02', 'long text', 'ab', 1, 'zz'),
  (2, 1, 20, 6, 7, 2.50, 0.5, 'ab', 'ab', 'e', '2024-01-03 03:04:05.5', '2024-01-03 03:04:05', 2023, '[1]', x'41', '-10:11:12.25', '2024-01-03', '日本', 'AB', 2, 'a'),
  (3, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 2, 5, 5, 9, 3.33, 1e20, 'it''s', 'it''s', 'ü', '2024-01-02 03:04:05.123', '2024-02-02 03:04:05', 2020, '"q"', x'', '838:59:59', '2020-02-29', 'back\\slash', 'x', -1, 'b'),
  (5, 2, 7, 1, 10, -1.01, -2.5, '日本', '日本', 'x', '2021-01-02 00:00:00', '2021-01-02 03:04:05', 1999, 'null', x'27', '00:00:00', '1999-12-31', 'q"uote', 'y', -128, 'b'),
  (6, 2, 7, 4294967295, 11, 99999999.99, 3.25, '日本', '日本 ', 'x', '2021-01-02 00:00:00', '2021-01-02 03:04:05', 1999, '{"a": 1, "b": [1.5, "x"]}', x'5c', '01:00:00', '1999-12-31', '', 'z', 127, 'a'),
  (7, 3, 1, 0, 0, 0.00, 0, '', '', '', '2000-01-01 00:00:00', '2000-01-01 00:00:00', 2000, '{}', x'00', '00:00:01', '2000-01-01', 'z', '', 0, 'zz'),
  (8, 3, -3, 3, 3, 3.00, 3, 'AB', 'AB', 'É', '2000-01-01 00:00:00', '2000-01-01 00:00:00', 2000, '{}', x'00', '00:00:01', '2000-01-01', 'Z', '', 0, 'zz'),
  (9, NULL, 4, 4, 4, 4.00, 4.5, 'x', 'x', 'x', '2000-01-01 00:00:00', '2000-01-01 00:00:00', 2000, '{}', x'00', '00:00:01', '2000-01-01', 'Z', '', 0, 'zz'),
  (10, NULL, 4, 4, 4, 4.00, 4.5, 'X', 'X', 'x', '2000-01-01 00:00:00', '2000-01-01 00:00:00', 2000, '{}', x'00', '00:00:01', '2000-01-01', 'Z', '', 0, 'zz');
-- sharded u
CREATE TABLE u (id INT NOT NULL PRIMARY KEY, q INT, w VARCHAR(10));
INSERT INTO u VALUES (1, 5, 'a'), (2, 6, 'b'), (3, 7, 'a'), (4, 8, 'c'), (9, 9, 'd');
-- HAVING, and expressions over aggregates.
SELECT g, SUM(x) + 1 FROM t GROUP BY g HAVING COUNT(*) > 2 ORDER BY 2 LIMIT 5;
SELECT g, COUNT(*) FROM t GROUP BY g HAVING COUNT(*) > 2 ORDER BY g;
SELECT g, COUNT(*) AS n FROM t GROUP BY g HAVING n > 2 AND MAX(x) < 10 ORDER BY n DESC, g;
SELECT id, x FROM t HAVING x > 4 ORDER BY id;
SELECT id, x * 2 AS twice FROM t HAVING twice > 4 ORDER BY id;
SELECT SUM(x) AS x FROM t GROUP BY g HAVING x > 10 ORDER BY x;
SELECT g + 1 AS h, COUNT(*) FROM t GROUP BY h HAVING h > 2 ORDER BY h;
SELECT UPPER(v) AS h, SUM(x) AS s FROM t GROUP BY UPPER(v) HAVING s > 2 ORDER BY h;
SELECT IFNULL(SUM(x), 0) + 1, COUNT(*) * 2 FROM t;
SELECT IFNULL(SUM(x), 0) + 1, COUNT(*) * 2 FROM t WHERE id > 1000;
SELECT SUM(d) / COUNT(f), SUM(x) / COUNT(*), -SUM(x), SUM(ui) DIV 3 FROM t;
SELECT ROUND(AVG(x), 2), AVG(d) * 3, AVG(x) * 1000000, FORMAT(AVG(x), 1) FROM t;
SELECT g, AVG(x) / 3, ROUND(AVG(x), 3) FROM t GROUP BY g ORDER BY g;
SELECT COUNT(*), g FROM t GROUP BY g HAVING AVG(x) > 5 ORDER BY g;
SELECT g, AVG(x) AS a FROM t GROUP BY g HAVING a > 5 ORDER BY g;
SELECT CONCAT(MAX(v), '!'), UPPER(MIN(l)), DATE_ADD(MAX(dt), INTERVAL 1 DAY), MAX(da) + 0, MIN(tm) FROM t WHERE g = 2;
SELECT y, COUNT(*) + 1 FROM t GROUP BY y ORDER BY y;
SELECT ti, COUNT(*) + 1 FROM t GROUP BY ti ORDER BY ti;
SELECT ui, COUNT(*) + 1, ui - 1 FROM t WHERE ui > 0 GROUP BY ui ORDER BY ui;
SELECT b, SUM(b) + 1, b ^ 1 FROM t GROUP BY b ORDER BY b;
SELECT SUM(f) + 0, MAX(f) * 2 FROM t WHERE id IN (1, 2);
SELECT dt, ts, da, tm, COUNT(*) + 1 FROM t GROUP BY dt, ts, da, tm ORDER BY dt, ts;
SELECT SUM(x) + 1 AS `weir`, 'a''b' AS lit, "c" FROM t;
SELECT COUNT(*) + 1 FROM t LIMIT 0;
SELECT COUNT(*) + 1 FROM t LIMIT 1 OFFSET 1;
SELECT COUNT(*) + 1 FROM t FOR UPDATE;
SELECT id, g, COUNT(*) + 1 FROM t GROUP BY id ORDER BY id;
SELECT e, MIN(e), COUNT(e) + 1 FROM t WHERE e = 'b' GROUP BY e;
SELECT HEX(v) AS h, COUNT(*) AS c FROM t GROUP BY h HAVING c > 0 ORDER BY h;
-- args 1, 'it''s', 2, 3
SELECT SUM(x) + ?, ? FROM t WHERE id > ? HAVING COUNT(*) > ?;
-- args 1, 100, 2, 1, 2
SELECT g, SUM(x) + ? AS s FROM t WHERE x < ? GROUP BY g HAVING s > ? ORDER BY s, g LIMIT ?, ?;
-- Aggregates with DISTINCT, over bits, of any value.
SELECT COUNT(DISTINCT v), COUNT(DISTINCT vb), COUNT(DISTINCT l), COUNT(DISTINCT g, v), SUM(DISTINCT x), AVG(DISTINCT x) FROM t;
SELECT g, COUNT(DISTINCT v), COUNT(*), SUM(x), AVG(d) FROM t GROUP BY g ORDER BY g;
SELECT g, BIT_AND(x), BIT_OR(x), BIT_XOR(b) FROM t GROUP BY g ORDER BY g;
SELECT BIT_AND(ui), BIT_OR(ui), BIT_XOR(ui) FROM t;
SELECT ANY_VALUE(g) FROM t WHERE g = 1;
-- Aggregates of all rows.
SELECT GROUP_CONCAT(l ORDER BY id SEPARATOR '-'), GROUP_CONCAT(DISTINCT g ORDER BY g DESC) FROM t;
SELECT g, GROUP_CONCAT(vb ORDER BY vb, id SEPARATOR ';') FROM t GROUP BY g ORDER BY g;
SELECT g, VAR_POP(x), JSON_OBJECTAGG(id, x) FROM t WHERE g <> 2 GROUP BY g ORDER BY g;
SELECT JSON_ARRAYAGG(x) FROM t WHERE id = 1 OR id = 1000;
SELECT GROUP_CONCAT(j ORDER BY id), GROUP_CONCAT(HEX(bi) ORDER BY id), GROUP_CONCAT(tx ORDER BY id) FROM t;
-- WITH ROLLUP.
SELECT g, x, COUNT(*) FROM t GROUP BY g, x WITH ROLLUP;
SELECT g, GROUPING(g), SUM(x), AVG(x), COUNT(DISTINCT v) FROM t GROUP BY g WITH ROLLUP;
SELECT g, COUNT(*) FROM t GROUP BY g WITH ROLLUP HAVING g IS NULL;
SELECT IF(GROUPING(g), 'total', g) AS k, SUM(d) FROM t GROUP BY g WITH ROLLUP ORDER BY GROUPING(g), g;
SELECT YEAR(da), MONTH(da), COUNT(*) FROM t GROUP BY YEAR(da), MONTH(da) WITH ROLLUP;
-- Window functions.
SELECT id, g, x, ui, b, d, f, v, vb, l, dt, ts, y, j, bi, tm, da, tx, c, ti, e, ROW_NUMBER() OVER (ORDER BY id) FROM t ORDER BY id;
SELECT *, COUNT(*) OVER () FROM t ORDER BY id;
SELECT u.*, SUM(q) OVER (ORDER BY id) FROM u ORDER BY id;
SELECT g, SUM(SUM(x)) OVER (ORDER BY g) FROM t GROUP BY g ORDER BY g;
SELECT id, LAG(d) OVER w, SUM(x) OVER w, RANK() OVER (PARTITION BY g ORDER BY x, id) FROM t WINDOW w AS (ORDER BY id) ORDER BY id;
SELECT FIRST_VALUE(v) OVER (ORDER BY id), NTILE(2) OVER (ORDER BY id) FROM t ORDER BY id;
-- DISTINCT and ORDER BY over groups.
SELECT DISTINCT g, COUNT(*) FROM t GROUP BY g, x ORDER BY g, 2;
SELECT DISTINCT COUNT(*) FROM t GROUP BY g ORDER BY 1;
SELECT DISTINCT * FROM u ORDER BY id;
SELECT g FROM t GROUP BY g ORDER BY SUM(x) DESC, g LIMIT 2;
SELECT g FROM t GROUP BY g ORDER BY SUM(x) * 2, g;
-- unwarned
SELECT id FROM t WHERE id < 5 ORDER BY j, id;
SELECT x AS n FROM t WHERE id < 5 ORDER BY n + 1;
-- Inside a transaction, with what it has not committed.
BEGIN;
UPDATE t SET x = x + 100 WHERE g = 2;
SELECT g, SUM(x) + 0 FROM t GROUP BY g HAVING SUM(x) > 20 ORDER BY g;
ROLLBACK;
SELECT g, SUM(x) + 0 FROM t GROUP BY g HAVING SUM(x) > 20 ORDER BY g;
-- However the session writes and reads.
SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES';
SELECT MAX("v") || '\', COUNT(*) + 1 AS "n" FROM t HAVING "n" > 1;
SELECT g, v, COUNT(*) + 0 FROM t WHERE id IN (4, 5) GROUP BY g;
-- unwarned
SET SESSION sql_mode = 'ANSI,STRICT_TRANS_TABLES';
SELECT id, "v", x, COUNT(*) + 1 FROM t GROUP BY id HAVING COUNT(*) > 0 ORDER BY id;
SELECT @@sql_mode;
SET SESSION sql_mode = '';
SELECT g, COUNT(*) FROM t WHERE g = 1 GROUP BY x HAVING COUNT(*) > 0 ORDER BY x;
SET SESSION group_concat_max_len = 8;
SELECT LENGTH(GROUP_CONCAT(id ORDER BY id)) FROM t;
SET NAMES latin1;
SELECT l, GROUP_CONCAT(id ORDER BY id) FROM t WHERE id IN (1, 2) GROUP BY l ORDER BY 2;
SET NAMES gbk;
SELECT v, tx, COUNT(*) + 1 FROM t WHERE id IN (2, 5) GROUP BY v, tx ORDER BY tx;
SET NAMES utf8mb4;
SET NAMES utf8mb4 COLLATE utf8mb4_bin;
SELECT COUNT(*) + 1, MAX(v) FROM t;
SELECT v FROM t WHERE id = 2;
SET NAMES utf8mb4;
-- What would not arrive as it is.
-- refused 30001 `j`
SELECT j, COUNT(*) + 1 FROM t GROUP BY j;
-- refused 30001 `j`
SELECT JSON_ARRAYAGG(j) FROM t;
-- refused 30001 `e`
SELECT g, MIN(e) AS m, COUNT(DISTINCT x) FROM t GROUP BY g ORDER BY m;
-- refused 30001 ROLLUP
SELECT 't' AS k, COUNT(*) FROM t GROUP BY 't' WITH ROLLUP;
INSERT INTO t (id, j) VALUES (11, JSON_OBJECT('d', CAST(1.50 AS DECIMAL(5, 2)), 'at', CAST('2024-01-01' AS DATE)));
SELECT id, j, ROW_NUMBER() OVER (ORDER BY id) FROM t ORDER BY id;
