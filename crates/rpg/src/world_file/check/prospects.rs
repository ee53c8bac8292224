//! What may come about in a world, as far as its file says: what a condition asks for in vain is
//! none of it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use playhouse_engine::knowledge::{Fact, KnownBy};
use playhouse_engine::locale::{Argument, UiText, text};

use super::report::NameSet;
use crate::drama::{Condition, ConditionContext, Effect, Impossible, Occasion, PARTY, Scene};
use crate::world_file::types::{
    Actor, ActorFaction, CampaignStep, FoeSpec, STAY, StageKind, WorldFile,
};

/// A scene by its id, or one of its options.
pub(super) type Node<'a> = (&'a str, Option<&'a str>);

/// When a condition is asked.
#[derive(Clone, Copy)]
pub(super) enum Moment<'a> {
    /// At any meeting, also of a fight: goals, and endings that may come early.
    AnyTime,
    /// When a scene would open.
    Opening(&'a Scene),
    /// When somebody in a scene decides.
    Choice(&'a Scene),
    /// When a step of the schedule would begin.
    Step,
    /// When the schedule is over.
    End,
}

/// What may come about in a world.
#[derive(Default)]
pub(super) struct Prospects<'a> {
    facts: BTreeMap<&'a str, &'a Fact>,
    actors: BTreeMap<&'a str, &'a Actor>,
    foes: BTreeMap<&'a str, &'a FoeSpec>,
    stages: BTreeMap<&'a str, StageKind>,
    qualities: BTreeMap<&'a str, Range>,
    /// Items that are somewhere, at the start or later.
    placed: Known<'a>,
    /// The facts that an effect or an item teaches, to anybody.
    taught: Known<'a>,
    /// Who is taught a fact by an effect: fact and name.
    learners: BTreeSet<(&'a str, &'a str)>,
    /// Whom an effect moves, revives or lets join the party.
    moved: Known<'a>,
    /// Whether an effect or the map lets people walk into a dungeon.
    dungeons_are_open: bool,
    /// The stages of fights, and from which day on each can be reached.
    fights: BTreeMap<&'a str, Option<u32>>,
    /// What votes offer, and from which day on.
    votes: BTreeMap<&'a str, u32>,
    number_of_votes: usize,
    /// Whether a name of the course is unknown, so that anything may be part of it.
    course_is_unknown: bool,
    /// The number of days at home if all conditions of the schedule hold, and if none does.
    days: (u32, u32),
    begins_at_home: bool,
    rounds: i32,
    /// The claims that somebody is ever asked about.
    claims: BTreeSet<&'a str>,
    /// Whether everything that may matter could be read.
    is_whole: bool,
    scenes: BTreeMap<&'a str, &'a Scene>,
    /// The scenes that never open, and the options that nobody can ever take.
    pub(super) never: BTreeSet<Node<'a>>,
    /// The scenes that wait for each other, and in which circle.
    pub(super) circles: BTreeMap<&'a str, Rc<Vec<&'a str>>>,
}

/// What values a quality may have.
#[derive(Clone, Copy, Default)]
struct Range {
    start: i32,
    max: i32,
    least: i32,
    most: i32,
    /// Whether an effect raises it.
    is_raised: bool,
}

impl Range {
    fn change(&mut self, by: i32) {
        if by > 0 {
            self.most = self.max;
            self.is_raised = true;
        } else if by < 0 {
            self.least = 0;
        }
    }
}

/// Names; all of them if one that was written is unknown, since anything may have been meant.
#[derive(Default)]
struct Known<'a> {
    names: BTreeSet<&'a str>,
    may_be_any: bool,
}

impl<'a> Known<'a> {
    fn add(&mut self, name: &'a str, is_known: bool) {
        self.names.insert(name);
        self.may_be_any |= !is_known;
    }

    fn contains(&self, name: &str) -> bool {
        self.may_be_any || self.names.contains(name)
    }
}

