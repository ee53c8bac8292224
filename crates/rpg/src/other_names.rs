//! Under which other names models give the members of answers.

use playhouse_engine::reading::OtherNames;
use playhouse_engine::reading::names::{
    ADDRESSEE, AIM, CHOICE, DEED, DESTINATION, PERSON, REASON, THING, THOUGHT, WORDS,
};

/// Those of all answers of a campaign.
pub(crate) const OTHER_NAMES: OtherNames = &[
    ("mind", THOUGHT),
    ("option", CHOICE),
    ("vote", &["vote_for", "vote_number", "vote_target", "voted"]),
    ("text", WORDS),
    ("say", WORDS),
    ("words", WORDS),
    ("tells", &["tell", "facts", "reveals"]),
    ("reason", REASON),
    ("why", REASON),
    ("target", ADDRESSEE),
    ("target", PERSON),
    ("to", ADDRESSEE),
    ("to", DESTINATION),
    ("who", PERSON),
    ("about", PERSON),
    ("item", THING),
    ("what", DEED),
    ("action", DEED),
    ("aim", AIM),
];
