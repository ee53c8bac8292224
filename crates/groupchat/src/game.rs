//! A team as a game: a world that can be played, saved and replayed.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

// Recursive: a game holds the games of teams that are tools.
use playhouse_engine::cast::{CastError, CastList, Kind, SpawnSpec, set_system_message, spawn};
use playhouse_engine::context::View;
use playhouse_engine::engine::{EngineError, MeetSet, Setup, unknown_tools};
use playhouse_engine::event::Phrasebook;
use playhouse_engine::event::guard::{
    ForgedMarks, Guard, Guards, LengthLimit, SecretRule, Secrets,
};
use playhouse_engine::journal::{GameSetup, Line};
use playhouse_engine::locale::{Argument, UiText, text};
use playhouse_engine::message::{Digest, Language, Text};
use playhouse_engine::mind::{MindAlias, Minds};
use playhouse_engine::save::Meta;
use playhouse_engine::session::{
    EmbeddedFiles, EmbeddedGame, Game, SetupError, take_data, take_told,
};
use playhouse_engine::world_data::{DataFolder, Problem, Problems};
use playhouse_tools::code::CodePolicy;
use playhouse_tools::{self as tool, TABLES, Table, ToolSet, Toolbox};

use super::as_tool::{TeamTool, register};
use super::autogen_state::team_state;
use super::functions::Functions;
use super::guards::{AtAnswers, TeamSecrets};
use super::message::MessageFactory;
use super::names::transfer_tool;
use super::prompts;
use super::saved_state::{adapt_chats, check_participants};
use super::stage::{self, CONTROLLER, Chat, Teams, register_handoffs, register_remember};
use super::team::{FOLDER, Participant, ParticipantKind, TeamFile, ToolTeam};

/// The maximum number of characters of a message that others hear.
const MAX_MESSAGE_CHARS: usize = 100_000;

type AddTools = Arc<dyn Fn(&mut Toolbox) + Send + Sync>;
type MakeGuards = Arc<dyn Fn() -> Vec<Box<dyn Guard>> + Send + Sync>;

/// A team that was loaded and checked, from which worlds are set up.
#[derive(Clone)]
#[must_use]
pub struct ChatGame {
    teams: Teams,
    /// `teams/en/writing-desk`, or the name of a team that was built in code.
    path: String,
    /// A digest of everything that a mind may read.
    fingerprint: String,
    /// Its prompts and tables that are not as the program has them.
    files: EmbeddedFiles,
    /// Problems that do not prevent playing.
    pub warnings: Vec<Problem>,
    phrases: Phrasebook,
    guards: Option<MakeGuards>,
    tools: Option<AddTools>,
    /// The tables of the tools that look something up, by the names of the tools.
    tables: Arc<BTreeMap<String, Arc<Table>>>,
    code: CodePolicy,
    /// Teams that participants call as tools, with names and descriptions of the tools.
    team_tools: Vec<(String, String, TeamTool)>,
    /// The games of those of the team file, in order.
    file_tools: Vec<ChatGame>,
    /// The minds of those of the team file.
    tool_minds: Option<Minds>,
}

impl ChatGame {
    /// Loads `teams/<path>.ron` and its prompts.
    pub fn load(data: &DataFolder, path: &str) -> Result<Self, Problems> {
        let (team, warnings) = TeamFile::load(data, path)?;
        let mut game = Self::new(data, team)?;
        game.path = format!("{FOLDER}/{path}");
        game.warnings.extend(warnings);
        Ok(game)
    }

    /// Reads the text of a team file that is outside the data folder, with the prompts of the data
    /// folder; `file` names it.
    pub fn parse(data: &DataFolder, file: &str, text: &str) -> Result<Self, Problems> {
        let (team, warnings) = TeamFile::parse(file, text)?;
        let mut game = Self::new(data, team)?;
        game.path = file.to_owned();
        game.warnings.extend(warnings);
        Ok(game)
    }

    /// A team that was built in code, with the prompts of the data folder.
    pub fn new(data: &DataFolder, team: TeamFile) -> Result<Self, Problems> {
        let ((), mut warnings) = team.check().unless_errors(())?;
        let (loaded, prompt_warnings) = Loaded::of(data, &team)?;
        warnings.extend(prompt_warnings);
        let files = loaded.files(data)?;
        let prompts = data.fingerprint(&files).map_err(Problem::from)?;
        let own = serde_json::to_vec(&team).unwrap_or_default();
        let fingerprint = format!("{}-{prompts}", Digest::of(&own));
        Ok(Self {
            files: EmbeddedFiles::of(data, &files).map_err(Problem::from)?,
            warnings: warnings.into_iter().collect(),
            ..Self::of_loaded(&loaded, team, &fingerprint)
        })
    }

