//! Keeps the secrets of a world file out of public speech.

use std::collections::BTreeSet;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Guard, GuardVerdict, Judged, Point, Reason};
use crate::held::Held;
use crate::knowledge::{FactBook, Knowledge, SecretAction};
use crate::locale::{Argument, text};
use crate::wording::{Needle, Searched};

/// One secret of a world file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretRule {
    /// The words that must not be said, whatever their case, width and accents, and the spaces,
    /// punctuation and Markdown between their letters, also escaped as in a URL. A `*` stands for
    /// up to 40 letters of any kind: `key * under * stair`.
    pub text: String,
    /// What covers them; `███` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// What happens to a text that contains them.
    #[serde(default)]
    pub action: SecretAction,
    /// The id of the fact that they give away: those who know it may say them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<Arc<str>>,
    /// Whether they are forbidden even to those who know the fact, and even in a whisper.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sworn: bool,
}

/// The maximum number of letters that a `*` stands for.
const MAX_GAP: usize = 40;

/// Looks for secrets in public texts, before they are sent. Whispers and thoughts pass, unless the
/// secret is sworn.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Arc<Compiled>);

/// Equal if it was made of equal rules.
#[derive(Debug, Default)]
struct Compiled {
    of: Vec<SecretRule>,
    rules: Vec<CompiledRule>,
}

impl PartialEq for Compiled {
    fn eq(&self, other: &Self) -> bool {
        self.of == other.of
    }
}

static HELD: Held<Compiled> = Held::new();

#[derive(Debug)]
struct CompiledRule {
    /// The parts between the stars.
    parts: Vec<Needle>,
    mask: String,
    action: SecretAction,
    fact: Option<Arc<str>>,
    sworn: bool,
}

/// A part of a text that reveals a secret, in bytes, and the number of its rule.
struct Leak {
    start: usize,
    end: usize,
    rule: usize,
}

impl Secrets {
    /// A guard of these secrets. A rule without words guards nothing.
    pub fn new(rules: impl IntoIterator<Item = SecretRule>) -> Self {
        let of: Vec<_> = rules.into_iter().collect();
        let rules = of.iter().cloned().map(|rule| CompiledRule {
            parts: rule
                .text
                .split(['*', '＊'])
                .filter_map(Needle::new)
                .collect(),
            mask: rule.mask.unwrap_or_else(|| "███".into()),
            action: rule.action,
            fact: rule.fact,
            sworn: rule.sworn,
        });
        let rules = rules.collect();
        Self(HELD.once(Compiled { of, rules }))
    }

    /// The rules for the phrases of all facts of a book.
    pub fn of_facts(book: &FactBook) -> impl Iterator<Item = SecretRule> {
        book.all().flat_map(|fact| {
            let id: Arc<str> = fact.id.as_str().into();
            fact.phrases.iter().map(move |phrase| SecretRule {
                text: phrase.clone(),
                action: fact.guard,
                fact: Some(id.clone()),
                sworn: fact.sworn,
                ..SecretRule::default()
            })
        })
    }

    /// The ids of the facts that a text gives away, without duplicates. Sworn facts are not among
    /// them.
    pub fn facts_in(&self, text: &str) -> Vec<Arc<str>> {
        let found = self.rules_in(text).into_iter();
        let rules = found.filter_map(|number| self.0.rules.get(number));
        let facts: BTreeSet<_> = rules
            .filter(|rule| !rule.sworn)
            .filter_map(|rule| rule.fact.clone())
            .collect();
        facts.into_iter().collect()
    }

    /// The numbers of the rules whose words are in a text.
    pub fn rules_in(&self, text: &str) -> BTreeSet<usize> {
        self.leaks(text).into_iter().map(|leak| leak.rule).collect()
    }

    /// Every leak, sorted by start; of leaks with the same start, the longest is first.
    fn leaks(&self, text: &str) -> Vec<Leak> {
        if self.0.rules.is_empty() {
            return Vec::new();
        }
        let mut leaks = self.leaks_in(text);
        if let Some(plain) = Plain::of(text) {
            let hidden = self.leaks_in(&plain.text);
            leaks.extend(hidden.into_iter().map(|leak| plain.in_original(leak)));
        }
        leaks.sort_by_key(|leak| (leak.start, std::cmp::Reverse(leak.end)));
        leaks
    }

