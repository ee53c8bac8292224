//! A game whose rules and words were checked, ready to be played.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::WorldSeed;
use playhouse_engine::engine::{MeetSet, Setup, StepSet};
use playhouse_engine::event::guard::Guards;
use playhouse_engine::event::{Phrasebook, register_events};
use playhouse_engine::exchange::register_reply;
use playhouse_engine::journal::{GameSetup, Line};
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::message::{FoldedText, Language};
use playhouse_engine::save::Meta;
use playhouse_engine::session::{
    BatchPlan, EmbeddedFiles, EmbeddedGame, Game, SetupError, take_data, take_told,
};
use playhouse_engine::world_data::{
    DataError, DataFolder, Lexicon, Problem, Problems, Source, Word, WordPair, file_text,
};
use playhouse_story::register_picture;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ballot::Ballot;
use super::current_table::NextStep;
use super::events::EVENTS;
use super::memory::PendingSummary;
use super::phrases::prompts;
use super::picture::MatchPicture;
use super::rules::{Reflect, Rules, RulesError};
use super::secret::{Card, PrivateRecord};
use super::setup::{pick, set_up_table, update_system_messages};
use super::table::{Seat, Table};
use super::taboo::Taboo;
use super::{check, describe, flow, memory, reflect, vote};

/// The name of this game in journals and saves.
pub const GAME: &str = "undercover";

/// The maximum number of characters of a word.
const MAX_WORD_CHARS: usize = 60;
/// How many other forms and descriptions of each kind a word has at most, and the maximum length of
/// each in characters.
const MAX_TEXTS: usize = 100;
const MAX_TEXT_CHARS: usize = 400;

/// Adds the game's systems, events and saved state, except for what only some rules need.
pub fn plugin(setup: &mut Setup) {
    register_events(&mut setup.world, EVENTS);
    register_reply::<Ballot>(&mut setup.world);
    register_picture::<MatchPicture>(&mut setup.world);
    setup
        .saves()
        .component::<Table>("undercover_table")
        .component::<NextStep>("undercover_next")
        .component::<Seat>("undercover_seat")
        .component::<Card>("undercover_card")
        .component::<PrivateRecord>("undercover_confidences")
        .component::<PendingSummary>("undercover_summing_up");
    // Systems that take answers, the check, then systems that ask.
    let step = (
        describe::take_descriptions,
        vote::take_votes,
        memory::take_summaries,
        check::check_round,
        memory::ask_summaries,
        describe::ask_description,
        vote::ask_votes,
    );
    setup.step.add_systems(step.chain().in_set(StepSet::Rules));
    setup.meet.add_systems(
        (take_edits, take_told, flow::advance_games)
            .chain()
            .in_set(MeetSet::Rules),
    );
}

/// Takes over prompts that were changed while the game is played.
fn take_edits(world: &mut World) {
    take_data(world, |world, embedded: &EmbeddedMatch| {
        let game = Match::of_embedded(embedded)?;
        world.insert_resource(game.phrases);
        Ok(update_system_messages(world)?)
    });
}

/// Adds the systems that ask players for their beliefs, if the rules want them.
pub fn reflection(setup: &mut Setup) {
    let take = reflect::take_beliefs
        .after(describe::take_descriptions)
        .before(vote::take_votes);
    let ask = reflect::ask_beliefs
        .after(check::check_round)
        .before(memory::ask_summaries);
    setup.step.add_systems((take, ask).in_set(StepSet::Rules));
}

/// Why no game can be set up.
#[derive(Debug, Error, Localize)]
pub enum MatchError {
    Rules(#[from] RulesError),
    /// All mistakes in the data files.
    Data(Problems),
    /// There are more players than names.
    #[text(undercover_too_few_names, players = asked, names, file = file_text(file), ..)]
    TooFewNames {
        /// The number of players.
        asked: usize,
        names: usize,
        /// The file that lists the names.
        file: String,
    },
    /// There is no pair of words.
    #[text(undercover_no_words)]
    NoWords,
    /// Two words that a reader can't tell apart.
    #[text(undercover_equal_words, first, second)]
    EqualWords(String, String),
    #[text(undercover_bad_word)]
    BadWord {
        word: String,
        reason: UiText,
    },
    /// The setup in a journal can't be read.
    #[text(undercover_journal_setup, problem)]
    Setup(String),
    /// A journal embeds too many prompts.
    EmbeddedFiles(UiText),
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

/// Where the words of a game come from.
#[derive(Clone, Debug, Default)]
pub enum WordSource {
    /// The word lists of the data folder.
    #[default]
    Shipped,
    Custom(Lexicon),
}

/// The names in the data folder.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Table")]
struct Names {
    table: String,
    players: Vec<String>,
}

/// A game whose rules and words were checked. It can be played as often as needed.
#[derive(Clone)]
pub struct Match {
    rules: Rules,
    pairs: Vec<WordPair>,
    phrases: Phrasebook,
    fingerprint: String,
    files: EmbeddedFiles,
}

/// What a journal embeds of a game, so that it can be set up again without any file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbeddedMatch {
    rules: Rules,
    pair: WordPair,
    /// The fingerprint of the prompts.
    #[serde(default)]
    data: String,
    /// The prompts that are not as the program has them.
    #[serde(default)]
    files: EmbeddedFiles,
}

impl EmbeddedGame for EmbeddedMatch {
    const NAME: &'static str = GAME;

