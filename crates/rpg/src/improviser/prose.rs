//! First words, scenes and announcements.

use playhouse_engine::mind::improviser::Writer;
use playhouse_engine::mind::improviser::wording::bare;
use playhouse_engine::mind::{Language, Notes};

use super::voice::voice_line;

/// How many events an announcement tells; the weightiest come first.
const EVENTS: usize = 2;
/// How many characters of events it tells.
const EVENT_CHARS: usize = 300;
/// Who one thinks of in the end: whom one loves or hates at least so much.
const CLOSE: i64 = 2;

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
    let profile = notes.text("profile").trim();
    match notes.text("kind") {
        // A place is what its writer says it is.
        "stage" if !profile.is_empty() => profile.to_owned(),
        "stage" => writer.lines(&["kickoff.stage", "kickoff.stage.more"]),
        "world" => writer.lines(&["kickoff.world", "kickoff.world.more"]),
        _ => actor(notes, writer),
    }
}

/// First words of its own, if its writer gave it some, and what it thinks of the others.
fn actor<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let faction = notes.text("faction").to_lowercase();
    let is_foe = writer.words("faction.hostile").any(|word| faction == word);
    match voice_line(notes, writer) {
        Some(line) if is_foe => line.to_owned(),
        Some(line) => {
            let more = writer.line("kickoff.actor.bond");
            writer.paragraph(&[line, &more])
        }
        None => writer.lines(&["kickoff.actor", "kickoff.actor.bond", "kickoff.actor.wish"]),
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
    let bonds = notes
        .list("bonds")
        .filter(|bond| bond.flag("is_alive") && bond.number("value").abs() >= CLOSE);
    let bonds: Vec<_> = bonds.collect();
    let mut parts = Vec::new();
    let goals: Vec<_> = notes.list("goals").collect();
    let last_words = goals.iter().map(|goal| goal.text("last_words"));
    let last_words: Vec<_> = last_words.filter(|words| !words.is_empty()).collect();
    if !last_words.is_empty() {
        parts.extend(last_words.into_iter().map(str::to_owned));
    } else if bonds.is_empty()
        && let Some(goal) = writer.rng().pick(&goals).copied()
    {
        writer.set("goal", goal.text("words"));
        let symbol = match goal.text("state") {
            "met" => "epilogue.met",
            "lost" => "epilogue.lost",
            _ => "epilogue.open",
        };
        parts.push(writer.line(symbol));
    }
    if parts.is_empty()
        && let Some(bond) = writer.rng().pick(&bonds).copied()
    {
        writer.set("other", bond.name());
        let is_near = bond.number("value") >= 0;
        parts.push(writer.line(if is_near {
            "epilogue.near"
        } else {
            "epilogue.far"
        }));
    }
    if parts.is_empty() {
        parts.push(writer.line("epilogue.close"));
    }
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
        "death" | "news" => 0,
        "battle_report" | "combat_outcome" => 1,
        _ => 2,
    };
    // What is not news to anybody: what was announced or counted before them all, and who walked
    // from one place to another.
    let is_news = |kind: &str| {
        matches!(
            kind,
            "death" | "news" | "battle_report" | "combat_outcome" | "choice" | "dungeon"
        )
    };
    let events = notes.list("events").enumerate();
    let events = events.filter(|(_, event)| is_news(event.text("type")));
    let mut events: Vec<_> = events
        .map(|(place, event)| (weight(event.text("type")), place, bare(news(event))))
        // What somebody said before it told a thing is not the thing.
        .filter(|(_, _, text)| !text.is_empty() && !text.ends_with('”'))
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
        if !told.is_empty() {
            told.push_str(match writer.language() {
                Language::Zh => "。",
                Language::En => ". ",
            });
        }
        told.push_str(text);
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
