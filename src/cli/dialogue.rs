//! A conversation on paper, in two forms that people of other tools know.

use std::collections::{BTreeMap, BTreeSet};

use playhouse::groupchat::TeamMessage;
use playhouse::groupchat::message::{ChatMessage, Content, RequestUsage};
use playhouse::mind::Language;

use super::args::ChatForm;
use super::words::Words;

/// Writes messages as they are told, and the end of the run. Of those who write at the same time one is
/// shown while it writes; what the others say is written whole.
pub(crate) struct Dialogue {
    form: ChatForm,
    words: Words,
    /// The messages of which pieces were written, with their sources.
    streamed: BTreeMap<String, String>,
    /// The messages whose pieces came while another was written.
    unseen: BTreeSet<String>,
    /// The message whose piece was written last.
    open: Option<String>,
    /// Whether the last line is not ended.
    in_line: bool,
    messages: usize,
    usage: RequestUsage,
}

impl Dialogue {
    /// A conversation of which nothing was told.
    pub(crate) fn new(form: ChatForm, words: Words) -> Self {
        Self {
            form,
            words,
            streamed: BTreeMap::new(),
            unseen: BTreeSet::new(),
            open: None,
            in_line: false,
            messages: 0,
            usage: RequestUsage::default(),
        }
    }

    /// What is written of a message, line ends included; what was said out of hearing is indented, written
    /// whole alone, and its team named. `clock` is the time of day.
    pub(crate) fn message(&mut self, heard: &TeamMessage, clock: &str) -> String {
        let TeamMessage { inside, message } = heard;
        let is_piece = matches!(message.content, Content::StreamingChunk { .. });
        if !inside.is_empty() {
            let inner = match is_piece {
                true => return String::new(),
                false => self.whole(message, &format!("{inside} › "), clock),
            };
            return format!("{}{}", self.end_line(), indented(&inner));
        }
        if !is_piece {
            self.messages += 1;
            self.usage += message.models_usage.unwrap_or_default();
        }
        let head = self.head(message, "", clock);
        if let Content::StreamingChunk {
            content,
            full_message_id: Some(id),
        } = &message.content
        {
            return self.piece(&message.source, id, &head, content);
        }
        self.unseen.remove(&message.id);
        if self.streamed.remove(&message.id).is_some() {
            return self.end_of_pieces(message, &head);
        }
        match self.whole(message, "", clock) {
            nothing if nothing.is_empty() => nothing,
            page => format!("{}{page}", self.end_line()),
        }
    }

    /// What is written of a message whose words are there already. What they cost must not stand below
    /// somebody else's.
    fn end_of_pieces(&mut self, message: &ChatMessage, head: &str) -> String {
        let usage = self.usage_line(message);
        match self.open.as_deref() == Some(&message.id) || usage.is_empty() {
            true => format!("{}{usage}", self.end_line()),
            false => format!("{}{}\n{usage}", self.end_line(), head.trim_end()),
        }
    }

    /// A message with what stands before it and what it cost.
    fn whole(&self, message: &ChatMessage, inside: &str, clock: &str) -> String {
        let is_request = matches!(message.content, Content::UserInputRequested { .. });
        let text = match (is_request, self.form) {
            (true, ChatForm::Rule) => return String::new(),
            (true, ChatForm::Log) => "…".to_owned(),
            (false, _) => message.to_text(),
        };
        let (head, usage) = (self.head(message, inside, clock), self.usage_line(message));
        format!("{head}{text}\n{usage}")
    }

    /// What is written where a message will not be told of which pieces were.
    pub(crate) fn dropped(&mut self, id: &str) -> String {
        self.unseen.remove(id);
        match self.streamed.remove(id) {
            Some(source) => format!("{}{}\n", self.end_line(), self.words.void_words(&source)),
            None => String::new(),
        }
    }

    fn piece(&mut self, source: &str, id: &str, head: &str, text: &str) -> String {
        let is_new = !self.streamed.contains_key(id);
        if is_new && (self.open.is_some() || self.unseen.contains(id)) {
            self.unseen.insert(id.to_owned());
            return String::new();
        }
        let head = match self.open.as_deref() == Some(id) {
            true => String::new(),
            false => format!("{}{head}", self.end_line()),
        };
        self.streamed.insert(id.to_owned(), source.to_owned());
        self.open = Some(id.to_owned());
        self.in_line = !text.ends_with('\n');
        format!("{head}{text}")
    }

    /// What stands before the words of a message, with the team inside which it was said.
    fn head(&self, message: &ChatMessage, inside: &str, clock: &str) -> String {
        let (type_name, source) = (message.type_name(), &message.source);
        match self.form {
            ChatForm::Rule => format!("---------- {inside}{type_name} ({source}) ----------\n"),
            ChatForm::Log => {
                let is_piece = matches!(message.content, Content::StreamingChunk { .. });
                let mark = match message.is_event() && !is_piece {
                    true => "🔔 ",
                    false => "",
                };
                format!("{inside}[{clock}] {mark}{source}: ")
            }
        }
    }

