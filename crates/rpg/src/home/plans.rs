//! Whose turn it is at home, and what it is asked.

use std::cmp::Reverse;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use playhouse_engine::cast::{
    Appearance, CastList, Exits, StageRng, Whereabouts, WorldSeed, WorldTurn,
};
use playhouse_engine::context::AgentContext;
use playhouse_engine::event::{EventWriter, PhraseError, Phrasebook, PromptSet, PromptTemplate};
use playhouse_engine::exchange::{Ask, AskTemplate, Voice};
use playhouse_engine::knowledge::{FactBook, Knowledge, MadeFacts, MadeKind};
use playhouse_engine::memory::{AnswerWords, Lore};
use serde::Serialize;

use super::here::{items_of, present};
use super::uses::OpenUses;
use crate::campaign_phase::{CampaignPhase, CampaignState};
use crate::components::{Health, LastFight, RpgWorld};
use crate::conversation::{SpokenLine, heard, last_event_text};
use crate::drama::{
    Belongings, Bonds, Condition, Goals, Hidden, History, Occasion, PARTY, Promise, Promises,
    StoryData,
};
use crate::interests::Interests;
use crate::kickoff::{PresentActor, fallen, names_without, present_without};
use crate::phase::{CurrentPlace, Phase};
use crate::plan::{Plan, PlanConstraints, Using};
use crate::scenes::open::OpenScene;
use crate::speaker::Speaker;
use crate::talk::Talk;
use crate::world_file::{ActorFaction, CampaignStep, Limits, WorldFile};

/// The maximum number of facts that play made which somebody is offered to tell.
const MADE_FACTS: usize = 3;
/// The maximum number of all facts that somebody is offered to tell.
const MAX_FACTS: usize = 12;
/// The maximum number of promises to one person that are open at the same time.
const MAX_PROMISES: usize = 3;

const PLAN: AskTemplate<PlanData> =
    AskTemplate::condensed("home.plan", "asks/plan", "asks/plan_short");
const WHEN: PromptTemplate<WhenData> = PromptTemplate::new("asks/when");
const DEFAULT_THOUGHT: PromptTemplate<PlanData> = PromptTemplate::new("fallback/plan_mind");
const DEFAULT_REASON: PromptTemplate<PlanData> = PromptTemplate::new("fallback/plan_wait");

/// What an actor is asked for its plan with.
#[derive(Default, Serialize)]
struct PlanData<'a> {
    me: &'a str,
    name: &'a str,
    kind: &'a str,
    place: &'a str,
    /// The part of the day or of the journey, in words.
    when: &'a str,
    day: u32,
    round: u32,
    together: bool,
    present: Vec<PresentActor>,
    exits: &'a [String],
    /// Those who have fallen and lie here.
    fallen: Vec<String>,
    /// The hit points of those here who have lost some, on a journey.
    hurt: Vec<HitPoints>,
    /// Whether it may go later, when it has decided what comes up here.
    stays: bool,
    /// Whether it is too late to walk anywhere.
    is_late: bool,
    heard: Vec<SpokenLine>,
    next_dungeon: &'a str,
    /// The dungeons that may be voted for in the evening.
    vote: &'a [String],
    last_fight: Option<&'a LastFight>,
    facts: Vec<KnownFact<'a>>,
    /// How many more it could tell.
    more_facts: usize,
    /// What it knows and nobody can say, by title: of what is not its own, the newest.
    sworn: Vec<&'a str>,
    /// What it has learned in this talk, for minds without language.
    news: Vec<KnownFact<'a>>,
    items: Vec<SeenItem<'a>>,
    lying: Vec<SeenItem<'a>>,
    /// Whether there are items in this world.
    has_items: bool,
    uses: &'a [Using],
    promise_to: &'a [String],
    promises: Vec<OpenPromise<'a>>,
    feelings: Vec<FeltFor<'a>>,
    /// What it wants and has neither got nor lost.
    goals: Vec<&'a str>,
    /// Whether the scene that is open here is about it.
    is_needed: bool,
    attempt: bool,
    whisper: bool,
    speech_chars: usize,
    refused: String,
    speaker: Speaker<'a>,
}

