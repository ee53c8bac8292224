//! Messages reach those who hear them, and the conditions look at them.

use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use super::chat::Uttered;
use super::events::{Handed, InnerMessage, Noted, Said, Whispered};
use super::{At, CONTROL_MESSAGE, Chat, ChatParams, Phase};
use crate::cast::CastList;
use crate::groupchat::message::{ChatMessage, Content};
use crate::groupchat::team::Kind;
use crate::groupchat::termination::{DeltaContext, Stop};

impl ChatParams<'_, '_> {
    /// Tells one message to all on the stage, or to these alone. `by` is the participant whose turn it
    /// came from.
    pub(super) fn said(
        &mut self,
        at: &mut At,
        mut message: ChatMessage,
        ears: &[String],
        by: Option<&str>,
    ) {
        self.number(at, &mut message);
        let kept = message.clone();
        let speaker = self.entity(&message.source);
        let speaker = speaker.filter(|entity| self.stands_here(at, *entity));
        if message.is_event() {
            self.tell.think(at.stage, Noted { message });
        } else if ears.is_empty() {
            let mut away: Vec<Entity> = speaker.into_iter().collect();
            away.extend(self.entity(CONTROL_MESSAGE));
            self.tell
                .broadcast_to_stage(at.stage, Said { message }, &away);
        } else {
            let ears = ears.iter().filter_map(|name| self.entity(name));
            let ears: Vec<Entity> = ears.filter(|ear| self.stands_here(at, *ear)).collect();
            self.tell.notify_entities(&ears, Whispered { message });
        }
        let kept = match self.as_told(kept) {
            Ok(kept) => kept,
            Err(reason) => {
                let text = self.say("engine/withheld", &json!({"reason": reason}));
                return self.said(at, ChatMessage::text(at.team.name.as_str(), text), &[], by);
            }
        };
        self.hand_over(at, &kept);
        self.keep(at, kept, ears.is_empty(), by);
    }

    /// Tells what was said in a team that is a tool: to whoever watches, and to no mind.
    pub(super) fn said_inside(&mut self, at: &At, said: InnerMessage) {
        self.tell.think(at.stage, said);
    }

    /// The message as guards let it pass.
    fn as_told(&self, kept: ChatMessage) -> Result<ChatMessage, String> {
        let Some(told) = self.tell.last() else {
            return Ok(kept);
        };
        if told.blocked {
            let reason = told.guarded.last().map(|act| act.reason.clone());
            return Err(reason.unwrap_or_default());
        }
        match told.guarded.is_empty() {
            true => Ok(kept),
            false => {
                let message = told.data.get("message").cloned().unwrap_or_default();
                Ok(ChatMessage::from_json(message).unwrap_or(kept))
            }
        }
    }

    /// What the next one should know reaches it alone.
    fn hand_over(&mut self, at: &At, message: &ChatMessage) {
        let Content::Handoff {
            target, context, ..
        } = &message.content
        else {
            return;
        };
        let lines: Vec<String> = match context {
            Value::Null => Vec::new(),
            Value::Array(items) => items.iter().map(line).collect(),
            other => vec![line(other)],
        };
        let ear = self.entity(target);
        let ear = ear.filter(|ear| self.stands_here(at, *ear));
        if let (false, Some(ear)) = (lines.is_empty(), ear) {
            let event = Handed {
                actor: message.source.clone(),
                target: target.clone(),
                message: lines.join("\n"),
            };
            self.tell.notify_entities(&[ear], event);
        }
    }

    /// Keeps a message for the conditions, for whoever chooses next, and for teams inside and around.
    fn keep(&mut self, at: &mut At, message: ChatMessage, public: bool, by: Option<&str>) {
        if !message.is_event() && public {
            for one in &at.team.participants {
                let is_team = matches!(one.kind, Kind::Team | Kind::Society { .. });
                if is_team && Some(one.name.as_str()) != by {
                    let unheard = at.chat.unheard.entry(one.name.clone()).or_default();
                    unheard.push(message.clone());
                }
            }
        }
        if by.is_some() && self.teams.around(&at.team.name).is_some() {
            at.chat.report.push(message.clone());
        }
        if !message.is_event() {
            at.chat.last_speaker = Some(message.source.clone());
            at.chat.delta.push(message.clone());
        }
        at.chat.unseen.push(message);
    }

    /// Gives a message its number and logical time.
    fn number(&self, at: &mut At, message: &mut ChatMessage) {
        at.chat.messages += 1;
        if message.id.is_empty() {
            message.id = format!("{}-{}", at.team.name, at.chat.messages);
        }
        if message.created_at == crate::groupchat::message::EPOCH {
            message.created_at = logical_time(at.chat.messages);
        }
    }

