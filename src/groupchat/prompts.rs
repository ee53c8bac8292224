//! The prompts of group chats: templates in `data/prompts/<language>/chat/` and their data.

use serde::Serialize;
use serde_json::Value;

use crate::event::{PhraseError, Phrasebook};
use crate::message::Language;
use crate::tool;
use crate::world_data::{DataError, DataFolder, Problem, Problems, Severity, Templates};

/// The data of a prompt template.
pub(super) trait Prompt: Serialize {
    /// The name of the template.
    const TEMPLATE: &'static str;

    /// The data as JSON.
    fn data(&self) -> Value {
        // The data are strings, numbers, and lists of these.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The prompt in the language of the phrasebook.
    fn render(&self, phrases: &Phrasebook) -> Result<String, PhraseError> {
        phrases.say(Self::TEMPLATE, &self.data())
    }
}

/// Defines a struct for each template; its fields are the variables that the template may use.
macro_rules! prompts {
    ($($(#[$doc:meta])* $name:ident $(<$life:lifetime>)? = $template:literal
        { $($field:ident: $type:ty),* $(,)? })*) => {
        $($(#[$doc])*
        #[derive(Serialize)]
        pub(super) struct $name $(<$life>)? {
            $(pub(super) $field: $type,)*
        }

        impl $(<$life>)? Prompt for $name $(<$life>)? {
            const TEMPLATE: &'static str = $template;
        })*

        const TEMPLATES: &[(&str, &[&str])] = &[
            $(($template, &[$(stringify!($field)),*]),)*
        ];
    };
}

prompts! {
    /// A message, as its listeners read it.
    SaidPrompt<'a> = "chat/events/said" { actor: &'a str, message: String }
    /// What the target of a handoff should know.
    HandoffContextPrompt<'a> = "chat/events/handed" {
        actor: &'a str, target: &'a str, message: &'a str,
    }
    /// Replaces a message that a guard blocked.
    WithheldPrompt<'a> = "engine/withheld" { reason: &'a str }
    /// The text of a handoff message by default.
    HandoffPrompt<'a> = "chat/handed_over" { target: &'a str }
    /// The description of a tool that hands over.
    TransferToolPrompt<'a> = "chat/hand_on" { target: &'a str, description: &'a str }
    /// A coder found no code.
    NoCodePrompt = "chat/code/none" {}
    /// Code of others succeeded and printed nothing.
    CodeSilentPrompt<'a> = "chat/code/silent" { code: i32, output: &'a str }
    /// Code of others succeeded.
    CodeDonePrompt<'a> = "chat/code/done" { code: i32, output: &'a str }
    /// Code of others failed.
    CodeFailedPrompt<'a> = "chat/code/failed" { code: i32, output: &'a str }
    /// Asks a coder to fix its own code.
    FixCodePrompt<'a> = "chat/code/mend" { code: i32, output: &'a str }
    /// Asks a coder to comment on the result of its own code.
    ReportCodePrompt<'a> = "chat/code/report" { code: i32, output: &'a str }
    /// The approver refused to run code.
    CodeRefusedPrompt<'a> = "chat/code/refused" { reason: &'a str }
    /// The program does not allow code in these languages.
    CodeForbiddenPrompt<'a> = "chat/code/forbidden" { languages: &'a str }
    /// Asks an approver whether to run code.
    ApprovePrompt<'a> = "chat/asks/approve" { who: &'a str, code: Vec<CodeData<'a>> }
    /// Asks for an answer in JSON.
    StructuredPrompt = "chat/asks/shaped" {}
    /// The plan of a ledger, for everybody.
    PlanPrompt<'a> = "chat/plan" { ledger: Vec<SubtaskData<'a>>, risks: &'a [String] }
    /// What the next speaker of a ledger should do, for everybody.
    InstructPrompt<'a> = "chat/instruct" { to: &'a str, instruction: &'a str }
    /// Asks somebody to continue.
    ContinuePrompt = "chat/asks/go_on" {}
    /// What a participant always remembers.
    MemoryPrompt<'a> = "chat/asks/memory" { memory: &'a [String] }
    /// What a participant may do besides speaking.
    SayPrompt<'a> = "chat/asks/say" { targets: &'a [String], ears: &'a [String] }
    /// Asks a model to select the next speaker.
    SelectPrompt<'a> = "chat/asks/select" { roles: Vec<RoleData<'a>>, candidates: &'a [String] }
    /// The short form of [`SelectPrompt`].
    SelectShortPrompt = "chat/asks/select_short" {}
    /// Asks a person to select the next speaker.
    PickPrompt<'a> = "chat/asks/pick" { candidates: &'a [String] }
    /// Asks for a summary of a conversation that has grown too long.
    FoldPrompt<'a> = "chat/asks/fold" { instruction: &'a str }
    /// The summary of a conversation, in its place.
    FoldedPrompt<'a> = "chat/folded" { summary: &'a str }
    /// The title of the messages that were folded.
    FoldTitlePrompt = "engine/folded_title" { count: usize }
    /// The description of the tool that makes a note.
    RememberToolPrompt = "chat/remember" {}
    /// The result of the tool that makes a note.
    RememberedPrompt = "chat/remembered" {}
    /// Asks for a summary of an inner team's talk.
    SocietyPrompt<'a> = "chat/asks/society" { talk: Vec<LineData<'a>>, instruction: &'a str }
    /// Asks for the subtasks of a task.
    AnalysePrompt<'a> = "chat/asks/analyse" {
        team: Vec<MemberData<'a>>, task: &'a str, ledger: Vec<SubtaskData<'a>>, again: bool,
    }
    /// The short form of [`AnalysePrompt`].
    AnalyseShortPrompt = "chat/asks/analyse_short" {}
    /// Asks for the progress of a task.
    ProgressPrompt<'a> = "chat/asks/progress" {
        team: Vec<MemberData<'a>>, task: &'a str, ledger: Vec<SubtaskData<'a>>,
    }
    /// The short form of [`ProgressPrompt`].
    ProgressShortPrompt = "chat/asks/progress_short" {}
    /// Asks for the final answer to a task.
    ConcludePrompt<'a> = "chat/asks/conclude" { task: &'a str }
    /// No candidate was named.
    PickNoneRule<'a> = "chat/rules/pick_none" { candidates: &'a [String], found: &'a [&'a str] }
    /// Several candidates were named.
    PickSeveralRule<'a> = "chat/rules/pick_several" {
        candidates: &'a [String], found: &'a [&'a str],
    }
    /// Somebody was named who is no candidate.
    PickIllegalRule<'a> = "chat/rules/pick_illegal" {
        candidates: &'a [String], found: &'a [&'a str],
    }
    /// The answer is empty.
    EmptyRule = "rules/empty" {}
    /// The answer is too long, in characters.
    TooLongRule = "rules/too_long" { most: usize, length: usize }
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

