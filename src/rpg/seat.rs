//! How a person plays in a campaign: what the parts of a plan are called, and turns in fights.

use std::io;

use serde_json::{Value, json};

use crate::locale::{UiText, text};
use crate::mind::Notes;
use crate::mind::human::{Dialogue, SeatLessons};

/// Teaches a seat the campaign.
pub fn teach(lessons: &mut SeatLessons) {
    lessons
        .skill("combat.act", act)
        .member("speak", text!(rpg_seat_speak))
        .member("whisper", text!(rpg_seat_whisper))
        .member("announce", text!(rpg_seat_announce))
        .member("query", text!(rpg_seat_query))
        .member("move", text!(rpg_seat_move))
        .member("wait", text!(rpg_seat_wait));
}

/// Asks what to do at a turn in a fight, and for cards: in which order, at whom, and under which
/// names. `None` if the notes tell of no fight.
fn act(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    if notes.list("allies").len() == 0 {
        return Ok(None);
    }
    let hand: Vec<_> = notes.list("hand").collect();
    let mut actions = vec![
        ("hold", text!(rpg_seat_hold)),
        ("flee", text!(rpg_seat_flee)),
        ("yield", text!(rpg_seat_yield)),
    ];
    if !hand.is_empty() {
        actions.insert(0, ("play", text!(rpg_seat_play)));
    }
    let items: Vec<_> = notes.names("items");
    if !items.is_empty() {
        actions.push(("show", text!(rpg_seat_show)));
    }
    let options: Vec<_> = actions
        .iter()
        .map(|(_, label)| dialogue.say(label.clone()))
        .collect();
    let chosen = dialogue.choice(text!(rpg_seat_act), &options)?;
    let action = actions.get(chosen).map_or("hold", |(action, _)| *action);
    let mut choice = json!({"action": action});
    let said = dialogue.line(text!(rpg_seat_say))?;
    if !said.is_empty() {
        choice["say"] = said.into();
    }
    if action == "play" {
        let rows: Vec<_> = hand.iter().map(|skill| dialogue.say(row(*skill))).collect();
        let energy = notes.number("energy");
        let order = dialogue.order(text!(rpg_seat_order_of_cards, energy), &rows, false)?;
        let mut cards = Vec::new();
        for skill in order.into_iter().filter_map(|index| hand.get(index)) {
            cards.push(card(*skill, dialogue)?);
        }
        choice["cards"] = cards.into();
    } else {
        if action == "show" {
            let names: Vec<_> = items.iter().map(ToString::to_string).collect();
            let chosen = dialogue.choice(text!(rpg_seat_item), &names)?;
            choice["item"] = items.get(chosen).copied().unwrap_or_default().into();
        }
        choice["seen"] = dialogue.text(text!(rpg_seat_seen))?.into();
    }
    Ok(Some(choice))
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

    fn ask_turn() -> SeatAsk<'static> {
        let skill = |name: &str, kind: &str, legal: &[&str]| json!({"skill": name, "kind": kind, "cost": 1, "power": 5, "about": format!("{name}!"), "legal": legal});
        SeatAsk::new("combat.act")
            .json(json!({}))
            .notes(json!({"energy": 2, "allies": [{"name": "Ann"}], "hand": [
                skill("Strike", "attack", &["Wolf", "Bear"]), skill("Mend", "heal", &["Ann"])]}))
            .taught(super::teach)
    }

    #[tokio::test]
    async fn cards_have_an_order_targets_and_names_of_ones_own() {
        let typed = "1\nBack!\n2 1\n\n\nBear\nMoonfall\nA pale arc.\n";
        let (result, shown) = ask_turn().answer(Language::En, typed).await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"action": "play", "say": "Back!", "cards": [
                {"skill": "Mend", "name": "Mend", "description": "Mend!", "targets": ["Ann"]},
                {"skill": "Strike", "name": "Moonfall", "description": "A pale arc.", "targets": ["Bear"]}]})
        );
        assert!(
            shown.contains("1) Strike (attack, power 5, cost 1) Strike!"),
            "{shown}"
        );
    }

    #[tokio::test]
    async fn a_turn_may_be_spent_without_cards() {
        let typed = "4\n\nAnn lowers her sword.\n";
        let (result, _) = ask_turn().answer(Language::En, typed).await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"action": "yield", "seen": "Ann lowers her sword."})
        );
    }
}
