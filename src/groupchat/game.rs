//! A team becomes a world that can be played, saved and replayed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;

use super::as_tool::{TeamTool, register};
use super::guards::{AtAnswers, ForgedSpeakers, TeamSecrets};
use super::message::MessageFactory;
use super::stage::{CONTROL_MESSAGE, Chat, Teams, register_handoffs, transfer_tool};
use super::team::{FOLDER, Kind, Participant, TeamFile, ToolTeam};
use super::{Functions, phrases, plugin};
use crate::cast::{Kind as What, SpawnSpec, spawn};
use crate::context::View;
use crate::engine::Setup;
use crate::event::Phrasebook;
use crate::event::guard::{
    ForgedMarks, Guard, Guards, LengthLimit, SecretAction, SecretRule, Secrets,
};
use crate::message::{Digest, Text};
use crate::mind::{MindAlias, Minds};
use crate::save::Meta;
use crate::session::Game;
use crate::tool::code::CodePolicy;
use crate::tool::{self, TABLES, Table, ToolSet, Toolbox};
use crate::world_data::{DataFolder, Problem, Problems};

/// The longest message that reaches anybody, in characters.
const LONGEST: usize = 100_000;

type AddTools = Arc<dyn Fn(&mut Toolbox) + Send + Sync>;
type MakeGuards = Arc<dyn Fn() -> Vec<Box<dyn Guard>> + Send + Sync>;

/// A team that was read and checked, ready to be set up as often as needed.
#[derive(Clone)]
pub struct ChatGame {
    teams: Teams,
    /// How it is chosen: `teams/en/writing-desk`; of a team that was built by hand its name.
    path: String,
    /// The files of the data folder that it is made of, but for its own.
    files: Vec<String>,
    /// Everything that a mind reads.
    fingerprint: String,
    /// What is odd about it and yet no mistake.
    pub warnings: Vec<Problem>,
    phrases: Phrasebook,
    guards: Option<MakeGuards>,
    tools: Option<AddTools>,
    /// The tables that the team's tools look things up in, by the names of those.
    tables: Arc<BTreeMap<String, Table>>,
    code: CodePolicy,
    /// Teams that participants call as tools, with names and what minds are told of them.
    team_tools: Vec<(String, String, TeamTool)>,
    /// Those that its file has, in the order of the file.
    file_tools: Vec<(ToolTeam, ChatGame)>,
    /// Who answers in those.
    minds: Option<Minds>,
}

