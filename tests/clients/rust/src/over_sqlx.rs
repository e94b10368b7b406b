//! sqlx: everything prepared, its pool, its transactions.

use futures_util::TryStreamExt as _;
use serde_json::{Value, json};
use sqlx::mysql::{MySqlConnectOptions, MySqlPool, MySqlPoolOptions, MySqlRow, MySqlSslMode};
use sqlx::{
    AssertSqlSafe, Column as _, ConnectOptions as _, Connection as _, Executor as _, Row as _, TypeInfo as _,
    ValueRef as _,
};

use crate::notebook::{Failure, Notebook, Seen, plain, told};

/// Runs all checks.
pub async fn checks(book: &mut Notebook) {
    book.check("login", login).await;
    book.check("ignore_space", ignore_space).await;
    book.check("orders", orders).await;
    book.check("contacts", contacts).await;
    book.check("types", types).await;
    book.check("transactions", transactions).await;
    book.check("statements", statements).await;
    book.check("multi", multi).await;
    book.check("pool", pool).await;
}

fn options(database: &str) -> MySqlConnectOptions {
    MySqlConnectOptions::new()
        .host(&told("WEIR_HOST"))
        .port(told("WEIR_PORT").parse().expect("a port"))
        .username(&told("WEIR_USER"))
        .password(&told("WEIR_PASSWORD"))
        .database(&told(database))
        .ssl_mode(MySqlSslMode::Disabled)
}

async fn open(database: &str) -> Result<MySqlPool, Failure> {
    Ok(MySqlPoolOptions::new().max_connections(20).connect_with(options(database)).await?)
}

fn fault<T>(result: Result<T, sqlx::Error>) -> Value {
    match result {
        Ok(_) => "no error".into(),
        Err(sqlx::Error::Database(error)) => json!([error.code().unwrap_or_default(), error.message()]),
        Err(error) => json!(["another", error.to_string()]),
    }
}

/// The columns of a row with their types, and whether each is NULL; texts where they are such.
fn row(row: &MySqlRow) -> Value {
    let cells = row.columns().iter().map(|column| {
        let null = row.try_get_raw(column.ordinal()).is_ok_and(|value| value.is_null());
        let text = row.try_get_unchecked::<Vec<u8>, _>(column.ordinal()).unwrap_or_default();
        json!([
            column.name(),
            column.type_info().name(),
            if null { Value::Null } else { plain(&String::from_utf8_lossy(&text)) }
        ])
    });
    cells.collect::<Vec<_>>().into()
}

async fn ask(pool: &MySqlPool, text: &'static str, value: i64) -> Value {
    match sqlx::query(text).bind(value).fetch_all(pool).await {
        Ok(rows) => rows.iter().map(row).collect::<Vec<_>>().into(),
        Err(error) => fault::<()>(Err(error)),
    }
}

/// The driver adds modes to those that the server began with.
async fn ignore_space() -> Seen {
    let pool = open("WEIR_SHARDED").await?;
    Ok(vec![ask(&pool, "SELECT @@sql_mode, ?", 1).await])
}

async fn login() -> Seen {
    let pool = open("WEIR_SHARDED").await?;
    let mut saw = vec![ask(&pool, "SELECT DATABASE(), CURRENT_USER(), @@time_zone, ?", 1).await];
    saw.push(fault(options("WEIR_SHARDED").password("wrong").connect().await));
    saw.push(fault(options("WEIR_SHARDED").database("there_is_none").connect().await));
    let mut conn = options("WEIR_PASSED").connect().await?;
    conn.ping().await?;
    conn.close().await?;
    Ok(saw)
}

