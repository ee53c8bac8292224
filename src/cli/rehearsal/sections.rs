//! The tables of a rehearsal.

use std::collections::BTreeMap;

use crate::cli::labels::purpose_label;
use crate::cli::prelude::*;
use crate::cli::statistics::{interval, margin, number, percent};
use crate::rpg::drama::PlotPoint;
use crate::rpg::rehearsal::{
    Activity, DramaFigures, FightFigures, MissedFigures, Rehearsal, Wording,
};
use crate::statistics::{Mean, Share};

use super::report::Report;

/// At most this many of those from whom a fact was learned, or who learned it, are named.
const NAMES: usize = 3;

/// A table with its title.
pub(super) struct Section {
    pub(super) title: String,
    pub(super) columns: Vec<(String, Alignment)>,
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Section {
    fn new(
        title: String,
        columns: impl Into<Vec<(String, Alignment)>>,
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Self {
        Self {
            title,
            columns: columns.into(),
            rows: rows.into_iter().collect(),
        }
    }
}

/// A cell of a table.
pub(super) enum Cell {
    /// A text or a number.
    Text(String),
    /// A share, which a page shows as a bar.
    Share(Share),
}

impl<T: ToString> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::Text(text.to_string())
    }
}

/// A row of texts, numbers and shares.
macro_rules! cells {
    ($($cell:expr),+ $(,)?) => { vec![$($cell.into()),+] };
}

/// All tables that have rows.
pub(super) fn sections(language: Language, report: &Report<'_>) -> Vec<Section> {
    let rehearsal = report.rehearsal;
    let drama = &rehearsal.drama;
    let mut sections = vec![
        overview(language, report),
        endings(language, drama),
        scenes(language, drama),
        options(language, drama),
        never(language, rehearsal),
        votes(language, drama),
        facts(language, drama),
        items(language, drama),
        goals(language, drama),
        bonds(language, drama),
        qualities(language, drama),
        fights(language, rehearsal),
        falls(language, rehearsal),
        skipped(language, rehearsal),
        repeated(language, rehearsal),
        purposes(language, rehearsal),
    ];
    sections.retain(|section| !section.rows.is_empty());
    sections
}

fn overview(language: Language, report: &Report<'_>) -> Section {
    let rehearsal = report.rehearsal;
    let (failed, won) = (rehearsal.failed.len(), rehearsal.all_fights.won);
    let mean = |name: String, mean: Mean, digits| {
        cells![name, number(mean.value(), digits), margin(mean, digits)]
    };
    let mut rows = vec![cells![
        say!(language, cli_rehearsal_runs),
        rehearsal.runs,
        ""
    ]];
    if failed > 0 {
        rows.push(cells![
            say!(language, cli_rehearsal_failed_runs),
            failed,
            ""
        ]);
    }
    if won.of > 0 {
        let name = say!(language, cli_rehearsal_fights_won);
        rows.push(cells![name, percent(won), interval(won)]);
    }
    rows.extend([
        mean(say!(language, cli_rehearsal_days), rehearsal.days, 2),
        mean(say!(language, cli_rehearsal_turns), rehearsal.turns, 1),
        mean(say!(language, cli_rehearsal_calls), rehearsal.calls, 1),
        mean(
            say!(language, cli_rehearsal_default_answers),
            rehearsal.default_answers,
            2,
        ),
        mean(
            say!(language, cli_rehearsal_prompt_tokens),
            rehearsal.prompt_tokens,
            0,
        ),
        mean(
            say!(language, cli_rehearsal_cached),
            rehearsal.cached_tokens,
            0,
        ),
        mean(
            say!(language, cli_rehearsal_answer_tokens),
            rehearsal.answer_tokens,
            0,
        ),
    ]);
    let activities = rehearsal.activities.iter();
    rows.extend(
        activities.map(|(activity, share)| {
            cells![activity_label(language, *activity), percent(*share), ""]
        }),
    );
    if let Some(priced) = report.price {
        let (model, unit) = (&priced.model, &priced.price.currency);
        let cost = format!("{} {unit}", priced.cost(rehearsal));
        rows.push(cells![say!(language, cli_rehearsal_cost, model), cost, ""]);
    }
    let columns = columns!(language, < cli_stat_figure, > cli_value, > cli_stat_interval);
    Section::new(say!(language, cli_rehearsal_overview), columns, rows)
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
    let rows = drama
        .endings
        .iter()
        .map(|ending| cells![&ending.id, &ending.title, or_never(language, ending.runs)]);
    let columns = columns!(
        language, < cli_rehearsal_ending, < cli_title, > cli_rehearsal_share_of_runs
    );
    Section::new(say!(language, cli_rehearsal_endings), columns, rows)
}

