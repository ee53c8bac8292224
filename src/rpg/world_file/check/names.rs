//! What things are called.

use std::collections::BTreeMap;

use crate::rpg::world_file::types::WorldFile;
use crate::world_data::fold_name;

use super::report::Report;

/// The maximum number of characters of a name.
const MAX_CHARS: usize = 64;

/// The names of roles in a conversation, with which an entity of that name could be confused.
const ROLES: [&str; 7] = ["system", "human", "ai", "user", "assistant", "tool", "h"];

/// A name and the path where it is defined.
type Named<'a> = (String, &'a str);

pub(super) fn check(world: &WorldFile, report: &mut Report<'_>) {
    check_group(entities(world), "agent, stage, actor or foe", report);
    check_group(
        paths("skills", &world.skills, "name", |s| &s.name),
        "skill",
        report,
    );
    check_group(
        paths("facts", &world.facts, "id", |f| &f.id),
        "fact",
        report,
    );
    check_group(
        paths("items", &world.items, "name", |i| &i.name),
        "item",
        report,
    );
    check_group(
        paths("qualities", &world.qualities, "id", |q| &q.id),
        "quality",
        report,
    );
    check_group(
        paths("scenes", &world.scenes, "id", |s| &s.id),
        "scene",
        report,
    );
    check_group(
        paths("endings", &world.endings, "id", |e| &e.id),
        "ending",
        report,
    );
    check_group(
        paths("dungeons", &world.dungeons, "name", |d| &d.name),
        "dungeon",
        report,
    );
    check_group(vec![("name".into(), &world.name)], "world", report);
    check_roles(world, report);
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

fn check_group(names: Vec<Named<'_>>, what: &str, report: &mut Report<'_>) {
    let mut seen: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    for (path, name) in &names {
        check_form(path, name, report);
        if name.trim().is_empty() {
            continue;
        }
        match seen.get(&fold_name(name)) {
            Some((first, place)) if first == name => {
                let wrong = format!("the name {name:?} is taken already, by {place}");
                report.error(path, wrong, format!("give each {what} a name of its own"));
            }
            Some((first, place)) => {
                let wrong = format!("{name:?} is easily taken for {first:?} at {place}");
                report.warn(
                    path,
                    wrong,
                    "let names differ in more than case, width or spaces",
                );
            }
            None => {
                seen.insert(fold_name(name), (name, path));
            }
        }
    }
}

fn check_form(path: &str, name: &str, report: &mut Report<'_>) {
    if name.trim().is_empty() {
        report.error(path, "the name is missing or empty", "write one");
        return;
    }
    if let Some(bad) = name.chars().find(|c| is_invisible(*c)) {
        let wrong = format!(
            "the name holds the unseen character U+{:04X}",
            u32::from(bad)
        );
        report.error(path, wrong, "names are one line of plain letters");
    }
    let length = name.chars().count();
    if length > MAX_CHARS {
        let wrong = format!("the name has {length} characters");
        report.error(path, wrong, format!("use at most {MAX_CHARS}"));
    }
    if name.trim() != name {
        report.error(
            path,
            "the name begins or ends with a space",
            "take the space away",
        );
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
            let wrong = format!("{name:?} is what a turn of a conversation is called");
            report.error(&path, wrong, "choose another name");
        }
    }
}