/// What the part of the day or of the journey is told with.
#[derive(Default, Serialize)]
struct WhenData<'a> {
    occasion: Occasion,
    day: u32,
    round: u32,
    rounds: i32,
    dungeon: &'a str,
}

/// What somebody has left of its hit points.
#[derive(Clone, Serialize)]
struct HitPoints {
    name: String,
    hp: i32,
    max_hp: i32,
}

/// A fact that somebody knows.
#[derive(Clone, Serialize)]
struct KnownFact<'a> {
    id: &'a str,
    title: &'a str,
    text: &'a str,
    /// From whom it was learned; empty if from nobody.
    from: &'a str,
    /// The titles of what else it knows that can't be true if this is.
    denies: Vec<&'a str>,
    /// Whether it was learned in this talk.
    is_new: bool,
    /// Whether one's own goal or choice depends on it, for minds that can't read text.
    is_own: bool,
    /// Whether a goal of one's own is lost if it spreads.
    is_feared: bool,
    /// Whether it was known at the start.
    #[serde(skip)]
    is_from_start: bool,
    /// Whether play made it.
    #[serde(skip)]
    is_made: bool,
    /// Whether nobody can say it.
    #[serde(skip)]
    is_sworn: bool,
    /// Whether it is not news to anybody here.
    #[serde(skip)]
    is_known_here: bool,
    /// The turn in which it was learned.
    #[serde(skip)]
    since: u64,
}

#[derive(Serialize)]
struct SeenItem<'a> {
    name: &'a str,
    look: &'a str,
    /// Whether there is something to read.
    readable: bool,
    /// Whether one's own goal or choice depends on it.
    is_own: bool,
    /// Whether one knows all that there is to read.
    is_known: bool,
}

#[derive(Serialize)]
struct OpenPromise<'a> {
    /// From 1, by which it is named when it is kept.
    number: usize,
    to: &'a str,
    words: &'a str,
}

/// What somebody feels for somebody here, from -3 to 3.
#[derive(Serialize)]
struct FeltFor<'a> {
    name: &'a str,
    value: i32,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    PLAN.add_to(prompts);
    prompts.add(&WHEN);
    prompts.add(&DEFAULT_THOUGHT).add(&DEFAULT_REASON);
}

