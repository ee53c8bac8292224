//! Somebody in a fight, as the notes tell it.

use playhouse_engine::mind::Notes;

#[derive(Clone, Debug)]
pub(super) struct FighterNotes<'n> {
    pub(super) name: &'n str,
    pub(super) hp: i64,
    pub(super) max_hp: i64,
    pub(super) attack: i64,
    pub(super) defense: i64,
    pub(super) effects: Vec<String>,
}

impl<'n> FighterNotes<'n> {
    pub(super) fn of(notes: Notes<'n>) -> Self {
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
    pub(super) fn health(&self) -> i64 {
        match self.max_hp {
            ..=0 => 100,
            max => (self.hp.saturating_mul(100) / max).clamp(0, 100),
        }
    }
}
