//! Descriptions: one player after the other, each having heard those before it.

use bevy_ecs::prelude::*;
use playhouse_engine::event::guard::{Guards, Judged, Point};
use playhouse_engine::event::{AgentEvent, EventWriter, Fault, PhraseError, Phrasebook, Prompt};
use playhouse_engine::exchange::{Answers, Ask, Question};
use playhouse_engine::locale::text;
use playhouse_engine::message::Language;
use serde::Serialize;

use super::current_table::{CurrentTable, LivingPlayer, NextStep};
use super::description::{DescriptionReply, DescriptionRules};
use super::events::Described;
use super::prompt_data::PlayerData;
use super::rules::{Reflect, Rules};
use super::table::Table;
use super::taboo::Taboo;

/// What descriptions need besides.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub(super) enum DescribePrompt {
    /// The default lines.
    #[prompt("undercover/fallback/lines")]
    Lines,
    /// Names that nobody may speak for.
    #[prompt("undercover/system/titles")]
    Titles,
}

/// What a player is asked for its description with. All of it is public.
#[derive(Serialize, Prompt)]
#[prompt(
    "undercover/asks/describe",
    purpose = "undercover.describe",
    short = "undercover/asks/describe_short"
)]
pub(super) struct DescribeData<'a> {
    #[serde(flatten)]
    player: PlayerData<'a>,
    turn: usize,
    players: usize,
    most_chars: usize,
}

/// A description is recorded, and everybody hears it at once.
pub(super) fn take_descriptions(
    mut current: CurrentTable,
    guards: Res<Guards>,
    language: Res<Language>,
    mut answers: Answers<DescriptionReply>,
    mut events: EventWriter,
) {
    if answers.is_empty() {
        return;
    }
    let Some(stage) = current.stage() else { return };
    for (player, reply, _by) in answers.take() {
        let (Some(id), Some(table)) = (current.id_of(player), current.table(stage)) else {
            continue;
        };
        let name = table.name(id);
        // The table keeps what its players heard, so guards come first.
        let judgement = guards.judge(Judged {
            point: Point::Send,
            text: &reply.text,
            kind: Described::TYPE,
            speaker: Some(&name),
            receiver: None,
            knowledge: None,
            public: true,
            language: *language,
        });
        let description = match judgement.blocked() {
            Some(_) => "…".to_owned(),
            None => judgement.text.into_owned(),
        };
        let event = Described {
            round: table.round,
            player_id: id,
            player: name,
            description: description.clone(),
        };
        current.update(stage, |table| table.add_description(id, description));
        events.broadcast_to_stage(player, event, &[player]);
    }
    let next = match current.rules().reflect {
        Reflect::Line => NextStep::ReflectOnLine,
        Reflect::Off | Reflect::Round => NextStep::Describe,
    };
    current.set_next(stage, next);
}

/// The next player of this round is asked, until all have spoken.
pub(super) fn ask_description(
    mut current: CurrentTable,
    taboos: Query<&Taboo>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let stage = current.begin(NextStep::Describe);
    let Some(table) = stage.and_then(|stage| current.table(stage)) else {
        return;
    };
    let living = current.living();
    let next = table.next_speaker();
    let speaker = living.iter().find(|player| Some(player.id) == next);
    let Some(speaker) = speaker else { return };
    let Ok(taboo) = taboos.get(speaker.entity) else {
        let problem = text!(undercover_no_card, player = &*speaker.name);
        return events.fault(Fault::Game(problem));
    };
    let rules = current.rules();
    let data = DescribeData {
        player: PlayerData::new(rules, table, speaker, &living),
        turn: table.current_descriptions.len() + 1,
        players: living.len(),
        most_chars: rules.description_chars,
    };
    let spoken = table.descriptions().map(|said| said.description.clone());
    let names = table.players.iter().map(|player| player.name.clone());
    let limits = DescriptionRules {
        taboo: taboo.clone(),
        spoken: spoken.collect(),
        names: names.collect(),
        max_chars: rules.description_chars,
    };
    let ask = ask(events.phrases(), rules, table, speaker, &data, limits);
    events.insert_or_fault(&mut commands, speaker.entity, ask);
}

fn ask(
    phrases: &Phrasebook,
    rules: &Rules,
    table: &Table,
    speaker: &LivingPlayer,
    data: &DescribeData,
    mut limits: DescriptionRules,
) -> Result<Ask<DescriptionReply>, PhraseError> {
    let lines = phrases.fill(&DescribePrompt::Lines)?;
    let titles = phrases.fill(&DescribePrompt::Titles)?;
    limits.names.extend(titles.lines().map(String::from));
    let first = speaker.id.0 + 5 * table.round;
    let ask = data
        .ask(phrases, limits, DescriptionReply::silent())?
        .fallback_with(move |limits| {
            DescriptionReply::neutral(&starting_with(first, &lines), limits)
        });
    Ok(ask.max_tokens(rules.reply_tokens))
}

/// The default lines, beginning with a different one for each player and round.
fn starting_with(first: u32, lines: &str) -> Vec<String> {
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    let mut lines: Vec<_> = lines.map(String::from).collect();
    let first = first as usize % lines.len().max(1);
    lines.rotate_left(first);
    lines
}
