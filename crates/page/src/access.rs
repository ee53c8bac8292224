//! Who may see and do what: tokens, cookies, and whether a request comes from our own page.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use axum::http::{HeaderMap, Method, header};
use subtle::ConstantTimeEq;

use super::error::ServerError;

/// The header that only a page of the same origin can send with a request.
const OWN_PAGE: &str = "x-playhouse";

/// Whose page it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Visitor {
    /// Sees and does everything.
    Host,
    /// Sees what one character of one story sees.
    Seat {
        /// The slots: those of branches of the story, and last that in which it continues.
        slots: Vec<String>,
        /// The character, by name.
        who: String,
    },
}

/// Tokens by which readers are known, and the names by which the server may be called.
pub struct Access {
    address: SocketAddr,
    /// The address in links: one that others can open.
    shown: SocketAddr,
    /// Differs from server to server: each numbers events for itself.
    server: String,
    /// The token of the host; without one, everybody on this computer is the host.
    host: OnceLock<String>,
    seats: Mutex<Vec<(String, Visitor)>>,
}

impl Access {
    /// Access to a server that listens here. On the loopback the host needs no token, unless
    /// others get seats.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn new(address: SocketAddr, has_seats: bool) -> Result<Self, ServerError> {
        let is_open = address.ip().is_loopback() && !has_seats;
        Ok(Self {
            address,
            shown: reachable(address),
            server: token()?,
            host: if is_open {
                OnceLock::new()
            } else {
                token()?.into()
            },
            seats: Mutex::default(),
        })
    }

    /// What tells this server from one before it at the same address.
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// The address that the host opens, with its token if it needs one.
    pub fn host_address(&self) -> String {
        match self.host.get() {
            Some(token) => format!("http://{}/enter/{}", self.shown, token),
            None => format!("http://{}/", self.shown),
        }
    }

    /// Gives a seat to the person who opens the returned address.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn seat(&self, slot: &str, who: &str) -> Result<String, ServerError> {
        let token = token()?;
        let address = format!("http://{}/seat/{}", self.shown, token);
        let visitor = Visitor::Seat {
            slots: vec![slot.to_owned()],
            who: who.to_owned(),
        };
        self.seats().push((token, visitor));
        Ok(address)
    }

    /// Lets nobody without a token be the host any more. Returns the cookie for whoever is the host
    /// now, if it had none.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub(super) fn guard_host(&self) -> Result<Option<String>, ServerError> {
        if self.host.get().is_some() {
            return Ok(None);
        }
        let token = token()?;
        // Of two at once, the later gets the token of the first.
        let token = self.host.get_or_init(|| token);
        Ok(Some(self.cookie(token)))
    }

    /// Whether whoever has no token is the host.
    fn is_open(&self) -> bool {
        self.host.get().is_none()
    }

    /// Whether whoever came in with this token, or without one, would still be let in.
    pub(super) fn welcomes(&self, token: Option<&str>) -> bool {
        token.map_or_else(|| self.is_open(), |token| self.visitor_of(token).is_some())
    }

    /// Takes a seat in a story back: its links lead nowhere any more.
    pub(super) fn dismiss(&self, slot: &str, name: &str) {
        self.seats().retain(|(_, visitor)| match visitor {
            Visitor::Seat { slots, who } => who != name || !slots.iter().any(|own| own == slot),
            Visitor::Host => true,
        });
    }

    /// Lets those who have seats in a story have them in a branch of it, too. Their links lead to
    /// the story as before.
    pub fn share_seats(&self, story: &str, branch: &str) {
        for (_, visitor) in self.seats().iter_mut() {
            if let Visitor::Seat { slots, .. } = visitor
                && slots.iter().any(|slot| slot == story)
                && !slots.iter().any(|slot| slot == branch)
            {
                slots.insert(0, branch.to_owned());
            }
        }
    }

    /// Lets the links of those who have seats in a slot lead to it: their story continues there.
    pub(super) fn lead_seats(&self, slot: &str) {
        for (_, visitor) in self.seats().iter_mut() {
            if let Visitor::Seat { slots, .. } = visitor {
                // The order of the others stays.
                slots.sort_by_key(|own| own == slot);
            }
        }
    }

    fn seats(&self) -> MutexGuard<'_, Vec<(String, Visitor)>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn visitor_of(&self, token: &str) -> Option<Visitor> {
        if self.host.get().is_some_and(|host| is_same(host, token)) {
            return Some(Visitor::Host);
        }
        let seats = self.seats();
        let seat = seats.iter().find(|(seat, _)| is_same(seat, token));
        seat.map(|(_, visitor)| visitor.clone())
    }

    pub(super) fn visitor(&self, headers: &HeaderMap) -> Option<Visitor> {
        match self.token_in(headers) {
            Some(token) => self.visitor_of(token),
            None => self.is_open().then_some(Visitor::Host),
        }
    }

    /// The token in the cookies of a request.
    pub(super) fn token_in<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let cookies = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let pairs = cookies.flat_map(|value| value.split(';'));
        let name = self.cookie_name();
        let mut tokens = pairs.filter_map(|pair| {
            let (key, token) = pair.trim().split_once('=')?;
            (key == name).then_some(token)
        });
        tokens.next()
    }

    /// The cookie that keeps a token. Browsers share cookies between ports.
    pub(super) fn cookie(&self, token: &str) -> String {
        let name = self.cookie_name();
        format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict")
    }

    fn cookie_name(&self) -> String {
        format!("playhouse-{}", self.address.port())
    }

    /// Whether a request is meant for this server and, if it does or streams something, comes from
    /// its own page.
    pub(super) fn allows(&self, method: &Method, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(host) = text(header::HOST).filter(|host| self.is_own(host)) else {
            return false;
        };
        let is_foreign = match headers.get(header::ORIGIN) {
            Some(origin) => origin.as_bytes() != format!("http://{host}").as_bytes(),
            None => false,
        };
        let is_read = *method == Method::GET || *method == Method::HEAD;
        !is_foreign && (is_read || headers.contains_key(OWN_PAGE))
    }

    /// Whether it is a name of this server. A name that some other server gave our address to is
    /// none: only addresses in numbers and `localhost` are.
    fn is_own(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        let number = name.trim_start_matches('[').trim_end_matches(']');
        let is_number = number.parse::<IpAddr>().is_ok();
        let is_local = self.address.ip().is_loopback() || self.address.ip().is_unspecified();
        let is_name = is_number || (is_local && name.eq_ignore_ascii_case("localhost"));
        is_name && port == Some(self.address.port())
    }
}

