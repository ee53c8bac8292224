//! What becomes of the parts of a draft in a world file.

use playhouse_engine::knowledge::{Fact, KnownBy};
use playhouse_engine::locale::text;

use super::Draft;
use super::part::DraftPart;
use super::parts::{
    Changes, Endings, Knower, NewScene, Outline, PlannedScene, Plot, Scenes, Stakes, Voices,
    WrittenEnding, WrittenOption, WrittenScene,
};
use crate::drama::{BondSpec, Choice, ChoiceOption, Condition, Effect, Ending, Goal, Item, Scene};
use crate::world_file::{Actor, ActorFaction, CampaignStep, Stage, Voice, Way, WorldFile};

/// The most days that a draft lasts.
const MOST_DAYS: i32 = 4;

/// The most parts of a day.
const MOST_HOURS: usize = 4;

/// A text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl DraftPart for Outline {
    const NAME: &'static str = "outline";

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
        let mut hours: Vec<_> = self.hours.iter().map(|hour| line(hour)).collect();
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

    fn lacking(&self, draft: &Draft) -> Vec<String> {
        let names = draft.world.actors.iter().map(|actor| &actor.name);
        let is_silent = |name: &&String| self.voices.iter().all(|spoken| spoken.who != **name);
        names.filter(is_silent).cloned().collect()
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

    fn add_to(self, draft: &mut Draft) {
        let facts = self.facts.into_iter().map(|secret| Fact {
            id: line(&secret.id),
            title: line(&secret.title),
            text: secret.text,
            known_by: KnownBy::Only(secret.known_by),
            phrases: secret.phrases,
            ..Fact::default()
        });
        draft.world.facts.extend(facts);
        let items = self.items.into_iter().map(|thing| Item {
            name: line(&thing.name),
            look: thing.look,
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

    fn add_to(self, draft: &mut Draft) {
        for mut planned in self.scenes {
            planned.id = line(&planned.id);
            let mut scene = Scene {
                id: planned.id.clone(),
                opening: planned.about.clone(),
                ..Scene::default()
            };
            stage(&mut scene, &planned, &draft.world.rounds);
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

/// Lets a scene open where and when it was planned, at any hour if there is no such one; whom it
/// needs comes to it.
fn stage(scene: &mut Scene, planned: &PlannedScene, hours: &[String]) {
    scene.at.clone_from(&planned.place);
    let hour = Some(&planned.hour).filter(|hour| hours.contains(hour));
    let hour = hour.map(|hour| Condition::Hour(hour.clone()));
    let day = (planned.day > 1).then_some(Condition::Day(planned.day));
    let after = Some(&planned.after).filter(|after| !after.is_empty());
    let after = after.map(|after| Condition::Happened(after.clone()));
    scene.cast.clone_from(&planned.present);
    if !planned.decides.is_empty() && !scene.cast.contains(&planned.decides) {
        scene.cast.push(planned.decides.clone());
    }
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

    fn lacking(&self, draft: &Draft) -> Vec<String> {
        let names = draft.wanted().iter().map(|planned| &planned.id);
        let is_missing = |id: &&String| self.scenes.iter().all(|written| written.id != **id);
        names.filter(is_missing).cloned().collect()
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
    ChoiceOption {
        id: line(&written.id),
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
    let who = || decides.to_owned();
    let knows = (!fact.is_empty()).then(|| Condition::Knows(who(), fact));
    let holds = (!item.is_empty()).then(|| Condition::Holds(who(), item));
    let gets = |effect: &Effect, thing: &str| match effect {
        Effect::Give(given, to) => given == thing && to == decides,
        _ => false,
    };
    let moved = effects.iter().filter_map(|effect| {
        let (Effect::Give(thing, _) | Effect::Destroy(thing)) = effect else {
            return None;
        };
        // The writer of the option says who has it.
        if holds.as_ref() == Some(&Condition::Holds(who(), thing.clone())) {
            return None;
        }
        let at_first = world.items.iter().find(|item| item.name == *thing)?;
        let may_have_it = world.effects().any(|effect| gets(effect, thing));
        let holder = match may_have_it && !gets(effect, thing) {
            true => decides,
            false => &at_first.at,
        };
        (!holder.is_empty()).then(|| Condition::Holds(holder.to_owned(), thing.clone()))
    });
    let moved: Vec<_> = moved.collect();
    let mut needs: Vec<_> = knows.into_iter().chain(holds).chain(moved).collect();
    needs.dedup();
    all(needs.into_iter())
}

/// What an ending needs: choices, as `scene=option`, and what somebody knows.
fn needs(chosen: Vec<String>, known: Vec<Knower>) -> Condition {
    let chosen = chosen.iter().filter_map(|choice| chose(choice));
    let known = known
        .into_iter()
        .map(|knower| Condition::Knows(knower.who, knower.fact));
    match all(chosen.chain(known)) {
        Condition::Always => Condition::Never,
        needs => needs,
    }
}

fn chose(choice: &str) -> Option<Condition> {
    let (scene, option) = choice.split_once('=')?;
    Some(Condition::Chose(scene.into(), option.into()))
}

impl DraftPart for Endings {
    const NAME: &'static str = "endings";

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
        when: needs(written.chosen, written.known),
        closing: written.closing,
        ..Ending::default()
    }
}

impl DraftPart for Changes {
    const NAME: &'static str = "changes";

    fn add_to(self, draft: &mut Draft) {
        for moved in self.scenes {
            let mut planned = draft.planned.iter_mut();
            let planned = planned.find(|planned| planned.id == moved.id);
            let mut scenes = draft.world.scenes.iter_mut();
            let scene = scenes.find(|scene| scene.id == moved.id);
            if let (Some(planned), Some(scene)) = (planned, scene) {
                planned.place = moved.place;
                (planned.day, planned.hour) = (moved.day, moved.hour);
                (planned.present, planned.after) = (moved.present, moved.after);
                stage(scene, planned, &draft.world.rounds);
                replace(&mut scene.opening, moved.opening);
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
                let needs = [other.needs_fact.clone(), other.needs_item.clone()];
                option.when = option_needs(who, needs, &option.effects, &before);
                replace(&mut option.seen, other.seen.clone());
            }
        }
        let count = draft.world.endings.len();
        for other in self.endings {
            let endings = draft.world.endings.iter_mut();
            // The last one always holds.
            let mut endings = endings.take(count.saturating_sub(1));
            if let Some(ending) = endings.find(|ending| ending.id == other.id) {
                ending.when = needs(other.chosen, other.known);
                replace(&mut ending.closing, other.closing);
            }
        }
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

    fn add_to(self, draft: &mut Draft) {
        let endings = &mut draft.world.endings;
        let before_last = endings.len().saturating_sub(1);
        endings.insert(before_last, ending_of(self));
    }
}