impl<'a> Prospects<'a> {
    /// Those of a world. What could not be read may hold anything.
    pub(super) fn of(world: &'a WorldFile, is_whole: bool) -> Self {
        let mut prospects = Self {
            facts: by_name(&world.facts, |fact| &fact.id),
            actors: by_name(&world.actors, |actor| &actor.name),
            foes: by_name(&world.foes, |foe| &foe.name),
            scenes: by_name(&world.scenes, |scene| &scene.id),
            rounds: world.limits.home_rounds,
            claims: claims(world),
            is_whole,
            ..Self::default()
        };
        for stage in &world.stages {
            prospects.stages.entry(&stage.name).or_insert(stage.kind);
        }
        for quality in &world.qualities {
            let start = quality.start.clamp(0, quality.max.max(0));
            // Whoever tries something may change it.
            let may_vary = quality.attempts && world.limits.attempts > 0;
            let (least, most) = if may_vary {
                (0, quality.max)
            } else {
                (start, start)
            };
            prospects.qualities.entry(&quality.id).or_insert(Range {
                start,
                max: quality.max,
                least,
                most,
                is_raised: false,
            });
        }
        for item in &world.items {
            if !item.at.is_empty() {
                prospects.placed.add(&item.name, true);
            }
            for fact in &item.teaches {
                prospects
                    .taught
                    .add(fact, prospects.facts.contains_key(fact.as_str()));
            }
        }
        for stage in &world.stages {
            let mut ways = stage.connects.iter();
            let leads_in = ways.any(|to| prospects.kind(to) != Some(stage.kind));
            prospects.dungeons_are_open |= leads_in;
        }
        let items: NameSet<'_> = world.items.iter().map(|item| item.name.as_str()).collect();
        for effect in effects(world) {
            prospects.note(effect, &items);
        }
        prospects.note_course(world);
        prospects
    }

    /// Notes what an effect may bring about. Whatever a condition may ask for has to be noted, or
    /// the check calls it impossible.
    fn note(&mut self, effect: &'a Effect, items: &NameSet<'a>) {
        match effect {
            Effect::Teach(who, fact) | Effect::Tells(_, who, fact) => {
                self.learners.insert((fact, who));
                if !self.is_somebody(who) || !self.facts.contains_key(fact.as_str()) {
                    self.taught.add(fact, false);
                }
            }
            Effect::Reveal(fact) => {
                let is_known = self.facts.contains_key(fact.as_str());
                self.taught.add(fact, is_known);
            }
            Effect::Give(item, _) | Effect::Put(item, _) => {
                self.placed.add(item, items.contains(item.as_str()));
            }
            Effect::Add(id, by) => match self.qualities.get_mut(id.as_str()) {
                Some(range) => range.change(*by),
                None => self.qualities.values_mut().for_each(|range| {
                    range.change(1);
                    range.change(-1);
                }),
            },
            // A foe that joins the party is a mistake of its own.
            Effect::Join(who) if self.foes.contains_key(who.as_str()) => {}
            Effect::Move(who, _) | Effect::Revive(who, _) | Effect::Join(who) => {
                self.moved.add(who, self.is_somebody(who));
            }
            Effect::OpenWay(from, to) => {
                self.dungeons_are_open |= self.kind(from) != Some(StageKind::Home);
                self.dungeons_are_open |= self.kind(to) != Some(StageKind::Home);
            }
            // What any bond, promise, life or death may come to is taken for possible anyway, and
            // the rest is nothing that a condition asks for.
            Effect::Destroy(_)
            | Effect::Bond(..)
            | Effect::Promise(..)
            | Effect::Break(..)
            | Effect::Keep(..)
            | Effect::Hurt(..)
            | Effect::Heal(..)
            | Effect::Wound(..)
            | Effect::Kill(_)
            | Effect::Leave(_)
            | Effect::CloseWay(..)
            | Effect::OpenDungeon(_)
            | Effect::CloseDungeon(_)
            | Effect::TellTo(..)
            | Effect::Tell(_)
            | Effect::Announce(_)
            | Effect::End(_) => {}
        }
    }

    fn note_course(&mut self, world: &'a WorldFile) {
        let dungeons = by_name(&world.dungeons, |dungeon| &dungeon.name);
        for dungeon in &world.dungeons {
            for fight in &dungeon.fights {
                self.fights.entry(&fight.stage).or_default();
                self.course_is_unknown |= self.kind(&fight.stage).is_none();
            }
        }
        let mut least_days = 0;
        for (number, step) in world.schedule.iter().enumerate() {
            for name in step.dungeons() {
                let Some(dungeon) = dungeons.get(name.as_str()) else {
                    self.course_is_unknown = true;
                    continue;
                };
                for fight in &dungeon.fights {
                    let day = self.fights.entry(&fight.stage).or_default();
                    day.get_or_insert(least_days);
                }
            }
            if let CampaignStep::Vote(names) = step.bare() {
                self.number_of_votes += 1;
                for name in names.iter().map(String::as_str).chain([STAY]) {
                    self.votes.entry(name).or_insert(least_days);
                }
            }
            let days = u32::try_from(step.days()).unwrap_or_default();
            self.days.0 = self.days.0.saturating_add(days);
            if matches!(step, CampaignStep::Home { .. }) {
                least_days += days;
                self.begins_at_home |= number == 0 && days > 0;
            }
        }
        self.days.1 = least_days;
    }

