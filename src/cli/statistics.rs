//! The statistics of undercover games, as tables.

use crate::locale::Language;
use crate::statistics::{Mean, Share};
use crate::undercover::{ModelStatistics, RoundStatistics, Statistics};

use super::output::{Output, Paragraph, Style};
use super::say::say;
use super::tables::{Alignment, TextTable};

/// Writes all statistics, each with its 95% interval.
pub(crate) fn write_statistics(out: &mut Output, language: Language, statistics: &Statistics) {
    out.paragraph(&Paragraph::blank());
    let Statistics {
        games, unfinished, ..
    } = *statistics;
    let count = match unfinished {
        0 => say!(language, cli_games, games),
        _ => say!(language, cli_games_and_unfinished, games, unfinished),
    };
    out.paragraph(&Paragraph::of(Style::Bold, count));
    if games == 0 {
        return;
    }
    out.paragraph(&Paragraph::blank());
    figures(language, statistics).write(out);
    out.paragraph(&Paragraph::blank());
    by_round(language, &statistics.by_round).write(out);
    out.paragraph(&Paragraph::blank());
    by_model(language, statistics).write(out);
    out.paragraph(&Paragraph::blank());
    let note = say!(language, cli_stat_note);
    out.paragraph(&Paragraph::of(Style::Dim, note));
}

fn figures(language: Language, statistics: &Statistics) -> TextTable {
    let mut table = TextTable::new([
        (say!(language, cli_stat_figure), Alignment::Left),
        (say!(language, cli_value), Alignment::Right),
        (say!(language, cli_stat_interval), Alignment::Right),
    ]);
    let mut share = |name: String, share: Share| {
        if share.of > 0 {
            table.row([name, percent(share), interval(share)]);
        }
    };
    share(
        say!(language, cli_stat_civilians_win),
        statistics.civilians_won,
    );
    share(
        say!(language, cli_stat_undercover_win),
        statistics.undercover_won,
    );
    share(
        say!(language, cli_stat_blank_stays),
        statistics.blank_survived,
    );
    share(
        say!(language, cli_stat_guesses_role),
        statistics.guessed_own_role,
    );
    let mut mean = |name: String, mean: Mean, digits: usize| {
        table.row([name, number(mean.value(), digits), margin(mean, digits)]);
    };
    mean(say!(language, cli_stat_rounds), statistics.rounds, 2);
    mean(
        say!(language, cli_stat_word_slips_per_game),
        statistics.word_slips,
        3,
    );
    mean(
        say!(language, cli_stat_repeats_per_game),
        statistics.repeats,
        3,
    );
    mean(
        say!(language, cli_stat_default_lines),
        statistics.neutral_lines,
        3,
    );
    mean(
        say!(language, cli_stat_abstentions),
        statistics.abstentions,
        3,
    );
    mean(say!(language, cli_stat_calls), statistics.calls, 1);
    mean(
        say!(language, cli_stat_prompt_tokens),
        statistics.tokens_in,
        0,
    );
    mean(
        say!(language, cli_stat_answer_tokens),
        statistics.tokens_out,
        0,
    );
    mean(say!(language, cli_stat_cost), statistics.cost, 6);
    table
}

fn by_round(language: Language, rounds: &[RoundStatistics]) -> TextTable {
    let heads = [
        say!(language, cli_stat_round),
        say!(language, cli_stat_games),
        say!(language, cli_stat_civilians_left),
        say!(language, cli_stat_undercover_left),
        say!(language, cli_stat_votes_on_undercover),
    ];
    let mut table = TextTable::new(heads.map(|head| (head, Alignment::Right)));
    for round in rounds {
        let shares = [
            round.civilians_left,
            round.undercover_left,
            round.votes_on_undercover,
        ];
        let counts = [u64::from(round.round), round.games].map(|count| count.to_string());
        table.row(counts.into_iter().chain(shares.map(with_interval)));
    }
    table
}

fn by_model(language: Language, statistics: &Statistics) -> TextTable {
    let columns = [
        say!(language, cli_stat_seats),
        say!(language, cli_stat_won_as_civilian),
        say!(language, cli_stat_won_as_undercover),
        say!(language, cli_stat_guesses_role),
        say!(language, cli_stat_word_slips),
        say!(language, cli_stat_repeats),
        say!(language, cli_default_answers),
        say!(language, cli_calls),
        say!(language, cli_tokens),
        say!(language, cli_cost),
    ];
    let columns = columns.into_iter().map(|name| (name, Alignment::Right));
    let model = (say!(language, cli_model), Alignment::Left);
    let mut table = TextTable::new([model].into_iter().chain(columns));
    for (name, model) in &statistics.by_model {
        table.row(model_row(name, model));
    }
    table
}

fn model_row(name: &str, model: &ModelStatistics) -> Vec<String> {
    let shares = [
        model.won_as_civilian,
        model.won_as_undercover,
        model.guessed_own_role,
    ];
    let means = [
        (model.word_slips, 3),
        (model.repeats, 3),
        (model.stand_ins, 3),
        (model.calls, 1),
        (model.tokens, 0),
        (model.cost, 6),
    ];
    let means = means.map(|(mean, digits)| match mean.margin() {
        Some(_) => format!("{} {}", number(mean.value(), digits), margin(mean, digits)),
        None => number(mean.value(), digits),
    });
    let counts = [name.to_owned(), model.seats.to_string()];
    counts
        .into_iter()
        .chain(shares.map(with_interval))
        .chain(means)
        .collect()
}

/// A share in hundredths.
pub(super) fn percent(share: Share) -> String {
    number(share.value().map(|value| value * 100.0), 1) + "%"
}

/// The interval of a share, in hundredths.
pub(super) fn interval(share: Share) -> String {
    let bounds = share.interval();
    bounds.map_or_else(
        || "-".into(),
        |(low, high)| format!("{:.1}–{:.1}%", low * 100.0, high * 100.0),
    )
}

/// A share with its interval.
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
            "5.0 ± 2.0",
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
