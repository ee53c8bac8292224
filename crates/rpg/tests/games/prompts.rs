//! Every prompt that a mind reads, in both languages: a change in what minds read is seen here.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use playhouse_engine::message::tokens::estimate;
use playhouse_engine::mind::{AnswerForm, Prompt};
use playhouse_rpg::Campaign;
use playhouse_rpg::world_file::{CampaignStep, Draw};

use super::play::{WORLDS, campaign, engine, play, seen};

/// Of the worlds.
const LANGUAGES: [&str; 2] = ["en", "zh"];

fn describe(prompt: &Prompt<'_>) -> String {
    let system = prompt.history.entries().first().unwrap().body();
    let own = system.full_text();
    let opening = system.shared_prefix().unwrap().as_str();
    let short = prompt.question.short().map(|short| short.as_str());
    let form = match prompt.form {
        AnswerForm::Prose { .. } => "prose".to_owned(),
        AnswerForm::Json { constrained, .. } => serde_json::to_string_pretty(constrained).unwrap(),
    };
    format!(
        "(the rules of the world, {} characters)\n{}\n\n=== asked\n{}\n\n=== in later prompts\n{}\n\n=== wanted\n{form}",
        opening.chars().count(),
        own.strip_prefix(opening).unwrap(),
        prompt.question.full_text(),
        short.unwrap_or("(the same)"),
    )
}

/// The first prompt of each purpose: system message, question, short form and wanted form.
async fn first_prompts(campaign: &Campaign) -> BTreeMap<String, String> {
    let first = Arc::new(Mutex::new(BTreeMap::new()));
    let kept = first.clone();
    let minds = seen(move |prompt| {
        let kind = prompt.notes()["kind"].as_str().unwrap_or("?").to_owned();
        let mut first = kept.lock().unwrap();
        first
            .entry(format!("{} {kind}", prompt.purpose))
            .or_insert_with(|| describe(prompt));
        if let Some(recalled) = prompt.recalled {
            first
                .entry(format!("{} {kind} recalled", prompt.purpose))
                .or_insert_with(|| recalled.as_str().to_owned());
        }
    });
    play(campaign, 1, minds).await;
    first.lock().unwrap().clone()
}

#[tokio::test]
async fn every_prompt_in_both_languages() {
    for (language, world) in LANGUAGES.into_iter().zip(WORLDS) {
        let campaign = campaign(world);
        for (purpose, prompt) in first_prompts(&campaign).await {
            compare(language, &purpose, prompt);
        }
    }
}

fn compare(language: &str, purpose: &str, prompt: String) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(format!("{language} {}", purpose.replace('.', "_")), prompt);
    });
}

/// A day at home with a vote at its end: the shipped worlds have none.
#[tokio::test]
async fn the_prompt_of_a_vote_in_both_languages() {
    for (language, world) in LANGUAGES.into_iter().zip(WORLDS) {
        let mut campaign = campaign(world);
        let mut file = (*campaign.file).clone();
        let names = file.dungeons.iter().map(|dungeon| dungeon.name.clone());
        file.schedule = vec![
            CampaignStep::Home { days: 1 },
            CampaignStep::Vote(names.collect()),
        ];
        campaign.file = Arc::new(file);
        let mut prompts = first_prompts(&campaign).await;
        for purpose in ["home.vote actor", "home.plan actor"] {
            let name = format!("{purpose} before a vote");
            compare(language, &name, prompts.remove(purpose).unwrap());
        }
    }
}

/// Characters word their cards before they play them, if the world says so.
#[tokio::test]
async fn the_prompts_of_a_hand_that_is_asked_for_in_both_languages() {
    for (language, world) in LANGUAGES.into_iter().zip(WORLDS) {
        let mut campaign = campaign(world);
        let mut file = (*campaign.file).clone();
        file.fights.draw = Draw::Asked;
        campaign.file = Arc::new(file);
        let mut prompts = first_prompts(&campaign).await;
        for purpose in ["combat.draw actor", "combat.act actor"] {
            let name = format!("{purpose} worded");
            compare(language, &name, prompts.remove(purpose).unwrap());
        }
    }
}

#[tokio::test]
async fn a_world_may_send_its_questions_in_their_short_form() {
    let mut campaign = campaign(WORLDS[0]);
    Arc::make_mut(&mut campaign.file).limits.short_questions = true;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let minds = seen(move |prompt| {
        let sent = prompt.question_turns().next().unwrap().to_text();
        match prompt.question.short().map(|short| short.as_str()) {
            None | Some("") => assert_eq!(sent, prompt.question.full_text()),
            Some(short) => {
                assert_eq!(sent, short, "{}", prompt.purpose);
                counted.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    engine(&campaign, 1, minds).run(Some(8)).await.unwrap();
    assert!(count.load(Ordering::SeqCst) > 20, "{count:?}");
}

/// The tokens of a question for a plan and of its schema.
fn tokens_of_plan(prompt: &Prompt<'_>) -> Option<u32> {
    let AnswerForm::Json { constrained, .. } = prompt.form else {
        return None;
    };
    let tokens = estimate(&prompt.question.full_text()) + estimate(&constrained.to_string());
    (prompt.purpose == "home.plan").then_some(tokens)
}

#[tokio::test]
async fn a_plan_and_its_schema_take_900_tokens_at_most_at_the_median() {
    for world in WORLDS {
        let campaign = campaign(world);
        for seed in 1..=3 {
            let tokens = Arc::new(Mutex::new(Vec::new()));
            let noted = tokens.clone();
            let minds = seen(move |prompt| noted.lock().unwrap().extend(tokens_of_plan(prompt)));
            play(&campaign, seed, minds).await;
            let mut tokens = std::mem::take(&mut *tokens.lock().unwrap());
            tokens.sort_unstable();
            let median = tokens[tokens.len() / 2];
            println!("{world} {seed}: {median}, at most {:?}", tokens.last());
            assert!(median <= 900, "{world}, {seed}: {median} of {tokens:?}");
        }
    }
}
