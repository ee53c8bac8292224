//! One game, set up and checked, ready to be played as often as needed.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::phrases::PROMPTS;
use super::rules::{Reflect, Rules, RulesError};
use super::seats::{pick, take_seats};
use super::taboo::Taboo;
use super::{plugin, reflection};
use crate::cast::WorldSeed;
use crate::engine::Setup;
use crate::event::Phrasebook;
use crate::event::guard::Guards;
use crate::journal::GameSetup;
use crate::locale::UiText;
use crate::message::{FoldedText, Language};
use crate::save::Meta;
use crate::session::Game;
use crate::world_data::{
    DataError, DataFolder, Lexicon, Problem, Problems, Source, Templates, Word, WordPair,
};

/// The name of this game in journals and saves.
pub const GAME: &str = "undercover";

/// The longest word, in characters.
const LONGEST_WORD: usize = 60;

/// Why no game can be set up.
#[derive(Debug, Error)]
pub enum MatchError {
    /// The rules make no game.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// Files hold mistakes; all of them.
    #[error("{0}")]
    Data(Problems),
    /// More players than there are names.
    #[error("there are names for at most {names} players, not {asked}; add names to {file}")]
    TooFewNames {
        /// How many players were asked for.
        asked: usize,
        /// How many names there are.
        names: usize,
        /// Where they stand.
        file: String,
    },
    /// There is no pair of words.
    #[error("there is no pair of words; write A,B or name a word file")]
    NoWords,
    /// Two words that a reader takes for one.
    #[error("the words '{0}' and '{1}' are the same; two neighbours must differ")]
    EqualWords(String, String),
    /// Something that can't be a word.
    #[error("'{word}' can't be a word: {reason}")]
    BadWord {
        /// The word.
        word: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A journal's set-up that can't be read.
    #[error("the set-up of the game in the journal can't be read: {0}")]
    Setup(String),
}

impl From<Problems> for MatchError {
    fn from(problems: Problems) -> Self {
        Self::Data(problems)
    }
}

impl From<DataError> for MatchError {
    fn from(error: DataError) -> Self {
        Self::Data(Problem::from(error).into())
    }
}

/// Which words may be dealt.
#[derive(Clone, Debug, Default)]
pub enum Words {
    /// Those of the data folder.
    #[default]
    OfData,
    /// These.
    These(Lexicon),
}

/// The names in the data folder.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Table")]
struct Names {
    /// The table.
    table: String,
    /// The players.
    players: Vec<String>,
}

/// One game, set up and checked.
#[derive(Clone)]
pub struct Match {
    rules: Rules,
    pairs: Vec<WordPair>,
    phrases: Phrasebook,
    fingerprint: String,
}

/// What a journal keeps of a game, so that it can be set up again.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    rules: Rules,
    pair: WordPair,
}

impl Kept {
    fn of(setup: &GameSetup) -> Result<Self, MatchError> {
        let kept = serde_path_to_error::deserialize(&setup.setup);
        let kept: Self = kept.map_err(|error| MatchError::Setup(error.to_string()))?;
        kept.rules.check()?;
        Ok(kept)
    }
}

impl Match {
    /// A game by these rules.
    ///
    /// # Errors
    /// Rules or words make no game, or files hold mistakes.
    pub fn new(data: &DataFolder, rules: Rules, words: Words) -> Result<Self, MatchError> {
        rules.check()?;
        let lexicon = match words {
            Words::These(lexicon) => lexicon,
            Words::OfData => shipped_words(data, rules.language)?,
        };
        check_words(&lexicon)?;
        Self::unchecked(data, rules, lexicon.pairs)
    }

    /// The game of a journal.
    ///
    /// # Errors
    /// The set-up can't be read, or files hold mistakes.
    pub fn of_setup(data: &DataFolder, setup: &GameSetup) -> Result<Self, MatchError> {
        let kept = Kept::of(setup)?;
        Self::unchecked(data, kept.rules, vec![kept.pair])
    }

    /// The game of a journal, with the prompts of this one.
    pub(super) fn another(&self, setup: &GameSetup) -> Result<Self, MatchError> {
        let kept = Kept::of(setup)?;
        Ok(Self {
            rules: kept.rules,
            pairs: vec![kept.pair],
            phrases: self.phrases.clone(),
            fingerprint: self.fingerprint.clone(),
        })
    }