    fn kind(&self, stage: &str) -> Option<StageKind> {
        self.stages.get(stage).copied()
    }

    fn is_somebody(&self, name: &str) -> bool {
        let is_there = self.actors.contains_key(name) || self.foes.contains_key(name);
        name == PARTY || is_there
    }

    /// Whether somebody may be at a stage when a scene is played there.
    pub(super) fn may_be_at(&self, who: &str, stage: &str) -> bool {
        if !self.is_whole || self.moved.contains(who) {
            return true;
        }
        if self.foes.contains_key(who) {
            return false;
        }
        let stays_home = |actor: &&Actor| actor.faction == ActorFaction::Neutral;
        let is_neutral = self.actors.get(who).is_some_and(stays_home);
        let is_dungeon = self.kind(stage) == Some(StageKind::Dungeon);
        !is_neutral || !is_dungeon || self.dungeons_are_open
    }

    /// Whether nothing raises a quality so high but what somebody tries.
    pub(super) fn is_left_to_attempts(&self, id: &str, least: i32) -> bool {
        let range = self.qualities.get(id).filter(|range| !range.is_raised);
        let is_above = |range: &Range| range.start < least && least <= range.most;
        self.is_whole && range.is_some_and(is_above)
    }

    /// Whether a foe that is not moved by an effect is asked for when it can't be there: it comes
    /// when the party meets it, and is gone when its fight is over.
    fn is_gone(&self, who: &str, moment: Moment<'_>, if_it_returns: bool) -> bool {
        let foe = self.foes.get(who).filter(|_| !self.moved.contains(who));
        let is_between = !matches!(moment, Moment::AnyTime);
        foe.is_some_and(|foe| is_between && (if_it_returns || !foe.returns))
    }

    fn may_learn(&self, who: &str, fact: &Fact) -> bool {
        let is_hero = |name: &str| {
            let actor = self.actors.get(name);
            actor.is_some_and(|actor| actor.faction == ActorFaction::Hero)
                || self.moved.contains(name)
        };
        let is_meant = |name: &str| {
            name == who || (who == PARTY && is_hero(name)) || (name == PARTY && is_hero(who))
        };
        let at_start = match &fact.known_by {
            KnownBy::Everyone => true,
            KnownBy::Only(names) => names.iter().any(|name| is_meant(name)),
        };
        let mut learners = self.learners.iter();
        let is_told = learners.any(|(taught, name)| *taught == fact.id && is_meant(name));
        !fact.sworn || at_start || is_told || self.taught.contains(&fact.id)
    }
}

/// A world at a moment.
pub(super) struct Around<'p, 'a> {
    pub(super) prospects: &'p Prospects<'a>,
    pub(super) moment: Moment<'a>,
}

impl Around<'_, '_> {
    /// The scene about which is decided, or that would open, if it is played only once.
    fn plays_once(&self, scene: &str) -> bool {
        let scene = self.prospects.scenes.get(scene);
        scene.is_some_and(|scene| !scene.again)
    }

    fn settles_now(&self, occasion: Occasion) -> Option<(bool, UiText)> {
        if occasion == Occasion::Afternoon && self.prospects.rounds <= 1 {
            return Some((false, text!(drama_no_afternoon)));
        }
        let (Moment::Opening(scene) | Moment::Choice(scene)) = self.moment else {
            return None;
        };
        let is_at_home = match occasion {
            Occasion::Morning | Occasion::Afternoon | Occasion::Return => true,
            Occasion::Travel | Occasion::Camp | Occasion::Retreat => false,
        };
        let kind = self.prospects.kind(&scene.at)?;
        let stage = scene.at.as_str();
        let why = match kind {
            StageKind::Home => text!(drama_only_at_home, stage),
            StageKind::Dungeon => text!(drama_only_in_dungeon, stage),
        };
        (is_at_home != (kind == StageKind::Home)).then_some((false, why))
    }

