use std::time::SystemTime;

use observe::{Capacity, Event, Head, Session};
use parking_lot::Mutex;

use super::*;

/// Keeps the sessions of what it takes, and what else it was told.
struct Kept(Arc<Mutex<Vec<String>>>);

impl Sink for Kept {
    fn name(&self) -> &'static str {
        "kept"
    }

    fn wants(&self) -> Wants {
        Wants::SESSIONS
    }

    fn text_limit(&self) -> usize {
        100
    }

    fn take(&mut self, event: &Event<'_>) {
        self.0.lock().push(event.head().session.to_string());
    }

    fn flush(&mut self) {}

    fn reopen(&mut self) {
        self.0.lock().push("reopen".to_owned());
    }

    fn rotate(&mut self) {
        self.0.lock().push("rotate".to_owned());
    }
}

fn quit(session: u32) -> Event<'static> {
    let head = Head {
        record: (0, 0),
        session,
        user: "",
        client: "",
        database: "",
        at: SystemTime::UNIX_EPOCH,
        elapsed: Duration::ZERO,
        error: None,
    };
    Event::Quit(Session { head, encrypted: false, statements: 0 })
}

#[test]
fn what_was_told_before_sinks_were_let_go_reaches_them() {
    let hub = Hub::new(Capacity::default());
    let kept = Arc::new(Mutex::new(Vec::new()));
    let writer = Writer::start(&hub).expect("a thread");
    writer.replace(vec![Box::new(Kept(Arc::clone(&kept)))]);
    writer.settle();
    let outlet = hub.outlet();
    outlet.put(quit(1));
    writer.replace(Vec::new());
    writer.settle();
    assert_eq!((hub.wants(), kept.lock().len()), (Wants::empty(), 0));
    outlet.hand_over();
    writer.settle();
    assert_eq!(*kept.lock(), ["1"]);
    // Another one of that name takes what still comes.
    let other = Arc::new(Mutex::new(Vec::new()));
    outlet.put(quit(2));
    writer.replace(vec![Box::new(Kept(Arc::clone(&other)))]);
    writer.settle();
    outlet.hand_over();
    writer.settle();
    assert_eq!((kept.lock().len(), other.lock().clone()), (1, vec!["2".to_owned()]));
}

#[test]
fn sinks_get_everything_in_order_and_are_told_what_to_do() {
    let hub = Hub::new(Capacity::default());
    let kept = Arc::new(Mutex::new(Vec::new()));
    let writer = Writer::start(&hub).expect("a thread");
    writer.replace(vec![Box::new(Kept(Arc::clone(&kept)))]);
    writer.settle();
    assert_eq!((hub.wants(), hub.text_limit()), (Wants::SESSIONS, 100));

    let outlet = hub.outlet();
    outlet.put(quit(1));
    outlet.put(quit(2));
    outlet.hand_over();
    writer.reopen();
    writer.rotate(Some("another"));
    writer.rotate(Some("kept"));
    writer.settle();
    outlet.put(quit(3));
    drop(outlet);
    drop(writer);
    let kept = kept.lock();
    assert_eq!(*kept, ["1", "2", "reopen", "rotate", "3"]);
    assert_eq!(hub.wants(), Wants::empty());
}
