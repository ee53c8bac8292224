//! Opens and plays what pages ask for.

use crate::cli::prelude::*;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use bevy_ecs::prelude::World;
use tokio::runtime::Runtime;

use super::course::{Course, Opened, SavedCourse};
use super::desk::WorldDesk;
use super::saves::{PageCommand, SavesLibrary, library_error};
use crate::cast::{EntityName, Kind};
use crate::cli::args::{NewSaveArgs, ServerArgs, TableArgs};
use crate::cli::commands::edited::EditedGame;
use crate::cli::commands::play::{self, RunView, stopped};
use crate::cli::commands::players::minds_of;
use crate::cli::commands::{chat, run, sent};
use crate::cli::loader;
use crate::cli::process::{note_interrupt, told_to_end};
use crate::cli::provenance::Provenance;
use crate::cli::saved::{Played, Saved, free_name};
use crate::cli::servers::ToolServers;
use crate::cli::settings::{Origin, Setting};
use crate::cli::slot_settings;
use crate::cli::{event_types, watchers};
use crate::context::Chapters;
use crate::engine::{Engine, Stop, StoryEnd};
use crate::event::Phrasebook;
use crate::journal::{Input, Line, new_minds};
use crate::mind::{Mind, MindAlias, Minds};
use crate::page::{
    self, BranchAt, Control, Desk, Invitation, LibraryError, NewStory, Offers, Opening, Seat,
    Server, Story, Teach,
};
use crate::rpg::Campaign;
use crate::save::Slot;
use crate::session::{self, Game, Session};
use crate::story::{self, About, RunState, StoryView};
use crate::{rpg, undercover};
/// How long a page waits for a story to be read before it shows what was read so far.
const AT_ONCE: Duration = Duration::from_millis(500);
/// Opens and plays what pages ask for.
pub(super) struct Host<'a> {
    app: &'a App,
    runtime: Runtime,
    library: Arc<SavesLibrary>,
    commands: Receiver<PageCommand>,
    until: Option<u64>,
    /// Who plays, and what is allowed.
    table: TableArgs,
    /// By branch, the characters of people in the story from which it began, and their names.
    heirs: BTreeMap<String, BTreeMap<String, String>>,
    access: Option<Arc<page::Access>>,
    /// Prints the story that is run.
    pub(super) view: Option<RunView<'a>>,
    /// The stories that are played, each with its thread.
    played: Vec<(Story, JoinHandle<Result<Stop>>)>,
}

impl<'a> Host<'a> {
    pub(super) fn new(app: &'a App, until: Option<u64>, table: &TableArgs) -> Result<Self> {
        let (sender, commands) = channel();
        let library = SavesLibrary {
            root: app.settings.saves.value.clone(),
            stories: Mutex::default(),
            only: Mutex::default(),
            commands: sender,
            data: app.data().ok(),
            offers: Offers {
                worlds: Vec::new(),
                models: loader::model_names(app),
                world: app.settings.world.value.clone(),
                model: app.settings.model.value.clone(),
            },
            seen: Mutex::default(),
        };
        Ok(Self {
            app,
            runtime: play::runtime()?,
            library: Arc::new(library),
            commands,
            until,
            table: table.clone(),
            heirs: BTreeMap::new(),
            access: None,
            view: None,
            played: Vec::new(),
        })
    }

    /// The only story of this server: a new one of the world that was chosen.
    pub(super) fn start(&self, args: &NewSaveArgs, is_paused: bool) -> Result<Opened> {
        let opened = self.begin(self.app, args, (is_paused, None), &self.table.invite)?;
        *self.only() = Some(opened.story.slot.name().to_string());
        Ok(opened)
    }

