//! What the Python package `playhouse` needs of the engine. The package itself, its documentation
//! and its types are in `python/playhouse`; this is a thin layer below it.

mod drive;
mod error;
mod game;
mod messages;
mod mind;
mod story;
mod team;
mod tools;

#[pyo3::pymodule]
mod _playhouse {
    #[pymodule_export]
    use crate::{
        error::{Error, MindError, SaveError, WorldError},
        game::{rehearse, worlds},
        mind::Done,
        story::Story,
        team::Team,
    };
}
