//! Decorators: lines such as `@@depth 4` before the content of an entry.

use super::book::{Entry, Position, SpokenAs, Words};
use super::keys::Logic;

/// The content without its decorators, which are applied; adds the names of those that are not to
/// `unknown`.
pub(super) fn apply<'c>(
    content: &'c str,
    (entry, words): (&mut Entry, &mut Words),
    unknown: &mut Vec<String>,
) -> &'c str {
    let mut rest = content;
    // Whether the one above was applied, so that those to fall back on are left out.
    let mut is_applied = false;
    while let Some(after) = rest.strip_prefix("@@") {
        let (line, below) = after.split_once('\n').unwrap_or((after, ""));
        rest = below;
        let fallback = line.strip_prefix('@');
        if fallback.is_some() && is_applied {
            continue;
        }
        let line = fallback.unwrap_or(line).trim();
        let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        is_applied = one(name, value.trim(), entry, words).is_some();
        if !is_applied {
            unknown.push(name.to_owned());
        }
    }
    rest
}

/// Applies a decorator; `None` if that has no meaning here.
fn one(name: &str, value: &str, entry: &mut Entry, words: &mut Words) -> Option<()> {
    let number = || value.parse::<u32>().ok();
    let listed = || {
        let listed = value.split(',').map(|word| word.trim().to_owned());
        listed.filter(|word| !word.is_empty()).collect()
    };
    match name {
        "activate" => entry.forced = Some(true),
        "dont_activate" => entry.forced = Some(false),
        "activate_only_after" => entry.delay = number()?,
        "activate_only_every" => entry.every = number()?,
        "keep_activate_after_match" => entry.sticky = u32::MAX,
        "dont_activate_after_match" => entry.cooldown = u32::MAX,
        "depth" => entry.position = Position::AtDepth(number()?),
        "position" => {
            entry.position = match value {
                "after_desc" => Position::AfterChar,
                "before_desc" => Position::BeforeChar,
                _ => return None,
            }
        }
        "role" => entry.role = SpokenAs::named(value)?,
        "scan_depth" => entry.scan_depth = Some(number()? as usize),
        "ignore_on_max_context" => entry.priority = i64::MIN,
        "priority" => entry.priority = value.parse().ok()?,
        "probability" => entry.probability = number()?.min(100),
        "additional_keys" => words.secondary.push((Logic::AndAny, listed())),
        "exclude_keys" => words.secondary.push((Logic::NotAny, listed())),
        "exclude_keys_all" => words.secondary.push((Logic::NotAll, listed())),
        "match_full_word" => entry.whole_words = Some(true),
        "match_partial_word" => entry.whole_words = Some(false),
        _ => return None,
    }
    Some(())
}
