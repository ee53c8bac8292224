//! Conversations of two friends over months, with facts planted in small talk, and questions whose
//! answers are known.

use std::collections::BTreeSet;

use playhouse::mind::SplitMix64;

/// A message of a conversation.
pub(crate) struct Line {
    pub(crate) id: String,
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
    Paraphrased,
    /// The time of one message.
    When,
    /// Several messages of different sessions.
    Several,
    /// An answer whose subject only the question before it names.
    Answer,
    /// What was told in a month that the question names.
    Dated,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] = [
        Self::Plain,
        Self::Paraphrased,
        Self::When,
        Self::Several,
        Self::Answer,
        Self::Dated,
    ];
}

/// A question, with the ids of the messages that answer it.
pub(crate) struct Question {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) evidence: Vec<String>,
}

/// A conversation's messages and its questions.
#[derive(Default)]
pub(crate) struct Talk {
    pub(crate) lines: Vec<Line>,
    pub(crate) questions: Vec<Question>,
}

/// What can be told of a subject. `{x}` stands for the thing, `{p}` for the person.
pub(crate) struct Topic {
    pub(crate) things: &'static [&'static str],
    /// Statements that name the subject.
    pub(crate) says: &'static [&'static str],
    /// A question of the other, and answers that don't name the subject.
    pub(crate) cue: &'static str,
    pub(crate) answers: &'static [&'static str],
    pub(crate) plain: &'static str,
    pub(crate) paraphrased: &'static str,
    pub(crate) when: &'static str,
    pub(crate) several: &'static str,
    pub(crate) answered: &'static str,
    pub(crate) dated: &'static str,
}

/// The words of a language.
pub(crate) struct Tongue {
    pub(crate) name: &'static str,
    pub(crate) pairs: &'static [[&'static str; 2]],
    pub(crate) topics: &'static [Topic],
    /// Times that statements begin or end with; `{s}` stands for the statement.
    pub(crate) told: &'static [&'static str],
    pub(crate) small: &'static [&'static str],
    pub(crate) reactions: &'static [&'static str],
    pub(crate) greetings: &'static [&'static str],
    pub(crate) fillers: &'static [&'static str],
    pub(crate) months: [&'static str; 12],
    /// A date, with `{d}`, `{m}` and `{y}`.
    pub(crate) date: &'static str,
    pub(crate) month: &'static str,
}

/// A fact that was told.
struct Told {
    topic: usize,
    thing: &'static str,
    person: usize,
    id: String,
    is_answer: bool,
    month: (usize, usize),
}

/// Conversations of a language, with about 150 questions each.
pub(crate) fn talks(tongue: &Tongue, seed: u64, count: usize) -> Vec<Talk> {
    let mut random = SplitMix64::new(seed);
    (0..count)
        .map(|number| talk(tongue, &mut random, number))
        .collect()
}

