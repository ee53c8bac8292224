//! Words in pairs of neighbours, and what can be said of each, from vague to narrow.
//!
//! A game deals the words; a mind that has no language of its own looks up what can be said of the one
//! it holds.

use serde::{Deserialize, Serialize};

use super::folder::DataFolder;
use super::problem::{Problem, Problems};
use super::source::Source;

/// The ending of word files.
const ENDING: &str = ".ron";

/// One word of a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Word {
    /// The word itself.
    pub word: String,
    /// What can be said of it and not of its neighbour, from vague to narrow: what follows "it", as in
    /// `grows on trees`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<String>,
    /// The same word in other languages and spellings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
}

/// Two words that are neighbours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pair {
    /// What can be said of both, from vague to narrow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// One of them.
    pub one: Word,
    /// The other.
    pub other: Word,
}

impl Pair {
    /// Two words of which nothing is known.
    pub fn of(one: impl Into<String>, other: impl Into<String>) -> Self {
        let word = |word| Word {
            word,
            ..Word::default()
        };
        Self {
            shared: Vec::new(),
            one: word(one.into()),
            other: word(other.into()),
        }
    }

    /// Both words.
    pub fn words(&self) -> [&Word; 2] {
        [&self.one, &self.other]
    }

    /// What can be said of one of its words, from vague to narrow. What both share is on the whole
    /// vaguer than what is a word's own.
    fn attributes<'a>(&'a self, word: &'a Word) -> Vec<&'a str> {
        let placed = |texts: &'a [String], from: usize, to: usize| {
            let step =
                move |at: usize| from + (2 * at + 1) * (to - from) / (2 * texts.len().max(1));
            let texts = texts.iter().enumerate();
            texts.map(move |(at, text)| (step(at), text.as_str()))
        };
        let shared = placed(&self.shared, 0, 7_000);
        let mut all: Vec<_> = shared.chain(placed(&word.own, 2_500, 10_000)).collect();
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, text)| text).collect()
    }
}

/// Pairs of words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Words")]
pub struct Lexicon {
    /// The pairs.
    pub pairs: Vec<Pair>,
}

impl Lexicon {
    /// Reads the text of a word file; `file` is what messages call it.
    ///
    /// # Errors
    /// Every mistake in it, with its line and field.
    pub fn parse(file: &str, text: &str) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let source = Source::new(file, text);
        let Some(reading) = source.read_all::<Self>(&mut problems) else {
            problems.sort();
            return Err(problems);
        };
        for (at, pair) in reading.value.pairs.iter().enumerate() {
            check(at, pair, &reading.source, &mut problems);
        }
        if reading.value.pairs.is_empty() && problems.iter().next().is_none() {
            let right = "write pairs: [(one: (word: \"…\"), other: (word: \"…\"))]";
            problems.push(source.problem("pairs", "there is no pair of words", right));
        }
        problems.sort();
        let pairs = problems.unless_errors(reading.value);
        pairs.map(|(lexicon, _)| lexicon)
    }

    /// Reads every word file of a folder.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn load(data: &DataFolder, folder: &str) -> Result<Self, Problems> {
        let mut all = Self::default();
        let paths = data.files(folder).map_err(Problem::from)?;
        for path in paths.iter().filter(|path| path.ends_with(ENDING)) {
            let text = data.read_text(path).map_err(Problem::from)?;
            all.pairs
                .extend(Self::parse(&data.name_of(path), &text)?.pairs);
        }
        Ok(all)
    }

    /// What can be said of a word, from vague to narrow; nothing where the word is not here.
    pub fn attributes(&self, word: &str) -> Option<Vec<&str>> {
        let held = |pair: &&Pair| pair.words().iter().any(|held| held.word == word);
        let pair = self.pairs.iter().find(held)?;
        let [one, other] = pair.words();
        Some(pair.attributes(if one.word == word { one } else { other }))
    }
}

fn check(at: usize, pair: &Pair, source: &Source, problems: &mut Problems) {
    let mut wrong = |field: &str, wrong: String, right: &str| {
        let path = format!("pairs[{at}].{field}");
        problems.push(source.problem(&path, wrong, right));
    };
    for (name, word) in [("one", &pair.one), ("other", &pair.other)] {
        if word.word.trim().is_empty() {
            wrong(
                &format!("{name}.word"),
                "the word is missing".into(),
                "write one",
            );
        }
        let texts = word.own.iter().chain(&word.also);
        if texts.into_iter().any(|text| text.trim().is_empty()) {
            wrong(name, "a text is empty".into(), "write it or leave it out");
        }
    }
    let [one, other] = pair.words().map(|word| super::fold_name(&word.word));
    if one == other && !one.is_empty() {
        let equal = format!("both words are '{}'", pair.one.word);
        wrong("other.word", equal, "two neighbours must differ");
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
    fn attributes_go_from_vague_to_narrow_and_leave_the_neighbour_out() {
        let lexicon = Lexicon::parse("w.ron", FILE).unwrap();
        let apple = lexicon.attributes("apple").unwrap();
        assert_eq!(
            apple,
            [
                "is eaten",
                "is often red",
                "grows on trees",
                "fell on Newton"
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
    fn every_mistake_is_told_with_its_place() {
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
        w.ron:1:46: error: pairs[0].other.word: both words are 'Pear'; two neighbours must differ
        w.ron:2:9: error: pairs[0].one: a text is empty; write it or leave it out
        w.ron:2:16: error: pairs[0].one.word: the word is missing; write one
        w.ron:2:51: error: pairs[0].other.color: there is no field `color` here; here may stand: word, own, also
        w.ron:1:9: error: pairs: there is no pair of words; write pairs: [(one: (word: "…"), other: (word: "…"))]
        w.ron:1:14: error: something else belongs here; write its fields in round brackets: ( name: value, … )
        "#
        );
    }
}
