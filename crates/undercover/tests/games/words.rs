//! The word lists that come with the program.

use std::collections::BTreeSet;

use playhouse_engine::session::Game;
use playhouse_engine::world_data::{Lexicon, Word, WordPair};
use playhouse_undercover::{Match, MatchError, WordSource, check_words, shipped_words};
use serde_json::Value;

use super::table::{Language, data, rules};

const LANGUAGES: [Language; 2] = [Language::En, Language::Zh];

fn shipped(language: Language) -> Lexicon {
    shipped_words(&data(), language).unwrap()
}

/// Each word with its pair.
fn words(lexicon: &Lexicon) -> impl Iterator<Item = (&Word, &WordPair)> {
    let pairs = lexicon.pairs.iter();
    pairs.flat_map(|pair| pair.words().map(|word| (word, pair)))
}

#[test]
fn there_are_enough_pairs_and_much_to_say_of_each_word() {
    for language in LANGUAGES {
        let lexicon = shipped(language);
        assert!(
            lexicon.pairs.len() >= 100,
            "{language:?}: {}",
            lexicon.pairs.len()
        );
        check_words(&lexicon).unwrap();
        let mut seen = BTreeSet::new();
        for (word, pair) in words(&lexicon) {
            assert!(seen.insert(&word.word), "{} stands in two pairs", word.word);
            assert_eq!((pair.shared.len(), word.own.len()), (5, 5), "{}", word.word);
            assert!(!word.also.is_empty(), "{} has no translation", word.word);
            assert_eq!(lexicon.attributes(&word.word).unwrap().len(), 10);
        }
    }
}

#[test]
fn what_is_said_of_a_word_is_bounded_in_a_journal_as_in_a_file() {
    let game = Match::new(&data(), rules(Language::En, 4), WordSource::Shipped).unwrap();
    let setup = game.game_setup(1).unwrap();
    let many = vec!["a small one"; 101];
    let long = "long ".repeat(200_000);
    for (path, value) in [
        ("/pair/one/word", Value::from(long.as_str())),
        ("/pair/one/also", many.clone().into()),
        ("/pair/other/own", vec![long.as_str()].into()),
        ("/pair/shared", many.into()),
        (
            "/pair/other/word",
            setup.setup["pair"]["one"]["word"].clone(),
        ),
    ] {
        let mut altered = setup.clone();
        *altered.setup.pointer_mut(path).unwrap() = value;
        let refused = Match::from_setup(&data(), &altered).err();
        let is_refused = matches!(
            refused,
            Some(MatchError::BadWord { .. } | MatchError::EqualWords(..))
        );
        assert!(is_refused, "{path}");
    }
    assert!(Match::from_setup(&data(), &setup).is_ok());
}

#[test]
fn no_list_is_a_translation_of_the_other() {
    let [english, chinese] = LANGUAGES.map(shipped);
    let names = |word: &Word| {
        let names = word.also.iter().chain([&word.word]);
        names
            .map(|name| name.to_lowercase())
            .collect::<BTreeSet<_>>()
    };
    let same = |left: &Word, right: &Word| !names(left).is_disjoint(&names(right));
    let mut alike = Vec::new();
    for pair in &english.pairs {
        for chinese_pair in &chinese.pairs {
            let ([a, b], [c, d]) = (pair.words(), chinese_pair.words());
            if same(a, c) && same(b, d) || same(a, d) && same(b, c) {
                alike.push(format!("{} and {}", a.word, b.word));
            }
        }
    }
    assert!(alike.len() <= 3, "{alike:?}");
}

#[test]
fn what_is_a_words_own_is_not_said_of_its_neighbour() {
    for language in LANGUAGES {
        let lexicon = shipped(language);
        for (word, _) in words(&lexicon) {
            let said = lexicon.attributes(&word.word).unwrap();
            let neighbours = lexicon
                .pairs
                .iter()
                .find(|pair| pair.words().contains(&word));
            for neighbour in neighbours.unwrap().words() {
                let foreign = |text: &&String| said.contains(&text.as_str());
                let borrowed: Vec<_> = neighbour.own.iter().filter(foreign).collect();
                assert!(
                    neighbour == word || borrowed.is_empty(),
                    "{}: {borrowed:?}",
                    word.word
                );
            }
        }
    }
}

#[test]
fn no_description_contains_its_word() {
    let leaky = Lexicon::parse(
        "w.ron",
        r#"(pairs: [(shared: ["is a violin or so"], one: (word: "violin"), other: (word: "cello"))])"#,
    );
    let words = WordSource::Custom(leaky.unwrap());
    let refused = Match::new(&data(), rules(Language::En, 6), words);
    let told = refused.err().unwrap().to_string();
    let says = "the description 'is a violin or so' contains the word";
    assert!(told.contains(says), "{told}");
}
