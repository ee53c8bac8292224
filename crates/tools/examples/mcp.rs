//! Tools of a server: a librarian looks a title up on a Model Context Protocol server.
//!
//! Run it with `cargo run --example mcp`. The server is this same program, started with `serve` as
//! a child process; any other server would do. In the program `playhouse`, servers are defined in
//! the model file, and a world gives an actor their tools: `tools: ["library.*"]`.
#![expect(clippy::print_stdout, reason = "it prints what happened")]

use std::time::Duration;

use playhouse_engine::mind::ExchangeRound;
use playhouse_engine::prelude::*;
use playhouse_tools::servers::{ChildEnvironment, ServerPlan, ToolServer, ToolServers};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};

// --- The server ---------------------------------------------------------------------------------

#[derive(Clone)]
struct Library {
    tool_router: ToolRouter<Self>,
}

#[derive(Deserialize, JsonSchema)]
struct Title {
    /// The title of a book.
    title: String,
}

#[derive(Deserialize, JsonSchema)]
struct Nap {
    /// How long to sleep.
    seconds: u64,
}

#[tool_router]
impl Library {
    #[tool(description = "Says on which shelf a book stands.")]
    fn find_book(&self, Parameters(asked): Parameters<Title>) -> Result<String, String> {
        match asked.title.to_lowercase().as_str() {
            "the tides" => Ok("Third shelf, beside the window.".into()),
            title => Err(format!("There is no book called '{title}'.")),
        }
    }

    #[tool(description = "Counts the books.")]
    fn count_books(&self) -> String {
        "1".into()
    }

    #[tool(description = "Sleeps, to test how long clients wait.")]
    async fn nap(&self, Parameters(nap): Parameters<Nap>) -> String {
        tokio::time::sleep(Duration::from_secs(nap.seconds)).await;
        "Slept well.".into()
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Library {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let library = Library {
        tool_router: Library::tool_router(),
    };
    let service = library.serve(rmcp::transport::stdio()).await?;
    service.waiting().await?;
    Ok(())
}

// --- The game -----------------------------------------------------------------------------------

#[derive(Component)]
struct Librarian;

fn ask_words(librarians: Query<Entity, With<Librarian>>, mut commands: Commands) {
    for librarian in &librarians {
        let rules = ProseRules::default();
        let ask = Ask::new("help", "Where is 'The Tides'?", rules, Prose("…".into()));
        commands.entity(librarian).insert(ask);
    }
}

fn take_words(mut answers: Answers<Prose>) {
    answers.take();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return serve().await;
    }
    let mut setup = Setup::new(1);
    setup.meet.add_systems(ask_words.in_set(MeetSet::Rules));
    setup.step.add_systems(take_words.in_set(StepSet::Take));
    setup.spawn_stage("Reading room", "You are a reading room.")?;
    let wren = setup.spawn_actor("Wren", "Reading room", "You are Wren.")?;
    let tools = ToolSet::of(["library.*"]);
    setup.world.entity_mut(wren).insert((Librarian, tools));

    let plan = ServerPlan {
        name: "library".into(),
        server: ToolServer {
            command: Some(std::env::current_exe()?.display().to_string()),
            args: vec!["serve".into()],
            ..ToolServer::default()
        },
        token: None,
        environment: ChildEnvironment::default(),
    };
    let servers = ToolServers::connect(vec![plan]).await?;
    servers.add_to(&mut setup.tools());

    // A model over HTTP would choose by itself; this script calls, reads what came back, and
    // answers.
    let mind = ScriptMind::by_rule(|prompt| match prompt.rounds.first() {
        Some(ExchangeRound::Tools(round)) => {
            let found = round.returned.shown();
            ScriptLine::say(format!("I have looked it up: {found}"))
        }
        _ => ScriptLine::call([("library__find_book", json!({"title": "The Tides"}))]),
    });
    let mut engine = Engine::in_memory(setup, mind)?;
    let played = engine.run(Some(1)).await;
    servers.close().await;
    played?;
    for (name, conversation) in engine.conversations() {
        println!("--- {name}\n{conversation}");
    }
    Ok(())
}
