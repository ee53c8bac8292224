//! A character card of any version, in any carrier.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use playhouse_engine::files::count_values;
use playhouse_engine::locale::{Localize, UiText, text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::{charx, fields, png};
use crate::lore::Book;
use crate::sillytavern::other_file;

/// Larger files are refused, in bytes. Most of a large one are pictures, which are not read.
pub const MAX_CARD_BYTES: u64 = 64 * 1024 * 1024;
/// The most bytes of the JSON of a card, and the most values in it.
pub(crate) const MAX_JSON_BYTES: usize = 16 * 1024 * 1024;
pub(crate) const MAX_VALUES: usize = 2_000_000;

/// The keywords of the chunks that hold cards, the preferred one first.
pub(super) const KEYWORDS: [&str; 2] = ["ccv3", "chara"];

/// Why a card can't be read or written.
#[derive(Debug, Error, Localize)]
pub enum CardError {
    #[text(cards_not_json, reason)]
    NotJson { reason: UiText },
    #[text(cards_not_utf8)]
    NotUtf8,
    #[text(cards_not_base64)]
    NotBase64,
    #[text(cards_too_large, max)]
    TooLarge { max: usize },
    #[text(cards_too_many_values, max)]
    TooManyValues { max: usize },
    #[text(cards_too_many_files, max)]
    TooManyFiles { max: usize },
    /// The picture or archive holds no card.
    #[text(cards_no_card)]
    NoCard,
    /// The JSON is no lorebook.
    #[text(lore_no_book)]
    NoBook,
    #[text(lore_too_many_entries, max)]
    TooManyEntries { max: usize },
    /// The JSON is something else.
    #[text(cards_no_character)]
    NoCharacter,
    /// The JSON is of SillyTavern, but no card.
    #[text(cards_other_file, kind = kind.clone())]
    OtherFile { kind: UiText },
    #[text(cards_broken_archive, reason)]
    BrokenArchive { reason: String },
    /// Another kind of picture than PNG.
    #[text(cards_not_png)]
    NotPng,
}

/// A version of the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CardVersion {
    V1,
    V2,
    #[default]
    V3,
}

impl CardVersion {
    /// As the member `spec` names it; V1 has none.
    fn spec(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::V1 => None,
            Self::V2 => Some(("chara_card_v2", "2.0")),
            Self::V3 => Some(("chara_card_v3", "3.0")),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => "V1",
            Self::V2 => "V2",
            Self::V3 => "V3",
        }
    }
}

/// What a card says of a character: the members of `data` under their names there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Character {
    pub name: String,
    pub description: String,
    pub personality: String,
    pub scenario: String,
    pub first_mes: String,
    pub mes_example: String,
    pub creator_notes: String,
    pub system_prompt: String,
    pub post_history_instructions: String,
    pub alternate_greetings: Vec<String>,
    /// As it came; [`Book`](crate::lore::Book) reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub character_book: Option<Value>,
    pub tags: Vec<String>,
    pub creator: String,
    pub character_version: String,
    pub extensions: Map<String, Value>,
    /// From here on V3.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub nickname: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub group_only_greetings: Vec<String>,
    /// All others, such as `assets` and `source`.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A character card.
///
/// ```
/// use playhouse_interop::cards::{Card, CardVersion, Character};
///
/// let mira = Character { name: "Mira".into(), ..Character::default() };
/// let png = Card::new(mira).to_png(None)?;
/// let read = Card::read(&png)?;
/// assert_eq!((read.version, &*read.character.name), (CardVersion::V3, "Mira"));
/// # Ok::<(), playhouse_interop::cards::CardError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    pub version: CardVersion,
    pub character: Character,
    /// The members beside `data`.
    pub other: Map<String, Value>,
    /// What was found besides the card: files of an archive, chunks of a picture.
    pub assets: usize,
    /// The JSON that it was read from.
    original: Option<String>,
}

impl Card {
    /// A new card, of the latest version.
    pub fn new(character: Character) -> Self {
        Self {
            character,
            ..Self::default()
        }
    }

