//! `--dry-run`: the next prompts, and what they would cost; nothing is sent and nothing saved, and
//! no key is needed.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::{Engine, EngineError, Setup};
use crate::journal::{HOST, Journal, JournalHeader, Recording, branch_input};
use crate::mind::{Cost, MindInfo, Minds};
use crate::session::Game;
use bevy_ecs::prelude::World;

use super::play;
use crate::cli::dry_run::{DryRun, UnsentPrompt, UnsentPrompts};
use crate::cli::labels::purpose_label;
use crate::cli::loader;
use crate::cli::saved::Saved;

/// The models that would be asked.
struct DryModels {
    main: MindInfo,
    by_alias: BTreeMap<Arc<str>, MindInfo>,
}

impl DryModels {
    /// That of the settings, and those that entities of a world prefer.
    fn of_world(app: &App, world: &mut World) -> Result<Self> {
        let main = loader::mind_info(app, &app.settings.model.value)?;
        let by_alias = loader::preferences(world).into_iter().map(|alias| {
            let info = loader::preferred_info(app, &main, &alias)?;
            Ok((alias, info))
        });
        Ok(Self {
            by_alias: by_alias.collect::<Result<_>>()?,
            main,
        })
    }
}

/// What the next prompts follow: a new story, or what a journal holds.
pub(super) struct DryStory {
    head: JournalHeader,
    recording: Recording,
    /// Another seed for what comes next.
    new_seed: Option<u64>,
    seed: u64,
}

impl DryStory {
    pub(super) fn new(game: &dyn Game, seed: u64) -> Self {
        let meta = game.meta();
        Self {
            head: JournalHeader::new(meta.world, meta.data, seed),
            recording: Recording::default(),
            new_seed: None,
            seed,
        }
    }

    /// That of a save.
    pub(super) fn of(saved: &Saved) -> Self {
        let (head, recording) = saved.journal();
        Self {
            seed: saved.new_seed.unwrap_or_else(|| saved.story.seed()),
            head,
            recording,
            new_seed: saved.new_seed,
        }
    }
}

/// Prints the prompts that would be sent next in this world.
pub(super) fn dry_run(app: &App, setup: Setup, story: DryStory) -> Result<()> {
    dry_run_with(app, setup, story, Vec::new(), |minds| minds, |_| Ok(()))
}

/// As [`dry_run`], with people who are sent nothing, with other minds for some, and with what has
/// to be done before the next turn.
pub(super) fn dry_run_with(
    app: &App,
    mut setup: Setup,
    story: DryStory,
    mut people: Vec<String>,
    seat: impl FnOnce(Minds) -> Minds,
    begin: impl FnOnce(&mut Engine) -> Result<(), EngineError>,
) -> Result<()> {
    let models = DryModels::of_world(app, &mut setup.world)?;
    people.extend(app.settings.seat.value.clone());
    let seed = story.seed;
    let unsent = UnsentPrompts::default();
    let mut minds = Minds::all(Arc::new(DryRun::of(models.main, &unsent)));
    for (alias, info) in models.by_alias {
        minds = minds.with_alias(&*alias, Arc::new(DryRun::of(info, &unsent)));
    }
    for person in people {
        let dry = DryRun::of(MindInfo::unmetered("human"), &UnsentPrompts::default());
        minds = minds.with_seat(&*person, Arc::new(dry));
    }
    let mut engine = Engine::new(setup, seat(minds), Journal::in_memory(story.head))?;
    play::learn_names(app, &engine.world);
    engine.play_back(story.recording);
    if let Some(told) = branch_input(HOST, story.new_seed, &BTreeMap::new()) {
        engine.tell_next(told);
    }
    begin(&mut engine)?;
    engine.settings.width = usize::MAX;
    engine.settings.without_servers = true;
    play::runtime()?.block_on(engine.run(None))?;
    let unsent = unsent.all();
    let mut out = app.out();
    for prompt in unsent.iter() {
        if app.settings.json {
            out.json(&Printed::Prompt(prompt));
        } else {
            print(app, &mut out, prompt);
        }
    }
    let tokens: u64 = unsent.iter().map(|prompt| prompt.tokens).sum();
    let mut costs = BTreeMap::<&str, Cost>::new();
    let mut unpriced = 0;
    for prompt in unsent.iter() {
        match (&prompt.cost, &prompt.currency) {
            (Some(cost), Some(currency)) => {
                let sum = costs.entry(currency).or_default();
                *sum = sum.plus(*cost);
            }
            _ => unpriced += 1,
        }
    }
    if app.settings.json {
        out.json(&Printed::Total {
            seed,
            prompts: unsent.len(),
            tokens,
            cost: costs,
            without_price: unpriced,
        });
        return Ok(());
    }
    let mut costs: Vec<_> = costs
        .iter()
        .map(|(currency, cost)| format!("{cost} {currency}"))
        .collect();
    if unpriced > 0 {
        costs.push(say!(app.language, cli_dry_unpriced, count = unpriced));
    }
    let (count, costs) = (unsent.len(), Argument::list(costs));
    let summary = match count {
        0 => say!(app.language, cli_dry_nothing),
        count => say!(app.language, cli_dry_run, count, tokens, costs),
    };
    out.paragraph(&Paragraph::of(Style::Bold, summary));
    out.line(say!(app.language, cli_seed, seed));
    Ok(())
}

fn print(app: &App, out: &mut Output, prompt: &UnsentPrompt) {
    let (who, tokens) = (&prompt.entity, prompt.tokens);
    let purpose = purpose_label(&prompt.purpose);
    let heading = match (prompt.cost, &prompt.currency) {
        (Some(cost), Some(currency)) => text!(
            cli_dry_prompt,
            who,
            purpose,
            tokens,
            cost = format!("{cost} {currency}")
        ),
        _ => text!(cli_dry_prompt_without_price, who, purpose, tokens),
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
