//! How a person plays in a campaign: turns at home, votes, decisions, and turns in fights.
//!
//! A turn takes few questions. Words that are typed are said aloud; what is done is chosen from
//! sentences such as “give the clapper to Ann”, shown, and confirmed. Every question after the
//! first leads back to the one before.

mod walk;

use std::io;

use playhouse_engine::locale::{Argument, UiText, text};
use playhouse_engine::mind::Notes;
use playhouse_engine::mind::human::{
    Dialogue, Filled, OptionCost, Question, SeatAnswer, SeatField, SeatForm, SeatLessons,
    SeatOption, WORDS,
};
use serde_json::{Map, Value, json};

use crate::actions::member::{Member, Source};
use crate::actions::{ActionSpec, Slot};
use crate::combat::table::{self as combat, TURNS, TurnSpec};
use crate::world_file::STAY;
use walk::Walk;

/// The fields of forms.
const SAID: &str = "said";
const DONE: &str = "done";
const TELLS: &str = "tells";
const MIND: &str = "mind";
const WHICH: &str = "which";

/// Teaches a seat the campaign.
pub fn teach(lessons: &mut SeatLessons) {
    lessons
        .skill("home.plan", take_turn)
        .skill("home.vote", vote)
        .skill("scene.choose", choose)
        .skill("combat.draw", draw)
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
    let form = turn_form(notes);
    loop {
        let filled = dialogue.fill(&form, |dialogue| Walk::new(notes, &form, dialogue).ask())?;
        let may_try = notes.texts("can").contains(&"attempt") && !filled.has(DONE);
        let mut plan = plan_of(&filled);
        let Some((said, what)) = acted(&plan) else {
            return Ok(Some(plan.into()));
        };
        if !may_try {
            dialogue.show(text!(rpg_seat_not_said))?;
            continue;
        }
        dialogue.show(text!(rpg_seat_you_try, what = &what))?;
        plan.remove(said);
        plan.remove("tells");
        plan.insert("attempt".into(), json!({"what": what}));
        return Ok(Some(plan.into()));
    }
}

/// What was typed as words although it is plainly done, as in “*shows the letter*”, and how these
/// would be said.
fn acted(plan: &Map<String, Value>) -> Option<(&'static str, String)> {
    let said = ActionSpec::all().filter(|action| action.slot == Slot::Said);
    said.map(|action| action.name).find_map(|said| {
        let words = plan.get(said)?.get("text")?.as_str()?.trim();
        let deed = words.strip_prefix('*')?.strip_suffix('*')?.trim();
        let is_deed = !deed.is_empty() && !deed.contains('*');
        is_deed.then(|| (said, deed.to_owned()))
    })
}

/// What can be said and done in a turn.
fn turn_form(notes: Notes<'_>) -> SeatForm {
    let can = notes.texts("can");
    let possible = ActionSpec::all().filter(|action| can.contains(&action.name));
    let (said, done): (Vec<_>, Vec<_>) = possible.partition(|action| action.slot == Slot::Said);
    let acts = |acts: Vec<&'static ActionSpec>| acts.into_iter().map(move |act| act_of(act, notes));
    let nothing = |question: Question| question.or(text!(rpg_seat_nothing));
    let facts = notes.list("facts").map(|fact| {
        let title = UiText::verbatim(fact.text("title"));
        SeatOption::new(title, fact.text("id"))
    });
    let tells = Question::of(text!(rpg_seat_tells), facts).or(text!(rpg_seat_tells_nothing));
    let thought = Question::words(text!(mind_seat_thought));
    let fields = [
        SeatField::new(
            SAID,
            nothing(Question::of(text!(mind_seat_words), acts(said))),
        ),
        SeatField::new(TELLS, tells).with(SAID),
        SeatField::new(
            DONE,
            nothing(Question::of(text!(mind_seat_what_to_do), acts(done))),
        ),
        SeatField::new(MIND, thought.or(text!(mind_seat_nothing))),
    ];
    let is_open =
        |field: &SeatField| field.question.takes_words || !field.question.options.is_empty();
    SeatForm {
        label: match notes.list("present").len() {
            0 => text!(mind_seat_what_to_do),
            _ => text!(rpg_seat_do_or_say),
        },
        fields: fields.into_iter().filter(is_open).collect(),
        one_of: &[SAID, DONE],
        ..SeatForm::default()
    }
}

