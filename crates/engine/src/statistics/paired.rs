//! Two conditions that are compared by pairs of runs.

use schemars::JsonSchema;
use serde::Serialize;
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

use super::{Mean, Share};

/// By what an effect is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EffectSize {
    /// Cohen's h, of shares.
    CohensH,
    /// Cohen's d of paired numbers: the mean difference over the standard deviation of the
    /// differences.
    CohensDz,
}

/// By what a difference is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// McNemar's test, exact.
    McnemarExact,
    /// Student's t test of paired numbers.
    PairedT,
    /// The exact permutation test, which changes the signs of differences; where all are equal.
    SignFlips,
}

/// How the second of two conditions differs from the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// The number of pairs that both have.
    pub pairs: u64,
    /// How much greater it is in the second, on average.
    pub difference: f64,
    /// The 95 % interval of the difference: Newcombe's for paired shares, Student's for numbers.
    pub low: f64,
    pub high: f64,
    pub effect_size: EffectSize,
    /// `None` if the numbers don't vary.
    pub effect: Option<f64>,
    pub test: Test,
    /// The probability of a difference at least as great if there were none in truth.
    pub p: f64,
    /// The same, corrected for all tests that were made (Holm 1979).
    pub p_holm: f64,
}

/// Compares what happened or not in each pair; `None` of no pairs.
pub fn compare_shares(pairs: &[(bool, bool)]) -> Option<Comparison> {
    let count = |pair: (bool, bool)| pairs.iter().filter(|found| **found == pair).count() as u64;
    let (first_only, second_only) = (count((true, false)), count((false, true)));
    let (both, of) = (count((true, true)), pairs.len() as u64);
    let shares = [first_only, second_only].map(|only| Share {
        hits: both + only,
        of,
    });
    let [first, second] = [shares[0].value()?, shares[1].value()?];
    let (low, high) = newcombe(shares, both)?;
    let angle = |share: f64| 2.0 * share.sqrt().asin();
    let p = mcnemar(first_only, second_only);
    Some(Comparison {
        pairs: of,
        difference: second - first,
        low,
        high,
        effect_size: EffectSize::CohensH,
        effect: Some(angle(second) - angle(first)),
        test: Test::McnemarExact,
        p,
        p_holm: p,
    })
}

/// Compares the numbers of each pair; `None` of fewer than two pairs.
pub fn compare_means(pairs: &[(f64, f64)]) -> Option<Comparison> {
    let mut mean = Mean::default();
    let differences = pairs.iter().map(|(first, second)| second - first);
    differences.for_each(|difference| mean.add(difference));
    let (difference, margin) = (mean.value()?, mean.margin()?);
    let deviation = mean.deviation()?;
    let varies = deviation > 0.0;
    let (test, p) = if varies {
        let error = deviation / (mean.of as f64).sqrt();
        (Test::PairedT, two_sided(difference / error, mean.of)?)
    } else if difference == 0.0 {
        (Test::SignFlips, 1.0)
    } else {
        (Test::SignFlips, 2f64.powi(1 - mean.of as i32))
    };
    Some(Comparison {
        pairs: mean.of,
        difference,
        low: difference - margin,
        high: difference + margin,
        effect_size: EffectSize::CohensDz,
        effect: varies.then(|| difference / deviation),
        test,
        p,
        p_holm: p,
    })
}

/// Corrects the probabilities of these tests for how many they are.
pub fn correct_by_holm<'c>(comparisons: impl IntoIterator<Item = &'c mut Comparison>) {
    let mut ranked: Vec<_> = comparisons.into_iter().collect();
    ranked.sort_by(|a, b| a.p.total_cmp(&b.p));
    let count = ranked.len();
    let mut least = 0.0f64;
    for (rank, comparison) in ranked.into_iter().enumerate() {
        least = least.max(comparison.p * (count - rank) as f64).min(1.0);
        comparison.p_holm = least;
    }
}

