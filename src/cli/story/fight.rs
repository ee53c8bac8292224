//! Fights: how everybody stands, which cards are played, how it ends.

use crate::cli::prelude::*;
use crate::event::{EventRecord, Recipients, Telling};
use crate::rpg::components::{Departure, FightResult};
use crate::rpg::events::{
    CardPlayed, CombatInitialization, CombatMove, CombatOutcome, CombatRound, CombatantStatus,
    TargetResult,
};

use super::formatter::{Formatter, heading};
use crate::cli::output::{cells, padded};

const BAR: usize = 16;
/// Cells of a row in most terminals.
const USUAL_WIDTH: usize = 80;
/// Full and empty parts of a bar. Terminals show both equally wide, so that bars stay aligned.
const FULL: &str = "█";
const EMPTY: &str = "▒";

impl Formatter {
    /// The paragraphs of an event of a fight; `None` if there are none for its type.
    pub(super) fn fight(&mut self, event: &EventRecord) -> Option<Vec<Paragraph>> {
        let begins = event.read().map(|event| self.combat_initialization(event));
        begins
            .or_else(|| event.read().map(|event| self.combat_round(event)))
            .or_else(|| event.read().map(|event| self.card_played(event)))
            .or_else(|| event.read().map(|event| self.combat_move(event)))
            .or_else(|| event.read().map(|event| self.combat_outcome(event)))
    }

    /// The line in which an event says what it is.
    fn line(&self, event: &dyn Telling) -> String {
        let to = Recipients {
            names: &[],
            language: self.language,
        };
        let line = event.line(&to).unwrap_or_default();
        line.in_language(self.language)
    }

    fn combat_initialization(&mut self, event: CombatInitialization) -> Vec<Paragraph> {
        for (names, camp) in [(&event.heroes, "hero"), (&event.foes, "foe")] {
            names.iter().for_each(|name| self.roster.note(name, camp));
        }
        let [heroes, foes] = [&event.heroes, &event.foes].map(|names| self.names(names));
        vec![
            Paragraph::blank(),
            heading("⚔", &self.line(&event)),
            Paragraph::indented(2, 4).plain(say!(self.language, story_sides, heroes, foes)),
        ]
    }

    fn combat_round(&mut self, event: CombatRound) -> Vec<Paragraph> {
        for fighter in &event.standing {
            self.roster.note(&fighter.name, &fighter.faction);
        }
        let round = Paragraph::indented(2, 2).add(Style::Bold, self.line(&event));
        let names = event.standing.iter().map(|fighter| cells(&fighter.name));
        let name_width = names.max().unwrap_or(0);
        let digits = event
            .standing
            .iter()
            .map(|fighter| fighter.max_hp.to_string().len())
            .max()
            .unwrap_or(0);
        let mut paragraphs = vec![Paragraph::blank(), round];
        let rows = event.standing.iter();
        paragraphs.extend(rows.flat_map(|fighter| self.standing(fighter, name_width, digits)));
        paragraphs
    }

    fn standing(
        &self,
        fighter: &CombatantStatus,
        name_width: usize,
        digits: usize,
    ) -> Vec<Paragraph> {
        let CombatantStatus {
            name, hp, max_hp, ..
        } = fighter;
        let full = full_cells(*hp, *max_hp);
        let note = match fighter.departure {
            Some(Departure::Fled) => say!(self.language, story_fled),
            Some(Departure::Yielded) => say!(self.language, story_yielded),
            _ if *hp <= 0 => say!(self.language, story_down),
            _ => self.list(&fighter.effects),
        };
        let hp_of_max = format!("  {hp:>digits$}/{max_hp:<digits$}");
        let row = Paragraph::row()
            .plain("    ")
            .add(self.roster.style(name), padded(name, name_width))
            .plain("  ")
            .add(health_style(*hp, *max_hp), FULL.repeat(full))
            .add(Style::Dim, EMPTY.repeat(BAR - full));
        let used = 6 + name_width + BAR + cells(&hp_of_max) + 2 + cells(&note);
        if note.is_empty() {
            vec![row.plain(hp_of_max.trim_end())]
        } else if used > USUAL_WIDTH {
            let note = Paragraph::indented(8, 8).add(Style::Dim, note);
            vec![row.plain(hp_of_max.trim_end()), note]
        } else {
            vec![row.plain(hp_of_max).add(Style::Dim, format!("  {note}"))]
        }
    }

