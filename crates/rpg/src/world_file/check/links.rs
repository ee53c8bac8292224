//! References: every name that is used must be defined, and what is defined should be used.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::locale::{Argument, Localize, UiText, text};
use playhouse_engine::wording::nearest;
use playhouse_tools::{self as tool, NotBuilt};

use crate::world_file::types::{
    ActorFaction, CampaignStep, Dungeon, SkillKind, Stage, StageKind, WorldFile,
};

use super::report::{NameSet, Report, report_twice, step_path};

pub(super) fn check<'a>(world: &'a WorldFile, report: &mut Report<'a>) {
    check_stages(world, report);
    check_actors(world, report);
    check_foes(world, report);
    check_dungeons(world, report);
    check_schedule(world, report);
    check_patterns(world, report);
    check_presence(world, report);
    check_use(world, report);
}

/// A tool is either built in, or `server.tool` of a server that only the player's model file
/// defines.
fn check_tools(path: &str, tools: &[String], report: &mut Report<'_>) {
    let own = tool::BUILT_IN.iter().copied();
    let mut listed = BTreeSet::new();
    for (i, name) in tools.iter().enumerate() {
        let path = format!("{path}[{i}]");
        if !listed.insert(name) {
            report_twice(&path, name, report);
        }
        match name.split_once('.') {
            Some((server, of_server)) if !server.is_empty() && !of_server.is_empty() => {}
            None if tool::BUILT_IN.contains(&name.as_str()) => {
                if let Some(missing) = NotBuilt::tool(name) {
                    report.error(&path, missing.text(), text!(tool_leave_out));
                }
            }
            _ => {
                let right = match nearest(name, own.clone()) {
                    Some(near) => text!(rpg_check_did_you_mean, name = near),
                    None => text!(
                        rpg_check_choose_tool,
                        tools = Argument::list(tool::BUILT_IN)
                    ),
                };
                report.error(&path, text!(rpg_check_unknown_tool, tool = name), right);
            }
        }
    }
}

/// The names of all things of a kind, and what the kind is called.
struct Known<'a> {
    kind: UiText,
    names: NameSet<'a>,
}

impl<'a> Known<'a> {
    fn new(kind: UiText, names: impl IntoIterator<Item = &'a String>) -> Self {
        let names = names.into_iter().map(String::as_str).collect();
        Self { kind, names }
    }

    fn skills(world: &'a WorldFile) -> Self {
        Self::new(
            text!(rpg_check_kind_skill),
            world.skills.iter().map(|skill| &skill.name),
        )
    }

    fn stages(world: &'a WorldFile, kind: StageKind) -> Self {
        let stages = world.stages.iter().filter(|stage| stage.kind == kind);
        let called = match kind {
            StageKind::Home => text!(rpg_check_kind_home),
            StageKind::Dungeon => text!(rpg_check_kind_dungeon_stage),
        };
        Self::new(called, stages.map(|stage| &stage.name))
    }

    /// Reports `name`, used at `path`, if it is unknown.
    fn require(&self, path: &str, name: &str, report: &mut Report<'_>) {
        if report.is_full() {
            return;
        }
        if name.is_empty() {
            let wrong = text!(rpg_check_unnamed, kind = &self.kind);
            report.error(path, wrong, self.offer());
        } else if !self.names.contains(name) && !report.unread().contains(name) {
            let right = match nearest(name, self.names.iter().copied()) {
                Some(near) => text!(rpg_check_did_you_mean, name = near),
                None => self.offer(),
            };
            let wrong = text!(rpg_check_unknown, kind = &self.kind, name);
            report.error(path, wrong, right);
        }
    }

    /// Reports each of `names` that is unknown or a duplicate.
    fn require_all(&self, path: &str, names: &[String], report: &mut Report<'_>) {
        let mut listed = BTreeSet::new();
        for (i, name) in names.iter().enumerate() {
            let path = format!("{path}[{i}]");
            self.require(&path, name, report);
            if !listed.insert(name) {
                report_twice(&path, name, report);
            }
        }
    }

    fn offer(&self) -> UiText {
        if self.names.is_empty() {
            text!(rpg_check_define, kind = &self.kind)
        } else {
            let names = Argument::list(self.names.iter().copied().take(8));
            text!(rpg_check_choose, names)
        }
    }
}

