//! Worlds and minds for a run, found by the names that people give them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse::cast::{EntityName, Kind, StableId};
use playhouse::engine::Engine;
use playhouse::groupchat::ChatGame;
use playhouse::groupchat::team::FOLDER;
use playhouse::mind::improviser::Improviser;
use playhouse::mind::{Mind, MindAlias, Minds};
use playhouse::rpg::world_file::list_worlds;
use playhouse::rpg::{Campaign, CampaignError};
use playhouse::tool::servers::ToolServers;
use playhouse::tool::{ToolSet, Toolbox};
use playhouse::world_data::{DataError, DataFolder, Problems, nearest};

use super::app::App;
use super::commands::nearest_team;
use super::error::{Failure, Fault};
use super::settings::IMPROVISER;

/// The world of this name: a folder in `worlds/`, or else a path to a folder with a `world.ron`.
pub(crate) fn world(app: &App, name: &str) -> Result<Campaign, Failure> {
    match load(app, name)? {
        Ok(production) => Ok(production),
        Err(CampaignError::Data(problems)) => Err(mistakes(app, name, &problems)),
        Err(error) => Err(Failure::new(Fault::World, error).at(name)),
    }
}

/// The world of this name, or what is wrong with it.
pub(crate) fn load(app: &App, name: &str) -> Result<Result<Campaign, CampaignError>, Failure> {
    let data = app.data()?;
    let (listed, _) = list_worlds(&data);
    let folders = data.list("worlds").unwrap_or_default();
    if folders.iter().any(|folder| folder == name) {
        return Ok(Campaign::load(&data, name));
    }
    // The path of the file itself is as good as that of its folder.
    let folder = Path::new(name.strip_suffix("world.ron").unwrap_or(name));
    if folder.join("world.ron").is_file() || folder.is_dir() {
        let alone = DataFolder::at(folder).map_err(|error| Failure::new(Fault::World, error))?;
        return Ok(Campaign::load_alone(&data, &alone, name));
    }
    let failure = Failure::new(Fault::World, app.words.no_world(name)).at(data.name_of("worlds"));
    let names = listed.iter().map(|world| world.folder.as_str());
    Err(match nearest(name, names) {
        Some(near) => failure.try_this(app.words.nearest(near)),
        None => failure.try_this(app.words.list_worlds()),
    })
}

/// The team of this name: a file in `teams/`, or else a path to a team file.
pub(crate) fn team(app: &App, name: &str) -> Result<ChatGame, Failure> {
    let data = app.data()?;
    let inside = name.strip_suffix(".ron").unwrap_or(name);
    let known = data.files(FOLDER).unwrap_or_default();
    let read = if known.contains(&format!("{FOLDER}/{inside}.ron")) {
        ChatGame::load(&data, inside)
    } else if Path::new(name).is_file() {
        let bytes = std::fs::read(name);
        let bytes = bytes.map_err(|error| Failure::new(Fault::World, error).at(name))?;
        let text = String::from_utf8(bytes);
        let text = text.map_err(|_| Failure::new(Fault::World, DataError::NotText(name.into())))?;
        ChatGame::load_alone(&data, name, &text)
    } else {
        let failure = Failure::new(Fault::World, app.words.no_team(name)).at(data.name_of(FOLDER));
        return Err(match nearest_team(app, name) {
            Some(near) => failure.try_this(app.words.nearest(&near)),
            None => failure.try_this(app.words.list_teams()),
        });
    };
    read.map_err(|problems| {
        let mut page = app.err();
        for problem in problems.iter() {
            page.line(app.words.problem(problem));
        }
        Failure::new(Fault::World, app.words.team_mistakes(name, problems.len()))
    })
}

/// All mistakes of a world as one failure; each is told first.
fn mistakes(app: &App, name: &str, problems: &Problems) -> Failure {
    let mut page = app.err();
    for problem in problems.iter() {
        page.line(app.words.problem(problem));
    }
    let what = app.words.world_mistakes(name, problems.len());
    Failure::new(Fault::World, what).try_this(app.words.mend_world(name))
}

