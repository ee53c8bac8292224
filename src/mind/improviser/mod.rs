//! The embedded default mind: no model, no network, no key.
//!
//! It answers from the prompt alone: the notes say what the prompt says in a form that it can read,
//! grammars in `data/improviser/` give it words in the language of the world, and whatever JSON is
//! asked for is filled by its schema. Equal prompts get equal answers. Start reading at
//! [`Improviser`]; then `tools`, `prose`, `plan` and `hand` know the purposes of the campaign, `undercover` plays
//! the social game, `chat` those of group chats, `writer` turns
//! facts into sentences that nobody said before, `grammar` reads the files, and `schema` fills what no
//! purpose knows.

mod chance;
mod chat;
mod evidence;
mod grammar;
mod hand;
mod kept;
mod limit;
mod memory;
mod names;
mod narrate;
mod notes;
mod plan;
mod prose;
mod schema;
mod tools;
mod undercover;
mod writer;

#[cfg(test)]
mod tests;

pub use grammar::{GrammarError, GrammarErrors};

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::{Answering, Completion, Form, Language, Mind, MindInfo, Prompt};
use chance::{SplitMix64, hash, mix};
use grammar::{Grammar, load};
use memory::{Memory, Sentences};
use names::{Fact, Root};
use notes::Notes;
use undercover::{Lore, Senses, Vocabulary};
use writer::{Share, Writer};

use crate::world_data::{DataFolder, Lexicon};

const NAME: &str = "improviser";

macro_rules! embedded {
    ($language:literal: $($file:literal)*) => {
        &[$((
            concat!("improviser/", $language, "/", $file),
            include_str!(concat!("../../../data/improviser/", $language, "/", $file)),
        ),)*]
    };
}

const ENGLISH: &[(&str, &str)] = embedded!("en": "any.ron" "archive.ron" "chat.ron" "combat.ron" "home.ron" "kickoff.ron" "undercover.ron");
const CHINESE: &[(&str, &str)] = embedded!("zh": "any.ron" "archive.ron" "chat.ron" "combat.ron" "home.ron" "kickoff.ron" "undercover.ron");

/// The mind that improvises: instant, free, seeded, and no language model. Clones share what they read.
#[derive(Clone)]
pub struct Improviser {
    info: MindInfo,
    english: Spoken,
    chinese: Spoken,
    read: Arc<Sentences>,
    senses: Arc<Senses>,
}

/// One language's grammar, what it says about itself, and the words that it knows.
#[derive(Clone)]
struct Spoken {
    grammar: Arc<Grammar>,
    introduction: Arc<str>,
    language: Language,
    /// Words that a game brought along; they come first.
    lent: Arc<Vocabulary>,
    /// Read when the first game needs it.
    shipped: Arc<OnceLock<Vocabulary>>,
}

impl Spoken {
    fn new(language: Language, layers: &[&[(&str, &str)]]) -> Result<Self, GrammarErrors> {
        let grammar = load(layers)?;
        let introduction = grammar
            .words(Root::Introduction)
            .next()
            .unwrap_or_default()
            .into();
        Ok(Self {
            grammar: Arc::new(grammar),
            introduction,
            language,
            lent: Arc::default(),
            shipped: Arc::default(),
        })
    }

    fn vocabularies(&self) -> [&Vocabulary; 2] {
        let shipped = self.shipped.get_or_init(|| {
            let folder = format!("undercover/{}/words", self.language.code());
            let shipped = Lexicon::load(&DataFolder::embedded(), &folder);
            // A test reads the lists that come with the program.
            Vocabulary::of(&shipped.unwrap_or_default())
        });
        [&self.lent, shipped]
    }
}

impl Improviser {
    /// The improviser with the grammars that come with the program.
    ///
    /// # Errors
    /// Never with the grammars as they are; a mistake in them, with file and line.
    pub fn new() -> Result<Self, GrammarErrors> {
        Ok(Self {
            info: MindInfo::embedded(NAME),
            english: Spoken::new(Language::En, &[ENGLISH])?,
            chinese: Spoken::new(Language::Zh, &[CHINESE])?,
            read: Arc::default(),
            senses: Arc::default(),
        })
    }

