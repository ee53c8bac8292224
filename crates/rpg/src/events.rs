//! The campaign's own event types.

use std::sync::Arc;

use playhouse_engine::context::Noting;
use playhouse_engine::event::{
    AgentEvent, EventData, EventRecord, EventStyle, EventType, Prompt, Recipients, Sight, Watching,
    subject,
};
use playhouse_engine::locale::{Argument, UiText, text};
use playhouse_engine::message::{Tag, TagKey, Tags};
use playhouse_engine::session::TOLD;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::actions::ActionSpec;
use super::components::{Departure, FightResult};
use super::happening::{FightNote, Happening, Pledge};
use super::home::vote::VoteCounted;
use super::host::HostDid;
use super::scenes::choose::{ChoiceMade, NothingToDecide, SceneVoted};
use super::scenes::effects::{EffectSkipped, SceneText};
use super::scenes::endings::{Epilogue, StoryCloses};
use super::scenes::judge::ClaimJudged;
use super::scenes::open::SceneOpens;

/// The beginning of a fight; the stage's name.
pub const COMBAT_INITIALIZATION: TagKey = TagKey::new("combat_initialization");
/// The end of a fight; the stage's name.
pub const COMBAT_OUTCOME: TagKey = TagKey::new("combat_outcome");
/// Pairs the beginning and the end of a fight.
pub const COMBAT_ID: TagKey = TagKey::new("combat_id");
/// What somebody decided: the scene and the option, such as `the-key=burn`.
pub const CHOICE: TagKey = TagKey::new("choice");

/// Every event type of the campaign.
pub const EVENTS: &[EventType] = &[
    EventType::of::<Day>(),
    EventType::of::<StageDescription>(),
    EventType::of::<Journey>(),
    EventType::of::<CombatInitialization>(),
    EventType::of::<CombatRound>(),
    EventType::of::<CardsDrawn>(),
    EventType::of::<CardPlayed>(),
    EventType::of::<CombatMove>(),
    EventType::of::<CardHeld>(),
    EventType::of::<Wound>(),
    EventType::of::<Narration>(),
    EventType::of::<CombatOutcome>(),
    EventType::of::<BattleReport>(),
    EventType::of::<News>(),
    EventType::of::<Homecoming>(),
    EventType::of::<ItemTaken>(),
    EventType::of::<ItemGiven>(),
    EventType::of::<ItemMoved>(),
    EventType::of::<ItemShown>(),
    EventType::of::<ItemRead>(),
    EventType::of::<ItemUsed>(),
    EventType::of::<ItemHidden>(),
    EventType::of::<ItemDestroyed>(),
    EventType::of::<Following>(),
    EventType::of::<WhisperSeen>(),
    EventType::of::<NothingNew>(),
    EventType::of::<PromiseMade>(),
    EventType::of::<PromiseKept>(),
    EventType::of::<FeelingChanged>(),
    EventType::of::<Attempted>(),
    EventType::of::<AttemptOutcome>(),
    EventType::of::<Refusal>(),
    EventType::of::<OtherLanguage>(),
    EventType::of::<VoteCounted>(),
    EventType::of::<SceneOpens>(),
    EventType::of::<ChoiceMade>(),
    EventType::of::<SceneVoted>(),
    EventType::of::<NothingToDecide>(),
    EventType::of::<SceneText>(),
    EventType::of::<EffectSkipped>(),
    EventType::of::<ClaimJudged>(),
    EventType::of::<Epilogue>(),
    EventType::of::<StoryCloses>(),
    EventType::of::<HostDid>(),
    TOLD,
];

/// A day at home, or a round of one, begins or ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "day", style = shown, no_trigger, not_recallable, tags = message_tags, heading = begins, day = day
)]
pub struct Day {
    pub day: u32,
    /// `begin`, `round` or `end`.
    pub part: String,
    /// Which round of talk, from 1, if it is one.
    pub round: u32,
    pub rounds: u32,
    /// The name of the round; may be empty.
    #[serde(default)]
    pub hour: String,
}

impl Day {
    fn shown(&self) -> EventStyle {
        match self.part.as_str() {
            "begin" => EventStyle::Day,
            "round" => EventStyle::Round,
            _ => EventStyle::Hidden,
        }
    }

