//! Lists of entries in a save. Consecutive messages of one role and without tags are one element, a
//! run, so that what everybody on a stage hears takes a few bytes in each context.

use serde::{Deserialize, Serialize};

use super::error::SaveError;
use super::limits::MAX_ID;
use crate::context::EntryId;
use crate::locale::{UiText, text};
use crate::message::{Body, Message, Role, Tags};

/// `[id, role, index of the body]`, followed by an object of tags if there are any. A run has the
/// id of its first entry, `[first, last]` instead of the index, and no tags.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "[id, role, index of the message] and optional tags")]
pub(super) struct RunDto(
    u32,
    Role,
    Span,
    #[serde(default, skip_serializing_if = "Tags::is_empty")] Tags,
);

/// Consecutive indexes of bodies, at least one.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "SpanDto", into = "SpanDto")]
struct Span {
    first: u32,
    last: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected the index of a message, or the [first, last] of a run"
)]
enum SpanDto {
    One(u64),
    Run(u64, u64),
}

impl From<Span> for SpanDto {
    fn from(span: Span) -> Self {
        if span.first == span.last {
            Self::One(span.first.into())
        } else {
            Self::Run(span.first.into(), span.last.into())
        }
    }
}

impl TryFrom<SpanDto> for Span {
    type Error = UiText;

    fn try_from(span: SpanDto) -> Result<Self, UiText> {
        let (first, last) = match span {
            SpanDto::One(index) => (index, index),
            SpanDto::Run(first, last) => (first, last),
        };
        if first > last {
            return Err(text!(save_run_backwards, first, last));
        }
        let too_large = |_| text!(save_too_large, number = last);
        let last = u32::try_from(last).map_err(too_large)?;
        Ok(Self {
            first: first as u32,
            last,
        })
    }
}

impl RunDto {
    /// Whether an entry of the run points to this body.
    pub(super) fn contains(&self, body: u32) -> bool {
        let Span { first, last } = self.2;
        (first..=last).contains(&body)
    }

    /// The indexes of its first and last body.
    pub(super) fn bodies(&self) -> (usize, usize) {
        (self.2.first as usize, self.2.last as usize)
    }

    /// The number of its entries.
    fn entries(&self) -> u64 {
        u64::from(self.2.last - self.2.first) + 1
    }

    /// Adds an entry if it continues this run.
    fn extend(&mut self, id: EntryId, role: Role, body: u32, tags: &Tags) -> bool {
        let entries = self.entries();
        let Self(first_id, own_role, span, own_tags) = self;
        let continues = own_tags.is_empty()
            && tags.is_empty()
            && role == *own_role
            && u64::from(body) == u64::from(span.first) + entries
            && u64::from(id.0) == u64::from(*first_id) + entries;
        if continues {
            span.last = body;
        }
        continues
    }
}

/// Adds an entry with the body of this index to a list of runs.
pub(super) fn push_entry(
    runs: &mut Vec<RunDto>,
    id: EntryId,
    role: Role,
    body: u32,
    tags: Option<&Tags>,
) {
    let tags = tags.cloned().unwrap_or_default();
    let run = runs.last_mut();
    if !run.is_some_and(|run| run.extend(id, role, body, &tags)) {
        let span = Span {
            first: body,
            last: body,
        };
        runs.push(RunDto(id.0, role, span, tags));
    }
}

/// The number of entries in a list of runs.
pub(super) fn count(runs: &[RunDto]) -> u64 {
    runs.iter().map(RunDto::entries).sum()
}

/// Refuses a list with indexes out of range, ids that are too large, or runs with tags.
pub(super) fn check(path: &str, runs: &[RunDto], bodies: usize) -> Result<(), SaveError> {
    for (index, run) in runs.iter().enumerate() {
        let path = format_args!("{path}[{index}]");
        let RunDto(id, _, span, tags) = run;
        if span.last as usize >= bodies {
            let path = path.to_string();
            return Err(SaveError::out_of_range(path, span.last, bodies, "messages"));
        }
        let last_id = u64::from(*id) + run.entries() - 1;
        if last_id > MAX_ID.into() {
            return Err(SaveError::too_large(path.to_string(), last_id));
        }
        if span.first < span.last && !tags.is_empty() {
            return Err(SaveError::wrong(
                path.to_string(),
                text!(save_run_with_tags),
            ));
        }
    }
    Ok(())
}

/// The messages of a checked list, with their ids.
pub(super) fn messages(
    runs: &[RunDto],
    bodies: &[Body],
) -> impl Iterator<Item = (EntryId, Message)> {
    let each = runs.iter().flat_map(|RunDto(id, role, span, tags)| {
        let said = bodies.get(span.first as usize..=span.last as usize);
        let ids = (*id..).map(EntryId);
        ids.zip(said.unwrap_or_default()).map(|(id, body)| {
            let message = Message {
                role: *role,
                body: body.clone(),
                tags: tags.clone(),
            };
            (id, message)
        })
    });
    // Gives the iterator an upper bound for reserving memory.
    each.take(count(runs) as usize)
}
