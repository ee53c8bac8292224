//! Characters as a reader takes them: without case, width and invisible signs.

/// A visible character with the bytes it has in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    /// The character in lower case and half width.
    pub(super) char: char,
    /// Where it begins in the text, in bytes.
    pub(super) start: usize,
    /// Where it ends in the text, in bytes.
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

/// Whether a character shows nothing and takes no room: joiners, direction marks, variations.
pub(super) fn is_invisible(char: char) -> bool {
    !char.is_ascii()
        && matches!(
            u32::from(char),
            0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
                | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164
                | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0xE_0000..=0xE_0FFF
        )
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
        // The signs here are those that forged_marks.rs looks for.
        '︰' | '﹕' | '꞉' | '∶' => ':',
        other => other,
    };
    narrow.to_lowercase().next().unwrap_or(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_width_and_invisible_signs_do_not_count() {
        let read = |text: &str| folded(text).map(|folded| folded.char).collect::<String>();
        assert_eq!(read("Ｓy\u{200B}ＳTEM："), "system:");
        assert_eq!(read("【系\u{FEFF}统】"), "[系统]");
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "Ａ\u{200B}b";
        let places: Vec<_> = folded(text).map(|f| &text[f.start..f.end]).collect();
        assert_eq!(places, ["Ａ", "b"]);
    }
}
