//! What the vectors of a real model add to what words find.

use std::collections::BTreeMap;
use std::sync::Arc;

use playhouse_engine::message::Vector;

use super::server::{Server, figure};
use talk::{Kind, Talk, mean, talk};

#[path = "../../../../engine/tests/engine/recall/talk.rs"]
mod talk;
#[path = "../../../../engine/tests/engine/recall/words.rs"]
mod words;

/// How many texts are sent at a time.
const BATCH: usize = 64;

/// The vectors of all texts of a conversation; many are said more than once.
async fn vectors(server: &Server, talk: &Talk) -> BTreeMap<String, Arc<Vector>> {
    let texts = talk.lines.iter().map(|line| &line.text);
    let texts = texts.chain(talk.questions.iter().map(|question| &question.text));
    let mut vectors: BTreeMap<_, _> = texts.map(|text| (text.clone(), None)).collect();
    let all: Vec<_> = vectors.keys().cloned().collect();
    for batch in all.chunks(BATCH) {
        let made = server.embedder().embed(batch.to_vec()).await.unwrap();
        for (text, vector) in batch.iter().zip(made.vectors) {
            vectors.insert(text.clone(), Some(Arc::new(vector)));
        }
    }
    let made = vectors.into_iter();
    made.filter_map(|(text, vector)| Some((text, vector?)))
        .collect()
}

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn recall_with_vectors_of_a_real_model_finds_more() {
    let server = Server::start("vectors").await;
    for tongue in [&words::ENGLISH, &words::CHINESE] {
        let talk = talk(tongue, 101);
        let vectors = vectors(&server, &talk).await;
        let mut index = talk.index();
        for (entry, line) in (0..).zip(&talk.lines) {
            index
                .add_vector(entry, vectors[&line.text].clone())
                .unwrap();
        }
        let text = |entry: u32| talk.lines[entry as usize].text.as_str().into();
        let words = talk.shares(&Kind::ANSWERED, |_, asked| {
            index.search(&asked.text, 10, text)
        });
        let both = talk.shares(&Kind::ANSWERED, |_, asked| {
            index.search_with((asked.text.as_str(), &*vectors[&asked.text]), 10, text)
        });
        let (by_words, by_both) = (mean(&words), mean(&both));
        figure(&format!(
            "{}: {by_words:.1} {words:.0?} by words, {by_both:.1} {both:.0?} with vectors",
            tongue.name
        ));
        assert!(by_both >= by_words, "{by_words} {by_both}");
    }
}
