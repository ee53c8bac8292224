//! What minds were sent: a story is played again, and each request is made as it was then.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::rewind::{Nobody, play_again};
use super::{Game, SessionError};
use crate::cast::Kind;
use crate::context::{AgentContext, Entry};
use crate::engine::SentRequest;
use crate::journal::{Line, Outcome};
use crate::message::{Block, BodyId, Digest, Role};
use crate::mind::{Answering, Mind, Turn};
use crate::save::{Slot, StoredStory};
use crate::tool::ToolSpec;

/// What a message of a prompt is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptPart {
    /// Something that the entity remembers.
    Memory {
        /// The id of the body: that of the event if it tells one.
        body: BodyId,
        /// Whether it replaces messages that were archived.
        is_summary: bool,
    },
    Question,
    /// Memories that came to the entity's mind for the question.
    Recalled,
    /// What went back and forth about the question: tools, and answers that were refused.
    Exchange,
}

/// A message of a prompt, as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptMessage {
    pub role: Role,
    /// Who said it, if it was an entity.
    pub speaker: Option<String>,
    /// Its text, tool calls and results included.
    pub text: String,
    /// The same as blocks, if it is more than a text.
    pub blocks: Vec<Block>,
    pub part: PromptPart,
    pub tokens: u64,
}

impl PromptMessage {
    fn of(turn: &Turn<'_>, part: PromptPart) -> Self {
        Self {
            role: turn.role,
            speaker: turn.speaker.map(str::to_owned),
            text: turn.to_text(),
            blocks: turn.blocks().to_vec(),
            part,
            tokens: turn.tokens(),
        }
    }

    /// What tells it from the other messages of its entity's prompts.
    pub fn key(&self) -> (Role, Option<BodyId>, Digest) {
        let body = match self.part {
            PromptPart::Memory { body, .. } if body != BodyId::NONE => Some(body),
            _ => None,
        };
        (self.role, body, Digest::of(self.text.as_bytes()))
    }
}

/// A request that led to a recorded answer.
#[derive(Clone, Debug)]
pub struct CallRequest {
    /// How the ask ended; it names the entity, the number of the ask, and who answered.
    pub outcome: Arc<Outcome>,
    pub kind: Option<Kind>,
    /// Which of the requests of the ask it is, from 1: tools and refused answers make more of them.
    pub attempt: u32,
    /// The number of meetings before it.
    pub turn: u64,
    /// The name of the place at which it was asked.
    pub place: Arc<str>,
    /// The conversation, oldest message first.
    pub messages: Vec<PromptMessage>,
    /// The tools that the mind could call.
    pub tools: Vec<Arc<ToolSpec>>,
    /// The body of the request; `None` if the mind is sent none, as the improviser.
    pub body: Option<Bytes>,
}

#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only those of the entity of this name.
    pub entity: Option<String>,
    /// Only those of asks with these numbers; all if it is empty.
    pub numbers: Vec<u32>,
    /// Only those of the first turns, up to this many.
    pub turns: Option<u64>,
    /// Only the last of each entity's requests.
    pub last: bool,
}

impl Wanted {
    fn wants(&self, outcome: &Outcome) -> bool {
        let of_entity = self.entity.as_deref();
        of_entity.is_none_or(|name| *outcome.entity == *name)
            && (self.numbers.is_empty() || self.numbers.contains(&outcome.number))
    }
}

/// The requests that a story's minds were sent, in the order of the asks. `mind_of` says who
/// answered, since a request is in the form of its mind, or `None` for a mind that is sent nothing.
/// The bytes are those that were sent as long as the settings of that model are the same.
pub async fn requests(
    story: StoredStory,
    game: &dyn Game,
    wanted: Wanted,
    mut mind_of: impl FnMut(&Outcome) -> Option<Arc<dyn Mind>> + Send + 'static,
) -> Result<Vec<CallRequest>, SessionError> {
    let mut left = story.lines.iter().filter(|line| match line {
        Line::Outcome(outcome) => wanted.wants(outcome),
        _ => false,
    });
    if left.next().is_none() {
        return Ok(Vec::new());
    }
    let (found, until) = (Arc::new(Mutex::new(Vec::new())), wanted.turns);
    let (sink, of_last) = (found.clone(), wanted.last);
    play_again(story, game, until, move |engine| {
        let act = move |sent: &SentRequest<'_>| {
            let request = CallRequest::of(sent);
            let mut found = sink.lock().unwrap_or_else(PoisonError::into_inner);
            if of_last {
                found.retain(|earlier: &CallRequest| {
                    earlier.outcome.entity != request.outcome.entity
                });
            }
            found.push(request);
        };
        // No snapshot is needed, nor any other check: what is sent is compared, ask by ask.
        engine.on_turn(|_, _, _| Ok(()));
        engine.settings.verify = false;
        engine.on_request(
            move |outcome| {
                let nobody = || -> Arc<dyn Mind> { Arc::new(Nobody::new()) };
                let is_wanted = wanted.wants(outcome);
                is_wanted.then(|| mind_of(outcome).unwrap_or_else(nobody))
            },
            act,
        );
    })
    .await?;
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *found))
}

/// The answer of a mind to what somebody was asked before: the story is played again up to that
/// ask, in a turn of this number. `None` if there is no such ask.
pub async fn asked_again(
    slot: &Slot,
    game: &dyn Game,
    asked: &Outcome,
    turn: u64,
    mind: Arc<dyn Mind>,
) -> Result<Option<Answering>, SessionError> {
    let (entity, number) = (asked.entity.clone(), asked.number);
    let answering = Arc::new(Mutex::new(None));
    let found = answering.clone();
    play_again(slot.read(false)?, game, Some(turn), move |engine| {
        engine.on_request(
            move |other| {
                let is_it = other.entity == entity && other.number == number;
                is_it.then(|| mind.clone())
            },
            move |sent| {
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                found.get_or_insert_with(|| sent.mind.answer(&sent.prompt));
            },
        );
    })
    .await?;
    let mut answering = answering.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(answering.take())
}

impl CallRequest {
    fn of(sent: &SentRequest<'_>) -> Self {
        let prompt = &sent.prompt;
        let mut messages = messages_of(prompt.history);
        let questions = usize::from(!prompt.question.is_silent());
        messages.extend(prompt.question_turns().enumerate().map(|(index, turn)| {
            let part = match index.checked_sub(questions) {
                None => PromptPart::Question,
                Some(0) if prompt.recalled.is_some() => PromptPart::Recalled,
                Some(_) => PromptPart::Exchange,
            };
            PromptMessage::of(&turn, part)
        }));
        let tools = prompt.tools.specs.iter().filter(|_| prompt.tools.callable);
        Self {
            outcome: sent.outcome.clone(),
            kind: sent.kind,
            attempt: sent.attempt,
            turn: sent.turn,
            place: sent.place.clone(),
            messages,
            tools: tools.cloned().collect(),
            body: sent.mind.request(prompt),
        }
    }
}

/// The messages of a conversation as prompts show them.
pub fn messages_of(context: &AgentContext) -> Vec<PromptMessage> {
    let message = |entry: &Entry| {
        let turn = Turn::short(entry.role(), entry.body());
        let part = PromptPart::Memory {
            body: entry.body().id(),
            is_summary: context
                .tags(entry.id())
                .is_some_and(|tags| tags.text("chapter").is_some()),
        };
        PromptMessage::of(&turn, part)
    };
    context.entries().iter().map(message).collect()
}