    fn fingerprint(&self) -> &str {
        &self.data
    }
}

/// What a batch keeps of its games.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MatchBatch {
    rules: Rules,
    pairs: Vec<WordPair>,
}

impl EmbeddedMatch {
    fn read(setup: &GameSetup) -> Result<Self, MatchError> {
        let embedded: Self = serde_path_to_error::deserialize(&setup.setup)
            .map_err(|error| MatchError::Setup(error.to_string()))?;
        embedded.check()?;
        Ok(embedded)
    }

    fn check(&self) -> Result<(), MatchError> {
        self.rules.check()?;
        check_pair(&self.pair)
    }
}

impl Match {
    pub fn new(data: &DataFolder, rules: Rules, words: WordSource) -> Result<Self, MatchError> {
        rules.check()?;
        let lexicon = match words {
            WordSource::Custom(lexicon) => lexicon,
            WordSource::Shipped => shipped_words(data, rules.language)?,
        };
        check_words(&lexicon)?;
        Self::unchecked(data, rules, lexicon.pairs)
    }

    /// The game of a journal.
    pub fn from_setup(data: &DataFolder, setup: &GameSetup) -> Result<Self, MatchError> {
        let setup = EmbeddedMatch::read(setup)?;
        Self::unchecked(data, setup.rules, vec![setup.pair])
    }

    /// The game of a journal, with the prompts of this one.
    pub(super) fn with_setup(&self, setup: &GameSetup) -> Result<Self, MatchError> {
        let setup = EmbeddedMatch::read(setup)?;
        Ok(Self {
            rules: setup.rules,
            pairs: vec![setup.pair],
            ..self.clone()
        })
    }

    /// The name of the table in the setup of a save, if it is one of this game.
    pub fn table_of(setup: &GameSetup) -> Option<String> {
        let embedded = setup.read::<EmbeddedMatch>(GAME)?;
        Some(embedded.rules.table)
    }

    /// The game with the prompts of a data folder.
    pub fn with_data(&self, data: &DataFolder) -> Result<Self, MatchError> {
        Self::unchecked(data, self.rules.clone(), self.pairs.clone())
    }

    /// The game with the prompts of this fingerprint, from what the lines of a journal keep of it;
    /// `None` if they keep none.
    pub fn embedded_in(lines: &[Line], data: &str) -> Option<Result<Self, MatchError>> {
        Some(Self::of_embedded(&EmbeddedMatch::find(lines, data)?))
    }

    /// The game of a batch, with the prompts of a data folder; `None` if it is of another game.
    pub fn of_batch(data: &DataFolder, plan: &BatchPlan) -> Option<Result<Self, MatchError>> {
        let setup = plan.setup.as_ref().filter(|setup| setup.name == GAME)?;
        let read = MatchBatch::deserialize(&setup.setup)
            .map_err(|error| MatchError::Setup(error.to_string()));
        Some(read.and_then(|MatchBatch { rules, pairs }| {
            Self::new(data, rules, WordSource::Custom(Lexicon { pairs }))
        }))
    }

    /// The game with the prompts that a journal embeds. No file is opened.
    fn of_embedded(embedded: &EmbeddedMatch) -> Result<Self, MatchError> {
        embedded.check()?;
        let data = embedded
            .files
            .folder("", &["prompts/"])
            .map_err(MatchError::EmbeddedFiles)?;
        let pairs = vec![embedded.pair.clone()];
        Self::unchecked(&data, embedded.rules.clone(), pairs)
    }

    /// A game whose rules and words are not checked.
    fn unchecked(
        data: &DataFolder,
        rules: Rules,
        pairs: Vec<WordPair>,
    ) -> Result<Self, MatchError> {
        let folder = format!("prompts/{}", rules.language.code());
        let prompts = prompts();
        let (phrases, _warnings) = prompts.load(data, &folder)?;
        let files = prompts.files(data, &folder)?;
        Ok(Self {
            fingerprint: data.fingerprint(&files)?,
            files: EmbeddedFiles::of(data, &files)?,
            rules,
            pairs,
            phrases,
        })
    }

    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The pair of words that is dealt with a seed.
    pub fn pair(&self, seed: u64) -> Option<&WordPair> {
        pick(&self.pairs, seed)
    }

