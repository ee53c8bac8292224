//! The settings: from flags, the environment, `playhouse.ron` and defaults, in this order. Each
//! knows where it came from.

use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

use crate::locale::{Language, UiText, text};
use crate::rpg::world_file::DEFAULT_WORLD;
use crate::world_data::Source;
use serde::Deserialize;

use super::args::{ColourArg, CommonArgs, LogFormat, OnServerError, PlayArgs, RunArgs};
use super::env::Env;
use super::error::{CommandError, ErrorKind};
use super::features;

/// The settings file in the working directory.
pub(crate) const SETTINGS_FILE: &str = "playhouse.ron";
/// The model that answers if none is chosen.
pub(crate) const IMPROVISER: &str = "improviser";
/// Longer rows are hard to read.
const WIDEST: usize = 100;
/// The cells of a row without a terminal.
const DEFAULT_WIDTH: usize = 80;
/// The world that is played in a Chinese interface if none is chosen.
const DEFAULT_CHINESE_WORLD: &str = "zhaoying-ban";

/// Where a setting came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The command line.
    Flag,
    /// An environment variable.
    Environment(&'static str),
    /// The settings file.
    File,
    /// Nobody set it.
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
        file: Option<T>,
        default: T,
    ) -> Self {
        let (value, origin) = match (flag, environment, file) {
            (Some(value), ..) => (value, Origin::Flag),
            (_, Some((variable, value)), _) => (value, Origin::Environment(variable)),
            (_, _, Some(value)) => (value, Origin::File),
            _ => (default, Origin::Default),
        };
        Self { value, origin }
    }
}

/// The settings file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Settings")]
pub(crate) struct SettingsFile {
    lang: Option<Language>,
    data: Option<PathBuf>,
    saves: Option<PathBuf>,
    width: Option<u16>,
    world: Option<String>,
    model: Option<String>,
    max_calls: Option<u64>,
    max_tokens: Option<u64>,
    max_cost: Option<f64>,
    fall_back: Option<bool>,
}

impl SettingsFile {
    /// Reads the file of the working directory, if there is one.
    pub(crate) fn find() -> Result<Self, CommandError> {
        match std::fs::read_to_string(SETTINGS_FILE) {
            Ok(text) => Self::read(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(CommandError::of(ErrorKind::Usage, &error).at(SETTINGS_FILE)),
        }
    }

    fn read(text: &str) -> Result<Self, CommandError> {
        let source = Source::new(SETTINGS_FILE, text);
        let read = source.read::<Self>().and_then(|file| {
            if file.max_cost.is_some_and(|cost| cost < 0.0) {
                let message = text!(cli_usage_amount);
                return Err(source.problem("max_cost", message, UiText::default()));
            }
            Ok(file)
        });
        read.map_err(|problem| CommandError::of(ErrorKind::Usage, &problem))
    }
}

/// All settings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// The language of the interface.
    pub(crate) language: Setting<Language>,
    /// The data folder, if one was named.
    pub(crate) data: Setting<Option<PathBuf>>,
    /// The folder of all saves.
    pub(crate) saves: Setting<PathBuf>,
    /// Whether standard output and standard error show colour.
    pub(crate) colour: Setting<ColourArg>,
    /// Cells of a row.
    pub(crate) width: Setting<usize>,
    /// The world to play.
    pub(crate) world: Setting<String>,
    /// The model that answers.
    pub(crate) model: Setting<String>,
    /// The maximum number of requests of a run.
    pub(crate) max_calls: Setting<Option<u64>>,
    /// The maximum number of tokens of a run.
    pub(crate) max_tokens: Setting<Option<u64>>,
    /// The maximum cost of a run.
    pub(crate) max_cost: Setting<Option<f64>>,
    /// What happens when a server keeps failing.
    pub(crate) on_server_error: Setting<OnServerError>,
    /// The form of logs.
    pub(crate) log_format: LogFormat,
    /// Which logs are shown.
    pub(crate) log_filter: Setting<String>,
    /// JSON instead of text.
    pub(crate) json: bool,
    /// No story, no progress, no tables.
    pub(crate) quiet: bool,
}

