//! An actor does nothing.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Wait};
use crate::talk::TurnTaken;

impl Action for Wait {
    const APPEAL: Appeal = Appeal::Special;

    fn carry_out(self, _rules: &mut Rules<'_, '_>, _acting: &Acting<'_>, _taken: &mut TurnTaken) {}
}