    /// The words that may be dealt.
    pub fn lexicon(&self) -> Lexicon {
        Lexicon {
            pairs: self.pairs.clone(),
        }
    }

    /// The fingerprint of everything that minds read, except for the words, which the journal
    /// keeps.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

/// The default rules for a number of players, with names of the data folder.
pub fn default_rules(
    data: &DataFolder,
    language: Language,
    players: usize,
) -> Result<Rules, MatchError> {
    let path = format!("undercover/{}/table.ron", language.code());
    let text = data.read_text(&path)?;
    let mut names = Source::new(data.name_of(&path), &text)
        .read::<Names>()
        .map_err(Problems::from)?;
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
pub fn shipped_words(data: &DataFolder, language: Language) -> Result<Lexicon, MatchError> {
    let folder = format!("undercover/{}/words", language.code());
    Ok(Lexicon::load(data, &folder)?)
}

/// Checks whether words can be dealt.
pub fn check_words(lexicon: &Lexicon) -> Result<(), MatchError> {
    if lexicon.pairs.is_empty() {
        return Err(MatchError::NoWords);
    }
    lexicon.pairs.iter().try_for_each(check_pair)
}

fn check_pair(pair: &WordPair) -> Result<(), MatchError> {
    let [first, second] = pair.words();
    for word in [first, second] {
        check_word(word, pair)?;
    }
    let (first, second) = (&first.word, &second.word);
    if FoldedText::of(first) == FoldedText::of(second) {
        return Err(MatchError::EqualWords(first.clone(), second.clone()));
    }
    Ok(())
}

fn check_word(word: &Word, pair: &WordPair) -> Result<(), MatchError> {
    let refuse = |reason| {
        let word = word.word.chars().take(MAX_WORD_CHARS).collect();
        Err(MatchError::BadWord { word, reason })
    };
    let text = &word.word;
    let is_line = |text: &str, max| text.chars().take(max + 1).count() <= max;
    if !is_line(text, MAX_WORD_CHARS) || text.chars().any(char::is_control) {
        return refuse(text!(undercover_word_limit, max = MAX_WORD_CHARS));
    }
    if FoldedText::of(text).is_empty() {
        return refuse(text!(undercover_word_empty));
    }
    for texts in [&word.also, &word.own, &pair.shared] {
        let mut long = texts.iter().filter(|text| !is_line(text, MAX_TEXT_CHARS));
        if texts.len() > MAX_TEXTS || long.next().is_some() {
            let (texts, max) = (MAX_TEXTS, MAX_TEXT_CHARS);
            return refuse(text!(undercover_texts_limit, texts, max));
        }
    }
    let taboo = Taboo::new(text, &word.also);
    let said = word.own.iter().chain(&pair.shared);
    match said.into_iter().find(|text| taboo.slip(text).is_some()) {
        Some(text) => refuse(text!(undercover_word_told, text)),
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

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
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

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        let seed = setup.world.resource::<WorldSeed>().0;
        let pair = self.pair(seed).ok_or(MatchError::NoWords)?;
        set_up_table(&mut setup.world, &self.rules, pair)?;
        if let Some(game) = self.game_setup(seed) {
            setup.world.insert_resource(game);
        }
        Ok(())
    }

    fn game_setup(&self, seed: u64) -> Option<GameSetup> {
        let embedded = EmbeddedMatch {
            rules: self.rules.clone(),
            pair: self.pair(seed)?.clone(),
            data: self.fingerprint.clone(),
            files: self.files.clone(),
        };
        embedded.to_setup()
    }

    /// Its games have different words.
    fn batch_setup(&self) -> Option<GameSetup> {
        let batch = MatchBatch {
            rules: self.rules.clone(),
            pairs: self.pairs.clone(),
        };
        Some(GameSetup {
            name: GAME.into(),
            setup: serde_json::to_value(batch).ok()?,
        })
    }

    fn embedded(&self, setup: &GameSetup, data: &str) -> Option<Box<dyn Game>> {
        let embedded = EmbeddedMatch::of_setup(setup, data)?;
        Some(Box::new(Self::of_embedded(&embedded).ok()?))
    }

    /// A game keeps its rules and words, and takes other prompts over.
    fn adapt(&self, _world: &mut World) -> Result<Vec<UiText>, Option<SetupError>> {
        Ok(vec![text!(session_changed_prompts)])
    }
}
