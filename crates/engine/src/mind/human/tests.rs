use serde_json::json;

use crate::locale::text;
use crate::mind::{Language, MindError};
use crate::testing::{PersonAsk, json_of};

#[tokio::test]
async fn any_schema_can_be_filled() {
    let schema = json!({"type": "object", "required": ["count", "sure", "names", "tags", "free"], "properties": {
        "count": {"type": "integer", "minimum": 1, "maximum": 3},
        "sure": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        "tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}},
        "free": {"anyOf": []}}});
    let ask = PersonAsk::new("other").json(schema);
    let typed = "seven\n7\n2\n2\nx\n1\ny\nno\nc a\n{bad\n{\"z\": [1]}\n";
    let (result, shown) = ask.answer(Language::En, typed).await;
    assert_eq!(
        json_of(&result.unwrap()),
        json!({"count": 2, "sure": false, "names": ["x", "y"], "tags": ["c", "a"], "free": {"z": [1]}}),
        "{shown}"
    );
}

#[tokio::test]
async fn who_is_asked_again_reads_what_was_wrong() {
    let ask = PersonAsk::new("kickoff").refused("Too long.");
    let (result, shown) = ask.answer(Language::En, "\nShort.\n").await;
    assert_eq!(result.unwrap(), "Short.");
    assert!(
        shown.contains("Too long.") && !shown.contains("tavern"),
        "{shown}"
    );
    let ask = PersonAsk::new("kickoff").refused("Wrong:\n- speak.text: Too long.\n- Ann: who?");
    let (_, shown) = ask.answer(Language::En, "Short.\n").await;
    assert!(shown.contains("- Too long.\n- Ann: who?"), "{shown}");
}

#[tokio::test]
async fn what_was_typed_so_far_is_taken_back() {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
    let ask = PersonAsk::new("other").json(schema);
    for undo in ["/undo", "／撤销"] {
        let typed = format!("one\n{undo}\ntwo\nthree\n");
        let (result, shown) = ask.answer(Language::En, &typed).await;
        assert_eq!(json_of(&result.unwrap()), json!({"a": "two", "b": "three"}));
        assert_eq!(shown.matches("tavern").count(), 2, "{shown}");
    }
}

#[tokio::test]
async fn the_end_of_the_input_leaves_the_seat() {
    let schema = json!({"type": "object", "properties": {"target": {"enum": ["Ann", "Bob"]}, "text": {"type": "string"}}});
    let ask = PersonAsk::new("other").json(schema).taught(|lessons| {
        lessons.member("target", text!(mind_seat_target));
    });
    let (result, shown) = ask.answer(Language::En, "1\n").await;
    assert!(shown.contains("To whom? > "), "{shown}");
    assert_eq!(
        result,
        Err(MindError::SeatEmpty {
            entity: "Mira".into()
        })
    );
}

#[tokio::test]
async fn the_beginning_of_one_name_alone_is_enough() {
    let names = json!(["Ann", "Bob", "Bobby", "米拉"]);
    let schema = json!({"type": "object", "properties": {"target": {"enum": names}}});
    let ask = PersonAsk::new("other").json(schema);
    for (typed, target) in [
        ("b\nbob\n", "Bob"),
        ("bobb\n", "Bobby"),
        ("A\n", "Ann"),
        ("米\n", "米拉"),
    ] {
        let (result, shown) = ask.answer(Language::En, typed).await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"target": target}),
            "{shown}"
        );
        let is_refused = shown.contains("fits several");
        assert_eq!(
            is_refused,
            typed.starts_with('b') && target == "Bob",
            "{shown}"
        );
    }
}
