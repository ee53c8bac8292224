//! What minds were sent, for the commands that show it.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cast::{CastList, EntityName, turn_number};
use crate::journal::Outcome;
use crate::mind::{Mind, MindAlias};
use crate::save::Slot;
use crate::session::{CallRequest, PromptMessage, PromptPart, SessionError, Wanted, requests};
use bevy_ecs::prelude::World;

use super::play;
use crate::cli::printed::SentMessage;
use crate::cli::saved::Saved;
use crate::cli::settings::IMPROVISER;
use crate::cli::slot_settings;

/// The requests of a save, made again.
pub(super) fn find(app: &App, saved: &Saved, wanted: Wanted) -> Result<Vec<CallRequest>> {
    try_to_find(app, saved, wanted)?.map_err(CommandError::from)
}

/// As [`find`], for commands that know what to do without.
pub(super) fn try_to_find(
    app: &App,
    saved: &Saved,
    wanted: Wanted,
) -> Result<Result<Vec<CallRequest>, SessionError>> {
    let aliases = match saved.world(true) {
        Ok(setup) => aliases(&setup.world),
        Err(_) => BTreeMap::new(),
    };
    let mind_of = minds_of(app, &saved.slot, aliases)?;
    let found = requests(saved.story.clone(), saved.played.game(), wanted, mind_of);
    Ok(play::runtime()?.block_on(found))
}

/// The last request of an ask, or the one with this number among them.
pub(super) fn of_call(
    app: &App,
    saved: &Saved,
    who: &str,
    number: u32,
    attempt: Option<u32>,
) -> Result<CallRequest> {
    let wanted = Wanted {
        entity: Some(who.to_owned()),
        numbers: vec![number],
        ..Wanted::default()
    };
    let mut found = find(app, saved, wanted)?;
    let count = found.len();
    let index = match attempt {
        None => count.checked_sub(1),
        Some(attempt) => found.iter().position(|found| found.attempt == attempt),
    };
    if let Some(index) = index {
        return Ok(found.swap_remove(index));
    }
    let message = match attempt {
        Some(attempt) if count > 0 => text!(cli_no_such_attempt, who, number, count, attempt),
        _ => text!(cli_no_such_call, who, number),
    };
    let slot = app.in_command(saved.slot.name().as_str());
    let help = text!(cli_calls_help, slot, who);
    Err(CommandError::usage(message).help(help))
}

/// Who made an answer of this save, in the models that count now.
pub(super) fn minds_of(
    app: &App,
    slot: &Slot,
    aliases: BTreeMap<Arc<str>, Arc<str>>,
) -> Result<impl FnMut(&Outcome) -> Option<Arc<dyn Mind>> + Send + 'static> {
    let model = slot_settings::model(slot)?;
    let models = Arc::new(app.models()?);
    let mut known: BTreeMap<_, Option<Arc<dyn Mind>>> = BTreeMap::new();
    Ok(move |outcome: &Outcome| {
        if &*outcome.provider == IMPROVISER {
            return None;
        }
        let alias = aliases.get(&outcome.entity);
        let (provider, model_name) = (outcome.provider.clone(), outcome.model.clone());
        let mind = known.entry((alias.cloned(), provider, model_name));
        let mind = mind.or_insert_with(|| {
            let likely = alias
                .map(|alias| &**alias)
                .into_iter()
                .chain(model.as_deref());
            models.answered(&outcome.provider, &outcome.model, likely)
        });
        mind.clone()
    })
}

/// The models that entities prefer, by their names.
pub(super) fn aliases(world: &World) -> BTreeMap<Arc<str>, Arc<str>> {
    let cast = world.resource::<CastList>().everybody();
    let aliases = cast.into_iter().filter_map(|(_, entity)| {
        let name = world.get::<EntityName>(entity)?.0.clone();
        Some((name, world.get::<MindAlias>(entity)?.0.clone()))
    });
    aliases.collect()
}

impl<'m> SentMessage<'m> {
    pub(super) fn of(message: &'m PromptMessage) -> Self {
        let (part, id) = match message.part {
            PromptPart::Memory { is_summary, body } => (
                if is_summary { "summary" } else { "memory" },
                Some(body.to_string()),
            ),
            PromptPart::Question => ("question", None),
            PromptPart::Recalled => ("recalled", None),
            PromptPart::Exchange => ("exchange", None),
        };
        Self {
            role: message.role,
            content: &message.text,
            tokens: message.tokens,
            part,
            id,
            name: message.speaker.as_deref(),
        }
    }
}

/// A request for programs, with these of its messages.
pub(super) fn record<'r>(
    request: &'r CallRequest,
    messages: &'r [PromptMessage],
    body: Option<&'r [u8]>,
) -> Printed<'r> {
    let outcome = &request.outcome;
    Printed::Request {
        agent: &outcome.entity,
        id: outcome.id,
        call: outcome.number,
        attempt: request.attempt,
        turn: turn_number(request.turn),
        place: &request.place,
        purpose: &outcome.purpose,
        provider: &outcome.provider,
        model: &outcome.model,
        messages: messages.iter().map(SentMessage::of).collect(),
        tools: request.tools.iter().map(|tool| tool.name()).collect(),
        body: body.map(String::from_utf8_lossy),
    }
}