    /// The card in a file: JSON, PNG, APNG or CHARX.
    ///
    /// # Errors
    /// It holds none, is broken, or too large.
    pub fn read(file: &[u8]) -> Result<Self, CardError> {
        let (json, assets) = json_of(file)?;
        let card = Self::from_json(&json)?;
        Ok(Self { assets, ..card })
    }

    /// Reads the JSON of a card.
    ///
    /// # Errors
    /// It is none.
    pub fn from_json(json: &str) -> Result<Self, CardError> {
        let value = parse(json)?;
        let card = Self::from_value(value)?;
        Ok(Self {
            original: Some(json.to_owned()),
            ..card
        })
    }

    fn from_value(value: Value) -> Result<Self, CardError> {
        let other_kind = other_file(&value).map(|kind| CardError::OtherFile { kind });
        let no_card = other_kind.unwrap_or(CardError::NoCharacter);
        let Value::Object(mut other) = value else {
            return Err(no_card);
        };
        let spec = other.get("spec").and_then(Value::as_str);
        let version = match spec {
            Some("chara_card_v2") => CardVersion::V2,
            Some(_) => CardVersion::V3,
            None if other.get("data").is_some_and(Value::is_object) => CardVersion::V2,
            None => CardVersion::V1,
        };
        let data = match (version, other.remove("data")) {
            (CardVersion::V1, _) => of_other_names(std::mem::take(&mut other)),
            (_, Some(Value::Object(data))) => data,
            _ => return Err(CardError::NoCharacter),
        };
        // Whatever has a name could be of V1.
        let has_texts = TEXTS.iter().any(|member| data.contains_key(*member));
        if version == CardVersion::V1 && !has_texts {
            return Err(no_card);
        }
        let data = Value::Object(fields::settled(data));
        let character = Character::deserialize(data).map_err(|_| CardError::NoCharacter)?;
        let texts = [&character.description, &character.personality];
        let says_nothing = texts.iter().all(|text| text.trim().is_empty());
        if character.name.trim().is_empty() && says_nothing {
            return Err(CardError::NoCharacter);
        }
        Ok(Self {
            version,
            character,
            other,
            assets: 0,
            original: None,
        })
    }

    /// Its JSON. One that was read and not edited is written as it came, byte for byte.
    pub fn to_json(&self) -> String {
        let original = self.original.as_deref().filter(|original| {
            let read = Self::from_json(original);
            read.is_ok_and(|read| read.is_same(self))
        });
        match original {
            Some(original) => original.to_owned(),
            None => self.to_value(self.version).to_string(),
        }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.version, &self.character, &self.other)
            == (other.version, &other.character, &other.other)
    }

    /// Its JSON as an older or newer version has it.
    fn to_value(&self, version: CardVersion) -> Value {
        let mut character = json!(self.character);
        let Some((spec, number)) = version.spec() else {
            return character;
        };
        if version == CardVersion::V3 && self.character.group_only_greetings.is_empty() {
            character["group_only_greetings"] = json!([]);
        }
        let mut members = self.other.clone();
        let is_kept = version == self.version && members.contains_key("spec");
        if !is_kept {
            members.insert("spec".into(), spec.into());
            members.insert("spec_version".into(), number.into());
        }
        members.insert("data".into(), character);
        Value::Object(members)
    }

    /// A PNG file that holds the card: this picture, or a grey pixel. Programs that know only V2
    /// find it as well.
    ///
    /// # Errors
    /// The picture is no PNG.
    pub fn to_png(&self, picture: Option<&[u8]>) -> Result<Vec<u8>, CardError> {
        let old = match self.version {
            CardVersion::V3 => self.to_value(CardVersion::V2).to_string(),
            CardVersion::V1 | CardVersion::V2 => self.to_json(),
        };
        let old = STANDARD.encode(old);
        if self.version != CardVersion::V3 {
            return png::with_texts(picture, &[("chara", &old)]);
        }
        let new = STANDARD.encode(self.to_json());
        png::with_texts(picture, &[("chara", &old), ("ccv3", &new)])
    }

    /// By which it is called: its nickname, if it has one.
    pub fn called(&self) -> &str {
        let Character { name, nickname, .. } = &self.character;
        let called = if nickname.trim().is_empty() {
            name
        } else {
            nickname
        };
        called.trim()
    }

    /// What may be read otherwise than its author meant.
    pub fn warnings(&self) -> Vec<UiText> {
        let version = self.other.get("spec_version").and_then(number);
        let newer = version.filter(|version| *version > 3.0);
        newer
            .map(|version| text!(cards_newer, version = version.to_string()))
            .into_iter()
            .collect()
    }
}

