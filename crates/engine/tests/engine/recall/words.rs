//! The words of the conversations. The things are nouns for artifacts that WordNet's definitions
//! use at least 25 times, in the order of their SHA-256, without those that nobody has at home; the
//! Chinese ones are their translations. The sentences know nothing of the lists of recall.

use super::talk::{Deed, Tongue};

macro_rules! deeds {
    ($([$($says:literal),*], $plain:literal, $reworded:literal, $when:literal, $dated:literal, $cue:literal;)*) => {
        &[$(Deed {
            says: &[$($says),*], plain: $plain, reworded: $reworded, when: $when, dated: $dated, cue: $cue,
        }),*]
    };
}

pub(crate) const ENGLISH: Tongue = Tongue {
    name: "en",
    people: ["Mara", "Tobin", "Ilse"],
    things: &[
        "mirror", "balloon", "pan", "violin", "curtain", "mat", "tube", "microscope", "toy",
        "helmet", "basin", "hat", "cord", "cart", "piano", "suit", "lever", "truck", "boat", "box",
        "drum", "tank", "umbrella", "tent", "car", "cake", "bus", "airplane", "cannon", "door",
        "panel", "linen",
    ],
    places: &[
        "behind the church", "at the station", "in the cellar", "at the market", "in the attic",
        "by the river", "at my uncle's", "in the garage", "at the bakery", "near the bridge",
        "at the office", "in the old barn", "at the lake", "on the roof",
    ],
    deeds: deeds![
        ["I bought the {x} {w}.", "The {x} is mine, I bought it {w}."], "Where did {p} buy the {x}?", "How did {p} come by the {x}, and from which shop?", "When did {p} buy the {x}?", "What did {p} buy in {t}?", "Where did you buy the {x}?";
        ["I lost the {x} {w}.", "The {x} is gone, I lost it {w}."], "Where did {p} lose the {x}?", "Since when has the {x} of {p} been missing?", "When did {p} lose the {x}?", "What did {p} lose in {t}?", "Where did you lose the {x}?";
        ["I found the {x} {w}.", "Guess where the {x} was, I found it {w}."], "Where did {p} find the {x}?", "Where did the {x} turn up again for {p}?", "When did {p} find the {x}?", "What did {p} find in {t}?", "Where did you find the {x}?";
        ["I broke the {x} {w}.", "My fault, I broke the {x} {w}."], "Where did {p} break the {x}?", "How was {p}'s {x} damaged?", "When did {p} break the {x}?", "What did {p} break in {t}?", "Where did you break the {x}?";
        ["I painted the {x} {w}.", "All day I painted the {x} {w}."], "Where did {p} paint the {x}?", "Where did the {x} of {p} get its new colour?", "When did {p} paint the {x}?", "What did {p} paint in {t}?", "Where did you paint the {x}?";
        ["I sold the {x} {w}.", "I sold the {x} {w}, for next to nothing."], "Where did {p} sell the {x}?", "Who owns the {x} now that {p} let go of it for money?", "When did {p} sell the {x}?", "What did {p} sell in {t}?", "Where did you sell the {x}?";
        ["I hid the {x} {w}.", "Nobody knows, but I hid the {x} {w}."], "Where did {p} hide the {x}?", "Where is the {x} that {p} doesn't want anybody to see?", "When did {p} hide the {x}?", "What did {p} hide in {t}?", "Where did you hide the {x}?";
        ["I cleaned the {x} {w}.", "I cleaned the {x} {w} until it shone."], "Where did {p} clean the {x}?", "Where did {p} scrub the dirt off the {x}?", "When did {p} clean the {x}?", "What did {p} clean in {t}?", "Where did you clean the {x}?";
        ["I repaired the {x} {w}.", "It took hours, but I repaired the {x} {w}."], "Where did {p} repair the {x}?", "Where did {p} get the {x} to work again?", "When did {p} repair the {x}?", "What did {p} repair in {t}?", "Where did you repair the {x}?";
        ["I lent the {x} to somebody {w}.", "I lent the {x} to a stranger {w}."], "Where did {p} lend the {x} to somebody?", "Who has {p}'s {x} for a while?", "When did {p} lend the {x} to somebody?", "What did {p} lend in {t}?", "Where did you lend the {x} to somebody?";
    ],
    kept: &[
        "From today I keep the {x} {w}.",
        "I moved the {x} again, I keep it {w} now.",
        "The {x} has a new home: I keep it {w}.",
    ],
    where_kept: "Where does {p} keep the {x} now?",
    several: "What do we know of {p}'s {x}?",
    answers: &[
        "{w}, of all places.",
        "Oh, {w}.",
        "I think it was {w}, but don't ask me for details.",
    ],
    told: &[
        "{s}",
        "{s}",
        "{s} That was yesterday.",
        "Last week was long. {s}",
        "So, {s}",
        "{s} I'm still tired.",
        "You won't like it. {s}",
        "Listen: {s}",
    ],
    small: &[
        "How have you been?",
        "I can't complain.",
        "Did you ever want a {x}?",
        "I dreamed of a {x} last night.",
        "My neighbour talks of nothing but his {x}.",
        "The weather is awful.",
        "What do you think of that {x}?",
        "You always say that.",
        "I read something about a {x} in the paper.",
        "Work is endless at the moment.",
        "Somebody left a {x} in front of my house.",
        "I'm glad that you are here.",
        "A {x} costs a fortune these days.",
        "Let's talk of something else.",
        "My sister drew a {x} for me.",
        "That's kind of you.",
        "Was there a {x} in that film?",
        "I slept badly.",
    ],
    months: [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ],
    date: "{d} {m}, {y}",
    month: "{m} {y}",
};

