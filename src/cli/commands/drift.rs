//! The view `voice`: how far characters' speech has drifted from their voices.

use serde_json::json;

use crate::cli::app::App;
use crate::cli::error::{CommandError, ErrorKind};
use crate::cli::saved::{Played, Saved, being};
use crate::cli::say::say;
use crate::cli::tables::{Alignment, TextTable};
use crate::locale::text;
use crate::rpg::drift::{Drift, drift as drift_of};

/// Prints how far the speech of each character with a voice drifts from it over time.
pub(super) fn drift(app: &App, slot: &str, who: Option<&str>) -> Result<(), CommandError> {
    let saved = Saved::find(app, slot)?;
    let Played::World(campaign) = &saved.played else {
        return Err(CommandError::new(
            ErrorKind::Usage,
            text!(cli_drift_no_world, slot),
        ));
    };
    let state = saved.contents()?.state;
    let voices = campaign.file.actors.iter();
    let voices = voices.map(|actor| (&actor.name, &actor.voice));
    if let Some(who) = who {
        being(&state, who)?;
    }
    let voices = voices.filter(|(name, _)| who.is_none_or(|who| **name == *who));
    let rows = voices.filter_map(|(name, voice)| {
        let being = state.named(name)?;
        let drifts = drift_of(voice, &being.context.value, &being.chapters.value);
        Some((name.as_str(), drifts))
    });
    let rows: Vec<(&str, Vec<Drift>)> = rows.collect();
    let mut out = app.out();
    if app.settings.json {
        for (name, drifts) in rows {
            out.json(&json!({"record": "drift", "name": name, "drift": drifts}));
        }
        return Ok(());
    }
    let language = app.language;
    let mut table = TextTable::new([
        (say!(language, cli_name), Alignment::Left),
        (say!(language, cli_chapter_days), Alignment::Right),
        (say!(language, cli_drift_answers), Alignment::Right),
        (say!(language, cli_drift_vocabulary), Alignment::Right),
        (say!(language, cli_drift_length), Alignment::Right),
        (say!(language, cli_drift_never), Alignment::Right),
        (say!(language, cli_drift_distance), Alignment::Right),
    ]);
    for (name, drift) in rows
        .iter()
        .flat_map(|(name, drifts)| drifts.iter().map(move |drift| (name, drift)))
    {
        let (from, to) = drift.days;
        table.row([
            (*name).to_owned(),
            format!("{from}–{to}"),
            drift.answers.to_string(),
            format!("{:.2}", drift.vocabulary),
            format!("{:.2}", drift.length),
            drift.never.to_string(),
            format!("{:.2}", drift.distance),
        ]);
    }
    table.write(&mut out);
    Ok(())
}