/// Asks whose turn it is what it does; everybody if the world lets all act at the same time.
pub(crate) fn ask_plans(
    world: Res<RpgWorld>,
    (campaign, occasion): (Res<CampaignState>, Res<Occasion>),
    turn: Res<WorldTurn>,
    seed: Res<WorldSeed>,
    rng: StageRng,
    whereabouts: Whereabouts,
    list: Res<CastList>,
    exits: Query<&Exits>,
    minds: ActorMinds,
    mut talks: Query<(&mut Talk, Option<&OpenScene>)>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.entity() else {
        return;
    };
    let Ok((mut talk, scene)) = talks.get_mut(stage) else {
        return current.set_phase(Phase::Idle);
    };
    let limits = &world.0.limits;
    let (day, round) = (campaign.days_done + 1, round_of(&campaign));
    talk.begin(turn.0);
    let here = present(&whereabouts, &talk, stage);
    let asked = if limits.together {
        here.clone()
    } else {
        let names = here.iter().filter_map(|actor| whereabouts.name(*actor));
        let names: Vec<_> = names.map(|name| name.0.clone()).collect();
        let each_two = 2 * names.len() as u32;
        let max_turns = match scene {
            Some(scene) => scene.turns,
            None => Some(turns_of(limits, *occasion).min(each_two)),
        };
        let usual = (limits.talk_turns.max(1) as u32).min(each_two);
        let max_turns = max_turns.unwrap_or(usual);
        let next = talk.next(&names, max_turns, &mut rng.stream("order of talk"));
        let next = next.and_then(|name| list.by_name(&name));
        next.into_iter().collect()
    };
    current.set_phase(if asked.is_empty() {
        Phase::Idle
    } else {
        Phase::PlanDone
    });
    let exits = exits.get(stage).map(|exits| exits.0.as_slice());
    let exits = exits.unwrap_or_default().iter();
    let exits = exits.filter_map(|id| whereabouts.name(list.by_id(*id)?));
    let mut exits: Vec<_> = exits.map(ToString::to_string).collect();
    let is_home = matches!(*occasion, Occasion::Morning | Occasion::Afternoon);
    if !is_home {
        // Nobody leaves the party on a journey, and who is back wakes up at home.
        exits.clear();
    }
    // Nor does whoever has to decide something here, or to be there then, before it is decided.
    let choice = scene.and_then(|scene| minds.story.choice(&scene.id));
    let decides =
        |name: &str| choice.is_some_and(|choice| choice.who.iter().any(|who| who == name));
    let fallen = fallen(&whereabouts, &world.0, stage);
    let hurt: Vec<_> = if is_home {
        Vec::new() // Nobody is in danger here.
    } else {
        let points = |actor: &Entity| {
            let health = minds.bodies.get(*actor).ok()?;
            (health.hp < health.max).then(|| HitPoints {
                name: whereabouts.name_text(*actor),
                hp: health.hp,
                max_hp: health.max,
            })
        };
        here.iter().filter_map(points).collect()
    };
    let (next_dungeon, vote) = ahead(&campaign).unwrap_or_default();
    let when = WhenData {
        occasion: *occasion,
        day,
        round,
        rounds: limits.home_rounds.max(1),
        dungeon: campaign.dungeon(),
    };
    let when = match events.phrases().render(&WHEN, &when) {
        Ok(when) => when,
        Err(error) => return events.fault(error.into()),
    };
    for actor in asked {
        let Ok((context, knowledge, last_fight, bonds, promises, states)) = minds.minds.get(actor)
        else {
            continue;
        };
        let name = whereabouts.name_text(actor);
        let mut actors = world.0.actors.iter();
        let written = actors.find(|actor| actor.name == name);
        let is_hero = written.is_some_and(|actor| actor.faction == ActorFaction::Hero);
        let goals = written.map_or(&[][..], |actor| &actor.goals);
        let wanted = states.into_iter().flat_map(|states| states.open(goals));
        let wanted: Vec<_> = wanted.collect();
        let interests = Interests::of(&name, &wanted, &minds.story.scenes, &minds.history);
        let present = names_without(&whereabouts, &here, actor);
        let mut items: Vec<_> = minds.items_of(actor, knowledge).collect();
        let mut lying: Vec<_> = minds.items_of(stage, knowledge).collect();
        if let Ok(uses) = minds.uses.get(stage) {
            items.retain(|item| !uses.is_spent(item.name));
            lying.retain(|item| !uses.is_spent(item.name));
        }
        for item in items.iter_mut().chain(&mut lying) {
            item.is_own = interests.items.contains(item.name);
            let taught = minds.story.item(item.name).map(|item| &item.teaches);
            let mut taught = taught.into_iter().flatten();
            let knows = |fact: &String| knowledge.is_some_and(|known| known.knows(fact));
            item.is_known = taught.all(knows);
        }
        let mut others = here.clone();
        others.retain(|other| *other != actor);
        let heard = heard(context);
        let knows: Vec<_> = minds
            .known(knowledge, &others, &interests, turn.0)
            .collect();
        let (sworn, can_tell): (Vec<_>, Vec<_>) = knows.iter().partition(|fact| fact.is_sworn);
        let is_news = |fact: &&KnownFact<'_>| !fact.is_known_here;
        let fresh: Vec<_> = can_tell.iter().copied().filter(is_news).cloned().collect();
        let count = fresh.len();
        let facts = minds.worth_telling(fresh, knowledge, || {
            let found = last_event_text(context, "query");
            let spoken = heard.iter().map(SpokenLine::text).chain([&*found]);
            spoken.collect::<Vec<_>>().join("\n")
        });
        let common = minds.book.all().filter(|fact| fact.is_common());
        let common = common.map(|fact| fact.id.clone());
        let untold = sworn.iter().map(|fact| fact.id.to_owned()).chain(common);
        let open = promises.into_iter().flat_map(Promises::open).zip(1..);
        let open: Vec<_> = open
            .map(|(Promise { to, words, .. }, number)| OpenPromise { number, to, words })
            .collect();
        let at_hand = |item: &str| items.iter().chain(&lying).any(|known| known.name == item);
        let place = whereabouts.name_text(stage);
        let is_there =
            |what: &str| what == place || at_hand(what) || present.iter().any(|name| name == what);
        let uses = minds.uses.get(stage);
        let uses = uses.map(|open| open.offered(&minds.story, at_hand, is_there));
        let uses = uses.into_iter().flatten().map(|open| Using {
            item: open.item.to_owned(),
            with: open.does.with.clone(),
        });
        let uses = uses.collect();
        let readable = items.iter().chain(&lying).filter(|item| item.readable);
        let mut feels_about = present.clone();
        feels_about.retain(|other| bonds.is_some() && !talk.has_felt(&name, other));
        let mut promise_to = present.clone();
        promise_to.retain(|to| {
            let made = open.iter().filter(|promise| promise.to == to).count();
            promises.is_some() && made < MAX_PROMISES
        });
        let mut exits = exits.clone();
        let is_late = !exits.is_empty() && !walks_matter(&campaign, limits, is_hero);
        if is_late {
            exits.clear();
        }
        let is_needed =
            decides(&name) || scene.is_some_and(|scene| minds.is_named(&scene.id, &name));
        let stays = !exits.is_empty() && is_needed && choice.is_some();
        if stays {
            exits.clear();
        }
        let constraints = PlanConstraints {
            exits,
            whisper: limits.whisper,
            speech_chars: limits.speech_chars.max(1) as usize,
            tells: can_tell.iter().map(|fact| fact.id.to_owned()).collect(),
            untold: untold.collect(),
            held: names_of(&items),
            lying: names_of(&lying),
            readable: readable.map(|item| item.name.to_owned()).collect(),
            uses,
            promise_to,
            promised_to: open.iter().map(|promise| promise.to.to_owned()).collect(),
            attempt: talk.attempts(&name) < limits.attempts.max(0) as u32,
            feels_about,
            present,
        };
        let known = constraints.present.iter().filter(|_| bonds.is_some());
        let feelings = known.map(|name| FeltFor {
            name,
            value: bonds.map_or(0, |bonds| bonds.value(name)),
        });
        let data = PlanData {
            me: &name,
            name: &name,
            kind: "actor",
            place: &place,
            day,
            when: &when,
            round,
            together: limits.together,
            present: present_without(&whereabouts, &minds.appearances, &here, actor),
            exits: &constraints.exits,
            stays,
            is_late,
            fallen: fallen.clone(),
            hurt: hurt.clone(),
            heard,
            next_dungeon,
            vote,
            last_fight,
            more_facts: count.saturating_sub(facts.len()),
            facts,
            sworn: worth_listing(&sworn),
            news: knows.iter().filter(|fact| fact.is_new).cloned().collect(),
            items,
            lying,
            has_items: !minds.story.items.is_empty(),
            uses: &constraints.uses,
            promise_to: &constraints.promise_to,
            promises: open,
            feelings: feelings.collect(),
            goals: wanted.iter().map(|goal| goal.words.as_str()).collect(),
            is_needed,
            attempt: constraints.attempt,
            whisper: constraints.whisper,
            speech_chars: constraints.speech_chars,
            refused: last_event_text(context, "refusal"),
            speaker: Speaker::of(&world.0, &name).in_story(*seed, &name),
        };
        let at_stake = data.promises.iter();
        let at_stake = at_stake.map(|promise| format!("{}: {}", promise.to, promise.words));
        let at_stake = at_stake.chain(choice.map(|choice| choice.question.clone()));
        let cues = limits.cues(at_stake.collect(), &constraints.present);
        let ask = plan_ask(events.phrases(), &world.0, &data, constraints.clone());
        let voice = Voice::new(&name, &constraints.present).lately(context, &minds.words);
        let ask = ask.map(|ask| ask.recalling(cues).spoken_by(voice));
        events.insert_or_fault(&mut commands, actor, ask);
    }
}

