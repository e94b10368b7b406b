-- ORDER BY in every form, over many nodes: columns of each type, expressions, aliases, ordinals, collations.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT, b INT NOT NULL, s VARCHAR(30), c CHAR(10) COLLATE utf8mb4_general_ci, bn VARCHAR(30) COLLATE utf8mb4_bin, b9 VARCHAR(30) COLLATE utf8mb4_0900_bin, la VARCHAR(30) CHARACTER SET latin1 COLLATE latin1_swedish_ci, de VARCHAR(30) COLLATE utf8mb4_de_pb_0900_ai_ci, tx TEXT, bl BLOB, bi BINARY(4), vb VARBINARY(10), e ENUM('z','y','a') , st SET('q','p','o'), bt BIT(12), b1 BIT(1), y YEAR, d DATE, dt DATETIME(2), ts TIMESTAMP(1) NULL, ti TIME(1), f FLOAT, db DOUBLE, dd DOUBLE(10,2), x DECIMAL(12,4), u BIGINT UNSIGNED, i8 TINYINT, z INT(6) ZEROFILL, j JSON, g POINT, KEY (b), KEY (s));
INSERT INTO t (id, a, b, s, c, bn, b9, la, de, tx, bl, bi, vb, e, st, bt, b1, y, d, dt, ts, ti, f, db, dd, x, u, i8, z, j) VALUES
 (1, 5, 3, 'apple', 'apple', 'apple', 'apple', 'apple', 'apple', 'apple', 'apple', 'ap', 'ap', 'z', 'q', 1, 1, 2001, '2024-01-01', '2024-01-01 00:00:00.01', '2024-01-01 00:00:00.1', '10:00:00', 1.1, 1.1, 1.1, 1.1, 1, -1, 1, '1'),
 (2, -5, 3, 'Apple', 'Apple', 'Apple', 'Apple', 'Apple', 'Apple', 'Apple', 'Apple', 'Ap', 'Ap', 'a', 'q,p', 2048, 0, 1999, '1999-12-31', '1999-12-31 23:59:59.99', '1999-12-31 23:59:59.9', '-10:00:00', -1.1, -1.1, -1.1, -1.1, 18446744073709551615, 127, 2, '{"a": 1}'),
 (3, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
 (4, 0, 2, 'äpfel', 'äpfel', 'äpfel', 'äpfel', 'äpfel', 'äpfel', 'äpfel', 'äpfel', '', '', 'y', '', 0, 0, 0, '0001-01-01', '0001-01-01', '1970-01-01 00:00:01.5', '00:00:00', 0, 0, 0, 0, 0, 0, 0, '[]'),
 (5, 2147483647, 9, 'zebra', 'zebra', 'zebra', 'zebra', 'zebra', 'zebra', 'zebra', 'zebra', x'ffff', x'ff', 'z', 'o', 4095, 1, 2155, '9999-12-31', '9999-12-31 23:59:59.99', '2038-01-19 03:14:07.9', '838:59:59', 3.4e38, 1.7e308, 99999999.99, 99999999.9999, 9223372036854775808, -128, 999999, '"x"'),
 (6, -2147483648, -9, 'Zoë', 'Zoë', 'Zoë', 'Zoë', 'Zoë', 'Zoë', 'Zoë', 'Zoë', x'00', x'00', 'a', 'q,p,o', 255, 0, 1901, '2024-02-29', '2024-02-29 12:00:00', '2024-02-29 12:00:00', '-838:59:59', -3.4e38, -1.7e308, -99999999.99, -99999999.9999, 9223372036854775807, -127, 100, 'true'),
 (7, 5, 4, 'apple ', 'apple ', 'apple ', 'apple ', 'apple ', 'apple ', 'apple ', 'apple ', 'ap ', 'ap ', 'z', 'p', 256, 1, 2001, '2024-01-01', '2024-01-01 00:00:00.01', '2024-01-01 00:00:00.1', '10:00:00', 1.1, 1.1, 1.1, 1.1, 2, -2, 20, 'null'),
 (8, 10, 5, '', '', '', '', '', '', '', '', x'0001', x'0001', 'y', 'p,o', 257, 0, 2010, '2010-10-10', '2010-10-10 10:10:10.1', '2010-10-10 10:10:10.1', '00:00:10.5', 16777217, 16777217, 10.10, 10.10, 10, 10, 10, '2.5'),
 (9, 9, 6, 'ß', 'ß', 'ß', 'ß', 'ß', 'ß', 'ß', 'ß', x'c3', x'c3', 'a', 'o', 10, 1, 2009, '2009-09-09', '2009-09-09 09:09:09.09', '2009-09-09 09:09:09', '00:00:09', 16777216, 16777216, 9.09, 9.09, 9, 9, 9, '-1'),
 (10, 11, 7, 'ss', 'ss', 'ss', 'ss', 'ss', 'ss', 'ss', 'ss', 'ss', 'ss', 'z', 'q,o', 9, 1, 2011, '2011-11-11', '2011-11-11', '2011-11-11', '11:00:00', 0.1234567, 0.1234567, 11.11, 11.11, 11, 11, 11, '100'),
 (11, 100, 8, '中文', '中文', '中文', '中文', NULL, '中文', '中文', '中文', '中', '中文', 'y', 'q', 99, 1, 1970, '1970-01-01', '1970-01-01', '1970-01-02', '01:00:00', 0.1234568, 0.1234568, 100, 100, 100, 100, 100, '[1]'),
 (12, -1, -1, '😀', '😀', '😀', '😀', NULL, '😀', '😀', '😀', '😀', x'ff00', 'a', 'p', 100, 0, 1971, '1971-01-01', '1971-01-01', '1971-01-01', '01:00:00.1', 0.12345671, 0.12345671, -1, -1, 101, -1, 101, '[1, 2]'),
 (13, 1, 0, 'APPLE', 'APPLE', 'APPLE', 'APPLE', 'APPLE', 'APPLE', 'APPLE', 'APPLE', 'AP', 'AP', 'z', '', 101, 1, 1972, '1972-01-01', '1972-01-01', '1972-01-01', '01:00:00.2', 1e-30, 1e-300, 1, 1, 102, 1, 102, '{}'),
 (14, 2, 2, 'ápple', 'ápple', 'ápple', 'ápple', 'ápple', 'ápple', 'ápple', 'ápple', 'á', 'á', 'y', 'q,p', 102, 0, 1973, '1973-01-01', '1973-01-01', '1973-01-01', '02:00:00', -1e-30, -1e-300, 2, 2, 103, 2, 103, '"y"'),
 (15, 3, 2, '_x', '_x', '_x', '_x', '_x', '_x', '_x', '_x', '_x', '_x', 'a', 'o', 103, 1, 1974, '1974-01-01', '1974-01-01', '1974-01-01', '03:00:00', 5, 5, 5, 5, 104, 3, 104, NULL),
 (16, 4, 2, '1', '1', '1', '1', '1', '1', '1', '1', '1', '1', 'z', 'q', 104, 0, 1975, '1975-01-01', '1975-01-01', '1975-01-01', '04:00:00', 6, 6, 6, 6, 105, 4, 105, NULL),
 (17, 6, 2, '10', '10', '10', '10', '10', '10', '10', '10', '10', '10', 'y', 'p', 105, 1, 1976, '1976-01-01', '1976-01-01', '1976-01-01', '05:00:00', 7, 7, 7, 7, 106, 5, 106, NULL),
 (18, 7, 2, '2', '2', '2', '2', '2', '2', '2', '2', '2', '2', 'a', 'o', 106, 0, 1977, '1977-01-01', '1977-01-01', '1977-01-01', '06:00:00', 8, 8, 8, 8, 107, 6, 107, NULL);

-- Each type, selected and not selected, up and down.
SELECT id, a FROM t ORDER BY a, id;
SELECT id FROM t ORDER BY a DESC, id;
SELECT id, b FROM t ORDER BY b, id DESC;
SELECT id, s FROM t ORDER BY s, id;
SELECT id FROM t ORDER BY s DESC, id;
SELECT id, c FROM t ORDER BY c, id;
SELECT id FROM t ORDER BY c DESC, id;
SELECT id, bn FROM t ORDER BY bn, id;
SELECT id FROM t ORDER BY bn DESC, id DESC;
SELECT id, b9 FROM t ORDER BY b9, id;
SELECT id FROM t ORDER BY b9 DESC, id;
SELECT id, la FROM t ORDER BY la, id;
SELECT id FROM t ORDER BY la DESC, id;
SELECT id, de FROM t ORDER BY de, id;
SELECT id FROM t ORDER BY de DESC, id;
SELECT id, tx FROM t ORDER BY tx, id;
SELECT id FROM t ORDER BY tx DESC, id;
SELECT id, bl FROM t ORDER BY bl, id;
SELECT id FROM t ORDER BY bl DESC, id;
SELECT id, bi FROM t ORDER BY bi, id;
SELECT id FROM t ORDER BY bi DESC, id;
SELECT id, vb FROM t ORDER BY vb, id;
SELECT id FROM t ORDER BY vb DESC, id;
SELECT id, e FROM t ORDER BY e, id;
SELECT id FROM t ORDER BY e DESC, id;
SELECT id, st FROM t ORDER BY st, id;
SELECT id FROM t ORDER BY st DESC, id;
SELECT id, bt FROM t ORDER BY bt, id;
SELECT id FROM t ORDER BY bt DESC, id;
SELECT id, b1 FROM t ORDER BY b1, id;
SELECT id, y FROM t ORDER BY y, id;
SELECT id FROM t ORDER BY y DESC, id;
SELECT id, d FROM t ORDER BY d, id;
SELECT id FROM t ORDER BY d DESC, id;
SELECT id, dt FROM t ORDER BY dt, id;
SELECT id FROM t ORDER BY dt DESC, id;
SELECT id, ts FROM t ORDER BY ts, id;
SELECT id FROM t ORDER BY ts DESC, id;
SELECT id, ti FROM t ORDER BY ti, id;
SELECT id FROM t ORDER BY ti DESC, id;
SELECT id, f FROM t ORDER BY f, id;
SELECT id FROM t ORDER BY f DESC, id;
SELECT id, db FROM t ORDER BY db, id;
SELECT id FROM t ORDER BY db DESC, id;
SELECT id, dd FROM t ORDER BY dd, id;
SELECT id, x FROM t ORDER BY x, id;
SELECT id FROM t ORDER BY x DESC, id;
SELECT id, u FROM t ORDER BY u, id;
SELECT id FROM t ORDER BY u DESC, id;
SELECT id, i8 FROM t ORDER BY i8, id;
SELECT id, z FROM t ORDER BY z, id;
SELECT * FROM t ORDER BY s, id;
SELECT * FROM t ORDER BY e DESC, id DESC LIMIT 7;
SELECT * FROM t ORDER BY ts, dt, f, id;
-- unwarned
SELECT id, j FROM t ORDER BY j, id;
-- unwarned
SELECT id FROM t ORDER BY j DESC, id LIMIT 5;
-- refused 30001 GEOMETRY
SELECT id FROM t ORDER BY g;
-- unwarned
SELECT * FROM t ORDER BY j, id;

-- Expressions.
SELECT id FROM t ORDER BY a + b, id;
SELECT id, a + b FROM t ORDER BY a + b, id;
SELECT id, a + b AS total FROM t ORDER BY total DESC, id;
SELECT id FROM t ORDER BY -a, id;
SELECT id FROM t ORDER BY (a), id;
SELECT id FROM t ORDER BY (a) DESC, (id);
SELECT id FROM t ORDER BY (s), id;
SELECT id FROM t ORDER BY (e), id;
SELECT id, (e) FROM t ORDER BY (e), id;
SELECT id FROM t ORDER BY a IS NULL, a, id;
SELECT id FROM t ORDER BY ISNULL(a) DESC, a DESC, id;
SELECT id FROM t ORDER BY a > 3, id;
-- unwarned
SELECT id FROM t ORDER BY !a, id;
SELECT id FROM t ORDER BY NOT a, id;
SELECT id FROM t ORDER BY s = 'apple' DESC, id;
SELECT id FROM t ORDER BY s LIKE 'a%', id;
SELECT id FROM t ORDER BY a BETWEEN 1 AND 5, id;
SELECT id FROM t ORDER BY id IN (3, 5, 7) DESC, id;
SELECT id FROM t ORDER BY FIELD(id, 3, 1, 2), id;
SELECT id FROM t ORDER BY CASE WHEN a IS NULL THEN 1 WHEN a < 0 THEN 2 ELSE 0 END, id;
SELECT id FROM t ORDER BY CASE b WHEN 2 THEN s ELSE c END, id;
SELECT id FROM t ORDER BY IF(a > 3, s, bn), id;
SELECT id FROM t ORDER BY IFNULL(a, 6), id;
SELECT id FROM t ORDER BY COALESCE(s, 'm'), id;
SELECT id FROM t ORDER BY COALESCE(e, 'm'), id;
SELECT id FROM t ORDER BY NULLIF(a, 5), id;
SELECT id FROM t ORDER BY GREATEST(a, b), id;
SELECT id FROM t ORDER BY LEAST(s, c), id;
SELECT id FROM t ORDER BY CONCAT(s, c), id;
SELECT id FROM t ORDER BY CONCAT(a, s), id;
SELECT id FROM t ORDER BY CONCAT(s, la), id;
SELECT id FROM t ORDER BY UPPER(bn), id;
SELECT id FROM t ORDER BY LOWER(c) DESC, id;
SELECT id FROM t ORDER BY LENGTH(s), CHAR_LENGTH(s), id;
SELECT id FROM t ORDER BY REVERSE(s), id;
SELECT id FROM t ORDER BY LEFT(s, 2), id;
SELECT id FROM t ORDER BY SUBSTRING(s, 2), id;
SELECT id FROM t ORDER BY TRIM(s), id;
SELECT id FROM t ORDER BY HEX(s), id;
SELECT id FROM t ORDER BY MD5(s), id;
-- unwarned
SELECT id FROM t ORDER BY CAST(s AS SIGNED) DESC, id;
-- unwarned
SELECT id FROM t ORDER BY s + 0, id;
SELECT id FROM t ORDER BY CAST(a AS CHAR), id;
-- unwarned
SELECT id FROM t ORDER BY CAST(x AS DECIMAL(5,1)), id;
-- unwarned
SELECT id FROM t ORDER BY BINARY s, id;
SELECT id FROM t ORDER BY CAST(s AS BINARY), id;
SELECT id FROM t ORDER BY CONVERT(s USING latin1), id;
SELECT id FROM t ORDER BY s COLLATE utf8mb4_bin, id;
SELECT id FROM t ORDER BY s COLLATE utf8mb4_general_ci DESC, id;
SELECT id FROM t ORDER BY bn COLLATE utf8mb4_0900_as_cs, id;
SELECT id FROM t ORDER BY la COLLATE latin1_bin, id;
SELECT id FROM t ORDER BY _utf8mb4'x' COLLATE utf8mb4_bin, id;
SELECT id FROM t ORDER BY e + 0, id;
SELECT id FROM t ORDER BY CONCAT(e), id;
SELECT id FROM t ORDER BY CAST(e AS CHAR), id;
SELECT id FROM t ORDER BY st + 0 DESC, id;
SELECT id FROM t ORDER BY bt + 0, id;
SELECT id FROM t ORDER BY ~a, id;
SELECT id FROM t ORDER BY a & 3, id;
SELECT id FROM t ORDER BY a DIV 2, id;
SELECT id FROM t ORDER BY a / 3, id;
SELECT id FROM t ORDER BY a % 3, id;
SELECT id FROM t ORDER BY MOD(id, 4), id DESC;
SELECT id FROM t ORDER BY x * 2, id;
SELECT id FROM t ORDER BY ROUND(x), id;
SELECT id FROM t ORDER BY ROUND(db, 1), id;
SELECT id FROM t ORDER BY dd / 3, id;
SELECT id FROM t ORDER BY f * 1, id;
SELECT id FROM t ORDER BY f + f, id;
SELECT id FROM t ORDER BY ABS(f), id;
-- text
-- refused 30000 FLOAT
SELECT id FROM t ORDER BY IFNULL(f, 0), id;
-- text
-- refused 30000 FLOAT
SELECT id FROM t ORDER BY COALESCE(f), id;
SELECT id FROM t ORDER BY SQRT(ABS(a)), id;
SELECT id FROM t ORDER BY db * 1e-10, id;
SELECT id FROM t ORDER BY u + 0, id;
SELECT id FROM t ORDER BY u / 2, id;
SELECT id FROM t ORDER BY YEAR(d), MONTH(d), id;
SELECT id FROM t ORDER BY DATE(dt) DESC, id;
SELECT id FROM t ORDER BY TIME(dt), id;
SELECT id FROM t ORDER BY DATE_FORMAT(d, '%m-%d'), id;
-- unwarned
SELECT id FROM t ORDER BY d + INTERVAL 1 DAY, id;
-- unwarned
SELECT id FROM t ORDER BY DATE_ADD(dt, INTERVAL id MINUTE), id;
SELECT id FROM t ORDER BY DATEDIFF(d, '2000-01-01'), id;
SELECT id FROM t ORDER BY UNIX_TIMESTAMP(ts), id;
SELECT id FROM t ORDER BY TIME_TO_SEC(ti), id;
SELECT id FROM t ORDER BY -ti, id;
SELECT id FROM t ORDER BY ti + 0, id;
SELECT id FROM t ORDER BY COALESCE(ts, dt), id;
SELECT id FROM t ORDER BY COALESCE(ti, '00:00:05'), id;
SELECT id FROM t ORDER BY y + 0, id;
SELECT id FROM t ORDER BY y IS NULL, y, id;
SELECT id FROM t ORDER BY LENGTH(bl), id;
SELECT id FROM t ORDER BY HEX(bi), id;
SELECT id FROM t ORDER BY CONCAT(bl, 'x'), id;
SELECT id FROM t ORDER BY JSON_EXTRACT(j, '$.a') IS NULL, id;
SELECT id FROM t ORDER BY JSON_TYPE(j), id;
SELECT id FROM t ORDER BY j->>'$.a', id;
SELECT id FROM t ORDER BY CAST(j AS CHAR), id;
SELECT id FROM t ORDER BY j->'$.a', id;
SELECT id, j->'$.a' AS k FROM t ORDER BY k DESC, id;
SELECT id FROM t ORDER BY JSON_EXTRACT(j, '$.a'), id;
-- unwarned
SELECT id FROM t ORDER BY CAST(bn AS JSON), id LIMIT 0;
SELECT id FROM t ORDER BY IFNULL(j, 1), id;
-- refused 30000 JSON
SELECT id FROM t ORDER BY COALESCE(j), id;
-- args 3
SELECT id FROM t ORDER BY a + ?, id;
-- args 'x'
SELECT id FROM t ORDER BY CONCAT(s, ?), id;
-- args 5, 3
SELECT id, a > ? AS big FROM t ORDER BY big, a + ?, id;

-- Aliases, and names of both a column and an alias.
SELECT id AS a, a AS id FROM t ORDER BY id, a;
SELECT a AS k, id FROM t ORDER BY k, id;
SELECT a AS k, id FROM t ORDER BY K DESC, ID;
SELECT a AS `k k`, id FROM t ORDER BY `k k`, id;
SELECT a 'quoted', id FROM t ORDER BY `quoted`, id;
SELECT -a AS a, id FROM t ORDER BY a, id;
SELECT -a AS a, id FROM t ORDER BY a + 0, id;
SELECT -a AS a, id FROM t ORDER BY t.a, id;
SELECT -a AS a, id FROM t ORDER BY ABS(a), a, id;
SELECT a AS k, id FROM t ORDER BY k + 1, id;
SELECT a AS k, id FROM t ORDER BY -k, id;
SELECT a + b AS k, id FROM t ORDER BY k * 2, id;
SELECT a + b AS k, id FROM t ORDER BY k * k, id;
SELECT a + b AS k, id FROM t ORDER BY k IS NULL, k DESC, id;
SELECT UPPER(s) AS up, id FROM t ORDER BY LENGTH(up), up, id;
SELECT UPPER(s) AS up, id FROM t ORDER BY CONCAT(up, 'x') DESC, id;
SELECT a AS k, b AS l, id FROM t ORDER BY k + l, id;
SELECT a AS b, b AS a, id FROM t ORDER BY a + b, a, id;
SELECT s AS k, id FROM t ORDER BY k COLLATE utf8mb4_bin, id;
SELECT id, CASE WHEN a > 3 THEN 'big' ELSE 'small' END AS size FROM t ORDER BY size, id;
SELECT id, CASE WHEN a > 3 THEN 'big' ELSE 'small' END AS size FROM t ORDER BY FIELD(size, 'small', 'big'), id;
SELECT id, 'k' AS k FROM t ORDER BY CONCAT(k, s), id;
SELECT e AS k, id FROM t ORDER BY k, id;
SELECT e AS k, id FROM t ORDER BY k + 0 DESC, id;
SELECT id k FROM t x ORDER BY x.id;
SELECT x.id FROM t x ORDER BY x.a + x.b, x.id;
SELECT t.id FROM t ORDER BY t.s, t.id;
SELECT t.id, t.s FROM t ORDER BY s, id;
SELECT id, s FROM t ORDER BY t.s, t.id;
SELECT `id`, `s` FROM `t` ORDER BY `t`.`s`, `t`.`id`;
SELECT id, id FROM t ORDER BY id;
SELECT id, id AS other FROM t ORDER BY other DESC;
SELECT a, id, a FROM t ORDER BY a, id;
-- worded
SELECT a FROM t ORDER BY nowhere;
-- worded
SELECT a AS k FROM t ORDER BY t.k;
SELECT a AS k, b AS k FROM t ORDER BY k;

-- Ordinals.
SELECT id, a FROM t ORDER BY 2, 1;
SELECT id, a FROM t ORDER BY 2 DESC, 1 DESC;
SELECT id, s FROM t ORDER BY 2, 1;
SELECT id, e FROM t ORDER BY 2, 1;
SELECT id, a + b FROM t ORDER BY 2, 1;
SELECT id, CONCAT(s, 'x') FROM t ORDER BY 2 DESC, 1;
SELECT * FROM t ORDER BY 1;
SELECT * FROM t ORDER BY 2 DESC, 1;
SELECT * FROM t ORDER BY 4, 1;
SELECT * FROM t ORDER BY 14, 1;
SELECT t.* FROM t ORDER BY 2, 1;
SELECT a, t.* FROM t ORDER BY 1, 2;
SELECT a, t.* FROM t ORDER BY 5, 2;
SELECT *, a + b FROM t ORDER BY 32, 1;
SELECT *, s AS extra FROM t ORDER BY extra, id;
SELECT * FROM t ORDER BY 99;
-- unwarned
SELECT * FROM t ORDER BY 30, 1;
SELECT id FROM t ORDER BY 2;
SELECT id FROM t ORDER BY 0;

-- Constants and what has no order.
-- unordered
SELECT id FROM t ORDER BY NULL;
-- unordered
SELECT id FROM t ORDER BY 'x';
-- unordered
SELECT id FROM t ORDER BY 1 + 1;
-- unordered
SELECT id FROM t ORDER BY RAND();
-- unordered
SELECT id, s FROM t ORDER BY RAND() LIMIT 100;
-- unordered
SELECT id FROM t ORDER BY UUID();
SELECT id FROM t ORDER BY NULL, id;
SELECT id FROM t ORDER BY 'x', id DESC;
SELECT id FROM t ORDER BY -1, id DESC;
SELECT id FROM t ORDER BY NOW(), id;
SELECT id FROM t ORDER BY 1.5, id DESC;
SELECT id FROM t ORDER BY TRUE, id DESC;
-- args 2
SELECT id FROM t ORDER BY ?, id;

-- Windows.
SELECT id FROM t ORDER BY a, id LIMIT 5;
SELECT id FROM t ORDER BY s, id LIMIT 3, 5;
SELECT id FROM t ORDER BY e, id LIMIT 5 OFFSET 3;
SELECT id, f FROM t ORDER BY f DESC, id LIMIT 2, 4;
SELECT * FROM t ORDER BY a + b, id LIMIT 3;
SELECT * FROM t ORDER BY id LIMIT 0;
SELECT id FROM t ORDER BY id LIMIT 0, 0;
SELECT id FROM t ORDER BY id LIMIT 5, 0;
SELECT id FROM t ORDER BY id LIMIT 17, 5;
SELECT id FROM t ORDER BY id LIMIT 18, 5;
SELECT id FROM t ORDER BY id LIMIT 1000000, 5;
SELECT id FROM t ORDER BY id LIMIT 18446744073709551615;
SELECT id FROM t ORDER BY id LIMIT 18446744073709551615, 18446744073709551615;
SELECT id FROM t ORDER BY id LIMIT 2, 18446744073709551614;
SELECT id FROM t ORDER BY id LIMIT 9223372036854775807, 9223372036854775807;
-- worded
SELECT id FROM t ORDER BY id LIMIT 18446744073709551616;
-- worded
SELECT id FROM t ORDER BY id LIMIT 18446744073709551616, 1;
-- args 5
SELECT id FROM t ORDER BY a DESC, id LIMIT ?;
-- args 0
SELECT id FROM t ORDER BY a DESC, id LIMIT ?;
-- args 3, 5
SELECT id FROM t ORDER BY a DESC, id LIMIT ?, ?;
-- args 3, 5
SELECT id FROM t ORDER BY a DESC, id LIMIT ? OFFSET ?;
-- args 3, 18446744073709551615
SELECT id FROM t ORDER BY a DESC, id LIMIT ?, ?;
-- args 5
SELECT id FROM t ORDER BY a DESC, id LIMIT 2, ?;
-- args 2
SELECT id FROM t ORDER BY a DESC, id LIMIT ?, 3;
SELECT id FROM t WHERE id > 100 ORDER BY s LIMIT 3;
SELECT id FROM t WHERE a > 3 ORDER BY s DESC, id LIMIT 3;

-- Locks.
SELECT id FROM t ORDER BY a, id LIMIT 3 FOR UPDATE;
SELECT id, s FROM t ORDER BY s, id FOR SHARE;
SELECT id FROM t ORDER BY s, id LOCK IN SHARE MODE;
SELECT id FROM t ORDER BY a, id LIMIT 3 FOR UPDATE SKIP LOCKED;
BEGIN;
SELECT id FROM t WHERE b = 2 ORDER BY s, id LIMIT 2 FOR UPDATE;
ROLLBACK;

-- Modifiers.
-- unwarned
SELECT SQL_NO_CACHE id FROM t ORDER BY a, id LIMIT 2;
SELECT HIGH_PRIORITY SQL_BIG_RESULT id FROM t ORDER BY a, id LIMIT 2;
SELECT ALL id FROM t ORDER BY a, id LIMIT 2;
SELECT /*+ MAX_EXECUTION_TIME(10000) */ id FROM t ORDER BY a, id LIMIT 2;
SELECT id FROM t USE INDEX (b) ORDER BY b, id LIMIT 4;
SELECT id FROM t FORCE INDEX FOR ORDER BY (b) ORDER BY b DESC, id LIMIT 4;

-- Long texts: where blanks at the end do not count, servers sort by the first 1024 bytes of the weight.
-- sharded l
CREATE TABLE l (id INT PRIMARY KEY, g TEXT COLLATE utf8mb4_general_ci, n TEXT COLLATE utf8mb4_0900_ai_ci, b TEXT COLLATE utf8mb4_bin, la TEXT CHARACTER SET latin1, bl BLOB);
INSERT INTO l VALUES (1, CONCAT(REPEAT('a', 1500), 'e'), CONCAT(REPEAT('a', 1500), 'e'), CONCAT(REPEAT('a', 1500), 'e'), CONCAT(REPEAT('a', 1500), 'e'), CONCAT(REPEAT('a', 1500), 'e')),
  (2, CONCAT(REPEAT('a', 1500), 'd'), CONCAT(REPEAT('a', 1500), 'd'), CONCAT(REPEAT('a', 1500), 'd'), CONCAT(REPEAT('a', 1500), 'd'), CONCAT(REPEAT('a', 1500), 'd')),
  (3, CONCAT(REPEAT('a', 1500), 'c'), CONCAT(REPEAT('a', 1500), 'c'), CONCAT(REPEAT('a', 1500), 'c'), CONCAT(REPEAT('a', 1500), 'c'), CONCAT(REPEAT('a', 1500), 'c')),
  (14, CONCAT(REPEAT('a', 1500), 'b'), CONCAT(REPEAT('a', 1500), 'b'), CONCAT(REPEAT('a', 1500), 'b'), CONCAT(REPEAT('a', 1500), 'b'), CONCAT(REPEAT('a', 1500), 'b')),
  (25, CONCAT(REPEAT('a', 600), 'a'), CONCAT(REPEAT('a', 600), 'a'), CONCAT(REPEAT('a', 600), 'a'), CONCAT(REPEAT('a', 600), 'a'), CONCAT(REPEAT('a', 600), 'a')),
  (26, 'b', 'b', 'b', 'b', 'b'), (27, REPEAT('a', 512), REPEAT('a', 512), REPEAT('a', 512), REPEAT('a', 512), REPEAT('a', 512)), (28, REPEAT('a', 511), REPEAT('a', 511), REPEAT('a', 511), REPEAT('a', 511), REPEAT('a', 511));
SELECT id FROM l ORDER BY g, id;
SELECT id FROM l ORDER BY g DESC, id;
SELECT id FROM l ORDER BY n, id;
SELECT id FROM l ORDER BY b, id;
SELECT id FROM l ORDER BY b DESC, id DESC;
SELECT id FROM l ORDER BY la, id;
SELECT id FROM l ORDER BY bl, id;
SELECT id FROM l ORDER BY CONCAT(g, 'x'), id;
SELECT id FROM l ORDER BY g COLLATE utf8mb4_unicode_ci, id;
SELECT COUNT(*) FROM l GROUP BY n ORDER BY n;
SELECT COUNT(*) FROM l GROUP BY bl;
-- refused 30000 max_sort_length
SELECT COUNT(*) FROM l GROUP BY g;
-- refused 30000 max_sort_length
SELECT COUNT(*) FROM l WHERE id > 14 GROUP BY b ORDER BY b;
SELECT COUNT(*) FROM l WHERE id > 25 AND id <> 28 GROUP BY b ORDER BY b;
SET SESSION max_sort_length = 64;
SELECT id FROM l ORDER BY g, id;
SELECT id FROM l ORDER BY la DESC, id;
SET SESSION max_sort_length = 4096;
SELECT id FROM l ORDER BY g, id;
SELECT COUNT(*) FROM l GROUP BY g;
SELECT DISTINCT LENGTH(g) FROM l ORDER BY 1;
SELECT DISTINCT RIGHT(g, 1), g FROM l ORDER BY 1;

-- Names of items without alias, and one alias for several.
SELECT a + 1, id FROM t ORDER BY `a + 1`, id;
SELECT UPPER(s), id FROM t ORDER BY `UPPER(s)` DESC, id;
SELECT a AS k, UPPER(s) AS k, id FROM t ORDER BY k, id;
SELECT UPPER(s) AS k, a AS k, id FROM t ORDER BY k, id;
SELECT a, -b AS a, id FROM t ORDER BY a, id;
SELECT a AS k, b AS k, id FROM t ORDER BY k, id;
SELECT a, b AS a, id FROM t ORDER BY a, id;
SELECT *, -b AS a FROM t ORDER BY a, id;
SELECT *, b AS a FROM t ORDER BY a, id;

-- JSON: by kind, then by value; arrays and objects by how many elements they have.
-- sharded js
CREATE TABLE js (id INT PRIMARY KEY, j JSON);
INSERT INTO js VALUES (1, '1'), (2, '1.0'), (3, '10'), (4, '9.5'), (5, '1e2'), (6, '"a"'), (7, '"A"'), (8, '"é"'), (9, '""'), (10, 'true'), (11, 'false'), (12, 'null'), (13, NULL), (14, '[1]'), (15, '[2]'), (16, '[1,2]'), (17, '{}'), (18, '{"a":1}'), (19, '{"b":"x,y"}'), (20, '-5'), (21, '18446744073709551615'), (22, '-9223372036854775808'), (23, '9223372036854775807'), (24, '1.8446744073709552e19'), (25, '0.1'), (26, CAST(0.1 AS JSON)), (27, '"2024-01-01"'), (28, CAST(DATE'2024-01-01' AS JSON)), (29, CAST(TIME'10:00:00' AS JSON)), (30, CAST(TIMESTAMP'2023-01-01 10:00:00' AS JSON)), (31, '"zz"'), (32, '1e-300'), (33, '-1e300'), (34, '0'), (35, '-0.0'), (36, '"a"'), (37, '"aa"'), (38, '"a "'), (39, '"a\\tb"'), (40, '"a!b"'), (41, CAST(TIME'-10:00:00' AS JSON)), (42, CAST(TIME'-11:00:00' AS JSON)), (43, '[]'), (44, '[[1,2],[3]]'), (45, '"😀"'), (46, '"中"');
-- unwarned
SELECT id, j FROM js ORDER BY j, id;
-- unwarned
SELECT id FROM js ORDER BY j DESC, id DESC;
-- unwarned
SELECT id FROM js ORDER BY j->'$', id;
-- unwarned
SELECT id, COUNT(*) FROM js GROUP BY id ORDER BY j, id;
SELECT id FROM js WHERE JSON_TYPE(j) IN ('INTEGER', 'DOUBLE', 'STRING') ORDER BY j, id LIMIT 3, 9;
SET NAMES latin1;
SELECT id FROM js WHERE JSON_TYPE(j) = 'STRING' ORDER BY j, id;
SET NAMES utf8mb4;
-- refused 30001 `j`
SELECT COUNT(*) FROM js WHERE id NOT IN (28, 29, 30, 41, 42) GROUP BY j ORDER BY 1;
-- text
-- refused 30001 `j`
SELECT COUNT(*), j->'$.a' IS NULL FROM js GROUP BY j->'$.a' ORDER BY 1;

-- Quotients of floating-point numbers are sorted by more digits than are shown.
-- sharded qu
CREATE TABLE qu (id INT PRIMARY KEY, d DOUBLE(12,2), f DOUBLE);
INSERT INTO qu VALUES (1, 1.03, 1.035), (2, 1.02, 1.025), (3, 1.01, 1.015), (4, 1.00, 1.005), (15, 1.04, 1.045), (26, 0.99, 0.995), (27, NULL, NULL), (8, -1.01, -1.015);
SELECT id, d / 70000000 FROM qu ORDER BY d / 70000000, id;
SELECT id, d / 70000000 AS k FROM qu ORDER BY k DESC, id LIMIT 5;
SELECT id, ROUND(f, 2) / 9000000 AS k FROM qu ORDER BY 2, id;
SELECT id FROM qu ORDER BY ROUND(f, 1), id;
SELECT id FROM qu ORDER BY d * 2, id;
