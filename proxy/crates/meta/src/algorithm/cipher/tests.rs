//! Properties of encryptors: what is read, what is refused, and that no key is shown.

use super::*;

fn spec(kind: &str, properties: &[(&str, &str)]) -> AlgorithmSpec {
    AlgorithmSpec {
        kind: kind.to_owned(),
        properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

fn parse(kind: &str, properties: &[(&str, &str)]) -> Cipher {
    Cipher::parse(&spec(kind, properties)).unwrap()
}

const KEY: (&str, &str) = ("sm4-key", "4D744E003D713D054E7E407C350E447E");
const IV: (&str, &str) = ("sm4-iv", "30EA3F5F0A7C1B2D4C6E8F9011223344");
const ECB: (&str, &str) = ("sm4-mode", "ecb");
const CBC: (&str, &str) = ("sm4-mode", "CBC");
const PADDING: (&str, &str) = ("sm4-padding", "PKCS7Padding");

#[test]
fn derives_the_key_of_aes_from_a_digest() {
    let key = |properties: &[(&str, &str)]| match parse("aes", properties) {
        Cipher::Aes(it) => it.key,
        other => panic!("{other:?}"),
    };
    let value = ("aes-key-value", "123456abc");
    assert_eq!(key(&[value]), 0xa172_ffc9_9012_9fe6_f68b_50f6_037c_54a1_u128.to_be_bytes());
    for name in ["SHA-1", "sha-1", "SHA"] {
        assert_eq!(key(&[value, ("digest-algorithm-name", name)]), key(&[value]), "{name}");
    }
    for name in ["MD5", "SHA-224", "SHA-256", "SHA-384", "SHA-512", "SHA-512/224", "SHA-512/256"] {
        assert_ne!(key(&[value, ("digest-algorithm-name", name)]), key(&[value]), "{name}");
    }
    assert_ne!(key(&[("aes-key-value", " 123456abc")]), key(&[value]), "blanks belong to the key");
}

#[test]
fn tells_which_columns_share_an_encryptor() {
    let aes = |value| parse("AES", &[("aes-key-value", value)]);
    assert_eq!(aes("a"), aes("a"));
    assert_ne!(aes("a"), aes("b"));
    assert_eq!(parse("MD5", &[]), parse("md5", &[("salt", "")]));
    assert_ne!(parse("MD5", &[]), parse("MD5", &[("salt", "x")]));
    assert_ne!(parse("MD5", &[]), parse("SM3", &[]));
    assert_eq!(
        parse("SM4", &[KEY, ECB, PADDING]),
        parse("SM4", &[KEY, ECB, ("sm4-padding", "pkcs5padding")])
    );
    assert_ne!(parse("SM4", &[KEY, ECB, PADDING]), parse("SM4", &[KEY, CBC, IV, PADDING]));
    assert_ne!(parse("RC4", &[("rc4-key-value", "12345")]), parse("RC4", &[("rc4-key-value", "123456")]));
}

#[test]
fn knows_what_can_be_had_back() {
    for (kind, properties, reversible) in [
        ("AES", &[("aes-key-value", "a")][..], true),
        ("RC4", &[("rc4-key-value", "12345")], true),
        ("SM4", &[KEY, ECB, PADDING], true),
        ("MD5", &[], false),
        ("SM3", &[], false),
        ("CHAR_DIGEST_LIKE", &[], false),
    ] {
        let cipher = parse(kind, properties);
        assert_eq!((cipher.name(), cipher.is_reversible()), (kind, reversible));
    }
}

#[test]
fn shows_no_key() {
    for (cipher, shown) in [
        (parse("AES", &[("aes-key-value", "secret")]), "Aes(AesCipher)"),
        (parse("RC4", &[("rc4-key-value", "secret")]), "Rc4(Rc4Cipher)"),
        (parse("SM4", &[KEY, CBC, IV, PADDING]), "Sm4(Sm4Cipher { mode: Cbc, .. })"),
        (parse("MD5", &[("salt", "secret")]), "Md5(Salted)"),
        (parse("SM3", &[]), "Sm3(Unsalted)"),
    ] {
        assert_eq!(format!("{cipher:?}"), shown);
    }
}

#[test]
fn reads_char_digest_like_with_defaults() {
    let defaults = CharDigestLike { delta: 1, mask: 3965, start: 0x4E00, dictionary: Vec::new() };
    assert_eq!(parse("char_digest_like", &[]), Cipher::CharDigestLike(defaults.clone()));
    let dictionary = vec![(u16::try_from('a' as u32).unwrap(), 1), (u16::try_from('b' as u32).unwrap(), 0)];
    assert_eq!(
        parse("CHAR_DIGEST_LIKE", &[("dict", "bab"), ("delta", "-1"), ("start", "44032")]),
        Cipher::CharDigestLike(CharDigestLike { delta: u32::MAX, start: 44032, dictionary, ..defaults })
    );
}

#[test]
fn refuses_unknown_encryptors_by_name() {
    let error = Cipher::parse(&spec("DES", &[])).unwrap_err();
    assert_eq!(error.to_string(), "Invalid encryptor algorithms `[DES]`.");
}

#[test]
fn refuses_properties_that_are_missing_wrong_or_unknown() {
    let long = "x".repeat(256);
    for (kind, properties, reason) in [
        ("AES", &[][..], "aes-key-value can not be null"),
        ("AES", &[("aes-key-value", "")], "aes-key-value can not be null"),
        (
            "AES",
            &[("aes-key-value", "a"), ("digest-algorithm-name", "CRC")],
            "property 'digest-algorithm-name' must be MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512, \
             SHA-512/224 or SHA-512/256, not 'CRC'",
        ),
        (
            "AES",
            &[("aes-key", "a")],
            "unknown property 'aes-key'; there are 'aes-key-value', 'digest-algorithm-name'",
        ),
        ("RC4", &[], "Key length has to be between 5 and 255"),
        ("RC4", &[("rc4-key-value", "1234")], "Key length has to be between 5 and 255"),
        ("RC4", &[("rc4-key-value", &long)], "Key length has to be between 5 and 255"),
        ("SM3", &[("sm3-salt", "test")], "Salt should be either blank or better 8 bytes long"),
        ("SM4", &[ECB, PADDING], "sm4-key can not be null"),
        ("SM4", &[("sm4-key", "4D74"), ECB, PADDING], "Key length must be 16 bytes long"),
        ("SM4", &[KEY, PADDING], "sm4-mode can not be null"),
        ("SM4", &[KEY, ("sm4-mode", "GCM"), PADDING], "Mode must be either CBC or ECB"),
        ("SM4", &[KEY, CBC, PADDING], "sm4-iv can not be null"),
        ("SM4", &[KEY, CBC, ("sm4-iv", "30EA"), PADDING], "Iv length must be 16 bytes long"),
        ("SM4", &[KEY, ECB], "sm4-padding can not be null"),
        ("SM4", &[KEY, ECB, ("sm4-padding", "none")], "Padding must be either PKCS5Padding or PKCS7Padding"),
        ("CHAR_DIGEST_LIKE", &[("mask", "0b1")], "mask can only be a decimal number"),
    ] {
        let error = Cipher::parse(&spec(kind, properties)).unwrap_err().to_string();
        let start = format!("Encrypt algorithm `{kind}` initialization failed, reason is: ");
        assert_eq!(error, format!("{start}{reason}."));
        assert!(!error.contains("4D74") && !error.contains("1234"), "{error}");
    }
}
