//! A book as it is scanned, and reading it from any format.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::splitmix::{hash, mix};
use serde_json::{Map, Value};

use super::decorators;
use super::fields::Fields;
use super::keys::{KeyId, KeyStyle, Keys, KeysBuilder, Logic};
use crate::cards::CardError;
use crate::macros::Macros;

/// The most entries of a book.
const MAX_ENTRIES: usize = 100_000;
/// The most keys of an entry.
const MAX_KEYS: usize = 1_000;

/// Where an entry stands among those that come to mind.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Position {
    #[default]
    BeforeChar,
    AfterChar,
    ExamplesTop,
    ExamplesBottom,
    NoteTop,
    NoteBottom,
    /// So many messages before the end; the deepest come first.
    AtDepth(u32),
    /// At a place that another program names.
    Outlet,
}

impl Position {
    /// By its number in World Info.
    fn numbered(number: i64, depth: u32) -> Self {
        match number {
            1 => Self::AfterChar,
            2 => Self::NoteTop,
            3 => Self::NoteBottom,
            4 => Self::AtDepth(depth),
            5 => Self::ExamplesTop,
            6 => Self::ExamplesBottom,
            7 => Self::Outlet,
            _ => Self::BeforeChar,
        }
    }

    /// By which entries are put in order.
    pub(super) fn rank(&self) -> (Self, u32) {
        match self {
            Self::AtDepth(depth) => (Self::AtDepth(0), u32::MAX - depth),
            other => (other.clone(), 0),
        }
    }
}

/// As whose message another program inserts an entry at a depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpokenAs {
    #[default]
    System,
    User,
    Assistant,
}

impl SpokenAs {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "system" => Some(Self::System),
            "user" => Some(Self::User),
            "assistant" => Some(Self::Assistant),
            _ => None,
        }
    }
}

/// The characters whom an entry is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CharacterFilter {
    /// Whether it is for all but these.
    pub excludes: bool,
    pub names: Vec<String>,
    pub tags: Vec<String>,
}

impl CharacterFilter {
    pub(super) fn lets(&self, name: &str, tags: &[String]) -> bool {
        let is_named = self.names.iter().any(|named| named == name);
        let is_tagged = self.tags.iter().any(|tag| tags.contains(tag));
        (self.names.is_empty() || is_named != self.excludes)
            && (self.tags.is_empty() || is_tagged != self.excludes)
    }
}

/// An entry as it is scanned for.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Tells it from all others, also in later versions of its book.
    pub(super) key: u64,
    /// By which people know it.
    pub name: String,
    /// Without decorators; macros are in it.
    pub content: String,
    pub(super) keys: Vec<KeyId>,
    pub(super) secondary: Vec<(Logic, Vec<KeyId>)>,
    /// Whether it always comes to mind.
    pub constant: bool,
    /// Whether a decorator says that it does, or doesn't.
    pub(super) forced: Option<bool>,
    pub order: i64,
    /// Those of lower priority are left out first.
    pub(super) priority: i64,
    pub position: Position,
    pub role: SpokenAs,
    pub(super) scan_depth: Option<usize>,
    pub(super) cased: Option<bool>,
    pub(super) whole_words: Option<bool>,
    /// In percent.
    pub(super) probability: u32,
    pub(super) groups: Vec<String>,
    pub(super) group_override: bool,
    pub(super) group_weight: u32,
    pub(super) group_scoring: Option<bool>,
    pub(super) exclude_recursion: bool,
    pub(super) prevent_recursion: bool,
    /// The level of recursion from which on it may come; 0 for any.
    pub(super) recursion_level: u32,
    pub(super) sticky: u32,
    pub(super) cooldown: u32,
    /// The messages before it may come.
    pub(super) delay: u32,
    /// It may come with every so many messages; 0 for all.
    pub(super) every: u32,
    pub(super) ignore_budget: bool,
    /// Whether it is scanned for in what the character is, too.
    pub(super) scans_character: bool,
    pub(super) filter: CharacterFilter,
}

/// The keys of an entry as it has them.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) first: Vec<String>,
    pub(super) secondary: Vec<(Logic, Vec<String>)>,
}

impl Entry {
    /// Whether nothing but its owner decides that it is known.
    pub fn is_always_known(&self) -> bool {
        let is_timed = self.sticky + self.cooldown + self.delay + self.every > 0;
        self.constant
            && self.forced.is_none()
            && self.probability >= 100
            && self.groups.is_empty()
            && self.recursion_level == 0
            && !is_timed
            && self.filter == CharacterFilter::default()
    }
}

