use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::run::run;
use super::*;

fn job(snippets: &[(CodeLanguage, &str)], approved: bool) -> CodeJob {
    let snippets = snippets.iter().map(|(language, code)| Snippet {
        language: *language,
        code: (*code).to_owned(),
    });
    CodeJob {
        snippets: snippets.collect(),
        approved,
    }
}

fn allowing() -> CodePolicy {
    CodePolicy {
        allow_processes: true,
        time: Duration::from_secs(10),
        ..CodePolicy::default()
    }
}

async fn ran(snippets: &[(CodeLanguage, &str)], policy: &CodePolicy) -> (i32, String) {
    match run(&job(snippets, true), policy).await.unwrap() {
        CodeOutcome::Ended { code, output } => (code, output),
        other => panic!("{other:?}"),
    }
}

/// The exit code and the lines of a script, run in this process.
fn ran_here(code: &str) -> (i32, Vec<String>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let printed = lines.clone();
    let code = script::run(code, CodePolicy::default().steps, move |line| {
        printed.lock().unwrap().push(line.to_owned());
    });
    let lines = lines.lock().unwrap().clone();
    (i32::from(code), lines)
}

#[test]
fn a_script_prints_and_tells_its_last_value() {
    let code = "let sum = 0; for n in 1..=10 { sum += n; } print(`up to 10`); sum";
    assert_eq!(ran_here(code), (0, vec!["up to 10".into(), "55".into()]));
    for (code, value) in [
        ("[3, 1, 2].map(|n| n * 2).filter(|n| n > 2).len()", "2"),
        ("let a = [3, 1, 2]; a.sort(); a", "[1, 2, 3]"),
        ("\"a-b\".split(\"-\")[1].to_upper()", "B"),
        ("#{a: 1, b: 2}.keys().len()", "2"),
        (
            "fn f(n) { if n < 2 { n } else { f(n - 1) + f(n - 2) } } f(10)",
            "55",
        ),
        ("sqrt(16.0).to_int() + max(1, 2) + parse_int(\"3\")", "9"),
    ] {
        assert_eq!(ran_here(code), (0, vec![value.into()]), "{code}");
    }
}

#[test]
fn a_script_can_neither_run_on_nor_wait_nor_reach_out() {
    let (code, output) = ran_here("loop { }");
    assert_eq!(code, OUT_OF_TIME, "{output:?}");
    for reaching in [
        "let x = \"a\"; loop { x += x; }",
        "let x = []; loop { x.push(x); }",
        "fn f(n) { f(n + 1) } f(0)",
        "import \"/etc/passwd\" as p;",
        "eval(\"1\")",
        "sleep(1)",
        "sleep(1e300)",
        "sleep(9e15)",
        "exit()",
        "blob(9)",
        "timestamp()",
        "rand()",
        "open(\"/etc/passwd\")",
        "let",
    ] {
        let (code, output) = ran_here(reaching);
        assert_eq!(code, 1, "{reaching}: {output:?}");
        assert!(!output.is_empty());
    }
}

#[tokio::test]
async fn no_process_runs_without_leave_and_a_yes() {
    let code = [(CodeLanguage::Sh, "echo hi")];
    let policy = CodePolicy::default();
    assert_eq!(
        run(&job(&code, true), &policy).await,
        Ok(CodeOutcome::NotAllowed)
    );
    let policy = allowing();
    assert_eq!(
        run(&job(&code, false), &policy).await,
        Ok(CodeOutcome::NeedsApproval)
    );
    // Scripts need neither, but a program to run in.
    let script = job(&[(CodeLanguage::Rhai, "1 + 1")], false);
    let error = run(&script, &CodePolicy::default()).await.unwrap_err();
    assert!(error.to_string().contains("script_program"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn pieces_run_in_order_in_a_folder_of_their_own_until_one_fails() {
    let pieces = [
        (CodeLanguage::Sh, "echo kept > note; echo one"),
        (
            CodeLanguage::Sh,
            "cat note; pwd; env; echo Boom >&2; exit 2",
        ),
        (CodeLanguage::Sh, "echo never"),
    ];
    let (code, output) = ran(&pieces, &allowing()).await;
    assert_eq!(code, 2);
    assert!(output.starts_with("one\nkept\n"), "{output}");
    assert!(output.ends_with("Boom"), "{output}");
    for hidden in ["never", "CARGO"] {
        assert!(!output.contains(hidden), "{output}");
    }
    let folder = output.lines().nth(2).unwrap();
    assert!(
        !std::path::Path::new(folder).exists(),
        "{folder} is left behind"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_process_that_runs_on_is_ended_with_all_that_it_started() {
    let policy = CodePolicy {
        time: Duration::from_millis(300),
        ..allowing()
    };
    let mark = tempfile::NamedTempFile::new().unwrap();
    let code = format!(
        "(sleep 4; echo alive > {}) & sleep 60",
        mark.path().display()
    );
    let (code, _) = ran(&[(CodeLanguage::Sh, &code)], &policy).await;
    assert_eq!(code, OUT_OF_TIME);
    tokio::time::sleep(Duration::from_millis(4_300)).await;
    assert_eq!(std::fs::read_to_string(mark.path()).unwrap(), "");
}

#[cfg(unix)]
#[tokio::test]
async fn output_is_cut_and_never_stops_the_program() {
    let (_, output) = ran(&[(CodeLanguage::Sh, "yes")], &allowing()).await;
    // The line that the limit cut ended with a line break.
    assert_eq!(output.chars().count(), 6_000);
    assert!(output.ends_with('…'));
}

#[test]
fn what_the_tool_returned_is_read_back() {
    for ran in [
        CodeOutcome::NeedsApproval,
        CodeOutcome::NotAllowed,
        CodeOutcome::Ended {
            code: -3,
            output: "a\nb".into(),
        },
        CodeOutcome::Ended {
            code: 0,
            output: String::new(),
        },
    ] {
        assert_eq!(CodeOutcome::read(&ran.to_text()), ran);
    }
    let odd = CodeOutcome::Ended {
        code: 1,
        output: "the tool did not answer".into(),
    };
    assert_eq!(CodeOutcome::read("the tool did not answer"), odd);
}

#[cfg(feature = "scripts")]
#[tokio::test]
async fn too_many_pieces_are_refused_in_both_languages() {
    let job = job(&[(CodeLanguage::Rhai, "1"); 17], true);
    let error = run(&job, &CodePolicy::default()).await.unwrap_err();
    let [en, zh] = playhouse_engine::testing::told(&error);
    assert_eq!(en, error.to_string());
    assert_eq!(zh, "一次最多运行 16 段代码");
}