    /// A team that was checked; `fingerprint` is that of the outermost one.
    fn of_loaded(loaded: &Loaded, team: TeamFile, fingerprint: &str) -> Self {
        let inner = |tool: &ToolTeam| Self::of_loaded(loaded, tool.team.clone(), fingerprint);
        Self {
            path: team.name.clone(),
            fingerprint: fingerprint.to_owned(),
            files: EmbeddedFiles::default(),
            warnings: Vec::new(),
            phrases: loaded.phrases_of(&team),
            guards: None,
            tools: None,
            tables: Arc::new(loaded.tables_of(&team)),
            code: CodePolicy::default(),
            team_tools: Vec::new(),
            file_tools: team.tool_teams().map(inner).collect(),
            tool_minds: None,
            teams: Teams::new(team),
        }
    }

    /// Provides the functions that the team file names.
    pub fn with_functions(self, functions: Functions) -> Self {
        self.with_each(|game| game.teams.functions = functions.clone())
    }

    /// Provides further message types.
    pub fn with_messages(self, factory: MessageFactory) -> Self {
        self.with_each(|game| game.teams.factory = factory.clone())
    }

    /// Adds guards after the built-in ones.
    pub fn with_guards(
        self,
        guards: impl Fn() -> Vec<Box<dyn Guard>> + Send + Sync + 'static,
    ) -> Self {
        let guards: MakeGuards = Arc::new(guards);
        self.with_each(|game| game.guards = Some(guards.clone()))
    }

    /// Adds tools to the built-in ones.
    pub fn with_tools(self, tools: impl Fn(&mut Toolbox) + Send + Sync + 'static) -> Self {
        let tools: AddTools = Arc::new(tools);
        self.with_each(|game| game.tools = Some(tools.clone()))
    }

    /// Adds a team that participants may call as the tool of this name. A team of one is an agent
    /// as a tool.
    pub fn with_team_tool(mut self, name: &str, about: &str, tool: TeamTool) -> Self {
        self.team_tools.push((name.into(), about.into(), tool));
        self
    }

    /// Sets the policy for code. By default only scripts in the sandbox run.
    pub fn with_code(self, policy: CodePolicy) -> Self {
        self.with_each(|game| game.code = policy.clone())
    }

    /// Sets the minds of the teams that the team file offers as tools; a [`super::Team`] uses its
    /// own. Without minds these tools can't be called; a replay never does.
    pub fn with_tool_minds(mut self, minds: &Minds) -> Self {
        self.tool_minds = Some(minds.clone());
        self
    }

    /// The tools that participants name and nobody provides, those of teams that are tools
    /// included. Tools of servers are not looked for.
    pub fn unknown_tools(&self) -> Result<Vec<EngineError>, SetupError> {
        let mut setup = self.set_up(0)?;
        self.populate(&mut setup)?;
        let mut unknown = unknown_tools(&mut setup.world, true);
        for tool in &self.file_tools {
            unknown.extend(tool.unknown_tools()?);
        }
        Ok(unknown)
    }

    /// Changes the game and those of the teams that its team file offers as tools.
    fn with_each(mut self, change: impl Fn(&mut Self)) -> Self {
        fn walk(game: &mut ChatGame, change: &impl Fn(&mut ChatGame)) {
            change(game);
            let tools = game.file_tools.iter_mut();
            tools.for_each(|inner| walk(inner, change));
        }
        walk(&mut self, &change);
        self
    }

    pub fn team(&self) -> &TeamFile {
        &self.teams.outermost
    }

    fn guards(&self) -> Guards {
        let teams = self.team().nested();
        let secrets = teams
            .iter()
            .flat_map(|team| &team.secrets)
            .map(|text| SecretRule {
                text: text.clone(),
                ..SecretRule::default()
            });
        let mut guards = Guards::none();
        guards
            .add(TeamSecrets(Secrets::new(secrets)))
            .add(AtAnswers(ForgedMarks))
            .add(AtAnswers(LengthLimit {
                chars: MAX_MESSAGE_CHARS,
            }));
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

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        let mut setup = Setup::new(seed);
        tool::register(&mut setup.world.resource_mut::<Toolbox>());
        self.insert(&mut setup.world);
        setup.plugin(stage::plugin);
        let before_inputs = take_edits.before(stage::take_inputs).before(take_told);
        setup.meet.add_systems(before_inputs.in_set(MeetSet::Rules));
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        Ok(spawn_teams(&mut setup.world, self.team())?)
    }

