//! A stranger's folder: what its files may do before their user trusts them, and after; and keys,
//! which leave the program for their server alone.

#![expect(
    clippy::disallowed_methods,
    reason = "programs are found in the PATH of the tests"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::model_server::{Reply, serve, serve_http};
use super::{Dir, command, err, feed, has, lacks, out, own_settings, playhouse, write};

const KEY: &str = "sk-the-users-own-key-0123";

/// A folder with a world, a home of the user beside it, and a server on this machine that refuses
/// everything.
struct Folder {
    root: tempfile::TempDir,
    port: u16,
    requests: Arc<AtomicUsize>,
}

impl Folder {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("here/data/worlds")).unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = requests.clone();
        let port = serve(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            Reply::Raw(401, "", String::new())
        });
        let folder = Self {
            root,
            port,
            requests,
        };
        folder.exits("new data/worlds/mine", 0);
        folder
    }

    /// One whose user has chosen these models of the provider `p`, and has other settings.
    fn with_own(models: &str, others: &str) -> Self {
        let folder = Self::new();
        write(
            &folder.own().join("models.ron"),
            &folder.models(models, others),
        );
        folder
    }

    /// A model file for the server.
    fn models(&self, models: &str, others: &str) -> String {
        let provider = provider(self.port);
        format!(r#"(providers: {{"p": {provider}}}, models: {{{models}}}, {others})"#)
    }

    /// How many requests the server got.
    fn sent(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    fn here(&self) -> PathBuf {
        self.root.path().join("here")
    }

    /// Where the user's own settings are.
    fn own(&self) -> PathBuf {
        own_settings(&self.root.path().join("home"))
    }

    fn write(&self, path: &str, text: &str) {
        write(&self.here().join(path), text);
    }

    fn run(&self, arguments: &str) -> Output {
        self.answering(arguments, "")
    }

    /// Runs a command that ends with this exit code.
    #[track_caller]
    fn exits(&self, arguments: &str, code: i32) -> Output {
        let output = self.run(arguments);
        let told = err(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {told}");
        output
    }

    /// Runs the program with this on its standard input.
    fn answering(&self, arguments: &str, answer: &str) -> Output {
        self.play(command(&self.here(), arguments), answer)
    }

    /// Runs a program with the user's environment.
    fn play(&self, mut program: Command, answer: &str) -> Output {
        let home = self.root.path().join("home");
        program
            .env("HOME", &home)
            .env("APPDATA", &home)
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("OPENAI_API_KEY", KEY)
            .env("SOME_SECRET", "the-content-of-some-secret");
        let output = feed(program, answer);
        let said = out(&output) + err(&output).as_str();
        lacks(&said, &["panicked"]);
        lacks(&said, &[KEY, "the-content-of"]);
        output
    }
}

const MODEL: &str = r#""m": (provider: "p", model: "x")"#;

#[test]
fn a_save_is_played_on_with_its_model_if_the_user_chose_it() {
    let folder = Folder::with_own(MODEL, "");
    let game = "undercover --players 4 --save";
    folder.exits(&format!("{game} s --model m"), 5);
    let before = folder.sent();
    let resumed = folder.exits("resume s", 5);
    assert!(folder.sent() > before, "the same model is asked again");
    has(&err(&resumed), &["--model m"]);
    folder.exits("branch s twig --turn 0", 0);
    folder.exits("resume twig", 5);
    // A save from elsewhere has the same file, and may not spend the user's money.
    let settings = fs::read_to_string(folder.here().join("saves/s/settings.json")).unwrap();
    folder.exits(&format!("{game} theirs --until 1"), 0);
    folder.write("saves/theirs/settings.json", &settings);
    let before = folder.sent();
    let refused = folder.exits("resume theirs", 2);
    has(&err(&refused), &["--model"]);
    assert_eq!(folder.sent(), before);
    let path = "saves/theirs/settings.json";
    let hash = hash_in(&folder.run(&format!("trust {path}")));
    folder.exits(&format!("trust {path} --hash {hash}"), 0);
    folder.exits("resume theirs", 5);
    assert!(folder.sent() > before);
    // Another model than before, from now on.
    for command in ["resume s --model improviser --until 1", "resume s"] {
        let before = folder.sent();
        folder.exits(command, 0);
        assert_eq!(folder.sent(), before, "{command}");
    }
    folder.write("saves/s/settings.json", "not JSON");
    let damaged = folder.exits("resume s", 4);
    has(&err(&damaged), &["settings.json"]);
}

#[test]
fn a_save_names_no_model_that_neither_its_user_nor_the_world_here_names() {
    let dear = r#""dear": (provider: "p", model: "y")"#;
    let folder = Folder::with_own(&format!("{MODEL}, {dear}"), "");
    let world = folder.here().join("data/worlds/mine/world.ron");
    let text = fs::read_to_string(&world).unwrap();
    let text = text.replacen("faction: Hero,", "faction: Hero, model: \"dear\",", 1);
    folder.write("data/worlds/mine/world.ron", &text);
    let is_played = |command: &str| {
        let before = folder.sent();
        folder.exits(command, 5);
        assert!(folder.sent() > before, "{command}");
    };
    is_played("run mine --model m --save s");
    fs::remove_dir_all(world.parent().unwrap()).unwrap();
    // Its user played it with both models.
    is_played("resume s");
    // A save from elsewhere carries the same world.
    folder.write("saves/s/settings.json", r#"{"model": "improviser"}"#);
    let before = folder.sent();
    let refused = folder.exits("resume s --model m", 2);
    let said = err(&refused);
    has(&said, &["dear", "playhouse trust"]);
    assert_eq!(folder.sent(), before);
    folder.write("data/worlds/mine/world.ron", &text);
    is_played("resume s --model m");
}

#[test]
fn a_model_of_a_player_is_asked_again_only_if_the_user_chose_it() {
    let folder = Folder::with_own(MODEL, "");
    let mut before = folder.sent();
    for command in [
        "undercover --players 4 --model-of Agatha=m --save s",
        "resume s",
        "branch s twig --turn 0",
        "resume twig",
    ] {
        let played = folder.run(command);
        let is_asked = !command.starts_with("branch");
        let expected = if is_asked { 5 } else { 0 };
        assert_eq!(played.status.code(), Some(expected), "{}", err(&played));
        assert_eq!(folder.sent() > before, is_asked, "{command}");
        before = folder.sent();
    }
    // The journal of a save from elsewhere names the model too.
    for settings in [
        r#"{"model": "improviser"}"#,
        r#"{"model": "improviser", "player_models": ["m"]}"#,
    ] {
        folder.write("saves/s/settings.json", settings);
        let refused = folder.exits("resume s", 2);
        has(&err(&refused), &["playhouse trust"]);
        assert_eq!(folder.sent(), before, "{settings}");
    }
    fs::remove_file(folder.here().join("saves/s/settings.json")).unwrap();
    folder.exits("resume s", 2);
    assert_eq!(folder.sent(), before);
}

#[test]
fn in_a_branch_somebody_has_another_model_if_the_user_chose_it() {
    let folder = Folder::with_own(MODEL, "");
    folder.exits("run mine --save tale --until 2 -q", 0);
    let branch = "branch tale twig --turn 1 --model-of";
    folder.exits(&format!("{branch} Nobody=m"), 2);
    folder.exits(&format!("{branch} 'Tam Weller=nosuch'"), 5);
    folder.exits(&format!("{branch} 'Tam Weller=m'"), 0);
    assert_eq!(folder.sent(), 0);
    // It stays with the improviser for all others, and answers with what it would do by itself.
    let resume_until = |turn: u32, code| {
        let resume = "resume twig -q --on-server-error fall-back --until";
        folder.exits(&format!("{resume} {turn}"), code);
    };
    resume_until(3, 0);
    assert!(folder.sent() > 0);
    let model_of = |slot: &str, name: &str| {
        let show = format!("show {slot} '{name}' --view calls --json");
        out(&folder.exits(&show, 0)).contains("\"model\":\"x\"")
    };
    assert!(model_of("twig", "Tam Weller"));
    assert!(!model_of("twig", "Isa Finch") && !model_of("tale", "Tam Weller"));
    folder.exits("replay twig", 0);
    resume_until(4, 0);
    folder.exits("branch twig twig2 --turn 3", 0);
    folder.exits("replay twig2", 0);
    // The journal of a save from elsewhere names the model too.
    let before = folder.sent();
    folder.write("saves/twig/settings.json", r#"{"model": "improviser"}"#);
    resume_until(5, 2);
    folder.write("saves/twig/settings.json", r#"{"player_models": ["m"]}"#);
    resume_until(5, 2);
    assert_eq!(folder.sent(), before);
}

#[test]
fn no_team_spends_more_than_the_user_allowed_by_naming_a_model_without_a_price() {
    let price =
        r#"price: (input: 1.0, cached: 1.0, output: 1.0, currency: "USD", date: "2026-01-01")"#;
    let model = format!(r#""m": (provider: "p", model: "x", {price})"#);
    let folder = Folder::with_own(&model, "");
    folder.write(
        "data/models.ron",
        r#"(models: {"dear": (provider: "p", model: "y")})"#,
    );
    let team = r#"Team(name: "t", language: en, title: "t", max_turns: 2, participants: [
        (name: "A", description: "a", system_message: "s", model: "dear"),
        (name: "B", description: "b", system_message: "s")])"#;
    folder.write("t.ron", team);
    let chat = folder.exits("chat t.ron --model m --max-cost 1 --task hi", 2);
    has(&err(&chat), &["'dear' has none"]);
    assert_eq!(folder.sent(), 0);
}

/// A provider that gives up at once.
fn provider(port: u16) -> String {
    format!(
        r#"(base_url: "http://127.0.0.1:{port}", key_env: "OPENAI_API_KEY",
            retry: (times: 0, patience: 0), timeouts: (first_byte: 5.0, between_bytes: 5.0))"#
    )
}

/// The hash that an error names.
fn hash_in(output: &Output) -> String {
    let said = err(output);
    let hash = said.split_whitespace().find(|word| word.len() == 64);
    hash.unwrap().to_owned()
}

#[test]
fn a_strangers_folder_runs_sends_and_reads_nothing() {
    let folder = Folder::new();
    let port = folder.port;
    let base_url = format!(r#"base_url: "http://127.0.0.1:{port}""#);
    let openai = provider(port);
    let kinds = [
        ("another address for a provider", format!(r#"providers: {{"openai": {openai}}}"#)),
        (
            "a provider of its own",
            format!(r#"providers: {{"p": {openai}}}, models: {{"m": (provider: "p", model: "x")}}"#),
        ),
        (
            "an address of a model",
            format!(r#"models: {{"m": (provider: "openai", model: "x", {base_url})}}"#),
        ),
        (
            "a variable as a key",
            r#"models: {"m": (provider: "ollama", model: "x", key_env: "SOME_SECRET")}"#.into(),
        ),
        (
            "a variable as the name of a model",
            r#"models: {"m": (provider: "openai", model: "x", model_env: "SOME_SECRET")}"#.into(),
        ),
        (
            "another meaning of a known name",
            r#"models: {"openai": (provider: "openai", model: "dear")}"#.into(),
        ),
        (
            "a price",
            r#"models: {"m": (provider: "openai", model: "x", price: (input: 0, cached: 0, output: 0, currency: "USD", date: "-"))}"#.into(),
        ),
        (
            "members of requests",
            r#"models: {"m": (provider: "openai", model: "x", extra: {"tools_at": "http://evil.example"})}"#.into(),
        ),
        (
            "a program",
            r#"servers: {"s": (command: "sh", args: ["-c", "echo ran > ran"])}"#.into(),
        ),
        (
            "a server of tools",
            format!(r#"servers: {{"s": (url: "http://127.0.0.1:{port}/mcp", token_env: "SOME_SECRET")}}"#),
        ),
        ("web pages", r#"web: (hosts: ["*.example"], private: ["localhost"])"#.into()),
    ];
    for (kind, members) in kinds {
        folder.write("data/models.ron", &format!("({members})"));
        for command in [
            "doctor",
            "doctor openai --json",
            "doctor s",
            "config --json",
            "run mine --model m --save s",
            "run mine --model openai --save s",
        ] {
            let output = folder.run(command);
            let said = err(&output).replace("\n    ", " ");
            assert_eq!(output.status.code(), Some(2), "{kind}, {command}: {said}");
            assert!(said.contains("playhouse trust"), "{kind}: {said}");
        }
    }
    let output = folder.run("doctor --lang zh");
    has(&err(&output), &["需要你的信任"]);
    assert_eq!(folder.sent(), 0);
    assert!(!folder.here().join("ran").exists() && !folder.here().join("saves").exists());
    // Whoever plays without models is not bothered, and a bug in the check would not be hidden.
    folder.exits("run mine --until 1 -q", 0);
}

#[test]
fn a_folders_settings_choose_no_model_and_no_folder_elsewhere() {
    let folder = Folder::with_own(r#""dear": (provider: "p", model: "x")"#, "");
    for settings in [
        r#"(model: "dear")"#,
        r#"(saves: "../elsewhere")"#,
        r#"(data: "/")"#,
    ] {
        let settings = settings.replace(": \"", ": Some(\"").replace("\")", "\"))");
        folder.write("playhouse.ron", &settings);
        let output = folder.exits("run mine --until 1", 2);
        has(&err(&output), &["playhouse trust playhouse.ron"]);
        folder.exits("--help", 0);
    }
    assert_eq!(folder.sent(), 0);
    folder.write("playhouse.ron", r#"(model: Some("dear"))"#);
    assert_eq!(folder.answering("trust", "yes\n").status.code(), Some(0));
    folder.exits("run mine --until 1", 5);
    assert!(folder.sent() > 0);
    // Settings that only suit the folder need no trust.
    folder.write(
        "playhouse.ron",
        r#"(lang: Some(zh), world: Some("mine"), saves: Some("kept"))"#,
    );
    folder.exits("--until 1 -q", 0);
    assert!(folder.here().join("kept").is_dir());
    // A link leads out as well as words do.
    let elsewhere = tempfile::tempdir().unwrap();
    for (link, settings) in [
        ("out", r#"(saves: Some("out"))"#),
        ("out", r#"(saves: Some("out/deep/new"))"#),
        ("out", r#"(data: Some("out"))"#),
        ("nothing", r#"(saves: Some("nothing"))"#),
    ] {
        let target = elsewhere
            .path()
            .join(if link == "out" { "" } else { "later" });
        let _ = std::os::unix::fs::symlink(target, folder.here().join(link));
        folder.write("playhouse.ron", settings);
        let output = folder.run("run mine --until 1");
        let told = err(&output);
        assert_eq!(output.status.code(), Some(2), "{settings}: {told}");
        has(&told, &["playhouse trust playhouse.ron"]);
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}

#[test]
fn trust_is_for_one_content_at_one_place_and_can_be_revoked() {
    let folder = Folder::new();
    let servers = r#"servers: {"s": (command: "sh", args: ["-c", "echo ran > ran"], start: 2)}"#;
    let models = folder.models(MODEL, servers);
    folder.write("data/models.ron", &models);
    let no = folder.answering("trust", "no\n");
    assert_eq!(no.status.code(), Some(1));
    let shown = err(&no).replace("\n    ", " ");
    has(
        &shown,
        &[
            r#"servers.s runs "sh" "-c" "echo ran > ran""#,
            "with the key in OPENAI_API_KEY",
            "content (BLAKE3): ",
        ],
    );
    folder.exits("doctor m", 2);
    folder.exits("trust data/models.ron", 1);
    let other = folder.exits("trust data/models.ron --hash 00ff", 1);
    let hash = hash_in(&other);
    assert_eq!(folder.sent(), 0);
    assert!(!folder.here().join("ran").exists());

    folder.exits(&format!("trust data/models.ron --hash {hash}"), 0);
    folder.exits("doctor m", 5);
    assert!(folder.sent() > 0);
    folder.exits("doctor s", 5);
    assert!(folder.here().join("ran").exists());

    let listed = |state: &str| {
        let listed = out(&folder.run("trust --list --json"));
        let first: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
        assert_eq!(first["state"], state, "{listed}");
    };
    listed("same");
    let before = folder.sent();
    folder.write(
        "data/models.ron",
        &models.replace("ran > ran", "more > ran"),
    );
    listed("changed");
    folder.exits("doctor", 2);
    folder.write("data/models.ron", &models);
    folder.exits("config", 0);
    // The same content may name other programs elsewhere.
    folder.write("copy/models.ron", &models);
    fs::create_dir_all(folder.here().join("copy/worlds")).unwrap();
    folder.exits("doctor --data copy", 2);
    folder.exits("trust data/models.ron --revoke", 0);
    folder.exits("doctor", 2);
    assert_eq!(folder.sent(), before);
}

#[test]
fn the_users_own_files_need_no_trust() {
    let folder = Folder::new();
    let model = r#""m": (provider: "p", model: "x", model_env: "SOME_SECRET")"#;
    let models = folder.models(model, "");
    folder.write("named.ron", &models);
    folder.exits("doctor m", 5);
    assert_eq!(folder.sent(), 0);
    let named = folder.exits("doctor m --models named.ron --json", 5);
    has(&out(&named), &["$SOME_SECRET"]);
    let after_named = folder.sent();
    assert!(after_named > 0);
    write(&folder.own().join("models.ron"), &models);
    folder.exits("doctor m", 5);
    assert!(folder.sent() > after_named);
    // A folder adds models of that provider, and a file that was named takes the place of both.
    folder.write(
        "data/models.ron",
        r#"(models: {"ours": (provider: "p", model: "y")})"#,
    );
    let shown = out(&folder.run("config --json"));
    has(&shown, &["\"ours\"", "models.ron"]);
    assert!(!out(&folder.run("config --json --models named.ron")).contains("\"ours\""));
    folder.exits("config --models nowhere.ron", 2);
}

#[test]
fn without_a_home_trust_can_not_be_kept() {
    let folder = &Dir::new();
    write(&folder.join("playhouse.ron"), r#"(model: Some("ollama"))"#);
    super::exits(folder, "config", 2);
    let settings = super::exits(folder, "trust playhouse.ron --hash 0", 1);
    let hash = hash_in(&settings);
    let output = super::exits(folder, &format!("trust playhouse.ron --hash {hash}"), 2);
    has(&err(&output), &["HOME"]);
}

/// A server that says everything it was sent, the key above all, wherever a server can.
fn echoing_server() -> u16 {
    serve_http(|request| {
        let mut head = request.head.lines();
        let key = head.find_map(|line| line.strip_prefix("authorization: "));
        let key = key.and_then(|key| key.split(' ').next_back());
        let key = key.unwrap_or_default();
        if request.json()["model"] == "fail-please" {
            let error = json!({"error": {"message": format!("bad key {key}")}});
            return Reply::Error(error.to_string());
        }
        let (left, right) = key.split_at(key.len() / 2);
        let parts = [
            json!({"reasoning_content": format!("I saw {key}")}),
            json!({"content": format!("Your key is {left}")}),
            json!({"content": format!("{right}, I think")}),
            json!({"content": "."}),
        ];
        let chunk = |delta: Value| {
            let event = json!({"model": format!("m-{key}"), "choices": [{"delta": delta}]});
            format!("data: {event}\n\n")
        };
        let body = parts.map(chunk).concat() + "data: [DONE]\n\n";
        Reply::Raw(200, "content-type: text/event-stream\r\n", body)
    })
}

/// Every file in a folder, as text.
fn all_files(folder: &Path) -> String {
    let mut texts = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        texts += &if path.is_dir() {
            all_files(&path)
        } else {
            String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()
        };
    }
    texts
}

#[test]
fn a_key_that_is_echoed_reaches_no_save_no_log_and_no_terminal() {
    let mut folder = Folder::new();
    folder.port = echoing_server();
    let others = format!(
        r#"{MODEL}, "f": (provider: "p", model: "fail-please"), "path": (provider: "p",
            model: "x", base_url: "http://127.0.0.1:{}/v1/{KEY}/x")"#,
        folder.port
    );
    let models = folder.models(&others, "");
    write(&folder.own().join("models.ron"), &models);
    folder.write(
        "solo.ron",
        r#"Team(name: "solo", language: en, participants: [(name: "Ava", stream: true)], max_turns: 1)"#,
    );
    // `run` looks for the key in all that is printed.
    for form in ["--json -vv", "--format log -vv --log-format json", "-vv"] {
        let output = folder.exits(
            &format!("chat solo.ron --model m --save s --force --task hi {form}"),
            0,
        );
        let page = out(&output);
        has(&page, &["Your key is ***, I think"]);
        let seen: String = page.chars().filter(|c| c.is_ascii_graphic()).collect();
        lacks(&seen, &[KEY]);
        let kept = all_files(&folder.here().join("saves"));
        has(&kept, &["Your key is ***, I think", "I saw ***"]);
        let seen: String = kept.chars().filter(|c| c.is_ascii_graphic()).collect();
        let seen = seen.replace("\\u0007", "");
        assert!(!seen.contains(KEY) && !seen.contains("u0073"), "{kept}");
    }
    for command in [
        "show s --view trace",
        "show s --json",
        "show s --view request",
        "replay s",
        "resume s --task more --model m",
    ] {
        folder.exits(command, 0);
    }
    let failed = folder.run("chat solo.ron --model f --save f --task hi");
    let said = err(&failed) + all_files(&folder.here().join("saves")).as_str();
    has(&said, &["bad key ***"]);
    lacks(&said, &[KEY]);
    for command in [
        "doctor m --json", "doctor f --json", "doctor f", "doctor path", "config",
    ] {
        let output = folder.run(command);
        assert!(!out(&output).is_empty(), "{command}: {}", err(&output));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_tool_server_sees_no_keys_and_leaves_nothing_behind() {
    let folder = Folder::new();
    let script = r#"
        cat /proc/$PPID/environ > parent; env > own
        setsid sh -c 'echo $$ > daemon; sleep 60' > /dev/null 2>&1 < /dev/null &
        while [ ! -s daemon ]; do sleep 0.1; done
    "#;
    let models = format!(
        r#"(servers: {{"s": (command: "sh", args: ["-c", {script:?}], env: ["SOME_SECRET"])}})"#
    );
    write(&folder.own().join("models.ron"), &models);
    let mut program = playhouse(&folder.here());
    if std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap()) == 0 {
        // Whoever is root may look into every process, unless that right is given up.
        let mut unprivileged = Command::new("setpriv");
        unprivileged.args(["--bounding-set=-all", "--inh-caps=-all"]);
        unprivileged.arg(program.get_program()).env_clear();
        unprivileged.current_dir(folder.here());
        program = unprivileged;
    }
    program.args(["doctor", "s"]);
    let output = folder.play(program, "");
    assert_eq!(output.status.code(), Some(5), "{}", err(&output));
    let read = |name: &str| fs::read_to_string(folder.here().join(name)).unwrap();
    assert_eq!(read("parent"), "");
    let own = read("own");
    has(&own, &["SOME_SECRET=the-content", "PATH="]);
    lacks(&own, &["OPENAI"]);
    let daemon = format!("/proc/{}", read("daemon").trim());
    assert!(!Path::new(&daemon).exists(), "{daemon} lives on");
}
