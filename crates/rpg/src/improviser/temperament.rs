//! What an actor is inclined to, for a whole story.

use playhouse_engine::message::Role;
use playhouse_engine::mind::splitmix::{SplitMix64, hash};
use playhouse_engine::mind::{Notes, Prompt};

/// It is drawn from the story's seed; if the notes don't tell it, from its first words.
pub(super) struct Temperament {
    /// Of a hundred turns, in how many it would tell a friend what it knows.
    pub(super) openness: u32,
    /// How easily it parts with things.
    pub(super) giving: u32,
    /// How easily it walks away.
    pub(super) restless: u32,
    /// How much its own goals count for it.
    ambition: i32,
    /// How much others count for it.
    loyalty: i32,
    /// How much its word counts for it.
    honour: i32,
    /// How much it likes to have things, and to be safe; below 0, to be rid of them, and in danger.
    greed: i32,
    caution: i32,
    /// How much it likes to speak out.
    candour: i32,
}

/// How one feels about others, by name.
pub(super) fn feelings(notes: Notes<'_>) -> Vec<(&str, i64)> {
    let feelings = notes.list("feelings");
    feelings
        .map(|felt| (felt.name(), felt.number("value")))
        .collect()
}

impl Temperament {
    pub(super) fn of(prompt: &Prompt<'_>) -> Self {
        let speaker = Notes::of(prompt).object("speaker");
        let seed = match speaker.number("temperament") {
            0 => {
                let mut entries = prompt.history.entries().iter();
                let first = entries.find(|entry| entry.role() == Role::Ai);
                first.map_or(prompt.seed, |entry| hash(&entry.body().full_text()))
            }
            drawn => drawn.unsigned_abs(),
        };
        let mut dice = SplitMix64::new(seed);
        let mut draw = |most: usize| dice.below(most) as u32;
        let (openness, giving, restless) = (4 + draw(24), 2 + draw(8), 3 + draw(8));
        let mut lean = |least: i32, most: i32| least + draw((most - least + 1) as usize) as i32;
        Self {
            openness,
            giving,
            restless,
            ambition: lean(0, 3),
            loyalty: lean(-1, 3),
            honour: lean(0, 3),
            greed: lean(-1, 2),
            caution: lean(-1, 2),
            candour: lean(-1, 2),
        }
    }

    /// How much an option of a choice attracts, given how one feels about others. The best is not
    /// always taken, and none never.
    pub(super) fn weight(&self, option: Notes<'_>, feelings: &[(&str, i64)]) -> u32 {
        let leads = option.object("leads_to");
        let number = |member: &str| leads.number(member).clamp(-3, 3) as i32;
        let others = leads.object("others");
        let regard = feelings.iter().map(|(name, felt)| {
            let done = others.number(name).clamp(-3, 3);
            (done * felt).clamp(-3, 3) as i32
        });
        let likes = 2 * self.ambition * number("goals")
            + self.loyalty * regard.sum::<i32>()
            + 2 * self.honour * number("faith")
            + self.greed * number("gain")
            - self.caution * number("danger")
            + self.candour * number("told");
        match likes {
            ..=-6 => 40,
            -5..=-2 => 65,
            -1..=1 => 100,
            2..=5 => 150,
            _ => 210,
        }
    }
}
