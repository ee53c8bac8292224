//! How the improviser plays a campaign: what the campaign's asks are answered with.
//!
//! Start reading at [`teach`]. An ask's data reach the improviser as [`Notes`]; what it answers is
//! chosen by weights and worded by grammars (`data/improviser`). On `scene.choose`, for example,
//! [`choose`] weighs each option by what it leads to for an actor of this `temperament`, draws one,
//! and writes the thought behind it from the grammar's symbol for the strongest reason, such as
//! `choose.friend`. `prose` answers asks for text, `attempt` judges what is tried, `plan` chooses
//! what to say and do at home (`telling`: which fact to whom), and `hand` acts in fights.

mod attempt;
mod choose;
mod hand;
mod plan;
mod prose;
mod telling;
mod temperament;
mod voice;

#[cfg(test)]
mod tests;

use playhouse_engine::mind::improviser::{ImproviserSkill, Lessons, Writer};
use playhouse_engine::mind::{Notes, Prompt};
use serde_json::{Value, json};

/// What grammars may name. `topic` is a name that another actor just spoke of and one knows too,
/// `title` what a fact is about, `from` its teller, `what` something that is tried, `next` the
/// dungeon that comes next, `journey` the one that is voted for, `goal` a goal in its owner's
/// words, `receiver` who got an item or a promise by a decision.
const FACTS: &str = "
    companions companion dungeons dungeon journey exit heroes present guest other news target topic
    secret title from item next fight_place fight_foe fight_foes foe foes ally by fallen what gains
    with events goal trusted receiver";
/// What grammars may ask, without words.
const CONDITIONS: &str = "
    won lost hurt alone self asked many morning again early late refused home hostile travels
    pleased sorry mine gone promised whom whether water wood deep hearth shrine market height";

/// The symbols that skills write with, by the facts that always come with them.
const SYMBOLS: [(&str, &str); 22] = [
    (
        "",
        "faction.hostile topic.water topic.wood topic.deep topic.hearth topic.shrine topic.market
        topic.height kickoff.actor kickoff.actor.wish kickoff.actor.bond
        whom whether mind.announce mind.query mind.attempt mind.wait mind.vote promise.words
        choose.goal choose.though choose.plain choose.say announce attempt.what attempt.aim wait world.quiet
        seen.hold seen.flee seen.yield day.quiet closing epilogue.close vote.stay",
    ),
    (
        "target",
        "attempt.heal mind.speak mind.whisper mind.promise speak.open speak.answer speak.more tell.plain
        speak.decided
        choose.friend choose.against feels.warmer feels.colder whisper.plain
        about.attack about.heal about.guard about.weaken about.strengthen",
    ),
    ("target title", "speak.learned speak.found tell.about"),
    ("target item", "speak.item"),
    ("target other", "speak.decided.of"),
    ("target secret", "tell whisper"),
    ("target from", "tell.heard"),
    (
        "place",
        "kickoff.stage kickoff.stage.more scene.light scene.place scene.people day.fought",
    ),
    ("place foes", "account.close"),
    (
        "foe",
        "combat.stake combat.mean combat.say combat.tell combat.reveal seen.show",
    ),
    ("other", "day.warmer day.colder epilogue.near epilogue.far"),
    ("goal", "epilogue.met epilogue.lost epilogue.open"),
    ("by", "attempt.full attempt.cost attempt.not"),
    ("by what", "attempt.fact"),
    ("item", "mind.item"),
    ("exit", "mind.move"),
    ("secret", "announce.tell"),
    ("events", "world.announce"),
    ("fallen", "account.fallen"),
    ("title", "day.learned"),
    ("title from", "day.told"),
    ("journey", "vote.go"),
];

/// What the words of a place's name tell of it: conditions, each with the symbol
/// `topic.…` that has these words.
const TOPICS: [&str; 7] = [
    "water", "wood", "deep", "hearth", "shrine", "market", "height",
];