    fn settles_quality(&self, id: &str, least: i32) -> Option<(bool, UiText)> {
        let range = *self.prospects.qualities.get(id)?;
        if least > range.max {
            return Some((false, text!(drama_above_max, max = range.max)));
        }
        if least > range.most {
            return Some((false, text!(drama_never_raised, id, most = range.most)));
        }
        let lowest = range.least;
        (least <= lowest).then(|| (true, text!(drama_never_lowered, id, lowest)))
    }

    fn settles_scene(&self, scene: &str) -> Option<(bool, Impossible)> {
        let circle = self.prospects.circles.get(scene);
        let waits_too = |own: &Scene| {
            let own = self.prospects.circles.get(own.id.as_str());
            own.zip(circle)
                .is_some_and(|(left, right)| Rc::ptr_eq(left, right))
        };
        match self.moment {
            Moment::Opening(own) if own.id == scene && (!own.again || circle.is_some()) => {
                let why = text!(drama_waits_for_itself);
                Some((false, Impossible::Itself(why)))
            }
            Moment::Choice(own) if own.id == scene => {
                let why = text!(drama_scene_is_played, scene);
                Some((true, Impossible::Itself(why)))
            }
            Moment::Opening(own) | Moment::Choice(own) if waits_too(own) => {
                let scenes = Argument::list(circle.into_iter().flat_map(|circle| circle.iter()));
                let why = text!(drama_wait_in_circle, scenes);
                Some((false, Impossible::Itself(why)))
            }
            _ if self.prospects.never.contains(&(scene, None)) => {
                let why = text!(drama_scene_never_opens, scene);
                Some((false, Impossible::Here(why)))
            }
            _ => None,
        }
    }

    fn settles_choice(&self, scene: &str, option: &str) -> Option<(bool, Impossible)> {
        match self.moment {
            Moment::Opening(own) | Moment::Choice(own) if own.id == scene && !own.again => {
                let why = text!(drama_not_decided_yet, scene);
                return Some((false, Impossible::Itself(why)));
            }
            _ => {}
        }
        let is_never = self.prospects.never.contains(&(scene, Some(option)));
        let waits = self.settles_scene(scene).filter(|(holds, _)| !holds);
        let never_taken = || Impossible::Here(text!(drama_option_never_taken, scene, option));
        waits.or_else(|| is_never.then(|| (false, never_taken())))
    }

    fn settles_day(&self, day: u32) -> Option<(bool, UiText)> {
        let (most, certain) = self.prospects.days;
        let least = match self.moment {
            Moment::End => certain,
            Moment::Opening(_) | Moment::Choice(_) => u32::from(self.prospects.begins_at_home),
            Moment::AnyTime | Moment::Step => 0,
        };
        if day > most {
            return Some((false, text!(drama_too_late, days = most)));
        }
        (day <= least).then(|| (true, text!(drama_always_day, day)))
    }

    fn settles_fight(&self, stage: &str) -> Option<(bool, UiText)> {
        self.prospects.kind(stage)?;
        let why = match self.prospects.fights.get(stage) {
            _ if self.prospects.course_is_unknown => return None,
            None => text!(drama_no_fight_there, stage),
            Some(None) => text!(drama_never_visited, stage),
            Some(Some(_)) => return None,
        };
        Some((false, why))
    }
}

impl Around<'_, '_> {
    /// Foes are where they fight.
    fn is_any_time(&self) -> bool {
        matches!(self.moment, Moment::AnyTime)
    }

