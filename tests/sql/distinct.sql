-- Each row once, over many nodes; and results counted without their window.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT, b INT NOT NULL, s VARCHAR(30), c CHAR(10) COLLATE utf8mb4_general_ci, bn VARCHAR(30) COLLATE utf8mb4_bin, la VARCHAR(30) CHARACTER SET latin1, tx TEXT, bl BLOB, vb VARBINARY(10), e ENUM('z','y','a'), st SET('q','p','o'), bt BIT(12), y YEAR, d DATE, dt DATETIME(2), ts TIMESTAMP(1) NULL, ti TIME(1), f FLOAT, db DOUBLE, dd DOUBLE(10,2), x DECIMAL(12,4), u BIGINT UNSIGNED, i BIGINT, i8 TINYINT NOT NULL, z INT(6) ZEROFILL, j JSON, KEY (b), KEY (s), UNIQUE KEY (u, id));
INSERT INTO t (id, a, b, s, c, bn, la, tx, bl, vb, e, st, bt, y, d, dt, ts, ti, f, db, dd, x, u, i, i8, z, j) VALUES
 (1, 1, 1, 'one', 'one', 'one', 'one', 'one', 'one', 'one', 'z', 'q', 1, 2001, '2024-01-01', '2024-01-01 00:00:00.01', '2024-01-01 00:00:00.1', '10:00:00', 1.5, 1.5, 1.5, 1.5, 1, 9223372036854775807, -1, 1, '1'),
 (2, 1, 1, 'one', 'one', 'one', 'one', 'one', 'one', 'one', 'a', 'q,p', 2048, 1999, '1999-12-31', '1999-12-31 23:59:59.99', '1999-12-31 23:59:59.9', '-10:00:00', -1.5, -1.5, -1.5, -1.5, 18446744073709551615, 9223372036854775807, 127, 2, '1'),
 (3, NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL),
 (4, NULL, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, NULL, NULL),
 (5, 2, 2, 'two', 'two', 'two', 'two', 'two', 'two', 'two', 'z', 'o', 4095, 2155, '9999-12-31', '9999-12-31 23:59:59.99', '2038-01-19 03:14:07.9', '838:59:59', 0.25, 0.25, 99999999.99, 99999999.9999, 9223372036854775808, -9223372036854775808, -128, 999999, '2'),
 (6, 2, 2, 'two', 'two', 'two', 'two', 'two', 'two', x'00', 'a', 'q,p,o', 255, 1901, '2024-02-29', '2024-02-29 12:00:00', '2024-02-29 12:00:00', '-838:59:59', -0.25, 0.75, -99999999.99, -99999999.9999, 9223372036854775807, -9223372036854775808, -127, 100, '2'),
 (7, 2, 3, 'a three', 'a three', 'a three', 'a three', 'a three', 'a three', x'00', 'z', 'p', 255, 2001, '2024-01-01', '2024-01-01 00:00:00.01', '2024-01-01 00:00:00.1', '10:00:00', 1.5, 1.5, 1.5, 1.5, 1, 7, -2, 20, '[1]'),
 (8, 3, 3, 'a three', 'a three', 'a three', 'a three', 'a three', 'a three', x'0001', 'y', 'p,o', 255, 2010, '2010-10-10', '2010-10-10 10:10:10.1', '2010-10-10 10:10:10.1', '00:00:10.5', 16, 16, 10.10, 10.10, 10, 8, 10, 10, '[1]'),
 (11, 3, 3, '', '', '', '', '', '', '', 'y', '', 0, 2009, '2009-09-09', '2009-09-09 09:09:09.09', '2009-09-09 09:09:09', '00:00:09', 16, 16, 9.09, 9.09, 9, 9, 9, 9, '{"k": 1}'),
 (12, 3, 4, '', '', '', '', '', '', '', 'y', '', 0, 0, '2009-09-09', '2009-09-09 09:09:09.09', '2009-09-09 09:09:09', '11:00:00', 0.5, 0.5, 11.11, 11.11, 11, 10, 11, 11, '{"k": 1}'),
 (15, -4, 4, '10', '10', '10', '10', '10', '10', '10', 'z', 'o', 1, 1976, '1976-01-01', '1976-01-01', '1976-01-01', '05:00:00', 7, 7, 7, 7, 106, 11, 5, 106, NULL),
 (26, -4, 4, '9', '9', '9', '9', '9', '9', '9', 'a', 'o', 1, 1977, '1977-01-01', '1977-01-01', '1977-01-01', '06:00:00', 8, 8, 8, 8, 107, 12, 6, 107, NULL);

