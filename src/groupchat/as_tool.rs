//! A team, or one agent, as a tool of others.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::game::ChatGame;
use super::inside::{Heard, ToolTeamRecord, path};
use super::run::{TaskResult, Team};
use super::team::TeamFile;
use super::trace::memories;
use crate::event::Feed;
use crate::journal::ToolSpent;
use crate::mind::Minds;
use crate::tool::{ToolError, ToolTrace, Toolbox};

/// How long a team may talk that is a tool.
const PATIENCE: Duration = Duration::from_secs(600);

/// What a team is asked that is called as a tool.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TaskArguments {
    /// The task, in words.
    pub task: String,
}

/// A team that others call as a tool: each call runs it anew on a task, in a world of its own, and its result
/// is recorded like that of every tool. A team of one is an agent as a tool. What it says inside is recorded
/// too, told before the result, and shown by a trace; nobody hears it.
#[derive(Clone)]
pub struct TeamTool {
    /// The team.
    pub game: ChatGame,
    /// Who answers for its participants.
    pub minds: Minds,
    /// Whether the last message alone is returned, else all of them.
    pub return_value_as_last_message: bool,
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
        register(Some(self), toolbox, name, about);
    }

    async fn run(self, task: String, inside: &ToolTrace) -> Result<String, ToolError> {
        let failed = |error: super::ChatError| ToolError::new(error.to_string());
        let team = Team::new(self.game, self.minds, 1).map_err(failed)?;
        let mut call = Call::of(team, inside.clone());
        let result = call.team.run(task).await.map_err(failed)?;
        Ok(returned(&result, self.return_value_as_last_message))
    }
}

/// A team at work on one call. When it ends, in whatever way, it tells what its minds saw and what they cost.
struct Call {
    team: Team,
    inside: ToolTrace,
}

impl Call {
    fn of(mut team: Team, inside: ToolTrace) -> Self {
        team.engine().settings.limits = inside.allowance;
        let feed = telling(inside.clone(), team.file().clone());
        team.engine().add_feed(feed);
        Self { team, inside }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let name = self.team.file().name.clone();
        let engine = self.team.engine();
        for memory in memories(&engine.world) {
            self.inside
                .record(&ToolTeamRecord::Mind(memory.inside(&name)));
        }
        let spent = engine.totals().spent;
        self.inside.set_spent(ToolSpent {
            calls: spent.calls,
            usage: spent.usage,
            cost: spent.cost,
        });
    }
}

/// Adds a team to a toolbox; without anybody who plays it, as one that can't be called.
pub(super) fn register(tool: Option<&TeamTool>, toolbox: &mut Toolbox, name: &str, about: &str) {
    let tool = tool.cloned();
    toolbox.add_async_traced(name, about, move |arguments: TaskArguments, inside| {
        let tool = tool.clone();
        async move {
            match tool {
                Some(tool) => tool.run(arguments.task, &inside).await,
                None => Err(ToolError::new("nobody plays this team")),
            }
        }
    });
    toolbox.change(name, |tool| tool.with_time_limit(PATIENCE));
}

/// A feed that tells all messages of a team but its task, which is known to whoever asked.
fn telling(inside: ToolTrace, team: TeamFile) -> Feed {
    let mut is_task = true;
    Feed::observer(move |record| {
        let Some(heard) = Heard::of(record, &team) else {
            return;
        };
        if !std::mem::take(&mut is_task) {
            let (team, message) = (path(&team.name, &heard.inside), heard.message);
            inside.record(&ToolTeamRecord::Message { team, message });
        }
    })
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
