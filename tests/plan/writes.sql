-- database: sharding_db
-- A row stays where it is.
UPDATE t_user SET id = 15 WHERE id = 5
UPDATE t_user SET id = 16 WHERE id = 5
UPDATE t_user SET id = 5 WHERE id IN (5, 15)
UPDATE t_user SET id = 5 WHERE id IN (5, 6)
UPDATE t_user SET id = ? WHERE id = ? -- args: 25, 5
UPDATE t_user SET id = ? WHERE id = ? -- args: 26, 5
UPDATE t_user SET id = id, age = 1
UPDATE t_user SET t_user.id = t_user.id WHERE age = 1
UPDATE t_user u SET u.id = u.id WHERE age = 1
UPDATE t_user SET id = age WHERE id = 5
UPDATE t_user SET id = DEFAULT WHERE id = 5
UPDATE t_user SET id = 5, id = 5 WHERE id = 5
UPDATE t_auto SET id = 0 WHERE id = 4
INSERT INTO t_user (id) VALUES (1) ON DUPLICATE KEY UPDATE id = id
INSERT INTO t_user (id) VALUES (1) ON DUPLICATE KEY UPDATE t_user.id = t_user.id
INSERT INTO t_user (id) VALUES (1) ON DUPLICATE KEY UPDATE id = 11
INSERT INTO t_user (id) VALUES (1), (12) ON DUPLICATE KEY UPDATE id = 11
INSERT INTO t_user (id, age) VALUES (1, 2), (12, 3) AS new ON DUPLICATE KEY UPDATE id = new.id, age = new.age
INSERT INTO t_user (id, age) VALUES (1, 2), (12, 3) AS new(a, b) ON DUPLICATE KEY UPDATE id = a, age = b
INSERT INTO t_user (id, age) VALUES (1, 2) AS new(a, b) ON DUPLICATE KEY UPDATE id = b
-- Order, and how many.
UPDATE t_user SET age = age + 1 ORDER BY age DESC
DELETE FROM t_user ORDER BY age
DELETE FROM t_user ORDER BY age LIMIT 1
UPDATE t_user SET age = 1 WHERE id IN (5, 15) ORDER BY age LIMIT 1
-- Forms of INSERT.
INSERT INTO t_user VALUES ROW(1, 'a', 'b', 'c', 1, 1, 1, 'k', NULL, NULL, NULL), ROW(2, 'a', 'b', 'c', 1, 1, 1, 'k', NULL, NULL, NULL)
INSERT LOW_PRIORITY INTO t_user PARTITION (p0) (id) VALUES (1), (2)
INSERT DELAYED INTO t_user (id) VALUES (1), (2)
INSERT INTO t_user (id, age) VALUES (DEFAULT, 1)
INSERT INTO t_user (id, age) VALUES (1, DEFAULT), (2, DEFAULT(age))
INSERT INTO t_user () VALUES ()
INSERT INTO t_user VALUES ()
REPLACE t_user SET id = 3, age = DEFAULT
INSERT INTO t_user (id, age) VALUES (1, (SELECT MAX(n) FROM t_single)), (11, 2)
INSERT INTO t_user (id, age) VALUES (1, (SELECT MAX(n) FROM t_single)), (2, 2)
INSERT INTO t_user (id, age) VALUES (1, (SELECT MAX(n) FROM t_other))
INSERT INTO t_user (id, age) VALUES (1, (SELECT MAX(age) FROM t_user u WHERE u.id = 1))
-- INSERT ... SELECT that keeps the keys.
INSERT INTO t_user SELECT * FROM t_user WHERE id IN (1, 2)
INSERT INTO t_user (id, name) SELECT u.id, u.name FROM t_user u WHERE u.age > 3 ORDER BY u.age
REPLACE INTO t_user (name, id) SELECT name, id FROM t_user WHERE id = 5
INSERT INTO t_user TABLE t_user
INSERT INTO t_user (id) SELECT user_id FROM t_order
INSERT INTO t_user (id, age) SELECT DISTINCT id, age FROM t_user
INSERT INTO t_user (id, age) SELECT id, MAX(age) FROM t_user GROUP BY id
INSERT INTO t_user (id, age) SELECT MAX(id), age FROM t_user GROUP BY age
INSERT INTO t_user (id, age) SELECT id, COUNT(*) FROM t_user
INSERT INTO t_user (id) SELECT id FROM t_user LIMIT 3
INSERT INTO t_user (id) SELECT id + 1 FROM t_user
INSERT INTO t_user (id) SELECT age FROM t_user
INSERT INTO t_user (id) SELECT age FROM t_user WHERE id = 1
INSERT INTO t_user (id, age) SELECT id, age FROM t_user UNION ALL SELECT id, 1 FROM t_user
INSERT INTO t_user (id, age) SELECT id, age FROM t_user UNION SELECT id, 1 FROM t_user
INSERT INTO t_user (id, age) SELECT id, age FROM t_user UNION ALL SELECT age, id FROM t_user
INSERT INTO t_user (id, age) SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM t_user
INSERT INTO t_user (id, age) SELECT x.id, x.age FROM (SELECT id, age FROM t_user) x
INSERT INTO t_user (id, age) SELECT id, @x FROM t_user
INSERT INTO t_user (id, age) (SELECT id, age FROM t_user)
INSERT INTO t_big (id) SELECT id FROM t_user
INSERT INTO t_auto (id) SELECT id FROM t_auto
INSERT INTO t_user (id) SELECT id FROM t_user ON DUPLICATE KEY UPDATE id = VALUES(id), age = VALUES(age)
INSERT INTO t_user (id) SELECT id FROM t_user x ON DUPLICATE KEY UPDATE id = 5
INSERT INTO t_user (id) SELECT id FROM t_user x ON DUPLICATE KEY UPDATE id = x.age
-- INSERT ... SELECT with a constant key.
INSERT INTO t_user (id, age) SELECT 5, n FROM t_near
INSERT INTO t_user (id, age) SELECT 1, user_id FROM t_near
INSERT INTO t_user (id, age) SELECT 15, age FROM t_user WHERE id = 5
INSERT INTO t_user (id, age) SELECT 16, age FROM t_user WHERE id = 5
INSERT INTO t_user (id, age) SELECT 5, 6
INSERT INTO t_user (id, age) SELECT ?, age FROM t_user WHERE id = ? -- args: 15, 5
INSERT INTO t_user (id, age) SELECT NULL, 6
INSERT INTO t_user (age, id) SELECT t.*, 5 FROM t_single t
-- INSERT ... SELECT out of shards.
INSERT INTO t_near (id, user_id) SELECT id, age FROM t_user WHERE id IN (1, 5)
INSERT INTO t_near (id, user_id) SELECT id, age FROM t_user WHERE id IN (1, 2)
INSERT INTO t_near (id, user_id) SELECT id, n FROM t_one
INSERT INTO t_single (id) SELECT DISTINCT age FROM t_user WHERE id IN (1, 5)
INSERT INTO t_single (id) SELECT u.age FROM t_user u, t_single s WHERE u.id IN (1, 5)
INSERT INTO t_single (id) SELECT SUM(age) FROM t_user WHERE id IN (1, 5)
-- Several tables.
UPDATE t_user u, t_order o SET u.age = o.amount WHERE u.id = o.user_id
UPDATE t_user u JOIN t_order o ON u.id = o.user_id SET u.age = 1, o.amount = 2
UPDATE t_user u JOIN t_order o ON u.id = o.id SET u.age = 1
UPDATE t_user u JOIN t_order o ON u.id = o.id SET u.age = 1 WHERE u.id = 5 AND o.user_id = 5
UPDATE t_user u JOIN t_order o ON u.id = o.user_id SET u.id = o.user_id
UPDATE t_user u JOIN t_order o ON u.id = o.user_id SET o.user_id = o.user_id
UPDATE t_user u LEFT JOIN t_order o ON u.id = o.user_id SET u.age = 0 WHERE o.id IS NULL
UPDATE t_user u JOIN t_single s ON u.id = s.id SET u.age = s.n WHERE u.id = 1
UPDATE t_user u JOIN t_single s ON u.id = s.id SET s.n = u.age WHERE u.id = 1
UPDATE t_user u JOIN t_single s ON u.id = s.id SET s.n = u.age WHERE u.id IN (1, 5)
UPDATE t_user u JOIN t_single s ON u.id = s.id SET u.age = s.n WHERE u.id IN (1, 5)
UPDATE t_user u JOIN t_single s ON u.id = s.id SET u.age = s.n
DELETE u, o FROM t_user u JOIN t_order o ON u.id = o.user_id WHERE u.age > 3
DELETE FROM t_user, t_order USING t_user JOIN t_order ON t_user.id = t_order.user_id
DELETE FROM u USING t_user AS u LEFT JOIN t_order AS o ON u.id = o.user_id WHERE o.id IS NULL
DELETE t_user FROM t_user JOIN t_order ON t_user.id = t_order.id
DELETE t_user.* FROM t_user WHERE id = 5
-- Subqueries.
UPDATE t_user SET age = 1 WHERE EXISTS (SELECT 1 FROM t_order o WHERE o.user_id = t_user.id)
DELETE FROM t_user WHERE id IN (SELECT user_id FROM t_order WHERE amount > 3)
DELETE FROM t_user WHERE age IN (SELECT user_id FROM t_order)
DELETE FROM t_single WHERE id IN (SELECT id FROM t_user WHERE id IN (1, 5))
-- database: nodes
-- Broadcast tables are read anywhere and changed everywhere.
UPDATE t_order o JOIN t_config c ON c.k = o.order_id SET o.note = c.v
UPDATE t_order o JOIN t_config c ON c.k = o.order_id SET c.v = 1
UPDATE t_order o JOIN t_config c ON c.k = o.order_id SET v = 1
UPDATE t_order o JOIN t_config c ON c.k = o.order_id SET note = 'x' WHERE o.user_id = 1
DELETE o FROM t_order o JOIN t_config c ON c.k = o.order_id WHERE c.v = 3
DELETE c FROM t_order o JOIN t_config c ON c.k = o.order_id
DELETE FROM t_order WHERE order_id IN (SELECT k FROM t_config)
DELETE FROM t_config WHERE k IN (SELECT order_id FROM t_order)
DELETE FROM t_config WHERE k IN (SELECT order_id FROM t_order WHERE user_id = 1 AND order_id = 1)
UPDATE t_order SET note = (SELECT v FROM t_config WHERE k = 1)
INSERT INTO t_order (order_id, user_id, note) VALUES (1, 1, (SELECT v FROM t_config WHERE k = 1)), (2, 2, 'x')
INSERT INTO t_order (order_id, user_id, note) SELECT k, v, 'x' FROM t_config
INSERT INTO t_order (order_id, user_id, note) SELECT 1, 1, v FROM t_config
INSERT INTO t_order (order_id, user_id, note) SELECT o.order_id, o.user_id, c.v FROM t_order o JOIN t_config c ON c.k = o.order_id
INSERT INTO t_item (order_id, user_id) SELECT order_id, user_id FROM t_order
INSERT INTO t_item (order_id, user_id) SELECT order_id, user_id FROM t_order WHERE user_id = 1
INSERT INTO t_config SELECT order_id, user_id FROM t_order WHERE user_id = 1 AND order_id = 1
UPDATE t_far f JOIN t_config c ON f.id = c.k SET f.id = 1
UPDATE t_far f JOIN t_config c ON f.id = c.k SET c.v = 1
UPDATE t_config c JOIN t_region r ON c.k = r.k SET c.v = r.v
DELETE f FROM t_far f JOIN t_config c ON f.id = c.k
DELETE c FROM t_config c JOIN t_region r ON c.k = r.k
-- Which rows a LIMIT takes each server decides by itself.
DELETE FROM t_config LIMIT 1
DELETE FROM t_config ORDER BY k LIMIT 1
UPDATE t_config SET v = 1 LIMIT 3
UPDATE t_config SET v = (SELECT v FROM t_region LIMIT 1)
UPDATE t_config SET v = (SELECT v FROM t_region ORDER BY k LIMIT 1)
INSERT INTO t_config SELECT k, v FROM t_region LIMIT 2
INSERT INTO t_config SELECT k, v FROM t_region ORDER BY k LIMIT 2
-- database: both
-- Encrypted columns besides.
INSERT INTO t_user SELECT * FROM t_user
INSERT INTO t_user (id, mobile) SELECT id, mobile FROM t_user WHERE id IN (1, 2)
INSERT INTO t_user (id, mobile) SELECT id, 'x' FROM t_user
INSERT INTO t_card (id, mobile) SELECT id, mobile FROM t_user
UPDATE t_user u JOIN t_card c ON u.id = c.id SET u.mobile = 'x' WHERE c.mobile = 'y'
UPDATE t_user SET idCard = 'x' WHERE id IN (SELECT id FROM t_card WHERE mobile = 'y')
DELETE u FROM t_user u JOIN t_card c ON u.id = c.id WHERE u.mobile = 'x'
INSERT INTO t_user (id, mobile) VALUES (1, 'a'), (2, 'b') AS n ON DUPLICATE KEY UPDATE mobile = n.mobile
INSERT INTO t_user (id, mobile) VALUES (1, 'a'), (2, 'b') AS n(x, y) ON DUPLICATE KEY UPDATE mobile = y
