//! `new --from`: a world that a model drafts from a text; `suggest`: one more part for a world.

use crate::cli::prelude::*;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use playhouse_engine::files::{self, Durability, Folder};

use crate::engine::{Engine, Stop};
use crate::exchange::ledgers;
use crate::interop::cards::{Card, Taking};
use crate::message::TokenUsage;
use crate::mind::{Mind, Minds};
use crate::rpg::draft::{Draft, DraftGame, DraftNews, Shift, added, percent};
use crate::rpg::import::language_of;
use crate::rpg::world_file::NewWorldError;
use crate::save::Slot;
use crate::session::{Game as _, Session};
use crate::world_data::MAX_BYTES;

use super::edited_world::EditedWorld;
use super::import::read_cards;
use super::play;
use crate::cli::args::{NewArgs, SuggestArgs};
use crate::cli::loader;
use crate::cli::process::{self, INTERRUPTED, was_interrupted};
use crate::cli::settings::IMPROVISER;
use crate::cli::shell::shell_quoted;

/// The journal of a draft, in the folder of its world.
const SLOT: &str = "draft";
const WORLD: &str = "world.ron";
const EXPECTATIONS: &str = "expect.ron";
/// Nothing that is random is asked of a draft.
const SEED: u64 = 1;
/// How many lines stand around a change.
const CONTEXT: usize = 3;

/// Drafts a world into a folder, or goes on with a draft that was begun there.
pub(super) fn draft(app: &App, args: &NewArgs, from: &str) -> Result<()> {
    let folder: &Path = &args.dir;
    let mind = mind(app)?;
    let path = folder.join(WORLD);
    if path.exists() {
        let error = NewWorldError::Exists(path);
        return Err(CommandError::of(ErrorKind::World, &error));
    }
    let (text, language) = premise(app, from, args.world_lang)?;
    let window = mind.info().window;
    let game = DraftGame::new(&app.data()?, &text, language, args.runs, window);
    let game = game
        .or_fail(ErrorKind::World)?
        .telling(listener(app, folder));
    let minds = Minds::all(mind);
    let mut session = match Slot::find(folder, SLOT) {
        Ok(slot) => {
            if slot.read(false)?.header.data != game.meta().data {
                let message = text!(cli_draft_other_text, folder = folder.display());
                return Err(CommandError::new(ErrorKind::World, message));
            }
            Session::resume(folder, SLOT, &game, minds, false)?
        }
        Err(_) => Session::start(folder, SLOT, &game, SEED, minds)?,
    };
    let stop = play_out(app, &mut session.engine)?;
    let engine = &session.engine;
    let mut draft = engine.world.resource::<Draft>().clone();
    let problems = draft.problems();
    // A model that has no more usable answers has still given what is there.
    let is_over = match stop {
        Stop::NoUsableAnswers(_) => !problems.has_errors(),
        _ => matches!(stop, Stop::Finished(_)),
    };
    if !is_over {
        let stopped = play::stopped(app, &stop, None).err();
        let error =
            stopped.unwrap_or_else(|| CommandError::new(ErrorKind::Other, text!(cli_end_stopped)));
        return Err(error.help(text!(cli_draft_go_on, folder = shell_quoted(folder))));
    }
    if problems.has_errors() {
        let error = CommandError::new(ErrorKind::World, text!(cli_draft_unusable));
        let changed = UiText::lines(draft.changed.iter().map(UiText::verbatim));
        return Err(match draft.changed.is_empty() {
            true => error,
            false => error.help(changed),
        });
    }
    if matches!(stop, Stop::NoUsableAnswers(_)) {
        game.rehearse(&mut draft);
    }
    let files = Folder::open_or_create(folder).or_fail(ErrorKind::Other)?;
    for (name, text) in [(EXPECTATIONS, draft.expectations()), (WORLD, draft.text())] {
        let written = files.replace(name, text.as_bytes(), Durability::Synced);
        written.or_fail(ErrorKind::Other)?;
    }
    let lengths = [game.premise(), text.trim()].map(|text| text.chars().count());
    report(app, folder, engine, &draft, lengths);
    Ok(())
}

