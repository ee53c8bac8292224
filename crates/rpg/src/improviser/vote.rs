//! Where somebody wants to go.

use playhouse_engine::mind::Notes;
use playhouse_engine::mind::improviser::Writer;
use serde_json::{Value, json};

use crate::world_file::STAY;

/// In how many of a hundred votes somebody would rather stay.
const STAYS: usize = 25;

/// A vote and a reason for it.
pub(super) fn vote<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> Value {
    let dungeons = notes.names("options");
    let stays = writer.rng().happens(STAYS);
    let dungeon = writer.rng().pick(&dungeons).copied();
    let (option, symbol) = match dungeon.filter(|_| !stays) {
        Some(dungeon) => {
            writer.set("journey", dungeon);
            (dungeon, "vote.go")
        }
        None => (STAY, "vote.stay"),
    };
    let say = writer.line(symbol);
    json!({"mind": writer.line("mind.vote"), "vote": option, "say": say})
}
