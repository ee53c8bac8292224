//! Stories of many days: whatever happened stays in the records and is found again, and no prompt
//! grows.
//!
//! `cargo test --release --test games two_hundred -- --ignored --nocapture` plays the long ones and
//! prints the figures of `docs/memory.md`.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "the long story says what it measured"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, Kind};
use playhouse_engine::context::{AgentContext, Chapters, Common, Level, Note};
use playhouse_engine::engine::{Engine, MeetSet, Setup, Stop};
use playhouse_engine::event::write_events_at_meeting;
use playhouse_engine::knowledge::{Fact, KnownBy, Today};
use playhouse_engine::memory::{AnswerWords, Lens, Witnessed};
use playhouse_engine::message::Language;
use playhouse_engine::mind::Minds;
use playhouse_engine::save::Meta;
use playhouse_engine::session::{Game, Session, SetupError, replay};
use playhouse_engine::world_data::DataFolder;
use playhouse_rpg::Campaign;
use playhouse_rpg::world_file::{CampaignStep, WorldKind, new_world};

use super::play::seen;

/// The sample world with many days at home and a fact for each of them.
#[derive(Clone)]
struct LongStory {
    campaign: Campaign,
}

fn story(language: Language, days: u32, budget: i32) -> LongStory {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("mill");
    new_world(&folder, WorldKind::Journey, language).unwrap();
    let data = DataFolder::at("../../data").unwrap();
    let world = DataFolder::at(&folder).unwrap();
    let mut campaign = Campaign::load_from(&data, &world, "mill").unwrap();
    let file = Arc::make_mut(&mut campaign.file);
    file.schedule = vec![CampaignStep::Home { days: days as i32 }];
    file.limits.context_tokens = Some(budget);
    file.facts.extend((1..=days).map(|day| Fact {
        id: planted(day),
        title: Planted::of(language, day).title(),
        text: Planted::of(language, day).text(),
        known_by: KnownBy::Only(Vec::new()),
        // What can be told stands in each question to those who know it.
        sworn: true,
        ..Fact::default()
    }));
    LongStory { campaign }
}

fn planted(day: u32) -> String {
    format!("planted-{day}")
}

/// What is learned on a day: where somebody keeps something. Each of the first 200 days has another
/// owner and thing.
struct Planted {
    language: Language,
    owner: &'static str,
    /// With its adjective, and without.
    thing: [&'static str; 2],
    place: &'static str,
}

const OWNERS: [[&str; 2]; 20] = [
    ["Hanna", "韩婆婆"],
    ["the tinker", "补锅匠"],
    ["Barnaby", "巴老三"],
    ["the widow Rook", "卢寡妇"],
    ["the schoolmaster", "教书先生"],
    ["Petronel", "裴五娘"],
    ["the ferryman", "摆渡人"],
    ["Old Gideon", "季老头"],
    ["the shepherd boy", "放羊娃"],
    ["the midwife", "接生婆"],
    ["Cuthbert", "古六"],
    ["the beekeeper", "养蜂人"],
    ["Isolde", "伊二嫂"],
    ["the charcoal burner", "烧炭人"],
    ["the drummer", "鼓手"],
    ["Wilhelmina", "魏姑娘"],
    ["the gravedigger", "掘墓人"],
    ["the baker", "面包师"],
    ["Ambrose", "安伯"],
    ["the tailor", "裁缝"],
];

const THINGS: [[[&str; 2]; 2]; 10] = [
    [["a silver thimble", "thimble"], ["一枚银顶针", "顶针"]],
    [
        ["a brass telescope", "telescope"],
        ["一架铜望远镜", "望远镜"],
    ],
    [
        ["a bundle of love letters", "letters"],
        ["一捆情书", "情书"],
    ],
    [["a loaded pistol", "pistol"], ["一把手枪", "手枪"]],
    [["a jar of honey", "honey"], ["一罐蜂蜜", "蜂蜜"]],
    [["a stolen chalice", "chalice"], ["一只偷来的圣杯", "圣杯"]],
    [["a wolf's skull", "skull"], ["一个狼头骨", "头骨"]],
    [["a wedding dress", "dress"], ["一件嫁衣", "嫁衣"]],
    [["a map of the marshes", "map"], ["一张沼泽地图", "地图"]],
    [["a broken violin", "violin"], ["一把破提琴", "提琴"]],
];

const PLACES: [[&str; 2]; 8] = [
    ["under the cider press", "榨酒机下面"],
    ["behind the chimney", "烟囱后面"],
    ["in a hollow oak", "空心橡树里"],
    ["beneath the chapel stairs", "礼拜堂台阶下"],
    ["at the bottom of the well", "井底"],
    ["inside the clock tower", "钟楼里"],
    ["among the beehives", "蜂箱中间"],
    ["in the hayloft", "干草棚里"],
];

impl Planted {
    fn of(language: Language, day: u32) -> Self {
        let number = day as usize - 1;
        let tongue = usize::from(language == Language::Zh);
        Self {
            language,
            owner: OWNERS[number % 20][tongue],
            thing: THINGS[number / 20 % 10][tongue],
            place: PLACES[number * 7 % 8][tongue],
        }
    }

