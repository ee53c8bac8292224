//! Conversations of three friends over two years, with facts planted in small talk, and questions
//! whose answers are known.

use std::collections::BTreeMap;

use playhouse_engine::memory::{Hit, Index, IndexEntry};
use playhouse_engine::mind::SplitMix64;

pub(crate) struct Line {
    pub(crate) speaker: &'static str,
    pub(crate) text: String,
    pub(crate) time: String,
    pub(crate) session: String,
}

/// What a question needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// One message, asked for in its words.
    Plain,
    /// One message, asked for in other words.
    Reworded,
    /// The time of one message.
    When,
    /// A message whose subject only the question before it names.
    Answer,
    /// All that was told of a thing, in several sessions.
    Several,
    /// All that was told of a kind in a month that the question names.
    Dated,
    /// The last of several statements, of which each makes those before untrue.
    Changed,
    /// Nothing: others told of the thing, the one who is asked for did not.
    Nothing,
}

impl Kind {
    /// Those that have an answer.
    pub(crate) const ANSWERED: [Self; 7] = [
        Self::Plain,
        Self::Reworded,
        Self::When,
        Self::Answer,
        Self::Several,
        Self::Dated,
        Self::Changed,
    ];
}

/// A question, with the numbers of the lines that answer it.
pub(crate) struct Question {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) evidence: Vec<usize>,
}

/// A conversation's messages and its questions.
#[derive(Default)]
pub(crate) struct Talk {
    pub(crate) lines: Vec<Line>,
    pub(crate) questions: Vec<Question>,
}

impl Talk {
    pub(crate) fn index(&self) -> Index {
        let mut index = Index::new();
        for line in &self.lines {
            index.add(&IndexEntry {
                speaker: line.speaker,
                text: &line.text,
                time: &line.time,
                session: &line.session,
                about: &[],
            });
        }
        index
    }

    /// Searches for all questions of some kinds, given their numbers, and returns the mean share of
    /// the evidence among what is found by kind, in percent.
    pub(crate) fn shares(
        &self,
        kinds: &[Kind],
        search: impl Fn(usize, &Question) -> Vec<Hit>,
    ) -> Vec<f64> {
        let share = |(number, question): (usize, &Question)| {
            let hits = search(number, question);
            let is_found = |line: &&usize| hits.iter().any(|hit| hit.entry as usize == **line);
            let found = question.evidence.iter().filter(is_found).count();
            100.0 * found as f64 / question.evidence.len() as f64
        };
        let of_kind = |kind: &Kind| {
            let questions = self.questions.iter().enumerate();
            let shares: Vec<_> = questions
                .filter(|(_, asked)| asked.kind == *kind)
                .map(share)
                .collect();
            mean(&shares)
        };
        kinds.iter().map(of_kind).collect()
    }
}

pub(crate) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// What can be told of a thing. `{x}` stands for the thing, `{w}` for a place, `{p}` for a person,
/// `{t}` for a month.
pub(crate) struct Deed {
    pub(crate) says: &'static [&'static str],
    pub(crate) plain: &'static str,
    pub(crate) reworded: &'static str,
    pub(crate) when: &'static str,
    pub(crate) dated: &'static str,
    /// As [`Self::plain`], to the one who did it.
    pub(crate) cue: &'static str,
}

pub(crate) struct Tongue {
    pub(crate) name: &'static str,
    pub(crate) people: [&'static str; 3],
    pub(crate) things: &'static [&'static str],
    pub(crate) places: &'static [&'static str],
    pub(crate) deeds: &'static [Deed],
    /// Where something is kept from now on, and the question for it.
    pub(crate) kept: &'static [&'static str],
    pub(crate) where_kept: &'static str,
    pub(crate) several: &'static str,
    /// Answers that name the place alone.
    pub(crate) answers: &'static [&'static str],
    /// What statements `{s}` begin or end with.
    pub(crate) told: &'static [&'static str],
    pub(crate) small: &'static [&'static str],
    pub(crate) months: [&'static str; 12],
    /// A date, with `{d}`, `{m}` and `{y}`.
    pub(crate) date: &'static str,
    pub(crate) month: &'static str,
}

impl Tongue {
    fn month(&self, (year, month): (usize, usize)) -> String {
        let named = self.month.replace("{m}", self.months[month]);
        named.replace("{y}", &year.to_string())
    }
}

/// A fact that was told: a line, whose it is, the thing, the deed or `None` for where it is kept.
struct Told {
    line: usize,
    person: usize,
    thing: &'static str,
    deed: Option<usize>,
    is_answer: bool,
    month: (usize, usize),
}

/// A conversation that is being written.
struct Writer<'t> {
    tongue: &'t Tongue,
    random: SplitMix64,
    talk: Talk,
    told: Vec<Told>,
    /// Year, month and day of the session, and its number.
    date: (usize, usize, usize),
    session: usize,
}

/// A conversation of about 3,000 lines, with some hundred questions.
pub(crate) fn talk(tongue: &Tongue, seed: u64) -> Talk {
    let mut writer = Writer {
        tongue,
        random: SplitMix64::new(seed),
        talk: Talk::default(),
        told: Vec::new(),
        date: (2022, 0, 1),
        session: 0,
    };
    for session in 0..120 {
        writer.session = session;
        writer.next_date();
        writer.chat();
        for _ in 0..3 {
            writer.tell();
            writer.chat();
        }
    }
    writer.ask();
    writer.talk
}

