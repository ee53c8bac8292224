//! Who makes vectors of texts.

use std::pin::Pin;
use std::sync::Arc;

use super::completion::MindError;
use crate::message::Vector;

/// The future of vectors, which owns all it needs.
pub type Embedding = Pin<Box<dyn Future<Output = Result<Vec<Vector>, MindError>> + Send>>;

/// Who makes vectors of texts, by which recall finds what has the same meaning.
pub trait Embedder: Send + Sync {
    /// The model, by its name at the provider. Vectors of different models can't be compared.
    fn model(&self) -> &Arc<str>;

    /// The vectors of some texts, in their order. What is wrong with any of them is an error, and
    /// nothing is tried again. It ends within a time that the implementation bounds.
    fn embed(&self, texts: Vec<String>) -> Embedding;
}