/// What actors know, have and feel.
#[derive(SystemParam)]
pub(crate) struct ActorMinds<'w, 's> {
    book: Res<'w, FactBook>,
    made: Res<'w, MadeFacts>,
    lore: Res<'w, Lore>,
    story: Res<'w, StoryData>,
    minds: Query<
        'w,
        's,
        (
            &'static AgentContext,
            Option<&'static Knowledge>,
            Option<&'static LastFight>,
            Option<&'static Bonds>,
            Option<&'static Promises>,
            Option<&'static Goals>,
        ),
    >,
    history: Res<'w, History>,
    belongings: Query<'w, 's, &'static Belongings>,
    hidden: Query<'w, 's, &'static Hidden>,
    uses: Query<'w, 's, &'static OpenUses>,
    appearances: Query<'w, 's, &'static Appearance>,
    bodies: Query<'w, 's, &'static Health>,
    words: Res<'w, AnswerWords>,
}

impl ActorMinds<'_, '_> {
    /// What somebody has, or what lies on a stage for somebody who knows this to see.
    fn items_of<'a>(
        &'a self,
        holder: Entity,
        knowledge: Option<&'a Knowledge>,
    ) -> impl Iterator<Item = SeenItem<'a>> {
        let items = items_of(&self.story, self.belongings.get(holder).ok());
        let hidden = self.hidden.get(holder).ok();
        let hides = move |item: &str| hidden.is_some_and(|hidden| hidden.hides(item, knowledge));
        let items = items.filter(move |item| !hides(&item.name));
        items.map(|item| SeenItem {
            name: &item.name,
            look: &item.look,
            readable: !item.teaches.is_empty(),
            is_own: false,
            is_known: false,
        })
    }

    /// Whether something is still hidden where this fact says.
    fn hides_by(&self, fact: &str) -> bool {
        let mut hidden = self.hidden.iter().flat_map(|hidden| hidden.0.values());
        hidden.any(|by| **by == *fact)
    }

    /// Whether the condition of a scene names somebody.
    fn is_named(&self, scene: &str, name: &str) -> bool {
        let scene = self.story.scene(scene);
        let parts = scene.map(|scene| scene.when.parts()).unwrap_or_default();
        parts.iter().any(|part| match part {
            Condition::At(who, _) | Condition::Alive(who) => who == name || who == PARTY,
            Condition::Together(names) => names.iter().any(|who| who == name),
            _ => false,
        })
    }

    /// What somebody who knows this may tell of what is news to somebody here: what it has always
    /// known first, so that nobody's own secrets make way for news; then what was spoken of or
    /// learned last; what play made last, and only the newest of it.
    fn worth_telling<'a>(
        &self,
        mut facts: Vec<KnownFact<'a>>,
        knowledge: Option<&Knowledge>,
        spoken: impl FnOnce() -> String,
    ) -> Vec<KnownFact<'a>> {
        let made = self.made.newest_first();
        let made = made.filter(|made| facts.iter().any(|fact| fact.id == made.id));
        let newest: Vec<_> = made.take(MADE_FACTS).map(|made| made.id.clone()).collect();
        facts.retain(|fact| !fact.is_made || newest.iter().any(|id| id == fact.id));
        let found = if facts.len() > MAX_FACTS {
            let spoken = spoken();
            self.lore
                .find(&self.book, knowledge, (&spoken, None), MAX_FACTS)
        } else {
            Vec::new()
        };
        facts.sort_by_key(|fact| {
            let spoken_of = found.iter().position(|found| found.id == fact.id);
            let is_own_secret = fact.is_from_start && fact.is_own;
            (
                fact.is_made,
                !fact.is_from_start,
                !is_own_secret,
                spoken_of.unwrap_or(usize::MAX),
                Reverse(fact.since),
            )
        });
        facts.truncate(MAX_FACTS);
        facts
    }

    /// All facts that somebody knows and not everyone does, in the order of the world file.
    fn known<'a>(
        &'a self,
        knowledge: Option<&'a Knowledge>,
        others: &[Entity],
        interests: &Interests<'_>,
        turn: u64,
    ) -> impl Iterator<Item = KnownFact<'a>> {
        let knows = |other: &Entity, id: &str| {
            let known = self.minds.get(*other).ok().and_then(|(_, known, ..)| known);
            known.is_some_and(|known| known.knows(id))
        };
        let facts = self.book.all().filter(|fact| !fact.is_common());
        facts.filter_map(move |fact| {
            let knowledge = knowledge?;
            let known = knowledge.get(&fact.id)?;
            let made = MadeKind::of(&fact.id);
            if made == Some(MadeKind::Hiding) && !self.hides_by(&fact.id) {
                return None;
            }
            let denials = self.book.denials(fact, knowledge);
            let is_known_here = others.iter().all(|other| knows(other, &fact.id));
            Some(KnownFact {
                denies: denials.map(|fact| fact.title.as_str()).collect(),
                id: &fact.id,
                title: if made.is_some() {
                    &fact.text
                } else {
                    &fact.title
                },
                text: &fact.text,
                from: known.from.as_deref().unwrap_or_default(),
                is_new: !known.by.is_empty() && known.turn == turn,
                is_own: interests.facts.contains(fact.id.as_str()),
                is_feared: interests.feared.contains(fact.id.as_str()),
                is_from_start: known.by.is_empty(),
                is_made: made.is_some(),
                is_sworn: fact.sworn,
                // Whoever is alone can tell everybody elsewhere.
                is_known_here: !others.is_empty() && is_known_here,
                since: known.turn,
            })
        })
    }
}

