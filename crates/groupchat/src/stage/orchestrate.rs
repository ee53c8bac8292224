//! Running a team by a ledger: the team's own model analyses, judges and concludes; code assigns
//! and counts.

use playhouse_engine::event::AnsweredBy;
use playhouse_engine::exchange::{Ask, Prose, ProseRules};
use playhouse_engine::locale::{UiText, text};

use super::chat::Phase;
use super::deliver::Delivery;
use super::forget;
use super::ledger::{Analysis, Progress, ProgressConstraints, Subtask};
use super::step::ChatStep;
use crate::message::ChatMessage;
use crate::prompts::{
    ChatNotes, ChatPrompt, MemberData, OpenSubtask, ProgressNotes, SelectionNotes, notes,
};
use crate::team::{Participant, Selection};

/// How often the model may correct an invalid answer.
const REPAIRS: u32 = 3;

/// The maximum number of characters of the final answer.
const MAX_CONCLUSION_CHARS: usize = 20_000;

impl<'a> ChatStep<'a, '_, '_> {
    /// Asks for an analysis of the task, or for the progress if there is one already.
    pub(super) fn orchestrate(&mut self) {
        if self.chat.ledger.is_analysed {
            self.ask_progress();
        } else {
            self.ask_analysis("chat.analyse");
        }
    }

