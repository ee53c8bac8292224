//! A turn of a person as one form: a page shows it as a whole, a terminal asks prompt by prompt.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::question::{Question, SeatOption};
use crate::locale::{UiText, text};
use crate::message::one_line;

/// What stands for the words of a field in the summary of an option.
pub const WORDS: &str = "{words}";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeatForm {
    pub label: UiText,
    pub fields: Vec<SeatField>,
    /// The fields of which one must be filled in, if each of them may be empty.
    pub one_of: &'static [&'static str],
    /// What it holds already.
    pub filled: Filled,
}

/// A part of a form: words, or a choice.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatField {
    pub name: &'static str,
    /// Where an empty answer means something, the field may be left empty.
    pub question: Question,
    /// The field to which it belongs: empty without it.
    pub with: Option<&'static str>,
}

impl SeatField {
    pub fn new(name: &'static str, question: Question) -> Self {
        Self {
            name,
            question,
            with: None,
        }
    }

    /// The same, which belongs to another field.
    #[must_use]
    pub fn with(self, other: &'static str) -> Self {
        Self {
            with: Some(other),
            ..self
        }
    }
}

/// What was filled in, by the names of fields.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Filled(BTreeMap<&'static str, Entry>);

#[derive(Clone, Debug, PartialEq)]
enum Entry {
    Words(String),
    Options(Vec<Chosen>),
}

/// An option that was chosen, with what its own fields hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    pub value: Value,
    pub filled: Filled,
}

impl Filled {
    pub fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// The words of a field, if it holds some.
    pub fn words(&self, field: &str) -> Option<&str> {
        match self.0.get(field)? {
            Entry::Words(words) => Some(words),
            Entry::Options(_) => None,
        }
    }

    /// The words of the field with this name, wherever it is.
    pub(super) fn words_within(&self, field: &str) -> Option<&str> {
        let within = self.0.values().filter_map(|entry| match entry {
            Entry::Words(_) => None,
            Entry::Options(options) => Some(options),
        });
        let mut within = within.flatten();
        self.words(field)
            .or_else(|| within.find_map(|chosen| chosen.filled.words_within(field)))
    }

    /// All words, by the names of their fields.
    pub fn all_words(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let names = self.0.keys();
        names.filter_map(|name| Some((*name, self.words(name)?)))
    }

    /// The options that were chosen in a field.
    pub fn chosen(&self, field: &str) -> &[Chosen] {
        match self.0.get(field) {
            Some(Entry::Options(options)) => options,
            _ => &[],
        }
    }

    /// The value of the option that was chosen in a field; null if there is none.
    pub fn value(&self, field: &str) -> Value {
        let first = self.chosen(field).first();
        first.map(|chosen| chosen.value.clone()).unwrap_or_default()
    }

    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The same with words in a field.
    pub fn with_words(mut self, field: &'static str, words: impl Into<String>) -> Self {
        self.0.insert(field, Entry::Words(words.into()));
        self
    }

    /// The same with an option of a field beside those that it has.
    pub fn with_option(mut self, field: &'static str, option: &SeatOption, own: Self) -> Self {
        let chosen = Chosen {
            value: option.value.clone(),
            filled: own,
        };
        match self.0.get_mut(field) {
            Some(Entry::Options(options)) => options.push(chosen),
            _ => {
                self.0.insert(field, Entry::Options(vec![chosen]));
            }
        }
        self
    }
}

/// What a page sends: by the names of fields words, or options by their numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FormAnswer(BTreeMap<String, Given>);

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Given {
    Words(String),
    Options(Vec<GivenOption>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct GivenOption {
    option: u32,
    #[serde(default)]
    fields: FormAnswer,
}

impl SeatForm {
    /// What an answer fills in. An error is what to tell the person.
    pub fn read(&self, answer: &FormAnswer) -> Result<Filled, UiText> {
        let filled = read_fields(&self.fields, answer)?;
        let is_empty = !self.one_of.iter().any(|field| filled.has(field));
        match is_empty && !self.one_of.is_empty() {
            true => Err(text!(mind_seat_form_empty)),
            false => Ok(filled),
        }
    }

    /// The answer that fills in what the form holds already.
    pub fn begun(&self) -> FormAnswer {
        answer_of(&self.fields, &self.filled)
    }
}

fn answer_of(fields: &[SeatField], filled: &Filled) -> FormAnswer {
    let given = fields.iter().filter_map(|field| {
        let given = match filled.0.get(field.name)? {
            Entry::Words(words) => Given::Words(words.clone()),
            Entry::Options(chosen) => {
                let chosen = chosen.iter();
                Given::Options(chosen.filter_map(|chosen| chosen.given(field)).collect())
            }
        };
        Some((field.name.to_owned(), given))
    });
    FormAnswer(given.collect())
}

impl Chosen {
    fn given(&self, field: &SeatField) -> Option<GivenOption> {
        let mut options = field.question.options.iter();
        let option = options.find(|option| option.value == self.value)?;
        Some(GivenOption {
            option: option.number,
            fields: answer_of(&option.fields, &self.filled),
        })
    }
}

fn read_fields(fields: &[SeatField], answer: &FormAnswer) -> Result<Filled, UiText> {
    let mut filled = Filled::default();
    for field in fields {
        if field.with.is_some_and(|other| !filled.has(other)) {
            continue;
        }
        filled = read_field(field, answer.0.get(field.name), filled)?;
        if !filled.has(field.name) && field.question.skip.is_none() {
            return Err(text!(mind_seat_form_lacks, field = &field.question.label));
        }
    }
    Ok(filled)
}

fn read_field(field: &SeatField, given: Option<&Given>, filled: Filled) -> Result<Filled, UiText> {
    let question = &field.question;
    match given {
        Some(Given::Words(words)) if question.takes_words => Ok(match one_line(words).trim() {
            "" => filled,
            words => filled.with_words(field.name, words),
        }),
        Some(Given::Options(options)) => {
            check_costs(question, options)?;
            options.iter().try_fold(filled, |filled, given| {
                let option = option_of(question, given)?;
                let own = read_fields(&option.fields, &given.fields)?;
                Ok(filled.with_option(field.name, option, own))
            })
        }
        _ => Ok(filled),
    }
}

fn option_of<'q>(question: &'q Question, given: &GivenOption) -> Result<&'q SeatOption, UiText> {
    let mut options = question.options.iter();
    let option = options.find(|option| option.number == given.option);
    option.ok_or_else(|| text!(mind_seat_form_not_offered))
}

