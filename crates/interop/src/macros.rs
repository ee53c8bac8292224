//! The macros of character cards and lorebooks, such as `{{char}}` and `{{random:a,b}}`.

use std::collections::BTreeSet;

use playhouse_engine::mind::splitmix::{SplitMix64, hash, mix};

/// How deep macros may be within macros; deeper ones stay as they are.
const MAX_DEPTH: usize = 16;
/// How many macros of a text are replaced.
const MAX_MACROS: usize = 10_000;
/// The most dice of a roll, and the most sides of each.
const MAX_DICE: u64 = 100;
const MAX_SIDES: u64 = 1_000_000;

/// Replaces the macros of texts. Equal seeds give equal texts.
///
/// ```
/// use playhouse_interop::Macros;
///
/// let mut macros = Macros::new("Mira", "Tom", 7);
/// assert_eq!(macros.expand("{{Char}} waves to <USER>.{{// inside }}"), "Mira waves to Tom.");
/// assert!(["Hi Mira", "Hi Tom"].contains(&&*macros.expand("Hi {{random:{{char}},{{user}}}}")));
/// ```
#[derive(Clone, Debug)]
pub struct Macros<'n> {
    char: &'n str,
    user: &'n str,
    /// What `{{pick}}` depends on besides its choices: the same for a whole story.
    seed: u64,
    dice: SplitMix64,
    /// The names of macros that stay as they are: not known, or too many, or too deep.
    pub unknown: BTreeSet<String>,
}

impl<'n> Macros<'n> {
    pub fn new(char: &'n str, user: &'n str, seed: u64) -> Self {
        Self {
            char,
            user,
            seed,
            dice: SplitMix64::new(seed),
            unknown: BTreeSet::new(),
        }
    }

    /// With other dice for `{{random}}` and `{{roll}}`.
    #[must_use]
    pub fn with_dice(self, dice: SplitMix64) -> Self {
        Self { dice, ..self }
    }

    /// The text without its macros. What they leave is not read again.
    pub fn expand(&mut self, text: &str) -> String {
        let mut open = vec![String::new()];
        // How many began, and how many that are open stay as they are.
        let (mut begun, mut kept) = (0, 0);
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("{{")
                && !after.starts_with('{')
            {
                if open.len() <= MAX_DEPTH && begun < MAX_MACROS {
                    begun += 1;
                    open.push(String::new());
                } else {
                    kept += 1;
                    push(&mut open, "{{");
                    let name = after.split(|char: char| !char.is_alphanumeric()).next();
                    self.unknown.insert(name.unwrap_or_default().to_lowercase());
                }
                rest = after;
            } else if let Some(after) = rest.strip_prefix("}}")
                && (kept > 0 || open.len() > 1)
            {
                let value = if kept > 0 {
                    kept -= 1;
                    "}}".to_owned()
                } else {
                    let inner = open.pop().unwrap_or_default();
                    let value = self.value(&inner);
                    value.unwrap_or_else(|| format!("{{{{{inner}}}}}"))
                };
                push(&mut open, &value);
                rest = after;
            } else if let Some((name, after)) = self.in_angles(rest) {
                push(&mut open, name);
                rest = after;
            } else {
                // The next place where something may begin.
                let next = rest.char_indices().skip(1);
                let mut next = next.filter(|(_, char)| matches!(char, '{' | '}' | '<'));
                let end = next.next().map_or(rest.len(), |(at, _)| at);
                let (plain, after) = rest.split_at(end);
                push(&mut open, plain);
                rest = after;
            }
        }
        // What was never closed is text.
        open.join("{{")
    }

    /// `<BOT>` and `<USER>`, as the oldest cards have it.
    fn in_angles<'t>(&self, text: &'t str) -> Option<(&'n str, &'t str)> {
        let named = [
            ("<bot>", self.char),
            ("<char>", self.char),
            ("<user>", self.user),
        ];
        named.into_iter().find_map(|(mark, name)| {
            let (found, after) = text.split_at_checked(mark.len())?;
            found.eq_ignore_ascii_case(mark).then_some((name, after))
        })
    }

    /// What a macro becomes; `None` if it is not known.
    fn value(&mut self, inner: &str) -> Option<String> {
        let inner = inner.trim();
        if inner.starts_with("//") {
            return Some(String::new());
        }
        let end = inner.find([':', ' ']).unwrap_or(inner.len());
        let (name, argument) = inner.split_at(end);
        let argument = argument.trim_start_matches([':', ' ']);
        let name = name.to_lowercase();
        Some(match &*name {
            "char" => self.char.to_owned(),
            "user" => self.user.to_owned(),
            "random" => {
                let choices = choices(argument);
                self.dice.pick(&choices).cloned().unwrap_or_default()
            }
            "pick" => {
                let choices = choices(argument);
                let mut dice = SplitMix64::new(mix(&[self.seed, hash(argument)]));
                dice.pick(&choices).cloned().unwrap_or_default()
            }
            "roll" => self.roll(argument)?.to_string(),
            "reverse" => argument.chars().rev().collect(),
            "newline" => "\n".to_owned(),
            // `original` is a prompt of the program that the card was written for.
            "comment" | "hidden_key" | "noop" | "trim" | "original" => String::new(),
            _ => {
                self.unknown.insert(name);
                return None;
            }
        })
    }

    /// `6`, `d6`, `2d6`, `2d6+1`.
    fn roll(&mut self, dice: &str) -> Option<i64> {
        let dice = dice.trim().to_lowercase();
        let sign = dice.find(['+', '-']).unwrap_or(dice.len());
        let (dice, more) = dice.split_at(sign);
        let more: i64 = match more.trim_start_matches('+') {
            "" => 0,
            more => more.parse().ok()?,
        };
        let (count, sides) = dice.split_once('d').unwrap_or(("1", dice));
        let count = match count {
            "" => 1,
            count => count.parse::<u64>().ok()?.min(MAX_DICE),
        };
        let sides = sides.parse::<u64>().ok()?.clamp(1, MAX_SIDES);
        let rolled = (0..count).map(|_| 1 + self.dice.below(sides as usize) as i64);
        Some(rolled.sum::<i64>().saturating_add(more))
    }
}

