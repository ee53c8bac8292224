//! Who was not told of an event, and why.

use std::sync::Arc;

use playhouse_engine::cast::Kind;
use playhouse_engine::event::AudienceRule;
use playhouse_engine::event::guard::Act;

use super::state::Being;
use super::view::{Contents, EventEntry};

/// Why an entity was not told of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyNot {
    /// It was at another place, or at none.
    Elsewhere(Option<u32>),
    /// The rule left it out by name.
    LeftOut,
    /// The rule named others only.
    NotNamed,
    Dead,
    Later,
    /// It was a thought of another.
    Private,
    /// A guard kept it back.
    Withheld,
    /// It did or said it itself.
    Own,
}

impl WhyNot {
    /// The name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Elsewhere(_) => "elsewhere",
            Self::LeftOut => "left_out",
            Self::NotNamed => "not_named",
            Self::Dead => "dead",
            Self::Later => "later",
            Self::Private => "private",
            Self::Withheld => "withheld",
            Self::Own => "own",
        }
    }
}

impl EventEntry {
    /// The names of those who learned it.
    pub fn learners(&self) -> impl Iterator<Item = &str> {
        self.head.audience.iter().map(|who| &*who.name)
    }

    /// Whether an entity learned it.
    pub fn reached(&self, id: u32) -> bool {
        self.head.audience.iter().any(|who| who.id.0 == id)
    }

    /// Whether a guard kept it back from some.
    pub fn is_withheld(&self) -> bool {
        self.head.guarded.iter().any(|act| act.act == Act::Block)
    }

    /// Those whom its rule left out by name.
    pub fn excluded(&self) -> &[Arc<str>] {
        match &self.head.rule {
            AudienceRule::BroadcastToStage { exclude, .. }
            | AudienceRule::Announced { exclude } => exclude,
            AudienceRule::Notified | AudienceRule::Private => &[],
        }
    }
}

impl Contents {
    /// Those in the world who neither did an event nor learned of it, and why.
    pub fn not_told<'s>(
        &'s self,
        event: &'s EventEntry,
    ) -> impl Iterator<Item = (&'s Being, WhyNot)> {
        let others = self
            .state
            .beings
            .iter()
            .filter(|being| !event.reached(being.id) && event.by != Some(being.id));
        others.map(|being| (being, self.why_not(event, being)))
    }

    /// Why an entity did not learn an event.
    pub fn why_not(&self, event: &EventEntry, being: &Being) -> WhyNot {
        if event.by == Some(being.id) {
            return WhyNot::Own;
        }
        let stage = match &event.head.rule {
            AudienceRule::Private => return WhyNot::Private,
            AudienceRule::Notified => return WhyNot::NotNamed,
            _ if event.excluded().contains(&being.name) => return WhyNot::LeftOut,
            AudienceRule::BroadcastToStage { stage, .. } => Some(self.id_of(stage)),
            AudienceRule::Announced { .. } => None,
        };
        let Some(stay) = self.stay(being.id, event.number) else {
            return WhyNot::Later;
        };
        let place = stay.place.map(|place| place.0);
        let was_there = match stage {
            Some(stage) => stage == place || stage == Some(being.id),
            None => place.is_some() || being.kind != Kind::Actor,
        };
        if stay.dead {
            WhyNot::Dead
        } else if was_there && event.is_withheld() {
            WhyNot::Withheld
        } else {
            WhyNot::Elsewhere(place)
        }
    }
}
