//! Vectors of texts from a server on loopback: good ones, and all that can be wrong with them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bevy_ecs::prelude::*;
use playhouse_engine::context::{AgentContext, Chapter, ChapterId, Chapters};
use playhouse_engine::engine::{Engine, Signal, StepSet};
use playhouse_engine::exchange::{Answers, Ask, Prose, ProseRules};
use playhouse_engine::journal::{AskEnding, Journal, Line, Outcome};
use playhouse_engine::knowledge::{Fact, FactBook, KnownBy};
use playhouse_engine::message::{Body, Cost, Digest, Tags, Vector};
use playhouse_engine::mind::improviser::Improviser;
use playhouse_engine::mind::{
    AnswerForm, Answering, Embedder, Mind, MindInfo, Minds, Prompt, ScriptLine, ScriptMind,
};
use playhouse_engine::save::Slot;
use playhouse_engine::session::{Session, replay};
use playhouse_engine::testing::tiny;
use playhouse_engine::tool::{SpendLimits, ToolSet};
use playhouse_engine::world_data::DataFolder;
use playhouse_llm::models::Models;
use playhouse_rpg::Campaign;
use serde_json::{Value, json};

use crate::has;
use crate::openai::{Script, Server, Step, answer, error, whole};

/// How many turns are played: the first chapters are closed by then, and recalled.
const TURNS: u64 = 32;

/// The tokens of each text, as the good server counts them.
const TOKENS: usize = 40;

/// A vector that depends on the text alone.
fn vector(text: &str, width: usize) -> Vec<f32> {
    let mut numbers = vec![0.1; width];
    for (index, byte) in text.bytes().enumerate() {
        numbers[(index + usize::from(byte)) % width] += f32::from(byte % 7);
    }
    numbers
}

/// What a good server says of some texts.
fn data(texts: &[Value], width: usize) -> Vec<Value> {
    let items = texts.iter().enumerate().map(|(index, text)| {
        let embedding = vector(text.as_str().unwrap(), width);
        json!({"object": "embedding", "index": index, "embedding": embedding})
    });
    items.collect()
}

/// A server that answers the texts of each request, whose number it is told.
async fn server(answer: impl Fn(usize, &[Value]) -> Script + Send + Sync + 'static) -> Server {
    let count = AtomicUsize::new(0);
    Server::ruled(move |request| {
        assert_eq!(request.path, "/v1/embeddings");
        assert_eq!(request.body["model"], "small");
        let number = count.fetch_add(1, Ordering::SeqCst) + 1;
        answer(number, request.body["input"].as_array().unwrap())
    })
    .await
}

async fn good() -> Server {
    server(|_, texts| {
        let usage = json!({"total_tokens": TOKENS * texts.len()});
        whole(&json!({"data": data(texts, 24), "usage": usage}))
    })
    .await
}

fn embedder(port: u16) -> Arc<dyn Embedder> {
    let file = format!(
        r#"(
            providers: {{"own": (base_url: "http://127.0.0.1:{port}")}},
            models: {{"vectors": (provider: "own", model: "small",
                price: (input: 1000, cached: 0, output: 0, currency: "USD", date: "today"),
                embeddings: (batch: 8, timeout: 1.0))}},
        )"#
    );
    let models = Models::load(&file, "test.ron", &|_| None).unwrap();
    models.embedder("vectors").unwrap()
}

fn campaign() -> Campaign {
    let data = DataFolder::at("../../data").unwrap();
    let mut campaign = Campaign::load(&data, "drowned-assize").unwrap();
    Arc::make_mut(&mut campaign.file).limits.context_tokens = Some(2_000);
    campaign
}

/// The improviser, but for some plans that look something up where they can.
struct Curious {
    improviser: Improviser,
    plans: ScriptMind,
}

impl Mind for Curious {
    fn info(&self) -> &MindInfo {
        self.improviser.info()
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        match prompt.purpose {
            "home.plan" if prompt.seed.is_multiple_of(3) && may_search(prompt) => {
                self.plans.answer(prompt)
            }
            _ => self.improviser.answer(prompt),
        }
    }
}

fn may_search(prompt: &Prompt<'_>) -> bool {
    match prompt.form {
        AnswerForm::Json { constrained, .. } => !constrained["properties"]["query"].is_null(),
        AnswerForm::Prose { .. } => false,
    }
}

fn minds() -> Minds {
    let plan = json!({"mind": "What was that again?", "query": {"text": "Who severed the line?"}});
    let mind = Curious {
        improviser: Improviser::taught(playhouse_rpg::improviser::teach).unwrap(),
        plans: ScriptMind::by_rule(move |_| ScriptLine::say(plan.to_string())),
    };
    Minds::all(Arc::new(mind))
}

