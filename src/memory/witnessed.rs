//! What an entity witnessed: the messages of its chapters and of its conversation, found by an
//! index that grows with them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bevy_ecs::prelude::*;
use serde::Serialize;
use serde_json::Value;

use super::index::{self, Index};
use crate::context::{AgentContext, Chapter, Chapters, Entry, EntryId};
use crate::message::{Body, Role, Tags};

/// A message fits if its score is at least this share of the best one's: one that merely stands
/// beside a hit does not.
const FITS: f32 = 0.4;

/// A memory that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Memory {
    /// What was witnessed, or a summary of it.
    pub text: String,
    /// Who said or did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<Arc<str>>,
    /// The day of the story, as its messages count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<Arc<str>>,
    /// Where the entity was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Arc<str>>,
    /// The chapter's title; `None` for what stands in the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chapter: Option<String>,
    /// The turn in which the chapter was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// Whether it is a chapter's summary.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub summary: bool,
    /// The message's id in the entity's conversation, that of the chapter's first for a summary.
    pub message: EntryId,
}

/// Of an entity with an [`AgentContext`]: the index of its closed chapters, which grows when
/// something is recalled. It follows from the chapters alone, so it is neither saved nor hashed.
#[derive(Component, Debug, Default)]
pub struct Witnessed(Mutex<Past>);

impl Witnessed {
    /// What an entity remembers for a question, best first: what was archived and does not stand in
    /// its prompt anyway.
    pub fn recall(
        &self,
        context: &AgentContext,
        chapters: &Chapters,
        question: &str,
        most: usize,
    ) -> Vec<Memory> {
        let mut past = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        past.grow(chapters);
        past.search(context, chapters, question, most)
    }
}

/// What an entity remembers for a question, best first, of all that it ever witnessed.
pub fn recall_all(
    context: &AgentContext,
    chapters: &Chapters,
    question: &str,
    most: usize,
) -> Vec<Memory> {
    let mut past = Past::default();
    past.grow(chapters);
    past.add_conversation(context);
    past.search(context, chapters, question, most)
}

/// Where a message of the index is.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The index of a chapter, and of one of its messages.
    Chapter(u32, u32),
    /// The index of a chapter, whose summary it is.
    Summary(u32),
    /// The index of an entry of the conversation.
    Conversation(u32),
}

#[derive(Debug, Default)]
struct Past {
    index: Index,
    sources: Vec<Source>,
    /// How many chapters are in the index.
    chapters: usize,
}

impl Past {
    /// Adds the chapters that were closed since the last time.
    fn grow(&mut self, chapters: &Chapters) {
        if chapters.all().len() < self.chapters {
            *self = Self::default();
        }
        for (at, chapter) in chapters.all().iter().enumerate().skip(self.chapters) {
            let mut day = first_day(chapter);
            for (number, held) in chapter.messages.iter().enumerate() {
                let message = &held.message;
                if let Some(Mark::Day(begun)) = Mark::of(&message.tags, &message.body) {
                    day = Some(begun);
                }
                // Summaries in a chapter were added with their own chapters.
                if is_witnessed(message.role, &message.body) && !is_summary(&message.tags) {
                    let source = Source::Chapter(at as u32, number as u32);
                    let own = speaker(message.role, &message.body, "");
                    let text = &message.body;
                    self.add(source, own, text, day.as_deref(), [&chapter.id.0, ""]);
                }
            }
            let source = Source::Summary(at as u32);
            let session = [&*chapter.id.0, &chapter.title];
            self.add(source, "", &chapter.summary, day.as_deref(), session);
            self.chapters += 1;
        }
    }

    fn add_conversation(&mut self, context: &AgentContext) {
        let mut day = None;
        for (at, entry) in context.entries().iter().enumerate() {
            let tags = context.tags(entry.id());
            let body = entry.body();
            if let Some(Mark::Day(begun)) = tags.and_then(|tags| Mark::of(tags, body)) {
                day = Some(begun);
            }
            if is_witnessed(entry.role(), body) && !tags.is_some_and(is_summary) {
                let own = speaker(entry.role(), body, context.name());
                let source = Source::Conversation(at as u32);
                self.add(source, own, body, day.as_deref(), ["", ""]);
            }
        }
    }

    fn add(
        &mut self,
        source: Source,
        speaker: &str,
        body: &Body,
        day: Option<&str>,
        [session, title]: [&str; 2],
    ) {
        let time = day.map(|day| format!("day {day}")).unwrap_or_default();
        self.index.add(&index::Entry {
            speaker,
            text: &body.full_text(),
            time: &time,
            session,
            about: &[title],
        });
        self.sources.push(source);
    }

