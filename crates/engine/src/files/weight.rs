//! How much memory a JSON text takes once it is read, whatever it says.
//!
//! Texts take about as much as in the file, which is bounded by its length. But a list of zeros
//! takes 16 times as much as it has bytes, and one of small objects a hundred times.

use memchr::memchr2;

/// The most that what is read of one file may weigh beyond what its length allows. A unit takes up
/// to 100 bytes of memory, and some of them twice while a story is played.
pub(crate) const MAX_EXCESS: u64 = 3_500_000;

/// For how many bytes of a file it may weigh one unit. What this program writes has 22 bytes to a
/// unit, and a journal 30, so the longest files that may be read just fit.
const BYTES_PER_UNIT: u64 = 30;

fn allowed(json: &[u8]) -> u64 {
    json.len() as u64 / BYTES_PER_UNIT
}

/// Whether a JSON text weighs too much for its length.
pub(crate) fn is_too_heavy(json: &[u8]) -> bool {
    // Most texts are far below the limit even if all that stands within quotes counts.
    let most = MAX_EXCESS + allowed(json);
    json.len() as u64 > most / 3 && upper_bound(json) > most && json_weight(json) > most
}

/// What a JSON text and something beside it weigh beyond what its length allows.
pub(crate) fn excess_weight(json: &[u8], beside: u64) -> u64 {
    (json_weight(json) + beside).saturating_sub(allowed(json))
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
fn json_weight(json: &[u8]) -> u64 {
    let most = MAX_EXCESS + allowed(json);
    let mut weight = 1;
    let mut before = b' ';
    let mut offset = 0;
    // What is too much is not counted to its end.
    while weight <= most
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

    #[test]
    fn a_long_text_may_weigh_more() {
        let list =
            |value: &str, count: usize| format!("[{}{value}]", format!("{value},").repeat(count));
        let count = MAX_EXCESS as usize * 15 / 14;
        assert!(!is_too_heavy(list("1", count - 99).as_bytes()));
        assert!(is_too_heavy(list("1", count + 99).as_bytes()));
        let long = format!("\"{}\"", "a".repeat(BYTES_PER_UNIT as usize));
        assert_eq!(excess_weight(b"[1,2,3]", 8), 12);
        assert_eq!(excess_weight(list(&long, 100).as_bytes(), 8), 0);
    }
}
