//! Tables to test at: scripted players, and everything that they were asked and told.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, Kind, all_of};
use playhouse_engine::engine::{Engine, Setup};
use playhouse_engine::mind::improviser::Improviser;
use playhouse_engine::mind::{Mind, Minds, Prompt, ScriptLine, ScriptMind};
use playhouse_engine::session::Game;
use playhouse_engine::testing::{self, Played, journal};
use playhouse_engine::world_data::{DataFolder, Lexicon, WordPair};
use playhouse_undercover::{
    Match, PlayerRole, Rules, SpeakingOrder, Table, WordSource, default_rules, with_moderator,
};

pub(crate) use playhouse_engine::mind::Language;

/// Names of players that occur nowhere else.
pub(crate) const NAMES: [&str; 8] = [
    "Ann", "Bob", "Cleo", "Dora", "Emil", "Fanny", "Gus", "Hetty",
];

pub(crate) fn data() -> DataFolder {
    DataFolder::at("../../data").unwrap()
}

/// Rules for so many players, who describe by number.
pub(crate) fn rules(language: Language, players: usize) -> Rules {
    let names = NAMES.iter().take(players).map(|name| (*name).into());
    Rules {
        order: SpeakingOrder::ByNumber,
        ..Rules::new(language, "Table", names.collect())
    }
}

/// A game of these two words.
pub(crate) fn game(rules: Rules, left: &str, right: &str) -> Match {
    let words = Lexicon {
        pairs: vec![WordPair::of(left, right)],
    };
    Match::new(&data(), rules, WordSource::Custom(words)).unwrap()
}

/// A game with names and words of the data folder.
pub(crate) fn usual(language: Language) -> Match {
    let rules = default_rules(&data(), language, 6).unwrap();
    Match::new(&data(), rules, WordSource::Shipped).unwrap()
}

/// The game about to begin.
pub(crate) fn opening(game: &Match, seed: u64) -> Setup {
    let mut setup = game.set_up(seed).unwrap();
    game.populate(&mut setup).unwrap();
    setup
}

/// The improviser, which reads its words once for all tests.
pub(crate) fn improviser() -> Improviser {
    static READ: LazyLock<Improviser> =
        LazyLock::new(|| Improviser::taught(playhouse_undercover::improviser::teach).unwrap());
    READ.clone()
}

pub(crate) fn stage(world: &World) -> Entity {
    all_of(world, Kind::Stage)[0]
}

pub(crate) fn table(world: &World) -> &Table {
    world.get::<Table>(stage(world)).unwrap()
}

pub(crate) fn named(world: &World, name: &str) -> Entity {
    world.resource::<CastList>().by_name(name).unwrap()
}

/// The roles and words of all players by name.
pub(crate) fn cards(world: &mut World) -> BTreeMap<String, (PlayerRole, Option<String>)> {
    let stage = stage(world);
    let cards = with_moderator(world, |moderator| moderator.reveal(stage)).unwrap();
    let card = cards
        .into_iter()
        .map(|card| (card.player, (card.role, card.word)));
    card.collect()
}

/// Who is undercover, by name.
pub(crate) fn undercover(world: &mut World) -> Vec<String> {
    let cards = cards(world).into_iter();
    let undercover = cards.filter(|(_, (role, _))| *role == PlayerRole::Undercover);
    undercover.map(|(name, _)| name).collect()
}

/// A vote as a mind writes it.
pub(crate) fn ballot(number: u32, reason: &str) -> String {
    format!(r#"{{"reason": "{reason}", "i_am": "unsure", "vote_number": {number}}}"#)
}

/// The number of a player of [`NAMES`].
pub(crate) fn number(name: &str) -> u32 {
    NAMES.iter().position(|known| *known == name).unwrap() as u32 + 1
}

/// A mind that describes with a line of its own each time, and votes as `vote` says: a number for
/// an entity.
pub(crate) fn players(vote: impl Fn(&Prompt<'_>) -> u32 + Send + Sync + 'static) -> ScriptMind {
    ScriptMind::by_rule(move |prompt| {
        ScriptLine::say(match prompt.purpose {
            "undercover.describe" => line(prompt.entity, round(prompt)),
            "undercover.vote" => {
                let reason = format!("reason of {} in {}", prompt.entity, round(prompt));
                ballot(vote(prompt), &reason)
            }
            "undercover.belief" => r#"{"players": [], "i_am": "unsure"}"#.to_owned(),
            _ => format!("All about {}.", NAMES.join(", ")),
        })
    })
    .listening()
}

/// The round that a question is about.
pub(crate) fn round(prompt: &Prompt<'_>) -> u64 {
    prompt.notes()["round"].as_u64().unwrap()
}

/// A line that only this player says, and only in this round.
pub(crate) fn line(name: &str, round: u64) -> String {
    let times = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
    ];
    let way = times[round as usize % 8];
    let mark = name.repeat(3);
    format!("{mark}: my {way}").replace(':', " has")
}

/// The state of the table after a game.
pub(crate) fn table_of(played: &Played) -> &Table {
    table(&played.engine.world)
}

/// Plays a game with one mind for everybody.
pub(crate) async fn play(setup: Setup, mind: Arc<dyn Mind>) -> Played {
    play_until(setup, mind, None).await
}

/// Plays a game up to a turn.
pub(crate) async fn play_until(setup: Setup, mind: Arc<dyn Mind>, until: Option<u64>) -> Played {
    let engine = Engine::new(setup, Minds::all(mind), journal()).unwrap();
    testing::play(engine, until).await.unwrap()
}
