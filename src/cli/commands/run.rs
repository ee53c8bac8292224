//! `run`: a world from its beginning.

use std::sync::Arc;

use playhouse::engine::{Engine, Setup};
use playhouse::journal::{FORMAT, Head, Journal};
use playhouse::mind::human::HumanMind;
use playhouse::mind::{MindInfo, Minds};
use playhouse::rpg::Production;

use super::play::{self, Show};
use crate::cli::args::RunArgs;
use crate::cli::desk::Desk;
use crate::cli::error::{Failure, Fault};
use crate::cli::paper::{Ink, Paragraph};
use crate::cli::rehearsal::{Rehearsal, Unsent};
use crate::cli::seat::SeatConsole;
use crate::cli::theatre;

/// The seed where none is given: the same story every time, until somebody wants another.
const USUAL_SEED: u64 = 1;

/// Plays a world.
pub(super) fn run(desk: &Desk, args: &RunArgs) -> Result<(), Failure> {
    let production = theatre::world(desk, &desk.settings.world.value)?;
    let seed = args.seed.unwrap_or(USUAL_SEED);
    let opening = production.opening(seed);
    let mut setup = opening.map_err(|error| Failure::new(Fault::World, error))?;
    let lead = theatre::lead(desk, &desk.settings.model.value)?;
    play::check_price(desk, lead.mind.info())?;
    let head = head(&production, seed);
    if args.play.dry_run {
        return rehearse(
            desk,
            setup,
            lead.mind.info().clone(),
            Journal::in_memory(head),
        );
    }
    let mut minds = theatre::minds(desk, lead.mind, &mut setup.world)?;
    let seat = match &args.play.seat {
        Some(actor) => {
            let id = theatre::actor(desk, &mut setup.world, actor)?;
            minds = seated(desk, minds, actor);
            Some(id)
        }
        None => None,
    };
    let engine = Engine::new(setup, minds, Journal::in_memory(head));
    let mut engine = engine.map_err(|error| play::broken(&error))?;
    let language = production.file.language;
    play::prepare(desk, &mut engine);
    play::open(desk, &production.file.name, lead.introduction.as_deref());
    let show = Show::of(desk, &mut engine, language, seat);
    let stop = show.play(play::runtime()?, &mut engine, args.play.until)?;
    show.close(&engine, &stop, None)
}

/// The head of a new journal.
pub(super) fn head(production: &Production, seed: u64) -> Head {
    Head {
        format: FORMAT,
        engine: env!("CARGO_PKG_VERSION").into(),
        data: production.fingerprint.clone(),
        seed,
    }
}

/// The minds, with a person on the terminal at the seat of this actor.
pub(super) fn seated(desk: &Desk, minds: Minds, actor: &str) -> Minds {
    let page = match desk.settings.json {
        true => desk.shared_err(),
        false => desk.shared_out(),
    };
    let person = HumanMind::new(SeatConsole(page), desk.settings.language.value);
    minds.with_seat(actor, Arc::new(person))
}

/// Shows the prompts that would be sent next, and sends nothing.
pub(super) fn rehearse(
    desk: &Desk,
    setup: Setup,
    model: MindInfo,
    journal: Journal,
) -> Result<(), Failure> {
    let rehearsal = Rehearsal::of(model);
    let minds = Minds::all(Arc::new(rehearsal.clone()));
    let engine = Engine::new(setup, minds, journal);
    let mut engine = engine.map_err(|error| play::broken(&error))?;
    engine.settings.width = usize::MAX;
    let played = play::runtime()?.block_on(engine.run(None));
    played.map_err(|error| play::broken(&error))?;
    let unsent = rehearsal.unsent();
    let mut out = desk.out();
    for prompt in unsent.iter() {
        match desk.settings.json {
            true => out.json(prompt),
            false => tell(desk, &mut out, prompt),
        }
    }
    if !desk.settings.json {
        out.paragraph(&Paragraph::of(Ink::Bold, desk.words.dry_run(unsent.len())));
    }
    Ok(())
}

fn tell(desk: &Desk, out: &mut crate::cli::paper::Page, prompt: &Unsent) {
    let words = desk.words;
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
