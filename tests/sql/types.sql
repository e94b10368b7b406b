-- Values of every type, on one node and merged from many.

-- sharded whole
-- repeated
CREATE TABLE whole (id INT NOT NULL PRIMARY KEY, t1 TINYINT, t2 TINYINT UNSIGNED, b BOOL, s1 SMALLINT, s2 SMALLINT UNSIGNED, m1 MEDIUMINT, m2 MEDIUMINT UNSIGNED,
  i1 INT, i2 INT UNSIGNED, z INT(8) UNSIGNED ZEROFILL, l1 BIGINT, l2 BIGINT UNSIGNED, y YEAR);
INSERT INTO whole VALUES (1, -128, 255, TRUE, -32768, 65535, -8388608, 16777215, -2147483648, 4294967295, 42, -9223372036854775808, 18446744073709551615, 1901),
  (2, 127, 0, FALSE, 32767, 0, 8388607, 0, 2147483647, 0, 0, 9223372036854775807, 0, 2155),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (4, 0, 1, 2, 0, 1, 0, 1, 0, 1, 99999999, 0, 1, 0000);
SELECT * FROM whole WHERE id = 1;
SELECT * FROM whole WHERE id = 2;
SELECT * FROM whole WHERE id = 3;
SELECT * FROM whole ORDER BY id;
SELECT z FROM whole ORDER BY z, id;
SELECT l2 FROM whole ORDER BY l2 DESC, id;
SELECT t1, t2 FROM whole ORDER BY t2, t1;

