//! The example teams with the improviser.

use std::sync::{Arc, LazyLock};

use hyper::body::Incoming;
use hyper::{Request, Response};
use playhouse_engine::message::Language;
use playhouse_engine::mind::improviser::Improviser;
use playhouse_engine::mind::{Mind, Minds};
use playhouse_engine::session::Game as _;
use playhouse_engine::world_data::DataFolder;
use playhouse_groupchat::message::{ChatContent, ChatMessage, FunctionCall};
use playhouse_groupchat::team::list_teams;
use playhouse_groupchat::{ChatGame, TaskResult, Team, improviser};
use playhouse_tools::{WebPolicy, allow_web};

use super::has;
use super::http::HttpServer;

/// Its grammars are read only once.
static IMPROVISER: LazyLock<Arc<dyn Mind>> =
    LazyLock::new(|| Arc::new(Improviser::taught(improviser::teach).unwrap()));

fn game(path: &str) -> ChatGame {
    let data = DataFolder::at("../../data").unwrap();
    let game = ChatGame::load(&data, path).unwrap();
    assert!(game.warnings.is_empty(), "{path}: {:?}", game.warnings);
    game
}

fn team(path: &str) -> Team {
    improvised(game(path))
}

fn improvised(game: ChatGame) -> Team {
    Team::new(game, Minds::all(IMPROVISER.clone()), 1).unwrap()
}

async fn talk(path: &str, task: &str) -> TaskResult {
    team(path).run(task).await.unwrap()
}

fn sources(result: &TaskResult) -> Vec<&str> {
    let said = result.messages.iter().filter(|message| !message.is_event());
    said.map(|message| message.source.as_str()).collect()
}

fn has_chinese(message: &ChatMessage) -> bool {
    let text = message.to_text();
    text.chars().any(|c| matches!(c, '\u{4e00}'..='\u{9fff}'))
}

#[tokio::test]
async fn every_team_that_comes_along_talks_to_an_end_in_its_language() {
    let data = DataFolder::at("../../data").unwrap();
    let (teams, problems) = list_teams(&data);
    assert!(problems.is_empty());
    let of = |language| {
        teams
            .iter()
            .filter(|team| team.language == language)
            .count()
    };
    assert!(of(Language::En) >= 7 && of(Language::En) == of(Language::Zh));
    for team in &teams {
        let task = match team.language {
            Language::En => "Should the bridge be mended before the road?",
            Language::Zh => "该先修桥还是先修路？",
        };
        let result = talk(&team.path, task).await;
        assert!(result.stop_reason.is_some(), "{}", team.path);
        let said = result.messages.iter().skip(1);
        let said: Vec<_> = said.filter(|message| !message.is_event()).collect();
        assert!(!said.is_empty(), "{}: {:?}", team.path, result.messages);
        for message in said {
            let is_right = has_chinese(message) == (team.language == Language::Zh);
            assert!(is_right, "{}: {message:?}", team.path);
        }
    }
}

#[test]
fn every_team_that_comes_along_survives_what_a_journal_keeps_of_it() {
    let data = DataFolder::at("../../data").unwrap();
    for team in list_teams(&data).0 {
        let game = ChatGame::load(&data, &team.path).unwrap();
        let (setup, meta) = (game.game_setup(0).unwrap(), game.meta());
        let embedded = game.embedded(&setup, &meta.data).unwrap();
        assert_eq!(embedded.meta(), meta);
        assert!(game.embedded(&setup, "other").is_none());
        let text = serde_json::to_string(&setup).unwrap();
        let again = embedded.game_setup(0).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
    }
}

#[tokio::test]
async fn the_writing_desk_ends_with_its_finaliser() {
    let result = talk("en/writing-desk", "A note on bees").await;
    let speakers = ["user", "Writer", "Reviewer", "Finaliser"];
    assert_eq!(sources(&result), speakers);
    assert!(result.last().unwrap().to_text().contains("TERMINATE"));
    let reason = result.stop_reason.as_deref();
    assert_eq!(reason, Some("Text 'TERMINATE' mentioned"));
}

#[tokio::test]
async fn a_research_crew_gives_each_piece_to_somebody_and_a_final_answer() {
    let mut crew = team("en/research-crew");
    let result = crew.run("Why do bees dance?").await.unwrap();
    let sources = sources(&result);
    for name in ["Searcher", "Reader", "Author"] {
        assert!(sources.contains(&name), "{sources:?}");
    }
    assert_eq!(*sources.last().unwrap(), "research-crew");
    assert_eq!(result.stop_reason.as_deref(), Some("The task is done"));
}

#[tokio::test]
async fn only_the_conclusion_of_a_team_inside_is_heard() {
    let mut panel = team("en/second-opinion");
    let result = panel.run("Shall we move the market?").await.unwrap();
    let speakers = ["user", "Host", "Optimist", "Panel", "Judge"];
    assert_eq!(sources(&result), speakers);
    let hears = |who: &str, whom: &str| panel.perspective(who).iter().any(|seen| seen.name == whom);
    assert!(!hears("Judge", "Sceptic") && !hears("Judge", "Miser"));
    assert!(hears("Miser", "Sceptic"));
}

