//! A game that is stopped anywhere and gone on with is the same game.

use std::path::Path;
use std::sync::Arc;

use playhouse_engine::engine::Stop;
use playhouse_engine::event::{Feed, Record};
use playhouse_engine::journal::Line;
use playhouse_engine::mind::Minds;
use playhouse_engine::save::Slot;
use playhouse_engine::session::Session;
use playhouse_engine::world_data::{Lexicon, WordPair};
use playhouse_undercover::{GAME, Match, Reflect, Rules, Ties, WordSource, figures_of};

use super::table::{Language, data, improviser, rules};

/// A short game; with beliefs after each round a whole one, whose players are asked for everything
/// that can be asked. Only there a conversation grows too long and is summarized: the others have
/// room, whatever is said in them.
fn game(language: Language, reflect: Reflect) -> Match {
    let standard = rules(language, 4);
    let rules = Rules {
        reflect,
        context_tokens: match reflect {
            Reflect::Round => 600,
            Reflect::Line | Reflect::Off => standard.context_tokens,
        },
        max_rounds: match reflect {
            Reflect::Line => 1,
            Reflect::Off => 2,
            Reflect::Round => 9,
        },
        ties: Ties::NobodyOut,
        ..standard
    };
    let [left, right] = match language {
        Language::En => ["violin", "cello"],
        Language::Zh => ["豆浆", "牛奶"],
    };
    let words = Lexicon {
        pairs: vec![WordPair::of(left, right)],
    };
    Match::new(&data(), rules, WordSource::Custom(words)).unwrap()
}

fn improvisers() -> Minds {
    Minds::all(Arc::new(improviser()))
}

/// What a slot holds: its last snapshot, and every ask with the hash of its prompt and its outcome.
#[derive(PartialEq)]
struct Held {
    world: Vec<u8>,
    outcomes: Vec<String>,
}

fn held(root: &Path, name: &str) -> Held {
    let slot = Slot::find(root, name).unwrap();
    let mut outcomes: Vec<_> = slot
        .read_journal()
        .unwrap()
        .into_iter()
        .filter_map(|line| match line {
            Line::Outcome(outcome) => Some(format!(
                "{} {} {} {:?} {:?}",
                outcome.entity, outcome.number, outcome.purpose, outcome.hash, outcome.ending
            )),
            _ => None,
        })
        .collect();
    outcomes.sort();
    Held {
        world: slot.read_world().unwrap().unwrap(),
        outcomes,
    }
}

/// Starts a game and stops it after so many commits; plays it to its end where none is given.
async fn start(root: &Path, name: &str, game: &Match, stop_after: Option<usize>) -> Stop {
    let session = Session::start(root, name, game, 5, improvisers());
    let mut engine = session.unwrap().engine;
    let brake = engine.cancellation_token();
    let mut commits = 0;
    engine.add_feed(Feed::observer(move |record| {
        if let Record::Answer(_) = record {
            commits += 1;
            if Some(commits) == stop_after {
                brake.cancel();
            }
        }
    }));
    engine.run(None).await.unwrap()
}

async fn resume(root: &Path, name: &str, game: &Match) {
    let session = Session::resume(root, name, game, improvisers(), false);
    let stop = session.unwrap().engine.run(None).await.unwrap();
    assert!(matches!(stop, Stop::Finished(_)), "{stop:?}");
}

#[tokio::test]
async fn a_game_stopped_after_any_commit_goes_on_to_the_same_game() {
    for (language, reflect) in [
        (Language::En, Reflect::Line),
        (Language::Zh, Reflect::Off),
        (Language::En, Reflect::Round),
    ] {
        let game = game(language, reflect);
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let stop = start(root, "whole", &game, None).await;
        assert!(matches!(stop, Stop::Finished(_)), "{stop:?}");
        let whole = held(root, "whole");
        let asks = |purpose: &str| {
            let mut outcomes = whole.outcomes.iter();
            outcomes.any(|outcome| outcome.contains(purpose))
        };
        assert!(asks("undercover.describe") && asks("undercover.vote"));
        assert_eq!(asks("undercover.belief"), reflect != Reflect::Off);
        assert_eq!(asks("undercover.summary"), reflect == Reflect::Round);
        let mut stopped = 0;
        // Each in the first game, some in the others.
        let step = if reflect == Reflect::Line { 1 } else { 4 };
        for commits in (1..=whole.outcomes.len()).step_by(step) {
            let name = format!("after-{commits}");
            let stop = start(root, &name, &game, Some(commits)).await;
            if matches!(stop, Stop::Cancelled) {
                stopped += 1;
                resume(root, &name, &game).await;
            }
            let parts = held(root, &name);
            assert!(
                parts.outcomes == whole.outcomes,
                "{language:?}: stopped after {commits}, other prompts or answers"
            );
            assert!(
                parts.world == whole.world,
                "{language:?}: stopped after {commits}, another world"
            );
        }
        assert!(
            stopped * step * 2 > whole.outcomes.len(),
            "only {stopped} stops"
        );
    }
}

#[tokio::test]
async fn a_slot_alone_leads_back_to_its_game_and_its_figures() {
    let game = game(Language::Zh, Reflect::Off);
    let root = tempfile::tempdir().unwrap();
    start(root.path(), "slot", &game, None).await;
    let slot = Slot::find(root.path(), "slot").unwrap();
    let lines = slot.read_journal().unwrap();
    let setup = lines.iter().find_map(|line| match line {
        Line::Game(setup) => Some(setup),
        _ => None,
    });
    let again = Match::from_setup(&data(), setup.unwrap()).unwrap();
    assert_eq!(again.rules(), game.rules());
    assert_eq!(again.pair(3), game.pair(3));
    assert_eq!(slot.head().unwrap().unwrap().world, GAME);
    let figures = figures_of(&slot, &data()).await.unwrap();
    assert_eq!(figures, figures_of(&slot, &data()).await.unwrap());
    let calls: u64 = figures
        .players
        .iter()
        .map(|player| player.spent.calls)
        .sum();
    assert_eq!(calls as usize, held(root.path(), "slot").outcomes.len());
}
