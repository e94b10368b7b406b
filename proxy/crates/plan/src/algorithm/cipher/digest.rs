//! `MD5` and `SM3`: a digest of the value and its salt, in hexadecimal. There is no way back.

use bytes::BufMut;
use md5::Md5;
use sm3::{Digest, Sm3};

use super::hex;

pub(crate) fn md5(salt: &str, plain: &[u8], out: &mut impl BufMut) {
    put::<Md5>(salt, plain, out);
}

pub(super) fn sm3(salt: &str, plain: &[u8], out: &mut impl BufMut) {
    put::<Sm3>(salt, plain, out);
}

fn put<D: Digest>(salt: &str, plain: &[u8], out: &mut impl BufMut) {
    let mut digest = D::new();
    digest.update(plain);
    digest.update(salt);
    hex::put(&digest.finalize(), out);
}