    fn begins(&self) -> Option<UiText> {
        let Self { day, round, .. } = self;
        Some(match (self.part.as_str(), round, self.rounds) {
            ("begin", ..) => text!(story_day, day),
            ("end", ..) => return None,
            _ if !self.hour.is_empty() => UiText::verbatim(&self.hour),
            (_, 1, 2) => text!(story_morning),
            (_, 2, 2) => text!(story_afternoon),
            _ => text!(story_day_round, round),
        })
    }

    fn message_tags(&self) -> Tags {
        let day = self.day.to_string();
        match self.part.as_str() {
            "end" => Tag::DAY_END.of(day).into(),
            "round" => Tags::default(),
            _ => Tag::DAY_BEGIN.of(day).into(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "scene", style = Scene, speaker = stage, spoken = message, words = message, seen = message
)]
pub struct StageDescription {
    pub stage: String,
    pub message: String,
}

/// The party sets out, goes deeper or returns home.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("dungeon", style = shown, not_recallable, happening = noted, heading = begins, line = walk)]
pub struct Journey {
    pub dungeon: String,
    /// `enter`, `advance` or `return`.
    pub part: String,
    /// The stage that it reaches; empty on the way home.
    pub stage: String,
    /// Its members, by name.
    pub party: Vec<String>,
}

impl Journey {
    fn shown(&self) -> EventStyle {
        match self.part.as_str() {
            "enter" => EventStyle::Departure,
            _ => EventStyle::Place,
        }
    }

    fn begins(&self) -> Option<UiText> {
        let Self { dungeon, stage, .. } = self;
        Some(match self.part.as_str() {
            "enter" => text!(story_journey, dungeon),
            "advance" => UiText::verbatim(stage),
            _ => text!(story_way_home),
        })
    }

    fn walk(&self, to: &Recipients<'_>) -> Option<UiText> {
        let Self { dungeon, stage, .. } = self;
        let party = subject(&self.party, to.language);
        Some(match self.part.as_str() {
            "enter" => text!(story_enters, party, dungeon),
            "return" => text!(story_returns, dungeon),
            _ => text!(story_advances, stage),
        })
    }

    fn noted(&self) -> Option<Noting> {
        Some(
            Happening::Journey {
                dungeon: self.dungeon.as_str().into(),
                part: self.part.as_str().into(),
                party: shared(&self.party),
            }
            .into(),
        )
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "combat_initialization", style = ContestBegins, not_recallable, tags = message_tags, happening = noted,
    line = text!(story_fight),
    board = json!({"part": "start", "heroes": heroes, "foes": foes})
)]
pub struct CombatInitialization {
    pub stage: String,
    /// Pairs it with its outcome.
    pub combat_id: String,
    pub heroes: Vec<String>,
    pub foes: Vec<String>,
}

impl CombatInitialization {
    fn message_tags(&self) -> Tags {
        [
            COMBAT_INITIALIZATION.of(self.stage.as_str()),
            COMBAT_ID.of(self.combat_id.as_str()),
        ]
        .into()
    }

    fn noted(&self) -> Option<Noting> {
        let note = FightNote {
            fight: self.combat_id.as_str().into(),
            place: self.stage.as_str().into(),
            heroes: shared(&self.heroes),
            foes: shared(&self.foes),
            ..FightNote::default()
        };
        Some(Happening::Fight(note).into())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CombatantStatus {
    pub name: String,
    pub hp: i32,
    pub max_hp: i32,
    pub faction: String,
    /// The names of the effects on it.
    pub effects: Vec<String>,
    /// Attack with all effects.
    pub attack: i32,
    /// Defense with all effects.
    pub defense: i32,
    /// Whether it bears a wound from an earlier fight.
    pub wounded: bool,
    /// How firmly it means to fight; 0 if only blows can move it.
    pub resolve: i32,
    /// How it left the fight; `None` while it stands.
    pub departure: Option<Departure>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "combat_round", style = Contest, not_recallable, line = text!(story_combat_round, round),
    board = standing_board
)]
pub struct CombatRound {
    pub stage: String,
    pub round: u32,
    pub standing: Vec<CombatantStatus>,
}

impl CombatRound {
    fn standing_board(&self) -> Option<EventData> {
        let standing = |fighter: &CombatantStatus| {
            json!({
                "name": fighter.name, "hp": fighter.hp, "max": fighter.max_hp,
                "faction": fighter.faction, "effects": fighter.effects, "left": fighter.departure,
            })
        };
        let standing: Vec<_> = self.standing.iter().map(standing).collect();
        Some(json!({"part": "round", "round": self.round, "standing": standing}))
    }
}

/// The tag of a message by which an actor draws cards; its value is the round.
pub(super) const DRAW_TAG: &str = "draw_cards";

/// A hand of cards was drawn; only its holder learns of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "cards_drawn", style = Working, no_trigger, not_recallable, private, tags = message_tags,
    short_template = "events/cards_drawn_short", third_person = seen
)]
pub struct CardsDrawn {
    pub actor: String,
    pub round: u32,
    pub cards: Vec<DrawnCard>,
}

/// A card as its holder sees it when it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawnCard {
    pub skill: String,
    /// What its holder calls it; empty if nobody has worded it.
    pub name: String,
    /// What it looks like, by its holder's mind; may be empty.
    pub description: String,
    /// `attack`, `heal`, `guard`, `weaken` or `strengthen`.
    pub kind: String,
    pub cost: i32,
    pub power: i32,
    /// The chance to work in percent.
    pub accuracy: i32,
    /// The number of rounds that the effect lasts.
    pub rounds: i32,
}

