//! Scripts in a sandbox: no files, no clock, no randomness, no other modules; bounded in steps and
//! memory, so that equal scripts end alike everywhere.

use std::sync::{Arc, Mutex, PoisonError};

use rhai::{Dynamic, Engine, EvalAltResult, Scope};

use super::{CodePolicy, OUT_OF_TIME, Said};

/// The longest text, list and table of a script.
const LONGEST_TEXT: usize = 100_000;
const LONGEST_LIST: usize = 10_000;
/// Calls within calls: a debug build needs much stack for each.
const DEEPEST: usize = 24;

/// Runs a script; what it prints and the value of its last expression are its output.
pub(super) fn run(code: &str, policy: &CodePolicy, said: &mut Said) -> i32 {
    let printed = Arc::new(Mutex::new(Said::new(said.left)));
    let engine = engine(policy, &printed);
    let result = engine.eval_with_scope::<Dynamic>(&mut Scope::new(), code);
    drop(engine);
    let printed = std::mem::replace(
        &mut *printed.lock().unwrap_or_else(PoisonError::into_inner),
        Said::new(0),
    );
    said.push(&printed.text);
    said.is_cut |= printed.is_cut;
    match result {
        Ok(value) if value.is_unit() => 0,
        Ok(value) => {
            said.push(&format!("{value}\n"));
            0
        }
        Err(error) => {
            said.push(&format!("{error}\n"));
            match *error {
                EvalAltResult::ErrorTooManyOperations(_) => OUT_OF_TIME,
                _ => 1,
            }
        }
    }
}

fn engine(policy: &CodePolicy, printed: &Arc<Mutex<Said>>) -> Engine {
    let mut engine = Engine::new();
    engine.disable_symbol("eval");
    engine.set_max_operations(policy.steps);
    engine.set_max_call_levels(DEEPEST);
    engine.set_max_expr_depths(48, 24);
    engine.set_max_string_size(LONGEST_TEXT);
    engine.set_max_array_size(LONGEST_LIST);
    engine.set_max_map_size(LONGEST_LIST);
    engine.set_max_variables(256);
    engine.set_max_functions(64);
    let lines = printed.clone();
    engine.on_print(move |line| push(&lines, line));
    let lines = printed.clone();
    engine.on_debug(move |line, _, _| push(&lines, line));
    engine
}

fn push(lines: &Mutex<Said>, line: &str) {
    let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    lines.push(line);
    lines.push("\n");
}
