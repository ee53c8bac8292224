//! Saves as JSON: errors name the place, and nothing is written that could not be read back.

use std::io;
use std::panic::resume_unwind;
use std::thread;

use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

use super::error::SaveError;
use super::limits::MAX_DEPTH;
use crate::files::{FileProblem, is_too_heavy};
use crate::locale::{Localize, UiText, text};

/// Parses a save, unless it would take too much memory.
pub(super) fn parse<'a, T: Deserialize<'a>>(save: &'a [u8]) -> Result<T, SaveError> {
    parse_text(checked(save)?)
}

/// The text of a save that does not take too much memory.
pub(super) fn checked(save: &[u8]) -> Result<&str, SaveError> {
    if save.len() < LONG {
        check_weight(save)?;
        return text_of(save);
    }
    let (weight, text) = thread::scope(|scope| {
        let weight = scope.spawn(|| check_weight(save));
        let text = text_of(save);
        let weight = weight.join();
        (weight.unwrap_or_else(|panic| resume_unwind(panic)), text)
    });
    weight.and(text)
}

/// The text of a save.
pub(super) fn text_of(save: &[u8]) -> Result<&str, SaveError> {
    std::str::from_utf8(save).map_err(|error| {
        let location = format!("byte {}", error.valid_up_to());
        SaveError::wrong(location, text!(save_not_utf8))
    })
}

/// Parses the text of a save; if that fails, once more to find out where.
pub(super) fn parse_text<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, SaveError> {
    serde_json::from_str(text).map_err(|error| describe::<T>(text, &error))
}

/// A longer save is read on all processors.
pub(super) const LONG: usize = 1 << 20;

/// Refuses what has more values than can be read.
fn check_weight(save: &[u8]) -> Result<(), SaveError> {
    if is_too_heavy(save) {
        let problem = FileProblem::TooManyValues.text();
        return Err(SaveError::wrong("world", problem));
    }
    Ok(())
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

/// Writes a save; if that fails, once more to find out where. `size` is the expected size in bytes.
pub(super) fn write(save: &impl Serialize, size: usize) -> Result<Vec<u8>, SaveError> {
    let mut bytes = Vec::with_capacity(size);
    let writer = &mut serde_json::Serializer::with_formatter(&mut bytes, Lines::default());
    if save.serialize(writer).is_ok() {
        bytes.push(b'\n');
        // What is written must be read back.
        if is_too_heavy(&bytes) {
            return Err(SaveError::TooMuch(FileProblem::TooManyValues.text()));
        }
        return Ok(bytes);
    }
    let writer = &mut serde_json::Serializer::with_formatter(io::sink(), Lines::default());
    match serde_path_to_error::serialize(save, writer) {
        Err(error) => Err(SaveError::Unwritable {
            location: UiText::verbatim(error.path().to_string()),
            problem: problem_of(error.inner()),
        }),
        Ok(()) => Ok(bytes),
    }
}

/// The JSON of a component or a resource.
pub(super) fn to_raw(value: &impl Serialize) -> Result<Box<RawValue>, serde_json::Error> {
    let mut bytes = Vec::new();
    let lines = Lines { depth: OUTER_DEPTH };
    value.serialize(&mut serde_json::Serializer::with_formatter(
        &mut bytes, lines,
    ))?;
    // JSON is text.
    RawValue::from_string(String::from_utf8(bytes).unwrap_or_default())
}

/// Why a value can't be written.
pub(super) fn problem_of(error: &serde_json::Error) -> UiText {
    if error.is_io() {
        // Memory never fails, so it is `Lines`.
        return text!(save_too_deep, max = MAX_DEPTH);
    }
    error.text()
}

/// How deep a save itself nests the values in it, at most.
const OUTER_DEPTH: usize = 10;

/// Puts each member of the outermost object, and each element of its lists, on a line of its own.
/// Refuses values nested too deeply to be read back.
#[derive(Default)]
struct Lines {
    depth: usize,
}

impl Lines {
    fn open(&mut self) -> io::Result<()> {
        self.depth += 1;
        if self.depth > OUTER_DEPTH + MAX_DEPTH {
            return Err(io::Error::other("too deep"));
        }
        Ok(())
    }
}

fn separate<W: ?Sized + io::Write>(writer: &mut W, first: bool, line: bool) -> io::Result<()> {
    writer.write_all(match (first, line) {
        (true, true) => b"\n",
        (true, false) => b"",
        (false, true) => b",\n",
        (false, false) => b",",
    })
}

impl Formatter for Lines {
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
        separate(writer, first, self.depth == 2)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open()?;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let closing: &[u8] = if self.depth == 1 { b"\n}" } else { b"}" };
        self.depth -= 1;
        writer.write_all(closing)
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        separate(writer, first, self.depth == 1)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_and_elements_stand_on_lines_of_their_own() {
        let save = json!({"a": [{"x": [1, 2]}, {}], "b": {"c": 1, "d": []}, "e": []});
        let written = String::from_utf8(write(&save, 0).unwrap()).unwrap();
        assert_eq!(
            written,
            "{\n\"a\":[\n{\"x\":[1,2]},\n{}],\n\"b\":{\"c\":1,\"d\":[]},\n\"e\":[]\n}\n"
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
        let error = write(&json!({"a": {"b": deep(200)}}), 0).unwrap_err();
        let path = "a.b[0][0]";
        assert!(error.to_string().starts_with(path), "{error}");
    }
}
