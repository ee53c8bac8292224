//! `watch` and `serve`: stories on pages.
//!
//! The command's own thread opens stories, one after the other, when a page asks for them; each
//! story that is played has a thread of its own; a page is answered by the runtime.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::cast::{EntityName, Kind, WorldTurn};
use crate::engine::{Engine, Stop};
use crate::groupchat::team::TeamFile;
use crate::journal::{Input, Line, new_minds};
use crate::locale::{Localize, UiText, text};
use crate::mind::{MindAlias, Minds};
use crate::page::{
    self, About, BranchAt, Control, Invitation, Library, Listed, Problem, Seat, Server, Story,
    StoryView,
};
use crate::rpg::Campaign;
use crate::save::{SaveError, Slot, StoredStory, list, names};
use crate::session::{self, EventLog, Game, Session};
use crate::tool::servers::ToolServers;
use crate::undercover::Tournament;
use crate::{rpg, undercover};
use bevy_ecs::prelude::*;
use serde_json::json;
use tokio::runtime::Runtime;

use super::chat;
use super::edited::EditedWorld;
use super::play::{self, RunView, stopped};
use super::players::Players;
use super::sent;
use crate::cli::app::App;
use crate::cli::args::{PlayArgs, ServerArgs, StoryArgs, UndercoverArgs, WatchArgs};
use crate::cli::error::{CommandError, ErrorKind, engine_error};
use crate::cli::loader;
use crate::cli::process::note_interrupt;
use crate::cli::saved::{Played, Saved, clear, free_name, save_error, session_error};
use crate::cli::say::say;
use crate::cli::slot_settings;

/// How long a page waits for a story to be read before it shows what was read so far.
const AT_ONCE: Duration = Duration::from_millis(500);
/// A server on this computer, at any free port.
const LOCAL: ServerArgs = ServerArgs {
    port: 0,
    listen: IpAddr::V4(Ipv4Addr::LOCALHOST),
};

/// Plays a world, or opens a save, and serves its page until it is interrupted.
pub(super) fn watch(app: &App, args: &WatchArgs) -> Result<(), CommandError> {
    check_options(&args.story.play)?;
    let mut host = Host::new(app, args.story.play.until)?;
    host.patience = args.away.map(Duration::from_secs);
    let shown = match slot_of(app, args) {
        Some(slot) => host.read(slot, &args.invite)?,
        None => host.start(&args.story, args.paused, &args.invite)?,
    };
    host.show(shown, &args.server, &args.invite)
}

/// Refuses what concerns a terminal alone.
fn check_options(play: &PlayArgs) -> Result<(), CommandError> {
    let seat = play.seat.as_ref();
    let unfit = [
        (play.dry_run, "--dry-run", text!(cli_watch_estimate)),
        (seat.is_some(), "--seat", text!(cli_watch_invite)),
        (play.ids, "--ids", text!(cli_watch_shows)),
        (play.pace.is_some(), "--pace", text!(cli_watch_shows)),
    ];
    let unfit = unfit.into_iter().find(|(is_given, ..)| *is_given);
    unfit.map_or(Ok(()), |(_, option, help)| {
        let message = text!(cli_watch_option, option);
        Err(CommandError::new(ErrorKind::Usage, message).help(help))
    })
}

/// Goes on with a save in which people have seats, and serves its page until it is interrupted.
pub(super) fn invite(app: &App, slot: &str, args: &UndercoverArgs) -> Result<(), CommandError> {
    let mut host = Host::new(app, args.play.until)?;
    host.patience = args.away.map(Duration::from_secs);
    let mut shown = host.read(slot, &args.invite)?;
    shown.story.control = Some(Arc::default());
    host.show(shown, &LOCAL, &args.invite)
}

/// Plays a world, prints it as `run` does, and serves its page until it is interrupted.
pub(super) fn run(app: &App, args: &StoryArgs) -> Result<(), CommandError> {
    if args.is_bare {
        loader::check_bare_world(app, &app.settings.world.value)?;
    }
    let mut host = Host::new(app, args.play.until)?;
    let mut shown = host.start(args, false, &[])?;
    host.listen(&LOCAL, false)?;
    if let Course::Begun(session, _) = &mut shown.course {
        let language = shown.story.language();
        host.view = Some(RunView::new(app, &mut session.engine, language, None));
    }
    host.play(shown);
    host.serve()
}

