//! The interface for making vectors of texts.

use std::pin::Pin;
use std::sync::Arc;

use super::completion::MindError;
use crate::message::{Price, Vector};

/// The future of vectors; it owns everything that it needs.
pub type Embedding = Pin<Box<dyn Future<Output = Result<Embedded, MindError>> + Send>>;

/// The vectors of some texts, and what they cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedded {
    pub vectors: Vec<Vector>,
    /// The tokens that were read; an estimate if the server reports none.
    pub tokens: u64,
}

/// Makes vectors of texts, by which recall finds texts with the same meaning.
pub trait Embedder: Send + Sync {
    /// The model, by its name at the provider. Vectors of different models can't be compared.
    fn model(&self) -> &Arc<str>;

    /// What it costs; `None` if unknown, not if it is free.
    fn price(&self) -> Option<&Price>;

    /// The vectors of some texts. A fault in any of them is an error, and nothing is retried. The
    /// implementation limits how long this takes.
    fn embed(&self, texts: Vec<String>) -> Embedding;
}
