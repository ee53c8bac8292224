//! Worlds, teams and prompts that are edited while a story of them is watched.

use crate::cli::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use crate::cli::loader::{EXPECTATIONS, own_folder, team_path, window};
use crate::engine::Engine;
use crate::groupchat::ChatGame;
use crate::groupchat::team::FOLDER;
use crate::journal::game_input;
use crate::rpg::world_file::{WorldFile, files_of};
use crate::rpg::{Campaign, CampaignError};
use crate::session::Game;
use crate::story::StoryView;
use crate::tool::TABLES;
use crate::undercover::{Match, MatchError};
use crate::world_data::{DataFolder, Problem};

/// Looks between two turns whether the files of a game were edited.
pub(super) struct EditedGame {
    data: DataFolder,
    /// The folder of a world or team that is not in the data folder.
    own: Option<DataFolder>,
    source: Source,
    /// What was there when it was last looked at.
    seen: Vec<(String, SystemTime, u64)>,
    /// The fingerprint of the data that the story has or is about to take over.
    fingerprint: String,
    view: Arc<StoryView>,
}

enum Source {
    /// With the smallest window of the models that are asked.
    World(String, u64),
    /// With the models for which it has minds.
    Team(String, BTreeSet<String>),
    Undercover(Box<Match>),
}

impl EditedGame {
    /// For the story of a view; `None` if its world has no files.
    pub(super) fn of_world(app: &App, campaign: &Campaign, view: &Arc<StoryView>) -> Option<Self> {
        let own = own_folder(&app.data().ok()?, &campaign.folder).ok()?;
        let window = window(app, &campaign.file);
        let source = Source::World(campaign.folder.clone(), window);
        Self::new(app, (source, own), campaign, view)
    }

    /// As [`Self::of_world`], for the conversation of a team.
    pub(super) fn of_team(app: &App, game: &ChatGame, view: &Arc<StoryView>) -> Option<Self> {
        let path = game.meta().world;
        let name = path.strip_prefix("teams/").unwrap_or(&path);
        let own = match team_path(&app.data().ok()?, name) {
            Some(_) => None,
            None => Some(DataFolder::at(folder_of(Path::new(name))).ok()?),
        };
        let models = game.team().models().into_iter().map(str::to_owned);
        let source = Source::Team(name.to_owned(), models.collect());
        Self::new(app, (source, own), game, view)
    }

    pub(super) fn of_undercover(app: &App, game: &Match, view: &Arc<StoryView>) -> Option<Self> {
        let source = Source::Undercover(Box::new(game.clone()));
        Self::new(app, (source, None), game, view)
    }

    fn new(
        app: &App,
        (source, own): (Source, Option<DataFolder>),
        game: &dyn Game,
        view: &Arc<StoryView>,
    ) -> Option<Self> {
        let mut edited = Self {
            data: app.data().ok()?,
            own,
            source,
            seen: Vec::new(),
            fingerprint: game.meta().data,
            view: view.clone(),
        };
        edited.seen = edited.stamps();
        Some(edited)
    }

    /// Lets the story take over what has changed. If that is impossible, its page says why.
    pub(super) fn look(&mut self, engine: &mut Engine) {
        if !self.has_changed() {
            return;
        }
        let taken = self.load().and_then(|game| self.take_over(&*game, engine));
        self.view.set_problems(taken.err().unwrap_or_default());
    }

    /// Whether something was edited since this was last asked.
    pub(super) fn has_changed(&mut self) -> bool {
        let now = self.stamps();
        let has_changed = now != self.seen;
        self.seen = now;
        has_changed
    }

    fn take_over(&mut self, game: &dyn Game, engine: &mut Engine) -> Result<(), Vec<Problem>> {
        let fingerprint = game.meta().data;
        if fingerprint == self.fingerprint {
            return Ok(());
        }
        match game.adapt(&mut engine.world) {
            Ok(_) => {
                let setup = game.game_setup(0);
                let input = setup.map(|setup| game_input(&setup));
                input.into_iter().for_each(|input| engine.tell_next(input));
                self.fingerprint = fingerprint;
                Ok(())
            }
            Err(Some(unfit)) => Err(self.problem(unfit.text())),
            Err(None) => Ok(()),
        }
    }

