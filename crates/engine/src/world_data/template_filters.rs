//! The filters and tests of templates, and the bound on what filters make.
//!
//! The steps of a template don't count what happens within a filter, so the bytes that filters make
//! are counted beside those of the text.

use std::io::{self, Write};

use minijinja::value::{Rest, Value, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, filters, tests};

/// How long a filled template may be, in bytes.
pub(super) const MAX_OUTPUT: usize = 1024 * 1024;

/// How many bytes the filters of one filling may make.
const MAX_MADE: usize = 8 * MAX_OUTPUT;

/// The key of how many they have made.
const MADE: &str = "made";

/// Text of at most [`MAX_OUTPUT`] bytes.
#[derive(Default)]
pub(super) struct Bounded(Vec<u8>);

impl Bounded {
    pub(super) fn into_text(self) -> String {
        // Only texts are written to it.
        String::from_utf8(self.0).unwrap_or_default()
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        // Most texts are written in small pieces.
        self.0.reserve(bytes.len().max(256));
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A value in words, if these are not too many.
pub(super) fn in_words(value: &Value) -> Result<String, Error> {
    let mut words = Bounded::default();
    write!(words, "{value}").map_err(|_| too_much())?;
    Ok(words.into_text())
}

pub(super) fn add(environment: &mut Environment<'_>) {
    environment.add_filter("default", filters::default);
    for (name, filter) in [
        ("abs", Value::from_function(filters::abs)),
        ("capitalize", Value::from_function(filters::capitalize)),
        ("first", Value::from_function(filters::first)),
        ("items", Value::from_function(filters::items)),
        ("join", Value::from_function(join)),
        ("last", Value::from_function(filters::last)),
        ("length", Value::from_function(filters::length)),
        ("list", Value::from_function(filters::list)),
        ("lower", Value::from_function(filters::lower)),
        ("map", Value::from_function(filters::map)),
        ("max", Value::from_function(filters::max)),
        ("min", Value::from_function(filters::min)),
        ("reject", Value::from_function(filters::reject)),
        ("rejectattr", Value::from_function(filters::rejectattr)),
        ("replace", Value::from_function(replace)),
        ("reverse", Value::from_function(filters::reverse)),
        ("round", Value::from_function(filters::round)),
        ("safe", Value::from_function(filters::safe)),
        ("select", Value::from_function(filters::select)),
        ("selectattr", Value::from_function(filters::selectattr)),
        ("sort", Value::from_function(filters::sort)),
        ("title", Value::from_function(filters::title)),
        ("trim", Value::from_function(filters::trim)),
        ("unique", Value::from_function(filters::unique)),
        ("upper", Value::from_function(filters::upper)),
    ] {
        environment.add_filter(name, counting(filter));
    }
    environment.add_test("defined", tests::is_defined);
    environment.add_test("divisibleby", tests::is_divisibleby);
    environment.add_test("endingwith", tests::is_endingwith);
    environment.add_test("even", tests::is_even);
    environment.add_test("false", tests::is_false);
    environment.add_test("in", tests::is_in);
    environment.add_test("mapping", tests::is_mapping);
    environment.add_test("none", tests::is_none);
    environment.add_test("number", tests::is_number);
    environment.add_test("odd", tests::is_odd);
    environment.add_test("sequence", tests::is_sequence);
    environment.add_test("startingwith", tests::is_startingwith);
    environment.add_test("string", tests::is_string);
    environment.add_test("true", tests::is_true);
    environment.add_test("undefined", tests::is_undefined);
    for name in ["eq", "=="] {
        environment.add_test(name, tests::is_eq);
    }
    for name in ["ne", "!="] {
        environment.add_test(name, tests::is_ne);
    }
    for name in ["lt", "<"] {
        environment.add_test(name, tests::is_lt);
    }
    for name in ["le", "<="] {
        environment.add_test(name, tests::is_le);
    }
    for name in ["gt", ">"] {
        environment.add_test(name, tests::is_gt);
    }
    for name in ["ge", ">="] {
        environment.add_test(name, tests::is_ge);
    }
}

/// The filter, which counts what it makes.
pub(super) fn counting(
    filter: Value,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + Send + Sync + 'static
{
    move |state, values| {
        let made = filter.call(state, &values.into_values())?;
        let size = match made.as_str() {
            Some(text) => text.len(),
            None => made.len().unwrap_or_default() * size_of::<Value>(),
        };
        count(state, size)?;
        Ok(made)
    }
}

fn count(state: &mut State<'_, '_>, bytes: usize) -> Result<(), Error> {
    let before = state.get_temp(MADE).and_then(|sum| sum.as_usize());
    let sum = before.unwrap_or_default().saturating_add(bytes);
    state.set_temp(MADE, Value::from(sum));
    if sum <= MAX_MADE {
        Ok(())
    } else {
        Err(too_much())
    }
}

fn too_much() -> Error {
    Error::new(ErrorKind::InvalidOperation, "filters make too much text")
}

/// `names | join(", ")`
fn join(list: &Value, between: Option<String>) -> Result<String, Error> {
    let between = between.unwrap_or_default();
    let mut joined = Bounded::default();
    for (index, item) in list.try_iter()?.enumerate() {
        let written = match index {
            0 => Ok(()),
            _ => joined.write_all(between.as_bytes()),
        };
        written
            .and_then(|()| write!(joined, "{item}"))
            .map_err(|_| too_much())?;
    }
    Ok(joined.into_text())
}

/// `text | replace("a", "b")`
fn replace(
    state: &mut State<'_, '_>,
    text: String,
    from: String,
    to: String,
) -> Result<String, Error> {
    let places = text.matches(&from).count();
    count(state, places.saturating_mul(to.len()))?;
    Ok(text.replace(&from, &to))
}
