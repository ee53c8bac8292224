//! A draft as the text of a world file, with comments on what its writer should look at.

use std::collections::BTreeMap;

use playhouse_engine::knowledge::Fact;
use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Language;
use playhouse_engine::world_data::{Problems, as_read};
use ron::ser::PrettyConfig;
use serde::Serialize;

use crate::drama::{Condition, Ending, Scene};
use crate::world_file::{Actor, Past, WorldFile};

/// The longest line of a text.
const COLUMNS: usize = 100;

/// Remarks by the path of the item above which they stand, such as `scenes[2]`.
pub(super) type Remarks = BTreeMap<String, Vec<String>>;

/// Everything that is wrong with a world.
pub(super) fn problems(world: &WorldFile) -> Problems {
    let read = WorldFile::parse("world.ron", &written(world, &Remarks::new()));
    read.map_or_else(|wrong| wrong, |(_, warnings)| warnings)
}

/// The text of a world file.
pub(super) fn written(world: &WorldFile, remarks: &Remarks) -> String {
    let mut text = WorldText {
        out: String::new(),
        depth: 0,
        language: world.language,
        remarks,
    };
    text.note(&text!(rpg_draft_note_world));
    text.open("", "World(");
    text.value("name", &world.name);
    text.value("language", &world.language);
    text.value("title", &world.title);
    text.note(&text!(rpg_draft_note_rules));
    text.prose("rules", &world.rules);
    text.note(&text!(rpg_draft_note_common));
    text.prose("common", &world.common);
    text.list("stages", &world.stages, |text, stage| {
        text.value("name", &stage.name);
        text.prose("profile", &stage.profile);
        text.prose("kickoff", &stage.kickoff);
        text.value("connects", &stage.connects);
    });
    text.note_on(&world.actors, &text!(rpg_draft_note_actors));
    text.list("actors", &world.actors, actor);
    text.note_on(&world.facts, &text!(rpg_draft_note_facts));
    text.list("facts", &world.facts, fact);
    text.short("items", &world.items, |text, item| {
        text.value("name", &item.name);
        text.value("look", &item.look);
        text.value("at", &item.at);
        text.filled("hidden", &item.hidden);
        text.filled("teaches", &item.teaches);
    });
    text.note_on(&world.bonds, &text!(rpg_draft_note_bonds));
    text.short("bonds", &world.bonds, |text, bond| {
        text.value("from", &bond.from);
        text.value("to", &bond.to);
        text.value("word", &bond.word);
        text.value("value", &bond.value);
    });
    text.note_on(&world.scenes, &text!(rpg_draft_note_scenes));
    text.list("scenes", &world.scenes, scene);
    text.note_on(&world.endings, &text!(rpg_draft_note_endings));
    text.list("endings", &world.endings, ending);
    text.value("schedule", &world.schedule);
    text.filled("rounds", &world.rounds);
    text.close(")");
    text.out.truncate(text.out.trim_end().len());
    // The outermost value ends without a comma.
    if text.out.ends_with(',') {
        text.out.pop();
    }
    text.out + "\n"
}

/// An item of a list, as it stands in the file.
pub(crate) fn item_text<T>(
    language: Language,
    item: &T,
    write: fn(&mut WorldText<'_>, &T),
) -> String {
    let remarks = Remarks::new();
    let mut text = WorldText {
        out: String::new(),
        depth: 2,
        language,
        remarks: &remarks,
    };
    text.open("", "(");
    write(&mut text, item);
    text.close(")");
    let item = text.out.trim();
    item.strip_suffix(',').unwrap_or(item).to_owned()
}

pub(crate) fn fact(text: &mut WorldText<'_>, fact: &Fact) {
    text.value("id", &fact.id);
    text.value("title", &fact.title);
    text.prose("text", &fact.text);
    text.filled("known_by", &fact.known_by);
    text.filled("phrases", &fact.phrases);
}

pub(crate) fn actor(text: &mut WorldText<'_>, actor: &Actor) {
    text.value("name", &actor.name);
    text.prose("profile", &actor.profile);
    text.prose("look", &actor.look);
    if actor.voice != Default::default() {
        text.open("voice", "(");
        for (name, lines) in [("lines", &actor.voice.lines), ("never", &actor.voice.never)] {
            text.items(name, lines, |text, line| {
                text.line(&format!("{},", ron_text(line)));
            });
        }
        text.close(")");
    }
    text.filled("called", &actor.called);
    text.value("faction", &actor.faction);
    text.value("stage", &actor.stage);
    text.filled("sleeps", &actor.sleeps);
    text.prose("kickoff", &actor.kickoff);
    text.short("goals", &actor.goals, |text, goal| {
        text.value("words", &goal.words);
        for (name, when) in [("met", &goal.met), ("lost", &goal.lost)] {
            if *when != Condition::Never {
                text.value(name, when);
            }
        }
        text.filled("met_words", &goal.met_words);
        text.filled("lost_words", &goal.lost_words);
    });
    text.filled("books", &actor.books);
    text.filled("tags", &actor.tags);
}

pub(crate) fn past(text: &mut WorldText<'_>, past: &Past) {
    text.value("title", &past.title);
    text.prose("summary", &past.summary);
    text.short("said", &past.said, |text, said| {
        text.value("who", &said.who);
        text.value("words", &said.words);
    });
}

pub(super) fn scene(text: &mut WorldText<'_>, scene: &Scene) {
    text.value("id", &scene.id);
    text.value("at", &scene.at);
    text.filled("cast", &scene.cast);
    text.filled("when", &scene.when);
    text.prose("opening", &scene.opening);
    if let Some(choice) = &scene.choice {
        text.open("choice", "(");
        if let [who] = choice.who.as_slice() {
            text.value("who", who);
        } else {
            text.value("who", &choice.who);
        }
        text.prose("question", &choice.question);
        text.list("options", &choice.options, |text, option| {
            text.value("id", &option.id);
            text.value("label", &option.label);
            text.filled("when", &option.when);
            text.prose("seen", &option.seen);
            text.filled("effects", &option.effects);
        });
        text.close(")");
    }
    text.filled("effects", &scene.effects);
}

pub(super) fn ending(text: &mut WorldText<'_>, ending: &Ending) {
    text.value("id", &ending.id);
    text.value("title", &ending.title);
    text.filled("when", &ending.when);
    text.prose("closing", &ending.closing);
}

pub(crate) struct WorldText<'r> {
    out: String,
    depth: usize,
    language: Language,
    remarks: &'r Remarks,
}

