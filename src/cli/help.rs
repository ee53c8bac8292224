//! The manual that `--help` prints, and what is wrong with a command line, in the interface's language.
//! The English words are those of `args.rs` and of clap; the Chinese ones stand here.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};
use playhouse::mind::Language;

use super::args::CommandLine;
use super::error::{Failure, Fault};
use super::features;
use super::words::Words;

/// What commands and their options are for: `COMMAND` or `COMMAND option`, `option` where all commands
/// mean the same by it.
const CHINESE: &[(&str, &str)] = &[
    (
        "playhouse",
        "让角色自己思考的故事引擎，没有图形界面。\n\n不写命令就是演出：`playhouse` 演默认的世界，`playhouse 世界` 演另一个。",
    ),
    // --- common ---
    (
        "lang",
        "界面语言：en、zh（默认：随系统区域）；世界有自己的语言",
    ),
    (
        "data",
        "放有 worlds/、prompts/ 和 models.ron 的文件夹（默认：./data，没有则用内置数据）",
    ),
    ("saves", "存档文件夹（默认：./saves）"),
    (
        "color",
        "何时用颜色：auto（终端上，除非设了 NO_COLOR）、always（写入文件也用）、never",
    ),
    (
        "width",
        "每行的格数，20 到 1000（默认：终端宽度，至多 100）",
    ),
    ("json", "标准输出每行一条 JSON 记录，不写文字"),
    ("quiet", "不写故事、进度和表格，只报错误"),
    ("verbose", "在标准错误输出写日志：-v 每次调用，-vv 全部"),
    ("log_format", "日志的形式：text、json"),
    ("help", "显示帮助"),
    ("version", "显示版本"),
    // --- playing ---
    ("run", "演一个世界"),
    (
        "world",
        "世界的文件夹名（见 `playhouse worlds`），或含 world.ron 的文件夹路径",
    ),
    ("seed", "世界骰子的种子"),
    ("save", "存到哪个存档（默认：新建一个，以世界命名）"),
    ("run force", "在已有的存档里从头开始；原有内容会丢失"),
    ("playhouse force", "在已有的存档里从头开始；原有内容会丢失"),
    (
        "model",
        "由哪个模型回答：模型文件中的别名、供应商/模型，或 `improviser`（即兴引擎）",
    ),
    ("until", "到这一轮之后停下"),
    ("seat", "亲自扮演这个角色，只看它看到的"),
    ("max_calls", "至多多少次请求"),
    ("max_tokens", "提示与回答合计至多多少 token"),
    ("max_cost", "至多花多少钱，单位同模型价格"),
    (
        "dry_run",
        "显示接下来的提示、它们的 token 数和价格；什么也不发送",
    ),
    (
        "on_server_error",
        "服务器彻底失败时：stop（停下，存档可继续）、fall-back（由规则代答，故事继续）",
    ),
    ("resume", "继续一个存档"),
    ("slot", "存档名"),
    (
        "resume force",
        "即使存档来自别的数据或与日志不符也载入，后果自负",
    ),
    ("replay", "按日志重演一个存档，并作比较"),
    ("replay seat", "只看这个角色当时看到的"),
    ("resume task", "接着问团队什么（存档属于团队时）"),
    ("chat", "让一个团队讨论一项任务，或列出团队"),
    (
        "team",
        "团队名，如 zh/xiezuo-tai，或团队文件的路径；不写则列出全部",
    ),
    ("task", "问团队什么"),
    (
        "allow_code",
        "允许团队里运行代码的成员启动 python 和 sh，每次都要先经批准人同意",
    ),
    (
        "form",
        "对话怎样显示：rule（每条消息上方有横线）、log（每条消息一行，带时间）",
    ),
    ("chat seed", "团队抽签的种子"),
    ("chat save", "存到哪个存档（默认：新建一个，以团队命名）"),
    ("chat force", "在已有的存档里从头开始；原有内容会丢失"),
    ("undercover", "玩“谁是卧底”：一局，或一场赛事"),
    ("undercover players", "几人参加；名字来自数据文件夹"),
    ("undercover undercover", "其中几名卧底"),
    ("undercover blank", "其中几名白板（没有词）"),
    (
        "undercover words",
        "词表文件，或用逗号隔开的两个词（默认：数据文件夹中的词表）",
    ),
    (
        "undercover ties",
        "平票怎么办：nobody-out（无人出局）、run-off（平票者之间再投一次，再平则无人出局）、draw（抽签）",
    ),
    (
        "undercover order",
        "描述的次序：shuffled（每轮重排）、by-number（按编号）",
    ),
    ("undercover hide_roles", "出局时不公开身份"),
    (
        "undercover max_rounds",
        "至多几轮；轮数用尽则卧底获胜（默认：人数加二）",
    ),
    (
        "undercover reflect",
        "玩家何时写下自己的判断：off（从不）、round（每轮之后）、line（每听到一句之后）",
    ),
    (
        "undercover model_of",
        "某个玩家的模型，写作 名字=模型；可写多次",
    ),
    ("undercover seed", "发牌与次序的种子；赛事中每局依次加一"),
    ("undercover games", "打一场这么多局的赛事，并统计"),
    ("undercover jobs", "赛事同时进行几局（默认：每个核心一局）"),
    (
        "undercover from",
        "不打牌，只从日志统计：存档、赛事，或存档所在的文件夹",
    ),
    (
        "undercover save",
        "存到哪个存档，或赛事的文件夹（默认：新建一个）",
    ),
    ("undercover force", "在已有的存档里从头开始；原有内容会丢失"),
    ("trace", "存档中每次调用看到了什么、回答了什么"),
    ("trace entity", "谁的调用；不写则全部"),
    // --- looking ---
    ("saves list", "列出存档"),
    ("cost", "一个存档的花费，按角色和用途"),
    ("branch", "从旧存档的某一轮开出新存档"),
    ("branch slot", "旧存档"),
    ("branch new", "新存档"),
    ("branch turn", "新存档从哪一轮继续"),
    ("why", "谁得知了一个事件，依据哪条规则"),
    ("why event", "事件编号，如 3-17"),
    ("show", "存档中的角色记得什么"),
    ("show entity", "哪一个；不写则列出全部"),
    (
        "show form",
        "以何种形式：buffer（给人读）、json（交换格式）、request（下一次请求会发送的样子）",
    ),
    ("show turn", "在这一轮结束时（默认：最后一轮）"),
    // --- writing ---
    ("check", "找出一个世界的所有错误"),
    ("new", "写一个小世界，作为起点"),
    ("new dir", "要新建的文件夹"),
    ("new world_lang", "世界的语言：en、zh（默认：同界面）"),
    ("worlds", "列出世界"),
    ("config", "显示每项设置及其来源；密钥会被遮住"),
    (
        "doctor",
        "向每个配置的模型问一个便宜的问题，看看每个工具服务器，并报告",
    ),
    ("doctor name", "只看这个模型或工具服务器"),
    // --- converting ---
    ("convert", "读取任意框架写下的对话，写成另一种形式"),
    ("convert file", "文件；不写或写 - 则读标准输入"),
    (
        "convert to",
        "写成哪种形式：playhouse、agentscope、agentscope-java1、agentscope-python1、agentscope-python2、langchain、langchain-flat、openai、openai-jsonl",
    ),
    ("convert from", "它原来的形式（默认：由其成员判断）"),
    ("convert name", "这是谁的对话（默认：按对话自己写明的）"),
    // --- help ---
    ("help command", "显示本说明，或某个命令的说明"),
    ("subcommand", "要说明的命令"),
];

