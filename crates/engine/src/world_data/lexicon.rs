//! Pairs of similar words with attributes of each, from general to specific.
//!
//! A game deals the words; a mind without a language model looks up the attributes of its own.

use serde::{Deserialize, Serialize};

use super::folder::DataFolder;
use super::problem::{Problem, Problems};
use super::source::Source;
use crate::locale::{UiText, text};
use crate::wording::fold_name;

const EXTENSION: &str = ".ron";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Word {
    pub word: String,
    /// Attributes that the other word of the pair lacks, from general to specific. Each continues a
    /// sentence that begins with "it", such as `grows on trees`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<String>,
    /// The same word in other languages and spellings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WordPair {
    /// Attributes of both, from general to specific.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    #[serde(rename = "one")]
    pub first: Word,
    #[serde(rename = "other")]
    pub second: Word,
}

impl WordPair {
    /// Two words without attributes.
    pub fn of(first: impl Into<String>, second: impl Into<String>) -> Self {
        let word = |word| Word {
            word,
            ..Word::default()
        };
        Self {
            shared: Vec::new(),
            first: word(first.into()),
            second: word(second.into()),
        }
    }

    pub fn words(&self) -> [&Word; 2] {
        [&self.first, &self.second]
    }

    /// The attributes of one of its words, from general to specific. Shared attributes are mostly
    /// more general than those of one word.
    fn attributes<'a>(&'a self, word: &'a Word) -> Vec<&'a str> {
        let placed = |texts: &'a [String], from: usize, to: usize| {
            let step =
                move |index: usize| from + (2 * index + 1) * (to - from) / (2 * texts.len().max(1));
            let texts = texts.iter().enumerate();
            texts.map(move |(index, text)| (step(index), text.as_str()))
        };
        let shared = placed(&self.shared, 0, 7_000);
        let own = placed(&word.own, 2_500, 10_000);
        let mut attributes: Vec<_> = shared.chain(own).collect();
        attributes.sort_by_key(|(place, _)| *place);
        attributes.into_iter().map(|(_, text)| text).collect()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Words")]
pub struct Lexicon {
    pub pairs: Vec<WordPair>,
}

impl Lexicon {
    /// Reads the text of a word file; `file` is its name for messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, Problems> {
        let source = Source::new(file, text);
        let (parsed, mut problems) = source.read_all::<Self>()?;
        for (index, pair) in parsed.value.pairs.iter().enumerate() {
            check(index, pair, &parsed.source, &mut problems);
        }
        if parsed.value.pairs.is_empty() && problems.is_empty() {
            let message = text!(world_data_no_word_pairs);
            problems.push(source.problem("pairs", message, text!(world_data_add_pairs)));
        }
        let lexicon = problems.unless_errors(parsed.value);
        lexicon.map(|(lexicon, _)| lexicon)
    }

    /// Reads every word file of a folder.
    pub fn load(data: &DataFolder, folder: &str) -> Result<Self, Problems> {
        let mut lexicon = Self::default();
        let paths = data.files(folder).map_err(Problem::from)?;
        for path in paths.iter().filter(|path| path.ends_with(EXTENSION)) {
            let text = data.read_text(path).map_err(Problem::from)?;
            let file = Self::parse(&data.name_of(path), &text)?;
            lexicon.pairs.extend(file.pairs);
        }
        Ok(lexicon)
    }

    /// The attributes of a word, from general to specific; `None` if the word is unknown.
    pub fn attributes(&self, word: &str) -> Option<Vec<&str>> {
        self.pairs.iter().find_map(|pair| {
            let mut words = pair.words().into_iter();
            let found = words.find(|candidate| candidate.word == word)?;
            Some(pair.attributes(found))
        })
    }
}

fn check(index: usize, pair: &WordPair, source: &Source, problems: &mut Problems) {
    let mut report = |field: &str, message: UiText, help: UiText| {
        let path = format!("pairs[{index}].{field}");
        source.report(problems, &path, message, help);
    };
    for (name, word) in [("one", &pair.first), ("other", &pair.second)] {
        if word.word.trim().is_empty() {
            let field = format!("{name}.word");
            report(
                &field,
                text!(world_data_missing_word),
                text!(world_data_write_word),
            );
        }
        let texts = word.own.iter().chain(&word.also);
        if texts.into_iter().any(|text| text.trim().is_empty()) {
            let help = text!(world_data_fill_or_remove);
            report(name, text!(world_data_empty_text), help);
        }
    }
    let [first, second] = pair.words().map(|word| fold_name(&word.word));
    if first == second && !first.is_empty() {
        let message = text!(world_data_same_words, word = &pair.first.word);
        report("other.word", message, text!(world_data_different_words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"(pairs: [
        (shared: ["is eaten", "grows on trees"],
         one: (word: "apple", own: ["is often red", "fell on Newton"], also: ["苹果"]),
         other: (word: "pear", own: ["narrows to the top"])),
    ])"#;

    #[test]
    fn attributes_go_from_general_to_specific_and_are_the_words_own() {
        let lexicon = Lexicon::parse("w.ron", FILE).unwrap();
        let apple = lexicon.attributes("apple").unwrap();
        assert_eq!(
            apple,
            [
                "is eaten", "is often red", "grows on trees", "fell on Newton"
            ]
        );
        assert!(
            !lexicon
                .attributes("pear")
                .unwrap()
                .contains(&"is often red")
        );
        assert_eq!(lexicon.attributes("plum"), None);
    }

    #[test]
    fn every_problem_has_its_position() {
        let told = |text: &str| Lexicon::parse("w.ron", text).unwrap_err().to_string();
        insta::assert_snapshot!(
            [
                told("(pairs: [(one: (word: \"Pear\"), other: (word: \"pear\"))])"),
                told("(pairs: [\n  (one: (word: \"\", own: [\"\"]), other: (word: \"b\", color: 3))])"),
                told("(pairs: [])"),
                told("(pairs: [(one:"),
            ]
            .join("\n"),
            @r#"
        w.ron:1:46: error: pairs[0].other.word: both words are 'Pear'; use two different words
        w.ron:2:9: error: pairs[0].one: empty text; fill it in or remove it
        w.ron:2:16: error: pairs[0].one.word: missing word; write a word
        w.ron:2:51: error: pairs[0].other.color: unknown field `color`; expected one of: word, own, also
        w.ron:1:9: error: pairs: no pairs of words; write pairs: [(one: (word: "…"), other: (word: "…"))]
        w.ron:1:15: error: pairs[0]: `)])` is missing here: the `(` of line 1 is not closed; add `)])`
        "#
        );
    }
}
