//! Asks: a typed question on an entity, and its untyped form that the engine carries to a mind.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use serde_json::Value;

use super::answer::Answer;
use super::form_reader::FormReader;
use super::reply::{AnswerState, Asked, Schema, schema_of};
use super::{Reply, Violation, Voice, is_refusal};
use crate::cast::EntityName;
use crate::event::{AnsweredBy, Fault, Faults};
use crate::memory::{AnswerWords, Cues};
use crate::message::{Body, Digest, Tag, Tags};
use crate::mind::AnswerForm;
use crate::reading::{Form, FoundJson, find_json, tidy_texts};
use crate::tool::ToolCall;

/// A question to the entity that carries it, open until its outcome is committed. An inserted ask
/// can't be changed.
///
/// ```
/// use playhouse_engine::prelude::*;
///
/// let rules = ProseRules { max_chars: 200, ..ProseRules::default() };
/// let fallback = Prose("I say nothing.".into());
/// let ask = Ask::new("inn.speak", "The door opens. What do you say?", rules, fallback)
///     .condensed("You said something when the door opened.")
///     .max_tokens(300);
/// assert_eq!(ask.purpose(), "inn.speak");
/// ```
///
/// A system inserts it, and another takes the answer:
///
/// ```
/// use playhouse_engine::prelude::*;
///
/// fn ask(actors: Query<(Entity, &Kind)>, mut commands: Commands) {
///     for (actor, _) in actors.iter().filter(|(_, kind)| **kind == Kind::Actor) {
///         let ask = Ask::new("greet", "Say hello.", ProseRules::default(), Prose("…".into()));
///         commands.entity(actor).insert(ask);
///     }
/// }
///
/// fn take(mut answers: Answers<Prose>) {
///     for (_actor, Prose(words), by) in answers.take() {
///         println!("{words} ({by:?})");
///     }
/// }
/// # let mut setup = Setup::new(1);
/// # setup.meet.add_systems(ask.in_set(MeetSet::Rules));
/// # setup.step.add_systems(take.in_set(StepSet::Take));
/// # Engine::in_memory(setup, ScriptMind::by_rule(|_| ScriptLine::say("Hm.")))?;
/// # Ok::<(), EngineError>(())
/// ```
#[derive(Component)]
#[component(storage = "SparseSet", immutable, on_insert = opened::<R>)]
#[must_use]
pub struct Ask<R: Reply>(Arc<Spec<R>>);

/// The JSON that an ask wants.
struct WantedJson {
    schema: Schema,
    /// The schema limited to what is legal in this ask.
    constrained: Arc<Value>,
    /// The digest of the constrained schema.
    digest: Digest,
}

impl WantedJson {
    fn new<R: Reply>(constraints: &R::Constraints) -> Self {
        let schema = schema_of::<R>();
        match R::constrain_schema(&schema.value, constraints) {
            Some(own) if R::OWN_SCHEMA => Self::unconstrained(Schema::of(own)),
            Some(constrained) => Self {
                digest: Digest::of(&serde_json::to_vec(&constrained).unwrap_or_default()),
                constrained: Arc::new(constrained),
                schema,
            },
            None => Self::unconstrained(schema),
        }
    }

    fn unconstrained(schema: Schema) -> Self {
        Self {
            digest: schema.digest,
            constrained: schema.value.clone(),
            schema,
        }
    }
}

impl WantedJson {
    /// The form of an answer to this question.
    fn form<'a, R: Reply>(&'a self, question: &'a str) -> Form<'a> {
        Form {
            name: R::NAME,
            schema: &self.constrained,
            optional: R::MAY_BE_LEFT_OUT,
            unasked: R::UNASKED,
            other_names: R::OTHER_NAMES,
            other_words: R::OTHER_WORDS,
            fillers: R::FILLERS,
            question,
        }
    }
}

/// The answer that is used if the mind gives none.
enum Fallback<R: Reply> {
    Given(R),
    /// Made only when it is needed.
    Made(Box<dyn Fn(&R::Constraints) -> R + Send + Sync>),
}

