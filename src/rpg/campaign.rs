//! A world file becomes a world that can be played.

use std::sync::Arc;

use thiserror::Error;

use super::components::insert_data;
use super::enter::{EnterError, enter_cast};
use super::world_file::WorldFile;
use super::{phrases, plugin};
use crate::engine::Setup;
use crate::event::Phrasebook;
use crate::event::guard::{Guards, SecretAction, SecretRule};
use crate::locale::UiText;
use crate::save::Meta;
use crate::session::Game;
use crate::world_data::{DataError, DataFolder, Problem, Problems};

/// The longest speech that reaches anybody, in characters.
const LONGEST_SPEECH: usize = 4_000;

/// Why a world can't be played.
#[derive(Debug, Error)]
pub enum CampaignError {
    /// Its files hold mistakes; all of them.
    #[error("{0}")]
    Data(Problems),
    /// Its cast can't enter.
    #[error(transparent)]
    Enter(#[from] EnterError),
}

impl From<Problems> for CampaignError {
    fn from(problems: Problems) -> Self {
        Self::Data(problems)
    }
}

/// A world that was read and checked, ready to be set up as often as needed.
#[derive(Clone)]
pub struct Campaign {
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

impl Campaign {
    /// Reads a world and its prompts.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn load(data: &DataFolder, folder: &str) -> Result<Self, CampaignError> {
        let path = format!("worlds/{folder}/world.ron");
        let (file, warnings) = WorldFile::load_file(data, &path)?;
        let mut paths = prompt_files(data, &file)?;
        paths.push(path);
        let fingerprint = data.fingerprint(&paths).map_err(in_data)?;
        Self::of(data, folder, file, warnings, fingerprint)
    }

    /// Reads a world that stands in a folder of its own, with the prompts of the data folder. `name` is
    /// how it is chosen.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn load_alone(
        data: &DataFolder,
        world: &DataFolder,
        name: &str,
    ) -> Result<Self, CampaignError> {
        let path = "world.ron";
        let (file, warnings) = WorldFile::load_file(world, path)?;
        let prompts = prompt_files(data, &file)?;
        let prompts = data.fingerprint(&prompts).map_err(in_data)?;
        let own = world.fingerprint([path]).map_err(in_data)?;
        Self::of(data, name, file, warnings, format!("{own}-{prompts}"))
    }

    fn of(
        data: &DataFolder,
        folder: &str,
        file: WorldFile,
        warnings: Problems,
        fingerprint: String,
    ) -> Result<Self, CampaignError> {
        let (phrases, more) = phrases::load(data, file.language)?;
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
        insert_data(&mut setup.world, &self.file);
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

impl Game for Campaign {
    /// The world's name is its folder, so that a save leads back to it.
    fn meta(&self) -> Meta {
        Meta {
            world: self.folder.clone(),
            data: self.fingerprint.clone(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, UiText> {
        Ok(self.empty_stage(seed))
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), UiText> {
        enter_cast(&mut setup.world, &self.file).map_err(|error| error.to_string().into())
    }
}

/// The prompts that minds of this world may read. What tells of tools counts only where somebody has
/// some, so that a world without them stays the world it is.
fn prompt_files(data: &DataFolder, file: &WorldFile) -> Result<Vec<String>, CampaignError> {
    let mut paths = phrases::files(data, file.language).map_err(in_data)?;
    if file.actors.iter().all(|actor| actor.tools.is_empty()) {
        let of_tools = format!("{}/tools/", phrases::folder(file.language));
        paths.retain(|path| !path.starts_with(&of_tools));
    }
    Ok(paths)
}

fn in_data(error: DataError) -> CampaignError {
    Problems::from(Problem::from(error)).into()
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
