//! Prompt templates: all text that minds read, in files that writers can change.
//!
//! The language is a part of Jinja ([`minijinja`]): `template_text` says which tags, and
//! `template_filters` which filters there are. The name of a template is its path without `.j2`,
//! such as `combat/draw`. A tag on a line of its own leaves no empty line, and a missing variable
//! is an error rather than a gap in the prompt. Filling one takes a bounded number of steps and
//! bytes.
//!
//! **What fills a template can't leave its place.** Each value is put in as one line without double
//! quotation marks, headings and marks of roles, so that no words of a mind look like a phrase of
//! ours. `{{ message | block }}` keeps line breaks and indents what follows them by two spaces
//! (`block(4)`: by four). `{{ profile | safe }}` puts in a text as it is: only for what authors
//! wrote, or for phrases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, merge_maps};
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value,
};
use serde::{Serialize, Serializer};

use super::folder::{DataError, DataFolder};
use super::problem::{Problem, Problems};
use super::template_filters::{self, Bounded, MAX_OUTPUT};
use super::template_text::{self, Tag};
use crate::locale::{Argument, UiText, text};
use crate::wording::nearest;
use crate::wording::{as_block, as_line};

const EXTENSION: &str = ".j2";

/// How many steps filling a template takes. The longest shipped one takes a few hundred.
const MAX_STEPS: u64 = 200_000;

/// How deep templates are nested, ten for each include and one for each loop.
const MAX_DEPTH: usize = 200;

/// The most spaces by which the filter `block` indents lines.
const MAX_INDENT: usize = 64;

/// The number of spaces by which the filter `block` indents lines.
pub const BLOCK_INDENT: usize = 2;

/// The name of a template, its name for messages, and its text.
type Source = (String, String, String);

/// The last sets of templates that were compiled without mistakes, with their sources: many worlds
/// of a process have the same, which take some megabytes.
static COMPILED: Mutex<Vec<(Vec<Source>, Templates)>> = Mutex::new(Vec::new());

/// How many of them are kept.
const KEPT: usize = 4;

/// All templates of one folder, compiled. Copies share them.
#[derive(Clone, Debug)]
pub struct Templates {
    /// Compiles each at its first use.
    environment: Arc<Environment<'static>>,
    files: Arc<BTreeMap<String, File>>,
}

#[derive(Clone, Debug)]
struct File {
    /// The name for messages.
    shown: String,
    text: String,
    /// The templates that it includes by a literal name, and the positions of the names.
    includes: Vec<(String, usize)>,
}

/// Data that fill several templates, as these read them: made once.
#[derive(Clone, Debug)]
pub struct Filling(Value);

impl Filling {
    pub fn of(data: impl Serialize) -> Self {
        Self(Serde(data).into())
    }

    /// The same with more variables.
    #[must_use]
    pub fn with(self, more: impl Serialize) -> Self {
        Self(merge_maps([self.0, Serde(more).into()]))
    }
}

impl Serialize for Filling {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Templates {
    /// All templates in `folder` and its subfolders, such as `prompts/en`.
    pub fn load(data: &DataFolder, folder: &str) -> Result<Self, Problems> {
        let paths = data.files(folder).map_err(Problem::from)?;
        Self::load_files(data, folder, &paths)
    }

    /// The templates of [`Self::files_of`].
    pub fn load_declared(
        data: &DataFolder,
        folder: &str,
        declared: &[(&str, &[&str])],
    ) -> Result<Self, Problems> {
        let paths = Self::files_of(data, folder, declared).map_err(Problem::from)?;
        Self::load_files(data, folder, &paths)
    }

    /// The files in the same subfolders of `folder` as the declared templates. The others belong to
    /// other games, so problems or changes in them don't matter.
    pub fn files_of(
        data: &DataFolder,
        folder: &str,
        declared: &[(&str, &[&str])],
    ) -> Result<Vec<String>, DataError> {
        let subfolder = |name: &str| name.split_once('/').map_or("", |(top, _)| top).to_owned();
        let declared: BTreeSet<_> = declared.iter().map(|(name, _)| subfolder(name)).collect();
        let mut paths = data.files(folder)?;
        paths.retain(|path| {
            let subfolder = subfolder(name_of(path, folder));
            subfolder.is_empty() || declared.contains(&subfolder)
        });
        Ok(paths)
    }

