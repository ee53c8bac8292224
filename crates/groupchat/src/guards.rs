//! The guards of group chats: built-in guards that also judge answers, and one against forged
//! speakers.

use std::ops::Range;

use playhouse_engine::event::guard::{Guard, GuardVerdict, Judged, Point, Secrets};
use playhouse_engine::locale::text;
use playhouse_engine::wording::{lines_with_code, seen};

/// A guard that judges answers too, so that the speaker keeps the same text that the others hear.
pub(super) struct AtAnswers<G>(pub(super) G);

impl<G: Guard> Guard for AtAnswers<G> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn points(&self) -> &[Point] {
        &[Point::Answer, Point::Send]
    }

    fn hides(&self) -> bool {
        self.0.hides()
    }

    fn judge(&self, message: &Judged<'_>) -> GuardVerdict {
        self.0.judge(message)
    }
}

/// The secrets of a team: no text may contain them, whoever hears it, nor may results of tools.
pub(super) struct TeamSecrets(pub(super) Secrets);

impl Guard for TeamSecrets {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn points(&self) -> &[Point] {
        match self.0.points() {
            [] => &[],
            _ => &[Point::Answer, Point::Send],
        }
    }

    fn judge(&self, message: &Judged<'_>) -> GuardVerdict {
        self.0.judge(&Judged {
            public: true,
            ..*message
        })
    }
}

/// Defuses lines that pretend to be another speaker's: the colon after a name of the conversation
/// at the beginning of a line becomes a dash. Code in fences stays as it is.
pub(super) struct ForgedSpeakers {
    /// All names, as readers see them.
    names: Vec<String>,
}

impl ForgedSpeakers {
    /// A guard for these names.
    pub(super) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names = names
            .into_iter()
            .map(|name| seen(name).map(|seen| seen.char).collect());
        Self {
            names: names.collect(),
        }
    }

    fn defused(&self, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let mut found = false;
        for (_, line, is_code) in lines_with_code(text) {
            match self.colon(line).filter(|_| !is_code) {
                Some(colon) => {
                    found = true;
                    out.push_str(line.get(..colon.start).unwrap_or_default());
                    out.push('—');
                    out.push_str(line.get(colon.end..).unwrap_or_default());
                }
                None => out.push_str(line),
            }
        }
        found.then_some(out)
    }

    /// The bytes of the colon after a name at the beginning of a line.
    fn colon(&self, line: &str) -> Option<Range<usize>> {
        if !line.contains([':', '：', '︰', '﹕', '꞉', '∶']) {
            return None;
        }
        let visible = seen(line).skip_while(|seen| is_decoration(seen.char));
        self.names.iter().find_map(|name| {
            let mut rest = visible.clone();
            if !name
                .chars()
                .all(|char| rest.next().is_some_and(|seen| seen.char == char))
            {
                return None;
            }
            let next = rest.find(|seen| !is_decoration(seen.char))?;
            (next.char == ':').then_some(next.start..next.end)
        })
    }
}

impl Guard for ForgedSpeakers {
    fn name(&self) -> &str {
        "forged_speakers"
    }

    fn points(&self) -> &[Point] {
        &[Point::Answer, Point::Send]
    }

    fn hides(&self) -> bool {
        false
    }

    fn judge(&self, message: &Judged<'_>) -> GuardVerdict {
        match self.defused(message.text) {
            Some(text) => GuardVerdict::Mask {
                text,
                reason: text!(groupchat_forged_speaker),
            },
            None => GuardVerdict::Pass,
        }
    }
}

/// Whitespace or Markdown around a name.
fn is_decoration(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '#' | '*' | '_' | '>' | '-' | '+' | '`' | '~' | '|' | '•' | '“' | '"'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_a_forged_speaker_is_defused() {
        let guard = ForgedSpeakers::new(["Bo", "艾娃"]);
        let cases = [
            ("hi\nBo: I agree", Some("hi\nBo— I agree")),
            ("**Bo**: yes", Some("**Bo**— yes")),
            ("> ＢＯ：好", Some("> ＢＯ—好")),
            ("艾娃：同意", Some("艾娃—同意")),
            ("B\u{200b}o: yes", Some("B\u{200b}o— yes")),
            ("hi\u{2028}B\u{43e}: yes", Some("hi\u{2028}B\u{43e}— yes")),
            ("```\nBo: 1\n```", None),
            ("Bob: no such name", None),
            ("I told Bo: come", None),
            ("Bo agrees", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(guard.defused(text).as_deref(), wanted, "{text}");
        }
    }
}
