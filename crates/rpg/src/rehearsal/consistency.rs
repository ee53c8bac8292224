//! Whether the texts of a world are true when they are told.
//!
//! Each text of the file that names an actor or an item is compared with the state of the story at
//! the moment at which it is told: what is told of a place must be about those who are there, and
//! about things that are there to be seen; nothing may be told of the dead or of what is gone as if
//! it were not so, and what an option gives or destroys must be there. Where a text means somebody
//! who is not there, its scene says so (`absent`), or its condition does.

use std::collections::{BTreeMap, BTreeSet};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, Kind, WorldTurn, all_of, is_dead, stage_of};
use playhouse_engine::engine::{MeetSet, Setup, StepSet};
use playhouse_engine::event::{AudienceRule, EventRecord, Record, Records};
use playhouse_engine::knowledge::Knowledge;
use playhouse_engine::locale::{Language, UiText, text};
use playhouse_engine::wording::FoldedText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::play::each as each_with;
use crate::drama::{Belongings, Condition, Effect, Hidden, ItemUse, Scene};
use crate::everybody::living_on;
use crate::phase::Phase;
use crate::scenes::choose::PendingChoice;
use crate::scenes::effects::Cause;
use crate::world_file::{Actor, Voice, WorldFile, choices, each, part};

/// A text that was told although the story says otherwise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct FalseText {
    /// Where the text stands in the world file.
    pub path: String,
    pub wrong: Contradiction,
    /// The turn in which it was told.
    pub turn: u64,
}

/// How a text and the state of the story differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Contradiction {
    /// An actor whom it names is somewhere else.
    Absent(String),
    /// An actor whom it names is dead.
    Dead(String),
    /// An item that it names is somewhere else.
    Elsewhere(String),
    /// An item that it names lies hidden, and nobody who hears it knows where.
    Hidden(String),
    /// An item that it names is nowhere.
    Gone(String),
    /// An item that an option gives or destroys is neither with the one who decides nor where it
    /// was at first, and no condition says who has it.
    NotThere(String),
}

impl Contradiction {
    /// What is wrong, and what may help.
    pub fn texts(&self) -> (UiText, UiText) {
        match self {
            Self::Absent(who) => (
                text!(rpg_false_absent, who),
                text!(rpg_false_absent_help, who),
            ),
            Self::Dead(who) => (text!(rpg_false_dead, who), text!(rpg_false_dead_help, who)),
            Self::Elsewhere(item) => (
                text!(rpg_false_elsewhere, item),
                text!(rpg_false_item_help, item),
            ),
            Self::Hidden(item) => (
                text!(rpg_false_hidden, item),
                text!(rpg_false_item_help, item),
            ),
            Self::Gone(item) => (
                text!(rpg_false_gone, item),
                text!(rpg_false_item_help, item),
            ),
            Self::NotThere(item) => (
                text!(rpg_false_not_there, item),
                text!(rpg_false_not_there_help, item),
            ),
        }
    }
}

#[derive(Debug)]
struct ToldText {
    path: String,
    people: Vec<Named>,
    items: Vec<Named>,
}

#[derive(Debug)]
struct Named {
    name: String,
    /// Whether whoever or whatever it means must be where the text is told, or only in the world.
    is_here: bool,
}

/// Compares what is told with the state. It is in the worlds of rehearsals alone.
#[derive(Resource, Debug, Default)]
pub(crate) struct Watched {
    texts: Vec<ToldText>,
    /// What is told word for word.
    by_words: BTreeMap<String, Vec<usize>>,
    /// What somebody is asked who decides: questions by `scene/number?question`, labels by
    /// `scene/number/option`.
    by_choice: BTreeMap<String, usize>,
    /// The lines of each actor's own, which it puts into what it says.
    by_speaker: BTreeMap<String, Vec<(String, usize)>>,
    /// Where the effects of each option stand, as `scene/option`, and the items of which its
    /// conditions say who has them.
    options: BTreeMap<String, (String, BTreeSet<String>)>,
    /// Where each item is at first.
    at_first: BTreeMap<String, String>,
    /// The items that appear in the course of the story, and whether they have.
    late: BTreeMap<String, bool>,
    /// How many records of this step were looked at.
    read: usize,
    found: BTreeSet<FalseText>,
}

