//! The campaign: a party at home and in dungeons, narrated by minds and ruled by code.
//!
//! ```
//! use playhouse_engine::mind::improviser::Improviser;
//! use playhouse_engine::prelude::*;
//! use playhouse_engine::world_data::DataFolder;
//! use playhouse_rpg::{Campaign, improviser};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let campaign = Campaign::load(&DataFolder::embedded(), "drowned-assize")?;
//! let mind = Improviser::taught(improviser::teach)?; // or any other
//! let mut engine = Engine::in_memory(campaign.new_game(1)?, mind)?;
//! engine.add_feed(Feed::observer(|record| {
//!     if let Record::Event(event) = record {
//!         println!("{}", event.text);
//!     }
//! }));
//! assert_eq!(engine.run(Some(2)).await?, Stop::TurnReached(2));
//! # Ok(())
//! # }
//! ```
//!
//! A world file says who and where. `campaign_state.rs` leads from the kickoff over days at home
//! and journeys (`journey.rs`) to the last homecoming, `actions/` is the table of what can be said
//! and done at home, `combat/` contains the fights on a stage, `archive/` replaces what is over
//! with summaries, `rehearsal/` plays a world many times. What is at stake is in [`drama`]. What a
//! place is doing is its [`Phase`]; each system `ask_x` is followed by its `take_x`. Start reading
//! at [`Campaign`].

mod actions;
mod adapt;
mod archive;
mod attempt;
mod campaign;
mod campaign_phase;
mod campaign_state;
mod combat;
pub mod components;
mod conversation;
mod deaths;
mod decision;
mod doing;
pub mod draft;
pub mod drama;
pub mod events;
mod everybody;
pub mod experiment;
pub mod happening;
mod home;
mod host;
pub mod import;
pub mod improviser;
mod interests;
mod journey;
mod kickoff;
mod lore;
mod other_names;
mod outcome;
mod past;
mod phase;
pub mod phrases;
mod picture;
mod question;
pub mod rehearsal;
mod scenes;
pub mod seat;
mod spawn;
mod speaker;
mod talk;
mod travel;
pub mod world_file;

#[cfg(test)]
mod framing_tests;
#[cfg(test)]
mod knowledge_tests;
#[cfg(test)]
mod recorded_tests;
#[cfg(test)]
mod stage_tests;
#[cfg(test)]
mod telling_tests;
#[cfg(test)]
mod testing;

pub use adapt::Unfit;
pub use archive::next_archive;
pub use campaign::{Campaign, CampaignError};
pub use campaign_phase::{CampaignPhase, CampaignState, FightPlace, Stay};
pub use combat::{Combat, FightAction, FinishedFight, Hand, HeldCard};
pub use host::HostDeed;
pub use outcome::{ChoiceOutcome, FactOutcome, FightOutcome, GoalOutcome, StoryOutcome};
pub use phase::Phase;
pub use picture::{BeingPicture, CampaignPicture, ItemPicture, QualityPicture, ScenePicture};
pub use scenes::choose_again::{ChooseAgainError, choose_again};
pub use spawn::SpawnError;
pub use talk::Talk;
