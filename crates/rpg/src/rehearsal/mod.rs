//! Rehearsals: the improviser plays a world many times, so that its writer sees what happens how
//! often, without a model.
//!
//! [`rehearse`] plays the runs on all cores, [`RunFigures`] is what one run came to, and
//! [`Rehearsal`] sums them up. What a writer expects of a world is read as [`Expectations`] and
//! compared with a rehearsal. Start reading at `play.rs`.

mod clauses;
pub(crate) mod consistency;
mod course;
mod drama;
mod expectations;
mod figures;
mod missed;
mod play;
mod summary;
mod watch;

pub use clauses::Wording;
pub use consistency::{Contradiction, FalseText};
pub use course::{CourseEdge, CourseNode, NodeKind};
pub use drama::{
    BondSummary, DramaFigures, EndingFigures, FactFigures, GoalSummary, ItemFigures, KnowerFigures,
    OptionFigures, QualityFigures, SceneFigures, SpotFigures, VoteFigures,
};
pub use expectations::{Expectation, Expectations};
pub use figures::{
    BondFigures, GoalFigures, LearnedFact, Moment, RunEnd, RunFigures, RunNotes, Spot, SpotSeen,
    read_runs, write_runs,
};
pub use missed::{MissedFigures, NOWHERE, PartFigures};
pub use play::{
    Find, FindWhen, RUNS_WITH_MEMORIES, RehearsalError, RehearsalPlan, figures_of, play, rehearse,
};
pub use summary::{Activity, FailedRun, FightFigures, PurposeFigures, Rehearsal};
