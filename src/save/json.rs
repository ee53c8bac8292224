//! Saves as JSON text: reading with the place of a mistake, writing in lines and not too deep.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

use super::error::SaveError;
use super::limits::MAX_DEPTH;

/// Parses a save; if that fails, once more to find out where.
pub(super) fn parse<'a, T: Deserialize<'a>>(save: &'a [u8]) -> Result<T, SaveError> {
    let text = std::str::from_utf8(save).map_err(|error| {
        let at = format!("byte {}", error.valid_up_to());
        SaveError::wrong(at, "the save is no UTF-8 text; restore it from a copy")
    })?;
    serde_json::from_str(text).map_err(|error| describe::<T>(text, &error))
}

fn describe<'a, T: Deserialize<'a>>(text: &'a str, error: &serde_json::Error) -> SaveError {
    if error.is_eof() {
        return SaveError::Truncated(error.to_string());
    }
    let reader = &mut serde_json::Deserializer::from_str(text);
    match serde_path_to_error::deserialize::<_, T>(reader) {
        Err(found) => SaveError::wrong(found.path().to_string(), found.inner().to_string()),
        Ok(_) => SaveError::wrong("end", error.to_string()),
    }
}

/// Writes a save; if that fails, once more to find out where. `size` is how many bytes are expected.
pub(super) fn write(save: &impl Serialize, size: usize) -> Result<Vec<u8>, SaveError> {
    let mut bytes = Vec::with_capacity(size);
    let writer = &mut serde_json::Serializer::with_formatter(&mut bytes, Lines::default());
    if save.serialize(writer).is_ok() {
        bytes.push(b'\n');
        return Ok(bytes);
    }
    let writer = &mut serde_json::Serializer::with_formatter(io::sink(), Lines::default());
    match serde_path_to_error::serialize(save, writer) {
        Err(found) => Err(SaveError::unwritable(
            found.path().to_string(),
            found.inner(),
        )),
        Ok(()) => Ok(bytes),
    }
}

/// The JSON of a value that stands somewhere in a save.
pub(super) fn to_raw(value: &impl Serialize) -> Result<Box<RawValue>, serde_json::Error> {
    let mut bytes = Vec::new();
    let lines = Lines { depth: OUTER_DEPTH };
    value.serialize(&mut serde_json::Serializer::with_formatter(
        &mut bytes, lines,
    ))?;
    // JSON is text.
    RawValue::from_string(String::from_utf8(bytes).unwrap_or_default())
}

/// How deep a save itself nests the values that it holds, at most.
const OUTER_DEPTH: usize = 10;

/// Puts every member of the outermost object, and every element of its lists, on a line of its own.
/// Refuses what is nested too deeply to be read back.
#[derive(Default)]
struct Lines {
    depth: usize,
}

impl Lines {
    fn open(&mut self) -> io::Result<()> {
        self.depth += 1;
        if self.depth > OUTER_DEPTH + MAX_DEPTH {
            let problem = format!(
                "it is nested more than {MAX_DEPTH} levels deep and could not be read back; flatten it"
            );
            return Err(io::Error::other(problem));
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
        assert!(error.to_string().starts_with("a.b[0][0]"), "{error}");
    }
}
