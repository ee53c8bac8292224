//! What a template may contain: a part of Jinja that can't outgrow its text and its data.
//!
//! The parser and the interpreter are recursive, and a value that is bound to a name can double in
//! every line. So nesting and operators are counted before the parser sees the text, a loop is all
//! that binds a name, and what a loop goes through is not written by the template.

use crate::locale::{UiText, text};

/// The longest template, in bytes. The longest shipped one has a twentieth of it.
const MAX_BYTES: usize = 64 * 1024;

/// How many blocks may be open, each `elif` counted as one more.
const MAX_OPEN: usize = 64;

/// How many operators, dots and commas one tag has.
const MAX_OPERATORS: usize = 100;

/// How deep brackets are nested in a tag.
const MAX_BRACKETS: usize = 6;

/// How many digits a number has, so that no sum of them overflows.
const MAX_DIGITS: usize = 9;

/// Words that are not values.
const KEYWORDS: [&str; 8] = ["and", "or", "not", "in", "is", "if", "else", "for"];

/// What must not be in a template, and the byte at which it is.
pub(super) type Refusal = (usize, UiText);

/// The first thing that a template must not contain.
///
/// # Errors
/// There is one. What can't be parsed is left to the parser.
pub(super) fn check(template: &str) -> Result<(), Refusal> {
    if template.len() > MAX_BYTES {
        return Err((0, text!(world_data_too_large, max = MAX_BYTES)));
    }
    // For each open block, how many blocks it counts as.
    let mut open: Vec<usize> = Vec::new();
    for tag in tags(template) {
        let tag = tag?;
        if tag.prints {
            continue;
        }
        match tag.word {
            "if" | "for" => open.push(1),
            "elif" => open
                .iter_mut()
                .next_back()
                .into_iter()
                .for_each(|block| *block += 1),
            "endif" | "endfor" => drop(open.pop()),
            "else" | "include" => {}
            word => return Err((tag.start, text!(world_data_template_tag, tag = word))),
        }
        if open.iter().sum::<usize>() > MAX_OPEN {
            return Err((tag.start, text!(world_data_template_deep)));
        }
    }
    Ok(())
}

/// The tags of a template without its comments, up to the first that is refused or has no end.
/// Each byte is read once.
pub(super) fn tags(template: &str) -> impl Iterator<Item = Result<Tag<'_>, Refusal>> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        loop {
            let start = next_tag(template, next.take()?)?;
            let inside = start + 2;
            let closing = match template.as_bytes().get(start + 1) {
                Some(b'#') => {
                    let end = template.get(inside..)?.find("#}")?;
                    next = Some(inside + end + 2);
                    continue;
                }
                Some(b'{') => "}}",
                _ => "%}",
            };
            let tag = Tag::read(template, start, closing).transpose()?;
            next = tag.as_ref().ok().map(|tag| tag.end);
            return Some(tag);
        }
    })
}

/// The beginning of the next tag or comment.
fn next_tag(template: &str, from: usize) -> Option<usize> {
    let bytes = template.as_bytes().get(from..)?;
    let mut pairs = bytes.windows(2);
    let found = pairs.position(|pair| matches!(pair, [b'{', b'{' | b'%' | b'#']))?;
    Some(from + found)
}

pub(super) struct Tag<'a> {
    /// The byte at which it begins.
    pub(super) start: usize,
    /// The first byte after it.
    pub(super) end: usize,
    /// Whether it puts in a value, rather than being a statement.
    prints: bool,
    word: &'a str,
    /// The first quoted text, without its quotes, and the byte at which it begins.
    quoted: Option<(&'a str, usize)>,
    /// The filters and tests that it uses.
    pub(super) applied: Vec<Applied<'a>>,
}

/// The use of a filter or a test.
pub(super) struct Applied<'a> {
    pub(super) name: &'a str,
    pub(super) is_test: bool,
    /// The byte at which its name begins.
    pub(super) start: usize,
}

impl<'a> Tag<'a> {
    /// The template that it includes by a literal name, and the position of the name.
    pub(super) fn included(&self) -> Option<(&'a str, usize)> {
        let includes = !self.prints && self.word == "include";
        self.quoted.filter(|_| includes)
    }

