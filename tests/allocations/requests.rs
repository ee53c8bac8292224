//! What a request allocates: nothing for a turn of plain text.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use playhouse::context::AgentContext;
use playhouse::interop::format::{Api, NoFiles, Style};
use playhouse::message::{Body, Tags};
use playhouse::mind::Prompt;
use playhouse::mind::http::{ModelSettings, RequestFormat, request_body};
use stats_alloc::Region;

use crate::{ALLOCATOR, alone, common};

/// A thread of the test harness can allocate during a count, and so only add to it: the least
/// of several counts is the request's own.
const REPEATS: usize = 20;

/// How often a request allocates whose history has this many turns.
fn allocations(turns: usize, format: &RequestFormat) -> usize {
    let mut history = AgentContext::new("Mira");
    for number in 0..turns {
        let said = Body::text(common::line(number, 100)).from_sender("Odile Marsh");
        match number % 3 {
            0 => drop(history.add_ai_message([said]).unwrap()),
            _ => drop(history.add_human_message(said, Tags::new())),
        }
    }
    history.stats();
    let question = Body::text("What do you do?");
    let request = || {
        let prompt = Prompt::new("test", &history, &question);
        request_body(&prompt, format, format.model().provider.schema).unwrap()
    };
    // Texts keep what is computed of them at first use.
    request();
    let counts = (0..REPEATS).map(|_| {
        let region = Region::new(ALLOCATOR);
        drop(request());
        let change = region.change();
        change.allocations + change.reallocations
    });
    counts.min().unwrap()
}

#[test]
fn a_turn_of_plain_text_allocates_nothing() {
    let _alone = alone();
    for api in Api::ALL {
        for style in Style::ALL {
            let mut model = ModelSettings::cautious("m");
            (model.provider.api, model.provider.style) = (api, style);
            let format = RequestFormat::new(model, Arc::new(NoFiles));
            let [few, many] = [10, 1_000].map(|turns| allocations(turns, &format));
            assert_eq!(few, many, "{api:?} {style:?}");
        }
    }
}