impl WorldText<'_> {
    fn indent(&self) -> String {
        "    ".repeat(self.depth)
    }

    fn line(&mut self, line: &str) {
        self.out += &self.indent();
        self.out += line;
        self.out.push('\n');
    }

    fn open(&mut self, name: &str, bracket: &str) {
        let name = if name.is_empty() {
            String::new()
        } else {
            format!("{name}: ")
        };
        self.line(&(name + bracket));
        self.depth += 1;
    }

    fn close(&mut self, bracket: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.line(&format!("{bracket},"));
    }

    fn note(&mut self, note: &UiText) {
        if self.depth == 1 {
            self.out.push('\n');
        }
        for line in wrapped(
            &note.in_language(self.language),
            COLUMNS - 4 * self.depth - 3,
        ) {
            self.line(&format!("// {line}"));
        }
    }

    /// A note on a list that has anything in it.
    fn note_on<T>(&mut self, items: &[T], note: &UiText) {
        if !items.is_empty() {
            self.note(note);
        }
    }

    fn value(&mut self, name: &str, value: &impl Serialize) {
        self.line(&format!("{name}: {},", ron_text(value)));
    }

    /// A member that has anything in it.
    fn filled(&mut self, name: &str, value: &(impl Serialize + Default + PartialEq)) {
        if *value != Default::default() {
            self.value(name, value);
        }
    }

    /// A long text, in lines that the reader of the file joins again.
    fn prose(&mut self, name: &str, text: &str) {
        let is_short = text.chars().count() + name.len() + 4 * self.depth < COLUMNS - 6;
        if is_short && !text.contains('\n') || text.contains("\"#") {
            return self.value(name, &text);
        }
        let from = self.out.len();
        self.line(&format!("{name}: r#\""));
        let begin = self.out.len();
        self.depth += 1;
        for paragraph in text.lines() {
            let width = COLUMNS - 4 * self.depth;
            match paragraph {
                "" => self.out.push('\n'),
                words => wrapped(words, width)
                    .iter()
                    .for_each(|line| self.line(line)),
            }
        }
        self.depth -= 1;
        if self.out.get(begin..).map(as_read) != Some(as_read(text)) {
            self.out.truncate(from);
            return self.value(name, &text);
        }
        self.line("\"#,");
    }

    /// A list; `write` writes an item of it.
    fn items<T>(&mut self, name: &str, items: &[T], write: impl Fn(&mut Self, &T)) {
        if items.is_empty() {
            return;
        }
        self.open(name, "[");
        for (number, item) in items.iter().enumerate() {
            let remarks = self.remarks.get(&format!("{name}[{number}]"));
            for remark in remarks.into_iter().flatten() {
                self.note(&text!(rpg_draft_look, remark));
            }
            write(self, item);
        }
        self.close("]");
    }

    /// A list whose members have a line each.
    fn list<T>(&mut self, name: &str, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.items(name, items, |text, item| {
            text.open("", "(");
            write(text, item);
            text.close(")");
        });
    }

    /// A list whose items have a line each.
    fn short<T>(&mut self, name: &str, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.items(name, items, |text, item| {
            let from = text.out.len();
            write(text, item);
            let members = text.out.split_off(from);
            let members: Vec<_> = members.lines().map(str::trim).collect();
            let members = members.join(" ");
            text.line(&format!("({}),", members.trim_end_matches(',')));
        });
    }
}

/// A value on one line.
pub(crate) fn ron_text(value: &impl Serialize) -> String {
    let pretty = PrettyConfig::new().depth_limit(0);
    let text = ron::ser::to_string_pretty(value, pretty).unwrap_or_default();
    // An apostrophe needs no backslash between double quotation marks.
    text.replace("\\'", "'")
}

/// Lines of words; a text without spaces stays one. No line begins with what would be read as the
/// item of a list.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let is_full = line.chars().count() + 1 + word.chars().count() > width;
        if is_full && !line.is_empty() && word.starts_with(char::is_alphabetic) {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines.push(line);
    lines
}