fn scenes(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.scenes.iter().map(|scene| {
        let (runs, day) = (or_never(language, scene.runs), number(scene.day.value(), 1));
        cells![&scene.id, &scene.at, runs, day]
    });
    let columns = columns!(
        language, < cli_rehearsal_scene, < cli_rehearsal_stage, > cli_rehearsal_share_of_runs,
        > cli_rehearsal_day
    );
    Section::new(say!(language, cli_rehearsal_scenes), columns, rows)
}

fn options(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.options.iter().map(|option| {
        cells![
            &option.scene,
            &option.option,
            or_never(language, option.chosen)
        ]
    });
    let columns = columns!(
        language, < cli_rehearsal_scene, < cli_rehearsal_option, > cli_rehearsal_chosen
    );
    Section::new(say!(language, cli_rehearsal_options), columns, rows)
}

/// What came about in no run, and why.
fn never(language: Language, rehearsal: &Rehearsal) -> Section {
    let never = rehearsal.missed.iter().filter(|missed| missed.is_never());
    let rows = never.map(|missed| cells![missed.name(), why(language, missed)]);
    let columns = columns!(language, < cli_name, < cli_rehearsal_why);
    Section::new(say!(language, cli_rehearsal_never_title), columns, rows)
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
    let parts = missed.parts.iter();
    let parts =
        parts.map(|part| cells![&part.part, Cell::Share(part.never), Cell::Share(part.alone)]);
    let (runs, of, asked) = (missed.missed.hits, missed.missed.of, missed.asked.hits);
    let instead = missed.instead.iter().map(|(other, runs)| {
        let share = Share {
            hits: *runs,
            of: asked,
        };
        cells![
            say!(language, cli_rehearsal_instead, other),
            "",
            Cell::Share(share)
        ]
    });
    let title = say!(
        language,
        cli_rehearsal_missing,
        name = missed.name(),
        runs,
        of,
        asked
    );
    let columns = columns!(
        language, < cli_rehearsal_part, > cli_rehearsal_never_held, > cli_rehearsal_alone
    );
    Section::new(title, columns, parts.chain(instead))
}

fn votes(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.votes.iter();
    let rows = rows.map(|vote| cells![vote.vote, &vote.result, Cell::Share(vote.carried)]);
    let columns = columns!(
        language, < cli_rehearsal_vote, < cli_rehearsal_result, > cli_rehearsal_carried
    );
    Section::new(say!(language, cli_rehearsal_votes), columns, rows)
}

fn facts(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.facts.iter().map(|fact| {
        let [told, taken_up, learned] =
            [fact.told, fact.taken_up, fact.learned].map(|share| or_never(language, share));
        let [from, by] = [&fact.from, &fact.by].map(most_frequent);
        cells![
            &fact.id,
            told,
            taken_up,
            learned,
            number(fact.day.value(), 1),
            from,
            by
        ]
    });
    let columns = columns!(
        language, < cli_rehearsal_fact, > cli_rehearsal_told, > cli_rehearsal_taken_up,
        > cli_rehearsal_learned, > cli_rehearsal_day, < cli_rehearsal_from, < cli_rehearsal_by
    );
    Section::new(say!(language, cli_rehearsal_facts), columns, rows)
}

fn items(language: Language, drama: &DramaFigures) -> Section {
    let gone = say!(language, cli_rehearsal_gone);
    let rows = drama.items.iter().flat_map(|item| {
        let holders = item.holders.iter().chain([(&gone, &item.gone)]);
        let mut holders: Vec<_> = holders.filter(|(_, share)| share.hits > 0).collect();
        holders.sort_by_key(|(_, share)| std::cmp::Reverse(share.hits));
        let rows = holders.into_iter();
        rows.map(|(holder, share)| cells![&item.name, holder, Cell::Share(*share)])
            .collect::<Vec<_>>()
    });
    let columns = columns!(
        language, < cli_rehearsal_item, < cli_rehearsal_holder, > cli_rehearsal_share_of_runs
    );
    Section::new(say!(language, cli_rehearsal_items), columns, rows)
}

