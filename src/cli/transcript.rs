//! A conversation as text, in two forms that are known from other tools.

use crate::cli::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

use crate::groupchat::TeamMessage;
use crate::groupchat::message::{ChatContent, ChatMessage, RequestUsage};
use crate::message::BodyId;

use super::args::ChatFormat;

/// Turns messages into text as they come. Of participants who write at the same time, one is shown
/// while it writes; what the others write is shown when it is complete.
pub(crate) struct Transcript {
    form: ChatFormat,
    language: Language,
    /// The messages that are partly shown, with their sources.
    streamed: BTreeMap<String, String>,
    /// The messages that began while another was shown.
    unseen: BTreeSet<String>,
    /// The message that is being shown.
    open: Option<String>,
    /// Whether the last line has no end yet.
    in_line: bool,
    messages: usize,
    usage: RequestUsage,
}

impl Transcript {
    /// A conversation without messages.
    pub(crate) fn new(form: ChatFormat, language: Language) -> Self {
        Self {
            form,
            language,
            streamed: BTreeMap::new(),
            unseen: BTreeSet::new(),
            open: None,
            in_line: false,
            messages: 0,
            usage: RequestUsage::default(),
        }
    }

    /// The text of a message, with line ends. What is said in a team that is a tool is indented,
    /// named after the team, and shown only when it is complete. `clock` is the time of day; the
    /// message ends with the ID of its event, if one is given.
    pub(crate) fn message(
        &mut self,
        heard: &TeamMessage,
        clock: &str,
        id: Option<BodyId>,
    ) -> String {
        let TeamMessage { team_path, message } = heard;
        let is_chunk = matches!(message.content, ChatContent::StreamingChunk { .. });
        if !team_path.is_empty() {
            if is_chunk {
                return String::new();
            }
            let head = self.head(message, &format!("{team_path} › "), clock);
            let inner = self.whole(message, &head, id);
            return format!("{}{}", self.end_line(), indented(&inner));
        }
        if !is_chunk {
            self.messages += 1;
            self.usage += message.models_usage.unwrap_or_default();
        }
        let head = self.head(message, "", clock);
        if let ChatContent::StreamingChunk {
            content,
            full_message_id: Some(id),
        } = &message.content
        {
            return self.chunk(&message.source, id, &head, content);
        }
        self.unseen.remove(&message.id);
        if self.streamed.remove(&message.id).is_some() {
            return self.end_of_chunks(message, &head, id);
        }
        match self.whole(message, &head, id) {
            empty if empty.is_empty() => empty,
            text => format!("{}{text}", self.end_line()),
        }
    }

    /// The end of a message that was shown in chunks. It must not follow another message.
    fn end_of_chunks(&mut self, message: &ChatMessage, head: &str, id: Option<BodyId>) -> String {
        let usage = self.usage_line(message);
        let id = id.map(|id| format!("[{id}]")).unwrap_or_default();
        if self.open.as_deref() == Some(&message.id) {
            let has_gap = self.in_line && !id.is_empty();
            self.in_line |= !id.is_empty();
            let gap = if has_gap { " " } else { "" };
            format!("{gap}{id}{}{usage}", self.end_line())
        } else if id.is_empty() && usage.is_empty() {
            self.end_line().to_owned()
        } else {
            let line = format!("{head}{id}");
            format!("{}{}\n{usage}", self.end_line(), line.trim_end())
        }
    }

    /// A message with its head, the ID of its event and its usage.
    fn whole(&self, message: &ChatMessage, head: &str, id: Option<BodyId>) -> String {
        let is_request = matches!(message.content, ChatContent::UserInputRequested { .. });
        let text = match (is_request, self.form) {
            (true, ChatFormat::Rule) => return String::new(),
            (true, ChatFormat::Log) => "…".to_owned(),
            (false, _) => message.to_text(),
        };
        let id = id.map(|id| format!(" [{id}]")).unwrap_or_default();
        let usage = self.usage_line(message);
        format!("{head}{text}{id}\n{usage}")
    }

    /// The text that follows a message which was partly shown and will not be completed.
    pub(crate) fn retract(&mut self, id: &str) -> String {
        self.unseen.remove(id);
        match self.streamed.remove(id) {
            Some(who) => {
                let retracted = say!(self.language, cli_chat_retracted, who);
                format!("{}{retracted}\n", self.end_line())
            }
            None => String::new(),
        }
    }

    fn chunk(&mut self, source: &str, id: &str, head: &str, text: &str) -> String {
        let is_new = !self.streamed.contains_key(id);
        if is_new && (self.open.is_some() || self.unseen.contains(id)) {
            self.unseen.insert(id.to_owned());
            return String::new();
        }
        let head = if self.open.as_deref() == Some(id) {
            String::new()
        } else {
            format!("{}{head}", self.end_line())
        };
        self.streamed.insert(id.to_owned(), source.to_owned());
        self.open = Some(id.to_owned());
        self.in_line = !text.ends_with('\n');
        format!("{head}{text}")
    }

