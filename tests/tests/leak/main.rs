//! 64 clients with hostile mixtures of session state on a pool of 4 connections: each sees its own state and no other's.
//!
//! Each client does everything twice, through the proxy and on a connection of its own to a plain server, which knows
//! no other client: whatever differs is a leak or a wrong answer. What a client does follows from the seed and its
//! number; how the clients meet does not, so a finding tells its last statements too.
//!
//! ```text
//! WEIR_LEAK_SEED=7 WEIR_LEAK_SECONDS=600 cargo test -p weir-tests --test leak -- --ignored --nocapture
//! ```

mod ends;
mod ground;
mod holds;
mod known;
mod more;
mod prepared;
mod settings;
mod steps;
mod tally;
mod transactions;
mod twin;

use std::time::{Duration, Instant};

use ground::Ground;
use tally::Tally;
use twin::Twin;

/// As many clients as the issue says.
const CLIENTS: u32 = 64;

/// Findings that are told before a run gives up.
const PATIENCE: usize = 25;

/// A number that the caller gave by an environment variable.
fn given(name: &str) -> Option<u64> {
    std::env::var_os(name)
        .map(|text| text.to_string_lossy().parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

/// Runs all clients for so long and expects no finding.
fn run(seed: u64, seconds: u64) -> Tally {
    let ground = Ground::new(CLIENTS);
    let tally = Tally::new(seed);
    let deadline = Instant::now() + Duration::from_secs(seconds);
    std::thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (ground, tally) = (&ground, &tally);
            scope.spawn(move || {
                let mut twin = Twin::new(ground, tally, number);
                while Instant::now() < deadline && tally.findings() < PATIENCE {
                    twin.step();
                }
                twin.end();
            });
        }
        scope.spawn(|| {
            while Instant::now() < deadline && tally.findings() < PATIENCE {
                ground.watch(&tally);
                std::thread::sleep(Duration::from_millis(500));
            }
        });
    });
    ground.expect_nothing_left(&tally);
    assert!(tally.findings() == 0, "{tally}\n{}", tally.told());
    tally
}

#[test]
#[ignore = "still finds differences from one MySQL: see the last part of proxy/README.md"]
fn no_client_sees_anothers_state() {
    let tally = run(given("WEIR_LEAK_SEED").unwrap_or(1), 20);
    println!("{tally}");
}

#[test]
#[ignore = "takes as long as WEIR_LEAK_SECONDS says, 10 minutes unless given"]
fn no_client_sees_anothers_state_for_long() {
    let seed = given("WEIR_LEAK_SEED").unwrap_or(20_261_130);
    let tally = run(seed, given("WEIR_LEAK_SECONDS").unwrap_or(600));
    println!("{tally}");
}
