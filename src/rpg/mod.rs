//! The campaign: a party at home and in dungeons, told by minds and ruled by code.
//!
//! A world file says who and where; [`campaign`] leads from kickoff over days at home and journeys to
//! the last homecoming; [`combat`] fights on one stage; [`archive`] folds finished chapters into
//! memories. What a place is doing is its [`Phase`]; every `ask_x` stands beside its `take_x`.
//! Start reading at `campaign.rs`.

pub mod archive;
pub mod campaign;
pub mod campaign_state;
pub mod combat;
pub mod components;
pub mod enter;
pub mod events;
pub mod home;
pub mod improviser;
pub mod kickoff;
pub mod phase;
pub mod phrases;
pub mod plan;
pub mod query;
pub mod seat;
pub mod travel;
pub mod world_file;

#[cfg(test)]
mod stage_tests;

pub use campaign::{Campaign, CampaignError};
pub use components::{Effect, Effects, Fighter, Foe, Health, Homeward, RpgWorld};
pub use phase::{Phase, at};

use crate::engine::Setup;

/// Adds the campaign's systems, events and saved state.
pub fn plugin(setup: &mut Setup) {
    events::register(&mut setup.world);
    components::plugin(setup);
    phase::plugin(setup);
    kickoff::plugin(setup);
    home::plugin(setup);
    combat::plugin(setup);
    archive::plugin(setup);
    campaign_state::plugin(setup);
}
