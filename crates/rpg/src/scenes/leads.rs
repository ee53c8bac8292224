//! What an option leads to for its decider, in numbers: for minds without language, which can't
//! tell it from the option's label.
//!
//! For example, `Give("the log", "Odile")` costs its decider an item (`gain: -1`) and helps Odile
//! (`others: {"Odile": 1}`); if a goal of the decider is `Holds("Odile", "the log")`, that goal
//! comes nearer (`goals: 1`).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::drama::{ChoiceOption, Condition, Effect, Goal, PromiseState};

/// What an option leads to, as far as it concerns its decider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Leads<'a> {
    /// Own goals that come nearer, less those that move away.
    goals: i32,
    /// Whom it helps, and whom it hurts.
    others: BTreeMap<&'a str, i32>,
    /// Items that one gets, less those that one gives away.
    gain: i32,
    /// How much it endangers oneself.
    danger: i32,
    told: i32,
    /// Promises of one's own that are kept, less those that are broken.
    faith: i32,
}

impl<'a> Leads<'a> {
    /// `goals` are those that are neither met nor lost.
    pub(super) fn of(me: &str, goals: &[&Goal], (scene, option): (&str, &'a ChoiceOption)) -> Self {
        let mut leads = Self::default();
        let pushed = |condition: &Condition| {
            let effects = option.effects.iter().map(Effect::bare);
            let by_effects: i32 = effects.map(|effect| pushes(effect, condition)).sum();
            by_effects.signum() + settles(scene, &option.id, condition)
        };
        for goal in goals {
            leads.goals += pushed(&goal.met).signum() - pushed(&goal.lost).signum();
        }
        for effect in &option.effects {
            leads.add(me, effect);
        }
        leads
    }

    /// How an actor takes an option that another chose: how its own goals fare, and what the file
    /// makes it feel; from -1 to 1.
    pub(crate) fn felt(
        (me, by): (&str, &str),
        goals: &[&Goal],
        chosen: (&str, &'a ChoiceOption),
    ) -> i32 {
        let bonds = chosen.1.effects.iter().map(|effect| match effect.bare() {
            Effect::Bond(from, to, change) if from == me && to == by => change.signum(),
            _ => 0,
        });
        (Self::of(me, goals, chosen).goals + bonds.sum::<i32>()).signum()
    }

    fn add(&mut self, me: &str, effect: &'a Effect) {
        let mut on = |who: &'a str, by: i32| {
            if who == me {
                self.danger -= by.min(0);
            } else {
                *self.others.entry(who).or_default() += by;
            }
        };
        match effect.bare() {
            Effect::Bond(from, to, by) if to == me => on(from, by.signum()),
            Effect::Give(_, to) if to == me => self.gain += 1,
            Effect::Give(_, to) => {
                on(to, 1);
                self.gain -= 1;
            }
            Effect::Put(..) | Effect::Destroy(..) | Effect::Become(..) => self.gain -= 1,
            Effect::Heal(who, _) | Effect::Revive(who, _) => on(who, 1),
            Effect::Hurt(who, _) | Effect::Wound(who, _) => on(who, -1),
            Effect::Kill(who) => on(who, -3),
            Effect::Teach(..) | Effect::Reveal(..) => self.told += 1,
            Effect::Promise(from, to, ..) if from == me => on(to, 1),
            Effect::Keep(from, to, _) if from == me => {
                on(to, 1);
                self.faith += 1;
            }
            Effect::Break(from, to, _) if from == me => {
                on(to, -1);
                self.faith -= 1;
            }
            _ => {}
        }
    }
}

/// Whether an effect makes a condition likelier (1), less likely (-1), or neither (0).
fn pushes(effect: &Effect, condition: &Condition) -> i32 {
    use Condition as C;
    use Effect as E;
    let towards = |is_it: bool| if is_it { 1 } else { -1 };
    match (condition, effect) {
        (C::Not(condition), _) => -pushes(effect, condition),
        (C::All(parts) | C::Any(parts), _) => {
            let parts = parts.iter().map(|part| pushes(effect, part));
            parts.sum::<i32>().signum()
        }
        (C::Knows(who, fact), E::Teach(whom, taught) | E::Tells(_, whom, taught)) => {
            (fact == taught && who == whom).into()
        }
        (C::Knows(_, fact), E::Reveal(told)) => (fact == told).into(),
        (C::Holds(who, item), E::Give(given, to)) if item == given => towards(who == to),
        (C::Holds(place, item), E::Put(put, on)) if item == put => towards(place == on),
        (C::Holds(_, item), E::Destroy(gone)) => -i32::from(item == gone),
        (C::Quality(id, _), E::Add(quality, by)) if id == quality => by.signum(),
        (C::Bond(from, to, _), E::Bond(of, about, by)) if from == of && to == about => by.signum(),
        (C::Told(_, who, fact), E::Teach(whom, told) | E::Tells(_, whom, told)) => {
            (fact == told && who == whom).into()
        }
        (C::Promised(from, to), E::Promise(by, whom, ..)) => (from == by && to == whom).into(),
        (C::Promised(from, to), E::Break(by, whom, _)) => -i32::from(from == by && to == whom),
        (C::Promise(from, to, state), E::Keep(by, whom, _)) if from == by && to == whom => {
            towards(*state == PromiseState::Kept)
        }
        (C::Promise(from, to, state), E::Break(by, whom, _)) if from == by && to == whom => {
            towards(*state == PromiseState::Broken)
        }
        (C::At(who, place), E::Move(whom, to)) if who == whom => towards(place == to),
        (C::Alive(who), E::Kill(whom)) => -i32::from(who == whom),
        (C::Alive(who), E::Revive(whom, _)) | (C::Fell(who), E::Kill(whom)) => (who == whom).into(),
        _ => 0,
    }
}

/// Whether the choice itself makes a condition likelier or less likely.
fn settles(scene: &str, option: &str, condition: &Condition) -> i32 {
    match condition {
        Condition::Chose(of, chosen) => (of == scene && chosen == option).into(),
        Condition::Not(condition) => -settles(scene, option, condition),
        Condition::All(parts) | Condition::Any(parts) => {
            let parts = parts.iter().map(|part| settles(scene, option, part));
            parts.sum::<i32>().signum()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leads(met: &str, lost: &str, effects: &str) -> Leads<'static> {
        let read = |text: &str| ron::from_str::<Condition>(text).expect("a condition");
        let goal = Goal {
            met: read(met),
            lost: read(lost),
            ..Goal::default()
        };
        let option = ChoiceOption {
            id: "burn".into(),
            effects: ron::from_str(effects).expect("effects"),
            ..ChoiceOption::default()
        };
        // Small, and only in tests.
        let option: &'static ChoiceOption = Box::leak(Box::new(option));
        Leads::of("Brant", &[&goal], ("the-log", option))
    }

    #[test]
    fn goals_come_nearer_or_move_away() {
        let goals = |met: &str, lost: &str, effects: &str| leads(met, lost, effects).goals;
        let read = "Knows(\"Odile\", \"order\")";
        assert_eq!(goals("Never", read, "[Reveal(\"order\")]"), -1);
        assert_eq!(goals(read, "Never", "[Teach(\"Odile\", \"order\")]"), 1);
        assert_eq!(
            goals(&format!("Not({read})"), "Never", "[Reveal(\"order\")]"),
            -1
        );
        assert_eq!(goals("Chose(\"the-log\", \"burn\")", "Never", "[]"), 1);
        assert_eq!(
            goals(
                "Holds(\"Edda\", \"log\")",
                "Never",
                "[Give(\"log\", \"Odile\")]"
            ),
            -1
        );
        assert_eq!(
            goals("Quality(\"lamp\", 2)", "Never", "[Add(\"lamp\", -1)]"),
            -1
        );
        assert_eq!(goals("Alive(\"Edda\")", "Never", "[Tell(\"So.\")]"), 0);
    }

    #[test]
    fn what_it_does_to_others_and_to_oneself_is_counted() {
        let effects = "[Give(\"log\", \"Odile\"), Bond(\"Odile\", \"Brant\", 2), Hurt(\"Brant\", 3), \
            Break(\"Brant\", \"Edda\"), Reveal(\"order\")]";
        let leads = leads("Never", "Never", effects);
        assert_eq!(leads.others, BTreeMap::from([("Edda", -1), ("Odile", 2)]));
        let of_oneself = (leads.gain, leads.danger, leads.told, leads.faith);
        assert_eq!(of_oneself, (-1, 1, 1, -1));
    }
}
