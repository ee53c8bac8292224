//! What becomes of the parts of a draft in a world file.

use std::collections::BTreeSet;

use playhouse_engine::knowledge::{Fact, KnownBy};
use playhouse_engine::locale::{Argument, UiText, text};

use super::Draft;
use super::part::DraftPart;
use super::parts::{
    Changes, Endings, Knower, NewScene, Outline, Person, PlannedScene, Plot, Scenes, Stakes,
    Voices, WrittenEnding, WrittenOption, WrittenScene,
};
use crate::drama::{BondSpec, Choice, ChoiceOption, Condition, Effect, Ending, Goal, Item, Scene};
use crate::world_file::{
    Actor, ActorFaction, CampaignStep, Stage, Voice, Way, WorldFile, is_nothing, never_comes,
};

/// The most days that a draft lasts.
const MOST_DAYS: i32 = 4;

/// The fewest characters of a Chinese sentence.
const SHORTEST_SENTENCE: usize = 5;

/// The most parts of a day.
const MOST_HOURS: usize = 4;

/// Whether a text is one word, or as few Chinese characters.
fn is_word(text: &str) -> bool {
    let is_one = text.split_whitespace().count() == 1;
    is_one && (text.is_ascii() || text.trim().chars().count() < SHORTEST_SENTENCE)
}

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl DraftPart for Outline {
    const NAME: &'static str = "outline";

    fn doubts(&self, _draft: &Draft) -> Vec<(String, UiText)> {
        let places = self.places.iter().enumerate();
        let places = places.map(|(number, place)| (format!("places[{number}].look"), &place.look));
        let people = self.people.iter().enumerate().flat_map(|(number, person)| {
            let path = |member: &str| format!("people[{number}].{member}");
            let Person { profile, look, .. } = person;
            [(path("profile"), profile), (path("look"), look)]
        });
        let words = places.chain(people).filter(|(_, text)| is_word(text));
        words
            .map(|(path, _)| (path, text!(rpg_draft_word)))
            .collect()
    }

    fn add_to(self, draft: &mut Draft) {
        let world = &mut draft.world;
        let texts = [
            (&mut world.name, line(&self.name)),
            (&mut world.title, line(&self.invitation)),
            (&mut world.common, self.situation),
        ];
        for (text, given) in texts.into_iter().filter(|(_, given)| !given.is_empty()) {
            *text = given;
        }
        if !self.manner.is_empty() {
            world.rules = format!("{}\n\n{}", self.manner.trim(), world.rules);
        }
        world.schedule = vec![CampaignStep::Home {
            days: self.days.clamp(1, MOST_DAYS),
        }];
        let language = world.language;
        let named = match self.hours.as_slice() {
            // All of them in one string.
            [all] => all.split([',', ';', '，', '、', '；']).collect(),
            hours => hours.iter().map(String::as_str).collect::<Vec<_>>(),
        };
        let mut hours: Vec<_> = named.into_iter().map(line).collect();
        hours.retain(|hour| !hour.is_empty());
        hours.dedup();
        hours.truncate(MOST_HOURS);
        if hours.is_empty() {
            let usual = [text!(story_morning), text!(story_afternoon)];
            hours.extend(usual.map(|hour| hour.in_language(language)));
        }
        world.rounds = hours;
        let stages = self.places.into_iter().map(|place| {
            let name = line(&place.name);
            Stage {
                kickoff: text!(rpg_draft_you_are, name = &name).in_language(language),
                name,
                profile: place.look,
                connects: place.connects.into_iter().map(Way::from).collect(),
                ..Stage::default()
            }
        });
        let mut stages: Vec<_> = stages.collect();
        // Nobody is to be locked in: each way leads back.
        let ways: Vec<_> = stages
            .iter()
            .flat_map(|stage| {
                let to = stage.connects.iter();
                to.map(|way| (way.to.clone(), stage.name.clone()))
            })
            .collect();
        for (from, to) in ways {
            if let Some(stage) = stages.iter_mut().find(|stage| stage.name == from)
                && !stage.connects.iter().any(|way| way.to == to)
            {
                stage.connects.push(to.into());
            }
        }
        world.stages = stages;
        let actors = self.people.into_iter().map(|person| Actor {
            name: line(&person.name),
            profile: person.profile,
            look: person.look,
            called: line(&person.called),
            stage: person.place,
            sleeps: person.sleeps,
            kickoff: person.begins,
            faction: ActorFaction::Neutral,
            ..Actor::default()
        });
        world.actors = actors.collect();
        draft.not_used = self.not_used;
    }
}

