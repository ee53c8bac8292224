//! `recall`: what somebody remembers for a question; and for measuring, which messages of a file
//! are found for the questions of another.

mod corpus;

use std::path::Path;

use serde_json::json;

use self::corpus::{Corpus, questions};
use crate::cli::app::App;
use crate::cli::args::RecallArgs;
use crate::cli::error::CommandError;

/// Answers a question, or the questions of a file.
pub(super) fn recall(app: &App, args: &RecallArgs) -> Result<(), CommandError> {
    let most = args.k as usize;
    match (&args.corpus, &args.questions) {
        (Some(corpus), Some(questions)) => measure(app, corpus, questions, most),
        _ => Ok(()),
    }
}

/// Prints the ids of the messages that are found for each question.
fn measure(app: &App, corpus: &Path, asked: &Path, most: usize) -> Result<(), CommandError> {
    let mut corpus = Corpus::read(corpus)?;
    let asked = questions(asked)?;
    let mut out = app.out();
    for question in &asked {
        let found = corpus.search(question, most);
        let (ids, scores): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        if app.settings.json {
            out.json(&json!({
                "record": "recalled", "id": question.id, "ids": ids, "scores": scores,
            }));
        } else {
            out.line(format!("{}  {}", question.id, ids.join(" ")));
        }
    }
    Ok(())
}
