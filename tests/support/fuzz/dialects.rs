//! Conversations of other frameworks: whatever is read can be written in every format and for every
//! provider.

use playhouse::interop::format::{Api, Format, FormatOptions, Style, Turn};
use playhouse::interop::{Profile, read, write};

/// One input.
pub(crate) fn run(text: &str) {
    let named = Profile::ALL.iter().map(|profile| Some(*profile));
    for profile in named.chain([None]) {
        let Ok(imported) = read(text, profile) else {
            continue;
        };
        for profile in Profile::ALL {
            write(&imported.conversations, *profile);
        }
        for conversation in &imported.conversations {
            let turns = conversation.messages.iter();
            let turns: Vec<_> = turns
                .map(|message| Turn::full(message.role, &message.body))
                .collect();
            for api in Api::ALL {
                for style in Style::ALL {
                    let format = Format::new(api, style, FormatOptions::cautious(api));
                    // A media file is an error.
                    let _ = format.render(None, &turns);
                }
            }
        }
    }
}
