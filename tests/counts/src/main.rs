//! `cargo counts`: how many instructions each part of a query's way takes, held against `baseline.yaml`.
//!
//! Time on shared machines is noise; instructions of the same build are the same everywhere. Each case runs twice under
//! callgrind, the second time with more rounds: the difference is that of the rounds alone.

mod cases;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Parser;
use weir_harness::Lines;
use weir_harness::provision::{self, Program};

/// A case may take so much more than the baseline says: another compiler orders things otherwise.
const TOLERANCE: f64 = 0.04;

/// Rounds of the two runs.
const ROUNDS: [u64; 2] = [200, 1_200];

/// Counts instructions, and fails where they have grown.
#[derive(Debug, Parser)]
struct Arguments {
    /// Write what was counted as the new baseline.
    #[arg(long)]
    write: bool,
    /// Run one case so many times and count nothing (this is what is run under callgrind).
    #[arg(long, num_args = 2, value_names = ["CASE", "ROUNDS"], hide = true)]
    run: Option<Vec<String>>,
}

/// Instructions for one round of each case.
type Counts = BTreeMap<String, u64>;

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if let Some(run) = arguments.run {
        let [case, rounds] = run.as_slice() else { bail!("--run takes a case and a number of rounds") };
        cases::run(case, rounds.parse().context("no number of rounds")?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let valgrind = provision::valgrind(&Lines)?;
    let mut counts = Counts::new();
    for case in cases::NAMES {
        counts.insert(case.to_owned(), count(&valgrind, case)?);
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("baseline.yaml");
    if arguments.write {
        write(&file, &counts)?;
    }
    compare(&counts, &read(&file)?)
}

/// Instructions of one round.
fn count(valgrind: &Program, case: &str) -> Result<u64> {
    let [few, many] = ROUNDS;
    let more = collected(valgrind, case, many)?.checked_sub(collected(valgrind, case, few)?);
    let more = more.with_context(|| format!("{case}: more rounds took fewer instructions"))?;
    Ok(more / (many - few))
}

/// Instructions of a whole run.
fn collected(valgrind: &Program, case: &str, rounds: u64) -> Result<u64> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let output = valgrind
        .command()
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--run", case, &rounds.to_string()])
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {valgrind}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{case} failed under callgrind: {told}");
    let number = told.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    number.with_context(|| format!("callgrind did not tell a number: {told}"))
}

fn read(file: &PathBuf) -> Result<Counts> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_saphyr::from_str(&text).with_context(|| format!("{} is not as expected", file.display()))
}

fn write(file: &Path, counts: &Counts) -> Result<()> {
    let mut text = "# Instructions of one round, counted by callgrind in the release build; written by \
                    `cargo counts --write`.\n"
        .to_owned();
    for (case, count) in counts {
        text.push_str(&format!("{case}: {count}\n"));
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// Prints both, and says whether nothing has grown.
fn compare(counts: &Counts, baseline: &Counts) -> Result<ExitCode> {
    ensure!(
        counts.keys().eq(baseline.keys()),
        "the baseline has other cases; renew it with `cargo counts --write`"
    );
    let mut grown = false;
    eprintln!("{:<20} {:>12} {:>12} {:>8}", "instructions", "counted", "baseline", "change");
    for (case, count) in counts {
        let before = baseline[case];
        #[expect(clippy::cast_precision_loss, reason = "numbers of instructions are far below 2^52")]
        let change = *count as f64 / before.max(1) as f64 - 1.0;
        let verdict = if change > TOLERANCE {
            grown = true;
            "  grown"
        } else if change < -TOLERANCE {
            "  shrunk: renew the baseline with `cargo counts --write`"
        } else {
            ""
        };
        eprintln!("{case:<20} {count:>12} {before:>12} {:>+7.1}%{verdict}", change * 100.0);
    }
    Ok(if grown { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
