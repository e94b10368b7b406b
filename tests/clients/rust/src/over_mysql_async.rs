//! `mysql_async`: text and prepared statements, pools with resets, LOCAL INFILE, compression, TLS.

use futures_util::{FutureExt as _, StreamExt as _};
use mysql_async::prelude::{BatchQuery as _, Query as _, Queryable as _, WithParams as _};
use mysql_async::{
    BinaryProtocol, ChangeUserOpts, Column, Compression, Conn, IsolationLevel, Opts, OptsBuilder, Params,
    Pool, PoolConstraints, PoolOpts, QueryResult, Row, SslOpts, TextProtocol, TxOpts, Value as Cell,
};
use serde_json::{Value, json};

use crate::notebook::{Failure, Notebook, Seen, plain, told};

/// Runs all checks.
pub async fn checks(book: &mut Notebook) {
    book.check("login", login).await;
    book.check("tls", tls).await;
    book.check("types", types).await;
    book.check("orders", orders).await;
    book.check("contacts", contacts).await;
    book.check("transactions", transactions).await;
    book.check("multi", multi).await;
    book.check("call", call).await;
    book.check("change_user", change_user).await;
    book.check("statements", statements).await;
    book.check("set_by_parameter", set_by_parameter).await;
    book.check("own_columns", own_columns).await;
    book.check("pool", pool).await;
    book.check("stream", stream).await;
    book.check("local_infile", local_infile).await;
    book.check("compress", compress).await;
    book.check("big", big).await;
}

fn options(database: &str) -> OptsBuilder {
    OptsBuilder::default()
        .ip_or_hostname(told("WEIR_HOST"))
        .tcp_port(told("WEIR_PORT").parse().expect("a port"))
        .user(Some(told("WEIR_USER")))
        .pass(Some(told("WEIR_PASSWORD")))
        .db_name(Some(told(database)))
        .prefer_socket(Some(false))
        .max_allowed_packet(Some(1 << 30))
}

async fn connect(database: &str) -> Result<Conn, Failure> {
    Ok(Conn::new(options(database)).await?)
}

/// Number, state and text of a server's error; of others only that there is one.
fn fault<T>(result: Result<T, mysql_async::Error>) -> Value {
    match result {
        Ok(_) => "no error".into(),
        Err(mysql_async::Error::Server(error)) => json!([error.code, error.state, error.message]),
        Err(_) => "another error".into(),
    }
}

fn columns(columns: &[Column]) -> Value {
    let told = |column: &Column| {
        json!([
            column.name_str(),
            column.org_name_str(),
            column.table_str(),
            column.schema_str(),
            format!("{:?}", column.column_type()),
            column.column_length(),
            column.character_set(),
            format!("{:?}", column.flags()),
            column.decimals()
        ])
    };
    columns.iter().map(told).collect::<Vec<_>>().into()
}

fn rows(rows: Vec<Row>) -> Value {
    let cells = rows.into_iter().map(|row| {
        let cell = |cell: Cell| match cell {
            Cell::Bytes(bytes) if bytes.len() > 500 => json!(["bytes", bytes.len()]),
            cell => plain(&cell),
        };
        row.unwrap().into_iter().map(cell).collect::<Vec<_>>()
    });
    cells.collect::<Vec<_>>().into()
}

macro_rules! all_sets {
    ($name:ident, $protocol:ty) => {
        /// Every result of an answer: columns and rows, or what was done.
        async fn $name(mut result: QueryResult<'_, '_, $protocol>) -> Value {
            let mut sets = Vec::new();
            while !result.is_empty() {
                let told = columns(result.columns_ref());
                let (affected, id, warnings, info) = (
                    result.affected_rows(),
                    result.last_insert_id(),
                    result.warnings(),
                    result.info().into_owned(),
                );
                match result.collect::<Row>().await {
                    Ok(found) if told != json!([]) => sets.push(json!([told, rows(found)])),
                    Ok(_) => sets.push(json!([affected, id, warnings, info])),
                    Err(error) => {
                        sets.push(fault::<()>(Err(error)));
                        break;
                    }
                }
            }
            sets.into()
        }
    };
}

