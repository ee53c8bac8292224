//! The laws of a context, tried on random conversations and random edits.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    AgentContext, ContextError, Entry, EntryId, SearchOrder, StoredMessage, context_from_json,
    context_to_json,
};
use crate::message::{Block, Body, Message, Role, Tag, Tags, message_from_json, message_to_json};

/// One edit. Numbers pick a message by its place, and past the last one an id that none has.
#[derive(Clone, Debug)]
enum Edit {
    System(Body),
    Human(Body, Tags),
    Ai(Vec<Body>),
    Any(Message),
    Remove(Vec<usize>),
    Cut(usize, usize),
    Replace(usize, usize, Body, Tags),
}

/// Few words, so that equal texts, tags and short forms meet.
fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "山", "a b", ""])
}

fn body() -> impl Strategy<Value = Body> {
    let blocks = prop::collection::vec(word().prop_map(Block::text), 0..3);
    let body = prop_oneof![word().prop_map(Body::from), blocks.prop_map(Body::from)];
    (body, prop::option::weighted(0.3, word())).prop_map(|(body, short)| match short {
        Some(short) => body.with_short(short),
        None => body,
    })
}

fn tags() -> impl Strategy<Value = Tags> {
    let tag = (0..5usize, word()).prop_map(|(kind, word)| match kind {
        0 => ("kickoff", json!(word)),
        1 => ("archive", json!(word)),
        2 => ("compressed_prompt", json!(word)),
        3 => ("mood", json!({"of": [word, null]})),
        _ => ("kickoff", json!(word.len())),
    });
    prop::collection::vec(tag, 0..4).prop_map(|list| {
        let add = |tags: Tags, (key, value): (&str, Value)| match tags.clone().with_user(key, value)
        {
            Ok(more) => more,
            Err(_) => tags,
        };
        list.into_iter().fold(Tags::new(), add)
    })
}

fn role() -> impl Strategy<Value = Role> {
    prop::sample::select(vec![Role::System, Role::Human, Role::Ai, Role::Tool])
}

fn message() -> impl Strategy<Value = Message> {
    (role(), body(), tags()).prop_map(|(role, body, tags)| Message::new(role, body).tagged(tags))
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = || 0..14usize;
    prop_oneof![
        1 => body().prop_map(Edit::System),
        6 => (body(), tags()).prop_map(|(body, tags)| Edit::Human(body, tags)),
        3 => prop::collection::vec(body(), 0..3).prop_map(Edit::Ai),
        3 => message().prop_map(Edit::Any),
        2 => prop::collection::vec(place(), 0..4).prop_map(Edit::Remove),
        1 => (place(), place()).prop_map(|(begin, end)| Edit::Cut(begin, end)),
        1 => (place(), place(), body(), tags())
            .prop_map(|(begin, end, body, tags)| Edit::Replace(begin, end, body, tags)),
    ]
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec(edit(), 0..30)
}

/// A plain list of messages that does what a context should.
#[derive(Default)]
struct Model {
    list: Vec<StoredMessage>,
    given: u32,
}

impl Model {
    fn push(&mut self, message: Message) {
        self.given += 1;
        self.list.push(held(EntryId(self.given), message));
    }

    fn id(&self, place: usize) -> EntryId {
        let known = self.list.get(place).map(|held| held.id);
        known.unwrap_or(EntryId(self.given + 1))
    }

    fn human(&self, place: usize) -> bool {
        self.list
            .get(place)
            .is_some_and(|held| held.message.role == Role::Human)
    }

    fn cuttable(&self, begin: usize, end: usize) -> bool {
        begin <= end && end < self.list.len() && self.list[begin].message.role != Role::System
    }

    /// Does the edit, and says what it removed; `None` where it must be refused.
    fn apply(&mut self, edit: Edit) -> Option<Vec<StoredMessage>> {
        match edit {
            Edit::System(body) => return self.apply(Edit::Any(Message::new(Role::System, body))),
            Edit::Human(body, tags) => self.push(Message::new(Role::Human, body).tagged(tags)),
            Edit::Ai(bodies) if bodies.is_empty() => return None,
            Edit::Ai(bodies) => {
                let said = bodies.into_iter().map(|body| Message::new(Role::Ai, body));
                said.for_each(|message| self.push(message));
            }
            Edit::Any(message) => {
                if message.role == Role::System && !self.list.is_empty() {
                    return None;
                }
                self.push(message);
            }
            Edit::Remove(mut places) => {
                places.sort_unstable();
                places.dedup();
                if !places.iter().all(|place| self.human(*place)) {
                    return None;
                }
                let mut removed: Vec<_> = places
                    .iter()
                    .rev()
                    .map(|place| self.list.remove(*place))
                    .collect();
                removed.reverse();
                return Some(removed);
            }
            Edit::Cut(begin, end) => {
                return self
                    .cuttable(begin, end)
                    .then(|| self.list.drain(begin..=end).collect());
            }
            Edit::Replace(begin, end, body, tags) => {
                let id = self.id(begin);
                let removed = self.apply(Edit::Cut(begin, end))?;
                let message = Message::new(Role::Human, body).tagged(tags);
                self.list.insert(begin, held(id, message));
                return Some(removed);
            }
        }
        Some(Vec::new())
    }
}

