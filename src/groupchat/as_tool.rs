//! A team, or one agent, as a tool of others.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bevy_ecs::prelude::*;
use futures_util::StreamExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::game::ChatGame;
use super::message::ChatMessage;
use super::run::{StreamItem, TaskResult, Team};
use crate::mind::Minds;
use crate::tool::{ToolError, Toolbox};

/// How long a team may talk that is a tool.
const PATIENCE: Duration = Duration::from_secs(600);

/// What a team is asked that is called as a tool.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TaskArguments {
    /// The task, in words.
    pub task: String,
}

/// A team that others call as a tool: each call runs it anew on a task, in a world of its own, and its result
/// is recorded like that of every tool. A team of one is an agent as a tool. What it says inside is told to
/// whoever streams the team around it, live alone: a replay runs no tool.
#[derive(Clone)]
pub struct TeamTool {
    /// The team.
    pub game: ChatGame,
    /// Who answers for its participants.
    pub minds: Minds,
    /// Whether the last message alone is returned, else all of them.
    pub return_value_as_last_message: bool,
}

/// What teams that are tools said while they ran, for the stream of the team around them.
#[derive(Resource, Clone, Default)]
pub(super) struct Overheard(Arc<Mutex<VecDeque<ChatMessage>>>);

impl Overheard {
    fn push(&self, message: ChatMessage) {
        self.lock().push_back(message);
    }

    pub(super) fn pop(&self) -> Option<ChatMessage> {
        self.lock().pop_front()
    }

    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<ChatMessage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TeamTool {
    /// A tool that returns all that is said in a team.
    pub fn new(game: ChatGame, minds: Minds) -> Self {
        Self {
            game,
            minds,
            return_value_as_last_message: false,
        }
    }

    /// The same tool, returning the last message alone.
    #[must_use]
    pub fn returning_the_last(mut self) -> Self {
        self.return_value_as_last_message = true;
        self
    }

    /// Adds it to a toolbox; [`ChatGame::with_team_tool`] does so for a team.
    pub fn register(&self, toolbox: &mut Toolbox, name: &str, about: &str) {
        self.add_to(toolbox, name, about, Overheard::default());
    }

    pub(super) fn add_to(
        &self,
        toolbox: &mut Toolbox,
        name: &str,
        about: &str,
        overheard: Overheard,
    ) {
        let tool = self.clone();
        toolbox.outside(name, about, move |arguments: TaskArguments| {
            let (tool, overheard) = (tool.clone(), overheard.clone());
            async move { tool.run(arguments.task, &overheard).await }
        });
        toolbox.change(name, |tool| tool.within(PATIENCE));
    }

    async fn run(self, task: String, overheard: &Overheard) -> Result<String, ToolError> {
        let failed = |error: super::ChatError| ToolError::new(error.to_string());
        let mut team = Team::new(self.game, self.minds, 1).map_err(failed)?;
        let mut stream = pin!(team.run_stream(task).map_err(failed)?);
        let mut is_task = true;
        while let Some(item) = stream.next().await {
            match item.map_err(failed)? {
                // The task is known to whoever asked.
                StreamItem::Message(_) if is_task => is_task = false,
                StreamItem::Message(message) => overheard.push(message),
                StreamItem::Result(result) => {
                    return Ok(returned(&result, self.return_value_as_last_message));
                }
            }
        }
        Err(ToolError::new("the team ended without a result"))
    }
}

fn returned(result: &TaskResult, last_alone: bool) -> String {
    if last_alone {
        return result
            .last()
            .map(|last| last.to_model_text())
            .unwrap_or_default();
    }
    let said = result
        .messages
        .iter()
        .skip(1)
        .filter(|message| !message.is_event());
    let said = said.map(|message| format!("{}: {}", message.source, message.to_model_text()));
    said.collect::<Vec<_>>().join("\n\n")
}
