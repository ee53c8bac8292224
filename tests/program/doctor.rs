//! `doctor URL` against servers of every kind: what it finds, the entry that it prints, and a story
//! played by that entry.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::example::example;
use super::model_server::{
    Reply, fitting, schema_of, serve, serve_pages, unreachable_model, write_model,
};
use super::{Dir, err, exits, has, lacks, out, playhouse, records_of, run, succeed, write};

/// A server with the whole of OpenAI's API, and with these oddities.
#[derive(Clone, Copy)]
struct Fake(&'static str);

const PLAIN: Fake = Fake("");

fn refusal(message: &str) -> Reply {
    let body = json!({"error": {"message": message, "type": "invalid_request_error"}});
    Reply::Raw(400, "", body.to_string())
}

impl Fake {
    fn is(self, oddity: &str) -> bool {
        self.0.split(' ').any(|own| own == oddity)
    }

    fn reply(self, path: &str, request: &Value) -> Reply {
        match path {
            "/v1/models" => {
                let model = json!({"id": "Qwen/Tiny-8B.gguf", "max_model_len": 8192});
                Reply::Raw(200, "", json!({"data": [model]}).to_string())
            }
            "/v1/chat/completions" => match self.objection(request) {
                Some(message) => refusal(message),
                None => self.answer(request),
            },
            _ => Reply::Raw(404, "", "not found".into()),
        }
    }

    fn objection(self, request: &Value) -> Option<&'static str> {
        let messages = request["messages"].as_array().unwrap();
        let roles: Vec<_> = messages.iter().map(|message| &message["role"]).collect();
        let has = |member: &str| request.get(member).is_some();
        let by_schema = request["response_format"]["type"] == "json_schema";
        let repeats = roles.windows(2).any(|pair| pair[0] == pair[1]);
        let mut objections = [
            (
                "refuses_system",
                roles[0] == "system",
                "That is not possible.",
            ),
            (
                "alternates",
                repeats,
                "Something about the messages is wrong.",
            ),
            ("refuses_schema", by_schema, "Unsupported: response_format"),
            (
                "refuses_tools",
                has("tools"),
                "This model does not support tools.",
            ),
            ("wants_new_limit", has("max_tokens"), "Unknown member."),
            ("answers_whole", request["stream"] == true, "Not here."),
        ]
        .into_iter();
        objections
            .find_map(|(oddity, is_met, message)| (is_met && self.is(oddity)).then_some(message))
    }

    fn answer(self, request: &Value) -> Reply {
        let sent = request.to_string().len() as u64 / 4;
        let read = if self.is("drops_messages") { 3 } else { sent };
        let mut usage = json!({"prompt_tokens": read, "completion_tokens": 9});
        if self.is("reports_cache") {
            usage["prompt_tokens_details"] = json!({"cached_tokens": read / 2});
        }
        let text = self.text(request);
        if request.get("tools").is_some() {
            let arguments = json!({"door": "red"}).to_string();
            let function = json!({"name": "open_door", "arguments": arguments});
            let call = json!({"index": 0, "id": "t", "type": "function", "function": function});
            return sent_as(request, json!({"tool_calls": [call]}), &usage);
        }
        sent_as(request, json!({ "content": text }), &usage)
    }

    fn text(self, request: &Value) -> String {
        let is_off = request["chat_template_kwargs"]["enable_thinking"] == false;
        let thought = if self.is("always_thinks") || self.is("thinks") && !is_off {
            "<think>A question. I shall answer it.</think>"
        } else {
            ""
        };
        let by_format = request.get("response_format").is_some();
        let said = match schema_of(request).filter(|_| !(self.is("ignores_schema") && by_format)) {
            Some(schema) => {
                let mut text = || "I wait and listen to the water.".to_owned();
                fitting(&schema, &["wait", "speak", "cards"], &mut text).to_string()
            }
            None => "Good morning; it rains on the mill.".into(),
        };
        format!("{thought}{said}")
    }
}

