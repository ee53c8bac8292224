//! A turn prompt by prompt, as a terminal asks for it.
//!
//! Each prompt shows what is said and done so far, and offers what can be added; an empty line
//! confirms it. An action with few ways is offered as those, in whole sentences. The third answer
//! completes the turn: by then everything was shown.

use std::io;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Notes;
use playhouse_engine::mind::human::{
    Chosen, Dialogue, Filled, Question, SeatAnswer, SeatField, SeatForm, SeatOption, WORDS,
};
use playhouse_engine::reading::{Meant, Offers};
use serde_json::{Value, json};

use super::{DONE, MIND, SAID, TELLS, WHICH};
use crate::actions::ActionSpec;

/// More rows are no menu.
const MOST_ROWS: usize = 14;
/// A turn takes no more answers than these, unless one goes back.
const MOST_ANSWERS: usize = 3;
/// What is done alone, and at once.
const WAIT: &str = "wait";

/// What can be added to a turn.
#[derive(Clone, Copy)]
struct Offer<'f> {
    field: &'static str,
    act: &'f SeatOption,
    /// The way in which it is done, if it is offered as that.
    way: Option<&'f SeatOption>,
}

impl<'f> Offer<'f> {
    /// All ways of it, if a way is all that it needs.
    fn ways(&self) -> &'f [SeatOption] {
        match self.act.fields.as_slice() {
            [which] if which.name == WHICH => &which.question.options,
            _ => &[],
        }
    }

    fn label(&self) -> UiText {
        match self.field {
            TELLS => text!(rpg_seat_tell_what, fact = &self.act.label),
            _ => self.way.unwrap_or(self.act).label.clone(),
        }
    }
}

/// A turn as it is put together.
pub(super) struct Walk<'n, 'f, 'd, 'c> {
    notes: Notes<'n>,
    form: &'f SeatForm,
    dialogue: &'d mut Dialogue<'c>,
    filled: Filled,
    /// What was filled in before each addition.
    before: Vec<Filled>,
    /// How many answers the dialogue had when it was last gone back.
    begun: usize,
}

impl<'n, 'f, 'd, 'c> Walk<'n, 'f, 'd, 'c> {
    pub(super) fn new(
        notes: Notes<'n>,
        form: &'f SeatForm,
        dialogue: &'d mut Dialogue<'c>,
    ) -> Self {
        Self {
            notes,
            form,
            begun: dialogue.answers(),
            dialogue,
            filled: Filled::default(),
            before: Vec::new(),
        }
    }

    /// Asks until the turn is confirmed.
    pub(super) fn ask(mut self) -> io::Result<Filled> {
        loop {
            let offers = self.offers();
            self.show()?;
            let question = self.question(&offers);
            let additions = self.before.len();
            match self.dialogue.ask(&question)? {
                SeatAnswer::Skipped => return Ok(self.filled),
                SeatAnswer::Back => self.filled = self.before.pop().unwrap_or_default(),
                SeatAnswer::Words(words) => match question.numbered(&words) {
                    Some((index, words)) => {
                        self.dialogue.ahead = Some(words.to_owned());
                        if let Some(offer) = offers.get(index) {
                            self.take(*offer)?;
                        }
                        // It needed no words: they are said beside it.
                        if let Some(words) = self.dialogue.ahead.take() {
                            self.take_words(&words);
                        }
                    }
                    None => self.take_words(&words),
                },
                SeatAnswer::Option(index) => {
                    let Some(offer) = offers.get(index) else {
                        continue;
                    };
                    self.take(*offer)?;
                    if offer.act.value == WAIT {
                        return Ok(self.filled);
                    }
                }
            }
            if self.before.len() <= additions {
                self.begun = self.dialogue.answers();
            } else if self.answers() >= MOST_ANSWERS {
                return Ok(self.filled);
            }
        }
    }

    fn answers(&self) -> usize {
        self.dialogue.answers() - self.begun
    }

