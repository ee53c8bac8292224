//! Reads long saves on all processors.
//!
//! In a save as it is written, every message stands on a line of its own. A text in JSON holds no
//! line end, so the list can be cut where a line ends with a comma. If all parts can be read, the
//! whole says the same; if one can't, the save is read like any other JSON.

use std::panic::resume_unwind;
use std::thread;

use memchr::memmem;

use super::bodies::Bodies;
use super::dto::WorldDto;
use crate::parallel;

/// What stands before the first message, and behind the last.
const BEFORE: &str = "\n\"messages\":[\n";
const AFTER: &str = "],\n\"prefixes\":[";

/// The size of a part in bytes, at least.
const PART: usize = 1 << 18;

/// A save in two: its messages, and all around them.
pub(super) struct Parts<'a> {
    messages: &'a str,
    around: String,
}

impl<'a> Parts<'a> {
    /// `None` if a save isn't written as this program writes it.
    pub(super) fn of(save: &'a str) -> Option<Self> {
        let start = memmem::find(save.as_bytes(), BEFORE.as_bytes())? + BEFORE.len();
        let (before, rest) = save.split_at_checked(start)?;
        let end = memmem::rfind(rest.as_bytes(), AFTER.as_bytes())?;
        let (messages, after) = rest.split_at_checked(end)?;
        Some(Self {
            messages,
            around: [before, after].concat(),
        })
    }

    /// The save; `None` if a part can't be read.
    pub(super) fn read(&self) -> Option<WorldDto<'_>> {
        let pieces = pieces(self.messages)?;
        let (save, read) = thread::scope(|scope| {
            let save = scope.spawn(|| serde_json::from_str::<WorldDto>(&self.around));
            let read = parallel::map(&pieces, |piece| Bodies::on_lines(piece));
            let save = save.join().unwrap_or_else(|panic| resume_unwind(panic));
            (save, read)
        });
        let mut save = save.ok()?;
        if !save.messages.list.is_empty() {
            return None;
        }
        for bodies in read {
            save.messages.append(bodies?);
        }
        Some(save)
    }
}

/// Lines in pieces of about a size; `None` if a line before a cut ends without a comma.
fn pieces(mut lines: &str) -> Option<Vec<&str>> {
    let mut pieces = Vec::new();
    loop {
        let start = lines.floor_char_boundary(PART);
        let Some(end) = lines.get(start..)?.find('\n') else {
            pieces.push(lines);
            return Some(pieces);
        };
        let (piece, rest) = lines.split_at_checked(start + end)?;
        pieces.push(piece.strip_suffix(',')?);
        lines = rest.strip_prefix('\n')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::AgentContext;
    use crate::message::{Body, Tags, Text};
    use crate::save::{Meta, snapshot};
    use crate::testing::tiny;

    /// A save with enough messages for several parts, some of them with line ends, metadata, and
    /// what they share.
    fn long_save() -> String {
        let mut tiny = tiny();
        let rules = std::sync::Arc::new(Text::from("The rules."));
        let mut context = tiny.setup.world.get_mut::<AgentContext>(tiny.ann).unwrap();
        for number in 0..5_000_u32 {
            let words = format!("Line {number},\n\"messages\":[\n {}", "rain ".repeat(20));
            let mut body = Body::text(words);
            if number % 3 == 0 {
                let kind = ["speak", "leave"][number as usize % 2];
                let event = serde_json::Map::from_iter([("event".to_owned(), kind.into())]);
                body = body.with_metadata(event);
            }
            if number % 1_000 == 7 {
                body = body.after(rules.clone());
            }
            context.add_human_message(body, Tags::new());
        }
        let meta = Meta {
            world: "tiny".into(),
            data: "none".into(),
        };
        let save = snapshot(&tiny.setup.world, &meta).unwrap();
        String::from_utf8(save).unwrap()
    }

    fn written(save: &WorldDto) -> String {
        format!(
            "{} {:?} {:?}",
            serde_json::to_string(save).unwrap(),
            save.messages.prefixed,
            save.messages.events
        )
    }

    #[test]
    fn parts_say_the_same_as_the_whole() {
        let save = long_save();
        let parts = Parts::of(&save).unwrap();
        assert!(pieces(parts.messages).unwrap().len() > 2);
        let whole: WorldDto = serde_json::from_str(&save).unwrap();
        assert_eq!(written(&parts.read().unwrap()), written(&whole));
    }

    #[test]
    fn what_is_not_written_line_by_line_is_not_read_in_parts() {
        let save = long_save();
        let read = |save: &str| Parts::of(save).is_some_and(|parts| parts.read().is_some());
        assert!(read(&save));
        let pretty = serde_json::from_str::<serde_json::Value>(&save).unwrap();
        assert!(!read(&serde_json::to_string_pretty(&pretty).unwrap()));
        assert!(!read(&pretty.to_string()));
        let lines = save.lines().collect::<Vec<_>>();
        let message = lines.len() / 2;
        assert!(lines[message].starts_with("{\"id\":"));
        // A missing comma, two commas, a message that ends too early, and one of another shape.
        for changed in [
            lines[message].trim_end_matches(',').to_owned(),
            lines[message].to_owned() + ",",
            lines[message].replace("},", ","),
            "{\"words\":1},".to_owned(),
        ] {
            let mut lines = lines.clone();
            lines[message] = &changed;
            let save = lines.join("\n");
            assert!(!read(&save), "{changed}");
            assert!(serde_json::from_str::<WorldDto>(&save).is_err());
        }
    }
}
