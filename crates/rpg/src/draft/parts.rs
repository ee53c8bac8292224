//! What a mind is asked for, part by part: flat forms with few members, so that small models can
//! fill them in. `x-names` marks members that name something of the world; their schema lists what
//! there is, unless it comes with the answer itself (`own`). What is an `Option` may be left out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares the forms: all of them may lack any member. `who: String = "person"` names something.
macro_rules! forms {
    ($($(#[$about:meta])* $name:ident {
        $($(#[$member:meta])* $field:ident: $type:ty $(= $names:tt)?,)+
    })+) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub(super) struct $name {
            $(
                $(#[$member])*
                $(#[schemars(extend("x-names" = $names))])?
                pub(super) $field: $type,
            )+
        }
    )+};
}

forms! {
    /// Title, places and people.
    Outline {
        /// The title of the story, a few words.
        name: String,
        /// One line that invites to read it.
        invitation: String,
        /// What everybody in the story knows when it begins, and what has to be settled: two to
        /// five sentences.
        situation: String,
        /// The tone of the story, and how its people behave and speak: one to three sentences.
        manner: String,
        /// How many days it lasts, from 1 to 4.
        days: i32,
        /// Into which parts each day falls, two to four, in order: `morning` and `afternoon`, or,
        /// in a story of a night, such as `at nine` and `past midnight`.
        hours: Vec<String>,
        /// Two to six places, each with at least one way.
        places: Vec<Place>,
        /// Three to nine people.
        people: Vec<Person>,
        /// What of the writer's text was of no use for a story; usually nothing.
        not_used: Vec<String>,
    }

    Place {
        name: String,
        /// What anyone there can see: one or two sentences.
        look: String,
        /// The names of the places to which one can walk from here.
        connects: Vec<String> = "own place",
    }

    Person {
        name: String,
        /// Who it is, what it wants and what it is afraid of, which nobody else reads: two to four
        /// sentences.
        profile: String,
        /// What others see of it: one sentence.
        look: String,
        /// How most others address it, such as `Madame Sarrant`; empty for the first part of its
        /// name.
        called: String,
        /// The name of the place where it begins.
        place: String = "own place",
        /// Where it goes for the night; empty if it stays where it is.
        sleeps: String = "own place",
        /// What it has in mind when the story begins, said to it: "You have …".
        begins: String,
    }

    /// How people speak.
    Voices {
        /// One for each person.
        voices: Vec<SpokenAs>,
    }

    SpokenAs {
        who: String = "person",
        /// Three to six lines as it would say them at any time.
        lines: Vec<String>,
        /// Words that it never says; may be empty.
        never: Vec<String>,
    }

    /// What can be known, held and felt.
    Stakes {
        /// Three to ten secrets.
        facts: Vec<Secret>,
        /// Things that are held, given and read; may be empty.
        items: Vec<Thing>,
        /// What people are to each other.
        bonds: Vec<Bond>,
    }

    Secret {
        /// A short name such as `the-letter`.
        id: String,
        /// What it is about, without giving it away.
        title: String,
        /// The fact, as those who know it would tell it: one or two sentences.
        text: String,
        /// Who knows it when the story begins.
        known_by: Vec<String> = "person",
        /// Two to five short phrases that give it away when they are said, word for word.
        phrases: Vec<String>,
    }

    Thing {
        name: String,
        /// What it looks like: one sentence.
        look: String,
        /// Who has it, or where it lies.
        at: String = "person or place",
        /// Whether it lies hidden at its place until somebody finds it or is told of it.
        hidden: bool,
        /// The ids of the facts that one learns by reading it; usually none.
        teaches: Vec<String> = "own fact",
    }

    Bond {
        from: String = "person",
        to: String = "person",
        /// What the other is to it, such as `her late brother's friend`.
        word: String,
        /// From -3, hatred, to 3, love.
        value: i32,
    }

    /// Which scenes there are, and how it may end.
    Plot {
        /// Six to fourteen scenes in the order in which they come.
        scenes: Vec<PlannedScene>,
        /// Three to six endings; the last is the one that comes if no other does.
        endings: Vec<PlannedEnding>,
    }

    PlannedScene {
        /// A short name such as `the-reading`.
        id: String,
        place: String = "place",
        /// From which day on it may come.
        #[schemars(range(min = 1))]
        day: u32,
        /// In which part of the day it comes; empty for any.
        hour: String = "hour or any",
        /// Who has to be there.
        present: Vec<String> = "person",
        /// Who has something to decide in it; empty if nobody has.
        decides: String = "person or nobody",
        /// The id of a scene without which this one makes no sense; usually empty.
        after: String,
        /// What it is about: one or two sentences.
        about: String,
    }

    PlannedEnding {
        /// A short name.
        id: String,
        title: String,
        /// What it takes: one sentence.
        about: String,
    }

    /// The words and options of some scenes.
    Scenes {
        /// One for each scene that is asked for.
        scenes: Vec<WrittenScene>,
    }

    WrittenScene {
        id: String = "own scene",
        /// What everybody there sees as it begins: one to three sentences, in which nobody speaks
        /// or decides. It may name only those who have to be there.
        opening: String,
        /// What the one who decides is asked: one or two sentences, "you". Empty if nobody decides.
        question: String,
        /// Two to four options of the one who decides; none if nobody does.
        options: Vec<WrittenOption>,
    }

    WrittenOption {
        /// A short name such as `burn-it`.
        id: String,
        /// The option in a few words, as the one who decides reads it, with names: "Give Ann the
        /// key".
        label: String,
        /// What the others see: one sentence.
        seen: String,
        /// A fact that the one who decides must know for it; usually empty.
        needs_fact: String = "fact or nothing",
        /// A thing that the one who decides must have for it; usually empty.
        needs_item: String = "item or nothing",
        /// The facts that everybody there learns by it.
        reveals: Vec<String> = "fact",
        /// Things that change hands.
        gives: Vec<Gift>,
        /// Things that are gone for good.
        destroys: Vec<String> = "item",
        /// Who goes where.
        moves: Vec<Walk>,
        /// Whose feelings change.
        feelings: Vec<Feeling>,
    }

    Gift {
        item: String = "item",
        to: String = "person",
    }

    Walk {
        who: String = "person",
        to: String = "place",
    }

    Feeling {
        of: String = "person",
        towards: String = "person",
        /// By how much, from -2 to 2.
        by: i32,
    }

    /// When the story ends how, and what people want.
    Endings {
        /// All endings in the order in which they are looked at; the last needs nothing.
        endings: Vec<WrittenEnding>,
        /// One or two for each person who has something to win or lose.
        goals: Vec<Aim>,
    }

    WrittenEnding {
        id: String,
        title: String,
        /// The last words that are told: one to three sentences.
        closing: String,
        /// Choices that must have been made for it, all of them; one is usually enough.
        chosen: Vec<String> = "choice",
        /// Somebody who must know a fact for it; usually empty.
        known: Vec<Knower>,
    }

    Knower {
        who: String = "person",
        fact: String = "fact",
    }

    Aim {
        who: String = "person",
        /// The goal, as it would put it: "To keep the house."
        words: String,
        /// The choice by which it is met; empty if none is.
        met_by: String = "choice or nothing",
        /// The choice by which it is lost; empty if none is.
        lost_by: String = "choice or nothing",
        /// What it says of it in the end if it was met: one sentence.
        met_words: String,
        /// What it says of it in the end if it was lost: one sentence.
        lost_words: String,
    }

    /// What is changed so that what was expected comes about. What an entry leaves out stays.
    Changes {
        /// Scenes that should come at another time or place, or with other people.
        scenes: Vec<MovedScene>,
        /// Options that should need something else, or be seen otherwise.
        options: Vec<OtherOption>,
        /// Endings that should need something else.
        endings: Vec<OtherEnding>,
    }

    MovedScene {
        id: String = "scene",
        place: Option<String> = "place",
        #[schemars(range(min = 1))]
        day: Option<u32>,
        hour: Option<String> = "hour or any",
        present: Option<Vec<String>> = "person",
        after: Option<String> = "scene or nothing",
        /// Its opening in other words.
        opening: Option<String>,
    }

    OtherOption {
        choice: String = "choice",
        /// A fact that the one who decides must know for it; empty for none.
        needs_fact: Option<String> = "fact or nothing",
        /// A thing that the one who decides must have for it; empty for none.
        needs_item: Option<String> = "item or nothing",
        /// What the others see in other words.
        seen: Option<String>,
    }

    OtherEnding {
        id: String = "ending",
        chosen: Option<Vec<String>> = "choice",
        known: Option<Vec<Knower>>,
        /// Its last words in other words.
        closing: Option<String>,
    }

    /// A scene with all that it needs.
    NewScene {
        planned: PlannedScene,
        written: WrittenScene,
    }
}
