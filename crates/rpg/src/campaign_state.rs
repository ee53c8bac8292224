//! The course of the campaign, advanced at meetings: kickoff, days at home, votes, homecoming.
//! Journeys are in `journey.rs`.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, Kind, all_of, is_dead};
use playhouse_engine::engine::{MeetSet, Setup, StoryEnd};
use playhouse_engine::event::{Phrasebook, Prompt, write_events_at_meeting};
use playhouse_engine::knowledge::Today;
use serde::Serialize;

use super::archive::archive_overdue;
use super::campaign_phase::{CampaignPhase, CampaignState, Stay};
use super::combat::resolve::weigh_resolve;
use super::combat::wounds::heal_wounds;
use super::components::{ClosedDungeons, Placed, RpgWorld};
use super::events::{Day, Homecoming};
use super::everybody::{home_stages, inform_home, living_on, names, on_stage, party, set_phase};
use super::home::uses::open_uses;
use super::home::vote::{count_votes, elect};
use super::journey::{begin_talk, continue_journey, send_home, set_out};
use super::phase::Phase;
use super::scenes::choose::{apply_choices, offer_choices};
use super::scenes::effects::settle_promises;
use super::scenes::endings::{begin_closing, begin_epilogue, reached_ending, settle_goals};
use super::scenes::judge::{judge_choices, judge_endings, judge_scenes};
use super::scenes::open::{open_scenes, play_past};
use super::travel::{acquaint, introduce, send};
use super::world_file::{CampaignStep, STAY};
use crate::drama::{Ending, History, Occasion, StoryData};

/// The last words of a story without endings.
#[derive(Serialize, Prompt)]
#[prompt("engine/finished")]
pub(super) struct Finished;

pub(super) fn plugin(setup: &mut Setup) {
    setup
        .meet
        .add_systems((advance_campaign, open_uses).chain().in_set(MeetSet::Rules));
}

/// Begins the next phase of the campaign. Everything that the last one asked for is done when the
/// world meets, except for a fight that continues after the meeting.
pub(super) fn advance_campaign(world: &mut World) {
    if weigh_resolve(world) {
        return;
    }
    let phase = world.resource::<CampaignState>().phase.clone();
    let (phase, is_judged) = match phase {
        CampaignPhase::Judge { after } => match *after {
            CampaignPhase::Choice { after } => (*after, true),
            CampaignPhase::CourseOver => return end_course(world),
            CampaignPhase::Home { stay, round } => return begin_home_talk(world, stay, round),
            talk => {
                let next = begin_talk(world, talk);
                return go_on(world, next);
            }
        },
        CampaignPhase::Choice { after } => {
            apply_choices(world);
            (*after, false)
        }
        CampaignPhase::Archive { after } => return go_on_after(world, *after),
        phase => (phase, false),
    };
    settle_promises(world);
    let may_end = is_running(&phase);
    let choice = |phase: &CampaignPhase| CampaignPhase::Choice {
        after: Box::new(phase.clone()),
    };
    if !is_judged && judge_choices(world, may_end) {
        return judge_before(world, choice(&phase));
    }
    settle_goals(world);
    let is_offered = offer_choices(world);
    settle_promises(world);
    if is_offered {
        return set_campaign_phase(world, choice(&phase));
    }
    // Scenes that are over have changed something.
    settle_goals(world);
    if may_end && let Some(ending) = reached_ending(world, false) {
        return finish(world, &ending);
    }
    archive_or_go_on(world, phase);
}

/// Goes on after a phase, once conversations that have grown too long are archived: not between two
/// phases that archive themselves, and not if only last words will be asked for.
fn archive_or_go_on(world: &mut World, phase: CampaignPhase) {
    let archives = matches!(
        phase,
        CampaignPhase::Fight { .. } | CampaignPhase::Evening { .. } | CampaignPhase::Night { .. }
    );
    let may_archive = is_running(&phase) && !archives && !is_last(world, &phase);
    if may_archive && archive_overdue(world, phase.may_meet_foes()) {
        let after = Box::new(phase);
        return set_campaign_phase(world, CampaignPhase::Archive { after });
    }
    go_on_after(world, phase);
}

