//! Law 7, its last sentence: where many share rules, one is sent ahead to warm the cache.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use playhouse_engine::locale::UiText;
use playhouse_engine::mind::{MindError, ScriptLine, ScriptMind};

use super::game::{Game, deed};

/// Who was asked when, in milliseconds, over the first turn.
async fn asked(warms: bool, first_fails: bool) -> Vec<u128> {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    let began = tokio::time::Instant::now();
    let mind = ScriptMind::by_rule(move |prompt| {
        let mut log = log.lock().unwrap();
        log.push(began.elapsed().as_millis());
        if first_fails && log.len() == 1 {
            let error = MindError::InvalidResponse {
                server: "test".into(),
                reason: UiText::verbatim("cut"),
            };
            return ScriptLine::fail(error).after(Duration::from_millis(100));
        }
        ScriptLine::say(deed(prompt, 7, "")).after(Duration::from_millis(100))
    });
    let mind = mind.with_info(|info| info.caches_prompts = warms);
    let mut engine = Game::default().engine(Arc::new(mind));
    engine.settings.width = 64;
    engine.run(Some(1)).await.unwrap();
    asked.lock().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn one_is_sent_ahead_of_many_that_share_their_rules() {
    for first_fails in [false, true] {
        let times = asked(true, first_fails).await;
        assert_eq!(times.len(), 20);
        assert_eq!(times[0], 0);
        assert!(
            times[1..10].iter().all(|time| (100..150).contains(time)),
            "{times:?}"
        );
        // Warm once, warm for the run: the next round goes at once.
        assert!(
            times[10..].iter().all(|time| (200..250).contains(time)) || times[10] < 250,
            "{times:?}"
        );
    }
    let times = asked(false, false).await;
    assert!(times[..10].iter().all(|time| *time == 0), "{times:?}");
}
