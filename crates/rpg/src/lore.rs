//! Lorebooks: what an actor knows that comes to mind when what it witnessed brings it up.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{EntityName, WorldSeed};
use playhouse_engine::context::AgentContext;
use playhouse_engine::engine::{Associating, Associations, Setup};
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::memory::{AnswerWords, conversation_texts};
use playhouse_engine::mind::Language;
use playhouse_engine::mind::splitmix::{SplitMix64, hash, mix};
use playhouse_engine::world_data::{DataFolder, Problem, Problems};
use playhouse_interop::Macros;
use playhouse_interop::cards::CardError;
use playhouse_interop::lore::{Book, KeyReading, ScanSettings, Timers, Witness};
use serde::{Deserialize, Serialize};

use super::components::RpgWorld;
use super::world_file::WorldFile;

/// The folder of a world's books, beside its file.
pub(super) const FOLDER: &str = "books/";
/// How many of the latest messages are scanned if a book does not say.
const SCAN_DEPTH: usize = 6;
/// What part of a prompt may come to mind: one in so many tokens.
const SHARE: u64 = 4;
/// The most warnings of a book that are told.
const MAX_WARNINGS: usize = 20;

/// The books of the actors who have any, by name. Data, not state: they are not saved.
#[derive(Resource, Clone, Debug, Default)]
pub(super) struct Lorebooks(BTreeMap<Arc<str>, (String, Arc<Book>)>);

/// For how long what came to an actor's mind stays or rests.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct LoreTimers(Timers);

pub(super) fn plugin(setup: &mut Setup) {
    setup
        .saves()
        .component::<LoreTimers>("lore")
        .not_saved::<Lorebooks>()
        .not_saved::<Associations>();
    setup.world.insert_resource(Associations(known));
}

impl Lorebooks {
    /// Reads the books that a world names, and their texts by path. `home` is the world's folder.
    pub(super) fn read(
        data: &DataFolder,
        home: &str,
        file: &WorldFile,
    ) -> Result<(Self, BTreeMap<String, String>), Problems> {
        let mut texts = BTreeMap::new();
        let mut problems = Problems::new();
        let mut books = BTreeMap::new();
        for actor in file.actors.iter().filter(|actor| !actor.books.is_empty()) {
            let mut values = Vec::new();
            for name in &actor.books {
                let path = format!("{home}{name}");
                match read(data, name, &path, &mut texts) {
                    Ok(value) => values.push(value),
                    Err(problem) => problems.push(problem),
                }
            }
            let reading = KeyReading {
                char: &actor.name,
                ..KeyReading::default()
            };
            match Book::read_all(&values, reading) {
                Ok(book) => {
                    let named = (actor.books.join(", "), Arc::new(book));
                    books.insert(actor.name.as_str().into(), named);
                }
                Err(error) => problems.push(problem(&actor.books.join(", "), &error)),
            }
        }
        let (books, _) = problems.unless_errors(Self(books))?;
        Ok((books, texts))
    }

    /// What of the books can't be used.
    pub(super) fn warnings(&self) -> Vec<Problem> {
        let of_book = |(path, book): &(String, Arc<Book>)| -> Vec<Problem> {
            let told = book.warnings.iter().take(MAX_WARNINGS);
            told.map(|(entry, why)| {
                let message = text!(rpg_lore_entry, entry, why);
                Problem::of_file(path, message, UiText::default()).warning()
            })
            .collect()
        };
        self.0.values().flat_map(of_book).collect()
    }

    fn of(&self, name: &str) -> Option<&Arc<Book>> {
        self.0.get(name).map(|(_, book)| book)
    }
}

/// The value of a book, whose text is kept.
fn read(
    data: &DataFolder,
    name: &str,
    path: &str,
    texts: &mut BTreeMap<String, String>,
) -> Result<serde_json::Value, Problem> {
    if !name.starts_with(FOLDER) {
        let message = text!(rpg_lore_outside, name, folder = FOLDER);
        return Err(Problem::of_file(path, message, UiText::default()));
    }
    let text = match texts.get(path) {
        Some(text) => text,
        None => {
            let text = data.read_text(path).map_err(Problem::from)?;
            &*texts.entry(path.to_owned()).or_insert(text)
        }
    };
    Book::value_of(text).map_err(|error| problem(path, &error))
}

fn problem(path: &str, error: &CardError) -> Problem {
    Problem::of_file(path, error.text(), UiText::default())
}

/// What the books of an actor always tell it.
pub(super) fn always_known(world: &World, name: &str) -> impl Iterator<Item = String> {
    let books = world.get_resource::<Lorebooks>();
    let book = books.and_then(|books| books.of(name)).cloned();
    let always: Vec<_> = book
        .iter()
        .flat_map(|book| &book.entries)
        .filter(|entry| entry.is_always_known())
        .map(|entry| macros(world, name).expand(&entry.content))
        .collect();
    always.into_iter()
}

/// Characters of cards call somebody who is not in the story the user.
fn macros<'n>(world: &World, name: &'n str) -> Macros<'n> {
    let user = match world.resource::<Language>() {
        Language::En => "somebody",
        Language::Zh => "某人",
    };
    Macros::new(
        name,
        user,
        mix(&[world.resource::<WorldSeed>().0, hash(name)]),
    )
}

/// What an actor's books tell of what it witnessed.
fn known(world: &mut World, asked: Associating) -> Vec<String> {
    let Some(EntityName(name)) = world.get::<EntityName>(asked.entity).cloned() else {
        return Vec::new();
    };
    let books = world.get_resource::<Lorebooks>();
    let Some(book) = books.and_then(|books| books.of(&name)).cloned() else {
        return Vec::new();
    };
    let file = world.resource::<RpgWorld>().0.clone();
    let actor = file.actor(&name);
    let mut timers = world
        .get::<LoreTimers>(asked.entity)
        .cloned()
        .unwrap_or_default();
    let Some(context) = world.get::<AgentContext>(asked.entity) else {
        return Vec::new();
    };
    let witnessed: Vec<_> = conversation_texts(context, world.resource::<AnswerWords>())
        .rev()
        .collect();
    let messages: Vec<&str> = witnessed.iter().map(|text| &**text).collect();
    let witness = Witness {
        name: &name,
        tags: actor.map_or(&[], |actor| &actor.tags),
        about: actor.map_or("", |actor| &actor.profile),
        messages: &messages,
        count: context
            .entries()
            .last()
            .map_or(0, |entry| entry.id().0.into()),
    };
    let limit = file.limits.prompt_tokens() / SHARE;
    let settings = ScanSettings {
        scan_depth: SCAN_DEPTH,
        budget: limit.min(asked.tokens),
        knows_constants: true,
        ..ScanSettings::default()
    };
    let seed = world.resource::<WorldSeed>().0;
    let mut dice = SplitMix64::new(mix(&[seed, hash(&name), asked.number.into()]));
    let mut macros = macros(world, &name).with_dice(SplitMix64::new(dice.next_number()));
    let triggered = book.scan(witness, settings, &mut timers.0, (&mut macros, &mut dice));
    let known = triggered
        .into_iter()
        .filter(|one| !one.entry.is_always_known())
        .map(|one| one.content)
        .collect();
    if world.get::<LoreTimers>(asked.entity).is_some() || timers != LoreTimers::default() {
        world.entity_mut(asked.entity).insert(timers);
    }
    known
}
