"""Checks that every driver with Python's database interface (PEP 249) can run.

A `Driver` tells how one of them connects and what it can do; the checks are the same for all.
"""

import datetime
import decimal
import os
import threading

import notebook

COLUMNS = [
    ("a_tiny", "TINYINT", -128),
    ("a_tiny_unsigned", "TINYINT UNSIGNED", 255),
    ("a_small", "SMALLINT", -32768),
    ("a_medium", "MEDIUMINT UNSIGNED", 16777215),
    ("an_int", "INT", -2147483648),
    ("an_int_unsigned", "INT UNSIGNED", 4294967295),
    ("a_big", "BIGINT", -9223372036854775808),
    ("a_big_unsigned", "BIGINT UNSIGNED", 18446744073709551615),
    ("a_filled", "INT(8) ZEROFILL", 42),
    ("a_decimal", "DECIMAL(30,10)", decimal.Decimal("-12345678901234567890.0123456789")),
    ("a_float", "FLOAT", 1.5),
    ("a_double", "DOUBLE", -1.25e-300),
    ("a_bit", "BIT(12)", 2730),
    ("a_bool", "BOOLEAN", True),
    ("a_date", "DATE", datetime.date(2024, 2, 29)),
    ("a_time", "TIME(6)", datetime.timedelta(hours=-30, microseconds=-123456)),
    ("a_datetime", "DATETIME(6)", datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)),
    ("a_timestamp", "TIMESTAMP(3) NULL", datetime.datetime(2038, 1, 19, 3, 14, 7, 123000)),
    ("a_year", "YEAR", 2155),
    ("a_char", "CHAR(10)", "Zürich"),
    ("a_varchar", "VARCHAR(100)", "naïve 😀 'quoted' \\ back\nline\0nul"),
    ("a_binary", "BINARY(4)", b"\x00\x01\xfe\xff"),
    ("a_varbinary", "VARBINARY(100)", b"\\'\"\x00\x1a\n"),
    ("a_text", "TEXT", "x" * 70),
    ("a_long_text", "LONGTEXT", "ж" * 1000),
    ("a_blob", "BLOB", bytes(range(256))[:180]),
    ("an_enum", "ENUM('small','größer')", "größer"),
    ("a_set", "SET('a','b','c')", "a,c"),
    ("a_json", "JSON", '{"k": [1, 2.5, null, "ü"]}'),
]


class Driver:
    """How one driver is used. `connect` takes these options: database, password, multi, local, compress, tls
    ("off", "verify", "stranger", "wrong name"), autocommit."""

    name = ""
    error = Exception
    prepared = False
    compresses = False
    # Values in the place of those of `COLUMNS` that the driver itself does not bear.
    values = {}

    def connect(self, **options):
        raise NotImplementedError

    def streaming(self, connection):
        """A cursor that does not read all rows at once."""
        return connection.cursor()

    def binary(self, connection):
        """A cursor that prepares its statements."""
        return connection.cursor(prepared=True)

    def sets(self, cursor):
        """All results of one text as they come: rows, or (affected, insert id)."""
        raise NotImplementedError

    def id_of(self, connection):
        raise NotImplementedError


def fault(driver, function):
    """What is raised: class, number, state, text."""
    try:
        function()
    except driver.error as error:
        return [type(error).__name__, getattr(error, "sqlstate", None), list(error.args)]
    return "nothing raised"


def run(connection, text, parameters=None):
    """One statement; rows if it gives some, else what it did."""
    cursor = connection.cursor()
    try:
        cursor.execute(text, parameters) if parameters is not None else cursor.execute(text)
        if cursor.description is None:
            return [cursor.rowcount, cursor.lastrowid]
        return cursor.fetchall()
    finally:
        cursor.close()


def describe(cursor):
    """Names and types of the columns as the driver tells them."""
    return [list(column) for column in cursor.description]


def login(saw, driver):
    connection = driver.connect(database=notebook.SHARDED)
    saw(run(connection, "SELECT DATABASE(), CURRENT_USER(), SUBSTRING_INDEX(USER(), '@', 1)"))
    saw(run(connection, "SELECT @@character_set_client, @@character_set_results, @@autocommit"))
    connection.close()
    # Over TLS, where every driver may show its password.
    saw(fault(driver, lambda: driver.connect(password="wrong", tls="verify")))
    saw(fault(driver, lambda: driver.connect(password="", tls="verify")))
    saw(fault(driver, lambda: driver.connect(database="there_is_none")))


