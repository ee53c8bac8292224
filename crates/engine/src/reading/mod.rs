//! From what a model wrote to what it meant, in this order:
//!
//! 1. special tokens and thoughts are separated ([`SplitText`], [`StreamSplitter`]),
//! 2. calls of tools are found in the text, if tools were offered ([`TextCalls`]),
//! 3. the JSON of an answer is found, and repaired where it has one meaning ([`find_json`]),
//! 4. it is put into the form that was asked for ([`Form`]),
//! 5. with what was offered found in whatever words it was named ([`Offers`]),
//! 6. and what is still wrong is told all at once ([`Fault`]).
//!
//! Of prose, what was put around it is taken off ([`ProseFrame`]), and of
//! what is said aloud, what others say ([`own_words`]).
//!
//! Nothing here knows an ask or a world: texts and schemas go in, values come out. A mind means
//! well, but a wrong reading is worse than another question: what has two meanings has none.

mod arguments;
mod calls;
mod form;
mod json;
mod lines;
mod listing;
mod marks;
pub mod names;
mod options;
mod prose;
mod speech;
mod text;
mod thoughts;
mod words;

pub use arguments::{Arguments, ArgumentsError, ArgumentsRepair};
pub use calls::before_calls;
pub use calls::{CallableTool, TextCall, TextCalls};
pub use form::{Fault, FaultKind, Fitted, Form, Wanted, drop_nulls};
pub(crate) use json::json_at;
pub use json::{Cut, FoundJson, NoJson, find_json};
pub(crate) use lines::members_in;
pub use listing::Listing;
pub use marks::OwnMarks;
pub use names::OtherNames;
pub use options::{Meant, Offer, Offers};
pub(crate) use prose::tidy_texts;
pub use prose::{ProseFrame, letters, whole_sentences, without_speech};
pub use speech::{is_in_third_person, is_told_of, own_words};
pub use thoughts::{SplitText, StreamSplitter, ThinkingDelta};
pub use words::is_title;
