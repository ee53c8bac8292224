//! A RON file: its text, the position of each field, and reading it into a type.

use std::borrow::Cow;
use std::ops::Range;

use ron::error::{Error, Position, SpannedError};
use serde::de::DeserializeOwned;

use super::brackets::{Repair, has_open_quote, repairs};
use super::mistake::{Mistake, Scope, explain};
use super::outline::{Node, Outline, Scan, Token, Tokens, past_blanks};
use super::problem::{Problem, Problems};
use super::ron_text::{MAX_RON_BYTES, Refusal, parse, refusal};
use crate::locale::{UiText, text};
use crate::message::cut;

/// After this many mistakes of form the rest of a file is not read.
const MAX_MISTAKES: usize = 100;

/// How many bytes are read again for mistakes of form. In a long file fewer of them are found.
const MAX_READ_AGAIN: usize = 16 * 1024 * 1024;

/// The longest name of an item in a message, in characters.
const LONGEST_NAME: usize = 40;

/// Full-width marks of three bytes, each with that of RON for which it is taken.
const WIDE_MARKS: [&str; 9] = [
    "：:", "，,", "、,", "（(", "）)", "【[", "】]", "“\"", "”\"",
];

/// The text of one RON file that knows the line and column of every field.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Source {
    file: String,
    text: String,
    /// The first byte of each line.
    lines: Vec<usize>,
    outline: Outline,
    /// Why it is not read at all. Then there is no outline.
    refusal: Option<Refusal>,
    /// Whether no mistake may quote a value.
    is_secret: bool,
    /// Whether this is an edited copy whose brackets match better than the original's, so that its
    /// outline says what is where.
    is_mended: bool,
    /// The files that were [joined](Self::joined), or the original of an [edited](Self::edited)
    /// copy, and which bytes come from them.
    files: Vec<Source>,
    pieces: Vec<Piece>,
}

/// A piece of a joined text, up to the next one.
#[derive(Clone, Debug)]
struct Piece {
    /// Its first byte in the whole.
    at: usize,
    /// The number of the file that it comes from.
    file: usize,
    /// Its first byte there.
    from: usize,
}

/// A member of the outermost value.
struct Member {
    name: String,
    /// Its bytes, with its name.
    field: Range<usize>,
    is_list: bool,
    /// The bytes of all its items.
    items: Range<usize>,
}

impl Member {
    /// Whether another list has more of its items.
    fn continues(&self, other: &Self) -> bool {
        self.name == other.name && self.is_list && other.is_list
    }
}

/// What [`Source::read_all`] could read.
#[derive(Clone, Debug)]
pub struct Parsed<T> {
    /// The value, without the invalid parts.
    pub value: T,
    /// Finds the position of paths in `value`.
    pub source: Source,
    /// The paths that were left out, and those they were probably meant to be.
    pub skipped: Vec<String>,
    /// All texts in the parts that were left out, so that names in them are not called unknown.
    pub skipped_texts: Vec<String>,
}

/// The parts that were left out so far.
#[derive(Default)]
struct Skipped {
    paths: Vec<String>,
    texts: Vec<String>,
}

/// A mistake of form, and how to continue after it.
struct Diagnosis {
    problem: Problem,
    /// Whether nothing can be at this position, most likely because of an earlier mistake.
    is_stray: bool,
    /// Whether a quotation mark is the mistake.
    is_quote: bool,
    /// Whether a closing bracket stands where something is missing.
    closes: bool,
    recovery: Option<Recovery>,
}

enum Recovery {
    /// Leave out this node, which was probably meant to be the field of this name.
    Skip(usize, Option<&'static str>),
    /// Put a comma at this byte.
    AddComma(usize),
}

/// The lines of an item, of which the last is to be indented like this.
fn indented(item: &str, indent: &str) -> String {
    let mut lines = item.split('\n');
    let last = item.rsplit('\n').next().unwrap_or_default();
    let (own, _) = last.split_at(last.len() - last.trim_start().len());
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        text.push('\n');
        if !line.is_empty() {
            text.push_str(indent);
        }
        text.push_str(line.strip_prefix(own).unwrap_or(line));
    }
    text
}

/// A text with other words in this range.
fn replaced(text: &str, range: std::ops::Range<usize>, new: &str) -> Option<String> {
    Some([text.get(..range.start)?, new, text.get(range.end..)?].concat())
}

impl Source {
    /// The content of a file of at most 8 MiB; the name is only for messages. A byte order mark and
    /// carriage returns are removed.
    pub fn new(file: impl Into<String>, text: &str) -> Self {
        Self::limited(file, text, MAX_RON_BYTES)
    }

