//! The Cargo features of this build; `docs/commands.md` describes them.

use crate::locale::Language;

use super::say::say;

/// The features that a program may lack.
const FEATURES: [(&str, bool); 6] = [
    ("cluster", cfg!(feature = "cluster")),
    ("mcp", cfg!(feature = "mcp")),
    ("otel", cfg!(feature = "otel")),
    ("parquet", cfg!(feature = "parquet")),
    ("scripts", cfg!(feature = "scripts")),
    ("web", cfg!(feature = "web")),
];

/// The names of the features that this build has, or lacks.
pub(crate) fn list(is_built: bool) -> String {
    let named = FEATURES.iter().filter(|(_, built)| *built == is_built);
    let names: Vec<_> = named.map(|(name, _)| *name).collect();
    if names.is_empty() {
        "-".into()
    } else {
        names.join(", ")
    }
}

pub(crate) fn version(language: Language) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let lacking = list(false);
    if lacking == "-" {
        version.into()
    } else {
        format!(
            "{version}\n{}",
            say!(language, cli_built_without, features = lacking)
        )
    }
}
