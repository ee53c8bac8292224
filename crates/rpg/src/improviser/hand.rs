//! What an actor thinks before a fight, and does at its turn: which cards it plays on whom, or that
//! it leaves.

use std::cmp::Reverse;

use playhouse_engine::message::Role;
use playhouse_engine::mind::improviser::Writer;
use playhouse_engine::mind::splitmix::hash;
use playhouse_engine::mind::{Notes, Prompt};
use serde_json::{Value, json};

use super::voice::voice_line;
use crate::combat::choice::SEEN_CHARS;

/// How often, in a hundred turns, an actor says something: in the first round, and later.
const TALK: [usize; 2] = [35, 12];
/// How often, in a hundred turns, an actor who knows something tells it to a foe whom it may move,
/// and how often it shows something.
const REASONS: usize = 25;
/// How often, in a hundred turns, a foe tells what it knows, and how often words are a line of the
/// speaker's own voice.
const REVEALS: usize = 7;
const OWN_WORDS: usize = 10;
/// How often, in a hundred turns, blows go to any foe, and not to the one nearest to falling.
const GRUDGES: usize = 30;
/// Below this share of its health, in percent, an actor may leave the fight.
const DESPERATE: i64 = 25;

pub(super) fn reflection<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> String {
    Battle::of(notes).tell(writer);
    let names = call_by_name(writer);
    let thought = writer.lines(&["combat.stake", "combat.mean"]);
    for (fact, name) in names {
        writer.set(fact, name);
    }
    thought
}

/// Words for the cards of a hand: those of their writer.
pub(super) fn words<'a>(notes: Notes<'a>, _: &mut Writer<'a>) -> Value {
    let cards = notes.list("hand").map(|card| {
        let about = card.text("about").trim();
        let fits = about.chars().count() <= SEEN_CHARS;
        let skill = card.text("skill");
        json!({"skill": skill, "name": skill, "description": if fits { about } else { "" }})
    });
    json!({"cards": cards.collect::<Vec<_>>()})
}

pub(super) fn turn<'a>(prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
    let notes = Notes::of(prompt);
    let mut battle = Battle::of(notes);
    if writer.rng().happens(GRUDGES) {
        battle.grudge = Some(writer.rng().below(battle.foes.len()));
    }
    battle.tell(writer);
    let action = temper(prompt).leaves(&battle, writer);
    let cards = match action {
        None => battle.cards(notes, writer),
        Some(_) => Vec::new(),
    };
    // Whom the first blow goes to is who is spoken to; `target` is its whole name.
    let struck = battle.struck_by(&cards);
    writer.set("target", struck);
    if !struck.is_empty() {
        writer.set("foe", struck);
    }
    let names = call_by_name(writer);
    let mut choice = json!({});
    let talk = TALK[usize::from(battle.round > 1)];
    if action.is_none() && writer.rng().happens(talk) && !battle.foes.is_empty() {
        let own = voice_line(notes, writer);
        choice["say"] = match own.filter(|_| writer.rng().happens(OWN_WORDS)) {
            Some(line) => line.into(),
            None => writer.line("combat.say").into(),
        };
    }
    // What one's own goals and choices depend on is not told by chance.
    let free = |list| notes.list(list).filter(|thing| !thing.flag("is_own"));
    let facts = free("facts").map(|fact| fact.text("id"));
    let untold = facts.filter(|fact| !writer.remembers(&format!("\"{fact}\"")));
    let facts: Vec<_> = untold.collect();
    for (may_tell, percent, symbol) in [
        (battle.may_move, REASONS, "combat.tell"),
        (notes.text("faction") == "foe", REVEALS, "combat.reveal"),
    ] {
        if may_tell
            && writer.rng().happens(percent)
            && let Some(fact) = writer.rng().pick(&facts).copied()
        {
            choice["say"] = writer.line(symbol).into();
            choice["tells"] = json!([fact]);
        }
    }
    for (fact, name) in names {
        writer.set(fact, name);
    }
    let items: Vec<_> = free("items").map(Notes::name).collect();
    if action.is_none()
        && battle.may_move
        && writer.rng().happens(REASONS / 3)
        && let Some(item) = writer.rng().pick(&items).copied()
    {
        choice["action"] = "show".into();
        choice["item"] = item.into();
        choice["seen"] = writer.line("seen.show").into();
        return Some(choice);
    }
    if action.is_none() && !cards.is_empty() {
        choice["action"] = "play".into();
        choice["cards"] = cards.into();
    } else {
        let action = action.unwrap_or("hold");
        choice["action"] = action.into();
        choice["seen"] = writer.line(&format!("seen.{action}")).into();
    }
    Some(choice)
}

