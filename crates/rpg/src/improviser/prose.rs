//! First words, scenes, announcements, accounts of fights, summaries and last words.

use playhouse_engine::event::{AgentEvent, kinds::Death};
use playhouse_engine::mind::improviser::Writer;
use playhouse_engine::mind::improviser::wording::bare;
use playhouse_engine::mind::{Language, Notes};
use playhouse_engine::reading::letters;

use super::telling::about;
use super::voice::{called_by_bond, voice_line};
use crate::events::{BattleReport, CombatOutcome, Journey, News};
use crate::scenes::choose::ChoiceMade;
use crate::scenes::endings::EPILOGUE_LETTERS;

/// How many events an announcement tells; the weightiest come first.
const EVENTS: usize = 2;
/// How many characters of events it tells.
const EVENT_CHARS: usize = 300;
/// Who one thinks of in the end: whom one loves or hates at least so much.
const CLOSE: i64 = 2;

/// How much of each kind a summary recalls.
const LEARNED: usize = 2;
const FELT: usize = 1;

/// Who one is, with whom, and what lies ahead.
pub(super) fn kickoff<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let companions = notes.texts("companions").into_iter();
    let companions: Vec<_> = companions.map(|name| called_by_bond(notes, name)).collect();
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
        _ => actor(notes, writer),
    }
}

/// First words of its own, if its writer gave it some, and what it thinks of the others.
fn actor<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    match voice_line(notes, writer) {
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
    let first = writer.rng().below(names.len());
    writer.set("guest", names.get(first).copied().unwrap_or_default());
    // Another one of those who are there.
    let second = (first + 1).checked_rem(names.len());
    let second = second.filter(|second| *second != first);
    let second = second.and_then(|second| names.get(second).copied());
    writer.set("other", second.unwrap_or_default());
    writer.flag("alone", names.is_empty());
    writer.flag("morning", notes.text("hour").is_empty());
    writer.flag("again", notes.flag("again"));
    writer.set("news", bare(notes.text("last_news")));
    writer.lines(&["scene.light", "scene.place", "scene.people"])
}

/// What became of an actor: what it wanted, and another who matters to it. A world agent says how
/// the story ended.
pub(super) fn epilogue<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    if notes.text("kind") == "world" {
        return writer.line("closing");
    }
    let is_close = |bond: &Notes<'a>| bond.flag("is_alive") && bond.number("value").abs() >= CLOSE;
    let bonds: Vec<_> = notes.list("bonds").filter(is_close).collect();
    let goals: Vec<_> = notes.list("goals").collect();
    let last_words = goals.iter().map(|goal| goal.text("last_words").to_owned());
    let mut parts: Vec<_> = last_words.filter(|words| !words.is_empty()).collect();
    if parts.is_empty()
        && bonds.is_empty()
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
    // The writer's last words may be few.
    let is_short = |parts: &[String]| letters(&parts.concat()) < EPILOGUE_LETTERS;
    if is_short(&parts)
        && let Some(bond) = writer.rng().pick(&bonds).copied()
    {
        writer.set("other", called_by_bond(notes, bond.name()));
        let is_near = bond.number("value") >= 0;
        let symbol = if is_near {
            "epilogue.near"
        } else {
            "epilogue.far"
        };
        parts.push(writer.line(symbol));
    }
    while is_short(&parts) && parts.len() < 4 {
        parts.push(writer.line("epilogue.close"));
    }
    writer.paragraph(&parts)
}

/// What happened, for everybody.
pub(super) fn announcement<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    // What was announced or counted before everybody, and who walked from one place to another, is
    // not news.
    let weight = |kind: &str| match kind {
        Death::TYPE | News::TYPE => Some(0),
        BattleReport::TYPE | CombatOutcome::TYPE => Some(1),
        ChoiceMade::TYPE | Journey::TYPE => Some(2),
        _ => None,
    };
    let events = notes
        .list("events")
        .enumerate()
        .filter_map(|(place, event)| {
            let text = bare(news(event));
            // What an actor said before it told a thing is not the thing.
            let is_told = !text.is_empty() && !text.ends_with('”');
            Some((weight(event.text("type")).filter(|_| is_told)?, place, text))
        });
    let mut events: Vec<_> = events.collect();
    events.sort_unstable();
    events.dedup_by_key(|(_, _, text)| *text);
    events.truncate(EVENTS);
    events.sort_unstable_by_key(|(_, place, _)| *place);
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
    let seen = text
        .split_once(": ")
        .or_else(|| text.split_once('：'))
        .filter(|_| event.text("type") == News::TYPE);
    seen.map_or(text, |(_, seen)| seen)
}

/// How a fight ended, and what it cost. Blow by blow it was seen already.
pub(super) fn account<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let fighters = notes.list("standing");
    let foes: Vec<_> = fighters
        .filter(|fighter| fighter.text("faction") != "hero")
        .map(Notes::name)
        .collect();
    writer.set_list("foes", &foes);
    let outcome = notes.object("outcome");
    let fallen = outcome.texts("fallen");
    writer.set_list("fallen", &fallen);
    writer.flag("won", outcome.text("result") == "won");
    writer.flag("lost", outcome.text("result") == "lost");
    writer.flag("many", foes.len() > 1);
    let mut texts = vec![writer.line("account.close")];
    if !fallen.is_empty() {
        texts.push(writer.line("account.fallen"));
    }
    writer.paragraph(&texts)
}

/// Sums up what is over: what one learned, the last fight and what one came to feel, as the record
/// tells it. What must not be lost is in the record.
pub(super) fn summary<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let mut texts = Vec::new();
    for fact in latest(notes, "learned", LEARNED) {
        writer.set("title", about(fact.text("title"), writer.language()));
        writer.set("from", fact.text("from"));
        let symbol = match fact.text("from") {
            "" => "day.learned",
            _ => "day.told",
        };
        texts.push(writer.line(symbol));
    }
    if let Some(place) = notes.texts("fights").last() {
        writer.set("place", *place);
        texts.push(writer.line("day.fought"));
    }
    for felt in latest(notes, "felt", FELT) {
        writer.set("other", felt.text("about"));
        let is_warmer = felt.number("change") > 0;
        let symbol = if is_warmer {
            "day.warmer"
        } else {
            "day.colder"
        };
        texts.push(writer.line(symbol));
    }
    if texts.is_empty() {
        texts.push(writer.line("day.quiet"));
    }
    writer.paragraph(&texts)
}

/// The last few of a list, oldest first.
fn latest<'n>(
    notes: Notes<'n>,
    list: &str,
    most: usize,
) -> impl Iterator<Item = Notes<'n>> + use<'n> {
    let items: Vec<_> = notes.list(list).collect();
    let first = items.len().saturating_sub(most);
    items.into_iter().skip(first)
}
