//! Law 7: the prefix stays.

use std::sync::Arc;

use playhouse_engine::engine::Engine;
use playhouse_engine::mind::Minds;
use playhouse_engine::testing::journal;

use super::game::{Game, reader};
use super::sent::{Log, Watched, check, check_figure, check_prefixes};

#[tokio::test]
async fn in_the_small_game_only_a_fold_changes_what_was_sent() {
    let log = Log::default();
    let mind = Watched {
        mind: reader(0, Arc::default()),
        log: log.clone(),
    };
    let game = Game::default();
    let mut engine = Engine::new(game.setup(), Minds::all(Arc::new(mind)), journal()).unwrap();
    engine.settings.falls_back = true;
    engine.run(Some(6)).await.unwrap();
    let (share, changes) = check(&log);
    assert!(changes > 0);
    assert!(share > 0.5, "{share}");
    check_figure(&engine, share);
    check_stray_has_none(&log);
}

/// The stray has no rules; everybody else shares them.
fn check_stray_has_none(log: &Log) {
    let mut stray = log.lock().unwrap().remove("Stray").unwrap();
    assert!(stray.drain(..).all(|sent| sent.shared_prefix.is_none()));
    check_prefixes(log);
}
