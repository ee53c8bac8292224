use std::collections::{BTreeMap, BTreeSet};
use std::io;

use fluent_syntax::ast::{
    CallArguments, Comment, Entry, Expression, InlineExpression, Message, Pattern, PatternElement,
};
use fluent_syntax::parser;
use include_dir::Dir;

use super::bundle::{Bundle, CHINESE, ENGLISH};
use super::*;

/// What the parser finds in a text.
#[derive(Default)]
struct Text {
    variables: BTreeSet<String>,
    /// What stands outside of braces, and in literals and variants.
    words: String,
    is_marked_same: bool,
}

/// All texts of a language by key. Fails where a file breaks a rule of this module.
fn texts(folder: &Dir) -> BTreeMap<String, Text> {
    let mut texts = BTreeMap::new();
    for file in folder.files() {
        let name = file.path().display();
        let source = file.contents_utf8().unwrap();
        let resource = parser::parse(source).unwrap_or_else(|(_, errors)| {
            panic!("{name}: {errors:?}");
        });
        let prefix = format!("{}_", file.path().file_stem().unwrap().display());
        for entry in resource.body {
            let Entry::Message(message) = entry else {
                assert!(!matches!(entry, Entry::Junk { .. }), "{name}: {entry:?}");
                continue;
            };
            let key = message.id.name;
            assert!(
                key.starts_with(&prefix),
                "{name}: begin {key} with {prefix}"
            );
            assert!(message.attributes.is_empty(), "{key} has an attribute");
            let text = Text::of(&message);
            assert_eq!(
                texts.insert(key.to_owned(), text).map(|_| key),
                None,
                "twice"
            );
        }
    }
    texts
}

impl Text {
    fn of(message: &Message<&str>) -> Self {
        let mut text = Self::default();
        let pattern = message.value.as_ref();
        text.pattern(pattern.unwrap_or_else(|| panic!("{} is empty", message.id.name)));
        let is_same = |comment: &Comment<&str>| comment.content.contains(&"same");
        text.is_marked_same = message.comment.as_ref().is_some_and(is_same);
        text
    }

    fn pattern(&mut self, pattern: &Pattern<&str>) {
        for element in &pattern.elements {
            match element {
                PatternElement::TextElement { value } => self.words.push_str(value),
                PatternElement::Placeable { expression } => self.expression(expression),
            }
        }
    }

    fn expression(&mut self, expression: &Expression<&str>) {
        match expression {
            Expression::Inline(inline) => self.inline(inline),
            Expression::Select { selector, variants } => {
                self.inline(selector);
                variants
                    .iter()
                    .for_each(|variant| self.pattern(&variant.value));
            }
        }
    }

    fn inline(&mut self, inline: &InlineExpression<&str>) {
        match inline {
            InlineExpression::VariableReference { id } => {
                self.variables.insert(id.name.to_owned());
            }
            InlineExpression::StringLiteral { value } => self.words.push_str(value),
            InlineExpression::NumberLiteral { .. } => {}
            InlineExpression::TermReference { arguments, .. } => {
                arguments
                    .iter()
                    .for_each(|arguments| self.arguments(arguments));
            }
            InlineExpression::Placeable { expression } => self.expression(expression),
            InlineExpression::FunctionReference { .. }
            | InlineExpression::MessageReference { .. } => {
                panic!("functions and references to messages are not used: {inline:?}")
            }
        }
    }

    fn arguments(&mut self, arguments: &CallArguments<&str>) {
        arguments
            .positional
            .iter()
            .for_each(|value| self.inline(value));
        arguments
            .named
            .iter()
            .for_each(|named| self.inline(&named.value));
    }
}

fn is_chinese(letter: char) -> bool {
    ('一'..='鿿').contains(&letter)
}

#[test]
fn the_types_of_keys_are_what_the_parser_finds() {
    let parsed = texts(&ENGLISH);
    let scanned: BTreeMap<_, _> = keys::SCANNED.iter().copied().collect();
    assert_eq!(
        scanned.keys().copied().collect::<Vec<_>>(),
        parsed.keys().collect::<Vec<_>>()
    );
    for (key, variables) in scanned {
        let parsed: Vec<_> = parsed[key].variables.iter().map(String::as_str).collect();
        assert_eq!(variables, parsed, "{key}");
    }
}

