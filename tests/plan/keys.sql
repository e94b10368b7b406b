-- database: sharding_db
SELECT id FROM t_user WHERE id = 9223372036854775807
SELECT id FROM t_user WHERE id = -9223372036854775808
SELECT id FROM t_user WHERE id = 9223372036854775808
SELECT id FROM t_big WHERE id = 18446744073709551615
SELECT id FROM t_big WHERE id = ? -- args: 18446744073709551615
SELECT id FROM t_big WHERE id = -1
SELECT id FROM t_exact WHERE id = 123456789012345678901234567893
SELECT id FROM t_exact WHERE id = 1.5
SELECT id FROM t_user WHERE id = 5.0
SELECT id FROM t_user WHERE id = 5.5
SELECT id FROM t_user WHERE id = 5e0
SELECT id FROM t_user WHERE id = 0x10
SELECT id FROM t_user WHERE id = TRUE
SELECT id FROM t_user WHERE id = '5'
SELECT id FROM t_user WHERE id = '005'
SELECT id FROM t_user WHERE id = '5abc'
SELECT id FROM t_user WHERE id = ''
SELECT id FROM t_user WHERE id = '1' '2'
SELECT id FROM t_user WHERE id = _utf8mb4'5'
SELECT id FROM t_user WHERE id = DATE '2024-01-01'
SELECT id FROM t_user WHERE id BETWEEN 1.5 AND 3.2
SELECT id FROM t_user WHERE id BETWEEN 'a' AND 3
SELECT id FROM t_user WHERE id BETWEEN NULL AND 3
SELECT id FROM t_user WHERE id = ? -- args: '5'
SELECT id FROM t_user WHERE id = ? -- args: 5.5
SELECT id FROM t_user WHERE id = ? -- args: NULL
SELECT code FROM t_text WHERE code = '20240131'
SELECT code FROM t_text WHERE code = '007'
SELECT code FROM t_text WHERE code = '7 '
SELECT code FROM t_text WHERE code = 'abc'
SELECT code FROM t_text WHERE code = 7
SELECT code FROM t_text WHERE code BETWEEN '1' AND '3'
SELECT code FROM t_text WHERE code = '123456789012345678901234567893'
SELECT code FROM t_cut WHERE code = '12345'
SELECT code FROM t_cut WHERE code = 'a7b'
SELECT code FROM t_cut WHERE code = 'ä7b'
SELECT code FROM t_cut WHERE code = '12'
SELECT code FROM t_cut WHERE code = 12345
INSERT INTO t_user (id) VALUES (9223372036854775807)
INSERT INTO t_user (id) VALUES (18446744073709551615)
INSERT INTO t_user (id) VALUES (-1)
INSERT INTO t_user (id) VALUES (7.4), (7.5)
INSERT INTO t_user (id) VALUES (7e0)
INSERT INTO t_user (id) VALUES (7.5e0)
INSERT INTO t_user (id) VALUES ('007')
INSERT INTO t_user (id) VALUES ('7.4')
INSERT INTO t_user (id) VALUES ('7abc')
INSERT INTO t_user (id) VALUES (0x10)
INSERT INTO t_user (id) VALUES (TRUE)
INSERT INTO t_user (id) VALUES (NULL)
INSERT INTO t_user (id) VALUES (?) -- args: NULL
INSERT INTO t_user (id) VALUES (?) -- args: 5.5
INSERT INTO t_user (id) VALUES (DEFAULT)
INSERT INTO t_user (id) VALUES (UUID())
INSERT INTO t_user (id) VALUES (1 + 1)
INSERT INTO t_user (id) VALUES (age + 1)
INSERT INTO t_auto (id, n) VALUES (0, 1)
INSERT INTO t_auto (id, n) VALUES (1, 1)
INSERT INTO t_big (id) VALUES (18446744073709551615)
INSERT INTO t_exact (id) VALUES (123456789012345678901234567893)
INSERT INTO t_exact (id) VALUES (1.5)
INSERT INTO t_text (code) VALUES ('20240131')
INSERT INTO t_text (code) VALUES ('abc')
INSERT INTO t_text (code) VALUES ('7 ')
INSERT INTO t_text (code) VALUES (7)
INSERT INTO t_cut (code) VALUES ('a7b')
INSERT INTO t_cut (code) VALUES ('ä7b')
INSERT INTO t_cut (code) VALUES ('12')
INSERT INTO t_cut (code) VALUES ('axb')
