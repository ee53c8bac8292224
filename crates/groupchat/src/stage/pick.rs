//! Picking the next speaker.

use playhouse_engine::exchange::{Reply, Violation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::named;
use crate::prompts::PickRule;

/// Text that names the next speaker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Pick(pub(super) String);

/// Who may be picked.
#[derive(Clone, Debug, Default)]
pub(super) struct PickConstraints {
    /// All participants that are present.
    pub(super) participants: Vec<String>,
    pub(super) candidates: Vec<String>,
}

impl Pick {
    /// The only one of `participants` that the text names.
    pub(super) fn only_mention<'p>(&self, participants: &[&'p str]) -> Option<&'p str> {
        match named(&self.0, participants)[..] {
            [name] => Some(name),
            _ => None,
        }
    }
}

impl Reply for Pick {
    type Constraints = PickConstraints;
    const NAME: &'static str = "pick";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        Ok(Self(raw.trim().to_owned()))
    }

    fn check(&self, constraints: &PickConstraints) -> Vec<Violation> {
        let candidates = &constraints.candidates;
        let names = candidates.join(", ");
        let participants: Vec<&str> = constraints
            .participants
            .iter()
            .map(String::as_str)
            .collect();
        let found = &*named(&self.0, &participants);
        let (rule, broken) = match found {
            [] => (
                format!("no name was found; choose one of: {names}"),
                PickRule::None { candidates, found },
            ),
            [name] if candidates.iter().any(|candidate| candidate == name) => return Vec::new(),
            [name] => (
                format!("{name} may not speak now; choose one of: {names}"),
                PickRule::Illegal { candidates, found },
            ),
            _ => (
                format!("several names were found; choose exactly one of: {names}"),
                PickRule::Several { candidates, found },
            ),
        };
        vec![Violation::new("", rule).with_prompt(&broken)]
    }

    fn to_text(&self) -> String {
        self.0.clone()
    }
}
