//! Requests that were sent, kept up to the end of their history, so that the next one only appends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::BytesMut;

use super::request::{Mark, RequestBody, RequestForm, assemble};
use super::settings::SchemaMode;
use crate::context::AgentContext;
use crate::dialect::format::{self, MediaError, Progress};
use crate::mind::Prompt;

/// The bytes of an entity's last request, good up to a mark.
#[derive(Debug)]
pub(super) struct CachedRequest {
    bytes: BytesMut,
    mark: Mark,
}

impl CachedRequest {
    /// The buffer, holding what a request of this head and history begins with, and where its
    /// writing stood; nothing where it serves no such request.
    pub(super) fn resume(self, history: &AgentContext, head: &str) -> (BytesMut, Option<Progress>) {
        let Self { mut bytes, mark } = self;
        let format::Mark { at, progress } = mark.place;
        let fits = mark.generation == history.generation()
            && progress.turns() <= history.len()
            && bytes.get(..mark.head) == Some(head.as_bytes());
        bytes.truncate(if fits { at } else { 0 });
        (bytes, fits.then_some(progress))
    }
}

/// The last request of each entity that asked a model. While a request is under way, its buffer is
/// lent to the connection; it comes back by [`RequestCache::take_back`].
#[derive(Debug)]
pub struct RequestCache {
    /// The most bytes to keep.
    limit: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Drafts by entity, each with the time of its last use.
    by_entity: BTreeMap<Arc<str>, (u64, CachedRequest)>,
    /// Entities by the time of their last use.
    by_time: BTreeMap<u64, Arc<str>>,
    /// Counts uses.
    time: u64,
    /// Of all buffers together.
    bytes: usize,
}

impl Default for RequestCache {
    /// At most 64 MiB: a thousand characters with a long story each.
    fn default() -> Self {
        Self::new(64 * 1024 * 1024)
    }
}

