//! Reading the arguments of a call.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ToolError;
use super::prompts::Failure;
use crate::locale::{Localize, UiText, text};
use crate::reading::{Arguments, ArgumentsRepair};

/// The arguments of a tool that takes none.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub struct NoArguments {}

/// Reads a call's arguments as the mind wrote them. JSON that lacks only its end is repaired.
pub fn read_arguments<A: DeserializeOwned>(text: &str) -> Result<A, ToolError> {
    let read = Arguments::from_text(text);
    if let ArgumentsRepair::Discarded(error) = read.repair {
        return Err(wrong(&text!(tool_no_object, error = &error)));
    }
    let arguments = serde_path_to_error::deserialize(Value::Object(read.input));
    arguments.map_err(|error| wrong(&error.text()))
}

/// The failure of a call whose arguments have this problem.
pub(super) fn wrong(problem: &UiText) -> ToolError {
    let words = format!(
        "the arguments are wrong: {problem}. Call again with arguments that fit the tool's schema."
    );
    let problem = problem.into();
    ToolError::new(words).with_prompt(&Failure::Arguments { problem })
}

/// The arguments as the object that a message keeps; an empty one if they are not an object.
pub fn arguments_of(text: &str) -> Value {
    Value::Object(Arguments::from_text(text).input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Dice {
        #[serde(default)]
        sides: u32,
    }

    #[test]
    fn a_wrong_argument_is_named_with_its_path() {
        let error = read_arguments::<Dice>(r#"{"sides": "six"}"#).unwrap_err();
        assert!(error.to_string().contains("sides: invalid type"), "{error}");
        let [_, zh] = told(&error);
        assert!(zh.contains("sides：值不对"), "{zh}");
        let error = read_arguments::<Dice>("[6]").unwrap_err();
        assert!(error.to_string().contains("no JSON object"), "{error}");
        for wrong in ["[6]", "six", r#"{"sides": "six"}"#] {
            let [_, zh] = told(&read_arguments::<Dice>(wrong).unwrap_err());
            let english = ["invalid", "expected", "line", "column", "they are"];
            assert!(!english.iter().any(|word| zh.contains(word)), "{zh}");
        }
    }

    #[test]
    fn what_lacks_only_its_end_is_repaired() {
        for text in [r#"{"sides": 6"#, r#"{"sides": 6, "#, r#"{"sides": 6}"#] {
            assert_eq!(read_arguments::<Dice>(text).unwrap(), Dice { sides: 6 });
        }
        assert_eq!(read_arguments::<Dice>("").unwrap(), Dice { sides: 0 });
    }

    proptest! {
        #[test]
        fn any_text_gives_arguments_or_an_error(text in "\\PC{0,60}|[{}\\[\\]\":,a0 ]{0,40}") {
            let _ = read_arguments::<Dice>(&text);
            prop_assert!(arguments_of(&text).is_object());
        }
    }
}