    fn load_files(data: &DataFolder, folder: &str, paths: &[String]) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let mut texts = Vec::new();
        for path in paths.iter().filter(|path| path.ends_with(EXTENSION)) {
            let name = name_of(path, folder).trim_end_matches(EXTENSION);
            match data.read_text(path) {
                Ok(text) => texts.push((name.to_owned(), data.name_of(path), text)),
                Err(error) => problems.push(error.into()),
            }
        }
        let are_ours = data.is_built_in(folder) && !cfg!(debug_assertions);
        let templates = Self::compile(texts, are_ours, &mut problems);
        problems
            .unless_errors(templates)
            .map(|(templates, _)| templates)
    }

    /// Templates from (name, text) pairs, for tests and for games with their own.
    pub fn from_texts<'a>(
        texts: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let with_file =
            |(name, text): (&str, &str)| (name.to_owned(), name.to_owned(), text.to_owned());
        let templates = Self::compile(
            texts.into_iter().map(with_file).collect(),
            false,
            &mut problems,
        );
        problems
            .unless_errors(templates)
            .map(|(templates, _)| templates)
    }

    fn compile(sources: Vec<Source>, are_ours: bool, problems: &mut Problems) -> Self {
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, same)) = compiled.iter().find(|(known, _)| *known == sources) {
            return same.clone();
        }
        let before = problems.len();
        let files = sources.iter().map(|(name, shown, text)| {
            let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
            let tags = template_text::tags(&text).map_while(Result::ok);
            let includes = { tags.filter_map(|tag| tag.included()) }
                .map(|(part, offset)| (part.to_owned(), offset))
                .collect();
            let file = File {
                shown: shown.clone(),
                text,
                includes,
            };
            (name.clone(), file)
        });
        let files = Arc::new(files.collect::<BTreeMap<_, _>>());
        let mut environment = environment();
        let texts = files.clone();
        environment.set_loader(move |name| Ok(texts.get(name).map(|file| file.text.clone())));
        let templates = Self {
            environment: Arc::new(environment),
            files,
        };
        for (name, file) in templates.files.iter().filter(|_| !are_ours) {
            if let Err((offset, message)) = template_text::check(&file.text) {
                let problem = Problem::of_file(name, message, UiText::default());
                problems.push(templates.at(name, offset, problem));
            } else if let Err(error) = templates.environment.get_template(name) {
                problems.push(templates.problem(name, &error));
            }
        }
        if problems.len() == before {
            compiled.truncate(KEPT - 1);
            compiled.insert(0, (sources, templates.clone()));
        }
        templates
    }

    /// The names of all templates, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub fn has(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// Renders a template with the variables of `context`, such as a [`Filling`].
    pub fn render(&self, name: &str, context: impl Serialize) -> Result<String, Problem> {
        self.fill(name, Serde(context).into())
    }

    fn fill(&self, name: &str, context: Value) -> Result<String, Problem> {
        let found = self.environment.get_template(name);
        let template = found.map_err(|_| self.missing(name))?;
        let mut out = Bounded::default();
        template
            .render_captured_to(context, &mut out)
            .map_err(|error| self.problem(name, &error))?;
        Ok(out.into_text())
    }

    /// Checks that each declared template exists and that it and the templates it includes use only
    /// the variables declared for it: `("combat/draw", &["me", "foes"])`. A declared `me` allows
    /// `me.name` too; a declared `me.name` allows only that. A template that is neither declared
    /// nor included gives a warning.
    pub fn check(&self, declared: &[(&str, &[&str])]) -> Problems {
        let mut problems = Problems::new();
        // What each template that is declared or included uses.
        let mut used = BTreeMap::new();
        for (name, variables) in declared {
            if !self.has(name) {
                problems.push(self.missing(name));
            }
            for part in self.with_parts(name) {
                let uses = used.entry(part).or_insert_with(|| self.variables(part));
                if !problems.is_full() {
                    self.check_variables(part, uses, variables, &mut problems);
                }
            }
        }
        for (name, file) in &*self.files {
            for (part, offset) in file.includes.iter().filter(|(part, _)| !self.has(part)) {
                // Of further ones only the number is told.
                let problem = if problems.is_full() {
                    Problem::of_file(name, UiText::default(), UiText::default())
                } else {
                    self.at(name, *offset, self.missing(part))
                };
                problems.push(problem);
            }
            self.check_applied(name, file, &mut problems);
            if !used.contains_key(name.as_str()) {
                let near = nearest(name, declared.iter().map(|(name, _)| *name));
                let help = near.map(|name| text!(world_data_did_you_mean, name));
                let message = text!(world_data_unused_template);
                let problem = Problem::of_file(&file.shown, message, help.unwrap_or_default());
                problems.push(problem.warning());
            }
        }
        problems.sort();
        problems
    }

    /// Adds a problem for each unknown filter and test, and if a template includes itself.
    fn check_applied(&self, name: &str, file: &File, problems: &mut Problems) {
        let tags: Vec<_> = template_text::tags(&file.text)
            .map_while(Result::ok)
            .collect();
        for used in tags.iter().flat_map(|tag| &tag.applied) {
            let mut state = self.environment.empty_state();
            let (result, unknown) = if used.is_test {
                let result = state.perform_test(used.name, &[]).err();
                (result, ErrorKind::UnknownTest)
            } else {
                (
                    state.apply_filter(used.name, &[]).err(),
                    ErrorKind::UnknownFilter,
                )
            };
            if result.is_some_and(|error| error.kind() == unknown) {
                let message = match unknown {
                    ErrorKind::UnknownTest => text!(world_data_unknown_test, name = used.name),
                    _ => text!(world_data_unknown_filter, name = used.name),
                };
                let problem = Problem::of_file(name, message, UiText::default());
                problems.push(self.at(name, used.start, problem));
            }
        }
        for (part, offset) in &file.includes {
            if self.with_parts(part).contains(name) {
                let message = text!(world_data_includes_itself, name);
                let problem = Problem::of_file(name, message, UiText::default());
                problems.push(self.at(name, *offset, problem));
            }
        }
    }

    /// A template and all that it includes, directly or not.
    fn with_parts(&self, name: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut open = vec![name];
        while let Some(name) = open.pop() {
            let Some((name, file)) = self.files.get_key_value(name) else {
                continue;
            };
            if found.insert(name.as_str()) {
                open.extend(file.includes.iter().map(|(part, _)| part.as_str()));
            }
        }
        found
    }

    /// The variables that a template expects to be given.
    fn variables(&self, name: &str) -> BTreeSet<String> {
        let Ok(template) = self.environment.get_template(name) else {
            return BTreeSet::new(); // Reported when it was compiled.
        };
        let globals: BTreeSet<_> = self.environment.globals().map(|(name, _)| name).collect();
        let mut variables: BTreeSet<_> = template.undeclared_variables(true).into_iter().collect();
        variables.retain(|variable| !globals.contains(head_of(variable)));
        variables
    }

    /// Adds a problem for each variable that a template uses but that is not declared.
    fn check_variables(
        &self,
        name: &str,
        used: &BTreeSet<String>,
        declared: &[&str],
        problems: &mut Problems,
    ) {
        let is_known = |variable: &str| {
            let covers = |declared: &&str| {
                variable
                    .strip_prefix(*declared)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            declared.iter().any(covers)
        };
        let text = self.files.get(name).map_or("", |file| file.text.as_str());
        let mut tags = Vec::new();
        for variable in used.iter().filter(|variable| !is_known(variable)) {
            if problems.is_full() {
                // Of further ones only the number is told.
                let unplaced = Problem::of_file(name, UiText::default(), UiText::default());
                problems.push(unplaced);
                continue;
            }
            if tags.is_empty() {
                tags.extend(template_text::tags(text).map_while(Result::ok));
            }
            let help = match nearest(variable, declared.iter().copied()) {
                Some(name) => text!(world_data_did_you_mean, name),
                None if declared.is_empty() => text!(world_data_no_variables),
                None => text!(
                    world_data_available_variables,
                    names = Argument::list(declared)
                ),
            };
            let message = text!(world_data_unknown_variable, variable);
            let problem = Problem::of_file("", message, help);
            let offset = find_variable(text, &tags, variable).unwrap_or(0);
            problems.push(self.at(name, offset, problem));
        }
    }

    fn missing(&self, name: &str) -> Problem {
        let file = format!("{name}{EXTENSION}");
        let help = match nearest(name, self.names()) {
            Some(name) => text!(world_data_did_you_mean, name),
            None => text!(world_data_create_template, file = &file),
        };
        Problem::of_file(file, text!(world_data_missing_template, name), help)
    }

    /// The problem with the position of a byte of a template.
    fn at(&self, name: &str, byte: usize, problem: Problem) -> Problem {
        let Some(file) = self.files.get(name) else {
            return problem;
        };
        let before = file.text.get(..byte).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Problem {
            file: file.shown.clone(),
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
            ..problem
        }
    }

    /// An error of minijinja with its position.
    fn problem(&self, asked: &str, error: &Error) -> Problem {
        let name = error.name().filter(|name| self.has(name)).unwrap_or(asked);
        // The kind and its details, which are English.
        let mut details = error.kind().to_string();
        if let Some(detail) = error.detail() {
            details = format!("{details}: {detail}");
        }
        let mut cause = std::error::Error::source(error);
        while let Some(inner) = cause {
            details = format!("{details}: {inner}");
            cause = inner.source();
        }
        let message = match error.kind() {
            ErrorKind::OutOfFuel => text!(world_data_template_steps, max = MAX_STEPS),
            ErrorKind::WriteFailure => text!(world_data_template_output, max = MAX_OUTPUT),
            _ => text!(world_data_template, details),
        };
        let problem = Problem::of_file(name, message, UiText::default());
        match (error.range(), error.line()) {
            (Some(range), _) => self.at(name, range.start, problem),
            (None, line) => Problem {
                line: line.unwrap_or(0),
                column: 0,
                ..self.at(name, 0, problem)
            },
        }
    }
}

