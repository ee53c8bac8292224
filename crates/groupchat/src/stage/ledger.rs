//! The ledger of a task: its subtasks, who does them, and the progress.
//!
//! The team's own model analyses and judges; code assigns subtasks and counts stalls.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::event::Prompt;
use playhouse_engine::exchange::{Reply, Violation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

use crate::names::{FILLERS, named};
use crate::prompts::{PickRule, SubtaskData};
use crate::team::Participant;

// The names and comments of the following types are part of requests, as their JSON schema.

/// How hard something is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub(super) enum Complexity {
    /// One answer does it.
    Low,
    /// It needs some thought.
    #[default]
    Medium,
    /// It needs several answers.
    High,
}

/// One piece of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Subtask {
    /// A short id, such as t1.
    pub(super) id: String,
    /// What is to be done.
    pub(super) description: String,
    /// The skill it needs, in one word or two.
    #[serde(default)]
    pub(super) skill: String,
    /// How hard it is.
    #[serde(default)]
    pub(super) complexity: Complexity,
    /// The ids of what must be done before.
    #[serde(default)]
    pub(super) depends_on: Vec<String>,
}

/// What a task consists of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Analysis {
    /// The pieces, in the order in which they should be done.
    pub(super) subtasks: Vec<Subtask>,
    /// What is needed for it.
    #[serde(default)]
    pub(super) resources: Vec<String>,
    /// How long it should take, in words.
    #[serde(default)]
    pub(super) time: String,
    /// What may go wrong.
    #[serde(default)]
    pub(super) risks: Vec<String>,
}

/// The maximum number of subtasks of a task.
const MAX_SUBTASKS: usize = 24;

/// What an analysis may break.
#[derive(Debug, Error, Serialize, Prompt)]
#[serde(tag = "kind", content = "what", rename_all = "snake_case")]
#[prompt("chat/rules/analysis")]
pub(super) enum AnalysisRule {
    #[error("name at least one subtask")]
    NoSubtasks,
    #[error("at most {0} subtasks")]
    TooMany(usize),
    #[error("an id of its own for each subtask")]
    OwnId,
    #[error("say what is to be done")]
    NoDescription,
    #[error("'{0}' is the id of no subtask before this one")]
    NotBefore(String),
}

impl Reply for Analysis {
    type Constraints = ();
    const NAME: &'static str = "analysis";

    fn check(&self, (): &()) -> Vec<Violation> {
        let mut violations = Vec::new();
        let mut report = |path: &str, rule: AnalysisRule| {
            let violation = Violation::new(path, rule.to_string());
            violations.push(violation.with_prompt(&rule));
        };
        if self.subtasks.is_empty() {
            report("subtasks", AnalysisRule::NoSubtasks);
        }
        if self.subtasks.len() > MAX_SUBTASKS {
            report("subtasks", AnalysisRule::TooMany(MAX_SUBTASKS));
        }
        let mut earlier = BTreeSet::new();
        for (index, task) in self.subtasks.iter().enumerate() {
            let path = format!("subtasks[{index}]");
            let is_new = !earlier.contains(&task.id);
            if task.id.trim().is_empty() || !is_new {
                report(&format!("{path}.id"), AnalysisRule::OwnId);
            }
            if task.description.trim().is_empty() {
                report(&format!("{path}.description"), AnalysisRule::NoDescription);
            }
            for needed in &task.depends_on {
                // Only earlier subtasks, so that there are no cycles.
                if !earlier.contains(needed) {
                    report(
                        &format!("{path}.depends_on"),
                        AnalysisRule::NotBefore(needed.clone()),
                    );
                }
            }
            earlier.insert(&task.id);
        }
        violations
    }
}

/// How a task goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Progress {
    /// Whether the whole task is done.
    pub(super) is_request_satisfied: bool,
    /// Whether the same things are said again.
    pub(super) is_in_loop: bool,
    /// Whether the last answers brought it forward.
    pub(super) is_progress_being_made: bool,
    /// Who speaks next.
    pub(super) next_speaker: String,
    /// What the next speaker is asked or told to do.
    pub(super) instruction: String,
    /// The ids of subtasks that are done.
    #[serde(default)]
    pub(super) done: Vec<String>,
    /// The ids of subtasks at which somebody failed.
    #[serde(default)]
    pub(super) failed: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ProgressConstraints {
    pub(super) names: Vec<String>,
    pub(super) subtasks: Vec<String>,
}

impl Reply for Progress {
    type Constraints = ProgressConstraints;
    const NAME: &'static str = "progress";
    const FILLERS: &'static [&'static str] = &FILLERS;

    fn constrain_schema(schema: &Value, constraints: &ProgressConstraints) -> Option<Value> {
        let mut schema = schema.clone();
        schema["properties"]["next_speaker"] = json!({"type": "string", "enum": constraints.names});
        for list in ["done", "failed"] {
            if !constraints.subtasks.is_empty() {
                schema["properties"][list]["items"] =
                    json!({"type": "string", "enum": constraints.subtasks});
            }
        }
        Some(schema)
    }

    fn check(&self, constraints: &ProgressConstraints) -> Vec<Violation> {
        let name = self.next_speaker.as_str();
        let candidates = &constraints.names;
        if self.is_request_satisfied || self.speaker(candidates).is_some() {
            return Vec::new();
        }
        let names = candidates.join(", ");
        let rule = format!("'{name}' takes no part; name one of: {names}");
        let found = &[name];
        let broken = PickRule::Illegal { candidates, found };
        vec![Violation::new("next_speaker", rule).with_prompt(&broken)]
    }
}