    /// The text before a message; `team_path` names the team that is a tool.
    fn head(&self, message: &ChatMessage, team_path: &str, clock: &str) -> String {
        let (type_name, source) = (message.type_name(), &message.source);
        match self.form {
            ChatFormat::Rule => {
                format!("---------- {team_path}{type_name} ({source}) ----------\n")
            }
            ChatFormat::Log => {
                let is_chunk = matches!(message.content, ChatContent::StreamingChunk { .. });
                let is_event = message.is_event() && !is_chunk;
                let mark = if is_event { "🔔 " } else { "" };
                format!("{team_path}[{clock}] {mark}{source}: ")
            }
        }
    }

    /// The tokens of a message; empty if they are unknown.
    fn usage_line(&self, message: &ChatMessage) -> String {
        let Some(usage) = message.models_usage else {
            return String::new();
        };
        let (prompt, answer) = (usage.prompt_tokens, usage.completion_tokens);
        let total = usage.total_tokens();
        let usage = match self.form {
            ChatFormat::Rule => text!(cli_chat_usage, prompt, answer),
            ChatFormat::Log => text!(cli_chat_log_usage, prompt, answer, total),
        };
        usage.in_language(self.language) + "\n"
    }

    /// Ends the line that is being written.
    fn end_line(&mut self) -> &'static str {
        self.open = None;
        if std::mem::take(&mut self.in_line) {
            "\n"
        } else {
            ""
        }
    }

    /// The end of a run.
    pub(crate) fn end(&mut self, reason: Option<&str>, seconds: f64) -> String {
        // Participants who were interrupted will begin again, or never finish.
        let unfinished: Vec<_> = self.streamed.keys().cloned().collect();
        let unfinished: String = unfinished.iter().map(|id| self.retract(id)).collect();
        let reason = match reason {
            Some(reason) => UiText::verbatim(reason),
            None => text!(cli_none),
        };
        let count = self.messages;
        let (prompt, answer) = (self.usage.prompt_tokens, self.usage.completion_tokens);
        let seconds = format!("{seconds:.2}");
        let summary = match self.form {
            ChatFormat::Rule => text!(cli_chat_summary, count, reason, prompt, answer, seconds),
            ChatFormat::Log => text!(cli_chat_log_summary, count, reason),
        };
        let summary = summary.in_language(self.language);
        format!("{unfinished}{}{summary}\n", self.end_line())
    }
}