impl RequestCache {
    /// No drafts yet, and at most `limit` bytes of them at any time.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            held: Mutex::default(),
        }
    }

    /// The request for a prompt: the same bytes as [`super::request_body`] makes, but where the
    /// entity's last request has the same beginning, only what is new is written.
    ///
    /// # Errors
    /// A media file can't be sent; the error names it.
    pub fn request(
        &self,
        prompt: &Prompt<'_>,
        form: &RequestForm,
        mode: SchemaMode,
    ) -> Result<RequestBody, MediaError> {
        let draft = self.held().take(prompt.entity);
        assemble(draft, prompt, form, mode)
    }

    /// Takes back the bytes of a request that was sent, for the next one of its entity. Bytes that
    /// are still in use elsewhere are let go. The drafts that were used least recently make room.
    pub fn take_back(&self, body: &mut RequestBody) {
        let Ok(bytes) = body.take_bytes().try_into_mut() else {
            return;
        };
        let entity = Arc::clone(body.entity());
        if let Some(mark) = body.take_mark()
            && bytes.capacity() <= self.limit
        {
            self.held()
                .put(entity, CachedRequest { bytes, mark }, self.limit);
        }
    }

    /// The bytes of all buffers that are kept.
    pub fn bytes(&self) -> usize {
        self.held().bytes
    }

    /// Where the kept buffer of an entity lies.
    #[cfg(test)]
    pub(super) fn buffer_of(&self, entity: &str) -> Option<*const u8> {
        let held = self.held();
        held.by_entity
            .get(entity)
            .map(|(_, draft)| draft.bytes.as_ptr())
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn take(&mut self, entity: &str) -> Option<CachedRequest> {
        let (time, draft) = self.by_entity.remove(entity)?;
        self.by_time.remove(&time);
        self.bytes -= draft.bytes.capacity();
        Some(draft)
    }

    fn put(&mut self, entity: Arc<str>, draft: CachedRequest, limit: usize) {
        self.take(&entity);
        self.time += 1;
        self.bytes += draft.bytes.capacity();
        self.by_time.insert(self.time, Arc::clone(&entity));
        self.by_entity.insert(entity, (self.time, draft));
        while self.bytes > limit
            && let Some((_, oldest)) = self.by_time.pop_first()
        {
            self.take(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::context::EntryId;
    use crate::dialect::format::{Api, NoFiles, Style};
    use crate::message::{Block, Body, Message, Role, Tags};
    use crate::mind::http::{Dialect, request_body};
    use crate::mind::{Form, Language, Refused, Round, ToolRound, Tools};
    use crate::tool::ToolSpec;

    /// What happens to a conversation between two requests. Numbers pick messages by their place.
    #[derive(Clone, Debug)]
    enum Happening {
        Said(Role, Said),
        Removed(usize),
        Folded(usize, usize),
        Cloned,
        /// Another entity's request comes in between.
        Other,
        Asked(Asked),
    }

    #[derive(Clone, Debug)]
    struct Asked {
        words: &'static str,
        as_short: bool,
        rounds: usize,
        /// None, offered, or offered no more.
        tools: usize,
        json: bool,
        /// Steps down the ladder.
        steps: usize,
        /// Whether something still holds the bytes when the call is over.
        held: bool,
    }

    #[derive(Clone, Debug)]
    enum Said {
        Text(&'static str),
        Condensed(&'static str),
        Picture,
        Calls,
        Result,
    }

    fn words() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec!["It rains.", "\"Run!\"\n", "雨停了。", ""])
    }

    fn happening() -> impl Strategy<Value = Happening> {
        let said = prop_oneof![
            4 => words().prop_map(Said::Text),
            1 => words().prop_map(Said::Condensed),
            1 => Just(Said::Picture),
            1 => Just(Said::Calls),
            1 => Just(Said::Result),
        ];
        let role = prop::sample::select(vec![Role::Human, Role::Human, Role::Ai, Role::Tool]);
        let flags = (any::<bool>(), any::<bool>(), any::<bool>());
        let asked = (words(), 0..4usize, 0..3usize, 0..4usize, flags);
        let asked = asked.prop_map(|(words, rounds, tools, steps, (as_short, json, held))| {
            Happening::Asked(Asked {
                words,
                as_short,
                rounds,
                tools,
                json,
                steps,
                held,
            })
        });
        prop_oneof![
            6 => (role, said).prop_map(|(role, said)| Happening::Said(role, said)),
            1 => (0..20usize).prop_map(Happening::Removed),
            1 => (0..20usize, 0..5usize).prop_map(|(from, many)| Happening::Folded(from, many)),
            1 => Just(Happening::Cloned),
            1 => Just(Happening::Other),
            5 => asked,
        ]
    }

    fn body_of(said: Said) -> Body {
        match said {
            Said::Text(words) => words.into(),
            Said::Condensed(words) => Body::text(words).with_short("short"),
            Said::Picture => {
                let source = json!({"type": "url", "url": "http://x/a.png"});
                let block = json!({"type": "image", "source": source});
                vec![Block::text("Look:"), Block::from(block)].into()
            }
            Said::Calls => {
                let call = json!({"type": "tool_use", "id": "1", "name": "dice", "input": {}});
                vec![Block::from(call)].into()
            }
            Said::Result => {
                let result = json!({"type": "tool_result", "tool_use_id": "1", "output": "4"});
                vec![Block::from(result)].into()
            }
        }
    }

    fn round(kind: usize, words: &'static str) -> Round {
        match kind {
            0 => Round::Tools(ToolRound {
                called: body_of(Said::Calls),
                returned: body_of(Said::Result),
            }),
            1 => Round::Told(words.into()),
            _ => Round::Refused(Refused {
                answer: "no".into(),
                complaint: words.into(),
            }),
        }
    }

    const MODES: [SchemaMode; 5] = [
        SchemaMode::Strict,
        SchemaMode::Stable,
        SchemaMode::Narrowed,
        SchemaMode::JsonMode,
        SchemaMode::Text,
    ];

    /// Lets it happen; an edit that the context refuses changes nothing.
    fn happen(context: &mut AgentContext, happening: &Happening) {
        let id = |at: usize| {
            context
                .entries()
                .get(at)
                .map_or(EntryId(999), |entry| entry.id())
        };
        match happening {
            Happening::Said(role, said) => {
                let message = Message::new(*role, body_of(said.clone()));
                context.add_message(message).unwrap();
            }
            Happening::Removed(at) => {
                let _ = context.remove_human_messages(&[id(*at)]);
            }
            Happening::Folded(from, many) => {
                let (begin, end) = (id(*from), id(from + many));
                let _ = context.replace_message_range(begin, end, "folded", Tags::new());
            }
            Happening::Cloned => *context = context.clone(),
            Happening::Other | Happening::Asked(_) => {}
        }
    }

    fn forms() -> impl Strategy<Value = RequestForm> {
        let api = prop::sample::select(vec![
            Api::OpenAi,
            Api::DeepSeek,
            Api::Anthropic,
            Api::Gemini,
            Api::DashScope,
            Api::Ollama,
        ]);
        let style = prop::sample::select(vec![
            Style::AsStored,
            Style::Perspective,
            Style::History,
            Style::Brackets,
        ]);
        (api, style, any::<[bool; 3]>()).prop_map(|(api, style, [merge_turns, stream, parts])| {
            let dialect = Dialect {
                api,
                style,
                merge_turns,
                stream,
                parts,
                ..Dialect::cautious("m")
            };
            RequestForm::new(dialect, Arc::new(NoFiles))
        })
    }

    proptest! {
        #[test]
        fn a_request_that_goes_on_from_a_draft_has_the_bytes_of_a_fresh_one(
            happenings in prop::collection::vec(happening(), 0..40),
            form in forms(),
            limit in prop::sample::select(vec![0, 2_000, 1_000_000]),
        ) {
            let drafts = RequestCache::new(limit);
            let mut context = AgentContext::new("Mira");
            context.add_system_message("You are Mira.").unwrap();
            let stable: Arc<str> = json!({"type": "object"}).to_string().into();
            let (notes, narrowed) = (Value::Null, json!({"const": "narrowed"}));
            let spec = ToolSpec::new("dice", "Rolls dice.", &json!({"type": "object"}));
            let specs = [Arc::new(spec.unwrap())];
            let other = Asked {
                words: "Who?", as_short: false, rounds: 0, tools: 0, json: false, steps: 0, held: false,
            };
            for happening in happenings {
                happen(&mut context, &happening);
                let (name, asked) = match happening {
                    Happening::Asked(asked) => ("Mira", asked),
                    Happening::Other => ("Odile", other.clone()),
                    _ => continue,
                };
                let question = Body::text(asked.words).with_short("asked");
                let rounds: Vec<_> = (0..asked.rounds).map(|kind| round(kind, asked.words)).collect();
                let prompt = Prompt {
                    entity: &name.into(), purpose: "test", number: 1, language: Language::En,
                    history: &context, question: &question, ask_short: asked.as_short, rounds: &rounds,
                    tools: Tools { specs: &specs[..asked.tools.min(1)], callable: asked.tools == 1, ..Tools::NONE },
                    form: match asked.json {
                        true => Form::Json { name: "plan", schema: &stable, narrowed: &narrowed, notes: &notes },
                        false => Form::Prose { notes: &notes },
                    },
                    max_tokens: 100 + asked.words.len() as u32, seed: 0,
                    stream: None,
                };
                let mut body = drafts.request(&prompt, &form, MODES[0]).unwrap();
                let fresh = request_body(&prompt, &form, MODES[0]).unwrap();
                prop_assert_eq!(body.bytes(), fresh.bytes());
                prop_assert!(serde_json::from_slice::<Value>(body.bytes()).is_ok());
                for mode in &MODES[1..=asked.steps] {
                    body.step_to(*mode, &form);
                    let fresh = request_body(&prompt, &form, *mode).unwrap();
                    prop_assert_eq!(body.bytes(), fresh.bytes());
                }
                let still = asked.held.then(|| body.bytes().clone());
                drafts.take_back(&mut body);
                drop(still);
                prop_assert!(drafts.bytes() <= limit);
            }
        }
    }

    #[test]
    fn the_least_recently_used_drafts_make_room() {
        let form = RequestForm::new(Dialect::cautious("m"), Arc::new(NoFiles));
        let drafts = RequestCache::new(20_000);
        let ask = |name: &str| {
            let mut history = AgentContext::new(name);
            history.add_system_message("x".repeat(5_000)).unwrap();
            history.stats();
            let prompt = Prompt {
                entity: &name.into(),
                purpose: "test",
                number: 1,
                language: Language::En,
                history: &history,
                question: &Body::text("What now?"),
                ask_short: false,
                rounds: &[],
                tools: Tools::NONE,
                form: Form::Prose {
                    notes: &Value::Null,
                },
                max_tokens: 10,
                seed: 0,
                stream: None,
            };
            let mut body = drafts.request(&prompt, &form, SchemaMode::Text).unwrap();
            drafts.take_back(&mut body);
        };
        for name in ["Ada", "Bo", "Cy", "Ada", "Di"] {
            ask(name);
        }
        let kept: Vec<_> = drafts
            .held()
            .by_entity
            .keys()
            .map(|name| name.to_string())
            .collect();
        assert_eq!(kept, ["Ada", "Cy", "Di"]);
        assert!(drafts.bytes() <= 20_000 && drafts.bytes() > 15_000);
        assert_eq!(drafts.held().by_time.len(), 3);
    }
}
