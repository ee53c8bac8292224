//! Putting words together, as each language does.

use std::borrow::Cow;

use crate::mind::Language;

/// The words with an upper-case first letter.
pub(crate) fn cap(words: &str) -> String {
    beginning_with(words, char::to_uppercase)
}

/// The words with a lower-case first letter.
pub fn low(words: &str) -> String {
    beginning_with(words, char::to_lowercase)
}

fn beginning_with<I: Iterator<Item = char>>(words: &str, case: impl Fn(char) -> I) -> String {
    let mut letters = words.chars();
    let mut text = String::with_capacity(words.len());
    text.extend(letters.next().into_iter().flat_map(case));
    text.push_str(letters.as_str());
    text
}

/// DeclaredNames as a list in a sentence: `A, B and C`; `甲、乙和丙`.
pub(crate) fn join<S: AsRef<str>>(language: Language, names: &[S]) -> String {
    let (comma, and) = match language {
        Language::En => (", ", " and "),
        Language::Zh => ("、", "和"),
    };
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, [])) => (*last).into(),
        Some((last, first)) => format!("{}{and}{last}", first.join(comma)),
        None => String::new(),
    }
}

/// What stands between clauses of one sentence.
pub fn semicolon(language: Language) -> &'static str {
    match language {
        Language::En => "; ",
        Language::Zh => "；",
    }
}

/// Sentences one after the other; empty ones leave no gap.
pub(crate) fn paragraph<S: AsRef<str>>(language: Language, texts: &[S]) -> String {
    let texts: Vec<&str> = texts
        .iter()
        .map(AsRef::as_ref)
        .filter(|text| !text.is_empty())
        .collect();
    texts.join(match language {
        Language::En => " ",
        Language::Zh => "",
    })
}

/// The words without the punctuation that ends them, so that they fit into a sentence.
pub fn bare(text: &str) -> &str {
    text.trim()
        .trim_end_matches(['.', '!', '?', '。', '！', '？', ';', '；', ',', '，'])
        .trim_end()
}

/// The first clause of a text, or its beginning, of at most `most` characters.
pub fn fragment(text: &str, most: usize) -> Cow<'_, str> {
    let ends = [
        '.', '!', '?', ';', '。', '！', '？', '；', '\n', '“', '”', '{', '}', '<', '>',
    ];
    let clauses = text.split(ends).map(str::trim);
    let clause = clauses
        .into_iter()
        .find(|clause| !clause.is_empty())
        .unwrap_or_default();
    match clause.char_indices().nth(most) {
        None => Cow::Borrowed(clause),
        Some((end, _)) => {
            let cut = clause.get(..end).unwrap_or_default();
            // A word is not cut in two; Chinese has no spaces to cut at.
            let cut = cut
                .rfind([' ', '，', '、'])
                .and_then(|end| cut.get(..end))
                .unwrap_or(cut);
            Cow::Owned(format!("{}…", cut.trim_end_matches([',', '，', ' '])))
        }
    }
}
