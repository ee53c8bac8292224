//! What commands print with `--json`, apart from what feeds tell: the page on records is made of
//! these types.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::dry_run::UnsentPrompt;
use super::provenance::Provenance;
use crate::cast::{Gone, Kind};
#[cfg(feature = "cluster")]
use crate::cluster::{Amounts, WorldState};
use crate::context::{ChapterId, EntryId, Level, Note};
use crate::drama::PromiseState;
use crate::event::EventRecord;
use crate::exchange::Spent;
use crate::groupchat::message::ChatMessage;
use crate::groupchat::team::Listing;
use crate::groupchat::{Retracted, RoleMessage};
use crate::journal::{RecalledMemory, RefusedAnswer, ToolRoundRecord};
use crate::locale::Language;
use crate::memory::Memory;
use crate::message::{Cost, PromptBytes, Role, TokenUsage};
use crate::mind::http::ProbeReport;
use crate::mind::models::{ModelSummary, ServerExamination, ToolServerSummary};
use crate::mind::survey::Finding;
use crate::rpg::StoryOutcome;
use crate::rpg::draft::Shift;
use crate::rpg::experiment::Figure;
use crate::rpg::happening::Happening;
use crate::rpg::rehearsal::{FalseText, Rehearsal, RunFigures};
use crate::rpg::world_file::{Explained, WorldKind, WorldListing};
use crate::save::{BranchPoint, SaveHead};
use crate::statistics::Comparison;
use crate::undercover::{GameFigures, Statistics};
use crate::world_data::{Problem, Problems};

