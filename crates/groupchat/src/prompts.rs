//! The prompts of group chats: templates in `data/prompts/<language>/chat/` and their data.

use playhouse_engine::event::{Phrasebook, Prompt, PromptSet};
use playhouse_engine::exchange;
use playhouse_engine::message::Language;
use playhouse_engine::session::TOLD;
use playhouse_engine::world_data::{DataError, DataFolder, Problem, Problems, Severity};
use playhouse_tools as tool;
use serde::Serialize;
use serde_json::Value;

use super::stage;

fn prompts() -> PromptSet {
    let mut prompts = PromptSet::default();
    exchange::declare_prompts(&mut prompts);
    tool::declare_prompts(&mut prompts);
    prompts.add_events(&[TOLD]);
    prompts.declare::<ChatPrompt>().declare::<PickRule>();
    stage::declare_prompts(&mut prompts);
    prompts
}

/// What participants and the models of a team are told and asked.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub(super) enum ChatPrompt<'a> {
    /// A message, as its listeners read it.
    #[prompt("chat/events/said")]
    Said { actor: &'a str, message: String },
    /// What the target of a handoff should know.
    #[prompt("chat/events/handed")]
    HandoffContext {
        actor: &'a str,
        target: &'a str,
        message: &'a str,
    },
    /// The text of a handoff message by default.
    #[prompt("chat/handed_over")]
    Handoff { target: &'a str },
    /// The description of a tool that hands over.
    #[prompt("chat/hand_on")]
    TransferTool {
        target: &'a str,
        description: &'a str,
    },
    #[prompt("chat/code/none")]
    NoCode,
    /// Code of others succeeded and printed nothing.
    #[prompt("chat/code/silent")]
    CodeSilent { code: i32, output: &'a str },
    /// Code of others succeeded.
    #[prompt("chat/code/done")]
    CodeDone { code: i32, output: &'a str },
    /// Code of others failed.
    #[prompt("chat/code/failed")]
    CodeFailed { code: i32, output: &'a str },
    /// Asks a coder to fix its own code.
    #[prompt("chat/code/fix")]
    FixCode { code: i32, output: &'a str },
    /// Asks a coder to comment on the result of its own code.
    #[prompt("chat/code/report")]
    ReportCode { code: i32, output: &'a str },
    /// The approver refused to run code.
    #[prompt("chat/code/refused")]
    CodeRefused { reason: &'a str },
    /// The program does not allow code in these languages.
    #[prompt("chat/code/forbidden")]
    CodeForbidden { languages: &'a str },
    /// Asks an approver whether to run code.
    #[prompt("chat/asks/approve")]
    Approve {
        who: &'a str,
        code: Vec<CodeData<'a>>,
    },
    /// Asks for an answer in JSON.
    #[prompt("chat/asks/shaped")]
    Structured,
    /// The plan of a ledger, for everybody.
    #[prompt("chat/plan")]
    Plan {
        ledger: Vec<SubtaskData<'a>>,
        risks: &'a [String],
    },
    /// What the next speaker of a ledger should do, for everybody.
    #[prompt("chat/instruct")]
    Instruct { to: &'a str, instruction: &'a str },
    /// Asks a participant to continue.
    #[prompt("chat/asks/go_on")]
    Continue,
    /// What a participant always remembers.
    #[prompt("chat/asks/memory")]
    Memory { memory: &'a [String] },
    /// What a participant may do besides speaking.
    #[prompt("chat/asks/say")]
    Say {
        targets: &'a [String],
        ears: &'a [String],
    },
    /// Asks a model to select the next speaker.
    #[prompt("chat/asks/select")]
    Select {
        roles: Vec<RoleData<'a>>,
        candidates: &'a [String],
    },
    #[prompt("chat/asks/select_short")]
    SelectShort,
    /// Asks a person to select the next speaker.
    #[prompt("chat/asks/pick")]
    Pick { candidates: &'a [String] },
    /// Asks for a summary of a conversation that has grown too long.
    #[prompt("chat/asks/fold")]
    Fold { instruction: &'a str },
    /// The summary of a conversation, in its place.
    #[prompt("chat/folded")]
    Folded { summary: &'a str },
    /// The description of the tool that makes a note.
    #[prompt("chat/remember")]
    RememberTool,
    /// The result of the tool that makes a note.
    #[prompt("chat/remembered")]
    Remembered,
    /// Asks for a summary of an inner team's talk.
    #[prompt("chat/asks/society")]
    Society {
        talk: Vec<LineData<'a>>,
        instruction: &'a str,
    },
    /// Asks for the subtasks of a task.
    #[prompt("chat/asks/analyse")]
    Analyse {
        team: Vec<MemberData<'a>>,
        task: &'a str,
        ledger: Vec<SubtaskData<'a>>,
        again: bool,
    },
    #[prompt("chat/asks/analyse_short")]
    AnalyseShort,
    /// Asks for the progress of a task.
    #[prompt("chat/asks/progress")]
    Progress {
        team: Vec<MemberData<'a>>,
        task: &'a str,
        ledger: Vec<SubtaskData<'a>>,
    },
    #[prompt("chat/asks/progress_short")]
    ProgressShort,
    /// Asks for the final answer to a task.
    #[prompt("chat/asks/conclude")]
    Conclude { task: &'a str },
}

/// A rule of a choice among candidates, and who was named instead.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
pub(super) enum PickRule<'a> {
    #[prompt("chat/rules/pick_none")]
    None {
        candidates: &'a [String],
        found: &'a [&'a str],
    },
    #[prompt("chat/rules/pick_several")]
    Several {
        candidates: &'a [String],
        found: &'a [&'a str],
    },
    /// A participant was named who is no candidate.
    #[prompt("chat/rules/pick_illegal")]
    Illegal {
        candidates: &'a [String],
        found: &'a [&'a str],
    },
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

/// What fills in a participant's own format of a tool's result.
#[derive(Serialize)]
pub(super) struct SummaryValues<'a> {
    pub(super) tool_name: &'a str,
    pub(super) arguments: &'a str,
    pub(super) result: &'a str,
    pub(super) is_error: bool,
}

#[derive(Serialize)]
pub(super) struct OpenSubtask<'a> {
    pub(super) id: &'a str,
    pub(super) to: &'a str,
    pub(super) text: &'a str,
}

/// What fills in a team's own prompt for selecting speakers.
#[derive(Serialize)]
pub(super) struct SelectorValues {
    pub(super) roles: String,
    pub(super) participants: String,
    pub(super) history: String,
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

/// Notes of an ask for a participant's turn.
#[derive(Serialize)]
#[serde(tag = "kind", rename = "chat")]
pub(super) struct TurnNotes<'a> {
    pub(super) me: &'a str,
    /// What it must say to end the conversation.
    pub(super) must: Vec<&'a str>,
    /// The last message, if it is another's.
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

pub(super) fn notes(data: &impl Serialize) -> Value {
    // Can't fail: they are strings and lists of these.
    serde_json::to_value(data).unwrap_or_default()
}

/// Reads and checks the templates of a language.
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
        let said = ChatPrompt::Said {
            actor: "Ava",
            message: words.to_owned(),
        };
        phrases.fill(&said).expect("is filled")
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
            for words in harmless(language).iter().copied().chain([code.trim_end()]) {
                let body = Body::text(told(&phrases, words)).from_sender("Ava");
                assert_eq!(text_without_speaker(&body), words);
            }
        }
    }
}
