-- database: nodes
INSERT INTO t_snow (n) VALUES (1)
INSERT INTO t_snow (n) VALUES (1), (2), (3)
INSERT INTO t_snow (n) VALUES (?), (?) -- args: 1, 2
INSERT INTO t_snow (n) VALUES (?) -- args: 1
INSERT INTO t_snow (n, id) VALUES (1, 7)
INSERT INTO t_snow (n, id) VALUES (1, NULL)
INSERT INTO t_snow VALUES (7, 1)
INSERT INTO t_snow SET n = 1
INSERT INTO t_snow SET n = ? -- args: 1
INSERT INTO t_snow (n) VALUES (1) ON DUPLICATE KEY UPDATE n = 2
REPLACE INTO t_snow (n) VALUES (1)
INSERT INTO t_snow (n) SELECT n FROM t_config
INSERT INTO t_snow (n) VALUES (ABS(-1)), (2 + (3))
INSERT INTO t_late (n) VALUES (1)
INSERT INTO t_late (n) VALUES (1), (2), (5)
INSERT INTO t_late (n) VALUES (?), (?) -- args: 1, 2
INSERT INTO t_late SET n = 3 ON DUPLICATE KEY UPDATE n = 3
INSERT INTO t_late (n) SELECT k FROM t_config
INSERT INTO t_uuid (n) VALUES (1)
INSERT INTO t_uuid (n) VALUES (?) -- args: 1
INSERT INTO t_uuid () VALUES ()
