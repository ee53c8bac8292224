//! Who makes vectors of texts.

use std::pin::Pin;
use std::sync::Arc;

use super::completion::MindError;
use crate::message::{Price, Vector};

/// The future of vectors, which owns all it needs.
pub type Embedding = Pin<Box<dyn Future<Output = Result<Embedded, MindError>> + Send>>;

/// What was made of some texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedded {
    /// Their vectors, in their order.
    pub vectors: Vec<Vector>,
    /// The tokens that were read; an estimate if the server tells none.
    pub tokens: u64,
}

/// Who makes vectors of texts, by which recall finds what has the same meaning.
pub trait Embedder: Send + Sync {
    /// The model, by its name at the provider. Vectors of different models can't be compared.
    fn model(&self) -> &Arc<str>;

    /// What it costs; `None` if unknown, not if it is free.
    fn price(&self) -> Option<&Price>;

    /// The vectors of some texts. What is wrong with any of them is an error, and nothing is tried
    /// again. It ends within a time that the implementation bounds.
    fn embed(&self, texts: Vec<String>) -> Embedding;
}
