//! Answers in which a model refuses, instead of speaking for its character.

use std::sync::LazyLock;

use regex::Regex;

use crate::journal::{AskEnding, Outcome};
use crate::locale::UiText;

/// The reasons of default answers that a model refused to give.
const REASONS: [&str; 2] = ["exchange_refused", "exchange_refused_saying"];

/// How many characters at the beginning of an answer are looked at for what the model can't do, and
/// for what it says of that.
const OPENING: usize = 120;
/// An apology to the reader, and where one stands at the latest.
const APOLOGY: usize = 16;
const SORRY: usize = 24;
const BEGINNING: usize = 600;
/// A longer answer does not only refuse.
const LONGEST: usize = 1_500;

/// Words of one language.
struct Words {
    /// How a refusal begins, and no description or memory does.
    sorry: &'static [&'static str],
    /// That the writer can't or won't.
    cannot: &'static [&'static str],
    /// What assistants do for people.
    service: &'static [&'static str],
    /// How it speaks of what it was asked to write.
    text: &'static [&'static str],
    /// What only an assistant says: of itself, of requests, and what it offers instead.
    assistant: &'static [&'static str],
    /// What models call themselves alone.
    models: &'static [&'static str],
}

const ENGLISH: Words = Words {
    sorry: &[
        "sorry", "apologies", "apologize", "apologise", "unfortunately", "regrettably",
    ],
    cannot: &[
        "i can't",
        "i cannot",
        "i can not",
        "i won't",
        "i will not",
        "i'm unable",
        "i am unable",
        "i'm not able",
        "i am not able",
        "i'm not comfortable",
        "i'm not going to",
        "i am not going to",
        "i don't feel comfortable",
        "i do not feel comfortable",
        "i don't think i can",
        "i'd rather not",
        "i would rather not",
        "i shouldn't",
        "i should not",
        "i must decline",
        "i must refuse",
        "i have to decline",
        "i need to decline",
        "for me to",
    ],
    service: &[
        "help", "assist", "continu", "creat", "generat", "writ", "produc", "provid", "roleplay",
        "role-play", "engag", "participat", "compl", "fulfil", "depict", "portray", "discuss",
        "descri", "request",
    ],
    text: &[
        "write that", "like this", "describe this", "topic", "violen", "this character",
        "this scene", "this scenario", "this story", "this passage", "this description",
        "this kind", "this type", "that request", "this request", "content", "instead",
        "would you like", "do you want me",
    ],
    assistant: &[
        "as an ai", "an ai ", "language model", "assistant", "roleplay", "role-play", "request",
        "content", "guideline", "policy", "policies", "something else", "let me know", "feel free",
        "happy to", "glad to", "crisis line", "help with that", "help with this",
        "assist with that", "assist with this", "change the subject", "another topic",
    ],
    models: &[
        "language model",
        "artificial intelligence",
        "ai model",
        "ai assistant",
        "as an ai",
        "a computer program",
        "openai",
        "responsible ai",
        "the user wants",
        "previous conversations",
        "my guidelines",
        "violates policy",
        "decline to writ",
        "decline to creat",
        "decline to generat",
        "decline to continue",
    ],
};

const CHINESE: Words = Words {
    sorry: &["抱歉", "对不起", "不好意思", "遗憾"],
    cannot: &[
        "我无法", "我不能", "我没法", "我没有办法", "我没办法", "暂时无法", "我不便", "我不会",
        "我不应", "我拒绝",
    ],
    service: &[
        "帮", "协助", "提供", "继续", "生成", "创作", "扮演", "满足", "回答", "讨论", "参与",
        "撰写", "描写", "描述", "写下去", "编写",
    ],
    text: &[
        "这个场景", "这样的场景", "这段", "这种", "这类", "此类", "该请求", "请求", "要求", "内容",
        "情节", "剧情", "暴力",
    ],
    assistant: &[
        "人工智能", "语言模型", "助手", "请求", "内容", "准则", "政策", "其他问题", "别的问题",
        "乐意", "随时告诉我", "换个话题",
    ],
    models: &[
        "您的请求", "语言模型", "人工智能助手", "ai助手", "ai模型", "作为ai", "作为一个ai",
        "作为人工智能",
    ],
};

/// What no refusal begins without: that the writer can't, or what only models call themselves.
/// Looking for each of these words in every text takes a tenth of a replay.
static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = [
        ENGLISH.cannot, ENGLISH.models, CHINESE.cannot, CHINESE.models,
    ]
    .concat();
    let words: Vec<_> = words.into_iter().map(regex::escape).collect();
    Regex::new(&words.join("|")).ok()
});

/// Whether speech is a model's refusal: short, and at its beginning it calls itself a
/// model, or a first person can't do what assistants do, and speaks as one. What characters refuse
/// each other lacks one of these.
pub fn is_refusal(text: &str) -> bool {
    is_any(text, Words::refuse)
}

/// Whether a text is a refusal to write it. A text has no speaker, so an apology is enough, or a
/// word about the text itself.
pub(crate) fn refuses_to_write(text: &str) -> bool {
    is_any(text, |words, text| {
        let has = |list: &[&str], part: &str| list.iter().any(|word| part.contains(word));
        let is_about_it =
            || has(words.sorry, start(text, SORRY)) || has(words.text, start(text, OPENING));
        let begins_sorry = || {
            let address = text
                .split_once([',', '，', '.', '!', '！'])
                .map(|(first, _)| first);
            let is_sorry = |first: &str| words.sorry.iter().any(|sorry| first.ends_with(sorry));
            address.is_some_and(|first| first.chars().count() <= APOLOGY && is_sorry(first))
        };
        words.refuse(text)
            || begins_sorry()
            || words.cannot_serve(text).next().is_some() && is_about_it()
    })
}

