//! Fenced blocks of code in Markdown.

use super::message::CodeBlock;

/// The blocks between fences of three or more backticks, in order. A block without a closing fence
/// does not count.
pub(super) fn code_blocks(text: &str) -> Vec<CodeBlock> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((length, language)) = opening_fence(line) else {
            continue;
        };
        let mut code = Vec::new();
        let is_closed = lines.by_ref().any(|line| {
            let is_end = is_closing_fence(line, length);
            if !is_end {
                code.push(line);
            }
            is_end
        });
        if is_closed {
            blocks.push(CodeBlock {
                code: code.join("\n"),
                language: language.to_owned(),
            });
        }
    }
    blocks
}

/// The length of an opening fence, and the language after it.
fn opening_fence(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let language = line.trim_start_matches('`');
    let length = line.len() - language.len();
    let language = language.split_whitespace().next().unwrap_or_default();
    (length >= 3 && !language.contains('`')).then_some((length, language))
}

fn is_closing_fence(line: &str, length: usize) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|char| char == '`')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        let blocks = code_blocks(text).into_iter();
        blocks.map(|block| (block.language, block.code)).collect()
    }

    fn block(language: &str, code: &str) -> (String, String) {
        (language.into(), code.into())
    }

    #[test]
    fn a_block_ends_at_a_fence_of_the_same_length() {
        let text = "First:\n```python title=x\nprint(1)\n\nprint(2)\n```\nthen\n````\n```\ninside\n```\n````\n";
        assert_eq!(
            found(text),
            [
                block("python", "print(1)\n\nprint(2)"),
                block("", "```\ninside\n```")
            ]
        );
        assert_eq!(found("  ```sh\n  ls\n  ```"), [block("sh", "  ls")]);
        assert_eq!(found("``` one line ```"), []);
        assert_eq!(found("```sh\nnever closed"), []);
        assert_eq!(found("no code"), []);
    }
}
