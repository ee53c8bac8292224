//! What an event is, and the list of known types.

use std::collections::BTreeSet;

use bevy_ecs::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{PhraseError, Phrasebook};
use crate::context::Happening;
use crate::message::{Block, Tags};

/// Something that happens, as a serde type.
///
/// ```
/// use playhouse::prelude::*;
///
/// /// A bell rings; the phrase `events/bell` says so.
/// #[derive(Serialize, Deserialize)]
/// struct Bell {
///     strokes: u32,
/// }
///
/// impl AgentEvent for Bell {
///     const TYPE: &'static str = "bell";
/// }
///
/// let mut setup = Setup::new(1);
/// register_event::<Bell>(&mut setup.world);
/// ```
pub trait AgentEvent: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name under which the type is registered, such as `speak`.
    const TYPE: &'static str;

    /// Who did it, by name.
    fn speaker(&self) -> Option<&str> {
        None
    }

    /// By whose knowledge guards judge its words: by default its speaker's.
    fn knower(&self) -> Option<&str> {
        self.speaker()
    }

    /// Free text that the speaker's mind wrote. Guards judge it before the event is sent.
    fn spoken(&mut self) -> Option<&mut String> {
        None
    }

    /// The ids of the facts that it tells on purpose. A speaker tells only what it knows; whoever
    /// gets the event knows it from then on.
    fn tells(&self) -> &[String] {
        &[]
    }

    /// Whether phrases of facts in its words tell these facts, if its speaker knows them.
    fn tells_by_words(&self) -> bool {
        true
    }

    /// Whether everybody in the audience may repeat it: `true` for speech, `false` for a whisper.
    fn is_public(&self) -> bool {
        true
    }

    /// Whether its receivers said it themselves: then it enters their contexts as their own words.
    fn is_own(&self) -> bool {
        false
    }

    /// Tags for the message that each receiver gets.
    fn tags(&self) -> Tags {
        Tags::new()
    }

    /// What those in the audience note for the records of their chapters. They see all of it, so it
    /// holds nothing that the words don't tell.
    fn happening(&self) -> Option<Happening> {
        None
    }

    /// What whoever did it notes, and its name: by default its speaker, the same as the others.
    fn own_happening(&self) -> Option<(&str, Happening)> {
        self.speaker().zip(self.happening())
    }

    /// Images, audio and video that receivers get after the words.
    fn media(&self) -> Vec<Block> {
        Vec::new()
    }

    /// The name of the phrase that receivers read. Its variables are the fields of the event.
    fn template() -> String {
        format!("events/{}", Self::TYPE)
    }

    /// The words that receivers read: by default the phrase, filled with `data`, the event as JSON.
    /// Words of a mind belong into a phrase, which they can't leave.
    ///
    /// # Errors
    /// The phrase is missing or can't be filled.
    fn text(&self, phrases: &Phrasebook, data: &Value) -> Result<String, PhraseError> {
        phrases.say(&Self::template(), data)
    }
}

/// The names of the event types that are known.
#[derive(Resource, Default)]
pub struct EventTypes(BTreeSet<&'static str>);

impl EventTypes {
    /// Whether a type of this name is registered.
    pub fn knows(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// The names of all known types, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().copied()
    }
}

/// Registers an event type, so that systems may write it and saves may name it.
pub fn register_event<E: AgentEvent>(world: &mut World) {
    world.get_resource_or_init::<EventTypes>().0.insert(E::TYPE);
}
