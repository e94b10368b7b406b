-- GROUP BY and plain aggregates in every form, over many nodes.

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

-- Groups by columns of each type. Texts of a group are written alike here: which of several spellings is shown is open.
SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a;
SELECT a, COUNT(*) FROM t GROUP BY a;
SELECT b, COUNT(*), COUNT(a), SUM(a), MIN(a), MAX(a), AVG(a) FROM t GROUP BY b;
SELECT s, COUNT(*) FROM t GROUP BY s ORDER BY s;
SELECT s, COUNT(*) FROM t GROUP BY s;
SELECT c, COUNT(*) FROM t GROUP BY c ORDER BY c DESC;
SELECT bn, COUNT(*) FROM t GROUP BY bn;
SELECT la, COUNT(*) FROM t GROUP BY la;
SELECT tx, COUNT(*) FROM t GROUP BY tx;
SELECT bl, COUNT(*) FROM t GROUP BY bl;
SELECT vb, COUNT(*) FROM t GROUP BY vb;
SELECT e, COUNT(*) FROM t GROUP BY e ORDER BY e;
SELECT e, COUNT(*) FROM t GROUP BY e;
SELECT st, COUNT(*) FROM t GROUP BY st ORDER BY st DESC;
SELECT bt, COUNT(*) FROM t GROUP BY bt;
SELECT bt, COUNT(*) FROM t GROUP BY bt ORDER BY bt;
SELECT y, COUNT(*) FROM t GROUP BY y;
SELECT d, COUNT(*) FROM t GROUP BY d;
SELECT dt, COUNT(*) FROM t GROUP BY dt ORDER BY dt;
SELECT ts, COUNT(*) FROM t GROUP BY ts ORDER BY ts;
SELECT ti, COUNT(*) FROM t GROUP BY ti ORDER BY ti;
SELECT f, COUNT(*) FROM t GROUP BY f;
SELECT f, COUNT(*) FROM t GROUP BY f ORDER BY f;
SELECT db, COUNT(*) FROM t GROUP BY db;
SELECT dd, COUNT(*) FROM t GROUP BY dd;
SELECT x, COUNT(*) FROM t GROUP BY x;
SELECT u, COUNT(*) FROM t GROUP BY u;
SELECT z, COUNT(*) FROM t GROUP BY z;
SELECT COUNT(*) FROM t GROUP BY s ORDER BY s;
SELECT COUNT(*) FROM t GROUP BY f ORDER BY f;
SELECT COUNT(*) FROM t GROUP BY e ORDER BY e;
-- refused 30001 `j`
SELECT j, COUNT(*) FROM t GROUP BY j;

