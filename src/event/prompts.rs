//! Prompt templates and the data that fills them.
//!
//! A game declares each of its templates once, as a [`PromptTemplate`] beside the struct that fills
//! it: the fields of the struct are the variables that the template may use. A [`PromptSet`] reads
//! the templates of a game and checks them.

use std::marker::PhantomData;

use bevy_ecs::prelude::*;
use serde::Serialize;
use serde_json::Value;

use super::{AgentEvent, EventWriter, PhraseError, Phrasebook};
use crate::world_data::{DataError, DataFolder, Problems, Templates};

/// A template, such as `asks/plan`, that is filled with a `D`.
pub struct PromptTemplate<D> {
    name: &'static str,
    data: PhantomData<D>,
}

impl<D> PromptTemplate<D> {
    /// The template of this name.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            data: PhantomData,
        }
    }

    /// Its name: the path in the language's folder, without the ending.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl Phrasebook {
    /// Fills a template.
    ///
    /// # Errors
    /// There is no such template, or it can't be filled.
    pub fn render<D: Serialize>(
        &self,
        template: &PromptTemplate<D>,
        data: &D,
    ) -> Result<String, PhraseError> {
        self.say(template.name, data)
    }
}

impl EventWriter<'_, '_> {
    /// Inserts components that a prompt was needed for, such as an ask. A prompt that could not be
    /// made is a fault, which stops the run.
    pub fn insert_or_fault(
        &mut self,
        commands: &mut Commands,
        entity: Entity,
        bundle: Result<impl Bundle, PhraseError>,
    ) {
        match bundle {
            Ok(bundle) => {
                commands.entity(entity).insert(bundle);
            }
            Err(error) => self.fault(error.into()),
        }
    }
}

/// The templates of a game, each with the variables that it may use.
#[derive(Clone, Debug, Default)]
pub struct PromptSet(Vec<(String, Vec<String>)>);

impl PromptSet {
    /// Adds a template.
    pub fn add<D: Default + Serialize>(&mut self, template: &PromptTemplate<D>) -> &mut Self {
        self.0.push((template.name.to_owned(), fields::<D>()));
        self
    }

    /// Adds the template of an event type.
    pub fn add_event<E: AgentEvent + Default>(&mut self) -> &mut Self {
        self.0.push((E::template(), fields::<E>()));
        self
    }

    /// Adds templates by their names and variables.
    pub fn add_named(&mut self, templates: &[(&str, &[&str])]) -> &mut Self {
        let owned = |(name, variables): &(&str, &[&str])| {
            let variables = variables.iter().map(ToString::to_string);
            ((*name).to_owned(), variables.collect())
        };
        self.0.extend(templates.iter().map(owned));
        self
    }

    /// Reads and checks the templates in a folder such as `prompts/en`. The problems that come with
    /// the phrasebook are warnings.
    ///
    /// # Errors
    /// Every template that is missing, does not parse, or uses a variable that it does not have.
    pub fn load(
        &self,
        data: &DataFolder,
        folder: &str,
    ) -> Result<(Phrasebook, Problems), Problems> {
        self.declared(|declared| {
            let templates = Templates::load_declared(data, folder, declared)?;
            let problems = templates.check(declared);
            problems.unless_errors(templates.into())
        })
    }

    /// The paths of all files that [`Self::load`] reads.
    ///
    /// # Errors
    /// The folder can't be read.
    pub fn files(&self, data: &DataFolder, folder: &str) -> Result<Vec<String>, DataError> {
        self.declared(|declared| Templates::files_of(data, folder, declared))
    }

    fn declared<T>(&self, read: impl FnOnce(&[(&str, &[&str])]) -> T) -> T {
        let variables = self.0.iter().map(|(_, variables)| variables);
        let variables: Vec<Vec<&str>> = variables
            .map(|variables| variables.iter().map(String::as_str).collect())
            .collect();
        let names = self.0.iter().map(|(name, _)| name.as_str());
        let declared = names.zip(variables.iter().map(Vec::as_slice));
        read(&declared.collect::<Vec<_>>())
    }
}

/// The names of a struct's fields.
fn fields<D: Default + Serialize>() -> Vec<String> {
    match serde_json::to_value(D::default()) {
        Ok(Value::Object(fields)) => fields.into_iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, Serialize)]
    struct Plan<'a> {
        day: u32,
        names: &'a [&'a str],
    }

    const PLAN: PromptTemplate<Plan> = PromptTemplate::new("asks/plan");

    #[test]
    fn a_template_is_filled_with_the_fields_of_its_data() {
        let texts = [("asks/plan", "Day {{ day }}: {{ names | join(', ') }}\n")];
        let phrases = Phrasebook::from(Templates::from_texts(texts).unwrap());
        let names = [String::from("Ann"), String::from("Bob")];
        let names = names.each_ref().map(String::as_str);
        let plan = Plan {
            day: 2,
            names: &names,
        };
        assert_eq!(phrases.render(&PLAN, &plan).unwrap(), "Day 2: Ann, Bob");
        let missing = PromptTemplate::new("asks/none");
        assert!(phrases.render(&missing, &()).is_err());
    }

    #[test]
    fn a_template_may_use_no_other_variables() {
        let mut prompts = PromptSet::default();
        prompts.add(&PLAN);
        let check = |text: &str| {
            let templates = Templates::from_texts([("asks/plan", text)]).unwrap();
            prompts.declared(|declared| templates.check(declared).len())
        };
        assert_eq!(check("{{ day }} {{ names[0] }}"), 0);
        assert_eq!(check("{{ dya }}"), 1);
    }
}