async fn orders() -> Seen {
    let pool = open("WEIR_SHARDED").await?;
    pool.execute("DROP TABLE IF EXISTS orders").await?;
    pool.execute("CREATE TABLE orders (id BIGINT PRIMARY KEY, customer VARCHAR(20), total DECIMAL(9,2))")
        .await?;
    let mut saw = Vec::new();
    for id in 0..40_i64 {
        let done = sqlx::query("INSERT INTO orders (id, customer, total) VALUES (?, ?, ?)");
        let done = done.bind(id).bind(format!("c{}", id % 5)).bind(id as f64 / 4.0).execute(&pool).await?;
        saw.push(json!([done.rows_affected(), done.last_insert_id()]));
    }
    for text in [
        "SELECT * FROM orders WHERE id = ?",
        "SELECT customer, COUNT(*) AS n, SUM(total) AS s FROM orders WHERE id > ? GROUP BY customer ORDER BY customer",
        "SELECT id, total FROM orders WHERE id <> ? ORDER BY total DESC LIMIT 3",
        "SELECT nothing FROM orders WHERE id = ?",
        "INSERT INTO orders (id) VALUES (?)",
    ] {
        saw.push(ask(&pool, text, 13).await);
    }
    pool.close().await;
    Ok(saw)
}

async fn contacts() -> Seen {
    let pool = open("WEIR_SHARDED").await?;
    pool.execute("DROP TABLE IF EXISTS contacts").await?;
    pool.execute("CREATE TABLE contacts (id INT PRIMARY KEY, phone VARCHAR(200))").await?;
    for (id, phone) in [(1, Some("+41 😀")), (2, None), (3, Some(""))] {
        sqlx::query("INSERT INTO contacts (id, phone) VALUES (?, ?)")
            .bind(id)
            .bind(phone)
            .execute(&pool)
            .await?;
    }
    let found: Vec<(i32, Option<String>)> =
        sqlx::query_as("SELECT id, phone FROM contacts WHERE phone = ? OR phone IS NULL ORDER BY id")
            .bind("+41 😀")
            .fetch_all(&pool)
            .await?;
    pool.close().await;
    Ok(vec![plain(&found)])
}

