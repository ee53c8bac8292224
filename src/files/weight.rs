//! How much memory a JSON text takes once it is read, whatever it says.
//!
//! Texts take about as much as in the file, which is bounded by its length. But a list of zeros
//! takes 16 times as much as it has bytes, and one of small objects a hundred times.

use memchr::memchr2;

/// The most that what is read of one file may weigh. A unit takes up to 100 bytes of memory, and
/// some of them twice while a story is played. What this program writes has 22 bytes to a unit, and
/// a journal 30.
pub(crate) const MAX_WEIGHT: u64 = 4_000_000;

/// What a JSON text weighs: a unit for every value and name, and three more for every object in a
/// list.
pub(crate) fn json_weight(json: &[u8]) -> u64 {
    let mut weight = 1;
    let mut before = b' ';
    let mut at = 0;
    // What is too much is not counted to its end.
    while weight <= MAX_WEIGHT
        && let Some(byte) = json.get(at).copied()
    {
        at += 1;
        match byte {
            b'"' => at = after_text(json, at),
            b',' | b':' => weight += 1,
            b'{' if matches!(before, b',' | b'[') => weight += 3,
            // A list without commas has one element, or none.
            b'[' => weight += 1,
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            _ => {}
        }
        before = byte;
    }
    weight
}

/// Where a text ends whose first byte is here.
fn after_text(json: &[u8], mut at: usize) -> usize {
    while let Some(found) = json.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found + 1;
        if json.get(at - 1) == Some(&b'"') {
            return at;
        }
        at += 1;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_names_and_small_objects_weigh_and_texts_do_not() {
        for (json, weight) in [
            ("", 1),
            ("[0,0,0]", 4),
            (r#"["a,b","[{:,\"{","\\"]"#, 4),
            (r#"{"a":1,"b":[]}"#, 5),
            (r#"[{"a":""}, {"a":""}]"#, 11),
            ("[[],[ {} ]]", 8),
            (r#""never ends \"#, 1),
        ] {
            assert_eq!(json_weight(json.as_bytes()), weight, "{json}");
        }
    }
}
