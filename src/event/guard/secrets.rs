//! Keeps the secrets of a world file out of what is said aloud.

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use super::fold::{Folded, folded};
use super::{Guard, Judged, Point, Verdict};

/// What happens to a public text that tells a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretAction {
    /// The text is delivered, marked as suspicious.
    Flag,
    /// The secret is covered.
    #[default]
    Mask,
    /// The text is not delivered.
    Block,
}

/// One secret of a world file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretRule {
    /// The words that must not be said, in any case, width and spacing, joined by hyphens or escaped as in
    /// an address of the web. A `*` stands for anything of up to 40 characters: `key * under * stair`.
    pub text: String,
    /// What covers them; `███` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// What happens to a text that holds them.
    #[serde(default)]
    pub action: SecretAction,
}

/// The most characters that a `*` stands for, spaces not counted.
const GAP: usize = 40;

/// Looks for secrets in public texts, before they are sent. Whispers and thoughts pass.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    /// The parts between the stars, folded and without spaces; none of them is empty.
    parts: Vec<Vec<char>>,
    /// Finds the first part in squeezed text, without its own joiners; `None` where there is none.
    head: Option<Finder<'static>>,
    mask: String,
    action: SecretAction,
}

/// A place in a text that tells a secret, and the number of its rule.
struct Leak {
    start: usize,
    end: usize,
    rule: usize,
}

impl Secrets {
    /// A guard of these secrets. A rule without any words guards nothing.
    pub fn new(rules: impl IntoIterator<Item = SecretRule>) -> Self {
        let rules = rules.into_iter().map(|rule| Rule {
            head: parts(&rule.text).first().map(|part| {
                let letters = part.iter().filter(|char| !is_joiner(**char));
                let head: String = letters.collect();
                Finder::new(&head).into_owned()
            }),
            parts: parts(&rule.text),
            mask: rule.mask.unwrap_or_else(|| "███".into()),
            action: rule.action,
        });
        Self {
            rules: rules.collect(),
        }
    }

    /// A quick look that settles most plain English: whether no secret's first part occurs in a text
    /// of ASCII without escapes.
    fn surely_clean(&self, text: &str) -> bool {
        if !text.is_ascii() || text.contains('%') {
            return false;
        }
        let squeezed = squeezed(text);
        let mut heads = self.rules.iter().filter_map(|rule| rule.head.as_ref());
        heads.all(|head| head.find(&squeezed).is_none())
    }

    /// Every leak, in order of place; of two that overlap the earlier and longer one.
    fn leaks(&self, text: &str) -> Vec<Leak> {
        let mut leaks = self.leaks_in(text);
        if let Some(plain) = Plain::of(text) {
            let hidden = self.leaks_in(&plain.text);
            leaks.extend(hidden.into_iter().map(|leak| plain.in_original(leak)));
        }
        leaks.sort_by_key(|leak| (leak.start, std::cmp::Reverse(leak.end)));
        leaks
    }

    fn leaks_in(&self, text: &str) -> Vec<Leak> {
        let read: Vec<_> = visible(text).collect();
        let rules = self.rules.iter().enumerate();
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
                out.push_str(&self.rules[leak.rule].mask);
            }
            done = done.max(leak.end);
        }
        out.push_str(&text[done..]);
        out
    }
}

impl Guard for Secrets {
    fn name(&self) -> &str {
        "secrets"
    }

    fn points(&self) -> &[Point] {
        if self.rules.is_empty() {
            &[]
        } else {
            &[Point::Send]
        }
    }

    fn judge(&self, message: &Judged<'_>) -> Verdict {
        if !message.public {
            return Verdict::Pass;
        }
        if self.surely_clean(message.text) {
            return Verdict::Pass;
        }
        let mut leaks = self.leaks(message.text);
        let Some(worst) = leaks.iter().map(|leak| self.rules[leak.rule].action).max() else {
            return Verdict::Pass;
        };
        let reason = reason(&leaks).into();
        match worst {
            SecretAction::Flag => Verdict::Flag { reason },
            SecretAction::Block => Verdict::Block { reason },
            SecretAction::Mask => {
                leaks.retain(|leak| self.rules[leak.rule].action == SecretAction::Mask);
                let text = self.masked(message.text, &leaks);
                Verdict::Mask { text, reason }
            }
        }
    }
}

/// Names the secrets by their numbers alone, since reasons are shown.
fn reason(leaks: &[Leak]) -> String {
    let mut numbers: Vec<_> = leaks.iter().map(|leak| leak.rule + 1).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let numbers: Vec<_> = numbers.iter().map(usize::to_string).collect();
    format!("it told secret {} of the world file", numbers.join(", "))
}

impl Rule {
    fn leaks(&self, text: &str, read: &[Folded], number: usize) -> Vec<Leak> {
        let mut leaks = Vec::new();
        let mut at = 0;
        while at < read.len() {
            let found = self
                .end_of_match(read, at)
                .map(|end| (read[at].start, read[end - 1].end, end));
            match found {
                Some((start, end, next)) if stands_alone(text, start, end) => {
                    leaks.push(Leak {
                        start,
                        end,
                        rule: number,
                    });
                    at = next;
                }
                _ => at += 1,
            }
        }
        leaks
    }

    /// Where a match that begins at `at` ends, in visible characters.
    fn end_of_match(&self, read: &[Folded], at: usize) -> Option<usize> {
        let (first, rest) = self.parts.split_first()?;
        let mut end = starts_with(read, at, first)?;
        for part in rest {
            end = (end..=end + GAP).find_map(|from| starts_with(read, from, part))?;
        }
        Some(end)
    }
}

