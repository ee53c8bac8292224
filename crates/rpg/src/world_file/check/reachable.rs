//! Which stages can be reached.

use std::collections::BTreeSet;

use playhouse_engine::locale::text;

use crate::world_file::types::{StageKind, WorldFile};

use super::report::Report;

pub(super) fn check(world: &WorldFile, report: &mut Report<'_>) {
    let reached = reached(world, report.unread().clone());
    for (i, stage) in world.stages.iter().enumerate() {
        if reached.contains(stage.name.as_str()) || stage.name.is_empty() {
            continue;
        }
        let wrong = text!(rpg_check_unreachable, stage = &stage.name);
        let right = match stage.kind {
            StageKind::Home => text!(rpg_check_connect_stage),
            StageKind::Dungeon => text!(rpg_check_fight_on_stage),
        };
        report.error(&format!("stages[{i}]"), wrong, right);
    }
}

/// The stages of all fights, and all stages that can be reached on foot from where actors start or
/// from a name in a part that could not be read.
fn reached<'a>(world: &'a WorldFile, unread: BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let fights = world.dungeons.iter().flat_map(|dungeon| &dungeon.fights);
    let mut reached: BTreeSet<&str> = fights.map(|fight| fight.stage.as_str()).collect();
    let starts = world.actors.iter().map(|actor| actor.stage.as_str());
    let mut open: Vec<&str> = starts.chain(unread).collect();
    while let Some(name) = open.pop() {
        if reached.insert(name) {
            let same = world.stages.iter().filter(|stage| stage.name == name);
            open.extend(same.flat_map(|stage| &stage.connects).map(String::as_str));
        }
    }
    reached
}
