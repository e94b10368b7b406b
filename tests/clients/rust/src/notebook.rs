//! What the program writes down: one JSON object for each check.

use std::future::Future;

use serde_json::{Value, json};

/// A variable that the program is told something by.
pub fn told(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("${name} is not set"))
}

/// Whatever a driver raises.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What one check saw.
pub type Seen = Result<Vec<Value>, Failure>;

/// Writes what checks saw.
#[derive(Default)]
pub struct Notebook {
    count: usize,
}

impl Notebook {
    /// Runs one check, unless it is to be skipped.
    pub async fn check<F: Future<Output = Seen>>(&mut self, name: &str, check: impl FnOnce() -> F) {
        if std::env::var("WEIR_SKIP").unwrap_or_default().split(',').any(|skipped| skipped == name) {
            return;
        }
        self.count += 1;
        let line = match check().await {
            Ok(saw) => json!({ "check": name, "saw": saw }),
            Err(error) => json!({ "check": name, "saw": [], "unexpected": error.to_string() }),
        };
        println!("{}", ordered(&line));
    }

    /// The last line tells that the program came to its end.
    pub fn close(&self) {
        println!("{}", ordered(&json!({ "check": "end", "saw": self.count })));
    }
}

fn ordered(line: &Value) -> String {
    line.to_string()
}

/// What is the same on both sides of a value: its type and how it is written.
pub fn plain(value: &impl std::fmt::Debug) -> Value {
    let text = format!("{value:?}");
    if text.len() > 2000 {
        return json!([text.len(), text.chars().take(20).collect::<String>()]);
    }
    text.into()
}
