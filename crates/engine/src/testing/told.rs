//! What minds read of a failure.

use crate::event::Phrasebook;
use crate::tool::{ToolError, declare_prompts};
use crate::world_data::{DataFolder, PromptSet};

/// A failure of a tool as minds read it, in English and in Chinese.
pub fn told(error: &ToolError) -> [String; 2] {
    told_by(declare_prompts, error)
}

/// As [`told`], of a tool whose prompts are declared by a function of its own.
pub fn told_by(declare_prompts: fn(&mut PromptSet), error: &ToolError) -> [String; 2] {
    let mut prompts = PromptSet::default();
    declare_prompts(&mut prompts);
    let (name, data) = error.phrase().expect("has a template");
    ["prompts/en", "prompts/zh"].map(|folder| {
        let loaded = prompts.templates(&DataFolder::embedded(), folder);
        let phrases = Phrasebook::from(loaded.expect("are right").0);
        phrases.say(name, data).expect("is filled")
    })
}
