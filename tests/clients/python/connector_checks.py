"""MySQL Connector/Python, in pure Python and over its C library."""

import sys

import mysql.connector
import mysql.connector.pooling
from mysql.connector.constants import ClientFlag

import dbapi
import notebook


class Connector(dbapi.Driver):
    error = mysql.connector.Error
    prepared = True
    compresses = True

    def __init__(self, pure):
        self.pure = pure
        if not pure:
            # The C library raises errors of its own, and as parameters takes no such numbers and times.
            self.error = (mysql.connector.Error, mysql.connector.connection_cext.MySQLInterfaceError)
            self.values = {"a_big_unsigned": 2 ** 63 - 1, "a_time": "-30:00:00.123456"}

    def connect(self, database=None, password=notebook.PASSWORD, multi=False, local=False, compress=False, tls="off",
                autocommit=False):
        options = {"ssl_disabled": True}
        if tls != "off":
            trusted = notebook.STRANGER if tls == "stranger" else notebook.AUTHORITY
            options = {"ssl_ca": trusted, "ssl_verify_cert": True, "ssl_verify_identity": True}
        host = "127.0.0.2" if tls == "wrong name" else notebook.HOST
        if database is not None:
            options["database"] = database
        return mysql.connector.connect(
            host=host, port=notebook.PORT, user=notebook.USER, password=password, charset="utf8mb4",
            use_pure=self.pure, client_flags=[ClientFlag.MULTI_STATEMENTS if multi else -ClientFlag.MULTI_STATEMENTS], allow_local_infile=local, compress=compress, autocommit=autocommit,
            connection_timeout=60, **options)

    def streaming(self, connection):
        return connection.cursor(buffered=False)

    def abandon(self, cursor):
        cursor.fetchall()
        cursor.close()

    def sets(self, cursor, text):
        cursor.execute(text)
        found = []
        for _, rows in cursor.fetchsets():
            found.append(rows if cursor.description else [cursor.rowcount, cursor.lastrowid])
        return found

    def call(self, cursor, name, arguments):
        back = cursor.callproc(name, arguments)
        return [[result.fetchall() for result in cursor.stored_results()], list(back)]

    def id_of(self, connection):
        return connection.connection_id


def session(saw, driver):
    """Commands of their own: ping, COM_RESET_CONNECTION, COM_CHANGE_USER, COM_STATISTICS and the like."""
    connection = driver.connect(database=notebook.SHARDED)
    run = dbapi.run
    connection.ping(reconnect=False)
    run(connection, "SET @a = 1, time_zone = '+03:00'")
    run(connection, "CREATE TEMPORARY TABLE gone (id INT)")
    connection.reset_session(user_variables={"b": 2}, session_variables={"sql_mode": "ANSI"})
    saw(run(connection, "SELECT @a, @b, @@sql_mode, @@time_zone = @@global.time_zone, DATABASE()"))
    saw(dbapi.fault(driver, lambda: run(connection, "SELECT * FROM gone"))[0])
    run(connection, "SET @a = 1")
    connection.cmd_change_user(notebook.USER, notebook.PASSWORD, notebook.PASSED)
    saw(run(connection, "SELECT @a, DATABASE(), CURRENT_USER()"))
    if driver.pure:  # the library wants to encrypt a password that the server seems not to know
        saw(dbapi.fault(driver, lambda: connection.cmd_change_user(notebook.USER, "wrong")))
    connection.close()
    connection = driver.connect()
    connection.cmd_init_db(notebook.PASSED)
    saw(run(connection, "SELECT DATABASE()"))
    saw(dbapi.fault(driver, lambda: connection.cmd_init_db("there_is_none")))
    saw(isinstance(connection.cmd_statistics(), dict))
    connection.close()


def prepared(saw, driver):
    """Many statements prepared at the same time, of every kind, and one after a change of its table."""
    connection = driver.connect(database=notebook.SHARDED, autocommit=True)
    run = dbapi.run
    run(connection, "DROP TABLE IF EXISTS orders")
    run(connection, "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)")
    run(connection, "INSERT INTO orders VALUES " + ", ".join(f"({n}, {n})" for n in range(40)))
    cursors = []
    for number in range(300):
        cursor = connection.cursor(prepared=True)
        cursor.execute(f"SELECT id, v + %s AS n{number} FROM orders WHERE id = %s", (number, number % 40))
        cursors.append((cursor, cursor.fetchall()))
    saw([rows for _, rows in cursors])
    for number, (cursor, _) in enumerate(cursors):
        cursor.execute(f"SELECT id, v + %s AS n{number} FROM orders WHERE id = %s", (1000, (number + 1) % 40))
        cursors[number] = (cursor, cursor.fetchall())
    saw([rows for _, rows in cursors])
    run(connection, "ALTER TABLE orders ADD COLUMN w VARCHAR(10) DEFAULT 'new'")
    cursor = connection.cursor(prepared=True)
    cursor.execute("SELECT * FROM orders WHERE id = %s", (5,))
    saw(cursor.fetchall())
    run(connection, "ALTER TABLE orders DROP COLUMN v")
    if driver.pure:  # the library does not bear another number of columns
        cursor.execute("SELECT * FROM orders WHERE id = %s", (6,))
        saw(cursor.fetchall())
    saw(dbapi.fault(driver, lambda: cursor.execute("SELECT v FROM orders WHERE id = %s", (6,))))
    saw(dbapi.fault(driver, lambda: cursor.execute("SELECT FROM WHERE %s", (6,)))[:3])
    for value in (1, -1, driver.values.get("a_big_unsigned", 2 ** 63), 1.5, "text", b"\x00\xff", None, True):
        # A statement of its own for each: MySQL keeps to the types that a statement was first executed with.
        cursor = connection.cursor(prepared=True)
        cursor.execute("SELECT %s IS NULL, HEX(%s)", (value, value))
        saw(cursor.fetchall())
        cursor.close()
    connection.close()


def cursors(saw, driver):
    connection = driver.connect(database=notebook.SHARDED, autocommit=True)
    for options in ({"buffered": True}, {"dictionary": True}, {"dictionary": True, "buffered": True}, {"raw": True}):
        cursor = connection.cursor(**options)
        cursor.execute("SELECT 1 AS a, 'x' AS b, NULL AS c UNION SELECT 2, 'y', 1.5")
        saw(options, cursor.column_names, cursor.with_rows, cursor.fetchall(), cursor.rowcount)
        cursor.close()
    connection.close()


def pooled(saw, driver):
    """The driver's own pool resets sessions between users."""
    options = {"host": notebook.HOST, "port": notebook.PORT, "user": notebook.USER, "password": notebook.PASSWORD,
               "database": notebook.SHARDED, "use_pure": driver.pure}
    pool = mysql.connector.pooling.MySQLConnectionPool(pool_name="two", pool_size=2, **options)
    for turn in range(6):
        connection = pool.get_connection()
        saw(turn, dbapi.run(connection, "SELECT @turn, DATABASE(), @@sql_mode = @@global.sql_mode, @@autocommit"))
        dbapi.run(connection, f"SET @turn = {turn}, sql_mode = '', autocommit = 1")
        connection.close()


def checks(book):
    pure = sys.argv[1] == "connector-pure"
    if not pure and not mysql.connector.HAVE_CEXT:
        book.skip("the connector's C library does not load here")
    driver = Connector(pure)
    dbapi.all_checks(book, driver)
    book.check("session", session, driver)
    book.check("prepared", prepared, driver)
    book.check("cursors", cursors, driver)
    book.check("pool", pooled, driver)
