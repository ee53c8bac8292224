//! References: every name that is used must be defined, what is defined should be used, and every
//! stage can be reached.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::locale::{Argument, Localize, text};
use playhouse_engine::wording::nearest;
use playhouse_tools::{BUILT_IN, NotBuilt};

use super::names::Kind;
use super::report::{Report, each, step_path};
use crate::drama::Effect;
use crate::world_file::types::{CampaignStep, Fight, SkillKind, Stage, StageKind, WorldFile};

pub(super) fn check(report: &mut Report<'_>) {
    check_stages(report);
    check_fighters(report);
    check_dungeons(report);
    check_meetings(report);
    check_schedule(report);
    check_patterns(report);
    check_presence(report);
    check_use(report);
    check_reachable(report);
}

/// A tool is either built in, or `server.tool` of a server that only the player's model file
/// defines.
fn check_tools(path: &str, tools: &[String], report: &mut Report<'_>) {
    report.require_distinct(path, tools);
    for (path, name) in each(path, tools) {
        match name.split_once('.') {
            Some((server, of_server)) if !server.is_empty() && !of_server.is_empty() => {}
            None if BUILT_IN.contains(&name.as_str()) => {
                if let Some(missing) = NotBuilt::tool(name) {
                    report.error(&path, missing.text(), text!(tool_leave_out));
                }
            }
            _ => {
                let right = match nearest(name, BUILT_IN) {
                    Some(near) => text!(rpg_check_did_you_mean, name = near),
                    None => text!(rpg_check_choose_tool, tools = Argument::list(BUILT_IN)),
                };
                report.error(&path, text!(rpg_check_unknown_tool, tool = name), right);
            }
        }
    }
}

fn check_stages(report: &mut Report<'_>) {
    let world = report.world;
    for (path, stage) in each("stages", &world.stages) {
        let path = format!("{path}.connects");
        let ways: Vec<_> = stage.connects.iter().map(|way| way.to.clone()).collect();
        report.require_all(&path, Kind::Stage, &ways);
        for (path, to) in each(&path, &ways) {
            if let Some(target) = world.stage(to) {
                check_way(&path, stage, target, report);
            }
        }
    }
}

fn check_way(path: &str, from: &Stage, to: &Stage, report: &mut Report<'_>) {
    if from.name == to.name {
        let wrong = text!(rpg_check_connects_to_itself);
        report.error(path, wrong, text!(world_data_remove_it));
    } else if from.kind != to.kind {
        let wrong = text!(rpg_check_no_way, from = &from.name, to = &to.name);
        report.warn(path, wrong, text!(rpg_check_connect_homes));
    }
}

fn check_fighters(report: &mut Report<'_>) {
    let world = report.world;
    for (path, actor) in each("actors", &world.actors) {
        report.require_kind(&format!("{path}.stage"), Kind::HomeStage, &actor.stage);
        if !actor.sleeps.is_empty() {
            report.require_kind(&format!("{path}.sleeps"), Kind::HomeStage, &actor.sleeps);
        }
        check_tools(&format!("{path}.tools"), &actor.tools, report);
        let path = format!("{path}.skills");
        report.require_all(&path, Kind::Skill, &actor.skills);
        if actor.skills.is_empty() && world.may_fight(actor) {
            let wrong = text!(rpg_check_hero_without_skills);
            report.error(&path, wrong, report.offer(Kind::Skill));
        }
    }
    for (path, foe) in each("foes", &world.foes) {
        let path = format!("{path}.skills");
        report.require_all(&path, Kind::Skill, &foe.skills);
        if foe.skills.is_empty() {
            let wrong = text!(rpg_check_foe_without_skills);
            report.error(&path, wrong, report.offer(Kind::Skill));
        }
    }
}

