//! The command lines `mysql`, `mariadb` and `mysqldump`: each call is made on both sides, and must print the same.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::Duration;

use weir_harness::provision::{self, Program};
use weir_harness::{Sandbox, Silent};

use crate::stage::{Databases, Side, Stage, USER};
use crate::transcript::skip;

/// No call takes longer, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// `mysql` takes `source` and `\G` only so when it does not talk to a terminal.
const COMMANDS: &str = "--commands";

/// One way to say that nobody vouches for a certificate.
const CHAIN: &str = ": self-signed certificate in certificate chain";

/// One call: its name, arguments, and what it reads.
struct Call {
    name: &'static str,
    arguments: Vec<String>,
    input: String,
}

impl Call {
    fn new(name: &'static str, arguments: &[&str], input: impl Into<String>) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self { name, arguments, input: input.into() }
    }
}

/// Tables of each kind, a procedure, and answers in each form.
const SETUP: &str = "\
CREATE TABLE orders (id BIGINT PRIMARY KEY, customer VARCHAR(20), total DECIMAL(9,2), placed DATETIME(3));
INSERT INTO orders VALUES (1, 'Ann', 1.5, '2024-01-01 00:00:00'), (2, 'Bö', NULL, NULL), (3, '漢字 😀', -2, '2024-02-29');
CREATE TABLE contacts (id INT PRIMARY KEY, phone VARCHAR(200));
INSERT INTO contacts (id, phone) VALUES (1, '+41 44'), (2, NULL);
CREATE TABLE plain (id INT AUTO_INCREMENT PRIMARY KEY, b VARBINARY(9), t TEXT, j JSON, e ENUM('x','y'), g GEOMETRY);
INSERT INTO plain (b, t, j, e, g) VALUES (x'00ff27', 'line\\nbreak\\ttab', '{\"a\": 1}', 'y', POINT(1, 2)), (NULL, NULL, NULL, NULL, NULL);
SELECT * FROM orders ORDER BY id; SELECT * FROM contacts ORDER BY id; -- two in one line
SELECT id, t, j, e FROM plain ORDER BY id;
SHOW TABLES; DESCRIBE orders; SHOW CREATE TABLE orders\\G
SELECT customer, COUNT(*) FROM orders GROUP BY customer WITH ROLLUP;
UPDATE orders SET total = total + 1; DELETE FROM orders WHERE id > 100;
SELECT DATABASE(), 'a;b' AS `x;y`, \"c''d\" /* a comment; */ ;
";

/// Mistakes: each is told, and with `--force` the rest goes on.
const MISTAKES: &str =
    "SELECT 1; SELECT * FROM nowhere; INSERT INTO orders VALUES (1, '', 0, NULL); SELECT 2;
INSERT INTO orders (id, nothing) VALUES (9, 9); USE there_is_none; SELECT id FROM orders WHERE id = 1;\n";

fn procedures() -> String {
    "DROP PROCEDURE IF EXISTS p;\nDELIMITER //\nCREATE PROCEDURE p(IN a INT) BEGIN SELECT a; SELECT a + 1 AS b; END//\n\
     CREATE FUNCTION f(a INT) RETURNS INT DETERMINISTIC BEGIN RETURN a * 2; END//\nDELIMITER ;\nCALL p(1); SELECT f(4);\n\
     CREATE TRIGGER tr BEFORE INSERT ON counted FOR EACH ROW SET NEW.v = NEW.v + 1;\nINSERT INTO counted (v) VALUES (1);\n\
     SELECT * FROM counted; SHOW TRIGGERS LIKE 'nothing';\nDROP FUNCTION f; DROP PROCEDURE p;\n"
        .to_owned()
}

