//! The course of the campaign, advanced at meetings: kickoff, days at home, votes, homecoming.
//! Journeys are in `journey.rs`.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{Kind, all_of};
use playhouse_engine::engine::{MeetSet, Setup, StoryEnd};
use playhouse_engine::event::{Phrasebook, PromptSet, PromptTemplate, write_events_at_meeting};
use playhouse_engine::knowledge::Today;

use super::archive::archive_overdue;
use super::campaign_phase::{CampaignPhase, CampaignState};
use super::combat::resolve::weigh_resolve;
use super::combat::wounds::heal_wounds;
use super::components::{ClosedDungeons, Residence, RpgWorld};
use super::events::{Day, Homecoming};
use super::everybody::{home_stages, inform_home, names, on_stage, party, set_phase};
use super::home::uses::open_uses;
use super::home::vote::{count_votes, elect};
use super::journey::{
    after_camp, after_fight, begin_fight, begin_talk, meet_foes, return_home, send_home, set_out,
};
use super::phase::Phase;
use super::scenes::choose::{apply_choices, offer_choices};
use super::scenes::endings::{begin_closing, begin_epilogue, reached_ending, settle_goals};
use super::scenes::judge::{judge_choices, judge_endings, judge_scenes};
use super::scenes::open::open_talk;
use super::travel::{acquaint, introduce, travel_to};
use super::world_file::{CampaignStep, STAY};
use crate::drama::{Ending, History, Occasion, StoryData};

const FINISHED: PromptTemplate<()> = PromptTemplate::new("engine/finished");

