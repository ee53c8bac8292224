//! Who knows what and from whom, by the campaign's own systems and by a plain model of who was
//! where and heard what, over ten thousand worlds of random comings and goings: speeches, whispers
//! and announcements, items that are given, taken, shown and read, promises, choices, deaths,
//! revivals, and saves in the middle.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, CurrentStage, Dead, OnStage, WorldTurn};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::event::{
    AnsweredBy, DeferredCommands, Record, Records, deliver, write_events_at_meeting,
};
use playhouse_engine::exchange::Answer;
use playhouse_engine::knowledge::{Fact, Knowledge, KnownBy, Today};
use playhouse_engine::save::{restore, snapshot};
use playhouse_engine::session::Game;
use playhouse_engine::world_data::DataFolder;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::actions::Plan;
use super::campaign::Campaign;
use super::home::plans::take_plans;
use super::scenes::effects::{Cause, apply_effects};
use super::talk::Talk;
use super::testing::ron;
use super::world_file::WorldFile;
use crate::drama::{Belongings, Condition, Effect, Promises};

const WORLDS: u64 = 10_000;

/// Actors, of whom the first three are heroes, then stages, then a world agent.
const NAMES: [&str; 9] = [
    "Ann", "Bob", "Cid", "Dot", "Eve", "Hall", "Yard", "Loft", "Clerk",
];
const ACTORS: usize = 5;
const HEROES: usize = 3;
const STAGES: std::ops::Range<usize> = ACTORS..8;
const AGENT: usize = 8;
/// The oath is sworn, the rain common knowledge.
const FACTS: [&str; 5] = ["key", "map", "coin", "oath", "rain"];
/// What one can read in each item.
const ITEMS: [(&str, &[&str]); 3] = [
    ("letter", &["key", "rain"]),
    ("book", &["map", "oath"]),
    ("box", &["coin"]),
];

fn campaign() -> Campaign {
    let campaign = Campaign::load(&DataFolder::embedded(), "drowned-assize");
    let mut campaign = campaign.expect("the shipped world is right");
    let mut file: WorldFile = ron(WORLD);
    file.facts = FACTS.map(fact).to_vec();
    campaign.file = Arc::new(file);
    campaign
}

const WORLD: &str = r#"World(
    limits: (whisper: true),
    agents: [(name: "Clerk")],
    stages: [
        (name: "Hall", connects: ["Hall", "Yard", "Loft"]),
        (name: "Yard", connects: ["Hall", "Yard", "Loft"]),
        (name: "Loft", connects: ["Hall", "Yard", "Loft"]),
    ],
    actors: [
        (name: "Ann", stage: "Hall"), (name: "Bob", stage: "Hall"), (name: "Cid", stage: "Hall"),
        (name: "Dot", stage: "Hall", faction: Neutral),
        (name: "Eve", stage: "Hall", faction: Neutral),
    ],
    items: [
        (name: "letter", look: "small", at: "Ann", teaches: ["key", "rain"]),
        (name: "book", look: "small", at: "Ann", teaches: ["map", "oath"]),
        (name: "box", look: "small", at: "Ann", teaches: ["coin"]),
    ],
)"#;

fn fact(id: &str) -> Fact {
    Fact {
        id: id.into(),
        title: format!("About the {id}"),
        text: format!("The {id} is under the stair."),
        phrases: vec![words_of(id)],
        sworn: id == "oath",
        known_by: if id == "rain" {
            KnownBy::Everyone
        } else {
            KnownBy::default()
        },
        ..Fact::default()
    }
}

fn words_of(fact: &str) -> String {
    format!("the {fact} is under")
}