/// The save that is meant; `None` if a new story is.
pub(crate) fn slot_of<'a>(app: &App, args: &'a WatchArgs) -> Option<&'a str> {
    let is_new = args.story.seed.is_some() || args.story.save.is_some();
    let named = args.story.world.as_deref().filter(|_| !is_new);
    let root = &app.settings.saves.value;
    named.filter(|name| Slot::find(root, name).is_ok())
}

/// Serves the pages of all saves until it is interrupted.
pub(super) fn serve(app: &App, args: &ServerArgs) -> Result<(), CommandError> {
    let mut host = Host::new(app, None)?;
    host.listen(args, false)?;
    host.serve()
}

/// A story that was opened.
struct Opened {
    story: Story,
    course: Course,
    /// Reads the data of its world again when they change.
    edited: Option<EditedWorld>,
    /// The team whose run it is.
    team: Option<TeamFile>,
}

/// How a story goes on.
enum Course {
    /// It has begun.
    Begun(Box<Session>, ToolServers),
    /// What was played is read first.
    Saved(Box<SavedCourse>),
}

/// A save that is to be read, and played on with its minds if they can be had.
struct SavedCourse {
    app: App,
    stored: StoredStory,
    /// The turn of its snapshot.
    turn: u64,
    minds: Result<Option<Minds>, UiText>,
}

impl SavedCourse {
    /// Lets a view read what was played, and continues it. `None` if it is only shown; then the
    /// view says why.
    async fn begin(self, story: &Story) -> Option<(Session, ToolServers)> {
        let Self {
            app,
            stored,
            turn,
            minds,
        } = self;
        let Story { view, slot, .. } = story;
        let game = &*story.game;
        // A long story is shown before it can go on.
        let mut log = EventLog::of(slot, &stored);
        let mut shown = 0;
        if let Ok(Some(log)) = &mut log {
            shown = log.records.len();
            view.fill(std::mem::take(&mut log.records));
        }
        // Nobody else must play it while the rest is read.
        let resumed = minds.and_then(|minds| {
            let (root, name) = (&app.settings.saves.value, slot.name().as_str());
            let resumed = minds.map(|minds| Session::resume(root, name, game, minds, false));
            resumed.transpose().map_err(|error| error.text())
        });
        let until = match &resumed {
            Ok(Some(session)) => Some(session.engine.world.resource::<WorldTurn>().0),
            _ => None,
        };
        let stored = match until {
            Some(now) if now != turn => played_on(slot, shown),
            _ => log.map(|log| (stored, log)),
        };
        let control = story.control.as_deref();
        let read = match stored {
            Ok(stored) => page::read(slot, stored, game, until, view, control).await,
            Err(error) => Err(error.into()),
        };
        let resumed = match read {
            Ok(()) => resumed,
            Err(error) => Err(error.text()),
        };
        let reason = match resumed {
            Ok(None) => None,
            Ok(Some(mut session)) => {
                play::say_changes(&app, &session.changes);
                play::prepare(&app, &mut session.engine);
                match loader::connect_tools(&app, &mut session.engine).await {
                    Ok(servers) => return Some((session, servers)),
                    Err(error) => Some(why(error).text),
                }
            }
            Err(reason) => Some(reason),
        };
        if let Some(reason) = &reason {
            tracing::warn!("{reason}");
        }
        view.only_shown(reason);
        None
    }
}

/// A save that somebody else may have played on since it was opened, with those records of its log
/// that are not shown yet.
fn played_on(slot: &Slot, shown: usize) -> Result<(StoredStory, Option<EventLog>), SaveError> {
    let stored = slot.read(false)?;
    let mut log = EventLog::of(slot, &stored)?;
    if let Some(log) = &mut log {
        log.records.drain(..shown.min(log.records.len()));
    }
    Ok((stored, log))
}

