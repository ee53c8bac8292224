//! Events as they are told to somebody who only watches.
//!
//! The words of an event speak to those who get it ("You see …"). A printed story, and a page that
//! shows everything, tell them in the third person and put headings over what begins.

use playhouse_engine::event::EventRecord;
use playhouse_engine::event::kinds::{
    Archive, Learned, Masked, MemorySearch, Refusal, Sighting, Whisper,
};
use playhouse_engine::locale::{Argument, Language, UiText, text};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::actions::ActionSpec;
use super::events::{CardHeld, CardsDrawn, Day, Journey, NothingNew};

/// An event in the third person; `None` if its own words are right for everybody.
pub fn third_person(event: &EventRecord) -> Option<UiText> {
    Some(match event.kind.as_str() {
        "appearance" => {
            let Sighting { actor, look } = data(event)?;
            text!(story_row, name = actor, what = look)
        }
        "archive" => {
            let Archive {
                actor,
                message,
                record,
                ..
            } = data(event)?;
            let message = if message.is_empty() { record } else { message };
            let remembers = text!(story_remembers, actor);
            text!(story_row, name = remembers, what = message)
        }
        "card_held" => {
            let CardHeld {
                actor,
                card,
                reason,
            } = data(event)?;
            if reason == "no_energy" {
                text!(story_no_energy, actor, card)
            } else {
                text!(story_no_target, actor, card)
            }
        }
        "cards_drawn" => {
            let CardsDrawn { actor, cards, .. } = data(event)?;
            let names = cards.iter().map(|card| match &*card.name {
                "" => &*card.skill,
                name => name,
            });
            text!(story_draws, actor, cards = Argument::list(names))
        }
        "masked" => {
            let Masked { actor, .. } = data(event)?;
            text!(story_masked, actor)
        }
        "nothing_new" => {
            let NothingNew { actor, item, .. } = data(event)?;
            text!(story_nothing_new, actor, item)
        }
        "query" => {
            let MemorySearch {
                actor,
                message,
                found,
                ..
            } = data(event)?;
            let found = if found.is_empty() {
                text!(story_nothing_found)
            } else {
                UiText::verbatim(found.join(" … "))
            };
            text!(story_searched, actor, message, found)
        }
        "refusal" => {
            let Refusal {
                actor,
                action,
                reason,
            } = data(event)?;
            text!(
                story_refused,
                actor,
                action = ActionSpec::label(&action),
                reason
            )
        }
        "story_closes" => UiText::verbatim(field(event, "message")?),
        "whisper" => {
            let Whisper {
                actor,
                target,
                message,
                ..
            } = data(event)?;
            text!(story_whispered, actor, target, message)
        }
        _ => return None,
    })
}

/// That these have learned a fact, by its words or by its title.
pub fn learned(event: &Learned, who: &[String], fact: &str, language: Language) -> UiText {
    let who = names(who, language);
    if event.from.is_empty() {
        text!(story_found_out, who, fact)
    } else {
        text!(story_learned, who, fact, from = &event.from)
    }
}

/// The heading over what begins with an event; `None` if nothing does.
pub fn heading(event: &EventRecord) -> Option<UiText> {
    Some(match event.kind.as_str() {
        "day" => {
            let Day {
                day,
                part,
                round,
                rounds,
            } = data(event)?;
            match (part.as_str(), round, rounds) {
                ("begin", ..) => text!(story_day, day),
                ("end", ..) => return None,
                (_, 1, 2) => text!(story_morning),
                (_, 2, 2) => text!(story_afternoon),
                _ => text!(story_day_round, round),
            }
        }
        "dungeon" => {
            let Journey {
                dungeon,
                part,
                stage,
                ..
            } = data(event)?;
            match part.as_str() {
                "enter" => text!(story_journey, dungeon),
                "advance" => UiText::verbatim(stage),
                _ => text!(story_way_home),
            }
        }
        "homecoming" => text!(story_homecoming),
        "story_closes" => UiText::verbatim(field(event, "title")?),
        _ => return None,
    })
}

/// The place to which an event belongs; empty if to none. The opening of a scene is told at a
/// meeting, and is read with the talk that follows; an epilogue is told from nowhere.
pub fn place_of(event: &EventRecord) -> &str {
    match event.kind.as_str() {
        "scene_opens" => field(event, "stage").unwrap_or(&event.place),
        "epilogue" => "",
        _ => &event.place,
    }
}

/// Names as the subject of a sentence.
pub fn names(names: &[String], language: Language) -> String {
    match (names, language) {
        ([first @ .., last], Language::En) if !first.is_empty() => {
            format!("{} and {last}", first.join(", "))
        }
        _ => text!(cli_list, items = Argument::list(names)).in_language(language),
    }
}

/// The event of a record; `None` if it is of another type or from an older program.
pub fn data<E: DeserializeOwned>(event: &EventRecord) -> Option<E> {
    E::deserialize(&event.data).ok()
}

