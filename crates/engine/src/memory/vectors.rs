//! The vectors of what was witnessed, and what stands out by them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::index::{Hit, Index};
use crate::message::{Digest, Vector, VectorError};

/// The most bytes of a text that its vector is made of: many models read about 500 tokens.
const LONGEST: usize = 1_500;
/// How many deviations above the mean a message must be to stand out, at most this share of what is
/// possible among so many.
const OUTSTANDING: f64 = 2.0;
const OF_POSSIBLE: f64 = 0.8;
/// By how many deviations more it stands out at most.
const FURTHEST: f64 = 5.0;

/// The vectors of texts that entities witnessed, all of one model and width. A story that is played
/// without embeddings has none.
#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vectors {
    /// The model that made them, by its name at the provider.
    pub model: Arc<str>,
    /// By the digest of the text.
    of: BTreeMap<Digest, Arc<Vector>>,
}

/// What a question means, and the vectors that it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Meaning<'m> {
    /// Those of what was witnessed.
    pub vectors: &'m Vectors,
    pub question: &'m Vector,
}

/// The vectors of what is looked up just now, by the digests of the texts: while tools run, and
/// while a place takes its answers. Never saved.
#[derive(Resource, Debug, Default)]
pub struct LookupVectors(pub(crate) BTreeMap<Digest, Arc<Vector>>);

impl LookupVectors {
    pub fn meaning<'m>(&'m self, question: &str, vectors: &'m Vectors) -> Option<Meaning<'m>> {
        let question = self.0.get(&Vectors::key(question))?;
        Some(Meaning { vectors, question })
    }
}

/// The part of a text that its vector is made of.
pub(crate) fn read_part(text: &str) -> &str {
    let text = text.trim();
    text.get(..text.floor_char_boundary(LONGEST))
        .unwrap_or(text)
}

impl Vectors {
    /// No vectors yet, of a model.
    pub fn of(model: Arc<str>) -> Self {
        let of = BTreeMap::new();
        Self { model, of }
    }

    /// What a text is known by.
    pub(crate) fn key(text: &str) -> Digest {
        Digest::of(read_part(text).as_bytes())
    }

    /// A text as it is read, and what it is known by.
    pub(crate) fn keyed(text: &str) -> (Digest, String) {
        (Self::key(text), read_part(text).to_owned())
    }

    pub fn len(&self) -> usize {
        self.of.len()
    }

    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    pub fn get(&self, text: &str) -> Option<&Arc<Vector>> {
        self.of.get(&Self::key(text))
    }

    /// Adds the vector of the text with this digest.
    pub fn add(&mut self, text: Digest, vector: Arc<Vector>) -> Result<(), VectorError> {
        self.check(&vector)?;
        self.of.insert(text, vector);
        Ok(())
    }

    /// Whether a vector has the width of all others.
    pub fn check(&self, vector: &Vector) -> Result<(), VectorError> {
        check_width(self.of.values().next(), vector)
    }

    /// Those of some texts that have no vector yet, at most as many, each once, as it is read.
    pub fn missing<'t>(
        &self,
        texts: impl IntoIterator<Item = Cow<'t, str>>,
        most: usize,
    ) -> BTreeMap<Digest, String> {
        let mut missing = BTreeMap::new();
        for text in texts {
            let (key, read) = Self::keyed(&text);
            if missing.len() < most && !read.is_empty() && !self.of.contains_key(&key) {
                missing.insert(key, read);
            }
        }
        missing
    }
}

fn check_width(first: Option<&Arc<Vector>>, vector: &Vector) -> Result<(), VectorError> {
    let expected = first.map_or(vector.width(), |first| first.width());
    match vector.width() {
        found if found == expected => Ok(()),
        found => Err(VectorError::OtherWidth { expected, found }),
    }
}

impl Index {
    /// Gives a message its vector, which must have the width of the first.
    pub fn add_vector(&mut self, entry: u32, vector: Arc<Vector>) -> Result<(), VectorError> {
        check_width(self.vectors.values().next(), &vector)?;
        self.vectors.insert(entry, vector);
        Ok(())
    }

    /// The messages whose vectors are nearest to a question's, at most as many as wanted; equally
    /// near ones in order of their numbers. Those that point away from it are left out.
    pub fn nearest(&self, question: &Vector, most: usize) -> Vec<Hit> {
        self.near(question)
            .into_iter()
            .take(most)
            .take_while(|(_, near)| *near > 0.0)
            .map(|(entry, near)| hit(entry, near))
            .collect()
    }

    /// Of those that are nearest to a question, the ones that stand out from all, with by how many
    /// deviations they do more than they must: how near texts are that have nothing to do with each
    /// other differs from model to model, and numbers by chance hardly ever stand out.
    pub(super) fn outstanding(&self, question: &Vector) -> Vec<Hit> {
        let hits = self.near(question);
        let count = hits.len().max(1) as f64;
        let mean = hits.iter().map(|(_, near)| near).sum::<f64>() / count;
        let squares = hits.iter().map(|(_, near)| (near - mean) * (near - mean));
        let deviation = (squares.sum::<f64>() / count).sqrt();
        let possible = (count - 1.0) / count.sqrt();
        let least = mean + OUTSTANDING.min(OF_POSSIBLE * possible) * deviation;
        hits.into_iter()
            .take_while(|(_, near)| *near > mean.max(0.0) && *near > least)
            .map(|(entry, near)| hit(entry, ((near - least) / deviation).min(FURTHEST)))
            .collect()
    }