/// What a page wants of the command.
enum Wish {
    Open(String, Sender<Result<Option<Story>, Problem>>),
    /// Somebody was invited.
    Note(Invitation),
    Branch {
        slot: String,
        at: BranchAt,
        name: Option<String>,
        reply: Sender<Result<String, Problem>>,
    },
    /// Ctrl-C.
    End,
}

/// The saves as pages see them.
struct Shelf {
    root: PathBuf,
    stories: Mutex<BTreeMap<String, Story>>,
    /// The slot that is watched; `None` if all are served.
    only: Mutex<Option<String>>,
    wishes: Sender<Wish>,
}

impl Shelf {
    fn stories(&self) -> MutexGuard<'_, BTreeMap<String, Story>> {
        self.stories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask<T>(&self, wish: impl FnOnce(Sender<Result<T, Problem>>) -> Wish) -> Result<T, Problem> {
        let (reply, answer) = channel();
        let ends = || Problem::from(text!(page_ends));
        self.wishes.send(wish(reply)).map_err(|_| ends())?;
        answer.recv().unwrap_or_else(|_| Err(ends()))
    }
}

impl Library for Shelf {
    fn list(&self) -> Vec<Listed> {
        let only = self
            .only
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let open = self.stories();
        if only.is_some() {
            return open.values().flat_map(|story| story.list()).collect();
        }
        let saved = list(&self.root).unwrap_or_default().into_iter();
        let listed = saved.filter_map(|saved| {
            let slot = saved.slot.name().to_string();
            if let Some(story) = open.get(&slot) {
                return story.list().pop();
            }
            let (world, turn, problem) = match (saved.head, saved.branch) {
                (Ok(Some(head)), _) => (head.world, head.turn, None),
                (Ok(None), Some(branch)) => (branch.world, branch.turn, None),
                (Ok(None), None) if Tournament::exists(&self.root, &slot) => {
                    (String::new(), 0, Some(text!(page_is_tournament)))
                }
                (Ok(None), None) => return None,
                (Err(error), _) => (String::new(), 0, Some(error.text())),
            };
            Some(Listed {
                slot,
                world,
                turn,
                problem,
                ..Listed::default()
            })
        });
        listed.collect()
    }

    fn slots(&self) -> Vec<String> {
        let slots = names(&self.root).unwrap_or_default();
        slots.iter().map(ToString::to_string).collect()
    }

    fn open(&self, slot: &str) -> Result<Option<Story>, Problem> {
        if let Some(story) = self.stories().get(slot) {
            return Ok(Some(story.clone()));
        }
        self.ask(|reply| Wish::Open(slot.to_owned(), reply))
    }

    fn branch(&self, slot: &str, at: BranchAt, name: Option<&str>) -> Result<String, Problem> {
        self.ask(|reply| Wish::Branch {
            slot: slot.to_owned(),
            at,
            name: name.map(str::to_owned),
            reply,
        })
    }

    fn note(&self, invitation: Invitation) {
        // Whoever does not listen any more has ended.
        let _ = self.wishes.send(Wish::Note(invitation));
    }
}

/// Opens and plays what pages ask for.
struct Host<'a> {
    app: &'a App,
    runtime: Runtime,
    shelf: Arc<Shelf>,
    wishes: Receiver<Wish>,
    until: Option<u64>,
    /// How long those who have seats may be away.
    patience: Option<Duration>,
    /// By branch, those who have seats in the story from which it began.
    heirs: BTreeMap<String, Vec<String>>,
    access: Option<Arc<page::Access>>,
    /// Prints the story that is run.
    view: Option<RunView<'a>>,
    /// The stories that are played, each with its thread.
    played: Vec<(Story, JoinHandle<Result<Stop, CommandError>>)>,
}