/// Lets the world of a rehearsal compare what is told with its state.
pub(super) fn watch(setup: &mut Setup, world: &WorldFile) {
    setup.world.insert_resource(Watched::of(world));
    let at_end = |world: &mut World| {
        look(world);
        if let Some(mut watched) = world.get_resource_mut::<Watched>() {
            watched.read = 0;
        }
    };
    setup.step.add_systems(at_end.after(StepSet::Deliver));
    let meeting = (at_end, look_at_questions).chain();
    setup.meet.add_systems(meeting.after(MeetSet::Deliver));
}

/// What was told falsely, in the order of the file.
pub(super) fn take(world: &mut World) -> Vec<FalseText> {
    let watched = world.remove_resource::<Watched>();
    watched.map_or_else(Vec::new, |watched| watched.found.into_iter().collect())
}

/// Looks at what was told since it last did. Nothing happens in a world that is not watched.
pub(crate) fn look(world: &mut World) {
    let Some(mut watched) = world.remove_resource::<Watched>() else {
        return;
    };
    for (item, has_appeared) in &mut watched.late {
        *has_appeared = *has_appeared || holder(world, item).is_some();
    }
    let records = world.resource::<Records>();
    for record in records.0.get(watched.read..).unwrap_or_default() {
        if let Record::Event(event) = record {
            let found = watched.contradictions(world, event);
            watched.found.extend(found);
        }
    }
    watched.read = records.0.len();
    world.insert_resource(watched);
}

/// Looks at what those are going to be asked who have to decide.
fn look_at_questions(world: &mut World) {
    let Some(mut watched) = world.remove_resource::<Watched>() else {
        return;
    };
    for place in all_of(world, Kind::Stage) {
        let choice = world.get::<PendingChoice>(place);
        let is_asked = world.get::<Phase>(place) == Some(&Phase::Choose);
        let Some(choice) = choice.filter(|_| is_asked) else {
            continue;
        };
        let asked = format!("{}/{}", choice.scene, choice.number);
        let options = choice.options.iter();
        let labels = options.map(|option| format!("{asked}/{option}"));
        let keys = labels.chain([format!("{asked}?{}", choice.question)]);
        let texts: Vec<_> = keys
            .filter_map(|key| watched.texts.get(*watched.by_choice.get(&key)?))
            .collect();
        let turn = world.resource::<WorldTurn>().0;
        let found = texts.into_iter().flat_map(|text| {
            let wrong = watched.wrong(world, text, Some(place)).into_iter();
            wrong.map(|wrong| FalseText {
                path: text.path.clone(),
                wrong,
                turn,
            })
        });
        let found: Vec<_> = found.collect();
        watched.found.extend(found);
    }
    world.insert_resource(watched);
}

/// Looks whether what an option gives or destroys is where it may be given from or destroyed.
pub(crate) fn look_at_things(world: &mut World, cause: Cause<'_>, effects: &[Effect]) {
    let Some(watched) = world.get_resource::<Watched>() else {
        return;
    };
    let (Some(decider), Some((path, known))) = (cause.decider, watched.options.get(cause.of))
    else {
        return;
    };
    let is_there = |item: &str, holder: Entity| {
        let name = world.get::<EntityName>(holder).map(|name| &*name.0);
        let is_first = name == watched.at_first.get(item).map(String::as_str);
        let is_here = holder == cause.place || stage_of(world, holder) == Some(cause.place);
        holder == decider || is_here && (is_first || holder == cause.place)
    };
    let found = effects.iter().enumerate().filter_map(|(number, effect)| {
        let (Effect::Give(item, _) | Effect::Destroy(item)) = effect else {
            return None;
        };
        let holder = holder(world, item).filter(|_| !known.contains(item))?;
        (!is_there(item, holder)).then(|| FalseText {
            path: format!("{path}[{number}]"),
            wrong: Contradiction::NotThere(item.clone()),
            turn: world.resource::<WorldTurn>().0,
        })
    });
    let found: Vec<_> = found.collect();
    if let Some(mut watched) = world.get_resource_mut::<Watched>() {
        watched.found.extend(found);
    }
}