    /// What a message cost; nothing where that is not known.
    fn usage_line(&self, message: &ChatMessage) -> String {
        let Some(usage) = message.models_usage else {
            return String::new();
        };
        let (prompt, completion) = (usage.prompt_tokens, usage.completion_tokens);
        let Words(language) = self.words;
        match (self.form, language) {
            (ChatForm::Rule, Language::En) => {
                format!("[Prompt tokens: {prompt}, Completion tokens: {completion}]\n")
            }
            (ChatForm::Rule, Language::Zh) => {
                format!("[提示 token：{prompt}，回答 token：{completion}]\n")
            }
            (ChatForm::Log, _) => {
                let total = usage.total_tokens();
                format!("    {prompt} + {completion} = {total} tokens\n")
            }
        }
    }

    /// Ends what is being written.
    fn end_line(&mut self) -> &'static str {
        self.open = None;
        match std::mem::take(&mut self.in_line) {
            true => "\n",
            false => "",
        }
    }

    /// The end of a run.
    pub(crate) fn end(&mut self, stop: Option<&str>, seconds: f64) -> String {
        let (count, usage) = (self.messages, self.usage);
        // Whoever was cut short will say it anew, or never.
        let unfinished: Vec<_> = self.streamed.keys().cloned().collect();
        let unfinished: String = unfinished.iter().map(|id| self.dropped(id)).collect();
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
        format!("{unfinished}{}{ended}", self.end_line())
    }
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
        let mut whole = ChatMessage::text("Ava", "Hello brave hero").with_usage(used(21, 3));
        whole.id = "m".into();
        vec![
            ChatMessage::text("user", "hi"),
            ChatMessage::new("Ava", Content::ToolCallRequest(vec![call])).with_usage(used(4, 2)),
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

    fn heard(inside: &str, message: ChatMessage) -> TeamMessage {
        let inside = inside.to_owned();
        TeamMessage { inside, message }
    }

    #[test]
    fn what_is_said_out_of_hearing_is_indented_and_does_not_count() {
        let mut dialogue = Dialogue::new(ChatForm::Rule, EN);
        let mut told = told().into_iter().skip(3);
        let mut page = dialogue.message(&heard("", told.next().unwrap()), "");
        page += &dialogue.message(&heard("lab › den", told.next().unwrap()), "");
        let inner = ChatMessage::text("B", "x\ny").with_usage(used(1, 2));
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
        assert_eq!(page.matches("hero").count(), 1, "not written once more");
        let inner = heard(
            "inner",
            ChatMessage::text("B", "x\n\ny").with_usage(used(1, 2)),
        );
        assert_eq!(
            dialogue.message(&inner, "09:00:01"),
            "    inner › [09:00:01] B: x\n\n    y\n        1 + 2 = 3 tokens\n"
        );
        let end = dialogue.end(Some("enough"), 0.0);
        assert!(end.contains("Stop reason: enough\nMessages: 4\n"), "{end}");
    }

    fn piece(source: &str, id: &str, text: &str) -> ChatMessage {
        let content = Content::StreamingChunk {
            content: text.into(),
            full_message_id: Some(id.into()),
        };
        ChatMessage::new(source, content)
    }

    fn whole(source: &str, id: &str, text: &str) -> ChatMessage {
        let mut whole = ChatMessage::text(source, text).with_usage(used(4, 2));
        whole.id = id.into();
        whole
    }

    #[test]
    fn one_of_two_who_write_at_once_is_shown_and_the_other_written_whole() {
        let mut dialogue = Dialogue::new(ChatForm::Rule, EN);
        let told = [
            piece("Bo", "b", "Good "),
            piece("Ava", "a", "Hel"),
            piece("Bo", "b", "day"),
            piece("Ava", "a", "lo"),
            whole("Ava", "a", "Hello"),
            whole("Bo", "b", "Good day"),
        ];
        let page: String = told
            .iter()
            .map(|message| dialogue.message(&heard("", message.clone()), ""))
            .collect();
        let wanted = "\
---------- ModelClientStreamingChunkEvent (Bo) ----------
Good day
---------- TextMessage (Ava) ----------
Hello
[Prompt tokens: 4, Completion tokens: 2]
---------- TextMessage (Bo) ----------
[Prompt tokens: 4, Completion tokens: 2]
";
        assert_eq!(page, wanted);
    }

    #[test]
    fn words_that_turned_out_void_are_never_left_as_if_they_were_said() {
        for (language, void) in [
            (Language::En, "[Ava's words above are void]"),
            (Language::Zh, "［以上Ava的话作废］"),
        ] {
            let mut dialogue = Dialogue::new(ChatForm::Log, Words(language));
            let mut page = dialogue.message(&heard("", piece("Ava", "a", "Hel")), "9");
            page += &dialogue.dropped("a");
            assert_eq!(dialogue.dropped("a"), "", "once is enough");
            page += &dialogue.message(&heard("", piece("Ava", "a", "Good day")), "9");
            assert_eq!(
                page,
                format!("[9] Ava: Hel\n{void}\n[9] Ava: Good day"),
                "it begins anew"
            );
            // The run is cut short.
            let end = dialogue.end(None, 0.0);
            assert!(end.starts_with(&format!("\n{void}\n")), "{end}");
        }
    }
}