SELECT DISTINCT a FROM t;
SELECT DISTINCT a FROM t ORDER BY a;
SELECT DISTINCT a FROM t ORDER BY a DESC LIMIT 2;
SELECT DISTINCT a, b FROM t;
SELECT DISTINCT a, b FROM t ORDER BY b, a DESC;
SELECT DISTINCT a, b FROM t ORDER BY b;
SELECT DISTINCTROW a FROM t ORDER BY 1;
SELECT DISTINCT s FROM t;
SELECT DISTINCT s FROM t ORDER BY s;
SELECT DISTINCT c, bn FROM t ORDER BY c DESC, bn;
SELECT DISTINCT la FROM t ORDER BY la;
SELECT DISTINCT tx FROM t;
SELECT DISTINCT bl FROM t;
SELECT DISTINCT vb FROM t ORDER BY vb;
SELECT DISTINCT e FROM t;
SELECT DISTINCT e FROM t ORDER BY e;
SELECT DISTINCT st FROM t ORDER BY st;
SELECT DISTINCT bt FROM t ORDER BY bt;
SELECT DISTINCT y FROM t;
SELECT DISTINCT d, dt FROM t;
SELECT DISTINCT ts FROM t ORDER BY ts;
SELECT DISTINCT ti FROM t ORDER BY ti DESC;
SELECT DISTINCT f FROM t;
SELECT DISTINCT f FROM t ORDER BY f LIMIT 3;
SELECT DISTINCT db, dd FROM t;
SELECT DISTINCT x FROM t ORDER BY x;
SELECT DISTINCT u FROM t ORDER BY u;
SELECT DISTINCT z FROM t;
SELECT DISTINCT id FROM t ORDER BY id;
SELECT DISTINCT id, s FROM t ORDER BY s, id;
-- refused 30001 `j`
SELECT DISTINCT j FROM t;
SELECT DISTINCT a + 1 FROM t;
SELECT DISTINCT a + 1 FROM t ORDER BY a + 1;
SELECT DISTINCT a + 1 AS k FROM t ORDER BY k DESC;
SELECT DISTINCT a IS NULL FROM t;
SELECT DISTINCT UPPER(s) FROM t;
SELECT DISTINCT UPPER(s) AS up FROM t ORDER BY up LIMIT 3;
SELECT DISTINCT CONCAT(s, bn), a FROM t ORDER BY 2, 1;
SELECT DISTINCT CASE WHEN a > 1 THEN 'big' ELSE s END AS k FROM t ORDER BY k;
SELECT DISTINCT 1 FROM t;
SELECT DISTINCT 'x', NULL FROM t;
SELECT DISTINCT 1 FROM t LIMIT 1;
SELECT DISTINCT a, 'x' AS k FROM t ORDER BY k, a;
SELECT DISTINCT NULL FROM t WHERE id > 1000;
SELECT DISTINCT a, a FROM t ORDER BY a;
SELECT DISTINCT a, a AS other FROM t ORDER BY other;
SELECT DISTINCT a AS b, b AS a FROM t ORDER BY a, b;
SELECT DISTINCT t.a FROM t ORDER BY a;
SELECT DISTINCT x.a FROM t x ORDER BY x.a;
SELECT DISTINCT a FROM t LIMIT 0;
SELECT DISTINCT a FROM t LIMIT 100;
SELECT DISTINCT a FROM t ORDER BY a LIMIT 1, 3;
SELECT DISTINCT a FROM t ORDER BY a LIMIT 100, 3;
-- args 2
SELECT DISTINCT a FROM t ORDER BY a LIMIT ?;
-- args 1, 2
SELECT DISTINCT a + ? FROM t ORDER BY 1 LIMIT ?;
-- All columns.
-- refused 30001 `j`
SELECT DISTINCT * FROM t;
-- sharded twice
CREATE TABLE twice (id INT, a INT, s VARCHAR(10), e ENUM('b','a'), f FLOAT);
INSERT INTO twice VALUES (1, 1, 'x', 'a', 1.5), (1, 1, 'x', 'a', 1.5), (2, 1, 'x', 'a', 1.5), (2, 1, NULL, 'b', NULL), (12, NULL, NULL, NULL, NULL), (12, NULL, NULL, NULL, NULL);
SELECT DISTINCT * FROM twice;
SELECT DISTINCT * FROM twice ORDER BY id, a, s;
SELECT DISTINCT * FROM twice ORDER BY f, e, id LIMIT 3;
SELECT DISTINCT twice.* FROM twice ORDER BY 5, 4, 1;
SELECT DISTINCT a, twice.* FROM twice ORDER BY id, s;
SELECT DISTINCT *, a + 1 FROM twice ORDER BY id, s;
SELECT DISTINCT *, a + 1 AS k FROM twice ORDER BY k, id, s;
SELECT DISTINCT a, s, e, f FROM twice ORDER BY a, s, e;
SELECT DISTINCT a, s, e, f FROM twice;
-- Ordered by what follows from the columns selected.
SELECT DISTINCT a FROM t ORDER BY a + 1;
SELECT DISTINCT a FROM t ORDER BY -a;
SELECT DISTINCT a FROM t ORDER BY ABS(a) DESC, a LIMIT 3;
SELECT DISTINCT a, b FROM t ORDER BY a + b, a;
SELECT DISTINCT a, b FROM t ORDER BY a * b DESC, a, b LIMIT 2, 4;
SELECT DISTINCT s FROM t ORDER BY LENGTH(s), s;
SELECT DISTINCT s FROM t ORDER BY s IS NULL, s;
SELECT DISTINCT a AS k FROM t ORDER BY k + 1;
SELECT DISTINCT a AS k FROM t ORDER BY a + 1;
SELECT DISTINCT a AS k FROM t ORDER BY a;
SELECT DISTINCT e FROM t ORDER BY e + 0 DESC;
SELECT DISTINCT e FROM t ORDER BY CONCAT(e);
-- unordered
SELECT DISTINCT a FROM t ORDER BY NULL;
-- unordered
SELECT DISTINCT a FROM t ORDER BY 1 + 1;
-- text
-- refused 30001 DISTINCT ordered by what is not selected
SELECT DISTINCT a FROM t ORDER BY b;
-- text
-- refused 30001 DISTINCT ordered by what is not selected
SELECT DISTINCT a FROM t ORDER BY a + b;
-- text
-- refused 30001 DISTINCT ordered by what is not selected
SELECT DISTINCT a + 1 FROM t ORDER BY a;
-- text
-- refused 30001 DISTINCT ordered by what is not selected
SELECT DISTINCT a + 1 FROM t ORDER BY a + 2;
-- text
-- refused 30001 DISTINCT ordered by what is not selected
SELECT DISTINCT id FROM t ORDER BY a;
-- unordered
SELECT DISTINCT a FROM t ORDER BY RAND();
-- text
-- refused 30001 an aggregate
SELECT DISTINCT a FROM t ORDER BY COUNT(*);
SELECT DISTINCT a FROM t FOR UPDATE;

