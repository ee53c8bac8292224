//! `--dry-run`: the next prompts, and what they would cost; nothing is sent and nothing saved.

use std::sync::Arc;

use crate::engine::{Engine, Setup};
use crate::journal::{Journal, JournalHeader, Recording};
use crate::locale::text;
use crate::mind::{MindInfo, Minds};

use super::play;
use crate::cli::app::App;
use crate::cli::dry_run::{DryRun, UnsentPrompt};
use crate::cli::error::{CommandError, engine_error};
use crate::cli::labels::purpose_label;
use crate::cli::loader;
use crate::cli::output::{Output, Paragraph, Style};
use crate::cli::say::say;

/// Prints the prompts that this world would send next to this model.
pub(super) fn dry_run(
    app: &App,
    mut setup: Setup,
    model: &MindInfo,
    head: JournalHeader,
    recording: Recording,
) -> Result<(), CommandError> {
    let mind = DryRun::of(model.clone());
    let mut minds = Minds::all(Arc::new(mind.clone()));
    for alias in loader::preferences(&mut setup.world) {
        minds = minds.with_alias(&*alias, Arc::new(mind.clone()));
    }
    let engine = Engine::new(setup, minds, Journal::in_memory(head));
    let mut engine = engine.map_err(|error| engine_error(&error))?;
    engine.play_back(recording);
    engine.settings.width = usize::MAX;
    engine.settings.without_servers = true;
    let played = play::runtime()?.block_on(engine.run(None));
    played.map_err(|error| engine_error(&error))?;
    let unsent = mind.unsent();
    let mut out = app.out();
    for prompt in unsent.iter() {
        if app.settings.json {
            out.json(prompt);
        } else {
            print(app, &mut out, prompt);
        }
    }
    if !app.settings.json {
        let summary = say!(app.language, cli_dry_run, count = unsent.len());
        out.paragraph(&Paragraph::of(Style::Bold, summary));
    }
    Ok(())
}

fn print(app: &App, out: &mut Output, prompt: &UnsentPrompt) {
    let (who, tokens) = (&prompt.entity, prompt.tokens);
    let purpose = purpose_label(&prompt.purpose);
    let heading = match prompt.cost {
        Some(cost) => text!(
            cli_dry_prompt,
            who,
            purpose,
            tokens,
            cost = cost.to_string()
        ),
        None => text!(cli_dry_prompt_without_price, who, purpose, tokens),
    };
    let heading = heading.in_language(app.language);
    out.paragraph(&Paragraph::of(Style::Bold, heading));
    for message in &prompt.messages {
        let role = format!("{:?}", message.role).to_lowercase();
        let said = Paragraph::indented(2, 4).add(Style::Dim, format!("{role}: "));
        out.paragraph(&said.plain(&message.content));
    }
    out.paragraph(&Paragraph::blank());
}
