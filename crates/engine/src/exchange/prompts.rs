//! The templates of what a mind is told about its answers and its past.

use serde::Serialize;

use crate::world_data::{Prompt, PromptSet};

/// Declares what a mind is told about its answers and its past.
pub fn declare_prompts(prompts: &mut PromptSet) {
    prompts.declare::<Rule>().declare::<Remark>();
}

/// A rule that an answer can break.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub enum Rule<'a> {
    #[prompt("rules/empty")]
    Empty,
    /// In characters.
    #[prompt("rules/too_long")]
    TooLong { most: usize, length: usize },
    #[prompt("rules/cut_off")]
    CutOff { tokens: u32 },
    /// It is not in the language of the story.
    #[prompt("rules/language")]
    Language,
    #[prompt("rules/too_short")]
    TooShort,
    /// It is not only the text that was asked for.
    #[prompt("rules/only_text")]
    OnlyText,
    /// Somebody speaks in a text in which nobody does.
    #[prompt("rules/nobody_speaks")]
    NobodySpeaks,
    /// Somebody tells of itself by its name.
    #[prompt("rules/first_person")]
    FirstPerson,
    /// Somebody tells a story instead of what it says.
    #[prompt("rules/aloud")]
    Aloud,
    #[prompt("rules/said_before")]
    SaidBefore,
    #[prompt("rules/must_hold")]
    MustHold { fact: &'a str },
    /// There is no whole JSON, and `near` can't be read.
    #[prompt("rules/no_json")]
    NoJson { found: Found, near: &'a str },
    /// A part is missing, or of another kind. `kind` is what should be there: `one_of`, `text`,
    /// `number`, `truth`, `list`, `object`, or nothing in particular.
    #[prompt("rules/wrong_form")]
    WrongForm {
        is_missing: bool,
        kind: &'static str,
        options: Vec<String>,
    },
    /// Something was named that is not offered.
    #[prompt("rules/not_one_of")]
    NotOneOf {
        given: &'a str,
        options: &'a [&'a str],
    },
    /// Something was named that fits several things that are offered.
    #[prompt("rules/several")]
    Several { given: &'a str, fits: &'a [&'a str] },
    /// The example was sent back.
    #[prompt("rules/echo")]
    Echo,
}

/// What the engine tells a mind beside its questions.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub enum Remark<'a> {
    /// Asks for another answer. The example is in the right form; it may be empty.
    #[prompt("engine/repair")]
    Repair {
        violations: Vec<BrokenRule<'a>>,
        example: String,
    },
    /// The line in place of messages that were folded away.
    #[prompt("engine/folded")]
    Folded { count: usize },
    /// The title of messages that were folded away.
    #[prompt("engine/folded_title")]
    FoldedTitle { count: usize },
    /// The text in place of one that a guard blocked, and why.
    #[prompt("engine/withheld")]
    Withheld { reason: &'a str },
    /// What a model is told that refused.
    #[prompt("engine/may_decline")]
    MayDecline,
    /// What an entity remembers as its own words where it gave none.
    #[prompt("engine/hesitated")]
    Hesitated,
    /// Memories that come to mind, and what else is known of what was just said.
    #[prompt("engine/recalled")]
    Recalled {
        memories: Vec<RecalledLine<'a>>,
        known: &'a [String],
    },
}

/// What an answer contains instead of JSON.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    Nothing,
    /// JSON without its end.
    Part,
    Broken,
    Prose,
    Drafts,
}

/// A violation as [`Remark::Repair`] shows it.
#[derive(Serialize)]
pub struct BrokenRule<'a> {
    pub path: &'a str,
    pub rule: String,
}

/// A memory as [`Remark::Recalled`] shows it.
#[derive(Serialize)]
pub struct RecalledLine<'a> {
    pub day: &'a str,
    pub place: &'a str,
    /// Whether the entity said or thought it itself.
    pub own: bool,
    pub text: &'a str,
}