/// The path of a file within its folder.
fn name_of<'a>(path: &'a str, folder: &str) -> &'a str {
    path.strip_prefix(folder)
        .unwrap_or(path)
        .trim_start_matches('/')
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::empty();
    template_filters::add(&mut environment);
    environment.set_fuel(Some(MAX_STEPS));
    environment.set_recursion_limit(MAX_DEPTH);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // What macros and tags return is made of phrases, and counts as safe.
    environment.set_auto_escape_callback(|_| AutoEscape::Custom("words".into()));
    environment.set_formatter(put_in);
    let block = template_filters::counting(Value::from_function(block));
    environment.add_filter("block", block);
    let mut syntax = SyntaxConfig::builder();
    // Only clashing delimiters can fail, and these are Jinja's own.
    if let Ok(syntax) = syntax.trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_debug(true);
    environment
}

/// Puts a value into a phrase, which it can't leave unless it is marked as safe.
fn put_in(out: &mut Output, _: &mut State, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(text) if value.is_safe() => out.write_str(text)?,
        Some(text) => out.write_str(&as_line(text))?,
        None => out.write_str(&as_line(&template_filters::in_words(value)?))?,
    }
    Ok(())
}

/// The filter `block`, which keeps line breaks.
fn block(text: &str, indent: Option<usize>) -> Result<Value, Error> {
    let indent = indent.unwrap_or(BLOCK_INDENT);
    if indent > MAX_INDENT {
        let message = format!("block indents by {MAX_INDENT} spaces at most");
        return Err(Error::new(ErrorKind::InvalidOperation, message));
    }
    Ok(Value::from_safe_string(as_block(text, indent)))
}

