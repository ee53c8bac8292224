//! Limits on connections: how many there are at once; those that wait make room for others.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::Error;
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::task::AbortHandle;

/// The most connections at once, and the most of one address.
const MOST: usize = 512;
const MOST_OF_ONE: usize = 384;

struct Connection {
    peer: IpAddr,
    end: Option<AbortHandle>,
    /// Since when it waits for a request, in the order of all; `None` while it has one.
    waits: Option<u64>,
}

#[derive(Default)]
struct All {
    connections: BTreeMap<u64, Connection>,
    /// What the next connection, or the next that waits, is numbered.
    next: u64,
}

impl All {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Ends the connection that has waited longest among those of an address, or of all; returns
    /// whether there was one.
    fn end_idle(&mut self, peer: Option<IpAddr>) -> bool {
        let connections = self.connections.iter();
        let connections =
            connections.filter(|(_, connection)| peer.is_none_or(|peer| peer == connection.peer));
        let idle =
            connections.filter_map(|(number, connection)| Some((connection.waits?, *number)));
        let ended = idle
            .min()
            .and_then(|(_, idle)| self.connections.remove(&idle));
        ended
            .map(|ended| ended.end.iter().for_each(AbortHandle::abort))
            .is_some()
    }
}

/// Gives connections their permits.
#[derive(Clone, Default)]
pub(super) struct ConnectionLimiter(Arc<Mutex<All>>);

impl ConnectionLimiter {
    fn all(&self) -> MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A permit for a connection from an address. If all are in use, the connection that has waited
    /// longest for a request is ended; `None` if none waits.
    pub(super) fn acquire(&self, peer: IpAddr) -> Option<Permit> {
        let mut open = self.all();
        let of_peer = open
            .connections
            .values()
            .filter(|connection| connection.peer == peer);
        if of_peer.count() >= MOST_OF_ONE && !open.end_idle(Some(peer)) {
            return None;
        }
        if open.connections.len() >= MOST && !open.end_idle(None) {
            return None;
        }
        let number = open.number();
        let connection = Connection {
            peer,
            end: None,
            waits: Some(number),
        };
        open.connections.insert(number, connection);
        drop(open);
        Some(Permit(Arc::new(Issued {
            limiter: self.clone(),
            number,
        })))
    }
}

struct Issued {
    limiter: ConnectionLimiter,
    number: u64,
}

impl Drop for Issued {
    fn drop(&mut self) {
        self.limiter.all().connections.remove(&self.number);
    }
}

/// The permit of a connection, until the last copy is dropped.
#[derive(Clone)]
pub(super) struct Permit(Arc<Issued>);

impl Permit {
    /// Says what ends the connection.
    pub(super) fn is_run_by(&self, end: AbortHandle) {
        if let Some(connection) = self.0.limiter.all().connections.get_mut(&self.0.number) {
            connection.end = Some(end);
        }
    }

    /// The whole of a request has come: until the answer is sent, the connection does not wait.
    pub(super) fn begin(&self) -> Busy {
        self.set_waiting(false);
        Busy(self.clone())
    }

    /// The head of a request has come. Whoever takes its time with the body waits, until
    /// [`Self::begin`].
    pub(super) fn begin_body(&self) -> Busy {
        Busy(self.clone())
    }

    fn set_waiting(&self, waits: bool) {
        let mut open = self.0.limiter.all();
        let number = waits.then(|| open.number());
        if let Some(connection) = open.connections.get_mut(&self.0.number) {
            connection.waits = number;
        }
    }
}

/// A request that is being answered.
pub(super) struct Busy(Permit);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.set_waiting(true);
    }
}

/// The body of an answer, which is sent while its connection is busy.
pub(super) struct SentBody {
    body: Body,
    /// Until the body is sent.
    _busy: Busy,
}

impl SentBody {
    pub(super) fn new(body: Body, busy: Busy) -> Self {
        Self { body, _busy: busy }
    }
}

impl HttpBody for SentBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_wait_make_room_and_those_who_are_answered_stay() {
        let limiter = ConnectionLimiter::default();
        let peer = |last: u8| IpAddr::from([10, 0, 0, last]);
        let mut idle: Vec<_> = (0..MOST_OF_ONE).map(|_| limiter.acquire(peer(1))).collect();
        assert!(idle.iter().all(Option::is_some));
        // One more of the same address ends its oldest, whatever others do.
        let more = limiter.acquire(peer(1)).unwrap();
        assert_eq!(limiter.all().connections.len(), MOST_OF_ONE);
        let others: Vec<_> = (0..MOST).map(|_| limiter.acquire(peer(2))).collect();
        assert_eq!(limiter.all().connections.len(), MOST);
        assert!(others.iter().all(Option::is_some));
        idle.clear();
        drop((others, more));
        let busy: Vec<_> = (0..MOST_OF_ONE)
            .map(|_| limiter.acquire(peer(3)).unwrap().begin())
            .collect();
        assert!(limiter.acquire(peer(3)).is_none(), "all are being answered");
        assert!(limiter.acquire(peer(4)).is_some());
        drop(busy);
        // Whoever has sent no more than the head of a request has no right to its permit.
        let heads: Vec<_> = (0..MOST_OF_ONE)
            .map(|_| limiter.acquire(peer(3)).unwrap())
            .collect();
        let bodies: Vec<_> = heads.iter().map(Permit::begin_body).collect();
        let answered = heads[0].begin();
        assert!(
            limiter.acquire(peer(3)).is_some(),
            "an unfinished one is ended"
        );
        drop((bodies, answered, heads));
        assert!(limiter.all().connections.is_empty());
    }
}
