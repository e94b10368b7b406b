//! The tables that statements are made for, and values for their columns.

use weir_tests::Argument;

use super::chance::Chance;

/// What a column holds; decides which expressions are made of it and how its values look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Big,
    Binary,
    Bit,
    Bytes,
    Char,
    Date,
    DateTime,
    Decimal,
    Double,
    Enum,
    /// Doubles of every size, whose sums depend on the order in which they are taken.
    Extreme,
    Float,
    General,
    Int,
    Json,
    Key,
    Latin,
    /// The number in a set of a row.
    Part,
    /// Encrypted where rules are; only what is equal to the letter is equal.
    Sealed,
    Set,
    Small,
    Spelled,
    Text,
    TextKey,
    Time,
    Timestamp,
    Unsigned,
    UnsignedBig,
    Wide,
    Year,
}

impl Kind {
    /// Small exact numbers that may be calculated with.
    pub(super) const fn is_number(self) -> bool {
        matches!(
            self,
            Self::Decimal | Self::Double | Self::Int | Self::Key | Self::Part | Self::Small | Self::Unsigned
        )
    }

    pub(super) const fn is_integer(self) -> bool {
        matches!(self, Self::Int | Self::Key | Self::Part | Self::Small | Self::Unsigned)
    }

    /// Texts of any collation.
    pub(super) const fn is_text(self) -> bool {
        matches!(self, Self::Char | Self::General | Self::Latin | Self::Spelled | Self::Text | Self::TextKey)
    }

    pub(super) const fn is_moment(self) -> bool {
        matches!(self, Self::Date | Self::DateTime | Self::Timestamp)
    }

    /// A value, which is `NULL` now and then.
    pub(super) fn value(self, chance: &mut Chance) -> Argument {
        if self != Self::Key && self != Self::Part && self != Self::TextKey && chance.one_in(9) {
            return Argument::Null;
        }
        self.given(chance)
    }

    /// A value that is there.
    pub(super) fn given(self, chance: &mut Chance) -> Argument {
        let text = |text: &str| Argument::Text(text.to_owned());
        match self {
            Self::Big => match chance.below(6) {
                0 => Argument::Int(i64::MAX),
                1 => Argument::Int(i64::MIN),
                2 => Argument::Int(chance.within(-9_007_199_254_740_995, 9_007_199_254_740_995)),
                _ => Argument::Int(chance.within(-40, 40)),
            },
            Self::Binary | Self::Bytes => {
                text(chance.word(&["", "a", "A", "ab", "b", "a ", "é", "zz", "\u{1}", "~"]))
            }
            Self::Bit => Argument::Int(chance.within(0, 31)),
            Self::Char | Self::General | Self::Spelled | Self::Text => text(chance.word(&WORDS)),
            Self::Latin => text(chance.word(&LATIN)),
            Self::TextKey => {
                Argument::Text(format!("{}{}", chance.word(&["k", "K", "x", "key-"]), chance.below(40)))
            }
            Self::Date => Argument::Text(day(chance)),
            Self::DateTime | Self::Timestamp => moment(self, chance),
            Self::Decimal => {
                let sign = if chance.one_in(4) { "-" } else { "" };
                Argument::Text(format!("{sign}{}.{:02}", chance.below(400), chance.below(4) * 25))
            }
            Self::Wide => {
                let sign = if chance.one_in(4) { "-" } else { "" };
                let whole = ["0", "1", "99999999999999999999", "12345678901234567890", "7"];
                Argument::Text(format!("{sign}{}.{:010}", chance.word(&whole), chance.below(10_000_000_000)))
            }
            // Quarters add up exactly in any order.
            Self::Double | Self::Float => match chance.below(12) {
                0 => Argument::Double(-0.0),
                1 => Argument::Double(0.0),
                _ => Argument::Double(chance.within(-800, 800) as f64 / 4.0),
            },
            Self::Extreme => {
                let values =
                    [1e300, -1e300, 1e-300, -1e-300, 0.1, -0.1, 1e15, 1e16, 123_456.789, 0.0, -0.0, 3.0];
                Argument::Double(*chance.of_these(&values))
            }
            Self::Enum => text(chance.word(&["small", "medium", "large", "Zed", "a"])),
            Self::Sealed => {
                text(chance.word(&["13800001111", "13800002222", "110101", "测试", "", "it's", "\\", "50%"]))
            }
            Self::Set => text(chance.word(&["", "x", "y", "x,y", "y,z", "x,y,z", "z"])),
            Self::Int | Self::Part => Argument::Int(chance.within(-3, 24)),
            Self::Small => Argument::Int(chance.within(-128, 127)),
            Self::Unsigned => Argument::Int(chance.within(0, 30)),
            Self::UnsignedBig => match chance.below(5) {
                0 => Argument::UInt(u64::MAX),
                1 => Argument::UInt(1 << 63),
                _ => Argument::Int(chance.within(0, 50)),
            },
            Self::Json => text(chance.word(&JSON)),
            Self::Key => Argument::Int(key(chance)),
            Self::Time => text(chance.word(&[
                "00:00:00",
                "10:11:12.5",
                "-10:00:00",
                "838:59:59",
                "23:59:59.999",
                "9:00:00",
            ])),
            Self::Year => Argument::Int(chance.within(1995, 2030)),
        }
    }
}