    /// What the world file alone decides, scenes and choices aside.
    fn settles_state(&self, condition: &Condition) -> Option<(bool, UiText)> {
        let prospects = self.prospects;
        let gone = |who: &str, if_it_returns| {
            let is_gone = prospects.is_gone(who, self.moment, if_it_returns);
            is_gone.then(|| (false, text!(drama_foe_is_gone, foe = who)))
        };
        let anybody = |who: &str| prospects.actors.contains_key(who);
        match condition {
            Condition::Knows(who, fact) => {
                let fact = prospects.facts.get(fact.as_str())?;
                if fact.is_common() && anybody(who) {
                    return Some((true, text!(drama_everyone_knows, fact = fact.id.as_str())));
                }
                let why = || text!(drama_sworn, who, fact = fact.id.as_str());
                let is_sworn = self.prospects.is_somebody(who) && !prospects.may_learn(who, fact);
                gone(who, false).or_else(|| is_sworn.then(|| (false, why())))
            }
            Condition::Holds(who, item) => {
                let is_nowhere = !prospects.placed.contains(item);
                let nowhere = || (false, text!(drama_item_nowhere, item));
                gone(who, false).or_else(|| is_nowhere.then(nowhere))
            }
            Condition::At(who, stage) => gone(who, true).or_else(|| {
                let may_be = self.is_any_time() || prospects.may_be_at(who, stage);
                (!may_be).then(|| (false, text!(drama_stays_home, who, stage)))
            }),
            Condition::Together(names) => names.iter().find_map(|who| gone(who, true)),
            Condition::Alive(who) => gone(who, true),
            Condition::Quality(id, least) => self.settles_quality(id, *least),
            Condition::Bond(from, _, least) => {
                let lowest = || (true, text!(drama_lowest_bond));
                let is_lowest = *least <= -3 && anybody(from);
                gone(from, false).or_else(|| is_lowest.then(lowest))
            }
            Condition::Day(day) => self.settles_day(*day),
            Condition::Now(occasion) => self.settles_now(*occasion),
            Condition::Voted(winner) => {
                let is_offered =
                    prospects.votes.contains_key(winner.as_str()) || prospects.course_is_unknown;
                let why = || text!(drama_no_vote_for, winner);
                (!is_offered).then(|| (false, why()))
            }
            Condition::Fought(stage, _) => self.settles_fight(stage),
            Condition::Fell(who) => gone(who, false),
            Condition::Judged { claim, .. } => {
                let is_asked = prospects.claims.contains(claim.as_str()) || claim.trim().is_empty();
                (!is_asked).then(|| (false, text!(drama_nobody_judges)))
            }
            // Nothing of the world file forbids these, or they have parts.
            Condition::Happened(_)
            | Condition::Chose(..)
            | Condition::Told(..)
            | Condition::Promised(..)
            | Condition::Promise(..)
            | Condition::Goal(..)
            | Condition::Chance(_)
            | Condition::Always
            | Condition::Never
            | Condition::All(_)
            | Condition::Any(_)
            | Condition::Not(_) => None,
        }
    }
}

impl ConditionContext for Around<'_, '_> {
    fn settles(&self, condition: &Condition) -> Option<(bool, Impossible)> {
        if !self.prospects.is_whole {
            return None;
        }
        match condition {
            Condition::Happened(scene) => self.settles_scene(scene),
            Condition::Chose(scene, option) => self.settles_choice(scene, option),
            condition => {
                let (holds, why) = self.settles_state(condition)?;
                Some((holds, Impossible::Here(why)))
            }
        }
    }

    fn first_day(&self, condition: &Condition) -> u32 {
        let prospects = self.prospects;
        if !prospects.is_whole || prospects.course_is_unknown {
            return 0;
        }
        match condition {
            Condition::Fought(stage, _) => prospects.fights.get(stage.as_str()).copied().flatten(),
            Condition::Voted(winner) => prospects.votes.get(winner.as_str()).copied(),
            _ => None,
        }
        .unwrap_or_default()
    }

    fn holds_alone(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Voted(_) => self.prospects.number_of_votes == 1,
            Condition::Chose(scene, _) => self.plays_once(scene),
            _ => false,
        }
    }
}

/// All effects of a world.
pub(super) fn effects(world: &WorldFile) -> impl Iterator<Item = &Effect> {
    let of_scenes = world.scenes.iter().flat_map(|scene| {
        let options = scene.choice.iter().flat_map(|choice| &choice.options);
        let of_options = options.flat_map(|option| &option.effects);
        scene.effects.iter().chain(of_options)
    });
    let uses = world.items.iter().flat_map(|item| &item.uses);
    of_scenes.chain(uses.flat_map(|does| &does.effects))
}

/// The claims that somebody is ever asked about: those in the condition of a scene, an option or an
/// ending.
fn claims(world: &WorldFile) -> BTreeSet<&str> {
    let scenes = world.scenes.iter().flat_map(|scene| {
        let options = scene.choice.iter().flat_map(|choice| &choice.options);
        std::iter::once(&scene.when).chain(options.map(|option| &option.when))
    });
    let endings = world.endings.iter().map(|ending| &ending.when);
    let parts = scenes.chain(endings).flat_map(Condition::parts);
    let claims = parts.filter_map(|part| match part {
        Condition::Judged { claim, .. } => Some(claim.as_str()),
        _ => None,
    });
    claims.collect()
}

/// The first of each name.
fn by_name<'a, T>(list: &'a [T], name: impl Fn(&'a T) -> &'a String) -> BTreeMap<&'a str, &'a T> {
    let mut named = BTreeMap::new();
    for element in list {
        named.entry(name(element).as_str()).or_insert(element);
    }
    named
}
