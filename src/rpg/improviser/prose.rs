//! First words, scenes, announcements and thoughts before a fight.

use crate::mind::improviser::Writer;
use crate::mind::improviser::wording::{bare, fragment};
use crate::mind::{Language, Notes};

/// How many events an announcement tells; the weightiest come first.
const EVENTS: usize = 4;

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
        kind if kind.contains("death") => 0,
        kind if kind.contains("outcome") => 1,
        kind if kind.contains("combat") => 2,
        kind if kind.contains("announce") || kind.contains("archive") => 3,
        kind if kind.contains("leave") || kind.contains("arrive") => 4,
        _ => 5,
    };
    let events = notes.list("events").enumerate();
    let mut events: Vec<_> = events
        .map(|(place, event)| (weight(event.text("type")), place, bare(event.text("text"))))
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
        match (told.is_empty(), writer.language()) {
            (true, _) => told.push_str(text),
            (false, Language::Zh) => told.extend(["；", text]),
            (false, Language::En) => told.extend(["; ", &after_semicolon(text)]),
        }
    }
    writer.set("events", told);
    writer.line("world.announce")
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

/// What goes through one's mind as a fight begins.
pub(super) fn first_thought<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let me = notes.text("me");
    let foes: Vec<_> = notes.list("foes").collect();
    let allies = notes.names("allies").into_iter();
    let allies: Vec<_> = allies.filter(|name| *name != me).collect();
    let foe = writer.rng().pick(&foes).copied();
    let ally = writer.rng().pick(&allies).copied();
    let names: Vec<_> = foes.iter().map(|foe| foe.name()).collect();
    writer.set_list("foes", &names);
    writer.set("foe", foe.map(Notes::name).unwrap_or_default());
    let look = foe.map(|foe| fragment(foe.text("look"), 60));
    writer.set("foe_look", look.unwrap_or_default());
    writer.set("ally", ally.unwrap_or_default());
    writer.flag("many", names.len() > 1);
    writer.flag("alone", allies.is_empty());
    let (hp, max_hp) = (notes.number("hp"), notes.number("max_hp"));
    writer.flag("hurt", max_hp > 0 && hp * 2 < max_hp);
    if writer.rng().happens(70) {
        writer.lines(&["combat.initiation", "combat.initiation.more"])
    } else {
        writer.line("combat.initiation")
    }
}
