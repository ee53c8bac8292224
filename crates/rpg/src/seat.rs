//! How a person plays in a campaign: turns at home, and turns in fights.

use std::io;

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Notes;
use playhouse_engine::mind::human::{Chosen, Dialogue, SeatLessons};
use serde_json::{Map, Value, json};

use crate::actions::member::Source;
use crate::actions::{ActionSpec, Slot};
use crate::world_file::STAY;

/// The thought that stands for none.
const NO_THOUGHT: &str = "…";

/// Teaches a seat the campaign.
pub fn teach(lessons: &mut SeatLessons) {
    lessons
        .skill("home.plan", take_turn)
        .skill("home.vote", vote)
        .skill("combat.act", act)
        .skill("scene.judge", judge)
        .member("target", text!(mind_seat_target))
        .member("text", text!(mind_seat_words))
        .member("to", text!(mind_seat_to))
        .member("reason", text!(mind_seat_reason))
        .thought("mind");
}

/// Asks what to say and to do. `None` if the notes are not those of a turn.
fn take_turn(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    if notes.text("place").is_empty() {
        return Ok(None);
    }
    let can = notes.texts("can");
    let possible = ActionSpec::all().filter(|action| can.contains(&action.name));
    let (said, done): (Vec<_>, Vec<_>) = possible.partition(|action| action.slot == Slot::Said);
    let actions: Vec<_> = said.iter().chain(&done).copied().collect();
    let is_heard = notes.list("present").len() > 0;
    let mut plan = Map::new();
    let first = match first_of(&actions, is_heard, dialogue)? {
        First::Action(action) => action,
        First::Words(words) => {
            let target = one_of(text!(mind_seat_target), notes.names("present"), dialogue)?;
            return Ok(Some(json!({
                "mind": NO_THOUGHT, "speak": {"target": target, "text": words},
            })));
        }
    };
    plan.insert(first.name.into(), fill(first, notes, dialogue)?);
    if first.slot == Slot::Said {
        if let Some(fact) = told(notes, dialogue)? {
            plan.insert("tells".into(), json!([fact]));
        }
        // To wait is to do nothing.
        let more = done.into_iter().filter(|action| action.name != "wait");
        let more: Vec<_> = more.collect();
        let labels = std::iter::once(text!(rpg_seat_nothing)).chain(labels(&more));
        let chosen = dialogue.choice(text!(rpg_seat_and_then), &labels.collect::<Vec<_>>())?;
        let second = chosen.checked_sub(1).and_then(|index| more.get(index));
        if let Some(second) = second {
            plan.insert(second.name.into(), fill(second, notes, dialogue)?);
        }
    }
    let thought = dialogue.text_or(text!(mind_seat_thought), NO_THOUGHT)?;
    plan.insert("mind".into(), thought.into());
    Ok(Some(plan.into()))
}