/// From whom, by which kind of event, in which turn, on which day and in which step.
type Source = (Option<usize>, &'static str, u64, u32, usize);

/// What crosses stages at the next meeting.
enum Crossing {
    Walk(usize, usize),
    Announce(usize, Vec<&'static str>),
    /// What was told before so many, of which the world agent hears if they are more than half.
    Publish(usize, Vec<&'static str>, usize),
}

/// What is true, kept by hand.
struct Truth {
    places: [usize; ACTORS],
    dead: [bool; ACTORS],
    /// Who is on its way since its last turn.
    left: [bool; ACTORS],
    /// Who has each item, or where it lies.
    held: [Option<usize>; ITEMS.len()],
    knows: [BTreeMap<&'static str, Option<Source>>; NAMES.len()],
    crossings: Vec<(usize, Crossing)>,
    turn: u64,
    day: u32,
    step: usize,
}

impl Truth {
    fn here(&self, stage: usize) -> Vec<usize> {
        let mut here = vec![stage];
        here.extend((0..ACTORS).filter(|who| self.places[*who] == stage && !self.dead[*who]));
        here
    }

    /// Who is there and has not left.
    fn aware(&self, stage: usize) -> Vec<usize> {
        let mut here = self.here(stage);
        here.retain(|who| *who >= ACTORS || !self.left[*who]);
        here
    }

    fn learn(&mut self, who: usize, fact: &'static str, from: Option<usize>, by: &'static str) {
        let source = (from, by, self.turn, self.day, self.step);
        if fact != "rain" {
            self.knows[who].entry(fact).or_insert(Some(source));
        }
    }

    /// Of these facts, those that somebody may tell.
    fn told(&self, speaker: usize, facts: &[&'static str]) -> Vec<&'static str> {
        let told = facts.iter().copied();
        let told = told.filter(|fact| *fact != "oath" && self.knows[speaker].contains_key(fact));
        told.collect()
    }

    fn tell(
        &mut self,
        speaker: usize,
        facts: &[&'static str],
        hearers: &[usize],
        by: &'static str,
    ) {
        for fact in self.told(speaker, facts) {
            for hearer in hearers {
                self.learn(*hearer, fact, Some(speaker), by);
            }
        }
    }

    /// Everything that was to happen at the meeting.
    fn meet(&mut self) {
        let mut crossings = std::mem::take(&mut self.crossings);
        crossings.sort_by_key(|(stage, _)| *stage);
        let everybody = (0..NAMES.len()).filter(|who| *who >= ACTORS || !self.dead[*who]);
        let everybody: Vec<_> = everybody.collect();
        let mut announced = Vec::new();
        for (_, crossing) in crossings {
            match crossing {
                Crossing::Walk(who, to) => self.places[who] = to,
                Crossing::Announce(who, facts) => {
                    announced.push((who, facts, "announce", everybody.clone()));
                }
                Crossing::Publish(who, facts, hearers) => {
                    let living = self.dead.iter().filter(|dead| !**dead).count();
                    if hearers * 2 > living {
                        announced.push((who, facts, "learned", vec![AGENT]));
                    }
                }
            }
        }
        for (who, facts, by, hearers) in announced {
            for fact in facts {
                for hearer in hearers.iter().filter(|hearer| **hearer != who) {
                    self.learn(*hearer, fact, Some(who), by);
                }
            }
        }
        self.left = [false; ACTORS];
    }
}

struct Village {
    campaign: Campaign,
    world: World,
    entities: [Entity; NAMES.len()],
    /// What each remembers before anything has happened.
    unaware: Vec<(AgentContext, Chapters)>,
    rng: ChaCha8Rng,
    truth: Truth,
    /// The events that told something, by id: in which step, of which kind, in which turn, to whom.
    events: BTreeMap<String, (usize, String, u64, Vec<Arc<str>>)>,
}

fn entities(world: &World) -> [Entity; NAMES.len()] {
    let list = world.resource::<CastList>();
    NAMES.map(|name| list.by_name(name).expect("is in the cast"))
}

impl Village {
    fn new(campaign: Campaign) -> Self {
        let world = campaign.new_game(1).expect("a right world").world;
        let entities = entities(&world);
        let memory = |entity: Entity| {
            let entity = world.entity(entity);
            let (context, chapters) = entity.components::<(&AgentContext, &Chapters)>();
            (context.clone(), chapters.clone())
        };
        Self {
            campaign,
            entities,
            unaware: entities.into_iter().map(memory).collect(),
            world,
            rng: ChaCha8Rng::seed_from_u64(0),
            truth: Truth {
                places: [ACTORS; ACTORS],
                dead: [false; ACTORS],
                left: [false; ACTORS],
                held: [None; ITEMS.len()],
                knows: Default::default(),
                crossings: Vec::new(),
                turn: 0,
                day: 1,
                step: 0,
            },
            events: BTreeMap::new(),
        }
    }

    /// Everybody is in the hall and knows a few things, and things lie about.
    fn begin(&mut self, seed: u64) {
        self.rng = ChaCha8Rng::seed_from_u64(seed);
        let rng = &mut self.rng;
        self.truth.places = [ACTORS; ACTORS];
        self.truth.dead = [false; ACTORS];
        self.truth.held = ITEMS.map(|_| Some(rng.random_range(0..AGENT)));
        self.truth.step = 0;
        self.events.clear();
        for who in 0..NAMES.len() {
            let known = FACTS.into_iter().filter(|fact| *fact != "rain");
            let known = known.filter(|_| who < ACTORS && rng.random_range(0..4) == 0);
            self.truth.knows[who] = known.map(|fact| (fact, None)).collect();
            let held = ITEMS.iter().zip(self.truth.held);
            let held = held.filter(|(_, holder)| *holder == Some(who));
            let held = held.map(|((item, _), _)| (*item).into());
            let knowledge = Knowledge::at_start(self.truth.knows[who].keys().copied());
            let stage = self.entities[ACTORS];
            let mut entity = self.world.entity_mut(self.entities[who]);
            entity.insert((knowledge, Belongings(held.collect())));
            entity.insert(self.unaware[who].clone());
            if who < ACTORS {
                entity.remove::<Dead>();
                entity.insert((OnStage(stage), Promises::default()));
            }
        }
    }

    fn pick(&mut self, among: impl IntoIterator<Item = usize>) -> usize {
        let among: Vec<_> = among.into_iter().collect();
        *among.choose(&mut self.rng).expect("somebody")
    }

    fn fact(&mut self) -> &'static str {
        FACTS.choose(&mut self.rng).expect("a fact")
    }

    /// Words that give a fact away or not, what they are meant to tell, and the facts of both.
    fn speech(&mut self) -> (String, Vec<&'static str>, Vec<&'static str>) {
        let (said, meant) = (self.fact(), self.fact());
        let by_words = self.rng.random_range(0..2) == 0;
        let text = if by_words {
            format!("Well, {} it.", words_of(said))
        } else {
            "Well.".into()
        };
        let tells = if self.rng.random_range(0..2) == 0 {
            vec![meant]
        } else {
            Vec::new()
        };
        let said = by_words.then_some(said);
        let facts = tells.iter().copied().chain(said).collect();
        (text, tells, facts)
    }

    /// Somebody has a turn.
    fn act(&mut self) {
        let able = |truth: &Truth| {
            let able = (0..ACTORS).filter(|who| !truth.dead[*who] && !truth.left[*who]);
            able.collect::<Vec<_>>()
        };
        let able = able(&self.truth);
        if able.is_empty() {
            return;
        }
        let me = self.pick(able);
        let stage = self.truth.places[me];
        let other = self.pick(0..ACTORS);
        let is_here = other != me && self.truth.aware(stage).contains(&other);
        let item = self.pick(0..ITEMS.len());
        let (name, thing) = (NAMES[other], ITEMS[item].0);
        let mut plan = json!({"mind": "m"});
        let hearers = |truth: &Truth| {
            let mut hearers = truth.aware(stage);
            hearers.retain(|hearer| *hearer != me);
            hearers
        };
        let (text, tells, facts) = self.speech();
        match self.rng.random_range(0..4) {
            0 => {
                plan["speak"] = json!({"target": name, "text": text});
                plan["tells"] = json!(tells);
                if is_here {
                    let told = self.truth.told(me, &facts);
                    let hearers = hearers(&self.truth);
                    self.truth.tell(me, &facts, &hearers, "speak");
                    // The stage is one of the hearers, the speaker is not.
                    let crossing = Crossing::Publish(me, told, hearers.len());
                    self.truth.crossings.push((stage, crossing));
                }
            }
            1 => {
                plan["whisper"] = json!({"target": name, "text": text});
                plan["tells"] = json!(tells);
                if is_here {
                    self.truth.tell(me, &facts, &[other], "whisper");
                }
            }
            2 => {
                plan["announce"] = json!({"text": text});
                plan["tells"] = json!(tells);
                let told = self.truth.told(me, &facts);
                let hearers = hearers(&self.truth);
                self.truth.tell(me, &facts, &hearers, "announce");
                let announced = (stage, Crossing::Announce(me, told));
                self.truth.crossings.push(announced);
            }
            _ => {}
        }
        let has = self.truth.held[item] == Some(me);
        let lies_here = self.truth.held[item] == Some(stage);
        match self.rng.random_range(0..8) {
            0 | 1 => {
                let to = self.pick(STAGES);
                plan["move"] = json!({"to": NAMES[to]});
                // There is a way from each stage to itself, which leads nowhere.
                self.truth.crossings.push((stage, Crossing::Walk(me, to)));
                self.truth.left[me] = true;
            }
            2 => {
                plan["take"] = json!({"item": thing});
                if lies_here {
                    self.truth.held[item] = Some(me);
                }
            }
            3 => {
                plan["give"] = json!({"item": thing, "to": name});
                if has && is_here {
                    self.truth.held[item] = Some(other);
                }
            }
            4 => {
                plan["show"] = json!({"item": thing, "to": name});
                if has && is_here {
                    for fact in ITEMS[item].1 {
                        self.truth.learn(me, fact, None, "learned");
                        self.truth.learn(other, fact, Some(me), "learned");
                    }
                }
            }
            5 => {
                plan["read"] = json!({"item": thing});
                if has || lies_here {
                    for fact in ITEMS[item].1 {
                        self.truth.learn(me, fact, None, "learned");
                    }
                }
            }
            6 => {
                let fact = self.fact();
                let words = format!("I swear, {} it.", words_of(fact));
                plan["promise"] = json!({"to": name, "words": words});
                if is_here {
                    // Beside a whisper it is whispered, too.
                    let hearers = match plan.get("whisper") {
                        Some(_) => vec![other],
                        None => hearers(&self.truth),
                    };
                    self.truth.tell(me, &[fact], &hearers, "promise");
                }
            }
            _ => {}
        }
        self.carry_out(me, stage, plan);
    }

    fn carry_out(&mut self, me: usize, stage: usize, plan: Value) {
        let plan: Plan = serde_json::from_value(plan).expect("a plan");
        let world = &mut self.world;
        world.insert_resource(CurrentStage::Place(self.entities[stage]));
        let answer = Answer::new(plan, AnsweredBy::Mind);
        world.entity_mut(self.entities[me]).insert(answer);
        world.run_system_cached(take_plans).expect("runs");
        world.run_system_cached(deliver).expect("runs");
        world.insert_resource(CurrentStage::Meeting);
    }

    /// Who walks arrives, and what was announced is heard.
    fn meet(&mut self) {
        self.truth.meet();
        for crossing in self.world.resource_mut::<DeferredCommands>().take() {
            crossing(&mut self.world);
        }
        self.world.run_system_cached(deliver).expect("runs");
    }

    /// The next turn begins, or the next day.
    fn go_on(&mut self) {
        self.truth.turn += 1;
        self.truth.day += u32::from(self.rng.random_range(0..4) == 0);
        self.world.insert_resource(WorldTurn(self.truth.turn));
        self.world.insert_resource(Today(self.truth.day));
        for stage in STAGES {
            let mut stage = self.world.entity_mut(self.entities[stage]);
            let mut talk = stage.get_mut::<Talk>().expect("has one");
            talk.begin(self.truth.turn);
        }
    }

    /// A choice or a scene changes something.
    fn change(&mut self) {
        let place = self.pick(STAGES);
        let (who, to) = (self.pick(0..ACTORS), self.pick(0..ACTORS));
        let (item, fact) = (self.pick(0..ITEMS.len()), self.fact());
        let decider = self.pick(0..ACTORS);
        let decider = Some(decider).filter(|_| self.rng.random_range(0..3) > 0);
        let (name, thing) = (NAMES[who].to_owned(), ITEMS[item].0.to_owned());
        let truth = &mut self.truth;
        let teller =
            decider.filter(|actor| truth.knows[*actor].contains_key(fact) && fact != "oath");
        let effect = match self.rng.random_range(0..12) {
            0 => {
                if !truth.dead[who] {
                    truth.learn(who, fact, teller, "learned");
                }
                Effect::Teach(name, fact.into())
            }
            1 => {
                let heroes = (0..HEROES).filter(|hero| !truth.dead[*hero]);
                for hero in heroes.collect::<Vec<_>>() {
                    truth.learn(hero, fact, teller, "learned");
                }
                Effect::Teach("party".into(), fact.into())
            }
            2 => {
                let mut learners = truth.here(place);
                // What three people hear is talked of.
                if learners.len() > 3 {
                    learners.push(AGENT);
                }
                for each in learners {
                    truth.learn(each, fact, teller, "learned");
                }
                Effect::Reveal(fact.into())
            }
            3 => {
                let tells = !truth.dead[who] && truth.knows[who].contains_key(fact);
                if tells && !truth.dead[to] {
                    truth.learn(to, fact, Some(who), "learned");
                }
                Effect::Tells(name, NAMES[to].into(), fact.into())
            }
            4 => {
                if !truth.dead[who] && truth.held[item].is_some() {
                    truth.held[item] = Some(who);
                }
                Effect::Give(thing, name)
            }
            5 => {
                if truth.held[item].is_some() {
                    truth.held[item] = Some(place);
                }
                Effect::Put(thing, NAMES[place].into())
            }
            6 => {
                truth.held[item] = None;
                Effect::Destroy(thing)
            }
            7 => {
                if !truth.dead[who] {
                    // It is made where the one is to whom it is made.
                    let heard = if truth.dead[to] {
                        place
                    } else {
                        truth.places[to]
                    };
                    let mut hearers = truth.here(heard);
                    let both = [who, to].into_iter();
                    hearers.extend(both.filter(|one| !truth.dead[*one]));
                    truth.tell(who, &[fact], &hearers, "promise");
                }
                let words = format!("I swear, {} it.", words_of(fact));
                Effect::Promise(name, NAMES[to].into(), words, Condition::Always)
            }
            8 => {
                if !truth.dead[who] {
                    truth.places[who] = place;
                }
                Effect::Move(name, NAMES[place].into())
            }
            9 => {
                truth.dead[who] = true;
                Effect::Kill(name)
            }
            10 => {
                truth.dead[who] = false;
                truth.places[who] = place;
                Effect::Revive(name, NAMES[place].into())
            }
            _ => return self.hold_up(who, fact),
        };
        let decider = decider.map(|decider| self.entities[decider]);
        let cause = Cause {
            decider,
            ..Cause::at(self.entities[place])
        };
        apply_effects(&mut self.world, cause, &[effect]);
    }

    /// Somebody holds up something that says a fact, as in a fight: it reads it, the others see it.
    fn hold_up(&mut self, who: usize, fact: &'static str) {
        if self.truth.dead[who] {
            return;
        }
        let here = self.truth.here(self.truth.places[who]);
        self.truth.learn(who, fact, None, "learned");
        for each in &here {
            self.truth.learn(*each, fact, Some(who), "learned");
        }
        let here: Vec<_> = here.iter().map(|each| self.entities[*each]).collect();
        write_events_at_meeting(&mut self.world, |events| {
            events.teach(&here, fact, NAMES[who])
        });
        self.world.run_system_cached(deliver).expect("runs");
    }

    /// The story is saved, and goes on from the save.
    fn save_and_load(&mut self) {
        let meta = self.campaign.meta();
        let text = snapshot(&self.world, &meta).expect("the world rests");
        self.world = self.campaign.set_up(0).expect("a right world").world;
        restore(&mut self.world, &text, None).expect("a right save");
        self.entities = entities(&self.world);
    }

    /// Notes the events of the last step.
    fn note(&mut self) {
        for record in std::mem::take(&mut self.world.resource_mut::<Records>().0) {
            if let Record::Event(event) = record {
                let audience = event.audience.iter().map(|who| who.name.clone());
                let note = (self.truth.step, event.kind, event.turn, audience.collect());
                self.events.insert(event.id.to_string(), note);
            }
        }
        self.truth.step += 1;
    }

    fn compare(&self, seed: u64) {
        for (who, name) in NAMES.into_iter().enumerate() {
            let knowledge = self.world.get::<Knowledge>(self.entities[who]);
            let known = knowledge.expect("everybody has some").all();
            let known = known.map(|(fact, known)| {
                let from = known.from.as_deref();
                let source = (from, &*known.by, known.turn, known.day);
                if !known.event.is_empty() {
                    let (_, kind, turn, audience) = &self.events[&*known.event];
                    let is_told = audience.iter().any(|hearer| **hearer == *name);
                    let told = (&**kind, *turn, is_told);
                    assert_eq!(told, (&*known.by, known.turn, true), "{name} in {seed}");
                    assert_ne!(from, Some(name), "{fact} in world {seed}");
                }
                let step = self.events.get(&*known.event).map(|(step, ..)| *step);
                (&**fact, (source, step))
            });
            let expected = self.truth.knows[who].iter().map(|(fact, source)| {
                let expected = match source {
                    Some((from, by, turn, day, step)) => {
                        let from = from.map(|from| NAMES[from]);
                        ((from, *by, *turn, *day), Some(*step))
                    }
                    None => ((None, "", 0, 0), None),
                };
                (*fact, expected)
            });
            let known: BTreeMap<_, _> = known.collect();
            let expected: BTreeMap<_, _> = expected.collect();
            assert_eq!(known, expected, "{name} in world {seed}");
            let held = self.world.get::<Belongings>(self.entities[who]);
            let held = held
                .expect("everybody has some")
                .0
                .iter()
                .map(|item| &**item);
            let held: Vec<_> = held.collect();
            let mut expected: Vec<_> = (0..ITEMS.len())
                .filter(|item| self.truth.held[*item] == Some(who))
                .map(|item| ITEMS[item].0)
                .collect();
            expected.sort_unstable();
            assert_eq!(held, expected, "{name} in world {seed}");
        }
    }

    fn play(&mut self, seed: u64) {
        self.begin(seed);
        let saved = self.rng.random_range(0..32);
        for turn in 0..2 {
            self.go_on();
            for _ in 0..self.rng.random_range(1..4) {
                self.act();
                self.note();
            }
            self.meet();
            self.note();
            if turn == saved {
                self.save_and_load();
            }
            for _ in 0..self.rng.random_range(0..3) {
                self.change();
                self.note();
            }
        }
        self.compare(seed);
    }
}

#[test]
fn who_knows_what_from_whom_is_what_everybody_heard_saw_and_read() {
    let campaign = campaign();
    std::thread::scope(|scope| {
        for half in 0..2 {
            let campaign = campaign.clone();
            scope.spawn(move || {
                let mut village = Village::new(campaign);
                for world in (0..WORLDS).filter(|world| world % 2 == half) {
                    village.play(world);
                }
            });
        }
    });
}