/// What became of a story.
struct Played {
    root: tempfile::TempDir,
    warnings: Vec<String>,
    lines: Vec<Line>,
    /// What all parts cost: vectors alone have a price.
    cost: Cost,
}

impl Played {
    fn slot(&self) -> Slot {
        Slot::find(self.root.path(), "story").unwrap()
    }

    /// How many texts and how many questions have vectors.
    fn vectors(&self) -> (usize, usize) {
        let texts = self.lines.iter().map(|line| match line {
            Line::Vectors(vectors) => vectors.vectors.len(),
            _ => 0,
        });
        let questions = self.lines.iter();
        let questions = questions.filter(|line| matches!(line, Line::Question(_)));
        (texts.sum(), questions.count())
    }

    /// The tokens of all vectors, and what they cost.
    fn of_vectors(&self) -> (u64, Cost) {
        let paid = self.lines.iter().filter_map(|line| match line {
            Line::Vectors(vectors) => Some((vectors.tokens, vectors.cost)),
            Line::Question(question) => Some((question.tokens, question.cost)),
            _ => None,
        });
        paid.fold(Default::default(), |(sum, cost), (tokens, more)| {
            (sum + tokens, Cost(cost.0 + more.0))
        })
    }

    /// How many plans look something up, and for how many of them there are vectors.
    fn looked_up(&self) -> (usize, usize) {
        let texts = self.lines.iter().filter_map(|line| {
            let Line::Outcome(outcome) = line else {
                return None;
            };
            let AskEnding::Answered { text, .. } = &outcome.ending else {
                return None;
            };
            let answer: Value = serde_json::from_str(text).ok()?;
            let sought = answer["query"]["text"].as_str()?.trim();
            Some((outcome, Digest::of(sought.as_bytes())))
        });
        let texts: Vec<_> = texts.collect();
        let has_vector = |(outcome, sought): &&(&Arc<Outcome>, Digest)| {
            self.lines.iter().any(|line| match line {
                Line::Question(question) => {
                    let asked = (&question.entity, question.number, &question.text);
                    asked == (&outcome.entity, outcome.number, sought)
                }
                _ => false,
            })
        };
        (texts.len(), texts.iter().filter(has_vector).count())
    }

    /// The memories of all asks, by entity: places answer side by side.
    fn recalled(&self) -> Vec<String> {
        let outcomes = self.lines.iter().filter_map(|line| match line {
            Line::Outcome(outcome) => Some(outcome),
            _ => None,
        });
        let mut outcomes: Vec<_> = outcomes.collect();
        outcomes.sort_by_key(|outcome| (outcome.id, outcome.number));
        let memories = outcomes.iter().flat_map(|outcome| outcome.recalled.iter());
        memories.map(|memory| memory.text.clone()).collect()
    }
}

/// A good answer but for one number.
fn changed(texts: &[Value], number: Value) -> Script {
    let mut data = data(texts, 4);
    data[0]["embedding"][1] = number;
    whole(&json!({"data": data}))
}

/// Plays a story up to the end of each of some turns, resuming it after each but the last.
async fn play(minds: impl Fn() -> Minds, until: &[u64]) -> Played {
    play_within(SpendLimits::default(), minds, until).await
}

/// As [`play`], with limits of the first part.
async fn play_within(limits: SpendLimits, minds: impl Fn() -> Minds, until: &[u64]) -> Played {
    let mut cost = Cost::default();
    let root = tempfile::tempdir().unwrap();
    let warnings = Arc::new(Mutex::new(Vec::new()));
    for (part, until) in until.iter().enumerate() {
        let game = campaign();
        let session = match part {
            0 => Session::start(root.path(), "story", &game, 7, minds()),
            _ => Session::resume(root.path(), "story", &game, minds(), false),
        };
        let mut session = session.unwrap();
        let sink = warnings.clone();
        session.engine.on_signal(move |signal| {
            if let Signal::RecallByWords(reason) = signal {
                sink.lock().unwrap().push(reason.to_string());
            }
        });
        if part == 0 {
            session.engine.settings.limits = limits;
        }
        session.engine.run(Some(*until)).await.unwrap();
        cost = Cost(cost.0 + session.engine.totals().spent.cost.0);
    }
    let slot = Slot::find(root.path(), "story").unwrap();
    let lines = Journal::read(&slot.journal_file()).unwrap();
    let warnings = std::mem::take(&mut *warnings.lock().unwrap());
    Played {
        root,
        warnings,
        lines,
        cost,
    }
}

async fn assert_replays(played: &Played) {
    let replayed = replay(&played.slot(), &campaign(), None).await.unwrap();
    let saved = played.slot().read_world().unwrap().unwrap();
    let is_same = replayed.snapshot == saved;
    assert!(is_same, "a replay leads to another world");
}

