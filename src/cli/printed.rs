//! What commands print with `--json`, apart from what feeds and figures tell: the page on records
//! is made of these types.

use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::provenance::Provenance;
use crate::message::{Cost, TokenUsage};

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
    Outcome { outcome: Value },
    /// A run ends, with `spent`, `latency_ms` and, for whoever sees all, `defaults`, `by_entity`
    /// and `by_purpose`.
    End {
        /// Why it stopped.
        stop: &'a str,
        turn: u64,
        slot: Option<&'a str>,
        #[serde(flatten)]
        figures: Value,
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
        message: Value,
    },
    /// `chat`: what was shown of a message that is not used.
    Dropped { team: &'a str, dropped: Value },
    /// `show --chapter`: a message that a chapter replaced.
    #[serde(rename = "message")]
    Archived {
        id: Value,
        role: Value,
        sender: Option<&'a str>,
        text: &'a str,
    },
    /// `new`: a world or team that was created.
    World {
        path: &'a str,
        kind: Value,
        language: Value,
    },
    /// `new --from`: the draft of a world.
    Draft {
        path: Value,
        people: usize,
        scenes: usize,
        endings: usize,
        usage: Value,
        /// What of the source was not used.
        not_used: Value,
        changed: Value,
        /// The requirements that it does not meet.
        unmet: Value,
    },
    /// `suggest`: a change of a world.
    Suggestion { file: &'a str, patch: &'a str },
    /// `check --explain`: a member of a world file, with `path`, `kind`, `default`, `range`,
    /// `about` and `example`.
    Member { member: Value },
    /// `saves`: a save.
    Save {
        slot: &'a str,
        is_batch: bool,
        is_experiment: bool,
        /// What the snapshot says of itself.
        head: Value,
        branch_of: Option<TurnOf<'a>>,
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
        kind: Value,
        messages: usize,
        tokens: u64,
        chapters: usize,
        /// The cards in hand.
        hand: Vec<&'a str>,
        /// How it has left the story, if it has.
        gone: Value,
    },
    /// `show --view costs`: requests that were on their way when the program ended.
    UnknownCost {
        entity: &'a str,
        requests: u64,
        at_most: AtMost,
    },
    /// `show --view voice`: how far an entity's speech is from its voice.
    Drift { name: &'a str, drift: Value },
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
        state: Value,
    },
    /// `ask what --about`: what one heard of the other.
    Heard {
        name: &'a str,
        about: &'a str,
        event: Value,
        text: &'a str,
    },
    /// `ask why`.
    Why {
        event: Value,
        /// The names of those who were told.
        told: Vec<String>,
        /// Everybody else, by `id` and `name`: `why`, and where they were, `at`.
        not_told: Vec<Value>,
    },
    /// `recall`: the memories for a question of a corpus.
    Recalled {
        id: &'a str,
        ids: Value,
        scores: Value,
    },
    /// `diff`: where two stories part.
    Diff {
        saves: [&'a str; 2],
        seeds: Value,
        last_turns: Value,
        parts_after_turn: Value,
        answers: Vec<Value>,
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
        messages: Vec<Value>,
        /// What replaced them.
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<Value>,
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
        rows: Value,
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
        seed: Value,
        prompts: usize,
        tokens: u64,
        /// By currency.
        cost: Value,
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
    Submitted { world: &'a str },
    /// `cancel`.
    Cancelled { world: &'a str },
    /// `worker`: what it does.
    Worker {
        world: &'a str,
        news: &'a str,
        turn: Value,
    },
    /// `limit`: what all workers may spend together, have spent, and were granted.
    Budget {
        /// Of one model only.
        model: Option<&'a str>,
        limits: Value,
        tokens_a_minute: Option<u64>,
        spent: Value,
        granted: Value,
    },
    /// `pack`.
    Packed { slot: &'a str, file: &'a str },
    /// `unpack`.
    Unpacked { slot: &'a str },
    /// `watch`: where the page is.
    Page { address: &'a str },
    /// `watch`: where somebody plays.
    Seat { name: &'a str, address: &'a str },
    /// `doctor`: what was found out about a server.
    Survey {
        alias: &'a str,
        model: &'a str,
        findings: Value,
        requests: u32,
        usage: TokenUsage,
        /// The entry for the model file.
        entry: Value,
    },
    /// `config`: a setting, and where it comes from.
    Setting {
        setting: &'a str,
        value: String,
        from: Value,
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
    /// `worlds`: a world that can be played, with its `folder`, `name`, `title` and `language`.
    #[serde(rename = "world")]
    Listed {
        #[serde(flatten)]
        world: Value,
    },
    /// `status`: a world of a store, with its `phase`, `turn`, `worker` and `note`.
    #[serde(rename = "world")]
    Played {
        world: String,
        #[serde(flatten)]
        state: Value,
    },
    /// `worlds`: what is wrong in a file: `severity`, `file`, `line`, `column`, `field`, `message`
    /// and `help`.
    Problem {
        #[serde(flatten)]
        problem: Value,
    },
    /// `chat` without a team: one that there is.
    Team {
        #[serde(flatten)]
        team: Value,
    },
    /// `check`: the `world` or `team`, and what is wrong with it.
    Check {
        #[serde(flatten)]
        name: Value,
        playable: bool,
        problems: Value,
    },
    /// `rehearse --consistency`: a text that was not true when it was told, with its `path`, the
    /// `turn`, and what is `wrong`: somebody or something is `absent`, `dead`, `elsewhere`,
    /// `hidden` or `gone`.
    FalseText {
        seed: u64,
        file: &'a str,
        line: usize,
        #[serde(flatten)]
        found: Value,
    },
    /// `show` with a name: its conversation.
    Context {
        #[serde(flatten)]
        context: Value,
    },
    /// `show --view costs`: what an `entity`, or all on a `purpose`, have spent, as `spent` of a
    /// [run](#spent), with the members of its parts beside its own.
    Cost {
        #[serde(flatten)]
        figures: Value,
    },
    /// `show --view costs`: the bytes of an entity's prompts.
    Prompts {
        #[serde(flatten)]
        figures: Value,
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
        from: Value,
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
        gone: Option<Value>,
    },
    /// `ask recall`: a memory.
    Memory {
        name: &'a str,
        rank: u32,
        #[serde(flatten)]
        memory: Value,
    },
    /// `--dry-run`: a prompt that would be sent.
    Prompt {
        #[serde(flatten)]
        prompt: Value,
    },
    /// `config`: a model, or the `error` that it has.
    Model {
        #[serde(flatten)]
        model: Value,
    },
    /// `config`: a server of tools.
    ToolServer {
        #[serde(flatten)]
        server: Value,
    },
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
    Event {
        id: String,
        turn: u64,
        place: &'a str,
        r#type: &'a str,
        speaker: Option<&'a str>,
        text: &'a str,
    },
    /// `show --chapter`: a chapter.
    Chapter {
        name: &'a str,
        id: &'a str,
        level: Value,
        /// The first and the last of its days.
        days: Option<(u32, u32)>,
        title: &'a str,
        turn: u64,
        messages: usize,
        tokens: u32,
        /// The chapters in it.
        parts: Value,
        /// With the summary: what code knows of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        notes: Option<Value>,
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
        recalled: Value,
        refused: Value,
        rounds: Value,
        prompt_bytes: Value,
        reply: Option<&'a str>,
        failed: Option<String>,
        /// With `system` and `context`: what the mind saw, if it can still be told.
        #[serde(skip_serializing_if = "Option::is_none")]
        sender: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        system: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        context: Option<Value>,
    },
    /// `show --view trace` of a team.
    #[serde(rename = "call")]
    TracedInTeam {
        agent: &'a str,
        call: usize,
        sender: &'a str,
        context: Value,
        reply: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        team_path: &'a str,
    },
    /// `show --view request`: what was sent for a call; the messages follow.
    Request {
        agent: &'a str,
        id: u32,
        call: u32,
        attempt: Value,
        turn: u64,
        place: &'a str,
        purpose: &'a str,
        provider: &'a str,
        model: &'a str,
    },
}

/// A turn of a save.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct TurnOf<'a> {
    pub(crate) slot: &'a str,
    pub(crate) turn: u64,
}

/// The most that requests may have taken.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct AtMost {
    pub(crate) tokens: u64,
    pub(crate) cost: Cost,
}

/// Answers that are no examples, by why.
#[derive(Clone, Copy, Default, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct LeftOut {
    pub(crate) defaults: usize,
    pub(crate) repaired: usize,
    pub(crate) short: usize,
}