impl<R: Reply> Fallback<R> {
    fn of(&self, constraints: &R::Constraints) -> R {
        match self {
            Self::Given(answer) => answer.clone(),
            Self::Made(make) => make(constraints),
        }
    }
}

struct Spec<R: Reply> {
    parts: AskParts,
    constraints: R::Constraints,
    fallback: Fallback<R>,
    /// Who speaks in the answer, if anybody does.
    voice: Option<Voice>,
}

/// What an ask is whatever the type of its answer.
pub struct AskParts {
    pub purpose: &'static str,
    /// The name of the type of the answer.
    pub reply: &'static str,
    /// Full and short form.
    pub body: Body,
    pub tags: Tags,
    notes: Value,
    json: Option<WantedJson>,
    /// The maximum number of tokens of an answer.
    pub max_tokens: u32,
    /// How often the mind may correct a bad answer.
    pub repairs: u32,
    ask_short: bool,
    /// Whether the context keeps the answer.
    pub keeps_answer: bool,
    /// In how many rounds the mind may call tools before it answers; `None` for the limit of the
    /// run.
    pub tool_rounds: Option<u32>,
    pub tool_round_limit: ToolRoundLimit,
    /// Calls that code chose; a mind answers if there are none.
    pub calls: Vec<ToolCall>,
    streamed: bool,
    /// What the entity may remember for it; without these cues it recalls nothing.
    pub cues: Option<Cues>,
}

impl AskParts {
    /// Whether the short form is sent in the prompt of this ask, too. An empty one never is.
    pub fn ask_short(&self) -> bool {
        let short = self.body.short();
        self.ask_short && short.is_some_and(|short| !short.as_str().is_empty())
    }

    pub fn form(&self) -> AnswerForm<'_> {
        match &self.json {
            None => AnswerForm::Prose { notes: &self.notes },
            Some(json) => AnswerForm::Json {
                name: self.reply,
                schema: &json.schema.text,
                constrained: &json.constrained,
                notes: &self.notes,
            },
        }
    }

    /// A digest of the wanted JSON; `None` for prose.
    pub fn form_digest(&self) -> Option<Digest> {
        self.json.as_ref().map(|json| json.digest)
    }

    /// Whether people may watch the answer being written.
    pub fn streamed(&self) -> bool {
        self.streamed && self.json.is_none()
    }
}

/// Which round of tool calls is the last: after it no mind is asked again, and the answer is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolRoundLimit {
    /// The last round that is allowed.
    pub last_round: bool,
    /// A round in which one of these tools is called, by the names that minds use.
    pub tools: Vec<String>,
}

impl<R: Reply> Ask<R> {
    /// A question in full, what limits the answer, and the fallback: the answer that is
    /// used if the mind gives none that passes its check. The fallback must pass it.
    pub fn new(
        purpose: &'static str,
        prompt: impl Into<Box<str>>,
        constraints: R::Constraints,
        fallback: R,
    ) -> Self {
        let json = (!R::IS_PROSE).then(|| WantedJson::new::<R>(&constraints));
        let parts = AskParts {
            purpose,
            reply: R::NAME,
            body: Body::text(prompt),
            tags: Tags::new(),
            notes: Value::Null,
            json,
            max_tokens: 1024,
            repairs: 2,
            ask_short: false,
            keeps_answer: true,
            tool_rounds: None,
            tool_round_limit: ToolRoundLimit::default(),
            calls: Vec::new(),
            streamed: false,
            cues: None,
        };
        Self(Arc::new(Spec {
            parts,
            constraints,
            fallback: Fallback::Given(fallback),
            voice: None,
        }))
    }

    /// Replaces the fallback by one that is made when it is needed, if making it is costly. It must
    /// pass its own check, and depend on the constraints alone.
    pub fn fallback_with(
        self,
        make: impl Fn(&R::Constraints) -> R + Send + Sync + 'static,
    ) -> Self {
        self.edit(|spec| spec.fallback = Fallback::Made(Box::new(make)))
    }

    /// The short form that replaces the question in all later prompts, while the context keeps the
    /// whole. If it is empty, the question is sent once and not remembered.
    pub fn condensed(self, short: impl Into<Box<str>>) -> Self {
        self.edit(|spec| spec.parts.body.shorten(short))
    }