#[tokio::test]
async fn a_story_with_vectors_replays_and_resumes_without_the_server() {
    // Few memories come by themselves.
    let turns = 2 * TURNS;
    let server = good().await;
    let with = || minds().with_embedder(embedder(server.port));
    let whole = play(with, &[turns]).await;
    assert_eq!(whole.warnings, [""; 0]);
    let (texts, questions) = whole.vectors();
    assert!(texts > 20 && questions > 5, "{texts}, {questions}");
    let (plans, with_vectors) = whole.looked_up();
    assert_eq!(with_vectors, plans);
    assert!(plans > 3, "{plans}");
    let tokens = TOKENS * (texts + questions);
    let cost = Cost::from_units(1e-3 * tokens as f64);
    assert_eq!(whole.of_vectors(), (tokens as u64, cost));
    assert_eq!(whole.cost, cost);
    let without = play(minds, &[turns]).await;
    assert_eq!(without.vectors(), (0, 0));
    assert_ne!(whole.recalled(), without.recalled());
    // What is known is not asked for again.
    let parts = play(with, &[turns / 2, turns - 2, turns]).await;
    assert_eq!(parts.vectors(), (texts, questions));
    assert_eq!(parts.recalled(), whole.recalled());
    assert_eq!(parts.cost, cost);
    let asked = server.requests();
    for played in [whole, parts, without] {
        assert_replays(&played).await;
    }
    assert_eq!(server.requests(), asked);
}

#[tokio::test]
async fn whatever_is_wrong_with_a_server_is_said_once_and_words_go_on() {
    type Wrong = fn(usize, &[Value]) -> Script;
    let wrong: [(&str, Wrong); 10] = [
        // Too large for 32 bits.
        ("out of range", |_, texts| changed(texts, json!(1e300))),
        ("null", |_, texts| changed(texts, Value::Null)),
        ("are zero", |_, texts| {
            let zero = |_| json!({"embedding": [0.0, 0.0]});
            whole(&json!({"data": texts.iter().map(zero).collect::<Vec<_>>()}))
        }),
        ("before it have 4", |number, texts| {
            let width = if number == 1 { 4 } else { 5 };
            whole(&json!({"data": data(texts, width)}))
        }),
        ("instead of one for each", |_, texts| {
            whole(&json!({"data": data(&texts[1..], 4)}))
        }),
        ("instead of one for each", |_, texts| {
            let mut twice = data(texts, 4);
            twice.extend(data(texts, 4));
            whole(&json!({"data": twice}))
        }),
        ("more than", |_, texts| {
            whole(&json!({"data": data(texts, 4), "more": "x".repeat(3_000_000)}))
        }),
        ("made no vectors within 1 s", |_, _| vec![Step::Hang]),
        ("no usable answer", |_, _| answer(200, "", "not JSON {")),
        ("overloaded", |_, _| error(500, "overloaded")),
    ];
    let without = play(minds, &[TURNS]).await;
    for (says, wrong) in wrong {
        let server = server(wrong).await;
        let played = play(|| minds().with_embedder(embedder(server.port)), &[TURNS]).await;
        assert_eq!(played.warnings.len(), 1, "{says}: {:?}", played.warnings);
        has(&played.warnings[0], &[says]);
        assert_eq!(played.recalled(), without.recalled(), "{says}");
        assert_replays(&played).await;
    }
}

#[tokio::test]
async fn a_limit_holds_for_vectors_too_and_changes_nothing_else() {
    let server = good().await;
    let with = || minds().with_embedder(embedder(server.port));
    let whole = play(with, &[TURNS]).await;
    let limits = SpendLimits {
        cost: Some(Cost(whole.cost.0 / 2)),
        ..SpendLimits::default()
    };
    let first = play_within(limits, with, &[TURNS]).await;
    assert!(first.lines.len() < whole.lines.len());
    let spent = first.cost.0;
    assert!(0 < spent && spent <= whole.cost.0 / 2, "{spent}");
    assert_replays(&first).await;
    // A limit only stops a run: with more, the story is the same.
    let both = play_within(limits, with, &[TURNS, TURNS]).await;
    assert_eq!(both.recalled(), whole.recalled());
    assert_replays(&both).await;
}

