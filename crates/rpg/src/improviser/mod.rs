//! How the improviser plays a campaign: what the campaign's asks are answered with.
//!
//! Start reading at [`teach`]; `prose` answers asks for text, `archive` those for summaries,
//! `narrate` tells fights, `attempt` judges what somebody tries, `plan` chooses what to say and do
//! at home (`telling`: which fact to whom), `choose` decides by a `temperament`, and `hand` acts in
//! fights.

mod archive;
mod attempt;
mod choose;
mod fighter;
mod hand;
mod narrate;
mod plan;
mod prose;
mod telling;
mod temperament;
mod voice;
mod vote;

#[cfg(test)]
mod tests;

use playhouse_engine::mind::improviser::{ImproviserSkill, Lessons, Writer};
use playhouse_engine::mind::{Notes, Prompt};
use serde_json::{Value, json};

/// Names that grammars may use. Those in the second list are conditions, without words.
const FACTS: &[&str] = &[
    "companions",
    "companion",
    "dungeons",
    "dungeon",
    // What one votes for.
    "journey",
    "exit",
    "heroes",
    "present",
    "guest",
    "other",
    "news",
    "target",
    // What somebody else just spoke of: a name that one knows too.
    "topic",
    "secret",
    // What a fact is about, and from whom one has it.
    "title",
    "from",
    "item",
    // The dungeon that comes next.
    "next",
    "fight_place",
    "fight_foe",
    "fight_foes",
    "foe",
    "foes",
    "ally",
    "by",
    "fallen",
    // What somebody tries.
    "what",
    "gains",
    "with",
    "events",
    // What somebody wants, in its own words.
    "goal",
];
const CONDITIONS: &[&str] = &[
    "won", "lost", "hurt", "alone", "self", "asked", "many", "early", "late", "refused", "home",
    "hostile", "travels", "water", "wood", "deep", "hearth", "shrine", "market", "height",
];

/// The symbols that skills write with, each with the facts that always come with it.
const SYMBOLS: &[(&str, &[&str])] = &[
    ("faction.hostile", &[]),
    ("topic.water", &[]),
    ("topic.wood", &[]),
    ("topic.deep", &[]),
    ("topic.hearth", &[]),
    ("topic.shrine", &[]),
    ("topic.market", &[]),
    ("topic.height", &[]),
    ("kickoff.actor", &[]),
    ("kickoff.actor.wish", &[]),
    ("kickoff.actor.bond", &[]),
    ("kickoff.stage", &["place"]),
    ("kickoff.stage.more", &["place"]),
    ("kickoff.world", &[]),
    ("kickoff.world.more", &[]),
    ("scene.light", &["place"]),
    ("scene.place", &["place"]),
    ("scene.people", &["place"]),
    ("mind.speak", &["target"]),
    ("mind.whisper", &["target"]),
    ("mind.announce", &[]),
    ("mind.item", &["item"]),
    ("mind.promise", &["target"]),
    ("mind.query", &[]),
    ("mind.move", &["exit"]),
    ("mind.attempt", &[]),
    ("mind.wait", &[]),
    ("speak.open", &["target"]),
    ("speak.answer", &["target"]),
    ("speak.more", &["target"]),
    ("speak.learned", &["target", "title"]),
    ("speak.item", &["target", "item"]),
    ("tell", &["target", "secret"]),
    ("tell.about", &["target", "title"]),
    ("tell.heard", &["target", "from"]),
    ("tell.plain", &["target"]),
    ("promise.words", &[]),
    ("choose.goal", &[]),
    ("choose.though", &[]),
    ("choose.friend", &["target"]),
    ("choose.against", &["target"]),
    ("choose.plain", &[]),
    ("choose.say", &[]),
    ("feels.warmer", &["target"]),
    ("feels.colder", &["target"]),
    ("whisper", &["target", "secret"]),
    ("whisper.plain", &["target"]),
    ("announce", &[]),
    ("announce.tell", &["secret"]),
    ("attempt.what", &[]),
    ("attempt.fact", &["by", "what"]),
    ("attempt.full", &["by"]),
    ("attempt.cost", &["by"]),
    ("attempt.not", &["by"]),
    ("wait", &[]),
    ("world.announce", &["events"]),
    ("world.quiet", &[]),
    ("combat.stake", &["foe"]),
    ("combat.mean", &["foe"]),
    ("combat.say", &["foe"]),
    ("combat.tell", &["foe"]),
    ("combat.reveal", &["foe"]),
    ("seen.show", &["foe"]),
    ("seen.hold", &[]),
    ("seen.flee", &[]),
    ("seen.yield", &[]),
    ("about.attack", &["target"]),
    ("about.heal", &["target"]),
    ("about.guard", &["target"]),
    ("about.weaken", &["target"]),
    ("about.strengthen", &["target"]),
    ("account.close", &["place", "foes"]),
    ("account.fallen", &["fallen"]),
    ("day.fought", &["place"]),
    ("day.quiet", &[]),
    ("day.learned", &["title"]),
    ("day.told", &["title", "from"]),
    ("day.warmer", &["other"]),
    ("day.colder", &["other"]),
    ("closing", &[]),
    ("epilogue.met", &["goal"]),
    ("epilogue.lost", &["goal"]),
    ("epilogue.open", &["goal"]),
    ("epilogue.near", &["other"]),
    ("epilogue.far", &["other"]),
    ("epilogue.close", &[]),
    ("vote.go", &["journey"]),
    ("vote.stay", &[]),
    ("mind.vote", &[]),
];

