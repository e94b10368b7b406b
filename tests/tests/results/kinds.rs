//! A table with columns of every type.

use weir_tests::Logical;

const KINDS: &str = "CREATE TABLE kinds (id INT NOT NULL PRIMARY KEY, t TINYINT, u BIGINT UNSIGNED, z INT(7) UNSIGNED ZEROFILL, \
    f FLOAT, g FLOAT(7,2), d DOUBLE, e DECIMAL(30,10), y YEAR, a DATE, b DATETIME(6), c TIMESTAMP(3) NULL, h TIME(2), i BIT(17), \
    j JSON, k ENUM('x','y'), l SET('p','q'), m BINARY(4), n VARBINARY(300), o TEXT, p GEOMETRY, q VECTOR(3), r CHAR(3) CHARACTER SET latin1)";

const VALUES: &[&str] = &[
    "(1, -128, 18446744073709551615, 42, 1.5, 1.25, 1e300, -12345678901234567890.0123456789, 2024, '2024-02-29', \
     '2024-02-29 23:59:59.123456', '2024-01-01 00:00:00.5', '-838:59:59', b'10101', '{\"a\": [1, null]}', 'y', 'p,q', 'ab', 'x\\0y', \
     'long', ST_GeomFromText('POINT(1 2)'), TO_VECTOR('[1,2.5,-3]'), 'é')",
    "(2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    "(13, 0, 0, 0, 0, 0, -0.0, 0, 0, '0000-00-00', '0000-00-00 00:00:00', NULL, '-00:00:00.01', 0, '\"s\"', 'x', '', '', '', '', NULL, NULL, '')",
    "(14, 127, 9223372036854775808, 9999999, 3.4e38, -99999.99, 1e-300, 0.1, 1901, '1000-00-01', '9999-12-31 00:00:00', NULL, \
     '838:59:59', b'11111111111111111', 'null', NULL, 'q', NULL, REPEAT('z', 300), REPEAT('o', 70000), NULL, NULL, 'abc')",
];

/// A table with columns of every type, sharded behind the proxy.
pub(crate) fn kinds(logical: &Logical<'_>) {
    logical.shard("kinds", "id");
    for client in [&mut logical.plain(), &mut logical.client()] {
        client.run("SET sql_mode = ''");
        client.run(KINDS);
        for row in VALUES {
            client.run(format!("INSERT INTO kinds VALUES {row}"));
        }
    }
}
