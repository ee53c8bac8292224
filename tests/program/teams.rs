//! Teams from outside: `chat`, `resume`, `replay`, `trace`, in both languages.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use super::model_server::{Reply, serve_bytes, serve_model};
use super::{Dir, command, err, exits, has, lacks, out, records_of, run, succeed, world, write};

/// As [`chat`], and it must succeed.
#[track_caller]
fn talk(folder: &Path, arguments: &str, task: &str) -> Output {
    let output = chat(folder, arguments, task);
    assert_ok(&output);
    output
}

/// Runs the program with a task of several words.
fn chat(folder: &Path, arguments: &str, task: &str) -> Output {
    let mut command = command(folder, arguments);
    command.args(["--task", task]).output().unwrap()
}

fn assert_ok(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", err(output));
}

#[test]
fn a_team_is_chosen_talks_is_saved_and_replayed() {
    let folder = &Dir::new();
    let listed = out(&run(folder, "chat"));
    has(&listed, &["en/writing-desk", "zh/xiezuo-tai"]);
    let task = "What is the weather in Paris, and what is 123 * 456?";
    let told = talk(folder, "chat en/assistant --save one", task);
    let parts = [
        "---------- TextMessage (user) ----------",
        "---------- ToolCallRequestEvent (Assistant) ----------",
        "weather({\"city\":\"Paris\"})",
        "56088",
        "---------- Summary ----------",
        "Number of messages: 4",
        "Finish reason: Maximum number of turns 1 reached",
    ];
    has(&out(&told), &parts);
    succeed(folder, "replay one");
    // What would be sent next is shown, and neither sent nor saved.
    let before = std::fs::read(folder.join("saves/one/journal.jsonl")).unwrap();
    for arguments in [
        "chat en/assistant --save two --model deepseek --dry-run",
        "resume one --dry-run",
    ] {
        let unsent = out(&talk(folder, arguments, "And in Oslo?"));
        has(
            &unsent,
            &["user: And in Oslo?", "1 prompt would be sent next"],
        );
    }
    assert!(!folder.join("saves/two").exists());
    let after = std::fs::read(folder.join("saves/one/journal.jsonl")).unwrap();
    assert!(before == after);
    let more = talk(folder, "resume one", "And in Oslo: how is the weather?");
    has(&out(&more), &["snow, -3 °C"]);
    lacks(&out(&more), &["light rain"]);
}

#[test]
fn the_trace_shows_what_each_call_saw() {
    let folder = &Dir::new();
    let command = "chat en/coordinator --save fair --format log";
    let told = talk(folder, command, "Find a day for the fair");
    let parts = [
        "] User: Find a day for the fair\n",
        "📋 Task finished\nStop reason: Maximum number of turns 3 reached\nMessages: 4\n",
        "    📊 Model usage: ",
    ];
    has(&out(&told), &parts);
    let trace = out(&run(folder, "show fair --view trace Coordinator"));
    let parts = [
        ">>> AGENT: Coordinator  (call #1)",
        "Sender: harbour-office",
        "Asked (turn to speak, improviser/improviser)\nSystem message: You coordinate. ",
        "\nInternal context (harbour-office): 1 message\n    [0] [user] User: Find a day for the fair\n",
        ">>> AGENT: Coordinator  (call #2)",
        "Internal context (harbour-office): 3 messages",
        "    [1] [assistant] Coordinator: ",
        "    [2] [user] Worker: ",
        "\nReply: ",
    ];
    has(&trace, &parts);
    lacks(&trace, &["AGENT: Worker"]);
    let trace = out(&run(folder, "show fair --view trace"));
    let calls = trace.lines().filter(|line| line.starts_with(">>> "));
    assert_eq!(calls.count(), 4, "the user's task is a call too: {trace}");
    let unknown = exits(folder, "show fair --view trace Wroker", 2);
    has(&err(&unknown), &["Worker"]);
}

