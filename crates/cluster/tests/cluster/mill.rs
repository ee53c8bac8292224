//! A small game: three millers in two places earn, and are asked what they put by.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use playhouse_cluster::{Player, Position, Store, StoreError};
use playhouse_engine::cast::WorldTurn;
use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::message::{Cost, Digest, TokenUsage};
use playhouse_engine::mind::{Answering, Completion, MindInfo, Prompt};
use playhouse_engine::prelude::*;
use playhouse_engine::save::{Meta, PackedSlot, SlotName};
use playhouse_engine::session::{Game, Session, SetupError};
use tempfile::TempDir;

/// After so many turns the story is over.
pub(crate) const LAST: u64 = 4;
/// How many answers a story has.
pub(crate) const ANSWERS: u64 = 3 * LAST;

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Coins(u32);

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Savings {
    coins: u32,
}

impl Reply for Savings {
    type Constraints = ();
    const NAME: &'static str = "savings";
}

fn earn(turn: Res<WorldTurn>, mut millers: Query<(Entity, &mut Coins)>, mut commands: Commands) {
    if turn.0 >= LAST {
        commands.insert_resource(StoryEnd("The mill stands still.".into()));
        return;
    }
    for (miller, mut coins) in &mut millers {
        coins.0 += 3;
        let question = format!("You have {} coins. What do you put by?", coins.0);
        let ask = Ask::new("save", question, (), Savings { coins: 0 });
        commands.entity(miller).insert(ask);
    }
}

fn put_by(mut answers: Answers<Savings>, mut millers: Query<&mut Coins>) {
    for (miller, savings, _) in answers.take() {
        if let Ok(mut coins) = millers.get_mut(miller) {
            coins.0 -= savings.coins;
        }
    }
}

pub(crate) struct Mill;

impl Game for Mill {
    fn meta(&self) -> Meta {
        Meta {
            world: "Mill".into(),
            data: "1".into(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        let mut setup = Setup::new(seed);
        setup.saves().component::<Coins>("coins");
        setup.meet.add_systems(earn.in_set(MeetSet::Rules));
        setup.step.add_systems(put_by.in_set(StepSet::Take));
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        for place in ["Mill", "Ford"] {
            setup.spawn_stage(place, format!("You are a {place}."))?;
        }
        for (name, place) in [("Alda", "Mill"), ("Bero", "Mill"), ("Cado", "Ford")] {
            let miller = setup.spawn_actor(name, place, format!("You are {name}."))?;
            setup.world.entity_mut(miller).insert(Coins(1));
        }
        Ok(())
    }
}

type Paid = Arc<dyn Fn(&str, u32, TokenUsage, Cost) + Send + Sync>;

/// Answers by rule.
struct MillMind {
    info: MindInfo,
    paid: Paid,
}

impl Mind for MillMind {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let drawn = u64::from(prompt.number) + prompt.entity.len() as u64;
        let coins = (prompt.story_seed * 7 + drawn * drawn) % 3;
        let answer = json!({ "coins": coins }).to_string();
        let (paid, usage) = (self.paid.clone(), usage(prompt));
        let cost = self.info.price.as_ref().map(|price| price.of(usage));
        let asked = (prompt.entity.to_string(), prompt.number);
        Box::pin(async move {
            // As a request is sent when it is waited for.
            paid(&asked.0, asked.1, usage, cost.unwrap_or_default());
            Ok(Completion {
                usage: Some(usage),
                ..Completion::instant("mill", answer)
            })
        })
    }
}

/// What an answer takes, which is less than was reserved for it.
fn usage(prompt: &Prompt<'_>) -> TokenUsage {
    let bytes = prompt.turns().map(|turn| turn.to_text().len() as u64);
    TokenUsage {
        input: bytes.sum::<u64>() / 5,
        output: 5,
        ..TokenUsage::default()
    }
}

/// Whose answers follow from who is asked, and what: `paid` is told of each of them.
pub(crate) fn minds(paid: impl Fn(&str, u32) + Send + Sync + 'static) -> Minds {
    paid_minds(move |who, number, _, _| paid(who, number))
}

/// As [`minds`]; told what each takes.
pub(crate) fn paid_minds(
    paid: impl Fn(&str, u32, TokenUsage, Cost) + Send + Sync + 'static,
) -> Minds {
    let mut info = MindInfo::embedded("mill");
    info.max_output = 10;
    if let Some(price) = &mut info.price {
        (price.input, price.output) = (1.0, 1.0);
    }
    let paid = Arc::new(paid);
    Minds::all(Arc::new(MillMind { info, paid }))
}

/// A folder in memory, where there is one: saves of tests need not survive a loss of power.
pub(crate) fn scratch() -> TempDir {
    let scratch = tempfile::tempdir_in("/dev/shm");
    scratch.or_else(|_| tempfile::tempdir()).unwrap()
}

/// The name of the world with this seed.
pub(crate) fn named(seed: u64) -> SlotName {
    format!("mill-{seed}").parse().unwrap()
}

/// A story that was not played yet.
pub(crate) fn story(seed: u64) -> PackedSlot {
    let saves = scratch();
    let minds = minds(|_, _| {});
    let session = Session::start(saves.path(), "mill", &Mill, seed, minds).unwrap();
    let mut story = session.slot().pack().unwrap();
    story.settings = Some(b"{}\n".to_vec());
    story
}

/// The digest of the last snapshot of a story that nothing disturbs.
pub(crate) fn undisturbed(seed: u64) -> String {
    let saves = scratch();
    let minds = minds(|_, _| {});
    let mut session = Session::start(saves.path(), "mill", &Mill, seed, minds).unwrap();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().build().unwrap();
    runtime.block_on(session.engine.run(None)).unwrap();
    Digest::of(&session.slot().read_world().unwrap().unwrap()).to_string()
}

/// Asks a store until it answers.
pub(crate) fn patiently<T>(ask: impl Fn() -> Result<T, StoreError>) -> T {
    loop {
        match ask() {
            Err(error) if error.may_pass() => {}
            answer => return answer.unwrap(),
        }
    }
}

/// The asks whose answers a journal has.
pub(crate) fn recorded(journal: &[u8]) -> BTreeSet<(String, u32)> {
    let lines = std::str::from_utf8(journal).unwrap().lines();
    let outcomes = lines.filter(|line| line.contains("outcome"));
    let outcomes = outcomes.filter_map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        let outcome = line.get("outcome")?;
        let number = outcome["number"].as_u64()? as u32;
        Some((outcome["entity"].as_str()?.to_owned(), number))
    });
    outcomes.collect()
}

/// Whether the journal of a world has the answer to this ask.
pub(crate) fn is_recorded(store: &dyn Store, world: &SlotName, who: &str, number: u32) -> bool {
    let (journal, _) = patiently(|| store.read(world, Position::default()));
    recorded(&journal).contains(&(who.to_owned(), number))
}

/// Opens mills.
pub(crate) struct Miller<F>(pub(crate) F);

impl<F: Fn(&SlotName) -> Minds + Send + Sync> Player for Miller<F> {
    fn open(&self, root: &Path, world: &SlotName) -> Result<Session, UiText> {
        let minds = (self.0)(world);
        let session = Session::resume(root, world.as_str(), &Mill, minds, false);
        session.map_err(|error| error.text())
    }
}
