//! Texts for programs that fill them themselves, such as a page.

use std::collections::BTreeMap;

use super::{Argument, Language, bundle, keys};

/// All texts whose keys begin in one of these ways, by key. An argument is shown as `{name}`, and
/// of the plurals there is the one for many.
pub fn labels(language: Language, prefixes: &[&str]) -> BTreeMap<&'static str, String> {
    let keys = keys::SCANNED
        .iter()
        .filter(|(key, _)| prefixes.iter().any(|prefix| key.starts_with(prefix)));
    let labels = keys.map(|(key, names)| {
        let arguments: Vec<_> = names
            .iter()
            .map(|name| {
                let shown = Argument::Verbatim(format!("{{{name}}}"));
                ((*name).into(), shown)
            })
            .collect();
        (*key, bundle::render(language, key, &arguments))
    });
    labels.collect()
}