all_sets!(text_sets, TextProtocol);
all_sets!(binary_sets, BinaryProtocol);

async fn ask(conn: &mut Conn, text: &str) -> Value {
    match conn.query_iter(text).await {
        Ok(result) => text_sets(result).await,
        Err(error) => fault::<()>(Err(error)),
    }
}

async fn execute(conn: &mut Conn, text: &str, params: impl Into<Params> + Send) -> Value {
    match conn.exec_iter(text, params.into()).await {
        Ok(result) => binary_sets(result).await,
        Err(error) => fault::<()>(Err(error)),
    }
}

async fn setup(conn: &mut Conn, texts: &[&str]) -> Result<(), Failure> {
    for text in texts {
        conn.query_drop(*text).await?;
    }
    Ok(())
}

/// In which collation the session's own answers are told.
async fn own_columns() -> Seen {
    let mut conn = connect("WEIR_SHARDED").await?;
    let own = "SELECT DATABASE(), CURRENT_USER(), @@autocommit, @@collation_connection";
    let mut saw = vec![ask(&mut conn, own).await];
    conn.reset().await?;
    saw.push(ask(&mut conn, own).await);
    conn.change_user(ChangeUserOpts::new()).await?;
    saw.push(ask(&mut conn, own).await);
    Ok(saw)
}

async fn login() -> Seen {
    let mut conn = connect("WEIR_SHARDED").await?;
    let own: Option<(String, String, i64)> =
        conn.query_first("SELECT DATABASE(), CURRENT_USER(), @@autocommit").await?;
    let mut saw = vec![plain(&own)];
    conn.ping().await?;
    conn.disconnect().await?;
    saw.push(fault(Conn::new(options("WEIR_SHARDED").pass(Some("wrong"))).await));
    saw.push(fault(Conn::new(options("WEIR_SHARDED").pass(None::<String>)).await));
    saw.push(fault(Conn::new(options("WEIR_SHARDED").db_name(Some("there_is_none"))).await));
    Ok(saw)
}

async fn tls() -> Seen {
    let mut saw = Vec::new();
    for (file, host) in
        [("WEIR_AUTHORITY", "127.0.0.1"), ("WEIR_AUTHORITY", "127.0.0.2"), ("WEIR_STRANGER", "127.0.0.1")]
    {
        let trusted = SslOpts::default().with_root_certs(vec![std::path::PathBuf::from(told(file)).into()]);
        let found =
            Conn::new(Opts::from(options("WEIR_SHARDED").ip_or_hostname(host).ssl_opts(trusted))).await;
        saw.push(match found {
            Ok(mut conn) => ask(&mut conn, "SELECT 1").await,
            Err(error) => fault::<()>(Err(error)),
        });
    }
    Ok(saw)
}

const TYPES: &str = "id INT PRIMARY KEY, a TINYINT, b SMALLINT UNSIGNED, c MEDIUMINT, d INT, e BIGINT, f BIGINT UNSIGNED, \
    g DECIMAL(20,5), h FLOAT, i DOUBLE, j BIT(12), k DATE, l TIME(6), m DATETIME(6), n TIMESTAMP(3) NULL, o YEAR, p CHAR(5), \
    q VARCHAR(40), r BINARY(3), s VARBINARY(9), t LONGTEXT, u BLOB, v ENUM('x','y'), w SET('p','q'), x JSON, y GEOMETRY, z VECTOR(3)";

