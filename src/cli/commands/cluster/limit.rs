//! `limit`: what all workers of a store may spend together.

use super::store;
use crate::cli::args::LimitArgs;
use crate::cli::prelude::*;
use crate::cluster::{Amounts, ClusterBudget};
use crate::mind::Cost;

/// Sets limits, if any are given, and shows what became of them.
pub(in crate::cli) fn limit(app: &App, args: &LimitArgs) -> Result<()> {
    let store = store(args.store.store.as_ref())?;
    let limits = Amounts {
        calls: args.max_calls,
        tokens: args.max_tokens,
        cost: args.max_cost.map(|cost| Cost::from_units(cost).0),
        at_once: args.at_once,
    };
    let before = ClusterBudget::of(&*store)?.limits;
    // Those that are not given stay.
    let limits = Amounts {
        calls: limits.calls.or(before.calls),
        tokens: limits.tokens.or(before.tokens),
        cost: limits.cost.or(before.cost),
        at_once: limits.at_once.or(before.at_once),
    };
    if limits != before {
        ClusterBudget::limit(&*store, limits)?;
    }
    let budget = ClusterBudget::of(&*store)?;
    let (spent, granted) = (budget.spent, budget.granted());
    if app.settings.json {
        let record = json!({
            "record": "budget", "limits": limits, "spent": spent, "granted": granted,
        });
        app.out().json(&record);
        return Ok(());
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
    ];
    let mut out = app.out();
    for line in lines {
        out.line(line.in_language(app.language));
    }
    Ok(())
}
