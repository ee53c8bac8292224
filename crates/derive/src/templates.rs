//! The templates in `data/prompts`, as they are when a crate is built.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use minijinja::Environment;

/// A template in a language.
pub(super) struct Template {
    /// Its file.
    pub(super) path: PathBuf,
    text: io::Result<String>,
}

/// A template in every language of the crate's prompts, which are in its folder or above.
pub(super) fn find(name: &str) -> Result<Vec<Template>, String> {
    let prompts = folder().ok_or("there is no folder `data/prompts` here or above")?;
    let languages = fs::read_dir(prompts).map_err(|error| error.to_string())?;
    let paths = languages.flatten().map(|language| language.path());
    let mut paths: Vec<_> = paths.filter(|path| path.is_dir()).collect();
    paths.sort();
    let templates = paths.into_iter().map(|language| {
        let path = language.join(format!("{name}.j2"));
        let text = fs::read_to_string(&path);
        Template { path, text }
    });
    Ok(templates.collect())
}

#[allow(
    clippy::disallowed_methods,
    reason = "cargo says in the environment which crate is built"
)]
fn folder() -> Option<PathBuf> {
    let own = env::var_os("CARGO_MANIFEST_DIR")?;
    let folders = Path::new(&own).ancestors();
    let mut folders = folders.map(|folder| folder.join("data/prompts"));
    folders.find(|folder| folder.is_dir())
}

impl Template {
    pub(super) fn exists(&self) -> bool {
        self.text.is_ok()
    }

    /// Checks that it is there and, if they are known, uses no other variables.
    pub(super) fn check(&self, variables: Option<&Vec<String>>) -> Result<(), String> {
        let file = self.path.display();
        let text = self
            .text
            .as_ref()
            .map_err(|error| format!("{file}: {error}"))?;
        let environment = Environment::empty();
        let template = environment.template_from_str(text);
        let template = template.map_err(|error| format!("{file}: {error}"))?;
        let used = template.undeclared_variables(false);
        let is_unknown = |used: &&String| variables.is_some_and(|known| !known.contains(used));
        match used.iter().filter(is_unknown).min() {
            Some(unknown) => Err(format!(
                "{file} uses `{unknown}`, which is no field of this"
            )),
            None => Ok(()),
        }
    }
}