impl<'a> Host<'a> {
    fn new(app: &'a App, until: Option<u64>) -> Result<Self, CommandError> {
        let (sender, wishes) = channel();
        let shelf = Shelf {
            root: app.settings.saves.value.clone(),
            stories: Mutex::default(),
            only: Mutex::default(),
            wishes: sender,
        };
        Ok(Self {
            app,
            runtime: play::runtime()?,
            shelf: Arc::new(shelf),
            wishes,
            until,
            patience: None,
            heirs: BTreeMap::new(),
            access: None,
            view: None,
            played: Vec::new(),
        })
    }

    /// A new story of the world that was chosen.
    fn start(
        &self,
        args: &StoryArgs,
        is_paused: bool,
        invited: &[String],
    ) -> Result<Opened, CommandError> {
        let app = self.app;
        let campaign = loader::world(app, &app.settings.world.value)?;
        let seed = play::seed(app, args.seed)?;
        let setup = campaign.new_game(seed);
        let mut setup = setup.map_err(|error| CommandError::of(ErrorKind::World, &error))?;
        let main = loader::main_mind(app, &app.settings.model.value)?.mind;
        let minds = loader::minds(app, main, &mut setup.world)?;
        let (minds, seats) = self.seated(minds, &mut setup.world, invited)?;
        drop(setup);
        let root = &app.settings.saves.value;
        let slot = match &args.save {
            Some(name) => name.clone(),
            None => free_name(root, &campaign.folder),
        };
        if args.force {
            clear(app, &slot)?;
        }
        let session = Session::start(root, &slot, &campaign, seed, minds);
        let session = session.map_err(session_error)?;
        slot_settings::remember(app, &slot, BTreeSet::new())?;
        play::announce(app, &slot, seed);
        let view = Arc::new(StoryView::new(about_world(app, &campaign, &slot, seed)?));
        let control = if is_paused {
            Control::paused()
        } else {
            Control::default()
        };
        let aliases = sent::aliases(&session.engine.world);
        let answered = sent::minds_of(app, session.slot(), aliases)?;
        let edited = EditedWorld::of(app, &campaign, &view);
        let story = Story {
            view,
            control: Some(Arc::new(control)),
            slot: session.slot().clone(),
            game: Arc::new(campaign),
            answered: Arc::new(Mutex::new(answered)),
            seats,
        };
        *self.only() = Some(slot);
        let (session, servers) = self.prepared(app, session)?;
        Ok(Opened {
            story,
            course: Course::Begun(Box::new(session), servers),
            edited,
            team: None,
        })
    }

    fn only(&self) -> MutexGuard<'_, Option<String>> {
        self.shelf
            .only
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The save that was chosen.
    fn read(&self, slot: &str, invited: &[String]) -> Result<Opened, CommandError> {
        *self.only() = Some(slot.to_owned());
        self.open(slot, invited)
    }

    /// A save, which is not read yet. It may go on with what it was played with before. One whose
    /// minds can't be had is only shown, and so is a team whose run is over.
    fn open(&self, name: &str, invited: &[String]) -> Result<Opened, CommandError> {
        let mut own = self.app.clone();
        let recalled = slot_settings::recall(&mut own, name, true);
        let app = &own;
        let saved = Saved::to_play(app, name, false)?;
        let view = Arc::new(StoryView::new(about(app, &saved, name)?));
        let mut world = saved.world(true)?.world;
        let answered = sent::minds_of(app, &saved.slot, sent::aliases(&world))?;
        view.expect(&world);
        let turn = saved.turn;
        let minds = recalled.and_then(|()| minds(app, &saved, &mut world));
        let mut seats = BTreeMap::new();
        let minds = match minds {
            Ok(Some(minds)) if matches!(saved.played, Played::Team(_)) => Ok(Some(minds)),
            Ok(Some(minds)) => {
                let (minds, seated) = self.seated(minds, &mut world, invited)?;
                seats = seated;
                Ok(Some(minds))
            }
            Ok(None) => Ok(None),
            Err(error) if invited.is_empty() => Err(why(error).text),
            Err(error) => return Err(error),
        };
        let (mut edited, mut team) = (None, None);
        let game: Arc<dyn Game> = match saved.played {
            Played::World(campaign) => {
                edited = EditedWorld::of(app, &campaign, &view);
                Arc::new(*campaign)
            }
            Played::Undercover(game) => Arc::new(*game),
            Played::Team(game) => {
                team = Some(game.team().clone());
                match &minds {
                    Ok(Some(minds)) => Arc::new(chat::with_tools_played(app, *game, minds)?),
                    _ => Arc::new(*game),
                }
            }
        };
        // What goes on costs money, and who opens a save may want to read.
        let control = matches!(minds, Ok(Some(_))).then(|| Arc::new(Control::paused()));
        let story = Story {
            view,
            control,
            slot: saved.slot,
            game,
            answered: Arc::new(Mutex::new(answered)),
            seats,
        };
        let course = SavedCourse {
            app: own,
            stored: saved.story,
            turn,
            minds,
        };
        Ok(Opened {
            story,
            course: Course::Saved(Box::new(course)),
            edited,
            team,
        })
    }

