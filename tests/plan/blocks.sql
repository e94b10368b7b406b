-- database: nodes
-- Bound tables are joined by one of their keys, wherever the condition stands.
SELECT o.note FROM t_order o JOIN t_item i ON i.order_id = o.order_id AND o.user_id = 1
SELECT o.note FROM t_order o, t_config c, t_item i WHERE o.order_id = c.k AND i.order_id = c.k
SELECT o.note FROM (t_order o, t_config c) JOIN t_item i USING (order_id)
SELECT o.note FROM t_order o STRAIGHT_JOIN t_item i ON o.order_id = i.order_id
SELECT o.note FROM t_order o NATURAL JOIN t_item i
SELECT o.note FROM t_item i RIGHT JOIN t_order o ON o.order_id = i.order_id WHERE o.user_id = 1 AND o.order_id = 2
SELECT o.note FROM t_order o LEFT JOIN (t_item i JOIN t_item j ON i.order_id = j.order_id) ON o.order_id = j.order_id
SELECT o.note FROM t_order o JOIN t_item i ON o.order_id = i.order_id AND i.n = 1 LEFT JOIN t_item j ON j.order_id = i.order_id
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.note = i.n WHERE o.order_id = i.order_id
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id AND i.order_id = 3 WHERE o.user_id = 1
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.note = i.n AND i.user_id = 1 AND i.order_id = 3 WHERE o.user_id = 1 AND o.order_id = 3
SELECT o.note FROM t_order o LEFT JOIN t_config c ON c.k = o.order_id LEFT JOIN t_item i ON o.order_id = i.order_id
-- Which rows are kept decides; so does which of them are NULL.
SELECT o.note FROM t_order o LEFT JOIN t_config c ON c.v = o.note LEFT JOIN t_item i ON c.k = i.order_id
SELECT o.note FROM t_order o LEFT JOIN t_config c ON c.v = o.user_id AND c.v = o.order_id LEFT JOIN t_item i ON i.order_id = o.user_id
SELECT o.note FROM t_config c LEFT JOIN t_order o ON c.k = o.order_id WHERE o.user_id > 3
SELECT o.note FROM t_config c LEFT JOIN t_order o ON c.k = o.order_id WHERE o.user_id > 3 OR o.note IS NULL
SELECT o.note FROM t_config c RIGHT JOIN t_order o ON c.k = o.order_id
SELECT o.note FROM t_order o RIGHT JOIN t_config c ON c.k = o.order_id
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.order_id <=> i.order_id
SELECT o.note FROM t_order o JOIN t_item i ON o.order_id = i.order_id + 0
SELECT o.note FROM t_order o JOIN t_item i ON NOT (o.order_id <> i.order_id)
SELECT o.note FROM t_order o JOIN t_item i ON o.order_id = i.order_id OR o.note = 'x'
SELECT o.note FROM t_order o JOIN t_item i
SELECT o.note FROM t_order o, t_config c LEFT JOIN t_item i ON c.k = i.order_id WHERE o.order_id = c.k
SELECT o.note FROM t_order o JOIN t_near n ON n.order_id = o.order_id
SELECT o.note FROM t_order o JOIN t_near n ON n.order_id = o.order_id WHERE o.user_id = 2
SELECT o.note FROM t_order o JOIN t_near n ON n.order_id = o.order_id WHERE o.user_id = 1
SELECT p.n FROM t_padded p JOIN t_near n ON n.id = p.id
SELECT n.id FROM t_near n LEFT JOIN t_padded p ON n.id = p.id
SELECT a.n FROM t_pair a JOIN t_pair b ON a.a = b.a AND a.b = b.b
SELECT a.n FROM t_pair a JOIN t_pair b ON a.a = b.a
SELECT a.n FROM t_hint a JOIN t_hint b ON a.id = b.id
SELECT a.n FROM t_none a JOIN t_none b ON a.id = b.id
-- Subqueries over broadcast tables, or tied by the keys to the row.
SELECT note FROM t_order WHERE order_id IN (SELECT k FROM t_config)
SELECT note FROM t_order WHERE order_id NOT IN (SELECT k FROM t_config WHERE v > 1)
SELECT note, (SELECT MAX(v) FROM t_config WHERE k = order_id) m FROM t_order ORDER BY m
SELECT note FROM t_order WHERE order_id > (SELECT k FROM t_config LIMIT 1)
SELECT note FROM t_order WHERE order_id > (SELECT k FROM t_config ORDER BY k LIMIT 1)
SELECT note FROM t_order WHERE EXISTS (SELECT 1 FROM t_config LIMIT 1)
SELECT note FROM t_order o WHERE EXISTS (SELECT 1 FROM t_item i WHERE i.order_id = o.order_id)
SELECT note FROM t_order o WHERE NOT EXISTS (SELECT 1 FROM t_item i WHERE i.order_id = o.order_id AND i.n > 1)
SELECT note, (SELECT COUNT(*) FROM t_item i WHERE i.order_id = o.order_id) FROM t_order o
SELECT note, (SELECT COUNT(*) FROM t_item i WHERE i.order_id = o.order_id) FROM t_order o WHERE o.user_id = 1 AND o.order_id = 2
SELECT note FROM t_order o WHERE EXISTS (SELECT 1 FROM t_item i WHERE i.n = o.note)
SELECT note FROM t_order o WHERE EXISTS (SELECT 1 FROM t_item o WHERE o.order_id = o.order_id)
SELECT note FROM t_order WHERE EXISTS (SELECT 1 FROM t_item i WHERE order_id = i.order_id)
SELECT note FROM t_order WHERE EXISTS (SELECT 1 FROM t_item WHERE t_item.order_id = t_order.order_id)
SELECT note FROM t_order o WHERE EXISTS (SELECT 1 FROM t_item i WHERE i.order_id = o.order_id OR i.n = 1)
SELECT note FROM t_order o WHERE order_id IN (SELECT order_id FROM t_item WHERE n > 1)
SELECT note FROM t_order o WHERE order_id = ANY (SELECT order_id FROM t_item WHERE n > 1)
SELECT note FROM t_order o WHERE order_id NOT IN (SELECT order_id FROM t_item)
SELECT note FROM t_order o WHERE note = 'x' OR order_id IN (SELECT order_id FROM t_item)
SELECT note FROM t_order o WHERE order_id IN (SELECT order_id FROM t_item GROUP BY order_id HAVING COUNT(*) > 1)
SELECT note FROM t_order o WHERE order_id IN (SELECT MAX(order_id) FROM t_item)
SELECT note FROM t_order o WHERE order_id IN (SELECT MAX(order_id) FROM t_item GROUP BY order_id)
SELECT note FROM t_order o WHERE order_id IN (SELECT n FROM t_item)
SELECT note FROM t_order o WHERE (user_id, order_id) IN (SELECT user_id, order_id FROM t_free)
SELECT note FROM t_order o WHERE (order_id, user_id) IN (SELECT user_id, order_id FROM t_free)
SELECT note FROM t_order o WHERE order_id IN (SELECT order_id FROM t_free)
SELECT note, order_id IN (SELECT order_id FROM t_item) FROM t_order o
SELECT note FROM t_order o WHERE order_id = (SELECT order_id FROM t_item)
SELECT note FROM t_order o WHERE order_id IN (SELECT order_id FROM t_item UNION SELECT order_id FROM t_item)
SELECT note FROM t_order o WHERE order_id IN ((SELECT order_id FROM t_item LIMIT 1))
SELECT note FROM t_order o WHERE EXISTS (SELECT 1 FROM t_config c WHERE EXISTS (SELECT 1 FROM t_item i WHERE i.order_id = o.order_id AND i.n = c.v))
SELECT note FROM t_order o WHERE EXISTS (SELECT 1 FROM t_config c WHERE c.k = o.order_id AND EXISTS (SELECT 1 FROM t_item i WHERE i.order_id = c.k))
SELECT note, (SELECT MAX(o.user_id)) FROM t_order o
SELECT note, (SELECT MAX(o.user_id) FROM t_config) FROM t_order o
SELECT note, (SELECT MAX(v) FROM t_config) FROM t_order o
SELECT k, (SELECT COUNT(*) FROM t_order WHERE order_id = k) FROM t_config
SELECT k FROM t_config WHERE k IN (SELECT order_id FROM t_order)
SELECT k FROM t_config WHERE k IN (SELECT order_id FROM t_order WHERE user_id = 1 AND order_id = 2)
SELECT note FROM t_order o WHERE user_id = 1 AND order_id = 2 AND EXISTS (SELECT 1 FROM t_item WHERE user_id = 1 AND order_id = 4)
SELECT note FROM t_order o WHERE user_id = 1 AND order_id = 2 AND EXISTS (SELECT 1 FROM t_item WHERE user_id = 2 AND order_id = 4)
SELECT note FROM t_order o WHERE user_id = 1 AND order_id = 2 AND EXISTS (SELECT 1 FROM t_item WHERE user_id = 2 AND user_id = 1)
SELECT note FROM t_order ORDER BY (SELECT MAX(v) FROM t_config)
SELECT note FROM t_order WHERE order_id IN (SELECT 1 FROM information_schema.tables)
-- Derived tables and common table expressions.
SELECT x.note FROM (SELECT note, order_id FROM t_order WHERE user_id = 1) x ORDER BY x.note LIMIT 3
SELECT * FROM (SELECT note, user_id u, order_id o FROM t_order) x WHERE x.u = 1 AND x.o = 2
SELECT * FROM (SELECT note, order_id, user_id FROM t_order) x (a, b, c) WHERE b = 2 AND c = 1
SELECT note, COUNT(*) FROM (SELECT note FROM t_order WHERE user_id > 3) x GROUP BY note
SELECT t_order.user_id FROM (SELECT t_order.user_id + 1, user_id FROM t_order) t_order
SELECT x.note, i.n FROM (SELECT note, order_id FROM t_order) x JOIN t_item i ON i.order_id = x.order_id
SELECT x.note, i.n FROM t_item i LEFT JOIN (SELECT note, order_id FROM t_order) x ON i.order_id = x.order_id
SELECT x.note, i.n FROM (SELECT note, order_id + 0 AS order_id FROM t_order) x JOIN t_item i ON i.order_id = x.order_id
SELECT x.note FROM (SELECT * FROM t_order) x JOIN (SELECT * FROM t_item) y USING (order_id)
SELECT o.note, c.v FROM t_order o JOIN (SELECT MAX(v) v FROM t_config) c
SELECT o.note, c.v FROM t_order o LEFT JOIN (SELECT k, v FROM t_config ORDER BY k LIMIT 2) c ON c.k = o.order_id
SELECT o.note, c.v FROM (SELECT 1 AS k, 2 AS v UNION ALL SELECT 2, 3) c JOIN t_order o ON c.k = o.order_id
SELECT o.note, c.v FROM (SELECT 1 AS k, 2 AS v) c LEFT JOIN t_order o ON c.k = o.order_id
SELECT x.n FROM (SELECT order_id, user_id, COUNT(*) n FROM t_item GROUP BY order_id, user_id) x
SELECT x.n FROM (SELECT order_id, user_id, COUNT(*) n FROM t_item GROUP BY order_id, user_id HAVING n > 1) x WHERE x.user_id = 1
SELECT x.n FROM (SELECT order_id, COUNT(*) n FROM t_item GROUP BY order_id) x
SELECT x.n FROM (SELECT order_id, user_id, COUNT(*) n FROM t_item GROUP BY order_id, user_id WITH ROLLUP) x
SELECT x.n FROM (SELECT COUNT(*) n FROM t_item) x
SELECT * FROM (SELECT DISTINCT order_id, user_id FROM t_item) x
SELECT * FROM (SELECT DISTINCT order_id FROM t_item) x
SELECT * FROM (SELECT * FROM t_item LIMIT 3) x
SELECT * FROM (SELECT * FROM t_item WHERE user_id = 1 AND order_id = 2 ORDER BY n LIMIT 3) x
SELECT * FROM (SELECT n, ROW_NUMBER() OVER (ORDER BY n) r FROM t_item) x
SELECT * FROM (SELECT order_id FROM t_order UNION ALL SELECT order_id FROM t_item) x
SELECT * FROM (SELECT order_id FROM t_order UNION SELECT order_id FROM t_item) x
SELECT * FROM (SELECT order_id, user_id FROM t_order UNION SELECT order_id, user_id FROM t_item) x
SELECT * FROM (SELECT order_id, user_id FROM t_order UNION SELECT user_id, order_id FROM t_item) x
SELECT * FROM (SELECT order_id, user_id FROM t_order UNION ALL SELECT order_id, user_id FROM t_item) x WHERE x.user_id = 1 AND x.order_id = 2
SELECT * FROM (SELECT order_id FROM t_order UNION ALL SELECT k FROM t_config) x
SELECT * FROM (SELECT order_id, user_id FROM t_order EXCEPT SELECT order_id, user_id FROM t_item) x
SELECT o.note FROM t_order o, LATERAL (SELECT MAX(n) m FROM t_item i WHERE i.order_id = o.order_id) x
SELECT o.note FROM t_order o, LATERAL (SELECT MAX(n) m FROM t_item i WHERE i.n = o.note) x
SELECT o.note FROM t_order o, JSON_TABLE('[1]', '$[*]' COLUMNS (x INT PATH '$')) j
WITH x AS (SELECT note, order_id FROM t_order) SELECT * FROM x WHERE note > 'a'
WITH x AS (SELECT note, order_id FROM t_order), y AS (SELECT * FROM x) SELECT y.note FROM x JOIN y ON x.order_id = y.order_id
WITH x AS (SELECT note, order_id FROM t_order), y AS (SELECT * FROM x) SELECT y.note FROM x JOIN y ON x.note = y.note
WITH x AS (SELECT MAX(k) m FROM t_config) SELECT o.note FROM t_order o, x WHERE o.order_id < x.m
WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 3) SELECT * FROM x JOIN t_order o ON o.order_id = x.n
WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 3) SELECT * FROM x JOIN t_order o ON o.order_id = x.n WHERE o.order_id = 1 AND o.user_id = 1
WITH x AS (SELECT 1 FROM t_order) SELECT k FROM t_config
SELECT * FROM (SELECT note FROM t_order) x JOIN (SELECT n FROM t_item) y
-- database: sharding_db
-- Equal values are on one node only where they are one value.
SELECT * FROM t_text a JOIN t_text b ON a.code = b.code
SELECT * FROM t_name a JOIN t_name b ON a.name = b.name
SELECT * FROM t_code a JOIN t_code b ON a.code = b.code
SELECT * FROM t_user u JOIN t_big b ON u.id = b.id
SELECT * FROM t_user u JOIN t_exact e ON u.id = e.id
SELECT * FROM t_days a JOIN t_dates b ON a.at = b.at
SELECT * FROM t_days a JOIN t_days b ON a.at = b.at
SELECT * FROM t_user u JOIN t_log l ON u.id = l.id
SELECT x.name FROM (SELECT DISTINCT name FROM t_name) x
SELECT x.code FROM (SELECT DISTINCT code FROM t_code) x
SELECT kind FROM (SELECT kind, score FROM t_user) x ORDER BY kind, score
SELECT age FROM (SELECT CONCAT(id) AS age FROM t_user) x ORDER BY age
-- database: nodes
-- Set operations: rows of all nodes one after the other, sorted, or equal ones once.
SELECT note FROM t_order WHERE user_id = 1 UNION ALL SELECT n FROM t_item WHERE user_id = 2
SELECT note FROM t_order UNION ALL SELECT n FROM t_item LIMIT 5
SELECT note FROM t_order UNION ALL SELECT n FROM t_item LIMIT 5, 10
SELECT note FROM t_order UNION ALL SELECT n FROM t_item ORDER BY note DESC LIMIT 3 OFFSET 2
SELECT order_id, note FROM t_order UNION ALL SELECT item_id, n FROM t_item ORDER BY 1, note
(SELECT order_id FROM t_order WHERE user_id = 1) UNION ALL (SELECT item_id FROM t_item WHERE user_id = 1) ORDER BY order_id LIMIT ? -- args: 7
SELECT note FROM t_order UNION SELECT n FROM t_item
SELECT order_id FROM t_order UNION SELECT item_id FROM t_item ORDER BY order_id DESC
SELECT order_id + 1, 'a', NULL FROM t_order UNION SELECT item_id, n, 1 FROM t_item
SELECT t_order.order_id + 1, t_order.note, note FROM t_order UNION SELECT item_id, n, 1 FROM t_item ORDER BY 1
SELECT * FROM t_free UNION SELECT user_id, order_id FROM t_order
SELECT order_id, user_id FROM t_order UNION SELECT order_id, user_id FROM t_item
SELECT user_id, order_id, note FROM t_order UNION SELECT user_id, order_id, n FROM t_item ORDER BY note
SELECT order_id, user_id FROM t_order INTERSECT SELECT order_id, user_id FROM t_item
SELECT order_id, user_id FROM t_order EXCEPT ALL SELECT order_id, user_id FROM t_item
SELECT order_id FROM t_order EXCEPT SELECT order_id FROM t_item
SELECT note FROM t_order UNION SELECT n FROM t_item UNION ALL SELECT note FROM t_order
SELECT note FROM t_order UNION ALL SELECT n FROM t_item UNION SELECT note FROM t_order
SELECT note FROM t_order UNION (SELECT n FROM t_item UNION ALL SELECT n FROM t_item)
SELECT note FROM t_order UNION ALL (SELECT n FROM t_item UNION SELECT n FROM t_item)
SELECT note FROM t_order UNION SELECT v FROM t_config
SELECT note FROM t_order UNION ALL SELECT v FROM t_config
SELECT note FROM t_order WHERE user_id = 1 AND order_id = 2 UNION ALL SELECT v FROM t_config
SELECT note FROM t_order WHERE user_id = 1 AND order_id = 2 UNION ALL SELECT n FROM t_item WHERE user_id = 1 AND order_id = 4
SELECT note FROM t_order WHERE user_id = 1 AND order_id = 2 UNION ALL SELECT n FROM t_item WHERE 1 = 0
SELECT note FROM t_order UNION ALL SELECT COUNT(*) FROM t_item
(SELECT note FROM t_order ORDER BY note LIMIT 1) UNION ALL (SELECT n FROM t_item)
SELECT note FROM t_order UNION ALL SELECT DISTINCT n FROM t_item
SELECT note FROM t_order UNION ALL SELECT n FROM t_item ORDER BY note + 1
SELECT note FROM t_order UNION ALL SELECT n FROM t_item ORDER BY t_order.note
SELECT note FROM t_order UNION ALL SELECT n FROM t_item ORDER BY 2
SELECT note a, note a FROM t_order UNION SELECT n, n FROM t_item
SELECT note FROM t_order UNION SELECT n FROM t_item FOR UPDATE
TABLE t_free UNION ALL TABLE t_free ORDER BY order_id
WITH x AS (SELECT note FROM t_order) SELECT * FROM x UNION SELECT note FROM x
(SELECT note FROM t_order) LIMIT 2
-- database: sharding_db
SELECT doc FROM t_user UNION SELECT doc FROM t_user
SELECT score, kind, created FROM t_user UNION SELECT score, kind, created FROM t_user ORDER BY score, kind, created
SELECT raw FROM t_user UNION SELECT raw FROM t_user
-- database: sharding_db
-- Groups that lie on one node each are rows like others.
SELECT id, COUNT(*) FROM t_user GROUP BY id HAVING COUNT(*) > 1
SELECT id, GROUP_CONCAT(name), COUNT(DISTINCT age) + 1 FROM t_user GROUP BY id, age ORDER BY 3 DESC, COUNT(*) LIMIT 2, 3
SELECT user_id u, MAX(amount) FROM t_order GROUP BY 1 ORDER BY MAX(amount) / 2
SELECT u.id, COUNT(o.id) c FROM t_user u LEFT JOIN t_order o ON u.id = o.user_id GROUP BY u.id HAVING c = 0
SELECT o.user_id, COUNT(*) FROM t_user u LEFT JOIN t_order o ON u.id = o.user_id GROUP BY o.user_id
SELECT id, COUNT(*) FROM t_user GROUP BY id + 0 HAVING COUNT(*) > 1
SELECT id, COUNT(*) FROM t_user GROUP BY id WITH ROLLUP
SELECT name, COUNT(*) FROM t_name GROUP BY name HAVING COUNT(*) > 1
SELECT code, COUNT(*) FROM t_code GROUP BY code HAVING COUNT(*) > 1
SELECT x.id, SUM(x.age) FROM (SELECT id, age FROM t_user UNION ALL SELECT user_id, id FROM t_order) x GROUP BY x.id HAVING SUM(x.age) > 3
SELECT DISTINCT COUNT(*) FROM t_user GROUP BY id
SELECT age AS id, COUNT(*) FROM t_user GROUP BY id HAVING COUNT(*) > 1
SELECT x.id, u.name FROM (SELECT id FROM t_user UNION ALL SELECT user_id FROM t_order) x JOIN t_user u ON u.id = x.id
-- database: nodes
SELECT note, (SELECT COUNT(*) FROM t_config c LEFT JOIN t_item i ON i.order_id = o.order_id AND i.n = c.k) FROM t_order o
SELECT note, (SELECT COUNT(*) FROM t_config c LEFT JOIN t_item i ON i.n = c.k) FROM t_order o
-- database: sharding_db
-- Conditions that exclude each other leave one node.
SELECT COUNT(*) FROM (SELECT id FROM t_user WHERE id = 6) x JOIN (SELECT user_id FROM t_order WHERE user_id = 7) y ON x.id = y.user_id
SELECT SUM(y.n) FROM (SELECT id FROM t_user WHERE id = 6) x JOIN (SELECT user_id, id AS n FROM t_order WHERE user_id IN (7, 8)) y ON x.id = y.user_id GROUP BY x.id
SELECT u.name FROM t_user u JOIN t_other s ON u.age = s.n WHERE u.id = 1 AND u.id = 2
SELECT o.n FROM (SELECT DISTINCT id, age FROM t_user WHERE id = 6) x RIGHT JOIN t_user u ON u.id = x.id RIGHT JOIN t_other o ON u.age = o.n WHERE x.id IN (2, 3)
-- database: nodes
SELECT note FROM t_order o WHERE order_id NOT IN (SELECT order_id FROM t_item WHERE n > 1) AND note IS NOT NULL
SELECT note FROM t_order o WHERE order_id NOT IN (SELECT i.order_id FROM t_order p LEFT JOIN t_item i ON i.order_id = p.order_id)
SELECT o.note FROM t_order o LEFT JOIN t_item i ON i.order_id = o.order_id WHERE i.order_id NOT IN (SELECT order_id FROM t_item)
SELECT c.v FROM t_config c LEFT JOIN t_order o ON o.order_id = c.k WHERE o.order_id NOT IN (SELECT k FROM t_config)
-- What stands in the parentheses of the first part is that part's own.
(SELECT k FROM t_config ORDER BY k LIMIT 2) UNION (SELECT n FROM t_item)
(SELECT note FROM t_order ORDER BY note) UNION (SELECT n FROM t_item) LIMIT 4
(SELECT note FROM t_order ORDER BY note LIMIT 2) UNION (SELECT n FROM t_item)
(SELECT note FROM t_order WHERE user_id = 1 AND order_id = 2 ORDER BY note LIMIT 2) UNION ALL SELECT 1
-- What a NULL of the outer join meets, denied or not.
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id AND o.order_id = 3 WHERE NOT (i.order_id <=> 7)
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id AND o.order_id = 3 WHERE i.order_id <=> 7
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id AND o.order_id = 3 WHERE NOT (NOT (i.order_id <=> 7))
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id AND o.order_id = 3 WHERE NOT (i.order_id <=> 7 OR i.n = 1)
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id AND o.order_id = 3 WHERE NOT (i.n <=> 7 AND i.n = 1)
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id AND o.order_id = 3 WHERE NOT (i.n IN (1, NULL))
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id AND o.order_id = 3 WHERE NOT (i.n = 7)
-- What each server makes up is not the same on every node.
SELECT o.note, d.r FROM t_order o, (SELECT RAND() r) d
SELECT note FROM t_order UNION SELECT UUID()
SELECT note, RAND() FROM t_order
SELECT v FROM t_config UNION SELECT UUID()
