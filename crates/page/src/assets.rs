//! Templates, scripts and styles, embedded in the program.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use playhouse_engine::message::Digest;
use serde::Serialize;

static ASSETS: Dir = include_dir!("$CARGO_MANIFEST_DIR/src/assets");
/// The script of the page, which imports all others.
const SCRIPT: &str = "app.js";
const STYLE: &str = "app.css";

pub(super) struct Asset {
    pub(super) bytes: &'static [u8],
    pub(super) media_type: &'static str,
    /// Differs whenever the bytes do.
    pub(super) tag: String,
}

/// The scripts without comments, which are for those who change them.
static SCRIPTS: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let scripts = ASSETS.files().filter_map(|file| {
        let name = file.path().to_str().filter(|name| name.ends_with(".js"))?;
        let lines = file.contents_utf8()?.split_inclusive('\n');
        let code = lines.filter(|line| !line.trim_start().starts_with("//"));
        Some((name, code.collect()))
    });
    scripts.collect()
});

/// A file that browsers may ask for.
pub(super) fn asset(name: &str) -> Option<Asset> {
    let media_type = match name.rsplit_once('.')?.1 {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => return None,
    };
    let bytes = match SCRIPTS.get(name) {
        Some(script) => script.as_bytes(),
        None => ASSETS.get_file(name)?.contents(),
    };
    Some(Asset {
        bytes,
        media_type,
        tag: format!("\"{}\"", Digest::of(bytes)),
    })
}

/// A page by its template. Everything that fills it is text.
///
/// # Errors
/// The template can't be filled.
pub(super) fn render(name: &str, data: impl Serialize) -> Result<String, minijinja::Error> {
    static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
        let mut templates = Environment::new();
        templates.set_auto_escape_callback(|_| AutoEscape::Html);
        for file in ASSETS.files() {
            let name = file.path().to_str().filter(|name| name.ends_with(".html"));
            if let (Some(name), Some(text)) = (name, file.contents_utf8()) {
                // A template that can't be read is missing; the tests fill them all.
                let _ = templates.add_template(name, text);
            }
        }
        templates
    });
    TEMPLATES.get_template(name)?.render(Serde(data))
}

pub(super) fn style() -> &'static str {
    let file = ASSETS.get_file(STYLE);
    file.and_then(|file| file.contents_utf8())
        .unwrap_or_default()
}

/// All scripts as one module, for a page without a server: every module once, after those that it
/// imports, without the lines that import and the word `export`. Names at the top of modules are
/// unique among them, and imports are named and at the beginning of a line.
pub(super) fn script() -> String {
    let mut bundle = String::new();
    add_module(SCRIPT, &mut BTreeSet::new(), &mut bundle);
    bundle
}

fn add_module(name: &str, added: &mut BTreeSet<String>, bundle: &mut String) {
    let Some(text) = SCRIPTS.get(name) else {
        return;
    };
    if !added.insert(name.to_owned()) {
        return;
    }
    let mut own = String::new();
    let mut import = String::new();
    for line in text.split_inclusive('\n') {
        if import.is_empty() && !line.starts_with("import ") && !line.starts_with("import{") {
            own.push_str(line.strip_prefix("export ").unwrap_or(line));
            continue;
        }
        import.push_str(line);
        if import.contains(';') {
            let path = import.split(['"', '\'']).nth(1).unwrap_or_default();
            add_module(path.trim_start_matches("./"), added, bundle);
            import.clear();
        }
    }
    bundle.push_str(&own);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_modules_become_one() {
        let bundle = script();
        // Each story that is written as one page holds both; the style has rules for paper, too.
        assert!(bundle.len() <= 148 * 1024, "{} bytes", bundle.len());
        assert!(style().len() <= 35 * 1024, "{} bytes", style().len());
        let lines = || bundle.lines();
        assert!(!lines().any(|line| line.starts_with("import") || line.starts_with("export")));
        for file in ASSETS.files() {
            let name = file.path().to_str().unwrap();
            assert!(asset(name).is_some() || name.ends_with(".html"), "{name}");
        }
    }

    #[test]
    fn the_page_names_no_game() {
        for file in ASSETS.files() {
            let text = file.contents_utf8().unwrap_or_default();
            let named = ["undercover", "campaign"]
                .into_iter()
                .find(|game| text.contains(game));
            assert_eq!(named, None, "{:?}", file.path());
        }
    }
}
