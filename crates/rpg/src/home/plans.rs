//! Whose turn it is at home, what it is asked, and what comes of its plan.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use playhouse_engine::cast::{CastList, Exits, StageRng, WorldSeed, WorldTurn};
use playhouse_engine::event::{EventWriter, PhraseError, Phrasebook, Prompt};
use playhouse_engine::exchange::{Answers, Ask, Question, Voice};
use playhouse_engine::world_data::Filling;
use rand::seq::SliceRandom;
use serde::Serialize;

use super::here::present;
use super::view::{
    ActorMinds, Decided, KnownFact, OpenPromise, OwedPromise, SeenItem, View, worth_listing,
};
use crate::actions::rules::Rules;
use crate::actions::{Attempt, Plan, PlanConstraints, Slot, Use};
use crate::attempt::pending::PendingAttempts;
use crate::attempt::referee::talk_goes_on;
use crate::campaign_phase::{CampaignPhase, CampaignState};
use crate::components::{LastFight, Residence, RpgWorld};
use crate::conversation::{SpokenLine, last_event_text};
use crate::drama::Occasion;
use crate::events::Refusal;
use crate::kickoff::{PresentActor, fallen, present_without};
use crate::phase::{CurrentPlace, Phase};
use crate::scenes::open::OpenScene;
use crate::speaker::Speaker;
use crate::talk::{Ending, Talk};
use crate::world_file::{Actor, CampaignStep, Limits};

/// The maximum number of promises to one person that are open at the same time.
const MAX_PROMISES: usize = 3;

/// What an actor is asked for its plan with.
#[derive(Serialize, Prompt)]
#[prompt(
    "asks/plan",
    purpose = "home.plan",
    short = "asks/plan_short",
    THOUGHT = "fallback/plan_mind",
    REASON = "fallback/plan_wait"
)]
pub(super) struct PlanData<'a> {
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
    /// Whether it may go later, when it has decided what comes up here; said once a talk.
    stays: bool,
    /// Whether it is too late to walk anywhere.
    is_late: bool,
    heard: &'a [SpokenLine],
    next_dungeon: &'a str,
    decided: Decided<'a>,
    /// The dungeons that may be voted for in the evening.
    vote: &'a [String],
    last_fight: Option<&'a LastFight>,
    facts: Vec<KnownFact<'a>>,
    /// How many more it could tell.
    more_facts: usize,
    /// What it knows and nobody can say, by title: of what is not its own, the newest.
    sworn: Vec<&'a str>,
    /// What it has learned in this talk, for minds without language.
    news: Vec<&'a KnownFact<'a>>,
    items: &'a [SeenItem<'a>],
    lying: &'a [SeenItem<'a>],
    /// What stays where it is until others have decided on it.
    reserved: Vec<&'a str>,
    /// Whether there are items in this world.
    has_items: bool,
    uses: &'a [Use],
    promise_to: &'a [String],
    promises: &'a [OpenPromise<'a>],
    owed: &'a [OwedPromise<'a>],
    feelings: Vec<FeltFor<'a>>,
    /// What it wants and has neither got nor lost.
    goals: Vec<&'a str>,
    /// Whether the scene that is open here is about it.
    is_needed: bool,
    /// The names of what it can say and do now, and of these what is said and what is done.
    can: Vec<&'a str>,
    said: Vec<&'a str>,
    done: Vec<&'a str>,
    /// How those here are addressed, for minds without language.
    called: BTreeMap<&'a str, &'a str>,
    /// The languages that it speaks besides the one that all share.
    languages: &'a [String],
    speech_chars: usize,
    ending: Ending,
    refused: String,
    speaker: Speaker<'a>,
}

/// What the part of the day or of the journey is told with.
#[derive(Default, Serialize, Prompt)]
#[prompt("asks/when")]
pub(super) struct WhenData<'a> {
    occasion: Occasion,
    day: u32,
    round: u32,
    rounds: u32,
    /// The name of the round; may be empty.
    hour: &'a str,
    dungeon: &'a str,
}

