//! What models put around prose that is no part of it: fences, envelopes of JSON, announcements,
//! headings, remarks to the reader, the question itself, and the same sentences for ever.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

use super::SplitText;
use super::json::find_json;

/// How many layers are taken off.
const MAX_LAYERS: usize = 8;
/// A line that only announces a text, or a remark about one, has no more characters.
const ASIDE: usize = 200;
/// A heading without marks has no more characters.
const TITLE: usize = 60;
/// A shorter line may occur in the question by chance.
const ECHO: usize = 12;
/// With fewer sentences, nothing is called a repetition.
const FEW_SENTENCES: usize = 4;
/// What is repeated to the end of a text this often, and fills this many characters, has no end.
const LOOPS: usize = 4;
const LOOPED: usize = 48;

/// How models begin that speak to their reader.
const GREETINGS: Words = Words(
    "sure|certainly|of course|absolutely|okay|ok|alright|all right|great|understood|got it|\
    as requested|as you wish|i'd be happy to|i would be happy to|i'd be glad to|happy to|\
    thank you for|thanks for|i apologize|my apologies|非常抱歉|很抱歉|抱歉|已修正|\
    好的|好，|好！|当然|没问题|可以|明白|收到|遵命|很高兴|按照您|\
    按照你|根据您|根据你",
);
/// How models hand over what they wrote.
const PRESENTING: Words = Words(
    "here is|here's|here are|here you go|here it is|below is|this is|the following|以下|下面|\
    这是|如下|这里是",
);
/// What models call that.
const TEXTS: Words = Words(
    "description|opening|text|version|scene|summary|epilogue|announcement|narration|account|\
    memory|response|paragraph|passage|reflection|draft|attempt|rewrite|closing|answer|reply|\
    output|描述|描写|正文|文字|回答|回复|总结|版本|内容|段落|开场|结尾|叙述|通报|回忆|答案|\
    旁白|场景|尾声|独白|思考|记忆|monologue|memories|account|speech|dialogue|body|thought|台词|\
    对白|发言",
);
/// The names under which models write narration.
const ROLES: Words = Words("narrator|assistant|ai|gm|game master|dm|旁白|助手|解说|主持人");
/// How models begin to speak as a character instead of speaking.
const SPEAKING: Words = Words(
    "what i'd say|what i would say|i'd say|i would say|i'd reply|i would reply|i'd think|\
    i would think|as the character|in character|my line|my reply|我会说|我会这样说|作为角色|作为这个角色|我的回答",
);
/// What a text is called, and models write before it.
const TITLES: Words = Words("title:|标题：|标题:");
/// How models begin that hand over what they wrote, and speak of what was asked.
const HOPES: Words =
    Words("i hope this|i hope that helps|hope this|希望这|希望对|希望您喜欢|希望你喜欢");
const ASKED: Words = Words("request|as asked|as you asked|instruct|the prompt|要求|指示");
/// How models offer to go on, or speak of what they wrote.
const OFFERS: Words = Words(
    "would you like me|do you want me|let me know|i hope this|i hope that helps|feel free|\
    is there anything|please let me know|if you'd like, i|if you would like, i|if you want, i|\
    is this what you|what do you do|what would you like|what happens next|接下来会|希望这|希望对|如果需要|如需|需要我|是否需要|要我继续|请告诉我|是否要",
);
/// What begins a remark in brackets.
const REMARKS: Words = Words(
    "ooc|out of character|out-of-character|note:|author's note|word count|end of|\
    to be continued|注：|注:|完）|完】|待续|the end)|字数|出戏|备注|说明：|全文完|未完待续",
);
/// Offers that are known at the end of a paragraph, too.
const PLAIN_OFFERS: Words = Words(
    "would you like me to|do you want me to|let me know if you'd like|\
    let me know if you would like|let me know if you want|需要我继续|要我继续|是否需要我",
);
/// How models ask for a task instead of writing.
const ASKING: Words = Words(
    "would you like me to|you would like me to|you'd like me to|could you please|please provide|\
    您希望我|您想让我|请提供|请告诉我您",
);
/// Words of a question to the reader: whom and what it speaks of.
const READER: Words = Words("you|your|shall i|should i|can i|anything|你|您|我");
const TASK: Words = Words(
    "continue|go on|proceed|more|else|change|adjust|revise|add|expand|long enough|another|\
    继续|修改|调整|更多|补充|这样",
);
/// How models begin when they look back on what they wrote.
const SUMMING: Words =
    Words("in summary|in conclusion|overall, this|to sum up|以上|综上|总的来说|总之，这|本段|这段");
/// What is counted of a text.
const COUNTED: Words = Words("word|character|sentence|token|字|句");
pub(super) const QUOTES: [char; 5] = ['"', '“', '”', '「', '」'];
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('（', '）'), ('【', '】')];

/// What an answer in prose is read with.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProseFrame<'a> {
    pub writer: &'a str,
    pub question: &'a str,
}