    fn leaks_in(&self, text: &str) -> Vec<Leak> {
        let read = Searched::new(text);
        let rules = self.0.rules.iter().enumerate();
        rules
            .flat_map(|(number, rule)| rule.leaks(text, &read, number))
            .collect()
    }

    fn masked(&self, text: &str, leaks: &[Leak]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for leak in leaks {
            if leak.start >= done {
                out.push_str(&text[done..leak.start]);
                out.push_str(&self.0.rules[leak.rule].mask);
            }
            done = done.max(leak.end);
        }
        out.push_str(&text[done..]);
        out
    }
}

/// Finds the phrases of facts in what those say who know them. It is empty by default.
#[derive(Resource, Clone, Debug, Default)]
pub struct FactPhrases(Secrets);

impl FactPhrases {
    pub fn new(book: &FactBook) -> Self {
        Self(Secrets::new(Secrets::of_facts(book)))
    }

    pub fn facts_in(&self, text: &str) -> Vec<Arc<str>> {
        self.0.facts_in(text)
    }
}

impl Guard for Secrets {
    fn name(&self) -> &str {
        "secrets"
    }

    fn points(&self) -> &[Point] {
        if self.0.rules.is_empty() {
            &[]
        } else {
            &[Point::Send]
        }
    }

    fn judge(&self, message: &Judged<'_>) -> GuardVerdict {
        let mut leaks = self.leaks(message.text);
        leaks.retain(|leak| !self.0.rules[leak.rule].allows(message.public, message.knowledge));
        let Some(worst) = leaks
            .iter()
            .map(|leak| self.0.rules[leak.rule].action)
            .max()
        else {
            return GuardVerdict::Pass;
        };
        let reason = reason(&leaks);
        match worst {
            SecretAction::Flag => GuardVerdict::Flag { reason },
            SecretAction::Block => GuardVerdict::Block { reason },
            SecretAction::Mask => {
                leaks.retain(|leak| self.0.rules[leak.rule].action == SecretAction::Mask);
                let text = self.masked(message.text, &leaks);
                GuardVerdict::Mask { text, reason }
            }
        }
    }
}

/// Names the secrets only by their numbers, since reasons are shown.
fn reason(leaks: &[Leak]) -> Reason {
    let numbers: BTreeSet<_> = leaks.iter().map(|leak| leak.rule + 1).collect();
    text!(event_secret, numbers = Argument::list(numbers))
}

impl CompiledRule {
    /// Whether the speaker may say its words: in a whisper anybody may, aloud those who know.
    fn allows(&self, public: bool, knowledge: Option<&Knowledge>) -> bool {
        let knows = |fact: &Arc<str>| knowledge.is_some_and(|knowledge| knowledge.knows(fact));
        !self.sworn && (!public || self.fact.as_ref().is_some_and(knows))
    }

    fn leaks(&self, text: &str, read: &Searched<'_>, number: usize) -> Vec<Leak> {
        let Some((head, rest)) = self.parts.split_first() else {
            return Vec::new();
        };
        let mut leaks = Vec::new();
        let mut done = 0;
        for start in read.starts_of(head) {
            if start < done {
                continue;
            }
            let mut end = read.end_of(head, start);
            for part in rest {
                end = end.and_then(|end| {
                    let mut starts = end..=end + MAX_GAP;
                    starts.find_map(|start| read.end_of(part, start))
                });
            }
            let Some(end) = end else {
                continue;
            };
            let Some(bytes) = read.bytes(start..end) else {
                continue;
            };
            if stands_alone(text, bytes.start, bytes.end) {
                leaks.push(Leak {
                    start: bytes.start,
                    end: bytes.end,
                    rule: number,
                });
                done = end;
            }
        }
        leaks
    }
}

/// How escaped characters begin: in a URL, in HTML, in JSON.
const ESCAPES: [char; 3] = ['%', '&', '\\'];

/// The readable form of a text with escaped characters, such as `%E9%92%A5`.
struct Plain {
    text: String,
    /// For each character, where it begins, and its bytes in the original.
    chars: Vec<(usize, std::ops::Range<usize>)>,
}

