//! Card draw: each combatant draws a hand from its skills and is told of it. Where the world says
//! so, characters also word their cards, before anybody plays one.
//!
//! `fights: (draw: dealt)` needs no call: who plays a card words it as it plays it. With
//! `fights: (draw: asked)`, a character is asked twice: here for words for its cards, at its turn
//! for what it plays. It words each skill once in a story.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::StageRng;
use playhouse_engine::event::{AnsweredBy, EventWriter, PhraseError, Phrasebook, Prompt};
use playhouse_engine::exchange::{Answers, Ask, Question, Reply, Violation};
use rand::Rng;
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::arena::{Arena, Combatant, FightStage, names};
use super::choice::{NAME_CHARS, SEEN_CHARS, check_name, not_in_hand};
use super::rules::kind_name;
use super::state::{Combat, Hand, HeldCard};
use crate::events::{CardsDrawn, DRAW_TAG, DrawnCard};
use crate::phase::Phase;
use crate::speaker::Speaker;
use crate::world_file::{Draw, DrawEach, Skill, WorldFile};

/// What a character is asked for the words of its cards with.
#[derive(Serialize, Prompt)]
#[prompt(
    "asks/combat_draw",
    purpose = "combat.draw",
    short = "asks/combat_draw_short"
)]
pub(super) struct DrawData<'a> {
    me: &'a str,
    kind: &'a str,
    place: &'a str,
    faction: &'a str,
    round: u32,
    /// The cards that have no words yet.
    hand: Vec<CardNote<'a>>,
    foes: Vec<String>,
    allies: Vec<String>,
    speaker: Speaker<'a>,
}

/// A card that has no words yet.
#[derive(Serialize)]
struct CardNote<'a> {
    #[serde(flatten)]
    card: DrawnCard,
    about: &'a str,
}

/// The words that a mind finds for the cards of its hand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Hand", transform = crate::decision::without_words)] // Minds read this name.
pub(crate) struct HandWords {
    /// One card for each skill in your hand.
    #[serde(default)]
    pub(crate) cards: Vec<CardWords>,
}

/// The words of a card.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CardWords {
    /// The skill, by name.
    pub(crate) skill: String,
    /// What you call this move.
    #[serde(default)]
    pub(crate) name: String,
    /// How it looks, in a sentence.
    #[serde(default)]
    pub(crate) description: String,
}

impl Reply for HandWords {
    /// The skills in the hand, by name.
    type Constraints = Vec<Arc<str>>;
    const NAME: &'static str = "hand";
    const IS_TOLD: bool = true;

    fn constrain_schema(_schema: &Value, skills: &Vec<Arc<str>>) -> Option<Value> {
        let text = |most: usize| json!({"type": "string", "minLength": 1, "maxLength": most});
        let card = json!({
            "type": "object",
            "properties": {
                "skill": {"type": "string", "enum": skills},
                "name": text(NAME_CHARS),
                "description": text(SEEN_CHARS),
            },
            "required": ["skill", "name", "description"],
            "additionalProperties": false,
        });
        Some(json!({
            "type": "object",
            "properties": {"cards": {"type": "array", "items": card, "maxItems": skills.len()}},
            "required": ["cards"],
            "additionalProperties": false,
        }))
    }

    fn check(&self, skills: &Vec<Arc<str>>) -> Vec<Violation> {
        let cards = self.cards.iter().enumerate();
        let violations = cards.flat_map(|(index, card)| {
            let path = |member: &str| format!("cards[{index}].{member}");
            let is_held = skills.iter().any(|skill| **skill == *card.skill);
            let hand = || skills.iter().map(|skill| &**skill).collect::<Vec<_>>();
            let held = (!is_held).then(|| not_in_hand(path("skill"), &card.skill, &hand()));
            let name = check_name(path("name"), &card.name);
            let seen = Violation::too_long(path("description"), &card.description, SEEN_CHARS);
            held.into_iter().chain(name).chain(seen)
        });
        violations.collect()
    }
}

/// Everybody whose hand is of an earlier round draws a new one: all of them at the beginning of a
/// round, or only who is next, as the world says.
pub(super) fn draw_cards(
    mut arena: Arena,
    rng: StageRng,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some((stage, combat, combatants)) = arena.fight() else {
        return;
    };
    let world = arena.world();
    let next = combat.waiting.first();
    let draws = |each: &&Combatant| {
        let is_due = match world.fights.draw_each {
            DrawEach::Round => each.is_standing(),
            DrawEach::Turn => next == Some(&each.name),
        };
        is_due && each.hand.round != combat.round
    };
    let mut phase = Phase::Play;
    for me in combatants.iter().filter(draws) {
        let mut rng = rng.stream(&format!("combat/hand/{}", me.name));
        let skills = draw(&world, me, &mut rng);
        let hand = me.hand.next(combat.round, &skills);
        let words_cards = world.fights.draw == Draw::Asked && world.is_character(&me.name);
        if words_cards && !hand.cards.iter().all(HeldCard::is_worded) {
            let phrases = events.phrases();
            let ask = draw_ask(phrases, &world, (&stage, &combat), (me, &combatants), &hand);
            events.insert_or_fault(&mut commands, me.entity, ask);
            phase = Phase::Drawn;
        } else if !hand.cards.is_empty() {
            events.notify_entities(&[me.entity], drawn(&world, me, &hand));
        }
        commands.entity(me.entity).insert(hand);
    }
    arena.set_phase(&stage, phase);
}

