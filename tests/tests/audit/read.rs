//! Reads audit logs back, by parsers of others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A record: values by the names of their fields, in lower case.
pub(crate) type Record = BTreeMap<String, Vec<u8>>;

/// A value as text; empty where there is none.
pub(crate) fn text<'r>(record: &'r Record, name: &str) -> &'r str {
    std::str::from_utf8(record.get(name).map_or(&[], Vec::as_slice)).unwrap()
}

/// All files of a log, the oldest first.
pub(crate) fn files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(name))
        .collect();
    // The one that is written to has no time in its name.
    files.sort_by_key(|path| (path.ends_with(name), path.clone()));
    files
}

/// All records of a log, over all of its files. What a killed process left of a last one is none.
pub(crate) fn records(folder: &Path, name: &str, format: &str) -> Vec<Record> {
    let read = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap();
        match format {
            "JSON" => json(&bytes),
            "CSV" | "TAURUSDB" => csv(&bytes),
            _ => xml(&bytes),
        }
    };
    files(folder, name).iter().flat_map(read).collect()
}

fn json(bytes: &[u8]) -> Vec<Record> {
    // A line without an end is a torn one, and so is one that was ended by the process that came after.
    let whole = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"}}\n"));
    whole
        .map(|line| {
            let value: serde_json::Value = serde_json::from_slice(line).unwrap();
            let object = value["audit_record"].as_object().unwrap();
            let encoded = |name: &str| object.contains_key(&format!("{name}_encoding"));
            let value = |(name, value): (&String, &serde_json::Value)| match value.as_str() {
                Some(text) if encoded(name) => {
                    (name.clone(), text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect())
                }
                Some(text) => (name.clone(), text.as_bytes().to_vec()),
                None => (name.clone(), value.to_string().into_bytes()),
            };
            object.iter().map(value).collect()
        })
        .collect()
}

fn csv(bytes: &[u8]) -> Vec<Record> {
    let mut reader = csv::ReaderBuilder::new().flexible(false).from_reader(bytes);
    let names = reader.headers().unwrap().clone();
    let record = |record: Result<csv::ByteRecord, _>| {
        names.iter().map(str::to_owned).zip(record.unwrap().iter().map(<[u8]>::to_vec)).collect()
    };
    reader.byte_records().map(record).collect()
}

fn xml(bytes: &[u8]) -> Vec<Record> {
    let mut text = std::str::from_utf8(bytes).unwrap().to_owned();
    // The file that is written to has no end yet.
    if !text.ends_with("</AUDIT>\n") {
        text.push_str("</AUDIT>\n");
    }
    let document = roxmltree::Document::parse(&text).unwrap();
    let records = document.root_element().children().filter(|node| node.has_tag_name("AUDIT_RECORD"));
    let value = |text: &str, encoding: Option<&str>| match encoding {
        Some(_) => {
            (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
        }
        None => text.as_bytes().to_vec(),
    };
    records
        .map(|record| {
            let attributes = record.attributes().map(|it| {
                let encoding = record.attribute(format!("{}_ENCODING", it.name()).as_str());
                (it.name().to_ascii_lowercase(), value(it.value(), encoding))
            });
            let elements = record.children().filter(roxmltree::Node::is_element).map(|it| {
                (
                    it.tag_name().name().to_ascii_lowercase(),
                    value(it.text().unwrap_or_default(), it.attribute("encoding")),
                )
            });
            attributes.chain(elements).collect()
        })
        .collect()
}
