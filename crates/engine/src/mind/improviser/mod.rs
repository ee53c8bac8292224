//! The embedded default mind: no model, no network, no key.
//!
//! It answers from the prompt alone: the notes say what the prompt says in a form that it can read,
//! grammars give it words in the language of the world, and whatever JSON is asked for is filled by
//! its schema. Equal prompts get equal answers.
//!
//! By itself it calls tools and answers any question somehow. A game teaches it the rest: see
//! [`Lessons`], and `docs/improviser.md`.
//!
//! Start reading at [`Improviser`] and `lessons.rs`; then `writer` turns facts into sentences that
//! nobody said before, `grammar` reads the files, `tools` and `evidence` decide which tools are
//! called, and `schema` fills what no skill answers.

pub mod cache;
mod evidence;
mod grammar;
mod lessons;
mod limit;
mod memory;
mod schema;
mod tools;
pub mod wording;
mod writer;

#[cfg(test)]
mod tests;

pub use grammar::{GrammarError, GrammarErrors};
pub use lessons::{ImproviserSkill, Lessons};
pub use limit::fit_question;
pub use tools::found;
pub use writer::Writer;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::splitmix::{SplitMix64, hash, mix};
use super::{AnswerForm, Answering, Completion, Language, Mind, MindInfo, Notes, Prompt};
use crate::world_data::DataFolder;
use grammar::Grammar;
use lessons::Skills;
use limit::number_word;
use memory::{Memory, Sentences};
use writer::Share;

const NAME: &str = "improviser";

/// The way of speaking of each name.
const TEMPERS: [&str; 4] = ["blunt", "dreamy", "wry", "solemn"];
/// What is known in every prompt, as far as its notes say it: who and where one is, the day.
const FACTS: &[&str] = &["me", "place", "day"];
/// The symbols that need no game, each with the facts that always come with it.
const SYMBOLS: &[(&str, &[&str])] = &[
    ("introduction", &[]),
    ("tools.idle", &[]),
    ("generic", &[]),
    ("generic.more", &[]),
    ("label", &[]),
];

/// The skill for a purpose that no game has taught: the grammars for any question answer.
struct Untaught;

impl ImproviserSkill for Untaught {
    fn answer<'a>(&self, _: &Prompt<'a>, _: &mut Writer<'a>) -> Option<Value> {
        None
    }
}

/// The mind that improvises: instant, free, seeded, and no language model. Clones share what they
/// read.
#[derive(Clone)]
pub struct Improviser {
    info: MindInfo,
    english: Arc<Grammar>,
    chinese: Arc<Grammar>,
    skills: Arc<Skills>,
    read: Arc<Sentences>,
}

impl Improviser {
    /// An improviser that no game has taught.
    ///
    /// # Errors
    /// Never with the grammars that come with the program.
    pub fn new() -> Result<Self, GrammarErrors> {
        Self::taught(|_| ())
    }

    /// An improviser that games have taught, each by a function of its own, such as
    /// `rpg::improviser::teach`.
    pub fn taught(teach: impl FnOnce(&mut Lessons)) -> Result<Self, GrammarErrors> {
        Self::taught_from(&DataFolder::embedded(), teach)
    }

    /// As [`Self::taught`], with the grammars of a data folder, which lies over those of the
    /// program file by file.
    pub fn taught_from(
        data: &DataFolder,
        teach: impl FnOnce(&mut Lessons),
    ) -> Result<Self, GrammarErrors> {
        let mut lessons = Lessons::from_data(data);
        lessons.facts(FACTS).facts(&TEMPERS);
        for (symbol, given) in SYMBOLS {
            lessons.symbol(symbol, given);
        }
        lessons.shipped(&["any"]);
        teach(&mut lessons);
        let read = |language| lessons.grammar_of(language).map(Arc::new);
        Ok(Self {
            info: MindInfo::embedded(NAME),
            english: read(Language::En)?,
            chinese: read(Language::Zh)?,
            skills: Arc::new(lessons.skills),
            read: Arc::default(),
        })
    }