    /// As [`Self::new`], for files of at most `max_bytes`.
    pub fn limited(file: impl Into<String>, text: &str, max_bytes: usize) -> Self {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let mut scan = Scan::new();
        let refusal = refusal(&text, max_bytes, |token| scan.take(token, &text));
        let outline = match &refusal {
            None => scan.end(),
            Some(_) => Outline::default(),
        };
        let breaks = text.match_indices('\n').map(|(offset, _)| offset + 1);
        Self {
            file: file.into(),
            lines: std::iter::once(0).chain(breaks).collect(),
            outline,
            refusal,
            text,
            is_secret: false,
            is_mended: false,
            files: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// The same, of which no mistake quotes a value, since it may be a key.
    pub fn secret(self) -> Self {
        Self {
            is_secret: true,
            ..self
        }
    }

    /// One text with the members of several files; lists that several of them have are joined in
    /// their order. Mistakes are told where they stand in their own file.
    ///
    /// ```
    /// use playhouse_engine::world_data::Source;
    ///
    /// let shop = Source::new("shop.ron", "(name: \"Bells\", items: [(id: \"bell\")])");
    /// let more = Source::new("lamps.ron", "(\n    items: [(id: \"lamp\", price: 3)],\n)");
    /// let both = Source::joined(vec![shop, more]);
    /// assert_eq!(both.value_at("items[1].price"), Some("3"));
    /// let changed = both.with_value("items[lamp].price", "4").unwrap();
    /// assert!(changed.files()[1].text().contains("price: 4"));
    /// ```
    pub fn joined(mut files: Vec<Self>) -> Self {
        if files.len() < 2 {
            return files.pop().unwrap_or_default();
        }
        let mut members = Vec::<Vec<(usize, Member)>>::new();
        for (number, file) in files.iter().enumerate() {
            for member in file.members() {
                let is_more = |of: &&mut Vec<(usize, Member)>| {
                    of.iter().all(|(_, known)| known.continues(&member))
                };
                match members.iter_mut().find(is_more) {
                    Some(list) => list.push((number, member)),
                    None => members.push(vec![(number, member)]),
                }
            }
        }
        let mut text = "(".to_owned();
        let mut pieces = vec![Piece {
            at: 0,
            file: 0,
            from: 0,
        }];
        let mut add = |file: usize, range: Range<usize>, end: &str| {
            pieces.push(Piece {
                at: text.len(),
                file,
                from: range.start,
            });
            let piece = files.get(file).and_then(|file| file.text.get(range));
            text += piece.unwrap_or_default();
            text += end;
        };
        for list in members {
            match list.as_slice() {
                [(file, member)] => add(*file, member.field.clone(), ",\n"),
                [(file, first), ..] => {
                    add(*file, first.field.start..first.items.start, "");
                    for (file, member) in &list {
                        let end = if member.items.is_empty() { "" } else { ",\n" };
                        add(*file, member.items.clone(), end);
                    }
                    add(*file, first.field.end..first.field.end, "],\n");
                }
                [] => {}
            }
        }
        let name = files.first().map(|file| file.file.clone());
        Self {
            pieces,
            files,
            ..Self::new(name.unwrap_or_default(), &(text + ")"))
        }
    }

    /// The files that it was joined from; none if it is one file.
    pub fn files(&self) -> &[Self] {
        &self.files
    }

    /// The files that it was joined from, or it alone.
    #[must_use]
    pub fn into_files(self) -> Vec<Self> {
        if self.files.is_empty() {
            return vec![self];
        }
        self.files
    }

    /// The name of the file for messages.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The members of the outermost value.
    fn members(&self) -> Vec<Member> {
        let nodes = self.outline.nodes();
        let member = |(number, node): (usize, &Node)| {
            let value = self.text.get(node.value.clone())?;
            let mut items = nodes.iter().filter(|item| item.is_in(number));
            let first = items.next();
            let last = items.next_back().or(first);
            let inside = node.value.start + 1;
            let items = first.zip(last).map_or(inside..inside, |(first, last)| {
                first.field.start..last.field.end
            });
            Some(Member {
                name: self.outline.path(number, &self.text),
                field: node.field.clone(),
                is_list: value.starts_with('['),
                items,
            })
        };
        let members = nodes.iter().enumerate().filter(|(_, node)| node.is_in(0));
        members.filter_map(member).collect()
    }

    /// The file that a byte comes from, and its byte there; `None` if it is the only one.
    fn file_at(&self, byte: usize) -> Option<(usize, usize)> {
        let before = self.pieces.partition_point(|piece| piece.at <= byte);
        let piece = self.pieces.get(before.saturating_sub(1))?;
        Some((piece.file, piece.from + byte.saturating_sub(piece.at)))
    }

    /// The file of a value of a joined text, and its path there.
    fn in_file(&self, path: &str) -> Option<(usize, String)> {
        let (start, path) = self.find(path);
        Some((self.file_at(start)?.0, path))
    }

    /// The file of a list of a joined text, its path and the number of an item there. A list that
    /// several files have is that of the last of them, unless an item says which.
    fn list_in_file(
        &self,
        list: &str,
        item: Option<usize>,
    ) -> Option<(usize, String, Option<usize>)> {
        if let Some(number) = item {
            let (file, path) = self.in_file(&format!("{list}[{number}]"))?;
            let (list, number) = path.strip_suffix(']')?.rsplit_once('[')?;
            return Some((file, list.to_owned(), Some(number.parse().ok()?)));
        }
        if list.contains('.') {
            let (file, path) = self.in_file(list)?;
            return Some((file, path, None));
        }
        let has_list = |file: &Self| file.value_at(list).is_some();
        let last = self.files.iter().rposition(has_list).unwrap_or(0);
        Some((last, list.to_owned(), None))
    }

    /// The same with another text of one of its files.
    fn with_file(&self, number: usize, changed: Self) -> Option<Self> {
        let mut files = self.files.clone();
        *files.get_mut(number)? = changed;
        Some(Self::joined(files))
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text with another value at `path`, such as `limits.talk_turns`; items of lists may be
    /// named by their `id` or `name`, as in `actors[Odile Marsh].goals`. Members that are missing
    /// are added. Lines keep their numbers if the value has no more than before. `None` if nothing
    /// is there that could have the member.
    ///
    /// ```
    /// use playhouse_engine::world_data::Source;
    ///
    /// let source = Source::new("shop.ron", "(items: [(id: \"bell\", price: 3)])");
    /// let changed = source.with_value("items[bell].price", "4").unwrap();
    /// assert_eq!(changed.text(), "(items: [(id: \"bell\", price: 4)])");
    /// let added = source.with_value("items[0].stock.shelf", "9").unwrap();
    /// assert!(added.text().contains("[(stock: (shelf: 9), id:"));
    /// assert!(source.with_value("items[lamp].price", "4").is_none());
    /// ```
    #[must_use]
    pub fn with_value(&self, path: &str, value: &str) -> Option<Self> {
        if let Some((file, path)) = self.in_file(&self.numbered(path)?) {
            return self.with_file(file, self.files.get(file)?.with_value(&path, value)?);
        }
        let text = self.text_with_value(path, value)?;
        Some(Self::new(self.file.clone(), &text))
    }

    /// The text that has another value at `path`, as in [`Self::with_value`]; of joined files it is
    /// one.
    pub fn text_with_value(&self, path: &str, value: &str) -> Option<String> {
        let path = self.numbered(path)?;
        let node = |path: &str| self.node(self.outline.find(path, &self.text)?);
        match node(&path) {
            Some(node) => {
                let old = self.text.get(node.value.clone())?;
                let lines = |text: &str| text.matches('\n').count();
                let missing = lines(old).saturating_sub(lines(value));
                let new = format!("{value}{}", "\n".repeat(missing));
                replaced(&self.text, node.value.clone(), &new)
            }
            None => {
                let parent = self.nearest(&path)?;
                let missing = path.get(parent.len()..)?.trim_start_matches('.');
                let mut names = missing.split('.').rev();
                let last = format!("{}: {value}", names.next()?);
                let member = names.fold(last, |member, name| format!("{name}: ({member})"));
                let parent = node(parent)?.value.clone();
                let (name, _) = self.text.get(parent.clone())?.split_once('(')?;
                if !name
                    .chars()
                    .all(|char| char.is_alphanumeric() || char == '_')
                {
                    return None;
                }
                let inside = parent.start + name.len() + 1;
                replaced(&self.text, inside..inside, &format!("{member}, "))
            }
        }
    }

    /// The text of the value at a path, such as `actors[2].stats.hp`.
    pub fn value_at(&self, path: &str) -> Option<&str> {
        let node = self.node(self.outline.find(path, &self.text)?)?;
        self.text.get(node.value.clone())
    }

    /// The text with one more item in a list, before the item of this number or at the end. A list
    /// that is missing is added. `None` if there is no such place.
    ///
    /// ```
    /// use playhouse_engine::world_data::Source;
    ///
    /// let source = Source::new("shop.ron", "(items: [\n    1,\n    2\n])");
    /// let more = source.with_item("items", None, "3").unwrap();
    /// assert_eq!(more.text(), "(items: [\n    1,\n    2,\n    3,\n])");
    /// let first = source.with_item("items", Some(0), "0").unwrap();
    /// assert_eq!(first.text(), "(items: [\n    0,\n    1,\n    2\n])");
    /// let new = source.with_item("prices", None, "3").unwrap();
    /// assert!(new.text().ends_with("    2\n],\nprices: [\n    3,\n],)"));
    /// ```
    #[must_use]
    pub fn with_item(&self, list: &str, before: Option<usize>, item: &str) -> Option<Self> {
        if !self.files.is_empty() {
            let (file, list, before) = self.list_in_file(list, before)?;
            let changed = self.files.get(file)?.with_item(&list, before, item)?;
            return self.with_file(file, changed);
        }
        let find = |path: &str| self.outline.find(path, &self.text);
        let last_in = |outer| self.outline.nodes().iter().rfind(|node| node.is_in(outer));
        let indent_at = |at: usize| {
            let line = self.text.get(..at)?.rsplit('\n').next()?;
            line.get(..line.len() - line.trim_start().len())
        };
        let next = before.and_then(|number| self.node(find(&format!("{list}[{number}]"))?));
        let text = if let Some(next) = next {
            let (at, indent) = (next.value.start, indent_at(next.value.start)?);
            let new = format!("{},\n{indent}", indented(item, indent));
            replaced(&self.text, at..at, &new)?
        } else if let Some(whole) = find(list) {
            if let Some(last) = last_in(whole) {
                self.after(last, indent_at(last.value.start)?, item)?
            } else {
                let start = self.node(whole)?.value.start;
                let (at, indent) = (start + 1, indent_at(start)?);
                let item = indented(item, &format!("{indent}    "));
                replaced(
                    &self.text,
                    at..at,
                    &format!("\n{indent}    {item},\n{indent}"),
                )?
            }
        } else {
            let (outer, name) = list.rsplit_once('.').unwrap_or(("", list));
            let new = format!("{name}: [\n    {},\n]", indented(item, "    "));
            match last_in(find(outer)?) {
                Some(last) => self.after(last, indent_at(last.field.start)?, &new)?,
                None => return self.with_value(list, &format!("[{item}]")),
            }
        };
        Some(Self::new(self.file.clone(), &text))
    }

    /// The text with something more after a member or an item. A comment beside that stays there.
    fn after(&self, last: &Node, indent: &str, new: &str) -> Option<String> {
        let (before, rest) = self.text.split_at_checked(last.value.end)?;
        let rest = rest.strip_prefix(',').unwrap_or(rest);
        let line = rest.split('\n').next()?;
        let is_comment = line.trim_start().starts_with("//");
        let (beside, rest) = rest.split_at(if is_comment { line.len() } else { 0 });
        let new = indented(new, indent);
        Some(format!("{before},{beside}\n{indent}{new},{rest}"))
    }

    /// The innermost part of a path that is there; `None` if what is missing are items.
    fn nearest<'p>(&self, path: &'p str) -> Option<&'p str> {
        let mut part = path;
        while self.outline.find(part, &self.text).is_none() {
            let (outer, name) = part.rsplit_once('.').unwrap_or(("", part));
            if part.is_empty() || name.contains('[') {
                return None;
            }
            part = outer;
        }
        Some(part)
    }

    /// The path with the numbers of the items that it names.
    fn numbered(&self, path: &str) -> Option<String> {
        let mut parts = path.split('[');
        let mut numbered = parts.next()?.to_owned();
        for part in parts {
            let (name, rest) = part.split_once(']')?;
            let number = match name.parse() {
                Ok(number) => number,
                Err(_) => self.item(&numbered, name)?,
            };
            numbered += &format!("[{number}]{rest}");
        }
        Some(numbered)
    }

    /// The number of the item with this id or name in a list.
    fn item(&self, list: &str, name: &str) -> Option<usize> {
        let wanted = format!("\"{name}\"");
        let find = |path: &str| self.node(self.outline.find(path, &self.text)?);
        let mut items = (0..).map(|number| (number, format!("{list}[{number}]")));
        let found = items.find(|(_, item)| {
            let is_it = |member| {
                let node = find(&format!("{item}.{member}"));
                node.is_some_and(|node| self.text.get(node.value.clone()) == Some(&wanted))
            };
            find(item).is_none() || is_it("id") || is_it("name")
        });
        found
            .filter(|(_, item)| find(item).is_some())
            .map(|(number, _)| number)
    }

    /// An error at `path`, such as `actors[2].stats.hp`: what is wrong, and how to fix it (`""` if
    /// the message says it). If the path is not in the text, its position is that of the innermost
    /// part that would contain it.
    ///
    /// ```
    /// use playhouse_engine::locale::{UiText, text};
    /// use playhouse_engine::world_data::Source;
    ///
    /// let source = Source::new("shop.ron", "(name: \"\")");
    /// let problem = source.problem("name", text!(cast_name_empty), UiText::default());
    /// assert_eq!(problem.to_string(), "shop.ron:1:8: error: name: a name can't be empty");
    /// ```
    pub fn problem(&self, path: &str, message: UiText, help: UiText) -> Problem {
        let (start, field) = self.find(path);
        self.problem_in((start, field), message, help)
    }

    /// Adds the [problem](Self::problem) at `path` to `problems`. Its position is looked up only if
    /// it is going to be told.
    pub fn report(&self, problems: &mut Problems, path: &str, message: UiText, help: UiText) {
        if problems.is_full() {
            problems.push(Problem::of_file(&self.file, message, help));
        } else {
            problems.push(self.problem(path, message, help));
        }
    }

    /// Reads the whole text as a `T`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        self.refused()?;
        parse(&self.plain()).map_err(|error| {
            let diagnosis = self.diagnose(&error);
            self.with_plain_mark()
                .or_else(|| self.with_brackets(&diagnosis))
                .map_or(diagnosis.problem, |(problem, _)| problem)
        })
    }

