//! A conversation on paper, in two forms that people of other tools know.

use std::collections::BTreeSet;

use playhouse::groupchat::message::{ChatMessage, Content, RequestUsage};
use playhouse::mind::Language;

use super::args::ChatForm;
use super::words::Words;

/// Writes messages as they are told, and the end of the run.
pub(crate) struct Dialogue {
    form: ChatForm,
    words: Words,
    /// The messages of which pieces were written.
    streamed: BTreeSet<String>,
    /// Whether the last line is not ended.
    is_open: bool,
    messages: usize,
    usage: RequestUsage,
}

impl Dialogue {
    /// A conversation of which nothing was told.
    pub(crate) fn new(form: ChatForm, words: Words) -> Self {
        Self {
            form,
            words,
            streamed: BTreeSet::new(),
            is_open: false,
            messages: 0,
            usage: RequestUsage::default(),
        }
    }

    /// What is written of a message, line ends included. `inside` is the team that talks out of hearing;
    /// empty for the outermost. `clock` is the time of day.
    pub(crate) fn message(&mut self, message: &ChatMessage, inside: &str, clock: &str) -> String {
        let is_piece = matches!(message.content, Content::StreamingChunk { .. });
        if inside.is_empty() && !is_piece {
            self.messages += 1;
            self.usage += message.models_usage.unwrap_or_default();
        }
        match self.form {
            ChatForm::Rule if !inside.is_empty() => String::new(),
            ChatForm::Rule => self.ruled(message),
            ChatForm::Log if is_piece => String::new(),
            ChatForm::Log => logged(message, inside, clock),
        }
    }

    fn ruled(&mut self, message: &ChatMessage) -> String {
        if matches!(message.content, Content::UserInputRequested { .. }) {
            return String::new();
        }
        let head = format!(
            "---------- {} ({}) ----------\n",
            message.type_name(),
            message.source
        );
        let usage = message.models_usage.map(|usage| {
            format!(
                "[Prompt tokens: {}, Completion tokens: {}]\n",
                usage.prompt_tokens, usage.completion_tokens
            )
        });
        let usage = usage.unwrap_or_default();
        if let Content::StreamingChunk {
            content,
            full_message_id,
        } = &message.content
        {
            let id = full_message_id.clone().unwrap_or_default();
            let head = if self.streamed.insert(id) {
                format!("{}{head}", self.end_line())
            } else {
                String::new()
            };
            self.is_open = true;
            return format!("{head}{content}");
        }
        if self.streamed.remove(&message.id) {
            return format!("{}{usage}", self.end_line());
        }
        let text = message.to_text();
        format!("{}{head}{text}\n{usage}", self.end_line())
    }

    fn end_line(&mut self) -> String {
        match std::mem::take(&mut self.is_open) {
            true => "\n".into(),
            false => String::new(),
        }
    }

    /// The end of a run.
    pub(crate) fn end(&mut self, stop: Option<&str>, seconds: f64) -> String {
        let (count, usage) = (self.messages, self.usage);
        let open = self.end_line();
        let Words(language) = self.words;
        let stop = match (stop, language) {
            (Some(stop), _) => stop,
            (None, Language::En) => "None",
            (None, Language::Zh) => "无",
        };
        let ended = match (self.form, language) {
            (ChatForm::Rule, Language::En) => format!(
                "---------- Summary ----------\nNumber of messages: {count}\nFinish reason: {stop}\n\
                 Total prompt tokens: {}\nTotal completion tokens: {}\nDuration: {seconds:.2} seconds\n",
                usage.prompt_tokens, usage.completion_tokens
            ),
            (ChatForm::Rule, Language::Zh) => format!(
                "---------- 小结 ----------\n消息数：{count}\n结束原因：{stop}\n提示 token 合计：{}\n\
                 回答 token 合计：{}\n用时：{seconds:.2} 秒\n",
                usage.prompt_tokens, usage.completion_tokens
            ),
            (ChatForm::Log, Language::En) => boxed(&[
                "The task is over",
                &format!("Stop reason: {stop}"),
                &format!("Messages: {count}"),
            ]),
            (ChatForm::Log, Language::Zh) => boxed(&[
                "任务结束",
                &format!("停止原因：{stop}"),
                &format!("消息数量：{count}"),
            ]),
        };
        format!("{open}{ended}")
    }
}

