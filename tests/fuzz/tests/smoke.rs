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

targets! {
    answers attributes clients commands compressed distsql files frames packets plans proxies rows servers sql
}

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

/// The most memory that this process has taken so far, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("what the kernel tells of the process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes * 1024
}

/// What small packets become is taken one packet at a time, and what they merely claim to become takes nothing.
#[test]
fn packets_that_become_large_take_the_room_of_one() {
    use bytes::BytesMut;
    use wire::compress::{Codec, MOST, Method, Packets};
    for method in [Method::Zlib, Method::Zstd { level: 3 }] {
        let mut codec = Codec::default();
        let mut stream = BytesMut::new();
        wire::frame::put(&mut stream, &mut 0, &vec![0; MOST - wire::frame::HEADER]);
        let (mut bomb, mut writer) = (BytesMut::new(), Packets::new(method));
        writer.pack(&mut codec, &stream, &mut bomb);
        assert!(bomb.len() < MOST / 500, "{} bytes", bomb.len());
        let before = peak();
        let mut sent = BytesMut::new();
        for number in 0..=255_u8 {
            bomb[3] = number;
            sent.extend_from_slice(&bomb);
        }
        let (mut reader, mut out, mut total) = (Packets::new(method), BytesMut::new(), 0);
        while reader.unpack(&mut codec, &mut sent, &mut out).expect("packets that are in order") {
            total += out.len();
            out.clear();
        }
        assert_eq!(total, 256 * MOST);
        // The longest that can be told.
        let mut lie = bomb.clone();
        lie[3..7].copy_from_slice(&[0, 0xFF, 0xFF, 0xFF]);
        for _ in 0..256 {
            assert!(reader.unpack(&mut codec, &mut lie.clone(), &mut out).is_err());
            assert!(out.is_empty());
        }
        // Others run beside this one and take some, too.
        let taken = peak() - before;
        assert!(taken < 128 << 20, "{method:?}: {taken} bytes");
    }
}
