//! What can be said and done in a turn at home: one table, and a file for what follows from each.
//!
//! The schema of an answer, its check, which words of it are remembered, what an ask lists, the
//! menus at a seat and what the improviser may choose follow from the table; `member.rs` knows
//! where legal values come from, `plan.rs` reads and checks an answer, `rules.rs` carries it out.

#[macro_use]
mod table;

mod announce;
mod attempt;
mod destroy;
mod feels;
mod follow;
mod give;
mod hide;
mod keep;
pub(crate) mod member;
mod movement;
mod plan;
mod promise;
mod query;
mod read;
pub(crate) mod rules;
mod show;
mod speak;
mod take;
mod using;
mod wait;
mod whisper;

use playhouse_engine::event::PromptSet;
use playhouse_engine::exchange::Violation;
use playhouse_engine::memory::Words;
use serde::{Deserialize, Serialize};

use crate::events::ItemHidden;
use crate::talk::TurnTaken;
use member::{Given, Member, Source};
pub(crate) use plan::PlanConstraints;
use rules::{Acting, Rules};
use table::{Action, words};
pub(crate) use table::{ActionSpec, Appeal, Slot, plain};

actions! {
    speak: Speak, Said {
        #[serde(default)] target: String = Addressee, text: String = Speech;
        #[serde(skip_serializing_if = "String::is_empty")]
        language: String = Tongue
    }
    whisper: Whisper, Said { target: String = Confidant, text: String = Speech }
    announce: Announce, Said { text: String = Speech }
    take: Take, Done { item: String = Lying }
    give: Give, Done { item: String = Spare, to: String = Person }
    show: Show, Done { item: String = Held, to: String = Person }
    read: Read, Done { item: String = Readable }
    r#use: Use, Done { #[serde(default)] item: String = Usable; with: String = UsedWith }
    hide: Hide, Done { item: String = Spare }
    destroy: Destroy, Done { item: String = Destructible }
    follow: Follow, Done { who: String = Leader }
    promise: Promise, Beside {
        to: String = Listener, words: String = Vow;
        #[serde(skip_serializing_if = "String::is_empty")]
        item: String = Pledged,
        #[serde(skip_serializing_if = "String::is_empty")]
        place: String = Meeting
    }
    keep: Keep, Beside { ; by: String = Promiser, promise: u64 = PromiseNumber }
    feels: Feels, Felt { about: String = Felt, change: i64 = Step; why: String = Motive }
    attempt: Attempt, Done {
        what: String = Deed;
        #[serde(skip_serializing_if = "String::is_empty")]
        aim: String = Motive
    }
    query: Query, Done { text: String = Search }
    r#move: Move, Done { to: String = Exit }
    wait: Wait, Done { ; reason: String = Reason }
}

pub(super) fn declare_prompts(prompts: &mut PromptSet) {
    prompts
        .declare::<plan::PlanRule>()
        .declare::<rules::Reason>()
        .declare::<ItemHidden>();
}