#[test]
fn a_trace_in_the_form_of_ag2_has_the_messages_before_each_turn() {
    let folder = &Dir::new();
    let team = r#"Team(
        name: "office", user: "User", max_turns: 4,
        participants: [
            (name: "Coordinator", system_message: "You coordinate."),
            (name: "Worker", system_message: "You work.", memory: ["Two hands."]),
        ],
    )"#;
    write(&folder.join("office.ron"), &team);
    let told = talk(folder, "chat office.ron --save one --json", "Find a day");
    let messages = records_of(&told);
    let texts = messages.iter().map(|record| &record["message"]);
    let texts = texts.filter(|message| message["type"] == "TextMessage");
    let texts: Vec<_> = texts
        .map(|message| ["source", "content"].map(|key| message[key].as_str().unwrap()))
        .collect();
    assert_eq!(texts.len(), 5, "{texts:?}");
    let rule = "=".repeat(70);
    let mut wanted = String::new();
    for (index, [agent, reply]) in texts.iter().enumerate().skip(1) {
        let number = index.div_ceil(2);
        wanted += &format!(
            "{rule}\n>>> AGENT: {agent}  (call #{number})\n{rule}\nSender: chat_manager\n\
             Internal context (_oai_messages[chat_manager]): {index} messages\n"
        );
        for (index, [source, said]) in texts.iter().take(index).enumerate() {
            let role = if source == agent { "assistant" } else { "user" };
            wanted += &format!("    [{index}] [{role}] {source}: {said}\n");
        }
        wanted += &format!("{}\nReply: {reply}\n{rule}\n", "-".repeat(70));
    }
    for language in ["en", "zh"] {
        let command = format!("show one --view ag2 --lang {language}");
        assert_eq!(out(&run(folder, &command)), wanted);
    }
    let calls = records_of(&run(folder, "show one Worker --view ag2 --json"));
    let first = &calls[0];
    assert_eq!(calls.len(), 2);
    assert_eq!(first["call"], 1);
    assert_eq!(first["sender"], "chat_manager");
    let [source, said] = texts[0];
    let message = ["role", "name", "content"].map(|member| &first["context"][0][member]);
    assert_eq!(message, ["user", source, said]);
}

#[test]
fn a_team_whose_server_failed_goes_on() {
    let folder = &Dir::new();
    let is_up = Arc::new(AtomicBool::new(false));
    let up = is_up.clone();
    serve_model(folder, move |request| {
        let is_bo = request.to_string().contains("Here I am.");
        if !is_bo || up.load(Ordering::SeqCst) {
            Reply::at_once("Here I am.")
        } else {
            Reply::Error("{}".into())
        }
    });
    let team = r#"Team(name: "duo", participants: [(name: "Ava"), (name: "Bo")], max_turns: 2)"#;
    write(&folder.join("duo.ron"), &team);
    let command = "chat duo.ron --save one --model m --models models.ron";
    let failed = chat(folder, command, "Who is there?");
    assert_eq!(failed.status.code(), Some(5), "{}", err(&failed));
    has(&err(&failed), &["Bo could not be asked"]);
    assert_eq!(err(&failed).matches("playhouse resume one").count(), 1);
    let paid = || -> Vec<_> {
        let costs = records_of(&run(folder, "show one --view costs --json")).into_iter();
        let costs = costs.filter(|cost| cost["entity"].is_string() && cost["calls"] == 1);
        costs.map(|mut cost| cost["entity"].take()).collect()
    };
    // What was answered before it stopped.
    assert_eq!(paid(), ["Ava", "user"]);
    is_up.store(true, Ordering::SeqCst);
    let resumed = succeed(folder, "resume one --model m --models models.ron --json");
    let said = records_of(&resumed);
    let said = said.iter().map(|record| &record["message"]);
    let said = said.filter(|message| message["content"] == "Here I am.");
    let speakers: Vec<_> = said.map(|message| message["source"].clone()).collect();
    assert_eq!(speakers, ["Bo"], "{}", out(&resumed));
    assert_eq!(paid(), ["Ava", "Bo", "user"]);
    succeed(folder, "replay one -q");
}