impl DraftPart for Voices {
    const NAME: &'static str = "voices";

    fn doubts(&self, draft: &Draft) -> Vec<(String, UiText)> {
        let names = draft.world.actors.iter().map(|actor| &actor.name);
        let is_silent = |name: &&String| self.voices.iter().all(|spoken| spoken.who != **name);
        names.filter(is_silent).map(|name| lacking(name)).collect()
    }

    fn add_to(self, draft: &mut Draft) {
        for spoken in self.voices {
            let mut actors = draft.world.actors.iter_mut();
            if let Some(actor) = actors.find(|actor| actor.name == spoken.who) {
                actor.voice = Voice {
                    lines: spoken.lines,
                    never: spoken.never,
                };
            }
        }
    }
}

impl DraftPart for Stakes {
    const NAME: &'static str = "stakes";

    fn doubts(&self, draft: &Draft) -> Vec<(String, UiText)> {
        let world = &draft.world;
        let facts = self.facts.iter().enumerate();
        let knowing = facts.flat_map(|(number, secret)| {
            let known_by = secret.known_by.iter().enumerate();
            let places = known_by.filter(|(_, name)| world.stage(name).is_some());
            places.map(move |(at, _)| {
                let path = format!("facts[{number}].known_by[{at}]");
                (path, text!(rpg_draft_no_person))
            })
        });
        let items = self.items.iter().enumerate();
        let held = items.filter(|(_, thing)| thing.hidden && world.stage(&thing.at).is_none());
        let held = held.map(|(number, _)| {
            let path = format!("items[{number}].hidden");
            (path, text!(rpg_draft_not_hidden))
        });
        knowing.chain(held).collect()
    }

    fn add_to(self, draft: &mut Draft) {
        let stages = draft.world.stages.iter();
        let places: BTreeSet<_> = stages.map(|stage| stage.name.clone()).collect();
        let facts = self.facts.into_iter().map(|mut secret| {
            secret.known_by.retain(|name| !places.contains(name));
            Fact {
                id: line(&secret.id),
                title: line(&secret.title),
                text: secret.text,
                known_by: KnownBy::Only(secret.known_by),
                phrases: secret.phrases,
                ..Fact::default()
            }
        });
        draft.world.facts.extend(facts);
        let items = self.items.into_iter().map(|thing| Item {
            name: line(&thing.name),
            look: thing.look,
            hidden: thing.hidden && places.contains(&thing.at),
            at: thing.at,
            teaches: thing.teaches,
            ..Item::default()
        });
        draft.world.items.extend(items);
        let bonds = self.bonds.into_iter().map(|bond| BondSpec {
            from: bond.from,
            to: bond.to,
            word: line(&bond.word),
            value: bond.value.clamp(-3, 3),
            ..BondSpec::default()
        });
        draft.world.bonds.extend(bonds);
    }
}

impl DraftPart for Plot {
    const NAME: &'static str = "plot";
    const IS_PLAN: bool = true;

    fn doubts(&self, draft: &Draft) -> Vec<(String, UiText)> {
        let scenes = self.scenes.iter().enumerate();
        let doubts = scenes.flat_map(|(number, planned)| {
            let path = format!("scenes[{number}]");
            time_doubts(&path, Some(planned.day), Some(&planned.hour), &draft.world)
        });
        doubts.collect()
    }