/// The interval of the second share minus the first, of pairs of which so many have both: method 10
/// of Newcombe (1998).
fn newcombe([first, second]: [Share; 2], both: u64) -> Option<(f64, f64)> {
    let n = first.of as f64;
    let [p, q] = [first.value()?, second.value()?];
    let [(p_low, p_high), (q_low, q_high)] = [first.interval()?, second.interval()?];
    let (a, b, c) = (both, first.hits - both, second.hits - both);
    let d = first.of - a - b - c;
    let concordance = a as f64 * d as f64 - b as f64 * c as f64;
    let corrected = match concordance {
        above if above > 0.0 => (above - n / 2.0).max(0.0),
        below => below,
    };
    let margins = [a + b, c + d, a + c, b + d].map(|count| count as f64);
    let margins = margins.iter().product::<f64>().sqrt();
    let phi = if margins > 0.0 {
        corrected / margins
    } else {
        0.0
    };
    let spread = |of_p: f64, of_q: f64| {
        let squared = of_p * of_p - 2.0 * phi * of_p * of_q + of_q * of_q;
        squared.max(0.0).sqrt()
    };
    let difference = q - p;
    let low = difference - spread(p_high - p, q - q_low);
    let high = difference + spread(p - p_low, q_high - q);
    Some((low.max(-1.0), high.min(1.0)))
}

/// The exact test of McNemar (1947): whether pairs that differ lean to one side.
fn mcnemar(first_only: u64, second_only: u64) -> f64 {
    let (fewer, all) = (first_only.min(second_only), first_only + second_only);
    let tail = Binomial::new(0.5, all).map(|binomial| binomial.cdf(fewer));
    tail.map_or(1.0, |tail| (2.0 * tail).min(1.0))
}

/// The probability of a t at least as far from 0, of the mean of so many numbers.
fn two_sided(t: f64, of: u64) -> Option<f64> {
    let student = StudentsT::new(0.0, 1.0, of as f64 - 1.0).ok()?;
    Some(2.0 * student.sf(t.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(counts: [usize; 4]) -> Vec<(bool, bool)> {
        let kinds = [(true, true), (true, false), (false, true), (false, false)];
        let pairs = kinds.into_iter().zip(counts);
        pairs.flat_map(|(pair, count)| vec![pair; count]).collect()
    }

    #[track_caller]
    fn is_near(found: f64, published: f64, digits: i32) {
        let off = (found - published).abs();
        assert!(
            off <= 0.5 * 10f64.powi(-digits) + 1e-12,
            "{found}, not {published}"
        );
    }

    #[test]
    fn paired_shares_are_compared_as_published() {
        // Fagerland, Lydersen and Laake (2013, 2014): airway hyper-responsiveness before and after
        // transplantation, 1 in both, 1 before alone, 7 after alone, 12 in neither.
        let found = compare_shares(&pairs([1, 1, 7, 12])).unwrap();
        assert_eq!(found.pairs, 21);
        is_near(found.difference, 0.2857, 4);
        is_near(found.low, 0.026, 3);
        is_near(found.high, 0.507, 3);
        is_near(found.p, 0.0703, 4);
        // Cohen (1988), table 6.2.2: the angles of 0.5 and 0.2 are 1.571 and 0.927.
        let found = compare_shares(&pairs([10, 0, 15, 25])).unwrap();
        is_near(found.effect.unwrap(), 1.571 - 0.927, 3);
        assert_eq!(compare_shares(&[]), None);
        let same = compare_shares(&pairs([0, 0, 0, 9])).unwrap();
        assert_eq!(
            (same.p, same.difference, same.effect),
            (1.0, 0.0, Some(0.0))
        );
    }

    #[test]
    fn paired_numbers_are_compared_as_published() {
        // Student (1908), the additional hours of sleep with two drugs: t = -4.0621 with 9 degrees
        // of freedom.
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let pairs: Vec<_> = first.into_iter().zip(second).collect();
        let found = compare_means(&pairs).unwrap();
        is_near(found.difference, 1.58, 6);
        is_near(found.p, 0.002833, 6);
        is_near(found.low, 0.7001142, 6);
        is_near(found.high, 2.4598858, 6);
        is_near(found.effect.unwrap(), 4.0621 / 10f64.sqrt(), 4);
        assert_eq!(compare_means(&pairs[..1]), None);
        let same = compare_means(&[(1.0, 1.0), (2.0, 2.0)]).unwrap();
        assert_eq!((same.p, same.effect), (1.0, None));
        // Each of four pairs is one greater: of 16 ways to set the signs, two are as far.
        let shifted = compare_means(&[(1.0, 2.0); 4]).unwrap();
        assert_eq!((shifted.p, shifted.test), (0.125, Test::SignFlips));
    }

    #[test]
    fn many_tests_are_corrected_as_published() {
        let one = compare_shares(&pairs([1, 1, 7, 12])).unwrap();
        let mut tests = [0.01, 0.04, 0.03, 0.005].map(|p| Comparison { p, ..one });
        correct_by_holm(&mut tests);
        // As `p.adjust` of R.
        for (test, corrected) in tests.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            is_near(test.p_holm, corrected, 9);
        }
    }
}
