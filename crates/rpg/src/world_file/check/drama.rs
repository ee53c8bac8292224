//! Facts, items, qualities, bonds, goals, scenes and endings: whether all their names exist, and
//! whether their numbers make sense.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use playhouse_engine::knowledge::{Fact, KnownBy};
use playhouse_engine::locale::{Argument, UiText, text};

use super::names::Kind;
use super::report::{Report, choices, each, part};
use crate::drama::{Choice, Condition, Effect, Ending, Item, PARTY, Scene};
use crate::world_file::types::{
    CampaignStep, FoeSpec, STAY, Stage, StageKind, WorldFile, is_nothing,
};

/// The maximum number of turns of talk in a scene.
const MAX_TURNS: u32 = 60;

/// The most hit points that an effect takes or gives, and the longest wound in days.
const MAX_HIT_POINTS: i32 = 9_999;
const MAX_WOUND: u32 = 99;

/// The last day that a file may name.
const MAX_DAY: u32 = 9_999;

/// How many endings are compared with all before them.
const MOST_COMPARED: usize = 100;

/// By how much an effect may change a bond.
const BOND_CHANGE: RangeInclusive<i32> = -6..=6;

pub(super) fn check(report: &mut Report<'_>) {
    let world = report.world;
    report.facts();
    for (path, item) in each("items", &world.items) {
        report.item(&path, item);
    }
    report.qualities();
    report.bonds();
    for (path, actor) in each("actors", &world.actors) {
        for (path, dawn) in each(&format!("{path}.dawns"), &actor.dawns) {
            report.require_kind(&format!("{path}.at"), Kind::HomeStage, &dawn.at);
            report.range(&format!("{path}.day"), dawn.day, 2..=MAX_DAY);
        }
        for (path, goal) in each(&format!("{path}.goals"), &actor.goals) {
            report.condition(&format!("{path}.met"), &goal.met);
            report.condition(&format!("{path}.lost"), &goal.lost);
        }
    }
    for (path, foe) in each("foes", &world.foes) {
        report.foe(&path, foe);
    }
    for (path, scene) in each("scenes", &world.scenes) {
        report.scene(&path, scene);
    }
    report.endings();
    for (path, step) in each("schedule", &world.schedule) {
        report.step(&path, step);
    }
}

