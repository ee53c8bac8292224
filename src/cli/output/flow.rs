//! Text that comes in pieces, as rows of a terminal.

use super::cells;
use super::wrap::may_break;

/// Where the last row ends, and what may still become a longer word.
#[derive(Default)]
pub(crate) struct Flow {
    used: usize,
    spaces: usize,
    word: String,
}

impl Flow {
    /// The piece, with line breaks before words that don't fit. A word is kept back until it ends.
    pub(crate) fn lay(&mut self, piece: &str, width: usize) -> String {
        let mut laid = String::new();
        for letter in piece.chars() {
            let last = self.word.chars().next_back();
            if letter.is_whitespace() || last.is_some_and(|last| may_break(last, letter)) {
                laid += &self.end_word(width);
            }
            match letter {
                '\n' => {
                    laid.push('\n');
                    (self.used, self.spaces) = (0, 0);
                }
                ' ' => self.spaces += 1,
                letter => self.word.push(letter),
            }
        }
        laid
    }

    /// What was kept back.
    pub(crate) fn end_word(&mut self, width: usize) -> String {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return word;
        }
        let (spaces, cells) = (std::mem::take(&mut self.spaces), cells(&word));
        if self.used > 0 && self.used + spaces + cells > width {
            self.used = cells;
            return format!("\n{word}");
        }
        self.used += spaces + cells;
        format!("{}{word}", " ".repeat(spaces))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_however_they_come() {
        for (pieces, rows) in [
            (
                &["the last of ", "our mem", "bers", " left\n"][..],
                "the last of\nour members\nleft\n",
            ),
            (
                &["  two", " three\n  four five six\n"],
                "  two three\n  four five\nsix\n",
            ),
            (
                &["潮水来得太", "晚了，我们走吧\n"],
                "潮水来得太晚\n了，我们走吧\n",
            ),
        ] {
            let mut flow = Flow::default();
            let laid: String = pieces.iter().map(|piece| flow.lay(piece, 12)).collect();
            assert_eq!(laid, rows);
        }
    }
}
