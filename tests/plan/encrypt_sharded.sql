-- database: both
SELECT id, mobile FROM t_user WHERE id = 7
SELECT * FROM t_user WHERE id = 7 AND mobile = '1'
SELECT t_user.* FROM t_user WHERE t_user.mobile IN ('1', '2') AND t_user.id = 3
SELECT * FROM t_user
SELECT mobile FROM t_user WHERE mobile = ? ORDER BY id LIMIT 1, 2 -- args: '1'
SELECT mobile, COUNT(*) FROM t_user GROUP BY mobile
SELECT DISTINCT idCard FROM t_user
SELECT COUNT(mobile) FROM t_user
SELECT u.mobile FROM t_user u JOIN t_card c ON u.id = c.id AND u.mobile = c.mobile WHERE u.id = 3
INSERT INTO t_user (id, mobile) VALUES (1, 'a')
INSERT INTO t_user (id, mobile) VALUES (1, 'a'), (2, ?), (11, NULL) -- args: 'x'
INSERT INTO t_user VALUES (1, 'a', 'b', 'n', 3), (2, 'c', 'd', 'm', 4)
INSERT INTO t_user (id, mobile) VALUES (?, ?), (?, ?) ON DUPLICATE KEY UPDATE mobile = VALUES(mobile) -- args: 1, 'a', 2, 'b'
UPDATE t_user SET t_user.mobile = 'x' WHERE t_user.id = 5
UPDATE t_user SET mobile = ? WHERE idCard = ? -- args: 'x', 'y'
DELETE FROM t_user WHERE mobile = '1'
CREATE TABLE t_user (id BIGINT PRIMARY KEY, mobile VARCHAR(200), idCard VARCHAR(200), KEY k (mobile))
ALTER TABLE t_user DROP COLUMN idCard
-- Refused.
SELECT mobile FROM t_user ORDER BY mobile
INSERT INTO t_user VALUES (1, 'a')
