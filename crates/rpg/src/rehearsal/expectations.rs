//! What a writer expects of rehearsals: the file `expect.ron` beside `world.ron`.

use playhouse_engine::locale::{UiText, text};
use playhouse_engine::statistics::Share;
use playhouse_engine::world_data::{Problems, Source};
use serde::Deserialize;

use super::clauses::Wording;
use super::drama::{EndingFigures, FactFigures, OptionFigures, SceneFigures};
use super::summary::{Activity, FightFigures, Rehearsal};
use crate::experiment::Outcome;
use crate::world_file::{WorldFile, instead_of};

/// One expectation. The last two numbers are the lowest and the highest percentage.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub enum Expectation {
    /// The share of runs with this ending.
    Ending(String, f64, f64),
    /// The share of runs with each ending.
    EachEnding(f64, f64),
    /// The share of runs in which this scene is played.
    Scene(String, f64, f64),
    /// The share of this option among the times that its choice was made.
    Option(String, String, f64, f64),
    /// The share of each option among the times that its choice was made.
    EachOption(f64, f64),
    /// The share of runs in which a character learns this fact from somebody.
    Told(String, f64, f64),
    /// The share of runs in which a character learns each fact from somebody, except sworn ones.
    EachTold(f64, f64),
    /// The share, among the runs in which each fact is told, of those in which a listener acts on
    /// it, except for sworn facts.
    EachTakenUp(f64, f64),
    /// The share of fights won on this stage.
    Fight(String, f64, f64),
    /// The share of all fights that are won.
    Fights(f64, f64),
    /// The share of fights won on each stage.
    EachFight(f64, f64),
    /// The share of tokens spent on talk.
    Talk(f64, f64),
    /// The share of spoken clauses that were already spoken in the same run.
    Repeated(f64, f64),
}

/// The expectations in a file; empty by default.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    list: Vec<Expectation>,
    source: Source,
}

impl Expectations {
    /// Reads a file; messages call it `file`.
    pub fn read(file: &str, text: &str, world: &WorldFile) -> Result<Self, Problems> {
        let source = Source::new(file, text);
        let (read, mut problems) = source.read_all::<Vec<Expectation>>()?;
        for (index, expectation) in read.value.iter().enumerate() {
            let mut wrong = |member: usize, message, help| {
                let path = format!("[{index}].{member}");
                read.source.report(&mut problems, &path, message, help);
            };
            let (names, from, to) = expectation.members();
            let known = expectation.known(world);
            for (member, (name, known)) in names.iter().zip(known).enumerate() {
                if !known.contains(name) {
                    let help = instead_of(name, known.iter().copied());
                    wrong(member, text!(drama_unknown, name), help);
                }
            }
            if !(0.0..=100.0).contains(&from) || !(from..=100.0).contains(&to) {
                let message = text!(rpg_expect_range, from, to);
                wrong(names.len(), message, text!(rpg_expect_range_help));
            }
        }
        let (list, _) = problems.unless_errors(read.value)?;
        Ok(Self { list, source })
    }

    /// Every expectation that the rehearsal does not meet.
    pub fn unmet(&self, rehearsal: &Rehearsal) -> Problems {
        let mut unmet = Problems::new();
        for (index, expectation) in self.list.iter().enumerate() {
            for message in expectation.unmet(rehearsal) {
                let path = format!("[{index}]");
                let help = UiText::default();
                self.source.report(&mut unmet, &path, message, help);
            }
        }
        unmet
    }
}

impl Expectation {
    /// Its names, and the percentages.
    fn members(&self) -> (Vec<&str>, f64, f64) {
        match self {
            Self::Option(scene, option, from, to) => (vec![scene, option], *from, *to),
            Self::Ending(name, from, to)
            | Self::Scene(name, from, to)
            | Self::Told(name, from, to)
            | Self::Fight(name, from, to) => (vec![name], *from, *to),
            Self::EachEnding(from, to)
            | Self::EachOption(from, to)
            | Self::EachTold(from, to)
            | Self::EachTakenUp(from, to)
            | Self::Fights(from, to)
            | Self::EachFight(from, to)
            | Self::Talk(from, to)
            | Self::Repeated(from, to) => (Vec::new(), *from, *to),
        }
    }