    /// The minds of a run with a seat for every actor. Those who were invited have theirs; to the
    /// others somebody may be invited later.
    fn seated(
        &self,
        mut minds: Minds,
        world: &mut World,
        invited: &[String],
    ) -> Result<(Minds, BTreeMap<String, Arc<Seat>>), CommandError> {
        for name in invited {
            loader::actor(world, name)?;
        }
        let mut seats = BTreeMap::new();
        let mut actors = world.query::<(&EntityName, &Kind, Option<&MindAlias>)>();
        let actors = actors.iter(world);
        for (name, _, alias) in actors.filter(|(_, kind, _)| **kind == Kind::Actor) {
            let name = name.to_string();
            // Whoever is away is played by the mind that it would have without a seat.
            let instead = minds.of(&name, alias).clone();
            let seat = Arc::new(Seat::new(self.patience, invited.contains(&name)));
            let mind = seat.mind(instead, self.app.language, |lessons| {
                rpg::seat::teach(lessons);
                undercover::seat::teach(lessons);
            });
            minds = minds.with_seat(name.as_str(), mind);
            seats.insert(name, seat);
        }
        Ok((minds, seats))
    }

    fn prepared(
        &self,
        app: &App,
        mut session: Session,
    ) -> Result<(Session, ToolServers), CommandError> {
        play::prepare(app, &mut session.engine);
        let servers = loader::connect_tools(app, &mut session.engine);
        let servers = self.runtime.block_on(servers)?;
        Ok((session, servers))
    }

    /// Starts the server and prints its address.
    fn listen(&mut self, args: &ServerArgs, has_seats: bool) -> Result<(), CommandError> {
        let app = self.app;
        let address = SocketAddr::new(args.listen, args.port);
        let server = Server::new(address, self.shelf.clone(), app.language, has_seats);
        let server = self.runtime.block_on(server);
        let server = server.map_err(|error| CommandError::of(ErrorKind::Other, &error))?;
        print_address(app, &server.access().host_address());
        self.access = Some(server.access());
        self.runtime.spawn(server.run());
        Ok(())
    }

    /// Serves the page of a story with the seats of those who were invited, until it is
    /// interrupted.
    fn show(
        mut self,
        shown: Opened,
        server: &ServerArgs,
        invited: &[String],
    ) -> Result<(), CommandError> {
        let slot = shown.story.slot.name().to_string();
        self.listen(server, !invited.is_empty())?;
        for name in invited {
            self.invite(&slot, name)?;
        }
        self.play(shown);
        self.serve()
    }

    /// Prints the address of a seat.
    fn invite(&self, slot: &str, name: &str) -> Result<(), CommandError> {
        let Some(access) = &self.access else {
            return Ok(());
        };
        let address = access.seat(slot, name);
        let address = address.map_err(|error| CommandError::of(ErrorKind::Other, &error))?;
        print_seat(self.app, name, &address);
        Ok(())
    }

