//! The program `playhouse`.

/// Many small texts come and go in a turn; this allocator is a good deal faster with them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    playhouse::cli::main()
}
