//! What a page shows to whoever writes the world of a story.

use crate::cli::prelude::*;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use super::saves::library_error;
use crate::cli::commands::check;
use crate::cli::commands::edited::EditedGame;
use crate::cli::commands::rehearse::FIRST_SEED;
use crate::cli::commands::{play, run};
use crate::cli::loader;
use crate::cli::rehearsal::{self, Report};
use crate::page::{Desk, Draft, DraftScene, LibraryError, Opening, Rehearsed};
use crate::rpg::Campaign;
use crate::rpg::rehearsal::{Rehearsal, RehearsalPlan, rehearse};
use crate::world_data::Problem;

/// How many stories a rehearsal plays.
const RUNS: u32 = 100;

pub(super) struct WorldDesk {
    app: App,
    world: String,
    looked: Mutex<Looked>,
}

/// What the files were when they were last looked at.
struct Looked {
    edited: EditedGame,
    draft: Option<Draft>,
    /// The world, if it had no mistakes.
    campaign: Option<Arc<Campaign>>,
}

impl WorldDesk {
    pub(super) fn new(app: &App, world: &str, edited: EditedGame) -> Self {
        let looked = Looked {
            edited,
            draft: None,
            campaign: None,
        };
        Self {
            app: app.clone(),
            world: world.to_owned(),
            looked: Mutex::new(looked),
        }
    }

    /// What is there now, read again only if a file has changed.
    fn look(&self) -> (Draft, Option<Arc<Campaign>>) {
        let mut looked = lock(&self.looked);
        let has_changed = looked.edited.has_changed();
        let known = looked.draft.take().filter(|_| !has_changed);
        let draft = known.unwrap_or_else(|| {
            let (campaign, problems) = self.read();
            let scenes = campaign.as_deref().map(scenes_of);
            looked.campaign = campaign;
            Draft {
                problems,
                scenes: scenes.unwrap_or_default(),
            }
        });
        looked.draft = Some(draft.clone());
        (draft, looked.campaign.clone())
    }

    fn read(&self) -> (Option<Arc<Campaign>>, Vec<Problem>) {
        match check::world(&self.app, &self.world) {
            Ok((campaign, problems)) => (campaign.map(Arc::new), problems),
            Err(error) => {
                let LibraryError { text, help } = library_error(error);
                let problem = Problem::of_file(&self.world, text, help.unwrap_or_default());
                (None, vec![problem])
            }
        }
    }

    fn campaign(&self) -> Result<Arc<Campaign>, LibraryError> {
        let (_, campaign) = self.look();
        campaign.ok_or_else(|| text!(page_mend_first).into())
    }
}

impl Desk for WorldDesk {
    fn draft(&self) -> Draft {
        self.look().0
    }

    fn rehearse(&self, language: Language) -> Result<Rehearsed, LibraryError> {
        let campaign = self.campaign()?;
        let world = &campaign.file;
        let expected = loader::expectations(&self.app, &self.world, world);
        let plan = RehearsalPlan {
            seed: FIRST_SEED,
            runs: RUNS,
            jobs: play::jobs(None, RUNS) as usize,
            find: None,
            consistency: false,
        };
        let runs = rehearse(&campaign, &plan, &|_| ControlFlow::Continue(()))
            .map_err(|error| error.text())?;
        let rehearsal = Rehearsal::of(world, &runs);
        let expected = expected.map_err(library_error)?.unwrap_or_default();
        let unmet = expected.unmet(&rehearsal);
        let report = Report::of(world, (&runs, &rehearsal), &unmet);
        let unmet = unmet
            .iter()
            .map(|unmet| unmet.message.in_language(language));
        Ok(Rehearsed {
            runs: RUNS,
            tables: rehearsal::tables(language, &report),
            unmet: unmet.collect(),
        })
    }

    fn opening(&self, scene: &str) -> Result<Opening, LibraryError> {
        let campaign = self.campaign()?;
        let found = run::Opening::find(&self.app, &campaign, scene, None);
        let run::Opening { seed, turn } = found.map_err(library_error)?;
        Ok(Opening { seed, turn })
    }
}

/// The scenes of a world, and where they are written.
fn scenes_of(campaign: &Campaign) -> Vec<DraftScene> {
    let source = campaign.source();
    let scenes = campaign.file.scenes.iter().enumerate();
    let scenes = scenes.map(|(number, scene)| {
        let place = source.problem(
            &format!("scenes[{number}]"),
            UiText::default(),
            UiText::default(),
        );
        DraftScene {
            scene: scene.id.clone(),
            file: place.file,
            line: place.line,
        }
    });
    scenes.collect()
}