    /// How near each message is to a question, the nearest first.
    fn near(&self, question: &Vector) -> Vec<(u32, f64)> {
        let same_width = |(_, vector): &(&u32, &Arc<Vector>)| vector.width() == question.width();
        let vectors = self.vectors.iter().filter(same_width);
        let mut near: Vec<_> = vectors
            .map(|(entry, vector)| (*entry, vector.cosine(question)))
            .collect();
        near.sort_by(|(a, left), (b, right)| right.total_cmp(left).then(a.cmp(b)));
        near
    }
}

fn hit(entry: u32, near: f64) -> Hit {
    let score = near as f32;
    Hit { entry, score }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::IndexEntry;

    const TEXTS: [&str; 4] = [
        "The bell is cracked.",
        "Rain on the roof.",
        "Somebody cut the rope.",
        "Bread again.",
    ];

    fn index() -> Index {
        let mut index = Index::new();
        for text in TEXTS {
            index.add(&IndexEntry {
                text,
                ..IndexEntry::default()
            });
        }
        index
    }

    fn vector(numbers: &[f32]) -> Arc<Vector> {
        Arc::new(Vector::new(numbers).unwrap())
    }

    #[test]
    fn a_message_of_the_same_meaning_is_found_without_its_words() {
        let mut index = index();
        let axes = [
            [1.0, 0.1, 0.0],
            [0.0, 1.0, 0.1],
            [0.1, 0.0, 1.0],
            [0.5, 0.5, 0.5],
        ];
        for (entry, axis) in (0..).zip(axes) {
            index.add_vector(entry, vector(&axis)).unwrap();
        }
        let text = |entry: u32| TEXTS[entry as usize].into();
        let question = vector(&[0.1, 0.0, 1.0]);
        assert_eq!(index.nearest(&question, 4)[0].entry, 2, "the same vector");
        let asked = "Who severed the line?";
        assert!(index.search(asked, 3, text).is_empty());
        assert_eq!(index.search_with((asked, &question), 3, text)[0].entry, 2);
        // What words find comes before what merely stands out.
        let found = index.search_with(("bread and the bell", &question), 4, text);
        let entries: Vec<_> = found.iter().map(|hit| hit.entry).collect();
        assert_eq!(entries, [3, 0, 2, 1], "{found:?}");
    }

    #[test]
    fn another_width_is_refused() {
        let mut index = index();
        index.add_vector(0, vector(&[1.0, 2.0])).unwrap();
        let (expected, found) = (2, 3);
        let other = Err(VectorError::OtherWidth { expected, found });
        assert_eq!(index.add_vector(1, vector(&[1.0, 2.0, 3.0])), other);
        assert!(index.nearest(&vector(&[1.0; 3]), 9).is_empty());
        let mut vectors = Vectors::of("m".into());
        vectors.add(Vectors::key("a"), vector(&[1.0, 2.0])).unwrap();
        assert_eq!(vectors.add(Vectors::key("b"), vector(&[1.0; 3])), other);
    }

    #[test]
    fn what_is_read_of_a_text_has_a_limit() {
        let long = "渡".repeat(LONGEST);
        assert_eq!(read_part(&long).len(), LONGEST);
        assert_eq!(Vectors::key(&long), Vectors::key(read_part(&long)));
        let texts = ["a", " a ", "", "b"].map(Cow::Borrowed);
        let vectors = Vectors::of("m".into());
        assert_eq!(vectors.missing(texts.clone(), 9).len(), 2);
        assert_eq!(vectors.missing(texts, 1).len(), 1);
    }

    proptest! {
        #[test]
        fn the_order_of_vectors_changes_nothing(
            rows in prop::collection::vec(prop::array::uniform4(-1f32..1.0), 2..40),
            asked in prop::array::uniform4(0.1f32..1.0), turned in 0usize..40,
        ) {
            let question = Vector::new(&asked).unwrap();
            let vectors = rows.iter().map(|numbers| Vector::new(numbers).map(Arc::new));
            let numbered = (0..).zip(vectors);
            let vectors: Vec<_> = numbered.filter_map(|(number, vector)| Some((number, vector.ok()?))).collect();
            let found = |order: &[(u32, Arc<Vector>)]| {
                let mut index = Index::new();
                for (entry, vector) in order {
                    index.add_vector(*entry, vector.clone()).unwrap();
                }
                (index.nearest(&question, 9), index.outstanding(&question))
            };
            let mut other = vectors.clone();
            other.rotate_left(turned % vectors.len().max(1));
            prop_assert_eq!(found(&vectors), found(&other));
            other.reverse();
            prop_assert_eq!(found(&vectors), found(&other));
        }
    }
}
