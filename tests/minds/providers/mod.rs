//! Each provider's interface, played by a server on loopback, with its faults.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![allow(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic and look at the clock"
)]

mod anthropic;
mod dashscope;
mod everybody;
mod gemini;
mod ollama;

use std::sync::Arc;

use playhouse::context::AgentContext;
use playhouse::message::{Body, Tags};
use playhouse::mind::{
    AnswerForm, Answering, Completion, ExchangeRound, Mind, MindError, Prompt, Tools,
};
use playhouse::tool::ToolSpec;
use serde_json::{Value, json};

/// A question to a mind.
struct Question {
    history: AgentContext,
    words: Body,
    rounds: Vec<ExchangeRound>,
    tools: Vec<Arc<ToolSpec>>,
    json: bool,
}

impl Default for Question {
    fn default() -> Self {
        let mut history = AgentContext::new("Mira");
        history.add_system_message("You are Mira.").unwrap();
        history.add_human_message("It rains.", Tags::new());
        Self {
            history,
            words: Body::text("What do you do?"),
            rounds: Vec::new(),
            tools: Vec::new(),
            json: false,
        }
    }
}

impl Question {
    /// The same question, to be answered as JSON.
    fn as_json() -> Self {
        Self {
            json: true,
            ..Self::default()
        }
    }

    /// The same question, with dice at hand.
    fn with_dice() -> Self {
        let schema = json!({"type": "object", "properties": {"sides": {"type": "integer"}}});
        let dice = ToolSpec::new("dice", "Rolls dice.", &schema).unwrap();
        Self {
            tools: vec![Arc::new(dice)],
            ..Self::default()
        }
    }

    fn to(&self, mind: &dyn Mind) -> Answering {
        let stable = json!({"type": "object", "title": "stable"})
            .to_string()
            .into();
        let constrained = json!({"type": "object", "title": "narrowed"});
        let notes = Value::Null;
        mind.answer(&Prompt {
            rounds: &self.rounds,
            tools: Tools {
                specs: &self.tools,
                callable: !self.tools.is_empty(),
                ..Tools::NONE
            },
            form: if self.json {
                AnswerForm::Json {
                    name: "plan",
                    schema: &stable,
                    constrained: &constrained,
                    notes: &notes,
                }
            } else {
                AnswerForm::Prose { notes: &notes }
            },
            max_tokens: 100,
            seed: 3,
            ..Prompt::new("test", &self.history, &self.words)
        })
    }

    async fn answered(&self, mind: &dyn Mind) -> Result<Completion, MindError> {
        self.to(mind).await.map_err(|failed| failed.error)
    }
}

/// The four figures of a completion's usage: input, output, cached, reasoning.
fn figures(completion: &Completion) -> [u64; 4] {
    let usage = completion.usage.unwrap();
    [usage.input, usage.output, usage.cached, usage.reasoning]
}
