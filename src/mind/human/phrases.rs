//! What a person at a seat reads, in both languages of the interface.

use crate::mind::Language;

/// The phrases in one language.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeatPhrases(pub(super) Language);

impl SeatPhrases {
    fn of(self, en: &str, zh: &str) -> String {
        match self.0 {
            Language::En => en.into(),
            Language::Zh => zh.into(),
        }
    }

    pub(super) fn your_turn(self, entity: &str) -> String {
        self.of(
            &format!("\n*** You are {entity}. ***"),
            &format!("\n*** 你是{entity}。***"),
        )
    }

    pub(super) fn what_to_do(self) -> String {
        self.of("What do you do?", "你要做什么？")
    }

    pub(super) fn not_empty(self) -> String {
        self.of(
            "Type a line; Ctrl-D leaves the seat.",
            "请输入一行文字；按 Ctrl-D 离席。",
        )
    }

    pub(super) fn no_such_option(self, count: usize) -> String {
        self.of(
            &format!("Type a number from 1 to {count}, or a name from the list."),
            &format!("请输入 1 到 {count} 的数字，或列表中的名字。"),
        )
    }

    pub(super) fn no_number(self, least: Option<f64>, most: Option<f64>) -> String {
        let shown = |bound: Option<f64>| bound.map_or("…".to_owned(), |bound| bound.to_string());
        let (least, most) = (shown(least), shown(most));
        self.of(
            &format!("Type a number ({least} to {most})."),
            &format!("请输入数字（{least} 到 {most}）。"),
        )
    }

    pub(super) fn with_default(self, label: &str, default: &str) -> String {
        self.of(
            &format!("{label} [Enter: {default}]"),
            &format!("{label}［回车：{default}］"),
        )
    }

    pub(super) fn yes_and_no(self) -> [String; 2] {
        [self.of("yes", "是"), self.of("no", "否")]
    }

    pub(super) fn more(self, label: &str) -> String {
        self.of(
            &format!("Another of {label}?"),
            &format!("还要添加{label}吗？"),
        )
    }

    pub(super) fn type_json(self) -> String {
        self.of(
            "Type JSON on one line. It must fit this schema:",
            "请在一行内输入 JSON，须符合下面的结构：",
        )
    }

    pub(super) fn no_json(self, why: &str) -> String {
        self.of(
            &format!("This is no JSON: {why}"),
            &format!("这不是 JSON：{why}"),
        )
    }

    pub(super) fn order_of_cards(self) -> String {
        self.of(
            "In which order? (numbers; Enter: as listed)",
            "按什么顺序出？（数字；回车：照列表）",
        )
    }

    pub(super) fn targets_of(self, skill: &str) -> String {
        self.of(
            &format!("{skill}: at whom, best first? (numbers; Enter: as listed)"),
            &format!("{skill}：对谁，最想要的在前？（数字；回车：照列表）"),
        )
    }

    pub(super) fn name_of_card(self) -> String {
        self.of("Name of the card", "卡牌的名字")
    }

    pub(super) fn look_of_card(self) -> String {
        self.of("How it looks", "它的样子")
    }

    pub(super) fn skill(
        self,
        skill: &str,
        kind: &str,
        cost: i64,
        power: i64,
        about: &str,
    ) -> String {
        let kind_zh = match kind {
            "attack" => "攻击",
            "heal" => "治疗",
            "guard" => "防护",
            "weaken" => "削弱",
            "strengthen" => "强化",
            other => other,
        };
        self.of(
            &format!("{skill} ({kind}, power {power}, cost {cost}) {about}"),
            &format!("{skill}（{kind_zh}，威力 {power}，消耗 {cost}）{about}"),
        )
    }

    /// A word of a closed list; one that is not known is shown as it is.
    pub(super) fn option(self, name: &str) -> String {
        let (en, zh) = match name {
            "civilian" => ("civilian", "平民"),
            "undercover" => ("undercover", "卧底"),
            "blank" => ("blank", "白板"),
            "unsure" => ("unsure", "不确定"),
            other => (other, other),
        };
        self.of(en, zh)
    }

    /// What to type where only some numbers will do.
    pub(super) fn one_number_of(self, numbers: &str) -> String {
        self.of(
            &format!("Type one of these numbers: {numbers}."),
            &format!("请输入其中一个数字：{numbers}。"),
        )
    }

    /// The name of a member of an answer; one that is not known is shown as it is.
    pub(super) fn member(self, name: &str) -> String {
        let (en, zh) = match name {
            "mind" => ("What do you think?", "你在想什么？"),
            "speak" => ("speak to somebody", "对人说话"),
            "whisper" => ("whisper to somebody", "对人耳语"),
            "announce" => ("have something made known everywhere", "向各处宣告"),
            "query" => ("search your memory", "回想"),
            "move" => ("walk to another place", "去别处"),
            "wait" => ("wait", "等待"),
            "target" => ("To whom?", "对谁？"),
            "text" => ("Words", "话语"),
            "to" => ("Where to?", "去哪里？"),
            "reason" => ("Why?", "为什么？"),
            "i_am" => ("What are you yourself?", "你认为自己是什么？"),
            "vote_number" => ("Whom do you vote out? (number)", "投谁出局？（编号）"),
            "players" => ("what you take the others for", "你对他人的判断"),
            "player" => ("Whom? (number)", "谁？（编号）"),
            "is" => ("What is it?", "是什么？"),
            other => (other, other),
        };
        self.of(en, zh)
    }
}
