//! What became of everybody: people, places, facts, lists of games, and what each of them
//! remembers.

use std::sync::Arc;

use playhouse_engine::cast::{Kind, turn_number};
use playhouse_engine::context::{Chapter, Entry};
use playhouse_engine::knowledge::{Fact, Known};
use playhouse_engine::message::{BodyId, Cost, Digest, Role, Tags};
use playhouse_engine::session::PromptPart;
use playhouse_story::{Being, Call, Contents, Members, PictureReader, WorldState};
use serde_json::{Value, json};

use super::reader::{Reader, SpentJson};
use super::request::Sent;

impl Reader<'_> {
    /// The entities that it may know everything about: all for the host, itself for a seat.
    pub(super) fn may_inspect(&self, id: u32) -> bool {
        self.seat.is_none_or(|seat| seat == id)
    }

    pub(super) fn people(&self) -> Value {
        let contents = self.view.read();
        let people = contents
            .state
            .beings
            .iter()
            .filter(|being| self.may_inspect(being.id) && being.kind != Kind::Stage);
        people.map(|being| self.head(&contents, being)).collect()
    }

    /// Who it is to games.
    pub(super) fn for_games(&self) -> PictureReader {
        self.seat.map_or(PictureReader::Host, PictureReader::Seat)
    }

    /// Adds what games show of an entity in a list.
    fn add_of_games(&self, row: &mut Value, contents: &Contents, being: &Being) {
        let games = contents.state.games.all();
        games.for_each(|game| extend(row, game.in_list(being, self.for_games())));
    }

    fn head(&self, contents: &Contents, being: &Being) -> Value {
        let calls = contents.calls.iter().rev();
        let last = calls.take(1_000).find(|call| call.who == being.id);
        let outcome = last.and_then(|call| call.outcome());
        let mind = being
            .mind
            .clone()
            .or_else(|| last.map(|call| call.mind.clone()));
        let context = &being.context.value;
        let mut head = json!({
            "id": being.id, "name": being.name, "kind": being.kind, "hue": hue(&being.name),
            "dead": being.is_dead, "gone": being.gone, "messages": context.len(),
            "tokens": context.tokens(), "knows": being.knowledge.value.all().count(),
            "calls": being.spent.calls, "cost": being.spent.known_cost().map(Cost::units),
        });
        let seat = self.seats.and_then(|seats| seats.get(&*being.name));
        head["played_by"] = seat.map_or("mind", |seat| seat.played_by()).into();
        set(&mut head, "faction", being.faction.as_ref());
        set(&mut head, "place", being.place);
        set(&mut head, "mind", mind.filter(|mind| !mind.is_empty()));
        set(
            &mut head,
            "model",
            outcome.map(|outcome| outcome.model.clone()),
        );
        self.add_of_games(&mut head, contents, being);
        head
    }

    /// The stages, and who is there.
    pub(super) fn places(&self) -> Value {
        let contents = self.view.read();
        let state = &contents.state;
        let own = self.seat.and_then(|seat| state.being(seat)?.place);
        let stages = state
            .beings
            .iter()
            .filter(|being| being.kind == Kind::Stage)
            .filter(|stage| self.is_host() || own == Some(stage.id));
        let places = stages.map(|stage| {
            let here = state.beings.iter();
            let here = here.filter(|being| being.place == Some(stage.id));
            let here: Vec<_> = here.map(|being| being.id).collect();
            let mut place = json!({
                "id": stage.id, "name": stage.name, "exits": stage.exits, "here": here,
            });
            self.add_of_games(&mut place, &contents, stage);
            place
        });
        places.collect()
    }

    pub(super) fn person(&self, id: u32) -> Option<Value> {
        let contents = self.view.read();
        let state = contents.state.clone();
        let being = state.being(id).filter(|being| self.may_inspect(being.id))?;
        let mut person = self.head(&contents, being);
        let system = being.context.value.entries().first();
        let system = system.filter(|entry| entry.role() == Role::System);
        set(&mut person, "profile", system.map(Entry::own_text));
        set(&mut person, "look", being.look.as_ref());
        for game in state.games.all() {
            extend(&mut person, game.alone(being, &contents));
        }
        let known = being.knowledge.value.all();
        let facts = known.filter_map(|(id, known)| Some((state.fact(id)?, known)));
        let facts: Vec<_> = facts.collect();
        let told = state
            .games
            .all()
            .flat_map(|game| game.secrets(being, &contents))
            .filter_map(|event| contents.events.get(event as usize));
        let known = facts.iter().filter(|(_, known)| known.by.is_empty());
        person["secrets"] = told
            .map(|event| self.text_of(&contents, event))
            .chain(known.map(|(fact, _)| fact.text.clone()))
            .collect();
        let knows = facts.iter();
        let knows = knows.map(|(fact, known)| self.known_fact(&contents, fact, known));
        person["knows"] = knows.collect();
        let chapters = being.chapters.value.all().iter();
        let chapters = chapters.map(|chapter| chapter_json(chapter));
        person["chapters"] = chapters.collect();
        if self.is_host() {
            person["spent"] = json!(SpentJson::from(being.spent));
            let calls = contents.calls.iter().filter(|call| call.who == id);
            person["calls"] = calls.map(|call| json!(call.call)).collect();
        }
        Some(person)
    }

    /// A fact that somebody knows, and from whom.
    pub(super) fn known_fact(&self, contents: &Contents, fact: &Fact, known: &Known) -> Value {
        let mut row = self.known(contents, known);
        row["fact"] = json!(fact.id);
        row["title"] = json!(fact.title);
        row["text"] = json!(fact.text);
        // From whom somebody else has it is not for a seat to know.
        let most = if self.is_host() { usize::MAX } else { 1 };
        let chain = contents.state.sources(&fact.id, known).into_iter();
        let chain = chain.map_while(|name| Some(contents.state.named(&name)?.id));
        row["chain"] = json!(chain.take(most).collect::<Vec<_>>());
        row
    }

    /// How somebody came to know something.
    fn known(&self, contents: &Contents, known: &Known) -> Value {
        let mut row = json!({"day": known.day});
        if !known.by.is_empty() {
            row["by"] = json!(known.by);
            row["turn"] = turn_number(known.turn).into();
        }
        let event = known.event.parse().ok();
        let number = event.and_then(|event| contents.by_body.get(&event).copied());
        set(
            &mut row,
            "number",
            number.and_then(|number| self.number(contents, number)),
        );
        row
    }

    /// What a mind would be sent next, before the question.
    pub(super) fn context(&self, id: u32) -> Option<Value> {
        let contents = self.view.read();
        let being = contents.state.being(id).filter(|_| self.may_inspect(id))?;
        let context = &being.context.value;
        // What came before the last question was sent with it. What took the place of something
        // that was is newer, and what follows it no longer begins that request.
        let sent = contents.sent.get(&id);
        let mut is_cached = true;
        let mut parts = Vec::new();
        for entry in context.entries() {
            is_cached &= sent.is_some_and(|sent| entry.id() < *sent);
            for (part, text, tokens) in parts_of(entry, context.tags(entry.id())) {
                let mut row = json!({
                    "id": format!("m{}", entry.id().0), "part": part, "role": entry.role(),
                    "tokens": tokens, "text": text, "cached": is_cached,
                });
                if let Some(sender) = entry.body().sender() {
                    set(&mut row, "speaker", contents.id_of(sender));
                }
                if part == "message" {
                    self.add_event(&contents, &mut row, entry.body().id(), id);
                }
                parts.push(row);
            }
        }
        let mut whole = whole_context(id, contents.turn, parts);
        self.add_provider(&mut whole, contents.last_call_of(id));
        let mut games = contents.state.games.all();
        if let Some(next) = games.find_map(|game| game.next_fold(being)) {
            let (begin, end) = next.messages;
            let entries = context.entries().iter().map(Entry::id);
            let folded = entries.filter(|entry| (begin..=end).contains(entry));
            whole["fold_next"] = folded.map(|entry| json!(format!("m{}", entry.0))).collect();
            whole["past"] = json!([next.past, next.most]);
        }
        Some(whole)
    }

    /// What a mind was sent for a call, and what its provider may have kept of the one before.
    pub(super) fn context_at(&self, id: u32, call: u32, sent: &Sent) -> Option<Value> {
        let contents = self.view.read();
        let system = contents.state.being(id)?.context.value.entries().first();
        let rules = system.and_then(|system| system.body().shared_prefix());
        let before = sent.before.iter().flat_map(|before| &before.messages);
        let messages = &sent.request.messages;
        let same = messages.iter().zip(before);
        let same =
            same.take_while(|(now, before)| now.text == before.text && now.role == before.role);
        let cached = same.count();
        let mut parts = Vec::new();
        for (index, message) in messages.iter().enumerate() {
            let (part, body) = match message.part {
                PromptPart::Memory { .. } if message.role == Role::System => ("profile", None),
                PromptPart::Memory {
                    is_summary: true, ..
                } => ("chapter", None),
                PromptPart::Memory { body, .. } => ("message", Some(body)),
                PromptPart::Question => ("ask", None),
                PromptPart::Recalled => ("recalled", None),
                PromptPart::Exchange => ("exchange", None),
            };
            let mut add = |part: &str, text: &str, tokens: u64| {
                let mut row = json!({
                    "id": format!("{index}{part}"), "part": part, "role": message.role.name(),
                    "tokens": tokens, "text": text, "cached": index < cached,
                });
                let speaker = message.speaker.as_ref();
                set(
                    &mut row,
                    "speaker",
                    speaker.and_then(|name| contents.id_of(name)),
                );
                if let Some(body) = body {
                    self.add_event(&contents, &mut row, body, id);
                }
                parts.push(row);
            };
            let own = rules.filter(|_| part == "profile").and_then(|rules| {
                let own = message.text.strip_prefix(rules.as_str())?;
                Some((rules, own))
            });
            match own {
                Some((rules, own)) => {
                    let tokens = u64::from(rules.tokens());
                    add("rules", rules.as_str(), tokens);
                    add(part, own.trim(), message.tokens.saturating_sub(tokens));
                }
                None => add(part, &message.text, message.tokens),
            }
        }
        let mut whole = whole_context(id, turn_number(sent.request.turn), parts);
        self.add_provider(&mut whole, contents.calls.get(call as usize));
        whole["call"] = call.into();
        Some(whole)
    }

    /// Adds how much of the request of a call its provider had, by its own count.
    fn add_provider(&self, whole: &mut Value, call: Option<&Arc<Call>>) {
        let usage = call
            .and_then(|call| call.outcome())
            .map(|outcome| outcome.usage);
        let cached = usage.filter(|usage| self.is_host() && usage.cached > 0);
        set(whole, "provider_cached", cached.map(|usage| usage.cached));
    }

    /// Adds the event that a message tells, and who else has it.
    fn add_event(&self, contents: &Contents, row: &mut Value, body: BodyId, owner: u32) {
        let Some(number) = contents.by_body.get(&body) else {
            return;
        };
        set(row, "number", self.number(contents, *number));
        if self.is_host()
            && let Some(event) = contents.events.get(*number as usize)
        {
            let also = event.audience.iter().filter(|who| **who != owner);
            row["also"] = also.map(|who| json!(who)).collect();
        }
    }

    /// All facts, in short.
    pub(super) fn facts(&self) -> Value {
        let contents = self.view.read();
        let state = &contents.state;
        let facts = state
            .facts
            .value
            .all()
            .filter(|fact| self.may_know(state, fact));
        // Places and the world's own minds are not people.
        let people = state
            .beings
            .iter()
            .filter(|being| being.kind == Kind::Actor);
        let people: Vec<_> = people.filter(|being| self.may_inspect(being.id)).collect();
        let facts = facts.map(|fact| {
            let knows = people.iter();
            let knows = knows.filter(|being| being.knowledge.value.knows(&fact.id));
            json!({
                "fact": fact.id, "title": fact.title, "knows": knows.count(), "of": people.len(),
                "common": fact.is_common(),
            })
        });
        facts.collect()
    }

    fn may_know(&self, state: &WorldState, fact: &Fact) -> bool {
        self.seat.is_none_or(|seat| {
            let being = state.being(seat);
            fact.is_common() || being.is_some_and(|being| being.knowledge.value.knows(&fact.id))
        })
    }

    /// A fact, and who knows it from whom.
    pub(super) fn fact(&self, id: &str) -> Option<Value> {
        let contents = self.view.read();
        let state = &contents.state;
        let fact = state.fact(id).filter(|fact| self.may_know(state, fact))?;
        let mut knows: Vec<(&Known, Value)> = Vec::new();
        let mut not = Vec::new();
        for being in state
            .beings
            .iter()
            .filter(|being| self.may_inspect(being.id))
        {
            let Some(known) = being.knowledge.value.get(id) else {
                not.push(being.id);
                continue;
            };
            let mut row = self.known(&contents, known);
            row["who"] = being.id.into();
            let from = known.from.as_ref();
            set(&mut row, "from", from.and_then(|from| contents.id_of(from)));
            knows.push((known, row));
        }
        // Those who knew it first are first.
        knows.sort_by_key(|(known, row)| (known.turn, row["number"].as_u64()));
        let knows: Vec<_> = knows.into_iter().map(|(_, row)| row).collect();
        let mut found = json!({
            "fact": fact.id, "title": fact.title, "text": fact.text, "common": fact.is_common(),
            "knows": knows,
        });
        if self.is_host() {
            found["not"] = json!(not);
            let contradicts = Some(&fact.contradicts).filter(|other| !other.is_empty());
            set(&mut found, "contradicts", contradicts);
        }
        Some(found)
    }

    /// The lists of games, by name.
    pub(super) fn lists(&self) -> Vec<(&'static str, Value)> {
        let state = self.view.read().state.clone();
        state
            .games
            .all()
            .flat_map(|game| game.lists(self.for_games()))
            .collect()
    }
}

