//! What a story takes of a card, and what becomes of the rest.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use playhouse_engine::locale::{Language, Localize, UiText, text};
use playhouse_engine::wording::{as_line, defused};
use regex::Regex;
use serde_json::{Value, json};

use super::{Card, Character};
use crate::lore::Book;
use crate::macros::Macros;

/// The most characters of a text that is taken.
const MAX_TEXT: usize = 20_000;
/// The most characters of a name, a look and a line of a voice.
const MAX_NAME: usize = 48;
const MAX_LOOK: usize = 300;
const MAX_LINE: usize = 200;
/// The most lines of a voice, and the most facts of a book.
const MAX_LINES: usize = 6;
const MAX_FACTS: usize = 50;

/// How a card is taken.
#[derive(Clone, Copy, Debug)]
pub struct Taking<'t> {
    /// Under which name.
    pub name: &'t str,
    /// Who is meant by `{{user}}`.
    pub user: &'t str,
    /// The language of the story.
    pub language: Language,
    /// For `{{random}}` and the like.
    pub seed: u64,
    /// Whether it meets more than one other.
    pub in_group: bool,
}

/// What became of a part of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Taken,
    Changed,
    Dropped,
    /// It is taken, but somebody should look at it.
    Warned,
}

impl Fate {
    pub fn name(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Changed => "changed",
            Self::Dropped => "dropped",
            Self::Warned => "warning",
        }
    }
}

/// A row of the report on a card.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The member of the card.
    pub field: String,
    pub fate: Fate,
    pub note: UiText,
}

/// What a story takes of a card. All texts are plain words: without macros, HTML, and marks that a
/// prompt could be mistaken by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taken {
    pub profile: String,
    pub look: String,
    pub voice: Vec<String>,
    pub kickoff: String,
    /// What it always knows: title and text.
    pub facts: Vec<(String, String)>,
    /// The rest of its book.
    pub book: Option<Value>,
    /// By which lorebooks choose for whom an entry is.
    pub tags: Vec<String>,
    pub report: Vec<Row>,
}

/// The most tags that an actor gets.
const MAX_TAGS: usize = 100;

/// A name that an entity can have; `None` if nothing is left of it.
pub fn clean_name(name: &str) -> Option<String> {
    let plain = without_markup(name);
    let kept: String = plain
        .chars()
        .filter(|char| !is_never_named(*char))
        .collect();
    let short: String = as_line(&kept).chars().take(MAX_NAME).collect();
    let name = short.trim().trim_matches('.').trim();
    name.chars()
        .any(char::is_alphanumeric)
        .then(|| name.to_owned())
}

/// What no name has: parts of paths, quotation marks, and marks without width.
fn is_never_named(char: char) -> bool {
    char.is_control()
        || matches!(char, '/' | '\\' | ':' | '"' | '“' | '”')
        || matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
}

impl Card {
    /// What a story takes of it.
    pub fn take(&self, taking: Taking<'_>) -> Taken {
        let mut taker = Taker {
            taking,
            macros: Macros::new(taking.name, taking.user, taking.seed),
            report: Vec::new(),
        };
        let Character {
            description,
            personality,
            scenario,
            ..
        } = &self.character;
        let [description, personality, scenario] = [
            ("description", description),
            ("personality", personality),
            ("scenario", scenario),
        ]
        .map(|(field, text)| taker.text(field, text));
        let greeting = self.greeting(&mut taker);
        let profile = paragraphs([&*description, &*personality, &*self.note(&mut taker)]);
        let profile = [
            profile,
            scenario.clone(),
            greeting.clone(),
            format!("{}.", taking.name),
        ]
        .into_iter()
        .find(|text| !text.is_empty());
        let profile = profile.unwrap_or_default();
        let look = taker.look(&description, &profile);
        let voice = taker.voice(&self.character.mes_example, &greeting);
        let begins = match greeting.is_empty() {
            true => String::new(),
            false => text!(cards_begins, greeting = greeting.as_str()).in_language(taking.language),
        };
        let kickoff = match paragraphs([&*scenario, &*begins]) {
            none if none.is_empty() => text!(cards_no_greeting).in_language(taking.language),
            kickoff => kickoff,
        };
        let (facts, book) = self.book(&mut taker);
        self.report_rest(&mut taker);
        Taken {
            profile,
            look,
            voice,
            kickoff,
            facts,
            book,
            tags: self.character.tags.iter().take(MAX_TAGS).cloned().collect(),
            report: taker.report,
        }
    }