-- Several keys, expressions, aliases, ordinals.
SELECT a, b, COUNT(*) FROM t GROUP BY a, b;
SELECT a, b, COUNT(*) FROM t GROUP BY b, a ORDER BY a DESC, b;
SELECT b, s, COUNT(*) FROM t GROUP BY b, s ORDER BY COUNT(*) DESC, b, s;
SELECT a + 1, COUNT(*) FROM t GROUP BY a + 1;
SELECT a + 1, COUNT(*) FROM t GROUP BY a + 1 ORDER BY a + 1;
SELECT a % 2 AS odd, COUNT(*) FROM t GROUP BY odd ORDER BY odd;
SELECT a % 2 AS odd, COUNT(*) FROM t GROUP BY a % 2 ORDER BY odd DESC;
SELECT a % 2 AS odd, COUNT(*) FROM t GROUP BY 1 ORDER BY 1;
SELECT COUNT(*) FROM t GROUP BY a % 2 ORDER BY a % 2;
SELECT a > 1, COUNT(*) FROM t GROUP BY a > 1;
SELECT a IS NULL, SUM(b) FROM t GROUP BY a IS NULL;
SELECT UPPER(s), COUNT(*) FROM t GROUP BY UPPER(s);
SELECT UPPER(s) AS up, COUNT(*) FROM t GROUP BY up ORDER BY up;
SELECT LEFT(s, 1) AS l, COUNT(*), MAX(s) FROM t GROUP BY l ORDER BY l;
SELECT LENGTH(s), COUNT(*) FROM t GROUP BY LENGTH(s);
SELECT CONCAT(s, bn) AS k, COUNT(*) FROM t GROUP BY k;
SELECT CONCAT(s, '-', b) AS k, COUNT(*) FROM t GROUP BY k ORDER BY k;
SELECT YEAR(d), COUNT(*) FROM t GROUP BY YEAR(d);
SELECT YEAR(d) y1, MONTH(d) m1, COUNT(*) FROM t GROUP BY y1, m1 ORDER BY y1, m1;
SELECT DATE(dt), COUNT(*), SUM(x) FROM t GROUP BY DATE(dt) ORDER BY DATE(dt) DESC;
SELECT DATE_FORMAT(dt, '%Y-%m') AS month, COUNT(*) FROM t GROUP BY month ORDER BY month;
SELECT DATE_FORMAT(dt, '%Y-%m') AS month, COUNT(*) FROM t GROUP BY DATE_FORMAT(dt, '%Y-%m') ORDER BY month;
SELECT CASE WHEN a > 1 THEN 'big' WHEN a IS NULL THEN 'none' ELSE 'small' END AS size, COUNT(*), SUM(a) FROM t GROUP BY size ORDER BY size;
SELECT IFNULL(a, 0) AS k, COUNT(*) FROM t GROUP BY k;
SELECT s COLLATE utf8mb4_bin AS k, COUNT(*) FROM t GROUP BY k ORDER BY k;
SELECT CAST(f AS DECIMAL(10,2)) AS k, COUNT(*) FROM t GROUP BY k ORDER BY k;
SELECT f * 2 AS k, COUNT(*) FROM t GROUP BY k ORDER BY k;
SELECT f + 0.5 AS k, COUNT(*) FROM t GROUP BY f + 0.5;
SELECT ti, e, COUNT(*) FROM t GROUP BY ti, e ORDER BY ti DESC, e DESC;
-- text
-- refused 30000 FLOAT
SELECT COALESCE(f), COUNT(*) FROM t GROUP BY COALESCE(f);
-- Where a name is a column and an alias, GROUP BY means the column.
-- repeated
SELECT a + 1 AS b, COUNT(*) FROM t WHERE a = 1 GROUP BY b, a;
-- repeated
SELECT MAX(a) AS b, COUNT(*) FROM t GROUP BY b;
-- repeated
SELECT MAX(a) AS b, COUNT(*) FROM t GROUP BY t.b ORDER BY t.b;
SELECT b AS k, COUNT(*) FROM t GROUP BY t.b ORDER BY k;
SELECT b AS a, COUNT(*) FROM t GROUP BY t.b ORDER BY a;
SELECT t.b, COUNT(*) FROM t GROUP BY b ORDER BY t.b;
SELECT x.b, COUNT(*) FROM t x GROUP BY x.b ORDER BY b;
SELECT b k, COUNT(*) c FROM t GROUP BY k ORDER BY c DESC, k LIMIT 2;
SELECT a AS k, COUNT(*) FROM t GROUP BY k + 1, k ORDER BY k;
SELECT a AS k, COUNT(*) FROM t GROUP BY k ORDER BY k + 1;
SELECT a AS k, COUNT(*) FROM t GROUP BY k ORDER BY -k;
SELECT a AS k, COUNT(*) FROM t GROUP BY k ORDER BY k IS NULL, k;

