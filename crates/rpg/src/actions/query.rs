//! An actor searches its memory and what it knows.

use playhouse_engine::event::kinds::MemorySearch;
use playhouse_engine::locale::text;
use playhouse_engine::memory::{Lens, recall_conversation};
use playhouse_engine::message::Role;

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Query};
use crate::talk::TurnTaken;

/// The maximum number of finds that a search tells.
const MAX_FINDS: usize = 3;

impl Action for Query {
    const APPEAL: Appeal = Appeal::NotTwice(3);

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, _taken: &mut TurnTaken) {
        let event = MemorySearch {
            actor: acting.name.to_string(),
            found: rules.find(acting, &self.text),
            message: self.text,
        };
        rules.events.notify_entities(&[acting.entity], event);
    }
}

impl Rules<'_, '_> {
    /// Facts that the actor knows, then its own past, first what is in no prompt any more.
    fn find(&self, acting: &Acting<'_>, text: &str) -> Vec<String> {
        let vectors = self.vectors.as_deref();
        let meaning = vectors.and_then(|vectors| self.lookups.meaning(text, vectors));
        let sought = (text, meaning);
        let Ok((context, chapters, witnessed, knowledge)) = self.memories.get(acting.entity) else {
            return Vec::new();
        };
        let facts = self.lore.find(&self.book, knowledge, sought, MAX_FINDS);
        let facts = facts.iter().map(|fact| {
            let (label, what) = (&fact.title, &fact.text);
            text!(rpg_seat_other_what, label, what).in_language(self.file.0.language)
        });
        let lens = Lens::of(&self.words);
        let remembered = witnessed.recall((context, chapters), lens, sought, MAX_FINDS);
        // The answer that searches is no find.
        let mut entries = context.entries().iter();
        let answer = entries.rfind(|entry| entry.role() == Role::Ai);
        let answer = answer.map(|entry| entry.id());
        let lately = recall_conversation(context, lens, text, MAX_FINDS + 1).into_iter();
        let lately = lately.filter(|memory| Some(memory.message) != answer);
        let past = remembered
            .into_iter()
            .chain(lately)
            .map(|memory| memory.text);
        facts.chain(past).take(MAX_FINDS).collect()
    }
}