/// Some are equal under one collation and not under another, some end in blanks, one is beyond the basic plane.
const WORDS: [&str; 24] = [
    "", "a", "A", "b", "B", "ab", "Ab", "abc", "é", "É", "e", "zoo", "a ", "中", "it's", "\\", "x%", "😀",
    "😁", "ß", "ss", "ä", "10", "9",
];

const LATIN: [&str; 16] =
    ["", "a", "A", "b", "ab", "aB", "é", "É", "e", "ä", "a ", "ß", "ss", "10", "9", "_x"];

const JSON: [&str; 9] = [
    "1",
    "\"a\"",
    "null",
    "true",
    "[1, 2, 3]",
    "[]",
    "{\"a\": 1}",
    "{\"a\": 2, \"b\": [1, \"x\"]}",
    "{\"a\": \"t\"}",
];

/// How far ordinary keys go.
pub(super) const KEYS: i64 = 90;

pub(super) fn key(chance: &mut Chance) -> i64 {
    match chance.below(14) {
        0 => -chance.within(0, 40),
        1 => 4_000_000_000 + chance.within(0, 30),
        _ => chance.within(0, KEYS),
    }
}

fn day(chance: &mut Chance) -> String {
    match chance.below(12) {
        0 => "1000-01-01".to_owned(),
        1 => "9999-12-31".to_owned(),
        _ => format!(
            "20{:02}-{:02}-{:02}",
            chance.below(4) + 20,
            1 + chance.below(4) * 3,
            1 + chance.below(4) * 9
        ),
    }
}

fn moment(kind: Kind, chance: &mut Chance) -> Argument {
    let fraction = chance.word(&["", ".5", ".000001", ".999999"]);
    let fraction = if kind == Kind::DateTime { fraction } else { "" };
    let (month, hour) = (1 + chance.below(6) * 2, chance.below(4) * 6);
    Argument::Text(format!("20{:02}-{month:02}-15 {hour:02}:30:00{fraction}", chance.below(4) + 20))
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// Where rows of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lay {
    Broadcast,
    Sharded,
    Single,
}

#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) lay: Lay,
    pub(super) ddl: &'static str,
    pub(super) columns: &'static [Column],
    /// The columns of the primary key.
    pub(super) key: &'static [&'static str],
}

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind }
}

/// A column of every type, sharded by `id`.
///
/// `ch` has a collation that pads: beside a TEXT, MySQL's DISTINCT tells apart CHARs that are equal under one that does not
/// (`é` and `e` are filled up to different numbers of blanks, which its hash counts).
pub(super) static A: Table = Table {
    name: "a",
    lay: Lay::Sharded,
    ddl: "CREATE TABLE a (id BIGINT NOT NULL PRIMARY KEY, k INT, u INT UNSIGNED, sm TINYINT, big BIGINT, ub BIGINT UNSIGNED, \
          x DECIMAL(12,2), xx DECIMAL(30,10), f DOUBLE, fx DOUBLE, fl FLOAT, ai VARCHAR(20), \
          gen VARCHAR(20) COLLATE utf8mb4_general_ci, bn VARCHAR(20) COLLATE utf8mb4_bin, \
          la VARCHAR(20) CHARACTER SET latin1, ch CHAR(10) COLLATE utf8mb4_general_ci, tx TEXT, vb VARBINARY(20), \
          bi BINARY(4), d DATE, dt DATETIME(6), tm TIME(3), ts TIMESTAMP NULL, y YEAR, e ENUM('small','medium','large','Zed','a'), \
          st SET('x','y','z'), bt BIT(10), j JSON, KEY by_k (k), KEY by_ai (ai))",
    columns: &[
        column("id", Kind::Key),
        column("k", Kind::Int),
        column("u", Kind::Unsigned),
        column("sm", Kind::Small),
        column("big", Kind::Big),
        column("ub", Kind::UnsignedBig),
        column("x", Kind::Decimal),
        column("xx", Kind::Wide),
        column("f", Kind::Double),
        column("fx", Kind::Extreme),
        column("fl", Kind::Float),
        column("ai", Kind::Spelled),
        column("gen", Kind::General),
        column("bn", Kind::Text),
        column("la", Kind::Latin),
        column("ch", Kind::Char),
        column("tx", Kind::Spelled),
        column("vb", Kind::Bytes),
        column("bi", Kind::Binary),
        column("d", Kind::Date),
        column("dt", Kind::DateTime),
        column("tm", Kind::Time),
        column("ts", Kind::Timestamp),
        column("y", Kind::Year),
        column("e", Kind::Enum),
        column("st", Kind::Set),
        column("bt", Kind::Bit),
        column("j", Kind::Json),
    ],
    key: &["id"],
};

