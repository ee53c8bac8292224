//! The tables of a rehearsal.

use std::collections::BTreeMap;

use crate::cli::labels::purpose_label;
use crate::cli::prelude::*;
use crate::cli::statistics::{interval, margin, number, percent};
use crate::rpg::drama::{Occasion, PlotPoint};
use crate::rpg::rehearsal::{
    Activity, DramaFigures, FactFigures, MissedFigures, NOWHERE, Rehearsal, Spot, Wording,
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

/// A table: its title, its rows, and what each column says of a row.
macro_rules! section {
    (
        $language:expr, $title:expr, $row:pat in $rows:expr,
        $($side:tt $heading:ident: $cell:expr),+ $(,)?
    ) => {
        Section {
            title: $title,
            columns: columns!($language, $($side $heading),+).into(),
            rows: $rows.into_iter().map(|$row| vec![$($cell.into()),+]).collect(),
        }
    };
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
    let count = |name: UiText, count: String| (name, count, String::new());
    let mut rows = vec![count(text!(cli_rehearsal_runs), rehearsal.runs.to_string())];
    if failed > 0 {
        rows.push(count(text!(cli_rehearsal_failed_runs), failed.to_string()));
    }
    if won.of > 0 {
        rows.push((text!(cli_rehearsal_fights_won), percent(won), interval(won)));
    }
    let means = [
        (text!(cli_rehearsal_days), rehearsal.days, 2),
        (text!(cli_rehearsal_turns), rehearsal.turns, 1),
        (text!(cli_rehearsal_calls), rehearsal.calls, 1),
        (
            text!(cli_rehearsal_default_answers),
            rehearsal.default_answers,
            2,
        ),
        (
            text!(cli_rehearsal_prompt_tokens),
            rehearsal.prompt_tokens,
            0,
        ),
        (text!(cli_rehearsal_cached), rehearsal.cached_tokens, 0),
        (
            text!(cli_rehearsal_answer_tokens),
            rehearsal.answer_tokens,
            0,
        ),
    ];
    rows.extend(
        means
            .map(|(name, mean, digits)| (name, number(mean.value(), digits), margin(mean, digits))),
    );
    let activities = rehearsal.activities.iter();
    rows.extend(activities.map(|(activity, share)| count(label(*activity), percent(*share))));
    if let Some(priced) = report.price {
        let (model, unit) = (&priced.model, &priced.price.currency);
        let cost = format!("{} {unit}", priced.cost(rehearsal));
        rows.push(count(text!(cli_rehearsal_cost, model), cost));
    }
    section!(
        language, say!(language, cli_rehearsal_overview), (name, value, interval) in rows,
        < cli_stat_figure: name.in_language(language),
        > cli_value: value,
        > cli_stat_interval: interval,
    )
}

fn label(activity: Activity) -> UiText {
    match activity {
        Activity::Talk => text!(cli_rehearsal_tokens_talk),
        Activity::Fight => text!(cli_rehearsal_tokens_fights),
        Activity::Memory => text!(cli_rehearsal_tokens_memory),
        Activity::Other => text!(cli_rehearsal_tokens_other),
    }
}

fn endings(language: Language, drama: &DramaFigures) -> Section {
    section!(
        language, say!(language, cli_rehearsal_endings), ending in &drama.endings,
        < cli_rehearsal_ending: &ending.id,
        < cli_title: &ending.title,
        > cli_rehearsal_share_of_runs: or_never(language, ending.runs),
    )
}

fn scenes(language: Language, drama: &DramaFigures) -> Section {
    section!(
        language, say!(language, cli_rehearsal_scenes), scene in &drama.scenes,
        < cli_rehearsal_scene: &scene.id,
        < cli_rehearsal_stage: &scene.at,
        > cli_rehearsal_share_of_runs: or_never(language, scene.runs),
        > cli_rehearsal_day: number(scene.day.value(), 1),
    )
}

fn options(language: Language, drama: &DramaFigures) -> Section {
    section!(
        language, say!(language, cli_rehearsal_options), option in &drama.options,
        < cli_rehearsal_scene: &option.scene,
        < cli_rehearsal_option: &option.option,
        > cli_rehearsal_chosen: or_never(language, option.chosen),
    )
}

/// A scene and an ending may have the same name.
fn kind(missed: &MissedFigures) -> UiText {
    match missed.point {
        PlotPoint::Scene(_) => text!(cli_rehearsal_scene),
        PlotPoint::Option { .. } => text!(cli_rehearsal_option),
        PlotPoint::Ending(_) => text!(cli_rehearsal_ending),
    }
}

/// What came about in no run, and why.
fn never(language: Language, rehearsal: &Rehearsal) -> Section {
    let never = rehearsal.missed.iter().filter(|missed| missed.is_never());
    section!(
        language, say!(language, cli_rehearsal_never_title), missed in never,
        < cli_kind: kind(missed).in_language(language),
        < cli_name: missed.point.name(),
        < cli_rehearsal_why: missed.reason().in_language(language),
    )
}

/// Scenes and people by day, time and place, and who can know what when.
pub(super) fn map(language: Language, drama: &DramaFigures) -> Vec<Section> {
    let names = |counts: &BTreeMap<String, u64>| {
        let mut names: Vec<_> = counts.iter().collect();
        names.sort_by_key(|(_, runs)| std::cmp::Reverse(**runs));
        let names = names
            .into_iter()
            .map(|(name, runs)| format!("{name} {runs}"));
        names.collect::<Vec<_>>().join(", ")
    };
    let spots = section!(
        language, say!(language, cli_rehearsal_map), at in &drama.map,
        > cli_rehearsal_on_day: at.spot.day,
        < cli_rehearsal_time: time(&at.spot).in_language(language),
        < cli_rehearsal_stage: &at.spot.place,
        < cli_rehearsal_begin: names(&at.scenes),
        < cli_rehearsal_people: names(&at.people),
    );
    let knowers = |fact: &FactFigures| {
        let mut knowers: Vec<_> = fact.knowers.iter().collect();
        knowers.sort_by_key(|(_, knower)| (knower.first_day, std::cmp::Reverse(knower.runs)));
        let knowers = knowers.into_iter().map(|(who, knower)| {
            let (day, runs) = (knower.first_day, knower.runs);
            say!(language, cli_rehearsal_knower, who, day, runs)
        });
        knowers.collect::<Vec<_>>().join(", ")
    };
    let known = section!(
        language, say!(language, cli_rehearsal_known), fact in &drama.facts,
        < cli_rehearsal_fact: &fact.id,
        < cli_rehearsal_at_first: fact.known_by.join(", "),
        < cli_rehearsal_by: knowers(fact),
    );
    let mut sections = vec![spots, known];
    sections.retain(|section| !section.rows.is_empty());
    sections
}

fn time(spot: &Spot) -> UiText {
    match spot.occasion {
        _ if !spot.hour.is_empty() => UiText::verbatim(&spot.hour),
        Occasion::Start => text!(cli_rehearsal_before),
        Occasion::Morning => text!(cli_rehearsal_morning),
        Occasion::Afternoon => text!(cli_rehearsal_afternoon),
        Occasion::Travel => text!(cli_rehearsal_travel),
        Occasion::Camp => text!(cli_rehearsal_camp),
        Occasion::Retreat => text!(cli_rehearsal_retreat),
        Occasion::Return => text!(cli_rehearsal_return),
    }
}

/// Why a fact was not told.
pub(super) fn why_told(language: Language, drama: &DramaFigures, name: &str) -> Vec<String> {
    let fact = drama.facts.iter().find(|fact| fact.id == name);
    let words = fact.map(|fact| {
        let (told, of) = (fact.told.hits, fact.told.of);
        let (near, untold) = (fact.near.hits, fact.near.of);
        say!(
            language,
            cli_rehearsal_why_told,
            name,
            told,
            of,
            near,
            untold
        )
    });
    words.into_iter().collect()
}

/// Why something came about in some runs only, in words. `at` is the place of the scene.
fn in_words(language: Language, missed: &MissedFigures, at: Option<&str>) -> String {
    let (name, runs, of) = (missed.point.name(), missed.missed.hits, missed.missed.of);
    let (asked, near) = (missed.asked.hits, missed.near.hits);
    let mut words = vec![say!(
        language,
        cli_rehearsal_why_words,
        name,
        runs,
        of,
        asked,
        near
    )];
    let mut parts: Vec<_> = missed
        .parts
        .iter()
        .filter(|part| part.alone.hits > 0)
        .collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.alone.hits));
    for part in parts {
        let (part, runs) = (&part.part, part.alone.hits);
        words.push(say!(language, cli_rehearsal_why_alone, part, runs));
    }
    for (who, places) in missed.parts.iter().flat_map(|part| &part.elsewhere) {
        let mut places = places.clone();
        places.retain(|place, _| Some(&**place) != at);
        if places.is_empty() {
            continue;
        }
        if let Some(gone) = places.remove(NOWHERE) {
            places.insert(say!(language, cli_rehearsal_nowhere), gone);
        }
        let places = most_frequent(&places);
        words.push(say!(language, cli_rehearsal_why_elsewhere, who, places));
    }
    if missed.late.hits > 0 {
        let runs = missed.late.hits;
        words.push(say!(language, cli_rehearsal_why_late, runs));
    }
    if missed.offered() > 0 {
        let runs = missed.offered();
        words.push(say!(language, cli_rehearsal_why_offered, runs));
    }
    for (other, runs) in &missed.instead {
        words.push(say!(
            language,
            cli_rehearsal_why_instead,
            other,
            runs = *runs
        ));
    }
    words.join(if language == Language::Zh { "" } else { " " })
}

