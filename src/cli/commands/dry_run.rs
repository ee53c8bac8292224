//! `--dry-run`: the next prompts, and what they would cost; nothing is sent and nothing saved.

use std::sync::Arc;

use playhouse::engine::{Engine, Setup};
use playhouse::journal::{Journal, JournalHeader, Recording};
use playhouse::mind::{MindInfo, Minds};

use super::play;
use crate::cli::app::App;
use crate::cli::dry_run::{DryRun, Unsent};
use crate::cli::error::{Failure, engine_failure};
use crate::cli::loader;
use crate::cli::output::{Ink, Page, Paragraph};

/// Shows the prompts that this world would send next to the model of which this is known.
pub(super) fn rehearse(
    app: &App,
    mut setup: Setup,
    model: &MindInfo,
    head: JournalHeader,
    recording: Recording,
) -> Result<(), Failure> {
    let rehearsal = DryRun::of(model.clone());
    let mut minds = Minds::all(Arc::new(rehearsal.clone()));
    for alias in loader::preferences(&mut setup.world) {
        minds = minds.with_alias(&*alias, Arc::new(rehearsal.clone()));
    }
    let engine = Engine::new(setup, minds, Journal::in_memory(head));
    let mut engine = engine.map_err(|error| engine_failure(&error))?;
    engine.play_back(recording);
    engine.settings.width = usize::MAX;
    engine.settings.without_servers = true;
    let played = play::runtime()?.block_on(engine.run(None));
    played.map_err(|error| engine_failure(&error))?;
    let unsent = rehearsal.unsent();
    let mut out = app.out();
    for prompt in unsent.iter() {
        match app.settings.json {
            true => out.json(prompt),
            false => tell(app, &mut out, prompt),
        }
    }
    if !app.settings.json {
        out.paragraph(&Paragraph::of(Ink::Bold, app.words.dry_run(unsent.len())));
    }
    Ok(())
}

fn tell(app: &App, out: &mut Page, prompt: &Unsent) {
    let words = app.words;
    let price = prompt.cost.map(|cost| cost.to_string());
    let price = price.unwrap_or_else(|| words.unknown_price());
    let heading = words.dry_prompt(&prompt.entity, &prompt.purpose, prompt.tokens, &price);
    out.paragraph(&Paragraph::of(Ink::Bold, heading));
    for message in &prompt.messages {
        let role = format!("{:?}", message.role).to_lowercase();
        let said = Paragraph::indented(2, 4).add(Ink::Dim, format!("{role}: "));
        out.paragraph(&said.plain(&message.content));
    }
    out.paragraph(&Paragraph::blank());
}