impl CardsDrawn {
    fn seen(&self, _: &Recipients<'_>) -> Option<UiText> {
        let names = self.cards.iter().map(|card| match &*card.name {
            "" => &*card.skill,
            name => name,
        });
        Some(text!(
            story_draws,
            actor = &self.actor,
            cards = Argument::list(names)
        ))
    }

    fn message_tags(&self) -> Tags {
        // The key is no member of a message.
        let tags = Tags::new().with_user(DRAW_TAG, self.round);
        tags.unwrap_or_default()
    }
}

/// What a card did to one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetResult {
    pub name: String,
    pub hit: bool,
    /// Hit points taken or given, or the strength of the effect.
    pub amount: i32,
    /// The effect that it left; empty if none.
    pub effect: String,
    pub fell: bool,
}

/// A card was played and resolved by the rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "card_played", style = Contest, not_recallable, speaker = actor, spoken = description,
    board = json!({"part": "card", "card": card, "skill": skill, "targets": targets}),
    seen = description
)]
pub struct CardPlayed {
    pub stage: String,
    pub actor: String,
    /// The card's name, by its player's mind.
    pub card: String,
    pub skill: String,
    /// `attack`, `heal`, `guard`, `weaken` or `strengthen`.
    pub kind: String,
    /// What it looks like, by its player's mind.
    pub description: String,
    pub targets: Vec<TargetResult>,
}

/// An actor in a fight holds back, shows something, wavers, flees or yields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "combat_move", style = Contest, not_recallable, speaker = actor, spoken = description,
    line = act, board = json!({"part": "move"}), seen = (item, look, description)
)]
pub struct CombatMove {
    pub stage: String,
    pub actor: String,
    /// `hold`, `show`, `waver`, `flee` or `yield`.
    pub action: String,
    /// The item that it shows; else empty.
    pub item: String,
    pub look: String,
    /// What it looks like, by its own mind; may be empty.
    pub description: String,
}

impl CombatMove {
    fn act(&self, _: &Recipients<'_>) -> Option<UiText> {
        let Self { actor, item, .. } = self;
        Some(match self.action.as_str() {
            "flee" => text!(story_flees, actor),
            "yield" => text!(story_yields, actor),
            "waver" => text!(story_wavers, actor),
            "show" => text!(story_shows, actor, item),
            _ => text!(story_holds, actor),
        })
    }
}

/// A card that an actor chose was not played; only its player learns of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "card_held", style = ContestNote, not_recallable, third_person = seen, board = json!({"part": "move"})
)]
pub struct CardHeld {
    pub actor: String,
    pub card: String,
    pub reason: String,
}

impl CardHeld {
    fn seen(&self, _: &Recipients<'_>) -> Option<UiText> {
        let Self {
            actor,
            card,
            reason,
        } = self;
        Some(if reason == "no_energy" {
            text!(story_no_energy, actor, card)
        } else {
            text!(story_no_target, actor, card)
        })
    }
}

