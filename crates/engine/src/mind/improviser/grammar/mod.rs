//! Grammars: named symbols, each with alternatives, written in RON files that a writer can edit.
//!
//! A file is a map from symbol to alternatives: `{"greeting": ["Good day, {target}.", (3, "<call>,
//! {target}!")]}`. In an alternative `{fact}` stands for a fact of the prompt and `<symbol>` for
//! one of that symbol's alternatives; `{fact|low}`, `{fact|cap}` and `{fact|a}` begin it in lower
//! case, in upper case, or with "a" or "an" before it. An alternative may begin with conditions,
//! `[won]` or `[!won]`. It is chosen only if every fact it needs is known; a number before it is
//! its weight. Symbols never lead back to themselves. [`load`] reads and checks the files.

mod check;
mod error;
mod load;
mod names;
mod symbols;
mod template;

pub use error::{GrammarError, GrammarErrors};
pub(super) use load::load;
pub(super) use names::{DeclaredNames, Fact, FactSet};
pub(super) use symbols::{Choice, Grammar};
pub(super) use template::{Change, SymbolId, TemplatePart};