impl Watched {
    fn of(world: &WorldFile) -> Self {
        let mut reader = Reader::of(world);
        reader.read();
        let items = world.items.iter();
        let at_first = items.map(|item| (item.name.clone(), item.at.clone()));
        reader.watched.at_first = at_first.collect();
        let items = world.items.iter().filter(|item| item.at.is_empty());
        reader.watched.late = items.map(|item| (item.name.clone(), false)).collect();
        reader.watched
    }

    /// What an event tells that is not so.
    fn contradictions(&self, world: &World, event: &EventRecord) -> Vec<FalseText> {
        let members = ["message", "description", "look"];
        let words = members
            .iter()
            .find_map(|member| event.data.get(member)?.as_str());
        let Some(words) = words else {
            return Vec::new();
        };
        let speaker = event.speaker.as_deref().unwrap_or_default();
        let own = self.by_speaker.get(speaker).into_iter().flatten();
        let own = own.filter(|(line, _)| words.contains(line.as_str()));
        let told = self.by_words.get(words).into_iter().flatten();
        let told = told.chain(own.map(|(_, index)| index));
        let place = match &event.rule {
            AudienceRule::BroadcastToStage { stage, .. } => stage,
            _ => &event.place,
        };
        let place = world.resource::<CastList>().by_name(place);
        let texts = told.filter_map(|index| self.texts.get(*index));
        let wrong = texts.flat_map(|text| {
            let wrong = self.wrong(world, text, place);
            wrong.into_iter().map(|wrong| FalseText {
                path: text.path.clone(),
                wrong,
                turn: event.turn,
            })
        });
        wrong.collect()
    }

    fn wrong(&self, world: &World, text: &ToldText, place: Option<Entity>) -> Vec<Contradiction> {
        let people = text.people.iter().filter_map(|named| {
            let who = world.resource::<CastList>().by_name(&named.name)?;
            let is_absent = named.is_here && place.is_some() && stage_of(world, who) != place;
            match is_dead(world, who) {
                true => Some(Contradiction::Dead(named.name.clone())),
                false => is_absent.then(|| Contradiction::Absent(named.name.clone())),
            }
        });
        let items = text
            .items
            .iter()
            .filter_map(|named| self.wrong_item(world, named, place));
        people.chain(items).collect()
    }

    fn wrong_item(
        &self,
        world: &World,
        named: &Named,
        place: Option<Entity>,
    ) -> Option<Contradiction> {
        let item = &named.name;
        let Some(holder) = holder(world, item) else {
            let is_yet_to_come = self.late.get(item) == Some(&false) && !named.is_here;
            return (!is_yet_to_come).then(|| Contradiction::Gone(item.clone()));
        };
        if !named.is_here || place.is_none() {
            return None;
        }
        if Some(holder) != place {
            let is_elsewhere = stage_of(world, holder) != place;
            return is_elsewhere.then(|| Contradiction::Elsewhere(item.clone()));
        }
        let hidden = world.get::<Hidden>(holder)?;
        let is_seen_by = |who: Entity| !hidden.hides(item, world.get::<Knowledge>(who));
        let is_seen = living_on(world, holder).into_iter().any(is_seen_by);
        (!is_seen).then(|| Contradiction::Hidden(item.clone()))
    }
}

/// Who has an item, or where it lies.
fn holder(world: &World, item: &str) -> Option<Entity> {
    let mut holders = each_with::<Belongings>(world);
    let holder = holders.find(|(_, _, belongings)| belongings.0.contains(item));
    holder.map(|(_, entity, _)| entity)
}

/// A text or a name. Most names are in no text, which its small letters tell fastest.
#[derive(Clone, Debug)]
struct SearchedText {
    lowercase: String,
    folded: FoldedText,
}

