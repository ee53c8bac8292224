//! How a person plays in a campaign: turns at home, votes, decisions, and turns in fights.
//!
//! A turn takes few questions. Words that are typed are said aloud; an action is chosen from a
//! menu, then exactly what is done, from sentences such as “give the clapper to Ann”. Every
//! question after the first leads back to it.

use std::io;

use playhouse_engine::locale::{Argument, UiText, text};
use playhouse_engine::mind::Notes;
use playhouse_engine::mind::human::{Dialogue, Question, SeatAnswer, SeatLessons};
use playhouse_engine::reading::Offers;
use serde_json::{Map, Value, json};

use crate::actions::member::Source;
use crate::actions::{ActionSpec, Slot};
use crate::combat::table::{self as combat, TURNS, TurnSpec};
use crate::world_file::STAY;

/// More sentences are no menu: what comes first in them is chosen first.
const LONGEST_MENU: usize = 12;

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
    loop {
        if let Some(turn) = Turn::new(notes, dialogue).ask()? {
            return Ok(Some(turn.into()));
        }
    }
}

/// A turn as it is put together. Its steps return `None` if the person wants to begin it again.
struct Turn<'n, 'd, 'c> {
    notes: Notes<'n>,
    dialogue: &'d mut Dialogue<'c>,
    said: Vec<&'static ActionSpec>,
    done: Vec<&'static ActionSpec>,
    plan: Map<String, Value>,
}

impl<'n, 'd, 'c> Turn<'n, 'd, 'c> {
    fn new(notes: Notes<'n>, dialogue: &'d mut Dialogue<'c>) -> Self {
        let can = notes.texts("can");
        let possible = ActionSpec::all().filter(|action| can.contains(&action.name));
        let (said, done) = possible.partition(|action| action.slot == Slot::Said);
        Self {
            notes,
            dialogue,
            said,
            done,
            plan: Map::from_iter([("mind".to_owned(), "".into())]),
        }
    }

    fn ask(mut self) -> io::Result<Option<Map<String, Value>>> {
        let actions: Vec<_> = self.said.iter().chain(&self.done).copied().collect();
        let is_heard = self.notes.list("present").len() > 0;
        let question = match is_heard {
            true => Question::options(text!(rpg_seat_do_or_say), labels(&actions)).or_words(),
            false => Question::options(text!(mind_seat_what_to_do), labels(&actions)),
        };
        let is_said = match self.dialogue.ask(&question)? {
            SeatAnswer::Words(words) => {
                self.say(words);
                true
            }
            SeatAnswer::Option(index) => {
                let Some(action) = actions.get(index) else {
                    return Ok(None);
                };
                if !self.add(action)? {
                    return Ok(None);
                }
                action.slot == Slot::Said
            }
            SeatAnswer::Skipped | SeatAnswer::Back => return Ok(None),
        };
        if is_said && !(self.tell()? && self.do_more()?) {
            return Ok(None);
        }
        Ok(Some(self.plan))
    }

    /// Says words to the one whom they name, or to everybody here.
    fn say(&mut self, words: String) {
        let present = self.notes.names("present");
        let named = Offers::of_names(present.iter().copied()).mentioned(&words);
        let target = match (named.as_slice(), present.as_slice()) {
            ([one], _) => present.get(*one).copied(),
            (_, [only]) => Some(*only),
            _ => None,
        };
        let said = json!({"target": target.unwrap_or_default(), "text": words});
        self.plan.insert("speak".into(), said);
    }

    /// Asks for everything that an action needs; returns whether it is in the plan.
    fn add(&mut self, action: &ActionSpec) -> io::Result<bool> {
        let Some(mut filled) = self.choose(action)? else {
            return Ok(false);
        };
        for member in action.members {
            let label = match member.source {
                Source::Speech => text!(mind_seat_words),
                Source::Vow => text!(rpg_seat_vow),
                Source::Deed => text!(rpg_seat_what_to_try),
                Source::Search => text!(rpg_seat_what_to_find),
                _ => continue,
            };
            let question = Question::words(label).with_back();
            let SeatAnswer::Words(words) = self.dialogue.ask(&question)? else {
                return Ok(false);
            };
            filled.insert(member.name.into(), words.into());
        }
        self.plan.insert(action.name.into(), filled.into());
        Ok(true)
    }