    /// Keeps neither question nor answer in the context: what comes of it is told by events.
    pub fn forgotten(self) -> Self {
        self.condensed("")
            .edit(|spec| spec.parts.keeps_answer = false)
    }

    /// Sends the short form in the prompt of this ask too, unless it is empty. People at a seat
    /// still read the whole.
    ///
    /// ```
    /// use playhouse_engine::prelude::*;
    ///
    /// let hand = "# Order! Round 1 … (the whole hand and how to answer)";
    /// let ask = Ask::new("draw", hand, ProseRules::default(), Prose("I wait.".into()))
    ///     .condensed("# Order! Round 1: draw a card.")
    ///     .sent_short();
    /// assert_eq!(ask.short(), Some("# Order! Round 1: draw a card."));
    /// assert_eq!(ask.prompt(), hand, "the context keeps it");
    /// ```
    pub fn sent_short(self) -> Self {
        self.edit(|spec| spec.parts.ask_short = true)
    }

    /// Adds a tag to the question's message.
    pub fn tag(self, tag: Tag) -> Self {
        self.edit(|spec| spec.parts.tags = std::mem::take(&mut spec.parts.tags).with(tag))
    }

    /// Adds a tag of a game's own to the question's message, with any JSON value. A key that is
    /// reserved, or that the message has already, adds nothing.
    pub fn user_tag(self, key: &str, value: impl Into<Value>) -> Self {
        self.edit(|spec| {
            if let Ok(tags) = spec.parts.tags.clone().with_user(key, value) {
                spec.parts.tags = tags;
            }
        })
    }

    /// What the prompt says, as data for minds without language: the improviser and the terminal
    /// seat. It must say nothing that the prompt and the entity's context don't.
    pub fn notes(self, notes: Value) -> Self {
        self.edit(|spec| spec.parts.notes = notes)
    }

    /// The maximum number of tokens of an answer; 1,024 by default.
    pub fn max_tokens(self, tokens: u32) -> Self {
        self.edit(|spec| spec.parts.max_tokens = tokens)
    }

    /// How often the mind may correct a bad answer; twice by default.
    pub fn repairs(self, times: u32) -> Self {
        self.edit(|spec| spec.parts.repairs = times)
    }

    /// In how many rounds the mind may call the entity's tools before it answers; the limit of the
    /// run by default.
    pub fn tool_rounds(self, rounds: u32) -> Self {
        self.edit(|spec| spec.parts.tool_rounds = Some(rounds))
    }

    /// Ends the ask with a round of tool calls, whose results are all that is wanted. The reply
    /// type must accept an empty answer, which is then given and not remembered.
    pub fn ended_by_tools(self, limit: ToolRoundLimit) -> Self {
        self.edit(|spec| spec.parts.tool_round_limit = limit)
    }

    /// Asks no mind, but makes these calls of tools, whose results are all that is wanted. The
    /// tools need not be among those of the entity. The reply type must accept an empty answer.
    pub fn calling(self, calls: Vec<ToolCall>) -> Self {
        let limit = ToolRoundLimit {
            last_round: true,
            ..ToolRoundLimit::default()
        };
        let ask = self.tool_rounds(1).ended_by_tools(limit);
        ask.edit(|spec| spec.parts.calls = calls)
    }

    /// Lets people watch the answer while it is written. It must be prose that they read as it is.
    pub fn streamed(self) -> Self {
        self.edit(|spec| spec.parts.streamed = true)
    }

    /// Lets the entity remember what bears on the question: memories of its archived past stand
    /// after the question in the prompt, and never enter its context.
    pub fn recalling(self, cues: Cues) -> Self {
        self.edit(|spec| spec.parts.cues = Some(cues))
    }

    /// Names who speaks in the answer: what others say is left out, and what was said lately is
    /// asked again once.
    pub fn spoken_by(self, voice: Voice) -> Self {
        self.edit(|spec| spec.voice = Some(voice))
    }

    /// Wants an answer at once, without tools: a summary, or a choice among what the prompt says.
    pub fn without_tools(self) -> Self {
        self.tool_rounds(0)
    }

