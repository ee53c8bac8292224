//! What scripts may do: an engine made from an allow-list. It has no clock, files, randomness or
//! modules, and no way to wait; its steps and the sizes of its values are bounded. What these
//! bounds miss, the limits of the process stop that it runs in.

use rhai::packages::{
    ArithmeticPackage, BasicArrayPackage, BasicIteratorPackage, BasicMapPackage, BasicMathPackage,
    BasicStringPackage, LogicPackage, MoreStringPackage, Package,
};
use rhai::{Dynamic, Engine, EvalAltResult};

use super::OUT_OF_TIME;

/// The maximum size of texts, and of lists and maps.
const MAX_TEXT: usize = 100_000;
const MAX_LIST: usize = 10_000;
/// The maximum depth of calls. A debug build needs much stack for each.
const MAX_CALL_DEPTH: usize = 24;

/// Runs a script and returns its exit code. It prints line by line; its last line is the value of
/// its last expression, or why it failed.
pub(super) fn run(
    code: &str,
    steps: u64,
    print: impl Fn(&str) + Clone + Send + Sync + 'static,
) -> u8 {
    match engine(steps, print.clone()).eval::<Dynamic>(code) {
        Ok(value) if value.is_unit() => 0,
        Ok(value) => {
            print(&value.to_string());
            0
        }
        Err(error) => {
            print(&error.to_string());
            match *error {
                EvalAltResult::ErrorTooManyOperations(_) => OUT_OF_TIME as u8,
                _ => 1,
            }
        }
    }
}

fn engine(steps: u64, print: impl Fn(&str) + Clone + Send + Sync + 'static) -> Engine {
    let mut engine = Engine::new_raw();
    // All but the core of the language, which can wait, and what nobody needs: times and bytes.
    let allowed = [
        ArithmeticPackage::new().as_shared_module(),
        LogicPackage::new().as_shared_module(),
        BasicMathPackage::new().as_shared_module(),
        BasicStringPackage::new().as_shared_module(),
        MoreStringPackage::new().as_shared_module(),
        BasicIteratorPackage::new().as_shared_module(),
        BasicArrayPackage::new().as_shared_module(),
        BasicMapPackage::new().as_shared_module(),
    ];
    for module in allowed {
        engine.register_global_module(module);
    }
    engine.disable_symbol("eval");
    engine.set_max_operations(steps);
    engine.set_max_call_levels(MAX_CALL_DEPTH);
    engine.set_max_expr_depths(48, 24);
    engine.set_max_string_size(MAX_TEXT);
    engine.set_max_array_size(MAX_LIST);
    engine.set_max_map_size(MAX_LIST);
    engine.set_max_variables(256);
    engine.set_max_functions(64);
    let debug = print.clone();
    engine.on_debug(move |line, _, _| debug(line));
    engine.on_print(print);
    engine
}
