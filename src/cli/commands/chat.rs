//! `chat`: a team talks about a task.

use crate::cli::prelude::*;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::sync::Arc;

use crate::cast::{CastList, WorldTurn};
use crate::engine::{Engine, Setup, Stop};
use crate::event::Phrasebook;
use crate::groupchat::team::{ParticipantKind, TeamFile, list_teams};
use crate::groupchat::{
    Chat, ChatGame, Phase, UserInput, UserProxy, interrupt_for_input, let_fall_back,
    seat_user_proxy,
};
use crate::mind::Minds;
use crate::mind::human::HumanMind;
use crate::session::{Game, Session};
use crate::tool::code::CodePolicy;
use bevy_ecs::prelude::World;

use super::dry_run::{DryStory, dry_run_with};
use super::play;
use crate::cli::args::{ChatArgs, ChatFormat, ResumeArgs};
use crate::cli::chat_printer::ChatPrinter;
use crate::cli::env::{clock, since};
use crate::cli::loader;
use crate::cli::output::{cells, wait_until_told};
use crate::cli::saved::Saved;
use crate::cli::seat::{SeatConsole, SeatGame, TerminalSeat};
use crate::cli::slot_settings::{self, LastTask, PlayedWith};

/// Runs a team on a task, or lists the teams.
pub(super) fn chat(app: &App, args: &ChatArgs) -> Result<()> {
    let Some(name) = &args.team else {
        return list(app);
    };
    let game = loader::team(app, name)?.with_code(code_policy(args.allow_code));
    let task = args.task.as_deref();
    // Before a slot is made, or emptied.
    if !has_task(task)? && !std::io::stdin().is_terminal() {
        return Err(no_task().help(text!(cli_task_help)));
    }
    let seed = play::seed(app, args.new.seed)?;
    if args.play.dry_run {
        let mut setup = game.set_up(seed)?;
        game.populate(&mut setup)?;
        let story = DryStory::new(&game, seed);
        return preview(app, &game, task, setup, story);
    }
    let base = name.strip_suffix(".ron").unwrap_or(name);
    let slot = args.new.slot(app, base);
    args.new.clear(app, &slot)?;
    let seats = seats(app, &game, &slot);
    let user_proxy = user_proxy(app, &game, &seats);
    let minds = minds(app, &game, seed, &user_proxy, Some(&seats))?;
    let game = with_tools_played(app, game, &minds)?;
    let models = loader::asked_models(app, game.team().models());
    let first = task.map(|task| LastTask {
        text: task.to_owned(),
        run: 1,
    });
    let played_with = PlayedWith {
        player_models: models.clone(),
        task: first,
    };
    let session = slot_settings::start(app, &slot, &game, seed, minds, played_with)?;
    play::show_seed(app, seed);
    let run = ChatRun {
        app,
        game: &game,
        slot: &slot,
        seats: &seats,
        models,
        task,
        last_task: None,
        form: args.form,
        until: args.play.until,
    };
    run.play(session, &user_proxy)
}

/// Continues a team's save: a run that is not finished, or with a new task.
pub(super) fn resume(app: &App, game: &ChatGame, saved: &Saved, args: &ResumeArgs) -> Result<()> {
    let task = args.task.as_deref();
    has_task(task)?;
    let slot = saved.slot.name().as_str();
    let game = game.clone().with_code(code_policy(args.allow_code));
    let last_task = slot_settings::last_task(&saved.slot)?;
    if args.play.dry_run {
        return preview(app, &game, task, saved.world(true)?, DryStory::of(saved));
    }
    let seats = seats(app, &game, slot);
    let user_proxy = user_proxy(app, &game, &seats);
    let models = slot_settings::check_models(app, saved, &mut saved.world(true)?.world)?;
    // Nothing that is random is asked of this world.
    let minds = minds(app, &game, 0, &user_proxy, Some(&seats))?;
    let game = &with_tools_played(app, game, &minds)?;
    let root = &app.settings.saves.value;
    let mut session = Session::resume(root, slot, game, minds, args.force)?;
    play::say_changes(app, &session.changes);
    saved.tell_seed(app, &mut session.engine);
    let played_with = PlayedWith {
        player_models: models.clone(),
        task: last_task.clone(),
    };
    slot_settings::remember(app, slot, played_with)?;
    let run = ChatRun {
        app,
        game,
        slot,
        seats: &seats,
        models,
        task,
        last_task,
        form: args.form,
        until: args.play.until,
    };
    run.play(session, &user_proxy)
}

