//! The prompts of group chats: templates in `data/prompts/<language>/chat/` and their data.

use playhouse_engine::event::{Kinds, Phrasebook, PromptSet, PromptTemplate};
use playhouse_engine::exchange;
use playhouse_engine::message::Language;
use playhouse_engine::session::TOLD;
use playhouse_engine::world_data::{DataError, DataFolder, Problem, Problems, Severity};
use playhouse_tools as tool;
use serde::Serialize;
use serde_json::Value;

/// The templates, each with the data that fill it.
macro_rules! templates {
    ($($(#[$doc:meta])* $name:ident: $data:ty = $path:literal;)*) => {
        $($(#[$doc])*
        pub(super) const $name: PromptTemplate<$data> = PromptTemplate::new($path);)*

        fn prompts() -> PromptSet {
            let mut prompts = PromptSet::default();
            exchange::add_templates(&mut prompts);
            tool::add_templates(&mut prompts);
            prompts.add_events(&[TOLD]);
            $(prompts.add(&$name);)*
            prompts
        }
    };
}

templates! {
    /// A message, as its listeners read it.
    SAID: SaidPrompt = "chat/events/said";
    /// What the target of a handoff should know.
    HANDOFF_CONTEXT: HandoffContextPrompt = "chat/events/handed";
    /// The text of a handoff message by default.
    HANDOFF: HandoffPrompt = "chat/handed_over";
    /// The description of a tool that hands over.
    TRANSFER_TOOL: TransferToolPrompt = "chat/hand_on";
    /// A coder found no code.
    NO_CODE: () = "chat/code/none";
    /// Code of others succeeded and printed nothing.
    CODE_SILENT: CodeResultPrompt = "chat/code/silent";
    /// Code of others succeeded.
    CODE_DONE: CodeResultPrompt = "chat/code/done";
    /// Code of others failed.
    CODE_FAILED: CodeResultPrompt = "chat/code/failed";
    /// Asks a coder to fix its own code.
    FIX_CODE: CodeResultPrompt = "chat/code/fix";
    /// Asks a coder to comment on the result of its own code.
    REPORT_CODE: CodeResultPrompt = "chat/code/report";
    /// The approver refused to run code.
    CODE_REFUSED: CodeRefusedPrompt = "chat/code/refused";
    /// The program does not allow code in these languages.
    CODE_FORBIDDEN: CodeForbiddenPrompt = "chat/code/forbidden";
    /// Asks an approver whether to run code.
    APPROVE: ApprovePrompt = "chat/asks/approve";
    /// Asks for an answer in JSON.
    STRUCTURED: () = "chat/asks/shaped";
    /// The plan of a ledger, for everybody.
    PLAN: PlanPrompt = "chat/plan";
    /// What the next speaker of a ledger should do, for everybody.
    INSTRUCT: InstructPrompt = "chat/instruct";
    /// Asks a participant to continue.
    CONTINUE: () = "chat/asks/go_on";
    /// What a participant always remembers.
    MEMORY: MemoryPrompt = "chat/asks/memory";
    /// What a participant may do besides speaking.
    SAY: SayPrompt = "chat/asks/say";
    /// Asks a model to select the next speaker.
    SELECT: SelectPrompt = "chat/asks/select";
    /// The short form of [`SELECT`].
    SELECT_SHORT: () = "chat/asks/select_short";
    /// Asks a person to select the next speaker.
    PICK: PickPrompt = "chat/asks/pick";
    /// Asks for a summary of a conversation that has grown too long.
    FOLD: FoldPrompt = "chat/asks/fold";
    /// The summary of a conversation, in its place.
    FOLDED: FoldedPrompt = "chat/folded";
    /// The description of the tool that makes a note.
    REMEMBER_TOOL: () = "chat/remember";
    /// The result of the tool that makes a note.
    REMEMBERED: () = "chat/remembered";
    /// Asks for a summary of an inner team's talk.
    SOCIETY: SocietyPrompt = "chat/asks/society";
    /// Asks for the subtasks of a task.
    ANALYSE: AnalysePrompt = "chat/asks/analyse";
    /// The short form of [`ANALYSE`].
    ANALYSE_SHORT: () = "chat/asks/analyse_short";
    /// Asks for the progress of a task.
    PROGRESS: ProgressPrompt = "chat/asks/progress";
    /// The short form of [`PROGRESS`].
    PROGRESS_SHORT: () = "chat/asks/progress_short";
    /// Asks for the final answer to a task.
    CONCLUDE: ConcludePrompt = "chat/asks/conclude";
    /// No candidate was named.
    PICK_NONE: CandidatesPrompt = "chat/rules/pick_none";
    /// Several candidates were named.
    PICK_SEVERAL: CandidatesPrompt = "chat/rules/pick_several";
    /// A participant was named who is no candidate.
    PICK_ILLEGAL: CandidatesPrompt = "chat/rules/pick_illegal";
    /// An analysis of a task broke a rule.
    ANALYSIS: Kinds = "chat/rules/analysis";
    /// A message in JSON can't be used.
    MESSAGE: Kinds = "chat/rules/message";
}

/// Structs whose fields are variables of templates.
macro_rules! data {
    ($($(#[$doc:meta])* $name:ident<$life:lifetime> { $($field:ident: $type:ty),* })*) => {
        $($(#[$doc])*
        #[derive(Default, Serialize)]
        pub(super) struct $name<$life> {
            $(pub(super) $field: $type),*
        })*
    };
}

data! {
    SaidPrompt<'a> { actor: &'a str, message: String }
    HandoffContextPrompt<'a> { actor: &'a str, target: &'a str, message: &'a str }
    HandoffPrompt<'a> { target: &'a str }
    TransferToolPrompt<'a> { target: &'a str, description: &'a str }
    CodeResultPrompt<'a> { code: i32, output: &'a str }
    CodeRefusedPrompt<'a> { reason: &'a str }
    CodeForbiddenPrompt<'a> { languages: &'a str }
    ApprovePrompt<'a> { who: &'a str, code: Vec<CodeData<'a>> }
    PlanPrompt<'a> { ledger: Vec<SubtaskData<'a>>, risks: &'a [String] }
    InstructPrompt<'a> { to: &'a str, instruction: &'a str }
    MemoryPrompt<'a> { memory: &'a [String] }
    SayPrompt<'a> { targets: &'a [String], ears: &'a [String] }
    SelectPrompt<'a> { roles: Vec<RoleData<'a>>, candidates: &'a [String] }
    PickPrompt<'a> { candidates: &'a [String] }
    FoldPrompt<'a> { instruction: &'a str }
    FoldedPrompt<'a> { summary: &'a str }
    SocietyPrompt<'a> { talk: Vec<LineData<'a>>, instruction: &'a str }
    AnalysePrompt<'a> { team: Vec<MemberData<'a>>, task: &'a str, ledger: Vec<SubtaskData<'a>>, again: bool }
    ProgressPrompt<'a> { team: Vec<MemberData<'a>>, task: &'a str, ledger: Vec<SubtaskData<'a>> }
    ConcludePrompt<'a> { task: &'a str }
    /// Who may be chosen, and who was named.
    CandidatesPrompt<'a> { candidates: &'a [String], found: &'a [&'a str] }
    /// A block of code in a prompt.
    CodeData<'a> { language: &'static str, code: &'a str }
    /// A candidate in a prompt.
    RoleData<'a> { name: &'a str, description: &'a str }
    /// A message in a prompt.
    LineData<'a> { who: &'a str, text: String }
    /// A participant in a prompt of a ledger.
    MemberData<'a> { name: &'a str, description: &'a str, skills: &'a [String] }
    /// A subtask in a prompt of a ledger.
    SubtaskData<'a> { id: &'a str, description: &'a str, skill: &'a str, to: &'a str, done: bool, needs: &'a [String] }
    /// What fills in a participant's own format of a tool's result.
    SummaryValues<'a> { tool_name: &'a str, arguments: &'a str, result: &'a str, is_error: bool }
    /// A subtask in notes.
    OpenSubtask<'a> { id: &'a str, to: &'a str, text: &'a str }
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