    /// The team, and those of its prompts and tables that are not as the program has them.
    fn game_setup(&self, _seed: u64) -> Option<GameSetup> {
        let embedded = EmbeddedTeam {
            team: self.team().clone(),
            data: self.fingerprint.clone(),
            files: self.files.clone(),
        };
        embedded.to_setup()
    }

    fn embedded(&self, setup: &GameSetup, data: &str) -> Option<Box<dyn Game>> {
        let embedded = EmbeddedTeam::of_setup(setup, data)?;
        Some(Box::new(self.of_embedded(&embedded).ok()?))
    }

    /// A world fits every team with the same participants; a graph or a ledger that a run is in the
    /// middle of begins anew if it is another one.
    fn adapt(&self, world: &mut World) -> Result<Vec<UiText>, Option<SetupError>> {
        let old = world.resource::<Teams>().outermost.clone();
        check_participants(world, None, self.team()).map_err(|changed| Some(changed.into()))?;
        Ok(changes(&old, self.team()))
    }
}

impl ChatGame {
    /// The team in the lines of a journal that has this fingerprint, in the place of this one;
    /// `None` if they keep none.
    pub fn embedded_in(lines: &[Line], path: &str, data: &str) -> Option<Result<Self, Problems>> {
        let embedded = EmbeddedTeam::find(lines, data)?;
        let data = embedded.folder(path);
        let game = data.and_then(|data| Self::new(&data, embedded.team));
        Some(game.map(|game| Self {
            path: path.to_owned(),
            ..game
        }))
    }

    /// A team that a journal embeds, with what this one has from code. No file is opened.
    fn of_embedded(&self, embedded: &EmbeddedTeam) -> Result<Self, Problems> {
        let data = embedded.folder(&self.path)?;
        let game = Self::new(&data, embedded.team.clone())?.with_each(|game| {
            game.teams.functions = self.teams.functions.clone();
            game.teams.factory = self.teams.factory.clone();
            game.guards.clone_from(&self.guards);
            game.tools.clone_from(&self.tools);
            game.code = self.code.clone();
        });
        Ok(Self {
            path: self.path.clone(),
            team_tools: self.team_tools.clone(),
            tool_minds: self.tool_minds.clone(),
            ..game
        })
    }

    /// Adds what it provides to a world, without a cast.
    fn insert(&self, world: &mut World) {
        world.insert_resource(self.phrases.clone());
        world.insert_resource(self.team().language);
        world.insert_resource(self.teams.clone());
        world.insert_resource(self.guards());
        world.insert_resource(PlayedGame(self.clone()));
        let mut toolbox = world.get_resource_or_init::<Toolbox>();
        tool::code::register(&mut toolbox, &self.code);
        for (name, table) in self.tables.iter() {
            toolbox.add_table(name, Table::clone(table));
        }
        for (tool, game) in self.team().tool_teams().zip(&self.file_tools) {
            let team_tool = self.tool_minds.as_ref().map(|minds| TeamTool {
                game: game.clone(),
                minds: minds.clone(),
                return_value_as_last_message: tool.return_value_as_last_message,
            });
            register(team_tool, &mut toolbox, &tool.name, tool.description());
        }
        for (name, about, tool) in &self.team_tools {
            register(Some(tool.clone()), &mut toolbox, name, about);
        }
        if let Some(add) = &self.tools {
            add(&mut toolbox);
        }
        register_remember(&self.phrases, &mut toolbox);
        for team in self.team().nested() {
            register_handoffs(team, &self.phrases, &mut toolbox);
        }
    }

    /// Puts it in the place of the team that a world plays.
    fn fit(&self, world: &mut World) -> Result<(), SetupError> {
        let old = world.resource::<Teams>().outermost.clone();
        check_participants(world, None, self.team())?;
        let state = team_state(world, &old);
        self.insert(world);
        Ok(self.adapt_world(world, Some(&state))?)
    }

    /// Gives a restored world with the same participants the settings of this team.
    pub(super) fn adapt_world(
        &self,
        world: &mut World,
        state: Option<&Value>,
    ) -> Result<(), CastError> {
        world.insert_resource(self.team().language);
        equip_teams(world, self.team())?;
        adapt_chats(world, state, self.team());
        Ok(())
    }
}

/// The game that is played. A team that takes its place has its functions, tools and minds.
#[derive(Resource)]
struct PlayedGame(ChatGame);

/// Takes over what its author has changed in the team while it is played.
fn take_edits(world: &mut World) {
    take_data(world, |world, embedded: &EmbeddedTeam| {
        let played = &world.resource::<PlayedGame>().0;
        played.of_embedded(embedded)?.fit(world)
    });
}

