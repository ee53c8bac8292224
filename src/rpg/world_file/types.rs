//! The parts of a world file.
//!
//! Every field may be left out as far as the form goes, so that one mistake does not hide the next;
//! the check says what has to be there. Long texts are freed of the indentation of their lines.

use serde::{Deserialize, Deserializer, Serialize};

use crate::mind::Language;
use crate::tool::{self, LoreBook};

/// A whole world, as its writer wrote it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "World")]
pub struct WorldFile {
    /// What the world is called.
    pub name: String,
    /// The language of its texts and of all who live in it.
    pub language: Language,
    /// One line that makes a reader want to play it.
    pub title: String,
    /// The shared first part of every system message: the world, its tone, how to behave.
    #[serde(deserialize_with = "prose")]
    pub rules: String,
    /// Those who speak for the world: a herald, a chronicler.
    pub agents: Vec<WorldAgent>,
    /// All places.
    pub stages: Vec<Stage>,
    /// All who live in the world and may fight for the heroes.
    pub actors: Vec<Actor>,
    /// All who are met in dungeons.
    pub foes: Vec<Foe>,
    /// What actors and foes can do in a fight.
    pub skills: Vec<Skill>,
    /// What some know and others do not.
    pub secrets: Vec<Secret>,
    /// What can be looked up.
    pub lore: Vec<Lore>,
    /// Where the heroes go.
    pub dungeons: Vec<Dungeon>,
    /// The campaign; it ends at home after the last step.
    pub schedule: Vec<Step>,
    /// How long things may be.
    pub limits: Limits,
    /// Texts that must not be spoken in public, beside those of the secrets.
    pub patterns: Vec<Pattern>,
}

/// Someone who speaks for the world and stands on no stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorldAgent {
    /// Unique among all that have a mind.
    pub name: String,
    /// Who it is; it alone reads this.
    #[serde(deserialize_with = "prose")]
    pub profile: String,
    /// What it is told when the campaign begins.
    #[serde(deserialize_with = "prose")]
    pub kickoff: String,
    /// The alias of the model that answers for it; the run's own where left out.
    pub model: String,
}

/// What a stage is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum StageKind {
    /// Actors live here and walk from one to the next.
    #[default]
    Home,
    /// Fights take place here.
    Dungeon,
}

/// A place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stage {
    /// Unique among all that have a mind.
    pub name: String,
    /// What it is for.
    pub kind: StageKind,
    /// What anyone there can see.
    #[serde(deserialize_with = "prose")]
    pub profile: String,
    /// What it is told when the campaign begins.
    #[serde(deserialize_with = "prose")]
    pub kickoff: String,
    /// Where one can walk from here; the way back is written at the other end.
    pub connects: Vec<String>,
    /// The alias of the model that answers for it; the run's own where left out.
    pub model: String,
}

/// Whose side an actor is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Faction {
    /// Travels with the party and fights.
    #[default]
    Hero,
    /// Stays at home.
    Neutral,
}

/// Someone who lives in the world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Actor {
    /// Unique among all that have a mind.
    pub name: String,
    /// Who it is and what it wants; it alone reads this.
    #[serde(deserialize_with = "prose")]
    pub profile: String,
    /// What others see of it.
    #[serde(deserialize_with = "prose")]
    pub look: String,
    /// Whether it travels with the party.
    pub camp: Faction,
    /// The home stage it begins on.
    pub stage: String,
    /// How strong it is.
    pub stats: Stats,
    /// Names of the skills it has.
    pub skills: Vec<String>,
    /// What it is told when the campaign begins.
    #[serde(deserialize_with = "prose")]
    pub kickoff: String,
    /// Ids of the secrets it knows.
    pub secrets: Vec<String>,
    /// The tools that its mind may call, by name: the engine's own, and `server.tool` or `server.*` of
    /// servers that the player's model file defines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The alias of the model that answers for it; the run's own where left out.
    pub model: String,
}