/// A message as a context holds it: a short text that came as a tag is the body's.
fn held(id: EntryId, mut message: Message) -> StoredMessage {
    if let Some(short) = message.tags.take_compressed_prompt() {
        message.body = message.body.with_short(&*short);
    }
    StoredMessage { id, message }
}

fn apply(
    context: &mut AgentContext,
    model: &Model,
    edit: Edit,
) -> Result<Vec<StoredMessage>, ContextError> {
    match edit {
        Edit::System(body) => context.add_system_message(body).map(|_| Vec::new()),
        Edit::Human(body, tags) => {
            context.add_human_message(body, tags);
            Ok(Vec::new())
        }
        Edit::Ai(bodies) => context.add_ai_message(bodies).map(|_| Vec::new()),
        Edit::Any(message) => context.add_message(message).map(|_| Vec::new()),
        Edit::Remove(places) => {
            let ids: Vec<_> = places.iter().map(|place| model.id(*place)).collect();
            context.remove_human_messages(&ids)
        }
        Edit::Cut(begin, end) => context.remove_message_range(model.id(begin), model.id(end)),
        Edit::Replace(begin, end, body, tags) => {
            context.replace_message_range(model.id(begin), model.id(end), body, tags)
        }
    }
}

fn built(edits: Vec<Edit>) -> AgentContext {
    let (mut context, mut model) = (AgentContext::new("Wren"), Model::default());
    for edit in edits {
        let _ = apply(&mut context, &model, edit.clone());
        let _ = model.apply(edit);
    }
    context
}

fn seen(context: &AgentContext) -> (Value, Vec<StoredMessage>, u32, u32) {
    (
        context_to_json(context),
        context.messages().collect(),
        context.last_id(),
        context.revisions(),
    )
}

/// What a search should find, by looking at every message.
fn scanned(context: &AgentContext, key: &str, value: &Value) -> Vec<StoredMessage> {
    let carries = |held: &StoredMessage| {
        let short = held.message.body.short().map(|short| json!(short.as_str()));
        held.message.tags.get(key) == Some(value)
            || (key == "compressed_prompt" && short.as_ref() == Some(value))
    };
    let human = context
        .messages()
        .filter(|held| held.message.role == Role::Human);
    human.filter(carries).collect()
}

fn searches() -> impl Iterator<Item = (&'static str, Value)> {
    let words = ["a", "b", "山", "a b", "", "nowhere"];
    words.into_iter().flat_map(|word| {
        [
            ("kickoff", json!(word)),
            ("archive", json!(word)),
            ("compressed_prompt", json!(word)),
            ("mood", json!({"of": [word, null]})),
            ("kickoff", json!(word.len())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn edits_do_what_a_plain_list_would_and_wrong_ones_do_nothing(edits in edits()) {
        let (mut context, mut model) = (AgentContext::new("Wren"), Model::default());
        for edit in edits {
            let before = seen(&context);
            let done = apply(&mut context, &model, edit.clone());
            let wanted = model.apply(edit);
            if done.is_err() {
                prop_assert_eq!(seen(&context), before);
            }
            prop_assert_eq!(done.ok(), wanted);
            prop_assert_eq!(context.messages().collect::<Vec<_>>(), model.list.clone());
        }
    }

    #[test]
    fn between_revisions_messages_are_only_appended(edits in edits()) {
        let (mut context, mut model) = (AgentContext::new("Wren"), Model::default());
        let mut states = Vec::new();
        for edit in edits {
            let _ = apply(&mut context, &model, edit.clone());
            model.apply(edit);
            states.push((context.revisions(), context.entries().to_vec()));
        }
        let same = |(left, right): (&Entry, &Entry)| {
            left.body().same(right.body()) && left.role() == right.role()
        };
        for (index, (revisions, before)) in states.iter().enumerate() {
            for (_, after) in states[index..].iter().filter(|(other, _)| other == revisions) {
                prop_assert!(before.len() <= after.len() && before.iter().zip(after).all(same));
            }
        }
    }

    #[test]
    fn a_search_by_tag_agrees_with_a_scan(edits in edits()) {
        let context = built(edits);
        for (key, value) in searches() {
            let mut wanted = scanned(&context, key, &value);
            let find = |order| context.filter_human_messages_by_attribute(key, value.clone(), order);
            prop_assert_eq!(find(SearchOrder::OldestFirst), wanted.clone());
            wanted.reverse();
            prop_assert_eq!(find(SearchOrder::NewestFirst), wanted);
        }
    }

    #[test]
    fn a_saved_context_is_restored_with_its_ids(edits in edits()) {
        let context = built(edits);
        let messages = context.messages().collect();
        let again = AgentContext::restore(
            context.name().clone(), messages, context.last_id(), context.revisions(),
        );
        prop_assert_eq!(again.map(|again| seen(&again)), Ok(seen(&context)));
    }

    #[test]
    fn what_was_written_is_read_again(edits in edits()) {
        let mut context = AgentContext::new("Wren");
        for StoredMessage { message, .. } in built(edits).messages() {
            // A reader turns a pair whose short text is the longer one.
            if message.body.short_text().len() <= message.body.full_text().len() {
                let _ = context.add_message(message);
            }
        }
        let written = context_to_json(&context);
        let read = context_from_json(&written);
        prop_assert_eq!(read.map(|read| context_to_json(&read)), Ok(written));
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z山\"\\\\]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let member = prop::sample::select(vec![
            "type", "content", "text", "source", "url", "input", "id", "name", "output", "x",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((member, inner), 0..5).prop_map(|members| members
                .into_iter()
                .map(|(k, v)| (k.to_owned(), v))
                .collect()),
        ]
    })
}

/// Blocks of every kind with members that are right, odd, missing or too many.
fn block_json() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        "text", "image", "audio", "video", "thinking", "tool_use", "tool_result", "hologram",
    ]);
    let source = prop_oneof![
        Just(json!({"type": "url", "url": "http://x"})),
        Just(json!({"type": "url", "url": "http://x", "detail": "high"})),
        Just(json!({"type": "file", "path": "a.png", "media_type": null})),
        Just(json!({"type": "base64", "media_type": "image/png", "data": "AA=="})),
        any_json(),
    ];
    let is_error = prop::option::of(any::<bool>());
    (
        kind,
        source,
        any_json(),
        is_error,
        prop::option::of(any_json()),
    )
        .prop_map(|(kind, source, value, is_error, extra)| {
            let mut block = match kind {
                "text" => json!({"type": kind, "text": "hi"}),
                "thinking" => json!({"type": kind, "thinking": "hm"}),
                "tool_use" => json!({"type": kind, "id": "1", "name": "dice", "input": value}),
                "tool_result" => json!({"type": kind, "tool_use_id": "1", "output": value}),
                "hologram" => json!({"type": kind, "rays": value}),
                _ => json!({"type": kind, "source": source}),
            };
            if let Some(is_error) = is_error.filter(|_| kind == "tool_result") {
                block["is_error"] = is_error.into();
            }
            if let Some(extra) = extra {
                block["extra"] = extra;
            }
            block
        })
}

