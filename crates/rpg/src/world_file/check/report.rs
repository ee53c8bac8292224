//! Where the checks report problems, and which names there are.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use foldhash::fast::FixedState;
use indexmap::IndexSet;
use playhouse_engine::locale::{Argument, UiText, text};
use playhouse_engine::wording::nearest;
use playhouse_engine::world_data::{Parsed, Problem, Problems, is_within};

use super::names::{Kind, definitions};
use crate::drama::{Choice, Scene};
use crate::world_file::types::{CampaignStep, StageKind, WorldFile};

/// The fields of a world that contain no others.
const HEAD: [&str; 4] = ["name", "language", "title", "rules"];

/// Names in the order of the file. There may be many, and many that refer to them.
pub(super) type NameSet<'a> = IndexSet<&'a str, FixedState>;

/// The parts of a list, each with its path.
pub(crate) fn each<'a, T>(
    list: &str,
    parts: &'a [T],
) -> impl Iterator<Item = (String, &'a T)> + use<'a, T> {
    let (list, parts) = (list.to_owned(), parts.iter().enumerate());
    parts.map(move |(number, part)| (format!("{list}[{number}]"), part))
}

/// The choices of a scene, each with its path.
pub(crate) fn choices<'a>(
    path: &str,
    scene: &'a Scene,
) -> impl Iterator<Item = (String, &'a Choice)> {
    let first = scene
        .choice
        .iter()
        .map(|choice| (format!("{path}.choice"), choice));
    first
        .chain(each(&format!("{path}.then"), &scene.then))
        .collect::<Vec<_>>()
        .into_iter()
}

/// The path of a part without a name, such as the second argument of an effect.
pub(crate) fn part(path: &str, number: usize) -> String {
    match path {
        "" => number.to_string(),
        path => format!("{path}.{number}"),
    }
}

/// The path of a step of the schedule without its conditions.
pub(super) fn step_path(mut path: String, mut step: &CampaignStep) -> String {
    while let CampaignStep::If(_, then) = step {
        path.push_str(".1");
        step = then;
    }
    path
}

/// What to write instead of a name that nothing has: one like it, or one of those that there are.
pub fn instead_of<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> UiText {
    match nearest(name, known.clone()) {
        Some(near) => text!(drama_did_you_mean, near),
        None => text!(drama_one_of, names = Argument::list(known)),
    }
}

/// Collects problems, except for those in parts that could not be read, which are problems already.
pub(super) struct Report<'a> {
    pub(super) world: &'a WorldFile,
    reading: &'a Parsed<WorldFile>,
    /// All texts in parts that could not be read.
    unread: BTreeSet<&'a str>,
    names: Rc<BTreeMap<Kind, NameSet<'a>>>,
    /// The ids of the options of each scene.
    options: Rc<BTreeMap<&'a str, NameSet<'a>>>,
    problems: &'a mut Problems,
}

impl<'a> Report<'a> {
    /// A report on a world, which adds to `problems`.
    pub(super) fn new(reading: &'a Parsed<WorldFile>, problems: &'a mut Problems) -> Self {
        let world = &reading.value;
        let mut names = BTreeMap::<Kind, NameSet<'a>>::new();
        for definition in definitions(world) {
            for kind in definition.kind.and_wider() {
                names.entry(*kind).or_default().insert(definition.name);
            }
        }
        for stage in &world.stages {
            let kind = match stage.kind {
                StageKind::Home => Kind::HomeStage,
                StageKind::Dungeon => Kind::FightStage,
            };
            names.entry(kind).or_default().insert(&stage.name);
        }
        let mut options = BTreeMap::<&str, NameSet<'a>>::new();
        for scene in &world.scenes {
            let ids = scene.options().map(|option| option.id.as_str());
            options.entry(&scene.id).or_default().extend(ids);
        }
        Self {
            world,
            reading,
            unread: reading.skipped_texts.iter().map(String::as_str).collect(),
            names: Rc::new(names),
            options: Rc::new(options),
            problems,
        }
    }

    pub(super) fn error(&mut self, path: &str, message: UiText, help: UiText) {
        if let Some(problem) = self.problem(path, message, help) {
            self.problems.push(problem);
        }
    }

    /// `path` is likely not what was meant.
    pub(super) fn warn(&mut self, path: &str, message: UiText, help: UiText) {
        if let Some(problem) = self.problem(path, message, help) {
            self.problems.push(problem.warning());
        }
    }

    /// Whether further problems are only counted. Checks that take the time of two lists may stop.
    pub(super) fn is_full(&self) -> bool {
        self.problems.is_full()
    }

    /// The problem, unless it is in a part that could not be read. Its position is looked up only
    /// if it is going to be told.
    fn problem(&self, path: &str, message: UiText, help: UiText) -> Option<Problem> {
        let source = &self.reading.source;
        if self.is_full() {
            return Some(Problem::of_file(source.file(), message, help));
        }
        let problem = source.problem(path, message, help);
        self.is_read(&problem.field).then_some(problem)
    }

