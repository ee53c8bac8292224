//! The size of the save of a big conversation.

use std::sync::Arc;

use playhouse::cast::WorldTurn;
use playhouse::engine::Engine;
use playhouse::groupchat::UserInput;
use playhouse::groupchat::team::{Participant, TeamFile};
use playhouse::groupchat::{ChatGame, UserProxy, seat_user_proxy};
use playhouse::message::TokenUsage;
use playhouse::mind::{Answering, Completion, Mind, MindInfo, Minds, Prompt};
use playhouse::save::snapshot;
use playhouse::session::Game;
use playhouse::testing::journal;
use playhouse::world_data::DataFolder;

const PARTICIPANTS: usize = 64;
const TURNS: u64 = 200;
/// The bytes of a message.
const LINE: usize = 300;
/// What a message takes in the context of one who heard it, in bytes: its number, its tags, and
/// where its text is.
const ENTRY: usize = 40;

/// Answers at once with lines of the same length.
struct Talker(MindInfo);

impl Mind for Talker {
    fn info(&self) -> &MindInfo {
        &self.0
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let line = format!("{:.<LINE$}", prompt.number);
        let completion = Completion {
            usage: Some(TokenUsage {
                input: 1_000,
                output: 80,
                ..TokenUsage::default()
            }),
            ..Completion::instant("talker", line)
        };
        Box::pin(std::future::ready(Ok(completion)))
    }
}

#[tokio::test]
async fn a_text_that_many_heard_is_saved_once() {
    let names = (0..PARTICIPANTS).map(|number| format!("Member {number}"));
    let team = TeamFile::new("table", names.map(Participant::named)).with_max_turns(1_000_000);
    let game = ChatGame::new(&DataFolder::embedded(), team).unwrap();
    let mut setup = game.set_up(1).unwrap();
    game.populate(&mut setup).unwrap();
    let user_proxy = UserProxy::new();
    user_proxy.add_input(UserInput::task("Talk about the weather."));
    let mind = Talker(MindInfo::embedded("talker"));
    let minds = seat_user_proxy(&game, Minds::all(Arc::new(mind)), &user_proxy);
    let mut engine = Engine::new(setup, minds, journal()).unwrap();
    engine.run(Some(TURNS + 1)).await.unwrap();
    assert_eq!(engine.world.resource::<WorldTurn>().0, TURNS + 1);
    let saved = snapshot(&engine.world, &game.meta()).unwrap();
    let beyond = saved.len() - TURNS as usize * LINE;
    let entries = PARTICIPANTS * TURNS as usize;
    assert!(beyond <= entries * ENTRY, "{beyond} bytes beyond the texts");
}
