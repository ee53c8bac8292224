//! The last request of each entity, so that the next one only appends to it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use playhouse_engine::mind::Prompt;

use super::request::{RequestBody, RequestBuffer, RequestError, RequestFormat, build};
use super::settings::SchemaMode;

/// The buffers of the last requests. While a request is sent, its buffer is lent to the connection;
/// it comes back by [`RequestCache::put_back`].
#[derive(Debug)]
pub struct RequestCache {
    /// The maximum size of all buffers together, in bytes.
    limit: usize,
    buffers: Mutex<Buffers>,
}

#[derive(Debug, Default)]
struct Buffers {
    by_entity: BTreeMap<Arc<str>, RequestBuffer>,
    /// The size of all buffers together, in bytes.
    bytes: usize,
}

impl Default for RequestCache {
    /// At most 64 MiB: a thousand characters with a long story each.
    fn default() -> Self {
        Self::new(64 * 1024 * 1024)
    }
}

impl RequestCache {
    /// An empty cache that holds at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            buffers: Mutex::default(),
        }
    }

    /// The request for a prompt. It has the bytes that [`super::request_body`] writes, but only
    /// those that are new since the entity's last request are written.
    ///
    /// # Errors
    /// A media file can't be sent, or there is nothing to send.
    pub fn request(
        &self,
        prompt: &Prompt<'_>,
        format: &RequestFormat,
        mode: SchemaMode,
    ) -> Result<RequestBody, RequestError> {
        let previous = self.buffers().take(prompt.entity);
        build(previous, prompt, format, mode)
    }

    /// Takes the buffer of a request that was sent, for the next one of its entity. A cache that is
    /// full is emptied first.
    pub fn put_back(&self, body: &mut RequestBody) {
        let entity = Arc::clone(body.entity());
        let Some(buffer) = body.take_buffer() else {
            return;
        };
        let size = buffer.bytes.capacity();
        if size > self.limit {
            return;
        }
        let mut buffers = self.buffers();
        buffers.take(&entity);
        if buffers.bytes + size > self.limit {
            *buffers = Buffers::default();
        }
        buffers.bytes += size;
        buffers.by_entity.insert(entity, buffer);
    }

    /// The size of all buffers together, in bytes.
    pub fn bytes(&self) -> usize {
        self.buffers().bytes
    }

    /// The address of an entity's buffer.
    #[cfg(test)]
    pub(super) fn address_of(&self, entity: &str) -> Option<*const u8> {
        let buffers = self.buffers();
        let buffer = buffers.by_entity.get(entity)?;
        Some(buffer.bytes.as_ptr())
    }

    fn buffers(&self) -> MutexGuard<'_, Buffers> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Buffers {
    fn take(&mut self, entity: &str) -> Option<RequestBuffer> {
        let buffer = self.by_entity.remove(entity)?;
        self.bytes -= buffer.bytes.capacity();
        Some(buffer)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::http::{ModelSettings, request_body};
    use playhouse_dialect::format::{Api, NoFiles, Style};
    use playhouse_engine::context::{AgentContext, EntryId};
    use playhouse_engine::message::{Block, Body, MediaSource, Message, Role, Tags};
    use playhouse_engine::mind::{AnswerForm, ExchangeRound, Refused, ToolRound, Tools};
    use playhouse_engine::tool::ToolSpec;

    /// What is done with a conversation. Numbers select messages by their index.
    #[derive(Clone, Debug)]
    enum Step {
        Add(Role, NewMessage),
        Remove(usize),
        /// From an index, this many messages more.
        Fold(usize, usize),
        Clone,
        /// Another entity asks.
        AskOther,
        Ask(Ask),
    }

    #[derive(Clone, Debug)]
    struct Ask {
        text: &'static str,
        as_short: bool,
        rounds: usize,
        /// 0: none, 1: callable, 2: no longer callable.
        tools: usize,
        json: bool,
        /// How many lower schema modes are tried.
        lower_modes: usize,
        /// Whether the bytes are still in use when the call is over.
        in_use: bool,
    }

    #[derive(Clone, Debug)]
    enum NewMessage {
        Text(&'static str),
        Condensed(&'static str),
        Image,
        Call,
        Result,
    }

    fn texts() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec!["It rains.", "\"Run!\"\n", "雨停了。", ""])
    }

    fn step() -> impl Strategy<Value = Step> {
        let message = prop_oneof![
            4 => texts().prop_map(NewMessage::Text),
            1 => texts().prop_map(NewMessage::Condensed),
            1 => Just(NewMessage::Image),
            1 => Just(NewMessage::Call),
            1 => Just(NewMessage::Result),
        ];
        let role = prop::sample::select(vec![Role::Human, Role::Human, Role::Ai, Role::Tool]);
        let flags = (any::<bool>(), any::<bool>(), any::<bool>());
        let ask = (texts(), 0..4usize, 0..3usize, 0..4usize, flags);
        let ask = ask.prop_map(
            |(text, rounds, tools, lower_modes, (as_short, json, in_use))| {
                Step::Ask(Ask {
                    text,
                    as_short,
                    rounds,
                    tools,
                    json,
                    lower_modes,
                    in_use,
                })
            },
        );
        prop_oneof![
            6 => (role, message).prop_map(|(role, message)| Step::Add(role, message)),
            1 => (0..20usize).prop_map(Step::Remove),
            1 => (0..20usize, 0..5usize).prop_map(|(from, count)| Step::Fold(from, count)),
            1 => Just(Step::Clone),
            1 => Just(Step::AskOther),
            5 => ask,
        ]
    }

    fn body_of(message: NewMessage) -> Body {
        match message {
            NewMessage::Text(text) => text.into(),
            NewMessage::Condensed(text) => Body::text(text).with_short("short"),
            NewMessage::Image => {
                let image = Block::image(MediaSource::url("http://x/a.png"));
                vec![Block::text("Look:"), image].into()
            }
            NewMessage::Call => vec![Block::tool_use("1", "dice", json!({}))].into(),
            NewMessage::Result => vec![Block::tool_result("1", "4")].into(),
        }
    }

    fn round(kind: usize, text: &'static str) -> ExchangeRound {
        match kind {
            0 => ExchangeRound::Tools(ToolRound {
                called: body_of(NewMessage::Call),
                returned: body_of(NewMessage::Result),
            }),
            1 => ExchangeRound::Note(text.into()),
            _ => ExchangeRound::Refused(Refused {
                answer: "no".into(),
                complaint: text.into(),
            }),
        }
    }

    /// Changes the conversation; an edit that it refuses changes nothing.
    fn apply(context: &mut AgentContext, step: &Step) {
        let id = |index: usize| {
            let entry = context.entries().get(index);
            entry.map_or(EntryId(999), |entry| entry.id())
        };
        match step {
            Step::Add(role, message) => {
                let message = Message::new(*role, body_of(message.clone()));
                context.add_message(message).unwrap();
            }
            Step::Remove(index) => {
                let _ = context.remove_human_messages(&[id(*index)]);
            }
            Step::Fold(from, count) => {
                let (begin, end) = (id(*from), id(from + count));
                let _ = context.replace_message_range(begin, end, "folded", Tags::new());
            }
            Step::Clone => *context = context.clone(),
            Step::AskOther | Step::Ask(_) => {}
        }
    }

    fn formats() -> impl Strategy<Value = RequestFormat> {
        let api = prop::sample::select(Api::ALL.to_vec());
        let style = prop::sample::select(Style::ALL.to_vec());
        (api, style, any::<[bool; 3]>()).prop_map(|(api, style, [merge_turns, stream, parts])| {
            let model = ModelSettings {
                api,
                style,
                merge_turns,
                stream,
                parts,
                ..ModelSettings::cautious("m")
            };
            RequestFormat::new(model, Arc::new(NoFiles))
        })
    }

    proptest! {
        #[test]
        fn a_continued_request_has_the_bytes_of_a_new_one(
            steps in prop::collection::vec(step(), 0..40),
            format in formats(),
            limit in prop::sample::select(vec![0, 2_000, 1_000_000]),
        ) {
            let cache = RequestCache::new(limit);
            let mut context = AgentContext::new("Mira");
            context.add_system_message("You are Mira.").unwrap();
            let stable: Arc<str> = json!({"type": "object"}).to_string().into();
            let (notes, constrained) = (Value::Null, json!({"const": "narrowed"}));
            let spec = ToolSpec::new("dice", "Rolls dice.", &json!({"type": "object"}));
            let specs = [Arc::new(spec.unwrap())];
            let other = Ask {
                text: "Who?", as_short: false, rounds: 0, tools: 0, json: false, lower_modes: 0, in_use: false,
            };
            for step in steps {
                apply(&mut context, &step);
                let (name, ask) = match step {
                    Step::Ask(ask) => ("Mira", ask),
                    Step::AskOther => ("Odile", other.clone()),
                    _ => continue,
                };
                let question = Body::text(ask.text).with_short("asked");
                let rounds: Vec<_> = (0..ask.rounds).map(|kind| round(kind, ask.text)).collect();
                let prompt = Prompt {
                    entity: &name.into(), ask_short: ask.as_short, rounds: &rounds,
                    tools: Tools { specs: &specs[..ask.tools.min(1)], callable: ask.tools == 1, ..Tools::NONE },
                    form: if ask.json {
                        AnswerForm::Json { name: "plan", schema: &stable, constrained: &constrained, notes: &notes }
                    } else {
                        AnswerForm::Prose { notes: &notes }
                    },
                    max_tokens: 100 + ask.text.len() as u32,
                    ..Prompt::new("test", &context, &question)
                };
                let mut body = cache.request(&prompt, &format, SchemaMode::ALL[0]).unwrap();
                let new = request_body(&prompt, &format, SchemaMode::ALL[0]).unwrap();
                prop_assert_eq!(body.bytes(), new.bytes());
                prop_assert!(serde_json::from_slice::<Value>(body.bytes()).is_ok());
                for mode in &SchemaMode::ALL[1..=ask.lower_modes] {
                    body.set_schema_mode(*mode, &format);
                    let new = request_body(&prompt, &format, *mode).unwrap();
                    prop_assert_eq!(body.bytes(), new.bytes());
                }
                let in_use = ask.in_use.then(|| body.bytes().clone());
                cache.put_back(&mut body);
                drop(in_use);
                prop_assert!(cache.bytes() <= limit);
            }
        }
    }

    #[test]
    fn a_full_cache_is_emptied() {
        let format = RequestFormat::new(ModelSettings::cautious("m"), Arc::new(NoFiles));
        let cache = RequestCache::new(20_000);
        let entities = |name: &str| {
            let mut history = AgentContext::new(name);
            history.add_system_message("x".repeat(5_000)).unwrap();
            history.stats();
            let question = Body::text("What now?");
            let prompt = Prompt::new("test", &history, &question);
            let mut body = cache.request(&prompt, &format, SchemaMode::Text).unwrap();
            cache.put_back(&mut body);
            assert!(cache.bytes() <= 20_000);
            cache.buffers().by_entity.len()
        };
        let counts = ["Ada", "Bo", "Ada", "Cy", "Di"].map(entities);
        assert_eq!(counts, [1, 2, 2, 3, 1]);
    }
}
