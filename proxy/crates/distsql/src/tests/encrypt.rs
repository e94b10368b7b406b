//! Encryption and masking.

use super::{read, refusal, same};
use crate::Statement;
use crate::encrypt::{Physical, Statement as Encrypt};

/// Section C of the scenarios, as the guide has it.
const GUIDE: &str = "CREATE ENCRYPT RULE t_user (\nCOLUMNS(\n(NAME=idCard,CIPHER=idcard_cipher,TYPE(NAME=\"AES\",\
    PROPERTIES(\"aes-key-value\"=\"123456abc\"))),\n(NAME=mobile, CIPHER =mobile_cipher,TYPE(NAME=\"AES\",\
    PROPERTIES(\"aes-key-value\"=\"123456abc\")))));";

#[test]
fn reads_the_guide() {
    let Statement::Encrypt(Encrypt::Create { if_not_exists: false, rules }) = read(GUIDE) else {
        panic!("not a rule")
    };
    assert_eq!((rules.len(), rules[0].table.as_str(), rules[0].query_with_cipher), (1, "t_user", None));
    let columns: Vec<_> =
        rules[0].columns.iter().map(|it| (it.name.as_str(), it.cipher.name.as_str())).collect();
    assert_eq!(columns, [("idCard", "idcard_cipher"), ("mobile", "mobile_cipher")]);
    for column in &rules[0].columns {
        assert_eq!(column.algorithm.name, "AES");
        assert_eq!(column.algorithm.properties["aes-key-value"], "123456abc");
        assert_eq!((&column.assisted_algorithm, &column.like_algorithm), (&None, &None));
    }
}

#[test]
fn reads_columns_in_every_spelling() {
    same(
        "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, CIPHER=c, ENCRYPT_ALGORITHM(TYPE(NAME=\"AES\")))))",
        &[
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a,CIPHER=c,TYPE(NAME=\"AES\"))));",
            "create encrypt rule t(columns((name=a,cipher=c,encrypt_algorithm(type(name='AES')))))",
        ],
    );
    // 5.3, with everything.
    same(
        "CREATE ENCRYPT RULE IF NOT EXISTS t (RESOURCE=u, COLUMNS((NAME=a, DATA_TYPE=\"VARCHAR(9)\", PLAIN=p, \
         PLAIN_DATA_TYPE=\"VARCHAR(8)\", CIPHER=c, CIPHER_DATA_TYPE=\"VARCHAR(99)\", ASSISTED_QUERY_COLUMN=q, \
         ASSISTED_QUERY_DATA_TYPE=\"CHAR(32)\", LIKE_QUERY_COLUMN=l, LIKE_QUERY_DATA_TYPE=\"TEXT\", \
         ENCRYPT_ALGORITHM(TYPE(NAME=\"AES\", PROPERTIES(\"aes-key-value\"=\"k\"))), \
         ASSISTED_QUERY_ALGORITHM(TYPE(NAME=\"MD5\")), LIKE_QUERY_ALGORITHM(TYPE(NAME=\"CHAR_DIGEST_LIKE\")))), \
         QUERY_WITH_CIPHER_COLUMN=false)",
        &[
            "CREATE ENCRYPT RULE IF NOT EXISTS t (RESOURCE=u, COLUMNS((NAME=a, DATA_TYPE='VARCHAR(9)', PLAIN=p, \
           PLAIN_DATA_TYPE='VARCHAR(8)', CIPHER=c, CIPHER_DATA_TYPE='VARCHAR(99)', ASSISTED_QUERY_COLUMN=q, \
           ASSISTED_QUERY_DATA_TYPE='CHAR(32)', LIKE_QUERY_COLUMN=l, LIKE_QUERY_DATA_TYPE='TEXT', \
           TYPE(NAME=AES, PROPERTIES(\"aes-key-value\"=\"k\")), TYPE(NAME=MD5), TYPE(NAME=CHAR_DIGEST_LIKE))), \
           QUERY_WITH_CIPHER_COLUMN=FALSE);",
        ],
    );
    // 5.4
    same(
        "ALTER ENCRYPT RULE t (COLUMNS((NAME=a, CIPHER=c, ASSISTED_QUERY_COLUMN=q, LIKE_QUERY_COLUMN=l, \
         ENCRYPT_ALGORITHM(TYPE(NAME=\"AES\")), ASSISTED_QUERY_ALGORITHM(TYPE(NAME=\"MD5\")), \
         LIKE_QUERY_ALGORITHM(TYPE(NAME=\"X\"))))), u (COLUMNS((NAME=a, CIPHER=c, \
         ENCRYPT_ALGORITHM(TYPE(NAME=\"MD5\")))), QUERY_WITH_CIPHER_COLUMN=true)",
        &["ALTER ENCRYPT RULE t (COLUMNS((NAME=a, CIPHER=c, ASSISTED_QUERY=q, LIKE_QUERY=l, \
           ENCRYPT_ALGORITHM(TYPE(NAME=AES)), ASSISTED_QUERY_ALGORITHM(TYPE(NAME=MD5)), \
           LIKE_QUERY_ALGORITHM(TYPE(NAME=X))))), u (COLUMNS((NAME=a, CIPHER=c, TYPE(NAME=MD5))), \
           QUERY_WITH_CIPHER_COLUMN=TRUE)"],
    );
    // The second of two algorithms is that of the column which is there.
    same(
        "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, PLAIN=p, CIPHER=c, LIKE_QUERY_COLUMN=l, \
         ENCRYPT_ALGORITHM(TYPE(NAME=\"AES\")), LIKE_QUERY_ALGORITHM(TYPE(NAME=\"X\")))))",
        &[
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, PLAIN=p, CIPHER=c, LIKE_QUERY=l, TYPE(NAME=AES), TYPE(NAME=X))))",
        ],
    );
}

