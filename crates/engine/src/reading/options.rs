//! One of several things that were offered, in whatever words it was named.
//!
//! The rules stand in the order of their certainty, and the first that fits anything decides: what
//! fits one option is that option; what fits two is none of them. A wrong match is worse than
//! another question.

use super::words::{
    TITLES, TITLES_BEHIND, is_filler, is_first_person, is_listing, is_negation, is_reason,
    is_reservation, is_turned_down, means_everyone, means_oneself, number_word,
};
use crate::wording::{FoldedText, typos_between};

/// The maximum length of a text that may name an option, in bytes.
const MAX_GIVEN: usize = 600;
/// A label with more words, or twice as many Chinese characters, is a sentence.
const TITLE: usize = 4;

/// Something that is offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer<'a> {
    /// What it is called where it is chosen: an id, a name.
    pub name: &'a str,
    /// What it is, in the words in which it was offered; may be empty.
    pub label: &'a str,
    /// What was said in brackets beside its name; may be empty.
    pub note: &'a str,
}

/// Which of the offers a text means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// This one, by its index.
    One(usize),
    /// It fits several.
    Several(Vec<usize>),
    Nothing,
}

impl Meant {
    pub(crate) fn of(found: impl IntoIterator<Item = usize>) -> Self {
        let found: Vec<_> = found.into_iter().collect();
        match found.as_slice() {
            [] => Self::Nothing,
            [one] => Self::One(*one),
            _ => Self::Several(found),
        }
    }
}

#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Offers {
    offers: Vec<FoldedOffer>,
    /// Whether they were listed, so that a number means one.
    are_counted: bool,
    /// Words around them that say nothing of their own, besides those of any choice.
    fillers: &'static [&'static str],
}

#[derive(Clone, Debug)]
struct FoldedOffer {
    exact: String,
    name: Vec<String>,
    label: Vec<String>,
    /// Other words for it.
    others: Vec<Vec<String>>,
    is_oneself: bool,
}

impl FoldedOffer {
    /// What it is called: its name, and its label if that is no sentence.
    fn names(&self) -> impl Iterator<Item = &Vec<String>> {
        let is_title = enough(&self.label, 1, 1) && !enough(&self.label, TITLE + 1, 2 * TITLE + 1);
        std::iter::once(&self.name).chain(is_title.then_some(&self.label))
    }
}

type Rule = fn(&Offers, &Given) -> Vec<usize>;

/// The rules that need no more than the words themselves.
const CERTAIN: [Rule; 3] = [Offers::by_name, Offers::by_label, Offers::by_number];
/// All others, the most certain first.
const LIKELY: [Rule; 12] = [
    Offers::by_both,
    Offers::by_mention,
    Offers::by_clause,
    Offers::by_declaration,
    Offers::by_sentence,
    Offers::by_part,
    Offers::by_part_of_label,
    Offers::by_title,
    Offers::by_given_name,
    Offers::by_end,
    Offers::by_other_word,
    Offers::by_typo,
];

/// A text that names something.
struct Given {
    text: String,
    words: Vec<String>,
}

impl Given {
    fn of(text: &str) -> Self {
        let text = without_codes(text.trim());
        let text = match text.split_once("<|") {
            Some((named, token)) if token.ends_with("|>") => named.to_owned(),
            _ => text,
        };
        Self {
            words: words_of(&text),
            text,
        }
    }

    fn of_words(words: &[String]) -> Self {
        Self {
            text: words.join(" "),
            words: words.to_vec(),
        }
    }

    fn is_denied(&self) -> bool {
        self.words.iter().any(|word| is_negation(word))
    }
}

