//! `diff`: where two saves part, and what each knows then.

use crate::cli::prelude::*;
use std::collections::BTreeMap;

use crate::journal::{AskEnding, Outcome};
use crate::session::{PromptMessage, messages_of};
use crate::story::{
    Change, ChangeKind, KnowledgeDifference, Parting, PartingAnswer, changes,
    knowledge_differences, parting,
};

use super::trace;
use crate::cli::args::DiffArgs;
use crate::cli::labels::purpose_label;
use crate::cli::printed::{Ended, PartedAnswer, SentMessage};
use crate::cli::saved::{Saved, WorldState, being};

/// How many characters of an answer or message are shown.
const SHOWN_CHARS: usize = 160;
/// How many values of an answer are shown at most: as many as have place in these characters.
const SHOWN_VALUES: usize = 20;

/// Prints where two saves part, and what is known at the end of one alone; with a name, the
/// difference of that entity's contexts.
pub(super) fn diff(app: &App, args: &DiffArgs) -> Result<()> {
    let (slot, other, name) = (&*args.slot, &*args.other, args.entity.as_deref());
    let saves = (Saved::find(app, slot)?, Saved::find(app, other)?);
    let found = parting(&saves.0.story.lines, &saves.1.story.lines);
    let states = [saves.0.contents()?.state, saves.1.contents()?.state];
    let [first, second] = &states;
    let mut out = app.out();
    let slots = [slot, other];
    let headers = (&saves.0.story.header, &saves.1.story.header);
    let (world, other_world) = (&headers.0.world, &headers.1.world);
    if world != other_world && !app.settings.json {
        // Nothing else of them can be compared.
        let [first, second] = slots;
        let text = say!(
            app.language,
            cli_diff_worlds,
            first,
            second,
            world,
            other = other_world
        );
        out.paragraph(&Paragraph::default().plain(text));
        return Ok(());
    }
    write_parting(app, &mut out, slots, &found);
    for difference in knowledge_differences(first, second) {
        if name.is_none_or(|name| *difference.name == *name) {
            write_knowledge(app, &mut out, slots, [first, second], &difference);
        }
    }
    let Some(name) = name else {
        return Ok(());
    };
    let messages = |state| -> Result<Vec<PromptMessage>> {
        Ok(messages_of(&being(state, name)?.context.value))
    };
    let (first, second) = (messages(first)?, messages(second)?);
    write_changes(app, &mut out, &changes(&first, &second));
    Ok(())
}

fn write_parting(app: &App, out: &mut Output, slots: [&str; 2], found: &Parting) {
    let Parting {
        seeds,
        last,
        turn,
        answers,
    } = found;
    if app.settings.json {
        return out.json(&Printed::Diff {
            saves: slots,
            seeds: *seeds,
            last_turns: *last,
            parts_after_turn: *turn,
            answers: answers.iter().map(parted).collect(),
        });
    }
    let language = app.language;
    let [first, second] = slots;
    let text = match turn {
        None if last.0 == last.1 => say!(language, cli_diff_same, first, second),
        None => {
            let (turn, later) = if last.0 < last.1 {
                (last.0, second)
            } else {
                (last.1, first)
            };
            say!(language, cli_diff_goes_on, turn, later)
        }
        Some(turn) => say!(language, cli_diff_parts, turn),
    };
    out.line(text);
    if seeds.0 != seeds.1 {
        let (one, two) = (seeds.0.to_string(), seeds.1.to_string());
        out.line(say!(language, cli_diff_seeds, one, two));
    }
    for answer in answers {
        let outcomes = [&answer.outcomes.0, &answer.outcomes.1];
        let Some(outcome) = outcomes.iter().find_map(|outcome| outcome.as_ref()) else {
            continue;
        };
        let purpose = purpose_label(&outcome.purpose).in_language(language);
        let heading = format!("{} · {purpose}", outcome.entity);
        let note = if answer.same_request {
            say!(language, cli_diff_same_question)
        } else {
            say!(language, cli_diff_other_question)
        };
        let heading = Paragraph::of(Style::Bold, heading);
        out.paragraph(&heading.add(Style::Dim, format!(" · {note}")));
        let [first, second] = outcomes.map(|outcome| json_answer(outcome.as_deref()));
        let answers = [(&first, &second), (&second, &first)];
        for ((slot, outcome), (own, other)) in slots.into_iter().zip(outcomes).zip(answers) {
            let text = match outcome {
                Some(outcome) => answered(app, outcome, own.as_ref(), other.as_ref()),
                None => say!(language, cli_diff_not_asked),
            };
            let row = Paragraph::indented(2, 4).add(Style::Dim, slot);
            out.paragraph(&row.plain(say!(language, cli_colon)).plain(text));
        }
    }
}

