//! Reads the properties of one algorithm. Names are exact; one that the algorithm does not know is refused, since a
//! misspelt property would silently do something else.

use crate::error::{AlgorithmKind, Error};
use crate::rule::AlgorithmSpec;

/// The properties of one algorithm; errors name it and the property. Values are read without blanks around them.
#[derive(Clone, Copy)]
pub(crate) struct Properties<'a> {
    kind: AlgorithmKind,
    spec: &'a AlgorithmSpec,
}

impl<'a> Properties<'a> {
    /// Those of an algorithm, which has no other than the `known`.
    pub(crate) fn of(kind: AlgorithmKind, spec: &'a AlgorithmSpec, known: &[&str]) -> Result<Self, Error> {
        let properties = Self { kind, spec };
        match spec.properties.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) if known.is_empty() => {
                Err(properties.error(format!("unknown property '{name}'; there are none")))
            }
            Some(name) => {
                Err(properties
                    .error(format!("unknown property '{name}'; there are '{}'", known.join("', '"))))
            }
            None => Ok(properties),
        }
    }

    /// A property as it stands; nothing when it is not given.
    pub(crate) fn text(self, name: &str) -> Option<&'a str> {
        self.spec.properties.get(name).map(|text| text.trim())
    }

    /// A property with the blanks around it, as of a key.
    pub(crate) fn exact(self, name: &str) -> Option<&'a str> {
        self.spec.properties.get(name).map(String::as_str)
    }

    /// A property that must be given.
    pub(crate) fn required(self, name: &str) -> Result<&'a str, Error> {
        self.text(name).ok_or_else(|| self.error(format!("property '{name}' is missing")))
    }

    /// `true` or `false`; false when it is not given.
    pub(crate) fn flag(self, name: &str) -> Result<bool, Error> {
        match self.text(name) {
            None => Ok(false),
            Some(text) if text.eq_ignore_ascii_case("true") => Ok(true),
            Some(text) if text.eq_ignore_ascii_case("false") => Ok(false),
            Some(text) => Err(self.bad(name, text, "true or false")),
        }
    }

    /// A value that a property cannot have.
    pub(crate) fn bad(self, name: &str, text: &str, wanted: &str) -> Error {
        self.error(format!("property '{name}' must be {wanted}, not '{text}'"))
    }

    /// Any other reason, without a full stop.
    pub(crate) fn error(self, reason: String) -> Error {
        Error::Property { kind: self.kind, algorithm: self.spec.kind.clone(), reason }
    }
}
