//! Whole campaigns with little room to remember: what is over is folded away, and nothing is lost.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use playhouse_engine::cast::{CastList, Kind};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::journal::{Line, Recording};
use playhouse_engine::message::{BodyId, Role};
use playhouse_engine::mind::Prompt;

use super::play::{WORLDS, campaign, engine, minds, play, seen};

const ROOM: i32 = 2_000;

/// Everything that an entity's context and chapters hold, once each.
fn held(context: &AgentContext, chapters: &Chapters) -> Vec<BodyId> {
    let now = context.messages().map(|held| held.message.body.id());
    let past = chapters.all().iter().flat_map(|chapter| {
        let messages = chapter.messages.iter().chain(&chapter.summing_up);
        messages.map(|held| held.message.body.id())
    });
    now.chain(past).collect()
}

#[tokio::test]
async fn fights_and_long_days_become_chapters_and_every_message_stays_findable() {
    for world in WORLDS {
        let mut campaign = campaign(world);
        Arc::make_mut(&mut campaign.file).limits.context_tokens = Some(ROOM);
        let mut engine = play(&campaign, 1, minds()).await.engine;
        let mut minds = engine.world.query::<(&AgentContext, &Chapters, &Kind)>();
        let (mut fights, mut days) = (0, 0);
        for (context, chapters, kind) in minds.iter(&engine.world) {
            let name = context.name();
            let ids = held(context, chapters);
            let distinct: BTreeSet<_> = ids.iter().map(|id| (id.place, id.number)).collect();
            assert_eq!(ids.len(), distinct.len(), "{name} holds a message twice");
            assert_eq!(
                context.entries().first().map(|entry| entry.role()),
                Some(Role::System)
            );
            for entry in context.entries() {
                let tags = context.tags(entry.id());
                let id = tags.and_then(|tags| tags.text("combat_id"));
                assert_eq!(id, None, "{name} still holds a part of a fight");
            }
            for chapter in chapters.all() {
                let has = |key: &str| {
                    let mut messages = chapter.messages.iter();
                    messages.any(|held| held.message.tags.get(key).is_some())
                };
                // Whoever fell keeps a fight, and a place anything, as it was told; others are
                // asked.
                let is_asked = chapter.summing_up.len() == 2;
                assert!(is_asked || chapter.summing_up.is_empty(), "{}", chapter.id);
                let may_be_told = has("combat_outcome") || *kind == Kind::Stage;
                assert!(is_asked || may_be_told, "{}", chapter.id);
                assert_eq!(
                    has("combat_initialization"),
                    has("combat_outcome"),
                    "{}",
                    chapter.id
                );
                if has("combat_outcome") {
                    fights += 1
                } else {
                    days += 1
                }
            }
        }
        assert!(
            fights > 3 && days > 0,
            "{world}: {fights} fights, {days} days"
        );
    }
}

/// What a memory tells: the words in quotation marks, or all after its time and place.
fn gist(memory: &str) -> &str {
    let quoted = memory.split_once(['‘', '“']).map(|(_, words)| words);
    let words = quoted.and_then(|words| words.rsplit_once(['’', '”']));
    let told = memory.split_once(": ").or(memory.split_once('：'));
    words.map_or(told.map_or(memory, |(_, told)| told), |(words, _)| words)
}

/// Checks what came to mind with a question, and gives it with its tokens.
fn recalled(prompt: &Prompt<'_>) -> Option<(String, u32)> {
    let recalled = prompt.recalled?;
    let text = recalled.as_str().to_owned();
    let mut history = prompt.history.entries().iter();
    assert!(!history.any(|entry| entry.body().full_text() == text));
    // What the mind looks up after it may be the same.
    let before = prompt.turns().take(prompt.history.len() + 1);
    let mut known: Vec<_> = before.map(|turn| turn.to_text()).collect();
    for memory in text.lines().filter_map(|line| line.strip_prefix("- ")) {
        let words = gist(memory);
        let twice = known.iter().find(|known| known.contains(words));
        assert_eq!(twice, None, "{memory}");
        known.push(memory.to_owned());
    }
    let mut after = prompt.turns().skip(prompt.history.len() + 1);
    assert_eq!(after.next().unwrap().to_text(), text);
    Some((text, recalled.tokens()))
}

/// The answers of a story with so many tokens for memories, what came, and how many memories bear
/// on their answer, and on one of half a story later.
async fn answers(
    world: &str,
    seed: u64,
    tokens: i32,
) -> (Vec<String>, Vec<(String, u32)>, [usize; 2]) {
    let mut campaign = campaign(world);
    let limits = &mut Arc::make_mut(&mut campaign.file).limits;
    (limits.context_tokens, limits.recall_tokens) = (Some(4_000), tokens);
    let came = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&came);
    let minds = seen(move |prompt| noted.lock().unwrap().extend(recalled(prompt)));
    let played = play(&campaign, seed, minds).await;
    let cast = played.engine.world.resource::<CastList>();
    let (answers, mut bear) = (played.answers().collect::<Vec<_>>(), [0, 0]);
    for (at, answer) in answers.iter().enumerate() {
        assert!(answer.recalled.len() <= 10);
        let later = &answers[(at + answers.len() / 2) % answers.len()].text;
        let others = cast.names().filter(|name| **name != answer.entity);
        let named: Vec<_> = others.filter(|name| later.contains(&***name)).collect();
        for memory in &answer.recalled {
            bear[0] += usize::from(memory.used);
            bear[1] += usize::from(named.iter().any(|name| memory.text.contains(&***name)));
        }
    }
    let given = answers.iter().map(|answer| answer.text.clone()).collect();
    let came = std::mem::take(&mut *came.lock().unwrap());
    (given, came, bear)
}

#[tokio::test]
async fn memories_come_by_themselves_within_their_budget_and_change_nothing_else() {
    for world in WORLDS {
        let (with, recalled, mut bear) = answers(world, 1, 300).await;
        assert!(!recalled.is_empty(), "{world}");
        assert!(recalled.iter().all(|(_, tokens)| *tokens <= 300));
        let (without, none, _) = answers(world, 1, 0).await;
        assert!(none.is_empty());
        assert!(with == without, "{world}: the improviser reads no memories");
        for seed in 2..=3 {
            let [own, other] = answers(world, seed, 300).await.2;
            bear = [bear[0] + own, bear[1] + other];
        }
        let [own, other] = bear;
        assert!(
            own > other,
            "{world}: {own} bear on their answer, {other} on another"
        );
    }
}

#[tokio::test]
async fn what_came_to_mind_is_recorded_and_found_anew_only_to_prove_it() {
    for world in WORLDS {
        let campaign = campaign(world);
        let played = play(&campaign, 1, minds()).await;
        let lines = played.engine.journal().lines();
        let has_memories = |line: &Line| match line {
            Line::Outcome(outcome) => !outcome.recalled.is_empty(),
            _ => false,
        };
        assert!(lines.iter().any(has_memories), "{world}");
        for verify in [true, false] {
            let mut again = engine(&campaign, 1, minds());
            again.settings.replay = true;
            again.settings.recalls = false;
            again.settings.verify = verify;
            again.play_back(Recording::of(lines.to_vec()));
            let stop = again.run(None).await;
            assert_eq!(stop.is_err(), verify, "{world}: {stop:?}");
        }
    }
}