/// A file as collections of cards have them.
#[derive(Clone, Debug, PartialEq)]
pub enum CardFile {
    Card(Box<Card>),
    /// A lorebook of its own.
    Book(Value),
}

impl CardFile {
    /// The card or the lorebook in a file.
    ///
    /// # Errors
    /// It holds neither, is broken, or too large.
    pub fn read(file: &[u8]) -> Result<Self, CardError> {
        let (json, assets) = json_of(file)?;
        let value = parse(&json)?;
        if Book::is_book(&value) {
            return Ok(Self::Book(value));
        }
        let card = Card {
            assets,
            original: Some(json),
            ..Card::from_value(value)?
        };
        Ok(Self::Card(Box::new(card)))
    }
}

/// A version, which is compared as a number.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    }
}

/// The JSON that a file carries, and how many other files came with it.
pub(crate) fn json_of(file: &[u8]) -> Result<(String, usize), CardError> {
    let (bytes, assets) = if png::is_png(file) {
        (of_picture(file)?, 0)
    } else if charx::is_archive(file) {
        charx::card(file)?
    } else if is_other_picture(file) {
        return Err(CardError::NotPng);
    } else {
        (file.to_vec(), 0)
    };
    let json = String::from_utf8(bytes).map_err(|_| CardError::NotUtf8)?;
    Ok((json, assets))
}

/// Parses the JSON of a card or a book, within limits.
pub(crate) fn parse(json: &str) -> Result<Value, CardError> {
    if json.len() > MAX_JSON_BYTES {
        return Err(CardError::TooLarge {
            max: MAX_JSON_BYTES,
        });
    }
    if count_values(json.as_bytes()) > MAX_VALUES {
        return Err(CardError::TooManyValues { max: MAX_VALUES });
    }
    let json = json.trim_start_matches('\u{feff}');
    serde_json::from_str(json).map_err(|error: serde_json::Error| CardError::NotJson {
        reason: error.text(),
    })
}

/// The JSON in the chunks of a picture.
fn of_picture(picture: &[u8]) -> Result<Vec<u8>, CardError> {
    let find = |keyword: &str| {
        let mut texts = png::texts(picture);
        texts.find(|(found, _)| png::is_keyword(found, keyword))
    };
    let (_, value) = KEYWORDS
        .into_iter()
        .find_map(find)
        .ok_or(CardError::NoCard)?;
    let encoded: Vec<u8> = value
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let engine = GeneralPurpose::new(&base64::alphabet::STANDARD, lenient);
    engine.decode(encoded).map_err(|_| CardError::NotBase64)
}

fn is_other_picture(file: &[u8]) -> bool {
    let is_webp = file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WEBP");
    is_webp || file.starts_with(b"\xFF\xD8\xFF") || file.starts_with(b"GIF8")
}

/// The members of V1 beside the name.
const TEXTS: [&str; 5] = [
    "description", "personality", "scenario", "first_mes", "mes_example",
];

/// The members of the oldest cards under the names of V1.
fn of_other_names(mut members: Map<String, Value>) -> Map<String, Value> {
    for (old, new) in [
        ("char_name", "name"),
        ("char_persona", "description"),
        ("world_scenario", "scenario"),
        ("char_greeting", "first_mes"),
        ("example_dialogue", "mes_example"),
    ] {
        if !members.contains_key(new)
            && let Some(value) = members.remove(old)
        {
            members.insert(new.to_owned(), value);
        }
    }
    members
}
