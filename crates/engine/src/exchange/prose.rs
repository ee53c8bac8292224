//! Answers in free text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::prompts::Rule;
use super::refusal::refuses_to_write;
use super::{Asked, Reply, Violation};
use crate::message::Language;
use crate::reading::{ProseFrame, is_in_third_person, letters, whole_sentences, without_speech};
use crate::wording::FoldedText;

/// Words of which English prose has at least one, and that are hardly words of other languages.
const COMMON: [&str; 18] = [
    "the", "and", "that", "it", "with", "to", "my", "his", "you", "from", "by", "not", "but",
    "have", "has", "are", "were", "this",
];
/// Fewer words may be in any language.
const FEW_WORDS: usize = 20;

/// An answer in free text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Prose(pub String);

/// The rules for free text.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ProseRules {
    /// The maximum number of characters; 0 for the default of 4,000.
    pub max_chars: usize,
    /// The least number of letters, of which a Chinese character counts as three.
    pub min_letters: usize,
    /// Texts that must occur, letter for letter: the facts that a summary must keep.
    pub must_hold: Vec<String>,
    /// The language in which it must be written.
    pub language: Option<Language>,
    /// Who writes, by name.
    pub writer: String,
    /// Those who say nothing in it, by name.
    pub silent: Vec<String>,
    /// Whether its writer tells of itself, as "I".
    pub in_first_person: bool,
    /// What it may not say, since it is not true.
    #[serde(skip)]
    pub untrue: Vec<Untrue>,
    /// Whether headings, code and the like are part of it.
    pub has_markup: bool,
}

/// Something that is not true.
#[derive(Clone, Debug)]
pub struct Untrue {
    /// The ways to say it.
    pub said: Vec<String>,
    /// What its speaker is told, once.
    pub violation: Violation,
}

impl Reply for Prose {
    type Constraints = ProseRules;
    const NAME: &'static str = "prose";
    const IS_PROSE: bool = true;

    fn read(raw: &str) -> Result<Self, Vec<Violation>> {
        Ok(Self(raw.trim().to_owned()))
    }

    /// The text without what was put around it, up to its last whole sentence if it was cut off;
    /// used at last, without the words of those who say nothing.
    fn unwrapped(self, asked: &Asked<'_>, rules: &ProseRules) -> Self {
        if rules.has_markup {
            return Self(unfenced(&self.0).to_owned());
        }
        let frame = ProseFrame {
            writer: &rules.writer,
            question: asked.question,
        };
        let text = frame.unwrapped(&self.0);
        let text = if asked.state.is_cut {
            whole_sentences(&text).unwrap_or(&text)
        } else {
            &text
        };
        let silent = without_speech(text, &rules.silent).filter(|_| asked.state.is_last);
        Self(silent.unwrap_or_else(|| text.to_owned()))
    }

    fn remembered_text(&self, _: &str) -> String {
        self.0.clone()
    }

    fn to_text(&self) -> String {
        self.0.clone()
    }

    fn check(&self, rules: &ProseRules) -> Vec<Violation> {
        let mut violations = Vec::new();
        let most = match rules.max_chars {
            0 => 4_000,
            most => most,
        };
        if !self.0.is_empty() && letters(&self.0) < rules.min_letters {
            let rule = "this is too short; write what was asked for, in whole sentences";
            let violation = Violation::new("", rule).with_prompt(&Rule::TooShort);
            violations.push(violation.of_style());
        }
        // An answer is empty if nothing of what was written is the text.
        if self.0.is_empty() || self.0.starts_with('{') && !rules.has_markup {
            let rule = "write only the text that was asked for, in plain sentences";
            violations.push(Violation::new("", rule).with_prompt(&Rule::OnlyText));
        }
        if without_speech(&self.0, &rules.silent).is_some() {
            violations.push(Violation::nobody_speaks(""));
        }
        if rules.in_first_person && is_in_third_person(&self.0, &rules.writer) {
            let rule = "tell it yourself, in the first person";
            let violation = Violation::new("", rule).with_prompt(&Rule::FirstPerson);
            violations.push(violation.only_once().of_style());
        }
        if !rules.untrue.is_empty() {
            let text = FoldedText::of(&self.0);
            let says = |words: &String| text.contains_words(&FoldedText::of(words));
            let untrue = rules.untrue.iter().filter(|it| it.said.iter().any(says));
            violations.extend(untrue.map(|it| it.violation.clone().only_once()));
        }
        if refuses_to_write(&self.0) {
            violations.push(Violation::refusal());
        }
        violations.extend(Violation::too_long("", &self.0, most));
        if let Some(language) = rules.language
            && !is_in_language(&self.0, language)
        {
            let name = match language {
                Language::Zh => "中文",
                Language::En => "English",
            };
            let rule = format!("write in the language of the story: {name}");
            let violation = Violation::new("", rule).with_prompt(&Rule::Language);
            violations.push(violation.of_style());
        }
        for fact in &rules.must_hold {
            if !self.0.contains(fact) {
                let rule = format!("it must contain: {fact}");
                let violation = Violation::new("", rule);
                violations.push(violation.with_prompt(&Rule::MustHold { fact }));
            }
        }
        violations
    }
}

/// A text without the code fence that some minds put around all of it.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text
        .strip_prefix("```")
        .and_then(|text| text.strip_suffix("```"));
    // What stands behind the opening fence on its line names a language.
    match inside.and_then(|text| text.split_once('\n')) {
        Some((_, inside)) if !inside.contains("```") => inside.trim(),
        _ => text,
    }
}

