//! A notation for scenes of unit tests: who does what in a small world, and what follows.
//!
//! ```text
//! == a letter is given
//! with limits: (together: true)
//! Ann: give letter to Bob; say "Take it." to Bob
//! => speak to Bob, Hall
//! => Holds("Bob", "letter")
//! ! Kill("Bob")
//! => Ann hears "Bob is dead"
//! ```
//!
//! Files `*.scenes` contain such scenes, each under its title; [`play_all`] judges each on its own.
//! The world is [`WORLD`]: Ann (a hero) and Bob are in the Hall, where the scene plays, with a
//! letter that Ann has, a cup, and a hidden coin; Eve is in the Yard, the Clerk nowhere. A fight is
//! in the Den, of Ann and Bob against the Owl, which may be met again, and the Rat, who act in this
//! order.
//!
//! A line is one of these; what is indented belongs to the line before it.
//!
//! | line | meaning |
//! | --- | --- |
//! | `with items: [(…)]` | the world has these parts instead; only in the beginning |
//! | `begin Plan` | the place is in this phase, and steps |
//! | `occasion camp` | it is this part of a day or of a journey |
//! | `fight` | a fight begins in the Den |
//! | `Ann: hide cup; wait` | Ann does this ([`ACTS`]), asked or not, and everybody learns of it |
//! | `Ann: play Cut on Rat; say "Ha!"` | the same in a fight; also `hold`, `flee`, `yield` |
//! | `Hall: {"holds": true}` | it answers this JSON; if that can't be used, its fallback |
//! | `Hall: Dust falls.` | it answers this prose. A place goes on when all there have answered |
//! | `! Give("cup", "Bob")` | this effect of a world file happens here, at a meeting |
//! | `meeting` | a turn is over: what was put off to the next meeting happens |
//! | `campaign` | the campaign goes on, at a meeting |
//! | `campaign after 1: night(stay: (day: 1, days: 1))` | it is in this phase after so many steps |
//! | `=> Not(Holds("Bob", "cup"))` | this condition of a world file holds now |
//! | `=> speak to Bob, Hall` | the last line led to such an event for these and nobody else |
//! | `=> speak says /message "Ha!"` | this is in the data of the first such event |
//! | `=> no speak` | it led to no such event for anybody |
//! | `=> Ann is told mind, refusal` | the events of the last line that reached Ann are these |
//! | `=> Ann hears "a word"` | it is in what Ann remembers; also `hears once`, `does not hear` |
//! | `=> Ann is shown /exits ["Yard"]` | this is in what Ann is asked; of objects, ids or names |
//! | `=> Rat has 13 hp` | as it says |
//! | `=> wounded Ann` | these are wounded, and no other actor |
//! | `=> asked Ann, Bob` | these are asked for something now, and nobody else |
//! | `=> phase Plan` | so it is at the place of the scene |
//! | `# words` | a remark |

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use playhouse_engine::cast::{CastList, CurrentStage, Kind, WorldTurn, all_of, name_of};
use playhouse_engine::context::AgentContext;
use playhouse_engine::engine::Setup;
use playhouse_engine::event::{
    AnsweredBy, DeferredCommands, EventRecord, Record, Records, deliver,
};
use playhouse_engine::exchange::{Answer, Ask, Prose, Reply};
use playhouse_engine::message::Body;
use playhouse_engine::world_data::DataFolder;
use ron::extensions::Extensions;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::actions::Plan;
use super::attempt::ruling::Ruling;
use super::campaign::Campaign;
use super::campaign_phase::{CampaignPhase, CampaignState, FightPlace};
use super::campaign_state::advance_campaign;
use super::combat::CombatChoice;
use super::combat::draw::HandWords;
use super::combat::resolve::weigh_resolve;
use super::components::{CurrentFight, Health, RpgWorld, Wounded, insert_data};
use super::drama::{Condition, Effect, Occasion};
use super::happening::Happening;
use super::home::plans::take_plans;
use super::home::uses::open_uses;
use super::journey::continue_journey;
use super::phase::Phase;
use super::scenes::choose::SceneDecision;
use super::scenes::effects::{Cause, apply_effects};
use super::scenes::judge::Verdict;
use super::world_file::WorldFile;