/// The minds with which a page lets a team finish its run; `None` if it waits for a task, or has
/// people, who are at a terminal.
pub(super) fn minds_of_run(app: &App, game: &ChatGame, world: &World) -> Result<Option<Minds>> {
    let can_go_on = is_running(world, game.team()) && people(game).next().is_none();
    let minds = can_go_on.then(|| minds(app, game, 0, &UserProxy::new(), None));
    minds.transpose()
}

/// The game with minds and web pages for its teams that are tools.
pub(super) fn with_tools_played(app: &App, game: ChatGame, minds: &Minds) -> Result<ChatGame> {
    if game.team().tool_teams().next().is_none() {
        return Ok(game);
    }
    let models = app.models()?;
    let game = game.with_tools(move |toolbox| loader::allow_web(&models, toolbox));
    Ok(game.with_tool_minds(minds))
}

/// Prints what members of a team would be sent next, for a new task or in an unfinished run.
fn preview(
    app: &App,
    game: &ChatGame,
    task: Option<&str>,
    setup: Setup,
    story: DryStory,
) -> Result<()> {
    let user_proxy = UserProxy::new();
    match task {
        Some(task) => user_proxy.add_input(UserInput::task(task)),
        None if has_failed(&setup.world, game.team()) => {
            user_proxy.add_input(UserInput::continue_run());
        }
        None if is_running(&setup.world, game.team()) => {}
        None => return Err(no_task().help(text!(cli_task_help))),
    }
    let people = people(game).collect();
    let seat = |minds| seat_user_proxy(game, minds, &user_proxy);
    let begin = |engine: &mut Engine| interrupt_for_input(engine, game.team(), &user_proxy);
    dry_run_with(app, setup, story, people, seat, begin)
}

/// Whether a task was given. An empty one is an error.
fn has_task(task: Option<&str>) -> Result<bool> {
    match task {
        Some(task) if task.trim().is_empty() => Err(no_task().help(text!(cli_task_help))),
        task => Ok(task.is_some()),
    }
}

fn no_task() -> CommandError {
    CommandError::usage(text!(cli_no_task))
}

fn code_policy(allow_processes: bool) -> CodePolicy {
    CodePolicy {
        allow_processes,
        script_program: std::env::current_exe().ok(),
        ..CodePolicy::default()
    }
}

fn list(app: &App) -> Result<()> {
    let data = app.data()?;
    let (teams, problems) = list_teams(&data);
    let mut err = app.err();
    problems
        .iter()
        .for_each(|found| err.line(found.in_language(app.language)));
    let mut out = app.out();
    if app.settings.json {
        for team in &teams {
            out.json(&Printed::Team(team));
        }
    } else {
        let widest = teams.iter().map(|team| cells(&team.path)).max();
        let indent = widest.unwrap_or_default() + 2;
        for team in &teams {
            let row = Paragraph::labelled(&team.path, 0, indent).plain(&team.title);
            out.paragraph(&match team.needs.is_empty() {
                true => row,
                false => {
                    let features = team.needs.join(",");
                    row.add(Style::Dim, say!(app.language, cli_team_needs, features))
                }
            });
        }
    }
    if problems.has_errors() {
        Err(CommandError::printed(ErrorKind::World))
    } else {
        Ok(())
    }
}

/// Those whom the person at the terminal plays: people, one more, and, at a terminal, the user.
fn seats(app: &App, game: &ChatGame, slot: &str) -> Vec<Arc<TerminalSeat>> {
    let user = Some(game.team().user.clone()).filter(|_| std::io::stdin().is_terminal());
    let names: BTreeSet<_> = people(game)
        .chain(app.settings.seat.value.clone())
        .chain(user)
        .collect();
    let seat = |name: String| {
        let save = (slot, app.in_command(slot));
        Arc::new(TerminalSeat::new(&name, SeatGame::Team, save, app.language))
    };
    names.into_iter().map(seat).collect()
}

/// The user, with the person at the terminal.
fn user_proxy(app: &App, game: &ChatGame, seats: &[Arc<TerminalSeat>]) -> UserProxy {
    let user = UserProxy::new();
    let seat = seats.iter().find(|seat| seat.name() == game.team().user);
    let Some(seat) = seat.filter(|_| std::io::stdin().is_terminal()) else {
        return user;
    };
    let console = SeatConsole::at_seat(app.shared_out(), seat.clone());
    user.with_person(Arc::new(HumanMind::new(console, app.language)))
}

