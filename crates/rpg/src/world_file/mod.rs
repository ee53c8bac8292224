//! What an author writes: one world per folder, `worlds/<folder>/world.ron`, and the files beside
//! it that this one names.
//!
//! [`WorldFile`] is such a file; [`WorldFile::load`] reads it and finds every mistake in it at
//! once, each with its line, its field and what would be right. [`list_worlds`] lists the worlds,
//! [`new_world`] writes a small one to start from. This room reads through `world_data/` and knows
//! nothing of how a world is played. Start reading at [`WorldFile`].

mod check;
mod load;
mod reference;
mod samples;
mod types;

pub use check::instead_of;
pub(crate) use check::{ROLES, choices, each, never_comes, part};
pub use load::{DEFAULT_WORLD, WorldListing, files_of, list_worlds, sources};
pub use reference::{Explained, explain, reference};
pub use samples::{NewWorldError, WorldKind, new_world};
pub use types::{
    Actor, ActorFaction, CampaignStep, Dawn, Draw, DrawEach, Dungeon, Fight, FightSummary, Fights,
    FoeSpec, Limits, MovedBy, Past, PastWords, Pattern, STAY, Skill, SkillKind, Stage, StageKind,
    Stats, Voice, Way, WorldAgent, WorldFile,
};
pub(crate) use types::{NOTHING, is_nothing};
