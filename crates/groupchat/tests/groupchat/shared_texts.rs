//! The save of a conversation holds each text twice, however many heard it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use playhouse_engine::engine::Engine;
use playhouse_engine::mind::{Minds, ScriptLine, ScriptMind};
use playhouse_engine::save::snapshot;
use playhouse_engine::session::Game;
use playhouse_engine::testing::journal;
use playhouse_engine::world_data::DataFolder;
use playhouse_groupchat::team::{Participant, TeamFile};
use playhouse_groupchat::{ChatGame, UserInput, UserProxy, seat_user_proxy};

const PARTICIPANTS: usize = 12;
const TURNS: usize = 24;

fn line(number: usize) -> String {
    format!("Line {number} about the weather.")
}

#[tokio::test]
async fn a_text_is_saved_as_the_speakers_answer_and_once_for_all_who_heard_it() {
    let names = (0..PARTICIPANTS).map(|number| format!("Member {number}"));
    let team = TeamFile::new("table", names.map(Participant::named)).with_max_turns(1_000);
    let game = ChatGame::new(&DataFolder::embedded(), team).unwrap();
    let mut setup = game.set_up(1).unwrap();
    game.populate(&mut setup).unwrap();
    let user_proxy = UserProxy::new();
    user_proxy.add_input(UserInput::task("Talk about the weather."));
    let lines = AtomicUsize::new(0);
    let talker =
        ScriptMind::by_rule(move |_| ScriptLine::say(line(lines.fetch_add(1, Ordering::Relaxed))));
    let minds = seat_user_proxy(&game, Minds::all(Arc::new(talker)), &user_proxy);
    let mut engine = Engine::new(setup, minds, journal()).unwrap();
    // The user's turn, and one more: the last message is kept for the next selection, too.
    engine.run(Some(TURNS as u64 + 2)).await.unwrap();
    let saved = String::from_utf8(snapshot(&engine.world, &game.meta()).unwrap()).unwrap();
    for number in 0..TURNS {
        assert_eq!(saved.matches(&line(number)).count(), 2, "{number}");
    }
}
