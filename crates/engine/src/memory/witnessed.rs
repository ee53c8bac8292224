//! What an entity witnessed: the messages of its chapters and of its conversation, found by an
//! index that grows with them.

use std::borrow::Cow;
use std::cell::{LazyCell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use bevy_ecs::prelude::*;
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use super::cues::Cues;
use super::index::{self, FITS, Index};
use super::told::{AnswerWords, gist};
use super::vectors::{Meaning, Vectors, read_part};
use super::words::telling;
use crate::context::{AgentContext, Chapter, Chapters, Entry, EntryId, Note};
use crate::event::AgentEvent;
use crate::event::kinds::MemorySearch;
use crate::message::{Body, Message, Role, Tags, cut, tokens};

/// How many hits of each cue count, and how fast they count less by rank.
const HITS: usize = 6;
const RANK: f32 = 4.0;
/// How much less than a hit a message counts that concerns a person who is there.
const OF_PERSON: f32 = 0.6;
/// How many messages about a person are kept for this, and how many of them count.
const MOST_OF_PERSON: usize = 16;
const HITS_OF_PERSON: usize = 2;
/// How much of the latest past are cues: messages, and characters of each.
const CUES: usize = 6;
const CUE_CHARS: usize = 600;
/// The most memories that come at once, the most characters of each, and the tokens of what
/// surrounds it.
const COME: usize = 3;
const COME_CHARS: usize = 280;
const LINE_TOKENS: u64 = 12;
/// What a note must weigh for its message to come by itself. What no record notes is talk.
const NOTABLE: u8 = 2;
/// A message is a formula if one of another chapter has this share of its telling words.
const FORMULA: f32 = 0.6;
/// For how many days nothing comes to mind again by itself.
const REST: u32 = 3;
/// The most messages whose telling words are cached, and the most cues whose hits are.
const CACHED_TEXTS: usize = 4096;
const CACHED_CUES: usize = 64;

/// What an event is to a memory. See `AgentEvent` for what its members mean.
#[derive(Clone, Copy, Debug)]
pub struct EventTraits {
    /// Whether receiving it triggers automatic recall.
    pub triggers_recall: bool,
    pub recallable: bool,
}

impl Default for EventTraits {
    fn default() -> Self {
        Self {
            triggers_recall: true,
            recallable: true,
        }
    }
}

/// What a memory needs to know of the world, to read what was witnessed in it.
#[derive(Clone, Copy)]
pub struct Lens<'l> {
    /// The name of a place by its stable number, which the ids of messages hold.
    pub places: &'l dyn Fn(u32) -> Option<Arc<str>>,
    /// What an event is to a memory, by the name of its type.
    pub events: &'l dyn Fn(&str) -> EventTraits,
    pub words: &'l AnswerWords,
    /// Whether a message came to mind so lately that it doesn't come again by itself.
    pub rests: &'l dyn Fn(EntryId) -> bool,
}

impl<'l> Lens<'l> {
    /// A lens that knows no places and takes all events for news.
    pub fn of(words: &'l AnswerWords) -> Self {
        Self {
            places: &|_| None,
            events: &|_| EventTraits::default(),
            words,
            rests: &|_| false,
        }
    }
}

/// A memory that was found.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Memory {
    /// What was witnessed, or a summary of it.
    pub text: String,
    /// Who said or did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<Arc<str>>,
    /// The day of the story, as its messages count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<Arc<str>>,
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

/// Which memories came to an entity's mind of late, with the day on which each did.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CameToMind(BTreeMap<EntryId, u32>);

impl CameToMind {
    /// Notes what came on a day.
    pub(crate) fn note(&mut self, messages: impl IntoIterator<Item = EntryId>, today: u32) {
        self.0.retain(|_, day| today <= day.saturating_add(REST));
        self.0
            .extend(messages.into_iter().map(|message| (message, today)));
    }

    /// Whether a memory came so lately that it doesn't come again. Without days, none does.
    pub(crate) fn rests(&self, message: EntryId, today: u32) -> bool {
        let came = self.0.get(&message);
        came.is_some_and(|day| today > 0 && today <= day.saturating_add(REST))
    }
}

/// Of an entity with an [`AgentContext`]: the index of its closed chapters, which grows when
/// something is recalled. It follows from the chapters alone, so it is neither saved nor hashed.
#[derive(Component, Debug, Default)]
pub struct Witnessed(Mutex<Past>);

