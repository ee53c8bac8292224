//! What choices and scenes change.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    CastList, Dead, Exits, Faction, Kind, Sense, StableId, all_of, is_dead, name_of, place_of,
    stage_of,
};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::event::kinds::{Announce, Death};
use playhouse_engine::event::{
    AgentEvent, EventStyle, change_at, deliver, write_events_at_meeting,
};
use playhouse_engine::knowledge::{FactBook, Knowledge, Known, Today};
use playhouse_engine::message::cut;
use serde::{Deserialize, Serialize};

use crate::combat::wounds::tell_wound;
use crate::components::{Arriving, ClosedDungeons, FallenFoes, Health, Placed, RpgWorld, Wounded};
use crate::drama::{
    Condition, Effect, History, Occasion, Promise, PromiseState, Promises, Qualities, StoryData,
    change_bond, effects_of, entities_of, holder_of, move_item,
};
use crate::events::{ItemMoved, PromiseKept, PromiseMade};
use crate::everybody::{participants, public_of, publish};
use crate::happening::{Happening, Pledge};
use crate::rehearsal::consistency;
use crate::spawn::{HERO, NEUTRAL};
use crate::travel::{arrive, send, set_off};

/// The maximum number of characters of the reason for a feeling.
const WHY_CHARS: usize = 80;

/// Something that the world file tells everybody at a place, or some alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("scene_text", style = shown, target = to, words = message)]
pub(crate) struct SceneText {
    pub(crate) message: String,
    /// Who alone are told; empty for everybody there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) to: String,
    /// Whether these have known it since before the story began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_past: bool,
}

impl SceneText {
    fn shown(&self) -> EventStyle {
        match self.is_past {
            true => EventStyle::Past,
            false => EventStyle::Text,
        }
    }
}

/// An effect could not apply. Nobody is told; it is for those who look behind the story.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("effect_skipped", style = Hidden, private)]
pub(crate) struct EffectSkipped {
    /// The scene and the option that it belongs to; empty for what a host or an attempt did.
    pub(crate) of: String,
    /// The effect, as in the world file.
    pub(crate) effect: String,
    pub(crate) why: Obstacle,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Obstacle {
    /// Nobody whom it names is alive.
    #[default]
    Nobody,
    /// Its teller does not know the fact.
    NotKnown,
    NoItem,
    NoPromise,
    /// There is no such place, or no way from it.
    NoPlace,
    /// An actor whom it names has no hit points.
    NoHealth,
    NoQuality,
}

/// What effects come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cause<'a> {
    pub(crate) place: Entity,
    /// Who decided on them, which tells whatever it knows of what they teach.
    pub(crate) decider: Option<Entity>,
    /// The scene and the option that they belong to.
    pub(crate) of: &'a str,
    /// What everybody at the place is told of them in the words of the world file.
    pub(crate) told: &'a str,
    /// Whether these words are all that others see of them.
    pub(crate) is_seen: bool,
}

impl Cause<'_> {
    /// Whatever nobody decided, and nothing tells of.
    pub(crate) fn at(place: Entity) -> Self {
        Self {
            place,
            decider: None,
            of: "",
            told: "",
            is_seen: false,
        }
    }
}

/// What was decided and is still to befall those who are elsewhere, oldest first.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct OnArrival(Vec<Befalls>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Befalls {
    /// Where it was decided.
    place: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decider: Option<Arc<str>>,
    of: Arc<str>,
    effect: Effect,
}

/// Applies effects one after the other, each whole or not at all. One that can't apply is skipped,
/// and an event says so. Returns whether none was. At a meeting.
pub(crate) fn apply_effects(world: &mut World, cause: Cause<'_>, effects: &[Effect]) -> bool {
    let are_applied = apply_before_arrivals(world, cause, effects);
    apply_on_arrival(world) && are_applied
}

/// As [`apply_effects`], but whoever is sent to another place arrives there later, and what befalls
/// those elsewhere does so [after that](apply_on_arrival). What is told belongs to the place of the
/// cause.
pub(super) fn apply_before_arrivals(
    world: &mut World,
    cause: Cause<'_>,
    effects: &[Effect],
) -> bool {
    apply_at_place(world, cause, effects, true)
}

