//! Going back to the last good point of a damaged save.
//!
//! The journal is kept up to its first damaged line. If the snapshot is good and was recorded after
//! that line, the good lines around it are kept too: the story continues from the snapshot, only
//! its replay ends at the gap. Start reading at [`Plan::of`].

use std::path::PathBuf;

use super::error::SaveError;
use super::head::{SaveHead, read_head};
use super::slot::Slot;
use super::story::{last_turn, snapshot_of};
use crate::journal::{FORMAT, JournalError, JournalHeader, Line, SnapshotRecord};
use crate::locale::UiText;
use crate::message::Digest;

/// What a repair of a damaged save keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The turn that the story goes back to.
    pub turn: u64,
    /// How many lines of the journal are lost.
    pub lost_lines: usize,
    /// Whether the snapshot is kept. If not, the story is played again from its journal, without
    /// asking anybody, when it is resumed.
    pub keeps_snapshot: bool,
    /// The last turn that can surely be replayed.
    pub replays_to: u64,
}

/// What a repair would keep; `None` if the save is not damaged.
pub fn repairable(slot: &Slot) -> Result<Option<Repair>, SaveError> {
    Ok(Plan::of(slot)?.map(|plan| plan.repair))
}

/// Goes back to the last good point of a damaged save. The damaged files are kept in a new folder
/// of the slot, whose path is returned; `None` if the save is not damaged.
pub fn repair(slot: Slot) -> Result<Option<(Repair, PathBuf)>, SaveError> {
    let locked = slot.lock()?;
    let Some(plan) = Plan::of(locked.slot())? else {
        return Ok(None);
    };
    let aside = locked.rewrite(&plan.lines, plan.repair.keeps_snapshot)?;
    Ok(Some((plan.repair, aside)))
}

/// The journal after a repair.
struct Plan {
    lines: Vec<Line>,
    repair: Repair,
}

impl Plan {
    fn of(slot: &Slot) -> Result<Option<Self>, SaveError> {
        let Err(damage) = slot.read(false) else {
            return Ok(None);
        };
        if !damage.is_damage() {
            return Err(damage);
        }
        let found = match slot.salvage_journal() {
            Ok(found) => found.lines,
            Err(SaveError::NoHead { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        let world = slot.read_world()?;
        let snapshot = world.as_deref().and_then(Snapshot::of);
        match Self::keep(&found, snapshot.as_ref()) {
            Some(plan) => Ok(Some(plan)),
            None => Err(SaveError::NothingToSave {
                path: slot.folder().to_owned(),
            }),
        }
    }

    /// What to keep of these lines, and whether to keep the snapshot; `None` if there is no header.
    fn keep(found: &[Result<Line, UiText>], snapshot: Option<&Snapshot>) -> Option<Self> {
        let first_damaged = found.iter().position(Result::is_err).unwrap_or(found.len());
        let recorded = snapshot.and_then(|snapshot| snapshot.recorded_at(found));
        let end = match recorded {
            Some(line) if line > first_damaged => {
                let after = found.iter().skip(line).position(Result::is_err);
                after.map_or(found.len(), |after| line + after)
            }
            _ => first_damaged,
        };
        let kept = found.iter().take(end).filter_map(|line| line.as_ref().ok());
        let mut lines: Vec<Line> = kept.cloned().collect();
        let lost_lines = found.len() - lines.len();
        // A journal that was cut off before it recorded any says nothing against this one.
        let knows_none = !found
            .iter()
            .any(|line| matches!(line, Ok(Line::Snapshot(_))));
        let snapshot = snapshot.filter(|_| recorded.is_some() || knows_none);
        match (lines.first_mut(), snapshot) {
            (Some(Line::Header(header)), _) => header.format = FORMAT,
            (_, Some(snapshot)) => lines.insert(0, Line::Header(snapshot.header())),
            (_, None) => return None,
        }
        let has_game = lines.iter().any(|line| matches!(line, Line::Game(_)));
        if let Some(game) = snapshot.and_then(|snapshot| snapshot.head.game.clone())
            && !has_game
        {
            lines.insert(1, Line::Game(game));
        }
        if let Some(snapshot) = snapshot
            && !lines
                .iter()
                .filter_map(snapshot_of)
                .any(|known| known == snapshot.record)
        {
            lines.push(Line::Snapshot(snapshot.record));
        }
        let replayed = found.iter().take(first_damaged);
        let replays_to = last_turn(replayed.filter_map(|line| line.as_ref().ok()));
        let repair = Repair {
            turn: snapshot.map_or(last_turn(&lines), |snapshot| snapshot.record.turn),
            lost_lines,
            keeps_snapshot: snapshot.is_some(),
            replays_to,
        };
        Some(Self { lines, repair })
    }
}

/// A snapshot that can be read.
struct Snapshot {
    head: SaveHead,
    record: SnapshotRecord,
}

impl Snapshot {
    fn of(bytes: &[u8]) -> Option<Self> {
        let head = read_head(bytes).ok()?;
        let record = SnapshotRecord {
            turn: head.turn,
            digest: Digest::of(bytes),
        };
        Some(Self { head, record })
    }

    fn recorded_at(&self, lines: &[Result<Line, UiText>]) -> Option<usize> {
        let is_record = |line: &Result<Line, _>| matches!(line, Ok(Line::Snapshot(record)) if *record == self.record);
        lines.iter().rposition(is_record)
    }

    fn header(&self) -> JournalHeader {
        let head = &self.head;
        JournalHeader::new(&head.world, &head.data, head.seed)
    }
}

impl SaveError {
    /// Whether a file of a save is damaged or missing, so that [`repair`] may help.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Journal(JournalError::Unreadable { .. })
            | Self::NoHead { .. }
            | Self::OtherSnapshot { .. }
            | Self::JournalBehind { .. } => true,
            Self::InFile { source, .. } => {
                matches!(**source, Self::Truncated(_) | Self::Wrong { .. })
            }
            _ => false,
        }
    }
}
