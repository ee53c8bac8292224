//! Decisions of which minds are asked: one of several options, with a thought, and words beside it.

use bevy_ecs::prelude::*;
use playhouse_engine::event::EventWriter;
use playhouse_engine::event::kinds::{Mind, Speak};
use playhouse_engine::exchange::Violation;
use schemars::Schema;
use schemars::transform::transform_subschemas;
use serde_json::{Value, json};

use super::actions::member::one_of;

/// What the members of an answer mean is said in its question, in the story's language.
pub(super) fn without_words(schema: &mut Schema) {
    schema.remove("description");
    transform_subschemas(&mut without_words, schema);
}

/// What may be decided and said.
#[derive(Clone, Debug, Default)]
pub(super) struct DecisionConstraints {
    pub(super) options: Vec<String>,
    /// Those options with which nothing is said besides: their words are written.
    pub(super) worded: Vec<String>,
    pub(super) speech_chars: usize,
}

impl DecisionConstraints {
    /// The schema of a decision that names its option in this member.
    pub(super) fn schema(&self, member: &str) -> Value {
        let text = json!({"type": "string", "maxLength": self.speech_chars});
        let mut properties = json!({"mind": text, member: one_of(&self.options)});
        if self.may_say() {
            properties["say"] = text;
        }
        json!({
            "type": "object",
            "properties": properties,
            "required": ["mind", member],
            "additionalProperties": false,
        })
    }

    /// Whether anything may be said besides.
    pub(super) fn may_say(&self) -> bool {
        self.worded.len() < self.options.len()
    }

    /// What is wrong with a decision. A default answer names no option, and decides nothing.
    pub(super) fn check(
        &self,
        (member, option): (&'static str, &str),
        mind: &str,
        say: Option<&str>,
    ) -> Vec<Violation> {
        let options = &self.options;
        let is_decided = !option.is_empty();
        let unknown = is_decided.then(|| Violation::unless_offered(member, option, options));
        let mut violations: Vec<_> = unknown.flatten().into_iter().collect();
        for (path, text) in [("mind", mind), ("say", say.unwrap_or_default())] {
            violations.extend(Violation::too_long(path, text, self.speech_chars));
        }
        violations
    }
}

/// An actor thinks and says something as it decides, which these don't notice.
pub(super) fn think_and_say(
    events: &mut EventWriter,
    (entity, actor): (Entity, &str),
    (mind, words): (String, Option<String>),
    unaware: &[Entity],
) {
    let actor = actor.to_owned();
    if !mind.trim().is_empty() {
        let (actor, message) = (actor.clone(), mind);
        events.think(entity, Mind { actor, message });
    }
    let words = words.filter(|said| !said.trim().is_empty());
    if let Some(message) = words {
        let speech = Speak {
            actor,
            message,
            ..Speak::default()
        };
        let unaware = [unaware, &[entity]].concat();
        events.broadcast_to_stage(entity, speech, &unaware);
    }
}
