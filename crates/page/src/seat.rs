//! A person who plays in the browser: the questions of its seat, and its answers.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use playhouse_engine::locale::{Language, UiText, text};
use playhouse_engine::message::{cut, one_line};
use playhouse_engine::mind::human::{
    Console, Filled, FormAnswer, HumanMind, Question, SeatField, SeatForm, SeatLessons, SeatOption,
};
use playhouse_engine::mind::{Answering, Mind, MindInfo, Prompt};
use playhouse_story::StoryView;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

/// The longest name of a person, in characters.
const LONGEST_NAME: usize = 40;

/// A question to the person at a seat.
#[derive(Clone, Debug)]
struct OpenQuestion {
    number: u32,
    /// What was shown since the last answer.
    shown: Vec<UiText>,
    asked: Asked,
}

#[derive(Clone, Debug)]
enum Asked {
    Question(Question),
    Form(SeatForm),
}

/// What answers it.
enum Reply {
    Line(String),
    Filled(Filled),
}

/// What the person at a seat sends.
#[derive(Debug)]
pub(super) enum Answer {
    /// A line as if it were typed.
    Line(String),
    Form(FormAnswer),
}

#[derive(Default)]
struct Open {
    question: Option<OpenQuestion>,
    /// The receiver of the answer; nobody answers if it gets none.
    reply: Option<Sender<Reply>>,
    last: u32,
    /// Whether nobody waits for answers any more.
    is_over: bool,
    /// Since when the person has the turn.
    since: Option<Instant>,
    /// What the person is called; its character, if empty.
    person: String,
}

/// What a host allows those who play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableRules {
    /// As long as it takes if `None`.
    pub limit: Option<TurnLimit>,
    /// Whether a person may take back its last answer.
    pub may_undo: bool,
}

/// How long a person may take for a turn, and what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimit {
    pub time: Duration,
    pub then: AfterLimit,
}

/// What follows if a person takes longer for a turn than the host allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AfterLimit {
    /// The improviser plays until the person takes the seat again.
    #[default]
    Improviser,
    /// All wait on.
    Wait,
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
    rules: TableRules,
    /// The story whose readers are told how the seat is.
    view: OnceLock<Arc<StoryView>>,
}

impl Seat {
    /// A seat that a person has, or may have later.
    pub fn new(rules: TableRules, is_taken: bool) -> Self {
        Self {
            open: Mutex::default(),
            player: watch::Sender::new(if is_taken {
                Player::Person
            } else {
                Player::Mind
            }),
            news: watch::Sender::new(0),
            rules,
            view: OnceLock::new(),
        }
    }

    /// Lets the readers of this story know how the seat is.
    pub fn tell(&self, view: &Arc<StoryView>) {
        // A seat is in one story.
        let _ = self.view.set(view.clone());
    }

    pub(super) fn may_undo(&self) -> bool {
        self.rules.may_undo
    }

    /// Whose turn it is and who plays, as everybody at the table may know.
    pub(super) fn at_table(&self, name: &str) -> Value {
        let open = self.open();
        let left = self.rules.limit.zip(open.since).map(|(limit, since)| {
            let left = limit.time.saturating_sub(since.elapsed());
            json!({"ms": left.as_millis() as u64, "then": limit.then})
        });
        json!({
            "name": name, "person": open.person, "played_by": self.played_by(),
            "asked": open.since.is_some(), "left": left,
        })
    }

    /// Notes what the person is called.
    pub fn call_person(&self, name: &str) {
        self.open().person = cut(name, LONGEST_NAME);
        self.announce();
    }

    /// What the person is called; empty if it didn't say.
    pub fn person(&self) -> String {
        self.open().person.clone()
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
        Arc::new(SeatMind {
            person: self.person_mind(language, teach),
            own,
            improviser,
            seat: self.clone(),
        })
    }

