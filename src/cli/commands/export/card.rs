//! `export --to card`: a character as it is now, to take it along.

use crate::cli::prelude::*;

use crate::interop::cards::{Card, Character};
use crate::message::Role;
use crate::rpg::{BeingPicture, CampaignPicture};

use super::files::{LineFiles, file_of};
use super::stories::Story;
use crate::cli::saved::{Being, Saved};

/// How many of its last words show how it speaks.
const EXAMPLES: usize = 8;

/// The card of each character.
pub(super) fn write(
    saved: &Saved,
    story: &Story,
    files: &mut LineFiles,
    prefix: &str,
) -> Result<()> {
    for being in story.beings() {
        let card = Card::new(character(saved, story, being));
        let file = format!("{prefix}{}", file_of(&being.name, being.id, ".json"));
        files.add(file, &being.name, &card.to_json())?;
    }
    Ok(())
}

fn character(saved: &Saved, story: &Story, being: &Being) -> Character {
    let words = last_words(story, being);
    let place = being.place.and_then(|place| story.state.being(place));
    let example = |words: &String| format!("<START>\n{{{{char}}}}: {words}");
    let examples: Vec<_> = words.iter().map(example).collect();
    let look = being.look.as_deref().map(str::to_owned);
    let own = story.state.games.get::<CampaignPicture>();
    let own = own.and_then(|campaign| campaign.being(being));
    let about = own.map(|own| own.about.clone());
    let profile = about.filter(|about| !about.is_empty());
    let profile = profile.unwrap_or_else(|| told_of_itself(being));
    let description = [Some(profile), look].into_iter().flatten();
    let description = description.filter(|text| !text.is_empty());
    let mut extensions = serde_json::Map::new();
    let (slot, world) = (saved.slot.name().as_str(), &saved.story.header.world);
    extensions.insert(
        "playhouse".into(),
        json!({"world": world, "save": slot, "turn": saved.turn}),
    );
    Character {
        name: being.name.to_string(),
        description: description.collect::<Vec<_>>().join("\n\n"),
        personality: own.map_or_else(String::new, personality),
        scenario: place.map_or_else(String::new, |place| place.name.to_string()),
        first_mes: words.last().cloned().unwrap_or_default(),
        mes_example: examples.join("\n"),
        character_book: Some(book(story, being)),
        extensions,
        ..Character::default()
    }
}

/// What it is told of itself, without the rules that all share.
fn told_of_itself(being: &Being) -> String {
    let entries = being.context.value.entries();
    let first = entries.first().filter(|entry| entry.role() == Role::System);
    let Some(body) = first.map(|entry| entry.body()) else {
        return String::new();
    };
    let rules = body.shared_prefix().map_or("", |rules| rules.as_str());
    let whole = body.joined_text("\n");
    let own = whole.strip_prefix(rules).unwrap_or(&whole);
    own.trim().to_owned()
}

/// What it wants, feels and has promised, as the campaign knows it.
fn personality(own: &BeingPicture) -> String {
    let goals = own.goals.iter().map(|(words, _)| words.clone());
    let bonds = own.bonds.iter().filter(|(_, bond)| !bond.word.is_empty());
    let bonds = bonds.map(|(to, bond)| format!("{to}: {}", bond.word));
    goals.chain(bonds).collect::<Vec<_>>().join("\n")
}

fn last_words(story: &Story, being: &Being) -> Vec<String> {
    let contents = story.view.read();
    let events = contents.events.iter().rev();
    let own = events.filter(|entry| entry.by == Some(being.id));
    let words = own.filter_map(|entry| story.words(entry.form, &entry.record()));
    let mut words: Vec<_> = words.take(EXAMPLES).collect();
    words.reverse();
    words
}

/// Its memories and what it knows, as a book: a memory comes up by those who were in it and where.
fn book(story: &Story, being: &Being) -> Value {
    let chapters = being.chapters.value.all().iter().map(|chapter| {
        let record = chapter.record.as_ref();
        let people = record.into_iter().flat_map(|record| &record.with);
        let places = record.into_iter().flat_map(|record| &record.places);
        let keys: Vec<_> = people.chain(places).map(|name| name.to_string()).collect();
        (
            keys,
            chapter.title.clone(),
            chapter.summary.full_text().into_owned(),
        )
    });
    let facts = story.state.known_by(being).map(|(fact, _)| {
        let phrases = fact.phrases.iter().filter(|phrase| !phrase.contains('*'));
        let keys = fact.keys.iter().chain(phrases).cloned().collect();
        (keys, fact.title.clone(), fact.text.clone())
    });
    let known = (1..).zip(chapters.chain(facts));
    let entries = known.map(|(id, (keys, title, content)): (u32, (Vec<String>, _, _))| {
        // What nothing brings up is always there.
        let constant = keys.is_empty();
        json!({
            "id": id, "keys": keys, "secondary_keys": [], "name": title, "comment": title,
            "content": content, "enabled": true, "insertion_order": id, "use_regex": false,
            "constant": constant, "selective": false, "case_sensitive": false,
            "position": "before_char", "extensions": {},
        })
    });
    let entries: Vec<_> = entries.collect();
    json!({"name": &*being.name, "entries": entries, "extensions": {}})
}