    /// Which of all ways of an action is chosen, as a sentence, even if there is one only.
    fn choose(&mut self, action: &ActionSpec) -> io::Result<Option<Map<String, Value>>> {
        let mut ways = ways(action, self.notes);
        if ways.len() > LONGEST_MENU
            && let Some(first) = action.members.first()
        {
            let mut values: Vec<_> = ways.iter().filter_map(|way| way.get(first.name)).collect();
            values.dedup();
            let options = values.iter().filter_map(|value| value.as_str());
            let options = options.map(UiText::verbatim).collect();
            let question = Question::options(ActionSpec::label(action.name), options);
            let SeatAnswer::Option(index) = self.dialogue.ask(&question.with_back())? else {
                return Ok(None);
            };
            let chosen = values.get(index).map(|value| (*value).clone());
            ways.retain(|way| way.get(first.name) == chosen.as_ref());
        }
        if ways.is_empty() {
            return Ok(Some(Map::new()));
        }
        let sentences = ways.iter().map(|way| sentence(action, self.notes, way));
        let question = Question::options(text!(rpg_seat_which), sentences.collect()).with_back();
        let chosen = match self.dialogue.ask(&question)? {
            SeatAnswer::Option(index) => index,
            _ => return Ok(None),
        };
        Ok(ways.into_iter().nth(chosen))
    }

    /// Asks which fact the words tell, if one is known that others here don't know.
    fn tell(&mut self) -> io::Result<bool> {
        let facts: Vec<_> = self.notes.list("facts").collect();
        if facts.is_empty() {
            return Ok(true);
        }
        let titles = facts
            .iter()
            .map(|fact| UiText::verbatim(fact.text("title")));
        let question = Question::options(text!(rpg_seat_tells), titles.collect());
        let question = question.or(text!(rpg_seat_tells_nothing)).with_back();
        match self.dialogue.ask(&question)? {
            SeatAnswer::Back => return Ok(false),
            SeatAnswer::Option(index) => {
                let told = facts.get(index).map(|fact| fact.text("id"));
                self.plan.insert("tells".into(), json!([told]));
            }
            SeatAnswer::Skipped | SeatAnswer::Words(_) => {}
        }
        Ok(true)
    }

    /// Shows what is said, and asks what is done beside it, or thought.
    fn do_more(&mut self) -> io::Result<bool> {
        let said =
            (self.said.iter()).find_map(|action| Some((*action, self.plan.get(action.name)?)));
        if let Some((action, said)) = said {
            self.dialogue.show(spoken(action, Notes::new(said)))?;
        }
        // To wait is to do nothing.
        let more = self.done.iter().filter(|action| action.name != "wait");
        let more: Vec<_> = more.copied().collect();
        let question = Question::options(text!(rpg_seat_and_then), labels(&more));
        let question = question.or(text!(rpg_seat_nothing)).or_words().with_back();
        Ok(match self.dialogue.ask(&question)? {
            SeatAnswer::Skipped => true,
            SeatAnswer::Words(thought) => {
                self.plan.insert("mind".into(), thought.into());
                true
            }
            SeatAnswer::Option(index) => match more.get(index) {
                Some(action) => self.add(action)?,
                None => false,
            },
            SeatAnswer::Back => false,
        })
    }
}

