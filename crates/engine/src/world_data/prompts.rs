//! Prompt templates and the data that fills them.
//!
//! The data say which template they fill: `#[derive(Prompt)]`. Their fields are the variables that
//! it may use. A [`PromptSet`] reads the templates of a game and checks them.

use serde::Serialize;
use serde_json::Value;

use super::{DataError, DataFolder, Problems, Templates};

/// The name of a template, such as `asks/plan`: the path in the language's folder, without the
/// ending; and the variables that it may use.
pub type Declared = (&'static str, &'static [&'static [&'static str]]);

/// Data that fill a template. Derive it, by which the built-in templates are checked too.
pub trait Prompt: Serialize {
    /// All templates that data of this type fill.
    const TEMPLATES: &'static [Declared];

    /// The name of the template that these data fill.
    fn template(&self) -> &'static str;
}

/// A template by its name, with the data to fill it later.
pub(crate) fn phrase(prompt: &impl Prompt) -> (&'static str, Value) {
    // Can't fail: the data are structs of strings, numbers, and lists of these.
    let data = serde_json::to_value(prompt).unwrap_or_default();
    (prompt.template(), data)
}

/// The names of fields that several prompts have. `#[derive(Prompt)]` without a template.
pub trait Fields {
    const NAMES: &'static [&'static str];
}

/// The templates of a game, each with the variables that it may use.
#[derive(Clone, Debug, Default)]
pub struct PromptSet(Vec<(String, Vec<String>)>);

impl PromptSet {
    /// Adds the templates of a type of data.
    pub fn declare<P: Prompt>(&mut self) -> &mut Self {
        for (name, variables) in P::TEMPLATES {
            self.add_named(*name, &variables.concat());
        }
        self
    }

    /// Adds the template of this name, which may use these variables.
    pub fn add_named(&mut self, name: impl Into<String>, variables: &[&str]) {
        let variables = variables.iter().map(ToString::to_string);
        self.0.push((name.into(), variables.collect()));
    }

    /// Reads and checks the templates in a folder such as `prompts/en`. The problems that come with
    /// the templates are warnings.
    pub fn templates(
        &self,
        data: &DataFolder,
        folder: &str,
    ) -> Result<(Templates, Problems), Problems> {
        self.declared(|declared| {
            let templates = Templates::load_declared(data, folder, declared)?;
            if data.is_built_in(folder) && !cfg!(debug_assertions) {
                return Ok((templates, Problems::new()));
            }
            templates.check(declared).unless_errors(templates)
        })
    }

    /// The paths of all files that [`Self::templates`] reads.
    pub fn files(&self, data: &DataFolder, folder: &str) -> Result<Vec<String>, DataError> {
        self.declared(|declared| Templates::files_of(data, folder, declared))
    }

    fn declared<T>(&self, read: impl FnOnce(&[(&str, &[&str])]) -> T) -> T {
        let variables: Vec<Vec<&str>> = self
            .0
            .iter()
            .map(|(_, variables)| variables.iter().map(String::as_str).collect())
            .collect();
        let names = self.0.iter().map(|(name, _)| name.as_str());
        let declared = names.zip(variables.iter().map(Vec::as_slice));
        read(&declared.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_may_use_no_other_variables() {
        let mut prompts = PromptSet::default();
        prompts.add_named("asks/plan", &["day", "names"]);
        let check = |text: &str| {
            let templates = Templates::from_texts([("asks/plan", text)]).unwrap();
            prompts.declared(|declared| templates.check(declared).len())
        };
        assert_eq!(check("{{ day }} {{ names[0] }}"), 0);
        assert_eq!(check("{{ dya }}"), 1);
    }
}
