//! The statistics of undercover games, as tables.

use crate::cli::prelude::*;
use crate::statistics::{Mean, Share};
use crate::undercover::{RoundStatistics, Statistics};

/// Writes all statistics, each with its 95% interval.
pub(crate) fn write_statistics(out: &mut Output, language: Language, statistics: &Statistics) {
    let Statistics {
        games, unfinished, ..
    } = *statistics;
    let count = match unfinished {
        0 => say!(language, cli_games, games),
        _ => say!(language, cli_games_and_unfinished, games, unfinished),
    };
    out.paragraph(&Paragraph::blank());
    out.paragraph(&Paragraph::of(Style::Bold, count));
    if games == 0 {
        return;
    }
    for table in [
        figures(language, statistics),
        by_round(language, &statistics.by_round),
        by_model(language, statistics),
    ] {
        out.paragraph(&Paragraph::blank());
        table.write(out);
    }
    let note = say!(language, cli_stat_note);
    out.paragraph(&Paragraph::blank());
    out.paragraph(&Paragraph::of(Style::Dim, note));
}

fn figures(language: Language, figures: &Statistics) -> TextTable {
    let columns = columns!(language, < cli_stat_figure, > cli_value, > cli_stat_interval);
    let mut table = TextTable::new(columns);
    for (name, share) in [
        (text!(cli_stat_civilians_win), figures.civilians_won),
        (text!(cli_stat_undercover_win), figures.undercover_won),
        (text!(cli_stat_blank_stays), figures.blank_survived),
        (text!(cli_stat_guesses_role), figures.guessed_own_role),
    ] {
        if share.of > 0 {
            table.row([name.in_language(language), percent(share), interval(share)]);
        }
    }
    for (name, mean, digits) in [
        (text!(cli_stat_rounds), figures.rounds, 2),
        (text!(cli_stat_word_slips_per_game), figures.word_slips, 3),
        (text!(cli_stat_repeats_per_game), figures.repeats, 3),
        (text!(cli_stat_default_lines), figures.neutral_lines, 3),
        (text!(cli_stat_abstentions), figures.abstentions, 3),
        (text!(cli_stat_calls), figures.calls, 1),
        (text!(cli_stat_prompt_tokens), figures.tokens_in, 0),
        (text!(cli_stat_answer_tokens), figures.tokens_out, 0),
        (text!(cli_stat_cost), figures.cost, 6),
    ] {
        let name = name.in_language(language);
        table.row([name, number(mean.value(), digits), margin(mean, digits)]);
    }
    table
}

fn by_round(language: Language, rounds: &[RoundStatistics]) -> TextTable {
    let columns = columns!(
        language, > cli_stat_round, > cli_stat_games, > cli_stat_civilians_left,
        > cli_stat_undercover_left, > cli_stat_votes_on_undercover
    );
    let row = |round: &RoundStatistics| {
        [
            round.round.to_string(),
            round.games.to_string(),
            with_interval(round.civilians_left),
            with_interval(round.undercover_left),
            with_interval(round.votes_on_undercover),
        ]
    };
    TextTable::of(columns, rounds.iter().map(row))
}

fn by_model(language: Language, statistics: &Statistics) -> TextTable {
    let columns = columns!(
        language, < cli_model, > cli_stat_seats, > cli_stat_won_as_civilian,
        > cli_stat_won_as_undercover, > cli_stat_guesses_role, > cli_stat_word_slips,
        > cli_stat_repeats, > cli_default_answers, > cli_calls, > cli_tokens, > cli_cost
    );
    let rows = statistics.by_model.iter().map(|(name, model)| {
        [
            name.clone(),
            model.seats.to_string(),
            with_interval(model.won_as_civilian),
            with_interval(model.won_as_undercover),
            with_interval(model.guessed_own_role),
            with_margin(model.word_slips, 3),
            with_margin(model.repeats, 3),
            with_margin(model.stand_ins, 3),
            with_margin(model.calls, 1),
            with_margin(model.tokens, 0),
            with_margin(model.cost, 6),
        ]
    });
    TextTable::of(columns, rows)
}

fn with_margin(mean: Mean, digits: usize) -> String {
    let value = number(mean.value(), digits);
    match mean.margin() {
        Some(_) => format!("{value} {}", margin(mean, digits)),
        None => value,
    }
}

/// A share in hundredths.
pub(super) fn percent(share: Share) -> String {
    number(share.value().map(|value| value * 100.0), 1) + "%"
}

pub(super) fn interval(share: Share) -> String {
    share.interval().map_or_else(
        || "-".into(),
        |(low, high)| format!("{:.1}–{:.1}%", low * 100.0, high * 100.0),
    )
}

pub(super) fn with_interval(share: Share) -> String {
    match share.interval() {
        None => "-".into(),
        Some((low, high)) => format!(
            "{} ({:.0}–{:.0})",
            percent(share),
            low * 100.0,
            high * 100.0
        ),
    }
}

/// A number with this many digits after the point.
pub(super) fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.digits$}"))
}

/// Half the width of a mean's interval.
pub(super) fn margin(mean: Mean, digits: usize) -> String {
    mean.margin()
        .map_or_else(|| "-".into(), |margin| format!("± {margin:.digits$}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::testing::output;
    use super::*;
    use crate::undercover::ModelStatistics;

    fn mean(numbers: &[f64]) -> Mean {
        let mut mean = Mean::default();
        numbers.iter().for_each(|number| mean.add(*number));
        mean
    }

    fn statistics() -> Statistics {
        let share = |hits, of| Share { hits, of };
        let model = ModelStatistics {
            seats: 24,
            won_as_civilian: share(15, 20),
            won_as_undercover: share(1, 4),
            guessed_own_role: share(2, 4),
            calls: mean(&[4.0, 6.0]),
            ..ModelStatistics::default()
        };
        Statistics {
            games: 4,
            unfinished: 1,
            civilians_won: share(3, 4),
            undercover_won: share(1, 4),
            guessed_own_role: share(2, 4),
            rounds: mean(&[2.0, 3.0, 3.0, 4.0]),
            by_round: vec![RoundStatistics {
                round: 1,
                games: 4,
                civilians_left: share(17, 20),
                undercover_left: share(3, 4),
                votes_on_undercover: share(8, 24),
            }],
            by_model: BTreeMap::from([("improviser".into(), model)]),
            ..Statistics::default()
        }
    }

    #[test]
    fn every_figure_has_its_interval() {
        let (mut out, text) = output(200);
        write_statistics(&mut out, Language::En, &statistics());
        let text = text.get();
        for row in [
            "4 games (1 more unfinished)",
            "civilians win",
            "75.0%",
            "30.1–95.4%",
            "33.3% (18–53)",
            "5.0 ± 12.7",
        ] {
            assert!(text.contains(row), "no '{row}' in:\n{text}");
        }
        assert!(!text.contains("blank"), "nobody was blank:\n{text}");
    }

    #[test]
    fn no_game_makes_no_table() {
        let (mut out, text) = output(80);
        write_statistics(&mut out, Language::Zh, &Statistics::default());
        assert_eq!(text.get().lines().count(), 1);
    }
}
