-- Rows go where their key says, one by one, whatever way they are written.

-- sharded t
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, k INT NOT NULL DEFAULT 7, name VARCHAR(40), w DECIMAL(10,2), KEY k_1 (k));
INSERT INTO t (id, k, name, w) VALUES (1, 10, 'one', 1.10);
INSERT INTO t VALUES (2, 20, 'two', 2.20);
INSERT INTO t (name, id) VALUES ('three', 3);
INSERT INTO t SET id = 4, name = 'four', k = 40;
INSERT INTO t (id, name) VALUES (5, 'five'), (6, 'six'), (7, 'seven'), (8, 'eight'), (9, 'nine'), (10, 'ten'), (11, 'eleven'), (12, 'twelve');
INSERT INTO t VALUES (20, 1, 'a', 1), (30, 2, 'b', 2), (40, 3, 'c', 3);
INSERT INTO t VALUES (-1, 1, 'minus one', -1.5), (-10, 2, 'minus ten', -10.5), (-13, 3, 'minus thirteen', NULL);
INSERT INTO `t` (`id`, `name`) VALUES (101, 'quote '' and " and \\ and `');
insert into t(id,name)values(102,'no blanks'),(103,_utf8mb4'introduced'),(104,"double quotes");
INSERT INTO t (id, name) VALUES (105, 'comment /* not */ -- not # not'), (106, 'semicolon ; and ? mark') /* a ? comment */;
INSERT t (id, name) VALUE (107, 'without INTO');
INSERT INTO t (id, k, name) VALUES (108, DEFAULT, DEFAULT), (109, 1 + 2, CONCAT('a', 'b'));
INSERT INTO t (id, k) VALUES (5 + 105, 1), (2 * 60, 2), (-(-121), 3), (+122, 4);
-- args 201, 1, 'bound', 2.5e0
INSERT INTO t (id, k, name, w) VALUES (?, ?, ?, ?);
-- args 202, 'x', 203, 'y', 204, 'z', 215, NULL
INSERT INTO t (id, name) VALUES (?, ?), (?, ?), (?, ?), (?, ?);
-- args 216, 'mixed', 'with literals'
INSERT INTO t (id, k, name) VALUES (?, 5, ?), (217, 6, ?);
-- args '218', 'a key as text'
INSERT INTO t (id, name) VALUES (?, ?);
INSERT INTO t (id, name) VALUES ('219', 'a key in quotes');
SELECT * FROM t ORDER BY id;
SELECT COUNT(*) FROM t;

-- What becomes of keys that are there.
INSERT INTO t (id, name) VALUES (1, 'again');
INSERT IGNORE INTO t (id, name) VALUES (1, 'again'), (301, 'new');
SHOW WARNINGS;
INSERT IGNORE INTO t (id, name) VALUES (1, 'again');
SHOW WARNINGS;
INSERT INTO t (id, name) VALUES (1, 'ONE') ON DUPLICATE KEY UPDATE name = VALUES(name);
INSERT INTO t (id, k, name) VALUES (2, 1, 'TWO'), (302, 1, 'new') ON DUPLICATE KEY UPDATE k = k + 1, name = 'changed';
INSERT INTO t (id, k, name) VALUES (3, 1, 'THREE') AS fresh ON DUPLICATE KEY UPDATE k = fresh.k + 1;
REPLACE INTO t (id, name) VALUES (4, 'replaced');
REPLACE INTO t (id, name) VALUES (5, 'replaced'), (6, 'replaced'), (303, 'new');
REPLACE INTO t SET id = 7, name = 'replaced';
SELECT id, k, name FROM t WHERE id IN (1, 2, 3, 4, 5, 6, 7, 301, 302, 303) ORDER BY id;

-- Values that the column takes with a warning, or not.
INSERT INTO t (id, name) VALUES (401, 'this text is longer than the forty letters of its column');
INSERT INTO t (id, k) VALUES (402, 'x');
INSERT INTO t (id, k) VALUES (403, NULL);
INSERT INTO t (id, w) VALUES (404, 1.005), (405, 1.5);
INSERT INTO t (id, w) VALUES (405, 123456789.99);
INSERT INTO t (id, w) VALUES (406, 12.34567);
SHOW WARNINGS;
INSERT IGNORE INTO t (id, name) VALUES (407, 'this text is longer than the forty letters of its column');
SHOW WARNINGS;
INSERT INTO t (id, id) VALUES (1, 2);
INSERT INTO t (id, name, k) VALUES (410, 'too few');
INSERT INTO t VALUES (411, 1, 'too many', 1, 1);
INSERT INTO t (id, nothing) VALUES (412, 1);
SELECT COUNT(*), MIN(id), MAX(id) FROM t;

-- A key that the server hands out, where the sharding column is another one.
-- sharded made by shop
CREATE TABLE made (id INT NOT NULL AUTO_INCREMENT, shop INT NOT NULL, note VARCHAR(20), PRIMARY KEY (id, shop));
INSERT INTO made (shop, note) VALUES (1, 'first');
INSERT INTO made (shop, note) VALUES (11, 'second');
SELECT LAST_INSERT_ID();
INSERT INTO made (id, shop, note) VALUES (50, 3, 'said'), (51, 4, 'said too');
SELECT shop, COUNT(*) FROM made GROUP BY shop ORDER BY shop;

-- One row per table at least, many statements' worth of rows at once.
INSERT INTO t (id, name) VALUES (1000,'r'),(1001,'r'),(1002,'r'),(1003,'r'),(1004,'r'),(1005,'r'),(1006,'r'),(1007,'r'),(1008,'r'),(1009,'r'),
  (1010,'r'),(1011,'r'),(1012,'r'),(1013,'r'),(1014,'r'),(1015,'r'),(1016,'r'),(1017,'r'),(1018,'r'),(1019,'r');
-- One of them is there already: nothing of the statement may stay.
INSERT INTO t (id, name) VALUES (1020,'n'),(1021,'n'),(1022,'n'),(1013,'there'),(1023,'n'),(1024,'n'),(1025,'n'),(1026,'n'),(1027,'n'),(1028,'n'),(1029,'n');
SELECT COUNT(*) FROM t WHERE id >= 1000;
SELECT id FROM t WHERE name = 'n';
