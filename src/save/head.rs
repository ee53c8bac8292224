//! The header of a save, read without its cast and messages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::SaveError;
use super::json::parse;
use super::limits::FORMAT;
use super::migrate::check_newer;
use crate::journal::GameSetup;
use crate::message::Language;

/// The saved name of the text that ends a story; a save with it is finished.
pub const ENDING: &str = "ending";

/// The saved name of what a game needs to be set up again.
pub const GAME_SETUP: &str = "game";

/// The first members of a save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SaveHead {
    /// The version of the format.
    pub format: u32,
    /// The version of the engine that wrote it.
    pub engine: String,
    /// The world's name.
    pub world: String,
    /// The fingerprint of the world's data.
    pub data: String,
    /// The language of the world.
    pub language: Language,
    /// The seed.
    pub seed: u64,
    /// The number of meetings the world has had.
    pub turn: u64,
    /// The text that ended the story, if it is over.
    pub ending: Option<String>,
    /// What its game needs to be set up again.
    pub game: Option<GameSetup>,
}

/// Reads the header of a save, without its cast and messages.
///
/// # Errors
/// It is not a save, is truncated, or is of a newer version.
pub fn read_head(text: &[u8]) -> Result<SaveHead, SaveError> {
    #[derive(Deserialize)]
    struct HeadDto {
        format: u32,
        engine: String,
        world: String,
        data: String,
        language: Language,
        seed: u64,
        turn: u64,
        #[serde(default)]
        resources: BTreeMap<String, Value>,
    }

    let parsed = parse::<HeadDto>(text);
    if !parsed.as_ref().is_ok_and(|head| head.format <= FORMAT) {
        check_newer(text)?;
    }
    let head = parsed?;
    let game = head.resources.get(GAME_SETUP);
    let ending = head.resources.get(ENDING).and_then(Value::as_str);
    Ok(SaveHead {
        ending: ending.map(str::to_owned),
        game: game.and_then(|game| GameSetup::deserialize(game).ok()),
        format: head.format,
        engine: head.engine,
        world: head.world,
        data: head.data,
        language: head.language,
        seed: head.seed,
        turn: head.turn,
    })
}
