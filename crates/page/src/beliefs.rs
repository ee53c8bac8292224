//! What a character believes about another: what it knows, what games add, and what it heard.

use playhouse_engine::cast::turn_number;
use serde_json::{Value, json};

use super::people::extend;
use super::reader::Reader;

/// How many of the last events that tell of the other are shown.
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
            row["about"] = of.map(|(id, _)| *id).collect();
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
        let facts = being
            .knowledge
            .value
            .all()
            .filter_map(|(id, known)| Some((state.fact(id)?, known)))
            .filter(|(fact, _)| fact.tells_of(&name));
        let knows = facts.map(|(fact, known)| self.known_fact(&contents, fact, known));
        let mut beliefs = json!({
            "who": who, "about": about, "knows": knows.collect::<Vec<_>>(),
        });
        if let Some(other) = state.being(about) {
            for game in state.games.all() {
                let members = game.beliefs([being, other], &contents, self.for_games());
                extend(&mut beliefs, members);
            }
        }
        let learned = contents.learned.get(&who).into_iter().flatten().rev();
        let heard = learned.filter_map(|number| contents.events.get(*number as usize)).filter(|event| {
            let is_by = event.by == Some(about);
            self.is_told(event)
                && event.by != Some(who)
                && (is_by || self.text_of(&contents, event).contains(&*name))
        }).take(LAST_HEARD).filter_map(|event| {
            let number = self.number(&contents, event.number)?;
            Some(json!({"number": number, "turn": turn_number(event.turn), "text": self.text_of(&contents, event)}))
        });
        beliefs["heard"] = heard.collect();
        Some(beliefs)
    }
}
