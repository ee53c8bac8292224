//! From records to paragraphs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::event::guard::GuardAct;
use crate::event::kinds::{
    Announce, Archive, Arrive, Death, Kickoff, Learned, Leave, Mind, Sighting, Speak, Whisper,
};
use crate::event::{AnswerRecord, By, CallRecord, EventRecord};
use crate::locale::{Argument, Language, UiText, text};
use crate::message::one_line;
use crate::rpg::events::{Journey, Narration, StageDescription};
use crate::rpg::third_person::{self, data, third_person};
use serde_json::Value;

use super::roster::Roster;
use crate::cli::labels::guard_note;
use crate::cli::output::{Paragraph, Style};
use crate::cli::say::say;

/// The mark of a default answer.
const DEFAULT: &str = " °";
/// The most characters of a tool's result that are printed.
const LONGEST_RESULT: usize = 160;

/// Turns records into paragraphs. Remembers what it printed in this turn, so that nothing is
/// printed twice if an answer and an event say the same.
pub(super) struct Formatter {
    pub(super) language: Language,
    pub(super) roster: Roster,
    printed: BTreeSet<String>,
    /// The appearances that were printed.
    looks: BTreeSet<String>,
    /// Those who gave a default answer whose event is still to come, and where they are.
    defaults: BTreeMap<String, Arc<str>>,
    /// Whether any default answer was printed.
    pub(super) has_default_answers: bool,
    /// Whether to print what is not part of the story.
    pub(super) shows_workings: bool,
    /// The facts whose words were printed.
    facts: BTreeSet<String>,
    /// What was said in this turn.
    spoken: Vec<String>,
    /// The cards that were described.
    pub(super) cards: BTreeSet<String>,
}

impl Formatter {
    pub(super) fn new(language: Language, roster: Roster) -> Self {
        Self {
            language,
            roster,
            printed: BTreeSet::new(),
            looks: BTreeSet::new(),
            defaults: BTreeMap::new(),
            has_default_answers: false,
            shows_workings: false,
            facts: BTreeSet::new(),
            spoken: Vec::new(),
            cards: BTreeSet::new(),
        }
    }

    /// Forgets what was printed in the turn that is over.
    pub(super) fn end_turn(&mut self) {
        self.printed.clear();
        self.spoken.clear();
    }

    /// Default answers of which no event told, each with its place.
    pub(super) fn untold_defaults(&mut self) -> Vec<(Arc<str>, Paragraph)> {
        let untold = std::mem::take(&mut self.defaults).into_iter();
        let notes = untold.map(|(who, place)| {
            let note = say!(self.language, story_default_of, who);
            (place, Paragraph::indented(2, 4).add(Style::Dim, note))
        });
        notes.collect()
    }

    /// An answer: prose is printed here, plans and cards when their events come.
    pub(super) fn answer(&mut self, answer: &AnswerRecord) -> Vec<Paragraph> {
        if matches!(answer.by, By::Fallback(_)) {
            let place = answer.place.clone();
            self.defaults.insert(answer.entity.to_string(), place);
        }
        let is_prose = matches!(answer.purpose.as_str(), "home.scene" | "combat.narrate");
        let calls = answer.calls.iter().filter(|_| self.shows_workings);
        let mut paragraphs: Vec<_> = calls.map(|call| self.call(&answer.entity, call)).collect();
        if answer.purpose == "kickoff" {
            paragraphs.extend(self.opening(&answer.entity, &answer.text));
        } else if is_prose {
            paragraphs.extend(self.prose(&answer.entity, &answer.text));
        }
        paragraphs
    }