/// Nobody is called by an article; returns the full names, as others would tell of them.
fn call_by_name(writer: &mut Writer<'_>) -> [(&'static str, String); 2] {
    ["foe", "ally"].map(|fact| {
        let name = writer.known(fact).to_owned();
        if let Some(called) = name.strip_prefix("The ") {
            writer.set(fact, called.to_owned());
        }
        (fact, name)
    })
}

/// What an actor in danger of its life tends to do, in percent of its turns.
struct Temper {
    flees: usize,
    yields: usize,
}

/// The temper of who is asked. It differs from campaign to campaign, as its first own words do.
fn temper(prompt: &Prompt<'_>) -> Temper {
    let mut entries = prompt.history.entries().iter();
    let first = entries
        .find(|entry| entry.role() == Role::Ai)
        .map(|entry| entry.body().full_text());
    let (flees, yields) = match hash(first.as_deref().unwrap_or(prompt.entity)) % 5 {
        0 => (35, 0),
        1 => (0, 30),
        2 => (15, 10),
        _ => (0, 0),
    };
    Temper { flees, yields }
}

impl Temper {
    /// A combatant that is nearly dead may leave, unless its foes are hardly better off.
    fn leaves(&self, battle: &Battle<'_>, writer: &mut Writer<'_>) -> Option<&'static str> {
        let strength =
            |fighters: &[FighterNotes<'_>]| fighters.iter().map(|each| each.hp).sum::<i64>();
        let is_outmatched = strength(&battle.foes) > strength(&battle.allies);
        if battle.me().is_none_or(|me| me.health() >= DESPERATE) || !is_outmatched {
            return None;
        }
        if writer.rng().happens(self.flees) {
            Some("flee")
        } else {
            let yields = writer.rng().happens(self.yields);
            (yields && battle.may_yield).then_some("yield")
        }
    }
}

/// What counts for a choice.
struct Battle<'n> {
    me: &'n str,
    energy: i64,
    round: i64,
    foes: Vec<FighterNotes<'n>>,
    allies: Vec<FighterNotes<'n>>,
    /// Whether words or things may move a foe.
    may_move: bool,
    may_yield: bool,
    /// If this turn's blows go to anybody, to whom.
    grudge: Option<usize>,
}

impl<'n> Battle<'n> {
    fn of(notes: Notes<'n>) -> Self {
        Self {
            me: notes.text("me"),
            energy: notes.number("energy"),
            round: notes.number("round"),
            foes: notes.list("foes").map(FighterNotes::of).collect(),
            allies: notes.list("allies").map(FighterNotes::of).collect(),
            may_yield: notes.texts("can").contains(&"yield"),
            may_move: notes.list("foes").any(|foe| foe.number("resolve") > 0),
            grudge: None,
        }
    }

