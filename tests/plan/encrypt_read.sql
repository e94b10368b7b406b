-- database: encrypted
-- Select lists.
SELECT mobile FROM t_user
SELECT MOBILE, idCard AS c, name FROM t_user
SELECT t_user.mobile, `u`.`idCard` FROM t_user, t_user u
SELECT * FROM t_user
SELECT u.*, 1 FROM t_user u
SELECT *, mobile FROM t_user u JOIN t_plain p ON u.id = p.id
SELECT p.*, u.mobile FROM t_user u JOIN t_plain p ON u.id = p.id
SELECT DISTINCT mobile FROM t_user
SELECT COUNT(mobile), COUNT(DISTINCT mobile), COUNT(*) FROM t_user
SELECT (mobile) FROM t_user
SELECT id, name FROM t_user WHERE age > 3 ORDER BY name
SELECT id FROM t_plain
SELECT encrypted.t_user.mobile FROM encrypted.t_user
-- Conditions.
SELECT id FROM t_user WHERE mobile = '13800001111'
SELECT id FROM t_user WHERE '13800001111' = mobile AND idCard <> '110101199003077758'
SELECT id FROM t_user WHERE mobile != 13800001111 OR NOT (idCard = ('x'))
SELECT id FROM t_user WHERE mobile = ? AND idCard IN (?, 'a', NULL) AND age = ? -- args: '13800001111', 'b', 3
SELECT id FROM t_user WHERE mobile NOT IN ('1', '2')
SELECT id FROM t_user WHERE mobile LIKE '1234%'
SELECT id FROM t_user WHERE mobile LIKE ? -- args: '1234%'
SELECT id FROM t_user WHERE mobile IS NULL AND idCard IS NOT NULL
SELECT id FROM t_user WHERE mobile = NULL
SELECT id FROM t_user u WHERE u.mobile = 'it''s' AND (u.idCard = 'a' OR age BETWEEN 1 AND 2)
SELECT id FROM t_user USE INDEX (i) WHERE mobile = -1 AND idCard = TRUE
-- Groups.
SELECT mobile, COUNT(*) FROM t_user GROUP BY mobile
SELECT mobile AS m, COUNT(*) FROM t_user GROUP BY m HAVING m = '1'
SELECT mobile, COUNT(*) FROM t_user GROUP BY mobile HAVING mobile = '13800001111' AND COUNT(*) > 1
SELECT COUNT(*) FROM t_user GROUP BY idCard HAVING idCard IN ('1') ORDER BY COUNT(*)
SELECT id AS mobile FROM t_user ORDER BY mobile
SELECT mobile, 1 FROM t_user GROUP BY 1
SELECT mobile AS name, id FROM t_user ORDER BY name = 'x', id
SELECT name AS mobile, id FROM t_user ORDER BY mobile = '1', id
SELECT mobile AS m FROM t_user ORDER BY m IS NULL
SELECT t_user.mobile AS m, mobile FROM t_user GROUP BY mobile HAVING mobile = '1'
-- Joins.
SELECT u.id FROM t_user u JOIN t_card c ON u.mobile = c.mobile
SELECT u.id FROM t_user u, t_card c WHERE c.idCard = u.idCard AND u.mobile <> c.mobile
SELECT u.name, c.mobile FROM t_user u LEFT JOIN t_card c ON u.id = c.user_id AND c.mobile = '1'
SELECT u.id FROM t_user u JOIN t_card c USING (id)
SELECT u.mobile FROM t_user u JOIN t_card c USING (id)
-- Subqueries, derived tables, common table expressions.
SELECT id FROM t_user WHERE mobile IN (SELECT mobile FROM t_card WHERE idCard = 'x')
SELECT id FROM t_user WHERE idCard = (SELECT idCard FROM t_card LIMIT 1)
SELECT id FROM t_user WHERE mobile IN (SELECT mobile FROM t_card GROUP BY mobile)
SELECT id FROM t_user WHERE mobile NOT IN (SELECT d.mobile FROM (SELECT mobile FROM t_card) d)
SELECT id FROM t_user u WHERE EXISTS (SELECT 1 FROM t_card WHERE t_card.mobile = u.mobile)
SELECT id FROM t_plain WHERE EXISTS (SELECT mobile FROM t_user WHERE name = phone)
SELECT d.mobile, d.n FROM (SELECT mobile, COUNT(*) AS n FROM t_user GROUP BY mobile) d WHERE d.mobile = '1'
SELECT * FROM (SELECT * FROM t_user) d
SELECT * FROM (SELECT COUNT(mobile) FROM t_user) d
SELECT d.nosuch FROM (SELECT nosuch FROM t_user) d
SELECT l.nosuch FROM t_user u, LATERAL (SELECT nosuch UNION SELECT nosuch) l
SELECT * FROM (WITH c AS (SELECT nosuch FROM t_user) SELECT * FROM c) d
SELECT l.m, l.mobile FROM t_user u, LATERAL (SELECT mobile AS m, mobile) l
SELECT (SELECT l.m FROM (SELECT mobile, name FROM t_other) a, LATERAL (SELECT mobile AS m) l LIMIT 1) FROM t_user
SELECT x FROM (SELECT mobile FROM t_user) d (x) WHERE x IN ('1', ?) -- args: '2'
SELECT d.mobile FROM (SELECT mobile FROM t_user) d JOIN t_card c ON d.mobile = c.mobile
WITH c AS (SELECT mobile, idCard FROM t_user WHERE mobile = '1') SELECT idCard, c.mobile FROM c WHERE idCard = '2'
WITH c (a, b) AS (SELECT id, mobile FROM t_user) SELECT b, a FROM c WHERE b = '1'
SELECT id, (SELECT mobile FROM t_user LIMIT 1) FROM t_plain
SELECT mobile FROM t_user UNION SELECT mobile FROM t_card
(SELECT mobile, id FROM t_user) UNION ALL (SELECT mobile, user_id FROM t_card ORDER BY id LIMIT 1) LIMIT 2
EXPLAIN SELECT mobile FROM t_user WHERE mobile = '1'
SELECT id FROM t_user WHERE mobile IN (SELECT mobile FROM t_card UNION SELECT mobile FROM t_user)
SELECT id FROM t_user WHERE mobile IN (SELECT mobile FROM t_card UNION ALL SELECT d.m FROM (SELECT mobile AS m FROM t_user) d)
SELECT id FROM t_user WHERE idCard IN (SELECT idCard FROM t_card UNION SELECT idCard FROM t_user)
SELECT p.n FROM t_plain p WHERE EXISTS (SELECT * FROM t_user u WHERE u.id = p.id)
-- Read from the column in the clear.
SELECT phone, id FROM t_clear WHERE phone > '1' AND UPPER(phone) LIKE 'X%' ORDER BY phone
SELECT * FROM t_clear
SELECT c.phone FROM t_clear c JOIN t_plain p ON c.phone = p.phone
-- As it is stored.
/* SHARDINGSPHERE_HINT: SKIP_ENCRYPT_REWRITE=true */ SELECT mobile_cipher FROM t_user
SELECT mobile_cipher FROM t_user
-- Refused: what cannot be right on ciphertext.
SELECT id FROM t_user WHERE mobile > '1'
SELECT id FROM t_user WHERE '1' >= mobile
SELECT id FROM t_user WHERE mobile <=> '1'
SELECT id FROM t_user WHERE mobile BETWEEN '1' AND '2'
SELECT id FROM t_user WHERE 1 BETWEEN mobile AND 2
SELECT id FROM t_user WHERE mobile REGEXP '^1'
SELECT id FROM t_user WHERE mobile + 1 = 2
SELECT id FROM t_user WHERE mobile LIKE '1!%' ESCAPE '!'
SELECT id FROM t_user WHERE idCard LIKE '1%'
SELECT id FROM t_user WHERE mobile NOT LIKE '1234%'
SELECT id FROM t_user WHERE idCard LIKE CONCAT('1', '%')
SELECT id FROM t_user WHERE mobile LIKE name
SELECT id FROM t_user WHERE mobile = CONCAT('1', '2')
SELECT id FROM t_user WHERE mobile IN ('1', LOWER('A'))
SELECT id FROM t_user WHERE (mobile, id) = ('1', 2)
SELECT id FROM t_user WHERE mobile
SELECT id FROM t_user WHERE mobile IS TRUE
SELECT id FROM t_user WHERE mobile COLLATE utf8mb4_bin = '1'
SELECT CONCAT(mobile, 'x') FROM t_user
SELECT SUBSTR(idCard, 1, 4) FROM t_user
SELECT CASE mobile WHEN '1' THEN 2 END FROM t_user
SELECT MAX(mobile) FROM t_user
SELECT GROUP_CONCAT(mobile) FROM t_user
SELECT ROW_NUMBER() OVER (PARTITION BY mobile) FROM t_user
SELECT mobile FROM t_user ORDER BY mobile
SELECT mobile AS m FROM t_user ORDER BY m
SELECT mobile, id FROM t_user ORDER BY 1
SELECT * FROM t_user ORDER BY 2
SELECT d.m FROM (SELECT mobile AS m FROM t_user) d ORDER BY d.m
SELECT mobile FROM t_user UNION SELECT mobile FROM t_card ORDER BY mobile
SELECT d.mobile FROM (SELECT mobile FROM t_user) d WHERE d.mobile LIKE '1%'
SELECT u.id FROM t_user u JOIN t_other o ON u.mobile = o.mobile
SELECT u.id FROM t_user u JOIN t_plain p ON u.mobile = p.phone
SELECT u.id FROM t_user u JOIN t_card c ON u.mobile = c.idCard
SELECT u.id FROM t_user u JOIN t_card c ON u.mobile < c.mobile
SELECT u.id FROM t_user u JOIN t_card c USING (mobile)
SELECT u.id FROM t_user u NATURAL JOIN t_card c
SELECT * FROM t_user u JOIN t_card c USING (id)
SELECT c.id FROM t_clear c JOIN t_user u ON c.phone = u.mobile
SELECT id FROM t_user WHERE mobile IN (SELECT phone FROM t_plain)
SELECT id FROM t_plain WHERE phone IN (SELECT mobile FROM t_user)
SELECT id FROM t_user WHERE mobile IN (SELECT idCard FROM t_other)
SELECT id FROM t_plain WHERE CONCAT(phone, 'x') = (SELECT mobile FROM t_user LIMIT 1)
SELECT mobile FROM t_user UNION SELECT phone FROM t_plain
SELECT id FROM t_user UNION SELECT mobile FROM t_user
SELECT mobile FROM t_user UNION SELECT mobile FROM t_other
WITH RECURSIVE c AS (SELECT id, mobile FROM t_user UNION ALL SELECT u.id, c.mobile FROM c JOIN t_user u ON u.id = c.id) SELECT * FROM c
SELECT mobile FROM t_user u JOIN t_card c ON u.id = c.id
SELECT phone FROM t_plain p JOIN t_clear c ON p.id = c.id
SELECT u.id FROM t_user u JOIN t_card c ON u.id = c.id WHERE mobile = '1'
SELECT mobile AS name, COUNT(*) FROM t_user GROUP BY mobile, name HAVING name <> 'x'
SELECT name AS mobile, COUNT(*) FROM t_user GROUP BY mobile, name HAVING mobile = '1'
SELECT name AS mobile, mobile FROM t_user GROUP BY name, mobile
SELECT a.mobile, b.mobile FROM t_user a, t_user b GROUP BY a.mobile, b.mobile HAVING mobile = '1'
TABLE t_user
SELECT mobile INTO @m FROM t_user LIMIT 1
SELECT j.x, t_user.* FROM JSON_TABLE('[1]', '$[*]' COLUMNS (x INT PATH '$')) j, t_user
SELECT j.*, t_user.mobile FROM JSON_TABLE('[1]', '$[*]' COLUMNS (x INT PATH '$')) j, t_user
LOAD DATA INFILE 'x' INTO TABLE t_user
HANDLER t_user OPEN
CREATE VIEW v AS SELECT mobile FROM t_user
LOCK TABLES t_user READ
SELECT mobile FROM FROM t_user
SET @m = (SELECT mobile FROM t_user LIMIT 1)
DO (SELECT mobile FROM t_user LIMIT 1)
PREPARE s FROM 'SELECT mobile FROM t_user'
SET @m = (SELECT phone FROM t_plain LIMIT 1)
