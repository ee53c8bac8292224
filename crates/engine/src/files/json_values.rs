//! How many values a JSON text has, counted without parsing it: a value takes many times its bytes
//! once it is parsed.

use memchr::{memchr, memchr2};

/// The maximum number of values in a file of a save.
pub(crate) const MAX_SAVED_VALUES: usize = 1 << 22;

/// The number of values in a JSON text: each follows a comma or opens a container, except the
/// outermost. Broken text gives some number.
pub fn count_values(json: &[u8]) -> usize {
    let (mut count, mut rest) = (0, json);
    loop {
        let end = memchr(b'"', rest).unwrap_or(rest.len());
        let (outside, string) = rest.split_at(end);
        let counted = outside.iter().filter(|byte| precedes_value(**byte));
        count += counted.count();
        match string.get(1..) {
            Some(string) => rest = after_string(string),
            None => return count,
        }
    }
}

/// What follows a string of which this is the rest.
fn after_string(mut text: &[u8]) -> &[u8] {
    while let Some(at) = memchr2(b'"', b'\\', text) {
        let ends = text.get(at) == Some(&b'"');
        let next = if ends { at + 1 } else { at + 2 };
        text = text.get(next..).unwrap_or_default();
        if ends {
            return text;
        }
    }
    &[]
}

/// Whether a JSON text has more values than this.
pub(crate) fn has_more_values(json: &[u8], most: usize) -> bool {
    // Each has a byte of its own.
    if json.len() <= most {
        return false;
    }
    // Counting in blocks, those in strings too, is many times faster, and enough for most files.
    let in_block = |block: &[u8]| -> u8 {
        block
            .iter()
            .map(|byte| u8::from(precedes_value(*byte)))
            .sum()
    };
    let with_strings: usize = json
        .chunks(128)
        .map(|block| usize::from(in_block(block)))
        .sum();
    with_strings > most && count_values(json) > most
}

fn precedes_value(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b'{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        for (json, count) in [
            (r#""[a, b]""#, 0),
            (r#"{"a":1,"b":[2,3],"c":{}}"#, 6),
            (r#"["a, \"b, c",""]"#, 2),
            (r#"["\\", ",", "\"#, 3),
        ] {
            assert_eq!(count_values(json.as_bytes()), count, "{json}");
            assert!(!has_more_values(json.as_bytes(), count), "{json}");
            assert_eq!(
                has_more_values(json.as_bytes(), count.saturating_sub(1)),
                count > 0,
                "{json}"
            );
        }
    }
}