fn logged(message: &ChatMessage, inside: &str, clock: &str) -> String {
    let mark = if message.is_event() { "🔔 " } else { "" };
    let inside = match inside.is_empty() {
        true => String::new(),
        false => format!("    {inside} › "),
    };
    let usage = message.models_usage.map(|usage| {
        format!(
            "    {} + {} = {} tokens\n",
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.total_tokens()
        )
    });
    let text = match &message.content {
        Content::UserInputRequested { .. } => "…".to_owned(),
        _ => message.to_text(),
    };
    format!(
        "{inside}[{clock}] {mark}{}: {text}\n{}",
        message.source,
        usage.unwrap_or_default()
    )
}

fn boxed(lines: &[&str]) -> String {
    let rule = "=".repeat(50);
    format!("{rule}\n{}\n{rule}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use playhouse::groupchat::message::{FunctionCall, FunctionResult};

    use super::*;

    const EN: Words = Words(Language::En);

    fn used(prompt_tokens: u64, completion_tokens: u64) -> Option<RequestUsage> {
        Some(RequestUsage {
            prompt_tokens,
            completion_tokens,
        })
    }

    /// What the assistant Ava says and does when it is told `hi`.
    fn told() -> Vec<ChatMessage> {
        let call = FunctionCall {
            id: "1".into(),
            name: "look".into(),
            arguments: "{}".into(),
        };
        let result = FunctionResult {
            content: "saw x".into(),
            name: "look".into(),
            call_id: "1".into(),
            is_error: false,
        };
        let piece = |text: &str| {
            let content = Content::StreamingChunk {
                content: text.into(),
                full_message_id: Some("m".into()),
            };
            ChatMessage::new("Ava", content)
        };
        let mut whole = ChatMessage::text("Ava", "Hello brave hero").using(used(21, 3));
        whole.id = "m".into();
        vec![
            ChatMessage::text("user", "hi"),
            ChatMessage::new("Ava", Content::ToolCallRequest(vec![call])).using(used(4, 2)),
            ChatMessage::new("Ava", Content::ToolCallExecution(vec![result])),
            piece("Hello "),
            piece("brave "),
            piece("hero"),
            whole,
        ]
    }

    #[test]
    fn the_ruled_form_writes_pieces_once_and_sums_up() {
        let mut dialogue = Dialogue::new(ChatForm::Rule, EN);
        let mut page: String = told()
            .iter()
            .map(|message| dialogue.message(message, "", "09:00:00"))
            .collect();
        let asked = Content::UserInputRequested {
            request_id: "1".into(),
        };
        page += &dialogue.message(&ChatMessage::new("p", asked), "", "");
        page += &dialogue.end(None, 1.5);
        let wanted = "\
---------- TextMessage (user) ----------
hi
---------- ToolCallRequestEvent (Ava) ----------
look({})
[Prompt tokens: 4, Completion tokens: 2]
---------- ToolCallExecutionEvent (Ava) ----------
saw x
---------- ModelClientStreamingChunkEvent (Ava) ----------
Hello brave hero
[Prompt tokens: 21, Completion tokens: 3]
---------- Summary ----------
Number of messages: 5
Finish reason: None
Total prompt tokens: 25
Total completion tokens: 5
Duration: 1.50 seconds
";
        assert_eq!(page, wanted);
    }

    #[test]
    fn the_logged_form_marks_events_and_closes_with_a_box() {
        let mut dialogue = Dialogue::new(ChatForm::Log, EN);
        let page: String = told()
            .iter()
            .map(|message| dialogue.message(message, "", "09:00:00"))
            .collect();
        assert!(page.starts_with(
            "[09:00:00] user: hi\n[09:00:00] 🔔 Ava: look({})\n    4 + 2 = 6 tokens\n"
        ));
        assert!(page.ends_with("[09:00:00] Ava: Hello brave hero\n    21 + 3 = 24 tokens\n"));
        let inner = dialogue.message(&ChatMessage::text("B", "x"), "inner", "09:00:01");
        assert_eq!(inner, "    inner › [09:00:01] B: x\n");
        let end = dialogue.end(Some("enough"), 0.0);
        assert!(end.contains("Stop reason: enough\nMessages: 4\n"), "{end}");
    }
}
