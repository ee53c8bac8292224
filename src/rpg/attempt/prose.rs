//! What a referee's texts may not say, as far as code can tell surely: the dice and what was won
//! are all that happens.

use serde::Serialize;

use super::stakes::{Stake, Stakes, Surroundings, named};
use crate::event::{PromptSet, PromptTemplate};
use crate::exchange::Violation;
use crate::message::Language;
use crate::wording::FoldedText;

const NOT_THERE: PromptTemplate<Named> = PromptTemplate::new("rules/attempt_not_there");
const DEATH: PromptTemplate<Named> = PromptTemplate::new("rules/attempt_death");
const ITEM_FACT: PromptTemplate<Named> = PromptTemplate::new("rules/attempt_item_fact");
const FACT_OF_FAILURE: PromptTemplate<()> = PromptTemplate::new("rules/attempt_fact");

/// Words that say of somebody that it dies.
const DEATHS: [&str; 8] = [
    "{} dies",
    "{} is dead",
    "{} falls dead",
    "{} drops dead",
    "{} is killed",
    "kills {}",
    "he dies",
    "she dies",
];
const DEATHS_ZH: [&str; 8] = [
    "{}死了",
    "{}断了气",
    "{}咽了气",
    "{}气绝",
    "{}毙命",
    "杀死{}",
    "杀了{}",
    "打死{}",
];

#[derive(Default, Serialize)]
struct Named<'a> {
    name: &'a str,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add(&NOT_THERE).add(&DEATH);
    prompts.add(&ITEM_FACT).add(&FACT_OF_FAILURE);
}

/// What a referee wrote.
pub(super) struct Written<'a> {
    /// Whether it can be done at all; else only `not` is told.
    pub(super) possible: bool,
    /// What it wins.
    pub(super) prize: &'a str,
    pub(super) fact: &'a str,
    pub(super) fully: &'a str,
    pub(super) at_cost: &'a str,
    pub(super) not: &'a str,
}

/// What is wrong with texts of which one may be told.
pub(super) fn faults(written: &Written<'_>, stakes: &Stakes) -> Vec<Violation> {
    let around = &stakes.surroundings;
    let prize = named(&stakes.prizes, written.prize);
    let mut texts = vec![("not", written.not, &Stake::Nothing)];
    if written.possible {
        texts.push(("fully", written.fully, &prize));
        texts.push(("at_cost", written.at_cost, &prize));
    }
    let mut faults = Vec::new();
    for (path, text, won) in texts {
        let text = FoldedText::of(text);
        let is_won = |name: &str| matches!(won, Stake::Item(item) if item == name);
        let mut elsewhere = around.elsewhere.iter();
        if let Some(name) = elsewhere.find(|name| names(&text, name) && !is_won(name)) {
            let rule = format!("'{name}' is not here, so nobody sees it");
            let violation = Violation::new(path, rule);
            faults.push(violation.with_template(&NOT_THERE, &Named { name }));
        }
        if let Some(name) = around.people.iter().find(|name| dies(&text, name, around)) {
            let violation = Violation::new(path, "nobody dies of an attempt");
            faults.push(violation.with_template(&DEATH, &Named { name }));
        }
    }
    if prize == Stake::Fact && written.possible {
        let fact = FoldedText::of(written.fact);
        if let Some(name) = around.items.iter().find(|name| names(&fact, name)) {
            let rule = format!("'{name}' is where it is; say nothing of it");
            let violation = Violation::new("fact", rule);
            faults.push(violation.with_template(&ITEM_FACT, &Named { name }));
        }
        if !fact.is_empty() && FoldedText::of(written.not).contains_words(&fact) {
            let violation = Violation::new("not", "the fact is not true if it fails");
            faults.push(violation.with_template(&FACT_OF_FAILURE, &()));
        }
    }
    faults
}

/// Whether a text says that somebody dies.
fn dies(text: &FoldedText, name: &str, around: &Surroundings) -> bool {
    let deaths = match around.language {
        Language::En => DEATHS,
        Language::Zh => DEATHS_ZH,
    };
    let first = name.split_whitespace().next().unwrap_or_default();
    let mut told = deaths
        .iter()
        .flat_map(|death| [name, first].map(|name| death.replace("{}", name)));
    told.any(|death| text.contains_words(&FoldedText::of(&death)))
}

/// Whether a text names somebody or something. A single letter or character names nothing surely.
pub(super) fn names(text: &FoldedText, name: &str) -> bool {
    let name = FoldedText::of(name);
    name.letters().len() > 1 && text.contains_words(&name)
}
