//! What a referee's texts may not say, as far as code can tell surely: the dice and what was won
//! are all that happens.

use playhouse_engine::event::Prompt;
use playhouse_engine::exchange::Violation;
use playhouse_engine::message::Language;
use playhouse_engine::reading::without_speech;
use playhouse_engine::wording::FoldedText;
use serde::Serialize;

use super::ruling::Ruling;
use super::stakes::{AttemptScope, Stake, Stakes, named};
use crate::deaths::deaths_of;

/// A rule that a referee's text can break.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub(super) enum OutcomeRule<'a> {
    #[prompt("rules/attempt_not_there")]
    NotThere { name: &'a str },
    #[prompt("rules/attempt_death")]
    Death { name: &'a str },
    #[prompt("rules/attempt_item_fact")]
    ItemFact { name: &'a str },
    /// A fact that a failure would tell.
    #[prompt("rules/attempt_fact")]
    FactOfFailure,
}

/// What is wrong with the texts of a ruling, of which one may be told: only `not` if the attempt is
/// impossible.
pub(super) fn faults(ruling: &Ruling, stakes: &Stakes) -> Vec<Violation> {
    let around = &stakes.scope;
    let prize = named(&stakes.prizes, &ruling.prize);
    let mut texts = vec![("not", &ruling.not, &Stake::Nothing)];
    if ruling.possible {
        texts.push(("fully", &ruling.fully, &prize));
        texts.push(("at_cost", &ruling.at_cost, &prize));
    }
    let mut faults = Vec::new();
    for (path, written_text, won) in texts {
        let text = FoldedText::of(written_text);
        let is_won = |name: &str| matches!(won, Stake::Item(item) if item == name);
        let mut elsewhere = around.elsewhere.iter();
        if let Some(name) = elsewhere.find(|name| names(&text, name) && !is_won(name)) {
            let rule = format!("'{name}' is not here, so nobody sees it");
            let violation = Violation::new(path, rule);
            faults.push(violation.with_prompt(&OutcomeRule::NotThere { name }));
        }
        if without_speech(written_text, &around.people).is_some() {
            faults.push(Violation::nobody_speaks(path));
        }
        if let Some(name) = around.people.iter().find(|name| dies(&text, name, around)) {
            let violation = Violation::new(path, "nobody dies of an attempt");
            faults.push(violation.with_prompt(&OutcomeRule::Death { name }));
        }
    }
    if prize == Stake::Fact && ruling.possible {
        let fact = FoldedText::of(&ruling.fact);
        if fact.is_empty() {
            faults.push(Violation::empty("fact"));
        }
        let mut items = around.items.iter();
        if let Some(name) = items.find(|name| places(&ruling.fact, name, around.language)) {
            let rule = format!("say neither where '{name}' is nor who has it nor that it is gone");
            let violation = Violation::new("fact", rule);
            faults.push(violation.with_prompt(&OutcomeRule::ItemFact { name }));
        }
        if !fact.is_empty() && FoldedText::of(&ruling.not).contains_words(&fact) {
            let violation = Violation::new("not", "the fact is not true if it fails");
            faults.push(violation.with_prompt(&OutcomeRule::FactOfFailure));
        }
    }
    faults
}

/// Whether a text says that an actor dies.
fn dies(text: &FoldedText, name: &str, around: &AttemptScope) -> bool {
    let mut told = deaths_of(name, around.language)
        .into_iter()
        .chain(["he dies".to_owned(), "she dies".to_owned()]);
    told.any(|death| text.contains_words(&FoldedText::of(&death)))
}

/// Whether a text says where something is, who has it, or that it is gone.
fn places(text: &str, name: &str, language: Language) -> bool {
    match language {
        Language::En => places_en(text, name),
        Language::Zh => places_zh(text, name),
    }
}

/// What follows a name if a text says where it is: verbs, and what follows "is".
const LIES: &str = "lies hangs stands sits rests hides stays remains leans belongs";
const IS: &str = "in on at under behind inside with beside below above beneath near among here there \
    gone lost missing destroyed hidden";
/// What stands before a name if a text says who has it.
const HAS: &str = "has have holds hold keeps carries wears owns took takes hid hides gave got";

fn places_en(text: &str, name: &str) -> bool {
    let words_of = |text: &str| -> Vec<String> {
        let folded = FoldedText::of(text);
        folded.words().map(|word| word.iter().collect()).collect()
    };
    let (words, name) = (words_of(text), words_of(name));
    if name.is_empty() {
        return false;
    }
    let is_one_of = |word: Option<&String>, list: &str| {
        word.is_some_and(|word| list.split(' ').any(|listed| listed == word))
    };
    let mut windows = words.windows(name.len()).enumerate();
    windows.any(|(start, window)| {
        let before = start.checked_sub(1).and_then(|before| words.get(before));
        let after = words.get(start + name.len()..).unwrap_or_default();
        let mut after = after
            .iter()
            .filter(|word| !["now", "still"].contains(&word.as_str()));
        let next = after.next();
        let says_where = is_one_of(next, LIES)
            || (is_one_of(next, "is was")
                // Where it is may follow how it is there: "is kept under the stair".
                && after.take(2).any(|word| is_one_of(Some(word), IS)));
        window == name && (is_one_of(before, HAS) || says_where)
    })
}

/// What stands before a name if a text says who has it, and after it if it says that it is gone.
const HAS_ZH: &str = "拿着 握着 带着 揣着 收着 藏着 捧着 抱着 提着 拿走了 得到了";
const GONE_ZH: &str = "不见了 没了 没有了 丢了 毁了 归了 到了";
/// What ends a place after "在".
const PLACES_ZH: &str = "里上下中内外边旁前后间底处手身怀这那";

/// What shows that "在" is followed by a time.
const TIMES_ZH: [&str; 12] = [
    "夜里", "夜间", "夜中", "日里", "天里", "年里", "时候", "时辰", "之前", "之后", "以前", "以后",
];

fn places_zh(text: &str, name: &str) -> bool {
    // How far from its name it may be said where something is, in characters.
    const NEAR: usize = 3;
    const CLAUSE: usize = 14;
    text.match_indices(name).any(|(start, found)| {
        let before = text.get(..start).unwrap_or_default();
        let after = text.get(start + found.len()..).unwrap_or_default();
        let ends = |char: char| "，。；！？、：".contains(char);
        let clause = after.split(ends).next().unwrap_or_default();
        let clause: String = clause.chars().take(CLAUSE).collect();
        let near: String = clause.chars().take(NEAR + 1).collect();
        let place = near.find('在').and_then(|start| clause.get(start..));
        // "在中元夜里" says when.
        let place = place.filter(|place| !TIMES_ZH.iter().any(|time| place.contains(time)));
        place.is_some_and(|place| place.contains(|char| PLACES_ZH.contains(char)))
            || HAS_ZH.split(' ').any(|has| before.ends_with(has))
            || GONE_ZH.split(' ').any(|gone| near.contains(gone))
    })
}

/// Whether a text names an actor or an item. A single letter or character names nothing surely.
pub(super) fn names(text: &FoldedText, name: &str) -> bool {
    let name = FoldedText::of(name);
    name.letters().len() > 1 && text.contains_words(&name)
}