/// A record of a command, such as `{"record": "branch", "slot": "lantern-2", "turn": 4}`.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(tag = "record", rename_all = "snake_case")]
pub(crate) enum Printed<'a> {
    /// A story or a batch begins.
    Start {
        slot: &'a str,
        seed: u64,
        #[serde(flatten)]
        provenance: &'a Provenance,
    },
    /// `resume`: the data of the story have changed.
    DataChanged { changes: Vec<String> },
    /// A story is over: its ending, goals, items and who knows what.
    Outcome { outcome: StoryOutcome },
    /// `run --games`, `experiment`, `rehearse`: a story, as soon as it ends.
    Run {
        /// Its save, if it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        slot: Option<&'a str>,
        #[serde(flatten)]
        provenance: &'a Provenance,
        #[serde(flatten)]
        figures: &'a RunFigures,
    },
    /// `run --games`, `rehearse`: all stories together.
    Rehearsal {
        /// That of the world.
        title: &'a str,
        /// The first.
        seed: Option<u64>,
        /// `rehearse --cost-as`.
        price: Option<RunPrice<'a>>,
        /// The expectations that are not met.
        #[cfg_attr(test, schemars(with = "Vec<Problem>"))]
        unmet: &'a Problems,
        /// `rehearse --find`: the seeds of the stories in which it holds.
        found: Option<Vec<u64>>,
        #[serde(flatten)]
        provenance: &'a Provenance,
        #[serde(flatten)]
        figures: &'a Rehearsal,
    },
    /// `undercover --games`, `--from`: a game, as soon as it ends.
    Game {
        #[serde(flatten)]
        provenance: &'a Provenance,
        #[serde(flatten)]
        figures: &'a GameFigures,
    },
    /// `undercover --games`, `--from`: all games together.
    Tournament {
        slot: Option<&'a str>,
        /// The first.
        seed: Option<u64>,
        #[serde(flatten)]
        provenance: Option<&'a Provenance>,
        #[serde(flatten)]
        figures: Statistics,
    },
    /// `experiment`, `rehearse --against`: what the stories of a condition came to.
    Condition {
        /// The first.
        seed: u64,
        /// How many stories came to an end.
        runs: usize,
        /// Each outcome, as a file names it.
        outcomes: BTreeMap<String, Option<Figure>>,
        #[serde(flatten)]
        provenance: &'a Provenance,
    },
    /// `experiment`, `rehearse --against`: how an outcome differs between a condition and the
    /// first.
    Comparison {
        /// As a file names it.
        outcome: String,
        /// The condition with which it is compared.
        against: &'a str,
        /// The first.
        seed: u64,
        #[serde(flatten)]
        provenance: &'a Provenance,
        #[serde(flatten)]
        figures: &'a Comparison,
    },
    /// A run ends.
    End {
        /// Why it stopped.
        stop: &'a str,
        turn: u64,
        slot: Option<&'a str>,
        spent: Spent,
        /// The share of all prompts that repeats the one before, from 0 to 1.
        repeated_share: f64,
        /// How long answers took: `p50` and `p95`.
        latency_ms: BTreeMap<&'static str, u64>,
        #[serde(flatten)]
        parts: Option<SpentParts>,
    },
    /// The run of a team ends.
    #[serde(rename = "end")]
    TeamEnd {
        /// Why it stopped.
        stop_reason: Option<&'a str>,
        slot: &'a str,
    },
    /// `chat`: a message.
    Message {
        team: &'a str,
        /// The team that is a tool and in which it was said.
        #[serde(skip_serializing_if = "str::is_empty")]
        team_path: &'a str,
        /// The id of its event.
        #[serde(skip_serializing_if = "Option::is_none")]
        event: Option<String>,
        message: &'a ChatMessage,
    },
    /// `chat`: what was shown of a message that is not used.
    Dropped {
        team: &'a str,
        dropped: &'a Retracted,
    },
    /// `show --chapter`: a message that a chapter replaced.
    #[serde(rename = "message")]
    Archived {
        id: EntryId,
        role: Role,
        sender: Option<&'a str>,
        text: &'a str,
    },
    /// `new`: a world or team that was created.
    World {
        path: &'a str,
        kind: WorldKind,
        language: Language,
    },
    /// `new --from`: the draft of a world.
    Draft {
        path: String,
        people: usize,
        scenes: usize,
        endings: usize,
        usage: TokenUsage,
        /// What of the source was not used.
        not_used: &'a [String],
        changed: &'a [String],
        /// The requirements that it does not meet.
        unmet: Vec<&'a String>,
        /// What `check` still warns of.
        warnings: Vec<String>,
    },
    /// `suggest`: a change of a world.
    Suggestion {
        file: &'a str,
        patch: &'a str,
        /// What comes more or less often with it than without it, and what is new.
        shifts: &'a [Shift],
        /// What rehearsals come to no more.
        unmet: Vec<&'a String>,
        /// What `check` warns of because of it.
        warnings: Vec<String>,
    },
    /// `check --explain`: a member of a world file.
    Member { member: &'a Explained },
    /// `saves`: a save.
    Save {
        slot: &'a str,
        is_batch: bool,
        is_experiment: bool,
        /// What the snapshot says of itself.
        head: Option<&'a SaveHead>,
        branch_of: Option<&'a BranchPoint>,
        bytes: u64,
        error: Option<String>,
        /// The turn to which a repair would take it back.
        goes_back_to: Option<u64>,
    },
    /// `saves --repair`: nothing had to be repaired.
    #[serde(rename = "repair")]
    Whole { slot: &'a str, whole: bool },
    /// `saves --repair`: settings were damaged, and are now here.
    #[serde(rename = "repair")]
    SettingsAside { damaged_files: String },
    /// `saves --repair`: what was lost.
    Repair {
        folder: String,
        turn: u64,
        lost_lines: usize,
        keeps_snapshot: bool,
        replays_to: u64,
        /// The folder with what could not be read.
        damaged_files: String,
    },
    /// `branch`.
    Branch { slot: &'a str, turn: u64 },
    /// `show`: somebody.
    Entity {
        id: u32,
        name: &'a str,
        /// `actor`, `stage` or `world_agent`.
        #[cfg_attr(test, schemars(with = "String"))]
        kind: Kind,
        messages: usize,
        tokens: u64,
        chapters: usize,
        /// The cards in hand.
        hand: Vec<&'a str>,
        /// How it has left the story, if it has.
        gone: Option<Gone>,
    },
    /// `show --view costs`: requests that were on their way when the program ended.
    UnknownCost {
        entity: &'a str,
        requests: u64,
        /// What they took at most.
        most_tokens: u64,
        /// Null if the price is unknown.
        most_cost: Option<Cost>,
    },
    /// `ask who` and `ask what`: a fact.
    Fact {
        fact: &'a str,
        title: &'a str,
        everyone: bool,
        /// In the list of all.
        #[serde(skip_serializing_if = "Option::is_none")]
        known_by: Option<usize>,
    },
    /// `ask what`: somebody, and how many facts it knows.
    Knower {
        id: u32,
        name: &'a str,
        facts: usize,
    },
    /// `ask what --about`: what is between two.
    Bond {
        name: &'a str,
        to: &'a str,
        word: &'a str,
        value: i32,
    },
    /// `ask what --about`: what one promised the other.
    Promise {
        name: &'a str,
        to: &'a str,
        words: &'a str,
        state: PromiseState,
    },
    /// `ask what --about`: what one heard of the other.
    Heard {
        name: &'a str,
        about: &'a str,
        event: String,
        text: &'a str,
    },
    /// `ask why`.
    Why {
        event: EventRecord,
        /// The names of those who were told.
        told: Vec<String>,
        /// Everybody else.
        not_told: Vec<NotTold<'a>>,
    },
    /// `recall`: the memories for a question of a corpus.
    Recalled {
        id: &'a str,
        ids: Vec<&'a str>,
        scores: Vec<f32>,
    },
    /// `diff`: where two stories part.
    Diff {
        saves: [&'a str; 2],
        seeds: (u64, u64),
        last_turns: (u64, u64),
        /// Null if one only goes on where the other ends.
        parts_after_turn: Option<u64>,
        /// The asks of the next turn that ended differently, or that only one of them had.
        answers: Vec<PartedAnswer<'a>>,
    },
    /// `diff`: what somebody knows in one story alone: titles and events by fact.
    Knowledge {
        name: &'a str,
        first: BTreeMap<Arc<str>, String>,
        second: BTreeMap<Arc<str>, String>,
        events: BTreeMap<Arc<str>, String>,
    },
    /// `diff`: how two prompts differ.
    Change {
        kind: &'a str,
        messages: Vec<SentMessage<'a>>,
        /// What replaced them.
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<SentMessage<'a>>,
    },
    /// `export` of a page: the file.
    Export {
        slot: &'a str,
        file: String,
        bytes: usize,
    },
    /// `export` of tables: how many rows each has.
    #[serde(rename = "export")]
    Tables {
        slot: &'a str,
        folder: &'a str,
        rows: BTreeMap<&'static str, usize>,
    },
    /// `export` of people: a file for each.
    #[serde(rename = "export")]
    PersonFile {
        file: &'a str,
        name: &'a str,
        lines: usize,
    },
    /// `export` of a log.
    #[serde(rename = "export")]
    LogFile { file: &'a str, entries: usize },
    /// `export --to openai`, `sharegpt`.
    Examples { examples: usize, left_out: LeftOut },
    /// `--dry-run`: what all prompts would cost.
    Total {
        seed: u64,
        prompts: usize,
        tokens: u64,
        /// By currency.
        cost: BTreeMap<&'a str, Cost>,
        without_price: usize,
    },
    /// `play` and `import`: what became of a member of another program's file.
    Import {
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        actor: Option<&'a str>,
        field: &'a str,
        fate: &'a str,
        note: String,
    },
    /// `submit`.
    #[cfg(feature = "cluster")]
    Submitted { world: &'a str },
    /// `cancel`.
    #[cfg(feature = "cluster")]
    Cancelled { world: &'a str },
    /// `worker`: what it does.
    #[cfg(feature = "cluster")]
    Worker {
        world: &'a str,
        news: &'a str,
        turn: Option<u64>,
    },
    /// `limit`: what all workers may spend together, have spent, and were granted.
    #[cfg(feature = "cluster")]
    Budget {
        /// Of one model only.
        model: Option<&'a str>,
        limits: Amounts<Option<u64>>,
        tokens_a_minute: Option<u64>,
        spent: Amounts<u64>,
        granted: Amounts<u64>,
    },
    /// `pack`.
    #[cfg(feature = "cluster")]
    Packed { slot: &'a str, file: &'a str },
    /// `unpack`.
    #[cfg(feature = "cluster")]
    Unpacked { slot: &'a str },
    /// `watch`: where the page is.
    Page { address: &'a str },
    /// `watch`: where somebody plays.
    Seat { name: &'a str, address: &'a str },
    /// `doctor`: what was found out about a server.
    Survey {
        alias: &'a str,
        model: &'a str,
        findings: &'a [Finding],
        requests: u32,
        usage: TokenUsage,
        /// The entry for the model file.
        entry: String,
    },
    /// `config`: a setting, and where it comes from.
    Setting {
        setting: &'a str,
        value: String,
        from: String,
    },
    /// `trust`: a file, and whether it is the `same`, `changed` or `missing`.
    File {
        file: &'a str,
        hash: &'a str,
        state: &'a str,
    },
    /// `data export`.
    Data { folder: &'a str, written: usize },
    /// `manual`.
    Manual { folder: &'a str, written: usize },
    /// `worlds`: a world that can be played.
    #[serde(rename = "world")]
    Listed(&'a WorldListing),
    /// `status`: a world of a store.
    #[cfg(feature = "cluster")]
    #[serde(rename = "world")]
    Played {
        world: &'a str,
        #[serde(flatten)]
        state: &'a WorldState,
    },
    /// `worlds`: what is wrong in a file.
    Problem(&'a Problem),
    /// `chat` without a team: one that there is.
    Team(&'a Listing),
    /// `check`: what is wrong with a world or a team.
    Check {
        #[serde(skip_serializing_if = "Option::is_none")]
        world: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        team: Option<&'a str>,
        playable: bool,
        problems: &'a [Problem],
    },
    /// `rehearse --consistency`: a text that was not true when it was told.
    FalseText {
        seed: u64,
        file: &'a str,
        line: usize,
        #[serde(flatten)]
        found: &'a FalseText,
    },
    /// `show` with a name: its conversation.
    Context {
        name: &'a str,
        /// Its messages in the form of LangChain: any JSON that has `type` and `content`.
        context: Value,
    },
    /// `show --view costs`: what an entity, or all on a purpose, have spent; the members of `usage`
    /// stand in its place.
    Cost {
        #[serde(skip_serializing_if = "Option::is_none")]
        entity: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        purpose: Option<&'a str>,
        #[serde(flatten)]
        #[cfg_attr(test, schemars(with = "Spent"))]
        spent: Value,
    },
    /// `show --view costs`: the bytes of an entity's prompts, and the memories that came with them.
    Prompts {
        entity: &'a str,
        #[serde(flatten)]
        bytes: PromptBytes,
        repeated_share: f64,
        recalled: u64,
        /// Those that answers seem to use.
        used: u64,
    },
    /// `ask who`, `ask what`: somebody knows a fact.
    Known {
        name: &'a str,
        day: u32,
        turn: u64,
        by: &'a str,
        /// The event that taught it.
        event: &'a str,
        /// From whom it came, back to its source.
        from: Vec<Arc<str>>,
        /// Of what somebody knows: the fact.
        #[serde(skip_serializing_if = "Option::is_none")]
        fact: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// Of what somebody knows: the ids of facts that it would deny.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        denies: Vec<String>,
        /// Of who knows a fact: how it has left the story, if it has.
        #[serde(skip_serializing_if = "Option::is_none")]
        gone: Option<Option<Gone>>,
    },
    /// `ask recall`: a memory.
    Memory {
        name: &'a str,
        rank: u32,
        #[serde(flatten)]
        memory: &'a Memory,
    },
    /// `--dry-run`: a prompt that would be sent.
    Prompt(&'a UnsentPrompt),
    /// `config`: a model.
    #[serde(rename = "model")]
    Configured(&'a ModelSummary),
    /// `config`: the error that a model has.
    #[serde(rename = "model")]
    Misconfigured { error: String },
    /// `doctor`: how a model answered.
    Model(&'a ProbeReport),
    /// `config`: a server of tools.
    #[serde(rename = "tool_server")]
    ConfiguredServer(&'a ToolServerSummary),
    /// `doctor`: how a server of tools answered.
    ToolServer(&'a ServerExamination),
    /// On standard error: what went wrong.
    Error {
        kind: &'a str,
        code: u8,
        text: String,
        /// The file, or whatever it is about.
        at: Option<String>,
        /// What can be done.
        help: Option<String>,
    },
    /// `show --view events`: an event.
    Event(EventRecord),
    /// `show --chapter`: a chapter.
    Chapter {
        name: &'a str,
        id: &'a str,
        /// `chapter`, `volume` or `life`.
        #[cfg_attr(test, schemars(with = "String"))]
        level: Level,
        /// The first and the last of its days.
        days: Option<(u32, u32)>,
        title: &'a str,
        turn: u64,
        messages: usize,
        tokens: u32,
        /// The chapters in it.
        parts: Option<&'a [ChapterId]>,
        /// With the summary: what code knows of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        notes: Option<Vec<Note<Happening>>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
    /// `show --view calls`: an ask and what became of it.
    Call {
        index: u32,
        turn: u64,
        agent: &'a str,
        id: u32,
        /// The number of the ask among all of the entity.
        call: u32,
        purpose: &'a str,
        provider: &'a str,
        model: &'a str,
        usage: TokenUsage,
        cost: Cost,
        ms: u64,
        requests: u64,
        /// How many answers were refused.
        refused: usize,
        retries: u32,
        /// Whether the default answer was used, and why.
        default: bool,
        reason: Option<String>,
    },
    /// `show --view trace`: the same with all texts.
    #[serde(rename = "call")]
    Traced {
        agent: &'a str,
        id: u32,
        call: u32,
        purpose: &'a str,
        provider: &'a str,
        model: &'a str,
        asked: &'a str,
        recalled: &'a [RecalledMemory],
        refused: &'a [RefusedAnswer],
        rounds: &'a [ToolRoundRecord],
        prompt_bytes: PromptBytes,
        reply: Option<&'a str>,
        failed: Option<String>,
        /// With `system` and `context`: what the mind saw, if it can still be told.
        #[serde(skip_serializing_if = "Option::is_none")]
        sender: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        system: Option<Option<&'a str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        context: Option<Vec<RoleMessage>>,
    },
    /// `show --view trace` of a team.
    #[serde(rename = "call")]
    TracedInTeam {
        agent: &'a str,
        call: usize,
        sender: &'a str,
        context: &'a [RoleMessage],
        reply: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        team_path: &'a str,
    },
    /// `show --view request`: what was sent for a call. `diff` of two prompts: each, without texts.
    Request {
        agent: &'a str,
        id: u32,
        call: u32,
        attempt: u32,
        turn: u64,
        place: &'a str,
        purpose: &'a str,
        provider: &'a str,
        model: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        messages: Vec<SentMessage<'a>>,
        /// The names of the tools that came with it.
        tools: Vec<&'a str>,
        /// As it was sent, to the byte.
        #[serde(skip_serializing_if = "Option::is_none")]
        body: Option<Cow<'a, str>>,
    },
}

/// What a run would cost on average.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct RunPrice<'a> {
    pub(crate) model: &'a str,
    pub(crate) cost: Cost,
    pub(crate) currency: &'a str,
}

/// What was spent on what, for whoever sees all.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct SpentParts {
    /// Those for whom the program answered.
    pub(crate) defaults: Vec<DefaultsOf>,
    pub(crate) by_entity: BTreeMap<String, Spent>,
    pub(crate) by_purpose: BTreeMap<String, Spent>,
}

/// How often the program answered for somebody, and why it did last.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct DefaultsOf {
    pub(crate) entity: String,
    pub(crate) count: u32,
    pub(crate) reason: String,
}

/// Somebody who was not told of an event.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct NotTold<'a> {
    pub(crate) id: u32,
    pub(crate) name: &'a str,
    pub(crate) why: &'static str,
    /// Of those who were elsewhere: where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<Arc<str>>,
}

/// An ask that ended differently in two stories.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct PartedAnswer<'a> {
    /// Null if it was not asked there.
    pub(crate) first: Option<Ended<'a>>,
    pub(crate) second: Option<Ended<'a>>,
    /// Whether it was the same question about the same conversation.
    pub(crate) same_request: bool,
}

/// How an ask ended.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Ended<'a> {
    pub(crate) agent: &'a str,
    pub(crate) call: u32,
    pub(crate) purpose: &'a str,
    pub(crate) reply: Option<&'a str>,
    pub(crate) failed: Option<String>,
}

/// A message of a prompt.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct SentMessage<'a> {
    pub(crate) role: Role,
    pub(crate) content: &'a str,
    pub(crate) tokens: u64,
    /// `summary`, `memory`, `question`, `recalled` or `exchange`.
    pub(crate) part: &'static str,
    /// The id of the body of a memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// Who speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<&'a str>,
}

/// Answers that are no examples, by why.
#[derive(Clone, Copy, Default, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct LeftOut {
    pub(crate) defaults: usize,
    pub(crate) repaired: usize,
    pub(crate) short: usize,
}
