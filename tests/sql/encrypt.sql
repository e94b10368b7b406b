-- Encrypted columns: answers are those of a table in the clear. Values differ in more than letter case and blanks at the
-- end, which a collation overlooks and a cipher does not. No key is on `card`: its flags would be the assisted column's.

-- proxy
CREATE ENCRYPT RULE t (COLUMNS(
(NAME=phone, CIPHER=phone_cipher, TYPE(NAME="AES", PROPERTIES("aes-key-value"="123456abc"))),
(NAME=card, CIPHER=card_cipher, ASSISTED_QUERY_COLUMN=card_assisted, ENCRYPT_ALGORITHM(TYPE(NAME="SM4", PROPERTIES("sm4-key"="4D744E003D713D054E7E407C350E447E", "sm4-mode"="ECB", "sm4-padding"="PKCS5Padding"))), ASSISTED_QUERY_ALGORITHM(TYPE(NAME="MD5"))),
(NAME=name, CIPHER=name_cipher, LIKE_QUERY_COLUMN=name_like, ENCRYPT_ALGORITHM(TYPE(NAME="RC4", PROPERTIES("rc4-key-value"="123456abc"))), LIKE_QUERY_ALGORITHM(TYPE(NAME="CHAR_DIGEST_LIKE"))))), u (COLUMNS(
(NAME=phone, CIPHER=phone_cipher, TYPE(NAME="AES", PROPERTIES("aes-key-value"="123456abc")))));
-- proxy
CREATE ENCRYPT RULE d (COLUMNS(
(NAME=c, CIPHER=c_cipher, ASSISTED_QUERY_COLUMN=c_assisted, ENCRYPT_ALGORITHM(TYPE(NAME="AES", PROPERTIES("aes-key-value"="123456abc"))), ASSISTED_QUERY_ALGORITHM(TYPE(NAME="MD5")))));
-- sharded u
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, phone VARCHAR(100) COMMENT 'a phone', card VARCHAR(200) NOT NULL, name VARCHAR(200), age INT, KEY by_phone (phone), KEY by_age (age));
CREATE TABLE u (id BIGINT NOT NULL, phone VARCHAR(100), note VARCHAR(20), PRIMARY KEY (id));
-- writing
INSERT INTO t (id, phone, card, name, age) VALUES (1, '13800001111', '110101199003077758', 'Zhang San', 30);
INSERT INTO t VALUES (2, '13800002222', 'x', '测试', 31), (3, NULL, '', NULL, 32);
INSERT INTO t SET id = 4, card = 'it''s', phone = '1', name = 'a\\b';
INSERT INTO t (name, id, card, phone) VALUES ('50%', 5, '5', '13800001111'), ('under_score', 6, '6', '6');
-- args 7, '70', 'seven', 8, NULL, 'eight'
INSERT INTO t (id, phone, card) VALUES (?, ?, ?), (?, ?, ?);
INSERT INTO t (id, card, name) VALUES (1, 'twice', 'x');
INSERT IGNORE INTO t (id, card, name) VALUES (1, 'twice', 'x'), (9, 'nine', 'nine');
-- repeated
INSERT INTO t (id, phone, card) VALUES (1, 'new', 'c') ON DUPLICATE KEY UPDATE phone = 'changed', card = VALUES(card);
INSERT INTO t (id, phone, card) VALUES (10, 'ten', 'c10') ON DUPLICATE KEY UPDATE phone = VALUES(phone), age = age + 1;
INSERT INTO t (id, phone, card) VALUES (10, 'ten again', 'c10') ON DUPLICATE KEY UPDATE phone = VALUES(phone), age = 5;
REPLACE INTO t (id, phone, card, name, age) VALUES (9, '99', 'nine again', 'n', 9);
REPLACE INTO t SET id = 9, phone = '999', card = 'nine', name = 'nn';
INSERT INTO u (id, phone, note) VALUES (1, '13800001111', 'a'), (2, '13800002222', 'b'), (3, NULL, 'c'), (4, '70', 'd'), (11, 'none', 'e');
-- reading
SELECT * FROM t ORDER BY id;
SELECT t.* FROM t ORDER BY id;
SELECT x.*, x.phone, x.id + 1 FROM t x ORDER BY x.id;
SELECT phone FROM t ORDER BY id;
SELECT phone AS p, t.card, `name` n FROM t ORDER BY id DESC;
SELECT id, phone FROM t WHERE phone = '13800001111' ORDER BY id;
SELECT id FROM t WHERE '13800001111' = phone AND age = 30;
-- args '13800001111'
SELECT id, phone FROM t WHERE phone = ? ORDER BY id;
SELECT id FROM t WHERE phone <> '13800001111' ORDER BY id;
SELECT id FROM t WHERE phone != '70' OR id = 7 ORDER BY id;
SELECT id FROM t WHERE phone IN ('13800001111', '70', 'nothing') ORDER BY id;
-- unwarned
-- args '70', 3, NULL
SELECT id FROM t WHERE phone IN (?, 'x', ?, ?) ORDER BY id;
SELECT id FROM t WHERE phone NOT IN ('13800001111', '70') ORDER BY id;
SELECT id, card FROM t WHERE card = '110101199003077758' OR card IN ('x', '') ORDER BY id;
SELECT id FROM t WHERE phone IS NULL ORDER BY id;
SELECT id FROM t WHERE phone IS NOT NULL AND name IS NULL ORDER BY id;
SELECT id FROM t WHERE phone = NULL;
SELECT id, name FROM t WHERE name LIKE 'Zhang%' ORDER BY id;
SELECT id, name FROM t WHERE name LIKE '%ang S%' ORDER BY id;
-- args 'n%'
SELECT id, name FROM t WHERE name LIKE ? ORDER BY id;
SELECT id FROM t WHERE (phone = '70' OR card = 'x') AND NOT (id = 2) ORDER BY id;
SELECT COUNT(*), COUNT(phone), COUNT(DISTINCT phone) FROM t;
SELECT phone, COUNT(*) FROM t GROUP BY phone;
SELECT card, MAX(age) FROM t GROUP BY card;
SELECT DISTINCT phone FROM t;
SELECT t.id, u.id, t.phone, u.note FROM t JOIN t u2 ON t.phone = u2.phone JOIN (SELECT 1 AS id, 'n' AS note) u ON TRUE ORDER BY t.id, u2.id;
SELECT a.id, b.id, a.phone FROM t a, t b WHERE a.phone = b.phone AND a.id < b.id ORDER BY a.id, b.id;
SELECT a.id, b.phone FROM t a LEFT JOIN t b ON a.phone = b.phone AND b.id = 5 ORDER BY a.id;
SELECT id FROM t WHERE phone IN (SELECT phone FROM t WHERE id IN (1, 5)) ORDER BY id;
SELECT id FROM t o WHERE EXISTS (SELECT 1 FROM t i WHERE i.phone = o.phone AND i.id <> o.id) ORDER BY id;
SELECT d.phone, d.id FROM (SELECT id, phone FROM t WHERE phone = '13800001111') d ORDER BY d.id;
SELECT id, phone FROM t WHERE phone = '13800001111' LIMIT 0;
SELECT 'phone', id FROM t WHERE id = 1;
-- changing
UPDATE t SET phone = '555', age = 1 WHERE phone = '70';
-- args '556', 'card', 7
UPDATE t SET phone = ?, card = ? WHERE id = ?;
UPDATE t SET phone = NULL, name = NULL WHERE id = 8;
UPDATE t x SET x.name = 'renamed', x.age = x.age + 1 WHERE x.card IN ('x', 'y');
DELETE FROM t WHERE phone = '556';
DELETE FROM t WHERE phone IS NULL AND id > 5;
SELECT * FROM t ORDER BY id;
-- a sharded table
SELECT * FROM u ORDER BY id;
SELECT id, phone FROM u WHERE id = 2;
SELECT id, phone FROM u WHERE phone = '13800002222' ORDER BY id;
SELECT phone, note FROM u WHERE id IN (1, 2, 3) AND phone IN ('13800001111', '13800002222') ORDER BY id;
SELECT COUNT(phone) FROM u;
UPDATE u SET phone = 'everywhere' WHERE id > 3;
-- args 'one', 1
UPDATE u SET phone = ? WHERE id = ?;
SELECT id, phone FROM u ORDER BY id DESC LIMIT 1, 3;
DELETE FROM u WHERE phone = 'everywhere' AND id = 4;
SELECT * FROM u ORDER BY id;
-- values by default
CREATE TABLE d (id INT PRIMARY KEY, c VARCHAR(99) CHARACTER SET utf8mb4 NOT NULL DEFAULT 'it''s' COMMENT 'x', n INT DEFAULT 7);
DESC d;
SHOW FULL COLUMNS FROM d;
SHOW CREATE TABLE d;
INSERT INTO d (id) VALUES (1);
INSERT INTO d VALUES (2, DEFAULT, DEFAULT), (3, '', 1);
ALTER TABLE d MODIFY c VARCHAR(120) DEFAULT '' NOT NULL;
INSERT INTO d (id) VALUES (4);
SELECT * FROM d ORDER BY id;
SELECT id FROM d WHERE c IN ('it''s', '') ORDER BY id;
DROP TABLE d;
-- definitions
SHOW COLUMNS FROM t;
SHOW FULL COLUMNS FROM t LIKE 'p%';
DESC t;
DESC t phone;
SHOW CREATE TABLE t;
SHOW COLUMNS FROM u;
ALTER TABLE t ADD COLUMN extra INT AFTER phone;
ALTER TABLE t MODIFY COLUMN phone VARCHAR(120);
SELECT * FROM t ORDER BY id;
DESC t;
CREATE INDEX two ON t (card);
SHOW CREATE TABLE t;
ALTER TABLE t DROP COLUMN extra;
TRUNCATE TABLE t;
DROP TABLE u;
DROP TABLE t;