/// A hero is wounded, or its wound has healed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("wound", style = Note, doer = actor, happening = noted)]
pub struct Wound {
    pub actor: String,
    /// The number of days at home until it has healed; 0 when it has.
    pub days: u32,
}

impl Wound {
    fn noted(&self) -> Option<Noting> {
        let (who, days) = (self.actor.as_str().into(), self.days);
        Some(Happening::Wounded { who, days }.into())
    }
}

/// A stage narrates what happened on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "narration", style = Account, speaker = stage, spoken = message, words = message, seen = message
)]
pub struct Narration {
    pub stage: String,
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "combat_outcome", style = ContestEnds, not_recallable, tags = message_tags, happening = noted,
    line = who_won,
    board = json!({"part": "end", "result": result})
)]
pub struct CombatOutcome {
    pub stage: String,
    /// Pairs it with its beginning.
    pub combat_id: String,
    /// How it ended for the party.
    pub result: FightResult,
    pub fallen: Vec<String>,
    pub felled: Vec<String>,
    pub fled: Vec<String>,
    pub yielded: Vec<String>,
    /// How the last of the losing side left the fight; `None` if the rounds ran out.
    pub how: Option<Departure>,
    pub gains: Vec<String>,
}

impl CombatOutcome {
    fn who_won(&self, _: &Recipients<'_>) -> Option<UiText> {
        let stage = &self.stage;
        Some(match self.result {
            FightResult::Won => text!(story_fight_won, stage),
            FightResult::Lost => text!(story_fight_lost, stage),
            FightResult::Drawn => text!(story_fight_drawn, stage),
        })
    }

    fn message_tags(&self) -> Tags {
        [
            COMBAT_OUTCOME.of(self.stage.as_str()),
            COMBAT_ID.of(self.combat_id.as_str()),
        ]
        .into()
    }

    fn noted(&self) -> Option<Noting> {
        let note = FightNote {
            fight: self.combat_id.as_str().into(),
            place: self.stage.as_str().into(),
            result: Some(self.result),
            fallen: shared(self.fallen.iter().chain(&self.felled)),
            fled: shared(&self.fled),
            yielded: shared(&self.yielded),
            gains: shared(&self.gains),
            ..FightNote::default()
        };
        Some(Happening::Fight(note).into())
    }
}

/// How a fight ended, as world agents learn of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("battle_report", style = Report, happening = noted)]
pub struct BattleReport {
    pub dungeon: String,
    pub stage: String,
    /// How it ended for the party.
    pub result: FightResult,
    pub foes: Vec<String>,
    pub fallen: Vec<String>,
}

impl BattleReport {
    fn noted(&self) -> Option<Noting> {
        let note = FightNote {
            place: self.stage.as_str().into(),
            foes: shared(&self.foes),
            result: Some(self.result),
            fallen: shared(&self.fallen),
            ..FightNote::default()
        };
        Some(Happening::Fight(note).into())
    }
}

/// What was seen or heard in public at home, as world agents learn of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("news", style = Hidden)]
pub struct News {
    pub stage: String,
    /// What those who were there saw or heard.
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("homecoming", style = Ending, heading = text!(story_homecoming))]
pub struct Homecoming {
    pub won: u32,
    pub fights: u32,
    /// The party, by name.
    pub party: Vec<String>,
}

/// An actor takes an item that lies on its stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "take", style = Showing, speaker = actor, happening = noted, sight = Sight { what: item, look },
    seen = look
)]
pub struct ItemTaken {
    pub actor: String,
    pub item: String,
    pub look: String,
}

impl ItemTaken {
    fn noted(&self) -> Option<Noting> {
        let (who, item) = (self.actor.as_str().into(), self.item.as_str().into());
        Some(Happening::Took { who, item }.into())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "give", style = Showing, speaker = actor, happening = noted, target = to,
    sight = Sight { what: item, look }, seen = look
)]
pub struct ItemGiven {
    pub actor: String,
    pub to: String,
    pub item: String,
    pub look: String,
}

impl ItemGiven {
    fn noted(&self) -> Option<Noting> {
        let (who, item) = (self.actor.as_str().into(), self.item.as_str().into());
        let to = self.to.as_str().into();
        Some(Happening::Gave { who, item, to }.into())
    }
}