/// What `me.name` is looked up in: `me`.
fn head_of(variable: &str) -> &str {
    variable.split('.').next().unwrap_or(variable)
}

/// The position at which a template first uses a variable: in one of its tags, as a whole word.
fn find_variable(text: &str, tags: &[Tag<'_>], variable: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let find = |word: &str| {
        tags.iter().find_map(|tag| {
            let inside = text.get(tag.start..tag.end)?;
            let is_whole = |offset: usize| {
                let (before, rest) = inside.split_at(offset);
                let lone = !before.ends_with(is_word);
                let is_member = before.trim_end().ends_with(['.', '"', '\'']);
                let after = rest.get(word.len()..).unwrap_or_default();
                lone && !is_member && !after.starts_with(is_word)
            };
            let mut places = inside.match_indices(word).map(|(offset, _)| offset);
            Some(tag.start + places.find(|offset| is_whole(*offset))?)
        })
    };
    find(variable).or_else(|| find(head_of(variable)))
}

#[cfg(test)]
mod tests {

    use serde_json::json;

    use super::*;

    fn lines(problems: &Problems) -> Vec<String> {
        problems.iter().map(Problem::to_string).collect()
    }

    #[test]
    fn what_fills_a_template_can_t_leave_its_place() {
        let texts = [(
            "said",
            "{{ name }} says: “{{ said }}” {{ list | join(', ') }}|{{ said | block }}|{{ said | safe }}",
        )];
        let templates = Templates::from_texts(texts).expect("parses");
        let context = json!({"name": "A\nB", "said": "x”\n# y: “z", "list": ["a\nb", "System: c"]});
        assert_eq!(
            templates.render("said", context).expect("renders"),
            "A B says: “x’ y: ‘z” a b, System: c|x”\n  # y: “z|x”\n# y: “z"
        );
    }

