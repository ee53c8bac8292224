//! What a server's tool returned, as text.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::{ToolError, ToolOutput};

/// The text of a result; what is not text is named.
pub(super) fn text_of(result: CallToolResult) -> ToolOutput {
    let parts: Vec<_> = result.content.iter().map(part).collect();
    let mut text = parts.join("\n");
    if text.is_empty()
        && let Some(structured) = &result.structured_content
    {
        text = structured.to_string();
    }
    match result.is_error {
        Some(true) => Err(ToolError::new(text)),
        _ => Ok(text),
    }
}

fn part(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image: {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio: {}]", audio.mime_type),
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            other => format!("[resource: {}]", uri_of(other)),
        },
        ContentBlock::ResourceLink(link) => format!("[resource: {}]", link.uri),
        _ => "[something else than text]".into(),
    }
}

fn uri_of(resource: &ResourceContents) -> &str {
    match resource {
        ResourceContents::TextResourceContents { uri, .. }
        | ResourceContents::BlobResourceContents { uri, .. } => uri,
        _ => "?",
    }
}
