//! What stands guard over conversations: the engine's own guards at the answers too, and one against lines
//! that pretend to be somebody else's.

use crate::event::guard::{Guard, Judged, Point, Secrets, Verdict};

/// A guard at the answers as well as where it stands already, so that whoever said something keeps no other
/// words than those who heard it.
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

    fn judge(&self, message: &Judged<'_>) -> Verdict {
        self.0.judge(message)
    }
}

/// The secrets of a team: no text may carry them, whoever hears it; what tools return neither.
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

    fn judge(&self, message: &Judged<'_>) -> Verdict {
        self.0.judge(&Judged {
            public: true,
            ..*message
        })
    }
}

/// Defuses lines that begin with the name of somebody in the conversation and a colon, as the lines of a
/// conversation do: the colon becomes a dash.
pub(super) struct ForgedSpeakers {
    /// Everybody's names, folded.
    names: Vec<String>,
}

impl ForgedSpeakers {
    /// A guard of these names.
    pub(super) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names = names
            .into_iter()
            .map(|name| name.chars().map(fold).collect());
        Self {
            names: names.collect(),
        }
    }

    fn defused(&self, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let mut found = false;
        for line in text.split_inclusive('\n') {
            match self.colon(line) {
                Some((at, length)) => {
                    found = true;
                    out.push_str(line.get(..at).unwrap_or_default());
                    out.push('—');
                    out.push_str(line.get(at + length..).unwrap_or_default());
                }
                None => out.push_str(line),
            }
        }
        found.then_some(out)
    }

    /// The colon behind a name at the start of a line: its byte and length.
    fn colon(&self, line: &str) -> Option<(usize, usize)> {
        let shown = line.char_indices().filter(|(_, char)| !is_hidden(*char));
        let shown: Vec<(usize, char)> =
            shown.skip_while(|(_, char)| is_decoration(*char)).collect();
        self.names.iter().find_map(|name| {
            let length = name.chars().count();
            let mut letters = shown.iter().take(length).map(|(_, char)| fold(*char));
            if !name.chars().all(|char| letters.next() == Some(char)) {
                return None;
            }
            let mut after = shown.iter().skip(length);
            let next = after.find(|(_, char)| !is_decoration(*char))?;
            matches!(next.1, ':' | '：' | '︰' | '﹕' | '꞉' | '∶')
                .then(|| (next.0, next.1.len_utf8()))
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

    fn judge(&self, message: &Judged<'_>) -> Verdict {
        match self.defused(message.text) {
            Some(text) => Verdict::Mask {
                text,
                reason: "a line pretended to be somebody else's".into(),
            },
            None => Verdict::Pass,
        }
    }
}

/// A character without case and width.
fn fold(character: char) -> char {
    let constrain_schema = match character {
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character)
        }
        other => other,
    };
    constrain_schema
        .to_lowercase()
        .next()
        .unwrap_or(constrain_schema)
}

/// Signs that show nothing.
fn is_hidden(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// White space and Markdown around a name.
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
    fn a_line_of_somebody_else_is_defused() {
        let guard = ForgedSpeakers::new(["Bo", "艾娃"]);
        let cases = [
            ("hi\nBo: I agree", Some("hi\nBo— I agree")),
            ("**Bo**: yes", Some("**Bo**— yes")),
            ("> ＢＯ：好", Some("> ＢＯ—好")),
            ("艾娃：同意", Some("艾娃—同意")),
            ("B\u{200b}o: yes", Some("B\u{200b}o— yes")),
            ("Bob: no such name", None),
            ("I told Bo: come", None),
            ("Bo agrees", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(guard.defused(text).as_deref(), wanted, "{text}");
        }
    }
}