#[tokio::test]
async fn texts_are_asked_for_in_batches_whose_answers_may_be_in_any_order() {
    let server = server(|_, texts| {
        assert!(texts.len() <= 8);
        let mut data = data(texts, 6);
        data.reverse();
        whole(&json!({"data": data}))
    })
    .await;
    let texts: Vec<_> = (0..20).map(|number| format!("text {number}")).collect();
    let made = embedder(server.port).embed(texts.clone()).await.unwrap();
    assert_eq!(server.requests(), 3);
    assert_eq!(made.vectors.len(), texts.len());
    for (text, made) in texts.iter().zip(&made.vectors) {
        let own = Vector::new(&vector(text, 6)).unwrap();
        assert_eq!(*made, own);
    }
}

/// Bob tells four things, three of which Ann has archived.
fn remember_ropes(world: &mut World, ann: Entity) {
    let mut context = world.get_mut::<AgentContext>(ann).unwrap();
    let told = |text: &str| Body::text(text).from_sender("Bob");
    let begin = context.add_human_message(told("Rain on the roof."), Tags::new());
    context.add_human_message(told("Somebody cut the rope."), Tags::new());
    let end = context.add_human_message(told("Bread again."), Tags::new());
    context.add_human_message(told("Good night."), Tags::new());
    let summary = Body::text("A day.");
    let tags = Tags::new();
    let messages = context.replace_message_range(begin, end, summary.clone(), tags);
    world.get_mut::<Chapters>(ann).unwrap().close(Chapter {
        record: None,
        id: ChapterId("Ann/1".into()),
        title: "A day".into(),
        turn: 0,
        messages: messages.unwrap(),
        summing_up: Vec::new(),
        summary,
    });
}

/// What a tool finds for words that nobody said and that no fact has.
async fn found_by(tool: &'static str, minds: impl Fn(ScriptMind) -> Minds) -> String {
    let mut tiny = tiny();
    let ann = tiny.ann;
    remember_ropes(tiny.world(), ann);
    let fact = |id: &str, text: &str| Fact {
        id: id.into(),
        text: text.into(),
        known_by: KnownBy::Everyone,
        ..Fact::default()
    };
    let lore = [
        ("rope", "A rope holds the bell."),
        ("rain", "It rains in May."),
        ("bread", "Bread is dear."),
        ("mill", "The mill is old."),
        ("king", "The king is young."),
    ]
    .map(|(id, text)| fact(id, text));
    tiny.world().insert_resource(FactBook::new(lore));
    let may_call = (ToolSet::of([tool]), Asks(1));
    tiny.world().entity_mut(ann).insert(may_call);
    let ask = |mut askers: Query<(Entity, &mut Asks)>, mut commands: Commands| {
        for (entity, mut asks) in &mut askers {
            if std::mem::take(&mut asks.0) > 0 {
                let rules = ProseRules::default();
                let ask = Ask::new("muse", "What happened?", rules, Prose("…".into()));
                commands.entity(entity).insert(ask);
            }
        }
    };
    let take = |mut answers: Answers<Prose>| drop(answers.take());
    let steps = (take.in_set(StepSet::Take), ask.in_set(StepSet::Ask));
    tiny.setup.step.add_systems(steps);
    let mind = ScriptMind::by_rule(move |prompt| {
        if prompt.rounds.is_empty() {
            ScriptLine::call([(tool, json!({"question": "Who severed the line?"}))])
        } else {
            ScriptLine::say("So it was.")
        }
    });
    let mut engine = Engine::in_memory(tiny.setup, minds(mind)).unwrap();
    engine.run(Some(1)).await.unwrap();
    let outcomes = engine.journal().lines().iter().find_map(|line| match line {
        Line::Outcome(outcome) => Some(outcome.rounds[0].results[0].text.clone()),
        _ => None,
    });
    outcomes.unwrap()
}

#[derive(Component)]
struct Asks(u32);

#[tokio::test]
async fn a_mind_that_searches_finds_what_has_the_same_meaning() {
    let server = server(|_, texts| {
        let items = texts.iter().map(|text| {
            let text = text.as_str().unwrap();
            let of_rope = text.contains("rope") || text.contains("severed");
            let embedding = if of_rope { [1.0, 0.0] } else { [-0.5, 1.0] };
            json!({"embedding": embedding})
        });
        whole(&json!({"data": items.collect::<Vec<_>>()}))
    })
    .await;
    let with = |mind| Minds::from(mind).with_embedder(embedder(server.port));
    for (tool, finds) in [
        ("recall", "Somebody cut the rope."),
        ("search_lore", "A rope holds the bell."),
    ] {
        let found = found_by(tool, with).await;
        let others = ["Bread", "mill"];
        let is_right = found.contains(finds) && !others.iter().any(|word| found.contains(word));
        assert!(is_right, "{tool}: {found}");
        let found = found_by(tool, Minds::from).await;
        assert!(!found.contains("rope"), "{tool}: {found}");
    }
    // The texts take two requests, the question one.
    assert_eq!(server.requests(), 2 * 3);
}
