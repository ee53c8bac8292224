//! A world that was read and checked, ready to be played.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::engine::{MeetSet, Setup};
use playhouse_engine::event::guard::{Guards, SecretRule, Secrets};
use playhouse_engine::event::{Phrasebook, register_events};
use playhouse_engine::held::Held;
use playhouse_engine::journal::{GameSetup, Line};
use playhouse_engine::knowledge::restore_made_facts;
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::save::Meta;
use playhouse_engine::session::{
    BatchPlan, EmbeddedFiles, EmbeddedGame, Game, SetupError, take_data,
};
use playhouse_engine::world_data::{DataError, DataFolder, Problem, Problems, Source};
use playhouse_story::register_picture;
use playhouse_tools::{self as tool, Toolbox};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adapt::Unfit;
use super::campaign_state::advance_campaign;
use super::components::{RpgWorld, insert_data};
use super::events::EVENTS;
use super::lore::Lorebooks;
use super::picture::CampaignPicture;
use super::spawn::{SpawnError, spawn_cast};
use super::world_file::{Limits, WorldFile, sources};
use super::{
    adapt, archive, attempt, campaign_phase, campaign_state, combat, components, home, host,
    kickoff, lore, phase, phrases, scenes, talk,
};
use crate::drama;

/// The maximum number of characters of a speech that reaches anybody.
const MAX_SPEECH_CHARS: usize = 4_000;

/// The path of a world's file in a folder of its own.
const OWN_FILE: &str = "world.ron";

static HELD: Held<WorldFile> = Held::new();

/// What a journal embeds of a world, so that its story needs no file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbeddedWorld {
    /// The name of its folder.
    world: String,
    data: String,
    file: String,
    /// The world's file and the prompts that are not as the program has them, by path.
    texts: EmbeddedFiles,
}

impl EmbeddedGame for EmbeddedWorld {
    const NAME: &'static str = "campaign";

    fn fingerprint(&self) -> &str {
        &self.data
    }
}

