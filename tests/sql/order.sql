-- Rows of many nodes in one order, windows over them, and each row once.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, n INT, u INT UNSIGNED, x DECIMAL(12,3), f DOUBLE, d DATETIME(3), y YEAR, ti TIME(2),
  ai VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, gen VARCHAR(20) COLLATE utf8mb4_general_ci, bn VARCHAR(20) COLLATE utf8mb4_bin, la VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci,
  as_cs VARCHAR(20) COLLATE utf8mb4_0900_as_cs, vb VARBINARY(20));
INSERT INTO t VALUES
  (1, 5, 5, 1.500, 1.5, '2024-01-01 00:00:00.001', 2024, '10:00:00', 'apple', 'apple', 'apple', 'apple', 'apple', 'apple'),
  (2, -5, 4000000000, -1.500, -1.5, '2024-01-01 00:00:00.002', 1999, '-10:00:00', 'Apple', 'Apple', 'Apple', 'Apple', 'Apple', 'Apple'),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 0, 0, 0, 0, '1000-01-01 00:00:00', 1901, '00:00:00', 'äpfel', 'äpfel', 'äpfel', 'äpfel', 'äpfel', 'äpfel'),
  (5, 2147483647, 4294967295, 999999999.999, 1e300, '9999-12-31 23:59:59.999', 2155, '838:59:59', 'zebra', 'zebra', 'zebra', 'zebra', 'zebra', 'zebra'),
  (6, -2147483648, 1, -999999999.999, -1e300, '2024-01-01', 2000, '-838:59:59', 'Zoë', 'Zoë', 'Zoë', 'Zoë', 'Zoë', 'Zoë'),
  (7, 5, 5, 1.500, 1.5, '2024-01-01 00:00:00.001', 2024, '10:00:00', 'apple ', 'apple ', 'apple ', 'apple ', 'apple ', 'apple '),
  (8, 10, 10, 10, 10, '2024-01-10', 2010, '00:00:10.5', '', '', '', '', '', ''),
  (9, 9, 9, 9, 9, '2024-01-09', 2009, '00:00:09', 'ß', 'ß', 'ß', 'ß', 'ß', 'ß'),
  (10, 11, 11, 1.05, 0.1, '2024-11-01', 2011, '11:00:00', 'ss', 'ss', 'ss', 'ss', 'ss', 'ss'),
  (11, 100, 100, 1.5, 1e-300, '2024-10-10', 1970, '01:00:00', '中文', '中文', '中文', NULL, '中文', '中文'),
  (12, -1, 7, -0.001, -1e-300, '2023-10-10', 1971, '01:00:00.01', '😀', '😀', '😀', NULL, '😀', 0xFF00),
  (13, 1, 8, 0.001, 0.2, '2024-01-01 00:00:00.003', 1972, '01:00:00.02', 'APPLE', 'APPLE', 'APPLE', 'APPLE', 'APPLE', 0x00),
  (14, 2, 12, 0.010, 0.3, '2024-06-01', 1973, '02:00:00', 'ápple', 'ápple', 'ápple', 'ápple', 'ápple', 0x0001),
  (15, 3, 13, 0.100, 0.4, '2024-07-01', 1974, '03:00:00', '_x', '_x', '_x', '_x', '_x', 'B'),
  (16, 4, 14, 1.000, 0.5, '2024-08-01', 1975, '04:00:00', '1', '1', '1', '1', '1', 'b'),
  (17, 6, 15, 2.000, 0.6, '2024-09-01', 1976, '05:00:00', '10', '10', '10', '10', '10', 'c'),
  (18, 7, 16, 3.000, 0.7, '2024-09-02', 1977, '06:00:00', '2', '2', '2', '2', '2', 'C');
