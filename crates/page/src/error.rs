//! Why there is no server.

use std::io;
use std::net::SocketAddr;

use playhouse_engine::locale::{Localize, UiText, text};
use thiserror::Error;

/// Why a server can't be started.
#[derive(Debug, Error)]
#[error("{}", self.text())]
pub enum ServerError {
    /// Nobody can listen at the address.
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
    /// The system gives no random numbers.
    Random(getrandom::Error),
}

impl Localize for ServerError {
    fn text(&self) -> UiText {
        match self {
            Self::Listen { address, source } => {
                text!(
                    page_listen,
                    address = address.to_string(),
                    reason = source.to_string()
                )
            }
            Self::Random(error) => text!(page_random, reason = error.to_string()),
        }
    }
}