/// The address under which others find a server that listens on all: the one from which this
/// computer would reach the network. Nothing is sent to find it out.
fn reachable(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    // An address that is for documentation alone.
    let elsewhere = SocketAddr::from((Ipv4Addr::new(192, 0, 2, 1), 9));
    let own = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .and_then(|socket| {
            socket.connect(elsewhere)?;
            socket.local_addr()
        })
        .map_or(Ipv4Addr::LOCALHOST.into(), |own| own.ip());
    SocketAddr::new(own, address.port())
}

fn token() -> Result<String, ServerError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(ServerError::Random)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// Compares in a time that tells nothing about the first difference.
fn is_same(left: &str, right: &str) -> bool {
    left.as_bytes().ct_eq(right.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            (
                header::HeaderName::from_static(name),
                value.parse().unwrap(),
            )
        });
        pairs.collect()
    }

    #[test]
    fn only_requests_of_our_own_page_are_allowed() {
        let access = Access::new("127.0.0.1:8123".parse().unwrap(), false).unwrap();
        for (host, is_own) in [
            ("127.0.0.1:8123", true),
            ("localhost:8123", true),
            ("[::1]:8123", true),
            ("127.0.0.1:80", false),
            ("127.0.0.1", false),
            ("rebound.example:8123", false),
            ("localhost.example:8123", false),
            ("", false),
        ] {
            let allowed = access.allows(&Method::GET, &headers(&[("host", host)]));
            assert_eq!(allowed, is_own, "{host}");
        }
        let own = ("host", "localhost:8123");
        for (origin, is_allowed) in [
            ("http://localhost:8123", true),
            ("http://127.0.0.1:8123", false),
            ("http://evil.example", false),
            ("null", false),
        ] {
            let headers = headers(&[own, ("origin", origin), ("x-playhouse", "1")]);
            assert_eq!(
                access.allows(&Method::POST, &headers),
                is_allowed,
                "{origin}"
            );
        }
        assert!(
            !access.allows(&Method::POST, &headers(&[own])),
            "a form of another page"
        );
    }

    #[test]
    fn whoever_has_a_token_is_known_by_its_cookie() {
        let access = Access::new("127.0.0.1:8123".parse().unwrap(), true).unwrap();
        assert_eq!(access.visitor(&HeaderMap::new()), None);
        let address = access.seat("lantern", "Pell").unwrap();
        let token = address.rsplit('/').next().unwrap();
        let cookie = access.cookie(token);
        let cookie = headers(&[("cookie", cookie.split(';').next().unwrap())]);
        let seat = Visitor::Seat {
            slots: vec!["twig".into(), "lantern".into(), "undone".into()],
            who: "Pell".into(),
        };
        access.share_seats("lantern", "undone");
        access.lead_seats("undone");
        access.share_seats("lantern", "twig");
        access.share_seats("other", "third");
        assert_eq!(access.visitor(&cookie), Some(seat));
        let wrong = headers(&[("cookie", "playhouse-8123=00")]);
        assert_eq!(access.visitor(&wrong), None);
        let address = access.host_address();
        let host = address.rsplit('/').next().unwrap();
        assert_eq!(access.visitor_of(host), Some(Visitor::Host));
    }

    #[test]
    fn links_lead_to_an_address_that_can_be_opened() {
        let access = Access::new("0.0.0.0:8123".parse().unwrap(), false).unwrap();
        for link in [access.host_address(), access.seat("s", "Pell").unwrap()] {
            let host = link.split('/').nth(2).unwrap();
            let address: SocketAddr = host.parse().unwrap();
            assert!(
                !address.ip().is_unspecified() && address.port() == 8123,
                "{link}"
            );
            assert!(access.allows(&Method::GET, &headers(&[("host", host)])));
        }
        assert!(!access.allows(&Method::GET, &headers(&[("host", "evil.example:8123")])));
    }
}