/// A variable of the environment, by name.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Settings {
    /// Decides every setting.
    pub(crate) fn resolve(
        common: &CommonArgs,
        run: Option<&RunArgs>,
        play: Option<&PlayArgs>,
        env: &Env,
        variable: Lookup<'_>,
        file: SettingsFile,
    ) -> Self {
        let play = play.cloned().unwrap_or_default();
        let set = |name: &'static str| variable(name).map(|value| (name, value));
        let path = |name| set(name).map(|(name, value)| (name, PathBuf::from(value)));
        let language = Setting::pick(
            common.lang.map(Language::from),
            env.locale,
            file.lang,
            Language::En,
        );
        let default_world = match language.value {
            Language::En => DEFAULT_WORLD,
            Language::Zh => DEFAULT_CHINESE_WORLD,
        };
        let no_colour = env.no_colour.then_some(("NO_COLOR", ColourArg::Never));
        let columns = env.width.unwrap_or(DEFAULT_WIDTH).min(WIDEST);
        let filter = match common.verbose {
            0 => None,
            1 => Some("warn,playhouse=info".to_owned()),
            _ => Some("info,playhouse=debug".to_owned()),
        };
        let filter_set = env.log_filter.clone().map(|value| ("RUST_LOG", value));
        let fall_back = file.fall_back.map(|fall_back| {
            if fall_back {
                OnServerError::FallBack
            } else {
                OnServerError::Stop
            }
        });
        Self {
            language,
            data: Setting::pick(
                common.data.clone().map(Some),
                path("PLAYHOUSE_DATA").map(|(name, value)| (name, Some(value))),
                file.data.map(Some),
                None,
            ),
            saves: Setting::pick(
                common.saves.clone(),
                path("PLAYHOUSE_SAVES"),
                file.saves,
                Path::new("saves").into(),
            ),
            colour: Setting::pick(common.color, no_colour, None, ColourArg::Auto),
            width: Setting::pick(
                common.width.map(usize::from),
                None,
                file.width.map(|width| usize::from(width).max(20)),
                columns.max(20),
            ),
            world: Setting::pick(
                run.and_then(|run| run.world.clone()),
                None,
                file.world,
                default_world.into(),
            ),
            model: Setting::pick(
                play.model,
                set("PLAYHOUSE_MODEL"),
                file.model,
                IMPROVISER.into(),
            ),
            max_calls: limit(play.max_calls, file.max_calls),
            max_tokens: limit(play.max_tokens, file.max_tokens),
            max_cost: limit(play.max_cost, file.max_cost),
            on_server_error: Setting::pick(
                play.on_server_error,
                None,
                fall_back,
                OnServerError::Stop,
            ),
            log_format: common.log_format.unwrap_or(LogFormat::Text),
            log_filter: Setting::pick(filter, filter_set, None, "warn".into()),
            json: common.json,
            quiet: common.quiet,
        }
    }

    /// Every setting by name, with its value for people.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, &Origin)> {
        fn shown<T: std::fmt::Display>(value: &Option<T>) -> String {
            value.as_ref().map_or("-".into(), T::to_string)
        }
        let data = self.data.value.as_ref().map(|path| path.display());
        vec![
            (
                "lang",
                self.language.value.code().into(),
                &self.language.origin,
            ),
            ("data", shown(&data), &self.data.origin),
            (
                "saves",
                self.saves.value.display().to_string(),
                &self.saves.origin,
            ),
            (
                "color",
                format!("{:?}", self.colour.value).to_lowercase(),
                &self.colour.origin,
            ),
            ("width", self.width.value.to_string(), &self.width.origin),
            ("world", self.world.value.clone(), &self.world.origin),
            ("model", self.model.value.clone(), &self.model.origin),
            (
                "max-calls",
                shown(&self.max_calls.value),
                &self.max_calls.origin,
            ),
            (
                "max-tokens",
                shown(&self.max_tokens.value),
                &self.max_tokens.origin,
            ),
            (
                "max-cost",
                shown(&self.max_cost.value),
                &self.max_cost.origin,
            ),
            (
                "on-server-error",
                match self.on_server_error.value {
                    OnServerError::Stop => "stop".into(),
                    OnServerError::FallBack => "fall-back".into(),
                },
                &self.on_server_error.origin,
            ),
            (
                "log-filter",
                self.log_filter.value.clone(),
                &self.log_filter.origin,
            ),
            ("features", features::list(true), &Origin::Build),
        ]
    }
}

fn limit<T: Copy + Debug>(flag: Option<T>, file: Option<T>) -> Setting<Option<T>> {
    Setting::pick(flag.map(Some), None, file.map(Some), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Env {
        Env {
            locale: Some(("LANG", Language::Zh)),
            no_colour: true,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            width: Some(300),
            log_filter: None,
        }
    }

    fn resolved(common: &CommonArgs, play: &PlayArgs, file: &str) -> Settings {
        let variable = |name: &str| (name == "PLAYHOUSE_MODEL").then(|| "cloud".to_owned());
        let file = SettingsFile::read(file).unwrap();
        Settings::resolve(common, None, Some(play), &env(), &variable, file)
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
            lang: Some(super::super::args::LanguageArg::En),
            verbose: 1,
            ..CommonArgs::default()
        };
        let play = PlayArgs {
            model: Some("mine".into()),
            ..PlayArgs::default()
        };
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
    fn a_mistake_in_the_file_is_named_with_its_place() {
        let error = SettingsFile::read("(\n  modle: Some(\"x\"),\n)").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage);
        let message = error.message.unwrap().to_string();
        assert!(message.contains("playhouse.ron:2"), "{message}");
    }
}