/// All who have set off arrive; then whatever was decided befalls those who are elsewhere, where
/// they are now. Returns whether all of it could apply. At a meeting, once all that happens where
/// they come is told.
pub(super) fn apply_on_arrival(world: &mut World) -> bool {
    let actors = all_of(world, Kind::Actor);
    change_at(world, None, |world| arrive(world, &actors));
    let OnArrival(all) = std::mem::take(&mut *world.resource_mut::<OnArrival>());
    let mut are_applied = true;
    for befalls in all {
        let Some(place) = entity(world, &befalls.place) else {
            continue;
        };
        let decider = befalls.decider.and_then(|who| entity(world, &who));
        let there = place_elsewhere(world, place, &befalls.effect);
        let cause = Cause {
            decider,
            of: &befalls.of,
            ..Cause::at(there.unwrap_or(place))
        };
        are_applied &= apply_at_place(world, cause, &[befalls.effect], false);
    }
    are_applied
}

fn apply_at_place(world: &mut World, cause: Cause<'_>, effects: &[Effect], may_wait: bool) -> bool {
    change_at(world, Some(cause.place), |world| {
        apply_each(world, cause, effects, may_wait)
    })
}

/// Where those are whom an effect befalls, if none of them is at a place; whoever has set off is
/// where it goes.
fn place_elsewhere(world: &World, place: Entity, effect: &Effect) -> Option<Entity> {
    let names = effect.befalls();
    let concerned = names.iter().filter_map(|who| living(world, who).ok());
    let concerned = concerned.flatten().collect::<Vec<_>>();
    let is_here =
        |who: &Entity| place_of(world, *who) == place && world.get::<Arriving>(*who).is_none();
    let first = concerned.first().filter(|_| !concerned.iter().any(is_here));
    first
        .map(|who| place_of(world, *who))
        .filter(|there| is_stage(world, *there))
}

/// What an effect does to those elsewhere waits until all have arrived.
fn wait(world: &mut World, cause: Cause<'_>, effect: &Effect) {
    let name = |who| name_of(world, who).into();
    let befalls = Befalls {
        place: name(cause.place),
        decider: cause.decider.map(name),
        of: cause.of.into(),
        effect: effect.clone(),
    };
    world.resource_mut::<OnArrival>().0.push(befalls);
}

fn apply_each(world: &mut World, cause: Cause<'_>, effects: &[Effect], may_wait: bool) -> bool {
    let mut told = cause.told.to_owned();
    for effect in effects {
        if let Effect::Tell(text) | Effect::TellTo(_, text) | Effect::Announce(text) = effect.bare()
        {
            told.push('\n');
            told.push_str(text);
        }
    }
    let cause = Cause {
        told: &told,
        ..cause
    };
    consistency::look_at_things(world, cause, effects);
    let mut are_applied = true;
    for group in effects.chunk_by(are_one_way) {
        leave_together(world, cause.place, group);
        for effect in group {
            if may_wait && place_elsewhere(world, cause.place, effect).is_some() {
                wait(world, cause, effect);
            } else if let Err(why) = apply(world, cause, effect) {
                are_applied = false;
                let event = EffectSkipped {
                    of: cause.of.to_owned(),
                    effect: ron::to_string(effect).unwrap_or_default(),
                    why,
                };
                write_events_at_meeting(world, |events| events.notify_entities(&[], event));
            }
        }
    }
    // What was taught is known before other conditions are checked at this meeting.
    if let Err(error) = world.run_system_cached(deliver) {
        tracing::error!("events of effects are delivered later: {error}");
    }
    consistency::look(world);
    are_applied
}

