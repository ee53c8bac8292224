//! What minds are asked.

use std::sync::Arc;

use playhouse_engine::context::AgentContext;
use playhouse_engine::message::{Body, Tags};
use playhouse_engine::mind::{
    AnswerForm, AnswerStream, Answering, Completion, ExchangeRound, Mind, MindError, Prompt, Tools,
};
use playhouse_engine::tool::ToolSpec;
use serde_json::{Value, json};

pub(crate) struct Question {
    pub(crate) history: AgentContext,
    pub(crate) words: Body,
    pub(crate) rounds: Vec<ExchangeRound>,
    pub(crate) tools: Vec<Arc<ToolSpec>>,
    pub(crate) json: bool,
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
    pub(crate) fn as_json() -> Self {
        Self {
            json: true,
            ..Self::default()
        }
    }

    /// The same question, with dice at hand.
    pub(crate) fn with_dice() -> Self {
        let schema = json!({"type": "object", "properties": {"sides": {"type": "integer"}}});
        let dice = ToolSpec::new("dice", "Rolls dice.", &schema).unwrap();
        Self {
            tools: vec![Arc::new(dice)],
            ..Self::default()
        }
    }

    pub(crate) fn to(&self, mind: &dyn Mind) -> Answering {
        self.in_pieces(mind, None)
    }

    /// Asks, and lets the stream see the answer while it is written.
    pub(crate) fn in_pieces(&self, mind: &dyn Mind, stream: Option<&AnswerStream>) -> Answering {
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
            stream,
            ..Prompt::new("test", &self.history, &self.words)
        })
    }

    pub(crate) async fn answered(&self, mind: &dyn Mind) -> Result<Completion, MindError> {
        self.to(mind).await.map_err(|failed| failed.error)
    }
}
