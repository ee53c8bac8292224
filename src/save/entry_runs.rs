//! Lists of entries as a save holds them: neighbours of one role and without tags are one element, a run.
//! So what everybody on a stage hears, message after message, takes a few bytes in each context.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

use super::SaveError;
use super::dto::Members;
use super::json_writer::JsonWriter;
use super::restore::{LARGEST_NUMBER, out_of_range, too_large};
use crate::context::EntryId;
use crate::message::{Body, Message, Role, Tags};

/// The most messages that the contexts and chapters of a save may hold together: 2²⁶, which take about a
/// gigabyte of memory. Runs could speak of more in a few bytes.
pub(super) const MOST_HELD: u64 = 1 << 26;

// --- writing ---

/// Writes the elements of one list of entries.
pub(super) struct RunWriter<'j> {
    json: &'j mut JsonWriter,
    /// What the next element will be, as far as it goes.
    open: Option<RunDto>,
    held: u64,
}

impl<'j> RunWriter<'j> {
    /// A writer into a list whose bracket was opened.
    pub(super) fn new(json: &'j mut JsonWriter) -> Self {
        Self {
            json,
            open: None,
            held: 0,
        }
    }

    /// Adds an entry, which points to the body of this index.
    pub(super) fn add(&mut self, id: EntryId, role: Role, body: u32, tags: &Tags) {
        self.held += 1;
        match &mut self.open {
            Some(open) if tags.is_empty() && open.goes_on_with(id, role, body) => {
                open.bodies.last = body;
            }
            _ => {
                self.close();
                self.open = Some(RunDto {
                    id: id.0,
                    role,
                    bodies: Span::one(body),
                    tags: tags.clone(),
                });
            }
        }
    }

    /// Writes what is left, and tells how many entries the list stands for.
    pub(super) fn finish(mut self) -> u64 {
        self.close();
        self.held
    }

    fn close(&mut self) {
        if let Some(run) = self.open.take() {
            self.json.element();
            run.write(self.json);
        }
    }
}

fn write_tags(tags: &Tags, json: &mut JsonWriter) {
    json.push(b'{');
    for (key, value) in tags.iter() {
        json.element();
        json.string(key);
        json.push(b':');
        json.value(&value);
    }
    json.push(b'}');
}

// --- the form ---

/// `[id, role, index of the body]`, and behind them an object of tags where there are any. A run has the id
/// of its first entry, `[first, last]` in the place of the index, and no tags.
pub(super) struct RunDto {
    id: u32,
    role: Role,
    bodies: Span,
    tags: Tags,
}

/// Consecutive indexes of bodies, at least one.
#[derive(Clone, Copy)]
struct Span {
    first: u32,
    last: u32,
}

impl Span {
    fn one(index: u32) -> Self {
        Self {
            first: index,
            last: index,
        }
    }

    fn is_one(self) -> bool {
        self.first == self.last
    }
}

impl RunDto {
    /// Whether an entry of the run points to this body.
    pub(super) fn holds(&self, body: u32) -> bool {
        (self.bodies.first..=self.bodies.last).contains(&body)
    }

    /// How many entries it stands for.
    fn entries(&self) -> u64 {
        u64::from(self.bodies.last - self.bodies.first) + 1
    }

    /// Whether an entry without tags is the next of these.
    fn goes_on_with(&self, id: EntryId, role: Role, body: u32) -> bool {
        let next = self.entries();
        self.tags.is_empty()
            && role == self.role
            && u64::from(body) == u64::from(self.bodies.first) + next
            && u64::from(id.0) == u64::from(self.id) + next
    }

    fn write(&self, json: &mut JsonWriter) {
        let Span { first, last } = self.bodies;
        json.push(b'[');
        json.number(self.id);
        json.element();
        json.string(self.role.name());
        json.element();
        if self.bodies.is_one() {
            json.number(first);
        } else {
            json.push(b'[');
            json.number(first);
            json.element();
            json.number(last);
            json.push(b']');
        }
        if !self.tags.is_empty() {
            json.element();
            write_tags(&self.tags, json);
        }
        json.push(b']');
    }
}

