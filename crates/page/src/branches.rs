//! The branches of a story: other slots that branched from it, or began alike.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use playhouse_engine::journal::{JournalHeader, Line, Meeting, new_seed};
use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::save::{BranchPoint, SaveError, Slot};
use playhouse_engine::session::messages_of;
use playhouse_story::{Contents, knowledge_differences};
use serde_json::{Value, json};

use super::reader::{ListQuery, MOST, Reader};
use super::request::difference;

/// The course of a slot: what its own journal says, and where it branched from another.
struct Course {
    head: JournalHeader,
    point: Option<BranchPoint>,
    meetings: Vec<Meeting>,
    /// The seeds that the world got later, by turn.
    seeds: Vec<(u64, u64)>,
}

impl Course {
    /// The course since the slot branched from another.
    fn own(slot: &Slot) -> Result<Option<Self>, SaveError> {
        Ok(Self::of(&slot.read_journal()?, slot.branch_point()))
    }

    /// The course from the beginning.
    fn whole(slot: &Slot) -> Result<Option<Self>, SaveError> {
        Ok(Self::of(&slot.read_journal()?, None))
    }

    /// What these lines say after the turn in which the slot branched.
    fn of(lines: &[Line], point: Option<BranchPoint>) -> Option<Self> {
        let (Line::Header(head), lines) = lines.split_first()? else {
            return None;
        };
        let since = point.as_ref().map_or(0, |point| point.turn);
        let (mut meetings, mut seeds) = (Vec::new(), Vec::new());
        for line in lines {
            match line {
                Line::Meeting(meeting) if meeting.turn > since => meetings.push(meeting.clone()),
                Line::Input(input) if input.turn >= since => {
                    let seed = new_seed(std::slice::from_ref(&input.value));
                    seeds.extend(seed.map(|seed| (input.turn, seed)));
                }
                _ => {}
            }
        }
        Some(Self {
            head: head.clone(),
            point,
            meetings,
            seeds,
        })
    }

    /// The last turn up to which another course is the same; `None` if they are of other stories.
    fn parts_from(&self, other: &Self) -> Option<u64> {
        let both = self.meetings.iter().zip(&other.meetings);
        let same = both.take_while(|(left, right)| left == right).last();
        is_kin(&self.head, &other.head).then(|| same.map_or(0, |(meeting, _)| meeting.turn))
    }

    fn last(&self) -> u64 {
        let point = self.point.as_ref().map_or(0, |point| point.turn);
        self.meetings.last().map_or(point, |meeting| meeting.turn)
    }
}

/// The slot whose own turn it is from which a branch comes: a turn that a branch has from another
/// slot is one of that.
fn owner_of<'c>(point: &'c BranchPoint, courses: &'c Courses) -> &'c str {
    let mut owner = point.slot.as_str();
    // Each is one more step back; a circle can only be forged.
    for _ in 0..courses.len() {
        let of_owner = courses.get(owner).and_then(|course| course.point.as_ref());
        match of_owner.filter(|of_owner| of_owner.turn >= point.turn) {
            Some(of_owner) if courses.contains_key(&of_owner.slot) => owner = &of_owner.slot,
            _ => break,
        }
    }
    owner
}

/// Whether both are of the same world and began with the same seed.
fn is_kin(left: &JournalHeader, right: &JournalHeader) -> bool {
    (&left.world, left.seed) == (&right.world, right.seed)
}

/// The slots of a story, by name.
type Courses = BTreeMap<String, Course>;

/// A story and its branches among these slots: each with the one from which it branched, and the
/// last turn that they share. Every branch follows its parent. The journal of the story need not be
/// read again if somebody has.
///
/// # Errors
/// The journal of the story can't be read.
pub fn branches(
    slots: &[String],
    story: &Slot,
    journal: Option<&[Line]>,
) -> Result<Value, SaveError> {
    let own = story.name().as_str();
    let nothing = || json!({"this": own, "tree": []});
    let course = match journal {
        Some(lines) => Course::of(lines, story.branch_point()),
        None => Course::own(story)?,
    };
    let (Some(course), Some(root)) = (course, story.folder().parent()) else {
        return Ok(nothing());
    };
    let mut courses = Courses::new();
    for name in slots {
        // A slot that can't be read is not a branch that could be shown.
        let slot = Slot::find(root, name).ok().filter(|_| name != own);
        // Journals of other stories may be long.
        let is_ours = |slot: &Slot| {
            let head = slot.journal_header();
            head.is_some_and(|head| is_kin(&head, &course.head))
        };
        let other = slot
            .filter(is_ours)
            .and_then(|slot| Course::own(&slot).ok().flatten());
        courses.extend(other.map(|course| (name.clone(), course)));
    }
    courses.insert(own.to_owned(), course);
    // Those that share no journal with another are compared by what happened.
    let first = first_of(own, &courses).to_owned();
    let mut parents = Parents::new();
    let whole = |name: &str| {
        let slot = Slot::find(root, name).ok()?;
        Course::whole(&slot).ok().flatten()
    };
    let first_course = LazyCell::new(|| whole(&first));
    for (name, course) in &courses {
        let parent = course
            .point
            .as_ref()
            .filter(|point| courses.contains_key(&point.slot));
        let parent = match parent {
            Some(point) => Some((owner_of(point, &courses).to_owned(), point.turn)),
            None if *name == first => None,
            None => first_course
                .as_ref()
                .and_then(|first| first.parts_from(&whole(name)?))
                .map(|turn| (first.clone(), turn)),
        };
        parents.extend(parent.map(|parent| (name.clone(), parent)));
    }
    let mut tree = Vec::new();
    add_branches(&first, 0, &courses, &parents, &mut tree);
    Ok(json!({"this": own, "tree": tree}))
}

