//! Whether those whom a scene or the use of an item tells of are there, and so are the things:
//! nothing that was played may contradict what the writer wrote before.

use playhouse_engine::locale::text;
use playhouse_engine::mind::Language;
use playhouse_engine::wording::FoldedText;

use super::report::{Report, choices, each, part};
use crate::drama::{Condition, Effect, Item, ItemUse, Occasion, PARTY, Scene};
use crate::world_file::types::{Actor, ActorFaction, StageKind, WorldFile};

/// The most people, and the most things, that are looked for in texts.
const MAX_NAMES: usize = 500;

/// Warns of everybody whom a text tells of and whom none of its conditions mentions.
pub(super) fn check(report: &mut Report<'_>) {
    let world = report.world;
    let items = world
        .items
        .iter()
        .take(MAX_NAMES)
        .map(|item| (item, names_of_thing(item, world.language)));
    let actors = world.actors.iter().take(MAX_NAMES);
    let mut check = PresenceCheck {
        people: actors
            .map(|actor| (actor, names_of(actor, world)))
            .collect(),
        items: items.collect(),
        report,
    };
    for (path, scene) in each("scenes", &world.scenes) {
        if check.report.is_full() {
            return;
        }
        check.scene(&path, scene);
        check_beds(check.report, &path, scene);
    }
    for (path, item) in each("items", &world.items) {
        for (path, does) in each(&format!("{path}.uses"), &item.uses) {
            check.item_use(&path, item, does);
        }
    }
}

/// Warns of everybody whom a scene of the morning needs, and who wakes up elsewhere.
fn check_beds(report: &mut Report<'_>, path: &str, scene: &Scene) {
    let world = report.world;
    let requires = |what: &dyn Fn(&Condition) -> bool| {
        says(&scene.when, true, &|condition, holds| {
            holds && what(condition)
        })
    };
    let is_morning = requires(&|condition| match condition {
        Condition::Now(occasion) => *occasion == Occasion::Morning,
        Condition::Round(round) => *round == 1,
        Condition::Hour(hour) => world.rounds.first() == Some(hour),
        _ => false,
    });
    let is_later = requires(&|condition| matches!(condition, Condition::Day(day) if *day > 1));
    let sleepers = world.actors.iter().filter(|actor| {
        let comes = |effect: &Effect| match effect.bare() {
            Effect::Move(who, to) => *who == actor.name && *to == scene.at,
            _ => false,
        };
        let is_needed = |condition: &Condition| match condition {
            Condition::At(who, at) => *who == actor.name && *at == scene.at,
            _ => false,
        };
        let beds = actor.dawns.iter().map(|dawn| &dawn.at);
        let first = Some(&actor.stage).filter(|_| !is_later);
        !actor.sleeps.is_empty()
            && !scene.cast.contains(&actor.name)
            && beds.chain(first).all(|at| *at != scene.at)
            && actor.sleeps != scene.at
            && requires(&is_needed)
            && !world.effects().any(comes)
    });
    for Actor { name, sleeps, .. } in sleepers.filter(|_| is_morning) {
        let wrong = text!(
            drama_sleeps_elsewhere,
            who = name,
            stage = &scene.at,
            sleeps
        );
        report.warn(
            &format!("{path}.when"),
            wrong,
            text!(drama_let_come, who = name),
        );
    }
}

struct PresenceCheck<'n, 'r, 'a> {
    people: Vec<(&'a Actor, Vec<SearchedText>)>,
    items: Vec<(&'a Item, Vec<SearchedText>)>,
    report: &'n mut Report<'r>,
}

/// A text or a name. Most names are in no text, which its small letters tell fastest.
#[derive(Clone, Debug)]
pub(crate) struct SearchedText {
    lowercase: String,
    folded: FoldedText,
}

impl SearchedText {
    pub(crate) fn of(text: &str) -> Self {
        Self {
            lowercase: text.to_lowercase(),
            folded: FoldedText::of(text),
        }
    }

    pub(crate) fn contains(&self, name: &Self) -> bool {
        self.lowercase.contains(&name.lowercase) && self.folded.contains_words(&name.folded)
    }
}

/// A text, and what is certain when it is told.
struct TextContext<'a> {
    source: TextSource<'a>,
    conditions: Vec<&'a Condition>,
    /// Who is there since it decides, one of several if so.
    deciders: &'a [String],
    /// What applies with it, or may have been told in it.
    effects: Vec<&'a Effect>,
}

/// Where a text stands.
#[derive(Clone, Copy)]
enum TextSource<'a> {
    Scene(&'a Scene),
    Use(&'a Item, &'a ItemUse),
}

