use std::io::Read;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::thread;
use std::time::Duration;

use super::*;

const NEVER: Rotation = Rotation { size: 0, every: Duration::ZERO, keep: 0, compression: Compression::None };

struct Bench {
    folder: tempfile::TempDir,
    counters: Arc<SinkCounters>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, counters: Arc::new(SinkCounters::new("test-log")) }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("logs/test.log")
    }

    fn log(&self, rotation: Rotation) -> LogFile {
        LogFile::new(self.path(), rotation, Arc::clone(&self.counters))
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    /// Names of the closed files and of the current one, the oldest first.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path().parent().unwrap()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_by_key(|name| (name == "test.log", name.clone()));
        names
    }

    /// What is in them. Nobody may be at work on them.
    fn texts(&self) -> Vec<String> {
        let folder = self.path().parent().unwrap().to_owned();
        self.names().iter().map(|name| unpacked(&folder.join(name))).collect()
    }

    /// How many closed files have this at the end of their names, when there are no others.
    fn closed(&self, suffix: &str) -> Option<usize> {
        let mut names = self.names();
        names.retain(|name| name != "test.log");
        names.iter().all(|name| name.ends_with(&format!("Z{suffix}"))).then_some(names.len())
    }

    fn counted(&self) -> (u64, u64, u64) {
        let counters = &self.counters;
        (counters.records.get(), counters.lost.get(), counters.rotations.get())
    }
}

fn unpacked(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    let mut text = String::new();
    match path.extension().and_then(|it| it.to_str()) {
        Some("gz") => flate2::read::GzDecoder::new(&*bytes).read_to_string(&mut text).unwrap(),
        Some("zst") => zstd::Decoder::new(&*bytes).unwrap().read_to_string(&mut text).unwrap(),
        _ => return String::from_utf8(bytes).unwrap(),
    };
    text
}

fn put(log: &mut LogFile, text: &str) {
    log.record(|out| out.extend_from_slice(text.as_bytes()));
}

/// Waits for the keeper, for no longer than half a minute.
fn until(mut done: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if done() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("it did not come to it");
}

#[test]
fn records_are_written_by_rounds_into_a_file_of_ones_own() {
    let bench = Bench::new();
    let mut log = bench.log(NEVER);
    put(&mut log, "a\n");
    put(&mut log, "b\n");
    assert_eq!((bench.text().as_str(), bench.counted()), ("", (0, 0, 0)));
    assert!(log.flush());
    assert_eq!((bench.text().as_str(), bench.counted()), ("a\nb\n", (2, 0, 0)));
    assert_eq!(bench.counters.bytes.get(), 4);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&bench.path()), mode(bench.path().parent().unwrap())), (0o600, 0o700));
    put(&mut log, "c\n");
    drop(log);
    assert_eq!(bench.text(), "a\nb\nc\n");
    let mut log = bench.log(NEVER);
    put(&mut log, "d\n");
    assert!(log.sync());
    assert_eq!(bench.text(), "a\nb\nc\nd\n");
}

#[test]
fn what_a_killed_process_left_of_a_line_is_a_line() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path().parent().unwrap()).unwrap();
    fs::write(bench.path(), "whole\nhal").unwrap();
    put(&mut bench.log(NEVER), "next\n");
    assert_eq!(bench.text(), "whole\nhal\nnext\n");
}

#[test]
fn files_are_rotated_by_size_and_nothing_is_lost() {
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let bench = Bench::new();
        let mut log = bench.log(Rotation { size: 1000, compression, ..NEVER });
        for number in 0..5000 {
            put(&mut log, &format!("record {number:06}\n"));
            if number % 7 == 0 {
                log.flush();
            }
        }
        drop(log);
        // 14 bytes each: 72 records are the first to have 1,000 bytes.
        let rotations = 5000 / 72;
        assert_eq!(bench.counted(), (5000, 0, rotations));
        let suffix = compression.suffix();
        until(|| bench.closed(suffix) == Some(rotations as usize));
        let text = bench.texts().concat();
        assert!(text.lines().eq((0..5000).map(|number| format!("record {number:06}"))));
    }
}

#[test]
fn only_so_many_closed_files_are_kept() {
    let bench = Bench::new();
    let mut log = bench.log(Rotation { size: 10, keep: 3, compression: Compression::Zstd, ..NEVER });
    for number in 0..20 {
        put(&mut log, &format!("record {number}\n"));
    }
    put(&mut log, "last\n");
    log.flush();
    until(|| bench.closed(".zst") == Some(3));
    assert_eq!(bench.texts(), ["record 17\n", "record 18\n", "record 19\n", "last\n"]);
}

