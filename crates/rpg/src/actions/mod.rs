//! What can be said and done in a turn at home: one table, and a file for what follows from each.
//!
//! The schema of an answer, its check, the menus at a seat and what the improviser may choose
//! follow from the table; `member.rs` knows where legal values come from, `plan.rs` reads and
//! checks an answer, `rules.rs` carries it out.
//!
//! The comments of the table are part of the schema that models read.

#[macro_use]
mod table;

mod announce;
mod attempt;
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
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::talk::TurnTaken;
use member::{Given, Member, Source};
pub(crate) use plan::PlanConstraints;
use rules::{Acting, Rules};
use table::{Action, plain};
pub(crate) use table::{ActionSpec, Appeal, Slot};

actions! {
    /// Say something aloud to somebody here; everybody here hears it.
    speak: Speak, Said {
        /// The name of the one they are meant for.
        target: String = Addressee,
        /// The words themselves, without any name or mark before them.
        text: String = Speech,
        /// The ids of what you tell with these words, of those that you can tell.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tells: Vec<String> = Facts
    }
    /// Say something into one ear.
    whisper: Whisper, Said {
        /// The name of the one they are meant for.
        target: String = Confidant,
        /// The words themselves, without any name or mark before them.
        text: String = Speech,
        /// The ids of what you tell with these words, of those that you can tell.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tells: Vec<String> = Facts
    }
    /// Have something made known in every place.
    announce: Announce, Said {
        /// The words themselves.
        text: String = Speech,
        /// The ids of what you tell with these words, of those that you can tell.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tells: Vec<String> = Facts
    }
    /// Take something that lies here.
    take: Take, Done {
        /// The name of the item.
        item: String = Lying
    }
    /// Give somebody here something that you have.
    give: Give, Done {
        /// The name of an item that you have.
        item: String = Held,
        /// The name of the one it is for.
        to: String = Person
    }
    /// Show somebody here something that you have.
    show: Show, Done {
        /// The name of an item that you have.
        item: String = Held,
        /// The name of the one it is for.
        to: String = Person
    }
    /// Read something that you have or that lies here.
    read: Read, Done {
        /// The name of the item.
        item: String = Readable
    }
    /// Use something that you have or that lies here.
    r#use: Use, Done {
        /// The name of the item.
        #[serde(default)]
        item: String = Usable;
        /// With whom or what; empty if with nothing.
        with: String = UsedWith
    }
    /// Hide something that you have where you are; nobody sees it.
    hide: Hide, Done {
        /// The name of the item.
        item: String = Held
    }
    /// Go along with somebody here who leaves.
    follow: Follow, Done {
        /// The name of the one whom you follow.
        who: String = Leader
    }
    /// Promise something to somebody here.
    promise: Promise, Beside {
        /// The name of the one to whom you give it.
        to: String = Listener,
        /// What you promise, in the first person.
        words: String = Vow
    }
    /// Keep what you have promised.
    keep: Keep, Beside {
        ;
        /// The name of the one to whom you gave it.
        to: String = Promisee,
        /// Its number among those that you have not kept yet.
        promise: u64 = PromiseNumber
    }
    /// How your feelings for somebody here have changed, if they have.
    feels: Feels, Felt {
        /// The name of the one it is about.
        about: String = Felt,
        /// 1 if you like them better now, -1 if you like them less.
        change: i64 = Step;
        /// Why, in a few words.
        #[schemars(!default)]
        why: String = Motive
    }
    /// Try something else; the place judges whether and how it comes off.
    attempt: Attempt, Done {
        /// What you do, as everybody here sees it, beginning with a verb.
        what: String = Deed;
        /// What for, which the place alone reads, to judge it.
        #[serde(skip_serializing_if = "String::is_empty")]
        aim: String = Motive
    }
    /// Search your memory and what you know.
    query: Query, Done {
        /// What you look for.
        text: String = Search
    }
    /// Walk to another place.
    r#move: Move, Done {
        /// The name of the place to go to.
        to: String = Exit
    }
    /// Do nothing; the talk ends when everybody waits.
    wait: Wait, Done {
        ;
        /// Why, in a few words.
        #[schemars(!default)]
        reason: String = Reason
    }
}

/// Adds the templates of this module.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    member::add_templates(prompts);
    plan::add_templates(prompts);
    rules::add_templates(prompts);
    add_templates_of_actions(prompts);
}
