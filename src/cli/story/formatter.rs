//! From records to paragraphs.

use crate::cli::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::event::guard::GuardAct;
use crate::event::kinds::{Archive, Learned, MemorySearch};
use crate::event::{
    AgentEvent, AnswerRecord, AnsweredBy, CallRecord, EventRecord, EventStyle, EventTypes,
    Recipients, Sight, Telling, subject,
};
use crate::message::one_line;
use crate::rpg::events::NothingNew;
use crate::story::{Form, Told};

use super::roster::Roster;
use crate::cli::event_types;
use crate::cli::labels::guard_note;

/// The mark of a default answer.
const DEFAULT: &str = " °";
/// The most characters of a tool's result that are printed.
const LONGEST_RESULT: usize = 160;

/// Turns records into paragraphs. Remembers what it printed in this turn, so that nothing is
/// printed twice if an answer and an event say the same.
pub(super) struct Formatter {
    pub(super) language: Language,
    pub(super) roster: Roster,
    events: EventTypes,
    printed: Told,
    /// Those who gave a default answer whose event is still to come, and where they are.
    defaults: BTreeMap<String, Arc<str>>,
    /// Whether any default answer was printed.
    pub(super) has_default_answers: bool,
    /// Whether to print what is not part of the story.
    pub(super) shows_workings: bool,
    /// The character that the reader plays.
    pub(super) seat: Option<Arc<str>>,
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
            events: event_types(),
            printed: Told::default(),
            defaults: BTreeMap::new(),
            has_default_answers: false,
            shows_workings: false,
            seat: None,
            facts: BTreeSet::new(),
            spoken: Vec::new(),
            cards: BTreeSet::new(),
        }
    }

    /// Forgets what was printed in the turn that is over.
    pub(super) fn end_turn(&mut self) {
        self.printed.end_turn();
        self.spoken.clear();
    }

    pub(super) fn know_look(&mut self, sight: Option<Sight<'_>>) {
        sight.map(|sight| self.printed.is_new_look(sight));
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
        if matches!(answer.by, AnsweredBy::Fallback(_)) {
            let place = answer.place.clone();
            self.defaults.insert(answer.entity.to_string(), place);
        }
        let is_prose = match answer.purpose.as_str() {
            "home.scene" | "combat.narrate" => true,
            // An actor's first thought comes with its event, if it is one.
            "kickoff" => !self.roster.is_actor(&answer.entity),
            _ => false,
        };
        let calls = answer.calls.iter().filter(|_| self.shows_workings);
        let mut paragraphs: Vec<_> = calls.map(|call| self.call(&answer.entity, call)).collect();
        let (who, text) = (&answer.entity, &answer.text);
        if is_prose
            && !self.printed.knows_look(who, text)
            && self.printed.is_new(Form::Narration, who, text)
        {
            paragraphs.push(self.prose(who, text));
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
        let mut paragraphs = self.told(event);
        paragraphs.extend(event.guarded.iter().map(|act| self.guarded(act)));
        paragraphs
    }

    /// How readers are told of an event; `None` if its type is unknown or its data don't fit it.
    pub(super) fn telling(&self, event: &EventRecord) -> Option<Box<dyn Telling>> {
        self.events.telling(event)
    }

    /// The name of the place to which an event belongs; empty if to none.
    pub(super) fn place_of(&self, event: &EventRecord) -> Arc<str> {
        let telling = self.telling(event);
        let place = telling.as_ref().and_then(|telling| telling.place());
        place.map_or_else(|| event.place.clone(), Into::into)
    }

    fn told(&mut self, event: &EventRecord) -> Vec<Paragraph> {
        let Some(telling) = self.telling(event) else {
            return vec![deed(&event.text)];
        };
        let to = Recipients {
            names: &[],
            language: self.language,
        };
        let speaker = event.speaker.as_deref().unwrap_or_default();
        let message = telling.words().unwrap_or_default();
        let style = telling.style();
        if event.without.is_some() {
            // Readers are told what the others perceived.
            let rest = self.seat.is_some().then(|| deed(&event.text));
            return rest.into_iter().collect();
        }
        if [EventStyle::Scene, EventStyle::Account].contains(&style) {
            self.roster.note_stage(speaker);
        }
        let is_prose =
            [EventStyle::Opening, EventStyle::Scene, EventStyle::Account].contains(&style);
        if self.printed.repeats(event, &*telling)
            || is_prose && self.printed.knows_look(speaker, message)
        {
            self.defaults.retain(|who, _| !is_prose || *who != *speaker);
            return Vec::new();
        }
        match style {
            EventStyle::Opening => vec![self.opening(speaker, message)],
            EventStyle::Scene => vec![self.prose(speaker, message)],
            // What it tells was told piece by piece.
            EventStyle::Account => {
                self.defaults.remove(speaker);
                Vec::new()
            }
            EventStyle::Speech => {
                let to = telling.target();
                let to = to.map(|target| say!(self.language, story_says_to, target));
                vec![self.said(speaker, &to.unwrap_or_default(), message, Style::Plain)]
            }
            EventStyle::Whisper => {
                let target = telling.target().unwrap_or_default();
                let to = say!(self.language, story_whispers_to, target);
                vec![self.said(speaker, &to, message, Style::Whisper)]
            }
            EventStyle::Announcement => self.announcement(speaker, message),
            EventStyle::Thought => {
                vec![self.aside(speaker, &say!(self.language, story_thinks), message)]
            }
            EventStyle::Look => self.look(&*telling),
            EventStyle::Working
            | EventStyle::ContestNote
            | EventStyle::Report
            | EventStyle::Memory
                if !self.shows_workings && !self.is_own(event) =>
            {
                // Of work that is told in full where it is shown, readers hear that it is done.
                let is_told = style == EventStyle::Working && telling.third_person(&to).is_some();
                let line = telling.line(&to).filter(|_| is_told);
                line.iter()
                    .map(|line| self.note(Style::Dim, line))
                    .collect()
            }
            EventStyle::Working | EventStyle::ContestNote | EventStyle::Note => {
                match telling.third_person(&to).or_else(|| telling.line(&to)) {
                    Some(note) => vec![self.note(Style::Dim, &note)],
                    None => vec![deed(&event.text)],
                }
            }
            EventStyle::Move | EventStyle::Departure | EventStyle::Place => {
                let line = telling
                    .line(&to)
                    .map(|line| line.in_language(self.language))
                    .unwrap_or_else(|| event.text.clone());
                if style == EventStyle::Departure {
                    self.begin(&*telling, &line)
                } else {
                    vec![moved(&line)]
                }
            }
            EventStyle::Fall => {
                let falls = telling
                    .line(&to)
                    .map(|line| line.in_language(self.language))
                    .unwrap_or_else(|| event.text.clone());
                vec![Paragraph::indented(4, 6).add(Style::Bad, falls)]
            }
            EventStyle::Memory => self.memory(event),
            EventStyle::Day | EventStyle::Round => self.day(&*telling),
            EventStyle::ContestBegins | EventStyle::Contest | EventStyle::ContestEnds => {
                self.fight(event).unwrap_or_else(|| vec![deed(&event.text)])
            }
            EventStyle::Lesson => self.lesson(event),
            EventStyle::HostDeed => vec![Paragraph::indented(4, 6).add(Style::Dim, &event.text)],
            EventStyle::Past if self.seat.is_none() => Vec::new(),
            EventStyle::Text | EventStyle::SceneText | EventStyle::Past => {
                let alone = telling.target().filter(|_| self.seat.is_none());
                vec![match alone {
                    Some(who) => {
                        let who = say!(self.language, story_alone, who);
                        self.aside(&who, "", &event.text)
                    }
                    None => Paragraph::indented(2, 2).plain(&event.text),
                }]
            }
            EventStyle::Showing => vec![deed(&self.without_known_look(event, &*telling))],
            EventStyle::Outcome => vec![outcome(event, message)],
            EventStyle::Choice => {
                let chosen = format!("◆ {}", event.text);
                vec![Paragraph::indented(2, 4).add(Style::Bold, chosen)]
            }
            EventStyle::Ending => {
                let words = telling.third_person(&to);
                let words = words.map(|words| words.in_language(self.language));
                let words = words.unwrap_or_else(|| event.text.clone());
                self.begin(&*telling, &words)
            }
            EventStyle::Hidden => Vec::new(),
            EventStyle::Deed | EventStyle::SharedDeed | EventStyle::Told | EventStyle::Report => {
                vec![deed(&event.text)]
            }
        }
    }

    /// Whether it is of the reader's own character alone: what it looked up or will remember.
    fn is_own(&self, event: &EventRecord) -> bool {
        let kinds = [Archive::TYPE, MemorySearch::TYPE, NothingNew::TYPE];
        self.seat.is_some() && kinds.contains(&&*event.kind)
    }

    /// Words for everybody everywhere.
    fn announcement(&mut self, who: &str, message: &str) -> Vec<Paragraph> {
        if who.is_empty() {
            return vec![Paragraph::indented(2, 2).plain(message)];
        }
        let announces = say!(self.language, story_announces);
        vec![self.said(who, &announces, message, Style::Voice)]
    }

    /// Everybody sees everybody; readers need each look once.
    fn look(&self, telling: &dyn Telling) -> Vec<Paragraph> {
        let asides = telling
            .sight()
            .map(|Sight { what, look }| self.aside(what, "", look));
        asides.into_iter().collect()
    }

    /// What an entity will remember; a place remembers what it has just told.
    fn memory(&self, event: &EventRecord) -> Vec<Paragraph> {
        let Some(Archive { actor, message, .. }) = event.read() else {
            return vec![deed(&event.text)];
        };
        if self.roster.is_stage(&actor) {
            return Vec::new();
        }
        let remembers = say!(self.language, story_remembers, actor);
        let row = Paragraph::indented(2, 4).add(Style::Dim, remembers);
        vec![row.plain(self.colon()).plain(message)]
    }

    /// Places learn too, but readers need not be told, nor what those who were there saw come true.
    fn lesson(&mut self, event: &EventRecord) -> Vec<Paragraph> {
        let Some(learned) = event.read::<Learned>() else {
            return vec![deed(&event.text)];
        };
        let who = self.roster.actors(&event.audience);
        if who.is_empty() || learned.is_made() && learned.from.is_empty() {
            return Vec::new();
        }
        vec![self.learned(&who, &learned)]
    }

    /// What actors have learned: the fact itself if it is new to readers, else what it is about.
    fn learned(&mut self, who: &[String], learned: &Learned) -> Paragraph {
        let Learned { fact, message, .. } = learned;
        let words = message.trim();
        let bare = words.trim_end_matches(['.', '。', '!', '！', '?', '？']);
        let was_said = self.spoken.iter().any(|said| said.contains(bare));
        let is_new = self.facts.insert(fact.clone()) && !was_said;
        let to = Recipients {
            names: who,
            language: self.language,
        };
        if is_new && !bare.is_empty() {
            self.note(Style::Plain, &learned.told_to(&to, words))
        } else {
            self.note(Style::Dim, &learned.titled(&to))
        }
    }

    /// The words of an event that shows an item; how it looks is said once.
    fn without_known_look(&mut self, event: &EventRecord, telling: &dyn Telling) -> String {
        let Some(Sight { what, look }) = telling.sight() else {
            return event.text.clone();
        };
        let look = look.trim();
        let is_new = self.printed.is_new_look(Sight { what, look });
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

    /// Free text: a stage's as narration, others' with their name.
    fn prose(&mut self, who: &str, text: &str) -> Paragraph {
        if self.roster.is_stage(who) {
            self.mark_default(Paragraph::indented(2, 2).plain(text), who)
        } else {
            self.said(who, "", text, Style::Plain)
        }
    }

    /// How a place is when the story begins, or an actor's first thought.
    fn opening(&mut self, who: &str, text: &str) -> Paragraph {
        if !self.roster.is_actor(who) {
            return self.prose(who, text);
        }
        let thought = self.aside(who, &say!(self.language, story_thinks), text);
        self.mark_default(thought, who)
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

    fn day(&mut self, telling: &dyn Telling) -> Vec<Paragraph> {
        let Some(begins) = telling.heading() else {
            return Vec::new();
        };
        let begins = begins.in_language(self.language);
        if telling.style() == EventStyle::Round {
            vec![Paragraph::blank(), heading("·", &begins)]
        } else {
            chapter(&begins)
        }
    }

    /// The heading of a chapter and the first words below it.
    fn begin(&self, telling: &dyn Telling, words: &str) -> Vec<Paragraph> {
        let title = telling
            .heading()
            .map(|title| title.in_language(self.language));
        let mut paragraphs = title.map_or_else(Vec::new, |title| chapter(&title));
        paragraphs.push(Paragraph::indented(2, 2).plain(words));
        paragraphs
    }

    fn guarded(&self, act: &GuardAct) -> Paragraph {
        let note = guard_note(act).in_language(self.language);
        Paragraph::indented(6, 8).add(Style::Dim, note)
    }

    /// Marks words and deeds of a default answer.
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
        subject(names, self.language)
    }

    pub(super) fn list(&self, items: &[String]) -> String {
        let items = Argument::list(items);
        say!(self.language, cli_list, items)
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

/// How an attempt came out: as the place tells it, and what it brought and cost.
fn outcome(event: &EventRecord, told: &str) -> Paragraph {
    let gains = event.text.split_once(told).filter(|_| !told.is_empty());
    Paragraph::indented(2, 2).plain(match gains {
        Some((_, gains)) => told.to_owned() + gains.trim_start_matches(['”', '"']),
        None => event.text.clone(),
    })
}

fn deed(text: &str) -> Paragraph {
    Paragraph::indented(2, 4).plain(text)
}

fn moved(text: &str) -> Paragraph {
    Paragraph::indented(2, 4).add(Style::Dim, format!("→ {text}"))
}

pub(super) fn heading(sign: &str, text: &str) -> Paragraph {
    Paragraph::default().add(Style::Bold, format!("{sign} {text} {sign}"))
}

/// The heading of a chapter, between empty rows.
fn chapter(text: &str) -> Vec<Paragraph> {
    vec![Paragraph::blank(), heading("═══", text), Paragraph::blank()]
}
