//! Memory: past rounds that have grown too long become a summary, by the player's own mind.

use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use super::at_table::{AtTable, Next, Sitting};
use super::events::CARD;
use super::rules::Rules;
use super::table::{Phase, Table};
use crate::context::{AgentContext, Chapters, EntryId};
use crate::event::kinds::Archive;
use crate::event::{ChapterClose, EventWriter, Fault, Phrasebook};
use crate::exchange::{Answers, Ask, Prose, ProseRules, Reply};
use crate::message::Role;

/// On a player who sums up: from where to where the summary reaches.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SummingUp {
    begin: EntryId,
    end: EntryId,
}

/// Those whose memory has passed its limit are asked to sum up the rounds that are over.
pub fn ask_summaries(
    mut here: AtTable,
    contexts: Query<&AgentContext>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = here.is_about_to(Next::SumUp) else {
        return;
    };
    here.then(stage, Next::Rest);
    let Some(table) = here.table(stage) else {
        return;
    };
    let living = here
        .living()
        .into_iter()
        .filter(|one| table.is_alive(one.id));
    for player in living {
        let Ok(context) = contexts.get(player.entity) else {
            continue;
        };
        if context.tokens() <= here.rules().context_tokens {
            continue;
        }
        let Some(range) = past(context) else { continue };
        match ask(tell.phrases(), here.rules(), table, &player) {
            Ok(ask) => {
                commands.entity(player.entity).insert((ask, range));
            }
            Err(reason) => tell.fault(Fault::Game(reason)),
        }
    }
}

/// Each summary takes the place of what it sums up, which moves to a chapter.
pub fn take_summaries(
    here: AtTable,
    mut answers: Answers<Prose>,
    minds: Query<(&AgentContext, &Chapters, &SummingUp)>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    if answers.is_empty() {
        return;
    }
    let Some(stage) = here.stage() else { return };
    let round = here.table(stage).map_or(0, |table| table.past_rounds.len());
    let title = tell
        .phrases()
        .say("undercover/memory/title", &json!({"round": round}));
    for (player, Prose(summary), _by) in answers.take() {
        let Ok((context, chapters, range)) = minds.get(player) else {
            continue;
        };
        let event = Archive {
            actor: context.name().to_string(),
            stage: here.rules().table.clone(),
            chapter: chapters.next_id(context.name()).to_string(),
            message: summary,
        };
        let closing = ChapterClose {
            begin: range.begin,
            end: range.end,
            summing_up: last_exchange(context),
            title: title.clone().unwrap_or_else(|_| round.to_string()),
        };
        tell.close_chapter(player, event, closing);
        commands.entity(player).remove::<SummingUp>();
    }
}

/// Everything behind the card, which always stays.
fn past(context: &AgentContext) -> Option<SummingUp> {
    let dealt = |id| {
        context
            .tags(id)
            .is_some_and(|tags| tags.get(CARD).is_some())
    };
    let entries = context.entries();
    let kept = entries
        .iter()
        .rposition(|entry| entry.role() == Role::System || dealt(entry.id()));
    let past = entries.get(kept.map_or(0, |at| at + 1)..)?;
    Some(SummingUp {
        begin: past.first()?.id(),
        end: past.last()?.id(),
    })
}

/// The last question and its answer, which are the summing-up when a summary is taken.
fn last_exchange(context: &AgentContext) -> Option<(EntryId, EntryId)> {
    match context.entries() {
        [.., asked, answered] if asked.role() == Role::Human && answered.role() == Role::Ai => {
            Some((asked.id(), answered.id()))
        }
        _ => None,
    }
}

fn ask(
    phrases: &Phrasebook,
    rules: &Rules,
    table: &Table,
    player: &Sitting,
) -> Result<Ask<Prose>, String> {
    let facts = facts(table, player);
    let prompt = phrases.say("undercover/asks/summary", &facts)?;
    let text = phrases.say("undercover/fallback/summary", &facts)?;
    let mut limits = ProseRules {
        max_chars: 2_000 + text.chars().count(),
        must_hold: table
            .players
            .iter()
            .map(|player| player.name.clone())
            .collect(),
        language: Some(rules.language),
    };
    let fallback = Prose(text);
    if !fallback.check(&limits).is_empty() {
        // What players say may be of another language, and a changed template may leave names out.
        limits.language = None;
        limits.must_hold.clear();
    }
    let ask = Ask::new("undercover.summary", prompt, limits, fallback);
    Ok(ask.notes(facts).max_tokens(rules.reply_tokens))
}

/// The rounds that are over, as everybody knows them.
fn facts(table: &Table, player: &Sitting) -> Value {
    let rounds = table.past_rounds.iter().map(|round| {
        let lines = round
            .descriptions
            .iter()
            .map(|said| json!({"who": table.name(said.player_id), "text": said.description}));
        let votes = round.votes.iter().map(|vote| {
            let target = vote.target_id.map(|id| table.name(id));
            json!({"voter": table.name(vote.voter_id), "target": target.unwrap_or_default()})
        });
        let out = table
            .eliminations
            .iter()
            .find(|out| out.round == round.round);
        json!({
            "round": round.round,
            "lines": lines.collect::<Vec<_>>(),
            "votes": votes.collect::<Vec<_>>(),
            "out": out.map(|out| json!({"player": table.name(out.player_id), "role": out.role})),
        })
    });
    debug_assert_ne!(
        table.phase,
        Phase::End,
        "nothing is summed up after the end"
    );
    json!({
        "me": player.name,
        "kind": "actor",
        "round": table.past_rounds.len(),
        "rounds": rounds.collect::<Vec<_>>(),
        "must": table.players.iter().map(|player| &player.name).collect::<Vec<_>>(),
    })
}