    /// A path with the names of items where messages have them, if it is going to be told.
    pub(super) fn named(&self, path: &str) -> String {
        if self.is_full() {
            return path.to_owned();
        }
        let (message, help) = (UiText::default(), UiText::default());
        self.reading.source.problem(path, message, help).named
    }

    /// Whether every part of a list could be read, and no other list that may contain parts of it
    /// because a bracket is missing. If not, what seems to be missing may be there.
    pub(super) fn is_whole(&self, list: &str) -> bool {
        let is_list = |path: &str| !path.contains(['.', '[']) && !HEAD.contains(&path);
        let mut skipped = self.reading.skipped.iter();
        !skipped.any(|path| is_within(path, list) || is_list(path))
    }

    /// Whether a part could be read.
    pub(super) fn is_read(&self, path: &str) -> bool {
        let mut skipped = self.reading.skipped.iter();
        !skipped.any(|outer| !outer.is_empty() && is_within(path, outer))
    }

    /// All texts in parts that could not be read: names in them count as defined and as used.
    pub(super) fn unread(&self) -> &BTreeSet<&'a str> {
        &self.unread
    }

    pub(super) fn is_named(&self, kind: Kind, name: &str) -> bool {
        self.names
            .get(&kind)
            .is_some_and(|known| known.contains(name))
    }

    /// Up to `most` names of a kind.
    pub(super) fn names(&self, kind: Kind, most: usize) -> impl Iterator<Item = &'a str> {
        self.names
            .get(&kind)
            .into_iter()
            .flatten()
            .copied()
            .take(most)
    }

    /// The name of this kind that was likely meant by another.
    pub(super) fn nearest(&self, kind: Kind, name: &str) -> Option<&'a str> {
        nearest(name, self.names(kind, usize::MAX))
    }

    /// Reports a name that nothing of a kind has.
    pub(super) fn require(&mut self, path: &str, kind: Kind, name: &str) {
        let names = self.names.clone();
        self.require_among(path, names.get(&kind).unwrap_or(&NameSet::default()), name);
    }

    /// Reports a scene, or an option of it, that there is not.
    pub(super) fn require_option(&mut self, path: &str, scene: &str, option: &str) {
        let options = self.options.clone();
        match options.get(scene) {
            Some(options) => self.require_among(&part(path, 1), options, option),
            None => self.require(&part(path, 0), Kind::Scene, scene),
        }
    }

    fn require_among(&mut self, path: &str, known: &NameSet<'_>, name: &str) {
        if self.is_full() || known.contains(name) || self.unread.contains(name) {
            return;
        }
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => text!(drama_did_you_mean, near),
            None if known.is_empty() => text!(drama_add_one_first),
            None => {
                let names = known.iter().filter(|name| !name.is_empty()).take(12);
                text!(drama_one_of, names = Argument::list(names))
            }
        };
        self.error(path, text!(drama_unknown, name), help);
    }

    /// As [`Self::require`], where it is plain of which kind the name must be: the message tells.
    pub(super) fn require_kind(&mut self, path: &str, kind: Kind, name: &str) {
        if self.is_full() {
            return;
        }
        if name.is_empty() {
            let wrong = text!(rpg_check_unnamed, kind = kind.label());
            self.error(path, wrong, self.offer(kind));
        } else if !self.is_named(kind, name) && !self.unread.contains(name) {
            let right = match self.nearest(kind, name) {
                Some(near) => text!(rpg_check_did_you_mean, name = near),
                None => self.offer(kind),
            };
            self.error(
                path,
                text!(rpg_check_unknown, kind = kind.label(), name),
                right,
            );
        }
    }

    /// Reports each of `names` that is unknown or a duplicate.
    pub(super) fn require_all(&mut self, path: &str, kind: Kind, names: &[String]) {
        for (path, name) in each(path, names) {
            self.require_kind(&path, kind, name);
        }
        self.require_distinct(path, names);
    }

    /// Reports what a list names twice.
    pub(super) fn require_distinct(&mut self, path: &str, names: &[String]) {
        let mut listed = BTreeSet::new();
        for (path, name) in each(path, names) {
            if !listed.insert(name) {
                self.report_twice(&path, name);
            }
        }
    }

    pub(super) fn report_twice(&mut self, path: &str, name: &str) {
        let wrong = text!(rpg_check_listed_twice, name);
        self.error(path, wrong, text!(rpg_check_list_once));
    }

    /// What to write instead of an unknown name.
    pub(super) fn offer(&self, kind: Kind) -> UiText {
        let mut names = self.names(kind, 8).peekable();
        if names.peek().is_none() {
            text!(rpg_check_define, kind = kind.label())
        } else {
            text!(rpg_check_choose, names = Argument::list(names))
        }
    }
}
