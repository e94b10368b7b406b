-- Names in every spelling: quoted, qualified, aliased, reserved, long, not ASCII.

-- sharded order
CREATE TABLE `order` (id INT NOT NULL PRIMARY KEY, `group` INT, `select` VARCHAR(10), KEY `index` (`group`));
INSERT INTO `order` (id, `group`, `select`) VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 1, 'c');
INSERT INTO {db}.`order` VALUES (4, 2, 'd'), (15, 3, 'e');
SELECT * FROM `order` ORDER BY id;
SELECT * FROM {db}.`order` WHERE id = 15;
SELECT * FROM `{db}`.`order` WHERE `{db}`.`order`.`id` = 15;
SELECT {db}.`order`.id, `order`.`group` FROM {db}.`order` ORDER BY {db}.`order`.id DESC;
SELECT o.`group`, COUNT(*) FROM `order` AS o GROUP BY o.`group` ORDER BY o.`group`;
SELECT `order`.`group` FROM `order` WHERE `order`.id IN (1, 2, 3) ORDER BY `order`.`group`, `order`.id;
SELECT `order`.* FROM `order` WHERE `order`.`id` = 3;
SELECT id `order` FROM `order` ORDER BY `order`;
UPDATE {db}.`order` SET `{db}`.`order`.`group` = 9 WHERE `order`.id = 1;
UPDATE `order` AS `t` SET `t`.`group` = 8 WHERE `t`.id IN (2, 3);
DELETE FROM {db}.`order` WHERE {db}.`order`.id = 4;
DELETE `order` FROM `order` WHERE `order`.id = 15;
SELECT * FROM `order` ORDER BY id;
SHOW COLUMNS FROM `order`;
SHOW COLUMNS FROM `order` FROM {db};
SHOW COLUMNS FROM {db}.`order` WHERE Field = 'id';
TRUNCATE {db}.`order`;
SELECT COUNT(*) FROM {db}.`order`;
DROP TABLE {db}.`order`;
-- sharded t_2
CREATE TABLE t_2 (id INT PRIMARY KEY, v INT);
-- sharded t
CREATE TABLE t (id INT PRIMARY KEY, t INT, t_1 INT);
INSERT INTO t VALUES (1, 1, 1), (12, 2, 2);
INSERT INTO t_2 VALUES (1, 10), (12, 20);
SELECT t.t, t.t_1, 't', "t_1" FROM t WHERE t.id = 12;
SELECT t.t FROM t ORDER BY t.t DESC;
SELECT t AS t FROM t AS t ORDER BY t;
SELECT t_2.v, 't_2' FROM t_2 WHERE t_2.id = 12;
SELECT v FROM t_2 ORDER BY v;
SELECT /* t */ t.id FROM t -- t
WHERE t.id = 1;
DROP TABLE t_2;
DROP TABLE t;
-- sharded größe
CREATE TABLE größe (id INT PRIMARY KEY, `maß` INT, `a b` INT, `a.b` INT, `a``b` INT);
INSERT INTO größe (id, `maß`, `a b`, `a.b`, `a``b`) VALUES (1, 1, 2, 3, 4), (2, 5, 6, 7, 8);
SELECT * FROM größe WHERE id = 1;
SELECT größe.`a b`, größe.`a.b`, größe.`a``b` AS `ü` FROM größe ORDER BY größe.maß DESC;
DROP TABLE `größe`;
-- sharded a_table_with_a_name_that_is_as_long_as_it_can_be_with_a_number
CREATE TABLE a_table_with_a_name_that_is_as_long_as_it_can_be_with_a_number (id INT PRIMARY KEY, b INT, KEY a_key_with_a_name_that_is_as_long_as_a_name_can_be_in_this_server (b));
INSERT INTO a_table_with_a_name_that_is_as_long_as_it_can_be_with_a_number VALUES (1, 1), (2, 2);
SELECT * FROM a_table_with_a_name_that_is_as_long_as_it_can_be_with_a_number ORDER BY b DESC;
DROP TABLE a_table_with_a_name_that_is_as_long_as_it_can_be_with_a_number;
SELECT * FROM nowhere.t;
SELECT * FROM information_schema.schemata WHERE schema_name = 'no such';