/// An answer that is a JSON object.
fn json_answer(outcome: Option<&Outcome>) -> Option<Value> {
    let AskEnding::Answered { text, .. } = &outcome?.ending else {
        return None;
    };
    let answer = serde_json::from_str::<Value>(text).ok()?;
    answer.is_object().then_some(answer)
}

/// Adds the values of an answer that differ from the other's, with their paths, until there are
/// enough to show.
fn add_difference(own: &Value, other: Option<&Value>, path: &str, found: &mut Vec<String>) {
    if found.len() >= SHOWN_VALUES || Some(own) == other {
        return;
    }
    match own {
        Value::Object(members) => {
            for (name, value) in members {
                if found.len() >= SHOWN_VALUES {
                    return;
                }
                let other = other.and_then(|other| other.get(name));
                let dot = if path.is_empty() { "" } else { "." };
                add_difference(value, other, &format!("{path}{dot}{}", short(name)), found);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                if found.len() >= SHOWN_VALUES {
                    return;
                }
                let other = other.and_then(|other| other.get(number));
                add_difference(item, other, &format!("{path}[{number}]"), found);
            }
        }
        Value::String(text) => found.push(format!("{path}: {}", short(text))),
        value => found.push(format!("{path}: {value}")),
    }
}

/// What an answer has that the other one doesn't; all of it if it is not JSON.
fn answered(app: &App, outcome: &Outcome, own: Option<&Value>, other: Option<&Value>) -> String {
    match &outcome.ending {
        AskEnding::Answered { text, .. } => {
            let Some(own) = own else {
                return short(text);
            };
            let mut found = Vec::new();
            add_difference(own, other, "", &mut found);
            if found.is_empty() {
                "–".to_owned()
            } else {
                short(&found.join("; "))
            }
        }
        AskEnding::Failed { reason } => {
            let reason = reason.in_language(app.language);
            say!(app.language, cli_trace_failed, reason)
        }
    }
}

fn parted(answer: &PartingAnswer) -> PartedAnswer<'_> {
    fn ended(outcome: &Outcome) -> Ended<'_> {
        let (reply, failed) = trace::ended(outcome);
        Ended {
            agent: &outcome.entity,
            call: outcome.number,
            purpose: &outcome.purpose,
            reply,
            failed,
        }
    }
    PartedAnswer {
        first: answer.outcomes.0.as_deref().map(ended),
        second: answer.outcomes.1.as_deref().map(ended),
        same_request: answer.same_request,
    }
}

