//! Mistakes in grammars.

use thiserror::Error;

use crate::locale::{Localize, UiText, text};
use crate::world_data::Problem;

/// One mistake in a grammar, and where it stands.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", self.text())]
pub struct GrammarError {
    /// The file, or what is taught if the mistake is not in a file.
    pub file: String,
    /// The line in it, from 1; 0 if the whole is meant.
    pub line: usize,
    /// What is wrong, and how to fix it.
    pub mistake: UiText,
}

impl GrammarError {
    pub(in super::super) fn new(file: &str, line: usize, mistake: UiText) -> Self {
        Self {
            file: file.into(),
            line,
            mistake,
        }
    }

    /// A mistake that stands in no line.
    pub(in super::super) fn of_whole(file: &str, mistake: UiText) -> Self {
        Self::new(file, 0, mistake)
    }
}

impl Localize for GrammarError {
    fn text(&self) -> UiText {
        let Self {
            file,
            line,
            mistake,
        } = self;
        if *line == 0 {
            text!(mind_grammar_mistake_in, file, mistake)
        } else {
            text!(mind_grammar_mistake_at, file, line, mistake)
        }
    }
}

impl From<GrammarError> for Problem {
    fn from(error: GrammarError) -> Self {
        Self {
            line: error.line,
            ..Self::of_file(error.file, error.mistake, UiText::default())
        }
    }
}

/// All mistakes of the grammars, in the order of their files and lines.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}", self.text())]
pub struct GrammarErrors(pub Vec<GrammarError>);

impl Localize for GrammarErrors {
    fn text(&self) -> UiText {
        let mut lines = self.0.iter().map(GrammarError::text);
        let first = lines.next().unwrap_or_default();
        lines.fold(first, |above, below| {
            text!(mind_grammar_lines, above, below)
        })
    }
}
