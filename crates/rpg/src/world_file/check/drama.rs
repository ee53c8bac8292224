//! Facts, items, qualities, bonds, goals, scenes and endings: whether all their names exist, and
//! whether their numbers make sense.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use playhouse_engine::knowledge::KnownBy;
use playhouse_engine::locale::{Argument, text};
use playhouse_engine::wording::nearest;

use super::report::{NameSet, Report, part, report_twice};
use crate::drama::{Condition, Effect, PARTY, Scene};
use crate::world_file::types::{CampaignStep, FoeSpec, NOTHING, STAY, WorldFile};

/// The maximum number of turns of talk in a scene.
const MAX_TURNS: u32 = 60;

/// The most hit points that an effect takes or gives, and the longest wound in days.
const MAX_HIT_POINTS: i32 = 9_999;
const MAX_WOUND: u32 = 99;

/// By how much an effect may change a bond.
const BOND_CHANGE: RangeInclusive<i32> = -6..=6;

pub(super) fn check<'a>(world: &'a WorldFile, report: &mut Report<'a>) {
    let names = &Names::of(world);
    let mut links = Links { names, report };
    links.facts(world);
    links.items(world);
    links.numbers(world);
    for (i, actor) in world.actors.iter().enumerate() {
        for (j, goal) in actor.goals.iter().enumerate() {
            let path = format!("actors[{i}].goals[{j}]");
            links.condition(&format!("{path}.met"), &goal.met, world);
            links.condition(&format!("{path}.lost"), &goal.lost, world);
        }
    }
    for (i, foe) in world.foes.iter().enumerate() {
        links.foe(&format!("foes[{i}]"), foe, world);
    }
    for (i, scene) in world.scenes.iter().enumerate() {
        links.scene(&format!("scenes[{i}]"), scene, world);
    }
    links.endings(world);
    for (i, step) in world.schedule.iter().enumerate() {
        links.step(&format!("schedule[{i}]"), step, world);
    }
}

/// Adds everything that is wrong with a condition that is not part of the world file.
pub(super) fn check_condition<'a>(
    condition: &'a Condition,
    world: &'a WorldFile,
    report: &mut Report<'a>,
) {
    let names = Names::of(world);
    Links {
        names: &names,
        report,
    }
    .condition("", condition, world);
}

/// What names there are, by kind.
struct Names<'a> {
    /// Agents, stages, actors and foes.
    entities: NameSet<'a>,
    /// Those who can hold something: stages, actors and foes.
    holders: NameSet<'a>,
    actors: NameSet<'a>,
    foes: NameSet<'a>,
    stages: NameSet<'a>,
    fighters: NameSet<'a>,
    facts: NameSet<'a>,
    items: NameSet<'a>,
    qualities: NameSet<'a>,
    scenes: NameSet<'a>,
    /// Those of each scene.
    options: BTreeMap<&'a str, NameSet<'a>>,
    endings: NameSet<'a>,
    dungeons: NameSet<'a>,
}

impl<'a> Names<'a> {
    fn of(world: &'a WorldFile) -> Self {
        let stages: NameSet<'_> = world
            .stages
            .iter()
            .map(|stage| stage.name.as_str())
            .collect();
        let actors: NameSet<'_> = world
            .actors
            .iter()
            .map(|actor| actor.name.as_str())
            .collect();
        let foes: NameSet<'_> = world.foes.iter().map(|foe| foe.name.as_str()).collect();
        let fighters: NameSet<'_> = actors.iter().chain(&foes).copied().collect();
        let holders = stages.iter().chain(&fighters).copied().collect();
        let mut entities: NameSet<'_> = world
            .agents
            .iter()
            .map(|agent| agent.name.as_str())
            .collect();
        entities.extend(&stages);
        entities.extend(&fighters);
        let mut options: BTreeMap<_, NameSet<'_>> = BTreeMap::new();
        for scene in &world.scenes {
            let own = scene.choice.iter().flat_map(|choice| &choice.options);
            let own = own.map(|option| option.id.as_str());
            options.entry(&*scene.id).or_default().extend(own);
        }
        Self {
            entities,
            holders,
            actors,
            foes,
            stages,
            fighters,
            facts: world.facts.iter().map(|fact| fact.id.as_str()).collect(),
            items: world.items.iter().map(|item| item.name.as_str()).collect(),
            qualities: world
                .qualities
                .iter()
                .map(|quality| quality.id.as_str())
                .collect(),
            options,
            scenes: world.scenes.iter().map(|scene| scene.id.as_str()).collect(),
            endings: world
                .endings
                .iter()
                .map(|ending| ending.id.as_str())
                .collect(),
            dungeons: world
                .dungeons
                .iter()
                .map(|dungeon| dungeon.name.as_str())
                .collect(),
        }
    }
}

