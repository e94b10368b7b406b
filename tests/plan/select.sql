-- database: sharding_db
SELECT * FROM t_user WHERE id = 42
SELECT * FROM t_user WHERE id = ? -- args: 42
SELECT * FROM t_user WHERE 42 = id
SELECT name FROM `t_user` WHERE `id` = 7
SELECT name FROM sharding_db.t_user WHERE sharding_db.t_user.id = 7
SELECT name FROM sharding_db.`t_user` AS u WHERE u.id = 7
SELECT name FROM T_User WHERE ID = 7
SELECT t_user.id, t_user.id + 1, COUNT(t_user.id), 't_user.id' FROM t_user WHERE t_user.id = 7
SELECT u.id + 1 FROM t_user u WHERE u.id = 7
SELECT * FROM t_user WHERE id = 7 ORDER BY t_user.name LIMIT 5, 10
SELECT * FROM t_user WHERE id = 7 AND name = 'x' OR id = 7 AND age > 3
SELECT * FROM t_user WHERE id IN (7, 17, 27)
SELECT id FROM t_user WHERE id IN (1, 12)
SELECT id FROM t_user WHERE id IN (?, ?) -- args: 1, 12
SELECT id FROM t_user WHERE id = 1 OR id = 2
SELECT id FROM t_user WHERE id = 1 OR name = 'x'
SELECT id FROM t_user WHERE id = 1 AND id = 2
SELECT id FROM t_user WHERE (id = 1 OR id = 2) AND (id = 2 OR id = 3)
SELECT id FROM t_user WHERE id BETWEEN 3 AND 5
SELECT id FROM t_user WHERE id BETWEEN 3 AND 12
SELECT id FROM t_user WHERE id BETWEEN 5 AND 3
SELECT id FROM t_user WHERE id >= 3 AND id < 5
SELECT id FROM t_user WHERE 3 <= id AND 5 > id AND name = 'x'
SELECT id FROM t_user WHERE id > 3
SELECT id FROM t_user WHERE id NOT IN (1, 2)
SELECT id FROM t_user WHERE id NOT BETWEEN 1 AND 2
SELECT id FROM t_user WHERE NOT id = 1
SELECT id FROM t_user WHERE id <> 1
SELECT id FROM t_user WHERE id = 1 + 1
SELECT id FROM t_user WHERE id = -1
SELECT id FROM t_user WHERE id = 2 * 3 - 1
SELECT id FROM t_user WHERE id = age
SELECT id FROM t_user WHERE id + 1 = 5
SELECT id FROM t_user WHERE id = FLOOR(1)
SELECT id FROM t_user WHERE id IN (1, FLOOR(2))
SELECT id FROM t_user WHERE id = NULL
SELECT id FROM t_user WHERE id IN (1, NULL)
SELECT id FROM t_user WHERE id IS NULL
SELECT id FROM t_user WHERE id <=> 3
SELECT id FROM t_user
SELECT id FROM t_user LIMIT 10
SELECT id FROM t_user LIMIT 5, 10
SELECT id FROM t_user LIMIT 10 OFFSET 5
SELECT id FROM t_user LIMIT ?, ? -- args: 5, 10
SELECT id FROM t_user LIMIT ? OFFSET 5 -- args: 10
SELECT id FROM t_user WHERE age = ? LIMIT ? -- args: 3, 10
SELECT id FROM t_user LIMIT 18446744073709551615 OFFSET 5
SELECT id FROM t_user LIMIT ? -- args: -1
SELECT id FROM t_user WHERE age > 5 FOR UPDATE
SELECT id FROM t_user;
SELECT id FROM t_user -- tail
SELECT /* t_user */ id FROM t_user WHERE id = 3
SELECT SQL_CALC_FOUND_ROWS id FROM t_user
SELECT id FROM t_user INTO OUTFILE 'x'
SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM t_user
SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM t_user WHERE id = 3
SELECT id FROM t_user UNION SELECT id FROM t_user
SELECT id FROM t_user WHERE id = 3 UNION ALL SELECT id FROM t_user WHERE id = 3
WITH x AS (SELECT id FROM t_user) SELECT * FROM x
SELECT * FROM (SELECT id FROM t_user) x
SELECT id FROM t_user WHERE age = (SELECT MAX(n) FROM t_single)
SELECT id FROM t_user WHERE id = 1 AND age = (SELECT MAX(n) FROM t_single)
SELECT id FROM t_user WHERE id = 2 AND age = (SELECT MAX(n) FROM t_single)
SELECT id FROM t_single WHERE id IN (SELECT id FROM t_user WHERE id = 1)
SELECT (SELECT MAX(id) FROM t_user)
SELECT LAST_INSERT_ID(), id FROM t_user
SELECT @x := id FROM t_user
SELECT id FROM t_one WHERE n > 5 ORDER BY n
SELECT n FROM t_one JOIN t_single USING (id)
SELECT id FROM t_new WHERE id = 1