/// An item has another holder, lies elsewhere, or is gone, by what an actor decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("item_moved", style = Deed, doer = to, happening = noted, target = to, seen = look)]
pub struct ItemMoved {
    pub item: String,
    /// How it looks; empty if an actor had it, or if it is gone.
    pub look: String,
    /// Who had it; empty if nobody.
    pub from: String,
    /// Who has it now; empty if nobody.
    pub to: String,
    /// Where it lies now; empty if nowhere.
    pub place: String,
}

impl ItemMoved {
    pub(super) fn took(&self) -> Option<Happening> {
        let (who, item) = (self.to.as_str().into(), self.item.as_str().into());
        (!self.to.is_empty()).then_some(Happening::Took { who, item })
    }

    pub(super) fn lost(&self) -> Option<Happening> {
        (!self.from.is_empty()).then(|| lost(&self.from, &self.item, None))
    }

    fn noted(&self) -> Option<Noting> {
        self.took().or_else(|| self.lost()).map(Noting::from)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "show", style = Showing, speaker = actor, target = to, sight = Sight { what: item, look },
    seen = (item, look)
)]
pub struct ItemShown {
    pub actor: String,
    pub to: String,
    pub item: String,
    pub look: String,
}

/// An actor reads an item; what it learns from it is told to it alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("read", style = Deed, speaker = actor)]
pub struct ItemRead {
    pub actor: String,
    pub item: String,
}

/// An actor uses an item, in the words of the world file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("use", style = Deed, speaker = actor)]
pub struct ItemUsed {
    pub actor: String,
    pub item: String,
    /// With whom or what; may be empty.
    pub with: String,
    pub message: String,
}

/// An actor hides an item where it is; nobody else learns it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent, Prompt)]
#[event("hide", style = Deed, private, happening = noted)]
#[prompt("made/hidden")]
pub struct ItemHidden {
    pub actor: String,
    pub item: String,
    pub stage: String,
}

impl ItemHidden {
    fn noted(&self) -> Option<Noting> {
        Some(lost(&self.actor, &self.item, Some(&self.stage)).into())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("destroy", style = Deed, speaker = actor, happening = noted)]
pub struct ItemDestroyed {
    pub actor: String,
    pub item: String,
    /// How that looks, by the world file.
    pub message: String,
}

impl ItemDestroyed {
    fn noted(&self) -> Option<Noting> {
        Some(lost(&self.actor, &self.item, None).into())
    }
}

/// An actor means to go where another goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("follow", style = Deed, speaker = actor)]
pub struct Following {
    pub actor: String,
    pub who: String,
}

/// An actor has read an item that says nothing new; nobody else learns it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "nothing_new", style = Working, private, third_person = text!(story_nothing_new, actor, item)
)]
pub struct NothingNew {
    pub actor: String,
    pub item: String,
    /// What it says, fact by fact.
    pub says: Vec<String>,
}

/// Somebody whispers to another, as the others here see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("whisper_seen", style = Hidden, not_recallable, seen = target)]
pub struct WhisperSeen {
    pub actor: String,
    pub target: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "promise", style = Deed, speaker = actor, doer = actor, spoken = words, happening = noted, target = to,
    heard = words
)]
pub struct PromiseMade {
    pub actor: String,
    pub to: String,
    pub words: String,
}

impl PromiseMade {
    fn noted(&self) -> Option<Noting> {
        pledged([&self.actor, &self.to, &self.words], Pledge::Made)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "keep", style = SharedDeed, speaker = actor, doer = actor, spoken = words, happening = noted, target = to,
    heard = words
)]
pub struct PromiseKept {
    pub actor: String,
    pub to: String,
    pub words: String,
}

impl PromiseKept {
    fn noted(&self) -> Option<Noting> {
        pledged([&self.actor, &self.to, &self.words], Pledge::Kept)
    }
}

/// A promise by an actor, to another, in these words.
fn pledged([who, to, words]: [&str; 3], state: Pledge) -> Option<Noting> {
    let promised = Happening::Promised {
        who: who.into(),
        to: to.into(),
        words: words.into(),
        state,
    };
    (!words.is_empty()).then(|| promised.into())
}

