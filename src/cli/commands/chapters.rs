//! The view `chapters`: the chapters, volumes and lives of an entity, and the messages that they
//! replaced.

use crate::cast::turn_number;
use crate::cli::loader::did_you_mean;
use crate::cli::prelude::*;
use crate::cli::saved::{Saved, being};
use crate::context::{AgentContext, Chapter, ChapterId, Chapters, Level, Note};
use crate::rpg::happening::{Happening, merged};

use super::remembered;

/// Prints the summary of a chapter, or the messages that it replaced.
pub(super) fn open(app: &App, slot: &str, name: &str, id: &str, is_original: bool) -> Result<()> {
    let story = Saved::find(app, slot)?.contents()?;
    let chapters = &being(&story.state, name)?.chapters.value;
    let chapter = find(chapters, name, id)?;
    if is_original {
        return original(app, name, chapter);
    }
    summary(app, name, chapters, chapter);
    Ok(())
}

/// A chapter by its id, or by its number alone.
fn find<'a>(chapters: &'a Chapters, name: &str, id: &str) -> Result<&'a Chapter> {
    let full = |id: &str| ChapterId(id.into());
    let found = chapters.get(&full(id));
    let found = found.or_else(|| chapters.get(&full(&format!("{name}/{id}"))));
    found.ok_or_else(|| {
        let known = chapters.all().iter().map(|chapter| &*chapter.id.0);
        let mut error = CommandError::usage(text!(cli_no_such_chapter, id, name));
        error.help = did_you_mean(id, known);
        error
    })
}

/// Lists the chapters of an entity.
pub(super) fn list(app: &App, slot: &str, name: &str) -> Result<()> {
    let story = Saved::find(app, slot)?.contents()?;
    let chapters = &being(&story.state, name)?.chapters.value;
    let language = app.language;
    let columns = columns!(
        language, < cli_chapter_id, < cli_chapter_level, < cli_chapter_days, > cli_messages,
        > cli_tokens, < cli_chapter_title
    );
    app.list(
        columns,
        chapters.all(),
        |chapter| json!(head(name, chapter, None, None)),
        |chapter| {
            [
                chapter.id.to_string(),
                level_name(language, chapter.level()),
                days(chapter),
                chapter.messages.len().to_string(),
                chapter.summary.short_tokens().to_string(),
                chapter.title.clone(),
            ]
        },
    );
    Ok(())
}

fn level_name(language: Language, level: Level) -> String {
    match level {
        Level::Chapter => say!(language, cli_level_chapter),
        Level::Volume => say!(language, cli_level_volume),
        Level::Life => say!(language, cli_level_life),
    }
}

fn days(chapter: &Chapter) -> String {
    match chapter.record.as_ref().map(|record| record.days) {
        None => String::new(),
        Some((from, to)) if from == to => to.to_string(),
        Some((from, to)) => format!("{from}–{to}"),
    }
}

fn head<'c>(
    name: &'c str,
    chapter: &'c Chapter,
    notes: Option<Vec<Note<Happening>>>,
    summary: Option<String>,
) -> Printed<'c> {
    let record = chapter.record.as_ref();
    Printed::Chapter {
        name,
        id: &chapter.id.0,
        level: chapter.level(),
        days: record.map(|record| record.days),
        title: &chapter.title,
        turn: turn_number(chapter.turn),
        messages: chapter.messages.len(),
        tokens: chapter.summary.short_tokens(),
        parts: record.map(|record| &*record.parts),
        notes,
        summary,
    }
}

/// What its owner reads, and in JSON all notes, those of the chapters inside it included.
fn summary(app: &App, name: &str, chapters: &Chapters, chapter: &Chapter) {
    let mut out = app.out();
    if app.settings.json {
        let record = chapter.record.as_ref();
        let notes = record.map(|record| merged(chapters, record).notes);
        let summary = chapter.summary.full_text().into_owned();
        return out.json(&head(name, chapter, notes, Some(summary)));
    }
    out.line(format!("{} · {}", chapter.id, chapter.title));
    out.line("");
    out.line(chapter.summary.full_text());
}

/// The messages that it replaced.
fn original(app: &App, name: &str, chapter: &Chapter) -> Result<()> {
    let mut out = app.out();
    if app.settings.json {
        for held in &chapter.messages {
            let message = &held.message;
            out.json(&Printed::Archived {
                id: held.id,
                role: message.role,
                sender: message.body.sender().map(|sender| &**sender),
                text: &message.body.full_text(),
            });
        }
        return Ok(());
    }
    let mut context = AgentContext::new(name);
    for held in &chapter.messages {
        let added = context.add_message(held.message.clone());
        added.map_err(|error| CommandError::new(ErrorKind::Save, error.text()))?;
    }
    drop(out);
    remembered::tell(app, &context);
    Ok(())
}
