//! What many games tell together, as tables for people.

use playhouse::undercover::{Mean, ModelStatistics, RoundStatistics, Share, Statistics};

use super::output::{Ink, Page, Paragraph};
use super::tables::{Side, Table};
use super::words::Words;

/// Writes everything that was counted, each figure with its 95 % interval.
pub(crate) fn write_standings(page: &mut Page, words: Words, all: &Statistics) {
    page.paragraph(&Paragraph::blank());
    let count = match all.unfinished {
        0 => words.games_counted(all.games),
        unfinished => words.games_counted_so_far(all.games, unfinished),
    };
    page.paragraph(&Paragraph::of(Ink::Bold, count));
    if all.games == 0 {
        return;
    }
    page.paragraph(&Paragraph::blank());
    figures(words, all).write(page);
    page.paragraph(&Paragraph::blank());
    by_round(words, &all.by_round).write(page);
    page.paragraph(&Paragraph::blank());
    by_model(words, all).write(page);
    page.paragraph(&Paragraph::blank());
    page.paragraph(&Paragraph::of(Ink::Dim, words.intervals_note()));
}

fn figures(words: Words, all: &Statistics) -> Table {
    let mut table = Table::new([
        (words.figure(), Side::Left),
        (words.value(), Side::Right),
        (words.interval(), Side::Right),
    ]);
    let mut share = |name: String, share: Share| {
        if share.of > 0 {
            table.row([name, percent(share), interval(share)]);
        }
    };
    share(words.civilians_win(), all.civilians_won);
    share(words.undercover_win(), all.undercover_won);
    share(words.blank_stays(), all.blank_survived);
    share(words.finds_itself(), all.guessed_own_role);
    let mut mean = |name: String, mean: Mean, digits: usize| {
        table.row([name, number(mean.value(), digits), around(mean, digits)]);
    };
    mean(words.rounds_a_game(), all.rounds, 2);
    mean(words.slips_a_game(), all.word_slips, 3);
    mean(words.repeats_a_game(), all.repeats, 3);
    mean(words.neutral_lines_a_game(), all.neutral_lines, 3);
    mean(words.abstentions_a_game(), all.abstentions, 3);
    mean(words.calls_a_game(), all.calls, 1);
    mean(words.tokens_in_a_game(), all.tokens_in, 0);
    mean(words.tokens_out_a_game(), all.tokens_out, 0);
    mean(words.cost_a_game(), all.cost, 6);
    table
}

fn by_round(words: Words, rounds: &[RoundStatistics]) -> Table {
    let mut table = Table::new([
        (words.round_column(), Side::Right),
        (words.games(), Side::Right),
        (words.civilians_left(), Side::Right),
        (words.undercover_left(), Side::Right),
        (words.votes_on_undercover(), Side::Right),
    ]);
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

fn by_model(words: Words, all: &Statistics) -> Table {
    let columns = [
        words.seats(),
        words.won_as_civilian(),
        words.won_as_undercover(),
        words.finds_itself(),
        words.slips(),
        words.repeats(),
        words.stand_ins(),
        words.calls(),
        words.tokens(),
        words.cost(),
    ];
    let columns = columns.into_iter().map(|name| (name, Side::Right));
    let mut table = Table::new([(words.model(), Side::Left)].into_iter().chain(columns));
    for (name, model) in &all.by_model {
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
        Some(_) => format!("{} {}", number(mean.value(), digits), around(mean, digits)),
        None => number(mean.value(), digits),
    });
    let counts = [name.to_owned(), model.seats.to_string()];
    counts
        .into_iter()
        .chain(shares.map(with_interval))
        .chain(means)
        .collect()
}

fn percent(share: Share) -> String {
    number(share.value().map(|value| value * 100.0), 1) + " %"
}

/// The interval of a share, in hundredths.
fn interval(share: Share) -> String {
    let bounds = share.interval();
    bounds.map_or_else(
        || "-".into(),
        |(low, high)| format!("{:.1} – {:.1} %", low * 100.0, high * 100.0),
    )
}

fn with_interval(share: Share) -> String {
    match share.interval() {
        None => "-".into(),
        Some((low, high)) => format!(
            "{} ({:.0} – {:.0})",
            percent(share),
            low * 100.0,
            high * 100.0
        ),
    }
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.digits$}"))
}

/// Half the width of a mean's interval.
fn around(mean: Mean, digits: usize) -> String {
    let margin = mean.margin();
    margin.map_or_else(|| "-".into(), |margin| format!("± {margin:.digits$}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use playhouse::mind::Language;

    use super::super::testing::paper;
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
    fn every_figure_stands_beside_its_interval() {
        let (mut page, text) = paper(200);
        write_standings(&mut page, Words(Language::En), &statistics());
        let text = text.get();
        for row in [
            "4 games; 1 more not over",
            "civilians win",
            "75.0 %",
            "30.1 – 95.4 %",
            "33.3 % (18 – 53)",
            "5.0 ± 2.0",
        ] {
            assert!(text.contains(row), "no '{row}' in:\n{text}");
        }
        assert!(!text.contains("blank"), "nobody was blank:\n{text}");
    }

    #[test]
    fn no_game_makes_no_table() {
        let (mut page, text) = paper(80);
        write_standings(&mut page, Words(Language::Zh), &Statistics::default());
        assert_eq!(text.get().lines().count(), 1);
    }
}