#[test]
fn every_language_has_the_same_keys_with_the_same_variables() {
    let (english, chinese) = (texts(&ENGLISH), texts(&CHINESE));
    let variables = |texts: &BTreeMap<String, Text>| {
        let of_key = |(key, text): (&String, &Text)| (key.clone(), text.variables.clone());
        texts.iter().map(of_key).collect::<Vec<_>>()
    };
    assert_eq!(variables(&english), variables(&chinese));
}

#[test]
fn every_text_is_in_its_language() {
    for (key, text) in texts(&ENGLISH) {
        assert!(!text.words.contains(is_chinese), "{key}: {}", text.words);
    }
    for (key, text) in texts(&CHINESE) {
        let is_chinese = text.words.contains(is_chinese);
        assert_ne!(is_chinese, text.is_marked_same, "{key}: {}", text.words);
    }
}

#[test]
fn english_counts_have_a_singular() {
    let file = "turns = { $count ->\n    [one] { $count } turn\n   *[other] { $count } turns\n }";
    let bundle = Bundle::new(Language::En, file);
    let turns = |count: Argument| bundle.render("turns", &[("count".into(), count)]);
    assert_eq!(turns(1.into()), "1 turn");
    assert_eq!(turns(0.into()), "0 turns");
    assert_eq!(turns(1_234_567.into()), "1234567 turns");
    assert_eq!(turns(u64::MAX.into()), format!("{} turns", u64::MAX));
}

#[test]
fn arguments_are_shown_in_the_language_of_the_whole() {
    let inner = text!(journal_misplaced_head);
    let list = Argument::list([Argument::from(&inner), "x".into(), 0.5.into()]);
    let reason = text!(session_world, reason = list);
    assert_eq!(
        reason.to_string(),
        "the world can't be set up: the header must be the first line, and only the first, x, 0.5"
    );
    assert_eq!(
        reason.in_language(Language::Zh),
        "无法搭建世界：文件头必须是第一行，而且只能出现一次、x、0.5"
    );
    assert_eq!(
        serde_json::to_value(&reason).unwrap(),
        reason.to_string().as_str()
    );
}

#[test]
fn a_verbatim_text_is_the_same_in_every_language() {
    let text = UiText::verbatim("{ $x } 好");
    assert_eq!(text.to_string(), "{ $x } 好");
    assert_eq!(text.in_language(Language::Zh), text.to_string());
    assert!(UiText::default().is_empty() && !text.is_empty());
}

#[test]
fn errors_of_json_tell_kind_and_place() {
    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Seat {
        #[expect(dead_code, reason = "only read")]
        name: String,
    }
    let told = |json: &str| {
        let text = serde_json::from_str::<Seat>(json).unwrap_err().text();
        (text.to_string(), text.in_language(Language::Zh))
    };
    let expected = |english: &str, chinese: &str| (english.to_owned(), chinese.to_owned());
    assert_eq!(
        told("\n{"),
        expected(
            "EOF while parsing an object at line 2 column 1",
            "第 2 行第 1 列：JSON 不完整"
        )
    );
    assert_eq!(
        told("{]"),
        expected(
            "key must be a string at line 1 column 2",
            "第 1 行第 2 列：JSON 格式不对"
        )
    );
    assert_eq!(
        told("{}"),
        expected(
            "missing field `name` at line 1 column 2",
            "第 1 行第 2 列：值不对或缺失（name）"
        )
    );
    let value = serde_json::from_value::<u8>("one".into()).unwrap_err();
    assert_eq!(
        value.text().to_string(),
        "invalid type: string \"one\", expected u8"
    );
}

#[test]
fn rare_errors_of_the_system_keep_their_english() {
    let own = io::Error::other("torn");
    assert_eq!(own.text(), UiText::verbatim("torn"));
}

#[cfg(target_os = "linux")]
#[test]
fn errors_of_the_system_keep_their_english() {
    for code in [2, 13, 17, 20, 21, 28, 30, 101, 104, 111] {
        let error = io::Error::from_raw_os_error(code);
        assert_eq!(error.text().to_string(), error.to_string());
    }
    let denied = io::Error::from_raw_os_error(13);
    assert_eq!(
        denied.text().in_language(Language::Zh),
        "没有权限（系统错误 13）"
    );
}