impl Witnessed {
    /// The archived messages that fit a question and don't stand in the prompt, best first.
    pub fn recall(
        &self,
        (context, chapters): (&AgentContext, &Chapters),
        lens: Lens<'_>,
        question: (&str, Option<Meaning<'_>>),
        most: usize,
    ) -> Vec<Memory> {
        let mut past = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        past.grow(chapters, lens);
        past.search((context, chapters), lens, question, most)
    }

    /// The archived messages that bear on the present, oldest first: those that speak of the same
    /// as the cues and as the messages since the entity's last answer, and those about what
    /// happened between it and the people who are there. Nothing that its prompt tells already, no
    /// summaries, and no more tokens than there is room for. With the vector of
    /// [the present](Self::asked), also messages of a meaning near to it.
    pub fn associate(
        &self,
        (context, chapters): (&AgentContext, &Chapters),
        lens: Lens<'_>,
        (cues, meaning): (&Cues, Option<Meaning<'_>>),
        (question, room): (&str, u64),
    ) -> Vec<Memory> {
        if chapters.all().is_empty() {
            return Vec::new();
        }
        let mut past = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        past.grow(chapters, lens);
        past.related_to((context, chapters), lens, (cues, meaning), (question, room))
    }

    /// The present in one text of which a vector can be made: the cues of an ask, and the messages
    /// since the last answer.
    pub fn asked(context: &AgentContext, cues: &Cues, lens: Lens<'_>) -> String {
        let given = cues.texts.iter().map(|text| Cow::Borrowed(text.as_str()));
        let texts: Vec<_> = given.chain(latest(context, lens)).collect();
        read_part(&texts.join("\n")).to_owned()
    }
}

/// What was said and done since the entity's last answer, latest first.
fn latest<'c>(context: &'c AgentContext, lens: Lens<'_>) -> Vec<Cow<'c, str>> {
    let is_cue = |entry: &&Entry| {
        let is_news = entry
            .body()
            .event_type()
            .is_none_or(|kind| (lens.events)(kind).triggers_recall);
        is_news
            && is_witnessed(entry.role(), entry.body(), lens.words)
            && !context.tags(entry.id()).is_some_and(is_summary)
    };
    let entries = context.entries().iter().rev();
    entries
        .take_while(|entry| entry.role() != Role::Ai)
        .filter(is_cue)
        .take(CUES)
        .map(|entry| entry.body().full_text())
        .collect()
}

/// What an entity remembers for a question, best first, of all that it ever witnessed.
pub fn recall_all(
    (context, chapters): (&AgentContext, &Chapters),
    lens: Lens<'_>,
    question: (&str, Option<Meaning<'_>>),
    most: usize,
) -> Vec<Memory> {
    let mut past = Past::default();
    past.grow(chapters, lens);
    past.add_conversation(context, lens);
    past.search((context, chapters), lens, question, most)
}

/// What an entity's conversation has for a question, best first.
pub fn recall_conversation(
    context: &AgentContext,
    lens: Lens<'_>,
    question: &str,
    most: usize,
) -> Vec<Memory> {
    let mut past = Past::default();
    past.add_conversation(context, lens);
    past.search(
        (context, &Chapters::default()),
        lens,
        (question, None),
        most,
    )
}

/// What a chapter makes an entity remember, as it is indexed.
pub fn chapter_texts<'c>(
    chapter: &'c Chapter,
    words: &AnswerWords,
) -> impl Iterator<Item = Cow<'c, str>> {
    let is_told = |message: &&Message| {
        is_witnessed(message.role, &message.body, words) && !is_summary(&message.tags)
    };
    let messages = chapter.messages.iter().map(|held| &held.message);
    messages
        .filter(is_told)
        .map(|message| words.told(message.role, &message.body))
        .chain([chapter.summary.full_text()])
}

/// The same of a conversation.
pub fn conversation_texts<'c>(
    context: &'c AgentContext,
    words: &AnswerWords,
) -> impl DoubleEndedIterator<Item = Cow<'c, str>> {
    let entries = context.entries().iter();
    let told = entries.filter(|entry| is_witnessed(entry.role(), entry.body(), words));
    told.map(|entry| words.told(entry.role(), entry.body()))
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
    /// The days that messages of these chapters begin.
    days: Days,
    /// The messages of the index that concern each person, with how much they weigh, most first.
    people: BTreeMap<Arc<str>, Vec<(u8, u32)>>,
    /// The messages of the index that can come by themselves, of chapters that have a record.
    notable: BTreeSet<u32>,
    /// The telling words of messages of the index that a cue has found: the same ones are found
    /// again and again.
    telling_words: RefCell<BTreeMap<u32, TellingWords>>,
    /// Whether messages of the index are formulas.
    formulas: RefCell<BTreeMap<u32, bool>>,
    /// What cues have found since the index last grew: what is at stake stays so from ask to ask.
    found: RefCell<BTreeMap<Box<str>, Vec<u32>>>,
    /// The model of the vectors that the index has, and how many there were of it when they were
    /// taken over, and for how many messages.
    vectors: Option<(Arc<str>, usize, usize)>,
}