    /// Its first words: those for a group, if it meets one.
    fn greeting(&self, taker: &mut Taker<'_>) -> String {
        let Character {
            first_mes,
            alternate_greetings,
            group_only_greetings,
            ..
        } = &self.character;
        let of_group = group_only_greetings
            .first()
            .filter(|_| taker.taking.in_group);
        let greeting = match of_group {
            Some(greeting) => taker.text("group_only_greetings", greeting),
            None => taker.text("first_mes", first_mes),
        };
        let others = alternate_greetings.len();
        if others > 0 {
            taker.dropped(
                "alternate_greetings",
                text!(cards_other_greetings, count = others),
            );
        }
        greeting
    }

    /// What the author wants to be told again and again.
    fn note(&self, taker: &mut Taker<'_>) -> String {
        let note = self.character.extensions.get("depth_prompt");
        let note = note.and_then(|note| note.get("prompt")?.as_str());
        taker.text("extensions.depth_prompt", note.unwrap_or_default())
    }

    /// What its book always tells, and the rest of the book.
    fn book(&self, taker: &mut Taker<'_>) -> (Vec<(String, String)>, Option<Value>) {
        const FIELD: &str = "character_book";
        let Some(mut value) = self.character.character_book.clone() else {
            return Default::default();
        };
        named_in(&mut value, taker.taking.name, taker.taking.user);
        let book = match Book::read(&value) {
            Ok(book) => book,
            Err(error) => {
                taker.dropped(FIELD, error.text());
                return Default::default();
            }
        };
        let always = book.entries.iter().filter(|entry| entry.is_always_known());
        let facts: Vec<_> = always.take(MAX_FACTS).cloned().collect();
        for (entry, why) in book.warnings.iter().take(MAX_FACTS) {
            taker.note(FIELD, Fate::Warned, text!(rpg_lore_entry, entry, why));
        }
        let facts: Vec<_> = facts
            .into_iter()
            .map(|entry| {
                let text = taker.clean(FIELD, &entry.content);
                let title = match entry.name.trim() {
                    "" => text.chars().take(MAX_NAME).collect(),
                    name => as_line(&without_markup(name)).into_owned(),
                };
                (entry.content, title, text)
            })
            .collect();
        let is_fact = |entry: &Value| {
            let content = entry.get("content").and_then(Value::as_str);
            let is_constant = entry.get("constant").and_then(Value::as_bool);
            let mut facts = facts.iter();
            is_constant == Some(true)
                && content.is_some_and(|text| facts.any(|(fact, ..)| text.ends_with(&**fact)))
        };
        match value.get_mut("entries") {
            Some(Value::Array(entries)) => entries.retain(|entry| !is_fact(entry)),
            Some(Value::Object(entries)) => entries.retain(|_, entry| !is_fact(entry)),
            _ => {}
        }
        let rest = book.entries.len().saturating_sub(facts.len());
        taker.note(
            FIELD,
            Fate::Taken,
            text!(cards_book_taken, facts = facts.len(), entries = rest),
        );
        let facts = facts.into_iter().map(|(_, title, text)| (title, text));
        let facts = facts.filter(|(_, text)| !text.is_empty());
        (facts.collect(), Some(value).filter(|_| rest > 0))
    }

    fn report_rest(&self, taker: &mut Taker<'_>) {
        for warning in self.warnings() {
            taker.note("spec_version", Fate::Warned, warning);
        }
        let Character {
            creator_notes,
            system_prompt,
            post_history_instructions,
            tags,
            extensions,
            other,
            ..
        } = &self.character;
        for (field, text) in [
            ("system_prompt", system_prompt),
            ("post_history_instructions", post_history_instructions),
        ] {
            if !text.trim().is_empty() {
                taker.dropped(field, text!(cards_for_models));
            }
        }
        if !creator_notes.trim().is_empty() {
            taker.dropped("creator_notes", text!(cards_for_people));
        }
        if !tags.is_empty() {
            taker.note("tags", Fate::Taken, text!(cards_tags));
        }
        let silent = ["depth_prompt", "talkativeness", "fav", "world"];
        for (name, value) in extensions {
            let is_empty = value.is_null() || *value == json!([]) || *value == json!({});
            if silent.contains(&&**name) || is_empty {
                continue;
            }
            let why = match &**name {
                "regex_scripts" => text!(cards_scripts),
                _ => text!(cards_extension),
            };
            taker.dropped(&format!("extensions.{name}"), why);
        }
        if let Some(world) = extensions.get("world").and_then(Value::as_str)
            && !world.is_empty()
            && self.character.character_book.is_none()
        {
            taker.dropped("extensions.world", text!(cards_linked_book, world));
        }
        let pictures = other.get("assets").and_then(Value::as_array);
        let pictures = pictures.map_or(self.assets, |assets| assets.len().max(self.assets));
        if pictures > 0 {
            taker.dropped("assets", text!(cards_assets, count = pictures));
        }
        let known = ["assets", "source", "creation_date", "modification_date"];
        for name in other.keys().filter(|name| !known.contains(&name.as_str())) {
            let why = match name.as_str() {
                "creator_notes_multilingual" => text!(cards_for_people),
                _ => text!(cards_unknown),
            };
            taker.dropped(name, why);
        }
        for name in std::mem::take(&mut taker.macros.unknown) {
            taker.note("macros", Fate::Warned, text!(cards_unknown_macro, name));
        }
    }
}

