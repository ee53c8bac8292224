//! A small model that people have, Gemma 3 270M, plays both campaigns from beginning to end; and
//! vectors of a real model find what has the same meaning.
//!
//! A base model of this size is the worst mind there is. It may write what it likes: the story goes
//! on, and every law holds. The campaigns take an hour or more, so a plain `cargo test` ignores
//! them.

use std::collections::BTreeMap;

use playhouse_engine::engine::Stop;
use playhouse_engine::event::{AnswerRecord, AnsweredBy};
use playhouse_engine::message::Vector;
use playhouse_engine::mind::Minds;
use playhouse_engine::session::{Session, replay};
use playhouse_engine::world_data::DataFolder;
use playhouse_rpg::Campaign;

use super::server::{Server, figure};
use super::stories::{answers_of, percent};

/// What `doctor` says of this server, but for the schema. A base model rarely stops by itself.
const PROVIDER: &str = "stream_usage: true, merge_turns: true, width: 2";
const MODEL: &str = "window: 8192, max_output: 120";

/// Plays a world to its end, checks its laws, and says how its answers came about.
async fn play(server: &Server, world: &str, schema: &str, brake: &str) {
    let production = Campaign::load(&DataFolder::at("../../data").unwrap(), world).unwrap();
    let saves = tempfile::tempdir().unwrap();
    let mind = server.mind_with(
        &format!("{PROVIDER}, schema: {schema}{brake}, extra: {{\"seed\": 1}}"),
        MODEL,
    );
    let mut session =
        Session::start(saves.path(), world, &production, 1, Minds::all(mind)).unwrap();
    let answers = answers_of(&mut session.engine);
    let stop = session.engine.run(None).await.unwrap();
    figure_of(
        &format!("{world}, schema {schema}"),
        &answers.lock().unwrap(),
    );
    assert!(matches!(stop, Stop::Finished(_)), "{stop:?}");

    let totals = session.engine.totals();
    let usage = totals.spent.usage;
    let longest = totals.calls.iter().map(|call| call.usage.input).max();
    figure(&format!(
        "{world}, schema {schema}: {} calls, {} prompt tokens, {} % cached; the longest prompt {}",
        totals.calls.len(),
        usage.input,
        percent(usage.cached, usage.input),
        longest.unwrap_or_default(),
    ));
    assert_eq!(totals.spent.retries, 0, "every request was taken as it was");
    assert!(longest.is_some_and(|longest| longest <= 8_192));

    let slot = session.slot().clone();
    drop(session);
    let replayed = replay(&slot, &production, None).await.unwrap();
    let saved = slot.read_world().unwrap().unwrap();
    assert!(replayed.snapshot == saved, "the replay is another world");
}

/// How many answers were used at first, after a repeat, and not at all, in all and by purpose.
fn figure_of(run: &str, answers: &[AnswerRecord]) {
    let mut purposes = BTreeMap::<&str, [usize; 3]>::new();
    for answer in answers {
        let column = match answer.by {
            AnsweredBy::Mind => 0,
            AnsweredBy::Repaired(_) => 1,
            AnsweredBy::Fallback(_) => 2,
        };
        for purpose in ["all", &answer.purpose] {
            purposes.entry(purpose).or_default()[column] += 1;
        }
    }
    for (purpose, [first, repeated, default]) in purposes {
        figure(&format!(
            "{run}: {purpose}: {first} at first, {repeated} after a repeat, {default} by default"
        ));
    }
}

#[tokio::test]
#[ignore = "plays for an hour or more with what tests/real_server/build.sh makes"]
async fn a_small_model_carries_a_campaign_in_english() {
    let server = Server::start("gemma").await;
    play(&server, "drowned-assize", "constrained", "").await;
}

#[tokio::test]
#[ignore = "plays for an hour or more with what tests/real_server/build.sh makes"]
async fn a_small_model_carries_a_campaign_in_chinese() {
    let server = Server::start("gemma").await;
    play(&server, "zhaoying-ban", "constrained", "").await;
}

/// Without a grammar nearly no JSON of such a model is of use, and the brake would stop the run,
/// rightly. What is played by default answers keeps the laws all the same.
const NO_BRAKE: &str = ", max_defaults: (in_a_row: 10000, of_thirty: 10000)";

#[tokio::test]
#[ignore = "plays for an hour or more with what tests/real_server/build.sh makes"]
async fn a_small_model_that_gets_schemas_in_words_breaks_no_law_in_english() {
    let server = Server::start("gemma").await;
    play(&server, "drowned-assize", "text", NO_BRAKE).await;
}

#[tokio::test]
#[ignore = "plays for an hour or more with what tests/real_server/build.sh makes"]
async fn a_small_model_that_gets_schemas_in_words_breaks_no_law_in_chinese() {
    let server = Server::start("gemma").await;
    play(&server, "zhaoying-ban", "text", NO_BRAKE).await;
}

/// What was lived through, and what somebody asks about it in other words.
const PARAPHRASES: [[&str; 2]; 10] = [
    [
        "Somebody cut the ferry's rope in the night.",
        "Who severed the line of the boat?",
    ],
    [
        "The baker's son owes the miller forty silver pieces.",
        "Which debts does anybody have?",
    ],
    [
        "Isa hid the key under the third stair.",
        "Where is the thing that opens the door?",
    ],
    [
        "The judge sent an innocent man to the gallows.",
        "Who was executed by mistake?",
    ],
    [
        "A fever killed half of the village that winter.",
        "What illness took so many lives?",
    ],
    ["有人半夜割断了渡船的绳子。", "谁弄坏了船缆？"],
    ["班主欠了当铺四十两银子。", "谁借了钱没有还？"],
    ["她把钥匙藏在第三级台阶下面。", "开门的东西放在哪里？"],
    ["县官把一个无辜的人送上了刑场。", "谁被冤枉处死了？"],
    ["那年冬天一场热病带走了半个村子。", "什么病害死了很多人？"],
];

#[tokio::test]
#[ignore = "needs what crates/llm/tests/real_server/build.sh makes"]
async fn vectors_of_a_real_model_find_what_was_said_in_other_words() {
    let server = Server::start("vectors").await;
    let embedder = server.embedder();
    let vectors = async |part: usize| -> Vec<Vector> {
        let texts = PARAPHRASES.map(|pair| pair[part].to_owned());
        embedder.embed(texts.to_vec()).await.unwrap().vectors
    };
    let (lived, asked) = (vectors(0).await, vectors(1).await);
    let nearest = |question: &Vector| {
        let likeness = |text: &&Vector| question.cosine(text);
        let best = lived
            .iter()
            .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        best.cloned()
    };
    let found = asked.iter().zip(&lived);
    let found = found.filter(|(question, text)| nearest(question).as_ref() == Some(text));
    let found = found.count();
    figure(&format!(
        "{found} of {} questions in other words are nearest to what they ask about",
        PARAPHRASES.len()
    ));
    assert!(found * 2 > PARAPHRASES.len(), "{found}");
}
