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
pub fn load(data: &DataFolder, language: Language) -> Result<(Phrasebook, Problems), Problems> {
    prompts().load(data, &folder(language))
}

/// The paths of a language's templates.
pub(super) fn files(data: &DataFolder, language: Language) -> Result<Vec<String>, DataError> {
    prompts().files(data, &folder(language))
}

pub(super) fn folder(language: Language) -> String {
    format!("prompts/{}", language.code())
}

fn prompts() -> PromptSet {
    let mut prompts = PromptSet::default();
    exchange::declare_prompts(&mut prompts);
    tool::declare_prompts(&mut prompts);
    prompts.add_events(kinds::EVENTS);
    prompts.add_events(EVENTS);
    prompts
        .declare::<spawn::ActorIdentity>()
        .declare::<spawn::FoeIdentity>()
        .declare::<spawn::StageIdentity>()
        .declare::<spawn::AgentIdentity>()
        .declare::<campaign_state::Finished>()
        .declare::<kickoff::KickoffData>()
        .declare::<deaths::Lives>();
    actions::declare_prompts(&mut prompts);
    home::declare_prompts(&mut prompts);
    attempt::declare_prompts(&mut prompts);
    combat::declare_prompts(&mut prompts);
    archive::declare_prompts(&mut prompts);
    scenes::declare_prompts(&mut prompts);
    prompts
}