    fn search(
        &self,
        context: &AgentContext,
        chapters: &Chapters,
        question: &str,
        most: usize,
    ) -> Vec<Memory> {
        let body = |entry: u32| {
            let source = self.sources.get(entry as usize)?;
            Some(match *source {
                Source::Chapter(chapter, number) => {
                    let chapter = chapters.all().get(chapter as usize)?;
                    &chapter.messages.get(number as usize)?.message.body
                }
                Source::Summary(chapter) => &chapters.all().get(chapter as usize)?.summary,
                Source::Conversation(at) => context.entries().get(at as usize)?.body(),
            })
        };
        let text = |entry| body(entry).map_or(Cow::Borrowed(""), Body::full_text);
        // Summaries in the prompt, and what is told twice, is left out.
        let wanted = most.saturating_mul(2).saturating_add(self.chapters.min(64));
        let mut hits = self.index.search(question, wanted, text);
        let best = hits.first().map_or(0.0, |hit| hit.score);
        hits.retain(|hit| hit.score >= FITS * best);
        let marks = marks(context, chapters);
        let mut found: Vec<Memory> = Vec::new();
        for hit in hits {
            let source = self.sources.get(hit.entry as usize);
            let memory = source.and_then(|source| memory(*source, context, chapters, &marks));
            let is_new = |memory: &Memory| found.iter().all(|known| known.text != memory.text);
            if found.len() < most
                && let Some(memory) = memory.filter(is_new)
            {
                found.push(memory);
            }
        }
        found
    }
}

/// What a source holds, with what is known of it; `None` for a summary that stands in the prompt.
fn memory(
    source: Source,
    context: &AgentContext,
    chapters: &Chapters,
    marks: &Marks,
) -> Option<Memory> {
    let of_chapter = |at: u32| chapters.all().get(at as usize);
    let (chapter, id, role, body) = match source {
        Source::Chapter(at, number) => {
            let chapter = of_chapter(at)?;
            let held = chapter.messages.get(number as usize)?;
            (
                Some(chapter),
                held.id,
                held.message.role,
                &held.message.body,
            )
        }
        Source::Summary(at) => {
            let chapter = of_chapter(at)?;
            let first = chapter.messages.first()?.id;
            let stands = context.message(first);
            if stands.is_some_and(|held| held.message.body.same(&chapter.summary)) {
                return None;
            }
            (Some(chapter), first, Role::Human, &chapter.summary)
        }
        Source::Conversation(at) => {
            let entry: &Entry = context.entries().get(at as usize)?;
            (None, entry.id(), entry.role(), entry.body())
        }
    };
    let speaker = match role {
        Role::Ai => Some(context.name().clone()),
        _ => body.sender().cloned(),
    };
    let is_summary = matches!(source, Source::Summary(_));
    Some(Memory {
        text: body.full_text().into_owned(),
        speaker,
        day: marks.days.at(id),
        place: marks.places.at(id),
        chapter: chapter.map(|chapter| chapter.title.clone()),
        turn: chapter.map(|chapter| chapter.turn),
        summary: is_summary,
        message: id,
    })
}

/// Whether a message is something that happened, was said or thought: not the rules, a question to
/// the mind, or the result of a tool.
fn is_witnessed(role: Role, body: &Body) -> bool {
    let is_event = || body.sender().is_some() || event(body).is_some();
    match role {
        Role::System | Role::Tool => false,
        Role::Ai => true,
        Role::Human => is_event() && event(body) != Some("query"),
    }
}

fn is_summary(tags: &Tags) -> bool {
    tags.text("chapter").is_some()
}

fn event(body: &Body) -> Option<&str> {
    body.metadata()?.get("event").and_then(Value::as_str)
}

fn speaker<'b>(role: Role, body: &'b Body, owner: &'b str) -> &'b str {
    match body.sender() {
        Some(sender) => sender,
        None if role == Role::Ai => owner,
        None => "",
    }
}

/// What a message says of where and when those after it are.
enum Mark {
    Day(Arc<str>),
    Place(Arc<str>),
}

impl Mark {
    fn of(tags: &Tags, body: &Body) -> Option<Self> {
        let text = |key: &str| tags.text(key).map(Arc::from);
        if let Some(day) = text("day_begin").or_else(|| text("day_end")) {
            return Some(Self::Day(day));
        }
        let arrived = || event(body).filter(|event| *event == "arrive");
        let place = text("combat_initialization");
        let place = place.or_else(|| arrived().and_then(|_| text("stage_transition")));
        place.map(Self::Place)
    }
}

/// The day of a chapter's first messages, by the first message that says.
fn first_day(chapter: &Chapter) -> Option<Arc<str>> {
    let mut marks = chapter
        .messages
        .iter()
        .filter_map(|held| Mark::of(&held.message.tags, &held.message.body));
    marks.find_map(|mark| match mark {
        Mark::Day(day) => Some(day),
        Mark::Place(_) => None,
    })
}

/// The days and places of a whole past, by the ids of the messages that begin them.
#[derive(Default)]
struct Marks {
    days: Marked,
    places: Marked,
}

#[derive(Default)]
struct Marked(BTreeMap<EntryId, Arc<str>>);

