//! Conversations of other frameworks: whatever is read can be written in every form and for every
//! provider.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playhouse::dialect::format::{Api, Format, Shape, Style, Turn};
use playhouse::dialect::{Profile, read, write};

fuzz_target!(|text: &str| {
    let named = Profile::ALL.iter().map(|profile| Some(*profile));
    for profile in named.chain([None]) {
        let Ok(reading) = read(text, profile) else {
            continue;
        };
        for profile in Profile::ALL {
            write(&reading.conversations, *profile);
        }
        for conversation in &reading.conversations {
            let turns = conversation.messages.iter();
            let turns: Vec<_> = turns
                .map(|message| Turn::full(message.role, &message.body))
                .collect();
            for api in Api::ALL {
                for style in Style::ALL {
                    let format = Format::new(api, style, Shape::cautious(api));
                    // A media file is an error.
                    let _ = format.render(None, &turns);
                }
            }
        }
    }
});