/// The templates that the engine needs in a group chat.
const ENGINE_TEMPLATES: &[(&str, &[&str])] = &[
    ("rules/no_json", &["found"]),
    ("rules/wrong_form", &["problem"]),
    ("engine/repair", &["broken"]),
    ("engine/folded", &["count"]),
];

/// Reads and checks the templates of a language.
///
/// # Errors
/// Every template that is missing, can't be parsed, or uses an unknown variable.
pub(super) fn load(
    data: &DataFolder,
    language: Language,
) -> Result<(Phrasebook, Problems), Problems> {
    let declared = declared();
    let templates = Templates::load_declared(data, &folder(language), &declared)?;
    let mut problems = Problems::new();
    // The folders of the engine contain templates of other games too.
    let is_ours =
        |problem: &Problem| problem.severity == Severity::Error || problem.file.contains("/chat/");
    problems.extend(templates.check(&declared).into_iter().filter(is_ours));
    problems.unless_errors(templates.into())
}

/// The files of a language's templates.
pub(super) fn files(data: &DataFolder, language: Language) -> Result<Vec<String>, DataError> {
    Templates::files_of(data, &folder(language), &declared())
}

fn declared() -> Vec<(&'static str, &'static [&'static str])> {
    [TEMPLATES, ENGINE_TEMPLATES, tool::PROMPTS].concat()
}

fn folder(language: Language) -> String {
    format!("prompts/{}", language.code())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groupchat::perspective::text_without_speaker;
    use crate::message::Body;
    use crate::wording::attacks::{attacks, harmless};

    const LANGUAGES: [Language; 2] = [Language::En, Language::Zh];

    fn told(phrases: &Phrasebook, words: &str) -> String {
        let said = SaidPrompt {
            actor: "Ava",
            message: words.to_owned(),
        };
        said.render(phrases).expect("is filled")
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
                assert_eq!(crate::wording::defused(&told), None, "{told}");
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
