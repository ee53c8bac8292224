//! What became of a story, after its last words.

use crate::cli::prelude::*;
use crate::drama::{FightResult, GoalState};
use crate::rpg::StoryOutcome;

use crate::cli::output::cells;

/// Cells before a row, and between its label and its text.
const INDENT: usize = 2;

/// Writes which goals were met and lost, who learned what, what was chosen, and how fights ended.
/// Parts without a row are left out.
pub(crate) fn write_outcome(out: &mut Output, language: Language, outcome: &StoryOutcome) {
    let goals = outcome.goals.iter().map(|goal| {
        let state = match goal.state {
            GoalState::Met => say!(language, story_goal_met),
            GoalState::Lost => say!(language, story_goal_lost),
            GoalState::Open => say!(language, story_goal_open),
        };
        let (name, what) = (&goal.who, &goal.words);
        (state, say!(language, story_row, name, what))
    });
    let choices = outcome.choices.iter().map(|choice| {
        let (name, what) = (&choice.who, &choice.label);
        (String::new(), say!(language, story_row, name, what))
    });
    let learned = outcome.learned.iter().map(|fact| {
        // What play made true is a sentence.
        let name = fact.title.trim_end_matches(['.', '。']);
        let what = Argument::list(&fact.who);
        (String::new(), say!(language, story_row, name, what))
    });
    let fights = outcome.fights.iter().map(|fight| {
        let result = match fight.result {
            FightResult::Won => say!(language, story_result_won),
            FightResult::Lost => say!(language, story_result_lost),
            FightResult::Drawn => say!(language, story_result_drawn),
        };
        (result, fight.stage.clone())
    });
    section(out, say!(language, story_goals), goals.collect());
    section(out, say!(language, story_choices), choices.collect());
    section(out, say!(language, story_facts), learned.collect());
    section(out, say!(language, story_fights), fights.collect());
}

fn section(out: &mut Output, title: String, rows: Vec<(String, String)>) {
    if rows.is_empty() {
        return;
    }
    out.paragraph(&Paragraph::blank());
    out.paragraph(&Paragraph::of(Style::Bold, title));
    let widest = rows.iter().map(|(label, _)| cells(label)).max();
    let column = match widest.unwrap_or_default() {
        0 => INDENT,
        widest => INDENT + widest + INDENT,
    };
    for (label, text) in rows {
        let row = if label.is_empty() {
            Paragraph::indented(column, column + INDENT)
        } else {
            Paragraph::labelled(&label, INDENT, column)
        };
        out.paragraph(&row.plain(text));
    }
}
