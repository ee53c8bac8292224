//! The messages of a run while it is in progress, and its result.

use std::collections::VecDeque;
use std::task::{Context, Poll};

use playhouse_engine::event::Record;

use super::message::{ChatMessage, RequestUsage};
use super::stream_merger::{Retracted, StreamEvent, StreamMerger, TeamStreamEvent};

/// An item of the stream of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    /// A message or an event, or a chunk of a message that is still being written
    /// ([`ChatContent::StreamingChunk`](super::message::Content::StreamingChunk)).
    Message(ChatMessage),
    /// The chunks of a message that will not come.
    Retracted(Retracted),
    /// The result, which comes last.
    Result(TaskResult),
}

#[derive(Clone, Debug, PartialEq)]
pub struct TaskResult {
    /// All messages and events of the run in order; those of the task come first.
    pub messages: Vec<ChatMessage>,
    /// Why the run ended; `None` if it was paused.
    pub stop_reason: Option<String>,
    /// The tokens of all calls of the run, including those that select speakers.
    pub usage: RequestUsage,
}

/// The answer of a participant.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    pub chat_message: ChatMessage,
    /// The events before it.
    pub inner_messages: Vec<ChatMessage>,
}

impl TaskResult {
    /// The messages, each with the events before it.
    pub fn responses(&self) -> Vec<Response> {
        let mut responses = Vec::new();
        let mut inner_messages = Vec::new();
        for message in &self.messages {
            if message.is_event() {
                inner_messages.push(message.clone());
            } else {
                responses.push(Response {
                    chat_message: message.clone(),
                    inner_messages: std::mem::take(&mut inner_messages),
                });
            }
        }
        responses
    }

    /// The last message that is not an event.
    pub fn last(&self) -> Option<&ChatMessage> {
        let mut messages = self.messages.iter().rev();
        messages.find(|message| !message.is_event())
    }
}

/// The messages of the outermost team, until they are taken.
pub(super) struct RunStream {
    team: String,
    merger: StreamMerger,
    pending: VecDeque<StreamEvent>,
    /// The messages and events that were taken since the run began.
    messages: Vec<ChatMessage>,
}

impl RunStream {
    pub(super) fn new(team: String, merger: StreamMerger) -> Self {
        Self {
            team,
            merger,
            pending: VecDeque::new(),
            messages: Vec::new(),
        }
    }

    pub(super) fn record(&mut self, record: &Record) {
        let events = self.merger.record(record);
        self.add(events);
    }

    fn add(&mut self, events: Vec<TeamStreamEvent>) {
        let own = events.into_iter().filter(|event| event.team == self.team);
        self.pending.extend(own.map(|event| event.event));
    }

    pub(super) fn clear(&mut self) {
        self.merger.clear();
        self.pending.clear();
        self.messages.clear();
    }

    /// The messages and events that were taken since the run began.
    pub(super) fn take_messages(&mut self) -> Vec<ChatMessage> {
        std::mem::take(&mut self.messages)
    }

    /// The next item, if it is there already.
    pub(super) fn next_now(&mut self) -> Option<StreamItem> {
        let events = self.merger.pending();
        self.add(events);
        loop {
            match self.pending.pop_front()? {
                StreamEvent::Preview(preview) => return Some(StreamItem::Message(preview.message)),
                StreamEvent::Message(delivered) => {
                    self.messages.push(delivered.message.clone());
                    return Some(StreamItem::Message(delivered.message));
                }
                StreamEvent::Shown(delivered) => self.messages.push(delivered.message),
                StreamEvent::Retracted(retracted) => return Some(StreamItem::Retracted(retracted)),
            }
        }
    }

    /// The next item, as soon as it is there.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<StreamItem> {
        loop {
            if let Some(item) = self.next_now() {
                return Poll::Ready(item);
            }
            match self.merger.poll(cx) {
                Poll::Ready(Some(events)) => self.add(events),
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
        }
    }
}
