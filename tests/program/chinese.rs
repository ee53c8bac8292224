//! With `--lang zh`, everything that people read is Chinese.

use std::fs::File;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use super::model_server::unreachable_model;
use super::{Dir, err, has, lacks, out, playhouse, records_of, run, succeed, write};

/// Runs the program with a Chinese interface and rows that are never wrapped.
fn run_chinese(folder: &Path, arguments: &str) -> Output {
    run(folder, &format!("{arguments} --lang zh --width 1000"))
}

/// The failure that was told, without the logs before it.
fn failure(output: &Output) -> String {
    let text = err(output);
    let start = text
        .find("错误：")
        .unwrap_or_else(|| panic!("no failure in: {text}"));
    text.get(start..).unwrap().to_owned()
}

/// Fails if a line is not Chinese, or holds three English words in a row outside of quotes.
fn assert_chinese(text: &str) {
    for line in text.lines().filter(|line| !line.is_empty()) {
        assert!(line.contains(|c| c >= '一'), "not Chinese: {line}");
        let mut plain = String::new();
        let mut quoted = false;
        for letter in line.chars() {
            match letter {
                '“' => quoted = true,
                '”' => quoted = false,
                '`' | '"' => quoted = !quoted,
                other if !quoted => plain.push(other),
                _ => {}
            }
        }
        let words: Vec<_> = plain.split(' ').collect();
        let english =
            |word: &&str| word.chars().all(|c| c.is_ascii_alphabetic()) && !word.is_empty();
        let sentence = words.windows(3).find(|words| words.iter().all(english));
        assert_eq!(sentence, None, "English in: {line}");
    }
}

#[test]
fn failures_are_told_in_chinese() {
    let folder = &Dir::new();
    succeed(folder, "run --save one --until 1 -q");
    for (arguments, code, says) in [
        ("run nowhere", 3, "没有世界“nowhere”"),
        ("run --data nowhere", 3, "nowhere 不是文件夹"),
        ("run --save one", 4, "已有存档“one”；请继续它"),
        ("run --save ../x", 2, "“../x”不能作存档名：它含有“/”"),
        ("resume nothing", 4, "没有存档“nothing”"),
        ("config --models nowhere.ron", 2, "没有这个文件"),
        ("show one --turn 99", 4, "这份日志没有第 99 轮"),
        (
            "run --save s --model nosuch",
            5,
            "没有名为“nosuch”的模型；相近的有：",
        ),
        (
            "run --save s --model deepseek",
            5,
            "请设置环境变量 DEEPSEEK_API_KEY",
        ),
        ("run --save s --max-calls 0", 6, "达到 1 次调用；上限是 0"),
        ("run --save t --max-tokens 9", 6, "个 token；上限是 9"),
        ("new saves/one", 0, ""),
        (
            "new saves/one",
            3,
            "saves/one/world.ron 已经存在；请换一个文件夹",
        ),
    ] {
        let output = run_chinese(folder, arguments);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments}: {}",
            err(&output)
        );
        if code > 0 {
            let said = failure(&output);
            assert!(said.contains(says), "{arguments}: {said}");
            assert_chinese(&said);
        }
    }
}

