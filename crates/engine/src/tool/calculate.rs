//! A calculator: sums of numbers, exact where they are whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{ToolCaller, ToolError, Toolbox};
use crate::world_data::Prompt;

/// The longest expression, in characters.
const LONGEST: usize = 1_000;
/// Parentheses and signs within each other.
const DEEPEST: usize = 64;

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

/// The value of an expression, as text.
fn calculate(expression: &str) -> Result<String, ToolError> {
    let wrong = |problem: Mistake| {
        let words = format!("'{expression}' can't be calculated: {problem}");
        ToolError::new(words).with_prompt(&problem)
    };
    if expression.chars().count() > LONGEST {
        let words = format!("an expression has at most {LONGEST} characters");
        return Err(ToolError::new(words).with_prompt(&Mistake::TooLong(LONGEST)));
    }
    let plain: String = expression.chars().map(plain).collect();
    if let Some(odd) = plain.chars().find(|char| !is_arithmetic(*char)) {
        return Err(wrong(Mistake::Odd(odd)));
    }
    let mut parser = Parser {
        rest: &plain,
        depth: 0,
    };
    let value = parser.sum().and_then(|value| parser.end().map(|()| value));
    match value.map_err(wrong)? {
        Number::Whole(whole) => Ok(whole.to_string()),
        Number::Fraction(fraction) if fraction.is_finite() => Ok(shown(fraction)),
        Number::Fraction(_) => Err(wrong(Mistake::NoNumber)),
    }
}

/// Why an expression has no value.
#[derive(Debug, Error, Serialize, Prompt)]
#[serde(tag = "kind", content = "what", rename_all = "snake_case")]
#[prompt("tools/errors/expression")]
pub(super) enum Mistake {
    #[error("> {0}")]
    TooLong(usize),
    #[error("'{0}'")]
    Odd(char),
    #[error("no number")]
    NoNumber,
    #[error("division by zero")]
    DivisionByZero,
    #[error("too large a number")]
    TooLarge,
    #[error("too deeply nested")]
    TooDeep,
    #[error("unexpected '{0}'")]
    Unexpected(char),
    #[error("it ends too early")]
    EndsEarly,
}

/// Exact as long as it is whole.
#[derive(Clone, Copy)]
enum Number {
    Whole(i64),
    Fraction(f64),
}

impl Number {
    fn as_fraction(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Fraction(fraction) => fraction,
        }
    }

    /// There is no power, which rounds differently from machine to machine.
    fn apply(self, sign: char, right: Self) -> Result<Self, Mistake> {
        let (Self::Whole(a), Self::Whole(b)) = (self, right) else {
            let (a, b) = (self.as_fraction(), right.as_fraction());
            return Ok(Self::Fraction(match sign {
                '+' => a + b,
                '-' => a - b,
                '*' => a * b,
                '/' => a / b,
                _ => a % b,
            }));
        };
        let value = match sign {
            '+' => a.checked_add(b),
            '-' => a.checked_sub(b),
            '*' => a.checked_mul(b),
            // Quotients of whole numbers need not be whole.
            '/' if a.checked_rem(b).is_some_and(|rest| rest != 0) => {
                return Ok(Self::Fraction(a as f64 / b as f64));
            }
            '/' => a.checked_div(b),
            _ => a.checked_rem(b),
        };
        value.map(Self::Whole).ok_or(if b == 0 {
            Mistake::DivisionByZero
        } else {
            Mistake::TooLarge
        })
    }
}

/// Reads an expression by recursive descent.
struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<Number, Mistake> {
        let mut value = self.product()?;
        while let Some(sign) = self.sign(&['+', '-']) {
            value = value.apply(sign, self.product()?)?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<Number, Mistake> {
        let mut value = self.factor()?;
        while let Some(sign) = self.sign(&['*', '/', '%']) {
            value = value.apply(sign, self.factor()?)?;
        }
        Ok(value)
    }

    fn factor(&mut self) -> Result<Number, Mistake> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Mistake::TooDeep);
        }
        let value = match self.sign(&['+', '-', '(']) {
            Some('(') => {
                let value = self.sum()?;
                self.sign(&[')']).ok_or_else(|| self.unexpected())?;
                value
            }
            Some('-') => Number::Whole(0).apply('-', self.factor()?)?,
            Some(_) => self.factor()?,
            None => self.number()?,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn number(&mut self) -> Result<Number, Mistake> {
        let is_digit = |char: char| char.is_ascii_digit() || char == '.';
        let end = self.rest.find(|char| !is_digit(char));
        let (digits, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let whole = digits.parse().map(Number::Whole);
        let number = whole
            .or_else(|_| digits.parse().map(Number::Fraction))
            .map_err(|_| self.unexpected())?;
        self.rest = rest;
        Ok(number)
    }

    /// Takes the next sign if it is one of these.
    fn sign(&mut self, signs: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let sign = self
            .rest
            .chars()
            .next()
            .filter(|char| signs.contains(char))?;
        self.rest = self.rest.strip_prefix(sign)?;
        Some(sign)
    }

    fn end(&self) -> Result<(), Mistake> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    fn unexpected(&self) -> Mistake {
        let next = self.rest.chars().next();
        next.map_or(Mistake::EndsEarly, Mistake::Unexpected)
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
    use crate::testing::told;

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
            ("2 - -3 * +4", "14"),
            ("-7 % 4 + 1.5", "-1.5"),
        ] {
            assert_eq!(calculate(expression).as_deref(), Ok(value), "{expression}");
        }
    }

    #[test]
    fn why_there_is_no_value_is_told_in_chinese() {
        for (expression, chinese) in [
            ("1".repeat(LONGEST + 1).as_str(), "最多 1000 个字符"),
            ("a", "不能有“a”"),
            ("1.0 / 0", "结果不是有限的数"),
            ("1 / 0", "除数是零"),
            ("9223372036854775807 + 1", "数太大"),
            (&"(".repeat(900), "嵌套太深"),
            ("1 + 2)", "这里不该有“)”"),
            ("1 +", "式子没有写完"),
        ] {
            let [en, zh] = told(&calculate(expression).unwrap_err());
            assert!(en.starts_with("This cannot be calculated ("), "{en}");
            let start = format!("算不出来（{chinese}）。请只写");
            assert!(zh.starts_with(&start), "{zh}");
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
            "1 + 2)",
            "3 4",
            "1..2",
            "5 % 0",
            "1.0 / 0",
            &"(".repeat(900),
            &long,
        ] {
            assert!(calculate(expression).is_err(), "{expression}");
        }
    }
}