/// The titles of what is news to somebody here, in the order of the world file: what is one's
/// own, and the newest of the rest, as many as are offered to be told.
fn worth_listing<'a>(facts: &[&KnownFact<'a>]) -> Vec<&'a str> {
    let news = facts.iter().filter(|fact| !fact.is_known_here);
    let mut news: Vec<_> = news.enumerate().collect();
    news.sort_by_key(|(_, fact)| (!fact.is_own, Reverse(fact.since)));
    news.truncate(MAX_FACTS);
    news.sort_by_key(|(place, _)| *place);
    news.into_iter().map(|(_, fact)| fact.title).collect()
}

fn names_of(items: &[SeenItem<'_>]) -> Vec<String> {
    items.iter().map(|item| item.name.to_owned()).collect()
}

fn plan_ask(
    phrases: &Phrasebook,
    world: &WorldFile,
    data: &PlanData,
    constraints: PlanConstraints,
) -> Result<Ask<Plan>, PhraseError> {
    let fallback = Plan::wait(
        phrases.render(&DEFAULT_THOUGHT, data)?,
        phrases.render(&DEFAULT_REASON, data)?,
    );
    let ask = PLAN.ask(phrases, data, constraints, fallback)?;
    Ok(ask.max_tokens(world.limits.max_reply_tokens()))
}

/// The dungeon to which the next journey leads, or those that will be voted for, as people at home
/// know.
fn ahead(campaign: &CampaignState) -> Option<(&str, &[String])> {
    let is_home = matches!(
        campaign.phase,
        CampaignPhase::Home { .. } | CampaignPhase::Return { .. }
    );
    match campaign.ahead.as_ref().filter(|_| is_home)? {
        CampaignStep::Dungeon(next) => Some((next, &[])),
        CampaignStep::Vote(names) => Some(("", names)),
        _ => None,
    }
}

/// Whether it matters where somebody walks: after the last round of a day neighbours go home to
/// sleep.
fn walks_matter(campaign: &CampaignState, limits: &Limits, is_hero: bool) -> bool {
    let is_last_round = round_of(campaign) >= limits.home_rounds.max(1) as u32;
    is_hero || !is_last_round
}

/// The number of turns of talk without a scene.
fn turns_of(limits: &Limits, occasion: Occasion) -> u32 {
    let turns = match occasion {
        Occasion::Morning | Occasion::Afternoon => limits.talk_turns.max(1),
        Occasion::Travel => limits.travel_turns,
        Occasion::Camp => limits.camp_turns,
        Occasion::Retreat | Occasion::Return => limits.return_turns,
    };
    u32::try_from(turns).unwrap_or_default()
}

/// The round of a day at home; 0 anywhere else.
fn round_of(campaign: &CampaignState) -> u32 {
    match campaign.phase {
        CampaignPhase::Home { round, .. } => round,
        _ => 0,
    }
}