/// The minds of a team; with the person at the terminal, if there is one, at these seats.
fn minds(
    app: &App,
    game: &ChatGame,
    seed: u64,
    user_proxy: &UserProxy,
    seats: Option<&[Arc<TerminalSeat>]>,
) -> Result<Minds> {
    let mut setup = game.set_up(seed)?;
    game.populate(&mut setup)?;
    let main = loader::main_mind(app, &app.settings.model.value)?;
    let is_quiet = app.settings.quiet || seats.is_none();
    if let (Some(introduction), false) = (&main.introduction, is_quiet) {
        let introduction = Paragraph::of(Style::Dim, introduction);
        app.err().paragraph(&introduction);
    }
    let mut minds = loader::minds(app, main.mind.clone(), &mut setup.world)?;
    // Teams that are tools are not in the world yet.
    for model in game.team().models() {
        if !minds.knows(model) {
            minds = minds.with_alias(model, loader::preferred(app, &main.mind, model)?);
        }
    }
    let mut minds = seat_user_proxy(game, minds, user_proxy);
    let Some(seats) = seats else {
        return Ok(minds);
    };
    let wanted = app.settings.seat.value.as_deref();
    play::seat(&mut setup.world, wanted)?;
    // The user has a mind of its own, which asks the person.
    let is_played = |name| wanted == Some(name) || name != game.team().user;
    let phrases = setup.world.resource::<Phrasebook>();
    for seat in seats.iter().filter(|seat| is_played(seat.name())) {
        minds = play::seated(app, minds, seat, phrases);
    }
    Ok(minds)
}

/// The names of a team's people, without its user.
fn people(game: &ChatGame) -> impl Iterator<Item = String> {
    let members = game.team().nested().into_iter();
    let members = members.flat_map(|team| team.participants.clone());
    let people = members.filter(|member| member.kind == ParticipantKind::Person);
    people
        .map(|person| person.name)
        .filter(|name| *name != game.team().user)
}

/// A conversation that is printed as it takes place.
struct ChatRun<'a> {
    app: &'a App,
    game: &'a ChatGame,
    slot: &'a str,
    seats: &'a [Arc<TerminalSeat>],
    /// The models that single participants have.
    models: BTreeSet<String>,
    task: Option<&'a str>,
    /// The task that the team was given before, which it may not have heard.
    last_task: Option<LastTask>,
    form: ChatFormat,
    until: Option<u64>,
}

