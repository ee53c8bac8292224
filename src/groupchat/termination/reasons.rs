//! Stop reasons as text, in both languages.

use crate::groupchat::message::RequestUsage;
use crate::message::Language;

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) $en:literal $zh:literal)*) => {
        $($(#[$doc])*
        pub(super) fn $name(language: Language, $($arg: $type),*) -> String {
            match language {
                Language::En => format!($en),
                Language::Zh => format!($zh),
            }
        })*
    };
}

reasons! {
    max_messages(max: u32, count: u32)
        "Maximum number of messages {max} reached, current message count: {count}"
        "消息数已达上限 {max}，当前消息数：{count}"
    stop_message() "A stop message was said" "收到了停止消息"
    mention(text: &str) "Text '{text}' mentioned" "提到了“{text}”"
    seconds(seconds: f64) "The time of {seconds} seconds is up" "{seconds} 秒的时限已到"
    turns(turns: u32) "The time of {turns} turns is up" "{turns} 轮的时限已到"
    handoff(target: &str, source: &str)
        "{source} handed over to {target}" "{source}把话交给了{target}"
    answered(source: &str) "{source} has answered" "{source}已经回答"
    text_message(source: &str) "{source} sent a text message" "{source}发来了文本消息"
    function(name: &str) "The function '{name}' was executed" "函数“{name}”已执行"
    external() "Somebody outside asked to stop" "外部要求停止"
    predicate(name: &str) "The condition '{name}' is met" "条件“{name}”已满足"
}

pub(super) fn tokens(language: Language, usage: RequestUsage) -> String {
    let (total, prompt, completion) = (
        usage.total_tokens(),
        usage.prompt_tokens,
        usage.completion_tokens,
    );
    match language {
        Language::En => format!(
            "The token limit is reached: {total} in total, {prompt} of prompts, {completion} of answers"
        ),
        Language::Zh => {
            format!("token 已达上限：共 {total}，提示 {prompt}，回答 {completion}")
        }
    }
}
