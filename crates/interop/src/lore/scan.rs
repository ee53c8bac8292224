//! Which entries come to mind.

use std::collections::BTreeSet;

use playhouse_engine::message::tokens;
use playhouse_engine::mind::SplitMix64;

use super::book::{Book, Entry};
use super::groups::Groups;
use super::timers::Timers;
use crate::macros::Macros;

/// The most messages that are scanned.
const MAX_DEPTH: usize = 1_000;
/// The most passes over what came to mind.
const MAX_STEPS: usize = 64;

/// What counts if a book or an entry says nothing.
#[derive(Clone, Copy, Debug)]
pub struct ScanSettings {
    /// How many of the latest messages are scanned.
    pub scan_depth: usize,
    /// Whether what came to mind is scanned, too.
    pub recursive: bool,
    /// The most passes; 0 for as many as needed.
    pub max_steps: usize,
    /// Whether of a group only those come that the most keys fit.
    pub group_scoring: bool,
    /// The most tokens of all that comes to mind.
    pub budget: u64,
    /// Whether its owner reads elsewhere what it always knows.
    pub knows_constants: bool,
}

impl Default for ScanSettings {
    /// As SillyTavern has them, without a budget.
    fn default() -> Self {
        Self {
            scan_depth: 2,
            recursive: true,
            max_steps: 0,
            group_scoring: false,
            budget: u64::MAX,
            knows_constants: false,
        }
    }
}

impl ScanSettings {
    /// Where keys of an entry are looked for.
    pub(super) fn reach(&self, entry: &Entry, book: &Book) -> Reach {
        let depth = entry.scan_depth.or(book.scan_depth);
        Reach {
            depth: depth.unwrap_or(self.scan_depth).min(MAX_DEPTH),
            character: entry.scans_character,
        }
    }
}

/// Whose book is scanned, and what they witnessed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Witness<'w> {
    pub name: &'w str,
    pub tags: &'w [String],
    /// What it is, for entries that are looked for there.
    pub about: &'w str,
    /// What it witnessed, latest first.
    pub messages: &'w [&'w str],
    /// How many messages it witnessed in all.
    pub count: u64,
}

/// An entry that came to mind, and what it says.
#[derive(Clone, Debug)]
pub struct Triggered<'b> {
    pub entry: &'b Entry,
    pub content: String,
}

/// Where keys are looked for.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    depth: usize,
    character: bool,
}

/// Where each key was found.
pub(super) struct Found(Vec<Spots>);

#[derive(Clone, Copy)]
struct Spots {
    /// The latest message that has it, from 0.
    message: u16,
    character: bool,
    /// In what came to mind.
    recalled: bool,
}

impl Found {
    pub(super) fn has(&self, key: u32, reach: Reach) -> bool {
        self.0.get(key as usize).is_some_and(|spots| {
            let in_messages = usize::from(spots.message) < reach.depth;
            // Nothing is scanned for at depth 0.
            reach.depth > 0 && (in_messages || spots.recalled || reach.character && spots.character)
        })
    }
}

impl Book {
    /// What comes to mind, in the order in which it is told: by position, then by order. Times
    /// begin and end in `timers`.
    pub fn scan(
        &self,
        witness: Witness<'_>,
        settings: ScanSettings,
        timers: &mut Timers,
        (macros, dice): (&mut Macros<'_>, &mut SplitMix64),
    ) -> Vec<Triggered<'_>> {
        timers.advance(self, witness.count);
        let mut scan = Scan {
            book: self,
            witness,
            settings,
            found: Found(vec![
                Spots {
                    message: u16::MAX,
                    character: false,
                    recalled: false
                };
                self.keys.len()
            ]),
            matched: self.unkeyed.iter().copied().collect(),
            is_recursion: false,
            level: 0,
            done: BTreeSet::new(),
            came: Vec::new(),
            groups: BTreeSet::new(),
            spent: 0,
            is_full: false,
        };
        scan.matched.extend(timers.sticky_in(self));
        scan.read_messages();
        scan.run(timers, macros, dice);
        let mut came = scan.came;
        timers.begin(
            came.iter().map(|(_, triggered)| triggered.entry),
            witness.count,
        );
        // Of one order, what came first stands last.
        came.reverse();
        came.sort_by_key(|(_, triggered)| {
            let entry = triggered.entry;
            (entry.position.rank(), entry.order)
        });
        came.into_iter().map(|(_, triggered)| triggered).collect()
    }
}

/// A scan under way.
struct Scan<'b, 'w> {
    book: &'b Book,
    witness: Witness<'w>,
    settings: ScanSettings,
    found: Found,
    /// Entries that a key was found of, or that need none.
    matched: BTreeSet<u32>,
    /// Whether this pass follows from what came to mind.
    is_recursion: bool,
    level: u32,
    /// Those that came or would have come, but for their group, chance or the budget.
    done: BTreeSet<u32>,
    came: Vec<(u32, Triggered<'b>)>,
    /// The groups of which one came.
    groups: BTreeSet<String>,
    spent: u64,
    is_full: bool,
}

impl<'b> Scan<'b, '_> {
    fn read_messages(&mut self) {
        let usual = self.book.scan_depth.unwrap_or(self.settings.scan_depth);
        let deepest = self.book.deepest.max(usual).min(MAX_DEPTH);
        for (number, message) in (0..).zip(self.witness.messages.iter().take(deepest)) {
            self.read(message, |spots| spots.message = spots.message.min(number));
        }
        if self.book.scans_character {
            self.read(self.witness.about, |spots| spots.character = true);
        }
    }

