//! One question to a person: what a terminal prints, what a page draws, and what a line means.

use serde_json::Value;

use super::seat_form::SeatField;
use crate::locale::{Argument, Language, UiText, text};
use crate::reading::{Meant, Offer, Offers};

/// What a person may type to go back to the question before.
const BACK: [&str; 5] = ["b", "back", "<", "返回", "退回"];
/// What a person may type to take back what it has typed for an ask.
pub const UNDO: [&str; 2] = ["undo", "撤销"];

/// A question to a person. An answer is one of the options, by number or name, or words.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Question {
    /// The question itself, on one line; may be empty.
    pub label: UiText,
    /// What can be typed, where there are no buttons.
    pub hint: Option<UiText>,
    pub options: Vec<SeatOption>,
    /// Whether the answer may be words of one's own.
    pub takes_words: bool,
    /// What an empty answer means; `None` if there must be one.
    pub skip: Option<UiText>,
    /// Whether one may go back to the question before.
    pub has_back: bool,
    /// How much the chosen options may cost together, where several may be chosen.
    pub budget: Option<i64>,
    /// The words that were typed before, which the person may change.
    pub typed: String,
}

impl Question {
    pub fn words(label: UiText) -> Self {
        Self {
            label,
            takes_words: true,
            ..Self::default()
        }
    }

    /// A question for one of several options, which are numbered from 1.
    pub fn options(label: UiText, options: Vec<UiText>) -> Self {
        let options = options.into_iter();
        Self::of(
            label,
            options.map(|label| SeatOption::new(label, Value::Null)),
        )
    }

    /// A question for one of these options, which are numbered from 1.
    pub fn of(label: UiText, options: impl IntoIterator<Item = SeatOption>) -> Self {
        let options = (1..).zip(options);
        let options = options.map(|(number, option)| SeatOption { number, ..option });
        Self {
            label,
            options: options.collect(),
            ..Self::default()
        }
    }

    /// The same, where an empty answer means this.
    pub fn or(self, skip: UiText) -> Self {
        Self {
            skip: Some(skip),
            ..self
        }
    }

    /// The same, where words of one's own are an answer, too.
    pub fn or_words(self) -> Self {
        Self {
            takes_words: true,
            ..self
        }
    }

    /// The same with what can be typed, where there are no buttons.
    pub fn with_hint(self, hint: UiText) -> Self {
        Self {
            hint: Some(hint),
            ..self
        }
    }

    /// The same with words that were typed before.
    pub fn typed(self, typed: impl Into<String>) -> Self {
        let typed = typed.into();
        Self { typed, ..self }
    }

    /// The same with a way back.
    pub fn with_back(self) -> Self {
        Self {
            has_back: true,
            ..self
        }
    }