fn message_json() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec!["human", "ai", "tool"]);
    let content = prop_oneof![
        word().prop_map(Value::from),
        prop::collection::vec(prop_oneof![block_json(), any_json()], 0..4).prop_map(Value::from),
        Just(Value::Null),
    ];
    let member = prop::sample::select(vec![
        "kickoff", "my_mark", "compressed_prompt", "name", "id", "time", "metadata",
        "response_metadata", "chapter",
    ]);
    let members = prop::collection::vec((member, any_json()), 0..4);
    (kind, content, members).prop_map(|(kind, content, members)| {
        let mut message = json!({"type": kind, "content": content});
        for (key, value) in members {
            message[key] = value;
        }
        message
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_json_breaks_the_readers(value in any_json()) {
        let _ = Block::from(value.clone()).tokens();
        let _ = message_from_json(&value);
        let _ = context_from_json(&value);
        let _ = context_from_json(&json!({"name": "x", "context": [value]}));
    }

    #[test]
    fn a_block_is_written_as_it_came(value in block_json()) {
        let written = serde_json::to_value(Block::from(value.clone()));
        let mut wanted = value;
        // What is false is left out.
        if wanted.get("is_error") == Some(&json!(false)) && wanted.get("extra").is_none() {
            wanted.as_object_mut().map(|members| members.remove("is_error"));
        }
        prop_assert_eq!(written.ok(), Some(wanted));
    }

    #[test]
    fn what_others_wrote_settles_after_one_reading(messages in prop::collection::vec(message_json(), 0..6)) {
        let mut list = vec![json!({"type": "system", "content": "rules"}), Value::Null];
        list.extend(messages);
        let read = context_from_json(&json!({"name": "Wren", "context": list.clone()})).unwrap();
        prop_assert_eq!(read.len(), list.len() - 1);
        let written = context_to_json(&read);
        let again = context_from_json(&written).unwrap();
        prop_assert_eq!(context_to_json(&again), written);
    }

    #[test]
    fn no_member_of_others_is_lost(value in message_json()) {
        let written = message_to_json(&message_from_json(&value).unwrap());
        let texts = |value: &Value| {
            let mut text = value.to_string();
            text.retain(|char| char == '山');
            text
        };
        prop_assert_eq!(texts(&written), texts(&value));
    }
}

#[test]
fn a_short_form_is_found_as_a_tag_once_and_cut() {
    let mut context = AgentContext::new("Wren");
    let body = Body::text("the long one").with_short("short");
    let tag = Tag::COMPRESSED_PROMPT.of("short");
    let id = context.add_human_message(body, tag);
    let find = |context: &AgentContext| {
        let order = SearchOrder::NewestFirst;
        context.filter_human_messages_by_attribute("compressed_prompt", "short", order)
    };
    assert_eq!(find(&context).len(), 1);
    context.remove_human_messages(&[id]).unwrap();
    assert!(find(&context).is_empty());
}