    fn card_played(&mut self, event: CardPlayed) -> Vec<Paragraph> {
        let CardPlayed {
            actor, card, skill, ..
        } = &event;
        let mut paragraph = Paragraph::indented(2, 4)
            .add(self.roster.style(actor), actor)
            .plain(say!(self.language, story_plays, card));
        if skill != card {
            paragraph = paragraph.add(Style::Dim, say!(self.language, story_skill, skill));
        }
        // A card that is played again does not look different.
        let is_new = self.cards.insert(format!("{actor} {}", event.description));
        if is_new && !event.description.is_empty() {
            paragraph = paragraph.plain(self.colon()).plain(&event.description);
        }
        let mut paragraphs = vec![self.mark_default(paragraph, actor)];
        let targets = event.targets.iter();
        paragraphs.extend(targets.map(|target| self.target(&event.kind, target)));
        paragraphs
    }

    fn target(&self, kind: &str, target: &TargetResult) -> Paragraph {
        let TargetResult {
            name,
            amount,
            effect,
            ..
        } = target;
        let (style, text) = match kind {
            _ if !target.hit => (Style::Dim, text!(story_missed, name)),
            "attack" => (Style::Warn, text!(story_damage, name, amount)),
            "heal" => (Style::Good, text!(story_healed, name, amount)),
            "guard" => (Style::Whisper, text!(story_guarded, name, amount, effect)),
            "weaken" => (Style::Whisper, text!(story_weakened, name, amount, effect)),
            _ => (
                Style::Whisper,
                text!(story_strengthened, name, amount, effect),
            ),
        };
        let text = text.in_language(self.language);
        let row = Paragraph::indented(6, 8)
            .add(Style::Dim, "→ ")
            .add(style, text);
        if target.fell {
            row.add(Style::Bad, say!(self.language, story_and_falls))
        } else {
            row
        }
    }

    fn combat_move(&mut self, event: CombatMove) -> Vec<Paragraph> {
        let CombatMove {
            actor, description, ..
        } = &event;
        let mut paragraph = Paragraph::indented(2, 4).add(Style::Warn, self.line(&event));
        if !description.is_empty() {
            paragraph = paragraph.plain(self.colon()).plain(description);
        }
        vec![self.mark_default(paragraph, actor)]
    }

    fn combat_outcome(&self, event: CombatOutcome) -> Vec<Paragraph> {
        let style = match event.result {
            FightResult::Won => Style::Good,
            FightResult::Lost => Style::Bad,
            FightResult::Drawn => Style::Warn,
        };
        let [foes, heroes] = [&event.felled, &event.fallen].map(Argument::list);
        let [fled, yielded] = [&event.fled, &event.yielded].map(Argument::list);
        let gains = Argument::list(&event.gains);
        let lists = [
            (&event.felled, text!(story_foes_down, foes)),
            (&event.fallen, text!(story_heroes_down, heroes)),
            (&event.fled, text!(story_who_fled, names = fled)),
            (&event.yielded, text!(story_who_yielded, names = yielded)),
            (&event.gains, text!(story_gains, gains)),
        ];
        let lists = lists.into_iter().filter(|(items, _)| !items.is_empty());
        let lists =
            lists.map(|(_, text)| Paragraph::indented(4, 6).plain(text.in_language(self.language)));
        let heading = Paragraph::indented(2, 4).add(style, self.line(&event));
        let paragraphs = [Paragraph::blank(), heading].into_iter().chain(lists);
        paragraphs.chain([Paragraph::blank()]).collect()
    }
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

fn health_style(hp: i32, max: i32) -> Style {
    match i64::from(hp) * 100 / i64::from(max.max(1)) {
        ..=25 => Style::Bad,
        26..=60 => Style::Warn,
        _ => Style::Good,
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
