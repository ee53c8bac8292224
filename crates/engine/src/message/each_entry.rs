//! Maps that are read entry by entry, since a name may stand in them once.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// Reads a map, and takes each entry in the order in which it stands, or says what is wrong with
/// it. What is `expected` is said of anything that is no map.
pub fn each_entry<'de, K: Deserialize<'de>, V: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
    expected: &'static str,
    take: impl FnMut(K, V) -> Result<(), String>,
) -> Result<(), D::Error> {
    deserializer.deserialize_map(EachEntry(expected, take, PhantomData))
}

struct EachEntry<K, V, F>(&'static str, F, PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>, F> Visitor<'de> for EachEntry<K, V, F>
where
    F: FnMut(K, V) -> Result<(), String>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, value)) = map.next_entry()? {
            self.1(name, value).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}
