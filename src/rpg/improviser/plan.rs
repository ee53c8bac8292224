//! What somebody at home does next.

use serde_json::{Map, Value, json};

use crate::message::Role;
use crate::mind::improviser::Writer;
use crate::mind::improviser::wording::bare;
use crate::mind::{Form, Notes, Prompt};

/// The kinds of action, as the reply names them.
const KINDS: [&str; 6] = ["speak", "whisper", "announce", "query", "move", "wait"];

/// A plan; `None` if the schema asks for something else.
pub(super) fn plan<'a>(prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
    let Form::Json { narrowed, .. } = prompt.form else {
        return None;
    };
    let home = Home::read(narrowed, Notes::of(prompt))?;
    let earlier = earlier_kinds(prompt);
    let kind = home.choose(&earlier, prompt, writer)?;
    home.tell(writer);
    let (symbol, action) = match kind {
        "speak" => home.speak(writer)?,
        "whisper" => home.whisper(writer)?,
        "announce" => ("mind.announce", json!({"text": writer.line("announce")})),
        "query" => home.query(writer)?,
        "move" => home.walk(writer)?,
        _ => ("mind.wait", json!({"reason": writer.line("wait")})),
    };
    let mind = Value::from(writer.line(symbol));
    Some(Value::Object(Map::from_iter([
        ("mind".into(), mind),
        (kind.into(), action),
    ])))
}

/// What the notes tell, and what the narrowed schema leaves open.
struct Home<'n> {
    notes: Notes<'n>,
    me: &'n str,
    round: i64,
    subjects: Vec<&'n str>,
    present: Vec<&'n str>,
    heard: Vec<Notes<'n>>,
    refused: bool,
    kinds: Vec<&'static str>,
    listeners: Vec<&'n str>,
    confidants: Vec<&'n str>,
    exits: Vec<&'n str>,
}

impl<'n> Home<'n> {
    fn read(schema: &Value, notes: Notes<'n>) -> Option<Self> {
        let options = schema.get("properties")?.as_object()?;
        let kinds = KINDS.into_iter().filter(|kind| options.contains_key(*kind));
        let kinds: Vec<_> = kinds.collect();
        // Names of the notes that the schema allows: a plan never names anybody who is not there.
        let allowed = |kind: &str, member: &str, names: &[&'n str]| {
            let pointer = format!("/properties/{kind}/properties/{member}/enum");
            let legal = schema.pointer(&pointer).and_then(Value::as_array);
            let is_legal = |name: &&&str| {
                legal.is_none_or(|legal| legal.iter().any(|other| other.as_str() == Some(**name)))
            };
            names.iter().filter(is_legal).copied().collect::<Vec<_>>()
        };
        let me = notes.text("me");
        let present = notes.names("present");
        let others = present.iter().copied().filter(|name| *name != me);
        let others: Vec<_> = others.collect();
        (!kinds.is_empty()).then(|| Self {
            notes,
            me,
            round: notes.number("round"),
            subjects: subjects(notes),
            heard: notes.list("heard").collect(),
            refused: !notes.text("refused").is_empty(),
            listeners: allowed("speak", "target", &others),
            confidants: allowed("whisper", "target", &others),
            exits: allowed("move", "to", &notes.texts("exits")),
            present,
            kinds,
        })
    }

    fn allows(&self, kind: &str) -> bool {
        match kind {
            "speak" => !self.listeners.is_empty(),
            "whisper" => !self.confidants.is_empty(),
            "move" => !self.exits.is_empty(),
            _ => true,
        }
    }

    /// Chooses what to do: mostly to speak, above all to who spoke last; never what was just
    /// refused.
    fn choose(
        &self,
        earlier: &[&'static str],
        prompt: &Prompt<'_>,
        writer: &mut Writer<'_>,
    ) -> Option<&'static str> {
        let refused = prompt
            .refused()
            .filter_map(|refused| kind_of(refused.answer.as_str()));
        let mut refused: Vec<_> = refused.collect();
        if self.refused {
            refused.extend(earlier.first());
        }
        let last = earlier.first().copied();
        let has_untold = !self.untold(writer).is_empty();
        let weight = |kind: &&str| match *kind {
            kind if !self.allows(kind) || refused.contains(&kind) => 0,
            "speak" if self.heard.is_empty() => 60,
            "speak" => 75,
            "whisper" if has_untold && !earlier.contains(&"whisper") => 10,
            "query" if last != Some("query") && !self.subjects.is_empty() => 8,
            "move" if self.listeners.is_empty() => 40,
            "move" if !earlier.contains(&"move") && self.round > 1 => 7,
            "announce" if !earlier.contains(&"announce") => 4,
            "wait" if self.listeners.is_empty() => 25,
            "wait" if last != Some("wait") => 3,
            _ => 0,
        };
        let weights: Vec<_> = self.kinds.iter().map(weight).collect();
        let chosen = writer.rng().weighted(weights.iter().copied());
        // If nothing attracts, whatever is possible and was not refused; else whatever is possible.
        let is_possible =
            |kind: &&&str| self.allows(kind) && (**kind != "query" || !self.subjects.is_empty());
        let calm = self.kinds.iter().rev().filter(is_possible);
        let mut calm = calm.copied().collect::<Vec<_>>();
        calm.sort_by_key(|kind| refused.contains(kind));
        chosen
            .and_then(|index| self.kinds.get(index))
            .or(calm.first())
            .copied()
    }

