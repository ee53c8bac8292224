//! The settings: from flags, the environment, `playhouse.ron` in the working directory, the user's
//! own `playhouse.ron` and defaults, in this order. Each knows where it came from.

use crate::cli::prelude::*;
use std::fmt::Debug;
use std::path::{Component, Path, PathBuf};

use crate::rpg::world_file::DEFAULT_WORLD;
use crate::trust::{Demanding, Untrusted};
use crate::world_data::Source;
use serde::Deserialize;

use super::args::{ColourArg, CommonArgs, LogFormat, OnServerError, PlayArgs};
use super::env::Env;
use super::features;
use super::trust::read_text;

pub(crate) const SETTINGS_FILE: &str = "playhouse.ron";
/// The model that answers if none is chosen.
pub(crate) const IMPROVISER: &str = "improviser";
pub(crate) const OFF: &str = "off";
/// Longer rows are hard to read.
const WIDEST: usize = 100;
/// The cells of a row without a terminal.
const DEFAULT_WIDTH: usize = 80;
/// The world that is played in a Chinese interface if none is chosen.
const DEFAULT_CHINESE_WORLD: &str = "zhaoying-ban";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Flag,
    Environment(&'static str),
    /// The settings file in the working directory.
    File,
    /// The user's own settings file.
    OwnFile,
    /// What a save was played with before.
    Save,
    Default,
    /// How the program was built.
    Build,
}

impl Origin {
    /// The origin for people.
    pub(crate) fn text(&self) -> UiText {
        match self {
            Self::Flag => text!(cli_from_flag),
            Self::Environment(variable) => text!(cli_from_environment, variable),
            Self::File => text!(cli_from_file, file = SETTINGS_FILE),
            Self::OwnFile => text!(cli_from_own_file, file = SETTINGS_FILE),
            Self::Save => text!(cli_from_save),
            Self::Default => text!(cli_from_default),
            Self::Build => text!(cli_from_build),
        }
    }
}

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

