//! The guards that every world has.

use super::{ForgedMarks, Guards, LengthLimit, SecretRule, Secrets};

impl Guards {
    /// The built-in guards: secrets of the world file, then forged marks, then the maximum number
    /// of characters, which comes last so that it also bounds what the others wrote.
    pub fn built_in(max_chars: usize, secrets: Vec<SecretRule>) -> Self {
        let mut guards = Self::none();
        guards.add(Secrets::new(secrets));
        guards.add(ForgedMarks);
        guards.add(LengthLimit { chars: max_chars });
        guards
    }
}
