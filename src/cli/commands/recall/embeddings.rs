//! Vectors for a question on the command line. Nothing of them is kept.

use crate::cli::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;

use tokio::runtime::Runtime;

use crate::cli::args::SearchArgs;
use crate::cli::commands::play;
use crate::cli::loader;
use crate::memory::Vectors;
use crate::message::{Digest, Vector};
use crate::mind::Embedder;

/// How many texts are asked for at a time, each time with the timeout of the model file.
const AT_ONCE: usize = 256;

pub(super) struct Embeddings {
    embedder: Arc<dyn Embedder>,
    runtime: Runtime,
}

impl Embeddings {
    /// That of the command's option, or else of the settings; `None` if both say nothing.
    pub(super) fn of(app: &App, args: &SearchArgs) -> Result<Option<Self>> {
        let settings = &app.settings.embeddings.value;
        let alias = args.embeddings.as_ref().unwrap_or(settings);
        let Some(embedder) = loader::embedder(app, alias)? else {
            return Ok(None);
        };
        let runtime = play::runtime()?;
        Ok(Some(Self { embedder, runtime }))
    }

    pub(super) fn question(&self, question: &str) -> Result<Vector, UiText> {
        let made = self.made(vec![question.to_owned()])?.pop();
        made.ok_or_else(|| text!(engine_no_vector))
    }

    /// The vectors of all these texts. Those that are known are not asked for.
    pub(super) fn vectors<'t>(
        &self,
        known: Option<&Vectors>,
        texts: impl Iterator<Item = Cow<'t, str>>,
    ) -> Result<Vectors, UiText> {
        let model = self.embedder.model();
        let known = known.filter(|known| known.model == *model);
        let mut vectors = known.map_or_else(|| Vectors::of(model.clone()), Vectors::clone);
        let missing = vectors.missing(texts, usize::MAX);
        let missing: Vec<(Digest, String)> = missing.into_iter().collect();
        for some in missing.chunks(AT_ONCE) {
            let made = self.made(some.iter().map(|(_, text)| text.clone()).collect())?;
            for ((key, _), vector) in some.iter().zip(made) {
                let added = vectors.add(*key, Arc::new(vector));
                added.map_err(|error| error.text())?;
            }
        }
        Ok(vectors)
    }

    fn made(&self, texts: Vec<String>) -> Result<Vec<Vector>, UiText> {
        let made = self.runtime.block_on(self.embedder.embed(texts));
        made.map(|embedded| embedded.vectors)
            .map_err(|error| error.text())
    }
}

/// What was made of vectors. If they can't be had, words must do, which is said.
pub(super) fn or_words<T>(app: &App, made: Result<T, UiText>) -> Option<T> {
    let warn = |reason: &UiText| {
        let warning = say!(app.language, engine_recall_by_words, reason);
        app.err().paragraph(&Paragraph::of(Style::Warn, warning));
    };
    made.inspect_err(warn).ok()
}
