//! How far a character's words have drifted from its [`Voice`]: a figure for people, estimated
//! without a model; nothing depends on it.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::context::{AgentContext, Chapters, EntryId};
use playhouse_engine::exchange::Reply;
use playhouse_engine::memory::{Words, vocabulary};
use playhouse_engine::message::{Body, Role, Tags};
use serde::Serialize;
use serde_json::Value;

use super::actions::Plan;
use super::combat::CombatChoice;
use super::home::vote::Vote;
use super::scenes::choose::SceneDecision;
use super::world_file::Voice;

/// How many answers are compared at a time.
pub const ANSWERS: usize = 10;

/// The drift of a few consecutive answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Drift {
    /// The first and the last day.
    pub days: (u32, u32),
    /// The number of answers with spoken words.
    pub answers: usize,
    /// How much their vocabulary differs, from 0 to 1: one minus the cosine of the counts of words.
    pub vocabulary: f64,
    /// The mean length of their sentences, relative to the voice's.
    pub length: f64,
    /// How often they contain words that the voice never says.
    pub never: usize,
    /// All of it in one number from 0 to 1: the mean of the vocabulary, of the logarithm of the
    /// length, and of the answers with words that it never says, each at most 1.
    pub distance: f64,
}

/// How far a character's words have drifted from its voice, [`ANSWERS`] at a time, oldest first.
/// Empty if its voice has no lines.
pub fn drift(voice: &Voice, context: &AgentContext, chapters: &Chapters) -> Vec<Drift> {
    let own = Style::of(voice.lines.iter().map(String::as_str));
    if own.words.is_empty() {
        return Vec::new();
    }
    let spoken = spoken(context, chapters);
    let stretches = spoken.chunks(ANSWERS);
    let drifts = stretches.map(|stretch| {
        let texts = || {
            stretch
                .iter()
                .flat_map(|(_, texts)| texts.iter().map(String::as_str))
        };
        let style = Style::of(texts());
        let banned = |text: &str| {
            let text = text.to_lowercase();
            let never = voice.never.iter();
            never
                .filter(|word| text.contains(&word.to_lowercase()))
                .count()
        };
        let never: usize = texts().map(banned).sum();
        let vocabulary = 1.0 - own.cosine(&style);
        let length = style.sentence_length() / own.sentence_length();
        let days = stretch.iter().map(|(day, _)| *day);
        let parts = [
            vocabulary,
            length.ln().abs().min(1.0),
            (never as f64 / stretch.len() as f64).min(1.0),
        ];
        Drift {
            days: (
                days.clone().min().unwrap_or_default(),
                days.max().unwrap_or_default(),
            ),
            answers: stretch.len(),
            vocabulary,
            length,
            never,
            distance: parts.iter().sum::<f64>() / 3.0,
        }
    });
    drifts.collect()
}

/// The spoken words of each answer that has any, with its day, oldest first.
fn spoken(context: &AgentContext, chapters: &Chapters) -> Vec<(u32, Vec<String>)> {
    let mut messages: Vec<(EntryId, Role, &Body, Option<&Tags>)> = Vec::new();
    for held in chapters.all().iter().flat_map(|chapter| &chapter.messages) {
        let message = &held.message;
        messages.push((held.id, message.role, &message.body, Some(&message.tags)));
    }
    for entry in context.entries() {
        let tags = context.tags(entry.id());
        messages.push((entry.id(), entry.role(), entry.body(), tags));
    }
    messages.sort_by_key(|(id, ..)| *id);
    let members = spoken_members();
    let mut day = 0;
    let mut answers = Vec::new();
    for (_, role, body, tags) in messages {
        let begun = tags.and_then(|tags| tags.text("day_begin"));
        day = begun.and_then(|begun| begun.parse().ok()).unwrap_or(day);
        if role != Role::Ai {
            continue;
        }
        let answer: Value = serde_json::from_str(&body.full_text()).unwrap_or_default();
        let texts: Vec<_> = members
            .iter()
            .filter_map(|at| answer.pointer(at)?.as_str())
            .map(str::to_owned)
            .collect();
        if !texts.is_empty() {
            answers.push((day, texts));
        }
    }
    answers
}

/// The members of answers that hold words which others hear.
fn spoken_members() -> BTreeSet<&'static str> {
    let words = [
        Plan::WORDS,
        CombatChoice::WORDS,
        SceneDecision::WORDS,
        Vote::WORDS,
    ];
    let members = words.into_iter().flatten().filter_map(|words| match words {
        Words::Spoken(at) | Words::Given(at) => Some(*at),
        Words::Thought(_) | Words::Tried(_) => None,
    });
    members.collect()
}

/// What is compared of texts.
#[derive(Default)]
struct Style {
    words: BTreeMap<u32, f64>,
    sentences: usize,
}

impl Style {
    fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut style = Self::default();
        for text in texts {
            for sentence in text.split(['.', '!', '?', '。', '！', '？', '…', '\n']) {
                let mut words = vocabulary(sentence).peekable();
                style.sentences += usize::from(words.peek().is_some());
                for word in words {
                    *style.words.entry(word).or_default() += 1.0;
                }
            }
        }
        style
    }

    fn sentence_length(&self) -> f64 {
        self.words.values().sum::<f64>().max(1.0) / self.sentences.max(1) as f64
    }

    fn cosine(&self, other: &Self) -> f64 {
        let norm = |style: &Self| style.words.values().map(|count| count * count).sum::<f64>();
        let both = self
            .words
            .iter()
            .map(|(word, count)| count * other.words.get(word).unwrap_or(&0.0));
        both.sum::<f64>() / (norm(self) * norm(other)).sqrt().max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lines: &[&str]) -> AgentContext {
        let mut context = AgentContext::new("Ann");
        for (number, line) in lines.iter().enumerate() {
            let day = playhouse_engine::message::Tag::DAY_BEGIN.of((number + 1).to_string());
            context.add_human_message("A day begins.", day);
            let answer = serde_json::json!({
                "mind": "Nobody hears this thought.", "speak": {"target": "Bob", "text": line},
            });
            let added = context.add_ai_message([Body::text(answer.to_string())]);
            assert!(added.is_ok());
        }
        context
    }

    #[test]
    fn whoever_speaks_as_its_voice_has_not_drifted() {
        let voice = Voice {
            lines: vec!["Aye, the tide decides.".into(), "Aye, we wait.".into()],
            never: vec!["obviously".into()],
        };
        let none = Chapters::default();
        let same = drift(
            &voice,
            &said(&["Aye, the tide decides.", "Aye, we wait."]),
            &none,
        );
        assert_eq!(
            (same[0].days, same[0].answers, same[0].never),
            ((1, 2), 2, 0)
        );
        assert!(same[0].distance < 1e-9, "{same:?}");
        let other = "Obviously the committee will have to reconsider its earlier recommendation";
        let other = drift(&voice, &said(&[other]), &none);
        assert!(other[0].never == 1 && other[0].length > 2.0 && other[0].distance > 0.7);
        assert!(drift(&Voice::default(), &said(&["Aye."]), &none).is_empty());
    }
}
