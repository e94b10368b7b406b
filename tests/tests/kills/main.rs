//! `kill -9` of clients, servers and the proxy in the middle of everything.
//!
//! Clients do what there is to do and know what each answer must be: a whole one, an error or a closed connection, never
//! a wrong one. What a client was told to be done is there afterwards, what it was told nothing of is there as a whole
//! on each server or not at all, and no server keeps anything of those who are gone.

mod work;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use weir_tests::{Bed, Client, Logical, Setup};
use work::{Deed, Ledger, Worker};

/// Clients at work.
const WORKERS: u32 = 12;

/// Nothing of a client or a proxy that is gone may stay on a server for longer.
const GONE: Duration = Duration::from_secs(20);

/// Servers, a proxy and a database with rows whose sums are known.
struct Field {
    bed: Bed,
}

impl Field {
    fn new() -> Self {
        let field = Self { bed: Bed::new(2) };
        let logical = field.bed.logical("kills");
        logical.shard("fixed", "id");
        logical.shard("written", "id");
        let mut client = logical.client();
        work::create(&mut client);
        field
    }

    fn logical(&self) -> Logical<'_> {
        Logical { bed: &self.bed, name: "kills".into(), setup: Setup::Units }
    }

    /// Lets clients work while `disturb` does what it does, then ends them; tells what they did.
    fn work(&self, seed: u64, disturb: impl FnOnce(&Ledger)) -> Ledger {
        let (ledger, stop) = (Ledger::default(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for number in 0..WORKERS {
                let (ledger, stop, account) = (&ledger, &stop, self.logical().account());
                scope.spawn(move || {
                    let mut worker = Worker::new(account, number, seed);
                    while !stop.load(Ordering::Relaxed) {
                        worker.deed(ledger);
                    }
                });
            }
            // A panic of the disturber must not leave the others at work for ever.
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| disturb(&ledger)));
            stop.store(true, Ordering::Relaxed);
            if let Err(panic) = ended {
                std::panic::resume_unwind(panic);
            }
        });
        eprintln!("{ledger}");
        ledger
    }

    /// Asks a server itself until it answers so.
    fn await_answer(&self, unit: usize, ask: &str, wanted: &str) {
        let mut server = self.bed.unit(unit).client();
        let deadline = Instant::now() + GONE;
        loop {
            let told = server.value(ask);
            if told == wanted {
                return;
            }
            if Instant::now() > deadline {
                let sessions = server.rows("SHOW FULL PROCESSLIST");
                let transactions = server.rows("SELECT trx_id, trx_state, trx_started, trx_mysql_thread_id, trx_query, trx_operation_state, trx_rows_modified FROM information_schema.innodb_trx");
                panic!("unit {unit}: {told}, not {wanted}: {ask}\n{sessions:?}\n{transactions:?}");
            }
            // InnoDB gathers its transactions anew only when nobody has asked for a tenth of a second.
            std::thread::sleep(Duration::from_millis(150));
        }
    }

    /// No server holds a transaction, a lock or a running statement.
    fn expect_nothing_held(&self) {
        for unit in 0..2 {
            self.await_answer(unit, "SELECT COUNT(*) FROM information_schema.innodb_trx", "0");
            let running = "SELECT COUNT(*) FROM information_schema.processlist WHERE db LIKE 'kills%' AND command <> 'Sleep'";
            self.await_answer(unit, running, "0");
        }
    }

    /// A session of the proxy that works on both units, as soon as there can be one.
    fn await_service(&self) -> Client {
        let deadline = Instant::now() + GONE;
        loop {
            let client = self.logical().account().connect();
            if let Ok(mut client) = client
                && let Ok(weir_tests::Reply::Rows(table)) = client.try_query("SELECT COUNT(*) FROM fixed")
            {
                assert_eq!(table.text(), [[work::FIXED.to_string()]]);
                return client;
            }
            assert!(Instant::now() < deadline, "no service within {GONE:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What was acknowledged is there, and what was not is there by whole statements of a unit.
    fn expect_kept(&self, ledger: &Ledger) {
        let mut client = self.await_service();
        let rows = client.rows("SELECT id, v FROM written ORDER BY id");
        ledger.check(&rows);
    }
}

#[test]
fn servers_killed_amid_everything_cost_only_what_ran_there() {
    let field = Field::new();
    let ledger = field.work(1, |ledger| {
        for round in 0..4 {
            let unit = round % 2;
            ledger.await_more(60);
            field.bed.server(unit).kill().unwrap();
            // The other unit serves on all the while.
            let mut witness = field.logical().client();
            for id in (1 - unit..40).step_by(2) {
                let value = witness.value(format!("SELECT v FROM fixed WHERE id = {id}"));
                assert_eq!(value, (id * 7).to_string(), "unit {unit} is down");
            }
            ledger.await_more(20);
            field.bed.server(unit).restart().unwrap();
            // Back at once, not after a long pause.
            field.await_service();
        }
        ledger.await_more(60);
    });
    field.expect_nothing_held();
    field.expect_kept(&ledger);
}

#[test]
fn clients_that_vanish_amid_everything_leave_nothing_behind() {
    let field = Field::new();
    let pid = field.bed.weir.pid().unwrap();
    let descriptors = || std::fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
    let mut admin = field.bed.proxy().client();
    let before = descriptors();
    let account = field.logical().account();
    let mut deeds = Deed::ALL.iter().cycle();
    for round in 0..60_u32 {
        let mut worker = Worker::new(account.clone(), 500 + round, 2);
        worker.vanish_amid(*deeds.next().unwrap(), (round % 7) as usize);
    }
    field.expect_nothing_held();
    for unit in 0..2 {
        let locks = "SELECT IS_FREE_LOCK('kills')";
        field.await_answer(unit, locks, "1");
    }
    // Descriptors: as before but for idle connections to the servers.
    let deadline = Instant::now() + GONE;
    let kept = || {
        let ask = "SELECT COUNT(*) FROM information_schema.processlist WHERE db LIKE 'kills%'";
        (0..2).map(|unit| field.bed.unit(unit).client().value(ask).parse::<usize>().unwrap()).sum::<usize>()
    };
    while descriptors() > before + kept() {
        assert!(Instant::now() < deadline, "{} descriptors, {before} before, {} idle", descriptors(), kept());
        std::thread::sleep(Duration::from_millis(50));
    }
    // Nothing of transactions that never ended.
    let mut client = field.await_service();
    assert_eq!(client.value("SELECT COUNT(*) FROM written WHERE v = -1"), "0");
    assert_eq!(client.rows("SELECT COUNT(*), SUM(v) FROM fixed"), [work::sums()]);
    admin.run("SELECT 1");
}

#[test]
fn a_proxy_killed_amid_everything_leaves_servers_clean_and_starts_as_it_was() {
    let field = Field::new();
    let shown = |client: &mut Client| {
        [
            "SHOW STORAGE UNITS",
            "SHOW SHARDING TABLE RULES",
            "SHOW DATABASES",
            "SHOW DEFAULT SINGLE TABLE STORAGE UNIT",
        ]
        .map(|text| client.rows(text))
    };
    let before = shown(&mut field.logical().client());
    let ledger = field.work(3, |ledger| {
        for _ in 0..3 {
            ledger.await_more(60);
            field.bed.weir.kill().unwrap();
            field.expect_nothing_held();
            for unit in 0..2 {
                let ask = "SELECT COUNT(*) FROM information_schema.processlist WHERE db LIKE 'kills%'";
                field.await_answer(unit, ask, "0");
            }
            field.bed.weir.restart().unwrap();
            let mut client = field.await_service();
            assert_eq!(shown(&mut client), before);
        }
        ledger.await_more(60);
    });
    field.expect_nothing_held();
    field.expect_kept(&ledger);
}

#[test]
fn a_proxy_killed_amid_changes_of_rules_has_each_of_them_or_not() {
    let field = Field::new();
    let mut known: Vec<String> = Vec::new();
    for round in 0..6 {
        let mut client = field.logical().client();
        let name = |number: u32| format!("rule_{round}_{number}");
        let told = std::thread::scope(|scope| {
            let changes = scope.spawn(|| {
                let mut told = Vec::new();
                for number in 0.. {
                    let rule = field.logical().rule(&name(number), "id");
                    match client.try_query(rule) {
                        Ok(weir_tests::Reply::Done(_)) => told.push(name(number)),
                        Ok(other) => panic!("{other:?}"),
                        Err(_) => return (told, name(number)),
                    }
                }
                unreachable!("the loop ends with the proxy")
            });
            // The proxy is killed once it has written some, at another moment of its work each time.
            std::thread::sleep(Duration::from_millis(40 + 23 * round));
            field.bed.weir.kill().unwrap();
            changes.join().unwrap()
        });
        field.bed.weir.restart().unwrap();
        let mut client = field.await_service();
        let rules = client.rows("SHOW SHARDING TABLE RULES");
        let rules: Vec<_> = rules.into_iter().map(|row| row[0].clone()).collect();
        let (done, open) = told;
        known.extend(done);
        for rule in &known {
            assert!(rules.contains(rule), "{rule} was acknowledged and is not there: {rules:?}");
        }
        // What was not acknowledged may be there or not.
        if rules.contains(&open) {
            known.push(open);
        }
        assert_eq!(rules.len(), known.len() + 2, "{rules:?}");
    }
    assert!(!known.is_empty());
}

#[test]
fn a_server_that_hangs_does_not_stop_the_others() {
    let field = Field::new();
    let account = field.logical().account();
    let mut waiting: Vec<_> = (0..24).map(|_| account.client()).collect();
    for client in &mut waiting {
        client.run("SELECT v FROM fixed WHERE id = 1");
    }
    let mut killed = account.client();
    let id = killed.value("SELECT CONNECTION_ID()");
    field.bed.server(1).pause().unwrap();
    for (number, client) in waiting.iter_mut().enumerate() {
        let text = match number % 3 {
            0 => "SELECT v FROM fixed WHERE id = 1",
            1 => "SELECT COUNT(*), SUM(v) FROM fixed",
            _ => "UPDATE fixed SET v = v WHERE id IN (2, 3)",
        };
        client.command(format!("\x03{text}").as_bytes()).unwrap();
    }
    killed.command(b"\x03SELECT v FROM fixed WHERE id = 3").unwrap();
    // The other unit answers as ever, in old and in new sessions; so does what needs no server.
    let started = Instant::now();
    let mut witness = account.client();
    for round in 0..50 {
        let id = 4 + round % 8 * 10;
        assert_eq!(witness.value(format!("SELECT v FROM fixed WHERE id = {id}")), (id * 7).to_string());
        let mut fresh = account.client();
        assert_eq!(fresh.value("SELECT DATABASE()"), "kills");
        assert_eq!(fresh.value("SELECT v FROM fixed WHERE id = 10"), "70");
        fresh.run("SHOW STORAGE UNITS");
    }
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    // Who waits for the one that hangs can be ended, or goes.
    witness.run(format!("KILL {id}"));
    assert!(killed.is_closed());
    let gone = waiting.split_off(16);
    drop(gone);
    field.bed.server(1).resume().unwrap();
    for (number, client) in waiting.iter_mut().enumerate() {
        // An error is an answer, too, when it took long.
        match client.reply().unwrap() {
            weir_tests::Reply::Rows(table) if number % 3 == 0 => assert_eq!(table.text(), [["7"]]),
            weir_tests::Reply::Rows(table) => assert_eq!(table.text(), [work::sums()]),
            weir_tests::Reply::Done(done) => assert_eq!((number % 3, done.affected), (2, 0)),
            weir_tests::Reply::Error(fault) => assert!(work::is_expected(fault.code), "{fault}"),
        }
    }
    field.expect_nothing_held();
    let mut client = field.await_service();
    assert_eq!(client.rows("SELECT COUNT(*), SUM(v) FROM fixed"), [work::sums()]);
}