#[test]
fn a_team_that_falls_back_goes_on_without_an_answer() {
    let folder = &Dir::new();
    serve_model(folder, |request| match request.to_string() {
        request if request.contains("Here I am.") => Reply::Error("{}".into()),
        _ => Reply::at_once("Here I am."),
    });
    let team = r#"Team(name: "duo", participants: [(name: "Ava"), (name: "Bo")], max_turns: 3)"#;
    write(&folder.join("duo.ron"), &team);
    let command = "chat duo.ron --model m --models models.ron --save";
    let lenient = format!("{command} one --on-server-error fall-back");
    let told = talk(folder, &lenient, "Who is there?");
    let parts = [
        "---------- ThoughtEvent (Bo) ----------\nBo could not answer: ",
        "---------- TextMessage (Bo) ----------\n…\n",
        "Maximum number of turns 3 reached",
    ];
    has(&out(&told), &parts);
    succeed(folder, "replay one -q");
    let strict = chat(folder, &format!("{command} two"), "Who is there?");
    assert_eq!(strict.status.code(), Some(5), "{}", err(&strict));
}

#[test]
fn a_talk_that_can_not_begin_leaves_no_save() {
    let folder = &Dir::new();
    serve_model(folder, |_| Reply::at_once("Here I am."));
    let models = std::fs::read_to_string(folder.join("models.ron")).unwrap();
    let server =
        r#"(servers: {"s": (command: "sh", args: ["-c", "echo 'No module named shop' >&2"])}, "#;
    write(&folder.join("models.ron"), &models.replacen('(', server, 1));
    for (tool, said) in [("s.find", "No module named shop"), ("almanac", "'almanac'")] {
        let team = format!(
            r#"Team(name: "solo", participants: [(name: "Ava", tools: ["{tool}"])], max_turns: 1)"#
        );
        write(&folder.join("solo.ron"), &team);
        let command = "chat solo.ron --save one --model m --models models.ron";
        for _ in 0..2 {
            let failed = chat(folder, command, "hi");
            assert!(!failed.status.success(), "{}", out(&failed));
            has(&err(&failed), &[said]);
        }
        assert!(!folder.join("saves/one").exists());
    }
}

#[test]
fn the_summary_says_what_was_paid_whoever_was_asked() {
    let folder = &Dir::new();
    let team = r#"Team(
        name: "office", max_turns: 4, selection: Selector(),
        participants: [
            (name: "Ava", tools: ["lab"]),
            (name: "Bo", kind: Society(team: "den")),
            (name: "Cy"),
        ],
        teams: [(name: "den", participants: [(name: "Dee")], max_turns: 1)],
        team_tools: [(
            name: "lab", about: "Tests a stone in the lab.",
            team: (name: "laboratory", participants: [(name: "Ed")], max_turns: 1),
        )],
    )"#;
    let ledger = team.replace("Selector()", "Ledger()");
    let ledger = ledger.replace("office", "works");
    for (name, team) in [("office", team), ("works", &ledger)] {
        write(&folder.join(format!("{name}.ron")), &team);
        let task = "Test this stone in the lab.";
        let told = talk(folder, &format!("chat {name}.ron"), task);
        let costs = run(folder, &format!("show {name} --view costs --json"));
        let costs = records_of(&costs);
        let paid = |member: &str| -> u64 {
            let of_entities = costs.iter().filter(|cost| cost["entity"].is_string());
            of_entities.filter_map(|cost| cost[member].as_u64()).sum()
        };
        let own = |cost: &&serde_json::Value| cost["entity"] == *name;
        assert!(costs.iter().find(own).unwrap()["prompt_tokens"].as_u64() > Some(0));
        for label in ["prompt", "completion"] {
            let tokens = paid(&format!("{label}_tokens"));
            let line = format!("Total {label} tokens: {tokens}\n");
            has(&out(&told), &[&line]);
        }
        let replayed = succeed(folder, &format!("replay {name}"));
        assert_eq!(timeless(&out(&told)), timeless(&out(&replayed)));
    }
}

