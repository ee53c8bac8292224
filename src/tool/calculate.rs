//! A calculator: sums of numbers, exact where they are whole.

use std::sync::LazyLock;

use rhai::packages::{ArithmeticPackage, Package};
use rhai::{Dynamic, Engine, EvalAltResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{ToolCaller, ToolError, Toolbox};

/// The longest expression, in characters.
const LONGEST: usize = 1_000;

/// Adds it.
pub(super) fn register(tools: &mut Toolbox) {
    tools.add_pure(
        "calculate",
        "Calculates sums, differences, products, quotients and remainders of numbers, with parentheses.",
        |_: &ToolCaller<'_>, sum: Sum| calculate(&sum.expression),
    );
}

#[derive(Deserialize, JsonSchema)]
struct Sum {
    /// What is to be calculated, such as 12.5 * (3 + 4).
    #[schemars(regex(pattern = r"^[0-9(][0-9. ()]*[-+*/%×÷] ?[-+*/%×÷0-9. ()]*[0-9)]$"))]
    expression: String,
}

/// The grammar of scripts, cut down to arithmetic: no power, which rounds differently from machine to
/// machine.
static ARITHMETIC: LazyLock<Engine> = LazyLock::new(|| {
    let mut engine = Engine::new_raw();
    engine.register_global_module(ArithmeticPackage::new().as_shared_module());
    engine.disable_symbol("**");
    engine.set_max_operations(10_000);
    engine.set_max_expr_depths(64, 0);
    // Quotients of whole numbers are no whole numbers.
    engine.set_fast_operators(false);
    engine.register_fn("/", quotient);
    engine
});

fn quotient(one: i64, other: i64) -> Result<Dynamic, Box<EvalAltResult>> {
    match (one.checked_rem(other), one.checked_div(other)) {
        (Some(0), Some(whole)) => Ok(whole.into()),
        (Some(_), _) => Ok((one as f64 / other as f64).into()),
        (None, _) => Err("division by zero".into()),
    }
}

/// The value of an expression, as text.
fn calculate(expression: &str) -> Result<String, ToolError> {
    let wrong = |problem: String| {
        let words = format!("'{expression}' can't be calculated: {problem}");
        ToolError::new(words).said("tools/errors/expression", json!({"problem": problem}))
    };
    if expression.chars().count() > LONGEST {
        let words = format!("an expression has at most {LONGEST} characters");
        let facts = json!({"problem": format!("> {LONGEST}")});
        return Err(ToolError::new(words).said("tools/errors/expression", facts));
    }
    let plain: String = expression.chars().map(plain).collect();
    if let Some(odd) = plain.chars().find(|char| !is_arithmetic(*char)) {
        return Err(wrong(format!("'{odd}'")));
    }
    let value = ARITHMETIC.eval_expression::<Dynamic>(&plain);
    let value = value.map_err(|error| wrong(error.to_string()))?;
    match (value.as_int(), value.as_float()) {
        (Ok(whole), _) => Ok(whole.to_string()),
        (_, Ok(broken)) if broken.is_finite() => Ok(shown(broken)),
        _ => Err(wrong("no number".into())),
    }
}

/// Signs that people write for those of the grammar.
fn plain(char: char) -> char {
    match char {
        '×' => '*',
        '÷' => '/',
        '−' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xfee0).unwrap_or(char),
        other => other,
    }
}

fn is_arithmetic(char: char) -> bool {
    char.is_ascii_digit() || char.is_ascii_whitespace() || "+-*/%().".contains(char)
}

/// Twelve digits that count: what lies behind is the machine's rounding.
fn shown(value: f64) -> String {
    let rounded = format!("{value:.11e}").parse::<f64>();
    rounded.unwrap_or(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_quotients_are_rounded_for_people() {
        for (expression, value) in [
            ("123 * 456", "56088"),
            ("12.5 * (3 + 4)", "87.5"),
            ("7 / 2", "3.5"),
            ("6 / 2", "3"),
            ("1 / 3", "0.333333333333"),
            ("0.1 + 0.2", "0.3"),
            ("-(2 - 5) % 2", "1"),
            ("９ × ８ ÷ ６", "12"),
        ] {
            assert_eq!(calculate(expression).as_deref(), Ok(value), "{expression}");
        }
    }

    #[test]
    fn what_is_no_sum_is_refused_in_words() {
        let long = "1+".repeat(600);
        for expression in [
            "",
            "1 / 0",
            "2 ** 8",
            "9223372036854775807 + 1",
            "print(1)",
            "\"a\" * 3",
            "1; 2",
            "(1 + 2",
            &"(".repeat(900),
            &long,
        ] {
            assert!(calculate(expression).is_err(), "{expression}");
        }
    }
}
