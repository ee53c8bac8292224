//! Descriptions: one player after the other, each having heard those before it.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use super::at_table::{AtTable, Next, Sitting, others};
use super::events::Described;
use super::rules::{Reflect, Rules};
use super::saying::{Said, Saying, SayingRules};
use super::table::Table;
use super::taboo::Taboo;
use crate::event::guard::{Guards, Judged, Point};
use crate::event::{AgentEvent, EventWriter, Fault, Phrasebook};
use crate::exchange::{Answers, Ask};
use crate::message::Language;

/// What was described is written down and told to everybody at once.
pub fn take_descriptions(
    mut here: AtTable,
    guards: Res<Guards>,
    language: Res<Language>,
    mut answers: Answers<Saying>,
    mut tell: EventWriter,
) {
    if answers.is_empty() {
        return;
    }
    let Some(stage) = here.stage() else { return };
    for (player, saying, _by) in answers.take() {
        let (Some(id), Some(table)) = (here.id_of(player), here.table(stage)) else {
            continue;
        };
        let name = table.name(id);
        // The table holds what its players heard, so guards come first.
        let heard = guards.judge(Judged {
            point: Point::Send,
            text: &saying.text,
            kind: Described::TYPE,
            speaker: Some(&name),
            receiver: None,
            public: true,
            language: *language,
        });
        let description = match heard.blocked() {
            Some(_) => "…".to_owned(),
            None => heard.text.into_owned(),
        };
        let event = Described {
            round: table.round,
            player_id: id,
            player: name,
            description: description.clone(),
        };
        here.change(stage, |table| table.describe(id, description));
        tell.broadcast_to_stage(player, event, &[player]);
    }
    let next = match here.rules().reflect {
        Reflect::Line => Next::ReflectOnLine,
        _ => Next::Describe,
    };
    here.then(stage, next);
}

/// What was described so far, each line read once.
#[derive(Default)]
pub struct SaidBefore(BTreeMap<String, Arc<Said>>);

impl SaidBefore {
    fn all(&mut self, table: &Table) -> Vec<Arc<Said>> {
        let lines = table.described().map(|line| line.description.as_str());
        let said = lines.map(|line| match self.0.get(line) {
            Some(said) => said.clone(),
            None => {
                let said = Arc::new(Said::of(line));
                self.0.insert(line.to_owned(), said.clone());
                said
            }
        });
        said.collect()
    }
}

/// The next player of this round is asked, until all have spoken.
pub fn ask_description(
    mut here: AtTable,
    taboos: Query<&Taboo>,
    mut said: Local<SaidBefore>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = here.is_about_to(Next::Describe) else {
        return;
    };
    here.then(stage, Next::Rest);
    let Some(table) = here.table(stage) else {
        return;
    };
    let living = here.living();
    let next = table.next_speaker();
    let speaker = living.iter().find(|player| Some(player.id) == next);
    let Some(speaker) = speaker else { return };
    let Ok(taboo) = taboos.get(speaker.entity) else {
        return tell.fault(Fault::Game(format!("{} has no card", speaker.name)));
    };
    match ask(
        tell.phrases(),
        here.rules(),
        table,
        speaker,
        &living,
        taboo.clone(),
        said.all(table),
    ) {
        Ok(ask) => {
            commands.entity(speaker.entity).insert(ask);
        }
        Err(reason) => tell.fault(Fault::Game(reason)),
    }
}

fn ask(
    phrases: &Phrasebook,
    rules: &Rules,
    table: &Table,
    speaker: &Sitting,
    living: &[Sitting],
    taboo: Taboo,
    said: Vec<Arc<Said>>,
) -> Result<Ask<Saying>, String> {
    let facts = facts(rules, table, speaker, living);
    let prompt = phrases.say("undercover/asks/describe", &facts)?;
    let short = phrases.say("undercover/asks/describe_short", &facts)?;
    let lines = phrases.say("undercover/fallback/lines", &facts)?;
    let titles = phrases.say("undercover/system/titles", &json!({}))?;
    let names = table.players.iter().map(|player| player.name.clone());
    let limits = SayingRules {
        taboo,
        said,
        names: names.chain(titles.lines().map(String::from)).collect(),
        most_chars: rules.description_chars,
    };
    let first = speaker.id.0 + 5 * table.round;
    let ask = Ask::new("undercover.describe", prompt, limits, Saying::silent())
        .fallback_with(move |limits| Saying::neutral(&turned(&lines, first), limits))
        .condensed(short);
    Ok(ask.notes(facts).max_tokens(rules.reply_tokens))
}

/// The lines, each player and round beginning with another one.
fn turned(lines: &str, first: u32) -> Vec<String> {
    let lines: Vec<_> = lines
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let first = first as usize % lines.len().max(1);
    let turned = lines.iter().cycle().skip(first).take(lines.len());
    turned.map(|line| (*line).to_owned()).collect()
}

/// The facts of the question; they are its notes too. All of them are public.
fn facts(rules: &Rules, table: &Table, speaker: &Sitting, living: &[Sitting]) -> Value {
    let others = others(living, speaker.id).0;
    json!({
        "me": speaker.name,
        "kind": "actor",
        "place": rules.table,
        "number": speaker.id,
        "round": table.round,
        "turn": table.current_descriptions.len() + 1,
        "players": living.len(),
        "most_chars": rules.description_chars,
        "companions": others.into_iter().map(|(_, name)| name).collect::<Vec<_>>(),
    })
}
