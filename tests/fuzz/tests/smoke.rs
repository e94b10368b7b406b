//! Each target for a moment, and for as long as one likes.

use std::time::Duration;

use weir_fuzz::{TARGETS, run};

/// A number that the caller gave by an environment variable.
fn given(name: &str) -> Option<u64> {
    std::env::var_os(name)
        .map(|text| text.to_string_lossy().parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

fn one(name: &str, length: Duration) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
    let seed = given("WEIR_FUZZ_SEED").unwrap_or(1);
    match run(target, seed, length) {
        Ok((runs, sights)) => eprintln!("{name}: {runs} inputs, {sights} sights, seed {seed}"),
        Err(failing) => panic!("{failing}\n  seed {seed}"),
    }
}

/// A test of each target, and one that takes as long as `WEIR_FUZZ_SECONDS` says.
macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                one(stringify!($name), Duration::from_secs(2));
            }
        )*

        mod long {
            $(
                #[test]
                #[ignore = "takes as long as WEIR_FUZZ_SECONDS says, a minute unless given"]
                fn $name() {
                    let seconds = super::given("WEIR_FUZZ_SECONDS").unwrap_or(60);
                    super::one(stringify!($name), std::time::Duration::from_secs(seconds));
                }
            )*
        }

        #[test]
        fn every_target_is_run() {
            let names = [$(stringify!($name)),*];
            assert_eq!(TARGETS.map(|target| target.name), names);
        }
    };
}

targets! { answers clients commands distsql frames packets rows servers sql }

/// Nesting that no person writes must not end the process for want of stack.
#[test]
fn deep_nesting_is_refused_or_read() {
    for (open, close) in
        [("(", ")"), ("(SELECT ", ")"), ("NOT ", ""), ("- ", ""), ("CASE WHEN 1 THEN ", " END"), ("f(", ")")]
    {
        for depth in [10, 100, 1000, 20_000] {
            let text = format!("\0\x05SELECT {}1{}", open.repeat(depth), close.repeat(depth));
            let target = TARGETS.iter().find(|target| target.name == "sql").expect("a target of this name");
            (target.check)(text.as_bytes());
        }
    }
}
