//! Numbers with which a fight or a day would be impossible.

use std::ops::RangeInclusive;

use playhouse_engine::locale::text;

use super::report::{Report, each, step_path};
use crate::world_file::types::{CampaignStep, Limits, Skill, Stats};

/// The range of hit points and similar numbers.
const STAT: RangeInclusive<i32> = 1..=9_999;

/// The ranges of numbers by their path.
pub(in crate::world_file) const RANGES: [(&str, RangeInclusive<i32>); 29] = [
    ("actors.stats.hp", STAT),
    ("actors.stats.attack", STAT),
    ("actors.stats.defense", STAT),
    ("actors.stats.speed", STAT),
    ("actors.stats.energy", STAT),
    ("foes.stats.hp", STAT),
    ("foes.stats.attack", STAT),
    ("foes.stats.defense", STAT),
    ("foes.stats.speed", STAT),
    ("foes.stats.energy", STAT),
    ("foes.resolve", 0..=5),
    ("foes.moved_by.by", 1..=5),
    ("skills.power", 1..=999),
    ("skills.cost", 0..=99),
    ("skills.accuracy", 1..=100),
    ("skills.duration", 1..=20),
    ("bonds.value", -3..=3),
    ("limits.home_rounds", 1..=20),
    ("limits.talk_turns", 1..=60),
    ("limits.travel_turns", 0..=60),
    ("limits.camp_turns", 0..=60),
    ("limits.return_turns", 0..=60),
    ("limits.attempts", 0..=10),
    ("limits.combat_rounds", 1..=100),
    ("limits.hand_size", 1..=10),
    ("limits.context_tokens", 2_000..=2_000_000),
    ("limits.recall_tokens", 0..=100_000),
    ("limits.reply_tokens", 50..=100_000),
    ("limits.speech_chars", 20..=20_000),
];

pub(in crate::world_file) fn range_of(path: &str) -> Option<RangeInclusive<i32>> {
    let mut ranges = RANGES.iter();
    ranges.find_map(|(known, range)| (*known == path).then(|| range.clone()))
}

pub(super) fn check(report: &mut Report<'_>) {
    let world = report.world;
    for (path, actor) in each("actors", &world.actors) {
        if !actor.stats.are_missing() || world.may_fight(actor) {
            check_stats(&path, &actor.stats, report);
            check_costs(&path, &actor.stats, &actor.skills, report);
        }
    }
    for (path, foe) in each("foes", &world.foes) {
        check_stats(&path, &foe.stats, report);
        check_costs(&path, &foe.stats, &foe.skills, report);
    }
    // Where nobody fights, a skill is what an actor is good at, without numbers.
    let skills = each("skills", &world.skills).filter(|_| world.has_fights());
    skills.for_each(|(path, skill)| check_skill(&path, skill, report));
    for (path, step) in each("schedule", &world.schedule) {
        if let CampaignStep::Home { days } = step.bare() {
            let path = format!("{}.days", step_path(path, step));
            check_range(&path, *days, 1..=30, report);
        }
    }
    check_limits(&world.limits, report);
}

fn check_range(path: &str, number: i32, legal: RangeInclusive<i32>, report: &mut Report<'_>) {
    if !legal.contains(&number) {
        let (least, most) = legal.into_inner();
        let right = text!(rpg_check_write_number, least, most);
        report.error(path, text!(rpg_check_number, number), right);
    }
}

fn check_stats(path: &str, stats: &Stats, report: &mut Report<'_>) {
    let path = format!("{path}.stats");
    if stats.are_missing() {
        let right = text!(rpg_check_write_stats);
        return report.error(&path, text!(rpg_check_stats_missing), right);
    }
    let fields = [
        ("hp", stats.hp),
        ("attack", stats.attack),
        ("defense", stats.defense),
        ("speed", stats.speed),
        ("energy", stats.energy),
    ];
    for (field, number) in fields {
        check_range(&format!("{path}.{field}"), number, STAT, report);
    }
}

/// A combatant must be able to pay for each of its skills.
fn check_costs(path: &str, stats: &Stats, skills: &[String], report: &mut Report<'_>) {
    let energy = stats.energy;
    for (path, name) in each(&format!("{path}.skills"), skills) {
        let skill = report.world.skill(name);
        if let Some(skill) = skill.filter(|skill| energy > 0 && skill.cost > energy) {
            let wrong = text!(rpg_check_cost, skill = name, cost = skill.cost, energy);
            report.error(&path, wrong, text!(rpg_check_lower_cost));
        }
    }
}

fn check_skill(path: &str, skill: &Skill, report: &mut Report<'_>) {
    check_range(&format!("{path}.power"), skill.power, 1..=999, report);
    check_range(&format!("{path}.cost"), skill.cost, 0..=99, report);
    check_range(&format!("{path}.accuracy"), skill.accuracy, 1..=100, report);
    let duration = format!("{path}.duration");
    if skill.kind.lasts() {
        check_range(&duration, skill.duration, 1..=20, report);
    } else if skill.duration != 0 {
        let wrong = text!(rpg_check_duration, number = skill.duration);
        report.error(&duration, wrong, text!(world_data_remove_it));
    }
}

fn check_limits(limits: &Limits, report: &mut Report<'_>) {
    let numbers = [
        ("home_rounds", limits.home_rounds),
        ("talk_turns", limits.talk_turns),
        ("travel_turns", limits.travel_turns),
        ("camp_turns", limits.camp_turns),
        ("return_turns", limits.return_turns),
        ("attempts", limits.attempts),
        ("combat_rounds", limits.combat_rounds),
        ("hand_size", limits.hand_size),
        ("recall_tokens", limits.recall_tokens),
        ("reply_tokens", limits.reply_tokens),
        ("speech_chars", limits.speech_chars),
    ];
    let budget = limits
        .context_tokens
        .map(|tokens| ("context_tokens", tokens));
    for (field, number) in numbers.into_iter().chain(budget) {
        let path = format!("limits.{field}");
        if let Some(legal) = range_of(&path) {
            check_range(&path, number, legal, report);
        }
    }
}
