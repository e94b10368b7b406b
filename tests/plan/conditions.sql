-- database: sharding_db
-- Conditions that look like one on the key, and are not, go everywhere.
SELECT id FROM t_user WHERE (id = 1) = 0
SELECT id FROM t_user WHERE id = 1 = 0
SELECT id FROM t_user WHERE id = 1 = 1
SELECT id FROM t_user WHERE id = 1 IS FALSE
SELECT id FROM t_user WHERE id = 1 IS NOT TRUE
SELECT id FROM t_user WHERE (id IN (1)) IS NULL
SELECT id FROM t_user WHERE id = 1 XOR age = 1
SELECT id FROM t_user WHERE !(id = 1)
SELECT id FROM t_user WHERE ! id = 1
SELECT id FROM t_user WHERE NOT (id <> 1)
SELECT id FROM t_user WHERE IF(id = 1, 0, 1)
SELECT id FROM t_user WHERE CASE WHEN id = 1 THEN 0 ELSE 1 END
SELECT id FROM t_user WHERE id = 1 || age = 1
SELECT id FROM t_user WHERE id = 1 && age = 1
SELECT id FROM t_user WHERE id LIKE '1'
SELECT id FROM t_user WHERE id REGEXP '1'
SELECT id FROM t_user WHERE (id, age) = (1, 2)
SELECT id FROM t_user WHERE (id, age) IN ((1, 2), (2, 3))
SELECT id FROM t_user WHERE (id) IN ((1), (12))
SELECT id FROM t_user WHERE ((id)) = ((1))
SELECT id FROM t_user WHERE id = +1
SELECT id FROM t_user WHERE id = - -1
SELECT id FROM t_user WHERE -id = 1
SELECT id FROM t_user WHERE id = ~1
SELECT id FROM t_user WHERE id = 1 | 2
SELECT id FROM t_user WHERE id = 1 << 2
SELECT id FROM t_user WHERE id = 7 DIV 2
SELECT id FROM t_user WHERE id = 7 / 2
SELECT id FROM t_user WHERE id = 7 % 4
SELECT id FROM t_user WHERE id = 1 COLLATE utf8mb4_bin
SELECT id FROM t_user WHERE id = BINARY '1'
SELECT id FROM t_user WHERE id = CAST('1' AS SIGNED)
SELECT id FROM t_user WHERE id = @x
SELECT id FROM t_user WHERE id = 1 AND id = @x
SELECT id FROM t_user WHERE id BETWEEN 1 AND 2 AND age BETWEEN 1 AND 2 OR id = 4
SELECT id FROM t_user WHERE id BETWEEN 1 AND 2 OR id = 4 AND age = 1
SELECT id FROM t_user WHERE id = 1 AND (age = 1 OR name = 'x')
SELECT id FROM t_user WHERE id = 1 AND NOT (age = 1 OR name = 'x')
SELECT id FROM t_user WHERE id IN (1, 2) AND id IN (2, 3)
SELECT id FROM t_user WHERE id IN (1, 2) AND id > 5
SELECT id FROM t_user WHERE id > 4 AND id > 6 AND id < 8 AND id < 100
SELECT id FROM t_user WHERE id <=> NULL
SELECT id FROM t_user WHERE NULL = id
SELECT id FROM t_user WHERE id = NULL OR id = 3
SELECT id FROM t_user WHERE other.id = 1
SELECT id FROM t_user u WHERE t_user.id = 1
SELECT id FROM t_user WHERE 1 = 1
SELECT id FROM t_user WHERE FALSE
SELECT id FROM t_user WHERE id = (SELECT 1)
SELECT id FROM t_user WHERE id IN (SELECT 1)
SELECT id FROM t_user WHERE EXISTS (SELECT 1 FROM t_single WHERE t_single.id = t_user.id) AND id = 1
SELECT id FROM t_user WHERE id = 1 AND EXISTS (SELECT 1 FROM t_single WHERE id = 2)
SELECT id FROM t_user HAVING id = 1
SELECT id FROM t_user USE INDEX (PRIMARY) WHERE id = 1
SELECT t_user.* FROM t_user WHERE id = 1
SELECT `t_user`.`id` FROM `t_user` ORDER BY `t_user`.`age` DESC
(SELECT id FROM t_user WHERE id = 1)
(SELECT id FROM t_user) LIMIT 1
TABLE t_user
TABLE t_user ORDER BY id LIMIT 1
SELECT STRAIGHT_JOIN id FROM t_user WHERE id = 1
SELECT 'a' 'alias', id FROM t_user ORDER BY alias
SELECT id i FROM t_user ORDER BY i DESC, i ASC
SELECT id FROM t_user PROCEDURE ANALYSE()
SELECT id FROM t_user AS OF TIMESTAMP '2024-01-01'
SELECT /*!40001 SQL_NO_CACHE */ id FROM t_user WHERE id = 1
SELECT /*+ MAX_EXECUTION_TIME(5) */ id FROM t_user WHERE id = 1
SELECT DISTINCT id FROM t_user WHERE id = 1 ORDER BY age
SELECT ALL id FROM t_user LIMIT 0
SELECT COUNT(*) c FROM t_user ORDER BY c
SELECT COUNT(*) FROM t_user GROUP BY ()
SELECT MAX(t_user.name) FROM t_user GROUP BY t_user.age ORDER BY MAX(t_user.name)
