//! Labels for people of what programs call by ids.

use crate::cast::Gone;
use crate::cli::prelude::*;
use crate::event::guard::GuardAct;

/// What a call is for, such as `home.plan`; the id itself if it has no label.
pub(crate) fn purpose_label(purpose: &str) -> UiText {
    label("purpose", purpose)
}

/// The type of an event, such as `whisper`; the id itself if it has no label.
pub(crate) fn event_label(kind: &str) -> UiText {
    label("event", kind)
}

/// A member of an answer, such as `whisper`: most are called as the event that follows.
pub(crate) fn answer_label(member: &str) -> UiText {
    UiText::find(&format!("story_answer_{member}")).unwrap_or_else(|| event_label(member))
}

pub(crate) fn gone_label(how: Gone) -> UiText {
    label("gone", how.name())
}

/// What a guard did, and why.
pub(crate) fn guard_note(act: &GuardAct) -> UiText {
    let guard = label("guard", &act.guard);
    text!(story_guard, guard, reason = &act.reason)
}

fn label(group: &str, id: &str) -> UiText {
    let key = format!("story_{group}_{}", id.replace('.', "_"));
    UiText::find(&key).unwrap_or_else(|| UiText::verbatim(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_ids_are_their_own_labels() {
        assert_ne!(purpose_label("home.plan"), UiText::verbatim("home.plan"));
        assert_eq!(event_label("magic"), UiText::verbatim("magic"));
    }
}