async fn types() -> Seen {
    let mut saw = Vec::new();
    for database in ["WEIR_PASSED", "WEIR_SHARDED"] {
        let mut conn = connect(database).await?;
        setup(
            &mut conn,
            &["DROP TABLE IF EXISTS notes", &format!("CREATE TABLE notes (id_of INT, {TYPES})")],
        )
        .await?;
        let marks = vec!["?"; 24].join(", ");
        let insert =
            format!("INSERT INTO notes VALUES (?, ?, {marks}, ST_GeomFromText(?), STRING_TO_VECTOR(?))");
        let values: Vec<Cell> = vec![
            7.into(),
            1.into(),
            (-128).into(),
            65535.into(),
            (-8388608).into(),
            i32::MIN.into(),
            i64::MIN.into(),
            u64::MAX.into(),
            "-123456789012345.12345".into(),
            1.5_f32.into(),
            1e-300.into(),
            Cell::Bytes(vec![10, 170]),
            Cell::Date(2024, 2, 29, 0, 0, 0, 0),
            Cell::Time(true, 34, 22, 59, 58, 999_999),
            Cell::Date(9999, 12, 31, 23, 59, 59, 999_999),
            Cell::Date(2024, 6, 30, 12, 0, 0, 123_000),
            2155.into(),
            "Zü".into(),
            "naïve 😀 '\"\\\0\n".into(),
            Cell::Bytes(vec![0, 1, 255]),
            Cell::Bytes(vec![39, 92, 0]),
            "ж".repeat(5000).into(),
            Cell::Bytes(vec![7; 300]),
            "y".into(),
            "p,q".into(),
            "{\"k\": [1, null]}".into(),
            "POINT(1 2)".into(),
            "[1,2,3]".into(),
        ];
        saw.push(execute(&mut conn, &insert, values).await);
        let mut nulls = vec![Cell::NULL; 28];
        nulls[1] = 2.into();
        saw.push(execute(&mut conn, &insert, nulls).await);
        setup(
            &mut conn,
            &[
                "SET sql_mode = ''",
                "INSERT INTO notes (id, k, m, l) VALUES (3, '0000-00-00', '2000-00-00', '00:00:00')",
            ],
        )
        .await?;
        saw.push(ask(&mut conn, "SELECT * FROM notes ORDER BY id").await);
        for id in 1..=3 {
            saw.push(execute(&mut conn, "SELECT * FROM notes WHERE id = ?", (id,)).await);
        }
        saw.push(execute(&mut conn, "SELECT * FROM notes WHERE id > ? ORDER BY id", (0,)).await);
    }
    Ok(saw)
}

async fn orders() -> Seen {
    let mut conn = connect("WEIR_SHARDED").await?;
    setup(
        &mut conn,
        &[
            "DROP TABLE IF EXISTS orders",
            "CREATE TABLE orders (id BIGINT PRIMARY KEY, customer VARCHAR(20), total DECIMAL(9,2))",
        ],
    )
    .await?;
    let values: Vec<_> = (0..60).map(|id| (id, format!("c{}", id % 5), f64::from(id) / 4.0)).collect();
    "INSERT INTO orders (id, customer, total) VALUES (?, ?, ?)".with(values).batch(&mut conn).await?;
    let mut saw = Vec::new();
    for text in [
        "SELECT * FROM orders WHERE id = ?",
        "SELECT customer, COUNT(*), SUM(total), AVG(total) FROM orders WHERE id <> ? GROUP BY customer ORDER BY customer",
        "SELECT id, total FROM orders WHERE id > ? ORDER BY total DESC LIMIT 4",
        "SELECT COUNT(*), MAX(customer) FROM orders WHERE id < ?",
        "UPDATE orders SET total = total + 1 WHERE id > ?",
        "DELETE FROM orders WHERE id = ?",
        "INSERT INTO orders (id) VALUES (? - 1)",
        "SELECT nothing FROM orders WHERE id = ?",
        "SELECT * FROM nowhere WHERE id = ?",
    ] {
        saw.push(json!([text, execute(&mut conn, text, (13,)).await]));
        saw.push(ask(&mut conn, &text.replace('?', "14")).await);
    }
    Ok(saw)
}