fn go_on_after(world: &mut World, phase: CampaignPhase) {
    match phase {
        CampaignPhase::NotStarted => begin(world),
        CampaignPhase::Kickoff => next_step(world),
        CampaignPhase::Home { stay, round } if round < home_rounds(world) => {
            begin_round(world, stay, round + 1);
        }
        CampaignPhase::Home { stay, .. } => end_afternoon(world, stay),
        CampaignPhase::Vote { dungeons, stay } => {
            let voted = count_votes(world, &dungeons);
            world.resource_mut::<CampaignState>().voted = Some(voted);
            if stay.day > 0 {
                begin_evening(world, stay);
            } else {
                next_step(world);
            }
        }
        CampaignPhase::Evening { stay } => begin_night(world, stay),
        CampaignPhase::Night { stay } if stay.day < stay.days => {
            let day = stay.day + 1;
            begin_day(world, Stay { day, ..stay });
        }
        CampaignPhase::Night { .. } | CampaignPhase::Return { .. } => next_step(world),
        CampaignPhase::Travel { .. }
        | CampaignPhase::Arrival { .. }
        | CampaignPhase::Fight { .. }
        | CampaignPhase::Camp { .. }
        | CampaignPhase::Retreat { .. } => {
            let next = continue_journey(world, phase);
            go_on(world, next);
        }
        CampaignPhase::Epilogue => {
            begin_closing(world);
            set_campaign_phase(world, CampaignPhase::Closing);
        }
        CampaignPhase::Closing => end_story(world),
        // None of these is after one of these.
        CampaignPhase::Choice { .. }
        | CampaignPhase::Archive { .. }
        | CampaignPhase::Judge { .. }
        | CampaignPhase::CourseOver
        | CampaignPhase::Over => {}
    }
}

/// Whether the story may end after this phase. A fight is fought to its end.
fn is_running(phase: &CampaignPhase) -> bool {
    !matches!(
        phase,
        CampaignPhase::NotStarted
            | CampaignPhase::Kickoff
            | CampaignPhase::Arrival { .. }
            | CampaignPhase::CourseOver
            | CampaignPhase::Epilogue
            | CampaignPhase::Closing
            | CampaignPhase::Over
    )
}

/// Whether the course is over after this phase, as far as can be seen.
fn is_last(world: &World, phase: &CampaignPhase) -> bool {
    let ends_step = match phase {
        CampaignPhase::Night { stay } => stay.day >= stay.days,
        CampaignPhase::Home { stay, round } => {
            stay.day >= stay.days && *round >= home_rounds(world)
        }
        CampaignPhase::Return { .. } => true,
        _ => false,
    };
    let voted = world.resource::<CampaignState>().voted.as_deref();
    let stays = voted.is_none_or(|voted| voted == STAY);
    ends_step && stays && steps_to_take(world).next().is_none()
}

fn home_rounds(world: &World) -> u32 {
    world.resource::<RpgWorld>().0.home_rounds()
}

fn set_campaign_phase(world: &mut World, phase: CampaignPhase) {
    world.resource_mut::<CampaignState>().phase = phase;
}

fn begin(world: &mut World) {
    let homes = home_stages(world);
    let mut people = Vec::new();
    for stage in &homes {
        people.extend(on_stage(world, *stage));
    }
    let file = world.resource::<RpgWorld>().0.clone();
    let never_met: Vec<_> = file
        .bonds
        .iter()
        .filter(|bond| bond.never_met)
        .map(|bond| (&*bond.from, &*bond.to))
        .collect();
    acquaint(world, &people, &homes, &never_met);
    for stage in homes {
        for actor in on_stage(world, stage) {
            introduce(world, actor, stage);
        }
    }
    let stages = all_of(world, Kind::Stage);
    play_past(world, &stages);
    for place in stages.into_iter().chain(all_of(world, Kind::WorldAgent)) {
        set_phase(world, place, Phase::Kickoff);
    }
    set_campaign_phase(world, CampaignPhase::Kickoff);
}

/// Begins the next phase of a journey; if there is none, the next step of the schedule.
fn go_on(world: &mut World, next: Option<CampaignPhase>) {
    match next {
        Some(phase) => {
            set_campaign_phase(world, phase);
            look_ahead(world);
        }
        None => next_step(world),
    }
}

