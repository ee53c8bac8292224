//! The ledger orchestrator: the team's own mind analyses, judges and sums up; code assigns and counts.

use serde_json::json;

use super::ledger::ProgressConstraints;
use super::{Analysis, At, ChatParams, Phase, Progress};
use crate::event::By;
use crate::exchange::{Ask, Prose, ProseRules};
use crate::groupchat::message::{ChatMessage, Content};
use crate::groupchat::perspective::last_usage;
use crate::groupchat::team::Selection;
use crate::groupchat::termination::Stop;

/// How often a mind may mend an answer that can't be used.
const REPAIRS: u32 = 3;

impl ChatParams<'_, '_> {
    /// The next move: an analysis where there is none, else a judgement of the progress.
    pub(super) fn orchestrate(&mut self, at: &mut At) {
        match at.chat.ledger.analysed {
            false => self.ask_analysis(at, "chat.analyse"),
            true => self.ask_progress(at),
        }
    }

    fn team_facts(&self, at: &At) -> serde_json::Value {
        let team = at.team.participants.iter().map(
            |one| json!({"name": one.name, "description": one.description, "skills": one.skills}),
        );
        json!({
            "team": team.collect::<Vec<_>>(), "task": self.task(at),
            "ledger": at.chat.ledger.facts(), "again": at.chat.ledger.replans > 0,
        })
    }

    fn ask_analysis(&mut self, at: &mut At, purpose: &'static str) {
        let facts = self.team_facts(at);
        let words = self.say("chat/asks/analyse", &facts);
        let short = self.say("chat/asks/analyse_short", &facts);
        // Where no mind analyses, the task is one piece; the run fails before it is used.
        let whole = super::Subtask {
            id: "t1".into(),
            description: self.task(at),
            ..Default::default()
        };
        let fallback = Analysis {
            subtasks: vec![whole],
            ..Analysis::default()
        };
        let ask = Ask::new(purpose, words, (), fallback)
            .condensed(short)
            .repairs(REPAIRS)
            .max_tokens(2_048)
            .notes(json!({"kind": "chat", "present": at.team.names()}));
        self.commands.entity(at.stage).insert(ask);
        at.chat.phase = Phase::Analysing;
    }

    pub(super) fn take_analysis(&mut self, at: &mut At) {
        let Some((_, analysis, by)) = self.replies.analyses.take().into_iter().next() else {
            return;
        };
        self.note_usage(at);
        if let By::Fallback(reason) = by {
            self.forget_last(at.stage);
            let reason = self.words(
                format!("the task could not be analysed: {reason}"),
                format!("无法分析任务：{reason}"),
            );
            return self.fail(at, reason);
        }
        at.chat.ledger.plan(&analysis, at.team);
        let facts = json!({"ledger": at.chat.ledger.facts(), "risks": analysis.risks});
        let plan = self.say("chat/plan", &facts);
        self.said(
            at,
            ChatMessage::text(at.team.name.as_str(), plan),
            &[],
            None,
        );
        let next = at.chat.ledger.next_open();
        let next = next.map(|next| (next.to.clone(), next.task.description.clone()));
        match next {
            Some((to, what)) => self.instruct(at, to, what),
            None => self.ask_progress(at),
        }
    }

    fn ask_progress(&mut self, at: &mut At) {
        let facts = self.team_facts(at);
        let words = self.say("chat/asks/progress", &facts);
        let short = self.say("chat/asks/progress_short", &facts);
        let names: Vec<String> = at.team.names().iter().map(ToString::to_string).collect();
        let fallback = Progress {
            next_speaker: names.first().cloned().unwrap_or_default(),
            ..Progress::default()
        };
        let rows = at.chat.ledger.assignments.iter();
        let facts = ProgressConstraints {
            subtasks: rows.map(|one| one.task.id.clone()).collect(),
            names: names.clone(),
        };
        let open = at.chat.ledger.open();
        let open: Vec<_> = open
            .map(|one| json!({"id": one.task.id, "to": one.to, "text": one.task.description}))
            .collect();
        let ask = Ask::new("chat.progress", words, facts, fallback)
            .condensed(short)
            .repairs(REPAIRS)
            .notes(json!({"kind": "chat", "present": names, "open": open}));
        self.commands.entity(at.stage).insert(ask);
        at.chat.phase = Phase::Judging;
    }