const CHINESE_END: &str = "\
退出码：0 一切正常，1 其他失败，2 用法，3 世界或其数据，4 存档，5 模型或服务器，6 到达上限。

上限（--max-calls、--max-tokens、--max-cost）在每次调用前按最坏情况检查；因上限停下的演出会留下可继续的存档。
设置的来源依次是：命令行、环境变量、工作目录中的 playhouse.ron、默认值；`playhouse config` 显示各项来自哪里。
遵从 NO_COLOR；RUST_LOG 过滤日志。";

/// The command line in the language of the interface.
pub(crate) fn command_line(language: Language) -> Command {
    let version = features::version(Words(language));
    let mut command = CommandLine::command().version(version);
    match language {
        Language::En => command,
        Language::Zh => {
            // What clap adds by itself is there to be translated then.
            command.build();
            in_chinese(command).after_help(CHINESE_END)
        }
    }
}

fn chinese(keys: &[&str]) -> Option<&'static str> {
    let find = |key: &&str| CHINESE.iter().find(|(known, _)| known == key);
    keys.iter().find_map(find).map(|(_, words)| *words)
}

fn in_chinese(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let usage = usage_in_chinese(&command);
    let about = chinese(&[&format!("{name} list"), &format!("{name} command"), &name]);
    command
        .about(about.map(first_line))
        .long_about(about)
        .override_usage(usage)
        .subcommand_help_heading("命令")
        .help_template("{about-with-newline}\n用法：{usage}\n\n{all-args}{after-help}")
        .mut_args(|arg| arg_in_chinese(&name, arg))
        .mut_subcommands(in_chinese)
}

