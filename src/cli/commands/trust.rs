//! `trust`: what files of a folder would do, and whether the user trusts them.

use std::path::{Path, PathBuf};

use crate::locale::{UiText, text};
use crate::mind::models::ModelFile;
use crate::trust::Untrusted;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::args::TrustArgs;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::say::say;
use crate::cli::settings::{SETTINGS_FILE, SettingsFile};
use crate::cli::slot_settings::{SlotSettings, is_slot_settings};
use crate::cli::tables::{Alignment, TextTable};
use crate::cli::trust::{TrustList, read_text};

/// Trusts files, revokes that, or lists the trusted ones.
pub(super) fn trust(app: &App, args: &TrustArgs) -> Result<(), CommandError> {
    let mut list = TrustList::read(app.config_folder())?;
    if args.list {
        return print(app, &list);
    }
    let files = match &args.file {
        Some(file) => vec![file.clone()],
        None => folder_files(app)?,
    };
    if args.revoke {
        return revoke(app, &mut list, &files);
    }
    let mut is_all_trusted = true;
    for path in &files {
        let found = examine(app, path)?;
        is_all_trusted &= decide(app, &mut list, path, &found, args.hash.as_deref())?;
    }
    if files.is_empty() {
        tell(app, say!(app.language, cli_trust_no_files));
    }
    if is_all_trusted {
        Ok(())
    } else {
        Err(CommandError::printed(ErrorKind::Other))
    }
}

/// The files of this folder that may need trust.
fn folder_files(app: &App) -> Result<Vec<PathBuf>, CommandError> {
    let files = [Some(SETTINGS_FILE.into()), app.folder_models_path()?];
    let files = files.into_iter().flatten();
    Ok(files.filter(|file: &PathBuf| file.is_file()).collect())
}

/// What a file would do, and the hash of its content.
struct Examined {
    hash: String,
    demands: Vec<UiText>,
}

fn examine(app: &App, path: &Path) -> Result<Examined, CommandError> {
    let examined = |hash: &str, demands| Examined {
        hash: hash.to_owned(),
        demands,
    };
    if path.file_name().is_some_and(|name| name == SETTINGS_FILE)
        && let Some(file) = SettingsFile::find(path)?
    {
        let demands = file.demands(&SettingsFile::default());
        return Ok(examined(file.hash(), demands));
    }
    let Some(text) = read_text(path)? else {
        let error = CommandError::new(ErrorKind::Usage, text!(cli_no_such_file));
        return Err(error.at(path));
    };
    if is_slot_settings(path) {
        let file = Untrusted::new(SlotSettings::read(path, &text)?, &text);
        let demands = file.demands(&SlotSettings::default());
        return Ok(examined(file.hash(), demands));
    }
    let known = app.own_models()?;
    let file = ModelFile::read(&text, &path.display().to_string(), &known);
    let file = file.map_err(|error| CommandError::of(ErrorKind::Server, &error))?;
    Ok(examined(file.hash(), file.demands(&known)))
}

/// Trusts a file if the user does. Returns whether it is trusted, or needs no trust.
fn decide(
    app: &App,
    list: &mut TrustList,
    path: &Path,
    found: &Examined,
    expected: Option<&str>,
) -> Result<bool, CommandError> {
    let (language, hash) = (app.language, &found.hash);
    if found.demands.is_empty() {
        tell(app, say!(language, cli_trust_nothing, file = path));
        return Ok(true);
    }
    if list.hash_of(path) == Some(hash) {
        tell(app, say!(language, cli_trust_already, file = path));
        return Ok(true);
    }
    let mut gate = app.gate();
    gate.show(path, hash, &found.demands);
    let is_trusted = match expected {
        None => gate.ask(),
        Some(expected) if expected == hash => true,
        Some(_) => {
            let error = CommandError::new(ErrorKind::Other, text!(cli_trust_other_hash, hash));
            return Err(error.at(path));
        }
    };
    if is_trusted {
        list.add(path, hash)?;
        list.write(app.config_folder())?;
        tell(app, say!(language, cli_trust_added, file = path));
    }
    Ok(is_trusted)
}

fn revoke(app: &App, list: &mut TrustList, files: &[PathBuf]) -> Result<(), CommandError> {
    let mut is_changed = false;
    for path in files {
        if list.remove(path) {
            is_changed = true;
            tell(app, say!(app.language, cli_trust_revoked, file = path));
        } else {
            tell(app, say!(app.language, cli_trust_was_not, file = path));
        }
    }
    if is_changed {
        list.write(app.config_folder())?;
    }
    Ok(())
}

fn print(app: &App, list: &TrustList) -> Result<(), CommandError> {
    let language = app.language;
    let state = |path: &str, hash: &str| match read_text(Path::new(path)) {
        Ok(Some(text)) if blake3::hash(text.as_bytes()).to_hex().as_str() == hash => "same",
        Ok(None) => "missing",
        _ => "changed",
    };
    let rows = list.files();
    let rows: Vec<_> = rows
        .map(|(path, hash)| (path, hash, state(path, hash)))
        .collect();
    let mut out = app.out();
    if app.settings.json {
        for (file, hash, state) in rows {
            out.json(&json!({"record": "file", "file": file, "hash": hash, "state": state}));
        }
        return Ok(());
    }
    if rows.is_empty() {
        out.line(say!(language, cli_trust_none));
        return Ok(());
    }
    let heads = [
        say!(language, cli_trust_file),
        say!(language, cli_state),
        say!(language, cli_trust_hash_head),
    ];
    let mut table = TextTable::new(heads.map(|head| (head, Alignment::Left)));
    for (path, hash, state) in rows {
        let state = match state {
            "same" => say!(language, cli_trust_same),
            "missing" => say!(language, cli_trust_missing),
            _ => say!(language, cli_trust_changed),
        };
        table.row([path.to_owned(), state, hash.to_owned()]);
    }
    table.write(&mut out);
    Ok(())
}

fn tell(app: &App, words: String) {
    if app.prints_text() {
        app.out().line(words);
    }
}
