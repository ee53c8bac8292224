//! What a run has shown, and what its stream has not given yet.

use std::collections::VecDeque;
use std::task::{Context, Poll};

use super::message::ChatMessage;
use super::run::StreamItem;
use super::stream_merger::{StreamEvent, StreamMerger, TeamStreamEvent};
use crate::event::Record;

/// The news of a team in order, until its stream gives them; and its messages since the run began.
pub(super) struct Inbox {
    team: String,
    live: StreamMerger,
    news: VecDeque<StreamEvent>,
    messages: Vec<ChatMessage>,
}

impl Inbox {
    /// An empty inbox of this team.
    pub(super) fn new(team: String, live: StreamMerger) -> Self {
        Self {
            team,
            live,
            news: VecDeque::new(),
            messages: Vec::new(),
        }
    }

    /// Takes what a record shows.
    pub(super) fn record(&mut self, record: &Record) {
        let shown = self.live.record(record);
        self.take(shown);
    }

    fn take(&mut self, shown: Vec<TeamStreamEvent>) {
        let own = shown.into_iter().filter(|shown| shown.team == self.team);
        self.news.extend(own.map(|shown| shown.news));
    }

    /// Forgets all that was shown.
    pub(super) fn clear(&mut self) {
        self.live.forget();
        self.news.clear();
        self.messages.clear();
    }

    /// The messages that the stream gave since the run began.
    pub(super) fn take_messages(&mut self) -> Vec<ChatMessage> {
        std::mem::take(&mut self.messages)
    }

    /// What the stream gives next, if it is there already.
    pub(super) fn next_now(&mut self) -> Option<StreamItem> {
        let waiting = self.live.waiting();
        self.take(waiting);
        loop {
            match self.news.pop_front()? {
                StreamEvent::Ahead(heard) => return Some(StreamItem::Message(heard.message)),
                StreamEvent::Told(heard) => {
                    self.messages.push(heard.message.clone());
                    return Some(StreamItem::Message(heard.message));
                }
                StreamEvent::Known(heard) => self.messages.push(heard.message),
                StreamEvent::Dropped(dropped) => return Some(StreamItem::Dropped(dropped)),
            }
        }
    }

    /// What the stream gives next, as soon as it is there.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<StreamItem> {
        loop {
            if let Some(item) = self.next_now() {
                return Poll::Ready(item);
            }
            match self.live.poll(cx) {
                Poll::Ready(Some(shown)) => self.take(shown),
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
        }
    }
}
