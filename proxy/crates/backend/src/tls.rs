//! TLS towards a server, for `sslMode=REQUIRED`: encrypted, whoever the server is.

use std::io::{self, BufRead as _, Write as _};
use std::net::IpAddr;
use std::sync::Arc;

use bytes::{Buf as _, BytesMut};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use tokio::io::{AsyncReadExt as _, Interest};
use tokio::net::TcpStream;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme};

/// A record of TLS is at most 16 KB and a little; one read takes one whole.
const READ: usize = 17 * 1024;

/// What all TLS connections share.
pub(crate) fn config() -> Arc<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        // Fails only for a provider without any suite of TLS 1.2 and 1.3; ring's has both.
        .expect("ring supports the default versions of TLS")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AcceptAny(provider)))
        .with_no_client_auth();
    Arc::new(config)
}

/// Accepts every certificate: `REQUIRED` asks for encryption, not for identity, and a MySQL server signs its own
/// certificate when it is set up, which no authority knows. The signatures of the handshake are still not checked against it,
/// as MySQL's own clients do in this mode.
#[derive(Debug)]
struct AcceptAny(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        tokio_rustls::rustls::crypto::verify_tls12_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        tokio_rustls::rustls::crypto::verify_tls13_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// An encrypted stream.
///
/// rustls is driven directly instead of through `tokio_rustls::TlsStream`, because only so the TCP stream can be taken
/// out and registered with another worker's runtime while the TLS session lives on, and records are decrypted
/// straight into the connection's input without a buffer in between.
#[derive(Debug)]
pub(crate) struct Tls {
    pub(crate) tcp: TcpStream,
    session: ClientConnection,
    /// Received, not yet decrypted.
    raw: BytesMut,
}

impl Tls {
    /// Shakes hands over a stream on which the server waits for it.
    pub(crate) async fn open(tcp: TcpStream, config: Arc<ClientConfig>, host: &str) -> io::Result<Self> {
        let name = match ServerName::try_from(host.to_owned()) {
            Ok(name) => name,
            // A name DNS would not allow can still stand in /etc/hosts; nothing is verified against it anyway.
            Err(_) => ServerName::from(tcp.peer_addr().map(|address| -> IpAddr { address.ip() })?),
        };
        let session = ClientConnection::new(config, name).map_err(io::Error::other)?;
        let mut tls = Self { tcp, session, raw: BytesMut::new() };
        while tls.session.is_handshaking() {
            tls.send().await?;
            if tls.session.is_handshaking() && tls.receive().await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        tls.send().await?;
        Ok(tls)
    }

    /// Appends what was received to `into`; 0 at the end of the stream. May be dropped and called again.
    pub(crate) async fn read(&mut self, into: &mut BytesMut) -> io::Result<usize> {
        loop {
            let taken = self.decrypted(into)?;
            if taken != Some(0) {
                return Ok(taken.unwrap_or(0));
            }
            if self.receive().await? == 0 {
                return Ok(0);
            }
            if self.session.wants_write() {
                self.send().await?;
            }
        }
    }

    /// Sends all of `from`.
    pub(crate) async fn write(&mut self, mut from: &[u8]) -> io::Result<()> {
        while !from.is_empty() {
            // rustls takes 64 KB at a time.
            let taken = self.session.writer().write(from)?;
            from.advance(taken);
            self.send().await?;
        }
        Ok(())
    }

    /// Sends all of `from`; false when something arrived before that, and was appended to `into`.
    pub(crate) async fn write_unless_read(
        &mut self,
        mut from: &[u8],
        into: &mut BytesMut,
    ) -> io::Result<bool> {
        loop {
            self.raw.reserve(READ);
            match self.tcp.try_read_buf(&mut self.raw) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {
                    self.digest()?;
                    match self.decrypted(into)? {
                        // A session ticket, as TLS 1.3 sends them when it pleases.
                        Some(0) => {}
                        Some(_) => return Ok(false),
                        None => return Err(io::ErrorKind::UnexpectedEof.into()),
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if !self.session.wants_write() {
                if from.is_empty() {
                    return Ok(true);
                }
                let taken = self.session.writer().write(from)?;
                from.advance(taken);
            }
            match self.session.write_tls(&mut Outlet(&self.tcp)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.tcp.ready(Interest::READABLE | Interest::WRITABLE).await?;
                }
                Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends what can be sent without waiting.
    pub(crate) fn try_write(&mut self, from: &[u8]) -> io::Result<()> {
        self.session.writer().write_all(from)?;
        self.session.send_close_notify();
        let mut records = Vec::new();
        self.session.write_tls(&mut records)?;
        self.tcp.try_write(&records).map(drop)
    }

    /// Whether nothing arrived; new session tickets, which TLS 1.3 sends when it pleases, do not count.
    pub(crate) fn is_quiet(&mut self) -> bool {
        let mut buffer = [0; 1024];
        loop {
            match self.tcp.try_read(&mut buffer) {
                Ok(0) => return false,
                Ok(read) => {
                    self.raw.extend_from_slice(&buffer[..read]);
                    let mut data = BytesMut::new();
                    if self.digest().is_err() || !matches!(self.decrypted(&mut data), Ok(Some(0))) {
                        return false;
                    }
                }
                Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
            }
        }
    }

    /// Registers the stream with the runtime of the caller.
    pub(crate) fn rehome(self) -> io::Result<Self> {
        Ok(Self { tcp: TcpStream::from_std(self.tcp.into_std()?)?, ..self })
    }

    /// Moves decrypted bytes over; `None` when the peer has closed.
    fn decrypted(&mut self, into: &mut BytesMut) -> io::Result<Option<usize>> {
        let mut reader = self.session.reader();
        let mut taken = 0;
        loop {
            let chunk = match reader.fill_buf() {
                Ok([]) if taken == 0 => return Ok(None),
                Ok([]) => return Ok(Some(taken)),
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock || taken > 0 => {
                    return Ok(Some(taken));
                }
                Err(error) => return Err(error),
            };
            let len = chunk.len();
            into.extend_from_slice(chunk);
            reader.consume(len);
            taken += len;
        }
    }

    async fn receive(&mut self) -> io::Result<usize> {
        self.raw.reserve(READ);
        let read = self.tcp.read_buf(&mut self.raw).await?;
        self.digest()?;
        Ok(read)
    }

    /// Hands what was received to rustls.
    fn digest(&mut self) -> io::Result<()> {
        while !self.raw.is_empty() {
            let mut bytes: &[u8] = &self.raw;
            let taken = self.session.read_tls(&mut bytes)?;
            self.raw.advance(taken);
            self.session
                .process_new_packets()
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            if taken == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn send(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut Outlet(&self.tcp)) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.tcp.writable().await?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Lets rustls write its records to the stream without waiting.
struct Outlet<'a>(&'a TcpStream);

impl io::Write for Outlet<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn write_vectored(&mut self, parts: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_write_vectored(parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
