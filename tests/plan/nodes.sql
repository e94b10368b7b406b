-- database: nodes
SELECT note FROM t_order WHERE user_id = 1 AND order_id = 2
SELECT note FROM t_order WHERE user_id = 1
SELECT note FROM t_order WHERE order_id = 2
SELECT note FROM t_order WHERE order_id = 2 AND user_id IN (1, 2)
SELECT note FROM t_order WHERE (order_id = 2 AND user_id = 1) OR (order_id = 3 AND user_id = 2)
SELECT note FROM t_order
SELECT note FROM t_order WHERE user_id = ? AND order_id = ? -- args: 3, '4'
SELECT note FROM t_order WHERE user_id = -1
SELECT note FROM t_order WHERE user_id > 5
SELECT note FROM t_order WHERE user_id BETWEEN 5 AND 5
SELECT note FROM t_order WHERE user_id > 5 AND user_id = 7
SELECT note FROM t_order WHERE user_id > NOW()
SELECT note FROM t_order WHERE user_id IN (1, '2')
SELECT note FROM t_order WHERE user_id = NULL
INSERT INTO t_order (order_id, user_id, note) VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c'), (5, 1, 'd')
INSERT INTO t_order VALUES (1, 1, 'a')
INSERT INTO t_order (order_id, note) VALUES (1, 'a')
INSERT INTO t_order (order_id, user_id) VALUES (1, -1)
INSERT INTO t_order (order_id, user_id) VALUES (1, NULL)
INSERT INTO t_order SET order_id = 3, user_id = 4
INSERT INTO t_order VALUES (1, 1, 'a') ON DUPLICATE KEY UPDATE user_id = 2
INSERT INTO t_order VALUES (1, 1, 'a') ON DUPLICATE KEY UPDATE user_id = VALUES(user_id), note = 'b'
UPDATE t_order SET note = 'x' WHERE user_id = 1
UPDATE t_order SET user_id = 1 WHERE user_id = 1
UPDATE t_order SET user_id = 3 WHERE user_id = 1
UPDATE t_order SET order_id = 3 WHERE user_id = 1
UPDATE t_order SET note = 'x' WHERE user_id = 1 LIMIT 1
UPDATE t_order SET note = 'x' WHERE user_id = 1 AND order_id = 1 LIMIT 1
DELETE FROM t_order WHERE order_id = 1
TRUNCATE TABLE t_order
CREATE TABLE t_order (order_id BIGINT PRIMARY KEY, user_id BIGINT, note VARCHAR(10))
SHOW COLUMNS FROM t_order
SELECT n FROM t_padded WHERE id = 6
SELECT n FROM t_padded WHERE id BETWEEN 6 AND 7
SELECT n FROM t_month WHERE at = '2024-03-15 10:00:00'
SELECT n FROM t_month WHERE at BETWEEN '2024-01-20 00:00:00' AND '2024-02-10 00:00:00'
SELECT n FROM t_month WHERE at > '2024-02-10'
SELECT n FROM t_month WHERE at < '2024-02-01'
SELECT n FROM t_month WHERE at = '2023-12-31 00:00:00'
SELECT n FROM t_month WHERE at = '2025-01-01 00:00:00'
SELECT n FROM t_month WHERE at BETWEEN ? AND ? -- args: @2024-02-10 00:00:00, @2024-02-20 00:00:00
INSERT INTO t_month VALUES ('2024-03-15 10:00:00', 1)
INSERT INTO t_padded VALUES (6, 1), (7, 2)
INSERT INTO t_month VALUES ('2025-01-01 00:00:00', 1)
SELECT n FROM t_pair WHERE a = 1 AND b = 5
SELECT n FROM t_pair WHERE a IN (1, 2) AND b = 5
SELECT n FROM t_pair WHERE a = 1
SELECT n FROM t_pair WHERE a = 1 AND b > 5
SELECT n FROM t_pair WHERE (a = 1 AND b = 1) OR (a = 2 AND b = 2)
SELECT n FROM t_pair WHERE a = 1 AND b = NULL
INSERT INTO t_pair VALUES (1, 5, 1)
INSERT INTO t_pair (a, n) VALUES (1, 5)
UPDATE t_pair SET b = 6 WHERE a = 1 AND b = 5
SELECT n FROM t_hint
/* SHARDINGSPHERE_HINT: SHARDING_DATABASE_VALUE=3, SHARDING_TABLE_VALUE=0 */ SELECT n FROM t_hint
/* SHARDINGSPHERE_HINT: t_hint.SHARDING_TABLE_VALUE=1 */ SELECT n FROM t_hint WHERE id = 1
/* SHARDINGSPHERE_HINT: SHARDING_TABLE_VALUE=7 */ SELECT n FROM t_hint
INSERT INTO t_hint VALUES (1, 1)
/* SHARDINGSPHERE_HINT: SHARDING_DATABASE_VALUE=3, SHARDING_TABLE_VALUE=0 */ INSERT INTO t_hint VALUES (1, 1), (2, 2)
SELECT n FROM t_none WHERE id = 1
INSERT INTO t_none VALUES (1, 1)
SELECT n FROM t_wide WHERE id > 5
SELECT n FROM t_wide WHERE id = 5
SELECT n FROM t_odd WHERE id = 4
SELECT n FROM t_odd WHERE id = 5
INSERT INTO t_odd VALUES (5, 1)
SELECT n FROM t_word WHERE word = 'apple'
SELECT n FROM t_word WHERE word = ''
INSERT INTO t_word VALUES ('banana', 1)
INSERT INTO t_word VALUES ('cherry', 1)
INSERT INTO t_word VALUES ('', 1)
SELECT o.note FROM t_order o JOIN t_near s ON o.order_id = s.order_id WHERE o.user_id = 2 AND o.order_id = 1
SELECT o.note FROM t_order o JOIN t_near s ON o.order_id = s.order_id WHERE o.user_id = 1 AND o.order_id = 1
SELECT n FROM t_stamp WHERE at = '2024-03-15 10:00:00'
INSERT INTO t_stamp VALUES ('2024-03-15 10:00:00', 1)
-- session: own zone
SELECT n FROM t_stamp WHERE at = '2024-03-15 10:00:00'
SELECT n FROM t_stamp WHERE at > '2024-03-15 10:00:00'
SELECT n FROM t_month WHERE at = '2024-03-15 10:00:00'
INSERT INTO t_stamp VALUES ('2024-03-15 10:00:00', 1)
