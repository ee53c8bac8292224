//! `ask recall`: what an entity remembers for a question.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cli::args::SearchArgs;
use crate::cli::commands::play;
use crate::cli::loader;
use crate::cli::saved::{Saved, WorldState, being};
use crate::memory::{Meaning, Vectors};
use crate::message::{Digest, Vector};
use crate::mind::Embedder;

/// How many texts are asked for at a time, each time with the timeout of the model file.
const AT_ONCE: usize = 256;

/// Prints what an entity remembers.
pub(super) fn remember(
    app: &App,
    slot: &str,
    [who, asked]: [&str; 2],
    args: &SearchArgs,
) -> Result<()> {
    let world = Saved::find(app, slot)?.world(true)?.world;
    let state = WorldState::of(&world, &WorldState::default());
    let being = being(&state, who)?;
    let alias = &app.settings.embeddings.value;
    let embedder = loader::embedder(app, args.embeddings.as_ref().unwrap_or(alias))?;
    let made = embedder.map(|embedder| -> Result<_> {
        let model = embedder.model();
        let known = world.get_resource::<Vectors>();
        let known = known.filter(|known| known.model == *model).cloned();
        let known = known.unwrap_or_else(|| Vectors::of(model.clone()));
        let missing = known.missing(state.witnessed(being), usize::MAX);
        let runtime = play::runtime()?;
        Ok(runtime.block_on(add_meanings(&*embedder, asked, known, missing)))
    });
    let meant = made.transpose()?.and_then(|made| {
        let warn = |reason: &UiText| {
            let warning = say!(app.language, engine_recall_by_words, reason);
            app.err().paragraph(&Paragraph::of(Style::Warn, warning));
        };
        // If vectors can't be had, words must do.
        made.inspect_err(warn).ok()
    });
    let meaning = meant
        .as_ref()
        .map(|(vectors, question)| Meaning { vectors, question });
    let found = state.recall(being, (asked, meaning), args.k as usize);
    let mut out = app.out();
    for (rank, memory) in (1..).zip(&found) {
        if app.settings.json {
            let name = who;
            out.json(&Printed::Memory { name, rank, memory });
            continue;
        }
        let language = app.language;
        let day = memory
            .day
            .as_deref()
            .map(|day| say!(language, cli_recall_day, day));
        let chapter = memory.chapter.clone().filter(|_| memory.summary);
        let place = memory.place.as_deref().map(str::to_owned);
        let parts = [day, place, chapter].into_iter().flatten();
        let source = parts.collect::<Vec<_>>().join(" · ");
        let row = Paragraph::indented(0, 4)
            .add(Style::Dim, format!("{rank}. {source}"))
            .plain(say!(language, cli_colon))
            .plain(&memory.text);
        out.paragraph(&row);
    }
    if found.is_empty() && !app.settings.json {
        out.line(say!(app.language, cli_recall_nothing));
    }
    Ok(())
}

/// The vectors of a question and of all that it is compared with. Nothing of them is kept.
async fn add_meanings(
    embedder: &dyn Embedder,
    question: &str,
    mut vectors: Vectors,
    missing: BTreeMap<Digest, String>,
) -> Result<(Vectors, Vector), UiText> {
    let embed = async |texts: Vec<String>| {
        let embedded = embedder.embed(texts).await;
        embedded
            .map(|embedded| embedded.vectors)
            .map_err(|error| error.text())
    };
    let asked = embed(vec![question.to_owned()]).await?.pop();
    let asked = asked.ok_or_else(|| text!(engine_no_vector))?;
    let missing: Vec<(Digest, String)> = missing.into_iter().collect();
    for some in missing.chunks(AT_ONCE) {
        let texts = some.iter().map(|(_, text)| text.clone());
        for ((key, _), vector) in some.iter().zip(embed(texts.collect()).await?) {
            let added = vectors.add(*key, Arc::new(vector));
            added.map_err(|error| error.text())?;
        }
    }
    Ok((vectors, asked))
}
