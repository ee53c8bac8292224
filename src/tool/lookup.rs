//! Searching one's own closed chapters.

use crate::context::{Chapter, Chapters};

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