impl Report<'_> {
    /// A name in a condition or an effect, where `party` may stand for any hero.
    fn refer(&mut self, path: &str, kind: Kind, name: &str) {
        let is_party = name == PARTY && !self.is_named(Kind::Fighter, PARTY);
        match kind {
            Kind::Entity | Kind::Fighter if name == PARTY => {}
            Kind::Person if is_party => {
                let right = text!(
                    drama_one_of,
                    names = Argument::list(self.names(Kind::Actor, 12))
                );
                self.error(path, text!(drama_not_the_party), right);
            }
            kind => self.require(path, kind, name),
        }
    }

    /// One name, or several.
    fn refer_each(&mut self, path: &str, kind: Kind, names: &[String]) {
        match names {
            [] => self.require(path, kind, ""),
            [name] => self.refer(path, kind, name),
            several => {
                for (path, name) in each(path, several) {
                    self.refer(&path, kind, name);
                }
                self.require_distinct(path, several);
            }
        }
    }

    /// The first arguments of a condition or an effect.
    fn arguments(&mut self, path: &str, names: &[(Kind, &str)]) {
        for (number, (kind, name)) in names.iter().enumerate() {
            self.refer(&part(path, number), *kind, name);
        }
    }

    /// One and another person: nobody promises anything to itself, or is bound to itself.
    fn two(&mut self, path: &str, (kind, from): (Kind, &str), to: &str) {
        self.arguments(path, &[(kind, from), (Kind::Person, to)]);
        if from == to && to != PARTY && !to.is_empty() {
            self.itself(&part(path, 1), to);
        }
    }

    fn itself(&mut self, path: &str, name: &str) {
        let wrong = text!(drama_to_itself, name);
        self.error(path, wrong, text!(drama_name_another));
    }

    /// Reports a number that is not in its range.
    fn range<T>(&mut self, path: &str, number: T, range: RangeInclusive<T>)
    where
        T: PartialOrd + Into<i64> + Copy,
    {
        if !range.contains(&number) {
            let (low, high): (i64, i64) = ((*range.start()).into(), (*range.end()).into());
            let wrong = text!(drama_out_of_range, low, high);
            self.error(path, wrong, text!(drama_change_it));
        }
    }

    fn facts(&mut self) {
        let world = self.world;
        let items = world.items.iter().filter(|item| self.is_somewhere(item));
        let read = items.flat_map(|item| &item.teaches);
        let taught = world.effects().filter_map(|effect| match effect {
            Effect::Teach(_, fact) | Effect::Reveal(fact) => Some(fact),
            _ => None,
        });
        let teachable: BTreeSet<&String> = read.chain(taught).collect();
        let mut masked: BTreeMap<&str, &str> = BTreeMap::new();
        for (path, fact) in each("facts", &world.facts) {
            self.known_by(&path, fact, teachable.contains(&fact.id));
            for (path, phrase) in each(&format!("{path}.phrases"), &fact.phrases) {
                if phrase.trim().is_empty() {
                    self.error(&path, text!(drama_empty_phrase), text!(drama_remove_it));
                } else if let Some(other) = masked.insert(phrase, &fact.id) {
                    let wrong = text!(drama_phrase_taken, fact = other);
                    self.warn(&path, wrong, text!(drama_other_phrase));
                }
            }
            if fact.title.trim().is_empty() {
                let path = format!("{path}.title");
                self.error(&path, text!(drama_no_title), text!(drama_write_title));
            }
            let path = format!("{path}.contradicts");
            if fact.contradicts == fact.id && !fact.id.is_empty() {
                let wrong = text!(drama_contradicts_itself);
                self.error(&path, wrong, text!(drama_remove_it));
            } else if !fact.contradicts.is_empty() {
                self.require(&path, Kind::Fact, &fact.contradicts);
            }
        }
    }

    /// Whether an item is held or lies somewhere, or can come to.
    fn is_somewhere(&self, item: &Item) -> bool {
        let comes = |effect: &Effect| match effect.bare() {
            Effect::Give(name, _) | Effect::Put(name, _) | Effect::Become(_, name) => {
                *name == item.name
            }
            _ => false,
        };
        !item.at.is_empty() || self.world.effects().any(comes)
    }

    fn known_by(&mut self, path: &str, fact: &Fact, is_taught: bool) {
        let KnownBy::Only(names) = &fact.known_by else {
            if !fact.phrases.is_empty() {
                let wrong = text!(drama_common_fact_has_phrases);
                self.warn(&format!("{path}.phrases"), wrong, text!(drama_remove_it));
            }
            return;
        };
        let list = format!("{path}.known_by.0");
        self.require_distinct(&list, names);
        for (path, name) in each(&list, names) {
            let is_near = || self.nearest(Kind::Entity, name).is_some();
            let kind = match name.as_str() {
                PARTY => Kind::Person,
                _ if self.is_named(Kind::Entity, name) || is_near() => Kind::Entity,
                // Agents and places may know something, and hardly ever do: none is offered.
                _ => Kind::Fighter,
            };
            self.refer(&path, kind, name);
        }
        if names.is_empty() && !is_taught {
            let wrong = text!(drama_nobody_can_know, id = fact.id.as_str());
            self.error(path, wrong, text!(drama_let_somebody_know));
        }
    }

    fn item(&mut self, path: &str, item: &Item) {
        let field = format!("{path}.at");
        let at = item.at.as_str();
        if !self.is_somewhere(item) && self.is_whole("scenes") {
            self.warn(&field, text!(drama_item_nowhere), text!(drama_place_item));
        }
        match at {
            "" => {}
            PARTY => self.refer(&field, Kind::Person, PARTY),
            _ if self.is_named(Kind::Agent, at) && !self.is_named(Kind::Holder, at) => {
                let wrong = text!(drama_agents_hold_nothing, agent = at);
                self.error(&field, wrong, text!(drama_give_to_somebody));
            }
            _ => self.require(&field, Kind::Holder, at),
        }
        let list = format!("{path}.teaches");
        self.require_distinct(&list, &item.teaches);
        for (path, fact) in each(&list, &item.teaches) {
            self.require(&path, Kind::Fact, fact);
        }
        for (path, does) in each(&format!("{path}.uses"), &item.uses) {
            if !does.with.is_empty() && !self.is_named(Kind::Item, &does.with) {
                self.require(&format!("{path}.with"), Kind::Entity, &does.with);
            }
            self.condition(&format!("{path}.when"), &does.when);
            self.effects(&format!("{path}.effects"), &does.effects);
        }
    }

    fn qualities(&mut self) {
        for (path, quality) in each("qualities", &self.world.qualities) {
            if quality.max <= 0 {
                let path = format!("{path}.max");
                self.error(&path, text!(drama_no_range), text!(drama_write_max));
            } else {
                self.range(&format!("{path}.start"), quality.start, 0..=quality.max);
            }
            let mut reached = BTreeSet::new();
            for (path, step) in each(&format!("{path}.steps"), &quality.steps) {
                let path = format!("{path}.at");
                self.range(&path, step.at, 0..=quality.max.max(0));
                if !reached.insert(step.at) {
                    self.report_twice(&path, &step.at.to_string());
                }
            }
        }
    }

    fn bonds(&mut self) {
        let mut bound = BTreeSet::new();
        for (path, bond) in each("bonds", &self.world.bonds) {
            let (from, to) = (&bond.from, &bond.to);
            let to_path = format!("{path}.to");
            self.refer(&format!("{path}.from"), Kind::Person, from);
            self.refer(&to_path, Kind::Person, to);
            if from == to && !from.is_empty() {
                self.itself(&to_path, to);
            } else if !bound.insert((from, to)) {
                let wrong = text!(drama_same_bond, from, to);
                self.error(&path, wrong, text!(drama_remove_it));
            }
            self.range(&format!("{path}.value"), bond.value, -3..=3);
        }
    }

    fn foe(&mut self, path: &str, foe: &FoeSpec) {
        let resolve = format!("{path}.resolve");
        self.range(&resolve, foe.resolve, 0..=5);
        if (foe.resolve > 0) == foe.moved_by.is_empty() {
            self.warn(&resolve, text!(drama_resolve_alone), text!(drama_change_it));
        }
        for (path, moved) in each(&format!("{path}.moved_by"), &foe.moved_by) {
            self.condition(&format!("{path}.when"), &moved.when);
            self.range(&format!("{path}.by"), moved.by, 1..=5);
        }
    }

    fn scene(&mut self, path: &str, scene: &Scene) {
        self.require(&format!("{path}.at"), Kind::Stage, &scene.at);
        let turns = scene.turns.unwrap_or_default();
        self.range(&format!("{path}.turns"), turns, 0..=MAX_TURNS);
        self.condition(&format!("{path}.when"), &scene.when);
        for (path, name) in each(&format!("{path}.absent"), &scene.absent) {
            if !self.is_named(Kind::Item, name) {
                self.require(&path, Kind::Entity, name);
            }
        }
        self.require_all(&format!("{path}.among"), Kind::Actor, &scene.among);
        for (path, own) in each(&format!("{path}.opening_for"), &scene.opening_for) {
            self.refer_each(&format!("{path}.to"), Kind::Fighter, &own.to);
        }
        self.effects(&format!("{path}.effects"), &scene.effects);
        self.require_all(&format!("{path}.cast"), Kind::Actor, &scene.cast);
        for (path, choice) in choices(path, scene) {
            self.choice(&path, choice, scene);
        }
    }

    fn choice(&mut self, path: &str, choice: &Choice, scene: &Scene) {
        let among = &scene.among;
        let who = format!("{path}.who");
        self.refer_each(&who, Kind::Fighter, &choice.who);
        let is_out = |name: &String| name != PARTY && !among.contains(name);
        if !among.is_empty() && choice.who.iter().all(is_out) {
            self.error(
                &who,
                text!(drama_decider_not_among),
                text!(drama_name_among),
            );
        } else if !choice.who.is_empty() && choice.who.iter().all(|who| self.is_far(who, scene)) {
            let wrong = text!(drama_decider_elsewhere);
            self.warn(&who, wrong, text!(drama_name_cast));
        }
        let list = format!("{path}.options");
        if choice.options.is_empty() {
            self.error(&list, text!(drama_no_options), text!(drama_write_options));
        }
        for (path, other) in each(&format!("{path}.instead"), &choice.instead) {
            self.condition(&format!("{path}.when"), &other.when);
        }
        for (path, option) in each(&list, &choice.options) {
            if is_nothing(&option.id) {
                let wrong = text!(drama_nothing_is_offered);
                self.error(&format!("{path}.id"), wrong, text!(drama_change_it));
            }
            self.condition(&format!("{path}.when"), &option.when);
            self.effects(&format!("{path}.effects"), &option.effects);
        }
    }

    /// Whether an actor lives elsewhere, and nothing makes it be in a scene.
    fn is_far(&self, who: &str, scene: &Scene) -> bool {
        let at = &scene.at;
        let is_who = |name: &String| name == who;
        let is_there = |condition: &Condition| match condition {
            Condition::At(name, place) => name == who && place == at,
            Condition::Together(names) => names.iter().any(is_who),
            _ => false,
        };
        let is_moved = |effect: &Effect| match effect.bare() {
            Effect::Move(name, place) | Effect::Revive(name, place) => {
                [who, PARTY].contains(&name.as_str()) && place == at
            }
            _ => false,
        };
        let is_home = |stage: &Stage| stage.kind == StageKind::Home;
        self.world.stage(at).is_some_and(is_home)
            && self.world.actor(who).is_some_and(|actor| {
                let wakes = actor.dawns.iter().map(|dawn| &dawn.at);
                ![&actor.stage, &actor.sleeps]
                    .into_iter()
                    .chain(wakes)
                    .any(|it| it == at)
            })
            && !scene.among.iter().chain(&scene.cast).any(is_who)
            && !scene
                .when
                .required("")
                .into_iter()
                .any(|(part, _)| is_there(part))
            && !self.world.effects().any(is_moved)
    }

    fn endings(&mut self) {
        let endings = &self.world.endings;
        for (number, (path, ending)) in each("endings", endings).enumerate() {
            let path = format!("{path}.when");
            let always_holds = ending.when.required("").is_empty();
            if always_holds && number + 1 < endings.len() {
                let wrong = text!(drama_hides_endings, id = ending.id.as_str());
                self.error(&path, wrong, text!(drama_put_it_last));
            }
            if !always_holds && number + 1 == endings.len() {
                let wrong = text!(drama_last_ending_needs_nothing);
                self.warn(&path, wrong, text!(drama_add_last_ending));
            }
            // The last one comes, whatever it needs.
            if number < MOST_COMPARED.min(endings.len() - 1)
                && let Some(why) = never_comes(self.world, number)
            {
                self.warn(&path, why, text!(drama_change_it));
            }
            self.condition(&path, &ending.when);
        }
    }

    fn step(&mut self, path: &str, step: &CampaignStep) {
        match step {
            CampaignStep::If(condition, then) => {
                let when = part(path, 0);
                if condition.is_judged() {
                    let wrong = text!(drama_judged_in_schedule);
                    self.error(&when, wrong, text!(drama_judge_in_scene));
                }
                self.condition(&when, condition);
                self.step(&part(path, 1), then);
            }
            CampaignStep::Vote(names) => {
                let mut names = each(&part(path, 0), names);
                if let Some((path, _)) = names.find(|(_, name)| *name == STAY) {
                    self.error(&path, text!(drama_stay_is_offered), text!(drama_remove_it));
                }
            }
            CampaignStep::Home { .. } | CampaignStep::Dungeon(_) => {}
        }
    }

    /// Every name in a condition exists, and every number makes sense.
    pub(super) fn condition(&mut self, path: &str, condition: &Condition) {
        use Condition as C;
        use Kind::{Dungeon, Entity, Fact, Fighter, Item, Quality, Scene, Stage};
        let first = part(path, 0);
        match condition {
            C::Always | C::Never | C::Now(_) => {}
            C::All(parts) | C::Any(parts) => {
                for (path, condition) in each(&first, parts) {
                    self.condition(&path, condition);
                }
            }
            C::Not(condition) => self.condition(&first, condition),
            C::Knows(who, fact) => self.arguments(path, &[(Entity, who), (Fact, fact)]),
            C::Holds(who, item) => self.arguments(path, &[(Entity, who), (Item, item)]),
            C::At(who, place) => self.arguments(path, &[(Fighter, who), (Stage, place)]),
            C::Together(names) => {
                self.require_distinct(&first, names);
                for (path, name) in each(&first, names) {
                    self.refer(&path, Fighter, name);
                }
                if names.len() < 2 {
                    self.warn(path, text!(drama_together_alone), text!(drama_name_two));
                }
            }
            C::Alive(who) | C::Fell(who) => self.refer(&first, Fighter, who),
            C::Quality(id, least) => {
                self.require(&first, Quality, id);
                self.at_least(&part(path, 1), *least, 1);
            }
            C::Bond(from, to, least) => {
                self.two(path, (Fighter, from), to);
                self.range(&part(path, 2), *least, -2..=3);
            }
            C::Day(day) => {
                self.at_least(&first, i32::try_from(*day).unwrap_or(i32::MAX), 1);
                if let Some(days) = self.days_at_home().filter(|days| day > days) {
                    let wrong = text!(drama_day_never_comes, days);
                    self.warn(&first, wrong, text!(drama_change_it));
                }
            }
            C::Round(round) => {
                let rounds = self.world.home_rounds();
                self.range(&first, *round, 1..=rounds);
            }
            C::Hour(name) if self.world.rounds.contains(name) => {}
            C::Hour(name) => {
                let wrong = text!(drama_no_such_hour, name);
                let help = if self.world.rounds.is_empty() {
                    text!(drama_add_one_first)
                } else {
                    let hours = Argument::list(self.world.rounds.iter().cloned());
                    text!(drama_one_of, names = hours)
                };
                self.error(&first, wrong, help);
            }
            C::Attempted(who, _) => self.refer(&first, Fighter, who),
            C::Voted(winner) if winner == STAY => {}
            C::Voted(winner) => self.require(&first, Dungeon, winner),
            C::Fought(stage, _) => self.require(&first, Stage, stage),
            C::Happened(scene) => self.require(&first, Scene, scene),
            C::Chose(scene, option) => self.require_option(path, scene, option),
            C::Told(from, to, fact) => {
                self.arguments(path, &[(Entity, from), (Entity, to), (Fact, fact)]);
            }
            C::Promised(from, to) | C::Promise(from, to, _) => {
                self.two(path, (Fighter, from), to);
            }
            C::Goal(who, number, _) => {
                self.refer(&first, Fighter, who);
                let goals = self.world.actor(who).map(|actor| actor.goals.len());
                if let Some(count) = goals.filter(|count| number >= count) {
                    let wrong = text!(drama_no_such_goal, count);
                    self.error(&part(path, 1), wrong, text!(drama_count_from_0));
                }
            }
            C::Chance(percent) => self.range(&first, *percent, 0..=100),
            C::Judged { claim, signs } => self.judged(path, claim, signs),
        }
    }

    /// How many days the story has; `None` if journeys or conditions decide it.
    fn days_at_home(&self) -> Option<u32> {
        let mut steps = self.world.schedule.iter();
        steps.try_fold(0u32, |sum, step| match step {
            CampaignStep::Home { days } => Some(sum.saturating_add(u32::try_from(*days).ok()?)),
            _ => None,
        })
    }

    /// Reports a number that is always reached.
    fn at_least(&mut self, path: &str, number: i32, least: i32) {
        if number < least {
            let wrong = text!(drama_always_reached, number);
            self.warn(path, wrong, text!(drama_write_more, least));
        }
    }

    fn judged(&mut self, path: &str, claim: &str, signs: &[String]) {
        let member = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        if claim.trim().is_empty() {
            let (wrong, right) = (text!(drama_empty_claim), text!(drama_write_claim));
            self.error(&member("claim"), wrong, right);
        }
        for (path, sign) in each(&member("signs"), signs) {
            if sign
                .chars()
                .all(|letter| letter == '…' || letter.is_whitespace())
            {
                self.error(&path, text!(drama_empty_sign), text!(drama_write_sign));
            }
        }
    }

    fn effects(&mut self, path: &str, effects: &[Effect]) {
        for (path, effect) in each(path, effects) {
            self.effect(&path, effect);
        }
    }

    fn effect(&mut self, path: &str, effect: &Effect) {
        use Effect as E;
        use Kind::{Dungeon, Ending, Entity, Fact, Fighter, Item, Person, Quality, Stage};
        let [first, second, third] = [0, 1, 2].map(|number| part(path, number));
        match effect {
            E::Teach(who, fact) => self.arguments(path, &[(Entity, who), (Fact, fact)]),
            E::Tells(from, to, fact) => {
                self.arguments(path, &[(Fighter, from), (Fighter, to), (Fact, fact)]);
            }
            E::Reveal(fact) => self.require(&first, Fact, fact),
            E::Give(item, to) => self.arguments(path, &[(Item, item), (Fighter, to)]),
            E::Put(item, place) => self.arguments(path, &[(Item, item), (Stage, place)]),
            E::Destroy(item) => self.require(&first, Item, item),
            E::Add(quality, by) => {
                self.require(&first, Quality, quality);
                self.changes(&second, *by);
            }
            E::Bond(from, to, by) => {
                self.two(path, (Fighter, from), to);
                self.changes(&third, *by);
                self.range(&third, *by, BOND_CHANGE);
            }
            E::Promise(from, to, _, kept) => {
                self.two(path, (Fighter, from), to);
                self.condition(&part(path, 3), kept);
            }
            E::Become(item, other) => self.arguments(path, &[(Item, item), (Item, other)]),
            E::If(condition, effect) => {
                self.condition(&first, condition);
                self.effect(&second, effect);
            }
            E::Break(from, to, _) | E::Keep(from, to, _) => self.two(path, (Person, from), to),
            E::Move(who, place) => self.arguments(path, &[(Fighter, who), (Stage, place)]),
            E::Revive(who, place) => self.arguments(path, &[(Person, who), (Stage, place)]),
            E::Hurt(who, by) | E::Heal(who, by) => {
                self.refer(&first, Fighter, who);
                self.range(&second, *by, 1..=MAX_HIT_POINTS);
            }
            E::Wound(who, days) => {
                self.refer(&first, Fighter, who);
                self.range(&second, *days, 1..=MAX_WOUND);
            }
            E::Kill(who) => self.refer(&first, Fighter, who),
            E::Leave(who) => self.refer(&first, Person, who),
            E::Join(who) => {
                self.refer(&first, Person, who);
                if self.is_named(Kind::Foe, who) {
                    let wrong = text!(drama_foe_joins, foe = who);
                    self.error(&first, wrong, text!(drama_name_an_actor));
                }
            }
            E::OpenWay(from, to) | E::CloseWay(from, to) => {
                self.arguments(path, &[(Stage, from), (Stage, to)]);
                if from == to && !to.is_empty() {
                    let wrong = text!(rpg_check_connects_to_itself);
                    self.error(&second, wrong, text!(drama_change_it));
                }
            }
            E::OpenDungeon(dungeon) | E::CloseDungeon(dungeon) => {
                self.require(&first, Dungeon, dungeon);
            }
            E::TellTo(who, _) => self.refer_each(&first, Entity, who),
            E::Tell(_) | E::Announce(_) => {}
            E::End(ending) => self.require(&first, Ending, ending),
        }
    }

    fn changes(&mut self, path: &str, by: i32) {
        if by == 0 {
            self.error(path, text!(drama_changes_nothing), text!(drama_change_it));
        }
    }
}

