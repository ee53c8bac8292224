//! Words that mean nothing of their own, and those that turn, doubt or explain what was said.

/// Names that an answer may be wrapped in.
pub(super) const WRAPPERS: [&str; 19] = [
    "answer", "response", "reply", "result", "output", "json", "data", "properties", "arguments",
    "args", "parameters", "input", "object", "value", "final", "final_answer", "return", "action",
    "actions",
];

/// Whether what stands under this name is not what was answered.
pub(super) fn is_set_aside(name: &str) -> bool {
    let words = [
        "rejected", "refused", "declined", "discarded", "avoid", "wrong", "example", "alternative",
        "alternatives", "previous",
    ];
    is_negation(name) || words.contains(&name)
}

pub(super) fn is_nothing(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '。']).to_lowercase();
    let words = [
        "", "none", "nothing", "nobody", "no one", "null", "n/a", "na", "nil", "-", "–", "无",
        "没有", "空", "暂无",
    ];
    words.contains(&text.as_str()) || is_ellipsis(&text)
}

/// Whether a text is nothing but dots, as in an example.
pub(super) fn is_ellipsis(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, '.' | '…' | '。'))
}

/// A yes or a no, maybe with more words behind it.
pub(super) fn truth(text: &str) -> Option<bool> {
    const BEHIND: [char; 9] = [',', '，', '.', '。', '!', '！', ';', '；', '('];
    let (first, rest) = text.split_once(BEHIND).unwrap_or((text, ""));
    let mut words = rest.split(|c: char| !c.is_alphanumeric());
    let is_plain = !words.any(|word| is_negation(&word.to_lowercase()));
    match first.trim().to_lowercase().as_str() {
        "true" | "yes" | "y" | "1" | "agree" | "agreed" | "i agree" | "是" | "是的" | "对"
        | "对的" | "能" | "可以" | "真" | "好" | "好的" | "行" | "要" | "同意" | "赞成"
        | "愿意" | "我同意" => is_plain.then_some(true),
        "false" | "no" | "n" | "0" | "disagree" | "i disagree" | "否" | "不" | "不是" | "不能"
        | "不可以" | "假" | "不行" | "不要" | "不同意" | "不赞成" | "不愿意" | "反对"
        | "我不同意" | "我反对" => Some(false),
        _ => None,
    }
}

const EVERYONE: [&str; 15] = [
    "everyone", "everybody", "all", "all of them", "all of you", "everyone here", "everybody here",
    "everyone present", "the group", "大家", "所有人", "各位", "众人", "在场的人", "全体",
];

/// Whether a text names all who are there.
pub(super) fn means_everyone(words: &[String]) -> bool {
    let text = words.join(" ");
    let glued = words.concat();
    EVERYONE
        .iter()
        .any(|everyone| *everyone == text || *everyone == glued)
}

/// Words by which the one who answers is meant.
pub(super) fn means_oneself(words: &[String]) -> bool {
    let oneself = [
        "me", "myself", "self", "you", "yourself", "i", "oneself", "我", "我自己", "自己", "你",
        "你自己",
    ];
    oneself.contains(&words.concat().as_str())
}

/// Words that may stand around a name without meaning anything of their own.
const FILLERS: [&str; 46] = [
    "correct", "best", "boxed", "i", "ll", "for", "my", "is", "goes", "to", "against", "out",
    "the", "number", "no", "nr", "option", "choice", "answer", "choose", "chose", "pick", "select",
    "decide", "on", "will", "would", "want", "with", "it", "be", "should", "next", "and", "then",
    "say", "am", "go", "a", "d", "m", "take", "think", "ill", "id", "im",
];
const FILLER_CHARS: &str = "我去给选的是号第位将项个择答案和与及";

/// Whether a word may stand before the number or letter of an option.
pub(super) fn is_listing(word: &str) -> bool {
    matches!(
        word,
        "option"
            | "choice"
            | "answer"
            | "number"
            | "boxed"
            | "correct"
            | "best"
            | "is"
            | "选"
            | "项"
    )
}

pub(super) fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word) || word.chars().all(|char| FILLER_CHARS.contains(char))
}

