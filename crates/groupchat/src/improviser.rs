//! How the improviser talks in group chats: what the asks of a team are answered with.
//!
//! Start reading at [`teach`].

use playhouse_engine::mind::improviser::wording::{bare, fragment, semicolon};
use playhouse_engine::mind::improviser::{ImproviserSkill, Lessons, Writer, fit_question, found};
use playhouse_engine::mind::{AnswerForm, Notes, Prompt};
use serde_json::{Value, json};

/// Names that grammars may use: who spoke last and what, and what tools returned.
const FACTS: &[&str] = &["speaker", "said", "found"];
/// The symbols that skills write with, each with the facts that always come with it.
const SYMBOLS: &[(&str, &[&str])] = &[
    ("chat.answer", &["speaker", "said"]),
    ("chat.open", &[]),
    ("chat.last", &[]),
    ("chat.step", &[]),
    ("chat.unread", &[]),
    ("chat.found", &["found"]),
];

/// The longest quotation, in characters.
const QUOTED: usize = 40;

/// Teaches the improviser to talk in a team.
pub fn teach(lessons: &mut Lessons) {
    lessons.facts(FACTS).shipped(&["chat"]);
    for (symbol, given) in SYMBOLS {
        lessons.symbol(symbol, given);
    }
    lessons
        .skill("chat.speak", ChatSkill::Speak)
        .skill("chat.say", ChatSkill::Say)
        .skill("chat.fold", ChatSkill::Fold)
        .skill("chat.conclude", ChatSkill::Conclude)
        .skill("chat.select", ChatSkill::Pick)
        .skill("chat.pick", ChatSkill::Pick)
        .skill("chat.control", ChatSkill::Control)
        .skill("chat.approve", ChatSkill::Approve)
        .skill("chat.analyse", ChatSkill::Analyse)
        .skill("chat.replan", ChatSkill::Analyse)
        .skill("chat.progress", ChatSkill::Progress);
}

/// What an ask of a group chat is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChatSkill {
    Speak,
    Say,
    Fold,
    Conclude,
    Pick,
    Control,
    Approve,
    Analyse,
    Progress,
}

impl ImproviserSkill for ChatSkill {
    fn answer<'a>(&self, prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
        let notes = Notes::of(prompt);
        if let AnswerForm::Prose { .. } = prompt.form {
            let text = match self {
                Self::Pick => {
                    let names = notes.names("present");
                    let picked = writer.rng().pick(&names).copied();
                    picked.unwrap_or_default().to_owned()
                }
                Self::Conclude => writer.line("chat.last"),
                Self::Speak | Self::Fold => turn(prompt, notes, writer),
                _ => return None,
            };
            return Some(fit_question(prompt, text).into());
        }
        Some(match self {
            Self::Control => json!({"stop": false, "elapsed_ms": 0}),
            Self::Say => say(prompt, notes, writer),
            // It can't read code, so that it lets none run.
            Self::Approve => json!({"approved": false, "reason": writer.line("chat.unread")}),
            Self::Analyse => analysis(notes, writer),
            Self::Progress => progress(notes),
            _ => return None,
        })
    }

    fn calls_what_is_spoken_of(&self) -> bool {
        *self == Self::Speak
    }
}

/// What is said in a turn, with the words that end the conversation if it may end it.
fn turn<'a>(prompt: &Prompt<'a>, notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let mut said = vec![words(prompt, notes, writer)];
    said.extend(notes.texts("must").into_iter().map(str::to_owned));
    writer.paragraph(&said)
}