    /// A new story that a page wants.
    fn begin_for_page(&mut self, wanted: NewStory) -> Result<String, LibraryError> {
        let mut app = self.app.clone();
        let NewStory {
            world,
            model,
            seed,
            name,
        } = wanted;
        if !self.library.offers.models.contains(&model) {
            return Err(text!(page_no_model, model).into());
        }
        app.settings.world = chosen(world);
        app.settings.model = chosen(model);
        let args = NewSaveArgs {
            seed,
            save: name.filter(|name| !name.is_empty()),
            force: false,
        };
        self.begin_and_play(&app, &args, None)
    }

    fn begin_and_play(
        &mut self,
        app: &App,
        args: &NewSaveArgs,
        opening: Option<Opening>,
    ) -> Result<String, LibraryError> {
        let begun = self.begin(app, args, (false, opening), &[]);
        let opened = begun.map_err(library_error)?;
        let slot = opened.story.slot.name().to_string();
        self.play(opened);
        Ok(slot)
    }

    /// A new story of the world of another, with what that is played with, from a scene.
    fn play_from(&mut self, slot: &str, opening: Opening) -> Result<String, LibraryError> {
        let story = self.library.stories().get(slot).cloned();
        let story = story.ok_or_else(|| text!(page_missing))?;
        let mut app = self.app.clone();
        slot_settings::recall(&mut app, slot, true).map_err(library_error)?;
        app.settings.world = chosen(story.view.about.world.clone());
        self.begin_and_play(&app, &NewSaveArgs::default(), Some(opening))
    }

    /// A new story of the world of the settings.
    fn begin(
        &self,
        app: &App,
        args: &NewSaveArgs,
        (is_paused, opening): (bool, Option<Opening>),
        invited: &[String],
    ) -> Result<Opened> {
        let campaign = loader::world(app, &app.settings.world.value)?;
        let seed = match opening {
            Some(opening) => opening.seed,
            None => play::seed(app, args.seed)?,
        };
        let mut setup = campaign.new_game(seed).or_fail(ErrorKind::World)?;
        let main = loader::main_mind(app, &app.settings.model.value)?.mind;
        let minds = loader::minds(app, main, &mut setup.world)?;
        let models = loader::asked_models(app, campaign.file.models());
        let (minds, seats) = self.seated(minds, &mut setup.world, invited)?;
        let teach = teacher(&setup.world);
        drop(setup);
        let slot = args.slot(app, &campaign.folder);
        args.clear(app, &slot)?;
        let session = match opening {
            Some(Opening { seed, turn }) => {
                let opening = run::Opening { seed, turn };
                opening.set(app, &slot, &campaign, minds, models)?
            }
            None => slot_settings::start(app, &slot, &campaign, seed, minds, models)?,
        };
        let provenance = Provenance::of(campaign.meta(), &app.settings.model.value);
        play::announce(app, &slot, seed, &provenance);
        let view = Arc::new(StoryView::new(about_world(app, &campaign, &slot, seed)?));
        let control = if is_paused {
            Control::paused()
        } else {
            Control::default()
        };
        let aliases = sent::aliases(&session.engine.world);
        let answered = sent::minds_of(app, session.slot(), aliases)?;
        let edited = EditedGame::of_world(app, &campaign, &view);
        let desk = desk(app, &campaign, &view);
        let story = Story {
            view,
            control: Some(Arc::new(control)),
            slot: session.slot().clone(),
            game: Arc::new(campaign),
            answered: Arc::new(Mutex::new(answered)),
            seats,
            teach,
            desk,
        };
        let (session, servers) = self.prepared(app, session)?;
        Ok(Opened {
            story,
            course: Course::Begun(Box::new(session), servers),
            edited,
            team: None,
        })
    }