    /// A call of a tool before an answer.
    fn call(&self, who: &str, call: &CallRecord) -> Paragraph {
        let tool = &call.tool;
        let arguments = Argument::list(texts(&call.arguments));
        let result = match serde_json::from_str(&call.result) {
            Ok(result) => texts(&result).join(" "),
            Err(_) => call.result.clone(),
        };
        let result: String = one_line(&result).chars().take(LONGEST_RESULT).collect();
        let result = if result.is_empty() {
            say!(self.language, story_no_result)
        } else {
            result
        };
        let note = if call.is_error {
            text!(story_tool_failed, who, tool, arguments, result)
        } else {
            text!(story_tool_used, who, tool, arguments, result)
        };
        Paragraph::indented(2, 4).add(Style::Dim, note.in_language(self.language))
    }

    pub(super) fn event(&mut self, event: &EventRecord) -> Vec<Paragraph> {
        let paragraphs = self.known(event);
        let mut paragraphs =
            paragraphs.unwrap_or_else(|| vec![Paragraph::indented(2, 4).plain(&event.text)]);
        paragraphs.extend(event.guarded.iter().map(|act| self.guarded(act)));
        paragraphs
    }

    /// The paragraphs of an event whose type is known and whose data fit it.
    fn known(&mut self, event: &EventRecord) -> Option<Vec<Paragraph>> {
        Some(match event.kind.as_str() {
            "kickoff" => {
                let Kickoff { actor, message } = data(event)?;
                self.opening(&actor, &message)
            }
            "scene" => {
                let StageDescription { stage, message } = data(event)?;
                self.roster.note_stage(&stage);
                self.prose(&stage, &message)
            }
            "narration" => {
                // Its blows were told one by one.
                let Narration { stage, .. } = data(event)?;
                self.roster.note_stage(&stage);
                self.defaults.remove(&stage);
                Vec::new()
            }
            "speak" => {
                let event: Speak = data(event)?;
                let to = match event.target.as_str() {
                    "" | "all" => String::new(),
                    target => say!(self.language, story_says_to, target),
                };
                vec![self.said(&event.actor, &to, &event.message, Style::Plain)]
            }
            "whisper" => {
                let Whisper {
                    actor,
                    target,
                    message,
                    ..
                } = data(event)?;
                let to = say!(self.language, story_whispers_to, target);
                vec![self.said(&actor, &to, &message, Style::Whisper)]
            }
            "announce" => {
                let Announce { actor, message, .. } = data(event)?;
                if !self.once(&format!("announce {actor} {message}")) {
                    return Some(Vec::new());
                }
                if actor.is_empty() {
                    return Some(vec![Paragraph::indented(2, 2).plain(&message)]);
                }
                let announces = say!(self.language, story_announces);
                vec![self.said(&actor, &announces, &message, Style::Voice)]
            }
            "mind" => {
                let Mind { actor, message } = data(event)?;
                vec![self.aside(&actor, &say!(self.language, story_thinks), &message)]
            }
            "query" | "nothing_new" | "cards_drawn" | "card_held" if !self.shows_workings => {
                Vec::new()
            }
            "query" | "nothing_new" | "cards_drawn" | "card_held" | "refusal" | "masked" => {
                vec![self.note(Style::Dim, &third_person(event)?)]
            }
            "leave" => {
                let Leave { actor, stage, to } = data(event)?;
                self.walk(&actor, &stage, &to)
            }
            "arrive" => {
                let Arrive { actor, from, stage } = data(event)?;
                if from.is_empty() {
                    vec![moved(say!(self.language, story_appears, actor))]
                } else {
                    self.walk(&actor, &from, &stage)
                }
            }
            "appearance" => {
                let Sighting { actor, look } = data(event)?;
                // Everybody sees everybody; readers need each look once.
                if !self.looks.insert(format!("{actor} {look}")) {
                    return Some(Vec::new());
                }
                vec![self.aside(&actor, "", &look)]
            }
            "death" => {
                let Death { actor, by, .. } = data(event)?;
                let falls = if by.is_empty() {
                    text!(story_falls, actor)
                } else {
                    text!(story_falls_by, actor, by)
                };
                let falls = falls.in_language(self.language);
                vec![Paragraph::indented(4, 6).add(Style::Bad, falls)]
            }
            // Readers remember for themselves.
            "archive" if !self.shows_workings => Vec::new(),
            "archive" => {
                let Archive { actor, message, .. } = data(event)?;
                // A place remembers what it has just told.
                if self.roster.is_stage(&actor) {
                    return Some(Vec::new());
                }
                let remembers = say!(self.language, story_remembers, actor);
                let row = Paragraph::indented(2, 4).add(Style::Dim, remembers);
                vec![row.plain(self.colon()).plain(message)]
            }
            "day" => self.day(event),
            "dungeon" => self.journey(event)?,
            "combat_initialization" => self.combat_initialization(&data(event)?),
            "combat_round" => self.combat_round(&data(event)?),
            "card_played" => self.card_played(&data(event)?),
            "combat_move" => self.combat_move(&data(event)?),
            "combat_outcome" => self.combat_outcome(&data(event)?),
            // Those at home hear of what has been told.
            "battle_report" if !self.shows_workings => Vec::new(),
            "homecoming" => self.story_end(event),
            "learned" => {
                let learned: Learned = data(event)?;
                // Places learn too, but readers need not be told.
                match &self.roster.actors(&event.audience)[..] {
                    [] => Vec::new(),
                    // Those who were there saw it come true.
                    _ if learned.is_made() && learned.from.is_empty() => Vec::new(),
                    who => vec![self.learned(who, &learned)],
                }
            }
            // What world agents hear of was told where it happened.
            "news" => Vec::new(),
            "host_deed" => vec![Paragraph::indented(4, 6).add(Style::Dim, &event.text)],
            // Not of the story; `why` shows it.
            "effect_skipped" => Vec::new(),
            "judged" if !self.shows_workings => Vec::new(),
            "judged" => {
                let text = |field: &str| event.data.get(field).and_then(Value::as_str);
                let (judge, claim) = (text("judge")?, text("claim")?);
                if event.data.get("holds") != Some(&Value::Bool(true)) {
                    return Some(Vec::new());
                }
                vec![self.note(Style::Dim, &text!(story_judged, judge, claim))]
            }
            "scene_opens" | "scene_text" => {
                if !self.once(&format!("told {}", event.text)) {
                    return Some(Vec::new());
                }
                vec![Paragraph::indented(2, 2).plain(&event.text)]
            }
            "give" | "show" | "take" => {
                let text = self.without_known_look(event);
                vec![Paragraph::indented(2, 4).plain(text)]
            }
            "attempt_outcome" => vec![self.outcome(event)],
            "choice" | "vote" | "attempt" => {
                if !self.once(&format!("chosen {}", event.text)) {
                    return Some(Vec::new());
                }
                vec![Paragraph::indented(2, 4).add(Style::Bold, format!("◆ {}", event.text))]
            }
            "keep" if !self.once(&format!("keep {}", event.text)) => Vec::new(),
            "epilogue" => {
                let actor = event.speaker.clone().unwrap_or_default();
                let message = event.data.get("message").and_then(Value::as_str);
                vec![self.said(&actor, "", message.unwrap_or_default(), Style::Plain)]
            }
            "story_closes" => {
                let mut paragraphs = self.chapter(event);
                let message = third_person(event)?.in_language(self.language);
                paragraphs.push(Paragraph::indented(2, 2).plain(message));
                paragraphs
            }
            _ => return None,
        })
    }