/// What was missing of one scene with its options, or of one option or ending, in words and as a
/// table.
pub(super) fn whys(
    language: Language,
    rehearsal: &Rehearsal,
    name: &str,
) -> Vec<(String, Section)> {
    let is_it = |missed: &&MissedFigures| match &missed.point {
        PlotPoint::Option { scene, .. } => scene == name || missed.point.name() == name,
        _ => missed.point.name() == name,
    };
    let found = rehearsal.missed.iter().filter(is_it);
    let found = found.filter(|missed| missed.missed.hits > 0);
    let place = |missed: &MissedFigures| {
        let (PlotPoint::Scene(scene) | PlotPoint::Option { scene, .. }) = &missed.point else {
            return None;
        };
        let mut scenes = rehearsal.drama.scenes.iter();
        scenes
            .find(|known| known.id == *scene)
            .map(|scene| &*scene.at)
    };
    found
        .map(|missed| {
            let words = in_words(language, missed, place(missed));
            (words, missing(language, missed))
        })
        .collect()
}

fn missing(language: Language, missed: &MissedFigures) -> Section {
    let (runs, of, asked) = (missed.missed.hits, missed.missed.of, missed.asked.hits);
    let parts = missed.parts.iter();
    let parts = parts.map(|part| (part.part.clone(), Cell::Share(part.never), part.alone));
    let instead = missed.instead.iter().map(|(other, runs)| {
        let (hits, of) = (*runs, asked);
        (
            say!(language, cli_rehearsal_instead, other),
            Cell::from(""),
            Share { hits, of },
        )
    });
    let title = say!(
        language,
        cli_rehearsal_missing,
        name = missed.point.name(),
        runs,
        of,
        asked
    );
    section!(
        language, title, (part, never, alone) in parts.chain(instead),
        < cli_rehearsal_part: part,
        > cli_rehearsal_never_held: never,
        > cli_rehearsal_alone: Cell::Share(alone),
    )
}

