//! Long texts in data files.

use serde::{Deserialize, Deserializer};

/// Reads a long text: its indentation is removed and the lines of each paragraph are joined, so
/// that writers may break lines where they like. For `#[serde(deserialize_with = "prose")]`.
pub fn prose<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(as_read(&String::deserialize(from)?))
}

/// What [`prose`] makes of a text.
pub fn as_read(text: &str) -> String {
    unwrapped(&unindented(text))
}

/// Reads one name, or a list of names.
pub fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(String),
        More(Vec<String>),
    }
    Ok(match OneOrMore::deserialize(from)? {
        OneOrMore::One(name) => vec![name],
        OneOrMore::More(names) => names,
    })
}

/// Joins the lines of each paragraph. Empty lines, lists, headings and indented lines are kept.
fn unwrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Quotation marks, dashes and ellipses are the same characters in both languages.
    let is_chinese = text.contains(|c| is_wide(c) && !is_shared(c));
    let is_wide = |c: char| is_chinese && is_wide(c);
    let mut last_item = 0;
    for line in text.lines() {
        // A year that happens to begin a line is no item of a list.
        let item = item_number(line).filter(|number| *number == 1 || *number == last_item + 1);
        last_item = item.unwrap_or(last_item);
        let starts_anew = line.is_empty()
            || line.starts_with(['-', '*', '#', '|', '>', ' ', '\t'])
            || item.is_some();
        match out.chars().next_back() {
            None | Some('\n') => {}
            Some(_) if starts_anew => out.push('\n'),
            // Chinese is written without spaces, so its lines are joined without one.
            Some(last) if is_wide(last) || line.starts_with(is_wide) => {}
            Some(_) => out.push(' '),
        }
        out.push_str(line);
        if line.is_empty() {
            out.push('\n');
        }
    }
    out
}

/// The number of an item of a list, such as `2. ` or `3）`.
fn item_number(line: &str) -> Option<u64> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = line.strip_suffix(rest)?.parse().ok()?;
    rest.starts_with(['.', ')', '）', '、', '．'])
        .then_some(number)
}

/// Whether the character is written without spaces around it: ideographs, kana and full-width
/// punctuation.
fn is_wide(character: char) -> bool {
    let ideographs = matches!(
        character,
        '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
    );
    ideographs || is_shared(character)
}

/// Whether the character is wide in Chinese and narrow in English.
fn is_shared(character: char) -> bool {
    matches!(character, '\u{2018}'..='\u{201d}' | '\u{2026}' | '\u{2014}')
}

/// Removes the common indentation of all lines but the first, and blanks at both ends.
fn unindented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines = || text.trim().lines();
    let filled = lines().skip(1).filter(|line| !line.trim().is_empty());
    let common = filled.map(indent).min().unwrap_or(0);
    let cut = |(number, line): (usize, &'_ str)| {
        let from = if number == 0 { 0 } else { common };
        line.get(from..).unwrap_or_default().trim_end().to_owned()
    };
    lines().enumerate().map(cut).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_lose_their_indentation() {
        let text = "\n    One.\n\n      - two  \n    three\n  ";
        assert_eq!(unindented(text), "One.\n\n  - two\nthree");
        assert_eq!(unindented("\u{3000}\u{3000}一\n\u{3000}二"), "一\n二");
        assert_eq!(unindented(" \n "), "");
    }

    #[test]
    fn the_lines_of_a_paragraph_are_joined() {
        assert_eq!(
            unwrapped("One\ntwo.\n\nThree:\n- four\n- five"),
            "One two.\n\nThree:\n- four\n- five"
        );
        assert_eq!(
            unwrapped("她站在灯下，\n没有说话。"),
            "她站在灯下，没有说话。"
        );
        assert_eq!(
            unwrapped("Nobody has done it since\n1878. The snow\n12 feet deep."),
            "Nobody has done it since 1878. The snow 12 feet deep."
        );
        assert_eq!(
            unwrapped("So:\n1. one\n2. two\nmore"),
            "So:\n1. one\n2. two more"
        );
        assert_eq!(unwrapped("他说：\n“好。”\n“走”"), "他说：“好。”“走”");
        assert_eq!(
            unwrapped("the final of\n“Biscuit”\nagain"),
            "the final of “Biscuit” again"
        );
        assert_eq!(unwrapped(""), "");
    }
}
