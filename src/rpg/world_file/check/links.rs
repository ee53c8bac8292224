//! References: every name that is used must be defined, and what is defined should be used.

use std::collections::{BTreeMap, BTreeSet};

use crate::locale::{Localize, text};
use crate::rpg::world_file::types::{
    Dungeon, Faction, SkillKind, Stage, StageKind, Step, WorldFile,
};
use crate::tool::{self, NotBuilt};
use crate::world_data::nearest;

use super::report::Report;

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
    for (i, name) in tools.iter().enumerate() {
        let path = format!("{path}[{i}]");
        if tools.iter().take(i).any(|earlier| earlier == name) {
            report.error(&path, format!("{name:?} stands here twice"), "name it once");
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
                    Some(near) => format!("did you mean {near:?}?"),
                    None => format!(
                        "name one of: {}; or server.tool of a server of the player's",
                        tool::BUILT_IN.join(", ")
                    ),
                };
                report.error(&path, format!("there is no tool {name:?}"), right);
            }
        }
    }
}

/// The names of all things of a kind, and what the kind is called.
struct Known<'a> {
    kind: &'a str,
    names: Vec<&'a str>,
}

impl<'a> Known<'a> {
    fn new(kind: &'a str, names: impl IntoIterator<Item = &'a String>) -> Self {
        let names = names.into_iter().map(String::as_str).collect();
        Self { kind, names }
    }

    fn skills(world: &'a WorldFile) -> Self {
        Self::new("skill", world.skills.iter().map(|skill| &skill.name))
    }

    fn stages(world: &'a WorldFile, kind: StageKind) -> Self {
        let stages = world.stages.iter().filter(|stage| stage.kind == kind);
        let called = match kind {
            StageKind::Home => "home stage",
            StageKind::Dungeon => "stage of kind Dungeon",
        };
        Self::new(called, stages.map(|stage| &stage.name))
    }

    /// Reports `name`, used at `path`, if it is unknown.
    fn require(&self, path: &str, name: &str, report: &mut Report<'_>) {
        if name.is_empty() {
            report.error(path, format!("no {} is named", self.kind), self.offer());
        } else if !self.names.contains(&name) && !report.unread().contains(name) {
            let right = match nearest(name, self.names.iter().copied()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => self.offer(),
            };
            report.error(path, format!("there is no {} {name:?}", self.kind), right);
        }
    }

    /// Reports each of `names` that is unknown or a duplicate.
    fn require_all(&self, path: &str, names: &[String], report: &mut Report<'_>) {
        for (i, name) in names.iter().enumerate() {
            let path = format!("{path}[{i}]");
            self.require(&path, name, report);
            if names.iter().take(i).any(|earlier| earlier == name) {
                report.error(&path, format!("{name:?} stands here twice"), "name it once");
            }
        }
    }

    fn offer(&self) -> String {
        let names: Vec<_> = self.names.iter().take(8).copied().collect();
        if names.is_empty() {
            format!("add a {} first", self.kind)
        } else {
            format!("name one of: {}", names.join(", "))
        }
    }
}

fn check_stages(world: &WorldFile, report: &mut Report<'_>) {
    let known = Known::new("stage", world.stages.iter().map(|stage| &stage.name));
    for (i, stage) in world.stages.iter().enumerate() {
        let path = format!("stages[{i}].connects");
        known.require_all(&path, &stage.connects, report);
        for (j, to) in stage.connects.iter().enumerate() {
            let other = world.stages.iter().find(|other| other.name == *to);
            if let Some(other) = other {
                check_way(&format!("{path}[{j}]"), stage, other, report);
            }
        }
    }
}

fn check_way(path: &str, from: &Stage, to: &Stage, report: &mut Report<'_>) {
    if from.name == to.name {
        report.error(path, "the stage connects to itself", "take it away");
    } else if from.kind != to.kind {
        let wrong = format!("nobody can walk between {:?} and {:?}", from.name, to.name);
        let right = "connect home stages with home stages; dungeons say which stages they have";
        report.warn(path, wrong, right);
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
        if actor.skills.is_empty() && actor.camp == Faction::Hero {
            report.error(
                &format!("{path}.skills"),
                "a hero has no skills",
                skills.offer(),
            );
        }
    }
}

fn check_foes(world: &WorldFile, report: &mut Report<'_>) {
    let skills = Known::skills(world);
    for (i, foe) in world.foes.iter().enumerate() {
        let path = format!("foes[{i}].skills");
        skills.require_all(&path, &foe.skills, report);
        if foe.skills.is_empty() {
            report.error(&path, "a foe has no skills", skills.offer());
        }
    }
}

