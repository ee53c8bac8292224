//! Builds the crate again when an embedded file changes.

fn main() {
    println!("cargo::rerun-if-changed=src/assets");
}