fn check_dungeons(report: &mut Report<'_>) {
    let world = report.world;
    for (path, dungeon) in each("dungeons", &world.dungeons) {
        let path = format!("{path}.fights");
        if dungeon.fights.is_empty() {
            let wrong = text!(rpg_check_dungeon_without_fights);
            report.error(&path, wrong, text!(rpg_check_write_fight));
        }
        for (path, fight) in each(&path, &dungeon.fights) {
            report.require_kind(&format!("{path}.stage"), Kind::FightStage, &fight.stage);
            let path = format!("{path}.foes");
            report.require_all(&path, Kind::Foe, &fight.foes);
            if fight.foes.is_empty() {
                let wrong = text!(rpg_check_fight_without_foes);
                report.error(&path, wrong, report.offer(Kind::Foe));
            }
        }
    }
}

/// A foe in several fights must be able to return.
fn check_meetings(report: &mut Report<'_>) {
    let world = report.world;
    let once: BTreeSet<_> = world
        .foes
        .iter()
        .filter(|foe| !foe.returns)
        .map(|foe| foe.name.as_str())
        .collect();
    let mut met: BTreeMap<&str, String> = BTreeMap::new();
    for (path, dungeon) in each("dungeons", &world.dungeons) {
        for (fight, Fight { foes, .. }) in each(&format!("{path}.fights"), &dungeon.fights) {
            for (path, foe) in each(&format!("{fight}.foes"), foes) {
                let first = met.entry(foe).or_insert_with(|| fight.clone());
                if *first != fight && once.contains(foe.as_str()) {
                    let wrong = text!(rpg_check_foe_met_before, foe, fight = first.as_str());
                    report.warn(&path, wrong, text!(rpg_check_let_foe_return));
                }
            }
        }
    }
}

fn check_schedule(report: &mut Report<'_>) {
    for (path, step) in each("schedule", &report.world.schedule) {
        let path = format!("{}.0", step_path(path, step));
        match step.bare() {
            CampaignStep::Vote(names) if !names.is_empty() => {
                report.require_all(&path, Kind::Dungeon, names);
            }
            CampaignStep::Vote(_) => report.require_kind(&path, Kind::Dungeon, ""),
            CampaignStep::Dungeon(name) => report.require_kind(&path, Kind::Dungeon, name),
            CampaignStep::Home { .. } | CampaignStep::If(..) => {}
        }
    }
}

fn check_patterns(report: &mut Report<'_>) {
    for (path, pattern) in each("patterns", &report.world.patterns) {
        if pattern.text.trim().is_empty() {
            let (wrong, right) = (text!(rpg_check_guards_nothing), text!(rpg_check_write_text));
            report.error(&format!("{path}.text"), wrong, right);
        } else if pattern.mask.contains(&pattern.text) {
            let (wrong, right) = (text!(rpg_check_mask_tells), text!(rpg_check_write_mask));
            report.error(&format!("{path}.mask"), wrong, right);
        }
    }
}

/// A world can't be played without these.
fn check_presence(report: &mut Report<'_>) {
    let world = report.world;
    let is_attack = |name: &String| {
        let skill = world.skill(name);
        skill.is_none_or(|skill| skill.kind == SkillKind::Attack)
    };
    if !report.is_whole("actors") {
        // A hero may be in a part that could not be read.
    } else if world.actors.is_empty() {
        let right = text!(rpg_check_add_actor);
        report.error("actors", text!(rpg_check_no_actor), right);
    } else if !world.has_fights() {
        // Nobody needs to be a hero.
    } else if world.heroes().next().is_none() {
        let right = text!(rpg_check_make_hero);
        report.error("actors", text!(rpg_check_no_hero), right);
    } else if !world.heroes().flat_map(|hero| &hero.skills).any(is_attack) {
        let right = text!(rpg_check_give_attack);
        report.warn("actors", text!(rpg_check_no_attack), right);
    }
    if report.is_whole("stages") && report.names(Kind::HomeStage, 1).next().is_none() {
        let right = text!(rpg_check_add_home);
        report.error("stages", text!(rpg_check_no_home), right);
    }
    if report.is_whole("schedule") && world.schedule.is_empty() {
        let right = text!(rpg_check_write_schedule);
        report.error("schedule", text!(rpg_check_no_schedule), right);
    }
}