impl Offers {
    /// These offers. `are_counted` says whether they were shown as a list.
    pub fn new<'a>(offers: impl IntoIterator<Item = Offer<'a>>, are_counted: bool) -> Self {
        let folded = offers.into_iter().map(|offer| FoldedOffer {
            exact: offer.name.to_owned(),
            name: words_of(offer.name),
            label: words_of(offer.label),
            others: Vec::new(),
            is_oneself: !offer.note.is_empty() && means_oneself(&words_of(offer.note)),
        });
        Self {
            offers: folded.collect(),
            are_counted,
            fillers: &[],
        }
    }

    /// Offers that have names alone.
    pub fn of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let offer = |name| Offer {
            name,
            ..Offer::default()
        };
        Self::new(names.into_iter().map(offer), false)
    }

    /// People, whom a given name means, too, if it is that of one of them alone.
    pub fn of_people<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut people = Self::of_names(names);
        let given = people
            .offers
            .iter()
            .map(|one| given_name(&one.name).to_vec());
        let given: Vec<_> = given.collect();
        let whole = people.offers.iter().map(|one| one.name.clone());
        let all: Vec<_> = whole.chain(given.iter().cloned()).collect();
        for (person, own) in people.offers.iter_mut().zip(given) {
            if all.iter().filter(|name| **name == own).count() == 1 {
                person.label = own;
            }
        }
        people
    }

    /// The same offers, with other words for some of them: each with the name that it means.
    pub fn with_other_words(mut self, words: &[(&str, &str)]) -> Self {
        for offer in &mut self.offers {
            let meant = words.iter().filter(|(_, name)| *name == offer.exact);
            offer.others = meant.map(|(word, _)| words_of(word)).collect();
        }
        self
    }

    /// The same offers, with words that may stand around them and say nothing of their own, such as
    /// those of voting.
    pub fn with_fillers(mut self, fillers: &'static [&'static str]) -> Self {
        self.fillers = fillers;
        self
    }

    fn is_filler(&self, word: &str) -> bool {
        is_filler(word) || self.fillers.contains(&word)
    }

    fn are_fillers(&self, words: &[String]) -> bool {
        words.iter().all(|word| self.is_filler(word))
    }

    /// Whether these are enough words to mean something.
    fn enough(&self, words: &[String], least: usize, least_chinese: usize) -> bool {
        enough(words, least, least_chinese) && !self.are_fillers(words)
    }

    /// Which one a text means.
    pub fn meant(&self, text: &str) -> Meant {
        self.meant_by(text, &LIKELY)
    }

    /// Which one an answer means that is nothing else: its name, label or number alone.
    pub fn meant_alone(&self, text: &str) -> Meant {
        self.meant_by(text, LIKELY.get(..2).unwrap_or_default())
    }

    /// Which one a text means that is nothing but words of its name, in any order and without
    /// marks.
    pub fn meant_by_words_of(&self, text: &str) -> Meant {
        let words = Given::of(text).words;
        let words = words.iter().filter(|word| !self.is_filler(word));
        let words: Vec<_> = words.cloned().collect();
        let is_mark = |letter: char| {
            !letter.is_alphanumeric() && !letter.is_whitespace() && !"'’-→".contains(letter)
        };
        let has_marks = text.contains(is_mark);
        if has_marks || !self.enough(&words, 2, 3) {
            return Meant::Nothing;
        }
        let is_of = |offer: &FoldedOffer| words.iter().all(|word| offer.name.contains(word));
        Meant::of(self.which(is_of))
    }

    /// Whether a text names all of them, or several and nothing else.
    pub fn are_several_meant(&self, text: &str) -> bool {
        let given = Given::of(text);
        means_everyone(&given.words) || {
            let (found, rest) = self.mentions(&given.words);
            found.len() > 1 && self.are_fillers(&rest)
        }
    }

    /// The one whose name or label has most words in common with a text, as a share of its own.
    /// `None` if none has any.
    pub fn likest(&self, text: &str) -> Option<usize> {
        let given = words_of(text);
        let share = |words: &[String]| {
            let count = words.iter().filter(|word| given.contains(word)).count();
            count * 100 / words.len().max(1)
        };
        let shares = self
            .offers
            .iter()
            .map(|offer| share(&offer.name).max(share(&offer.label)));
        let (likest, share) = shares.enumerate().rev().max_by_key(|(_, share)| *share)?;
        (share > 0).then_some(likest)
    }

    /// Those that a text names as whole words.
    pub fn mentioned(&self, text: &str) -> Vec<usize> {
        self.mentions(&Given::of(text).words).0
    }

    fn meant_by(&self, text: &str, likely: &[Rule]) -> Meant {
        if let Some(exact) = self.offers.iter().position(|offer| offer.exact == text) {
            return Meant::One(exact);
        }
        let is_negative = text
            .trim_start()
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if text.len() > MAX_GIVEN || is_negative {
            return Meant::Nothing;
        }
        let given = Given::of(text);
        if given.words.is_empty() {
            return Meant::Nothing;
        }
        if let Some(first) = self.first_line(text) {
            return first;
        }
        let rules = CERTAIN.iter().chain(likely);
        let found = rules
            .map(|rule| rule(self, &given))
            .find(|found| !found.is_empty());
        Meant::of(found.unwrap_or_default())
    }

    /// What the first of several lines names; several if further lines name others. `None` if it
    /// names none, or if there is one line.
    fn first_line(&self, text: &str) -> Option<Meant> {
        let (first, rest) = text.trim().split_once('\n')?;
        let named = |line: &str| {
            let given = Given::of(line);
            let rules: [Rule; 3] = [Self::by_name, Self::by_label, Self::by_both];
            let found = rules.iter().map(|rule| rule(self, &given));
            found.into_iter().find(|found| !found.is_empty())
        };
        let mut found = named(first)?;
        let others = rest.lines().filter_map(named).flatten();
        found.extend(others);
        found.sort_unstable();
        found.dedup();
        Some(Meant::of(found))
    }

    fn which(&self, is_meant: impl Fn(&FoldedOffer) -> bool) -> Vec<usize> {
        let offers = self.offers.iter().enumerate();
        let meant = offers.filter(|(_, offer)| is_meant(offer));
        meant.map(|(index, _)| index).collect()
    }

    /// Its name in another case or width, with other marks between its words or around it.
    fn by_name(&self, given: &Given) -> Vec<usize> {
        let glued = given.words.concat();
        self.which(|offer| offer.name.concat() == glued)
    }

    /// The words in which it was offered.
    fn by_label(&self, given: &Given) -> Vec<usize> {
        self.which(|offer| offer.label == given.words)
    }

    /// Its number or letter in the list.
    fn by_number(&self, given: &Given) -> Vec<usize> {
        let glued = given.words.concat();
        let plain =
            glued.trim_matches(|c: char| self.is_filler(&c.to_string()) || c == '一' || c == '那');
        match plain {
            "最后" => return self.at_place(self.offers.len()),
            "后者" if self.offers.len() == 2 => return self.at_place(2),
            "前者" if self.offers.len() == 2 => return self.at_place(1),
            _ => {}
        }
        let is_name = |word: &String| self.offers.iter().any(|o| o.name == [word.as_str()]);
        let meaningful = given
            .words
            .iter()
            .filter(|word| !self.is_filler(word) || is_letter(word) || is_name(word));
        let word = match meaningful.collect::<Vec<_>>()[..] {
            [word] => word,
            // "The second one".
            [word, one] if one == "one" => word,
            _ => return Vec::new(),
        };
        let of_two = self.offers.len() == 2;
        match word.as_str() {
            "last" => return self.at_place(self.offers.len()),
            "latter" if of_two => return self.at_place(2),
            "former" if of_two => return self.at_place(1),
            _ => {}
        }
        if let Some(number) = word.parse().ok().or_else(|| number_word(word)) {
            return self.numbered(number);
        }
        let mut others = given.words.iter().filter(|other| *other != word);
        let letter = word
            .bytes()
            .next()
            .filter(|_| is_letter(word))
            .filter(|_| others.all(|other| is_listing(other)));
        letter.map_or_else(Vec::new, |letter| {
            self.at_place(usize::from(letter - b'a') + 1)
        })
    }

    /// The offer with this number: its name if names are numbers, else its place in the list,
    /// unless another is called so: `Room 2`.
    fn numbered(&self, number: usize) -> Vec<usize> {
        let is_number = |offer: &FoldedOffer| offer.exact.parse::<usize>().is_ok();
        if self.offers.iter().all(is_number) {
            return self.which(|offer| offer.exact.parse() == Ok(number));
        }
        let mut meant = self.at_place(number);
        let word = number.to_string();
        let called = self.which(|offer| offer.names().flatten().any(|part| *part == word));
        meant.extend(
            called
                .into_iter()
                .filter(|index| !meant.contains(index))
                .collect::<Vec<_>>(),
        );
        meant
    }

    fn at_place(&self, place: usize) -> Vec<usize> {
        let index = place
            .checked_sub(1)
            .filter(|index| *index < self.offers.len());
        index.filter(|_| self.are_counted).into_iter().collect()
    }

    /// `id: label`, `1. label`, `name (remark)`: both parts must mean the same.
    fn by_both(&self, given: &Given) -> Vec<usize> {
        const MARKS: [&str; 12] = [
            ": ", "：", ":", " - ", "–", "—", "(", "（", ". ", ") ", ", because ", "，因为",
        ];
        let places = MARKS
            .iter()
            .filter_map(|mark| Some((given.text.find(mark)?, mark.len())));
        let Some((at, length)) = places.filter(|(at, _)| *at > 0).min() else {
            return Vec::new();
        };
        let head = Given::of(given.text.get(..at).unwrap_or_default());
        let tail = Given::of(given.text.get(at + length..).unwrap_or_default());
        let certain = |given: &Given| {
            let found = CERTAIN.iter().map(|rule| rule(self, given));
            found
                .into_iter()
                .find(|found| !found.is_empty())
                .unwrap_or_default()
        };
        let (meant, mut said) = (certain(&head), certain(&tail));
        if said.is_empty() && !meant.is_empty() {
            said = self.by_part_of_label(&tail);
        }
        let is_remark = head.words.len() <= 5 && !head.is_denied();
        match (meant.is_empty(), said.is_empty()) {
            (false, true) => meant,
            (true, false) if is_remark && self.by_part(&head).is_empty() => said,
            (true, _) => Vec::new(),
            (false, false) if said.iter().any(|index| meant.contains(index)) => meant
                .into_iter()
                .filter(|index| said.contains(index))
                .collect(),
            (false, false) => [meant, said].concat(),
        }
    }

    /// Its name among words that say nothing of their own.
    fn by_mention(&self, given: &Given) -> Vec<usize> {
        let (mut found, rest) = self.mentions(&given.words);
        for word in rest {
            match word.parse::<usize>() {
                Ok(number) => match self.numbered(number).first() {
                    Some(index) if found.contains(index) => {}
                    Some(index) => found.push(*index),
                    None => return Vec::new(),
                },
                Err(_) if found.len() > 1 && matches!(word.as_str(), "or" | "或") => {}
                Err(_) if !self.is_filler(&word) && word != "一" => return Vec::new(),
                Err(_) => {}
            }
        }
        found
    }

    /// Its name before a comma, behind which nothing else is named but in a reason: "Oskar, since
    /// he has the key".
    fn by_clause(&self, given: &Given) -> Vec<usize> {
        let Some((head, tail)) = given.text.split_once([',', '，']) else {
            return Vec::new();
        };
        if is_turned_down(head) {
            return self.by_declaration(&Given::of(tail));
        }
        let is_reason = is_reason(tail);
        let (head, tail) = (Given::of(head), Given::of(tail));
        if !is_reason && (tail.is_denied() || !self.mentions(&tail.words).0.is_empty()) {
            return Vec::new();
        }
        let rules: [Rule; 3] = [Self::by_name, Self::by_label, Self::by_mention];
        let rules = rules.iter().take(if is_reason { 3 } else { 2 });
        rules
            .map(|rule| rule(self, &head))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    /// The only one that is named, after nothing but "I" and fillers: "I'll go to the chapel and
    /// wait there."
    fn by_declaration(&self, given: &Given) -> Vec<usize> {
        let lengths = 1..given.words.len();
        let named = lengths.filter_map(|begin| {
            let rest = given.words.get(begin..)?;
            let mut names = self
                .offers
                .iter()
                .flat_map(|o| [&o.name, &o.label])
                .filter(|name| !self.are_fillers(name));
            let name = names.find(|name| rest.starts_with(name))?;
            Some((begin, begin + name.len()))
        });
        let Some((begin, end)) = named.into_iter().next() else {
            return Vec::new();
        };
        let (before, after) = (given.words.get(..begin), given.words.get(end..));
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let is_declared = before.first().is_some_and(|word| is_first_person(word))
            && self.are_fillers(before)
            && !after.iter().any(|word| is_reservation(word));
        match self.mentions(&given.words).0 {
            found if is_declared && found.len() == 1 => found,
            _ => Vec::new(),
        }
    }

    /// The only one with a label that a sentence says in full: "I go through the green door." Who
    /// is only named in a sentence may not be meant.
    fn by_sentence(&self, given: &Given) -> Vec<usize> {
        let (found, _) = self.mentions(&given.words);
        let is_long = |index: &usize| {
            self.offers.get(*index).is_some_and(|offer| {
                self.enough(&offer.label, 2, 4) && contains(&given.words, &offer.label)
            })
        };
        let is_plain = found.len() == 1 && found.iter().all(is_long) && !given.is_denied();
        if is_plain { found } else { Vec::new() }
    }

    /// Which names and labels stand in a text as whole words, the longest first, and what else
    /// does.
    fn mentions(&self, words: &[String]) -> (Vec<usize>, Vec<String>) {
        let mut names: Vec<_> = self
            .offers
            .iter()
            .enumerate()
            .flat_map(|(index, offer)| [(index, &offer.name), (index, &offer.label)])
            .filter(|(_, name)| !name.is_empty())
            .collect();
        names.sort_by_key(|(_, name)| std::cmp::Reverse(name.len()));
        let (mut found, mut rest) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let Some(remaining) = words.get(at..).filter(|words| !words.is_empty()) {
            let mut named = names.iter();
            match named.find(|(_, name)| remaining.starts_with(name)) {
                Some((index, name)) => {
                    if !found.contains(index) {
                        found.push(*index);
                    }
                    at += name.len();
                }
                None => {
                    rest.extend(remaining.first().cloned());
                    at += 1;
                }
            }
        }
        (found, rest)
    }

    /// Some words of its name, or of a label that is a name.
    fn by_part(&self, given: &Given) -> Vec<usize> {
        let said: Vec<_> = given
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| !self.is_filler(word))
            .map(|(index, _)| index)
            .collect();
        let (Some(first), Some(last)) = (said.first(), said.last()) else {
            return Vec::new();
        };
        let within = |words: &[String]| {
            let is_enough = self.enough(words, 1, 2);
            self.which(|offer| is_enough && offer.names().any(|name| contains(name, words)))
        };
        let whole = within(&given.words);
        if whole.is_empty() {
            within(given.words.get(*first..=*last).unwrap_or_default())
        } else {
            whole
        }
    }

    /// A Chinese name without the surname, with a word of kinship behind it: 九指叔 for 佟九指; or
    /// without some characters within it: 周探长 for 周铁探长.
    fn by_given_name(&self, given: &Given) -> Vec<usize> {
        let words = &given.words;
        let is_short = (3..=4).contains(&words.len()) && are_han(words);
        let is_given = |name: &Vec<String>| name.len() == 3 && words.starts_with(given_name(name));
        let is_shortened = |name: &Vec<String>| {
            (words.first(), words.last()) == (name.first(), name.last()) && stand_in(name, words)
        };
        self.which(|offer| {
            let mut names = offer.names().filter(|name| are_han(name));
            is_short && names.any(|name| is_given(name) || is_shortened(name))
        })
    }

    /// Several words of its label, or most of them in its order; what is left out before them
    /// denies nothing.
    fn by_part_of_label(&self, given: &Given) -> Vec<usize> {
        let words = &given.words;
        let (is_enough, is_much) = (self.enough(words, 2, 4), self.enough(words, 3, 6));
        self.which(|offer| {
            let label = &offer.label;
            let is_part = is_enough && contains(label, words)
                || is_much && 2 * words.len() > label.len() && stand_in(label, words);
            is_part && !without(label, words).any(|word| is_negation(word))
        })
    }

    /// Its name, or a part of it, with a form of address.
    fn by_title(&self, given: &Given) -> Vec<usize> {
        let is_title = |word: &String| TITLES.contains(&word.as_str());
        let titles = given.words.iter().take_while(|word| is_title(word)).count();
        let (titles, rest) = given.words.split_at(titles);
        let glued = rest.concat();
        let behind = TITLES_BEHIND
            .iter()
            .find(|title| glued.ends_with(*title))
            .map_or(0, |title| title.chars().count());
        let rest = rest
            .get(..rest.len().saturating_sub(behind))
            .unwrap_or_default();
        let is_name = |offer: &FoldedOffer| titles.iter().any(|title| offer.name.contains(title));
        let is_untitled = titles.is_empty() && behind == 0;
        if rest.is_empty() || is_untitled || self.offers.iter().any(is_name) {
            return Vec::new();
        }
        // A surname alone is enough with a title behind it.
        if behind > 0 && rest.len() == 1 {
            return self.which(|offer| offer.names().any(|name| name.starts_with(rest)));
        }
        let rest = Given::of_words(rest);
        let whole = self.by_name(&rest);
        if whole.is_empty() {
            self.by_part(&rest)
        } else {
            whole
        }
    }

    /// Words that end with its name, which they describe more closely.
    fn by_end(&self, given: &Given) -> Vec<usize> {
        let is_short = given.words.len() <= 6 && !given.is_denied();
        let ends = |name: &[String]| self.enough(name, 1, 2) && given.words.ends_with(name);
        let named = self.which(|offer| is_short && offer.label.is_empty() && ends(&offer.name));
        let mentioned = self.mentions(&given.words).0;
        if named.is_empty() { named } else { mentioned }
    }

    /// Another word for it.
    fn by_other_word(&self, given: &Given) -> Vec<usize> {
        let is_oneself = means_oneself(&given.words);
        self.which(|offer| offer.others.contains(&given.words) || is_oneself && offer.is_oneself)
    }

    /// Its name or its label with a slip in one word.
    fn by_typo(&self, given: &Given) -> Vec<usize> {
        self.which(|offer| {
            let mut titles = [&offer.name, &offer.label].into_iter();
            titles.any(|title| is_slip(title, &given.words))
        })
    }
}

