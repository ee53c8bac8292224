//! `import chat`: what was said elsewhere becomes a past that those who were there remember.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

use super::show;
use crate::cli::commands::convert::conversations_in;
use crate::cli::commands::edited_world::EditedWorld;
use crate::interop::Conversation;
use crate::interop::cards::Fate;
use crate::message::Role;
use crate::rpg::import::{Report, past_text};
use crate::rpg::world_file::{Past, PastWords, WorldFile};

/// A world file holds a past of so many lines for each of several people; older ones are left out.
const MAX_LINES: usize = 500;
/// Longer words are cut.
const MAX_CHARS: usize = 2_000;
/// So many lines are a chapter.
const CHAPTER: usize = 50;
/// So much of what was said first and last is kept in mind.
const MAX_QUOTED: usize = 200;

pub(super) fn import(app: &App, file: &Path, into: &Path) -> Result<()> {
    let mut report = Report::default();
    let (text, read) = conversations_in(app, Some(file), None)?;
    note_what_is_beside(&text, &mut report);
    for warning in &read.warnings {
        report.add(Fate::Dropped, &warning.path, warning.problem.clone());
    }
    let (mut world, before) = EditedWorld::open(app, into)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut anybody = false;
    for (number, conversation) in (1..).zip(&read.conversations) {
        let title = match read.conversations.len() {
            1 => stem.to_string(),
            _ => format!("{stem} {number}"),
        };
        let lines = lines_of(conversation, &mut report);
        anybody |= remember((&mut world, &before), &title, &lines, &mut report)?;
    }
    if !anybody {
        let names = before.actors.iter().map(|actor| actor.name.as_str());
        let help = text!(cli_import_nobody_help, names = Argument::list(names));
        show(app, &[report]);
        let error = CommandError::new(ErrorKind::Other, text!(cli_import_nobody));
        return Err(error.at(file.display()).help(help));
    }
    if report.rows.iter().any(|row| row.fate == Fate::Taken) {
        world.save(app)?;
    }
    show(app, &[report]);
    Ok(())
}

/// Names what stands beside the words in a chat of SillyTavern.
fn note_what_is_beside(text: &str, report: &mut Report) {
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let (mut swipes, mut media) = (0_usize, 0_usize);
    for line in lines {
        if let Some(Value::Object(metadata)) = line.get("chat_metadata") {
            for (name, value) in metadata {
                let is_nothing = value.is_null() || *value == "" || *value == json!({});
                if !is_nothing && *value != json!([]) {
                    let what = format!("chat_metadata.{name}");
                    report.add(Fate::Dropped, what, text!(cli_import_setting));
                }
            }
        }
        let others = line.get("swipes").and_then(Value::as_array);
        swipes += others.map_or(0, |swipes| swipes.len().saturating_sub(1));
        let shown = ["image", "media", "file", "files", "video"].iter();
        let extra = line.get("extra");
        media += shown
            .filter(|member| extra.is_some_and(|extra| extra.get(member).is_some()))
            .count();
    }
    for (count, what) in [(swipes, "swipes"), (media, "extra")] {
        if count > 0 {
            report.add(Fate::Dropped, what, text!(cli_import_count, count));
        }
    }
}

/// Who said what.
fn lines_of(conversation: &Conversation, report: &mut Report) -> Vec<PastWords> {
    let owner = conversation.name.as_deref();
    let (mut nameless, mut cut) = (0_usize, 0_usize);
    let mut lines = Vec::new();
    for message in &conversation.messages {
        let body = &message.body;
        let mut words = body.joined_text("\n").trim().to_owned();
        if words.is_empty() {
            continue;
        }
        let own = owner.filter(|_| message.role == Role::Ai);
        let Some(who) = body.sender().map(|name| &**name).or(own) else {
            nameless += 1;
            continue;
        };
        if let Some((end, _)) = words.char_indices().nth(MAX_CHARS) {
            words.truncate(end);
            cut += 1;
        }
        lines.push(PastWords {
            who: who.to_owned(),
            words,
        });
    }
    let old = lines.len().saturating_sub(MAX_LINES);
    lines.drain(..old);
    let told = [
        text!(cli_import_nameless, count = nameless),
        text!(cli_import_cut, count = cut, max = MAX_CHARS),
        text!(cli_import_old, count = old, max = MAX_LINES),
    ];
    let counts = [
        (nameless, Fate::Dropped),
        (cut, Fate::Changed),
        (old, Fate::Dropped),
    ];
    for ((count, fate), what) in counts.into_iter().zip(told) {
        if count > 0 {
            report.add(fate, owner.unwrap_or_default(), what);
        }
    }
    lines
}

/// Adds a conversation to the past of all actors who were in it, and says whether anybody was.
fn remember(
    (world, before): (&mut EditedWorld, &WorldFile),
    title: &str,
    lines: &[PastWords],
    report: &mut Report,
) -> Result<bool> {
    let mut anybody = false;
    let mut spoke = BTreeMap::<&str, usize>::new();
    for line in lines {
        *spoke.entry(&line.who).or_default() += 1;
    }
    let actors = before.actors.iter().enumerate();
    let actors = actors.map(|(index, actor)| (index, actor.name.clone(), actor.past.clone()));
    for (index, name, past) in actors.collect::<Vec<_>>() {
        if spoke.remove(&*name).is_none() {
            continue;
        }
        anybody = true;
        let parts = lines.chunks(CHAPTER);
        let is_one = parts.len() == 1;
        for (number, part) in (1..).zip(parts) {
            let title = match is_one {
                true => title.to_owned(),
                false => format!("{title} {number}"),
            };
            if past.iter().any(|known| known.title == title) {
                report.add(Fate::Dropped, &name, text!(cli_import_known, title));
                continue;
            }
            let past = Past {
                title: title.clone(),
                summary: summary(before, &name, part),
                said: part.to_vec(),
            };
            let written = past_text(before.language, &past);
            world.add(&format!("actors[{index}].past"), &written)?;
            let count = part.len();
            report.add(Fate::Taken, &name, text!(cli_import_chapter, title, count));
        }
    }
    for (name, count) in spoke {
        report.add(Fate::Dropped, name, text!(cli_import_stranger, count));
    }
    Ok(anybody)
}

/// What somebody has in mind of a part of a conversation, in the language of the world.
fn summary(before: &WorldFile, name: &str, part: &[PastWords]) -> String {
    let mut others: Vec<_> = part
        .iter()
        .map(|line| &*line.who)
        .filter(|who| *who != name)
        .collect();
    others.sort_unstable();
    others.dedup();
    let quoted = |line: Option<&PastWords>| {
        let line = line.map_or_else(String::new, |line| format!("{}: {}", line.who, line.words));
        let line: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(MAX_QUOTED) {
            Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            None => line,
        }
    };
    let (first, last) = (quoted(part.first()), quoted(part.last()));
    let others = Argument::list(others);
    text!(cli_import_past, others, first, last).in_language(before.language)
}