/// The mind of a draft, which the improviser can't make.
fn mind(app: &App) -> Result<Arc<dyn Mind>> {
    let model = &app.settings.model.value;
    if model == IMPROVISER {
        let error = CommandError::usage(text!(cli_draft_needs_model));
        return Err(error.help(text!(cli_draft_needs_model_help)));
    }
    Ok(loader::main_mind(app, model)?.mind)
}

/// What character cards say, alone or in a folder; else the text of a file; else the text itself.
/// The language of the world is that of the text, if none is wanted.
fn premise(app: &App, from: &str, wanted: Option<Language>) -> Result<(String, Language)> {
    let of_text = |text: String| {
        let language = wanted.unwrap_or_else(|| language_of([text.as_str()]));
        (text, language)
    };
    let path = Path::new(from);
    // A mistyped name is no premise that anybody should pay for.
    let has_ending = path.extension().is_some_and(|ending| !ending.is_empty());
    let is_name = has_ending || from.starts_with(['.', '/', '~']);
    let is_name = is_name && !from.contains(char::is_whitespace);
    if !path.exists() && !is_name {
        return Ok(of_text(from.to_owned()));
    }
    match read_cards(app, &[path.to_owned()]) {
        Ok(cast) => {
            let language = wanted.unwrap_or_else(|| cast.language());
            let cards = cast.cards.iter().map(|(_, card)| of_card(card, language));
            Ok((cards.collect(), language))
        }
        Err(error) if path.is_dir() => Err(error),
        Err(_) => {
            let text = files::read_text(path, MAX_BYTES).or_fail(ErrorKind::World)?;
            Ok(of_text(text))
        }
    }
}

/// What a card says of a character, in plain words.
fn of_card(card: &Card, language: Language) -> String {
    let name = card.called();
    let taken = card.take(Taking {
        name,
        user: &text!(cli_draft_somebody).in_language(language),
        language,
        seed: SEED,
        in_group: true,
    });
    let (profile, kickoff, voice) = (taken.profile, taken.kickoff, taken.voice.join("\n"));
    format!("# {name}\n\n{profile}\n\n{kickoff}\n\n{voice}\n\n")
}

fn play_out(app: &App, engine: &mut Engine) -> Result<Stop> {
    play::prepare(app, engine);
    play::tell_waits(app, engine);
    let runtime = play::runtime()?;
    play::stop_by_signals(app, &runtime, engine.cancellation_token());
    let stop = runtime.block_on(engine.run(None));
    runtime.shutdown_background();
    app.status.hide();
    Ok(stop?)
}

/// Says what comes about while a draft is made in a folder.
fn listener(app: &App, folder: &Path) -> impl Fn(DraftNews) + Send + Sync + 'static {
    let (err, status, language) = (app.shared_err(), app.status.clone(), app.language);
    let prints_text = app.prints_text();
    let go_on = say!(language, cli_draft_go_on, folder = shell_quoted(folder));
    move |news| {
        let line = match news {
            DraftNews::Rehearsed { .. } if was_interrupted() => {
                // The journal has everything. Until the end no other run says this, too.
                status.hide();
                let mut err = lock(&err);
                if prints_text {
                    err.line(&go_on);
                }
                process::exit(INTERRUPTED);
            }
            DraftNews::Rehearsed { done, all } => {
                let text = say!(language, cli_draft_rehearsed, done, all);
                if done < all {
                    return status.show_bar(done.into(), all.into(), &text);
                }
                status.hide();
                text
            }
            DraftNews::Unanswered { part } => {
                say!(language, cli_draft_unanswered, part = part_label(part))
            }
            DraftNews::Taken { part, names } if names.is_empty() => {
                say!(language, cli_draft_answered, part = part_label(part))
            }
            DraftNews::Taken { part, names } => {
                let (part, names) = (part_label(part), Argument::list(names));
                say!(language, cli_draft_answered_names, part, names)
            }
        };
        if prints_text {
            lock(&err).line(line);
        }
    }
}