enum First {
    Action(&'static ActionSpec),
    Words(String),
}

/// Asks what somebody does first; it may say words only if somebody hears them.
fn first_of(
    actions: &[&'static ActionSpec],
    is_heard: bool,
    dialogue: &mut Dialogue<'_>,
) -> io::Result<First> {
    let labels: Vec<_> = labels(actions).collect();
    let chosen = if is_heard {
        dialogue.choice_or_words(text!(rpg_seat_do_or_say), &labels)?
    } else {
        Chosen::Option(dialogue.choice(text!(mind_seat_what_to_do), &labels)?)
    };
    match chosen {
        Chosen::Option(index) => {
            let action = actions.get(index).copied();
            action
                .map(First::Action)
                .ok_or(io::ErrorKind::InvalidInput.into())
        }
        Chosen::Words(words) => Ok(First::Words(words)),
    }
}

fn labels(actions: &[&ActionSpec]) -> impl Iterator<Item = UiText> {
    actions.iter().map(|action| ActionSpec::label(action.name))
}

/// Asks for the members of an action.
fn fill(action: &ActionSpec, notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Value> {
    let mut filled = Map::new();
    for member in action.members {
        match member.source {
            Source::Usable => {
                let (item, with) = choose_use(notes, dialogue)?;
                filled.insert(member.name.into(), item.into());
                filled.insert("with".into(), with.into());
            }
            // These follow from what was chosen before or comes after; nobody asks what for.
            Source::UsedWith | Source::Promisee | Source::Motive | Source::Step => {}
            source => {
                filled.insert(member.name.into(), ask(source, notes, dialogue)?);
            }
        }
    }
    Ok(filled.into())
}

/// Asks for a member.
fn ask(source: Source, notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Value> {
    let text = match source {
        Source::PromiseNumber => return Ok(choose_promise(notes, dialogue)?.into()),
        Source::Speech => dialogue.text(text!(mind_seat_words))?,
        Source::Vow => dialogue.text(text!(rpg_seat_vow))?,
        Source::Deed => dialogue.text(text!(rpg_seat_what_to_try))?,
        Source::Search => dialogue.text(text!(rpg_seat_what_to_find))?,
        Source::Reason => dialogue.text_or(text!(mind_seat_reason), NO_THOUGHT)?,
        Source::Exit => one_of(text!(mind_seat_to), notes.texts("exits"), dialogue)?,
        Source::Lying | Source::Held | Source::Readable => {
            let items = source.noted(notes).unwrap_or_default();
            one_of(text!(rpg_seat_item), items, dialogue)?
        }
        _ => {
            let people = source.noted(notes).unwrap_or_default();
            one_of(text!(mind_seat_target), people, dialogue)?
        }
    };
    Ok(text.into())
}

/// Which item is used, and with what.
fn choose_use<'n>(notes: Notes<'n>, dialogue: &mut Dialogue<'_>) -> io::Result<(&'n str, &'n str)> {
    let uses: Vec<_> = notes.list("uses").collect();
    let rows = uses.iter().map(|using| {
        let (item, with) = (using.text("item"), using.text("with"));
        match with {
            "" => UiText::verbatim(item),
            _ => text!(rpg_seat_use_with, item, with),
        }
    });
    let chosen = dialogue.choice(text!(rpg_seat_item), &rows.collect::<Vec<_>>())?;
    let part = |part| uses.get(chosen).map(|using| using.text(part));
    Ok((
        part("item").unwrap_or_default(),
        part("with").unwrap_or_default(),
    ))
}

/// The number of the promise that is kept.
fn choose_promise(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<i64> {
    let promises: Vec<_> = notes.list("promises").collect();
    let rows = promises.iter().map(|promise| {
        let (to, words) = (promise.text("to"), promise.text("words"));
        text!(rpg_seat_promise_to, to, words)
    });
    let chosen = dialogue.choice(text!(rpg_seat_which_promise), &rows.collect::<Vec<_>>())?;
    let number = promises.get(chosen).map(|promise| promise.number("number"));
    Ok(number.unwrap_or_default())
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
        let can = match present {
            [] => vec!["announce", "query", "move", "wait"],
            _ => vec!["speak", "announce", "follow", "query", "move", "wait"],
        };
        let present = present.iter().map(|name| json!({"name": name, "look": ""}));
        let notes = json!({"place": "Inn", "present": present.collect::<Vec<_>>(),
            "exits": ["Mill", "Quay"], "can": can});
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
          3) go along with somebody
          4) search your memory
          5) go to another place
          6) wait
        What do you do, or say? > Type a number from 1 to 6, a name from the list, or a sentence to say.
        What do you do, or say? >   1) Ann
          2) Bob
        To whom? > What do you say? > Type a line, or press Ctrl-D to leave.
        What do you say? >   1) nothing else
          2) go along with somebody
          3) search your memory
          4) go to another place
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
        let (result, shown) = ask.answer(Language::Zh, "1\n晚上好！\n4\n2\n\n").await;
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
        let notes = json!({"place": "Inn", "can": ["keep"], "promises": promises});
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
        let notes = json!({"place": "Inn", "can": ["attempt", "wait"]});
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
