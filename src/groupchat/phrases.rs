//! Where the words of group chats come from: templates in `data/prompts/<language>/chat/`.

use crate::event::Phrasebook;
use crate::message::Language;
use crate::tool;
use crate::world_data::{DataError, DataFolder, Problem, Problems, Severity, Templates};

/// The phrases that group chats use, with the variables each may use.
const PROMPTS: &[(&str, &[&str])] = &[
    ("chat/events/said", &["actor", "message"]),
    ("chat/events/handed", &["actor", "target", "message"]),
    ("engine/withheld", &["reason"]),
    ("chat/handed_over", &["target"]),
    ("chat/hand_on", &["target", "description"]),
    ("chat/code/none", &[]),
    ("chat/code/silent", &["code", "output"]),
    ("chat/code/done", &["code", "output"]),
    ("chat/code/failed", &["code", "output"]),
    ("chat/code/mend", &["code", "output"]),
    ("chat/code/report", &["code", "output"]),
    ("chat/code/refused", &["reason"]),
    ("chat/code/forbidden", &["languages"]),
    ("chat/asks/approve", &["who", "code"]),
    ("chat/asks/shaped", &[]),
    ("chat/plan", &["ledger", "risks"]),
    ("chat/instruct", &["to", "instruction"]),
    ("chat/asks/go_on", &[]),
    ("chat/asks/memory", &["memory"]),
    ("chat/asks/say", &["targets", "ears"]),
    ("chat/asks/select", &["roles", "candidates"]),
    ("chat/asks/select_short", &[]),
    ("chat/asks/pick", &["candidates"]),
    ("chat/asks/society", &["talk", "instruction"]),
    ("chat/asks/analyse", &["team", "task", "ledger", "again"]),
    ("chat/asks/analyse_short", &[]),
    ("chat/asks/progress", &["team", "task", "ledger"]),
    ("chat/asks/progress_short", &[]),
    ("chat/asks/conclude", &["task"]),
    ("chat/rules/pick_none", &["candidates", "found"]),
    ("chat/rules/pick_several", &["candidates", "found"]),
    ("chat/rules/pick_illegal", &["candidates", "found"]),
    ("rules/empty", &[]),
    ("rules/too_long", &["most", "length"]),
    ("rules/no_json", &["found"]),
    ("rules/wrong_form", &["problem"]),
    ("engine/repair", &["broken"]),
    ("engine/folded", &["count"]),
    ("engine/folded_title", &["count"]),
];

/// Reads and checks the templates of a language.
///
/// # Errors
/// Every template that is missing, does not parse, or uses a variable that its phrase does not have.
pub(super) fn load(
    data: &DataFolder,
    language: Language,
) -> Result<(Phrasebook, Problems), Problems> {
    let declared = declared();
    let templates = Templates::load_declared(data, &folder(language), &declared)?;
    let problems = templates.check(&declared).into_iter();
    // The folders of the engine hold phrases of other games too.
    let ours =
        |problem: &Problem| problem.severity == Severity::Error || problem.file.contains("/chat/");
    let mut problems_of_ours = Problems::new();
    problems
        .filter(ours)
        .for_each(|problem| problems_of_ours.push(problem));
    problems_of_ours.unless_errors(templates.into())
}

/// The files of a language's templates.
pub(super) fn files(data: &DataFolder, language: Language) -> Result<Vec<String>, DataError> {
    Templates::files_of(data, &folder(language), &declared())
}

fn declared() -> Vec<(&'static str, &'static [&'static str])> {
    [PROMPTS, tool::PROMPTS].concat()
}

fn folder(language: Language) -> String {
    format!("prompts/{}", language.code())
}
