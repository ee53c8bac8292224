//! What nobody may learn: words, reasons and beliefs of others.

use std::sync::Arc;

use playhouse_engine::engine::Stop;
use playhouse_engine::mind::Prompt;
use playhouse_undercover::{Reflect, Rules};

use super::table::{Language, NAMES, cards, game, line, number, opening, play, players, rules};

/// Whom each player votes for: the one after it.
fn next(prompt: &Prompt<'_>) -> u32 {
    number(prompt.entity) % 6 + 1
}

#[tokio::test]
async fn no_prompt_holds_a_word_or_a_reason_that_its_reader_may_not_know() {
    for reflect in [Reflect::Off, Reflect::Round, Reflect::Line] {
        let rules = Rules {
            undercover: 2,
            blank: 1,
            max_rounds: 3,
            reflect,
            ..rules(Language::En, 6)
        };
        for seed in 0..4 {
            let mut setup = opening(&game(rules.clone(), "violin", "cello"), seed);
            let cards = cards(&mut setup.world);
            let mind = Arc::new(players(next));
            let played = play(setup, mind.clone()).await;
            assert!(matches!(played.stop, Stop::Finished(_)));
            let heard = mind.heard();
            let mut own = 0;
            for (reader, prompt) in &heard {
                let word = cards.get(reader).and_then(|(_, word)| word.as_deref());
                for secret in ["violin", "cello"] {
                    let may_know = word == Some(secret);
                    own += u32::from(may_know && prompt.contains(secret));
                    assert!(may_know || !prompt.contains(secret), "{reader}: {prompt}");
                }
                for other in NAMES.iter().filter(|name| *name != reader) {
                    let reason = format!("reason of {other}");
                    assert!(!prompt.contains(&reason), "{reader}: {prompt}");
                }
            }
            assert!(own > 0, "the players know their own words");
        }
    }
}

#[tokio::test]
async fn each_hears_who_spoke_before_and_nobody_sees_a_vote_too_early() {
    let setup = opening(&game(rules(Language::En, 6), "violin", "cello"), 1);
    let mind = Arc::new(players(next));
    play(setup, mind.clone()).await;
    let heard = mind.heard();
    for (index, reader) in NAMES[..6].iter().enumerate() {
        let mut prompts = heard.iter().filter(|(name, _)| name == reader);
        let [(_, describes), (_, votes)] = [(); 2].map(|()| prompts.next().unwrap());
        for (other, name) in NAMES[..6].iter().enumerate() {
            let line = line(name, 1);
            assert_eq!(describes.contains(&line), other < index, "{describes}");
            assert!(votes.contains(&line), "{votes}");
        }
        assert!(!votes.contains(" votes for "), "{votes}");
    }
}