    /// The mind of the person at this seat alone.
    pub(super) fn person_mind(
        self: &Arc<Self>,
        language: Language,
        teach: impl FnOnce(&mut SeatLessons),
    ) -> HumanMind {
        let console = SeatConsole {
            seat: self.clone(),
            shown: Vec::new(),
        };
        HumanMind::taught(console, language, teach)
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    fn announce(&self) {
        self.news.send_modify(|news| *news += 1);
        self.view
            .get()
            .into_iter()
            .for_each(|view| view.note_seats());
    }

    /// The person has the turn until what this returns is dropped.
    fn begin_turn(self: &Arc<Self>) -> Turn {
        self.open().since = Some(Instant::now());
        self.announce();
        Turn(self.clone())
    }

    /// What the seat is asked now, if it is, in the language of the reader.
    pub(super) fn question(&self, language: Language) -> Value {
        let open = self.open();
        let Some(question) = &open.question else {
            return Value::Null;
        };
        let text = question.shown.iter();
        let text = text.map(|text| text.in_language(language).trim().to_owned());
        let text: Vec<_> = text.filter(|text| !text.is_empty()).collect();
        let mut json = match &question.asked {
            Asked::Question(asked) => question_json(asked, language),
            Asked::Form(form) => json!({
                "label": form.label.in_language(language),
                "fields": fields_json(&form.fields, language), "one_of": form.one_of,
                "begun": form.begun(),
            }),
        };
        json["number"] = question.number.into();
        json["question"] = text.join("\n\n").into();
        json
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

    /// Waits until a person takes the seat, if none has it, or else until that person leaves.
    pub async fn changes(&self, is_taken: bool) {
        let mut player = self.player.subscribe();
        let is_other = |player: &Player| (*player == Player::Person) != is_taken;
        // The sender is in `self`.
        let _ = player.wait_for(is_other).await;
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
            self.close();
        }
        self.announce();
    }

    /// Answers the question with this number, if it is still open.
    ///
    /// # Errors
    /// It is not, or the answer doesn't fit it.
    pub(super) fn answer(&self, number: Option<u32>, answer: &Answer) -> Result<(), UiText> {
        let mut open = self.open();
        let question = open.question.as_ref();
        let question = question.filter(|open| number.is_none_or(|number| open.number == number));
        let reply = match (question.map(|question| &question.asked), answer) {
            (Some(Asked::Question(_)), Answer::Line(line)) => Reply::Line(one_line(line)),
            (Some(Asked::Form(form)), Answer::Form(answer)) => Reply::Filled(form.read(answer)?),
            _ => return Err(text!(page_not_asked)),
        };
        open.question = None;
        let sender = open.reply.take();
        drop(open);
        self.announce();
        let sent = sender.and_then(|sender| sender.send(reply).ok());
        sent.ok_or_else(|| text!(page_not_asked))
    }

    /// Ends the open question and all later ones, since the story stops.
    pub fn end(&self) {
        self.open().is_over = true;
        self.close();
    }

    /// Ends an open question, since nobody will take the answer.
    fn close(&self) {
        let mut open = self.open();
        open.question = None;
        open.reply = None;
        drop(open);
        self.announce();
    }

    fn ask(&self, shown: Vec<UiText>, asked: Asked) -> Receiver<Reply> {
        let (reply, answer) = channel();
        let mut open = self.open();
        if open.is_over {
            return answer;
        }
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

/// A question as a page draws it.
fn question_json(asked: &Question, language: Language) -> Value {
    json!({
        "label": asked.label.in_language(language),
        "free": asked.options.is_empty() || asked.takes_words,
        "options": options_json(&asked.options, language),
        "skip": asked.skip.as_ref().map(|skip| skip.in_language(language)),
        "back": asked.has_back, "typed": asked.typed,
    })
}

fn fields_json(fields: &[SeatField], language: Language) -> Value {
    let fields = fields.iter().map(|field| {
        let mut json = question_json(&field.question, language);
        json["name"] = field.name.into();
        json["with"] = field.with.into();
        json["budget"] = field.question.budget.into();
        json
    });
    fields.collect()
}

fn options_json(options: &[SeatOption], language: Language) -> Value {
    let options = options.iter().map(|option| {
        let mut json = json!({
            "value": option.number.to_string(), "label": option.label.in_language(language),
            "fields": fields_json(&option.fields, language),
        });
        if let Some(summary) = &option.summary {
            json["summary"] = summary.in_language(language).into();
        }
        if let Some(cost) = option.cost {
            (json["cost"], json["group"]) = (cost.amount.into(), cost.group.into());
        }
        json
    });
    options.collect()
}

/// The turn of the person at a seat.
struct Turn(Arc<Seat>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.open().since = None;
        self.0.announce();
    }
}

/// The browser as the screen and keyboard of a seat.
struct SeatConsole {
    seat: Arc<Seat>,
    /// What was shown since the last answer.
    shown: Vec<UiText>,
}

impl SeatConsole {
    /// Puts a question to the person; `None` if the seat was closed, or another question took its
    /// place.
    fn put(&mut self, asked: Asked) -> Option<Reply> {
        let shown = std::mem::take(&mut self.shown);
        self.seat.ask(shown, asked).recv().ok()
    }
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
        Ok(match self.put(Asked::Question(question.clone())) {
            Some(Reply::Line(line)) => Some(line),
            _ => None,
        })
    }

    fn fill(&mut self, form: &SeatForm, _: Language) -> io::Result<Option<Filled>> {
        match self.put(Asked::Form(form.clone())) {
            Some(Reply::Filled(filled)) => Ok(Some(filled)),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
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
        let turn = seat.begin_turn();
        Box::pin(async move {
            let _turn = turn;
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

/// Waits until the person leaves the seat, or its time is up; who plays then.
async fn left(seat: Arc<Seat>) -> Player {
    let mut player = seat.player.subscribe();
    let leaves = player.wait_for(|player| *player != Player::Person);
    let then = seat.rules.limit.map(|limit| (limit.then, limit.time));
    let Some((AfterLimit::Improviser, time)) = then else {
        // The sender is in the seat.
        return leaves.await.map_or(Player::Mind, |player| *player);
    };
    match tokio::time::timeout(time, leaves).await {
        Ok(left) => left.map_or(Player::Mind, |player| *player),
        Err(_) => {
            seat.give(Player::Improviser);
            Player::Improviser
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_comes_when_the_story_stops_waits_for_nobody() {
        let seat = Seat::new(TableRules::default(), true);
        let ask = || seat.ask(Vec::new(), Asked::Question(Question::default()));
        let open = ask();
        seat.end();
        assert!(open.recv().is_err());
        assert!(ask().recv().is_err());
    }
}
