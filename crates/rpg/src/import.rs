//! Characters of cards become actors of a world.
//!
//! [`Cast::into_world`] adds them to the text of a world file, whose comments and order stay, and
//! gives the files of their lorebooks. Nothing is written here. Start reading at [`Cast`].

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::knowledge::{Fact, KnownBy};
use playhouse_engine::locale::{Language, Localize, UiText, text};
use playhouse_engine::wording::fold_name;
use playhouse_engine::world_data::{Problems, Source, as_read};
use playhouse_interop::cards::{Card, Character, Fate, Row, Taken, Taking, clean_name};
use playhouse_interop::lore::Book;
use serde_json::Value;
use thiserror::Error;

use super::draft::write::{self, item_text, ron_text};
use super::lore::FOLDER;
use super::world_file::{Actor, ActorFaction, Past, ROLES, StageKind, Voice, WorldFile};

/// How many entries of a lorebook are named that are not as their author meant them.
const MAX_WARNINGS: usize = 50;

/// Why characters can't be added to a world.
#[derive(Debug, Error, Localize)]
pub enum ImportError {
    /// All mistakes in its file, or in what it would be with them.
    World(Problems),
    #[text(rpg_import_no_stage)]
    NoStage,
    /// It has no list of actors to which they could be added.
    #[text(rpg_import_no_list)]
    NoList,
}

impl From<Problems> for ImportError {
    fn from(problems: Problems) -> Self {
        Self::World(problems)
    }
}

/// Characters who come into a world.
#[derive(Debug, Default)]
pub struct Cast {
    /// Cards, each with the name of its file.
    pub cards: Vec<(String, Card)>,
    /// Lorebooks that all of them have, each with the name of its file.
    pub books: Vec<(String, Value)>,
    /// Somebody whom a person plays, if that is none of them.
    pub person: Option<String>,
    /// For what is random in their texts.
    pub seed: u64,
}

/// What became of a card, or of something else.
#[derive(Debug, Default)]
pub struct Report {
    pub file: String,
    /// The name of the actor, if it is about one.
    pub actor: String,
    pub rows: Vec<Row>,
}

impl Report {
    pub fn add(&mut self, fate: Fate, field: impl Into<String>, note: UiText) {
        let field = field.into();
        self.rows.push(Row { field, fate, note });
    }
}

/// A world with characters who have come into it.
#[derive(Debug, Default)]
pub struct Imported {
    /// The text of its files.
    pub world: Source,
    /// The texts of lorebooks, by path beside it.
    pub books: BTreeMap<String, String>,
    pub reports: Vec<Report>,
}

/// The text of a world in which characters can meet.
pub fn meeting(language: Language) -> &'static str {
    match language {
        Language::En => include_str!("world_file/samples/meeting.en.ron"),
        Language::Zh => include_str!("world_file/samples/meeting.zh.ron"),
    }
}

/// The text of a world in which characters meet in this scene.
pub fn meeting_in(language: Language, scene: Option<&str>) -> String {
    let source = Source::new("", meeting(language));
    let scene = scene.map(str::trim).filter(|scene| !scene.is_empty());
    let changed = scene.and_then(|scene| source.with_value("stages[0].profile", &ron_text(&scene)));
    changed.unwrap_or(source).text().to_owned()
}

/// The language in which most of these texts are.
pub fn language_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Language {
    let letters = texts.into_iter().flat_map(str::chars);
    let letters = letters.filter(|char| char.is_alphabetic());
    let (han, all) = letters.fold((0, 0), |(han, all), char| {
        (
            han + usize::from(('\u{3400}'..='\u{9fff}').contains(&char)),
            all + 1,
        )
    });
    if han * 3 > all {
        Language::Zh
    } else {
        Language::En
    }
}

impl Cast {
    /// The language in which most of their texts are.
    pub fn language(&self) -> Language {
        let texts = self.cards.iter().flat_map(|(_, card)| {
            let Character {
                description,
                first_mes,
                ..
            } = &card.character;
            [description.as_str(), first_mes]
        });
        language_of(texts)
    }

