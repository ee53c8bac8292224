//! The prefix of what is sent stays, in whole campaigns.

use std::sync::Arc;

use playhouse_engine::context::Chapters;
use playhouse_engine::engine::Engine;
use playhouse_engine::mind::Minds;
use playhouse_engine::mind::improviser::Improviser;
use playhouse_engine::testing::journal;
use playhouse_engine::world_data::DataFolder;
use playhouse_rpg::Campaign;
use playhouse_rpg::world_file::list_worlds;

use super::sent::{Log, Watched, check, check_figure, check_prefixes};

fn chapters(engine: &mut Engine) -> u32 {
    let mut held = engine.world.query::<&Chapters>();
    let held = held.iter(&engine.world);
    held.map(|chapters| chapters.all().len() as u32).sum()
}

/// Plays a campaign with its own budget.
async fn played(world: &str, seed: u64) -> (Log, Engine) {
    let data = DataFolder::at("../../data").unwrap();
    let campaign = Campaign::load(&data, world).unwrap();
    let setup = campaign.new_game(seed).unwrap();
    let log = Log::default();
    let mind = Watched {
        mind: Improviser::taught(playhouse_rpg::improviser::teach).unwrap(),
        log: log.clone(),
    };
    let mut engine = Engine::new(setup, Minds::all(Arc::new(mind)), journal()).unwrap();
    engine.run(None).await.unwrap();
    (log, engine)
}

#[tokio::test]
async fn in_whole_campaigns_only_chapters_change_what_was_sent() {
    let (worlds, _) = list_worlds(&DataFolder::at("../../data").unwrap());
    let mut shares = Vec::new();
    for world in worlds.iter().map(|world| &world.folder) {
        // Single runs differ.
        for seed in 2..=5 {
            let (log, mut engine) = played(world, seed).await;
            check_prefixes(&log);
            let (share, changes) = check(&log);
            assert!(changes <= chapters(&mut engine), "{world}: {changes}");
            check_figure(&engine, share);
            shares.push(share);
        }
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!(mean > 0.80, "{shares:?}");
}