    fn add_to(self, draft: &mut Draft) {
        for mut planned in self.scenes {
            planned.id = line(&planned.id);
            let mut scene = Scene {
                id: planned.id.clone(),
                opening: planned.about.clone(),
                ..Scene::default()
            };
            stage(&mut scene, &mut planned, &draft.world.rounds);
            draft.world.scenes.push(scene);
            draft.planned.push(planned);
        }
        let mut endings: Vec<_> = self
            .endings
            .into_iter()
            .map(|ending| Ending {
                id: line(&ending.id),
                title: line(&ending.title),
                closing: ending.about,
                when: Condition::Never,
                ..Ending::default()
            })
            .collect();
        if let Some(last) = endings.last_mut() {
            last.when = Condition::Always;
            draft.world.endings = endings;
        }
    }
}

/// That nothing is written of this.
fn lacking(name: &str) -> (String, UiText) {
    (String::new(), text!(rpg_draft_lacking, name))
}

/// What is wrong with the time of a scene.
fn time_doubts(
    path: &str,
    day: Option<u32>,
    hour: Option<&String>,
    world: &WorldFile,
) -> Vec<(String, UiText)> {
    let days = world.schedule.iter().map(|step| match step {
        CampaignStep::Home { days } => u32::try_from(*days).ok(),
        // How long others take is not known.
        _ => None,
    });
    let days: Option<u32> = days.sum();
    let late = days.filter(|days| day.is_some_and(|day| day > *days));
    let late = late.map(|days| (format!("{path}.day"), text!(rpg_draft_no_day, days)));
    let hours = &world.rounds;
    let unknown = hour.filter(|hour| !hour.is_empty() && !hours.contains(hour));
    let unknown = unknown.map(|_| {
        let hours = Argument::list(hours);
        (format!("{path}.hour"), text!(rpg_draft_no_hour, hours))
    });
    late.into_iter().chain(unknown).collect()
}

/// Lets a scene open where and when it was planned, at any hour if there is no such one; whom it
/// needs comes to it.
fn stage(scene: &mut Scene, planned: &mut PlannedScene, hours: &[String]) {
    scene.at.clone_from(&planned.place);
    let hour = Some(&planned.hour).filter(|hour| hours.contains(hour));
    let hour = hour.map(|hour| Condition::Hour(hour.clone()));
    let day = (planned.day > 1).then_some(Condition::Day(planned.day));
    let after = Some(&planned.after).filter(|after| !after.is_empty());
    let after = after.map(|after| Condition::Happened(after.clone()));
    if !planned.decides.is_empty() && !planned.present.contains(&planned.decides) {
        planned.present.push(planned.decides.clone());
    }
    scene.cast.clone_from(&planned.present);
    scene.when = all(hour.into_iter().chain(day).chain(after));
}

/// Conditions that must all hold.
fn all(parts: impl Iterator<Item = Condition>) -> Condition {
    let mut parts: Vec<_> = parts.collect();
    match parts.len() {
        0 => Condition::Always,
        1 => parts.remove(0),
        _ => Condition::All(parts),
    }
}

impl DraftPart for Scenes {
    const NAME: &'static str = "scenes";

    fn doubts(&self, draft: &Draft) -> Vec<(String, UiText)> {
        let names = draft.wanted().iter().map(|planned| &planned.id);
        let is_missing = |id: &&String| self.scenes.iter().all(|written| written.id != **id);
        names.filter(is_missing).map(|name| lacking(name)).collect()
    }

    fn add_to(self, draft: &mut Draft) {
        for written in self.scenes {
            let Some(planned) = draft
                .planned
                .iter()
                .find(|planned| planned.id == written.id)
            else {
                continue;
            };
            let WrittenScene {
                id,
                opening,
                question,
                options,
            } = written;
            let decides = &planned.decides;
            let options = options.into_iter();
            let options = options.map(|option| option_of(decides, option, &draft.world));
            let options: Vec<_> = options.collect();
            let mut scenes = draft.world.scenes.iter_mut();
            let Some(scene) = scenes.find(|scene| scene.id == id) else {
                continue;
            };
            replace(&mut scene.opening, opening);
            scene.choice = (!decides.is_empty() && !options.is_empty()).then(|| Choice {
                who: vec![decides.clone()],
                question,
                options,
                ..Choice::default()
            });
        }
    }
}

