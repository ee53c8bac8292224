//! The filters and tests of templates, and the bounds on what they make.
//!
//! What filters and tests read and make is charged to the filling of the template.

use std::io::{self, Write};

use minijinja::value::{Rest, Value, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, filters, tests};

/// How long a filled template may be, in bytes.
pub(super) const MAX_OUTPUT: usize = 1024 * 1024;

/// How many bytes the filters and tests of one filling may read and make.
const MAX_MADE: usize = 8 * MAX_OUTPUT;

/// The size of a value in a list.
const ITEM: usize = size_of::<Value>();

/// The key of what the filters have made so far.
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
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Adds all filters and tests.
pub(super) fn add(environment: &mut Environment<'_>) {
    environment.add_filter("default", filters::default);
    environment.add_filter("join", join);
    environment.add_filter("replace", replace);
    let charged = [
        ("abs", Value::from_function(filters::abs)),
        ("capitalize", Value::from_function(filters::capitalize)),
        ("first", Value::from_function(filters::first)),
        ("items", Value::from_function(filters::items)),
        ("last", Value::from_function(filters::last)),
        ("length", Value::from_function(filters::length)),
        ("list", Value::from_function(filters::list)),
        ("lower", Value::from_function(filters::lower)),
        ("map", Value::from_function(filters::map)),
        ("max", Value::from_function(filters::max)),
        ("min", Value::from_function(filters::min)),
        ("reject", Value::from_function(filters::reject)),
        ("rejectattr", Value::from_function(filters::rejectattr)),
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
    ];
    for (name, filter) in charged {
        environment.add_filter(name, charging(filter));
    }
    let tests = [
        ("defined", Value::from_function(tests::is_defined)),
        ("divisibleby", Value::from_function(tests::is_divisibleby)),
        ("endingwith", Value::from_function(tests::is_endingwith)),
        ("even", Value::from_function(tests::is_even)),
        ("false", Value::from_function(tests::is_false)),
        ("in", Value::from_function(tests::is_in)),
        ("mapping", Value::from_function(tests::is_mapping)),
        ("none", Value::from_function(tests::is_none)),
        ("number", Value::from_function(tests::is_number)),
        ("odd", Value::from_function(tests::is_odd)),
        ("sequence", Value::from_function(tests::is_sequence)),
        ("startingwith", Value::from_function(tests::is_startingwith)),
        ("string", Value::from_function(tests::is_string)),
        ("true", Value::from_function(tests::is_true)),
        ("undefined", Value::from_function(tests::is_undefined)),
        ("eq", Value::from_function(tests::is_eq)),
        ("==", Value::from_function(tests::is_eq)),
        ("ne", Value::from_function(tests::is_ne)),
        ("!=", Value::from_function(tests::is_ne)),
        ("lt", Value::from_function(tests::is_lt)),
        ("<", Value::from_function(tests::is_lt)),
        ("le", Value::from_function(tests::is_le)),
        ("<=", Value::from_function(tests::is_le)),
        ("gt", Value::from_function(tests::is_gt)),
        (">", Value::from_function(tests::is_gt)),
        ("ge", Value::from_function(tests::is_ge)),
        (">=", Value::from_function(tests::is_ge)),
    ];
    for (name, test) in tests {
        environment.add_test(name, charging_test(test));
    }
}

/// The filter, of which what it is given and what it makes are charged.
pub(super) fn charging(
    filter: Value,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + Send + Sync + 'static
{
    move |state, values| {
        let values = values.into_values();
        charge(state, values.iter().map(size_of_value).sum())?;
        let made = filter.call(state, &values)?;
        charge(state, size_of_value(&made))?;
        Ok(made)
    }
}

/// The test, of which what it is given is charged: a filter may test each character of a text.
fn charging_test(
    test: Value,
) -> impl Fn(&mut State<'_, '_>, Rest<Value>) -> Result<Value, Error> + Send + Sync + 'static {
    move |state, values| {
        charge(
            state,
            ITEM + values.iter().map(size_of_value).sum::<usize>(),
        )?;
        test.call(state, &values)
    }
}

/// The length of a text, or the size of a list without what its items hold, in bytes.
fn size_of_value(value: &Value) -> usize {
    match value.as_str() {
        Some(text) => text.len(),
        None => value.len().unwrap_or_default() * ITEM,
    }
}

fn charge(state: &mut State<'_, '_>, bytes: usize) -> Result<(), Error> {
    let before = state.get_temp(MADE).and_then(|made| made.as_usize());
    let made = before.unwrap_or_default().saturating_add(bytes);
    state.set_temp(MADE, Value::from(made));
    if made <= MAX_MADE {
        Ok(())
    } else {
        Err(too_much())
    }
}

fn too_much() -> Error {
    Error::new(ErrorKind::InvalidOperation, "filters make too much text")
}

/// `names | join(", ")`
fn join(state: &mut State<'_, '_>, list: &Value, between: Option<String>) -> Result<String, Error> {
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
    charge(state, joined.0.len())?;
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
    charge(
        state,
        text.len().saturating_add(places.saturating_mul(to.len())),
    )?;
    Ok(text.replace(&from, &to))
}
