//! The vectors of `algorithms.md` §3, and that every value comes back.

use meta::AlgorithmSpec;
use proptest::prelude::*;

use super::*;

fn cipher(kind: &str, properties: &[(&str, &str)]) -> Cipher {
    Cipher::parse(&AlgorithmSpec {
        kind: kind.to_owned(),
        properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    })
    .unwrap()
}

fn encrypted(cipher: &Cipher, plain: impl AsRef<[u8]>) -> String {
    let mut out = Vec::new();
    encrypt(cipher, plain.as_ref(), &mut out);
    String::from_utf8(out).unwrap()
}

fn decrypted(cipher: &Cipher, stored: impl AsRef<[u8]>) -> Result<Vec<u8>, Undecryptable> {
    let mut out = BytesMut::from("before");
    let done = decrypt(cipher, stored.as_ref(), &mut out);
    assert!(out.starts_with(b"before") && (done.is_ok() || out.len() == 6));
    done.map(|()| out.split_off(6).to_vec())
}

/// Checks that values are stored so, and that they come back unless it is a digest.
fn check(cipher: &Cipher, vectors: &[(&str, &str)]) {
    for (plain, stored) in vectors {
        assert_eq!(encrypted(cipher, plain), *stored, "{cipher:?} of {plain}");
        let back = decrypted(cipher, stored).unwrap();
        let expected = if cipher.is_reversible() { plain } else { stored };
        assert_eq!(String::from_utf8(back).unwrap(), *expected, "{cipher:?} of {stored}");
    }
}

fn aes(key: &str) -> Cipher {
    cipher("AES", &[("aes-key-value", key)])
}

fn sm4(mode: &str) -> Cipher {
    cipher(
        "SM4",
        &[
            ("sm4-key", "4D744E003D713D054E7E407C350E447E"),
            ("sm4-mode", mode),
            ("sm4-iv", "30EA3F5F0A7C1B2D4C6E8F9011223344"),
            ("sm4-padding", "PKCS5Padding"),
        ],
    )
}

#[test]
fn aes_matches_the_vectors() {
    check(
        &aes("123456abc"),
        &[
            ("13800001111", "sFlUS8NkKpiSI2iT5H6MdQ=="),
            ("110101199003077758", "ZYWDUI5fVeXCFqz/rc8rKa/7w2GZZHJTWyX1cSfaWrY="),
            ("", "CrZkuFZyp9Dz8RCciozH6A=="),
            ("测试", "DTYVzZEMO1MxN3CfuAjAAg=="),
            ("1", "Lm04PRW+sp+mG/QuimAUew=="),
            ("aaaaaaaaaaaaaaaa", "E0GJrIHf7SuJPUqhWQxXvAq2ZLhWcqfQ8/EQnIqMx+g="),
        ],
    );
    check(&aes("test"), &[("test", "dSpPiyENQGDUXMKFMJPGWA==")]);
    for (digest, stored) in [
        ("SHA-1", "sFlUS8NkKpiSI2iT5H6MdQ=="),
        ("MD5", "GSIF5ityow6F/bHkKZQnPQ=="),
        ("SHA-256", "GBwlNF5DsGA5HKT3MnWxxg=="),
        ("SHA-512", "KOQ/og3Yg6cPpM78s4eK1g=="),
    ] {
        let properties = [("aes-key-value", "123456abc"), ("digest-algorithm-name", digest)];
        check(&cipher("AES", &properties), &[("13800001111", stored)]);
    }
}

#[test]
fn md5_matches_the_vectors() {
    check(
        &cipher("MD5", &[]),
        &[
            ("13800001111", "596348fb29f87debf950ef0af1755126"),
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("测试", "db06c78d1e24cf708a14ce81c9b617ec"),
        ],
    );
    check(
        &cipher("MD5", &[("salt", "202cb962ac5907")]),
        &[
            ("13800001111", "d81bf393eac33ab3dd1beffbde49fecb"),
            ("", "3ffe6ec3a1c60550d2be3619882ef368"),
            ("测试", "6f646ac515fa6e1be00cb1b0a213a0f3"),
        ],
    );
}