// --- reading ---

impl<'de> Deserialize<'de> for RunDto {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RunVisitor;

        impl<'de> Visitor<'de> for RunVisitor {
            type Value = RunDto;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("[id, role, index of the message] with an object of tags behind them")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RunDto, A::Error> {
                let missing = |at| de::Error::invalid_length(at, &self);
                let run = RunDto {
                    id: list.next_element()?.ok_or_else(|| missing(0))?,
                    role: list.next_element()?.ok_or_else(|| missing(1))?,
                    bodies: list.next_element()?.ok_or_else(|| missing(2))?,
                    tags: match list.next_element::<Members>()? {
                        Some(members) => tags_of(members)?,
                        None => Tags::new(),
                    },
                };
                match run.bodies.is_one() || run.tags.is_empty() {
                    true => Ok(run),
                    false => Err(de::Error::custom(
                        "a run has no tags; write its messages one by one",
                    )),
                }
            }
        }

        deserializer.deserialize_seq(RunVisitor)
    }
}

fn tags_of<E: de::Error>(members: Members) -> Result<Tags, E> {
    let mut all = members.0.into_iter();
    let tags = all.try_fold(Tags::new(), |tags, (key, value)| {
        tags.with_user(&key, value)
    });
    tags.map_err(E::custom)
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpanVisitor;

        impl<'de> Visitor<'de> for SpanVisitor {
            type Value = Span;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the index of a message, or the [first, last] of a run")
            }

            fn visit_u64<E: de::Error>(self, index: u64) -> Result<Span, E> {
                let wrong = |_| E::invalid_value(de::Unexpected::Unsigned(index), &self);
                let index = index.try_into().map_err(wrong)?;
                Ok(Span::one(index))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Span, A::Error> {
                let missing = |at| de::Error::invalid_length(at, &self);
                let first = list.next_element()?.ok_or_else(|| missing(0))?;
                let last = list.next_element()?.ok_or_else(|| missing(1))?;
                match first <= last {
                    true => Ok(Span { first, last }),
                    false => Err(de::Error::custom(format!(
                        "the run goes from {first} down to {last}; its first index comes first"
                    ))),
                }
            }
        }

        deserializer.deserialize_any(SpanVisitor)
    }
}

/// Refuses a list with indexes that no body has, or ids that leave no room to count on. Returns how many
/// entries it stands for.
pub(super) fn check_runs(at: &str, runs: &[RunDto], bodies: usize) -> Result<u64, SaveError> {
    let mut held = 0u64;
    for (index, run) in runs.iter().enumerate() {
        let at = || format!("{at}[{index}]");
        let last = run.bodies.last;
        if last as usize >= bodies {
            return Err(out_of_range(at(), last, bodies, "messages"));
        }
        let last_id = u64::from(run.id) + run.entries() - 1;
        if last_id > LARGEST_NUMBER.into() {
            return Err(too_large(&at(), last_id));
        }
        held += run.entries();
    }
    Ok(held)
}

/// The messages of a list that was checked, with their ids.
pub(super) fn unrolled(
    runs: &[RunDto],
    bodies: &[Body],
) -> impl Iterator<Item = (EntryId, Message)> {
    let entries: u64 = runs.iter().map(RunDto::entries).sum();
    let each = runs.iter().flat_map(|run| {
        let Span { first, last } = run.bodies;
        let said = bodies.get(first as usize..=last as usize);
        let ids = (run.id..).map(EntryId);
        ids.zip(said.unwrap_or_default()).map(|(id, body)| {
            let message = Message {
                role: run.role,
                body: body.clone(),
                tags: run.tags.clone(),
            };
            (id, message)
        })
    });
    // Tells whoever collects them how many they are.
    each.take(entries as usize)
}
