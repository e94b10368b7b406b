//! `dataSources`: storage units.

use indexmap::IndexMap;
use serde::Deserialize;

use super::Wrong;
use super::emit::Node;
use crate::jdbc;
use crate::unit::{Address, UnitSpec};

/// A data source: `url`, `username`, `password` and properties of its pool.
#[derive(Deserialize)]
pub(super) struct Source(IndexMap<String, Option<String>>);

impl Source {
    pub(super) fn read(mut self) -> Result<UnitSpec, Wrong> {
        let mut take = |names: [&str; 2]| names.iter().find_map(|name| self.0.shift_remove(*name));
        let url = take(["url", "jdbcUrl"]).flatten().ok_or("`url` is required")?;
        let user = take(["username", "user"]).flatten().ok_or("`username` is required")?;
        let password = take(["password", "password"]).flatten().unwrap_or_default();
        // Which Java classes stand behind it does not matter here.
        take(["dataSourceClassName", "driverClassName"]);
        let properties = self.0.into_iter().map(|(name, value)| (name, value.unwrap_or_default())).collect();
        UnitSpec::parse(&Address::Url(url), &user, &password, &properties).map_err(|error| error.to_string())
    }
}

/// Writes one, with all properties of its pool.
pub(super) fn write(unit: &UnitSpec) -> Node {
    let pool = &unit.pool;
    let millis = |duration: std::time::Duration| Some(Node::word(duration.as_millis()));
    Node::map([
        ("url", Some(Node::Text(jdbc::print(unit)))),
        ("username", Some(Node::text(&unit.user))),
        ("password", Some(Node::text(&unit.password))),
        ("connectionTimeoutMilliseconds", millis(pool.connection_timeout)),
        ("idleTimeoutMilliseconds", millis(pool.idle_timeout)),
        ("maxLifetimeMilliseconds", millis(pool.max_lifetime)),
        ("maxPoolSize", Some(Node::word(pool.max))),
        ("minPoolSize", Some(Node::word(pool.min))),
        ("readOnly", Some(Node::word(pool.read_only))),
        ("maximumActive", pool.active.map(Node::word)),
        ("keepaliveTime", if pool.keepalive.is_zero() { None } else { millis(pool.keepalive) }),
    ])
}
