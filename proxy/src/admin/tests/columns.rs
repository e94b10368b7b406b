//! Encrypt and mask rules.

use super::*;

const ENCRYPT: &str = "CREATE ENCRYPT RULE t_user (COLUMNS((NAME=idCard,CIPHER=idcard_cipher,TYPE(NAME=\"AES\",\
                       PROPERTIES(\"aes-key-value\"=\"123456abc\"))),(NAME=mobile, CIPHER =mobile_cipher,\
                       TYPE(NAME=\"AES\",PROPERTIES(\"aes-key-value\"=\"123456abc\")))))";

const MASK: &str = "CREATE MASK RULE T_user (COLUMNS((NAME=mobile, TYPE(NAME='MASK_FIRST_N_LAST_M', \
                    PROPERTIES(\"first-n\"=1,\"last-m\"=2,\"replace-char\"='*')))))";

const ENCRYPT_HEAD: &str = "table|logic_column|logic_data_type|cipher_column|cipher_data_type|plain_column|\
                            plain_data_type|assisted_query_column|assisted_query_data_type|encryptor_type|\
                            encryptor_props|assisted_query_type|assisted_query_props|like_query_type|\
                            like_query_props|query_with_cipher_column";

#[test]
fn encrypts_columns_as_the_guide_does() {
    let bench = Bench::guide(&[]);
    bench.ok(ENCRYPT);
    let bench = bench.restart();
    let id = "t_user|idCard||idcard_cipher|||||||AES|aes-key-value=123456abc|||||true";
    let mobile = "t_user|mobile||mobile_cipher|||||||AES|aes-key-value=123456abc|||||true";
    // One separator for each empty cell: data types, plain and assisted column.
    let (id, mobile) = (id.replace("|||||||AES", "||||||AES"), mobile.replace("|||||||AES", "||||||AES"));
    assert_eq!(bench.rows("SHOW ENCRYPT RULES"), [ENCRYPT_HEAD, &id, &mobile]);
    assert_eq!(bench.rows("SHOW ENCRYPT TABLE RULE T_USER FROM db"), [ENCRYPT_HEAD, &id, &mobile]);
    assert_eq!(bench.rows("SHOW ENCRYPT RULE x"), [ENCRYPT_HEAD]);
    assert_eq!(bench.rows("COUNT ENCRYPT RULE"), ["rule_name|database|count", "encrypt|db|1"]);
}

#[test]
fn shows_every_part_of_an_encrypted_column() {
    let bench = Bench::guide(&[]);
    bench.ok("CREATE ENCRYPT RULE t (RESOURCE=ds_0, COLUMNS((NAME=a, DATA_TYPE='varchar(9)', PLAIN=a_p, \
         PLAIN_DATA_TYPE='varchar(8)', CIPHER=a_c, CIPHER_DATA_TYPE='varchar(200)', ASSISTED_QUERY_COLUMN=a_a, \
         ASSISTED_QUERY_DATA_TYPE='char(32)', LIKE_QUERY_COLUMN=a_l, LIKE_QUERY_DATA_TYPE='varchar(10)', \
         ENCRYPT_ALGORITHM(TYPE(NAME='RC4', PROPERTIES('rc4-key-value'='12345'))), \
         ASSISTED_QUERY_ALGORITHM(TYPE(NAME='MD5', PROPERTIES('salt'='s'))), \
         LIKE_QUERY_ALGORITHM(TYPE(NAME='CHAR_DIGEST_LIKE', PROPERTIES('delta'=2, 'mask'=15))))), \
         QUERY_WITH_CIPHER_COLUMN=false)");
    assert_eq!(
        bench.rows("SHOW ENCRYPT RULE t")[1],
        "t|a|varchar(9)|a_c|varchar(200)|a_p|varchar(8)|a_a|char(32)|RC4|rc4-key-value=12345|MD5|salt=s|\
         CHAR_DIGEST_LIKE|delta=2,mask=15|false"
    );
}

#[test]
fn alters_and_drops_encrypt_rules() {
    let bench = Bench::guide(&[]);
    bench.ok(ENCRYPT);
    bench.ok(
        "ALTER ENCRYPT RULE T_USER (COLUMNS((NAME=pwd, CIPHER=pwd, ENCRYPT_ALGORITHM(TYPE(NAME='MD5')))))",
    );
    let database = bench.database();
    let table = database.encrypt.table("t_user").unwrap();
    assert_eq!((table.spec.name.as_str(), table.columns.len()), ("T_USER", 1));
    bench.ok(&ENCRYPT.replace("RULE", "RULE IF NOT EXISTS"));
    assert_eq!(bench.database().encrypt.tables["t_user"].columns.len(), 1);
    bench.ok("DROP ENCRYPT RULE IF EXISTS x, t_user");
    assert!(bench.restart().database().encrypt.tables.is_empty());
}

