-- database: sharding_db
SELECT * FROM t_single
SELECT * FROM sharding_db.t_single s WHERE s.id = 1
SELECT * FROM t_single JOIN t_near USING (id)
SELECT * FROM t_single, t_other
INSERT INTO t_other SELECT * FROM t_single
INSERT INTO t_near (id) SELECT id FROM t_single
SELECT * FROM unknown
CREATE TABLE unknown (id INT)
CREATE TABLE t_other (id INT)
DROP TABLE t_single
DROP TABLE t_single, t_other
UPDATE t_single SET n = 1 LIMIT 5
SELECT 1
SELECT @@version
SHOW TABLE STATUS
SHOW CREATE TABLE t_other
SHOW COLUMNS FROM t_single
SELECT * FROM t_other UNION SELECT * FROM t_other
SELECT COUNT(*) FROM information_schema.tables
-- A hint names the source.
SELECT * FROM t_single /* SHARDINGSPHERE_HINT: DATA_SOURCE_NAME=ds_3 */
SELECT 1 /* SHARDINGSPHERE_HINT: DATA_SOURCE_NAME=ds_2 */
SELECT * FROM t_single /* SHARDINGSPHERE_HINT: DATA_SOURCE_NAME=nowhere */
SELECT * FROM t_user WHERE id = 1 /* SHARDINGSPHERE_HINT: DATA_SOURCE_NAME=ds_0 */
