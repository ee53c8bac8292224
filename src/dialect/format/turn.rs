//! One turn of a conversation, as formatters and minds see it.

use crate::message::{Block, Body, Content, Role, Text, shown};

/// What a turn says.
#[derive(Clone, Copy, Debug)]
pub enum Said<'a> {
    /// One text.
    Text(&'a Text),
    /// Blocks of several kinds.
    Blocks(&'a [Block]),
}

/// One turn of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// Whose turn it is in the conversation that holds it.
    pub role: Role,
    /// Who speaks, where an entity does.
    pub speaker: Option<&'a str>,
    /// A first part of the text, shared by many entities.
    pub shared_prefix: Option<&'a Text>,
    /// What is said after it.
    pub said: Said<'a>,
}

impl<'a> Turn<'a> {
    /// A message as later prompts show it: short where there is a short form.
    pub fn short(role: Role, body: &'a Body) -> Self {
        match body.short() {
            Some(short) => Self {
                shared_prefix: None,
                said: Said::Text(short),
                ..Self::full(role, body)
            },
            None => Self::full(role, body),
        }
    }

    /// A message in full.
    pub fn full(role: Role, body: &'a Body) -> Self {
        Self {
            role,
            speaker: body.sender().map(|name| &**name),
            shared_prefix: body.shared_prefix().map(|text| &**text),
            said: match body.content() {
                Content::Text(text) => Said::Text(text),
                Content::Blocks(blocks) => Said::Blocks(blocks),
            },
        }
    }

    /// A text of nobody in particular.
    pub fn text(role: Role, text: &'a Text) -> Self {
        Self {
            role,
            speaker: None,
            shared_prefix: None,
            said: Said::Text(text),
        }
    }

    /// Its blocks, where it has several kinds of them.
    pub fn blocks(&self) -> &'a [Block] {
        match self.said {
            Said::Text(_) => &[],
            Said::Blocks(blocks) => blocks,
        }
    }

    /// All that the turn says as text for people, calls of tools and their results included.
    pub fn to_text(&self) -> String {
        let mut all = self
            .shared_prefix
            .map(|text| text.as_str().to_owned())
            .unwrap_or_default();
        match self.said {
            Said::Text(text) => all.push_str(text.as_str()),
            Said::Blocks(blocks) => all.push_str(&shown(blocks)),
        }
        all
    }

    /// How many messages it makes in OpenAI's form: each result of a tool is one.
    pub fn messages(&self) -> u64 {
        let is_result = |block: &&Block| matches!(block, Block::ToolResult { .. });
        self.blocks().iter().filter(is_result).count().max(1) as u64
    }

    /// The estimated tokens of what it says, uncorrected.
    pub fn tokens(&self) -> u64 {
        let own = match self.said {
            Said::Text(text) => text.tokens(),
            Said::Blocks(blocks) => blocks.iter().map(Block::tokens).sum(),
        };
        u64::from(self.shared_prefix.map_or(0, Text::tokens) + own)
    }
}