impl ChatGame {
    /// Reads the team in `teams/<path>.ron` and its prompts.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn load(data: &DataFolder, path: &str) -> Result<Self, Problems> {
        let (team, warnings) = TeamFile::load(data, path)?;
        let in_data = |error| Problems::from(Problem::from(error));
        let mut game = Self::of(data, team)?;
        let mut files = game.files.clone();
        files.push(format!("{FOLDER}/{path}.ron"));
        let fingerprint = data.fingerprint(&files).map_err(in_data)?;
        game.path = format!("{FOLDER}/{path}");
        game.fingerprint = fingerprint;
        game.warnings.extend(warnings);
        Ok(game)
    }

    /// Reads a team from a file outside the data folder, with the prompts of the data folder.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn load_alone(data: &DataFolder, file: &str, text: &str) -> Result<Self, Problems> {
        let (team, warnings) = TeamFile::parse(file, text)?;
        let mut game = Self::of(data, team)?;
        game.path = file.to_owned();
        game.warnings.extend(warnings);
        Ok(game)
    }

    /// A team that was built by hand, with the prompts of the data folder.
    ///
    /// # Errors
    /// Every mistake in them.
    pub fn of(data: &DataFolder, team: TeamFile) -> Result<Self, Problems> {
        let problems = team.check();
        let ((), warnings) = problems.unless_errors(())?;
        let (phrases, more) = phrases::load(data, team.language)?;
        let in_data = |error| Problems::from(Problem::from(error));
        let mut files = phrases::files(data, team.language).map_err(in_data)?;
        let tables = tables_of(data, &team)?;
        files.extend(tables.keys().map(|name| Table::path(team.language, name)));
        let file_tools = team.tool_teams().map(|tool| {
            let game = Self::of(data, tool.team.clone())?;
            Ok((tool.clone(), game))
        });
        let file_tools: Vec<(ToolTeam, Self)> = file_tools.collect::<Result<_, Problems>>()?;
        files.extend(file_tools.iter().flat_map(|(_, game)| game.files.clone()));
        let prompts = data.fingerprint(&files).map_err(in_data)?;
        let own = serde_json::to_vec(&team).unwrap_or_default();
        Ok(Self {
            path: team.name.clone(),
            files,
            fingerprint: format!("{}-{prompts}", Digest::of(&own)),
            warnings: warnings.into_iter().chain(more).collect(),
            phrases,
            guards: None,
            tools: None,
            tables: Arc::new(tables),
            code: CodePolicy::default(),
            team_tools: Vec::new(),
            file_tools,
            minds: None,
            teams: Teams::new(team, Functions::default(), MessageFactory::new()),
        })
    }

    /// The same game with functions that its team asks for.
    #[must_use]
    pub fn with_functions(self, functions: Functions) -> Self {
        self.with_all(|game| game.teams.functions = functions.clone())
    }

    /// The same game with message types of a user's own.
    #[must_use]
    pub fn with_messages(self, factory: MessageFactory) -> Self {
        self.with_all(|game| game.teams.factory = factory.clone())
    }

    /// The same game with guards of a user's own behind the built-in ones.
    #[must_use]
    pub fn with_guards(
        self,
        guards: impl Fn() -> Vec<Box<dyn Guard>> + Send + Sync + 'static,
    ) -> Self {
        let guards: MakeGuards = Arc::new(guards);
        self.with_all(|game| game.guards = Some(guards.clone()))
    }

    /// The same game with tools of a user's own beside those that come along.
    #[must_use]
    pub fn with_tools(self, tools: impl Fn(&mut Toolbox) + Send + Sync + 'static) -> Self {
        let tools: AddTools = Arc::new(tools);
        self.with_all(|game| game.tools = Some(tools.clone()))
    }

    /// The same game with a team, or one agent, that participants may call as the tool of this name.
    #[must_use]
    pub fn with_team_tool(mut self, name: &str, about: &str, tool: TeamTool) -> Self {
        self.team_tools.push((name.into(), about.into(), tool));
        self
    }

    /// The same game, running code under this policy; scripts in the sandbox alone unless told.
    #[must_use]
    pub fn with_code(self, policy: CodePolicy) -> Self {
        self.with_all(|game| game.code = policy.clone())
    }

    /// The same game, with those who answer in the teams that its file lets participants call as tools. A
    /// [`super::Team`] gives its own minds; without any those tools can't be called, which a replay never
    /// does.
    #[must_use]
    pub fn with_tool_minds(mut self, minds: &Minds) -> Self {
        self.minds = Some(minds.clone());
        self
    }

    /// The same game, and those of teams called as tools, changed alike.
    fn with_all(mut self, change: impl Fn(&mut Self)) -> Self {
        fn walk(game: &mut ChatGame, change: &impl Fn(&mut ChatGame)) {
            change(game);
            let tools = game.file_tools.iter_mut();
            tools.for_each(|(_, inner)| walk(inner, change));
        }
        walk(&mut self, &change);
        self
    }

    /// The outermost team.
    pub fn team(&self) -> &TeamFile {
        &self.teams.root
    }

    fn guards(&self) -> Guards {
        let secrets = self.team().all();
        let secrets = secrets.iter().flat_map(|team| &team.secrets);
        let secrets = secrets.map(|text| SecretRule {
            text: text.clone(),
            mask: None,
            action: SecretAction::Mask,
        });
        let teams = self.team().all();
        let mut names: Vec<&str> = teams.iter().flat_map(|team| team.names()).collect();
        names.extend(teams.iter().map(|team| team.name.as_str()));
        names.push(&self.team().user);
        let mut guards = Guards::none();
        guards
            .add(TeamSecrets(Secrets::new(secrets)))
            .add(AtAnswers(ForgedMarks))
            .add(ForgedSpeakers::new(names))
            .add(AtAnswers(LengthLimit { chars: LONGEST }));
        for guard in self.guards.iter().flat_map(|make| make()) {
            guards.add_boxed(guard);
        }
        guards
    }
}

