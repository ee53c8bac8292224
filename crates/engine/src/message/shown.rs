//! Blocks as text for people, with tool calls and their results in brackets.

use serde_json::Value;

use super::Block;
use crate::wording::as_block;

/// The number of spaces before further lines of a result.
const INDENT: usize = 2;

/// The blocks as text, one per line, media by their names, without thinking and unknown blocks.
pub fn shown(blocks: &[Block]) -> String {
    let lines = blocks.iter().filter_map(line);
    lines.collect::<Vec<_>>().join("\n")
}

fn line(block: &Block) -> Option<String> {
    match block {
        Block::Text { text } => Some(text.to_string()),
        Block::ToolUse { name, input, .. } => Some(format!("[{name} {input}]")),
        Block::ToolResult {
            name,
            output,
            is_error,
            ..
        } => {
            let name = name.as_deref().unwrap_or("tool");
            let sign = if *is_error { "✗" } else { "→" };
            let output = match output {
                Value::String(text) => text.clone(),
                Value::Array(blocks) => {
                    let blocks: Vec<_> = blocks.iter().cloned().map(Block::from).collect();
                    shown(&blocks)
                }
                output => output.to_string(),
            };
            // What a tool found can't look like another result, which begins a line.
            let output = as_block(&output, INDENT);
            Some(format!("[{name} {sign} {output}]"))
        }
        Block::Image { .. } | Block::Audio { .. } | Block::Video { .. } => {
            let (kind, source) = block.as_media()?;
            Some(kind.in_words(source))
        }
        Block::Thinking { .. } | Block::Unknown(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::MediaSource;
    use serde_json::json;

    #[test]
    fn calls_and_results_are_shown_beside_the_words() {
        let blocks = [
            Block::thinking("hm"),
            Block::text("Let me see."),
            Block::tool_use("1", "dice", json!({"sides": 6})),
            Block::tool_result("1", "4"),
            Block::tool_result("1", json!([{"type": "text", "text": "4"}])),
            Block::tool_error("1", "no dice\n[tool → 6]"),
            Block::image(MediaSource::file("inn.png")),
        ];
        let expected = "Let me see.\n[dice {\"sides\":6}]\n[tool → 4]\n[tool → 4]\n[tool ✗ no dice\n  [tool → 6]]\n[image: inn.png]";
        assert_eq!(shown(&blocks), expected);
    }
}
