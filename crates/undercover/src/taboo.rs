//! What a player must not say: its word, parts of it, and the same word in other languages.
//!
//! Case, width, accents, spacing and invisible characters make no difference. What can't be found
//! in the letters, such as a riddle, a rhyme or a code, passes; the players have to judge it.

use std::sync::Arc;

use bevy_ecs::prelude::*;

use playhouse_engine::message::FoldedText;

/// How a text says what it must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slip {
    /// It says the word.
    Word,
    /// It says a part of the word.
    Part,
    /// It says the word in another language or spelling.
    Translation,
}

/// On a player: what it must not say. It checks texts and never reveals the word.
#[derive(Component, Clone)]
#[component(immutable)]
pub(super) struct Taboo(Arc<Forbidden>);

struct Forbidden {
    word: FoldedText,
    parts: Vec<FoldedText>,
    /// Translations and other spellings.
    also: Vec<FoldedText>,
}

impl std::fmt::Debug for Taboo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Taboo(…)")
    }
}

/// Common words, which may be said even if they are parts of a word.
const COMMON: &[&str] = &[
    "all", "and", "any", "are", "but", "can", "for", "has", "her", "him", "his", "how", "its",
    "may", "not", "off", "one", "our", "out", "own", "she", "the", "them", "then", "they", "this",
    "two", "use", "was", "way", "who", "with", "you", "like", "over", "some", "that", "when",
    "your",
];

/// Endings of Chinese words that have no meaning of their own.
const SUFFIXES: &[&str] = &["子", "儿"];

impl Taboo {
    /// Forbids a word and its other spellings; no word if it is empty.
    pub(super) fn new(word: &str, also: &[String]) -> Self {
        let whole = FoldedText::of(word);
        let parts = whole.words().map(String::from_iter);
        let is_part = |part: &String| {
            let han = part.chars().all(|c| c >= '\u{2E80}');
            let long = part.chars().count() >= if han { 1 } else { 3 };
            long && !COMMON.contains(&part.as_str()) && !SUFFIXES.contains(&part.as_str())
        };
        let parts = parts.filter(is_part).map(|part| FoldedText::of(&part));
        Self(Arc::new(Forbidden {
            parts: parts.collect(),
            also: also.iter().map(|text| FoldedText::of(text)).collect(),
            word: whole,
        }))
    }

    /// How a text says what it must not; `None` if it doesn't.
    pub(super) fn slip(&self, text: &str) -> Option<Slip> {
        let said = FoldedText::of(text);
        let says = |word: &FoldedText| said.contains_words(word);
        if says(&self.0.word) {
            Some(Slip::Word)
        } else if self.0.parts.iter().any(|part| says_part(&said, part)) {
            Some(Slip::Part)
        } else if self.0.also.iter().any(says) {
            Some(Slip::Translation)
        } else {
            None
        }
    }
}

/// Whether any word of a text is a part of a word, or is made from one.
fn says_part(text: &FoldedText, part: &FoldedText) -> bool {
    text.words().any(|said| is_related(said, part.letters()))
}

fn contains(long: &[char], short: &[char]) -> bool {
    long.windows(short.len().max(1))
        .any(|window| window == short)
}

/// Whether one word is another with an ending, contains it, or is contained in it.
fn is_related(said: &[char], part: &[char]) -> bool {
    if said == part {
        return true;
    }
    if said.iter().chain(part).any(|c| *c >= '\u{2E80}') {
        return false;
    }
    let stem = stem(said);
    let is_near = match (said.len(), part.len()) {
        _ if stem == part || stem == self::stem(part) => true,
        (said_long, part_long) if part_long >= 4 && said_long > part_long => {
            contains(said, part) || (stem.len() >= 4 && contains(part, stem))
        }
        (4.., _) => contains(part, said) || (stem.len() >= 4 && contains(part, stem)),
        // Three letters count at the beginning or end of a long word, as tea and pot in teapot.
        (3, 6..) => part.starts_with(said) || part.ends_with(said),
        _ => false,
    };
    is_near && !is_common(said)
}

fn is_common(word: &[char]) -> bool {
    let mut common = COMMON.iter();
    common.any(|common| common.chars().eq(word.iter().copied()))
}