/// What a part of a draft is called.
fn part_label(reply: &str) -> UiText {
    match reply {
        "outline" => text!(cli_draft_outline),
        "voices" => text!(cli_draft_voices),
        "stakes" => text!(cli_draft_stakes),
        "plot" => text!(cli_draft_plot),
        "scenes" => text!(cli_draft_scenes),
        "endings" => text!(cli_draft_endings),
        "changes" => text!(cli_draft_changes),
        other => UiText::verbatim(other),
    }
}

fn report(app: &App, folder: &Path, engine: &Engine, draft: &Draft, [read, length]: [usize; 2]) {
    let world = &draft.world;
    // Also what was spent before the draft was stopped.
    let mut spent = TokenUsage::default();
    ledgers(&engine.world).for_each(|(_, ledger)| spent += ledger.total().usage);
    let path = folder.join(WORLD).display().to_string();
    let warnings = draft.warnings(None);
    if app.settings.json {
        return app.out().json(&Printed::Draft {
            path,
            people: world.actors.len(),
            scenes: world.scenes.len(),
            endings: world.endings.len(),
            usage: spent,
            not_used: &draft.not_used,
            changed: &draft.changed,
            unmet: draft.unmet().collect(),
            warnings,
        });
    }
    if app.settings.quiet {
        return;
    }
    let (language, mut out) = (app.language, app.out());
    let (people, facts) = (world.actors.len(), world.facts.len());
    let (scenes, endings) = (world.scenes.len(), world.endings.len());
    let written = say!(
        language, cli_draft_written, path, people, facts, scenes, endings
    );
    out.line(written);
    let (input, output) = (spent.input, spent.output);
    out.line(say!(language, cli_draft_spent, input, output));
    if length > read {
        out.line(say!(language, cli_draft_too_long, read, length));
    }
    let unmet: Vec<_> = draft.unmet().cloned().collect();
    drop(out);
    lists(
        app,
        &[
            (text!(cli_draft_not_used), &draft.not_used),
            (text!(cli_draft_changed), &draft.changed),
            (text!(cli_draft_unmet), &unmet),
            (text!(cli_draft_warned), &warnings),
        ],
    );
    let mut out = app.out();
    out.paragraph(&Paragraph::blank());
    let folder = shell_quoted(folder);
    out.line(say!(language, cli_draft_next, folder));
}

/// Lets a model suggest one part of a world, and shows it as a change of its file.
pub(super) fn suggest(app: &App, args: &SuggestArgs) -> Result<()> {
    let minds = Minds::all(mind(app)?);
    let campaign = loader::world(app, &args.world)?;
    let data = app.data()?;
    let wish = args.wish.as_deref().unwrap_or_default();
    let game = DraftGame::suggestion(&data, &campaign, args.part, wish, args.runs);
    let game = game
        .or_fail(ErrorKind::World)?
        .telling(listener(app, Path::new("")));
    let mut setup = game.set_up(SEED)?;
    game.populate(&mut setup)?;
    let mut engine = Engine::in_memory(setup, minds)?;
    let stop = play_out(app, &mut engine)?;
    play::stopped(app, &stop, None)?;
    let draft = engine.world.resource::<Draft>();
    let own = loader::own_folder(&data, &args.world)?;
    let mut world = match &own {
        Some(own) => EditedWorld::read(own, WORLD)?,
        None => EditedWorld::read(&data, &format!("worlds/{}/{WORLD}", args.world))?,
    };
    world.source = added(&world.source, &campaign.file, draft).ok_or_else(|| {
        let reasons = UiText::lines(draft.changed.iter().map(UiText::verbatim));
        CommandError::new(ErrorKind::Other, text!(cli_suggest_nothing, reasons))
    })?;
    // What was merged is judged as a whole once more.
    world.checked(app)?;
    let warnings = draft.warnings(Some(&campaign.file));
    for (_, after, before) in world.changes() {
        let (name, patch) = (after.file(), difference(after.file(), before, after.text()));
        if app.settings.json {
            app.out().json(&Printed::Suggestion {
                file: name,
                patch: &patch,
                shifts: &draft.shifts,
                unmet: draft.unmet().collect(),
                warnings: warnings.clone(),
            });
        } else {
            patch.lines().for_each(|line| app.out().line(line));
        }
    }
    if app.prints_text() {
        rehearsed(app, draft, warnings);
    }
    if world.is_on_disk() && app.confirm(&say!(app.language, cli_suggest_take)) == Some(true) {
        world.write().or_fail(ErrorKind::Other)?;
    }
    Ok(())
}