fn goals(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.goals.iter().map(|goal| {
        cells![
            &goal.who,
            &goal.words,
            Cell::Share(goal.met),
            Cell::Share(goal.lost)
        ]
    });
    let columns = columns!(
        language, < cli_name, < cli_rehearsal_goal, > cli_rehearsal_met, > cli_rehearsal_not_met
    );
    Section::new(say!(language, cli_rehearsal_goals), columns, rows)
}

fn bonds(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.bonds.iter().map(|bond| {
        let end = number(bond.end.value(), 1);
        cells![
            format!("{} → {}", bond.from, bond.to),
            bond.start,
            end,
            bond.end.of
        ]
    });
    let columns = columns!(
        language, < cli_rehearsal_bond, > cli_rehearsal_at_start, > cli_rehearsal_at_end,
        > cli_rehearsal_in_runs
    );
    Section::new(say!(language, cli_rehearsal_bonds), columns, rows)
}

fn qualities(language: Language, drama: &DramaFigures) -> Section {
    let rows = drama.qualities.iter();
    let rows = rows.map(|quality| cells![&quality.id, number(quality.end.value(), 1)]);
    let columns = columns!(language, < cli_rehearsal_quality, > cli_rehearsal_at_end);
    Section::new(say!(language, cli_rehearsal_qualities), columns, rows)
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
    let row = |name: &str, fight: &FightFigures| {
        let [fought, won, lost] = [fight.fought, fight.won, fight.lost].map(Cell::Share);
        let (rounds, fallen) = (fight.rounds.value(), fight.fallen.value());
        cells![
            name,
            fought,
            won,
            lost,
            number(rounds, 1),
            number(fallen, 2)
        ]
    };
    let fights = rehearsal.fights.iter();
    let mut rows: Vec<_> = fights.map(|fight| row(&fight.stage, fight)).collect();
    if rows.len() > 1 {
        rows.push(row(&say!(language, cli_total), &rehearsal.all_fights));
    }
    let columns = columns!(
        language, < cli_rehearsal_stage, > cli_rehearsal_fought, > cli_rehearsal_won,
        > cli_rehearsal_lost, > cli_rehearsal_rounds, > cli_rehearsal_fallen
    );
    Section::new(say!(language, cli_rehearsal_fights), columns, rows)
}

fn falls(language: Language, rehearsal: &Rehearsal) -> Section {
    let rows = rehearsal.falls.iter();
    let rows = rows.map(|(hero, share)| cells![hero, Cell::Share(*share)]);
    let columns = columns!(language, < cli_name, > cli_rehearsal_share_of_runs);
    Section::new(say!(language, cli_rehearsal_falls), columns, rows)
}

fn skipped(language: Language, rehearsal: &Rehearsal) -> Section {
    let rows = rehearsal.skipped.iter();
    let rows = rows.map(|(effect, share)| cells![effect, Cell::Share(*share)]);
    let columns = columns!(language, < cli_rehearsal_effect, > cli_rehearsal_share_of_runs);
    Section::new(say!(language, cli_rehearsal_skipped), columns, rows)
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
        cells![name, Cell::Share(*share)]
    });
    let columns = columns!(language, < cli_rehearsal_texts, > cli_rehearsal_share_of_clauses);
    Section::new(say!(language, cli_rehearsal_repeated), columns, rows)
}

fn purposes(language: Language, rehearsal: &Rehearsal) -> Section {
    let rows = rehearsal.purposes.iter().map(|figures| {
        let mean = |mean: Mean, digits| number(mean.value(), digits);
        cells![
            purpose_label(&figures.purpose).in_language(language),
            mean(figures.calls, 1),
            mean(figures.default_answers, 2),
            mean(figures.prompt_tokens, 0),
            mean(figures.answer_tokens, 0),
            format!("{:.1}%", figures.share * 100.0),
        ]
    });
    let columns = columns!(
        language, < cli_purpose, > cli_calls, > cli_default_answers, > cli_prompt_tokens,
        > cli_answer_tokens, > cli_rehearsal_share_of_tokens
    );
    Section::new(say!(language, cli_rehearsal_purposes), columns, rows)
}
