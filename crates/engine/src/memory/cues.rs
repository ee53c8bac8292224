//! What an ask is about, so that the asked entity remembers what bears on it.

use std::sync::Arc;

/// What an ask is about. See [`Ask::recalling`](crate::exchange::Ask::recalling).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cues {
    /// What is at stake, in words; each text is searched for on its own. What was said and done
    /// since the entity's last answer is searched for anyway.
    pub texts: Vec<String>,
    /// The names of those who are there. Only what concerns one of them comes to mind, or anything
    /// if there is nobody.
    pub people: Vec<Arc<str>>,
    /// The maximum number of tokens of all memories; none come if it is 0.
    pub tokens: u64,
    /// The maximum number of tokens of the whole prompt with them.
    pub prompt_tokens: u64,
}

impl Cues {
    /// These texts, for memories of so many tokens in a prompt of any length.
    pub fn about(texts: impl IntoIterator<Item = impl Into<String>>, tokens: u64) -> Self {
        Self {
            texts: texts.into_iter().map(Into::into).collect(),
            tokens,
            prompt_tokens: u64::MAX,
            ..Self::default()
        }
    }
}