-- sharded parts
-- repeated
CREATE TABLE parts (id INT NOT NULL PRIMARY KEY, f1 FLOAT, f2 FLOAT(7,3), d1 DOUBLE, d2 DOUBLE(10,4), x1 DECIMAL(10,0), x2 DECIMAL(65,30), x3 DECIMAL(5,5) UNSIGNED, x4 NUMERIC);
INSERT INTO parts VALUES (1, 1.5, 1234.567, 1.7976931348623157e308, 123456.7891, 1234567890, 12345678901234567890123456789012345.123456789012345678901234567891, 0.12345, 7),
  (2, -3.4e38, -1234.567, -1.7976931348623157e308, -123456.7891, -1234567890, -0.000000000000000000000000000001, 0.99999, -7),
  (3, 0.1, 0.001, 2.2250738585072014e-308, 0.0001, 0, 0, 0, 0), (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (15, 1e-7, 3, 0.1, 3, 3, 3.14, 0.5, 3);
SELECT * FROM parts WHERE id = 1;
SELECT * FROM parts WHERE id = 15;
SELECT * FROM parts ORDER BY id;
SELECT id, f1 FROM parts ORDER BY f1, id;
SELECT id, x2 FROM parts ORDER BY x2 DESC, id;
SELECT id, d1 FROM parts ORDER BY d1, id;

-- sharded times
SET SESSION sql_mode = '';
CREATE TABLE times (id INT NOT NULL PRIMARY KEY, d DATE, dt DATETIME, dt3 DATETIME(3), dt6 DATETIME(6), ts TIMESTAMP NULL, ts6 TIMESTAMP(6) NULL, t TIME, t3 TIME(3), t6 TIME(6), y YEAR);
INSERT INTO times VALUES (1, '2024-02-29', '2024-02-29 23:59:59', '2024-02-29 23:59:59.999', '2024-02-29 23:59:59.999999', '2024-02-29 23:59:59', '2024-02-29 23:59:59.999999', '23:59:59', '23:59:59.999', '23:59:59.999999', 2024),
  (2, '0000-00-00', '0000-00-00 00:00:00', '0000-00-00 00:00:00.000', '0000-00-00 00:00:00.000000', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '00:00:00', '00:00:00.000', '00:00:00', 0),
  (3, '9999-12-31', '9999-12-31 23:59:59', '9999-12-31 00:00:00', '1000-01-01 00:00:00.000001', '2038-01-19 03:14:07', '1970-01-02 00:00:01.5', '838:59:59', '-838:59:59', '-00:00:00.000001', 1970),
  (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (5, '2024-00-00', '2024-01-00 00:00:00', '2024-01-01 10:00:00', '2024-01-01 10:20:00', '2024-01-01', '2024-01-01 00:00:00.1', '-12:34:56', '100:00:00.5', '01:02:03.04', 99);
SELECT * FROM times WHERE id = 1;
SELECT * FROM times WHERE id = 2;
SELECT * FROM times WHERE id = 3;
SELECT * FROM times WHERE id = 5;
SELECT * FROM times ORDER BY id;
SELECT id, d FROM times ORDER BY d, id;
SELECT id, dt6 FROM times ORDER BY dt6 DESC, id;
SELECT id, t6 FROM times ORDER BY t6, id;
SELECT id, t FROM times ORDER BY t DESC, id;
SELECT id, ts6 FROM times ORDER BY ts6, id;
SELECT MIN(d), MAX(d), MIN(dt3), MAX(dt6), MIN(t), MAX(t3) FROM times;
SET SESSION time_zone = '+05:30';
SELECT id, ts, ts6, dt FROM times ORDER BY id;
SELECT id, ts FROM times WHERE id = 1;
SET SESSION time_zone = '+00:00';
SELECT id, ts, ts6, dt FROM times WHERE id IN (1, 3, 5) ORDER BY id;
SET SESSION sql_mode = DEFAULT;

-- sharded texts
-- repeated
CREATE TABLE texts (id INT NOT NULL PRIMARY KEY, c CHAR(10), vc VARCHAR(100), l1 VARCHAR(50) CHARACTER SET latin1, g VARCHAR(50) CHARACTER SET gbk, u3 VARCHAR(50) CHARACTER SET utf8mb3, u16 VARCHAR(20) CHARACTER SET utf16,
  bi BINARY(6), vb VARBINARY(50), tt TINYTEXT, tx TEXT, mt MEDIUMTEXT, lt LONGTEXT, tb TINYBLOB, bl BLOB, mb MEDIUMBLOB, lb LONGBLOB, e ENUM('small', 'Medium', 'große'), st SET('a', 'b', 'c', 'd'));
INSERT INTO texts VALUES (1, 'char', 'varchar', 'latin é ü', '中文字', 'ünï', 'utf16 ä', 'bin', 0x00FF10, 'tiny', 'text', 'medium', 'long', 0x00, 0x0001FF27225C0A0D1A, 0xDEADBEEF, 0x27, 'große', 'a,c'),
  (2, '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', 'small', ''),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 'trail  ', 'trail  ', 'trail  ', 'trail  ', 'x', 'y', 0x616200, 0x616200, REPEAT('t', 255), REPEAT('x', 300), REPEAT('é', 1000), REPEAT('日本', 3000), REPEAT(0xFF, 255), REPEAT(0x00, 1000), REPEAT(0xFB, 70000), REPEAT(0xFE, 10), 'Medium', 'd,b'),
  (5, '\\', '\'"\0\n\r\Z', 'q''q', '"', '`', '%_', 0xC3A9, 0xC3, 'a\tb', 'line\nline', '--', '#', 0xFF, 0xFE, 0xFB, 0xFC, 2, 15);
SELECT * FROM texts WHERE id = 1;
SELECT * FROM texts WHERE id = 4;
SELECT * FROM texts WHERE id = 5;
SELECT * FROM texts ORDER BY id;
SELECT id, HEX(vc), HEX(u16), HEX(g), LENGTH(mt), CHAR_LENGTH(lt) FROM texts ORDER BY id;
SELECT id, bl FROM texts ORDER BY id DESC;
SELECT id, vb FROM texts ORDER BY vb, id;
SELECT id, c FROM texts ORDER BY c, id;
SET NAMES latin1;
SELECT l1, u3 FROM texts WHERE id = 1;
SELECT id, l1, u3 FROM texts WHERE id < 3 ORDER BY id;
SET NAMES gbk;
SELECT g FROM texts WHERE id = 1;
SELECT id, g FROM texts WHERE id < 3 ORDER BY id;
SET NAMES utf8mb4;
SELECT id, l1, g FROM texts WHERE id < 3 ORDER BY id;
SET NAMES utf8mb4 COLLATE utf8mb4_bin;
SELECT id, CONCAT(vc, 'x') FROM texts WHERE id < 3 ORDER BY id;
SET NAMES utf8mb4;

-- sharded odd
CREATE TABLE odd (id INT NOT NULL PRIMARY KEY, b1 BIT(1), b8 BIT(8), b64 BIT(64), j JSON, p POINT, gen INT AS (id * 2) VIRTUAL, sto INT AS (id * 3) STORED, dflt INT DEFAULT (1 + 1), inv INT INVISIBLE DEFAULT 5);
INSERT INTO odd (id, b1, b8, b64, j, p) VALUES (1, b'1', b'10101010', 0xFFFFFFFFFFFFFFFF, '{"a": [1, 2.5, "x", null, true], "é": {}}', ST_GeomFromText('POINT(1 2)')),
  (2, b'0', 0, 0, '[]', ST_GeomFromText('POINT(-1.5 2e10)')), (3, NULL, NULL, NULL, NULL, NULL), (4, 1, 255, 1, '"text"', NULL), (15, 0, 1, 2, '12345678901234567890', NULL);
SELECT * FROM odd WHERE id = 1;
SELECT * FROM odd ORDER BY id;
SELECT id, inv FROM odd ORDER BY id;
SELECT id, j->'$.a', j->>'$.a[2]' FROM odd WHERE id = 1;
SELECT id, JSON_EXTRACT(j, '$.a[0]') FROM odd WHERE id IN (1, 2) ORDER BY id;
SELECT id, b8 + 0, BIN(b8), HEX(b64) FROM odd ORDER BY id;
SELECT id, ST_AsText(p) FROM odd ORDER BY id;
SELECT SUM(b8), MAX(gen), MIN(sto) FROM odd;

-- Parameters of every kind.
-- args 1, NULL, 'text', 2.5e0, 18446744073709551615, -9223372036854775808
SELECT ?, ?, ?, ?, ?, ?;
-- args 6, 'bound é 中', 'x'
INSERT INTO texts (id, vc, vb) VALUES (?, ?, ?);
-- args 6
SELECT id, vc, vb, HEX(vb) FROM texts WHERE id = ?;