/// What both command lines are asked.
fn calls(folder: &str) -> Vec<Call> {
    let script = format!("source {folder}/script.sql\nSELECT COUNT(*) FROM orders;\n");
    fs::write(format!("{folder}/script.sql"), "SELECT 'from a file';\nSELECT MAX(id) FROM orders;\n")
        .unwrap();
    let mut rows = String::new();
    for id in 0..5000 {
        writeln!(rows, "{id}\trow {id}").unwrap();
    }
    fs::write(format!("{folder}/rows.tsv"), rows).unwrap();
    let load = format!(
        "CREATE TABLE loaded (id INT PRIMARY KEY, v VARCHAR(20)); LOAD DATA LOCAL INFILE '{folder}/rows.tsv' INTO TABLE loaded; \
         SELECT COUNT(*), SUM(id), MAX(v) FROM loaded; LOAD DATA LOCAL INFILE '{folder}/none' INTO TABLE loaded;"
    );
    vec![
        Call::new("tables", &["--table"], SETUP),
        Call::new(
            "batch",
            &["--batch", "--raw", "-e", "SELECT * FROM orders ORDER BY id; SELECT t FROM plain"],
            "",
        ),
        Call::new("vertical", &["--vertical", "-e", "SELECT * FROM orders ORDER BY id"], ""),
        Call::new("html", &["--html", "-e", "SELECT id, customer FROM orders ORDER BY id"], ""),
        Call::new("xml", &["--xml", "-e", "SELECT id, customer FROM orders ORDER BY id"], ""),
        Call::new(
            "quick",
            &["--quick", "--table", "-e", "SELECT * FROM orders ORDER BY id; SELECT 1 WHERE FALSE"],
            "",
        ),
        Call::new(
            "types",
            &["--column-type-info", "-e", "SELECT * FROM orders ORDER BY id; SELECT * FROM plain"],
            "",
        ),
        Call::new(
            "counts",
            &["-vvv", "-e", "UPDATE orders SET total = 5; INSERT INTO plain (t) VALUES ('a'), ('b')"],
            "",
        ),
        Call::new("mistakes", &["--force", "--table"], MISTAKES),
        Call::new("stops", &["--table"], MISTAKES),
        Call::new(
            "warnings",
            &[
                "--show-warnings",
                "-e",
                "SELECT 1 / 0; DROP TABLE IF EXISTS nothing; SELECT CAST('x' AS SIGNED)",
            ],
            "",
        ),
        Call::new("source", &["--table"], script),
        Call::new(
            "init",
            &["--init-command=SET @a = 5, sql_mode = 'ANSI'", "-e", "SELECT @a, @@sql_mode, 'x' || 'y'"],
            "",
        ),
        Call::new(
            "latin1",
            &[
                "--default-character-set=latin1",
                "-e",
                "SELECT HEX(customer), customer FROM orders WHERE id = 2",
            ],
            "",
        ),
        Call::new(
            "binary",
            &["--default-character-set=binary", "-e", "SELECT customer FROM orders WHERE id = 3"],
            "",
        ),
        Call::new("load", &["--local-infile=1", "--table"], load),
        Call::new(
            "load_refused",
            &["--local-infile=0", "-e", "LOAD DATA LOCAL INFILE 'x' INTO TABLE loaded"],
            "",
        ),
        Call::new(
            "compress",
            &["--compress", "-e", "SELECT REPEAT('abc', 50000); SELECT COUNT(*) FROM orders"],
            "",
        ),
    ]
}

/// Runs all calls of a command line on both sides and compares what they print.
fn compare(name: &str, program: &Program, always: &[&str], further: Vec<Call>) {
    let stage = Stage::shared();
    let databases = stage.databases(name);
    let sandbox = &stage.bed.sandbox;
    let folder = sandbox.subfolder(name).unwrap().display().to_string();
    let mut differences = String::new();
    for call in calls(&folder).into_iter().chain(further) {
        let [plain, weir] = [Side::Plain, Side::Weir].map(|side| {
            let database = if call.name == "procedures" { &databases.passed } else { &databases.sharded };
            let mut command = at(program, stage, side);
            command.args(always).args(&call.arguments).arg(database);
            let said = said(sandbox, command, call.input.as_bytes());
            // Why a certificate is not trusted depends on how many of the chain a server sends.
            if call.name == "stranger" {
                said.replace(": unable to get local issuer certificate", CHAIN)
            } else {
                said
            }
        });
        assert!(
            !plain.contains("Lost connection") && !plain.contains("unknown option"),
            "{}: {plain}",
            call.name
        );
        if plain != weir {
            let lines = plain.lines().zip(weir.lines()).find(|(plain, weir)| plain != weir);
            let lines = lines.unwrap_or((&plain, &weir));
            writeln!(differences, "{}:\n  plain {}\n   weir {}", call.name, lines.0, lines.1).unwrap();
        }
    }
    assert!(differences.is_empty(), "{name}:\n{differences}");
}

/// A command line that logs in on one side.
fn at(program: &Program, stage: &Stage, side: Side) -> Command {
    let mut command = program.command();
    command.arg("--no-defaults").args(["--host=127.0.0.1", "--protocol=TCP"]);
    command.arg(format!("--user={USER}")).arg(format!("--port={}", stage.account(side).address.port()));
    command.env("MYSQL_PWD", USER).env("TZ", "UTC").env("LANG", "C.UTF-8");
    command
}

/// What a call prints, complaints and its end included.
fn said(sandbox: &Sandbox, mut command: Command, input: &[u8]) -> String {
    let folder = sandbox.subfolder("call").unwrap();
    let files = ["in", "out", "err"].map(|name| folder.join(name));
    fs::write(&files[0], input).unwrap();
    command.stdin(File::open(&files[0]).unwrap());
    command.stdout(File::create(&files[1]).unwrap()).stderr(File::create(&files[2]).unwrap());
    let mut call = sandbox.watcher().spawn(&mut command).unwrap();
    let ended = call.wait_for(PATIENCE).unwrap();
    call.kill().unwrap();
    let [out, err] =
        [1, 2].map(|at: usize| String::from_utf8_lossy(&fs::read(&files[at]).unwrap()).into_owned());
    let status = ended.map_or_else(|| format!("no end within {PATIENCE:?}"), |status| status.to_string());
    // How long it took is not compared.
    let lines = out.lines().chain(err.lines()).map(|line| match line.rsplit_once(" (") {
        Some((head, time)) if time.ends_with(" sec)") => head,
        _ => line,
    });
    let mut said = String::new();
    for line in lines {
        writeln!(said, "{line}").unwrap();
    }
    said + &status
}

