//! The view `voice`: how far characters' speech has drifted from their voices.

use crate::cli::prelude::*;
use crate::cli::saved::{Played, Saved, being};
use crate::rpg::drift::{Drift, drift as drift_of};

/// Prints how far the speech of each character with a voice drifts from it over time.
pub(super) fn drift(app: &App, slot: &str, who: Option<&str>) -> Result<()> {
    let saved = Saved::find(app, slot)?;
    let Played::World(campaign) = &saved.played else {
        return Err(CommandError::usage(text!(cli_drift_no_world, slot)));
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
    let mut out = app.out();
    if app.settings.json {
        for (name, drift) in rows {
            out.json(&Printed::Drift { name, drift });
        }
        return Ok(());
    }
    let rows = rows.flat_map(|(name, drifts)| {
        let row = move |drift: Drift| {
            [
                name.to_owned(),
                format!("{}–{}", drift.days.0, drift.days.1),
                drift.answers.to_string(),
                format!("{:.2}", drift.vocabulary),
                format!("{:.2}", drift.length),
                drift.never.to_string(),
                format!("{:.2}", drift.distance),
            ]
        };
        drifts.into_iter().map(row)
    });
    let columns = columns!(
        app.language, < cli_name, > cli_chapter_days, > cli_drift_answers, > cli_drift_vocabulary,
        > cli_drift_length, > cli_drift_never, > cli_drift_distance
    );
    TextTable::of(columns, rows).write(&mut out);
    Ok(())
}