    fn me(&self) -> Option<&FighterNotes<'n>> {
        self.allies.iter().find(|ally| ally.name == self.me)
    }

    /// Tells the writer what is known in the fight.
    fn tell(&self, writer: &mut Writer<'n>) {
        let foes: Vec<_> = self.foes.iter().map(|foe| foe.name).collect();
        let allies: Vec<_> = self
            .allies
            .iter()
            .map(|ally| ally.name)
            .filter(|name| *name != self.me)
            .collect();
        writer.set_any("foe", &foes);
        writer.set_any("ally", &allies);
        writer.flag("many", foes.len() > 1);
        writer.flag("alone", allies.is_empty());
        writer.flag("early", self.round <= 1);
        writer.flag("hurt", self.me().is_some_and(|me| me.health() < 50));
    }

    /// The foe that the first of some cards goes to that goes to one; empty if none does.
    fn struck_by(&self, cards: &[Value]) -> &'n str {
        let targets = cards.iter().filter_map(|card| card["targets"][0].as_str());
        let mut foes = targets.filter_map(|name| self.foes.iter().find(|foe| foe.name == name));
        foes.next().map_or("", |foe| foe.name)
    }

    /// The cards worth playing, best first, as far as the energy goes.
    fn cards(&self, notes: Notes<'n>, writer: &mut Writer<'n>) -> Vec<Value> {
        let skills = notes.list("hand").map(SkillNotes::of);
        let mut plays: Vec<_> = skills.map(|skill| Play::new(skill, self)).collect();
        plays.retain(|play| play.worth > 0 && !play.targets.is_empty());
        // Sorting is stable: cards of equal worth stay in the order in which they were dealt.
        plays.sort_by_key(|play| Reverse(play.worth));
        let mut energy = self.energy;
        plays.retain(|play| {
            let is_paid = play.skill.cost <= energy;
            energy -= if is_paid { play.skill.cost } else { 0 };
            is_paid
        });
        plays.iter().map(|play| play.card(writer)).collect()
    }
}

/// A combatant, as the notes tell it.
struct FighterNotes<'n> {
    name: &'n str,
    hp: i64,
    max_hp: i64,
    attack: i64,
    defense: i64,
    effects: Vec<String>,
}

impl<'n> FighterNotes<'n> {
    fn of(notes: Notes<'n>) -> Self {
        Self {
            name: notes.name(),
            hp: notes.number("hp"),
            max_hp: notes.number("max_hp"),
            attack: notes.number("attack"),
            defense: notes.number("defense"),
            effects: notes.list("effects").map(Notes::shown).collect(),
        }
    }

    /// How much of its health is left, in percent; all if nothing is known.
    fn health(&self) -> i64 {
        match self.max_hp {
            ..=0 => 100,
            max => (self.hp.saturating_mul(100) / max).clamp(0, 100),
        }
    }
}

struct SkillNotes<'n> {
    name: &'n str,
    kind: &'n str,
    cost: i64,
    power: i64,
    accuracy: i64,
    legal: Vec<&'n str>,
    /// What its writer says of it.
    about: &'n str,
}

impl<'n> SkillNotes<'n> {
    fn of(notes: Notes<'n>) -> Self {
        Self {
            name: notes.text("skill"),
            kind: notes.text("kind"),
            cost: notes.number("cost"),
            power: notes.number("power"),
            accuracy: notes.number("accuracy"),
            legal: notes.texts("legal"),
            about: notes.text("about"),
        }
    }

    /// What an attack would take from a fighter, if it hits.
    fn damage(&self, battle: &Battle<'_>, foe: &FighterNotes<'_>) -> i64 {
        let attack = battle.me().map_or(0, |me| me.attack);
        (self.power + attack - foe.defense / 2).max(1)
    }
}

/// A skill with its targets, best first, and what it is worth now.
struct Play<'n> {
    skill: SkillNotes<'n>,
    targets: Vec<&'n str>,
    worth: i64,
}

impl<'n> Play<'n> {
    fn new(skill: SkillNotes<'n>, battle: &Battle<'n>) -> Self {
        let (targets, worth) = match skill.kind {
            "heal" => heal(&skill, battle),
            "guard" => guard(&skill, battle),
            "weaken" => affect(&skill, legal(&skill, &battle.foes), 48),
            // Best early.
            "strengthen" => {
                let worth = if battle.round <= 1 { 75 } else { 35 };
                affect(&skill, legal(&skill, &battle.allies), worth)
            }
            _ => attack(&skill, battle),
        };
        let targets = targets.into_iter().map(|fighter| fighter.name).collect();
        Self {
            skill,
            targets,
            worth,
        }
    }

