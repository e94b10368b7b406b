//! Fuzz targets: bytes that a peer may send, and what must be true of every way to read them.
//!
//! A target is a plain function of bytes. It panics where a property does not hold, and otherwise tells what it has
//! seen as a number, so that an input that shows something new is kept and changed further: coverage, as far as a
//! stable toolchain without instrumentation has it. Nothing here needs more than `cargo test`.
//!
//! ```text
//! WEIR_FUZZ_SECONDS=600 cargo test --release -p weir-fuzz -- --ignored frames
//! ```
//!
//! A failing input is made as small as possible and printed; it becomes a unit test beside what it broke.

mod commands;
mod frames;
mod logins;
mod mutate;
mod plans;
mod results;
mod run;
mod statements;
mod transports;

pub use run::{Failing, Target, run};

/// All targets.
pub const TARGETS: [Target; 14] = [
    Target { name: "answers", check: frames::answers, seeds: frames::answer_seeds, words: &[] },
    Target {
        name: "attributes",
        check: transports::attributes,
        seeds: transports::attribute_seeds,
        words: &[],
    },
    Target { name: "clients", check: logins::clients, seeds: logins::client_seeds, words: &[] },
    Target { name: "commands", check: commands::commands, seeds: commands::seeds, words: &[] },
    Target {
        name: "compressed",
        check: transports::compressed,
        seeds: transports::compressed_seeds,
        words: &[],
    },
    Target {
        name: "distsql",
        check: statements::distsql,
        seeds: statements::distsql_seeds,
        words: statements::RULES,
    },
    Target { name: "files", check: transports::files, seeds: transports::file_seeds, words: &[] },
    Target { name: "frames", check: frames::frames, seeds: frames::seeds, words: &[] },
    Target { name: "packets", check: results::packets, seeds: results::packet_seeds, words: &[] },
    Target { name: "plans", check: plans::plans, seeds: plans::seeds, words: plans::WORDS },
    Target {
        name: "proxies",
        check: transports::proxies,
        seeds: transports::proxy_seeds,
        words: transports::LINES,
    },
    Target { name: "rows", check: results::rows, seeds: results::row_seeds, words: &[] },
    Target { name: "servers", check: logins::servers, seeds: logins::server_seeds, words: &[] },
    Target { name: "sql", check: statements::sql, seeds: statements::sql_seeds, words: statements::WORDS },
];

/// What a target has seen: a few facts in one number.
pub(crate) fn seen(facts: impl std::hash::Hash) -> u64 {
    use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
    BuildHasherDefault::<DefaultHasher>::default().hash_one(facts)
}

/// Numbers that decide how an input is read, off its front.
pub(crate) struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    /// The first bytes of an input, and the rest of it.
    pub(crate) fn split(input: &'a [u8], count: usize) -> (Self, &'a [u8]) {
        let (front, rest) = input.split_at(count.min(input.len()));
        (Self(front), rest)
    }

    /// The next number; 0 when there is none.
    pub(crate) fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// The next eight bytes as one number.
    pub(crate) fn long(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.next()))
    }
}
