//! Saves as JSON: errors name the place, and nothing is written that could not be read back.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::ser::{Formatter, Serializer};
use serde_json::value::RawValue;

use super::error::SaveError;
use super::limits::MAX_DEPTH;
use crate::files::{MAX_SAVED_VALUES, count_values, has_more_values};
use crate::locale::{Localize, UiText, text};

/// Parses a save; if that fails, once more to find out where, since keeping the place takes time.
pub(super) fn parse<'a, T: Deserialize<'a>>(save: &'a [u8]) -> Result<T, SaveError> {
    if has_more_values(save, MAX_SAVED_VALUES) {
        let problem = text!(save_more_values, max = MAX_SAVED_VALUES);
        return Err(SaveError::wrong("file", problem));
    }
    let text = std::str::from_utf8(save).map_err(|error| {
        let location = format!("byte {}", error.valid_up_to());
        SaveError::wrong(location, text!(save_not_utf8))
    })?;
    serde_json::from_str(text).map_err(|error| describe::<T>(text, &error))
}

fn describe<'a, T: Deserialize<'a>>(text: &'a str, error: &serde_json::Error) -> SaveError {
    if error.is_eof() {
        return SaveError::Truncated(error.text());
    }
    let reader = &mut serde_json::Deserializer::from_str(text);
    match serde_path_to_error::deserialize::<_, T>(reader) {
        Err(found) => SaveError::unreadable(found.path().to_string(), found.inner()),
        Ok(_) => SaveError::unreadable("end", error),
    }
}

/// Writes a save, and returns how many values it has, or why the output failed. A save that could
/// not be read back is written once more, to find out where.
pub(super) fn write(
    save: &impl Serialize,
    out: impl io::Write,
) -> Result<io::Result<usize>, SaveError> {
    let mut bounded = Bounded::default();
    let writer = &mut Serializer::with_formatter(out, &mut bounded);
    let error = match save.serialize(writer) {
        Ok(()) => return Ok(Ok(bounded.values)),
        Err(error) if error.is_io() && !bounded.is_too_deep() => return Ok(Err(error.into())),
        Err(error) => error,
    };
    let mut bounded = Bounded::default();
    let writer = &mut Serializer::with_formatter(io::sink(), &mut bounded);
    let found = serde_path_to_error::serialize(save, writer).err();
    let location = found.map(|found| found.path().to_string());
    Err(SaveError::Unwritable {
        location: UiText::verbatim(location.unwrap_or_default()),
        problem: problem_of(&error),
    })
}

/// The JSON of a component or a resource.
pub(super) fn to_raw(value: &impl Serialize) -> Result<Box<RawValue>, serde_json::Error> {
    let mut bytes = Vec::new();
    let mut bounded = Bounded {
        depth: OUTER_DEPTH,
        ..Bounded::default()
    };
    value.serialize(&mut Serializer::with_formatter(&mut bytes, &mut bounded))?;
    // JSON is text.
    RawValue::from_string(String::from_utf8(bytes).unwrap_or_default())
}

/// Why a value can't be written.
pub(super) fn problem_of(error: &serde_json::Error) -> UiText {
    if error.is_io() {
        // Memory never fails, so it is `Bounded`.
        return text!(save_too_deep, max = MAX_DEPTH);
    }
    error.text()
}

/// How deep a save itself nests the values in it, at most.
const OUTER_DEPTH: usize = 10;

/// Refuses values that are nested too deeply to be read back, and counts all as [`count_values`].
#[derive(Default)]
struct Bounded {
    depth: usize,
    values: usize,
}

impl Bounded {
    fn open(&mut self) -> io::Result<()> {
        self.values += 1;
        self.depth += 1;
        if self.is_too_deep() {
            return Err(io::Error::other("too deep"));
        }
        Ok(())
    }

    fn is_too_deep(&self) -> bool {
        self.depth > OUTER_DEPTH + MAX_DEPTH
    }

    fn separate<W: ?Sized + io::Write>(&mut self, first: bool, writer: &mut W) -> io::Result<()> {
        if first {
            return Ok(());
        }
        self.values += 1;
        writer.write_all(b",")
    }
}

impl Formatter for &mut Bounded {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open()?;
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.separate(first, writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open()?;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.separate(first, writer)
    }

    fn write_raw_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.values += count_values(fragment.as_bytes());
        writer.write_all(fragment.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_save_of_too_many_values_is_refused_unparsed() {
        let save = format!("[{}0]", "0,".repeat(MAX_SAVED_VALUES));
        let error = parse::<serde_json::Value>(save.as_bytes()).unwrap_err();
        assert!(
            error.to_string().contains("more than 4194304 values"),
            "{error}"
        );
    }

    #[test]
    fn a_value_too_deep_to_be_read_back_is_named() {
        let deep = |levels| (0..levels).fold(json!("["), |inner, _| json!([inner]));
        assert_eq!(
            to_raw(&deep(MAX_DEPTH)).unwrap().get().len(),
            2 * MAX_DEPTH + 3
        );
        assert!(to_raw(&deep(MAX_DEPTH + 1)).is_err());
        let error = write(&json!({"a": {"b": deep(200)}}), io::sink()).unwrap_err();
        let path = "a.b[0][0]";
        assert!(error.to_string().starts_with(path), "{error}");
    }

    #[test]
    fn values_are_counted_while_they_are_written() {
        let raw = to_raw(&json!({"a, b": [1, [], {}], "c": "{,"})).unwrap();
        let save = json!({"raw": raw, "list": [[], {}, {"x,": 1.5, "y": null}, "[\","]});
        let mut bytes = Vec::new();
        let values = write(&(&*raw, &save), &mut bytes).unwrap().unwrap();
        assert_eq!(values, count_values(&bytes));
    }
}
