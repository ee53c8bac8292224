//! What a strong language model answered in two campaigns, read by today's forms. No answer that
//! is plainly right may be refused.

use playhouse_engine::event::guard::FactPhrases;
use playhouse_engine::exchange::{Ask, Prose, ProseRules};
use playhouse_engine::knowledge::FactBook;
use playhouse_engine::mind::Language;
use playhouse_engine::world_data::DataFolder;
use serde::Deserialize;

use super::actions::{Plan, PlanConstraints};
use super::campaign::Campaign;
use super::combat::choice::{ChoiceConstraints, CombatChoice, PlayableSkill};
use super::world_file::files_of;

const RECORDED: [&str; 2] = [
    include_str!("../tests/recorded/en.jsonl"),
    include_str!("../tests/recorded/zh.jsonl"),
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
    Prose {
        who: String,
        language: Language,
        chars: usize,
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
                ways: exits.clone(),
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
                    is_worded: false,
                });
            let constraints = ChoiceConstraints {
                hand: hand.collect(),
                facts: Vec::new(),
                known: Vec::new(),
                items: Vec::new(),
                may_yield: true,
                say_chars: CHARS,
            };
            let ask = Ask::new("combat.act", "", constraints, CombatChoice::default());
            let violations = ask.read(&answer).err()?;
            (who, answer, violations)
        }
        Recorded::Prose {
            who,
            language,
            chars,
            answer,
        } => {
            let rules = ProseRules {
                max_chars: chars,
                language: Some(language),
                ..ProseRules::default()
            };
            let ask = Ask::new("home.scene", "", rules, Prose(String::new()));
            match ask.read(&answer) {
                Ok(Prose(text)) => {
                    assert_eq!(text, answer.trim(), "nothing is taken off");
                    return None;
                }
                Err(violations) => (who, answer, violations),
            }
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

/// The letters and digits of a text in lower case.
fn plain(text: &str) -> String {
    let letters = text.chars().filter(|char| char.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[test]
fn no_harmless_line_is_taken_for_a_fact() {
    let data = DataFolder::embedded();
    for (world, language) in [("drowned-assize", "en"), ("zhaoying-ban", "zh")] {
        let campaign = Campaign::load(&data, world).expect("the shipped world is right");
        let setup = campaign.new_game(1).expect("is spawned");
        let phrases = setup.world.resource::<FactPhrases>();
        let facts = setup.world.resource::<FactBook>();
        let mut files = data
            .files(&format!("improviser/{language}"))
            .expect("is a folder");
        let path = format!("worlds/{world}/world.ron");
        files.extend(files_of(&data, &path).expect("is a world"));
        let texts = files
            .iter()
            .map(|file| data.read_text(file).expect("is a text"));
        let texts: Vec<_> = texts.chain(RECORDED.map(String::from)).collect();
        for line in texts.iter().flat_map(|text| text.lines()) {
            for found in phrases.facts_in(line) {
                let fact = facts.get(&found).expect("is a fact");
                let mut said = fact.phrases.iter().map(|phrase| phrase.split('*'));
                let is_said =
                    said.any(|mut parts| parts.all(|part| plain(line).contains(&plain(part))));
                assert!(is_said, "{found} in {line}");
            }
        }
    }
}