    /// Shows a story, and reads and plays it on a thread of its own. What is read at once is there
    /// when this returns.
    fn play(&mut self, opened: Opened) {
        let Opened {
            story,
            course,
            mut edited,
            team,
        } = opened;
        let (played, until) = (story.clone(), self.until);
        // Whoever has a seat is known by the name of its character, which the view must have.
        if let Course::Begun(session, _) = &course {
            played.view.expect(&session.engine.world);
        }
        let name = story.slot.name().to_string();
        self.shelf.stories().insert(name, story.clone());
        let handle = self.runtime.handle().clone();
        let thread = std::thread::spawn(move || {
            handle.block_on(async {
                let view = &played.view;
                let begun = match course {
                    Course::Begun(session, servers) => Some((*session, servers)),
                    Course::Saved(saved) => saved.begin(&played).await,
                };
                let (Some((mut session, servers)), Some(control)) = (begun, &played.control) else {
                    return Ok(Stop::Idle);
                };
                let answers = page::watch(&mut session.engine, view);
                let following = tokio::spawn(page::follow(answers, view.clone()));
                let look = |engine: &mut Engine| {
                    edited.iter_mut().for_each(|edited| edited.look(engine));
                    // A team whose run is over waits for a task.
                    let goes_on = |team| chat::is_running(&engine.world, team);
                    team.as_ref().is_none_or(goes_on) || engine.has_recorded_outcomes()
                };
                let stop = page::play(&mut session.engine, view, control, until, look).await;
                servers.close().await;
                following.abort();
                stop.map_err(|error| engine_error(&error))
            })
        });
        self.runtime.block_on(async {
            // A long story is shown while it is read.
            let _ = tokio::time::timeout(AT_ONCE, story.view.is_read()).await;
        });
        self.played.push((story, thread));
    }

    /// Does what pages want until it is interrupted.
    fn serve(mut self) -> Result<(), CommandError> {
        let end = self.shelf.wishes.clone();
        self.runtime.spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                note_interrupt();
                // Whoever does not listen any more has ended.
                let _ = end.send(Wish::End);
            }
        });
        while let Ok(wish) = self.wishes.recv() {
            match wish {
                Wish::Open(slot, reply) => {
                    let _ = reply.send(self.open_for_page(&slot));
                }
                Wish::Note(Invitation {
                    name,
                    address,
                    host,
                }) => {
                    print_seat(self.app, &name, &address);
                    host.iter().for_each(|host| print_address(self.app, host));
                }
                Wish::Branch {
                    slot,
                    at,
                    name,
                    reply,
                } => {
                    let _ = reply.send(self.branch(&slot, at, name));
                }
                Wish::End => break,
            }
        }
        for (story, _) in &self.played {
            story.control.iter().for_each(|control| control.stop());
            story.seats.values().for_each(|seat| seat.close());
        }
        let mut result = Ok(());
        for (story, thread) in self.played {
            let stop = thread.join().unwrap_or(Ok(Stop::Cancelled));
            let slot = story.slot.name().as_str();
            result = result.and(stop.and_then(|stop| stopped(&stop, Some(slot))));
        }
        self.runtime.shutdown_background();
        self.view.iter().for_each(RunView::finish);
        result
    }

    fn open_for_page(&mut self, slot: &str) -> Result<Option<Story>, Problem> {
        // Another page may have asked for it meanwhile.
        if let Some(story) = self.shelf.stories().get(slot) {
            return Ok(Some(story.clone()));
        }
        if Slot::find(&self.shelf.root, slot).is_err() {
            return Ok(None);
        }
        let invited = self.heirs.get(slot).cloned().unwrap_or_default();
        let opened = self.open(slot, &invited).map_err(why)?;
        let story = opened.story.clone();
        self.play(opened);
        Ok(Some(story))
    }

    fn branch(
        &mut self,
        slot: &str,
        at: BranchAt,
        name: Option<String>,
    ) -> Result<String, Problem> {
        let root = &self.shelf.root;
        let from = Slot::find(root, slot).map_err(|error| why(save_error(error)))?;
        let story = self.shelf.stories().get(slot).cloned();
        let story = story.ok_or_else(|| text!(page_missing))?;
        let name = name.unwrap_or_else(|| free_name(root, slot));
        let game = &*story.game;
        let mut models = BTreeMap::new();
        let branched = self.runtime.block_on(async {
            match at {
                BranchAt::Turn(turn, told) => {
                    models = told.as_ref().map(new_minds).unwrap_or_default();
                    let next = told.map(|value| Line::Input(Input { turn, value }));
                    session::branch_with(root, &from, &name, game, turn, next).await
                }
                BranchAt::Ask(ask) => session::retake(root, &from, &name, game, ask).await,
            }
        });
        let branch = branched.map_err(|error| error.text())?;
        slot_settings::copy(self.app, &from, &branch).map_err(why)?;
        if !models.is_empty() {
            slot_settings::give_models(self.app, &branch, models.into_values()).map_err(why)?;
        }
        // Whoever has a seat keeps it.
        let taken = story.seats.iter().filter(|(_, seat)| seat.is_taken());
        let heirs = taken.map(|(name, _)| name.clone()).collect();
        self.heirs.insert(name.clone(), heirs);
        if let Some(access) = &self.access {
            access.share_seats(slot, &name);
        }
        Ok(name)
    }
}

