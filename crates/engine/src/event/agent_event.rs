//! What an event is, and the list of known types.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{EventRecord, PhraseError, Phrasebook, PromptSet, Telling, kinds};
use crate::cast::Sense;
use crate::context::Noting;
use crate::memory::EventTraits;
use crate::message::{Block, Tags};

/// Something that happens, as a serde type.
///
/// ```
/// use playhouse_engine::prelude::*;
///
/// /// A bell rings; the phrase `events/bell` says so.
/// #[derive(Serialize, Deserialize, AgentEvent)]
/// #[event("bell", style = Deed)]
/// struct Bell {
///     strokes: u32,
/// }
///
/// let mut setup = Setup::new(1);
/// register_event::<Bell>(&mut setup.world);
/// ```
///
/// An event that does not say how readers are shown it is no event:
///
/// ```compile_fail
/// use playhouse_engine::prelude::*;
///
/// #[derive(Serialize, Deserialize, AgentEvent)]
/// #[event("bell")]
/// struct Bell;
/// ```
pub trait AgentEvent: Telling + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name under which the type is registered, such as `speak`.
    const TYPE: &'static str;

    /// The names of its fields, which its phrase may use.
    const FIELDS: &'static [&'static str];

    /// Whether receiving it triggers automatic recall.
    const TRIGGERS_RECALL: bool = true;

    /// Whether it is recalled automatically. Of ways, first sights and the moves of a fight, other
    /// events tell what is worth remembering.
    const RECALLABLE: bool = true;

    /// By which sense it is perceived, and the fields that are empty for those who lack it, unless
    /// they did it themselves. If no word is left then, they learn nothing.
    const PERCEIVED: Option<(Sense, &'static [&'static str])> = None;

    /// Who did it, by name.
    fn speaker(&self) -> Option<&str> {
        None
    }

    /// Who did it, by name, if it may be told of that. It reads the phrase with `own` set.
    fn doer(&self) -> Option<&str> {
        None
    }

    /// Who did it together with the doer. Each reads the phrase as if it were the doer, with the
    /// others as `along`.
    fn along(&self) -> &[String] {
        &[]
    }

    /// By whose knowledge guards judge its words: by default its speaker's.
    fn knower(&self) -> Option<&str> {
        self.speaker()
    }

    /// Free text that the speaker's mind wrote. Guards judge it before the event is sent.
    fn spoken(&mut self) -> Option<&mut String> {
        None
    }

    /// The ids of the facts that it tells on purpose. A speaker tells only what it knows; the
    /// receivers know it from then on.
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
    fn happening(&self) -> Option<Noting> {
        None
    }

    /// What the actor notes, and its name: by default the speaker, the same as the others.
    fn own_happening(&self) -> Option<(&str, Noting)> {
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

    /// The name of the phrase that minds are sent instead, if it has a short form. The receivers'
    /// messages keep both.
    fn short_template() -> Option<String> {
        None
    }

    /// The words that receivers read: by default the phrase, filled with `data`, the event as JSON.
    /// Words of a mind belong into a phrase, which they can't leave.
    fn text(&self, phrases: &Phrasebook, data: &Value) -> Result<String, PhraseError> {
        phrases.say(&Self::template(), data)
    }
}

/// A type of events, for the lists of a game.
#[derive(Clone, Copy, Debug)]
pub struct EventType {
    name: &'static str,
    traits: EventTraits,
    read: fn(&Value) -> Option<Box<dyn Telling>>,
    add_template: fn(&mut PromptSet),
}

impl EventType {
    /// A type whose words are in its phrase, which is checked against its fields.
    pub const fn of<E: AgentEvent>() -> Self {
        Self {
            add_template: |prompts| prompts.add_event::<E>(),
            ..Self::without_phrase::<E>()
        }
    }

    /// A type whose words come from elsewhere.
    pub const fn without_phrase<E: AgentEvent>() -> Self {
        Self {
            name: E::TYPE,
            traits: EventTraits {
                triggers_recall: E::TRIGGERS_RECALL,
                recallable: E::RECALLABLE,
            },
            read: |data| Some(Box::new(E::deserialize(data).ok()?)),
            add_template: |_| (),
        }
    }
}

