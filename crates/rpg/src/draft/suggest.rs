//! One part for a world that is there, as a change of its file.

use playhouse_engine::world_data::{DataFolder, Source};
use serde::{Deserialize, Serialize};

use super::write::{ending, fact, item_text, ron_text, scene};
use super::{Draft, DraftError, DraftGame, Step};
use crate::campaign::Campaign;
use crate::world_file::WorldFile;

/// What can be suggested for a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SuggestedPart {
    #[default]
    Scene,
    Ending,
    Voice,
    Fact,
}

impl SuggestedPart {
    pub const ALL: [Self; 4] = [Self::Scene, Self::Ending, Self::Voice, Self::Fact];
}

impl DraftGame {
    /// One part for a world, by what its writer wishes. A scene or an ending is rehearsed this
    /// number of times.
    pub fn suggestion(
        data: &DataFolder,
        campaign: &Campaign,
        part: SuggestedPart,
        wish: &str,
        runs: u32,
    ) -> Result<Self, DraftError> {
        let world = WorldFile::clone(&campaign.file);
        let new = Self::new(data, "…", world.language, runs, None)?;
        Ok(Self {
            first: Step::Suggest(part, 0),
            world,
            wish: wish.trim().to_owned(),
            premise: String::new(),
            campaign: Some(campaign.clone()),
            ..new
        })
    }
}

/// The text of a world's file with what a draft has more than the world; `None` if that is
/// nothing, or has no place in the text.
pub fn added(source: &Source, before: &WorldFile, draft: &Draft) -> Option<Source> {
    let after = &draft.world;
    let language = after.language;
    let mut added = source.clone();
    let new = after.scenes.iter().skip(before.scenes.len());
    for new in new {
        added = added.with_item("scenes", None, &item_text(language, new, scene))?;
    }
    let is_new = |id: &str| before.endings.iter().all(|ending| ending.id != id);
    for (place, new) in after.endings.iter().enumerate() {
        if is_new(&new.id) {
            let text = item_text(language, new, ending);
            added = added.with_item("endings", Some(place), &text)?;
        }
    }
    for (actor, old) in after.actors.iter().zip(&before.actors) {
        if actor.voice != old.voice {
            let path = format!("actors[{}].voice", actor.name);
            added = added.with_value(&path, &ron_text(&actor.voice))?;
        }
    }
    for new in after.facts.iter().skip(before.facts.len()) {
        added = added.with_item("facts", None, &item_text(language, new, fact))?;
    }
    (added.text() != source.text()).then_some(added)
}
