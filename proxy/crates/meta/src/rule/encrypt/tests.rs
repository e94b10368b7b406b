use super::*;

fn algorithm(kind: &str) -> AlgorithmSpec {
    let properties: &[(&str, &str)] = match kind {
        "AES" => &[("aes-key-value", "123456abc")],
        "RC4" => &[("rc4-key-value", "123456abc")],
        _ => &[],
    };
    let properties = properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    AlgorithmSpec { kind: kind.to_owned(), properties }
}

fn column(name: &str, cipher: &str) -> EncryptColumnSpec {
    EncryptColumnSpec {
        name: name.into(),
        cipher: cipher.into(),
        encryptor: algorithm("AES"),
        ..EncryptColumnSpec::default()
    }
}

/// A column with all parts.
fn whole() -> EncryptColumnSpec {
    EncryptColumnSpec {
        assisted: Some("pwd_assisted".into()),
        like: Some("pwd_like".into()),
        plain: Some("pwd".into()),
        assisted_algorithm: Some(algorithm("MD5")),
        like_algorithm: Some(algorithm("CHAR_DIGEST_LIKE")),
        ..column("pwd", "pwd_cipher")
    }
}

fn table(columns: Vec<EncryptColumnSpec>) -> EncryptTableSpec {
    EncryptTableSpec { name: "T_user".into(), columns, query_with_cipher: None }
}

fn build(columns: Vec<EncryptColumnSpec>) -> Result<EncryptTable, Error> {
    let rule = EncryptRule::build("db", vec![table(columns)])?;
    Ok(rule.table("t_USER").unwrap().clone())
}

fn refusal(columns: Vec<EncryptColumnSpec>) -> String {
    build(columns).unwrap_err().to_string()
}

fn seen(name: &str, kind: &str) -> TableColumn {
    TableColumn {
        name: name.into(),
        data_type: kind.into(),
        collation: None,
        auto_increment: false,
        unsigned: false,
        limit: None,
    }
}

#[test]
fn finds_columns_by_logical_and_physical_name() {
    let built = build(vec![whole(), column("Mail", "Mail_c")]).unwrap();
    assert_eq!(built.column("PWD").unwrap().cipher, "pwd_cipher");
    let part = |name: &str| built.physical(name).map(|(column, part)| (column.name.as_str(), part));
    assert_eq!(part("PWD_CIPHER"), Some(("pwd", EncryptPart::Cipher)));
    assert_eq!(part("pwd_assisted"), Some(("pwd", EncryptPart::Assisted)));
    assert_eq!(part("pwd_like"), Some(("pwd", EncryptPart::Like)));
    assert_eq!(part("pwd"), Some(("pwd", EncryptPart::Plain)));
    assert_eq!(part("mail_c"), Some(("Mail", EncryptPart::Cipher)));
    assert_eq!(part("mail"), None);
}

#[test]
fn compares_by_the_assisted_column_where_there_is_one() {
    let built = build(vec![whole(), column("mail", "mail_c")]).unwrap();
    let equality = |at: usize| {
        let (name, cipher) = built.columns[at].equality();
        (name, cipher.name())
    };
    assert_eq!(equality(0), ("pwd_assisted", "MD5"));
    assert_eq!(equality(1), ("mail_c", "AES"));
}

#[test]
fn shows_clients_one_column_for_its_parts() {
    let built = build(vec![whole(), column("mail", "mail_c")]).unwrap();
    let physical =
        ["id", "pwd", "pwd_cipher", "pwd_assisted", "pwd_like", "mail", "mail_c"].map(|it| seen(it, "text"));
    let logical: Vec<_> = built.logical_columns(&physical).into_iter().map(|column| column.name).collect();
    assert_eq!(logical, ["id", "pwd", "mail"]);
}

#[test]
fn takes_a_cipher_column_of_the_logical_name() {
    let built = build(vec![column("pwd", "pwd")]).unwrap();
    assert_eq!(built.logical_columns(&[seen("PWD", "varchar")]), [seen("pwd", "varchar")]);
}