#[test]
fn a_finished_talk_advises_a_command_that_works() {
    let folder = &Dir::new();
    for (lang, task) in [("en", "TEXT"), ("zh", "文字")] {
        let command = format!("chat en/assistant --save {lang} --lang {lang} --max-calls 99");
        let told = talk(folder, &command, "Hello");
        lacks(&err(&told), &["Continue with", "继续"]);
        let advice = format!("resume {lang} --task {task}");
        has(&err(&told), &[&advice]);
        talk(folder, &format!("resume {lang}"), task);
    }
    serve_model(folder, |_| Reply::at_once("Here I am."));
    let command = "chat en/writing-desk --save far --until 1 --model m --models models.ron";
    let advice = "playhouse resume far --models models.ron";
    has(&err(&talk(folder, command, "Of bees")), &[advice]);
    succeed(folder, "resume far --models models.ron --model m");
    let command = "chat en/writing-desk --save two --until 1";
    let paused = talk(folder, command, "Of bees");
    has(&err(&paused), &["Continue with: playhouse resume two"]);
    succeed(folder, "resume two");
}

#[test]
fn a_team_is_checked_as_a_world_is() {
    let folder = &Dir::new();
    let checked = out(&succeed(folder, "check en/writing-desk"));
    has(&checked, &["'en/writing-desk' has no errors"]);
    let team = r#"Team(name: "duo", max_turns: 2, participants: [
        (name: "Ava", tools: ["calculate", "almanac"]), (name: "Bo", tools: ["tides", "shop.find"]),
    ])"#;
    write(&folder.join("duo.ron"), &team);
    let page = out(&exits(folder, "check duo.ron", 3));
    let parts = ["'almanac'", "'tides'", "tools/en/almanac.ron", "2 errors"];
    has(&page, &parts);
    // Tools of servers are known when they are connected; internal ones are nobody's choice.
    lacks(&page, &["shop", "(code)"]);
    let record = &records_of(&exits(folder, "check duo.ron --json", 3))[0];
    assert_eq!(record["team"], "duo.ron");
    assert_eq!(record["playable"], false);
    let hidden = team.replace("Bo", "Bo\u{e0041}");
    write(&folder.join("hidden.ron"), &hidden);
    let hidden = exits(folder, "check hidden.ron", 3);
    has(&out(&hidden), &["invisible"]);
    let broken = team.replace("max_turns: 2, ", "");
    write(&folder.join("endless.ron"), &broken);
    let endless = exits(folder, "check endless.ron", 3);
    has(&out(&endless), &["endless.ron:1:"]);
    let chinese = exits(folder, "check duo.ron --lang zh", 3);
    let parts = ["tools/en/almanac.ron", "团队“duo.ron”无法使用"];
    has(&out(&chinese), &parts);
    has(&err(&exits(folder, "check no-such", 3)), &["no-such"]);
}

/// Everything but how long it took, which is another time each time.
fn timeless(page: &str) -> Vec<&str> {
    let lines = page.lines().filter(|line| !line.starts_with("Duration: "));
    lines.collect()
}

