//! One RON file: its text, where each field stands, and reading it into a type.

use std::ops::Range;

use ron::error::{Error, Position, SpannedError};
use serde::de::DeserializeOwned;

use super::mistake::{Kind, Mistake, explain};
use super::outline::{Node, outline, past_blanks};
use super::problem::{Problem, Problems};

/// After so many mistakes of form the rest of a file is not read any more.
const MOST_MISTAKES: usize = 100;

/// The text of one RON file that knows the line and column of every field.
#[derive(Clone, Debug)]
pub struct Source {
    file: String,
    text: String,
    nodes: Vec<Node>,
    /// The file as it was written, where this is a copy with parts left out. Bytes keep their place.
    written: Option<Box<Source>>,
}

/// What [`Source::read_all`] could read.
#[derive(Clone, Debug)]
pub struct Reading<T> {
    /// The value, without the parts that are broken.
    pub value: T,
    /// The source of what was read: give it paths of `value`, get places in the file.
    pub source: Source,
    /// The paths that were left out, as they stand in the file, and those they likely stand for.
    pub broken: Vec<String>,
    /// All texts in the parts that were left out, so that names in them may count as known.
    pub broken_texts: Vec<String>,
}

/// What was left out so far.
#[derive(Default)]
struct LeftOut {
    paths: Vec<String>,
    texts: Vec<String>,
}

impl LeftOut {
    fn reading<T>(self, value: T, source: Source) -> Reading<T> {
        Reading {
            value,
            source,
            broken: self.paths,
            broken_texts: self.texts,
        }
    }
}

/// A mistake of form.
struct Judgement {
    problem: Problem,
    /// Whether it stands where nothing can belong, most likely because of an earlier one.
    is_stray: bool,
    mend: Option<Mend>,
}

/// How reading goes on after a mistake.
enum Mend {
    /// Without this node, which was likely meant to be the field of this name.
    Drop(usize, Option<&'static str>),
    /// With a comma at this byte, which is blank.
    Comma(usize),
}

impl Source {
    /// `text` as the content of `file`; the name is for messages alone.
    /// A byte order mark and the line ends of Windows are dropped.
    pub fn new(file: impl Into<String>, text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        Self {
            file: file.into(),
            nodes: outline(&text),
            text,
            written: None,
        }
    }

    /// How messages call the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// An error at `path`, such as `actors[2].stats.hp`; if the path is not in the text, it stands
    /// where the nearest part that holds it begins.
    pub fn problem(
        &self,
        path: &str,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) -> Problem {
        let (start, field) = self.find(path);
        Problem {
            field,
            ..self.problem_at(start, wrong.into(), right.into())
        }
    }

    /// Reads the whole text as a `T`, or says what is wrong with its form.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        parse(&self.text).map_err(|error| self.judge(&error).problem)
    }

    /// Reads the text as a `T` and goes on after each mistake of form, leaving out the smallest
    /// part that holds it. All mistakes go into `problems`. `None` if nothing could be read.
    ///
    /// It leaves out fields too: `T` should fill every missing field (`#[serde(default)]`).
    pub fn read_all<T: DeserializeOwned>(&self, problems: &mut Problems) -> Option<Reading<T>> {
        let mut kept = self.clone();
        let mut left = LeftOut::default();
        let mut told: Vec<String> = Vec::new();
        for _ in 0..MOST_MISTAKES {
            let error = match parse(&kept.text) {
                Ok(value) => return Some(left.reading(value, kept)),
                Err(error) => error,
            };
            let found = kept.judge(&error);
            let field = &found.problem.field;
            if !found.is_stray || !told.iter().any(|path| is_within(path, field)) {
                told.push(field.clone());
                problems.push(found.problem);
            }
            kept = kept.mended(found.mend?, &mut left)?;
        }
        None
    }

    /// A copy that can be read further.
    fn mended(&self, mend: Mend, left: &mut LeftOut) -> Option<Self> {
        let (node, meant) = match mend {
            Mend::Comma(byte) => return self.with(byte..byte + 1, ","),
            Mend::Drop(node, meant) => (node, meant),
        };
        let path = self.called(node);
        let siblings = path.rfind('.').map_or("", |end| &path[..=end]);
        left.paths
            .extend(meant.map(|meant| format!("{siblings}{meant}")));
        left.paths.push(path);
        left.texts.extend(self.texts_within(node));
        let gone = self.with_comma(&self.nodes.get(node)?.field);
        self.with(gone.clone(), &self.blanks(gone)?)
    }