/// The telling words of a text.
type TellingWords = Arc<[[u32; 2]]>;

impl Past {
    /// Adds the chapters that were closed since the last time.
    fn grow(&mut self, chapters: &Chapters, lens: Lens<'_>) {
        if chapters.all().len() < self.chapters {
            *self = Self::default();
        }
        if chapters.all().len() > self.chapters {
            self.found.get_mut().clear();
            self.formulas.get_mut().clear();
        }
        for (chapter_index, chapter) in chapters.all().iter().enumerate().skip(self.chapters) {
            let mut day = first_day(chapter);
            let notes = chapter
                .record
                .as_ref()
                .map_or(&[][..], |record| &record.notes);
            for (number, held) in chapter.messages.iter().enumerate() {
                let message = &held.message;
                if let Some(begun) = day_of(&message.tags) {
                    self.days.0.entry(held.id).or_insert(begun.clone());
                    day = Some(begun);
                }
                // Summaries in a chapter were added with their own chapters.
                if is_witnessed(message.role, &message.body, lens.words)
                    && !is_summary(&message.tags)
                {
                    let source = Source::Chapter(chapter_index as u32, number as u32);
                    let own = speaker(message.role, &message.body, "");
                    let text = lens.words.told(message.role, &message.body);
                    let first = notes.partition_point(|note| note.entry < held.id);
                    let from = notes.get(first..).unwrap_or_default().iter();
                    let said = LazyCell::new(|| telling(&text));
                    let is_said = |fact: &&str| {
                        let words = telling(fact);
                        let shared = words.iter().filter(|word| said.binary_search(word).is_ok());
                        2 * shared.count() >= words.len()
                    };
                    let mut about = Vec::new();
                    for note in from.take_while(|note| note.entry == held.id) {
                        let people = note.happening.people();
                        let is_person = |fact: &str| people.iter().any(|name| **name == *fact);
                        let facts: Vec<_> = note.happening.facts().collect();
                        let mut things = facts.iter().filter(|fact| !is_person(fact));
                        // Words that only lead up to what was told or given bring nothing back.
                        if things.all(is_said) {
                            self.note(note, self.sources.len() as u32);
                        }
                        about.extend(facts.into_iter().filter(|fact| !text.contains(*fact)));
                    }
                    let session = &chapter.id.0;
                    self.add(source, [own, &text, session], day.as_deref(), &about);
                }
            }
            let source = Source::Summary(chapter_index as u32);
            let summary = chapter.summary.full_text();
            let texts = ["", &*summary, &*chapter.id.0];
            self.add(source, texts, day.as_deref(), &[&chapter.title]);
            self.chapters += 1;
        }
    }

    /// Notes whom a message of the index concerns.
    fn note(&mut self, note: &Note, entry: u32) {
        let weight = note.happening.weight();
        if weight < NOTABLE {
            return;
        }
        self.notable.insert(entry);
        // What nobody told has an empty name.
        let people = note.happening.people().iter();
        for name in people.filter(|name| !name.is_empty()) {
            let messages = self.people.entry(name.clone()).or_default();
            // Of those that weigh the same, the latest first.
            let place = messages.partition_point(|(known, _)| *known > weight);
            if place < MOST_OF_PERSON && messages.get(place) != Some(&(weight, entry)) {
                messages.insert(place, (weight, entry));
                messages.truncate(MOST_OF_PERSON);
            }
        }
    }