fn words<'a>(prompt: &Prompt<'a>, notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    let found = found(prompt);
    if !found.is_empty() {
        // The line ends the sentence.
        let found: Vec<_> = found.iter().map(|text| bare(text)).collect();
        writer.set("found", found.join(semicolon(writer.language())));
        return writer.line("chat.found");
    }
    let last = notes.list("said").next_back();
    let Some(last) = last.filter(|last| !last.text("text").trim().is_empty()) else {
        return writer.line("chat.open");
    };
    let text = last.text("text");
    writer.set("speaker", last.text("who"));
    // A line of several sentences is quoted by its first; what it quotes itself is left out.
    let own = text
        .rsplit_once('”')
        .map_or("", |(_, own)| own)
        .trim_start_matches([' ', ',', ':', '.', '?', '!', '，', '：', '。', '？', '！']);
    let own = if own.is_empty() { text } else { own };
    let first = own
        .split_inclusive(['.', '!', '?', '。', '！', '？'])
        .next()
        .unwrap_or_default()
        .trim_matches(['“', '”', '"', ' ']);
    let quoted = fragment(bare(first), QUOTED).replace(['“', '”'], "");
    writer.set("said", quoted);
    if notes.texts("must").is_empty() {
        writer.line("chat.answer")
    } else {
        writer.line("chat.last")
    }
}

fn say<'a>(prompt: &Prompt<'a>, notes: Notes<'a>, writer: &mut Writer<'a>) -> Value {
    let mut said = json!({"message": words(prompt, notes, writer)});
    let targets = match prompt.form {
        AnswerForm::Json { constrained, .. } => constrained.pointer("/properties/handoff/enum"),
        AnswerForm::Prose { .. } => None,
    };
    let targets = targets.and_then(Value::as_array);
    let target = targets.and_then(|targets| writer.rng().pick(targets));
    // Mostly it hands over, so that everybody comes to speak.
    if let Some(target) = target.filter(|_| writer.rng().happens(60)) {
        said["handoff"] = target.clone();
    }
    said
}

/// One subtask for each of the team, each after the one before.
fn analysis<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> Value {
    let count = notes.list("present").len().clamp(1, 8);
    let subtasks = (1..=count).map(|number| {
        let before: Vec<_> = (number > 1)
            .then(|| format!("t{}", number - 1))
            .into_iter()
            .collect();
        json!({
            "id": format!("t{number}"), "description": writer.clause("chat.step"),
            "skill": "", "complexity": "low", "depends_on": before,
        })
    });
    json!({"subtasks": subtasks.collect::<Vec<_>>(), "resources": [], "time": "", "risks": []})
}

/// The participant that was asked has done it; the next one follows.
fn progress(notes: Notes<'_>) -> Value {
    let open: Vec<_> = notes.list("open").collect();
    let part = |index: usize, name: &str| open.get(index).and_then(|task| task.value(name));
    let present = notes.names("present");
    let anybody = present.first().copied().unwrap_or_default();
    json!({
        "is_request_satisfied": open.len() <= 1, "is_in_loop": false,
        "is_progress_being_made": true,
        "next_speaker": part(1, "to").unwrap_or_else(|| anybody.into()),
        "instruction": part(1, "text").unwrap_or_else(|| "".into()),
        "done": part(0, "id").into_iter().collect::<Vec<_>>(), "failed": [],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse_engine::mind::Language;
    use playhouse_engine::mind::improviser::Improviser;
    use playhouse_engine::testing::{HandPrompt, object};

    #[test]
    fn it_selects_speakers_once_it_was_taught() {
        let present = json!({"present": [{"name": "Ida"}, {"name": "Bram"}]});
        let asked = HandPrompt::new("Chair", "chat.select", Language::En, present);
        let selects = |improviser: &Improviser, seed| {
            let answer = asked.answer(improviser, seed);
            ["Ida", "Bram"].contains(&answer.as_str())
        };
        let taught = Improviser::taught(teach).unwrap();
        assert!((0..20).all(|seed| selects(&taught, seed)));
        assert!(!selects(&Improviser::new().unwrap(), 1));
    }

    #[test]
    fn it_lets_no_code_run() {
        let members = [
            ("approved", json!({"type": "boolean"})),
            ("reason", json!({"type": "string"})),
        ];
        let asked = HandPrompt::new("Chair", "chat.approve", Language::Zh, Value::Null)
            .json(object(&members));
        let taught = Improviser::taught(teach).unwrap();
        for seed in 0..20 {
            assert_eq!(asked.value(&taught, seed)["approved"], false);
        }
    }
}
