//! The templates of what minds are told of tools and of calls that failed.

use serde::Serialize;

use super::ToolSpec;
use super::names::BUILT_IN;
use crate::locale::Translations;
use crate::world_data::{Kinds, PromptSet, PromptTemplate};

/// How to call tools, for minds that call them in words.
pub(crate) const IN_WORDS: PromptTemplate<InWords> = PromptTemplate::new("tools/in_words");
/// No tool can be called any more.
pub(crate) const USED_UP: PromptTemplate<()> = PromptTemplate::new("tools/used_up");
/// The end of a result that was too long.
pub(crate) const CUT: PromptTemplate<Cut> = PromptTemplate::new("tools/cut");

/// There is no such tool.
pub(crate) const UNKNOWN: PromptTemplate<Unknown> = PromptTemplate::new("tools/errors/unknown");
/// The arguments do not fit the tool.
pub(super) const ARGUMENTS: PromptTemplate<Wrong> = PromptTemplate::new("tools/errors/arguments");
/// The tool was too slow.
pub(super) const TIME: PromptTemplate<Time> = PromptTemplate::new("tools/errors/time");
/// A guard blocked the result.
pub(crate) const BLOCKED: PromptTemplate<Stopped> = PromptTemplate::new("tools/errors/blocked");
/// A guard stopped the call.
pub(crate) const STOPPED: PromptTemplate<Stopped> = PromptTemplate::new("tools/errors/stopped");
pub(super) const BROKE_DOWN: PromptTemplate<()> = PromptTemplate::new("tools/errors/broke_down");
/// The program ended during the call.
pub(crate) const INTERRUPTED: PromptTemplate<()> = PromptTemplate::new("tools/errors/interrupted");
/// Tools can't be called in this ask, or no longer.
pub(crate) const NOT_NOW: PromptTemplate<()> = PromptTemplate::new("tools/errors/not_now");
/// An expression has no value.
pub(super) const EXPRESSION: PromptTemplate<Kinds> = PromptTemplate::new("tools/errors/expression");
/// Code, a server or a team failed, or what a tool returned can't be told.
pub(super) const FAILED: PromptTemplate<Failed> = PromptTemplate::new("tools/errors/failed");
/// A table has no such row.
pub(super) const NO_ROW: PromptTemplate<NoRow> = PromptTemplate::new("tools/errors/no_row");
/// Impossible dice.
pub(super) const DICE: PromptTemplate<Dice> = PromptTemplate::new("tools/errors/dice");

/// Adds the templates that describe the built-in tools and the failures of calls. A template
/// `tools/NAME` describes the tool of that name: lines such as `- sides: how many` describe
/// arguments, all others the tool.
pub fn add_templates(prompts: &mut PromptSet) {
    describe(prompts, &BUILT_IN);
    prompts
        .add(&IN_WORDS)
        .add(&USED_UP)
        .add(&CUT)
        .add(&UNKNOWN)
        .add(&ARGUMENTS)
        .add(&TIME)
        .add(&BLOCKED)
        .add(&STOPPED)
        .add(&BROKE_DOWN)
        .add(&INTERRUPTED)
        .add(&NOT_NOW)
        .add(&EXPRESSION)
        .add(&FAILED)
        .add(&NO_ROW)
        .add(&DICE);
}

/// Adds the templates that describe tools.
pub fn describe(prompts: &mut PromptSet, names: &[&str]) {
    for name in names {
        prompts.add_named::<()>(format!("tools/{name}"));
    }
}

#[derive(Default, Serialize)]
pub(crate) struct InWords<'a> {
    pub(crate) tools: Vec<ToolInWords<'a>>,
}

/// A tool as [`IN_WORDS`] shows it.
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

#[derive(Default, Serialize)]
pub(crate) struct Cut {
    /// The number of characters.
    pub(crate) left_out: usize,
}

#[derive(Default, Serialize)]
pub(crate) struct Unknown<'a> {
    pub(crate) name: &'a str,
    /// The names of the tools that there are.
    pub(crate) known: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct Wrong {
    pub(super) problem: Translations,
}

#[derive(Default, Serialize)]
pub(super) struct Time {
    pub(super) seconds: f64,
}

#[derive(Default, Serialize)]
pub(crate) struct Stopped<'a> {
    pub(crate) reason: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct Failed {
    pub(super) text: Translations,
}

#[derive(Default, Serialize)]
pub(super) struct NoRow<'a> {
    pub(super) asked: &'a str,
    /// The rows that there are.
    pub(super) known: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct Dice {
    pub(super) most_dice: u32,
    pub(super) most_sides: u32,
}
