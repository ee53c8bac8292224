//! What is told to whoever watches over workers and servers.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::result::Result;
use std::sync::Arc;

use tokio::runtime::Runtime;

use crate::cli::prelude::{CommandError, ErrorKind, OrFail, json, text};
use crate::cluster::{ClusterBudget, Phase, Store, StoreError, spent_by_worlds, states};
use crate::locale::Localize;
use crate::mind::Cost;
use crate::page::{self, Figure, LibraryError};

/// Tells the figures of a store at an address, if one is given.
pub(in crate::cli) fn monitor(
    runtime: &Runtime,
    store: &Arc<dyn Store>,
    address: Option<SocketAddr>,
) -> Result<(), CommandError> {
    if let Some(address) = address {
        let store = store.clone();
        let monitor = page::monitor(address, Arc::new(move || figures(&*store)));
        runtime.spawn(runtime.block_on(monitor).or_fail(ErrorKind::Other)?);
    }
    Ok(())
}

/// How many worlds and workers there are, and what was spent.
pub(in crate::cli) fn figures(store: &dyn Store) -> Result<Vec<Figure>, LibraryError> {
    let known = || Ok::<_, StoreError>((states(store)?, ClusterBudget::of(store, None)?));
    let (worlds, budget) = known().map_err(|error| error.text())?;
    let spent = spent_by_worlds(&worlds);
    let mut phases = BTreeMap::<_, u64>::new();
    let mut workers = BTreeSet::new();
    for (_, state) in worlds {
        *phases.entry(state.phase).or_default() += 1;
        workers.extend((state.phase == Phase::Playing).then_some(state.worker));
    }
    let figure = |name, value, text| Figure {
        name,
        of: None,
        value,
        text,
    };
    let count = workers.len() as u64;
    let mut figures = vec![figure(
        "playhouse_workers_playing",
        count,
        text!(cli_serve_workers, count),
    )];
    figures.extend(phases.into_iter().map(|(phase, count)| Figure {
        of: Some((
            "phase",
            json!(phase).as_str().unwrap_or_default().to_owned(),
        )),
        ..figure(
            "playhouse_worlds",
            count,
            text!(cli_serve_worlds, phase = phase.text(), count),
        )
    }));
    let cost = Cost(spent.cost).to_string();
    figures.extend([
        figure(
            "playhouse_calls_spent",
            spent.calls,
            text!(cli_serve_calls, count = spent.calls),
        ),
        figure(
            "playhouse_tokens_spent",
            spent.tokens,
            text!(cli_serve_tokens, count = spent.tokens),
        ),
        figure(
            "playhouse_cost_spent_nano",
            spent.cost,
            text!(cli_serve_cost, cost),
        ),
    ]);
    if budget.limits.at_once.is_some() {
        let count = budget.granted().at_once;
        figures.push(figure(
            "playhouse_calls_at_once_granted",
            count,
            text!(cli_serve_at_once, count),
        ));
    }
    Ok(figures)
}
