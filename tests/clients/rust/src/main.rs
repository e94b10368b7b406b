//! Checks of `mysql_async` and sqlx: `weir-client mysql_async | sqlx`.

mod notebook;
mod over_mysql_async;
mod over_sqlx;

use notebook::Notebook;

#[tokio::main(worker_threads = 2)]
async fn main() {
    let mut book = Notebook::default();
    match std::env::args().nth(1).as_deref() {
        Some("mysql_async") => over_mysql_async::checks(&mut book).await,
        Some("sqlx") => over_sqlx::checks(&mut book).await,
        other => panic!("no driver {other:?}"),
    }
    book.close();
}
