//! Fights: who stands how, which cards are played, how it ends.

use playhouse::rpg::components::FightResult;
use playhouse::rpg::events::{
    CardPlayed, CombatOutcome, CombatRound, CombatStart, CombatantStatus, StatusChange,
    TargetResult,
};

use super::teller::{Teller, heading};
use crate::cli::output::{Ink, Paragraph, cells, padded};

/// Cells of a health bar.
const BAR: usize = 16;
/// Full and empty parts of a bar. Both are of the same class of width, so that bars stay aligned
/// on terminals that show such characters wide.
const FULL: &str = "█";
const EMPTY: &str = "▒";

impl Teller {
    pub(super) fn combat_start(&mut self, event: &CombatStart) -> Vec<Paragraph> {
        for (names, camp) in [(&event.heroes, "hero"), (&event.foes, "foe")] {
            names.iter().for_each(|name| self.roster.note(name, camp));
        }
        let sides = self.words.fight(
            &event.heroes.join(&self.words.comma()),
            &event.foes.join(&self.words.comma()),
        );
        vec![
            Paragraph::blank(),
            heading("⚔", &self.words.fight_heading()),
            Paragraph::indented(2, 4).plain(sides),
        ]
    }

    pub(super) fn combat_round(&mut self, event: &CombatRound) -> Vec<Paragraph> {
        for one in &event.standing {
            self.roster.note(&one.name, &one.camp);
        }
        let round = Paragraph::indented(2, 2).add(Ink::Bold, self.words.round(event.round));
        let mut all = vec![Paragraph::blank(), round];
        let names = event.standing.iter().map(|one| cells(&one.name));
        let name_width = names.max().unwrap_or(0);
        let digits = event.standing.iter().map(|one| count(one.max_hp));
        let digits = digits.max().unwrap_or(0);
        let rows = event.standing.iter();
        all.extend(rows.map(|one| self.standing(one, name_width, digits)));
        all
    }

    fn standing(&self, one: &CombatantStatus, name_width: usize, digits: usize) -> Paragraph {
        let full = full_cells(one.hp, one.max_hp);
        let name = padded(&one.name, name_width);
        let hp = format!("  {:>digits$}/{:<digits$}", one.hp, one.max_hp);
        let note = match one.effects.join(&self.words.comma()) {
            _ if one.hp <= 0 => self.words.fallen(),
            effects => effects,
        };
        let row = Paragraph::row()
            .plain("    ")
            .add(self.roster.ink(&one.name), name)
            .plain("  ")
            .add(health_ink(one.hp, one.max_hp), FULL.repeat(full))
            .add(Ink::Dim, EMPTY.repeat(BAR - full));
        match note.is_empty() {
            true => row.plain(hp.trim_end()),
            false => row.plain(hp).add(Ink::Dim, format!("  {note}")),
        }
    }

    pub(super) fn card_played(&mut self, event: &CardPlayed) -> Vec<Paragraph> {
        let mut card = Paragraph::indented(2, 4)
            .add(self.roster.ink(&event.actor), &event.actor)
            .plain(self.words.plays(&event.card));
        if event.skill != event.card {
            card = card.add(Ink::Dim, self.words.skill(&event.skill));
        }
        if !event.description.is_empty() {
            card = card.plain(self.words.colon()).plain(&event.description);
        }
        let card = self.with_stand_in(card, &event.actor);
        let mut all = vec![card];
        let struck = event.targets.iter();
        all.extend(struck.map(|struck| self.struck(&event.kind, struck)));
        all
    }

    fn struck(&self, kind: &str, struck: &TargetResult) -> Paragraph {
        let (name, amount) = (&struck.name, struck.amount);
        let (ink, what) = match kind {
            _ if !struck.hit => (Ink::Dim, self.words.missed(name)),
            _ if !struck.effect.is_empty() => {
                let what = self.words.affected(name, &struck.effect, amount);
                (Ink::Whisper, what)
            }
            "heal" => (Ink::Good, self.words.healed(name, amount)),
            _ => (Ink::Warn, self.words.damage(name, amount)),
        };
        let row = Paragraph::indented(6, 8).add(Ink::Dim, "→ ").add(ink, what);
        match struck.fell {
            true => row.add(Ink::Bad, self.words.and_falls()),
            false => row,
        }
    }

    pub(super) fn status_change(&self, event: &StatusChange) -> Vec<Paragraph> {
        let (actor, effect) = (&event.actor, &event.effect);
        let what = match event.change.as_str() {
            "lost" => self.words.status_lost(actor, effect),
            "revived" => self.words.revived(actor),
            _ => self.words.status_gained(actor, effect),
        };
        vec![Paragraph::indented(6, 8).add(Ink::Dim, what)]
    }

    pub(super) fn combat_outcome(&self, event: &CombatOutcome) -> Vec<Paragraph> {
        let (ink, what) = match event.result {
            FightResult::Won => (Ink::Good, self.words.won(&event.stage)),
            FightResult::Lost => (Ink::Bad, self.words.lost(&event.stage)),
            FightResult::Drawn => (Ink::Warn, self.words.drawn(&event.stage)),
        };
        let mut all = vec![Paragraph::blank(), Paragraph::indented(2, 4).add(ink, what)];
        let comma = self.words.comma();
        let list = |names: &[String], say: &dyn Fn(&str) -> String| {
            let some = !names.is_empty();
            some.then(|| Paragraph::indented(4, 6).plain(say(&names.join(&comma))))
        };
        all.extend(list(&event.felled, &|names| self.words.felled_foes(names)));
        all.extend(list(&event.fallen, &|names| {
            self.words.fallen_heroes(names)
        }));
        all.extend(list(&event.gains, &|names| self.words.gains(names)));
        all.push(Paragraph::blank());
        all
    }
}

fn count(number: i32) -> usize {
    number.to_string().len()
}

/// How many cells of a bar are full: at least one for the living, all only for the unhurt.
fn full_cells(hp: i32, max: i32) -> usize {
    let max = i64::from(max.max(1));
    let hp = i64::from(hp).clamp(0, max);
    let exact = (hp * BAR as i64 + max / 2) / max;
    let least = i64::from(hp > 0);
    let most = if hp < max { BAR as i64 - 1 } else { BAR as i64 };
    exact.clamp(least, most) as usize
}

fn health_ink(hp: i32, max: i32) -> Ink {
    match i64::from(hp) * 100 / i64::from(max.max(1)) {
        ..=25 => Ink::Bad,
        26..=60 => Ink::Warn,
        _ => Ink::Good,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_tell_the_living_from_the_dead_and_the_hurt_from_the_whole() {
        assert_eq!(full_cells(0, 30), 0);
        assert_eq!(full_cells(1, 300), 1);
        assert_eq!(full_cells(15, 30), BAR / 2);
        assert_eq!(full_cells(299, 300), BAR - 1);
        assert_eq!(full_cells(30, 30), BAR);
        assert_eq!(full_cells(-5, 0), 0);
        assert_eq!(full_cells(i32::MAX, i32::MAX), BAR);
    }
}
