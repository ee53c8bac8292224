//! Memory: past rounds that have grown too long are summarized by the player's own mind.

use bevy_ecs::prelude::*;
use playhouse_engine::context::{AgentContext, Chapters, EntryId};
use playhouse_engine::event::kinds::Archive;
use playhouse_engine::event::{ChapterClose, EventWriter, PhraseError, Phrasebook, Prompt};
use playhouse_engine::exchange::{Answers, Ask, Prose, ProseRules, Question, Reply};
use playhouse_engine::message::Role;
use playhouse_engine::reading::letters;
use serde::{Deserialize, Serialize};

use super::current_table::{CurrentTable, LivingPlayer, NextStep};
use super::events::CARD;
use super::ids::PlayerRole;
use super::rules::Rules;
use super::table::Table;

/// The least number of letters of a summary.
const MIN_LETTERS: usize = 16;
/// The maximum number of characters of a summary, without its default answer.
const MAX_CHARS: usize = 2_000;

/// What a player is asked for a summary with. All of it is public.
#[derive(Serialize, Prompt)]
#[prompt(
    "undercover/asks/summary",
    purpose = "undercover.summary",
    FALLBACK = "undercover/fallback/summary"
)]
pub(super) struct SummaryData<'a> {
    me: &'a str,
    kind: &'a str,
    round: usize,
    rounds: Vec<RoundData<'a>>,
    must: Vec<&'a str>,
}

#[derive(Serialize)]
struct RoundData<'a> {
    round: u32,
    lines: Vec<LineData<'a>>,
    votes: Vec<VoteData>,
    out: Option<OutData>,
}

#[derive(Serialize)]
struct LineData<'a> {
    who: String,
    text: &'a str,
}

#[derive(Serialize)]
struct VoteData {
    voter: String,
    /// Empty for an abstention.
    target: String,
}

#[derive(Serialize)]
struct OutData {
    player: String,
    role: Option<PlayerRole>,
}

#[derive(Serialize, Prompt)]
#[prompt("undercover/memory/title")]
pub(super) struct TitleData {
    round: usize,
}

/// On a player who is asked for a summary: the range that the summary will replace.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PendingSummary {
    begin: EntryId,
    end: EntryId,
}

/// Players whose conversations have passed their limit of tokens are asked to summarize the past
/// rounds.
pub(super) fn ask_summaries(
    mut current: CurrentTable,
    contexts: Query<&AgentContext>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let stage = current.begin(NextStep::Summarize);
    let Some(table) = stage.and_then(|stage| current.table(stage)) else {
        return;
    };
    for player in current.living() {
        let Ok(context) = contexts.get(player.entity) else {
            continue;
        };
        if !table.is_alive(player.id) || context.tokens() <= current.rules().context_tokens {
            continue;
        }
        let Some(pending) = past(context) else {
            continue;
        };
        let ask = ask(events.phrases(), current.rules(), table, &player);
        let bundle = ask.map(|ask| (ask, pending));
        events.insert_or_fault(&mut commands, player.entity, bundle);
    }
}

/// Each summary replaces what it summarizes, which moves to a chapter.
pub(super) fn take_summaries(
    current: CurrentTable,
    mut answers: Answers<Prose>,
    minds: Query<(&AgentContext, &Chapters, &PendingSummary)>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    if answers.is_empty() {
        return;
    }
    let Some(stage) = current.stage() else { return };
    let table = current.table(stage);
    let round = table.map_or(0, |table| table.past_rounds.len());
    let title = events
        .phrases()
        .fill(&TitleData { round })
        .unwrap_or_else(|_| round.to_string());
    for (player, Prose(summary), _by) in answers.take() {
        let Ok((context, chapters, pending)) = minds.get(player) else {
            continue;
        };
        let event = Archive {
            actor: context.name().to_string(),
            stage: current.rules().table.clone(),
            chapter: chapters.next_id(context.name()).to_string(),
            record: String::new(),
            message: summary,
        };
        let close = ChapterClose {
            begin: pending.begin,
            end: pending.end,
            summing_up: context.last_exchange(),
            title: title.clone(),
            record: None,
        };
        events.close_chapter(player, event, close);
        commands.entity(player).remove::<PendingSummary>();
    }
}

/// Everything after the card, which always stays.
fn past(context: &AgentContext) -> Option<PendingSummary> {
    let is_card = |id| {
        let tags = context.tags(id);
        tags.is_some_and(|tags| tags.get(CARD).is_some())
    };
    let entries = context.entries();
    let last_kept = entries
        .iter()
        .rposition(|entry| entry.role() == Role::System || is_card(entry.id()));
    let past = entries.get(last_kept.map_or(0, |index| index + 1)..)?;
    Some(PendingSummary {
        begin: past.first()?.id(),
        end: past.last()?.id(),
    })
}

fn ask(
    phrases: &Phrasebook,
    rules: &Rules,
    table: &Table,
    player: &LivingPlayer,
) -> Result<Ask<Prose>, PhraseError> {
    let names = table.players.iter().map(|player| player.name.as_str());
    let data = SummaryData {
        me: &player.name,
        kind: "actor",
        round: table.past_rounds.len(),
        rounds: rounds(table),
        must: names.clone().collect(),
    };
    let fallback = Prose(phrases.say(SummaryData::FALLBACK, &data)?);
    let mut limits = ProseRules {
        max_chars: MAX_CHARS + fallback.0.chars().count(),
        min_letters: MIN_LETTERS.min(letters(&fallback.0)),
        must_hold: names.map(String::from).collect(),
        language: Some(rules.language),
        ..ProseRules::default()
    };
    if !fallback.check(&limits).is_empty() {
        // Descriptions may be in another language, and a changed template may leave names out.
        limits.language = None;
        limits.must_hold.clear();
    }
    let ask = data.ask(phrases, limits, fallback)?;
    Ok(ask.max_tokens(rules.reply_tokens))
}

/// The rounds that are over, as everybody knows them.
fn rounds(table: &Table) -> Vec<RoundData<'_>> {
    let rounds = table.past_rounds.iter().map(|round| {
        let lines = round.descriptions.iter().map(|said| LineData {
            who: table.name(said.player_id),
            text: &said.description,
        });
        let votes = round.votes.iter().map(|vote| VoteData {
            voter: table.name(vote.voter_id),
            target: vote.target_id.map(|id| table.name(id)).unwrap_or_default(),
        });
        let mut eliminations = table.eliminations.iter();
        let out = eliminations.find(|out| out.round == round.round);
        RoundData {
            round: round.round,
            lines: lines.collect(),
            votes: votes.collect(),
            out: out.map(|out| OutData {
                player: table.name(out.player_id),
                role: out.role,
            }),
        }
    });
    rounds.collect()
}
