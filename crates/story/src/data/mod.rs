//! A story as tables for statistics: one row for each event, who learned it, each call, choice and
//! vote, what everybody knows, and everybody.
//!
//! The comments of tables and columns are what readers of the data are told of them.

mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use playhouse_engine::cast::{Kind, turn_number};
use playhouse_engine::event::{AudienceRule, EventTypes, Recipient};
use playhouse_engine::journal::{AskEnding, Outcome};

pub(crate) use table::row;
pub use table::{Cell, CellKind, CellValue, Column, Row, Table};

use super::call::Call;
use super::view::{Contents, EventEntry};

row! {
    /// The stories themselves.
    "stories": StoryRow {
        /// The name of the world.
        world: String,
        /// The fingerprint of everything that minds read: world and prompts.
        fingerprint: String,
        /// The model that answered, unless a character had its own.
        model: String,
        /// The models of single characters, as `NAME=MODEL`, separated by commas.
        models: Option<String>,
        /// The version of Playhouse that wrote this table.
        engine: &'static str,
        /// The last turn.
        turn: u64,
        /// The last day.
        day: u32,
        /// Whether it is over.
        over: bool,
        /// The id of the ending that was reached, or the side that won.
        ending: Option<String>,
    }
}

row! {
    /// What happened, in order.
    "events": EventRow {
        /// Its number in the story, from 0.
        event: u32,
        /// Its id, as `ask SAVE why` takes it.
        id: String,
        /// The turn in which it happened.
        turn: u64,
        /// The day on which it happened.
        day: u32,
        /// Its type, such as `speak`.
        kind: String,
        /// The place where it happened; empty for what happened everywhere.
        place: Option<Arc<str>>,
        /// Who said or did it.
        who: Option<Arc<str>>,
        /// To whom it was said or given.
        target: Option<Arc<str>>,
        /// What was said, if something was.
        words: Option<String>,
        /// The words that its receivers read.
        text: String,
        /// The number of the call whose answer it tells.
        call: Option<u32>,
        /// All its members, as JSON.
        data: String,
    }
}

row! {
    /// Who learned of an event: one row for each of them.
    "audience": AudienceRow {
        /// The number of the event.
        event: u32,
        /// Who learned of it.
        who: Arc<str>,
        /// Its number, which no later one of the same name gets.
        who_id: u32,
        /// By which rule: `broadcast_to_stage`, `announced`, `notified` or `private`.
        rule: &'static str,
    }
}

row! {
    /// What minds were asked, and what they answered.
    "calls": CallRow {
        /// Its number in the story, from 0.
        call: u32,
        /// Who was asked.
        who: Arc<str>,
        /// Its number.
        who_id: u32,
        /// Which of the questions to it this was, from 1.
        number: u32,
        /// What it was asked for, such as `home.plan`.
        purpose: String,
        /// The place where it was.
        place: Option<Arc<str>>,
        /// The turn.
        turn: u64,
        /// Who runs the model.
        provider: Arc<str>,
        /// The model that answered.
        model: Arc<str>,
        /// Requests that reached it.
        requests: u64,
        /// Attempts that were repeated because a server failed.
        retries: u32,
        /// Answers that failed their check.
        refused: u32,
        /// Rounds of tool calls.
        tool_rounds: u32,
        /// Tokens of the prompts.
        prompt_tokens: u64,
        /// Those of them that the provider read from its cache.
        cached_tokens: u64,
        /// Tokens of the answers.
        answer_tokens: u64,
        /// Whether tokens are estimated, because the provider reported none.
        estimated: bool,
        /// The cost, in the unit of the price.
        cost: f64,
        /// The time of all attempts, in milliseconds.
        ms: u64,
        /// Why the program answered, because no mind did; empty if one did.
        default_because: Option<String>,
        /// The question.
        question: String,
        /// The answer.
        answer: Option<String>,
    }
}

row! {
    /// Choices among the options of a scene.
    "choices": ChoiceRow {
        /// The number of the event that tells it.
        event: u32,
        /// The turn.
        turn: u64,
        /// The day.
        day: u32,
        /// Who chose.
        who: String,
        /// The scene.
        scene: String,
        /// The option that was chosen.
        option: String,
        /// The option in the words in which it was offered.
        label: String,
    }
}