fn votes(language: Language, drama: &DramaFigures) -> Section {
    section!(
        language, say!(language, cli_rehearsal_votes), vote in &drama.votes,
        < cli_rehearsal_vote: vote.vote,
        < cli_rehearsal_result: &vote.result,
        > cli_rehearsal_carried: Cell::Share(vote.carried),
    )
}

fn facts(language: Language, drama: &DramaFigures) -> Section {
    section!(
        language, say!(language, cli_rehearsal_facts), fact in &drama.facts,
        < cli_rehearsal_fact: &fact.id,
        > cli_rehearsal_told: or_never(language, fact.told),
        > cli_rehearsal_near: Cell::Share(fact.near),
        > cli_rehearsal_taken_up: or_never(language, fact.taken_up),
        > cli_rehearsal_learned: or_never(language, fact.learned),
        > cli_rehearsal_day: number(fact.day.value(), 1),
        < cli_rehearsal_from: most_frequent(&fact.from),
        < cli_rehearsal_by: most_frequent(&fact.by),
    )
}

fn items(language: Language, drama: &DramaFigures) -> Section {
    let gone = say!(language, cli_rehearsal_gone);
    let held = drama.items.iter().flat_map(|item| {
        let holders = item.holders.iter().chain([(&gone, &item.gone)]);
        let mut holders: Vec<_> = holders.filter(|(_, share)| share.hits > 0).collect();
        holders.sort_by_key(|(_, share)| std::cmp::Reverse(share.hits));
        holders
            .into_iter()
            .map(move |(holder, share)| (item, holder, *share))
    });
    section!(
        language, say!(language, cli_rehearsal_items), (item, holder, share) in held,
        < cli_rehearsal_item: &item.name,
        < cli_rehearsal_holder: holder,
        > cli_rehearsal_share_of_runs: Cell::Share(share),
    )
}