-- Order after groups.
SELECT a, COUNT(*) AS c FROM t GROUP BY a ORDER BY c, a;
SELECT a, COUNT(*) AS c FROM t GROUP BY a ORDER BY c DESC, a DESC LIMIT 3;
SELECT a, COUNT(*) AS c FROM t GROUP BY a ORDER BY 2, 1;
SELECT a, SUM(x) FROM t GROUP BY a ORDER BY SUM(x), a;
SELECT a, SUM(x) FROM t GROUP BY a ORDER BY SUM(x) DESC LIMIT 1, 2;
SELECT a, AVG(x) AS m FROM t GROUP BY a ORDER BY m DESC, a;
SELECT a, MAX(s) AS m FROM t GROUP BY a ORDER BY m DESC, a;
SELECT a, MIN(s) AS m FROM t GROUP BY a ORDER BY m, a;
-- refused 30000 ENUM
SELECT a, MIN(e) AS m FROM t GROUP BY a ORDER BY m, a;
-- refused 30000 SET
SELECT a, MAX(st) AS m FROM t GROUP BY a ORDER BY m DESC, a;
SELECT a, MAX(f) AS m FROM t GROUP BY a ORDER BY m DESC, a;
SELECT a, MAX(f) AS m, MIN(f) FROM t GROUP BY a ORDER BY MIN(f), m, a LIMIT 1, 3;
SELECT a, MAX(ti) AS m FROM t GROUP BY a ORDER BY m, a;
-- unordered
SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY NULL;
SELECT a, COUNT(*) FROM t GROUP BY a LIMIT 100;
SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a LIMIT 2;
SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a DESC LIMIT 1, 2;
SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a LIMIT 0;
SELECT a, COUNT(*) AS c FROM t GROUP BY a ORDER BY c LIMIT 0;
SELECT a, COUNT(*) AS c FROM t GROUP BY a ORDER BY c, a LIMIT 2, 18446744073709551615;
SELECT s, COUNT(*) FROM t GROUP BY s ORDER BY s LIMIT 2;
SELECT s, COUNT(*) FROM t GROUP BY s ORDER BY LENGTH(s), s;
SELECT a, b, COUNT(*) FROM t GROUP BY a, b ORDER BY a + b, a;
SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY ABS(a), a;
-- args 1, 2
SELECT a, COUNT(*) AS c FROM t WHERE b > ? GROUP BY a ORDER BY c DESC, a LIMIT ?;
-- args 2, 1, 2
SELECT a + ? AS k, COUNT(*) AS c FROM t GROUP BY k ORDER BY c, k LIMIT ?, ?;

-- What a key decides: other columns of its row.
SELECT id, a, s, COUNT(*) FROM t GROUP BY id ORDER BY id;
SELECT id, a, s FROM t GROUP BY id ORDER BY s, id;
SELECT * FROM t GROUP BY id ORDER BY id LIMIT 3;
SELECT t.*, COUNT(*) FROM t GROUP BY t.id ORDER BY t.id LIMIT 3;
SELECT id, MAX(a) FROM t GROUP BY id ORDER BY a DESC, id;
SELECT a, b + 1, COUNT(*) FROM t GROUP BY a, b ORDER BY a, b;
SELECT a, 'x', COUNT(*), 1 + 1 FROM t GROUP BY a;
SELECT a, s FROM t GROUP BY a;
SELECT a, COUNT(*) FROM t WHERE s = 'one' GROUP BY a, s ORDER BY s, a;

