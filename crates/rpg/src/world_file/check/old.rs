//! What became of the fields of former versions: their entries, as they are written now.

use std::collections::BTreeSet;

use playhouse_engine::knowledge::KnownBy;
use playhouse_engine::locale::{UiText, text};

use super::report::Report;
use crate::world_file::types::{OldFact, WorldFile};

/// The maximum length in characters of entries that are rewritten as facts.
const MAX_SHOWN: usize = 20_000;

pub(super) fn check(world: &WorldFile, report: &mut Report<'_>) {
    let taken = world.facts.iter().map(|fact| fact.id.as_str());
    let mut taken: BTreeSet<String> = taken.map(str::to_owned).collect();
    let mut converted = |entries: &[OldFact], as_lore: bool| {
        let facts = entries
            .iter()
            .map(|old| converted(old, as_lore, world, &mut taken));
        let facts: Vec<_> = facts.collect();
        format!("facts: [{}]", facts.join(", "))
    };
    if !world.secrets.is_empty() {
        let right = pasted(converted(&world.secrets, false));
        report.error("secrets", text!(drama_secrets_are_facts), right);
    }
    if !world.lore.is_empty() {
        let right = pasted(converted(&world.lore, true));
        report.error("lore", text!(drama_lore_is_facts), right);
    }
    for (i, actor) in world.actors.iter().enumerate() {
        if !actor.secrets.is_empty() {
            let path = format!("actors[{i}].secrets");
            let wrong = text!(drama_secrets_of_actor);
            report.error(&path, wrong, text!(drama_in_known_by));
        }
    }
}

/// The converted entries, or only their form if they are too long.
fn pasted(facts: String) -> UiText {
    match facts.len() {
        ..=MAX_SHOWN => text!(drama_write_these_facts, facts),
        _ => text!(drama_write_facts),
    }
}

/// An entry as a fact: on one line, with what is said of it and no more.
fn converted(
    old: &OldFact,
    as_lore: bool,
    world: &WorldFile,
    taken: &mut BTreeSet<String>,
) -> String {
    let title = match old.title.trim() {
        "" => shortened(&old.text),
        title => title.to_owned(),
    };
    let id = match old.id.trim() {
        "" => slug(&title),
        id => id.to_owned(),
    };
    let id = if taken.insert(id.clone()) {
        id
    } else {
        numbered(&id, taken)
    };
    let knows = |secrets: &Vec<String>| !old.id.is_empty() && secrets.contains(&old.id);
    let knowing = world.actors.iter().filter(|actor| knows(&actor.secrets));
    let mut names: Vec<String> = knowing.map(|actor| actor.name.clone()).collect();
    names.extend(old.known_by.iter().cloned());
    let known_by = match &old.known_to {
        Some(known_to) => known_to.clone(),
        None if as_lore && names.is_empty() => KnownBy::Everyone,
        None => KnownBy::Only(names),
    };
    let known_by = match known_by {
        KnownBy::Everyone => "Everyone".to_owned(),
        KnownBy::Only(names) => format!("Only({})", list(&names)),
    };
    let mut fields = vec![
        format!("id: {}", quoted(&id)),
        format!("title: {}", quoted(&title)),
        format!("text: {}", quoted(&old.text)),
        format!("known_by: {known_by}"),
    ];
    for (field, texts) in [("phrases", &old.guard), ("keys", &old.keys)] {
        if !texts.is_empty() {
            fields.push(format!("{field}: {}", list(texts)));
        }
    }
    format!("({})", fields.join(", "))
}

fn list(texts: &[String]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// A text in quotes, on one line.
fn quoted(text: &str) -> String {
    ron::to_string(text).unwrap_or_default()
}

/// The beginning of a text, as a title.
fn shortened(text: &str) -> String {
    const WORDS: usize = 5;
    const CHARS: usize = 24;
    let words: Vec<_> = text.split_whitespace().take(WORDS).collect();
    words.join(" ").chars().take(CHARS).collect()
}

/// A title as an id: its letters and figures, with hyphens between words.
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    match words.join("-").to_lowercase() {
        slug if slug.is_empty() => "fact".to_owned(),
        slug => slug,
    }
}

/// An id that is not taken yet.
fn numbered(id: &str, taken: &mut BTreeSet<String>) -> String {
    let ids = (2..).map(|number: u32| format!("{id}-{number}"));
    let mut free = ids.filter(|id| taken.insert(id.clone()));
    free.next().unwrap_or_default()
}