fn apply(world: &mut World, cause: Cause<'_>, effect: &Effect) -> Result<(), Obstacle> {
    use Obstacle::{NoHealth, NoItem, NoPlace, NoQuality, Nobody, NotKnown};
    let place = cause.place;
    match effect {
        Effect::Teach(who, fact) => {
            let learners = living(world, who)?;
            let teller = teller_of(world, cause, fact);
            teach(world, &learners, fact, &teller);
        }
        Effect::Tells(from, to, fact) => {
            let teller = one_living(world, from)?;
            if !knows(world, teller, fact) {
                return Err(NotKnown);
            }
            let teller = name_of(world, teller);
            let learners = living(world, to)?;
            teach(world, &learners, fact, &teller);
        }
        Effect::Reveal(fact) => {
            let mut learners = present(world, place);
            learners.extend(public_of(world, place, learners.len() - 1));
            let teller = teller_of(world, cause, fact);
            teach(world, &learners, fact, &teller);
        }
        Effect::Give(item, to) => {
            let to = one_living(world, to)?;
            pass_item(world, cause, item, Some(to))?;
        }
        Effect::Put(item, stage) => {
            let stage = entity(world, stage).ok_or(NoPlace)?;
            pass_item(world, cause, item, Some(stage))?;
        }
        Effect::Destroy(item) => {
            holder_of(world, item).ok_or(NoItem)?;
            pass_item(world, cause, item, None)?;
        }
        Effect::Become(item, other) => {
            let holder = holder_of(world, item).ok_or(NoItem)?;
            if holder_of(world, other).is_some() {
                return Err(NoItem);
            }
            move_item(world, item, None);
            pass_item(world, cause, other, Some(holder))?;
        }
        Effect::If(condition, effect) => {
            if condition.holds(world, &format_args!("{}/if", cause.of)) {
                apply(world, cause, effect)?;
            }
        }
        Effect::Add(quality, by) => change_quality(world, quality, *by).ok_or(NoQuality)?,
        Effect::Bond(from, to, by) => {
            for from in living(world, from)? {
                change_bond(world, from, to, *by);
                // The reason is not seen from elsewhere.
                let is_here = stage_of(world, from) == Some(cause.place);
                let why = if is_here {
                    cut(cause.told, WHY_CHARS)
                } else {
                    String::new()
                };
                let (about, change, why) = (to.as_str().into(), *by, why.into());
                note(world, from, Happening::Felt { about, change, why });
            }
        }
        Effect::Promise(from, to, words, kept) => {
            promise(world, cause, (from, to), (words, kept))?;
        }
        Effect::Break(from, to, named) => {
            let words = settle(world, (from, to), named, PromiseState::Broken)?;
            let from = entity(world, from).ok_or(Nobody)?;
            note_promise(world, from, to, &words, Pledge::Broken);
        }
        Effect::Keep(from, to, named) => {
            let words = settle(world, (from, to), named, PromiseState::Kept)?;
            let both = [from, to].map(|who| living(world, who).unwrap_or_default());
            let told = both.concat();
            let (actor, to) = (from.clone(), to.clone());
            let event = PromiseKept { actor, to, words };
            write_events_at_meeting(world, |events| events.notify_entities(&told, event));
        }
        Effect::Move(who, stage) => {
            let stage = stage_named(world, stage)?;
            let who = living(world, who)?;
            send_from(world, place, &who, stage);
        }
        Effect::Hurt(who, by) => {
            for who in fighters(world, who)? {
                let mut health = world.get_mut::<Health>(who).ok_or(NoHealth)?;
                health.hp = (health.hp - by.max(&0)).clamp(1, health.max);
            }
        }
        Effect::Heal(who, by) => {
            for who in fighters(world, who)? {
                world.get_mut::<Health>(who).ok_or(NoHealth)?.heal(*by);
            }
        }
        Effect::Wound(who, days) => {
            for who in fighters(world, who)? {
                world.entity_mut(who).insert(Wounded { days: *days });
                tell_wound(world, who, *days);
            }
        }
        Effect::Kill(who) => {
            for who in living(world, who)? {
                let name: Arc<str> = name_of(world, who).into();
                let event = Death {
                    actor: name.to_string(),
                    by: String::new(),
                    stage: name_of(world, place),
                };
                write_events_at_meeting(world, |events| {
                    events.broadcast_to_stage(place, event, &[]);
                });
                world.entity_mut(who).insert(Dead);
                world.resource_mut::<History>().fallen.insert(name);
            }
        }
        Effect::Revive(who, stage) => {
            let who = entity(world, who).ok_or(Nobody)?;
            let stage = stage_named(world, stage)?;
            world.entity_mut(who).remove::<Dead>();
            if let Some(mut health) = world.get_mut::<Health>(who) {
                health.hp = health.hp.max(1);
            }
            send(world, &[who], stage);
        }
        Effect::Join(who) => set_faction(world, who, HERO)?,
        Effect::Leave(who) if is_foe(world, who) => {
            let name = who.as_str().into();
            world.resource_mut::<FallenFoes>().0.insert(name);
        }
        Effect::Leave(who) => set_faction(world, who, NEUTRAL)?,
        Effect::OpenWay(from, to) => change_way(world, from, to, true)?,
        Effect::CloseWay(from, to) => change_way(world, from, to, false)?,
        Effect::OpenDungeon(dungeon) => {
            world.resource_mut::<ClosedDungeons>().0.remove(&**dungeon);
        }
        Effect::CloseDungeon(dungeon) => {
            world
                .resource_mut::<ClosedDungeons>()
                .0
                .insert(dungeon.as_str().into());
        }
        Effect::Tell(message) => {
            publish(world, place, message);
            let message = message.clone();
            let text = SceneText {
                message,
                ..SceneText::default()
            };
            tell_stage(world, place, text);
        }
        Effect::TellTo(who, message) => {
            let text = SceneText {
                message: message.clone(),
                to: who.join(", "),
                is_past: is_past(world),
            };
            let who = who.iter().map(|who| living(world, who));
            let who = who.collect::<Result<Vec<_>, _>>()?.concat();
            write_events_at_meeting(world, |events| {
                events.notify_entities(&who, text);
            });
        }
        Effect::Announce(message) => announce(world, message),
        Effect::End(ending) => {
            world.resource_mut::<History>().ending = Some(ending.as_str().into());
        }
    }
    Ok(())
}

