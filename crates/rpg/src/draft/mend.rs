//! What code mends in a draft without asking: what `check` refuses is left out, and what never came
//! about in rehearsals needs less.

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Language;
use playhouse_engine::world_data::Severity;
use serde_json::Value;

use super::write::{problems, ron_text};
use crate::drama::{Condition, PlotPoint};
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

/// Lets what never came about need less: the part of its condition that was missing most often
/// goes. If one ending comes too often, those before it need less too, or it is looked at later.
/// Returns what was changed.
pub(super) fn need_less(world: &mut WorldFile, rehearsal: &Rehearsal) -> Vec<String> {
    let mut changes: Vec<UiText> = Vec::new();
    for missed in &rehearsal.missed {
        if missed.is_never()
            && let Some(part) = drop_part(world, missed)
        {
            changes.push(text!(rpg_draft_needs_less, name = missed.name(), part));
        }
    }
    let shares = rehearsal.drama.endings.iter();
    let too_often = shares
        .filter(|ending| ending.runs.value().unwrap_or_default() > MOST_OF_AN_ENDING)
        .map(|ending| ending.id.clone())
        .next();
    if let Some(id) = too_often.filter(|_| changes.is_empty()) {
        changes.extend(come_less_often(world, rehearsal, &id));
    }
    let changes = changes.into_iter();
    changes
        .map(|change| change.in_language(world.language))
        .collect()
}

fn drop_part(world: &mut WorldFile, missed: &MissedFigures) -> Option<String> {
    let parts = missed.parts.iter().enumerate();
    let (number, part) = parts
        .filter(|(_, part)| {
            // If another scene came first, it would not at another time.
            let is_time = ["Now(", "Day("]
                .iter()
                .any(|time| part.part.starts_with(time));
            let is_crowded_out = !missed.instead.is_empty() && is_time;
            part.never.hits + part.alone.hits > 0 || is_crowded_out
        })
        .max_by_key(|(number, part)| {
            let last = std::cmp::Reverse(*number);
            (part.never.hits, part.alone.hits, last)
        })?;
    let when = match &missed.point {
        PlotPoint::Scene(id) => &mut world.scenes.iter_mut().find(|it| it.id == *id)?.when,
        PlotPoint::Option { scene, option } => {
            let scene = world.scenes.iter_mut().find(|it| it.id == *scene)?;
            let mut options = scene.choice.iter_mut().flat_map(|it| &mut it.options);
            &mut options.find(|it| it.id == *option)?.when
        }
        // An ending without a condition would hide those after it.
        PlotPoint::Ending(id) => {
            let when = &mut world.endings.iter_mut().find(|it| it.id == *id)?.when;
            matches!(when, Condition::All(parts) if parts.len() > 1).then_some(when)?
        }
    };
    match when {
        Condition::All(parts) if number < parts.len() => {
            parts.remove(number);
            if parts.is_empty() {
                *when = Condition::Always;
            }
        }
        Condition::All(_) | Condition::Always | Condition::Never => return None,
        single if number == 0 => *single = Condition::Always,
        _ => return None,
    }
    Some(part.part.clone())
}

fn come_less_often(world: &mut WorldFile, rehearsal: &Rehearsal, id: &str) -> Option<UiText> {
    let endings = &mut world.endings;
    let place = endings.iter().position(|ending| ending.id == id)?;
    let before_last = endings.len().checked_sub(2)?;
    if place < before_last {
        let ending = endings.remove(place);
        endings.insert(before_last, ending);
        return Some(text!(rpg_draft_later, name = id));
    }
    let rare = |name: &str| {
        let mut shares = rehearsal.drama.endings.iter();
        shares.find(|it| it.id == name).map_or(0, |it| it.runs.hits)
    };
    let others = endings.iter_mut().filter(|other| other.id != id);
    let strict = others.filter_map(|other| {
        let hits = rare(&other.id);
        match &mut other.when {
            Condition::All(parts) if parts.len() > 1 => Some((hits, &other.id, parts)),
            _ => None,
        }
    });
    let (_, name, parts) = strict.min_by_key(|(hits, ..)| *hits)?;
    let part = ron_text(&parts.pop()?);
    Some(text!(rpg_draft_needs_less, name, part))
}