/// Takes texts and notes what it does to them.
struct Taker<'t> {
    taking: Taking<'t>,
    macros: Macros<'t>,
    report: Vec<Row>,
}

impl Taker<'_> {
    fn note(&mut self, field: &str, fate: Fate, note: UiText) {
        let field = field.to_owned();
        self.report.push(Row { field, fate, note });
    }

    fn dropped(&mut self, field: &str, why: UiText) {
        self.note(field, Fate::Dropped, why);
    }

    /// A text of the card as plain words.
    fn text(&mut self, field: &str, text: &str) -> String {
        if text.trim().is_empty() {
            return String::new();
        }
        let before = self.report.len();
        let clean = self.clean(field, text);
        if self.report.len() == before {
            let count = clean.chars().count();
            self.note(field, Fate::Taken, text!(cards_characters, count));
        }
        clean
    }

    /// The words of a text, whose changes are noted.
    fn clean(&mut self, field: &str, text: &str) -> String {
        let expanded = self.macros.expand(&text.replace("\r\n", "\n"));
        let plain = without_markup(&expanded);
        if SCRIPT.is_match(&expanded) {
            self.note(field, Fate::Changed, text!(cards_script_removed));
        } else if plain != expanded {
            self.note(field, Fate::Changed, text!(cards_markup_removed));
        }
        // Without headings, since a mark may stand behind one.
        let bare: Vec<_> = plain.lines().map(heading_free).collect();
        let bare = bare.join("\n");
        let framed = defused(&bare);
        let framed = framed.as_deref().unwrap_or(&bare).trim();
        if framed != plain.lines().collect::<Vec<_>>().join("\n").trim() {
            self.note(field, Fate::Changed, text!(cards_marks_removed));
        }
        if ORDERS.is_match(framed) {
            self.note(field, Fate::Warned, text!(cards_orders));
        }
        let short: String = framed.chars().take(MAX_TEXT).collect();
        if short.len() < framed.len() {
            self.note(field, Fate::Changed, text!(cards_shortened, max = MAX_TEXT));
        }
        short.trim().to_owned()
    }

    /// What others see: what the card calls the appearance, else its first sentence.
    fn look(&mut self, description: &str, profile: &str) -> String {
        let labelled = LOOK.captures(description).and_then(|found| found.get(1));
        let (words, note) = match labelled {
            Some(found) => (found.as_str(), text!(cards_look_labelled)),
            None => {
                let all = if description.is_empty() {
                    profile
                } else {
                    description
                };
                (first_sentence(all), text!(cards_look_first))
            }
        };
        let words =
            words.trim_matches(|char: char| char.is_whitespace() || "()[]{}\"".contains(char));
        // Everybody reads it, so no orders go there.
        let look = match ORDERS.is_match(words) {
            true => String::new(),
            false => shortened(&as_line(words), MAX_LOOK),
        };
        self.note("look", Fate::Changed, note);
        if look.is_empty() {
            format!("{}.", self.taking.name)
        } else {
            look
        }
    }

    /// Lines that it says in its examples, else in its greeting.
    fn voice(&mut self, examples: &str, greeting: &str) -> Vec<String> {
        let examples = self.text("mes_example", examples);
        let name = self.taking.name;
        let mut is_own = false;
        let mut own = String::new();
        for line in examples.lines() {
            let line = line.trim();
            let speaker = line
                .split_once([':', '：'])
                .map(|(speaker, _)| speaker.trim());
            if line.eq_ignore_ascii_case("<start>") {
                is_own = false;
            } else if speaker == Some(name) {
                is_own = true;
            } else if speaker.is_some_and(|speaker| speaker == self.taking.user) {
                is_own = false;
            }
            if is_own {
                let line = line.strip_prefix(name).unwrap_or(line);
                own.push_str(line.trim_start_matches([':', '：']).trim());
                own.push('\n');
            }
        }
        let mut lines = spoken(&own);
        if lines.is_empty() {
            let unquoted = own.lines().map(|line| ACTION.replace_all(line, ""));
            lines = unquoted.map(|line| line.trim().to_owned()).collect();
        }
        if lines.iter().all(String::is_empty) {
            lines = spoken(greeting);
        }
        let mut known = BTreeSet::new();
        let lines = lines
            .into_iter()
            .map(|line| as_line(&line).trim().to_owned());
        lines
            .filter(|line| !line.is_empty() && line.chars().count() <= MAX_LINE)
            .filter(|line| known.insert(line.clone()))
            .take(MAX_LINES)
            .collect()
    }
}

