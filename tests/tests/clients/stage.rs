//! Servers, a proxy, certificates and databases that client programs are let loose on.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use weir_harness::provision::place;
use weir_tests::{Account, Bed};

/// How many units the sharded tables lie on.
const UNITS: usize = 2;

/// The account of the proxy, which the plain server gets too.
pub(crate) const USER: &str = "root";

/// The column of `contacts` that is kept encrypted.
const ENCRYPTED: &str = "CREATE ENCRYPT RULE contacts (COLUMNS((NAME=phone, CIPHER=phone_cipher, \
                         TYPE(NAME=\"AES\", PROPERTIES(\"aes-key-value\"=\"123456abc\")))))";

/// What all clients of this program share.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) bed: Bed,
    /// The certificate that the plain server and the proxy both show is signed by this one.
    pub(crate) authority: PathBuf,
    /// An authority that signed nothing here.
    pub(crate) stranger: PathBuf,
}

/// One end that a client is pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Plain,
    Weir,
}

/// The databases of one client, under the same names on both sides.
#[derive(Debug)]
pub(crate) struct Databases {
    /// Two units; `orders` and `notes` are sharded by `id`, `contacts.phone` is encrypted, other tables are single.
    pub(crate) sharded: String,
    /// One unit and no rule.
    pub(crate) passed: String,
}

impl Stage {
    pub(crate) fn shared() -> &'static Self {
        static SHARED: LazyLock<Stage> = LazyLock::new(Stage::new);
        &SHARED
    }

    fn new() -> Self {
        let papers = papers();
        let file = |option: &str, name: &str| format!("--{option}={}", papers.join(name).display());
        let bed = Bed::adjusted(
            UNITS,
            |servers| {
                servers
                    .option("--local-infile=ON")
                    // The certificate holds for the first of these only.
                    .option_for(0, "--bind-address=127.0.0.1,127.0.0.2")
                    .option_for(0, file("ssl-ca", "authority.pem"))
                    .option_for(0, file("ssl-cert", "server-cert.pem"))
                    .option_for(0, file("ssl-key", "server-key.pem"))
            },
            |weir| weir.certificate(&papers),
        );
        let mut plain = bed.plain().client();
        plain.run(format!("CREATE USER '{USER}'@'%' IDENTIFIED BY '{USER}'"));
        plain.run(format!("GRANT ALL ON *.* TO '{USER}'@'%' WITH GRANT OPTION"));
        // Drivers that can't encrypt a password get in once the server has seen it.
        drop(Account::new(bed.sandbox.server(0).address(), USER, USER).client());
        Self { bed, authority: papers.join("authority.pem"), stranger: papers.join("stranger.pem") }
    }

    /// The account that both sides know.
    pub(crate) fn account(&self, side: Side) -> Account {
        match side {
            Side::Plain => Account::new(self.bed.sandbox.server(0).address(), USER, USER),
            Side::Weir => self.bed.proxy(),
        }
    }

    /// Makes the databases for one client. Tables are the client's own affair.
    pub(crate) fn databases(&self, client: &str) -> Databases {
        let databases =
            Databases { sharded: format!("{client}_sharded"), passed: format!("{client}_passed") };
        let sharded = self.bed.logical(&databases.sharded);
        sharded.shard("orders", "id");
        sharded.shard("notes", "id");
        sharded.client().run(ENCRYPTED);
        let passed = self.bed.bare(&databases.passed);
        passed.client().run(format!("REGISTER STORAGE UNIT {}", passed.definition(0)));
        databases
    }
}

/// The folder of the certificates, made by the first run.
fn papers() -> PathBuf {
    let folder = place::target().join("weir-clients/tls");
    if folder.is_dir() {
        return folder;
    }
    fs::create_dir_all(place::target().join("weir-clients")).unwrap();
    let draft = tempfile::Builder::new().prefix("tls-").tempdir_in(place::target().join("weir-clients"));
    let draft = draft.unwrap();
    let authority = authority("Weir tests");
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let server = server.signed_by(&key, &authority).unwrap();
    let write = |name: &str, text: String| fs::write(draft.path().join(name), text).unwrap();
    write("authority.pem", authority.as_ref().pem());
    write("stranger.pem", self::authority("nobody").as_ref().pem());
    write("server-cert.pem", server.pem());
    write("server-key.pem", key.serialize_pem());
    // Another run may have been first: its certificates do as well.
    if let Err(error) = fs::rename(draft.path(), &folder) {
        assert!(folder.is_dir(), "cannot make {}: {error}", folder.display());
    }
    folder
}

fn authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new([]).unwrap();
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}