/// Something was said in another language than the one that all share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("other_language", style = Note, not_recallable)]
pub struct OtherLanguage {
    pub actor: String,
    /// To whom it spoke; empty for nobody in particular.
    pub target: String,
    pub language: String,
    /// Those who did not understand it.
    pub by: Vec<String>,
}

/// An action that the rules refused, told to its actor alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "refusal", style = shown, not_recallable, private,
    third_person = text!(story_refused, actor, action = ActionSpec::label(action), reason)
)]
pub struct Refusal {
    pub actor: String,
    pub action: String,
    pub reason: String,
    /// Whether it was never offered, so that nobody else need hear of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unoffered: bool,
}

impl Refusal {
    fn shown(&self) -> EventStyle {
        match self.is_unoffered {
            true => EventStyle::Hidden,
            false => EventStyle::Note,
        }
    }
}

/// An actor feels differently for another; nobody else learns it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("feels", style = Note, speaker = actor, private, happening = noted)]
pub struct FeelingChanged {
    pub actor: String,
    pub about: String,
    /// 1 for better, -1 for worse.
    pub change: i32,
    pub why: String,
}

impl FeelingChanged {
    fn noted(&self) -> Option<Noting> {
        let (about, why) = (self.about.as_str().into(), self.why.as_str().into());
        let change = self.change;
        Some(Happening::Felt { about, change, why }.into())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "attempt", style = Choice, speaker = actor, spoken = what, happening = noted, seen = what
)]
pub struct Attempted {
    pub actor: String,
    pub what: String,
}

impl Attempted {
    fn noted(&self) -> Option<Noting> {
        let is_known = !self.what.is_empty();
        tried(&self.actor, &self.what, [""; 3]).filter(|_| is_known)
    }
}

/// What came of an attempt. Nobody speaks it, so it tells no fact: a phrase that gives one away is
/// masked, whatever the stage knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "attempt_outcome", style = Outcome, doer = actor, knower = known_by, spoken = message, happening = noted,
    words = message, seen = (message, found, left)
)]
pub struct AttemptOutcome {
    pub actor: String,
    /// `full`, `cost` or `not`.
    pub outcome: String,
    /// What is seen, in the words of the stage; may be empty.
    pub message: String,
    /// The item that was found; else empty.
    pub found: String,
    /// The item that was left where it was tried; else empty.
    pub left: String,
    /// The place to which a way is open again; else empty.
    pub way: String,
    /// Who regained hit points by it; else empty.
    pub healed: String,
    pub healed_by: i32,
    /// The number of hit points that it cost.
    pub hurt: i32,
    /// Whether all who are there know whatever the words give away.
    #[serde(skip)]
    pub is_known: bool,
}

impl AttemptOutcome {
    fn known_by(&self) -> Option<&str> {
        self.is_known.then_some(&self.actor)
    }

    fn noted(&self) -> Option<Noting> {
        tried(&self.actor, "", [&self.outcome, &self.found, &self.left])
    }
}

fn lost(who: &str, item: &str, hidden_at: Option<&str>) -> Happening {
    Happening::Lost {
        who: who.into(),
        item: item.into(),
        hidden_at: hidden_at.map(Into::into),
    }
}

fn tried(who: &str, attempt: &str, [outcome, found, left]: [&str; 3]) -> Option<Noting> {
    let tried = Happening::Tried {
        who: who.into(),
        attempt: attempt.into(),
        outcome: outcome.into(),
        found: found.into(),
        left: left.into(),
    };
    Some(tried.into())
}

fn shared<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<Arc<str>> {
    names.into_iter().map(|name| name.as_str().into()).collect()
}

/// Who watches a fight from an event on without a part in it: whoever falls, to its end.
pub fn fallen_watchers(event: &EventRecord) -> Vec<(String, Watching)> {
    let played = event.read::<CardPlayed>().map(|played| played.targets);
    let fell = played.into_iter().flatten().filter(|target| target.fell);
    let over = event
        .read::<CombatOutcome>()
        .into_iter()
        .flat_map(|outcome| [outcome.fallen, outcome.felled].concat());
    let lies = |name| (name, Watching::Place(event.place.clone()));
    let over = over.map(|name| (name, Watching::Nothing));
    fell.map(|target| lies(target.name)).chain(over).collect()
}