fn is_any(text: &str, refuses: impl Fn(&Words, &str) -> bool) -> bool {
    if text.chars().nth(LONGEST).is_some() {
        return false;
    }
    let text = text.trim().to_lowercase().replace('’', "'");
    [ENGLISH, CHINESE].iter().any(|words| refuses(words, &text))
}

/// Whether an ask ended because its model refused.
pub fn ends_with_refusal(outcome: &Outcome) -> bool {
    matches!(&outcome.ending, AskEnding::Failed { reason } if tells_refusal(reason))
}

/// Whether the reason of a default answer is that a model refused.
pub(crate) fn tells_refusal(reason: &UiText) -> bool {
    reason.is_one_of(&REASONS)
}

impl Words {
    fn refuse(&self, text: &str) -> bool {
        let opening = start(text, OPENING);
        if MARKS.as_ref().is_some_and(|marks| !marks.is_match(opening)) {
            return false;
        }
        if self.models.iter().any(|words| opening.contains(words)) {
            return true;
        }
        let beginning = start(text, BEGINNING);
        let speaks_as_one = || self.assistant.iter().any(|word| beginning.contains(word));
        self.cannot_serve(text).next().is_some() && speaks_as_one()
    }

    /// Where the opening says that a first person can't do what assistants do.
    fn cannot_serve<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let opening = start(text, OPENING);
        let found = self.cannot.iter().filter_map(|words| {
            let at = opening.find(words)?;
            text.get(at + words.len()..)
        });
        found.filter(|then| {
            let does = start(then, OPENING / 2);
            self.service.iter().any(|word| does.contains(word))
        })
    }
}

/// The first characters of a text.
fn start(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map(|(end, _)| end);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_apology_is_no_description_and_no_memory() {
        for refusal in [
            "I'm sorry, but I can't write that. If you are in distress, please talk to somebody you trust.",
            "I apologize, but I'm not able to continue with this scene.",
            "Unfortunately, I cannot create this description.",
            "抱歉，我不能继续写下去。如果你感到难过，请找信任的人聊聊。",
            "I can't help with that.",
            "I do not feel comfortable writing this scene. Would you like me to try another approach?",
            "It would be inappropriate for me to continue this story.",
            "I'd rather not write that; can we talk about something else?",
            "Content warning: I can't generate descriptions of self-harm.",
            "这段描写涉及暴力，我无法生成。",
            "我没有办法撰写这样的场景，请换一个要求。",
        ] {
            assert!(refuses_to_write(refusal), "{refusal}");
        }
        for written in [
            "I'm sorry for what I said to Mira, and I can't take it back.",
            "Fog lies on the green. I cannot see the mill.",
            "I can't describe what I felt when the bell fell. The rope burned my hands.",
            "I won't write to my sister again; the letters only make her cry.",
            "The well is dry. It is not for me to help the miller with his wheel.",
            "对不起姐姐的是我，我不能忘记那一夜。",
            "The clerk is sorry, says the notice, but the office will not open before noon.",
        ] {
            assert!(!refuses_to_write(written), "{written}");
        }
    }

    #[test]
    fn models_refuse_and_characters_may() {
        for refusal in [
            "I'm sorry, but I can't continue this roleplay, because it shows violence. I'd be glad to help with something else.",
            "I’m sorry, but I can’t roleplay content involving suicide or self-harm. If you or someone you know is struggling, please reach out to a crisis line.",
            "I can't help with that.",
            "I cannot fulfill this request. I am an AI assistant and my purpose is to be helpful and harmless.",
            "As an AI language model, I am not able to write scenes of torture.",
            "Unfortunately, I'm unable to generate that. Let me know if there is something else!",
            "I won't write this scene as described; I'm happy to suggest a version without gore.",
            "抱歉，我无法继续这个话题，因为它包含暴力内容。如果您有其他问题，我很乐意帮助您。",
            "很抱歉，作为一个人工智能语言模型，我不能提供此类描写。",
            "对不起，我不能协助完成这个请求。",
            "As a large language model, I don't have memories. However, I can help you to write some!",
            "I'm sorry, but I don't have memory of previous conversations. Each starts fresh.",
            "So basically, the user wants 5-8 sentences in first person.",
            "I must respectfully decline to write this memory, as it makes light of violence.",
            "你好，这个问题我暂时无法回答，让我们换个话题再聊聊吧。",
        ] {
            assert!(is_refusal(refusal), "{refusal}");
        }
        for spoken in [
            "I'm sorry, Mira. I can't come with you tonight.",
            "I can't help you, Brant. The rope is yours to cut.",
            "I won't do it. Not for ten guineas, not for twenty.",
            "I cannot go on. The door is shut, and nobody will open it for us.",
            "We can't provide for the whole town, says the miller, and shuts his door.",
            "The request hangs in the air. I will not answer it, I think, and look at the fire.",
            "我不能跟你走，门外有人守着。",
            "我无法忘记那一夜的雨声。",
            "我不会帮助你的，你走吧。",
            "这个问题我不能回答你，你去问掌柜。",
            "",
        ] {
            assert!(!is_refusal(spoken), "{spoken}");
        }
        let long = format!(
            "I'm sorry, but I can't help with that request. {}",
            "It rains. ".repeat(200)
        );
        assert!(!is_refusal(&long));
    }
}
