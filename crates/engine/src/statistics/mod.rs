//! Shares and means of many cases, with their 95 % intervals, and comparisons of them.

mod paired;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use statrs::distribution::{ContinuousCDF, StudentsT};

pub use paired::{Comparison, EffectSize, Test, compare_means, compare_shares, correct_by_holm};

/// The quantile of the normal distribution for intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A share of cases. Its JSON contains the value and the interval too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Share {
    pub hits: u64,
    pub of: u64,
}

impl Share {
    pub fn count(&mut self, hit: bool) {
        self.hits += u64::from(hit);
        self.of += 1;
    }

    /// The share, from 0 to 1; `None` if nothing was counted.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }

    /// The interval in which the true share lies with 95 % confidence, by Wilson's score (1927).
    pub fn interval(self) -> Option<(f64, f64)> {
        let (share, n) = (self.value()?, self.of as f64);
        let square = Z * Z / n;
        let middle = share + square / 2.0;
        let spread = Z * (share * (1.0 - share) / n + square / (4.0 * n)).sqrt();
        let bound = |sum: f64| (sum / (1.0 + square)).clamp(0.0, 1.0);
        Some((bound(middle - spread), bound(middle + spread)))
    }
}

/// A share in JSON.
#[derive(Serialize, JsonSchema)]
struct ShareRecord {
    /// The number of hits.
    hits: u64,
    /// Of how many cases.
    of: u64,
    /// The share, from 0 to 1; null of no cases.
    share: Option<f64>,
    /// The lower end of its 95 % interval.
    low: Option<f64>,
    /// The upper end.
    high: Option<f64>,
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (low, high) = self.interval().unzip();
        let record = ShareRecord {
            hits: self.hits,
            of: self.of,
            share: self.value(),
            low,
            high,
        };
        record.serialize(serializer)
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        ShareRecord::json_schema(generator)
    }
}

/// The mean of numbers. Its JSON contains the count, the mean and its margin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// The number of numbers.
    pub of: u64,
    sum: f64,
    squares: f64,
}

impl Mean {
    pub fn add(&mut self, number: f64) {
        self.of += 1;
        self.sum += number;
        self.squares += number * number;
    }

    /// The mean; `None` of no numbers.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.sum / self.of as f64)
    }

    /// The standard deviation of the numbers; `None` of fewer than two.
    pub fn deviation(self) -> Option<f64> {
        let n = self.of as f64;
        let mean = self.value().filter(|_| self.of > 1)?;
        // What rounding leaves of nothing is nothing.
        let variance = (self.squares - n * mean * mean) / (n - 1.0);
        Some(if variance > self.squares * f64::EPSILON {
            variance.sqrt()
        } else {
            0.0
        })
    }

    /// Half the width of the 95 % interval around the mean, by Student's t; `None` of fewer than
    /// two numbers.
    pub fn margin(self) -> Option<f64> {
        let n = self.of as f64;
        let student = StudentsT::new(0.0, 1.0, n - 1.0).ok()?;
        Some(student.inverse_cdf(0.975) * self.deviation()? / n.sqrt())
    }
}

/// A mean in JSON.
#[derive(Serialize, JsonSchema)]
struct MeanRecord {
    /// Of how many numbers.
    of: u64,
    /// The mean; null of no numbers.
    mean: Option<f64>,
    /// Half the width of its 95 % interval; null of fewer than two numbers.
    margin: Option<f64>,
}

impl Serialize for Mean {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let record = MeanRecord {
            of: self.of,
            mean: self.value(),
            margin: self.margin(),
        };
        record.serialize(serializer)
    }
}

impl JsonSchema for Mean {
    fn schema_name() -> Cow<'static, str> {
        "Mean".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        MeanRecord::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wilsons_interval_is_the_published_one() {
        // Newcombe (1998), table I: method 3 for 81 of 263, 15 of 148, 0 of 20 and 1 of 29.
        for (hits, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (a, b) = Share { hits, of }.interval().unwrap();
            assert!(
                (a - low).abs() < 5e-5 && (b - high).abs() < 5e-5,
                "{hits}/{of}: {a} {b}"
            );
        }
        assert_eq!(Share::default().interval(), None);
    }

    #[test]
    fn a_mean_knows_its_margin() {
        let mut mean = Mean::default();
        assert_eq!((mean.value(), mean.margin()), (None, None));
        for number in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            mean.add(number);
        }
        assert_eq!(mean.value(), Some(5.0));
        // The spread of these is 2.138; over the root of 8, times the 2.365 of 7 degrees of
        // freedom.
        assert!((mean.margin().unwrap() - 1.7876).abs() < 1e-3);
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_share(hits in 0u64..500, more in 0u64..500) {
            let share = Share { hits, of: hits + more };
            if let Some((low, high)) = share.interval() {
                let value = share.value().unwrap();
                prop_assert!(0.0 <= low && low <= value + 1e-12 && value <= high + 1e-12 && high <= 1.0);
            }
        }
    }
}
