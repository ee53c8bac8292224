//! The texts of each language, embedded in the program.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{LazyLock, OnceLock};

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

/// The file of a language that has the text of a key; `None` if none has one.
pub(super) fn of(language: Language, key: &str) -> Option<&'static Bundle> {
    static EN: LazyLock<Files> = LazyLock::new(|| files(&ENGLISH));
    static ZH: LazyLock<Files> = LazyLock::new(|| files(&CHINESE));
    let files = match language {
        Language::En => &*EN,
        Language::Zh => &*ZH,
    };
    let mut before = files
        .range::<str, _>((Bound::Unbounded, Bound::Included(key)))
        .rev();
    let is_of = |prefix: &str| key.strip_prefix(prefix)?.strip_prefix('_');
    let (_, (text, read)) = before.find(|(prefix, _)| is_of(prefix).is_some())?;
    let file = read.get_or_init(|| Bundle::new(language, text));
    file.texts.has_message(key).then_some(file)
}

/// The text of a key; the key itself if there is none, which `text!` and tests rule out.
pub(super) fn render(
    language: Language,
    key: &str,
    arguments: &[(Cow<'static, str>, Argument)],
) -> String {
    of(language, key).map_or_else(|| key.to_owned(), |file| file.render(key, arguments))
}

/// Files by the prefix of their keys, each read when one is asked for.
type Files = BTreeMap<&'static str, (&'static str, OnceLock<Bundle>)>;

fn files(folder: &'static Dir) -> Files {
    let files = folder.files().filter_map(|file| {
        let prefix = file.path().file_stem()?.to_str()?;
        Some((prefix, (file.contents_utf8()?, OnceLock::new())))
    });
    files.collect()
}

impl Bundle {
    /// Reads a Fluent file. What can't be read is left out; tests make sure that nothing is.
    pub(super) fn new(language: Language, file: &str) -> Self {
        let locale = language.code().parse().unwrap_or_default();
        let mut texts = FluentBundle::new_concurrent(vec![locale]);
        texts.set_use_isolating(false);
        let resource = FluentResource::try_new(file.to_owned());
        texts.add_resource_overriding(resource.unwrap_or_else(|(resource, _)| resource));
        Self { language, texts }
    }

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
