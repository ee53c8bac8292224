# Everyday commands; plain `just` lists them.

_list:
    @just --list --unsorted

# Play the default world, or another: `just play zhaoying-ban`
play *arguments:
    cargo run --release -- {{arguments}}

# Check all code with every feature
check:
    cargo check --all-targets

# Run all tests, or some: `just test --test games undercover`
test *arguments:
    cargo test {{arguments}}

# Format and lint
lint:
    cargo fmt
    cargo clippy --all-targets -- -D warnings

# Review changed snapshots
review:
    cargo insta review

# Run a benchmark group: `just bench turns --quick`
bench group *arguments:
    cargo bench -- {{group}} {{arguments}}

# Check the engine without its default features
engine:
    cargo check --no-default-features

# Build the program for distribution, with every feature
dist:
    cargo build --profile dist --features full

# Read the documentation of the library
doc:
    cargo doc --no-deps --features full --open

# Run everything that must pass before a change is merged
ci:
    .ci/run
