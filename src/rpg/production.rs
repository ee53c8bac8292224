//! A world file becomes a world that can be played.

use std::sync::Arc;

use thiserror::Error;

use super::enter::{EnterError, enter_cast};
use super::world_file::WorldFile;
use super::{RpgWorld, phrases, plugin};
use crate::engine::Setup;
use crate::event::Phrasebook;
use crate::event::guard::{Guards, SecretAction, SecretRule};
use crate::world_data::{DataFolder, Problem, Problems};

/// The longest speech that reaches anybody, in characters.
const LONGEST_SPEECH: usize = 4_000;

/// Why a world can't be played.
#[derive(Debug, Error)]
pub enum ProductionError {
    /// Its files hold mistakes; all of them.
    #[error("{0}")]
    Data(Problems),
    /// Its cast can't enter.
    #[error(transparent)]
    Enter(#[from] EnterError),
}

impl From<Problems> for ProductionError {
    fn from(problems: Problems) -> Self {
        Self::Data(problems)
    }
}

/// A world that was read and checked, ready to be set up as often as needed.
#[derive(Clone)]
pub struct Production {
    /// What its writer wrote.
    pub file: Arc<WorldFile>,
    /// The folder it stands in, by which it is chosen.
    pub folder: String,
    /// The fingerprint of everything a mind reads: world file and prompts.
    pub fingerprint: String,
    /// What is odd about it and yet no mistake.
    pub warnings: Vec<Problem>,
    phrases: Phrasebook,
}

impl Production {
    /// Reads a world and its prompts.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn load(data: &DataFolder, folder: &str) -> Result<Self, ProductionError> {
        let (file, warnings) = WorldFile::load(data, folder)?;
        let (phrases, more) = phrases::load(data, file.language)?;
        let prompts = phrases::folder(file.language);
        let mut paths = data
            .files(&prompts)
            .map_err(|error| Problems::from(Problem::from(error)))?;
        paths.push(format!("worlds/{folder}/world.ron"));
        let fingerprint = data
            .fingerprint(&paths)
            .map_err(|error| Problems::from(Problem::from(error)))?;
        Ok(Self {
            file: Arc::new(file),
            folder: folder.to_owned(),
            fingerprint,
            warnings: warnings.into_iter().chain(more).collect(),
            phrases,
        })
    }

    /// The game's systems and data, without anybody in the world: the ground for a saved one.
    pub fn empty_stage(&self, seed: u64) -> Setup {
        let mut setup = Setup::new(seed);
        setup.world.insert_resource(self.phrases.clone());
        setup.world.insert_resource(self.file.language);
        setup.world.insert_resource(RpgWorld(self.file.clone()));
        let guards = Guards::built_in(LONGEST_SPEECH, secret_rules(&self.file));
        setup.world.insert_resource(guards);
        setup.plugin(plugin);
        setup
    }

    /// The world at its beginning, everybody in place.
    ///
    /// # Errors
    /// Somebody is refused; a checked file gives no reason.
    pub fn opening(&self, seed: u64) -> Result<Setup, EnterError> {
        let mut setup = self.empty_stage(seed);
        enter_cast(&mut setup.world, &self.file)?;
        Ok(setup)
    }
}

fn secret_rules(file: &WorldFile) -> Vec<SecretRule> {
    let guarded = file.secrets.iter().flat_map(|secret| &secret.guard);
    let secrets = guarded.map(|text| SecretRule {
        text: text.clone(),
        mask: None,
        action: SecretAction::Mask,
    });
    let patterns = file.patterns.iter().map(|pattern| SecretRule {
        text: pattern.text.clone(),
        mask: Some(pattern.mask.clone()),
        action: SecretAction::Mask,
    });
    secrets.chain(patterns).collect()
}
