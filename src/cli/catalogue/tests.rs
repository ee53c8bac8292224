use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};

use playhouse::engine::{SpendLimits, Totals};
use playhouse::exchange::Spent;
use playhouse::save::SaveError;

use super::*;

const FILE: &str = include_str!("zh.txt");

/// Files and folders in which every text of more than one word may reach people, besides those that find
/// problems in what people wrote: these are found by themselves.
const SPOKEN: &[&str] = &[
    "src/cast/name.rs",
    "src/engine/totals.rs",
    "src/event/guard",
    "src/groupchat/team/check.rs",
    "src/message/json.rs",
    "src/mind/improviser/grammar",
    "src/rpg/world_file/check",
    "src/save",
    "src/tool/servers/config.rs",
    "src/tool/servers/examine.rs",
    "src/undercover/game.rs",
    "src/undercover/rules.rs",
    "src/undercover/tournament.rs",
    "src/world_data",
];

fn chinese(english: &str) -> String {
    Words(Language::Zh).error_text(english)
}

/// The entries as they stand in the file.
fn entries() -> Vec<(&'static str, &'static str)> {
    let parts = FILE.split("\n\n").skip(1);
    let entry = |part: &'static str| {
        let lines: Vec<_> = part.lines().collect();
        let [english, translation] = lines[..] else {
            panic!("an entry has two lines:\n{part}");
        };
        (english, translation)
    };
    parts.map(entry).collect()
}

/// Fails with all texts that are not in the catalogue, as a translator wants them.
fn require(said: Vec<sources::Said>) {
    assert!(!said.is_empty(), "nothing was found in the source");
    let known: BTreeMap<_, _> = entries().into_iter().collect();
    let missing: BTreeMap<_, _> = said
        .iter()
        .filter(|said| !known.contains_key(said.text.as_str()))
        .map(|said| (&said.text, &said.file))
        .collect();
    let missing: Vec<_> = missing
        .iter()
        .map(|(text, file)| format!("{text}\n    (in {file})"))
        .collect();
    assert!(
        missing.is_empty(),
        "add these and their Chinese to src/cli/catalogue/zh.txt:\n{}",
        missing.join("\n")
    );
}

#[test]
fn every_error_of_the_library_is_in_the_catalogue() {
    require(sources::errors());
}

#[test]
fn every_problem_that_people_read_is_in_the_catalogue() {
    require(sources::sentences(SPOKEN));
    let finders = sources::finders_of_problems();
    assert!(
        finders
            .iter()
            .any(|file| file.ends_with("src/tool/table.rs"))
    );
    require(sources::sentences(&finders));
}

#[test]
fn the_file_is_in_order_and_each_translation_uses_each_value() {
    let entries = entries();
    for pair in entries.windows(2) {
        let (before, after) = (pair[0].0, pair[1].0);
        assert!(before < after, "'{after}' stands after '{before}'");
    }
    for (english, translation) in entries {
        assert!(
            translation.contains(|c| c >= '一'),
            "'{translation}' is not Chinese"
        );
        let values = english.matches("{}").count();
        let mut used: Vec<_> = pieces(translation)
            .iter()
            .filter_map(|piece| match piece {
                Piece::Value(at) | Piece::List(at) => Some(*at),
                Piece::Words(_) => None,
            })
            .collect();
        used.sort_unstable();
        assert_eq!(used, (0..values).collect::<Vec<_>>(), "{english}");
    }
}

#[test]
fn no_entry_stands_in_the_way_of_another() {
    for (english, translation) in entries() {
        let entry = Entry::read(english, translation);
        let values: Vec<_> = (1..entry.english.len()).map(|n| format!("值{n}")).collect();
        let values: Vec<_> = values.iter().map(String::as_str).collect();
        let mut text = String::new();
        for (index, words) in entry.english.iter().enumerate() {
            text.push_str(words);
            text.push_str(values.get(index).copied().unwrap_or_default());
        }
        let expected = entry.filled(&values, str::to_owned);
        assert_eq!(chinese(&text), expected, "{english}");
    }
}

#[test]
fn errors_are_told_in_chinese_down_to_their_causes() {
    let newer = SaveError::InFile {
        path: "saves/a/world.json".into(),
        source: Box::new(SaveError::Newer { found: 9 }),
    };
    let said = chinese(&newer.to_string());
    assert!(
        said.starts_with("saves/a/world.json：存档的格式是 9，本程序最高能读 "),
        "{said}"
    );
    assert!(
        said.ends_with("；请使用更新的 playhouse；文件保持原样"),
        "{said}"
    );
    let locked = SaveError::SlotBusy("calls".into());
    assert_eq!(
        chinese(&locked.to_string()),
        "存档“calls”正被另一个进程使用；请先停下那个进程"
    );
    let source = Error::from(ErrorKind::PermissionDenied);
    let denied = SaveError::Io {
        path: "saves".into(),
        action: "write it",
        source,
    };
    let said = chinese(&denied.to_string());
    assert!(said.starts_with("saves：无法写入："), "{said}");
    let worst = Spent {
        calls: 3,
        ..Spent::default()
    };
    let caps = SpendLimits {
        calls: Some(2),
        ..SpendLimits::default()
    };
    let refused = Totals::default().refuses(&caps, &worst).unwrap();
    assert_eq!(
        chinese(&refused),
        "下一次调用可能使本次运行达到 3 次调用；上限是 2"
    );
}

#[test]
fn every_line_of_several_is_told() {
    assert_eq!(
        chinese("a.ron:3: the symbol 'x' is missing\nb.ron:4: 'y' has no alternatives; add one"),
        "a.ron:3：缺少符号“x”\nb.ron:4：“y”没有选项；请添加一个"
    );
    assert_eq!(
        chinese("<a> leads to <b> leads to <a> never ends; break the circle"),
        "<a> 引到 <b> 引到 <a> 没有尽头；请打破这个循环"
    );
}

#[test]
fn what_nobody_knows_stays_as_it_is() {
    for text in [
        "",
        "nobody wrote this down",
        "a: b; c: d\ne",
        "已是中文：好",
    ] {
        assert_eq!(chinese(text), text);
        assert_eq!(Words(Language::En).error_text(text), text);
    }
}

#[test]
fn a_long_answer_of_a_server_is_told_at_once() {
    let long = "is 1; a: is {}: '; ".repeat(60);
    assert!(chinese(&long).contains("现在是"));
}

#[test]
fn a_problem_is_one_line_with_its_place() {
    let problem = Problem {
        line: 7,
        column: 3,
        field: "actors[0].stats.hp".into(),
        ..Problem::of_file("w.ron", "is -3", "write a number from 1 to 9999")
    };
    assert_eq!(
        Words(Language::Zh).problem(&problem),
        "w.ron:7:3: 错误：actors[0].stats.hp：现在是 -3；请写 1 到 9999 之间的数"
    );
    assert_eq!(
        chinese(&problem.to_string()),
        Words(Language::Zh).problem(&problem),
        "a problem within another text"
    );
    assert_eq!(Words(Language::En).problem(&problem), problem.to_string());
    let odd = Problem::of_file("a\u{1b}.j2", "no prompt is made from this template", "");
    assert_eq!(
        Words(Language::Zh).problem(&odd.warning()),
        "a\u{fffd}.j2: 警告：没有提示用到这个模板"
    );
}
