//! `export --to`: what characters saw, said, remember and became, for other programs.

use crate::cli::prelude::*;
use std::path::Path;
use std::sync::Arc;

use crate::cast::{Kind, StableId};
use crate::event::{EventRecord, EventTypes};
use crate::files::{Durability, Folder};
use crate::interop::concordia::{Log, LogEntry, Logger};
use crate::interop::{Conversation, Profile, write_value};
use crate::journal::AskEnding;
use crate::message::{Body, Message};
use crate::story::Form;
use crate::story::data::InOrder;

use super::data::cant_write;
use super::files::{LineFiles, file_of};
use super::{card, training};
use crate::cli::args::{ExportArgs, ExportForm};
use crate::cli::commands::told;
use crate::cli::event_types;
use crate::cli::saved::{Being, Contents, Saved, WorldState, being, groups_of};

/// Writes the stories of a save, batch or experiment in one of these forms.
pub(super) fn export(app: &App, args: &ExportArgs, form: ExportForm, folder: &Path) -> Result<()> {
    let groups = groups_of(app, &args.slot)?;
    let stories: usize = groups.iter().map(|group| group.slots.len()).sum();
    let mut files = LineFiles::in_folder(folder);
    let mut picked = training::Picked::new(args, stories);
    for group in &groups {
        for slot in &group.slots {
            let saved = group.open(app, slot)?;
            // Of several stories, each has files of its own, unless they are examples.
            let prefix = match stories {
                1 => String::new(),
                _ => format!("{}.", saved.slot.name()),
            };
            let story = || Story::read(&saved, args);
            match form {
                ExportForm::Sillytavern => story()?.write_chats(&mut files, &prefix)?,
                ExportForm::Card => card::write(&saved, &story()?, &mut files, &prefix)?,
                ExportForm::Concordia => story()?.write_log(folder, &saved, app)?,
                ExportForm::Openai => picked.add(&saved, Profile::OpenAiLines, &mut files)?,
                ExportForm::Sharegpt => picked.add(&saved, Profile::ShareGpt, &mut files)?,
            }
        }
    }
    files.finish(app)?;
    picked.report(app);
    Ok(())
}

/// A story, and those of whom something is written.
pub(super) struct Story {
    pub(super) view: Arc<crate::cli::saved::StoryView>,
    pub(super) state: Arc<WorldState>,
    /// Their numbers.
    who: Vec<u32>,
    events: EventTypes,
}

impl Story {
    fn read(saved: &Saved, args: &ExportArgs) -> Result<Self> {
        let view = told::read(saved, Some(saved.turn))?;
        let state = view.read().state.clone();
        let who = if args.actors.is_empty() {
            let actors = state
                .beings
                .iter()
                .filter(|being| being.kind == Kind::Actor);
            actors.map(|being| being.id).collect()
        } else {
            let named = args.actors.iter().map(|name| being(&state, name));
            named.map(|being| Ok(being?.id)).collect::<Result<_>>()?
        };
        Ok(Self {
            view,
            state,
            who,
            events: event_types(),
        })
    }

    /// Those of whom something is written.
    pub(super) fn beings(&self) -> impl Iterator<Item = &Being> {
        self.who.iter().filter_map(|id| self.state.being(*id))
    }

    /// What somebody says aloud, or to those who are meant.
    pub(super) fn words(&self, form: Form, record: &EventRecord) -> Option<String> {
        let is_said = matches!(form, Form::Speech | Form::Whisper | Form::Call);
        let telling = self.events.telling(record).filter(|_| is_said)?;
        form.words_of(&*telling).map(str::to_owned)
    }

    /// The chat of each character, as it saw it.
    fn write_chats(&self, files: &mut LineFiles, prefix: &str) -> Result<()> {
        let contents = self.view.read();
        for being in self.beings() {
            let chat = Conversation {
                name: Some(being.name.clone()),
                messages: self.messages(&contents, being),
                ..Conversation::default()
            };
            let Value::Array(lines) = write_value(&[chat], Profile::SillyTavern) else {
                continue;
            };
            for line in lines {
                let file = format!("{prefix}{}", file_of(&being.name, being.id, ".jsonl"));
                files.add(file, &being.name, &line.to_string())?;
            }
        }
        Ok(())
    }

