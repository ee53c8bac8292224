//! `recall`: what an entity remembers for a question; and for measuring, which messages of a file
//! are found for the questions of another.

use crate::cli::prelude::*;
mod corpus;
mod embeddings;

use std::borrow::Cow;

use self::corpus::{Corpus, questions};
use self::embeddings::{Embeddings, or_words};
use crate::cli::args::{RecallArgs, SearchArgs};
use crate::cli::saved::{Saved, WorldState, being};
use crate::memory::Meaning;

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
    let made = Embeddings::of(app, args)?.map(|embeddings| {
        let question = embeddings.question(asked)?;
        let vectors = embeddings.vectors(world.get_resource(), state.witnessed(being))?;
        Ok((vectors, question))
    });
    let made = made.and_then(|made| or_words(app, made));
    let meaning = made
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

/// Prints the ids of the messages that are found for each question.
pub(super) fn measure(app: &App, args: &RecallArgs) -> Result<()> {
    let mut corpus = Corpus::read(&args.corpus)?;
    let asked = questions(&args.questions)?;
    let mut vectors = None;
    if let Some(embeddings) = Embeddings::of(app, &args.search)? {
        let texts = asked.iter().map(|asked| asked.question.as_str());
        let texts = texts.chain(corpus.texts()).map(Cow::Borrowed);
        vectors = or_words(app, embeddings.vectors(None, texts));
    }
    let mut out = app.out();
    for question in &asked {
        let found = corpus.search(question, vectors.as_ref(), args.search.k as usize);
        let (ids, scores): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        if app.settings.json {
            out.json(&Printed::Recalled {
                id: &question.id,
                ids,
                scores,
            });
        } else {
            out.line(format!("{}  {}", question.id, ids.join(" ")));
        }
    }
    Ok(())
}
