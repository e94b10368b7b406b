-- database: sharding_db
UPDATE t_user SET name = 'x' WHERE id = 5
UPDATE t_user SET name = 'x' WHERE id IN (5, 6)
UPDATE t_user SET age = age + 1
UPDATE t_user SET t_user.age = t_user.age + 1 WHERE t_user.id = 5
UPDATE t_user u SET u.age = 1 WHERE u.id = 5
UPDATE t_user SET age = ? WHERE id = ? -- args: 3, 5
UPDATE t_user SET id = 5 WHERE id = 5
UPDATE t_user SET id = ? WHERE id = ? -- args: 5, 5
UPDATE t_user SET id = 6 WHERE id = 5
UPDATE t_user SET id = 15 WHERE id = 5
UPDATE t_user SET id = id + 1 WHERE id = 5
UPDATE t_user SET id = 5
UPDATE t_user SET id = 5 WHERE id IN (5)
UPDATE t_user SET age = 1 LIMIT 5
UPDATE t_user SET age = 1 ORDER BY id
UPDATE t_user SET age = 1 WHERE id = 5 ORDER BY id LIMIT 5
UPDATE t_user SET age = 1 WHERE id = NULL
UPDATE t_user u JOIN t_order o ON u.id = o.user_id SET u.age = 1 WHERE u.id = 5
UPDATE t_user SET age = (SELECT MAX(n) FROM t_single)
UPDATE t_user SET age = (SELECT MAX(n) FROM t_single) WHERE id = 1
UPDATE t_user SET age = (SELECT MAX(n) FROM t_single) WHERE id = 2
UPDATE t_single SET n = 1 WHERE id IN (SELECT id FROM t_user WHERE id = 1)
UPDATE t_user SET age = @x
UPDATE t_user SET age = @x WHERE id = 5
DELETE FROM t_user WHERE id = 5
DELETE FROM t_user WHERE id = 5 OR id = 6
DELETE FROM t_user
DELETE FROM t_user WHERE age > 5 LIMIT 3
DELETE FROM t_user WHERE id = 5 ORDER BY age LIMIT 3
DELETE u FROM t_user u JOIN t_order o ON u.id = o.user_id
DELETE FROM t_user WHERE age IN (SELECT n FROM t_single)