impl SearchedText {
    fn of(text: &str) -> Self {
        Self {
            lowercase: text.to_lowercase(),
            folded: FoldedText::of(text),
        }
    }

    fn contains(&self, name: &Self) -> bool {
        self.lowercase.contains(&name.lowercase) && self.folded.contains_words(&name.folded)
    }
}

/// Collects the texts of a file, with the names in them.
struct Reader<'a> {
    world: &'a WorldFile,
    people: Vec<(&'a str, Vec<SearchedText>)>,
    items: Vec<(&'a str, Vec<SearchedText>)>,
    watched: Watched,
}

/// Whom and what a text may name although they are not where it is told.
#[derive(Clone, Default)]
struct Allowed<'a> {
    absent: Vec<&'a str>,
    /// What is moved by effects that come with the text: it has to be somewhere.
    moved: Vec<&'a str>,
}

impl<'a> Allowed<'a> {
    /// As they are, and what these effects move.
    fn with(&self, effects: impl IntoIterator<Item = &'a Effect>) -> Self {
        let mut allowed = self.clone();
        for effect in effects {
            match effect {
                Effect::Give(name, _) | Effect::Put(name, _) | Effect::Move(name, _) => {
                    allowed.moved.push(name);
                }
                Effect::Revive(name, _) => allowed.absent.push(name),
                _ => {}
            }
        }
        allowed
    }

    /// As they are, and those of whom a condition says that they are not there or not alive.
    fn under(&self, condition: &'a Condition) -> Self {
        let mut allowed = self.clone();
        for part in condition.parts() {
            match part {
                Condition::Fell(who) => allowed.absent.push(who),
                Condition::Not(denied) => allowed.absent.extend(named_in(denied)),
                _ => {}
            }
        }
        allowed
    }
}

impl<'a> Reader<'a> {
    fn of(world: &'a WorldFile) -> Self {
        let people = world.actors.iter();
        let people = people.map(|actor| (actor.name.as_str(), names_of(actor, world)));
        let items = world.items.iter().map(|item| {
            let names = std::iter::once(&item.name).chain(&item.called);
            (
                item.name.as_str(),
                names.map(|name| SearchedText::of(name)).collect(),
            )
        });
        Self {
            world,
            people: people.collect(),
            items: items.collect(),
            watched: Watched::default(),
        }
    }

    fn read(&mut self) {
        let world = self.world;
        for (path, scene) in each("scenes", &world.scenes) {
            self.scene(&path, scene);
        }
        for (path, item) in each("items", &world.items) {
            for (path, does) in each(&format!("{path}.uses"), &item.uses) {
                self.item_use(&path, &item.name, does);
            }
        }
        for (path, foe) in each("foes", &world.foes) {
            for (path, moved) in each(&format!("{path}.moved_by"), &foe.moved_by) {
                let allowed = Allowed::default().under(&moved.when);
                self.told(format!("{path}.seen"), &moved.seen, true, &allowed);
            }
            self.voice(&path, &foe.name, &foe.voice);
        }
        for (path, actor) in each("actors", &world.actors) {
            self.told(
                format!("{path}.look"),
                &actor.look,
                true,
                &Allowed::default(),
            );
            self.voice(&path, &actor.name, &actor.voice);
            for (path, goal) in each(&format!("{path}.goals"), &actor.goals) {
                let (met, lost) = (format!("{path}.met_words"), format!("{path}.lost_words"));
                self.line(met, &actor.name, &goal.met_words, Some(&goal.met));
                self.line(lost, &actor.name, &goal.lost_words, Some(&goal.lost));
            }
        }
        for (path, quality) in each("qualities", &world.qualities) {
            for (path, step) in each(&format!("{path}.steps"), &quality.steps) {
                self.told(
                    format!("{path}.text"),
                    &step.text,
                    false,
                    &Allowed::default(),
                );
            }
        }
        for (path, ending) in each("endings", &world.endings) {
            let allowed = self.knowingly(&ending.when);
            self.told(format!("{path}.closing"), &ending.closing, false, &allowed);
        }
    }

