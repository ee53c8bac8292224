//! Searching one's own closed chapters, and the lore that one may know.

use bevy_ecs::prelude::*;

use crate::context::{Chapter, Chapters};

/// Something that can be looked up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lore {
    /// What it is about.
    pub title: String,
    /// Words by which it is found.
    pub keys: Vec<String>,
    /// What is found.
    pub text: String,
    /// The names of those who may find it; `None` for everybody.
    pub only: Option<Vec<String>>,
}

/// All that can be looked up in a world. It is data, not state, and so not saved.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct LoreBook(pub Vec<Lore>);

impl LoreBook {
    /// What the entity of this name finds for a question: whatever the question names by title or
    /// key, and the entity may know.
    pub fn find<'a>(&'a self, name: &'a str, question: &str) -> impl Iterator<Item = &'a Lore> {
        let question = question.to_lowercase();
        let open = self.0.iter().filter(move |lore| match &lore.only {
            None => true,
            Some(names) => names.iter().any(|allowed| allowed == name),
        });
        open.filter(move |lore| {
            asks_for(&question, &lore.title) || lore.keys.iter().any(|key| asks_for(&question, key))
        })
    }
}

/// The closed chapters that contain a word of a question, or whose title it names, newest first.
pub fn recall<'a>(chapters: &'a Chapters, question: &str) -> impl Iterator<Item = &'a Chapter> {
    let question = question.to_lowercase();
    chapters.all().iter().rev().filter(move |chapter| {
        let text = chapter.summary.full_text().to_lowercase();
        words(&question).any(|word| text.contains(word)) || asks_for(&question, &chapter.title)
    })
}

fn asks_for(question: &str, subject: &str) -> bool {
    !subject.is_empty() && question.contains(&subject.to_lowercase())
}

/// The words of a question that say what it is about. Short ones are in every text.
fn words(question: &str) -> impl Iterator<Item = &str> {
    let words = question.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| {
        if word.is_ascii() {
            word.len() > 3
        } else {
            word.chars().count() > 1
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lore_is_found_by_key_and_only_by_those_who_may() {
        let lore = |title: &str, only: Option<&str>| Lore {
            title: title.into(),
            keys: vec!["bell".into()],
            text: "It rings.".into(),
            only: only.map(|name| vec![name.into()]),
        };
        let book = LoreBook(vec![lore("The Bell", None), lore("The Crack", Some("Ann"))]);
        let found = |name: &'static str, question: &str| {
            let found = book.find(name, question);
            found.map(|lore| lore.title.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            found("Ann", "Who cast the BELL?"),
            ["The Bell", "The Crack"]
        );
        assert_eq!(found("Bob", "Who cast the BELL?"), ["The Bell"]);
        assert!(found("Ann", "the weather").is_empty());
    }
}