/// What a journal embeds of a team, so that its conversation needs no file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbeddedTeam {
    team: TeamFile,
    data: String,
    /// The prompts and tables that are not as the program has them.
    files: EmbeddedFiles,
}

impl EmbeddedGame for EmbeddedTeam {
    const NAME: &'static str = "team";

    fn fingerprint(&self) -> &str {
        &self.data
    }
}

impl EmbeddedTeam {
    /// The data folder of its files; `path` is that of the team.
    fn folder(&self, path: &str) -> Result<DataFolder, Problems> {
        let tables = format!("{TABLES}/");
        let data = self.files.folder("", &["prompts/", &tables]);
        data.map_err(|message| Problem::of_file(path, message, UiText::default()).into())
    }
}

/// The differences between teams with the same participants.
fn changes(old: &TeamFile, new: &TeamFile) -> Vec<UiText> {
    let participants = |team: &TeamFile| {
        let teams = team.nested().into_iter();
        let participants = teams.flat_map(|team| &team.participants);
        let named = participants.map(|participant| (participant.name.clone(), participant.clone()));
        named.collect::<BTreeMap<_, _>>()
    };
    let (before, after) = (participants(old), participants(new));
    let changed = after
        .into_iter()
        .filter(|(name, now)| before.get(name) != Some(now));
    let names: Vec<_> = changed.map(|(name, _)| name).collect();
    if !names.is_empty() {
        vec![text!(
            groupchat_changed_participants,
            names = Argument::list(&names)
        )]
    } else if old == new {
        vec![text!(session_changed_prompts)]
    } else {
        vec![text!(groupchat_changed_settings)]
    }
}

/// The prompts and tables of a team and of those that it calls as tools, each loaded once.
#[derive(Default)]
struct Loaded {
    phrases: BTreeMap<Language, Phrasebook>,
    tables: BTreeMap<(Language, String), Arc<Table>>,
}

impl Loaded {
    /// With the problems of the prompts.
    fn of(data: &DataFolder, team: &TeamFile) -> Result<(Self, Problems), Problems> {
        let mut loaded = Self::default();
        let mut warnings = Problems::new();
        let mut table_files = BTreeSet::new();
        for team in team.with_tool_teams() {
            let language = team.language;
            if let Entry::Vacant(missing) = loaded.phrases.entry(language) {
                let (phrases, found) = prompts::load(data, language)?;
                missing.insert(phrases);
                warnings.extend(found);
                let folder = format!("{TABLES}/{}", language.code());
                table_files.extend(data.files(&folder).unwrap_or_default());
            }
            for name in tools_of(team) {
                let key = (language, name.to_owned());
                let is_file = table_files.contains(&Table::path(language, name));
                if is_file && !loaded.tables.contains_key(&key) {
                    let table = Table::load(data, language, name)?;
                    loaded.tables.insert(key, Arc::new(table));
                }
            }
        }
        Ok((loaded, warnings))
    }

    /// Their files in the data folder, sorted.
    fn files(&self, data: &DataFolder) -> Result<Vec<String>, Problems> {
        let mut files = BTreeSet::new();
        for language in self.phrases.keys() {
            files.extend(prompts::files(data, *language).map_err(Problem::from)?);
        }
        let tables = self.tables.keys();
        files.extend(tables.map(|(language, name)| Table::path(*language, name)));
        Ok(files.into_iter().collect())
    }

    fn phrases_of(&self, team: &TeamFile) -> Phrasebook {
        let phrases = self.phrases.get(&team.language);
        phrases.cloned().unwrap_or_default()
    }

    /// The tables that participants use as tools, by the names of the tools.
    fn tables_of(&self, team: &TeamFile) -> BTreeMap<String, Arc<Table>> {
        let tables = tools_of(team).filter_map(|name| {
            let table = self.tables.get(&(team.language, name.to_owned()))?;
            Some((name.to_owned(), table.clone()))
        });
        tables.collect()
    }
}

/// The tools of the participants of a team and of its inner teams.
fn tools_of(team: &TeamFile) -> impl Iterator<Item = &str> {
    let teams = team.nested().into_iter();
    let participants = teams.flat_map(|team| &team.participants);
    let tools = participants.flat_map(|participant| &participant.tools);
    tools.map(String::as_str)
}

