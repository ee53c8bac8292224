//! `chat`: a team talks.

use std::io::IsTerminal;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse::cast::{CastList, WorldTurn};
use playhouse::engine::{Engine, Stop};
use playhouse::groupchat::stage::{Chat, Phase, UserInput};
use playhouse::groupchat::team::{TeamFile, list_teams};
use playhouse::groupchat::{ChatGame, UserProxy, seat_desk};
use playhouse::mind::Minds;
use playhouse::mind::human::HumanMind;
use playhouse::session::{Game, Session};
use playhouse::tool::code::CodePolicy;
use playhouse::world_data::nearest;
use serde_json::json;

use super::play;
use crate::cli::app::App;
use crate::cli::args::{ChatArgs, PlayArgs};
use crate::cli::env::{clock, since};
use crate::cli::error::{Failure, Fault, engine_failure};
use crate::cli::loader;
use crate::cli::saved::{clear, free_name, session_failure};
use crate::cli::screen::Screen;
use crate::cli::seat::SeatConsole;

/// The seed where none is given.
const USUAL_SEED: u64 = 1;

/// Lets a team talk about a task, or lists the teams.
pub(super) fn chat(app: &App, args: &ChatArgs) -> Result<(), Failure> {
    let Some(name) = &args.team else {
        return list(app);
    };
    let game = loader::team(app, name)?.with_code(code_policy(args));
    // Before a slot is made, or emptied.
    if !has_task(app, args)? && !std::io::stdin().is_terminal() {
        return Err(no_task(app).try_this(app.words.say_task()));
    }
    let root = &app.settings.saves.value;
    let slot = match &args.save {
        Some(name) => name.clone(),
        None => free_name(root, name.strip_suffix(".ron").unwrap_or(name)),
    };
    if args.force {
        clear(root, &slot)?;
    }
    let seed = args.seed.unwrap_or(USUAL_SEED);
    let user_proxy = user_proxy(app);
    let minds = minds(app, &game, seed, &user_proxy, &args.play)?;
    let game = with_tools_played(app, game, &minds)?;
    let session = Session::start(root, &slot, &game, seed, minds);
    let mut session = session.map_err(session_failure)?;
    let talk = Talk {
        app,
        game: &game,
        slot: &slot,
        form: args,
    };
    talk.go(&mut session.engine, &user_proxy)
}

/// Goes on with a team's save: with a run that is under way, or with a new task.
pub(super) fn go_on(
    app: &App,
    game: &ChatGame,
    slot: &str,
    args: &ChatArgs,
    force: bool,
) -> Result<(), Failure> {
    has_task(app, args)?;
    let game = game.clone().with_code(code_policy(args));
    let user_proxy = user_proxy(app);
    let minds = minds(app, &game, USUAL_SEED, &user_proxy, &args.play)?;
    let game = &with_tools_played(app, game, &minds)?;
    let root = &app.settings.saves.value;
    let session = Session::resume(root, slot, game, minds, force);
    let mut session = session.map_err(session_failure)?;
    let talk = Talk {
        app,
        game,
        slot,
        form: args,
    };
    talk.go(&mut session.engine, &user_proxy)
}

/// The game with minds and pages of the web for the teams that are called as tools in it.
fn with_tools_played(app: &App, game: ChatGame, minds: &Minds) -> Result<ChatGame, Failure> {
    if game.team().tool_teams().next().is_none() {
        return Ok(game);
    }
    let web = app.models()?.web().clone();
    let game = game.with_tools(move |toolbox| toolbox.allow_web(&web));
    Ok(game.with_tool_minds(minds))
}

/// Whether a task was given; one without words is refused.
fn has_task(app: &App, args: &ChatArgs) -> Result<bool, Failure> {
    match &args.task {
        Some(task) if task.trim().is_empty() => Err(no_task(app).try_this(app.words.say_task())),
        task => Ok(task.is_some()),
    }
}

fn no_task(app: &App) -> Failure {
    Failure::new(Fault::Usage, app.words.no_task())
}

fn code_policy(args: &ChatArgs) -> CodePolicy {
    CodePolicy {
        allow_processes: args.allow_code,
        ..CodePolicy::default()
    }
}

fn list(app: &App) -> Result<(), Failure> {
    let data = app.data()?;
    let (teams, problems) = list_teams(&data);
    let mut err = app.err();
    problems
        .iter()
        .for_each(|problem| err.line(app.words.problem(problem)));
    let mut out = app.out();
    if app.settings.json {
        teams.iter().for_each(|team| out.json(team));
    } else {
        for team in &teams {
            out.line(format!("{}  {}", team.path, team.title));
        }
    }
    match problems.has_errors() {
        true => Err(Failure::told(Fault::World)),
        false => Ok(()),
    }
}

/// The user's app, with a clock, and with whoever sits at the terminal.
fn user_proxy(app: &App) -> UserProxy {
    let began = clock();
    let made = UserProxy::new().with_clock(move || since(began));
    match std::io::stdin().is_terminal() {
        true => {
            let console = SeatConsole(app.shared_out());
            let person = HumanMind::new(console, app.settings.language.value);
            made.with_person(Arc::new(person))
        }
        false => made,
    }
}