impl ProseFrame<'_> {
    /// A text without what was put around it; empty if nothing is left.
    pub fn unwrapped<'t>(&self, raw: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(raw.trim());
        for _ in 0..MAX_LAYERS {
            let Some(inner) = self.without_layer(&text) else {
                break;
            };
            text = Cow::Owned(inner.trim().to_owned());
        }
        text
    }

    /// The text without its outermost layer; `None` if it has none.
    fn without_layer(&self, text: &str) -> Option<String> {
        let layers: [fn(&str) -> Option<String>; 12] = [
            before_next_turn, fenced, enveloped, tagged, quoted, announced, headed, unmarked,
            remarked, asking, in_brackets, within_tokens,
        ];
        let echo = self.without_echo(text);
        echo.or_else(|| layers.into_iter().find_map(|layer| layer(text)))
            .or_else(|| self.without_writer(text).map(str::to_owned))
            .or_else(|| without_repetition(text))
    }

    /// The text without the writer's name before it.
    fn without_writer<'t>(&self, text: &'t str) -> Option<&'t str> {
        let rest = after_name(text, self.writer)?;
        (!rest.trim().is_empty()).then_some(rest)
    }

    /// The text without the question before it.
    fn without_echo(&self, text: &str) -> Option<String> {
        let first = text.lines().next()?.trim();
        if !self.question.contains(sentences(first).next()?.trim()) {
            return None;
        }
        let asked: BTreeSet<_> = self.question.lines().map(str::trim).collect();
        let paragraphs = self.question.trim().rsplit("\n\n");
        let instruction = paragraphs.map(str::trim).next().unwrap_or_default();
        let is_echo = |line: &&str| line.trim().is_empty() || asked.contains(line.trim());
        let echoed: Vec<_> = text.lines().take_while(is_echo).map(str::trim).collect();
        let is_long = |line: &str| line.chars().count() >= ECHO;
        let is_all = echoed.len() == text.lines().count();
        let is_told = |line: &str| is_long(line) && (is_all || instruction.contains(line));
        if echoed
            .iter()
            .any(|line| line.starts_with('#') || is_told(line))
        {
            let rest: Vec<_> = text.lines().skip(echoed.len()).collect();
            return Some(rest.join("\n"));
        }
        let first = sentences(text).next()?.trim();
        let is_instruction = is_long(first) && instruction.contains(first);
        let rest = text.strip_prefix(first).filter(|_| is_instruction)?;
        Some(rest.to_owned())
    }
}

/// Takes off what models put around the texts of an answer in JSON. A text of which nothing is left
/// becomes dots. Returns whether anything changed.
pub(crate) fn tidy_texts(answer: &mut Value) -> bool {
    match answer {
        Value::String(text) => {
            let layers = [
                unmarked, before_next_turn, enveloped, before_members, announced, remarked,
                in_brackets, in_quotes, within_tokens, without_loop,
            ];
            let mut tidied = None;
            for _ in 0..MAX_LAYERS {
                let text = tidied.as_deref().unwrap_or(text.as_str());
                let Some(inner) = layers.iter().find_map(|layer| layer(text)) else {
                    break;
                };
                tidied = Some(inner.trim().to_owned());
            }
            let is_changed = tidied.is_some();
            if let Some(tidied) = tidied {
                *text = if tidied.is_empty() {
                    "…".to_owned()
                } else {
                    tidied
                };
            }
            is_changed
        }
        // Recursive: the depth is that of JSON that was read.
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |any, item| tidy_texts(item) | any),
        Value::Object(members) => members
            .values_mut()
            .fold(false, |any, member| tidy_texts(member) | any),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The text without bold type and tags of HTML.
fn unmarked(text: &str) -> Option<String> {
    if !text.contains('<') && !text.contains("**") {
        return None;
    }
    let mut parts = text.split('<');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let tag = part.split_once('>').filter(|(name, _)| is_tag(name));
        match tag {
            Some((_, rest)) => plain.push_str(rest),
            None => {
                plain.push('<');
                plain.push_str(part);
            }
        }
    }
    let is_bold = plain.matches("**").count().is_multiple_of(2);
    let plain = if is_bold {
        plain.replace("**", "")
    } else {
        plain
    };
    (plain != text).then_some(plain)
}

/// Whether a tag of HTML that sets type has this name: `br`, `/b`, `p`.
fn is_tag(name: &str) -> bool {
    let name = name.trim_matches(['/', ' ']).to_ascii_lowercase();
    let tags = [
        "br", "b", "i", "p", "em", "strong", "u", "hr", "span", "div", "center", "ul", "li",
    ];
    tags.contains(&name.as_str())
}

/// What follows a name and a colon at the beginning of a text, or a name on a line of its own.
pub(super) fn after_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let bare = text.trim_start_matches(['*', '_', '#', ' ', '[', '【']);
    let begins = bare.get(..name.len()).filter(|_| !name.is_empty())?;
    let rest = bare.get(name.len()..)?;
    if begins.to_lowercase() != name.to_lowercase() {
        return None;
    }
    let after = rest.trim_start_matches(['*', '_', ' ', ']', '】']);
    // A stage direction may stand between.
    let direction = after
        .strip_prefix(['(', '（'])
        .and_then(|rest| rest.split_once([')', '）']));
    let label_end = direction.map_or(after, |(_, rest)| rest.trim_start());
    let said = label_end.strip_prefix([':', '：', '\n'])?;
    Some(said.trim_start_matches(['*', '_']).trim_start())
}