/// What an actor has left of its hit points.
#[derive(Clone, Serialize)]
struct HitPoints {
    name: String,
    hp: i32,
    max_hp: i32,
}

/// What an actor feels for another here, from -3 to 3.
#[derive(Serialize)]
struct FeltFor<'a> {
    name: &'a str,
    value: i32,
}

/// Asks whose turn it is what it does; everybody if the world lets all act at the same time.
pub(crate) fn ask_plans(
    params: PlanParams,
    rng: StageRng,
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
    talk.begin(params.turn.0);
    let played = scene.and_then(|scene| params.minds.story.scene(&scene.id));
    talk.keep_among(played.map_or(&[], |scene| &scene.among));
    let here = present(&params.minds.whereabouts, &talk, stage);
    let asked = params.asked(&here, &mut talk, scene, &rng);
    current.set_phase(if asked.is_empty() {
        Phase::Idle
    } else {
        Phase::PlanDone
    });
    let when = match events.phrases().fill(&params.when()) {
        Ok(when) => when,
        Err(error) => return events.fault(error.into()),
    };
    let moment = Moment {
        params: &params,
        place: params.minds.whereabouts.name_text(stage),
        stage,
        here,
        talk: &talk,
        scene,
        when,
    };
    for actor in asked {
        if let Some(view) = params.minds.view(stage, &moment.here, actor) {
            let ask = moment.ask(events.phrases(), actor, &view);
            events.insert_or_fault(&mut commands, actor, ask);
        }
    }
}

/// What it takes to ask for plans.
#[derive(SystemParam)]
pub(crate) struct PlanParams<'w, 's> {
    campaign: Res<'w, CampaignState>,
    occasion: Res<'w, Occasion>,
    turn: Res<'w, WorldTurn>,
    seed: Res<'w, WorldSeed>,
    list: Res<'w, CastList>,
    exits: Query<'w, 's, &'static Exits>,
    residences: Query<'w, 's, &'static Residence>,
    minds: ActorMinds<'w, 's>,
}

impl PlanParams<'_, '_> {
    fn limits(&self) -> &Limits {
        &self.minds.world.0.limits
    }

    /// Who of those here is asked.
    fn asked(
        &self,
        here: &[Entity],
        talk: &mut Talk,
        scene: Option<&OpenScene>,
        rng: &StageRng,
    ) -> Vec<Entity> {
        let limits = self.limits();
        if limits.together {
            return here.to_vec();
        }
        let names: Vec<_> = here
            .iter()
            .filter_map(|actor| self.minds.whereabouts.name(*actor))
            .map(|name| name.0.clone())
            .collect();
        let each_two = 2 * names.len() as u32;
        let max_turns = match scene {
            Some(scene) => scene.turns,
            None => Some(turns_of(limits, *self.occasion).min(each_two)),
        };
        let usual = (limits.talk_turns.max(1) as u32).min(each_two);
        let max_turns = max_turns.unwrap_or(usual);
        let next = talk
            .next(&names, max_turns, &mut rng.stream("order of talk"))
            .and_then(|name| self.list.by_name(&name));
        next.into_iter().collect()
    }

    fn when(&self) -> WhenData<'_> {
        WhenData {
            occasion: *self.occasion,
            day: self.day(),
            round: self.campaign.round(),
            rounds: self.minds.world.0.home_rounds(),
            hour: self.minds.world.0.hour(self.campaign.round()),
            dungeon: self.campaign.dungeon(),
        }
    }

    fn day(&self) -> u32 {
        self.campaign.days_done + 1
    }

    fn is_home(&self) -> bool {
        matches!(*self.occasion, Occasion::Morning | Occasion::Afternoon)
    }
}

/// A turn at a stage.
struct Moment<'a, 'w, 's> {
    params: &'a PlanParams<'w, 's>,
    stage: Entity,
    place: String,
    here: Vec<Entity>,
    talk: &'a Talk,
    scene: Option<&'a OpenScene>,
    /// The part of the day or of the journey, in words.
    when: String,
}

