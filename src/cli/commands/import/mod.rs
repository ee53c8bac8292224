//! `import`: what other programs made, taken into a world.

mod chat;
mod personas;
mod team;

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use playhouse_engine::files::{self, Durability, FileError, Folder};

use super::edited_world::{EditedWorld, refused};
use crate::cli::args::{ImportCardArgs, ImportCommand};
use crate::cli::shell::shell_quoted;
use crate::interop::cards::{CardFile, Fate, MAX_CARD_BYTES, Row};
use crate::rpg::import::{Cast, ImportError, Imported, Report, meeting};
use crate::world_data::{DataFolder, Source};

const WORLD: &str = "world.ron";
/// Settings hold much beside personas.
const MAX_JSON_BYTES: u64 = 32 * 1024 * 1024;
/// The endings of files that a folder is searched for.
const ENDINGS: [&str; 4] = ["json", "png", "apng", "charx"];

pub(super) fn import(app: &App, what: &ImportCommand) -> Result<()> {
    match what {
        ImportCommand::Card(args) => cards(app, args),
        ImportCommand::Chat { file, into } => chat::import(app, file, into),
        ImportCommand::Personas { file, into, names } => personas::import(app, file, into, names),
        ImportCommand::Team { file, into } => team::import(app, file, into),
    }
}

fn json_in(file: &Path) -> Result<Value> {
    let text = files::read_text(file, MAX_JSON_BYTES)
        .map_err(|error| CommandError::of(ErrorKind::Other, &error.problem).at(file.display()))?;
    serde_json::from_str(&text).map_err(|error| {
        let message = text!(dialect_invalid_json, reason = error.text());
        CommandError::new(ErrorKind::Other, message).at(file.display())
    })
}

/// Makes actors of character cards.
fn cards(app: &App, args: &ImportCardArgs) -> Result<()> {
    let cast = Cast {
        seed: args.seed,
        ..read_cards(app, &args.cards)?
    };
    let mut world = match args.into.join(WORLD).exists() {
        true => EditedWorld::read(
            &DataFolder::at(&args.into).or_fail(ErrorKind::World)?,
            WORLD,
        )?,
        false => {
            let language = args.world_lang.unwrap_or_else(|| cast.language());
            EditedWorld::new(&args.into, meeting(language))
        }
    };
    let imported = into_world(app, cast, world.source)?;
    world.source = imported.world;
    // What names the books comes last.
    write_books(&args.into, &imported.books).or_fail(ErrorKind::World)?;
    world.write().or_fail(ErrorKind::World)?;
    show(app, &imported.reports);
    if app.prints_text() {
        let folder = shell_quoted(&args.into);
        app.out().line(say!(app.language, cli_play_it, folder));
    }
    Ok(())
}

/// Adds characters to a world.
pub(super) fn into_world(app: &App, cast: Cast, world: Source) -> Result<Imported> {
    let name = world.file().to_owned();
    cast.into_world(world).map_err(|error| match error {
        ImportError::World(problems) => refused(app, &name, &problems),
        error => CommandError::of(ErrorKind::World, &error).at(name),
    })
}

/// The cards and lorebooks in these files, and in these folders.
pub(super) fn read_cards(app: &App, paths: &[PathBuf]) -> Result<Cast> {
    let mut cast = Cast::default();
    for path in paths {
        if !path.is_dir() {
            let file = read_file(path).map_err(|error| error.at(path.display()))?;
            add(&mut cast, path, file);
            continue;
        }
        for path in files_in(path).or_fail(ErrorKind::Other)? {
            match read_file(&path) {
                Ok(file) => add(&mut cast, &path, file),
                // Folders hold all kinds of files.
                Err(error) => {
                    let mut report = Report {
                        file: path.display().to_string(),
                        ..Report::default()
                    };
                    report.add(Fate::Warned, "", error.message.unwrap_or_default());
                    warn(app, &[report]);
                }
            }
        }
    }
    if cast.cards.is_empty() {
        return Err(CommandError::usage(text!(cli_no_cards)));
    }
    Ok(cast)
}

fn files_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ENDINGS.contains(&&*ending.to_lowercase()))
    });
    paths.sort();
    Ok(paths)
}

fn read_file(path: &Path) -> Result<CardFile> {
    let bytes = files::read(path, MAX_CARD_BYTES)
        .map_err(|error| CommandError::of(ErrorKind::Other, &error.problem))?;
    CardFile::read(&bytes).map_err(|error| CommandError::of(ErrorKind::Other, &error))
}

fn add(cast: &mut Cast, path: &Path, file: CardFile) {
    let name = path
        .file_stem()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    match file {
        CardFile::Card(card) => cast.cards.push((name, *card)),
        CardFile::Book(book) => cast.books.push((name, book)),
    }
}

fn write_books(folder: &Path, books: &BTreeMap<String, String>) -> Result<(), FileError> {
    let folder = Folder::open_or_create(folder)?;
    for (path, text) in books {
        if let Some((books, name)) = path.split_once('/') {
            let books = folder.folder_or_new(books)?;
            books.replace(name, text.as_bytes(), Durability::Unsynced)?;
        }
    }
    Ok(())
}

/// Prints what became of each part.
fn show(app: &App, reports: &[Report]) {
    // Only cards are about somebody.
    let unnamed = usize::from(reports.iter().all(|report| report.actor.is_empty()));
    let columns =
        columns!(app.language, < cli_name, < cli_import_part, < cli_import_fate, < cli_import_note);
    let columns = columns.into_iter().skip(unnamed);
    let json = |(report, row): &(&Report, &Row)| json!(record(report, row));
    app.list(columns, rows(reports), json, |(report, row)| {
        let cells = [
            about(report).to_owned(),
            row.field.clone(),
            fate(row.fate).in_language(app.language),
            row.note.in_language(app.language),
        ];
        cells.into_iter().skip(unnamed)
    });
}

fn rows(reports: &[Report]) -> impl Iterator<Item = (&Report, &Row)> {
    let reports = reports.iter();
    reports.flat_map(|report| report.rows.iter().map(move |row| (report, row)))
}

/// The actor, or the file that is about nobody.
fn about(report: &Report) -> &str {
    match &*report.actor {
        "" => &report.file,
        actor => actor,
    }
}

fn record<'a>(report: &'a Report, row: &'a Row) -> Printed<'a> {
    let given = |text: &'a String| Some(&**text).filter(|text| !text.is_empty());
    Printed::Import {
        file: given(&report.file),
        actor: given(&report.actor),
        field: &row.field,
        fate: row.fate.name(),
        note: row.note.to_string(),
    }
}

fn fate(fate: Fate) -> UiText {
    match fate {
        Fate::Taken => text!(cli_import_taken),
        Fate::Changed => text!(cli_import_changed),
        Fate::Dropped => text!(cli_import_dropped),
        Fate::Warned => text!(cli_import_warned),
    }
}

/// Prints only what somebody should look at.
pub(super) fn warn(app: &App, reports: &[Report]) {
    for (report, row) in rows(reports) {
        if row.fate != Fate::Warned && row.field != "name" {
            continue;
        }
        if app.settings.json {
            app.out().json(&record(report, row));
        } else if app.prints_text() {
            let note = row.note.in_language(app.language);
            let parts = [about(report), &row.field, &note].into_iter();
            let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
            let line = parts.join(&say!(app.language, cli_colon));
            app.err().paragraph(&Paragraph::of(Style::Warn, line));
        }
    }
}