    /// Where `path` begins and what it is called in the file as it was written.
    fn find(&self, path: &str) -> (usize, String) {
        let mut known = path;
        loop {
            let found = self.nodes.iter().enumerate();
            let mut found = found.filter(|(_, node)| node.path == known && !node.stray);
            if let Some((index, node)) = found.next() {
                let rest = path.get(known.len()..).unwrap_or_default();
                return (node.value.start, self.called(index) + rest);
            }
            if known.is_empty() {
                return (0, path.to_owned());
            }
            known = known.rfind(['.', '[']).map_or("", |end| &known[..end]);
        }
    }

    /// What the node is called in the file as it was written.
    fn called(&self, node: usize) -> String {
        let node = self.nodes.get(node).map(|node| self.origin(node));
        node.map(|node| node.path.clone()).unwrap_or_default()
    }

    /// The node as it stands in the file as it was written.
    fn origin<'a>(&'a self, node: &'a Node) -> &'a Node {
        let written = self.written.iter().flat_map(|written| &written.nodes);
        let mut same = written.filter(|other| other.value.start == node.value.start);
        same.next().unwrap_or(node)
    }

    /// Line and column of a byte in the file as it was written, from 1, the column in characters.
    fn place(&self, byte: usize) -> (usize, usize) {
        let text = self.written.as_ref().map_or(&self.text, |w| &w.text);
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = 1 + before.matches('\n').count();
        (line, 1 + before[line_start..].chars().count())
    }

    /// The byte at a line and column of this text.
    fn byte(&self, position: Position) -> usize {
        let lines = self.text.split_inclusive('\n');
        let before: usize = lines
            .take(position.line.saturating_sub(1))
            .map(str::len)
            .sum();
        let line = self.text.get(before..).unwrap_or_default();
        let within = line.char_indices().nth(position.col.saturating_sub(1));
        before + within.map_or(line.len(), |(at, _)| at)
    }

    /// What is wrong, where, and how to read on.
    fn judge(&self, error: &SpannedError) -> Judgement {
        let mut byte = self.byte(error.span.start);
        // What lacks its colon is before the blanks, what is wrong otherwise after them.
        if error.code != Error::ExpectedMapColon {
            byte = past_blanks(&self.text, byte);
        }
        if byte >= self.text.len() {
            return self.ended(byte);
        }
        let node = self.innermost(byte);
        let node = node.and_then(|index| Some((index, self.nodes.get(index)?)));
        let (found, inside) = self.found(byte, node.map(|(_, node)| node));
        let mistake = explain(&error.code, found, inside);
        let is_stray = node.is_some_and(|(_, node)| self.origin(node).stray);
        // Without the whole there would be nothing to go on with.
        let part = node.filter(|(_, node)| !node.path.is_empty() || is_stray);
        let drop = part.map(|(index, _)| Mend::Drop(index, mistake.meant));
        let mend = match mistake.kind {
            Kind::Fatal => None,
            Kind::Comma => self.gap_before(byte).map(Mend::Comma).or(drop),
            Kind::Part => drop,
        };
        let field = node.map(|(index, _)| self.called(index));
        let problem = Problem {
            field: field.unwrap_or_default(),
            ..self.problem_at(byte, mistake.wrong, mistake.right)
        };
        Judgement {
            problem,
            is_stray,
            mend,
        }
    }

    /// The text ends before it should.
    fn ended(&self, byte: usize) -> Judgement {
        let Mistake { wrong, right, .. } = explain(&Error::Eof, "", false);
        Judgement {
            problem: self.problem_at(byte, wrong, right),
            is_stray: true,
            mend: None,
        }
    }

    fn problem_at(&self, byte: usize, wrong: String, right: String) -> Problem {
        let (line, column) = self.place(byte);
        Problem {
            line,
            column,
            ..Problem::of_file(&self.file, wrong, right)
        }
    }

    /// What stands at the byte, and whether the byte is in the middle of it. In the middle of
    /// brackets that is what follows, not the whole.
    fn found(&self, byte: usize, node: Option<&Node>) -> (&str, bool) {
        let value = node.map(|node| node.value.clone());
        let Some(value) = value.filter(|value| value.contains(&byte)) else {
            return ("", false);
        };
        let found = self.text.get(value.clone()).unwrap_or_default();
        let rest = self.text.get(byte..value.end).unwrap_or_default();
        let closing = [')', ']', '}'];
        match value.start < byte {
            true if rest.starts_with(closing) => (&rest[..1], false),
            true if found.ends_with(closing) => ("", false),
            started => (found, started),
        }
    }