/// Says what rehearsals and `check` come to with what was suggested.
fn rehearsed(app: &App, draft: &Draft, warnings: Vec<String>) {
    let shifts = draft.shifts.iter().map(
        |Shift {
             point,
             before,
             after,
         }| {
            let (name, after) = (point.name(), percent(*after));
            match before.map(percent) {
                Some(before) => say!(app.language, cli_suggest_shift, name, before, after),
                None => say!(app.language, cli_suggest_new, name, after),
            }
        },
    );
    let shifts: Vec<_> = shifts.collect();
    let unmet: Vec<_> = draft.unmet().cloned().collect();
    lists(
        app,
        &[
            (text!(cli_suggest_rehearsed), &shifts),
            (text!(cli_draft_unmet), &unmet),
            (text!(cli_draft_warned), &warnings),
        ],
    );
}

/// Prints lists that have anything in them.
fn lists(app: &App, lists: &[(UiText, &Vec<String>)]) {
    let mut out = app.out();
    for (title, lines) in lists.iter().filter(|(_, lines)| !lines.is_empty()) {
        out.paragraph(&Paragraph::blank());
        out.paragraph(&Paragraph::of(Style::Bold, title.in_language(app.language)));
        for line in *lines {
            out.paragraph(&Paragraph::indented(2, 4).plain(line.clone()));
        }
    }
}

/// One change of a text, as `patch` reads it.
fn difference(name: &str, before: &str, after: &str) -> String {
    let [old, new]: [Vec<&str>; 2] = [before, after].map(|text| text.lines().collect());
    let pairs = old.iter().zip(&new);
    let first = pairs.take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - first;
    let pairs = old.iter().rev().zip(new.iter().rev());
    let last = pairs.take(most).take_while(|(a, b)| a == b).count();
    let from = first.saturating_sub(CONTEXT);
    let after_change = last.min(CONTEXT);
    let (old_end, new_end) = (old.len() - last, new.len() - last);
    let lines = |mark: char, all: &[&str], range: Range<usize>| -> String {
        let lines = all.get(range).unwrap_or_default().iter();
        lines.map(|line| format!("{mark}{line}\n")).collect()
    };
    let (old_count, new_count) = (old_end + after_change - from, new_end + after_change - from);
    [
        format!("--- {name}\n+++ {name}\n"),
        format!(
            "@@ -{},{old_count} +{},{new_count} @@\n",
            from + 1,
            from + 1
        ),
        lines(' ', &old, from..first),
        lines('-', &old, first..old_end),
        lines('+', &new, first..new_end),
        lines(' ', &old, old_end..old_end + after_change),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_one_that_patch_reads() {
        let before = "a\nb\nc\nd\ne\nf\ng\n";
        let after = "a\nb\nc\nd\nnew\ne\nf\ng\n";
        let expected = "--- w\n+++ w\n@@ -2,6 +2,7 @@\n b\n c\n d\n+new\n e\n f\n g\n";
        assert_eq!(difference("w", before, after), expected);
    }
}