def encryption(saw, driver):
    for how in ("off", "verify"):
        for _ in range(2):
            connection = driver.connect(tls=how)
            saw(how, run(connection, "SELECT 1"))
            connection.close()
    for how in ("stranger", "wrong name"):
        try:
            driver.connect(tls=how)
            saw(how, "was taken")
        except Exception as error:  # drivers hand on what their TLS library raises
            saw(how, "CERTIFICATE_VERIFY_FAILED" in repr(error) or "certificate" in repr(error).lower())


def orders(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS orders")
    saw(run(connection, "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer VARCHAR(40), total DECIMAL(10,2), "
                        "placed DATETIME, KEY (customer))"))
    cursor = connection.cursor()
    rows = [(number, f"c{number % 7}", decimal.Decimal(number) / 4,
             datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=number)) for number in range(1, 101)]
    cursor.executemany("INSERT INTO orders (id, customer, total, placed) VALUES (%s, %s, %s, %s)", rows)
    saw(cursor.rowcount)
    for text, parameters in [
        ("SELECT * FROM orders WHERE id = %s", (42,)),
        ("SELECT id, total FROM orders WHERE id IN (%s, %s, %s) ORDER BY id DESC", (3, 17, 99)),
        ("SELECT * FROM orders ORDER BY total DESC, id LIMIT 5 OFFSET 10", ()),
        ("SELECT customer, COUNT(*), SUM(total), AVG(total), MIN(placed) FROM orders GROUP BY customer ORDER BY 1", ()),
        ("SELECT COUNT(DISTINCT customer) AS n, MAX(total) FROM orders", ()),
        ("SELECT * FROM orders WHERE id = -1", ()),
        ("SELECT o.id, (SELECT 1) AS one FROM orders o WHERE o.customer = %s ORDER BY o.id", ("c3",)),
    ]:
        cursor.execute(text, parameters)
        saw(text, describe(cursor), cursor.fetchall(), cursor.rowcount)
    saw(run(connection, "UPDATE orders SET total = total + 1 WHERE customer = %s", ("c1",)))
    saw(run(connection, "UPDATE orders SET total = total WHERE customer = 'c1'"))
    saw(run(connection, "DELETE FROM orders WHERE id BETWEEN 90 AND 95"))
    saw(run(connection, "SELECT COUNT(*), SUM(total) FROM orders"))
    saw(fault(driver, lambda: run(connection, "INSERT INTO orders VALUES (1, 'x', 1, NULL)")))
    saw(fault(driver, lambda: run(connection, "SELECT nothing FROM orders")))
    saw(fault(driver, lambda: run(connection, "SELEC 1")))
    saw(fault(driver, lambda: run(connection, "SELECT * FROM nowhere")))
    saw(run(connection, "SELECT 1"))
    connection.close()


