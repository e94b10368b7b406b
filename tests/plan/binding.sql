-- database: nodes
SELECT o.note FROM t_order o JOIN t_item i ON o.order_id = i.order_id WHERE o.user_id = 1 AND o.order_id = 3
SELECT o.note, i.n FROM t_order o JOIN t_item i ON o.order_id = i.order_id WHERE o.user_id = 1
SELECT o.note, i.n FROM t_order o JOIN t_item i ON o.order_id = i.order_id WHERE i.order_id = 4
SELECT o.note, i.n FROM t_order o JOIN t_item i ON o.order_id = i.order_id
SELECT COUNT(*) FROM t_order o, t_item i WHERE o.order_id = i.order_id
SELECT o.order_id, SUM(i.n) FROM t_order o JOIN t_item i ON o.order_id = i.order_id GROUP BY o.order_id
SELECT o.note FROM t_order o JOIN t_item i ON o.order_id = i.order_id ORDER BY i.n LIMIT 2
SELECT * FROM t_order o JOIN t_item i ON o.order_id = i.order_id
SELECT o.note FROM t_order o JOIN t_item i ON o.order_id = i.item_id
SELECT o.note FROM t_order o JOIN t_item i ON o.order_id = i.item_id WHERE o.user_id = 1
SELECT o.note FROM t_order o, t_item i WHERE o.user_id = 1 AND o.order_id = 3 AND i.user_id = 1 AND i.order_id = 5
SELECT o.note FROM t_order o JOIN t_free f ON o.order_id = f.order_id AND o.user_id = f.user_id
SELECT o.note FROM t_order o JOIN t_free f ON o.order_id = f.order_id AND o.user_id = f.user_id WHERE f.user_id = 1 AND f.order_id = 2
SELECT o.note FROM t_order o JOIN t_free f ON o.order_id = f.order_id WHERE f.user_id = 1 AND f.order_id = 2
SELECT o.note FROM t_order o JOIN t_pair p ON o.order_id = p.a
SELECT o.note FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id WHERE o.user_id = 1 AND o.order_id = 3
SELECT o.note, c.v FROM t_order o JOIN t_item i ON o.order_id = i.order_id JOIN t_config c ON c.k = i.n WHERE o.user_id = 1
SELECT o.note FROM t_order o JOIN t_item i ON o.order_id = i.order_id WHERE o.order_id IN (SELECT order_id FROM t_item)
UPDATE t_order o JOIN t_item i ON o.order_id = i.order_id SET o.note = 'x' WHERE o.user_id = 1
SELECT o.note, i.n FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id WHERE o.user_id = 1
SELECT o.note, i.n FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id AND i.n > 1
SELECT o.note, i.n FROM t_order o LEFT JOIN t_item i ON i.order_id = o.order_id WHERE i.order_id = 4
SELECT o.note, i.n FROM t_order o LEFT JOIN t_item i ON o.order_id = i.item_id
SELECT o.note, i.n FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id OR i.n = 1
SELECT o.note, i.n FROM t_order o RIGHT JOIN t_item i ON o.order_id = i.order_id
SELECT o.note, i.n FROM t_order o LEFT JOIN t_item i USING (order_id)
SELECT o.note, c.v FROM t_order o LEFT JOIN t_config c ON c.k = o.order_id WHERE o.user_id = 1
SELECT o.note, c.v FROM t_config c LEFT JOIN t_order o ON c.k = o.order_id
SELECT o.note, c.v FROM t_order o LEFT JOIN (t_item i JOIN t_config c ON c.k = i.n) ON o.order_id = i.order_id
SELECT o.note, c.v FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id JOIN t_config c ON c.k = i.n
SELECT o.note, i.n, j.n FROM t_order o LEFT JOIN t_item i ON o.order_id = i.order_id LEFT JOIN t_item j ON o.order_id = j.order_id
SELECT o.note FROM t_order o JOIN t_item i ON o.order_id = i.order_id ORDER BY o.note
SELECT o.note AS n FROM t_order o JOIN t_item i ON o.order_id = i.order_id GROUP BY n
SELECT n FROM t_order o JOIN t_item i ON o.order_id = i.order_id ORDER BY n
SELECT i.order_id FROM t_order o JOIN t_item i ON o.order_id = i.order_id ORDER BY i.order_id
-- One key of the units alone ties rows of different tables of a unit.
SELECT COUNT(*) FROM t_order o JOIN t_item i ON o.user_id = i.user_id
SELECT note FROM t_order o WHERE EXISTS (SELECT 1 FROM t_item i WHERE i.user_id = o.user_id)
SELECT o.note FROM t_order o JOIN t_item i ON o.user_id = i.user_id WHERE o.user_id = 1
SELECT o.note FROM t_order o JOIN t_item i ON o.user_id = i.user_id AND o.order_id = i.order_id WHERE o.user_id = 1