/// An action with what it needs: which of all ways, as a sentence, even if there is one only, and
/// words.
fn act_of(action: &'static ActionSpec, notes: Notes<'_>) -> SeatOption {
    let ways = ways(action, notes).into_iter().map(|way| {
        let summary = summary(action, notes, &way);
        SeatOption::new(sentence(action, notes, &way), way).with_summary(summary)
    });
    let listens = |member: &Member| matches!(member.source, Source::Listener);
    let label = match action.slot == Slot::Said || action.members.iter().any(listens) {
        true => text!(mind_seat_target),
        false => text!(rpg_seat_which),
    };
    let which = SeatField::new(WHICH, Question::of(label, ways));
    let words = action.members.iter().filter_map(|member| {
        let label = match member.source {
            Source::Speech => text!(mind_seat_words),
            Source::Vow => text!(rpg_seat_vow),
            Source::Deed => text!(rpg_seat_what_to_try),
            Source::Search => text!(rpg_seat_what_to_find),
            _ => return None,
        };
        Some(SeatField::new(member.name, Question::words(label)))
    });
    let which = Some(which).filter(|which| !which.question.options.is_empty());
    let label = ActionSpec::label(action.name);
    let summary = summary(action, notes, &Map::new());
    SeatOption {
        fields: which.into_iter().chain(words).collect(),
        ..SeatOption::new(label, action.name).with_summary(summary)
    }
}

/// The answer that was filled in.
fn plan_of(filled: &Filled) -> Map<String, Value> {
    let mut plan = Map::from_iter([(
        "mind".to_owned(),
        filled.words(MIND).unwrap_or_default().into(),
    )]);
    for act in [SAID, DONE].iter().flat_map(|field| filled.chosen(field)) {
        let mut members = match act.filled.value(WHICH) {
            Value::Object(way) => way,
            _ => Map::new(),
        };
        let words = act.filled.all_words();
        members.extend(words.map(|(name, words)| (name.to_owned(), words.into())));
        let name = act.value.as_str().unwrap_or_default();
        plan.insert(name.to_owned(), members.into());
    }
    let told = filled.value(TELLS);
    if !told.is_null() {
        plan.insert("tells".into(), json!([told]));
    }
    plan
}

/// All ways to fill those members of an action that have legal values to choose from.
fn ways(action: &ActionSpec, notes: Notes<'_>) -> Vec<Map<String, Value>> {
    let way = |parts: &[(&str, Value)]| {
        let parts = parts.iter();
        parts
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    };
    let sources = |source| action.members.iter().any(|member| member.source == source);
    if sources(Source::Usable) {
        let uses = notes.list("uses");
        let parts = |each: Notes<'_>| ["item", "with"].map(|name| (name, each.text(name).into()));
        return uses.map(|each| way(&parts(each))).collect();
    }
    if sources(Source::PromiseNumber) {
        let promises = notes.list("owed");
        return promises
            .map(|promise| way(&[("promise", promise.number("number").into())]))
            .collect();
    }
    let mut ways = Vec::new();
    for member in action.members {
        let Some(mut values) = member.source.noted(notes) else {
            continue;
        };
        if member.source == Source::Addressee && values.len() > 1 {
            values.push("");
        }
        if member.source == Source::Tongue {
            values.insert(0, "");
        }
        let before = if ways.is_empty() {
            vec![Map::new()]
        } else {
            ways
        };
        let filled = before.iter().flat_map(|way| {
            values.iter().map(|value| {
                let mut way = way.clone();
                way.insert(member.name.into(), (*value).into());
                way
            })
        });
        ways = filled.collect();
    }
    ways
}

