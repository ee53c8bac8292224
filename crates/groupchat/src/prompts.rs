//! The prompts of group chats: templates in `data/prompts/<language>/chat/` and their data.

use playhouse_engine::event::{Kinds, Phrasebook, PromptSet, PromptTemplate};
use playhouse_engine::exchange;
use playhouse_engine::message::Language;
use playhouse_engine::session::TOLD;
use playhouse_engine::world_data::{DataError, DataFolder, Problem, Problems, Severity};
use playhouse_tools as tool;
use serde::Serialize;
use serde_json::Value;

/// A message, as its listeners read it.
pub(super) const SAID: PromptTemplate<SaidPrompt> = PromptTemplate::new("chat/events/said");
/// What the target of a handoff should know.
pub(super) const HANDOFF_CONTEXT: PromptTemplate<HandoffContextPrompt> =
    PromptTemplate::new("chat/events/handed");
/// The text of a handoff message by default.
pub(super) const HANDOFF: PromptTemplate<HandoffPrompt> = PromptTemplate::new("chat/handed_over");
/// The description of a tool that hands over.
pub(super) const TRANSFER_TOOL: PromptTemplate<TransferToolPrompt> =
    PromptTemplate::new("chat/hand_on");
/// A coder found no code.
pub(super) const NO_CODE: PromptTemplate<()> = PromptTemplate::new("chat/code/none");
/// Code of others succeeded and printed nothing.
pub(super) const CODE_SILENT: PromptTemplate<CodeResultPrompt> =
    PromptTemplate::new("chat/code/silent");
/// Code of others succeeded.
pub(super) const CODE_DONE: PromptTemplate<CodeResultPrompt> =
    PromptTemplate::new("chat/code/done");
/// Code of others failed.
pub(super) const CODE_FAILED: PromptTemplate<CodeResultPrompt> =
    PromptTemplate::new("chat/code/failed");
/// Asks a coder to fix its own code.
pub(super) const FIX_CODE: PromptTemplate<CodeResultPrompt> = PromptTemplate::new("chat/code/fix");
/// Asks a coder to comment on the result of its own code.
pub(super) const REPORT_CODE: PromptTemplate<CodeResultPrompt> =
    PromptTemplate::new("chat/code/report");
/// The approver refused to run code.
pub(super) const CODE_REFUSED: PromptTemplate<CodeRefusedPrompt> =
    PromptTemplate::new("chat/code/refused");
/// The program does not allow code in these languages.
pub(super) const CODE_FORBIDDEN: PromptTemplate<CodeForbiddenPrompt> =
    PromptTemplate::new("chat/code/forbidden");
/// Asks an approver whether to run code.
pub(super) const APPROVE: PromptTemplate<ApprovePrompt> = PromptTemplate::new("chat/asks/approve");
/// Asks for an answer in JSON.
pub(super) const STRUCTURED: PromptTemplate<()> = PromptTemplate::new("chat/asks/shaped");
/// The plan of a ledger, for everybody.
pub(super) const PLAN: PromptTemplate<PlanPrompt> = PromptTemplate::new("chat/plan");
/// What the next speaker of a ledger should do, for everybody.
pub(super) const INSTRUCT: PromptTemplate<InstructPrompt> = PromptTemplate::new("chat/instruct");
/// Asks somebody to continue.
pub(super) const CONTINUE: PromptTemplate<()> = PromptTemplate::new("chat/asks/go_on");
/// What a participant always remembers.
pub(super) const MEMORY: PromptTemplate<MemoryPrompt> = PromptTemplate::new("chat/asks/memory");
/// What a participant may do besides speaking.
pub(super) const SAY: PromptTemplate<SayPrompt> = PromptTemplate::new("chat/asks/say");
/// Asks a model to select the next speaker.
pub(super) const SELECT: PromptTemplate<SelectPrompt> = PromptTemplate::new("chat/asks/select");
/// The short form of [`SELECT`].
pub(super) const SELECT_SHORT: PromptTemplate<()> = PromptTemplate::new("chat/asks/select_short");
/// Asks a person to select the next speaker.
pub(super) const PICK: PromptTemplate<PickPrompt> = PromptTemplate::new("chat/asks/pick");
/// Asks for a summary of a conversation that has grown too long.
pub(super) const FOLD: PromptTemplate<FoldPrompt> = PromptTemplate::new("chat/asks/fold");
/// The summary of a conversation, in its place.
pub(super) const FOLDED: PromptTemplate<FoldedPrompt> = PromptTemplate::new("chat/folded");
/// The description of the tool that makes a note.
pub(super) const REMEMBER_TOOL: PromptTemplate<()> = PromptTemplate::new("chat/remember");
/// The result of the tool that makes a note.
pub(super) const REMEMBERED: PromptTemplate<()> = PromptTemplate::new("chat/remembered");
/// Asks for a summary of an inner team's talk.
pub(super) const SOCIETY: PromptTemplate<SocietyPrompt> = PromptTemplate::new("chat/asks/society");
/// Asks for the subtasks of a task.
pub(super) const ANALYSE: PromptTemplate<AnalysePrompt> = PromptTemplate::new("chat/asks/analyse");
/// The short form of [`ANALYSE`].
pub(super) const ANALYSE_SHORT: PromptTemplate<()> = PromptTemplate::new("chat/asks/analyse_short");
/// Asks for the progress of a task.
pub(super) const PROGRESS: PromptTemplate<ProgressPrompt> =
    PromptTemplate::new("chat/asks/progress");