fn check_stages(world: &WorldFile, report: &mut Report<'_>) {
    let known = Known::new(
        text!(rpg_check_kind_stage),
        world.stages.iter().map(|stage| &stage.name),
    );
    for (i, stage) in world.stages.iter().enumerate() {
        let path = format!("stages[{i}].connects");
        known.require_all(&path, &stage.connects, report);
        for (j, to) in stage.connects.iter().enumerate() {
            let target = world.stages.iter().find(|other| other.name == *to);
            if let Some(target) = target {
                check_way(&format!("{path}[{j}]"), stage, target, report);
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

fn check_actors(world: &WorldFile, report: &mut Report<'_>) {
    let skills = Known::skills(world);
    let homes = Known::stages(world, StageKind::Home);
    for (i, actor) in world.actors.iter().enumerate() {
        let path = format!("actors[{i}]");
        homes.require(&format!("{path}.stage"), &actor.stage, report);
        skills.require_all(&format!("{path}.skills"), &actor.skills, report);
        check_tools(&format!("{path}.tools"), &actor.tools, report);
        if actor.skills.is_empty() && actor.faction == ActorFaction::Hero {
            let wrong = text!(rpg_check_hero_without_skills);
            report.error(&format!("{path}.skills"), wrong, skills.offer());
        }
    }
}

fn check_foes(world: &WorldFile, report: &mut Report<'_>) {
    let skills = Known::skills(world);
    for (i, foe) in world.foes.iter().enumerate() {
        let path = format!("foes[{i}].skills");
        skills.require_all(&path, &foe.skills, report);
        if foe.skills.is_empty() {
            report.error(&path, text!(rpg_check_foe_without_skills), skills.offer());
        }
    }
}

fn check_dungeons(world: &WorldFile, report: &mut Report<'_>) {
    let foes = Known::new(
        text!(rpg_check_kind_foe),
        world.foes.iter().map(|foe| &foe.name),
    );
    let stages = Known::stages(world, StageKind::Dungeon);
    for (i, dungeon) in world.dungeons.iter().enumerate() {
        let path = format!("dungeons[{i}].fights");
        if dungeon.fights.is_empty() {
            let wrong = text!(rpg_check_dungeon_without_fights);
            report.error(&path, wrong, text!(rpg_check_write_fight));
        }
        for (j, fight) in dungeon.fights.iter().enumerate() {
            let path = format!("{path}[{j}]");
            stages.require(&format!("{path}.stage"), &fight.stage, report);
            foes.require_all(&format!("{path}.foes"), &fight.foes, report);
            if fight.foes.is_empty() {
                let wrong = text!(rpg_check_fight_without_foes);
                report.error(&format!("{path}.foes"), wrong, foes.offer());
            }
        }
    }
    check_meetings(world, report);
}

/// A foe in several fights must be able to return.
fn check_meetings(world: &WorldFile, report: &mut Report<'_>) {
    let mut met: BTreeMap<&str, String> = BTreeMap::new();
    let once = world.foes.iter().filter(|foe| !foe.returns);
    let once: BTreeSet<_> = once.map(|foe| foe.name.as_str()).collect();
    for (i, Dungeon { fights, .. }) in world.dungeons.iter().enumerate() {
        for (j, fight) in fights.iter().enumerate() {
            for (k, foe) in fight.foes.iter().enumerate() {
                let fight = format!("dungeons[{i}].fights[{j}]");
                let first = met.entry(foe).or_insert_with(|| fight.clone());
                if *first != fight && once.contains(foe.as_str()) {
                    let wrong = text!(rpg_check_foe_met_before, foe, fight = first.as_str());
                    let right = text!(rpg_check_let_foe_return);
                    report.warn(&format!("{fight}.foes[{k}]"), wrong, right);
                }
            }
        }
    }
}

fn check_schedule(world: &WorldFile, report: &mut Report<'_>) {
    let known = Known::new(
        text!(rpg_check_kind_dungeon),
        world.dungeons.iter().map(|dungeon| &dungeon.name),
    );
    for (i, step) in world.schedule.iter().enumerate() {
        let path = format!("{}.0", step_path(i, step));
        match step.bare() {
            CampaignStep::Dungeon(name) => known.require(&path, name, report),
            CampaignStep::Vote(names) if names.is_empty() => known.require(&path, "", report),
            CampaignStep::Vote(names) => known.require_all(&path, names, report),
            CampaignStep::Home { .. } | CampaignStep::If(..) => {}
        }
    }
}

fn check_patterns(world: &WorldFile, report: &mut Report<'_>) {
    for (i, pattern) in world.patterns.iter().enumerate() {
        if pattern.text.trim().is_empty() {
            let wrong = text!(rpg_check_guards_nothing);
            let right = text!(rpg_check_write_text);
            report.error(&format!("patterns[{i}].text"), wrong, right);
        } else if pattern.mask.contains(&pattern.text) {
            let wrong = text!(rpg_check_mask_tells);
            let right = text!(rpg_check_write_mask);
            report.error(&format!("patterns[{i}].mask"), wrong, right);
        }
    }
}

/// A world can't be played without these.
fn check_presence(world: &WorldFile, report: &mut Report<'_>) {
    let heroes = || {
        world
            .actors
            .iter()
            .filter(|actor| actor.faction == ActorFaction::Hero)
    };
    let attacks = |name: &String| {
        let skill = world.skills.iter().find(|skill| skill.name == *name);
        skill.is_none_or(|skill| skill.kind == SkillKind::Attack)
    };
    if !report.is_whole("actors") {
        // A hero may be in a part that could not be read.
    } else if heroes().next().is_none() {
        report.error(
            "actors",
            text!(rpg_check_no_hero),
            text!(rpg_check_make_hero),
        );
    } else if !heroes().flat_map(|hero| &hero.skills).any(attacks) {
        report.warn(
            "actors",
            text!(rpg_check_no_attack),
            text!(rpg_check_give_attack),
        );
    }
    let is_home = |stage: &Stage| stage.kind == StageKind::Home;
    if report.is_whole("stages") && !world.stages.iter().any(is_home) {
        report.error(
            "stages",
            text!(rpg_check_no_home),
            text!(rpg_check_add_home),
        );
    }
    if report.is_whole("schedule") && world.schedule.is_empty() {
        let right = text!(rpg_check_write_schedule);
        report.error("schedule", text!(rpg_check_no_schedule), right);
    }
}

/// What nobody uses was probably forgotten somewhere.
fn check_use<'a>(world: &'a WorldFile, report: &mut Report<'a>) {
    let (actors, foes) = (world.actors.iter(), world.foes.iter());
    let skills = actors.map(|actor| &actor.skills);
    let skills = used(skills.chain(foes.map(|foe| &foe.skills)), report);
    for (i, skill) in world.skills.iter().enumerate() {
        if !skills.contains(skill.name.as_str()) {
            let wrong = text!(rpg_check_skill_unused, skill = &skill.name);
            let right = text!(rpg_check_give_skill);
            report.warn(&format!("skills[{i}]"), wrong, right);
        }
    }
    let fights = world.dungeons.iter().flat_map(|dungeon| &dungeon.fights);
    let met = used(fights.map(|fight| &fight.foes), report);
    for (i, foe) in world.foes.iter().enumerate() {
        if !met.contains(foe.name.as_str()) {
            let wrong = text!(rpg_check_foe_unused, foe = &foe.name);
            let right = text!(rpg_check_use_foe);
            report.warn(&format!("foes[{i}]"), wrong, right);
        }
    }
    let mut visited = report.unread().clone();
    let steps = world.schedule.iter();
    visited.extend(steps.flat_map(CampaignStep::dungeons).map(String::as_str));
    for (i, dungeon) in world.dungeons.iter().enumerate() {
        if !visited.contains(dungeon.name.as_str()) {
            let wrong = text!(rpg_check_dungeon_unused, dungeon = &dungeon.name);
            let right = text!(rpg_check_schedule_dungeon);
            report.warn(&format!("dungeons[{i}]"), wrong, right);
        }
    }
}

/// All names in some lists, and those in parts that could not be read.
fn used<'a>(
    lists: impl Iterator<Item = &'a Vec<String>>,
    report: &Report<'a>,
) -> BTreeSet<&'a str> {
    let mut used = report.unread().clone();
    used.extend(lists.flatten().map(String::as_str));
    used
}
