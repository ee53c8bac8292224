//! Which Cargo features this build has; the README says what each of them holds.

use super::words::Words;

/// Those that a program may lack.
const FEATURES: [(&str, bool); 3] = [
    ("mcp", cfg!(feature = "mcp")),
    ("scripts", cfg!(feature = "scripts")),
    ("web", cfg!(feature = "web")),
];

/// The names of those that this build has, or lacks.
pub(crate) fn list(is_built: bool) -> String {
    let named = FEATURES.iter().filter(|(_, built)| *built == is_built);
    let names: Vec<_> = named.map(|(name, _)| *name).collect();
    if names.is_empty() {
        "-".into()
    } else {
        names.join(", ")
    }
}

/// What `--version` says.
pub(crate) fn version(words: Words) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let lacking = list(false);
    if lacking == "-" {
        version.into()
    } else {
        format!("{version}\n{}", words.built_without(&lacking))
    }
}