fn option_of(decides: &str, written: WrittenOption, world: &WorldFile) -> ChoiceOption {
    let reveals = written.reveals.into_iter().map(Effect::Reveal);
    let gives = written
        .gives
        .into_iter()
        .map(|gift| Effect::Give(gift.item, gift.to));
    let destroys = written.destroys.into_iter().map(Effect::Destroy);
    let moves = written
        .moves
        .into_iter()
        .map(|walk| Effect::Move(walk.who, walk.to));
    let feelings = written
        .feelings
        .into_iter()
        .filter(|feeling| feeling.by != 0)
        .map(|feeling| Effect::Bond(feeling.of, feeling.towards, feeling.by.clamp(-2, 2)));
    let effects = reveals.chain(gives).chain(destroys).chain(moves);
    let effects: Vec<_> = effects.chain(feelings).collect();
    let needs = [written.needs_fact, written.needs_item];
    let mut id = line(&written.id);
    // That is what code calls it to do none of the options.
    if is_nothing(&id) {
        id = text!(rpg_draft_let_be).in_language(world.language);
    }
    ChoiceOption {
        id,
        label: line(&written.label),
        when: option_needs(decides, needs, &effects, world),
        seen: written.seen,
        effects,
    }
}

/// What an option needs: what whoever decides must know and have for it, and that what it gives or
/// destroys is where it may be given from or destroyed.
fn option_needs(
    decides: &str,
    [fact, item]: [String; 2],
    effects: &[Effect],
    world: &WorldFile,
) -> Condition {
    let knows = (!fact.is_empty()).then(|| Condition::Knows(decides.to_owned(), fact));
    let given = effects.iter().filter_map(|effect| match effect {
        Effect::Give(thing, _) | Effect::Destroy(thing) => Some(thing),
        _ => None,
    });
    let needed = Some(&item).filter(|item| !item.is_empty());
    let mut things: Vec<_> = needed.into_iter().chain(given).collect();
    things.dedup();
    let at_hand = things.into_iter().filter_map(|thing| {
        let brings = |effect: &Effect| {
            matches!(effect, Effect::Give(given, to) if given == thing && to == decides)
        };
        let is_brought = world.effects().any(brings) && !effects.iter().any(brings);
        at_hand(decides, thing, needed == Some(thing) || is_brought, world)
    });
    let mut needs: Vec<_> = knows.into_iter().chain(at_hand).collect();
    needs.dedup();
    all(needs.into_iter())
}

/// That a thing is with the one who decides, or where it was at first unless it `must_have` it.
fn at_hand(decides: &str, thing: &str, must_have: bool, world: &WorldFile) -> Option<Condition> {
    let at_first = world.items.iter().find(|item| item.name == thing);
    let (place, hidden) = at_first.map_or(("", false), |item| (&*item.at, item.hidden));
    let holds = |holder: &str| Condition::Holds(holder.into(), thing.into());
    match world.stage(place) {
        // What lies hidden is brought to light unless somebody has found it before.
        Some(_) if hidden => {
            let others = world.actors.iter().filter(|actor| actor.name != decides);
            let others = others.map(|actor| holds(&actor.name)).collect();
            Some(Condition::Not(Box::new(Condition::Any(others))))
        }
        Some(_) => Some(Condition::Any(vec![holds(place), holds(decides)])),
        None if must_have => Some(holds(decides)),
        None => (!place.is_empty()).then(|| holds(place)),
    }
}

/// The thing that a part of an option's condition wants [at hand](at_hand) of one who decides.
fn wanted_of<'a>(part: &'a Condition, decides: &str) -> Option<&'a str> {
    match part {
        Condition::Holds(holder, thing) => (holder == decides).then_some(thing),
        Condition::Any(parts) => parts.iter().find_map(|part| wanted_of(part, decides)),
        Condition::Not(part) => part.parts().into_iter().find_map(|part| match part {
            Condition::Holds(_, thing) => Some(thing.as_str()),
            _ => None,
        }),
        _ => None,
    }
}

