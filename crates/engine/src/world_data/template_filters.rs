//! The filters and tests of templates, and the bounds on what they make.
//!
//! The steps of a template don't count what happens within a filter. So filters and tests charge
//! the bytes that they read and make to the filling of the template.

use std::io::{self, Write};

use minijinja::value::{Rest, Value, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, filters, tests};

/// Filters that go through their first argument item by item, a text character by character, and
/// may read the others for each.
const BY_ITEM: [&str; 12] = [
    "join",
    "list",
    "map",
    "max",
    "min",
    "reject",
    "rejectattr",
    "select",
    "selectattr",
    "sort",
    "trim",
    "unique",
];

/// Filters and tests that write or compare all that is in a value.
const WHOLE: [&str; 18] = [
    "!=", "<", "<=", "==", ">", ">=", "eq", "ge", "gt", "in", "join", "le", "lt", "max", "min",
    "ne", "sort", "unique",
];

/// How long a filled template may be, in bytes.
pub(super) const MAX_OUTPUT: usize = 1024 * 1024;

/// How many bytes the filters and tests of one filling may read and make.
const MAX_CHARGED: usize = 8 * MAX_OUTPUT;

/// The size of a value without its text or items.
const ITEM: usize = size_of::<Value>();

/// A text of at most this many bytes is put in without a charge.
const SHORT: usize = 1_000;

/// The key of what was charged so far.
const CHARGED: &str = "charged";

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
    let charged = [
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
    ];
    for (name, filter) in charged {
        environment.add_filter(name, charging(name, filter));
    }
    // These read nothing but what a value is.
    environment.add_test("defined", tests::is_defined);
    environment.add_test("divisibleby", tests::is_divisibleby);
    environment.add_test("even", tests::is_even);
    environment.add_test("false", tests::is_false);
    environment.add_test("mapping", tests::is_mapping);
    environment.add_test("none", tests::is_none);
    environment.add_test("number", tests::is_number);
    environment.add_test("odd", tests::is_odd);
    environment.add_test("sequence", tests::is_sequence);
    environment.add_test("string", tests::is_string);
    environment.add_test("true", tests::is_true);
    environment.add_test("undefined", tests::is_undefined);
    for (name, test) in [
        ("in", Value::from_function(tests::is_in)),
        ("endingwith", Value::from_function(tests::is_endingwith)),
        ("startingwith", Value::from_function(tests::is_startingwith)),
    ] {
        environment.add_test(name, charging(name, test));
    }
    for (names, test) in [
        (["eq", "=="], Value::from_function(tests::is_eq)),
        (["ne", "!="], Value::from_function(tests::is_ne)),
        (["lt", "<"], Value::from_function(tests::is_lt)),
        (["le", "<="], Value::from_function(tests::is_le)),
        (["gt", ">"], Value::from_function(tests::is_gt)),
        (["ge", ">="], Value::from_function(tests::is_ge)),
    ] {
        for name in names {
            environment.add_test(name, charging(name, test.clone()));
        }
    }
}

/// The filter or test, with a charge for what it reads and makes.
pub(super) fn charging(
    name: &'static str,
    function: Value,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + Send + Sync + 'static
{
    move |state, values| {
        let values = values.into_values();
        charge(state, bytes_to_read(name, &values))?;
        let made = function.call(state, &values)?;
        charge(state, own_bytes_of(&made))?;
        Ok(made)
    }
}

/// How many bytes a filter or test may read.
fn bytes_to_read(name: &str, values: &[Value]) -> usize {
    let Some((first, others)) = values.split_first() else {
        return 0;
    };
    let size = if WHOLE.contains(&name) {
        bytes_of
    } else {
        own_bytes_of
    };
    let of_first = size(first);
    let of_others = others.iter().map(size).fold(0, usize::saturating_add);
    let items = if BY_ITEM.contains(&name) {
        first.try_iter().map_or(0, Iterator::count)
    } else {
        1
    };
    let comparisons = match name {
        "sort" | "unique" => 1 + items.checked_ilog2().unwrap_or_default() as usize,
        _ => 1,
    };
    let by_item = items.saturating_mul(of_others.saturating_add(ITEM));
    of_first.saturating_mul(comparisons).saturating_add(by_item)
}

/// The length of a text, or the size of a list without what its items hold, in bytes.
fn own_bytes_of(value: &Value) -> usize {
    match value.as_str() {
        Some(text) => text.len(),
        None => value.len().unwrap_or_default().saturating_mul(ITEM),
    }
}

/// How many bytes a value has with all that is in it; of very large ones at least the limit.
fn bytes_of(value: &Value) -> usize {
    let mut size = 0;
    let mut open = vec![value.clone()];
    while let Some(value) = open.pop()
        && size <= MAX_CHARGED
    {
        size += ITEM + value.as_str().map_or(0, str::len);
        let items = value.as_object().and_then(|items| items.try_iter_pairs());
        for (key, item) in items.into_iter().flatten().take(MAX_CHARGED / ITEM) {
            size += key.as_str().map_or(0, str::len);
            open.push(item);
        }
    }
    size
}

fn charge(state: &mut State<'_, '_>, bytes: usize) -> Result<(), Error> {
    let before = state.get_temp(CHARGED).and_then(|sum| sum.as_usize());
    let sum = before.unwrap_or_default().saturating_add(bytes);
    state.set_temp(CHARGED, Value::from(sum));
    if sum <= MAX_CHARGED {
        Ok(())
    } else {
        Err(too_much())
    }
}

/// Charges a value that is put into a text, unless the steps of the template bound it well enough.
pub(super) fn charge_long(state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(text) if text.len() <= SHORT => Ok(()),
        None if value.as_object().is_none() => Ok(()),
        _ => charge(state, bytes_of(value)),
    }
}

fn too_much() -> Error {
    Error::new(
        ErrorKind::InvalidOperation,
        "filters read or make too much text",
    )
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
    charge(state, places.saturating_mul(to.len()))?;
    Ok(text.replace(&from, &to))
}
