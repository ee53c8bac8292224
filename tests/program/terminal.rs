//! The program in a terminal: what is on its screen, and what keys do.
#![cfg(unix)]

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, tcgetattr};

use super::{Dir, err, exits, has, journal, lacks, out, run, succeed, write};

/// More rows than are ever shown, so that nothing scrolls away.
const ROWS: u16 = 2_000;
/// How often is looked whether something is shown.
const LOOKS: usize = 12_000;

/// Words of prompts, and marks of forms, that are not for people.
const FOR_MODELS: [&str; 16] = [
    "JSON", "{\"", "\": ", "```", "**", "option >", "Answer in the form", "Answer with",
    "Plain text", "without a heading", "home.plan", "scene.choose", "combat.act",
    "undercover.vote", "请用", "不要标题",
];

struct Terminal {
    child: Child,
    /// It ends when everything was read.
    reader: Option<JoinHandle<()>>,
    keyboard: Arc<Pty>,
    screen: Arc<Mutex<vt100::Parser>>,
    /// The rows that were read before.
    read: usize,
    columns: u16,
}

impl Terminal {
    /// Starts the program in a terminal of so many columns.
    fn start(folder: &Path, columns: u16, arguments: &str) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(24, columns)).unwrap();
        let command = Command::new(env!("CARGO_BIN_EXE_playhouse"))
            .args(arguments.split(' ').map(|part| part.replace('\u{a0}', " ")))
            .current_dir(folder)
            .env_clear()
            .envs([
                ("LANG", "en_US.UTF-8"),
                ("TERM", "xterm"),
                ("PLAYHOUSE_SEED", "1"),
            ]);
        let child = command.spawn(pts).unwrap();
        let [rows, cells] = [ROWS, columns].map(|size| NonZeroU16::new(size).unwrap());
        let screen = Arc::new(Mutex::new(vt100::Parser::new(rows, cells, 0)));
        let (keyboard, shown) = (Arc::new(pty), screen.clone());
        let output = keyboard.clone();
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4_096];
            // Reading fails when the program has ended.
            while let Ok(length @ 1..) = (&*output).read(&mut bytes) {
                shown.lock().unwrap().process(&bytes[..length]);
            }
        });
        Self {
            child,
            reader: Some(reader),
            keyboard,
            screen,
            read: 0,
            columns,
        }
    }

    /// Everything that is on the screen, row by row.
    fn rows(&self) -> Vec<String> {
        let screen = self.screen.lock().unwrap();
        let (last, _) = screen.screen().cursor_position();
        let rows = screen.screen().rows(0, self.columns);
        rows.take(usize::from(last) + 1).collect()
    }

    /// Waits until the rows that are new are as they should be; returns them.
    #[track_caller]
    fn wait(&mut self, is_done: impl Fn(&mut Child, &[String]) -> bool) -> String {
        for _ in 0..LOOKS {
            let rows = self.rows();
            let new = rows.get(self.read..).unwrap_or_default();
            if is_done(&mut self.child, new) {
                // More may still be written to the last one.
                self.read = rows.len() - 1;
                return new.join("\n");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("not shown:\n{}", self.rows().join("\n"));
    }

    /// Waits until this is shown; returns the rows since the last wait.
    #[track_caller]
    fn until(&mut self, text: &str) -> String {
        self.wait(|_, rows| rows.join("\n").contains(text))
    }

    /// Waits until a person can type, or the program has ended; returns the rows since the last
    /// wait.
    #[track_caller]
    fn asked(&mut self) -> String {
        let shown = self.wait(|child, rows| {
            // What was typed before may stand in the line already.
            let is_asked = rows
                .last()
                .is_some_and(|row| row.starts_with("> ") || row == ">");
            is_asked || child.try_wait().unwrap().is_some()
        });
        self.read += 1;
        shown
    }

    /// Types a line, and waits for the next question.
    #[track_caller]
    fn answer(&mut self, line: &str) -> String {
        self.line(line);
        self.asked()
    }

    /// Checks everything that was shown: no row was too long, and nothing was meant for models.
    #[track_caller]
    fn check_screen(&self) {
        let rows = self.rows();
        let screen = self.screen.lock().unwrap();
        for (number, row) in rows.iter().enumerate() {
            // Who types may type more than fits.
            let is_long = screen.screen().row_wrapped(number as u16) && !row.starts_with("> ");
            assert!(!is_long, "too long: {row}");
            let is_heading = row.trim_start().starts_with('#');
            assert!(!is_heading, "Markdown: {row}");
            lacks(&row.replace("***", ""), &FOR_MODELS);
        }
    }

    /// Whether lines are read as shells read them.
    fn has_usual_modes(&self) -> bool {
        let usual = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        tcgetattr(&*self.keyboard)
            .unwrap()
            .local_modes
            .contains(usual)
    }

    fn press(&mut self, keys: &str) {
        (&*self.keyboard).write_all(keys.as_bytes()).unwrap();
    }

    fn line(&mut self, text: &str) {
        self.press(&format!("{text}\r"));
    }

    /// Waits until the program ends; returns how, and everything that was shown.
    #[track_caller]
    fn end(&mut self) -> (ExitStatus, String) {
        self.wait(|child, _| child.try_wait().unwrap().is_some());
        // What it wrote last is still on its way.
        self.reader.take().unwrap().join().unwrap();
        self.read = 0;
        (self.child.wait().unwrap(), self.rows().join("\n"))
    }
}

/// Keys that show the first paragraphs of a story at once.
const HURRY: &str = "                ";

/// Waits until the first turn of a story was played.
fn wait_for_turn(folder: &Path, slot: &str) {
    while !journal(folder, slot).contains("\"meeting\"") {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_reader_at_reading_speed_has_keys() {
    let folder = &Dir::new();
    let mut reader = Terminal::start(folder, 80, "run --save slow --pace=60");
    reader.until("Space: go on");
    reader.press("\x1b[A");
    reader.until("100 words a minute");
    reader.press("-");
    reader.until("60 words a minute");
    reader.press("p");
    reader.until("Paused. Space goes on.");
    reader.press(HURRY);
    reader.until("── Customs");
    wait_for_turn(folder, "slow");
    reader.press("q");
    let (status, said) = reader.end();
    assert_eq!(status.code(), Some(0), "{said}");
    let hints = [
        "You stopped reading in turn 1",
        "playhouse replay slow --pace=60 --from 1",
        "playhouse resume slow --pace=60",
    ];
    has(&said, &hints);
    lacks(&said, &["Finished"]);
    lacks(said.lines().last().unwrap_or_default(), &["minute"]);
    assert!(reader.has_usual_modes());
    // Nothing was played that nobody read.
    let turns = journal(folder, "slow").matches("{\"meeting\"").count();
    assert_eq!(turns, 1);
}

#[test]
fn whatever_ends_a_paced_story_gives_the_terminal_back_and_says_how_to_go_on() {
    let folder = &Dir::new();
    succeed(folder, "run --save whole --until 3 -q");
    for (command, code) in [
        ("run --save slow --pace=40", 130),
        ("replay --pace=40 whole", 130),
    ] {
        let mut reader = Terminal::start(folder, 80, command);
        reader.press(HURRY);
        reader.until("── Customs");
        wait_for_turn(folder, command.split(' ').nth(2).unwrap());
        reader.press("\x03");
        let (status, said) = reader.end();
        assert_eq!(status.code(), Some(code), "{said}");
        has(&said, &["You stopped reading in turn 1", "--from 1"]);
        lacks(&said, &["Finished", "matches"]);
        assert!(reader.has_usual_modes(), "{command}");
    }
    let mut reader = Terminal::start(folder, 80, "replay --pace=40 whole");
    reader.press(HURRY);
    reader.until("── Customs");
    assert!(!reader.has_usual_modes());
    let reading = Pid::from_child(&reader.child);
    kill_process(reading, Signal::TERM).unwrap();
    let (status, said) = reader.end();
    assert!(matches!(status.code(), Some(130 | 143)), "{said}");
    assert!(reader.has_usual_modes());
}

#[test]
fn a_story_is_read_on_from_the_turn_in_which_it_was_left() {
    let folder = &Dir::new();
    succeed(folder, "run --save whole --until 4 -q");
    let whole = out(&succeed(folder, "replay whole"));
    let rest = succeed(folder, "replay whole --from 3");
    has(&err(&rest), &["matches"]);
    let rest = out(&rest);
    let told = |text: &str| text.lines().filter(|line| line.starts_with("  ")).count();
    assert!((1..told(&whole)).contains(&told(&rest)), "{rest}");
    let last = rest.lines().next_back().unwrap();
    assert_eq!(whole.lines().next_back(), Some(last));
    exits(folder, "replay whole --from 6", 2);
    let nothing = run(folder, "replay whole --from 5");
    assert_eq!(told(&out(&nothing)), 0, "{}", out(&nothing));
}

#[test]
fn a_seat_says_who_one_is_before_it_asks() {
    let en = [
        "You are Jory Teasel",
        "Ropemaker's apprentice",
        "What others see: ",
        "What you want:",
        "What you have:",
        "What you know",
        "/me",
        "/help",
        "A whitewashed chapel",
        "What is on your mind?",
    ];
    let zh = [
        "你是沈豆娘",
        "别人眼中的你：",
        "你想要的：",
        "你带着的：",
        "你知道",
        "/我",
        "/帮助",
        "你此刻在想什么？",
    ];
    for (seat, columns, parts) in [
        ("--seat Jory\u{a0}Teasel", 80, &en[..]),
        ("zhaoying-ban --lang zh --seat 沈豆娘", 80, &zh[..]),
        ("zhaoying-ban --lang zh --seat 沈豆娘", 120, &zh[..]),
    ] {
        let folder = &Dir::new();
        let mut seat = Terminal::start(folder, columns, &format!("run {seat} --save seat"));
        let mut rest = &*seat.asked();
        for part in parts {
            rest = rest
                .split_once(part)
                .unwrap_or_else(|| panic!("no {part}"))
                .1;
        }
        seat.check_screen();
        // It can be called back.
        has(
            &seat.answer(if parts == en { "/me" } else { "／我" }),
            &parts[2..5],
        );
        seat.line("/quit");
        let (status, said) = seat.end();
        assert_eq!(status.code(), Some(0), "{said}");
        has(&said, &["playhouse resume seat"]);
        seat.check_screen();
    }
}

#[test]
fn each_link_to_a_seat_has_a_code_for_phones() {
    let folder = &Dir::new();
    let mut seat = Terminal::start(folder, 80, "run --seat Jory\u{a0}Teasel --watch");
    let shown = seat.until("--listen 0.0.0.0");
    has(&shown, &["To play Jory Teasel", "▄▄▄▄▄"]);
    seat.check_screen();
    seat.press("\u{3}");
    assert_eq!(seat.end().0.code(), Some(130));
}

#[test]
fn undo_takes_back_what_is_in_hand_and_then_the_last_answer() {
    let folder = &Dir::new();
    let mut seat = Terminal::start(folder, 80, "run --seat Jory\u{a0}Teasel --save seat");
    seat.asked();
    has(
        &seat.answer("A wet morning."),
        &["thinks: A wet morning.", "Day 1, morning"],
    );
    has(&seat.answer("Soup?"), &["You say", "b: back"]);
    let again = seat.answer("/undo");
    has(&again, &["What you typed is taken back", "Day 1, morning"]);
    lacks(&again, &["seat-2"]);
    let before = seat.answer("/undo");
    has(
        &before,
        &[
            "Your last answer (opening) is taken back",
            "seat-2",
            "on your mind?",
        ],
    );
    let now = seat.answer("A dry morning.");
    has(&now, &["thinks: A dry morning."]);
    lacks(&now, &["A wet morning."]);
    seat.check_screen();
    // Words that were said stay in the story, also when it is resumed.
    seat.answer("Soup?");
    seat.answer("");
    seat.line("/quit");
    seat.end();
    let mut again = Terminal::start(folder, 80, "resume seat-2");
    has(&again.asked(), &["Jory Teasel to Sister Temperance: Soup?"]);
    again.check_screen();
}

#[test]
fn a_turn_is_chosen_shown_and_confirmed_in_three_lines() {
    let folder = &Dir::new();
    let mut seat = Terminal::start(folder, 80, "run --seat Jory\u{a0}Teasel --save seat");
    seat.asked();
    has(&seat.answer(""), &["give the clapper to Sister Temperance"]);
    let chosen = seat.answer("give the clapper");
    let summary = "You give the clapper to Sister Temperance.";
    has(&chosen, &[summary, "[Enter: that is all · b: back]"]);
    lacks(&seat.answer("b"), &[summary]);
    // To whom is shown even if nobody else is here.
    has(&seat.answer("1"), &["You say to Sister Temperance: “…”"]);
    seat.answer("b");
    let words = "Is there any soup left?";
    let said = "You say to Sister Temperance: “Is there any soup left?”";
    has(&seat.answer(words), &[said]);
    has(&seat.answer("give the clapper"), &[said, summary]);
    let told = seat.answer("");
    let deeds = [
        "Jory Teasel to Sister Temperance: Is there any soup left?",
        "Jory Teasel gives the clapper to Sister Temperance",
    ];
    has(&told, &deeds);
    lacks(&told, &["(Jory Teasel thinks"]);
    let before = seat.answer("/undo");
    has(&before, &["Your last answer (plan) is taken back"]);
    lacks(&before, &deeds);
    // What was not understood stays in the line, to be changed.
    has(&seat.answer("word"), &["Type a number", "> word"]);
    has(
        &seat.answer(" to say"),
        &["You say to Sister Temperance: “word to say”"],
    );
    seat.check_screen();
}

#[test]
fn a_list_that_is_longer_than_a_screen_is_cut_short_and_searched() {
    let folder = &Dir::new();
    succeed(folder, "new mine --kind talk");
    let fact = |n: usize| {
        let known = "known_by: Only([\"Martin Pell\"])";
        format!("(id: \"f{n}\", title: \"Debt {n}{n}\", text: \"Martin owes {n}.\", {known}),")
    };
    let facts: String = (10..40).map(fact).collect();
    let world = std::fs::read_to_string(folder.join("mine/world.ron")).unwrap();
    let world = world.replacen("    facts: [", &format!("    facts: [{facts}"), 1);
    write(&folder.join("mine/world.ron"), &world);
    let mut seat = Terminal::start(folder, 80, "run mine --seat Martin\u{a0}Pell");
    seat.asked();
    seat.answer("");
    let said = seat.answer("Look at the figures.");
    has(&said, &["/more"]);
    assert!(said.lines().count() <= 24, "{said}");
    let all = seat.answer("/more");
    let last = all.rsplit_once("let it be known: ").unwrap().1;
    let last = last.lines().next().unwrap();
    lacks(&said, &[last]);
    let several = seat.answer("and let it be known");
    has(&several, &["This fits several of them: 9) and let"]);
    has(
        &seat.answer(&format!("\u{15}{last}")),
        &["[Enter: that is all"],
    );
    seat.check_screen();
}

#[test]
fn words_that_can_not_be_used_stay_in_the_line() {
    let folder = &Dir::new();
    let game = "undercover --players 4 --words kite,balloon --seat Bruno --lang en";
    let mut seat = Terminal::start(folder, 80, game);
    seat.asked();
    for words in ["A kite is not a balloon", "Mine is a kite-balloon"] {
        let line = format!("\u{15}{words}");
        has(&seat.answer(&line), &[&*format!("> {words}")]);
    }
    let next = seat.answer("\u{15}It likes the wind");
    lacks(&next, &["> It likes", "> Mine"]);
    seat.check_screen();
}

/// The number of the first option that is shown.
fn first_option(shown: &str) -> Option<&str> {
    let mut numbers = shown
        .lines()
        .filter_map(|line| Some(line.trim_start().split_once(") ")?.0));
    numbers.find(|number| number.parse::<u32>().is_ok())
}

/// Plays to the end: what may be left out is left out or, by who is eager, is not; else the first
/// option is taken. Returns how many lines were typed; no turn takes more than three.
fn play_through(seat: &mut Terminal, mut shown: String, is_eager: bool) -> usize {
    let (mut lines, mut of_turn) = (0, 0);
    while seat.child.try_wait().unwrap().is_none() {
        let has = |part: &str| shown.contains(part);
        if has("*** ") {
            of_turn = 0;
        }
        let line = match first_option(&shown) {
            _ if !is_eager && (has("[Enter") || has("[回车")) => String::new(),
            Some(number) => number.to_owned(),
            None => "Well.".to_owned(),
        };
        shown = seat.answer(&line);
        (lines, of_turn) = (lines + 1, of_turn + 1);
        assert!(of_turn <= 3, "{shown}");
        assert!(lines < 400, "{shown}");
    }
    lines
}

#[test]
fn a_whole_campaign_shows_nothing_that_is_meant_for_models() {
    for (arguments, is_eager) in [
        ("run --seat Jory\u{a0}Teasel --save whole", true),
        ("run --seat Jory\u{a0}Teasel --save whole", false),
        (
            "run zhaoying-ban --lang zh --seat 沈豆娘 --save whole",
            true,
        ),
    ] {
        let folder = &Dir::new();
        let mut seat = Terminal::start(folder, 80, arguments);
        let first = seat.asked();
        assert!(play_through(&mut seat, first, is_eager) > 20);
        seat.check_screen();
        // What is left out is no answer that can't be used, and no thought.
        let left_out = [
            "too short",
            "太短",
            "°",
            "I look around and wait",
            "看了看四周",
            "I say nothing more",
            "我没有再说什么",
        ];
        lacks(&seat.rows().join("\n"), &left_out);
        let (status, told) = seat.end();
        assert_eq!(status.code(), Some(0));
        // A story that is over tells its end again, to whoever sat at the seat.
        let again = succeed(folder, "resume whole");
        let ending = told.lines().rfind(|row| row.starts_with("═══ ")).unwrap();
        has(&out(&again), &[ending]);
        lacks(&out(&again), &["═══ Day 1 ═══", "═══ 第 1 天 ═══"]);
        let both = ["playhouse replay whole --seat ", "playhouse replay whole\n"];
        has(&err(&again), &both);
    }
}

#[test]
fn a_player_of_undercover_reads_the_rules_and_watches_to_the_end() {
    for (lang, name, rules, out, wins, columns) in [
        (
            "en",
            "Bruno",
            "Most players have the same word",
            "You are out.",
            " win",
            80,
        ),
        (
            "zh",
            "柏舟",
            "多数人拿到的是同一个词",
            "你出局了",
            "获胜",
            120,
        ),
    ] {
        // Somebody is voted out early with one seed or another.
        let watched = (1..9).any(|seed| {
            let folder = &Dir::new();
            let game = format!("undercover --players 5 --seed {seed} --seat {name} --lang {lang}");
            let mut seat = Terminal::start(folder, columns, &game);
            let first = seat.asked();
            has(&first, &[rules]);
            play_through(&mut seat, first, false);
            seat.check_screen();
            let (_, _) = seat.end();
            let screen = seat.rows().join("\n");
            has(&screen, &[wins]);
            let again = succeed(folder, "resume undercover");
            has(&super::out(&again), &[wins]);
            has(&err(&again), &["playhouse replay undercover --seat "]);
            screen.contains(out)
        });
        assert!(watched);
    }
}
