//! Vectors of texts, by which recall finds what has the same meaning. They come from outside: the
//! journal has them, so a replay asks nobody. Without them recall goes on by words.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::calls::{AskedVector, CallResult};
use super::job::Job;
use super::{Engine, Signal};
use crate::cast::CastList;
use crate::context::Chapters;
use crate::journal::{Line, QuestionVector, TextVectors};
use crate::locale::{Localize, UiText, text};
use crate::memory::{AskedVectors, Vectors, Witnessed, chapter_texts};
use crate::message::{Digest, Vector, VectorError};
use crate::mind::{Completion, Embedder, MindError};

/// The most texts whose vectors are asked for between two turns; more wait for the next one.
const MOST_TEXTS: usize = 256;

/// What an ask is about, to find what has the same meaning.
pub(super) enum Matter {
    /// Nothing, or nothing that could be compared.
    Nothing,
    /// The journal has the vector.
    Recorded(Arc<Vector>),
    /// The text whose vector is to be asked for.
    Text(String),
}

impl Engine {
    /// Who makes vectors, unless that has failed or everything comes from the recording.
    fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        let may_ask = !self.settings.replay && !self.embeddings.failed;
        self.minds.embedder().filter(|_| may_ask).cloned()
    }

    /// Adds vectors of what entities have witnessed, before a turn begins: those that were recorded
    /// here, or new ones if this turn was never begun.
    pub(super) async fn add_vectors(&mut self) {
        let turn = self.turn();
        if let Some(recorded) = self.record.recording.vectors(turn).cloned() {
            // In a journal that was changed, some may have another width.
            let _ = self.take_vectors(&recorded);
            return;
        }
        let has_begun = self.record.recording.has_begun(turn);
        let Some(embedder) = self.embedder().filter(|_| !has_begun) else {
            return;
        };
        let texts = self.texts_without_vectors(embedder.model());
        if texts.is_empty() {
            return;
        }
        let (keys, texts): (Vec<_>, Vec<_>) = texts.into_iter().unzip();
        let token = self.token.clone();
        let made = tokio::select! {
            biased;
            () = token.cancelled() => {
                self.embeddings.done.clear();
                return;
            }
            made = embedder.embed(texts) => made,
        };
        let taken = made.map_err(|error| error.text()).and_then(|vectors| {
            let vectors = vectors.into_iter().map(Arc::new);
            let new = TextVectors {
                turn,
                model: embedder.model().clone(),
                vectors: keys.into_iter().zip(vectors).collect(),
            };
            check_widths(self.world.get_resource(), &new).map_err(|error| error.text())?;
            let line = Line::Vectors(Arc::new(new.clone()));
            self.record.journal.queue(line);
            self.take_vectors(&new).map_err(|error| error.text())
        });
        if let Err(reason) = taken {
            self.recall_by_words(reason);
        }
    }

    /// The texts of chapters that have no vector of this model yet.
    fn texts_without_vectors(&mut self, model: &Arc<str>) -> BTreeMap<Digest, String> {
        let none = Vectors::of(model.clone());
        let known = self.world.get_resource::<Vectors>();
        let known = known.filter(|known| known.model == *model).unwrap_or(&none);
        let mut texts = BTreeMap::new();
        for (_, entity) in self.world.resource::<CastList>().all() {
            let Some(chapters) = self.world.get::<Chapters>(entity) else {
                continue;
            };
            let done = self.embeddings.done.entry(entity).or_default();
            for chapter in chapters.all().iter().skip(*done) {
                for (key, text) in known.missing(chapter_texts(chapter), MOST_TEXTS) {
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
        texts
    }

    /// Adds vectors to those of the world, which are dropped if they are of another model.
    fn take_vectors(&mut self, new: &TextVectors) -> Result<(), VectorError> {
        let known = self.world.remove_resource::<Vectors>();
        let known = known.filter(|known| known.model == new.model);
        let mut known = known.unwrap_or_else(|| Vectors::of(new.model.clone()));
        let mut vectors = new.vectors.iter();
        let added = vectors.try_for_each(|(text, vector)| known.add(*text, vector.clone()));
        self.world.insert_resource(known);
        added
    }

    /// What an ask is about, if vectors could find something for it. `asking` is how many tokens
    /// its prompt has.
    pub(super) fn matter_of(&self, job: &Job, asking: u64) -> Matter {
        let find = || {
            let known = self.world.get_resource::<Vectors>()?;
            let question = &*job.ask.question;
            let cues = question.cues()?;
            let (context, chapters) = self.past_of(job.ask.entity)?;
            let room = cues.tokens.min(cues.prompt_tokens.saturating_sub(asking));
            if known.is_empty() || chapters.all().is_empty() || room == 0 {
                return None;
            }
            let text = Witnessed::asked(context, cues);
            let text = self.guard_recalled(question, text.into())?;
            let text = text.as_str().to_owned();
            let ask = &job.ask;
            let recording = &self.record.recording;
            let key = Vectors::key(&text);
            if let Some(vector) = recording.question(&ask.name, ask.id.0, ask.number, key) {
                return Some(Matter::Recorded(vector.clone()));
            }
            let embedder = self.embedder()?;
            let may_ask = *embedder.model() == known.model
                && !text.is_empty()
                && !recording.knows(&ask.name, ask.id.0, ask.number);
            may_ask.then_some(Matter::Text(text))
        };
        find().unwrap_or(Matter::Nothing)
    }

    /// Asks for the vector of what an ask is about; until it comes, the ask waits.
    pub(super) fn ask_for_vector(&mut self, job: Box<Job>, text: String, asking: u64) {
        let Some(embedder) = self.embedder() else {
            return self.vector_came(job, None, asking);
        };
        let key = Vectors::key(&text);
        self.calls.running.push(Box::pin(async move {
            let result = embedder.embed(vec![text]).await;
            let vector = AskedVector {
                text: key,
                asking,
                result,
            };
            (job, CallResult::Vector(vector))
        }));
    }

    /// Takes note of the vector of what an ask is about.
    pub(super) fn vector_returned(&mut self, job: Box<Job>, asked: AskedVector) {
        let AskedVector {
            text,
            asking,
            result,
        } = asked;
        let vector = result.map_err(|error| error.text()).and_then(|vectors| {
            let [vector] = <[Vector; 1]>::try_from(vectors).map_err(|_| text!(engine_no_vector))?;
            let known = self.world.get_resource::<Vectors>();
            let fits = known.map_or(Ok(()), |known| known.check(&vector));
            fits.map_err(|error| error.text())?;
            Ok(Arc::new(vector))
        });
        let vector = match vector {
            Ok(vector) => {
                self.record.journal.queue(Line::Question(QuestionVector {
                    entity: job.ask.name.clone(),
                    id: job.ask.id.0,
                    number: job.ask.number,
                    text,
                    vector: vector.clone(),
                }));
                Some(vector)
            }
            Err(reason) => {
                self.recall_by_words(reason);
                None
            }
        };
        self.vector_came(job, vector, asking);
    }

    /// Whether vectors of questions can be had that those of the world can be compared with.
    pub(super) fn can_embed(&self) -> bool {
        let known = self.world.get_resource::<Vectors>();
        let embedder = self.embedder().zip(known);
        embedder.is_some_and(|(embedder, known)| *embedder.model() == known.model)
    }

    /// Asks for the vectors of what a mind wants to recall; until they come, its tools wait.
    pub(super) fn ask_for_questions(
        &mut self,
        job: Box<Job>,
        completion: Completion,
        questions: Vec<String>,
    ) {
        let texts =
            Vectors::of("".into()).missing(questions.into_iter().map(Cow::Owned), usize::MAX);
        let Some(embedder) = self.embedder().filter(|_| !texts.is_empty()) else {
            return self.start_tools(job, completion);
        };
        let (keys, texts): (Vec<_>, Vec<_>) = texts.into_iter().unzip();
        self.calls.running.push(Box::pin(async move {
            let made = embedder.embed(texts).await;
            let asked = made.map(|vectors| AskedVectors(keys.into_iter().zip(vectors).collect()));
            (job, CallResult::Questions(Box::new(completion), asked))
        }));
    }

    /// Runs the tools that waited. What they find is recorded, so the vectors need not be.
    pub(super) fn questions_returned(
        &mut self,
        job: Box<Job>,
        completion: Completion,
        asked: Result<AskedVectors, MindError>,
    ) {
        match asked {
            Ok(asked) => self.world.insert_resource(asked),
            Err(error) => self.recall_by_words(error.text()),
        }
        self.start_tools(job, completion);
        self.world.remove_resource::<AskedVectors>();
    }

    fn vector_came(&mut self, mut job: Box<Job>, vector: Option<Arc<Vector>>, asking: u64) {
        self.remember(&mut job, vector.as_deref(), asking);
        self.calls.waiting.push_back(job);
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

/// Refuses vectors that differ in width from each other or from those of the same model.
fn check_widths(known: Option<&Vectors>, new: &TextVectors) -> Result<(), VectorError> {
    let mut all = Vectors::of(new.model.clone());
    let known = known.filter(|known| known.model == new.model);
    new.vectors.iter().try_for_each(|(text, vector)| {
        known.map_or(Ok(()), |known| known.check(vector))?;
        all.add(*text, vector.clone())
    })
}