#[test]
fn what_is_said_in_a_team_that_is_a_tool_is_shown_live_in_replay_and_resume_alike() {
    let folder = &Dir::new();
    let rows = [
        (
            "en/reading-room",
            "What do the readers say: is the book fit for children?",
            ["panel", "Doubter", "Speaker", "Librarian", "user"],
        ),
        (
            "zh/yuelan-shi",
            "请读者们评议：这本书适合孩子看吗？",
            ["读者组", "挑剔的读者", "代表", "馆员", "来问的人"],
        ),
    ];
    for (number, (team, task, [panel, doubter, speaker, host, user])) in (0..).zip(rows) {
        let shown = |form: &str| {
            let slot = format!("{form}-{number}");
            let command = format!("chat {team} --save {slot} --format {form}");
            let told = talk(folder, &command, task);
            let replayed = succeed(folder, &format!("replay {slot} --format {form}"));
            assert_eq!(timeless(&out(&told)), timeless(&out(&replayed)));
            out(&told)
        };
        let page = shown("rule");
        let inner = format!("    ---------- {panel} › TextMessage ({speaker}) ----------\n    ");
        let result = format!("\n---------- ToolCallExecutionEvent ({host}) ----------\n");
        let (inner, result) = (page.find(&inner).unwrap(), page.find(&result).unwrap());
        assert!(inner < result, "{page}");
        let page = shown("log");
        let (place, name) = (format!("    {panel} › ["), format!("] {doubter}: "));
        let is_inside = |line: &str| line.starts_with(&place) && line.contains(&name);
        assert!(page.lines().any(is_inside), "{page}");
        lacks(&page, &["[00:00:0"]);
        // Said inside, it is no message of this conversation.
        has(&page, &["Messages: 4\n"]);

        let slot = format!("json-{number}");
        let told = talk(folder, &format!("chat {team} --json --save {slot}"), task);
        let replayed = run(folder, &format!("replay {slot} --json"));
        assert_eq!(out(&told), out(&replayed));
        let mut inner = records_of(&told);
        inner.retain(|line| line["team_path"] == panel);
        assert_eq!(inner.len(), 3, "{inner:?}");

        let trace = out(&run(folder, &format!("show {slot} --view trace {doubter}")));
        has(&trace, &[&format!(">>> AGENT: {doubter}  (call #1)\n")]);
        has(&trace, &[&format!("Sender: {panel}\nInside: {panel}\n")]);
        has(&trace, &[&format!("    [0] [user] {user}: {task}\n")]);
        let trace = out(&run(folder, &format!("show {slot} --view trace")));
        let place_of = |who: &str| trace.rfind(&format!(">>> AGENT: {who} ")).unwrap();
        assert!(
            [doubter, speaker, host].map(place_of).is_sorted(),
            "{trace}"
        );
        has(&trace, &["\nreaders({\"task\":"]);
    }
}

#[test]
fn a_resumed_run_shows_what_is_said_inside_from_where_it_stopped() {
    let folder = &Dir::new();
    let team = r#"Team(
        name: "twice",
        participants: [
            (name: "Ava", tools: ["lab"]),
            (name: "Bo", tools: ["lab"], reflect_on_tool_use: true),
            (name: "Cy", kind: Society(team: "den")),
        ],
        teams: [(name: "den", participants: [(name: "Dee")], max_turns: 1)],
        team_tools: [(
            name: "lab", about: "Tests a stone in the lab.",
            team: (name: "laboratory", participants: [(name: "Ed"), (name: "Flo")], max_turns: 2),
        )],
        max_turns: 3,
    )"#;
    write(&folder.join("twice.ron"), &team);
    let task = "Test this stone in the lab.";
    let whole = out(&talk(folder, "chat twice.ron --save whole --json", task));
    for inside in ["laboratory", "den"] {
        has(&whole, &[&format!("\"team_path\":\"{inside}\"")]);
    }
    // Each is said when it is said.
    let messages = |page: &str| -> Vec<serde_json::Value> {
        let lines = page.lines().map(|line| serde_json::from_str(line).unwrap());
        let mut messages: Vec<serde_json::Value> = lines.collect();
        messages.retain(|line| line["message"].is_object());
        for line in &mut messages {
            line["message"]["created_at"].take();
        }
        messages
    };
    for until in 1..5 {
        let command = format!("chat twice.ron --save part-{until} --json --until {until}");
        let first = talk(folder, &command, task);
        let rest = succeed(folder, &format!("resume part-{until} --json"));
        let mut told = messages(&out(&first));
        told.extend(messages(&out(&rest)));
        assert_eq!(told, messages(&whole), "stopped after turn {until}");
    }
    // Each call of the tool counts.
    let trace = out(&run(folder, "show part-2 --view trace Flo"));
    has(&trace, &["(call #2)"]);
}

