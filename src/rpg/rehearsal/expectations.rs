//! What a writer expects of rehearsals: the file `expect.ron` beside `world.ron`.

use serde::Deserialize;

use super::clauses::Wording;
use super::summary::{Activity, FightFigures, Rehearsal};
use crate::locale::{Argument, UiText, text};
use crate::rpg::world_file::WorldFile;
use crate::statistics::Share;
use crate::world_data::{Problems, Source, nearest};

/// One expectation. The last two numbers are percentages, from and to.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub enum Expectation {
    /// Of the fights on this stage, those that are won.
    Fight(String, f64, f64),
    /// Of all fights, those that are won.
    Fights(f64, f64),
    /// Of the fights on each stage, those that are won.
    EachFight(f64, f64),
    /// Of all tokens, those that are spent on talk.
    Talk(f64, f64),
    /// Of the clauses that are spoken, those that were spoken before in the same run.
    Repeated(f64, f64),
}

/// The expectations of a file; none by default.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    list: Vec<Expectation>,
    source: Source,
}

impl Expectations {
    /// Reads a file, which messages call `file`.
    ///
    /// # Errors
    /// Every mistake in it, and every name that is not in the world.
    pub fn read(file: &str, text: &str, world: &WorldFile) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let source = Source::new(file, text);
        let Some(read) = source.read_all::<Vec<Expectation>>(&mut problems) else {
            return Err(problems);
        };
        for (index, expectation) in read.value.iter().enumerate() {
            let mut wrong = |member: usize, message, help| {
                let path = format!("[{index}].{member}");
                problems.push(read.source.problem(&path, message, help));
            };
            if let Some((message, help)) = expectation.unknown_name(world) {
                wrong(0, message, help);
            }
            let (member, from, to) = expectation.range();
            if !(0.0..=100.0).contains(&from) || !(from..=100.0).contains(&to) {
                let message = text!(rpg_expect_range, from, to);
                wrong(member, message, text!(rpg_expect_range_help));
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
                unmet.push(self.source.problem(&path, message, ""));
            }
        }
        unmet
    }
}

impl Expectation {
    /// The percentages, and the position of the first one.
    fn range(&self) -> (usize, f64, f64) {
        match *self {
            Self::Fight(_, from, to) => (1, from, to),
            Self::Fights(from, to)
            | Self::EachFight(from, to)
            | Self::Talk(from, to)
            | Self::Repeated(from, to) => (0, from, to),
        }
    }

    /// What is wrong about its name, and what would be right.
    fn unknown_name(&self, world: &WorldFile) -> Option<(UiText, UiText)> {
        let Self::Fight(stage, ..) = self else {
            return None;
        };
        let fights = world.dungeons.iter().flat_map(|dungeon| &dungeon.fights);
        let stages: Vec<_> = fights.map(|fight| fight.stage.as_str()).collect();
        if stages.contains(&stage.as_str()) {
            return None;
        }
        let help = match nearest(stage, stages.iter().copied()) {
            Some(name) => text!(rpg_expect_did_you_mean, name),
            None => text!(rpg_expect_choose, names = Argument::list(stages)),
        };
        Some((text!(rpg_expect_no_fight, stage), help))
    }

    /// How the rehearsal differs from it.
    fn unmet(&self, rehearsal: &Rehearsal) -> Vec<UiText> {
        let (_, from, to) = self.range();
        let won = |fight: &FightFigures| {
            let stage = &fight.stage;
            self::unmet(text!(rpg_expect_won_at, stage), fight.won, from, to)
        };
        match self {
            Self::Fight(stage, ..) => {
                let mut fights = rehearsal.fights.iter();
                let fight = fights.find(|fight| fight.stage == *stage);
                fight.and_then(won).into_iter().collect()
            }
            Self::EachFight(..) => rehearsal.fights.iter().filter_map(won).collect(),
            Self::Fights(..) => {
                let won = rehearsal.all_fights.won;
                let unmet = self::unmet(text!(rpg_expect_won), won, from, to);
                unmet.into_iter().collect()
            }
            Self::Talk(..) => {
                let talk = rehearsal.activities.get(&Activity::Talk);
                let talk = talk.copied().unwrap_or_default() * 100.0;
                let unmet = outside(text!(rpg_expect_talk), talk, from, to);
                unmet.into_iter().collect()
            }
            Self::Repeated(..) => {
                let speech = rehearsal.repeated.get(&Wording::Speech);
                let speech = speech.copied().unwrap_or_default();
                let unmet = self::unmet(text!(rpg_expect_repeated), speech, from, to);
                unmet.into_iter().collect()
            }
        }
    }
}

/// How a share differs from what was expected; `None` if it does not.
fn unmet(what: UiText, share: Share, from: f64, to: f64) -> Option<UiText> {
    match share.value() {
        Some(value) => outside(what, value * 100.0, from, to),
        None => Some(text!(rpg_expect_never, what, from, to)),
    }
}

fn outside(what: UiText, percent: f64, from: f64, to: f64) -> Option<UiText> {
    let is_met = (from..=to).contains(&percent);
    let percent = format!("{percent:.1}");
    (!is_met).then(|| text!(rpg_expect_unmet, what, percent, from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Language;
    use crate::rpg::world_file::{Dungeon, Fight};

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
            fights: vec![fight("The Gallery", 19, 20), fight("The Hold", 0, 0)],
            all_fights: fight("", 19, 20),
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
}
