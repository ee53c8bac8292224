//! What things are called.

use std::collections::BTreeMap;

use playhouse_engine::locale::text;
use playhouse_engine::wording::fold_name;

use crate::world_file::types::WorldFile;

use super::report::Report;

/// The maximum number of characters of a name.
const MAX_CHARS: usize = 64;

/// The most agents, stages, actors and foes together. All may be on one stage, where each is told
/// of all others, so time and memory grow with the square.
const MAX_ENTITIES: usize = 500;

/// The names of roles in a conversation, with which an entity of that name could be confused.
const ROLES: [&str; 7] = ["system", "human", "ai", "user", "assistant", "tool", "h"];

/// A name and the path where it is defined.
type Named<'a> = (String, &'a str);

pub(super) fn check(world: &WorldFile, report: &mut Report<'_>) {
    let named: [Vec<Named<'_>>; 9] = [
        entities(world),
        paths("skills", &world.skills, "name", |skill| &skill.name),
        paths("facts", &world.facts, "id", |fact| &fact.id),
        paths("items", &world.items, "name", |item| &item.name),
        paths("qualities", &world.qualities, "id", |quality| &quality.id),
        paths("scenes", &world.scenes, "id", |scene| &scene.id),
        paths("endings", &world.endings, "id", |ending| &ending.id),
        paths("dungeons", &world.dungeons, "name", |dungeon| &dungeon.name),
        vec![("name".into(), &world.name)],
    ];
    for group in named {
        check_group(group, report);
    }
    for (i, scene) in world.scenes.iter().enumerate() {
        if let Some(choice) = &scene.choice {
            let list = format!("scenes[{i}].choice.options");
            check_group(
                paths(&list, &choice.options, "id", |option| &option.id),
                report,
            );
        }
    }
    check_roles(world, report);
    let entities = entities(world);
    if let Some((path, _)) = entities.get(MAX_ENTITIES) {
        let wrong = text!(rpg_check_too_many, count = entities.len());
        report.error(path, wrong, text!(rpg_check_fewer, max = MAX_ENTITIES));
    }
}

/// Everybody that has a mind.
fn entities(world: &WorldFile) -> Vec<Named<'_>> {
    let mut entities = paths("agents", &world.agents, "name", |agent| &agent.name);
    entities.extend(paths("stages", &world.stages, "name", |stage| &stage.name));
    entities.extend(paths("actors", &world.actors, "name", |actor| &actor.name));
    entities.extend(paths("foes", &world.foes, "name", |foe| &foe.name));
    entities
}

fn paths<'a, T>(
    list: &str,
    items: &'a [T],
    field: &str,
    name: impl Fn(&'a T) -> &'a String,
) -> Vec<Named<'a>> {
    let items = items.iter().enumerate();
    items
        .map(|(index, item)| (format!("{list}[{index}].{field}"), name(item).as_str()))
        .collect()
}

/// Within a group all names must differ.
fn check_group(names: Vec<Named<'_>>, report: &mut Report<'_>) {
    let mut seen: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    for (path, name) in &names {
        check_form(path, name, report);
        if name.trim().is_empty() {
            continue;
        }
        match seen.get(&fold_name(name)) {
            Some((first, place)) if first == name => {
                let wrong = text!(rpg_check_name_taken, name, place);
                report.error(path, wrong, text!(rpg_check_choose_name));
            }
            Some((first, place)) => {
                let wrong = text!(rpg_check_name_similar, name, other = first, place);
                report.warn(path, wrong, text!(rpg_check_distinct_names));
            }
            None => {
                seen.insert(fold_name(name), (name, path));
            }
        }
    }
}

fn check_form(path: &str, name: &str, report: &mut Report<'_>) {
    if name.trim().is_empty() {
        report.error(
            path,
            text!(rpg_check_name_missing),
            text!(rpg_check_write_name),
        );
        return;
    }
    if let Some(bad) = name.chars().find(|c| is_invisible(*c)) {
        let code = format!("{:04X}", u32::from(bad));
        let wrong = text!(rpg_check_name_invisible, code);
        report.error(path, wrong, text!(rpg_check_plain_name));
    }
    let length = name.chars().count();
    if length > MAX_CHARS {
        let wrong = text!(rpg_check_name_length, length);
        report.error(path, wrong, text!(rpg_check_shorter_name, max = MAX_CHARS));
    }
    if name.trim() != name {
        let wrong = text!(rpg_check_name_spaces);
        report.error(path, wrong, text!(rpg_check_remove_space));
    }
}

/// Control characters, and marks that change the direction of text or have no width.
fn is_invisible(c: char) -> bool {
    let is_mark = matches!(
        c,
        '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
    );
    c.is_control() || is_mark
}

fn check_roles(world: &WorldFile, report: &mut Report<'_>) {
    for (path, name) in entities(world) {
        if ROLES.contains(&fold_name(name).as_str()) {
            let wrong = text!(rpg_check_name_role, name);
            report.error(&path, wrong, text!(rpg_check_choose_name));
        }
    }
}