    /// What somebody has learned: the fact itself if it is new to readers, else what it is about.
    fn learned(&mut self, who: &[String], learned: &Learned) -> Paragraph {
        let Learned {
            fact,
            title,
            message,
            ..
        } = learned;
        let words = message.trim();
        let bare = words.trim_end_matches(['.', '。', '!', '！', '?', '？']);
        let was_said = self.spoken.iter().any(|said| said.contains(bare));
        let is_new = self.facts.insert(fact.clone()) && !was_said;
        let (style, words) = if is_new && !bare.is_empty() {
            (Style::Plain, words)
        } else {
            (Style::Dim, title.as_str())
        };
        let learned = third_person::learned(learned, who, words, self.language);
        self.note(style, &learned)
    }

    /// One line for one walk: those who left and those who were reached are told of it one by one.
    fn walk(&mut self, actor: &str, from: &str, to: &str) -> Vec<Paragraph> {
        if !self.once(&format!("walk {actor} {from} {to}")) {
            return Vec::new();
        }
        vec![moved(say!(self.language, story_walks, actor, from, to))]
    }

    /// The words of an event that shows an item; how it looks is said once.
    fn without_known_look(&mut self, event: &EventRecord) -> String {
        let text = |field: &str| event.data.get(field).and_then(Value::as_str);
        let (item, look) = (text("item"), text("look").unwrap_or_default().trim());
        let is_new = self
            .looks
            .insert(format!("{} {look}", item.unwrap_or_default()));
        let stop = match self.language {
            Language::En => ".",
            Language::Zh => "。",
        };
        match event.text.trim_end().strip_suffix(look) {
            Some(before) if !is_new && !look.is_empty() => {
                before.trim_end_matches([' ', ':', '：']).to_owned() + stop
            }
            _ => event.text.clone(),
        }
    }