#[test]
fn processes_are_started_with_leave_alone_and_a_replay_starts_none() {
    let folder = &Dir::new();
    let team = r#"Team(
        name: "shop",
        participants: [
            (name: "Runner", kind: Coder(approver: "Judge")),
            (name: "Judge", system_message: "You judge code."),
        ],
        max_turns: 1,
    )"#;
    write(&folder.join("shop.ron"), &team);
    let mark = folder.join("mark");
    let task = format!("```sh\ntouch {}\n```", mark.display());
    let told = talk(folder, "chat shop.ron --save one", &task);
    has(&out(&told), &["does not allow sh"]);
    // The improviser, who plays the judge, never says yes.
    let told = talk(folder, "chat shop.ron --save two --allow-code", &task);
    has(&out(&told), &["not approved"]);
    assert!(!mark.exists());
    let script = "```rhai\nprint(6 * 7)\n```";
    let told = talk(folder, "chat shop.ron --save three --json", script);
    let mut ran = records_of(&told);
    ran.retain(|line| line["message"]["type"] == "CodeExecutionEvent");
    assert_eq!(ran[0]["message"]["result"]["output"], "42", "{ran:?}");
    for slot in ["one", "two", "three"] {
        succeed(folder, &format!("replay {slot}"));
    }
}

#[test]
fn a_team_without_a_task_leaves_every_save_as_it_is() {
    let folder = &Dir::new();
    talk(folder, "chat en/assistant --save one", "Hello");
    let before = std::fs::read(folder.join("saves/one/journal.jsonl")).unwrap();
    let without = [
        run(folder, "chat en/assistant --save one --force"),
        run(folder, "chat en/assistant"),
        chat(folder, "chat en/assistant --save one --force", " "),
        chat(folder, "resume one", ""),
    ];
    for refused in without {
        assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
        has(&err(&refused), &["--task TEXT"]);
    }
    let after = std::fs::read(folder.join("saves/one/journal.jsonl")).unwrap();
    assert_eq!(before, after);
    let saves = std::fs::read_dir(folder.join("saves")).unwrap();
    assert_eq!(saves.count(), 1);
}

#[test]
fn what_is_written_in_pieces_stands_on_the_page_once() {
    for (team, task, language, writer) in [
        ("en/writing-desk", "A note on bees", "en", "Writer"),
        ("zh/xiezuo-tai", "写一段关于蜜蜂的话", "zh", "执笔"),
    ] {
        let folder = &Dir::new();
        let command = format!("chat {team} --save one --lang {language}");
        let told = talk(folder, &command, task);
        let json = talk(folder, &format!("chat {team} --save two --json"), task);
        let lines = records_of(&json);
        let messages = || lines.iter().map(|line| &line["message"]);
        let mut texts = messages().filter(|message| message["type"] == "TextMessage");
        let whole = texts.find(|message| message["source"] == writer).unwrap();
        let pieces = messages().filter(|piece| piece["full_message_id"] == whole["id"]);
        let pieces = pieces.map(|piece| piece["content"].as_str().unwrap());
        let pieces: Vec<_> = pieces.collect();
        assert!(pieces.len() > 1, "{pieces:?}");
        let text = whole["content"].as_str().unwrap();
        assert_eq!(pieces.concat(), text);
        let page = out(&told);
        let head = format!("---------- ModelClientStreamingChunkEvent ({writer}) ----------");
        has(&page, &[&format!("{head}\n{text}\n")]);
        lacks(&page, &[&format!("TextMessage ({writer})")]);
        succeed(folder, "replay one");

        let with_ids = chat(folder, &format!("chat {team} --save ids --ids"), task);
        let written = out(&with_ids);
        let (_, after) = written.split_once(&format!("{text} [")).unwrap();
        let (id, _) = after.split_once("]\n").unwrap();
        let why = out(&run(folder, &format!("ask ids why {id} --json")));
        let why: serde_json::Value = serde_json::from_str(why.trim()).unwrap();
        assert_eq!(why["event"]["id"], id, "{why}");
        let again = out(&run(folder, "replay ids --ids"));
        assert_eq!(timeless(&written), timeless(&again));
    }
}

