//! Looking something up: one's own closed chapters, and the lore that is open to one.

use super::world_file::{KnownTo, WorldFile};
use crate::context::Chapters;

/// The most finds that one search tells.
const MOST: usize = 3;

/// What an actor finds for a question, best first: lore by its keys and title, then own chapters.
pub fn search(world: &WorldFile, name: &str, chapters: &Chapters, question: &str) -> Vec<String> {
    let question = question.to_lowercase();
    let open = world.lore.iter().filter(|lore| match &lore.known_to {
        KnownTo::Everyone => true,
        KnownTo::Only(names) => names.iter().any(|other| other == name),
    });
    let asked_for = |word: &str| !word.is_empty() && question.contains(&word.to_lowercase());
    let lore = open
        .filter(|lore| asked_for(&lore.title) || lore.keys.iter().any(|key| asked_for(key)))
        .map(|lore| format!("{}: {}", lore.title, lore.text));
    let words: Vec<_> = question
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 3 || !word.is_ascii() && word.chars().count() > 1)
        .collect();
    let remembered = chapters.all().iter().rev().filter(|chapter| {
        let text = chapter.summary.full_text().to_lowercase();
        words.iter().any(|word| text.contains(word)) || asked_for(&chapter.title)
    });
    let remembered = remembered.map(|chapter| chapter.summary.full_text().into_owned());
    lore.chain(remembered).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpg::world_file::Lore;

    #[test]
    fn lore_is_found_by_key_and_only_by_those_who_may() {
        let lore = |title: &str, known_to| Lore {
            title: title.into(),
            keys: vec!["bell".into()],
            text: "It rings.".into(),
            known_to,
        };
        let world = WorldFile {
            lore: vec![
                lore("The Bell", KnownTo::Everyone),
                lore("The Crack", KnownTo::Only(vec!["Ann".into()])),
            ],
            ..WorldFile::default()
        };
        let found = |name| search(&world, name, &Chapters::default(), "Who cast the BELL?");
        assert_eq!(found("Ann").len(), 2);
        assert_eq!(found("Bob"), ["The Bell: It rings."]);
        assert!(search(&world, "Ann", &Chapters::default(), "the weather").is_empty());
    }
}
