//! Which cards are played in a round, in which order, on whom.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::fighter::Fighter;
use crate::mind::Notes;
use crate::mind::improviser::Writer;

/// A hand; `None` if the notes tell of none.
pub(super) fn hand<'a>(notes: Notes<'a>, writer: &mut Writer<'a>) -> Option<Value> {
    let battle = Battle {
        energy: notes.number("energy"),
        round: notes.number("round"),
        foes: notes.list("foes").map(Fighter::of).collect(),
        allies: notes.list("allies").map(Fighter::of).collect(),
    };
    let skills = notes.list("hand").map(Skill::of);
    let mut plays: Vec<_> = skills.map(|skill| Play::new(skill, &battle)).collect();
    if plays.is_empty() || plays.iter().any(|play| play.targets.is_empty()) {
        return None;
    }
    // Sorting is stable: cards of equal worth stay in the order in which they were dealt.
    plays.sort_by_key(|play| Reverse(play.worth));
    let cards: Vec<_> = plays.iter().map(|play| play.card(writer)).collect();
    Some(json!({ "cards": cards }))
}

/// What counts for the choice of cards.
struct Battle<'n> {
    energy: i64,
    round: i64,
    foes: Vec<Fighter<'n>>,
    allies: Vec<Fighter<'n>>,
}

/// A skill in the hand.
struct Skill<'n> {
    name: &'n str,
    kind: &'n str,
    cost: i64,
    power: i64,
    legal: Vec<&'n str>,
}

impl<'n> Skill<'n> {
    fn of(notes: Notes<'n>) -> Self {
        Self {
            name: notes.text("skill"),
            kind: notes.text("kind"),
            cost: notes.number("cost"),
            power: notes.number("power"),
            legal: notes.texts("legal"),
        }
    }
}

/// A skill with its targets, best first, and what it is worth now.
struct Play<'n> {
    skill: Skill<'n>,
    targets: Vec<&'n str>,
    worth: i64,
}

impl<'n> Play<'n> {
    fn new(skill: Skill<'n>, battle: &Battle<'n>) -> Self {
        let (targets, worth) = match skill.kind {
            "heal" => heal(&skill, battle),
            "guard" => guard(&skill, battle),
            "weaken" => weaken(&skill, battle),
            "strengthen" => strengthen(&skill, battle),
            _ => attack(&skill, battle),
        };
        let mut targets: Vec<_> = targets.into_iter().map(|fighter| fighter.name).collect();
        if targets.is_empty() {
            // Nobody suits; the reply wants somebody, and the rules say who may be named at all.
            targets.extend(skill.legal.first());
        }
        let unaffordable = battle.energy > 0 && skill.cost > battle.energy;
        Self {
            skill,
            targets,
            worth: if unaffordable { worth - 1000 } else { worth },
        }
    }

    fn card(&self, writer: &mut Writer<'n>) -> Value {
        let (name, about) = match self.skill.kind {
            "heal" => ("card.heal", "about.heal"),
            "guard" => ("card.guard", "about.guard"),
            "weaken" => ("card.weaken", "about.weaken"),
            "strengthen" => ("card.strengthen", "about.strengthen"),
            _ => ("card.attack", "about.attack"),
        };
        let target = self.targets.first().copied().unwrap_or_default();
        writer.set("skill", self.skill.name);
        writer.set("target", target);
        let is_me = writer.is("me", target);
        writer.flag("self", is_me);
        json!({
            "skill": self.skill.name,
            "name": writer.line(name),
            "description": writer.line(about),
            "targets": self.targets,
        })
    }
}

type Choice<'b, 'n> = (Vec<&'b Fighter<'n>>, i64);

/// The legal ones among some fighters, the living only.
fn legal<'b, 'n>(skill: &Skill<'_>, fighters: &'b [Fighter<'n>]) -> Vec<&'b Fighter<'n>> {
    let is_legal = |fighter: &&Fighter<'_>| skill.legal.contains(&fighter.name);
    let is_alive = |fighter: &&Fighter<'_>| fighter.hp > 0 || fighter.max_hp <= 0;
    fighters.iter().filter(is_legal).filter(is_alive).collect()
}

/// Whoever can be felled first, the most dangerous of them; then the weakest.
fn attack<'b, 'n>(skill: &Skill<'_>, battle: &'b Battle<'n>) -> Choice<'b, 'n> {
    let mut foes = legal(skill, &battle.foes);
    foes.sort_by_key(|foe| {
        if foe.hp <= skill.power {
            (0, -foe.max_hp)
        } else {
            (1, foe.hp)
        }
    });
    let worth = match foes.first() {
        Some(foe) if foe.hp <= skill.power => 90,
        Some(_) => 50 + skill.power.clamp(0, 20),
        None => -10,
    };
    (foes, worth)
}

/// The most wounded first, and nobody who is whole while somebody is not.
fn heal<'b, 'n>(skill: &Skill<'_>, battle: &'b Battle<'n>) -> Choice<'b, 'n> {
    let mut allies = legal(skill, &battle.allies);
    allies.sort_by_key(|ally| ally.health());
    let wounded = allies.iter().filter(|ally| ally.health() < 100);
    let wounded: Vec<_> = wounded.copied().collect();
    let worth = match wounded.first().map(|ally| ally.health()) {
        Some(..35) => 120,
        Some(35..60) => 80,
        Some(60..85) => 40,
        Some(_) => 5,
        None => -20,
    };
    (if wounded.is_empty() { allies } else { wounded }, worth)
}

/// Whoever is nearest to falling; worth much only when somebody is.
fn guard<'b, 'n>(skill: &Skill<'_>, battle: &'b Battle<'n>) -> Choice<'b, 'n> {
    let mut allies = legal(skill, &battle.allies);
    allies.sort_by_key(|ally| ally.health());
    let worth = match allies.first().map(|ally| ally.health()) {
        Some(..40) => 95,
        Some(40..70) => 45,
        Some(_) => 20,
        None => -10,
    };
    (allies, worth)
}

/// The strongest foe that does not bear this effect yet.
fn weaken<'b, 'n>(skill: &Skill<'_>, battle: &'b Battle<'n>) -> Choice<'b, 'n> {
    affect(skill, legal(skill, &battle.foes), 48)
}

/// The hardiest ally that does not bear this effect yet; best early.
fn strengthen<'b, 'n>(skill: &Skill<'_>, battle: &'b Battle<'n>) -> Choice<'b, 'n> {
    let worth = if battle.round <= 1 { 75 } else { 35 };
    affect(skill, legal(skill, &battle.allies), worth)
}

fn affect<'b, 'n>(
    skill: &Skill<'_>,
    mut fighters: Vec<&'b Fighter<'n>>,
    worth: i64,
) -> Choice<'b, 'n> {
    let bears = |fighter: &Fighter<'_>| {
        let mut effects = fighter.effects.iter();
        effects.any(|effect| effect.contains(skill.name))
    };
    fighters.sort_by_key(|fighter| (bears(fighter), Reverse(fighter.hp)));
    let worth = match fighters.first() {
        Some(first) if !bears(first) => worth,
        _ => 0,
    };
    (fighters, worth)
}