#[derive(Debug, Error, Localize)]
pub enum CampaignError {
    /// All mistakes in its files.
    Data(Problems),
    /// Its cast can't be spawned.
    Spawn(#[from] SpawnError),
    /// A story that runs can't go on with it.
    Unfit(#[from] Unfit),
}

impl From<Problems> for CampaignError {
    fn from(problems: Problems) -> Self {
        Self::Data(problems)
    }
}

/// Adds the campaign's systems, events and saved state.
fn plugin(setup: &mut Setup) {
    register_events(&mut setup.world, EVENTS);
    register_picture::<CampaignPicture>(&mut setup.world);
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
    lore::plugin(setup);
    campaign_phase::plugin(setup);
    campaign_state::plugin(setup);
    host::plugin(setup);
    let before_inputs = take_edits
        .before(host::take_inputs)
        .before(advance_campaign);
    setup.meet.add_systems(before_inputs.in_set(MeetSet::Rules));
}

/// Takes over what its author has changed in the world while it is played.
fn take_edits(world: &mut World) {
    take_data(world, |world, embedded: &EmbeddedWorld| {
        Ok(Campaign::of_embedded(embedded)?.fit(world)?)
    });
}

/// A world that was read and checked. It can be played as often as needed.
#[derive(Clone)]
pub struct Campaign {
    pub file: Arc<WorldFile>,
    /// The name of its folder, by which it is chosen.
    pub folder: String,
    /// The fingerprint of everything that minds read: world file and prompts.
    pub fingerprint: String,
    /// What is likely not what its author meant.
    pub warnings: Vec<Problem>,
    phrases: Phrasebook,
    books: Lorebooks,
    data: DataFolder,
    source: Arc<Source>,
    embedded: EmbeddedWorld,
}

/// A world's files, as they were read.
struct ReadWorld {
    file: WorldFile,
    warnings: Problems,
    source: Source,
    /// A folder in which the world is one file, so that no save depends on how it was split.
    folder: DataFolder,
}

impl ReadWorld {
    /// Reads a world as a change of its file leaves it. If it has no budget for prompts, it gets
    /// one by the window of the models that are asked, if that is known.
    fn read(
        folder: &DataFolder,
        path: &str,
        change: impl FnOnce(Source) -> Result<Source, Problems>,
        window: impl FnOnce(&WorldFile) -> Option<u64>,
    ) -> Result<Self, Problems> {
        let files = sources(folder, path)?;
        let before = files.first().map(|first| first.text().to_owned());
        let mut source = change(Source::joined(files))?;
        let (mut file, warnings) = WorldFile::of_source(source.clone())?;
        if file.limits.context_tokens.is_none()
            && let Some(budget) = window(&file).map(Limits::half_of)
            && let Some(with) = source.with_value("limits.context_tokens", &budget.to_string())
        {
            file.limits.context_tokens = Some(budget);
            source = with;
        }
        let whole = match source.files() {
            [] => Some(source.text().to_owned()),
            _ => source.text_with_value("files", "[]"),
        };
        let mut folder = folder.clone();
        if let Some(whole) = whole.filter(|whole| before.as_ref() != Some(whole)) {
            folder = folder.with_text(path, &whole);
        }
        Ok(Self {
            file,
            warnings,
            source,
            folder,
        })
    }
}

/// The file of a world of the data folder.
fn path_of(world: &str) -> String {
    format!("worlds/{world}/world.ron")
}

impl Campaign {
    /// Reads a world of the data folder, with its prompts.
    pub fn load(data: &DataFolder, folder: &str) -> Result<Self, CampaignError> {
        let read = ReadWorld::read(data, &path_of(folder), Ok, |_| None)?;
        Self::of_data(read, folder)
    }

    fn of_data(read: ReadWorld, folder: &str) -> Result<Self, CampaignError> {
        let (data, path) = (&read.folder, path_of(folder));
        let mut paths = prompt_files(data, &read.file)?;
        let home = format!("worlds/{folder}/");
        let (books, kept) = Lorebooks::read(data, &home, &read.file)?;
        let mut texts = embedded_files(data, &paths, data, &path)?;
        paths.push(path.clone());
        paths.extend(kept.keys().cloned());
        texts.insert_all(kept);
        let embedded = EmbeddedWorld {
            world: folder.to_owned(),
            data: data.fingerprint(&paths).map_err(in_data)?,
            file: path,
            texts,
        };
        Self::new(&read.folder.clone(), read, books, embedded)
    }

    /// Reads the world in a folder of its own, with the prompts of the data folder. It is chosen by
    /// `name`.
    pub fn load_from(
        data: &DataFolder,
        world: &DataFolder,
        name: &str,
    ) -> Result<Self, CampaignError> {
        let read = ReadWorld::read(world, OWN_FILE, Ok, |_| None)?;
        Self::of_own(data, read, name)
    }

    fn of_own(data: &DataFolder, read: ReadWorld, name: &str) -> Result<Self, CampaignError> {
        let world = &read.folder;
        let paths = prompt_files(data, &read.file)?;
        let (books, kept) = Lorebooks::read(world, "", &read.file)?;
        let own_paths = kept.keys().map(String::as_str).chain([OWN_FILE]);
        let own = world.fingerprint(own_paths).map_err(in_data)?;
        let prompts = data.fingerprint(&paths).map_err(in_data)?;
        let mut texts = embedded_files(data, &paths, world, OWN_FILE)?;
        texts.insert_all(kept);
        let embedded = EmbeddedWorld {
            world: name.to_owned(),
            data: format!("{own}-{prompts}"),
            file: OWN_FILE.into(),
            texts,
        };
        Self::new(data, read, books, embedded)
    }

    /// Reads a world as a change of its file leaves it: that of the data folder, or that in a
    /// folder of its own. If it has no budget for prompts, its file gets one by the smallest window
    /// of the models that are asked.
    ///
    /// # Errors
    /// Why it can't be changed so, or every mistake in it.
    pub fn load_changed(
        data: &DataFolder,
        own: Option<&DataFolder>,
        name: &str,
        change: impl FnOnce(Source) -> Result<Source, Problems>,
        window: impl FnOnce(&WorldFile) -> u64,
    ) -> Result<Self, CampaignError> {
        let window = |file: &WorldFile| Some(window(file));
        match own {
            None => Self::of_data(ReadWorld::read(data, &path_of(name), change, window)?, name),
            Some(own) => {
                let read = ReadWorld::read(own, OWN_FILE, change, window)?;
                Self::of_own(data, read, name)
            }
        }
    }

    fn new(
        data: &DataFolder,
        read: ReadWorld,
        books: Lorebooks,
        embedded: EmbeddedWorld,
    ) -> Result<Self, CampaignError> {
        let (phrases, more) = phrases::load(data, read.file.language)?;
        Ok(Self {
            file: HELD.once(read.file),
            folder: embedded.world.clone(),
            fingerprint: embedded.data.clone(),
            warnings: read
                .warnings
                .into_iter()
                .chain(books.warnings())
                .chain(more)
                .collect(),
            phrases,
            books,
            data: data.clone(),
            source: Arc::new(read.source),
            embedded,
        })
    }

    /// The world as a journal embeds it, with the prompts of this program that it does not. No file
    /// is opened.
    fn of_embedded(embedded: &EmbeddedWorld) -> Result<Self, CampaignError> {
        let home = embedded.file.trim_end_matches(OWN_FILE);
        let books = format!("{home}{}", lore::FOLDER);
        let data = embedded.texts.folder(&embedded.file, &["prompts/"]);
        let mut data = data.map_err(|message| {
            Problems::from(Problem::of_file(&embedded.file, message, UiText::default()))
        })?;
        for (path, text) in embedded.texts.in_folder(&books) {
            data = data.with_text(path, text);
        }
        if embedded.file == OWN_FILE {
            Self::load_from(&data, &data, &embedded.world)
        } else {
            Self::load(&data, &embedded.world)
        }
    }

    /// The world with this fingerprint, from what the lines of a journal embed; `None` if they
    /// embed none.
    pub fn embedded_in(lines: &[Line], data: &str) -> Option<Result<Self, CampaignError>> {
        Some(Self::of_embedded(&EmbeddedWorld::find(lines, data)?))
    }

    /// The world of a batch, from what that embeds; `None` if it is of another game.
    pub fn of_batch(plan: &BatchPlan) -> Option<Result<Self, CampaignError>> {
        let embedded = EmbeddedWorld::of_setup(plan.setup.as_ref()?, &plan.data)?;
        Some(Self::of_embedded(&embedded))
    }

    /// The text of its files, in which places can be found.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The folder of its prompts, and of the grammars with which the improviser plays it.
    pub fn data(&self) -> &DataFolder {
        &self.data
    }

    /// Puts its data in the place of those of a world that is played.
    fn fit(&self, world: &mut World) -> Result<(), CampaignError> {
        let old = world.resource::<RpgWorld>().0.clone();
        adapt::check(world, &old, &self.file)?;
        self.insert(world);
        restore_made_facts(world);
        Ok(adapt::apply(world, &old, &self.file)?)
    }

    /// Adds its data to a world, without anybody.
    fn insert(&self, world: &mut World) {
        let short = self.file.limits.short_questions;
        world.insert_resource(self.phrases.clone().with_short_questions(short));
        world.insert_resource(self.file.language);
        insert_data(world, &self.file);
        world.insert_resource(self.books.clone());
        let guards = Guards::built_in(MAX_SPEECH_CHARS, secret_rules(&self.file));
        world.insert_resource(guards);
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
        tool::register(&mut setup.world.resource_mut::<Toolbox>());
        self.insert(&mut setup.world);
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

    /// Its file, and the prompts that are not as the program has them.
    fn game_setup(&self, _seed: u64) -> Option<GameSetup> {
        self.embedded.to_setup()
    }

    fn embedded(&self, setup: &GameSetup, data: &str) -> Option<Box<dyn Game>> {
        let embedded = EmbeddedWorld::of_setup(setup, data)?;
        Some(Box::new(Self::of_embedded(&embedded).ok()?))
    }

    /// A story takes its world over at its next meeting, so that a replay does so there too.
    fn adapt(&self, world: &mut World) -> Result<Vec<UiText>, Option<SetupError>> {
        let old = world.resource::<RpgWorld>().0.clone();
        adapt::check(world, &old, &self.file).map_err(|unfit| Some(unfit.into()))?;
        let mut changes = adapt::changes(&old, &self.file);
        if changes.is_empty() {
            changes.push(text!(rpg_changed_texts));
        }
        Ok(changes)
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

/// The prompts that are not as the program has them, and the file of a world.
fn embedded_files(
    data: &DataFolder,
    prompts: &[String],
    world: &DataFolder,
    path: &str,
) -> Result<EmbeddedFiles, CampaignError> {
    let mut texts = EmbeddedFiles::of(data, prompts).map_err(in_data)?;
    texts.insert(path.into(), world.read_text(path).map_err(in_data)?);
    Ok(texts)
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