impl ChatRun<'_> {
    fn play(&self, mut session: Session, user_proxy: &UserProxy) -> Result<()> {
        play::prepare(self.app, &mut session.engine);
        let runtime = play::runtime()?;
        let (mut session, servers) = runtime.block_on(loader::connected(self.app, session))?;
        let engine = &mut session.engine;
        play::tell_waits(self.app, engine);
        TerminalSeat::watch(self.seats, engine);
        let team = self.game.team();
        if self.unheard_task(engine).is_none() {
            self.go_on(engine, user_proxy)?;
        }
        let start = clock();
        let printer = ChatPrinter::new(self.app, engine, team, self.form);
        if let Some(printer) = &printer {
            // Beside the conversation, which doesn't wait for chunks to be printed.
            runtime.spawn(printer.clone().print_chunks());
        }
        play::stop_by_signals(self.app, &runtime, engine.cancellation_token());
        play::note_turns(self.app, engine);
        let stop = runtime.block_on(self.turns(engine, user_proxy));
        runtime.block_on(servers.close());
        runtime.shutdown_background();
        let seconds = since(start) as f64 / 1000.0;
        self.report(engine, team, &stop?, printer.as_ref(), seconds)
    }

    /// The task that the team has not heard yet, if there is one.
    fn unheard_task(&self, engine: &Engine) -> Option<&str> {
        let (_, runs) = phase_and_runs(&engine.world, self.game.team());
        let last = self.last_task.as_ref().filter(|task| task.run > runs);
        self.task.or(last.map(|task| task.text.as_str()))
    }

    /// Without a task, an unfinished run goes on, or a person gives one.
    fn go_on(&self, engine: &mut Engine, user_proxy: &UserProxy) -> Result<()> {
        let team = self.game.team();
        if has_failed(&engine.world, team) {
            user_proxy.add_input(UserInput::continue_run());
            return Ok(());
        }
        let is_under_way = is_running(&engine.world, team) || engine.has_recorded_outcomes();
        if is_under_way || std::io::stdin().is_terminal() {
            return Ok(());
        }
        let slot = self.app.in_command(self.slot);
        Err(no_task().help(text!(cli_resume_task_help, slot)))
    }

    /// Plays turn by turn until the run is over.
    async fn turns(&self, engine: &mut Engine, user_proxy: &UserProxy) -> Result<Stop> {
        let team = self.game.team();
        let falls_back = engine.settings.falls_back;
        let (phase, runs) = phase_and_runs(&engine.world, team);
        let mut wanted = runs + u32::from(phase == Phase::Waiting);
        let mut is_given = false;
        loop {
            // What was recorded without the task comes first.
            if !is_given && !engine.has_recorded_outcomes() {
                is_given = true;
                if self.give_task(engine, user_proxy)? {
                    wanted = phase_and_runs(&engine.world, team).1 + 1;
                }
            }
            let_fall_back(engine, team, falls_back)?;
            interrupt_for_input(engine, team, user_proxy)?;
            let turn = engine.world.resource::<WorldTurn>().0;
            let stop = engine.run(Some(turn + 1)).await?;
            let Stop::TurnReached(turn) = stop else {
                return Ok(stop);
            };
            let (phase, runs) = phase_and_runs(&engine.world, team);
            let is_heard = is_given && !user_proxy.has_input();
            let is_at_end = runs >= wanted || has_failed(&engine.world, team);
            let is_over = is_heard && phase == Phase::Waiting && is_at_end;
            if is_over || self.until.is_some_and(|until| turn >= until) {
                return Ok(Stop::TurnReached(turn));
            }
        }
    }

    /// Gives the team the task that it has not heard, and keeps it in the save until then. Returns
    /// whether there is one. A new task ends an unfinished run.
    fn give_task(&self, engine: &Engine, user_proxy: &UserProxy) -> Result<bool> {
        let Some(task) = self.unheard_task(engine) else {
            return Ok(false);
        };
        let (_, runs) = phase_and_runs(&engine.world, self.game.team());
        let last = LastTask {
            text: task.to_owned(),
            run: runs + 1,
        };
        let played_with = PlayedWith {
            player_models: self.models.clone(),
            task: Some(last),
        };
        slot_settings::remember(self.app, self.slot, played_with)?;
        user_proxy.add_input(UserInput::task(task));
        Ok(true)
    }

    fn report(
        &self,
        engine: &Engine,
        team: &TeamFile,
        stop: &Stop,
        printer: Option<&ChatPrinter>,
        seconds: f64,
    ) -> Result<()> {
        let chat = chat_of(&engine.world, team);
        let stopped = chat.and_then(|chat| chat.stop.clone());
        let reason = stopped.as_ref().map(|stop| stop.content.as_str());
        let (language, slot) = (self.app.language, self.slot);
        if self.app.settings.json {
            let end = Printed::TeamEnd {
                stop_reason: reason,
                slot,
            };
            self.app.out().json(&end);
        } else if let Some(printer) = printer {
            printer.end(reason, engine.totals().spent.usage, seconds);
            wait_until_told(&self.app.shared_out());
            if let Some(turn) = play::unread(self.app) {
                play::tell_unread(self.app, turn, slot, false);
                return Ok(());
            }
        }
        play::stopped(self.app, stop, Some(slot))?;
        if self.app.prints_text() {
            let goes_on = matches!(stop, Stop::Cancelled) || can_go_on(&engine.world, team);
            let slot = self.app.in_command(slot);
            self.app.err().line(if goes_on {
                say!(language, cli_continue_with, slot)
            } else {
                say!(language, cli_next_task_with, slot)
            });
        }
        if has_failed(&engine.world, team) {
            let reason = UiText::verbatim(reason.unwrap_or_default());
            return Err(CommandError::new(ErrorKind::Other, reason));
        }
        Ok(())
    }
}

pub(super) fn chat_of<'w>(world: &'w World, team: &TeamFile) -> Option<&'w Chat> {
    let stage = world.resource::<CastList>().by_name(&team.name)?;
    world.get::<Chat>(stage)
}

/// Whether a run is not over.
pub(super) fn is_running(world: &World, team: &TeamFile) -> bool {
    phase_and_runs(world, team).0 != Phase::Waiting
}

/// Whether `resume` needs no task.
fn can_go_on(world: &World, team: &TeamFile) -> bool {
    is_running(world, team) || has_failed(world, team)
}

/// Whether the last run stopped without an answer, and may go on.
fn has_failed(world: &World, team: &TeamFile) -> bool {
    chat_of(world, team).is_some_and(|chat| chat.failed)
}

fn phase_and_runs(world: &World, team: &TeamFile) -> (Phase, u32) {
    chat_of(world, team).map_or((Phase::Waiting, 0), |chat| (chat.phase, chat.runs))
}