    pub fn purpose(&self) -> &'static str {
        self.0.parts.purpose
    }

    /// The question in full.
    pub fn prompt(&self) -> String {
        self.0.parts.body.full_text().into_owned()
    }

    /// The short form, if there is one.
    pub fn short(&self) -> Option<&str> {
        self.0.parts.body.short().map(|short| short.as_str())
    }

    /// The tags of the question's message.
    pub fn tags(&self) -> &Tags {
        &self.0.parts.tags
    }

    pub fn constraints(&self) -> &R::Constraints {
        &self.0.constraints
    }

    /// Reads and checks an answer as the engine does.
    ///
    /// # Errors
    /// Every rule that it breaks.
    pub fn read(&self, raw: &str) -> Result<R, Vec<Violation>> {
        let read = self.0.read(raw, AnswerState::default());
        read.map(|(answer, _)| answer)
    }

    /// The answer that is used if the mind gives none.
    pub fn fallback(&self) -> R {
        self.0.fallback.of(&self.0.constraints)
    }

    /// What the prompt says, as data.
    pub fn noted(&self) -> &Value {
        &self.0.parts.notes
    }

    /// The schema limited to what is legal; null for prose.
    pub fn constrained_schema(&self) -> &Value {
        let json = self.0.parts.json.as_ref();
        json.map_or(&Value::Null, |json| &json.constrained)
    }

    /// Builders run before the ask is inserted, while it is not shared.
    fn edit(mut self, change: impl FnOnce(&mut Spec<R>)) -> Self {
        if let Some(spec) = Arc::get_mut(&mut self.0) {
            change(spec);
        }
        self
    }
}

/// An answer that passed its check, without its type.
pub struct BoxedAnswer {
    value: Box<dyn Any + Send>,
    /// What a context keeps of it: nothing around it, and JSON in its form.
    pub text: String,
}

/// An ask without its type, as the engine sees it: independent of the world.
pub trait ErasedAsk: Send + Sync {
    fn parts(&self) -> &AskParts;
    /// Reads and checks an answer.
    ///
    /// # Errors
    /// Every rule that it breaks.
    fn judge(&self, raw: &str, state: AnswerState) -> Result<BoxedAnswer, Vec<Violation>>;
    /// What an answer that this ask judged looks up.
    fn looked_up<'a>(&self, answer: &'a BoxedAnswer) -> Option<&'a str>;
    /// A right answer: this one without what is wrong in it, or else the smallest that does
    /// nothing; `None` for prose.
    fn example(&self, answer: &str, violations: &[Violation]) -> Option<String>;
    /// The answer that is used if the mind gives none.
    fn fallback(&self) -> BoxedAnswer;
    /// Replaces the ask on the entity by its answer.
    fn answer(&self, entity: &mut EntityWorldMut, answer: BoxedAnswer, by: AnsweredBy);
}