fn writes(stream: &mut TcpStream, text: &str) {
    let delta = serde_json::json!({"choices": [{"delta": {"content": text}}]});
    let event = format!("data: {delta}\n\n");
    write!(stream, "{:x}\r\n{event}\r\n", event.len()).unwrap();
}

/// A server that breaks off its first answer behind `[0]`, and stops in its second behind `[1]`
/// until the test lets it go on.
fn serve(texts: [&'static str; 3], go_on: Receiver<()>) -> u16 {
    let (is_first, go_on) = (AtomicBool::new(true), Mutex::new(go_on));
    serve_bytes(move |_, mut stream| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                    transfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        if is_first.swap(false, Ordering::SeqCst) {
            return writes(&mut stream, texts[0]);
        }
        writes(&mut stream, texts[1]);
        go_on.lock().unwrap().recv().unwrap();
        writes(&mut stream, texts[2]);
        let end = b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
        stream.write_all(end).unwrap();
    })
}

#[test]
fn pieces_stand_on_the_page_while_the_server_is_still_writing() {
    let cases = [
        (
            "en",
            "rule",
            ["Good ni", "Good ", "day"],
            "---------- ModelClientStreamingChunkEvent (Ava) ----------\nGood ni\n[retracted by Ava]\n\
             ---------- ModelClientStreamingChunkEvent (Ava) ----------\nGood ",
            "Good day\n[Prompt tokens: ",
        ),
        (
            "zh",
            "log",
            ["晚上", "早上", "好"],
            "] Ava: 晚上\n［Ava 撤回了以上发言］\n",
            "] Ava: 早上好\n    ",
        ),
    ];
    for (language, form, texts, before, after) in cases {
        let folder = &Dir::new();
        let team = format!(
            r#"Team(name: "solo", language: {language}, participants: [(name: "Ava", stream: true)], max_turns: 1)"#
        );
        write(&folder.join("solo.ron"), &team);
        let (let_go_on, go_on) = channel();
        let port = serve(texts, go_on);
        let options = format!("--lang {language} --format {form}");
        let chat = format!("chat solo.ron --model some --task hi {options}");
        let mut program = command(folder, &chat)
            .env("OPENAI_BASE_URL", format!("http://127.0.0.1:{port}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut page = Vec::new();
        let mut stdout = program.stdout.take().unwrap();
        while !String::from_utf8_lossy(&page).ends_with(texts[1]) {
            let mut bytes = [0; 256];
            let count = stdout.read(&mut bytes).unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(&page));
            page.extend_from_slice(&bytes[..count]);
        }
        assert!(String::from_utf8_lossy(&page).contains(before));
        let_go_on.send(()).unwrap();
        stdout.read_to_end(&mut page).unwrap();
        let ended = program.wait_with_output().unwrap();
        assert_ok(&ended);
        let page = String::from_utf8(page).unwrap();
        has(&page, &[after]);
        // It is not told once more.
        assert_eq!(page.matches(texts[2]).count(), 1, "{page}");
    }
}

#[test]
fn a_talk_that_is_broken_off_says_how_it_goes_on_and_ends_as_an_unbroken_one() {
    let folder = &Dir::new();
    for (team, lang, task) in [
        ("en/writing-desk", "en", "Write of the sea"),
        ("zh/xiezuo-tai", "zh", "写写大海"),
    ] {
        let whole = format!("whole-{lang}");
        let go = |more: &str| chat(folder, &format!("chat {team} --lang {lang} {more}"), task);
        assert_ok(&go(&format!("--save {whole} -q")));
        let (capped, paused) = (format!("capped-{lang}"), format!("paused-{lang}"));
        let stopped = go(&format!("--save {capped} --max-calls 1"));
        assert_eq!(stopped.status.code(), Some(6), "{}", err(&stopped));
        let until = go(&format!("--save {paused} --until 1"));
        assert_ok(&until);
        for (slot, told) in [(&capped, err(&stopped)), (&paused, err(&until))] {
            has(&told, &[&format!("playhouse resume {slot}")]);
            if lang == "zh" {
                lacks(&told, &["calls are used"]);
            }
            succeed(folder, &format!("resume {slot} --max-calls 1000 -q"));
            let world = |slot: &str| world(folder, slot);
            assert!(world(slot) == world(&whole), "{slot}");
        }
    }
}

#[test]
fn a_task_that_is_given_to_an_unfinished_talk_is_heard_at_once_and_replayed() {
    let folder = &Dir::new();
    let first = "Write of the sea";
    let again = "Write of the hills instead";
    for until in 1..3 {
        let slot = format!("slot-{until}");
        let paused = format!("chat en/writing-desk --save {slot} --until {until}");
        talk(folder, &paused, first);
        let resumed = talk(folder, &format!("resume {slot} --json"), again);
        let mut said = records_of(&resumed);
        said.retain(|line| line["message"]["type"] == "TextMessage");
        assert_eq!(said[0]["message"]["content"], again, "{said:?}");
        assert!(said.len() > 1, "somebody answers: {said:?}");
        let replayed = succeed(folder, &format!("replay {slot}"));
        has(&out(&replayed), &[again]);
        let trace = out(&run(folder, &format!("show {slot} --view trace Reviewer")));
        has(&trace, &[first, again]);
        talk(folder, &format!("resume {slot} -q"), "And once more");
        succeed(folder, &format!("replay {slot} -q"));
    }
}

#[test]
fn a_save_goes_on_with_another_version_of_its_team_but_not_with_other_participants() {
    let folder = &Dir::new();
    let write = |turns: u32, names: [&str; 2]| {
        let [first, second] = names;
        let team = format!(
            r#"(name: "duo", language: en, max_turns: {turns}, participants: [
                (name: "{first}", system_message: "You draft for {turns} turns."),
                (name: "{second}"),
            ])"#
        );
        write(&folder.join("data/teams/duo.ron"), &team);
    };
    write(3, ["Ada", "Ben"]);
    talk(folder, "chat duo --save slot --until 2", "A line on rain");
    write(5, ["Ada", "Ben"]);
    let resumed = succeed(folder, "resume slot");
    let changed = "  the settings of Ada";
    has(&err(&resumed), &[changed]);
    has(&out(&resumed), &["Maximum number of turns 5"]);
    let memory = out(&run(folder, "show slot Ada"));
    has(&memory, &["You draft for 5 turns."]);
    let again = run(folder, "resume slot --max-calls 0");
    lacks(&err(&again), &[changed]);
    write(5, ["Ada", "Eve"]);
    let refused = exits(folder, "resume slot", 4);
    assert!(err(&refused).contains("the state lacks Eve"));
    assert!(!err(&refused).contains(changed));
    // What was played is played again with what it was played with, and the save has that itself.
    for _ in 0..2 {
        succeed(folder, "replay slot");
        let past = out(&run(folder, "show slot Ada --turn 2"));
        has(&past, &["You draft for 3 turns."]);
        std::fs::remove_dir_all(folder.join("data")).unwrap_or_default();
    }
    talk(folder, "resume slot --max-calls 9", "A line on snow");
}