/// The short form of [`PROGRESS`].
pub(super) const PROGRESS_SHORT: PromptTemplate<()> =
    PromptTemplate::new("chat/asks/progress_short");
/// Asks for the final answer to a task.
pub(super) const CONCLUDE: PromptTemplate<ConcludePrompt> =
    PromptTemplate::new("chat/asks/conclude");
/// No candidate was named.
pub(super) const PICK_NONE: PromptTemplate<CandidatesPrompt> =
    PromptTemplate::new("chat/rules/pick_none");
/// Several candidates were named.
pub(super) const PICK_SEVERAL: PromptTemplate<CandidatesPrompt> =
    PromptTemplate::new("chat/rules/pick_several");
/// Somebody was named who is not a candidate.
pub(super) const PICK_ILLEGAL: PromptTemplate<CandidatesPrompt> =
    PromptTemplate::new("chat/rules/pick_illegal");
/// An analysis of a task broke a rule.
pub(super) const ANALYSIS: PromptTemplate<Kinds> = PromptTemplate::new("chat/rules/analysis");
/// A message in JSON can't be used.
pub(super) const MESSAGE: PromptTemplate<Kinds> = PromptTemplate::new("chat/rules/message");

fn prompts() -> PromptSet {
    let mut prompts = PromptSet::default();
    exchange::add_templates(&mut prompts);
    tool::add_templates(&mut prompts);
    prompts.add_events(&[TOLD]);
    prompts
        .add(&SAID)
        .add(&HANDOFF_CONTEXT)
        .add(&HANDOFF)
        .add(&TRANSFER_TOOL)
        .add(&NO_CODE)
        .add(&CODE_SILENT)
        .add(&CODE_DONE)
        .add(&CODE_FAILED)
        .add(&FIX_CODE)
        .add(&REPORT_CODE)
        .add(&CODE_REFUSED)
        .add(&CODE_FORBIDDEN)
        .add(&APPROVE)
        .add(&STRUCTURED)
        .add(&PLAN)
        .add(&INSTRUCT)
        .add(&CONTINUE)
        .add(&MEMORY)
        .add(&SAY)
        .add(&SELECT)
        .add(&SELECT_SHORT)
        .add(&PICK)
        .add(&FOLD)
        .add(&FOLDED)
        .add(&REMEMBER_TOOL)
        .add(&REMEMBERED)
        .add(&SOCIETY)
        .add(&ANALYSE)
        .add(&ANALYSE_SHORT)
        .add(&PROGRESS)
        .add(&PROGRESS_SHORT)
        .add(&CONCLUDE)
        .add(&PICK_NONE)
        .add(&PICK_SEVERAL)
        .add(&PICK_ILLEGAL)
        .add(&ANALYSIS)
        .add(&MESSAGE);
    prompts
}

#[derive(Default, Serialize)]
pub(super) struct SaidPrompt<'a> {
    pub(super) actor: &'a str,
    pub(super) message: String,
}

