//! Which files of folders the user trusts, and asking them.
//!
//! [`Gate::admit`] is where every file of a folder becomes one that counts. What the user trusts is
//! kept in their own settings folder, by path and hash: a file that changed is asked about again.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use playhouse_engine::files::{self, Durability, Folder};

use crate::trust::{Demanding, NeedsTrust, Untrusted};
use serde::{Deserialize, Serialize};

use super::shell::shell_quoted;

/// The list of trusted files, in the user's settings folder.
const LIST: &str = "trusted.json";
/// Longer settings and model files are refused, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The text of a file of settings or models; `None` if there is none.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>> {
    match files::read_text(path, MAX_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.io_kind() == Some(io::ErrorKind::NotFound) => Ok(None),
        Err(error) => Err(CommandError::of(ErrorKind::Usage, &error)),
    }
}

/// The files that the user trusts: hashes by path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustList {
    files: BTreeMap<String, String>,
}

impl TrustList {
    /// The list in the user's settings folder.
    pub(crate) fn read(config_folder: Option<&Path>) -> Result<Self> {
        let Some(path) = config_folder.map(|folder| folder.join(LIST)) else {
            return Ok(Self::default());
        };
        let text = read_text(&path)?.unwrap_or_else(|| r#"{"files":{}}"#.into());
        let list = serde_json::from_str(&text);
        list.map_err(|error| CommandError::of(ErrorKind::Usage, &error).at(&path))
    }

    pub(crate) fn write(&self, config_folder: Option<&Path>) -> Result<()> {
        let folder = config_folder.ok_or_else(|| {
            CommandError::usage(text!(cli_trust_no_folder)).help(text!(cli_trust_no_folder_help))
        })?;
        let json = serde_json::to_string_pretty(self).unwrap_or_default() + "\n";
        let written = Folder::open_or_create(folder)
            .and_then(|folder| folder.replace(LIST, json.as_bytes(), Durability::Synced));
        written.or_fail(ErrorKind::Other)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.files.iter();
        files.map(|(path, hash)| (path.as_str(), hash.as_str()))
    }

    /// The hash that is trusted at this path.
    pub(crate) fn hash_of(&self, path: &Path) -> Option<&str> {
        let name = path_name(path).ok()?;
        self.files.get(&name).map(String::as_str)
    }

    /// Trusts this content at this path, and no other.
    pub(crate) fn add(&mut self, path: &Path, hash: &str) -> Result<()> {
        self.files.insert(path_name(path)?, hash.to_owned());
        Ok(())
    }

    /// Trusts nothing at this path any more. Returns whether it did.
    pub(crate) fn remove(&mut self, path: &Path) -> bool {
        // The file may be gone, and with it the folder that would be canonical.
        let name = path_name(path).unwrap_or_else(|_| path.display().to_string());
        self.files.remove(&name).is_some()
    }
}

/// The path of a file in the list, the same in every working directory.
fn path_name(path: &Path) -> Result<String> {
    let canonical = std::fs::canonicalize(path)
        .map_err(|error| CommandError::of(ErrorKind::Usage, &error).at(path))?;
    let name = canonical.to_str().map(str::to_owned);
    name.ok_or_else(|| CommandError::usage(text!(cli_trust_odd_path)).at(path))
}

/// Decides on files of folders.
pub(crate) struct Gate {
    pub(crate) config_folder: Option<PathBuf>,
    /// Whether the user can be asked.
    pub(crate) can_ask: bool,
    /// Where they are asked.
    pub(crate) err: Output,
    pub(crate) language: Language,
}

impl Gate {
    /// Opens the file at this path if it needs no trust, is trusted, or becomes so now.
    pub(crate) fn admit<T: Demanding>(
        &mut self,
        file: Untrusted<T>,
        path: &Path,
        known: &T,
    ) -> Result<T> {
        let NeedsTrust { file, .. } = match file.admit(None, known) {
            Ok(file) => return Ok(file),
            Err(refused) => refused,
        };
        let config_folder = self.config_folder.clone();
        let mut list = TrustList::read(config_folder.as_deref())?;
        let NeedsTrust { file, demands } = match file.admit(list.hash_of(path), known) {
            Ok(file) => return Ok(file),
            Err(refused) => refused,
        };
        if !self.can_ask {
            return Err(refusal(path, demands));
        }
        self.show(path, file.hash(), &demands);
        if !self.ask() {
            return Err(refusal(path, demands));
        }
        list.add(path, file.hash())?;
        list.write(config_folder.as_deref())?;
        let admitted = file.admit(list.hash_of(path), known);
        admitted.map_err(|refused| refusal(path, refused.demands))
    }

    /// Shows what a file would do.
    pub(crate) fn show(&mut self, path: &Path, hash: &str, demands: &[UiText]) {
        let language = self.language;
        let heading = say!(language, cli_trust_wants, file = path);
        self.err.paragraph(&Paragraph::default().plain(heading));
        for demand in demands {
            let row = Paragraph::indented(2, 4).plain(demand.in_language(language));
            self.err.paragraph(&row);
        }
        let hash = say!(language, cli_trust_hash, hash);
        self.err.paragraph(&Paragraph::indented(2, 4).plain(hash));
    }

    /// Asks whether to trust what was shown.
    pub(crate) fn ask(&mut self) -> bool {
        let question = say!(self.language, cli_trust_question);
        says_yes(&mut self.err, &question)
    }
}

/// Asks a question; all answers but a yes are a no.
pub(crate) fn says_yes(err: &mut Output, question: &str) -> bool {
    let answer = answer_to(err, question);
    answer.is_some_and(|answer| ["y", "yes", "是"].contains(&answer.as_str()))
}

/// What somebody at the terminal answers, in lower case.
pub(crate) fn answer_to(err: &mut Output, question: &str) -> Option<String> {
    err.prompt(question);
    let mut answer = String::new();
    let read = io::stdin().lock().take(64).read_line(&mut answer);
    read.ok().map(|_| answer.trim().to_lowercase())
}

fn refusal(path: &Path, demands: Vec<UiText>) -> CommandError {
    let demands = Argument::list(demands);
    let message = text!(cli_trust_refused, file = path, demands);
    let file = shell_quoted(path);
    CommandError::usage(message).help(text!(cli_trust_help, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_is_told_quotes_the_path() {
        let refused = refusal(Path::new("my data/models.ron"), Vec::new());
        let help = refused.help.expect("what to do").to_string();
        assert!(
            help.contains("playhouse trust 'my data/models.ron'"),
            "{help}"
        );
    }

    #[test]
    fn trust_is_kept_by_path_and_content() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config/playhouse");
        let path = folder.path().join("models.ron");
        std::fs::File::create(&path).unwrap();
        let mut list = TrustList::read(Some(&config)).unwrap();
        assert_eq!(list.hash_of(&path), None);
        list.add(&path, "00ff").unwrap();
        list.write(Some(&config)).unwrap();
        let mut list = TrustList::read(Some(&config)).unwrap();
        let roundabout = folder.path().join("config/../models.ron");
        assert_eq!(list.hash_of(&roundabout), Some("00ff"));
        assert_eq!(list.hash_of(&config.join(LIST)), None);
        assert!(list.remove(&path) && !list.remove(&path));
        assert!(list.write(None).is_err());
        std::fs::File::create(config.join(LIST)).unwrap();
        assert!(
            TrustList::read(Some(&config)).is_err(),
            "a damaged list trusts nothing, and says so"
        );
    }
}