    /// Reads the text as a `T` and continues after each mistake of form, leaving out the smallest
    /// part that contains it. All mistakes come with what was read.
    ///
    /// Fields may be left out too, so `T` should have defaults for all (`#[serde(default)]`).
    pub fn read_all<T: DeserializeOwned>(&self) -> Result<(Parsed<T>, Problems), Problems> {
        let mut problems = Problems::new();
        match self.read_into(&mut problems) {
            Some(parsed) => Ok((parsed, problems)),
            None => {
                problems.sort();
                Err(problems)
            }
        }
    }

    /// As [`Self::read_all`], of a [joined](Self::joined) text: each of its files is read for
    /// mistakes of form first.
    pub fn read_joined<T: DeserializeOwned>(self) -> Result<(Parsed<T>, Problems), Problems> {
        if self.files.is_empty() {
            return self.read_all();
        }
        let mut problems = Problems::new();
        let mut skipped = Skipped::default();
        let mut read = Vec::new();
        for file in &self.files {
            if let Some(parsed) = file.read_into::<T>(&mut problems) {
                skipped.paths.extend(parsed.skipped);
                skipped.texts.extend(parsed.skipped_texts);
                read.push(parsed.source);
            }
        }
        let is_sound = read.iter().all(|file| file.files.is_empty());
        let whole = match read.len() == self.files.len() {
            true if is_sound => Some(self),
            true => Some(Self::joined(read)),
            false => None,
        };
        match whole.and_then(|whole| whole.read_into(&mut problems)) {
            Some(mut parsed) => {
                parsed.skipped.extend(skipped.paths);
                parsed.skipped_texts.extend(skipped.texts);
                Ok((parsed, problems))
            }
            None => {
                problems.sort();
                Err(problems)
            }
        }
    }

