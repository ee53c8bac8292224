//! Filling the prompt templates of a game, and those of its events.

use bevy_ecs::prelude::*;

use super::{AgentEvent, EventWriter, PhraseError, Phrasebook};
use crate::world_data::{DataFolder, Problems, Prompt, PromptSet};

impl Phrasebook {
    /// Fills a template with its data.
    pub fn fill(&self, prompt: &impl Prompt) -> Result<String, PhraseError> {
        self.say(prompt.template(), prompt)
    }

    /// Fills a template; `None` if there is none, or it can't be filled.
    pub fn fill_if_known(&self, prompt: &impl Prompt) -> Option<String> {
        self.say_if_known(prompt.template(), prompt)
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

impl PromptSet {
    /// Adds the template of an event type.
    pub(super) fn add_event<E: AgentEvent>(&mut self) {
        for name in E::short_template().into_iter().chain([E::template()]) {
            self.add_named(name, E::FIELDS);
        }
    }

    /// Reads and checks the templates in a folder such as `prompts/en`. The problems that come with
    /// the phrasebook are warnings.
    pub fn load(
        &self,
        data: &DataFolder,
        folder: &str,
    ) -> Result<(Phrasebook, Problems), Problems> {
        let (templates, problems) = self.templates(data, folder)?;
        Ok((templates.into(), problems))
    }
}