fn sentence(action: &ActionSpec, notes: Notes<'_>, way: &Map<String, Value>) -> UiText {
    let chosen = |name: &str| way.get(name).and_then(Value::as_str).unwrap_or_default();
    if let Some(number) = way.get("promise").and_then(Value::as_i64) {
        let mut promises = notes.list("owed");
        let promise = promises.find(|promise| promise.number("number") == number);
        let part = |name| {
            promise
                .map(|promise| promise.text(name))
                .unwrap_or_default()
        };
        return text!(rpg_seat_promise_by, by = part("by"), words = part("words"));
    }
    let language = chosen("language");
    if !language.is_empty() {
        let mut plain = way.clone();
        plain.remove("language");
        return text!(
            rpg_seat_in_language,
            what = sentence(action, notes, &plain),
            language
        );
    }
    if action.name == "speak" && chosen("target").is_empty() {
        return text!(rpg_seat_to_everyone);
    }
    if action.name == "use" && chosen("with").is_empty() {
        return text!(rpg_seat_use_alone, item = chosen("item"));
    }
    let members = way.iter().map(|(name, value)| {
        let value = value.as_str().unwrap_or_default();
        (name.as_str(), Argument::from(value))
    });
    let known = UiText::find_with(&format!("rpg_seat_{}_what", action.name), members);
    known.unwrap_or_else(|| {
        let values = way.values().filter_map(Value::as_str);
        let what = Argument::list(values.map(str::to_owned));
        text!(
            rpg_seat_other_what,
            label = ActionSpec::label(action.name),
            what
        )
    })
}

/// What happens if an action is done in this way, for whoever does it.
fn summary(action: &ActionSpec, notes: Notes<'_>, way: &Map<String, Value>) -> UiText {
    let chosen = |name: &str| way.get(name).and_then(Value::as_str).unwrap_or_default();
    match action.name {
        "speak" | "whisper" | "announce" => said(action.name, chosen("target"), WORDS),
        "promise" => text!(rpg_seat_you_promise, to = chosen("to"), words = WORDS),
        "attempt" => text!(rpg_seat_you_try, what = WORDS),
        "query" => text!(rpg_seat_you_look_for, what = WORDS),
        "keep" => text!(rpg_seat_you_keep, promise = sentence(action, notes, way)),
        name if way.is_empty() => text!(rpg_seat_you, what = ActionSpec::label(name)),
        _ => text!(rpg_seat_you, what = sentence(action, notes, way)),
    }
}

/// What is said, for the one who says it.
fn said(action: &str, target: &str, words: &str) -> UiText {
    match (action, target) {
        ("whisper", _) => text!(rpg_seat_you_whisper, target, words),
        ("announce", _) => text!(rpg_seat_you_announce, words),
        (_, "") => text!(rpg_seat_you_say, words),
        _ => text!(rpg_seat_you_say_to, target, words),
    }
}

/// Asks where to go next, and why.
fn vote(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let dungeons = notes.names("options").into_iter();
    let dungeons = dungeons.map(|name| SeatOption::new(UiText::verbatim(name), name));
    let stay = SeatOption::new(text!(rpg_seat_stay), STAY);
    let question = Question::of(text!(rpg_seat_where), dungeons.chain([stay]));
    let filled = dialogue.fill_by_field(&choice_with_words(question))?;
    let said = filled.words(SAID);
    Ok(Some(
        json!({"mind": "", "vote": filled.value(WHICH), "say": said}),
    ))
}

/// Asks for a decision, and for words beside it.
fn choose(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let options = notes.list("options").map(|option| {
        let label = UiText::verbatim(option.text("label"));
        SeatOption::new(label, option.text("id"))
    });
    let question = Question::of(text!(rpg_seat_decide), options);
    if question.options.is_empty() {
        return Ok(None);
    }
    let worded = notes.list("options").filter(|option| option.flag("worded"));
    let worded: Vec<_> = worded.map(|option| option.text("id")).collect();
    let mut form = choice_with_words(question);
    // Whether anything is to be said depends on what is chosen.
    let words = form.fields.split_off(if worded.is_empty() { 2 } else { 1 });
    let mut filled = dialogue.fill_by_field(&form)?;
    let mut choice = json!({"mind": "", "option": filled.value(WHICH)});
    if !words.is_empty() && !worded.iter().any(|worded| choice["option"] == *worded) {
        let form = SeatForm {
            fields: words,
            ..SeatForm::default()
        };
        filled = dialogue.fill_by_field(&form)?;
    }
    if let Some(said) = filled.words(SAID) {
        choice["say"] = said.into();
    }
    Ok(Some(choice))
}