/// Whether two effects send to the same stage.
fn are_one_way(one: &Effect, next: &Effect) -> bool {
    matches!((one, next), (Effect::Move(_, one), Effect::Move(_, next)) if one == next)
}

/// Lets those who are sent the same way, one after the other, be seen to leave together, in the
/// order in which they will arrive.
fn leave_together(world: &mut World, place: Entity, moves: &[Effect]) {
    let [Effect::Move(_, to), _, ..] = moves else {
        return;
    };
    let Ok(to) = stage_named(world, to) else {
        return;
    };
    let movers = moves.iter().filter_map(|effect| match effect {
        Effect::Move(who, _) => living(world, who).ok(),
        _ => None,
    });
    let movers: Vec<_> = movers.flatten().collect();
    let mut actors = all_of(world, Kind::Actor);
    actors.retain(|actor| movers.contains(actor));
    send_from(world, place, &actors, to);
}

/// Sends actors to a stage, where they arrive at once if it is the place of the cause.
fn send_from(world: &mut World, place: Entity, actors: &[Entity], to: Entity) {
    match to == place {
        true => send(world, actors, to),
        false => set_off(world, actors, to),
    }
    for actor in actors {
        world.entity_mut(*actor).insert(Placed);
    }
}

fn is_past(world: &World) -> bool {
    *world.resource::<Occasion>() == Occasion::Start
}

/// Teaches a fact. What was so before the story begins was always known, and nobody is told.
fn teach(world: &mut World, learners: &[Entity], fact: &str, teller: &str) {
    if !is_past(world) {
        return write_events_at_meeting(world, |events| events.teach(learners, fact, teller));
    }
    for learner in learners {
        if let Some(mut knowledge) = world.get_mut::<Knowledge>(*learner) {
            knowledge.learn(&fact.into(), &Known::default());
        }
    }
}

/// The teller of a fact that an effect teaches: the decider, if it knows the fact and may tell it.
/// Empty if there is none.
fn teller_of(world: &World, cause: Cause<'_>, fact: &str) -> String {
    let book = world.resource::<FactBook>();
    let is_sworn = book.get(fact).is_some_and(|fact| fact.sworn);
    let tells = |decider: &Entity| !is_sworn && knows(world, *decider, fact);
    let teller = cause.decider.filter(tells);
    teller.map_or_else(String::new, |teller| name_of(world, teller))
}