/// Why an ending that no effect brings can never come, whatever happens: it names no choice, its
/// choices exclude each other, or an ending that is looked at before it needs no more than it does.
pub(crate) fn never_comes(world: &WorldFile, number: usize) -> Option<UiText> {
    let parts = |ending: &Ending| -> Vec<Condition> {
        let parts = ending.when.required("").into_iter();
        parts.map(|(part, _)| part.clone()).collect()
    };
    let ending = world.endings.get(number)?;
    let brings = |effect: &Effect| matches!(effect.bare(), Effect::End(id) if *id == ending.id);
    if world.effects().any(brings) {
        return None;
    }
    let own = parts(ending);
    if own.contains(&Condition::Never) {
        return Some(text!(drama_ending_never_holds));
    }
    let excluded = own.iter().enumerate().find_map(|(at, part)| {
        let Condition::Chose(scene, option) = part else {
            return None;
        };
        let others = own.get(at + 1..)?.iter();
        let other = others.filter_map(|other| match other {
            Condition::Chose(of, other) if of == scene && other != option => Some(other),
            _ => None,
        });
        let mut other = other.filter(|other| is_one_choice(world, scene, [option, other]));
        let pair = [option, other.next()?].map(|option| format!("{scene}={option}"));
        Some(text!(drama_choices_exclude, choices = Argument::list(pair)))
    });
    let before = world.endings.get(..number)?.iter();
    excluded.or_else(|| {
        let mut taken = before.filter(|before| {
            let parts = parts(before);
            let is_less = parts.iter().all(|part| own.contains(part));
            is_less && !parts.is_empty()
        });
        let other = &taken.next()?.id;
        Some(text!(drama_ending_comes_first, other))
    })
}

/// Whether one person chooses one of these options, once.
fn is_one_choice(world: &WorldFile, scene: &str, options: [&String; 2]) -> bool {
    let mut scenes = world.scenes.iter().filter(|known| known.id == scene);
    let Some(scene) = scenes.next().filter(|scene| !scene.again) else {
        return false;
    };
    let mut choices = scene.choices().filter(|choice| choice.who.len() == 1);
    choices.any(|choice| {
        let has = |id: &String| choice.options.iter().any(|option| option.id == *id);
        options.into_iter().all(has)
    })
}
