//! What an entity remembers.

use std::borrow::Cow;

use playhouse_engine::memory::{
    Lens, Meaning, Memory, chapter_texts, conversation_texts, recall_all,
};

use super::state::{Being, WorldState};

impl WorldState {
    /// What an entity remembers for a question, best first, of all that it ever witnessed: by words
    /// and, with vectors, by meaning.
    pub fn recall(
        &self,
        being: &Being,
        question: (&str, Option<Meaning<'_>>),
        most: usize,
    ) -> Vec<Memory> {
        let lens = Lens {
            places: &|id| Some(self.being(id)?.name.clone()),
            ..Lens::of(&self.words.value)
        };
        let past = (&*being.context.value, &*being.chapters.value);
        recall_all(past, lens, question, most)
    }

    /// The texts of all that an entity ever witnessed, of which vectors are made.
    pub fn witnessed<'s>(&'s self, being: &'s Being) -> impl Iterator<Item = Cow<'s, str>> {
        let words = &*self.words.value;
        let chapters = being.chapters.value.all().iter();
        chapters
            .flat_map(|chapter| chapter_texts(chapter, words))
            .chain(conversation_texts(&being.context.value, words))
    }
}