impl Writer<'_> {
    fn next_date(&mut self) {
        let (year, month, day) = &mut self.date;
        *day += 3 + self.random.below(7);
        if *day > 28 {
            (*day, *month) = (*day - 28, *month + 1);
        }
        if *month == 12 {
            (*month, *year) = (0, *year + 1);
        }
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        *self.random.pick(of).unwrap()
    }

    fn say(&mut self, person: usize, text: String) -> usize {
        let (year, month, day) = self.date;
        let date = self.tongue.date.replace("{d}", &day.to_string());
        let named = date.replace("{m}", self.tongue.months[month]);
        self.talk.lines.push(Line {
            speaker: self.tongue.people[person],
            text,
            time: named.replace("{y}", &year.to_string()),
            session: self.session.to_string(),
        });
        self.talk.lines.len() - 1
    }

    /// Some lines about nothing, which name things too.
    fn chat(&mut self) {
        for _ in 0..4 + self.random.below(5) {
            let person = self.random.below(3);
            let thing = self.pick(self.tongue.things);
            let text = self.pick(self.tongue.small).replace("{x}", thing);
            self.say(person, text);
        }
    }

    /// Somebody tells what was done with a thing, or where it is kept now.
    fn tell(&mut self) {
        let person = self.random.below(3);
        let number = self.random.below(self.tongue.things.len());
        // Nobody tells of every thing.
        if number % 4 == person {
            return;
        }
        let thing = self.tongue.things[number];
        let place = self.pick(self.tongue.places);
        let deed = self.random.below(self.tongue.deeds.len());
        let is_kept = number % 4 == 3 && self.random.happens(60);
        let is_answer = !is_kept && self.random.happens(30);
        let text = if is_answer {
            let cue = self.tongue.deeds[deed].cue.replace("{x}", thing);
            self.say((person + 1) % 3, cue);
            self.pick(self.tongue.answers).to_owned()
        } else {
            let deeds = self.tongue.deeds;
            let says = if is_kept {
                self.tongue.kept
            } else {
                deeds[deed].says
            };
            let says = self.pick(says);
            self.pick(self.tongue.told).replace("{s}", says)
        };
        let line = self.say(person, text.replace("{x}", thing).replace("{w}", place));
        let month = (self.date.0, self.date.1);
        let deed = (!is_kept).then_some(deed);
        self.told.push(Told {
            line,
            person,
            thing,
            deed,
            is_answer,
            month,
        });
    }

    /// Asks for everything that was told, but not for what was told twice as if it had been once.
    fn ask(&mut self) {
        self.ask_for_each();
        for ((person, thing), told) in self.groups(|told| Some(told.thing)) {
            if (2..=6).contains(&told.len()) {
                self.add(
                    Kind::Several,
                    self.tongue.several,
                    (person, thing, ""),
                    told,
                );
            }
        }
        for ((person, (deed, month)), told) in self.groups(|told| Some((told.deed?, told.month))) {
            let month = self.tongue.month(month);
            self.add(
                Kind::Dated,
                self.tongue.deeds[deed].dated,
                (person, "", &month),
                told,
            );
        }
        let kept = self.groups(|told| told.deed.is_none().then_some(told.thing));
        for ((person, thing), told) in kept {
            if let [_, .., last] = told[..] {
                self.add(
                    Kind::Changed,
                    self.tongue.where_kept,
                    (person, thing, ""),
                    vec![last],
                );
            }
        }
        self.ask_for_nothing();
    }

    fn ask_for_each(&mut self) {
        for ((person, (thing, deed)), told) in self.groups(|told| Some((told.thing, told.deed?))) {
            let [line] = told[..] else { continue };
            let deed = &self.tongue.deeds[deed];
            let is_answer = self
                .told
                .iter()
                .any(|told| told.line == line && told.is_answer);
            let questions: &[_] = if is_answer {
                &[(Kind::Answer, deed.plain)]
            } else {
                &[
                    (Kind::Plain, deed.plain),
                    (Kind::Reworded, deed.reworded),
                    (Kind::When, deed.when),
                ]
            };
            for (kind, text) in questions {
                self.add(*kind, text, (person, thing, ""), told.clone());
            }
        }
    }

    fn ask_for_nothing(&mut self) {
        let told = self.groups(|told| Some(told.thing));
        for person in 0..self.tongue.people.len() {
            for &thing in self.tongue.things {
                if !told.contains_key(&(person, thing)) {
                    let deed = self.random.below(self.tongue.deeds.len());
                    let text = self.tongue.deeds[deed].plain;
                    self.add(Kind::Nothing, text, (person, thing, ""), Vec::new());
                }
            }
        }
    }

    /// The lines of what was told, by person and what they have in common.
    fn groups<K: Ord>(&self, key: impl Fn(&Told) -> Option<K>) -> BTreeMap<(usize, K), Vec<usize>> {
        let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for told in &self.told {
            if let Some(key) = key(told) {
                groups
                    .entry((told.person, key))
                    .or_default()
                    .push(told.line);
            }
        }
        groups
    }

    fn add(
        &mut self,
        kind: Kind,
        text: &str,
        (person, thing, month): (usize, &str, &str),
        evidence: Vec<usize>,
    ) {
        let text = text.replace("{p}", self.tongue.people[person]);
        let text = text.replace("{x}", thing).replace("{t}", month);
        self.talk.questions.push(Question {
            kind,
            text,
            evidence,
        });
    }
}