    /// Adds them to a world.
    pub fn into_world(self, world: Source) -> Result<Imported, ImportError> {
        let (file, _) = WorldFile::unchecked(&world)?;
        let mut import = Import {
            taken_names: file
                .names()
                .chain(self.person.as_deref())
                .chain(ROLES)
                .map(fold_name)
                .collect(),
            file: &file,
            newcomer: newcomer(&file).ok_or(ImportError::NoStage)?,
            imported: Imported::default(),
            actors: Vec::new(),
            facts: Vec::new(),
        };
        let names: Vec<_> = self
            .cards
            .iter()
            .map(|(file, card)| import.name(file, card))
            .collect();
        let shared = import.shared_books(&self.books);
        for (number, (file, card)) in self.cards.iter().enumerate() {
            let Some((name, renamed)) = names.get(number) else {
                continue;
            };
            let others: Vec<_> = names
                .iter()
                .map(|(name, _)| name.as_str())
                .filter(|other| *other != name.as_str())
                .collect();
            let somebody = text!(rpg_somebody).in_language(import.file.language);
            let user = match (self.person.as_deref(), others.as_slice()) {
                (Some(person), _) => person,
                (None, [other]) => *other,
                (None, _) => somebody.as_str(),
            };
            let taken = card.take(Taking {
                name,
                user,
                language: import.file.language,
                seed: self.seed,
                in_group: others.len() > 1,
            });
            let mut report = Report {
                file: file.clone(),
                actor: name.clone(),
                ..Report::default()
            };
            if let Some(note) = renamed {
                report.add(Fate::Changed, "name", note.clone());
            }
            import.add(taken, &shared, report);
        }
        if let Some(person) = &self.person {
            import.add_person(person);
        }
        import.finish(world)
    }
}

/// Cards on their way into a world.
struct Import<'w> {
    file: &'w WorldFile,
    newcomer: Actor,
    /// As names are compared.
    taken_names: BTreeSet<String>,
    imported: Imported,
    actors: Vec<Actor>,
    facts: Vec<Fact>,
}