/// The name without a surname or a title; empty if it is one word.
fn given_name(name: &[String]) -> &[String] {
    if are_han(name) {
        return name
            .get(1..)
            .filter(|given| given.len() == 2)
            .unwrap_or_default();
    }
    let is_given = |word: &String| !TITLES.contains(&word.as_str()) && !is_filler(word);
    let given = name.iter().position(is_given).filter(|_| name.len() > 1);
    given.and_then(|at| name.get(at..=at)).unwrap_or_default()
}

fn are_han(words: &[String]) -> bool {
    let mut letters = words.iter().flat_map(|word| word.chars());
    letters.all(|letter| letter >= '\u{2e80}')
}

/// Whether these are enough words to mean something: so many, or so many Chinese characters.
fn enough(words: &[String], least: usize, least_chinese: usize) -> bool {
    let letters = words.iter().flat_map(|word| word.chars());
    let is_unspaced = letters.clone().all(|char| char >= '\u{2e80}');
    let least = if is_unspaced { least_chinese } else { least };
    words.len() >= least && letters.count() > 1 && !words.iter().all(|word| is_filler(word))
}

/// Whether words stand in a text in this order, among others.
fn stand_in(text: &[String], words: &[String]) -> bool {
    let mut text = text.iter();
    words.iter().all(|word| text.any(|other| other == word))
}

