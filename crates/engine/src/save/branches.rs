//! Slots that branched from others, and share the beginnings of their journals.

use std::collections::BTreeSet;
use std::fs;

use super::error::SaveError;
use super::slot::{BranchPoint, Slot, folders};
use super::slot_name::SlotName;
use crate::files::{FileAction, FileError};

impl Slot {
    /// Removes the slot with everything in it. Those that branched from it keep what they shared.
    ///
    /// # Errors
    /// There is something in it, but nothing that only a save has, another process plays one of its
    /// branches, or the file system refuses.
    pub fn remove(self) -> Result<(), SaveError> {
        let path = self.folder().to_owned();
        if !self.is_ours()? {
            return Err(SaveError::NotASlot { path });
        }
        let locked = self.lock()?;
        part(locked.slot())?;
        let removed = fs::remove_dir_all(&path);
        Ok(removed.map_err(|source| FileError::io(&path, FileAction::Remove, source))?)
    }
}

/// Gives a journal of its own to every slot that shares part of that of this slot, and to those
/// that share theirs, before it changes.
///
/// # Errors
/// Another process has locked one of them, or the file system refuses.
pub(super) fn part(slot: &Slot) -> Result<(), SaveError> {
    let slots = folders(slot.root())?;
    let points = slots.into_iter().filter_map(|branch| {
        let point = branch.branch_point()?;
        Some((branch, point))
    });
    let points: Vec<_> = points.collect();
    // A damaged journal may share its own.
    let mut parted = BTreeSet::from([slot.name().clone()]);
    part_from(slot.name(), &points, &mut parted)
}

fn part_from(
    name: &SlotName,
    points: &[(Slot, BranchPoint)],
    parted: &mut BTreeSet<SlotName>,
) -> Result<(), SaveError> {
    for (branch, point) in points {
        if point.slot != name.as_str() || !parted.insert(branch.name().clone()) {
            continue;
        }
        // Recursive: every slot is parted once, after those that share its journal.
        part_from(branch.name(), points, parted)?;
        branch.clone().lock()?.part()?;
    }
    Ok(())
}