/// Where an actor may go, and why it may not.
#[derive(Default)]
struct Ways {
    exits: Vec<String>,
    is_late: bool,
    stays: bool,
    is_needed: bool,
}

impl Moment<'_, '_, '_> {
    /// Nobody leaves the party on a journey, and a party that is back wakes up at home. A character
    /// that has to decide something here, or that has to be there then, stays until it is decided.
    fn ways(&self, view: &View<'_>) -> Ways {
        let params = self.params;
        let is_named = |scene: &OpenScene| params.minds.is_named(&scene.id, &view.name);
        let is_needed = view.decides || view.is_chosen_of || self.scene.is_some_and(is_named);
        let exits = self.exits();
        let can_go = !exits.is_empty();
        let is_late = can_go && !self.walks_matter(view);
        let is_open = params.minds.choices(self.stage).next().is_some();
        let stays = can_go && !is_late && is_needed && is_open;
        Ways {
            exits: if is_late || stays { Vec::new() } else { exits },
            is_late,
            stays,
            is_needed,
        }
    }

    /// Whether it matters where an actor walks: after the last round of a day some go where they
    /// sleep, or where they are on the next.
    fn walks_matter(&self, view: &View<'_>) -> bool {
        let file = &self.params.minds.world.0;
        let is_last_round = self.params.campaign.round() >= file.home_rounds();
        let goes = |actor: &Actor| actor.goes_before(self.params.day() + 1).is_some();
        !(is_last_round && file.actor(&view.name).is_some_and(goes))
    }

    fn exits(&self) -> Vec<String> {
        let params = self.params;
        let Some(exits) = params
            .exits
            .get(self.stage)
            .ok()
            .filter(|_| params.is_home())
        else {
            return Vec::new();
        };
        let places = exits.0.iter().filter_map(|id| params.list.by_id(*id));
        let names = places.filter_map(|place| params.minds.whereabouts.name(place));
        names.map(ToString::to_string).collect()
    }

    /// The places to which open ways lead from here, whether it can go now or not; on a journey,
    /// those at home to which it can go once it is back.
    fn within_reach(&self, actor: Entity) -> Vec<String> {
        let params = self.params;
        let home = params.residences.get(actor).ok();
        let home = home.and_then(|Residence(home)| params.list.by_name(home));
        let mut reached = vec![self.stage];
        reached.extend(home.filter(|home| !params.is_home() && *home != self.stage));
        let mut next = 0;
        while let Some(stage) = reached.get(next) {
            let exits = params
                .exits
                .get(*stage)
                .into_iter()
                .flat_map(|exits| &exits.0);
            let places = exits.filter_map(|id| params.list.by_id(*id));
            let places: Vec<_> = places.filter(|place| !reached.contains(place)).collect();
            reached.extend(places);
            next += 1;
        }
        let places = reached.iter().skip(1);
        places
            .map(|place| params.minds.whereabouts.name_text(*place))
            .collect()
    }

    /// Those here who have lost hit points; at home nobody is in danger.
    fn hurt(&self) -> Vec<HitPoints> {
        let minds = &self.params.minds;
        let points = |actor: &Entity| {
            let health = minds.bodies.get(*actor).ok()?;
            (health.hp < health.max).then(|| HitPoints {
                name: minds.whereabouts.name_text(*actor),
                hp: health.hp,
                max_hp: health.max,
            })
        };
        let here = self.here.iter().filter(|_| !self.params.is_home());
        here.filter_map(points).collect()
    }

    /// What is legal for an actor who is offered to go there and to tell these facts.
    fn legal(
        &self,
        (actor, view): (Entity, &View<'_>),
        exits: Vec<String>,
        facts: &[KnownFact<'_>],
    ) -> PlanConstraints {
        let limits = self.params.limits();
        let present = &view.present;
        let may_feel =
            |other: &&String| view.bonds.is_some() && !self.talk.has_felt(&view.name, other);
        let promised = |to: &String| {
            let promises = view.open_promises().iter();
            promises.filter(|promise| promise.to == to).count()
        };
        let may_promise = |to: &&String| view.promises.is_some() && promised(to) < MAX_PROMISES;
        let file = &self.params.minds.world.0;
        let (sees, languages) = (file.sees(&view.name), file.actor(&view.name));
        let readable = view.at_hand().filter(|item| item.readable && sees);
        let known = view.facts.iter().map(|fact| fact.id.to_owned());
        let reserved: Vec<_> = view.reserved().collect();
        let is_free = |item: &&SeenItem<'_>| !reserved.contains(&item.name);
        let spare = || view.items.iter().filter(is_free);
        let destructible = spare().filter(|item| item.destructible);
        PlanConstraints {
            exits,
            ways: self.within_reach(actor),
            languages: languages.map_or(Vec::new(), |actor| actor.languages.clone()),
            whisper: limits.whisper,
            speech_chars: limits.speech_chars.max(1) as usize,
            tells: facts.iter().map(|fact| fact.id.to_owned()).collect(),
            known: known.chain(self.params.minds.common()).collect(),
            held: names_of(&view.items),
            spare: names_of(spare()),
            lying: names_of(view.lying.iter().filter(is_free)),
            readable: readable.map(|item| item.name.to_owned()).collect(),
            uses: self.params.minds.uses(self.stage, view),
            promise_to: present.iter().filter(may_promise).cloned().collect(),
            owed_by: view.owed.iter().map(|promise| promise.by.clone()).collect(),
            destructible: destructible.map(|item| item.name.to_owned()).collect(),
            is_last: self.talk.ending == Ending::Now,
            searched: self.talk.has_searched(&view.name),
            attempt: self.talk.attempts(&view.name) < limits.attempts.max(0) as u32,
            feels_about: present.iter().filter(may_feel).cloned().collect(),
            present: present.clone(),
        }
    }

    /// The question to an actor.
    fn ask(
        &self,
        phrases: &Phrasebook,
        actor: Entity,
        view: &View<'_>,
    ) -> Result<Ask<Plan>, PhraseError> {
        let ways = self.ways(view);
        let facts = self.params.minds.worth_telling(view);
        let constraints = self.legal((actor, view), ways.exits.clone(), &facts.0);
        let data = self.data(actor, view, &ways, (&constraints, facts));
        let promises = data.promises.iter();
        let promises = promises.map(|promise| format!("{}: {}", promise.to, promise.words));
        let choices = self.params.minds.choices(self.stage);
        let at_stake = promises.chain(choices.map(|choice| choice.question.clone()));
        let limits = self.params.limits();
        let cues = limits.cues(at_stake.collect(), &constraints.present);
        let voice = Voice::new(&view.name, &constraints.present)
            .lately(view.context, &self.params.minds.words);
        let filling = Filling::of(&data);
        let fallback = Plan::wait(
            phrases.say(PlanData::THOUGHT, &filling)?,
            phrases.say(PlanData::REASON, &filling)?,
        );
        let ask = data
            .ask(phrases, constraints.clone(), fallback)?
            .max_tokens(limits.max_reply_tokens());
        Ok(ask.recalling(cues).spoken_by(voice))
    }

    fn data<'a>(
        &'a self,
        actor: Entity,
        view: &'a View<'_>,
        ways: &'a Ways,
        (constraints, (facts, more_facts)): (&'a PlanConstraints, (Vec<KnownFact<'a>>, usize)),
    ) -> PlanData<'a> {
        let params = self.params;
        let (minds, file) = (&params.minds, &params.minds.world.0);
        let (next_dungeon, vote) = ahead(&params.campaign).unwrap_or_default();
        let known = view.present.iter().filter(|_| view.bonds.is_some());
        let feelings = known.map(|name| FeltFor {
            name,
            value: view.bonds.map_or(0, |bonds| bonds.value(name)),
        });
        let can = |slot: Option<Slot>| {
            let rows = constraints.possible();
            let rows = rows.filter(move |row| slot.is_none_or(|slot| row.slot == slot));
            rows.map(|row| row.name).collect()
        };
        PlanData {
            me: &view.name,
            name: &view.name,
            kind: "actor",
            place: &self.place,
            day: params.day(),
            when: &self.when,
            round: params.campaign.round(),
            together: params.limits().together,
            present: present_without(&minds.whereabouts, &minds.appearances, &self.here, actor),
            exits: &ways.exits,
            stays: ways.stays && !self.talk.has_had_turn(&view.name),
            is_late: ways.is_late,
            fallen: fallen(&minds.whereabouts, file, self.stage),
            hurt: self.hurt(),
            heard: &view.heard,
            decided: minds.decided(view),
            next_dungeon,
            vote,
            last_fight: view.last_fight,
            facts,
            more_facts,
            sworn: worth_listing(view),
            news: view.facts.iter().filter(|fact| fact.is_new).collect(),
            items: &view.items,
            lying: &view.lying,
            reserved: view.reserved().collect(),
            has_items: !minds.story.items.is_empty(),
            uses: &constraints.uses,
            promise_to: &constraints.promise_to,
            promises: view.open_promises(),
            owed: &view.owed,
            feelings: feelings.collect(),
            goals: view.wanted.iter().map(|goal| goal.words.as_str()).collect(),
            is_needed: ways.is_needed,
            can: can(None),
            said: can(Some(Slot::Said)),
            done: can(Some(Slot::Done)),
            called: view
                .present
                .iter()
                .map(|name| (&**name, file.called_by(&view.name, name)))
                .collect(),
            languages: &constraints.languages,
            speech_chars: constraints.speech_chars,
            ending: self.talk.ending,
            refused: last_event_text::<Refusal>(view.context),
            speaker: Speaker::of(file, &view.name).in_story(*params.seed, &view.name),
        }
    }
}