/// What an ending needs: choices, as `scene=option`, and what somebody knows.
fn needs(chosen: Vec<Condition>, known: Vec<Condition>) -> Condition {
    match all(chosen.into_iter().chain(known)) {
        Condition::Always => Condition::Never,
        needs => needs,
    }
}

fn chosen(choices: &[String]) -> Vec<Condition> {
    choices.iter().filter_map(|choice| chose(choice)).collect()
}

fn known(knowers: Vec<Knower>) -> Vec<Condition> {
    let knowers = knowers.into_iter();
    knowers
        .map(|knower| Condition::Knows(knower.who, knower.fact))
        .collect()
}

fn chose(choice: &str) -> Option<Condition> {
    let (scene, option) = choice.split_once('=')?;
    Some(Condition::Chose(scene.into(), option.into()))
}

/// Which endings of a part, each with the member that is to be told, never come, and why.
fn never_coming(
    part: &impl DraftPart,
    draft: &Draft,
    endings: Vec<(String, String)>,
) -> Vec<(String, UiText)> {
    let mut after = draft.clone();
    part.clone().add_to(&mut after);
    let why = endings.into_iter().filter_map(|(path, id)| {
        let mut known = after.world.endings.iter();
        let number = known.position(|ending| ending.id == id)?;
        Some((path, never_comes(&after.world, number)?))
    });
    why.collect()
}

impl DraftPart for Endings {
    const NAME: &'static str = "endings";

    fn doubts(&self, draft: &Draft) -> Vec<(String, UiText)> {
        let endings = self.endings.iter().enumerate();
        let endings = endings.map(|(at, it)| (format!("endings[{at}].chosen"), line(&it.id)));
        let endings = never_coming(self, draft, endings.collect());
        let goals = self.goals.iter().enumerate().flat_map(|(number, aim)| {
            let outcomes = [
                ("met", &aim.met_by, &aim.met_words),
                ("lost", &aim.lost_by, &aim.lost_words),
            ];
            let unsaid = outcomes
                .into_iter()
                .filter(|(_, by, words)| by.is_empty() && !words.is_empty());
            unsaid.map(move |(outcome, ..)| {
                let by = format!("{outcome}_by");
                let said = text!(rpg_draft_never_said, by);
                (format!("goals[{number}].{outcome}_words"), said)
            })
        });
        endings.into_iter().chain(goals).collect()
    }

    fn add_to(self, draft: &mut Draft) {
        let endings: Vec<_> = self.endings.into_iter().map(ending_of).collect();
        if !endings.is_empty() {
            draft.world.endings = endings;
        }
        if let Some(last) = draft.world.endings.last_mut() {
            last.when = Condition::Always;
        }
        for aim in self.goals {
            let mut actors = draft.world.actors.iter_mut();
            if let Some(actor) = actors.find(|actor| actor.name == aim.who) {
                actor.goals.push(Goal {
                    words: line(&aim.words),
                    met: chose(&aim.met_by).unwrap_or(Condition::Never),
                    lost: chose(&aim.lost_by).unwrap_or(Condition::Never),
                    met_words: line(&aim.met_words),
                    lost_words: line(&aim.lost_words),
                });
            }
        }
    }
}

pub(super) fn ending_of(written: WrittenEnding) -> Ending {
    Ending {
        id: line(&written.id),
        title: line(&written.title),
        when: needs(chosen(&written.chosen), known(written.known)),
        closing: written.closing,
        ..Ending::default()
    }
}

impl DraftPart for Changes {
    const NAME: &'static str = "changes";

    fn doubts(&self, draft: &Draft) -> Vec<(String, UiText)> {
        let world = &draft.world;
        let scenes = self.scenes.iter().enumerate().flat_map(|(number, moved)| {
            let path = format!("scenes[{number}]");
            time_doubts(&path, moved.day, moved.hour.as_ref(), world)
        });
        let endings = self.endings.iter().enumerate();
        let endings = endings.map(|(at, it)| (format!("endings[{at}]"), it.id.clone()));
        scenes
            .chain(never_coming(self, draft, endings.collect()))
            .collect()
    }

