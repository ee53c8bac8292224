//! Asks: a typed question on an entity, and the untyped view of it that the engine carries to a mind.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use serde_json::Value;

use super::answer::Answer;
use super::reply::{Schema, schema_of};
use super::{Reply, Violation};
use crate::cast::EntityName;
use crate::event::{By, Fault, Faults};
use crate::message::{Body, Digest, Tag, Tags};
use crate::mind::Form;
use crate::tool::ToolCall;

/// A question to the entity that carries it. Open until its outcome is committed; it can't be edited.
#[derive(Component)]
#[component(storage = "SparseSet", immutable, on_insert = opened::<R>)]
pub struct Ask<R: Reply>(Arc<Spec<R>>);

/// The JSON that an ask wants.
struct Wanted {
    schema: Schema,
    narrowed: Arc<Value>,
    /// Of the narrowed schema.
    digest: Digest,
}

impl Wanted {
    fn new<R: Reply>(facts: &R::Constraints) -> Self {
        let schema = schema_of::<R>();
        match R::constrain_schema(&schema.value, facts) {
            Some(own) if R::OWN_SCHEMA => {
                let schema = Schema::of(own);
                Self {
                    digest: schema.digest,
                    narrowed: schema.value.clone(),
                    schema,
                }
            }
            Some(narrowed) => Self {
                digest: Digest::of(&serde_json::to_vec(&narrowed).unwrap_or_default()),
                narrowed: Arc::new(narrowed),
                schema,
            },
            None => Self {
                digest: schema.digest,
                narrowed: schema.value.clone(),
                schema,
            },
        }
    }
}

/// The answer that stands where none can be had.
enum Fallback<R: Reply> {
    Given(R),
    /// Made when it is needed.
    Made(Box<dyn Fn(&R::Constraints) -> R + Send + Sync>),
}

impl<R: Reply> Fallback<R> {
    fn of(&self, facts: &R::Constraints) -> R {
        match self {
            Self::Given(answer) => answer.clone(),
            Self::Made(make) => make(facts),
        }
    }
}

struct Spec<R: Reply> {
    purpose: &'static str,
    body: Body,
    tags: Tags,
    facts: R::Constraints,
    notes: Value,
    /// Nothing for prose.
    wanted: Option<Wanted>,
    fallback: Fallback<R>,
    max_tokens: u32,
    repairs: u32,
    ask_short: bool,
    /// Rounds of tool calls; as the run's limits say where absent.
    tool_rounds: Option<u32>,
    closing: ToolRoundLimit,
    /// Calls that code chose; a mind answers where there are none.
    calls: Vec<ToolCall>,
    /// Whether people may watch the answer being written.
    streamed: bool,
}

/// Which rounds of tool calls are the last: then no mind is asked again, and the answer is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolRoundLimit {
    /// The last one that is allowed.
    pub last_round: bool,
    /// One in which a tool of these is called, by the names that minds call them.
    pub tools: Vec<String>,
}

impl<R: Reply> Ask<R> {
    /// A question in full words, what is legal in it, and the answer that stands where none can be
    /// had. The fallback must pass its own check.
    pub fn new(
        purpose: &'static str,
        prompt: impl Into<Box<str>>,
        facts: R::Constraints,
        fallback: R,
    ) -> Self {
        let wanted = (!R::IS_PROSE).then(|| Wanted::new::<R>(&facts));
        Self(Arc::new(Spec {
            purpose,
            body: Body::text(prompt),
            tags: Tags::new(),
            facts,
            notes: Value::Null,
            wanted,
            fallback: Fallback::Given(fallback),
            max_tokens: 1024,
            repairs: 2,
            ask_short: false,
            tool_rounds: None,
            closing: ToolRoundLimit::default(),
            calls: Vec::new(),
            streamed: false,
        }))
    }

    /// Makes the answer that stands where none can be had when it is needed, in the place of the one given: for
    /// one that is costly to make. It must pass its own check, and depend on the facts alone.
    #[must_use]
    pub fn falling_back(self, make: impl Fn(&R::Constraints) -> R + Send + Sync + 'static) -> Self {
        self.edit(|spec| spec.fallback = Fallback::Made(Box::new(make)))
    }

    /// The short form that stands in the question's place in every later prompt. With an empty one the
    /// question is sent once and not remembered.
    #[must_use]
    pub fn condensed(self, short: impl Into<Box<str>>) -> Self {
        self.edit(|spec| spec.body = spec.body.clone().with_short(short))
    }

    /// Sends the short form in the asking turn too.
    #[must_use]
    pub fn sent_short(self) -> Self {
        self.edit(|spec| spec.ask_short = true)
    }

