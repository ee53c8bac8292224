//! `show`: the views of a save; here those of what its entities remember, and what their minds
//! were sent.

use crate::cli::prelude::*;
use std::sync::Arc;

use crate::cast::{Gone, Kind, turn_number};
use crate::context::context_to_json;
use crate::rpg::CampaignPicture;
use crate::session::{CallRequest, Wanted, state_at};

use super::trace::TraceForm;
use super::{chapters, cost, play, remembered, sent, timeline, trace, why};
use crate::cli::args::{ShowArgs, View};
use crate::cli::labels::{gone_label, purpose_label};
use crate::cli::printed::SentMessage;
use crate::cli::saved::{Being, Saved, WorldState, being};

/// Prints a view of a save.
pub(super) fn show(app: &App, args: &ShowArgs) -> Result<()> {
    let (slot, name) = (&*args.slot, args.entity.as_deref());
    if let (Some(name), Some(id)) = (name, &args.chapter) {
        return chapters::open(app, slot, name, id, args.original);
    }
    check_moment(args)?;
    match args.view {
        View::Memory | View::Json | View::Request => memory(app, args),
        View::Chapters => chapters::list(app, slot, name.unwrap_or_default()),
        View::Calls => timeline::timeline(app, slot, name),
        View::Trace => trace::trace(app, slot, name, TraceForm::Full),
        View::Ag2 => trace::trace(app, slot, name, TraceForm::Ag2),
        View::Costs => cost::cost(app, slot, name),
        View::Events => why::events(app, slot, name),
    }
}

/// Refuses a moment for what is always of the whole story.
fn check_moment(args: &ShowArgs) -> Result<()> {
    let is_of_moment = matches!(args.view, View::Memory | View::Json | View::Request);
    let given = [
        ("--turn", args.turn.is_some()),
        ("--call", args.call.is_some()),
    ];
    let unfit = given
        .into_iter()
        .find(|(_, is_given)| *is_given && !is_of_moment);
    unfit.map_or(Ok(()), |(option, _)| {
        let message = text!(cli_view_option, option);
        Err(CommandError::usage(message))
    })
}

/// Prints the memory of one entity, or lists all.
fn memory(app: &App, args: &ShowArgs) -> Result<()> {
    let saved = Saved::find(app, &args.slot)?;
    if let Some(name) = &args.entity
        && (args.call.is_some() || args.view == View::Request)
    {
        return show_request(app, &saved, name, args);
    }
    let state = match args.turn {
        None => saved.contents()?.state,
        Some(turn) => {
            let past = state_at(&saved.slot, saved.played.game(), turn);
            let past = play::runtime()?.block_on(past);
            let world = past?.engine.world;
            Arc::new(WorldState::of(&world, &WorldState::default()))
        }
    };
    match &args.entity {
        None => list(app, &state),
        Some(name) => show_one(app, &state, name, args.view)?,
    }
    Ok(())
}

/// Prints what an entity's mind was sent: with a call, for that one; else its last request.
fn show_request(app: &App, saved: &Saved, name: &str, args: &ShowArgs) -> Result<()> {
    let request = match args.call {
        Some(number) => sent::of_call(app, saved, name, number, args.attempt)?,
        None => {
            let wanted = Wanted {
                entity: Some(name.to_owned()),
                turns: args.turn,
                last: true,
                ..Wanted::default()
            };
            let last = sent::find(app, saved, wanted)?.pop();
            match last {
                Some(last) => last,
                None => {
                    // Refuses unknown names.
                    being(&saved.contents()?.state, name)?;
                    let message = text!(cli_nothing_sent, who = name);
                    return Err(CommandError::usage(message));
                }
            }
        }
    };
    let body = request
        .body
        .as_deref()
        .filter(|_| args.view == View::Request);
    if app.settings.json {
        app.out()
            .json(&sent::record(&request, &request.messages, body));
        return Ok(());
    }
    if !app.settings.quiet {
        app.err().line(which(app, &request));
    }
    let mut out = app.out();
    match (args.view, body) {
        (_, Some(body)) => out.bytes(body),
        (View::Json, None) => {
            let messages: Vec<_> = request.messages.iter().map(SentMessage::of).collect();
            out.pretty_json(&messages);
        }
        (_, None) => {
            for message in &request.messages {
                let name = message.speaker.as_deref().unwrap_or_default();
                out.line(format!("{} {name}", message.role.name()).trim_end());
                out.line(&message.text);
                out.line("");
            }
        }
    }
    Ok(())
}

/// Which request it is, and whether it was sent.
fn which(app: &App, request: &CallRequest) -> String {
    let outcome = &request.outcome;
    let (who, number, turn) = (&*outcome.entity, outcome.number, turn_number(request.turn));
    let (attempt, purpose) = (request.attempt, purpose_label(&outcome.purpose));
    let model = format!("{}/{}", outcome.provider, outcome.model);
    let text = if request.body.is_some() {
        text!(cli_request_sent, who, number, attempt, turn, purpose, model)
    } else {
        text!(
            cli_request_unsent, who, number, attempt, turn, purpose, model
        )
    };
    text.in_language(app.language)
}

fn show_one(app: &App, state: &WorldState, name: &str, view: View) -> Result<()> {
    let context = &being(state, name)?.context.value;
    if view == View::Memory && !app.settings.json {
        remembered::tell(app, context);
        return Ok(());
    }
    let mut out = app.out();
    let mut json = context_to_json(context);
    if app.settings.json {
        let (name, context) = (context.name(), json["context"].take());
        out.json(&Printed::Context { name, context });
    } else {
        out.pretty_json(&json);
    }
    Ok(())
}

fn list(app: &App, state: &WorldState) {
    let language = app.language;
    let columns = columns!(
        language, < cli_name, < cli_kind, > cli_messages, > cli_tokens, > cli_chapters, < cli_hand
    );
    let json = |being: &&Being| {
        let context = &being.context.value;
        json!(Printed::Entity {
            id: being.id,
            name: &being.name,
            kind: being.kind,
            messages: context.len(),
            tokens: context.tokens(),
            chapters: being.chapters.value.all().len(),
            hand: hand(state, being),
            gone: being.gone,
        })
    };
    app.list(columns, &state.beings, json, |being| {
        let context = &being.context.value;
        [
            being.name.to_string(),
            kind(language, state, being),
            context.len().to_string(),
            context.tokens().to_string(),
            being.chapters.value.all().len().to_string(),
            hand(state, being).join(", "),
        ]
    });
}

/// What an entity is, and how it left the story.
fn kind(language: Language, state: &WorldState, being: &Being) -> String {
    let kind = match being.kind {
        Kind::Actor => say!(language, cli_actor),
        Kind::Stage => say!(language, cli_stage),
        Kind::WorldAgent => say!(language, cli_world_agent),
    };
    // Only in a campaign one falls.
    let is_campaign = state.games.get::<CampaignPicture>().is_some();
    let out = if is_campaign { Gone::Fell } else { Gone::Left };
    let how = being.gone.or(being.is_dead.then_some(out));
    let gone = how.map(|how| gone_label(how).in_language(language));
    [kind]
        .into_iter()
        .chain(gone)
        .collect::<Vec<_>>()
        .join(" · ")
}

/// The cards that a fighter of a campaign has drawn.
fn hand<'s>(state: &'s WorldState, being: &Being) -> Vec<&'s str> {
    let campaign = state.games.get::<CampaignPicture>();
    let own = campaign.and_then(|campaign| campaign.being(being));
    own.map_or_else(Vec::new, |own| own.hand.names().collect())
}
