//! Worlds, teams and minds for a run, found by the names that people give them.

use crate::cli::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use playhouse_engine::files;
use playhouse_engine::wording::nearest;

use crate::cast::{EntityName, Kind, StableId};
use crate::cli::servers::ToolServers;
use crate::engine::{Engine, unknown_tools};
use crate::groupchat::ChatGame;
use crate::groupchat::team::{FOLDER, list_teams};
use crate::mind::improviser::{GrammarErrors, Improviser};
use crate::mind::{Embedder, Mind, MindAlias, MindInfo, Minds, Price};
use crate::rpg::rehearsal::Expectations;
use crate::rpg::world_file::{WorldFile, list_worlds};
use crate::rpg::{Campaign, CampaignError};
use crate::session::Session;
use crate::tool::{ToolSet, Toolbox};
use crate::world_data::{DataError, DataFault, DataFolder, MAX_BYTES, Problems, Source, file_text};
use crate::{groupchat, rpg, undercover};
use bevy_ecs::prelude::World;

use super::args::LANGUAGES;
use super::help::command_names;
use super::settings::{IMPROVISER, OFF};

/// What a writer expects of rehearsals, beside the world's file.
pub(crate) const EXPECTATIONS: &str = "expect.ron";

/// The world of this name: a folder in `worlds/`, else a path to a folder with a `world.ron`.
pub(crate) fn world(app: &App, name: &str) -> Result<Campaign> {
    match load(app, name)? {
        Ok(campaign) => Ok(campaign),
        Err(CampaignError::Data(problems)) => {
            print_problems(app, &problems);
            let message = text!(
                cli_world_errors,
                world = name,
                count = problems.error_count()
            );
            let error = CommandError::new(ErrorKind::World, message);
            Err(error.help(text!(cli_fix_world, world = name)))
        }
        Err(error) => Err(CommandError::of(ErrorKind::World, &error).at(name)),
    }
}

/// Refuses an argument in the place of a command that is neither a command nor a world.
pub(crate) fn check_bare_world(app: &App, name: &str) -> Result<()> {
    let data = app.data()?;
    if name.contains(['/', '\\']) || own_folder(&data, name).is_ok() {
        return Ok(());
    }
    let message = text!(cli_usage_unknown_command, command = name);
    let commands = command_names();
    let (worlds, _) = list_worlds(&data);
    let worlds = worlds.iter().map(|world| world.folder.as_str());
    let help = did_you_mean(name, commands.iter().map(String::as_str).chain(worlds))
        .unwrap_or_else(|| text!(cli_no_command_help));
    Err(CommandError::usage(message).help(help))
}

/// The world of this name, or what is wrong with it.
pub(crate) fn load(app: &App, name: &str) -> Result<Result<Campaign, CampaignError>> {
    load_changed(app, name, Ok)
}

/// The world of this name as a change of its file leaves it, or what is wrong with that.
pub(crate) fn load_changed(
    app: &App,
    name: &str,
    change: impl FnOnce(Source) -> Result<Source, Problems>,
) -> Result<Result<Campaign, CampaignError>> {
    let data = app.data()?;
    let own = own_folder(&data, name)?;
    let window = |world: &WorldFile| window(app, world);
    Ok(Campaign::load_changed(
        &data,
        own.as_ref(),
        name,
        change,
        window,
    ))
}

/// The language that the file of a world names, whatever else is wrong with it.
pub(crate) fn language(app: &App, name: &str) -> Option<Language> {
    let data = app.data().ok()?;
    let (folder, path) = match own_folder(&data, name).ok()? {
        None => (data, format!("worlds/{name}/world.ron")),
        Some(world) => (world, "world.ron".to_owned()),
    };
    let text = folder.read_text(&path).ok()?;
    let source = Source::new(path, &text);
    let code = source.value_at("language").unwrap_or(Language::En.code());
    LANGUAGES.into_iter().find(|known| known.code() == code)
}

/// The smallest window of the models that are asked in a world. The improviser reads any prompt,
/// and a model whose window is not known must be able to.
pub(crate) fn window(app: &App, world: &WorldFile) -> u64 {
    let main = &app.settings.model.value;
    let mut asked = asked_models(app, world.models());
    asked.insert(main.clone());
    asked.remove(IMPROVISER);
    let models = app.models().ok();
    let window = |alias: &String| models.as_ref()?.summary(alias).ok()?.window;
    let windows = asked.iter().map(|alias| window(alias).unwrap_or_default());
    windows.min().unwrap_or(u64::MAX)
}

