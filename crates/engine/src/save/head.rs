//! The header of a save, read without its cast and messages.

use std::fmt;
use std::io::{self, BufReader};

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::error::SaveError;
use super::json;
use super::limits::FORMAT;
use crate::journal::GameSetup;
use crate::message::Language;

/// The saved name of the text that ends a story; a save with it is finished.
pub const ENDING: &str = "ending";

/// The saved name of what a game needs to be set up again.
pub const GAME_SETUP: &str = "game";

/// The first members of a save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SaveHead {
    /// The version of the format.
    pub format: u32,
    /// The version of the engine that wrote it.
    pub engine: String,
    pub world: String,
    /// The fingerprint of the world's data.
    pub data: String,
    /// The language of the world.
    pub language: Language,
    pub seed: u64,
    /// The number of meetings the world has had.
    pub turn: u64,
    /// The text that ended the story, if it is over.
    pub ending: Option<String>,
    /// What its game needs to be set up again.
    pub game: Option<GameSetup>,
}

/// Refuses a save of another version, whatever else is in it.
pub(super) fn check_version(text: &[u8]) -> Result<(), SaveError> {
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }

    match serde_json::from_slice(text) {
        Ok(Version { format: found }) if found > u64::from(FORMAT) => {
            Err(SaveError::Newer { found })
        }
        Ok(Version { format: found }) if found < u64::from(FORMAT) => {
            Err(SaveError::TooOld { found })
        }
        _ => Ok(()),
    }
}

/// The language of a save, of which no more is read than it takes.
pub(super) fn read_language(save: impl io::Read) -> Option<Language> {
    struct Until<'a>(&'a mut Option<Language>);

    impl<'de> Visitor<'de> for Until<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a save")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
            while let Some(name) = members.next_key::<String>()? {
                if name == "language" {
                    *self.0 = Some(members.next_value()?);
                    break;
                }
                members.next_value::<IgnoredAny>()?;
            }
            Ok(())
        }
    }

    let mut found = None;
    let mut reader = serde_json::Deserializer::from_reader(BufReader::new(save));
    // What follows the language is an error to the reader.
    let _ = reader.deserialize_map(Until(&mut found));
    found
}

/// Reads the header of a save, without its cast and messages.
pub fn read_head(text: &[u8]) -> Result<SaveHead, SaveError> {
    #[derive(Deserialize)]
    struct HeadDto<'a> {
        format: u32,
        engine: String,
        world: String,
        data: String,
        language: Language,
        seed: u64,
        turn: u64,
        #[serde(borrow, default)]
        resources: ResourcesDto<'a>,
    }

    /// [`ENDING`] and [`GAME_SETUP`]; the others take no memory.
    #[derive(Default, Deserialize)]
    struct ResourcesDto<'a> {
        #[serde(borrow)]
        ending: Option<&'a RawValue>,
        #[serde(borrow)]
        game: Option<&'a RawValue>,
    }

    let parsed = json::parse::<HeadDto>(text);
    if !parsed.as_ref().is_ok_and(|head| head.format == FORMAT) {
        check_version(text)?;
    }
    let head = parsed?;
    let ResourcesDto { ending, game } = head.resources;
    Ok(SaveHead {
        ending: ending.and_then(|ending| serde_json::from_str(ending.get()).ok()),
        game: game.and_then(|game| serde_json::from_str(game.get()).ok()),
        format: head.format,
        engine: head.engine,
        world: head.world,
        data: head.data,
        language: head.language,
        seed: head.seed,
        turn: head.turn,
    })
}
