//! `import personas`: whom the user played elsewhere becomes a character with a seat.

use crate::cli::prelude::*;
use std::path::Path;

use playhouse_engine::files;

use super::report::Report;
use crate::cast::check_name;
use crate::cli::commands::edited_world::EditedWorld;
use crate::cli::shell::shell_quoted;
use crate::interop::cards::Fate;
use crate::interop::personas;
use crate::rpg::import::{actor_text, lines_kept, newcomer};
use crate::rpg::world_file::Actor;

/// The most bytes of a file: settings hold much else.
const LONGEST: u64 = 32 * 1024 * 1024;
/// The most characters of a look: what others see at first.
const MAX_LOOK: usize = 200;

/// Adds the persona of each of these names, or the usual one.
pub(super) fn import(app: &App, file: &Path, into: &Path, names: &[String]) -> Result<()> {
    let place = file.display().to_string();
    let text = files::read_text(file, LONGEST)
        .map_err(|error| CommandError::of(ErrorKind::Other, &error.problem).at(&place))?;
    let refused = |message: UiText| CommandError::new(ErrorKind::Other, message).at(&place);
    let value = serde_json::from_str::<Value>(&text);
    let value =
        value.map_err(|error| refused(text!(dialect_invalid_json, reason = error.text())))?;
    let found = personas(&value).ok_or_else(|| refused(text!(cli_import_no_personas)))?;
    let is_known = |name: &&String| found.iter().any(|persona| persona.name == **name);
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        let known = Argument::list(found.iter().map(|persona| persona.name.as_str()));
        return Err(refused(text!(cli_import_no_persona, name))
            .help(text!(cli_import_no_persona_help, names = known)));
    }
    let has_usual = found.iter().any(|persona| persona.is_default);
    let (mut world, before) = EditedWorld::open(app, into)?;
    let mut report = Report::default();
    let kickoff = text!(cards_no_greeting).in_language(before.language);
    let mut seats = Vec::new();
    for (index, persona) in found.iter().enumerate() {
        let name = &persona.name;
        let is_wanted = match names {
            [] => persona.is_default || (!has_usual && index == 0),
            names => names.contains(name),
        };
        let is_there = before.actors.iter().any(|actor| actor.name == *name);
        let problem = match check_name(name) {
            _ if !is_wanted => Some(text!(cli_import_not_wanted, name)),
            _ if is_there => Some(text!(cli_import_is_there)),
            problem => problem,
        };
        if let Some(problem) = problem {
            report.add(Fate::Dropped, name, problem);
            continue;
        }
        let description = match persona.description.trim() {
            "" => name.as_str(),
            description => description,
        };
        let look: String = first_sentence(description).chars().take(MAX_LOOK).collect();
        let actor = Actor {
            name: name.clone(),
            profile: lines_kept(description),
            look,
            kickoff: kickoff.clone(),
            ..newcomer(&before).unwrap_or_default()
        };
        world.add("actors", &actor_text(before.language, &actor))?;
        report.add(Fate::Taken, name, text!(cli_import_persona));
        seats.push(name.clone());
    }
    if !seats.is_empty() {
        world.save(app)?;
    }
    report.print(app);
    if app.prints_text() {
        for seat in seats {
            let command = format!(
                "run {} --seat {}",
                shell_quoted(into),
                shell_quoted(Path::new(&seat))
            );
            app.out().line(say!(app.language, cli_import_seat, command));
        }
    }
    Ok(())
}

fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let end = line.find(['.', '。', '!', '！']).map(|end| {
        let sign = line.get(end..).and_then(|rest| rest.chars().next());
        end + sign.map_or(0, char::len_utf8)
    });
    line.get(..end.unwrap_or(line.len())).unwrap_or(line)
}