    /// A mark for the question's message.
    #[must_use]
    pub fn tag(self, tag: Tag) -> Self {
        self.edit(|spec| spec.tags = std::mem::take(&mut spec.tags).with(tag))
    }

    /// What the prompt says, in a form that a grammar can read. It must say nothing that the prompt
    /// and the entity's context don't.
    #[must_use]
    pub fn notes(self, notes: Value) -> Self {
        self.edit(|spec| spec.notes = notes)
    }

    /// The most tokens of an answer; 1,024 unless told.
    #[must_use]
    pub fn max_tokens(self, tokens: u32) -> Self {
        self.edit(|spec| spec.max_tokens = tokens)
    }

    /// How often the mind may mend its answer; twice unless told.
    #[must_use]
    pub fn repairs(self, times: u32) -> Self {
        self.edit(|spec| spec.repairs = times)
    }

    /// How often the mind may call tools before it answers, where the entity has any; as the run's
    /// limits say unless told.
    #[must_use]
    pub fn tool_rounds(self, times: u32) -> Self {
        self.edit(|spec| spec.tool_rounds = Some(times))
    }

    /// What tools returned in such a round is all that is wanted. Its reply type must accept an empty
    /// answer, which is then given and not remembered.
    #[must_use]
    pub fn closed_by(self, closing: ToolRoundLimit) -> Self {
        self.edit(|spec| spec.closing = closing)
    }

    /// Asks no mind: these calls of tools are made, and what they return is all that is wanted. The tools
    /// need not be among those that the entity's mind may call. Its reply type must accept an empty answer.
    #[must_use]
    pub fn calling(self, calls: Vec<ToolCall>) -> Self {
        let closing = ToolRoundLimit {
            last_round: true,
            ..ToolRoundLimit::default()
        };
        let ask = self.tool_rounds(1).closed_by(closing);
        ask.edit(|spec| spec.calls = calls)
    }

    /// Lets people watch the answer while it is written. It must be prose that they are to read as it is.
    #[must_use]
    pub fn streamed(self) -> Self {
        self.edit(|spec| spec.streamed = true)
    }

    /// Wants an answer at once, without tools: a summary, a choice among what is told.
    #[must_use]
    pub fn without_tools(self) -> Self {
        self.tool_rounds(0)
    }

    /// What the question is for.
    pub fn purpose(&self) -> &'static str {
        self.0.purpose
    }

    /// The question in full.
    pub fn prompt(&self) -> String {
        self.0.body.full_text().into_owned()
    }

    /// The short form, where there is one.
    pub fn short(&self) -> Option<&str> {
        self.0.body.short().map(|short| short.as_str())
    }

    /// The marks for the question's message.
    pub fn tags(&self) -> &Tags {
        &self.0.tags
    }

    /// What is legal.
    pub fn facts(&self) -> &R::Constraints {
        &self.0.facts
    }

    /// The answer that stands where none can be had.
    pub fn fallback(&self) -> R {
        self.0.fallback.of(&self.0.facts)
    }

    /// What the prompt says, in a form that a grammar can read.
    pub fn noted(&self) -> &Value {
        &self.0.notes
    }

    /// The schema narrowed to what is legal; null for prose.
    pub fn narrowed_schema(&self) -> &Value {
        let wanted = self.0.wanted.as_ref();
        wanted.map_or(&Value::Null, |wanted| &wanted.narrowed)
    }

    /// Builders run before the ask is inserted, while nobody shares it.
    fn edit(mut self, change: impl FnOnce(&mut Spec<R>)) -> Self {
        if let Some(spec) = Arc::get_mut(&mut self.0) {
            change(spec);
        }
        self
    }
}

/// An answer that passed its check, with its type taken off for the way to the commit.
pub type BoxedAnswer = Box<dyn Any + Send>;

/// The engine's view of an ask: pure, and free of the world.
pub trait ErasedAsk: Send + Sync {
    /// What it is for.
    fn purpose(&self) -> &'static str;
    /// Full and short form.
    fn body(&self) -> &Body;
    /// Whether the short form is sent in the asking turn too.
    fn ask_short(&self) -> bool;
    /// The marks for its message.
    fn tags(&self) -> &Tags;
    /// The form of the answer.
    fn form(&self) -> Form<'_>;
    /// A digest of the wanted JSON; nothing for prose.
    fn form_digest(&self) -> Option<Digest>;
    /// The most tokens of an answer.
    fn max_tokens(&self) -> u32;
    /// How often the mind may mend its answer.
    fn repairs(&self) -> u32;
    /// How often the mind may call tools before it answers; as the run's limits say where absent.
    fn tool_rounds(&self) -> Option<u32>;
    /// Which rounds of tool calls are the last.
    fn closing(&self) -> &ToolRoundLimit;
    /// Whether people may watch the answer being written.
    fn streamed(&self) -> bool;
    /// The calls that code chose; a mind answers where there are none.
    fn calls(&self) -> &[ToolCall];
    /// Reads and checks an answer.
    ///
    /// # Errors
    /// Every rule that it breaks.
    fn judge(&self, raw: &str) -> Result<BoxedAnswer, Vec<Violation>>;
    /// The answer that stands where none can be had, and its text.
    fn fallback(&self) -> (BoxedAnswer, String);
    /// Takes the ask off the entity and puts the answer on it.
    fn settle(&self, entity: &mut EntityWorldMut, value: BoxedAnswer, by: By);
}