pub(crate) const CHINESE: Tongue = Tongue {
    name: "zh",
    people: ["林乔", "何远", "苏梅"],
    things: &[
        "镜子", "气球", "平底锅", "小提琴", "窗帘", "垫子", "管子", "显微镜", "玩具", "头盔",
        "脸盆", "帽子", "绳子", "推车", "钢琴", "西装", "杠杆", "卡车", "小艇", "箱子", "大鼓",
        "水箱", "雨伞", "帐篷", "汽车", "蛋糕", "公交车", "飞机", "大炮", "木门", "面板", "床单",
    ],
    places: &[
        "教堂后面", "车站", "地窖", "集市", "阁楼", "河边", "舅舅家", "车库", "面包店", "桥头",
        "办公室", "旧谷仓", "湖边", "屋顶上",
    ],
    deeds: deeds![
        ["我在{w}买了那个{x}。", "那个{x}归我了，在{w}买的。"], "{p}在哪儿买了{x}？", "{p}的{x}是从哪家店得来的？", "{p}什么时候买的{x}？", "{p}在{t}买了什么？", "那个{x}你在哪儿买的？";
        ["我在{w}把{x}弄丢了。", "{x}没了，在{w}弄丢的。"], "{p}在哪儿弄丢了{x}？", "{p}的{x}是在什么地方不见的？", "{p}什么时候弄丢了{x}？", "{p}在{t}弄丢了什么？", "{x}你在哪儿弄丢的？";
        ["我在{w}找到了{x}。", "猜猜{x}在哪儿，我在{w}找到的。"], "{p}在哪儿找到了{x}？", "{p}的{x}后来在什么地方又露面了？", "{p}什么时候找到的{x}？", "{p}在{t}找到了什么？", "{x}你在哪儿找到的？";
        ["我在{w}把{x}打破了。", "怪我，在{w}把{x}打破了。"], "{p}在哪儿打破了{x}？", "{p}的{x}怎么会坏成那样？", "{p}什么时候打破了{x}？", "{p}在{t}打破了什么？", "{x}你在哪儿打破的？";
        ["我在{w}给{x}上了漆。", "一整天都在{w}给{x}上漆。"], "{p}在哪儿给{x}上了漆？", "{p}的{x}是在什么地方换了颜色的？", "{p}什么时候给{x}上了漆？", "{p}在{t}给什么上了漆？", "{x}你在哪儿上的漆？";
        ["我在{w}把{x}卖了。", "{x}在{w}卖了，几乎白送。"], "{p}在哪儿卖了{x}？", "{p}拿{x}换了钱，是跟谁换的？", "{p}什么时候卖的{x}？", "{p}在{t}卖了什么？", "{x}你在哪儿卖的？";
        ["我把{x}藏在{w}了。", "谁也不知道，{x}我藏在{w}。"], "{p}把{x}藏在哪儿了？", "{p}不想让人看见的{x}放在什么地方？", "{p}什么时候藏的{x}？", "{p}在{t}藏了什么？", "{x}你藏在哪儿了？";
        ["我在{w}擦了{x}。", "我在{w}擦{x}，擦得锃亮。"], "{p}在哪儿擦了{x}？", "{p}是在什么地方去掉{x}上的灰的？", "{p}什么时候擦的{x}？", "{p}在{t}擦了什么？", "{x}你在哪儿擦的？";
        ["我在{w}修好了{x}。", "花了好几个钟头，总算在{w}修好了{x}。"], "{p}在哪儿修好了{x}？", "{p}在什么地方让{x}又能用了？", "{p}什么时候修好的{x}？", "{p}在{t}修好了什么？", "{x}你在哪儿修好的？";
        ["我在{w}把{x}借给人了。", "我在{w}把{x}借给一个陌生人。"], "{p}在哪儿把{x}借给人了？", "{p}的{x}暂时在谁手里？", "{p}什么时候把{x}借给人的？", "{p}在{t}借出了什么？", "{x}你在哪儿借出去的？";
    ],
    kept: &[
        "从今天起{x}放在{w}。",
        "我又挪了{x}，如今放在{w}。",
        "{x}有了新地方，放在{w}。",
    ],
    where_kept: "{p}的{x}如今放在哪儿？",
    several: "关于{p}的{x}，我们知道些什么？",
    answers: &["偏偏是{w}。", "哦，{w}。", "好像是{w}，细节别问我。"],
    told: &[
        "{s}",
        "{s}",
        "昨天的事：{s}",
        "上周真长。{s}",
        "对了，{s}",
        "{s}到现在还累。",
        "你听了别生气，{s}",
        "听着，{s}",
    ],
    small: &[
        "你最近怎么样？",
        "没什么可抱怨的。",
        "你想过要个{x}吗？",
        "昨晚梦见了{x}。",
        "邻居成天说他的{x}。",
        "天气糟透了。",
        "你觉得那个{x}怎么样？",
        "你老这么说。",
        "报上有一篇讲{x}的。",
        "最近活儿干不完。",
        "有人把{x}扔在我家门口。",
        "你在就好。",
        "现在一个{x}贵得很。",
        "说点别的吧。",
        "妹妹给我画了个{x}。",
        "你真好。",
        "那部电影里有{x}吗？",
        "没睡好。",
    ],
    months: [
        "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12",
    ],
    date: "{y}年{m}月{d}日",
    month: "{y}年{m}月",
};
