//! Load balancers: which replica is read from (`distsql.md` §4). How they decide is `plan::algorithm`'s.

use super::Properties;
use crate::error::{AlgorithmKind, Error, Names};
use crate::rule::{AlgorithmSpec, TransactionalReads};

/// What an endless weight counts as, as upstream has it.
const ENDLESS: f64 = 10_000.0;

/// How a replica is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Balance {
    /// `FIXED_PRIMARY`: none; reads go where is written.
    Primary,
    /// `RANDOM`: each as often as another.
    Random,
    /// `ROUND_ROBIN`: one after the other.
    #[default]
    RoundRobin,
    /// `WEIGHT`: as often as its weight says; one for each replica, none negative.
    Weight(Box<[f64]>),
}

impl Balance {
    /// Reads an algorithm's type (letter case ignored) and its properties; `replicas` are those that have a weight. A
    /// spelling up to 5.3 also says where reads inside a transaction go.
    pub fn parse(
        spec: &AlgorithmSpec,
        replicas: &[String],
    ) -> Result<(Self, Option<TransactionalReads>), Error> {
        let kind = spec.kind.to_ascii_uppercase();
        if kind == "FIXED_PRIMARY" {
            Properties::of(AlgorithmKind::Balance, spec, &[])?;
            return Ok((Self::Primary, None));
        }
        let (name, reads) = if let Some(name) = kind.strip_prefix("FIXED_REPLICA_") {
            (name, Some(TransactionalReads::Fixed))
        } else if let Some(name) = kind.strip_prefix("TRANSACTION_") {
            (name, Some(TransactionalReads::Dynamic))
        } else {
            (kind.as_str(), None)
        };
        let balance = match name {
            "RANDOM" => Self::Random,
            "ROUND_ROBIN" => Self::RoundRobin,
            "WEIGHT" => return Ok((Self::weights(spec, replicas)?, reads)),
            _ => {
                let names = Names::one(&spec.kind);
                return Err(Error::InvalidAlgorithms { kind: AlgorithmKind::Balance, names });
            }
        };
        Properties::of(AlgorithmKind::Balance, spec, &[])?;
        Ok((balance, reads))
    }

    fn weights(spec: &AlgorithmSpec, replicas: &[String]) -> Result<Self, Error> {
        let known: Vec<_> = replicas.iter().map(String::as_str).collect();
        let properties = Properties::of(AlgorithmKind::Balance, spec, &known)?;
        let weight = |replica: &&str| {
            let text = properties.text(replica).ok_or_else(|| Error::NoWeight((*replica).to_owned()))?;
            match text.parse::<f64>() {
                Ok(weight) if weight.is_nan() => Ok(1.0),
                Ok(weight) if weight == f64::INFINITY => Ok(ENDLESS),
                Ok(weight) if weight >= 0.0 => Ok(weight),
                _ => Err(Error::Weight(text.to_owned())),
            }
        };
        known.iter().map(weight).collect::<Result<_, _>>().map(Self::Weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kind: &str, weights: &[(&str, &str)]) -> Result<(Balance, Option<TransactionalReads>), String> {
        let spec = AlgorithmSpec {
            kind: kind.to_owned(),
            properties: weights.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        };
        Balance::parse(&spec, &["r0".to_owned(), "r1".to_owned()]).map_err(|error| error.to_string())
    }

    #[test]
    fn maps_every_spelling_to_a_balancer_and_a_strategy() {
        use TransactionalReads::{Dynamic, Fixed};
        for (kind, balance, reads) in [
            ("ROUND_ROBIN", Balance::RoundRobin, None),
            ("random", Balance::Random, None),
            ("TRANSACTION_RANDOM", Balance::Random, Some(Dynamic)),
            ("TRANSACTION_ROUND_ROBIN", Balance::RoundRobin, Some(Dynamic)),
            ("FIXED_REPLICA_RANDOM", Balance::Random, Some(Fixed)),
            ("Fixed_Replica_Round_Robin", Balance::RoundRobin, Some(Fixed)),
            ("FIXED_PRIMARY", Balance::Primary, None),
        ] {
            assert_eq!(parse(kind, &[]), Ok((balance, reads)), "{kind}");
        }
        let weights = || Balance::Weight(Box::new([2.0, 1.0]));
        let given = [("r0", "2"), ("r1", "1")];
        assert_eq!(parse("WEIGHT", &given), Ok((weights(), None)));
        assert_eq!(parse("TRANSACTION_WEIGHT", &given), Ok((weights(), Some(Dynamic))));
        assert_eq!(parse("FIXED_REPLICA_WEIGHT", &given), Ok((weights(), Some(Fixed))));
    }

    #[test]
    fn endless_and_no_numbers_have_a_weight_too() {
        let odd = parse("WEIGHT", &[("r0", "Infinity"), ("r1", "NaN")]);
        assert_eq!(odd, Ok((Balance::Weight(Box::new([10_000.0, 1.0])), None)));
    }

    #[test]
    fn refuses_unknown_balancers_and_weights_that_are_missing_or_wrong() {
        for (kind, weights, text) in [
            ("LEAST", &[][..], "Invalid Load balancers algorithms `[LEAST]`."),
            ("TRANSACTION_X", &[], "Invalid Load balancers algorithms `[TRANSACTION_X]`."),
            ("WEIGHT", &[("r0", "1")], "Read database `r1` access weight is not configured."),
            ("WEIGHT", &[("r0", "x"), ("r1", "1")], "Invalid read database weight `x`."),
            ("WEIGHT", &[("r0", "-1"), ("r1", "1")], "Invalid read database weight `-1`."),
            (
                "WEIGHT",
                &[("r0", "1"), ("r1", "1"), ("r2", "1")],
                "Load balance algorithm `WEIGHT` initialization failed, reason is: unknown property 'r2'; \
                 there are 'r0', 'r1'.",
            ),
            (
                "RANDOM",
                &[("r0", "1")],
                "Load balance algorithm `RANDOM` initialization failed, reason is: unknown property 'r0'; \
                 there are none.",
            ),
        ] {
            assert_eq!(parse(kind, weights), Err(text.to_owned()), "{kind}");
        }
    }
}