/// A lorebook that was read.
#[derive(Debug, Default)]
pub struct Book {
    pub name: String,
    /// Those that may come to mind; others are left out.
    pub entries: Vec<Entry>,
    /// How many messages are scanned, if it says.
    pub scan_depth: Option<usize>,
    /// The most tokens of all that comes to mind, if it says.
    pub token_budget: Option<u64>,
    /// Whether what comes to mind is scanned, too, if it says.
    pub recursive: Option<bool>,
    /// What can't be used of it, with the name of the entry.
    pub warnings: Vec<(String, UiText)>,
    pub(super) keys: Keys,
    /// The entries of each key; those of key 0 are up to the first end.
    pub(super) by_key: Vec<Vec<u32>>,
    /// Those that need no key.
    pub(super) unkeyed: Vec<u32>,
    by_id: BTreeMap<u64, u32>,
    /// The levels of recursion from which on entries may come.
    pub(super) levels: BTreeSet<u32>,
    /// The most messages that an entry wants to be scanned.
    pub(super) deepest: usize,
    /// Whether any entry is looked for in what its owner is.
    pub(super) scans_character: bool,
}

/// How keys are read: what counts if an entry says nothing, and who is meant by `{{char}}` and
/// `{{user}}`.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyReading<'n> {
    pub cased: bool,
    pub whole_words: bool,
    pub char: &'n str,
    pub user: &'n str,
}

impl Book {
    /// Whether JSON is a book and no card.
    pub fn is_book(value: &Value) -> bool {
        entries_of(value).is_some() && value.get("first_mes").is_none()
    }

    /// Reads the file of a book.
    ///
    /// # Errors
    /// It is no JSON, no book, or too large.
    pub fn from_json(json: &str) -> Result<Self, CardError> {
        Self::read(&Self::value_of(json)?)
    }

    /// The value of the file of a book, within limits.
    ///
    /// # Errors
    /// It is no JSON, or too large.
    pub fn value_of(json: &str) -> Result<Value, CardError> {
        crate::cards::parse(json)
    }

    /// Reads a book in any format.
    ///
    /// # Errors
    /// It is none, or too large.
    pub fn read(value: &Value) -> Result<Self, CardError> {
        Self::read_all([value], KeyReading::default())
    }

