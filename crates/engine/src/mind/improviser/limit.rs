//! Numbers as words, and lengths that a question asks for.

use super::wording::paragraph;
use crate::mind::{Language, Prompt};

/// A limit that a question states in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Words(usize),
    Letters(usize),
    Sentences(usize),
}

/// Shortens an answer to the length that the question states.
pub fn fit_question(prompt: &Prompt<'_>, text: String) -> String {
    let question = prompt.question.full_text();
    match stated(&question) {
        None => text,
        Some(Limit::Letters(most)) => fit(prompt.language, &text, most),
        Some(Limit::Sentences(most)) => {
            let sentences: Vec<_> = split(&text).take(most.max(1)).collect();
            paragraph(prompt.language, &sentences)
        }
        Some(Limit::Words(most)) => {
            let mut left = most;
            let fits = |sentence: &&str| {
                let words = sentence.split_whitespace().count();
                let fits = words <= left;
                left = left.saturating_sub(words);
                fits
            };
            let sentences: Vec<_> = split(&text).take_while(fits).collect();
            if sentences.is_empty() {
                let words: Vec<_> = text.split_whitespace().take(most.max(1)).collect();
                words.join(" ")
            } else {
                paragraph(prompt.language, &sentences)
            }
        }
    }
}

/// The smallest length that a text asks for: `20 words`, `two sentences`, `30字`.
fn stated(question: &str) -> Option<Limit> {
    let mut limits = Vec::new();
    let digits = |text: &str| text.chars().rev().take_while(char::is_ascii_digit).count();
    for unit in ["字", "个字", "句"] {
        for (start, _) in question.match_indices(unit) {
            let before = question.get(..start).unwrap_or_default().trim_end();
            let number = before
                .get(before.len() - digits(before)..)
                .unwrap_or_default();
            if let Ok(number) = number.parse() {
                limits.push(if unit == "句" {
                    Limit::Sentences(number)
                } else {
                    Limit::Letters(number)
                });
            }
        }
    }
    let words: Vec<_> = question
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .collect();
    for pair in words.windows(2) {
        let [number, unit] = pair else { continue };
        let number = match number.to_ascii_lowercase().as_str() {
            "one" => Some(1),
            "two" => Some(2),
            "three" => Some(3),
            digits => digits.parse().ok(),
        };
        limits.extend(number.and_then(|number| match *unit {
            "word" | "words" => Some(Limit::Words(number)),
            "character" | "characters" | "letters" => Some(Limit::Letters(number)),
            "sentence" | "sentences" => Some(Limit::Sentences(number)),
            _ => None,
        }));
    }
    limits.into_iter().min_by_key(|limit| match limit {
        Limit::Words(most) => most.saturating_mul(5),
        Limit::Letters(most) => *most,
        Limit::Sentences(most) => most.saturating_mul(80),
    })
}

/// The text with as many whole sentences as fit into `most` characters; a part of the first if none
/// does.
pub(super) fn fit(language: Language, text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    let mut left = most;
    let fits = |sentence: &&str| {
        let letters = sentence.chars().count();
        let fits = letters <= left;
        left = left.saturating_sub(letters + 1);
        fits
    };
    let sentences: Vec<_> = split(text).take_while(fits).collect();
    if sentences.is_empty() {
        let cut: String = text.chars().take(most).collect();
        cut.trim_end().into()
    } else {
        paragraph(language, &sentences)
    }
}

/// The sentences of a text with the punctuation that ends them.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split_inclusive(['.', '!', '?', '。', '！', '？', '\n']);
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// A small number as a word, greater ones in digits; empty for 0.
pub(super) fn number_word(language: Language, number: u32) -> String {
    const ENGLISH: [&str; 13] = [
        "", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    const CHINESE: [&str; 11] = [
        "", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十",
    ];
    let word = |digit: u32| CHINESE.get(digit as usize).copied().unwrap_or_default();
    match (language, number) {
        (Language::En, 0..13) => ENGLISH
            .get(number as usize)
            .copied()
            .unwrap_or_default()
            .into(),
        (Language::Zh, 0..=10) => word(number).into(),
        (Language::Zh, 11..20) => format!("十{}", word(number - 10)),
        (Language::Zh, 20..100) => format!("{}十{}", word(number / 10), word(number % 10)),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_lengths_are_found() {
        assert_eq!(
            stated("Say it in at most 20 words."),
            Some(Limit::Words(20))
        );
        assert_eq!(stated("Answer in two sentences"), Some(Limit::Sentences(2)));
        assert_eq!(stated("不超过30字，第2天"), Some(Limit::Letters(30)));
        assert_eq!(stated("You have 5 coins and 3 friends."), None);
    }

    #[test]
    fn whole_sentences_are_kept_where_one_fits() {
        assert_eq!(fit(Language::En, "One here. Two there.", 12), "One here.");
        assert_eq!(fit(Language::En, "Very long first one.", 4), "Very");
        assert_eq!(fit(Language::Zh, "甲在。乙去。", 4), "甲在。");
    }

    #[test]
    fn numbers_have_words() {
        assert_eq!(number_word(Language::Zh, 21), "二十一");
        assert_eq!(number_word(Language::Zh, 13), "十三");
        assert_eq!(number_word(Language::En, 40), "40");
    }
}