/// The words that a text has before the last of these, and they don't.
fn without<'t>(text: &'t [String], words: &[String]) -> impl Iterator<Item = &'t String> {
    let mut words = words.iter().peekable();
    text.iter()
        .map_while(move |word| {
            words.peek()?;
            Some((words.next_if_eq(&word).is_none(), word))
        })
        .filter_map(|(is_left_out, word)| is_left_out.then_some(word))
}

fn contains(name: &[String], part: &[String]) -> bool {
    name.len() > part.len() && name.windows(part.len()).any(|window| window == part)
}

/// Whether two names differ by a slip in one word: a letter too many, too few, wrong, or in
/// another's place, but not the first one, in a word that is long enough for it.
pub(super) fn is_slip(name: &[String], given: &[String]) -> bool {
    let mut differing = name.iter().zip(given).filter(|(a, b)| a != b);
    let (Some((a, b)), None) = (differing.next(), differing.next()) else {
        return false;
    };
    let is_word = |word: &String| word.chars().all(|c| c.is_alphabetic() && c < '\u{2e80}');
    let is_alike = name.len() == given.len() && is_word(a) && is_word(b);
    let is_plural = *a == format!("{b}s") || *b == format!("{a}s");
    let longest = a.chars().count().max(b.chars().count());
    let most = match longest {
        ..4 => return false,
        // A short word is only sure among others.
        4 => usize::from(is_plural || name.len() > 1),
        5..9 => 1,
        _ => 2,
    };
    is_alike && a.chars().next() == b.chars().next() && typos_between(a, b) <= most
}

