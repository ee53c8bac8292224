//! What is sent to minds, prompt by prompt, and that it continues what was sent before.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use playhouse_engine::engine::Engine;
use playhouse_engine::message::Role;
use playhouse_engine::mind::{Answering, Mind, MindInfo, Prompt};

/// One prompt as it was sent.
pub(crate) struct Sent {
    number: u32,
    revisions: u32,
    /// Role and text of each turn.
    turns: Vec<(Role, String)>,
    history: usize,
    /// The question's short form, if it has one.
    short: Option<String>,
    /// Where the shared first part of the system message lies in memory.
    pub(crate) shared_prefix: Option<usize>,
}

impl Sent {
    fn bytes(&self) -> usize {
        self.turns.iter().map(|(_, text)| text.len()).sum()
    }
}

pub(crate) type Log = Arc<Mutex<BTreeMap<String, Vec<Sent>>>>;

/// A mind that notes what is sent to another.
pub(crate) struct Watched<M> {
    pub(crate) mind: M,
    pub(crate) log: Log,
}

impl<M: Mind> Mind for Watched<M> {
    fn info(&self) -> &MindInfo {
        self.mind.info()
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let turns = prompt.turns().map(|turn| (turn.role, turn.to_text()));
        let shared_prefix = prompt.turns().next().and_then(|turn| turn.shared_prefix);
        let short = prompt.question.short();
        let sent = Sent {
            number: prompt.number,
            revisions: prompt.history.revisions(),
            turns: turns.collect(),
            history: prompt.history.len(),
            short: short.map(|short| short.as_str().to_owned()),
            shared_prefix: shared_prefix.map(|text| std::ptr::from_ref(text).addr()),
        };
        let mut log = self.log.lock().unwrap();
        log.entry(prompt.entity.to_string()).or_default().push(sent);
        self.mind.answer(prompt)
    }
}

/// Checks every two prompts of one entity that follow each other; returns the share of bytes that
/// really repeat, and how often something before the last ask changed.
pub(crate) fn check(log: &Log) -> (f64, u32) {
    let (mut bytes, mut repeated, mut changes) = (0, 0, 0);
    for (entity, requests) in &*log.lock().unwrap() {
        bytes += requests[0].bytes();
        for pair in requests.windows(2) {
            let [before, after] = pair else { continue };
            bytes += after.bytes();
            if after.number < before.number {
                continue; // Another of the same name.
            }
            let both = before.turns.iter().zip(&after.turns);
            let equal = both.take_while(|(left, right)| left == right);
            repeated += equal.map(|((_, text), _)| text.len()).sum::<usize>();
            // Of an ask whose prompt is folded twice, only the fold that was taken is counted.
            let folded_more = after.number == before.number && after.history < before.history;
            if before.revisions != after.revisions || folded_more {
                changes += 1;
                continue;
            }
            // A repair repeats the whole; the next ask all but the question's long form.
            let same = if after.number == before.number {
                before.turns.len()
            } else {
                before.history
            };
            assert!(
                before.turns[..same] == after.turns[..same],
                "{entity}: ask {} is no continuation of ask {}",
                after.number,
                before.number
            );
            // What is forgotten leaves no trace.
            let is_kept = before.short.as_deref() != Some("");
            if is_kept && after.number == before.number + 1 {
                let (full, kept) = (&before.turns[same].1, &after.turns[same].1);
                assert_eq!(kept, before.short.as_ref().unwrap_or(full), "{entity}");
            }
        }
    }
    (repeated as f64 / bytes as f64, changes)
}

/// All that have an opening point to one and the same.
pub(crate) fn check_prefixes(log: &Log) {
    let log = log.lock().unwrap();
    let requests = log.values().flatten();
    let mut prefixes: Vec<_> = requests.filter_map(|sent| sent.shared_prefix).collect();
    assert!(prefixes.len() > 50);
    prefixes.dedup();
    assert_eq!(prefixes.len(), 1, "rules are stored once");
}

/// The engine's own figure, and that its parts are the whole.
pub(crate) fn check_figure(engine: &Engine, real: f64) {
    let told = engine.totals().repeated_share();
    assert!((told - real).abs() < 0.01, "told {told}, real {real}");
    for call in &engine.totals().calls {
        let bytes = call.prompt_bytes;
        let seen = bytes.repeated + bytes.first + bytes.new + bytes.asked;
        let total = seen + bytes.recalled + bytes.archived + bytes.folded;
        assert_eq!(total, bytes.sent, "{bytes:?}");
    }
}
