//! How a person plays in a campaign: turns at home, and turns in fights.

use std::io;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Notes;
use playhouse_engine::mind::human::{Chosen, Dialogue, SeatLessons};
use serde_json::{Map, Value, json};

use crate::world_file::STAY;

/// The thought that stands for none.
const NO_THOUGHT: &str = "…";

/// Teaches a seat the campaign.
pub fn teach(lessons: &mut SeatLessons) {
    lessons
        .skill("home.plan", take_turn)
        .skill("home.vote", vote)
        .skill("combat.act", act)
        .skill("scene.judge", judge);
}

/// Asks what to say and to do. `None` if the notes are not those of a turn.
fn take_turn(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    if notes.text("place").is_empty() {
        return Ok(None);
    }
    let others = notes.list("present").len() > 0;
    let said = [
        ("speak", others),
        ("whisper", others && notes.flag("whisper")),
        ("announce", true),
    ];
    let has = |member: &str| notes.list(member).len() > 0;
    let done = [
        ("take", has("lying")),
        ("give", others && has("items")),
        ("show", others && has("items")),
        ("read", !readable(notes).is_empty()),
        ("use", has("uses")),
        ("hide", has("items")),
        ("promise", has("promise_to")),
        ("keep", has("promises")),
        ("attempt", notes.flag("attempt")),
        ("query", true),
        ("move", has("exits")),
        ("follow", others && has("exits")),
        ("wait", true),
    ];
    let possible = |actions: &[(&'static str, bool)]| {
        let actions = actions.iter().filter(|(_, is_possible)| *is_possible);
        actions.map(|(action, _)| *action).collect::<Vec<_>>()
    };
    let (said, done) = (possible(&said), possible(&done));
    let actions: Vec<_> = said.iter().chain(&done).copied().collect();
    let mut plan = Map::new();
    let first = match first_of(&actions, others, dialogue)? {
        First::Action(action) => action,
        First::Words(words) => {
            let target = one_of(text!(mind_seat_target), notes.names("present"), dialogue)?;
            return Ok(Some(json!({
                "mind": NO_THOUGHT, "speak": {"target": target, "text": words},
            })));
        }
    };
    fill(first, notes, &mut plan, dialogue)?;
    if said.contains(&first) {
        // To wait is to do nothing.
        let mut more = done;
        more.retain(|action| *action != "wait");
        more.insert(0, "nothing");
        match choose(text!(rpg_seat_and_then), &more, dialogue)? {
            "nothing" => {}
            second => fill(second, notes, &mut plan, dialogue)?,
        }
    }
    let thought = dialogue.text_or(text!(mind_seat_thought), NO_THOUGHT)?;
    plan.insert("mind".into(), thought.into());
    Ok(Some(plan.into()))
}

/// What somebody does first.
enum First {
    Action(&'static str),
    /// It says these words.
    Words(String),
}

/// Asks what somebody does first; it may say words only if somebody hears them.
fn first_of(
    actions: &[&'static str],
    is_heard: bool,
    dialogue: &mut Dialogue<'_>,
) -> io::Result<First> {
    if !is_heard {
        return choose(text!(mind_seat_what_to_do), actions, dialogue).map(First::Action);
    }
    let labels = actions.iter().map(|action| label(action));
    let labels: Vec<_> = labels.collect();
    Ok(
        match dialogue.choice_or_words(text!(rpg_seat_do_or_say), &labels)? {
            Chosen::Option(index) => First::Action(actions.get(index).copied().unwrap_or("wait")),
            Chosen::Words(words) => First::Words(words),
        },
    )
}

fn choose(
    question: UiText,
    actions: &[&'static str],
    dialogue: &mut Dialogue<'_>,
) -> io::Result<&'static str> {
    let labels = actions.iter().map(|action| label(action));
    let labels: Vec<_> = labels.collect();
    let chosen = dialogue.choice(question, &labels)?;
    Ok(actions.get(chosen).copied().unwrap_or("wait"))
}

/// An action in words; one of another game as it is.
pub(super) fn label(action: &str) -> UiText {
    match action {
        "speak" => text!(rpg_seat_speak),
        "whisper" => text!(rpg_seat_whisper),
        "announce" => text!(rpg_seat_announce),
        "query" => text!(rpg_seat_query),
        "take" => text!(rpg_seat_take),
        "give" => text!(rpg_seat_give),
        "show" => text!(rpg_seat_show),
        "read" => text!(rpg_seat_read),
        "use" => text!(rpg_seat_use),
        "hide" => text!(rpg_seat_hide),
        "follow" => text!(rpg_seat_follow),
        "promise" => text!(rpg_seat_promise),
        "keep" => text!(rpg_seat_keep),
        "attempt" => text!(rpg_seat_attempt),
        "move" => text!(rpg_seat_move),
        "nothing" => text!(rpg_seat_nothing),
        "wait" => text!(rpg_seat_wait),
        other => UiText::verbatim(other),
    }
}

/// Asks for the parts of an action.
fn fill(
    action: &str,
    notes: Notes<'_>,
    plan: &mut Map<String, Value>,
    dialogue: &mut Dialogue<'_>,
) -> io::Result<()> {
    let (whom, what) = (text!(mind_seat_target), text!(rpg_seat_item));
    let filled = match action {
        "speak" | "whisper" | "announce" => {
            let mut said = Map::new();
            if action != "announce" {
                let target = one_of(whom, notes.names("present"), dialogue)?;
                said.insert("target".into(), target.into());
            }
            let words = dialogue.text(text!(mind_seat_words))?;
            said.insert("text".into(), words.into());
            if let Some(fact) = told(notes, dialogue)? {
                said.insert("tells".into(), json!([fact]));
            }
            said.into()
        }
        "take" => json!({"item": one_of(what, notes.names("lying"), dialogue)?}),
        "give" | "show" => json!({
            "item": one_of(what, notes.names("items"), dialogue)?,
            "to": one_of(whom, notes.names("present"), dialogue)?,
        }),
        "read" => json!({"item": one_of(what, readable(notes), dialogue)?}),
        "hide" => json!({"item": one_of(what, notes.names("items"), dialogue)?}),
        "follow" => json!({"who": one_of(whom, notes.names("present"), dialogue)?}),
        "use" => {
            let uses: Vec<_> = notes.list("uses").collect();
            let rows = uses.iter().map(|using| {
                let (item, with) = (using.text("item"), using.text("with"));
                match with {
                    "" => UiText::verbatim(item),
                    _ => text!(rpg_seat_use_with, item, with),
                }
            });
            let rows: Vec<_> = rows.collect();
            let chosen = dialogue.choice(what, &rows)?;
            let part = |part| uses.get(chosen).map(|using| using.text(part));
            json!({"item": part("item"), "with": part("with")})
        }
        "promise" => json!({
            "to": one_of(whom, notes.texts("promise_to"), dialogue)?,
            "words": dialogue.text(text!(rpg_seat_vow))?,
        }),
        "keep" => {
            let promises: Vec<_> = notes.list("promises").collect();
            let rows = promises.iter().map(|promise| {
                let (to, words) = (promise.text("to"), promise.text("words"));
                text!(rpg_seat_promise_to, to, words)
            });
            let rows: Vec<_> = rows.collect();
            let chosen = dialogue.choice(text!(rpg_seat_which_promise), &rows)?;
            let number = promises.get(chosen).map(|promise| promise.number("number"));
            json!({"promise": number})
        }
        "attempt" => json!({"what": dialogue.text(text!(rpg_seat_what_to_try))?}),
        "move" => {
            let to = one_of(text!(mind_seat_to), notes.texts("exits"), dialogue)?;
            json!({ "to": to })
        }
        "wait" => json!({"reason": dialogue.text_or(text!(mind_seat_reason), NO_THOUGHT)?}),
        _ => json!({"text": dialogue.text(text!(rpg_seat_what_to_find))?}),
    };
    plan.insert(action.to_owned(), filled);
    Ok(())
}

/// The names of the items that can be read.
fn readable(notes: Notes<'_>) -> Vec<&str> {
    let items = notes.list("items").chain(notes.list("lying"));
    let readable = items.filter(|item| item.flag("readable"));
    readable.map(Notes::name).collect()
}

/// The id of the fact that words tell, if they tell one.
fn told<'n>(notes: Notes<'n>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<&'n str>> {
    let facts: Vec<_> = notes.list("facts").collect();
    if facts.is_empty() {
        return Ok(None);
    }
    let nothing = text!(rpg_seat_tells_nothing);
    let titles = facts
        .iter()
        .map(|fact| UiText::verbatim(fact.text("title")));
    let options: Vec<_> = std::iter::once(nothing).chain(titles).collect();
    let chosen = dialogue.choice(text!(rpg_seat_tells), &options)?;
    let fact = chosen.checked_sub(1).and_then(|index| facts.get(index));
    Ok(fact.map(|fact| fact.text("id")))
}

fn one_of(question: UiText, names: Vec<&str>, dialogue: &mut Dialogue<'_>) -> io::Result<String> {
    let chosen = dialogue.choice(question, &verbatim(&names))?;
    Ok(names.get(chosen).copied().unwrap_or_default().to_owned())
}

fn verbatim(names: &[&str]) -> Vec<UiText> {
    let names = names.iter();
    names.map(|name| UiText::verbatim(*name)).collect()
}

/// Asks where to go next, and why.
fn vote(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let dungeons = notes.names("options");
    let mut options = verbatim(&dungeons);
    options.push(text!(rpg_seat_stay));
    let chosen = dialogue.choice(text!(rpg_seat_where), &options)?;
    let chosen = dungeons.get(chosen).copied().unwrap_or(STAY);
    let mut vote = json!({"vote": chosen});
    let said = dialogue.line(text!(rpg_seat_why))?;
    if !said.is_empty() {
        vote["say"] = said.into();
    }
    vote["mind"] = dialogue
        .text_or(text!(mind_seat_thought), NO_THOUGHT)?
        .into();
    Ok(Some(vote))
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
    let options = actions.iter().map(|(_, label)| label.clone());
    let options: Vec<_> = options.collect();
    let chosen = dialogue.choice(text!(rpg_seat_act), &options)?;
    let action = actions.get(chosen).map_or("hold", |(action, _)| *action);
    let mut choice = json!({"action": action});
    let said = dialogue.line(text!(rpg_seat_say))?;
    if !said.is_empty() {
        choice["say"] = said.into();
    }
    if action == "play" {
        let rows: Vec<_> = hand.iter().map(|skill| row(*skill)).collect();
        let energy = notes.number("energy");
        let order = dialogue.order(text!(rpg_seat_order_of_cards, energy), &rows, false)?;
        let mut cards = Vec::new();
        for skill in order.into_iter().filter_map(|index| hand.get(index)) {
            cards.push(card(*skill, dialogue)?);
        }
        choice["cards"] = cards.into();
    } else {
        if action == "show" {
            let chosen = dialogue.choice(text!(rpg_seat_item), &verbatim(&items))?;
            choice["item"] = items.get(chosen).copied().unwrap_or_default().into();
        }
        choice["seen"] = dialogue.text(text!(rpg_seat_seen))?.into();
    }
    Ok(Some(choice))
}

/// Asks whether a claim holds, and which event shows it. `None` if the notes name no claim.
fn judge(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    if notes.text("claim").is_empty() {
        return Ok(None);
    }
    let events: Vec<_> = notes.list("events").collect();
    let shown = events.iter().map(|event| {
        let event = event.text("beginning");
        text!(rpg_seat_shown_by, event)
    });
    let no = text!(rpg_seat_not_shown);
    let options: Vec<_> = std::iter::once(no).chain(shown).collect();
    let chosen = dialogue.choice(text!(rpg_seat_holds, claim = notes.text("claim")), &options)?;
    let event = chosen.checked_sub(1).and_then(|index| events.get(index));
    let number = event.map_or(0, |event| event.number("number"));
    Ok(Some(json!({"holds": event.is_some(), "event": number})))
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
    let legal = skill.texts("legal");
    let question = text!(rpg_seat_targets, skill = name);
    let targets = dialogue.order(question, &verbatim(&legal), false)?;
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
    use serde_json::json;

    use playhouse_engine::locale::Language;
    use playhouse_engine::testing::{PersonAsk, json_of};

    fn ask_plan(present: &[&str]) -> PersonAsk<'static> {
        let present = present.iter().map(|name| json!({"name": name, "look": ""}));
        let notes = json!({"place": "Inn", "present": present.collect::<Vec<_>>(),
            "exits": ["Mill", "Quay"], "whisper": false});
        PersonAsk::new("home.plan")
            .json(json!({}))
            .notes(notes)
            .taught(super::teach)
    }

    #[tokio::test]
    async fn a_turn_is_chosen_from_menus() {
        let typed = "9\n1\nbob\n\nGood evening!\nnothing else\nI am tired.\n";
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
          2) announce to everyone
          3) search your memory
          4) go to another place
          5) go along with somebody
          6) wait
        What do you do, or say? > Type a number from 1 to 6, a name from the list, or a sentence to say.
        What do you do, or say? >   1) Ann
          2) Bob
        To whom? > What do you say? > Type a line, or press Ctrl-D to leave.
        What do you say? >   1) nothing else
          2) search your memory
          3) go to another place
          4) go along with somebody
        Do you do anything else? > What do you think? [Enter: …] >
        ");
    }

    #[tokio::test]
    async fn a_sentence_is_said_at_once_if_somebody_hears_it() {
        let (result, _) = ask_plan(&["Ann"])
            .answer(Language::En, "Good evening!\n")
            .await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"mind": "…", "speak": {"target": "Ann", "text": "Good evening!"}})
        );
        let ask = ask_plan(&["Ann", "Bob"]);
        let (result, _) = ask.answer(Language::Zh, "“好。”\n2\n").await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"mind": "…", "speak": {"target": "Bob", "text": "好。"}})
        );
        // Nobody is there, so it is not an option.
        let (result, _) = ask_plan(&[])
            .answer(Language::En, "Good evening!\nwait\n\n\n")
            .await;
        assert!(json_of(&result.unwrap())["speak"].is_null());
    }

    #[tokio::test]
    async fn something_said_and_something_done_go_together() {
        let ask = ask_plan(&["米拉"]);
        let (result, shown) = ask.answer(Language::Zh, "1\n晚上好！\n3\n2\n\n").await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"mind": "…", "speak": {"target": "米拉", "text": "晚上好！"}, "move": {"to": "Quay"}})
        );
        assert!(shown.contains("1) 对人说话"), "{shown}");
    }

    #[tokio::test]
    async fn one_of_two_promises_to_somebody_is_kept() {
        let promise = |number, words| json!({"number": number, "to": "Ann", "words": words});
        let promises = [promise(1, "I will pay."), promise(2, "I will come.")];
        let notes = json!({"place": "Inn", "promises": promises});
        let ask = PersonAsk::new("home.plan").json(json!({})).notes(notes);
        let ask = ask.taught(super::teach);
        let (result, shown) = ask.answer(Language::En, "keep a promise\n2\n\n").await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"mind": "…", "keep": {"promise": 2}})
        );
        assert!(shown.contains("2) to Ann: I will come."), "{shown}");
    }

    #[tokio::test]
    async fn something_may_be_tried_that_no_menu_lists() {
        let notes = json!({"place": "Inn", "attempt": true});
        let ask = PersonAsk::new("home.plan").json(json!({})).notes(notes);
        let ask = ask.taught(super::teach);
        let (result, _) = ask
            .answer(Language::En, "try something else\nForce the door.\n\n")
            .await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"mind": "…", "attempt": {"what": "Force the door."}})
        );
    }

    #[tokio::test]
    async fn somebody_alone_may_wait() {
        let (result, _) = ask_plan(&[]).answer(Language::En, "wait\n\n\n").await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"mind": "…", "wait": {"reason": "…"}})
        );
    }

    #[tokio::test]
    async fn a_vote_is_a_menu_and_a_reason() {
        let notes = json!({"options": [{"name": "The Mill"}, {"name": "The Hill"}]});
        let ask = PersonAsk::new("home.vote").json(json!({})).notes(notes);
        let ask = ask.taught(super::teach);
        let (result, shown) = ask.answer(Language::En, "3\nIt rains.\n\n").await;
        assert_eq!(
            json_of(&result.unwrap()),
            json!({"mind": "…", "vote": "stay", "say": "It rains."})
        );
        assert!(shown.contains("3) stay here for now"), "{shown}");
    }

    #[tokio::test]
    async fn a_judge_says_no_or_which_event_shows_it() {
        let event = |number, beginning| json!({"number": number, "beginning": beginning});
        let notes = json!({"claim": "It is dry.", "events": [
            event(1, "The rain stops."), event(2, "A dog barks.")]});
        for (typed, holds, number) in [("2\n", true, 1), ("1\n", false, 0)] {
            let ask = PersonAsk::new("scene.judge").json(json!({}));
            let ask = ask.notes(notes.clone()).taught(super::teach);
            let (result, shown) = ask.answer(Language::En, typed).await;
            let answer = json!({"holds": holds, "event": number});
            assert_eq!(json_of(&result.unwrap()), answer);
            assert!(
                shown.contains("3) yes, this shows it: A dog barks."),
                "{shown}"
            );
        }
    }

    fn ask_turn() -> PersonAsk<'static> {
        let skill = |name: &str, kind: &str, legal: &[&str]| json!({"skill": name, "kind": kind, "cost": 1, "power": 5, "about": format!("{name}!"), "legal": legal});
        PersonAsk::new("combat.act")
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
