"""SQLAlchemy over PyMySQL and Connector/Python: what it asks when it connects, its models, its view of the schema."""

import sqlalchemy
from sqlalchemy import Column, DateTime, Integer, Numeric, String, create_engine, func, inspect, select, text
from sqlalchemy.orm import Session, declarative_base

import notebook

Base = declarative_base()


class Order(Base):
    __tablename__ = "orders"
    id = Column(Integer, primary_key=True, autoincrement=False)
    customer = Column(String(40), nullable=False, index=True)
    total = Column(Numeric(10, 2))
    placed = Column(DateTime)


class Counted(Base):
    __tablename__ = "counted"
    id = Column(Integer, primary_key=True)
    name = Column(String(40, collation="utf8mb4_bin"), unique=True)


def engine(dialect, database, **options):
    url = sqlalchemy.URL.create(dialect, notebook.USER, notebook.PASSWORD, notebook.HOST, notebook.PORT, database)
    return create_engine(url, **options)


def models(saw, dialect):
    made = engine(dialect, notebook.SHARDED, pool_pre_ping=True, isolation_level="READ COMMITTED")
    Base.metadata.drop_all(made)
    Base.metadata.create_all(made)
    with Session(made) as session:
        session.add_all([Order(id=n, customer=f"c{n % 3}", total=n / 4) for n in range(1, 31)])
        session.commit()
        saw([[o.id, o.total] for o in session.scalars(select(Order).order_by(Order.total.desc()).limit(3))])
        saw([list(row) for row in session.execute(
            select(Order.customer, func.count(), func.sum(Order.total)).group_by(Order.customer).order_by(Order.customer))])
        session.get(Order, 7).customer = "changed"
        session.delete(session.get(Order, 8))
        session.flush()
        session.rollback()
        saw(session.get(Order, 7).customer, session.get(Order, 8) is None)
        with session.begin_nested() as nested:
            session.add(Order(id=100, customer="nested"))
            session.flush()
            nested.rollback()
        session.commit()
        saw(session.scalar(select(func.count()).select_from(Order)))
        counted = [Counted(name=name) for name in ("a", "b", "ü😀")]
        session.add_all(counted)
        session.commit()
        saw([[one.id, one.name] for one in counted])
        session.add(Counted(name="a"))
        try:
            session.commit()
        except sqlalchemy.exc.IntegrityError as error:
            saw(error.orig.args)
    made.dispose()


def schema(saw, dialect):
    made = engine(dialect, notebook.SHARDED)
    seen = inspect(made)
    saw(seen.get_table_names())
    for table in ("orders", "counted"):
        saw([[column["name"], repr(column["type"]), column["nullable"]] for column in seen.get_columns(table)])
        saw(seen.get_pk_constraint(table))
        saw([[index["name"], index["column_names"], index["unique"]] for index in seen.get_indexes(table)])
    saw(seen.has_table("orders"), seen.has_table("nowhere"))
    with made.connect() as connection:
        saw(connection.get_isolation_level(), connection.execute(text("SELECT :n + 1"), {"n": 41}).scalar())
        saw(connection.dialect.default_schema_name, connection.dialect._detect_casing(connection))
        stream = connection.execution_options(stream_results=True).execute(text("SELECT id FROM orders ORDER BY id"))
        saw([row[0] for row in stream])
    made.dispose()


def checks(book):
    for dialect in ("mysql+pymysql", "mysql+mysqlconnector"):
        book.check(f"models {dialect}", models, dialect)
        book.check(f"schema {dialect}", schema, dialect)