/// Bound to [`A`]: rows lie with the row of `a` that they belong to.
pub(super) static B: Table = Table {
    name: "b",
    lay: Lay::Sharded,
    ddl: "CREATE TABLE b (a_id BIGINT NOT NULL, n INT NOT NULL, k INT, x DECIMAL(10,2), ai VARCHAR(20), d DATE, \
          PRIMARY KEY (a_id, n))",
    columns: &[
        column("a_id", Kind::Key),
        column("n", Kind::Part),
        column("k", Kind::Int),
        column("x", Kind::Decimal),
        column("ai", Kind::Spelled),
        column("d", Kind::Date),
    ],
    key: &["a_id", "n"],
};

/// The same rows on every unit.
pub(super) static C: Table = Table {
    name: "c",
    lay: Lay::Broadcast,
    ddl: "CREATE TABLE c (cid INT NOT NULL PRIMARY KEY, ai VARCHAR(20), k INT)",
    columns: &[column("cid", Kind::Part), column("ai", Kind::Spelled), column("k", Kind::Int)],
    key: &["cid"],
};

/// Without a rule.
pub(super) static O: Table = Table {
    name: "o",
    lay: Lay::Single,
    ddl: "CREATE TABLE o (oid INT NOT NULL PRIMARY KEY, k INT, gen VARCHAR(20) COLLATE utf8mb4_general_ci)",
    columns: &[column("oid", Kind::Part), column("k", Kind::Int), column("gen", Kind::General)],
    key: &["oid"],
};

/// Sharded by a text.
pub(super) static W: Table = Table {
    name: "w",
    lay: Lay::Sharded,
    ddl: "CREATE TABLE w (code VARCHAR(20) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY, k INT, ai VARCHAR(20), x DECIMAL(8,2))",
    columns: &[
        column("code", Kind::TextKey),
        column("k", Kind::Int),
        column("ai", Kind::Spelled),
        column("x", Kind::Decimal),
    ],
    key: &["code"],
};

/// Sharded otherwise than [`A`], and not bound to it.
pub(super) static H: Table = Table {
    name: "h",
    lay: Lay::Sharded,
    ddl: "CREATE TABLE h (hid BIGINT NOT NULL PRIMARY KEY, k INT, gen VARCHAR(20) COLLATE utf8mb4_general_ci, f DOUBLE)",
    columns: &[
        column("hid", Kind::Key),
        column("k", Kind::Int),
        column("gen", Kind::General),
        column("f", Kind::Double),
    ],
    key: &["hid"],
};

/// Encrypted in part, where rules are.
pub(super) static P: Table = Table {
    name: "p",
    lay: Lay::Sharded,
    ddl: "CREATE TABLE p (pid BIGINT NOT NULL PRIMARY KEY, phone VARCHAR(100) COLLATE utf8mb4_bin, \
          card VARCHAR(200) COLLATE utf8mb4_bin, k INT)",
    columns: &[
        column("pid", Kind::Key),
        column("phone", Kind::Sealed),
        column("card", Kind::Sealed),
        column("k", Kind::Int),
    ],
    key: &["pid"],
};

/// The rule of [`P`].
pub(super) const SEALED: &str = "CREATE ENCRYPT RULE p (COLUMNS(\
    (NAME=phone, CIPHER=phone_cipher, TYPE(NAME=\"AES\", PROPERTIES(\"aes-key-value\"=\"123456abc\"))), \
    (NAME=card, CIPHER=card_cipher, ASSISTED_QUERY_COLUMN=card_assisted, \
    ENCRYPT_ALGORITHM(TYPE(NAME=\"SM4\", PROPERTIES(\"sm4-key\"=\"4D744E003D713D054E7E407C350E447E\", \
    \"sm4-mode\"=\"ECB\", \"sm4-padding\"=\"PKCS5Padding\"))), ASSISTED_QUERY_ALGORITHM(TYPE(NAME=\"MD5\")))))";

pub(super) static TABLES: [&Table; 7] = [&A, &B, &C, &O, &W, &H, &P];
