//! Another answer to a call that was answered: the host fills in the form of a seat.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use playhouse_engine::locale::{Language, Localize, UiText, text};
use playhouse_engine::mind::{Answering, Mind};
use playhouse_engine::session::asked_again;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::answer::{Failure, Json, done};
use super::library::{LibraryError, Story};
use super::routes::{FromSeat, Visit, blocking, read_body, retaken};
use super::seat::{Seat, TableRules};

/// How long the next question may take to come.
const NEXT: Duration = Duration::from_secs(10);

/// Answers that are being written, one for each story.
#[derive(Default)]
pub(super) struct Drafts(Mutex<BTreeMap<String, Draft>>);

/// An answer that is being written.
#[derive(Clone)]
struct Draft {
    call: u32,
    seat: Arc<Seat>,
    /// The whole answer; empty if nobody writes it any more.
    whole: watch::Receiver<Option<String>>,
}

impl Drafts {
    fn drafts(&self) -> MutexGuard<'_, BTreeMap<String, Draft>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, slot: &str, call: u32) -> Option<Draft> {
        self.drafts()
            .get(slot)
            .filter(|draft| draft.call == call)
            .cloned()
    }

    /// Puts a draft in the place of that of its story, which ends.
    fn put(&self, slot: &str, draft: Option<Draft>) {
        let mut drafts = self.drafts();
        let before = match draft {
            Some(draft) => drafts.insert(slot.to_owned(), draft),
            None => drafts.remove(slot),
        };
        before.iter().for_each(|before| before.seat.end());
    }
}

impl Draft {
    /// Begins an answer to a call.
    async fn begin(story: &Story, call: u32, language: Language) -> Result<Self, Failure> {
        let seat = Arc::new(Seat::new(TableRules::default(), true));
        let person = Arc::new(seat.person_mind(language, &*story.teach));
        let story = story.clone();
        let answering = blocking(language, move || answering(&story, call, person)).await?;
        let (sender, whole) = watch::channel(None);
        tokio::spawn(async move {
            let answer = answering.await.map(|completion| completion.text);
            sender.send_replace(Some(answer.unwrap_or_default()))
        });
        Ok(Self { call, seat, whole })
    }

    /// The next question after one of this number, or the whole answer.
    async fn next(&mut self, after: Option<u32>, language: Language) -> Value {
        let mut news = self.seat.news();
        loop {
            if let Some(answer) = &*self.whole.borrow_and_update() {
                return json!({"answer": answer});
            }
            let question = self.seat.question(language);
            if !question.is_null() && after.is_none_or(|after| question["number"] != after) {
                return json!({"open": question});
            }
            tokio::select! {
                _ = news.changed() => {}
                _ = self.whole.changed() => {}
                () = tokio::time::sleep(NEXT) => return json!({"open": question}),
            }
        }
    }
}

/// What the person will answer, once the story was played again up to the call.
fn answering(story: &Story, call: u32, person: Arc<dyn Mind>) -> Result<Answering, LibraryError> {
    let asked = retaken(story, call)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(UiText::verbatim)?;
    let again = asked_again(
        &story.slot,
        &*story.game,
        &asked.outcome,
        asked.turn + 1,
        person,
    );
    let again = runtime.block_on(again).map_err(|error| error.text())?;
    again.ok_or_else(|| text!(page_not_done).into())
}

/// What a host sends.
#[derive(Debug, Deserialize)]
struct FromHost {
    call: u32,
    #[serde(flatten)]
    sent: FromSeat,
}

/// Begins an answer, answers a question of its form, or gives it up.
pub(super) async fn draft(visit: Visit, body: Bytes) -> Result<Json, Failure> {
    visit.is_for_host()?;
    let (drafts, language) = (&visit.shared.drafts, visit.language);
    let FromHost { call, sent } = read_body(&body, language)?;
    if sent.leave {
        drafts.put(&visit.slot, None);
        return Ok(done());
    }
    let number = sent.number;
    let mut draft = if number.is_none() {
        let draft = Draft::begin(&visit.story, call, language).await?;
        drafts.put(&visit.slot, Some(draft.clone()));
        draft
    } else {
        let failed = |error| Failure::impossible(error, language);
        let draft = drafts.of(&visit.slot, call);
        let draft = draft.ok_or_else(|| failed(text!(page_not_asked)))?;
        sent.answer(&draft.seat).map_err(failed)?;
        draft
    };
    Ok(Json(draft.next(number, language).await))
}