-- Whole tables.
SELECT COUNT(*), COUNT(a), COUNT(1), COUNT(NULL), COUNT(s), COUNT(a > 1 OR NULL), COUNT(a + b) FROM t;
SELECT SUM(a), SUM(b), SUM(x), SUM(i), SUM(u), SUM(i8), SUM(z) FROM t;
-- approximate
SELECT SUM(f), SUM(db), SUM(dd) FROM t;
SELECT SUM(i) FROM t WHERE i > 1000;
SELECT SUM(i), AVG(i) FROM t WHERE i < 0;
SELECT SUM(u), AVG(u) FROM t;
SELECT SUM(y), AVG(y), SUM(bt), AVG(bt) FROM t;
SELECT SUM(e), AVG(e), SUM(st) FROM t;
SELECT SUM(d), AVG(d), SUM(dt), SUM(ti), AVG(ti) FROM t WHERE id IN (1, 2, 8, 11);
SELECT SUM(a = 1), SUM(s IS NULL), SUM(NULL), SUM(1.50), SUM(1e0) FROM t;
-- repeated
SELECT SUM(s), AVG(s) FROM t WHERE s IN ('9', '10');
SELECT SUM(a + b), SUM(a * x), AVG(a - b), SUM(-u) FROM t WHERE u < 1000;
-- approximate
SELECT AVG(a), AVG(b), AVG(x), AVG(i8), AVG(z), AVG(f), AVG(db), AVG(dd) FROM t;
SELECT AVG(x), AVG(x / 3), AVG(x * x), AVG(a / b) FROM t;
SELECT MIN(a), MAX(a), MIN(b), MAX(b), MIN(x), MAX(x), MIN(u), MAX(u), MIN(i), MAX(i) FROM t;
SELECT MIN(s), MAX(s), MIN(c), MAX(c), MIN(bn), MAX(bn), MIN(la), MAX(la), MIN(tx), MAX(tx) FROM t;
SELECT MIN(bl), MAX(bl), MIN(vb), MAX(vb) FROM t;
SELECT MIN(e), MAX(e), MIN(st), MAX(st) FROM t;
SELECT MIN(bt), MAX(bt) FROM t;
SELECT MIN(y), MAX(y), MIN(d), MAX(d), MIN(dt), MAX(dt), MIN(ts), MAX(ts), MIN(ti), MAX(ti) FROM t;
SELECT MIN(f), MAX(f), MIN(db), MAX(db), MIN(dd), MAX(dd) FROM t;
SELECT MIN(z), MAX(z), MIN(i8), MAX(i8) FROM t;
SELECT MIN(UPPER(s)), MAX(CONCAT(s, a)), MIN(LENGTH(s)), MAX(ABS(a)), MAX(a + b), MAX(IFNULL(s, 'zz')) FROM t;
SELECT MIN(DATE(dt)), MAX(YEAR(d)), MAX(DATE_FORMAT(d, '%m')), MAX(e + 0) FROM t;
SELECT MIN(s COLLATE utf8mb4_bin), MAX(s COLLATE utf8mb4_bin) FROM t;
SELECT MIN(IFNULL(f, 1)), MAX(COALESCE(f)) FROM t;
SELECT MIN(DISTINCT a), MAX(DISTINCT s) FROM t;
SELECT MIN('x'), MAX(NULL), MIN(1), MAX(1.5), COUNT('x') FROM t;
SELECT 'total', COUNT(*), NOW() > '2000-01-01', 1 + 1 FROM t;
-- refused 30001 JSON
SELECT MIN(j) FROM t;
SELECT COUNT(j) FROM t;
SELECT COUNT(*) FROM t ORDER BY a;
SELECT COUNT(*) AS c FROM t ORDER BY c;
SELECT COUNT(*) FROM t ORDER BY COUNT(*);
SELECT SUM(a) FROM t ORDER BY SUM(a) DESC LIMIT 1;
SELECT COUNT(*) FROM t LIMIT 0;
SELECT COUNT(*) FROM t LIMIT 1 OFFSET 1;
SELECT COUNT(*), COUNT(*) FROM t;
SELECT COUNT(*) AS c, SUM(a) AS c FROM t;
SELECT COUNT( * ), sum( a ), `t`.`a` IS NULL FROM t GROUP BY `t`.`a` IS NULL;
SELECT COUNT(ALL a), SUM(ALL a) FROM t;
SELECT DISTINCT COUNT(*) FROM t;
SELECT DISTINCT SUM(a), MAX(s) FROM t;
SELECT COUNT(*), SUM(a), MIN(s), AVG(x), MAX(ti) FROM t WHERE id > 1000;
SELECT a, COUNT(*), SUM(a), MIN(s) FROM t WHERE id > 1000 GROUP BY a;
SELECT COUNT(*), SUM(a) FROM t WHERE FALSE;
SELECT COUNT(*), MAX(s) FROM t WHERE id IN (1, 2, 5);
SELECT COUNT(*) FROM t WHERE s = 'one' FOR UPDATE;
-- args 1
SELECT COUNT(*), SUM(a + ?), MAX(s) FROM t;
-- args 2
SELECT SUM(a) FROM t WHERE b = ?;

