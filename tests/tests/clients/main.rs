//! Real drivers against real servers: each client program runs on one plain MySQL and through the proxy, and must see the
//! same. The programs and what they need are in `tests/clients`; where a toolchain is missing, a client is skipped with a
//! word on standard error.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod driver;
mod shell;
mod stage;
mod transcript;

use driver::Driver;
use transcript::compare;

/// Checks that are left out: what they are about is not done through the proxy. `WEIR_CLIENTS_PENDING=1` runs them.
const PENDING: &[&str] = &["ignore_space"];

#[test]
fn connector_python_in_c() {
    compare(Driver::Python, "connector-c", PENDING);
}

#[test]
fn connector_python_pure() {
    // It reads no frame that goes over more than two compressed packets.
    compare(Driver::Python, "connector-pure", &[PENDING, &["compress"]].concat());
}

#[test]
fn go_sql_driver() {
    compare(Driver::Go, "all", PENDING);
}

#[test]
fn connector_j() {
    compare(Driver::Java, "connector-j", PENDING);
}

#[test]
fn mariadb_connector_j() {
    compare(Driver::Java, "mariadb", PENDING);
}

#[test]
fn mariadb_connector_node() {
    compare(Driver::Node, "mariadb", PENDING);
}

#[test]
fn mysql_async() {
    compare(Driver::Rust, "mysql_async", PENDING);
}

#[test]
fn mysql2() {
    compare(Driver::Node, "mysql2", PENDING);
}

#[test]
fn pymysql() {
    compare(Driver::Python, "pymysql", PENDING);
}

#[test]
fn sqlx() {
    compare(Driver::Rust, "sqlx", PENDING);
}

#[test]
fn sqlalchemy() {
    compare(Driver::Python, "sqlalchemy", PENDING);
}
