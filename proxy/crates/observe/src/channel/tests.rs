use std::sync::Arc;
use std::task::Wake;
use std::time::SystemTime;

use super::*;
use crate::event::Session;

struct Flag(std::sync::atomic::AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn flag() -> (Arc<Flag>, Waker) {
    let flag = Arc::new(Flag(false.into()));
    (Arc::clone(&flag), Waker::from(flag))
}

fn event(session: u32) -> Event<'static> {
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

fn hub(wants: Wants) -> Arc<Hub> {
    let hub = Hub::new(Capacity { batch: 100, batches: 2 });
    hub.want(wants, Duration::ZERO, 1000);
    hub
}

fn read(batches: &[Batch]) -> Vec<(u16, u64, u32)> {
    let events = batches.iter().flat_map(Batch::events);
    events.map(|event| (event.head().record.0, event.head().record.1, event.head().session)).collect()
}

#[test]
fn what_is_dropped_is_counted_and_the_rest_comes_in_order() {
    let hub = hub(Wants::SESSIONS);
    let (outlet, collector) = (hub.outlet(), hub.collector());
    let put = (0..100).filter(|session| outlet.put(event(*session)).is_some()).count();
    let flow = hub.flow();
    assert!((2..100).contains(&put));
    assert_eq!((flow.records, flow.dropped), (put as u64, 100 - put as u64));

    let mut told = Vec::new();
    loop {
        let batches = collector.take();
        if batches.is_empty() {
            break;
        }
        told.extend(read(&batches));
        batches.into_iter().for_each(|batch| collector.done(batch));
        outlet.hand_over();
    }
    let expected: Vec<_> = (0..put).map(|at| (0, at as u64 + 1, u32::try_from(at).unwrap_or(0))).collect();
    assert_eq!(told, expected);
}

#[test]
fn nothing_is_dropped_where_sessions_wait() {
    let hub = hub(Wants::SESSIONS | Wants::WAIT);
    let (outlet, collector) = (hub.outlet(), hub.collector());
    let (woken, waker) = flag();
    let mut cx = Context::from_waker(&waker);
    let mut session = 0;
    while !(outlet.is_full() && outlet.poll_room(&mut cx).is_pending()) {
        assert!(outlet.put(event(session)).is_some());
        session += 1;
    }
    assert_eq!((hub.flow().dropped, hub.flow().waits), (0, 1));
    assert!(!woken.0.load(Ordering::SeqCst));
    let batches = collector.take();
    batches.into_iter().for_each(|batch| collector.done(batch));
    assert!(woken.0.load(Ordering::SeqCst));
    assert!(outlet.poll_room(&mut cx).is_ready());
}

#[test]
fn a_record_is_confirmed_when_its_batch_is_written() {
    let hub = hub(Wants::SESSIONS | Wants::CONFIRMED);
    let (outlet, collector) = (hub.outlet(), hub.collector());
    let (woken, waker) = flag();
    let mut cx = Context::from_waker(&waker);
    let ticket = outlet.put(event(1)).expect("there is room");
    assert!(outlet.poll_confirmed(ticket, &mut cx).is_pending());
    let batches = collector.take();
    assert_eq!(read(&batches), [(0, 1, 1)]);
    assert!(!woken.0.load(Ordering::SeqCst));
    batches.into_iter().for_each(|batch| collector.done(batch));
    assert!(woken.0.load(Ordering::SeqCst) && outlet.poll_confirmed(ticket, &mut cx).is_ready());
}

#[test]
fn nobody_waits_for_a_collector_that_is_gone() {
    let hub = hub(Wants::SESSIONS | Wants::CONFIRMED);
    let (outlet, collector) = (hub.outlet(), hub.collector());
    let (woken, waker) = flag();
    let mut cx = Context::from_waker(&waker);
    let ticket = outlet.put(event(1)).expect("there is room");
    assert!(outlet.poll_confirmed(ticket, &mut cx).is_pending());
    drop(collector);
    assert!(woken.0.load(Ordering::SeqCst) && outlet.poll_confirmed(ticket, &mut cx).is_ready());
    assert_eq!(hub.wants(), Wants::empty());
}

#[test]
fn a_worker_that_ends_leaves_its_records() {
    let hub = hub(Wants::SESSIONS);
    let (outlet, collector) = (hub.outlet(), hub.collector());
    let (woken, waker) = flag();
    assert!(outlet.poll_stirred(&mut Context::from_waker(&waker)).is_pending());
    outlet.put(event(5));
    assert!(woken.0.load(Ordering::SeqCst));
    drop(outlet);
    assert_eq!(read(&collector.take()), [(0, 1, 5)]);
}

#[test]
fn what_workers_keep_is_not_the_sinks_business() {
    let hub = hub(Wants::SESSIONS);
    hub.keep(Wants::DIGESTS | Wants::STATEMENTS, true);
    assert_eq!(hub.wants(), Wants::SESSIONS | Wants::DIGESTS);
    hub.want(Wants::SLOW | Wants::COUNTS, Duration::ZERO, 0);
    assert_eq!(hub.wants(), Wants::SLOW | Wants::DIGESTS);
    hub.keep(Wants::DIGESTS, false);
    assert_eq!(hub.wants(), Wants::SLOW);
}