impl<R: Reply> Spec<R> {
    /// What an answer means, and its text as a context keeps it: without anything around it, and in
    /// its form.
    fn read<'t>(
        &self,
        raw: &'t str,
        state: AnswerState,
    ) -> Result<(R, Cow<'t, str>), Vec<Violation>> {
        let Some(json) = &self.parts.json else {
            let asked = Asked {
                question: &self.parts.body.full_text(),
                state,
            };
            let answer = R::read(raw)?.unwrapped(&asked, &self.constraints);
            let answer = self.checked(answer, state)?;
            let kept = answer.remembered_text(raw);
            return Ok((answer, kept.into()));
        };
        let mut found = find_json(raw);
        if let Ok(found) = &mut found
            && self.tidy(&mut found.value)
        {
            found.verbatim = None;
        }
        if let Ok(FoundJson {
            value,
            verbatim: Some(text),
            ..
        }) = &found
            && let Some(answer) = self.read_right(json, value, state)
        {
            self.refuse_words(value, state)?;
            return Ok((answer, (*text).into()));
        }
        // Most answers are right; only the others are read in the words of the question.
        let question = self.parts.body.full_text();
        let reader = FormReader::<R>::new(json.form::<R>(&question), raw, state);
        let (mut value, mut text) = reader.value(found)?;
        if self.tidy(&mut value) {
            text = value.to_string().into();
        }
        self.refuse_words(&value, state)?;
        let answer = R::deserialize(&value).map_err(|_| vec![Violation::wrong_form("")])?;
        let left_out = value.as_object_mut().zip(R::LEFT_OUT);
        if left_out.is_some_and(|(members, name)| members.remove(name).is_some()) {
            text = value.to_string().into();
        }
        Ok((self.checked(answer, state)?, text))
    }

    /// Leaves only what belongs to the texts of an answer. Returns whether that changed any.
    fn tidy(&self, answer: &mut Value) -> bool {
        let is_tidied = R::IS_TOLD && tidy_texts(answer);
        let voice = self.voice.as_ref();
        voice.is_some_and(|voice| voice.keep_own_words(answer, R::WORDS)) || is_tidied
    }

    /// Refuses what no character says, and what this one said lately.
    fn refuse_words(&self, answer: &Value, state: AnswerState) -> Result<(), Vec<Violation>> {
        if R::IS_TOLD && !state.is_persons && holds_refusal(answer) {
            return Err(vec![Violation::refusal()]);
        }
        let voice = self.voice.as_ref().filter(|_| !state.is_last);
        match voice.and_then(|voice| voice.fault(answer, R::WORDS)) {
            Some(violation) => Err(vec![violation]),
            None => Ok(()),
        }
    }

    /// The answer after a repair of what is wrong in it, if that is a right one.
    fn repaired(
        &self,
        json: &WantedJson,
        answer: &str,
        violations: &[Violation],
        repair: impl FnOnce(&Form<'_>, Value, &[&str]) -> Option<Value>,
    ) -> Option<(R, Value)> {
        let found = find_json(answer)
            .ok()
            .filter(|found| found.is_usable(true))?;
        let question = self.parts.body.full_text();
        let form = json.form::<R>(&question);
        let wrong: Vec<_> = violations
            .iter()
            .map(|violation| &*violation.path)
            .collect();
        let mut value = repair(&form, form.fit(found.value).value, &wrong)?;
        self.tidy(&mut value);
        let answer = R::deserialize(&value).ok()?.settled(&self.constraints);
        let is_right = answer.check(&self.constraints).is_empty();
        is_right.then_some((answer, value))
    }

    /// An answer in which nothing is to be corrected.
    fn read_right(&self, json: &WantedJson, value: &Value, state: AnswerState) -> Option<R> {
        let is_object = json
            .constrained
            .get("type")
            .is_some_and(|kind| kind == "object");
        let is_known = json.form::<R>("").knows(value) && (value.is_object() || !is_object);
        let answer = R::deserialize(value).ok().filter(|_| is_known)?;
        self.checked(answer, state).ok()
    }

    fn checked(&self, answer: R, state: AnswerState) -> Result<R, Vec<Violation>> {
        let answer = answer.settled(&self.constraints);
        let mut violations = answer.check(&self.constraints);
        violations.retain(|violation| {
            let is_told_in_vain = state.is_last && violation.only_once;
            !(is_told_in_vain || state.is_persons && violation.is_style)
        });
        if violations.is_empty() {
            Ok(answer)
        } else {
            Err(violations)
        }
    }
}

