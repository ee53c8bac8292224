//! Plays a session for a page.

use playhouse_engine::cast::{WorldTurn, turn_number};
use playhouse_engine::engine::{Engine, EngineError, Stop, StoryEnd};
use playhouse_engine::locale::Localize;
use playhouse_story::{RunState, StoryView};

use super::control::{Control, Wanted};

/// Plays turn by turn as the control says, at the latest until a turn. `before_turn` may look for
/// what has changed outside, and says whether there is another turn.
///
/// # Errors
/// As [`Engine::run`].
pub async fn play(
    engine: &mut Engine,
    view: &StoryView,
    control: &Control,
    until: Option<u64>,
    mut before_turn: impl FnMut(&mut Engine) -> bool,
) -> Result<Stop, EngineError> {
    control.begin(engine.cancellation_token());
    engine.set_gate(control.gate().clone());
    let result = turns(engine, view, control, until, &mut before_turn).await;
    view.update_state(&engine.world, true);
    match &result {
        Ok(Stop::Finished(_) | Stop::Idle) => view.set_run(RunState::Finished, None),
        Ok(
            Stop::LimitReached(reason) | Stop::ServerDown(reason) | Stop::NoUsableAnswers(reason),
        ) => {
            view.set_run(RunState::Failed, Some(reason.clone()));
        }
        Ok(_) => view.set_run(RunState::Stopped, None),
        Err(error) => view.set_run(RunState::Failed, Some(error.text())),
    }
    result
}

async fn turns(
    engine: &mut Engine,
    view: &StoryView,
    control: &Control,
    until: Option<u64>,
    before_turn: &mut impl FnMut(&mut Engine) -> bool,
) -> Result<Stop, EngineError> {
    loop {
        take_inputs(engine, control)?;
        let at_rest = &engine.world;
        let may_play = control.may_play(|| {
            view.update_state(at_rest, true);
            view.set_run(RunState::Paused, None);
        });
        // What the world is told while it rests is in the journal at once.
        let may_play = tokio::select! {
            biased;
            () = control.is_told() => continue,
            may_play = may_play => may_play,
        };
        if !may_play {
            return Ok(Stop::Cancelled);
        }
        // Nobody who opens a story that is over sees it being played.
        if engine.world.contains_resource::<StoryEnd>() {
            return engine.run(None).await;
        }
        if !before_turn(engine) {
            return Ok(Stop::Idle);
        }
        // What was told while this turn was let go is told in it, too.
        take_inputs(engine, control)?;
        let is_step = control.will_pause();
        view.set_run(
            if is_step {
                RunState::Pausing
            } else {
                RunState::Playing
            },
            None,
        );
        let turn = turn_number(engine.world.resource::<WorldTurn>().0);
        let events = view.events();
        let stop = engine.run(Some(turn)).await?;
        if control.is_scene_wanted() && view.has_scene_since(events) {
            control.want(Wanted::Pause);
        }
        view.update_state(&engine.world, false);
        let is_last = until.is_some_and(|until| turn >= until);
        if is_last || !matches!(stop, Stop::TurnReached(_)) {
            return Ok(stop);
        }
    }
}

/// Tells the world what its host says.
fn take_inputs(engine: &mut Engine, control: &Control) -> Result<(), EngineError> {
    // A turn that an earlier run left in the middle was asked without them.
    if !engine.has_recorded_outcomes() {
        for input in control.take_inputs() {
            engine.add_input(input)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use playhouse_engine::engine::{Inputs, MeetSet};
    use playhouse_engine::mind::ScriptMind;
    use playhouse_engine::prelude::{IntoScheduleConfigs, World};
    use playhouse_engine::testing::tiny;
    use playhouse_story::About;

    use super::*;

    #[tokio::test]
    async fn what_is_told_until_a_turn_begins_is_told_in_it() -> Result<(), EngineError> {
        let mut game = tiny();
        let (hear, heard) = channel();
        let hear = move |world: &mut World| {
            let inputs = world.get_resource::<Inputs>();
            let _ = inputs.map(|inputs| hear.send(inputs.0.clone()));
        };
        game.setup.meet.add_systems(hear.in_set(MeetSet::Rules));
        let mut engine = game.engine(ScriptMind::lines([]))?;
        let view = StoryView::new(About::default());
        let control = Control::default();
        let tell = |_: &mut Engine| {
            control.tell("Be brief.".into());
            true
        };
        play(&mut engine, &view, &control, Some(1), tell).await?;
        assert_eq!(heard.try_iter().collect::<Vec<_>>(), [["Be brief."]]);
        Ok(())
    }
}
