//! Derives for the types of a story. `playhouse-engine` exports them beside their traits.

mod event;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `AgentEvent` and `Telling`: the name of an event type, how readers are shown it, and
/// what else differs from the defaults of the traits.
///
/// ```ignore
/// /// Somebody goes.
/// #[derive(Serialize, Deserialize, AgentEvent)]
/// #[event("leave", style = Move, minor, speaker = actor, line = text!(story_walks, actor, to))]
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
/// | `place` | of `Telling`: a field or another expression |
/// | `minor`, `no_cue` | `IS_MINOR = true`, `IS_CUE = false` |
/// | `private` | `is_public() == false` |
/// | `own` | `is_own() == true` |
/// | `tells_nothing` | `tells_by_words() == false` |
/// | `speaker`, `spoken`, `tells`, `media` | a field or another expression |
/// | `template`, `short_template` | the name of a phrase |
/// | `knower`, `tags`, `happening`, `own_happening`, `text` | a method of the type |
/// | `crate` | where the engine is, if it is not a dependency: `crate = playhouse` |
#[proc_macro_derive(AgentEvent, attributes(event))]
pub fn derive_agent_event(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    event::derive(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
