//! Stories that any of many machines can play, and that outlive each of them.
//!
//! ```
//! use playhouse_cluster::{FolderStore, Phase, submit, world_state};
//! use playhouse_engine::prelude::*;
//! use playhouse_engine::save::{Meta, SlotName};
//! use playhouse_engine::session::{Game, Session, SetupError};
//!
//! # struct Mill;
//! # impl Game for Mill {
//! #     fn meta(&self) -> Meta {
//! #         Meta { world: "Mill".into(), data: "1".into() }
//! #     }
//! #     fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
//! #         Ok(Setup::new(seed))
//! #     }
//! #     fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
//! #         setup.spawn_stage("Mill", "You are a mill.")?;
//! #         Ok(())
//! #     }
//! # }
//! # let folder = tempfile::tempdir()?;
//! # let mind = ScriptMind::by_rule(|_| ScriptLine::say("Hm."));
//! // A story of any game, in a slot.
//! let session = Session::start(folder.path(), "mill", &Mill, 7, Minds::from(mind))?;
//! let story = session.slot().pack()?;
//!
//! let store = FolderStore::open(&folder.path().join("store"))?; // or `open_store("nats://…")`
//! let world: SlotName = "mill".parse()?;
//! submit(&store, &world, story, Some(9), "my build", [])?; // for a `Worker` to play up to turn 9
//! let state = world_state(&store, &world)?;
//! assert_eq!(state.unwrap_or_default().phase, Phase::Queued);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A world is a function of its journal, so it can live wherever its journal does. Here that is a
//! [`Store`]: a [folder](FolderStore), or [NATS JetStream](JetStreamStore). The folder of a worker
//! is scratch: it is made from the store, and everything that is recorded is in the store before it
//! is used ([`StoreReplica`]).
//!
//! - **One owner at a time.** A worker claims a world under a name that nobody else has
//!   ([`Owner`]), and each of its appends says what it expects to be the last. So a worker that was
//!   thought dead can't write a byte any more: it is told [`StoreError::Stale`]. No clock decides
//!   that.
//! - **A queue** gives worlds to workers ([`Store::take`]). A worker that dies gives up what it
//!   took, which another gets. This is a matter of time, but a wrong guess costs only a claim.
//! - **A [`Worker`]** plays them, as many at a time as it may.
//!
//! Neither the engine nor a game knows any of this. Start reading at [`Store`].

mod budget;
mod folder;
mod jetstream;
mod lead;
mod pack;
mod replica;
mod seats;
mod state;
mod store;
mod worker;

pub use budget::{Amounts, ClusterBudget, Limited};
pub use folder::FolderStore;
pub use jetstream::{JetStreamStore, LEASE};
pub use lead::WorldLead;
pub use pack::{NotPacked, Pack};
pub use replica::StoreReplica;
pub use seats::{SeatAnswer, answer_at_seat, give_seat};
pub use state::{
    Phase, WorldState, cancel, go_on, remove, spent_by_worlds, states, stored, submit, world_state,
};
pub use store::{
    Claimed, Lease, MAX_RECORD, Owner, Position, Record, Store, StoreError, TakeInput, open_store,
};
pub use worker::{News, Player, Worker};
