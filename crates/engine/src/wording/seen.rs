//! Characters as readers see them: without case, width, accents and invisible characters, and
//! look-alike letters as the Latin ones.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

use super::is_invisible;

/// A visible character and its bytes in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The character in lower case and half width.
    pub char: char,
    /// The byte at which it begins.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
}

/// The visible characters of a text, spaces included. Marks over and through a letter are left out.
pub fn seen(text: &str) -> impl Iterator<Item = Seen> + Clone {
    let is_seen = |char: char| char.is_ascii() || !(is_invisible(char) || is_combining_mark(char));
    let visible = text.char_indices().filter(move |(_, char)| is_seen(*char));
    visible.map(|(start, char)| Seen {
        char: fold(char),
        start,
        end: start + char.len_utf8(),
    })
}

/// Whether a character ends a line, for a person or for any program.
pub(crate) fn ends_line(char: char) -> bool {
    matches!(
        char,
        '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

fn fold(char: char) -> char {
    match char {
        _ if char.is_ascii() => char.to_ascii_lowercase(),
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(char) - 0xFEE0)
            .map_or(char, |narrow| narrow.to_ascii_lowercase()),
        '\u{3000}' | '\u{A0}' => ' ',
        '【' => '[',
        '】' => ']',
        '﹤' | '〈' => '<',
        '﹥' | '〉' => '>',
        '︰' | '︓' | '﹕' | '꞉' | '∶' | '\u{5C3}' | '\u{2D0}' => ':',
        '\u{2E80}'..='\u{FFEF}' => char,
        other if other.is_alphabetic() => latin(other)
            .or_else(|| other.to_lowercase().next())
            .unwrap_or(other),
        other => other,
    }
}

/// The Latin letter, in lower case, that a letter looks like.
fn latin(letter: char) -> Option<char> {
    let is_letter = |char: &char| char.is_ascii_alphabetic();
    let alike = |letter: char| skeleton(letter.encode_utf8(&mut [0; 4])).next();
    let plain = std::iter::once(letter).nfkd().find(is_letter);
    // A capital of another script may look like a letter whose small form it isn't.
    let small = || {
        letter
            .to_lowercase()
            .next()
            .and_then(alike)
            .filter(is_letter)
    };
    let found = plain
        .or_else(small)
        .or_else(|| alike(letter).filter(is_letter))?;
    Some(found.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_width_accents_look_alikes_and_invisible_characters_do_not_count() {
        let read = |text: &str| seen(text).map(|seen| seen.char).collect::<String>();
        assert_eq!(read("Ｓy\u{200B}ＳTEM："), "system:");
        assert_eq!(read("【系\u{FEFF}统】"), "[系统]");
        // Cyrillic dze and ie, a mathematical s, an accent.
        assert_eq!(read("\u{405}y\u{1D42C}t\u{435}m: \u{C9}"), "system: e");
        assert_eq!(read("Привет: 你好"), "пpивeт: 你好");
    }

    #[test]
    fn bytes_are_those_of_the_text() {
        let text = "Ａ\u{200B}b";
        let parts: Vec<_> = seen(text).map(|f| &text[f.start..f.end]).collect();
        assert_eq!(parts, ["Ａ", "b"]);
    }
}