    /// The smallest node that holds a byte.
    fn innermost(&self, byte: usize) -> Option<usize> {
        let nodes = self.nodes.iter().enumerate();
        let around = nodes.filter(|(_, node)| node.field.contains(&byte));
        let smallest = around.min_by_key(|(_, node)| node.field.len());
        smallest.map(|(index, _)| index)
    }

    /// The blank after the last value before a byte.
    fn gap_before(&self, byte: usize) -> Option<usize> {
        let ends = self.nodes.iter().map(|node| node.value.end);
        let end = ends.filter(|end| *end <= byte).max()?;
        let gap = self.text.get(end..byte)?;
        gap.starts_with([' ', '\t', '\n']).then_some(end)
    }

    /// A field and the comma after it.
    fn with_comma(&self, field: &Range<usize>) -> Range<usize> {
        let after = self.text.get(field.end..).unwrap_or_default();
        let blanks = after.len() - after.trim_start().len();
        let comma = after[blanks..].starts_with(',');
        field.start..field.end + if comma { blanks + 1 } else { 0 }
    }

    /// As many blanks as a range has bytes.
    fn blanks(&self, range: Range<usize>) -> Option<String> {
        let blank = |c: char| match c {
            '\n' => "\n".to_owned(),
            other => " ".repeat(other.len_utf8()),
        };
        Some(self.text.get(range)?.chars().map(blank).collect())
    }

    /// A copy in which other text of the same length stands in a range.
    fn with(&self, range: Range<usize>, other: &str) -> Option<Self> {
        self.text.get(range.clone())?;
        let mut text = self.text.clone();
        text.replace_range(range, other);
        let written = self.written.clone();
        Some(Self {
            file: self.file.clone(),
            nodes: outline(&text),
            text,
            written: Some(written.unwrap_or_else(|| Box::new(self.clone()))),
        })
    }

    /// The texts of all strings in a node.
    fn texts_within(&self, node: usize) -> Vec<String> {
        let Some(outer) = self.nodes.get(node).map(|node| &node.field) else {
            return Vec::new();
        };
        let inside = |value: &Range<usize>| outer.start <= value.start && value.end <= outer.end;
        let nodes = self.nodes.iter().filter(|node| inside(&node.value));
        let texts = nodes.filter_map(|node| self.text.get(node.value.clone()));
        texts.filter_map(|text| ron::from_str(text).ok()).collect()
    }
}