/// What the writer of the world of this name expects of rehearsals, or what is wrong with it.
pub(crate) fn expectations(
    app: &App,
    name: &str,
    world: &WorldFile,
) -> Result<Result<Expectations, Problems>> {
    let data = app.data()?;
    let (folder, path) = match own_folder(&data, name)? {
        None => (data, format!("worlds/{name}/{EXPECTATIONS}")),
        Some(world) => (world, EXPECTATIONS.to_owned()),
    };
    let text = match folder.read_text(&path) {
        Ok(text) => text,
        // Most worlds have none.
        Err(DataError::InFile(_, DataFault::Missing)) => return Ok(Ok(Expectations::default())),
        Err(error) => return Err(CommandError::of(ErrorKind::World, &error)),
    };
    Ok(Expectations::read(&folder.name_of(&path), &text, world))
}

/// The folder of the world of this name, if it is not in the data folder.
pub(crate) fn own_folder(data: &DataFolder, name: &str) -> Result<Option<DataFolder>> {
    let folders = data.list("worlds").unwrap_or_default();
    if folders.iter().any(|folder| folder == name) {
        return Ok(None);
    }
    // The path of the file itself will do as well.
    let folder = Path::new(name.strip_suffix("world.ron").unwrap_or(name));
    if folder.join("world.ron").is_file() || folder.is_dir() {
        let world = DataFolder::at(folder);
        return world.map(Some).or_fail(ErrorKind::World);
    }
    let error = CommandError::new(ErrorKind::World, text!(cli_no_world, world = name));
    let (listed, _) = list_worlds(data);
    let names = listed.iter().map(|world| world.folder.as_str());
    let help = did_you_mean(name, names).unwrap_or_else(|| text!(cli_list_worlds));
    Err(error.at(file_text(&data.name_of("worlds"))).help(help))
}

/// The team of this name: a file in `teams/`, else a path to a team file.
pub(crate) fn team(app: &App, name: &str) -> Result<ChatGame> {
    load_team(app, name)?.map_err(|problems| {
        print_problems(app, &problems);
        let message = text!(cli_team_errors, team = name, count = problems.error_count());
        CommandError::new(ErrorKind::World, message)
    })
}

/// The team of this name, or in this file, or what is wrong with it.
pub(crate) fn load_team(app: &App, name: &str) -> Result<Result<ChatGame, Problems>> {
    let data = app.data()?;
    if let Some(path) = team_path(&data, name) {
        return Ok(ChatGame::load(&data, path));
    }
    if Path::new(name).is_file() {
        let text = files::read_text(Path::new(name), MAX_BYTES).or_fail(ErrorKind::World)?;
        return Ok(ChatGame::parse(&data, name, &text));
    }
    let error = CommandError::new(ErrorKind::World, text!(cli_no_team, team = name));
    let (teams, _) = list_teams(&data);
    let names = teams.iter().map(|team| team.path.as_str());
    let help = did_you_mean(name, names).unwrap_or_else(|| text!(cli_list_teams));
    Err(error.at(file_text(&data.name_of(FOLDER))).help(help))
}

/// Whether this is the name of a team, or the path of a team file.
pub(crate) fn is_team(app: &App, name: &str) -> Result<bool> {
    let path = Path::new(name);
    let is_ron = path.extension().is_some_and(|ending| ending == "ron");
    let is_world = path.file_name().is_some_and(|name| name == "world.ron");
    Ok((is_ron && !is_world) || team_path(&app.data()?, name).is_some())
}

/// The path of a team in the folder of teams, without its ending; `None` if it is not there.
pub(crate) fn team_path<'n>(data: &DataFolder, name: &'n str) -> Option<&'n str> {
    let path = name.strip_suffix(".ron").unwrap_or(name);
    let files = data.files(FOLDER).unwrap_or_default();
    files
        .contains(&format!("{FOLDER}/{path}.ron"))
        .then_some(path)
}

/// Prints all problems to standard error.
pub(crate) fn print_problems(app: &App, problems: &Problems) {
    let mut err = app.err();
    for found in problems.iter() {
        err.line(found.in_language(app.language));
    }
}

