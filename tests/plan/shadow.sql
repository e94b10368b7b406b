-- database: shadow_db
-- The guide's rule.
INSERT INTO t_user (id, status) VALUES (1, 1)
INSERT INTO t_user (id, status) VALUES (1, 0)
INSERT INTO t_user VALUES (1, 'x', '1'), (2, 'y', 1)
INSERT INTO t_user VALUES (1, 'x', '1'), (2, 'y', 2)
INSERT INTO t_user (id, status) VALUES (?, ?) -- args: 1, 1
INSERT INTO t_user (id, status) VALUES (?, ?) -- args: 1, '1'
INSERT INTO t_user (id, status) VALUES (?, ?) -- args: 1, 2
INSERT INTO t_user (id, status) VALUES (?, ?), (3, 1) -- args: 1, 1
INSERT INTO t_user SET id = 1, status = 1
INSERT INTO t_user SELECT 1, 'x', 1
INSERT INTO t_user (id) VALUES (1)
INSERT INTO t_user (id, status) VALUES (1, NULL)
INSERT INTO t_user (id, status) VALUES (1, TRUE)
INSERT INTO t_user (id, status) VALUES (1, 1.0)
REPLACE INTO t_user (id, status) VALUES (1, 1)
INSERT INTO t_user (id, status) VALUES (1, 0) ON DUPLICATE KEY UPDATE status = 1
INSERT INTO t_user (id, status) VALUES (1, NOW())
INSERT INTO t_user (id, status) VALUES (1, DEFAULT)
INSERT INTO t_user (id, status) VALUES (1, 1 + 0)
SELECT * FROM t_user WHERE id = 1/*shadow:true*/
SELECT * FROM t_user WHERE id = ? /* shadow:true, foo:bar */ -- args: 1
/* SHARDINGSPHERE_HINT: SHADOW=true */ SELECT * FROM t_user
SELECT * FROM t_user WHERE status = 1
INSERT INTO t_user (id, status) VALUES (1, NOW())/*shadow:true*/
UPDATE t_user SET name = 'x' WHERE id = 1 /*shadow:true*/
DELETE FROM t_user WHERE id = 1 /*shadow:true*/
-- Conditions.
SELECT * FROM t_every WHERE status = 1
SELECT * FROM t_every e WHERE 1 = e.status
SELECT * FROM t_every WHERE status IN (1, ?) -- args: 1
SELECT * FROM t_every WHERE status IN (1, ?) -- args: 2
SELECT * FROM t_every WHERE id = 5 OR status = 1
SELECT * FROM t_every WHERE id = 5 OR status <> 1
SELECT * FROM t_every WHERE status BETWEEN 1 AND 1
SELECT * FROM t_every WHERE status = NULL
SELECT * FROM t_every WHERE NOT (status = 1)
SELECT * FROM t_every x JOIN t_plain USING (id) WHERE status = 1
SELECT id FROM t_plain UNION SELECT id FROM t_every WHERE status = 1
SELECT * FROM t_plain WHERE id IN (SELECT id FROM t_every WHERE status = 1)
UPDATE t_every SET status = 1 WHERE id = 1
UPDATE t_every SET id = 1 WHERE status = 1
DELETE FROM t_every WHERE status = '1'
DELETE e FROM t_every e, t_plain p WHERE e.id = p.id AND e.status = 1
SELECT * FROM t_regex WHERE name = 'test_1'
SELECT * FROM t_regex WHERE name = 'a test_1'
-- The default algorithm is for statements without a table of the rules; a comment decides about other statements.
SELECT * FROM t_plain /*all:yes*/
SELECT * FROM t_plain /*shadow:true*/
SELECT * FROM t_every /*all:yes*/
SELECT 1 /*all:yes*/
CREATE TABLE t_new (id INT) /*all:yes*/
CREATE TABLE t_new (id INT) /*shadow:true*/
TRUNCATE t_user /*shadow:true*/
TRUNCATE t_user
EXPLAIN SELECT * FROM t_every WHERE status = 1
-- Names of the database on each unit.
SELECT shadow_db.t_user.id FROM shadow_db.t_user
SELECT shadow_db.t_user.id FROM shadow_db.t_user /*shadow:true*/
INSERT INTO shadow_db.t_user (id, status) VALUES (?, ?) -- args: 1, 1
-- What cannot be read.
SELECT * FROM t_every WHERE
SELECT * FROM t_user WHERE /*shadow:true*/
SELECT * FROM t_plain WHERE
