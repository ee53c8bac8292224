//! The templates of the campaign, in `data/prompts/<language>/`.

use playhouse_engine::event::{Phrasebook, PromptSet, kinds};
use playhouse_engine::exchange;
use playhouse_engine::mind::Language;
use playhouse_engine::world_data::{DataError, DataFolder, Problems};
use playhouse_tools as tool;

use super::events::EVENTS;
use super::{
    actions, archive, attempt, campaign_state, combat, deaths, home, kickoff, scenes, spawn,
};

/// Reads and checks the templates of a language. The problems that come with them are warnings.
///
/// # Errors
/// Every template that is missing, does not parse, or uses a variable that it does not have.
pub fn load(data: &DataFolder, language: Language) -> Result<(Phrasebook, Problems), Problems> {
    prompts().load(data, &folder(language))
}

/// The paths of a language's templates.
///
/// # Errors
/// The folder can't be read.
pub(super) fn files(data: &DataFolder, language: Language) -> Result<Vec<String>, DataError> {
    prompts().files(data, &folder(language))
}

pub(super) fn folder(language: Language) -> String {
    format!("prompts/{}", language.code())
}

fn prompts() -> PromptSet {
    let mut prompts = PromptSet::default();
    exchange::add_templates(&mut prompts);
    tool::add_templates(&mut prompts);
    prompts.add_events(kinds::EVENTS);
    prompts.add_events(EVENTS);
    spawn::add_templates(&mut prompts);
    campaign_state::add_templates(&mut prompts);
    kickoff::add_templates(&mut prompts);
    prompts.declare::<deaths::Lives>();
    actions::add_templates(&mut prompts);
    home::add_templates(&mut prompts);
    attempt::add_templates(&mut prompts);
    combat::add_templates(&mut prompts);
    archive::add_templates(&mut prompts);
    scenes::add_templates(&mut prompts);
    prompts
}