/// A text of ASCII in lower case without its spaces and joiners. Every byte is written, and what is left out
/// is written over: faster than to choose.
fn squeezed(text: &str) -> Vec<u8> {
    let mut out = vec![0; text.len()];
    let mut length = 0;
    for byte in text.bytes() {
        if let Some(place) = out.get_mut(length) {
            *place = byte.to_ascii_lowercase();
        }
        // As `char::is_whitespace` has it for ASCII.
        length += usize::from(!matches!(byte, b' ' | 0x09..=0x0D | b'-' | b'_' | b'+'));
    }
    out.truncate(length);
    out
}

/// A text as somebody reads it whose words are joined or escaped, as in an address of the web: joiners are
/// spaces, and `%E9%92%A5` is a character.
struct Plain {
    text: String,
    /// For each character of it, where it begins in it, and where it stands in the original.
    places: Vec<(usize, std::ops::Range<usize>)>,
}

impl Plain {
    /// Nothing where it would read as the original does.
    fn of(original: &str) -> Option<Self> {
        if !original.contains(|char| char == '%' || is_joiner(char)) {
            return None;
        }
        let mut plain = Self {
            text: String::with_capacity(original.len()),
            places: Vec::new(),
        };
        let mut at = 0;
        while let Some(char) = original[at..].chars().next() {
            let (char, length) = escaped(&original[at..]).unwrap_or((char, char.len_utf8()));
            plain.places.push((plain.text.len(), at..at + length));
            plain.text.push(if is_joiner(char) { ' ' } else { char });
            at += length;
        }
        Some(plain)
    }

    fn in_original(&self, leak: Leak) -> Leak {
        let before = |end| self.places.partition_point(|(start, _)| *start < end);
        let first = self.places.get(before(leak.start));
        let last = self.places.get(before(leak.end).saturating_sub(1));
        Leak {
            start: first.map_or(leak.start, |(_, place)| place.start),
            end: last.map_or(leak.end, |(_, place)| place.end),
            ..leak
        }
    }
}

/// Signs that join words to one, as a hyphen does.
fn is_joiner(char: char) -> bool {
    matches!(char, '-' | '_' | '+')
}

/// The character whose bytes a text begins with as `%XX`, and how long that is.
fn escaped(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let byte = |at: usize| {
        let digits = bytes.get(at..at + 3)?.strip_prefix(b"%")?;
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

/// The characters that count: visible ones that are no space.
fn visible(text: &str) -> impl Iterator<Item = Folded> {
    folded(text).filter(|folded| !folded.char.is_whitespace())
}

fn parts(text: &str) -> Vec<Vec<char>> {
    let read = |part: &str| visible(part).map(|folded| folded.char).collect();
    let parts = text.split(['*', '＊']).map(read);
    parts.filter(|part: &Vec<char>| !part.is_empty()).collect()
}

/// The place behind `part` where it stands at `at`.
fn starts_with(read: &[Folded], at: usize, part: &[char]) -> Option<usize> {
    let end = at.checked_add(part.len())?;
    let stretch = read.get(at..end)?;
    let same = stretch
        .iter()
        .zip(part)
        .all(|(folded, char)| folded.char == *char);
    same.then_some(end)
}

/// Whether a match is no piece of a longer word, as `ann` is in `channel`. Scripts that do not part
/// words by spaces have no such pieces.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let spaced = |char: char| char.is_alphanumeric() && u32::from(char) < 0x2E80;
    let inside = |left: Option<char>, right: Option<char>| {
        left.is_some_and(spaced) && right.is_some_and(spaced)
    };
    let (before, match_, after) = (&text[..start], &text[start..end], &text[end..]);
    !inside(before.chars().next_back(), match_.chars().next())
        && !inside(match_.chars().next_back(), after.chars().next())
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
            Verdict::Pass => None,
            Verdict::Mask { text, .. } => Some(text),
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
            (
                "https://a.b/?q=the%20miller%20lives&x=1",
                "https://a.b/?q=a certain thing&x=1",
            ),
            ("?w=%e4%ba%95%E9%87%8C有%E6%AF%92!", "?w=███!"),
            ("100% sure: Ann%2C and %zz%4", "100% sure: ███%2C and %zz%4"),
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
        assert_eq!(guard.judge(&whispered), Verdict::Pass);
    }

    #[test]
    fn the_gravest_action_counts_and_no_reason_tells_the_secret() {
        let guard = Secrets::new([
            rule("poison", None, SecretAction::Flag),
            rule("copper", None, SecretAction::Mask),
            rule("bishop", None, SecretAction::Block),
        ]);
        let told = |numbers: &str| format!("it told secret {numbers} of the world file").into();
        assert_eq!(
            guard.judge(&spoken("poison")),
            Verdict::Flag { reason: told("1") }
        );
        let text = "poison in ███".into();
        assert_eq!(
            guard.judge(&spoken("poison in copper")),
            Verdict::Mask {
                text,
                reason: told("1, 2")
            }
        );
        assert_eq!(
            guard.judge(&spoken("bishop, poison")),
            Verdict::Block {
                reason: told("1, 3")
            }
        );
    }

    #[test]
    fn rules_without_words_guard_nothing() {
        assert!(Secrets::default().points().is_empty());
        let guard = Secrets::new([rule(" * ", None, SecretAction::Block)]);
        assert_eq!(guard.judge(&spoken("anything * at all")), Verdict::Pass);
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
            if let Verdict::Mask { text, .. } = guard.judge(&spoken(&text)) {
                prop_assert!(text.contains('-'));
            }
        }
    }
}
