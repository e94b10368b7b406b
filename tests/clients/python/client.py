"""Runs the checks of one driver: `client.py pymysql | connector-pure | connector-c | sqlalchemy`."""

import importlib
import sys

import notebook

MODULES = {
    "pymysql": "pymysql_checks",
    "connector-pure": "connector_checks",
    "connector-c": "connector_checks",
    "sqlalchemy": "sqlalchemy_checks",
}

book = notebook.Notebook()
importlib.import_module(MODULES[sys.argv[1]]).checks(book)
book.close()
