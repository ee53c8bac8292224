//! What rehearsals of a draft did not come to.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::locale::{Argument, UiText, text};
use playhouse_engine::mind::Language;
use playhouse_engine::statistics::Share;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::MOST_OF_AN_ENDING;
use super::part::MOST_TOLD;
use super::write::ron_text;
use crate::drama::{Condition, PlotPoint};
use crate::rehearsal::{MissedFigures, Rehearsal, RunFigures};
use crate::world_file::{WorldFile, never_comes};

/// What rehearsals should come to and did not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Unmet {
    /// The item of the file that it is about, such as `scenes[2]`.
    pub(super) at: String,
    /// What it is, whatever the figures.
    what: String,
    /// It with the reason, as a writer is told, who reads conditions in the file.
    pub(super) said: String,
    /// The same for a mind, which reads them in words.
    pub(super) told: String,
}

impl Unmet {
    /// What concerns the whole world.
    pub(super) fn of_world(said: String) -> Self {
        Self {
            at: String::new(),
            what: String::new(),
            told: said.clone(),
            said,
        }
    }
}

/// What rehearsals of a world came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Played {
    /// Of the runs, those in which each scene, option and ending came about.
    shares: Vec<(PlotPoint, Share)>,
    pub(super) unmet: Vec<Unmet>,
}

/// How often a scene, an option or an ending comes about without and with what is suggested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shift {
    #[serde(flatten)]
    pub point: PlotPoint,
    /// Without it; null if it is new.
    pub before: Option<Share>,
    pub after: Share,
}

impl Shift {
    /// Whether it comes less than half as often, by more than chance.
    fn is_harm(&self) -> bool {
        let before = self
            .before
            .filter(|before| self.after.hits * 2 < before.hits);
        before.is_some_and(|before| is_apart(before, self.after))
    }
}

fn is_apart(one: Share, other: Share) -> bool {
    let ends = one.interval().zip(other.interval());
    ends.is_some_and(|((low, high), (from, to))| high < from || to < low)
}

impl Played {
    pub(super) fn of(world: &WorldFile, runs: &[RunFigures]) -> Self {
        let rehearsal = Rehearsal::of(world, runs);
        let shares = rehearsal.missed.iter().map(|missed| {
            let Share { hits, of } = missed.missed;
            let came = Share {
                hits: of - hits,
                of,
            };
            (missed.point.clone(), came)
        });
        let mut unmet = unmet(&rehearsal, world);
        let shares = shares.collect();
        unmet.extend(untrue(runs, world));
        Self { shares, unmet }
    }

    /// What comes more or less often than before by more than chance, or is new.
    pub(super) fn shifts_from(&self, before: &Self) -> Vec<Shift> {
        let shifts = self.shares.iter().map(|(point, after)| {
            let mut known = before.shares.iter();
            Shift {
                point: point.clone(),
                before: known.find(|known| known.0 == *point).map(|known| known.1),
                after: *after,
            }
        });
        let is_told = |shift: &Shift| match shift.before {
            Some(before) => is_apart(before, shift.after),
            None => true,
        };
        shifts.filter(is_told).collect()
    }

    /// What rehearsals do not come to any more.
    pub(super) fn worse_than(&self, before: &Self, language: Language) -> Vec<Unmet> {
        let is_new = |unmet: &&Unmet| before.unmet.iter().all(|known| known.what != unmet.what);
        let shifts = self.shifts_from(before).into_iter();
        let rarer = shifts.filter(|shift| {
            let is_scene = matches!(shift.point, PlotPoint::Scene(_));
            is_scene && shift.after.hits > 0 && shift.is_harm()
        });
        let rarer = rarer.map(
            |Shift {
                 point,
                 before,
                 after,
             }| {
                let name = point.name();
                let [before, after] = [before.unwrap_or_default(), after].map(percent);
                let said = text!(rpg_draft_rarer, name, before, after);
                Unmet::of_world(said.in_language(language))
            },
        );
        let new = self.unmet.iter().filter(is_new).cloned();
        new.chain(rarer).collect()
    }
}

/// A share in percent, of which a part counts as a whole.
pub fn percent(share: Share) -> u64 {
    (share.hits * 100).div_ceil(share.of.max(1))
}