    /// Secrets that one has not told yet, as far as one remembers.
    fn untold(&self, writer: &Writer<'_>) -> Vec<&'n str> {
        let secrets = self.notes.texts("secrets").into_iter();
        let is_untold = |secret: &&str| !secret.is_empty() && !writer.remembers(bare(secret));
        secrets.filter(is_untold).collect()
    }

    /// Tells the writer what is known at home.
    fn tell(&self, writer: &mut Writer<'n>) {
        let fight = self.notes.object("last_fight");
        let foes = fight.texts("foes");
        writer.set("next", self.notes.text("next_dungeon"));
        writer.set("fight_place", fight.text("place"));
        writer.set_list("fight_foes", &foes);
        writer.set_any("fight_foe", &foes);
        writer.flag("won", fight.text("result") == "won");
        writer.flag("lost", fight.text("result") == "lost");
        writer.flag("refused", self.refused);
        writer.flag("early", self.round <= 1);
        writer.flag("alone", self.listeners.is_empty());
        writer.set_any("exit", &self.exits);
    }

    fn speak(&self, writer: &mut Writer<'n>) -> Option<(&'static str, Value)> {
        let mut heard = self.heard.iter().rev();
        let heard = heard.find(|line| self.listeners.contains(&line.text("who")));
        // Who was named is addressed, and answers; others may turn to somebody else.
        let is_addressed = heard.is_some_and(|line| line.text("text").contains(self.me));
        let percent = if is_addressed { 95 } else { 55 };
        let heard = heard.filter(|_| writer.rng().happens(percent));
        let target = match heard {
            Some(line) => line.text("who"),
            None => writer.rng().pick(&self.listeners).copied()?,
        };
        writer.set("target", target);
        let others = self.listeners.iter().copied();
        let others: Vec<_> = others.filter(|name| *name != target).collect();
        writer.set_any("other", &others);
        let first = match heard.map(|line| line.text("text")) {
            Some(text) => {
                writer.flag("asked", text.contains(['?', '？']));
                writer.set("topic", self.topic(text, target));
                "speak.answer"
            }
            None => "speak.open",
        };
        let mut text = writer.line(first);
        if writer.rng().happens(65) {
            let more = writer.line("speak.more");
            text = writer.paragraph(&[text, more]);
        }
        Some(("mind.speak", json!({"target": target, "text": text})))
    }

    /// The name we know that a line spoke of last.
    fn topic(&self, text: &str, speaker: &str) -> &'n str {
        let names = self.subjects.iter().chain(&self.present).copied();
        let names = names.filter(|name| *name != speaker && *name != self.me);
        let found = names.filter_map(|name| Some((text.rfind(name)?, name)));
        found
            .max_by_key(|(start, name)| (*start, name.len()))
            .map(|(_, name)| name)
            .unwrap_or_default()
    }

    fn whisper(&self, writer: &mut Writer<'n>) -> Option<(&'static str, Value)> {
        let target = writer.rng().pick(&self.confidants).copied()?;
        writer.set("target", target);
        let secrets = self.untold(writer);
        let text = match writer.rng().pick(&secrets) {
            Some(secret) => {
                writer.set("secret", bare(secret));
                writer.line("whisper")
            }
            None => writer.line("whisper.plain"),
        };
        Some(("mind.whisper", json!({"target": target, "text": text})))
    }

    /// A search for one name: chapters are found by the words they hold.
    fn query(&self, writer: &mut Writer<'n>) -> Option<(&'static str, Value)> {
        let subject = *writer.rng().pick(&self.subjects)?;
        writer.set("topic", subject);
        Some(("mind.query", json!({"text": subject})))
    }

    fn walk(&self, writer: &mut Writer<'n>) -> Option<(&'static str, Value)> {
        let exit = *writer.rng().pick(&self.exits)?;
        writer.set("exit", exit);
        Some(("mind.move", json!({"to": exit})))
    }
}

/// What one may wonder about.
pub(super) fn subjects(notes: Notes<'_>) -> Vec<&str> {
    let fight = notes.object("last_fight");
    let mut names = vec![
        notes.text("next_dungeon"),
        fight.text("place"),
        notes.text("place"),
    ];
    names.extend(fight.texts("foes"));
    names.extend(notes.texts("exits"));
    names.retain(|name| !name.is_empty());
    names
}

/// The kinds of one's own latest plans, the latest first.
fn earlier_kinds(prompt: &Prompt<'_>) -> Vec<&'static str> {
    let entries = prompt.history.entries().iter().rev().take(12);
    let own = entries.filter(|entry| entry.role() == Role::Ai);
    own.filter_map(|entry| kind_of(&entry.body().full_text()))
        .collect()
}

fn kind_of(answer: &str) -> Option<&'static str> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    KINDS
        .into_iter()
        .find(|kind| answer.get(*kind).is_some_and(|action| !action.is_null()))
}
