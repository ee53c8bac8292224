//! Vectors for recall, chosen on the command line, in files of settings and in saves.

use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::model_server::{Reply, serve};
use super::{command, err, has, out, own_settings, spent_on, write};

/// A server on this machine that makes vectors; how many requests it got.
fn vector_server() -> (u16, Arc<AtomicUsize>) {
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = requests.clone();
    let port = serve(move |request| {
        counted.fetch_add(1, Ordering::SeqCst);
        let data = request["input"].as_array().unwrap().iter().map(|text| {
            let bytes = text.as_str().unwrap().bytes().map(usize::from);
            json!({"embedding": [1, bytes.clone().sum::<usize>() % 7, bytes.count() % 5]})
        });
        let data: Vec<_> = data.collect();
        let answer = json!({"data": data, "usage": {"prompt_tokens": 5}});
        Reply::Raw(
            200,
            "content-type: application/json\r\n",
            answer.to_string(),
        )
    });
    (port, requests)
}

/// A user with a model of vectors in its own model file.
struct User {
    home: tempfile::TempDir,
    requests: Arc<AtomicUsize>,
}

impl User {
    fn new() -> Self {
        let (port, requests) = vector_server();
        let home = tempfile::tempdir().unwrap();
        let user = Self { home, requests };
        fs::create_dir_all(user.settings()).unwrap();
        let models = format!(
            r#"(
                providers: {{"own": (base_url: "http://127.0.0.1:{port}")}},
                models: {{"vectors": (provider: "own", model: "small", embeddings: ())}},
            )"#
        );
        write(&user.settings().join("models.ron"), &models);
        user
    }

    fn settings(&self) -> PathBuf {
        own_settings(self.home.path())
    }

    fn run(&self, arguments: &str) -> Output {
        let home = self.home.path();
        let mut program = command(home, arguments);
        program.env("HOME", home).env("APPDATA", home);
        program.output().unwrap()
    }

    /// Runs a command that must succeed; what it printed, and how many requests it made.
    fn told(&self, arguments: &str) -> (String, usize) {
        let output = self.run(arguments);
        let code = output.status.code();
        assert_eq!(code, Some(0), "{arguments}: {}", err(&output));
        (out(&output), self.requests.swap(0, Ordering::SeqCst))
    }

    fn asked(&self, arguments: &str) -> usize {
        self.told(arguments).1
    }
}

#[test]
fn they_are_off_unless_chosen_and_a_save_keeps_the_choice() {
    let user = User::new();
    let play = "--until 3 -q";
    assert_eq!(user.asked(&format!("run --save none {play}")), 0);
    let first = user.asked(&format!("run --save one --embeddings vectors {play}"));
    assert!(first > 0);
    let (cost, _) = user.told("show one --view costs --json");
    let tokens = spent_on("vectors", &cost)["prompt_tokens"].as_u64();
    assert_eq!(tokens, Some(5 * first as u64), "{cost}");
    assert!(
        user.told("show one --view costs")
            .0
            .contains("vectors for recall")
    );
    // Long enough for a chapter to close.
    assert!(user.asked("resume one --until 25 -q") > 0);
    assert_eq!(user.asked("resume one --until 28 -q --embeddings off"), 0);
    assert_eq!(user.asked("resume one --until 31 -q"), 0, "it stays off");
    assert_eq!(user.asked("replay one -q"), 0, "the journal has them");
}

#[test]
fn settings_choose_them_and_the_option_comes_first() {
    let user = User::new();
    let settings = user.settings().join("playhouse.ron");
    write(&settings, "(embeddings: Some(\"vectors\"))");
    let (config, _) = user.told("config --width 200");
    let line = config.lines().find(|line| line.contains("embeddings"));
    let line = line.unwrap_or_default();
    let is_told = line.contains("vectors") && line.contains("playhouse.ron");
    assert!(is_told, "{config}");
    has(&config, &["small"]);
    let play = "--until 2 -q";
    assert_eq!(
        user.asked(&format!("run --save off --embeddings off {play}")),
        0
    );
    assert!(user.asked(&format!("run --save on {play}")) > 0);
    assert!(user.asked("ask on recall 'Odile Marsh' 'Who was there?'") > 0);
}

#[test]
fn a_model_of_vectors_is_tried_as_what_it_is_and_answers_nobody() {
    let user = User::new();
    let (doctor, requests) = user.told("doctor vectors");
    has(&doctor, &["3 numbers"]);
    assert_eq!(requests, 1);
    let output = user.run("run --model vectors --until 1 -q");
    assert_ne!(output.status.code(), Some(0));
    has(&err(&output), &["--embeddings"]);
    // What has no price can't be limited by its cost.
    let output = user.run("run --embeddings vectors --max-cost 1 --until 1 -q");
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert_eq!(user.requests.load(Ordering::SeqCst), 0);
}