impl<T> Setting<T> {
    fn pick(
        flag: Option<T>,
        environment: Option<(&'static str, T)>,
        file: Option<(T, Origin)>,
        default: T,
    ) -> Self {
        let (value, origin) = match (flag, environment, file) {
            (Some(value), ..) => (value, Origin::Flag),
            (_, Some((variable, value)), _) => (value, Origin::Environment(variable)),
            (_, _, Some(from_file)) => from_file,
            _ => (default, Origin::Default),
        };
        Self { value, origin }
    }
}

impl<T> Setting<Option<T>> {
    /// One that may be left out.
    fn maybe(
        flag: Option<T>,
        environment: Option<(&'static str, T)>,
        file: Option<(T, Origin)>,
    ) -> Self {
        let environment = environment.map(|(variable, value)| (variable, Some(value)));
        let file = file.map(|(value, origin)| (Some(value), origin));
        Self::pick(flag.map(Some), environment, file, None)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Settings")]
pub(crate) struct SettingsFile {
    lang: Option<Language>,
    data: Option<PathBuf>,
    saves: Option<PathBuf>,
    width: Option<u16>,
    world: Option<String>,
    model: Option<String>,
    embeddings: Option<String>,
    max_calls: Option<u64>,
    max_tokens: Option<u64>,
    max_cost: Option<f64>,
    fall_back: Option<bool>,
    max_defaults: Option<u64>,
}

impl SettingsFile {
    /// Reads a file, if there is one.
    pub(crate) fn find(path: &Path) -> Result<Option<Untrusted<Self>>> {
        let text = read_text(path)?;
        text.map(|text| Self::read(path, &text)).transpose()
    }

    fn read(path: &Path, text: &str) -> Result<Untrusted<Self>> {
        let name = path.display().to_string();
        let read = Source::new(name.clone(), text).read_all::<Self>();
        let read = read.and_then(|(parsed, problems)| problems.unless_errors(parsed.value));
        let (file, _) = read.or_fail(ErrorKind::Usage)?;
        if file
            .max_cost
            .is_some_and(|cost| !cost.is_finite() || cost < 0.0)
        {
            let error = CommandError::usage(text!(cli_usage_amount));
            return Err(error.at(name));
        }
        Ok(Untrusted::new(file, text))
    }
}

impl Demanding for SettingsFile {
    /// A folder may not choose a model that costs money, or folders elsewhere. Its limits need no
    /// trust: see [`SettingsFiles::lowest`].
    fn demands(&self, known: &Self) -> Vec<UiText> {
        let Self {
            lang: _,
            data,
            saves,
            width: _,
            world: _,
            model,
            embeddings,
            max_calls: _,
            max_tokens: _,
            max_cost: _,
            fall_back: _,
            max_defaults: _,
        } = self;
        let models = [
            (model, IMPROVISER, &known.model),
            (embeddings, OFF, &known.embeddings),
        ];
        let is_new = |(model, harmless, known): &(&Option<String>, &str, &Option<String>)| {
            model.as_deref() != Some(*harmless) && model != known
        };
        let models = models.into_iter().filter(is_new);
        let models =
            models.filter_map(|(model, ..)| Some(text!(cli_trust_model, model = model.as_ref()?)));
        let mut demands: Vec<_> = models.collect();
        for (setting, path, known) in [("data", data, &known.data), ("saves", saves, &known.saves)]
        {
            if let Some(path) = path.as_ref().filter(|path| leads_out(path))
                && known.as_ref() != Some(path)
            {
                demands.push(text!(cli_trust_path, setting, path));
            }
        }
        demands
    }
}

/// Whether a path may leave the working directory, in which it is written, by its words or by a
/// link.
fn leads_out(path: &Path) -> bool {
    let stays = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    !path.components().all(stays) || is_linked_out(Path::new("."), path)
}

/// Whether the part of a path that exists leads out of a folder. A link to nothing does: it may
/// lead anywhere tomorrow.
fn is_linked_out(folder: &Path, path: &Path) -> bool {
    let path = folder.join(path);
    let exists = |path: &&Path| path.symlink_metadata().is_ok();
    let Some(existing) = path.ancestors().find(exists) else {
        return false;
    };
    match (existing.canonicalize(), folder.canonicalize()) {
        (Ok(existing), Ok(folder)) => !existing.starts_with(folder),
        _ => true,
    }
}

/// The settings files that count.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SettingsFiles {
    /// That of the working directory.
    pub(crate) folder: SettingsFile,
    pub(crate) own: SettingsFile,
}

impl SettingsFiles {
    fn find<T>(&self, setting: impl Fn(&SettingsFile) -> Option<T>) -> Option<(T, Origin)> {
        let folder = setting(&self.folder).map(|value| (value, Origin::File));
        folder.or_else(|| Some((setting(&self.own)?, Origin::OwnFile)))
    }

    /// The lower of two limits: a folder can't raise the user's own.
    fn lowest<T: PartialOrd>(
        &self,
        limit: impl Fn(&SettingsFile) -> Option<T>,
    ) -> Option<(T, Origin)> {
        match (limit(&self.folder), limit(&self.own)) {
            (Some(folder), Some(own)) if own < folder => Some((own, Origin::OwnFile)),
            (Some(folder), _) => Some((folder, Origin::File)),
            (None, own) => Some((own?, Origin::OwnFile)),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) language: Setting<Language>,
    /// The data folder, if one was named.
    pub(crate) data: Setting<Option<PathBuf>>,
    /// The model file that replaces the user's own.
    pub(crate) models: Setting<Option<PathBuf>>,
    pub(crate) saves: Setting<PathBuf>,
    /// Whether standard output and standard error show colour.
    pub(crate) colour: Setting<ColourArg>,
    /// Cells of a row.
    pub(crate) width: Setting<usize>,
    pub(crate) world: Setting<String>,
    pub(crate) model: Setting<String>,
    /// The model that makes vectors for recall, or [`OFF`].
    pub(crate) embeddings: Setting<String>,
    pub(crate) max_calls: Setting<Option<u64>>,
    pub(crate) max_tokens: Setting<Option<u64>>,
    pub(crate) max_cost: Setting<Option<f64>>,
    /// The actor whom a person plays.
    pub(crate) seat: Setting<Option<String>>,
    /// The seed of new stories, unless one is given; without either it is drawn.
    pub(crate) seed: Setting<Option<String>>,
    /// What happens when a server keeps failing.
    pub(crate) on_server_error: Setting<OnServerError>,
    /// How many asks of a run may end without a usable answer; by default as the model file says.
    pub(crate) max_defaults: Setting<Option<u64>>,
    /// Whether events are printed with their ids.
    pub(crate) ids: bool,
    /// Whether what is not part of the story is printed with it.
    pub(crate) verbose: bool,
    /// The words of a minute in which a story is told, if it is told at reading speed.
    pub(crate) pace: Option<u32>,
    pub(crate) log_format: LogFormat,
    pub(crate) log_filter: Setting<String>,
    pub(crate) json: bool,
    /// No story, no progress, no tables.
    pub(crate) quiet: bool,
}

/// A variable of the environment, by name.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Settings {
    /// Whether the story, progress and tables are printed as text.
    pub(crate) fn prints_text(&self) -> bool {
        !self.quiet && !self.json
    }

    pub(crate) fn resolve(
        common: &CommonArgs,
        world: Option<&String>,
        play: &PlayArgs,
        env: &Env,
        variable: Lookup<'_>,
        files: &SettingsFiles,
    ) -> Self {
        let play = play.clone();
        let (spend, failures) = (play.spend, play.failures);
        let set = |name: &'static str| variable(name).map(|value| (name, value));
        let path = |name| set(name).map(|(name, value)| (name, PathBuf::from(value)));
        let language = Setting::pick(
            common.lang,
            env.locale,
            files.find(|file| file.lang),
            env.typed,
        );
        let default_world = match (&env.world, language.value) {
            (Some(found), _) => found,
            (None, Language::En) => DEFAULT_WORLD,
            (None, Language::Zh) => DEFAULT_CHINESE_WORLD,
        };
        let no_colour = env.no_colour.then_some(("NO_COLOR", ColourArg::Never));
        let columns = env.width.unwrap_or(DEFAULT_WIDTH).min(WIDEST);
        let filter = match common.verbose {
            0 => None,
            1 => Some("warn,playhouse=info".to_owned()),
            _ => Some("info,playhouse=debug".to_owned()),
        };
        let filter_set = env.log_filter.clone().map(|value| ("RUST_LOG", value));
        let on_server_error = files.find(|file| file.fall_back);
        let on_server_error = on_server_error.map(|(falls_back, origin)| match falls_back {
            true => (OnServerError::FallBack, origin),
            false => (OnServerError::Stop, origin),
        });
        let width = files.find(|file| Some(usize::from(file.width?).max(20)));
        let saves = files.find(|file| file.saves.clone());
        let own_world = files.find(|file| file.world.clone());
        let model = files.find(|file| file.model.clone());
        let embeddings = files.find(|file| file.embeddings.clone());
        let data = files.find(|file| file.data.clone());
        Self {
            language,
            ids: play.ids,
            verbose: common.verbose > 0,
            pace: play.pace,
            data: Setting::maybe(common.data.clone(), path("PLAYHOUSE_DATA"), data),
            models: Setting::maybe(common.models.clone(), None, None),
            saves: Setting::pick(
                common.saves.clone(),
                path("PLAYHOUSE_SAVES"),
                saves,
                "saves".into(),
            ),
            colour: Setting::pick(common.color, no_colour, None, ColourArg::Auto),
            width: Setting::pick(common.width.map(usize::from), None, width, columns.max(20)),
            world: Setting::pick(world.cloned(), None, own_world, default_world.into()),
            model: Setting::pick(
                spend.model,
                set("PLAYHOUSE_MODEL"),
                model,
                IMPROVISER.into(),
            ),
            embeddings: Setting::pick(play.embeddings, None, embeddings, OFF.into()),
            max_calls: Setting::maybe(spend.max_calls, None, files.lowest(|file| file.max_calls)),
            max_tokens: Setting::maybe(
                spend.max_tokens,
                None,
                files.lowest(|file| file.max_tokens),
            ),
            max_cost: Setting::maybe(spend.max_cost, None, files.lowest(|file| file.max_cost)),
            seat: Setting::maybe(play.seat.into_iter().next(), None, None),
            seed: Setting::maybe(None, set("PLAYHOUSE_SEED"), None),
            on_server_error: Setting::pick(
                failures.on_server_error,
                None,
                on_server_error,
                OnServerError::Stop,
            ),
            max_defaults: Setting::maybe(
                failures.max_defaults,
                None,
                files.lowest(|file| file.max_defaults),
            ),
            log_format: common.log_format.unwrap_or(LogFormat::Text),
            log_filter: Setting::pick(filter, filter_set, None, "warn".into()),
            json: common.json,
            quiet: common.quiet,
        }
    }

    /// Every setting by name, with its value for people.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, &Origin)> {
        fn row<'s, T>(
            name: &'static str,
            setting: &'s Setting<T>,
            shown: impl Fn(&T) -> String,
        ) -> (&'static str, String, &'s Origin) {
            (name, shown(&setting.value), &setting.origin)
        }
        fn or_none<T: ToString>(value: &Option<T>) -> String {
            value.as_ref().map_or("-".into(), T::to_string)
        }
        let path = |path: &Option<PathBuf>| or_none(&path.as_ref().map(|path| path.display()));
        vec![
            row("lang", &self.language, |language| language.code().into()),
            row("data", &self.data, path),
            row("models", &self.models, path),
            row("saves", &self.saves, |saves| saves.display().to_string()),
            row("color", &self.colour, |colour| {
                format!("{colour:?}").to_lowercase()
            }),
            row("width", &self.width, usize::to_string),
            row("world", &self.world, String::clone),
            row("model", &self.model, String::clone),
            row("embeddings", &self.embeddings, String::clone),
            row("max-calls", &self.max_calls, or_none),
            row("max-tokens", &self.max_tokens, or_none),
            row("max-cost", &self.max_cost, or_none),
            row("seed", &self.seed, or_none),
            row(
                "on-server-error",
                &self.on_server_error,
                |what| match what {
                    OnServerError::Stop => "stop".into(),
                    OnServerError::FallBack => "fall-back".into(),
                },
            ),
            row("max-defaults", &self.max_defaults, or_none),
            row("log-filter", &self.log_filter, String::clone),
            ("features", features::list(true), &Origin::Build),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Env {
        Env {
            locale: Some(("LANG", Language::Zh)),
            typed: Language::En,
            no_colour: true,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            can_ask: false,
            config_folder: None,
            width: Some(300),
            world: None,
            log_filter: None,
        }
    }

    fn read(text: &str) -> SettingsFile {
        let file = SettingsFile::read(Path::new(SETTINGS_FILE), text).unwrap();
        file.admit_own()
    }

    fn resolved(common: &CommonArgs, play: &PlayArgs, file: &str) -> Settings {
        let variable = |name: &str| (name == "PLAYHOUSE_MODEL").then(|| "cloud".to_owned());
        let files = SettingsFiles {
            folder: read(file),
            own: read("(max_calls: Some(9), max_tokens: Some(5), max_cost: Some(0.5))"),
        };
        Settings::resolve(common, None, play, &env(), &variable, &files)
    }

    #[test]
    fn flags_come_before_the_environment_before_the_file_before_defaults() {
        let file = "(lang: Some(en), model: Some(\"local\"), max_calls: Some(7))";
        let settings = resolved(&CommonArgs::default(), &PlayArgs::default(), file);
        assert_eq!(settings.language.origin, Origin::Environment("LANG"));
        assert_eq!(settings.model.value, "cloud");
        assert_eq!(
            (settings.max_calls.value, &settings.max_calls.origin),
            (Some(7), &Origin::File)
        );
        assert_eq!(
            (settings.world.value.as_str(), &settings.world.origin),
            (DEFAULT_CHINESE_WORLD, &Origin::Default)
        );
        assert_eq!(
            (settings.width.value, settings.colour.value),
            (100, ColourArg::Never)
        );
        let common = CommonArgs {
            lang: Some(Language::En),
            verbose: 1,
            ..CommonArgs::default()
        };
        let mut play = PlayArgs::default();
        play.spend.model = Some("mine".into());
        let settings = resolved(&common, &play, file);
        assert_eq!(
            (settings.language.value, settings.language.origin),
            (Language::En, Origin::Flag)
        );
        assert_eq!(
            (settings.model.value.as_str(), settings.model.origin),
            ("mine", Origin::Flag)
        );
        assert_eq!(settings.log_filter.value, "warn,playhouse=info");
    }

    #[test]
    fn a_folder_can_lower_limits_and_never_raise_them() {
        let file = "(max_calls: Some(7), max_tokens: Some(6), max_cost: Some(1e9))";
        let settings = resolved(&CommonArgs::default(), &PlayArgs::default(), file);
        assert_eq!(
            (settings.max_calls.value, settings.max_calls.origin),
            (Some(7), Origin::File)
        );
        assert_eq!(
            (settings.max_tokens.value, settings.max_tokens.origin),
            (Some(5), Origin::OwnFile)
        );
        assert_eq!(settings.max_cost.value, Some(0.5));
    }
}