    /// How an attempt came out: as the place tells it, and what it brought and cost.
    fn outcome(&self, event: &EventRecord) -> Paragraph {
        let told = event.data.get("message").and_then(Value::as_str);
        let told = told.filter(|told| !told.is_empty());
        let parts = told.and_then(|told| Some((told, event.text.split_once(told)?.1)));
        Paragraph::indented(2, 2).plain(match parts {
            Some((told, gains)) => told.to_owned() + gains.trim_start_matches(['”', '"']),
            None => event.text.clone(),
        })
    }

    /// Free text: a stage's as narration, others' with their name. Each once a turn.
    fn prose(&mut self, who: &str, text: &str) -> Vec<Paragraph> {
        if !self.is_news(who, text) {
            Vec::new()
        } else if self.roster.is_stage(who) {
            vec![self.mark_default(Paragraph::indented(2, 2).plain(text), who)]
        } else {
            vec![self.said(who, "", text, Style::Plain)]
        }
    }

    /// How a place is when the story begins, or an actor's first thought.
    fn opening(&mut self, who: &str, text: &str) -> Vec<Paragraph> {
        if !self.roster.is_actor(who) {
            self.prose(who, text)
        } else if self.is_news(who, text) {
            let thought = self.aside(who, &say!(self.language, story_thinks), text);
            vec![self.mark_default(thought, who)]
        } else {
            Vec::new()
        }
    }

    /// Whether a text has not been told as its own or as how somebody looks.
    fn is_news(&mut self, who: &str, text: &str) -> bool {
        let is_look = self.looks.contains(&format!("{who} {text}"));
        let is_news = !is_look && self.once(&format!("prose {who} {text}"));
        if !is_news {
            self.defaults.remove(who);
        }
        is_news
    }

    fn said(&mut self, who: &str, how: &str, text: &str, style: Style) -> Paragraph {
        self.spoken.push(text.to_owned());
        let said = Paragraph::indented(2, 4)
            .add(self.roster.style(who), who)
            .add(Style::Dim, how)
            .plain(self.colon())
            .add(style, text);
        self.mark_default(said, who)
    }

    fn aside(&self, who: &str, how: &str, text: &str) -> Paragraph {
        let what = format!("{who}{how}{}{text}", self.colon());
        let aside = say!(self.language, story_aside, what);
        Paragraph::indented(4, 4).add(Style::Thought, aside)
    }

    /// A line that is about the story rather than of it.
    fn note(&self, style: Style, text: &UiText) -> Paragraph {
        let note = say!(self.language, story_aside, what = text);
        Paragraph::indented(4, 6).add(style, note)
    }