fn talk(tongue: &Tongue, random: &mut SplitMix64, number: usize) -> Talk {
    let name = format!("{}-{number}", tongue.name);
    let people = tongue.pairs[number % tongue.pairs.len()];
    let mut talk = Talk::default();
    let mut told: Vec<Told> = Vec::new();
    let (mut year, mut month, mut day) = (
        2022 + random.below(2),
        random.below(12),
        1 + random.below(28),
    );
    for session in 1..=20 + random.below(10) {
        day += 3 + random.below(16);
        if day > 28 {
            (day, month) = (day - 28, month + 1);
        }
        if month == 12 {
            (month, year) = (0, year + 1);
        }
        let hour = 1 + random.below(11);
        let date = tongue.date.replace("{d}", &day.to_string());
        let date = date
            .replace("{m}", tongue.months[month])
            .replace("{y}", &year.to_string());
        let time = format!("{hour}:{:02} pm on {date}", random.below(60));
        let mut speaker = random.below(2);
        let mut turn = 0;
        let mut say = |talk: &mut Talk, speaker: usize, text: String| {
            turn += 1;
            let id = format!("{name}:D{session}:{turn}");
            talk.lines.push(Line {
                id: id.clone(),
                speaker: people[speaker],
                text,
                time: time.clone(),
                session: format!("{name}:session_{session}"),
            });
            id
        };
        for _ in 0..2 {
            let text = random
                .pick(tongue.greetings)
                .unwrap()
                .replace("{o}", people[1 - speaker]);
            let small = small(tongue, random);
            say(&mut talk, speaker, format!("{text} {small}"));
            speaker = 1 - speaker;
        }
        for _ in 0..2 + random.below(3) {
            let number = random.below(tongue.topics.len());
            let topic = &tongue.topics[number];
            let thing = *random.pick(topic.things).unwrap();
            let is_answer = random.happens(35);
            let mut text = if is_answer {
                say(&mut talk, 1 - speaker, topic.cue.to_owned());
                random.pick(topic.answers).unwrap().replace("{x}", thing)
            } else {
                let says = random.pick(topic.says).unwrap().replace("{x}", thing);
                random.pick(tongue.told).unwrap().replace("{s}", &says)
            };
            if random.happens(60) {
                text = format!("{text} {}", small(tongue, random));
            }
            let id = say(&mut talk, speaker, text);
            told.push(Told {
                topic: number,
                thing,
                person: speaker,
                id,
                is_answer,
                month: (year, month),
            });
            let reaction = random.pick(tongue.reactions).unwrap();
            let reaction = reaction
                .replace("{x}", thing)
                .replace("{o}", people[speaker]);
            say(&mut talk, 1 - speaker, reaction);
            for _ in 0..1 + random.below(6) {
                say(&mut talk, speaker, small(tongue, random));
                speaker = 1 - speaker;
            }
            speaker = random.below(2);
        }
    }
    ask(tongue, &mut talk, &told, people);
    talk
}

/// A few sentences about nothing.
fn small(tongue: &Tongue, random: &mut SplitMix64) -> String {
    let sentences = (0..1 + random.below(3)).map(|_| {
        let text = random.pick(tongue.small).unwrap();
        text.replace("{f}", random.pick(tongue.fillers).unwrap())
    });
    let sentences: Vec<_> = sentences.collect();
    sentences.join(if tongue.name == "zh" { "" } else { " " })
}

fn ask(tongue: &Tongue, talk: &mut Talk, told: &[Told], people: [&str; 2]) {
    let mut add = |kind, pattern: &str, fact: &Told, evidence: Vec<String>| {
        let text = pattern
            .replace("{p}", people[fact.person])
            .replace("{x}", fact.thing);
        let (year, month) = fact.month;
        let date = tongue.month.replace("{m}", tongue.months[month]);
        let text = text.replace("{t}", &date.replace("{y}", &year.to_string()));
        let is_new = talk.questions.iter().all(|known| known.text != text);
        if is_new && !pattern.is_empty() {
            talk.questions.push(Question {
                kind,
                text,
                evidence,
            });
        }
    };
    for fact in told {
        let topic = &tongue.topics[fact.topic];
        let own = || {
            told.iter()
                .filter(|told| told.topic == fact.topic && told.person == fact.person)
        };
        let same: Vec<_> = own().filter(|told| told.thing == fact.thing).collect();
        let ids = |told: &[&Told]| told.iter().map(|told| told.id.clone()).collect::<Vec<_>>();
        if same.len() == 1 && !fact.is_answer {
            add(Kind::Plain, topic.plain, fact, ids(&same));
            add(Kind::Paraphrased, topic.paraphrased, fact, ids(&same));
            add(Kind::When, topic.when, fact, ids(&same));
        }
        let facts: Vec<_> = own().collect();
        let things: BTreeSet<_> = facts.iter().map(|told| told.thing).collect();
        if (2..=5).contains(&facts.len()) && things.len() > 1 {
            add(Kind::Several, topic.several, fact, ids(&facts));
        }
        if facts.len() <= 2 && fact.is_answer {
            add(Kind::Answer, topic.answered, fact, ids(&facts));
        }
        let of_month: Vec<_> = own().filter(|told| told.month == fact.month).collect();
        if facts.len() > of_month.len() {
            add(Kind::Dated, topic.dated, fact, ids(&of_month));
        }
    }
}