#[test]
fn refuses_encrypt_rules_that_cannot_be() {
    let bench = Bench::guide(&[]);
    bench.ok(ENCRYPT);
    let create = |columns: &str| format!("CREATE ENCRYPT RULE a (COLUMNS({columns}))");
    let typed = |kind: &str| create(&format!("(NAME=x, CIPHER=y, TYPE({kind}))"));
    let incomplete = "(NAME=x, DATA_TYPE='int', CIPHER=y, TYPE(NAME='MD5'))";
    for (text, message) in [
        (ENCRYPT.to_owned(), "19105 (44000): Duplicate encrypt rule names `[t_user]` in database `db`."),
        (
            "ALTER ENCRYPT RULE x (COLUMNS((NAME=x, CIPHER=y, TYPE(NAME='MD5'))))".to_owned(),
            "19101 (44000): encrypt rules `[x]` do not exist in database `db`.",
        ),
        (
            "DROP ENCRYPT RULE t_user, x".to_owned(),
            "19101 (44000): encrypt rules `[x]` do not exist in database `db`.",
        ),
        (typed("NAME='DES'"), "19150 (44000): Invalid encryptor algorithms `[DES]`."),
        (
            typed("NAME='CHAR_DIGEST_LIKE'"),
            "19150 (44000): Invalid encryptor algorithms `[CHAR_DIGEST_LIKE]`.",
        ),
        (
            typed("NAME='AES'"),
            "20780 (HY004): Encrypt algorithm `AES` initialization failed, reason is: aes-key-value can not be null.",
        ),
        (
            typed("NAME='RC4', PROPERTIES('rc4-key-value'='1234')"),
            "20780 (HY004): Encrypt algorithm `RC4` initialization failed, reason is: Key length has to be between 5 \
             and 255.",
        ),
        (
            create(incomplete),
            "19100 (44000): Invalid encrypt rule `a`, error message is: incomplete data type",
        ),
        (
            create("(NAME=x, CIPHER=y, TYPE(NAME='MD5')), (NAME=z, CIPHER=Y, TYPE(NAME='MD5'))"),
            "19100 (44000): Invalid encrypt rule `a`, error message is: column `Y` on the servers is given twice",
        ),
        (
            create("(NAME=x, CIPHER=y, ASSISTED_QUERY_COLUMN=z, TYPE(NAME='MD5'))"),
            "19100 (44000): Invalid encrypt rule `a`, error message is: assisted query column `z` has no algorithm",
        ),
        (
            "CREATE ENCRYPT RULE a (RESOURCE=none, COLUMNS((NAME=x, CIPHER=y, TYPE(NAME='MD5'))))".to_owned(),
            "19001 (44000): Storage units `[none]` do not exist in database `db`.",
        ),
    ] {
        assert_eq!(bench.refusal(&text), message, "{text}");
    }
}

#[test]
fn masks_columns() {
    let bench = Bench::guide(&[]);
    bench.ok(MASK);
    bench.ok("CREATE MASK RULE u (COLUMNS((NAME=a, TYPE(NAME='MD5')), (NAME=b, TYPE(NAME=md5))))");
    bench.ok(&MASK.replace("RULE", "RULE IF NOT EXISTS"));
    let bench = bench.restart();
    let head = "table|column|algorithm_type|algorithm_props";
    let user = "T_user|mobile|MASK_FIRST_N_LAST_M|first-n=1,last-m=2,replace-char=*";
    assert_eq!(bench.rows("SHOW MASK RULES"), [head, user, "u|a|MD5|", "u|b|md5|"]);
    assert_eq!(bench.rows("SHOW MASK RULE t_USER"), [head, user]);
    assert_eq!(bench.rows("COUNT MASK RULE FROM db"), ["rule_name|database|count", "mask|db|2"]);
    bench.ok("ALTER MASK RULE U (COLUMNS((NAME=c, TYPE(NAME='MD5', PROPERTIES('salt'='1')))))");
    assert_eq!(bench.rows("SHOW MASK RULE u"), [head, "U|c|MD5|salt=1"]);
    bench.ok("DROP MASK RULE t_user");
    bench.ok("DROP MASK RULE IF EXISTS t_user, u");
    assert_eq!(bench.rows("SHOW MASK RULES"), [head]);
}

#[test]
fn refuses_mask_rules_that_cannot_be() {
    let bench = Bench::guide(&[]);
    bench.ok(MASK);
    for (text, message) in [
        (MASK, "19105 (44000): Duplicate mask rule names `[T_user]` in database `db`."),
        (
            "ALTER MASK RULE x (COLUMNS((NAME=a, TYPE(NAME='MD5'))))",
            "19101 (44000): mask rules `[x]` do not exist in database `db`.",
        ),
        ("DROP MASK RULE x", "19101 (44000): mask rules `[x]` do not exist in database `db`."),
        (
            "CREATE MASK RULE x (COLUMNS((NAME=a, TYPE(NAME='ROT13'))))",
            "19150 (44000): Invalid mask algorithms `[ROT13]`.",
        ),
        (
            "CREATE MASK RULE x (COLUMNS((NAME=a, TYPE(NAME='MD5')), (NAME=A, TYPE(NAME='MD5'))))",
            "19100 (44000): Invalid mask rule `x`, error message is: column `A` is given twice",
        ),
    ] {
        assert_eq!(bench.refusal(text), message);
    }
    let error = bench.refusal("CREATE MASK RULE x (COLUMNS((NAME=a, TYPE(NAME='KEEP_FIRST_N_LAST_M'))))");
    let start = "20980 (HY000): Mask algorithm `KEEP_FIRST_N_LAST_M` initialization failed, reason is: ";
    assert!(error.starts_with(start), "{error}");
}