/// Suggests the name that is most like this one, if any is.
pub(crate) fn did_you_mean<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<UiText> {
    nearest(name, names).map(|name| text!(cli_did_you_mean, name))
}

/// Answers for everybody for whom no other mind answers.
pub(crate) struct MainMind {
    pub(crate) mind: Arc<dyn Mind>,
    /// What it says about itself before the story.
    pub(crate) introduction: Option<String>,
}

/// The mind of this name, as the main one of a run.
pub(crate) fn main_mind(app: &App, name: &str) -> Result<MainMind> {
    if name != IMPROVISER {
        let mind = app.models()?.mind(name).or_fail(ErrorKind::Server)?;
        let info = mind.info();
        check_price(app, &info.alias, info.price.as_ref())?;
        return Ok(MainMind {
            mind,
            introduction: None,
        });
    }
    let improviser = improviser(app)?;
    Ok(MainMind {
        introduction: Some(improviser.introduction(app.language).to_owned()),
        mind: Arc::new(improviser),
    })
}

/// Refuses a maximum cost if the price is unknown.
fn check_price(app: &App, model: &str, price: Option<&Price>) -> Result<()> {
    if app.settings.max_cost.value.is_none() || price.is_some() {
        return Ok(());
    }
    let message = text!(cli_no_price, model);
    Err(CommandError::usage(message).help(text!(cli_no_price_help)))
}

/// The names of all models that can be chosen.
pub(crate) fn model_names(app: &App) -> Vec<String> {
    let models = app.models();
    let aliases = models.iter().flat_map(|models| models.aliases());
    let others = aliases.filter(|alias| *alias != IMPROVISER);
    std::iter::once(IMPROVISER)
        .chain(others)
        .map(str::to_owned)
        .collect()
}

/// What is known of the mind of this name; no key is needed.
pub(crate) fn mind_info(app: &App, name: &str) -> Result<MindInfo> {
    if name == IMPROVISER {
        return Ok(improviser(app)?.info().clone());
    }
    let info = app.models()?.info(name).or_fail(ErrorKind::Server)?;
    check_price(app, &info.alias, info.price.as_ref())?;
    Ok(info)
}

/// The improviser, who can play every game of this program, with the grammars of the data folder.
pub(crate) fn improviser(app: &App) -> Result<Improviser> {
    teach_improviser(app)?.or_fail(ErrorKind::World)
}

/// The improviser, or what is wrong in its grammars.
pub(crate) fn teach_improviser(app: &App) -> Result<Result<Improviser, GrammarErrors>> {
    Ok(Improviser::taught_from(&app.data()?, |lessons| {
        rpg::improviser::teach(lessons);
        groupchat::improviser::teach(lessons);
        undercover::improviser::teach(lessons);
    }))
}

/// The models that entities of a world prefer.
pub(crate) fn preferences(world: &mut World) -> BTreeSet<Arc<str>> {
    let mut preferences = world.query::<&MindAlias>();
    preferences.iter(world).map(|mind| mind.0.clone()).collect()
}

/// The minds of a run: the main one, and those that entities prefer. If the improviser is the main
/// one, it plays everybody, so that no run needs a key that was not asked for.
pub(crate) fn minds(app: &App, main_mind: Arc<dyn Mind>, world: &mut World) -> Result<Minds> {
    let mut minds = Minds::all(main_mind.clone());
    for alias in preferences(world) {
        minds = minds.with_alias(&*alias, preferred(app, &main_mind, &alias)?);
    }
    Ok(match embedder(app, &app.settings.embeddings.value)? {
        Some(embedder) => minds.with_embedder(embedder),
        None => minds,
    })
}

/// The minds of a run with those that were given to single entities of a save. They answer also if
/// the improviser is the main one: the user chose them.
pub(crate) fn given_minds(app: &App, minds: Minds, models: &BTreeSet<String>) -> Result<Minds> {
    models.iter().try_fold(minds, |minds, model| {
        Ok(minds.with_alias(model, main_mind(app, model)?.mind))
    })
}

