//! What a table of a fight shows.

use serde_json::{Value, json};

/// What a table of a fight shows of an event.
pub(super) fn fight(kind: &str, data: &Value) -> Option<Value> {
    let standing = |fighter: &Value| {
        json!({
            "name": fighter["name"], "hp": fighter["hp"], "max": fighter["max_hp"],
            "faction": fighter["faction"], "effects": fighter["effects"], "left": fighter["departure"],
        })
    };
    Some(match kind {
        "combat_initialization" => json!({
            "part": "start", "heroes": data["heroes"], "foes": data["foes"],
        }),
        "combat_round" => {
            let rows = data["standing"].as_array()?.iter().map(standing);
            let rows: Vec<_> = rows.collect();
            json!({"part": "round", "round": data["round"], "standing": rows})
        }
        "card_played" => json!({
            "part": "card", "card": data["card"], "skill": data["skill"],
            "targets": data["targets"],
        }),
        "combat_outcome" => json!({"part": "end", "result": data["result"]}),
        "card_held" | "combat_move" => json!({"part": "move"}),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_guard_has_emptied_is_shown_without_its_table() {
        assert_eq!(fight("combat_round", &Value::Null), None);
    }
}