    fn read_into<T: DeserializeOwned>(&self, problems: &mut Problems) -> Option<Parsed<T>> {
        if let Err(problem) = self.refused() {
            problems.push(problem);
            return None;
        }
        let mut source = self.clone();
        let mut skipped = Skipped::default();
        let mut reported: Vec<String> = Vec::new();
        // What a mistake makes unreadable: the rest of an item after a quote, of a bracket that
        // was not closed its values.
        let (mut unquoted, mut unclosed) = (Vec::<String>::new(), Vec::<String>::new());
        let mistakes = MAX_READ_AGAIN / self.text.len().max(1);
        for _ in 0..mistakes.min(MAX_MISTAKES) {
            let error = match parse(&source.plain()) {
                Ok(value) => {
                    return Some(Parsed {
                        value,
                        source,
                        skipped: skipped.paths,
                        skipped_texts: skipped.texts,
                    });
                }
                Err(error) => error,
            };
            let diagnosis = source.diagnose(&error);
            let repaired = source.with_plain_mark();
            if let Some((problem, copy)) = repaired.or_else(|| source.with_brackets(&diagnosis)) {
                unclosed.extend(Some(problem.field.clone()).filter(|field| !field.is_empty()));
                problems.push(problem);
                source = copy;
                continue;
            }
            let field = &diagnosis.problem.field;
            // A second mistake at one place follows from the first.
            let place = |problem: &Problem| (problem.line, problem.column);
            let follows = problems.iter().any(|known| {
                known.file == diagnosis.problem.file && place(known) == place(&diagnosis.problem)
            });
            let is_left_out = match error.code {
                _ if follows => true,
                Error::MissingStructField { field: name, .. } => {
                    skipped.paths.contains(&format!("{field}.{name}"))
                }
                _ if diagnosis.closes => reported.iter().any(|path| is_within(path, field)),
                _ if unquoted.iter().any(|outer| is_within(field, outer)) => true,
                _ if unclosed.iter().any(|outer| is_value_of(field, outer)) => true,
                _ => diagnosis.is_stray && reported.iter().any(|path| is_within(path, field)),
            };
            if !is_left_out {
                if diagnosis.is_quote {
                    let item = field.find(']').map(|end| end + 1);
                    unquoted.extend(item.and_then(|end| field.get(..end)).map(str::to_owned));
                }
                reported.push(field.clone());
                problems.push(diagnosis.problem);
            }
            source = source.recovered(diagnosis.recovery?, &mut skipped)?;
        }
        None
    }