fn knows(world: &World, who: Entity, fact: &str) -> bool {
    let knowledge = world.get::<Knowledge>(who);
    knowledge.is_some_and(|knowledge| knowledge.knows(fact))
}

/// Gives an item to an actor, puts it on a stage, or takes it out of the world. Who has it and had
/// it is told, unless words of the world file have named it already together with them; so are
/// those who are there, unless it is hidden or these words are what they see.
fn pass_item(
    world: &mut World,
    cause: Cause<'_>,
    name: &str,
    to: Option<Entity>,
) -> Result<(), Obstacle> {
    let story = world.resource::<StoryData>();
    let item = story.item(name).cloned().ok_or(Obstacle::NoItem)?;
    let from = holder_of(world, name);
    // One that was never anywhere may appear, one that was destroyed may not.
    if from.is_none() && !item.at.is_empty() {
        return Err(Obstacle::NoItem);
    }
    move_item(world, name, to);
    if from == to {
        return Ok(());
    }
    let is_stage = |holder: &Entity| is_stage(world, *holder);
    let name_of_any = |holder: Option<Entity>| holder.map(|holder| name_of(world, holder));
    let loser = from.filter(|holder| !is_stage(holder));
    let event = ItemMoved {
        item: item.name.clone(),
        look: match (loser, to) {
            (None, Some(_)) => item.look.clone(),
            _ => String::new(),
        },
        from: name_of_any(loser).unwrap_or_default(),
        to: name_of_any(to.filter(|holder| !is_stage(holder))).unwrap_or_default(),
        place: name_of_any(to.filter(is_stage)).unwrap_or_default(),
    };
    // What becomes of a thing that is used up is what is seen of it; the event is for records
    // alone.
    if to.is_none() && cause.is_seen {
        if let Some((loser, happening)) = loser.zip(event.lost()) {
            note(world, loser, happening);
        }
        write_events_at_meeting(world, |events| events.notify_entities(&[], event));
        return Ok(());
    }
    if names(cause.told, name) {
        let taker = to.filter(|_| !event.to.is_empty());
        let sides = [
            (loser, &event.from, event.lost()),
            (taker, &event.to, event.took()),
        ];
        let mut unaware = Vec::new();
        for (who, name, happening) in sides {
            let Some(who) = who else { continue };
            if !names_person(cause.told, name) {
                unaware.push(who);
            } else if let Some(happening) = happening {
                note(world, who, happening);
            }
        }
        write_events_at_meeting(world, |events| events.notify_entities(&unaware, event));
        return Ok(());
    }
    let mut told = Vec::new();
    for holder in [from, to].into_iter().flatten() {
        if item.hidden || cause.is_seen {
            told.push(holder);
        } else {
            told.extend(present(world, place_of(world, holder)));
        }
    }
    write_events_at_meeting(world, |events| events.notify_entities(&told, event));
    Ok(())
}

/// Whether words name a thing, with whatever article.
fn names(words: &str, thing: &str) -> bool {
    let (words, thing) = (words.to_lowercase(), thing.to_lowercase());
    let mut articles = ["the ", "a ", "an "].into_iter();
    let bare = articles.find_map(|article| thing.strip_prefix(article));
    words.contains(bare.unwrap_or(&thing))
}

/// Whether words name an actor, by the whole name or by the given one.
fn names_person(words: &str, name: &str) -> bool {
    let (words, name) = (words.to_lowercase(), name.to_lowercase());
    let given = match name.split_once(' ') {
        Some((given, _)) => given,
        None if !name.is_ascii() && name.chars().count() > 2 => {
            let family = name.chars().next().map_or(0, char::len_utf8);
            name.get(family..).unwrap_or(&name)
        }
        None => &name,
    };
    words.contains(given)
}

