//! The templates of what minds are told of tools and of calls that failed.

use serde::Serialize;

use super::ToolSpec;
use super::calculate::Mistake;
use super::names::BUILT_IN;
use crate::locale::Translations;
use crate::world_data::{Prompt, PromptSet};

/// What minds are told of tools.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub(crate) enum ToolPrompt<'a> {
    /// How to call tools, for minds that call them in words.
    #[prompt("tools/in_words")]
    InWords { tools: Vec<ToolInWords<'a>> },
    /// No tool can be called any more.
    #[prompt("tools/used_up")]
    UsedUp,
    /// The end of a result that was too long by this number of characters.
    #[prompt("tools/cut")]
    Cut { left_out: usize },
}

#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub(crate) enum Failure<'a> {
    /// There is no such tool, but those that are known.
    #[prompt("tools/errors/unknown")]
    Unknown { name: &'a str, known: &'a str },
    /// The arguments do not fit the tool.
    #[prompt("tools/errors/arguments")]
    Arguments { problem: Translations },
    /// The tool was too slow.
    #[prompt("tools/errors/time")]
    Time { seconds: f64 },
    #[prompt("tools/errors/blocked")]
    Blocked { reason: &'a str },
    #[prompt("tools/errors/stopped")]
    Stopped { reason: &'a str },
    #[prompt("tools/errors/broke_down")]
    BrokeDown,
    /// The program ended during the call.
    #[prompt("tools/errors/interrupted")]
    Interrupted,
    /// Tools can't be called in this ask, or no longer.
    #[prompt("tools/errors/not_now")]
    NotNow,
    /// Code, a server or a team failed, or what a tool returned can't be told.
    #[prompt("tools/errors/failed")]
    Failed { text: Translations },
    /// A table has no such row, but those that are known.
    #[prompt("tools/errors/no_row")]
    NoRow { asked: &'a str, known: &'a str },
    /// Dice that nobody can roll.
    #[prompt("tools/errors/dice")]
    Dice { most_dice: u32, most_sides: u32 },
}

/// Declares what describes the built-in tools and the failures of calls. A template
/// `tools/NAME` describes the tool of that name: lines such as `- sides: how many` describe
/// arguments, all others the tool.
pub fn declare_prompts(prompts: &mut PromptSet) {
    describe(prompts, &BUILT_IN);
    prompts
        .declare::<ToolPrompt>()
        .declare::<Failure>()
        .declare::<Mistake>();
}

/// Adds the templates that describe tools.
pub fn describe(prompts: &mut PromptSet, names: &[&str]) {
    for name in names {
        prompts.add_named(format!("tools/{name}"), &[]);
    }
}

/// A tool as [`ToolPrompt::InWords`] shows it.
#[derive(Serialize)]
pub(crate) struct ToolInWords<'a> {
    name: &'a str,
    description: &'a str,
    schema: &'a str,
}

impl<'a> From<&'a ToolSpec> for ToolInWords<'a> {
    fn from(spec: &'a ToolSpec) -> Self {
        Self {
            name: spec.name(),
            description: spec.description().as_str(),
            schema: spec.schema(),
        }
    }
}