-- Columns beside aggregates: only where a condition leaves them one value.
SELECT a, COUNT(*) FROM t WHERE a = 2;
SELECT a, SUM(b), MAX(s) FROM t WHERE a = 77;
SELECT s, COUNT(*) FROM t WHERE s = 'two' AND a = 2;
-- text
SELECT a, COUNT(*) FROM t;
SELECT COUNT(*), b FROM t WHERE b = 3;
SELECT b + 1, COUNT(*) FROM t WHERE b = 3;
SELECT f, COUNT(*) FROM t WHERE id IN (1, 7) AND f = 1.5;

-- Digits of averages.
SET SESSION div_precision_increment = 0;
SELECT AVG(a), AVG(x), AVG(f) FROM t;
SET SESSION div_precision_increment = 10;
-- approximate
SELECT AVG(a), AVG(x), AVG(x * x), AVG(f), AVG(dd) FROM t;
SELECT b, AVG(a), AVG(x) FROM t GROUP BY b;
SET SESSION div_precision_increment = 30;
SELECT AVG(a), AVG(x), AVG(u) FROM t;
SET SESSION div_precision_increment = 4;

-- Without ONLY_FULL_GROUP_BY any row's value may come; here they are alike.
-- plain
SET SESSION sql_mode = 'STRICT_TRANS_TABLES';
-- proxy
SET SESSION sql_mode = 'STRICT_TRANS_TABLES';
SELECT s, bn, COUNT(*) FROM t GROUP BY s ORDER BY s;
SELECT s, c, la FROM t GROUP BY bn ORDER BY bn;
SELECT y, COUNT(*) FROM t WHERE id IN (1, 7);
SELECT a, COUNT(*) FROM t WHERE id > 1000;
SET SESSION sql_mode = DEFAULT;

-- Nothing there, and one row.
-- sharded none
CREATE TABLE none (id INT PRIMARY KEY, a INT, s VARCHAR(10), x DECIMAL(5,2), f FLOAT);
SELECT COUNT(*), COUNT(a), SUM(a), SUM(x), SUM(f), AVG(a), MIN(s), MAX(a) FROM none;
SELECT a, COUNT(*) FROM none GROUP BY a;
SELECT a, COUNT(*) FROM none GROUP BY a ORDER BY COUNT(*) LIMIT 1;
INSERT INTO none VALUES (7, NULL, NULL, NULL, NULL);
SELECT COUNT(*), COUNT(a), SUM(a), SUM(x), SUM(f), AVG(a), MIN(s), MAX(a) FROM none;
SELECT a, s, COUNT(*), SUM(x) FROM none GROUP BY a, s;
INSERT INTO none VALUES (18, 1, 'x', 1.25, 0.1);
SELECT COUNT(*), COUNT(a), SUM(a), SUM(x), SUM(f), AVG(a), MIN(s), MAX(a), AVG(x), AVG(f) FROM none;
SELECT COUNT(*), f + 1 FROM none GROUP BY f + 1 ORDER BY `f + 1`;
SELECT a, COUNT(*) FROM none GROUP BY a ORDER BY `COUNT(*)`, a;
SELECT a, COUNT(*), a AS k FROM none GROUP BY a, k, a ORDER BY COUNT(*), a, k;
SELECT DISTINCT a, a, s, a AS k FROM none ORDER BY 2, k, s;
