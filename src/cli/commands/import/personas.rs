//! `import personas`: whom the user played elsewhere becomes a character with a seat.

use crate::cli::prelude::*;
use std::path::Path;

use super::{into_world, json_in, show};
use crate::cli::commands::edited_world::EditedWorld;
use crate::cli::shell::shell_quoted;
use crate::interop::cards::{Card, Character, Fate};
use crate::interop::personas;
use crate::rpg::import::{Cast, Report};

/// Adds the persona of each of these names, or the usual one.
pub(super) fn import(app: &App, file: &Path, into: &Path, names: &[String]) -> Result<()> {
    let refused = |message: UiText| CommandError::new(ErrorKind::Other, message).at(file.display());
    let found = personas(&json_in(file)?).ok_or_else(|| refused(text!(cli_import_no_personas)))?;
    let is_known = |name: &&String| found.iter().any(|persona| persona.name == **name);
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        let known = Argument::list(found.iter().map(|persona| persona.name.as_str()));
        return Err(refused(text!(cli_import_no_persona, name))
            .help(text!(cli_import_no_persona_help, names = known)));
    }
    let has_usual = found.iter().any(|persona| persona.is_default);
    let (mut world, before) = EditedWorld::open(app, into)?;
    let (mut others, mut cast) = (Report::default(), Cast::default());
    for (index, persona) in found.iter().enumerate() {
        let name = &persona.name;
        let is_wanted = match names {
            [] => persona.is_default || (!has_usual && index == 0),
            names => names.contains(name),
        };
        if !is_wanted {
            others.add(Fate::Dropped, name, text!(cli_import_not_wanted, name));
        } else if before.actors.iter().any(|actor| actor.name == *name) {
            others.add(Fate::Dropped, name, text!(cli_import_is_there));
        } else {
            let character = Character {
                name: name.clone(),
                // The user is this character.
                description: persona.description.replace("{{user}}", "{{char}}"),
                ..Character::default()
            };
            cast.cards.push((name.clone(), Card::new(character)));
        }
    }
    let mut imported = into_world(app, cast, world.source)?;
    world.source = imported.world;
    world.write().or_fail(ErrorKind::World)?;
    imported.reports.push(others);
    show(app, &imported.reports);
    for report in imported
        .reports
        .iter()
        .filter(|report| !report.actor.is_empty())
    {
        if app.prints_text() {
            let seat = shell_quoted(Path::new(&report.actor));
            let command = format!("run {} --seat {seat}", shell_quoted(into));
            app.out().line(say!(app.language, cli_import_seat, command));
        }
    }
    Ok(())
}