    fn title(&self) -> String {
        let Self { owner, thing, .. } = self;
        match self.language {
            Language::En => format!("The {} of {owner}", thing[1]),
            Language::Zh => format!("{owner}的{}", thing[1]),
        }
    }

    fn text(&self) -> String {
        let Self {
            owner,
            thing,
            place,
            ..
        } = self;
        match self.language {
            Language::En => {
                let [first, rest] = [&owner[..1], &owner[1..]];
                format!("{}{rest} keeps {} {place}.", first.to_uppercase(), thing[0])
            }
            Language::Zh => format!("{owner}把{}放在{place}。", thing[0]),
        }
    }

    /// A question in the words of the fact, and one in others.
    fn questions(&self) -> [String; 2] {
        let Self { owner, thing, .. } = self;
        match self.language {
            Language::En => [
                format!("Where does {owner} keep {}?", thing[0]),
                format!("In which spot has {owner} been hiding that {}?", thing[1]),
            ],
            Language::Zh => [
                format!("{owner}把{}放在哪里？", thing[0]),
                format!("{owner}的{}究竟藏到什么地方去了？", thing[1]),
            ],
        }
    }
}

/// Each day, everybody learns the fact of the day.
fn plant(world: &mut World) {
    let day = world.resource::<Today>().0;
    let learners = world.resource::<CastList>().all();
    let learners: Vec<_> = learners
        .map(|(_, entity)| entity)
        .filter(|entity| world.get::<Kind>(*entity) == Some(&Kind::Actor))
        .collect();
    write_events_at_meeting(world, |events| events.teach(&learners, &planted(day), ""));
}

impl Game for LongStory {
    fn meta(&self) -> Meta {
        self.campaign.meta()
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        let mut setup = self.campaign.set_up(seed)?;
        let order = plant.after(MeetSet::Rules).before(MeetSet::Deliver);
        setup.meet.add_systems(order);
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        self.campaign.populate(setup)
    }
}

/// The tokens and the purpose of the longest prompt of each entity.
type Longest = Arc<Mutex<BTreeMap<Arc<str>, (u64, String)>>>;

fn measured_minds() -> (Minds, Longest) {
    let longest = Longest::default();
    let noted = Arc::clone(&longest);
    let minds = seen(move |prompt| {
        let mut longest = noted.lock().unwrap();
        let longest = longest.entry(prompt.entity.clone()).or_default();
        let new = (prompt.tokens(), prompt.purpose.to_owned());
        *longest = new.max(longest.clone());
    });
    (minds, longest)
}

fn check_prompts(longest: &Longest, budget: i32) {
    for (name, (tokens, purpose)) in longest.lock().unwrap().iter() {
        assert!(*tokens <= budget as u64, "{name}: {tokens} to {purpose}");
    }
}

/// All that somebody noted, in chapters and since.
fn notes(chapters: &Chapters) -> Vec<Note> {
    let records = chapters
        .all()
        .iter()
        .filter_map(|chapter| chapter.record.as_ref());
    let closed = records.flat_map(|record| record.notes.clone());
    closed.chain(chapters.open_notes().to_vec()).collect()
}

fn facts(notes: &[Note]) -> BTreeMap<String, u32> {
    let learned = notes.iter().filter_map(|note| match note.happening.read() {
        Some(Common::Learned { fact, .. }) if fact.starts_with("planted-") => {
            Some((fact.to_string(), note.day))
        }
        _ => None,
    });
    learned.collect()
}

fn is_learner(name: &EntityName, kind: Kind) -> bool {
    kind == Kind::Actor && !["Flour Wight", "粉魂"].contains(&&*name.0)
}

/// Checks that the records hold each fact on its day; returns how many chapters of each level stand
/// in prompts.
fn check_records(engine: &mut Engine, days: u32) -> BTreeMap<Level, u32> {
    let mut query = engine
        .world
        .query::<(&EntityName, &Kind, &AgentContext, &Chapters)>();
    let mut levels = BTreeMap::new();
    for (name, kind, context, chapters) in query.iter(&engine.world) {
        let mut standing: Vec<Note> = chapters.open_notes().to_vec();
        for entry in context.entries() {
            let tags = context.tags(entry.id());
            let id = tags.and_then(|tags| tags.text("chapter"));
            let chapter = chapters
                .all()
                .iter()
                .find(|chapter| Some(&*chapter.id.0) == id);
            let Some(chapter) = chapter else { continue };
            *levels.entry(chapter.level()).or_insert(0) += 1;
            let merged = chapters.merged(chapter.record.as_ref().unwrap());
            let told: Vec<_> = merged.notes.iter().map(|note| note.entry).collect();
            assert!(told.is_sorted(), "{name}: {told:?}");
            standing.extend(merged.notes);
        }
        for chapter in chapters.all() {
            assert!(!chapter.messages.is_empty() && chapter.record.is_some());
        }
        if is_learner(name, *kind) {
            let expected: BTreeMap<_, _> = (1..=days).map(|day| (planted(day), day)).collect();
            assert_eq!(facts(&standing), expected, "{name}");
            assert_eq!(facts(&notes(chapters)), expected, "{name}");
        }
    }
    levels
}

/// The shares of plain and paraphrased questions for which one of the first five memories is the
/// original of the day, or for which that still stands in the prompt.
fn found_shares(engine: &mut Engine, language: Language, days: u32) -> [f64; 2] {
    type Past = (
        &'static EntityName,
        &'static Kind,
        &'static AgentContext,
        &'static Chapters,
        &'static Witnessed,
    );
    let mut query = engine.world.query::<Past>();
    let mut learners = query.iter(&engine.world);
    let learner = learners.find(|(name, kind, ..)| is_learner(name, **kind));
    let (_, _, context, chapters, witnessed) = learner.unwrap();
    let words = engine.world.resource::<AnswerWords>();
    let mut found = [0; 2];
    for day in 1..=days {
        let planted = Planted::of(language, day);
        let mut entries = context.entries().iter();
        let stands = entries.any(|entry| entry.body().full_text().contains(&planted.text()));
        for (count, question) in found.iter_mut().zip(planted.questions()) {
            let memories =
                witnessed.recall((context, chapters), Lens::of(words), (&question, None), 5);
            let is_original = memories.iter().any(|memory| {
                let is_of_day = memory.day.as_deref() == Some(&*day.to_string());
                !memory.summary && is_of_day && memory.text.contains(&planted.text())
            });
            *count += u32::from(is_original || stands);
        }
    }
    found.map(|count| f64::from(count) / f64::from(days))
}

const DAYS: u32 = 20;
const BUDGET: i32 = 4_000;

#[tokio::test]
async fn a_long_story_stays_within_its_budget_and_loses_no_fact() {
    for language in [Language::En, Language::Zh] {
        let root = tempfile::tempdir().unwrap();
        let game = story(language, DAYS, BUDGET);
        let (minds, longest) = measured_minds();
        let mut session = Session::start(root.path(), "whole", &game, 3, minds).unwrap();
        let stop = session.engine.run(None).await.unwrap();
        assert!(matches!(stop, Stop::Finished(_)), "{stop:?}");
        check_prompts(&longest, BUDGET);
        let share = session.engine.totals().repeated_share();
        assert!(share >= 0.60, "{share}");
        let levels = check_records(&mut session.engine, DAYS);
        assert!(levels.keys().max() > Some(&Level::Chapter), "{levels:?}");
        let [plain, paraphrased] = found_shares(&mut session.engine, language, DAYS);
        assert!(
            plain >= 0.95 && paraphrased >= 0.85,
            "{plain} {paraphrased}"
        );
        let slot = session.slot().clone();
        let whole = slot.read_world().unwrap().unwrap();
        drop(session);
        if language == Language::En {
            let replayed = replay(&slot, &game, None).await;
            assert!(replayed.is_ok(), "{:?}", replayed.err());
            continue;
        }
        let (minds, _) = measured_minds();
        let mut session = Session::start(root.path(), "halves", &game, 3, minds).unwrap();
        session.engine.run(Some(u64::from(DAYS))).await.unwrap();
        let slot = session.slot().clone();
        drop(session);
        let (minds, _) = measured_minds();
        let mut session = Session::resume(root.path(), "halves", &game, minds, false).unwrap();
        session.engine.run(None).await.unwrap();
        assert!(slot.read_world().unwrap().unwrap() == whole);
    }
}

async fn play_to(engine: &mut Engine, day: u32) {
    while engine.world.resource::<Today>().0 < day {
        let turn = engine
            .world
            .resource::<playhouse_engine::cast::WorldTurn>()
            .0;
        let stop = engine.run(Some(turn + 1)).await.unwrap();
        if !matches!(stop, Stop::TurnReached(_)) {
            return;
        }
    }
}

/// The bytes by which the save grows each day.
async fn growth(engine: &mut Engine, game: &LongStory, from: u32, to: u32) -> u64 {
    let size = |engine: &Engine| {
        let bytes = playhouse_engine::save::snapshot(&engine.world, &game.meta());
        bytes.unwrap().len() as u64
    };
    play_to(engine, from).await;
    let before = size(engine);
    play_to(engine, to).await;
    (size(engine) - before) / u64::from(to - from)
}

#[tokio::test]
#[ignore = "takes minutes; for the figures of docs/memory.md"]
async fn two_hundred_days_are_remembered() {
    two_hundred_days(Language::En).await;
}

#[tokio::test]
#[ignore = "takes minutes; for the figures of docs/memory.md"]
async fn two_hundred_days_in_chinese_too() {
    two_hundred_days(Language::Zh).await;
}

async fn two_hundred_days(language: Language) {
    const DAYS: u32 = 200;
    for budget in [BUDGET, 16_000, 32_000] {
        let game = story(language, DAYS, budget);
        let (minds, longest) = measured_minds();
        let mut setup = game.set_up(3).unwrap();
        game.populate(&mut setup).unwrap();
        let journal = playhouse_engine::testing::journal();
        let mut engine = Engine::new(setup, minds, journal).unwrap();
        // By then something is archived with every budget, and comes to mind.
        let early = growth(&mut engine, &game, 80, 100).await;
        let late = growth(&mut engine, &game, 180, 200).await;
        let stop = engine.run(None).await.unwrap();
        assert!(matches!(stop, Stop::Finished(_)), "{stop:?}");
        check_prompts(&longest, budget);
        let levels = check_records(&mut engine, DAYS);
        let [plain, paraphrased] = found_shares(&mut engine, language, DAYS);
        let share = engine.totals().repeated_share();
        let longest = longest.lock().unwrap();
        let longest = longest.values().map(|(tokens, _)| tokens).max().unwrap();
        println!(
            "{language:?}, budget {budget}: longest prompt {longest}, levels {levels:?}, plain \
             {plain:.3}, paraphrased {paraphrased:.3}, repeated {share:.3}, a day {early} and \
             {late} bytes"
        );
        assert!(
            plain >= 0.95 && paraphrased >= 0.85,
            "{plain} {paraphrased}"
        );
        // With less room, something becomes a chapter every few days.
        assert!(share >= 0.88 || budget < 16_000, "{share}");
        assert!(late < early * 3 / 2, "{early} {late}");
    }
}