    /// The game with its files as they are now.
    fn load(&self) -> Result<Box<dyn Game>, Vec<Problem>> {
        match &self.source {
            Source::World(name, window) => {
                let own = self.own.as_ref();
                let window = |_: &WorldFile| *window;
                let campaign = Campaign::load_changed(&self.data, own, name, Ok, window);
                match campaign {
                    Ok(campaign) => Ok(Box::new(campaign)),
                    Err(CampaignError::Data(problems)) => Err(problems.into_iter().collect()),
                    Err(error) => Err(self.problem(error.text())),
                }
            }
            Source::Team(name, _) => {
                let game = match &self.own {
                    None => ChatGame::load(&self.data, name.strip_suffix(".ron").unwrap_or(name)),
                    Some(own) => {
                        let text = own.read_text(file_of(name));
                        let text = text.map_err(|error| vec![error.into()])?;
                        ChatGame::parse(&self.data, name, &text)
                    }
                };
                match game {
                    Ok(game) => match self.new_model(&game) {
                        Some(model) => Err(self.problem(text!(cli_new_model, model))),
                        None => Ok(Box::new(game)),
                    },
                    Err(problems) => Err(problems.into_iter().collect()),
                }
            }
            Source::Undercover(game) => match game.with_data(&self.data) {
                Ok(game) => Ok(Box::new(game)),
                Err(MatchError::Data(problems)) => Err(problems.into_iter().collect()),
                Err(error) => Err(self.problem(error.text())),
            },
        }
    }

    /// A model of a team for which there is no mind.
    fn new_model(&self, game: &ChatGame) -> Option<String> {
        let Source::Team(_, known) = &self.source else {
            return None;
        };
        let models = game.team().models();
        let mut new = models.into_iter().filter(|model| !known.contains(*model));
        new.next().map(str::to_owned)
    }

    fn problem(&self, message: UiText) -> Vec<Problem> {
        let (own, path) = self.main_file();
        let file = own.unwrap_or(&self.data).name_of(&path);
        vec![Problem::of_file(file, message, UiText::default())]
    }

    /// The file of the world or team, and its folder if that is not the data folder.
    fn main_file(&self) -> (Option<&DataFolder>, String) {
        let path = match (&self.source, &self.own) {
            (Source::World(name, _), None) => format!("worlds/{name}/world.ron"),
            (Source::World(..), Some(_)) => "world.ron".to_owned(),
            (Source::Team(name, _), None) => {
                format!("{FOLDER}/{}.ron", name.strip_suffix(".ron").unwrap_or(name))
            }
            (Source::Team(name, _), Some(_)) => file_of(name).to_owned(),
            (Source::Undercover(_), _) => "prompts".to_owned(),
        };
        (self.own.as_ref(), path)
    }

    fn stamps(&self) -> Vec<(String, SystemTime, u64)> {
        let mut paths = self.data.files("prompts").unwrap_or_default();
        if let Source::Team(..) = self.source {
            paths.extend(self.data.files(TABLES).unwrap_or_default());
        }
        let (own, main) = self.main_file();
        let folder = own.unwrap_or(&self.data);
        let mut files = vec![main.clone()];
        if let Source::World(..) = self.source {
            files = files_of(folder, &main).unwrap_or(files);
            files.push(main.replace("world.ron", EXPECTATIONS));
        }
        let mut stamps = self.data.stamps(paths);
        stamps.extend(folder.stamps(files));
        stamps
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn file_of(path: &str) -> &str {
    let name = Path::new(path).file_name();
    name.and_then(|name| name.to_str()).unwrap_or(path)
}
