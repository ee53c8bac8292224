//! What a model writes within its words (thoughts, calls of tools and their arguments), and pages
//! of the web.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use playhouse::dialect::Arguments;
use playhouse::dialect::thinking::Parted;
use playhouse::mind::calls_in_words;
use playhouse::tool::{ToolSpec, page_text, read_arguments};
use serde_json::{Value, json};

static DICE: LazyLock<[Arc<ToolSpec>; 1]> = LazyLock::new(|| {
    let spec = ToolSpec::new("dice", "", &json!({}));
    [Arc::new(spec.expect("a right name"))]
});

fuzz_target!(|text: &str| {
    let parted = Parted::of(text);
    assert!(parted.text.len() + parted.thinking.len() <= text.len());
    let (said, _) = calls_in_words(text, &*DICE);
    assert!(said.len() <= text.len());
    Arguments::from_text(text);
    let _ = read_arguments::<Value>(text);
    page_text(text);
});