/// Numbers of a combatant, all above 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stats {
    /// Hit points when healthy.
    pub hp: i32,
    /// Added to the power of attacks.
    pub attack: i32,
    /// Taken from what others do to it.
    pub defense: i32,
    /// The faster acts first.
    pub speed: i32,
    /// What it may spend on skills in a round.
    pub energy: i32,
}

/// Someone who is met in a dungeon.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Foe {
    /// Unique among all that have a mind.
    pub name: String,
    /// Who it is and what it wants; it alone reads this.
    #[serde(deserialize_with = "prose")]
    pub profile: String,
    /// What others see of it.
    #[serde(deserialize_with = "prose")]
    pub look: String,
    /// How strong it is.
    pub stats: Stats,
    /// Names of the skills it has.
    pub skills: Vec<String>,
    /// What it is told when it appears.
    #[serde(deserialize_with = "prose")]
    pub kickoff: String,
    /// Whether it may be met again, and so remembers.
    pub returns: bool,
    /// The alias of the model that answers for it; the run's own where left out.
    pub model: String,
}

/// What a skill does to its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SkillKind {
    /// Takes hit points.
    #[default]
    Attack,
    /// Gives hit points back.
    Heal,
    /// Raises defense for some rounds.
    Guard,
    /// Lowers attack for some rounds.
    Weaken,
    /// Raises attack for some rounds.
    Strengthen,
}

impl SkillKind {
    /// Whether it lasts for rounds.
    pub fn lasts(self) -> bool {
        matches!(self, Self::Guard | Self::Weaken | Self::Strengthen)
    }
}

/// Something that can be done in a fight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Skill {
    /// Unique among skills.
    pub name: String,
    /// What it does.
    pub kind: SkillKind,
    /// How much of it.
    pub power: i32,
    /// Energy it takes.
    pub cost: i32,
    /// How often it hits, in percent; 100 if left out.
    #[serde(default = "always")]
    pub accuracy: i32,
    /// Rounds it lasts, for guard, weaken and strengthen.
    pub duration: i32,
    /// How it looks and feels; minds make cards of it.
    #[serde(deserialize_with = "prose")]
    pub about: String,
}

/// What some know and others do not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Secret {
    /// Unique among secrets.
    pub id: String,
    /// What is so, as those who know it would say it.
    #[serde(deserialize_with = "prose")]
    pub text: String,
    /// Words that must not be spoken in public; a guard masks them.
    pub guard: Vec<String>,
}

/// Who can look something up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KnownTo {
    /// Everyone.
    #[default]
    Everyone,
    /// These alone.
    Only(Vec<String>),
}

/// Something that can be looked up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lore {
    /// Unique among lore.
    pub title: String,
    /// Words by which it is found.
    pub keys: Vec<String>,
    /// What is found.
    #[serde(deserialize_with = "prose")]
    pub text: String,
    /// By whom.
    pub known_to: KnownTo,
}

impl WorldFile {
    /// What can be looked up, as tools and queries want it.
    pub fn lore_book(&self) -> LoreBook {
        let lore = self.lore.iter().map(|lore| tool::Lore {
            title: lore.title.clone(),
            keys: lore.keys.clone(),
            text: lore.text.clone(),
            only: match &lore.known_to {
                KnownTo::Everyone => None,
                KnownTo::Only(names) => Some(names.clone()),
            },
        });
        LoreBook(lore.collect())
    }
}

/// Where the heroes go: fights, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dungeon {
    /// Unique among dungeons.
    pub name: String,
    /// What is told of it at home.
    #[serde(deserialize_with = "prose")]
    pub profile: String,
    /// What waits there, in order.
    pub fights: Vec<Fight>,
}

/// One fight on one stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fight {
    /// The stage, of kind `Dungeon`.
    pub stage: String,
    /// Who waits there.
    pub foes: Vec<String>,
    /// What the party gains by winning.
    #[serde(deserialize_with = "prose")]
    pub gain: String,
}