/// A context of these parts.
fn whole_context(who: u32, turn: u64, parts: Vec<Value>) -> Value {
    let tokens = |part: &Value| part["tokens"].as_u64().unwrap_or_default();
    let cached = parts.iter().filter(|part| part["cached"] == true);
    json!({
        "who": who, "turn": turn, "tokens": parts.iter().map(tokens).sum::<u64>(),
        "cached": cached.map(tokens).sum::<u64>(), "parts": parts,
    })
}

/// The parts of a message: what it is, its text as the next prompt shows it, its tokens.
fn parts_of(entry: &Entry, tags: Option<&Tags>) -> Vec<(&'static str, String, u32)> {
    let body = entry.body();
    if entry.role() == Role::System {
        let rules = body.shared_prefix();
        let rules = rules.map(|rules| ("rules", rules.as_str().to_owned(), rules.tokens()));
        let rest = body.tokens() - rules.as_ref().map_or(0, |(.., tokens)| *tokens);
        return rules
            .into_iter()
            .chain([("profile", entry.own_text(), rest)])
            .collect();
    }
    let is_chapter = tags.is_some_and(|tags| tags.text("chapter").is_some());
    let part = if is_chapter { "chapter" } else { "message" };
    let text = match body.short() {
        Some(short) => short.as_str().to_owned(),
        None => body.shown().into_owned(),
    };
    vec![(part, text, body.short_tokens())]
}

fn chapter_json(chapter: &Chapter) -> Value {
    let record = chapter.record.as_ref();
    json!({
        "id": chapter.id.0, "title": chapter.title, "level": chapter.level(),
        "days": record.map(|record| record.days), "turn": turn_number(chapter.turn),
        "messages": chapter.messages.len(), "tokens": chapter.summary.short_tokens(),
        "summary": chapter.summary.full_text(),
    })
}

/// The hue of a name, 0 to 359.
pub(super) fn hue(name: &str) -> u16 {
    let digest = Digest::of(name.as_bytes());
    u16::from_le_bytes([digest.0[0], digest.0[1]]) % 360
}

/// Adds members.
pub(super) fn extend(to: &mut Value, members: Members) {
    if let Value::Object(to) = to {
        to.extend(members);
    }
}

/// Adds a field that has something to say.
pub(super) fn set(to: &mut Value, field: &str, value: Option<impl serde::Serialize>) {
    if let Some(value) = value {
        to[field] = json!(value);
    }
}