fn minds(
    app: &App,
    game: &ChatGame,
    seed: u64,
    user_proxy: &UserProxy,
    args: &PlayArgs,
) -> Result<Minds, Failure> {
    let fault = |reason: String| Failure::new(Fault::World, reason);
    let mut setup = game.set_up(seed).map_err(fault)?;
    game.populate(&mut setup).map_err(fault)?;
    let lead = loader::lead(app, &app.settings.model.value)?;
    play::check_price(app, lead.mind.info())?;
    if let (Some(introduction), false) = (&lead.introduction, app.settings.quiet) {
        app.err().line(introduction);
    }
    let mut minds = loader::minds(app, lead.mind.clone(), &mut setup.world)?;
    // Teams that are tools stand in no world yet.
    for model in game.team().models() {
        if !minds.knows(model) {
            minds = minds.with_alias(model, loader::preferred(app, &lead.mind, model)?);
        }
    }
    // People of the team sit at the terminal.
    let people = game.team().all();
    let people = people.iter().flat_map(|team| &team.participants);
    let people = people.filter(|one| one.kind == playhouse::groupchat::team::Kind::Person);
    let mut minds = seat_desk(game, minds, user_proxy);
    for one in people.filter(|one| one.name != game.team().user) {
        minds = play::seated(app, minds, Some(&one.name));
    }
    Ok(match args.seat.as_deref() {
        Some(seat) => {
            play::seat(app, &mut setup.world, Some(seat))?;
            play::seated(app, minds, Some(seat))
        }
        None => minds,
    })
}

/// A conversation that is shown as it goes on.
struct Talk<'a> {
    app: &'a App,
    game: &'a ChatGame,
    slot: &'a str,
    form: &'a ChatArgs,
}

impl Talk<'_> {
    fn go(&self, engine: &mut Engine, user_proxy: &UserProxy) -> Result<(), Failure> {
        play::prepare(self.app, engine);
        let team = self.game.team().clone();
        let (phase, runs) = stands(&engine.world, &team);
        let goes_on = phase != Phase::Waiting;
        match &self.form.task {
            Some(task) => user_proxy.order(UserInput::task(task.as_str())),
            None if goes_on || std::io::stdin().is_terminal() => {}
            None => {
                let remedy = self.app.words.give_task(self.slot);
                return Err(no_task(self.app).try_this(remedy));
            }
        }
        let began = clock();
        let screen = Screen::of(self.app, engine, &team, self.form.form);
        let wanted = if goes_on { runs } else { runs + 1 };
        let runtime = play::runtime()?;
        if let Some(screen) = &screen {
            // Beside the conversation, which waits for no piece to be written.
            runtime.spawn(screen.clone().show_pieces());
        }
        runtime.spawn(play::heed_interrupts(
            engine.brake(),
            self.app.err(),
            self.app.words,
        ));
        let servers = runtime.block_on(loader::equip(self.app, engine))?;
        let stop = runtime.block_on(talk_on(engine, &team, wanted, self.form.play.until));
        runtime.block_on(servers.close());
        runtime.shutdown_background();
        let stop = stop.map_err(|error| engine_failure(&error))?;
        let seconds = since(began) as f64 / 1000.0;
        self.close(engine, &team, &stop, screen.as_ref(), seconds)
    }

    fn close(
        &self,
        engine: &Engine,
        team: &TeamFile,
        stop: &Stop,
        screen: Option<&Screen>,
        seconds: f64,
    ) -> Result<(), Failure> {
        let chat = chat_of(&engine.world, team);
        let ended = chat.and_then(|chat| chat.stop.clone());
        let reason = ended.as_ref().map(|stop| stop.content.as_str());
        let words = self.app.words;
        if self.app.settings.json {
            self.app
                .out()
                .json(&json!({"record": "end", "stop_reason": reason, "slot": self.slot}));
        } else if let Some(screen) = screen {
            screen.end(reason, seconds);
            self.app.err().line(match stop {
                Stop::Braked | Stop::TurnReached(_) => words.how_to_resume(self.slot),
                _ => words.saved_in(self.slot),
            });
        }
        let broken_off = |fault, what| {
            let failure = Failure::new(fault, what);
            Err(failure.try_this(words.how_to_resume(self.slot)))
        };
        match stop {
            Stop::CapReached(why) => {
                let why = words.error_text(why);
                broken_off(Fault::Budget, words.cap_reached(&why))
            }
            Stop::ServerDown(why) => {
                let why = why.in_language(words.0);
                broken_off(Fault::Server, words.server_down(&why))
            }
            _ if chat.is_some_and(|chat| chat.failed) => {
                Err(Failure::new(Fault::Other, reason.unwrap_or_default()))
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn chat_of<'w>(world: &'w World, team: &TeamFile) -> Option<&'w Chat> {
    let stage = world.resource::<CastList>().by_name(&team.name)?;
    world.get::<Chat>(stage)
}

fn stands(world: &World, team: &TeamFile) -> (Phase, u32) {
    chat_of(world, team).map_or((Phase::Waiting, 0), |chat| (chat.phase, chat.runs))
}

/// Plays turn by turn until the run is over.
async fn talk_on(
    engine: &mut Engine,
    team: &TeamFile,
    wanted: u32,
    until: Option<u64>,
) -> Result<Stop, playhouse::engine::EngineError> {
    loop {
        let turn = engine.world.resource::<WorldTurn>().0;
        let stop = engine.run(Some(turn + 1)).await?;
        let Stop::TurnReached(turn) = stop else {
            return Ok(stop);
        };
        let (phase, runs) = stands(&engine.world, team);
        let failed = chat_of(&engine.world, team).is_some_and(|chat| chat.failed);
        let is_over = phase == Phase::Waiting && (runs >= wanted || failed);
        if is_over || until.is_some_and(|until| turn >= until) {
            return Ok(Stop::TurnReached(turn));
        }
    }
}

/// The nearest name of a team.
pub(crate) fn nearest_team(app: &App, name: &str) -> Option<String> {
    let data = app.data().ok()?;
    let (teams, _) = list_teams(&data);
    nearest(name, teams.iter().map(|team| team.path.as_str())).map(str::to_owned)
}
