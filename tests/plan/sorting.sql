-- database: sharding_db
SELECT id, age FROM t_user ORDER BY age + id, LENGTH(name) DESC, id
SELECT age AS k, id FROM t_user ORDER BY k * 2, id
SELECT -age AS age, id FROM t_user ORDER BY age, id
SELECT -age AS age, id FROM t_user ORDER BY age + 0
SELECT COUNT(*) AS c, age FROM t_user GROUP BY age ORDER BY c + 1
SELECT UPPER(name) AS up FROM t_user ORDER BY CONCAT(up, 'x')
SELECT * FROM t_user ORDER BY 2, 5 DESC
SELECT * FROM t_user ORDER BY 10
SELECT * FROM t_user ORDER BY 12
SELECT id FROM t_user ORDER BY 0
SELECT age, t_user.* FROM t_user ORDER BY 3
SELECT *, age + 1 AS k FROM t_user ORDER BY k
SELECT id FROM t_user ORDER BY 'x', 1 + 1, NULL LIMIT 3
SELECT id FROM t_user ORDER BY RAND() LIMIT 3
SELECT id FROM t_user ORDER BY IFNULL(score, 0)
SELECT id FROM t_user ORDER BY (name)
SELECT id FROM t_user ORDER BY name COLLATE utf8mb4_bin
SELECT id FROM t_user ORDER BY doc->'$.a'
SELECT id FROM t_user ORDER BY id LIMIT 0
SELECT id FROM t_user ORDER BY id LIMIT 5, 0
SELECT id FROM t_user ORDER BY id LIMIT 18446744073709551615, 18446744073709551615
SELECT id FROM t_user ORDER BY id LIMIT 18446744073709551616
SELECT id FROM t_user ORDER BY id LIMIT ?, ? -- args: 9223372036854775807, 9223372036854775807
SELECT age, COUNT(*) AS c FROM t_user GROUP BY age ORDER BY c LIMIT 0
SELECT age, COUNT(*) AS c FROM t_user GROUP BY age ORDER BY c LIMIT ? -- args: 3
SELECT DISTINCT age, name FROM t_user ORDER BY age + 1, name LIMIT 3
SELECT DISTINCT age + 1 FROM t_user ORDER BY age + 1
SELECT DISTINCT age + 1 FROM t_user ORDER BY age + 2
SELECT DISTINCT age AS k FROM t_user ORDER BY -k
SELECT DISTINCT age FROM t_user ORDER BY NULL
SELECT DISTINCT age FROM t_user ORDER BY age + id
SELECT DISTINCT * FROM t_text
SELECT DISTINCT *, n + 1 AS k FROM t_text ORDER BY k
SELECT DISTINCT t_text.* FROM t_text ORDER BY 2 DESC LIMIT 3
SELECT SQL_CALC_FOUND_ROWS id FROM t_user ORDER BY age LIMIT 5, 10
SELECT SQL_CALC_FOUND_ROWS DISTINCT age FROM t_user LIMIT 2
SELECT age + 1 AS k, COUNT(*) FROM t_user GROUP BY k + 1, k
SELECT MAX(id) AS age, COUNT(*) FROM t_user GROUP BY age ORDER BY 2
SELECT MAX(id) AS kind, kind AS other FROM t_user GROUP BY kind
SELECT DATE_FORMAT(created, '%Y') AS y, COUNT(*) FROM t_user GROUP BY DATE_FORMAT(created, '%Y') ORDER BY y
SELECT age, COUNT(*) FROM t_user WHERE age = 5
SELECT name, age + 1, MAX(id), 'x' FROM t_user WHERE age = 5
SELECT *, COUNT(*) FROM t_user
SELECT age FROM t_user ORDER BY COUNT(*)
-- database: nodes
SELECT o.order_id, i.order_id FROM t_order o JOIN t_item i ON o.order_id = i.order_id ORDER BY i.order_id
SELECT o.order_id, i.n FROM t_order o JOIN t_item i ON o.order_id = i.order_id ORDER BY i.order_id, n
SELECT o.order_id AS n, i.order_id AS k FROM t_order o JOIN t_item i ON o.order_id = i.order_id ORDER BY i.n, k
SELECT o.*, i.n AS k FROM t_order o JOIN t_item i ON o.order_id = i.order_id ORDER BY 2, k
SELECT DISTINCT i.* FROM t_order o JOIN t_item i ON o.order_id = i.order_id ORDER BY 1
SELECT i.n FROM t_order JOIN t_item i ON t_order.order_id = i.order_id ORDER BY t_order.note, i.order_id
-- database: sharding_db
SELECT id FROM t_user ORDER BY doc DESC
SELECT doc->'$.a' AS k FROM t_user ORDER BY k, id
SELECT age, MAX(score) AS m FROM t_user GROUP BY age ORDER BY m DESC, 1
SELECT age, MIN(kind) AS m FROM t_user GROUP BY age ORDER BY m
SELECT id, MIN(doc) FROM t_user GROUP BY id
SELECT doc->'$.a', COUNT(*) FROM t_user GROUP BY doc->'$.a'
SELECT DISTINCT doc FROM t_user
SELECT id, score / 7 AS k FROM t_user ORDER BY k DESC, age / 3
