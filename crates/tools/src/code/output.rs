//! What code prints.

use super::CodeOutcome;

/// Output up to its limit.
pub(super) struct CapturedOutput {
    text: String,
    /// How many more characters fit.
    room: usize,
    is_cut: bool,
}

impl CapturedOutput {
    /// Empty, with a maximum number of characters.
    pub(super) fn new(max_chars: usize) -> Self {
        Self {
            text: String::new(),
            room: max_chars,
            is_cut: false,
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        let end = text.char_indices().nth(self.room).map(|(index, _)| index);
        let kept = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
        self.room -= kept.chars().count().min(self.room);
        self.is_cut |= end.is_some();
        self.text.push_str(kept);
    }

    pub(super) fn into_outcome(self, code: i32) -> CodeOutcome {
        let mut output = self.text.trim_end().to_owned();
        if self.is_cut {
            output.push('…');
        }
        CodeOutcome::Ended { code, output }
    }
}
