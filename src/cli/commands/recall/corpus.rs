//! Files of messages and of questions, for measuring recall.

use crate::cli::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use playhouse_engine::files;

use crate::memory::{Index, IndexEntry, Vectors};
use serde::Deserialize;
use serde_json::Map;

/// The limits of a file: bytes, bytes of a line, lines.
const LONGEST: u64 = 256 * 1024 * 1024;
const LONGEST_LINE: usize = 1024 * 1024;
const MOST_LINES: usize = 1_000_000;

#[derive(Debug)]
struct Line {
    id: String,
    speaker: String,
    text: String,
    time: String,
    session: String,
}

#[derive(Debug)]
pub(super) struct CorpusQuestion {
    pub(super) id: String,
    pub(super) question: String,
}

/// The members of a record, which are taken out one by one.
#[derive(Deserialize)]
#[serde(transparent)]
struct Members(Map<String, Value>);

impl Members {
    /// An id is a text or a number.
    fn id(&mut self) -> Result<String, UiText> {
        match self.0.remove("id") {
            Some(Value::String(id)) if !id.is_empty() => Ok(id),
            Some(Value::Number(id)) => Ok(id.to_string()),
            _ => Err(text!(cli_recall_bad_id)),
        }
    }

    fn text(&mut self, name: &str) -> Result<String, UiText> {
        match self.0.remove(name) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(text!(cli_recall_no_text, name)),
        }
    }

    /// What may be left out may also be null or a number.
    fn text_or_null(&mut self, name: &str) -> Result<String, UiText> {
        match self.0.remove(name) {
            Some(Value::String(text)) => Ok(text),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(Value::Null) | None => Ok(String::new()),
            Some(_) => Err(text!(cli_recall_bad_text, name)),
        }
    }
}

impl TryFrom<Members> for Line {
    type Error = UiText;

    fn try_from(mut members: Members) -> Result<Self, UiText> {
        Ok(Self {
            id: members.id()?,
            speaker: members.text_or_null("speaker")?,
            text: members.text("text")?,
            time: members.text_or_null("time")?,
            session: members.text_or_null("session")?,
        })
    }
}

impl TryFrom<Members> for CorpusQuestion {
    type Error = UiText;

    fn try_from(mut members: Members) -> Result<Self, UiText> {
        Ok(Self {
            id: members.id()?,
            question: members.text("question")?,
        })
    }
}

/// The lines of a file, one JSON value each.
fn read<T: TryFrom<Members, Error = UiText>>(path: &Path) -> Result<Vec<T>> {
    let text = files::read_text(path, LONGEST)
        .map_err(|error| CommandError::of(ErrorKind::Other, &error.problem).at(path.display()))?;
    let mut read = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = |message| {
            let error = CommandError::new(ErrorKind::Other, message);
            Err(error.at(format!("{}:{number}", path.display())))
        };
        if line.trim().is_empty() {
            continue;
        }
        if line.len() > LONGEST_LINE {
            return wrong(text!(cli_recall_line_too_long, max = LONGEST_LINE));
        }
        if read.len() == MOST_LINES {
            return wrong(text!(cli_recall_too_many_lines, max = MOST_LINES));
        }
        let members = serde_json::from_str::<Members>(line).map_err(|error| error.text());
        match members.and_then(T::try_from) {
            Ok(record) => read.push(record),
            Err(error) => return wrong(text!(cli_recall_bad_line, error)),
        }
    }
    Ok(read)
}

/// The questions of a file.
pub(super) fn questions(path: &Path) -> Result<Vec<CorpusQuestion>> {
    read(path)
}

/// The messages of a file, which may be of several conversations.
pub(super) struct Corpus {
    lines: Vec<Line>,
    /// By the beginning that the ids of their messages share, empty for all messages.
    conversations: BTreeMap<String, Option<Arc<Conversation>>>,
}

/// Some of the messages, with their index.
struct Conversation {
    lines: Vec<usize>,
    index: Index,
}

impl Corpus {
    /// The messages of a file.
    pub(super) fn read(path: &Path) -> Result<Self> {
        Ok(Self {
            lines: read(path)?,
            conversations: BTreeMap::new(),
        })
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.text.as_str())
    }

    /// The ids of the messages that fit a question best, at most as many as wanted, with their
    /// scores. If the question's id begins like those of a conversation, such as `conv-26:12` and
    /// `conv-26:D1:3`, only that is searched.
    /// With vectors, also by meaning.
    pub(super) fn search(
        &mut self,
        question: &CorpusQuestion,
        vectors: Option<&Vectors>,
        most: usize,
    ) -> Vec<(&str, f32)> {
        let id = &question.id;
        let ends = id
            .char_indices()
            .rev()
            .filter(|(_, char)| !char.is_alphanumeric());
        let beginnings = ends
            .filter_map(|(end, _)| id.get(..end))
            .filter(|beginning| !beginning.is_empty())
            .chain([""]);
        let found = beginnings
            .filter_map(|beginning| self.conversation(beginning, vectors))
            .next();
        let Some(conversation) = found else {
            return Vec::new();
        };
        let line = |entry: u32| {
            let line = conversation.lines.get(entry as usize);
            line.and_then(|line| self.lines.get(*line))
        };
        let text = |entry| Cow::Borrowed(line(entry).map_or("", |line| line.text.as_str()));
        let (index, asked) = (&conversation.index, question.question.as_str());
        let hits = match vectors.and_then(|vectors| vectors.get(asked)) {
            Some(vector) => index.search_with((asked, vector), most, text),
            None => index.search(asked, most, text),
        };
        let hits = hits.into_iter();
        hits.filter_map(|hit| Some((line(hit.entry)?.id.as_str(), hit.score)))
            .collect()
    }

    /// The messages whose ids or sessions begin so, if they are more than a session.
    fn conversation(
        &mut self,
        beginning: &str,
        vectors: Option<&Vectors>,
    ) -> Option<Arc<Conversation>> {
        if let Some(known) = self.conversations.get(beginning) {
            return known.clone();
        }
        let begins = |id: &str| {
            let rest = id.strip_prefix(beginning);
            beginning.is_empty()
                || rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let lines = self.lines.iter().enumerate();
        let lines = lines.filter(|(_, line)| begins(&line.id) || begins(&line.session));
        let lines: Vec<usize> = lines.map(|(index, _)| index).collect();
        let own = || lines.iter().filter_map(|index| self.lines.get(*index));
        let sessions: BTreeSet<&str> = own().map(|line| line.session.as_str()).collect();
        let is_session = sessions.len() == 1 && !sessions.contains("");
        let is_conversation = beginning.is_empty()
            || (!lines.is_empty() && (!is_session || lines.len() == self.lines.len()));
        let found = is_conversation.then(|| {
            let mut index = Index::new();
            for line in own() {
                let entry = index.add(&IndexEntry {
                    speaker: &line.speaker,
                    text: &line.text,
                    time: &line.time,
                    session: &line.session,
                    about: &[],
                });
                if let Some(vector) = vectors.and_then(|vectors| vectors.get(&line.text)) {
                    // All of them have the same width.
                    let _ = index.add_vector(entry, vector.clone());
                }
            }
            Arc::new(Conversation {
                index,
                lines: lines.clone(),
            })
        });
        self.conversations
            .insert(beginning.to_owned(), found.clone());
        found
    }
}
