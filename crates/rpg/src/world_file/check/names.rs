//! What things are called.

use std::collections::BTreeMap;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::wording::fold_name;

use super::report::{Report, choices, each};
use crate::world_file::types::WorldFile;

/// The maximum number of characters of a name.
const MAX_CHARS: usize = 64;

/// The most agents, stages, actors and foes together: a collection of a thousand cards has room.
/// All may be on one stage, where each is told of all others, so time and memory grow with the
/// square.
const MAX_ENTITIES: usize = 1_500;

/// The names of roles in a conversation, with which an entity of that name could be confused.
pub(crate) const ROLES: [&str; 7] = ["system", "human", "ai", "user", "assistant", "tool", "h"];

/// What a name can stand for: the lists of a world file, and what places in it ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Agent,
    Stage,
    HomeStage,
    FightStage,
    Actor,
    Foe,
    /// An actor or a foe.
    Fighter,
    /// A fighter in particular, not the party.
    Person,
    /// A fighter or a stage, which can hold items.
    Holder,
    /// Whatever has a mind: a holder or an agent.
    Entity,
    Skill,
    Fact,
    Item,
    Quality,
    Scene,
    Ending,
    Dungeon,
}

impl Kind {
    /// The kinds to which something in a list of this kind belongs.
    pub(super) fn and_wider(&self) -> &[Self] {
        match self {
            Self::Agent => &[Self::Agent, Self::Entity],
            Self::Stage => &[Self::Stage, Self::Holder, Self::Entity],
            Self::Actor => &[
                Self::Actor,
                Self::Fighter,
                Self::Person,
                Self::Holder,
                Self::Entity,
            ],
            Self::Foe => &[
                Self::Foe,
                Self::Fighter,
                Self::Person,
                Self::Holder,
                Self::Entity,
            ],
            kind => std::slice::from_ref(kind),
        }
    }

    pub(super) fn label(self) -> UiText {
        match self {
            Self::Skill => text!(rpg_check_kind_skill),
            Self::HomeStage => text!(rpg_check_kind_home),
            Self::FightStage => text!(rpg_check_kind_dungeon_stage),
            Self::Actor => text!(rpg_check_kind_actor),
            Self::Foe => text!(rpg_check_kind_foe),
            Self::Dungeon => text!(rpg_check_kind_dungeon),
            _ => text!(rpg_check_kind_stage),
        }
    }
}

/// A name, and where something gets it.
pub(super) struct Definition<'a> {
    pub(super) kind: Kind,
    path: String,
    pub(super) name: &'a str,
}

impl Definition<'_> {
    fn is_entity(&self) -> bool {
        self.kind.and_wider().contains(&Kind::Entity)
    }
}

/// All names that others can refer to, but for those of options.
pub(super) fn definitions(world: &WorldFile) -> Vec<Definition<'_>> {
    let mut all = define(Kind::Agent, "agents", &world.agents, "name", |agent| {
        &agent.name
    });
    all.extend(define(
        Kind::Stage,
        "stages",
        &world.stages,
        "name",
        |stage| &stage.name,
    ));
    all.extend(define(
        Kind::Actor,
        "actors",
        &world.actors,
        "name",
        |actor| &actor.name,
    ));
    all.extend(define(Kind::Foe, "foes", &world.foes, "name", |foe| {
        &foe.name
    }));
    all.extend(define(
        Kind::Skill,
        "skills",
        &world.skills,
        "name",
        |skill| &skill.name,
    ));
    all.extend(define(Kind::Fact, "facts", &world.facts, "id", |fact| {
        &fact.id
    }));
    all.extend(define(Kind::Item, "items", &world.items, "name", |item| {
        &item.name
    }));
    all.extend(define(
        Kind::Quality,
        "qualities",
        &world.qualities,
        "id",
        |it| &it.id,
    ));
    all.extend(define(
        Kind::Scene,
        "scenes",
        &world.scenes,
        "id",
        |scene| &scene.id,
    ));
    all.extend(define(
        Kind::Ending,
        "endings",
        &world.endings,
        "id",
        |ending| &ending.id,
    ));
    all.extend(define(
        Kind::Dungeon,
        "dungeons",
        &world.dungeons,
        "name",
        |it| &it.name,
    ));
    all
}

fn define<'a, T>(
    kind: Kind,
    list: &str,
    things: &'a [T],
    field: &str,
    name: fn(&T) -> &String,
) -> Vec<Definition<'a>> {
    let things = each(list, things);
    let defined = things.map(|(path, thing)| Definition {
        kind,
        path: format!("{path}.{field}"),
        name: name(thing),
    });
    defined.collect()
}

pub(super) fn check(report: &mut Report<'_>) {
    let world = report.world;
    let definitions = definitions(world);
    let (entities, others): (Vec<_>, Vec<_>) = definitions
        .iter()
        .partition(|definition| definition.is_entity());
    check_group(&entities, report);
    for group in others.chunk_by(|one, other| one.kind == other.kind) {
        check_group(group, report);
    }
    check_form("name", &world.name, report);
    for (path, scene) in each("scenes", &world.scenes) {
        let options = choices(&path, scene).flat_map(|(path, choice)| {
            let list = format!("{path}.options");
            define(Kind::Scene, &list, &choice.options, "id", |option| {
                &option.id
            })
        });
        let options: Vec<_> = options.collect();
        check_group(&options.iter().collect::<Vec<_>>(), report);
    }
    for entity in &entities {
        if ROLES.contains(&fold_name(entity.name).as_str()) {
            let wrong = text!(rpg_check_name_role, name = entity.name);
            report.error(&entity.path, wrong, text!(rpg_check_choose_name));
        }
    }
    if let Some(entity) = entities.get(MAX_ENTITIES) {
        let wrong = text!(rpg_check_too_many, count = entities.len());
        report.error(
            &entity.path,
            wrong,
            text!(rpg_check_fewer, max = MAX_ENTITIES),
        );
    }
}

/// Within a group all names must differ.
fn check_group(group: &[&Definition<'_>], report: &mut Report<'_>) {
    let mut seen: BTreeMap<String, &Definition<'_>> = BTreeMap::new();
    for definition in group {
        let (path, name) = (&definition.path, definition.name);
        check_form(path, name, report);
        if name.trim().is_empty() {
            continue;
        }
        let first = seen.entry(fold_name(name)).or_insert(definition);
        if first.path == *path {
            continue;
        }
        let place = report.named(&first.path);
        if first.name == name {
            let wrong = text!(rpg_check_name_taken, name, place);
            report.error(path, wrong, text!(rpg_check_choose_name));
        } else {
            let wrong = text!(rpg_check_name_similar, name, other = first.name, place);
            report.warn(path, wrong, text!(rpg_check_distinct_names));
        }
    }
}

fn check_form(path: &str, name: &str, report: &mut Report<'_>) {
    if name.trim().is_empty() {
        let right = text!(rpg_check_write_name);
        return report.error(path, text!(rpg_check_name_missing), right);
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
        let right = text!(rpg_check_remove_space);
        report.error(path, text!(rpg_check_name_spaces), right);
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
            | '\u{e0000}'..='\u{e0fff}'
    );
    c.is_control() || is_mark
}