/// Puts their minds' words on the cards of those who were asked. Cards without words keep the names
/// of their skills.
pub(super) fn take_drawn_cards(
    mut arena: Arena,
    mut answers: Answers<HandWords>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some((stage, _, combatants)) = arena.fight() else {
        return;
    };
    let world = arena.world();
    for (entity, words, by) in answers.take() {
        let Some(me) = combatants.iter().find(|each| each.entity == entity) else {
            continue;
        };
        let mut hand = me.hand.clone();
        let is_answered = !matches!(by, AnsweredBy::Fallback(_));
        let unworded = hand.cards.iter_mut().filter(|card| !card.is_worded());
        // A default answer has no words; who gave none finds some when it plays a card.
        for card in unworded.filter(|_| is_answered) {
            let words = words.cards.iter().find(|words| *words.skill == *card.skill);
            let name = words.map_or(&*card.skill, |words| words.name.trim());
            let description = words.map_or("", |words| words.description.trim());
            (card.name, card.description) = (name.to_owned(), description.to_owned());
            hand.worded.push(card.clone());
        }
        // Its answer, which its context has, says the same.
        events.think(entity, drawn(&world, me, &hand));
        commands.entity(entity).insert(hand);
    }
    arena.set_phase(&stage, Phase::Play);
}

/// Samples a hand from the skills that a combatant has and can pay for.
fn draw<'w>(world: &'w WorldFile, me: &Combatant, rng: &mut impl Rng) -> Vec<&'w Skill> {
    let knows = |skill: &&Skill| me.skills.iter().any(|name| **name == *skill.name);
    let skills = world.skills.iter().filter(knows);
    let mut hand: Vec<_> = skills
        .filter(|skill| skill.cost <= me.stats.energy)
        .collect();
    hand.shuffle(rng);
    hand.truncate(world.limits.hand_size.max(1) as usize);
    hand
}

/// What an actor is told of its hand.
fn drawn(world: &WorldFile, me: &Combatant, hand: &Hand) -> CardsDrawn {
    let cards = hand.cards.iter().filter_map(|card| drawn_card(world, card));
    CardsDrawn {
        actor: me.name.to_string(),
        round: hand.round,
        cards: cards.collect(),
    }
}

fn drawn_card(world: &WorldFile, card: &HeldCard) -> Option<DrawnCard> {
    let skill = world.skill(&card.skill)?;
    Some(DrawnCard {
        skill: skill.name.clone(),
        name: card.name.clone(),
        description: card.description.clone(),
        kind: kind_name(skill.kind).into(),
        cost: skill.cost,
        power: skill.power,
        accuracy: skill.accuracy,
        rounds: skill.duration,
    })
}

/// Asks for words for those cards of a hand that have none.
fn draw_ask(
    phrases: &Phrasebook,
    world: &WorldFile,
    (stage, combat): (&FightStage, &Combat),
    (me, combatants): (&Combatant, &[Combatant]),
    hand: &Hand,
) -> Result<Ask<HandWords>, PhraseError> {
    let standing = || combatants.iter().filter(|each| each.is_standing());
    let cards = hand.cards.iter().filter(|card| !card.is_worded());
    let cards = cards.filter_map(|card| {
        let about = &world.skill(&card.skill)?.about;
        let card = drawn_card(world, card)?;
        Some(CardNote { card, about })
    });
    let data = DrawData {
        me: &me.name,
        kind: "actor",
        place: &stage.name,
        faction: &me.faction,
        round: combat.round,
        hand: cards.collect(),
        foes: names(standing().filter(|each| !each.is_ally_of(me))),
        allies: names(standing().filter(|each| each.is_ally_of(me) && each.name != me.name)),
        speaker: Speaker::of(world, &me.name),
    };
    let skills = data.hand.iter().map(|note| note.card.skill.as_str().into());
    let ask = data
        .ask(phrases, skills.collect(), HandWords::default())?
        .max_tokens(world.limits.max_reply_tokens());
    Ok(ask.user_tag(DRAW_TAG, combat.round).without_tools())
}