-- Spellings that the collation holds equal: one of them.
-- sharded w
CREATE TABLE w (id INT PRIMARY KEY, s VARCHAR(20), g VARCHAR(20) COLLATE utf8mb4_general_ci, b VARCHAR(20) COLLATE utf8mb4_bin, n VARCHAR(20) COLLATE utf8mb4_0900_bin, l VARCHAR(20) CHARACTER SET latin1);
INSERT INTO w VALUES (1, 'a', 'a', 'a', 'a', 'a'), (2, 'A', 'A', 'A', 'A', 'A'), (3, 'á', 'á', 'á', 'á', 'á'), (4, 'a ', 'a ', 'a ', 'a ', 'a '), (5, 'b', 'b', 'b', 'b', 'b'), (6, NULL, NULL, NULL, NULL, NULL), (7, '', '', '', '', ''), (8, ' ', ' ', ' ', ' ', ' '), (9, 'ß', 'ß', 'ß', 'ß', 'ß'), (10, 'ss', 'ss', 'ss', 'ss', 'ss'), (11, 's', 's', 's', 's', 's'), (12, 'B', 'B', 'B', 'B', 'B'), (13, 'B', 'B', 'B', 'B', 'B');
SELECT COUNT(*) FROM w GROUP BY s ORDER BY s;
SELECT COUNT(*) FROM w GROUP BY g ORDER BY g;
SELECT COUNT(*) FROM w GROUP BY b ORDER BY b;
SELECT COUNT(*) FROM w GROUP BY n ORDER BY n;
SELECT COUNT(*) FROM w GROUP BY l ORDER BY l;
SELECT b, COUNT(*) FROM w WHERE id <> 8 AND id <> 4 GROUP BY b ORDER BY b;
SELECT n, COUNT(*) FROM w GROUP BY n ORDER BY n;
SELECT COUNT(*) FROM w GROUP BY UPPER(s) ORDER BY UPPER(s);
SELECT COUNT(*) FROM w GROUP BY CONCAT(g, '') ORDER BY CONCAT(g, '');
SELECT COUNT(*) FROM w GROUP BY s COLLATE utf8mb4_general_ci ORDER BY 1;
SELECT MIN(id), COUNT(*), SUM(id) FROM w GROUP BY g ORDER BY g DESC LIMIT 1, 3;
SELECT DISTINCT s = 'a' FROM w ORDER BY 1;
SELECT DISTINCT LOWER(TRIM(s)) COLLATE utf8mb4_bin AS k FROM w ORDER BY k;
SELECT DISTINCT n FROM w ORDER BY n;
SELECT MIN(id), MAX(id) FROM w GROUP BY l ORDER BY l;