#[test]
fn what_became_of_a_save_is_told_in_chinese() {
    let folder = &Dir::new();
    succeed(folder, "run --save one --until 1 -q");
    let slot = folder.join("saves/one");
    let refused_by = |command: &str, says: &str| {
        let said = failure(&run_chinese(folder, command));
        has(&said, &[says]);
        assert_chinese(&said);
    };
    let refused = |says: &str| refused_by("resume one", says);
    let held = File::create(slot.join("lock")).unwrap();
    held.lock().unwrap();
    refused("存档“one”正被另一个进程使用；请先停止那个进程");
    drop(held);
    let world = slot.join("world.json");
    let text = std::fs::read_to_string(&world).unwrap();
    write(&world, text.get(..text.len() / 2).unwrap());
    refused("存档不完整：");
    let mut newer: Value = serde_json::from_str(&text).unwrap();
    newer["format"] = 99.into();
    write(&world, &newer.to_string());
    refused("world.json：存档的格式是 99，而本程序最高能读");
    let listed = run_chinese(folder, "saves");
    has(&out(&listed), &["请使用更新的 Playhouse"]);
    let json = run_chinese(folder, "saves --json");
    has(&out(&json), &["the save has format 99"]);
    let mut odd: Value = serde_json::from_str(&text).unwrap();
    let entities = odd["entities"].as_array_mut().unwrap();
    let components = entities.iter_mut().map(|entity| &mut entity["components"]);
    let mut health = components.filter_map(|components| components.get_mut("health"));
    *health.next().unwrap() = "full".into();
    write(&world, &odd.to_string());
    refused_by("resume one --force", "components.health：");
    write(&world, &text);
    let journal = slot.join("journal.jsonl");
    write(&journal, "{\"head\":{\"format\":99}}\n");
    refused("日志的格式是 99");
}

#[test]
fn servers_that_fail_are_told_in_chinese() {
    let folder = &Dir::new();
    let base = unreachable_model(folder);
    for arguments in [
        "run --models models.ron --model m --save down",
        "doctor --models models.ron m",
    ] {
        let output = playhouse(folder)
            .args(arguments.split(' '))
            .args(["--lang", "zh", "--width", "1000"])
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(5),
            "{arguments}: {}",
            err(&output)
        );
        let said = if arguments.starts_with("doctor") {
            out(&output).lines().last().unwrap().to_owned()
        } else {
            failure(&output)
        };
        has(&said, &["无法连接", &base]);
        has(&said, &["连接被拒绝"]);
        assert_chinese(&said);
    }
    let data = folder.join("mine");
    std::fs::create_dir(&data).unwrap();
    let models = r#"(providers: {"p": (base_url: "ftp://x", width: 0)}, models: {"m": (provider: "q", model: "m")})"#;
    write(&data.join("models.ron"), models);
    let said = failure(&run_chinese(folder, "config --data mine"));
    has(
        &said,
        &[
            "“ftp://x”无法使用：",
            "不能小于 1",
            "未知的服务商“q”；可选值：p",
        ],
    );
    assert_chinese(&said);
}

