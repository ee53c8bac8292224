//! Whether those whom a scene of the morning needs wake up where it is.

use playhouse_engine::locale::text;

use super::report::{Report, each};
use crate::drama::{Condition, Effect, Occasion, Scene};
use crate::world_file::types::Actor;

/// Warns of everybody whom a scene of the morning needs, and who wakes up elsewhere.
pub(super) fn check(report: &mut Report<'_>) {
    for (path, scene) in each("scenes", &report.world.scenes) {
        check_scene(report, &path, scene);
    }
}

fn check_scene(report: &mut Report<'_>, path: &str, scene: &Scene) {
    let world = report.world;
    let is_morning = requires(&scene.when, &|condition| match condition {
        Condition::Now(occasion) => *occasion == Occasion::Morning,
        Condition::Round(round) => *round == 1,
        Condition::Hour(hour) => world.rounds.first() == Some(hour),
        _ => false,
    });
    let is_later = requires(
        &scene.when,
        &|condition| matches!(condition, Condition::Day(day) if *day > 1),
    );
    let sleepers = world.actors.iter().filter(|actor| {
        let comes = |effect: &Effect| match effect.bare() {
            Effect::Move(who, to) => *who == actor.name && *to == scene.at,
            _ => false,
        };
        let is_needed = |condition: &Condition| match condition {
            Condition::At(who, at) => *who == actor.name && *at == scene.at,
            _ => false,
        };
        let beds = actor.dawns.iter().map(|dawn| &dawn.at);
        let first = Some(&actor.stage).filter(|_| !is_later);
        !actor.sleeps.is_empty()
            && !scene.cast.contains(&actor.name)
            && beds.chain(first).all(|at| *at != scene.at)
            && actor.sleeps != scene.at
            && requires(&scene.when, &is_needed)
            && !world.effects().any(comes)
    });
    for Actor { name, sleeps, .. } in sleepers.filter(|_| is_morning) {
        let wrong = text!(
            drama_sleeps_elsewhere,
            who = name,
            stage = &scene.at,
            sleeps
        );
        report.warn(
            &format!("{path}.when"),
            wrong,
            text!(drama_let_come, who = name),
        );
    }
}

/// Whether a condition, in each case that it leaves open, requires something of this kind.
fn requires(condition: &Condition, what: &dyn Fn(&Condition) -> bool) -> bool {
    match condition {
        Condition::All(parts) => parts.iter().any(|part| requires(part, what)),
        Condition::Any(parts) => !parts.is_empty() && parts.iter().all(|part| requires(part, what)),
        simple => what(simple),
    }
}
