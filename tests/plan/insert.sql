-- database: sharding_db
INSERT INTO t_user (id, name) VALUES (1, 'a')
INSERT INTO t_user (name, id) VALUES ('a', 1), ('b', 11)
INSERT INTO t_user (id, name) VALUES (1, 'a'), (2, 'b'), (11, 'c'), (2, 'd')
INSERT INTO t_user (id, name) VALUES (?, ?), (?, 'b'), (?, ?) -- args: 1, 'a', 2, 11, 'c'
INSERT INTO `sharding_db`.`t_user` (`id`) VALUES (3)
INSERT INTO t_order VALUES (1, 2, 3.5), (1, 3, 4.5)
INSERT INTO t_order VALUES (1, 2)
INSERT INTO t_order (id, user_id) VALUES (1, 2), (1)
INSERT INTO t_user SET id = 4, name = 'x'
INSERT INTO t_user SET name = 'x'
INSERT INTO t_user (name) VALUES ('a')
INSERT INTO t_user () VALUES ()
REPLACE INTO t_user (id, name) VALUES (5, 'x'), (6, 'y')
INSERT IGNORE INTO t_user (id) VALUES (5)
INSERT INTO t_user (id, name) VALUES (1, 'a'), (2, 'b') ON DUPLICATE KEY UPDATE name = VALUES(name)
INSERT INTO t_user (id, name) VALUES (1, 'a') ON DUPLICATE KEY UPDATE id = VALUES(id)
INSERT INTO t_user (id, name) VALUES (1, 'a') ON DUPLICATE KEY UPDATE id = 1
INSERT INTO t_user (id, name) VALUES (1, 'a') ON DUPLICATE KEY UPDATE id = 2
INSERT INTO t_user (id, name) VALUES (1, 'a') ON DUPLICATE KEY UPDATE id = id + 1
INSERT INTO t_user (id, name) VALUES (1, 'a') ON DUPLICATE KEY UPDATE id = VALUES(age)
INSERT INTO t_user (id, name) VALUES (1, 'a') AS new ON DUPLICATE KEY UPDATE name = new.name
INSERT INTO t_user (id, name) VALUES (1, 'a') ON DUPLICATE KEY UPDATE t_user.name = CONCAT(t_user.name, 'x')
INSERT INTO t_user (id) SELECT id FROM t_single
INSERT INTO t_user (id) SELECT id FROM t_user
INSERT INTO t_near (id) SELECT id FROM t_user WHERE id = 1
INSERT INTO t_near (id) SELECT id FROM t_user WHERE id = 2
INSERT INTO t_near (id) SELECT id FROM t_user
INSERT INTO t_one (id) SELECT id FROM t_single
INSERT INTO t_user (id, age) VALUES (1, (SELECT MAX(n) FROM t_single))
INSERT INTO t_new (id) VALUES (1)
INSERT INTO t_user (id, name) VALUES (1, @x), (2, @x)
INSERT INTO t_user (id, name) VALUES (1, 'a'), (2, 'b'); -- tail