#[test]
fn rc4_matches_the_vectors() {
    check(
        &cipher("RC4", &[("rc4-key-value", "123456abc")]),
        &[
            ("13800001111", "R2O5ykU9twifgWY="),
            ("110101199003077758", "R2Gxy0U8tgCXgGcmVBpIsxhN"),
            ("1", "Rw=="),
            ("测试", "kOUKEtqY"),
            ("", ""),
        ],
    );
    check(
        &cipher("RC4", &[("rc4-key-value", "123456")]),
        &[
            ("13800001111", "MctGVxQDJa1OBhM="),
            ("110101199003077758", "MclOVhQCJKVGBxKFyQl2+djw"),
            ("1", "MQ=="),
            ("测试", "5k31j4um"),
            ("", ""),
        ],
    );
    check(&cipher("RC4", &[("rc4-key-value", "test-sharding")]), &[("test", "4Tn7lQ==")]);
}

#[test]
fn sm3_matches_the_vectors() {
    check(
        &cipher("SM3", &[]),
        &[
            ("13800001111", "1e30b66743b1310780ae285a77d4a8085e106066f67830f756feda0ee0ba227c"),
            ("", "1ab21d8355cfa17f8e61194831e81a8f22bec8c728fefb747ed035eb5082aa2b"),
            ("abc", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
        ],
    );
    check(
        &cipher("SM3", &[("sm3-salt", "test1234")]),
        &[
            ("13800001111", "d0fb3de3c5823b4b201224f404366063832a83d36265ebad52a93772b118680a"),
            ("", "ab847c6f2f6a53be88808c5221bd6ee0762e1af1def82b21d2061599b6cf5c79"),
            ("test1234", "9587fe084ee4b53fe629c6ae5519ee4d55def8ed4badc8588d3be9b99bd84aba"),
        ],
    );
}

#[test]
fn sm4_matches_the_vectors() {
    check(
        &sm4("ECB"),
        &[
            ("13800001111", "227e07c252971d7a277cd13524d9e86f"),
            ("110101199003077758", "0331480fe0af051263738356593f7a2ec0869a94c70aeed6e0144cf4e36411ba"),
            ("", "7fa66481b67325394b39825602f10993"),
            ("测试", "4dc4b3ae4fabb000270385eaecac6e9e"),
            ("test", "028654f2ca4f575dee9e1faae85dadde"),
        ],
    );
    check(
        &sm4("CBC"),
        &[
            ("13800001111", "d0e558f4f7354a99527c3f91aacff1b7"),
            ("110101199003077758", "c2053b7d823943db22a928d90dc6e1f2600d63c1f2bd463edbb6efd81795af8c"),
            ("", "d5c28f92acfeb954b6664a2ceb12c4b0"),
            ("测试", "192c3e1d59eb85b14f4c7eadaefd580a"),
        ],
    );
}

#[test]
fn char_digest_like_matches_the_vectors() {
    let plain = cipher("CHAR_DIGEST_LIKE", &[]);
    check(
        &plain,
        &[
            ("1234567890", "0145458981"),
            ("abcXYZ", "`adYXY"),
            ("13800001111", "04911110000"),
            ("1234%", "0145%"),
        ],
    );
    let korean = cipher("CHAR_DIGEST_LIKE", &[("dict", "한국어시험"), ("start", "44032")]);
    check(&korean, &[("한국", "각가")]);
    // 测 is U+6D4B: (0x6D4B + 1) & 0xF7D = 0xD4C, on 0x4E00.
    assert_eq!(encrypted(&plain, "测"), "\u{5B4C}");
    // `$` would become a wildcard and stays itself.
    assert_eq!(encrypted(&plain, "$"), "$");
}

#[test]
fn patterns_keep_their_wildcards_and_escape_what_would_become_one() {
    let like = cipher("CHAR_DIGEST_LIKE", &[]);
    for (pattern, expected) in [
        ("1234%", "0145%"),
        ("_3%", "_4%"),
        // A character that is a wildcard of itself.
        (r"1\%", r"0\%"),
        (r"1\_", r"0`"),
        (r"a\b", "`a"),
        // `[` has the digest `\`, which is stored as it is and must not escape what follows.
        ("[%", r"\\%"),
        (r"1\", "0]"),
    ] {
        let mut out = Vec::new();
        encrypt_pattern(&like, pattern.as_bytes(), Some(b'\\'), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{pattern}");
    }
    assert_eq!(encrypted(&like, "["), r"\");
    for (pattern, expected) in [("[%", r"\%"), (r"1\_", "0]_")] {
        let mut out = Vec::new();
        encrypt_pattern(&like, pattern.as_bytes(), None, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{pattern} where nothing escapes");
    }
}

#[test]
fn reads_what_has_blanks_around_it_or_other_digits() {
    let aes = aes("123456abc");
    assert_eq!(decrypted(&aes, " sFlUS8NkKpiSI2iT5H6MdQ== \n").unwrap(), b"13800001111");
    assert_eq!(decrypted(&aes, "sFlUS8NkKpiSI2iT5H6MdQ").unwrap(), b"13800001111");
    assert_eq!(decrypted(&sm4("ECB"), "227E07C252971D7A277CD13524D9E86F").unwrap(), b"13800001111");
}

#[test]
fn refuses_what_no_value_is_stored_as() {
    for stored in ["13800001111", "sFlUS8NkKpiSI2iT5H6M", "", "sFlU S8NkKpiSI2iT5H6MdQ==", "====", "测试"] {
        assert_eq!(decrypted(&aes("123456abc"), stored), Err(Undecryptable), "{stored}");
    }
    assert_eq!(decrypted(&aes("other"), "sFlUS8NkKpiSI2iT5H6MdQ=="), Err(Undecryptable));
    for stored in ["227e", "227e07c252971d7a277cd13524d9e86", "227e07c252971d7a277cd13524d9e86g", ""] {
        assert_eq!(decrypted(&sm4("CBC"), stored), Err(Undecryptable), "{stored}");
    }
    assert_eq!(decrypted(&cipher("RC4", &[("rc4-key-value", "12345")]), "R2O*"), Err(Undecryptable));
}

proptest! {
    #[test]
    fn every_value_comes_back(plain in proptest::collection::vec(any::<u8>(), 0..700), key in "[ -~]{5,40}") {
        let ciphers = [aes(&key), cipher("RC4", &[("rc4-key-value", &key)]), sm4("ECB"), sm4("CBC")];
        for cipher in ciphers {
            let stored = encrypted(&cipher, &plain);
            prop_assert_eq!(decrypted(&cipher, &stored).unwrap(), plain.clone());
            if matches!(cipher, Cipher::Aes(_)) {
                prop_assert_eq!(stored.len(), (16 * (plain.len() / 16 + 1)).div_ceil(3) * 4);
            }
        }
    }

    #[test]
    fn nothing_stored_breaks_a_cipher(stored in proptest::collection::vec(any::<u8>(), 0..100)) {
        for cipher in [aes("a"), cipher("RC4", &[("rc4-key-value", "12345")]), sm4("ECB"), sm4("CBC")] {
            let _ = decrypted(&cipher, &stored);
        }
    }

    #[test]
    fn a_pattern_without_wildcards_is_the_value(plain in "[^%_\\\\]{0,30}") {
        let like = cipher("CHAR_DIGEST_LIKE", &[]);
        let mut out = Vec::new();
        encrypt_pattern(&like, plain.as_bytes(), Some(b'\\'), &mut out);
        let literal = String::from_utf8(out).unwrap().replace(r"\\", r"\").replace(r"\_", "_").replace(r"\%", "%");
        prop_assert_eq!(literal, encrypted(&like, &plain));
    }
}
