//! Comparing names as people do, in any language.

/// The maximum number of characters that are compared.
const MAX_COMPARED: usize = 64;

/// A name without case, full width and surrounding spaces, for comparing.
pub fn fold_name(name: &str) -> String {
    let narrow = |c: char| match c {
        '\u{3000}' => ' ',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        c => c,
    };
    let folded: String = name
        .chars()
        .map(narrow)
        .flat_map(char::to_lowercase)
        .collect();
    folded.trim().to_owned()
}

/// The candidate that was most likely meant by `name`, if any is close enough for a typo; the
/// first of equally close ones.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = letters(name);
    candidates
        .into_iter()
        .filter_map(|candidate| Some((typos(&wanted, &letters(candidate))?, candidate)))
        .min_by_key(|(typos, _)| *typos)
        .map(|(_, candidate)| candidate)
}

/// All candidates, those most like `name` first.
pub fn by_distance<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = letters(name);
    let mut sorted: Vec<_> = candidates.into_iter().collect();
    sorted.sort_by_cached_key(|candidate| distance(&wanted, &letters(candidate)));
    sorted
}

/// How many letters of two words are to add, drop, replace or swap with a neighbour.
pub(crate) fn typos_between(a: &str, b: &str) -> usize {
    distance(&letters(a), &letters(b))
}

fn letters(name: &str) -> Vec<char> {
    fold_name(name).chars().take(MAX_COMPARED).collect()
}

/// The number of typos between two names; `None` if they have too little in common.
fn typos(a: &[char], b: &[char]) -> Option<usize> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let distance = distance(a, b);
    let contained = short.len() >= 2 && long.windows(short.len()).any(|window| window == short);
    let close = distance <= (long.len() / 3).max(1) && distance < long.len();
    (contained || close).then_some(distance)
}

/// Letters to add, drop, replace or swap with a neighbour (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != y);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_recognised_in_any_language() {
        assert_eq!(
            nearest("atack", ["hp", "attack", "defense"]),
            Some("attack")
        );
        assert_eq!(
            nearest("Marhs Gate", ["Mill", "Marsh Gate"]),
            Some("Marsh Gate")
        );
        assert_eq!(nearest("沈秋水", ["陆青", "沈秋山"]), Some("沈秋山"));
        assert_eq!(nearest("ＭＩＬＬ", ["Hall", "Mill"]), Some("Mill"));
        assert_eq!(
            nearest("Odile", ["Brant", "Odile Marsh"]),
            Some("Odile Marsh")
        );
    }

    #[test]
    fn unlike_names_are_not_suggested() {
        assert_eq!(nearest("dragon", ["hp", "mill"]), None);
        assert_eq!(nearest("甲", ["乙"]), None);
        assert_eq!(nearest("", ["a"]), None);
        assert_eq!(nearest("x", []), None);
    }

    #[test]
    fn candidates_are_sorted_by_distance() {
        let sorted = by_distance("depseek", ["openai", "deepseek-chat", "DeepSeek"]);
        assert_eq!(sorted, ["DeepSeek", "openai", "deepseek-chat"]);
    }

    #[test]
    fn distance_counts_typos() {
        let count = |a: &str, b: &str| distance(&letters(a), &letters(b));
        assert_eq!(count("kitten", "sitting"), 3);
        assert_eq!(count("ab", "ba"), 1);
        assert_eq!(count("", "abc"), 3);
    }
}
