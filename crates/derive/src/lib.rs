//! Derives for the types of a story. `playhouse-engine` exports them beside their traits.
//!
//! ```
//! use playhouse_engine::prelude::*;
//! use playhouse_engine::testing::tiny;
//!
//! #[derive(Serialize, Deserialize, AgentEvent)]
//! #[event("rang", style = Deed, text = format!("{who} rings the bell."))]
//! struct Rang {
//!     who: String,
//! }
//!
//! fn ring(actors: Query<(Entity, &EntityName, &Kind)>, mut events: EventWriter) {
//!     for (actor, name, _) in actors.iter().filter(|(.., kind)| **kind == Kind::Actor) {
//!         events.broadcast_to_stage(actor, Rang { who: name.to_string() }, &[]);
//!     }
//! }
//!
//! let mut tiny = tiny();
//! register_event::<Rang>(tiny.world());
//! tiny.world().run_system_cached(ring).unwrap();
//! assert_eq!(tiny.told()[0].1, "Ann rings the bell.");
//! ```

mod event;
mod localize;
mod prompt;
mod templates;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `AgentEvent` and `Telling`: the name of an event type, how readers are shown it, and
/// what else differs from the defaults of the traits.
///
/// ```ignore
/// /// Somebody goes.
/// #[derive(Serialize, Deserialize, AgentEvent)]
/// #[event(
///     "leave", style = Move, not_recallable, speaker = actor, line = text!(story_walks, actor, to)
/// )]
/// struct Leave {
///     actor: String,
///     to: String,
/// }
/// ```
///
/// | member | what it says |
/// | --- | --- |
/// | `style` | a variant of `EventStyle`, or a method that returns one; it must be there |
/// | `third_person`, `line`, `heading`, `board` | of `Telling`: an expression, or a method |
/// | `sight` | of `Telling`: `Sight { what: field, look: field }` |
/// | `words`, `target`, `place`, `day` | of `Telling`: a field or another expression |
/// | `not_recallable`, `no_trigger` | `RECALLABLE = false`, `TRIGGERS_RECALL = false` |
/// | `private` | `is_public() == false` |
/// | `seen`, `heard` | `PERCEIVED`: a field or several, `(words, tells)`, by which sense |
/// | `own` | `is_own() == true` |
/// | `tells_nothing` | `tells_by_words() == false` |
/// | `doer` | a field: whoever did it reads the phrase with `own` set |
/// | `along` | a field: who did it with the doer, and reads it so, with the others as `along` |
/// | `speaker`, `spoken`, `tells`, `media` | a field or another expression |
/// | `template`, `short_template` | the name of a phrase |
/// | `text` | the words, as an expression of the fields, or a method of the type |
/// | `knower`, `tags`, `happening`, `own_happening` | a method of the type |
/// | `crate` | where the engine is, if it is not a dependency: `crate = playhouse` |
#[proc_macro_derive(AgentEvent, attributes(event))]
pub fn derive_agent_event(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    event::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Derives `Localize`, and `Display` as its English. Each variant, or the struct, names the key of
/// its text in the Fluent files; its fields are the arguments.
///
/// ```
/// use playhouse_engine::locale::Localize;
///
/// #[derive(Debug, thiserror::Error, Localize)]
/// enum TurnError {
///     #[text(session_no_such_turn)]
///     NoSuchTurn { turn: u64, last: u64 },
///     #[text(cast_name_taken, name)]
///     NameTaken(String),
///     Json(#[from] serde_json::Error),
/// }
///
/// let error = TurnError::NoSuchTurn { turn: 9, last: 3 };
/// assert_eq!(error.to_string(), "the journal has no turn 9; its last turn is 3");
/// ```
///
/// | form | meaning |
/// | --- | --- |
/// | no attribute | the text of the only field, such as an inner error |
/// | `#[text(key)]` | each field is an argument of its name |
/// | `#[text(key, first, second)]` | of a tuple: the names of its fields, in order |
/// | `#[text(key, name = value)]` | another value for a field, or one more argument |
/// | `#[text(key, name, ..)]` | other fields are left out |
/// | `#[text(key, .. if condition)]` | if the condition holds; otherwise the next attribute |
/// | `#[text(\|field\| text)]` | any code, with names for the fields in order |
///
/// As in `text!`, an unknown key and a missing or an unknown argument don't compile:
///
/// ```compile_fail,E0063
/// #[derive(playhouse_engine::locale::Localize)]
/// #[text(session_no_such_turn)]
/// struct NoSuchTurn { turn: u64 }
/// ```
/// ```compile_fail,E0560
/// #[derive(playhouse_engine::locale::Localize)]
/// #[text(session_no_such_turn)]
/// struct NoSuchTurn { turn: u64, last: u64, place: String }
/// ```
#[proc_macro_derive(Localize, attributes(text))]
pub fn derive_localize(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    localize::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Derives `Prompt`: data that fill a template. Its fields are the variables of the template.
///
/// ```
/// use playhouse_engine::event::{Phrasebook, Prompt};
/// use playhouse_engine::world_data::{DataFolder, PromptSet};
///
/// #[derive(serde::Serialize, Prompt)]
/// #[serde(untagged)]
/// enum Refusal<'a> {
///     #[prompt("refusals/no_way")]
///     NoWay { to: &'a str },
///     #[prompt("refusals/not_now")]
///     NotNow { action: &'a str },
/// }
///
/// let mut prompts = PromptSet::default();
/// prompts.declare::<Refusal>();
/// let (phrases, _) = prompts.load(&DataFolder::embedded(), "prompts/en").unwrap();
/// assert!(phrases.fill(&Refusal::NoWay { to: "the mill" }).unwrap().contains("the mill"));
/// ```
///
/// | form | meaning |
/// | --- | --- |
/// | `#[prompt("name")]` | on a struct, or on each variant: the template |
/// | `#[prompt("name")]` | on an enum with `serde(tag, content)`: one for all variants |
/// | `#[prompt("name", OTHER = "name")]` | on a struct: others that it fills, as constants |
/// | `#[prompt(self.method(), ONE = "name", …)]` | which of the others it fills is chosen |
/// | `purpose = "…"` | it is a `Question`, too |
/// | `short = "name"` | the short form of the question, which knows `alone` too |
/// | none | of a struct: only `Fields`, for structs that flatten or wrap it |
///
/// The templates are in `data/prompts/<language>` of the crate's folder or above. One that is
/// missing in a language, or uses a variable that is no field, does not compile. Of a struct with a
/// flattened field, and of what a template includes, the variables are checked when a game loads.
///
/// ```compile_fail
/// #[derive(serde::Serialize, playhouse_engine::event::Prompt)]
/// #[prompt("refusals/no_weather")]
/// struct NoWeather;
/// ```
/// ```compile_fail
/// #[derive(serde::Serialize, playhouse_engine::event::Prompt)]
/// #[prompt("refusals/no_way")]
/// struct NoWay<'a> { from: &'a str }
/// ```
#[proc_macro_derive(Prompt, attributes(prompt))]
pub fn derive_prompt(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    prompt::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
