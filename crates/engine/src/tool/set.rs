//! Which tools an entity may call.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

/// The tools that an entity may call, by name, in the order in which its mind is told of them. A
/// name with a dot belongs to a server: `weather.forecast` is one tool of the server `weather`,
/// `weather.*` is all of them.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolSet(pub Vec<Arc<str>>);

impl ToolSet {
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    /// The server that a name belongs to, if any.
    pub fn server_of(name: &str) -> Option<&str> {
        name.split_once('.').map(|(server, _)| server)
    }
}