    /// The improviser with a writer's own grammar files for one language, as name and text. A symbol
    /// that they define takes the place of the built-in one; all others stay.
    ///
    /// # Errors
    /// Every mistake in the files, with file and line.
    pub fn from_texts(language: Language, texts: &[(&str, &str)]) -> Result<Self, GrammarErrors> {
        let mut improviser = Self::new()?;
        match language {
            Language::En => improviser.english = Spoken::new(language, &[ENGLISH, texts])?,
            Language::Zh => improviser.chinese = Spoken::new(language, &[CHINESE, texts])?,
        }
        Ok(improviser)
    }

    /// As [`Self::from_texts`], with every `.ron` file of a folder.
    ///
    /// # Errors
    /// Every mistake in the files, and those that can't be read.
    pub fn from_folder(folder: &Path, language: Language) -> Result<Self, GrammarErrors> {
        let files = read_folder(folder)?;
        let texts = files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()));
        let texts: Vec<_> = texts.collect();
        Self::from_texts(language, &texts)
    }

    /// The same improviser, knowing what can be said of these words of a language too.
    #[must_use]
    pub fn knowing(mut self, language: Language, words: &Lexicon) -> Self {
        let spoken = match language {
            Language::En => &mut self.english,
            Language::Zh => &mut self.chinese,
        };
        spoken.lent = Arc::new(Vocabulary::of(words));
        // Whoever knows more makes something else of what it hears.
        self.senses = Arc::default();
        self
    }

    /// What it says about itself before a story begins: that it is no language model.
    pub fn introduction(&self, language: Language) -> &str {
        &self.spoken(language).introduction
    }

    fn spoken(&self, language: Language) -> &Spoken {
        match language {
            Language::En => &self.english,
            Language::Zh => &self.chinese,
        }
    }

    /// The answer itself, or calls of tools first; a pure function of the prompt.
    fn improvise(&self, prompt: &Prompt<'_>) -> Completion {
        let mut notes = Notes::read(prompt.notes());
        notes.found = tools::found(prompt);
        let mut writer = self.writer(prompt, &notes);
        if !prompt.tools.specs.is_empty() {
            let calls = tools::calls(prompt, &notes, &mut writer);
            if !calls.is_empty() {
                return Completion::calling(NAME, calls);
            }
        }
        let lore = || Lore {
            words: self.spoken(prompt.language).vocabularies(),
            senses: &self.senses,
        };
        let text = match prompt.form {
            Form::Prose { .. } => {
                let text = match prompt.purpose {
                    "undercover.describe" => {
                        undercover::describe(prompt, &notes, &lore(), &mut writer)
                    }
                    "undercover.summary" => {
                        undercover::sum_up(prompt, &notes, &lore(), &mut writer)
                    }
                    purpose => prose::write(purpose, &notes, &mut writer),
                };
                limit::fit_question(prompt, text)
            }
            Form::Json { narrowed, .. } => {
                let answer = match prompt.purpose {
                    "home.plan" => plan::plan(prompt, narrowed, &notes, &mut writer),
                    "combat.draw" => hand::hand(&notes, &mut writer),
                    "undercover.vote" => undercover::vote(prompt, &notes, &lore(), &mut writer),
                    "undercover.belief" => {
                        undercover::believe(prompt, &notes, &lore(), &mut writer)
                    }
                    _ => chat::answer(prompt, narrowed, &notes, &mut writer),
                };
                // A schema that is stricter than the purpose lets us expect has the last word.
                let answer = answer.filter(|answer| schema::accepts(narrowed, answer));
                let answer: Value = answer.unwrap_or_else(|| schema::fill(narrowed, &mut writer));
                serde_json::to_string(&answer).unwrap_or_default()
            }
        };
        Completion::instant(NAME, text)
    }

    fn writer<'a>(&'a self, prompt: &Prompt<'a>, notes: &'a Notes) -> Writer<'a> {
        let grammar = &self.spoken(prompt.language).grammar;
        let times = [notes.day, notes.round].map(u64::from);
        let scene = mix(&[hash(prompt.purpose), hash(&notes.place), times[0], times[1]]);
        // After calls of tools it goes on in other words, too.
        let rounds = prompt.rounds.len() as u64;
        let seed = mix(&[
            prompt.seed,
            hash(prompt.entity),
            hash(prompt.purpose),
            rounds,
        ]);
        let share = Share::among(prompt.entity, notes.group(), scene);
        let memory = Memory::of(prompt, &self.read);
        let mut writer = Writer::new(
            grammar,
            prompt.language,
            SplitMix64::new(seed),
            memory,
            share,
        );
        introduce(prompt, notes, &mut writer);
        writer
    }
}