    /// The participants that are in the team now.
    fn crew(&self) -> Vec<&'a Participant> {
        let present = self.present().into_iter();
        present
            .filter_map(|name| self.team.participant(name))
            .collect()
    }

    fn members(&self) -> Vec<MemberData<'a>> {
        let members = self.crew().into_iter().map(|participant| MemberData {
            name: &participant.name,
            description: &participant.description,
            skills: &participant.skills,
        });
        members.collect()
    }

    fn ask_analysis(&mut self, purpose: &'static str) {
        let task = self.chat.goal.clone();
        let ledger = self.chat.ledger.clone();
        let question = self.prompt(&ChatPrompt::Analyse {
            team: self.members(),
            task: &task,
            ledger: ledger.data(),
            again: ledger.replans > 0,
        });
        let short = self.prompt(&ChatPrompt::AnalyseShort);
        // Never used: without an answer, the run fails.
        let fallback = Analysis {
            subtasks: vec![Subtask {
                id: "t1".into(),
                description: task,
                ..Subtask::default()
            }],
            ..Analysis::default()
        };
        let ask = Ask::new(purpose, question, (), fallback)
            .condensed(short)
            .repairs(REPAIRS)
            .max_tokens(2_048)
            .notes(notes(&SelectionNotes {
                present: &self.present(),
            }));
        self.ask(self.stage, ask);
        self.chat.phase = Phase::Analysing;
    }

    pub(super) fn take_analysis(&mut self, analysis: &Analysis, by: AnsweredBy) {
        self.post_usage();
        if let AnsweredBy::Fallback(error) = by {
            return self.fail_without_answer(&text!(groupchat_fail_analysis, error));
        }
        let crew = self.crew();
        self.chat.ledger.plan(analysis, &crew);
        let ledger = self.chat.ledger.clone();
        let plan = self.prompt(&ChatPrompt::Plan {
            ledger: ledger.data(),
            risks: &analysis.risks,
        });
        self.post(ChatMessage::text(self.team.name.as_str(), plan));
        match ledger.next_open() {
            Some(next) => self.instruct(next.to.clone(), next.task.description.clone()),
            None => self.ask_progress(),
        }
    }

    fn ask_progress(&mut self) {
        let task = self.chat.goal.clone();
        let ledger = self.chat.ledger.clone();
        let question = self.prompt(&ChatPrompt::Progress {
            team: self.members(),
            task: &task,
            ledger: ledger.data(),
        });
        let short = self.prompt(&ChatPrompt::ProgressShort);
        let names: Vec<String> = self.present().into_iter().map(str::to_owned).collect();
        let fallback = Progress {
            next_speaker: names.first().cloned().unwrap_or_default(),
            ..Progress::default()
        };
        let open = ledger.open().map(|assignment| {
            let Subtask {
                id, description, ..
            } = &assignment.task;
            OpenSubtask {
                id,
                to: &assignment.to,
                text: description,
            }
        });
        let notes = notes(&ProgressNotes {
            present: &names,
            open: open.collect(),
        });
        let assignments = ledger.assignments.iter();
        let constraints = ProgressConstraints {
            subtasks: assignments
                .map(|assignment| assignment.task.id.clone())
                .collect(),
            names,
        };
        let ask = Ask::new("chat.progress", question, constraints, fallback)
            .condensed(short)
            .repairs(REPAIRS)
            .notes(notes);
        self.ask(self.stage, ask);
        self.chat.phase = Phase::Judging;
    }

    pub(super) fn take_progress(&mut self, progress: Progress, by: AnsweredBy) {
        let Selection::Ledger {
            max_stalls,
            max_replans,
        } = self.team.selection
        else {
            return;
        };
        self.post_usage();
        if let AnsweredBy::Fallback(error) = by {
            return self.fail_without_answer(&text!(groupchat_fail_progress, error));
        }
        let crew = self.crew();
        let ledger = &mut self.chat.ledger;
        ledger.judge(&progress, &crew);
        if progress.is_request_satisfied {
            return self.ask_conclusion();
        }
        if ledger.stalls >= max_stalls {
            return self.plan_again(max_stalls, max_replans);
        }
        // A subtask that failed goes to whom it was assigned; otherwise the model decides.
        let mut assignments = ledger.assignments.iter();
        let reassigned = assignments.find(|assigned| progress.failed.contains(&assigned.task.id));
        let (to, instruction) = match reassigned {
            Some(assignment) => (assignment.to.clone(), assignment.task.description.clone()),
            None => {
                let names: Vec<String> = crew
                    .iter()
                    .map(|participant| participant.name.clone())
                    .collect();
                let speaker = progress.speaker(&names).unwrap_or_default();
                (speaker.to_owned(), progress.instruction)
            }
        };
        self.instruct(to, instruction);
    }

    fn plan_again(&mut self, max_stalls: u32, max_replans: u32) {
        if self.chat.ledger.replans >= max_replans {
            let reason = text!(
                groupchat_stop_no_progress,
                rounds = max_stalls,
                plans = max_replans
            );
            return self.stop(&reason, "Ledger");
        }
        self.chat.ledger.replans += 1;
        self.chat.ledger.stalls = 0;
        self.ask_analysis("chat.replan");
    }

    /// Tells everybody what the next speaker should do, and lets it speak.
    fn instruct(&mut self, to: String, instruction: String) {
        let text = self.prompt(&ChatPrompt::Instruct {
            to: &to,
            instruction: &instruction,
        });
        self.chat.ledger.instruction = instruction;
        self.post(ChatMessage::text(self.team.name.as_str(), text));
        match self.check_termination() {
            Some(stop) => self.finish(stop),
            None => self.let_speak(vec![to]),
        }
    }

    fn ask_conclusion(&mut self) {
        let task = self.chat.goal.clone();
        let question = self.prompt(&ChatPrompt::Conclude { task: &task });
        let rules = ProseRules {
            max_chars: MAX_CONCLUSION_CHARS,
            has_markup: true,
            ..ProseRules::default()
        };
        let fallback = Prose(self.translate(&text!(groupchat_conclusion)));
        let ask = Ask::new("chat.conclude", question, rules, fallback)
            .condensed("")
            .max_tokens(2_048)
            .notes(notes(&ChatNotes {}));
        self.ask(self.stage, ask);
        self.chat.phase = Phase::Concluding;
    }

    pub(super) fn take_conclusion(&mut self, Prose(text): Prose) {
        let name = self.team.name.as_str();
        let message = ChatMessage::text(name, text).with_usage(self.last_usage(self.stage));
        let how = Delivery {
            speaker: Some(name),
            is_answer: true,
            ..Delivery::default()
        };
        self.deliver(message, how);
        // Whether or not the last message met a condition, the run is over.
        match self.check_termination() {
            Some(stop) => self.finish(stop),
            None => self.stop(&text!(groupchat_stop_done), "Ledger"),
        }
    }

    /// Fails because the team's own model gave no answer.
    fn fail_without_answer(&mut self, reason: &UiText) {
        self.edit_context(self.stage, forget::remove_last_answer);
        self.fail(reason);
    }

    /// The tokens of the team's own model count too.
    fn post_usage(&mut self) {
        if let Some(usage) = self.last_usage(self.stage) {
            self.post_selector(String::new(), Some(usage));
        }
    }
}