/// Begins the next step of the schedule; after the last, the campaign ends.
fn next_step(world: &mut World) {
    let voted = world.resource_mut::<CampaignState>().voted.take();
    if let Some(dungeon) = voted.filter(|voted| **voted != *STAY)
        && let Some(phase) = set_out(world, dungeon)
    {
        return set_campaign_phase(world, phase);
    }
    loop {
        let number = world.resource::<CampaignState>().steps_done;
        if number >= world.resource::<RpgWorld>().0.schedule.len() {
            return end_course(world);
        }
        world.resource_mut::<CampaignState>().steps_done += 1;
        match step_to_take(world, number) {
            Some(CampaignStep::Home { days }) if days > 0 => {
                let days = days as u32;
                return begin_day(world, Stay { day: 1, days });
            }
            Some(CampaignStep::Dungeon(name)) => {
                if let Some(phase) = set_out(world, name.into()) {
                    return set_campaign_phase(world, phase);
                }
            }
            Some(CampaignStep::Vote(names)) => return begin_vote(world, names, Stay::default()),
            Some(CampaignStep::Home { .. } | CampaignStep::If(..)) | None => {}
        }
    }
}

/// A step of the schedule as it is taken now: without its condition, and a vote without dungeons
/// that are closed. `None` if the condition does not hold, or there is nowhere to go.
fn step_to_take(world: &World, number: usize) -> Option<CampaignStep> {
    let mut step = world.resource::<RpgWorld>().0.schedule.get(number)?;
    let mut key = format!("schedule/{number}");
    while let CampaignStep::If(condition, then) = step {
        condition.holds(world, &key).then_some(())?;
        key.push_str("/if");
        step = then;
    }
    let closed = &world.resource::<ClosedDungeons>().0;
    let is_open = |name: &String| !closed.contains(name.as_str());
    match step {
        CampaignStep::Vote(names) => {
            let open: Vec<_> = names.iter().filter(|name| is_open(name)).cloned().collect();
            (!open.is_empty()).then_some(CampaignStep::Vote(open))
        }
        CampaignStep::Dungeon(name) => is_open(name).then(|| step.clone()),
        step => Some(step.clone()),
    }
}

/// The steps that are left to take, if everything stays as it is.
fn steps_to_take(world: &World) -> impl Iterator<Item = CampaignStep> {
    let first = world.resource::<CampaignState>().steps_done;
    let steps = first..world.resource::<RpgWorld>().0.schedule.len();
    steps.filter_map(|number| step_to_take(world, number))
}

/// Looks which journey or vote comes next, if everything stays as it is.
fn look_ahead(world: &mut World) {
    let is_ahead = |step: &_| matches!(step, CampaignStep::Dungeon(_) | CampaignStep::Vote(_));
    let ahead = steps_to_take(world).find(is_ahead);
    world.resource_mut::<CampaignState>().ahead = ahead;
}

// --- home ---

fn begin_day(world: &mut World, stay: Stay) {
    let date = inform_of_day(world, "begin");
    world.resource_mut::<Today>().0 = date;
    begin_round(world, stay, 1);
}

/// Tells everybody at home that a day begins or ends, and returns which.
fn inform_of_day(world: &mut World, part: &str) -> u32 {
    let day = world.resource::<CampaignState>().days_done + 1;
    let part = part.into();
    inform_home(
        world,
        Day {
            day,
            part,
            ..Day::default()
        },
    );
    day
}

/// Everybody goes where it sleeps, or where it is when the next day begins, but for those whom an
/// effect has placed elsewhere since the last night.
fn send_to_sleep(world: &mut World) {
    let file = world.resource::<RpgWorld>().0.clone();
    let next = world.resource::<CampaignState>().days_done + 1;
    for actor in &file.actors {
        let Some(to) = actor.goes_before(next) else {
            continue;
        };
        let list = world.resource::<CastList>();
        let found = list.by_name(&actor.name).zip(list.by_name(to));
        let Some((sleeper, stage)) = found else {
            continue;
        };
        let was_placed = world.entity_mut(sleeper).take::<Placed>().is_some();
        if !was_placed && !is_dead(world, sleeper) {
            send(world, &[sleeper], stage);
        }
    }
}

/// Only observers are told of the rounds of a day: those who are there read it when they are asked.
fn begin_round(world: &mut World, stay: Stay, round: u32) {
    look_ahead(world);
    let rounds = home_rounds(world);
    if rounds > 1 {
        let event = Day {
            day: world.resource::<CampaignState>().days_done + 1,
            part: "round".into(),
            round,
            rounds,
            hour: world.resource::<RpgWorld>().0.hour(round).to_owned(),
        };
        write_events_at_meeting(world, |events| events.notify_entities(&[], event));
    }
    begin_home_talk(world, stay, round);
}