    /// What can be chosen in a field of the form.
    fn options(&self, field: &str) -> &'f [SeatOption] {
        let mut fields = self.form.fields.iter();
        let field = fields.find(|own| own.name == field);
        field.map_or(&[], |field| &field.question.options)
    }

    fn is_open(&self, field: &str) -> bool {
        !self.filled.has(field) && (field != TELLS || self.filled.has(SAID))
    }

    fn is_empty(&self) -> bool {
        self.before.is_empty()
    }

    fn offers(&self) -> Vec<Offer<'f>> {
        let acts = [SAID, DONE, TELLS].into_iter().flat_map(|field| {
            let options = if self.is_open(field) {
                self.options(field)
            } else {
                &[]
            };
            options.iter().map(move |act| Offer {
                field,
                act,
                way: None,
            })
        });
        // To wait is to do nothing else; and what takes two answers is no last one.
        let is_last = self.answers() + 1 >= MOST_ANSWERS;
        let acts: Vec<_> = acts
            .filter(|offer| self.is_empty() || offer.act.value != WAIT)
            .filter(|offer| !is_last || offer.act.fields.iter().all(|own| own.name == WHICH))
            .collect();
        let mut room = match is_last {
            true => usize::MAX,
            false => MOST_ROWS.saturating_sub(acts.len()),
        };
        let mut offers = Vec::new();
        for offer in acts {
            let ways = offer.ways();
            let more = ways.len().saturating_sub(1);
            if offer.field != DONE || ways.is_empty() || more > room {
                offers.push(offer);
                continue;
            }
            room -= more;
            offers.extend(ways.iter().map(|way| Offer {
                way: Some(way),
                ..offer
            }));
        }
        offers
    }

    fn question(&self, offers: &[Offer<'_>]) -> Question {
        let options = offers.iter().map(Offer::label).collect();
        let is_said = self.is_heard() && !self.filled.has(SAID);
        let hint = match is_said {
            true => text!(rpg_seat_said_aloud),
            false => text!(rpg_seat_only_thought),
        };
        let typed = match is_said {
            true => self.dialogue.typed("text"),
            false if self.filled.has(MIND) => String::new(),
            false => self.dialogue.typed(MIND),
        };
        if !self.is_empty() {
            let question = Question::options(text!(rpg_seat_and_then), options).typed(typed);
            let question = question.or(text!(rpg_seat_no_more)).with_back();
            return question.or_words().with_hint(hint);
        }
        let question = Question::options(self.form.label.clone(), options);
        match is_said {
            true => question.or_words().with_hint(hint).typed(typed),
            false => question,
        }
    }

    fn is_heard(&self) -> bool {
        self.notes.list("present").len() > 0
    }

    /// Shows what is said and done so far.
    fn show(&mut self) -> io::Result<()> {
        let mut parts = Vec::new();
        for field in [SAID, DONE] {
            let chosen = self.filled.chosen(field).first();
            parts.extend(chosen.and_then(|chosen| self.told(field, chosen)));
        }
        let told = self.filled.value(TELLS);
        let told = self.options(TELLS).iter().find(|fact| fact.value == told);
        parts.extend(told.map(|fact| text!(rpg_seat_you_tell, fact = &fact.label)));
        let thought = self.filled.words(MIND);
        parts.extend(thought.map(|words| text!(rpg_seat_you_think, words)));
        parts
            .into_iter()
            .try_for_each(|part| self.dialogue.show(part))
    }

    /// What is chosen, in a sentence.
    fn told(&self, field: &str, chosen: &Chosen) -> Option<UiText> {
        let act = self
            .options(field)
            .iter()
            .find(|act| act.value == chosen.value)?;
        let way = chosen.filled.value(WHICH);
        let ways = act.fields.iter().filter(|own| own.name == WHICH);
        let way = ways
            .flat_map(|own| &own.question.options)
            .find(|own| own.value == way);
        let summary = way
            .and_then(|way| way.summary.as_ref())
            .or(act.summary.as_ref())?;
        let (_, words) = chosen.filled.all_words().next().unwrap_or_default();
        let summary = summary.in_language(self.dialogue.language());
        Some(UiText::verbatim(summary.replace(WORDS, words)))
    }

    /// Says words to the one whom they name, or to everybody here; else they are a thought.
    fn take_words(&mut self, words: &str) {
        if !self.is_heard() || self.filled.has(SAID) {
            return self.fill(|filled| filled.with_words(MIND, words));
        }
        let present = self.notes.names("present");
        let named = Offers::of_people(present.iter().copied()).mentioned(words);
        let target = match (named.as_slice(), present.as_slice()) {
            ([one], _) => present.get(*one).copied(),
            (_, [only]) => Some(*only),
            _ => None,
        };
        let to = json!({"target": target.unwrap_or_default()});
        let way = SeatOption::new(UiText::default(), to);
        let said = Filled::default().with_option(WHICH, &way, Filled::default());
        let speak = SeatOption::new(UiText::default(), "speak");
        self.fill(|filled| filled.with_option(SAID, &speak, said.with_words("text", words)));
    }

    /// Adds what was chosen, with everything that it needs.
    fn take(&mut self, offer: Offer<'f>) -> io::Result<()> {
        let Offer { field, act, way } = offer;
        let (mut own, fields) = match way.or(only_way(act)) {
            Some(way) => {
                let own = Filled::default().with_option(WHICH, way, Filled::default());
                let rest = act.fields.iter().filter(|field| field.name != WHICH);
                let rest: Vec<_> = rest.cloned().collect();
                if !rest.is_empty() {
                    self.tell_way(way)?;
                }
                (own, rest)
            }
            None => {
                let Some(fields) = self.narrowed(act)? else {
                    return Ok(());
                };
                if let [which, words] = fields.as_slice() {
                    let own = self.way_with_words(which, words)?;
                    own.into_iter()
                        .for_each(|own| self.fill(|filled| filled.with_option(field, act, own)));
                    return Ok(());
                }
                (Filled::default(), fields)
            }
        };
        if let Some(rest) = self.dialogue.fields(&fields, true)? {
            own.extend(rest);
            self.fill(|filled| filled.with_option(field, act, own));
        }
        Ok(())
    }

    /// Shows the way in which it is done, before its words are asked for.
    fn tell_way(&mut self, way: &SeatOption) -> io::Result<()> {
        let language = self.dialogue.language();
        let summary = way.summary.as_ref().unwrap_or(&way.label);
        let summary = summary.in_language(language).replace(WORDS, "…");
        self.dialogue.show(UiText::verbatim(summary))
    }

    /// Asks for the way of an act and, at once or then, for its words; `None` if the person goes
    /// back.
    fn way_with_words(
        &mut self,
        which: &SeatField,
        words: &SeatField,
    ) -> io::Result<Option<Filled>> {
        let ways = &which.question.options;
        let question = which.question.clone().with_back().or_words();
        let question = question.with_hint(text!(rpg_seat_with_words));
        loop {
            let (way, said) = match self.dialogue.ask(&question)? {
                SeatAnswer::Option(index) => (ways.get(index), String::new()),
                SeatAnswer::Words(line) => match question.numbered(&line) {
                    Some((index, words)) => (ways.get(index), words.to_owned()),
                    None => way_and_words(ways, &line),
                },
                SeatAnswer::Back | SeatAnswer::Skipped => return Ok(None),
            };
            let Some(way) = way else {
                self.dialogue.show(text!(rpg_seat_with_words))?;
                continue;
            };
            let mut own = Filled::default().with_option(WHICH, way, Filled::default());
            if !said.is_empty() {
                return Ok(Some(own.with_words(words.name, said)));
            }
            self.tell_way(way)?;
            if let Some(said) = self.dialogue.fields(std::slice::from_ref(words), true)? {
                own.extend(said);
                return Ok(Some(own));
            }
        }
    }

    /// The fields of an act. If it has very many ways, what comes first in them is chosen first.
    fn narrowed(&mut self, act: &SeatOption) -> io::Result<Option<Vec<SeatField>>> {
        let mut fields = act.fields.clone();
        let name = act.value.as_str().unwrap_or_default();
        let first = ActionSpec::all().find(|action| action.name == name);
        let first = first.and_then(|action| action.members.first());
        let which = fields.first_mut().filter(|field| field.name == WHICH);
        let (Some(first), Some(which)) = (first, which) else {
            return Ok(Some(fields));
        };
        let ways = &mut which.question.options;
        if ways.len() <= MOST_ROWS {
            return Ok(Some(fields));
        }
        let mut values: Vec<_> = ways
            .iter()
            .filter_map(|way| way.value.get(first.name)?.as_str())
            .map(str::to_owned)
            .collect();
        values.dedup();
        let options = values.iter().map(UiText::verbatim).collect();
        let question = Question::options(act.label.clone(), options);
        let SeatAnswer::Option(index) = self.dialogue.ask(&question.with_back())? else {
            return Ok(None);
        };
        let chosen = values.get(index).map(String::as_str);
        ways.retain(|way| way.value.get(first.name).and_then(Value::as_str) == chosen);
        Ok(Some(fields))
    }

    fn fill(&mut self, add: impl FnOnce(Filled) -> Filled) {
        self.before.push(self.filled.clone());
        self.filled = add(std::mem::take(&mut self.filled));
    }
}

