//! What `check` refuses in a draft and is left out, and what rehearsals did not come to.

use playhouse_engine::locale::text;
use playhouse_engine::mind::Language;
use playhouse_engine::world_data::Severity;
use serde_json::Value;

use super::write::problems;
use crate::drama::PlotPoint;
use crate::rehearsal::{MissedFigures, Rehearsal};
use crate::world_file::WorldFile;

/// The largest share of runs that may end with the same ending.
const MOST_OF_AN_ENDING: f64 = 0.6;

/// Leaves out what `check` refuses, piece by piece, and says what.
pub(super) fn leave_out_mistakes(world: &mut WorldFile, left_out: &mut Vec<String>) {
    // Each time at least one piece goes.
    loop {
        let found = problems(world);
        let mut errors = found
            .iter()
            .filter(|problem| problem.severity == Severity::Error);
        let removed = errors.find_map(|problem| {
            let (part, rest) = without(world, &problem.field)?;
            let said = text!(rpg_draft_left_out, part, why = &problem.message);
            Some((said.in_language(world.language), rest))
        });
        let Some((said, rest)) = removed else { return };
        *world = rest;
        left_out.push(said);
    }
}

/// The world without the innermost item of a list at a path, and what that is called.
fn without(world: &WorldFile, path: &str) -> Option<(String, WorldFile)> {
    let mut whole = serde_json::to_value(world).ok()?;
    let item = path.rfind(']')?;
    let (list, number) = path.get(..item)?.rsplit_once('[')?;
    let number: usize = number.parse().ok()?;
    let list = pointer(&whole, list)?;
    let list = whole.pointer_mut(&list)?.as_array_mut()?;
    let removed = (number < list.len()).then(|| list.remove(number))?;
    let named = ["id", "name", "words"].iter().find_map(|member| {
        let name = removed.get(member)?.as_str()?;
        Some(format!("{} ({name})", path.get(..=item)?))
    });
    let part = named.unwrap_or_else(|| path.get(..=item).unwrap_or_default().to_owned());
    Some((part, serde_json::from_value(whole).ok()?))
}

/// The JSON pointer to what is at a path such as `scenes[2].when.0[1]`.
fn pointer(value: &Value, path: &str) -> Option<String> {
    let (mut value, mut pointer) = (value, String::new());
    for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
        let name = step.trim_end_matches(']');
        let is_part = name.len() == step.len() && name.parse::<usize>().is_ok();
        let key = match value {
            // What a variant of an enum holds has its name in JSON.
            Value::Object(members) if is_part => members.keys().next()?.as_str(),
            // The only thing in the brackets of a variant.
            _ if is_part => continue,
            _ => name,
        };
        pointer = format!("{pointer}/{key}");
        value = value.pointer(&format!("/{key}"))?;
    }
    Some(pointer)
}

/// What rehearsals should come to and did not, each with the reason.
pub(super) fn unmet(rehearsal: &Rehearsal, language: Language) -> Vec<(PlotPoint, String)> {
    let missed = rehearsal.missed.iter().filter(|missed| missed.is_never());
    // Nothing more is said by the options of a scene that never came to be decided.
    let is_told = |missed: &&MissedFigures| {
        missed.asked.hits > 0 || !matches!(missed.point, PlotPoint::Option { .. })
    };
    let never = missed.filter(is_told).map(|missed| {
        let (name, why) = (missed.name(), missed.reason());
        (missed.point.clone(), text!(rpg_draft_never, name, why))
    });
    let endings = rehearsal.drama.endings.iter();
    let often = endings.filter_map(|ending| {
        let share = ending.runs.value()?;
        let (name, percent) = (&ending.id, (100.0 * share).round() as u32);
        let said = text!(rpg_draft_too_often, name, percent);
        let is_too_often = share > MOST_OF_AN_ENDING;
        is_too_often.then(|| (PlotPoint::Ending(ending.id.clone()), said))
    });
    let said = never.chain(often);
    said.map(|(point, said)| (point, said.in_language(language)))
        .collect()
}