    /// The names that there are, for each of its own.
    fn known<'a>(&self, world: &'a WorldFile) -> Vec<Vec<&'a str>> {
        let outcome = match self {
            Self::Ending(id, ..) => Outcome::Ending(id.clone()),
            Self::Scene(id, ..) => Outcome::Scene(id.clone()),
            Self::Option(scene, option, ..) => Outcome::Option(scene.clone(), option.clone()),
            Self::Told(id, ..) => Outcome::Told(id.clone()),
            Self::Fight(stage, ..) => Outcome::Fight(stage.clone()),
            _ => return Vec::new(),
        };
        outcome.known(world)
    }

    /// What it is about in a rehearsal of a world: of each its name and its share.
    fn shares(&self, rehearsal: &Rehearsal) -> Vec<(UiText, Share)> {
        let drama = &rehearsal.drama;
        let (names, ..) = self.members();
        let is_about = |name: &str| names.first().is_none_or(|first| *first == name);
        match self {
            Self::Ending(..) | Self::EachEnding(..) => {
                let endings = drama.endings.iter().filter(|ending| is_about(&ending.id));
                let share = |ending: &EndingFigures| {
                    (text!(rpg_expect_ending, id = &ending.id), ending.runs)
                };
                endings.map(share).collect()
            }
            Self::Scene(..) => {
                let scenes = drama.scenes.iter().filter(|scene| is_about(&scene.id));
                let share =
                    |scene: &SceneFigures| (text!(rpg_expect_scene, id = &scene.id), scene.runs);
                scenes.map(share).collect()
            }
            Self::Option(..) | Self::EachOption(..) => {
                let options = drama.options.iter().filter(|known| is_about(&known.scene));
                let is_it = |known: &&OptionFigures| {
                    names.get(1).is_none_or(|option| *option == known.option)
                };
                options.filter(is_it).map(chosen).collect()
            }
            Self::Told(..) => {
                let facts = drama.facts.iter().filter(|fact| is_about(&fact.id));
                facts.map(told).collect()
            }
            Self::EachTold(..) => {
                let facts = drama.facts.iter().filter(|fact| !fact.sworn);
                facts.map(told).collect()
            }
            Self::EachTakenUp(..) => {
                let facts = drama.facts.iter().filter(|fact| !fact.sworn);
                let share =
                    |fact: &FactFigures| (text!(rpg_expect_taken_up, id = &fact.id), fact.taken_up);
                facts.map(share).collect()
            }
            Self::Fight(..) | Self::EachFight(..) => {
                let fights = rehearsal
                    .fights
                    .iter()
                    .filter(|fight| is_about(&fight.stage));
                let share = |fight: &FightFigures| {
                    (text!(rpg_expect_won_at, stage = &fight.stage), fight.won)
                };
                fights.map(share).collect()
            }
            Self::Fights(..) => vec![(text!(rpg_expect_won), rehearsal.all_fights.won)],
            Self::Repeated(..) => {
                let speech = rehearsal.repeated.get(&Wording::Speech);
                vec![(
                    text!(rpg_expect_repeated),
                    speech.copied().unwrap_or_default(),
                )]
            }
            Self::Talk(..) => {
                let talk = rehearsal.activities.get(&Activity::Talk);
                vec![(text!(rpg_expect_talk), talk.copied().unwrap_or_default())]
            }
        }
    }

    /// How a rehearsal differs from it.
    fn unmet(&self, rehearsal: &Rehearsal) -> Vec<UiText> {
        let (_, from, to) = self.members();
        let shares = self.shares(rehearsal).into_iter();
        let unmet = shares.filter_map(|(what, share)| unmet(what, share, rehearsal.runs, from, to));
        unmet.collect()
    }
}

fn chosen(option: &OptionFigures) -> (UiText, Share) {
    let OptionFigures {
        scene,
        option,
        chosen,
        ..
    } = option;
    (text!(rpg_expect_chosen, scene, option), *chosen)
}

fn told(fact: &FactFigures) -> (UiText, Share) {
    (text!(rpg_expect_told, id = &fact.id), fact.told)
}

/// What did not take place in this many runs never does.
const RUNS_TO_TELL: u64 = 1_000;
/// What was not chosen in fewer decisions than this may be chosen in others.
const CHOICES_TO_TELL: u64 = 10;
/// How many rehearsals there would have to be for one to be as far off by chance, if a share is not
/// as expected.
const REHEARSALS: f64 = 100.0;

/// How a share differs from what was expected by more than chance; `None` if it does not.
fn unmet(what: UiText, share: Share, runs: u64, from: f64, to: f64) -> Option<UiText> {
    let can_tell = runs >= RUNS_TO_TELL;
    let Some(value) = share.value() else {
        return can_tell.then(|| text!(rpg_expect_never, what, from, to));
    };
    let is_off = |bound: f64| divergence(value, bound) * share.of as f64 > REHEARSALS.ln();
    let (least, most) = (from / 100.0, to / 100.0);
    let is_outside = (value < least && is_off(least)) || (value > most && is_off(most));
    let never = can_tell && share.hits == 0 && share.of >= CHOICES_TO_TELL && from > 0.0;
    let percent = format!("{:.1}", value * 100.0);
    (is_outside || never).then(|| text!(rpg_expect_unmet, what, percent, from, to))
}