/// The way whose name a line begins with or holds, and the words that go with it.
fn way_and_words<'w>(ways: &'w [SeatOption], line: &str) -> (Option<&'w SeatOption>, String) {
    let named = ways.iter().filter_map(|way| {
        let mut names = way.value.as_object()?.values().filter_map(Value::as_str);
        Some((way, names.find(|name| !name.is_empty())?))
    });
    let (ways, names): (Vec<_>, Vec<_>) = named.unzip();
    let people = Offers::of_people(names.iter().copied());
    let (head, rest) = line.split_once([':', '：']).unwrap_or_default();
    if let Meant::One(one) = people.meant_alone(head) {
        return (ways.get(one).copied(), rest.trim_start().to_owned());
    }
    let begun = ways.iter().zip(names);
    let begun = begun.filter_map(|(way, name)| Some((*way, line.strip_prefix(name)?)));
    if let Some((way, words)) = begun.min_by_key(|(_, words)| words.len()) {
        let is_between = |letter: char| letter.is_whitespace() || ",，、.。)）".contains(letter);
        return (Some(way), words.trim_start_matches(is_between).to_owned());
    }
    match people.mentioned(line).as_slice() {
        [one] => (ways.get(*one).copied(), line.to_owned()),
        _ => (None, String::new()),
    }
}

/// The only way of an act, which need not be asked for.
fn only_way(act: &SeatOption) -> Option<&SeatOption> {
    let which = act.fields.first().filter(|field| field.name == WHICH)?;
    match which.question.options.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}