    /// What a character saw: words are those of their speakers, all else is told.
    fn messages(&self, contents: &Contents, being: &Being) -> Vec<Message> {
        let seen = contents.seen(being.id).iter();
        let entries = seen.filter_map(|number| contents.events.get(*number as usize));
        let entries = entries.filter(|entry| !matches!(entry.form, Form::Own | Form::Note));
        let messages = entries.map(|entry| {
            let record = entry.record();
            let seen = record.as_seen_by(StableId(being.id));
            let is_masked = seen.text != record.text;
            let words = self.words(entry.form, &record).filter(|_| !is_masked);
            match (words, &record.speaker) {
                (Some(words), Some(speaker)) if *speaker == being.name => {
                    Message::ai(Body::text(words).from_sender(speaker.clone()))
                }
                (Some(words), Some(speaker)) => {
                    Message::human(Body::text(words).from_sender(speaker.clone()))
                }
                _ => Message::system(seen.text),
            }
        });
        messages.collect()
    }

    /// The whole story as Concordia's log.
    fn write_log(&self, folder: &Path, saved: &Saved, app: &App) -> Result<()> {
        let contents = self.view.read();
        let mut log = Log::default();
        let InOrder { events, calls } = InOrder::of(&contents);
        for turn in &contents.turns {
            for (_, outcome) in calls.iter().filter(|(call, _)| call.turn == turn.turn) {
                let AskEnding::Answered { text, .. } = &outcome.ending else {
                    continue;
                };
                log.add(LogEntry {
                    step: turn.turn,
                    timestamp: time(Some(outcome.at).filter(|at| *at > 0)),
                    logger: Logger::Entity,
                    name: &outcome.entity,
                    component: &outcome.purpose,
                    summary: first_line(text),
                    data: json!({"Key": outcome.purpose, "Value": text, "Prompt": outcome.asked}),
                });
            }
            let happened = events.get(turn.from as usize..turn.to as usize);
            let happened = happened.unwrap_or_default().iter();
            for entry in happened.filter(|entry| entry.form != Form::Own) {
                let record = entry.record();
                let observed: Vec<_> = record.learners().collect();
                log.add(LogEntry {
                    step: turn.turn,
                    timestamp: time(record.said_at),
                    logger: Logger::GameMaster,
                    name: match &*record.place {
                        "" => "Story",
                        place => place,
                    },
                    component: &record.kind,
                    summary: first_line(&record.text),
                    data: json!({"Summary": first_line(&record.text), "Value": record.text,
                        "Observed by": observed}),
                });
            }
        }
        for being in &self.state.beings {
            let witnessed = self.state.witnessed(being).map(|text| text.into_owned());
            match being.kind {
                Kind::Actor => log.remember(&being.name, witnessed.collect()),
                _ => log.remember_as_game_master(witnessed),
            }
        }
        let name = format!("{}.json", saved.slot.name());
        let (path, entries) = (folder.join(&name), log.entries());
        let text = log.into_json().to_string();
        Folder::open_or_create(folder)
            .and_then(|folder| folder.replace(&name, text.as_bytes(), Durability::Unsynced))
            .map_err(|error| cant_write(&path, error))?;
        let file = path.display().to_string();
        app.tell(
            &Printed::LogFile {
                file: &file,
                entries,
            },
            say!(app.language, cli_export_log, file = &file, entries),
        );
        Ok(())
    }
}

/// A time of milliseconds since 1970 as ISO writes it; empty if there is none.
fn time(ms: Option<u64>) -> String {
    ms.map_or_else(String::new, |ms| {
        let at = std::time::UNIX_EPOCH + std::time::Duration::from_millis(ms);
        humantime::format_rfc3339_millis(at).to_string()
    })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
