//! Everyday names for what answers hold, for types of replies to
//! [declare](crate::exchange::Reply::OTHER_NAMES) by which other names their members are found.

/// Names of members, each with others under which models give it. A member may stand in several
/// rows.
pub type OtherNames = &'static [(&'static str, &'static [&'static str])];

/// A thought that nobody else learns.
pub const THOUGHT: &[&str] = &[
    "mind", "thought", "thoughts", "thinking", "inner_thought", "inner_thoughts",
    "inner_monologue", "想法", "内心", "心理",
];

/// What is chosen of several things.
pub const CHOICE: &[&str] = &[
    "option", "choice", "choose", "chosen", "decision", "selection", "selected", "pick", "选项",
    "选择", "决定",
];

/// Why.
pub const REASON: &[&str] = &[
    "reason", "why", "because", "reasoning", "rationale", "理由", "原因",
];

/// What is said or written.
pub const WORDS: &[&str] = &[
    "text", "words", "message", "content", "speech", "say", "says", "said", "line", "dialogue",
    "内容", "台词",
];

/// To whom something goes.
pub const ADDRESSEE: &[&str] = &[
    "target", "to", "recipient", "listener", "whom", "target_name", "对象", "目标",
];

/// Where somebody goes.
pub const DESTINATION: &[&str] = &["to", "place", "destination", "location"];

/// Whom something is about.
pub const PERSON: &[&str] = &["who", "whom", "about", "person", "target", "name"];

pub const THING: &[&str] = &["item", "object", "thing", "name"];

/// What is done.
pub const DEED: &[&str] = &["what", "action", "deed"];

pub const AIM: &[&str] = &["aim", "goal", "purpose", "intent"];