    /// Reads the tag from `start`; `None` if it has no end.
    fn read(template: &'a str, start: usize, closing: &str) -> Result<Option<Self>, Refusal> {
        let mut offset = start + 2;
        let mut word = "";
        let mut first_quoted = None;
        let mut operators = 0;
        // Whether each open bracket groups, rather than being that of a call or an index.
        let mut brackets: Vec<bool> = Vec::new();
        let mut after_value = false;
        let mut after_in = false;
        let mut applied = Vec::new();
        let mut before = "";
        loop {
            let rest = template.get(offset..).unwrap_or_default();
            let Some(first) = rest.chars().next() else {
                return Ok(None);
            };
            if rest.starts_with(closing) {
                let end = offset + closing.len();
                return Ok(Some(Self {
                    start,
                    end,
                    prints: closing == "}}",
                    word,
                    quoted: first_quoted,
                    applied,
                }));
            }
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = match first {
                '"' | '\'' => {
                    let Some(length) = quoted(rest, first) else {
                        return Ok(None);
                    };
                    let text = rest.get(1..length - 1).unwrap_or_default();
                    first_quoted = first_quoted.or(Some((text, offset + 1)));
                    length
                }
                first if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                first => first.len_utf8(),
            };
            let token = &rest[..length];
            let in_loop = word == "for";
            match first {
                first if first.is_whitespace() => {
                    offset += length;
                    continue;
                }
                '{' | '}' | '~' | '*' => {
                    return Err((offset, text!(world_data_template_symbol, symbol = token)));
                }
                '[' if in_loop && !after_value => {
                    return Err((offset, text!(world_data_template_list)));
                }
                ',' if in_loop && after_in && brackets.last().is_none_or(|groups| *groups) => {
                    return Err((offset, text!(world_data_template_list)));
                }
                '[' | '(' => brackets.push(!after_value),
                ')' | ']' => drop(brackets.pop()),
                first if first.is_numeric() && length > MAX_DIGITS => {
                    return Err((offset, text!(world_data_template_number, max = MAX_DIGITS)));
                }
                _ if word.is_empty() && first.is_alphabetic() => word = token,
                _ if token == "recursive" => {
                    return Err((offset, text!(world_data_template_tag, tag = token)));
                }
                _ => after_in |= token == "in",
            }
            if matches!(before, "|" | "is") && is_word(first) && token != "not" {
                let (name, is_test, start) = (token, before == "is", offset);
                applied.push(Applied {
                    name,
                    is_test,
                    start,
                });
            }
            if (before, token) != ("is", "not") {
                before = token;
            }
            let is_value = first == '"' || first == '\'' || is_word(first);
            let is_keyword = KEYWORDS.contains(&token);
            operators += usize::from(!is_value || is_keyword);
            after_value = is_value && !is_keyword || matches!(first, ')' | ']');
            if operators > MAX_OPERATORS {
                let message = text!(world_data_template_operators, max = MAX_OPERATORS);
                return Err((offset, message));
            }
            if brackets.len() > MAX_BRACKETS {
                return Err((offset, text!(world_data_too_deep)));
            }
            offset += length;
        }
    }
}

/// The length of a quoted text with its quotes; `None` if it has no end.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (offset, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(offset + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_shipped_templates_need_passes() {
        for template in [
            "{% if a.b[0] and not c %}{{ (a + b) | join(\", \") }}{%- elif x is odd %}y{% else %}z{% endif %}",
            "{% for key, one in all | items if one.x > 2 %}{{ loop.index0 - 1 }}{% endfor %}",
            "{# {% macro %} #}{% include \"part/who\" %} } { % {{ \"{% }} ~\" }}",
            "{% for one in (a + b)[1:] | sort(attribute=\"x\", reverse=true) %}{% endfor %}",
            "{{ [a, b] | join }}{{ open",
        ] {
            assert_eq!(check(template), Ok(()), "{template}");
        }
    }

    #[test]
    fn what_is_included_is_found_once_and_not_in_comments_or_texts() {
        let includes = |template| {
            let tags = tags(template).map_while(Result::ok);
            tags.filter_map(|tag| tag.included()).collect::<Vec<_>>()
        };
        let found =
            includes("{# {% include 'a' %} #}{%- include \"b\" -%}{{ \"{% include 'c' %}\" }}");
        assert_eq!(found, [("b", 36)]);
        assert_eq!(
            includes("{% include x %}{% if y == 'd' %}{% include 'e"),
            []
        );
        assert_eq!(includes(&format!("{{#{}%}}#}}", "{%".repeat(30_000))), []);
    }

    #[test]
    fn what_could_outgrow_its_text_is_refused_at_its_place() {
        for (template, byte) in [
            ("{% set x = 1 %}", 0),
            ("a{%- macro m() %}{% endmacro %}", 1),
            ("{% raw %}{{ x }}{% endraw %}", 0),
            ("{{ a ~ b }}", 5),
            ("{{ \"a\" * 9 }}", 7),
            ("{{ {} }}", 3),
            ("{% for x in [x, x] %}{% endfor %}", 12),
            ("{% for x in (x, x) %}{% endfor %}", 14),
            ("{% for x in x, x %}{% endfor %}", 13),
            ("{% for x in y|map(\"a\", [x]) %}{% endfor %}", 23),
            ("{% for x in y recursive %}{% endfor %}", 14),
            ("{{ [[[[[[[1]]]]]]] }}", 9),
            ("{{ a[-9223372036854775808:] }}", 6),
        ] {
            let refused = check(template).map_err(|(byte, _)| byte);
            assert_eq!(refused, Err(byte), "{template}");
        }
    }

    #[test]
    fn what_is_too_deep_or_too_long_for_the_parser_is_refused() {
        let many = |text: &str| text.repeat(5_000);
        for template in [
            format!("{{{{ {}a }}}}", many("a+")),
            format!("{{{{ {}a }}}}", many("- ")),
            format!("{{{{ {}a }}}}", many("not ")),
            format!("{{{{ a{} }}}}", many(".a")),
            format!("{{{{ a{} }}}}", many("|a")),
            format!("{{{{ {}a }}}}", many("(")),
            many("{% if a %}"),
            format!("{{% if a %}}{}", "{% elif a %}".repeat(100)),
            "long".repeat(20_000),
        ] {
            assert!(check(&template).is_err(), "{}", &template[..20]);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([{}%#(\\[\\]),.|a\"' 大]|for |in |if ){0,60}") {
            let _ = check(&text);
        }
    }
}
