//! Numbers and fractions in MySQL's own spelling.

use std::{
    fmt::{self, Write as _},
    io::Write as _,
};

use bytes::{BufMut, BytesMut};

/// `decimals` of a column whose digits behind the point vary.
const VARYING: u8 = 31;

/// The exponents that MySQL still writes without `e`.
const PLAIN: std::ops::RangeInclusive<i32> = -15..=14;

/// Appends formatted text; `BytesMut` grows, so that this cannot fail.
pub(super) fn put_format(out: &mut BytesMut, text: fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Appends `.` and the first `decimals` digits of a count of microseconds.
pub(super) fn put_fraction(out: &mut BytesMut, micros: u32, decimals: u8) {
    let digits = match decimals {
        0 => return,
        VARYING if micros == 0 => return,
        1..=6 => decimals,
        _ => 6,
    };
    put_format(out, format_args!(".{micros:06}"));
    out.truncate(out.len() - usize::from(6 - digits));
}

/// Appends a `FLOAT`: six significant digits, or `decimals` behind the point.
pub(super) fn put_float(out: &mut BytesMut, float: f32, decimals: u8) {
    if decimals < VARYING {
        return put_format(out, format_args!("{:.*}", usize::from(decimals), f64::from(float)));
    }
    put_general(out, format_args!("{float:.5e}"));
}

/// Appends a `DOUBLE`: the fewest digits that read back the same, or `decimals` behind the point.
pub(super) fn put_double(out: &mut BytesMut, double: f64, decimals: u8) {
    if decimals < VARYING {
        return put_format(out, format_args!("{double:.*}", usize::from(decimals)));
    }
    put_general(out, format_args!("{double:e}"));
}

/// Appends a number written as `-d.ddde-x`, without exponent where MySQL writes none.
fn put_general(out: &mut BytesMut, scientific: fmt::Arguments<'_>) {
    let mut buffer = [0; 40]; // a double takes at most 17 digits, two signs, a point and an exponent
    let mut free = &mut buffer[..];
    let _ = free.write_fmt(scientific);
    let used = 40 - free.len();
    let text = std::str::from_utf8(&buffer[..used]).unwrap_or_default();
    let (sign, unsigned) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let Some((mantissa, exponent)) = unsigned.split_once('e') else {
        return out.extend_from_slice(text.as_bytes()); // inf and nan have no exponent; MySQL has neither
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let (first, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    out.extend_from_slice(sign.as_bytes());
    if !PLAIN.contains(&exponent) {
        out.extend_from_slice(first.as_bytes());
        if !fraction.is_empty() {
            out.put_u8(b'.');
            out.extend_from_slice(fraction.as_bytes());
        }
        return put_format(out, format_args!("e{exponent}"));
    }
    let Ok(whole) = usize::try_from(exponent) else {
        out.extend_from_slice(b"0.");
        out.put_bytes(b'0', (-1 - exponent).unsigned_abs() as usize);
        out.extend_from_slice(first.as_bytes());
        return out.extend_from_slice(fraction.as_bytes());
    };
    out.extend_from_slice(first.as_bytes());
    let (before, behind) = fraction.split_at(whole.min(fraction.len()));
    out.extend_from_slice(before.as_bytes());
    out.put_bytes(b'0', whole - before.len());
    if !behind.is_empty() {
        out.put_u8(b'.');
        out.extend_from_slice(behind.as_bytes());
    }
}