SELECT id FROM t ORDER BY id;
SELECT id FROM t ORDER BY id DESC;
SELECT id, n FROM t ORDER BY n, id;
SELECT id, n FROM t ORDER BY n DESC, id DESC;
SELECT id, n FROM t ORDER BY n DESC, id ASC;
SELECT id, u FROM t ORDER BY u, id;
SELECT id, x FROM t ORDER BY x, id;
SELECT id, x FROM t ORDER BY x DESC, id;
SELECT id, f FROM t ORDER BY f, id;
SELECT id, f FROM t ORDER BY f DESC, id;
SELECT id, d FROM t ORDER BY d, id;
SELECT id, d FROM t ORDER BY d DESC, id;
SELECT id, y FROM t ORDER BY y, id;
SELECT id, ti FROM t ORDER BY ti, id;
SELECT id, ti FROM t ORDER BY ti DESC, id;
SELECT id, ai FROM t ORDER BY ai, id;
SELECT id, ai FROM t ORDER BY ai DESC, id;
SELECT id, gen FROM t ORDER BY gen, id;
SELECT id, gen FROM t ORDER BY gen DESC, id;
SELECT id, bn FROM t ORDER BY bn, id;
SELECT id, bn FROM t ORDER BY bn DESC, id;
SELECT id, la FROM t ORDER BY la, id;
SELECT id, as_cs FROM t ORDER BY as_cs, id;
SELECT id, vb FROM t ORDER BY vb, id;
SELECT id, vb FROM t ORDER BY vb DESC, id;
SELECT n AS m, id FROM t ORDER BY m, id;
SELECT n AS id, id AS n FROM t ORDER BY id, n;
SELECT n, id FROM t ORDER BY 1, 2;
SELECT n, id FROM t ORDER BY 2 DESC;
SELECT ai FROM t ORDER BY id;
SELECT n FROM t ORDER BY u, id;
SELECT id FROM t ORDER BY n + id, id;
SELECT id FROM t ORDER BY -n, id;
SELECT id FROM t ORDER BY ABS(n) DESC, id;
SELECT id, LENGTH(ai) AS l FROM t ORDER BY l, id;
SELECT id FROM t ORDER BY LENGTH(ai), id;
SELECT id FROM t ORDER BY UPPER(bn), id;
SELECT id FROM t ORDER BY n IS NULL, n, id;
SELECT id FROM t ORDER BY IFNULL(n, 3), id;
SELECT id FROM t ORDER BY bn COLLATE utf8mb4_general_ci, id;
SELECT t.id FROM t ORDER BY t.n, t.id;
SELECT x.id FROM t x ORDER BY x.n, x.id;
SELECT * FROM t ORDER BY id;
SELECT * FROM t ORDER BY n, id;
SELECT id, t.* FROM t ORDER BY t.id;
-- unordered
SELECT id FROM t ORDER BY NULL;
SELECT id FROM t WHERE id IN (3, 1, 2) ORDER BY FIELD(id, 3, 1, 2);

-- Windows.
SELECT id FROM t ORDER BY id LIMIT 5;
SELECT id FROM t ORDER BY id LIMIT 0;
SELECT id FROM t ORDER BY id LIMIT 3, 4;
SELECT id FROM t ORDER BY id LIMIT 4 OFFSET 3;
SELECT id FROM t ORDER BY id DESC LIMIT 2 OFFSET 16;
SELECT id FROM t ORDER BY id LIMIT 100 OFFSET 15;
SELECT id FROM t ORDER BY id LIMIT 5 OFFSET 100;
SELECT id FROM t ORDER BY id LIMIT 18446744073709551615 OFFSET 15;
SELECT id FROM t ORDER BY id LIMIT 1, 18446744073709551615;
SELECT n FROM t ORDER BY n DESC, id LIMIT 7;
SELECT ai FROM t WHERE id > 4 ORDER BY ai DESC, id LIMIT 2, 5;
SELECT id FROM t WHERE id IN (1, 11) ORDER BY id LIMIT 1;
SELECT id FROM t WHERE id = 7 ORDER BY id LIMIT 0, 1;
SELECT id FROM t WHERE id = 7 LIMIT 1 OFFSET 1;
SELECT COUNT(*) FROM t LIMIT 1;
SELECT COUNT(*) FROM t LIMIT 0;
SELECT COUNT(*) FROM t LIMIT 1 OFFSET 1;
-- args 3
SELECT id FROM t ORDER BY id LIMIT ?;
-- args 3, 4
SELECT id FROM t ORDER BY id LIMIT ?, ?;
-- args 2, 5, 6
SELECT id FROM t WHERE id > ? ORDER BY id DESC LIMIT ? OFFSET ?;

