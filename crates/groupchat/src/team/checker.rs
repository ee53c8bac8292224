//! Collecting the problems of a team.

use std::fmt::Display;

use playhouse_engine::locale::{Argument, UiText, text};
use playhouse_engine::world_data::Problem;

use super::file::TeamFile;

/// Reports an error: `problem!(checker, "path": text(arguments); help)`.
macro_rules! problem {
    ($checker:expr, $path:literal: $text:ident $(($($arguments:tt)*))?; $help:ident) => {
        $checker.error(
            format_args!($path),
            playhouse_engine::locale::text!($text $(, $($arguments)*)?),
            playhouse_engine::locale::text!($help),
        )
    };
}
pub(super) use problem;

/// How many names a message offers.
const MAX_OFFERED: usize = 20;

/// Collects the problems of one team.
pub(super) struct Checker<'t> {
    pub(super) team: &'t TeamFile,
    pub(super) names: Vec<&'t str>,
    /// The path of the team, for example `teams[0].`.
    pub(super) prefix: String,
    pub(super) problems: Vec<Problem>,
}

impl<'t> Checker<'t> {
    pub(super) fn new(team: &'t TeamFile, prefix: String) -> Self {
        Self {
            team,
            names: team.names(),
            prefix,
            problems: Vec::new(),
        }
    }

    /// Whether it is neither inside another team nor a tool.
    pub(super) fn is_outermost(&self) -> bool {
        self.prefix.is_empty()
    }

    /// Reports an error; the path is relative to the team.
    pub(super) fn error(&mut self, path: impl Display, message: UiText, help: UiText) {
        self.problems.push(Problem {
            field: format!("{}{path}", self.prefix),
            ..Problem::of_file("", message, help)
        });
    }

    pub(super) fn warning(&mut self, path: impl Display, message: UiText, help: UiText) {
        self.error(path, message, help);
        let problem = self.problems.pop().map(Problem::warning);
        self.problems.extend(problem);
    }

    pub(super) fn one_of_names(&self) -> UiText {
        let names = self.names.iter().take(MAX_OFFERED);
        text!(groupchat_help_one_of, names = Argument::list(names))
    }

    pub(super) fn unknown_participant(&mut self, path: &str, name: &str) {
        let help = self.one_of_names();
        self.error(path, text!(groupchat_unknown_participant, name), help);
    }

    /// Whether a participant or the user has this name.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.names.contains(&name) || name == self.team.user
    }

    /// Reports those of these names that neither a participant nor the user has.
    pub(super) fn check_known<'n>(
        &mut self,
        path: &str,
        names: impl IntoIterator<Item = &'n String>,
    ) {
        for name in names {
            if !self.is_known(name) {
                self.unknown_participant(path, name);
            }
        }
    }

    /// Reports those of these sources of messages that neither a participant nor the user is.
    pub(super) fn check_sources<'n>(
        &mut self,
        path: &str,
        sources: impl IntoIterator<Item = &'n String>,
    ) {
        for source in sources {
            if !self.is_known(source) {
                let names = self.names.iter().copied().take(MAX_OFFERED);
                let names = Argument::list(names.chain([self.team.user.as_str()]));
                let help = text!(groupchat_help_one_of, names);
                self.error(path, text!(groupchat_unknown_source, name = source), help);
            }
        }
    }
}