/// What stands in the only fence, if that is most of the text, or in one without an end.
fn fenced(text: &str) -> Option<String> {
    let (before, rest) = text.split_once("```")?;
    let (inside, after) = rest.split_once("```").unwrap_or((rest, ""));
    // What stands behind the opening fence on its line names a language.
    let (_, inside) = inside.split_once('\n')?;
    let is_most = inside.len() > before.len() + after.len();
    (is_most && !after.contains("```")).then(|| inside.to_owned())
}

/// The text in an envelope: all of it is JSON, in which other texts are at most its title.
fn enveloped(text: &str) -> Option<String> {
    let value = match text.chars().next()? {
        '{' => find_json(text).ok()?.value,
        '[' => serde_json::from_str(text).ok()?,
        _ => return None,
    };
    let mut texts = Vec::new();
    gather(&value, &mut texts);
    let all: usize = texts.iter().map(|text| text.len()).sum();
    let longest = texts.into_iter().max_by_key(|text| text.len())?;
    (longest.len() * 5 > all * 4).then(|| longest.to_owned())
}

fn gather<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    // Recursive: the depth is that of JSON that was read.
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| gather(item, texts)),
        Value::Object(members) => members.values().for_each(|member| gather(member, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The text in the only quotation marks, or the only emphasis, if that is around all of it.
fn quoted(text: &str) -> Option<String> {
    let pairs = [
        ("\"", "\""),
        ("“", "”"),
        ("「", "」"),
        ("**", "**"),
        ("*", "*"),
    ];
    let inner = pairs.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        (!inner.contains(open) && !inner.contains(close)).then_some(inner)
    })?;
    // A single sentence may be what a character says, or does.
    let is_text =
        sentences(inner).nth(1).is_some() || text.starts_with('*') && letters(inner) > 2 * ECHO;
    is_text.then(|| inner.to_owned())
}

/// The words in the only quotation marks, if those are around all of a text.
fn in_quotes(text: &str) -> Option<String> {
    let pairs = [('"', '"'), ('“', '”'), ('「', '」')];
    pairs.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(*open)?.strip_suffix(*close)?;
        // A few words are a name.
        let is_said = is_spoken(inner) || letters(inner) > 2 * ECHO;
        (is_said && !inner.contains([*open, *close])).then(|| inner.to_owned())
    })
}

/// The text in a pair of tags, or in lines that are marked as a quotation.
fn tagged(text: &str) -> Option<String> {
    let lines = text
        .lines()
        .map(|line| line.strip_prefix('>'))
        .map(|line| line.map(str::trim))
        .collect::<Option<Vec<_>>>();
    if let Some(lines) = lines.filter(|lines| !lines.is_empty()) {
        return Some(lines.join("\n"));
    }
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    let inner = rest.strip_suffix('>')?.strip_suffix(name)?;
    inner.strip_suffix("</").map(str::to_owned)
}

/// What follows the words that announce a text, on a line of their own or before a colon.
fn announced(text: &str) -> Option<String> {
    if let Some((line, rest)) = text.split_once('\n')
        && announces(
            line,
            rest.starts_with(['\n', '`', '{']) || rest.starts_with("\r\n"),
        )
    {
        return Some(without_farewell(rest).to_owned());
    }
    if !text.contains('\n') && text.ends_with([':', '：']) && announces(text, true) {
        return Some(String::new());
    }
    let (before, rest) = text.split_once([':', '：'])?;
    if before.chars().nth(ASIDE).is_some() {
        return None;
    }
    let plain = plain(before);
    let is_announcement =
        !before.contains('\n') && PRESENTING.are_in(&plain) && TEXTS.are_in(&plain);
    let is_label = TEXTS.have(&plain) || ROLES.have(&plain);
    let is_speaking = before.chars().nth(TITLE).is_none() && SPEAKING.are_in(&plain);
    let is_apart = is_announcement || is_label || is_speaking;
    (is_apart && !rest.trim().is_empty()).then(|| rest.to_owned())
}

/// A text that was announced without its last paragraph, if that alone speaks to the reader.
fn without_farewell(text: &str) -> &str {
    match text.trim_end().rsplit_once("\n\n") {
        Some((rest, last))
            if last.chars().count() <= ASIDE
                && !has_speech(last)
                && READER.are_in(&plain(last))
                && !READER.are_in(&plain(rest)) =>
        {
            rest
        }
        _ => text,
    }
}

/// Whether a line only announces what follows it, after an empty line or at once.
fn announces(line: &str, is_apart: bool) -> bool {
    if line.chars().nth(ASIDE).is_some() {
        return false;
    }
    let line = plain(line);
    let greets = GREETINGS.begin(&line);
    let presents = PRESENTING.begin(&line);
    let speaks_of_text = TEXTS.are_in(&line);
    if line.ends_with([':', '：']) {
        let greeting = greets.is_some_and(|rest| count_words(rest) <= 3);
        let presenting = presents.is_some_and(|rest| count_words(rest) <= 1);
        let label = is_apart && count_words(&line) <= 6;
        return greeting
            || presenting
            || greets.is_some_and(|rest| PRESENTING.are_in(rest))
            || speaks_of_text && (greets.is_some() || PRESENTING.are_in(&line) || label);
    }
    line.ends_with(['!', '！', '.', '。', '~'])
        && greets
            .is_some_and(|rest| count_words(rest) <= 2 || PRESENTING.are_in(rest) && speaks_of_text)
}

