//! Teams from outside: `chat`, `resume`, `replay`, `trace`, in both languages.

#![expect(
    clippy::disallowed_methods,
    reason = "tests write the files that they are about"
)]

use std::path::Path;
use std::process::Output;

use super::{err, out, playhouse, run};

/// Runs the program with a task of several words.
fn chat(folder: &Path, arguments: &str, task: &str) -> Output {
    let mut command = playhouse(folder);
    command.args(arguments.split_whitespace());
    command.args(["--task", task]).output().unwrap()
}

fn assert_ok(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", err(output));
}

#[test]
fn a_team_is_chosen_talks_is_saved_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let listed = out(&run(folder.path(), "chat"));
    assert!(
        listed.contains("en/writing-desk") && listed.contains("zh/xiezuo-tai"),
        "{listed}"
    );
    let task = "What is the weather in Paris, and what is 123 * 456?";
    let told = chat(folder.path(), "chat en/assistant --save one", task);
    assert_ok(&told);
    let page = out(&told);
    for part in [
        "---------- TextMessage (user) ----------",
        "---------- ToolCallRequestEvent (Assistant) ----------",
        "weather({\"city\":\"Paris\"})",
        "56088",
        "---------- Summary ----------",
        "Number of messages: 4",
        "Finish reason: Maximum number of turns 1 reached",
    ] {
        assert!(page.contains(part), "{part} is missing in\n{page}");
    }
    let replayed = run(folder.path(), "replay one");
    assert_ok(&replayed);
    let more = chat(
        folder.path(),
        "resume one",
        "And in Oslo: how is the weather?",
    );
    assert_ok(&more);
    let page = out(&more);
    assert!(
        page.contains("snow, -3 °C") && !page.contains("light rain"),
        "{page}"
    );
}

#[test]
fn the_trace_shows_what_each_call_saw() {
    let folder = tempfile::tempdir().unwrap();
    let told = chat(
        folder.path(),
        "chat en/coordinator --save fair --form log",
        "Find a day for the fair",
    );
    assert_ok(&told);
    let page = out(&told);
    assert!(page.contains("] User: Find a day for the fair\n"), "{page}");
    assert!(
        page.contains("Stop reason: Maximum number of turns 3 reached\nMessages: 4\n"),
        "{page}"
    );
    assert!(page.contains(" tokens\n"), "{page}");
    let trace = out(&run(folder.path(), "trace fair Coordinator"));
    for part in [
        ">>> AGENT: Coordinator  (call #1)",
        "Sender: harbour-office",
        "Internal context (harbour-office): 1 messages",
        "    [0] [user] User: Find a day for the fair",
        ">>> AGENT: Coordinator  (call #2)",
        "Internal context (harbour-office): 3 messages",
        "    [1] [assistant] Coordinator: ",
        "    [2] [user] Worker: ",
        "\nReply: ",
    ] {
        assert!(trace.contains(part), "{part} is missing in\n{trace}");
    }
    assert!(!trace.contains("AGENT: Worker"));
    let all = out(&run(folder.path(), "trace fair"));
    let calls: Vec<_> = all
        .lines()
        .filter(|line| line.starts_with(">>> "))
        .collect();
    assert_eq!(calls.len(), 4, "the user's task is a call too: {calls:?}");
    let unknown = run(folder.path(), "trace fair Wroker");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(err(&unknown).contains("Worker"), "{}", err(&unknown));
}

/// Everything but the times of day and how long it took, which are other ones each time.
fn timeless(page: &str) -> Vec<String> {
    let lines = page.lines().filter(|line| !line.starts_with("Duration: "));
    let without = |line: &str| match line.split_once("[") {
        Some((before, after)) if after.get(2..3) == Some(":") => {
            format!("{before}{}", after.get(9..).unwrap_or_default())
        }
        _ => line.to_owned(),
    };
    lines.map(without).collect()
}

