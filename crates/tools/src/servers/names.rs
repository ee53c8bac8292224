//! The names of servers' tools as every provider takes them.

use std::collections::BTreeSet;

use playhouse_engine::message::Digest;

/// The most characters of a name that every provider takes.
const LONGEST: usize = 64;

/// Whether a tool's own name is one that a world could write down.
pub(super) fn is_sensible(name: &str) -> bool {
    let unseen = |c: char| c.is_control() || c.is_whitespace();
    !name.is_empty() && name.chars().count() <= 128 && !name.contains(unseen)
}

/// The names under which minds call a server's tools: `server__tool`. What providers don't take is
/// replaced, and names that would then be too long or equal get a mark of their own.
pub(super) fn wire_names<'a>(server: &str, tools: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let name = |tool: &str| {
        let whole = format!("{server}__{tool}");
        let legal = |c: char| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        };
        let mut name: String = whole.chars().map(legal).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            name.insert(0, '_');
        }
        if name.len() > LONGEST || taken.contains(&name) {
            let mark = Digest::of(whole.as_bytes()).to_string();
            name.truncate(LONGEST - 9);
            name = format!("{name}_{}", &mark[..8]);
        }
        taken.insert(name.clone());
        name
    };
    tools.map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolSpec;
    use proptest::prelude::*;

    #[test]
    fn names_stay_readable_where_they_can() {
        let long = "x".repeat(100);
        let names = wire_names(
            "files",
            ["read_file", "read.file", "read/file", &long].into_iter(),
        );
        assert_eq!(names[0], "files__read_file");
        assert!(names[1].starts_with("files__read_file_"), "{names:?}");
        assert_eq!(names[3].len(), 64);
        assert_eq!(wire_names("7zip", ["a"].into_iter()), ["_7zip__a"]);
    }

    proptest! {
        #[test]
        fn any_names_become_legal_and_differ(tools in prop::collection::btree_set("\\PC{1,90}", 1..6), server in "\\PC{1,20}") {
            let names = wire_names(&server, tools.iter().map(String::as_str));
            for name in &names {
                prop_assert!(ToolSpec::new(name, "", &serde_json::json!({})).is_ok(), "{name}");
            }
            let different: BTreeSet<_> = names.iter().collect();
            prop_assert_eq!(different.len(), tools.len());
        }
    }
}