impl Marked {
    /// That of a message: the last that began before, or else the first.
    fn at(&self, id: EntryId) -> Option<Arc<str>> {
        let before = self.0.range(..=id).next_back();
        let (_, value) = before.or_else(|| self.0.first_key_value())?;
        Some(value.clone())
    }
}

fn marks(context: &AgentContext, chapters: &Chapters) -> Marks {
    let mut marks = Marks::default();
    let mut add = |id, tags: &Tags, body: &Body| match Mark::of(tags, body) {
        Some(Mark::Day(day)) => {
            marks.days.0.entry(id).or_insert(day);
        }
        Some(Mark::Place(place)) => {
            marks.places.0.entry(id).or_insert(place);
        }
        None => {}
    };
    for held in chapters.all().iter().flat_map(|chapter| &chapter.messages) {
        add(held.id, &held.message.tags, &held.message.body);
    }
    for entry in context.entries() {
        if let Some(tags) = context.tags(entry.id()) {
            add(entry.id(), tags, entry.body());
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::context::ChapterId;
    use crate::message::Tag;

    fn event(kind: &str, text: &str) -> Body {
        Body::text(text).with_metadata(Map::from_iter([("event".to_owned(), kind.into())]))
    }

    /// Ann's two days: the first is archived, the second in her prompt.
    fn two_days(lines: [&str; 3], summary: &str) -> (AgentContext, Chapters) {
        let mut context = AgentContext::new("Ann");
        context.add_system_message("You are Ann.").unwrap();
        let begin = context.add_human_message(event("day", "Day 1."), Tag::DayBegin("1".into()));
        context.add_human_message(Body::text("What do you do?"), Tags::new());
        let arrival = Tag::StageTransition("Hall".into());
        context.add_human_message(event("arrive", "Ann arrives at the Hall."), arrival);
        context.add_human_message(event("speak", lines[0]).from_sender("Bob"), Tags::new());
        let end = context.add_human_message(event("speak", lines[1]), Tags::new());
        context.add_human_message(event("day", "Day 2."), Tag::DayBegin("2".into()));
        context.add_human_message(event("speak", lines[2]).from_sender("Bob"), Tags::new());
        let summary = event("archive", summary);
        let tags = Tag::Chapter("Ann/1".into());
        let messages = context.replace_message_range(begin, end, summary.clone(), tags);
        let mut chapters = Chapters::default();
        chapters.close(Chapter {
            record: None,
            id: ChapterId("Ann/1".into()),
            title: "The first day".into(),
            turn: 3,
            messages: messages.unwrap(),
            summing_up: Vec::new(),
            summary,
        });
        (context, chapters)
    }

    #[test]
    fn what_was_archived_is_found_with_its_day_and_source() {
        let lines = [
            "Bob says to Ann: “The rope was cut with a bread knife.”",
            "A gull lands on the table.",
            "Bob says to Ann: “No more of the rope.”",
        ];
        let (context, chapters) = two_days(lines, "Bob told me of the rope.");
        let witnessed = Witnessed::default();
        let recall = |question| witnessed.recall(&context, &chapters, question, 5);
        let found = recall("With what were ropes cut?");
        let texts: Vec<_> = found.iter().map(|memory| memory.text.as_str()).collect();
        assert_eq!(texts[0], lines[0]);
        let stands = |text: &&str| text.contains("No more") || text.contains("told me");
        assert!(
            !texts.iter().any(stands),
            "it stands in the prompt: {texts:?}"
        );
        assert_eq!(found[0].speaker.as_deref(), Some("Bob"));
        assert_eq!(found[0].day.as_deref(), Some("1"));
        assert_eq!(found[0].place.as_deref(), Some("Hall"));
        assert_eq!(found[0].chapter.as_deref(), Some("The first day"));
        assert!(recall("").is_empty() && recall("xylophone").is_empty());
        let all = recall_all(&context, &chapters, "What did Bob say of the rope?", 5);
        assert!(all.len() >= 2, "{all:?}");
        assert!(all.iter().any(|memory| memory.day.as_deref() == Some("2")));
    }

    #[test]
    fn a_chinese_question_finds_what_it_asks_for() {
        let lines = [
            "老闻说：“渡口的船昨夜沉了。”",
            "院子里下着雨。",
            "老闻说：“别提了。”",
        ];
        let (context, chapters) = two_days(lines, "老闻说了些事。");
        let found = Witnessed::default().recall(&context, &chapters, "船是怎么沉的？", 1);
        assert_eq!(found[0].text, lines[0]);
    }

    #[test]
    fn an_index_of_other_chapters_is_made_anew() {
        let lines = ["The bell is cracked.", "Rain.", "Sun."];
        let (context, chapters) = two_days(lines, "Nothing much.");
        let witnessed = Witnessed::default();
        assert!(!witnessed.recall(&context, &chapters, "bell", 5).is_empty());
        let none = Chapters::default();
        assert!(witnessed.recall(&context, &none, "bell", 5).is_empty());
        assert!(!witnessed.recall(&context, &chapters, "bell", 5).is_empty());
    }
}
