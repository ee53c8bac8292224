//! The terminal as a person's seat.

use crate::cli::prelude::*;
use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::engine::Engine;
use crate::mind::human::{Console, Question, UNDO, is_back, read_line};
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};

use super::keys;
use super::output::{clean, wait_until_told};
use super::process::note_interrupt;
use super::seat_sheet::SeatSheet;

/// The characters of whom the person at this terminal was told that it plays them.
static INTRODUCED: Mutex<BTreeSet<Arc<str>>> = Mutex::new(BTreeSet::new());

/// What a person may type instead of an answer, in each language.
const COMMANDS: [(SeatCommand, [&str; 2]); 8] = [
    (SeatCommand::Help, ["help", "帮助"]),
    (SeatCommand::Me, ["me", "我"]),
    (SeatCommand::Secrets, ["secrets", "秘密"]),
    (SeatCommand::Who, ["who", "谁在"]),
    (SeatCommand::More, MORE),
    (SeatCommand::Undo, UNDO),
    (SeatCommand::Save, ["save", "存档"]),
    (SeatCommand::Quit, ["quit", "退出"]),
];

/// What shows all options of a long list.
const MORE: [&str; 2] = ["more", "更多"];
/// More options than these don't fit on a screen with their question.
const MOST_OPTIONS: usize = 18;

/// What the person wants to do or to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeatCommand {
    Help,
    Me,
    Secrets,
    Who,
    More,
    Undo,
    Save,
    Quit,
}

/// What is played from a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeatGame {
    Campaign,
    Team,
    Undercover,
}

impl SeatCommand {
    fn about(self, game: SeatGame) -> UiText {
        match (self, game) {
            (Self::Me, SeatGame::Campaign) => text!(cli_seat_help_me),
            (Self::Me, SeatGame::Team) => text!(cli_seat_help_me_in_team),
            (Self::Me, SeatGame::Undercover) => text!(cli_seat_help_me_in_undercover),
            (Self::Secrets, SeatGame::Undercover) => text!(cli_seat_help_word),
            (Self::Secrets, _) => text!(cli_seat_help_secrets),
            (Self::Help, _) => text!(cli_seat_help),
            (Self::Who, _) => text!(cli_seat_help_who),
            (Self::More, _) => text!(cli_seat_help_more),
            (Self::Undo, _) => text!(cli_seat_help_undo),
            (Self::Save, _) => text!(cli_seat_help_save),
            (Self::Quit, _) => text!(cli_seat_help_quit),
        }
    }
}

fn is_meant(names: &[&str], word: &str) -> bool {
    names.contains(&word.to_lowercase().as_str())
}

/// A character that is played at the terminal, and its story.
pub(crate) struct TerminalSeat {
    name: Arc<str>,
    slot: String,
    /// The slot as commands name it.
    save: String,
    language: Language,
    /// As its character stood when it was asked last.
    sheet: Mutex<SeatSheet>,
    wants_undo: AtomicBool,
    game: SeatGame,
}

impl TerminalSeat {
    /// The seat of this character in this slot, which commands name by the last text.
    pub(crate) fn new(
        name: &str,
        game: SeatGame,
        (slot, save): (&str, String),
        language: Language,
    ) -> Self {
        Self {
            name: name.into(),
            slot: slot.to_owned(),
            save,
            language,
            sheet: Mutex::default(),
            wants_undo: AtomicBool::new(false),
            game,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the person wants to take back its last answer.
    pub(crate) fn wants_undo(&self) -> bool {
        self.wants_undo.load(Ordering::SeqCst)
    }

    /// Notes what the characters at these seats know whenever they are asked.
    pub(crate) fn watch(seats: &[Arc<Self>], engine: &mut Engine) {
        let seats = seats.to_vec();
        engine.on_call(move |world, asked| {
            for seat in seats.iter().filter(|seat| seat.name == *asked) {
                let sheet = SeatSheet::of(world, asked, seat.language);
                *lock(&seat.sheet) = sheet;
            }
        });
    }

    fn commands(&self) -> impl Iterator<Item = &'static (SeatCommand, [&'static str; 2])> {
        let is_in_team = self.game == SeatGame::Team;
        // In a team nothing is chosen or taken back, and no secrets are known.
        let lacks = |command: SeatCommand| {
            matches!(
                command,
                SeatCommand::Secrets | SeatCommand::Undo | SeatCommand::More
            )
        };
        let commands = COMMANDS.iter();
        commands.filter(move |(command, _)| !is_in_team || !lacks(*command))
    }

