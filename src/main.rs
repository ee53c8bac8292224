//! The program `playhouse`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
