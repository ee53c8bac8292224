//! The engine's own paths, group by group; `docs/benchmarks.md` has their limits and figures.
//!
//! `cargo bench` runs all groups, each in a process of its own, so that none finds the memory of
//! another; `cargo bench turns` runs one of them, `cargo bench turns/1000/request` a part of it.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a bench that breaks should stop, and says what it measured"
)]

mod answers;
mod archive;
mod broadcast;
mod common;
mod days;
mod format;
mod gather;
mod groupchat;
mod lore;
mod page;
mod rehearse;
mod save;
mod schedule;
mod turns;
mod undercover;
mod world;

use std::process::Command;

use criterion::Criterion;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The groups by the first part of their benchmarks' names.
const GROUPS: &[(&str, fn(&mut Criterion))] = &[
    ("answers", answers::bench),
    ("archive", archive::bench),
    ("broadcast", broadcast::bench),
    ("days", days::bench),
    ("format", format::bench),
    ("gather", gather::bench),
    ("groupchat", groupchat::bench),
    ("lore", lore::bench),
    ("load", save::load),
    ("page", page::bench),
    ("rehearse", rehearse::bench),
    ("save", save::save),
    ("schedule", |_| schedule::bench()),
    ("turns", turns::bench),
    ("undercover", undercover::bench),
    ("world", world::bench),
];

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == gather::SERVE) {
        return common::runtime().block_on(gather::serve());
    }
    let is_named = |name: &str| {
        let mut starts = arguments
            .iter()
            .filter_map(|argument| argument.split('/').next());
        starts.any(|start| start == name)
    };
    match GROUPS.iter().find(|(name, _)| is_named(name)) {
        Some((_, bench)) => {
            let mut criterion = Criterion::default().configure_from_args();
            bench(&mut criterion);
            criterion.final_summary();
        }
        None => {
            for (name, _) in GROUPS {
                let mut group = Command::new(std::env::current_exe().unwrap());
                assert!(group.args(&arguments).arg(name).status().unwrap().success());
            }
        }
    }
}