/// The text without a heading before it, and without its lines with marks of headings.
fn headed(text: &str) -> Option<String> {
    let lines: Vec<_> = text.lines().filter(|line| !is_heading(line)).collect();
    if lines.len() < text.lines().count() {
        return Some(lines.join("\n"));
    }
    let (first, rest) = text.split_once("\n\n")?;
    let is_title = !first.contains('\n')
        && first.chars().count() <= TITLE
        && first.ends_with(char::is_alphanumeric)
        && letters(rest) > 2 * letters(first);
    is_title.then(|| rest.to_owned())
}

/// Whether a line begins with `#`, is a rule, or is bold or in title brackets and no sentence.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    let marks = line.trim_start_matches('#');
    let is_marked = marks.len() < line.len() && (marks.starts_with(' ') || marks.is_empty());
    let is_rule = line.chars().count() >= 3
        && ["-", "*", "_", "=", "—"]
            .iter()
            .any(|mark| line.trim_matches(|c| mark.contains(c)).is_empty());
    let is_between = [("**", "**"), ("__", "__"), ("【", "】"), ("《", "》")]
        .iter()
        .any(|(open, close)| {
            let inner = line
                .trim_end_matches([':', '：'])
                .strip_prefix(open)
                .and_then(|line| line.strip_suffix(close));
            inner.is_some_and(|inner| {
                !inner.is_empty() && !inner.contains(close) && !inner.ends_with(ends_sentence)
            })
        });
    is_marked || is_rule || is_between || TITLES.begin(&plain(line)).is_some()
}

/// The text without a remark to the reader, before or after it.
fn remarked(text: &str) -> Option<String> {
    let in_brackets = BRACKETS
        .iter()
        .find_map(|brackets| without_aside(text, *brackets));
    if let Some(rest) = in_brackets {
        return Some(rest.to_owned());
    }
    if let Some((rest, last)) = text.rsplit_once("\n\n")
        && is_offer(last)
    {
        return Some(rest.to_owned());
    }
    if let Some((rest, last)) = text.trim_end().rsplit_once(' ')
        && last.starts_with('#')
    {
        return Some(rest.to_owned());
    }
    // Sentences take long to find, and few texts begin so.
    if begins_aside(&plain(text.get(..text.floor_char_boundary(ASIDE))?)) {
        let mut sentences = sentences(text);
        if let (Some(first), Some(_)) = (sentences.next(), sentences.next())
            && is_aside(first)
        {
            return text.strip_prefix(first).map(str::to_owned);
        }
    }
    let last_but_end = text.trim_end_matches(ends_sentence);
    let (at, end) = last_but_end
        .char_indices()
        .rfind(|(_, c)| ends_sentence(*c))?;
    let (rest, last) = text.split_at(at + end.len_utf8());
    let offers = last.chars().nth(ASIDE).is_none() && PLAIN_OFFERS.begin(&plain(last)).is_some();
    offers.then(|| rest.to_owned())
}

/// Whether the first sentence hands over what follows it, or is a note about what was asked.
fn is_aside(first: &str) -> bool {
    let first = plain(first);
    begins_aside(&first) && (HOPES.begin(&first).is_some() || ASKED.are_in(&first))
}

fn begins_aside(words: &str) -> bool {
    HOPES.begin(words).is_some() || REMARKS.begin(words).is_some()
}

/// The text without a remark in brackets at its end or at its beginning.
fn without_aside(text: &str, (open, close): (char, char)) -> Option<&str> {
    if text.ends_with(close)
        && let Some(at) = text.rfind(open)
    {
        let rest = text.get(..at)?.trim_end_matches(open);
        return is_remark(text.get(rest.len()..)?, open).then_some(rest);
    }
    let (aside, rest) = text.split_once(close).filter(|_| text.starts_with(open))?;
    is_remark(aside, open).then(|| rest.trim_start_matches(close))
}

/// Whether words in brackets are about the text: in doubled ones, begun as remarks are, or a count.
fn is_remark(aside: &str, open: char) -> bool {
    let inner = aside.trim_start_matches(open);
    let words = plain(inner);
    let is_doubled = aside.len() - inner.len() > open.len_utf8();
    let is_count = words.contains(|c: char| c.is_ascii_digit()) && COUNTED.are_in(&words);
    is_doubled || is_count || REMARKS.begin(&words).is_some()
}

/// Whether a paragraph offers the reader something, or asks the reader a question.
fn is_offer(paragraph: &str) -> bool {
    let plain_paragraph = plain(paragraph);
    let words = plain_paragraph.trim_start_matches(['(', '（', '[', '【']);
    let asks = words.ends_with(['?', '？']) && sentences(words).count() == 1;
    words.chars().count() <= ASIDE
        && (OFFERS.begin(words).is_some()
            || REMARKS.begin(words).is_some()
            || SUMMING.begin(words).is_some() && !has_speech(words)
            || paragraph
                .split_whitespace()
                .all(|word| word.starts_with('#'))
            || asks && READER.are_in(words) && TASK.are_in(words))
}