/// How asks for a purpose are answered.
#[derive(Clone, Copy)]
enum Answer {
    Text(for<'a> fn(Notes<'a>, &mut Writer<'a>) -> String),
    Json(for<'a> fn(Notes<'a>, &mut Writer<'a>) -> Value),
    /// By what the prompt tells beside the notes; `None` if that is not enough.
    Prompt(for<'a> fn(&Prompt<'a>, &mut Writer<'a>) -> Option<Value>),
}

/// The skills, each with the value by which nothing is done.
const SKILLS: [(&str, Answer, &str); 15] = [
    ("kickoff", Answer::Text(prose::kickoff), ""),
    ("epilogue", Answer::Text(prose::epilogue), ""),
    ("home.scene", Answer::Text(prose::scene), ""),
    (
        "home.plan",
        Answer::Prompt(plan::plan),
        r#"{"mind": "", "wait": {"reason": ""}}"#,
    ),
    (
        "home.vote",
        Answer::Json(choose::vote),
        r#"{"mind": "", "vote": "stay"}"#,
    ),
    (
        "scene.choose",
        Answer::Prompt(choose::choose),
        r#"{"mind": "", "option": "nothing"}"#,
    ),
    (
        "attempt.judge",
        Answer::Json(attempt::ruling),
        r#"{"possible": false}"#,
    ),
    ("scene.judge", Answer::Json(verdict), r#"{"holds": false}"#),
    ("world.announce", Answer::Text(prose::announcement), ""),
    ("combat.initialization", Answer::Text(hand::reflection), ""),
    ("combat.draw", Answer::Json(hand::words), r#"{"cards": []}"#),
    (
        "combat.act",
        Answer::Prompt(hand::turn),
        r#"{"action": "hold"}"#,
    ),
    ("combat.narrate", Answer::Text(prose::account), ""),
    ("archive", Answer::Text(prose::summary), ""),
    ("archive.combat", Answer::Text(prose::summary), ""),
];

/// Teaches the improviser to play a campaign.
pub fn teach(lessons: &mut Lessons) {
    let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
    lessons.facts(&words(FACTS)).facts(&words(CONDITIONS));
    for (given, symbols) in SYMBOLS {
        for symbol in words(symbols) {
            lessons.symbol(symbol, &words(given));
        }
    }
    lessons.shipped(&[
        "places", "kickoff", "home", "talk", "attempt", "combat", "archive", "epilogue",
    ]);
    for (purpose, answer, nothing) in SKILLS {
        let skill = CampaignSkill { answer, nothing };
        lessons.skill(purpose, skill);
    }
}

struct CampaignSkill {
    answer: Answer,
    nothing: &'static str,
}

impl ImproviserSkill for CampaignSkill {
    fn answer<'a>(&self, prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
        let notes = Notes::of(prompt);
        look_around(notes, writer);
        match self.answer {
            Answer::Text(answer) => Some(answer(notes, writer).into()),
            Answer::Json(answer) => Some(answer(notes, writer)),
            Answer::Prompt(answer) => answer(prompt, writer),
        }
    }

    fn refrain(&self) -> Option<Value> {
        serde_json::from_str(self.nothing).ok()
    }

    /// A fight is summed up among one's own: its foes are not in the scene.
    fn scene<'a>(&self, prompt: &Prompt<'a>) -> Vec<&'a str> {
        let notes = Notes::of(prompt);
        let lists = ["companions", "heroes", "with", "fallen"];
        let mut names: Vec<_> = lists.iter().flat_map(|list| notes.texts(list)).collect();
        if notes.text("what").is_empty() {
            names.extend(notes.names("foes"));
        }
        names.extend(notes.names("allies"));
        names.extend(notes.names("present"));
        names
    }

    fn subjects<'a>(&self, prompt: &Prompt<'a>) -> Vec<&'a str> {
        plan::subjects(Notes::of(prompt))
    }
}

/// Something is so if an event has a sign of it, since the improviser can't read.
fn verdict<'a>(notes: Notes<'a>, _: &mut Writer<'a>) -> Value {
    let shown_by = notes.number("shown_by");
    json!({"holds": shown_by > 0, "event": shown_by})
}

/// What every skill knows: on whose side one is; what a place is like, by the words in its name.
fn look_around<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) {
    let is_stage = notes.text("kind") == "stage";
    if is_stage {
        let me = notes.text("me");
        if notes.text("place").is_empty() {
            writer.set("place", me);
        }
        let told = [me, notes.text("place")].map(str::to_lowercase);
        for condition in TOPICS {
            let mut words = writer.words(&format!("topic.{condition}"));
            let named = words.any(|word| told.iter().any(|text| text.contains(word)));
            writer.flag(condition, named);
        }
    }
    writer.flag("travels", notes.object("speaker").flag("travels"));
    let faction = notes.text("faction").to_lowercase();
    let hostile = writer.words("faction.hostile").any(|word| faction == word);
    writer.flag("hostile", hostile);
}