row! {
    /// Votes.
    "votes": VoteRow {
        /// The number of the event that tells it.
        event: u32,
        /// The turn.
        turn: u64,
        /// The day, or the round of a game that has rounds.
        day: u32,
        /// Who voted.
        who: String,
        /// For what or against whom; empty for an abstention.
        vote: Option<String>,
        /// Whether it was one more vote after a tie.
        run_off: bool,
    }
}

row! {
    /// Who knows which fact at the end.
    "knowledge": KnowledgeRow {
        /// Who knows it.
        who: Arc<str>,
        /// Its number.
        who_id: u32,
        /// The id of the fact.
        fact: String,
        /// What the fact is about.
        title: String,
        /// The day on which it was learned.
        day: u32,
        /// The turn in which it was learned.
        turn: u64,
        /// The type of the event that taught it; empty if it was known from the start.
        learned_by: Option<Arc<str>>,
        /// The id of that event.
        event_id: Option<Arc<str>>,
        /// From whom; empty if from nobody.
        learned_from: Option<Arc<str>>,
    }
}

row! {
    /// Everybody and every place at the end.
    "people": PersonRow {
        /// Its number.
        id: u32,
        /// Its name.
        name: Arc<str>,
        /// What it is: `actor`, `stage` or `world_agent`.
        kind: &'static str,
        /// Its side, such as `hero`.
        faction: Option<Arc<str>>,
        /// Where it is.
        place: Option<Arc<str>>,
        /// Whether it is dead, or out of the game.
        dead: bool,
        /// How many facts it knows.
        facts: u32,
        /// Requests that reached its mind.
        calls: u64,
        /// Tokens of its prompts.
        prompt_tokens: u64,
        /// Tokens of its answers.
        answer_tokens: u64,
        /// What it has cost, in the unit of the price.
        cost: f64,
        /// Answers that the program gave for it.
        default_answers: u64,
    }
}

/// A choice that an event tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldChoice {
    pub who: String,
    pub scene: String,
    pub option: String,
    pub label: String,
}

/// A vote that an event tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldVote {
    pub who: String,
    /// For what or against whom; `None` for an abstention.
    pub vote: Option<String>,
    /// The round, if the game has no days.
    pub round: Option<u32>,
    pub is_run_off: bool,
}

/// The rows of one table.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    pub table: Table,
    pub rows: Vec<Vec<Cell>>,
}

/// All tables of stories, in the order in which [`tables_of`] gives their rows.
pub const TABLES: [Table; 8] = [
    StoryRow::TABLE,
    EventRow::TABLE,
    AudienceRow::TABLE,
    CallRow::TABLE,
    ChoiceRow::TABLE,
    VoteRow::TABLE,
    KnowledgeRow::TABLE,
    PersonRow::TABLE,
];

/// All rows of a story.
pub fn tables_of(story: &StoryRow, contents: &Contents, types: &EventTypes) -> [Rows; 8] {
    TABLES.map(|table| Rows {
        table,
        rows: cells_of(table.name, story, contents, types),
    })
}

/// The rows of the table of this name; `None` if there is none.
pub fn rows_of(
    table: &str,
    story: &StoryRow,
    contents: &Contents,
    types: &EventTypes,
) -> Option<Rows> {
    let table = TABLES.into_iter().find(|known| known.name == table)?;
    let rows = cells_of(table.name, story, contents, types);
    Some(Rows { table, rows })
}

fn cells_of(
    table: &str,
    story: &StoryRow,
    contents: &Contents,
    types: &EventTypes,
) -> Vec<Vec<Cell>> {
    fn cells<R: Row>(rows: impl IntoIterator<Item = R>) -> Vec<Vec<Cell>> {
        rows.into_iter().map(R::cells).collect()
    }
    let InOrder { events, calls } = InOrder::of(contents);
    let events = || (0..).zip(&events).map(|(number, event)| (number, *event));
    match table {
        "stories" => cells([StoryRow {
            turn: contents.turn,
            day: contents.day,
            ending: ending(contents),
            ..story.clone()
        }]),
        "events" => {
            let numbers = calls.iter().map(|(call, _)| call.call).zip(0..);
            let numbers: BTreeMap<_, _> = numbers.collect();
            cells(events().map(|(number, event)| {
                let call = event.call.and_then(|call| numbers.get(&call).copied());
                event_row(contents, types, (number, event, call))
            }))
        }
        "audience" => cells(events().flat_map(audience)),
        "calls" => cells(
            (0..)
                .zip(&calls)
                .map(|(number, call)| call_row(contents, number, call)),
        ),
        "choices" => cells(events().filter_map(|event| choice_row(contents, event))),
        "votes" => cells(events().flat_map(|event| votes(contents, event))),
        "knowledge" => cells(knowledge(contents)),
        _ => cells(people(contents)),
    }
}