/// What stands before members of the answer that got into the text: `Go.", "wait": {}`.
fn before_members(text: &str) -> Option<String> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '”' | '“');
    let is_end = |rest: &str| {
        let rest = rest.trim_start_matches(['}', ']', ' ', '\n']);
        match rest.strip_prefix(',') {
            Some(rest) => {
                let (name, after) = rest.split_once(':').unwrap_or_default();
                let is_short = name.len() < TITLE && !after.is_empty();
                is_short && name.trim().starts_with(['"', '“']) && name.trim().chars().all(is_name)
            }
            None => rest.is_empty(),
        }
    };
    let mut marks = text.match_indices(['"', '”']);
    let (at, _) = marks.find(|(at, mark)| {
        let rest = text.get(at + mark.len()..).unwrap_or_default();
        rest.trim_start().starts_with(['}', ',', ']']) && is_end(rest)
    })?;
    text.get(..at).map(str::to_owned)
}

/// What stands before another turn of the conversation that the model made up.
fn before_next_turn(text: &str) -> Option<String> {
    if !text.contains('\n') {
        return None;
    }
    let turns = [
        "\n### Instruction", "\n### Human", "\n### User", "\n### Input", "\nHuman:", "\nUser:",
        "\nAssistant:", "\n用户：", "\n助手：",
    ];
    let at = turns.iter().filter_map(|turn| text.find(turn)).min()?;
    text.get(..at).map(str::to_owned)
}

/// Nothing, if a short text only asks what to write.
fn asking(text: &str) -> Option<String> {
    let words = plain(text);
    let is_short = text.chars().nth(ASIDE).is_none() && !text.contains("\n\n");
    let asks = words.ends_with(['?', '？']) || GREETINGS.begin(&words).is_some();
    (is_short && asks && ASKING.are_in(&words) && !has_speech(text)).then(String::new)
}

/// A text without special tokens around it, which may stand within its envelope.
fn within_tokens(text: &str) -> Option<String> {
    let is_token = text.starts_with("<|") || text.ends_with("|>");
    let inner = is_token.then(|| SplitText::of(text).text)?;
    (inner != text).then_some(inner)
}

/// Nothing, if the text is only a placeholder: `[Insert description here]`.
fn in_brackets(text: &str) -> Option<String> {
    let inner = text.strip_prefix(['[', '<'])?.strip_suffix([']', '>'])?;
    (!inner.contains(['[', ']', '<', '>', '\n'])).then(String::new)
}

/// A line as it is compared: in lower case, without marks around it.
fn plain(line: &str) -> String {
    let line = line.trim_matches(|c: char| matches!(c, '*' | '_' | '#' | '>') || c.is_whitespace());
    line.to_lowercase().replace('’', "'")
}

/// Words, with `|` between them.
struct Words(&'static str);

impl Words {
    /// What follows one of them at the beginning of a text.
    fn begin<'t>(&self, text: &'t str) -> Option<&'t str> {
        let is_letter = |c: char| c.is_ascii_alphanumeric();
        self.0.split('|').find_map(|words| {
            let rest = text.strip_prefix(words)?;
            let goes_on = words.ends_with(is_letter) && rest.starts_with(is_letter);
            (!goes_on).then_some(rest)
        })
    }

    fn have(&self, text: &str) -> bool {
        self.0.split('|').any(|words| words == text)
    }

    fn are_in(&self, text: &str) -> bool {
        self.0.split('|').any(|word| has_word(text, word))
    }
}

/// Whether a word occurs, or one that begins with it.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        !word.is_ascii() || !before.ends_with(|c: char| c.is_alphanumeric())
    })
}

/// The number of words; two Chinese characters are about one.
fn count_words(text: &str) -> usize {
    let han = text.chars().filter(|c| is_han(*c)).count();
    let words = text
        .unicode_words()
        .filter(|word| !word.starts_with(is_han));
    words.count() + han.div_ceil(2)
}

pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
}

/// How much a text says, in letters and digits; a Chinese character says about as much as three.
pub fn letters(text: &str) -> usize {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.map(|c| if is_han(c) { 3 } else { 1 }).sum()
}

/// The sentences of a text, with the white space after each; none ends within quotation marks, or
/// after a short form such as `Mr.`.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut bounds = text.split_sentence_bounds();
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = 0;
        let whole = bounds.by_ref().find_map(|part| {
            end += part.len();
            let sentence = rest.get(..end)?;
            let is_apart = sentence.ends_with('\n');
            let ends = is_apart || !is_in_quotes(sentence) && !ends_with_short_form(sentence);
            ends.then_some(sentence)
        });
        let sentence = whole.unwrap_or(rest);
        rest = rest.get(sentence.len()..)?;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// Whether a text ends within quotation marks.
fn is_in_quotes(text: &str) -> bool {
    let count = |mark: char| text.matches(mark).count();
    count('“') > count('”') || count('「') > count('」') || count('"') % 2 == 1
}

fn ends_with_short_form(text: &str) -> bool {
    let Some(text) = text.trim_end().strip_suffix('.') else {
        return false;
    };
    let word = text
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let is_name = word.starts_with(|c: char| c.is_ascii_uppercase());
    is_name && (1..=3).contains(&word.len()) && word != "I"
}

