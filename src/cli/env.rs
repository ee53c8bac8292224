//! The environment, the terminal and the clock: the one place that reads them.

use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::locale::Language;

/// What makes a folder a world.
const WORLD_FILE: &str = "world.ron";

/// An environment variable, unless it is empty or not text.
pub(crate) fn variable(name: &str) -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    let value = std::env::var(name).ok();
    value.filter(|value| !value.is_empty())
}

/// The time now, to measure from.
pub(crate) fn clock() -> Instant {
    #[expect(
        clippy::disallowed_methods,
        reason = "people are told how long things take; what a run learns of it is recorded"
    )]
    Instant::now()
}

pub(crate) fn since(then: Instant) -> u64 {
    clock().duration_since(then).as_millis() as u64
}

/// A seed that differs from run to run, short enough to be typed.
pub(crate) fn random_seed() -> u64 {
    // Every state of the standard library's hashes is new.
    let random = RandomState::new().build_hasher().finish();
    1 + random % 999_999
}

/// What the program found when it started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Env {
    /// The variable that sets the locale, and its language.
    pub(crate) locale: Option<(&'static str, Language)>,
    /// Whether `NO_COLOR` is set.
    pub(crate) no_colour: bool,
    /// Whether standard output is a terminal that can show colour.
    pub(crate) stdout_is_terminal: bool,
    /// The same for standard error.
    pub(crate) stderr_is_terminal: bool,
    /// Whether the user can be asked: standard input and standard error are terminals.
    pub(crate) can_ask: bool,
    /// The folder of the user's own settings and models.
    pub(crate) config_folder: Option<PathBuf>,
    /// The width of the terminal in cells.
    pub(crate) width: Option<usize>,
    /// The world in the working directory, or in the only folder there that has one.
    pub(crate) world: Option<String>,
    /// The value of `RUST_LOG`.
    pub(crate) log_filter: Option<String>,
    /// The language of the interface if nothing says one: that of the names on the command line.
    pub(crate) typed: Language,
}

impl Env {
    pub(crate) fn read() -> Self {
        let dumb = variable("TERM").is_some_and(|term| term == "dumb");
        let columns = variable("COLUMNS").and_then(|columns| columns.parse().ok());
        let measured = || {
            let (width, _) = terminal_size::terminal_size()?;
            Some(usize::from(width.0))
        };
        Self {
            locale: locale(variable),
            no_colour: variable("NO_COLOR").is_some(),
            stdout_is_terminal: !dumb && std::io::stdout().is_terminal(),
            stderr_is_terminal: !dumb && std::io::stderr().is_terminal(),
            can_ask: std::io::stdin().is_terminal() && std::io::stderr().is_terminal(),
            config_folder: config_folder(variable),
            width: columns.or_else(measured).filter(|width| *width > 0),
            world: world_in(Path::new(".")),
            log_filter: variable("RUST_LOG"),
            typed: typed(std::env::args_os()),
        }
    }
}

/// The language in which a command line is written.
fn typed(arguments: impl Iterator<Item = OsString>) -> Language {
    let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let mut arguments = arguments.map(|argument| argument.to_string_lossy().contains(is_han));
    let is_chinese = arguments.any(|is_chinese| is_chinese);
    if is_chinese {
        Language::Zh
    } else {
        Language::En
    }
}

/// The language of the locale: of the first of these variables that is set. That of a bare system,
/// such as a container, is none.
fn locale(variable: impl Fn(&str) -> Option<String>) -> Option<(&'static str, Language)> {
    let (name, value) = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .find_map(|name| Some((name, variable(name)?)))?;
    let language = value.split(['.', '_', '@']).next().unwrap_or_default();
    if matches!(language, "C" | "POSIX") {
        return None;
    }
    let chinese = language.eq_ignore_ascii_case("zh");
    Some((name, if chinese { Language::Zh } else { Language::En }))
}

/// Where the platform keeps settings. A relative path would lead into the working directory.
fn config_folder(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let folder = |name: &str| {
        let path = variable(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let folder = if cfg!(windows) {
        folder("APPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config")))
    };
    folder.map(|folder| folder.join("playhouse"))
}

/// The name of the world in this folder, by which it is found from there.
fn world_in(folder: &Path) -> Option<String> {
    let has_world = |folder: &Path| folder.join(WORLD_FILE).is_file();
    if has_world(folder) {
        return Some(".".to_owned());
    }
    let found = folder.read_dir().ok()?.flatten();
    let mut found = found.filter(|entry| has_world(&entry.path()));
    let only = found.next().filter(|_| found.next().is_none())?;
    only.file_name().into_string().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_is_found_here_or_in_the_only_folder_that_has_one() {
        let dir = tempfile::tempdir().unwrap();
        let write = |folder: &str| {
            let kind = crate::rpg::world_file::WorldKind::default();
            let folder = dir.path().join(folder);
            crate::rpg::world_file::new_world(&folder, kind, Language::En).unwrap();
            world_in(dir.path())
        };
        assert_eq!(world_in(dir.path()), None);
        assert_eq!(write("mine"), Some("mine".to_owned()));
        assert_eq!(write("other"), None);
        assert_eq!(write(""), Some(".".to_owned()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_folder_of_settings_is_never_relative() {
        let of = |set: &[(&str, &str)]| {
            let find = |name: &str| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            config_folder(find).map(|path| path.display().to_string())
        };
        let home = ("HOME", "/home/ann");
        assert_eq!(of(&[home]).unwrap(), "/home/ann/.config/playhouse");
        assert_eq!(
            of(&[home, ("XDG_CONFIG_HOME", "/etc/ann")]).unwrap(),
            "/etc/ann/playhouse"
        );
        let relative = [home, ("XDG_CONFIG_HOME", "config")];
        assert_eq!(of(&relative).unwrap(), "/home/ann/.config/playhouse");
        assert_eq!(of(&[("HOME", ".")]), None);
    }

    #[test]
    fn the_first_variable_that_is_set_decides_the_language() {
        let of = |set: &[(&str, &str)]| {
            let find = |name: &str| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            locale(find)
        };
        assert_eq!(of(&[("LANG", "zh_CN.UTF-8")]), Some(("LANG", Language::Zh)));
        let both = of(&[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")]);
        assert_eq!(both, None);
        let says = |value| of(&[("LANG", value)]).map(|(_, language)| language);
        assert_eq!(says("zh"), Some(Language::Zh));
        assert_eq!(says("de_DE@euro"), Some(Language::En));
        for none in ["C", "POSIX", "C.UTF-8"] {
            assert_eq!(says(none), None);
        }
        assert_eq!(of(&[]), None);
    }
}