/// One step of the campaign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Step {
    /// Days at home.
    Home {
        /// How many.
        days: i32,
    },
    /// A journey to the dungeon of that name.
    Dungeon(String),
}

/// How long things may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Plans of each actor on a day at home.
    pub home_rounds: i32,
    /// Rounds after which a fight ends undecided.
    pub combat_rounds: i32,
    /// Skills a combatant may choose from in a round.
    pub hand_size: i32,
    /// Tokens of an entity's context, above which its past is summed up.
    pub context_tokens: i32,
    /// Tokens of one answer.
    pub reply_tokens: i32,
    /// Characters of one speech.
    pub speech_chars: i32,
    /// Whether actors may whisper.
    pub whisper: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            home_rounds: 2,
            combat_rounds: 10,
            hand_size: 2,
            context_tokens: 12_000,
            reply_tokens: 600,
            speech_chars: 600,
            whisper: true,
        }
    }
}

/// A text that must not be spoken in public, and what is heard in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pattern {
    /// The text, letter by letter.
    pub text: String,
    /// What is heard in its place.
    pub mask: String,
}

fn always() -> i32 {
    100
}

fn prose<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(unwrapped(&unindented(&String::deserialize(from)?)))
}

/// The text with the lines of a paragraph joined: its writer wrapped them for the eye alone. Empty
/// lines, lists, headings and indented lines stay as they are.
fn unwrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let starts_anew = line.is_empty()
            || line.starts_with(['-', '*', '#', '|', '>', ' ', '\t'])
            || line.starts_with(|c: char| c.is_ascii_digit());
        let before = out.chars().next_back();
        match before {
            None => {}
            Some('\n') => {}
            Some(_) if starts_anew => out.push('\n'),
            // Chinese is written without spaces between words, and so are its lines.
            Some(last) if is_wide(last) || line.starts_with(is_wide) => {}
            Some(_) => out.push(' '),
        }
        out.push_str(line);
        if line.is_empty() {
            out.push('\n');
        }
    }
    out
}

/// Whether no space stands beside the character: ideographs, kana and full-width punctuation.
fn is_wide(character: char) -> bool {
    matches!(character, '\u{2018}'..='\u{201d}' | '\u{2026}' | '\u{2014}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

/// The text without blank ends and without what all its lines but the first are indented by.
fn unindented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines = || text.trim().lines();
    let filled = lines().skip(1).filter(|line| !line.trim().is_empty());
    let common = filled.map(indent).min().unwrap_or(0);
    let cut = |(number, line): (usize, &'_ str)| {
        let from = if number == 0 { 0 } else { common };
        line.get(from..).unwrap_or_default().trim_end().to_owned()
    };
    lines().enumerate().map(cut).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_lose_their_indentation() {
        let text = "\n    One.\n\n      - two  \n    three\n  ";
        assert_eq!(unindented(text), "One.\n\n  - two\nthree");
        assert_eq!(unindented("\u{3000}\u{3000}一\n\u{3000}二"), "一\n二");
        assert_eq!(unindented(" \n "), "");
    }

    #[test]
    fn the_lines_of_a_paragraph_are_joined() {
        assert_eq!(
            unwrapped("One\ntwo.\n\nThree:\n- four\n- five"),
            "One two.\n\nThree:\n- four\n- five"
        );
        assert_eq!(
            unwrapped("她站在灯下，\n没有说话。"),
            "她站在灯下，没有说话。"
        );
        assert_eq!(unwrapped(""), "");
    }

    #[test]
    fn a_world_survives_being_written_and_read() {
        let world = WorldFile {
            name: "W".into(),
            schedule: vec![Step::Home { days: 1 }, Step::Dungeon("D".into())],
            lore: vec![Lore {
                known_to: KnownTo::Only(vec!["A".into()]),
                ..Lore::default()
            }],
            skills: vec![Skill::default()],
            ..WorldFile::default()
        };
        let text = ron::to_string(&world).expect("is written");
        assert_eq!(ron::from_str::<WorldFile>(&text).expect("is read"), world);
    }
}
