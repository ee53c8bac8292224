//! How a game teaches the improviser: skills by the purposes of its asks, the grammars with which
//! they write, and the names that these may use.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::grammar::{DeclaredNames, Grammar, GrammarError, GrammarErrors, load};
use super::writer::Writer;
use crate::locale::Localize;
use crate::mind::{Language, Notes, Prompt};
use crate::world_data::{DataError, DataFolder};

/// How the improviser answers asks of one purpose. A function of a prompt and a writer is one.
pub trait ImproviserSkill: Send + Sync {
    /// The answer: a text if prose is wanted, else a value of the schema. `None`, and a value that
    /// the schema refuses, leave it to [`Self::refrain`].
    fn answer<'a>(&self, prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value>;

    /// The value by which nothing is done, where the answer is not possible. If there is none, the
    /// grammars for any question answer.
    fn refrain(&self) -> Option<Value> {
        None
    }

    /// The names of those who are asked in the same scene. They know each other, so that each takes
    /// sentences of its own.
    fn scene<'a>(&self, prompt: &Prompt<'a>) -> Vec<&'a str> {
        let notes = Notes::of(prompt);
        let mut names = notes.texts("companions");
        names.extend(notes.names("present"));
        names
    }

    /// What it may ask a tool about, most interesting first.
    fn subjects<'a>(&self, prompt: &Prompt<'a>) -> Vec<&'a str> {
        let place = Notes::of(prompt).text("place");
        Vec::from_iter((!place.is_empty()).then_some(place))
    }

    /// Whether it calls the tools for which what others said gives the arguments, as in a group
    /// chat.
    fn calls_what_is_spoken_of(&self) -> bool {
        false
    }
}

impl<F> ImproviserSkill for F
where
    F: for<'a> Fn(&Prompt<'a>, &mut Writer<'a>) -> Option<Value> + Send + Sync,
{
    fn answer<'a>(&self, prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
        self(prompt, writer)
    }
}

/// The skills of an improviser, by purpose.
pub(super) type Skills = BTreeMap<Cow<'static, str>, Arc<dyn ImproviserSkill>>;

/// The text of a grammar file with its language and name.
type GrammarText = (Language, Cow<'static, str>, Cow<'static, str>);

/// What an improviser is taught before it plays.
#[derive(Default)]
pub struct Lessons {
    pub(super) skills: Skills,
    names: DeclaredNames,
    grammars: Vec<GrammarText>,
    replacements: Vec<GrammarText>,
    /// Where the grammars of the program are read from.
    data: DataFolder,
    /// Files that could not be read.
    errors: Vec<GrammarError>,
}

impl Lessons {
    /// Lessons whose [shipped](Self::shipped) grammars are read from a data folder.
    pub(super) fn from_data(data: &DataFolder) -> Self {
        Self {
            data: data.clone(),
            ..Self::default()
        }
    }

    /// Teaches how to answer asks of a purpose. A later skill replaces an earlier one.
    pub fn skill(
        &mut self,
        purpose: impl Into<Cow<'static, str>>,
        skill: impl ImproviserSkill + 'static,
    ) -> &mut Self {
        self.skills.insert(purpose.into(), Arc::new(skill));
        self
    }

    /// Declares facts: what grammars may use as `{fact}` and `[fact]`. Games may share a fact.
    pub fn facts(&mut self, names: &[&str]) -> &mut Self {
        self.names.add_facts(names);
        self
    }

    /// Declares a symbol that skills write with, and the facts that they always set before. Each
    /// language needs the symbol, with an alternative that can be said with these facts.
    pub fn symbol(&mut self, name: &str, given: &[&str]) -> &mut Self {
        self.names.add_root(name, given);
        self
    }

    /// Adds a grammar file. `name` is used in errors.
    pub fn grammar(
        &mut self,
        language: Language,
        name: impl Into<Cow<'static, str>>,
        text: impl Into<Cow<'static, str>>,
    ) -> &mut Self {
        self.grammars.push((language, name.into(), text.into()));
        self
    }

    /// Adds a grammar file of a writer's own: its symbols replace those of the same name.
    pub fn replacement(
        &mut self,
        language: Language,
        name: impl Into<Cow<'static, str>>,
        text: impl Into<Cow<'static, str>>,
    ) -> &mut Self {
        self.replacements.push((language, name.into(), text.into()));
        self
    }

    /// As [`Self::replacement`], with every `.ron` file of a folder.
    pub fn replacements(&mut self, language: Language, folder: &Path) -> &mut Self {
        let read = DataFolder::at(folder).and_then(|files| {
            for name in files.list("")? {
                if name.ends_with(".ron") {
                    let shown = folder.join(&name).display().to_string();
                    self.replacement(language, shown, files.read_text(&name)?);
                }
            }
            Ok(())
        });
        if let Err(error) = read {
            self.unreadable(&folder.display().to_string(), &error);
        }
        self
    }

    /// Adds the files `improviser/LANGUAGE/NAME.ron` of both languages. The data folder lies over
    /// those within the program file by file.
    pub fn shipped(&mut self, names: &[&str]) -> &mut Self {
        for language in [Language::En, Language::Zh] {
            for name in names {
                let path = format!("improviser/{}/{name}.ron", language.code());
                match self.data.read_text(&path) {
                    Ok(text) => {
                        self.grammar(language, self.data.name_of(&path), text);
                    }
                    Err(error) => self.unreadable(&path, &error),
                }
            }
        }
        self
    }

    /// The checked grammar of a language.
    pub(super) fn grammar_of(&self, language: Language) -> Result<Grammar, GrammarErrors> {
        if !self.errors.is_empty() {
            return Err(GrammarErrors(self.errors.clone()));
        }
        let layers = [&self.grammars, &self.replacements].map(|texts| {
            let own = texts.iter().filter(|(other, ..)| *other == language);
            own.map(|(_, name, text)| (&**name, &**text)).collect()
        });
        let whole = format!("improviser/{}", language.code());
        load(&whole, &self.names, layers)
    }

    fn unreadable(&mut self, file: &str, error: &DataError) {
        self.errors.push(GrammarError::of_whole(file, error.text()));
    }
}