    /// Reads several books as one.
    ///
    /// # Errors
    /// One is none, or all are too large.
    pub fn read_all<'v>(
        values: impl IntoIterator<Item = &'v Value>,
        reading: KeyReading<'_>,
    ) -> Result<Self, CardError> {
        let mut book = Self::default();
        let mut keys = KeysBuilder::default();
        for value in values {
            let value = inner(value);
            let entries = entries_of(value).ok_or(CardError::NoBook)?;
            if book.entries.len() + entries.len() > MAX_ENTRIES {
                return Err(CardError::TooManyEntries { max: MAX_ENTRIES });
            }
            if let Some(members) = value.as_object() {
                book.read_settings(members);
            }
            for (is_native, entry) in entries {
                book.add(entry, is_native, reading, &mut keys);
            }
        }
        book.keys = keys.build();
        book.link();
        Ok(book)
    }

    /// Of several books, the most generous counts.
    fn read_settings(&mut self, members: &Map<String, Value>) {
        let fields = Fields::of(members);
        let depth = fields.count(&["scandepth"]).map(|depth| depth as usize);
        let budget = fields.count(&["tokenbudget"]).filter(|budget| *budget > 0);
        self.scan_depth = self.scan_depth.max(depth);
        self.token_budget = self.token_budget.max(budget.map(u64::from));
        self.recursive = self.recursive.max(fields.truth(&["recursivescanning"]));
        if self.name.is_empty() {
            fields.text(&["name"]).clone_into(&mut self.name);
        }
    }

    fn add(
        &mut self,
        entry: &Map<String, Value>,
        is_native: bool,
        reading: KeyReading<'_>,
        keys: &mut KeysBuilder,
    ) {
        let fields = Fields::of(entry);
        let patterns = has_patterns(entry, &fields);
        let (mut entry, words, notes) = draft(&fields, is_native);
        let style = KeyStyle {
            cased: entry.cased.unwrap_or(reading.cased),
            whole: entry.whole_words.unwrap_or(reading.whole_words),
            patterns,
        };
        let is_on = fields.truth(&["enabled"]).unwrap_or(true) && !fields.is("disable");
        if !is_on || entry.content.trim().is_empty() {
            return;
        }
        let mut warnings = notes;
        let mut numbers = |words: Vec<String>| -> Vec<KeyId> {
            let words = words.iter().take(MAX_KEYS).map(|key| reading.expanded(key));
            let added = words.map(|key| keys.add(&key, style).map_err(|why| warnings.push(why)));
            added.flatten().collect()
        };
        entry.keys = numbers(words.first);
        let secondary = words.secondary.into_iter();
        let secondary = secondary.map(|(logic, words)| (logic, numbers(words)));
        entry.secondary = secondary.collect();
        let named = warnings.into_iter().map(|note| (entry.name.clone(), note));
        self.warnings.extend(named);
        let may_come = entry.constant || !entry.keys.is_empty();
        if entry.forced.unwrap_or(may_come) {
            self.entries.push(entry);
        }
    }

    /// Notes which entries each key has.
    fn link(&mut self) {
        self.by_key = vec![Vec::new(); self.keys.len()];
        for (number, entry) in (0..).zip(&self.entries) {
            if entry.constant || entry.forced == Some(true) {
                self.unkeyed.push(number);
            }
            for key in &entry.keys {
                if let Some(entries) = self.by_key.get_mut(*key as usize) {
                    entries.push(number);
                }
            }
            self.by_id.insert(entry.key, number);
            self.levels
                .extend(Some(entry.recursion_level).filter(|level| *level > 0));
            self.deepest = self.deepest.max(entry.scan_depth.unwrap_or(0));
            self.scans_character |= entry.scans_character;
        }
    }

    pub(super) fn entry(&self, number: u32) -> Option<&Entry> {
        self.entries.get(number as usize)
    }

    pub(super) fn number_of(&self, key: u64) -> Option<u32> {
        self.by_id.get(&key).copied()
    }

    pub(super) fn by_key(&self, key: u64) -> Option<&Entry> {
        self.entry(self.number_of(key)?)
    }
}

/// A stand-alone V3 book holds the book as `data`.
fn inner(value: &Value) -> &Value {
    let has_spec = value.get("spec").is_some();
    value
        .get("data")
        .filter(|data| has_spec && data.is_object())
        .unwrap_or(value)
}

/// The entries of a book, and whether they are those of World Info, as a map.
fn entries_of(value: &Value) -> Option<Vec<(bool, &Map<String, Value>)>> {
    let value = inner(value);
    let of_risu = value.get("data").filter(|data| data.is_array());
    let list = value.get("entries").or(of_risu)?;
    match list {
        Value::Array(entries) => {
            let entries = entries.iter().filter_map(Value::as_object);
            Some(entries.map(|entry| (false, entry)).collect())
        }
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(uid, _)| uid.parse::<u64>().unwrap_or(u64::MAX));
            let entries = entries
                .into_iter()
                .filter_map(|(_, entry)| entry.as_object());
            Some(entries.map(|entry| (true, entry)).collect())
        }
        _ => None,
    }
}

/// Whether the keys are patterns without slashes. SillyTavern says so of all entries that it
/// writes, and means by it that they may be patterns with slashes.
fn has_patterns(entry: &Map<String, Value>, fields: &Fields<'_>) -> bool {
    let extensions = entry.get("extensions");
    let is_native = extensions.is_some_and(|members| members.get("display_index").is_some());
    fields.is("useregex") && !is_native
}