#[test]
fn what_is_said_in_a_team_that_is_a_tool_is_shown_live_in_replay_and_resume_alike() {
    let folder = tempfile::tempdir().unwrap();
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
            let told = chat(
                folder.path(),
                &format!("chat {team} --save {slot} --form {form}"),
                task,
            );
            assert_ok(&told);
            let replayed = run(folder.path(), &format!("replay {slot} --form {form}"));
            assert_ok(&replayed);
            assert_eq!(timeless(&out(&told)), timeless(&out(&replayed)));
            out(&told)
        };
        let page = shown("rule");
        let inner = format!("    ---------- {panel} › TextMessage ({speaker}) ----------\n    ");
        let result = format!("\n---------- ToolCallExecutionEvent ({host}) ----------\n");
        let (inner, result) = (page.find(&inner).unwrap(), page.find(&result).unwrap());
        assert!(inner < result, "{page}");
        let page = shown("log");
        let lines = timeless(&page);
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with(&format!("    {panel} ›  {doubter}: ")))
        );
        // Said inside, it is no message of this conversation.
        assert!(page.contains("Messages: 4\n"), "{page}");

        let slot = format!("json-{number}");
        let told = chat(
            folder.path(),
            &format!("chat {team} --json --save {slot}"),
            task,
        );
        assert_ok(&told);
        let replayed = run(folder.path(), &format!("replay {slot} --json"));
        assert_eq!(out(&told), out(&replayed));
        let inner = out(&told);
        let inner = inner
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let inner: Vec<serde_json::Value> = inner
            .filter(|line: &serde_json::Value| line["inside"] == panel)
            .collect();
        assert_eq!(inner.len(), 3, "{inner:?}");

        let trace = out(&run(folder.path(), &format!("trace {slot} {doubter}")));
        for part in [
            format!(">>> AGENT: {doubter}  (call #1)\n"),
            format!("Sender: {panel}\nInside: {panel}\n"),
            format!("    [0] [user] {user}: {task}\n"),
        ] {
            assert!(trace.contains(&part), "{part} is missing in\n{trace}");
        }
        let all = out(&run(folder.path(), &format!("trace {slot}")));
        let at = |who: &str| all.rfind(&format!(">>> AGENT: {who} ")).unwrap();
        assert!(at(doubter) < at(speaker) && at(speaker) < at(host), "{all}");
        assert!(all.contains("Reply: readers({\"task\":"), "{all}");
    }
}

#[test]
fn a_resumed_run_shows_what_is_said_inside_from_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
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
    std::fs::write(folder.path().join("twice.ron"), team).unwrap();
    let task = "Test this stone in the lab.";
    let whole = chat(folder.path(), "chat twice.ron --save whole --json", task);
    assert_ok(&whole);
    let whole = out(&whole);
    for inside in ["laboratory", "den"] {
        assert!(
            whole.contains(&format!("\"inside\":\"{inside}\"")),
            "{whole}"
        );
    }
    let messages = |page: &str| -> Vec<String> {
        let lines = page.lines().filter(|line| line.contains("\"message\":"));
        lines.map(str::to_owned).collect()
    };
    for until in 1..5 {
        let first = chat(
            folder.path(),
            &format!("chat twice.ron --save part-{until} --json --until {until}"),
            task,
        );
        assert_ok(&first);
        let rest = run(folder.path(), &format!("resume part-{until} --json"));
        assert_ok(&rest);
        let mut told = messages(&out(&first));
        told.extend(messages(&out(&rest)));
        assert_eq!(told, messages(&whole), "stopped after turn {until}");
    }
    let trace = out(&run(folder.path(), "trace part-2 Flo"));
    assert!(
        trace.contains("(call #2)"),
        "each call of the tool counts:\n{trace}"
    );
}

#[test]
fn a_team_talks_chinese_from_head_to_foot() {
    let folder = tempfile::tempdir().unwrap();
    let task = "北京天气怎么样？123 * 456 等于多少？";
    let told = chat(folder.path(), "chat zh/zhushou --save yi --lang zh", task);
    assert_ok(&told);
    let page = out(&told);
    for part in [
        "北风有些硬",
        "56088",
        "---------- 小结 ----------",
        "消息数：4",
        "结束原因：轮数已达上限 1",
    ] {
        assert!(page.contains(part), "{part} is missing in\n{page}");
    }
    let told = chat(
        folder.path(),
        "chat zh/xietiao --save er --lang zh --form log",
        "给庙会挑个日子",
    );
    assert_ok(&told);
    assert!(
        out(&told).contains("停止原因：轮数已达上限 3\n消息数量：4\n"),
        "{}",
        out(&told)
    );
    let trace = out(&run(folder.path(), "trace er 协调 --lang zh"));
    for part in [
        ">>> AGENT: 协调  (call #1)",
        "Sender: 庙会筹办处",
        "Internal context (庙会筹办处): 1 messages",
        "    [0] [user] 用户: 给庙会挑个日子",
        ">>> AGENT: 协调  (call #2)",
        "Internal context (庙会筹办处): 3 messages",
        "    [1] [assistant] 协调: ",
        "    [2] [user] 干事: ",
        "\nReply: ",
    ] {
        assert!(trace.contains(part), "{part} is missing in\n{trace}");
    }
    assert!(!trace.contains("AGENT: 干事"), "{trace}");
    let all = out(&run(folder.path(), "trace er"));
    let calls = all.lines().filter(|line| line.starts_with(">>> AGENT: "));
    assert_eq!(
        calls.count(),
        4,
        "the task of the user is a call too:\n{all}"
    );
    let unknown = run(folder.path(), "chat zh/zhushuo --lang zh");
    assert_eq!(unknown.status.code(), Some(3));
    assert!(err(&unknown).contains("zh/zhushou"), "{}", err(&unknown));
    let silent = run(folder.path(), "chat zh/zhushou --lang zh");
    assert_eq!(silent.status.code(), Some(2), "{}", err(&silent));
}

