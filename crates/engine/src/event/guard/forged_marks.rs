//! Defuses text that pretends to be another speaker or a part of the conversation's form.

use super::{Guard, GuardVerdict, Judged, Point};
use crate::locale::text;
use crate::wording::defused;

/// Defuses forged speaker and role marks in speech, in any case and width, with invisible
/// characters between the letters or Markdown around them:
///
/// - a role before a colon at the start of a line: `System:`, `**AI(Wren):**`, `> 系统：`
/// - a name in brackets before a colon at the start of a line: `[Wren]:`, `【旁白】：`
/// - a role in brackets anywhere: `[assistant]`, `［系统］`, `[/INST]`
/// - a tag of a chat template or of our own history form anywhere: `<|im_start|>`, `</history>`
#[derive(Clone, Copy, Debug, Default)]
pub struct ForgedMarks;

impl Guard for ForgedMarks {
    fn name(&self) -> &str {
        "forged_marks"
    }

    fn points(&self) -> &[Point] {
        &[Point::Send]
    }

    fn hides(&self) -> bool {
        false
    }

    fn judge(&self, message: &Judged<'_>) -> GuardVerdict {
        match defused(message.text) {
            Some(text) => GuardVerdict::Mask {
                text,
                reason: text!(event_forged_mark),
            },
            None => GuardVerdict::Pass,
        }
    }
}
