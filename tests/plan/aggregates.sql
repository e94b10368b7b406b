-- database: sharding_db
SELECT COUNT(*) FROM t_user
SELECT COUNT(*), 1, 'x' FROM t_user
SELECT COUNT(id), SUM(age), MIN(age), MAX(age), AVG(age) FROM t_user
SELECT COUNT(t_user.id) FROM t_user
SELECT MAX(name) FROM t_user
SELECT MIN(kind), MAX(note) FROM t_user
SELECT MAX(age + 1) FROM t_user
SELECT MAX(doc) FROM t_user
SELECT AVG(t_user.age) AS a FROM t_user
SELECT COUNT(*) FROM t_user LIMIT 1
SELECT COUNT(*) FROM t_user WHERE id = 3
SELECT SUM(k) FROM t_user WHERE id BETWEEN 1 AND 2
SELECT age, COUNT(*) FROM t_user GROUP BY age
SELECT age, COUNT(*) FROM t_user GROUP BY age LIMIT 5, 5
SELECT COUNT(*) FROM t_user GROUP BY age
SELECT age, COUNT(*) FROM t_user GROUP BY age ORDER BY age DESC LIMIT 3
SELECT age, COUNT(*) FROM t_user GROUP BY age ORDER BY COUNT(*) DESC LIMIT 3
SELECT age, COUNT(*) AS n FROM t_user GROUP BY age ORDER BY n DESC, age LIMIT 2, 3
SELECT age, SUM(amount) FROM t_user GROUP BY age ORDER BY NULL
SELECT age, kind, AVG(amount) FROM t_user GROUP BY age, kind ORDER BY kind, age
SELECT age, kind, AVG(amount) FROM t_user GROUP BY age, kind ORDER BY kind
SELECT name, COUNT(*) FROM t_user GROUP BY name
SELECT note, MAX(name) FROM t_user GROUP BY note ORDER BY note
SELECT COUNT(*) FROM t_user GROUP BY name ORDER BY name
SELECT age + 1, COUNT(*) FROM t_user GROUP BY age + 1
SELECT YEAR(created) AS y, COUNT(*) FROM t_user GROUP BY y
SELECT YEAR(created) AS age, COUNT(*) FROM t_user GROUP BY age
SELECT age AS x, COUNT(*) FROM t_user GROUP BY 1
SELECT age, COUNT(*) FROM t_user GROUP BY age WITH ROLLUP
SELECT age, COUNT(*) FROM t_user GROUP BY age HAVING COUNT(*) > 1
SELECT age, COUNT(*) FROM t_user WHERE id = 3 GROUP BY age HAVING COUNT(*) > 1
SELECT COUNT(DISTINCT age) FROM t_user
SELECT MAX(DISTINCT age) FROM t_user
SELECT SUM(age) / COUNT(*) FROM t_user
SELECT IFNULL(SUM(age), 0) FROM t_user
SELECT GROUP_CONCAT(name) FROM t_user
SELECT age, COUNT(*) FROM t_user
SELECT *, COUNT(*) FROM t_user GROUP BY id
SELECT DISTINCT age FROM t_user GROUP BY age
SELECT age FROM t_user GROUP BY age ORDER BY MAX(id)
SELECT doc, COUNT(*) FROM t_user GROUP BY doc
SELECT BIT_XOR(age) FROM t_user
SELECT COUNT(*) FROM t_user ORDER BY id
SELECT age, MIN(note) AS m FROM t_user GROUP BY age ORDER BY m, age DESC
SELECT UPPER(note) AS x, COUNT(*) FROM t_user GROUP BY x ORDER BY x
SELECT 5 AS tag, SUM(id) FROM t_user
SELECT 'orders', COUNT(*) FROM t_user ORDER BY id LIMIT 1
SELECT NOW() AS n, -1, 1 + 1, NULL, UPPER('x'), COUNT(*) FROM t_user
SELECT ?, COUNT(*) FROM t_user WHERE id IN (?, ?) -- args: 'x', 1, 2
SELECT 5, UPPER(name), COUNT(*) FROM t_user
SELECT TIMESTAMPDIFF(DAY, created, NOW()), COUNT(*) FROM t_user
SELECT LENGTH(@@version), COUNT(*) FROM t_user
SELECT DATABASE(), COUNT(*) FROM t_user
