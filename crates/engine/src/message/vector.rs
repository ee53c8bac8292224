//! Vectors of texts, as embedding servers make them, in a byte per component.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use crate::locale::Localize;

/// The most components of a vector.
const WIDEST: usize = 8192;

/// The direction of a text's meaning. Its length says nothing and is not kept, so each component is
/// a share of the largest, in a byte; products are whole numbers, the same on every machine. JSON
/// has it in base64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    components: Box<[i8]>,
    square: i64,
}

/// Why numbers are not a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Localize)]
pub enum VectorError {
    /// There are none, or too many.
    #[text(message_vector_width, max = WIDEST)]
    Width { found: usize },
    /// The vector differs in its width from those before it.
    #[text(message_vector_other_width)]
    OtherWidth {
        /// The width of those before it.
        expected: usize,
        found: usize,
    },
    /// One is infinite or not a number.
    #[text(message_vector_not_finite)]
    NotFinite,
    /// All are zero, so that there is no direction.
    #[text(message_vector_zero)]
    Zero,
}

impl Vector {
    pub fn new(numbers: &[f32]) -> Result<Self, VectorError> {
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(VectorError::NotFinite);
        }
        let largest = numbers
            .iter()
            .fold(0.0, |most: f32, number| most.max(number.abs()));
        // In f64, since the quotient of tiny numbers must not lose its value.
        let share = |number: &f32| f64::from(*number) / f64::from(largest);
        let component = |number: &f32| (share(number) * f64::from(i8::MAX)).round() as i8;
        if largest == 0.0 && !numbers.is_empty() {
            return Err(VectorError::Zero);
        }
        Self::of(numbers.iter().map(component).collect())
    }

    fn of(components: Box<[i8]>) -> Result<Self, VectorError> {
        let found = components.len();
        if !(1..=WIDEST).contains(&found) {
            return Err(VectorError::Width { found });
        }
        match product(&components, &components) {
            0 => Err(VectorError::Zero),
            square => Ok(Self { components, square }),
        }
    }

    pub fn width(&self) -> usize {
        self.components.len()
    }

    /// How much two vectors of the same width point in the same direction: the cosine of the angle
    /// between them, from -1 to 1.
    pub fn cosine(&self, other: &Self) -> f64 {
        let lengths = (self.square as f64).sqrt() * (other.square as f64).sqrt();
        product(&self.components, &other.components) as f64 / lengths
    }
}

fn product(left: &[i8], right: &[i8]) -> i64 {
    let pairs = left.iter().zip(right);
    // At most 127² · 8192, so the sum fits into 32 bits.
    let sum: i32 = pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    sum.into()
}

impl Serialize for Vector {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self
            .components
            .iter()
            .map(|component| *component as u8)
            .collect();
        to.serialize_str(&STANDARD_NO_PAD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        let bytes = STANDARD_NO_PAD
            .decode(text.as_bytes())
            .map_err(de::Error::custom)?;
        let components = bytes.into_iter().map(|byte| byte as i8);
        Self::of(components.collect()).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_has_no_direction_is_refused() {
        let width = |found| Err(VectorError::Width { found });
        assert_eq!(Vector::new(&[]), width(0));
        assert_eq!(Vector::new(&[1.0; WIDEST + 1]), width(WIDEST + 1));
        assert_eq!(Vector::new(&[0.0, -0.0]), Err(VectorError::Zero));
        for strange in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(Vector::new(&[1.0, strange]), Err(VectorError::NotFinite));
        }
        assert!(serde_json::from_str::<Vector>("\"\"").is_err());
        assert!(serde_json::from_str::<Vector>("\"AAA\"").is_err());
        assert!(serde_json::from_str::<Vector>("\"?\"").is_err());
    }

    #[test]
    fn tiny_and_huge_numbers_keep_their_direction() {
        let vector = Vector::new(&[3.0, -4.0]).unwrap();
        assert_eq!(Vector::new(&[3e-42, -4e-42]).unwrap(), vector);
        assert_eq!(Vector::new(&[2.25e38, -3e38]).unwrap(), vector);
        let widest = Vector::new(&[1.0; WIDEST]).unwrap();
        assert!((widest.cosine(&widest) - 1.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn a_byte_is_close_to_a_number_and_json_keeps_it(
            pairs in prop::collection::vec((-1f32..1.0, -1f32..1.0), 8..40),
        ) {
            let (left, right): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            let (Ok(a), Ok(b)) = (Vector::new(&left), Vector::new(&right)) else {
                return Ok(());
            };
            let dot = |a: &[f32], b: &[f32]| -> f64 {
                a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
            };
            let exact = dot(&left, &right) / (dot(&left, &left) * dot(&right, &right)).sqrt();
            prop_assert!((a.cosine(&b) - exact).abs() < 0.02);
            prop_assert_eq!(a.cosine(&b).to_bits(), b.cosine(&a).to_bits());
            let json = serde_json::to_string(&a).unwrap();
            prop_assert_eq!(serde_json::from_str::<Vector>(&json).unwrap(), a);
        }
    }
}
