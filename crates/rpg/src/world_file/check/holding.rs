//! Whether conditions can hold, options can be taken and endings can be reached.
//!
//! What contradicts itself is an error. What only this world, as it is written, never lets hold is
//! a warning, since the rest of it may not be written yet.

use playhouse_engine::locale::{Argument, text};

use super::prospects::{Around, Moment, Prospects};
use super::report::{Report, part};
use super::waiting;
use crate::drama::{Cases, Condition, Effect, Ending, Impossible, Scene};
use crate::world_file::types::{CampaignStep, WorldFile};

/// The most endings that are compared with each other.
const MAX_ENDINGS: usize = 200;

/// Reports what can never hold in a world.
pub(super) fn check(world: &WorldFile, report: &mut Report<'_>) {
    let mut prospects = Prospects::of(world, report.is_complete());
    waiting::find(world, &mut prospects);
    let mut holding = Holding {
        prospects: &prospects,
        report,
        may_fail: true,
    };
    for (i, actor) in world.actors.iter().enumerate() {
        for (j, goal) in actor.goals.iter().enumerate() {
            let path = format!("actors[{i}].goals[{j}]");
            holding.check(&format!("{path}.met"), &goal.met, Moment::AnyTime);
            // A goal that can't be lost has no condition for it; that is the default.
            if goal.lost != Condition::Never {
                holding.check(&format!("{path}.lost"), &goal.lost, Moment::AnyTime);
            }
        }
    }
    for (i, foe) in world.foes.iter().enumerate() {
        for (j, moved) in foe.moved_by.iter().enumerate() {
            let path = format!("foes[{i}].moved_by[{j}].when");
            holding.check(&path, &moved.when, Moment::AnyTime);
        }
    }
    for (i, item) in world.items.iter().enumerate() {
        for (j, does) in item.uses.iter().enumerate() {
            let path = format!("items[{i}].uses[{j}].when");
            holding.check(&path, &does.when, Moment::AnyTime);
        }
    }
    for (i, scene) in world.scenes.iter().enumerate() {
        holding.scene(&format!("scenes[{i}]"), scene);
    }
    holding.endings(world);
    for (i, step) in world.schedule.iter().enumerate() {
        holding.step(&format!("schedule[{i}]"), step);
    }
}

/// Warns of a condition that is not part of the world file, if it can never hold.
pub(super) fn check_condition(condition: &Condition, world: &WorldFile, report: &mut Report<'_>) {
    let mut prospects = Prospects::of(world, report.is_complete());
    waiting::find(world, &mut prospects);
    let mut holding = Holding {
        prospects: &prospects,
        report,
        may_fail: false,
    };
    holding.check("", condition, Moment::AnyTime);
}

struct Holding<'h, 'r, 'a> {
    prospects: &'h Prospects<'a>,
    report: &'h mut Report<'r>,
    /// Whether a contradiction is an error.
    may_fail: bool,
}