fn field<'e>(event: &'e EventRecord, name: &str) -> Option<&'e str> {
    event.data.get(name).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(kind: &str, data: &Value) -> EventRecord {
        serde_json::from_value(json!({
            "id": "1-1", "turn": 1, "time": 0, "place": "The Lamp", "type": kind, "speaker": null,
            "data": data, "text": "You …", "audience": [], "rule": "private",
        }))
        .unwrap()
    }

    #[test]
    fn whoever_watches_is_never_addressed() {
        let look = json!({"actor": "Pell", "look": "A large man."});
        let archive = json!({
            "actor": "Pell", "stage": "The Lamp", "chapter": "1", "message": "The lamp went out.",
        });
        let held = json!({"actor": "Pell", "card": "Lamp", "reason": "no_energy"});
        let aimless = json!({"actor": "Pell", "card": "Lamp", "reason": "no_target"});
        let masked = json!({"actor": "Pell", "message": "The … is out."});
        let read = json!({"actor": "Pell", "item": "the log", "says": []});
        let query =
            json!({"actor": "Pell", "message": "the lamp", "found": ["It is out.", "Oil."]});
        let vain = json!({"actor": "Pell", "message": "the lamp", "found": []});
        let refusal = json!({"actor": "Pell", "action": "give", "reason": "Jory is elsewhere."});
        let whisper = json!({"actor": "Pell", "target": "Jory", "message": "Not here."});
        let cases = [
            ("appearance", look, "Pell: A large man."),
            (
                "archive",
                archive,
                "❧ Pell will remember: The lamp went out.",
            ),
            ("card_held", held, "Pell has no energy left for “Lamp”."),
            ("card_held", aimless, "Pell’s “Lamp” has no target left."),
            ("masked", masked, "Pell could not say it."),
            ("nothing_new", read, "Pell finds nothing new in the log."),
            (
                "query",
                query,
                "Pell searches memory for “the lamp”: It is out. … Oil.",
            ),
            (
                "query",
                vain,
                "Pell searches memory for “the lamp”: nothing comes to mind",
            ),
            (
                "refusal",
                refusal,
                "Pell can't give something to somebody: Jory is elsewhere.",
            ),
            ("whisper", whisper, "Pell whispers to Jory: “Not here.”"),
        ];
        for (kind, data, told) in cases {
            let text = third_person(&event(kind, &data)).map(|text| text.to_string());
            assert_eq!(text.as_deref(), Some(told), "{kind}");
        }
        let speech = json!({"actor": "Pell", "target": "Jory", "message": "Not here."});
        assert_eq!(third_person(&event("speak", &speech)), None);
        // What an older program wrote.
        assert_eq!(third_person(&event("whisper", &json!({"actor": 3}))), None);
    }

    #[test]
    fn what_is_learned_names_who_and_from_whom() {
        let mut fact = Learned {
            from: "Odile".into(),
            ..Learned::default()
        };
        let who = ["Pell".to_owned(), "Jory".to_owned()];
        let text = learned(&fact, &who, "The lamp is out.", Language::En);
        assert_eq!(
            text.to_string(),
            "Pell and Jory learned from Odile: The lamp is out."
        );
        fact.from.clear();
        let text = learned(&fact, &who, "灯灭了。", Language::Zh);
        assert_eq!(text.in_language(Language::Zh), "Pell、Jory得知：灯灭了。");
    }

    #[test]
    fn what_begins_has_a_heading() {
        let day = |part: &str, round: u32, rounds: u32| {
            let day = json!({"day": 2, "part": part, "round": round, "rounds": rounds});
            heading(&event("day", &day)).map(|text| text.to_string())
        };
        assert_eq!(day("begin", 0, 0).as_deref(), Some("Day 2"));
        assert_eq!(day("round", 1, 2).as_deref(), Some("Morning"));
        assert_eq!(day("round", 2, 2).as_deref(), Some("Afternoon"));
        assert_eq!(day("round", 2, 3).as_deref(), Some("Round 2 of the day"));
        assert_eq!(day("end", 0, 0), None);
        let way = |part: &str| {
            let way =
                json!({"dungeon": "The Deep", "part": part, "stage": "The Hold", "party": []});
            heading(&event("dungeon", &way)).map(|text| text.to_string())
        };
        assert_eq!(way("enter").as_deref(), Some("Journey to The Deep"));
        assert_eq!(way("advance").as_deref(), Some("The Hold"));
        assert_eq!(way("return").as_deref(), Some("The way home"));
        let scene = event(
            "scene_opens",
            &json!({"stage": "The Stair", "message": "Rain."}),
        );
        assert_eq!(place_of(&scene), "The Stair");
        assert_eq!(place_of(&event("epilogue", &json!({}))), "");
        assert_eq!(place_of(&event("speak", &json!({}))), "The Lamp");
    }
}
