//! Who was not told of an event, and why.

use playhouse_engine::cast::Kind;
use playhouse_engine::event::kinds::Learned;
use playhouse_engine::event::{AgentEvent, AudienceRule, EventRecord};

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
    Withheld,
    /// It did, said or told it itself.
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

impl Contents {
    /// Who told what others learned by this event.
    pub fn teller(&self, record: &EventRecord) -> Option<u32> {
        let from = record
            .data
            .get("from")
            .filter(|_| record.kind == Learned::TYPE);
        self.id_of(from?.as_str()?)
    }

    /// Those in the world who neither did or told an event nor learned of it, and why.
    pub fn not_told<'s>(
        &'s self,
        event: &'s EventEntry,
    ) -> impl Iterator<Item = (&'s Being, WhyNot)> {
        let record = event.record();
        self.state
            .beings
            .iter()
            .filter(|being| !event.audience.contains(&being.id))
            .map(move |being| (being, self.why_not(event, &record, being)))
            .filter(|(_, why)| *why != WhyNot::Own)
    }

    /// Why an entity did not learn an event of this record.
    pub fn why_not(&self, event: &EventEntry, record: &EventRecord, being: &Being) -> WhyNot {
        if [event.by, self.teller(record)].contains(&Some(being.id)) {
            return WhyNot::Own;
        }
        let stage = match &record.rule {
            AudienceRule::Private => return WhyNot::Private,
            AudienceRule::Notified => return WhyNot::NotNamed,
            rule if rule.excluded().contains(&being.name) => return WhyNot::LeftOut,
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
        } else if was_there && record.is_withheld() {
            WhyNot::Withheld
        } else {
            WhyNot::Elsewhere(place)
        }
    }
}