    fn day(&mut self, event: &EventRecord) -> Vec<Paragraph> {
        let Some(begins) = third_person::heading(event) else {
            return Vec::new();
        };
        let begins = begins.in_language(self.language);
        if !self.once(&format!("heading {begins}")) {
            Vec::new()
        } else if event.data.get("part").and_then(Value::as_str) == Some("round") {
            vec![Paragraph::blank(), heading("·", &begins)]
        } else {
            chapter(&begins)
        }
    }

    fn journey(&mut self, event: &EventRecord) -> Option<Vec<Paragraph>> {
        let Journey {
            dungeon,
            part,
            stage,
            party,
        } = data(event)?;
        if !self.once(&format!("journey {dungeon} {part} {stage}")) {
            return Some(Vec::new());
        }
        Some(match part.as_str() {
            "enter" => {
                let party = self.names(&party);
                let enters = say!(self.language, story_enters, party, dungeon);
                let mut paragraphs = self.chapter(event);
                paragraphs.push(Paragraph::indented(2, 2).plain(enters));
                paragraphs
            }
            "return" => vec![moved(say!(self.language, story_returns, dungeon))],
            _ => vec![moved(say!(self.language, story_advances, stage))],
        })
    }

    fn story_end(&mut self, event: &EventRecord) -> Vec<Paragraph> {
        if !self.once("homecoming") {
            return Vec::new();
        }
        let mut paragraphs = self.chapter(event);
        paragraphs.push(Paragraph::indented(2, 2).plain(&event.text));
        paragraphs
    }

    /// The heading of a chapter that begins with an event.
    fn chapter(&self, event: &EventRecord) -> Vec<Paragraph> {
        let title = third_person::heading(event);
        title.map_or_else(Vec::new, |title| chapter(&title.in_language(self.language)))
    }

    fn guarded(&self, act: &GuardAct) -> Paragraph {
        let note = guard_note(act).in_language(self.language);
        Paragraph::indented(6, 8).add(Style::Dim, note)
    }

    /// Marks what somebody says or does by a default answer.
    pub(super) fn mark_default(&mut self, paragraph: Paragraph, who: &str) -> Paragraph {
        if self.defaults.remove(who).is_none() {
            return paragraph;
        }
        self.has_default_answers = true;
        paragraph.add(Style::Dim, DEFAULT)
    }

    pub(super) fn colon(&self) -> String {
        say!(self.language, cli_colon)
    }

    /// Names as the subject of a sentence.
    pub(super) fn names(&self, names: &[String]) -> String {
        third_person::names(names, self.language)
    }

    pub(super) fn list(&self, items: &[String]) -> String {
        let items = Argument::list(items);
        say!(self.language, cli_list, items)
    }

    /// Whether this was not printed in this turn yet; notes that it is.
    fn once(&mut self, what: &str) -> bool {
        self.printed.insert(what.to_owned())
    }
}

/// The texts and numbers in a JSON value, without the names of its members. Of what has a text,
/// such as a memory, the text alone: the rest is about it.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) if members.get("text").is_some_and(Value::is_string) => {
            members.get("text").map(texts).unwrap_or_default()
        }
        Value::Object(members) => members.values().flat_map(texts).collect(),
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        value => vec![value.to_string()],
    }
}

fn moved(text: String) -> Paragraph {
    Paragraph::indented(2, 4).add(Style::Dim, format!("→ {text}"))
}

/// A heading within a chapter.
pub(super) fn heading(sign: &str, text: &str) -> Paragraph {
    Paragraph::default().add(Style::Bold, format!("{sign} {text} {sign}"))
}

/// The heading of a chapter, between empty rows.
fn chapter(text: &str) -> Vec<Paragraph> {
    vec![Paragraph::blank(), heading("═══", text), Paragraph::blank()]
}