-- SQL_CALC_FOUND_ROWS: rows that there would be without LIMIT.
-- unwarned
SELECT SQL_CALC_FOUND_ROWS id FROM t ORDER BY id LIMIT 3;
-- unwarned
SELECT FOUND_ROWS();
-- unwarned
SELECT SQL_CALC_FOUND_ROWS id, s FROM t WHERE b > 1 ORDER BY s, id LIMIT 2, 3;
-- unwarned
SELECT FOUND_ROWS();
-- unwarned
SELECT SQL_CALC_FOUND_ROWS DISTINCT a FROM t ORDER BY a LIMIT 1;
-- unwarned
SELECT FOUND_ROWS();
-- unwarned
SELECT SQL_CALC_FOUND_ROWS a, COUNT(*) FROM t GROUP BY a ORDER BY a LIMIT 1;
-- unwarned
SELECT FOUND_ROWS();
-- unwarned
SELECT SQL_CALC_FOUND_ROWS id FROM t ORDER BY id;
-- unwarned
SELECT FOUND_ROWS();
-- unwarned
SELECT SQL_CALC_FOUND_ROWS id FROM t ORDER BY id LIMIT 0;
-- unwarned
SELECT FOUND_ROWS();
-- unwarned
SELECT SQL_CALC_FOUND_ROWS id FROM t LIMIT 100, 1;
-- unwarned
SELECT FOUND_ROWS();
SELECT id FROM t ORDER BY id LIMIT 3;
-- unwarned
SELECT FOUND_ROWS();
SELECT id FROM t ORDER BY id LIMIT 10, 30;
-- unwarned
SELECT FOUND_ROWS();
-- refused 30001 state of one server connection
SELECT id INTO @x FROM t LIMIT 1;
