//! Vectors of texts, by which recall finds texts with the same meaning. They come from outside and
//! are journaled, so a replay requests none. Without them, recall continues by words.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::calls::{CallResult, Continuation, Embeddings, VectorRequest};
use super::job::Job;
use super::totals::worst_case;
use super::{Engine, Signal};
use crate::cast::CastList;
use crate::context::Chapters;
use crate::event::EventTypes;
use crate::exchange::{BoxedAnswer, Spent};
use crate::journal::{AskEnding, Line, QuestionVector, TextVectors};
use crate::knowledge::FactBook;
use crate::locale::{Localize, UiText, text};
use crate::memory::{
    AnswerWords, Lens, LookupVectors, Vectors, Witnessed, chapter_texts, fact_text,
};
use crate::message::{Digest, TokenUsage, Vector, VectorError, tokens};
use crate::mind::{Embedded, Embedder, MindError};

/// The maximum number of vectors requested between two turns; others wait for the next turn.
const MOST_TEXTS: usize = 256;

/// What an ask is about, to find what has the same meaning.
pub(super) enum RecallQuery {
    /// Nothing that could be compared.
    Nothing,
    /// The journal has the vector.
    Recorded(Arc<Vector>),
    /// The text whose vector must be requested.
    Text(String),
}

impl Engine {
    /// The embedder, unless it has failed or everything comes from the recording.
    fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        let may_ask = !self.settings.replay && !self.embeddings.failed;
        self.minds.embedder().filter(|_| may_ask).cloned()
    }

    /// Adds vectors of facts and of what entities have witnessed, before a turn begins: those that
    /// were recorded here, or new ones if this turn was never begun.
    ///
    /// # Errors
    /// Why a limit of the run does not allow them.
    pub(super) async fn add_vectors(&mut self) -> Result<(), UiText> {
        let turn = self.turn();
        if let Some(recorded) = self.record.recording.vectors(turn).cloned() {
            // In a journal that was changed, some may have another width.
            let _ = self.take_vectors(&recorded);
            return Ok(());
        }
        let has_begun = self.record.recording.has_begun(turn);
        let Some(embedder) = self.embedder().filter(|_| !has_begun) else {
            return Ok(());
        };
        let texts = self.texts_without_vectors(embedder.model());
        if texts.is_empty() {
            return Ok(());
        }
        let (keys, texts): (Vec<_>, Vec<_>) = texts.into_iter().unzip();
        let worst = self
            .reserve_vectors(&*embedder, &texts)
            .inspect_err(|_| self.embeddings.start_over())?;
        let token = self.token.clone();
        let made = tokio::select! {
            biased;
            () = token.cancelled() => {
                self.embeddings.start_over();
                return Ok(());
            }
            made = embedder.embed(texts) => made,
        };
        let spent = self.spent_on(&*embedder, worst, &made);
        let taken = made.map_err(|error| error.text()).and_then(|made| {
            let vectors = made.vectors.into_iter().map(Arc::new);
            let new = TextVectors {
                turn,
                model: embedder.model().clone(),
                vectors: keys.into_iter().zip(vectors).collect(),
                tokens: spent.usage.input,
                cost: spent.cost,
            };
            check_widths(self.world.get_resource(), &new).map_err(|error| error.text())?;
            let line = Line::Vectors(Arc::new(new.clone()));
            self.record.journal.queue(line);
            self.take_vectors(&new).map_err(|error| error.text())
        });
        if let Err(reason) = taken {
            self.recall_by_words(reason);
        }
        Ok(())
    }

    /// Reserves what the vectors of some texts cost at most.
    ///
    /// # Errors
    /// Why a limit of the run does not allow it.
    fn reserve_vectors(
        &mut self,
        embedder: &dyn Embedder,
        texts: &[String],
    ) -> Result<Spent, UiText> {
        let tokens = texts.iter().map(|text| u64::from(tokens::estimate(text)));
        // Limits count the calls of those who answer.
        let worst = Spent {
            calls: 0,
            ..worst_case(tokens.sum(), 0, 1, |usage| {
                let price = embedder.price();
                price.map(|price| price.of(usage)).unwrap_or_default()
            })
        };
        self.reserve(embedder.model(), worst)?;
        Ok(worst)
    }

    /// Books what vectors have cost.
    fn spent_on(
        &mut self,
        embedder: &dyn Embedder,
        worst: Spent,
        made: &Result<Embedded, MindError>,
    ) -> Spent {
        let usage = TokenUsage {
            input: made.as_ref().map_or(0, |made| made.tokens),
            ..TokenUsage::default()
        };
        let price = embedder.price();
        let spent = Spent {
            usage,
            cost: price.map(|price| price.of(usage)).unwrap_or_default(),
            ..Spent::default()
        };
        self.settle(embedder.model(), worst, spent);
        spent
    }

    /// The texts of chapters and facts that have no vector of this model yet.
    fn texts_without_vectors(&mut self, model: &Arc<str>) -> BTreeMap<Digest, String> {
        let none = Vectors::of(model.clone());
        let known = self
            .world
            .get_resource::<Vectors>()
            .filter(|known| known.model == *model)
            .unwrap_or(&none);
        let words = self.world.resource::<AnswerWords>();
        let mut texts = BTreeMap::new();
        for (_, entity) in self.world.resource::<CastList>().all() {
            let Some(chapters) = self.world.get::<Chapters>(entity) else {
                continue;
            };
            let done = self.embeddings.done.entry(entity).or_default();
            for chapter in chapters.all().iter().skip(*done) {
                for (key, text) in known.missing(chapter_texts(chapter, words), MOST_TEXTS) {
                    if texts.len() == MOST_TEXTS {
                        return texts;
                    }
                    texts.insert(key, text);
                }
                if texts.len() == MOST_TEXTS {
                    // There may be more in this chapter.
                    return texts;
                }
                // What is asked for now is known then, or never asked for again.
                *done += 1;
            }
        }
        let book = self.world.get_resource::<FactBook>();
        for fact in book
            .into_iter()
            .flat_map(FactBook::all)
            .skip(self.embeddings.facts)
        {
            if texts.len() == MOST_TEXTS {
                break;
            }
            texts.extend(known.missing([fact_text(fact).into()], 1));
            self.embeddings.facts += 1;
        }
        texts
    }

    /// Adds vectors to those of the world, which are dropped if they are of another model.
    fn take_vectors(&mut self, new: &TextVectors) -> Result<(), VectorError> {
        let mut known = self
            .world
            .remove_resource::<Vectors>()
            .filter(|known| known.model == new.model)
            .unwrap_or_else(|| Vectors::of(new.model.clone()));
        let mut vectors = new.vectors.iter();
        let added = vectors.try_for_each(|(text, vector)| known.add(*text, vector.clone()));
        self.world.insert_resource(known);
        added
    }

    /// What an ask is about, if vectors could find something for it. `asking` is how many tokens
    /// its prompt has.
    pub(super) fn recall_query(&self, job: &Job, asking: u64) -> RecallQuery {
        let find = || {
            let known = self.world.get_resource::<Vectors>()?;
            let question = &*job.ask.question;
            let cues = question.parts().cues.as_ref()?;
            let (context, chapters) = self.past_of(job.ask.entity)?;
            let room = cues.tokens.min(cues.prompt_tokens.saturating_sub(asking));
            if known.is_empty() || chapters.all().is_empty() || room == 0 {
                return None;
            }
            let types = self.world.resource::<EventTypes>();
            let lens = Lens {
                events: &|event| types.traits(event),
                ..Lens::of(self.world.resource::<AnswerWords>())
            };
            let text = Witnessed::asked(context, cues, lens);
            let text = self
                .guard_recalled(question, text.into())?
                .as_str()
                .to_owned();
            let ask = &job.ask;
            if let Some(vector) = ask.vectors.get(&Vectors::key(&text)) {
                return Some(RecallQuery::Recorded(vector.clone()));
            }
            let recording = &self.record.recording;
            let may_ask = self.can_embed()
                && !text.is_empty()
                && !recording.knows(&ask.name, ask.id.0, ask.number);
            may_ask.then_some(RecallQuery::Text(text))
        };
        find().unwrap_or(RecallQuery::Nothing)
    }

    /// Whether vectors can be had that those of the world can be compared with.
    fn can_embed(&self) -> bool {
        let known = self.world.get_resource::<Vectors>();
        let embedder = self.embedder().zip(known);
        embedder.is_some_and(|(embedder, known)| *embedder.model() == known.model)
    }

    /// Asks for the vectors of searches, unless they are recorded or can't be had;
    /// until they come, the ask waits.
    pub(super) fn ask_for_vectors(
        &mut self,
        job: Box<Job>,
        texts: impl IntoIterator<Item = (Digest, String)>,
        then: Continuation,
    ) {
        let can_embed = self.can_embed();
        let texts = texts.into_iter().filter(|(key, text)| {
            can_embed && !text.is_empty() && !job.ask.vectors.contains_key(key)
        });
        let (keys, texts): (Vec<_>, Vec<_>) = texts.unzip();
        let Some(embedder) = self.embedder().filter(|_| !texts.is_empty()) else {
            return self.go_on(job, then);
        };
        let worst = match self.reserve_vectors(&*embedder, &texts) {
            Ok(worst) => worst,
            // Continuing by words alone would let limits change what happens.
            Err(reason) => return self.calls.refused = Some(reason),
        };
        self.calls.paid += 1;
        self.calls.running.push(Box::pin(async move {
            let made = embedder.embed(texts).await;
            let request = VectorRequest {
                texts: keys,
                worst,
                then,
            };
            (job, CallResult::Vectors(Box::new(request), made))
        }));
    }

    /// Takes note of the vectors of searches.
    pub(super) fn vectors_returned(
        &mut self,
        mut job: Box<Job>,
        request: VectorRequest,
        made: Result<Embedded, MindError>,
    ) {
        let VectorRequest { texts, worst, then } = request;
        let embedder = self.minds.embedder().cloned();
        let spent = embedder.map(|embedder| self.spent_on(&*embedder, worst, &made));
        let vectors = made.map_err(|error| error.text()).and_then(|made| {
            let known = self.world.get_resource::<Vectors>();
            let fits = |vector| known.map_or(Ok(()), |known| known.check(vector));
            let fit = made.vectors.iter().try_for_each(fits);
            fit.map_err(|error| error.text())?;
            Ok(made.vectors)
        });
        match vectors {
            Ok(vectors) => {
                let mut spent = spent.unwrap_or_default();
                for (text, vector) in texts.into_iter().zip(vectors) {
                    let vector = Arc::new(vector);
                    let spent = std::mem::take(&mut spent);
                    self.record.journal.queue(Line::Question(QuestionVector {
                        entity: job.ask.name.clone(),
                        id: job.ask.id.0,
                        number: job.ask.number,
                        text,
                        vector: vector.clone(),
                        tokens: spent.usage.input,
                        cost: spent.cost,
                    }));
                    job.ask.vectors.insert(text, vector);
                }
            }
            Err(reason) => self.recall_by_words(reason),
        }
        self.go_on(job, then);
    }

    /// What waited for vectors continues with those that came.
    fn go_on(&mut self, mut job: Box<Job>, then: Continuation) {
        match then {
            Continuation::Ask { about, asking } => {
                let vector = job.ask.vectors.get(&about).cloned();
                self.remember(&mut job, vector.as_deref(), asking);
                self.wait_for_slot(job);
            }
            Continuation::RunTools(completion) => {
                let vectors = LookupVectors(job.ask.vectors.clone());
                self.world.insert_resource(vectors);
                self.start_tools(job, completion);
                self.world.insert_resource(LookupVectors::default());
            }
            Continuation::End(ending, value) => self.end(job, ending, Some(value)),
        }
    }

    /// Ends an ask with an answer, if that looks something up, as soon as its vector has come.
    pub(super) fn look_up(&mut self, job: Box<Job>, ending: AskEnding, value: BoxedAnswer) {
        let question = &*job.ask.question;
        let sought = question.looked_up(&value).map(Vectors::keyed);
        let sent = sought.and_then(|(key, text)| {
            let text = self.guard_recalled(question, text.into())?;
            Some((key, text.as_str().to_owned()))
        });
        self.ask_for_vectors(job, sent, Continuation::End(ending, value));
    }

    /// Goes on without vectors, and says so once.
    fn recall_by_words(&mut self, reason: UiText) {
        if !std::mem::replace(&mut self.embeddings.failed, true) {
            if self.listeners.on_signal.is_empty() {
                tracing::warn!("{}", text!(engine_recall_by_words, reason));
            } else {
                self.listeners.signal(|| Signal::RecallByWords(reason));
            }
        }
    }
}

impl Embeddings {
    /// Forgets which vectors were asked for: they didn't come.
    fn start_over(&mut self) {
        *self = Self {
            failed: self.failed,
            ..Self::default()
        };
    }
}

/// Refuses vectors that differ in width from each other or from those of the same model.
fn check_widths(known: Option<&Vectors>, new: &TextVectors) -> Result<(), VectorError> {
    let mut vectors = Vectors::of(new.model.clone());
    let known = known.filter(|known| known.model == new.model);
    new.vectors.iter().try_for_each(|(text, vector)| {
        known.map_or(Ok(()), |known| known.check(vector))?;
        vectors.add(*text, vector.clone())
    })
}
