//! Which stages can be reached.

use std::collections::BTreeSet;

use playhouse_engine::locale::text;

use super::report::{Report, each};
use crate::world_file::types::{StageKind, WorldFile};

pub(super) fn check(report: &mut Report<'_>) {
    let world = report.world;
    let reached = reached(world, report.unread());
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

/// The stages of all fights, and all stages that can be reached on foot from where actors start or
/// from a name in a part that could not be read.
fn reached<'a>(world: &'a WorldFile, unread: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let mut reached: BTreeSet<&str> = world.fights().map(|fight| fight.stage.as_str()).collect();
    let starts = world.actors.iter().map(|actor| actor.stage.as_str());
    let mut open: Vec<&str> = starts.chain(unread.iter().copied()).collect();
    while let Some(name) = open.pop() {
        if reached.insert(name) {
            let same = world.stages.iter().filter(|stage| stage.name == name);
            open.extend(same.flat_map(|stage| &stage.connects).map(String::as_str));
        }
    }
    reached
}
