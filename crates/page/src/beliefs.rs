//! What a character believes about another: what it knows, feels, promised, and heard.

use playhouse_engine::cast::turn_number;
use playhouse_engine::journal::AskEnding;
use serde_json::{Value, json};

use super::people::set;
use super::reader::Reader;

/// How many of the last events that tell of somebody are shown.
const LAST_HEARD: usize = 20;

impl Reader<'_> {
    /// The facts, each with those of whom it tells: a page without a server finds by it what one
    /// believes of another.
    pub(super) fn facts_and_whom(&self) -> Value {
        let mut facts = self.facts();
        let named = self.named();
        let contents = self.view.read();
        for row in facts.as_array_mut().into_iter().flatten() {
            let fact = row["fact"].as_str().and_then(|id| contents.state.fact(id));
            let of = named.iter().filter(|(_, entity)| {
                let name = entity["name"].as_str().unwrap_or_default();
                fact.is_some_and(|fact| fact.tells_of(name))
            });
            row["of"] = of.map(|(id, _)| *id).collect();
        }
        facts
    }

    /// What one believes of another; a seat is told of its own character alone.
    pub(super) fn beliefs(&self, who: u32, about: u32) -> Option<Value> {
        let contents = self.view.read();
        let state = &contents.state;
        let being = state
            .being(who)
            .filter(|being| self.may_inspect(being.id))?;
        let name = contents.name_of(about)?;
        let facts = being.knowledge.value.all();
        let facts = facts.filter_map(|(id, known)| Some((state.fact(id)?, known)));
        let facts = facts.filter(|(fact, _)| fact.tells_of(&name));
        let knows = facts.map(|(fact, known)| self.known_fact(&contents, fact, known));
        let mut beliefs = json!({
            "who": who, "about": about, "knows": knows.collect::<Vec<_>>(),
        });
        let mut bonds = being.game.bonds.iter();
        let bond = bonds.find(|(to, _)| **to == *name);
        set(
            &mut beliefs,
            "bond",
            bond.map(|(_, bond)| json!({"word": bond.word, "value": bond.value})),
        );
        let of_other = state.being(about).filter(|_| self.is_host());
        let promised = [(Some(being), &name), (of_other, &being.name)];
        let promises = promised.iter().flat_map(|(by, to)| {
            let promises = by
                .iter()
                .flat_map(|by| by.game.promises.iter().map(|promise| (by.id, promise)));
            promises.filter(|(_, promise)| promise.to == **to)
        });
        let promises = promises
            .map(|(by, promise)| json!({"by": by, "words": promise.words, "state": promise.state}));
        beliefs["promises"] = promises.collect();
        let learned = contents.learned.get(&who).into_iter().flatten().rev();
        let heard = learned.filter_map(|number| contents.events.get(*number as usize));
        let heard = heard.filter(|event| {
            let is_by = event.by == Some(about);
            self.is_told(event)
                && event.by != Some(who)
                && (is_by || self.text_of(&contents, event).contains(&*name))
        });
        let heard = heard.take(LAST_HEARD).filter_map(|event| {
            let number = self.number(&contents, event.number)?;
            Some(json!({"n": number, "turn": turn_number(event.record.turn), "text": self.text_of(&contents, event)}))
        });
        beliefs["heard"] = heard.collect();
        if self.is_host() {
            // What a player of undercover wrote down last of everybody.
            let mut calls = contents.calls.iter().rev();
            let guess = calls.find(|call| call.who == who && &*call.purpose == "undercover.belief");
            let outcome = guess.and_then(|call| call.outcome.as_ref());
            set(&mut beliefs, "c", guess.map(|call| call.call));
            if let Some(AskEnding::Answered { text, .. }) = outcome.map(|outcome| &outcome.ending) {
                beliefs["guess"] = text.as_str().into();
            }
        }
        Some(beliefs)
    }
}