fn print_address(app: &App, address: &str) {
    if app.settings.json {
        app.out()
            .json(&json!({"record": "page", "address": address}));
    } else {
        app.out()
            .line(say!(app.language, cli_watch_address, address));
    }
    app.out().flush();
}

/// Prints the address of a seat.
fn print_seat(app: &App, name: &str, address: &str) {
    if app.settings.json {
        app.out()
            .json(&json!({"record": "seat", "name": name, "address": address}));
    } else {
        app.out()
            .line(say!(app.language, cli_watch_seat, name, address));
    }
    app.out().flush();
}

/// The minds of a save that goes on; `None` for a team that can't go on here.
fn minds(app: &App, saved: &Saved, world: &mut World) -> Result<Option<Minds>, CommandError> {
    let given = saved.given_models();
    Ok(match &saved.played {
        Played::World(_) => {
            let main = loader::main_mind(app, &app.settings.model.value)?.mind;
            slot_settings::check_player_models(app, &saved.slot, &given)?;
            let minds = loader::minds(app, main, world)?;
            Some(loader::given_minds(app, minds, &given)?)
        }
        Played::Undercover(game) => {
            let (rules, seed) = (game.rules(), saved.story.header.seed);
            let mut models = rules.player_models();
            models.extend(given.iter().cloned());
            slot_settings::check_player_models(app, &saved.slot, &models)?;
            let players = Players::find(app, rules)?;
            Some(players.given(app, game, seed, &given)?)
        }
        Played::Team(game) => chat::minds_of_run(app, game, world)?,
    })
}

/// An error as a page tells it.
fn why(error: CommandError) -> Problem {
    Problem {
        text: error.message.unwrap_or_else(|| text!(page_problems)),
        help: error.help,
    }
}

/// What a save is, before anything of it is read.
pub(super) fn about(app: &App, saved: &Saved, slot: &str) -> Result<About, CommandError> {
    let (head, journal) = saved.journal();
    let seed = journal.seed_at(u64::MAX, head.seed);
    let about = |game, world: String| About {
        slot: slot.to_owned(),
        title: world.clone(),
        world,
        game,
        seed,
        ..About::default()
    };
    Ok(match &saved.played {
        Played::World(campaign) => about_world(app, campaign, slot, seed)?,
        Played::Team(team) => about("team", team.meta().world),
        Played::Undercover(game) => About {
            models: loader::model_names(app),
            language: game.rules().language,
            title: game.rules().table.clone(),
            ..about("undercover", game.meta().world)
        },
    })
}

fn about_world(
    app: &App,
    campaign: &Campaign,
    slot: &str,
    seed: u64,
) -> Result<About, CommandError> {
    let info = loader::mind_info(app, &app.settings.model.value)?;
    Ok(About {
        slot: slot.to_owned(),
        world: campaign.folder.clone(),
        title: campaign.file.name.clone(),
        game: "campaign",
        language: campaign.file.language,
        seed,
        models: loader::model_names(app),
        currency: info.price.map(|price| price.currency),
    })
}