/// What is known in every prompt: who and where one is, the day, one's temper, what the place is like.
fn introduce<'a>(prompt: &Prompt<'a>, notes: &'a Notes, writer: &mut Writer<'a>) {
    let me = if notes.me.is_empty() {
        &**prompt.entity
    } else {
        &notes.me
    };
    writer.set(Fact::Me, me);
    let is_place = notes.place.is_empty() && notes.kind == "stage";
    writer.set(Fact::Place, if is_place { me } else { &notes.place });
    writer.set(Fact::Day, limit::number_word(prompt.language, notes.day));
    let tempers = [Fact::Blunt, Fact::Dreamy, Fact::Wry, Fact::Solemn];
    if let Some(temper) = SplitMix64::new(hash(me)).pick(&tempers) {
        writer.flag(*temper, true);
    }
    if notes.kind == "stage" {
        look_around(notes, writer);
    }
    let mut hostile = writer.grammar.words(Root::HostileCamp);
    let hostile = hostile.any(|word| notes.camp.to_lowercase() == word);
    writer.flag(Fact::Hostile, hostile);
    for line in &notes.heard {
        writer.memory.keep(&line.text);
    }
}

/// What a place is like, by the words in its name and description.
fn look_around(notes: &Notes, writer: &mut Writer<'_>) {
    let told = [&notes.profile, &notes.me, &notes.place].map(|text| text.to_lowercase());
    let topics = [
        (Root::TopicWater, Fact::Water),
        (Root::TopicWood, Fact::Wood),
        (Root::TopicDeep, Fact::Deep),
        (Root::TopicHearth, Fact::Hearth),
        (Root::TopicShrine, Fact::Shrine),
        (Root::TopicMarket, Fact::Market),
        (Root::TopicHeight, Fact::Height),
    ];
    for (root, fact) in topics {
        let mut words = writer.grammar.words(root);
        let named = words.any(|word| told.iter().any(|text| text.contains(word)));
        writer.flag(fact, named);
    }
}

impl Mind for Improviser {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let said = self.improvise(prompt);
        let stream = prompt.stream.cloned();
        Box::pin(async move {
            if let Some(stream) = stream {
                stream.say(&said.text);
            }
            Ok(said)
        })
    }
}

/// The `.ron` files of a folder by name, in the order of their names.
fn read_folder(folder: &Path) -> Result<Vec<(String, String)>, GrammarErrors> {
    let wrong = |path: &Path, error: std::io::Error| {
        let mistake = format!("can't be read: {error}");
        GrammarErrors(vec![GrammarError::new(
            &path.display().to_string(),
            0,
            mistake,
        )])
    };
    let entries = std::fs::read_dir(folder).map_err(|error| wrong(folder, error))?;
    let paths: Result<Vec<_>, _> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    let mut paths = paths.map_err(|error| wrong(folder, error))?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "ron"));
    paths.sort();
    let read = |path: &std::path::PathBuf| match std::fs::read_to_string(path) {
        Ok(text) => Ok((path.display().to_string(), text)),
        Err(error) => Err(wrong(path, error)),
    };
    paths.iter().map(read).collect()
}