    fn only(&self) -> MutexGuard<'_, Option<String>> {
        lock(&self.library.only)
    }

    /// The save that was chosen.
    pub(super) fn read(&self, slot: &str) -> Result<Opened> {
        *self.only() = Some(slot.to_owned());
        self.open(slot, &self.table.invite)
    }

    /// A save, which is not read yet. It may go on with what it was played with before. One whose
    /// minds can't be had is only shown, and so is a team whose run is over.
    fn open(&self, name: &str, invited: &[String]) -> Result<Opened> {
        let mut own = self.app.clone();
        let recalled = slot_settings::recall(&mut own, name, true);
        let app = &own;
        let mut saved = Saved::to_play(app, name, false)?;
        saved.forget_played();
        let view = Arc::new(StoryView::new(about(app, &saved, name)?));
        let mut world = saved.world(true)?.world;
        let answered = sent::minds_of(app, &saved.slot, sent::aliases(&world))?;
        // The past is held once, by the world that is played or read.
        for mut chapters in world.query::<&mut Chapters>().iter_mut(&mut world) {
            *chapters = Chapters::default();
        }
        view.expect(&world);
        let minds = recalled.and_then(|()| minds_of(app, &saved, &mut world));
        let mut seats = BTreeMap::new();
        let minds = match minds {
            Ok(Some(minds)) if matches!(saved.played, Played::Team(_)) => Ok(Some(minds)),
            Ok(Some(minds)) => {
                let (minds, seated) = self.seated(minds, &mut world, invited)?;
                seats = seated;
                Ok(Some(minds))
            }
            Ok(None) => Ok(None),
            Err(error) if invited.is_empty() => Err(library_error(error).text),
            Err(error) => return Err(error),
        };
        let desk = match &saved.played {
            Played::World(campaign) => desk(app, campaign, &view),
            _ => None,
        };
        let edited = match &saved.played {
            Played::World(campaign) => EditedGame::of_world(app, campaign, &view),
            Played::Undercover(game) => EditedGame::of_undercover(app, game, &view),
            Played::Team(game) => EditedGame::of_team(app, game, &view),
        };
        let mut team = None;
        let game: Arc<dyn Game> = match saved.played {
            Played::World(campaign) => Arc::new(*campaign),
            Played::Undercover(game) => Arc::new(*game),
            Played::Team(game) => {
                team = Some(game.team().clone());
                match &minds {
                    Ok(Some(minds)) => Arc::new(chat::with_tools_played(app, *game, minds)?),
                    _ => Arc::new(*game),
                }
            }
        };
        // To continue costs money, and who opens a save may want to read. A story that is over ends
        // at once, which costs nothing.
        let control = matches!(minds, Ok(Some(_))).then(|| {
            Arc::new(match world.contains_resource::<StoryEnd>() {
                true => Control::default(),
                false => Control::paused(),
            })
        });
        let story = Story {
            view,
            control,
            slot: saved.slot,
            game,
            answered: Arc::new(Mutex::new(answered)),
            seats,
            teach: teacher(&world),
            desk,
        };
        let course = SavedCourse { app: own, minds };
        Ok(Opened {
            story,
            course: Course::Saved(Box::new(course)),
            edited,
            team,
        })
    }

    /// The minds of a run with a seat for every actor. Those who were invited have theirs; to the
    /// others people may be invited later.
    fn seated(
        &self,
        mut minds: Minds,
        world: &mut World,
        invited: &[String],
    ) -> Result<(Minds, BTreeMap<String, Arc<Seat>>)> {
        for name in invited {
            loader::actor(world, name)?;
        }
        let improviser: Arc<dyn Mind> = Arc::new(loader::improviser(self.app)?);
        let teach = teacher(world);
        let mut seats = BTreeMap::new();
        let mut actors = world.query::<(&EntityName, &Kind, Option<&MindAlias>)>();
        let actors = actors.iter(world);
        for (name, _, alias) in actors.filter(|(_, kind, _)| **kind == Kind::Actor) {
            let name = name.to_string();
            let own = minds.of(&name, alias).clone();
            let seat = Arc::new(Seat::new(self.table.rules(), invited.contains(&name)));
            let improviser = improviser.clone();
            let mind = seat.mind(own, improviser, self.app.language, &*teach);
            minds = minds.with_seat(name.as_str(), mind);
            seats.insert(name, seat);
        }
        Ok((minds, seats))
    }

    fn prepared(&self, app: &App, mut session: Session) -> Result<(Session, ToolServers)> {
        play::prepare(app, &mut session.engine);
        self.runtime.block_on(loader::connected(app, session))
    }

    /// Starts the server and prints its address.
    pub(super) fn listen(&mut self, args: &ServerArgs, has_seats: bool) -> Result<()> {
        let app = self.app;
        let address = SocketAddr::new(args.listen, args.port);
        let server = Server::new(address, self.library.clone(), app.language, has_seats);
        let server = self.runtime.block_on(server).or_fail(ErrorKind::Other)?;
        // Who reads the address may press Ctrl-C at once.
        let ended = self.runtime.block_on(async { told_to_end() });
        let ended = ended.or_fail(ErrorKind::Other)?;
        let end = self.library.commands.clone();
        self.runtime.spawn(async move {
            ended.await;
            note_interrupt();
            // A closed channel means that the host has ended.
            let _ = end.send(PageCommand::End);
        });
        print_address(app, &server.access().host_address());
        self.access = Some(server.access());
        self.runtime.spawn(server.run());
        Ok(())
    }

    /// Serves the page of a story with the seats of those who were invited, until it is
    /// interrupted.
    pub(super) fn show(mut self, shown: Opened, server: &ServerArgs) -> Result<()> {
        let slot = shown.story.slot.name().to_string();
        self.listen(server, !self.table.invite.is_empty())?;
        for name in &self.table.invite {
            self.invite(&slot, name)?;
        }
        if server.listen.is_loopback() && !self.table.invite.is_empty() && !self.app.settings.json {
            let mut out = self.app.out();
            out.line(say!(self.app.language, cli_watch_phones));
            out.flush();
        }
        self.play(shown);
        self.serve()
    }

    /// Prints the address of a seat.
    fn invite(&self, slot: &str, name: &str) -> Result<()> {
        let Some(access) = &self.access else {
            return Ok(());
        };
        let address = access.seat(slot, name).or_fail(ErrorKind::Other)?;
        print_seat(self.app, name, &address);
        Ok(())
    }

    /// Shows a story, and reads and plays it on a thread of its own. What is read at once is there
    /// when this returns.
    pub(super) fn play(&mut self, opened: Opened) {
        let Opened {
            story,
            course,
            mut edited,
            team,
        } = opened;
        let (played, until) = (story.clone(), self.until);
        story.seats.values().for_each(|seat| seat.tell(&story.view));
        // A seat is known by the name of its character, which the view must have.
        if let Course::Begun(session, _) = &course {
            played.view.expect(&session.engine.world);
        }
        let name = story.slot.name().to_string();
        self.library.stories().insert(name, story.clone());
        let handle = self.runtime.handle().clone();
        let thread = std::thread::Builder::new().spawn(move || {
            let view = &played.view;
            let playing = async {
                let begun = match course {
                    Course::Begun(session, servers) => Some((*session, servers)),
                    Course::Saved(saved) => saved.begin(&played).await,
                };
                let (Some((mut session, servers)), Some(control)) = (begun, &played.control) else {
                    return Ok(Stop::Idle);
                };
                let answers = story::watch(&mut session.engine, view);
                let following = tokio::spawn(story::follow(answers, view.clone()));
                let look = |engine: &mut Engine| {
                    edited.iter_mut().for_each(|edited| edited.look(engine));
                    // A team whose run is over waits for a task.
                    let goes_on = |team| chat::is_running(&engine.world, team);
                    team.as_ref().is_none_or(goes_on) || engine.has_recorded_outcomes()
                };
                let stop = page::play(&mut session.engine, view, control, until, look).await;
                servers.close().await;
                following.abort();
                stop.map_err(CommandError::from)
            };
            catch_unwind(AssertUnwindSafe(|| handle.block_on(playing))).unwrap_or_else(|_| {
                let broken = text!(page_story_broken);
                view.set_run(RunState::Failed, Some(broken.clone()));
                Err(CommandError::new(ErrorKind::Other, broken))
            })
        });
        let thread = match thread {
            Ok(thread) => thread,
            Err(error) => return story.view.set_run(RunState::Failed, Some(error.text())),
        };
        self.runtime.block_on(async {
            // A long story is shown while it is read.
            let _ = tokio::time::timeout(AT_ONCE, story.view.is_read()).await;
        });
        self.played.push((story, thread));
    }

    /// Does what pages want until it is interrupted.
    pub(super) fn serve(mut self) -> Result<()> {
        while let Ok(command) = self.commands.recv() {
            match command {
                PageCommand::Open(slot, reply) => {
                    let _ = reply.send(self.open_for_page(&slot));
                }
                PageCommand::Note(invitation) => print_invitation(self.app, &invitation),
                PageCommand::Branch {
                    slot,
                    at,
                    name,
                    reply,
                } => {
                    let _ = reply.send(self.branch(&slot, at, name));
                }
                PageCommand::Begin(story, reply) => {
                    let _ = reply.send(self.begin_for_page(story));
                }
                PageCommand::PlayFrom(slot, opening, reply) => {
                    let _ = reply.send(self.play_from(&slot, opening));
                }
                PageCommand::End => break,
            }
        }
        for (story, _) in &self.played {
            story.control.iter().for_each(|control| control.stop());
            story.seats.values().for_each(|seat| seat.end());
        }
        let mut result = Ok(());
        for (story, thread) in self.played {
            let stop = thread.join().unwrap_or(Ok(Stop::Cancelled));
            let slot = story.slot.name().as_str();
            result = result.and(stop.and_then(|stop| stopped(self.app, &stop, Some(slot))));
        }
        self.runtime.shutdown_background();
        self.view.iter().for_each(RunView::finish);
        result
    }

    fn open_for_page(&mut self, slot: &str) -> Result<Option<Story>, LibraryError> {
        // Another page may have asked for it meanwhile.
        if let Some(story) = self.library.stories().get(slot) {
            return Ok(Some(story.clone()));
        }
        if Slot::find(&self.library.root, slot).is_err() {
            return Ok(None);
        }
        let heirs = self.heirs.get(slot).cloned().unwrap_or_default();
        let invited: Vec<_> = heirs.keys().cloned().collect();
        let opened = self.open(slot, &invited).map_err(library_error)?;
        let story = opened.story.clone();
        for (name, person) in &heirs {
            let seat = story.seats.get(name);
            seat.into_iter().for_each(|seat| seat.call_person(person));
        }
        self.play(opened);
        Ok(Some(story))
    }

    fn branch(
        &mut self,
        slot: &str,
        at: BranchAt,
        name: Option<String>,
    ) -> Result<String, LibraryError> {
        let root = &self.library.root;
        let from =
            Slot::find(root, slot).map_err(|error| library_error(CommandError::from(error)))?;
        let story = self.library.stories().get(slot).cloned();
        let story = story.ok_or_else(|| text!(page_missing))?;
        let name = name.unwrap_or_else(|| free_name(root, slot));
        let game = &*story.game;
        let mut models = BTreeMap::new();
        let branched = self.runtime.block_on(async {
            match at {
                BranchAt::Turn(turn, told) => {
                    models = told.as_ref().map(new_minds).unwrap_or_default();
                    let next = told.map(|value| Line::Input(Input { turn, value }));
                    session::branch(root, &from, &name, game, turn, next).await
                }
                BranchAt::Ask(ask) => session::retake(root, &from, &name, game, ask).await,
            }
        });
        let branch = branched.map_err(|error| error.text())?;
        slot_settings::copy_trust(self.app, &from, &branch).map_err(library_error)?;
        if !models.is_empty() {
            slot_settings::give_models(self.app, &branch, models.into_values())
                .map_err(library_error)?;
        }
        // Taken seats are kept, by those who have them.
        let taken = story.seats.iter().filter(|(_, seat)| seat.is_taken());
        let heirs = taken
            .map(|(name, seat)| (name.clone(), seat.person()))
            .collect();
        self.heirs.insert(name.clone(), heirs);
        if let Some(access) = &self.access {
            access.share_seats(slot, &name);
        }
        Ok(name)
    }
}