/// Who answers for all that nobody else answers for.
pub(crate) struct Lead {
    /// The mind.
    pub(crate) mind: Arc<dyn Mind>,
    /// What it says about itself before the story.
    pub(crate) introduction: Option<String>,
}

/// The mind of this name, as the lead of a run.
pub(crate) fn lead(app: &App, name: &str) -> Result<Lead, Failure> {
    if name != IMPROVISER {
        let mind = app.models()?.mind(name);
        return Ok(Lead {
            mind: mind.map_err(|error| Failure::of(Fault::Server, &error))?,
            introduction: None,
        });
    }
    let improviser = Improviser::new().map_err(|error| Failure::new(Fault::Other, error))?;
    let introduction = improviser.introduction(app.settings.language.value);
    Ok(Lead {
        introduction: Some(introduction.to_owned()),
        mind: Arc::new(improviser),
    })
}

/// The models that entities of a world prefer.
pub(crate) fn preferences(world: &mut World) -> BTreeSet<Arc<str>> {
    let mut preferences = world.query::<&MindAlias>();
    preferences.iter(world).map(|mind| mind.0.clone()).collect()
}

/// The minds of a run: one for all, and those that entities prefer. Where the improviser leads, it
/// plays them all, so that no run needs a key that was not asked for.
pub(crate) fn minds(
    app: &App,
    lead_mind: Arc<dyn Mind>,
    world: &mut World,
) -> Result<Minds, Failure> {
    let mut minds = Minds::all(lead_mind.clone());
    for alias in preferences(world) {
        minds = minds.with_alias(&*alias, preferred(app, &lead_mind, &alias)?);
    }
    Ok(minds)
}

/// Who answers for those that prefer a model.
pub(crate) fn preferred(
    app: &App,
    lead_mind: &Arc<dyn Mind>,
    alias: &str,
) -> Result<Arc<dyn Mind>, Failure> {
    match app.settings.model.value == IMPROVISER {
        true => Ok(lead_mind.clone()),
        false => Ok(lead(app, alias)?.mind),
    }
}

/// Starts the servers whose tools entities of a world may call, and lets tools of the web do what the model
/// file allows. Where the improviser plays them all, nobody would call a server.
pub(crate) async fn equip(app: &App, engine: &mut Engine) -> Result<ToolServers, Failure> {
    let mut sets = engine.world.query::<&ToolSet>();
    let names = sets.iter(&engine.world).flat_map(|set| set.0.clone());
    let names: BTreeSet<_> = names.collect();
    if names.is_empty() {
        return Ok(ToolServers::default());
    }
    let models = app.models()?;
    let mut toolbox = engine.world.resource_mut::<Toolbox>();
    toolbox.allow_web(models.web());
    if app.settings.model.value == IMPROVISER {
        engine.settings.without_servers = true;
        return Ok(ToolServers::default());
    }
    let servers: BTreeSet<_> = names
        .iter()
        .filter_map(|name| ToolSet::server_of(name))
        .collect();
    let plans = models.tool_servers(servers);
    let plans = plans.map_err(|error| Failure::of(Fault::Server, &error))?;
    let servers = ToolServers::connect(plans).await;
    let servers = servers.map_err(|error| Failure::new(Fault::Server, error))?;
    servers.add_to(&mut engine.world.resource_mut::<Toolbox>());
    Ok(servers)
}

/// The actor whom a person wants to play.
pub(crate) fn actor(app: &App, world: &mut World, name: &str) -> Result<StableId, Failure> {
    let mut all = world.query::<(&EntityName, &Kind, &StableId)>();
    let actors: Vec<_> = all
        .iter(world)
        .filter(|(_, kind, _)| **kind == Kind::Actor)
        .map(|(name, _, id)| (name.to_string(), *id))
        .collect();
    if let Some((_, id)) = actors.iter().find(|(known, _)| known == name) {
        return Ok(*id);
    }
    let failure = Failure::new(Fault::Usage, app.words.no_such_actor(name));
    let names = || actors.iter().map(|(name, _)| name.as_str());
    let remedy = match nearest(name, names()) {
        Some(near) => app.words.nearest(near),
        None => app
            .words
            .names_are(&names().collect::<Vec<_>>().join(&app.words.comma())),
    };
    Err(failure.try_this(remedy))
}