impl Names<'_> {
    fn is_agent(&self, name: &str) -> bool {
        self.entities.contains(name) && !self.holders.contains(name)
    }
}

struct Links<'a, 'r> {
    names: &'r Names<'a>,
    report: &'r mut Report<'a>,
}

impl<'a> Links<'a, '_> {
    /// Reports a name that is in none of `known`.
    fn require(&mut self, path: &str, name: &str, known: &NameSet<'a>) {
        if self.report.is_full() || known.contains(name) || self.report.unread().contains(name) {
            return;
        }
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => text!(drama_did_you_mean, near),
            None if known.is_empty() => text!(drama_add_one_first),
            None => text!(drama_one_of, names = Argument::list(known.iter().take(12))),
        };
        self.report.error(path, text!(drama_unknown, name), help);
    }

    fn entity(&mut self, path: &str, name: &str) {
        if name != PARTY {
            self.require(path, name, &self.names.entities);
        }
    }

    fn fighter(&mut self, path: &str, name: &str) {
        if name != PARTY {
            self.require(path, name, &self.names.fighters);
        }
    }

    /// Somebody in particular, which the party is not.
    fn person(&mut self, path: &str, name: &str) {
        if name == PARTY && !self.names.fighters.contains(PARTY) {
            let names = Argument::list(self.names.actors.iter().take(12));
            let wrong = text!(drama_not_the_party);
            self.report.error(path, wrong, text!(drama_one_of, names));
        } else {
            self.require(path, name, &self.names.fighters);
        }
    }

    fn stage(&mut self, path: &str, name: &str) {
        self.require(path, name, &self.names.stages);
    }

    /// Reports what a list names twice.
    fn once(&mut self, path: &str, names: &[String]) {
        let mut listed = BTreeSet::new();
        for (i, name) in names.iter().enumerate() {
            if !listed.insert(name) {
                report_twice(&format!("{path}[{i}]"), name, self.report);
            }
        }
    }

    /// Reports a number that is not in its range.
    fn range<T: PartialOrd + Into<i64> + Copy>(
        &mut self,
        path: &str,
        number: T,
        range: RangeInclusive<T>,
    ) {
        if !range.contains(&number) {
            let (low, high): (i64, i64) = ((*range.start()).into(), (*range.end()).into());
            let wrong = text!(drama_out_of_range, low, high);
            self.report.error(path, wrong, text!(drama_change_it));
        }
    }

    fn fact(&mut self, path: &str, id: &str) {
        self.require(path, id, &self.names.facts);
    }

    fn item(&mut self, path: &str, name: &str) {
        self.require(path, name, &self.names.items);
    }

    fn facts(&mut self, world: &'a WorldFile) {
        let mut teachable: BTreeSet<&str> = world
            .items
            .iter()
            .flat_map(|item| &item.teaches)
            .map(String::as_str)
            .collect();
        for effect in effects(world) {
            if let Effect::Teach(_, fact) | Effect::Reveal(fact) = effect {
                teachable.insert(fact);
            }
        }
        let mut told: BTreeMap<&str, &str> = BTreeMap::new();
        for (i, fact) in world.facts.iter().enumerate() {
            let path = format!("facts[{i}]");
            match &fact.known_by {
                KnownBy::Only(names) => {
                    let list = format!("{path}.known_by.0");
                    self.once(&list, names);
                    for (j, name) in names.iter().enumerate() {
                        let path = format!("{list}[{j}]");
                        match name.as_str() {
                            PARTY => self.person(&path, name),
                            name => self.require(&path, name, &self.names.entities),
                        }
                    }
                    if names.is_empty() && !teachable.contains(fact.id.as_str()) {
                        let wrong = text!(drama_nobody_can_know, id = fact.id.as_str());
                        self.report
                            .error(&path, wrong, text!(drama_let_somebody_know));
                    }
                }
                KnownBy::Everyone if !fact.phrases.is_empty() => {
                    let wrong = text!(drama_common_fact_has_phrases);
                    self.report
                        .warn(&format!("{path}.phrases"), wrong, text!(drama_remove_it));
                }
                KnownBy::Everyone => {}
            }
            for (j, phrase) in fact.phrases.iter().enumerate() {
                if phrase.trim().is_empty() {
                    let path = format!("{path}.phrases[{j}]");
                    self.report
                        .error(&path, text!(drama_empty_phrase), text!(drama_remove_it));
                } else if let Some(other) = told.insert(phrase, &fact.id) {
                    let path = format!("{path}.phrases[{j}]");
                    let wrong = text!(drama_phrase_taken, fact = other);
                    self.report.warn(&path, wrong, text!(drama_other_phrase));
                }
            }
            if fact.title.trim().is_empty() {
                let path = format!("{path}.title");
                self.report
                    .error(&path, text!(drama_no_title), text!(drama_write_title));
            }
            if fact.contradicts == fact.id && !fact.id.is_empty() {
                let path = format!("{path}.contradicts");
                let wrong = text!(drama_contradicts_itself);
                self.report.error(&path, wrong, text!(drama_remove_it));
            } else if !fact.contradicts.is_empty() {
                self.fact(&format!("{path}.contradicts"), &fact.contradicts);
            }
        }
    }

    fn items(&mut self, world: &'a WorldFile) {
        for (i, item) in world.items.iter().enumerate() {
            let path = format!("items[{i}]");
            let field = format!("{path}.at");
            match item.at.as_str() {
                "" => {}
                PARTY => self.person(&field, PARTY),
                name if self.names.is_agent(name) => {
                    let wrong = text!(drama_agents_hold_nothing, agent = name);
                    self.report
                        .error(&field, wrong, text!(drama_give_to_somebody));
                }
                name => self.require(&field, name, &self.names.holders),
            }
            self.once(&format!("{path}.teaches"), &item.teaches);
            for (j, fact) in item.teaches.iter().enumerate() {
                self.fact(&format!("{path}.teaches[{j}]"), fact);
            }
            for (j, does) in item.uses.iter().enumerate() {
                let path = format!("{path}.uses[{j}]");
                if !does.with.is_empty() && !self.names.items.contains(does.with.as_str()) {
                    self.require(&format!("{path}.with"), &does.with, &self.names.entities);
                }
                self.condition(&format!("{path}.when"), &does.when, world);
                self.effects(&format!("{path}.effects"), &does.effects);
            }
        }
    }

    /// Nobody promises anything to itself, or is bound to itself.
    fn itself(&mut self, path: &str, name: &str) {
        let wrong = text!(drama_to_itself, name);
        self.report.error(path, wrong, text!(drama_name_another));
    }

    fn numbers(&mut self, world: &'a WorldFile) {
        for (i, quality) in world.qualities.iter().enumerate() {
            let path = format!("qualities[{i}]");
            if quality.max <= 0 {
                let path = format!("{path}.max");
                self.report
                    .error(&path, text!(drama_no_range), text!(drama_write_max));
            } else if !(0..=quality.max).contains(&quality.start) {
                let path = format!("{path}.start");
                let wrong = text!(drama_out_of_range, low = 0, high = quality.max);
                self.report.error(&path, wrong, text!(drama_change_it));
            }
            let mut reached = BTreeSet::new();
            for (j, step) in quality.steps.iter().enumerate() {
                let path = format!("{path}.steps[{j}].at");
                self.range(&path, step.at, 0..=quality.max.max(0));
                if !reached.insert(step.at) {
                    report_twice(&path, &step.at.to_string(), self.report);
                }
            }
        }
        let mut bound = BTreeSet::new();
        for (i, bond) in world.bonds.iter().enumerate() {
            let path = format!("bonds[{i}]");
            let to = format!("{path}.to");
            self.person(&format!("{path}.from"), &bond.from);
            self.person(&to, &bond.to);
            if bond.from == bond.to && !bond.from.is_empty() {
                self.itself(&to, &bond.to);
            } else if !bound.insert((&bond.from, &bond.to)) {
                let wrong = text!(drama_same_bond, from = &bond.from, to = &bond.to);
                self.report.error(&path, wrong, text!(drama_remove_it));
            }
            self.range(&format!("{path}.value"), bond.value, -3..=3);
        }
    }

    fn foe(&mut self, path: &str, foe: &'a FoeSpec, world: &'a WorldFile) {
        if !(0..=5).contains(&foe.resolve) {
            let wrong = text!(drama_out_of_range, low = 0, high = 5);
            let path = format!("{path}.resolve");
            self.report.error(&path, wrong, text!(drama_change_it));
        }
        if (foe.resolve > 0) == foe.moved_by.is_empty() {
            let path = format!("{path}.resolve");
            let wrong = text!(drama_resolve_alone);
            self.report.warn(&path, wrong, text!(drama_change_it));
        }
        for (i, moved) in foe.moved_by.iter().enumerate() {
            let path = format!("{path}.moved_by[{i}]");
            self.condition(&format!("{path}.when"), &moved.when, world);
            if !(1..=5).contains(&moved.by) {
                let path = format!("{path}.by");
                let wrong = text!(drama_out_of_range, low = 1, high = 5);
                self.report.error(&path, wrong, text!(drama_change_it));
            }
        }
    }

    fn scene(&mut self, path: &str, scene: &'a Scene, world: &'a WorldFile) {
        self.stage(&format!("{path}.at"), &scene.at);
        if scene.turns.is_some_and(|turns| turns > MAX_TURNS) {
            let wrong = text!(drama_out_of_range, low = 0, high = MAX_TURNS);
            self.report
                .error(&format!("{path}.turns"), wrong, text!(drama_change_it));
        }
        self.condition(&format!("{path}.when"), &scene.when, world);
        for (j, name) in scene.absent.iter().enumerate() {
            if !self.names.items.contains(name.as_str()) {
                self.require(&format!("{path}.absent[{j}]"), name, &self.names.entities);
            }
        }
        self.effects(&format!("{path}.effects"), &scene.effects);
        let Some(choice) = &scene.choice else { return };
        let path = format!("{path}.choice");
        if let [who] = choice.who.as_slice() {
            self.fighter(&format!("{path}.who"), who);
        } else {
            for (j, who) in choice.who.iter().enumerate() {
                self.fighter(&format!("{path}.who[{j}]"), who);
            }
            self.once(&format!("{path}.who"), &choice.who);
            if choice.who.is_empty() {
                self.require(&format!("{path}.who"), "", &self.names.fighters);
            }
        }
        if choice.options.is_empty() {
            let path = format!("{path}.options");
            self.report
                .error(&path, text!(drama_no_options), text!(drama_write_options));
        }
        for (j, option) in choice.options.iter().enumerate() {
            let path = format!("{path}.options[{j}]");
            if option.id == NOTHING {
                let path = format!("{path}.id");
                let wrong = text!(drama_nothing_is_offered);
                self.report.error(&path, wrong, text!(drama_change_it));
            }
            self.condition(&format!("{path}.when"), &option.when, world);
            self.effects(&format!("{path}.effects"), &option.effects);
        }
    }

    fn endings(&mut self, world: &'a WorldFile) {
        for (i, ending) in world.endings.iter().enumerate() {
            let path = format!("endings[{i}].when");
            if ending.when == Condition::Always && i + 1 < world.endings.len() {
                let wrong = text!(drama_hides_endings, id = ending.id.as_str());
                self.report.error(&path, wrong, text!(drama_put_it_last));
            }
            self.condition(&path, &ending.when, world);
        }
    }

    fn step(&mut self, path: &str, step: &'a CampaignStep, world: &'a WorldFile) {
        if let CampaignStep::If(condition, then) = step {
            let when = part(path, 0);
            if condition.is_judged() {
                let wrong = text!(drama_judged_in_schedule);
                self.report.error(&when, wrong, text!(drama_judge_in_scene));
            }
            self.condition(&when, condition, world);
            self.step(&part(path, 1), then, world);
        }
        if let CampaignStep::Vote(names) = step
            && let Some(number) = names.iter().position(|name| name == STAY)
        {
            let path = format!("{path}.0[{number}]");
            self.report
                .error(&path, text!(drama_stay_is_offered), text!(drama_remove_it));
        }
    }

    /// Every name in a condition exists, and every number makes sense.
    fn condition(&mut self, path: &str, condition: &'a Condition, world: &'a WorldFile) {
        // Where the arguments stand.
        let [first, second] = [0, 1].map(|number| part(path, number));
        match condition {
            Condition::Always | Condition::Never | Condition::Now(_) => {}
            Condition::All(parts) | Condition::Any(parts) => {
                for (i, condition) in parts.iter().enumerate() {
                    self.condition(&format!("{first}[{i}]"), condition, world);
                }
            }
            Condition::Not(condition) => self.condition(&first, condition, world),
            Condition::Knows(who, fact) => {
                self.entity(&first, who);
                self.fact(&second, fact);
            }
            Condition::Holds(who, item) => {
                self.entity(&first, who);
                self.item(&second, item);
            }
            Condition::At(who, place) => {
                self.fighter(&first, who);
                self.stage(&second, place);
            }
            Condition::Together(names) => {
                self.once(&first, names);
                for (i, name) in names.iter().enumerate() {
                    self.fighter(&format!("{first}[{i}]"), name);
                }
                if names.len() < 2 {
                    let wrong = text!(drama_together_alone);
                    self.report.warn(path, wrong, text!(drama_name_two));
                }
            }
            Condition::Alive(who) | Condition::Fell(who) => self.fighter(&first, who),
            Condition::Quality(id, least) => {
                self.require(&first, id, &self.names.qualities);
                self.at_least(&second, *least, 1);
            }
            Condition::Bond(from, to, least) => {
                self.fighter(&first, from);
                self.another(&second, from, to);
                self.at_least(&part(path, 2), *least, -2);
            }
            Condition::Day(day) => {
                self.at_least(&first, i32::try_from(*day).unwrap_or(i32::MAX), 1);
            }
            Condition::Voted(winner) => {
                if winner != STAY {
                    self.require(&first, winner, &self.names.dungeons);
                }
            }
            Condition::Fought(stage, _) => self.stage(&first, stage),
            Condition::Happened(scene) => self.require(&first, scene, &self.names.scenes),
            Condition::Chose(scene, option) => self.option(path, scene, option),
            Condition::Told(from, to, fact) => {
                self.entity(&first, from);
                self.entity(&second, to);
                self.fact(&part(path, 2), fact);
            }
            Condition::Promised(from, to) | Condition::Promise(from, to, _) => {
                self.fighter(&first, from);
                self.another(&second, from, to);
            }
            Condition::Goal(who, number, _) => {
                self.fighter(&first, who);
                let actor = world.actors.iter().find(|actor| actor.name == *who);
                if let Some(actor) = actor.filter(|actor| *number >= actor.goals.len()) {
                    let wrong = text!(drama_no_such_goal, count = actor.goals.len());
                    self.report.error(&second, wrong, text!(drama_count_from_0));
                }
            }
            Condition::Chance(percent) => self.range(&first, *percent, 0..=100),
            Condition::Judged { claim, signs } => self.judged(path, claim, signs),
        }
    }

    /// Reports a number that anything reaches.
    fn at_least(&mut self, path: &str, number: i32, least: i32) {
        if number < least {
            let wrong = text!(drama_always_reached, number);
            let right = text!(drama_write_more, least);
            self.report.warn(path, wrong, right);
        }
    }

    fn judged(&mut self, path: &str, claim: &str, signs: &[String]) {
        let field = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        if claim.trim().is_empty() {
            let wrong = text!(drama_empty_claim);
            let path = field("claim");
            self.report.error(&path, wrong, text!(drama_write_claim));
        }
        for (number, sign) in signs.iter().enumerate() {
            if sign
                .chars()
                .all(|letter| letter == '…' || letter.is_whitespace())
            {
                let path = field(&format!("signs[{number}]"));
                self.report
                    .error(&path, text!(drama_empty_sign), text!(drama_write_sign));
            }
        }
    }

    fn option(&mut self, path: &str, scene: &str, option: &str) {
        let names = self.names;
        match names.options.get(scene) {
            Some(options) => self.require(&part(path, 1), option, options),
            None => self.require(&part(path, 0), scene, &names.scenes),
        }
    }

    fn effects(&mut self, path: &str, effects: &'a [Effect]) {
        for (i, effect) in effects.iter().enumerate() {
            self.effect(&format!("{path}[{i}]"), effect);
        }
    }

    fn effect(&mut self, path: &str, effect: &'a Effect) {
        // Where the arguments stand.
        let [first, second, third] = [0, 1, 2].map(|number| part(path, number));
        match effect {
            Effect::Teach(who, fact) => {
                self.entity(&first, who);
                self.fact(&second, fact);
            }
            Effect::Tells(from, to, fact) => {
                self.fighter(&first, from);
                self.fighter(&second, to);
                self.fact(&third, fact);
            }
            Effect::Reveal(fact) => self.fact(&first, fact),
            Effect::Give(item, to) => {
                self.item(&first, item);
                self.fighter(&second, to);
            }
            Effect::Put(item, place) => {
                self.item(&first, item);
                self.stage(&second, place);
            }
            Effect::Destroy(item) => self.item(&first, item),
            Effect::Add(quality, by) => {
                self.require(&first, quality, &self.names.qualities);
                self.changes(&second, *by);
            }
            Effect::Bond(from, to, by) => {
                self.fighter(&first, from);
                self.another(&second, from, to);
                self.changes(&third, *by);
                self.range(&third, *by, BOND_CHANGE);
            }
            Effect::Promise(from, to, _) => {
                self.fighter(&first, from);
                self.another(&second, from, to);
            }
            Effect::Break(from, to, _) | Effect::Keep(from, to, _) => {
                self.person(&first, from);
                self.another(&second, from, to);
            }
            Effect::Move(who, place) => {
                self.fighter(&first, who);
                self.stage(&second, place);
            }
            Effect::Revive(who, place) => {
                self.person(&first, who);
                self.stage(&second, place);
            }
            Effect::Hurt(who, by) | Effect::Heal(who, by) => {
                self.fighter(&first, who);
                self.range(&second, *by, 1..=MAX_HIT_POINTS);
            }
            Effect::Wound(who, days) => {
                self.fighter(&first, who);
                self.range(&second, *days, 1..=MAX_WOUND);
            }
            Effect::Kill(who) => self.fighter(&first, who),
            Effect::Join(who) | Effect::Leave(who) => {
                self.person(&first, who);
                let joins = matches!(effect, Effect::Join(_));
                if joins && self.names.foes.contains(who.as_str()) {
                    let wrong = text!(drama_foe_joins, foe = who);
                    self.report.error(&first, wrong, text!(drama_name_an_actor));
                }
            }
            Effect::OpenWay(from, to) | Effect::CloseWay(from, to) => {
                self.stage(&first, from);
                self.stage(&second, to);
                if from == to && !to.is_empty() {
                    let wrong = text!(rpg_check_connects_to_itself);
                    self.report.error(&second, wrong, text!(drama_change_it));
                }
            }
            Effect::OpenDungeon(dungeon) | Effect::CloseDungeon(dungeon) => {
                self.require(&first, dungeon, &self.names.dungeons);
            }
            Effect::TellTo(who, _) => self.entity(&first, who),
            Effect::Tell(_) | Effect::Announce(_) => {}
            Effect::End(ending) => self.require(&first, ending, &self.names.endings),
        }
    }

    /// Somebody in particular who is not the one that does it.
    fn another(&mut self, path: &str, from: &str, to: &str) {
        self.person(path, to);
        if from == to && to != PARTY && !to.is_empty() {
            self.itself(path, to);
        }
    }

    fn changes(&mut self, path: &str, by: i32) {
        if by == 0 {
            let wrong = text!(drama_changes_nothing);
            self.report.error(path, wrong, text!(drama_change_it));
        }
    }
}

/// All effects of a world.
fn effects(world: &WorldFile) -> impl Iterator<Item = &Effect> {
    let of_scenes = world.scenes.iter().flat_map(|scene| {
        let options = scene.choice.iter().flat_map(|choice| &choice.options);
        let of_options = options.flat_map(|option| &option.effects);
        scene.effects.iter().chain(of_options)
    });
    let uses = world.items.iter().flat_map(|item| &item.uses);
    of_scenes.chain(uses.flat_map(|does| &does.effects))
}
