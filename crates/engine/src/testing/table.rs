//! Tables of cases as text.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The rows of a table, a line each, with ` => ` between columns. Lines that begin with `//` are
/// remarks.
///
/// # Panics
/// A row has another number of columns.
pub fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    let lines = table.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.map(|line| {
        let columns: Vec<_> = line.split(" => ").collect();
        let columns = columns.try_into();
        columns.unwrap_or_else(|columns| panic!("{columns:?} are not {N} columns"))
    })
}

/// Judges each row of a table on its own.
///
/// # Panics
/// Some rows fail; all that do are named.
pub fn each_row<'t, const N: usize>(table: &'t str, judge: impl Fn([&'t str; N])) {
    let fails = |row: &[&'t str; N]| catch_unwind(AssertUnwindSafe(|| judge(*row))).is_err();
    let failed: Vec<_> = rows(table).filter(fails).collect();
    assert!(failed.is_empty(), "these rows fail: {failed:#?}");
}

#[cfg(test)]
#[test]
fn all_rows_that_fail_are_named() {
    let judged = catch_unwind(|| {
        each_row(
            "// a remark
            1 => 1
            1 => 2
            3 => 4",
            |[one, other]| assert_eq!(one, other),
        );
    });
    let told = judged.expect_err("two fail");
    let told = told.downcast_ref::<String>().expect("says which");
    assert!(told.contains("\"2\"") && told.contains("\"4\"") && told.matches("\"1\"").count() == 1);
}
