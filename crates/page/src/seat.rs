//! A person who plays in the browser: the questions of its seat, and its answers.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use playhouse_engine::locale::{Language, UiText};
use playhouse_engine::mind::human::{Console, HumanMind, Question, SeatLessons};
use playhouse_engine::mind::{Answering, Mind, MindInfo, Prompt};
use serde_json::{Value, json};
use tokio::sync::watch;

/// A question to the person at a seat.
#[derive(Clone, Debug)]
struct OpenQuestion {
    number: u32,
    /// What was shown since the last answer.
    shown: Vec<UiText>,
    asked: Question,
}

#[derive(Default)]
struct Open {
    question: Option<OpenQuestion>,
    /// The receiver of the line that answers it.
    reply: Option<Sender<Option<String>>>,
    last: u32,
}

/// Who plays the character of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Player {
    /// The person who has the seat.
    Person,
    /// The improviser, while that person is away.
    Improviser,
    /// The character's own mind: the seat is free.
    Mind,
}

/// A seat in the browser.
pub struct Seat {
    open: Mutex<Open>,
    player: watch::Sender<Player>,
    news: watch::Sender<u64>,
    /// How long a question waits before the improviser takes over; forever if `None`.
    max_away: Option<Duration>,
}

impl Seat {
    /// A seat that a person has, or may have later. Its person may leave a question open this
    /// long; after it the improviser plays until the seat is taken again. `None` waits for ever.
    pub fn new(max_away: Option<Duration>, is_taken: bool) -> Self {
        Self {
            open: Mutex::default(),
            player: watch::Sender::new(if is_taken {
                Player::Person
            } else {
                Player::Mind
            }),
            news: watch::Sender::new(0),
            max_away,
        }
    }

    /// The mind of the person at this seat. While nobody has it, `own` answers, and the improviser
    /// while its person is away for too long. Words that are typed in place of an option are read
    /// in this language.
    pub fn mind(
        self: &Arc<Self>,
        own: Arc<dyn Mind>,
        improviser: Arc<dyn Mind>,
        language: Language,
        teach: impl FnOnce(&mut SeatLessons),
    ) -> Arc<dyn Mind> {
        let console = SeatConsole {
            seat: self.clone(),
            shown: Vec::new(),
        };
        Arc::new(SeatMind {
            person: HumanMind::taught(console, language, teach),
            own,
            improviser,
            seat: self.clone(),
        })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    fn announce(&self) {
        self.news.send_modify(|news| *news += 1);
    }

    /// What the seat is asked now, if it is, in the language of the reader.
    pub(super) fn question(&self, language: Language) -> Value {
        let open = self.open();
        let Some(question) = &open.question else {
            return Value::Null;
        };
        let asked = &question.asked;
        let options = asked.options.iter().map(|option| {
            let label = option.label.in_language(language);
            json!({"value": option.number.to_string(), "label": label})
        });
        let text = question.shown.iter();
        let text = text.map(|text| text.in_language(language).trim().to_owned());
        let text: Vec<_> = text.filter(|text| !text.is_empty()).collect();
        json!({
            "number": question.number, "question": text.join("\n\n"),
            "label": asked.label.in_language(language),
            "free": asked.options.is_empty() || asked.takes_words,
            "options": options.collect::<Vec<_>>(),
            "skip": asked.skip.as_ref().map(|skip| skip.in_language(language)),
            "back": asked.has_back,
        })
    }

    /// Whether a person plays.
    pub fn is_taken(&self) -> bool {
        self.player() == Player::Person
    }

    /// Who plays, as pages call it.
    pub(super) fn played_by(&self) -> &'static str {
        match self.player() {
            Player::Person => "seat",
            Player::Improviser => "improviser",
            Player::Mind => "mind",
        }
    }

    fn player(&self) -> Player {
        *self.player.borrow()
    }

    /// Gives the seat to a person, or back to its mind.
    pub(super) fn take(&self, is_taken: bool) {
        self.give(if is_taken {
            Player::Person
        } else {
            Player::Mind
        });
    }

    fn give(&self, player: Player) {
        self.player.send_replace(player);
        if player != Player::Person {
            self.answer(None, None);
        }
        self.announce();
    }