#[test]
fn keeps_the_columns_of_a_table_apart() {
    let text = "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, PLAIN=p, CIPHER=c, CIPHER_DATA_TYPE='T', ASSISTED_QUERY=q, \
                TYPE(NAME=AES))))";
    let Statement::Encrypt(Encrypt::Create { rules, .. }) = read(text) else { panic!("not a rule") };
    let column = &rules[0].columns[0];
    let physical = |name: &str, data_type: Option<&str>| Physical {
        name: name.into(),
        data_type: data_type.map(Into::into),
    };
    assert_eq!(column.plain, Some(physical("p", None)));
    assert_eq!(column.cipher, physical("c", Some("T")));
    assert_eq!(column.assisted, Some(physical("q", None)));
    assert_eq!(column.like, None);
}

#[test]
fn reads_drops_and_queries() {
    for text in [
        "DROP ENCRYPT RULE t, u",
        "DROP ENCRYPT RULE IF EXISTS t",
        "SHOW ENCRYPT RULES",
        "SHOW ENCRYPT RULES FROM db",
        "SHOW ENCRYPT RULE t",
        "SHOW ENCRYPT RULE t FROM db",
        "COUNT ENCRYPT RULE",
        "COUNT ENCRYPT RULE FROM db",
        "DROP MASK RULE t, u",
        "DROP MASK RULE IF EXISTS t",
        "SHOW MASK RULES",
        "SHOW MASK RULES FROM db",
        "SHOW MASK RULE t",
        "SHOW MASK RULE t FROM db",
        "COUNT MASK RULE",
        "COUNT MASK RULE FROM db",
    ] {
        same(text, &[&format!("{};", text.to_lowercase())]);
    }
    same("SHOW ENCRYPT RULE t FROM db", &["SHOW ENCRYPT TABLE RULE t FROM db"]);
}

#[test]
fn reads_masks() {
    same(
        "CREATE MASK RULE IF NOT EXISTS t (COLUMNS((NAME=a, TYPE(NAME=\"MASK_FIRST_N_LAST_M\", \
         PROPERTIES(\"first-n\"=\"1\", \"last-m\"=\"2\", \"replace-char\"=\"*\"))), (NAME=b, TYPE(NAME=\"MD5\")))), \
         u (COLUMNS((NAME=c, TYPE(NAME=\"MD5\"))))",
        &["CREATE MASK RULE IF NOT EXISTS t (COLUMNS((NAME=a,TYPE(NAME='MASK_FIRST_N_LAST_M', \
           PROPERTIES(\"first-n\"=1,\"last-m\"=2,\"replace-char\"='*'))),(NAME=b,TYPE(NAME=MD5)))),\
           u(COLUMNS((NAME=c,TYPE(NAME=MD5))));"],
    );
    same("ALTER MASK RULE t (COLUMNS((NAME=a, TYPE(NAME=\"MD5\"))))", &[]);
}

#[test]
fn says_what_was_expected_where() {
    for (text, message) in [
        ("CREATE ENCRYPT RULE t (a)", "expected COLUMNS but found 'a' at line 1, column 24"),
        ("CREATE ENCRYPT RULE t (COLUMNS(NAME=a))", "expected '(' but found 'NAME' at line 1, column 32"),
        (
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, TYPE(NAME=AES))))",
            "expected DATA_TYPE, PLAIN or CIPHER but found 'TYPE' at line 1, column 41",
        ),
        (
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, DATA_TYPE='x', TYPE(NAME=AES))))",
            "expected PLAIN or CIPHER but found 'TYPE' at line 1, column 56",
        ),
        (
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, PLAIN=p, TYPE(NAME=AES))))",
            "expected CIPHER but found 'TYPE' at line 1, column 50",
        ),
        (
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, CIPHER=c)))",
            "expected ',' but found ')' at line 1, column 49",
        ),
        (
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, CIPHER=c, AES)))",
            "expected TYPE or ENCRYPT_ALGORITHM but found 'AES' at line 1, column 51",
        ),
        (
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, CIPHER=c, ENCRYPT_ALGORITHM(AES))))",
            "expected TYPE but found 'AES' at line 1, column 69",
        ),
        (
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, CIPHER=c, ENCRYPT_ALGORITHM(TYPE(NAME=AES)), TYPE(NAME=MD5))))",
            "expected ASSISTED_QUERY_ALGORITHM or LIKE_QUERY_ALGORITHM but found 'TYPE' at line 1, column 86",
        ),
        (
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, CIPHER=c, TYPE(NAME=A), TYPE(NAME=B), TYPE(NAME=C), TYPE(NAME=D))))",
            "expected ')' but found 'TYPE' at line 1, column 93",
        ),
        (
            "CREATE ENCRYPT RULE t (COLUMNS((NAME=a, CIPHER=c, TYPE(NAME=A))), QUERY_WITH_CIPHER_COLUMN=1)",
            "expected TRUE or FALSE but found '1' at line 1, column 92",
        ),
        ("CREATE MASK RULE t (COLUMNS((NAME=a)))", "expected ',' but found ')' at line 1, column 36"),
        ("CREATE MASK RULE t ()", "expected COLUMNS but found ')' at line 1, column 21"),
    ] {
        assert_eq!(refusal(text), message, "{text}");
    }
}