    /// The line before the cursor: the label, and what can be typed beside an answer.
    pub fn prompt(&self, language: Language) -> String {
        let [label, keys] = self.label_and_keys(language);
        [label, keys, ">".to_owned()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(|part| part + " ")
            .collect()
    }

    /// The label, and what can be typed beside an answer; either may be empty.
    pub fn label_and_keys(&self, language: Language) -> [String; 2] {
        let label = match self.hint.clone() {
            Some(hint) => text!(mind_seat_with_hint, label = &self.label, hint),
            None => self.label.clone(),
        };
        let label = label.in_language(language);
        let skip = self.skip.iter();
        let keys = skip
            .map(|skip| text!(mind_seat_enter, what = skip.clone()))
            .chain(self.has_back.then(|| text!(mind_seat_back_key)))
            .map(|key| key.in_language(language))
            .collect::<Vec<_>>();
        let keys = match keys.as_slice() {
            [] => String::new(),
            keys => format!("[{}]", keys.join(" · ")),
        };
        [label, keys]
    }

    /// What a line means. An error is what to tell the person.
    pub(super) fn read(&self, line: &str, language: Language) -> Result<SeatAnswer, UiText> {
        let line = line.trim();
        if line.is_empty() {
            return match &self.skip {
                Some(_) => Ok(SeatAnswer::Skipped),
                None if self.options.is_empty() => Err(text!(mind_seat_not_empty)),
                None => Err(self.wanted()),
            };
        }
        if self.has_back && is_back(line) {
            return Ok(SeatAnswer::Back);
        }
        if self.options.is_empty() {
            // Numbers that are asked for can neither be left out nor lead back.
            let is_slip = (self.skip.is_some() || self.has_back) && is_number(line);
            let words = (!is_slip).then(|| SeatAnswer::Words(line.to_owned()));
            return words.ok_or_else(|| text!(mind_seat_words_wanted));
        }
        match self.meant(line, language) {
            Meant::One(index) => Ok(SeatAnswer::Option(index)),
            Meant::Several(found) => {
                let found = found.iter().filter_map(|index| self.options.get(*index));
                let found = found.map(|option| {
                    let label = option.label.in_language(language);
                    format!("{}) {label}", option.number)
                });
                Err(text!(mind_seat_several, options = Argument::list(found)))
            }
            Meant::Nothing => own_words(line)
                .filter(|_| self.takes_words)
                // A number that no option has is a slip.
                .filter(|_| number_before(line).is_none() || self.numbered(line).is_some())
                .map(|words| SeatAnswer::Words(words.to_owned()))
                .ok_or_else(|| self.wanted()),
        }
    }

    /// The option that a line means. Where it may be words, too, nothing but an option counts.
    fn meant(&self, line: &str, language: Language) -> Meant {
        let names: Vec<_> = (self.options.iter())
            .map(|option| option.label.in_language(language))
            .collect();
        let number = line
            .trim_end_matches([')', '.', '）', '。'])
            .trim()
            .parse()
            .ok();
        if let Some(index) = number.and_then(|number| self.position(number)) {
            return Meant::One(index);
        }
        let offers = names.iter().map(|name| Offer {
            name,
            ..Offer::default()
        });
        let offers = Offers::new(offers, false);
        let meant = if self.takes_words && own_words(line).is_some() {
            offers.meant_alone(line)
        } else {
            offers.meant(line)
        };
        if meant != Meant::Nothing {
            return meant;
        }
        let line = line.to_lowercase();
        let begun = (0..).zip(&names);
        let begun = begun.filter(|(_, name)| name.to_lowercase().starts_with(&line));
        match Meant::of(begun.map(|(index, _)| index)) {
            Meant::Nothing => offers.meant_by_words_of(&line),
            begun => begun,
        }
    }

    /// The option whose number a line begins with, by its index, and the words behind it.
    pub fn numbered<'l>(&self, line: &'l str) -> Option<(usize, &'l str)> {
        let (number, words) = number_before(line)?;
        Some((self.position(number)?, words))
    }

    fn position(&self, number: u32) -> Option<usize> {
        let mut options = self.options.iter();
        options.position(|option| option.number == number)
    }

    fn wanted(&self) -> UiText {
        let numbers = numbers(self.options.iter().map(|option| option.number));
        if self.takes_words {
            text!(mind_seat_option_or_words, numbers)
        } else {
            text!(mind_seat_no_such_option, numbers)
        }
    }
}

/// The number with which a line begins, and the words behind it.
fn number_before(line: &str) -> Option<(u32, &str)> {
    let digits = line.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, rest) = line.split_at_checked(digits)?;
    let is_between = |letter: char| letter.is_whitespace() || ":：,，、.。)）".contains(letter);
    let words = rest.trim_start_matches(is_between);
    (words.len() < rest.len()).then_some((number.parse().ok()?, words))
}

/// The numbers that may be typed: a range if they follow each other.
pub(super) fn numbers(numbers: impl ExactSizeIterator<Item = u32> + Clone) -> Argument {
    let (first, last) = (numbers.clone().min(), numbers.clone().max());
    match first.zip(last) {
        Some((first, last)) if last - first + 1 == numbers.len() as u32 && first < last => {
            Argument::from(format!("{first}–{last}"))
        }
        _ => Argument::list(numbers.map(|number| number.to_string())),
    }
}

/// An option, and the number that a person may type for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeatOption {
    pub number: u32,
    pub label: UiText,
    /// What it means to whoever asks.
    pub value: Value,
    /// What follows from it, in a sentence in which [`WORDS`](super::WORDS) stands for the words
    /// that go with it; the label if `None`.
    pub summary: Option<UiText>,
    /// What is to be filled in once it is chosen.
    pub fields: Vec<SeatField>,
    /// What it costs, where several may be chosen; one without a cost is chosen alone.
    pub cost: Option<OptionCost>,
}

impl SeatOption {
    /// An option without a number yet.
    pub fn new(label: UiText, value: impl Into<Value>) -> Self {
        Self {
            label,
            value: value.into(),
            ..Self::default()
        }
    }