    /// The text with a space for each blank that is none in RON, such as the wide one of a Chinese
    /// keyboard. Lines and columns stay.
    fn plain(&self) -> Cow<'_, str> {
        let is_odd = |c: char| c.is_whitespace() && (c == '\u{a0}' || c > '\u{ff}');
        if !self.text.contains(is_odd) {
            return Cow::Borrowed(&self.text);
        }
        let mut plain = String::with_capacity(self.text.len());
        let mut tokens = Tokens::of(&self.text);
        loop {
            let end = tokens.position();
            let token = tokens.next();
            let start = past_blanks(&self.text, end);
            let gap = self.text.get(end..start).unwrap_or_default();
            plain.extend(gap.chars().map(|c| if is_odd(c) { ' ' } else { c }));
            plain += self.text.get(start..tokens.position()).unwrap_or_default();
            if token.is_none() {
                return Cow::Owned(plain);
            }
        }
    }

    /// A copy without the first full-width mark that stands where a plain one belongs, as a Chinese
    /// keyboard gives it.
    fn with_plain_mark(&self) -> Option<(Problem, Self)> {
        let (start, wide, plain) = Tokens::of(&self.text).find_map(|token| {
            let Token::Scalar(span) = token else {
                return None;
            };
            let word = self.text.get(span.clone())?;
            // What else is not ASCII is a text that lacks its quotes.
            let is_bare = !word.contains(['"', '\'']);
            let mut letters = word.char_indices().filter(|_| is_bare);
            let (at, mark) = letters.find(|(_, letter)| !letter.is_ascii())?;
            let plain = WIDE_MARKS.iter().find_map(|pair| pair.strip_prefix(mark))?;
            Some((span.start + at, mark, plain))
        })?;
        let message = text!(world_data_unexpected, found = wide.to_string());
        let help = text!(world_data_did_you_mean, name = plain);
        let problem = self.problem_at(start, message, help);
        let inside = start + wide.len_utf8();
        let copy = match self.wide_end(inside).filter(|_| plain == "\"") {
            Some(end) => {
                let words = self.text.get(inside..end)?.replace('"', "'");
                self.edited(start..end + '”'.len_utf8(), &format!("\"{words}\""))
            }
            None => self.edited(start..inside, plain),
        };
        Some((problem, copy?))
    }

    /// Where a text ends that began with a wide quotation mark: at the other half; `None` if at a
    /// plain one, before a comma, a bracket or a line break.
    fn wide_end(&self, inside: usize) -> Option<usize> {
        let mut depth = 1;
        let rest = self.text.get(inside..)?;
        for (at, quote) in rest.match_indices(['"', '“', '”']) {
            let after = rest.get(at + quote.len()..)?.trim_start_matches(' ');
            match quote {
                "“" => depth += 1,
                "”" if depth == 1 => return Some(inside + at),
                "”" => depth -= 1,
                _ if after.starts_with([',', ')', ']', '}', '\n']) => return None,
                _ => {}
            }
        }
        None
    }

    /// A copy with the first bracket that is missing, or without the first that is one too many.
    fn with_brackets(&self, diagnosis: &Diagnosis) -> Option<(Problem, Self)> {
        // An open quote hides what is a bracket, even when it has been left out.
        let original = self.files.last().unwrap_or(self);
        if diagnosis.is_quote || has_open_quote(&original.text) {
            return None;
        }
        let repair = repairs(&self.text).into_iter().next()?;
        let copy = match &repair {
            Repair::Remove(at) => self.edited(*at..at + 1, ""),
            Repair::Insert {
                at, marks, comma, ..
            } => {
                let comma = if *comma { "," } else { "" };
                self.edited(*at..*at, &format!("{marks}{comma}"))
            }
        };
        let copy = copy?;
        let is_mended = true;
        Some((self.bracket_problem(&repair), Self { is_mended, ..copy }))
    }

    fn bracket_problem(&self, repair: &Repair) -> Problem {
        let quoted = |at: usize| self.text.get(at..at + 1).unwrap_or_default();
        let (at, of, message, help) = match repair {
            Repair::Remove(at) => {
                let message = text!(world_data_bracket_too_many, mark = quoted(*at));
                (*at, *at, message, text!(world_data_remove_it))
            }
            Repair::Insert {
                at, marks, partner, ..
            } => {
                let (other, line) = (quoted(*partner), self.place(*partner).1);
                let message = if at < partner {
                    text!(world_data_bracket_not_opened, marks, other, line)
                } else {
                    text!(world_data_bracket_not_closed, marks, other, line)
                };
                let help = text!(world_data_bracket_add, marks);
                (*at, *partner.min(at), message, help)
            }
        };
        let node = self
            .innermost(of)
            .map(|(index, _)| self.original_path(index));
        self.problem_in((at, node.unwrap_or_default()), message, help)
    }

    fn refused(&self) -> Result<(), Problem> {
        self.refusal.as_ref().map_or(Ok(()), |refusal| {
            let Refusal { message, help, .. } = refusal.clone();
            Err(self.problem_at(refusal.byte, message, help))
        })
    }

    fn node(&self, index: usize) -> Option<&Node> {
        self.outline.nodes().get(index)
    }

    /// A copy in which parsing gets further.
    fn recovered(&self, recovery: Recovery, skipped: &mut Skipped) -> Option<Self> {
        let (node, meant) = match recovery {
            Recovery::AddComma(byte) => return self.edited(byte..byte, ","),
            Recovery::Skip(node, meant) => (node, meant),
        };
        let path = self.original_path(node);
        let siblings = path.rfind('.').map_or("", |end| &path[..=end]);
        let meant = meant.map(|meant| format!("{siblings}{meant}"));
        skipped.paths.extend(meant);
        skipped.paths.push(path);
        skipped.texts.extend(self.texts_within(node));
        let field = self.with_comma(&self.node(node)?.field);
        self.edited(field, "")
    }

    /// The position of `path`, and its path in the original.
    fn find(&self, path: &str) -> (usize, String) {
        let mut known = path;
        loop {
            let found = self.outline.find(known, &self.text);
            if let Some((index, node)) = found.and_then(|index| Some((index, self.node(index)?))) {
                let rest = path.get(known.len()..).unwrap_or_default();
                return (node.value.start, self.original_path(index) + rest);
            }
            if known.is_empty() {
                return (0, path.to_owned());
            }
            known = known.rfind(['.', '[']).map_or("", |end| &known[..end]);
        }
    }

    /// The path of a node in the original, of a joined text in its own file.
    fn original_path(&self, node: usize) -> String {
        let (source, node) = self.origin(node);
        source.outline.path(node, &source.text)
    }

    /// The original, and the node in it.
    fn origin(&self, node: usize) -> (&Self, usize) {
        let start = self.node(node).map(|node| node.value.start);
        let start = start.filter(|_| !self.is_mended);
        let file = start.and_then(|start| self.file_at(start));
        let same = file.and_then(|(file, start)| {
            let source = self.files.get(file)?;
            let mut nodes = source.outline.nodes().iter();
            let found = nodes.position(|original| original.value.start == start);
            Some(source.origin(found?))
        });
        same.unwrap_or((self, node))
    }

    /// The file, the line and the column (in characters) of a byte in the original, from 1.
    fn place(&self, byte: usize) -> (&str, usize, usize) {
        let file = self.file_at(byte);
        if let Some((file, byte)) = file.and_then(|(file, at)| Some((self.files.get(file)?, at))) {
            return file.place(byte.min(file.text.len()));
        }
        let line = self.lines.partition_point(|start| *start <= byte);
        let start = line.checked_sub(1).and_then(|line| self.lines.get(line));
        let before = self.text.get(start.copied().unwrap_or(0)..byte);
        let column = 1 + before.unwrap_or_default().chars().count();
        (&self.file, line.max(1), column)
    }

    /// The byte at a line and column of this text.
    fn byte(&self, position: Position) -> usize {
        let line = self.lines.get(position.line.saturating_sub(1));
        let before = line.copied().unwrap_or(self.text.len());
        let line = self
            .text
            .get(before..)
            .unwrap_or_default()
            .split_inclusive('\n')
            .next()
            .unwrap_or_default();
        let within = line.char_indices().nth(position.col.saturating_sub(1));
        before + within.map_or(line.len(), |(offset, _)| offset)
    }

    /// What is wrong, where, and how to continue.
    fn diagnose(&self, error: &SpannedError) -> Diagnosis {
        let mut byte = self.byte(error.span.start);
        // A missing colon belongs before the blanks, other mistakes are after them.
        if error.code != Error::ExpectedMapColon {
            byte = past_blanks(&self.text, byte);
        }
        if byte >= self.text.len() {
            return self.unexpected_end(byte);
        }
        let node = self.innermost(byte);
        let (found, inside) = self.found(byte, node.map(|(_, node)| node));
        let found_closes = found.starts_with([')', ']', '}']);
        let mut mistake = explain(&error.code, found, inside);
        let is_quote = mistake.scope == Scope::Comma
            && self
                .text
                .get(..byte)
                .is_some_and(|before| before.ends_with('"'));
        if is_quote {
            mistake.message = text!(world_data_text_ended);
            mistake.help = text!(world_data_quote_within);
        }
        let is_stray = node.is_some_and(|(index, _)| {
            let (source, index) = self.origin(index);
            source.node(index).is_some_and(|node| node.stray)
        });
        // The outermost value can't be left out.
        let is_part = |index| is_stray || !self.outline.path(index, &self.text).is_empty();
        let part = node.filter(|(index, _)| is_part(*index));
        let skip = part.map(|(index, _)| Recovery::Skip(index, mistake.meant));
        let recovery = match mistake.scope {
            Scope::File => None,
            Scope::Comma => self.end_before(byte).map(Recovery::AddComma).or(skip),
            Scope::Part => skip,
        };
        let field = node.map(|(index, _)| self.original_path(index));
        let at = (byte, field.unwrap_or_default());
        let problem = self.problem_in(at, mistake.message, mistake.help);
        Diagnosis {
            problem,
            is_stray,
            is_quote,
            closes: found_closes,
            recovery,
        }
    }

    fn unexpected_end(&self, byte: usize) -> Diagnosis {
        let Mistake { message, help, .. } = explain(&Error::Eof, "", false);
        Diagnosis {
            problem: self.problem_at(byte, message, help),
            is_stray: true,
            is_quote: false,
            closes: false,
            recovery: None,
        }
    }

    /// A problem at a byte, in a field of the original.
    fn problem_in(&self, at: (usize, String), message: UiText, help: UiText) -> Problem {
        let (byte, field) = at;
        Problem {
            named: self.named(byte, &field),
            field,
            ..self.problem_at(byte, message, help)
        }
    }

    /// A field of the original with the ids or names of items, where they have one, instead of
    /// their numbers.
    fn named(&self, byte: usize, field: &str) -> String {
        let file = self.file_at(byte).filter(|_| !self.is_mended);
        if let Some((file, byte)) = file.and_then(|(file, at)| Some((self.files.get(file)?, at))) {
            return file.named(byte, field);
        }
        let mut named = field.to_owned();
        if self.is_secret {
            return named;
        }
        // From the innermost: what is before it keeps its place.
        for (end, _) in field.rmatch_indices(']') {
            let item = field.get(..=end).unwrap_or_default();
            let name = ["id", "name"].into_iter().find_map(|member| {
                let value = self.value_at(&format!("{item}.{member}"))?;
                let name = value.strip_prefix('"')?.strip_suffix('"')?;
                (!name.trim().is_empty()).then(|| cut(name, LONGEST_NAME))
            });
            if let Some((begin, name)) = item.rfind('[').zip(name) {
                named.replace_range(begin + 1..end, &name);
            }
        }
        named
    }

    fn problem_at(&self, byte: usize, message: UiText, help: UiText) -> Problem {
        let (file, line, column) = self.place(byte);
        Problem {
            line,
            column,
            ..Problem::of_file(file, message, help)
        }
    }

    /// What is at the byte, and whether the byte is in the middle of it. In the middle of brackets
    /// it is what follows, not all of them.
    fn found(&self, byte: usize, node: Option<&Node>) -> (&str, bool) {
        let value = node.map(|node| node.value.clone());
        let shown = value.filter(|value| value.contains(&byte) && !self.is_secret);
        let Some(value) = shown else {
            return ("", false);
        };
        let found = self.text.get(value.clone()).unwrap_or_default();
        let rest = self.text.get(byte..value.end).unwrap_or_default();
        let closing = [')', ']', '}'];
        let inside = value.start < byte;
        if inside && rest.starts_with(closing) {
            (&rest[..1], false)
        } else if inside && found.ends_with(closing) {
            ("", false)
        } else {
            (found, inside)
        }
    }

    /// The smallest node that contains a byte, with its index.
    fn innermost(&self, byte: usize) -> Option<(usize, &Node)> {
        let nodes = self.outline.nodes().iter().enumerate();
        let around = nodes.filter(|(_, node)| node.field.contains(&byte));
        // Of equal ones the inner one, which comes later.
        around.rev().min_by_key(|(_, node)| node.field.len())
    }

    /// The end of the last value before a byte.
    fn end_before(&self, byte: usize) -> Option<usize> {
        let ends = self.outline.nodes().iter().map(|node| node.value.end);
        ends.filter(|end| *end <= byte).max()
    }

    /// A field and the comma after it.
    fn with_comma(&self, field: &Range<usize>) -> Range<usize> {
        let after = self.text.get(field.end..).unwrap_or_default();
        let blanks = after.len() - after.trim_start().len();
        let comma = after[blanks..].starts_with(',');
        field.start..field.end + if comma { blanks + 1 } else { 0 }
    }

    /// A copy with another text in a range, which knows where its bytes come from.
    fn edited(&self, range: Range<usize>, new: &str) -> Option<Self> {
        let text = replaced(&self.text, range.clone(), new)?;
        let end = range.start + new.len();
        let is_copy = !self.files.is_empty() && !self.is_mended;
        let old = if is_copy { &self.pieces[..] } else { &[] };
        let piece = |at: usize, byte: usize| {
            let of = is_copy.then(|| self.file_at(byte)).flatten();
            let (file, from) = of.unwrap_or((0, byte));
            Piece { at, file, from }
        };
        let before = old.iter().take_while(|piece| piece.at < range.start);
        let after = old.iter().skip_while(|piece| piece.at <= range.end);
        let mut pieces = vec![piece(0, 0)];
        pieces.extend(before.skip(1).cloned());
        pieces.push(piece(range.start, range.start));
        pieces.push(piece(end, range.end));
        pieces.extend(after.map(|piece| Piece {
            at: piece.at - range.end + end,
            ..piece.clone()
        }));
        Some(Self {
            pieces,
            files: if is_copy {
                self.files.clone()
            } else {
                vec![self.clone()]
            },
            is_secret: self.is_secret,
            ..Self::new(self.file.clone(), &text)
        })
    }

    fn texts_within(&self, node: usize) -> Vec<String> {
        let Some(outer) = self.node(node).map(|node| &node.field) else {
            return Vec::new();
        };
        let inside = |value: &Range<usize>| outer.start <= value.start && value.end <= outer.end;
        let nodes = self
            .outline
            .nodes()
            .iter()
            .filter(|node| inside(&node.value));
        let texts = nodes.filter_map(|node| self.text.get(node.value.clone()));
        texts.filter_map(|text| parse(text).ok()).collect()
    }
}