-- Each row once.
SELECT DISTINCT n FROM t;
SELECT DISTINCT n FROM t ORDER BY n;
SELECT DISTINCT n FROM t ORDER BY n DESC LIMIT 3;
SELECT DISTINCT n, u FROM t ORDER BY n, u;
SELECT DISTINCT y FROM t ORDER BY y LIMIT 2, 3;
SELECT DISTINCT x, f FROM t ORDER BY x, f;
SELECT DISTINCT n > 4 FROM t ORDER BY 1;
SELECT DISTINCT n IS NULL AS missing FROM t ORDER BY missing;
SELECT DISTINCT id FROM t WHERE id = 7;
SELECT DISTINCT bn FROM t WHERE id <> 7 ORDER BY bn;
SELECT DISTINCT vb FROM t ORDER BY vb;
SELECT DISTINCT d FROM t ORDER BY d DESC;
SELECT DISTINCT ti FROM t WHERE id < 9 ORDER BY ti;
SELECT COUNT(*) FROM t WHERE ai = 'apple';

-- Nothing there.
-- sharded none
CREATE TABLE none (id INT PRIMARY KEY, n INT, s VARCHAR(10));
SELECT * FROM none;
SELECT * FROM none ORDER BY n DESC LIMIT 5;
SELECT DISTINCT s FROM none ORDER BY s;
INSERT INTO none VALUES (3, NULL, NULL), (4, NULL, NULL), (14, NULL, NULL);
SELECT DISTINCT s FROM none;
SELECT n FROM none ORDER BY n, id LIMIT 2;

-- Lots of equal keys across nodes.
-- sharded ties
CREATE TABLE ties (id INT PRIMARY KEY, g INT, h VARCHAR(10));
INSERT INTO ties VALUES (1,1,'a'),(2,1,'a'),(3,1,'b'),(4,1,'b'),(5,2,'a'),(6,2,'a'),(7,2,'b'),(8,2,'b'),(9,3,'a'),(10,3,'a'),(11,3,'b'),(12,3,'b'),
  (13,1,'a'),(14,1,'A'),(15,2,'a'),(16,2,'B'),(17,3,'b'),(18,3,'A'),(19,4,NULL),(20,4,NULL);
SELECT g FROM ties ORDER BY g;
SELECT g FROM ties ORDER BY g LIMIT 5, 10;
SELECT DISTINCT g FROM ties ORDER BY g;
SELECT g, COUNT(*) FROM ties GROUP BY g ORDER BY g;
SELECT g, id FROM ties ORDER BY g, id DESC LIMIT 4, 8;
SELECT DISTINCT g, UPPER(h) FROM ties ORDER BY 1, 2;

-- Blanks at the end do not count in most collations, and letters before the blank come before them.
-- sharded blanks
CREATE TABLE blanks (id INT PRIMARY KEY, d INT, g VARCHAR(20) COLLATE utf8mb4_general_ci, l VARCHAR(20) CHARACTER SET latin1, v VARCHAR(20) COLLATE utf8mb4_bin);
INSERT INTO blanks VALUES (1, 1, 'a ', '', 'a'), (2, 2, 'ä', '\0', 'a\t'), (3, 4, 'A', 'a\t', 'a '), (4, 3, 'b', 'a', 'b');
SELECT d, MIN(g) m FROM blanks GROUP BY d ORDER BY m, d DESC;
SELECT MIN(l), MAX(l) FROM blanks WHERE id <> 1;
SELECT id FROM blanks ORDER BY CONCAT(l, ''), id;
SELECT id FROM blanks ORDER BY UPPER(v), id;
SELECT id, l FROM blanks ORDER BY l, id;
SELECT id, v FROM blanks ORDER BY v DESC, id;
SELECT id FROM blanks WHERE id BETWEEN INTERVAL(3, 1, 2) AND 44 ORDER BY id;