    /// The same with what follows from it.
    #[must_use]
    pub fn with_summary(self, summary: UiText) -> Self {
        Self {
            summary: Some(summary),
            ..self
        }
    }
}

/// What an option costs of a budget, and which others it excludes: those with the same `group`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionCost {
    pub group: usize,
    pub amount: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatAnswer {
    Option(usize),
    Words(String),
    Skipped,
    /// The person wants the question before this one again.
    Back,
}

/// Whether a line asks for the question before.
pub fn is_back(line: &str) -> bool {
    let word = line.trim().trim_start_matches(['/', '／']).to_lowercase();
    BACK.contains(&word.as_str())
}

/// Whether a line takes back what was typed before it.
pub(super) fn is_undo(line: &str) -> bool {
    let word = line.trim().strip_prefix(['/', '／']).map(str::to_lowercase);
    word.is_some_and(|word| UNDO.contains(&word.as_str()))
}

/// The words of a line that is speech; `None` if it may be an option with a slip in it.
fn own_words(line: &str) -> Option<&str> {
    let is_quote = |letter: char| "\"“”「」『』«»".contains(letter);
    let words = line.trim_matches(is_quote).trim();
    let is_quoted = line.starts_with(is_quote);
    let is_sentence = words.split_whitespace().count() > 1
        || words.ends_with(['.', '!', '?', '。', '！', '？', '…'])
        || words.chars().filter(|letter| !letter.is_ascii()).count() > 4;
    (!words.is_empty() && !is_number(words) && (is_quoted || is_sentence)).then_some(words)
}

pub(super) fn is_number(words: &str) -> bool {
    let mut letters = words.chars();
    letters.all(|letter| letter.is_ascii_digit() || letter == ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_speech_and_a_slip_is_not() {
        for (line, words) in [
            ("The lamp is out.", Some("The lamp is out.")),
            ("“Yes”", Some("Yes")),
            ("Never!", Some("Never!")),
            ("灯塔的灯灭了", Some("灯塔的灯灭了")),
            ("spek", None),
            ("12", None),
            ("1 2", None),
            ("等带", None),
            ("", None),
        ] {
            assert_eq!(own_words(line), words, "{line}");
        }
    }

    #[test]
    fn a_line_is_an_option_words_or_a_way_back() {
        let options = ["give something", "wait"].map(UiText::verbatim).to_vec();
        let menu = Question::options(UiText::default(), options).with_back();
        let words = menu.clone().or_words();
        let wait = Ok(SeatAnswer::Option(1));
        for line in ["2", "wait", "Wait.", "wai", " 2) "] {
            assert_eq!(menu.read(line, Language::En), wait, "{line}");
        }
        assert_eq!(menu.read("I will wait here", Language::En), wait);
        let spoken = "I will wait here";
        let said = Ok(SeatAnswer::Words(spoken.to_owned()));
        assert_eq!(words.read(spoken, Language::En), said);
        for line in ["b", "/back", "返回"] {
            assert_eq!(words.read(line, Language::En), Ok(SeatAnswer::Back));
        }
        assert!(words.read("3", Language::En).is_err());
        assert_eq!(words.numbered("1, for you."), Some((0, "for you.")));
        for line in ["1st of all.", "I say 1."] {
            assert_eq!(words.numbered(line), None, "{line}");
        }
        assert!(words.read("3 Stand back!", Language::En).is_err());
        let cards = ["Trip Knot → Ann", "Trip Knot → Bob"].map(UiText::verbatim);
        let cards = Question::options(UiText::default(), cards.to_vec()).or_words();
        assert!(cards.read("trip knot", Language::En).is_err());
        let ann = Ok(SeatAnswer::Option(0));
        assert_eq!(cards.read("knot on ann", Language::En), ann);
        assert_eq!(cards.read("trip ann", Language::En), ann);
        for spoken in ["Trip Ann!", "Ann, trip", "Who is Ann"] {
            let said = Ok(SeatAnswer::Words(spoken.to_owned()));
            assert_eq!(cards.read(spoken, Language::En), said);
        }
        assert!(menu.read("", Language::En).is_err());
        let thought = Question::words(UiText::default()).or(UiText::verbatim("nothing"));
        assert!(thought.read("3", Language::En).is_err());
        let skipped = menu.or(UiText::verbatim("nothing"));
        assert_eq!(skipped.read("", Language::En), Ok(SeatAnswer::Skipped));
        assert_eq!(
            skipped.prompt(Language::En),
            "[Enter: nothing · b: back] > "
        );
    }
}
