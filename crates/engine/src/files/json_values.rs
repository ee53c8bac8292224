//! How many values a JSON text has, counted without parsing it: a value takes many times its bytes
//! once it is parsed.

/// The maximum number of values in a file of a save.
pub(crate) const MAX_SAVED_VALUES: usize = 1 << 22;

/// The number of values in a JSON text: each follows a comma or opens a container, except the
/// outermost. Broken text gives some number.
pub fn count_values(json: &[u8]) -> usize {
    let (mut in_string, mut escaped) = (false, false);
    let mut is_counted = |byte: u8| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            byte => return !in_string && precedes_value(byte),
        }
        false
    };
    json.iter().filter(|byte| is_counted(**byte)).count()
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