impl Game for ChatGame {
    fn meta(&self) -> Meta {
        Meta {
            world: self.path.clone(),
            data: self.fingerprint.clone(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, String> {
        let mut setup = Setup::new(seed);
        setup.world.insert_resource(self.phrases.clone());
        setup.world.insert_resource(self.team().language);
        setup.world.insert_resource(self.teams.clone());
        setup.world.insert_resource(self.guards());
        let mut toolbox = setup.world.get_resource_or_init::<Toolbox>();
        tool::code::register(&mut toolbox, &self.code);
        for (name, table) in self.tables.iter() {
            toolbox.add_table(name, table.clone());
        }
        for (file, game) in &self.file_tools {
            let tool = self.minds.as_ref().map(|minds| TeamTool {
                game: game.clone(),
                minds: minds.clone(),
                return_value_as_last_message: file.return_value_as_last_message,
            });
            register(tool.as_ref(), &mut toolbox, &file.name, file.description());
        }
        for (name, about, tool) in &self.team_tools {
            tool.register(&mut toolbox, name, about);
        }
        if let Some(add) = &self.tools {
            add(&mut toolbox);
        }
        for team in self.team().all() {
            register_handoffs(team, &self.phrases, &mut toolbox);
        }
        setup.plugin(plugin);
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), String> {
        let rules = match self.team().rules.trim_end() {
            "" => None,
            rules => Some(Arc::new(Text::from(format!("{rules}\n\n")))),
        };
        for team in self.team().all() {
            enter_team(&mut setup.world, team, rules.as_ref())?;
        }
        let root = self.team();
        if root.participant(&root.user).is_none() {
            enter(
                &mut setup.world,
                &root.user,
                What::Actor,
                Some(&root.name),
                None,
                "",
            )?;
        }
        if root.needs_watch() {
            enter(
                &mut setup.world,
                CONTROL_MESSAGE,
                What::Actor,
                Some(&root.name),
                None,
                "",
            )?;
        }
        Ok(())
    }
}

/// The tables of the data folder that a team's tools are.
fn tables_of(data: &DataFolder, team: &TeamFile) -> Result<BTreeMap<String, Table>, Problems> {
    let folder = format!("{TABLES}/{}", team.language.code());
    let known = data.files(&folder).unwrap_or_default();
    let teams = team.all();
    let participants = teams.iter().flat_map(|team| &team.participants);
    let names = participants.flat_map(|one| &one.tools);
    let names = names.filter(|name| known.contains(&Table::path(team.language, name)));
    let names: BTreeSet<&String> = names.collect();
    let tables = names.into_iter();
    let tables = tables.map(|name| Ok((name.clone(), Table::load(data, team.language, name)?)));
    tables.collect()
}

fn enter_team(world: &mut World, team: &TeamFile, rules: Option<&Arc<Text>>) -> Result<(), String> {
    let stage = enter(world, &team.name, What::Stage, None, None, "")?;
    world.entity_mut(stage).insert(Chat::default());
    prefer(world, stage, &team.model);
    for one in &team.participants {
        if one.kind != Kind::Team {
            enter_participant(world, team, one, rules)?;
        }
    }
    Ok(())
}

fn enter_participant(
    world: &mut World,
    team: &TeamFile,
    one: &Participant,
    rules: Option<&Arc<Text>>,
) -> Result<(), String> {
    let stage = (!one.absent).then_some(team.name.as_str());
    let system = one.system_message.trim();
    let entity = enter(world, &one.name, What::Actor, stage, rules.cloned(), system)?;
    prefer(world, entity, &one.model);
    if !one.tools.is_empty() {
        let transfers = one.handoffs.iter().map(|to| transfer_tool(&to.target));
        let all = one
            .tools
            .iter()
            .cloned()
            .chain(transfers)
            .map(Arc::<str>::from);
        world.entity_mut(entity).insert(ToolSet(all.collect()));
    }
    if one.view != View::Whole {
        world.entity_mut(entity).insert(one.view.clone());
    }
    Ok(())
}

fn enter(
    world: &mut World,
    name: &str,
    kind: What,
    stage: Option<&str>,
    rules: Option<Arc<Text>>,
    identity: &str,
) -> Result<Entity, String> {
    let newcomer = SpawnSpec {
        name: name.into(),
        kind,
        rules,
        identity: identity.to_owned(),
        stage: stage.map(Into::into),
    };
    spawn(world, newcomer).map_err(|error| error.to_string())
}

fn prefer(world: &mut World, entity: Entity, model: &str) {
    if !model.is_empty() {
        world.entity_mut(entity).insert(MindAlias(model.into()));
    }
}
