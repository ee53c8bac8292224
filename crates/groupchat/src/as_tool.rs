//! Teams as tools of other teams.

use std::time::Duration;

use playhouse_engine::engine::Stop;
use playhouse_engine::event::Feed;
use playhouse_engine::locale::text;
use playhouse_engine::mind::Minds;
use playhouse_tools::{ToolError, ToolTrace, Toolbox};
use schemars::JsonSchema;
use serde::Deserialize;

use super::game::ChatGame;
use super::perspective::spoken;
use super::run::{ChatError, Team};
use super::stream::TaskResult;
use super::team::TeamFile;
use super::team_message::TeamMessage;
use super::tool_team::{ToolTeamRecord, join_path};
use super::trace::context_records;

/// The time limit of a call.
const TIME_LIMIT: Duration = Duration::from_secs(600);

// The name and the comments of this type are part of requests, as its JSON schema.

/// What a team is asked that is called as a tool.
#[derive(Debug, Deserialize, JsonSchema)]
struct TaskArguments {
    /// The task, in words.
    task: String,
}

/// A team that others call as a tool.
///
/// Each call runs it in a new world. Its result is recorded like that of
/// every tool, with the messages of the team, which people see but nobody hears.
#[derive(Clone)]
pub struct TeamTool {
    pub game: ChatGame,
    pub minds: Minds,
    /// Whether only the last message is returned; otherwise all are.
    pub return_value_as_last_message: bool,
}

impl TeamTool {
    /// A tool that returns all messages of a team.
    pub fn new(game: ChatGame, minds: Minds) -> Self {
        Self {
            game,
            minds,
            return_value_as_last_message: false,
        }
    }

    async fn call(self, task: String, trace: &ToolTrace) -> Result<String, ToolError> {
        let team = Team::new(self.game, self.minds, 1).map_err(to_tool_error)?;
        let mut call = TeamCall::new(team, trace.clone());
        let result = call.team.run(task).await.map_err(to_tool_error)?;
        Ok(if self.return_value_as_last_message {
            last_message(&result)
        } else {
            all_messages(&result)
        })
    }
}

fn to_tool_error(error: ChatError) -> ToolError {
    let failed = ToolError::of(&error);
    match error {
        ChatError::Stopped(Stop::ServerDown(reason) | Stop::NoUsableAnswers(reason)) => {
            failed.with_outage(reason)
        }
        _ => failed,
    }
}

/// A call in progress. However it ends, it reports what the team's minds saw.
struct TeamCall {
    team: Team,
    trace: ToolTrace,
}

impl TeamCall {
    fn new(mut team: Team, trace: ToolTrace) -> Self {
        let feed = report_messages(trace.clone(), team.file().clone());
        let engine = team.engine();
        engine.settings.limits = trace.allowance;
        engine.settings.account = trace.account.clone();
        engine.settings.falls_back = false;
        engine.add_feed(feed);
        Self { team, trace }
    }
}

impl Drop for TeamCall {
    fn drop(&mut self) {
        let name = self.team.file().name.clone();
        let engine = self.team.engine();
        for record in context_records(&engine.world) {
            let record = ToolTeamRecord::Mind(record.within(&name));
            self.trace.record(&record);
        }
    }
}

/// Adds a team to a toolbox; without a tool, it is there but can't be called.
pub(super) fn register(tool: Option<TeamTool>, toolbox: &mut Toolbox, name: &str, about: &str) {
    toolbox.add_async_traced(name, about, move |arguments: TaskArguments, trace| {
        let tool = tool.clone();
        async move {
            match tool {
                Some(tool) => tool.call(arguments.task, &trace).await,
                None => Err(ToolError::of(&text!(groupchat_nobody_plays))),
            }
        }
    });
    toolbox.change(name, |tool| tool.with_time_limit(TIME_LIMIT));
}

/// Reports all messages of a team except the task, which the caller knows.
fn report_messages(trace: ToolTrace, team: TeamFile) -> Feed {
    let mut is_task = true;
    Feed::observer(move |record| {
        let Some(TeamMessage { team_path, message }) = TeamMessage::of(record, &team) else {
            return;
        };
        if !std::mem::take(&mut is_task) {
            let team = join_path(&team.name, &team_path);
            trace.record(&ToolTeamRecord::Message { team, message });
        }
    })
}

fn last_message(result: &TaskResult) -> String {
    let last = result.last();
    last.map_or_else(String::new, |message| message.to_model_text())
}

/// All messages except the task.
fn all_messages(result: &TaskResult) -> String {
    let messages = result
        .messages
        .iter()
        .skip(1)
        .filter(|message| !message.is_event());
    let lines = messages.map(|message| spoken(&message.source, &message.to_model_text()));
    lines.collect::<Vec<_>>().join("\n\n")
}