impl Plain {
    /// `None` if it is the same as the original.
    fn of(original: &str) -> Option<Self> {
        if !original.contains(ESCAPES) {
            return None;
        }
        let mut plain = Self {
            text: String::with_capacity(original.len()),
            chars: Vec::new(),
        };
        let mut start = 0;
        while let Some(char) = original[start..].chars().next() {
            let escaped = escaped(&original[start..]);
            let (char, length) = escaped.unwrap_or((char, char.len_utf8()));
            let end = start + length;
            plain.chars.push((plain.text.len(), start..end));
            plain.text.push(char);
            start = end;
        }
        Some(plain)
    }

    fn in_original(&self, leak: Leak) -> Leak {
        let before = |end| self.chars.partition_point(|(start, _)| *start < end);
        let first = self.chars.get(before(leak.start));
        let last = self.chars.get(before(leak.end).saturating_sub(1));
        Leak {
            start: first.map_or(leak.start, |(_, bytes)| bytes.start),
            end: last.map_or(leak.end, |(_, bytes)| bytes.end),
            ..leak
        }
    }
}

/// The character that a text begins with in an escaped form, and the length of that.
fn escaped(text: &str) -> Option<(char, usize)> {
    match text.chars().next()? {
        '%' => escaped_in_url(text),
        '&' => escaped_in_html(text),
        '\\' => escaped_in_json(text),
        _ => None,
    }
}

/// As `&#8212;` or `&#x2014;`. Signs with names stand between words.
fn escaped_in_html(text: &str) -> Option<(char, usize)> {
    let name = text.strip_prefix('&')?.split_once(';')?.0;
    let code = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        },
        None if !name.is_empty() && name.chars().all(|char| char.is_ascii_lowercase()) => 0x20,
        None => return None,
    };
    Some((char::from_u32(code)?, name.len() + 2))
}

/// As `\u2014`, or a line break.
fn escaped_in_json(text: &str) -> Option<(char, usize)> {
    match text.as_bytes().get(1)? {
        b'u' => {
            let code = u32::from_str_radix(text.get(2..6)?, 16).ok()?;
            Some((char::from_u32(code)?, 6))
        }
        b'n' | b'r' | b't' => Some(('\n', 2)),
        _ => None,
    }
}

/// As `%XX` bytes.
fn escaped_in_url(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let byte = |start: usize| {
        let digits = bytes.get(start..start + 3)?.strip_prefix(b"%")?;
        let digits = std::str::from_utf8(digits).ok()?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_hex
            .then(|| u8::from_str_radix(digits, 16).ok())
            .flatten()
    };
    let mut read = Vec::with_capacity(4);
    while read.len() < 4 {
        read.push(byte(3 * read.len())?);
        if let Ok(char) = std::str::from_utf8(&read) {
            return Some((char.chars().next()?, 3 * read.len()));
        }
    }
    None
}

