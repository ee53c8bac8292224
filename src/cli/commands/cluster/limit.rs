//! `limit`: what all workers of a store may spend together.

use super::store;
use crate::cli::args::LimitArgs;
use crate::cli::prelude::*;
use crate::cluster::{Amounts, ClusterBudget, spent_by_worlds, states};
use crate::mind::Cost;

/// Sets limits, if any are given, and shows what became of them.
pub(in crate::cli) fn limit(app: &App, args: &LimitArgs) -> Result<()> {
    let store = store(args.store.store.as_ref())?;
    let before = ClusterBudget::of(&*store, args.of.as_deref())?;
    let known = before.limits;
    // Those that are not given stay.
    let limits = Amounts {
        calls: args.max_calls.or(known.calls),
        tokens: args.max_tokens.or(known.tokens),
        cost: args
            .max_cost
            .map(|cost| Cost::from_units(cost).0)
            .or(known.cost),
        at_once: args.at_once.or(known.at_once),
    };
    let a_minute = args.tokens_a_minute.or(before.tokens_a_minute);
    if (limits, a_minute) != (known, before.tokens_a_minute) {
        ClusterBudget::limit(&*store, args.of.as_deref(), limits, a_minute)?;
    }
    let mut all = ClusterBudget::of(&*store, None)?;
    // It counts only as long as there are limits.
    if all.limits == Amounts::default() {
        all.spent = spent_by_worlds(&states(&*store)?);
    }
    show(app, None, &all);
    for model in &all.models {
        show(app, Some(model), &ClusterBudget::of(&*store, Some(model))?);
    }
    Ok(())
}

fn show(app: &App, model: Option<&str>, budget: &ClusterBudget) {
    let (limits, spent, granted) = (budget.limits, budget.spent, budget.granted());
    let a_minute = budget.tokens_a_minute;
    if app.settings.json {
        let record = Printed::Budget {
            model,
            limits,
            tokens_a_minute: a_minute,
            spent,
            granted,
        };
        app.out().json(&record);
        return;
    }
    let limit = |limit: Option<u64>| limit.map_or("-".to_owned(), |limit| limit.to_string());
    let money = |cost: u64| Cost(cost).to_string();
    let lines = [
        text!(
            cli_budget_calls,
            spent = spent.calls,
            granted = granted.calls,
            limit = limit(limits.calls)
        ),
        text!(
            cli_budget_tokens,
            spent = spent.tokens,
            granted = granted.tokens,
            limit = limit(limits.tokens)
        ),
        text!(
            cli_budget_cost,
            spent = money(spent.cost),
            granted = money(granted.cost),
            limit = limits.cost.map_or("-".to_owned(), money)
        ),
        text!(
            cli_budget_at_once,
            granted = granted.at_once,
            limit = limit(limits.at_once)
        ),
        text!(cli_budget_a_minute, limit = limit(a_minute)),
    ];
    let head = model.map(|model| text!(cli_budget_of, model));
    let mut out = app.out();
    for line in head.into_iter().chain(lines) {
        out.line(line.in_language(app.language));
    }
}
