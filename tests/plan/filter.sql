-- database: sharding_db
SELECT id FROM t_user WHERE NOT (id <> 7)
SELECT id FROM t_user WHERE NOT (id <> 7 AND id <> 8)
SELECT id FROM t_user WHERE NOT (id <> 7 OR age > 3)
SELECT id FROM t_user WHERE NOT (id < 7 OR id > 9)
SELECT id FROM t_user WHERE NOT (id = 7)
SELECT id FROM t_user WHERE NOT (NOT (id = 7))
SELECT id FROM t_user WHERE NOT id <> 7
SELECT id FROM t_user WHERE NOT (id) <> 7
SELECT id FROM t_user WHERE NOT (id <> NULL)
SELECT id FROM t_user WHERE NOT (id IN (1, 2))
SELECT id FROM t_user WHERE NOT (id BETWEEN 1 AND 2)
SELECT id FROM t_user WHERE (NOT (id <> 7)) IS NULL
SELECT id FROM t_user WHERE id = -7 DIV 2
SELECT id FROM t_user WHERE id = 7 % -4
SELECT id FROM t_user WHERE id = 7 % 0
SELECT id FROM t_user WHERE id = 18446744073709551615 DIV 5
SELECT id FROM t_user WHERE id = ? DIV ? -- args: 15, 2
SELECT id FROM t_user WHERE id = CAST('-7' AS SIGNED)
SELECT id FROM t_user WHERE id = CAST('-7' AS UNSIGNED)
SELECT id FROM t_user WHERE id = CAST(-7 AS UNSIGNED)
SELECT id FROM t_user WHERE id = CAST(7 AS UNSIGNED INTEGER)
SELECT id FROM t_user WHERE id = CAST('7 ' AS SIGNED)
SELECT id FROM t_user WHERE id = CAST('7.6' AS SIGNED)
SELECT id FROM t_user WHERE id = CAST(NULL AS SIGNED)
SELECT id FROM t_user WHERE id = CAST(7 AS CHAR)
SELECT id FROM t_user WHERE id = CAST(? AS SIGNED) -- args: '7'
SELECT id FROM t_user WHERE 1 = 1 AND id = 7
SELECT id FROM t_user WHERE 1 = 0 OR id = 7
SELECT id FROM t_user WHERE 1 = 0
SELECT COUNT(*) FROM t_user WHERE 1 = 0
SELECT id FROM t_user WHERE 2 > 1
SELECT id FROM t_user WHERE 0
SELECT id FROM t_user WHERE 5 AND id = 7
SELECT id FROM t_user WHERE ? AND id = 7 -- args: 1
SELECT id FROM t_user WHERE 1 = ? OR id = 7 -- args: 0
SELECT id FROM t_user WHERE '0' OR id = 7
SELECT id FROM t_user WHERE NULL OR id = 7
SELECT id FROM t_user WHERE NULL = NULL
SELECT id FROM t_user WHERE NULL <=> NULL
SELECT id FROM t_user WHERE NOT (1 = 1)
SELECT id FROM t_user WHERE (1 = 1) = (id = 7)
SELECT id FROM t_user WHERE id = 7 AND (id, age) = (7, 1)
SELECT id FROM t_user WHERE (id, age) IN ((7, 1), (7, 2))
SELECT id FROM t_user WHERE (id, age) IN ((7, 1), (8, age))
SELECT id FROM t_user WHERE (id, age) NOT IN ((7, 1), (7, 2))
SELECT id FROM t_user WHERE (id, age) <> (7, 1)
SELECT id FROM t_user WHERE ((id, age), name) = ((7, 1), 'x')
SELECT id FROM t_user WHERE 7 IN (id, age)
SELECT id FROM t_user WHERE 8 BETWEEN id AND 9
UPDATE t_user SET age = 1 WHERE NOT (id <> 7)
DELETE FROM t_user WHERE 1 = 0
UPDATE t_user SET age = 1 WHERE id IN (7) AND 1 = 1