impl<'h, 'a> Holding<'h, '_, 'a> {
    fn around(&self, moment: Moment<'a>) -> Around<'h, 'a> {
        let prospects = self.prospects;
        Around { prospects, moment }
    }

    fn scene(&mut self, path: &str, scene: &'a Scene) {
        self.check(&format!("{path}.when"), &scene.when, Moment::Opening(scene));
        let Some(choice) = &scene.choice else { return };
        let path = format!("{path}.choice");
        if !waiting::may_be_decided(scene, self.prospects) {
            let who = Argument::list(&choice.who);
            let wrong = text!(drama_nobody_decides, who, stage = scene.at.as_str());
            let path = format!("{path}.who");
            self.report.error(&path, wrong, text!(drama_let_decide));
        }
        let presence = waiting::presence(scene);
        for (i, option) in choice.options.iter().enumerate() {
            let path = format!("{path}.options[{i}].when");
            let moment = Moment::Choice(scene);
            let is_told = self.check(&path, &option.when, moment);
            if let Some(presence) = presence.as_ref().filter(|_| !is_told) {
                let conditions = [(presence, true), (&option.when, true)];
                let around = self.around(moment);
                let alone = Cases::of(&[(presence, true)], &around);
                let cases = Cases::of(&conditions, &around);
                // That nobody can be there has been said already.
                let alone = alone.and_then(|cases| cases.impossible());
                let why = cases.and_then(|cases| cases.impossible());
                if let Some(why) = why.filter(|_| alone.is_none()) {
                    self.never(&path, why);
                }
            }
        }
    }

    fn step(&mut self, path: &str, step: &'a CampaignStep) {
        if let CampaignStep::If(condition, then) = step {
            // That nothing can be judged there is another mistake.
            if !condition.is_judged() {
                self.check(&part(path, 0), condition, Moment::Step);
            }
            self.step(&part(path, 1), then);
        }
    }

    fn endings(&mut self, world: &'a WorldFile) {
        let last = world.endings.len().saturating_sub(1);
        let moment = |ending: &Ending| {
            if ending.early {
                Moment::AnyTime
            } else {
                Moment::End
            }
        };
        for (i, ending) in world.endings.iter().enumerate().take(last) {
            let path = format!("endings[{i}].when");
            self.check(&path, &ending.when, moment(ending));
        }
        if world.endings.len() > MAX_ENDINGS {
            return;
        }
        let [early, at_end] = [Moment::AnyTime, Moment::End].map(|moment| {
            let around = self.around(moment);
            let cases = |ending: &'a Ending| Cases::of(&[(&ending.when, true)], &around);
            world.endings.iter().map(cases).collect::<Vec<_>>()
        });
        for (i, ending) in world.endings.iter().enumerate() {
            // What comes first when this one is looked at.
            let cases = if ending.early { &early } else { &at_end };
            let before = world.endings.iter().zip(cases).take(i);
            let before = before.filter(|(other, _)| other.early || !ending.early);
            let before: Vec<_> = before
                .filter_map(|(other, cases)| Some((other, cases.as_ref()?)))
                .filter(|(_, cases)| !cases.is_certain())
                .collect();
            let Some(own) = cases.get(i).and_then(Option::as_ref) else {
                continue;
            };
            if own.is_certain() && i < last {
                let wrong = text!(drama_hides_endings, id = ending.id.as_str());
                let path = format!("endings[{i}].when");
                self.report.error(&path, wrong, text!(drama_put_it_last));
                continue;
            }
            let is_chosen = || {
                let mut effects = super::prospects::effects(world);
                effects.any(|effect| matches!(effect, Effect::End(id) if *id == ending.id))
            };
            let is_hidden = i < last
                && own.impossible().is_none()
                && own.imply(before.iter().map(|(_, cases)| *cases));
            if !is_hidden || is_chosen() {
                continue;
            }
            let alone = before.iter().find(|(_, cases)| own.imply([*cases]));
            let hiding = match alone {
                Some(ending) => vec![ending],
                None => before.iter().collect(),
            };
            let ids = Argument::list(hiding.iter().map(|(other, _)| other.id.as_str()));
            let wrong = text!(drama_hidden_ending, ids);
            let path = format!("endings[{i}].when");
            self.report.error(&path, wrong, text!(drama_put_it_first));
        }
    }

    /// Reports what can never hold in a condition, the innermost parts that can't; returns whether
    /// it can't as a whole.
    fn check(&mut self, path: &str, condition: &'a Condition, moment: Moment<'a>) -> bool {
        let around = self.around(moment);
        self.check_part(path, condition, true, &around)
    }

    /// As [`Self::check`], of what must hold, or must not.
    fn check_part(
        &mut self,
        path: &str,
        condition: &'a Condition,
        holds: bool,
        around: &Around<'_, 'a>,
    ) -> bool {
        match condition {
            Condition::Not(condition) => {
                return self.check_part(&part(path, 0), condition, !holds, around);
            }
            Condition::All(parts) | Condition::Any(parts) => {
                let all_must = matches!(condition, Condition::All(_)) == holds;
                let list = part(path, 0);
                let mut never = 0;
                for (i, condition) in parts.iter().enumerate() {
                    let path = format!("{list}[{i}]");
                    never += usize::from(self.check_part(&path, condition, holds, around));
                }
                if all_must && never > 0 {
                    return true;
                }
                if !all_must && !parts.is_empty() {
                    return never == parts.len();
                }
            }
            Condition::Quality(id, least)
                if holds && self.prospects.is_left_to_attempts(id, *least) =>
            {
                let wrong = text!(drama_left_to_attempts, id, least = *least);
                self.report.warn(path, wrong, text!(drama_raise_it));
            }
            _ => {}
        }
        let cases = Cases::of(&[(condition, holds)], around);
        let why = cases.and_then(|cases| cases.impossible());
        why.is_some_and(|why| {
            self.never(path, why);
            true
        })
    }

    fn never(&mut self, path: &str, why: Impossible) {
        let is_error = self.may_fail && matches!(why, Impossible::Itself(_));
        let wrong = text!(drama_can_not_hold, why = why.why());
        let right = text!(drama_change_it);
        if is_error {
            self.report.error(path, wrong, right);
        } else {
            self.report.warn(path, wrong, right);
        }
    }
}
