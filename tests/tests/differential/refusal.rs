//! What the proxy refuses by name, told apart by kind.

use weir_tests::Fault;

/// Numbers from here on are the proxy's own.
const OWN: u16 = 10_000;

/// What is refused, without the names of tables and columns; nothing when it is another server's error.
pub(crate) fn kind(fault: &Fault) -> Option<String> {
    // What the proxy itself cannot read is no refusal.
    if fault.code < OWN || fault.text.contains("cannot be read") {
        return None;
    }
    let text = fault.text.strip_prefix("Unsupported SQL operation: ").unwrap_or(&fault.text);
    let words = text.split(['`', ':', '[', '(']).next().unwrap_or(text);
    let words = words.trim_end_matches([' ', ',']);
    let words = words.strip_suffix(" of table").unwrap_or(words);
    let words = words.strip_suffix(" over several data nodes").unwrap_or(words);
    Some(format!("{} {words}", fault.code))
}

/// What README.md says is refused, by how its kind begins. Anything else that is refused is a fault.
pub(crate) const EXPECTED: &[&str] = &[
    "20046 DELETE ... LIMIT",
    "20046 UPDATE ... LIMIT",
    "20740 Insert value of index",
    "20741 The SQL clause",
    "30000 All tables must be in the same datasource",
    "30000 rows of several nodes cannot be",
    "30001 COUNT, SUM or AVG with DISTINCT",
    "30001 DISTINCT with GROUP BY",
    "30001 HAVING",
    "30001 INSERT ... SELECT",
    "30001 LIMIT in a derived table or part of a UNION",
    "30001 ORDER BY an aggregate function that is not selected",
    "30001 SHOW WARNINGS after a statement on several data nodes of one storage unit",
    "30001 UNION, INTERSECT or EXCEPT",
    "30001 WITH",
    "30001 a change together with tables that are not broadcast tables",
    "30001 a derived table",
    "30001 a join",
    "30001 a set operation of sharded with other tables",
    "30001 a statement that reads or sets the state of one server connection",
    "30001 a subquery",
    "30001 a window function",
    "30001 an aggregate function or GROUP BY without the sharding column in",
    "30001 an aggregate function other than COUNT, SUM, MIN, MAX and AVG",
    "30001 an expression over an aggregate function",
    "30001 an expression with alias",
    "30001 rows of several nodes cannot be worked on by one server",
    "30001 sharding tables",
    "30001 sorting or grouping by",
    "30001 the value for encrypted column",
    "30001 this use of",
];
