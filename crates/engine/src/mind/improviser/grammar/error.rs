//! Mistakes in grammars.

use thiserror::Error;

use crate::locale::{Localize, UiText};
use crate::world_data::Problem;

/// One mistake in a grammar, and where it stands.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
#[text(mind_grammar_mistake_in, file, mistake, .. if *line == 0)]
#[text(mind_grammar_mistake_at)]
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

impl From<GrammarError> for Problem {
    fn from(error: GrammarError) -> Self {
        Self {
            line: error.line,
            ..Self::of_file(error.file, error.mistake, UiText::default())
        }
    }
}

/// All mistakes of the grammars, in the order of their files and lines.
#[derive(Clone, Debug, Error, PartialEq, Eq, Localize)]
#[text(|errors| UiText::lines(errors.iter().map(GrammarError::text)))]
pub struct GrammarErrors(pub Vec<GrammarError>);