/// Whether `path` is `outer` or within it.
pub fn is_within(path: &str, outer: &str) -> bool {
    let rest = path.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || outer.is_empty() || rest.starts_with(['.', '[']))
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, SpannedError> {
    ron::from_str(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Zoo {
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
        let read = Source::new("zoo.ron", text).read::<Zoo>();
        read.expect_err("is wrong")
    }

    fn all(text: &str) -> (Option<Reading<Zoo>>, Vec<String>) {
        let mut problems = Problems::new();
        let reading = Source::new("zoo.ron", text).read_all(&mut problems);
        (reading, problems.iter().map(Problem::to_string).collect())
    }

    #[test]
    fn an_unknown_field_is_told_with_the_one_that_was_meant() {
        let problem = first("(\n  cages: [(legs: 4), (anmal: \"ox\")],\n)");
        assert_eq!(
            problem.to_string(),
            "zoo.ron:2:23: error: cages[1].anmal: there is no field `anmal` here; did you mean `animal`?"
        );
        let problem = first("(cages: [(diet: Graas)])");
        assert_eq!(
            problem.to_string(),
            "zoo.ron:1:17: error: cages[0].diet: there is no `Graas` here; did you mean `Grass`?"
        );
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_told() {
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
        zoo.ron:1:18: error: cages[0].legs: `2.5` does not belong here; write a whole number, without a point
        zoo.ron:1:17: error: cages[0].legs: `"four"` does not belong here; write a whole number
        zoo.ron:1:17: error: cages[0].legs: `99999999999` does not belong here; write a smaller number
        zoo.ron:1:8: error: name: `5` does not belong here; write a text in quotes: "…", or r#"…"# for a long one
        zoo.ron:1:13: error: name: the field `name` stands here twice; keep one of them
        zoo.ron:1:9: error: cages: `"many"` does not belong here; write a list: [ … , … ]
        zoo.ron:1:21: error: cages[0]: `)` does not belong here; close what was opened last, or complete it
        zoo.ron:1:9: error: name: `"a\q"` does not belong here; after a backslash only \n \t \r \\ \" \0 \x.. \u{..} may stand; in r#"…"# a backslash is one
        zoo.ron:1:12: error: cages: a comma is missing before this; put a `,` after what stands before, or close its quotes
        zoo.ron:1:8: error: name: `"a` does not belong here; the file ends too early: close every quote, comment and bracket
        zoo.ron:1:13: error: `x` does not belong here; the outermost bracket is closed before this: one `)` too many?
        zoo.ron:1:1: error: the file ends too early; close every quote, comment and bracket
        "##
        );
    }

    #[test]
    fn reading_goes_on_after_each_mistake() {
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
        let (reading, told) = all(text);
        let reading = reading.expect("the rest is read");
        let places = |line: &String| line.split(' ').take(3).collect::<Vec<_>>().join(" ");
        assert_eq!(
            told.iter().map(places).collect::<Vec<_>>(),
            [
                "zoo.ron:3:13: error: cages:",
                "zoo.ron:4:32: error: cages[0].leggs:",
                "zoo.ron:5:26: error: cages[1].animal:",
                "zoo.ron:6:39: error: cages[2].legs:",
                "zoo.ron:7:17: error: cages[3]:",
                "zoo.ron:8:62: error: cages[4].diet.0[1]:",
            ]
        );
        let legs = reading.value.cages.iter().map(|cage| cage.legs);
        assert_eq!(legs.collect::<Vec<_>>(), [0, 4, 0, 2]);
        let late = reading.source.problem("cages[3].legs", "", "");
        assert_eq!((late.line, late.column), (8, 39));
        assert_eq!(late.field, "cages[4].legs");
    }

    #[test]
    fn a_lost_quote_is_told_once() {
        let (_, told) = all("(cages: [(animal: an old ox\", legs: 4), (legs: two)])");
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("zoo.ron:1:19: error: cages[0].animal: `an` does not belong"));
    }

    #[test]
    fn texts_of_broken_parts_are_known() {
        let (reading, _) = all("(cages: [[\"ox\", \"emu\"], (animal: \"owl\")])");
        assert_eq!(reading.expect("is read").broken_texts, ["ox", "emu"]);
    }

    #[test]
    fn a_path_that_is_not_there_stands_at_what_should_hold_it() {
        let source = Source::new("zoo.ron", "\u{feff}(\r\n  cages: [\r\n    (legs: 1)],\r\n)");
        let place = |path: &str| {
            let problem = source.problem(path, "", "");
            (problem.line, problem.column, problem.field)
        };
        assert_eq!(place("cages[0].legs"), (3, 12, "cages[0].legs".into()));
        assert_eq!(place("cages[0].diet"), (3, 5, "cages[0].diet".into()));
        assert_eq!(place("cages[9].x[1]"), (2, 10, "cages[9].x[1]".into()));
        assert_eq!(place("name"), (1, 1, "name".into()));
    }

    #[test]
    fn columns_count_characters() {
        let source = Source::new("zoo.ron", "(name: \"動物園\", cages: [])");
        assert_eq!(source.problem("cages", "", "").column, 22);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[\\PC\n\"'()\\[\\]{}:,/*#rb\\\\]{0,60}") {
            let mut problems = Problems::new();
            let reading = Source::new("x", &text).read_all::<Zoo>(&mut problems);
            prop_assert!(reading.is_some() || !problems.is_empty());
        }

        #[test]
        fn no_damage_makes_it_panic(from in 0usize..90, length in 0usize..9, put in "[(),:\"\\]a ]{0,3}") {
            let mut text = "(name: \"Zoo\", cages: [(animal: \"ox\", legs: 4), (diet: Meat([\"ox\"]), legs: 2)])".to_owned();
            let from = from.min(text.len());
            text.replace_range(from..(from + length).min(text.len()), &put);
            let mut problems = Problems::new();
            let reading = Source::new("x", &text).read_all::<Zoo>(&mut problems);
            prop_assert!(reading.is_some() || !problems.is_empty());
            prop_assert!(problems.iter().all(|problem| problem.line == 1));
        }
    }
}
