//! Scripts in a sandbox: no files, no clock, no randomness, no other modules; bounded in steps and
//! memory, so that equal scripts end alike everywhere.

use std::sync::{Arc, Mutex, PoisonError};

use rhai::{Dynamic, Engine, EvalAltResult, Scope};

use super::output::CapturedOutput;
use super::{CodePolicy, OUT_OF_TIME};

/// The maximum size of texts, and of lists and maps.
const MAX_TEXT: usize = 100_000;
const MAX_LIST: usize = 10_000;
/// The maximum depth of calls. A debug build needs much stack for each.
const MAX_CALL_DEPTH: usize = 24;

/// Runs a script and returns its exit code. Its output is what it prints, and the value of its last
/// expression.
pub(super) fn run(code: &str, policy: &CodePolicy, output: &mut CapturedOutput) -> i32 {
    let printed = Arc::new(Mutex::new(output.remainder()));
    let engine = engine(policy, &printed);
    let result = engine.eval_with_scope::<Dynamic>(&mut Scope::new(), code);
    drop(engine);
    output.append(&printed.lock().unwrap_or_else(PoisonError::into_inner));
    match result {
        Ok(value) if value.is_unit() => 0,
        Ok(value) => {
            output.push(&format!("{value}\n"));
            0
        }
        Err(error) => {
            output.push(&format!("{error}\n"));
            match *error {
                EvalAltResult::ErrorTooManyOperations(_) => OUT_OF_TIME,
                _ => 1,
            }
        }
    }
}

fn engine(policy: &CodePolicy, printed: &Arc<Mutex<CapturedOutput>>) -> Engine {
    let mut engine = Engine::new();
    engine.disable_symbol("eval");
    engine.set_max_operations(policy.steps);
    engine.set_max_call_levels(MAX_CALL_DEPTH);
    engine.set_max_expr_depths(48, 24);
    engine.set_max_string_size(MAX_TEXT);
    engine.set_max_array_size(MAX_LIST);
    engine.set_max_map_size(MAX_LIST);
    engine.set_max_variables(256);
    engine.set_max_functions(64);
    let lines = printed.clone();
    engine.on_print(move |line| push(&lines, line));
    let lines = printed.clone();
    engine.on_debug(move |line, _, _| push(&lines, line));
    engine
}

fn push(lines: &Mutex<CapturedOutput>, line: &str) {
    let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    lines.push(line);
    lines.push("\n");
}
