//! A conversation as text, in two forms that are known from other tools.

use crate::cli::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

use crate::groupchat::TeamMessage;
use crate::groupchat::message::{ChatContent, ChatMessage};
use crate::message::{BodyId, TokenUsage};

use super::args::ChatFormat;

/// Turns messages into text as they come. Of participants who write at the same time, one is shown
/// while it writes; what the others write is shown when it is complete.
#[derive(Default)]
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
}

impl Transcript {
    /// A conversation without messages.
    pub(crate) fn new(form: ChatFormat, language: Language) -> Self {
        Self {
            form,
            language,
            ..Self::default()
        }
    }

    /// The text of a message, with line ends. What is said in a team that is a tool is indented,
    /// named after the team, and shown only when it is complete. The message ends with the ID of
    /// its event, if one is given.
    pub(crate) fn message(&mut self, heard: &TeamMessage, id: Option<BodyId>) -> String {
        let TeamMessage { team_path, message } = heard;
        let is_chunk = matches!(message.content, ChatContent::StreamingChunk { .. });
        if !team_path.is_empty() {
            if is_chunk {
                return String::new();
            }
            let head = self.head(message, &format!("{team_path} › "));
            let inner = self.whole(message, &head, id);
            return format!("{}{}", self.end_line(), indented(&inner));
        }
        if !is_chunk {
            self.messages += 1;
        }
        let head = self.head(message, "");
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
    fn head(&self, message: &ChatMessage, team_path: &str) -> String {
        let (type_name, source) = (message.type_name(), &message.source);
        match self.form {
            ChatFormat::Rule => {
                format!("---------- {team_path}{type_name} ({source}) ----------\n")
            }
            ChatFormat::Log => {
                let is_chunk = matches!(message.content, ChatContent::StreamingChunk { .. });
                let is_event = message.is_event() && !is_chunk;
                // The time of day in UTC, of RFC 3339.
                let clock = message.created_at.get(11..19).unwrap_or_default();
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

    /// The end of a run, with the tokens of all its calls.
    pub(crate) fn end(&mut self, reason: Option<&str>, usage: TokenUsage, seconds: f64) -> String {
        // Participants who were interrupted will begin again, or never finish.
        let unfinished: Vec<_> = self.streamed.keys().cloned().collect();
        let unfinished: String = unfinished.iter().map(|id| self.retract(id)).collect();
        let reason = match reason {
            Some(reason) => UiText::verbatim(reason),
            None => text!(cli_none),
        };
        let count = self.messages;
        let (prompt, answer) = (usage.input, usage.output);
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
    let lines = text.split_inclusive('\n').map(|line| {
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
    use crate::groupchat::message::{FunctionCall, FunctionResult, RequestUsage};

    use super::*;

    const SPENT: TokenUsage = TokenUsage {
        input: 8,
        output: 4,
        cached: 0,
        reasoning: 0,
    };
    const USAGE: &str = "[Prompt tokens: 4, Completion tokens: 2]";

    fn with_usage(message: ChatMessage, prompt_tokens: u64, completion_tokens: u64) -> ChatMessage {
        message.with_usage(Some(RequestUsage {
            prompt_tokens,
            completion_tokens,
        }))
    }

    fn heard(team_path: &str, message: ChatMessage) -> TeamMessage {
        let team_path = team_path.to_owned();
        TeamMessage { team_path, message }
    }

    fn chunk(source: &str, id: &str, text: &str) -> ChatMessage {
        let content = ChatContent::StreamingChunk {
            content: text.into(),
            full_message_id: Some(id.into()),
        };
        ChatMessage::new(source, content)
    }

    fn whole(source: &str, id: &str, text: &str) -> ChatMessage {
        let mut whole = with_usage(ChatMessage::text(source, text), 4, 2);
        whole.id = id.into();
        whole
    }

    fn page(transcript: &mut Transcript, told: impl IntoIterator<Item = ChatMessage>) -> String {
        let told = told.into_iter();
        told.map(|message| transcript.message(&heard("", message), None))
            .collect()
    }

    fn transcript(form: ChatFormat) -> Transcript {
        Transcript::new(form, Language::En)
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
        let call = ChatMessage::new("Ava", ChatContent::ToolCallRequest(vec![call]));
        vec![
            ChatMessage::text("user", "hi"),
            with_usage(call, 4, 2),
            ChatMessage::new("Ava", ChatContent::ToolCallExecution(vec![result])),
            chunk("Ava", "m", "Hello "),
            chunk("Ava", "m", "brave "),
            chunk("Ava", "m", "hero"),
            whole("Ava", "m", "Hello brave hero"),
        ]
    }

    #[test]
    fn the_ruled_form_writes_chunks_once_and_a_summary() {
        let mut transcript = transcript(ChatFormat::Rule);
        let asked = ChatContent::UserInputRequested {
            request_id: "1".into(),
        };
        let told = told().into_iter().chain([ChatMessage::new("p", asked)]);
        let page = page(&mut transcript, told) + transcript.end(None, SPENT, 1.5).as_str();
        let wanted = format!(
            "\
---------- TextMessage (user) ----------
hi
---------- ToolCallRequestEvent (Ava) ----------
look({{}})
{USAGE}
---------- ToolCallExecutionEvent (Ava) ----------
saw x
---------- ModelClientStreamingChunkEvent (Ava) ----------
Hello brave hero
{USAGE}
---------- Summary ----------
Number of messages: 5
Finish reason: none
Total prompt tokens: 8
Total completion tokens: 4
Duration: 1.50 seconds
"
        );
        assert_eq!(page, wanted);
    }

    #[test]
    fn what_is_said_inside_is_indented_and_is_no_message_of_the_team() {
        let mut transcript = transcript(ChatFormat::Rule);
        let mut page = page(&mut transcript, [chunk("Ava", "m", "Hello ")]);
        let inner = with_usage(ChatMessage::text("B", "x\ny"), 4, 2);
        for inner in [chunk("Ava", "m", "brave "), inner] {
            page += &transcript.message(&heard("lab › den", inner), None);
        }
        let wanted = format!(
            "\
---------- ModelClientStreamingChunkEvent (Ava) ----------
Hello 
    ---------- lab › den › TextMessage (B) ----------
    x
    y
    {USAGE}
"
        );
        assert_eq!(page, wanted);
        let end = transcript.end(None, SPENT, 0.0);
        assert!(end.contains("Number of messages: 0\n"), "{end}");
    }

    #[test]
    fn the_log_form_marks_events_and_ends_with_a_box() {
        let mut transcript = transcript(ChatFormat::Log);
        let page = page(&mut transcript, told());
        let used = "    📊 Model usage: 4 + 2 = 6 tokens\n";
        let begins = format!("[00:00:00] user: hi\n[00:00:00] 🔔 Ava: look({{}})\n{used}");
        assert!(page.starts_with(&begins), "{page}");
        assert!(
            page.ends_with(&format!("[00:00:00] Ava: Hello brave hero\n{used}")),
            "{page}"
        );
        assert_eq!(page.matches("hero").count(), 1, "not written once more");
        let inner = heard("inner", with_usage(ChatMessage::text("B", "x\n\ny"), 4, 2));
        assert_eq!(
            transcript.message(&inner, None),
            format!("    inner › [00:00:00] B: x\n\n    y\n    {used}")
        );
        let end = transcript.end(Some("enough"), SPENT, 0.0);
        assert!(end.contains("Stop reason: enough\nMessages: 4\n"), "{end}");
    }

    #[test]
    fn one_of_two_who_write_at_once_is_shown_and_the_other_when_it_is_complete() {
        let told = [
            chunk("Bo", "b", "Good "),
            chunk("Ava", "a", "Hel"),
            chunk("Bo", "b", "day"),
            chunk("Ava", "a", "lo"),
            whole("Ava", "a", "Hello"),
            whole("Bo", "b", "Good day"),
        ];
        let page = page(&mut transcript(ChatFormat::Rule), told);
        let wanted = format!(
            "\
---------- ModelClientStreamingChunkEvent (Bo) ----------
Good day
---------- TextMessage (Ava) ----------
Hello
{USAGE}
---------- TextMessage (Bo) ----------
{USAGE}
"
        );
        assert_eq!(page, wanted);
    }

    #[test]
    fn ids_of_events_stand_behind_messages() {
        let id = |number| Some(BodyId { place: 2, number });
        let told = [
            (chunk("Bo", "b", "Good "), None),
            (chunk("Ava", "a", "Hello"), None),
            (chunk("Bo", "b", "day"), None),
            (whole("Ava", "a", "Hello"), id(4)),
            (whole("Bo", "b", "Good day"), id(5)),
            (whole("Ava", "c", "Well?"), id(6)),
        ];
        let page = |form| -> String {
            let mut transcript = transcript(form);
            let told = told.iter().cloned();
            told.map(|(message, id)| transcript.message(&heard("", message), id))
                .collect()
        };
        let wanted = format!(
            "\
---------- ModelClientStreamingChunkEvent (Bo) ----------
Good day
---------- TextMessage (Ava) ----------
Hello [2-4]
{USAGE}
---------- TextMessage (Bo) ----------
[2-5]
{USAGE}
---------- TextMessage (Ava) ----------
Well? [2-6]
{USAGE}
"
        );
        assert_eq!(page(ChatFormat::Rule), wanted);
        let log = page(ChatFormat::Log);
        assert!(
            log.starts_with("[00:00:00] Bo: Good day\n[00:00:00] Ava: Hello [2-4]\n"),
            "{log}"
        );
        assert!(log.contains("[00:00:00] Bo: [2-5]\n"), "{log}");
    }

    #[test]
    fn retracted_text_is_marked() {
        for (language, retracted) in [
            (Language::En, "[retracted by Ava]"),
            (Language::Zh, "［Ava 撤回了以上发言］"),
        ] {
            let mut transcript = Transcript::new(ChatFormat::Log, language);
            let mut told = page(&mut transcript, [chunk("Ava", "a", "Hel")]);
            told += &transcript.retract("a");
            assert_eq!(transcript.retract("a"), "", "once is enough");
            told += &page(&mut transcript, [chunk("Ava", "a", "Good day")]);
            let wanted = format!("[00:00:00] Ava: Hel\n{retracted}\n[00:00:00] Ava: Good day");
            assert_eq!(told, wanted, "it begins again");
            // The run is cut short.
            let end = transcript.end(None, SPENT, 0.0);
            assert!(end.starts_with(&format!("\n{retracted}\n")), "{end}");
        }
    }
}