impl Import<'_> {
    /// A name that nobody else has, and what was changed about it.
    fn name(&mut self, file: &str, card: &Card) -> (String, Option<UiText>) {
        let called = card.called();
        let clean = clean_name(called).or_else(|| clean_name(file));
        let clean = clean.unwrap_or_else(|| "Card".to_owned());
        let mut names = std::iter::once(clean.clone()).chain((2..).map(|n| format!("{clean} {n}")));
        let name = names.find(|name| !self.taken_names.contains(&fold_name(name)));
        let name = name.unwrap_or(clean.clone());
        self.taken_names.insert(fold_name(&name));
        let note = if name != clean {
            Some(text!(rpg_import_name_taken, name = clean))
        } else {
            (name != called).then(|| text!(rpg_import_name_changed, name = called))
        };
        (name, note)
    }

    /// The paths of books that all have.
    fn shared_books(&mut self, books: &[(String, Value)]) -> Vec<String> {
        const FIELD: &str = "entries";
        let mut paths = Vec::new();
        for (file, value) in books {
            let mut report = Report {
                file: file.clone(),
                ..Report::default()
            };
            match Book::read(value) {
                Ok(book) => {
                    for (entry, why) in book.warnings.iter().take(MAX_WARNINGS) {
                        report.add(Fate::Warned, FIELD, text!(rpg_lore_entry, entry, why));
                    }
                    let (known, others): (Vec<_>, Vec<_>) = book
                        .entries
                        .iter()
                        .partition(|entry| entry.is_always_known());
                    let (facts, entries) = (known.len(), others.len());
                    report.add(Fate::Taken, FIELD, text!(cards_book_taken, facts, entries));
                    paths.push(self.add_book(file, value));
                }
                Err(error) => report.add(Fate::Dropped, FIELD, error.text()),
            }
            self.imported.reports.push(report);
        }
        paths
    }

    /// The path of a book, none of which is a name of its author's.
    fn add_book(&mut self, name: &str, book: &Value) -> String {
        let base = format!("{FOLDER}{}", slug(name));
        let mut paths = std::iter::once(format!("{base}.json"))
            .chain((2..).map(|n| format!("{base}-{n}.json")));
        let known = |path: &String| {
            let of_world = self.file.actors.iter().flat_map(|actor| &actor.books);
            self.imported.books.contains_key(path) || of_world.into_iter().any(|book| book == path)
        };
        let path = paths.find(|path| !known(path)).unwrap_or(base.clone());
        self.imported
            .books
            .insert(path.clone(), format!("{book:#}\n"));
        path
    }

    fn add(&mut self, taken: Taken, shared: &[String], mut report: Report) {
        let own = taken
            .book
            .as_ref()
            .map(|book| self.add_book(&report.actor, book));
        let name = report.actor.clone();
        let slug = slug(&name);
        for (number, (title, text)) in (1..).zip(taken.facts) {
            self.facts.push(Fact {
                id: format!("{slug}-{number}"),
                title,
                text: lines_kept(&text),
                known_by: KnownBy::Only(vec![name.clone()]),
                ..Fact::default()
            });
        }
        report.rows.extend(taken.report);
        self.actors.push(Actor {
            name,
            profile: lines_kept(&taken.profile),
            look: taken.look,
            voice: Voice {
                lines: taken.voice,
                never: Vec::new(),
            },
            kickoff: lines_kept(&taken.kickoff),
            books: own.into_iter().chain(shared.iter().cloned()).collect(),
            tags: taken.tags,
            ..self.newcomer.clone()
        });
        self.imported.reports.push(report);
    }

    fn add_person(&mut self, name: &str) {
        let language = self.file.language;
        self.actors.push(Actor {
            name: name.to_owned(),
            profile: text!(rpg_person_profile, name).in_language(language),
            look: text!(rpg_person_look).in_language(language),
            kickoff: text!(cards_no_greeting).in_language(language),
            ..self.newcomer.clone()
        });
    }

    fn finish(mut self, mut source: Source) -> Result<Imported, ImportError> {
        let language = self.file.language;
        let facts = self.facts.iter();
        let facts = facts.map(|fact| item_text(language, fact, write::fact));
        let actors = self.actors.iter();
        let actors = actors.map(|actor| item_text(language, actor, write::actor));
        let lists: [(_, Vec<_>); 2] = [("facts", facts.collect()), ("actors", actors.collect())];
        for (list, items) in lists {
            if !items.is_empty() {
                source = source
                    .with_item(list, None, &items.join(",\n        "))
                    .ok_or(ImportError::NoList)?;
            }
        }
        WorldFile::of_source(source.clone())?;
        self.imported.world = source;
        Ok(self.imported)
    }
}

/// Somebody who comes into a world; `None` if it has no place to be at home.
fn newcomer(world: &WorldFile) -> Option<Actor> {
    let mut stages = world.stages.iter();
    let stage = stages.find(|stage| stage.kind == StageKind::Home)?;
    Some(Actor {
        // Those who travel have to be able to fight, if anybody does.
        faction: match world.has_fights() {
            true => ActorFaction::Neutral,
            false => ActorFaction::Hero,
        },
        stage: stage.name.clone(),
        ..Actor::default()
    })
}

/// What somebody remembers from before as a world file has it.
pub fn past_text(language: Language, past: &Past) -> String {
    item_text(language, past, write::past)
}

/// A text whose lines stay apart in a world file, which joins those of a paragraph.
fn lines_kept(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|lines| match as_read(lines) {
        read if read == lines => read,
        _ => lines.replace('\n', "\n\n"),
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// A name as ids and files have it: letters and digits alone.
fn slug(name: &str) -> String {
    let letters = name.to_lowercase();
    let parts = letters.split(|char: char| !char.is_alphanumeric());
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    let slug: String = parts.join("-").chars().take(40).collect();
    if slug.is_empty() {
        "card".to_owned()
    } else {
        slug
    }
}
