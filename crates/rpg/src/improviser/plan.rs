//! What an actor at home says and does in its turn.

use playhouse_engine::event::AgentEvent;
use playhouse_engine::message::Role;
use playhouse_engine::mind::improviser::Writer;
use playhouse_engine::mind::{AnswerForm, Notes, Prompt};
use serde_json::{Map, Value, json};

use super::telling::{Listeners, TellableFact, Telling};
use super::temperament::{Temperament, feelings};
use super::voice::{called_by_bond, unsaid, voice_line};
use crate::actions::member::{Member, Source};
use crate::actions::{ActionSpec, Appeal, Slot};
use crate::events::{ItemGiven, ItemMoved};
use crate::talk::is_question;

/// What may be done in the same turn as something said.
const WITH_WORDS: [&str; 5] = ["take", "give", "show", "read", "move"];
/// The percentage of turns with words in which something is done as well.
const DOES_BOTH: usize = 15;
/// The percentage of turns with words in which the words are lines of the actor's own voice, as
/// long as there are some.
const OWN_WORDS: usize = 50;
/// The percentage of turns in which a feeling changes, if an actor has just told something.
const FEELS: usize = 40;
/// The percentage of turns in which one thinks of what one does.
const THINKS: usize = 15;
/// The percentage of turns that begin with what another has just decided, before anybody has spoken
/// and after.
const REACTS: [usize; 2] = [75, 30];
/// How often other words are looked for if they ask something and nobody may answer.
const TRIES: usize = 4;

/// A turn; `None` if the schema asks for something else.
pub(super) fn plan<'a>(prompt: &Prompt<'a>, writer: &mut Writer<'a>) -> Option<Value> {
    let AnswerForm::Json { constrained, .. } = prompt.form else {
        return None;
    };
    let home = PlanNotes::read(constrained, prompt)?;
    let earlier = earlier_kinds(prompt);
    let refused = home.refused_kinds(&earlier, prompt);
    home.tell(writer);
    let mut turn = Map::new();
    let weight = |kind: &str, writer: &Writer<'a>| home.weight(kind, &earlier, &refused, writer);
    // To talk and to tell are both to speak, for different reasons.
    let telling = home.telling(writer);
    let can_speak = home.allows("speak") && !refused.contains(&"speak");
    let tell_weight = telling
        .as_ref()
        .filter(|_| can_speak)
        .map_or(0, |telling| telling.weight(home.temperament.openness));
    let kinds: Vec<_> = home.actions.iter().map(|action| action.row.name).collect();
    let mut weights: Vec<_> = kinds.iter().map(|kind| weight(kind, writer)).collect();
    weights.push(tell_weight);
    let chosen = writer.rng().weighted(weights.iter().copied());
    let symbol = match chosen {
        Some(index) if index == kinds.len() => telling?.tell(&kinds, writer, &mut turn)?,
        Some(index) => home.act(kinds.get(index)?, writer, &mut turn)?,
        None => home.act(home.calm(&refused), writer, &mut turn)?,
    };
    let mut said = ActionSpec::all().filter(|row| row.slot == Slot::Said);
    let spoke = said.any(|row| turn.contains_key(row.name));
    let did = WITH_WORDS.iter().any(|kind| turn.contains_key(*kind));
    if spoke && writer.rng().happens(DOES_BOTH) {
        let weights: Vec<_> = WITH_WORDS.iter().map(|kind| weight(kind, writer)).collect();
        let beside = writer.rng().weighted(weights.iter().copied());
        if let Some(kind) = beside.and_then(|index| WITH_WORDS.get(index)) {
            home.act(kind, writer, &mut turn)?;
        }
    } else if did && writer.is_known("item") && writer.is_known("target") && can_speak {
        // A few words with what is done for an actor.
        let target = writer.known("target").to_owned();
        let text = writer.line("speak.item");
        turn.insert("speak".into(), json!({"target": target, "text": text}));
    }
    if let Some(feeling) = home.feel(writer) {
        turn.insert("feels".into(), feeling);
    }
    // Nobody is addressed by its whole name.
    let called = |name: &str| match home.notes.object("called").text(name) {
        "" => name.to_owned(),
        called => called.to_owned(),
    };
    // Most words and deeds speak for themselves.
    let mind = if writer.rng().happens(THINKS) {
        let thought = writer.line(symbol);
        let target = writer.known("target");
        thought.replace(target, called_by_bond(home.notes, target))
    } else {
        String::new()
    };
    for said in ["speak", "whisper"] {
        if let Some(said) = turn.get_mut(said) {
            let [text, target] = ["text", "target"].map(|member| said[member].as_str());
            said["text"] = text?.replace(target?, &called(target?)).into();
        }
    }
    if home.notes.text("ending") == "now" {
        turn.retain(|_, said| !said["text"].as_str().is_some_and(is_question));
        if turn
            .keys()
            .all(|kind| ["feels", "tells"].contains(&&**kind))
        {
            home.act("wait", writer, &mut turn)?;
        }
    }
    turn.insert("mind".into(), mind.into());
    Some(turn.into())
}