/// Who makes vectors for recall, if a model was chosen for it.
pub(crate) fn embedder(app: &App, alias: &str) -> Result<Option<Arc<dyn Embedder>>> {
    if alias == OFF {
        return Ok(None);
    }
    let embedder = app.models()?.embedder(alias).or_fail(ErrorKind::Server)?;
    check_price(app, alias, embedder.price())?;
    Ok(Some(embedder))
}

/// Those of these models, which single entities prefer, that are asked.
pub(crate) fn asked_models(app: &App, preferences: BTreeSet<&str>) -> BTreeSet<String> {
    let preferences = preferences.into_iter();
    let asked = preferences.filter(|_| app.settings.model.value != IMPROVISER);
    asked.map(str::to_owned).collect()
}

/// Who answers for entities that prefer a model.
pub(crate) fn preferred(
    app: &App,
    main_mind: &Arc<dyn Mind>,
    alias: &str,
) -> Result<Arc<dyn Mind>> {
    if app.settings.model.value == IMPROVISER {
        Ok(main_mind.clone())
    } else {
        Ok(self::main_mind(app, alias)?.mind)
    }
}

/// What is known of who answers for entities that prefer a model.
pub(crate) fn preferred_info(app: &App, main: &MindInfo, alias: &str) -> Result<MindInfo> {
    if app.settings.model.value == IMPROVISER {
        Ok(main.clone())
    } else {
        mind_info(app, alias)
    }
}

/// Connects a story to the tools that it names. One that can't begin leaves no save.
pub(crate) async fn connected(app: &App, mut session: Session) -> Result<(Session, ToolServers)> {
    let engine = &mut session.engine;
    let error = match connect_tools(app, engine).await {
        Ok(servers) => {
            let may_lack_servers = engine.settings.without_servers;
            let unknown = unknown_tools(&mut engine.world, may_lack_servers);
            let Some(unknown) = unknown.into_iter().next() else {
                return Ok((session, servers));
            };
            servers.close().await;
            unknown.into()
        }
        Err(error) => error,
    };
    session.give_up()?;
    Err(error)
}

/// Starts the servers whose tools entities of a world may call, and gives web tools the permissions
/// of the model file. The improviser calls no server, so none is started for it.
async fn connect_tools(app: &App, engine: &mut Engine) -> Result<ToolServers> {
    let mut sets = engine.world.query::<&ToolSet>();
    let names = sets.iter(&engine.world).flat_map(|set| set.0.clone());
    let names: BTreeSet<_> = names.collect();
    if names.is_empty() {
        return Ok(ToolServers::default());
    }
    let models = app.models()?;
    allow_web(&models, &mut engine.world.resource_mut::<Toolbox>());
    if app.settings.model.value == IMPROVISER {
        engine.settings.without_servers = true;
        return Ok(ToolServers::default());
    }
    let servers: BTreeSet<_> = names
        .iter()
        .filter_map(|name| ToolSet::server_of(name))
        .collect();
    let plans = models.tool_servers(servers).or_fail(ErrorKind::Server)?;
    let servers = ToolServers::connect(plans)
        .await
        .or_fail(ErrorKind::Server)?;
    servers.add_to(&mut engine.world.resource_mut::<Toolbox>());
    Ok(servers)
}

/// Lets the tools of the web do what the model file allows. A build without `web` has none.
pub(crate) fn allow_web(models: &crate::mind::models::Models, toolbox: &mut Toolbox) {
    #[cfg(feature = "web")]
    crate::tool::allow_web(toolbox, &models.web());
    #[cfg(not(feature = "web"))]
    let _ = (models, toolbox);
}

/// The actor whom a person wants to play.
pub(crate) fn actor(world: &mut World, name: &str) -> Result<StableId> {
    let mut entities = world.query::<(&EntityName, &Kind, &StableId)>();
    let actors: Vec<_> = entities
        .iter(world)
        .filter(|(_, kind, _)| **kind == Kind::Actor)
        .map(|(name, _, id)| (name.to_string(), *id))
        .collect();
    if let Some((_, id)) = actors.iter().find(|(known, _)| known == name) {
        return Ok(*id);
    }
    let names = || actors.iter().map(|(name, _)| name.as_str());
    let help = did_you_mean(name, names()).unwrap_or_else(|| {
        let names = Argument::list(names());
        text!(cli_expected_one_of, names)
    });
    Err(CommandError::usage(text!(cli_no_such_actor, name)).help(help))
}