/// Plans are carried out, several in a seeded order; then another actor has its turn.
pub(crate) fn take_plans(
    world: Res<RpgWorld>,
    rng: StageRng,
    mut answers: Answers<Plan>,
    mut talks: Query<&mut Talk>,
    mut pending: Query<&mut PendingAttempts>,
    mut current: CurrentPlace,
    mut rules: Rules,
) {
    let mut plans = answers.take();
    plans.shuffle(&mut rng.stream("order of plans"));
    let stage = current.entity();
    let Some(mut talk) = stage.and_then(|stage| talks.get_mut(stage).ok()) else {
        return current.set_phase(Phase::Idle);
    };
    let mut pending = stage.and_then(|stage| pending.get_mut(stage).ok());
    for (entity, plan, _by) in plans {
        let Some(name) = rules.whereabouts.name(entity).map(|name| name.0.clone()) else {
            continue;
        };
        let taken = rules.carry_out(&talk, (entity, &name), plan);
        let tried = taken.tried.clone();
        talk.take_turn(&name, taken);
        if let Some((Attempt { what, aim }, pending)) = tried.zip(pending.as_mut()) {
            pending.add(name, what, aim);
        }
    }
    let is_tried = pending.is_some_and(|pending| !pending.is_empty());
    current.set_phase(if is_tried {
        Phase::Attempt
    } else {
        talk_goes_on(&world)
    });
}

fn names_of<'a>(items: impl IntoIterator<Item = &'a SeenItem<'a>>) -> Vec<String> {
    let items = items.into_iter();
    items.map(|item| item.name.to_owned()).collect()
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

/// The number of turns of talk without a scene.
fn turns_of(limits: &Limits, occasion: Occasion) -> u32 {
    let turns = match occasion {
        Occasion::Start => 0,
        Occasion::Morning | Occasion::Afternoon => limits.talk_turns.max(1),
        Occasion::Travel => limits.travel_turns,
        Occasion::Camp => limits.camp_turns,
        Occasion::Retreat | Occasion::Return => limits.return_turns,
    };
    u32::try_from(turns).unwrap_or_default()
}