#[derive(Default, Serialize)]
pub(super) struct HandoffContextPrompt<'a> {
    pub(super) actor: &'a str,
    pub(super) target: &'a str,
    pub(super) message: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct HandoffPrompt<'a> {
    pub(super) target: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct TransferToolPrompt<'a> {
    pub(super) target: &'a str,
    pub(super) description: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct CodeResultPrompt<'a> {
    pub(super) code: i32,
    pub(super) output: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct CodeRefusedPrompt<'a> {
    pub(super) reason: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct CodeForbiddenPrompt<'a> {
    pub(super) languages: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct ApprovePrompt<'a> {
    pub(super) who: &'a str,
    pub(super) code: Vec<CodeData<'a>>,
}

#[derive(Default, Serialize)]
pub(super) struct PlanPrompt<'a> {
    pub(super) ledger: Vec<SubtaskData<'a>>,
    pub(super) risks: &'a [String],
}

#[derive(Default, Serialize)]
pub(super) struct InstructPrompt<'a> {
    pub(super) to: &'a str,
    pub(super) instruction: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct MemoryPrompt<'a> {
    pub(super) memory: &'a [String],
}

#[derive(Default, Serialize)]
pub(super) struct SayPrompt<'a> {
    pub(super) targets: &'a [String],
    pub(super) ears: &'a [String],
}

#[derive(Default, Serialize)]
pub(super) struct SelectPrompt<'a> {
    pub(super) roles: Vec<RoleData<'a>>,
    pub(super) candidates: &'a [String],
}

#[derive(Default, Serialize)]
pub(super) struct PickPrompt<'a> {
    pub(super) candidates: &'a [String],
}

#[derive(Default, Serialize)]
pub(super) struct FoldPrompt<'a> {
    pub(super) instruction: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct FoldedPrompt<'a> {
    pub(super) summary: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct SocietyPrompt<'a> {
    pub(super) talk: Vec<LineData<'a>>,
    pub(super) instruction: &'a str,
}

#[derive(Default, Serialize)]
pub(super) struct AnalysePrompt<'a> {
    pub(super) team: Vec<MemberData<'a>>,
    pub(super) task: &'a str,
    pub(super) ledger: Vec<SubtaskData<'a>>,
    pub(super) again: bool,
}

#[derive(Default, Serialize)]
pub(super) struct ProgressPrompt<'a> {
    pub(super) team: Vec<MemberData<'a>>,
    pub(super) task: &'a str,
    pub(super) ledger: Vec<SubtaskData<'a>>,
}

#[derive(Default, Serialize)]
pub(super) struct ConcludePrompt<'a> {
    pub(super) task: &'a str,
}

/// Who may be chosen, and who was named.
#[derive(Default, Serialize)]
pub(super) struct CandidatesPrompt<'a> {
    pub(super) candidates: &'a [String],
    pub(super) found: &'a [&'a str],
}

/// A block of code in a prompt.
#[derive(Serialize)]
pub(super) struct CodeData<'a> {
    pub(super) language: &'static str,
    pub(super) code: &'a str,
}

/// A candidate in a prompt.
#[derive(Serialize)]
pub(super) struct RoleData<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
}

/// A message in a prompt.
#[derive(Serialize)]
pub(super) struct LineData<'a> {
    pub(super) who: &'a str,
    pub(super) text: String,
}

/// A participant in a prompt of a ledger.
#[derive(Serialize)]
pub(super) struct MemberData<'a> {
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) skills: &'a [String],
}

/// A subtask in a prompt of a ledger.
#[derive(Serialize)]
pub(super) struct SubtaskData<'a> {
    pub(super) id: &'a str,
    pub(super) description: &'a str,
    pub(super) skill: &'a str,
    pub(super) to: &'a str,
    pub(super) done: bool,
    pub(super) needs: &'a [String],
}

/// What fills in a team's own prompt for selecting speakers.
#[derive(Serialize)]
pub(super) struct SelectorValues {
    pub(super) roles: String,
    pub(super) participants: String,
    pub(super) history: String,
}

/// What fills in a participant's own format of a tool's result.
#[derive(Serialize)]
pub(super) struct SummaryValues<'a> {
    pub(super) tool_name: &'a str,
    pub(super) arguments: &'a str,
    pub(super) result: &'a str,
    pub(super) is_error: bool,
}

/// Notes of an ask without anything particular.
#[derive(Serialize)]
#[serde(tag = "kind", rename = "chat")]
pub(super) struct ChatNotes {}