/// The world of all scenes. Only Ann knows the key and the map, and nobody the rum.
const WORLD: &str = r#"World(
    agents: [(name: "Clerk")],
    stages: [
        (name: "Hall", connects: ["Yard"]),
        (name: "Yard", connects: ["Hall"]),
        (name: "Den", kind: Dungeon),
    ],
    actors: [
        (name: "Ann", stage: "Hall", look: "Tall.", skills: ["Cut", "Balm", "Ward"],
         stats: (hp: 20, attack: 3, defense: 2, speed: 9, energy: 2)),
        (name: "Bob", stage: "Hall", look: "Short.", skills: ["Cut", "Balm"], faction: Neutral, sleeps: "Hall",
         stats: (hp: 20, attack: 3, defense: 2, speed: 7, energy: 2)),
        (name: "Eve", stage: "Yard", look: "Old.", skills: ["Cut"], faction: Neutral, sleeps: "Yard",
         stats: (hp: 20, attack: 3, defense: 2, speed: 1, energy: 2)),
    ],
    foes: [
        (name: "Owl", returns: true, skills: ["Cut", "Balm"],
         stats: (hp: 20, attack: 3, defense: 2, speed: 5, energy: 2)),
        (name: "Rat", skills: ["Cut", "Balm"],
         stats: (hp: 20, attack: 3, defense: 2, speed: 3, energy: 2)),
    ],
    skills: [
        (name: "Cut", power: 5, cost: 1, about: "Cut it is."),
        (name: "Ward", kind: Guard, power: 5, cost: 1, duration: 2, about: "Ward it is."),
        (name: "Balm", kind: Heal, power: 5, cost: 1, about: "Balm it is."),
    ],
    facts: [
        (id: "key", title: "About the key", text: "The key is under the stair.",
         known_by: Only(["Ann"]), phrases: ["key is under"], keys: ["key"]),
        (id: "map", title: "About the map", text: "The map is burnt.", known_by: Only(["Ann"])),
        (id: "rum", title: "About the rum", text: "The rum is watered.", keys: ["rum"]),
    ],
    items: [
        (name: "letter", look: "small", at: "Ann", teaches: ["rum"]),
        (name: "coin", look: "small", at: "Hall", hidden: true, teaches: ["rum"]),
        (name: "cup", look: "small", at: "Hall", teaches: ["rum"]),
    ],
    dungeons: [(name: "Cellar", fights: [(stage: "Den", foes: ["Owl", "Rat"], gain: "A brass key.")])],
    fights: (reflect: false, summary: record),
)"#;

/// What can be done in a turn of talk: the verb, the action and its first member, then further
/// members behind the words that begin them.
const ACTS: &str = "
    say speak text | to target | telling tells
    whisper whisper text | to target | telling tells
    announce announce text | telling tells
    take take item
    give give item | to to
    show show item | to to
    read read item
    use use item | with with
    hide hide item
    destroy destroy item
    follow follow who
    promise promise words | to to | item item | place place
    keep keep - | by by | number promise
    feel feels change | about about
    try attempt what | for aim
    search query text
    go move - | to to
    wait wait reason
";

static ENGLISH: LazyLock<Campaign> = LazyLock::new(|| {
    Campaign::load(&DataFolder::embedded(), "drowned-assize").expect("the shipped world is right")
});

