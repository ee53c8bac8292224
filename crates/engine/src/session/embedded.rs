//! What a journal embeds of the data of a game, so that a story needs no file and can take over
//! what was edited since.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::SetupError;
use crate::engine::Inputs;
use crate::journal::{GameSetup, Line, game_of_input, game_of_line};
use crate::locale::{UiText, text};
use crate::save::FittedTo;
use crate::world_data::{DataError, DataFolder};

/// The most files that a journal keeps, and their bytes together with their paths. The prompts of
/// this program are 212, of 150 kB.
const MAX_FILES: usize = 1_000;
const MAX_BYTES: usize = 1024 * 1024;
/// How many setups a story takes over at one meeting: the last of those that it is given.
const MAX_GIVEN: usize = 32;

/// The files of a data folder that are not as the program has them, by path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EmbeddedFiles(BTreeMap<String, String>);

impl EmbeddedFiles {
    /// Those of these files; none if they are more than a journal may keep.
    pub fn of(data: &DataFolder, paths: &[String]) -> Result<Self, DataError> {
        let files = Self(data.own_texts(paths)?);
        let is_fit = check_limits(files.0.iter()).is_ok();
        Ok(if is_fit { files } else { Self::default() })
    }

    /// Adds a file, also if it is as the program has it.
    pub fn insert(&mut self, path: String, text: String) {
        self.0.insert(path, text);
    }

    pub fn insert_all(&mut self, texts: BTreeMap<String, String>) {
        self.0.extend(texts);
    }

    /// The text of a file that is not as the program has it, or was added.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// Those in a folder, with their paths. They have limits of their own.
    pub fn in_folder(&self, folder: &str) -> impl Iterator<Item = (&str, &str)> {
        let files = self.0.iter().map(|(path, text)| (&**path, &**text));
        files.filter(move |(path, _)| path.starts_with(folder))
    }

    /// A data folder of what they are and of what the program has; no file is opened. Besides one
    /// that has its own limit, only those in these folders are read.
    ///
    /// # Errors
    /// They are more than a journal may keep.
    pub fn folder(&self, file: &str, folders: &[&str]) -> Result<DataFolder, UiText> {
        let in_folders = |path: &str| folders.iter().any(|folder| path.starts_with(folder));
        let is_read = |path: &str| path != file && in_folders(path);
        let limited = self.0.iter().filter(|(path, _)| is_read(path));
        check_limits(limited.clone())?;
        let texts = limited
            .chain(self.0.get_key_value(file))
            .map(|(path, text)| (path.clone(), text.clone()));
        Ok(DataFolder::of_texts(texts.collect()))
    }
}

fn check_limits<'f>(
    files: impl Iterator<Item = (&'f String, &'f String)> + Clone,
) -> Result<(), UiText> {
    let count = files.clone().count();
    if count > MAX_FILES {
        return Err(text!(session_kept_too_many, count, max = MAX_FILES));
    }
    let bytes: usize = files.map(|(path, text)| path.len() + text.len()).sum();
    if bytes > MAX_BYTES {
        return Err(text!(session_kept_too_long, bytes, max = MAX_BYTES));
    }
    Ok(())
}

/// What a journal embeds of a game, in the game's own form.
pub trait EmbeddedGame: Serialize + DeserializeOwned {
    /// What journals call the game.
    const NAME: &'static str;

    /// The fingerprint of its data.
    fn fingerprint(&self) -> &str;

    /// As a journal has it.
    fn to_setup(&self) -> Option<GameSetup> {
        Some(GameSetup {
            name: Self::NAME.into(),
            setup: serde_json::to_value(self).ok()?,
        })
    }

    fn of_setup(setup: &GameSetup, fingerprint: &str) -> Option<Self> {
        let game: Option<Self> = setup.read(Self::NAME);
        game.filter(|game| game.fingerprint() == fingerprint)
    }

    /// The first game in the lines of a journal whose data have this fingerprint.
    fn find(lines: &[Line], fingerprint: &str) -> Option<Self> {
        let mut setups = lines.iter().filter_map(game_of_line);
        setups.find_map(|(_, setup)| Self::of_setup(&setup, fingerprint))
    }
}

/// Fits a world to the data that inputs of this meeting give its game.
pub fn take_data<E: EmbeddedGame>(
    world: &mut World,
    fit: impl Fn(&mut World, &E) -> Result<(), SetupError>,
) {
    let inputs = world.get_resource::<Inputs>();
    let inputs = inputs.iter().flat_map(|inputs| &inputs.0).rev();
    let setups: Vec<_> = inputs
        .filter_map(game_of_input)
        .filter(|setup| setup.name == E::NAME)
        .take(MAX_GIVEN)
        .collect();
    for GameSetup { setup, .. } in setups.into_iter().rev() {
        let fitted = E::deserialize(setup)
            .map_err(SetupError::from)
            .and_then(|game| fit(world, &game).map(|()| game));
        match fitted {
            Ok(game) => world.insert_resource(FittedTo(game.fingerprint().to_owned())),
            Err(error) => tracing::warn!(%error, "the changed data can't be taken over"),
        }
    }
}
