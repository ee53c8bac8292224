//! Model files, and contexts in our own form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playhouse::context::{context_from_json, context_to_json};
use playhouse::mind::models::Models;

fuzz_target!(|text: &str| {
    if let Ok(models) = Models::load(text, "fuzz.ron", &|_| None) {
        models.describe();
        models.describe_servers();
    }
    if let Ok(value) = serde_json::from_str(text)
        && let Ok(context) = context_from_json(&value)
    {
        assert!(context_from_json(&context_to_json(&context)).is_ok());
    }
});
