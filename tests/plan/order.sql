-- database: sharding_db
SELECT id FROM t_user ORDER BY id
SELECT id FROM t_user ORDER BY id DESC LIMIT 3
SELECT id, age FROM t_user ORDER BY 2 DESC, 1
SELECT id FROM t_user ORDER BY age
SELECT id AS x FROM t_user ORDER BY x
SELECT age AS id FROM t_user ORDER BY id
SELECT * FROM t_user ORDER BY id
SELECT * FROM t_user ORDER BY name
SELECT * FROM t_user ORDER BY 1
SELECT *, age AS x FROM t_user ORDER BY x
SELECT name FROM t_user ORDER BY name
SELECT pad FROM t_user ORDER BY pad
SELECT note FROM t_user ORDER BY note
SELECT kind FROM t_user ORDER BY kind
SELECT score FROM t_user ORDER BY score
SELECT raw FROM t_user ORDER BY raw
SELECT created FROM t_user ORDER BY created
SELECT doc FROM t_user ORDER BY doc
SELECT id FROM t_user ORDER BY t_user.age
SELECT id FROM t_user ORDER BY sharding_db.t_user.age LIMIT 2, 3
SELECT u.id FROM t_user u ORDER BY u.name
SELECT id FROM t_user ORDER BY age + 1
SELECT id FROM t_user ORDER BY age + ? LIMIT ?, ? -- args: 1, 2, 3
SELECT CONCAT(name, note) FROM t_user ORDER BY CONCAT(name, note)
SELECT CONCAT(name, note) AS x FROM t_user ORDER BY x
SELECT age AS x FROM t_user ORDER BY x + 1
SELECT id FROM t_user ORDER BY missing
SELECT id FROM t_user ORDER BY 2
SELECT id FROM t_user ORDER BY NULL
SELECT DISTINCT age FROM t_user
SELECT DISTINCT age FROM t_user ORDER BY age LIMIT 5
SELECT DISTINCT name, age FROM t_user ORDER BY age DESC
SELECT DISTINCT name FROM t_user
SELECT DISTINCT kind FROM t_user ORDER BY kind
SELECT DISTINCT age FROM t_user ORDER BY id
SELECT DISTINCT * FROM t_user
SELECT DISTINCT age + 1 FROM t_user
SELECT DISTINCT t_user.age + 1 FROM t_user
SELECT c FROM t_new WHERE id BETWEEN 1 AND 100 ORDER BY c
SELECT DISTINCT note FROM t_user LIMIT 3
SELECT DISTINCT UPPER(note) AS x FROM t_user ORDER BY x
