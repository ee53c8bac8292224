//! An actor goes along with another who leaves in this round.

use super::rules::{Acting, Rules};
use super::{Action, Appeal, Follow};
use crate::events::Following;
use crate::talk::TurnTaken;

impl Action for Follow {
    const APPEAL: Appeal = Appeal::Rarely(4);

    fn carry_out(self, rules: &mut Rules<'_, '_>, acting: &Acting<'_>, taken: &mut TurnTaken) {
        let who = self.who;
        if rules.listener(acting, "follow", &who).is_some() {
            taken.follows = Some(who.as_str().into());
            let actor = acting.name.to_string();
            rules.show_all(acting, Following { actor, who });
        }
    }
}
