//! Model files, worlds, teams, templates, and contexts in our own form.

use playhouse::context::{context_from_json, context_to_json};
use playhouse::groupchat::team::TeamFile;
use playhouse::mind::models::Models;
use playhouse::rpg::world_file::WorldFile;
use playhouse::world_data::Templates;

/// One input.
pub(crate) fn run(text: &str) {
    if let Ok(models) = Models::load(text, "fuzz.ron", &|_| None) {
        models.summaries();
        models.server_summaries();
    }
    let _ = WorldFile::parse("fuzz.ron", text);
    let _ = TeamFile::parse("fuzz.ron", text);
    if let Ok(templates) = Templates::from_texts([("fuzz", text)]) {
        let filled = templates.render("fuzz", serde_json::json!({"text": text, "list": [1, text]}));
        assert!(filled.map_or(0, |filled| filled.len()) <= 1024 * 1024);
    }
    if let Ok(value) = serde_json::from_str(text)
        && let Ok(context) = context_from_json(&value)
    {
        assert!(context_from_json(&context_to_json(&context)).is_ok());
    }
}
