//! Minds that are models behind servers, for the stories of `playhouse-engine`.
//!
//! [`models`] reads a file that names models and servers, and makes minds of them; [`http`] has the
//! minds themselves, which speak the APIs of all usual providers; [`survey`] finds out what an
//! unknown server can do. Start reading at [`models::Models`].

pub mod http;
pub mod http_client;
pub mod models;
pub mod survey;
