//! Everything that a player reads, in both languages: a change in it is seen here.

use std::sync::Arc;

use playhouse_engine::context::{AgentContext, buffer};
use playhouse_engine::mind::{AnswerForm, Mind, MindInfo, Prompt, ScriptMind};
use playhouse_undercover::{Reflect, Rules};

use super::table::{Language, game, named, number, opening, play, players, rules};

/// The scripted players, with the first question of each kind kept.
struct Reader(
    ScriptMind,
    std::sync::Mutex<std::collections::BTreeMap<String, String>>,
);

impl Mind for Reader {
    fn info(&self) -> &MindInfo {
        self.0.info()
    }

    fn answer(&self, prompt: &Prompt<'_>) -> playhouse_engine::mind::Answering {
        let mut first = self.1.lock().unwrap();
        first
            .entry(prompt.purpose.to_owned())
            .or_insert_with(|| question(prompt));
        drop(first);
        self.0.answer(prompt)
    }
}

fn question(prompt: &Prompt<'_>) -> String {
    let short = prompt.question.short().map(|short| short.as_str());
    let form = match prompt.form {
        AnswerForm::Prose { .. } => "prose".to_owned(),
        AnswerForm::Json { constrained, .. } => serde_json::to_string_pretty(constrained).unwrap(),
    };
    format!(
        "{}\n\n=== in later prompts\n{}\n\n=== wanted\n{form}",
        prompt.question.full_text(),
        short.unwrap_or("(the same)"),
    )
}

#[tokio::test]
async fn everything_that_a_player_reads_in_both_languages() {
    for (language, civilian, undercover) in [
        (Language::En, "violin", "cello"),
        (Language::Zh, "豆浆", "牛奶"),
    ] {
        let rules = Rules {
            reflect: Reflect::Round,
            context_tokens: 900,
            max_rounds: 3,
            blank: 1,
            ..rules(language, 5)
        };
        let setup = opening(&game(rules, civilian, undercover), 2);
        // A tie with its run-off first; whoever can't have the one it wants takes the first it can.
        let script = players(|prompt| {
            let wanted = match number(prompt.entity) {
                1 | 3 => 2,
                2 | 4 => 1,
                _ => 4,
            };
            let legal = prompt.notes()["legal"].as_array().unwrap().iter();
            let legal: Vec<_> = legal
                .map(|player| player["id"].as_u64().unwrap() as u32)
                .collect();
            if legal.contains(&wanted) {
                wanted
            } else {
                legal[0]
            }
        });
        let mind = Arc::new(Reader(script, Default::default()));
        let played = play(setup, mind.clone()).await;
        let world = &played.engine.world;
        let context = world.get::<AgentContext>(named(world, "Dora")).unwrap();
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            let code = language.code();
            insta::assert_snapshot!(format!("{code} memory"), buffer(context));
            for (purpose, question) in mind.1.lock().unwrap().iter() {
                let name = purpose.replace("undercover.", "");
                insta::assert_snapshot!(format!("{code} {name}"), question);
            }
        });
    }
}