/// Whether a model refuses in any text of an answer.
fn holds_refusal(answer: &Value) -> bool {
    match answer {
        Value::String(text) => is_refusal(text),
        // Recursive: the depth is that of JSON that was read.
        Value::Array(items) => items.iter().any(holds_refusal),
        Value::Object(members) => members.values().any(holds_refusal),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl<R: Reply> ErasedAsk for Spec<R> {
    fn parts(&self) -> &AskParts {
        &self.parts
    }

    fn judge(&self, raw: &str, state: AnswerState) -> Result<BoxedAnswer, Vec<Violation>> {
        let read = self
            .read(raw, state)
            .map(|(answer, text)| (answer, text.into_owned()));
        let (answer, text) = read.or_else(|violations| {
            // What is still wrong after it was told, and need not be said, does not spoil the rest.
            let json = self
                .parts
                .json
                .as_ref()
                .filter(|_| R::LEFT_OUT.is_some() && state.is_last && !state.is_persons);
            let rest = json.and_then(|json| {
                self.repaired(json, raw, &violations, |form, value, wrong| {
                    form.without(value, wrong)
                })
            });
            rest.map(|(answer, value)| (answer, value.to_string()))
                .ok_or(violations)
        })?;
        Ok(BoxedAnswer {
            value: Box::new(answer),
            text,
        })
    }

    fn looked_up<'a>(&self, answer: &'a BoxedAnswer) -> Option<&'a str> {
        answer.value.downcast_ref::<R>()?.looks_up()
    }

    fn example(&self, answer: &str, violations: &[Violation]) -> Option<String> {
        let json = self.parts.json.as_ref()?;
        let corrected = self.repaired(json, answer, violations, |form, value, wrong| {
            form.corrected(value, wrong, R::IN_EXAMPLE)
        });
        if let Some((_, corrected)) = corrected {
            return Some(corrected.to_string());
        }
        let smallest = serde_json::to_value(self.fallback.of(&self.constraints)).ok()?;
        let members: Vec<_> = smallest
            .as_object()?
            .keys()
            .map(String::as_str)
            .chain(R::IN_EXAMPLE.iter().copied())
            .collect();
        Some(json.form::<R>("").example(&members).to_string())
    }

    fn fallback(&self) -> BoxedAnswer {
        let fallback = self.fallback.of(&self.constraints);
        // What is only told once is accepted then.
        debug_assert!(
            fallback
                .check(&self.constraints)
                .iter()
                .all(|it| it.only_once),
            "the fallback of '{}' fails its own check",
            self.parts.purpose
        );
        BoxedAnswer {
            text: fallback.to_text(),
            value: Box::new(fallback),
        }
    }

    fn answer(&self, entity: &mut EntityWorldMut, answer: BoxedAnswer, by: AnsweredBy) {
        entity.remove::<Ask<R>>();
        // Only a value that this ask judged or offered comes back to it.
        if let Ok(value) = answer.value.downcast::<R>() {
            entity.insert(Answer::new(*value, by));
        }
    }
}

/// The open asks, by entity. A hook on every `Ask<R>` adds them, so reply types need no
/// registration.
#[derive(Resource, Default)]
pub struct OpenAsks {
    open: EntityHashMap<Arc<dyn ErasedAsk>>,
    /// Opened since [`OpenAsks::take_fresh`] was last called.
    fresh: Vec<Entity>,
}

impl OpenAsks {
    pub fn has(&self, entity: Entity) -> bool {
        self.open.contains_key(&entity)
    }

    pub fn get(&self, entity: Entity) -> Option<&Arc<dyn ErasedAsk>> {
        self.open.get(&entity)
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Those that were opened since this was last called, in no particular order.
    pub(crate) fn take_fresh(&mut self) -> Vec<Entity> {
        std::mem::take(&mut self.fresh)
    }

    pub(super) fn close(&mut self, entity: Entity) -> Option<Arc<dyn ErasedAsk>> {
        self.open.remove(&entity)
    }
}

fn opened<R: Reply>(mut world: DeferredWorld, context: HookContext) {
    let Some(ask) = world.get::<Ask<R>>(context.entity) else {
        return;
    };
    let erased: Arc<dyn ErasedAsk> = ask.0.clone();
    debug_assert!(
        world
            .get_resource::<AnswerWords>()
            .is_none_or(|known| known.know(R::WORDS)),
        "the reply '{}' has words but is not registered",
        R::NAME
    );
    let Some(mut asks) = world.get_resource_mut::<OpenAsks>() else {
        return;
    };
    let second = erased.parts().purpose;
    asks.fresh.push(context.entity);
    if let Some(first) = asks.open.insert(context.entity, erased) {
        let entity = world.get::<EntityName>(context.entity);
        let fault = Fault::SecondAsk {
            entity: entity.map(ToString::to_string).unwrap_or_default(),
            first: first.parts().purpose.to_owned(),
            second: second.to_owned(),
        };
        if let Some(mut faults) = world.get_resource_mut::<Faults>() {
            faults.note(fault);
        }
    }
}
