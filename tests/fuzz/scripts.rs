//! Scripts that minds write, in processes of the program: whatever they do, they end soon, and
//! nothing else ends with them.

use std::time::Duration;

use playhouse::tool::code::{
    CodeJob, CodeLanguage, CodeOutcome, CodePolicy, RUN_CODE, Snippet, register,
};
use playhouse::tool::{ToolTrace, Toolbox};

/// How a script ended, in a process that may take this long.
async fn ran(code: &str, time: Duration) -> (i32, String) {
    let mut tools = Toolbox::default();
    let policy = CodePolicy {
        script_program: Some(env!("CARGO_BIN_EXE_playhouse").into()),
        time,
        ..CodePolicy::default()
    };
    register(&mut tools, &policy);
    let snippet = Snippet {
        language: CodeLanguage::Rhai,
        code: code.into(),
    };
    let job = CodeJob {
        snippets: vec![snippet],
        approved: false,
    };
    let job = serde_json::to_string(&job).unwrap();
    let tool = tools.get(RUN_CODE).unwrap();
    let running = tool.start_async(&job, Duration::from_secs(60), &ToolTrace::default());
    match CodeOutcome::read(&running.unwrap().await.unwrap()) {
        CodeOutcome::Ended { code, output } => (code, output),
        other => panic!("{other:?}"),
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_script_can_neither_hang_nor_fill_nor_kill_the_program() {
    let long = "let s = \"a b \"; s.pad(90000, \"a b \");";
    for attack in [
        "sleep(1000)".to_owned(),
        "sleep(1e300)".into(),
        // Each of these costs much in one step.
        format!("{long} s.truncate(18_000); loop {{ s.split(\" \"); }}"),
        format!("{long} loop {{ s.replace(\"a\", \"b\").to_upper(); }}"),
        // None of these is counted by the limits on sizes.
        format!("{long} let a = []; loop {{ a.push(s.chars()); }}"),
        "fn f(x) { x } let f = Fn(\"f\"); loop { f = Fn(\"f\").curry([f, f]); }".into(),
        "let a = [1]; loop { let b = a; a = || b; }".into(),
        "let a = []; a.pad(9000, 0..9); let b = []; loop { b.push(a); }".into(),
        "(".repeat(50_000),
    ] {
        let (code, output) = ran(&attack, Duration::from_secs(3)).await;
        assert_ne!(code, 0, "{attack:.80}: {output}");
    }
}