    fn scene(&mut self, path: &str, scene: &'a Scene) {
        let absent = scene.absent.iter().map(String::as_str).collect();
        let moved = Vec::new();
        let allowed = Allowed { absent, moved }.under(&scene.when);
        // What comes of a scene may be seen from its beginning.
        let options = scene.options().flat_map(|option| &option.effects);
        let at_first = allowed.with(scene.effects.iter().chain(options));
        self.told(format!("{path}.opening"), &scene.opening, true, &at_first);
        for (path, own) in each(&format!("{path}.opening_for"), &scene.opening_for) {
            self.told(format!("{path}.text"), &own.text, true, &at_first);
        }
        self.effects(path, &scene.effects, &allowed);
        for (number, (path, choice)) in choices(path, scene).enumerate() {
            let asked = format!("{}/{number}", scene.id);
            let others = each(&format!("{path}.instead"), &choice.instead)
                .map(|(path, it)| (path, &it.question, allowed.under(&it.when)));
            let first = (path.clone(), &choice.question, allowed.clone());
            for (path, question, allowed) in others.chain([first]) {
                let text = (format!("{path}.question"), question.as_str());
                self.asked(format!("{asked}?{question}"), text, &allowed);
            }
            for (path, option) in each(&format!("{path}.options"), &choice.options) {
                let conditions = [&scene.when, &option.when].map(Condition::parts);
                let held = conditions
                    .into_iter()
                    .flatten()
                    .filter_map(|part| match part {
                        Condition::Holds(_, item) => Some(item.clone()),
                        _ => None,
                    });
                let of = (format!("{path}.effects"), held.collect());
                let options = &mut self.watched.options;
                options.insert(format!("{}/{}", scene.id, option.id), of);
                let is_label = option.seen.is_empty();
                let field = if is_label { "label" } else { "seen" };
                let allowed = allowed.under(&option.when);
                let label = (format!("{path}.label"), option.label.as_str());
                self.asked(format!("{asked}/{}", option.id), label, &allowed);
                let effects = option.effects.iter().chain(&scene.effects);
                self.told(
                    format!("{path}.{field}"),
                    option.told(),
                    true,
                    &allowed.with(effects),
                );
                self.effects(&path, &option.effects, &allowed);
            }
        }
    }

    fn item_use(&mut self, path: &str, item: &'a str, does: &'a ItemUse) {
        let (absent, moved) = (vec![item, &does.with], Vec::new());
        let allowed = Allowed { absent, moved }.under(&does.when);
        self.told(
            format!("{path}.seen"),
            &does.seen,
            true,
            &allowed.with(&does.effects),
        );
        self.effects(path, &does.effects, &allowed);
    }

    /// What effects tell. All of them have applied by then.
    fn effects(&mut self, path: &str, effects: &'a [Effect], allowed: &Allowed<'a>) {
        let mut allowed = allowed.with(effects);
        allowed.absent.extend(effects.iter().filter_map(ended_by));
        for (path, effect) in each(&format!("{path}.effects"), effects) {
            match effect.bare() {
                Effect::Tell(text) => self.told(part(&path, 0), text, true, &allowed),
                Effect::Announce(text) => self.told(part(&path, 0), text, false, &allowed),
                Effect::TellTo(_, text) => self.told(part(&path, 1), text, false, &allowed),
                _ => {}
            }
        }
    }

    fn voice(&mut self, path: &str, of: &str, voice: &'a Voice) {
        for (path, line) in each(&format!("{path}.voice.lines"), &voice.lines) {
            self.line(path, of, line, None);
        }
    }

    /// A line that somebody may say anywhere, about a goal if it has a condition.
    fn line(&mut self, path: String, by: &str, line: &str, when: Option<&'a Condition>) {
        let allowed = when.map_or_else(Allowed::default, |when| self.knowingly(when));
        if let Some(text) = self.names(path, line, false, &allowed) {
            let lines = self.watched.by_speaker.entry(by.to_owned()).or_default();
            lines.push((line.to_owned(), self.watched.texts.len()));
            self.watched.texts.push(text);
        }
    }