/// An actor makes a promise. Those where the effects apply hear it, and whoever it is made to,
/// wherever effects have moved anybody since; nobody, if words of the world file have said it.
fn promise(
    world: &mut World,
    cause: Cause<'_>,
    (from, to): (&str, &str),
    (words, kept): (&str, &Condition),
) -> Result<(), Obstacle> {
    let actor = one_living(world, from)?;
    let mut audience = present(world, cause.place);
    audience.push(actor);
    audience.extend(one_living(world, to));
    let file = &world.resource::<RpgWorld>().0;
    let names = audience.iter().map(|who| name_of(world, *who));
    let heard = names.filter(|name| file.has_sense(name, Sense::Hearing));
    let heard = heard.map(Into::into).collect();
    let day = world.resource::<Today>().0;
    let mut actor_mut = world.entity_mut(actor);
    let mut promises = actor_mut.entry::<Promises>().or_default();
    promises.get_mut().0.push(Promise {
        to: to.into(),
        words: words.into(),
        state: PromiseState::Open,
        kept: kept.clone(),
        day,
        made: None,
        heard,
    });
    if cause.told.to_lowercase().contains(&words.to_lowercase()) {
        note_promise(world, actor, to, words, Pledge::Made);
        return Ok(());
    }
    let event = PromiseMade {
        actor: name_of(world, actor),
        to: to.to_owned(),
        words: words.to_owned(),
    };
    write_events_at_meeting(world, |events| events.notify_entities(&audience, event));
    Ok(())
}

/// Promises are kept of which code can tell that they are, such as that an item is given or a place
/// reached. At a meeting.
pub(crate) fn settle_promises(world: &mut World) {
    for actor in all_of(world, Kind::Actor) {
        let promises = world.get::<Promises>(actor).cloned().unwrap_or_default();
        for (number, promise) in promises.0.iter().enumerate() {
            let is_open = promise.state == PromiseState::Open && !promise.kept.is_always();
            if !is_open || !promise.kept.holds(world, &"promise") {
                continue;
            }
            if let Some(mut promises) = world.get_mut::<Promises>(actor)
                && let Some(kept) = promises.0.get_mut(number)
            {
                kept.state = PromiseState::Kept;
            }
            let event = promise.kept_by(&name_of(world, actor));
            let place = stage_of(world, actor);
            let mut told = place.map_or(Vec::new(), |stage| present(world, stage));
            told.retain(|who| promise.is_known_to(&name_of(world, *who)));
            let both = [&event.actor, &event.to];
            told.extend(
                both.into_iter()
                    .filter_map(|who| one_living(world, who).ok()),
            );
            change_at(world, place, |world| {
                write_events_at_meeting(world, |events| events.notify_entities(&told, event));
            });
        }
    }
}

fn announce(world: &mut World, message: &str) {
    let message = message.to_owned();
    let event = Announce {
        message,
        ..Announce::default()
    };
    write_events_at_meeting(world, |events| events.announce(event, &[]));
}

fn change_quality(world: &mut World, id: &str, by: i32) -> Option<()> {
    let quality = world.resource::<StoryData>().quality(id)?.clone();
    let (before, after) = world.resource_mut::<Qualities>().change(&quality, by);
    let reached = |step: i32| (before < step && step <= after) || (after <= step && step < before);
    let steps = quality.steps.iter().filter(|step| reached(step.at));
    for step in steps.filter(|_| !quality.hidden) {
        announce(world, &step.text);
    }
    Some(())
}

/// An actor notes what no event tells.
fn note(world: &mut World, who: Entity, happening: Happening) {
    let day = world.resource::<Today>().0;
    let place = stage_of(world, who).map(|stage| name_of(world, stage));
    let mut minds = world.query::<(&AgentContext, &mut Chapters)>();
    if let Ok((context, mut chapters)) = minds.get_mut(world, who) {
        chapters.note(context, day, &place.unwrap_or_default(), happening);
    }
}

fn note_promise(world: &mut World, from: Entity, to: &str, words: &str, state: Pledge) {
    let (who, to, words) = (name_of(world, from).into(), to.into(), words.into());
    let promised = Happening::Promised {
        who,
        to,
        words,
        state,
    };
    note(world, from, promised);
}