#[test]
fn reads_the_clear_column_only_when_told_to() {
    let mut spec = table(vec![whole(), column("mail", "mail_c")]);
    for (told, plain) in [(None, false), (Some(true), false), (Some(false), true)] {
        spec.query_with_cipher = told;
        let rule = EncryptRule::build("db", vec![spec.clone()]).unwrap();
        let built = rule.table("T_user").unwrap();
        assert_eq!(built.reads_plain(&built.columns[0]), plain, "{told:?}");
        assert!(!built.reads_plain(&built.columns[1]));
    }
}

#[test]
fn takes_digests_for_encryptors_as_the_guide_does() {
    for kind in ["AES", "MD5", "RC4", "SM3"] {
        let spec = EncryptColumnSpec { encryptor: algorithm(kind), ..column("a", "b") };
        assert_eq!(build(vec![spec]).unwrap().columns[0].encryptor.name(), kind);
    }
}

#[test]
fn refuses_names_that_say_two_things() {
    let start = "Invalid encrypt rule `T_user`, error message is: ";
    let assisted = |name: &str| EncryptColumnSpec {
        assisted: Some(name.into()),
        assisted_algorithm: Some(algorithm("MD5")),
        ..column("a", "a_c")
    };
    for (columns, reason) in [
        (vec![], "no column is given"),
        (vec![column("a", "b"), column("A", "c")], "column `A` is given twice"),
        (vec![column("a", "c"), column("b", "C")], "column `C` on the servers is given twice"),
        (vec![assisted("A_c")], "column `A_c` on the servers is given twice"),
        (vec![assisted("A")], "query column `A` has the name of the logical column"),
        (vec![column("a", "B"), column("b", "c")], "column `b` is also a part of `a`"),
        (vec![column("a", "")], "column `a` has a part without a name"),
    ] {
        assert_eq!(refusal(columns), format!("{start}{reason}"));
    }
    let twice = EncryptTableSpec { name: "T_USER".into(), ..table(vec![column("a", "b")]) };
    let error = EncryptRule::build("db", vec![table(vec![column("a", "b")]), twice]).unwrap_err();
    assert_eq!(error.to_string(), "Duplicate encrypt rule names `[T_USER]` in database `db`.");
}

#[test]
fn refuses_algorithms_that_are_missing_too_many_or_do_not_fit() {
    let start = "Invalid encrypt rule `T_user`, error message is: ";
    let like = |kind: &str| EncryptColumnSpec { like_algorithm: Some(algorithm(kind)), ..whole() };
    for (spec, text) in [
        (
            EncryptColumnSpec { like_algorithm: None, ..whole() },
            format!("{start}like query column `pwd_like` has no algorithm"),
        ),
        (
            EncryptColumnSpec { assisted_algorithm: None, ..whole() },
            format!("{start}assisted query column `pwd_assisted` has no algorithm"),
        ),
        (
            EncryptColumnSpec { like: None, ..whole() },
            format!("{start}like query algorithm CHAR_DIGEST_LIKE of `pwd` has no column"),
        ),
        (like("MD5"), "Invalid encryptor algorithms `[MD5]`.".to_owned()),
        (
            EncryptColumnSpec { assisted_algorithm: Some(algorithm("char_digest_like")), ..whole() },
            "Invalid encryptor algorithms `[char_digest_like]`.".to_owned(),
        ),
        (
            EncryptColumnSpec { encryptor: algorithm("CHAR_DIGEST_LIKE"), ..whole() },
            "Invalid encryptor algorithms `[CHAR_DIGEST_LIKE]`.".to_owned(),
        ),
        (
            EncryptColumnSpec { encryptor: algorithm("DES"), ..whole() },
            "Invalid encryptor algorithms `[DES]`.".to_owned(),
        ),
    ] {
        assert_eq!(refusal(vec![spec]), text);
    }
}

#[test]
fn wants_data_types_of_all_columns_or_of_none() {
    let types = EncryptTypes {
        logical: Some("varchar(10)".into()),
        cipher: Some("varchar(100)".into()),
        ..EncryptTypes::default()
    };
    let typed = EncryptColumnSpec { types: types.clone(), ..column("a", "b") };
    assert!(build(vec![typed.clone()]).is_ok());
    let text = "Invalid encrypt rule `T_user`, error message is: incomplete data type";
    assert_eq!(refusal(vec![typed, column("c", "d")]), text);
    assert_eq!(refusal(vec![EncryptColumnSpec { types, ..whole() }]), text);
}
