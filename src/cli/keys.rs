//! Keys that are pressed while a story is told, and the terminal that gives them one by one.

/// What a reader wants by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// The next paragraph now.
    Next,
    Pause,
    Faster,
    Slower,
    Stop,
}

/// The keys in what a terminal sends for them.
#[cfg_attr(not(unix), expect(dead_code, reason = "no keys are read there"))]
fn keys(mut sent: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while let [first, rest @ ..] = sent {
        let (key, rest) = match (first, rest) {
            (b'\x1b', [b'[' | b'O', arrow, rest @ ..]) => (of_arrow(*arrow), rest),
            (letter, rest) => (of_letter(*letter), rest),
        };
        keys.extend(key);
        sent = rest;
    }
    keys
}

fn of_arrow(last: u8) -> Option<Key> {
    match last {
        b'A' | b'C' => Some(Key::Faster),
        b'B' | b'D' => Some(Key::Slower),
        _ => None,
    }
}

fn of_letter(letter: u8) -> Option<Key> {
    match letter {
        b' ' | b'\r' | b'\n' => Some(Key::Next),
        b'p' | b'P' => Some(Key::Pause),
        b'+' | b'=' => Some(Key::Faster),
        b'-' => Some(Key::Slower),
        b'q' | b'Q' => Some(Key::Stop),
        _ => None,
    }
}

#[cfg(unix)]
mod terminal {
    use std::io::{self, IsTerminal};
    use std::sync::{Mutex, OnceLock};

    use rustix::process::getpgrp;
    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
    };

    use super::{Key, keys};
    use crate::cli::lock::lock;

    /// The modes of the terminal as the program found them.
    static FOUND: OnceLock<Option<Termios>> = OnceLock::new();
    /// Whether the program ends and reads no more keys.
    static IS_CLOSED: Mutex<bool> = Mutex::new(false);

    fn found() -> Option<&'static Termios> {
        FOUND.get_or_init(|| tcgetattr(io::stdin()).ok()).as_ref()
    }

    /// Sets the modes; a program in the background would be stopped for it.
    fn set(modes: &Termios) -> bool {
        let is_in_front = tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp());
        is_in_front && tcsetattr(io::stdin(), OptionalActions::Now, modes).is_ok()
    }

    pub(crate) fn has_keys() -> bool {
        io::stdin().is_terminal() && found().is_some()
    }

    pub(crate) fn pressed() -> Vec<Key> {
        let Some(mut modes) = found().cloned() else {
            return Vec::new();
        };
        // Ctrl-C stays a signal, and what is written needs no other line ends.
        modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
        modes.special_codes[SpecialCodeIndex::VMIN] = 0;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        let is_closed = lock(&IS_CLOSED);
        if *is_closed || !set(&modes) {
            return Vec::new();
        }
        drop(is_closed);
        let mut sent = [0; 64];
        let length = rustix::io::read(io::stdin(), &mut sent).unwrap_or(0);
        keys(sent.get(..length).unwrap_or_default())
    }

    pub(crate) fn remember() {
        found();
    }

    pub(crate) fn is_changed() -> bool {
        FOUND.get().is_some_and(Option::is_some)
    }

    pub(crate) fn restore() {
        if let Some(Some(modes)) = FOUND.get() {
            set(modes);
        }
    }

    pub(crate) fn close() {
        let mut is_closed = lock(&IS_CLOSED);
        *is_closed = true;
        restore();
    }
}

#[cfg(not(unix))]
mod terminal {
    pub(crate) fn has_keys() -> bool {
        false
    }

    pub(crate) fn pressed() -> Vec<super::Key> {
        Vec::new()
    }

    pub(crate) fn remember() {}

    pub(crate) fn is_changed() -> bool {
        false
    }

    pub(crate) fn restore() {}

    pub(crate) fn close() {}
}

/// Gives the terminal back for good.
pub(crate) use terminal::close;
pub(crate) use terminal::has_keys;
/// Whether the terminal may have other modes than the program found.
pub(crate) use terminal::is_changed;
/// The keys that were pressed since; they are not shown.
pub(crate) use terminal::pressed;
/// Keeps the modes of the terminal, before anything changes them.
pub(crate) use terminal::remember;
/// Gives the terminal the modes that it had.
pub(crate) use terminal::restore;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_what_terminals_send() {
        use Key::{Faster, Next, Pause, Slower, Stop};
        for (sent, pressed) in [
            (&b" "[..], vec![Next]),
            (b"\x1b[A\x1bOC+=", vec![Faster; 4]),
            (b"\x1b[B\x1bOD-", vec![Slower; 3]),
            (b"pq", vec![Pause, Stop]),
            (b"\x1b[Hxy\x1b", vec![]),
        ] {
            assert_eq!(keys(sent), pressed, "{sent:?}");
        }
    }
}