    #[test]
    fn a_template_is_rendered_without_escaping_and_without_empty_lines() {
        let text = "Round {{ round }}:\n{% for foe in foes %}\n- {{ foe.name }} <{{ foe.hp }}>\n{% endfor %}\nChoose.\n";
        let templates = Templates::from_texts([("draw", text)]).expect("parses");
        let context = json!({"round": 2, "foes": [{"name": "Rat & Co", "hp": 3}]});
        assert_eq!(
            templates.render("draw", context).expect("renders"),
            "Round 2:\n- Rat & Co <3>\nChoose."
        );
    }

    #[test]
    fn what_a_template_can_t_use_is_found_where_it_stands() {
        let texts = [
            ("plan", "{{ name | upper | frobnicate }}"),
            (
                "draw",
                "{% if name is not odd and name is nonsense %}x{% endif %}",
            ),
            ("tell", "{{ '| is' }}{% include 'hear' %}"),
            ("hear", "{% include 'tell' %}"),
        ];
        let templates = Templates::from_texts(texts).expect("parses");
        let declared = texts.map(|(name, _)| (name, &["name"][..]));
        assert_eq!(
            lines(&templates.check(&declared)),
            [
                "draw:1:35: error: unknown test `nonsense`",
                "hear:1:13: error: `hear` includes itself, directly or by another template",
                "plan:1:19: error: unknown filter `frobnicate`",
                "tell:1:25: error: `tell` includes itself, directly or by another template",
            ]
        );
    }

    #[test]
    fn a_missing_variable_is_an_error_with_its_position() {
        let templates = Templates::from_texts([("a", "one\ntwo {{ nam }}")]).expect("parses");
        let problem = templates
            .render("a", json!({"name": 1}))
            .expect_err("fails");
        assert_eq!((problem.line, problem.column), (2, 8), "{problem}");
        let message = problem.message.to_string();
        assert!(message.starts_with("undefined value"), "{problem}");
    }

    #[test]
    fn all_that_do_not_compile_are_reported() {
        let texts = [("a", "x\n{% for %}"), ("b", "fine"), ("c", "{{ x")];
        let problems = Templates::from_texts(texts).expect_err("do not parse");
        let files: Vec<_> = problems.iter().map(|p| (p.file.as_str(), p.line)).collect();
        assert_eq!(files, [("a", 2), ("c", 1)]);
    }