    fn add_to(self, draft: &mut Draft) {
        for moved in self.scenes {
            let mut planned = draft.planned.iter_mut();
            let planned = planned.find(|planned| planned.id == moved.id);
            let mut scenes = draft.world.scenes.iter_mut();
            let scene = scenes.find(|scene| scene.id == moved.id);
            if let (Some(planned), Some(scene)) = (planned, scene) {
                set(&mut planned.place, moved.place);
                set(&mut planned.day, moved.day);
                set(&mut planned.hour, moved.hour);
                set(&mut planned.present, moved.present);
                set(&mut planned.after, moved.after);
                stage(scene, planned, &draft.world.rounds);
                replace(&mut scene.opening, moved.opening.unwrap_or_default());
            }
        }
        let before = draft.world.clone();
        for other in self.options {
            let scenes = draft.world.scenes.iter_mut();
            let choices = scenes.filter_map(|scene| Some((&scene.id, scene.choice.as_mut()?)));
            for (scene, Choice { who, options, .. }) in choices {
                let (Some(who), Some(option)) = (
                    who.first(),
                    options
                        .iter_mut()
                        .find(|option| format!("{scene}={}", option.id) == other.choice),
                ) else {
                    continue;
                };
                let mut needs = <[String; 2]>::default();
                // What else it needs follows from its effects.
                for (part, _) in option.when.required("").into_iter().rev() {
                    if let Condition::Knows(_, fact) = part {
                        needs[0].clone_from(fact);
                    } else if let Some(item) = wanted_of(part, who) {
                        needs[1] = item.to_owned();
                    }
                }
                let [fact, item] = &mut needs;
                set(fact, other.needs_fact.clone());
                set(item, other.needs_item.clone());
                option.when = option_needs(who, needs, &option.effects, &before);
                replace(&mut option.seen, other.seen.clone().unwrap_or_default());
            }
        }
        let count = draft.world.endings.len();
        for other in self.endings {
            let endings = draft.world.endings.iter_mut();
            // The last one always holds.
            let mut endings = endings.take(count.saturating_sub(1));
            if let Some(ending) = endings.find(|ending| ending.id == other.id) {
                let parts = ending.when.required("").into_iter();
                let parts = parts.map(|(part, _)| part.clone());
                let (mut knows, mut chose): (Vec<_>, Vec<_>) = parts
                    .filter(|part| *part != Condition::Never)
                    .partition(|part| matches!(part, Condition::Knows(..)));
                set(&mut chose, other.chosen.as_deref().map(chosen));
                set(&mut knows, other.known.map(known));
                ending.when = needs(chose, knows);
                replace(&mut ending.closing, other.closing.unwrap_or_default());
            }
        }
    }
}

/// Changes what something else is given for.
fn set<T>(member: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *member = given;
    }
}

/// Puts another text in the place of one, if there is another.
fn replace(text: &mut String, other: String) {
    if !other.is_empty() {
        *text = other;
    }
}

impl DraftPart for NewScene {
    const NAME: &'static str = "scene";

    fn doubts(&self, draft: &Draft) -> Vec<(String, UiText)> {
        let PlannedScene { day, hour, .. } = &self.planned;
        time_doubts("planned", Some(*day), Some(hour), &draft.world)
    }

    fn add_to(self, draft: &mut Draft) {
        let id = line(&self.planned.id);
        let plot = Plot {
            scenes: vec![self.planned],
            ..Plot::default()
        };
        plot.add_to(draft);
        let written = WrittenScene { id, ..self.written };
        let scenes = vec![written];
        Scenes { scenes }.add_to(draft);
    }
}

impl DraftPart for WrittenEnding {
    const NAME: &'static str = "ending";

    fn doubts(&self, draft: &Draft) -> Vec<(String, UiText)> {
        never_coming(self, draft, vec![("chosen".into(), line(&self.id))])
    }

    fn add_to(self, draft: &mut Draft) {
        let endings = &mut draft.world.endings;
        let before_last = endings.len().saturating_sub(1);
        endings.insert(before_last, ending_of(self));
    }
}
