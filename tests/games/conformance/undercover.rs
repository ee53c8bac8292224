//! Operations on games of who is the undercover.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse::cast::{CastList, Kind, all_of};
use playhouse::context::AgentContext;
use playhouse::engine::{Engine, Setup};
use playhouse::mind::{Language, Minds, ScriptLine, ScriptMind};
use playhouse::session::Game;
use playhouse::testing::journal;
use playhouse::undercover::{
    Match, PlayerRole, Rules, SpeakingOrder, Table, Ties, WordSource, set_up_table, with_moderator,
};
use playhouse::world_data::{DataFolder, Lexicon, WordPair};
use serde_json::{Map, Value, json};

use super::Operation;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[
    ("undercover_game", game),
    ("undercover_visibility", visibility),
];

const WORDS: [&str; 2] = ["quagmire", "zeppelin"];

/// A table of players with made-up names.
fn sit_down(players: u64, undercover: u64, seed: u64) -> Result<Setup, String> {
    let names = (1..=players).map(|number| format!("Player-{number}-"));
    let rules = Rules {
        order: SpeakingOrder::ByNumber,
        ties: Ties::NobodyOut,
        ..Rules::new(Language::En, "Table", names.collect())
    };
    let pair = WordPair::of(WORDS[0], WORDS[1]);
    let words = WordSource::Custom(Lexicon {
        pairs: vec![pair.clone()],
    });
    let data = DataFolder::at("data").map_err(|error| error.to_string())?;
    let game = Match::new(&data, rules.clone(), words).map_err(|error| error.to_string())?;
    let mut setup = game.set_up(seed).map_err(|error| error.to_string())?;
    let rules = Rules {
        undercover: undercover as usize,
        ..rules
    };
    set_up_table(&mut setup.world, &rules, &pair).map_err(|error| error.to_string())?;
    Ok(setup)
}

fn stage(world: &World) -> Entity {
    all_of(world, Kind::Stage)[0]
}

fn state(world: &World) -> &Table {
    world.get::<Table>(stage(world)).unwrap()
}

/// What a case calls each player: civilians from `a`, those undercover from `k`, by rising number.
fn labels(world: &mut World) -> BTreeMap<String, u64> {
    let stage = stage(world);
    let cards = with_moderator(world, |moderator| moderator.reveal(stage)).unwrap();
    let (mut civilians, mut undercover) = ('a'..='j', 'k'..='z');
    let label = |role| match role {
        PlayerRole::Undercover => undercover.next().unwrap(),
        _ => civilians.next().unwrap(),
    };
    let roles = cards.iter().map(|card| card.role).map(label);
    let labels = roles.map(String::from);
    labels
        .zip(cards.iter().map(|card| u64::from(card.player_id.0)))
        .collect()
}

fn run(engine: &mut Engine, until: u64) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let played = runtime.unwrap().block_on(engine.run(Some(until)));
    played.map(|_| ()).map_err(|error| error.to_string())
}

/// Plays so many rounds with scripted votes and says how the table stands.
fn game(input: &Value) -> Result<Value, String> {
    let number = |name: &str| input[name].as_u64().ok_or(format!("'{name}' is a number"));
    let mut setup = sit_down(number("players")?, number("undercover")?, 7)?;
    let labels = labels(&mut setup.world);
    let ids = labels.clone();
    let votes = input["votes"]
        .as_array()
        .ok_or("'votes' is a list")?
        .clone();
    let rounds = votes.len() as u64;
    let mind = ScriptMind::by_rule(move |prompt| {
        let round = prompt.notes()["round"].as_u64().unwrap();
        let me = prompt.notes()["number"].as_u64().unwrap();
        if prompt.purpose == "undercover.describe" {
            return ScriptLine::say(described(me, round));
        }
        let (label, _) = ids.iter().find(|(_, id)| **id == me).unwrap();
        let target = votes[round as usize - 1][label].as_str();
        // Whoever votes for nobody gives no vote that counts.
        let target = target.map_or(json!(null), |target| json!(ids[target]));
        ScriptLine::say(json!({"reason": "…", "vote_number": target}).to_string())
    });
    let mut engine = Engine::new(setup, Minds::all(Arc::new(mind)), journal()).unwrap();
    run(&mut engine, 3 * rounds)?;
    let state = json!(state(&engine.world));
    let label_of = |id: &Value| {
        let found = labels
            .iter()
            .find(|(_, known)| id.as_u64() == Some(**known));
        found.map(|(label, _)| json!(label)).unwrap_or_default()
    };
    let mut eliminations = state["eliminations"].clone();
    for elimination in eliminations.as_array_mut().into_iter().flatten() {
        elimination["player_id"] = label_of(&elimination["player_id"]);
    }
    Ok(json!({
        "winner": state["winner"], "phase": state["phase"], "round": state["round"],
        "eliminations": eliminations,
    }))
}

/// A line that only this player says, and only in this round.
fn described(id: u64, round: u64) -> String {
    let (who, when) = (["one", "two", "three", "four"], ["early", "late"]);
    format!(
        "{0}{0}{0} says it {1}",
        who[id as usize - 1],
        when[round as usize - 1]
    )
}

