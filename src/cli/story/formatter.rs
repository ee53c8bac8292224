//! From records to paragraphs.

use std::collections::BTreeSet;

use crate::event::guard::GuardAct;
use crate::event::kinds::{
    Announce, Archive, Arrive, Death, Kickoff, Learned, Leave, Masked, Mind, Query, Refusal,
    Sighting, Speak, Whisper,
};
use crate::event::{AnswerRecord, By, CallRecord, EventRecord};
use crate::locale::{Argument, Language, text};
use crate::rpg::events::{CardHeld, Day, Journey, Narration, NothingNew, Scene};
use serde::de::DeserializeOwned;
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
    /// Those who gave a default answer whose event is still to come.
    defaults: BTreeSet<String>,
    /// Whether any default answer was printed.
    pub(super) has_default_answers: bool,
}

impl Formatter {
    pub(super) fn new(language: Language, roster: Roster) -> Self {
        Self {
            language,
            roster,
            printed: BTreeSet::new(),
            looks: BTreeSet::new(),
            defaults: BTreeSet::new(),
            has_default_answers: false,
        }
    }

    /// Forgets what was printed in the turn that is over.
    pub(super) fn end_turn(&mut self) {
        self.printed.clear();
        self.defaults.clear();
    }

    /// An answer: prose is printed here, plans and cards when their events come.
    pub(super) fn answer(&mut self, answer: &AnswerRecord) -> Vec<Paragraph> {
        if matches!(answer.by, By::Fallback(_)) {
            self.defaults.insert(answer.entity.to_string());
        }
        let is_prose = matches!(answer.purpose.as_str(), "kickoff" | "home.scene");
        let calls = answer.calls.iter();
        let mut paragraphs: Vec<_> = calls.map(|call| self.call(&answer.entity, call)).collect();
        if is_prose {
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
        let result: String = result.split_whitespace().collect::<Vec<_>>().join(" ");
        let result: String = result.chars().take(LONGEST_RESULT).collect();
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

    /// An event.
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
                self.prose(&actor, &message)
            }
            "scene" => {
                let Scene { stage, message } = data(event)?;
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
            "query" => self.query(&data(event)?),
            "refusal" => {
                let Refusal {
                    actor,
                    action,
                    reason,
                } = data(event)?;
                let refused = say!(self.language, story_refused, actor, action, reason);
                vec![Paragraph::indented(4, 6).add(Style::Dim, refused)]
            }
            "leave" => {
                let Leave { actor, to, .. } = data(event)?;
                // Those elsewhere hear of it later than those who saw it.
                if !self.once(&format!("leave {actor} {to}")) {
                    return Some(Vec::new());
                }
                vec![moved("→ ", say!(self.language, story_leaves, actor, to))]
            }
            "arrive" => {
                let Arrive { actor, from, .. } = data(event)?;
                let arrives = if from.is_empty() {
                    text!(story_appears, actor)
                } else {
                    text!(story_arrives, actor, from)
                };
                vec![moved("← ", arrives.in_language(self.language))]
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
            "day" => self.day(&data(event)?),
            "dungeon" => self.journey(&data(event)?),
            "combat_start" => self.combat_start(&data(event)?),
            "combat_round" => self.combat_round(&data(event)?),
            "card_played" => self.card_played(&data(event)?),
            "card_held" => {
                let CardHeld {
                    actor,
                    card,
                    reason,
                } = data(event)?;
                let held = if reason == "no_energy" {
                    text!(story_no_energy, actor, card)
                } else {
                    text!(story_no_target, actor, card)
                };
                let held = held.in_language(self.language);
                vec![Paragraph::indented(4, 6).add(Style::Dim, held)]
            }
            "combat_move" => self.combat_move(&data(event)?),
            "combat_outcome" => self.combat_outcome(&data(event)?),
            "finale" => self.finale(&event.text),
            "learned" => {
                let Learned { title, from, .. } = data(event)?;
                let who = self.roster.actors(&event.audience);
                // Places and foes learn too, but readers need not be told.
                if who.is_empty() {
                    return Some(Vec::new());
                }
                let who = Argument::list(who);
                let learned = if from.is_empty() {
                    text!(story_found_out, who, title)
                } else {
                    text!(story_learned, who, title, from)
                };
                let learned = learned.in_language(self.language);
                vec![Paragraph::indented(4, 6).add(Style::Dim, learned)]
            }
            // What world agents hear of was told where it happened.
            "news" => Vec::new(),
            "nothing_new" => {
                let NothingNew { actor, .. } = data(event)?;
                let nothing = say!(self.language, story_nothing_new, actor);
                vec![Paragraph::indented(4, 6).add(Style::Dim, nothing)]
            }
            "masked" => {
                let Masked { actor, .. } = data(event)?;
                let masked = say!(self.language, story_masked, actor);
                vec![Paragraph::indented(4, 6).add(Style::Dim, masked)]
            }
            // Not of the story; `why` shows it.
            "effect_skipped" => Vec::new(),
            "judged" => {
                let text = |field: &str| event.data.get(field).and_then(Value::as_str);
                let (judge, claim) = (text("judge")?, text("claim")?);
                if event.data.get("holds") != Some(&Value::Bool(true)) {
                    return Some(Vec::new());
                }
                let judged = say!(self.language, story_judged, judge, claim);
                vec![Paragraph::indented(4, 6).add(Style::Dim, judged)]
            }
            "scene_opens" | "told" => {
                if !self.once(&format!("told {}", event.text)) {
                    return Some(Vec::new());
                }
                let stage = event.data.get("stage").and_then(Value::as_str);
                let stage = stage.map(|stage| heading("──", stage));
                let told = Paragraph::indented(2, 2).plain(&event.text);
                stage.into_iter().chain([told]).collect()
            }
            "attempt_outcome" => vec![Paragraph::indented(2, 2).plain(&event.text)],
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
                let text = |field: &str| event.data.get(field).and_then(Value::as_str);
                let mut paragraphs = chapter(text("title").unwrap_or_default());
                let message = text("message").unwrap_or_default();
                paragraphs.push(Paragraph::indented(2, 2).plain(message));
                paragraphs
            }
            _ => return None,
        })
    }

    /// Free text: a stage's as narration, others' with their name. Each once a turn.
    fn prose(&mut self, who: &str, text: &str) -> Vec<Paragraph> {
        if !self.once(&format!("prose {who} {text}")) {
            self.defaults.remove(who);
            return Vec::new();
        }
        if self.roster.is_stage(who) {
            vec![self.mark_default(Paragraph::indented(2, 2).plain(text), who)]
        } else {
            vec![self.said(who, "", text, Style::Plain)]
        }
    }

    fn said(&mut self, who: &str, how: &str, text: &str, style: Style) -> Paragraph {
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

    fn query(&self, event: &Query) -> Vec<Paragraph> {
        let searches = say!(self.language, story_searches);
        let mut paragraphs = vec![self.aside(&event.actor, &searches, &event.message)];
        let nothing = [say!(self.language, story_nothing_found)];
        let found = match &event.found[..] {
            [] => &nothing[..],
            found => found,
        };
        paragraphs.extend(
            found
                .iter()
                .map(|text| Paragraph::indented(6, 8).add(Style::Dim, format!("… {text}"))),
        );
        paragraphs
    }

    fn day(&mut self, event: &Day) -> Vec<Paragraph> {
        let Day {
            day,
            part,
            round,
            rounds,
        } = event;
        if !self.once(&format!("day {day} {part} {round}")) {
            return Vec::new();
        }
        if part == "round" {
            let begins = match (round, rounds) {
                (1, 2) => text!(story_morning),
                (2, 2) => text!(story_afternoon),
                _ => text!(story_day_round, round),
            };
            let begins = begins.in_language(self.language);
            return vec![Paragraph::indented(2, 2).add(Style::Dim, begins)];
        }
        if part == "end" {
            let ends = say!(self.language, story_day_ends, day);
            return vec![Paragraph::indented(2, 2).add(Style::Dim, ends)];
        }
        chapter(&say!(self.language, story_day, day))
    }

    fn journey(&mut self, event: &Journey) -> Vec<Paragraph> {
        let Journey {
            dungeon,
            part,
            stage,
            party,
        } = event;
        let key = format!("journey {dungeon} {part} {stage}");
        if !self.once(&key) {
            return Vec::new();
        }
        match part.as_str() {
            "enter" => {
                let party = Argument::list(party);
                let enters = say!(self.language, story_enters, party, dungeon);
                let mut paragraphs = chapter(&say!(self.language, story_journey, dungeon));
                paragraphs.push(Paragraph::indented(2, 2).plain(enters));
                paragraphs
            }
            "return" => vec![moved("→ ", say!(self.language, story_returns, dungeon))],
            _ => vec![moved("→ ", say!(self.language, story_advances, stage))],
        }
    }

    fn finale(&mut self, text: &str) -> Vec<Paragraph> {
        if !self.once("finale") {
            return Vec::new();
        }
        let mut paragraphs = chapter(&say!(self.language, story_homecoming));
        paragraphs.push(Paragraph::indented(2, 2).plain(text));
        paragraphs
    }

    fn guarded(&self, act: &GuardAct) -> Paragraph {
        let note = guard_note(act).in_language(self.language);
        Paragraph::indented(6, 8).add(Style::Dim, note)
    }

    /// Marks what somebody says or does by a default answer.
    pub(super) fn mark_default(&mut self, paragraph: Paragraph, who: &str) -> Paragraph {
        if !self.defaults.remove(who) {
            return paragraph;
        }
        self.has_default_answers = true;
        paragraph.add(Style::Dim, DEFAULT)
    }

    pub(super) fn colon(&self) -> String {
        say!(self.language, cli_colon)
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

fn data<E: DeserializeOwned>(event: &EventRecord) -> Option<E> {
    E::deserialize(&event.data).ok()
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

fn moved(arrow: &str, text: String) -> Paragraph {
    Paragraph::indented(2, 4).add(Style::Dim, format!("{arrow}{text}"))
}

/// A heading within a chapter.
pub(super) fn heading(sign: &str, text: &str) -> Paragraph {
    Paragraph::default().add(Style::Bold, format!("{sign} {text} {sign}"))
}

/// The heading of a chapter, between empty rows.
fn chapter(text: &str) -> Vec<Paragraph> {
    vec![Paragraph::blank(), heading("═══", text), Paragraph::blank()]
}
