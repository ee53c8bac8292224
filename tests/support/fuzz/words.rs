//! Texts of models (thoughts, tool calls and their arguments), and web pages.

use std::sync::{Arc, LazyLock};

use playhouse::dialect::Arguments;
use playhouse::dialect::thinking::SplitText;
use playhouse::mind::parse_tool_calls;
use playhouse::tool::{ToolSpec, page_text, read_arguments};
use serde_json::{Value, json};

static DICE: LazyLock<[Arc<ToolSpec>; 1]> = LazyLock::new(|| {
    let spec = ToolSpec::new("dice", "", &json!({}));
    [Arc::new(spec.expect("a right name"))]
});

/// One input.
pub(crate) fn run(text: &str) {
    let split = SplitText::of(text);
    assert!(split.text.len() + split.thinking.len() <= text.len());
    let (before, _) = parse_tool_calls(text, &*DICE);
    assert!(before.len() <= text.len());
    Arguments::from_text(text);
    let _ = read_arguments::<Value>(text);
    page_text(text);
}
