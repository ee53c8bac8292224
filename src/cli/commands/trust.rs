//! `trust`: what files of a folder would do, and whether the user trusts them.

use crate::cli::prelude::*;
use std::path::{Path, PathBuf};

use crate::mind::models::ModelFile;
use crate::trust::Untrusted;

use crate::cli::args::TrustArgs;
use crate::cli::settings::{SETTINGS_FILE, SettingsFile};
use crate::cli::slot_settings::{SlotSettings, is_slot_settings};
use crate::cli::trust::{TrustList, read_text};

/// Trusts files, revokes that, or lists the trusted ones.
pub(super) fn trust(app: &App, args: &TrustArgs) -> Result<()> {
    let mut list = TrustList::read(app.config_folder())?;
    if args.list {
        print(app, &list);
        return Ok(());
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
fn folder_files(app: &App) -> Result<Vec<PathBuf>> {
    let files = [Some(SETTINGS_FILE.into()), app.folder_models_path()?];
    let files = files.into_iter().flatten();
    Ok(files.filter(|file: &PathBuf| file.is_file()).collect())
}

/// What a file would do, and the hash of its content.
struct Examined {
    hash: String,
    demands: Vec<UiText>,
}

fn examine(app: &App, path: &Path) -> Result<Examined> {
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
        let error = CommandError::usage(text!(cli_no_such_file));
        return Err(error.at(path));
    };
    if is_slot_settings(path) {
        let file = Untrusted::new(SlotSettings::read(path, &text)?, &text);
        let demands = file.demands(&SlotSettings::default());
        return Ok(examined(file.hash(), demands));
    }
    let known = app.own_models()?;
    let file = ModelFile::read(&text, &path.display().to_string(), &known)?;
    Ok(examined(file.hash(), file.demands(&known)))
}

/// Trusts a file if the user does. Returns whether it is trusted, or needs no trust.
fn decide(
    app: &App,
    list: &mut TrustList,
    path: &Path,
    found: &Examined,
    expected: Option<&str>,
) -> Result<bool> {
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

fn revoke(app: &App, list: &mut TrustList, files: &[PathBuf]) -> Result<()> {
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

fn print(app: &App, list: &TrustList) {
    let language = app.language;
    let state = |path: &str, hash: &str| match read_text(Path::new(path)) {
        Ok(Some(text)) if blake3::hash(text.as_bytes()).to_hex().as_str() == hash => "same",
        Ok(None) => "missing",
        _ => "changed",
    };
    let rows: Vec<_> = list
        .files()
        .map(|(path, hash)| (path, hash, state(path, hash)))
        .collect();
    if rows.is_empty() && !app.settings.json {
        return app.out().line(say!(language, cli_trust_none));
    }
    let json =
        |(file, hash, state): &(&str, &str, &str)| json!(Printed::File { file, hash, state });
    let columns = columns!(language, < cli_trust_file, < cli_state, < cli_trust_hash_head);
    app.list(columns, rows, json, |(path, hash, state)| {
        let state = match state {
            "same" => say!(language, cli_trust_same),
            "missing" => say!(language, cli_trust_missing),
            _ => say!(language, cli_trust_changed),
        };
        [path.to_owned(), state, hash.to_owned()]
    });
}

fn tell(app: &App, words: String) {
    if app.prints_text() {
        app.out().line(words);
    }
}
