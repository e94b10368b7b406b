-- database: encrypted
SELECT email FROM t_mask
SELECT id, EMAIL AS e FROM t_mask WHERE email = 'x' ORDER BY email
SELECT * FROM t_mask
SELECT t_plain.*, t_mask.* FROM t_plain JOIN t_mask ON t_plain.id = t_mask.id
SELECT d.x FROM (SELECT email AS x FROM t_mask) d
WITH c AS (SELECT * FROM t_mask) SELECT n, email FROM c
SELECT phone FROM t_plain UNION SELECT email FROM t_mask
SELECT (SELECT email FROM t_mask LIMIT 1) AS x
SELECT id FROM t_mask
SELECT UPPER(email) FROM t_mask
INSERT INTO t_mask VALUES (1, 'x', 2)
UPDATE t_mask SET email = 'y' WHERE email = 'x'
SELECT email FROM t_plain RIGHT JOIN t_mask USING (id, email)
/* SHARDINGSPHERE_HINT: SKIP_SQL_REWRITE=true */ SELECT email FROM t_mask
SELECT * FROM (SELECT * FROM t_plain) d, t_mask m
-- Encrypted and masked.
SELECT mobile, n FROM t_both WHERE mobile = '1'
SELECT * FROM t_both
INSERT INTO t_both VALUES (1, '13800001111', 2)
-- Refused.
SELECT * FROM t_mask NATURAL JOIN t_plain
WITH RECURSIVE c AS (SELECT email FROM t_mask UNION SELECT email FROM c) SELECT email FROM c
SELECT email INTO @m FROM t_mask LIMIT 1
SELECT id INTO @m FROM t_mask LIMIT 1
TABLE t_mask
RENAME TABLE t_mask TO t_x
/* SHARDINGSPHERE_HINT: SKIP_SQL_REWRITE=true */ SELECT mobile FROM t_both