/// People at home talk, once what scenes there depend on is judged. A day without a scene begins
/// with how it looks, where anybody is to see it.
fn begin_home_talk(world: &mut World, stay: Stay, round: u32) {
    let phase = CampaignPhase::Home { stay, round };
    let (occasion, otherwise) = match round {
        1 => (Occasion::Morning, Phase::Scene),
        _ => (Occasion::Afternoon, Phase::Plan),
    };
    let stages = home_stages(world);
    set_campaign_phase(world, phase.clone());
    if judge_scenes(world, occasion, &stages) {
        return judge_before(world, phase);
    }
    // Whoever is cast comes from other places, so all scenes open first.
    let opened = open_scenes(world, &stages, occasion);
    for stage in stages.into_iter().filter(|stage| !opened.contains(stage)) {
        let is_empty = living_on(world, stage).is_empty();
        set_phase(world, stage, if is_empty { Phase::Plan } else { otherwise });
    }
}

/// Before the last evening of a stay, those who would go vote where to, if that comes next.
fn end_afternoon(world: &mut World, stay: Stay) {
    let is_last = stay.day == stay.days;
    while let Some(number) = next_vote(world).filter(|_| is_last) {
        world.resource_mut::<CampaignState>().steps_done += 1;
        if let Some(CampaignStep::Vote(names)) = step_to_take(world, number) {
            return begin_vote(world, names, stay);
        }
    }
    begin_evening(world, stay);
}

/// The number of the next step, if it is a vote.
fn next_vote(world: &World) -> Option<usize> {
    let number = world.resource::<CampaignState>().steps_done;
    let step = world.resource::<RpgWorld>().0.schedule.get(number)?;
    step.is_vote().then_some(number)
}

/// Those who would go are asked where to.
fn begin_vote(world: &mut World, names: Vec<String>, stay: Stay) {
    elect(world);
    let dungeons = names.into_iter().map(Into::into).collect();
    set_campaign_phase(world, CampaignPhase::Vote { dungeons, stay });
}

fn begin_evening(world: &mut World, stay: Stay) {
    for agent in all_of(world, Kind::WorldAgent) {
        set_phase(world, agent, Phase::Announce);
    }
    set_campaign_phase(world, CampaignPhase::Evening { stay });
}

fn begin_night(world: &mut World, stay: Stay) {
    let date = inform_of_day(world, "end");
    world.resource_mut::<CampaignState>().days_done = date;
    heal_wounds(world);
    send_to_sleep(world);
    let night = CampaignPhase::Night { stay };
    if !is_last(world, &night) {
        let agents = all_of(world, Kind::WorldAgent);
        for place in home_stages(world).into_iter().chain(agents) {
            set_phase(world, place, Phase::Summarize);
        }
    }
    set_campaign_phase(world, night);
}

// --- the end ---

/// The first ending that holds is reached, once what it depends on is judged.
fn end_course(world: &mut World) {
    if judge_endings(world) {
        return judge_before(world, CampaignPhase::CourseOver);
    }
    match reached_ending(world, true) {
        Some(ending) => finish(world, &ending),
        None => finish_without_ending(world),
    }
}

fn judge_before(world: &mut World, after: CampaignPhase) {
    let after = Box::new(after);
    set_campaign_phase(world, CampaignPhase::Judge { after });
}

/// The story ends with an ending: the party goes home, and all say what became of them.
fn finish(world: &mut World, ending: &Ending) {
    if world.resource::<RpgWorld>().0.has_fights() {
        send_home(world);
    }
    begin_epilogue(world, ending);
    set_campaign_phase(world, CampaignPhase::Epilogue);
}

/// A world without endings ends when all who travelled are home.
fn finish_without_ending(world: &mut World) {
    let CampaignState { won, fights, .. } = *world.resource::<CampaignState>();
    let travels = world.resource::<RpgWorld>().0.has_fights();
    let party = if travels {
        names(world, &party(world))
    } else {
        Vec::new()
    };
    inform_home(world, Homecoming { won, fights, party });
    set_campaign_phase(world, CampaignPhase::Over);
    let phrases = world.resource::<Phrasebook>();
    let last_words = phrases.fill(&Finished).unwrap_or_default();
    world.insert_resource(StoryEnd(last_words));
}

fn end_story(world: &mut World) {
    set_campaign_phase(world, CampaignPhase::Over);
    let ending = world.resource::<History>().ending.as_deref();
    let ending = ending.and_then(|id| world.resource::<StoryData>().ending(id));
    let title = ending.map_or_else(String::new, |ending| ending.title.clone());
    world.insert_resource(StoryEnd(title));
}