    /// A game by rules that are taken as they are.
    pub(super) fn unchecked(
        data: &DataFolder,
        rules: Rules,
        pairs: Vec<WordPair>,
    ) -> Result<Self, MatchError> {
        let folder = format!("prompts/{}", rules.language.code());
        let templates = Templates::load_declared(data, &folder, PROMPTS)?;
        let problems = templates.check(PROMPTS);
        let (phrases, _) = problems.unless_errors(Phrasebook::from(templates))?;
        let files = Templates::files_of(data, &folder, PROMPTS)?;
        Ok(Self {
            fingerprint: data.fingerprint(&files)?,
            rules,
            pairs,
            phrases,
        })
    }

    /// How the game is set up.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The pair of words that a seed deals.
    pub fn pair(&self, seed: u64) -> Option<&WordPair> {
        pick(&self.pairs, seed)
    }

    /// The words that may be dealt.
    pub fn lexicon(&self) -> Lexicon {
        Lexicon {
            pairs: self.pairs.clone(),
        }
    }

    /// The fingerprint of everything a mind reads but the words, which a journal keeps itself.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

/// The usual rules for so many players, with names of the data folder.
///
/// # Errors
/// There are fewer names, or their file holds mistakes.
pub fn usual_rules(
    data: &DataFolder,
    language: Language,
    players: usize,
) -> Result<Rules, MatchError> {
    let path = format!("undercover/{}/table.ron", language.code());
    let text = data.read_text(&path)?;
    let names = Source::new(data.name_of(&path), &text).read::<Names>();
    let mut names = names.map_err(Problems::from)?;
    if names.players.len() < players {
        return Err(MatchError::TooFewNames {
            asked: players,
            names: names.players.len(),
            file: data.name_of(&path),
        });
    }
    names.players.truncate(players);
    Ok(Rules::new(language, names.table, names.players))
}

/// The word list of the data folder.
///
/// # Errors
/// Every mistake in it.
pub fn shipped_words(data: &DataFolder, language: Language) -> Result<Lexicon, MatchError> {
    let folder = format!("undercover/{}/words", language.code());
    Ok(Lexicon::load(data, &folder)?)
}

/// Whether words can be dealt.
///
/// # Errors
/// The first that can't.
pub fn check_words(lexicon: &Lexicon) -> Result<(), MatchError> {
    if lexicon.pairs.is_empty() {
        return Err(MatchError::NoWords);
    }
    for pair in &lexicon.pairs {
        let [one, other] = pair.words();
        for word in [one, other] {
            check_word(word, pair)?;
        }
        if FoldedText::skeleton(&one.word) == FoldedText::skeleton(&other.word) {
            return Err(MatchError::EqualWords(one.word.clone(), other.word.clone()));
        }
    }
    Ok(())
}

fn check_word(word: &Word, pair: &WordPair) -> Result<(), MatchError> {
    let bad = |reason: String| {
        let word = word.word.chars().take(LONGEST_WORD).collect();
        Err(MatchError::BadWord { word, reason })
    };
    let text = &word.word;
    if FoldedText::of(text).is_empty() {
        return bad("it has no letters".into());
    }
    if text.chars().count() > LONGEST_WORD || text.chars().any(char::is_control) {
        return bad(format!(
            "a word has at most {LONGEST_WORD} characters on one line"
        ));
    }
    let taboo = Taboo::new(text, &word.also);
    let said = word.own.iter().chain(&pair.shared);
    match said.into_iter().find(|text| taboo.slip(text).is_some()) {
        Some(text) => bad(format!("what is said of it says it: '{text}'")),
        None => Ok(()),
    }
}

impl Game for Match {
    fn meta(&self) -> Meta {
        Meta {
            world: GAME.into(),
            data: self.fingerprint.clone(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, UiText> {
        let mut setup = Setup::new(seed);
        setup.world.insert_resource(self.phrases.clone());
        setup.world.insert_resource(self.rules.language);
        setup.world.insert_resource(self.rules.clone());
        let limit = 2 * self.rules.description_chars;
        setup
            .world
            .insert_resource(Guards::built_in(limit, Vec::new()));
        setup.plugin(plugin);
        if self.rules.reflect != Reflect::Off {
            setup.plugin(reflection);
        }
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), UiText> {
        let seed = setup.world.resource::<WorldSeed>().0;
        let pair = self
            .pair(seed)
            .ok_or_else(|| MatchError::NoWords.to_string())?;
        take_seats(&mut setup.world, &self.rules, pair)?;
        Ok(())
    }

    fn game_setup(&self, seed: u64) -> Option<GameSetup> {
        let kept = Kept {
            rules: self.rules.clone(),
            pair: self.pair(seed)?.clone(),
        };
        Some(GameSetup {
            name: GAME.into(),
            setup: serde_json::to_value(kept).ok()?,
        })
    }
}
