//! One turn of a conversation, as formats and minds see it.

use crate::message::{Block, Body, Content, Role, Text, shown};

#[derive(Clone, Copy, Debug)]
pub enum TurnContent<'a> {
    Text(&'a Text),
    Blocks(&'a [Block]),
}

#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The role in the conversation that holds the turn.
    pub role: Role,
    /// The name of the speaker, if it is an entity.
    pub speaker: Option<&'a str>,
    /// A first part of the text that many entities share.
    pub shared_prefix: Option<&'a Text>,
    /// What is said after it.
    pub content: TurnContent<'a>,
}

impl<'a> Turn<'a> {
    /// A message as later prompts show it: condensed if it has a condensed form.
    pub fn short(role: Role, body: &'a Body) -> Self {
        match body.short() {
            Some(short) => Self {
                shared_prefix: None,
                content: TurnContent::Text(short),
                ..Self::full(role, body)
            },
            None => Self::full(role, body),
        }
    }

    pub fn full(role: Role, body: &'a Body) -> Self {
        Self {
            role,
            speaker: body.sender().map(|name| &**name),
            shared_prefix: body.shared_prefix().map(|text| &**text),
            content: match body.content() {
                Content::Text(text) => TurnContent::Text(text),
                Content::Blocks(blocks) => TurnContent::Blocks(blocks),
            },
        }
    }

    /// A text without a speaker.
    pub fn text(role: Role, text: &'a Text) -> Self {
        Self {
            role,
            speaker: None,
            shared_prefix: None,
            content: TurnContent::Text(text),
        }
    }

    /// Its content blocks; none if it is one text.
    pub fn blocks(&self) -> &'a [Block] {
        match self.content {
            TurnContent::Text(_) => &[],
            TurnContent::Blocks(blocks) => blocks,
        }
    }

    /// The whole turn as text for people, tool calls and results included.
    pub fn to_text(&self) -> String {
        let prefix = self.shared_prefix.map_or("", Text::as_str);
        match self.content {
            TurnContent::Text(text) => [prefix, text.as_str()].concat(),
            TurnContent::Blocks(blocks) => [prefix, &shown(blocks)].concat(),
        }
    }

    /// The estimated tokens of what it says, without any correction factor.
    pub fn tokens(&self) -> u64 {
        let own = match self.content {
            TurnContent::Text(text) => text.tokens(),
            TurnContent::Blocks(blocks) => blocks.iter().map(Block::tokens).sum(),
        };
        u64::from(self.shared_prefix.map_or(0, Text::tokens) + own)
    }
}