impl<R: Reply> ErasedAsk for Spec<R> {
    fn purpose(&self) -> &'static str {
        self.purpose
    }

    fn body(&self) -> &Body {
        &self.body
    }

    fn ask_short(&self) -> bool {
        self.ask_short
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn form(&self) -> Form<'_> {
        match &self.wanted {
            None => Form::Prose { notes: &self.notes },
            Some(wanted) => Form::Json {
                name: R::NAME,
                schema: &wanted.schema.text,
                narrowed: &wanted.narrowed,
                notes: &self.notes,
            },
        }
    }

    fn form_digest(&self) -> Option<Digest> {
        self.wanted.as_ref().map(|wanted| wanted.digest)
    }

    fn max_tokens(&self) -> u32 {
        self.max_tokens
    }

    fn repairs(&self) -> u32 {
        self.repairs
    }

    fn tool_rounds(&self) -> Option<u32> {
        self.tool_rounds
    }

    fn closing(&self) -> &ToolRoundLimit {
        &self.closing
    }

    fn streamed(&self) -> bool {
        self.streamed && self.wanted.is_none()
    }

    fn calls(&self) -> &[ToolCall] {
        &self.calls
    }

    fn judge(&self, raw: &str) -> Result<BoxedAnswer, Vec<Violation>> {
        let value = R::read(raw)?;
        let broken = value.check(&self.facts);
        match broken.is_empty() {
            true => Ok(Box::new(value)),
            false => Err(broken),
        }
    }

    fn fallback(&self) -> (BoxedAnswer, String) {
        let fallback = self.fallback.of(&self.facts);
        debug_assert!(
            fallback.check(&self.facts).is_empty(),
            "the fallback of '{}' fails its own check: {:?}",
            self.purpose,
            fallback.check(&self.facts)
        );
        let text = fallback.to_text();
        (Box::new(fallback), text)
    }

    fn settle(&self, entity: &mut EntityWorldMut, value: BoxedAnswer, by: By) {
        entity.remove::<Ask<R>>();
        // Only a value that this question judged or offered comes back to it.
        if let Ok(value) = value.downcast::<R>() {
            entity.insert(Answer::new(*value, by));
        }
    }
}

/// The open asks, by entity. Filled by a hook on every `Ask<R>`, so that a new reply type needs no
/// registration.
#[derive(Resource, Default)]
pub struct OpenAsks {
    open: BTreeMap<Entity, Arc<dyn ErasedAsk>>,
    /// Opened since the engine last looked.
    fresh: Vec<Entity>,
}

impl OpenAsks {
    /// Whether an entity has an open ask.
    pub fn has(&self, entity: Entity) -> bool {
        self.open.contains_key(&entity)
    }

    /// The open ask of an entity.
    pub fn get(&self, entity: Entity) -> Option<&Arc<dyn ErasedAsk>> {
        self.open.get(&entity)
    }

    /// How many are open.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether none is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Those that were opened since this was last called, in no order that means anything.
    pub(crate) fn take_fresh(&mut self) -> Vec<Entity> {
        std::mem::take(&mut self.fresh)
    }

    /// Closes the ask of an entity.
    pub(super) fn close(&mut self, entity: Entity) -> Option<Arc<dyn ErasedAsk>> {
        self.open.remove(&entity)
    }
}

fn opened<R: Reply>(mut world: DeferredWorld, context: HookContext) {
    let Some(ask) = world.get::<Ask<R>>(context.entity) else {
        return;
    };
    let question: Arc<dyn ErasedAsk> = ask.0.clone();
    let Some(mut open) = world.get_resource_mut::<OpenAsks>() else {
        return;
    };
    let second = question.purpose();
    open.fresh.push(context.entity);
    if let Some(first) = open.open.insert(context.entity, question) {
        let entity = world.get::<EntityName>(context.entity);
        let fault = Fault::SecondAsk {
            entity: entity.map(ToString::to_string).unwrap_or_default(),
            first: first.purpose().to_owned(),
            second: second.to_owned(),
        };
        if let Some(mut faults) = world.get_resource_mut::<Faults>() {
            faults.note(fault);
        }
    }
}
