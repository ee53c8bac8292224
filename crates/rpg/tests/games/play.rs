//! How stories are played in these tests.

use std::future::ready;
use std::sync::{Arc, LazyLock};

use futures_util::FutureExt;
use playhouse_engine::engine::{Engine, Stop};
use playhouse_engine::mind::improviser::Improviser;
use playhouse_engine::mind::{Answering, Completion, Mind, MindInfo, Minds, Prompt};
use playhouse_engine::testing::{self, Played, journal};
use playhouse_engine::world_data::DataFolder;
use playhouse_rpg::Campaign;

/// An English and a Chinese world.
pub(crate) const WORLDS: [&str; 2] = ["drowned-assize", "zhaoying-ban"];

pub(crate) fn campaign(world: &str) -> Campaign {
    Campaign::load(&DataFolder::at("../../data").unwrap(), world).unwrap()
}

/// The improviser, which reads its grammars once.
static IMPROVISER: LazyLock<Improviser> =
    LazyLock::new(|| Improviser::taught(playhouse_rpg::improviser::teach).unwrap());

pub(crate) fn minds() -> Minds {
    Minds::all(Arc::new(IMPROVISER.clone()))
}

/// The improviser, whose prompts are seen and whose answers may be changed.
struct Altered<A>(A);

impl<A: Fn(&Prompt<'_>, String) -> String + Send + Sync> Mind for Altered<A> {
    fn info(&self) -> &MindInfo {
        IMPROVISER.info()
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let answered = IMPROVISER.answer(prompt).now_or_never();
        let answered = answered.unwrap().map(|completion| Completion {
            text: (self.0)(prompt, completion.text),
            ..completion
        });
        Box::pin(ready(answered))
    }
}

pub(crate) fn altered(
    alter: impl Fn(&Prompt<'_>, String) -> String + Send + Sync + 'static,
) -> Minds {
    Minds::all(Arc::new(Altered(alter)))
}

/// The improviser, whose prompts are seen.
pub(crate) fn seen(see: impl Fn(&Prompt<'_>) + Send + Sync + 'static) -> Minds {
    altered(move |prompt, text| {
        see(prompt);
        text
    })
}

pub(crate) fn engine(campaign: &Campaign, seed: u64, minds: Minds) -> Engine {
    Engine::new(campaign.new_game(seed).unwrap(), minds, journal()).unwrap()
}

pub(crate) async fn play_on(engine: Engine, turns: Option<u64>) -> Played {
    let played = testing::play(engine, turns).await.unwrap();
    let is_over = matches!(played.stop, Stop::Finished(_));
    assert!(is_over || turns.is_some(), "{:?}", played.stop);
    played
}

/// Plays a story to its end.
pub(crate) async fn play(campaign: &Campaign, seed: u64, minds: Minds) -> Played {
    play_on(engine(campaign, seed, minds), None).await
}