async fn types() -> Seen {
    let mut saw = Vec::new();
    for database in ["WEIR_PASSED", "WEIR_SHARDED"] {
        let pool = open(database).await?;
        pool.execute("DROP TABLE IF EXISTS notes").await?;
        pool.execute(
            "CREATE TABLE notes (id INT PRIMARY KEY, a BIGINT UNSIGNED, b DOUBLE, c DECIMAL(20,5), d DATETIME(6), e VARCHAR(30), \
             f VARBINARY(9), g JSON, h BOOLEAN, i DATE, j TIME, k TIMESTAMP(6) NULL)",
        )
        .await?;
        let moment =
            sqlx::types::chrono::DateTime::from_timestamp_micros(1_700_000_000_123_456).expect("a moment");
        sqlx::query("INSERT INTO notes VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(u64::MAX)
            .bind(1e-300_f64)
            .bind("-1.5".parse::<sqlx::types::BigDecimal>()?)
            .bind(moment.naive_utc())
            .bind("naïve 😀 '\\")
            .bind(&[0_u8, 255, 39][..])
            .bind(json!({ "k": [1, null] }))
            .bind(true)
            .bind(moment.date_naive())
            .bind(moment.time())
            .bind(moment)
            .execute(&pool)
            .await?;
        saw.push(ask(&pool, "SELECT * FROM notes WHERE id = ?", 1).await);
        let found =
            sqlx::query("SELECT * FROM notes WHERE id >= ? ORDER BY id").bind(0).fetch_one(&pool).await?;
        saw.push(json!([
            plain(&found.try_get::<u64, _>("a")?),
            plain(&found.try_get::<sqlx::types::BigDecimal, _>("c")?.to_string()),
            plain(&found.try_get::<sqlx::types::chrono::NaiveDateTime, _>("d")?),
            plain(&found.try_get::<Value, _>("g")?),
            plain(&found.try_get::<bool, _>("h")?),
            plain(&found.try_get::<sqlx::types::chrono::DateTime<sqlx::types::chrono::Utc>, _>("k")?),
        ]));
        pool.close().await;
    }
    Ok(saw)
}

async fn transactions() -> Seen {
    let pool = open("WEIR_SHARDED").await?;
    pool.execute("DROP TABLE IF EXISTS orders").await?;
    pool.execute("CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)").await?;
    let count = "SELECT COUNT(*) AS n FROM orders WHERE id < ?";
    let mut saw = Vec::new();
    for end in ["rollback", "commit", "drop"] {
        let mut transaction = pool.begin().await?;
        transaction.execute("INSERT INTO orders SELECT 10 * (SELECT COUNT(*) FROM orders o), 1").await.ok();
        sqlx::query("DELETE FROM orders WHERE id >= ?").bind(0).execute(&mut *transaction).await?;
        sqlx::query("INSERT INTO orders VALUES (1, 1), (2, 2), (3, ?)")
            .bind(3)
            .execute(&mut *transaction)
            .await?;
        let mut nested = transaction.begin().await?;
        nested.execute("DELETE FROM orders WHERE id < 3").await?;
        nested.rollback().await?;
        match end {
            "rollback" => transaction.rollback().await?,
            "commit" => transaction.commit().await?,
            _ => drop(transaction),
        }
        saw.push(json!([end, ask(&pool, count, 100).await]));
    }
    pool.close().await;
    Ok(saw)
}

async fn statements() -> Seen {
    let mut conn = options("WEIR_SHARDED").statement_cache_capacity(30).connect().await?;
    conn.execute("DROP TABLE IF EXISTS orders").await?;
    conn.execute("CREATE TABLE orders (id BIGINT PRIMARY KEY, v INT)").await?;
    conn.execute("INSERT INTO orders VALUES (0, 1), (1, 2), (2, 3)").await?;
    let mut sum = 0;
    for turn in 0..300_i64 {
        let text = format!("SELECT CAST(v + {} AS SIGNED) FROM orders WHERE id = ?", turn % 70);
        sum += sqlx::query_scalar::<_, i64>(AssertSqlSafe(text)).bind(turn % 3).fetch_one(&mut conn).await?;
    }
    let mut saw = vec![sum.into()];
    let mut found = sqlx::query("SELECT id FROM orders WHERE id >= ? ORDER BY id").bind(0).fetch(&mut conn);
    saw.push(found.try_next().await?.as_ref().map(row).into());
    drop(found);
    saw.push(
        sqlx::query("SELECT * FROM orders ORDER BY id").fetch_all(&mut conn).await?.iter().map(row).collect(),
    );
    Ok(saw)
}

async fn multi() -> Seen {
    let pool = open("WEIR_SHARDED").await?;
    let found = sqlx::raw_sql("SELECT 1 AS a; SELECT 'x;y' AS b; DO 1; SELECT COUNT(*) AS n FROM orders")
        .fetch_all(&pool)
        .await?;
    let mut saw: Vec<Value> = found.iter().map(row).collect();
    saw.push(fault(sqlx::raw_sql("SELECT 1; SELECT * FROM nowhere").fetch_all(&pool).await));
    saw.push(ask(&pool, "SELECT ?", 1).await);
    pool.close().await;
    Ok(saw)
}

async fn pool() -> Seen {
    let pool = open("WEIR_SHARDED").await?;
    pool.execute("UPDATE orders SET v = 0").await?;
    let workers = (0..50_i64).map(|number| {
        let pool = pool.clone();
        async move {
            for _ in 0..4 {
                let mut transaction = pool.begin().await?;
                sqlx::query("UPDATE orders SET v = v + 1 WHERE id = ?")
                    .bind(number % 3)
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
            }
            Ok::<_, sqlx::Error>(())
        }
    });
    let ends = futures_util::future::join_all(workers).await;
    let mut saw: Vec<Value> = ends.into_iter().filter(Result::is_err).map(fault).collect();
    saw.push(ask(&pool, "SELECT * FROM orders WHERE id >= ? ORDER BY id", 0).await);
    pool.close().await;
    Ok(saw)
}