def contacts(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS contacts")
    run(connection, "CREATE TABLE contacts (id INT PRIMARY KEY, name VARCHAR(40), phone VARCHAR(200))")
    cursor = connection.cursor()
    cursor.executemany("INSERT INTO contacts (id, name, phone) VALUES (%s, %s, %s)",
                       [(1, "Ann", "+41 44 1"), (2, "Bö", "555"), (3, "Cy", None)])
    saw(run(connection, "SELECT id, name, phone FROM contacts ORDER BY id"))
    saw(run(connection, "SELECT * FROM contacts WHERE phone = %s", ("555",)))
    saw(run(connection, "UPDATE contacts SET phone = %s WHERE phone = %s", ("556", "555")))
    saw(run(connection, "SELECT name FROM contacts WHERE phone IN ('556', '+41 44 1') ORDER BY id"))
    if driver.prepared:
        cursor = driver.binary(connection)
        for phone in ("556", "nobody's", "+41 44 1"):
            cursor.execute("SELECT id, phone FROM contacts WHERE phone = %s", (phone,))
            saw(cursor.fetchall())
    connection.close()


def types(saw, driver, database):
    connection = driver.connect(database=database, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS notes")
    columns = ", ".join(f"{name} {kind}" for name, kind, _ in COLUMNS)
    run(connection, f"CREATE TABLE notes (id INT PRIMARY KEY, {columns})")
    names = ", ".join(name for name, _, _ in COLUMNS)
    marks = ", ".join("%s" for _ in COLUMNS)
    insert = f"INSERT INTO notes (id, {names}) VALUES (%s, {marks})"
    values = [driver.values.get(name, value) for name, _, value in COLUMNS]
    run(connection, insert, (1, *values))
    run(connection, insert, (2, *(None for _ in COLUMNS)))
    if driver.prepared:
        cursor = driver.binary(connection)
        cursor.execute(insert, (3, *values))
        cursor.execute(insert, (4, *(None for _ in COLUMNS)))
        saw(cursor.rowcount)
        cursor.close()
    run(connection, "SET sql_mode = ''")
    run(connection, "INSERT INTO notes (id, a_date, a_datetime, a_time, a_timestamp, a_year, an_enum, a_set) VALUES "
                    "(5, '0000-00-00', '2000-01-01 00:00:00', '838:59:59', '1970-01-01 00:00:01', 0, '', '')")
    cursor = connection.cursor()
    cursor.execute("SELECT * FROM notes ORDER BY id")
    saw(describe(cursor))
    for row in cursor.fetchall():
        saw(row)
    cursor.close()
    if driver.prepared:
        cursor = driver.binary(connection)
        for number in (1, 2, 3, 5):
            cursor.execute("SELECT * FROM notes WHERE id = %s", (number,))
            saw(describe(cursor), cursor.fetchall())
        cursor.execute("SELECT a_big_unsigned, a_double, a_datetime FROM notes WHERE id < %s ORDER BY id", (5,))
        saw(cursor.fetchall())
        cursor.close()
    connection.close()


def transactions(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=False)
    other = driver.connect(database=notebook.SHARDED, autocommit=True)
    count = "SELECT COUNT(*) FROM notes"
    run(other, "DROP TABLE IF EXISTS notes")
    run(other, "CREATE TABLE notes (id INT PRIMARY KEY, v INT)")
    insert = "INSERT INTO notes VALUES (%s, %s)"
    run(connection, insert, (1, 1))
    run(connection, insert, (2, 1))
    saw("open", run(connection, count), run(other, count))
    connection.rollback()
    saw("rolled back", run(connection, count), run(other, count))
    connection.rollback()
    for number in range(10, 20):
        run(connection, insert, (number, 2))
    connection.commit()
    saw("committed", run(connection, count), run(other, count))
    connection.rollback()
    run(connection, insert, (30, 3))
    run(connection, "SAVEPOINT here")
    run(connection, insert, (31, 3))
    run(connection, "UPDATE notes SET v = 9")
    run(connection, "ROLLBACK TO SAVEPOINT here")
    run(connection, insert, (32, 3))
    run(connection, "RELEASE SAVEPOINT here")
    saw("released", fault(driver, lambda: run(connection, "ROLLBACK TO SAVEPOINT here")))
    connection.commit()
    saw("savepoint", run(other, "SELECT * FROM notes ORDER BY id"))
    saw("failed statement", fault(driver, lambda: run(connection, insert, (30, 4))))
    run(connection, insert, (33, 4))
    connection.commit()
    saw("went on", run(other, "SELECT v FROM notes WHERE id = 33"))
    run(connection, insert, (40, 5))
    connection.close()
    saw("closed", run(other, "SELECT COUNT(*) FROM notes WHERE id = 40"))
    run(other, "START TRANSACTION READ ONLY")
    saw("read only", fault(driver, lambda: run(other, insert, (50, 5))))
    run(other, "COMMIT")
    run(other, "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE")
    saw(run(other, "SELECT @@transaction_isolation"))
    other.close()


def settings(saw, driver):
    connection = driver.connect(database=notebook.PASSED, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS moments")
    run(connection, "CREATE TABLE moments (t TIMESTAMP, d DATETIME)")
    for zone in ("+00:00", "+05:30", "-08:00"):
        run(connection, "SET time_zone = %s", (zone,))
        run(connection, "INSERT INTO moments VALUES ('2024-06-30 12:00:00', '2024-06-30 12:00:00')")
        saw(zone, run(connection, "SELECT * FROM moments ORDER BY t, d"))
        saw(run(connection, "SELECT @@time_zone, FROM_UNIXTIME(0), UNIX_TIMESTAMP('1970-01-02')"))
    run(connection, "SET NAMES latin1")
    saw(run(connection, "SELECT @@character_set_client, @@collation_connection, HEX('x')"))
    run(connection, "SET NAMES utf8mb4 COLLATE utf8mb4_bin")
    saw(run(connection, "SELECT 'a' = 'A', @@collation_connection"))
    run(connection, "SET @name = 'ünï', @number = 7")
    saw(run(connection, "SELECT @name, @number + 1, @nothing"))
    run(connection, "SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'")
    saw(run(connection, "SELECT 'a' || 'b' AS \"both\", @@sql_mode"))
    saw(fault(driver, lambda: run(connection, "SET no_such_variable = 1")))
    saw(fault(driver, lambda: run(connection, "SET sql_mode = 'NONSENSE'")))
    connection.close()


def unicode_texts(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS `größe 漢字`")
    saw(run(connection, "CREATE TABLE `größe 漢字` (`schlüssel` INT PRIMARY KEY, v VARCHAR(50)) CHARSET utf8mb4"))
    texts = ["", "ASCII", "naïve", "漢字かな", "😀👩‍👩‍👧‍👦🇨🇭", "\u0301combining", "\u202eright to left", "\ufffd", "a\0b"]
    for number, text in enumerate(texts):
        run(connection, "INSERT INTO `größe 漢字` VALUES (%s, %s)", (number, text))
    saw(run(connection, "SELECT `schlüssel`, v, CHAR_LENGTH(v), HEX(v) FROM `größe 漢字` ORDER BY `schlüssel`"))
    saw(run(connection, "SELECT `schlüssel` FROM `größe 漢字` WHERE v = %s", ("😀👩‍👩‍👧‍👦🇨🇭",)))
    cursor = connection.cursor()
    cursor.execute("SELECT v AS `Spalte 😉`, '漢' AS `é` FROM `größe 漢字` LIMIT 0")
    saw(describe(cursor), cursor.fetchall())
    saw(run(connection, "SHOW TABLES LIKE 'gr%'"))
    saw(fault(driver, lambda: run(connection, "INSERT INTO `größe 漢字` VALUES (0, 'дубль')")))
    run(connection, "DROP TABLE `größe 漢字`")
    connection.close()


def big(saw, driver):
    connection = driver.connect(database=notebook.PASSED, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS big")
    run(connection, "CREATE TABLE big (id INT PRIMARY KEY, v LONGBLOB)")
    million = 1024 * 1024
    for number, size in enumerate((16 * million - 40, 16 * million - 1, 16 * million, 20 * million)):
        run(connection, "INSERT INTO big VALUES (%s, %s)", (number, b"x" * size))
        [[value, check]] = run(connection, "SELECT v, SHA2(v, 256) FROM big WHERE id = %s", (number,))
        saw(size, len(value), check, bytes(value) == b"x" * size)
    saw(run(connection, "SELECT id, LENGTH(v) FROM big ORDER BY id"))
    run(connection, "DROP TABLE big")
    connection.close()


def nothing(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS notes")
    run(connection, "CREATE TABLE notes (id INT PRIMARY KEY, v INT, w VARCHAR(10))")
    for text in ("SELECT * FROM notes", "SELECT * FROM notes WHERE id = 1", "SELECT v, COUNT(*) FROM notes GROUP BY v",
                 "SELECT COUNT(*), SUM(v), MIN(w) FROM notes", "SELECT NULL, NULL AS n", "SELECT * FROM notes LIMIT 0",
                 "UPDATE notes SET v = 1", "DELETE FROM notes", "DO 0"):
        saw(text, run(connection, text))
    run(connection, "INSERT INTO notes VALUES (1, NULL, NULL), (2, NULL, ''), (3, 0, NULL)")
    saw(run(connection, "SELECT * FROM notes ORDER BY id"))
    saw(run(connection, "SELECT id FROM notes WHERE v IS NULL AND w <=> %s ORDER BY id", (None,)))
    connection.close()


def generated_keys(saw, driver):
    connection = driver.connect(database=notebook.PASSED, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS counted")
    run(connection, "CREATE TABLE counted (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
    saw(run(connection, "INSERT INTO counted (v) VALUES (1)"))
    saw(run(connection, "INSERT INTO counted (v) VALUES (1), (2), (3)"))
    saw(run(connection, "SELECT LAST_INSERT_ID(), ROW_COUNT()"))
    saw(run(connection, "INSERT INTO counted VALUES (100, 5)"))
    saw(run(connection, "SELECT LAST_INSERT_ID() AS id"))
    saw(run(connection, "INSERT INTO counted (id, v) VALUES (100, 6) ON DUPLICATE KEY UPDATE v = 7"))
    saw(run(connection, "UPDATE counted SET id = LAST_INSERT_ID(id + 1000) WHERE id = 1"))
    saw(run(connection, "SELECT LAST_INSERT_ID()"))
    connection.close()


def warnings(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS notes, orders")
    saw(run(connection, "DROP TABLE IF EXISTS no_such_table"))
    saw(run(connection, "SHOW WARNINGS"))
    run(connection, "CREATE TABLE notes (id INT PRIMARY KEY, v TINYINT)")
    run(connection, "SET sql_mode = ''")
    run(connection, "INSERT INTO notes VALUES (1, 1000), (2, -1000), (3, 5)")
    saw(run(connection, "SHOW COUNT(*) WARNINGS"))
    saw(run(connection, "SHOW WARNINGS"))
    saw(run(connection, "SELECT 1 / 0"), run(connection, "SHOW WARNINGS"))
    saw(fault(driver, lambda: run(connection, "SELECT * FROM nowhere")))
    saw(run(connection, "SHOW ERRORS"))
    connection.close()


def routines(saw, driver):
    connection = driver.connect(database=notebook.PASSED, autocommit=True)
    for text in (
        "DROP PROCEDURE IF EXISTS p", "DROP PROCEDURE IF EXISTS q", "DROP FUNCTION IF EXISTS f",
        "CREATE PROCEDURE p(IN a INT, INOUT b INT, OUT c VARCHAR(20)) BEGIN SELECT a, b; SET b = b + a; SET c = 'out'; "
        "SELECT 'second' AS s UNION SELECT 'row'; END",
        "CREATE PROCEDURE q() BEGIN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'of my own', MYSQL_ERRNO = 1644; END",
        "CREATE FUNCTION f(a INT) RETURNS INT DETERMINISTIC RETURN a * 2",
    ):
        run(connection, text)
    cursor = connection.cursor()
    saw(driver.call(cursor, "p", (2, 5, None)))
    cursor.close()
    saw(run(connection, "SELECT f(21)"))
    cursor = connection.cursor()
    saw(fault(driver, lambda: cursor.callproc("q")))
    cursor.close()
    saw(run(connection, "SELECT 1"))
    connection.close()


def several_statements(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=True, multi=True)
    run(connection, "DROP TABLE IF EXISTS notes")
    run(connection, "CREATE TABLE notes (id INT PRIMARY KEY, v INT)")
    text = ("INSERT INTO notes VALUES (1, 1), (2, 2), (3, 3); SELECT * FROM notes ORDER BY id; "
            "UPDATE notes SET v = v + 1 WHERE id <> 2; SELECT 'a;b' AS `x;y` /* ; */ ; SELECT COUNT(*) FROM notes;")
    cursor = connection.cursor()
    saw(driver.sets(cursor, text))
    saw(driver.sets(cursor, "SELECT 1;"))
    saw(driver.sets(cursor, "SELECT 1; SELECT 2; -- done\n"))
    saw(driver.sets(cursor, "BEGIN; INSERT INTO notes VALUES (9, 9); ROLLBACK; SELECT COUNT(*) FROM notes"))
    saw(driver.sets(cursor, "SET @a = 5; SELECT @a; SET @a = @a + 1; SELECT @a"))
    saw(fault(driver, lambda: driver.sets(cursor, "SELECT 1; SELECT * FROM nowhere; INSERT INTO notes VALUES (7, 7)")))
    cursor.close()
    connection.close()
    connection = driver.connect(database=notebook.SHARDED, autocommit=True)
    saw(run(connection, "SELECT COUNT(*) FROM notes"))
    connection.close()


def statements_without_leave(saw, driver):
    """Without the client's flag a second statement is a syntax error."""
    connection = driver.connect(database=notebook.SHARDED, autocommit=True, multi=False)
    saw(fault(driver, lambda: run(connection, "SELECT 1; SELECT 2"))[:2])
    saw(run(connection, "SELECT 1;"))
    connection.close()


def streams(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS notes")
    run(connection, "CREATE TABLE notes (id INT PRIMARY KEY, v VARCHAR(200))")
    cursor = connection.cursor()
    for start in range(0, 5000, 1000):
        cursor.executemany("INSERT INTO notes VALUES (%s, %s)", [(n, f"v{n}" * 20) for n in range(start, start + 1000)])
    cursor.close()
    cursor = driver.streaming(connection)
    cursor.execute("SELECT id, v FROM notes ORDER BY id")
    total = 0
    for row in cursor:
        total = (total * 31 + row[0]) % 1000003
    saw(total)
    cursor.close()
    cursor = driver.streaming(connection)
    cursor.execute("SELECT id FROM notes ORDER BY id")
    saw([cursor.fetchone(), cursor.fetchone(), cursor.fetchmany(3)])
    driver.abandon(cursor)
    saw(run(connection, "SELECT COUNT(*) FROM notes"))
    connection.close()


def local_file(saw, driver):
    path = os.path.join(notebook.FOLDER, "rows.csv")
    with open(path, "w", encoding="utf-8") as file:
        for number in range(20000):
            file.write(f"{number},\"text {number} ü\"\n")
    connection = driver.connect(database=notebook.PASSED, autocommit=True, local=True)
    run(connection, "DROP TABLE IF EXISTS loaded")
    run(connection, "CREATE TABLE loaded (id INT PRIMARY KEY, v VARCHAR(40))")
    load = f"LOAD DATA LOCAL INFILE '{path}' INTO TABLE loaded FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"'"
    saw(run(connection, load)[0])
    saw(run(connection, "SELECT COUNT(*), SUM(id), MAX(v) FROM loaded"))
    saw(run(connection, load)[0], len(run(connection, "SHOW WARNINGS")))
    try:
        run(connection, load.replace("rows.csv", "none.csv"))
        saw("no error")
    except Exception as error:  # of the driver's own or of the operating system
        saw(type(error).__name__)
    connection.close()
    connection = driver.connect(database=notebook.PASSED, autocommit=True, local=False)
    saw(fault(driver, lambda: run(connection, load)))
    connection.close()


def compressed(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=True, compress=True)
    saw(run(connection, "SELECT REPEAT('compress me ', 10000)"))
    saw(run(connection, "SELECT 1"))
    run(connection, "DROP TABLE IF EXISTS notes")
    run(connection, "CREATE TABLE notes (id INT PRIMARY KEY, v LONGBLOB)")
    noise = bytes((n * n * 7 + n // 3) % 256 for n in range(100000))
    for number, value in enumerate((b"", b"x" * 10, noise, b"y" * (17 * 1024 * 1024))):
        run(connection, "INSERT INTO notes VALUES (%s, %s)", (number, value))
        [[found]] = run(connection, "SELECT v FROM notes WHERE id = %s", (number,))
        saw(number, len(found), bytes(found) == value)
    saw(run(connection, "SELECT id, LENGTH(v) FROM notes ORDER BY id"))
    saw(fault(driver, lambda: run(connection, "SELECT * FROM nowhere")))
    connection.close()


def kill(saw, driver):
    victim, other = driver.connect(), driver.connect()
    result = []
    thread = threading.Thread(target=lambda: result.append(fault(driver, lambda: run(victim, "SELECT SLEEP(30)"))))
    thread.start()
    wait_for_sleep(other, driver.id_of(victim))
    saw(run(other, f"KILL QUERY {driver.id_of(victim)}"))
    thread.join()
    saw(len(result))
    saw(run(victim, "SELECT 'goes on'"))
    saw(run(other, f"KILL {driver.id_of(victim)}"))
    saw(fault(driver, lambda: run(victim, "SELECT 1"))[0])
    saw(fault(driver, lambda: run(other, "KILL 4000000000")))
    saw(run(other, "SELECT CONNECTION_ID()")[0][0] == driver.id_of(other))
    other.close()


def wait_for_sleep(connection, number):
    """Returns when the process list shows that connection in its statement."""
    for _ in range(2000):
        rows = run(connection, "SHOW FULL PROCESSLIST")
        if any(row[0] == number and row[7] and "SLEEP" in str(row[7]) for row in rows):
            return
    raise AssertionError("the process list does not show the statement")


def many_connections(saw, driver):
    """Fifty threads that open, use and close connections, each with variables of its own."""
    setup = driver.connect(database=notebook.SHARDED, autocommit=True)
    run(setup, "DROP TABLE IF EXISTS notes")
    run(setup, "CREATE TABLE notes (id INT PRIMARY KEY, v INT)")
    run(setup, "INSERT INTO notes VALUES " + ", ".join(f"({n}, 0)" for n in range(50)))
    wrong = []

    def work(number):
        try:
            for turn in range(3):
                connection = driver.connect(database=notebook.SHARDED, autocommit=False)
                run(connection, f"SET @me = {number}, SESSION sort_buffer_size = {262144 + number * 1024}")
                for _ in range(4):
                    run(connection, "UPDATE notes SET v = v + 1 WHERE id = %s", (number,))
                    seen = run(connection, "SELECT @me, @@sort_buffer_size, id FROM notes WHERE id = %s", (number,))
                    if list(seen[0]) != [number, 262144 + number * 1024, number]:
                        wrong.append([number, seen])
                connection.commit() if turn != 1 else connection.rollback()
                connection.close()
        except Exception as error:  # told below
            wrong.append(repr(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    saw(wrong[:5])
    saw(run(setup, "SELECT COUNT(*), SUM(v), MIN(v), MAX(v) FROM notes"))
    setup.close()


def information(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=True)
    run(connection, "DROP TABLE IF EXISTS notes, orders, contacts")
    run(connection, "CREATE TABLE orders (id BIGINT PRIMARY KEY, v VARCHAR(20) NOT NULL DEFAULT 'x' COMMENT 'why', KEY k (v))")
    for text in (
        "SHOW TABLES", "SHOW FULL TABLES", "DESCRIBE orders", "SHOW FULL COLUMNS FROM orders", "SHOW CREATE TABLE orders",
        "SHOW KEYS FROM orders WHERE Key_name = 'PRIMARY'",
        "SELECT TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, COLUMN_TYPE, COLUMN_KEY FROM information_schema.COLUMNS "
        "WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1, 3",
        "SHOW VARIABLES LIKE 'lower_case_table_names'", "SHOW CHARACTER SET LIKE 'utf8mb4'",
        "SELECT @@lower_case_table_names, @@max_allowed_packet",
    ):
        saw(text, run(connection, text))
    connection.close()


def all_checks(book, driver):
    """Everything that goes by the common interface."""
    book.check("login", login, driver)
    book.check("tls", encryption, driver)
    book.check("orders", orders, driver)
    book.check("contacts", contacts, driver)
    book.check("types_passed", types, driver, notebook.PASSED)
    book.check("types_sharded", types, driver, notebook.SHARDED)
    book.check("transactions", transactions, driver)
    book.check("settings", settings, driver)
    book.check("unicode", unicode_texts, driver)
    book.check("big", big, driver)
    book.check("nothing", nothing, driver)
    book.check("generated_keys", generated_keys, driver)
    book.check("warnings", warnings, driver)
    book.check("call", routines, driver)
    book.check("multi", several_statements, driver)
    book.check("multi_refused", statements_without_leave, driver)
    book.check("stream", streams, driver)
    book.check("local_infile", local_file, driver)
    if driver.compresses:
        book.check("compress", compressed, driver)
    book.check("kill", kill, driver)
    book.check("many_connections", many_connections, driver)
    book.check("information", information, driver)