/// The files of the world of a story, if they are still there.
fn desk(app: &App, campaign: &Campaign, view: &Arc<StoryView>) -> Option<Arc<dyn Desk>> {
    let edited = EditedGame::of_world(app, campaign, view)?;
    Some(Arc::new(WorldDesk::new(app, &campaign.folder, edited)))
}

/// Teaches seats in the words of a world.
pub(super) fn teacher(world: &World) -> Arc<Teach> {
    let phrases = world.resource::<Phrasebook>().clone();
    Arc::new(move |lessons| {
        lessons.phrases(phrases.clone());
        rpg::seat::teach(lessons);
        undercover::seat::teach(lessons);
    })
}

/// What somebody chose on a page.
fn chosen<T>(value: T) -> Setting<T> {
    Setting {
        value,
        origin: Origin::Flag,
    }
}

pub(super) fn print_address(app: &App, address: &str) {
    print(
        app,
        &Printed::Page { address },
        say!(app.language, cli_watch_address, address),
    );
}

/// Prints the address of a seat, and that of the host if it is another now.
pub(super) fn print_invitation(app: &App, invitation: &Invitation) {
    print_seat(app, &invitation.name, &invitation.address);
    let host = invitation.host.iter();
    host.for_each(|host| print_address(app, host));
}