/// Whether a word turns what is said into its opposite, adds to it, or leaves it open.
pub(super) fn is_negation(word: &str) -> bool {
    let words = [
        "not", "dont", "never", "but", "except", "without", "instead", "nor", "neither", "isnt",
        "cant", "wont", "or", "and", "either", "anyone", "anybody", "other", "another", "no",
    ];
    words.contains(&word)
        || word
            .chars()
            .any(|char| "不别非没勿除或未无和与".contains(char))
}

/// Whether a clause begins as a reason does.
pub(super) fn is_reason(clause: &str) -> bool {
    let clause = clause.trim_start().to_lowercase();
    let first = clause.split(' ').next().unwrap_or_default();
    let han = ["因为", "免得", "不然", "否则", "毕竟", "反正", "省得"];
    matches!(first, "because" | "since" | "as" | "otherwise" | "so")
        || han.iter().any(|word| clause.starts_with(word))
}

/// Whether a clause says what is not chosen.
pub(super) fn is_turned_down(clause: &str) -> bool {
    let clause = clause.trim_start().to_lowercase();
    let begins = ["rather than ", "instead of ", "与其", "不是"];
    begins.iter().any(|words| clause.starts_with(words))
}

/// The one who answers, as it says "I".
pub(super) fn is_first_person(word: &str) -> bool {
    matches!(word, "i" | "ill" | "id" | "im" | "we" | "我" | "我们")
}

/// Whether a word leaves open whether what was named is meant.
pub(super) fn is_reservation(word: &str) -> bool {
    is_negation(word) && !matches!(word, "and" | "和" | "与")
        || matches!(word, "if" | "unless" | "until" | "s" | "的")
        || word.chars().any(|char| "若如但的".contains(char))
}

/// Forms of address before a name, and behind it.
pub(super) const TITLES: [&str; 38] = [
    "mr", "mrs", "ms", "miss", "mister", "missus", "sir", "lady", "lord", "dame", "madam", "maam",
    "master", "mistress", "dr", "doctor", "old", "young", "dear", "captain", "sister", "brother",
    "father", "mother", "uncle", "aunt", "little", "poor", "major", "colonel", "general",
    "sergeant", "professor", "judge", "reverend", "inspector", "countess", "baron",
];

/// Whether a word stands before a name and can't stand for it.
pub fn is_title(word: &str) -> bool {
    TITLES.contains(&&*word.to_lowercase())
}
pub(super) const TITLES_BEHIND: [&str; 24] = [
    "先生", "女士", "小姐", "太太", "夫人", "大人", "师傅", "老板", "公子", "姑娘", "大哥", "大姐",
    "叔叔", "阿姨", "同学", "君", "班主", "掌柜", "师父", "老爷", "婆婆", "奶奶", "爷爷", "师娘",
];

/// The only number that a few words say: "nine", "about nine", 八分, 十二.
pub(super) fn number_in_words(words: &[String]) -> Option<i64> {
    const FEW: usize = 4;
    if let [word] = words
        && ["zero", "零"].contains(&word.as_str())
    {
        return Some(0);
    }
    let are_few = words.len() <= FEW;
    let mut numbers = words.iter().filter_map(|word| number_word(word));
    let (first, second) = (numbers.next(), numbers.next());
    let number = match (first?, second) {
        (first, None) => first,
        (10, Some(ones)) if ones < 10 && numbers.next().is_none() => 10 + ones,
        (tens, Some(10)) => tens * 10 + numbers.next().unwrap_or_default(),
        _ => return None,
    };
    i64::try_from(number).ok().filter(|_| are_few)
}

pub(super) fn number_word(word: &str) -> Option<usize> {
    // One letter may be that of a list.
    let series = [
        "one two three four five six seven eight nine ten eleven twelve",
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "- ii iii iv - vi vii viii ix -",
        "一 二 三 四 五 六 七 八 九 十",
        "甲 乙 丙 丁 戊 己 庚 辛 壬 癸",
    ];
    let place = |words: &str| words.split(' ').position(|known| known == word);
    series
        .iter()
        .find_map(|words| place(words))
        .map(|index| index + 1)
}
