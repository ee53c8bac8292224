//! Speech as models write it: with the speaker's name before it, in quotation
//! marks within a story, with the answers of others, and with actions between asterisks.

use std::borrow::Cow;

use super::prose::{QUOTES, after_name, ends_sentence, is_han, is_spoken, sentences};
use super::words::is_ellipsis;

/// Who speaks in what a model makes up, besides those who are there.
const ROLES: [&str; 4] = ["User", "Assistant", "Narrator", "旁白"];
/// A shorter part of a name may be a word.
const NAME_PART: usize = 3;
/// How many words may stand between a name and the colon before what it says: "Pell says, softly:".
const ATTRIBUTION: usize = 3;
/// Who speaks says these; who is told of does not.
const FIRST_PERSON: [&str; 6] = ["i", "me", "my", "we", "us", "our"];
const FIRST_PERSON_ZH: &str = "我俺咱";

/// The words that a speaker says in front of others: without its name before them, from its line
/// up to the line of another speaker, and with actions in parentheses, as stage directions are.
/// Empty if only others speak.
pub fn own_words<'t>(text: &'t str, me: &str, others: &[String]) -> Cow<'t, str> {
    let others: Vec<_> = others
        .iter()
        .filter(|other| *other != me)
        .flat_map(|other| names_of(other))
        .chain(ROLES)
        .collect();
    let mine: Vec<_> = names_of(me).filter(|name| !others.contains(name)).collect();
    if let Some(quoted) = quoted_words(text, &mine, &others) {
        return quoted.into();
    }
    let own_line = |line: &'t str| mine.iter().find_map(|name| after_attribution(line, name));
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

/// What a speaker says in a story about it, up to where another speaks: `"Go," says Pell. "Now."`.
/// `None` if the text is no such story.
fn quoted_words(text: &str, mine: &[&str], others: &[&str]) -> Option<String> {
    let parts: Vec<_> = text.split(QUOTES).collect();
    let tells_of = |part: &str, names: &[&str]| names.iter().any(|name| part.contains(name));
    let is_story = |outer: usize| {
        let mut told = parts.iter().skip(outer).step_by(2);
        let mut said = parts.iter().skip(1 - outer).step_by(2);
        told.clone().any(|part| tells_of(part, mine))
            && !told.any(|part| is_first_person(part))
            && said.any(|part| is_spoken(part))
    };
    // The first mark may be missing.
    let outer = (0..=1).find(|outer| parts.len() > 2 - outer && is_story(*outer))?;
    let is_theirs = |part: Option<&str>| {
        part.is_some_and(|part| tells_of(part, others) && !tells_of(part, mine))
    };
    let mut own = Vec::new();
    for (index, said) in parts.iter().enumerate().skip(1 - outer).step_by(2) {
        let part = |index: usize| parts.get(index).map(|part| sentences(part));
        let before = index.checked_sub(1).and_then(part);
        let after = part(index + 1).and_then(|mut after| after.next());
        let is_other = is_theirs(before.and_then(Iterator::last)) || is_theirs(after);
        if is_other && !own.is_empty() {
            break;
        }
        own.extend(Some(said.trim()).filter(|said| !is_other && !said.is_empty()));
    }
    let gap = if text.chars().any(is_han) { "" } else { " " };
    Some(own.join(gap))
}

fn is_first_person(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| FIRST_PERSON.contains(&word))
        || text.chars().any(|c| FIRST_PERSON_ZH.contains(c))
}

/// Whether a text tells of its speaker by name and never as "I".
pub fn is_in_third_person(text: &str, name: &str) -> bool {
    names_of(name).any(|name| text.contains(name)) && !is_first_person(text)
}

/// Whether a text tells what its speaker does instead of what it says: it begins with the name, and
/// speaks neither of "me" nor to anybody.
pub fn is_told_of(text: &str, name: &str) -> bool {
    let after = names_of(name).find_map(|name| text.trim_start().strip_prefix(name));
    let goes_on = |rest: &str| {
        let rest = rest.trim_start();
        rest.starts_with(|c: char| c.is_lowercase() || is_han(c))
    };
    let folded = text.to_lowercase();
    let mut words = folded.split(|c: char| !c.is_alphanumeric());
    let is_addressed = words.any(|word| word.starts_with("you"))
        || text.contains(['你', '您', '！', '？', '!', '?']);
    after.is_some_and(goes_on) && !is_addressed && !is_first_person(text)
}

/// What follows a speaker's name and at most how it is said.
fn after_attribution<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    after_name(line, name).or_else(|| {
        let rest = line.trim_start().strip_prefix(name)?;
        let (how, said) = rest.split_once([':', '：'])?;
        let han = how.chars().filter(|c| is_han(*c)).count();
        let words = how.split_whitespace().filter(|word| word.is_ascii());
        let is_short = words.count() + han.div_ceil(2) <= ATTRIBUTION;
        let is_how = !how.contains(ends_sentence) && !is_first_person(how);
        (is_short && is_how).then(|| said.trim_start())
    })
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
            ("Pell says: \"Eggs?\"", "Eggs?"),
            ("Pell Gantry says softly: Eggs?", "Eggs?"),
            ("\"Eggs,\" says Pell, and nods. \"Two.\"", "Eggs, Two."),
            (
                "“Eggs?” Pell asks Brant. “Two,” says Brant. “Now.”",
                "Eggs?",
            ),
            ("Eggs,\" Pell says, \"and bread.\"", "Eggs, and bread."),
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
            "My father called me \"Pell the small.\"",
            "I heard Brant say \"Go.\" So I went.",
            "They call me Pell, and I said: \"Go.\"",
        ] {
            assert_eq!(said(text), text);
        }
        let others = ["韦三婆".to_owned(), "钱守拙".to_owned()];
        for (text, own) in [
            ("沈豆娘：早。", "早。"),
            ("沈豆娘大喊：“你听着！”", "你听着！"),
            ("沈豆娘向全镇宣布：开戏了。", "开戏了。"),
            ("“怕什么，”沈豆娘笑嘻嘻地说，“走。”", "怕什么，走。"),
            (
                "散了吧。”沈豆娘说着，比划了两下。“说好了啊",
                "散了吧。说好了啊",
            ),
            (
                "「四郎走了。」沈豆娘说。韦三婆拍了拍他：「好孩子。」",
                "四郎走了。",
            ),
        ] {
            assert_eq!(own_words(text, "沈豆娘", &others), own);
        }
        for told in ["沈豆娘沉默了。", "沈豆娘站在池边，望着远方。"] {
            assert!(is_told_of(told, "沈豆娘"));
        }
        for said in [
            "沈豆娘，二十二岁。",
            "沈豆娘我说话算话。",
            "早。",
            "沈豆娘来了！",
        ] {
            assert!(!is_told_of(said, "沈豆娘"));
        }
        assert!(is_told_of("Pell smiles at the door.", "Pell Gantry"));
        assert!(!is_told_of("Pell Gantry, miller.", "Pell Gantry"));
    }
}
