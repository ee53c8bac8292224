//! Characters as readers see them: without case, width and invisible characters.

use crate::message::is_invisible;

/// A visible character and its bytes in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    /// The character in lower case and half width.
    pub(super) char: char,
    /// The byte at which it begins.
    pub(super) start: usize,
    /// The byte after it.
    pub(super) end: usize,
}

/// The visible characters of a text, spaces included.
pub(super) fn folded(text: &str) -> impl Iterator<Item = Folded> + Clone {
    let visible = text.char_indices().filter(|(_, char)| !is_invisible(*char));
    visible.map(|(start, char)| Folded {
        char: fold(char),
        start,
        end: start + char.len_utf8(),
    })
}

fn fold(char: char) -> char {
    if char.is_ascii() {
        return char.to_ascii_lowercase();
    }
    let narrow = match char {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(char) - 0xFEE0).unwrap_or(char),
        '\u{3000}' | '\u{A0}' => ' ',
        '【' => '[',
        '】' => ']',
        // The colons that forged_marks.rs looks for.
        '︰' | '﹕' | '꞉' | '∶' => ':',
        other => other,
    };
    narrow.to_lowercase().next().unwrap_or(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_width_and_invisible_characters_do_not_count() {
        let read = |text: &str| folded(text).map(|folded| folded.char).collect::<String>();
        assert_eq!(read("Ｓy\u{200B}ＳTEM："), "system:");
        assert_eq!(read("【系\u{FEFF}统】"), "[系统]");
    }

    #[test]
    fn bytes_are_those_of_the_text() {
        let text = "Ａ\u{200B}b";
        let parts: Vec<_> = folded(text).map(|f| &text[f.start..f.end]).collect();
        assert_eq!(parts, ["Ａ", "b"]);
    }
}
