//! The ledger: what a task consists of, who does what, and how it goes.
//!
//! The team's own mind analyses and judges; code assigns, counts and decides.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::exchange::{Reply, Violation};
use crate::groupchat::team::{Participant, TeamFile};

/// How hard something is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
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
pub struct Subtask {
    /// A short id, such as t1.
    pub id: String,
    /// What is to be done.
    pub description: String,
    /// The skill it needs, in one word or two.
    #[serde(default)]
    pub skill: String,
    /// How hard it is.
    #[serde(default)]
    pub complexity: Complexity,
    /// The ids of what must be done before.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

/// What a task consists of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// The pieces, in the order in which they should be done.
    pub subtasks: Vec<Subtask>,
    /// What is needed for it.
    #[serde(default)]
    pub resources: Vec<String>,
    /// How long it should take, in words.
    #[serde(default)]
    pub time: String,
    /// What may go wrong.
    #[serde(default)]
    pub risks: Vec<String>,
}

/// The most pieces of one task.
const MOST_SUBTASKS: usize = 24;

impl Reply for Analysis {
    type Constraints = ();
    const NAME: &'static str = "analysis";

    fn check(&self, (): &()) -> Vec<Violation> {
        let mut broken = Vec::new();
        let mut rule = |path: String, rule: String| broken.push(Violation::new(path, rule));
        if self.subtasks.is_empty() {
            rule("subtasks".into(), "name at least one subtask".into());
        }
        if self.subtasks.len() > MOST_SUBTASKS {
            rule(
                "subtasks".into(),
                format!("at most {MOST_SUBTASKS} subtasks"),
            );
        }
        for (at, task) in self.subtasks.iter().enumerate() {
            let path = format!("subtasks[{at}]");
            let before = self.subtasks.get(..at).unwrap_or_default();
            if task.id.trim().is_empty() || before.iter().any(|other| other.id == task.id) {
                rule(
                    format!("{path}.id"),
                    "an id of its own for each subtask".into(),
                );
            }
            if task.description.trim().is_empty() {
                rule(
                    format!("{path}.description"),
                    "say what is to be done".into(),
                );
            }
            for needed in &task.depends_on {
                // Only what stands before can be needed, so that there is no circle.
                if !before.iter().any(|other| other.id == *needed) {
                    rule(
                        format!("{path}.depends_on"),
                        format!("'{needed}' is the id of no subtask before this one"),
                    );
                }
            }
        }
        broken
    }
}

/// How a task goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Whether the whole task is done.
    pub is_request_satisfied: bool,
    /// Whether the same things are said again.
    pub is_in_loop: bool,
    /// Whether the last answers brought it forward.
    pub is_progress_being_made: bool,
    /// Who speaks next.
    pub next_speaker: String,
    /// What the next speaker is asked or told to do.
    pub instruction: String,
    /// The ids of subtasks that are done.
    #[serde(default)]
    pub done: Vec<String>,
    /// The ids of subtasks at which somebody failed.
    #[serde(default)]
    pub failed: Vec<String>,
}

/// Who may be named in a judgement of progress.
#[derive(Clone, Debug, Default)]
pub struct ProgressConstraints {
    /// The participants.
    pub names: Vec<String>,
    /// The ids of all subtasks.
    pub subtasks: Vec<String>,
}

impl Reply for Progress {
    type Constraints = ProgressConstraints;
    const NAME: &'static str = "progress";

    fn constrain_schema(schema: &Value, facts: &ProgressConstraints) -> Option<Value> {
        let mut schema = schema.clone();
        schema["properties"]["next_speaker"] = json!({"type": "string", "enum": facts.names});
        for list in ["done", "failed"] {
            if !facts.subtasks.is_empty() {
                schema["properties"][list]["items"] =
                    json!({"type": "string", "enum": facts.subtasks});
            }
        }
        Some(schema)
    }

    fn check(&self, facts: &ProgressConstraints) -> Vec<Violation> {
        let mut broken = Vec::new();
        if !self.is_request_satisfied && !facts.names.contains(&self.next_speaker) {
            let rule = format!(
                "'{}' takes no part; name one of: {}",
                self.next_speaker,
                facts.names.join(", ")
            );
            let told = json!({"candidates": facts.names, "found": [self.next_speaker]});
            broken.push(Violation::new("next_speaker", rule).said("chat/rules/pick_illegal", told));
        }
        broken
    }
}

/// Where a subtask stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Somebody is to do it.
    #[default]
    Open,
    /// It is done.
    Done,
}

/// A subtask and who does it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// The subtask.
    pub task: Subtask,
    /// Who does it.
    pub to: String,
    /// Where it stands.
    pub state: State,
    /// Who failed at it.
    pub failed: Vec<String>,
}

/// The ledger of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    /// The subtasks and who does them.
    pub assignments: Vec<Assignment>,
    /// Rounds in a row without progress.
    pub stalls: u32,
    /// How often it was planned anew.
    pub replans: u32,
    /// Whether the task was analysed.
    pub(super) analysed: bool,
    /// What the next speaker is told.
    pub(super) instruction: String,
}

