//! A small game: three millers in two places earn, and are asked what they put by.

use std::path::Path;
use std::sync::Arc;

use playhouse_cluster::{Player, Position, Store, StoreError};
use playhouse_engine::cast::WorldTurn;
use playhouse_engine::journal::Journal;
use playhouse_engine::locale::{Localize, UiText};
use playhouse_engine::message::Digest;
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

type Paid = Arc<dyn Fn(&str, u32) + Send + Sync>;

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
        let (who, number) = (prompt.entity.clone(), prompt.number);
        let drawn = u64::from(number) + who.len() as u64;
        let coins = (prompt.story_seed * 7 + drawn * drawn) % 3;
        let paid = self.paid.clone();
        Box::pin(async move {
            // As a request is sent when it is waited for.
            paid(&who, number);
            let answer = json!({ "coins": coins }).to_string();
            Ok(Completion::instant("mill", answer))
        })
    }
}

/// Whose answers follow from who is asked, and what: `paid` is told of each of them.
pub(crate) fn minds(paid: impl Fn(&str, u32) + Send + Sync + 'static) -> Minds {
    Minds::all(Arc::new(MillMind {
        info: MindInfo::embedded("mill"),
        paid: Arc::new(paid),
    }))
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
    run(&mut session).unwrap();
    digest(&session.slot().read_world().unwrap().unwrap())
}

pub(crate) fn digest(snapshot: &[u8]) -> String {
    Digest::of(snapshot).to_string()
}

pub(crate) fn run(session: &mut Session) -> Result<Stop, EngineError> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().build().unwrap();
    runtime.block_on(session.engine.run(None))
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

/// Whether the journal of a world has the answer to this ask.
pub(crate) fn is_recorded(store: &dyn Store, world: &SlotName, who: &str, number: u32) -> bool {
    let (journal, _) = patiently(|| store.read(world, Position::default()));
    let folder = scratch();
    let path = folder.path().join("journal.jsonl");
    std::fs::write(&path, journal).unwrap();
    let lines = Journal::read(&path).unwrap();
    let mut lines = lines.iter();
    lines.any(|line| match line {
        playhouse_engine::journal::Line::Outcome(outcome) => {
            &*outcome.entity == who && outcome.number == number
        }
        _ => false,
    })
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