/// Adds the systems of this file.
pub(super) fn plugin(setup: &mut Setup) {
    setup
        .meet
        .add_systems((advance_campaign, open_uses).chain().in_set(MeetSet::Rules));
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add(&FINISHED);
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
            CampaignPhase::Home { day, days, round } => {
                return begin_home_talk(world, day, days, round);
            }
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
    let may_end = is_running(&phase);
    let after = |phase: &CampaignPhase| Box::new(phase.clone());
    if !is_judged && judge_choices(world, may_end) {
        let after = after(&phase);
        return judge_before(world, CampaignPhase::Choice { after });
    }
    if offer_choices(world) {
        let after = after(&phase);
        return set_campaign_phase(world, CampaignPhase::Choice { after });
    }
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

/// Begins what comes after a phase.
fn go_on_after(world: &mut World, phase: CampaignPhase) {
    match phase {
        CampaignPhase::NotStarted => begin(world),
        CampaignPhase::Kickoff => next_step(world),
        CampaignPhase::Home { day, days, round } => {
            let rounds = world.resource::<RpgWorld>().0.limits.home_rounds.max(1) as u32;
            if round < rounds {
                begin_round(world, day, days, round + 1);
            } else {
                end_afternoon(world, day, days);
            }
        }
        CampaignPhase::Vote {
            dungeons,
            day,
            days,
        } => {
            let voted = count_votes(world, &dungeons);
            world.resource_mut::<CampaignState>().voted = Some(voted);
            if day > 0 {
                begin_evening(world, day, days);
            } else {
                next_step(world);
            }
        }
        CampaignPhase::Evening { day, days } => begin_night(world, day, days),
        CampaignPhase::Night { day, days } if day < days => begin_day(world, day + 1, days),
        CampaignPhase::Night { .. } => next_step(world),
        CampaignPhase::Travel { dungeon, fight } => {
            let next = meet_foes(world, dungeon, fight);
            go_on(world, next);
        }
        CampaignPhase::Arrival { dungeon, fight } => {
            let next = begin_fight(world, dungeon, fight);
            go_on(world, next);
        }
        CampaignPhase::Fight { dungeon, fight } => {
            let next = after_fight(world, dungeon, fight);
            go_on(world, next);
        }
        CampaignPhase::Camp { dungeon, fight } => {
            let next = after_camp(world, dungeon, fight);
            go_on(world, next);
        }
        CampaignPhase::Retreat { dungeon } => {
            let next = return_home(world, dungeon);
            go_on(world, next);
        }
        CampaignPhase::Return { .. } => next_step(world),
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
    let CampaignState {
        steps_done, voted, ..
    } = world.resource::<CampaignState>();
    let ends_step = match phase {
        CampaignPhase::Night { day, days } => day >= days,
        CampaignPhase::Home { day, days, round } => {
            let rounds = world.resource::<RpgWorld>().0.limits.home_rounds.max(1) as u32;
            day >= days && *round >= rounds
        }
        CampaignPhase::Return { .. } => true,
        _ => false,
    };
    let steps = *steps_done..world.resource::<RpgWorld>().0.schedule.len();
    let stays = voted.as_deref().is_none_or(|voted| voted == STAY);
    ends_step
        && stays
        && steps
            .into_iter()
            .all(|step| step_to_take(world, step).is_none())
}

fn set_campaign_phase(world: &mut World, phase: CampaignPhase) {
    world.resource_mut::<CampaignState>().phase = phase;
}

fn begin(world: &mut World) {
    let homes = home_stages(world);
    let people = homes.iter().flat_map(|stage| on_stage(world, *stage));
    let people: Vec<_> = people.collect();
    let bonds = &world.resource::<RpgWorld>().0.bonds;
    let never_met = bonds.iter().filter(|bond| bond.never_met);
    let never_met: Vec<_> = never_met
        .map(|bond| (bond.from.as_str().into(), bond.to.as_str().into()))
        .collect();
    acquaint(world, &people, &homes, &never_met);
    for stage in homes {
        for actor in on_stage(world, stage) {
            introduce(world, actor, stage);
        }
    }
    let stages = all_of(world, Kind::Stage);
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
                return begin_day(world, 1, days as u32);
            }
            Some(CampaignStep::Dungeon(name)) => {
                if let Some(phase) = set_out(world, name.into()) {
                    return set_campaign_phase(world, phase);
                }
            }
            Some(CampaignStep::Vote(names)) => return begin_vote(world, names, (0, 0)),
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

/// Looks which journey or vote comes next, if everything stays as it is.
fn look_ahead(world: &mut World) {
    let first = world.resource::<CampaignState>().steps_done;
    let steps = first..world.resource::<RpgWorld>().0.schedule.len();
    let mut steps = steps.filter_map(|number| step_to_take(world, number));
    let ahead = steps.find(|step| matches!(step, CampaignStep::Dungeon(_) | CampaignStep::Vote(_)));
    world.resource_mut::<CampaignState>().ahead = ahead;
}

// --- home ---

fn begin_day(world: &mut World, day: u32, days: u32) {
    let date = world.resource::<CampaignState>().days_done + 1;
    inform_home(
        world,
        Day {
            day: date,
            part: "begin".into(),
            ..Day::default()
        },
    );
    send_neighbours_home(world);
    world.resource_mut::<Today>().0 = date;
    begin_round(world, day, days, 1);
}

/// Whoever is not of the party is where it lives.
fn send_neighbours_home(world: &mut World) {
    let party = party(world);
    for actor in all_of(world, Kind::Actor) {
        let home = world.get::<Residence>(actor).cloned();
        if let Some(Residence(home)) = home.filter(|_| !party.contains(&actor)) {
            travel_to(world, actor, &home);
        }
    }
}

/// Only observers are told of the rounds of a day: those who are there read it when they are asked.
fn begin_round(world: &mut World, day: u32, days: u32, round: u32) {
    look_ahead(world);
    let rounds = world.resource::<RpgWorld>().0.limits.home_rounds.max(1) as u32;
    if rounds > 1 {
        let event = Day {
            day: world.resource::<CampaignState>().days_done + 1,
            part: "round".into(),
            round,
            rounds,
        };
        write_events_at_meeting(world, |events| events.notify_entities(&[], event));
    }
    begin_home_talk(world, day, days, round);
}

/// People at home talk, once what scenes there depend on is judged. A day without a scene begins
/// with how it looks.
fn begin_home_talk(world: &mut World, day: u32, days: u32, round: u32) {
    let phase = CampaignPhase::Home { day, days, round };
    let (occasion, otherwise) = match round {
        1 => (Occasion::Morning, Phase::Scene),
        _ => (Occasion::Afternoon, Phase::Plan),
    };
    let stages = home_stages(world);
    if judge_scenes(world, occasion, &stages) {
        return judge_before(world, phase);
    }
    set_campaign_phase(world, phase);
    for stage in stages {
        if !open_talk(world, stage, occasion, 0) {
            set_phase(world, stage, otherwise);
        }
    }
}

/// Before the last evening of a stay, those who would go vote where to, if that comes next.
fn end_afternoon(world: &mut World, day: u32, days: u32) {
    let is_last = day == days;
    while let Some(number) = next_vote(world).filter(|_| is_last) {
        world.resource_mut::<CampaignState>().steps_done += 1;
        if let Some(CampaignStep::Vote(names)) = step_to_take(world, number) {
            return begin_vote(world, names, (day, days));
        }
    }
    begin_evening(world, day, days);
}

/// The number of the next step, if it is a vote.
fn next_vote(world: &World) -> Option<usize> {
    let number = world.resource::<CampaignState>().steps_done;
    let step = world.resource::<RpgWorld>().0.schedule.get(number)?;
    step.is_vote().then_some(number)
}

/// Those who would go are asked where to. `evening` is the day of the stay and the number of days.
fn begin_vote(world: &mut World, names: Vec<String>, evening: (u32, u32)) {
    elect(world);
    let (day, days) = evening;
    let dungeons = names.into_iter().map(Into::into).collect();
    let phase = CampaignPhase::Vote {
        dungeons,
        day,
        days,
    };
    set_campaign_phase(world, phase);
}

fn begin_evening(world: &mut World, day: u32, days: u32) {
    for agent in all_of(world, Kind::WorldAgent) {
        set_phase(world, agent, Phase::Announce);
    }
    set_campaign_phase(world, CampaignPhase::Evening { day, days });
}

fn begin_night(world: &mut World, day: u32, days: u32) {
    let date = world.resource::<CampaignState>().days_done + 1;
    inform_home(
        world,
        Day {
            day: date,
            part: "end".into(),
            ..Day::default()
        },
    );
    world.resource_mut::<CampaignState>().days_done = date;
    heal_wounds(world);
    let night = CampaignPhase::Night { day, days };
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

/// The story ends with an ending: everybody goes home, and says what became of them.
fn finish(world: &mut World, ending: &Ending) {
    send_home(world);
    send_neighbours_home(world);
    begin_epilogue(world, ending);
    set_campaign_phase(world, CampaignPhase::Epilogue);
}

/// A world without endings ends when everybody is home.
fn finish_without_ending(world: &mut World) {
    let CampaignState { won, fights, .. } = *world.resource::<CampaignState>();
    let party = names(world, &party(world));
    inform_home(world, Homecoming { won, fights, party });
    set_campaign_phase(world, CampaignPhase::Over);
    let phrases = world.resource::<Phrasebook>();
    let last_words = phrases.render(&FINISHED, &()).unwrap_or_default();
    world.insert_resource(StoryEnd(last_words));
}

fn end_story(world: &mut World) {
    set_campaign_phase(world, CampaignPhase::Over);
    let ending = world.resource::<History>().ending.clone();
    let story = world.resource::<StoryData>();
    let ending = ending.and_then(|id| story.ending(&id));
    let title = ending.map(|ending| ending.title.clone());
    world.insert_resource(StoryEnd(title.unwrap_or_default()));
}