pub fn is_within(path: &str, outer: &str) -> bool {
    let rest = path.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || outer.is_empty() || rest.starts_with(['.', '[']))
}

/// Whether a path is that of a value without a name in another.
fn is_value_of(path: &str, outer: &str) -> bool {
    let rest = path
        .strip_prefix(outer)
        .and_then(|rest| rest.strip_prefix('.'));
    rest.is_some_and(|rest| rest.parse::<usize>().is_ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Sample {
        name: String,
        cages: Vec<Cage>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Cage {
        animal: String,
        legs: i32,
        diet: Diet,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    enum Diet {
        #[default]
        Grass,
        Meat(Vec<String>),
    }

    fn first(text: &str) -> Problem {
        let read = Source::new("x.ron", text).read::<Sample>();
        read.expect_err("is wrong")
    }

    fn read_all(text: &str) -> (Option<Parsed<Sample>>, Vec<String>) {
        let mut problems = Problems::new();
        let parsed = Source::new("x.ron", text).read_into(&mut problems);
        (parsed, problems.iter().map(Problem::to_string).collect())
    }

    #[test]
    fn an_unknown_field_is_reported_with_the_one_that_was_meant() {
        let problem = first("(\n  cages: [(legs: 4), (anmal: \"ox\")],\n)");
        assert_eq!(
            problem.to_string(),
            "x.ron:2:23: error: cages[1].anmal: unknown field `anmal`; did you mean `animal`?"
        );
        let problem = first("(cages: [(diet: Graas)])");
        assert_eq!(
            problem.to_string(),
            "x.ron:1:17: error: cages[0].diet: unknown value `Graas`; did you mean `Grass`?"
        );
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_reported() {
        let told = |text: &str| first(text).to_string();
        insta::assert_snapshot!(
            [
                told("(cages: [(legs: 2.5)])"),
                told("(cages: [(legs: \"four\")])"),
                told("(cages: [(legs: 99999999999)])"),
                told("(name: 5)"),
                told("(name: \"a\", name: \"b\")"),
                told("(cages: \"many\")"),
                told("(cages: [(diet: Meat)])"),
                told("(name: \"a\\q\")"),
                told("(name: \"a\" cages: [])"),
                told("(name: \"a"),
                told("(name: \"a\") x"),
                told(""),
            ]
            .join("\n"),
            @r##"
        x.ron:1:18: error: cages[0].legs: unexpected `2.5`; write an integer, without a decimal point
        x.ron:1:17: error: cages[0].legs: unexpected `"four"`; write an integer
        x.ron:1:17: error: cages[0].legs: unexpected `99999999999`; write a smaller number
        x.ron:1:8: error: name: unexpected `5`; write a text in quotes: "…", or r#"…"# for a long one
        x.ron:1:13: error: name: duplicate field `name`; keep one of them
        x.ron:1:9: error: cages: unexpected `"many"`; write a list: [ … , … ]
        x.ron:1:21: error: cages[0]: unexpected `)`; close the last open bracket, or complete its content
        x.ron:1:9: error: name: unexpected `"a\q"`; only \n \t \r \\ \" \0 \x.. \u{..} may follow a backslash; in r#"…"# a backslash has no special meaning
        x.ron:1:12: error: cages: missing comma before this; add a `,` after the previous item, or close its quotes
        x.ron:1:8: error: name: unexpected `"a`; unexpected end of file: close every quote, comment and bracket
        x.ron:1:13: error: unexpected `x`; the outermost bracket is already closed; is there one `)` too many?
        x.ron:1:1: error: unexpected end of file; close every quote, comment and bracket
        "##
        );
    }

    #[test]
    fn reading_continues_after_each_mistake() {
        let text = "(
            name: \"Zoo\" // a comma is missing
            cages: [
                (animal: \"ox\", leggs: 4),
                (animal: 5, legs: 4),
                (animal: \"emu\", legs: two),
                7,
                (animal: \"owl\", legs: 2, diet: Meat([\"mice\", Nil])),
            ],
        )";
        let (parsed, told) = read_all(text);
        let parsed = parsed.expect("the rest is read");
        let places = |line: &String| line.split(' ').take(3).collect::<Vec<_>>().join(" ");
        assert_eq!(
            told.iter().map(places).collect::<Vec<_>>(),
            [
                "x.ron:3:13: error: cages:",
                "x.ron:4:32: error: cages[0].leggs:",
                "x.ron:5:26: error: cages[1].animal:",
                "x.ron:6:39: error: cages[2].legs:",
                "x.ron:7:17: error: cages[3]:",
                "x.ron:8:62: error: cages[4].diet.0[1]:",
            ]
        );
        let legs = parsed.value.cages.iter().map(|cage| cage.legs);
        assert_eq!(legs.collect::<Vec<_>>(), [0, 4, 0, 2]);
        let late = parsed
            .source
            .problem("cages[3].legs", UiText::default(), UiText::default());
        assert_eq!((late.line, late.column), (8, 39));
        assert_eq!(late.field, "cages[4].legs");
    }

    #[test]
    fn files_are_joined_and_mistakes_told_in_their_own() {
        let file = |name: &str, text: &str| Source::new(name, text);
        let first = file("zoo.ron", "(name: \"Zoo\", cages: [])");
        let more = file("a.ron", "(\n  cages: [\n    (legs: 4), // many\n  ],\n)");
        let last = file("b.ron", "( cages: [(legs: 2), (legs: x)] )");
        let read = Source::joined(vec![first.clone(), more.clone(), last]).read_joined::<Sample>();
        let (parsed, problems) = read.expect("is read");
        let legs = parsed.value.cages.iter().map(|cage| cage.legs);
        assert_eq!(legs.collect::<Vec<_>>(), [4, 2, 0]);
        let told: Vec<_> = problems.iter().map(Problem::to_string).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0].starts_with("b.ron:1:29: error: cages[1].legs: "),
            "{told:?}"
        );
        let second = parsed
            .source
            .problem("cages[1].legs", UiText::default(), UiText::default());
        assert_eq!(
            (second.file.as_str(), second.line, second.column),
            ("b.ron", 1, 18)
        );
        let twice =
            Source::joined(vec![first, file("c.ron", "(name: \"Park\")")]).read_joined::<Sample>();
        let (_, problems) = twice.expect("is read");
        let told: Vec<_> = problems.iter().map(Problem::to_string).collect();
        assert!(
            told[0].starts_with("c.ron:1:2: error: name: duplicate field"),
            "{told:?}"
        );
        let joined = Source::joined(vec![file("d.ron", "(cages: [(legs: 4)])"), more]);
        let changed = joined.with_value("cages[1].legs", "6").expect("is changed");
        let text = joined.text_with_value("cages[1].legs", "6");
        assert_eq!(text.as_deref(), Some(changed.text()));
        let added = joined
            .with_item("cages", None, "(legs: 6)")
            .expect("is added");
        assert_eq!(
            added.files()[1].text(),
            "(\n  cages: [\n    (legs: 4), // many\n    (legs: 6),\n  ],\n)"
        );
        let added = added.with_item("cages[2].by", None, "(\n            a: 1,\n        )");
        assert!(added.expect("is added").files()[1].text().contains(
            "    (legs: 6,\n    by: [\n        (\n            a: 1,\n        ),\n    ],),"
        ));
    }

    #[test]
    fn a_lost_quote_is_reported_once() {
        let (_, told) = read_all("(cages: [(animal: an old ox\", legs: 4), (legs: two)])");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("x.ron:1:19: error: cages[0].animal: unexpected `an`"));
    }

    #[test]
    fn nothing_that_follows_from_a_mistake_is_told() {
        for text in [
            "(cages: [(diet: Meat(two), legs: 4)])",
            "(cages: [(diet: Meat(\"two\"), legs: 4)])",
            "(cages: [(animal: \"ox, diet: Meat([\"ham\", \"egg\"]), legs: 4)])",
        ] {
            let (_, told) = read_all(text);
            assert_eq!(told.len(), 1, "{told:?}");
        }
    }

    #[test]
    fn full_width_marks_are_named_and_read_as_what_was_meant() {
        let text = "（name： “a, b”， cages: [(animal: \"牛：（\"、 legs: \"4\")】)";
        let (parsed, told) = read_all(text);
        assert_eq!(parsed.expect("is read").value.cages[0].animal, "牛：（");
        let marks: String = told
            .iter()
            .filter_map(|line| line.split('`').nth(1))
            .collect();
        let (_, lost) = read_all("(name: 羊，牛\")");
        assert!(lost[0].contains("write a text in quotes"), "{lost:?}");
        assert_eq!(marks, "（：“，、】\"4\"", "{told:?}");
        assert_eq!(
            told[1],
            "x.ron:1:6: error: unexpected `：`; did you mean `:`?"
        );
    }

    #[test]
    fn wide_blanks_are_blanks_and_wide_quotes_add_none() {
        let text = "(\n\u{3000}\u{3000}name:\u{3000}“他说：“好”，\u{3000}走。”, // \u{3000}\n\u{a0}cages: [(legs: x)])";
        let (parsed, told) = read_all(text);
        assert_eq!(
            parsed.expect("is read").value.name,
            "他说：“好”，\u{3000}走。"
        );
        let told: Vec<_> = told.iter().map(|line| &line[..25]).collect();
        assert_eq!(
            told,
            ["x.ron:2:9: error: unexpec", "x.ron:3:17: error: cages["]
        );
        let (parsed, told) = read_all("(name: ”羊\", cages: [(animal: ”牛”)])");
        assert_eq!(parsed.expect("is read").value.cages[0].animal, "牛");
        assert_eq!(told.len(), 2, "{told:?}");
    }

    #[test]
    fn a_lost_bracket_is_told_where_it_belongs_and_nothing_follows_from_it() {
        let text = "(\n  name: \"Zoo\",\n  cages: [\n    (animal: \"ox\",\n      diet: Meat([\"ham\"]),\n    \
            (animal: \"owl\", legs: two, diet: Meat([\"mice\"], legs: 2),\n  ],\n)\n";
        let (parsed, told) = read_all(text);
        insta::assert_snapshot!(told.join("\n"), @r"
        x.ron:5:26: error: cages[0]: `)` is missing here: the `(` of line 4 is not closed; add `)`
        x.ron:6:51: error: cages[1].diet: `)` is missing here: the `(` of line 6 is not closed; add `)`
        x.ron:6:27: error: cages[1].legs: unexpected `two`; write an integer
        ");
        let cages = parsed.expect("is read").value.cages;
        assert_eq!(cages.len(), 2);
        assert_eq!(cages[1].diet, Diet::Meat(vec!["mice".into()]));
        assert_eq!(
            first("(cages: [(legs: 1), (legs: 2)]").to_string(),
            "x.ron:1:31: error: `)` is missing here: the `(` of line 1 is not closed; add `)`"
        );
        let quoted = first("(\n  cages: [],\n  name: \"a \"b\" c\")").to_string();
        assert!(quoted.starts_with("x.ron:3:13: error: "), "{quoted}");
        assert!(quoted.contains("write “…” or \\\""), "{quoted}");
    }

    #[test]
    fn texts_of_skipped_parts_are_known() {
        let (parsed, _) = read_all("(cages: [[\"ox\", \"emu\"], (animal: \"owl\")])");
        assert_eq!(parsed.expect("is read").skipped_texts, ["ox", "emu"]);
    }

    #[test]
    fn a_missing_path_has_the_position_of_what_should_contain_it() {
        let source = Source::new("x.ron", "\u{feff}(\r\n  cages: [\r\n    (legs: 1)],\r\n)");
        let place = |path: &str| {
            let problem = source.problem(path, UiText::default(), UiText::default());
            (problem.line, problem.column, problem.field)
        };
        assert_eq!(place("cages[0].legs"), (3, 12, "cages[0].legs".into()));
        assert_eq!(place("cages[0].diet"), (3, 5, "cages[0].diet".into()));
        assert_eq!(place("cages[9].x[1]"), (2, 10, "cages[9].x[1]".into()));
        assert_eq!(place("name"), (1, 1, "name".into()));
    }

    #[test]
    fn a_text_beyond_the_limits_is_one_problem() {
        for text in [
            "[".repeat(100_000),
            format!("(cages: [{}])", "(),".repeat(100_000)),
        ] {
            let (parsed, told) = read_all(&text);
            assert!(parsed.is_none());
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(first(&text).to_string().starts_with("x.ron:1:"));
        }
        let source = Source::limited("x.ron", "(name: \"a\")", 5);
        let problem = source.read::<Sample>().expect_err("is too long");
        assert!(
            problem.to_string().contains("larger than 5 bytes"),
            "{problem}"
        );
    }

    #[test]
    fn of_many_mistakes_the_first_are_told() {
        let text = format!("(cages: [{}])", "(legs: \"a\", x: 1), ".repeat(4_000));
        let (_, told) = read_all(&text);
        assert!((50..=101).contains(&told.len()), "{}", told.len());
        assert!(told.iter().all(|line| line.len() < 200));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[\\PC\n\"'()\\[\\]{}:,/*#rb\\\\]{0,60}") {
            let mut problems = Problems::new();
            let parsed = Source::new("x", &text).read_into::<Sample>(&mut problems);
            prop_assert!(parsed.is_some() || !problems.is_empty());
        }

        #[test]
        fn no_damage_makes_it_panic(from in 0usize..90, length in 0usize..9, put in "[(),:\"\\]a ]{0,3}") {
            let mut text = "(name: \"Zoo\", cages: [(animal: \"ox\", legs: 4), (diet: Meat([\"ox\"]), legs: 2)])".to_owned();
            let from = from.min(text.len());
            text.replace_range(from..(from + length).min(text.len()), &put);
            let mut problems = Problems::new();
            let parsed = Source::new("x", &text).read_into::<Sample>(&mut problems);
            prop_assert!(parsed.is_some() || !problems.is_empty());
            prop_assert!(problems.iter().all(|problem| problem.line == 1));
        }
    }
}
