//! The environment of a server's process.

use std::collections::BTreeMap;
use std::fmt;

use playhouse_engine::secrets::remember;

/// Variables without which programs hardly run, and that hold no secrets; from `APPDATA` on those
/// of Windows.
const HARMLESS: &str = "HOME LANG LC_ALL LC_CTYPE LC_MESSAGES LOGNAME PATH SHELL TERM TMPDIR TZ USER \
    APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS PATHEXT \
    PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP \
    USERNAME USERPROFILE WINDIR";

/// All variables that a process sees: harmless ones, and those that its entry names.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ChildEnvironment(BTreeMap<String, String>);

impl ChildEnvironment {
    /// The harmless variables, and these. `env` looks up a variable.
    pub fn new<'n>(
        named: impl IntoIterator<Item = &'n str>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let find = |name: &str| Some((name.to_owned(), env(name)?));
        let harmless = HARMLESS.split(' ').filter_map(find);
        let mut variables: BTreeMap<_, _> = harmless.collect();
        for (name, value) in named.into_iter().filter_map(find) {
            if HARMLESS.split(' ').all(|harmless| harmless != name) {
                remember(&value);
            }
            variables.insert(name, value);
        }
        Self(variables)
    }

    /// The variables with their values.
    pub fn variables(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter()
    }
}

impl fmt::Debug for ChildEnvironment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.keys()).finish()
    }
}