    pub(super) fn stands_here(&self, at: &At, entity: Entity) -> bool {
        self.on_stage
            .get(entity)
            .is_ok_and(|stage| stage.0 == at.stage)
    }

    /// Looks whether what was said ends the run.
    pub(super) fn check(&mut self, at: &mut At) -> Option<Stop> {
        let unseen = std::mem::take(&mut at.chat.unseen);
        let look = DeltaContext {
            turns: at.chat.turns,
            elapsed_ms: at.chat.elapsed_ms,
            external: at.chat.external,
            functions: &self.teams.functions.ends,
            language: *self.language,
        };
        let watched = at.chat.watch.as_mut();
        let stop = watched.and_then(|watch| watch.check(&unseen, look).ok().flatten());
        stop.or_else(|| {
            let most = at.team.max_turns?;
            (at.chat.turns >= most).then(|| Stop {
                content: self.words(
                    format!("Maximum number of turns {most} reached"),
                    format!("轮数已达上限 {most}"),
                ),
                source: "MaxTurns".into(),
            })
        })
    }

    /// Goes on to the next speaker, or ends the run.
    pub(super) fn go_on(&mut self, at: &mut At) {
        match self.check(at) {
            Some(stop) => self.finish(at, stop),
            None => at.chat.phase = Phase::Choose,
        }
    }

    /// Tells the team around this one what was said in this run.
    pub(super) fn report(&mut self, at: &mut At) {
        let Some(around) = self.teams.around(&at.team.name) else {
            return;
        };
        let Some(outer) = self.teams.team(around) else {
            return;
        };
        let inner = at.team.name.clone();
        let user = outer.participants.iter().find(|one| match &one.kind {
            Kind::Team => one.name == inner,
            Kind::Society { team, .. } => *team == inner,
            Kind::Assistant | Kind::Person | Kind::Coder { .. } => false,
        });
        let Some(user) = user else { return };
        let (who, sums_up) = (user.name.clone(), user.kind != Kind::Team);
        let messages = std::mem::take(&mut at.chat.report);
        let failed = at.chat.failed.then(|| {
            let stop = at.chat.stop.as_ref();
            stop.map(|stop| stop.content.clone()).unwrap_or_default()
        });
        let around = around.to_owned();
        self.tell.defer(move |world| {
            let outer = world.resource::<CastList>().by_name(&around);
            let chat = outer.and_then(|outer| world.get_mut::<Chat>(outer));
            let Some(mut chat) = chat else { return };
            if sums_up && failed.is_none() {
                chat.overheard.insert(who, messages);
            } else {
                let spoken = super::chat::Spoken {
                    messages: messages.into_iter().map(Uttered::Said).collect(),
                    failed,
                    ..Default::default()
                };
                chat.spoken.insert(who, spoken);
            }
        });
    }
}

/// What the JSON of a handoff's context says: messages, what a model thought, called and was told, or
/// anything else as it is.
fn line(value: &Value) -> String {
    let text = |value: &Value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    let parts = value.get("content").and_then(Value::as_array);
    let each = |shown: fn(&Value) -> Option<String>| {
        let parts = parts.into_iter().flatten();
        parts.map(move |part| shown(part).unwrap_or_else(|| text(part)))
    };
    match value.get("type").and_then(Value::as_str) {
        Some("AssistantMessage") => {
            let thought = value.get("thought").filter(|thought| !thought.is_null());
            let said = value.get("content").filter(|said| said.is_string());
            let words = thought.into_iter().chain(said).map(text);
            words.chain(each(called)).collect::<Vec<_>>().join("\n")
        }
        Some("FunctionExecutionResultMessage") => each(returned).collect::<Vec<_>>().join("\n"),
        _ => match ChatMessage::from_json(value.clone()) {
            Ok(message) => format!("{}: {}", message.source, message.to_model_text()),
            Err(_) => text(value),
        },
    }
}

/// `name(arguments)` of a call in JSON.
fn called(call: &Value) -> Option<String> {
    let name = call.get("name")?.as_str()?;
    Some(format!("{name}({})", call.get("arguments")?.as_str()?))
}

/// `name → result` of a result in JSON.
fn returned(result: &Value) -> Option<String> {
    let name = result.get("name")?.as_str()?;
    Some(format!("{name} → {}", result.get("content")?.as_str()?))
}

/// The time of the message of this number: the world knows no wall clock, so that each message is a
/// second later than the one before.
fn logical_time(number: u64) -> String {
    let days = number / 86_400;
    let (hours, minutes, seconds) = (number / 3_600 % 24, number / 60 % 60, number % 60);
    // Conversations of more than a month of messages stay in it.
    let day = days.min(30) + 1;
    format!("1970-01-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}
