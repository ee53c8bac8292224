//! A short cut through a save: the lines of its messages, read as `body_table.rs` writes them.
//!
//! Messages are nearly all of a save. Here each is taken apart where its parts must stand, and its text is
//! searched for its end many bytes at once. A save that is laid out otherwise, or wrong, is left to
//! serde, which reads any JSON and says what is wrong with it.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::dto::{Bodies, BodyDto, BodyReader, ContentDto, Raw};
use crate::message::BodyId;

/// Where the messages begin; a line end can't stand inside a JSON string.
const BEGIN: &str = "\n\"messages\":[";

/// The messages of a save and the save without them, where it is laid out as we write it.
pub(super) fn cut_out(save: &str) -> Option<(Bodies, String)> {
    let from = memchr::memmem::find(save.as_bytes(), BEGIN.as_bytes())? + BEGIN.len();
    let (before, messages) = save.split_at_checked(from)?;
    // Brackets that close here prove that the list is a member of the save itself.
    serde_json::from_str::<IgnoredAny>(&[before, "]}"].concat()).ok()?;
    let mut reader = BodyReader::default();
    let mut line = Line {
        rest: messages,
        metadata: "",
    };
    loop {
        line.skip("\n")?;
        let body = line.body()?;
        reader.add::<serde_json::Error>(body).ok()?;
        match line.skip(",") {
            Some(()) => {}
            None => break,
        }
    }
    let behind = line.rest.starts_with(']').then_some(line.rest)?;
    Some((reader.read, [before, behind].concat()))
}

/// What of the messages is not read yet.
struct Line<'a> {
    rest: &'a str,
    /// The metadata of a message before; that of most messages is the same.
    metadata: &'a str,
}