fn labels(actions: &[&ActionSpec]) -> Vec<UiText> {
    let actions = actions.iter();
    actions
        .map(|action| ActionSpec::label(action.name))
        .collect()
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
        let promises = notes.list("promises");
        return promises
            .map(|promise| way(&[("promise", promise.number("number").into())]))
            .collect();
    }
    let mut ways = Vec::new();
    for member in action.members {
        let Some(values) = member.source.noted(notes) else {
            continue;
        };
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

/// One way of an action, as a sentence.
fn sentence(action: &ActionSpec, notes: Notes<'_>, way: &Map<String, Value>) -> UiText {
    let chosen = |name: &str| way.get(name).and_then(Value::as_str).unwrap_or_default();
    if let Some(number) = way.get("promise").and_then(Value::as_i64) {
        let mut promises = notes.list("promises");
        let promise = promises.find(|promise| promise.number("number") == number);
        let part = |name| {
            promise
                .map(|promise| promise.text(name))
                .unwrap_or_default()
        };
        return text!(rpg_seat_promise_to, to = part("to"), words = part("words"));
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

/// What is said, for the one who says it.
fn spoken(action: &ActionSpec, said: Notes<'_>) -> UiText {
    let (target, words) = (said.text("target"), said.text("text"));
    match (action.name, target) {
        ("whisper", _) => text!(rpg_seat_you_whisper, target, words),
        ("announce", _) => text!(rpg_seat_you_announce, words),
        (_, "") => text!(rpg_seat_you_say, words),
        _ => text!(rpg_seat_you_say_to, target, words),
    }
}

/// Asks where to go next, and why.
fn vote(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let dungeons = notes.names("options");
    let mut options: Vec<_> = dungeons
        .iter()
        .map(|name| UiText::verbatim(*name))
        .collect();
    options.push(text!(rpg_seat_stay));
    let question = Question::options(text!(rpg_seat_where), options);
    let Some((chosen, said)) = choose_and_say(&question, dialogue)? else {
        return Ok(None);
    };
    let chosen = dungeons.get(chosen).copied().unwrap_or(STAY);
    Ok(Some(json!({"mind": "", "vote": chosen, "say": said})))
}

/// Asks for a decision, and for words beside it.
fn choose(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    let options: Vec<_> = notes.list("options").collect();
    let labels = options
        .iter()
        .map(|option| UiText::verbatim(option.text("label")));
    let question = Question::options(text!(rpg_seat_decide), labels.collect());
    let Some((chosen, said)) = choose_and_say(&question, dialogue)? else {
        return Ok(None);
    };
    let chosen = options.get(chosen).map(|option| option.text("id"));
    let mut choice = json!({"mind": "", "option": chosen});
    if let Some(said) = said {
        choice["say"] = said.into();
    }
    Ok(Some(choice))
}

/// An option and the words that are said with it, if any. `None` if there are no options.
fn choose_and_say(
    question: &Question,
    dialogue: &mut Dialogue<'_>,
) -> io::Result<Option<(usize, Option<String>)>> {
    let words = Question::words(text!(rpg_seat_say_with_it)).or(text!(rpg_seat_say_nothing));
    let words = words.with_back();
    while !question.options.is_empty() {
        let SeatAnswer::Option(chosen) = dialogue.ask(question)? else {
            continue;
        };
        match dialogue.ask(&words)? {
            SeatAnswer::Back => {}
            SeatAnswer::Words(said) => return Ok(Some((chosen, Some(said)))),
            SeatAnswer::Skipped | SeatAnswer::Option(_) => return Ok(Some((chosen, None))),
        }
    }
    Ok(None)
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

/// What can be done at a turn of a fight.
#[derive(Clone)]
enum FightMove<'n> {
    /// This card of the hand on this target.
    Card(usize, &'n str),
    Show(&'n str),
    /// Hold, flee or yield, as answers call it.
    Other(&'static str),
}

/// Asks for cards, each with its target, or for something else; a sentence is said before.
/// `None` if the notes tell of no fight.
fn act(notes: Notes<'_>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<Value>> {
    if notes.list("allies").len() == 0 {
        return Ok(None);
    }
    let hand: Vec<_> = notes.list("hand").collect();
    let mut played: Vec<(usize, &str)> = Vec::new();
    let mut choice = json!({});
    loop {
        let spent: i64 = (played.iter())
            .filter_map(|(index, _)| hand.get(*index))
            .map(|skill| skill.number("cost"))
            .sum();
        let energy = notes.number("energy") - spent;
        let moves = moves(notes, &hand, &played, energy);
        if moves.is_empty() {
            break;
        }
        let labels = moves.iter().map(|(_, label)| label.clone()).collect();
        let question = if played.is_empty() {
            Question::options(text!(rpg_seat_act), labels).or_words()
        } else {
            let question = Question::options(text!(rpg_seat_another_card, energy), labels);
            question.or(text!(rpg_seat_no_more)).or_words().with_back()
        };
        match dialogue.ask(&question)? {
            SeatAnswer::Skipped => break,
            SeatAnswer::Back => {
                played.pop();
            }
            SeatAnswer::Words(words) => {
                dialogue.show(text!(rpg_seat_you_say, words = &words))?;
                choice["say"] = words.into();
            }
            SeatAnswer::Option(index) => match moves.into_iter().nth(index) {
                Some((FightMove::Card(card, target), _)) => played.push((card, target)),
                Some((FightMove::Show(item), _)) => {
                    choice["action"] = "show".into();
                    choice["item"] = item.into();
                    return Ok(Some(choice));
                }
                Some((FightMove::Other(action), _)) => {
                    choice["action"] = action.into();
                    return Ok(Some(choice));
                }
                None => {}
            },
        }
    }
    let cards = played.iter().filter_map(|(index, target)| {
        let mut card = card_of(*hand.get(*index)?);
        card["targets"] = json!([target]);
        Some(card)
    });
    choice["cards"] = cards.collect();
    choice["action"] = "play".into();
    Ok(Some(choice))
}

/// The cards that can be paid, each on each of its targets; before the first one also what else can
/// be done.
fn moves<'n>(
    notes: Notes<'n>,
    hand: &[Notes<'n>],
    played: &[(usize, &str)],
    energy: i64,
) -> Vec<(FightMove<'n>, UiText)> {
    let mut moves = Vec::new();
    for (index, skill) in hand.iter().enumerate() {
        let is_played = played.iter().any(|(card, _)| *card == index);
        if is_played || skill.number("cost") > energy {
            continue;
        }
        let targets = skill.texts("legal").into_iter();
        moves.extend(targets.map(|on| (FightMove::Card(index, on), card_on(*skill, on))));
    }
    if played.is_empty() {
        let can = notes.texts("can");
        let others = TURNS.iter().filter(|row| can.contains(&row.name));
        moves.extend(others.flat_map(|row| others_of(row, notes)));
    }
    moves
}

/// The ways to spend a turn by a row of the table, unless cards are played.
fn others_of<'n>(row: &'static TurnSpec, notes: Notes<'n>) -> Vec<(FightMove<'n>, UiText)> {
    let draws = |source| row.members.iter().any(|member| member.source == source);
    if draws(combat::Source::Hand) {
        return Vec::new();
    }
    if draws(combat::Source::Carried) {
        let items = notes.names("items").into_iter();
        let shown = items.map(|item| (FightMove::Show(item), text!(rpg_seat_show_item, item)));
        return shown.collect();
    }
    vec![(FightMove::Other(row.name), ActionSpec::label(row.name))]
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
        let (plan, shown) = at_seat("home.plan", turn(&["Ann"]), "give\nb\ngive\n1\n").await;
        let given = json!({"item": "the clapper", "to": "Ann"});
        assert_eq!(plan, json!({"mind": "", "give": given}));
        insta::assert_snapshot!(shown, @r"
        *** You are Mira. ***
        The tavern is full.
          1) speak to somebody
          2) announce to everyone
          3) give something to somebody
          4) try something else
          5) search your memory
          6) go to another place
          7) wait
        What do you do, or say? (a sentence is said aloud) >   1) give the clapper to Ann
        Which? [b: back] >   1) speak to somebody
          2) announce to everyone
          3) give something to somebody
          4) try something else
          5) search your memory
          6) go to another place
          7) wait
        What do you do, or say? (a sentence is said aloud) >   1) give the clapper to Ann
        Which? [b: back] >
        ");
    }

    #[tokio::test]
    async fn a_sentence_is_said_to_the_one_whom_it_names_or_to_everybody() {
        for (line, target) in [
            ("Bob, is there any soup left?", "Bob"),
            ("Is there any soup left?", ""),
        ] {
            let typed = format!("{line}\n\n");
            let (plan, shown) = at_seat("home.plan", turn(&["Ann", "Bob"]), &typed).await;
            let said = json!({"target": target, "text": line});
            assert_eq!(plan, json!({"mind": "", "speak": said}));
            assert!(
                shown.contains(line) && shown.contains("Enter: nothing else"),
                "{shown}"
            );
        }
    }

    #[tokio::test]
    async fn something_said_goes_with_something_done_or_thought() {
        let (plan, _) = at_seat("home.plan", turn(&["Ann"]), "Good night.\ngo to\n2\n").await;
        let said = json!({"target": "Ann", "text": "Good night."});
        assert_eq!(
            plan,
            json!({"mind": "", "speak": said, "move": {"to": "Quay"}})
        );
        let typed = "Good night.\nI don't believe a word.\n";
        let (plan, _) = at_seat("home.plan", turn(&["Ann"]), typed).await;
        assert_eq!(
            plan,
            json!({"mind": "I don't believe a word.", "speak": said})
        );
    }

    #[tokio::test]
    async fn nobody_hears_words_where_nobody_is() {
        let typed = "Is anybody here?\ntry something else\nForce the door.\n";
        let (plan, shown) = at_seat("home.plan", turn(&[]), typed).await;
        let tried = json!({"what": "Force the door."});
        assert_eq!(plan, json!({"mind": "", "attempt": tried}), "{shown}");
    }

    #[tokio::test]
    async fn what_words_tell_is_asked_if_there_is_something_to_tell() {
        let mut notes = turn(&["Ann"]);
        notes["facts"] = json!([{"id": "lamp", "title": "Who put the lamp out"}]);
        let (plan, _) = at_seat("home.plan", notes, "It was me.\n1\n\n").await;
        assert_eq!(plan["tells"], json!(["lamp"]));
    }

    #[tokio::test]
    async fn one_of_two_promises_to_somebody_is_kept() {
        let promise = |number, words| json!({"number": number, "to": "Ann", "words": words});
        let promises = [promise(1, "I will pay."), promise(2, "I will come.")];
        let notes = json!({"place": "Inn", "can": ["keep"], "promises": promises});
        let (plan, shown) = at_seat("home.plan", notes, "keep a promise\n2\n").await;
        assert_eq!(plan, json!({"mind": "", "keep": {"promise": 2}}));
        assert!(shown.contains("2) to Ann: I will come."), "{shown}");
    }

    #[tokio::test]
    async fn a_long_list_of_ways_is_chosen_in_two_steps() {
        let mut notes = turn(&["Ann", "Bob", "Cay", "Dan", "Eve"]);
        notes["items"] = json!([{"name": "the key"}, {"name": "the log"}, {"name": "the cup"}]);
        let (plan, _) = at_seat("home.plan", notes, "give\nlog\nEve\n").await;
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
        assert_eq!(
            choice,
            json!({"action": "play", "say": "Stand back!", "cards": cards})
        );
        insta::assert_snapshot!(shown, @r"
        *** You are Mira. ***
        The tavern is full.
          1) Strike → Wolf (attack 5, 1 energy)
          2) Strike → Bear (attack 5, 1 energy)
          3) Mend → Ann (heal 5, 1 energy)
          4) do nothing
          5) flee
          6) yield
        What do you do? (a sentence is said aloud) > You say: “Stand back!”
          1) Strike → Wolf (attack 5, 1 energy)
          2) Strike → Bear (attack 5, 1 energy)
          3) Mend → Ann (heal 5, 1 energy)
          4) do nothing
          5) flee
          6) yield
        What do you do? (a sentence is said aloud) >   1) Mend → Ann (heal 5, 1 energy)
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