/// What the notes tell, and what the constrained schema leaves open.
struct PlanNotes<'n> {
    notes: Notes<'n>,
    me: &'n str,
    temperament: Temperament,
    subjects: Vec<&'n str>,
    present: Vec<&'n str>,
    heard: Vec<Notes<'n>>,
    actions: Vec<PossibleAction<'n>>,
    listeners: Vec<&'n str>,
    exits: Vec<&'n str>,
    feels_about: Vec<&'n str>,
    facts: Vec<TellableFact<'n>>,
    /// What it has learned in this talk.
    news: Vec<TellableFact<'n>>,
}

struct PossibleAction<'n> {
    row: &'static ActionSpec,
    /// For each member that has names to choose from those that it would choose.
    members: Vec<(Member, Vec<&'n str>)>,
}

impl<'n> PlanNotes<'n> {
    fn read(schema: &Value, prompt: &Prompt<'n>) -> Option<Self> {
        let notes = Notes::of(prompt);
        let properties = schema.get("properties")?.as_object()?;
        // Names of the notes that the schema allows: a turn never names anybody who is not there.
        let allowed = |action: &str, member: &str, names: Vec<&'n str>| {
            let pointer = format!("/properties/{action}/properties/{member}/enum");
            let legal = schema.pointer(&pointer).and_then(Value::as_array);
            let is_legal = |name: &&str| {
                legal.is_some_and(|legal| legal.iter().any(|other| other.as_str() == Some(*name)))
            };
            names.into_iter().filter(is_legal).collect::<Vec<_>>()
        };
        let me = notes.text("me");
        let present = notes.names("present");
        let mut all_others = present.clone();
        all_others.retain(|name| *name != me);
        let things = |list: &str, test: &dyn Fn(Notes<'_>) -> bool| {
            let things = notes.list(list).filter(|thing| test(*thing));
            things.map(Notes::name).collect::<Vec<_>>()
        };
        let entries = prompt.history.entries().iter();
        let handed_over = entries.filter(|entry| {
            let kind = entry.body().event_type();
            [Some(ItemGiven::TYPE), Some(ItemMoved::TYPE)].contains(&kind)
        });
        let handed_over: Vec<_> = handed_over.map(|entry| entry.body().full_text()).collect();
        let chosen = |action: &str, source: Source| match source {
            Source::Addressee
            | Source::Confidant
            | Source::Person
            | Source::Leader
            | Source::Listener => Some(all_others.clone()),
            // What is at stake changes hands by choices alone, and is not known before.
            Source::Held | Source::Spare => Some(things("items", &|thing: Notes<'_>| {
                let suits = match action {
                    // Nothing goes to and fro.
                    "give" => !handed_over.iter().any(|told| told.contains(thing.name())),
                    "show" => thing.flag("readable"),
                    "hide" => !thing.flag("is_needed"),
                    _ => true,
                };
                suits && !thing.flag("is_own") && !thing.flag("is_decided_on")
            })),
            Source::Lying => Some(things("lying", &|thing| !thing.flag("is_decided_on"))),
            Source::Readable => {
                let is_unread =
                    |thing: Notes<'_>| !thing.flag("is_known") && !thing.flag("is_decided_on");
                Some([things("items", &is_unread), things("lying", &is_unread)].concat())
            }
            source => source.noted(notes),
        };
        let possible = |row: &'static ActionSpec| {
            let members = row.members.iter().filter_map(|member| {
                let names = chosen(row.name, member.source)?;
                Some((*member, allowed(row.name, member.name, names)))
            });
            PossibleAction {
                row,
                members: members.collect(),
            }
        };
        let rows = ActionSpec::all().filter(|row| properties.contains_key(row.name));
        let actions: Vec<_> = rows.map(possible).collect();
        let facts = notes.list("facts").map(TellableFact::of);
        (!actions.is_empty()).then(|| Self {
            notes,
            me,
            temperament: Temperament::of(prompt),
            subjects: subjects(notes),
            heard: notes.list("heard").collect(),
            listeners: allowed("speak", "target", all_others.clone()),
            exits: allowed("move", "to", notes.texts("exits")),
            feels_about: allowed("feels", "about", all_others.clone()),
            facts: facts.collect(),
            news: notes.list("news").map(TellableFact::of).collect(),
            present,
            actions,
        })
    }

    fn action(&self, kind: &str) -> Option<&PossibleAction<'n>> {
        self.actions.iter().find(|action| action.row.name == kind)
    }

    /// Whether there is something to choose for each member.
    fn allows(&self, kind: &str) -> bool {
        let has_choice =
            |action: &PossibleAction<'_>| action.members.iter().all(|(_, names)| !names.is_empty());
        let is_fit = match kind {
            "query" => !self.subjects.is_empty(),
            // Things are hidden from an actor.
            "hide" => !self.listeners.is_empty(),
            _ => true,
        };
        is_fit && self.action(kind).is_some_and(has_choice)
    }

    fn refused_kinds(
        &self,
        earlier: &[Vec<&'static str>],
        prompt: &Prompt<'_>,
    ) -> Vec<&'static str> {
        let answers = prompt.refused();
        let mut refused: Vec<_> = answers
            .flat_map(|refused| kinds_of(refused.answer.as_str()))
            .collect();
        if !self.notes.text("refused").is_empty() {
            refused.extend(earlier.first().into_iter().flatten());
        }
        refused
    }

    /// How much something attracts: mostly to speak, above all to who spoke last; never what was
    /// just refused.
    fn weight(
        &self,
        kind: &str,
        earlier: &[Vec<&'static str>],
        refused: &[&str],
        writer: &Writer<'_>,
    ) -> u32 {
        if !self.allows(kind) || refused.contains(&kind) {
            return 0;
        }
        let is_alone = self.listeners.is_empty();
        let last = earlier.first().is_some_and(|kinds| kinds.contains(&kind));
        let recent = earlier.iter().any(|kinds| kinds.contains(&kind));
        let Temperament {
            giving, restless, ..
        } = self.temperament;
        match kind {
            "speak" if self.is_told() => 90,
            "speak" if !self.notes.object("decided").text("by").is_empty() => 80,
            "speak" if self.heard.is_empty() || self.is_asked() => 60,
            "speak" if !unsaid(self.notes, writer).is_empty() => 55,
            "speak" => 30,
            "read" if self.unread(writer).is_some() => 40,
            "give" if !recent => giving / 2,
            "move" if self.notes.flag("is_needed") => 0,
            "move" if is_alone => 40,
            "move" if !recent && self.notes.number("round") != 1 => restless,
            "attempt" if self.hurt().is_some() && !recent => 25,
            "wait" if is_alone => 25,
            "wait" => 14,
            _ => match self.action(kind).map(|action| action.row.appeal) {
                Some(Appeal::Always(weight)) => weight,
                Some(Appeal::NotTwice(weight)) if !last => weight,
                Some(Appeal::Rarely(weight)) if !recent => weight,
                _ => 0,
            },
        }
    }

    /// What is done if nothing attracts: whatever is possible, best what was not refused.
    fn calm(&self, refused: &[&str]) -> &'static str {
        let quiet = ["wait", "query", "move", "announce", "speak"];
        let mut possible = quiet.iter().filter(|kind| self.allows(kind));
        let first = possible.clone().next();
        let best = possible.find(|kind| !refused.contains(*kind));
        best.or(first).copied().unwrap_or("wait")
    }

    /// Tells the writer what is known at home.
    fn tell(&self, writer: &mut Writer<'n>) {
        let fight = self.notes.object("last_fight");
        let foes = fight.texts("foes");
        let next = self.notes.text("next_dungeon");
        writer.set("next", next);
        // Once no journey lies ahead, nobody at home speaks of going.
        let exits = self.notes.texts("exits");
        if next.is_empty() && self.notes.texts("vote").is_empty() && !exits.is_empty() {
            writer.flag("travels", false);
        }
        writer.set("fight_place", fight.text("place"));
        writer.set_list("fight_foes", &foes);
        writer.set_any("fight_foe", &foes);
        writer.flag("won", fight.text("result") == "won");
        writer.flag("lost", fight.text("result") == "lost");
        writer.flag("refused", !self.notes.text("refused").is_empty());
        writer.flag("early", self.notes.number("round") <= 1);
        writer.flag("alone", self.listeners.is_empty());
        writer.set_any("exit", &self.exits);
    }

    /// What it would tell now, and whom.
    fn telling(&self, writer: &mut Writer<'n>) -> Option<Telling<'n>> {
        let most = self.notes.number("speech_chars");
        let asker = self.heard.last().filter(|_| self.is_asked());
        let listeners = Listeners {
            notes: self.notes,
            names: &self.listeners,
            feelings: &feelings(self.notes),
            asker: asker.map_or("", |line| line.text("who")),
        };
        Telling::choose(self.me, &self.facts, &listeners, most, writer)
    }

    /// Fills one kind; returns the symbol of the thought behind it.
    fn act(
        &self,
        kind: &str,
        writer: &mut Writer<'n>,
        turn: &mut Map<String, Value>,
    ) -> Option<&'static str> {
        let (symbol, action) = match kind {
            "speak" => self.speak(writer)?,
            "whisper" => {
                self.to_any(self.names(kind), writer)?;
                let target = writer.known("target").to_owned();
                let text = writer.line("whisper.plain");
                ("mind.whisper", json!({"target": target, "text": text}))
            }
            "announce" => ("mind.announce", json!({"text": writer.line("announce")})),
            "read" => {
                let item = self.unread(writer)?;
                writer.set("item", item);
                ("mind.item", json!({"item": item}))
            }
            "use" => {
                let uses: Vec<_> = self.notes.list("uses").collect();
                let using = *writer.rng().pick(&uses)?;
                let (item, with) = (using.text("item"), using.text("with"));
                writer.set("item", item);
                ("mind.item", json!({"item": item, "with": with}))
            }
            "promise" => {
                let to = self.to_any(self.names(kind), writer)?;
                let words = writer.line("promise.words");
                ("mind.promise", json!({"to": to, "words": words}))
            }
            "attempt" => {
                // Whoever is hurt is seen to first.
                let hurt = self.hurt();
                if let Some(name) = hurt {
                    writer.set("target", name);
                }
                let what = match hurt {
                    Some(_) => json!({"what": writer.clause("attempt.heal")}),
                    None => json!({
                        "what": writer.clause("attempt.what"),
                        "aim": writer.clause("attempt.aim"),
                    }),
                };
                ("mind.attempt", what)
            }
            // A search for one name: chapters are found by the words they hold.
            "query" => {
                let subject = *writer.rng().pick(&self.subjects)?;
                writer.set("topic", subject);
                ("mind.query", json!({"text": subject}))
            }
            "move" => {
                let exit = *writer.rng().pick(&self.exits)?;
                writer.set("exit", exit);
                ("mind.move", json!({"to": exit}))
            }
            "wait" => ("mind.wait", json!({"reason": writer.line("wait")})),
            _ => self.choose(kind, writer)?,
        };
        turn.insert(kind.to_owned(), action);
        Some(symbol)
    }

    /// One name for each member that has some to choose from.
    fn choose(&self, kind: &str, writer: &mut Writer<'n>) -> Option<(&'static str, Value)> {
        let mut symbol = "mind.wait";
        let mut chosen = Map::new();
        for (member, names) in &self.action(kind)?.members {
            let name = match member.source {
                Source::Lying | Source::Spare | Source::Held | Source::Readable => {
                    let item = *writer.rng().pick(names)?;
                    writer.set("item", item);
                    symbol = "mind.item";
                    item
                }
                _ => self.to_any(names, writer)?,
            };
            chosen.insert(member.name.to_owned(), name.into());
        }
        Some((symbol, chosen.into()))
    }

    /// The names to choose from for the first member.
    fn names(&self, kind: &str) -> &[&'n str] {
        let first = self.action(kind).and_then(|action| action.members.first());
        first.map_or(&[], |(_, names)| names)
    }

    /// One of these people: the one that is spoken to already, if possible.
    fn to_any(&self, names: &[&'n str], writer: &mut Writer<'n>) -> Option<&'n str> {
        let known = names.iter().find(|name| writer.is("target", name));
        let name = match known {
            Some(name) => *name,
            None => *writer.rng().pick(names)?,
        };
        self.address(name, writer);
        Some(name)
    }

    fn address(&self, target: &'n str, writer: &mut Writer<'n>) {
        writer.set("target", target);
        let others: Vec<_> = self
            .listeners
            .iter()
            .filter(|name| **name != target)
            .map(|name| called_by_bond(self.notes, name))
            .collect();
        writer.set_any("other", &others);
    }

    /// Something to read that it has not read, as far as it remembers.
    fn unread(&self, writer: &Writer<'_>) -> Option<&'n str> {
        let mut readable = self.names("read").iter().copied();
        readable.find(|item| {
            let read = format!("\"read\":{{\"item\":{}}}", Value::from(*item));
            !writer.remembers(&read)
        })
    }

    /// Another here who has lost many hit points.
    fn hurt(&self) -> Option<&'n str> {
        let mut hurt = self.notes.list("hurt");
        let is_weak = |one: &Notes<'_>| 2 * one.number("hp") < one.number("max_hp");
        let weak = hurt.find(|one| is_weak(one) && self.listeners.contains(&one.name()));
        weak.map(Notes::name)
    }

    fn speak(&self, writer: &mut Writer<'n>) -> Option<(&'static str, Value)> {
        let words = self.react(writer).or_else(|| self.take_up(writer));
        if let Some(words) = words.or_else(|| self.bring_up(writer)) {
            return Some(("mind.speak", words));
        }
        let heard = self
            .heard
            .iter()
            .rev()
            .find(|line| self.listeners.contains(&line.text("who")));
        // One that was named answers; others may turn to another actor.
        let is_addressed = heard.is_some_and(|line| line.text("text").contains(self.me));
        let percent = if is_addressed { 95 } else { 55 };
        let heard = heard.filter(|_| writer.rng().happens(percent));
        let target = match heard {
            Some(line) => line.text("who"),
            None => writer.rng().pick(&self.listeners).copied()?,
        };
        self.address(target, writer);
        let is_last = self.notes.text("ending") == "now";
        if writer.rng().happens(OWN_WORDS)
            && let Some(line) = voice_line(self.notes, writer)
            && !(is_last && is_question(line))
        {
            return Some(("mind.speak", json!({"target": target, "text": line})));
        }
        let first = match heard.map(|line| line.text("text")) {
            Some(text) => {
                writer.flag("asked", text.contains(['?', '？']));
                self.tell_question(text, target, writer);
                let topic = self.topic(text, target);
                writer.set("topic", called_by_bond(self.notes, topic));
                "speak.answer"
            }
            None => "speak.open",
        };
        let mut text = self.with_more(writer.line(first), 12, writer);
        for _ in 0..TRIES {
            if is_last && text.contains(['?', '？']) {
                text = writer.line(first);
            }
        }
        Some(("mind.speak", json!({"target": target, "text": text})))
    }

    /// Some words, and in this percentage of cases more.
    fn with_more(&self, text: String, percent: usize, writer: &mut Writer<'n>) -> String {
        if !writer.rng().happens(percent) {
            return text;
        }
        let more = writer.line("speak.more");
        writer.paragraph(&[text, more])
    }

    /// Words about what another has just decided, to that one or about it.
    fn react(&self, writer: &mut Writer<'n>) -> Option<Value> {
        let decided = self.notes.object("decided");
        let (by, receiver) = (decided.text("by"), decided.text("receiver"));
        let is_fit = !by.is_empty() && !self.is_asked();
        let percent = REACTS[usize::from(!self.heard.is_empty())];
        if !is_fit || !writer.rng().happens(percent) {
            return None;
        }
        let is_here = self.listeners.contains(&by);
        let target = match is_here {
            true => by,
            false => *writer.rng().pick(&self.listeners)?,
        };
        self.address(target, writer);
        if !is_here {
            writer.set("other", called_by_bond(self.notes, by));
        }
        let liked = feelings(self.notes).into_iter();
        let mut liked = liked.filter(|(name, _)| *name == by).map(|(_, felt)| felt);
        let felt = match decided.number("felt") {
            0 => liked.next().unwrap_or_default() / 2,
            felt => felt,
        };
        let is_mine = receiver == self.me;
        writer.flag("pleased", felt > 0);
        writer.flag("sorry", felt < 0);
        writer.flag("mine", is_mine);
        writer.set("item", decided.text("item"));
        writer.flag("gone", receiver.is_empty());
        writer.flag(
            "promised",
            !receiver.is_empty() && decided.text("item").is_empty(),
        );
        let is_other = !is_mine && receiver != target && receiver != by;
        let named = called_by_bond(self.notes, receiver);
        writer.set("receiver", if is_other { named } else { "" });
        let symbol = ["speak.decided.of", "speak.decided"][usize::from(is_here)];
        let text = writer.line(symbol);
        for fact in ["item", "receiver"] {
            writer.set(fact, "");
        }
        Some(json!({"target": target, "text": text}))
    }

    /// Words about something that it was just told, to the teller.
    fn take_up(&self, writer: &mut Writer<'n>) -> Option<Value> {
        let mut news = self.news.iter();
        let fact = news.find(|fact| {
            let title = fact.about(self.me, writer.language());
            let is_open = title.is_some_and(|title| !writer.remembers(&title));
            is_open && self.listeners.contains(&fact.from)
        })?;
        self.address(fact.from, writer);
        writer.set("title", fact.about(self.me, writer.language())?);
        let text = writer.line("speak.learned");
        Some(json!({"target": fact.from, "text": text}))
    }

    /// Words about something that it found out by itself, not of itself, and has not spoken of: to
    /// the one whom it is about, if that one is here.
    fn bring_up(&self, writer: &mut Writer<'n>) -> Option<Value> {
        let found = self.facts.iter();
        let is_news = |fact: &&TellableFact<'_>| fact.is_found && !fact.names(self.me);
        let mut found = found.filter(|fact| is_news(fact) && !fact.is_own && !fact.is_feared);
        let fact = found.find(|fact| {
            let title = fact.about(self.me, writer.language());
            title.is_some_and(|title| !writer.remembers(&title))
        })?;
        let mut listeners = self.listeners.iter().copied();
        let meant = listeners.find(|name| fact.names(name));
        let target = meant.or_else(|| writer.rng().pick(&self.listeners).copied())?;
        self.address(target, writer);
        writer.set("title", fact.about(self.me, writer.language())?);
        let text = writer.line("speak.found");
        Some(json!({"target": target, "text": text}))
    }

    /// What was asked, as far as it can tell: for a name, or for a yes or no.
    fn tell_question(&self, text: &str, target: &str, writer: &mut Writer<'n>) {
        let text = text.to_lowercase();
        for symbol in ["whom", "whether"] {
            let is_asked = writer.words(symbol).any(|words| text.contains(words));
            writer.flag(symbol, is_asked);
        }
        let liked = feelings(self.notes).into_iter();
        let liked = liked.filter(|(name, felt)| *felt > 0 && *name != target);
        let trusted = liked.max_by_key(|(_, felt)| *felt).map(|(name, _)| name);
        let trusted = trusted.unwrap_or_default();
        writer.set("trusted", called_by_bond(self.notes, trusted));
    }

    /// How it feels now about one that has just told it something: better, unless that is about the
    /// teller, whom it may speak against, and worse if it would rather that the other did not know.
    fn feel(&self, writer: &mut Writer<'n>) -> Option<Value> {
        let mut news = self.news.iter();
        let fact = news.find(|fact| {
            let counts = fact.is_feared || !fact.names(fact.from);
            counts && self.feels_about.contains(&fact.from)
        })?;
        if !writer.rng().happens(FEELS) {
            return None;
        }
        self.address(fact.from, writer);
        let (change, symbol) = if fact.is_feared {
            (-1, "feels.colder")
        } else {
            (1, "feels.warmer")
        };
        let why = writer.line(symbol);
        Some(json!({"about": fact.from, "change": change, "why": why}))
    }

    /// Whether an actor here has just told it something.
    fn is_told(&self) -> bool {
        let mut news = self.news.iter();
        news.any(|fact| self.listeners.contains(&fact.from))
    }

    /// Whether the last words that it heard ask it something.
    fn is_asked(&self) -> bool {
        let last = self.heard.last();
        last.is_some_and(|line| line.text("text").contains(['?', '？']))
    }

    /// The name we know that a line spoke of last.
    fn topic(&self, text: &str, speaker: &str) -> &'n str {
        let names = self.subjects.iter().chain(&self.present).copied();
        let others = names.filter(|name| *name != speaker && *name != self.me);
        let found = others.filter_map(|name| Some((text.rfind(name)?, name)));
        let last = found.max_by_key(|(start, name)| (*start, name.len()));
        last.map_or("", |(_, name)| name)
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

/// What one said and did in one's own latest turns, the latest first.
fn earlier_kinds(prompt: &Prompt<'_>) -> Vec<Vec<&'static str>> {
    let entries = prompt.history.entries().iter().rev().take(16);
    let own = entries.filter(|entry| entry.role() == Role::Ai);
    let kinds = own.map(|entry| kinds_of(&entry.body().full_text()));
    kinds.filter(|kinds| !kinds.is_empty()).collect()
}

fn kinds_of(answer: &str) -> Vec<&'static str> {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    let is_there = |kind: &&str| answer.get(*kind).is_some_and(|action| !action.is_null());
    let kinds = ActionSpec::all().map(|action| action.name);
    kinds.filter(is_there).collect()
}