/// Whether a match is not a part of a longer word, as `ann` is in `channel`. Scripts without spaces
/// between words have no such parts, and a number may follow a word at once.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let is_spaced = |char: char| char.is_alphanumeric() && u32::from(char) < 0x2E80;
    let is_inside = |left: Option<char>, right: Option<char>| {
        left.zip(right).into_iter().any(|(left, right)| {
            is_spaced(left) && is_spaced(right) && left.is_numeric() == right.is_numeric()
        })
    };
    let (before, found, after) = (&text[..start], &text[start..end], &text[end..]);
    !is_inside(before.chars().next_back(), found.chars().next())
        && !is_inside(found.chars().next_back(), after.chars().next())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::spoken;
    use super::*;

    fn rule(text: &str, mask: Option<&str>, action: SecretAction) -> SecretRule {
        SecretRule {
            text: text.into(),
            mask: mask.map(Into::into),
            action,
            ..SecretRule::default()
        }
    }

    fn masked(text: &str) -> Option<String> {
        let guard = Secrets::new([
            rule(
                "the miller lives",
                Some("a certain thing"),
                SecretAction::Mask,
            ),
            rule("井里有毒", None, SecretAction::Mask),
            rule("Ann", None, SecretAction::Mask),
            rule("key*under*stair", None, SecretAction::Mask),
        ]);
        match guard.judge(&spoken(text)) {
            GuardVerdict::Pass => None,
            GuardVerdict::Mask { text, .. } => Some(text),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_secret_is_found_in_any_case_width_and_spacing() {
        for (said, left) in [
            ("Well, the miller lives!", "Well, a certain thing!"),
            ("THE  MILLER\n lives", "a certain thing"),
            ("t\u{200B}he mil\u{FEFF}ler liv es.", "a certain thing."),
            ("Ｔｈｅ ｍｉｌｌｅｒ　ｌｉｖｅｓ", "a certain thing"),
            ("告诉你，井 里 有\u{200D}毒，快走", "告诉你，███，快走"),
            ("Ann and ANN", "███ and ███"),
            ("The key is hidden under the third stair.", "The ███."),
            ("the-miller_lives+here", "a certain thing+here"),
            ("the **miller** _lives_", "a certain thing_"),
            ("t.h.e m-i-l-l-e-r lívés", "a certain thing"),
            ("*井*里_有_毒", "*███"),
            (
                "https://a.b/?q=the%20miller%20lives&x=1",
                "https://a.b/?q=a certain thing&x=1",
            ),
            ("?w=%e4%ba%95%E9%87%8C有%E6%AF%92!", "?w=███!"),
            ("100% sure: Ann%2C and %zz%4", "100% sure: ███%2C and %zz%4"),
            ("the&nbsp;miller&#32;lives & dies", "a certain thing & dies"),
            ("the\\u0020miller\\nlives\\", "a certain thing\\"),
            ("&#20117;\\u91cc有&#x6bd2;&;&#;", "███&;&#;"),
        ] {
            assert_eq!(masked(said).as_deref(), Some(left), "{said}");
        }
    }

    #[test]
    fn what_only_resembles_a_secret_passes() {
        for said in [
            "The channel, Annabel, a plan now.",
            "井里有水",
            "the miller",
            "",
            "*",
        ] {
            assert_eq!(masked(said), None, "{said}");
        }
        let far = format!("the key {} under the stair", "far ".repeat(30));
        assert_eq!(masked(&far), None);
    }

    #[test]
    fn whispers_and_thoughts_pass() {
        let guard = Secrets::new([rule("poison", None, SecretAction::Block)]);
        let whispered = Judged {
            public: false,
            ..spoken("poison")
        };
        assert_eq!(guard.judge(&whispered), GuardVerdict::Pass);
    }

    #[test]
    fn the_strictest_action_counts_and_no_reason_reveals_the_secret() {
        let guard = Secrets::new([
            rule("poison", None, SecretAction::Flag),
            rule("copper", None, SecretAction::Mask),
            rule("bishop", None, SecretAction::Block),
        ]);
        let told = |numbers: &[usize]| {
            let numbers = Argument::list(numbers.iter().copied());
            text!(event_secret, numbers)
        };
        assert_eq!(
            guard.judge(&spoken("poison")),
            GuardVerdict::Flag { reason: told(&[1]) }
        );
        let text = "poison in ███".into();
        assert_eq!(
            guard.judge(&spoken("poison in copper")),
            GuardVerdict::Mask {
                text,
                reason: told(&[1, 2])
            }
        );
        assert_eq!(
            guard.judge(&spoken("bishop, poison")),
            GuardVerdict::Block {
                reason: told(&[1, 3])
            }
        );
    }

    #[test]
    fn rules_without_words_guard_nothing() {
        assert!(Secrets::default().points().is_empty());
        let guard = Secrets::new([rule(" * ", None, SecretAction::Block)]);
        assert_eq!(
            guard.judge(&spoken("anything * at all")),
            GuardVerdict::Pass
        );
    }

    #[test]
    fn a_rule_reads_from_a_world_file() {
        let read: SecretRule = ron::from_str(r#"(text: "the miller lives")"#).unwrap();
        assert_eq!(read, rule("the miller lives", None, SecretAction::Mask));
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "([aA Ａ*毒井\u{200B}.%4-]|%41|%E6%AF%92){0,40}", secret in "[aA*毒\u{200B} +-]{0,6}") {
            let guard = Secrets::new([rule(&secret, Some("-"), SecretAction::Mask)]);
            if let GuardVerdict::Mask { text, .. } = guard.judge(&spoken(&text)) {
                prop_assert!(text.contains('-'));
            }
        }
    }
}
