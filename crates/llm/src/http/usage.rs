//! Token usage, as servers report it.

use playhouse_engine::message::TokenUsage;
use serde_json::Value;

/// The whole number at the first of these paths that has one.
pub(super) fn number(value: &Value, paths: &[&str]) -> Option<u64> {
    paths.iter().find_map(|path| value.pointer(path)?.as_u64())
}

/// The usage in a response of OpenAI's API, DashScope's, or one like them. `input` includes the
/// cached tokens, `output` the reasoning, whatever the server's way of counting.
pub(super) fn of_chat(value: &Value) -> Option<TokenUsage> {
    let input = number(value, &["/usage/prompt_tokens"]).or_else(|| input_by_parts(value))?;
    let output = [
        "/usage/completion_tokens",
        "/usage/output_tokens",
        "/timings/predicted_n",
    ];
    let reasoning = [
        "/usage/completion_tokens_details/reasoning_tokens",
        "/usage/output_tokens_details/reasoning_tokens",
        "/usage/reasoning_tokens",
    ];
    let mut usage = TokenUsage {
        input,
        output: number(value, &output).unwrap_or_default(),
        cached: cached_of(value).unwrap_or_default().min(input),
        reasoning: number(value, &reasoning).unwrap_or_default(),
    };
    let with_reasoning = usage.total().saturating_add(usage.reasoning);
    if usage.reasoning > 0 && number(value, &["/usage/total_tokens"]) == Some(with_reasoning) {
        // Some providers, such as xAI, don't include the reasoning in the answer.
        usage.output = usage.output.saturating_add(usage.reasoning);
    }
    Some(usage)
}

/// The prompt tokens of servers that count cached ones separately: Anthropic's usage, llama.cpp's
/// timings.
fn input_by_parts(value: &Value) -> Option<u64> {
    let sum = |fresh: u64, cached: &[&str]| {
        let cached = cached.iter().filter_map(|path| number(value, &[path]));
        cached.fold(fresh, u64::saturating_add)
    };
    let anthropic = [
        "/usage/cache_read_input_tokens",
        "/usage/cache_creation_input_tokens",
    ];
    number(value, &["/usage/input_tokens"])
        .map(|fresh| sum(fresh, &anthropic))
        .or_else(|| {
            let fresh = number(value, &["/timings/prompt_n"])?;
            Some(sum(fresh, &["/timings/cache_n"]))
        })
}

/// The cached prompt tokens, in every spelling.
pub(super) fn cached_of(value: &Value) -> Option<u64> {
    let paths = [
        "/usage/prompt_tokens_details/cached_tokens",
        "/usage/input_tokens_details/cached_tokens",
        "/usage/prompt_cache_hit_tokens",
        "/usage/cache_read_input_tokens",
        "/usage/cached_tokens",
        "/timings/cache_n",
    ];
    number(value, &paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn usage_is_read_in_every_spelling() {
        let openai = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13,
            "prompt_tokens_details": {"cached_tokens": 6}, "completion_tokens_details": {"reasoning_tokens": 3}}});
        let deepseek = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 4,
            "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 1}});
        let llama = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 4}, "timings": {"cache_n": 5, "prompt_n": 4}});
        let timings = json!({"timings": {"cache_n": 5, "prompt_n": 4, "predicted_n": 2}});
        let anthropic = json!({"usage": {"input_tokens": 2, "output_tokens": 4,
            "cache_read_input_tokens": 5, "cache_creation_input_tokens": 1}});
        let beside = json!({"usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 16,
            "completion_tokens_details": {"reasoning_tokens": 3}}});
        let dashscope = json!({"usage": {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13,
            "prompt_tokens_details": {"cached_tokens": 6}, "output_tokens_details": {"reasoning_tokens": 3}}});
        for (response, expected) in [
            (openai, [9, 4, 6, 3]),
            (deepseek, [9, 4, 8, 0]),
            (llama, [9, 4, 5, 0]),
            (timings, [9, 2, 5, 0]),
            (anthropic, [8, 4, 5, 0]),
            (beside, [9, 7, 0, 3]),
            (dashscope, [9, 4, 6, 3]),
        ] {
            let usage = of_chat(&response).unwrap();
            let read = [usage.input, usage.output, usage.cached, usage.reasoning];
            assert_eq!(read, expected, "{response}");
        }
        assert_eq!(of_chat(&json!({"usage": null})), None);
    }
}