/// Prints the address of a seat.
fn print_seat(app: &App, name: &str, address: &str) {
    print(
        app,
        &Printed::Seat { name, address },
        say!(app.language, cli_watch_seat, name, address),
    );
    let mut out = app.out();
    out.qr_code(address);
    out.flush();
}

/// Addresses are printed even if nothing else is.
fn print(app: &App, record: &Printed<'_>, line: String) {
    let mut out = app.out();
    if app.settings.json {
        out.json(record);
    } else {
        // An address that is broken can't be clicked on.
        out.paragraph(&Paragraph::of(Style::Plain, line));
    }
    out.flush();
}

/// What a save is, before anything of it is read.
pub(in crate::cli::commands) fn about(app: &App, saved: &Saved, slot: &str) -> Result<About> {
    let seed = saved.story.seed();
    let about = |game, world: String| About {
        slot: slot.to_owned(),
        title: world.clone(),
        world,
        game,
        seed,
        events: event_types(),
        watchers: Some(watchers),
        ..About::default()
    };
    Ok(match &saved.played {
        Played::World(campaign) => about_world(app, campaign, slot, seed)?,
        Played::Team(team) => About {
            title: team.team().name.clone(),
            is_conversation: true,
            ..about("team", team.meta().world)
        },
        Played::Undercover(game) => About {
            models: loader::model_names(app),
            language: game.rules().language,
            title: game.rules().table.clone(),
            table: Some(crate::undercover::TABLE),
            ..about("undercover", game.meta().world)
        },
    })
}

fn about_world(app: &App, campaign: &Campaign, slot: &str, seed: u64) -> Result<About> {
    let info = loader::mind_info(app, &app.settings.model.value)?;
    Ok(About {
        slot: slot.to_owned(),
        world: campaign.folder.clone(),
        title: campaign.file.name.clone(),
        premise: campaign.file.premise().map(str::to_owned).collect(),
        game: "campaign",
        language: campaign.file.language,
        seed,
        models: loader::model_names(app),
        currency: info.price.map(|price| price.currency),
        events: event_types(),
        watchers: Some(watchers),
        ..About::default()
    })
}