/// What nobody uses was probably forgotten somewhere.
fn check_use(report: &mut Report<'_>) {
    let world = report.world;
    let skills = world.actors.iter().flat_map(|actor| &actor.skills);
    let skills = used(
        skills.chain(world.foes.iter().flat_map(|foe| &foe.skills)),
        report,
    );
    for (path, skill) in each("skills", &world.skills) {
        if !skills.contains(skill.name.as_str()) {
            let wrong = text!(rpg_check_skill_unused, skill = &skill.name);
            report.warn(&path, wrong, text!(rpg_check_give_skill));
        }
    }
    let met = used(world.fights().flat_map(|fight| &fight.foes), report);
    for (path, foe) in each("foes", &world.foes) {
        if !met.contains(foe.name.as_str()) {
            let wrong = text!(rpg_check_foe_unused, foe = &foe.name);
            report.warn(&path, wrong, text!(rpg_check_use_foe));
        }
    }
    let visited = used(
        world.schedule.iter().flat_map(CampaignStep::dungeons),
        report,
    );
    for (path, dungeon) in each("dungeons", &world.dungeons) {
        if !visited.contains(dungeon.name.as_str()) {
            let wrong = text!(rpg_check_dungeon_unused, dungeon = &dungeon.name);
            report.warn(&path, wrong, text!(rpg_check_schedule_dungeon));
        }
    }
}

/// These names, and those in parts that could not be read.
fn used<'a>(names: impl Iterator<Item = &'a String>, report: &Report<'a>) -> BTreeSet<&'a str> {
    let unread = report.unread().iter().copied();
    names.map(String::as_str).chain(unread).collect()
}

fn check_reachable(report: &mut Report<'_>) {
    let world = report.world;
    let reached = reached_stages(world, report.unread());
    for (path, stage) in each("stages", &world.stages) {
        if reached.contains(stage.name.as_str()) || stage.name.is_empty() {
            continue;
        }
        let right = match stage.kind {
            StageKind::Home => text!(rpg_check_connect_stage),
            StageKind::Dungeon => text!(rpg_check_fight_on_stage),
        };
        let wrong = text!(rpg_check_unreachable, stage = &stage.name);
        report.error(&path, wrong, right);
    }
}

/// The stages of all fights and scenes, and all stages that can be reached on foot or by an effect
/// from where actors start or from a name in a part that could not be read.
fn reached_stages<'a>(world: &'a WorldFile, unread: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let mut reached: BTreeSet<&str> = world.fights().map(|fight| fight.stage.as_str()).collect();
    let starts = world
        .actors
        .iter()
        .flat_map(|actor| [actor.stage.as_str(), actor.sleeps.as_str()]);
    let dawns = world.actors.iter().flat_map(|actor| &actor.dawns);
    let starts = starts.chain(dawns.map(|dawn| dawn.at.as_str()));
    let is_home = |at: &&str| {
        let stage = world.stage(at);
        stage.is_some_and(|stage| stage.kind == StageKind::Home)
    };
    let scenes = world
        .scenes
        .iter()
        .map(|scene| scene.at.as_str())
        .filter(is_home);
    let effects = world.effects().filter_map(|effect| match effect {
        Effect::Move(_, to) | Effect::Revive(_, to) | Effect::OpenWay(_, to) => Some(to.as_str()),
        _ => None,
    });
    let reached_so = starts.chain(scenes).chain(effects);
    let mut open: Vec<&str> = reached_so.chain(unread.iter().copied()).collect();
    while let Some(name) = open.pop() {
        if reached.insert(name) {
            let same = world.stages.iter().filter(|stage| stage.name == name);
            open.extend(same.flat_map(|stage| &stage.connects).map(|way| &*way.to));
        }
    }
    reached
}
