//! Why there is no server.

use std::io;
use std::net::SocketAddr;

use playhouse_engine::locale::Localize;
use thiserror::Error;

/// Why a server can't be started.
#[derive(Debug, Error, Localize)]
pub enum ServerError {
    /// The server can't listen at the address.
    #[text(page_listen, address = address.to_string(), reason = source.to_string(), ..)]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
    /// The system gives no random numbers.
    #[text(page_random, reason = reason.to_string())]
    Random(getrandom::Error),
}