fn reason(id: u64) -> String {
    format!("reason-of-{id}-alone")
}

/// Plays two rounds and says what stood in which prompt.
fn visibility(input: &Value) -> Result<Value, String> {
    let players = input["players"].as_u64().ok_or("'players' is a number")?;
    let mind = Arc::new(
        ScriptMind::by_rule(|prompt| {
            let round = prompt.notes()["round"].as_u64().unwrap();
            let me = prompt.notes()["number"].as_u64().unwrap();
            ScriptLine::say(match prompt.purpose {
                "undercover.describe" => described(me, round),
                _ => {
                    let target = if me == 4 { 1 } else { 4 };
                    let target = if round == 1 { target } else { 1 + me % 3 };
                    json!({"reason": reason(me), "vote_number": target}).to_string()
                }
            })
        })
        .listening(),
    );
    // Whoever is voted out in the first round must not end the game.
    let tables = (1..).map(|seed| sit_down(players, 1, seed));
    let mut tables = tables.filter_map(Result::ok);
    let civil = |setup: &mut Setup| labels(&mut setup.world)["k"] != 4;
    let mut setup = tables
        .find_map(|mut setup| civil(&mut setup).then_some(setup))
        .unwrap();
    let own: BTreeMap<u64, String> = words(&mut setup.world);
    let mut engine = Engine::new(setup, Minds::all(mind.clone()), journal()).unwrap();
    run(&mut engine, 2)?;
    let remembered = remembered(&engine.world, players);
    let votes = json!(state(&engine.world).current_votes);
    run(&mut engine, 6)?;

    let ids = || 1..=players;
    let prompts: Vec<(u64, String)> = mind
        .heard()
        .into_iter()
        .map(|(name, text)| (name.split('-').nth(1).unwrap().parse().unwrap(), text))
        .collect();
    // Each player is asked to describe, to vote, to describe, to vote.
    let nth = |id: u64, nth: usize| {
        let mut own = prompts.iter().filter(|(who, _)| *who == id);
        own.nth(nth).map(|(_, text)| text.as_str())
    };
    let holding = |nth_prompt: usize, texts: &dyn Fn(u64) -> String, with_own: bool| {
        let mut found = Map::new();
        for id in ids() {
            let Some(prompt) = nth(id, nth_prompt) else {
                continue;
            };
            let others = ids().filter(|other| with_own || *other != id);
            let held: Vec<_> = others
                .filter(|other| prompt.contains(&texts(*other)))
                .collect();
            found.insert(id.to_string(), json!(held));
        }
        Value::Object(found)
    };
    let mut words_seen = Map::new();
    let mut reasons = Map::new();
    for id in ids() {
        let text: String = prompts
            .iter()
            .filter(|(who, _)| *who == id)
            .map(|(_, text)| text.as_str())
            .collect();
        let seen = WORDS.iter().filter(|word| text.contains(**word));
        let seen = seen.map(|word| if own[&id] == *word { "own" } else { "other" });
        words_seen.insert(id.to_string(), json!(seen.collect::<Vec<_>>()));
        let others = ids().filter(|other| *other != id && text.contains(&reason(*other)));
        reasons.insert(id.to_string(), json!(others.collect::<Vec<_>>()));
    }
    let first = |id: u64| described(id, 1);
    let vote = |id: u64| format!("- {id} Player-{id}- votes for ");
    Ok(json!({
        "descriptions_in_describing_prompts_of_round_1": holding(0, &first, false),
        "words_in_prompts": words_seen,
        "votes_in_voting_prompts_of_round_1": holding(1, &vote, true),
        "reasons_of_others_in_prompts": reasons,
        "descriptions_of_round_1_in_voting_prompts_of_round_2": holding(3, &first, true),
        "votes_of_round_1_in_voting_prompts_of_round_2": holding(3, &vote, true),
        "descriptions_remembered_after_round_1": remembered,
        "votes_of_round_1": votes,
    }))
}

/// The word of each player, by number.
fn words(world: &mut World) -> BTreeMap<u64, String> {
    let stage = stage(world);
    let cards = with_moderator(world, |moderator| moderator.reveal(stage)).unwrap();
    let words = cards.into_iter();
    words
        .map(|card| (u64::from(card.player_id.0), card.word.unwrap_or_default()))
        .collect()
}

/// How many descriptions of round 1 each player holds in its memory.
fn remembered(world: &World, players: u64) -> Value {
    let list = world.resource::<CastList>();
    let count = |id: u64| {
        let player = list.by_name(&format!("Player-{id}-")).unwrap();
        let context = world.get::<AgentContext>(player).unwrap();
        let texts: Vec<_> = context
            .entries()
            .iter()
            .map(|entry| entry.body().full_text())
            .collect();
        let held = (1..=players).filter(|other| {
            let line = described(*other, 1);
            texts.iter().filter(|text| text.contains(&line)).count() == 1
        });
        held.count()
    };
    let counts = (1..=players).map(|id| (id.to_string(), json!(count(id))));
    Value::Object(counts.collect())
}