#[test]
fn processes_are_started_with_leave_alone_and_a_replay_starts_none() {
    let folder = tempfile::tempdir().unwrap();
    let team = r#"Team(
        name: "shop",
        participants: [
            (name: "Runner", kind: Coder(approver: "Judge")),
            (name: "Judge", system_message: "You judge code."),
        ],
        max_turns: 1,
    )"#;
    std::fs::write(folder.path().join("shop.ron"), team).unwrap();
    let mark = folder.path().join("mark");
    let task = format!("```sh\ntouch {}\n```", mark.display());
    let told = chat(folder.path(), "chat shop.ron --save one", &task);
    assert_ok(&told);
    assert!(out(&told).contains("does not allow sh"), "{}", out(&told));
    // The improviser, who plays the judge, never says yes.
    let told = chat(
        folder.path(),
        "chat shop.ron --save two --allow-code",
        &task,
    );
    assert_ok(&told);
    assert!(out(&told).contains("not approved"), "{}", out(&told));
    assert!(!mark.exists());
    let script = "```rhai\nprint(6 * 7)\n```";
    let told = chat(folder.path(), "chat shop.ron --save three --json", script);
    assert_ok(&told);
    let ran: Vec<serde_json::Value> = out(&told)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &serde_json::Value| line["message"]["type"] == "CodeExecutionEvent")
        .collect();
    assert_eq!(ran[0]["message"]["result"]["output"], "42", "{ran:?}");
    for slot in ["one", "two", "three"] {
        let replayed = run(folder.path(), &format!("replay {slot}"));
        assert_ok(&replayed);
    }
}

#[test]
fn a_team_without_a_task_leaves_every_save_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let told = chat(folder.path(), "chat en/assistant --save one", "Hello");
    assert_ok(&told);
    let before = std::fs::read(folder.path().join("saves/one/journal.jsonl")).unwrap();
    let without = [
        run(folder.path(), "chat en/assistant --save one --force"),
        run(folder.path(), "chat en/assistant"),
        chat(folder.path(), "chat en/assistant --save one --force", " "),
        chat(folder.path(), "resume one", ""),
    ];
    for refused in without {
        assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
        assert!(err(&refused).contains("--task TEXT"), "{}", err(&refused));
    }
    let after = std::fs::read(folder.path().join("saves/one/journal.jsonl")).unwrap();
    assert_eq!(before, after);
    let saves = std::fs::read_dir(folder.path().join("saves")).unwrap();
    assert_eq!(saves.count(), 1);
}

#[test]
fn every_mistake_of_a_team_file_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let team = r#"Team(
        name: "desk",
        participants: [
            (name: "Ava", handoffs: [(target: "Zed")], tools: ["(code)"]),
        ],
        selection: Graph((edges: [(from: "Ava", to: "Bo")])),
    )"#;
    std::fs::write(folder.path().join("desk.ron"), team).unwrap();
    let wrong = run(folder.path(), "chat desk.ron --task x");
    assert_eq!(wrong.status.code(), Some(3), "{}", err(&wrong));
    std::fs::write(folder.path().join("bytes.ron"), b"\xff\xfe").unwrap();
    let odd = run(folder.path(), "chat bytes.ron --task x");
    assert_eq!(odd.status.code(), Some(3));
    assert!(err(&odd).contains("save it as UTF-8"), "{}", err(&odd));
    for part in ["desk.ron:4:", "'Zed'", "'(code)'", "'Bo'"] {
        assert!(
            err(&wrong).contains(part),
            "{part} is missing in {}",
            err(&wrong)
        );
    }
}
