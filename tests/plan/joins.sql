-- database: sharding_db
SELECT * FROM t_user u JOIN t_order o ON u.id = o.user_id WHERE u.id = 5
SELECT * FROM t_user u, t_order o WHERE u.id = o.user_id AND o.user_id = 5
SELECT * FROM t_user JOIN t_order ON t_user.id = t_order.user_id WHERE t_user.id = 5
SELECT * FROM t_user u JOIN t_order o ON u.id = o.user_id
SELECT * FROM t_user u JOIN t_order o ON u.age = o.id WHERE u.id = 5
SELECT * FROM t_user u, t_order o WHERE u.id = 5 AND o.user_id = 15
SELECT * FROM t_user u, t_order o WHERE u.id = 5 AND o.user_id = 6
SELECT * FROM t_user u LEFT JOIN t_order o ON u.id = o.user_id WHERE u.id = 5
SELECT * FROM t_user u LEFT JOIN t_order o ON u.id = o.user_id WHERE u.id = 5 AND o.user_id = 5
SELECT * FROM t_user a JOIN t_user b ON a.id = b.id WHERE a.id = 5
SELECT * FROM t_user u JOIN t_log l ON u.id = l.id WHERE u.id = 5
SELECT * FROM t_user u JOIN t_single s ON u.age = s.n WHERE u.id = 1
SELECT * FROM t_user u JOIN t_single s ON u.age = s.n WHERE u.id = 2
SELECT * FROM t_user u JOIN t_single s ON u.age = s.n
SELECT * FROM t_user JOIN t_single ON t_user.age = t_single.n WHERE id = 1
SELECT * FROM t_user JOIN t_single ON t_user.age = t_single.n WHERE age = 1 AND name = 'x' AND t_user.id = 5
SELECT * FROM t_user u, information_schema.tables t WHERE u.id = 5
SELECT * FROM t_user u JOIN t_order o ON u.id = o.user_id WHERE u.id = 5 AND u.id = 6