    fn read(&mut self, text: &str, note: impl Fn(&mut Spots)) {
        self.book.keys.find(text, |key| {
            if let Some(spots) = self.found.0.get_mut(key as usize) {
                note(spots);
            }
            if let Some(entries) = self.book.by_key.get(key as usize) {
                self.matched.extend(entries);
            }
        });
    }

    fn run(&mut self, timers: &Timers, macros: &mut Macros<'_>, dice: &mut SplitMix64) {
        let mut levels = self.book.levels.iter().copied();
        self.level = levels.next().unwrap_or(0);
        let most = match self.settings.max_steps {
            0 => MAX_STEPS,
            steps => steps.min(MAX_STEPS),
        };
        for _ in 0..most {
            let told = self.pass(timers, macros, dice);
            let goes_on = self.is_recursive() && !self.is_full && !told.is_empty();
            if !goes_on {
                let Some(level) = levels.next() else {
                    return;
                };
                self.level = level;
            }
            for content in told {
                self.read(&content, |spots| spots.recalled = true);
            }
            self.is_recursion = true;
        }
    }

    /// One pass over all entries; what those say that came and may be scanned.
    fn pass(
        &mut self,
        timers: &Timers,
        macros: &mut Macros<'_>,
        dice: &mut SplitMix64,
    ) -> Vec<String> {
        let matched = self.matched.iter().copied();
        let mut coming: Vec<u32> = matched
            .filter(|number| self.comes(*number, timers))
            .collect();
        self.done.extend(&coming);
        let rank = |number: &u32| {
            let entry = self.book.entry(*number);
            entry.map(|entry| {
                (
                    !timers.is_sticky(entry),
                    -entry.priority.max(-i64::MAX),
                    -entry.order.max(-i64::MAX),
                )
            })
        };
        coming.sort_by_key(rank);
        let groups = Groups {
            book: self.book,
            found: &self.found,
            settings: self.settings,
            timers,
            taken: &self.groups,
        };
        groups.filter(&mut coming, dice);
        let mut told = Vec::new();
        for number in coming {
            let Some(entry) = self.book.entry(number) else {
                continue;
            };
            let is_sure = entry.probability >= 100 || timers.is_sticky(entry);
            if !is_sure && !dice.happens(entry.probability as usize) {
                continue;
            }
            let content = macros.expand(&entry.content).trim().to_owned();
            if !(self.settings.knows_constants && entry.is_always_known()) {
                let spent = self.spent + u64::from(tokens::estimate(&content));
                if !entry.ignore_budget && (self.is_full || spent > self.budget()) {
                    self.is_full = true;
                    continue;
                }
                self.spent = spent;
            }
            self.groups.extend(entry.groups.iter().cloned());
            if !entry.prevent_recursion {
                told.push(content.clone());
            }
            self.came.push((number, Triggered { entry, content }));
        }
        told
    }

    fn is_recursive(&self) -> bool {
        self.book.recursive.unwrap_or(self.settings.recursive)
    }

    fn budget(&self) -> u64 {
        let own = self.book.token_budget.unwrap_or(u64::MAX);
        own.min(self.settings.budget)
    }

    /// Whether an entry comes now, but for its group, chance and the budget.
    fn comes(&self, number: u32, timers: &Timers) -> bool {
        let Some(entry) = self.book.entry(number) else {
            return false;
        };
        let Witness {
            name, tags, count, ..
        } = self.witness;
        let is_sticky = timers.is_sticky(entry);
        let has_begun = count >= u64::from(entry.delay)
            && (entry.every == 0 || count.is_multiple_of(entry.every.into()));
        let waits = if self.is_recursion {
            entry.recursion_level > self.level || entry.exclude_recursion && self.is_recursive()
        } else {
            entry.recursion_level > 0
        };
        if self.done.contains(&number)
            || !entry.filter.lets(name, tags)
            || !has_begun
            || !is_sticky && (timers.rests(entry) || waits)
        {
            return false;
        }
        match entry.forced {
            Some(forced) => forced,
            None => entry.constant || is_sticky || self.fits(entry),
        }
    }

    /// Whether the keys of an entry were found.
    fn fits(&self, entry: &Entry) -> bool {
        let reach = self.settings.reach(entry, self.book);
        let has = |key: &u32| self.found.has(*key, reach);
        let secondary = &entry.secondary;
        entry.keys.iter().any(has)
            && secondary
                .iter()
                .all(|(logic, keys)| logic.holds(keys.iter().map(has)))
    }
}