fn push(open: &mut [String], text: &str) {
    if let Some(innermost) = open.last_mut() {
        innermost.push_str(text);
    }
}

/// `a,b` or `a::b`; a comma after a backslash is part of a choice.
fn choices(argument: &str) -> Vec<String> {
    if argument.contains("::") {
        return argument
            .split("::")
            .map(|one| one.trim().to_owned())
            .collect();
    }
    let hidden = argument.replace("\\,", "\0");
    let each = hidden.split(',');
    each.map(|one| one.trim().replace('\0', ",")).collect()
}

#[cfg(test)]
mod tests {
    use playhouse_engine::testing::each_row;
    use proptest::prelude::*;

    use super::*;

    fn expanded(text: &str) -> String {
        Macros::new("Mira", "Tom", 3).expand(text)
    }

    #[test]
    fn macros_are_replaced() {
        each_row(
            r"
                {{char}} and {{USER}}, <BOT> and <user> => Mira and Tom, Mira and Tom
                {{random:a}}{{pick: b }}{{random::c}} => abc
                {{random:x\, y}} => x, y
                {{roll:d1}} {{roll 2d1+3}} {{roll:1}} => 1 5 1
                {{reverse:{{char}}}} => ariM
                a{{// no }}b{{comment: no}}c{{hidden_key:no}}d => abcd
                {{ char }} {{getvar::x}} {{char => Mira {{getvar::x}} {{char
                }} { {} <b> 城 {{}} => }} { {} <b> 城 {{}}
                {{{char}}} => {Mira}
            ",
            |[text, wanted]| assert_eq!(expanded(text), wanted),
        );
        let mut macros = Macros::new("Mira", "Tom", 3);
        macros.expand("{{getvar::x}} {{char}} {{time}}");
        assert_eq!(Vec::from_iter(&macros.unknown), ["getvar", "time"]);
    }

    #[test]
    fn a_pick_stays_and_a_roll_does_not() {
        let many = (1..=60)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join(",");
        let mut macros = Macros::new("Mira", "Tom", 3);
        let mut twice = |text: &str| [macros.expand(text), macros.expand(text)];
        let [first, second] = twice(&format!("{{{{pick:{many}}}}}"));
        assert_eq!(first, second);
        let [first, second] = twice(&format!("{{{{random:{many}}}}}"));
        assert_ne!(first, second);
    }

    #[test]
    fn macros_within_macros_end() {
        let deep = format!("{}x{} so", "{{reverse:".repeat(5_000), "}}".repeat(5_000));
        let mut macros = Macros::new("Mira", "Tom", 3);
        let left = macros.expand(&deep);
        assert_eq!(left.matches("{{").count(), left.matches("}}").count());
        assert_eq!(Vec::from_iter(&macros.unknown), ["reverse"]);
        let many = "{{char}}".repeat(20_000);
        assert_eq!(macros.expand(&many).matches("{{char}}").count(), 10_000);
        assert_eq!(Vec::from_iter(&macros.unknown), ["char", "reverse"]);
    }

    proptest! {
        #[test]
        fn any_text_can_be_expanded(text in "[{}:,<>a-c|/ 城]{0,40}") {
            let first = expanded(&text);
            prop_assert_eq!(&first, &expanded(&text));
        }
    }
}
