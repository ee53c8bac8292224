//! How much memory a JSON text takes once it is read, whatever it says.
//!
//! Texts take about as much as in the file, which is bounded by its length. But a list of zeros
//! takes 16 times as much as it has bytes, and one of small objects a hundred times.

use memchr::memchr2;

/// The most that what is read of one file may weigh. A unit takes up to 100 bytes of memory, and
/// some of them twice while a story is played. What this program writes has 22 bytes to a unit, and
/// a journal 30.
pub(crate) const MAX_WEIGHT: u64 = 4_000_000;

/// Whether a JSON text weighs more than `MAX_WEIGHT`.
pub(crate) fn is_too_heavy(json: &[u8]) -> bool {
    // Most texts are far below the limit even if all that stands within quotes counts.
    json.len() as u64 > MAX_WEIGHT / 3
        && upper_bound(json) > MAX_WEIGHT
        && json_weight(json) > MAX_WEIGHT
}

/// What a JSON text weighs at most. In blocks of a size for which the compiler uses vectors.
fn upper_bound(json: &[u8]) -> u64 {
    let (blocks, rest) = json.as_chunks::<64>();
    let weight = |block: &[u8]| {
        let units = block.iter().map(|byte| {
            let is_unit = (*byte == b',') | (*byte == b':') | (*byte == b'[');
            u8::from(is_unit) + 3 * u8::from(*byte == b'{')
        });
        u64::from(units.sum::<u8>())
    };
    1 + weight(rest) + blocks.iter().map(|block| weight(block)).sum::<u64>()
}

/// What a JSON text weighs: a unit for every value and name, and three more for every object in a
/// list.
pub(crate) fn json_weight(json: &[u8]) -> u64 {
    let mut weight = 1;
    let mut before = b' ';
    let mut offset = 0;
    // What is too much is not counted to its end.
    while weight <= MAX_WEIGHT
        && let Some(byte) = json.get(offset).copied()
    {
        offset += 1;
        match byte {
            b'"' => offset = after_text(json, offset),
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
fn after_text(json: &[u8], mut offset: usize) -> usize {
    while let Some(found) = json
        .get(offset..)
        .and_then(|rest| memchr2(b'"', b'\\', rest))
    {
        offset += found + 1;
        if json.get(offset - 1) == Some(&b'"') {
            return offset;
        }
        offset += 1;
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
            assert!(upper_bound(json.as_bytes()) >= weight, "{json}");
        }
    }
}