/// How far a share is from an expected one (Kullback and Leibler). Times the number of samples it
/// is the logarithm of how improbable that is, at least (Chernoff's bound).
fn divergence(share: f64, expected: f64) -> f64 {
    let part = |share: f64, expected: f64| match share {
        0.0 => 0.0,
        share => share * (share / expected).ln(),
    };
    part(share, expected) + part(1.0 - share, 1.0 - expected)
}

#[cfg(test)]
mod tests {
    use super::super::summary::FightFigures;
    use super::*;
    use crate::world_file::{Dungeon, Fight};
    use playhouse_engine::locale::Language;

    fn world() -> WorldFile {
        let fight = |stage: &str| Fight {
            stage: stage.into(),
            ..Fight::default()
        };
        WorldFile {
            dungeons: vec![Dungeon {
                fights: vec![fight("The Gallery"), fight("The Hold")],
                ..Dungeon::default()
            }],
            ..WorldFile::default()
        }
    }

    fn rehearsal() -> Rehearsal {
        let fight = |stage: &str, hits, of| FightFigures {
            stage: stage.into(),
            won: Share { hits, of },
            ..FightFigures::default()
        };
        Rehearsal {
            runs: 1_000,
            fights: vec![fight("The Gallery", 1_900, 2_000), fight("The Hold", 0, 0)],
            all_fights: fight("", 1_900, 2_000),
            ..Rehearsal::default()
        }
    }

    #[test]
    fn every_mistake_is_told_with_its_place() {
        let text = "[\n  Fight(\"The Galery\", 20, 90),\n  Fights(80, 45),\n  Fihgts(1, 2),\n  EachFight(-1, 5),\n]";
        let problems = Expectations::read("expect.ron", text, &world()).unwrap_err();
        let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(lines.len(), 4, "{lines:#?}");
        for (line, start) in lines.iter().zip([
            "expect.ron:2:9: error: [0].0: ",
            "expect.ron:3:10: error: [1].0: ",
            "expect.ron:4:3: error: [2]: ",
            "expect.ron:5:13: error: [3].0: ",
        ]) {
            assert!(line.starts_with(start), "{line}");
        }
        assert!(lines[0].contains("The Gallery"), "{lines:#?}");
    }

    #[test]
    fn what_is_not_met_is_told_with_its_place() {
        let text = "[Fights(90, 100), Fight(\"The Gallery\", 20, 90),\n EachFight(0, 100)]";
        let expectations = Expectations::read("expect.ron", text, &world()).unwrap();
        let unmet = expectations.unmet(&rehearsal());
        let lines: Vec<_> = unmet.iter().map(ToString::to_string).collect();
        assert_eq!(lines.len(), 2, "{lines:#?}");
        assert!(lines[0].starts_with("expect.ron:1:19: error: [1]: "));
        assert!(lines[0].contains("The Gallery") && lines[0].contains("95.0%"));
        assert!(lines[1].starts_with("expect.ron:2:2: error: [2]: "));
        assert!(lines[1].contains("The Hold"), "{lines:#?}");
        let chinese = unmet
            .iter()
            .map(|problem| problem.in_language(Language::Zh));
        assert!(chinese.into_iter().all(|line| line.contains("错误")));
    }

    #[test]
    fn chance_is_no_mistake_but_what_never_happens_is() {
        let is_unmet = |hits, of, runs, from, to| {
            let share = Share { hits, of };
            unmet(UiText::verbatim("it"), share, runs, from, to).is_some()
        };
        // Of 200, none is likely if it is one in a thousand.
        assert!(!is_unmet(0, 200, 200, 0.1, 100.0));
        assert!(is_unmet(0, 200, 200, 5.0, 100.0));
        assert!(is_unmet(0, 1_000, 1_000, 0.1, 100.0));
        assert!(!is_unmet(1, 1_000, 1_000, 0.1, 100.0));
        assert!(!is_unmet(0, 0, 200, 0.1, 100.0));
        assert!(is_unmet(0, 0, 1_000, 0.1, 100.0));
        assert!(!is_unmet(0, 9, 1_000, 0.1, 100.0));
        assert!(is_unmet(0, 10, 1_000, 0.1, 100.0));
        // 91 of 100 is near 90 percent, and 950 of 1000 is not.
        assert!(!is_unmet(91, 100, 200, 20.0, 90.0));
        assert!(is_unmet(950, 1_000, 1_000, 20.0, 90.0));
        assert!(is_unmet(400_000, 1_000_000, 1_000, 50.0, 100.0));
        assert!(!is_unmet(600_000, 1_000_000, 1_000, 50.0, 100.0));
        assert!(is_unmet(5, 100, 1_000, 0.0, 0.0));
    }
}