fn goals(language: Language, drama: &DramaFigures) -> Section {
    section!(
        language, say!(language, cli_rehearsal_goals), goal in &drama.goals,
        < cli_name: &goal.who,
        < cli_rehearsal_goal: &goal.words,
        > cli_rehearsal_met: Cell::Share(goal.met),
        > cli_rehearsal_not_met: Cell::Share(goal.lost),
    )
}

fn bonds(language: Language, drama: &DramaFigures) -> Section {
    section!(
        language, say!(language, cli_rehearsal_bonds), bond in &drama.bonds,
        < cli_rehearsal_bond: format!("{} → {}", bond.from, bond.to),
        > cli_rehearsal_at_start: bond.start,
        > cli_rehearsal_at_end: number(bond.end.value(), 1),
        > cli_rehearsal_in_runs: bond.end.of,
    )
}

fn qualities(language: Language, drama: &DramaFigures) -> Section {
    section!(
        language, say!(language, cli_rehearsal_qualities), quality in &drama.qualities,
        < cli_rehearsal_quality: &quality.id,
        > cli_rehearsal_at_end: number(quality.end.value(), 1),
    )
}

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
    let fights = rehearsal.fights.iter();
    let mut fights: Vec<_> = fights.map(|fight| (fight.stage.clone(), fight)).collect();
    if fights.len() > 1 {
        fights.push((say!(language, cli_total), &rehearsal.all_fights));
    }
    section!(
        language, say!(language, cli_rehearsal_fights), (stage, fight) in fights,
        < cli_rehearsal_stage: stage,
        > cli_rehearsal_fought: Cell::Share(fight.fought),
        > cli_rehearsal_won: Cell::Share(fight.won),
        > cli_rehearsal_lost: Cell::Share(fight.lost),
        > cli_rehearsal_rounds: number(fight.rounds.value(), 1),
        > cli_rehearsal_fallen: number(fight.fallen.value(), 2),
    )
}

fn falls(language: Language, rehearsal: &Rehearsal) -> Section {
    section!(
        language, say!(language, cli_rehearsal_falls), (hero, share) in &rehearsal.falls,
        < cli_name: hero,
        > cli_rehearsal_share_of_runs: Cell::Share(*share),
    )
}

fn skipped(language: Language, rehearsal: &Rehearsal) -> Section {
    section!(
        language, say!(language, cli_rehearsal_skipped), (effect, share) in &rehearsal.skipped,
        < cli_rehearsal_effect: effect,
        > cli_rehearsal_share_of_runs: Cell::Share(*share),
    )
}

fn repeated(language: Language, rehearsal: &Rehearsal) -> Section {
    let name = |wording: &Wording| match wording {
        Wording::Speech => say!(language, cli_rehearsal_speech),
        Wording::Thought => say!(language, cli_rehearsal_thoughts),
        Wording::Card => say!(language, cli_rehearsal_cards),
        Wording::Narration => say!(language, cli_rehearsal_narration),
        Wording::Memory => say!(language, cli_rehearsal_memories),
    };
    section!(
        language, say!(language, cli_rehearsal_repeated), (wording, share) in &rehearsal.repeated,
        < cli_rehearsal_texts: name(wording),
        > cli_rehearsal_share_of_clauses: Cell::Share(*share),
    )
}

fn purposes(language: Language, rehearsal: &Rehearsal) -> Section {
    let mean = |mean: Mean, digits| number(mean.value(), digits);
    section!(
        language, say!(language, cli_rehearsal_purposes), figures in &rehearsal.purposes,
        < cli_purpose: purpose_label(&figures.purpose).in_language(language),
        > cli_calls: mean(figures.calls, 1),
        > cli_default_answers: mean(figures.default_answers, 2),
        > cli_prompt_tokens: mean(figures.prompt_tokens, 0),
        > cli_answer_tokens: mean(figures.answer_tokens, 0),
        > cli_rehearsal_share_of_tokens: format!("{:.1}%", figures.share * 100.0),
    )
}
