//! Lists of entries as a save holds them: neighbours of one role and without tags are one element, a
//! run. So what everybody on a stage hears, message after message, takes a few bytes in each context.

use serde::{Deserialize, Serialize};

use super::error::SaveError;
use super::limits::MAX_ID;
use crate::context::EntryId;
use crate::message::{Body, Message, Role, Tags};

/// `[id, role, index of the body]`, and behind them an object of tags if there are any. A run has the
/// id of its first entry, `[first, last]` in the place of the index, and no tags.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "[id, role, index of the message] with an object of tags behind them")]
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
    type Error = String;

    fn try_from(span: SpanDto) -> Result<Self, String> {
        let (first, last) = match span {
            SpanDto::One(index) => (index, index),
            SpanDto::Run(first, last) => (first, last),
        };
        if first > last {
            return Err(format!(
                "the run goes from {first} down to {last}; its first index comes first"
            ));
        }
        let too_large = |_| format!("{last} is too large for an index");
        let last = u32::try_from(last).map_err(too_large)?;
        Ok(Self {
            first: first as u32,
            last,
        })
    }
}

impl RunDto {
    /// Whether an entry of the run points to this body.
    pub(super) fn holds(&self, body: u32) -> bool {
        let Span { first, last } = self.2;
        (first..=last).contains(&body)
    }

    /// How many entries it stands for.
    fn entries(&self) -> u64 {
        u64::from(self.2.last - self.2.first) + 1
    }

    /// Takes in the next entry if it continues this run.
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

/// Adds an entry to a list of runs, which points to the body of this index.
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

/// How many entries a list of runs stands for.
pub(super) fn count(runs: &[RunDto]) -> u64 {
    runs.iter().map(RunDto::entries).sum()
}

/// Refuses a list with indexes that no body has, ids that leave no room to count on, or runs with tags.
pub(super) fn check(at: &str, runs: &[RunDto], bodies: usize) -> Result<(), SaveError> {
    for (index, run) in runs.iter().enumerate() {
        let at = format_args!("{at}[{index}]");
        let RunDto(id, _, span, tags) = run;
        if span.last as usize >= bodies {
            let at = at.to_string();
            return Err(SaveError::out_of_range(at, span.last, bodies, "messages"));
        }
        let last_id = u64::from(*id) + run.entries() - 1;
        if last_id > MAX_ID.into() {
            return Err(SaveError::too_large(at.to_string(), last_id));
        }
        if span.first < span.last && !tags.is_empty() {
            let problem = "a run has no tags; write its messages one by one";
            return Err(SaveError::wrong(at.to_string(), problem));
        }
    }
    Ok(())
}

/// The messages of a list that was checked, with their ids.
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
    // Tells whoever collects them how many they are.
    each.take(count(runs) as usize)
}
