//! What a person at the terminal may type instead of an answer.

use super::{Dir, err, fed, has, journal, lacks, out, succeed};

const SEAT: &str = "zhaoying-ban --seat 沈豆娘 --save tide --lang zh";

#[test]
fn a_seat_looks_up_what_its_character_knows() {
    let folder = &Dir::new();
    let typed = "/me\n/秘密\n ／who \n/save\n/跳舞\n/HELP\n/quit\nunread\n";
    let output = fed(folder, SEAT, typed);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let shown = out(&output);
    has(
        &shown,
        &[
            "体力：",
            "你知道而别人未必知道的：",
            "你在：",
            "playhouse resume tide",
            "没有 /跳舞 这个命令",
            "/撤销",
        ],
    );
    let said = err(&output);
    has(&said, &["已停止，进度已保存。"]);
    let journal = journal(folder, "tide");
    lacks(&journal, &["unread"]);
}

#[test]
fn a_person_may_speak_as_no_model_should() {
    let folder = &Dir::new();
    let line = "抱歉，我不能帮你做这件事，你还是去问别人吧，那边有人知道这件事该怎么办。";
    let output = fed(
        folder,
        SEAT,
        &format!("{line}\n{line}\n\n{line}\n\n/quit\n"),
    );
    let journal = journal(folder, "tide");
    assert!(journal.matches(line).count() > 2, "{}", out(&output));
    lacks(&journal, &["\"refused\":["]);
}

#[test]
fn commands_at_the_seat_of_a_team_are_no_messages() {
    let folder = &Dir::new();
    let typed = "/help\n/me\n/who\n/undo\n/etc is a folder.\n";
    let team = "chat en/writing-desk --seat Writer --task Tea";
    let output = fed(folder, &format!("{team} --save desk"), typed);
    let parts = [
        "/quit: leave", "You are the writer", "Reviewer", "no command /undo", "What do you say?",
    ];
    has(&out(&output), &parts);
    let journal = journal(folder, "desk");
    has(&journal, &["/etc is a folder."]);
    lacks(&journal, &["/help"]);
    let quit = fed(folder, team, "/quit\n");
    assert_eq!(quit.status.code(), Some(0), "{}", err(&quit));
    has(&err(&quit), &["playhouse resume"]);
}

#[test]
fn a_player_of_undercover_looks_up_its_word() {
    let folder = &Dir::new();
    let game = "undercover --players 4 --words kite,balloon --seat Bruno --lang en";
    for (command, part) in [
        ("/me", "Your word: "),
        ("/secrets", "Your word: "),
        ("/帮助", "your word"),
    ] {
        let output = fed(folder, game, &format!("{command}\n/quit\n"));
        let shown = out(&output);
        assert!(shown.contains(part), "{shown}{}", err(&output));
        lacks(&shown, &["no secrets", "promises"]);
    }
}

#[test]
fn whoever_falls_watches_the_fight_to_its_end() {
    let folder = &Dir::new();
    succeed(folder, "run zhaoying-ban --seed 3 --save told -q");
    let watched = ["崔晚灯", "佟九指", "马千秋", "沈豆娘"].iter().any(|hero| {
        let told = out(&succeed(
            folder,
            &format!("replay told --seat {hero} --lang zh"),
        ));
        let mut falls = told.split("你倒下了，接下来看这一仗打到最后。").skip(1);
        falls.any(|rest| rest.split("一战，").next().unwrap().contains("打出"))
    });
    assert!(watched);
}
