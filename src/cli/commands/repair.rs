//! `saves --repair`: a damaged save goes back to its last good point.

use crate::cli::prelude::*;
use crate::save::{Repair, repair};
use std::path::Path;

use crate::cli::saved::slots_of;
use crate::cli::slot_settings;

/// Repairs a save, or all games of a batch.
pub(super) fn run(app: &App, name: &str) -> Result<()> {
    let mut is_whole = true;
    for slot in slots_of(app, name)? {
        let folder = slot.folder().to_owned();
        if slot_settings::damage(&slot).is_some() {
            is_whole = false;
            let path = slot.set_settings_aside()?;
            let damaged_files = path.display().to_string();
            let record = Printed::SettingsAside { damaged_files };
            app.tell(&record, say!(app.language, cli_repair_settings, path));
        }
        if let Some((repair, aside)) = repair(slot)? {
            is_whole = false;
            report(app, &mut app.out(), &folder, &repair, &aside);
        }
    }
    if is_whole {
        app.tell(
            &Printed::Whole {
                slot: name,
                whole: true,
            },
            say!(app.language, cli_repair_nothing, slot = name),
        );
    }
    Ok(())
}

/// Says what is lost.
fn report(app: &App, out: &mut Output, folder: &Path, repair: &Repair, aside: &Path) {
    let language = app.language;
    let Repair {
        turn,
        lost_lines,
        keeps_snapshot,
        replays_to,
    } = *repair;
    if app.settings.json {
        out.json(&Printed::Repair {
            folder: folder.display().to_string(),
            turn,
            lost_lines,
            keeps_snapshot,
            replays_to,
            damaged_files: aside.display().to_string(),
        });
    } else if !app.settings.quiet {
        out.line(say!(language, cli_repaired, folder, turn));
        out.line(say!(language, cli_repair_lost, lines = lost_lines));
        if !keeps_snapshot {
            out.line(say!(language, cli_repair_played_again));
        } else if replays_to < turn {
            out.line(say!(language, cli_repair_gap, turn = replays_to));
        }
        out.line(say!(language, cli_repair_aside, path = aside));
    }
}