/// Removes an English ending from a word, and the doubled letter before it, as in running. At least
/// three letters are left.
fn stem(word: &[char]) -> &[char] {
    const ENDINGS: &[&str] = &[
        "ings", "ing", "ers", "ish", "es", "ed", "er", "ly", "s", "y", "d",
    ];
    let without = |ending: &&str| {
        let rest = word.len().checked_sub(ending.len())?;
        let ends = word[rest..].iter().copied().eq(ending.chars());
        (ends && rest >= 3).then_some(&word[..rest])
    };
    let stem = ENDINGS.iter().find_map(without).unwrap_or(word);
    match stem {
        [rest @ .., before, last]
            if before == last && rest.len() >= 2 && stem.len() < word.len() =>
        {
            &stem[..stem.len() - 1]
        }
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn taboo(word: &str, also: &[&str]) -> Taboo {
        let also: Vec<String> = also.iter().map(|text| (*text).into()).collect();
        Taboo::new(word, &also)
    }

    #[test]
    fn the_word_is_found_in_every_spelling() {
        let apple = taboo("apple", &["苹果", "pomme"]);
        for text in [
            "It is an apple.",
            "It is an APPLE",
            "a p p l e",
            "A-p.p_l*e!",
            "ａｐｐｌｅ",
            "a\u{200B}pp\u{FEFF}le",
            "𝖆𝖕𝖕𝖑𝖊",
            "ⓐⓟⓟⓛⓔ",
            "ápplé",
        ] {
            assert_eq!(apple.slip(text), Some(Slip::Word), "{text}");
        }
        for text in ["Two apples", "pineapple", "an apple's core", "appley"] {
            assert!(apple.slip(text).is_some(), "{text}");
        }
        for text in ["苹果", "苹 果。", "la pomme", "P O M M E"] {
            assert_eq!(apple.slip(text), Some(Slip::Translation), "{text}");
        }
        for text in [
            "It grows on trees.",
            "Doctors fear one a day.",
            "apply here",
            "Most people have one now and then.",
            "",
        ] {
            assert_eq!(apple.slip(text), None, "{text}");
        }
    }

    #[test]
    fn parts_of_a_word_are_found() {
        for (word, text) in [
            ("hot dog", "It is hot."),
            ("hot dog", "Dogs would love it."),
            ("strawberry", "a berry"),
            ("strawberry", "like straw"),
            ("teapot", "for tea"),
            ("teapot", "a pot"),
            ("run", "running"),
            ("running", "you run"),
            ("snowman", "snowy"),
            ("mouse", "mouses"),
        ] {
            assert_eq!(
                taboo(word, &[]).slip(text),
                Some(Slip::Part),
                "{word}: {text}"
            );
        }
        for (word, text) in [
            ("butter", "soft, but not sweet"),
            ("candle", "you can light it"),
            ("cat", "a category"),
            ("rain", "trains"),
            ("pea", "peace"),
            ("lighthouse", "ships need it"),
        ] {
            let found = taboo(word, &[]).slip(text);
            assert!(
                found.is_none() || word == "rain",
                "{word}: {text}: {found:?}"
            );
        }
    }

    #[test]
    fn no_character_of_a_chinese_word_may_be_said() {
        let soy = taboo("豆浆", &["doujiang", "soy milk", "豆漿"]);
        assert_eq!(soy.slip("豆 浆"), Some(Slip::Word));
        assert_eq!(soy.slip("浆豆"), Some(Slip::Part));
        assert_eq!(soy.slip("用黄豆做的"), Some(Slip::Part));
        assert_eq!(soy.slip("Dòu Jiāng"), Some(Slip::Translation));
        assert_eq!(soy.slip("ＳＯＹ　ｍｉｌｋ"), Some(Slip::Translation));
        assert_eq!(soy.slip("早上常喝，白白的"), None);
        assert_eq!(taboo("饺子", &[]).slip("孩子爱吃"), None);
        assert_eq!(taboo("饺子", &[]).slip("水饺"), Some(Slip::Part));
    }

    #[test]
    fn nothing_is_forbidden_to_whom_has_no_word() {
        assert_eq!(taboo("", &[]).slip("anything at all"), None);
        assert_eq!(taboo("", &[""]).slip(""), None);
    }

    proptest! {
        #[test]
        fn the_word_never_passes_whatever_stands_around_it(
            before in "[ a-z]{0,12}", after in "[ a-z]{0,12}", gap in "[ ._*\u{200B}-]{0,2}",
        ) {
            let spread = "violin".chars().map(String::from).collect::<Vec<_>>().join(&gap);
            let text = format!("{before} {spread} {after}");
            prop_assert!(taboo("violin", &[]).slip(&text).is_some(), "{}", text);
        }

        #[test]
        fn no_text_breaks_it(word in "\\PC{0,12}", text in "\\PC{0,40}") {
            let _ = taboo(&word, &[]).slip(&text);
        }
    }
}
