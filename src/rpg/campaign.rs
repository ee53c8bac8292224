//! A world that was read and checked, ready to be played.

use std::sync::Arc;

use thiserror::Error;

use super::components::insert_data;
use super::spawn::{SpawnError, spawn_cast};
use super::world_file::WorldFile;
use super::{
    archive, attempt, campaign_phase, campaign_state, combat, components, events, home, host,
    kickoff, phase, phrases, scenes, talk,
};
use crate::drama;
use crate::engine::Setup;
use crate::event::Phrasebook;
use crate::event::guard::{Guards, SecretRule, Secrets};
use crate::locale::{Localize, UiText};
use crate::save::Meta;
use crate::session::{Game, SetupError};
use crate::world_data::{DataError, DataFolder, Problem, Problems};

/// The maximum number of characters of a speech that reaches anybody.
const MAX_SPEECH_CHARS: usize = 4_000;

/// Why a world can't be played.
#[derive(Debug, Error)]
#[error("{}", self.text())]
pub enum CampaignError {
    /// All mistakes in its files.
    Data(Problems),
    /// Its cast can't be spawned.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

impl Localize for CampaignError {
    fn text(&self) -> UiText {
        match self {
            Self::Data(problems) => problems.text(),
            Self::Spawn(error) => error.text(),
        }
    }
}

impl From<Problems> for CampaignError {
    fn from(problems: Problems) -> Self {
        Self::Data(problems)
    }
}

/// Adds the campaign's systems, events and saved state.
fn plugin(setup: &mut Setup) {
    events::register(&mut setup.world);
    drama::plugin(setup);
    components::plugin(setup);
    phase::plugin(setup);
    talk::plugin(setup);
    attempt::plugin(setup);
    kickoff::plugin(setup);
    home::plugin(setup);
    combat::plugin(setup);
    archive::plugin(setup);
    scenes::plugin(setup);
    campaign_phase::plugin(setup);
    campaign_state::plugin(setup);
    host::plugin(setup);
}

/// A world that was read and checked. It can be played as often as needed.
#[derive(Clone)]
pub struct Campaign {
    /// The world file.
    pub file: Arc<WorldFile>,
    /// The name of its folder, by which it is chosen.
    pub folder: String,
    /// The fingerprint of everything that minds read: world file and prompts.
    pub fingerprint: String,
    /// What is likely not what its author meant.
    pub warnings: Vec<Problem>,
    phrases: Phrasebook,
}

impl Campaign {
    /// Reads a world of the data folder, with its prompts.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn load(data: &DataFolder, folder: &str) -> Result<Self, CampaignError> {
        let path = format!("worlds/{folder}/world.ron");
        let (file, warnings) = WorldFile::load_file(data, &path)?;
        let mut paths = prompt_files(data, &file)?;
        paths.push(path);
        let fingerprint = data.fingerprint(&paths).map_err(in_data)?;
        Self::new(data, folder, file, warnings, fingerprint)
    }

    /// Reads the world in a folder of its own, with the prompts of the data folder. It is chosen by
    /// `name`.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn load_from(
        data: &DataFolder,
        world: &DataFolder,
        name: &str,
    ) -> Result<Self, CampaignError> {
        let path = "world.ron";
        let (file, warnings) = WorldFile::load_file(world, path)?;
        let prompts = prompt_files(data, &file)?;
        let prompts = data.fingerprint(&prompts).map_err(in_data)?;
        let own = world.fingerprint([path]).map_err(in_data)?;
        Self::new(data, name, file, warnings, format!("{own}-{prompts}"))
    }

    fn new(
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

    /// A new game: the world with its systems, data and cast.
    ///
    /// # Errors
    /// Somebody is refused, which does not happen with a checked world file.
    pub fn new_game(&self, seed: u64) -> Result<Setup, SpawnError> {
        let mut setup = self.without_cast(seed);
        spawn_cast(&mut setup.world, &self.file)?;
        Ok(setup)
    }

    /// The world with its systems and data, but without its cast, which comes from a save.
    fn without_cast(&self, seed: u64) -> Setup {
        let mut setup = Setup::new(seed);
        setup.world.insert_resource(self.phrases.clone());
        setup.world.insert_resource(self.file.language);
        insert_data(&mut setup.world, &self.file);
        let guards = Guards::built_in(MAX_SPEECH_CHARS, secret_rules(&self.file));
        setup.world.insert_resource(guards);
        setup.plugin(plugin);
        setup
    }
}

impl Game for Campaign {
    /// The world is called by its folder, so that a save leads back to it.
    fn meta(&self) -> Meta {
        Meta {
            world: self.folder.clone(),
            data: self.fingerprint.clone(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        Ok(self.without_cast(seed))
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        Ok(spawn_cast(&mut setup.world, &self.file)?)
    }
}

/// The paths of the prompts that minds of this world may read. Those about tools count only if
/// somebody has tools, so that they don't change the fingerprint of other worlds.
fn prompt_files(data: &DataFolder, file: &WorldFile) -> Result<Vec<String>, CampaignError> {
    let mut paths = phrases::files(data, file.language).map_err(in_data)?;
    if file.actors.iter().all(|actor| actor.tools.is_empty()) {
        let tools = format!("{}/tools/", phrases::folder(file.language));
        paths.retain(|path| !path.starts_with(&tools));
    }
    Ok(paths)
}

fn in_data(error: DataError) -> CampaignError {
    Problems::from(Problem::from(error)).into()
}

/// The phrases of facts, masked in what those say who don't know them, and the texts that nobody
/// may say in public.
fn secret_rules(file: &WorldFile) -> Vec<SecretRule> {
    let patterns = file.patterns.iter().map(|pattern| SecretRule {
        text: pattern.text.clone(),
        mask: Some(pattern.mask.clone()),
        ..SecretRule::default()
    });
    Secrets::of_facts(&file.fact_book())
        .chain(patterns)
        .collect()
}