async fn contacts() -> Seen {
    let mut conn = connect("WEIR_SHARDED").await?;
    setup(
        &mut conn,
        &["DROP TABLE IF EXISTS contacts", "CREATE TABLE contacts (id INT PRIMARY KEY, phone VARCHAR(200))"],
    )
    .await?;
    let mut saw = Vec::new();
    for (id, phone) in [(1, Some("+41 😀")), (2, None), (3, Some(""))] {
        saw.push(execute(&mut conn, "INSERT INTO contacts (id, phone) VALUES (?, ?)", (id, phone)).await);
    }
    saw.push(execute(&mut conn, "SELECT id, phone FROM contacts WHERE phone = ?", ("+41 😀",)).await);
    saw.push(ask(&mut conn, "SELECT id, phone FROM contacts ORDER BY id").await);
    Ok(saw)
}

async fn transactions() -> Seen {
    let mut conn = connect("WEIR_SHARDED").await?;
    let mut other = connect("WEIR_SHARDED").await?;
    setup(&mut conn, &["DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)"])
        .await?;
    let mut saw = Vec::new();
    for (commit, level) in [(false, IsolationLevel::ReadCommitted), (true, IsolationLevel::Serializable)] {
        let mut options = TxOpts::default();
        options.with_isolation_level(level).with_consistent_snapshot(false);
        let mut transaction = conn.start_transaction(options).await?;
        transaction.exec_drop("INSERT INTO orders VALUES (?, 1), (?, 2), (?, 3)", (1, 2, 3)).await?;
        saw.push(rows(transaction.query("SELECT * FROM orders ORDER BY id").await?));
        if commit {
            transaction.commit().await?
        } else {
            transaction.rollback().await?
        }
        saw.push(ask(&mut other, "SELECT COUNT(*) FROM orders").await);
    }
    // Dropped within a transaction: what it did is undone.
    let mut transaction = conn.start_transaction(TxOpts::default()).await?;
    transaction.query_drop("UPDATE orders SET v = 100").await?;
    drop(transaction);
    saw.push(ask(&mut conn, "SELECT SUM(v) FROM orders").await);
    saw.push(ask(&mut other, "SELECT SUM(v) FROM orders").await);
    Ok(saw)
}

async fn multi() -> Seen {
    let mut conn = connect("WEIR_SHARDED").await?;
    setup(&mut conn, &["DROP TABLE IF EXISTS orders; CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)"])
        .await?;
    Ok(vec![
        ask(
            &mut conn,
            "INSERT INTO orders VALUES (1, 1), (2, 2); SELECT * FROM orders ORDER BY id; DO 1; SELECT 'a;b'",
        )
        .await,
        ask(&mut conn, "SELECT 1; SELECT * FROM nowhere; DELETE FROM orders").await,
        ask(&mut conn, "SELECT COUNT(*) FROM orders;").await,
    ])
}

async fn call() -> Seen {
    let mut conn = connect("WEIR_PASSED").await?;
    setup(&mut conn, &["DROP PROCEDURE IF EXISTS p", "CREATE PROCEDURE p(IN a INT, OUT b INT) BEGIN SELECT a; SELECT 'x' AS t UNION SELECT 'y'; SET b = a * 2; END"]).await?;
    Ok(vec![
        ask(&mut conn, "CALL p(4, @b)").await,
        ask(&mut conn, "SELECT @b").await,
        execute(&mut conn, "CALL p(?, ?)", (5, Cell::NULL)).await,
        execute(&mut conn, "CALL p(?, @b)", (6,)).await,
        ask(&mut conn, "SELECT @b").await,
    ])
}

