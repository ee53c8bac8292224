//! Facts, items, qualities, bonds, goals, scenes and endings: whether all their names exist, and
//! whether conditions can hold at all.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{NameSet, Report};
use crate::drama::{Condition, Effect, Occasion, PARTY, Scene};
use crate::knowledge::KnownBy;
use crate::locale::{Argument, UiText, text};
use crate::rpg::world_file::types::{Foe, STAY, Step, WorldFile};
use crate::world_data::nearest;

/// The maximum number of turns of talk in a scene.
const MAX_TURNS: u32 = 60;

pub(super) fn check<'a>(world: &'a WorldFile, report: &mut Report<'a>) {
    check_old_fields(world, report);
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

fn check_old_fields(world: &WorldFile, report: &mut Report<'_>) {
    if !world.secrets.is_empty() {
        report.error(
            "secrets",
            text!(drama_secrets_are_facts),
            text!(drama_write_facts),
        );
    }
    if !world.lore.is_empty() {
        report.error("lore", text!(drama_lore_is_facts), text!(drama_write_facts));
    }
}

/// What names there are, by kind.
struct Names<'a> {
    /// Agents, stages, actors and foes.
    entities: NameSet<'a>,
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
    /// The stages of fights.
    fights: NameSet<'a>,
    /// What somebody is asked about.
    claims: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(world: &'a WorldFile) -> Self {
        let stages: NameSet<'_> = world.stages.iter().map(|it| it.name.as_str()).collect();
        let actors = world.actors.iter().map(|it| it.name.as_str());
        let fighters: NameSet<'_> = actors
            .chain(world.foes.iter().map(|it| it.name.as_str()))
            .collect();
        let mut entities: NameSet<'_> = world.agents.iter().map(|it| it.name.as_str()).collect();
        entities.extend(&stages);
        entities.extend(&fighters);
        let fights = world.dungeons.iter().flat_map(|dungeon| &dungeon.fights);
        let mut options: BTreeMap<_, NameSet<'_>> = BTreeMap::new();
        for scene in &world.scenes {
            let own = scene.choice.iter().flat_map(|choice| &choice.options);
            let own = own.map(|option| option.id.as_str());
            options.entry(&*scene.id).or_default().extend(own);
        }
        Self {
            entities,
            stages,
            fighters,
            facts: world.facts.iter().map(|it| it.id.as_str()).collect(),
            items: world.items.iter().map(|it| it.name.as_str()).collect(),
            qualities: world.qualities.iter().map(|it| it.id.as_str()).collect(),
            options,
            scenes: world.scenes.iter().map(|it| it.id.as_str()).collect(),
            endings: world.endings.iter().map(|it| it.id.as_str()).collect(),
            dungeons: world.dungeons.iter().map(|it| it.name.as_str()).collect(),
            fights: fights.map(|fight| fight.stage.as_str()).collect(),
            claims: claims(world),
        }
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

    fn stage(&mut self, path: &str, name: &str) {
        self.require(path, name, &self.names.stages);
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
        for (i, fact) in world.facts.iter().enumerate() {
            let path = format!("facts[{i}]");
            match &fact.known_by {
                KnownBy::Only(names) => {
                    for (j, name) in names.iter().enumerate() {
                        self.entity(&format!("{path}.known_by.0[{j}]"), name);
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
                }
            }
            if fact.title.trim().is_empty() {
                let path = format!("{path}.title");
                self.report
                    .error(&path, text!(drama_no_title), text!(drama_write_title));
            }
            if !fact.contradicts.is_empty() {
                self.fact(&format!("{path}.contradicts"), &fact.contradicts);
            }
        }
    }

    fn items(&mut self, world: &'a WorldFile) {
        for (i, item) in world.items.iter().enumerate() {
            let path = format!("items[{i}]");
            if !item.at.is_empty() {
                self.entity(&format!("{path}.at"), &item.at);
            }
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
        }
        for (i, bond) in world.bonds.iter().enumerate() {
            let path = format!("bonds[{i}]");
            self.fighter(&format!("{path}.from"), &bond.from);
            self.fighter(&format!("{path}.to"), &bond.to);
            if !(-3..=3).contains(&bond.value) {
                let path = format!("{path}.value");
                let wrong = text!(drama_out_of_range, low = -3, high = 3);
                self.report.error(&path, wrong, text!(drama_change_it));
            }
        }
    }

    fn foe(&mut self, path: &str, foe: &'a Foe, world: &'a WorldFile) {
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
        let when = format!("{path}.when");
        self.condition(&when, &scene.when, world);
        let own = |part: &&Condition| matches!(part, Condition::Happened(id) if *id == scene.id);
        if matches!(&scene.when, Condition::Happened(id) if *id == scene.id)
            || matches!(&scene.when, Condition::All(all) if all.iter().any(|part| own(&part)))
        {
            self.never(&when, text!(drama_waits_for_itself));
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
            self.condition(&format!("{path}.when"), &option.when, world);
            self.effects(&format!("{path}.effects"), &option.effects);
        }
    }

    fn endings(&mut self, world: &'a WorldFile) {
        let last = world.endings.len().saturating_sub(1);
        for (i, ending) in world.endings.iter().enumerate() {
            let path = format!("endings[{i}].when");
            self.condition(&path, &ending.when, world);
            if ending.when == Condition::Always && i < last {
                let wrong = text!(drama_hides_endings, id = ending.id.as_str());
                self.report.error(&path, wrong, text!(drama_put_it_last));
            }
            let mut earlier = world.endings.iter().take(i);
            let same =
                earlier.find(|other| other.when == ending.when && other.early == ending.early);
            if let Some(same) = same.filter(|_| ending.when != Condition::Always) {
                let wrong = text!(drama_same_condition, id = same.id.as_str());
                self.report.warn(&path, wrong, text!(drama_change_it));
            }
        }
    }

    fn step(&mut self, path: &str, step: &'a Step, world: &'a WorldFile) {
        if let Step::If(condition, then) = step {
            let when = format!("{path}.0");
            if condition.is_judged() {
                let wrong = text!(drama_judged_in_schedule);
                self.report.error(&when, wrong, text!(drama_judge_in_scene));
            } else {
                self.condition(&when, condition, world);
            }
            self.step(&format!("{path}.1"), then, world);
        }
        if let Step::Vote(names) = step
            && let Some(number) = names.iter().position(|name| name == STAY)
        {
            let path = format!("{path}.0[{number}]");
            self.report
                .error(&path, text!(drama_stay_is_offered), text!(drama_remove_it));
        }
    }

    fn never(&mut self, path: &str, why: UiText) {
        self.report
            .warn(path, text!(drama_can_not_hold, why), text!(drama_change_it));
    }

    fn condition(&mut self, path: &str, condition: &'a Condition, world: &'a WorldFile) {
        for part in condition.parts() {
            match part {
                Condition::Always | Condition::All(_) | Condition::Any(_) | Condition::Not(_) => {}
                Condition::Never => {}
                Condition::Knows(who, fact) => {
                    self.entity(path, who);
                    self.fact(path, fact);
                }
                Condition::Holds(who, item) => {
                    self.entity(path, who);
                    self.item(path, item);
                }
                Condition::At(who, place) => {
                    self.fighter(path, who);
                    self.stage(path, place);
                }
                Condition::Together(names) => {
                    names.iter().for_each(|name| self.fighter(path, name));
                }
                Condition::Alive(who) | Condition::Fell(who) => self.fighter(path, who),
                Condition::Quality(id, least) => {
                    self.require(path, id, &self.names.qualities);
                    let quality = world.qualities.iter().find(|quality| quality.id == *id);
                    if let Some(quality) = quality.filter(|quality| *least > quality.max) {
                        self.never(path, text!(drama_above_max, max = quality.max));
                    }
                }
                Condition::Bond(from, to, least) => {
                    self.fighter(path, from);
                    self.fighter(path, to);
                    if *least > 3 {
                        self.never(path, text!(drama_above_max, max = 3));
                    }
                }
                Condition::Day(day) => {
                    let days = days_of(world);
                    if *day > days {
                        self.never(path, text!(drama_too_late, days));
                    }
                }
                Condition::Now(Occasion::Afternoon) if world.limits.home_rounds <= 1 => {
                    self.never(path, text!(drama_no_afternoon));
                }
                Condition::Now(_) => {}
                Condition::Voted(winner) => {
                    let votes = world.schedule.iter().filter(|step| step.is_vote());
                    let offered: Vec<_> = votes.flat_map(Step::dungeons).collect();
                    if winner != STAY {
                        self.require(path, winner, &self.names.dungeons);
                    }
                    if offered.is_empty() || (winner != STAY && !offered.contains(&winner)) {
                        self.never(path, text!(drama_no_vote_for, winner));
                    }
                }
                Condition::Fought(stage, _) => {
                    self.stage(path, stage);
                    if self.names.stages.contains(stage.as_str())
                        && !self.names.fights.contains(stage.as_str())
                    {
                        self.never(path, text!(drama_no_fight_there, stage = stage.as_str()));
                    }
                }
                Condition::Happened(scene) => {
                    self.require(path, scene, &self.names.scenes);
                }
                Condition::Chose(scene, option) => self.option(path, scene, option),
                Condition::Told(from, to, fact) => {
                    self.entity(path, from);
                    self.entity(path, to);
                    self.fact(path, fact);
                }
                Condition::Promised(from, to) | Condition::Promise(from, to, _) => {
                    self.fighter(path, from);
                    self.fighter(path, to);
                }
                Condition::Goal(who, number, _) => {
                    self.fighter(path, who);
                    let actor = world.actors.iter().find(|actor| actor.name == *who);
                    if let Some(actor) = actor.filter(|actor| *number >= actor.goals.len()) {
                        let wrong = text!(drama_no_such_goal, count = actor.goals.len());
                        self.report.error(path, wrong, text!(drama_count_from_0));
                    }
                }
                Condition::Chance(percent) => {
                    if *percent == 0 {
                        self.never(path, text!(drama_no_chance));
                    }
                }
                Condition::Judged { claim, likely } => self.judged(path, claim, *likely),
            }
        }
        let holds_never = match condition {
            Condition::Never => true,
            Condition::All(all) => all.contains(&Condition::Never),
            _ => false,
        };
        // A goal that can't be lost has no condition for it; that is the default.
        if holds_never && !path.ends_with(".lost") {
            self.never(path, text!(drama_is_never));
        }
    }

    fn judged(&mut self, path: &str, claim: &str, likely: u32) {
        if claim.trim().is_empty() {
            let wrong = text!(drama_empty_claim);
            self.report.error(path, wrong, text!(drama_write_claim));
        } else if !self.names.claims.contains(claim) {
            self.never(path, text!(drama_nobody_judges));
        }
        if likely > 100 {
            let wrong = text!(drama_out_of_range, low = 0, high = 100);
            self.report.error(path, wrong, text!(drama_change_it));
        }
    }

    fn option(&mut self, path: &str, scene: &str, option: &str) {
        let names = self.names;
        match names.options.get(scene) {
            Some(options) => self.require(path, option, options),
            None => self.require(path, scene, &names.scenes),
        }
    }

    fn effects(&mut self, path: &str, effects: &'a [Effect]) {
        for (i, effect) in effects.iter().enumerate() {
            let path = &format!("{path}[{i}]");
            match effect {
                Effect::Teach(who, fact) => {
                    self.entity(path, who);
                    self.fact(path, fact);
                }
                Effect::Tells(from, to, fact) => {
                    self.fighter(path, from);
                    self.fighter(path, to);
                    self.fact(path, fact);
                }
                Effect::Reveal(fact) => self.fact(path, fact),
                Effect::Give(item, to) => {
                    self.item(path, item);
                    self.fighter(path, to);
                }
                Effect::Put(item, place) => {
                    self.item(path, item);
                    self.stage(path, place);
                }
                Effect::Destroy(item) => self.item(path, item),
                Effect::Add(quality, _) => {
                    self.require(path, quality, &self.names.qualities);
                }
                Effect::Bond(from, to, _)
                | Effect::Promise(from, to, _)
                | Effect::Break(from, to)
                | Effect::Keep(from, to) => {
                    self.fighter(path, from);
                    self.fighter(path, to);
                }
                Effect::Move(who, place) | Effect::Revive(who, place) => {
                    self.fighter(path, who);
                    self.stage(path, place);
                }
                Effect::Hurt(who, _)
                | Effect::Heal(who, _)
                | Effect::Wound(who, _)
                | Effect::Kill(who)
                | Effect::Join(who)
                | Effect::Leave(who) => self.fighter(path, who),
                Effect::OpenWay(from, to) | Effect::CloseWay(from, to) => {
                    self.stage(path, from);
                    self.stage(path, to);
                }
                Effect::OpenDungeon(dungeon) | Effect::CloseDungeon(dungeon) => {
                    self.require(path, dungeon, &self.names.dungeons);
                }
                Effect::TellTo(who, _) => self.entity(path, who),
                Effect::Tell(_) | Effect::Announce(_) => {}
                Effect::End(ending) => self.require(path, ending, &self.names.endings),
            }
        }
    }
}

/// All effects of a world.
fn effects(world: &WorldFile) -> impl Iterator<Item = &Effect> {
    let uses = world.items.iter().flat_map(|item| &item.uses);
    let uses = uses.flat_map(|does| &does.effects);
    let scenes = world.scenes.iter().flat_map(|scene| {
        let options = scene.choice.iter().flat_map(|choice| &choice.options);
        scene
            .effects
            .iter()
            .chain(options.flat_map(|option| &option.effects))
    });
    scenes.chain(uses)
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

/// The number of days at home.
fn days_of(world: &WorldFile) -> u32 {
    let days = world.schedule.iter().map(Step::days);
    days.map(|days| u32::try_from(days).unwrap_or_default())
        .sum()
}
