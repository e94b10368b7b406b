"""PyMySQL: pure Python, text protocol only."""

import ssl

import pymysql
import pymysql.cursors
from pymysql.constants import CLIENT

import dbapi
import notebook


class PyMySql(dbapi.Driver):
    name = "pymysql"
    error = pymysql.MySQLError

    def connect(self, database=None, password=notebook.PASSWORD, multi=False, local=False, compress=False, tls="off",
                autocommit=False):
        options = {}
        if tls != "off":
            trusted = notebook.STRANGER if tls == "stranger" else notebook.AUTHORITY
            options["ssl"] = ssl.create_default_context(cafile=trusted)
        host = "127.0.0.2" if tls == "wrong name" else notebook.HOST
        return pymysql.connect(
            host=host, port=notebook.PORT, user=notebook.USER, password=password, database=database, charset="utf8mb4",
            client_flag=CLIENT.MULTI_STATEMENTS if multi else 0, local_infile=local, autocommit=autocommit, **options)

    def streaming(self, connection):
        return connection.cursor(pymysql.cursors.SSCursor)

    def abandon(self, cursor):
        cursor.close()

    def sets(self, cursor, text):
        cursor.execute(text)
        found = []
        while True:
            found.append(cursor.fetchall() if cursor.description else [cursor.rowcount, cursor.lastrowid])
            if not cursor.nextset():
                return found

    def call(self, cursor, name, arguments):
        cursor.callproc(name, arguments)
        found = []
        while True:
            found.append(cursor.fetchall() if cursor.description else cursor.rowcount)
            if not cursor.nextset():
                break
        cursor.execute(f"SELECT @_{name}_0, @_{name}_1, @_{name}_2")
        return found + [cursor.fetchall()]

    def id_of(self, connection):
        return connection.thread_id()


def session(saw, driver):
    """Commands of their own: ping, USE by COM_INIT_DB."""
    connection = driver.connect()
    connection.ping()
    connection.select_db(notebook.SHARDED)
    saw(dbapi.run(connection, "SELECT DATABASE()"))
    saw(dbapi.fault(driver, lambda: connection.select_db("there_is_none")))
    saw(dbapi.run(connection, "SELECT DATABASE()"))
    cursor = connection.cursor(pymysql.cursors.DictCursor)
    cursor.execute("SELECT 1 AS a, 2 AS a, NULL AS b")
    saw(cursor.fetchall())
    saw(connection.show_warnings())
    connection.close()


def checks(book):
    driver = PyMySql()
    dbapi.all_checks(book, driver)
    book.check("session", session, driver)