fn first_line(text: &'static str) -> &'static str {
    text.split('\n').next().unwrap_or(text)
}

fn arg_in_chinese(command: &str, arg: Arg) -> Arg {
    let id = arg.get_id().to_string();
    let words = chinese(&[&format!("{command} {id}"), &id]);
    let heading = match arg.get_help_heading() {
        Some(_) => "通用选项",
        None if arg.is_positional() => "参数",
        None => "选项",
    };
    let order = arg.get_index().unwrap_or_else(|| arg.get_display_order());
    arg.help(words)
        .display_order(order)
        .long_help(None::<&str>)
        .help_heading(heading)
        .hide_possible_values(true)
        .hide_default_value(true)
}

fn usage_in_chinese(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    usage
        .replace("[OPTIONS]", "[选项]")
        .replace("[COMMAND]", "[命令]")
}

/// What is wrong with a command line, in Chinese.
pub(crate) fn usage_failure(error: &clap::Error, words: Words) -> Failure {
    let named = |kind| error.get(kind).map(in_words).unwrap_or_default();
    let arg = named(ContextKind::InvalidArg);
    let value = named(ContextKind::InvalidValue);
    let what = match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => words.value_missing(&arg),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => words.value_invalid(&arg, &value),
        ErrorKind::UnknownArgument => words.option_unknown(&arg),
        ErrorKind::InvalidSubcommand => {
            words.command_unknown(&named(ContextKind::InvalidSubcommand))
        }
        ErrorKind::ArgumentConflict if arg.is_empty() => words.options_before_command(),
        ErrorKind::ArgumentConflict => words.option_conflict(&arg, &named(ContextKind::PriorArg)),
        ErrorKind::MissingRequiredArgument => words.option_missing(&arg),
        _ => words.command_line_wrong(),
    };
    let hints = [
        (ContextKind::ValidValue, "names"),
        (ContextKind::SuggestedArg, "nearest"),
        (ContextKind::SuggestedSubcommand, "nearest"),
        (ContextKind::SuggestedValue, "nearest"),
    ];
    let hint = hints.iter().find_map(|(kind, form)| {
        let hint = named(*kind);
        match (hint.is_empty(), *form) {
            (true, _) => None,
            (_, "nearest") => Some(words.nearest(&hint)),
            _ => Some(words.names_are(&hint)),
        }
    });
    Failure::new(Fault::Usage, what).try_this(hint.unwrap_or_else(|| words.see_help()))
}

fn in_words(value: &ContextValue) -> String {
    match value {
        ContextValue::String(text) => text.clone(),
        ContextValue::Strings(all) => all.join("、"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::builder::StyledStr;

    fn speaks_chinese(command: &Command, path: &str) {
        let foreign = |text: Option<&StyledStr>| {
            !text.is_some_and(|text| text.to_string().chars().any(|c| c >= '一'))
        };
        assert!(!foreign(command.get_about()), "{path}: the command");
        for arg in command.get_arguments() {
            assert!(!foreign(arg.get_help()), "{path}: {}", arg.get_id());
        }
        for inner in command.get_subcommands() {
            // The help of help repeats the names of all commands.
            if path != "help" {
                speaks_chinese(inner, inner.get_name());
            }
        }
    }

    #[test]
    fn every_command_and_option_is_explained_in_chinese() {
        speaks_chinese(&command_line(Language::Zh), "playhouse");
    }

    #[test]
    fn the_chinese_manual_holds_no_english_sentence() {
        let help = command_line(Language::Zh).render_long_help().to_string();
        for english in [
            "Usage",
            "Options",
            "Commands",
            "Arguments",
            "possible",
            "default",
            "Print",
        ] {
            assert!(!help.contains(english), "{english} in:\n{help}");
        }
        assert!(help.contains("退出码"), "{help}");
    }

    #[test]
    fn a_wrong_command_line_is_explained_in_chinese() {
        let explained = |line: &str| {
            let command = command_line(Language::Zh);
            let error = command.try_get_matches_from(line.split(' ')).unwrap_err();
            let failure = usage_failure(&error, Words(Language::Zh));
            format!("{}|{}", failure.what, failure.remedy)
        };
        for (line, what) in [
            ("playhouse run --sed 3", "--sed"),
            ("playhouse run --seed x", "x"),
            ("playhouse run --seed", "--seed"),
            ("playhouse show s --as film", "buffer"),
            ("playhouse resume", "<SLOT>"),
            ("playhouse run --force", "--save"),
        ] {
            let said = explained(line);
            assert!(said.contains(what), "{line}: {said}");
            assert!(said.chars().any(|c| c >= '一'), "{line}: {said}");
        }
    }
}