/// The event types that are known: those of the engine, and those of games.
#[derive(Resource, Clone, Debug)]
pub struct EventTypes(BTreeMap<&'static str, EventType>);

impl Default for EventTypes {
    fn default() -> Self {
        Self(BTreeMap::new()).with(kinds::EVENTS)
    }
}

impl EventTypes {
    /// The same with the types of a list.
    #[must_use]
    pub fn with(mut self, types: &[EventType]) -> Self {
        self.add(types);
        self
    }

    fn add(&mut self, types: &[EventType]) {
        self.0.extend(types.iter().map(|each| (each.name, *each)));
    }

    /// Whether a type of this name is registered.
    pub fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The names of all known types, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    /// What an event of this name is to a memory; an unknown one is like most.
    pub fn traits(&self, name: &str) -> EventTraits {
        self.0
            .get(name)
            .map(|known| known.traits)
            .unwrap_or_default()
    }

    /// How an event is told to people; `None` if its type is unknown or its data don't fit it.
    pub fn telling(&self, event: &EventRecord) -> Option<Box<dyn Telling>> {
        (self.0.get(&*event.kind)?.read)(&event.data)
    }
}

/// Registers an event type, so that systems may write it and saves may name it.
pub fn register_event<E: AgentEvent>(world: &mut World) {
    register_events(world, &[EventType::without_phrase::<E>()]);
}

/// Registers the event types of a list.
pub fn register_events(world: &mut World, types: &[EventType]) {
    world.get_resource_or_init::<EventTypes>().add(types);
}

impl PromptSet {
    /// Adds the phrases of the event types of a list.
    pub fn add_events(&mut self, types: &[EventType]) {
        types.iter().for_each(|each| (each.add_template)(self));
    }
}

#[cfg(test)]
mod tests {
    use playhouse_derive::AgentEvent;
    use serde::Deserialize;
    use serde_json::Map;

    use super::*;
    use crate::context::{AgentContext, Chapter, ChapterId, Chapters};
    use crate::memory::{AnswerWords, Cues, Lens, Witnessed};
    use crate::message::Body;

    /// Events of a game of one's own.
    #[derive(Serialize, Deserialize, AgentEvent)]
    #[event("verdict", style = Deed)]
    struct Verdict;
    #[derive(Serialize, Deserialize, AgentEvent)]
    #[event("blow", style = Deed, not_recallable)]
    struct Blow;
    #[derive(Serialize, Deserialize, AgentEvent)]
    #[event("roll", style = Deed, no_trigger)]
    struct Roll;

    fn event(kind: &str, text: &str) -> Body {
        Body::text(text).with_metadata(Map::from_iter([("event".to_owned(), kind.into())]))
    }

    /// How many memories come to a mind that once got an event of one type, and now another.
    fn come(world: &World, [then, now]: [&str; 2]) -> usize {
        let mut context = AgentContext::new("Ann");
        let rope = "The rope of the ferry was cut with a bread knife.";
        let id = context.add_human_message(event(then, rope), Tags::new());
        let summary = event("archive", "Somebody spoke.");
        let messages = context.replace_message_range(id, id, summary.clone(), Tags::new());
        let mut chapters = Chapters::default();
        chapters.close(Chapter {
            record: None,
            id: ChapterId("Ann/1".into()),
            title: "The first day".into(),
            turn: 1,
            messages: messages.unwrap(),
            summing_up: Vec::new(),
            summary,
        });
        context.add_human_message(event(now, "Who cut the ferry rope?"), Tags::new());
        let types = world.resource::<EventTypes>();
        let words = AnswerWords::default();
        let lens = Lens {
            events: &|event| types.traits(event),
            ..Lens::of(&words)
        };
        let past = (&context, &chapters);
        let told = (&Cues::default(), None);
        let memories = Witnessed::default().associate(past, lens, told, ("", 600));
        memories.len()
    }

    #[test]
    fn a_game_of_ones_own_says_which_of_its_events_come_to_mind() {
        let mut world = World::new();
        register_event::<Verdict>(&mut world);
        register_event::<Blow>(&mut world);
        register_event::<Roll>(&mut world);
        assert_eq!(come(&world, ["verdict", "verdict"]), 1);
        assert_eq!(come(&world, ["blow", "verdict"]), 0, "it is not recallable");
        assert_eq!(come(&world, ["verdict", "roll"]), 0, "it is no cue");
        assert_eq!(come(&world, ["roll", "blow"]), 1);
    }
}
