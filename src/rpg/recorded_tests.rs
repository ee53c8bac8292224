//! What a strong language model answered in two campaigns, read by today's forms. No answer that
//! is plainly right may be refused.

use serde::Deserialize;

use super::combat::choice::{Choice, ChoiceConstraints, PlayableSkill};
use super::plan::{Plan, PlanConstraints};
use crate::exchange::Ask;

const RECORDED: [&str; 2] = [
    include_str!("../../tests/recorded/en.jsonl"),
    include_str!("../../tests/recorded/zh.jsonl"),
];
/// As the worlds had them.
const CHARS: usize = 600;

/// An answer, and what was legal when it was given.
#[derive(Deserialize)]
#[serde(tag = "form", rename_all = "lowercase")]
enum Recorded {
    Plan {
        who: String,
        present: Vec<String>,
        exits: Vec<String>,
        answer: String,
    },
    Cards {
        who: String,
        hand: Vec<Skill>,
        answer: String,
    },
}

#[derive(Deserialize)]
struct Skill {
    skill: String,
    targets: Vec<String>,
}

fn refusal(recorded: Recorded) -> Option<String> {
    let (who, answer, violations) = match recorded {
        Recorded::Plan {
            who,
            present,
            exits,
            answer,
        } => {
            let constraints = PlanConstraints {
                present,
                exits,
                whisper: true,
                speech_chars: CHARS,
                ..PlanConstraints::default()
            };
            let ask = Ask::new("home.plan", "", constraints, Plan::default());
            let violations = ask.read(&answer).err()?;
            (who, answer, violations)
        }
        Recorded::Cards { who, hand, answer } => {
            let hand = hand
                .into_iter()
                .map(|Skill { skill, targets }| PlayableSkill {
                    skill: skill.into(),
                    targets: targets.into_iter().map(Into::into).collect(),
                });
            let constraints = ChoiceConstraints {
                hand: hand.collect(),
                facts: Vec::new(),
                items: Vec::new(),
                say_chars: CHARS,
            };
            let ask = Ask::new("combat.act", "", constraints, Choice::default());
            let violations = ask.read(&answer).err()?;
            (who, answer, violations)
        }
    };
    let rules = violations
        .iter()
        .map(|violation| format!("{}: {}", violation.path, violation.rule));
    let rules: Vec<_> = rules.collect();
    Some(format!("{who}: {}\n{answer}", rules.join("; ")))
}

#[test]
fn no_recorded_answer_is_refused() {
    let lines = RECORDED.into_iter().flat_map(str::lines);
    let recorded = lines.map(|line| serde_json::from_str(line).expect("is a record"));
    let refused: Vec<_> = recorded.filter_map(refusal).collect();
    assert!(refused.is_empty(), "{}", refused.join("\n\n"));
}
