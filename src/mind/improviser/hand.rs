//! Which cards are played in a round, in which order, on whom.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::names::{Fact, Root};
use super::notes::{Fighter, Notes, Skill};
use super::writer::Writer;

/// A hand, or nothing where the notes tell of none.
pub(super) fn hand<'a>(notes: &'a Notes, writer: &mut Writer<'a>) -> Option<Value> {
    let mut plays: Vec<_> = notes
        .hand
        .iter()
        .map(|skill| Play::new(skill, notes))
        .collect();
    if plays.is_empty() || plays.iter().any(|play| play.targets.is_empty()) {
        return None;
    }
    // Sorting is stable: cards of equal worth stay in the order in which they were dealt.
    plays.sort_by_key(|play| Reverse(play.worth));
    let cards: Vec<_> = plays.iter().map(|play| play.card(writer)).collect();
    Some(json!({ "cards": cards }))
}

/// A skill with its targets, best first, and what it is worth now.
struct Play<'a> {
    skill: &'a Skill,
    targets: Vec<&'a str>,
    worth: i64,
}

impl<'a> Play<'a> {
    fn new(skill: &'a Skill, notes: &'a Notes) -> Self {
        let (targets, worth) = match skill.kind.as_str() {
            "heal" => heal(skill, notes),
            "guard" => guard(skill, notes),
            "weaken" => weaken(skill, notes),
            "strengthen" => strengthen(skill, notes),
            _ => attack(skill, notes),
        };
        let targets = match targets.is_empty() {
            // Nobody suits; the reply wants somebody, and the rules say who may be named at all.
            true => skill.legal.iter().take(1).map(String::as_str).collect(),
            false => targets
                .into_iter()
                .map(|fighter| fighter.name.as_str())
                .collect(),
        };
        let unaffordable = notes.energy > 0 && skill.cost > notes.energy;
        Self {
            skill,
            targets,
            worth: if unaffordable { worth - 1000 } else { worth },
        }
    }

    fn card(&self, writer: &mut Writer<'a>) -> Value {
        let (name, about) = match self.skill.kind.as_str() {
            "heal" => (Root::CardHeal, Root::AboutHeal),
            "guard" => (Root::CardGuard, Root::AboutGuard),
            "weaken" => (Root::CardWeaken, Root::AboutWeaken),
            "strengthen" => (Root::CardStrengthen, Root::AboutStrengthen),
            _ => (Root::CardAttack, Root::AboutAttack),
        };
        let target = self.targets.first().copied().unwrap_or_default();
        writer.set(Fact::Skill, self.skill.skill.as_str());
        writer.set(Fact::Target, target);
        let me = writer.is(Fact::Me, target);
        writer.flag(Fact::Itself, me);
        json!({
            "skill": self.skill.skill,
            "name": writer.line(name),
            "description": writer.line(about),
            "targets": self.targets,
        })
    }
}

type Choice<'a> = (Vec<&'a Fighter>, i64);

/// The legal ones among some fighters, the living only.
fn legal<'a>(skill: &Skill, fighters: &'a [Fighter]) -> Vec<&'a Fighter> {
    let legal = |fighter: &&Fighter| skill.legal.contains(&fighter.name);
    let alive = |fighter: &&Fighter| fighter.hp > 0 || fighter.max_hp <= 0;
    fighters.iter().filter(legal).filter(alive).collect()
}

/// Whoever can be felled first, the most dangerous of them; then the weakest.
fn attack<'a>(skill: &Skill, notes: &'a Notes) -> Choice<'a> {
    let mut foes = legal(skill, &notes.foes);
    foes.sort_by_key(|foe| match foe.hp <= skill.power {
        true => (0, -foe.max_hp),
        false => (1, foe.hp),
    });
    let worth = match foes.first() {
        Some(foe) if foe.hp <= skill.power => 90,
        Some(_) => 50 + skill.power.clamp(0, 20),
        None => -10,
    };
    (foes, worth)
}

/// The most wounded first, and nobody who is whole while somebody is not.
fn heal<'a>(skill: &Skill, notes: &'a Notes) -> Choice<'a> {
    let mut allies = legal(skill, &notes.allies);
    allies.sort_by_key(|ally| ally.health());
    let wounded: Vec<_> = allies
        .iter()
        .copied()
        .filter(|ally| ally.health() < 100)
        .collect();
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
fn guard<'a>(skill: &Skill, notes: &'a Notes) -> Choice<'a> {
    let mut allies = legal(skill, &notes.allies);
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
fn weaken<'a>(skill: &Skill, notes: &'a Notes) -> Choice<'a> {
    affect(skill, legal(skill, &notes.foes), 48)
}

/// The hardiest ally that does not bear this effect yet; best early.
fn strengthen<'a>(skill: &Skill, notes: &'a Notes) -> Choice<'a> {
    let early = if notes.round <= 1 { 75 } else { 35 };
    affect(skill, legal(skill, &notes.allies), early)
}

fn affect<'a>(skill: &Skill, mut fighters: Vec<&'a Fighter>, worth: i64) -> Choice<'a> {
    let bears = |fighter: &Fighter| {
        fighter
            .effects
            .iter()
            .any(|effect| effect.contains(&skill.skill))
    };
    fighters.sort_by_key(|fighter| (bears(fighter), Reverse(fighter.hp)));
    let worth = match fighters.first() {
        Some(first) if !bears(first) => worth,
        _ => 0,
    };
    (fighters, worth)
}
