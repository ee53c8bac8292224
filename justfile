# Everyday commands; plain `just` lists them.

_list:
    @just --list --unsorted

# Play the default world, or another: `just play zhaoying-ban`
play *arguments:
    cargo run -- {{arguments}}

# Check all code with every feature
check:
    cargo check --all-targets

# Run all tests, or some: `just test -p playhouse-rpg`
test *arguments:
    cargo test {{arguments}}

# Format and lint
lint:
    cargo fmt --all
    cargo clippy --all-targets -- -D warnings

# Review changed snapshots
review:
    cargo insta review

# Run a benchmark group: `just bench turns --quick`
bench group *arguments:
    cargo bench -- {{group}} {{arguments}}

# Check the engine alone
engine:
    cargo check --package playhouse-engine

# Build and pack the program with every feature, to unpack into /usr/local
dist:
    cargo build --package playhouse --profile dist --features full
    just pack target/dist/playhouse

# Pack a program that is built, with its completions and manual pages, as dist/playhouse.tar.gz
pack program:
    rm -rf dist
    install -D -t dist/bin {{program}}
    install -d dist/share/bash-completion/completions dist/share/zsh/site-functions dist/share/fish/vendor_completions.d
    dist/bin/playhouse completions bash > dist/share/bash-completion/completions/playhouse
    dist/bin/playhouse completions zsh > dist/share/zsh/site-functions/_playhouse
    dist/bin/playhouse completions fish > dist/share/fish/vendor_completions.d/playhouse.fish
    dist/bin/playhouse manual dist/share/man/man1 --quiet
    install -D -m 644 -t dist/share/doc/playhouse README.md README.zh.md CHANGELOG.md LICENSE
    tar -czf dist/playhouse.tar.gz -C dist bin share

# Read the documentation of the library
doc:
    cargo doc --no-deps --features full --open

# Run everything that must pass before a change is merged
ci:
    .ci/run