/// Settles an open promise of an actor to another, and returns its words: the oldest of which
/// `named` is a part, if that is not empty; else the oldest in words of the world file, which is
/// what its author can mean, or the oldest of all.
fn settle(
    world: &mut World,
    (from, to): (&str, &str),
    named: &str,
    state: PromiseState,
) -> Result<String, Obstacle> {
    let story = world.resource::<StoryData>();
    let written = effects_of(&story.scenes, &story.items).filter_map(|effect| match effect {
        Effect::Promise(by, whom, words, _) if by == from && whom == to => Some(words.clone()),
        _ => None,
    });
    let written: Vec<_> = written.collect();
    let named = named.to_lowercase();
    let is_meant = |promise: &&mut Promise| {
        *promise.to == *to
            && promise.state == PromiseState::Open
            && promise.words.to_lowercase().contains(&named)
    };
    let from = entity(world, from);
    let mut promises = from.and_then(|from| world.get_mut::<Promises>(from));
    let open = promises
        .iter_mut()
        .flat_map(|promises| &mut promises.0)
        .filter(is_meant);
    // `false` is less than `true`, and of equal ones the first is found.
    let is_own = |promise: &&mut Promise| !written.iter().any(|words| **words == *promise.words);
    let promise = open.min_by_key(is_own).ok_or(Obstacle::NoPromise)?;
    promise.state = state;
    Ok(promise.words.to_string())
}

fn is_foe(world: &World, who: &str) -> bool {
    let foes = &world.resource::<RpgWorld>().0.foes;
    foes.iter().any(|foe| foe.name == who)
}

fn set_faction(world: &mut World, who: &str, faction: &str) -> Result<(), Obstacle> {
    let who = entity(world, who).ok_or(Obstacle::Nobody)?;
    world.get::<Health>(who).ok_or(Obstacle::NoHealth)?;
    world.entity_mut(who).insert(Faction(faction.into()));
    Ok(())
}

fn change_way(world: &mut World, from: &str, to: &str, open: bool) -> Result<(), Obstacle> {
    let ends = [stage_named(world, from)?, stage_named(world, to)?];
    if ends.iter().any(|end| world.get::<Exits>(*end).is_none()) {
        return Err(Obstacle::NoPlace);
    }
    let [from, to] = ends;
    for (from, to) in [(from, to), (to, from)] {
        let to = world.get::<StableId>(to).copied();
        if let (Some(to), Some(mut exits)) = (to, world.get_mut::<Exits>(from)) {
            exits.0.retain(|exit| *exit != to);
            if open {
                exits.0.push(to);
            }
        }
    }
    Ok(())
}

fn entity(world: &World, name: &str) -> Option<Entity> {
    world.resource::<CastList>().by_name(name)
}

fn stage_named(world: &World, name: &str) -> Result<Entity, Obstacle> {
    let stage = entity(world, name).filter(|entity| is_stage(world, *entity));
    stage.ok_or(Obstacle::NoPlace)
}

fn is_stage(world: &World, entity: Entity) -> bool {
    world.get::<Kind>(entity) == Some(&Kind::Stage)
}

/// The entities that a name means, without the dead; at least one.
fn living(world: &World, who: &str) -> Result<Vec<Entity>, Obstacle> {
    let mut entities = entities_of(world, who);
    let is_actor = |entity: Entity| world.get::<Kind>(entity) == Some(&Kind::Actor);
    entities.retain(|entity| !is_actor(*entity) || !is_dead(world, *entity));
    if entities.is_empty() {
        return Err(Obstacle::Nobody);
    }
    Ok(entities)
}

/// The first living whom a name means.
fn one_living(world: &World, who: &str) -> Result<Entity, Obstacle> {
    living(world, who)?.first().copied().ok_or(Obstacle::Nobody)
}

/// As [`living`], if all of them have hit points.
fn fighters(world: &World, who: &str) -> Result<Vec<Entity>, Obstacle> {
    let fighters = living(world, who)?;
    let has_health = |entity: &Entity| world.get::<Health>(*entity).is_some();
    if fighters.iter().all(has_health) {
        Ok(fighters)
    } else {
        Err(Obstacle::NoHealth)
    }
}

/// A stage and the living who are there, and take part in the scene that is played there.
fn present(world: &World, stage: Entity) -> Vec<Entity> {
    let mut present = vec![stage];
    present.extend(participants(world, stage));
    present
}

/// Tells everybody at a stage something, at a meeting.
fn tell_stage(world: &mut World, stage: Entity, event: impl AgentEvent) {
    let present = present(world, stage);
    write_events_at_meeting(world, |events| events.notify_entities(&present, event));
}
