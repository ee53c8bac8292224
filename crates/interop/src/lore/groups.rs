//! Inclusion groups: of the entries of one group, one comes to mind.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::mind::SplitMix64;

use super::book::{Book, Entry};
use super::keys::Logic;
use super::scan::{Found, ScanSettings};
use super::timers::Timers;

/// What of a scan decides within groups.
pub(super) struct Groups<'s> {
    pub(super) book: &'s Book,
    pub(super) found: &'s Found,
    pub(super) settings: ScanSettings,
    pub(super) timers: &'s Timers,
    /// The groups of which one has come.
    pub(super) taken: &'s BTreeSet<String>,
}

impl Groups<'_> {
    /// Leaves one of each group among entries that would come, in their order.
    pub(super) fn filter(&self, coming: &mut Vec<u32>, dice: &mut SplitMix64) {
        let mut groups: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for number in coming.iter().copied() {
            let entry = self.book.entry(number);
            for group in entry.iter().flat_map(|entry| &entry.groups) {
                groups.entry(group).or_default().push(number);
            }
        }
        let mut left: BTreeSet<u32> = coming.iter().copied().collect();
        for (group, members) in groups {
            let members = members.into_iter().filter(|number| left.remove(number));
            let members: Vec<_> = members.collect();
            left.extend(self.kept(group, &members, dice));
        }
        coming.retain(|number| left.contains(number));
    }

    /// Those that stay of the members of a group.
    fn kept(&self, group: &str, members: &[u32], dice: &mut SplitMix64) -> Vec<u32> {
        let of = |number: &u32| self.book.entry(*number);
        let is_sticky = |number: &u32| of(number).is_some_and(|entry| self.timers.is_sticky(entry));
        let sticky: Vec<_> = members.iter().copied().filter(is_sticky).collect();
        if !sticky.is_empty() {
            return sticky;
        }
        if self.taken.contains(group) {
            return Vec::new();
        }
        let members = self.best_scored(members);
        if members.len() <= 1 {
            return members;
        }
        // They are in order already.
        let mut preferred = members
            .iter()
            .filter(|number| of(number).is_some_and(|entry| entry.group_override));
        if let Some(first) = preferred.next() {
            return vec![*first];
        }
        let weights = members
            .iter()
            .map(|number| of(number).map_or(0, |entry| entry.group_weight));
        let chosen = dice.weighted(weights).unwrap_or(0);
        members.get(chosen).copied().into_iter().collect()
    }

    /// Without those that fewer keys fit, if they are to be compared.
    fn best_scored(&self, members: &[u32]) -> Vec<u32> {
        let scored = |entry: &Entry| entry.group_scoring.unwrap_or(self.settings.group_scoring);
        let entries = members
            .iter()
            .filter_map(|number| Some((*number, self.book.entry(*number)?)));
        if !entries.clone().any(|(_, entry)| scored(entry)) {
            return members.to_vec();
        }
        let best = entries.clone().map(|(_, entry)| self.score(entry)).max();
        let stays = entries.filter(|(_, entry)| !scored(entry) || Some(self.score(entry)) == best);
        stays.map(|(number, _)| number).collect()
    }

    /// How many keys of an entry were found.
    fn score(&self, entry: &Entry) -> usize {
        let reach = self.settings.reach(entry, self.book);
        let count = |keys: &[u32]| {
            keys.iter()
                .filter(|key| self.found.has(**key, reach))
                .count()
        };
        let first = count(&entry.keys);
        let secondary = entry.secondary.iter().map(|(logic, keys)| match logic {
            Logic::AndAny => count(keys),
            Logic::AndAll if count(keys) == keys.len() => keys.len(),
            _ => 0,
        });
        if first == 0 {
            0
        } else {
            first + secondary.sum::<usize>()
        }
    }
}