/// A value as world files write it.
pub(crate) fn ron<T: DeserializeOwned>(text: &str) -> T {
    let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
    let value = options.from_str(text);
    value.unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// What somebody notes, as a save has it.
pub(crate) fn happening(note: Value) -> Happening {
    serde_json::from_value(note).expect("is a note")
}

/// [`WORLD`] with these parts instead of its own.
pub(crate) fn world_file(parts: &str) -> WorldFile {
    let (mut file, own): (WorldFile, WorldFile) = (ron(WORLD), ron(&format!("World({parts})")));
    let usual = WorldFile::default();
    macro_rules! take {
        ($($part:ident),*) => { $(if own.$part != usual.$part { file.$part = own.$part; })* };
    }
    take!(
        agents, stages, actors, foes, skills, facts, items, qualities, bonds, scenes, endings,
        dungeons, schedule, rounds, limits
    );
    if parts.contains("fights: (") {
        file.fights = own.fights;
    }
    file
}

/// The world with these parts, in the Hall.
pub(crate) fn scene(parts: &str) -> TestScene {
    scene_with(world_file(parts), 1)
}

/// A world in its Hall, by this seed.
pub(crate) fn scene_with(file: WorldFile, seed: u64) -> TestScene {
    let mut campaign = ENGLISH.clone();
    campaign.file = Arc::new(file);
    let setup = campaign.new_game(seed).expect("is spawned");
    let place = setup.world.resource::<CastList>().by_name("Hall");
    let mut scene = TestScene {
        setup,
        place: place.expect("there is a hall"),
        events: Vec::new(),
    };
    scene.at_meeting(open_uses);
    scene
}

/// Plays every scene of a file, and names those that fail.
pub(crate) fn play_all(scenes: &str) {
    let mut failed = Vec::new();
    for told in scenes.split("== ").skip(1) {
        let (title, script) = told.split_once('\n').expect("has a title");
        let (with, script) = parts_of(script);
        let played = std::panic::catch_unwind(|| _ = scene(&with).play(&script));
        failed.extend(played.err().map(|_| title));
    }
    assert!(failed.is_empty(), "these scenes fail: {failed:#?}");
}

/// The parts of the world of a scene, and its other lines.
fn parts_of(script: &str) -> (String, String) {
    let joined = script.replace("\n ", " ");
    let (with, rest): (Vec<_>, Vec<_>) = joined.lines().partition(|line| line.starts_with("with "));
    let with = with.iter().filter_map(|line| line.strip_prefix("with "));
    (with.collect::<Vec<_>>().join(", "), rest.join("\n"))
}

pub(crate) struct TestScene {
    pub(crate) setup: Setup,
    /// Where it plays.
    pub(crate) place: Entity,
    /// What the last line led to.
    pub(crate) events: Vec<EventRecord>,
}

impl TestScene {
    pub(crate) fn world(&mut self) -> &mut World {
        &mut self.setup.world
    }

    pub(crate) fn find(&self, name: &str) -> Entity {
        let found = self.setup.world.resource::<CastList>().by_name(name);
        found.unwrap_or_else(|| panic!("nobody is called {name}"))
    }

    pub(crate) fn get<C: Component>(&self, name: &str) -> &C {
        let found = self.setup.world.get(self.find(name));
        found.unwrap_or_else(|| panic!("{name} has none"))
    }

    pub(crate) fn has<C: Component>(&self, name: &str) -> bool {
        self.setup.world.get::<C>(self.find(name)).is_some()
    }

    pub(crate) fn insert(&mut self, name: &str, parts: impl Bundle) {
        let entity = self.find(name);
        self.world().entity_mut(entity).insert(parts);
    }

    /// What somebody is asked for.
    pub(crate) fn ask<R: Reply>(&self, name: &str) -> &Ask<R> {
        self.get(name)
    }

    /// An event of the last line.
    pub(crate) fn event(&self, kind: &str) -> &EventRecord {
        let found = self.events.iter().find(|event| event.kind == kind);
        found.unwrap_or_else(|| panic!("no {kind} in {:?}", self.kinds()))
    }

    /// All that somebody remembers.
    pub(crate) fn heard(&self, name: &str) -> String {
        let entries = self.get::<AgentContext>(name).entries().iter();
        let texts = entries.map(|entry| entry.body().full_text().into_owned());
        texts.collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn change(&mut self, change: impl FnOnce(&mut WorldFile)) {
        let mut file = (*self.world().resource::<RpgWorld>().0).clone();
        change(&mut file);
        insert_data(self.world(), &file.into());
    }

    /// The place of the scene is in this phase, and steps.
    pub(crate) fn begin(&mut self, phase: Phase) {
        self.events.clear();
        let place = self.place;
        self.world().entity_mut(place).insert(phase);
        self.step();
        self.gather();
    }

    /// Something is done to the world at a meeting, and everybody learns of it.
    pub(crate) fn at_meeting<T>(&mut self, does: impl FnOnce(&mut World) -> T) -> T {
        self.world().insert_resource(CurrentStage::Meeting);
        let done = does(self.world());
        self.world().run_system_once(deliver).expect("runs");
        let place = self.place;
        self.world().insert_resource(CurrentStage::Place(place));
        self.gather();
        done
    }

    /// Effects of a world file happen.
    pub(crate) fn apply(&mut self, cause: Cause<'_>, effects: &str) {
        self.events.clear();
        let effects: Vec<Effect> = ron(effects);
        self.at_meeting(|world| apply_effects(world, cause, &effects));
    }

    /// A fight begins in the Den.
    pub(crate) fn fight(&mut self) {
        self.place = self.find("Den");
        self.play(r#"! Move("Ann", "Den"), Move("Bob", "Den"), Join("Bob")"#);
        let is_again = self.has::<CurrentFight>("Den");
        let at = FightPlace {
            dungeon: "Cellar".into(),
            fight: 0,
        };
        self.at_meeting(|world| {
            if is_again {
                continue_journey(world, CampaignPhase::Fight { at: at.clone() });
            }
            continue_journey(world, CampaignPhase::Travel { at: at.clone() });
            continue_journey(world, CampaignPhase::Arrival { at });
        });
        self.begin(Phase::FightBegin);
    }

    /// Plays lines.
    pub(crate) fn play(&mut self, script: &str) -> &mut Self {
        for (number, line) in (1..).zip(script.lines().map(str::trim)) {
            if let Err(why) = self.line(line) {
                panic!("line {number}: {line}\n{why}");
            }
        }
        self
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if let Some(expected) = line.strip_prefix("=> ") {
            return self.check(expected);
        }
        self.events.clear();
        if line == "meeting" {
            self.at_meeting(|world| {
                world.resource_mut::<WorldTurn>().0 += 1;
                for deferred in world.resource_mut::<DeferredCommands>().take() {
                    deferred(world);
                }
                open_uses(world);
            });
        } else if let Some(occasion) = line.strip_prefix("occasion ") {
            let occasion: Occasion = ron(occasion);
            self.world().insert_resource(occasion);
        } else if line == "fight" {
            self.fight();
        } else if let Some(phase) = line.strip_prefix("begin ") {
            self.begin(ron(&snake_case(phase)));
        } else if let Some(state) = line.strip_prefix("campaign") {
            if let Some((steps, phase)) = state.split_once(": ") {
                let steps = steps.trim_start_matches(" after ").parse();
                self.world().insert_resource(CampaignState {
                    phase: ron(phase),
                    steps_done: steps.map_err(|_| "names no number of steps")?,
                    ..CampaignState::default()
                });
            }
            self.at_meeting(advance_campaign);
        } else if let Some(effect) = line.strip_prefix("! ") {
            self.apply(Cause::at(self.place), &format!("[{effect}]"));
        } else {
            let (who, does) = line.split_once(": ").ok_or("is no line")?;
            self.act(who, does)?;
        }
        self.gather();
        Ok(())
    }

    fn act(&mut self, who: &str, does: &str) -> Result<(), String> {
        let is_asked = if does.starts_with('{') {
            self.answer_json(who, does)
        } else if self.has::<Ask<Prose>>(who) {
            self.answer(who, Prose(does.to_owned()), does);
            true
        } else if self.has::<CurrentFight>(&name_of(&self.setup.world, self.place)) {
            let words = choice(does)?.to_string();
            let choice = serde_json::from_str::<CombatChoice>(&words);
            self.answer(who, choice.map_err(|error| error.to_string())?, &words);
            true
        } else {
            false
        };
        if is_asked {
            if self.asked().is_empty() {
                self.step();
            }
            return Ok(());
        }
        let plan = match does.strip_prefix('{') {
            Some(_) => self
                .ask::<Plan>(who)
                .read(does)
                .map_err(|broken| format!("{broken:?}"))?,
            None => serde_json::from_value(plan(does)?).map_err(|error| error.to_string())?,
        };
        for actor in all_of(self.world(), Kind::Actor) {
            self.world().entity_mut(actor).remove::<Ask<Plan>>();
        }
        self.answer(who, plan, does);
        self.world().run_system_once(take_plans).expect("runs");
        self.world().run_system_once(deliver).expect("runs");
        Ok(())
    }

    /// Somebody answers, and remembers what it was asked.
    fn answer<R: Reply>(&mut self, who: &str, reply: R, words: &str) {
        let who = self.find(who);
        let mut who = self.world().entity_mut(who);
        if let Some(ask) = who.take::<Ask<R>>()
            && let Some(mut context) = who.get_mut::<AgentContext>()
        {
            context.add_human_message(Body::text(ask.prompt()), ask.tags().clone());
            let answered = context.add_ai_message([Body::text(words)]);
            answered.expect("is one message");
        }
        who.insert(Answer::new(reply, AnsweredBy::Mind));
    }

    /// Whether somebody is asked for something, and answers this.
    fn answer_json(&mut self, who: &str, answer: &str) -> bool {
        fn read<R: Reply>(scene: &mut TestScene, who: &str, answer: &str) -> bool {
            let ask = scene.setup.world.get::<Ask<R>>(scene.find(who));
            let reply = ask.map(|ask| {
                ask.read(answer).unwrap_or_else(|broken| {
                    eprintln!("{who} can't answer {answer}: {broken:?}");
                    ask.fallback()
                })
            });
            reply
                .map(|reply| scene.answer(who, reply, answer))
                .is_some()
        }
        read::<Ruling>(self, who, answer)
            || read::<Verdict>(self, who, answer)
            || read::<SceneDecision>(self, who, answer)
            || read::<CombatChoice>(self, who, answer)
            || read::<HandWords>(self, who, answer)
    }

    /// The data of what somebody is asked.
    fn noted(&self, who: &str) -> Value {
        fn of<R: Reply>(who: EntityRef<'_>) -> Option<Value> {
            who.get::<Ask<R>>().map(|ask| ask.noted().clone())
        }
        let asked = self.setup.world.entity(self.find(who));
        let noted = of::<Plan>(asked)
            .or_else(|| of::<CombatChoice>(asked))
            .or_else(|| of::<Prose>(asked))
            .or_else(|| of::<Verdict>(asked))
            .or_else(|| of::<SceneDecision>(asked))
            .or_else(|| of::<Ruling>(asked));
        noted.unwrap_or_else(|| panic!("{who} is not asked"))
    }

    /// Who is asked for something, by name.
    pub(crate) fn asked(&mut self) -> Vec<String> {
        let mut cast = [Kind::Actor, Kind::Stage, Kind::WorldAgent]
            .map(|kind| all_of(self.world(), kind))
            .concat();
        fn is<R: Reply>(who: EntityRef<'_>) -> bool {
            let ask = who.get::<Ask<R>>();
            let broken = ask.map(|ask| ask.fallback().check(ask.constraints()));
            assert_eq!(
                broken.clone().unwrap_or_default(),
                [],
                "a fallback is legal"
            );
            broken.is_some()
        }
        cast.retain(|who| {
            let who = self.setup.world.entity(*who);
            [
                is::<Prose>(who),
                is::<Plan>(who),
                is::<CombatChoice>(who),
                is::<HandWords>(who),
                is::<Ruling>(who),
                is::<Verdict>(who),
                is::<SceneDecision>(who),
            ]
            .contains(&true)
        });
        let names = cast.iter().map(|who| name_of(&self.setup.world, *who));
        names.collect()
    }

    /// The place steps; where a foe may be moved, that is weighed at once.
    fn step(&mut self) {
        self.setup.step.run(&mut self.setup.world);
        if self.phase() == Phase::Weigh {
            self.at_meeting(weigh_resolve);
            self.step();
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        *self.setup.world.get(self.place).expect("has a phase")
    }

    /// Takes the events that were delivered.
    fn gather(&mut self) {
        let records = std::mem::take(&mut self.world().resource_mut::<Records>().0);
        self.events
            .extend(records.into_iter().filter_map(|record| match record {
                Record::Event(event) => Some(event),
                _ => None,
            }));
    }

    fn kinds(&self) -> Vec<&str> {
        self.events.iter().map(|event| &*event.kind).collect()
    }

    /// The events of the last line with those who got them.
    pub(crate) fn told(&self) -> Vec<(&str, Vec<&str>)> {
        let told = self.events.iter().map(|event| {
            let audience = event.audience.iter().map(|who| &*who.name);
            (&*event.kind, sorted(audience))
        });
        told.collect()
    }

    fn check(&mut self, expected: &str) -> Result<(), String> {
        let is = |found: &dyn std::fmt::Debug, holds: bool| match holds {
            true => Ok(()),
            false => Err(format!("but it is {found:?}")),
        };
        if let Some(names) = expected.strip_prefix("asked ") {
            let asked = self.asked();
            return is(
                &asked,
                sorted(asked.iter().map(String::as_str)) == list(names),
            );
        }
        if let Some(phase) = expected.strip_prefix("phase ") {
            return is(&self.phase(), format!("{:?}", self.phase()) == phase);
        }
        if let Some(kind) = expected.strip_prefix("no ") {
            let mut told = self.told();
            told.retain(|(told, audience)| *told == kind && !audience.is_empty());
            return is(&told, told.is_empty());
        }
        let of = |data: &Value, expected: &str| {
            let (pointer, value) = expected.split_once(' ').ok_or("expects no value")?;
            let found = data.pointer(pointer).map(brief).unwrap_or_default();
            let value = serde_json::from_str::<Value>(value).map_err(|error| error.to_string())?;
            is(&found, found == value)
        };
        if let Some((who, shown)) = expected.split_once(" is shown ") {
            return of(&self.noted(who), shown);
        }
        if let Some(names) = expected.strip_prefix("wounded ") {
            let mut wounded = vec!["Ann", "Bob", "Eve"];
            wounded.retain(|who| self.has::<Wounded>(who));
            return is(&wounded, wounded == list(names));
        }
        if let Some((who, words)) = expected.split_once(" hears once ") {
            let heard = self.heard(who);
            return is(&heard, heard.matches(quoted(words)?).count() == 1);
        }
        if let Some((who, words)) = expected.split_once(" hears ") {
            let heard = self.heard(who);
            return is(&heard, heard.contains(quoted(words)?));
        }
        if let Some((who, words)) = expected.split_once(" does not hear ") {
            let heard = self.heard(who);
            return is(&heard, !heard.contains(quoted(words)?));
        }
        if let Some((kind, said)) = expected.split_once(" says ") {
            return of(&self.event(kind).data, said);
        }
        if let Some((who, kinds)) = expected.split_once(" is told ") {
            let told = self.told();
            let mut reached = told.clone();
            reached.retain(|(_, audience)| audience.contains(&who));
            let reached = sorted(reached.into_iter().map(|(kind, _)| kind));
            return is(&told, reached == list(kinds));
        }
        if let Some((who, hp)) = expected.split_once(" has ") {
            let found = self.get::<Health>(who).hp;
            return is(&found, format!("{found} hp") == hp);
        }
        if expected.starts_with(char::is_uppercase) {
            let condition: Condition = ron(expected);
            return is(&self.told(), condition.holds(&self.setup.world, &""));
        }
        let (kind, names) = expected.split_once(" to ").ok_or("expects nothing")?;
        let told = self.told();
        is(&told, told.contains(&(kind, list(names))))
    }
}

/// A value, with the ids or names of objects in a list instead of these.
fn brief(value: &Value) -> Value {
    let name = |object: &Value| {
        let name = object.get("id").or_else(|| object.get("name"));
        name.unwrap_or(object).clone()
    };
    match value {
        Value::Array(values) => values.iter().map(name).collect(),
        value => value.clone(),
    }
}

fn sorted<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_unstable();
    names
}

fn list(names: &str) -> Vec<&str> {
    let names = names
        .split(", ")
        .filter(|name| !["nobody", "nothing"].contains(name));
    sorted(names)
}

fn quoted(words: &str) -> Result<&str, String> {
    let words = words
        .strip_prefix('"')
        .and_then(|words| words.strip_suffix('"'));
    words.ok_or_else(|| "what is heard is quoted".to_owned())
}

fn snake_case(name: &str) -> String {
    let chars = name.char_indices().flat_map(|(at, char)| {
        let mark = (at > 0 && char.is_uppercase()).then_some('_');
        mark.into_iter().chain(char.to_lowercase())
    });
    chars.collect()
}

/// The words of a text; what is quoted is one, and begins with a quotation mark.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (number, part) in text.split('"').enumerate() {
        if number % 2 == 1 {
            words.push(part);
        } else {
            words.extend(part.split_whitespace());
        }
    }
    words
}

/// The acts of a turn, between semicolons that are not quoted.
fn acts(text: &str) -> Vec<String> {
    let mut acts = vec![String::new()];
    let mut is_quoted = false;
    for char in text.chars() {
        is_quoted ^= char == '"';
        match acts.last_mut() {
            Some(act) if char != ';' || is_quoted => act.push(char),
            _ => acts.push(String::new()),
        }
    }
    acts
}

/// A turn of talk as JSON.
fn plan(text: &str) -> Result<Value, String> {
    let mut plan = json!({"mind": "m"});
    for act in acts(text) {
        let words = words(&act);
        let (verb, rest) = words.split_first().ok_or("does nothing")?;
        let mut known = ACTS.lines().map(|act| act.trim().split(' '));
        let known = known.find(|act| act.clone().next() == Some(verb));
        let known: Vec<_> = known.ok_or(format!("{verb} is no act"))?.skip(1).collect();
        let (action, members) = known.split_first().ok_or("is no act")?;
        plan[*action] = filled(members, rest);
        if let Some(tells) = plan[*action]
            .as_object_mut()
            .and_then(|act| act.remove("tells"))
        {
            plan["tells"] = tells;
        }
    }
    Ok(plan)
}

/// The members of an act with these words.
fn filled(members: &[&str], words: &[&str]) -> Value {
    let others = members.chunk_by(|_, next| *next != "|").skip(1);
    let others: BTreeMap<_, _> = others.map(|other| (other[1], other[2])).collect();
    let mut filled = BTreeMap::<&str, Vec<&str>>::new();
    let mut member = members[0];
    for word in words {
        match others.get(word) {
            Some(next) => member = next,
            None => filled.entry(member).or_default().push(word),
        }
    }
    let values = filled.into_iter().map(|(member, words)| {
        let text = words.join(" ");
        let value = match member {
            "tells" => json!(text.split(", ").collect::<Vec<_>>()),
            "promise" | "change" => json!(text.parse::<i64>().expect("is a number")),
            _ => json!(text),
        };
        (member.to_owned(), value)
    });
    Value::Object(Map::from_iter(values))
}

/// A turn in a fight as JSON.
fn choice(text: &str) -> Result<Value, String> {
    let mut choice = json!({"seen": "A step back.", "cards": []});
    for act in acts(text) {
        match words(&act)[..] {
            ["play", skill, "on", ref targets @ ..] => {
                let targets: Vec<_> = targets.iter().map(|name| name.trim_matches(',')).collect();
                let card = json!({"skill": skill, "name": format!("My {skill}"),
                    "description": "There it goes.", "targets": targets});
                choice["action"] = json!("play");
                choice["cards"]
                    .as_array_mut()
                    .expect("is a list")
                    .push(card);
            }
            ["say", words] => choice["say"] = json!(words),
            ["say", words, "telling", fact] => {
                choice["say"] = json!(words);
                choice["tells"] = json!([fact]);
            }
            [action] => choice["action"] = json!(action),
            _ => return Err(format!("{act} is no turn of a fight")),
        }
    }
    Ok(choice)
}