    /// What stands behind the slash of a command; `None` if the line is an answer. In a team, where
    /// people say what they like, a line may begin with a slash and a word of its own.
    fn command_in<'l>(&self, line: &'l str) -> Option<&'l str> {
        // The way back is an answer to the question itself.
        let rest = line.trim().strip_prefix(['/', '／'])?.trim();
        let rest = Some(rest).filter(|word| !is_back(word))?;
        let first = rest.split_whitespace().next().unwrap_or_default();
        let is_known = COMMANDS.iter().any(|(_, names)| is_meant(names, first));
        Some(rest).filter(|_| is_known || self.game != SeatGame::Team)
    }

    /// What to show for a command; `None` if the person leaves the seat.
    fn obey(&self, word: &str) -> Option<String> {
        let command = self.commands().find(|(_, names)| is_meant(names, word));
        let sheet = lock(&self.sheet);
        let shown = match command.map(|(command, _)| *command) {
            Some(SeatCommand::Help) => self.help(),
            Some(SeatCommand::Me) => sheet.me.clone(),
            Some(SeatCommand::Secrets) => sheet.secrets.clone(),
            Some(SeatCommand::Who) => sheet.present.clone(),
            Some(SeatCommand::More) => String::new(),
            Some(SeatCommand::Save) => {
                self.say(text!(cli_seat_saved, slot = &self.slot, save = &self.save))
            }
            Some(SeatCommand::Quit) => return None,
            Some(SeatCommand::Undo) => {
                self.wants_undo.store(true, Ordering::SeqCst);
                return None;
            }
            None => self.say(text!(cli_seat_unknown, command = word)),
        };
        Some(shown)
    }

    /// Who the person plays, and how it gets help, before it is asked for the first time.
    fn introduction(&self) -> Option<String> {
        if !lock(&INTRODUCED).insert(self.name.clone()) {
            return None;
        }
        let sheet = lock(&self.sheet);
        let hint = match self.game {
            SeatGame::Campaign => text!(cli_seat_first_help),
            SeatGame::Team | SeatGame::Undercover => text!(cli_seat_first_help_short),
        };
        Some(format!("{}\n\n{}\n\n", sheet.me, self.say(hint)))
    }

    fn help(&self) -> String {
        let index = match self.language {
            Language::Zh => 1,
            _ => 0,
        };
        let rows = self.commands().map(|(command, names)| {
            let name = names.get(index).copied().unwrap_or_default();
            let (colon, about) = (text!(cli_colon), command.about(self.game));
            format!("  /{name}{}{}", self.say(colon), self.say(about))
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    fn say(&self, text: UiText) -> String {
        text.in_language(self.language)
    }
}

/// Standard input, and an output that others write to as well.
pub(crate) struct SeatConsole {
    out: Arc<Mutex<Output>>,
    /// Who may type commands.
    seat: Arc<TerminalSeat>,
    /// Where a terminal has arrow keys and earlier lines.
    editor: Option<DefaultEditor>,
    /// Whether the person has typed a part of the answer in hand.
    has_begun: bool,
    /// The question before.
    asked: Option<Question>,
}

impl SeatConsole {
    /// The terminal of the person in this seat.
    pub(crate) fn at_seat(out: Arc<Mutex<Output>>, seat: Arc<TerminalSeat>) -> Self {
        keys::remember();
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let config = Config::builder().auto_add_history(true).build();
        // Without an editor lines are read as from a pipe.
        let editor = is_terminal.then(|| DefaultEditor::with_config(config).ok());
        Self {
            out,
            seat,
            editor: editor.flatten(),
            has_begun: false,
            asked: None,
        }
    }

    /// Obeys commands until an answer is typed.
    fn read_typed(&mut self, prompt: &str, typed: &str) -> io::Result<Option<String>> {
        loop {
            let Some(line) = self.read_line(prompt, typed)? else {
                return Ok(None);
            };
            let command = self.seat.command_in(&line);
            // What was typed of this answer is taken back first.
            let is_own = self.has_begun && command.is_some_and(|word| is_meant(&UNDO, word));
            let Some(command) = command.filter(|_| !is_own) else {
                self.has_begun = true;
                return Ok(Some(line));
            };
            match self.seat.obey(command) {
                Some(shown) => {
                    self.show(&UiText::verbatim(shown), Language::default())?;
                    let most = match is_meant(&MORE, command) {
                        true => usize::MAX,
                        false => MOST_OPTIONS,
                    };
                    // It has driven the question out of sight.
                    if let Some(question) = self.asked.clone() {
                        self.show_question(&question, most)?;
                    }
                }
                None => return Ok(None),
            }
        }
    }

    fn write(&self, write: impl FnOnce(&mut Output)) -> io::Result<()> {
        let mut out = lock(&self.out);
        write(&mut out);
        out.flush();
        if out.is_lost() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }

    fn show_question(&mut self, question: &Question, most: usize) -> io::Result<()> {
        let language = self.seat.language;
        for option in question.options.iter().take(most) {
            let (number, label) = (option.number, option.label.in_language(language));
            self.show(&UiText::verbatim(format!("  {number}) {label}")), language)?;
        }
        let more = question.options.len().saturating_sub(most);
        if most > 0 && more > 0 {
            self.show(&text!(cli_seat_more, count = more), language)?;
        }
        let asks = question.label_and_keys(language).join(" ");
        self.show(&UiText::verbatim(asks.trim()), language)
    }

    /// Reads a line; on a terminal, `typed` stands in it already.
    fn read_line(&mut self, prompt: &str, typed: &str) -> io::Result<Option<String>> {
        wait_until_told(&self.out);
        let Some(editor) = &mut self.editor else {
            self.write(|out| out.prompt(prompt))?;
            return read_line(&mut io::stdin().lock());
        };
        match editor.readline_with_initial(&*clean(prompt), (&*clean(typed), "")) {
            Ok(line) => Ok(Some(line)),
            Err(ReadlineError::Eof) => Ok(None),
            Err(ReadlineError::Interrupted) => {
                // The editor takes the key before it becomes a signal.
                note_interrupt();
                Ok(None)
            }
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

impl Console for SeatConsole {
    /// Asks above the line in which the person types, which has all of its width.
    fn ask(&mut self, question: &Question, _: Language) -> io::Result<Option<String>> {
        // What was not understood is asked again; its options are still in sight.
        let asked = question.clone().typed("");
        let is_again = self.asked.as_ref() == Some(&asked);
        self.asked = Some(asked);
        self.show_question(question, if is_again { 0 } else { MOST_OPTIONS })?;
        self.read_typed("> ", &question.typed)
    }

    fn show(&mut self, text: &UiText, language: Language) -> io::Result<()> {
        let text = text.in_language(language);
        self.write(|out| {
            for line in text.lines() {
                let text = line.trim_start_matches(' ');
                let indent = (line.len() - text.len()).min(8);
                // What is listed stands out; prose has a straight edge.
                let hanging = match indent {
                    0 if text.starts_with("- ") => 2,
                    0 => 0,
                    indent => indent + 3,
                };
                out.paragraph(&Paragraph::indented(indent, hanging).plain(line.trim_start()));
            }
        })
    }

    fn turn(&mut self, entity: &str, language: Language) -> io::Result<()> {
        (self.has_begun, self.asked) = (false, None);
        self.show(&UiText::verbatim("\n"), language)?;
        self.show(&text!(mind_seat_your_turn, entity), language)?;
        let introduction = self.seat.introduction();
        introduction.map_or(Ok(()), |text| self.show(&UiText::verbatim(text), language))
    }

    fn read(&mut self, prompt: &str) -> io::Result<Option<String>> {
        self.read_typed(prompt, "")
    }
}