    /// The same improviser with another skill for a purpose. The skill may use what lessons
    /// declared.
    #[must_use]
    pub fn with_skill(
        mut self,
        purpose: impl Into<Cow<'static, str>>,
        skill: impl ImproviserSkill + 'static,
    ) -> Self {
        Arc::make_mut(&mut self.skills).insert(purpose.into(), Arc::new(skill));
        self
    }

    /// What it says about itself before a story begins: that it is not a language model.
    pub fn introduction(&self, language: Language) -> &str {
        let mut texts = self.grammar(language).words("introduction");
        texts.next().unwrap_or_default()
    }

    fn grammar(&self, language: Language) -> &Grammar {
        match language {
            Language::En => &self.english,
            Language::Zh => &self.chinese,
        }
    }

    /// The answer itself, or calls of tools first; a pure function of the prompt.
    fn improvise(&self, prompt: &Prompt<'_>) -> Completion {
        let taught = self.skills.get(prompt.purpose);
        let skill = taught.map_or(&Untaught as &dyn ImproviserSkill, |skill| &**skill);
        let mut writer = self.writer(prompt, skill);
        if !prompt.tools.specs.is_empty() {
            let calls = tools::calls(prompt, skill, &mut writer);
            if !calls.is_empty() {
                return Completion::calling(NAME, calls);
            }
        }
        let answer = skill.answer(prompt, &mut writer);
        let text = match (prompt.form, answer) {
            (AnswerForm::Prose { .. }, Some(Value::String(text))) => text,
            (AnswerForm::Prose { .. }, _) => fit_question(prompt, writer.anything()),
            (AnswerForm::Json { constrained, .. }, answer) => {
                // A schema that is stricter than the skill expects has the last word.
                let answer = answer
                    .filter(|answer| schema::accepts(constrained, answer))
                    .or_else(|| skill.refrain())
                    .unwrap_or_else(|| schema::fill(constrained, &mut writer));
                serde_json::to_string(&answer).unwrap_or_default()
            }
        };
        Completion::instant(NAME, text)
    }

    fn writer<'a>(&'a self, prompt: &Prompt<'a>, skill: &dyn ImproviserSkill) -> Writer<'a> {
        let notes = Notes::of(prompt);
        let [day, round] = ["day", "round"].map(|time| count(notes.number(time)));
        let times = [day, round].map(u64::from);
        let scene = mix(&[
            prompt.story_seed,
            hash(prompt.purpose),
            hash(notes.text("place")),
            times[0],
            times[1],
        ]);
        // After calls of tools it continues in other words, too.
        let rounds = prompt.rounds.len() as u64;
        let seed = mix(&[
            prompt.seed,
            hash(prompt.entity),
            hash(prompt.purpose),
            rounds,
        ]);
        let mut writer = Writer::new(
            self.grammar(prompt.language),
            prompt.language,
            SplitMix64::new(seed),
            Memory::of(prompt, &self.read),
            Share::among(prompt.entity, skill.scene(prompt), scene),
        );
        let me = match notes.text("me") {
            "" => &**prompt.entity,
            me => me,
        };
        writer.set("me", me);
        writer.set("place", notes.text("place"));
        writer.set("day", number_word(prompt.language, day));
        if let Some(temper) = SplitMix64::new(hash(me)).pick(&TEMPERS) {
            writer.flag(temper, true);
        }
        let speaker = notes.object("speaker");
        writer.speaks_among(me, &speaker.texts("cast"));
        writer.never_say(&speaker.texts("never"));
        for line in notes.list("heard") {
            writer.avoid(line.text("text"));
        }
        writer
    }
}

/// A number of notes that counts something, from 1.
fn count(number: i64) -> u32 {
    u32::try_from(number).unwrap_or_default()
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