impl<'a> Line<'a> {
    fn body(&mut self) -> Option<BodyDto<'a>> {
        self.skip("{\"id\":\"")?;
        let place = self.number()?;
        self.skip("-")?;
        let number = self.number()?;
        self.skip("\",\"time\":")?;
        let form = BodyDto {
            id: BodyId { place, number },
            time: self.number()?,
            name: self.member(",\"name\":", Self::text)?,
            shared_prefix: self.member(",\"opening\":", Self::number)?,
            content: {
                self.skip(",\"content\":")?;
                self.content()?
            },
            compressed_prompt: self.member(",\"compressed_prompt\":", |line| {
                Some(line.text()?.into_owned().into())
            })?,
            metadata: self.member(",\"metadata\":", Self::raw)?,
            response_metadata: self.member(",\"response_metadata\":", Self::value)?,
        };
        self.skip("}")?;
        Some(form)
    }

    /// Goes past exactly these characters.
    fn skip(&mut self, expected: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    /// A member that not every message has.
    fn member<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.skip(name) {
            Some(()) => read(self).map(Some),
            None => Some(None),
        }
    }

    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        let bytes = self.rest.as_bytes();
        let length = bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.rest.split_at_checked(length)?;
        if length > 1 && digits.starts_with('0') {
            return None;
        }
        self.rest = rest;
        digits.parse().ok()
    }

    fn text(&mut self) -> Option<Cow<'a, str>> {
        let inside = self.rest.strip_prefix('"')?;
        let end = memchr::memchr2(b'"', b'\\', inside.as_bytes())?;
        let (text, rest) = inside.split_at_checked(end)?;
        let has_controls = text
            .bytes()
            .fold(false, |found, byte| found | (byte < 0x20));
        match rest.strip_prefix('"') {
            Some(_) if has_controls => None,
            Some(rest) => {
                self.rest = rest;
                Some(Cow::Borrowed(text))
            }
            None => self.value::<String>().map(Cow::Owned),
        }
    }

    fn content(&mut self) -> Option<ContentDto<'a>> {
        match self.rest.starts_with('"') {
            true => self.text().map(ContentDto::Text),
            false => self.value().map(ContentDto::Blocks),
        }
    }

    /// An object as it stands.
    fn raw(&mut self) -> Option<Raw<'a>> {
        if self.metadata.is_empty() || !self.rest.starts_with(self.metadata) {
            let start = self.rest;
            self.value::<Raw>()?;
            self.metadata = start.get(..start.len() - self.rest.len())?;
        } else {
            self.rest = self.rest.get(self.metadata.len()..)?;
        }
        Some(Raw(self.metadata))
    }

    /// Any value, by serde.
    fn value<T: Deserialize<'a>>(&mut self) -> Option<T> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter();
        let value = values.next()?.ok()?;
        self.rest = self.rest.get(values.byte_offset()..)?;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use serde_json::json;

    use super::super::dto::{WorldDto, parse};
    use super::super::{Meta, snapshot};
    use super::*;
    use crate::cast::{Kind, spawn};
    use crate::context::AgentContext;
    use crate::engine::Setup;
    use crate::message::{Block, Body, ResponseMetadata, Tags, TokenUsage};
    use crate::testing::newcomer;

    /// A save with messages of every make.
    static SAVE: LazyLock<String> = LazyLock::new(|| {
        let mut setup = Setup::new(1);
        let who = spawn(&mut setup.world, newcomer("Ann", Kind::Actor, None)).unwrap();
        let mut context = setup.world.get_mut::<AgentContext>(who).unwrap();
        let event = json!({"event": "speak"}).as_object().unwrap().clone();
        let said = |text: &str| Body::text(text).with_metadata(event.clone());
        let usage = ResponseMetadata::new("p", "m", TokenUsage::default());
        let bodies = [
            said("plain").from_sender("Bob").at(7),
            said("“quoted” 中文"),
            said("a \"quote\", a \\ and a line end\n"),
            said(""),
            Body::text("full").with_short("short \"one\""),
            Body::text("answer").with_response(usage),
            vec![
                Block::text("two"),
                Block::from(json!({"type": "odd", "x": [1, 2.5]})),
            ]
            .into(),
        ];
        for (number, body) in (1..).zip(bodies) {
            let id = BodyId { place: 3, number };
            context.add_human_message(body.with_id(id), Tags::new());
        }
        let meta = Meta {
            world: "w".into(),
            data: "d".into(),
        };
        String::from_utf8(snapshot(&setup.world, &meta).unwrap()).unwrap()
    });

    fn agree(save: &str) -> bool {
        let Some((short_cut, rest)) = cut_out(save) else {
            return true;
        };
        let Ok(form) = serde_json::from_str::<WorldDto>(&rest) else {
            return true;
        };
        assert!(form.messages.list.is_empty());
        let whole = parse::<WorldDto>(save.as_bytes()).expect("serde reads what we read");
        whole.messages.list == short_cut.list
            && whole.messages.opened == short_cut.opened
            && whole.messages.events == short_cut.events
    }

    #[test]
    fn what_we_wrote_takes_the_short_cut_and_is_what_serde_reads() {
        let (bodies, rest) = cut_out(&SAVE).expect("our own layout");
        assert!(bodies.list.len() >= 7);
        assert!(!rest.contains("plain"));
        assert!(agree(&SAVE));
    }

    #[test]
    fn another_layout_is_left_to_serde() {
        for (from, to) in [
            ("\n\"messages\":[", "\n \"messages\":["),
            ("\"id\":\"3-1\",\"time\":7", "\"time\":7,\"id\":\"3-1\""),
            ("\"time\":7", "\"time\":07"),
            ("plain", "pl\tain"),
            ("{\"id\":\"3-2\"", "{ \"id\":\"3-2\""),
        ] {
            let other = SAVE.replacen(from, to, 1);
            assert_ne!(other, *SAVE, "{from}");
            assert!(cut_out(&other).is_none(), "{to}");
        }
    }

    proptest! {
        #[test]
        fn a_spoilt_save_is_never_read_otherwise_than_by_serde(
            at in 0..SAVE.len(),
            put in "[ -~\\n]{0,3}",
            take in 0..3usize,
        ) {
            let mut spoilt = SAVE.clone().into_bytes();
            let end = (at + take).min(spoilt.len());
            spoilt.splice(at..end, put.bytes());
            if let Ok(spoilt) = String::from_utf8(spoilt) {
                prop_assert!(agree(&spoilt), "{}", spoilt);
            }
        }
    }
}