pub(super) fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

/// A text up to its last whole sentence; `None` if it has none.
pub fn whole_sentences(text: &str) -> Option<&str> {
    let is_close = |c: char| matches!(c, '"' | '”' | '’' | '」' | '』' | '）' | ')' | '*' | '`');
    let text = text.trim_end();
    let ends = text.char_indices().rev().filter(|(_, c)| ends_sentence(*c));
    let mut wholes = ends.filter_map(|(at, end)| {
        let rest = text.get(at + end.len_utf8()..)?;
        let after = rest.trim_start_matches(is_close);
        let is_end = !end.is_ascii() || after.is_empty() || after.starts_with(char::is_whitespace);
        let whole = text.get(..text.len() - after.len())?;
        (is_end && !ends_with_short_form(whole)).then_some(whole)
    });
    wholes.next()
}

/// What is said before a text repeats itself to its end.
fn without_loop(text: &str) -> Option<String> {
    looped(text).map(|once| whole_sentences(once).unwrap_or(once).to_owned())
}

/// What is left of a text that says the same again and again; `None` if it does not.
fn without_repetition(text: &str) -> Option<String> {
    if let Some(once) = looped(text) {
        return Some(whole_sentences(once).unwrap_or_default().to_owned());
    }
    let mut sentences: Vec<_> = sentences(text).collect();
    let count = sentences.len();
    sentences.dedup_by(|next, last| letters(next) >= ECHO * 2 && plain(next) == plain(last));
    if sentences.len() < count {
        return Some(sentences.concat());
    }
    let mut seen = BTreeSet::new();
    let mut is_new = |sentence: &&&str| seen.insert(plain(sentence));
    let new: Vec<_> = sentences.iter().filter(|s| is_new(s)).copied().collect();
    let is_repeated = sentences.len() >= FEW_SENTENCES && new.len() * 2 <= sentences.len();
    is_repeated.then(|| new.concat())
}

/// A text up to where it begins to repeat itself until its end; `None` if it does not.
pub(super) fn looped(text: &str) -> Option<&str> {
    let reversed: Vec<char> = text.chars().rev().collect();
    // The longest beginning of each part that is its end, too: what is left is the part's period.
    let mut borders = vec![0_usize; reversed.len()];
    let mut longest = None;
    for end in 1..reversed.len() {
        let mut border = *borders.get(end - 1)?;
        while border > 0 && reversed.get(border) != reversed.get(end) {
            border = *borders.get(border - 1)?;
        }
        border += usize::from(reversed.get(border) == reversed.get(end));
        *borders.get_mut(end)? = border;
        let (length, period) = (end + 1, end + 1 - border);
        if length >= LOOPED && length / period >= LOOPS {
            longest = Some(length - period);
        }
    }
    let again: usize = reversed.get(..longest?)?.iter().map(|c| c.len_utf8()).sum();
    text.get(..text.len() - again)
}

/// The text without the sentences in which one of these people speaks; `None` if there are none.
pub fn without_speech(text: &str, people: &[String]) -> Option<String> {
    if !text.contains(QUOTES) {
        return None;
    }
    let mut spoke = false;
    let is_silent = |sentence: &&str| {
        // The last speaker goes on without being named.
        spoke = has_speech(sentence) && (spoke || names_one(sentence, people));
        !spoke
    };
    let silent: String = sentences(text).filter(is_silent).collect();
    (silent.len() < text.len()).then(|| silent.trim().to_owned())
}

/// Whether a sentence has words in quotation marks that are spoken.
fn has_speech(sentence: &str) -> bool {
    sentence.split(QUOTES).skip(1).step_by(2).any(is_spoken)
}

/// Whether words in quotation marks end as a sentence does, or as a part of one.
pub(super) fn is_spoken(words: &str) -> bool {
    let is_end = |c: char| ends_sentence(c) || matches!(c, ',' | '，' | '—' | '-' | '~');
    letters(words) >= 2 && words.trim_end().ends_with(is_end)
}

