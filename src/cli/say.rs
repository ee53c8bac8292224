//! The texts of the program.

/// A text in a language: `say!(language, cli_saved_as, slot)`. See [`crate::locale`].
macro_rules! say {
    ($language:expr, $($text:tt)+) => {
        crate::locale::text!($($text)+).in_language($language)
    };
}

pub(crate) use say;
