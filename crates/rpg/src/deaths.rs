//! Deaths that a text may tell although nobody died.

use playhouse_engine::event::Prompt;
use playhouse_engine::exchange::{Untrue, Violation};
use playhouse_engine::message::Language;
use serde::Serialize;

/// The rule that an actor may not die in a text.
#[derive(Serialize, Prompt)]
#[prompt("rules/lives")]
pub(super) struct Lives<'a> {
    name: &'a str,
}

/// That an actor dies, which is not true.
pub(super) fn death_of(name: &str, language: Language) -> Untrue {
    let violation = Violation::new("", format!("{name} is alive"));
    Untrue {
        said: deaths_of(name, language),
        violation: violation.with_prompt(&Lives { name }),
    }
}

const DEATHS: &str = "{} dies|{} is dead|{} falls dead|{} drops dead|{} is killed|kills {}";
const DEATHS_ZH: &str = "{}死了|{}断了气|{}咽了气|{}气绝|{}毙命|杀死{}|杀了{}|打死{}";

/// The ways to say that an actor dies, by name.
pub(super) fn deaths_of(name: &str, language: Language) -> Vec<String> {
    let deaths = match language {
        Language::En => DEATHS,
        Language::Zh => DEATHS_ZH,
    };
    let names = [name, name.split_whitespace().next().unwrap_or_default()];
    let told = |death: &str| names.map(|name| death.replace("{}", name));
    deaths.split('|').flat_map(told).collect()
}