/// Replaces `{{char}}` and `{{user}}` in all texts of a book; others are for when it is told.
fn named_in(value: &mut Value, char: &str, user: &str) {
    match value {
        Value::String(text) => {
            for (mark, name) in [(&*CHAR, char), (&*USER, user)] {
                if mark.is_match(text) {
                    *text = mark.replace_all(text, regex::NoExpand(name)).into_owned();
                }
            }
        }
        // Recursive: the depth is that of JSON that was read.
        Value::Array(items) => items.iter_mut().for_each(|item| named_in(item, char, user)),
        Value::Object(members) => {
            members
                .values_mut()
                .for_each(|member| named_in(member, char, user));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[allow(
    clippy::expect_used,
    reason = "the patterns are in this file, and a test builds them"
)]
pub(crate) fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("is a pattern")
}

static CHAR: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\{\{\s*char\s*\}\}|<bot>|<char>"));
static USER: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\{\{\s*user\s*\}\}|<user>"));
/// Scripts and styles with their content, comments, tags, and pictures.
static MARKUP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?is)<script\b.*?(?:</script\s*>|\z)|<style\b.*?(?:</style\s*>|\z)|<!--.*?(?:-->|\z)",
        r"|</?[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>|!\[[^\]\n]*\]\([^)\n]*\)",
    ))
});
static SCRIPT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)<script\b|javascript:|\son[a-z]+\s*="));
static ACTION: LazyLock<Regex> = LazyLock::new(|| pattern(r"\*[^*\n]*\*"));
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#""([^"\n]+)"|“([^”\n]+)”|「([^」\n]+)」"#));
static LOOK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?im)(?:^|[\[;,\s])(?:appearance|looks?|outfit|外貌|外观|外表|长相)[ \t]*[:：=(（][ \t]*\n?([^\n\];]{3,})",
    )
});
/// Words to a model instead of about a character. Only a warning comes of it.
static ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:instructions?|rules?|prompts?|guidelines)\b",
        r"|(?:忽略|无视|忘记|忘掉)[^。\n]{0,20}(?:规则|指令|指示|提示)",
    ))
});

fn without_markup(text: &str) -> String {
    let plain = MARKUP.replace_all(text, |found: &regex::Captures<'_>| {
        let mark = found.get(0).map_or("", |mark| mark.as_str());
        // The mark between examples is no HTML.
        let is_start = mark.eq_ignore_ascii_case("<start>");
        if is_start { "<START>" } else { "" }
    });
    let is_hidden = |char: &char| {
        let is_break = matches!(char, '\n' | '\t');
        char.is_control() && !is_break || matches!(char, '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    plain.chars().filter(|char| !is_hidden(char)).collect()
}

fn heading_free(line: &str) -> &str {
    let text = line.trim_start_matches(['#', '＃']);
    if text.len() < line.len() {
        text.trim_start()
    } else {
        line
    }
}

fn spoken(text: &str) -> Vec<String> {
    let quoted = QUOTED.captures_iter(text);
    let words = quoted.filter_map(|found| found.iter().skip(1).flatten().next());
    words
        .map(|words| words.as_str().trim().to_owned())
        .collect()
}

fn first_sentence(text: &str) -> &str {
    let first = text.lines().find(|line| !line.trim().is_empty());
    let first = first.unwrap_or_default().trim();
    let ends = first.char_indices().filter(|(at, char)| {
        let after = first.get(at + char.len_utf8()..).unwrap_or_default();
        let is_latin = matches!(char, '.' | '!' | '?') && after.starts_with(' ') && *at > 20;
        is_latin || matches!(char, '。' | '！' | '？')
    });
    let end = ends.map(|(at, char)| at + char.len_utf8()).next();
    first.get(..end.unwrap_or(first.len())).unwrap_or(first)
}

fn shortened(text: &str, most: usize) -> String {
    let text = text.trim();
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most - 1).collect();
    let end = cut
        .rfind(' ')
        .filter(|end| *end > cut.len() / 2)
        .unwrap_or(cut.len());
    format!("{}…", cut.get(..end).unwrap_or(&cut).trim_end())
}

fn paragraphs<'p>(texts: impl IntoIterator<Item = &'p str>) -> String {
    let texts: Vec<_> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    texts.join("\n\n")
}