    pub(super) fn take_progress(&mut self, at: &mut At) {
        let Selection::Ledger {
            max_stalls,
            max_replans,
        } = at.team.selection
        else {
            return;
        };
        let Some((_, progress, by)) = self.replies.progress.take().into_iter().next() else {
            return;
        };
        self.note_usage(at);
        if let By::Fallback(reason) = by {
            self.forget_last(at.stage);
            let reason = self.words(
                format!("the progress could not be judged: {reason}"),
                format!("无法判断进展：{reason}"),
            );
            return self.fail(at, reason);
        }
        at.chat.ledger.judge(&progress, at.team);
        if progress.is_request_satisfied {
            return self.ask_conclusion(at);
        }
        if at.chat.ledger.stalls >= max_stalls {
            return self.plan_anew(at, max_stalls, max_replans);
        }
        // What failed goes to whomever the code gave it; else the mind's own choice stands.
        let failed = at.chat.ledger.assignments.iter();
        let mut failed = failed.filter(|one| progress.failed.contains(&one.task.id));
        let reassigned = failed
            .next()
            .map(|one| (one.to.clone(), one.task.description.clone()));
        let (to, what) = reassigned.unwrap_or((progress.next_speaker, progress.instruction));
        self.instruct(at, to, what);
    }

    fn plan_anew(&mut self, at: &mut At, max_stalls: u32, max_replans: u32) {
        if at.chat.ledger.replans >= max_replans {
            let content = self.words(
                format!("No progress in {max_stalls} rounds after {max_replans} new plans"),
                format!("重新计划 {max_replans} 次后，仍有 {max_stalls} 轮没有进展"),
            );
            return self.finish(
                at,
                Stop {
                    content,
                    source: "Ledger".into(),
                },
            );
        }
        at.chat.ledger.replans += 1;
        at.chat.ledger.stalls = 0;
        self.ask_analysis(at, "chat.replan");
    }

    /// Tells all what the next one is to do, and gives it the word.
    fn instruct(&mut self, at: &mut At, to: String, what: String) {
        at.chat.ledger.instruction.clone_from(&what);
        let words = self.say("chat/instruct", &json!({"to": to, "instruction": what}));
        self.said(
            at,
            ChatMessage::text(at.team.name.as_str(), words),
            &[],
            None,
        );
        match self.check(at) {
            Some(stop) => self.finish(at, stop),
            None => self.let_speak(at, vec![to]),
        }
    }

    fn ask_conclusion(&mut self, at: &mut At) {
        let facts = self.team_facts(at);
        let words = self.say("chat/asks/conclude", &facts);
        let rules = ProseRules {
            max_chars: 20_000,
            ..ProseRules::default()
        };
        let fallback = Prose(self.words("The task is done.", "任务完成。"));
        let ask = Ask::new("chat.conclude", words, rules, fallback)
            .condensed("")
            .max_tokens(2_048)
            .notes(json!({"kind": "chat"}));
        self.commands.entity(at.stage).insert(ask);
        at.chat.phase = Phase::Concluding;
    }

    pub(super) fn take_conclusion(&mut self, at: &mut At) {
        let Some((_, Prose(text), _)) = self.replies.prose.take().into_iter().next() else {
            return;
        };
        let usage = self.contexts.get(at.stage).ok().and_then(last_usage);
        let message = ChatMessage::text(at.team.name.as_str(), text).using(usage);
        let name = at.team.name.clone();
        self.said(at, message, &[], Some(&name));
        // What was said last may end it too; either way it is over.
        let stop = self.check(at).unwrap_or_else(|| Stop {
            content: self.words("The task is done", "任务完成"),
            source: "Ledger".into(),
        });
        self.finish(at, stop);
    }

    /// What the team's own mind used counts like every other call.
    fn note_usage(&mut self, at: &mut At) {
        let usage = self.contexts.get(at.stage).ok().and_then(last_usage);
        if usage.is_some_and(|usage| usage.total_tokens() > 0) {
            let manager = at.team.selection.manager();
            let event = ChatMessage::new(manager, Content::Selector(String::new())).using(usage);
            self.said(at, event, &[], None);
        }
    }
}
