//! The guards of group chats: built-in guards that also judge answers.

use playhouse_engine::event::guard::{Guard, GuardVerdict, Judged, Point, Secrets};

/// A guard that judges answers too, so that the speaker keeps the same text that the others hear.
pub(super) struct AtAnswers<G>(pub(super) G);

impl<G: Guard> Guard for AtAnswers<G> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn points(&self) -> &[Point] {
        &[Point::Answer, Point::Send]
    }

    fn hides(&self) -> bool {
        self.0.hides()
    }

    fn judge(&self, message: &Judged<'_>) -> GuardVerdict {
        self.0.judge(message)
    }
}

/// The secrets of a team: no text may contain them, whoever hears it, nor may results of tools.
pub(super) struct TeamSecrets(pub(super) Secrets);

impl Guard for TeamSecrets {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn points(&self) -> &[Point] {
        match self.0.points() {
            [] => &[],
            _ => &[Point::Answer, Point::Send],
        }
    }

    fn judge(&self, message: &Judged<'_>) -> GuardVerdict {
        self.0.judge(&Judged {
            public: true,
            ..*message
        })
    }
}