/// Spawns the stages and actors of all teams.
fn spawn_teams(world: &mut World, outermost: &TeamFile) -> Result<(), CastError> {
    let rules = rules(outermost);
    for team in outermost.nested() {
        let stage = spawn(world, spawn_spec(&team.name, Kind::Stage))?;
        world.entity_mut(stage).insert(Chat::default());
        for participant in &team.participants {
            // A team that takes part is a stage of its own.
            if participant.kind != ParticipantKind::Team {
                let stage = (!participant.absent).then_some(team.name.as_str());
                let actor = SpawnSpec {
                    rules: rules.clone(),
                    identity: participant.system_message.trim().to_owned(),
                    stage: stage.map(Into::into),
                    ..spawn_spec(&participant.name, Kind::Actor)
                };
                spawn(world, actor)?;
            }
        }
    }
    if outermost.participant(&outermost.user).is_none() {
        spawn_outside(world, outermost, &outermost.user)?;
    }
    equip_teams(world, outermost)
}

/// Spawns an actor on the outermost stage who takes no part.
fn spawn_outside(world: &mut World, outermost: &TeamFile, name: &str) -> Result<(), CastError> {
    let outside = SpawnSpec {
        stage: Some(outermost.name.as_str().into()),
        ..spawn_spec(name, Kind::Actor)
    };
    spawn(world, outside).map(|_| ())
}

/// Gives everybody in a world the settings of a team: models, tools, views and system messages, and
/// the controller if it needs one.
fn equip_teams(world: &mut World, outermost: &TeamFile) -> Result<(), CastError> {
    let rules = rules(outermost);
    let found = |world: &World, name: &str| world.resource::<CastList>().by_name(name);
    for team in outermost.nested() {
        if let Some(stage) = found(world, &team.name) {
            set_model(world, stage, &team.model);
            set_view(world, stage, team.selection.view());
        }
        for participant in &team.participants {
            let entity = found(world, &participant.name)
                .filter(|_| participant.kind != ParticipantKind::Team);
            if let Some(entity) = entity {
                equip(world, entity, participant);
                let identity = participant.system_message.trim();
                set_system_message(world, entity, rules.as_ref(), identity);
            }
        }
    }
    if outermost.needs_control() && found(world, CONTROLLER).is_none() {
        spawn_outside(world, outermost, CONTROLLER)?;
    }
    Ok(())
}

/// The beginning of every system message.
fn rules(outermost: &TeamFile) -> Option<Arc<Text>> {
    match outermost.rules.trim_end() {
        "" => None,
        rules => Some(Arc::new(Text::from(format!("{rules}\n\n")))),
    }
}

fn equip(world: &mut World, entity: Entity, participant: &Participant) {
    set_model(world, entity, &participant.model);
    set_view(world, entity, participant.view.clone());
    let mut entity = world.entity_mut(entity);
    entity.remove::<ToolSet>();
    if !participant.tools.is_empty() {
        let handoffs = participant.handoffs.iter();
        let transfers = handoffs.map(|handoff| transfer_tool(&handoff.target));
        let tools = participant
            .tools
            .iter()
            .cloned()
            .chain(transfers)
            .map(Arc::<str>::from);
        entity.insert(ToolSet(tools.collect()));
    }
}

fn spawn_spec(name: &str, kind: Kind) -> SpawnSpec {
    SpawnSpec {
        name: name.into(),
        kind,
        rules: None,
        identity: String::new(),
        stage: None,
    }
}

fn set_view(world: &mut World, entity: Entity, view: View) {
    let mut entity = world.entity_mut(entity);
    entity.remove::<View>();
    if view != View::Whole {
        entity.insert(view);
    }
}

fn set_model(world: &mut World, entity: Entity, model: &str) {
    let mut entity = world.entity_mut(entity);
    entity.remove::<MindAlias>();
    if !model.is_empty() {
        entity.insert(MindAlias(model.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_that_are_tools_share_the_prompts_of_their_language() {
        let solo = |name: &str| TeamFile::new(name, [Participant::named(format!("{name}'s"))]);
        let mut team = solo("outer").with_max_turns(1);
        for (name, language) in [
            ("a", Language::En),
            ("b", Language::Zh),
            ("c", Language::Zh),
        ] {
            let mut tool = solo(name).with_max_turns(1);
            tool.language = language;
            team.team_tools.push(ToolTeam {
                name: name.into(),
                about: name.into(),
                team: tool,
                ..ToolTeam::default()
            });
        }
        let data = DataFolder::embedded();
        let (loaded, _) = Loaded::of(&data, &team).expect("is right");
        assert_eq!(loaded.phrases.len(), 2);
        let files = loaded.files(&data).expect("are there");
        assert!(files.iter().any(|file| file.starts_with("prompts/zh/")));
        let game = ChatGame::new(&data, team).expect("is right");
        assert_eq!(game.file_tools.len(), 3);
        assert!(
            game.file_tools
                .iter()
                .all(|tool| tool.fingerprint == game.fingerprint)
        );
    }
}