/// A choice, and the words that are said with it, if any.
fn choice_with_words(choice: Question) -> SeatForm {
    let words = Question::words(text!(rpg_seat_say_with_it)).or(text!(rpg_seat_say_nothing));
    SeatForm {
        fields: vec![SeatField::new(WHICH, choice), SeatField::new(SAID, words)],
        ..SeatForm::default()
    }
}

/// New cards keep the names and looks that the world gives them.
fn draw(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let cards = notes.list("hand").map(card_of);
    dialogue.show(text!(rpg_seat_cards_drawn))?;
    Ok(Some(json!({"cards": cards.collect::<Vec<_>>()})))
}

/// A card under the name and with the look that the world gives it.
fn card_of(skill: Notes<'_>) -> Value {
    let name = skill.text("skill");
    let look = match skill.text("about") {
        "" => name,
        about => about,
    };
    json!({"skill": name, "name": name, "description": look})
}

/// Asks for cards, each with its target, or for something else; a sentence is said before.
/// `None` if the notes tell of no fight.
fn act(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    if notes.list("allies").len() == 0 {
        return Ok(None);
    }
    let form = fight_form(notes);
    let filled = dialogue.fill(&form, |dialogue| play_cards(&form, dialogue))?;
    let played = filled
        .chosen(DONE)
        .iter()
        .map(|chosen| chosen.value.clone());
    let played: Vec<_> = played.collect();
    let mut choice = match played.as_slice() {
        [other] if other.get("skill").is_none() => other.clone(),
        cards => json!({"action": "play", "cards": cards}),
    };
    if let Some(said) = filled.words(SAID) {
        choice["say"] = said.into();
    }
    Ok(Some(choice))
}

/// The cards that can be paid, each on each of its targets, and what else can be done.
fn fight_form(notes: Notes<'_>) -> SeatForm {
    let energy = notes.number("energy");
    // However they were drawn, a number means the same as in the round before.
    let mut hand: Vec<_> = notes.list("hand").collect();
    hand.sort_by_key(|skill| skill.text("skill"));
    let cards = hand.into_iter().enumerate().flat_map(|(group, skill)| {
        let mut targets = skill.texts("legal");
        targets.sort_unstable();
        let targets = targets.into_iter();
        let amount = skill.number("cost");
        targets.map(move |on| {
            let mut card = card_of(skill);
            card["targets"] = json!([on]);
            SeatOption {
                cost: Some(OptionCost { group, amount }),
                ..SeatOption::new(card_on(skill, on), card)
            }
        })
    });
    let cards = cards.filter(|card| card.cost.is_some_and(|cost| cost.amount <= energy));
    let can = notes.texts("can");
    let others = TURNS.iter().filter(|row| can.contains(&row.name));
    let moves = cards.chain(others.flat_map(|row| others_of(row, notes)));
    let question = Question {
        budget: Some(energy),
        ..Question::of(UiText::default(), moves)
    };
    let words = Question::words(text!(mind_seat_words)).or(text!(rpg_seat_say_nothing));
    SeatForm {
        label: text!(mind_seat_what_to_do),
        fields: vec![SeatField::new(SAID, words), SeatField::new(DONE, question)],
        ..SeatForm::default()
    }
}

