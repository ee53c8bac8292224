//! Operations on single blocks.

use playhouse_engine::message::{Block, Body, Content};
use serde_json::{Value, json};

use super::Operation;

pub(crate) const OPERATIONS: &[(&str, Operation)] =
    &[("read_block", read_block), ("text_content", text_content)];

/// Reads a block, and writes it again.
fn read_block(input: &Value) -> Result<Value, String> {
    let block = Block::from(input.clone());
    let written = json!(block);
    if Block::from(written.clone()) == block {
        Ok(written)
    } else {
        Err(format!(
            "{written} is not read as the block it was written from"
        ))
    }
}

/// The blocks of content that was built from a text alone, which equals content of that one block.
fn text_content(input: &Value) -> Result<Value, String> {
    let text = input.as_str().ok_or("the input is a text")?;
    let (short, listed) = (Body::text(text), Body::blocks(vec![Block::text(text)]));
    match short.content() {
        Content::Text(held) if short == listed => Ok(json!([Block::text(held.as_str())])),
        _ => Err("a text is not the list of its one block".into()),
    }
}
