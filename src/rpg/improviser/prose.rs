//! First words, scenes and announcements.

use crate::mind::improviser::Writer;
use crate::mind::improviser::wording::bare;
use crate::mind::{Language, Notes};

/// How many events an announcement tells; the weightiest come first.
const EVENTS: usize = 4;
/// How many characters of events it tells.
const EVENT_CHARS: usize = 400;

/// Who one is, with whom, and what lies ahead.
pub(super) fn kickoff<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let companions = notes.texts("companions");
    let dungeons = notes.texts("dungeons");
    writer.set_list("companions", &companions);
    writer.set_any("companion", &companions);
    writer.set_list("dungeons", &dungeons);
    writer.set_any("dungeon", &dungeons);
    writer.set_list("heroes", &notes.texts("heroes"));
    writer.set_any("exit", &notes.texts("exits"));
    writer.flag("home", notes.flag("home"));
    writer.flag("alone", companions.is_empty());
    match notes.text("kind") {
        "stage" => writer.lines(&["kickoff.stage", "kickoff.stage.more"]),
        "world" => writer.lines(&["kickoff.world", "kickoff.world.more"]),
        _ => writer.lines(&["kickoff.actor", "kickoff.actor.bond", "kickoff.actor.wish"]),
    }
}

/// How a place is today.
pub(super) fn scene<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let names = notes.names("present");
    writer.set_list("present", &names);
    people(writer, &names);
    writer.flag("alone", names.is_empty());
    writer.set("news", bare(notes.text("last_news")));
    writer.lines(&["scene.light", "scene.place", "scene.people"])
}

/// What became of somebody: what it wanted, and somebody who matters to it. A world agent says how
/// the story ended.
pub(super) fn epilogue<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    if notes.text("kind") == "world" {
        return writer.line("closing");
    }
    let mut parts = Vec::new();
    let goals: Vec<_> = notes.list("goals").collect();
    if let Some(goal) = writer.rng().pick(&goals).copied() {
        writer.set("goal", goal.text("words"));
        let symbol = match goal.text("state") {
            "met" => "epilogue.met",
            "lost" => "epilogue.lost",
            _ => "epilogue.open",
        };
        parts.push(writer.line(symbol));
    }
    let bonds: Vec<_> = notes.list("bonds").collect();
    if let Some(bond) = writer.rng().pick(&bonds).copied() {
        writer.set("other", bond.name());
        let is_near = bond.number("value") >= 0;
        parts.push(writer.line(if is_near {
            "epilogue.near"
        } else {
            "epilogue.far"
        }));
    }
    parts.push(writer.line("epilogue.close"));
    writer.paragraph(&parts)
}

/// Two of those who are there, to be seen one by one.
fn people<'a>(writer: &mut Writer<'a>, names: &[&'a str]) {
    let first = writer.rng().below(names.len());
    writer.set("guest", names.get(first).copied().unwrap_or_default());
    let second = (first + 1)
        .checked_rem(names.len())
        .filter(|place| *place != first);
    let second = second.and_then(|place| names.get(place).copied());
    writer.set("other", second.unwrap_or_default());
}

/// What happened, for everybody.
pub(super) fn announcement<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let weight = |kind: &str| match kind {
        kind if kind.contains("death") || kind == "news" => 0,
        kind if kind.contains("outcome") => 1,
        kind if kind.contains("combat") => 2,
        kind if kind.contains("archive") => 3,
        _ => 4,
    };
    // What was announced is no news to anybody, nor who walked from one place to another.
    let is_news = |kind: &str| !matches!(kind, "announce" | "leave" | "arrive");
    let events = notes.list("events").enumerate();
    let events = events.filter(|(_, event)| is_news(event.text("type")));
    let mut events: Vec<_> = events
        .map(|(place, event)| (weight(event.text("type")), place, bare(news(event))))
        .filter(|(_, _, text)| !text.is_empty())
        .collect();
    events.sort_unstable();
    events.dedup_by_key(|(_, _, text)| *text);
    events.truncate(EVENTS);
    events.sort_unstable_by_key(|(_, place, _)| *place);
    if events.is_empty() {
        return writer.line("world.quiet");
    }
    let mut told = String::new();
    for (_, _, text) in events {
        if told.chars().count() + text.chars().count() > EVENT_CHARS {
            continue;
        }
        match (told.is_empty(), writer.language()) {
            (true, _) => told.push_str(text),
            (false, Language::Zh) => told.extend(["；", text]),
            (false, Language::En) => told.extend(["; ", &after_semicolon(text)]),
        }
    }
    if told.is_empty() {
        return writer.line("world.quiet");
    }
    writer.set("events", told);
    writer.line("world.announce")
}

/// What happened, without the place where it was seen.
fn news<'a>(event: Notes<'a>) -> &'a str {
    let text = event.text("text");
    let seen = text.split_once(": ").or_else(|| text.split_once('：'));
    let seen = seen.filter(|_| event.text("type") == "news");
    seen.map_or(text, |(_, seen)| seen)
}

/// An English sentence as it continues after a semicolon: an article becomes lower case, a name
/// stays.
fn after_semicolon(text: &str) -> String {
    let articles = [("The ", "the "), ("A ", "a "), ("An ", "an ")];
    let mut continued = articles.iter().filter_map(|(upper, lower)| {
        let rest = text.strip_prefix(upper)?;
        Some(format!("{lower}{rest}"))
    });
    continued.next().unwrap_or_else(|| text.into())
}
