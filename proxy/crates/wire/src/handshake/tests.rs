use super::*;
use proptest::prelude::*;

fn name() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(1_u8.., 0..40)
}

#[test]
fn reads_the_greeting_of_mysql() {
    let payload = b"\x0a9.7.4-2\x00\x08\x00\x00\x00@\x04\x03\x03dN\x04@\x00\xff\xff\xff\x02\x00\xff\xdf\x15\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0f>/f\x0fB,qT[L;\x00caching_sha2_password\x00";
    let greeting = Greeting::decode(payload).unwrap();
    assert_eq!((&greeting.version[..], greeting.thread, greeting.charset), ("9.7.4-2", 8, 255));
    assert_eq!(greeting.nonce, b"@\x04\x03\x03dN\x04@\x0f>/f\x0fB,qT[L;");
    assert_eq!((greeting.status, &greeting.plugin[..]), (Status::AUTOCOMMIT, "caching_sha2_password"));
    assert!(greeting.capabilities.contains(Capabilities::DEPRECATE_EOF | Capabilities::SSL));
    let mut again = BytesMut::new();
    greeting.encode(&mut again);
    assert_eq!(&again[..], payload);
}

#[test]
fn reads_the_request_for_tls() {
    let mut payload = BytesMut::new();
    let capabilities = Capabilities::SSL | Capabilities::PROTOCOL_41;
    let request = Login { capabilities, max_packet: 1 << 24, charset: 45, identity: None };
    request.encode(&mut payload);
    assert_eq!((payload.len(), Login::decode(&payload, Capabilities::all())), (SSL_REQUEST, Ok(request)));
}

#[test]
fn counts_only_what_both_sides_can() {
    let mut payload = BytesMut::new();
    let identity = Identity {
        user: b"u",
        auth: b"",
        database: None,
        plugin: None,
        attributes: Attributes::default(),
        zstd_level: None,
    };
    let capabilities = Capabilities::PROTOCOL_41 | Capabilities::DEPRECATE_EOF | Capabilities::COMPRESS;
    Login { capabilities, max_packet: 0, charset: 8, identity: Some(identity) }.encode(&mut payload);
    let login = Login::decode(&payload, Capabilities::PROTOCOL_41 | Capabilities::DEPRECATE_EOF).unwrap();
    assert_eq!(login.capabilities, Capabilities::PROTOCOL_41 | Capabilities::DEPRECATE_EOF);
}

#[test]
fn refuses_a_client_of_before_4_1() {
    assert!(Login::decode(&[0; 40], Capabilities::all()).is_err());
}

#[test]
fn reads_attributes_as_far_as_they_go() {
    let mut encoded = BytesMut::new();
    Attributes::put(&mut encoded, "program_name", "weir");
    Attributes::put(&mut encoded, "_os", "Linux");
    encoded.extend_from_slice(b"\x05cut");
    let attributes = Attributes(&encoded);
    assert_eq!(attributes.iter().count(), 2);
    assert_eq!((attributes.get("_os"), attributes.get("cut")), (Some(&b"Linux"[..]), None));
}

proptest! {
    #[test]
    fn reads_back_a_greeting(thread in any::<u32>(), second in prop::collection::vec(1_u8.., 12), bits in any::<u32>(), charset in any::<u8>()) {
        let mut capabilities = Capabilities::from_bits_retain(u64::from(bits));
        capabilities.set(Capabilities::PLUGIN_AUTH, true);
        let greeting = Greeting {
            version: "8.0.11-weir".to_owned(),
            thread,
            nonce: [&b"12345678"[..], &second].concat(),
            capabilities,
            charset,
            status: Status::AUTOCOMMIT,
            plugin: "mysql_native_password".to_owned(),
        };
        let mut out = BytesMut::new();
        greeting.encode(&mut out);
        prop_assert_eq!(Greeting::decode(&out), Ok(greeting));
    }

    #[test]
    fn reads_back_a_login(
        bits in any::<u32>(), max_packet in any::<u32>(), charset in any::<u8>(), user in name(), auth in name(),
        database in name(), plugin in name(), attributes in prop::collection::vec(any::<u8>(), 0..300), level in any::<u8>(),
    ) {
        let capabilities = Capabilities::from_bits_retain(u64::from(bits)) | Capabilities::PROTOCOL_41;
        let has = |flag| capabilities.contains(flag);
        let login = Login {
            capabilities, max_packet, charset,
            identity: Some(Identity {
                user: &user,
                auth: &auth,
                database: Some(&database[..]).filter(|name| has(Capabilities::CONNECT_WITH_DB) && !name.is_empty()),
                plugin: Some(&plugin[..]).filter(|_| has(Capabilities::PLUGIN_AUTH)),
                attributes: Attributes(if has(Capabilities::CONNECT_ATTRS) { &attributes } else { &[] }),
                zstd_level: Some(level).filter(|_| has(Capabilities::ZSTD_COMPRESSION)),
            }),
        };
        let mut out = BytesMut::new();
        login.encode(&mut out);
        prop_assert_eq!(Login::decode(&out, Capabilities::all()), Ok(login));
    }

    #[test]
    fn reads_back_switches(plugin in name(), nonce in name(), data in prop::collection::vec(any::<u8>(), 0..50)) {
        let (switch, more) = (AuthSwitch { plugin: &plugin, nonce: &nonce }, AuthMoreData(&data));
        let (mut one, mut other) = (BytesMut::new(), BytesMut::new());
        switch.encode(&mut one);
        more.encode(&mut other);
        prop_assert_eq!(AuthSwitch::decode(&one), Ok(switch));
        prop_assert_eq!(AuthMoreData::decode(&other), Ok(more));
    }

    #[test]
    fn never_panics_on_garbage(bits in any::<u32>(), bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = Greeting::decode(&[&b"\x0a8.0\0"[..], &bytes].concat());
        let _ = Greeting::decode(&bytes);
        let login = [&(bits | 0x200).to_le_bytes()[..], &[0; 28], &bytes].concat();
        let _ = Login::decode(&login, Capabilities::all());
        let _ = AuthSwitch::decode(&[&b"\xfe"[..], &bytes].concat());
        let _ = AuthMoreData::decode(&bytes);
        let _ = Attributes(&bytes).iter().count();
    }
}
