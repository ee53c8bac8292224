//! `pack` and `unpack`: a story as one file.

use std::path::Path;

use super::{build, store};
use crate::cli::args::{PackArgs, UnpackArgs};
use crate::cli::prelude::*;
use crate::cluster::{self, NotPacked, Pack};
use crate::files::{self, Durability, Folder};
use crate::save::{Slot, SlotName};

impl From<NotPacked> for CommandError {
    fn from(error: NotPacked) -> Self {
        Self::of(ErrorKind::Save, &error)
    }
}

/// Writes a save, or a world of a store, as one file.
pub(in crate::cli) fn pack(app: &App, args: &PackArgs) -> Result<()> {
    let slot = &*args.slot;
    let story = match &args.store.store {
        Some(_) => cluster::stored(&*store(args.store.store.as_ref())?, &slot.parse()?)?,
        None => Slot::find(&app.settings.saves.value, slot)?.pack()?,
    };
    let bytes = Pack::of(&slot.parse()?, story, &build())?.to_bytes()?;
    let folder = args.file.parent().filter(|path| *path != Path::new(""));
    let folder = Folder::open(folder.unwrap_or(Path::new("."))).or_fail(ErrorKind::Save)?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    let written = folder.replace(&name, &bytes, Durability::Synced);
    written.or_fail(ErrorKind::Save)?;
    let path = args.file.display().to_string();
    let record = Printed::Packed { slot, file: &path };
    app.tell(&record, say!(app.language, cli_packed, slot, path = &path));
    Ok(())
}

/// Makes a save, or a world of a store, of a file.
pub(in crate::cli) fn unpack(app: &App, args: &UnpackArgs) -> Result<()> {
    let bytes = files::read(&args.file, Pack::MAX_BYTES).or_fail(ErrorKind::Save)?;
    let (name, story) = Pack::read(&bytes)?;
    let name: SlotName = match &args.save {
        Some(save) => save.parse()?,
        None => name,
    };
    match &args.store.store {
        Some(_) => {
            let store = store(args.store.store.as_ref())?;
            cluster::submit(&*store, &name, story, None, "", [])?;
        }
        None => {
            let slot = Slot::unpack(&app.settings.saves.value, name.as_str(), &story)?;
            if let Err(error) = slot.read(false) {
                slot.remove()?;
                return Err(error.into());
            }
        }
    }
    let slot = name.as_str();
    let record = Printed::Unpacked { slot };
    app.tell(&record, say!(app.language, cli_unpacked, slot));
    Ok(())
}
