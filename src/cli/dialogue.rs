//! A conversation on paper, in two forms that people of other tools know.

use std::collections::BTreeSet;

use playhouse::groupchat::Heard;
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

    /// What is written of a message, line ends included; what was said out of hearing is indented, and its
    /// team named. `clock` is the time of day.
    pub(crate) fn message(&mut self, heard: &Heard, clock: &str) -> String {
        let Heard { inside, message } = heard;
        let is_piece = matches!(message.content, Content::StreamingChunk { .. });
        if !inside.is_empty() {
            let inner = match self.form {
                _ if is_piece => return String::new(),
                ChatForm::Rule => ruled(message, &format!("{inside} › "), self.words),
                ChatForm::Log => logged(message, &format!("{inside} › "), clock),
            };
            return format!("{}{}", self.end_line(), indented(&inner));
        }
        if !is_piece {
            self.messages += 1;
            self.usage += message.models_usage.unwrap_or_default();
        }
        match self.form {
            ChatForm::Rule => self.streamed(message),
            ChatForm::Log if is_piece => String::new(),
            ChatForm::Log => logged(message, "", clock),
        }
    }

    /// A message under its rule, or what it adds to the pieces of it that were written.
    fn streamed(&mut self, message: &ChatMessage) -> String {
        if let Content::StreamingChunk {
            content,
            full_message_id,
        } = &message.content
        {
            let id = full_message_id.clone().unwrap_or_default();
            let head = if self.streamed.insert(id) {
                format!("{}{}", self.end_line(), rule(message, ""))
            } else {
                String::new()
            };
            self.is_open = true;
            return format!("{head}{content}");
        }
        if self.streamed.remove(&message.id) {
            return format!("{}{}", self.end_line(), ruled_usage(message, self.words));
        }
        match ruled(message, "", self.words) {
            nothing if nothing.is_empty() => nothing,
            page => format!("{}{page}", self.end_line()),
        }
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

/// The rule over a message, with the team inside which it was said.
fn rule(message: &ChatMessage, inside: &str) -> String {
    let (type_name, source) = (message.type_name(), &message.source);
    format!("---------- {inside}{type_name} ({source}) ----------\n")
}

fn ruled_usage(message: &ChatMessage, Words(language): Words) -> String {
    let Some(usage) = message.models_usage else {
        return String::new();
    };
    let (prompt, completion) = (usage.prompt_tokens, usage.completion_tokens);
    match language {
        Language::En => format!("[Prompt tokens: {prompt}, Completion tokens: {completion}]\n"),
        Language::Zh => format!("[提示 token：{prompt}，回答 token：{completion}]\n"),
    }
}

fn ruled(message: &ChatMessage, inside: &str, words: Words) -> String {
    if matches!(message.content, Content::UserInputRequested { .. }) {
        return String::new();
    }
    let (rule, usage) = (rule(message, inside), ruled_usage(message, words));
    format!("{rule}{}\n{usage}", message.to_text())
}

/// Every line of a page that is not empty, further in.
fn indented(page: &str) -> String {
    let lines = page.split_inclusive('\n');
    let lines = lines.map(|line| match line.trim().is_empty() {
        true => line.to_owned(),
        false => format!("    {line}"),
    });
    lines.collect()
}

fn logged(message: &ChatMessage, inside: &str, clock: &str) -> String {
    let mark = if message.is_event() { "🔔 " } else { "" };
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
            .map(|message| dialogue.message(&heard("", message.clone()), "09:00:00"))
            .collect();
        let asked = Content::UserInputRequested {
            request_id: "1".into(),
        };
        page += &dialogue.message(&heard("", ChatMessage::new("p", asked)), "");
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

    fn heard(inside: &str, message: ChatMessage) -> Heard {
        let inside = inside.to_owned();
        Heard { inside, message }
    }

    #[test]
    fn what_is_said_out_of_hearing_is_indented_and_does_not_count() {
        let mut dialogue = Dialogue::new(ChatForm::Rule, EN);
        let mut told = told().into_iter().skip(3);
        let mut page = dialogue.message(&heard("", told.next().unwrap()), "");
        page += &dialogue.message(&heard("lab › den", told.next().unwrap()), "");
        let inner = ChatMessage::text("B", "x\ny").using(used(1, 2));
        page += &dialogue.message(&heard("lab › den", inner), "");
        let wanted = "\
---------- ModelClientStreamingChunkEvent (Ava) ----------
Hello 
    ---------- lab › den › TextMessage (B) ----------
    x
    y
    [Prompt tokens: 1, Completion tokens: 2]
";
        assert_eq!(page, wanted);
        assert!(dialogue.end(None, 0.0).contains("Number of messages: 0\n"));
    }

    #[test]
    fn the_logged_form_marks_events_and_closes_with_a_box() {
        let mut dialogue = Dialogue::new(ChatForm::Log, EN);
        let page: String = told()
            .iter()
            .map(|message| dialogue.message(&heard("", message.clone()), "09:00:00"))
            .collect();
        assert!(page.starts_with(
            "[09:00:00] user: hi\n[09:00:00] 🔔 Ava: look({})\n    4 + 2 = 6 tokens\n"
        ));
        assert!(page.ends_with("[09:00:00] Ava: Hello brave hero\n    21 + 3 = 24 tokens\n"));
        let inner = heard("inner", ChatMessage::text("B", "x\n\ny").using(used(1, 2)));
        assert_eq!(
            dialogue.message(&inner, "09:00:01"),
            "    inner › [09:00:01] B: x\n\n    y\n        1 + 2 = 3 tokens\n"
        );
        let end = dialogue.end(Some("enough"), 0.0);
        assert!(end.contains("Stop reason: enough\nMessages: 4\n"), "{end}");
    }
}