/// Events and calls as the world has them. Places go on beside each other, so what happens at
/// several in one turn arrives in any order; here the place with the lower number comes first.
pub struct InOrder<'c> {
    pub events: Vec<&'c EventEntry>,
    pub calls: Vec<(&'c Call, Arc<Outcome>)>,
}

impl<'c> InOrder<'c> {
    pub fn of(contents: &'c Contents) -> Self {
        let mut events: Vec<_> = contents.events.iter().map(Arc::as_ref).collect();
        // While the world meets, no place goes on.
        let phase = |event: &EventEntry| (event.turn, event.id.place == 0);
        for beside in events.chunk_by_mut(|one, next| phase(one) == phase(next)) {
            beside.sort_by_key(|event| event.id.place);
        }
        let mut calls: Vec<_> = contents.answers().collect();
        calls.sort_by_key(|(call, _)| (call.turn, call.place));
        Self { events, calls }
    }
}

fn ending(contents: &Contents) -> Option<String> {
    let pictures = || contents.state.games.all();
    let mut records = contents.events.iter().rev().map(|event| event.record());
    records.find_map(|record| pictures().find_map(|picture| picture.told_ending(&record)))
}

fn event_row(
    contents: &Contents,
    types: &EventTypes,
    (number, event, call): (u32, &EventEntry, Option<u32>),
) -> EventRow {
    let record = event.record();
    let telling = types.telling(&record);
    let words = telling
        .as_deref()
        .and_then(|telling| event.form.words_of(telling));
    let name = |id: Option<u32>| contents.name_of(id?);
    EventRow {
        event: number,
        id: record.id.to_string(),
        turn: turn_number(record.turn),
        day: event.day,
        kind: record.kind.clone(),
        place: Some(record.place.clone()).filter(|place| !place.is_empty()),
        who: name(event.by),
        target: name(event.to),
        words: words.map(str::to_owned),
        text: record.text.clone(),
        call,
        data: record.data.to_string(),
    }
}

fn audience((number, event): (u32, &EventEntry)) -> Vec<AudienceRow> {
    let record = event.record();
    let rule = match record.rule {
        AudienceRule::BroadcastToStage { .. } => "broadcast_to_stage",
        AudienceRule::Announced { .. } => "announced",
        AudienceRule::Notified => "notified",
        AudienceRule::Private => "private",
    };
    let row = |who: &Recipient| AudienceRow {
        event: number,
        who: who.name.clone(),
        who_id: who.id.0,
        rule,
    };
    record.audience.iter().map(row).collect()
}

fn call_row(contents: &Contents, number: u32, (call, outcome): &(&Call, Arc<Outcome>)) -> CallRow {
    let (answer, default_because) = match &outcome.ending {
        AskEnding::Answered { text, .. } => (Some(text.clone()), None),
        AskEnding::Failed { reason } => (None, Some(reason.to_string())),
    };
    CallRow {
        call: number,
        who: outcome.entity.clone(),
        who_id: call.who,
        number: outcome.number,
        purpose: outcome.purpose.clone(),
        place: contents.name_of(call.place),
        turn: call.turn,
        provider: outcome.provider.clone(),
        model: outcome.model.clone(),
        requests: outcome.calls,
        retries: outcome.retries,
        refused: outcome.refused.len() as u32,
        tool_rounds: outcome.rounds.len() as u32,
        prompt_tokens: outcome.usage.input,
        cached_tokens: outcome.usage.cached,
        answer_tokens: outcome.usage.output,
        estimated: outcome.estimated == 0,
        cost: outcome.cost.units(),
        ms: outcome.ms,
        default_because,
        question: outcome.asked.clone(),
        answer,
    }
}

