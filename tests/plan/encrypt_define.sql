-- database: encrypted
CREATE TABLE t_user (id BIGINT PRIMARY KEY, mobile VARCHAR(200) NOT NULL COMMENT 'x', idCard VARCHAR(200), name VARCHAR(20), KEY k (mobile), UNIQUE (idCard(30), id))
CREATE TABLE IF NOT EXISTS t_other (id INT, `mobile` VARCHAR(99) CHARACTER SET utf8mb4 DEFAULT NULL, idCard VARCHAR(99) UNIQUE, PRIMARY KEY (id))
CREATE TABLE t_clear (id INT, phone VARCHAR(50), INDEX (phone))
ALTER TABLE t_user ADD COLUMN mobile VARCHAR(200) NOT NULL AFTER id, ADD city VARCHAR(9) AFTER mobile
ALTER TABLE t_user ADD (mobile VARCHAR(99), x INT)
ALTER TABLE t_user MODIFY mobile VARCHAR(300), MODIFY COLUMN idCard VARCHAR(300) FIRST
ALTER TABLE t_user CHANGE mobile mobile VARCHAR(300) NOT NULL, CHANGE COLUMN idCard IDCARD TEXT
ALTER TABLE t_user DROP COLUMN mobile, DROP idCard
ALTER TABLE t_user ADD INDEX i (mobile), ADD UNIQUE KEY j (idCard)
ALTER TABLE t_user ENGINE = InnoDB
CREATE INDEX i ON t_user (mobile, name)
CREATE UNIQUE INDEX i ON t_user (idCard(20))
DROP INDEX i ON t_user
TRUNCATE TABLE t_user
DROP TABLE t_user
CREATE TABLE t_new LIKE t_user
CREATE TABLE t_new SELECT id, name FROM t_user
CREATE TABLE t_new SELECT phone FROM t_clear
-- Refused.
CREATE TABLE t_user (id INT, mobile VARCHAR(99) DEFAULT 'x' NOT NULL)
CREATE TABLE t_user (id INT, mobile VARCHAR(99) DEFAULT ('x'))
CREATE TABLE t_user (id INT, mobile VARCHAR(99) DEFAULT 'x' 'y')
CREATE TABLE t_user (id INT, mobile VARCHAR(99) DEFAULT (UUID()))
CREATE TABLE t_user (id INT, mobile VARCHAR(99) DEFAULT -1)
CREATE TABLE t_user (mobile VARCHAR(99) PRIMARY KEY)
CREATE TABLE t_other (mobile VARCHAR(99) PRIMARY KEY)
CREATE TABLE t_user (id INT, idCard INT AUTO_INCREMENT, KEY (idCard))
CREATE TABLE t_user (id INT, mobile VARCHAR(99), x VARCHAR(99) AS (UPPER(mobile)))
CREATE TABLE t_user (id INT, idCard VARCHAR(9), CHECK (idCard <> ''))
CREATE TABLE t_user (id INT, idCard VARCHAR(9)) PARTITION BY KEY (idCard)
CREATE TABLE t_x (id INT, c VARCHAR(9) REFERENCES t_user (idCard))
CREATE TABLE t_new SELECT mobile FROM t_user
ALTER TABLE t_user CHANGE mobile phone VARCHAR(300)
ALTER TABLE t_user CHANGE name mobile VARCHAR(300)
ALTER TABLE t_user RENAME COLUMN mobile TO phone
ALTER TABLE t_user RENAME COLUMN name TO idCard
ALTER TABLE t_user ALTER mobile SET DEFAULT 'x'
ALTER TABLE t_user ORDER BY mobile
CREATE INDEX i ON t_user ((UPPER(mobile)))
CREATE TABLE t_other SELECT id, phone AS mobile FROM t_plain
RENAME TABLE t_user TO t_x
RENAME TABLE t_x TO t_user
ALTER TABLE t_user RENAME TO t_x