impl Progress {
    /// Who of the candidates speaks next: the only one, or the one that is named, however the name
    /// is written.
    pub(super) fn speaker<'c>(&self, candidates: &'c [String]) -> Option<&'c str> {
        if let [only] = candidates {
            return Some(only);
        }
        let names: Vec<&str> = candidates.iter().map(String::as_str).collect();
        match named(self.next_speaker.trim(), &names)[..] {
            [name] => Some(name),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SubtaskState {
    #[default]
    Open,
    Done,
}

/// A subtask and who does it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Assignment {
    pub(super) task: Subtask,
    /// The participant who does it.
    pub(super) to: String,
    pub(super) state: SubtaskState,
    /// The participants who failed to do it.
    pub(super) failed: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct TaskLedger {
    /// The subtasks and who does them.
    pub(super) assignments: Vec<Assignment>,
    /// Rounds in a row without progress.
    pub(super) stalls: u32,
    /// How often the task was planned again.
    pub(super) replans: u32,
    pub(super) is_analysed: bool,
    /// The last instruction for a speaker.
    pub(super) instruction: String,
}

impl TaskLedger {
    /// Assigns the subtasks of an analysis to a team; those that were done before stay done.
    pub(super) fn plan(&mut self, analysis: &Analysis, team: &[&Participant]) {
        self.assignments.retain(|assignment| assignment.is_done());
        let mut load: BTreeMap<&str, u32> = BTreeMap::new();
        for task in &analysis.subtasks {
            let mut known = self.assignments.iter();
            if known.any(|assignment| assignment.task.id == task.id) {
                continue;
            }
            let to = assign(task, &[], team, &load);
            if let Some(participant) = team.iter().find(|participant| participant.name == to) {
                *load.entry(&participant.name).or_default() += weight(task.complexity);
            }
            self.assignments.push(Assignment {
                task: task.clone(),
                to,
                ..Assignment::default()
            });
        }
        self.is_analysed = true;
        self.stalls = 0;
    }

    /// Marks the subtasks that are done and assigns those that failed to somebody else.
    pub(super) fn judge(&mut self, progress: &Progress, team: &[&Participant]) {
        let load: BTreeMap<&str, u32> = team
            .iter()
            .map(|participant| {
                let name = participant.name.as_str();
                let open = self.open().filter(|assignment| assignment.to == name);
                let weights = open.map(|assignment| weight(assignment.task.complexity));
                (name, weights.sum())
            })
            .collect();
        for assignment in &mut self.assignments {
            if progress.done.contains(&assignment.task.id) {
                assignment.state = SubtaskState::Done;
            } else if progress.failed.contains(&assignment.task.id) {
                assignment.failed.push(std::mem::take(&mut assignment.to));
                assignment.to = assign(&assignment.task, &assignment.failed, team, &load);
            }
        }
        if progress.is_progress_being_made && !progress.is_in_loop {
            self.stalls = 0;
        } else {
            self.stalls += 1;
        }
    }

    /// The subtasks that are to be done.
    pub(super) fn open(&self) -> impl Iterator<Item = &Assignment> {
        let assignments = self.assignments.iter();
        assignments.filter(|assignment| !assignment.is_done())
    }

    /// The first open subtask whose dependencies are done.
    pub(super) fn next_open(&self) -> Option<&Assignment> {
        let is_done = |id: &String| {
            let mut assignments = self.assignments.iter();
            assignments.any(|assignment| assignment.task.id == *id && assignment.is_done())
        };
        let mut open = self.open();
        open.find(|assignment| assignment.task.depends_on.iter().all(is_done))
    }

    /// The ledger for prompts.
    pub(super) fn data(&self) -> Vec<SubtaskData<'_>> {
        let rows = self.assignments.iter().map(|assignment| SubtaskData {
            id: &assignment.task.id,
            description: &assignment.task.description,
            skill: &assignment.task.skill,
            to: &assignment.to,
            done: assignment.is_done(),
            needs: &assignment.task.depends_on,
        });
        rows.collect()
    }
}

impl Assignment {
    fn is_done(&self) -> bool {
        self.state == SubtaskState::Done
    }
}

fn weight(complexity: Complexity) -> u32 {
    complexity as u32 + 1
}

