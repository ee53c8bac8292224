//! The templates of what a mind is told about its answers and its past.

use serde::Serialize;

use crate::event::{PromptSet, PromptTemplate};

/// The answer is empty.
pub const EMPTY: PromptTemplate<()> = PromptTemplate::new("rules/empty");
/// The answer is too long, in characters.
pub const TOO_LONG: PromptTemplate<TooLong> = PromptTemplate::new("rules/too_long");
/// The answer was cut off.
pub(super) const CUT_OFF: PromptTemplate<CutOff> = PromptTemplate::new("rules/cut_off");
/// The answer is not in the language of the story.
pub(super) const LANGUAGE: PromptTemplate<()> = PromptTemplate::new("rules/language");
/// The answer is too short.
pub(super) const TOO_SHORT: PromptTemplate<()> = PromptTemplate::new("rules/too_short");
/// The answer is not only the text that was asked for.
pub(super) const ONLY_TEXT: PromptTemplate<()> = PromptTemplate::new("rules/only_text");
/// A character speaks in a text without speech.
pub(super) const NOBODY_SPEAKS: PromptTemplate<()> = PromptTemplate::new("rules/nobody_speaks");
/// A speaker tells of itself by its name.
pub(super) const FIRST_PERSON: PromptTemplate<()> = PromptTemplate::new("rules/first_person");
/// A speaker tells a story instead of what it says.
pub(super) const ALOUD: PromptTemplate<()> = PromptTemplate::new("rules/aloud");
/// Something was said before.
pub(super) const SAID_BEFORE: PromptTemplate<()> = PromptTemplate::new("rules/said_before");
/// The answer lacks a fact.
pub(super) const MUST_HOLD: PromptTemplate<MustHold> = PromptTemplate::new("rules/must_hold");
/// There is no whole JSON in the answer.
pub(super) const NO_JSON: PromptTemplate<NoJsonFound> = PromptTemplate::new("rules/no_json");
/// A part of the answer is missing, or of another kind.
pub(super) const WRONG_FORM: PromptTemplate<WrongForm> = PromptTemplate::new("rules/wrong_form");
/// Something was named that is not offered.
pub(super) const NOT_ONE_OF: PromptTemplate<NotOneOf> = PromptTemplate::new("rules/not_one_of");
/// Something was named that fits several things that are offered.
pub(super) const SEVERAL: PromptTemplate<Several> = PromptTemplate::new("rules/several");

/// Asks for another answer.
pub(crate) const REPAIR: PromptTemplate<Repair> = PromptTemplate::new("engine/repair");
/// The line in place of messages that were folded away.
pub(crate) const FOLDED: PromptTemplate<Folded> = PromptTemplate::new("engine/folded");
/// The title of messages that were folded away.
pub const FOLDED_TITLE: PromptTemplate<Folded> = PromptTemplate::new("engine/folded_title");
/// The text in place of one that a guard blocked.
pub const WITHHELD: PromptTemplate<Withheld> = PromptTemplate::new("engine/withheld");
/// What a model is told that refused.
pub(super) const ECHO: PromptTemplate<()> = PromptTemplate::new("rules/echo");
pub(crate) const MAY_DECLINE: PromptTemplate<()> = PromptTemplate::new("engine/may_decline");
/// What an entity remembers as its own words where it gave none.
pub(super) const HESITATED: PromptTemplate<()> = PromptTemplate::new("engine/hesitated");
/// Memories that come to mind.
pub(crate) const RECALLED: PromptTemplate<Recalled> = PromptTemplate::new("engine/recalled");

/// Adds the templates of what a mind is told about its answers and its past.
pub fn add_templates(prompts: &mut PromptSet) {
    prompts
        .add(&EMPTY)
        .add(&TOO_LONG)
        .add(&CUT_OFF)
        .add(&LANGUAGE)
        .add(&TOO_SHORT)
        .add(&ONLY_TEXT)
        .add(&NOBODY_SPEAKS)
        .add(&SAID_BEFORE)
        .add(&ALOUD)
        .add(&FIRST_PERSON)
        .add(&MUST_HOLD)
        .add(&NO_JSON)
        .add(&WRONG_FORM)
        .add(&NOT_ONE_OF)
        .add(&SEVERAL)
        .add(&REPAIR)
        .add(&FOLDED)
        .add(&FOLDED_TITLE)
        .add(&WITHHELD)
        .add(&ECHO)
        .add(&MAY_DECLINE)
        .add(&HESITATED)
        .add(&RECALLED);
}

#[derive(Default, Serialize)]
pub struct TooLong {
    /// How many there may be.
    pub most: usize,
    /// How many there are.
    pub length: usize,
}

#[derive(Default, Serialize)]
pub(super) struct CutOff {
    pub(super) tokens: u32,
}

#[derive(Default, Serialize)]
pub(super) struct MustHold<'a> {
    pub(super) fact: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct NoJsonFound<'a> {
    pub(super) found: Found,
    /// What can't be read.
    pub(super) near: &'a str,
}

/// What an answer contains instead of JSON.
#[derive(Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Found {
    #[default]
    Nothing,
    /// JSON without its end.
    Part,
    /// JSON that can't be read.
    Broken,
    Prose,
    /// Several answers to choose from.
    Drafts,
}

#[derive(Default, Serialize)]
pub(super) struct WrongForm {
    pub(super) is_missing: bool,
    /// What should be there: `one_of`, `text`, `number`, `truth`, `list`, `object`, or nothing in
    /// particular.
    pub(super) kind: &'static str,
    pub(super) options: Vec<String>,
}

#[derive(Default, Serialize)]
pub(super) struct NotOneOf<'a> {
    pub(super) given: &'a str,
    pub(super) options: &'a [&'a str],
}

#[derive(Default, Serialize)]
pub(super) struct Several<'a> {
    pub(super) given: &'a str,
    pub(super) fits: &'a [&'a str],
}

#[derive(Default, Serialize)]
pub(crate) struct Repair<'a> {
    pub(crate) violations: Vec<RepairViolation<'a>>,
    /// An answer in the right form; empty if there is none.
    pub(crate) example: String,
}

/// A violation as [`REPAIR`] shows it.
#[derive(Serialize)]
pub(crate) struct RepairViolation<'a> {
    pub(crate) path: &'a str,
    pub(crate) rule: String,
}

#[derive(Default, Serialize)]
pub struct Folded {
    /// The number of messages.
    pub count: usize,
}

impl From<u32> for Folded {
    fn from(count: u32) -> Self {
        Self {
            count: count as usize,
        }
    }
}

#[derive(Default, Serialize)]
pub struct Withheld<'a> {
    /// Why it is withheld.
    pub reason: &'a str,
}

#[derive(Default, Serialize)]
pub(crate) struct Recalled<'a> {
    pub(crate) memories: Vec<RecalledLine<'a>>,
}

/// A memory as [`RECALLED`] shows it.
#[derive(Serialize)]
pub(crate) struct RecalledLine<'a> {
    pub(crate) day: &'a str,
    pub(crate) place: &'a str,
    /// Whether the entity said or thought it itself.
    pub(crate) own: bool,
    pub(crate) text: &'a str,
}