    fn told(&mut self, path: String, words: &str, is_here: bool, allowed: &Allowed<'_>) {
        if let Some(text) = self.names(path, words, is_here, allowed) {
            let same = self.watched.by_words.entry(words.to_owned()).or_default();
            same.push(self.watched.texts.len());
            self.watched.texts.push(text);
        }
    }

    /// What whoever decides is asked, who may have to do with somebody elsewhere.
    fn asked(&mut self, key: String, (path, words): (String, &str), allowed: &Allowed<'_>) {
        if let Some(text) = self.names(path, words, false, allowed) {
            let texts = &mut self.watched.texts;
            self.watched.by_choice.insert(key, texts.len());
            texts.push(text);
        }
    }

    /// Whom and what a text that is told because of a condition may name: what that is about, and
    /// what the choices that it names have put an end to.
    fn knowingly(&self, condition: &'a Condition) -> Allowed<'a> {
        let mut absent = named_in(condition);
        for part in condition.parts() {
            if let Condition::Chose(scene, option) = part {
                let scenes = self.world.scenes.iter().filter(|known| known.id == *scene);
                let options = scenes
                    .flat_map(Scene::options)
                    .filter(|known| known.id == *option);
                absent.extend(
                    options
                        .flat_map(|option| &option.effects)
                        .filter_map(ended_by),
                );
            }
        }
        let moved = Vec::new();
        Allowed { absent, moved }
    }

    fn names(
        &self,
        path: String,
        words: &str,
        is_here: bool,
        allowed: &Allowed<'_>,
    ) -> Option<ToldText> {
        let text = SearchedText::of(words);
        let named = |(name, forms): &(&str, Vec<SearchedText>)| {
            let is_said = forms.iter().any(|form| text.contains(form));
            (is_said && !allowed.absent.contains(name)).then(|| Named {
                name: (*name).to_owned(),
                is_here: is_here && !allowed.moved.contains(name),
            })
        };
        (!words.is_empty()).then(|| ToldText {
            path,
            people: self.people.iter().filter_map(named).collect(),
            items: self.items.iter().filter_map(named).collect(),
        })
    }
}

/// Whom and what a condition is about.
fn named_in(condition: &Condition) -> Vec<&str> {
    let names = condition.parts().into_iter().flat_map(|part| match part {
        Condition::Alive(who) | Condition::Fell(who) | Condition::At(who, _) => vec![who.as_str()],
        Condition::Together(names) => names.iter().map(String::as_str).collect(),
        Condition::Holds(_, item) => vec![item.as_str()],
        _ => Vec::new(),
    });
    names.collect()
}

/// Whom or what an effect puts an end to.
fn ended_by(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::Destroy(name) | Effect::Kill(name) => Some(name),
        _ => None,
    }
}

/// What an actor is called: by its name, and by its given name and as others address it if nobody
/// else could be meant.
fn names_of(actor: &Actor, world: &WorldFile) -> Vec<SearchedText> {
    let is_own = |called: &&str| {
        let others = world.actors.iter().filter(|other| other.name != actor.name);
        let others = others.flat_map(|other| [&other.name, &other.called]);
        let mut others = others.chain(world.foes.iter().map(|foe| &foe.name));
        !called.is_empty() && !others.any(|other| other.contains(called))
    };
    let called = [
        given_name(&actor.name, world.language),
        Some(&*actor.called),
    ];
    let called = called.into_iter().flatten().filter(is_own);
    let names = std::iter::once(actor.name.as_str()).chain(called);
    names.map(SearchedText::of).collect()
}

/// The first of several English names, the last two characters of three in a Chinese one.
fn given_name(name: &str, language: Language) -> Option<&str> {
    match language {
        Language::En => name.split_once(' ').map(|(given, _)| given),
        Language::Zh => {
            let mut characters = name.char_indices().skip(1);
            let (start, _) = characters.next()?;
            (characters.count() == 1).then(|| name.get(start..))?
        }
    }
}