async fn change_user() -> Seen {
    let mut conn = connect("WEIR_SHARDED").await?;
    setup(&mut conn, &["SET @a = 1, sql_mode = ''", "CREATE TEMPORARY TABLE gone (id INT)"]).await?;
    let prepared = conn.prep("SELECT 1").await?;
    let mut saw = vec![plain(&conn.reset().await?)];
    saw.push(ask(&mut conn, "SELECT @a, @@sql_mode = ''").await);
    saw.push(ask(&mut conn, "SELECT * FROM gone").await);
    saw.push(fault(conn.exec_drop(&prepared, ()).await));
    setup(&mut conn, &["SET @a = 1"]).await?;
    conn.change_user(ChangeUserOpts::new().with_db_name(Some(told("WEIR_PASSED")))).await?;
    let left: Option<(Option<i64>, String)> = conn.query_first("SELECT @a, DATABASE()").await?;
    saw.push(plain(&left));
    saw.push(fault(conn.change_user(ChangeUserOpts::new().with_pass(Some("wrong".to_owned()))).await));
    Ok(saw)
}

async fn statements() -> Seen {
    let mut conn = Conn::new(options("WEIR_SHARDED").stmt_cache_size(Some(40))).await?;
    setup(
        &mut conn,
        &[
            "DROP TABLE IF EXISTS orders",
            "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)",
            "INSERT INTO orders VALUES (0, 1), (1, 2), (2, 3)",
        ],
    )
    .await?;
    let mut sum = 0;
    for turn in 0..400 {
        let text = format!("SELECT v + {} FROM orders WHERE id = ?", turn % 110);
        sum += conn.exec_first::<i64, _, _>(text, (turn % 3,)).await?.unwrap_or_default();
    }
    let mut saw = vec![sum.into()];
    let statement = conn.prep("SELECT * FROM orders WHERE id = ?").await?;
    saw.push(json!([columns(&statement.columns()), columns(&statement.params())]));
    saw.push(rows(conn.exec(&statement, (1,)).await?));
    setup(&mut conn, &["ALTER TABLE orders MODIFY v VARCHAR(20)"]).await?;
    saw.push(rows(conn.exec(&statement, (1,)).await?));
    saw.push(fault(conn.prep("SELECT * FROM nowhere WHERE id = ?").await));
    Ok(saw)
}

async fn set_by_parameter() -> Seen {
    let mut conn = connect("WEIR_SHARDED").await?;
    Ok(vec![
        execute(&mut conn, "SET @me = ?, @b = CONCAT(?, 'x')", (5, "ü")).await,
        ask(&mut conn, "SELECT @me, @b").await,
        execute(&mut conn, "SET SESSION sort_buffer_size = ?", (300_000,)).await,
        ask(&mut conn, "SELECT @@sort_buffer_size").await,
    ])
}

async fn pool() -> Seen {
    let constraints = PoolConstraints::new(2, 20).expect("2 <= 20");
    let pool =
        Pool::new(options("WEIR_SHARDED").pool_opts(PoolOpts::default().with_constraints(constraints)));
    let mut conn = pool.get_conn().await?;
    setup(&mut conn, &["DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)"])
        .await?;
    for id in 0..50 {
        conn.exec_drop("INSERT INTO orders VALUES (?, 0)", (id,)).await?;
    }
    drop(conn);
    let workers = (0..50_i64).map(|id| {
        let pool = pool.clone();
        async move {
            for _ in 0..4 {
                let mut conn = pool.get_conn().await?;
                let left: Option<i64> = conn.query_first("SELECT @me").await?.flatten();
                conn.query_drop(format!("SET @me = {id}")).await?;
                conn.exec_drop("UPDATE orders SET v = v + 1 WHERE id = ?", (id,)).await?;
                let me: Option<i64> = conn.query_first("SELECT @me").await?;
                if left.is_some() || me != Some(id) {
                    return Err(format!("{id}: {left:?} {me:?}").into());
                }
            }
            Ok::<_, Failure>(())
        }
        .boxed()
    });
    let mut saw = Vec::new();
    for end in futures_util::future::join_all(workers).await {
        if let Err(error) = end {
            saw.push(error.to_string().into());
        }
    }
    let mut conn = pool.get_conn().await?;
    saw.push(ask(&mut conn, "SELECT COUNT(*), SUM(v), MIN(v), MAX(v) FROM orders").await);
    drop(conn);
    pool.disconnect().await?;
    Ok(saw)
}