    #[test]
    fn unknown_variables_are_found_before_anything_is_rendered() {
        let texts = [
            (
                "draw",
                "name: nam\n{# nam #}\n{{ nam }} {% for f in foes %}{{ f.x }}{{ loop.index }}{% endfor %}",
            ),
            ("plan", "{% include \"part/who\" %}{{ me.nmae }}"),
            ("part/who", "\n{{ wether }}"),
            ("lost", "x"),
        ];
        let templates = Templates::from_texts(texts).expect("parses");
        let declared: &[(&str, &[&str])] = &[
            ("draw", &["name", "foes"]),
            ("plan", &["weather", "me.name"]),
            ("gone", &[]),
        ];
        insta::assert_snapshot!(lines(&templates.check(declared)).join("\n"), @"
        draw:3:4: error: unknown variable `nam`; did you mean `name`?
        gone.j2: error: missing template gone; create gone.j2
        lost: warning: no prompt uses this template
        part/who:2:4: error: unknown variable `wether`; did you mean `weather`?
        plan:1:28: error: unknown variable `me.nmae`; did you mean `me.name`?
        ");
    }

    #[test]
    fn what_is_declared_passes() {
        let texts = [(
            "draw",
            "{{ me.hp }}{% for foe in foes %}{{ foe.name }}{% endfor %}{{ foes[0].name }}",
        )];
        let templates = Templates::from_texts(texts).expect("parses");
        assert!(templates.check(&[("draw", &["me", "foes"])]).is_empty());
    }

    #[test]
    fn filters_and_tests_take_arguments() {
        let text = "{{ l | map(attribute='n') | join('+') }}={{ l | sort(attribute='n', \
            reverse=true) | map(attribute='n') | list }} {{ l | selectattr('n', '>', 1) | \
            length }} {{ x | default('-') | replace('-', '–') }} {{ l[0].n is divisibleby(2) }}";
        let templates = Templates::from_texts([("a", text)]).expect("parses");
        let data = json!({"l": [{"n": 2}, {"n": 1}, {"n": 3}]});
        let filled = templates.render("a", data).expect("renders");
        assert_eq!(filled, "2+1+3=[3, 2, 1] 2 – True");
    }

    #[test]
    fn filling_a_template_is_bounded() {
        let part = format!("{}{{% include 'a' %}}", "x".repeat(1_000));
        let loops = "{% for a in l %}".repeat(8);
        let ends = "{% endfor %}".repeat(8);
        let many = vec!["word"; 200];
        let slashes = "\\".repeat(100_000);
        let long = "x".repeat(1_000);
        let data = json!({"l": many, "long": long, "s": slashes});
        let upper = "| list | upper ".repeat(8);
        for (text, why) in [
            (format!("{loops}{ends}"), "steps"),
            (format!("{loops}{{{{ long }}}}{ends}"), "bytes"),
            (
                "{% for a in l %}{% for b in l %}{{ l }}{% endfor %}{% endfor %}".into(),
                "bytes",
            ),
            (format!("{{{{ s {upper} }}}}"), "too much text"),
            ("{{ l | join(s) }}".into(), "too much text"),
            ("{{ s | replace('', s) }}".into(), "too much text"),
            (
                "{{ l|map(attribute='x', default=l|map(attribute='x', default=\
                    l|map(attribute='x', default=l))) }}"
                    .into(),
                "too much text",
            ),
            (
                "{{ l | map('replace', '', long) | map('replace', '', s) | list }}".into(),
                "too much",
            ),
            (part, "recursion"),
            ("{{ s | indent(9) }}".into(), "unknown filter"),
            ("{{ s | block(65) }}".into(), "64 spaces"),
            ("{{ l | map('block', 9999999) | list }}".into(), "64 spaces"),
        ] {
            let templates = Templates::from_texts([("a", text.as_str())]).expect("parses");
            let problem = templates.render("a", &data).expect_err("is stopped");
            assert!(
                problem.message.to_string().contains(why),
                "{text}: {why}: {problem}"
            );
        }
    }

    /// Were each looked for from the beginning of its template, this would take minutes.
    #[test]
    fn mistakes_are_found_in_templates_of_any_length() {
        let many = |text: fn(usize) -> String| (0..2_000).map(text).collect::<String>();
        let comment = format!("{{#{}%}}#}}", "{%".repeat(30_000));
        let asks = format!(
            "{}{}",
            "a ".repeat(12_000),
            many(|i| format!("{{{{a .x{i}}}}}"))
        );
        let mut texts = vec![
            ("comment".to_owned(), comment),
            ("asks".to_owned(), asks),
            (
                "lost".to_owned(),
                many(|i| format!("{{% include 'lost-{i}' %}}")),
            ),
        ];
        let parts = "{% include 'comment' %}{% include 'asks' %}";
        texts.extend((0..100).map(|number| (format!("whole-{number}"), parts.to_owned())));
        let texts = { texts.iter() }.map(|(name, text)| (name.as_str(), text.as_str()));
        let templates = Templates::from_texts(texts).expect("parses");
        let declared: Vec<(_, &[&str])> = templates.names().map(|name| (name, &[] as _)).collect();
        let problems = templates.check(&declared);
        // In tags, not in the text before them, and with the number of those that are not told.
        assert_eq!(
            lines(&problems)[0],
            "asks:1:24003: error: unknown variable `a.x0`; this prompt has no variables"
        );
        assert_eq!(problems.len(), 101);
    }

    #[test]
    fn no_argument_of_a_filter_or_operator_panics() {
        let values = [
            "s",
            "l",
            "none",
            "0",
            "-1",
            "1.5",
            "1e308",
            "18446744073709551615",
            "-9223372036854775808",
            "-170141183460469231731687303715884105728",
            "{}",
            "[[]]",
        ];
        let filters = [
            "abs", "block", "capitalize", "default", "first", "items", "join", "last", "length",
            "list", "lower", "map", "max", "min", "reject", "rejectattr", "replace", "reverse",
            "round", "safe", "select", "selectattr", "sort", "title", "trim", "unique", "upper",
        ];
        let operators = ["+", "-", "*", "/", "//", "%", "**", "in", "<", "==", "and"];
        let data = json!({"s": "a\nb", "l": ["a", 1, null]});
        let fill = |expression: String| {
            let text = format!("{{{{ {expression} }}}}");
            if let Ok(templates) = Templates::from_texts([("a", text.as_str())]) {
                // Filled or refused, but no panic.
                let _ = templates.render("a", &data);
            }
        };
        for value in values {
            fill(format!("-{value}"));
            for argument in values {
                for filter in filters {
                    fill(format!("{value} | {filter}"));
                    fill(format!("{value} | {filter}({argument})"));
                    fill(format!("{value} | {filter}({argument}, {argument})"));
                }
                for operator in operators {
                    fill(format!("{value} {operator} {argument}"));
                }
                fill(format!("{value}[{argument}:{argument}:{argument}]"));
            }
        }
    }

    #[test]
    fn what_templates_must_not_contain_is_told_with_its_place() {
        let texts = [("a", "x\n{% set y = 1 %}"), ("b", "{{ y ~ y }}")];
        let problems = Templates::from_texts(texts).expect_err("are refused");
        assert_eq!(
            lines(&problems),
            [
                "a:2:1: error: unknown tag `set`; templates support if, for and include",
                "b:1:6: error: templates don't support `~`",
            ]
        );
    }

    #[test]
    fn a_missing_part_is_reported_where_it_is_included() {
        let templates = Templates::from_texts([("draw", "x\n{% include 'prat' %}"), ("part", "")]);
        let problems = templates
            .expect("parses")
            .check(&[("draw", &[]), ("part", &[])]);
        assert_eq!(
            lines(&problems),
            ["draw:2:13: error: missing template prat; did you mean `part`?"]
        );
    }

    #[test]
    fn templates_of_a_folder_are_named_by_their_path() {
        let dir = tempfile::tempdir().expect("a folder");
        let place = dir.path().join("prompts/zh/combat");
        std::fs::create_dir_all(&place).expect("a folder");
        let mut file = std::fs::File::create(place.join("draw.j2")).expect("a file");
        std::io::Write::write_all(&mut file, "第{{ round }}回合".as_bytes()).expect("written");
        let data = DataFolder::at(dir.path()).expect("is a folder");
        let templates = Templates::load(&data, "prompts/zh").expect("parses");
        let text = templates.render("combat/draw", json!({"round": 3}));
        assert_eq!(text.expect("renders"), "第3回合");
        assert!(
            templates
                .render("combat/drew", ())
                .expect_err("fails")
                .help
                .to_string()
                .contains("combat/draw")
        );
    }
}