impl<'a> TextSource<'a> {
    /// The stage where it is told, if it is always the same.
    fn place(self) -> &'a str {
        match self {
            Self::Scene(scene) => &scene.at,
            Self::Use(_, does) => &does.with,
        }
    }

    /// Whether it may be told of an actor or an item that is not there.
    fn allows_absent(self, name: &str) -> bool {
        match self {
            Self::Scene(scene) => {
                let mut named = scene.absent.iter().chain(&scene.among).chain(&scene.cast);
                named.any(|named| named == name)
            }
            // What is used, and with whom or what, is there.
            Self::Use(item, does) => item.name == name || does.with == name,
        }
    }
}

impl<'a> PresenceCheck<'_, '_, 'a> {
    fn item_use(&mut self, path: &str, item: &'a Item, does: &'a ItemUse) {
        let told = TextContext {
            source: TextSource::Use(item, does),
            conditions: vec![&does.when],
            deciders: &[],
            effects: does.effects.iter().map(Effect::bare).collect(),
        };
        self.text(&format!("{path}.seen"), &does.seen, &told);
        self.effects(path, &does.effects, &told);
    }

    fn scene(&mut self, path: &str, scene: &'a Scene) {
        let of_options = scene.options().flat_map(|option| &option.effects);
        let mut told = TextContext {
            source: TextSource::Scene(scene),
            conditions: vec![&scene.when],
            deciders: &[],
            effects: scene
                .effects
                .iter()
                .chain(of_options)
                .map(Effect::bare)
                .collect(),
        };
        self.text(&format!("{path}.opening"), &scene.opening, &told);
        for (path, own) in each(&format!("{path}.opening_for"), &scene.opening_for) {
            self.text(&format!("{path}.text"), &own.text, &told);
        }
        self.effects(path, &scene.effects, &told);
        for (path, choice) in choices(path, scene) {
            told.deciders = &choice.who;
            for (path, option) in each(&format!("{path}.options"), &choice.options) {
                told.conditions = vec![&scene.when, &option.when];
                let effects = scene.effects.iter().chain(&option.effects);
                told.effects = effects.map(Effect::bare).collect();
                let is_label = option.seen.is_empty();
                let field = if is_label { "label" } else { "seen" };
                self.text(&format!("{path}.{field}"), option.told(), &told);
                self.effects(&path, &option.effects, &told);
            }
        }
    }

    /// What effects tell at the place.
    fn effects(&mut self, path: &str, effects: &[Effect], told: &TextContext<'a>) {
        for (path, effect) in each(&format!("{path}.effects"), effects) {
            if let Effect::Tell(text) = effect.bare() {
                self.text(&part(&path, 0), text, told);
            }
        }
    }

    fn text(&mut self, path: &str, text: &str, told: &TextContext<'a>) {
        let text = SearchedText::of(text);
        let says = |names: &[SearchedText]| names.iter().any(|name| text.contains(name));
        for (actor, names) in &self.people {
            if says(names) && !told.places(actor, self.report.world) {
                let who = actor.name.as_str();
                let (wrong, right) = match told.source {
                    TextSource::Scene(Scene { at: stage, .. }) => {
                        let right = text!(drama_let_be_there, who, stage);
                        (text!(drama_names_somebody, who, stage), right)
                    }
                    TextSource::Use(Item { name: item, .. }, _) => {
                        let right = text!(drama_let_be_there_at_use, who, item);
                        (text!(drama_use_names_somebody, who), right)
                    }
                };
                self.report.warn(path, wrong, right);
            }
        }
        for (Item { name: item, .. }, names) in &self.items {
            if says(names) && !told.places_item(item) {
                let right = match told.source {
                    TextSource::Scene(_) => text!(drama_let_be_held, item),
                    TextSource::Use(..) => text!(drama_let_be_held_at_use, item),
                };
                self.report
                    .warn(path, text!(drama_names_a_thing, item), right);
            }
        }
    }
}

