//! The first tutorial of AG2, as a team of this library: a lesson planner and its reviewer, a
//! teacher who decides, and a manager who selects the speakers.
//!
//! Run it with `cargo run --example ag2_first_day`. It needs no network: the answers are in a
//! script. For a model, use a mind of `playhouse::mind::http` instead of a [`ScriptMind`].
#![expect(clippy::print_stdout, reason = "it prints the conversation")]

use std::error::Error;

use playhouse::groupchat::team::{Participant, Selection, TeamFile};
use playhouse::groupchat::termination::Termination;
use playhouse::groupchat::{ChatGame, Team};
use playhouse::mind::{Minds, ScriptLine, ScriptMind};
use playhouse::world_data::DataFolder;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let planner = Participant::named("planner")
        .with_description("Plans lessons.")
        .with_system_message("You plan a lesson for ten-year-olds, with a title and its steps.");
    let reviewer = Participant::named("reviewer")
        .with_description("Reviews plans of lessons.")
        .with_system_message("You name up to three changes to a plan.");
    let teacher = Participant::named("teacher")
        .with_description("Decides; sets topics.")
        .with_system_message("You set the topic. When the plan is good, say DONE!");
    let file = TeamFile::new("school", [teacher, planner, reviewer])
        .with_selection(Selection::selector())
        .with_termination(Termination::mention("DONE!"))
        .with_max_turns(10);
    let game = ChatGame::new(&DataFolder::embedded(), file).map_err(|found| found.to_string())?;

    let lines = [
        ("school", "planner"),
        (
            "planner",
            "The Moon: 1. watch it; 2. draw it; 3. say why it changes.",
        ),
        ("school", "reviewer"),
        ("reviewer", "Add a lamp and a ball, to show the light."),
        ("school", "planner"),
        (
            "planner",
            "The Moon: 1. watch; 2. draw; 3. lamp and ball; 4. say why.",
        ),
        ("school", "teacher"),
        ("teacher", "DONE!"),
    ];
    let script = ScriptMind::lines(lines.map(|(name, line)| (name, ScriptLine::say(line))));
    let mut team = Team::new(game, Minds::from(script), 1)?;
    let result = team.run("A lesson about the Moon, please.").await?;
    for message in result.messages.iter().filter(|message| !message.is_event()) {
        println!("{}: {}", message.source, message.to_text());
    }
    println!("= {}", result.stop_reason.unwrap_or_default());
    Ok(())
}
