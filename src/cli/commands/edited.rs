//! Worlds and prompts that are edited while a story of them is watched.

use std::sync::Arc;

use crate::engine::Engine;
use crate::journal::game_input;
use crate::locale::{Localize, UiText};
use crate::page::StoryView;
use crate::rpg::{Campaign, CampaignError};
use crate::session::{Adaptation, Game};
use crate::world_data::Problem;

use crate::cli::app::App;
use crate::cli::loader::WorldFiles;

/// Looks between two turns whether the data of a campaign were edited.
pub(super) struct EditedWorld {
    files: WorldFiles,
    /// The fingerprint of the data that the story has or is about to take over.
    data: String,
    view: Arc<StoryView>,
}

impl EditedWorld {
    /// For the story of a view; `None` if its world has no files.
    pub(super) fn of(app: &App, campaign: &Campaign, view: &Arc<StoryView>) -> Option<Self> {
        Some(Self {
            files: WorldFiles::find(app, &campaign.folder)?,
            data: campaign.fingerprint.clone(),
            view: view.clone(),
        })
    }

    /// Lets the story take over what has changed. If that is impossible, its page says why.
    pub(super) fn look(&mut self, engine: &mut Engine) {
        let Some(loaded) = self.files.changed() else {
            return;
        };
        let problems = match loaded {
            Ok(campaign) => self.take_over(&campaign, engine),
            Err(CampaignError::Data(problems)) => problems.into_iter().collect(),
            Err(error) => vec![self.problem(error.text())],
        };
        self.view.set_problems(problems);
    }

    fn take_over(&mut self, campaign: &Campaign, engine: &mut Engine) -> Vec<Problem> {
        if campaign.fingerprint == self.data {
            return Vec::new();
        }
        match campaign.adapt(&mut engine.world) {
            Ok(Adaptation::AtMeeting(_)) => {
                let setup = campaign.game_setup(0);
                let input = setup.map(|setup| game_input(&setup));
                input.into_iter().for_each(|input| engine.tell_next(input));
                self.data.clone_from(&campaign.fingerprint);
                Vec::new()
            }
            Err(Some(unfit)) => vec![self.problem(unfit.text())],
            Ok(Adaptation::Done) | Err(None) => Vec::new(),
        }
    }

    fn problem(&self, message: UiText) -> Problem {
        Problem::of_file(self.files.name(), message, UiText::default())
    }
}
