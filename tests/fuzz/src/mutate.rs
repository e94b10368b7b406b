//! Changes inputs by chance.

use fastrand::Rng;

/// Inputs grow no longer.
const LONGEST: usize = 4096;

/// Bytes that mean something to the protocol, or lie at an edge.
const EDGES: [u8; 16] = [0, 1, 2, 3, 4, 7, 8, 0x0A, 0x7F, 0x80, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF];

/// A new input made of those that there are.
pub(crate) fn mutate(rng: &mut Rng, kept: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut input = one_of(rng, kept).cloned().unwrap_or_default();
    for _ in 0..1 << rng.u32(0..4) {
        if words.is_empty() || rng.u32(..4) == 0 {
            bytes(rng, &mut input, kept);
        } else {
            texts(rng, &mut input, kept, words);
        }
    }
    input.truncate(LONGEST);
    input
}

fn one_of<'a, T>(rng: &mut Rng, choices: &'a [T]) -> Option<&'a T> {
    if choices.is_empty() { None } else { Some(&choices[rng.usize(..choices.len())]) }
}

/// A place in the input, its end included.
fn place(rng: &mut Rng, input: &[u8]) -> usize {
    rng.usize(..=input.len())
}

/// A stretch of the input, most of them short.
fn stretch(rng: &mut Rng, input: &[u8]) -> std::ops::Range<usize> {
    let start = place(rng, input);
    let most = (input.len() - start).min(1 << rng.u32(0..9));
    start..start + rng.usize(..=most)
}

fn bytes(rng: &mut Rng, input: &mut Vec<u8>, kept: &[Vec<u8>]) {
    let at = place(rng, input);
    match rng.u32(..9) {
        0 if at < input.len() => input[at] ^= 1 << rng.u32(..8),
        1 if at < input.len() => input[at] = EDGES[rng.usize(..EDGES.len())],
        2 if at < input.len() => input[at] = input[at].wrapping_add(rng.u8(..).wrapping_sub(128) % 8),
        3 => drop(input.drain(stretch(rng, input))),
        4 => {
            let copy = input[stretch(rng, input)].to_vec();
            drop(input.splice(at..at, copy));
        }
        5 => {
            let other = one_of(rng, kept).map_or(&[][..], Vec::as_slice);
            let piece = other[stretch(rng, other)].to_vec();
            let over = if rng.bool() { (at + piece.len()).min(input.len()) } else { at };
            drop(input.splice(at..over, piece));
        }
        6 => {
            let count = 1 << rng.u32(0..7);
            let byte = EDGES[rng.usize(..EDGES.len())];
            drop(input.splice(at..at, std::iter::repeat_n(byte, count)));
        }
        7 if at + 4 <= input.len() => {
            // A length or a number.
            let number = [0, 1, 0xFFFF, 0xFF_FFFF, u32::MAX, rng.u32(..), rng.u32(..300)][rng.usize(..7)];
            let width = rng.usize(1..=4);
            input[at..at + width].copy_from_slice(&number.to_le_bytes()[..width]);
        }
        _ => input.insert(at, rng.u8(..)),
    }
}

/// Changes a text by words, so that it stays near to what can be read.
fn texts(rng: &mut Rng, input: &mut Vec<u8>, kept: &[Vec<u8>], words: &[&str]) {
    let cuts: Vec<_> = input
        .iter()
        .enumerate()
        .filter(|(_, byte)| !byte.is_ascii_alphanumeric())
        .map(|(at, _)| at)
        .chain([input.len()])
        .collect();
    let at = *one_of(rng, &cuts).unwrap_or(&0);
    match rng.u32(..5) {
        0 | 1 => {
            let word = one_of(rng, words).copied().unwrap_or_default();
            let spaced = format!(" {word} ");
            drop(input.splice(at..at, spaced.into_bytes()));
        }
        2 => {
            let end = cuts.iter().copied().find(|cut| *cut > at).unwrap_or(at);
            let word = one_of(rng, words).copied().unwrap_or_default();
            drop(input.splice(at..end, word.bytes()));
        }
        3 => {
            let other = *one_of(rng, &cuts).unwrap_or(&0);
            drop(input.drain(at.min(other)..at.max(other).min(at.min(other) + 64)));
        }
        _ => {
            let other = one_of(rng, kept).map_or(&[][..], Vec::as_slice);
            let piece = other[stretch(rng, other)].to_vec();
            drop(input.splice(at..at, piece));
        }
    }
}