fn check_dungeons(world: &WorldFile, report: &mut Report<'_>) {
    let foes = Known::new("foe", world.foes.iter().map(|foe| &foe.name));
    let stages = Known::stages(world, StageKind::Dungeon);
    for (i, dungeon) in world.dungeons.iter().enumerate() {
        let path = format!("dungeons[{i}].fights");
        if dungeon.fights.is_empty() {
            let right = "add a fight: (stage: …, foes: […], gain: …)";
            report.error(&path, "the dungeon has no fights", right);
        }
        for (j, fight) in dungeon.fights.iter().enumerate() {
            let path = format!("{path}[{j}]");
            stages.require(&format!("{path}.stage"), &fight.stage, report);
            foes.require_all(&format!("{path}.foes"), &fight.foes, report);
            if fight.foes.is_empty() {
                report.error(&format!("{path}.foes"), "nobody waits here", foes.offer());
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
                    let wrong = format!("{foe:?} is met in {first} already and does not return");
                    let right = "write `returns: true` for it, or name another foe";
                    report.warn(&format!("{fight}.foes[{k}]"), wrong, right);
                }
            }
        }
    }
}

fn check_schedule(world: &WorldFile, report: &mut Report<'_>) {
    let known = Known::new(
        "dungeon",
        world.dungeons.iter().map(|dungeon| &dungeon.name),
    );
    for (i, step) in world.schedule.iter().enumerate() {
        if let Step::Dungeon(name) = step {
            known.require(&format!("schedule[{i}].0"), name, report);
        }
    }
}

fn check_patterns(world: &WorldFile, report: &mut Report<'_>) {
    for (i, pattern) in world.patterns.iter().enumerate() {
        if pattern.text.trim().is_empty() {
            report.error(
                &format!("patterns[{i}].text"),
                "guards nothing",
                "write the text",
            );
        } else if pattern.mask.contains(&pattern.text) {
            let wrong = "the mask holds the text that it should hide";
            report.error(&format!("patterns[{i}].mask"), wrong, "write another mask");
        }
    }
}

/// A world can't be played without these.
fn check_presence(world: &WorldFile, report: &mut Report<'_>) {
    let heroes = || {
        world
            .actors
            .iter()
            .filter(|actor| actor.camp == Faction::Hero)
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
            "nobody is a hero",
            "let an actor have `camp: Hero`",
        );
    } else if !heroes().flat_map(|hero| &hero.skills).any(attacks) {
        report.warn(
            "actors",
            "no hero can attack",
            "give one a skill of kind Attack",
        );
    }
    let is_home = |stage: &Stage| stage.kind == StageKind::Home;
    if report.is_whole("stages") && !world.stages.iter().any(is_home) {
        report.error(
            "stages",
            "there is no home stage",
            "add a stage with `kind: Home`",
        );
    }
    if report.is_whole("schedule") && world.schedule.is_empty() {
        let right = "write schedule: [Home(days: 1), Dungeon(\"…\")]";
        report.error("schedule", "the schedule is missing or empty", right);
    }
}

/// What nobody uses was probably forgotten somewhere.
fn check_use<'a>(world: &'a WorldFile, report: &mut Report<'a>) {
    let (actors, foes) = (world.actors.iter(), world.foes.iter());
    let skills = actors.map(|actor| &actor.skills);
    let skills = used(skills.chain(foes.map(|foe| &foe.skills)), report);
    for (i, skill) in world.skills.iter().enumerate() {
        if !skills.contains(skill.name.as_str()) {
            let wrong = format!("nobody has the skill {:?}", skill.name);
            let right = "give it to someone, or take it away";
            report.warn(&format!("skills[{i}]"), wrong, right);
        }
    }
    let fights = world.dungeons.iter().flat_map(|dungeon| &dungeon.fights);
    let met = used(fights.map(|fight| &fight.foes), report);
    for (i, foe) in world.foes.iter().enumerate() {
        if !met.contains(foe.name.as_str()) {
            let wrong = format!("{:?} is met in no fight", foe.name);
            let right = "name it in a fight, or take it away";
            report.warn(&format!("foes[{i}]"), wrong, right);
        }
    }
    let mut visited = report.unread();
    visited.extend(world.schedule.iter().filter_map(|step| match step {
        Step::Dungeon(name) => Some(name.as_str()),
        Step::Home { .. } => None,
    }));
    for (i, dungeon) in world.dungeons.iter().enumerate() {
        if !visited.contains(dungeon.name.as_str()) {
            let wrong = format!("the schedule never leads to {:?}", dungeon.name);
            let right = "add it to the schedule";
            report.warn(&format!("dungeons[{i}]"), wrong, right);
        }
    }
}

/// All names in some lists, and those in parts that could not be read.
fn used<'a>(
    lists: impl Iterator<Item = &'a Vec<String>>,
    report: &Report<'a>,
) -> BTreeSet<&'a str> {
    let mut used = report.unread();
    used.extend(lists.flatten().map(String::as_str));
    used
}