/// The tool calls of each answer, as name and arguments.
fn calls(result: &TaskResult) -> Vec<Vec<String>> {
    let shown = |call: &FunctionCall| format!("{}{}", call.name, call.arguments);
    let messages = result.messages.iter();
    let calls = messages.filter_map(|message| match &message.content {
        ChatContent::ToolCallRequest(calls) => Some(calls.iter().map(shown).collect()),
        _ => None,
    });
    calls.collect()
}

#[tokio::test]
async fn an_assistant_calls_the_tools_that_its_task_gives_reason_for() {
    let weather = |city: &str| format!("weather{{\"city\":\"{city}\"}}");
    let sum = |sum: &str| format!("calculate{{\"expression\":\"{sum}\"}}");
    let rows = [
        (
            "en/assistant",
            "What is the weather in Paris, and what is 123 * 456?",
            vec![weather("Paris"), sum("123 * 456")],
            vec!["light rain", "56088"],
        ),
        (
            "zh/zhushou",
            "北京天气怎么样？123 * 456 等于多少？",
            vec![weather("北京"), sum("123 * 456")],
            vec!["北风有些硬", "56088"],
        ),
        (
            "en/assistant",
            "Is the weather better in Cairo or in Oslo?",
            vec![weather("Cairo"), weather("Oslo")],
            vec!["31 °C", "-3 °C"],
        ),
        (
            "en/assistant",
            "What are (2 + 3) * 4 and 10 / 4?",
            vec![sum("(2 + 3) * 4"), sum("10 / 4")],
            vec!["20", "2.5"],
        ),
        ("en/assistant", "I was in Paris in 1999.", vec![], vec![]),
    ];
    for (path, task, wanted, told) in rows {
        let result = talk(path, task).await;
        let calls = calls(&result);
        if wanted.is_empty() {
            assert!(calls.is_empty(), "{task}: {calls:?}");
        } else {
            assert_eq!(calls, [wanted], "{task}: one reply calls all");
        }
        has(&result.last().unwrap().to_text(), &told);
    }
}

#[tokio::test]
async fn the_travel_desk_hands_a_journey_on_with_what_was_looked_up() {
    let rows = [
        (
            "en/travel-desk",
            "From Lisbon to Porto by train: the weather there, a room for the night, and what is worth seeing in Porto?",
            ["user", "Planner", "Booker", "Guide"],
            [
                "showers in the morning",
                "Lisbon, Porto: 07:30",
                "three rooms by the river",
                "the bridge on foot",
            ],
        ),
        (
            "zh/lvxing-tai",
            "从上海坐火车到杭州：那边天气怎样，住处要几间，有什么值得看的？",
            ["用户", "规划", "订票", "向导"],
            [
                "上午有雾",
                "上海、杭州：每小时一班",
                "湖边三间",
                "湖上的长堤",
            ],
        ),
    ];
    for (path, task, speakers, found) in rows {
        let mut desk = team(path);
        let result = desk.run(task).await.unwrap();
        assert_eq!(sources(&result), speakers, "{path}: {:?}", calls(&result));
        assert!(result.stop_reason.as_deref().unwrap().contains("TERMINATE"));
        // What was looked up goes to the target of the handoff; what the last one finds, to all.
        let hearers = [speakers[2], speakers[3], speakers[3], speakers[1]];
        for (part, who) in found.into_iter().zip(hearers) {
            let heard = desk.perspective(who);
            let knows = heard.iter().any(|seen| seen.content.contains(part));
            assert!(knows, "{who} does not know of {part}: {heard:#?}");
        }
    }
}

const BEES: &str =
    "<!doctype html><title>Bees</title><p>A bee that found food dances in figures of eight.";

async fn page(request: Request<Incoming>) -> Response<String> {
    let response = Response::builder().header("content-type", "text/html");
    let body = match request.uri().path() {
        "/bees" => BEES,
        _ => "nothing",
    };
    response.body(body.to_owned()).unwrap()
}

#[tokio::test]
async fn a_reader_of_the_research_crew_fetches_the_page_that_is_named() {
    let server = HttpServer::start(page).await;
    for (path, question) in [
        ("en/research-crew", "Why do bees dance? Read"),
        ("zh/chafang-zu", "蜜蜂为什么跳舞？请读"),
    ] {
        let game = game(path).with_tools(|toolbox| {
            let policy = WebPolicy {
                hosts: vec!["localhost".into()],
                private: vec!["localhost".into()],
                ..WebPolicy::default()
            };
            allow_web(toolbox, &policy);
        });
        let task = format!("{question} http://localhost:{}/bees .", server.port);
        let result = improvised(game).run(task).await.unwrap();
        assert_eq!(calls(&result).len(), 1, "{:?}", calls(&result));
        let returns =
            |told: &&ChatMessage| matches!(told.content, ChatContent::ToolCallExecution(_));
        let reader = &result.messages.iter().find(returns).unwrap().source;
        let mut said = result.messages.iter();
        assert!(said.any(|message| {
            let is_said = message.source == *reader && !message.is_event();
            is_said && message.to_text().contains("figures of eight")
        }));
        assert!(!result.last().unwrap().is_event());
    }
    assert!(server.count() >= 2);
}
