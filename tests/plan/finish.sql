-- database: sharding_db
SELECT age, SUM(amount) + 1 FROM t_user GROUP BY age HAVING COUNT(*) > 3 ORDER BY 2 LIMIT 5
SELECT age, SUM(amount) + ? FROM t_user WHERE age > ? GROUP BY age HAVING COUNT(*) > ? ORDER BY 2 LIMIT ?, ? -- args: 1, 2, 3, 4, 5
SELECT IFNULL(SUM(age), 0) + 1, COUNT(*) * 2 FROM t_user
SELECT SUM(age) / COUNT(amount) AS r FROM t_user WHERE id BETWEEN 1 AND 2
SELECT SUM(age) + 1 FROM t_user WHERE id = 3
SELECT name, COUNT(*) + 1 FROM t_user u GROUP BY u.name
SELECT UPPER(name) AS n, COUNT(*) AS c FROM t_user GROUP BY n HAVING c > 1
SELECT age AS name, COUNT(*) + 1 FROM t_user GROUP BY name, age
SELECT SUM(age) AS age FROM t_user GROUP BY kind HAVING age > 3 AND SUM(age) > 4
SELECT SUM(amount) AS age FROM t_user GROUP BY age HAVING age > 3
SELECT age, kind, SUM(amount) FROM t_user GROUP BY age, kind WITH ROLLUP
SELECT GROUPING(age), SUM(amount) FROM t_user GROUP BY age WITH ROLLUP
SELECT COUNT(DISTINCT name, age), SUM(DISTINCT amount), MIN(DISTINCT age) FROM t_user
SELECT age FROM t_user GROUP BY age ORDER BY SUM(amount) DESC
SELECT BIT_AND(age), BIT_OR(age), BIT_XOR(age), ANY_VALUE(name) FROM t_user
SELECT AVG(age), AVG(age + 1) + 0 FROM t_user
SELECT ROUND(AVG(age), 2), FORMAT(AVG(age), 1) FROM t_user GROUP BY name HAVING AVG(age) > 3
SELECT AVG(age) AS a FROM t_user GROUP BY name HAVING a > 3
SELECT name FROM t_user GROUP BY name ORDER BY AVG(amount)
SELECT GROUP_CONCAT(DISTINCT name ORDER BY age SEPARATOR ';') FROM t_user WHERE age > 3
SELECT STD(age), JSON_ARRAYAGG(name) FROM t_user GROUP BY kind
SELECT id, ROW_NUMBER() OVER (PARTITION BY age ORDER BY name) AS n FROM t_user ORDER BY n
SELECT *, COUNT(*) OVER () FROM t_user
SELECT u.*, SUM(u.age) OVER w FROM t_user u WINDOW w AS (ORDER BY u.id)
SELECT t_user.*, SUM(o.amount) OVER () FROM t_user JOIN t_order o ON t_user.id = o.user_id AND o.amount > 3
SELECT COUNT(*) OVER () FROM t_user
SELECT SUM(COUNT(*)) OVER (ORDER BY age) FROM t_user GROUP BY age
SELECT DISTINCT age, COUNT(*) FROM t_user GROUP BY age, kind
SELECT DISTINCT SQL_NO_CACHE age AS a FROM t_user HAVING a > 3
SELECT age, COUNT(*) FROM t_user
SELECT kind, COUNT(*) + 1 FROM t_user GROUP BY kind
SELECT kind AS k, COUNT(*) + 1 FROM t_user GROUP BY kind ORDER BY k
SELECT kind + 0, COUNT(*) + 1 FROM t_user GROUP BY kind
SELECT COUNT(*) + 1 FROM t_user FOR UPDATE
SELECT COUNT(*) + 1 FROM t_user FOR SHARE OF t_user NOWAIT
SELECT SUM(age) + (SELECT 1) FROM t_user
SELECT SUM(age) + 1 INTO @x FROM t_user
SELECT SQL_CALC_FOUND_ROWS SUM(age) + 1 FROM t_user
SELECT doc, COUNT(*) + 1 FROM t_user GROUP BY doc