#[test]
fn mysql() {
    let stage = Stage::shared();
    let tools = stage.bed.sandbox.tools().unwrap();
    let (ca, stranger) = (stage.authority.display(), stage.stranger.display());
    let select = "SELECT 1; SHOW STATUS LIKE 'nothing'";
    let (ca, stranger) = (format!("--ssl-ca={ca}"), format!("--ssl-ca={stranger}"));
    let further = vec![
        Call::new(
            "procedures",
            &["--table"],
            "CREATE TABLE counted (id INT AUTO_INCREMENT PRIMARY KEY, v INT);\n".to_owned() + &procedures(),
        ),
        Call::new("verify_ca", &["--ssl-mode=VERIFY_CA", &ca, "-e", select], ""),
        Call::new("verify_identity", &["--ssl-mode=VERIFY_IDENTITY", &ca, "-e", select], ""),
        Call::new("wrong_name", &["--host=127.0.0.2", "--ssl-mode=VERIFY_IDENTITY", &ca, "-e", select], ""),
        Call::new("stranger", &["--ssl-mode=VERIFY_CA", &stranger, "-e", select], ""),
        Call::new("no_tls", &["--ssl-mode=DISABLED", "--get-server-public-key", "-e", select], ""),
        Call::new("zlib", &["--compression-algorithms=zlib", "-e", "SELECT REPEAT('abc', 50000)"], ""),
        Call::new(
            "zstd",
            &[
                "--compression-algorithms=zstd",
                "--zstd-compression-level=9",
                "-e",
                "SELECT REPEAT('abc', 50000)",
            ],
            "",
        ),
        Call::new(
            "attributes",
            &["--table"],
            "query_attributes a 'b' c 'd'\nSELECT mysql_query_attribute_string('a') AS a;\n",
        ),
    ];
    compare("mysql", tools.client(), &[COMMANDS], further);
}

#[test]
fn mariadb() {
    let program = match provision::mariadb_client(&Silent) {
        Ok(program) => program,
        Err(error) => return skip("mariadb", &format!("{error:#}")),
    };
    let stage = Stage::shared();
    let ca = format!("--ssl-ca={}", stage.authority.display());
    let stranger = format!("--ssl-ca={}", stage.stranger.display());
    let further = vec![
        Call::new(
            "procedures",
            &["--table"],
            "CREATE TABLE counted (id INT AUTO_INCREMENT PRIMARY KEY, v INT);\n".to_owned() + &procedures(),
        ),
        Call::new("verify_identity", &["--ssl", "--ssl-verify-server-cert", &ca, "-e", "SELECT 1"], ""),
        Call::new("stranger", &["--ssl", "--ssl-verify-server-cert", &stranger, "-e", "SELECT 1"], ""),
    ];
    compare("mariadb", &program, &[], further);
}

#[test]
fn mysqldump() {
    let stage = Stage::shared();
    let sandbox = &stage.bed.sandbox;
    let client = sandbox.tools().unwrap().client().clone();
    let Some(dump) = client.beside("mysqldump") else { return skip("mysqldump", "not beside mysql") };
    let (from, into) = (stage.databases("dumped"), stage.databases("restored"));
    for database in [database_sharded as fn(&Databases) -> &str, database_passed] {
        let [plain, weir] = [Side::Plain, Side::Weir].map(|side| {
            let fill = |database: &str, text: &str| {
                let mut command = at(&client, stage, side);
                command.args([COMMANDS, "--show-warnings"]).arg(database);
                said(sandbox, command, text.as_bytes())
            };
            let filled = fill(database(&from), SETUP);
            assert!(filled.ends_with("exit status: 0"), "{side:?}: {filled}");
            let dumped = dumped(&dump, stage, side, database(&from));
            let restored = fill(database(&into), &dumped);
            let again = self::dumped(&dump, stage, side, database(&into));
            assert_eq!(dumped, again, "{side:?}: restored with {restored}");
            (dumped, restored)
        });
        assert!(plain.0.contains("INSERT INTO `orders`"), "{}", plain.0);
        for (plain, weir) in plain.0.lines().zip(weir.0.lines()) {
            assert_eq!(plain, weir);
        }
        assert_eq!(plain, weir);
    }
}

fn database_sharded(databases: &Databases) -> &str {
    &databases.sharded
}

fn database_passed(databases: &Databases) -> &str {
    &databases.passed
}

/// The dump of a database, rows in the order of their keys.
fn dumped(dump: &Program, stage: &Stage, side: Side, database: &str) -> String {
    let mut command = at(dump, stage, side);
    command.args([
        "--single-transaction",
        "--skip-add-locks",
        "--skip-comments",
        "--order-by-primary",
        "--hex-blob",
    ]);
    command
        .args(["--routines", "--triggers", "--no-tablespaces", "--set-gtid-purged=OFF"])
        .arg(database)
        .stdin(Stdio::null());
    let said = said(&stage.bed.sandbox, command, b"");
    let dump = said.strip_suffix("exit status: 0");
    dump.unwrap_or_else(|| panic!("{side:?}: {said}")).to_owned()
}