    fn add_conversation(&mut self, context: &AgentContext, lens: Lens<'_>) {
        let mut day = None;
        for (entry_index, entry) in context.entries().iter().enumerate() {
            let tags = context.tags(entry.id());
            let body = entry.body();
            day = tags.and_then(day_of).or(day);
            if is_witnessed(entry.role(), body, lens.words) && !tags.is_some_and(is_summary) {
                let own = speaker(entry.role(), body, context.name());
                let source = Source::Conversation(entry_index as u32);
                let text = lens.words.told(entry.role(), body);
                self.add(source, [own, &text, ""], day.as_deref(), &[]);
            }
        }
    }

    fn add(
        &mut self,
        source: Source,
        [speaker, text, session]: [&str; 3],
        day: Option<&str>,
        about: &[&str],
    ) {
        let time = day.map(|day| format!("day {day}")).unwrap_or_default();
        self.index.add(&index::IndexEntry {
            speaker,
            text,
            time: &time,
            session,
            about,
        });
        self.sources.push(source);
    }

    /// The text of a message of the index.
    fn text<'p>(
        &self,
        entry: u32,
        (context, chapters): (&'p AgentContext, &'p Chapters),
        words: &AnswerWords,
    ) -> Cow<'p, str> {
        let find = || {
            let source = self.sources.get(entry as usize)?;
            Some(match *source {
                Source::Chapter(chapter, number) => {
                    let chapter = chapters.all().get(chapter as usize)?;
                    let message = &chapter.messages.get(number as usize)?.message;
                    words.told(message.role, &message.body)
                }
                Source::Summary(chapter) => {
                    chapters.all().get(chapter as usize)?.summary.full_text()
                }
                Source::Conversation(index) => {
                    let entry = context.entries().get(index as usize)?;
                    words.told(entry.role(), entry.body())
                }
            })
        };
        find().unwrap_or_default()
    }

    /// The telling words of a message of the index.
    fn telling_words<'t>(&self, entry: u32, text: impl Fn(u32) -> Cow<'t, str>) -> TellingWords {
        let mut cached = self.telling_words.borrow_mut();
        if cached.len() == CACHED_TEXTS && !cached.contains_key(&entry) {
            cached.clear();
        }
        cached
            .entry(entry)
            .or_insert_with(|| telling(&text(entry)).into())
            .clone()
    }

    /// Whether nearly the same was said or done in another chapter: a manner of speaking, or
    /// something that happens again and again, and so nothing that one remembers.
    fn is_formula<'t>(&self, entry: u32, text: impl Fn(u32) -> Cow<'t, str> + Copy) -> bool {
        if let Some(known) = self.formulas.borrow().get(&entry) {
            return *known;
        }
        let chapter = |entry: u32| match self.sources.get(entry as usize) {
            Some(Source::Chapter(chapter, _)) => Some(*chapter),
            _ => None,
        };
        let own = self.telling_words(entry, text);
        let says_it = |other: u32| {
            let words = self.telling_words(other, text);
            let shared = own
                .iter()
                .filter(|word| words.binary_search(word).is_ok())
                .count();
            shared as f32 >= FORMULA * own.len() as f32
        };
        let hits = self.index.search_rare(&text(entry), 2 * HITS, text);
        let elsewhere = hits.iter().map(|hit| hit.entry);
        let is_formula = elsewhere
            .filter(|other| chapter(*other).is_some_and(|other| Some(other) != chapter(entry)))
            .any(says_it);
        self.formulas.borrow_mut().insert(entry, is_formula);
        is_formula
    }

    /// Gives the messages of the index the vectors that they lack.
    fn take_vectors(
        &mut self,
        vectors: &Vectors,
        past: (&AgentContext, &Chapters),
        words: &AnswerWords,
    ) {
        let taken = Some((vectors.model.clone(), vectors.len(), self.sources.len()));
        if self.vectors == taken {
            return;
        }
        let model = self.vectors.as_ref().map(|(model, ..)| model);
        if model != Some(&vectors.model) {
            self.index.vectors.clear();
        }
        for entry in 0..self.sources.len() as u32 {
            if !self.index.vectors.contains_key(&entry)
                && let Some(vector) = vectors.get(&self.text(entry, past, words))
            {
                // All have the same width, unless a save was changed.
                let _ = self.index.add_vector(entry, vector.clone());
            }
        }
        self.vectors = taken;
    }

    fn related_to(
        &mut self,
        (context, chapters): (&AgentContext, &Chapters),
        lens: Lens<'_>,
        (cues, meaning): (&Cues, Option<Meaning<'_>>),
        (question, room): (&str, u64),
    ) -> Vec<Memory> {
        if let Some(meaning) = meaning {
            self.take_vectors(meaning.vectors, (context, chapters), lens.words);
        }
        let text = |entry| self.text(entry, (context, chapters), lens.words);
        let may_come = |entry: u32| match self.sources.get(entry as usize) {
            Some(Source::Chapter(chapter, number)) => {
                let chapter = chapters.all().get(*chapter as usize);
                let held = chapter.and_then(|chapter| chapter.messages.get(*number as usize));
                let kind = held.and_then(|held| held.message.body.event_type());
                let has_record = chapter.is_some_and(|chapter| chapter.record.is_some());
                (!has_record || self.notable.contains(&entry))
                    && kind.is_none_or(|kind| (lens.events)(kind).recallable)
            }
            _ => false,
        };
        let mut scores: BTreeMap<u32, f32> = BTreeMap::new();
        let latest = latest(context, lens);
        let given = cues.texts.iter().map(|text| Cow::Borrowed(text.as_str()));
        for cue in latest.into_iter().chain(given) {
            let end = cue.char_indices().nth(CUE_CHARS).map(|(end, _)| end);
            let cue = end.and_then(|end| cue.get(..end)).unwrap_or(&cue);
            let mut found = self.found.borrow_mut();
            if found.len() == CACHED_CUES && !found.contains_key(cue) {
                found.clear();
            }
            let hits = found.entry(cue.into()).or_insert_with(|| {
                let about = telling(cue);
                let hits = self.index.search_rare(cue, 2 * HITS, text);
                let fits = FITS * hits.first().map_or(0.0, |hit| hit.score);
                let speaks_of_it = |entry: &u32| {
                    let own = self.telling_words(*entry, text);
                    self.index.share_rare_terms(&own, &about)
                };
                hits.iter()
                    .filter(|hit| hit.score >= fits && may_come(hit.entry))
                    .map(|hit| hit.entry)
                    .filter(speaks_of_it)
                    .take(HITS)
                    .collect()
            });
            for (rank, entry) in (0_u8..).zip(hits) {
                *scores.entry(*entry).or_default() += 1.0 / (RANK + f32::from(rank));
            }
        }
        if let Some(meaning) = meaning {
            let near = self.index.outstanding(meaning.question);
            let can_come = near.iter().filter(|hit| may_come(hit.entry));
            for (rank, hit) in (0_u8..).zip(can_come.take(HITS)) {
                *scores.entry(hit.entry).or_default() += 1.0 / (RANK + f32::from(rank));
            }
        }
        for person in &cues.people {
            let concern = self.people.get(person).into_iter().flatten();
            for (rank, (_, entry)) in (0_u8..).zip(concern.take(HITS_OF_PERSON)) {
                *scores.entry(*entry).or_default() += OF_PERSON / (RANK + f32::from(rank));
            }
        }
        let mut best: Vec<_> = scores.into_iter().collect();
        // The best first, of equals the latest.
        best.sort_by_key(|(entry, score)| Reverse((score.to_bits(), *entry)));
        let days = [&self.days, &days_of(context)];
        // What a record, a message of the conversation or the question tells need not come to mind.
        let stands = |gist: &str| {
            let gist = Finder::new(gist);
            let told = context.entries().iter().map(|entry| match entry.role() {
                Role::Tool => entry.body().shown(),
                _ => entry.body().short_text(),
            });
            let mut texts = told.chain([Cow::Borrowed(question)]);
            texts.any(|text| gist.find(text.as_bytes()).is_some())
        };
        let mut gists: Vec<String> = Vec::new();
        let mut left = room;
        let mut come: Vec<Memory> = Vec::new();
        for (entry, _) in best {
            if come.len() == COME {
                break;
            }
            let source = self.sources.get(entry as usize);
            let memory = source.and_then(|source| memory(*source, (context, chapters), lens, days));
            let concerns = |memory: &Memory| {
                let is_about = |name: &Arc<str>| {
                    let mut noted = self.people.get(name).into_iter().flatten();
                    memory.text.contains(&**name) || noted.any(|(_, noted)| *noted == entry)
                };
                cues.people.is_empty() || cues.people.iter().any(is_about)
            };
            let is_due =
                |memory: &Memory| !(lens.rests)(memory.message) && !self.is_formula(entry, text);
            let Some(mut memory) = memory.filter(concerns).filter(is_due) else {
                continue;
            };
            let gist = gist(&memory.text).to_owned();
            let is_known = |known: &String| known.contains(&gist) || gist.contains(known.as_str());
            if stands(&gist) || gists.iter().any(is_known) {
                continue;
            }
            memory.text = cut(&memory.text, COME_CHARS);
            let tokens = u64::from(tokens::estimate(&memory.text)) + LINE_TOKENS;
            if tokens <= left {
                left -= tokens;
                gists.push(gist);
                come.push(memory);
            }
        }
        come.sort_by_key(|memory| memory.message);
        come
    }

    fn search(
        &mut self,
        (context, chapters): (&AgentContext, &Chapters),
        lens: Lens<'_>,
        (question, meaning): (&str, Option<Meaning<'_>>),
        most: usize,
    ) -> Vec<Memory> {
        if let Some(meaning) = meaning {
            self.take_vectors(meaning.vectors, (context, chapters), lens.words);
        }
        let text = |entry| self.text(entry, (context, chapters), lens.words);
        // Summaries in the prompt, and what is told twice, is left out.
        let wanted = most.saturating_mul(2).saturating_add(self.chapters.min(64));
        let meaning = meaning.map(|meaning| meaning.question);
        let hits = self.index.fitting((question, meaning), wanted, text);
        let days = [&self.days, &days_of(context)];
        let mut found: Vec<Memory> = Vec::new();
        for hit in hits {
            let source = self.sources.get(hit.entry as usize);
            let memory = source.and_then(|source| memory(*source, (context, chapters), lens, days));
            // Later summaries repeat much of earlier ones, so the best of them is enough.
            let is_new = |memory: &Memory| {
                let mut known = found.iter();
                known.all(|known| known.text != memory.text && !(known.summary && memory.summary))
            };
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
    (context, chapters): (&AgentContext, &Chapters),
    lens: Lens<'_>,
    days: [&Days; 2],
) -> Option<Memory> {
    let of_chapter = |index: u32| chapters.all().get(index as usize);
    let (chapter, id, role, body) = match source {
        Source::Chapter(index, number) => {
            let chapter = of_chapter(index)?;
            let held = chapter.messages.get(number as usize)?;
            (
                Some(chapter),
                held.id,
                held.message.role,
                &held.message.body,
            )
        }
        Source::Summary(index) => {
            let chapter = of_chapter(index)?;
            let first = chapter.messages.first()?.id;
            let stands = context.message(first);
            if stands.is_some_and(|held| held.message.body.same(&chapter.summary)) {
                return None;
            }
            (Some(chapter), first, Role::Human, &chapter.summary)
        }
        Source::Conversation(index) => {
            let entry: &Entry = context.entries().get(index as usize)?;
            (None, entry.id(), entry.role(), entry.body())
        }
    };
    let speaker = match role {
        Role::Ai => Some(context.name().clone()),
        _ => body.sender().cloned(),
    };
    let is_summary = matches!(source, Source::Summary(_));
    Some(Memory {
        text: lens.words.told(role, body).into_owned(),
        speaker,
        day: Days::at(days, id),
        // A world agent is its own place.
        place: (lens.places)(body.id().place).filter(|place| place != context.name()),
        chapter: chapter.map(|chapter| chapter.title.clone()),
        turn: chapter.map(|chapter| chapter.turn),
        summary: is_summary,
        message: id,
    })
}

/// Whether a message is something that happened, was said or thought: not the rules, a question to
/// the mind, or the result of a tool.
fn is_witnessed(role: Role, body: &Body, words: &AnswerWords) -> bool {
    let is_event = || body.sender().is_some() || body.event_type().is_some();
    match role {
        Role::System | Role::Tool => false,
        Role::Ai => !words.told(role, body).is_empty(),
        Role::Human => is_event() && body.event_type() != Some(MemorySearch::TYPE),
    }
}

fn is_summary(tags: &Tags) -> bool {
    tags.text("chapter").is_some()
}

fn speaker<'b>(role: Role, body: &'b Body, owner: &'b str) -> &'b str {
    match body.sender() {
        Some(sender) => sender,
        None if role == Role::Ai => owner,
        None => "",
    }
}

/// The day that begins or ends with a message, as the messages count them.
fn day_of(tags: &Tags) -> Option<Arc<str>> {
    let day = tags.text("day_begin").or_else(|| tags.text("day_end"))?;
    Some(Arc::from(day))
}

/// The day of a chapter's first messages, by the first message that says.
fn first_day(chapter: &Chapter) -> Option<Arc<str>> {
    let mut messages = chapter.messages.iter();
    messages.find_map(|held| day_of(&held.message.tags))
}

/// Days, by the ids of the messages that begin them.
#[derive(Debug, Default)]
struct Days(BTreeMap<EntryId, Arc<str>>);

impl Days {
    /// That of a message: the last that began before, or else the first.
    fn at(days: [&Self; 2], id: EntryId) -> Option<Arc<str>> {
        let before = days
            .iter()
            .filter_map(|each| each.0.range(..=id).next_back());
        let first = || {
            days.iter()
                .filter_map(|each| each.0.first_key_value())
                .min()
        };
        let (_, day) = before.max().or_else(first)?;
        Some(day.clone())
    }
}

/// Those of the conversation.
fn days_of(context: &AgentContext) -> Days {
    let tagged = context.tagged();
    Days(
        tagged
            .filter_map(|(id, tags)| Some((id, day_of(tags)?)))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use serde_json::Map;

    use super::*;
    use crate::context::{ChapterId, ChapterRecord, Common};
    use crate::message::{BodyId, Tag};

    fn hall(id: u32) -> Option<Arc<str>> {
        (id == 7).then(|| "Hall".into())
    }

    static WORDS: LazyLock<AnswerWords> = LazyLock::new(AnswerWords::default);

    fn lens() -> Lens<'static> {
        Lens {
            places: &hall,
            ..Lens::of(&WORDS)
        }
    }

    fn event(kind: &str, text: &str) -> Body {
        let id = BodyId {
            place: 7,
            number: 1,
        };
        Body::text(text)
            .with_id(id)
            .with_metadata(Map::from_iter([("event".to_owned(), kind.into())]))
    }

    /// Ann's two days: the first is archived, the second in her prompt.
    fn two_days(lines: [&str; 3], summary: &str) -> (AgentContext, Chapters) {
        let mut context = AgentContext::new("Ann");
        context.add_system_message("You are Ann.").unwrap();
        let begin = context.add_human_message(event("day", "Day 1."), Tag::DAY_BEGIN.of("1"));
        context.add_human_message(Body::text("What do you do?"), Tags::new());
        let arrival = Tag::STAGE_TRANSITION.of("Hall");
        context.add_human_message(event("arrive", "Ann arrives at the Hall."), arrival);
        context.add_human_message(event("speak", lines[0]).from_sender("Bob"), Tags::new());
        let end = context.add_human_message(event("speak", lines[1]), Tags::new());
        context.add_human_message(event("day", "Day 2."), Tag::DAY_BEGIN.of("2"));
        context.add_human_message(event("speak", lines[2]).from_sender("Bob"), Tags::new());
        let summary = event("archive", summary);
        let tags = Tag::CHAPTER.of("Ann/1");
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
        let recall =
            |question| witnessed.recall((&context, &chapters), lens(), (question, None), 5);
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
        let memories = recall_all(
            (&context, &chapters),
            lens(),
            ("What did Bob say of the rope?", None),
            5,
        );
        assert!(memories.len() >= 2, "{memories:?}");
        assert!(
            memories
                .iter()
                .any(|memory| memory.day.as_deref() == Some("2"))
        );
    }

    #[test]
    fn what_bears_on_what_was_just_said_comes_to_mind() {
        let lines = [
            "Bob says to Ann: “The rope of the ferry was cut with a bread knife.”",
            "A gull lands on the table.",
            "Bob says to Ann: “Who cut the ferry rope?”",
        ];
        let (mut context, chapters) = two_days(lines, "Bob told me of it.");
        let witnessed = Witnessed::default();
        let come = |context: &AgentContext, cues: &Cues, room| {
            let past = (context, &chapters);
            let memories = witnessed.associate(past, lens(), (cues, None), ("", room));
            let texts = memories.into_iter().map(|memory| memory.text);
            texts.collect::<Vec<_>>()
        };
        let none = Cues::default();
        assert_eq!(come(&context, &none, 600), [lines[0]]);
        assert!(come(&context, &none, 10).is_empty(), "there is no room");
        // Once it was answered, it is no longer a cue.
        assert!(context.add_ai_message([Body::text("No idea.")]).is_ok());
        assert!(come(&context, &none, 600).is_empty());
        let at_stake = Cues {
            texts: vec!["Find out whose knife cut the rope".into()],
            ..Cues::default()
        };
        assert_eq!(come(&context, &at_stake, 600), [lines[0]]);
    }

    #[test]
    fn what_a_record_does_not_note_what_is_said_often_and_what_just_came_stays_away() {
        let lines = [
            "Bob says to Ann: “The rope of the ferry was cut with a bread knife.”",
            "A gull lands on the table.",
            "Bob says to Ann: “Who cut the ferry rope?”",
        ];
        let (context, chapters) = two_days(lines, "Bob told me of it.");
        let closed = chapters.all()[0].clone();
        let mut told = closed.messages.iter();
        let told = told.find(|held| held.message.body.full_text() == lines[0]);
        let told = told.unwrap().id;
        let come = |records: &[Option<ChapterRecord>], rests: bool, there: &[&str]| {
            let mut chapters = Chapters::default();
            for (number, record) in records.iter().enumerate() {
                chapters.close(Chapter {
                    record: record.clone(),
                    id: ChapterId(format!("Ann/{number}").into()),
                    ..(*closed).clone()
                });
            }
            let lens = Lens {
                rests: &|message| rests && message == told,
                ..lens()
            };
            let cues = Cues {
                people: there.iter().map(|name| Arc::from(*name)).collect(),
                ..Cues::default()
            };
            let past = (&context, &chapters);
            let witnessed = Witnessed::default();
            let come = witnessed.associate(past, lens, (&cues, None), ("", 600));
            come.len()
        };
        let nothing = Some(ChapterRecord::default());
        let noted = |text: &str| {
            let learned = Common::Learned {
                fact: "rope".into(),
                text: text.into(),
                from: "Bob".into(),
            };
            Some(ChapterRecord {
                notes: vec![Note {
                    entry: told,
                    day: 1,
                    place: "Hall".into(),
                    happening: learned.into(),
                }],
                ..ChapterRecord::default()
            })
        };
        let elsewhere = noted("The baker hid two letters.");
        assert_eq!(come(&[elsewhere], false, &[]), 0, "it only leads up to it");
        let noted = noted("The rope was cut.");
        assert_eq!(come(std::slice::from_ref(&noted), false, &[]), 1);
        assert_eq!(come(std::slice::from_ref(&noted), false, &["Bob"]), 1);
        let others = come(std::slice::from_ref(&noted), false, &["Cid"]);
        assert_eq!(others, 0, "it concerns nobody here");
        assert_eq!(
            come(std::slice::from_ref(&noted), true, &[]),
            0,
            "it just came"
        );
        assert_eq!(
            come(&[nothing], false, &[]),
            0,
            "the record doesn't note it"
        );
        assert_eq!(
            come(&[noted.clone(), noted], false, &[]),
            0,
            "it is a formula"
        );
    }

    #[test]
    fn a_memory_rests_for_three_days() {
        let mut came = CameToMind::default();
        came.note([EntryId(7)], 5);
        let rests = |today| came.rests(EntryId(7), today);
        assert!(rests(5) && rests(8) && !rests(9) && !came.rests(EntryId(8), 5));
        assert!(!rests(0), "there are no days");
    }

    #[test]
    fn a_chinese_question_finds_what_it_asks_for() {
        let lines = [
            "老闻说：“渡口的船昨夜沉了。”",
            "院子里下着雨。",
            "老闻说：“别提了。”",
        ];
        let (context, chapters) = two_days(lines, "老闻说了些事。");
        let found =
            Witnessed::default().recall((&context, &chapters), lens(), ("船是怎么沉的？", None), 1);
        assert_eq!(found[0].text, lines[0]);
    }

    #[test]
    fn an_index_of_other_chapters_is_made_anew() {
        let lines = ["The bell is cracked.", "Rain.", "Sun."];
        let (context, chapters) = two_days(lines, "Nothing much.");
        let witnessed = Witnessed::default();
        assert!(
            !witnessed
                .recall((&context, &chapters), lens(), ("bell", None), 5)
                .is_empty()
        );
        let none = Chapters::default();
        assert!(
            witnessed
                .recall((&context, &none), lens(), ("bell", None), 5)
                .is_empty()
        );
        assert!(
            !witnessed
                .recall((&context, &chapters), lens(), ("bell", None), 5)
                .is_empty()
        );
    }
}