/// Notes of an ask about participants.
#[derive(Serialize)]
#[serde(tag = "kind", rename = "chat")]
pub(super) struct SelectionNotes<'a> {
    pub(super) present: &'a [&'a str],
}

/// Notes of an ask for the progress of a task.
#[derive(Serialize)]
#[serde(tag = "kind", rename = "chat")]
pub(super) struct ProgressNotes<'a> {
    pub(super) present: &'a [String],
    pub(super) open: Vec<OpenSubtask<'a>>,
}

/// A subtask in notes.
#[derive(Serialize)]
pub(super) struct OpenSubtask<'a> {
    pub(super) id: &'a str,
    pub(super) to: &'a str,
    pub(super) text: &'a str,
}

/// Notes of an ask for a participant's turn.
#[derive(Serialize)]
#[serde(tag = "kind", rename = "chat")]
pub(super) struct TurnNotes<'a> {
    pub(super) me: &'a str,
    /// What it must say to end the conversation.
    pub(super) must: Vec<&'a str>,
    /// The last message, if it is somebody else's.
    pub(super) said: Vec<HeardLine>,
    /// The tools by which it may hand over.
    pub(super) hand_on: Vec<String>,
}

/// A message in notes.
#[derive(Serialize)]
pub(super) struct HeardLine {
    pub(super) who: String,
    pub(super) text: String,
}

/// The notes of an ask.
pub(super) fn notes(data: &impl Serialize) -> Value {
    // Can't fail: they are strings and lists of these.
    serde_json::to_value(data).unwrap_or_default()
}

/// Reads and checks the templates of a language.
///
/// # Errors
/// Every template that is missing, can't be parsed, or uses an unknown variable.
pub(super) fn load(
    data: &DataFolder,
    language: Language,
) -> Result<(Phrasebook, Problems), Problems> {
    let (phrases, found) = prompts().load(data, &folder(language))?;
    let mut problems = Problems::new();
    // The folders of the engine contain templates of other games too.
    let is_ours =
        |problem: &Problem| problem.severity == Severity::Error || problem.file.contains("/chat/");
    problems.extend(found.into_iter().filter(is_ours));
    Ok((phrases, problems))
}

/// The files of a language's templates.
pub(super) fn files(data: &DataFolder, language: Language) -> Result<Vec<String>, DataError> {
    prompts().files(data, &folder(language))
}

fn folder(language: Language) -> String {
    format!("prompts/{}", language.code())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perspective::text_without_speaker;
    use playhouse_engine::message::Body;
    use playhouse_engine::testing::{attacks, harmless};

    const LANGUAGES: [Language; 2] = [Language::En, Language::Zh];

    fn told(phrases: &Phrasebook, words: &str) -> String {
        let said = SaidPrompt {
            actor: "Ava",
            message: words.to_owned(),
        };
        phrases.render(&SAID, &said).expect("is filled")
    }

    #[test]
    fn no_line_of_a_message_looks_like_another_message() {
        for language in LANGUAGES {
            let (phrases, _) = load(&DataFolder::embedded(), language).expect("are right");
            for attack in attacks(language) {
                let told = told(&phrases, &attack);
                assert!(told.starts_with("Ava"), "{told}");
                let breaks = ['\r', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}'];
                assert!(!told.contains(breaks), "{told:?}");
                assert!(!told.contains(['\u{202E}', '\u{2067}']), "{told:?}");
                let mut others = told.split('\n').skip(1);
                assert!(
                    others.all(|line| line.is_empty() || line.starts_with("  ")),
                    "{told}"
                );
                assert_eq!(playhouse_engine::wording::defused(&told), None, "{told}");
            }
        }
    }

    #[test]
    fn messages_of_many_lines_and_code_are_told_whole() {
        let code = "Run this:\n\n```yaml\nuser: bo\n# a note\nsay: \"hi\" “x”\n```\n\n# Notes\n    - one\n";
        for language in LANGUAGES {
            let (phrases, _) = load(&DataFolder::embedded(), language).expect("are right");
            let lines = harmless(language).iter().copied();
            for words in lines.chain([code.trim_end()]) {
                let body = Body::text(told(&phrases, words)).from_sender("Ava");
                assert_eq!(text_without_speaker(&body), words);
            }
        }
    }
}
