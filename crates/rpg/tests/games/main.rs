//! The campaign: whole stories, what minds are asked in them, and rehearsals.

mod campaign;
mod course;
mod long_story;
mod memories;
mod prompts;
mod rehearsal;
