//! What somebody says aloud, as models write it: with the speaker's name before it, with the
//! answers of others, and with actions between asterisks.

use std::borrow::Cow;

use super::prose::{after_name, ends_sentence, is_han};
use super::words::is_ellipsis;

/// Who speaks in what a model makes up, besides those who are there.
const ROLES: [&str; 4] = ["User", "Assistant", "Narrator", "旁白"];
/// A shorter part of a name may be a word.
const NAME_PART: usize = 3;

/// The words that somebody says in front of others: without its name before them, from its own line
/// up to where somebody else's begin, and with actions in parentheses, as stage directions are.
/// Empty if only others speak.
pub fn own_words<'t>(text: &'t str, me: &str, others: &[String]) -> Cow<'t, str> {
    let others = others.iter().filter(|other| *other != me);
    let others = others.flat_map(|other| names_of(other));
    let others: Vec<_> = others.chain(ROLES).collect();
    let mine: Vec<_> = names_of(me).filter(|name| !others.contains(name)).collect();
    let own_line = |line: &'t str| mine.iter().find_map(|name| after_name(line, name));
    let is_other = |line: &str| others.iter().any(|name| after_name(line, name).is_some());
    // A single line may begin with the name of whom it is said to.
    let is_script = text.lines().filter(|line| is_other(line)).nth(1).is_some()
        || text.lines().any(|line| own_line(line).is_some());
    let mut own = Vec::new();
    let theirs = |line: &&'t str| is_script && own_line(line).is_none() && is_other(line);
    for line in text.lines().skip_while(theirs) {
        let spoken = own_line(line);
        if spoken.is_none() && is_other(line) && !own.is_empty() {
            break;
        }
        own.push(spoken.map_or(line, without_quotes));
    }
    let own = match own.as_slice() {
        [only] => Cow::Borrowed(only.trim()),
        lines => Cow::Owned(lines.join("\n").trim().to_owned()),
    };
    let own = if own.is_empty() && !is_script {
        text.into()
    } else {
        own
    };
    let directed = if own.contains('*') {
        Some(with_directions(&own))
    } else {
        None
    };
    match directed {
        Some(directed) => directed.into(),
        // Nothing but white space may differ.
        None if own == text.trim() => text.into(),
        None => Cow::Owned(own.into_owned()),
    }
}

/// A name in full, and its first part.
fn names_of(name: &str) -> impl Iterator<Item = &str> {
    let first = name.split(' ').next().filter(|first| *first != name);
    let first = first.filter(|first| first.len() > NAME_PART);
    std::iter::once(name).chain(first)
}

fn without_quotes(text: &str) -> &str {
    let pairs = [('"', '"'), ('“', '”'), ('「', '」')];
    let inner = pairs.iter().find_map(|(open, close)| {
        let inner = text.trim().strip_prefix(*open)?.strip_suffix(*close)?;
        (!inner.contains([*open, *close])).then_some(inner)
    });
    inner.unwrap_or(text)
}

/// The text with each `*action*` in parentheses; emphasis stays as it is.
fn with_directions(text: &str) -> String {
    let mut parts = text.split('*').peekable();
    let mut directed = parts.next().unwrap_or_default().to_owned();
    while let Some(inner) = parts.next() {
        if parts.peek().is_none() || !is_direction(&directed, inner) {
            directed.push('*');
            directed.push_str(inner);
            continue;
        }
        let (open, close) = match inner.chars().any(is_han) {
            true => ('（', '）'),
            false => ('(', ')'),
        };
        directed.extend([open]);
        directed.push_str(inner);
        directed.extend([close]);
        directed.push_str(parts.next().unwrap_or_default());
    }
    directed
}

/// Whether words between asterisks are no part of a sentence: they stand between two, and are none.
fn is_direction(before: &str, inner: &str) -> bool {
    let before = before.trim_end_matches([' ', '"', '”', '’', ')', '）']);
    let is_apart = before.is_empty() || before.ends_with(ends_sentence) || before.ends_with('\n');
    let begins = |c: char| c.is_lowercase() || is_han(c);
    let is_short = inner.chars().filter(|c| is_han(*c)).count() == 1;
    is_apart && inner.starts_with(begins) && !is_short && !is_ellipsis(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speakers_say_their_own_words() {
        let others = ["Brant Hollis", "The Miller", "沈豆娘"].map(String::from);
        let said = |text: &'static str| own_words(text, "Pell Gantry", &others);
        for (text, own) in [
            ("Pell: Good morning.", "Good morning."),
            ("Pell Gantry: \"Good morning.\"", "Good morning."),
            ("**Pell Gantry:** Good morning.", "Good morning."),
            ("PELL GANTRY：早。", "早。"),
            ("Eggs?\nBrant Hollis: Please.\nPell: Two?", "Eggs?"),
            ("Eggs?\n\n**Brant:** Please.", "Eggs?"),
            ("早。\n沈豆娘：早。", "早。"),
            (
                "*grins too wide* It's rope, Sister.",
                "(grins too wide) It's rope, Sister.",
            ),
            ("It's rope. *coughs*", "It's rope. (coughs)"),
            ("*放下杯子* 坐吧。", "（放下杯子） 坐吧。"),
            ("Pell: *nods* Sit.", "(nods) Sit."),
            ("Brant: Eggs?\nPell: Two.", "Two."),
            ("Eggs?\nBrant (laughing): Two.", "Eggs?"),
            ("Brant: Eggs?\nThe Miller: Two.", ""),
        ] {
            assert_eq!(said(text), own, "{text}");
        }
        for text in [
            "Good morning.",
            "I said one thing to Brant: go.",
            "Brant: come here.",
            "I *know* that. *Never.* You *have* to.",
            "It is 3 * 4 * 5.",
            "早，沈豆娘。",
            "Two lines.\nBoth mine.",
        ] {
            assert_eq!(said(text), text);
        }
        assert_eq!(own_words("沈豆娘：早。", "沈豆娘", &[]), "早。");
    }
}
