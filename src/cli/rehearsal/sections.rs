//! The tables of a rehearsal.

use std::collections::BTreeMap;

use crate::locale::{Argument, Language, UiText};
use crate::rpg::drama::PlotPoint;
use crate::rpg::rehearsal::{
    Activity, DramaFigures, FightFigures, MissedFigures, Rehearsal, Wording,
};
use crate::statistics::{Mean, Share};

use super::report::Report;
use crate::cli::labels::purpose_label;
use crate::cli::say::say;
use crate::cli::statistics::{interval, margin, number, percent};
use crate::cli::tables::Alignment;

/// At most this many of those from whom a fact was learned, or who learned it, are named.
const NAMES: usize = 3;

/// A table with its title.
pub(super) struct Section {
    pub(super) title: String,
    pub(super) columns: Vec<(String, Alignment)>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
pub(super) enum Cell {
    /// A text or a number.
    Text(String),
    /// A share, which a page shows as a bar.
    Share(Share),
}

/// All tables that have rows.
pub(super) fn sections(language: Language, report: &Report<'_>) -> Vec<Section> {
    let rehearsal = report.rehearsal;
    let sections = [
        overview(language, report),
        endings(language, &rehearsal.drama),
        scenes(language, &rehearsal.drama),
        options(language, &rehearsal.drama),
        never(language, rehearsal),
        votes(language, &rehearsal.drama),
        facts(language, &rehearsal.drama),
        items(language, &rehearsal.drama),
        goals(language, &rehearsal.drama),
        bonds(language, &rehearsal.drama),
        qualities(language, &rehearsal.drama),
        fights(language, rehearsal),
        falls(language, rehearsal),
        skipped(language, rehearsal),
        repeated(language, rehearsal),
        purposes(language, rehearsal),
    ];
    let sections = sections.into_iter();
    sections
        .filter(|section| !section.rows.is_empty())
        .collect()
}

/// A column of text, then columns of numbers.
fn columns<const N: usize>(first: String, numbers: [String; N]) -> Vec<(String, Alignment)> {
    let numbers = numbers.into_iter().map(|head| (head, Alignment::Right));
    [(first, Alignment::Left)]
        .into_iter()
        .chain(numbers)
        .collect()
}

fn overview(language: Language, report: &Report<'_>) -> Section {
    let rehearsal = report.rehearsal;
    let mut rows = Vec::new();
    let mut row = |name: String, value: String, interval: String| {
        rows.push([name, value, interval].map(Cell::Text).into());
    };
    let none = String::new;
    row(
        say!(language, cli_rehearsal_runs),
        rehearsal.runs.to_string(),
        none(),
    );
    if !rehearsal.failed.is_empty() {
        let failed = rehearsal.failed.len().to_string();
        row(say!(language, cli_rehearsal_failed_runs), failed, none());
    }
    let won = rehearsal.all_fights.won;
    if won.of > 0 {
        let name = say!(language, cli_rehearsal_fights_won);
        row(name, percent(won), interval(won));
    }
    let mut mean = |name: String, mean: Mean, digits: usize| {
        row(name, number(mean.value(), digits), margin(mean, digits));
    };
    mean(say!(language, cli_rehearsal_days), rehearsal.days, 2);
    mean(say!(language, cli_rehearsal_turns), rehearsal.turns, 1);
    mean(say!(language, cli_rehearsal_calls), rehearsal.calls, 1);
    let defaults = rehearsal.default_answers;
    mean(say!(language, cli_rehearsal_default_answers), defaults, 2);
    let name = say!(language, cli_rehearsal_prompt_tokens);
    mean(name, rehearsal.prompt_tokens, 0);
    mean(
        say!(language, cli_rehearsal_cached),
        rehearsal.cached_tokens,
        0,
    );
    let name = say!(language, cli_rehearsal_answer_tokens);
    mean(name, rehearsal.answer_tokens, 0);
    for (activity, share) in &rehearsal.activities {
        row(activity_label(language, *activity), percent(*share), none());
    }
    if let Some(priced) = report.price {
        let (model, unit) = (&priced.model, &priced.price.currency);
        let cost = format!("{} {unit}", priced.cost(rehearsal));
        row(say!(language, cli_rehearsal_cost, model), cost, none());
    }
    Section {
        title: say!(language, cli_rehearsal_overview),
        columns: columns(
            say!(language, cli_stat_figure),
            [say!(language, cli_value), say!(language, cli_stat_interval)],
        ),
        rows,
    }
}

fn activity_label(language: Language, activity: Activity) -> String {
    match activity {
        Activity::Talk => say!(language, cli_rehearsal_tokens_talk),
        Activity::Fight => say!(language, cli_rehearsal_tokens_fights),
        Activity::Memory => say!(language, cli_rehearsal_tokens_memory),
        Activity::Other => say!(language, cli_rehearsal_tokens_other),
    }
}

fn endings(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.endings.iter().map(|ending| {
        vec![
            Cell::Text(ending.id.clone()),
            Cell::Text(ending.title.clone()),
            or_never(language, ending.runs),
        ]
    });
    Section {
        title: say!(language, cli_rehearsal_endings),
        columns: vec![
            (say!(language, cli_rehearsal_ending), Alignment::Left),
            (say!(language, cli_title), Alignment::Left),
            (
                say!(language, cli_rehearsal_share_of_runs),
                Alignment::Right,
            ),
        ],
        rows: rows.collect(),
    }
}

fn scenes(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.scenes.iter().map(|scene| {
        vec![
            Cell::Text(scene.id.clone()),
            Cell::Text(scene.at.clone()),
            or_never(language, scene.runs),
            Cell::Text(number(scene.day.value(), 1)),
        ]
    });
    Section {
        title: say!(language, cli_rehearsal_scenes),
        columns: vec![
            (say!(language, cli_rehearsal_scene), Alignment::Left),
            (say!(language, cli_rehearsal_stage), Alignment::Left),
            (
                say!(language, cli_rehearsal_share_of_runs),
                Alignment::Right,
            ),
            (say!(language, cli_rehearsal_day), Alignment::Right),
        ],
        rows: rows.collect(),
    }
}

fn options(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.options.iter().map(|option| {
        vec![
            Cell::Text(option.scene.clone()),
            Cell::Text(option.option.clone()),
            or_never(language, option.chosen),
        ]
    });
    Section {
        title: say!(language, cli_rehearsal_options),
        columns: vec![
            (say!(language, cli_rehearsal_scene), Alignment::Left),
            (say!(language, cli_rehearsal_option), Alignment::Left),
            (say!(language, cli_rehearsal_chosen), Alignment::Right),
        ],
        rows: rows.collect(),
    }
}

/// What came about in no run, and why.
fn never(language: Language, rehearsal: &Rehearsal) -> Section {
    let never = rehearsal.missed.iter().filter(|missed| missed.is_never());
    let rows =
        never.map(|missed| vec![Cell::Text(missed.name()), Cell::Text(why(language, missed))]);
    Section {
        title: say!(language, cli_rehearsal_never_title),
        columns: vec![
            (say!(language, cli_name), Alignment::Left),
            (say!(language, cli_rehearsal_why), Alignment::Left),
        ],
        rows: rows.collect(),
    }
}

/// What kept something from coming about, in short.
fn why(language: Language, missed: &MissedFigures) -> String {
    let asked = missed.asked.hits;
    if asked == 0 {
        return match &missed.point {
            PlotPoint::Scene(_) => say!(language, cli_rehearsal_no_occasion),
            PlotPoint::Option { .. } => say!(language, cli_rehearsal_not_decided),
            PlotPoint::Ending(_) => say!(language, cli_rehearsal_ended_otherwise),
        };
    }
    let parts = missed.parts.iter();
    let never: Vec<_> = parts.filter(|part| part.never.hits == asked).collect();
    if !never.is_empty() {
        let parts = Argument::list(never.iter().map(|part| &part.part));
        return say!(language, cli_rehearsal_part_never, parts);
    }
    let alone = missed.parts.iter().max_by_key(|part| part.alone.hits);
    let alone = alone.filter(|part| part.alone.hits > 0);
    let first = missed.instead.iter().max_by_key(|(_, runs)| **runs);
    match (alone, first) {
        (_, Some((other, runs))) => {
            say!(
                language,
                cli_rehearsal_came_first,
                other,
                runs = *runs,
                of = asked
            )
        }
        (Some(part), None) => {
            let (part, runs) = (&part.part, part.alone.hits);
            say!(language, cli_rehearsal_part_alone, part, runs, of = asked)
        }
        (None, None) if missed.parts.iter().all(|part| part.never.hits == 0) => {
            say!(language, cli_rehearsal_not_chosen)
        }
        (None, None) => say!(language, cli_rehearsal_not_together),
    }
}

/// What was missing of one scene with its options, or one option or ending.
pub(super) fn whys(language: Language, rehearsal: &Rehearsal, name: &str) -> Vec<Section> {
    let is_it = |missed: &&MissedFigures| match &missed.point {
        PlotPoint::Option { scene, .. } => scene == name || missed.name() == name,
        _ => missed.name() == name,
    };
    let found = rehearsal.missed.iter().filter(is_it);
    found.map(|missed| missing(language, missed)).collect()
}

fn missing(language: Language, missed: &MissedFigures) -> Section {
    let parts = missed.parts.iter().map(|part| {
        vec![
            Cell::Text(part.part.clone()),
            Cell::Share(part.never),
            Cell::Share(part.alone),
        ]
    });
    let instead = missed.instead.iter().map(|(other, runs)| {
        let of = missed.asked.hits;
        vec![
            Cell::Text(say!(language, cli_rehearsal_instead, other)),
            Cell::Text(String::new()),
            Cell::Share(Share { hits: *runs, of }),
        ]
    });
    let (runs, of, asked) = (missed.missed.hits, missed.missed.of, missed.asked.hits);
    let name = missed.name();
    Section {
        title: say!(language, cli_rehearsal_missing, name, runs, of, asked),
        columns: columns(
            say!(language, cli_rehearsal_part),
            [
                say!(language, cli_rehearsal_never_held),
                say!(language, cli_rehearsal_alone),
            ],
        ),
        rows: parts.chain(instead).collect(),
    }
}

fn votes(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.votes.iter().map(|vote| {
        vec![
            Cell::Text(vote.vote.to_string()),
            Cell::Text(vote.result.clone()),
            Cell::Share(vote.carried),
        ]
    });
    Section {
        title: say!(language, cli_rehearsal_votes),
        columns: vec![
            (say!(language, cli_rehearsal_vote), Alignment::Left),
            (say!(language, cli_rehearsal_result), Alignment::Left),
            (say!(language, cli_rehearsal_carried), Alignment::Right),
        ],
        rows: rows.collect(),
    }
}

fn facts(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.facts.iter().map(|fact| {
        vec![
            Cell::Text(fact.id.clone()),
            or_never(language, fact.told),
            or_never(language, fact.taken_up),
            or_never(language, fact.learned),
            Cell::Text(number(fact.day.value(), 1)),
            Cell::Text(most_frequent(&fact.from)),
            Cell::Text(most_frequent(&fact.by)),
        ]
    });
    Section {
        title: say!(language, cli_rehearsal_facts),
        columns: vec![
            (say!(language, cli_rehearsal_fact), Alignment::Left),
            (say!(language, cli_rehearsal_told), Alignment::Right),
            (say!(language, cli_rehearsal_taken_up), Alignment::Right),
            (say!(language, cli_rehearsal_learned), Alignment::Right),
            (say!(language, cli_rehearsal_day), Alignment::Right),
            (say!(language, cli_rehearsal_from), Alignment::Left),
            (say!(language, cli_rehearsal_by), Alignment::Left),
        ],
        rows: rows.collect(),
    }
}

fn items(language: Language, drama: &DramaFigures) -> Section {
    let mut rows = Vec::new();
    for item in &drama.items {
        let holders = item.holders.iter();
        let holders = holders.map(|(holder, share)| (holder.clone(), *share));
        let gone = (say!(language, cli_rehearsal_gone), item.gone);
        let mut holders: Vec<_> = holders.chain([gone]).collect();
        holders.retain(|(_, share)| share.hits > 0);
        holders.sort_by_key(|(_, share)| std::cmp::Reverse(share.hits));
        for (holder, share) in holders {
            rows.push(vec![
                Cell::Text(item.name.clone()),
                Cell::Text(holder),
                Cell::Share(share),
            ]);
        }
    }
    Section {
        title: say!(language, cli_rehearsal_items),
        columns: vec![
            (say!(language, cli_rehearsal_item), Alignment::Left),
            (say!(language, cli_rehearsal_holder), Alignment::Left),
            (
                say!(language, cli_rehearsal_share_of_runs),
                Alignment::Right,
            ),
        ],
        rows,
    }
}

fn goals(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.goals.iter().map(|goal| {
        vec![
            Cell::Text(goal.who.clone()),
            Cell::Text(goal.words.clone()),
            Cell::Share(goal.met),
            Cell::Share(goal.lost),
        ]
    });
    Section {
        title: say!(language, cli_rehearsal_goals),
        columns: vec![
            (say!(language, cli_name), Alignment::Left),
            (say!(language, cli_rehearsal_goal), Alignment::Left),
            (say!(language, cli_rehearsal_met), Alignment::Right),
            (say!(language, cli_rehearsal_not_met), Alignment::Right),
        ],
        rows: rows.collect(),
    }
}

fn bonds(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.bonds.iter().map(|bond| {
        vec![
            Cell::Text(format!("{} → {}", bond.from, bond.to)),
            Cell::Text(bond.start.to_string()),
            Cell::Text(number(bond.end.value(), 1)),
            Cell::Text(bond.end.of.to_string()),
        ]
    });
    Section {
        title: say!(language, cli_rehearsal_bonds),
        columns: columns(
            say!(language, cli_rehearsal_bond),
            [
                say!(language, cli_rehearsal_at_start),
                say!(language, cli_rehearsal_at_end),
                say!(language, cli_rehearsal_in_runs),
            ],
        ),
        rows: rows.collect(),
    }
}

fn qualities(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.qualities.iter().map(|quality| {
        vec![
            Cell::Text(quality.id.clone()),
            Cell::Text(number(quality.end.value(), 1)),
        ]
    });
    Section {
        title: say!(language, cli_rehearsal_qualities),
        columns: columns(
            say!(language, cli_rehearsal_quality),
            [say!(language, cli_rehearsal_at_end)],
        ),
        rows: rows.collect(),
    }
}

/// A share, or that it never happened.
fn or_never(language: Language, share: Share) -> Cell {
    if share.hits == 0 {
        Cell::Text(say!(language, cli_rehearsal_never))
    } else {
        Cell::Share(share)
    }
}

/// The names with the highest counts, and their share of all in percent; `-` if there are none.
fn most_frequent(counts: &BTreeMap<String, u64>) -> String {
    if counts.is_empty() {
        return "-".to_owned();
    }
    let total: u64 = counts.values().sum();
    let mut names: Vec<_> = counts.iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let names = names.into_iter().take(NAMES);
    let names = names.map(|(name, count)| format!("{name} {}%", 100 * count / total.max(1)));
    names.collect::<Vec<_>>().join(", ")
}

fn fights(language: Language, rehearsal: &Rehearsal) -> Section {
    let row = |name: String, fight: &FightFigures| {
        vec![
            Cell::Text(name),
            Cell::Share(fight.fought),
            Cell::Share(fight.won),
            Cell::Share(fight.lost),
            Cell::Text(number(fight.rounds.value(), 1)),
            Cell::Text(number(fight.fallen.value(), 2)),
        ]
    };
    let fights = rehearsal.fights.iter();
    let mut rows: Vec<_> = fights
        .map(|fight| row(fight.stage.clone(), fight))
        .collect();
    if rows.len() > 1 {
        rows.push(row(say!(language, cli_total), &rehearsal.all_fights));
    }
    Section {
        title: say!(language, cli_rehearsal_fights),
        columns: columns(
            say!(language, cli_rehearsal_stage),
            [
                say!(language, cli_rehearsal_fought),
                say!(language, cli_rehearsal_won),
                say!(language, cli_rehearsal_lost),
                say!(language, cli_rehearsal_rounds),
                say!(language, cli_rehearsal_fallen),
            ],
        ),
        rows,
    }
}

fn falls(language: Language, rehearsal: &Rehearsal) -> Section {
    let rows = rehearsal.falls.iter();
    let rows = rows.map(|(hero, share)| vec![Cell::Text(hero.clone()), Cell::Share(*share)]);
    Section {
        title: say!(language, cli_rehearsal_falls),
        columns: columns(
            say!(language, cli_name),
            [say!(language, cli_rehearsal_share_of_runs)],
        ),
        rows: rows.collect(),
    }
}

fn skipped(language: Language, rehearsal: &Rehearsal) -> Section {
    let rows = rehearsal.skipped.iter();
    let rows = rows.map(|(effect, share)| vec![Cell::Text(effect.clone()), Cell::Share(*share)]);
    Section {
        title: say!(language, cli_rehearsal_skipped),
        columns: columns(
            say!(language, cli_rehearsal_effect),
            [say!(language, cli_rehearsal_share_of_runs)],
        ),
        rows: rows.collect(),
    }
}

fn repeated(language: Language, rehearsal: &Rehearsal) -> Section {
    let rows = rehearsal.repeated.iter().map(|(wording, share)| {
        let name = match wording {
            Wording::Speech => say!(language, cli_rehearsal_speech),
            Wording::Thought => say!(language, cli_rehearsal_thoughts),
            Wording::Card => say!(language, cli_rehearsal_cards),
            Wording::Narration => say!(language, cli_rehearsal_narration),
            Wording::Memory => say!(language, cli_rehearsal_memories),
        };
        vec![Cell::Text(name), Cell::Share(*share)]
    });
    Section {
        title: say!(language, cli_rehearsal_repeated),
        columns: columns(
            say!(language, cli_rehearsal_texts),
            [say!(language, cli_rehearsal_share_of_clauses)],
        ),
        rows: rows.collect(),
    }
}

fn purposes(language: Language, rehearsal: &Rehearsal) -> Section {
    let rows = rehearsal.purposes.iter().map(|figures| {
        let label: UiText = purpose_label(&figures.purpose);
        let means = [
            (figures.calls, 1),
            (figures.default_answers, 2),
            (figures.prompt_tokens, 0),
            (figures.answer_tokens, 0),
        ];
        let means = means.map(|(mean, digits)| number(mean.value(), digits));
        let share = number(Some(figures.share * 100.0), 1) + "%";
        let cells = [label.in_language(language)].into_iter();
        cells.chain(means).chain([share]).map(Cell::Text).collect()
    });
    Section {
        title: say!(language, cli_rehearsal_purposes),
        columns: columns(
            say!(language, cli_purpose),
            [
                say!(language, cli_calls),
                say!(language, cli_default_answers),
                say!(language, cli_prompt_tokens),
                say!(language, cli_answer_tokens),
                say!(language, cli_rehearsal_share_of_tokens),
            ],
        ),
        rows: rows.collect(),
    }
}