/// The text with every line indented that is not empty.
fn indented(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    let lines = lines.map(|line| {
        if line.trim().is_empty() {
            line.to_owned()
        } else {
            format!("    {line}")
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use crate::groupchat::message::{FunctionCall, FunctionResult};

    use super::*;

    const EN: Language = Language::En;

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
        let chunk = |text: &str| {
            let content = ChatContent::StreamingChunk {
                content: text.into(),
                full_message_id: Some("m".into()),
            };
            ChatMessage::new("Ava", content)
        };
        let mut whole = ChatMessage::text("Ava", "Hello brave hero").with_usage(used(21, 3));
        whole.id = "m".into();
        vec![
            ChatMessage::text("user", "hi"),
            ChatMessage::new("Ava", ChatContent::ToolCallRequest(vec![call]))
                .with_usage(used(4, 2)),
            ChatMessage::new("Ava", ChatContent::ToolCallExecution(vec![result])),
            chunk("Hello "),
            chunk("brave "),
            chunk("hero"),
            whole,
        ]
    }

    #[test]
    fn the_ruled_form_writes_chunks_once_and_a_summary() {
        let mut transcript = Transcript::new(ChatFormat::Rule, EN);
        let mut page: String = told()
            .iter()
            .map(|message| transcript.message(&heard("", message.clone()), "09:00:00", None))
            .collect();
        let asked = ChatContent::UserInputRequested {
            request_id: "1".into(),
        };
        page += &transcript.message(&heard("", ChatMessage::new("p", asked)), "", None);
        page += &transcript.end(None, 1.5);
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
Finish reason: none
Total prompt tokens: 25
Total completion tokens: 5
Duration: 1.50 seconds
";
        assert_eq!(page, wanted);
    }

    fn heard(team_path: &str, message: ChatMessage) -> TeamMessage {
        let team_path = team_path.to_owned();
        TeamMessage { team_path, message }
    }

    #[test]
    fn what_is_said_inside_is_indented_and_does_not_count() {
        let mut transcript = Transcript::new(ChatFormat::Rule, EN);
        let mut told = told().into_iter().skip(3);
        let mut page = transcript.message(&heard("", told.next().unwrap()), "", None);
        page += &transcript.message(&heard("lab › den", told.next().unwrap()), "", None);
        let inner = ChatMessage::text("B", "x\ny").with_usage(used(1, 2));
        page += &transcript.message(&heard("lab › den", inner), "", None);
        let wanted = "\
---------- ModelClientStreamingChunkEvent (Ava) ----------
Hello 
    ---------- lab › den › TextMessage (B) ----------
    x
    y
    [Prompt tokens: 1, Completion tokens: 2]
";
        assert_eq!(page, wanted);
        assert!(
            transcript
                .end(None, 0.0)
                .contains("Number of messages: 0\n")
        );
    }

    #[test]
    fn the_log_form_marks_events_and_ends_with_a_box() {
        let mut transcript = Transcript::new(ChatFormat::Log, EN);
        let page: String = told()
            .iter()
            .map(|message| transcript.message(&heard("", message.clone()), "09:00:00", None))
            .collect();
        assert!(page.starts_with(
            "[09:00:00] user: hi\n[09:00:00] 🔔 Ava: look({})\n    📊 Model usage: 4 + 2 = 6 tokens\n"
        ));
        assert!(page.ends_with(
            "[09:00:00] Ava: Hello brave hero\n    📊 Model usage: 21 + 3 = 24 tokens\n"
        ));
        assert_eq!(page.matches("hero").count(), 1, "not written once more");
        let inner = heard(
            "inner",
            ChatMessage::text("B", "x\n\ny").with_usage(used(1, 2)),
        );
        assert_eq!(
            transcript.message(&inner, "09:00:01", None),
            "    inner › [09:00:01] B: x\n\n    y\n        📊 Model usage: 1 + 2 = 3 tokens\n"
        );
        let end = transcript.end(Some("enough"), 0.0);
        assert!(end.contains("Stop reason: enough\nMessages: 4\n"), "{end}");
    }

    fn chunk(source: &str, id: &str, text: &str) -> ChatMessage {
        let content = ChatContent::StreamingChunk {
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
    fn one_of_two_who_write_at_once_is_shown_and_the_other_when_it_is_complete() {
        let mut transcript = Transcript::new(ChatFormat::Rule, EN);
        let told = [
            chunk("Bo", "b", "Good "),
            chunk("Ava", "a", "Hel"),
            chunk("Bo", "b", "day"),
            chunk("Ava", "a", "lo"),
            whole("Ava", "a", "Hello"),
            whole("Bo", "b", "Good day"),
        ];
        let page: String = told
            .iter()
            .map(|message| transcript.message(&heard("", message.clone()), "", None))
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
    fn ids_of_events_stand_behind_messages() {
        let told = [
            (chunk("Bo", "b", "Good "), None),
            (chunk("Ava", "a", "Hello"), None),
            (chunk("Bo", "b", "day"), None),
            (
                whole("Ava", "a", "Hello"),
                Some(BodyId {
                    place: 2,
                    number: 4,
                }),
            ),
            (
                whole("Bo", "b", "Good day"),
                Some(BodyId {
                    place: 2,
                    number: 5,
                }),
            ),
            (
                whole("Ava", "c", "Well?"),
                Some(BodyId {
                    place: 2,
                    number: 6,
                }),
            ),
        ];
        let page = |form| -> String {
            let mut transcript = Transcript::new(form, EN);
            let told = told.iter().cloned();
            let lines = told.map(|(message, id)| transcript.message(&heard("", message), "9", id));
            lines.collect()
        };
        let usage = "[Prompt tokens: 4, Completion tokens: 2]";
        let wanted = format!(
            "\
---------- ModelClientStreamingChunkEvent (Bo) ----------
Good day
---------- TextMessage (Ava) ----------
Hello [2-4]
{usage}
---------- TextMessage (Bo) ----------
[2-5]
{usage}
---------- TextMessage (Ava) ----------
Well? [2-6]
{usage}
"
        );
        assert_eq!(page(ChatFormat::Rule), wanted);
        let log = page(ChatFormat::Log);
        assert!(
            log.starts_with("[9] Bo: Good day\n[9] Ava: Hello [2-4]\n"),
            "{log}"
        );
        assert!(log.contains("[9] Bo: [2-5]\n"), "{log}");
    }

    #[test]
    fn retracted_text_is_marked() {
        for (language, retracted) in [
            (Language::En, "[retracted by Ava]"),
            (Language::Zh, "［Ava 撤回了以上发言］"),
        ] {
            let mut transcript = Transcript::new(ChatFormat::Log, language);
            let mut page = transcript.message(&heard("", chunk("Ava", "a", "Hel")), "9", None);
            page += &transcript.retract("a");
            assert_eq!(transcript.retract("a"), "", "once is enough");
            page += &transcript.message(&heard("", chunk("Ava", "a", "Good day")), "9", None);
            assert_eq!(
                page,
                format!("[9] Ava: Hel\n{retracted}\n[9] Ava: Good day"),
                "it begins again"
            );
            // The run is cut short.
            let end = transcript.end(None, 0.0);
            assert!(end.starts_with(&format!("\n{retracted}\n")), "{end}");
        }
    }
}
