//! Which commands are sampled for a trace, and what is told of them.

use std::time::{Duration, Instant};

use observe::{Collector, Command, Event, Rule, Sampler, Trace, Wants};

use super::house::House;

const CONTEXT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const PARENT: Trace =
    Trace { id: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, parent: 0x00f0_67aa_0ba9_02b7, sampled: true };

fn sampling(house: &House, wants: Wants, rule: Rule) -> Collector {
    let events = &house.shared.events;
    events.sample(Sampler { rule, parental: true });
    let collector = events.collector();
    events.want(wants, Duration::MAX, 1000);
    collector
}

/// So many statements that were told: how they came, their texts and traces.
fn told(collector: &Collector, count: usize) -> Vec<(Command, String, Option<Trace>)> {
    let (mut all, deadline) = (Vec::new(), Instant::now() + Duration::from_secs(20));
    while all.len() < count && Instant::now() < deadline {
        collector.wait(Duration::from_secs(1));
        for batch in collector.take() {
            for event in batch.events() {
                if let Event::Statement(statement) = event {
                    let text = String::from_utf8_lossy(statement.text).into_owned();
                    all.push((statement.command, text, statement.trace));
                }
            }
            collector.done(batch);
        }
    }
    all
}

#[test]
fn statements_are_told_that_are_sampled_and_no_others() {
    let house = House::new();
    let collector = sampling(&house, Wants::TRACES, Rule::Counted(25));
    let mut client = house.client("root", Some("shop"));
    for _ in 0..100 {
        client.query("SELECT DATABASE()");
    }
    let told = told(&collector, 25);
    assert_eq!(told.len(), 25);
    let mut ids: Vec<_> = told.iter().map(|(_, _, trace)| trace.expect("a trace").id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 25);
    assert!(told.iter().all(|(_, text, trace)| text == "SELECT DATABASE()"
        && trace.is_some_and(|trace| trace.sampled && trace.parent == 0)));
}

#[test]
fn a_comment_names_the_trace_and_decides() {
    let house = House::new();
    let collector = sampling(&house, Wants::TRACES, Rule::Never);
    let mut client = house.client("root", Some("shop"));
    let text = format!("SELECT DATABASE() /*traceparent='{CONTEXT}'*/");
    client.query("SELECT DATABASE()");
    client.query(&text);
    client.query(&text.replace("-01'", "-00'"));
    client.query(&text);
    assert_eq!(
        told(&collector, 2),
        [(Command::Query, text.clone(), Some(PARENT)), (Command::Query, text, Some(PARENT))]
    );
}

#[test]
fn what_others_want_is_told_of_all_with_the_trace_that_the_client_names() {
    let house = House::new();
    let collector = sampling(&house, Wants::TRACES | Wants::STATEMENTS, Rule::Never);
    let mut client = house.client("root", Some("shop"));
    let text = format!("SELECT DATABASE() /*traceparent='{}'*/", CONTEXT.replace("-01", "-00"));
    client.query(&text);
    client.query("SELECT DATABASE()");
    let quiet = Trace { sampled: false, ..PARENT };
    assert_eq!(
        told(&collector, 2),
        [(Command::Query, text, Some(quiet)), (Command::Query, "SELECT DATABASE()".to_owned(), None)]
    );
}