impl TextContext<'_> {
    /// Whether something says that an actor is at the stage, or is not.
    fn places(&self, actor: &Actor, world: &WorldFile) -> bool {
        let (who, place) = (actor.name.as_str(), self.source.place());
        let is_away = world
            .stage(place)
            .is_some_and(|stage| stage.kind == StageKind::Dungeon);
        let is_moved = |effect: &&Effect| match effect {
            Effect::Revive(whom, to) => whom == who && to == place,
            _ => false,
        };
        let is_at = |of: &str, condition: &Condition| match condition {
            Condition::At(whom, stage) => whom == of && stage == place,
            // On a journey all who have not fallen are with the party.
            Condition::Alive(whom) => is_away && whom == of,
            // The user of an item holds it.
            Condition::Holds(whom, held) => {
                let is_used = |item: &Item| item.name == *held;
                whom == of && matches!(self.source, TextSource::Use(item, _) if is_used(item))
            }
            _ => false,
        };
        let mentions = |condition: &Condition, holds: bool| match condition {
            Condition::Together(names) => {
                let is_there = |other: &String| {
                    self.deciders == std::slice::from_ref(other)
                        || self.says(&|condition, holds| holds && is_at(other, condition))
                };
                holds && names.iter().any(|name| name == who) && names.iter().any(is_there)
            }
            // Those who have come back are where they live.
            Condition::Now(Occasion::Return) => {
                holds && actor.stage == place && actor.faction == ActorFaction::Hero
            }
            condition => is_at(who, condition),
        };
        let mut deciders = self.deciders.iter();
        let is_hero = actor.faction == ActorFaction::Hero;
        // Where there is one place, everybody is there.
        if let [_] = &*world.stages {
            return true;
        }
        deciders.any(|name| name == who || name == PARTY && is_hero)
            || self.source.allows_absent(who)
            || self.effects.iter().any(is_moved)
            || self.says(&mentions)
    }

    /// Whether something says where a thing is, or moves it.
    fn places_item(&self, name: &str) -> bool {
        let moves = |effect: &&Effect| match effect {
            Effect::Give(item, _)
            | Effect::Put(item, _)
            | Effect::Destroy(item)
            | Effect::Become(item, _) => item == name,
            _ => false,
        };
        let mentions = |condition: &Condition, _| match condition {
            Condition::Holds(_, item) => item == name,
            _ => false,
        };
        self.source.allows_absent(name) || self.effects.iter().any(moves) || self.says(&mentions)
    }

    /// Whether a condition, in each case that it leaves open, says something of this kind.
    fn says(&self, what: &dyn Fn(&Condition, bool) -> bool) -> bool {
        self.conditions
            .iter()
            .any(|condition| says(condition, true, what))
    }
}

fn says(condition: &Condition, holds: bool, what: &dyn Fn(&Condition, bool) -> bool) -> bool {
    match condition {
        Condition::Not(condition) => says(condition, !holds, what),
        Condition::All(parts) | Condition::Any(parts) => {
            let mut parts = parts.iter().map(|part| says(part, holds, what));
            if matches!(condition, Condition::All(_)) == holds {
                parts.any(|says| says)
            } else {
                parts.len() > 0 && parts.all(|says| says)
            }
        }
        simple => what(simple, holds),
    }
}

/// What an actor is called: by its name, and by its given name if nobody shares it.
pub(crate) fn names_of(actor: &Actor, world: &WorldFile) -> Vec<SearchedText> {
    let given = given_name(&actor.name, world.language);
    let fighters = world
        .actors
        .iter()
        .map(|actor| actor.name.as_str())
        .chain(world.foes.iter().map(|foe| foe.name.as_str()));
    let given = given.filter(|given| {
        let bearers = fighters.filter(|name| name.contains(given));
        bearers.count() == 1
    });
    let names = [Some(actor.name.as_str()), given].into_iter().flatten();
    names.map(SearchedText::of).collect()
}

/// The first of several English names, the last two characters of three in a Chinese one.
pub(super) fn given_name(name: &str, language: Language) -> Option<&str> {
    match language {
        Language::En => name.split_once(' ').map(|(given, _)| given),
        Language::Zh => {
            let mut characters = name.char_indices().skip(1);
            let (start, _) = characters.next()?;
            (characters.count() == 1).then(|| name.get(start..))?
        }
    }
}

/// What texts call an item.
fn names_of_thing(item: &Item, language: Language) -> Vec<SearchedText> {
    let called = item.called.iter().map(|name| SearchedText::of(name));
    name_of_thing(&item.name, language)
        .into_iter()
        .chain(called)
        .collect()
}

/// What a thing is called, without its article. One English word may mean another thing as well.
fn name_of_thing(name: &str, language: Language) -> Option<SearchedText> {
    let mut articles = ["the ", "a ", "an "].into_iter();
    let bare = articles
        .find_map(|article| name.strip_prefix(article))
        .unwrap_or(name);
    let is_sure = language == Language::Zh || bare.contains(' ');
    is_sure.then(|| SearchedText::of(bare))
}