/// Who should do a subtask: somebody with the skill, then with the least to do, then first in the
/// team. Those who failed to do it come last.
fn assign(
    task: &Subtask,
    failed: &[String],
    team: &[&Participant],
    load: &BTreeMap<&str, u32>,
) -> String {
    let skill = task.skill.trim().to_lowercase();
    let has_skill = |participant: &Participant| {
        let mut skills = participant
            .skills
            .iter()
            .map(|own| own.to_lowercase())
            .filter(|own| own.contains(&skill) || skill.contains(own));
        let description = participant.description.to_lowercase();
        !skill.is_empty() && (skills.next().is_some() || description.contains(&skill))
    };
    let best = team.iter().min_by_key(|participant| {
        (
            failed.contains(&participant.name),
            !has_skill(participant),
            load.get(participant.name.as_str()).copied().unwrap_or(0),
        )
    });
    best.map_or_else(String::new, |participant| participant.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompts;
    use playhouse_engine::message::Language;
    use playhouse_engine::world_data::DataFolder;

    #[test]
    fn broken_rules_are_told_in_both_languages() {
        let phrases = [Language::En, Language::Zh]
            .map(|language| prompts::load(&DataFolder::embedded(), language).unwrap().0);
        let nameless = Subtask {
            depends_on: vec!["t9".into()],
            ..Subtask::default()
        };
        let analysis = |subtasks| Analysis {
            subtasks,
            ..Analysis::default()
        };
        let broken: Vec<_> = [
            analysis(Vec::new()).check(&()),
            analysis(vec![nameless; MAX_SUBTASKS + 1]).check(&()),
        ]
        .concat();
        let zh: BTreeSet<_> = broken.iter().map(|rule| rule.words(&phrases[1])).collect();
        let expected = [
            "“t9”不是前面任何子任务的 id",
            "子任务最多 24 个",
            "每个子任务都要有自己的 id",
            "请写明要做什么",
            "请至少列出一个子任务",
        ];
        assert_eq!(zh, expected.map(String::from).into());
        for violation in &broken {
            assert_eq!(violation.words(&phrases[0]), violation.rule);
        }
    }

    fn task(id: &str, skill: &str, needs: &[&str]) -> Subtask {
        Subtask {
            id: id.into(),
            description: format!("do {id}"),
            skill: skill.into(),
            complexity: Complexity::Medium,
            depends_on: needs.iter().map(ToString::to_string).collect(),
        }
    }

    fn team() -> Vec<Participant> {
        let skilled = |name: &str, skill: &str| Participant {
            skills: vec![skill.into()],
            ..Participant::named(name)
        };
        vec![
            skilled("A", "search"),
            skilled("B", "search"),
            skilled("C", "writing"),
        ]
    }

    #[test]
    fn work_goes_by_skill_then_load_and_waits_for_what_it_needs() {
        let analysis = Analysis {
            subtasks: vec![
                task("t1", "Search", &[]),
                task("t2", "search", &[]),
                task("t3", "writing", &["t1", "t2"]),
            ],
            ..Analysis::default()
        };
        assert!(analysis.check(&()).is_empty());
        let mut ledger = TaskLedger::default();
        let participants = team();
        let team: Vec<&Participant> = participants.iter().collect();
        ledger.plan(&analysis, &team);
        let to: Vec<_> = ledger
            .assignments
            .iter()
            .map(|assignment| &*assignment.to)
            .collect();
        assert_eq!(to, ["A", "B", "C"]);
        let progress = Progress {
            is_progress_being_made: true,
            done: vec!["t1".into()],
            failed: vec!["t2".into()],
            ..Progress::default()
        };
        ledger.judge(&progress, &team);
        let open = ledger.next_open().unwrap();
        assert_eq!((&*open.task.id, &*open.to), ("t2", "A"), "B failed at it");
        assert_eq!(ledger.stalls, 0);
        ledger.judge(&Progress::default(), &team);
        assert_eq!(ledger.stalls, 1);
    }

    #[test]
    fn an_analysis_without_order_is_sent_back() {
        let analysis = Analysis {
            subtasks: vec![task("t1", "", &["t2"]), task("t1", "", &[])],
            ..Analysis::default()
        };
        let violations = analysis.check(&());
        let paths: Vec<_> = violations
            .iter()
            .map(|violation| violation.path.as_str())
            .collect();
        assert_eq!(paths, ["subtasks[0].depends_on", "subtasks[1].id"]);
    }

    #[test]
    fn a_speaker_is_found_however_its_name_is_written() {
        let names = ["Story_writer", "Bo"].map(str::to_owned);
        let speaker = |named: &str, names: &[String]| {
            let progress = Progress {
                next_speaker: named.into(),
                ..Progress::default()
            };
            progress.speaker(names).map(str::to_owned)
        };
        for (named, wanted) in [
            ("Bo", Some("Bo")),
            ("**Bo**, please", Some("Bo")),
            ("bo", Some("Bo")),
            ("story_writer", Some("Story_writer")),
            ("Bo or Story_writer", None),
            ("Zed", None),
            ("", None),
        ] {
            assert_eq!(speaker(named, &names).as_deref(), wanted, "{named}");
        }
        assert_eq!(speaker("Zed", &names[..1]).as_deref(), Some("Story_writer"));
    }
}