async fn stream() -> Seen {
    let mut conn = connect("WEIR_SHARDED").await?;
    setup(
        &mut conn,
        &["DROP TABLE IF EXISTS notes", "CREATE TABLE notes (id INT PRIMARY KEY, v VARCHAR(100))"],
    )
    .await?;
    let values: Vec<_> = (0..3000).map(|id| format!("({id}, '{}')", "v".repeat(id % 90))).collect();
    setup(&mut conn, &[&format!("INSERT INTO notes VALUES {}", values.join(", "))]).await?;
    let mut sum = 0_i64;
    let mut found = "SELECT id, v FROM notes ORDER BY id".stream::<(i64, String), _>(&mut conn).await?;
    while let Some(row) = found.next().await {
        let (id, v) = row?;
        sum = (sum * 31 + id + v.len() as i64) % 1_000_003;
    }
    drop(found);
    let mut saw = vec![sum.into()];
    // Given up half read: the driver reads the rest before the next statement.
    let mut found = conn.exec_iter("SELECT id, v FROM notes WHERE id >= ? ORDER BY id", (10,)).await?;
    saw.push(plain(&found.next().await?.map(|row| row.get::<i64, _>(0))));
    drop(found);
    saw.push(ask(&mut conn, "SELECT COUNT(*) FROM notes").await);
    Ok(saw)
}

async fn local_infile() -> Seen {
    let mut conn = connect("WEIR_PASSED").await?;
    setup(
        &mut conn,
        &["DROP TABLE IF EXISTS loaded", "CREATE TABLE loaded (id INT PRIMARY KEY, v VARCHAR(30))"],
    )
    .await?;
    let load = "LOAD DATA LOCAL INFILE 'rows' INTO TABLE loaded";
    let mut saw = vec![fault(conn.query_drop(load).await)];
    for first in [0, 20000] {
        conn.set_infile_handler(async move {
            let lines = (first..first + 20000).map(|id| Ok(format!("{id}\tvalue {id}\n").into()));
            Ok(futures_util::stream::iter(lines.collect::<Vec<_>>()).boxed())
        });
        saw.push(ask(&mut conn, load).await);
    }
    saw.push(ask(&mut conn, "SELECT COUNT(*), SUM(id), MAX(v) FROM loaded").await);
    Ok(saw)
}

async fn compress() -> Seen {
    let mut conn = Conn::new(options("WEIR_PASSED").compression(Some(Compression::default()))).await?;
    let mut saw = vec![ask(&mut conn, "SELECT REPEAT('compress ', 20000)").await];
    setup(&mut conn, &["DROP TABLE IF EXISTS big", "CREATE TABLE big (id INT PRIMARY KEY, v LONGBLOB)"])
        .await?;
    saw.extend(blobs(&mut conn, &[0, 40, 100_000, 17 << 20]).await?);
    Ok(saw)
}

async fn big() -> Seen {
    let mut conn = connect("WEIR_PASSED").await?;
    setup(&mut conn, &["DROP TABLE IF EXISTS big", "CREATE TABLE big (id INT PRIMARY KEY, v LONGBLOB)"])
        .await?;
    let saw = blobs(&mut conn, &[(1 << 24) - 30, (1 << 24) - 1, 1 << 24, 20 << 20]).await?;
    setup(&mut conn, &["DROP TABLE big"]).await?;
    Ok(saw)
}

async fn blobs(conn: &mut Conn, sizes: &[usize]) -> Seen {
    let mut saw = Vec::new();
    for size in sizes {
        let value = vec![b'x'; *size];
        conn.exec_drop("INSERT INTO big VALUES (?, ?)", (size, &value)).await?;
        let found: Option<Vec<u8>> = conn.exec_first("SELECT v FROM big WHERE id = ?", (size,)).await?;
        saw.push(json!([size, found.is_some_and(|found| found == value)]));
    }
    saw.push(ask(conn, "SELECT id, LENGTH(v) FROM big ORDER BY id").await);
    Ok(saw)
}