/// Whether a text is plausibly in the language. Short texts are, and names in other scripts may
/// occur.
pub fn is_in_language(text: &str, language: Language) -> bool {
    let (mut han, mut latin, mut kana, mut other) = (0_usize, 0_usize, 0_usize, 0_usize);
    for character in text.chars().filter(|c| c.is_alphabetic()) {
        match character {
            '\u{3400}'..='\u{9fff}' => han += 1,
            '\u{0}'..='\u{24f}' => latin += 1,
            '\u{3041}'..='\u{30ff}' => kana += 1,
            _ => other += 1,
        }
    }
    // A Chinese character says about as much as three Latin letters.
    match language {
        _ if (han + kana) * 3 + latin + other < 24 => true,
        Language::Zh => han * 3 >= latin + other && han > 4 * kana,
        Language::En => latin >= (han + kana) * 3 + other && may_be_english(text),
    }
}

/// Whether a text in Latin letters may be English, by its commonest words.
fn may_be_english(text: &str) -> bool {
    let words: Vec<_> = text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    let is_common = |word: &&str| COMMON.contains(&word.to_lowercase().as_str());
    words.len() < FEW_WORDS || words.iter().any(is_common)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::AnswerState;
    use crate::testing::each_row;

    #[test]
    fn every_broken_rule_is_reported() {
        let rules = ProseRules {
            max_chars: 30,
            must_hold: vec!["Old Mill".into(), "won".into()],
            language: Some(Language::En),
            ..ProseRules::default()
        };
        let prose = Prose(
            "我们在磨坊里打了一整夜，天亮的时候谁也没有说话，只听见风，还有远处的水声。".into(),
        );
        assert_eq!(prose.check(&rules).len(), 4);
        assert!(
            Prose("We won at the Old Mill.".into())
                .check(&rules)
                .is_empty()
        );
    }

    /// Which rules an answer to this breaks, by their templates.
    fn broken(text: &str, language: Language) -> Vec<&'static str> {
        let rules = ProseRules {
            min_letters: 24,
            language: Some(language),
            silent: vec!["Ann".into(), "沈豆娘".into()],
            ..ProseRules::default()
        };
        let broken = Prose(text.into()).check(&rules);
        let phrases = broken.into_iter().filter_map(|violation| violation.phrase);
        phrases.map(|(name, _)| name).collect()
    }

    #[test]
    fn what_is_no_text_in_the_language_is_refused() {
        each_row(
            r#"
            en => rules/too_short => ...
            zh => rules/too_short => ……
            en => rules/too_short => Okay.
            zh => rules/too_short => 好的。
            zh => rules/language => Fog lies on the green, and the rope of the well drips.
            en => rules/language => 雾气压在草地上，井绳一滴一滴地落水。
            zh => rules/language => 渡し場には舟が十艘つながれていて、誰もそれを見ていない。
            en => rules/language => Туман лежит на лугу, и верёвка колодца роняет капли.
            en => rules/language => Le brouillard couvre la place du village et la corde du puits goutte lentement dans une eau noire que personne ne regarde.
            en => rules/language => Der Nebel liegt auf dem Anger, und das Seil am Brunnen tropft langsam in den Eimer, den keiner heute Morgen geleert hat.
            en => rules/only_text => {"mind": "I wait here.", "say": "Good morning."}
            en => rules/nobody_speaks => Fog lies on the green. Ann says, “Go home.”
            zh => rules/nobody_speaks => 雾气压在草地上。沈豆娘说：“今天没人来。”
            "#,
            |[world, rule, text]| {
                let world = if world == "zh" {
                    Language::Zh
                } else {
                    Language::En
                };
                assert_eq!(broken(text, world), [rule]);
            },
        );
        for (text, world) in [
            ("Fog on the green, and rope, and drips.", Language::En),
            (
                "Ropes run taut, throat-high. Black water, knee-deep, smells tarry. Something drips; ropes creak; nobody walks there.",
                Language::En,
            ),
            ("雾气压在草地上，井绳落水。", Language::Zh),
        ] {
            assert!(broken(text, world).is_empty(), "{text}");
        }
    }

    #[test]
    fn memories_are_told_by_whose_they_are_and_nothing_untrue() {
        let rules = ProseRules {
            writer: "Odile Marsh".into(),
            in_first_person: true,
            untrue: vec![Untrue {
                said: vec!["Jory dies".into()],
                violation: Violation::new("", "Jory lives"),
            }],
            ..ProseRules::default()
        };
        let told = |text: &str| Prose(text.into()).check(&rules);
        for text in [
            "Odile cut the rope and told nobody.",
            "I cut the rope. Jory dies of it.",
        ] {
            assert!(matches!(&*told(text), [once] if once.only_once), "{text}");
        }
        for text in [
            "I cut the rope. “Odile,” said Jory, and went.",
            "A quiet day; the rope was cut.",
        ] {
            assert_eq!(told(text), [], "{text}");
        }
    }

    #[test]
    fn what_was_told_once_in_vain_is_taken_out() {
        let rules = ProseRules {
            silent: vec!["Ann".into()],
            ..ProseRules::default()
        };
        let prose = Prose("Fog lies on the green. Ann says, “Go home.” Ropes dr".into());
        let asked = |is_last| Asked {
            question: "",
            state: AnswerState {
                is_cut: true,
                is_last,
                is_persons: false,
            },
        };
        let first = prose.clone().unwrapped(&asked(false), &rules);
        assert_eq!(first.0, "Fog lies on the green. Ann says, “Go home.”");
        assert!(
            first
                .check(&rules)
                .iter()
                .all(|violation| violation.only_once)
        );
        let last = prose.unwrapped(&asked(true), &rules);
        assert_eq!(last.0, "Fog lies on the green.");
        assert!(last.check(&rules).is_empty());
    }
}