fn write_knowledge(
    app: &App,
    out: &mut Output,
    slots: [&str; 2],
    states: [&WorldState; 2],
    difference: &KnowledgeDifference,
) {
    let KnowledgeDifference {
        name,
        first,
        second,
        ..
    } = difference;
    // That of a made fact is its text, which ends a sentence.
    let title = |state: &WorldState, fact: &str| {
        let title = state.fact(fact).map_or("", |fact| &*fact.title);
        title.trim_end_matches(['.', '。']).to_owned()
    };
    // What taught a fact, which is known in one of the stories only.
    let event = |state: &WorldState, fact: &str| {
        let event = &state.named(name)?.knowledge.value.get(fact)?.event;
        Some(event.to_string()).filter(|event| !event.is_empty())
    };
    let sides = states.into_iter().zip([first, second]);
    if app.settings.json {
        let taught = sides.clone().flat_map(|(state, facts)| {
            let facts = facts.iter();
            facts.filter_map(move |fact| Some((fact.clone(), event(state, fact)?)))
        });
        let events: BTreeMap<_, _> = taught.collect();
        let titles = sides.map(|(state, facts)| {
            let titles = facts.iter().map(|fact| (fact.clone(), title(state, fact)));
            titles.collect::<BTreeMap<_, _>>()
        });
        let titles: Vec<_> = titles.collect();
        return out.json(&Printed::Knowledge {
            name,
            first: titles[0].clone(),
            second: titles[1].clone(),
            events,
        });
    }
    for (save, (state, facts)) in slots.into_iter().zip(sides) {
        if !facts.is_empty() {
            let titles = facts.iter().map(|fact| match event(state, fact) {
                Some(event) => format!("{} [{event}]", title(state, fact)),
                None => title(state, fact),
            });
            let (name, titles) = (&**name, Argument::list(titles));
            let text = say!(app.language, cli_diff_knows, name, save, titles);
            out.paragraph(&Paragraph::indented(0, 2).plain(text));
        }
    }
}

fn write_changes(app: &App, out: &mut Output, changes: &[Change<'_>]) {
    let language = app.language;
    for Change { kind, messages } in changes {
        if app.settings.json {
            let messages = messages.iter().map(SentMessage::of).collect();
            let summary = match kind {
                ChangeKind::Archived(summary) => Some(SentMessage::of(summary)),
                _ => None,
            };
            let kind = key(kind);
            out.json(&Printed::Change {
                kind,
                messages,
                summary,
            });
            continue;
        }
        let count = messages.len();
        let (mark, heading) = match kind {
            ChangeKind::Same => (" ", say!(language, cli_diff_kept, count)),
            ChangeKind::Added => ("+", say!(language, cli_diff_added, count)),
            ChangeKind::SentOnce => ("-", say!(language, cli_diff_asked, count)),
            ChangeKind::Archived(_) => ("-", say!(language, cli_diff_archived, count)),
            ChangeKind::Cut => ("-", say!(language, cli_diff_cut, count)),
        };
        out.paragraph(&Paragraph::of(Style::Dim, heading));
        if *kind == ChangeKind::Same {
            continue;
        }
        for message in *messages {
            let style = if mark == "+" { Style::Good } else { Style::Bad };
            let row = Paragraph::indented(0, 2).add(style, format!("{mark} "));
            out.paragraph(&row.plain(short(&message.text)));
        }
    }
}

fn key(kind: &ChangeKind<'_>) -> &'static str {
    match kind {
        ChangeKind::Same => "same",
        ChangeKind::Added => "added",
        ChangeKind::SentOnce => "asked",
        ChangeKind::Archived(_) => "archived",
        ChangeKind::Cut => "cut",
    }
}

/// The beginning of a text, in one line.
fn short(text: &str) -> String {
    crate::message::cut(text, SHOWN_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(own: &Value, other: Option<&Value>) -> Vec<String> {
        let mut found = Vec::new();
        add_difference(own, other, "", &mut found);
        found
    }

    #[test]
    fn what_two_answers_share_is_left_out() {
        let play = |target: &str, say: &str| json!({"action": "play", "cards": [{"name": "Saw", "targets": [target]}], "say": say});
        let (first, second) = (play("Tar Hound", "Now!"), play("Writ Eel", "Now!"));
        let found = difference(&first, Some(&second));
        assert_eq!(found, ["cards[0].targets[0]: Tar Hound"]);
        assert_eq!(difference(&first, Some(&first)), Vec::<String>::new());
        assert_eq!(difference(&first, None).len(), 4);
    }

    #[test]
    fn a_huge_answer_is_shown_in_part() {
        let long = json!({"n".repeat(100_000): vec![0; 100_000], "line\nbreak": 1});
        let found = difference(&long, None);
        assert_eq!(found.len(), SHOWN_VALUES);
        assert!(found.iter().map(String::len).sum::<usize>() < 10_000);
        assert!(!found.concat().contains('\n'));
    }
}
