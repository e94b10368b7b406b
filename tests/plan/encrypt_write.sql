-- database: encrypted
INSERT INTO t_user (id, mobile, idCard) VALUES (1, '13800001111', '110101199003077758')
INSERT INTO t_user (id, mobile, idCard) VALUES (1, '13800001111', 'a'), (2, NULL, DEFAULT), (3, 1, -1.50)
INSERT INTO t_user VALUES (1, 'a', 'b', 'name', 3)
INSERT INTO t_user VALUES (?, ?, ?, 'x', ?), (2, 'm', ?, ?, 4) -- args: 1, 'mob', 'card', 33, 'card2', 'y'
INSERT INTO t_other VALUES (1, ?, 'b') -- args: 'x'
INSERT INTO t_user () VALUES ()
INSERT INTO t_user VALUES ()
INSERT INTO t_user (id, name) VALUES (1, 'x')
INSERT INTO t_user SET id = 1, mobile = '1', t_user.idCard = ?, name = 'x' -- args: 'c'
REPLACE INTO t_user (mobile, id) VALUES ('1', 2)
INSERT IGNORE INTO encrypted.t_user (`mobile`) VALUE ('1')
INSERT INTO t_user PARTITION (p0) VALUES (1, 'a', 'b', 'n', 2)
INSERT INTO t_plain VALUES (1, 'a', 2)
-- ON DUPLICATE KEY UPDATE.
INSERT INTO t_user (id, mobile) VALUES (1, '1') ON DUPLICATE KEY UPDATE mobile = VALUES(mobile), name = 'x', idCard = '2'
INSERT INTO t_user (id, mobile) VALUES (1, ?) AS n ON DUPLICATE KEY UPDATE mobile = n.mobile, name = n.name -- args: '7'
INSERT INTO t_user (id, mobile) VALUES (1, '1') ON DUPLICATE KEY UPDATE t_user.mobile = ?, age = age + 1 -- args: NULL
-- INSERT ... SELECT.
INSERT INTO t_user (id, idCard) SELECT id, idCard FROM t_card
INSERT INTO t_user (id, mobile, name) SELECT c.id, c.mobile, 'x' FROM t_card c WHERE c.mobile = '1'
INSERT INTO t_user SELECT id, mobile, idCard, 'x', 1 FROM t_card
INSERT INTO t_user SELECT * FROM (SELECT id, mobile, idCard, name, age FROM t_user) d
INSERT INTO t_plain (id, n) SELECT id, age FROM t_user WHERE mobile = '1'
INSERT INTO t_user (id, mobile, idCard) SELECT id, ? AS m, NULL FROM t_plain -- args: '1'
INSERT INTO t_user SELECT id, 'x', -1, phone, 3 FROM t_plain
INSERT INTO t_user (id, idCard) SELECT id, idCard FROM t_card UNION SELECT id, idCard FROM t_user
-- UPDATE and DELETE.
UPDATE t_user SET mobile = '1', name = 'x' WHERE mobile = '2' AND idCard = '3'
UPDATE t_user u SET u.mobile = ?, idCard = NULL WHERE id = ? -- args: 'x', 5
UPDATE t_user SET idCard = DEFAULT, mobile = DEFAULT
UPDATE t_user u JOIN t_card c ON u.id = c.user_id SET u.mobile = c.mobile, c.idCard = '1' WHERE c.mobile IN ('1')
INSERT INTO t_card (id, mobile) SELECT id, mobile FROM t_user u ON DUPLICATE KEY UPDATE mobile = '1'
UPDATE t_user SET mobile = mobile
UPDATE t_user SET name = 'x' ORDER BY id LIMIT 1
DELETE FROM t_user WHERE mobile = '1' OR idCard IN (?, ?) -- args: 'a', 'b'
DELETE u FROM t_user u JOIN t_card c ON u.mobile = c.mobile WHERE c.idCard = '1'
-- With a column in the clear.
INSERT INTO t_clear (id, phone) VALUES (1, ?), (2, 'x') -- args: 'p'
INSERT INTO t_clear VALUES (1, 'y')
UPDATE t_clear SET phone = 'z' WHERE phone LIKE 'y%'
DELETE FROM t_clear WHERE phone < '5' ORDER BY phone LIMIT 1
-- Refused.
INSERT INTO t_user (id, mobile) VALUES (1, CONCAT('1', '2'))
INSERT INTO t_user (id, mobile) VALUES (1, NOW())
INSERT INTO t_user (id, mobile) VALUES (1, (SELECT phone FROM t_plain))
INSERT INTO t_user VALUES (1, 'a')
INSERT INTO t_user (id, mobile) VALUES (1, '1') ON DUPLICATE KEY UPDATE mobile = VALUES(idCard)
INSERT INTO t_user (id, mobile) VALUES (1, '1') ON DUPLICATE KEY UPDATE name = VALUES(mobile)
INSERT INTO t_user (id, mobile) VALUES (1, '1') ON DUPLICATE KEY UPDATE name = CONCAT(VALUES(mobile), 'x')
INSERT INTO t_user (id, mobile) VALUES (1, '1') AS n (a, b) ON DUPLICATE KEY UPDATE mobile = b
INSERT INTO t_user (id, mobile) SELECT id, phone FROM t_plain
INSERT INTO t_user (id, mobile) SELECT id, mobile FROM t_other
INSERT INTO t_user (id, mobile) SELECT id, idCard FROM t_card
INSERT INTO t_user (id, mobile) SELECT d.id, d.mobile FROM (SELECT id, mobile FROM t_card) d
INSERT INTO t_user (id, mobile) SELECT id, mobile FROM t_card UNION SELECT id, mobile FROM t_user
INSERT INTO t_plain (id, phone) SELECT id, mobile FROM t_user
INSERT INTO t_user SELECT id, mobile, idCard FROM t_card
INSERT INTO t_other SELECT * FROM t_user
UPDATE t_user SET mobile = CONCAT('a', name)
UPDATE t_user SET mobile = name
UPDATE t_user SET mobile = idCard
UPDATE t_user SET name = mobile
UPDATE t_user SET name = UPPER(mobile)
UPDATE t_user SET mobile = (SELECT mobile FROM t_card LIMIT 1)
UPDATE t_user SET name = 'x' ORDER BY mobile LIMIT 1
DELETE FROM t_user WHERE mobile > '1'
DELETE FROM t_user ORDER BY idCard LIMIT 1
EXPLAIN INSERT INTO t_user (id, mobile) VALUES (1, '1')
EXPLAIN UPDATE t_user SET mobile = '1' WHERE mobile = '2'
INSERT INTO t_both TABLE t_plain
INSERT INTO t_user (id, mobile) VALUES ROW(1, 'x'), ROW(2, 'y')
UPDATE t_plain p, (SELECT mobile FROM t_user) d SET p.phone = d.mobile
INSERT INTO t_other WITH c AS (SELECT * FROM t_other) SELECT * FROM c
INSERT INTO t_other (SELECT * FROM t_other) UNION (SELECT * FROM t_other)
INSERT INTO t_user (id, mobile) SELECT id, '1' FROM t_plain UNION SELECT 1, '2'
INSERT INTO t_user (id, mobile) SELECT 1, 1 + NOW()
INSERT INTO t_user (id, mobile) SELECT id, mobile FROM t_card ORDER BY 1
INSERT INTO t_user (id, idCard) SELECT id, idCard FROM t_card ORDER BY 1
