//! Lays paragraphs out in rows of a terminal.
//!
//! This is not left to `textwrap`: it breaks lines by the Unicode rules (UAX 14), which allow no
//! break on either side of the quotes “ and ”, so that rows of Chinese dialogue would end halfway;
//! and it knows no styles.

use unicode_width::UnicodeWidthChar;

use super::{Paragraph, Style, cells, padded};

/// One row of a terminal: pieces of text in their styles.
pub(crate) type Row = Vec<(Style, String)>;

/// Characters that don't begin a row.
const CLOSING: &str = "，。！？、；：”’）》」』】〉…—～·,.!?;:)]}%";
/// Characters that don't end a row.
const OPENING: &str = "“‘（《「『【〈([{";
/// The cells that are left for text, however narrow the terminal.
const NARROWEST: usize = 8;

/// What stays together in one row, if it can.
#[derive(Default)]
struct Word {
    letters: Vec<(char, Style)>,
    cells: usize,
    after_space: bool,
}

/// The paragraph in rows of at most `width` cells. Rows break at spaces and between wide
/// characters, but not before closing or after opening marks.
pub(crate) fn wrap(paragraph: &Paragraph, width: usize) -> Vec<Row> {
    if paragraph.is_row {
        return vec![paragraph.spans.clone()];
    }
    let mut layout = Layout::new(paragraph, width);
    for line in words(paragraph) {
        for word in line {
            layout.place(word);
        }
        layout.new_row();
    }
    layout.rows.pop();
    for row in &mut layout.rows {
        if row.iter().all(|(_, text)| text.trim().is_empty()) {
            row.clear();
        }
    }
    layout.rows
}

struct Layout {
    width: usize,
    hanging: usize,
    rows: Vec<Row>,
    /// Cells used in the last row.
    used: usize,
    /// Whether the last row holds nothing but its indentation.
    empty: bool,
}

impl Layout {
    fn new(paragraph: &Paragraph, width: usize) -> Self {
        let Paragraph { first, hanging, .. } = *paragraph;
        let mut layout = Self {
            width,
            hanging,
            rows: vec![indent(first)],
            used: first,
            empty: true,
        };
        if !paragraph.label.is_empty() {
            let room = hanging.saturating_sub(first);
            let label = padded(&paragraph.label, room);
            layout.rows = vec![[indent(first), vec![(Style::Bold, label)]].concat()];
            layout.used = hanging;
            if cells(&paragraph.label) >= room {
                layout.new_row();
            }
        }
        layout
    }

    fn place(&mut self, word: Word) {
        let space = usize::from(word.after_space && !self.empty);
        if !self.empty && self.used + space + word.cells > self.width {
            self.new_row();
        } else if space > 0 {
            self.put(
                ' ',
                word.letters
                    .first()
                    .map_or(Style::Plain, |(_, style)| *style),
            );
        }
        for (letter, style) in word.letters {
            let cells = letter.width().unwrap_or(0);
            let room = self.width.max(self.hanging + NARROWEST);
            if !self.empty && self.used + cells > room {
                self.new_row();
            }
            self.put(letter, style);
        }
    }

    fn put(&mut self, letter: char, style: Style) {
        self.used += letter.width().unwrap_or(0);
        self.empty = false;
        let Some(row) = self.rows.last_mut() else {
            return;
        };
        match row.last_mut() {
            Some((last, text)) if *last == style => text.push(letter),
            _ => row.push((style, letter.into())),
        }
    }

    fn new_row(&mut self) {
        self.rows.push(indent(self.hanging));
        self.used = self.hanging;
        self.empty = true;
    }
}

fn indent(cells: usize) -> Row {
    if cells == 0 {
        return Row::new();
    }
    vec![(Style::Plain, " ".repeat(cells))]
}

/// The words of each line of the text.
fn words(paragraph: &Paragraph) -> Vec<Vec<Word>> {
    let mut lines = vec![Vec::new()];
    let mut word = Word::default();
    let mut before = None;
    let letters = paragraph.spans.iter();
    let letters = letters.flat_map(|(style, text)| text.chars().map(|letter| (letter, *style)));
    for (letter, style) in letters {
        let ends_word = letter.is_whitespace() || before.is_some_and(|b| may_break(b, letter));
        if ends_word && !word.letters.is_empty() {
            push(&mut lines, std::mem::take(&mut word));
        }
        before = None;
        if letter == '\n' {
            word = Word::default();
            lines.push(Vec::new());
        } else if letter.is_whitespace() {
            word.after_space = true;
        } else {
            word.cells += letter.width().unwrap_or(0);
            word.letters.push((letter, style));
            before = Some(letter);
        }
    }
    push(&mut lines, word);
    lines
}

fn push(lines: &mut [Vec<Word>], word: Word) {
    if let Some(line) = lines.last_mut().filter(|_| !word.letters.is_empty()) {
        line.push(word);
    }
}

/// Whether a row may end between two adjacent characters.
pub(super) fn may_break(before: char, after: char) -> bool {
    let wide = |c: char| c.width() == Some(2);
    (wide(before) || wide(after))
        && after.width() != Some(0)
        && !CLOSING.contains(after)
        && !OPENING.contains(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(paragraph: &Paragraph, width: usize) -> Vec<String> {
        let text = |row: Row| row.into_iter().map(|(_, text)| text).collect();
        wrap(paragraph, width).into_iter().map(text).collect()
    }

    #[test]
    fn latin_text_breaks_at_spaces_and_hangs() {
        let paragraph = Paragraph::indented(2, 4)
            .add(Style::Hero, "Mira")
            .plain(": The tide is late  tonight.");
        assert_eq!(
            rows(&paragraph, 18),
            ["  Mira: The tide", "    is late", "    tonight."]
        );
    }

    #[test]
    fn chinese_text_breaks_anywhere_but_at_marks() {
        let paragraph = Paragraph::indented(0, 2).plain("米拉说：“潮水来得太晚了，我们走吧。”");
        let rows = rows(&paragraph, 16);
        assert_eq!(rows, ["米拉说：“潮水来", "  得太晚了，我们", "  走吧。”"]);
        assert!(rows.iter().all(|row| cells(row) <= 16));
    }

    #[test]
    fn text_stands_to_the_right_of_its_label() {
        let paragraph = |label| Paragraph::labelled(label, 2, 8).plain("one two three");
        assert_eq!(
            rows(&paragraph("-v"), 16),
            ["  -v    one two", "        three"]
        );
        let long = rows(&paragraph("--long"), 16);
        assert_eq!(long, ["  --long", "        one two", "        three"]);
    }

    #[test]
    fn what_fits_nowhere_is_cut_and_line_breaks_stay() {
        let long = Paragraph::of(Style::Plain, "abcdefghijklmnop qr");
        assert_eq!(rows(&long, 10), ["abcdefghij", "klmnop qr"]);
        let lines = Paragraph::of(Style::Plain, "one\n\ntwo");
        assert_eq!(rows(&lines, 10), ["one", "", "two"]);
        assert_eq!(rows(&Paragraph::blank(), 10), [""]);
        assert_eq!(rows(&Paragraph::indented(4, 4).plain("ab"), 1), ["    ab"]);
    }
}