/// A message as the request wants it.
fn sent_as(request: &Value, message: Value, usage: &Value) -> Reply {
    if request["stream"] != true {
        let choice = json!({"message": message, "finish_reason": "stop"});
        let body = json!({"choices": [choice], "usage": usage});
        return Reply::Raw(200, "content-type: application/json\r\n", body.to_string());
    }
    let delta = json!({"choices": [{"index": 0, "delta": message}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let mut body = format!("data: {delta}\n\ndata: {end}\n\n");
    if request["stream_options"]["include_usage"] == true {
        body += &format!("data: {}\n\n", json!({"choices": [], "usage": usage}));
    }
    body += "data: [DONE]\n\n";
    Reply::Raw(200, "content-type: text/event-stream\r\n", body)
}

fn examine(folder: &Path, port: u16, more: &str) -> Output {
    let models = folder.join("mine.ron");
    if !models.exists() {
        write(&models, "// Mine.\n(connect: 3.0, models: {})\n");
    }
    let arguments = format!("doctor http://127.0.0.1:{port} --models mine.ron --width 200 {more}");
    run(folder, &arguments)
}

/// The record of a server, its findings by topic.
fn found(folder: &Path, port: u16) -> (Value, impl Fn(&str) -> Value) {
    let output = examine(folder, port, "--json");
    let mut records = records_of(&output);
    assert_eq!(records.len(), 1, "{}", err(&output));
    let record = records.remove(0);
    let findings = record["findings"].as_array().unwrap().clone();
    let of = move |topic: &str| {
        let found = findings.iter().find(|finding| finding["topic"] == topic);
        found
            .map(|found| found["value"].clone())
            .unwrap_or(json!("?"))
    };
    (record, of)
}

#[test]
fn an_entry_for_every_kind_of_server_is_printed_and_plays() {
    let cases = [
        (
            "everything",
            "reports_cache",
            json!({
                "window": 8192, "streaming": true, "limit": "max_tokens", "usage": "if_asked",
                "thinking": false, "system_role": true, "turns": "any", "schema": "constrained",
                "tools": true,
            }),
        ),
        (
            "refuses_system",
            "refuses_system",
            json!({"system_role": false, "turns": "any"}),
        ),
        (
            "alternates",
            "alternates",
            json!({"system_role": true, "turns": "alternate"}),
        ),
        (
            "neither_system_nor_freedom",
            "alternates refuses_system",
            json!({"system_role": false, "turns": "alternate"}),
        ),
        (
            "ignores_schema",
            "ignores_schema",
            json!({"schema": "text"}),
        ),
        (
            "refuses_much",
            "refuses_schema refuses_tools wants_new_limit answers_whole",
            json!({
                "limit": "max_completion_tokens", "streaming": false, "schema": "json_mode",
                "tools": "refused", "usage": true,
            }),
        ),
        (
            "thinks",
            "thinks",
            json!({
                "thinking": "<think>",
                "thinking_off": {"chat_template_kwargs": {"enable_thinking": false}},
            }),
        ),
        (
            "always_thinks",
            "always_thinks",
            json!({"thinking_off": false}),
        ),
    ];
    for (name, oddities, wanted) in cases {
        let fake = Fake(oddities);
        let folder = &Dir::new();
        let port = serve_pages(move |path, request| fake.reply(path, request));
        let (record, finding) = found(folder, port);
        for (topic, value) in wanted.as_object().unwrap() {
            assert_eq!(finding(topic), *value, "{name}, {topic}: {record}");
        }
        assert!(record["requests"].as_u64().unwrap() <= 12, "{record}");
        let entry = record["entry"].as_str().unwrap();
        insta::assert_snapshot!(name, entry.replace(&port.to_string(), "PORT"));

        let told = examine(folder, port, "--write");
        assert_eq!(told.status.code(), Some(0), "{name}: {}", err(&told));
        has(&err(&told), &["--model tiny-8b"]);
        let mine = std::fs::read_to_string(folder.join("mine.ron")).unwrap();
        assert!(mine.starts_with("// Mine.\n(") && mine.contains("connect: 3.0"));
        succeed(folder, "new mill");
        let played = succeed(
            folder,
            "run mill --models mine.ron --model tiny-8b --seed 1 --save s",
        );
        assert!(!out(&played).contains('°'), "{name}: {}", out(&played));
    }
}

#[test]
fn a_server_that_drops_messages_is_named_by_the_doctor_and_in_a_run() {
    let fake = Fake("drops_messages");
    let folder = &Dir::new();
    let port = serve_pages(move |path, request| fake.reply(path, request));
    let told = examine(folder, port, "--write");
    assert_eq!(told.status.code(), Some(5), "{}", err(&told));
    let mine = std::fs::read_to_string(folder.join("mine.ron")).unwrap();
    assert!(!mine.contains("tiny"), "what can't play is not written");
    has(&out(&told), &["only 3 tokens of about"]);
    has(&out(&told), &["chat template"]);

    succeed(folder, "new mill");
    write_model(folder, port, "");
    let played = succeed(
        folder,
        "run mill --models models.ron --model m --seed 1 --save s --width 1000",
    );
    let warnings = err(&played).matches("its server read only 3").count();
    assert_eq!(warnings, 1, "{}", err(&played));
    let honest = serve_pages(move |path, request| PLAIN.reply(path, request));
    write_model(folder, honest, "");
    let played = run(
        folder,
        "run mill --models models.ron --model m --seed 1 --save t",
    );
    lacks(&err(&played), &["read only"]);
}

#[test]
fn what_is_no_server_of_models_is_said_to_be_none() {
    let folder = &Dir::new();
    let page = "<html><title>It works!</title></html>";
    let web = serve(move |_| Reply::Raw(200, "content-type: text/html\r\n", page.into()));
    let address = unreachable_model(folder);
    let gone: u16 = address.rsplit(':').next().unwrap().parse().unwrap();
    for (port, says) in [(web, "an HTML page (It works!)"), (gone, "can't reach")] {
        let output = examine(folder, port, "");
        assert_eq!(output.status.code(), Some(5), "{}", err(&output));
        let told = err(&output).replace("\n    ", " ");
        has(&told, &[says]);
        assert_eq!(out(&output), "");
    }
}

#[test]
fn an_entry_is_written_once_and_beside_what_is_there() {
    let folder = &Dir::new();
    let port = serve_pages(move |path, request| PLAIN.reply(path, request));
    let other = serve_pages(move |path, request| PLAIN.reply(path, request));
    let doctor = |port: u16, more: &str| {
        let mut command = playhouse(folder);
        command.env("XDG_CONFIG_HOME", folder.join("config"));
        command.env("HOME", &**folder);
        let arguments = format!("doctor localhost:{port} --width 300 {more}");
        command.args(arguments.split_whitespace()).output().unwrap()
    };
    let file = folder.join("config/playhouse/models.ron");
    let first = doctor(port, "--write");
    assert_eq!(first.status.code(), Some(0), "{}", err(&first));
    let written = std::fs::read_to_string(&file).unwrap();
    let again = doctor(port, "--write");
    assert_eq!(again.status.code(), Some(2), "{}", err(&again));
    has(&err(&again), &["as tiny-8b"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
    let second = doctor(other, "--write --lang zh");
    assert_eq!(second.status.code(), Some(0), "{}", err(&second));
    let both = std::fs::read_to_string(&file).unwrap();
    assert!(both.contains("\"tiny-8b-2\"") && both.contains("\"tiny-8b\""));
    let mut listed = playhouse(folder);
    listed.env("XDG_CONFIG_HOME", folder.join("config"));
    let listed = listed.arg("config").output().unwrap();
    has(&out(&listed), &["tiny-8b-2"]);
}

#[test]
fn several_models_need_a_choice_and_a_key_needs_a_value() {
    let folder = &Dir::new();
    let port = serve_pages(|path, request| match path {
        "/v1/models" => {
            let models = json!({"data": [{"id": "one"}, {"id": "two"}]});
            Reply::Raw(200, "", models.to_string())
        }
        path => PLAIN.reply(path, request),
    });
    let output = examine(folder, port, "");
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    has(&err(&output), &["one, two"]);
    assert_eq!(examine(folder, port, "--model two").status.code(), Some(0));
    let output = examine(folder, port, "--model two --key-env NOWHERE");
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    exits(folder, "doctor improviser --write", 2);
}

#[test]
fn ollama_is_asked_in_its_own_words() {
    let folder = &Dir::new();
    let json = |value: Value| Reply::Raw(200, "", value.to_string());
    let port = serve_pages(move |path, request| match path {
        "/api/tags" => json(json!({"models": [{"name": "qwen3:8b"}]})),
        "/api/show" if request["model"] == "qwen3:8b" => {
            json(json!({"model_info": {"qwen3.context_length": 40960}}))
        }
        "/api/chat" => {
            let thought = if request["think"] == false {
                ""
            } else {
                "Well."
            };
            let text = match request["format"]["properties"]["word"]["enum"][0].as_str() {
                Some(word) => json!({ "word": word }).to_string(),
                None => "Good morning.".into(),
            };
            let read = request.to_string().len() / 4;
            json(json!({
                "message": {"content": text, "thinking": thought}, "done": true,
                "prompt_eval_count": read, "eval_count": 9,
            }))
        }
        _ => Reply::Raw(404, "", "not found".into()),
    });
    let (record, finding) = found(folder, port);
    assert_eq!(finding("server")["program"], "Ollama", "{record}");
    assert_eq!(finding("thinking_off"), json!({"think": false}), "{record}");
    assert_eq!(finding("schema"), "constrained", "{record}");
    let entry = record["entry"].as_str().unwrap();
    insta::assert_snapshot!("ollama", entry.replace(&port.to_string(), "PORT"));
}

#[test]
fn the_program_shows_servers_and_how_they_are() {
    let folder = &Dir::new();
    let command = example("mcp").display().to_string();
    let models = format!(
        r#"(providers: {{}}, models: {{}}, servers: {{
            "library": (command: {command:?}, args: ["serve"], tools: ["find_book", "burn_book"]),
            "weather": (url: "http://127.0.0.1:1/mcp?secret=x", token_env: "WEATHER_TOKEN", start: 5.0),
        }})"#
    );
    write(&folder.join("mine.ron"), &models);
    let shown = |arguments: &str, code| {
        let arguments = format!("{arguments} --models mine.ron --width 1000");
        let output = exits(folder, &arguments, code);
        lacks(&out(&output), &["secret"]);
        output
    };
    let servers = ["library", "find_book, burn_book", "http://127.0.0.1:1/mcp"];
    let config = out(&shown("config", 0));
    has(&config, &servers);
    has(&config, &["missing ← WEATHER_TOKEN"]);
    // Some of all may be out of use.
    let mut servers = records_of(&shown("doctor --json", 0));
    servers.retain(|record| record["record"] == "tool_server");
    let state = |index: usize| (&servers[index]["server"], &servers[index]["answers"]);
    assert_eq!(state(0), (&json!("library"), &json!(true)));
    assert_eq!(state(1), (&json!("weather"), &json!(false)));
    assert_eq!(servers[0]["tools"], json!(["library.find_book"]));
    let library = out(&shown("doctor library", 0));
    let words = ["yes", "library.find_book", "allows the tool 'burn_book'"];
    has(&library, &words);
    lacks(&library, &["weather"]);
    let weather = out(&shown("doctor weather --lang zh", 5));
    has(&weather, &["工具服务器“weather”"]);
}