/// Asks for one card after the other, until there is no more energy.
fn play_cards(form: &SeatForm, dialogue: &mut Dialogue<'_>) -> io::Result<Filled> {
    let Some(moves) = form.fields.last().map(|field| &field.question) else {
        return Ok(Filled::default());
    };
    let mut said = Filled::default();
    let mut played: Vec<&SeatOption> = Vec::new();
    loop {
        let costs: Vec<_> = played.iter().filter_map(|card| card.cost).collect();
        let spent: i64 = costs.iter().map(|cost| cost.amount).sum();
        let energy = moves.budget.unwrap_or_default() - spent;
        let is_open = |option: &&SeatOption| match option.cost {
            Some(cost) => {
                cost.amount <= energy && costs.iter().all(|paid| paid.group != cost.group)
            }
            None => costs.is_empty(),
        };
        let open: Vec<_> = moves.options.iter().filter(is_open).collect();
        if open.is_empty() {
            break;
        }
        let typed = match said.has(SAID) {
            true => String::new(),
            false => dialogue.typed(SAID),
        };
        let question = |label| {
            let options = open.iter().copied().cloned();
            Question::of(label, options).or_words().typed(&typed)
        };
        let question = if played.is_empty() {
            let question = question(form.label.clone());
            match said.has(SAID) {
                true => question.with_back(),
                false => question.with_hint(text!(rpg_seat_said_aloud)),
            }
        } else {
            let question = question(text!(rpg_seat_another_card, energy));
            question.or(text!(rpg_seat_no_more)).with_back()
        };
        let (index, words) = match dialogue.ask(&question)? {
            SeatAnswer::Skipped => break,
            SeatAnswer::Back => {
                if played.pop().is_none() {
                    said = Filled::default();
                }
                continue;
            }
            SeatAnswer::Words(line) => match question.numbered(&line) {
                Some((index, words)) => (Some(index), words.to_owned()),
                None => (None, line),
            },
            SeatAnswer::Option(index) => (Some(index), String::new()),
        };
        if !words.is_empty() {
            dialogue.show(text!(rpg_seat_you_say, words = &words))?;
            said = Filled::default().with_words(SAID, words);
        }
        let chosen = index.and_then(|index| open.get(index)).copied();
        played.extend(chosen);
        if chosen.is_some_and(|option| option.cost.is_none()) {
            break;
        }
    }
    Ok(played.into_iter().fold(said, |filled, option| {
        filled.with_option(DONE, option, Filled::default())
    }))
}

/// The ways to spend a turn by a row of the table, unless cards are played.
fn others_of(row: &'static TurnSpec, notes: Notes<'_>) -> Vec<SeatOption> {
    let draws = |source| row.members.iter().any(|member| member.source == source);
    if draws(combat::Source::Hand) {
        return Vec::new();
    }
    if draws(combat::Source::Carried) {
        let shown = notes.names("items").into_iter().map(|item| {
            let value = json!({"action": "show", "item": item});
            SeatOption::new(text!(rpg_seat_show_item, item), value)
        });
        return shown.collect();
    }
    let label = ActionSpec::label(row.name);
    vec![SeatOption::new(label, json!({"action": row.name}))]
}