/// By the name of a branch: from which it branched, and the last turn that they share.
type Parents = BTreeMap<String, (String, u64)>;

/// The story from which one branched, over all branches between.
fn first_of<'n>(own: &'n str, courses: &'n Courses) -> &'n str {
    let mut first = own;
    // Files that lead in a circle have no first.
    for _ in courses {
        let point = courses.get(first).and_then(|course| course.point.as_ref());
        match point.filter(|point| courses.contains_key(&point.slot)) {
            Some(point) => first = &point.slot,
            None => break,
        }
    }
    first
}

/// Adds a slot and then its branches, by turn and name.
fn add_branches(
    name: &str,
    depth: usize,
    courses: &Courses,
    parents: &Parents,
    tree: &mut Vec<Value>,
) {
    let Some(course) = courses.get(name).filter(|_| tree.len() < courses.len()) else {
        return;
    };
    let seed = seed_at(name, u64::MAX, courses);
    let mut row =
        json!({"slot": name, "turn": 0, "last": course.last(), "seed": seed, "depth": depth});
    if let Some((parent, turn)) = parents.get(name) {
        row["parent"] = parent.as_str().into();
        row["turn"] = (*turn).into();
    }
    tree.push(row);
    let mut children: Vec<_> = parents
        .iter()
        .filter(|(_, (parent, _))| parent == name)
        .map(|(child, (_, turn))| (turn, child))
        .collect();
    children.sort();
    for (_, child) in children {
        // Recursive: every slot has one parent, and no more rows are added than there are slots.
        add_branches(child, depth + 1, courses, parents, tree);
    }
}

/// The seed of a slot's world after a turn.
fn seed_at(name: &str, turn: u64, courses: &Courses) -> Option<u64> {
    let (mut name, mut turn) = (name, turn);
    let mut seed = None;
    for _ in courses {
        let course = courses.get(name)?;
        let mut seeds = course.seeds.iter().rev();
        let found = seeds
            .find(|(since, _)| *since < turn)
            .map(|(_, seed)| *seed);
        seed = Some(found.unwrap_or(course.head.seed));
        match &course.point {
            Some(point) if found.is_none() => (name, turn) = (&point.slot, point.turn),
            _ => break,
        }
    }
    seed
}

/// Two branches from where they part: what happened in each, from a number of events after it on,
/// what only one of them made known, and how the contexts of an entity differ.
pub(super) fn compare(here: &Reader<'_>, there: &Reader<'_>, turn: u64, part: &ListQuery) -> Value {
    let from = part.from.unwrap_or_default();
    let after = |reader: &Reader<'_>| {
        let contents = reader.view.read();
        let shared = contents.events.partition_point(|event| event.turn < turn) as u32;
        let of = reader.count(&contents) - shared;
        drop(contents);
        (reader.events_from(shared.saturating_add(from), MOST), of)
    };
    let [mine, theirs] = [here, there].map(|reader| reader.view.read().state.clone());
    let mut knows = knowledge_differences(&mine, &theirs);
    knows.sort_by_key(|difference| difference.id);
    let knows: Vec<_> = knows.into_iter().map(|difference| {
        json!({"who": difference.id, "here": difference.first, "there": difference.second})
    }).collect();
    let ((mine, of_mine), (theirs, of_theirs)) = (after(here), after(there));
    let mut compared = json!({
        "turn": turn, "here": mine, "there": theirs, "totals": [of_mine, of_theirs], "knows": knows,
    });
    if let Some(who) = part.who {
        let (here, there) = (here.view.read(), there.view.read());
        let context = |contents: &Contents| {
            let being = contents.state.being(who);
            being.map_or_else(Vec::new, |being| messages_of(&being.context.value))
        };
        let (mine, theirs) = (context(&here), context(&there));
        compared["diff"] = difference((&here, &mine), (&there, &theirs));
    }
    compared
}

/// The last turn that two slots share; `None` if they are of different stories.
pub(super) fn parting(here: &Slot, there: &Slot) -> Result<Option<u64>, UiText> {
    let course = |slot| Course::whole(slot).map_err(|error: SaveError| error.text());
    let (here, there) = (course(here)?, course(there)?);
    Ok(here
        .zip(there)
        .and_then(|(here, there)| here.parts_from(&there)))
}
