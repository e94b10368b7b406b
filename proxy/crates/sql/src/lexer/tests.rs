use super::*;
use proptest::prelude::*;
use std::fmt::Write;

/// Kinds and texts of all tokens, one blank between them.
fn dump(text: &str, mode: Mode) -> String {
    match tokens(text, mode) {
        Ok(tokens) => tokens.iter().fold(String::new(), |mut out, token| {
            let gap = if out.is_empty() { "" } else { " " };
            write!(out, "{gap}{:?}<{}>", token.kind, token.text(text)).unwrap();
            out
        }),
        Err(error) => format!("{error} at {}", error.at()),
    }
}

#[test]
fn cuts_tokens_by_the_rules_of_mysql() {
    for (text, expected) in [
        ("", ""),
        (" \t\r\n\u{b}\u{c}", ""),
        ("SELECT c", "Word<SELECT> Word<c>"),
        ("a.b", "Word<a> Dot<.> Word<b>"),
        ("t.1a", "Word<t> Dot<.> Word<1a>"),
        ("t.5", "Word<t> Dot<.> Word<5>"),
        ("`t`.5", "Quoted<`t`> Decimal<.5>"),
        ("a .5", "Word<a> Decimal<.5>"),
        (
            "1a 1e 1e5 1e+5 1.5 1. .5e-3",
            "Word<1a> Word<1e> Float<1e5> Float<1e+5> Decimal<1.5> Decimal<1.> Float<.5e-3>",
        ),
        ("0x1f 0b01 0xg 0b2 0x", "Hex<0x1f> Bit<0b01> Word<0xg> Word<0b2> Word<0x>"),
        ("x'1f' B'01' n'a'", "Hex<x'1f'> Bit<B'01'> Word<n> String<'a'>"),
        ("'a''b' 'a\\'b' \"a'b\"", "String<'a''b'> String<'a\\'b'> String<\"a'b\">"),
        ("`a``b`", "Quoted<`a``b`>"),
        (
            "@x @`x y` @'x' @@global.x @a.b",
            "UserVariable<@x> UserVariable<@`x y`> UserVariable<@'x'> SystemVariable<@@> Word<global> Dot<.> Word<x> UserVariable<@a.b>",
        ),
        ("'u'@'%'", "String<'u'> UserVariable<@'%'>"),
        (
            "<=><=<><<>=>>!=!&&||:=->>->",
            "NullSafeEqual<<=>> LessOrEqual<<=> NotEqual<<>> ShiftLeft<<<> GreaterOrEqual<>=> ShiftRight<>>> NotEqual<!=> Exclamation<!> DoubleAmpersand<&&> DoublePipe<||> Assign<:=> DoubleArrow<->>> Arrow<->>",
        ),
        ("5--3", "Integer<5> Minus<-> Minus<-> Integer<3>"),
        ("5-- 3\n;", "Integer<5> Comment<-- 3> Semicolon<;>"),
        ("--", "Comment<-->"),
        ("a#b\nc", "Word<a> Comment<#b> Word<c>"),
        ("/* a */b/**/", "Comment</* a */> Word<b> Comment</**/>"),
        ("/*+ MAX_EXECUTION_TIME(5) */", "Hint</*+ MAX_EXECUTION_TIME(5) */>"),
        ("/*!50100 a */ b*/", "VersionOpen</*!50100> Word<a> VersionClose<*/> Word<b> Star<*> Slash</>"),
        ("/*!500 a*/", "VersionOpen</*!> Integer<500> Word<a> VersionClose<*/>"),
        ("/*! a /* b */ c */", "VersionOpen</*!> Word<a> Comment</* b */> Word<c> VersionClose<*/>"),
        ("/*!99999 a */ b", "Comment</*!99999 a */> Word<b>"),
        ("/*!99999 a /* x */ b */ c", "Comment</*!99999 a /* x */ b */> Word<c>"),
        ("/*!080000 a */", "VersionOpen</*!080000> Word<a> VersionClose<*/>"),
        ("/*!800001 a */", "Comment</*!800001 a */>"),
        ("/*!500001,2 */", "VersionOpen</*!50000> Integer<1> Comma<,> Integer<2> VersionClose<*/>"),
        ("/*!99999 a /* b", "unterminated comment at 0"),
        ("größe 表 $x", "Word<größe> Word<表> Word<$x>"),
        ("\u{1}?", "Unknown<\u{1}> Param<?>"),
        ("'a", "unterminated string at 0"),
        ("b `a", "unterminated name at 2"),
        ("b /* a", "unterminated comment at 2"),
        ("b /*! a", "unterminated comment at 2"),
        ("'a\\", "unterminated string at 0"),
        ("x'a", "unterminated string at 0"),
    ] {
        assert_eq!(dump(text, Mode::default()), expected, "{text}");
    }
}

#[test]
fn modes_change_quotes_and_escapes() {
    let ansi = Mode { ansi_quotes: true, ..Mode::default() };
    assert_eq!(dump(r#""a""b""#, ansi), r#"Quoted<"a""b">"#);
    let raw = Mode { no_backslash_escapes: true, ..Mode::default() };
    assert_eq!(dump(r"'a\' b", raw), r"String<'a\'> Word<b>");
    assert_eq!(dump(r"'a\' b", Mode::default()), "unterminated string at 0");
}

#[test]
fn tokens_know_words_and_values() {
    let text = "Select `a``b` 'it''s'";
    let tokens = tokens(text, Mode::default()).unwrap();
    assert!(tokens[0].is(text, "SELECT") && tokens[0].is_any(text, &["FROM", "SELECT"]));
    assert_eq!(tokens[1].name(text).as_deref(), Some("a`b"));
    assert!(!tokens[1].is(text, "`a``b`"));
    assert_eq!(tokens[2].string(text, Mode::default()).as_deref(), Some("it's"));
    assert_eq!(tokens[2].name(text), None);
}

fn mode() -> impl Strategy<Value = Mode> {
    any::<(bool, bool)>().prop_map(|(ansi_quotes, no_backslash_escapes)| Mode {
        ansi_quotes,
        no_backslash_escapes,
        pipes_as_concat: false,
    })
}

proptest! {
    #[test]
    fn tokens_tile_any_text(text in r#"([ -~é表]|[\n'"`/*!#@.]|[0-9]|/\*!?|\*/|--){0,40}"#, mode in mode()) {
        if let Ok(tokens) = tokens(&text, mode) {
            let mut at = 0;
            for token in &tokens {
                prop_assert!(text[at..token.start as usize].bytes().all(|byte| class(byte) == Class::Blank));
                prop_assert!(token.end > token.start);
                prop_assert!(!token.text(&text).is_empty());
                at = token.end as usize;
            }
            prop_assert!(text[at..].bytes().all(|byte| class(byte) == Class::Blank));
        }
    }

    #[test]
    fn never_panics(text in ".*", mode in mode()) {
        if let Err(error) = tokens(&text, mode) {
            prop_assert!(error.at() <= text.len());
            error.line_column(&text);
        }
    }
}