/// An entry without its keys, their words, and what of it can't be used.
fn draft(fields: &Fields<'_>, is_native: bool) -> (Entry, Words, Vec<UiText>) {
    let mut words = Words {
        first: fields.texts(&["keys", "key", "keywords"]),
        ..Words::default()
    };
    let mut entry = Entry {
        constant: fields.truth(&["constant", "alwaysactive"]).unwrap_or(false),
        order: fields
            .number(&["insertionorder", "order", "insertorder", "weight"])
            .unwrap_or(100),
        priority: fields.number(&["priority"]).unwrap_or(0),
        role: match fields.number(&["role"]) {
            Some(1) => SpokenAs::User,
            Some(2) => SpokenAs::Assistant,
            _ => SpokenAs::System,
        },
        scan_depth: fields.count(&["scandepth"]).map(|depth| depth as usize),
        cased: fields.truth(&["casesensitive"]),
        whole_words: fields.truth(&["matchwholewords"]),
        groups: fields.texts(&["group"]),
        group_override: fields.is("groupoverride"),
        group_weight: fields.count(&["groupweight"]).unwrap_or(100),
        group_scoring: fields.truth(&["usegroupscoring"]),
        exclude_recursion: fields.is("excluderecursion"),
        prevent_recursion: fields.is("preventrecursion"),
        recursion_level: fields.count(&["delayuntilrecursion"]).unwrap_or(0),
        sticky: fields.count(&["sticky"]).unwrap_or(0),
        cooldown: fields.count(&["cooldown"]).unwrap_or(0),
        delay: fields.count(&["delay"]).unwrap_or(0),
        ignore_budget: fields.is("ignorebudget"),
        scans_character: fields.is("matchscenario")
            || ["description", "personality", "depthprompt"]
                .iter()
                .any(|part| fields.is(&format!("matchcharacter{part}"))),
        ..Entry::default()
    };
    let has_chance = fields.truth(&["useprobability"]).unwrap_or(true);
    let chance = fields.count(&["probability", "activationpercent"]);
    entry.probability = chance.filter(|_| has_chance).unwrap_or(100).min(100);
    let depth = fields.count(&["depth"]).unwrap_or(4);
    entry.position = match fields.text(&["position"]) {
        "after_char" => Position::AfterChar,
        "before_char" => Position::BeforeChar,
        _ => Position::numbered(fields.number(&["position"]).unwrap_or(0), depth),
    };
    if fields.truth(&["selective"]).unwrap_or(is_native) {
        let secondary = fields.texts(&["secondarykeys", "keysecondary", "secondkey"]);
        let logic = Logic::of(fields.number(&["selectivelogic"]).unwrap_or(0));
        if !secondary.is_empty() {
            words.secondary.push((logic, secondary));
        }
    }
    if let Some(filter) = fields.object(&["characterfilter"]) {
        entry.filter = CharacterFilter {
            excludes: filter.is("isexclude"),
            names: filter.texts(&["names"]),
            tags: filter.texts(&["tags"]),
        };
    }
    let mut unknown = Vec::new();
    let content = fields.text(&["content", "entry", "text"]);
    let content = decorators::apply(content, (&mut entry, &mut words), &mut unknown);
    content.clone_into(&mut entry.content);
    let names = ["name", "comment", "displayname"].map(|name| fields.text(&[name]));
    let name = names.into_iter().find(|name| !name.trim().is_empty());
    let first_key = words.first.first().map_or("", String::as_str);
    name.unwrap_or(first_key).trim().clone_into(&mut entry.name);
    entry.key = mix(&[
        hash(&entry.name),
        hash(&words.first.join("\n")),
        hash(&entry.content),
    ]);
    let notes = notes(fields, (&mut entry, &words), unknown);
    (entry, words, notes)
}

/// What of an entry has no meaning here.
fn notes(
    fields: &Fields<'_>,
    (entry, words): (&mut Entry, &Words),
    unknown: Vec<String>,
) -> Vec<UiText> {
    let mut notes: Vec<_> = unknown
        .into_iter()
        .map(|name| text!(lore_unknown_decorator, name))
        .collect();
    let is_keyless = words.first.is_empty() && !entry.constant && entry.forced.is_none();
    if is_keyless && fields.is("vectorized") {
        notes.push(text!(lore_vectorized));
    }
    if fields.is("matchpersonadescription") || fields.is("matchcreatornotes") {
        notes.push(text!(lore_other_sources));
    }
    if !fields.text(&["automationid"]).is_empty() {
        notes.push(text!(lore_automation));
    }
    let triggers = fields.texts(&["triggers"]);
    if !triggers.is_empty() && !triggers.iter().any(|trigger| trigger == "normal") {
        entry.forced = Some(false);
        notes.push(text!(lore_triggers));
    }
    if entry.position == Position::Outlet {
        entry.forced = Some(false);
        notes.push(text!(lore_outlet));
    }
    notes
}

impl KeyReading<'_> {
    fn expanded<'k>(&self, key: &'k str) -> Cow<'k, str> {
        match key.contains("{{") {
            true => Macros::new(self.char, self.user, 0).expand(key).into(),
            false => key.into(),
        }
    }
}
