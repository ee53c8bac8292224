//! What a mind is asked for, part by part: flat forms with few members, so that small models can
//! fill them in. `x-names` marks members that name something of the world; their schema lists what
//! there is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Title, places and people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Outline {
    /// The title of the story, a few words.
    pub(super) name: String,
    /// One line that invites to read it.
    pub(super) invitation: String,
    /// What everybody in the story knows when it begins, and what has to be settled: two to five
    /// sentences.
    pub(super) situation: String,
    /// The tone of the story, and how its people behave and speak: one to three sentences.
    pub(super) manner: String,
    /// How many days it lasts, from 1 to 4.
    pub(super) days: i32,
    /// Two to six places, each with at least one way.
    pub(super) places: Vec<Place>,
    /// Three to nine people.
    pub(super) people: Vec<Person>,
    /// What of the writer's text was of no use for a story; usually nothing.
    pub(super) not_used: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Place {
    pub(super) name: String,
    /// What anyone there can see: one or two sentences.
    pub(super) look: String,
    /// The names of the places to which one can walk from here.
    pub(super) leads_to: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Person {
    pub(super) name: String,
    /// Who it is, what it wants and what it is afraid of, which nobody else reads: two to four
    /// sentences.
    pub(super) profile: String,
    /// What others see of it: one sentence.
    pub(super) look: String,
    /// The name of the place where it begins.
    pub(super) place: String,
    /// What it has in mind when the story begins, said to it: "You have …".
    pub(super) begins: String,
}

/// How people speak.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Voices {
    /// One for each person.
    pub(super) voices: Vec<SpokenAs>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct SpokenAs {
    #[schemars(extend("x-names" = "person"))]
    pub(super) who: String,
    /// Three to six lines as it would say them at any time.
    pub(super) lines: Vec<String>,
    /// Words that it never says; may be empty.
    pub(super) never: Vec<String>,
}

/// What can be known, held and felt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Stakes {
    /// Three to ten secrets.
    pub(super) facts: Vec<Secret>,
    /// Things that are held, given and read; may be empty.
    pub(super) items: Vec<Thing>,
    /// What people are to each other.
    pub(super) bonds: Vec<Bond>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Secret {
    /// A short name such as `the-letter`.
    pub(super) id: String,
    /// What it is about, without giving it away.
    pub(super) title: String,
    /// The fact, as those who know it would tell it: one or two sentences.
    pub(super) text: String,
    /// Who knows it when the story begins.
    #[schemars(extend("x-names" = "person"))]
    pub(super) known_by: Vec<String>,
    /// Two to five short phrases that give it away when they are said, word for word.
    pub(super) phrases: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Thing {
    pub(super) name: String,
    /// What it looks like: one sentence.
    pub(super) look: String,
    /// Who has it, or where it lies.
    #[schemars(extend("x-names" = "person or place"))]
    pub(super) at: String,
    /// The ids of the facts that one learns by reading it; usually none.
    pub(super) teaches: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Bond {
    #[schemars(extend("x-names" = "person"))]
    pub(super) from: String,
    #[schemars(extend("x-names" = "person"))]
    pub(super) to: String,
    /// What the other is to it, such as `her late brother's friend`.
    pub(super) word: String,
    /// From -3, hatred, to 3, love.
    pub(super) value: i32,
}

/// Which scenes there are, and how it may end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Plot {
    /// Six to fourteen scenes in the order in which they come.
    pub(super) scenes: Vec<PlannedScene>,
    /// Three to six endings; the last is the one that comes if no other does.
    pub(super) endings: Vec<PlannedEnding>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct PlannedScene {
    /// A short name such as `the-reading`.
    pub(super) id: String,
    #[schemars(extend("x-names" = "place"))]
    pub(super) place: String,
    /// From which day on it may come.
    pub(super) day: u32,
    pub(super) time: Time,
    /// Who has to be there.
    #[schemars(extend("x-names" = "person"))]
    pub(super) present: Vec<String>,
    /// Who has something to decide in it; empty if nobody has.
    #[schemars(extend("x-names" = "person or nobody"))]
    pub(super) decides: String,
    /// The id of a scene without which this one makes no sense; usually empty.
    pub(super) after: String,
    /// What it is about: one or two sentences.
    pub(super) about: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Time {
    #[default]
    Any,
    Morning,
    Afternoon,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct PlannedEnding {
    /// A short name.
    pub(super) id: String,
    pub(super) title: String,
    /// What it takes: one sentence.
    pub(super) about: String,
}

/// The words and options of some scenes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Scenes {
    /// One for each scene that is asked for.
    pub(super) scenes: Vec<WrittenScene>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct WrittenScene {
    #[schemars(extend("x-names" = "scene"))]
    pub(super) id: String,
    /// What everybody there sees as it begins: one to three sentences, in which nobody speaks or
    /// decides. It may name only those who have to be there.
    pub(super) opening: String,
    /// What the one who decides is asked: one or two sentences, "you". Empty if nobody decides.
    pub(super) question: String,
    /// Two to four options of the one who decides; none if nobody does.
    pub(super) options: Vec<WrittenOption>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct WrittenOption {
    /// A short name such as `burn-it`.
    pub(super) id: String,
    /// The option in a few words, as the one who decides reads it, with names: "Give Ann the key".
    pub(super) label: String,
    /// What the others see: one sentence.
    pub(super) seen: String,
    /// A fact that the one who decides must know for it; usually empty.
    #[schemars(extend("x-names" = "fact or nothing"))]
    pub(super) needs_fact: String,
    /// A thing that the one who decides must have for it; usually empty.
    #[schemars(extend("x-names" = "item or nothing"))]
    pub(super) needs_item: String,
    /// The facts that everybody there learns by it.
    #[schemars(extend("x-names" = "fact"))]
    pub(super) reveals: Vec<String>,
    /// Things that change hands.
    pub(super) gives: Vec<Gift>,
    /// Things that are gone for good.
    #[schemars(extend("x-names" = "item"))]
    pub(super) destroys: Vec<String>,
    /// Who goes where.
    pub(super) moves: Vec<Walk>,
    /// Whose feelings change.
    pub(super) feelings: Vec<Feeling>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Gift {
    #[schemars(extend("x-names" = "item"))]
    pub(super) item: String,
    #[schemars(extend("x-names" = "person"))]
    pub(super) to: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Walk {
    #[schemars(extend("x-names" = "person"))]
    pub(super) who: String,
    #[schemars(extend("x-names" = "place"))]
    pub(super) to: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Feeling {
    #[schemars(extend("x-names" = "person"))]
    pub(super) of: String,
    #[schemars(extend("x-names" = "person"))]
    pub(super) towards: String,
    /// By how much, from -2 to 2.
    pub(super) by: i32,
}

/// When the story ends how, and what people want.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Endings {
    /// All endings in the order in which they are looked at; the last needs nothing.
    pub(super) endings: Vec<WrittenEnding>,
    /// One or two for each person who has something to win or lose.
    pub(super) goals: Vec<Aim>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct WrittenEnding {
    pub(super) id: String,
    pub(super) title: String,
    /// The last words that are told: one to three sentences.
    pub(super) closing: String,
    /// Choices that must have been made for it, all of them; one is usually enough.
    #[schemars(extend("x-names" = "choice"))]
    pub(super) chosen: Vec<String>,
    /// Somebody who must know a fact for it; usually empty.
    pub(super) known: Vec<Knower>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Knower {
    #[schemars(extend("x-names" = "person"))]
    pub(super) who: String,
    #[schemars(extend("x-names" = "fact"))]
    pub(super) fact: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Aim {
    #[schemars(extend("x-names" = "person"))]
    pub(super) who: String,
    /// The goal, as it would put it: "To keep the house."
    pub(super) words: String,
    /// The choice by which it is met; empty if none is.
    #[schemars(extend("x-names" = "choice or nothing"))]
    pub(super) met_by: String,
    /// The choice by which it is lost; empty if none is.
    #[schemars(extend("x-names" = "choice or nothing"))]
    pub(super) lost_by: String,
    /// What it says of it in the end if it was met: one sentence.
    pub(super) met_words: String,
    /// What it says of it in the end if it was lost: one sentence.
    pub(super) lost_words: String,
}

/// What is changed so that what was expected comes about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Changes {
    /// Scenes that should come at another time or place, or with other people.
    pub(super) scenes: Vec<MovedScene>,
    /// Endings that should need something else.
    pub(super) endings: Vec<OtherEnding>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct MovedScene {
    #[schemars(extend("x-names" = "scene"))]
    pub(super) id: String,
    #[schemars(extend("x-names" = "place"))]
    pub(super) place: String,
    pub(super) day: u32,
    pub(super) time: Time,
    #[schemars(extend("x-names" = "person"))]
    pub(super) present: Vec<String>,
    #[schemars(extend("x-names" = "scene or nothing"))]
    pub(super) after: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct OtherEnding {
    #[schemars(extend("x-names" = "ending"))]
    pub(super) id: String,
    #[schemars(extend("x-names" = "choice"))]
    pub(super) chosen: Vec<String>,
    pub(super) known: Vec<Knower>,
}

/// A scene with all that it needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct NewScene {
    pub(super) planned: PlannedScene,
    pub(super) written: WrittenScene,
}