fn choice_row(contents: &Contents, (number, event): (u32, &EventEntry)) -> Option<ChoiceRow> {
    let mut pictures = contents.state.games.all();
    let record = event.record();
    let told = pictures.find_map(|picture| picture.told_choice(&record))?;
    let ToldChoice {
        who,
        scene,
        option,
        label,
    } = told;
    Some(ChoiceRow {
        event: number,
        turn: turn_number(event.turn),
        day: event.day,
        who,
        scene,
        option,
        label,
    })
}

fn votes<'c>(
    contents: &'c Contents,
    (number, event): (u32, &'c EventEntry),
) -> impl Iterator<Item = VoteRow> {
    let pictures = contents.state.games.all();
    let record = event.record();
    let told = pictures.flat_map(move |picture| picture.told_votes(&record));
    told.map(move |vote| VoteRow {
        event: number,
        turn: turn_number(event.turn),
        day: vote.round.unwrap_or(event.day),
        who: vote.who,
        vote: vote.vote,
        run_off: vote.is_run_off,
    })
}

fn knowledge(contents: &Contents) -> impl Iterator<Item = KnowledgeRow> {
    let state = &contents.state;
    let some = |text: &Arc<str>| Some(text.clone()).filter(|text| !text.is_empty());
    state.beings.iter().flat_map(move |being| {
        state
            .known_by(being)
            .map(move |(fact, known)| KnowledgeRow {
                who: being.name.clone(),
                who_id: being.id,
                fact: fact.id.clone(),
                title: fact.title.clone(),
                day: known.day,
                turn: turn_number(known.turn),
                learned_by: some(&known.by),
                event_id: some(&known.event),
                learned_from: known.from.clone(),
            })
    })
}

fn people(contents: &Contents) -> impl Iterator<Item = PersonRow> {
    let state = &contents.state;
    state.beings.iter().map(|being| PersonRow {
        id: being.id,
        name: being.name.clone(),
        kind: match being.kind {
            Kind::Actor => "actor",
            Kind::Stage => "stage",
            Kind::WorldAgent => "world_agent",
        },
        faction: being.faction.clone(),
        place: being.place.and_then(|place| contents.name_of(place)),
        dead: being.is_dead,
        facts: state.known_by(being).count() as u32,
        calls: being.spent.calls,
        prompt_tokens: being.spent.usage.input,
        answer_tokens: being.spent.usage.output,
        cost: being.spent.cost.units(),
        default_answers: being.spent.fallbacks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{About, StoryView};
    use playhouse_engine::event::EventRecord;
    use playhouse_engine::message::BodyId;
    use playhouse_engine::session::Logged;

    fn event((place, number): (u32, u32)) -> Logged {
        Logged::Event(Box::new(EventRecord {
            id: BodyId { place, number },
            turn: 1,
            kind: "speak".into(),
            rule: AudienceRule::Private,
            ..EventRecord::default()
        }))
    }

    #[test]
    fn rows_do_not_depend_on_which_place_was_faster() {
        let rows = |order: [(u32, u32); 6]| {
            let view = StoryView::new(About::default());
            view.fill(order.map(event));
            let contents = view.read();
            let types = EventTypes::default();
            let rows = rows_of("events", &StoryRow::default(), &contents, &types).unwrap();
            let number_and_id = |row: &Vec<Cell>| (row[0].clone(), row[1].clone());
            rows.rows.iter().map(number_and_id).collect::<Vec<_>>()
        };
        let ordered = [(0, 1), (1, 1), (1, 2), (2, 1), (2, 2), (0, 2)];
        let expected: Vec<_> = (0..)
            .zip(ordered)
            .map(|(number, (place, id))| {
                (
                    Cell::Whole(number),
                    Cell::Text(format!("{place}-{id}").into()),
                )
            })
            .collect();
        assert_eq!(rows(ordered), expected);
        assert_eq!(
            rows([(0, 1), (2, 1), (1, 1), (2, 2), (1, 2), (0, 2)]),
            expected
        );
    }
}