/// What the words of a place's name and description tell of it: symbols and conditions.
const TOPICS: [(&str, &str); 7] = [
    ("topic.water", "water"),
    ("topic.wood", "wood"),
    ("topic.deep", "deep"),
    ("topic.hearth", "hearth"),
    ("topic.shrine", "shrine"),
    ("topic.market", "market"),
    ("topic.height", "height"),
];

/// How often, in a hundred plans, somebody looks something up although nobody told it to.
const CURIOSITY: usize = 25;

/// Teaches the improviser to play a campaign.
pub fn teach(lessons: &mut Lessons) {
    lessons.facts(FACTS).facts(CONDITIONS);
    for (symbol, given) in SYMBOLS {
        lessons.symbol(symbol, given);
    }
    lessons
        .shipped(&[
            "places", "kickoff", "home", "talk", "attempt", "combat", "archive", "epilogue",
        ])
        .skill("kickoff", CampaignSkill::Kickoff)
        .skill("epilogue", CampaignSkill::Epilogue)
        .skill("home.scene", CampaignSkill::Scene)
        .skill("home.plan", CampaignSkill::Plan)
        .skill("home.vote", CampaignSkill::Vote)
        .skill("scene.choose", CampaignSkill::Choice)
        .skill("attempt.judge", CampaignSkill::Ruling)
        .skill("scene.judge", CampaignSkill::Verdict)
        .skill("world.announce", CampaignSkill::Announcement)
        .skill("combat.initialization", CampaignSkill::Reflection)
        .skill("combat.draw", CampaignSkill::Hand)
        .skill("combat.act", CampaignSkill::Turn)
        .skill("combat.narrate", CampaignSkill::Account)
        .skill("archive", CampaignSkill::Summary)
        .skill("archive.combat", CampaignSkill::Summary);
}

/// What an ask of the campaign is for.
enum CampaignSkill {
    Kickoff,
    Scene,
    Plan,
    Vote,
    Choice,
    Ruling,
    Verdict,
    Announcement,
    Reflection,
    Hand,
    Turn,
    Account,
    Summary,
    Epilogue,
}

impl ImproviserSkill for CampaignSkill {
    fn answer<'a>(&self, prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
        let notes = Notes::of(prompt);
        look_around(notes, writer);
        let text = match self {
            Self::Kickoff => prose::kickoff(notes, writer),
            Self::Scene => prose::scene(notes, writer),
            Self::Announcement => prose::announcement(notes, writer),
            Self::Reflection => hand::reflection(notes, writer),
            Self::Account => narrate::account(notes, writer),
            Self::Summary => archive::summary(notes, writer),
            Self::Epilogue => prose::epilogue(notes, writer),
            Self::Plan => return plan::plan(prompt, writer),
            Self::Vote => return Some(vote::vote(notes, writer)),
            Self::Choice => return choose::choose(prompt, writer),
            Self::Ruling => return Some(attempt::ruling(notes, writer)),
            Self::Verdict => return Some(verdict(notes)),
            Self::Hand => return Some(hand::words(notes)),
            Self::Turn => return hand::turn(prompt, writer),
        };
        Some(text.into())
    }

    /// Whoever sums up a fight does so among its own: its foes are not in the scene.
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

    fn curiosity(&self) -> usize {
        match self {
            Self::Plan => CURIOSITY,
            _ => 0,
        }
    }
}

/// Something is so if an event has a sign of it, since the improviser can't read.
fn verdict(notes: Notes<'_>) -> Value {
    let shown_by = notes.number("shown_by");
    json!({"holds": shown_by > 0, "event": shown_by})
}

/// What every skill knows: on whose side one is; what a place is like, by the words in its name and
/// description.
fn look_around<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) {
    let is_stage = notes.text("kind") == "stage";
    if is_stage {
        let me = notes.text("me");
        if notes.text("place").is_empty() {
            writer.set("place", me);
        }
        let told = [notes.text("profile"), me, notes.text("place")];
        let told = told.map(str::to_lowercase);
        for (symbol, condition) in TOPICS {
            let mut words = writer.words(symbol);
            let named = words.any(|word| told.iter().any(|text| text.contains(word)));
            writer.flag(condition, named);
        }
    }
    writer.flag("travels", notes.object("speaker").flag("travels"));
    let faction = notes.text("faction").to_lowercase();
    let hostile = writer.words("faction.hostile").any(|word| faction == word);
    writer.flag("hostile", hostile);
}