    /// Answers a question with a line; returns whether it was open. Without a line nobody answers.
    pub(super) fn answer(&self, number: Option<u32>, line: Option<String>) -> bool {
        let mut open = self.open();
        let asked = open.question.as_ref().map(|question| question.number);
        if asked.is_none() || number.is_some_and(|number| asked != Some(number)) {
            return false;
        }
        open.question = None;
        let reply = open.reply.take();
        drop(open);
        self.announce();
        reply.is_some_and(|reply| reply.send(line).is_ok())
    }

    /// Ends an open question, since nobody will take the answer.
    pub fn close(&self) {
        self.answer(None, None);
    }

    fn ask(&self, shown: Vec<UiText>, asked: Question) -> Receiver<Option<String>> {
        let (reply, answer) = channel();
        let mut open = self.open();
        open.last += 1;
        open.question = Some(OpenQuestion {
            number: open.last,
            shown,
            asked,
        });
        open.reply = Some(reply);
        drop(open);
        self.announce();
        answer
    }
}

/// The browser as the screen and keyboard of a seat.
struct SeatConsole {
    seat: Arc<Seat>,
    /// What was shown since the last answer.
    shown: Vec<UiText>,
}

impl Console for SeatConsole {
    fn show(&mut self, text: &UiText, _: Language) -> io::Result<()> {
        self.shown.push(text.clone());
        Ok(())
    }

    fn turn(&mut self, _entity: &str, _: Language) -> io::Result<()> {
        // The page says whose seat it is.
        Ok(())
    }

    fn ask(&mut self, question: &Question, _: Language) -> io::Result<Option<String>> {
        let shown = std::mem::take(&mut self.shown);
        let answer = self.seat.ask(shown, question.clone());
        // The seat was closed, or another question took its place.
        Ok(answer.recv().unwrap_or_default())
    }

    fn read(&mut self, prompt: &str) -> io::Result<Option<String>> {
        self.ask(
            &Question::words(UiText::verbatim(prompt)),
            Language::default(),
        )
    }
}

/// A person at a seat, or the mind that plays instead.
struct SeatMind {
    person: HumanMind,
    own: Arc<dyn Mind>,
    improviser: Arc<dyn Mind>,
    seat: Arc<Seat>,
}

impl SeatMind {
    /// Who answers in place of the person; `None` if the person plays.
    fn substitute(&self) -> Option<&Arc<dyn Mind>> {
        match self.seat.player() {
            Player::Person => None,
            Player::Improviser => Some(&self.improviser),
            Player::Mind => Some(&self.own),
        }
    }
}

impl Mind for SeatMind {
    fn info(&self) -> &MindInfo {
        match self.substitute() {
            Some(mind) => mind.info(),
            None => self.person.info(),
        }
    }

    fn request(&self, prompt: &Prompt<'_>) -> Option<Bytes> {
        self.substitute()?.request(prompt)
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        if let Some(mind) = self.substitute() {
            return mind.answer(prompt);
        }
        let person = self.person.answer(prompt);
        let improviser = self.improviser.answer(prompt);
        let own = self.own.answer(prompt);
        let seat = self.seat.clone();
        Box::pin(async move {
            let left = Box::pin(left(seat));
            let player = match select(person, left).await {
                Either::Left((answer, left)) => match answer {
                    // A person who left has ended the input.
                    Err(error) => match left.now_or_never() {
                        Some(player) => player,
                        None => return Err(error),
                    },
                    answer => return answer,
                },
                Either::Right((player, _)) => player,
            };
            match player {
                Player::Improviser => improviser.await,
                Player::Person | Player::Mind => own.await,
            }
        })
    }
}

/// Waits until the person leaves the seat, or was away for too long; who plays then.
async fn left(seat: Arc<Seat>) -> Player {
    let mut player = seat.player.subscribe();
    let leaves = player.wait_for(|player| *player != Player::Person);
    let Some(max_away) = seat.max_away else {
        // The sender is in the seat.
        return leaves.await.map_or(Player::Mind, |player| *player);
    };
    match tokio::time::timeout(max_away, leaves).await {
        Ok(left) => left.map_or(Player::Mind, |player| *player),
        Err(_) => {
            seat.give(Player::Improviser);
            Player::Improviser
        }
    }
}