#[test]
fn every_mistake_of_a_world_is_told_in_chinese() {
    let folder = &Dir::new();
    let made = run_chinese(folder, "new mine --world-lang zh");
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let file = folder.join("mine/world.ron");
    let right = std::fs::read_to_string(&file).unwrap();
    let broken = |changes: &[(&str, &str)]| {
        let mut text = right.clone();
        for (old, new) in changes {
            assert!(text.contains(old), "{old} is not in the sample");
            text = text.replacen(old, new, 1);
        }
        write(&file, &text);
        let told = out(&run_chinese(folder, "check mine"));
        assert_chinese(&told);
        told
    };
    // Mistakes of form, of names and numbers, of links and ways, and what is only odd.
    let told = broken(&[
        ("language: zh,", "language: fr,"),
        ("faction: Hero,", "faction: Herro,"),
        ("hp: 30,", "hp: -30,"),
        ("attack: 6,", "atack: 6,"),
        ("stage: \"茶棚\"", "stage: \"茶篷\""),
        ("hp: 24, attack", "hp: 24 attack"),
        ("accuracy: 90", "accuracy: ninety"),
        ("(stage: \"芦苇荡\"", "(stage: \"\""),
        ("foes: [\"雾里人\"]", "foes: [\"雾里人\", \"雾里人\"]"),
    ]);
    has(
        &told,
        &[
            "没有名为“茶篷”的居家舞台（Home）",
            "现在是 -30；请写 1 到 9999 之间的数",
            "这之前缺少逗号",
            "是不是 `Hero`？",
            "缺少险地舞台（Dungeon）；可选：芦苇荡",
            "“雾里人”写了两次；请只写一次",
        ],
    );
    broken(&[
        ("name: \"渡口旧事\"", "name: \"\""),
        ("title: \"船夫", "title: \"船夫\n"),
        ("name: \"河风\"", "name: \"assistant\""),
        ("name: \"茶棚\"", "name: \"渡口\""),
        ("name: \"雾里人\"", "name: \" 雾里人\""),
        ("connects: [\"茶棚\"]", "connects: [\"渡口\", \"芦苇荡\"]"),
        (
            "phrases: [\"没能救上来的哥哥\"",
            "phrases: [\"沉船\", \" \"",
        ),
        ("keys: [\"沉船\", \"芦苇荡\"]", "keys: []"),
        ("power: 3, cost: 1, duration: 2", "power: 0, cost: 9"),
        ("Dungeon(\"过河\")", "Dungeon(\"过江\")"),
        ("gain: \"一条通到对岸的水路，和一枚旧船牌。\"", "gain: \"\""),
    ]);
    broken(&[
        ("faction: Hero", "faction: Neutral"),
        ("faction: Hero", "faction: Neutral"),
        ("kind: Home", "kind: Dungeon"),
        ("kind: Home", "kind: Dungeon"),
        ("skills: [\"冷雾\"]", "skills: []"),
        ("foes: [\"雾里人\"]", "foes: []"),
        (
            "schedule: [Home(days: 1), Dungeon(\"过河\")]",
            "schedule: []",
        ),
    ]);
    broken(&[("title: \"船夫", "title: 船夫")]);
    let lost = broken(&[("actors: [", "actors: ")]);
    has(&lost, &["这里缺少 `[`：第"]);
    write(&file, "()");
    let empty = out(&run_chinese(folder, "check mine"));
    has(&empty, &["没有角色"]);
    assert_chinese(&empty);
    let run = run_chinese(folder, "run mine");
    assert_chinese(&err(&run));
    let json = out(&run_chinese(folder, "check mine --json"));
    has(&json, &["there are no actors"]);
    write(&file, &right);
    let fine = out(&run_chinese(folder, "check mine"));
    assert_eq!(fine, "世界“mine”没有错误。\n");
    let late = "title: \"仍在渡口\",";
    write(&file, &right.replace(late, &format!("{late} when: Never,")));
    let warned = out(&run_chinese(folder, "check mine"));
    let last = warned.lines().last().unwrap_or_default();
    assert_eq!(last, "世界“mine”没有错误，有 1 条警告。", "{warned}");
}

#[test]
fn where_no_language_is_set_the_names_and_the_world_say_it() {
    let folder = &Dir::new();
    let told = |arguments: &str, lang: &str| {
        let mut command = playhouse(folder);
        command.env("LANG", lang).args(arguments.split(' '));
        let output = command.output().unwrap();
        out(&output) + &err(&output)
    };
    has(&told("new 渡口", "C.UTF-8"), &["已创建"]);
    has(&told("check 渡口", "POSIX"), &["没有错误"]);
    let run = told("run zhaoying-ban --until 1 --save z", "C");
    has(&run, &["已到第 1 轮"]);
    for of_save in ["show z", "ask z what", "resume z --until 2"] {
        let own = told(of_save, "C");
        assert!(
            own.contains(|c| c >= '一') && !own.contains("turn "),
            "{own}"
        );
        lacks(&told(of_save, "en_US.UTF-8"), &["第 "]);
    }
    has(&told("worlds", "C.UTF-8"), &["drowned-assize"]);
    has(&told("check 渡口", "en_US.UTF-8"), &["has no errors"]);
    has(&told("check drowned-assize", "C"), &["has no errors"]);
    has(&told("ask 渡口", "C"), &["命令不完整"]);
    let help = told("ask z why --help", "zh_CN.UTF-8");
    has(&help, &["playhouse ask <存档> why"]);
}

