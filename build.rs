//! Builds the crate again when a file of `data/` comes or goes: the whole folder is embedded.

fn main() {
    println!("cargo::rerun-if-changed=data");
}