    fn card(&self, writer: &mut Writer<'n>) -> Value {
        let target = self.targets.first().copied().unwrap_or_default();
        writer.set("target", target);
        let is_me = writer.is("me", target);
        writer.flag("self", is_me);
        let own = self.skill.about.trim();
        let fits = !own.is_empty() && own.chars().count() <= SEEN_CHARS;
        let description = if fits {
            own.to_owned()
        } else {
            let kind = match self.skill.kind {
                kind @ ("heal" | "guard" | "weaken" | "strengthen") => kind,
                _ => "attack",
            };
            writer.line(&format!("about.{kind}"))
        };
        json!({
            "skill": self.skill.name,
            "name": self.skill.name,
            "description": description,
            "targets": self.targets,
        })
    }
}

type Targets<'b, 'n> = (Vec<&'b FighterNotes<'n>>, i64);

/// The legal ones among some fighters, the living only.
fn legal<'b, 'n>(
    skill: &SkillNotes<'_>,
    fighters: &'b [FighterNotes<'n>],
) -> Vec<&'b FighterNotes<'n>> {
    let is_legal = |fighter: &&FighterNotes<'_>| skill.legal.contains(&fighter.name);
    let is_alive = |fighter: &&FighterNotes<'_>| fighter.hp > 0 || fighter.max_hp <= 0;
    fighters.iter().filter(is_legal).filter(is_alive).collect()
}

/// First the foes that can be felled, the most dangerous of them; then the weakest.
fn attack<'b, 'n>(skill: &SkillNotes<'_>, battle: &'b Battle<'n>) -> Targets<'b, 'n> {
    let mut foes = legal(skill, &battle.foes);
    // An actor bears a grudge now and then, so that it is not always the weakest who falls.
    let count = foes.len();
    if let Some(grudge) = battle.grudge
        && let Some(foe) = foes.get(grudge % count.max(1))
    {
        let worth = 45 + (skill.damage(battle, foe) * skill.accuracy / 100).clamp(0, 30);
        foes.rotate_left(grudge % count);
        return (foes, worth);
    }
    let falls = |foe: &FighterNotes<'_>| foe.hp <= skill.damage(battle, foe);
    foes.sort_by_key(|foe| {
        if falls(foe) {
            (0, -foe.attack, -foe.max_hp)
        } else {
            (1, foe.hp, 0)
        }
    });
    let worth = match foes.first() {
        Some(foe) if falls(foe) => 90,
        Some(foe) => 45 + (skill.damage(battle, foe) * skill.accuracy / 100).clamp(0, 30),
        None => 0,
    };
    (foes, worth)
}

/// The most wounded first.
fn heal<'b, 'n>(skill: &SkillNotes<'_>, battle: &'b Battle<'n>) -> Targets<'b, 'n> {
    let mut allies = legal(skill, &battle.allies);
    allies.retain(|ally| ally.health() < 100);
    allies.sort_by_key(|ally| ally.health());
    let worth = match allies.first().map(|ally| ally.health()) {
        Some(..35) => 120,
        Some(35..60) => 80,
        Some(60..80) => 40,
        _ => 0,
    };
    (allies, worth)
}

/// The ally nearest to falling that is not guarded yet; worth much only if it is near.
fn guard<'b, 'n>(skill: &SkillNotes<'_>, battle: &'b Battle<'n>) -> Targets<'b, 'n> {
    let mut allies = legal(skill, &battle.allies);
    allies.retain(|ally| !bears(skill, ally));
    allies.sort_by_key(|ally| ally.health());
    let worth = match allies.first().map(|ally| ally.health()) {
        Some(..40) => 85,
        Some(40..70) => 55,
        Some(_) => 20,
        None => 0,
    };
    (allies, worth)
}

/// The strongest who does not bear this effect yet.
fn affect<'b, 'n>(
    skill: &SkillNotes<'_>,
    mut fighters: Vec<&'b FighterNotes<'n>>,
    worth: i64,
) -> Targets<'b, 'n> {
    fighters.retain(|fighter| !bears(skill, fighter));
    fighters.sort_by_key(|fighter| (Reverse(fighter.attack), Reverse(fighter.hp)));
    (fighters, worth)
}

/// Whether the effect of a skill is on an actor.
fn bears(skill: &SkillNotes<'_>, fighter: &FighterNotes<'_>) -> bool {
    fighter.effects.iter().any(|effect| effect == skill.name)
}
