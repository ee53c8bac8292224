//! Paths in commands that are printed.

use std::path::Path;

pub(crate) fn shell_quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |char: char| {
        char.is_alphanumeric() || "/._-+,:@%=".contains(char) || (cfg!(windows) && char == '\\')
    };
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_for_shells() {
        for (path, quoted) in [
            ("/tmp/saves", "/tmp/saves"),
            ("存档", "存档"),
            ("my saves", "'my saves'"),
            ("Ann's", "'Ann'\\''s'"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(shell_quoted(Path::new(path)), quoted);
        }
    }
}
