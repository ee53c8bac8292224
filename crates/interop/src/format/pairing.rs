//! Finding the results of tool calls.

use playhouse_engine::message::{Block, ToolResult, ToolUse};
use playhouse_engine::mind::Turn;

use super::wire::Pair;

/// How many turns after a call are searched for its result. A result that comes later is an orphan.
const MAX_DISTANCE: usize = 64;

/// The calls of one turn.
pub(super) struct Calls<'a> {
    /// Those with results, in their order.
    pub(super) answered: Vec<Pair<'a>>,
    pub(super) unanswered: Vec<ToolUse<'a>>,
}

impl<'a> Calls<'a> {
    /// Finds the results of a turn's calls among the turns after it.
    pub(super) fn of(turn: Turn<'a>, later: impl Iterator<Item = Turn<'a>>) -> Self {
        let later = later.take(MAX_DISTANCE);
        let blocks: Vec<_> = later.flat_map(|turn| turn.blocks()).collect();
        let mut calls = Self {
            answered: Vec::new(),
            unanswered: Vec::new(),
        };
        for block in turn.blocks() {
            let Some(call) = block.as_tool_call() else {
                continue;
            };
            let is_repeated = calls.answered.iter().any(|pair| pair.call.id == call.id);
            match result_of(call.id, &blocks).filter(|_| !is_repeated) {
                Some(result) => calls.answered.push(Pair {
                    call,
                    signature: block.signature(),
                    result,
                }),
                None => calls.unanswered.push(call),
            }
        }
        calls
    }
}

/// The first result for an id, unless the id is called again before it.
fn result_of<'a>(id: &str, blocks: &[&'a Block]) -> Option<ToolResult<'a>> {
    let is_called = |block: &Block| block.as_tool_call().is_some_and(|call| call.id == id);
    let before = blocks.iter().take_while(|block| !is_called(block));
    let mut results = before.filter_map(|block| block.as_tool_result());
    results.find(|result| result.id == id)
}

pub(super) fn calls_tools(turn: &Turn<'_>) -> bool {
    let mut blocks = turn.blocks().iter();
    blocks.any(|block| block.as_tool_call().is_some())
}
