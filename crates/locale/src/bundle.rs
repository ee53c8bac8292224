//! The texts of each language, embedded in the program.

use std::borrow::Cow;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use include_dir::{Dir, include_dir};

use super::{Argument, Language};

/// Integers up to here are exact as Fluent's numbers, which are floats.
const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;

pub(super) static ENGLISH: Dir = include_dir!("$CARGO_MANIFEST_DIR/en");
pub(super) static CHINESE: Dir = include_dir!("$CARGO_MANIFEST_DIR/zh");

pub(super) struct Bundle {
    language: Language,
    texts: FluentBundle<FluentResource>,
}

pub(super) fn of(language: Language) -> &'static Bundle {
    static EN: LazyLock<Bundle> = LazyLock::new(|| embedded(Language::En, &ENGLISH));
    static ZH: LazyLock<Bundle> = LazyLock::new(|| embedded(Language::Zh, &CHINESE));
    match language {
        Language::En => &EN,
        Language::Zh => &ZH,
    }
}

fn embedded(language: Language, folder: &'static Dir) -> Bundle {
    let files = folder.files().filter_map(|file| file.contents_utf8());
    Bundle::new(language, files)
}

impl Bundle {
    /// Reads Fluent files. What can't be read is left out; tests make sure that nothing is.
    pub(super) fn new<'f>(language: Language, files: impl Iterator<Item = &'f str>) -> Self {
        let locale = language.code().parse().unwrap_or_default();
        let mut texts = FluentBundle::new_concurrent(vec![locale]);
        texts.set_use_isolating(false);
        for file in files {
            let resource = FluentResource::try_new(file.to_owned());
            texts.add_resource_overriding(resource.unwrap_or_else(|(resource, _)| resource));
        }
        Self { language, texts }
    }

    /// Whether there is a text of this key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.texts.has_message(key)
    }

    /// The text of a key; the key itself if there is none, which `text!` and tests rule out.
    pub(super) fn render(&self, key: &str, arguments: &[(Cow<'static, str>, Argument)]) -> String {
        let message = self.texts.get_message(key);
        let Some(pattern) = message.and_then(|message| message.value()) else {
            return key.to_owned();
        };
        let values: FluentArgs = arguments
            .iter()
            .map(|(name, argument)| (&**name, self.value(argument)))
            .collect();
        let mut errors = Vec::new();
        self.texts
            .format_pattern(pattern, Some(&values), &mut errors)
            .into_owned()
    }

    fn value<'a>(&self, argument: &'a Argument) -> FluentValue<'a> {
        match argument {
            Argument::Number(number) if number.unsigned_abs() <= EXACT => {
                FluentValue::from(*number as f64)
            }
            Argument::Verbatim(text) => FluentValue::from(text.as_str()),
            _ => FluentValue::from(self.shown(argument)),
        }
    }

    fn shown(&self, argument: &Argument) -> String {
        match argument {
            Argument::Verbatim(text) => text.clone(),
            Argument::Number(number) => number.to_string(),
            Argument::Text(text) => text.in_language(self.language),
            Argument::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.shown(item)).collect();
                items.join(match self.language {
                    Language::En => ", ",
                    Language::Zh => "、",
                })
            }
        }
    }
}