/// Refuses options that can't be chosen together.
fn check_costs(question: &Question, options: &[GivenOption]) -> Result<(), UiText> {
    if options.len() < 2 {
        return Ok(());
    }
    let costs = options
        .iter()
        .map(|given| Ok(option_of(question, given)?.cost))
        .collect::<Result<Option<Vec<_>>, UiText>>()?;
    let fits = costs.zip(question.budget).is_some_and(|(costs, budget)| {
        let groups: BTreeSet<_> = costs.iter().map(|cost| cost.group).collect();
        let sum = costs.iter().map(|cost| cost.amount);
        groups.len() == costs.len() && sum.sum::<i64>() <= budget
    });
    fits.then_some(())
        .ok_or_else(|| text!(mind_seat_form_too_many))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::question::OptionCost;
    use super::*;

    fn answered(form: &SeatForm, answer: Value) -> Result<Filled, UiText> {
        form.read(&serde_json::from_value(answer).unwrap())
    }

    fn option(label: &str) -> SeatOption {
        SeatOption::new(UiText::verbatim(label), label)
    }

    fn label(label: &str) -> UiText {
        UiText::verbatim(label)
    }

    #[test]
    fn a_turn_is_filled_in_with_what_its_form_offers() {
        let whom = Question::of(label("To whom?"), [option("Ann"), option("Bob")]);
        let speak = SeatOption {
            fields: vec![
                SeatField::new("to", whom),
                SeatField::new("text", Question::words(label("What?"))),
            ],
            ..option("speak")
        };
        let optional = |question: Question| question.or(label("nothing"));
        let form = SeatForm {
            label: label("What do you do?"),
            fields: vec![
                SeatField::new("said", optional(Question::of(label("Say"), [speak]))),
                SeatField::new("tells", optional(Question::of(label(""), [option("lamp")])))
                    .with("said"),
                SeatField::new(
                    "done",
                    optional(Question::of(label("Do"), [option("wait")])),
                ),
            ],
            one_of: &["said", "done"],
            filled: Filled::default(),
        };
        let to_bob = json!({"said": [{"option": 1, "fields": {
            "to": [{"option": 2}], "text": " It is\nlate. "}}], "tells": [{"option": 1}]});
        let filled = answered(&form, to_bob).unwrap();
        let said = &filled.chosen("said")[0];
        assert_eq!(said.filled.value("to"), "Bob");
        assert_eq!(said.filled.words("text"), Some("It is late."));
        assert_eq!(filled.value("tells"), "lamp");
        assert_eq!(filled.words_within("text"), Some("It is late."));
        let begun = SeatForm {
            filled: filled.clone(),
            ..form.clone()
        };
        assert_eq!(form.read(&begun.begun()), Ok(filled));
        let waited = answered(
            &form,
            json!({"done": [{"option": 1}], "tells": [{"option": 1}]}),
        );
        assert!(!waited.unwrap().has("tells"), "nothing was said");
        for refused in [
            json!({}),
            json!({"done": [{"option": 2}]}),
            json!({"done": "wait"}),
            json!({"said": [{"option": 1, "fields": {"text": "Hello."}}]}),
            json!({"said": [{"option": 1, "fields": {"to": [{"option": 1}], "text": " "}}]}),
        ] {
            assert!(answered(&form, refused.clone()).is_err(), "{refused}");
        }
    }

    #[test]
    fn several_options_are_chosen_as_far_as_the_budget_goes() {
        let card = |group, amount| SeatOption {
            cost: Some(OptionCost { group, amount }),
            ..option("card")
        };
        let cards = [
            card(0, 1),
            card(0, 1),
            card(1, 1),
            card(2, 2),
            option("flee"),
        ];
        let form = SeatForm {
            fields: vec![SeatField::new(
                "cards",
                Question {
                    budget: Some(2),
                    ..Question::of(label("Cards"), cards)
                },
            )],
            ..SeatForm::default()
        };
        for (chosen, is_legal) in [
            (&[1][..], true),
            (&[2, 3], true),
            (&[5], true),
            (&[], false),
            (&[1, 2], false),
            (&[1, 4], false),
            (&[1, 5], false),
        ] {
            let options: Vec<_> = chosen.iter().map(|n| json!({"option": n})).collect();
            let filled = answered(&form, json!({"cards": options}));
            assert_eq!(filled.is_ok(), is_legal, "{chosen:?}");
        }
    }
}