/// What rehearsals did not come to, each with the reason.
fn unmet(rehearsal: &Rehearsal, world: &WorldFile) -> Vec<Unmet> {
    let language = world.language;
    let missed = rehearsal.missed.iter().filter(|missed| missed.is_never());
    // Nothing more is said by the options of a scene that never came to be decided.
    let is_told = |missed: &&MissedFigures| {
        missed.asked.hits > 0 || !matches!(missed.point, PlotPoint::Option { .. })
    };
    let never = missed.filter(is_told).map(|missed| {
        let say =
            |why| text!(rpg_draft_never, name = missed.point.name(), why).in_language(language);
        let plain = match &missed.point {
            PlotPoint::Ending(id) => {
                let number = world.endings.iter().position(|ending| ending.id == *id);
                number.and_then(|number| never_comes(world, number))
            }
            _ => None,
        };
        Unmet {
            at: item_of(&missed.point, world),
            what: format!("{:?}", missed.point),
            said: say(plain.clone().unwrap_or_else(|| missed.reason())),
            told: say(plain.unwrap_or_else(|| {
                missed.reason_in(|part| match ron::from_str(part) {
                    Ok(condition) => in_words(&condition, language),
                    Err(_) => part.to_owned(),
                })
            })),
        }
    });
    let endings = rehearsal.drama.endings.iter();
    let often = endings.filter_map(|ending| {
        let percent = percent(ending.runs);
        let said = text!(rpg_draft_too_often, name = &ending.id, percent).in_language(language);
        (percent > MOST_OF_AN_ENDING).then(|| Unmet {
            at: item_of(&PlotPoint::Ending(ending.id.clone()), world),
            what: format!("often {}", ending.id),
            told: said.clone(),
            said,
        })
    });
    never.chain(often).collect()
}

/// The texts of scenes and endings that were not true when they were told, and what options give
/// or destroy although somebody else has it.
fn untrue(runs: &[RunFigures], world: &WorldFile) -> Vec<Unmet> {
    let mut found = BTreeMap::<_, usize>::new();
    for run in runs {
        let told = run.notes.false_texts.iter();
        let told: BTreeSet<_> = told.map(|it| (&it.path, &it.wrong)).collect();
        for told in told {
            *found.entry(told).or_default() += 1;
        }
    }
    let said = found.into_iter().filter_map(|((path, wrong), count)| {
        let at = path.get(..=path.find(']')?)?.to_owned();
        let (wrong, _) = wrong.texts();
        let place = in_answer(path, world)?;
        let (told, of) = (wrong.clone(), runs.len());
        let said = text!(
            rpg_draft_false,
            place = &place,
            wrong = told,
            runs = count,
            of
        );
        let said = said.in_language(world.language);
        Some(Unmet {
            what: format!("{place}: {wrong:?}"),
            told: said.clone(),
            said,
            at,
        })
    });
    said.take(MOST_TOLD).collect()
}

/// What a mind calls a member of a scene or an ending, and its text: `the-key=burn, seen “…”`.
fn in_answer(path: &str, world: &WorldFile) -> Option<String> {
    let world = serde_json::to_value(world).ok()?;
    let (mut value, mut ids, mut member) = (&world, Vec::new(), "");
    for step in path.split(['[', ']', '.']).filter(|step| !step.is_empty()) {
        value = if let Ok(number) = step.parse::<usize>() {
            value.get(number)?
        } else {
            member = step;
            value.get(step)?
        };
        ids.extend(value.get("id").and_then(Value::as_str));
    }
    let text = value.as_str().map(|text| format!(" “{text}”"));
    let name = (!ids.is_empty()).then(|| ids.join("="))?;
    Some(format!("{name}, {member}{}", text.unwrap_or_default()))
}

/// The path of the scene or ending that a point of the plot belongs to.
fn item_of(point: &PlotPoint, world: &WorldFile) -> String {
    let (list, number) = match point {
        PlotPoint::Scene(id) | PlotPoint::Option { scene: id, .. } => {
            ("scenes", world.scenes.iter().position(|it| it.id == *id))
        }
        PlotPoint::Ending(id) => ("endings", world.endings.iter().position(|it| it.id == *id)),
    };
    format!("{list}[{}]", number.unwrap_or_default())
}

/// A condition in words; what no draft has, as a world file writes it. Nothing of what always
/// or never holds.
pub(super) fn in_words(condition: &Condition, language: Language) -> String {
    use Condition as C;
    let text = match condition {
        C::Always | C::Never => return String::new(),
        C::Knows(who, fact) => text!(rpg_draft_knows, who, fact),
        C::Holds(who, item) => text!(rpg_draft_holds, who, item),
        C::Chose(scene, option) => text!(rpg_draft_chose, scene, option),
        C::Happened(scene) => text!(rpg_draft_happened, scene),
        C::Hour(hour) => text!(rpg_draft_hour, hour),
        C::Day(day) => text!(rpg_draft_day, day = *day),
        C::At(who, place) => text!(rpg_draft_at, who, place),
        C::All(parts) => {
            let parts = parts.iter().map(|part| in_words(part, language));
            text!(rpg_draft_all, parts = Argument::list(parts))
        }
        C::Any(parts) => match parts.as_slice() {
            [one, other] => {
                let [one, other] = [one, other].map(|part| in_words(part, language));
                text!(rpg_draft_any, one, other)
            }
            _ => UiText::verbatim(ron_text(condition)),
        },
        C::Not(part) => {
            let holders = part.parts().into_iter();
            let mut items = holders.filter_map(|part| match part {
                C::Holds(_, item) => Some(item),
                _ => None,
            });
            match items.next() {
                Some(item) => text!(rpg_draft_found, item),
                None => UiText::verbatim(ron_text(condition)),
            }
        }
        other => UiText::verbatim(ron_text(other)),
    };
    text.in_language(language)
}
