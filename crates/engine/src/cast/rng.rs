//! Randomness of a place: a stream derived from world seed, place, time and purpose, so there is
//! nothing to save, and timing can't change it.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

use super::{Clock, CurrentStage, MEETING, MeetingClock, StableId};

#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorldSeed(pub u64);

impl WorldSeed {
    /// A seed derived from this one and these parts.
    pub fn mixed(self, parts: &[&[u8]]) -> [u8; 32] {
        let mut bytes = Vec::with_capacity(128);
        bytes.extend_from_slice(&self.0.to_le_bytes());
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        }
        *blake3::hash(&bytes).as_bytes()
    }
}

/// Random streams of the place whose step runs.
#[derive(SystemParam)]
pub struct StageRng<'w, 's> {
    seed: Res<'w, WorldSeed>,
    current: Res<'w, CurrentStage>,
    meeting: Res<'w, MeetingClock>,
    places: Query<'w, 's, (&'static StableId, &'static Clock)>,
}

impl StageRng<'_, '_> {
    /// The stream for one purpose in this step of this place. The same purpose in the same step
    /// gives the same stream from its start, so give each use its own purpose.
    pub fn stream(&self, purpose: &str) -> ChaCha8Rng {
        let (place, time) = match *self.current {
            CurrentStage::Meeting => (MEETING, self.meeting.0.time),
            CurrentStage::Place(place) => self
                .places
                .get(place)
                .map_or((MEETING, 0), |(id, clock)| (*id, clock.time)),
        };
        let seed = self.seed.mixed(&[
            &place.0.to_le_bytes(),
            &time.to_le_bytes(),
            purpose.as_bytes(),
        ]);
        ChaCha8Rng::from_seed(seed)
    }
}
