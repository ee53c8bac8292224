//! How a person plays in a campaign: what the parts of a plan are called, and a hand of cards.

use std::io;

use serde_json::{Value, json};

use crate::locale::{UiText, text};
use crate::mind::Notes;
use crate::mind::human::{Dialogue, SeatLessons};

/// Teaches a seat the campaign.
pub fn teach(lessons: &mut SeatLessons) {
    lessons
        .skill("combat.draw", play_hand)
        .member("speak", text!(rpg_seat_speak))
        .member("whisper", text!(rpg_seat_whisper))
        .member("announce", text!(rpg_seat_announce))
        .member("query", text!(rpg_seat_query))
        .member("move", text!(rpg_seat_move))
        .member("wait", text!(rpg_seat_wait));
}

/// Asks how to play a hand: in which order, at whom, and under which names. `None` if there is
/// none.
fn play_hand(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let hand: Vec<_> = notes.list("hand").collect();
    if hand.is_empty() {
        return Ok(None);
    }
    let rows = hand.iter().map(|skill| dialogue.say(row(*skill)));
    let rows: Vec<_> = rows.collect();
    let order = dialogue.order(text!(rpg_seat_order_of_cards), &rows, true)?;
    let mut cards = Vec::new();
    for skill in order.into_iter().filter_map(|index| hand.get(index)) {
        cards.push(card(*skill, dialogue)?);
    }
    Ok(Some(json!({ "cards": cards })))
}

/// A skill in the menu.
fn row(skill: Notes<'_>) -> UiText {
    let kind = match skill.text("kind") {
        "attack" => text!(rpg_seat_attack),
        "heal" => text!(rpg_seat_heal),
        "guard" => text!(rpg_seat_guard),
        "weaken" => text!(rpg_seat_weaken),
        "strengthen" => text!(rpg_seat_strengthen),
        kind => UiText::verbatim(kind),
    };
    text!(
        rpg_seat_skill,
        skill = skill.text("skill"),
        kind,
        power = skill.number("power"),
        cost = skill.number("cost"),
        about = skill.text("about"),
    )
}

fn card(skill: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Value> {
    let name = skill.text("skill");
    let legal = skill.texts("legal").into_iter().map(str::to_owned);
    let legal: Vec<_> = legal.collect();
    let targets = dialogue.order(text!(rpg_seat_targets, skill = name), &legal, false)?;
    let targets = targets.into_iter().filter_map(|index| legal.get(index));
    let targets: Vec<_> = targets.collect();
    let called = dialogue.text_or(text!(rpg_seat_name_of_card), name)?;
    let look = match skill.text("about") {
        "" => name,
        about => about,
    };
    let look = dialogue.text_or(text!(rpg_seat_look_of_card), look)?;
    Ok(json!({"skill": name, "name": called, "description": look, "targets": targets}))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::locale::Language;
    use crate::mind::human::testing::{SeatAsk, json_of};

    fn plan(present: &[&str]) -> Value {
        let words = json!({"type": "object", "required": ["target", "text"], "properties": {
            "target": {"type": "string", "enum": present}, "text": {"type": "string"}}});
        json!({"type": "object",
            "properties": {"mind": {"type": "string"}, "speak": words,
                "wait": {"type": "object", "required": ["reason"], "properties": {"reason": {"type": "string"}}}},
            "oneOf": [{"required": ["mind", "speak"]}, {"required": ["mind", "wait"]}]})
    }

    fn ask_plan(present: &[&str]) -> SeatAsk<'static> {
        SeatAsk::new("home.plan")
            .json(plan(present))
            .taught(super::teach)
    }

    #[tokio::test]
    async fn a_plan_is_chosen_from_menus() {
        let typed = "9\n1\nbob\n\nGood evening!\nI am tired.\n";
        let ask = ask_plan(&["Ann", "Bob"]);
        let (result, shown) = ask.answer(Language::En, typed).await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"mind": "I am tired.", "speak": {"target": "Bob", "text": "Good evening!"}})
        );
        insta::assert_snapshot!(shown, @r"
        *** You are Mira. ***
        The tavern is full.
          1) speak to somebody
          2) wait
        What do you do? > Type a number from 1 to 2, or a name from the list.
        What do you do? >   1) Ann
          2) Bob
        To whom? > What do you say? > Type a line, or press Ctrl-D to leave.
        What do you say? > What do you think? [Enter: …] >
        ");
    }

    #[tokio::test]
    async fn a_plan_in_chinese_needs_no_thought_and_asks_for_no_only_target() {
        let ask = ask_plan(&["米拉"]);
        let (result, shown) = ask.answer(Language::Zh, "1\n晚上好！\n\n").await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"mind": "…", "speak": {"target": "米拉", "text": "晚上好！"}})
        );
        assert!(shown.contains("1) 对人说话"), "{shown}");
    }

    fn ask_hand() -> SeatAsk<'static> {
        let skill = |name: &str, kind: &str, legal: &[&str]| json!({"skill": name, "kind": kind, "cost": 1, "power": 5, "about": format!("{name}!"), "legal": legal});
        SeatAsk::new("combat.draw")
            .json(json!({}))
            .notes(json!({"hand": [
                skill("Strike", "attack", &["Wolf", "Bear"]), skill("Mend", "heal", &["Ann"])]}))
            .taught(super::teach)
    }

    #[tokio::test]
    async fn cards_have_an_order_targets_and_names_of_ones_own() {
        let typed = "2\n\n\n2 1\nMoonfall\nA pale arc.\n";
        let (result, shown) = ask_hand().answer(Language::En, typed).await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"cards": [
                {"skill": "Mend", "name": "Mend", "description": "Mend!", "targets": ["Ann"]},
                {"skill": "Strike", "name": "Moonfall", "description": "A pale arc.", "targets": ["Bear", "Wolf"]}]})
        );
        assert!(
            shown.contains("1) Strike (attack, power 5, cost 1) Strike!"),
            "{shown}"
        );
    }

    #[tokio::test]
    async fn cards_may_be_left_to_their_defaults() {
        let (result, _) = ask_hand().answer(Language::Zh, "\n\n\n\n\n\n").await;
        let cards = json_of(&result.unwrap());
        assert_eq!(cards["cards"][0]["targets"], json!(["Wolf", "Bear"]));
        assert_eq!(cards["cards"][1]["name"], "Mend");
    }
}