/// Words that are the same in every language: names of commands, options, values, members, roles
/// and models, and terms.
const NAMES: &str = "\
    ag2 AgentScope agentscope ai all always anthropic ask assistant audience auto autogen branch \
    calls card chapters chat check choices color completions concordia config convert costs csv Ctrl-C dashscope \
    data deepseek diff doctor draw en ending events expect experiment export fact features force \
    form game games gemini help human id import improviser journey JSON json knowledge Knows lang \
    langchain line log man manual mcp memory model mystery N never new off ollama openai Parquet \
    parquet people play playhouse playhouse.ron prompts python question quiet recall rehearse replay \
    request resume round rule run save saves scene scripts seat seed session sh sharegpt shell show \
    shuffled sillytavern speaker stop stories story suggest system talk task text time token tool trace trust \
    twig undercover until USD user verbose version view voice votes vv wait warn watch web what \
    who why width world worlds zh worker serve submit status cancel follow limit pack unpack personas team \
    nats folder Condition metrics ready health Prometheus";

/// Fails if there is an English word that is not a name.
fn assert_no_english(what: &str, text: &str) {
    let is_ascii = |c: char| c.is_ascii_graphic();
    let words = text
        .split(|c| !is_ascii(c))
        .filter(|word| !word.starts_with("--"))
        // Members of answers, as prompts name them.
        .filter(|word| !(word.starts_with('"') && word.ends_with('"')));
    let words = words.map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()));
    let mut english: Vec<_> = words
        .filter(|word| word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic()))
        // Types of messages, such as `TextMessage`.
        .filter(|word| !word.chars().skip(1).any(|c| c.is_ascii_uppercase()))
        .filter(|word| !NAMES.split(' ').any(|name| name == *word))
        .collect();
    english.sort_unstable();
    english.dedup();
    assert!(english.is_empty(), "{what}: {english:?} in:\n{text}");
}

#[test]
fn help_is_chinese() {
    let folder = &Dir::new();
    let commands = ",run,resume,chat,undercover,replay,saves,branch,show,ask,ask who,ask recall,check,\
                    rehearse,new,play,import,import card,suggest,worlds,convert,config,doctor,watch,export,diff,\
                    worker,submit,\
                    status,cancel,follow,serve,limit,pack,unpack";
    for command in commands.split(',') {
        let help = succeed(folder, &format!("{command} --lang zh --help"));
        let help = out(&help);
        has(&help, &["用法：playhouse"]);
        assert_no_english(command, &help);
    }
    assert!(out(&run(folder, "--lang zh --help")).contains("退出码"));
    for arguments in ["help run --lang zh", "help --width 80 --lang=zh run"] {
        let help = out(&run(folder, arguments));
        assert!(help.contains("用法：playhouse run"), "{arguments}: {help}");
    }
}

#[test]
fn whole_runs_are_chinese() {
    let folder = &Dir::new();
    let chat = "chat zh/xietiao --task 给庙会挑个日子 --save talk --format";
    for arguments in [
        "run --save story",
        "undercover --save game --players 4",
        "undercover --save games --players 4 --games 2",
        "undercover --from games",
        &format!("{chat} rule"),
        &format!("{chat} log --force"),
        "saves",
        "show story --view costs",
        "show game --view costs",
        "show talk --view costs",
        "show story",
        "show talk --view trace",
        "branch story twig --turn 2",
        "replay story --until 3",
        "run --dry-run --width 80",
    ] {
        let output = succeed(folder, &format!("{arguments} --lang zh"));
        assert_no_english(arguments, &out(&output));
        assert_no_english(arguments, &err(&output));
    }
    let records = records_of(&run(folder, "replay story --until 2 --json"));
    let mut kinds = std::collections::BTreeSet::new();
    for record in records {
        let Some(kind) = record["type"].as_str() else {
            continue;
        };
        if kinds.insert(kind.to_owned()) {
            let id = record["id"].as_str().unwrap();
            let why = run_chinese(folder, &format!("ask story why {id}"));
            assert_no_english(kind, &out(&why));
        }
    }
    assert!(kinds.len() > 5, "{kinds:?}");
}