impl Ledger {
    /// Takes an analysis in and assigns its subtasks: to those with the skill, then to whoever has
    /// least to do, then in order of the team. What was done before stays done.
    pub(super) fn plan(&mut self, analysis: &Analysis, team: &TeamFile) {
        let done: Vec<Assignment> = self
            .assignments
            .drain(..)
            .filter(|one| one.state == State::Done)
            .collect();
        let mut load: BTreeMap<&str, u32> = BTreeMap::new();
        let mut assignments = done;
        for task in &analysis.subtasks {
            if assignments.iter().any(|one| one.task.id == task.id) {
                continue;
            }
            let to = assign(task, &[], team, &load);
            if let Some(worker) = team.participant(&to) {
                *load.entry(&worker.name).or_default() += weight(task.complexity);
            }
            assignments.push(Assignment {
                task: task.clone(),
                to,
                ..Assignment::default()
            });
        }
        self.assignments = assignments;
        self.analysed = true;
        self.stalls = 0;
    }

    /// Takes a judgement in: what is done is done, what failed goes to somebody else.
    pub(super) fn judge(&mut self, progress: &Progress, team: &TeamFile) {
        let load: BTreeMap<&str, u32> = team
            .names()
            .into_iter()
            .map(|name| {
                let open = self.assignments.iter().filter(|one| one.to == name);
                let open = open.filter(|one| one.state == State::Open);
                (name, open.map(|one| weight(one.task.complexity)).sum())
            })
            .collect();
        for one in &mut self.assignments {
            if progress.done.contains(&one.task.id) {
                one.state = State::Done;
            } else if progress.failed.contains(&one.task.id) {
                one.failed.push(std::mem::take(&mut one.to));
                one.to = assign(&one.task, &one.failed, team, &load);
            }
        }
        let moves = progress.is_progress_being_made && !progress.is_in_loop;
        self.stalls = if moves { 0 } else { self.stalls + 1 };
    }

    /// The subtasks that are to be done.
    pub(super) fn open(&self) -> impl Iterator<Item = &Assignment> {
        let all = self.assignments.iter();
        all.filter(|one| one.state == State::Open)
    }

    /// The first open subtask of which everything is done that it needs.
    pub(super) fn next_open(&self) -> Option<&Assignment> {
        let is_done = |id: &String| {
            let mut all = self.assignments.iter();
            all.any(|one| one.task.id == *id && one.state == State::Done)
        };
        let mut open = self.open();
        open.find(|one| one.task.depends_on.iter().all(is_done))
    }

    /// The ledger for prompts.
    pub(super) fn facts(&self) -> Value {
        let rows = self.assignments.iter().map(|one| {
            json!({
                "id": one.task.id, "description": one.task.description, "skill": one.task.skill,
                "to": one.to, "done": one.state == State::Done, "needs": one.task.depends_on,
            })
        });
        Value::Array(rows.collect())
    }
}

fn weight(complexity: Complexity) -> u32 {
    complexity as u32 + 1
}

/// Who should do a subtask. Whoever failed at it does so only where there is nobody else.
fn assign(
    task: &Subtask,
    failed: &[String],
    team: &TeamFile,
    load: &BTreeMap<&str, u32>,
) -> String {
    let skill = task.skill.trim().to_lowercase();
    let has_skill = |one: &Participant| {
        let skills = one.skills.iter().map(|own| own.to_lowercase());
        !skill.is_empty()
            && (skills
                .into_iter()
                .any(|own| own.contains(&skill) || skill.contains(&own))
                || one.description.to_lowercase().contains(&skill))
    };
    let ranked = team.participants.iter().enumerate().map(|(at, one)| {
        let rank = (
            failed.contains(&one.name),
            !has_skill(one),
            load.get(one.name.as_str()).copied().unwrap_or(0),
            at,
        );
        (rank, &one.name)
    });
    let best = ranked.min();
    best.map(|(_, name)| name.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, skill: &str, needs: &[&str]) -> Subtask {
        Subtask {
            id: id.into(),
            description: format!("do {id}"),
            skill: skill.into(),
            complexity: Complexity::Medium,
            depends_on: needs.iter().map(ToString::to_string).collect(),
        }
    }

    fn team() -> TeamFile {
        let skilled = |name: &str, skill: &str| Participant {
            skills: vec![skill.into()],
            ..Participant::named(name)
        };
        TeamFile::of(
            "team",
            [
                skilled("A", "search"),
                skilled("B", "search"),
                skilled("C", "writing"),
            ],
        )
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
        let mut ledger = Ledger::default();
        ledger.plan(&analysis, &team());
        let to: Vec<_> = ledger.assignments.iter().map(|one| &*one.to).collect();
        assert_eq!(to, ["A", "B", "C"]);
        let progress = Progress {
            is_progress_being_made: true,
            done: vec!["t1".into()],
            failed: vec!["t2".into()],
            ..Progress::default()
        };
        ledger.judge(&progress, &team());
        let open = ledger.next_open().unwrap();
        assert_eq!((&*open.task.id, &*open.to), ("t2", "A"), "B failed at it");
        assert_eq!(ledger.stalls, 0);
        ledger.judge(&Progress::default(), &team());
        assert_eq!(ledger.stalls, 1);
    }

    #[test]
    fn an_analysis_without_order_is_sent_back() {
        let analysis = Analysis {
            subtasks: vec![task("t1", "", &["t2"]), task("t1", "", &[])],
            ..Analysis::default()
        };
        let broken = analysis.check(&());
        let paths: Vec<_> = broken.iter().map(|broken| broken.path.as_str()).collect();
        assert_eq!(paths, ["subtasks[0].depends_on", "subtasks[1].id"]);
    }
}
