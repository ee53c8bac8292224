//! Who answers asks.

pub mod http;
pub mod models;
pub mod survey;

pub use playhouse_engine::mind::*;
