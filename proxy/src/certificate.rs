//! TLS towards clients: the certificate of the configuration, or one of our own when there is none.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use meta::{Properties, Property};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

/// TLS with the configured certificate and key, else with one kept in `data` (`server-cert.pem`, `server-key.pem`), which
/// is made when missing, as MySQL does, so that clients may ask for encryption without any set-up. Nothing when it is
/// switched off.
pub(crate) fn server(properties: &Properties, data: &Path) -> Result<Option<Arc<ServerConfig>>> {
    if !properties.flag(Property::FrontendSslEnabled) {
        return Ok(None);
    }
    let configured =
        [Property::FrontendSslCertificate, Property::FrontendSslKey].map(|name| properties.text(name));
    let (certificate, key) = match configured {
        ["", ""] => (data.join("server-cert.pem"), data.join("server-key.pem")),
        [certificate, key] if !certificate.is_empty() && !key.is_empty() => (certificate.into(), key.into()),
        _ => {
            bail!("proxy-frontend-ssl-certificate and proxy-frontend-ssl-key belong together: one is missing")
        }
    };
    if configured == ["", ""] && (!certificate.exists() || !key.exists()) {
        let made = rcgen::generate_simple_self_signed(["weir".to_owned(), "localhost".to_owned()])
            .context("cannot make a certificate")?;
        write(&key, &made.signing_key.serialize_pem())?;
        write(&certificate, &made.cert.pem())?;
    }
    let chain = CertificateDer::pem_file_iter(&certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| format!("cannot read {}", certificate.display()))?;
    let secret =
        PrivateKeyDer::from_pem_file(&key).with_context(|| format!("cannot read {}", key.display()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .context("no TLS versions")?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .with_context(|| format!("{} and {} do not fit", certificate.display(), key.display()))?;
    Ok(Some(Arc::new(config)))
}

/// The RSA key for passwords on unencrypted connections (`caching_sha2_password`), kept in `data`.
pub(crate) fn rsa(data: &Path) -> Result<Arc<wire::auth::rsa::KeyPair>> {
    let path = data.join("rsa-key.pem");
    if !path.exists() {
        let pair = wire::auth::rsa::KeyPair::generate().context("cannot make an RSA key")?;
        write(&path, &pair.to_pem().context("cannot write an RSA key as PEM")?)?;
    }
    let pem = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let pair = wire::auth::rsa::KeyPair::from_pem(&pem)
        .with_context(|| format!("{} holds no key", path.display()))?;
    Ok(Arc::new(pair))
}

/// Writes a secret that only the owner may read, whole or not at all.
fn write(path: &Path, text: &str) -> Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let part = path.with_extension("part");
    let write = || -> std::io::Result<()> {
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&part, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
