//! What a character's goals and open choices depend on. Minds that can't read text need it, so as
//! not to tell secrets and give important items away by chance.

use std::collections::BTreeSet;

use crate::drama::{ChoiceOption, Condition, Effect, Ending, Goal, Item, Scene};

/// The names of the items that an option of a scene or an ending is about, or what is to be read in
/// them.
pub(super) fn needed_items(
    items: &[Item],
    scenes: &[Scene],
    endings: &[Ending],
) -> BTreeSet<String> {
    let mut interests = Interests::in_options(scenes.iter().flat_map(Scene::options));
    endings
        .iter()
        .for_each(|ending| interests.add_condition(&ending.when));
    let needed = items.iter().filter(|item| interests.are_about(item));
    needed.map(|item| item.name.clone()).collect()
}

/// Facts, by id, and items and people, by name.
#[derive(Debug, Default)]
pub(super) struct Interests<'a> {
    /// What a goal of one's own or a choice that one has not made yet is about.
    pub(super) facts: BTreeSet<&'a str>,
    pub(super) items: BTreeSet<&'a str>,
    pub(super) people: BTreeSet<&'a str>,
    /// Facts that must not spread, because one's own goal would be lost.
    pub(super) feared: BTreeSet<&'a str>,
}

impl<'a> Interests<'a> {
    /// What these options are about.
    fn in_options(options: impl Iterator<Item = &'a ChoiceOption>) -> Self {
        let mut interests = Self::default();
        for option in options {
            interests.add_condition(&option.when);
            interests.add_effects(option);
        }
        interests
    }

    /// What must stay as it is until one of these options is chosen, or it could not be any more.
    /// Whoever learns what an option only depends on may make it possible.
    pub(super) fn forestalling(options: impl Iterator<Item = &'a ChoiceOption> + Clone) -> Self {
        let mut interests = Self::default();
        for option in options.clone() {
            interests.add_condition(&option.when);
        }
        interests.facts.clear();
        options.for_each(|option| interests.add_effects(option));
        interests
    }

    /// What is at stake for `me`, who still has these goals; some of the scenes may yet be decided.
    pub(super) fn of(
        me: &str,
        goals: &[&'a Goal],
        scenes: &'a [Scene],
        is_ahead: impl Fn(&str) -> bool,
    ) -> Self {
        let is_mine = |scene: &&Scene| {
            let mut deciders = scene.choices().flat_map(|choice| &choice.who);
            deciders.any(|who| who == me)
        };
        let ahead = scenes.iter().filter(|scene| is_ahead(&scene.id));
        let mut interests = Self::in_options(ahead.filter(is_mine).flat_map(Scene::options));
        for goal in goals {
            interests.add_condition(&goal.met);
            interests.add_condition(&goal.lost);
            let lost = goal.lost.parts().into_iter();
            interests.feared.extend(lost.filter_map(|part| match part {
                Condition::Knows(_, fact) => Some(fact.as_str()),
                _ => None,
            }));
        }
        interests
    }

    /// Whether these are about an item, or about what is to be read in it.
    pub(super) fn are_about(&self, item: &Item) -> bool {
        let mut said = item.teaches.iter();
        self.items.contains(&*item.name) || said.any(|fact| self.facts.contains(&**fact))
    }

    /// Whether an item is at stake, or to be read in it what must not spread.
    pub(super) fn are_in(&self, item: &Item) -> bool {
        let mut said = item.teaches.iter();
        self.items.contains(&*item.name) || said.any(|fact| self.feared.contains(&**fact))
    }

    fn add_condition(&mut self, condition: &'a Condition) {
        for part in condition.parts() {
            match part {
                Condition::Knows(_, fact) => self.facts.insert(fact),
                Condition::Holds(_, item) => self.items.insert(item),
                Condition::At(who, _) => self.people.insert(who),
                _ => false,
            };
        }
    }

    fn add_effects(&mut self, option: &'a ChoiceOption) {
        for effect in &option.effects {
            let befallen = effect.befalls().iter();
            self.people.extend(befallen.map(String::as_str));
            match effect.bare() {
                Effect::Teach(_, fact) | Effect::Tells(_, _, fact) | Effect::Reveal(fact) => {
                    self.facts.insert(fact)
                }
                Effect::Give(item, _)
                | Effect::Put(item, _)
                | Effect::Destroy(item)
                | Effect::Become(item, _) => self.items.insert(item),
                _ => false,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drama::{Choice, ChoiceOption, Scene};

    #[test]
    fn goals_and_choices_to_come_are_at_stake() {
        let knows = |who: &str, fact: &str| Condition::Knows(who.into(), fact.into());
        let goal = Goal {
            lost: Condition::Not(Box::new(knows("Bob", "the-debt"))),
            ..Goal::default()
        };
        let option = ChoiceOption {
            effects: vec![
                Effect::Reveal("the-key-fits".into()),
                Effect::Destroy("the key".into()),
            ],
            ..ChoiceOption::default()
        };
        let choice = Choice {
            who: vec!["Ann".into()],
            options: vec![option],
            ..Choice::default()
        };
        let scene = Scene {
            id: "door".into(),
            choice: Some(choice),
            ..Scene::default()
        };
        let scenes = [scene];
        let interests = Interests::of("Ann", &[&goal], &scenes, |scene| scene == "door");
        assert_eq!(
            Vec::from_iter(&interests.facts),
            [&"the-debt", &"the-key-fits"]
        );
        assert_eq!(Vec::from_iter(&interests.items), [&"the key"]);
        assert_eq!(Vec::from_iter(&interests.feared), [&"the-debt"]);
        let teaches = |fact: &str| Item {
            teaches: vec![fact.into()],
            ..Item::default()
        };
        let are_in = |fact| interests.are_in(&teaches(fact));
        assert_eq!([are_in("the-debt"), are_in("the-key-fits")], [true, false]);
        let interests = Interests::of("Ann", &[], &scenes, |_| false);
        assert!(interests.facts.is_empty() && interests.items.is_empty());
    }
}
