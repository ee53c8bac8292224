//! Who knows what: the facts of a world, and which of them each entity knows, from whom and since
//! when.
//!
//! A [`Fact`] is anything that can be known, told or looked up: a secret, a rumour, lore. The
//! [`FactBook`] holds all facts of a world; it is data and not saved, except the facts that play
//! [made](MadeFacts). [`Knowledge`] is the state of
//! one entity. It grows in one place only, the delivery of events: an entity that receives an event
//! that tells a fact knows it from then on. Start reading at [`Knowledge`].

mod fact;
mod known;
mod made;

pub use fact::{Fact, FactBook, KnownBy, SecretAction};
pub use known::{Knowledge, Known, Today};
pub use made::{MadeFacts, MadeKind, is_made, make_fact, restore_made_facts};