/// A card and its target in the menu.
fn card_on(skill: Notes<'_>, target: &str) -> UiText {
    let kind = match skill.text("kind") {
        "attack" => text!(rpg_seat_attack),
        "heal" => text!(rpg_seat_heal),
        "guard" => text!(rpg_seat_guard),
        "weaken" => text!(rpg_seat_weaken),
        "strengthen" => text!(rpg_seat_strengthen),
        kind => UiText::verbatim(kind),
    };
    text!(
        rpg_seat_card,
        skill = skill.text("skill"),
        target,
        kind,
        power = skill.number("power"),
        cost = skill.number("cost"),
    )
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
    let options = std::iter::once(text!(rpg_seat_not_shown)).chain(shown);
    let question = text!(rpg_seat_holds, claim = notes.text("claim"));
    let chosen = dialogue.choice(question, options.collect())?;
    let event = chosen.checked_sub(1).and_then(|index| events.get(index));
    let number = event.map_or(0, |event| event.number("number"));
    Ok(Some(json!({"holds": event.is_some(), "event": number})))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use playhouse_engine::locale::Language;
    use playhouse_engine::testing::{PersonAsk, json_of};

    use super::*;

    /// What a person who types these lines answers, and what it saw.
    async fn at_seat(purpose: &str, notes: Value, typed: &str) -> (Value, String) {
        let ask = PersonAsk::new(purpose).json(json!({})).notes(notes);
        let (result, shown) = ask.taught(teach).answer(Language::En, typed).await;
        (json_of(&result.unwrap()), shown)
    }

    fn turn(present: &[&str]) -> Value {
        let present: Vec<_> = (present.iter())
            .map(|name| json!({"name": name, "look": ""}))
            .collect();
        json!({
            "place": "Inn", "present": present, "exits": ["Mill", "Quay"],
            "items": [{"name": "the clapper"}],
            "can": ["speak", "announce", "give", "query", "attempt", "move", "wait"],
        })
    }

    #[tokio::test]
    async fn what_is_done_is_shown_in_a_sentence_even_if_there_is_one_way_only() {
        let (plan, shown) = at_seat("home.plan", turn(&["Ann"]), "give\nb\n3\n\n").await;
        let given = json!({"item": "the clapper", "to": "Ann"});
        assert_eq!(plan, json!({"mind": "", "give": given}));
        insta::assert_snapshot!(shown, @r"
        *** You are Mira. ***
        The tavern is full.
          1) speak to somebody
          2) announce to everyone
          3) give the clapper to Ann
          4) try something else
          5) search your memory
          6) go to Mill
          7) go to Quay
          8) wait
        What do you do, or say? (a sentence is said aloud) > You give the clapper to Ann.
          1) speak to somebody
          2) announce to everyone
        What else? (a sentence is said aloud) [Enter: that is all · b: back] >   1) speak to somebody
          2) announce to everyone
          3) give the clapper to Ann
          4) try something else
          5) search your memory
          6) go to Mill
          7) go to Quay
          8) wait
        What do you do, or say? (a sentence is said aloud) > You give the clapper to Ann.
          1) speak to somebody
          2) announce to everyone
        What else? (a sentence is said aloud) [Enter: that is all · b: back] >
        ");
    }

    #[tokio::test]
    async fn a_sentence_is_said_to_the_one_whom_it_names_or_to_everybody() {
        for (line, target) in [
            ("Bob Hale, is there any soup left?", "Bob Hale"),
            ("Is there any soup left, Bob?", "Bob Hale"),
            ("Is there any soup left?", ""),
        ] {
            let typed = format!("{line}\n\n");
            let (plan, shown) = at_seat("home.plan", turn(&["Ann", "Bob Hale"]), &typed).await;
            let said = json!({"target": target, "text": line});
            assert_eq!(plan, json!({"mind": "", "speak": said}));
            assert!(
                shown.contains(line) && shown.contains("Enter: that is all"),
                "{shown}"
            );
        }
    }

    #[tokio::test]
    async fn whom_words_are_for_can_be_chosen() {
        for typed in [
            "speak\nBob\nHello there.\n\n",
            "speak\n2 Hello there.\n\n",
            "speak\nBob: Hello there.\n\n",
            "speak\nbob：Hello there.\n\n",
            "speak\n1\nb\n2\nHello there.\n\n",
        ] {
            let (plan, shown) = at_seat("home.plan", turn(&["Ann", "Bob"]), typed).await;
            let said = json!({"target": "Bob", "text": "Hello there."});
            assert_eq!(plan["speak"], said, "{shown}");
            assert!(shown.contains("To whom? (a number or name"), "{shown}");
        }
        let typed = "speak\nWell, Bob?\n\n";
        let (plan, _) = at_seat("home.plan", turn(&["Ann", "Bob"]), typed).await;
        let said = json!({"target": "Bob", "text": "Well, Bob?"});
        assert_eq!(plan["speak"], said);
        let mut notes = turn(&["Ann", "Bob"]);
        notes["can"] = json!(["promise", "wait"]);
        notes["promise_to"] = json!(["Ann", "Bob"]);
        let (plan, shown) = at_seat("home.plan", notes, "promise\nBob\nI will come.\n\n").await;
        let promised = json!({"to": "Bob", "words": "I will come."});
        assert_eq!(plan["promise"], promised);
        assert!(shown.contains("To whom?"), "{shown}");
    }

    #[tokio::test]
    async fn something_said_goes_with_something_done_or_thought() {
        let said = json!({"target": "Ann", "text": "Good night."});
        for typed in ["Good night.\ngo to Quay\n\n", "7 Good night.\n\n"] {
            let (plan, _) = at_seat("home.plan", turn(&["Ann"]), typed).await;
            let left = json!({"mind": "", "speak": said, "move": {"to": "Quay"}});
            assert_eq!(plan, left);
        }
        let typed = "Good night.\nI don't believe a word.\n\n";
        let (plan, _) = at_seat("home.plan", turn(&["Ann"]), typed).await;
        assert_eq!(
            plan,
            json!({"mind": "I don't believe a word.", "speak": said})
        );
    }

    #[tokio::test]
    async fn what_is_typed_between_asterisks_is_tried_and_never_said() {
        let (plan, shown) = at_seat("home.plan", turn(&["Ann"]), "*force the door*\n\n").await;
        assert_eq!(
            plan,
            json!({"mind": "", "attempt": {"what": "force the door"}})
        );
        assert!(shown.contains("You try: force the door"), "{shown}");
        let mut notes = turn(&["Ann"]);
        notes["can"] = json!(["speak", "wait"]);
        let (plan, shown) = at_seat("home.plan", notes, "*force the door*\n\nNo.\n\n").await;
        assert_eq!(plan["speak"]["text"], "No.");
        assert!(shown.contains("is not said aloud"), "{shown}");
    }

    #[tokio::test]
    async fn nobody_hears_words_where_nobody_is() {
        let typed = "Is anybody here?\ntry something else\nForce the door.\n\n";
        let (plan, shown) = at_seat("home.plan", turn(&[]), typed).await;
        let tried = json!({"what": "Force the door."});
        assert_eq!(plan, json!({"mind": "", "attempt": tried}), "{shown}");
    }

    /// The number of an option of a form, by the labels that lead to it.
    fn number(form: &SeatForm, field: &str, label: &str) -> u32 {
        let field = form.fields.iter().find(|own| own.name == field).unwrap();
        let mut options = field.question.options.iter();
        let option = options.find(|option| option.label.in_language(Language::En) == label);
        option.unwrap().number
    }

    #[test]
    fn a_turn_that_is_filled_in_as_a_whole_is_a_plan() {
        let mut notes = turn(&["Ann", "Bob"]);
        notes["facts"] = json!([{"id": "lamp", "title": "Who put the lamp out"}]);
        let form = turn_form(Notes::new(&notes));
        let speak = number(&form, SAID, "speak to somebody");
        let give = number(&form, DONE, "give something to somebody");
        // To Ann, to Bob, to everyone here; to give something to everyone is no way.
        let answer = json!({
            "said": [{"option": speak, "fields": {"which": [{"option": 3}], "text": "Here."}}],
            "tells": [{"option": 1}], "mind": "At last.",
            "done": [{"option": give, "fields": {"which": [{"option": 2}]}}]});
        let filled = form.read(&serde_json::from_value(answer).unwrap()).unwrap();
        assert_eq!(
            Value::Object(plan_of(&filled)),
            json!({"mind": "At last.", "tells": ["lamp"],
                "speak": {"target": "", "text": "Here."},
                "give": {"item": "the clapper", "to": "Bob"}})
        );
    }

    #[tokio::test]
    async fn what_words_tell_is_asked_if_there_is_something_to_tell() {
        let mut notes = turn(&["Ann"]);
        notes["facts"] = json!([{"id": "lamp", "title": "Who put the lamp out"}]);
        let (plan, _) = at_seat("home.plan", notes, "It was me.\nand let it be known\n\n").await;
        assert_eq!(plan["tells"], json!(["lamp"]));
    }

    #[tokio::test]
    async fn one_of_two_promises_of_somebody_is_said_to_be_kept() {
        let promise = |number, words| json!({"number": number, "by": "Ann", "words": words});
        let owed = [promise(1, "I will pay."), promise(2, "I will come.")];
        let notes = json!({"place": "Inn", "can": ["keep"], "owed": owed});
        let (plan, shown) = at_seat("home.plan", notes, "2\n\n").await;
        assert_eq!(plan, json!({"mind": "", "keep": {"promise": 2}}));
        let way = "2) say that Ann has kept this promise: I will come.";
        assert!(shown.contains(way), "{shown}");
    }

    #[tokio::test]
    async fn a_long_list_of_ways_is_chosen_in_two_steps() {
        let mut notes = turn(&["Ann", "Bob", "Cay", "Dan", "Eve"]);
        notes["items"] = json!([{"name": "the key"}, {"name": "the log"}, {"name": "the cup"}]);
        let (plan, _) = at_seat("home.plan", notes, "give\nlog\nEve\n\n").await;
        assert_eq!(plan["give"], json!({"item": "the log", "to": "Eve"}));
    }

    #[tokio::test]
    async fn a_vote_and_a_decision_may_go_with_words() {
        let notes = json!({"options": [{"name": "The Mill"}, {"name": "The Hill"}]});
        let (vote, shown) = at_seat("home.vote", notes, "3\nb\nstay\nIt rains.\n").await;
        assert_eq!(
            vote,
            json!({"mind": "", "vote": "stay", "say": "It rains."})
        );
        assert!(shown.contains("3) stay here for now"), "{shown}");
        let notes = json!({"options": [
            {"id": "swear", "label": "Swear"}, {"id": "hand-over", "label": "Hand it over"}]});
        let (choice, _) = at_seat("scene.choose", notes, "hand it over\n\n").await;
        assert_eq!(choice, json!({"mind": "", "option": "hand-over"}));
    }

    #[tokio::test]
    async fn a_judge_says_no_or_which_event_shows_it() {
        let event = |number, beginning| json!({"number": number, "beginning": beginning});
        let notes = json!({"claim": "It is dry.", "events": [
            event(1, "The rain stops."), event(2, "A dog barks.")]});
        for (typed, holds, number) in [("2\n", true, 1), ("1\n", false, 0)] {
            let (verdict, shown) = at_seat("scene.judge", notes.clone(), typed).await;
            assert_eq!(verdict, json!({"holds": holds, "event": number}));
            assert!(
                shown.contains("3) yes, this shows it: A dog barks."),
                "{shown}"
            );
        }
    }

    fn fight() -> Value {
        let skill = |name: &str, kind: &str, legal: &[&str]| {
            json!({"skill": name, "kind": kind, "cost": 1, "power": 5,
                "about": format!("{name}!"), "legal": legal})
        };
        json!({"energy": 2, "allies": [{"name": "Ann"}], "can": ["play", "hold", "flee", "yield"], "hand": [
            skill("Strike", "attack", &["Wolf", "Bear"]), skill("Mend", "heal", &["Ann"])]})
    }

    #[tokio::test]
    async fn a_card_and_its_target_are_one_question() {
        let (choice, shown) = at_seat("combat.act", fight(), "Stand back!\n2\n1\n").await;
        let card = |name: &str, target: &str| {
            json!({"skill": name, "name": name, "description": format!("{name}!"),
                "targets": [target]})
        };
        let cards = [card("Strike", "Bear"), card("Mend", "Ann")];
        let played = json!({"action": "play", "say": "Stand back!", "cards": cards});
        assert_eq!(choice, played);
        for typed in [
            "2 Stand back!\n1\n",
            "Er.\nb\nStand back!\nstrike bear\nmend\n",
        ] {
            let (choice, _) = at_seat("combat.act", fight(), typed).await;
            assert_eq!(choice, played);
        }
        insta::assert_snapshot!(shown, @r"
        *** You are Mira. ***
        The tavern is full.
          1) Mend → Ann (heal 5, 1 energy)
          2) Strike → Bear (attack 5, 1 energy)
          3) Strike → Wolf (attack 5, 1 energy)
          4) do nothing
          5) flee
          6) yield
        What do you do? (a sentence is said aloud) > You say: “Stand back!”
          1) Mend → Ann (heal 5, 1 energy)
          2) Strike → Bear (attack 5, 1 energy)
          3) Strike → Wolf (attack 5, 1 energy)
          4) do nothing
          5) flee
          6) yield
        What do you do? [b: back] >   1) Mend → Ann (heal 5, 1 energy)
        Another card? You have 1 energy left. [Enter: that is all · b: back] >
        ");
    }

    #[tokio::test]
    async fn a_turn_may_be_spent_without_cards() {
        let (choice, _) = at_seat("combat.act", fight(), "yield\n").await;
        assert_eq!(choice, json!({"action": "yield"}));
    }

    #[test]
    fn every_action_that_is_chosen_from_a_list_has_a_sentence() {
        for action in ActionSpec::all() {
            let has_choice = (action.members.iter())
                .any(|member| member.source.noted(Notes::new(&Value::Null)).is_some());
            let key = format!("rpg_seat_{}_what", action.name);
            assert!(
                !has_choice || UiText::find(&key).is_some() || action.name == "keep",
                "{key}"
            );
        }
    }
}