#[test]
fn what_is_no_closed_file_of_the_log_is_left_alone() {
    let bench = Bench::new();
    let mut log = bench.log(Rotation { size: 10, keep: 1, compression: Compression::Gzip, ..NEVER });
    let others = [
        "test.log.1",
        "test.log.20261201T000000.000000",
        "test.log-20261201T000000.000000Z",
        "other.log.20261201T000000.000000Z",
        "test.log.20261201T000000.000000Z.txt",
    ];
    for other in others {
        fs::write(bench.path().with_file_name(other), "not ours").unwrap();
    }
    (0..20).for_each(|number| put(&mut log, &format!("record {number}\n")));
    until(|| {
        bench.names().len() == others.len() + 2
            && bench.names().iter().filter(|it| it.ends_with(".gz")).count() == 1
    });
    assert!(others.iter().all(|other| bench.path().with_file_name(other).exists()));
}

#[test]
fn a_file_that_is_old_is_closed() {
    let bench = Bench::new();
    let mut log = bench.log(Rotation { every: Duration::from_millis(1), ..NEVER });
    put(&mut log, "a\n");
    until(|| {
        log.tick();
        bench.counted().2 == 1
    });
    // An empty one is not.
    thread::sleep(Duration::from_millis(2));
    log.tick();
    assert_eq!(bench.counted(), (1, 0, 1));
}

#[test]
fn a_file_that_was_moved_is_followed_by_another() {
    let bench = Bench::new();
    let mut log = bench.log(NEVER);
    let moved = bench.folder.path().join("logs/test.log.1");
    put(&mut log, "a\n");
    log.flush();
    fs::rename(bench.path(), &moved).unwrap();
    put(&mut log, "b\n");
    log.flush();
    put(&mut log, "c\n");
    log.reopen();
    put(&mut log, "d\n");
    log.flush();
    assert_eq!((fs::read_to_string(&moved).unwrap().as_str(), bench.text().as_str()), ("a\nb\nc\n", "d\n"));
    // Nobody has to say so.
    fs::remove_file(bench.path()).unwrap();
    log.tick();
    put(&mut log, "e\n");
    log.flush();
    assert_eq!(bench.text(), "e\n");
}

#[test]
fn a_full_disk_stops_nobody_and_is_left_behind() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path().parent().unwrap()).unwrap();
    symlink("/dev/full", bench.path()).unwrap();
    let mut log = bench.log(Rotation { size: 100, ..NEVER });
    put(&mut log, "held\n");
    assert!(!log.flush());
    let big = format!("{}\n", "x".repeat(HELD / 4));
    (0..6).for_each(|_| put(&mut log, &big));
    assert!(!log.flush());
    log.tick();
    let (written, lost, rotations) = bench.counted();
    assert_eq!((written, lost, rotations), (0, 3, 0));
    assert_eq!(bench.counters.errors.get(), 2);
    // There is room again.
    fs::remove_file(bench.path()).unwrap();
    log.tick();
    put(&mut log, "after\n");
    log.flush();
    assert_eq!(bench.counted().0, 5);
    let text = bench.texts().concat();
    assert!(text.starts_with("held\nxxx") && text.ends_with("x\nafter\n"));
    assert_eq!(text.len(), "held\nafter\n".len() + 3 * big.len());
}

#[test]
fn a_file_that_cannot_be_opened_is_tried_again() {
    let bench = Bench::new();
    fs::write(bench.folder.path().join("logs"), "in the way").unwrap();
    let mut log = bench.log(NEVER);
    put(&mut log, "a\n");
    assert!(!log.flush() && !log.sync());
    fs::remove_file(bench.folder.path().join("logs")).unwrap();
    assert!(!log.flush(), "not before the next tick");
    log.tick();
    assert_eq!((bench.text().as_str(), bench.counted()), ("a\n", (1, 0, 0)));
}

#[test]
fn a_pipe_that_nobody_reads_blocks_nobody() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path().parent().unwrap()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path(), rustix::fs::Mode::RWXU).unwrap();
    let mut log = bench.log(NEVER);
    put(&mut log, "a\n");
    assert!(!log.flush());
    drop(log);
    assert_eq!(bench.counted(), (0, 1, 0));
}

#[test]
fn frames_stand_at_both_ends_of_each_file() {
    let bench = Bench::new();
    let frame = Frame { head: "<log>\n", tail: "</log>\n" };
    let open = || LogFile::framed(bench.path(), NEVER, frame, Arc::clone(&bench.counters));
    let mut log = open();
    put(&mut log, "a\n");
    log.rotate();
    put(&mut log, "b\n");
    drop(log);
    put(&mut open(), "c\n");
    assert_eq!(bench.texts(), ["<log>\na\n</log>\n", "<log>\nb\nc\n</log>\n"]);
}

#[test]
fn a_file_that_another_process_writes_to_is_not_compressed() {
    let bench = Bench::new();
    let rotation = Rotation { compression: Compression::Zstd, ..NEVER };
    let (mut log, mut other) = (bench.log(rotation), bench.log(rotation));
    put(&mut log, "a\n");
    log.rotate();
    put(&mut other, "b\n");
    other.flush();
    // Once it has followed.
    other.tick();
    put(&mut other, "c\n");
    other.flush();
    until(|| {
        log.tick();
        bench.closed(".zst") == Some(1)
    });
    assert_eq!(bench.texts(), ["a\nb\n", "c\n"]);
}