fn is_letter(word: &str) -> bool {
    word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The words of a text, without case, width, accents, marks and a leading article. In scripts
/// without spaces each character is a word.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let spelt = text.contains('&').then(|| text.replace('&', " and "));
    let folded = FoldedText::of(spelt.as_deref().unwrap_or(text));
    let mut words: Vec<String> = folded.words().map(|word| word.iter().collect()).collect();
    let has_article = words
        .first()
        .is_some_and(|first| matches!(first.as_str(), "the" | "a" | "an"));
    if has_article && words.len() > 1 {
        words.remove(0);
    }
    words
}

/// A text without the codes that colour it in a terminal.
fn without_codes(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    let rests = parts.map(|part| match part.strip_prefix('[') {
        Some(code) => code.split_once('m').map_or(code, |(_, rest)| rest),
        None => part,
    });
    rests.fold(first, |text, rest| text + rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reading::Listing;

    const CHOICE: &str = "What does she get?\n\n\
        - \"take\": Put the coins into your own bag\n\
        - \"leave-them\": Leave the coins where they are, for the miller\n\
        - \"give\": Give the coins to the miller and say where they were\n\n\
        What you still want:\n- To go home.";

    const VOTING: [&str; 6] = ["vote", "player", "投", "票", "玩", "家"];

    fn meant(question: &str, names: &[&str], given: &str) -> Vec<String> {
        let offers = Listing::of(question).offers(names).with_fillers(&VOTING);
        let found = match offers.meant(given) {
            Meant::One(index) => vec![index],
            Meant::Several(several) => several,
            Meant::Nothing => Vec::new(),
        };
        found
            .into_iter()
            .map(|index| names[index].to_owned())
            .collect()
    }

    #[test]
    fn a_given_name_means_the_only_one_who_has_it() {
        let names = [
            "Odile Marsh", "Ann Hale", "Ann Reed", "Sister Temperance", "沈豆娘", "Will Dee",
        ];
        for (words, meant) in [
            ("Odile, is there any soup left?", &[0][..]),
            ("What do you say, Temperance?", &[3]),
            ("豆娘，你来看。", &[4]),
            ("Ann, come here.", &[]),
            ("Ann Reed, come here.", &[2]),
            ("Mrs Marsh is at the marsh.", &[]),
            ("I will go, sister.", &[]),
        ] {
            assert_eq!(Offers::of_people(names).mentioned(words), meant, "{words}");
        }
    }

    #[test]
    fn an_option_is_found_in_all_words_that_mean_it() {
        let names = ["take", "leave-them", "give"];
        for (given, wanted) in [
            ("take", "take"),
            ("Take", "take"),
            ("TAKE.", "take"),
            (" take ", "take"),
            ("**take**", "take"),
            ("`take`", "take"),
            ("\"take\"", "take"),
            ("“take”", "take"),
            ("「take」", "take"),
            ("(take)", "take"),
            ("[take]", "take"),
            ("<take>", "take"),
            ("ｔａｋｅ", "take"),
            ("take\u{200b}", "take"),
            ("\u{1b}[32mtake\u{1b}[0m", "take"),
            ("leave_them", "leave-them"),
            ("leave them", "leave-them"),
            ("Leave–Them", "leave-them"),
            ("leavethem", "leave-them"),
            ("Put the coins into your own bag", "take"),
            ("Put the coins into your own bag.", "take"),
            ("“put the coins into your own bag”", "take"),
            ("take: Put the coins into your own bag", "take"),
            ("take：Put the coins into your own bag", "take"),
            ("take - Put the coins into your own bag", "take"),
            ("take – put the coins into my bag", "take"),
            ("\"take\": \"Put the coins into your own bag\"", "take"),
            ("take (Put the coins into your own bag)", "take"),
            ("1", "take"),
            ("1.", "take"),
            ("#1", "take"),
            ("(1)", "take"),
            ("1)", "take"),
            ("１", "take"),
            ("Option 1", "take"),
            ("option one: take", "take"),
            ("number 3", "give"),
            ("2. leave-them", "leave-them"),
            ("1. Put the coins into your own bag", "take"),
            ("a", "take"),
            ("a)", "take"),
            ("(B)", "leave-them"),
            ("Option C", "give"),
            ("a) take", "take"),
            ("the first option", "take"),
            ("The second one.", "leave-them"),
            ("Option three", "give"),
            ("option II", "leave-them"),
            ("The last option", "give"),
            ("The correct answer is B.", "leave-them"),
            ("give, because they are his", "give"),
            ("选丙", "give"),
            ("第一个", "take"),
            ("第2项", "leave-them"),
            ("I choose take", "take"),
            ("My choice is give.", "give"),
            ("Answer: give", "give"),
            ("coins into your own bag", "take"),
            ("Give the coins to the miller", "give"),
            ("leve-them", "leave-them"),
            ("take\n\nReasoning: nobody looks.", "take"),
            ("选项B", "leave-them"),
            ("give, since he counts them.", "give"),
            (
                "She decides to put the coins into your own bag at last.",
                "take",
            ),
        ] {
            let found = meant(CHOICE, &names, given);
            assert_eq!(found, [wanted], "{given}");
        }
    }

    #[test]
    fn what_is_no_option_or_fits_several_is_none() {
        let names = ["take", "leave-them", "give"];
        for given in [
            "",
            "…",
            "steal",
            "not take",
            "don't take",
            "take or give",
            "0",
            "4",
            "-1",
            "1.5",
            "d",
            "zz",
            "coins",
            "the coins",
            "take: Give the coins to the miller and say where they were",
            "1. give",
            "2 (take)",
            "make",
            "I take the coins and run",
            "maybe",
            "none",
            "the miller",
            "mistake",
            "leave",
            "either",
            "true",
            "anything but take",
            "take: Put the coins into your own bag\ngive: Give the coins to the miller and say where they were",
            "take, or maybe give",
            "She will not put the coins into your own bag",
            "I would rather not give anything",
        ] {
            let found = meant(CHOICE, &names, given);
            assert!(found.len() != 1 || given == "leave", "{given}: {found:?}");
        }
        assert_eq!(meant(CHOICE, &names, "take or give"), ["take", "give"]);
        assert_eq!(meant(CHOICE, &names, "1. give"), ["take", "give"]);
        // What is not listed has no numbers.
        for given in ["1", "a", "first"] {
            assert!(meant("", &names, given).is_empty(), "{given}");
        }
    }

    #[test]
    fn what_somebody_says_that_it_does_is_meant() {
        let places = ["the chapel", "the lamp room", "the boathouse"];
        for (given, wanted) in [
            ("I'll go to the chapel and wait there.", "the chapel"),
            (
                "I'd go to the boathouse, because the lamp room is watched.",
                "the boathouse",
            ),
            (
                "Rather than hide in the lamp room, I go to the chapel.",
                "the chapel",
            ),
            ("The lamp roon", "the lamp room"),
        ] {
            assert_eq!(meant("", &places, given), [wanted], "{given}");
        }
        for given in [
            "I'll go to the chapel or the boathouse.",
            "I won't go to the chapel and wait there.",
            "I'd go to the chapel if nobody saw me.",
            "Nobody goes to the chapel and waits there.",
        ] {
            assert_ne!(meant("", &places, given).len(), 1, "{given}");
        }
        let people = ["沈秋雨", "周铁探长", "佟九指"];
        for (given, wanted) in [
            ("周探长", "周铁探长"),
            ("九指叔", "佟九指"),
            ("沈姑娘", "沈秋雨"),
        ] {
            assert_eq!(meant("", &people, given), [wanted], "{given}");
        }
    }

    #[test]
    fn people_and_things_are_found_by_a_part_of_their_name() {
        let people = [
            "Brant Hollis", "Sister Temperance", "Odile Marsh", "Jory Teasel",
        ];
        for (given, wanted) in [
            ("brant", "Brant Hollis"),
            ("Sister", "Sister Temperance"),
            ("Temperance", "Sister Temperance"),
            ("Hollis", "Brant Hollis"),
            ("Mr Hollis", "Brant Hollis"),
            ("Mr. Hollis", "Brant Hollis"),
            ("Miss Marsh", "Odile Marsh"),
            ("Odile Mars", "Odile Marsh"),
            ("Odlie Marsh", "Odile Marsh"),
            ("Brant Hollis (in front of me)", "Brant Hollis"),
            ("@Jory", "Jory Teasel"),
            ("Jory Teasel, please", "Jory Teasel"),
            ("to Jory", "Jory Teasel"),
            ("Marsh, Odile", "Odile Marsh"),
        ] {
            let found = meant("", &people, given);
            let is_beyond = given.contains("please") || given.contains(", O");
            assert!(
                found == [wanted] || is_beyond && found.is_empty(),
                "{given}: {found:?}"
            );
        }
        for given in [
            "Edda",
            "Brant Marsh",
            "Brant and Odile",
            "Brant Hollis or Odile Marsh",
            "sister Marsh",
            "Bran",
            "Mr",
            "ten",
            "o",
            "everyone",
            "Hollis's coat",
        ] {
            let found = meant("", &people, given);
            assert_ne!(found.len(), 1, "{given}: {found:?}");
        }
        assert_eq!(
            meant("", &["Brant Hollis", "Edda Hollis"], "Hollis"),
            ["Brant Hollis", "Edda Hollis"]
        );
        assert_eq!(
            meant("", &["Brant Hollis", "Edda Hollis"], "Mr Hollis"),
            ["Brant Hollis", "Edda Hollis"]
        );
        let things = ["the clapper", "the child's shoe", "Pitch Jaws", "Boathook"];
        for (given, wanted) in [
            ("clapper", "the clapper"),
            ("bell clapper", "the clapper"),
            ("The Clapper.", "the clapper"),
            ("shoe ", "the child's shoe"),
            ("Child’s Shoe", "the child's shoe"),
            ("Pitch Jaw", "Pitch Jaws"),
            ("Boathook (1 energy)", "Boathook"),
            ("boat-hook", "Boathook"),
        ] {
            assert_eq!(meant("", &things, given), [wanted], "{given}");
        }
        for given in [
            "clap", "bell", "shoes and clapper", "not the clapper", "the", "jar",
        ] {
            assert_ne!(meant("", &things, given).len(), 1, "{given}");
        }
        let chinese = ["沈秋水", "柳三娘", "铜钥匙"];
        for (given, wanted) in [
            ("沈秋水", "沈秋水"),
            ("秋水", "沈秋水"),
            ("三娘", "柳三娘"),
            ("「柳三娘」", "柳三娘"),
            ("柳三娘姑娘", "柳三娘"),
            ("我选沈秋水", "沈秋水"),
            ("那把铜钥匙", "铜钥匙"),
            ("三娘姐", "柳三娘"),
            ("沈掌柜", "沈秋水"),
        ] {
            assert_eq!(meant("", &chinese, given), [wanted], "{given}");
        }
        for given in ["沈", "沈秋山", "不是沈秋水", "沈秋水或柳三娘", "水"] {
            assert_ne!(meant("", &chinese, given).len(), 1, "{given}");
        }
    }

    #[test]
    fn labels_may_be_names_or_deeds() {
        let names =
            "- \"edith\": Dr Edith Halloran\n- \"coil\": Coil of rope\n- \"wang\": 王掌柜\n";
        for (given, wanted) in [
            ("Dr. Halloran", "edith"),
            ("rope", "coil"),
            ("掌柜", "wang"),
            ("\\boxed{B}", "coil"),
            ("coil<|eot_id|>", "coil"),
        ] {
            assert_eq!(
                meant(names, &["edith", "coil", "wang"], given),
                [wanted],
                "{given}"
            );
        }
        let rooms = "- \"left\": Room 2\n- \"right\": Room 1\n";
        assert_eq!(meant(rooms, &["left", "right"], "2"), ["right", "left"]);
        let deeds = "- \"turn\": Turn the bridge\n- \"wait\": Wait for the ferry at the landing\n";
        assert_eq!(
            meant(deeds, &["turn", "wait"], "Wait for the fery at the landing"),
            ["wait"]
        );
        for given in ["Burn the bridge", "Wait for the fairy at the landing"] {
            assert!(meant(deeds, &["turn", "wait"], given).is_empty(), "{given}");
        }
    }

    #[test]
    fn a_label_may_lack_words_that_deny_nothing() {
        let deeds = "- \"terms\": Promise that it may come back, and nothing said\n\
            - \"bags\": Have bags and pockets turned out\n- \"mum\": Do not tell her of the fire\n";
        for (given, wanted) in [
            ("Promise it may come back and nothing said", Some("terms")),
            ("Have bags and pockets out", Some("bags")),
            ("promise it may come back", Some("terms")),
            ("tell her of the fire", None),
        ] {
            let found = meant(deeds, &["terms", "bags", "mum"], given);
            assert_eq!(found, Vec::from_iter(wanted), "{given}");
        }
    }

    #[test]
    fn whoever_is_asked_and_all_who_are_there_have_words() {
        let question =
            "- Writ Eel (you): 3/3 hit points\n- Bailiff Lusk: 9/9 hit points\n- Jory: 1/1";
        let names = ["Writ Eel", "Bailiff Lusk"];
        assert_eq!(meant(question, &names, "me"), ["Writ Eel"]);
        assert_eq!(meant(question, &names, "myself"), ["Writ Eel"]);
        assert!(meant(question, &["Bailiff Lusk"], "me").is_empty());
        let offers = Offers::of_names(["Writ Eel", "Bailiff Lusk"]);
        for all in [
            "everyone",
            "Everybody here.",
            "all",
            "大家",
            "Writ Eel, Bailiff Lusk",
            "Bailiff Lusk and Writ Eel",
        ] {
            assert!(offers.are_several_meant(all), "{all}");
        }
        for one in ["Writ Eel", "nobody", "all but Lusk", ""] {
            assert!(!offers.are_several_meant(one), "{one}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_matched(given in "\\PC{0,40}", names in prop::collection::vec("\\PC{0,12}", 0..5)) {
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            let offers = Offers::of_names(names.iter().copied());
            for meant in [offers.meant(&given), offers.meant_alone(&given)] {
                if let Meant::One(index) = meant {
                    prop_assert!(index < names.len());
                }
            }
        }

        #[test]
        fn each_name_means_itself(names in prop::collection::btree_set("[a-z]{1,6}( [a-z]{1,6})?", 1..6)) {
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            let offers = Offers::of_names(names.iter().copied());
            for (index, name) in names.iter().enumerate() {
                prop_assert_eq!(offers.meant(name), Meant::One(index));
            }
        }
    }
}