/// Whether a character is named outside of quotation marks, in full or in part.
fn names_one(sentence: &str, people: &[String]) -> bool {
    let outside: Vec<_> = sentence
        .split(QUOTES)
        .step_by(2)
        .map(str::to_lowercase)
        .collect();
    people.iter().any(|name| {
        let name = name.to_lowercase();
        name.split_whitespace()
            .filter(|part| !matches!(*part, "the" | "of" | "a"))
            .filter(|part| !part.is_ascii() || part.len() > 2)
            .any(|part| outside.iter().any(|text| has_word(text, part)))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const EN: &str = "Fog lies on the green, and the rope of the well drips. Nothing stirs.";
    const ZH: &str = "雾气压在草地上，井绳一滴一滴地落水。四下里没有一点动静。";
    const QUESTION: &str = "# Day 2\n\nHere this morning: Ann Brook, the Miller.\n\nIn two to four sentences: how does the day begin here? Nobody speaks in your description.";

    fn unwrapped(raw: &str) -> Cow<'_, str> {
        let frame = ProseFrame {
            writer: "The Green",
            question: QUESTION,
        };
        frame.unwrapped(raw)
    }

    #[test]
    fn what_is_put_around_a_text_is_taken_off() {
        let wrappings = [
            "@",
            "Certainly! Here is the description you asked for:\n\n@\n\nShall I go on?",
            "Sure! Here's a description of the Green:\n@",
            "Sure thing!\n\n@",
            "Okay, here is my second attempt at the scene.\n\n@",
            "Here you go:\n\n@",
            "**Here is the scene:**\n\n@",
            "Certainly! Here is the description: @",
            "I'd be happy to help! Below is the description you requested:\n\n@",
            "I apologize for the confusion. Here is the corrected answer:\n\n@",
            "Certainly, here's a retelling of the fight, in the third person:\n\n@",
            "Description:\n\n@",
            "好的，这是描述：@",
            "非常抱歉，我理解错了。下面是修正后的内容：\n\n@",
            "根据清单，以下是沈豆娘的记忆：\n@",
            "@\n\n以上描写共两句，符合要求。",
            "@\n\nIn summary, the scene shows how everyone feels.",
            "@\n\n总的来说，这一段展现了众人的团结。",
            "@\n\n#fog #village",
            "@ #fog #village",
            "@（完）",
            "@\n\n*以上内容为虚构创作，请勿当真。*",
            "@\n\n### Instruction:\nGo on.\n\n### Response:\nNo more.",
            "好的，以下是您要的场景描写：\n\n@\n\n希望您喜欢！",
            "好的，以下是您要的场景描写：\n\n@\n\n希望您喜欢，需要我继续吗？",
            "当然可以！\n\n@",
            "以下是描写：\n@\n\n（字数：36字）",
            "{\"text\": \"@\"}",
            "{\"announcement\": \"@\", \"day\": 2}",
            "{\"title\": \"Fog\", \"description\": \"@\"}",
            "{'description': '@'}",
            "{\"response\": {\"content\": \"@\"}}",
            "[{\"text\": \"@\"}]",
            "Here is the opening:\n\n```json\n{\n  \"text\": \"@\"\n}\n```",
            "```\n@\n```",
            "```markdown\n## The Green\n\n@\n```\n\nLet me know if you'd like any changes!",
            "## The Green\n\n@",
            "**Day 2: The Green**\n\n@",
            "**The Green**\n@",
            "【草地】\n@",
            "The Green at Dawn\n\n@",
            "---\n\n@\n\n---",
            "The Green: @",
            "**The Green:** @",
            "The Green:\n@",
            "\"@\"",
            "“@”",
            "<answer><|begin_of_box|>@<|end_of_box|></answer>",
            "@\n\n((OOC: is this long enough?))",
            "@ (OOC: is this long enough?)",
            "@\n\n[OOC: I kept it short.]",
            "(Out of character: sure!)\n\n@",
            "@\n\n(Note: nobody speaks in this description.)",
            "@\n\n*(Word count: 14)*",
            "@\n\n（注：以上为原创描写。）",
            "@\n\nWould you like me to continue?",
            "@ Would you like me to continue?",
            "@\n\nIs this long enough for you?",
            "@\n\nLet me know if I should change anything.",
            "@\n\n---\n\nI hope this captures the mood you wanted!",
            "In two to four sentences: how does the day begin here? Nobody speaks in your description.\n\n@",
            "In two to four sentences: how does the day begin here? @",
            "Narrator: @",
            "As the character, I would say: @",
            "Title: Morning\nBody: @",
            "I hope this helps! @",
            "Note: I kept it short as requested. @",
            "@ [End of turn]",
            "@【完】",
            "@\n\n用户：继续\n助手：好。",
            "希望您喜欢！@",
            "作为这个角色，我会说：@",
            "@<|eot_id|>",
            "Output:\n\n@",
            "旁白：@",
            "<response>\n@\n</response>",
            "> @",
            "*@*",
            "@\n\nWhat do you do next?",
            "@\n\nWord count: 14",
            "# Day 2\n\nHere this morning: Ann Brook, the Miller.\n\n@",
        ];
        for (wrapping, text) in wrappings.iter().flat_map(|each| [(each, EN), (each, ZH)]) {
            let raw = wrapping.replace('@', text);
            assert_eq!(unwrapped(&raw), text, "{raw}");
        }
    }

    #[test]
    fn what_belongs_to_a_text_stays() {
        for text in [
            EN,
            ZH,
            "The list, in order of entry: Hollis, Marsh, Teasel. I have sharpened the pencil.",
            "Certainly the fog is thicker than yesterday: it has eaten the mill.",
            "Here is the thing: I went home. The bell did not.",
            "Of course my answer was: no. He knew it before I did.",
            "Okay, I said. Then I went home.",
            "I read the notice twice:\n\nNo boats today. No boats tomorrow. And underneath, small, my name.",
            "\"Eat your soup,\" I said. He ate. \"Good,\" I said.",
            "I said it: \"Come home.\" She did not.",
            "“回家吧。”我说。她没有应声。",
            "Silence.\n\nThen the bell, once, and nobody near the rope.",
            "I came home. The lamp was lit (he had promised that). I slept.",
            "What would you have done? I sat down.",
            "I waited by the door.\n\nWould you have gone in?",
            "*grins* I am at the head of my own stair.",
            "Again and again the rope drips. Again and again I count. It drips. It drips.",
            "对手：影班头、白面丑。我拿后背挡着四郎。结果：胜。",
            "梆、梆、梆——三更天喽！各家各户，摸摸自己脚底下！",
            "这是我等了十年的一夜：灯亮着，人没有来。",
            "可以说，天是慢慢亮的：先是瓦，后是水。",
        ] {
            assert_eq!(unwrapped(text), text);
        }
    }

    #[test]
    fn what_is_no_text_leaves_nothing() {
        let stuck = format!("I remember {}", "the ".repeat(90));
        for raw in [
            "",
            "[Insert description here]",
            QUESTION,
            "<description>",
            "Of course! Which place would you like me to describe, and in what mood?",
            "好的，请告诉我您想让我描写哪个地方？",
            "Sure! Here's the description of the Green you asked for:",
            &stuck,
        ] {
            assert_eq!(unwrapped(raw), "", "{raw}");
        }
    }

    #[test]
    fn what_is_said_again_and_again_is_said_once() {
        for text in [EN, ZH] {
            let cut = text.chars().take(20).collect::<String>();
            for raw in [
                format!("{text} ").repeat(120),
                format!("{text}\n").repeat(4),
                format!("{}{cut}", format!("{text} ").repeat(6)),
            ] {
                assert_eq!(unwrapped(&raw), text, "{raw}");
            }
            let stuck = format!("{text} {}", "and the rope ".repeat(80));
            assert_eq!(unwrapped(&stuck), text);
        }
    }

    #[test]
    fn texts_of_an_answer_in_json_are_tidied() {
        let mut answer = json!({
            "mind": "Sure! Here is my response: I wait. Let me know if you'd like more!",
            "speak": {"text": "Go **now**.<br> (OOC: sorry!)"},
            "cards": [{"name": "**Thrust**", "description": "[Description redacted]"}],
            "say": "{\"text\": \"Come with me now.\"}",
            "seen": "She nods.\", \"tells\": [\"the-lamp\"]}",
            "thoughts": [
                "Okay, here's what I'd say: No.", "\"Not yet.\"", "Not yet.<|eot_id|>",
                "Not yet. [End of turn]", "I, as the character, say: Not yet.",
            ],
        });
        assert!(tidy_texts(&mut answer));
        let tidy = json!({
            "mind": "I wait.",
            "speak": {"text": "Go now."},
            "cards": [{"name": "Thrust", "description": "…"}],
            "say": "Come with me now.",
            "seen": "She nods.",
            "thoughts": ["No.", "Not yet.", "Not yet.", "Not yet.", "Not yet."],
        });
        assert_eq!(answer, tidy);
        for text in [
            "Sure!", "3 < 4, and 5 > 4", "2 ** 3", "Here: take it.", "*nods* Go.",
        ] {
            assert!(!tidy_texts(&mut json!({"say": text})), "{text}");
        }
    }

    #[test]
    fn a_cut_text_ends_with_its_last_whole_sentence() {
        for (cut, whole) in [
            (
                "The court rises. The clerk would like it minuted that he",
                "The court rises.",
            ),
            ("“Go home.” She turned, and", "“Go home.”"),
            ("He paid Mr. Hollis. Then Mr. Ho", "He paid Mr. Hollis."),
            (
                "It cost 3.50 and he paid. He had 2.5",
                "It cost 3.50 and he paid.",
            ),
            ("天亮了。他还没有", "天亮了。"),
            ("“走吧！”她说着", "“走吧！”"),
        ] {
            assert_eq!(whole_sentences(cut), Some(whole));
        }
        assert_eq!(whole_sentences("no end at all"), None);
    }

    #[test]
    fn people_who_are_there_say_nothing() {
        let people = ["Ann Brook".to_owned(), "the Miller".into(), "沈豆娘".into()];
        let voices = [
            " The miller looks up and says, \"Nobody comes here now.\"",
            " “Go home,” Ann says. “It is late.”",
            " Mr. Hollis laughs, and Ann Brook whispers: “Hush.”",
            "沈豆娘抬头说：“今天没人来。”",
            "沈豆娘笑道：「散了吧。」",
        ];
        for voice in voices {
            for text in [EN, ZH] {
                let (before, after) = (format!("{text}{voice}"), format!("{voice} {text}"));
                assert_eq!(without_speech(&before, &people).as_deref(), Some(text));
                assert_eq!(without_speech(&after, &people).as_deref(), Some(text));
            }
        }
        for silent in [
            EN,
            "Over the door stands “The Lamp and Ledger”, and Ann waits below it.",
            "A voice in the well says, \"Come down.\"",
            "风一过，沈豆娘的竹签就“哗啦哗啦”地响。",
            "The annual fair is over. A drum says “boom!” far off.",
        ] {
            assert_eq!(without_speech(silent, &people), None, "{silent}");
        }
    }

    #[test]
    fn hostile_texts_are_read_in_time() {
        for part in [
            "(", "\"", "```\n", "**a**\n", "{\"a\":", "a. ", "\n\n", "Sure!\n",
        ] {
            let text = part.repeat(20_000 / part.len());
            assert!(unwrapped(&text).len() <= text.len());
            without_speech(&text, &["Ann".into()]);
        }
    }
}
