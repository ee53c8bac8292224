//! The campaign's own event types.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::context::Noting;
use playhouse_engine::event::{AgentEvent, PromptSet, register_event};
use playhouse_engine::message::{Tag, TagKey, Tags};
use serde::{Deserialize, Serialize};

use super::components::{Departure, FightResult};
use super::happening::{FightEnd, FightNote, Happening, Pledge};

/// The beginning of a fight; the stage's name.
pub const COMBAT_INITIALIZATION: TagKey = TagKey::new("combat_initialization");
/// The end of a fight; the stage's name.
pub const COMBAT_OUTCOME: TagKey = TagKey::new("combat_outcome");
/// Pairs the beginning and the end of a fight.
pub const COMBAT_ID: TagKey = TagKey::new("combat_id");

/// Registers every type of this file.
pub(super) fn register(world: &mut World) {
    register_event::<Day>(world);
    register_event::<StageDescription>(world);
    register_event::<Journey>(world);
    register_event::<CombatInitialization>(world);
    register_event::<CombatRound>(world);
    register_event::<CardsDrawn>(world);
    register_event::<CardPlayed>(world);
    register_event::<CombatMove>(world);
    register_event::<CardHeld>(world);
    register_event::<Wound>(world);
    register_event::<Narration>(world);
    register_event::<CombatOutcome>(world);
    register_event::<BattleReport>(world);
    register_event::<News>(world);
    register_event::<Homecoming>(world);
    register_event::<ItemTaken>(world);
    register_event::<ItemGiven>(world);
    register_event::<ItemMoved>(world);
    register_event::<ItemShown>(world);
    register_event::<ItemRead>(world);
    register_event::<ItemUsed>(world);
    register_event::<ItemHidden>(world);
    register_event::<Following>(world);
    register_event::<NothingNew>(world);
    register_event::<PromiseMade>(world);
    register_event::<PromiseKept>(world);
    register_event::<FeelingChanged>(world);
    register_event::<Attempted>(world);
    register_event::<AttemptOutcome>(world);
}

/// Adds the template of every type of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add_event::<Day>();
    prompts.add_event::<StageDescription>();
    prompts.add_event::<Journey>();
    prompts.add_event::<CombatInitialization>();
    prompts.add_event::<CombatRound>();
    prompts.add_event::<CardsDrawn>();
    prompts.add_event::<CardPlayed>();
    prompts.add_event::<CombatMove>();
    prompts.add_event::<CardHeld>();
    prompts.add_event::<Wound>();
    prompts.add_event::<Narration>();
    prompts.add_event::<CombatOutcome>();
    prompts.add_event::<BattleReport>();
    prompts.add_event::<News>();
    prompts.add_event::<Homecoming>();
    prompts.add_event::<ItemTaken>();
    prompts.add_event::<ItemGiven>();
    prompts.add_event::<ItemMoved>();
    prompts.add_event::<ItemShown>();
    prompts.add_event::<ItemRead>();
    prompts.add_event::<ItemUsed>();
    prompts.add_event::<ItemHidden>();
    prompts.add_event::<Following>();
    prompts.add_event::<NothingNew>();
    prompts.add_event::<PromiseMade>();
    prompts.add_event::<PromiseKept>();
    prompts.add_event::<FeelingChanged>();
    prompts.add_event::<Attempted>();
    prompts.add_event::<AttemptOutcome>();
}

/// A day at home, or a round of one, begins or ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Day {
    /// Which day, from 1.
    pub day: u32,
    /// `begin`, `round` or `end`.
    pub part: String,
    /// Which round of talk, from 1, if it is one.
    #[serde(default)]
    pub round: u32,
    /// The number of rounds of the day.
    #[serde(default)]
    pub rounds: u32,
}

impl AgentEvent for Day {
    const TYPE: &'static str = "day";
    const IS_CUE: bool = false;
    const IS_MINOR: bool = true;

    fn tags(&self) -> Tags {
        let day = self.day.to_string();
        match self.part.as_str() {
            "end" => Tag::DAY_END.of(day).into(),
            "round" => Tags::default(),
            _ => Tag::DAY_BEGIN.of(day).into(),
        }
    }
}

/// A stage's description of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageDescription {
    pub stage: String,
    pub message: String,
}

impl AgentEvent for StageDescription {
    const TYPE: &'static str = "scene";

    fn speaker(&self) -> Option<&str> {
        Some(&self.stage)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        Some(&mut self.message)
    }
}

/// The party sets out, goes deeper or returns home.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Journey {
    pub dungeon: String,
    /// `enter`, `advance` or `return`.
    pub part: String,
    /// The stage that it reaches; empty on the way home.
    pub stage: String,
    /// Its members, by name.
    pub party: Vec<String>,
}

impl AgentEvent for Journey {
    const TYPE: &'static str = "dungeon";
    const IS_MINOR: bool = true;

    fn happening(&self) -> Option<Noting> {
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

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CombatInitialization {
    pub stage: String,
    /// Pairs it with its outcome.
    pub combat_id: String,
    pub heroes: Vec<String>,
    pub foes: Vec<String>,
}

impl AgentEvent for CombatInitialization {
    const TYPE: &'static str = "combat_initialization";
    const IS_MINOR: bool = true;

    fn tags(&self) -> Tags {
        [
            COMBAT_INITIALIZATION.of(self.stage.as_str()),
            COMBAT_ID.of(self.combat_id.as_str()),
        ]
        .into()
    }

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Fight(FightNote {
                fight: self.combat_id.as_str().into(),
                place: self.stage.as_str().into(),
                heroes: shared(&self.heroes),
                foes: shared(&self.foes),
                ..FightNote::default()
            })
            .into(),
        )
    }
}

/// The state of a combatant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CombatantStatus {
    pub name: String,
    pub hp: i32,
    /// Hit points when healthy.
    pub max_hp: i32,
    pub faction: String,
    /// The names of the effects on it.
    pub effects: Vec<String>,
    /// Attack with all effects.
    #[serde(default)]
    pub attack: i32,
    /// Defense with all effects.
    #[serde(default)]
    pub defense: i32,
    /// Whether it bears a wound from an earlier fight.
    #[serde(default)]
    pub wounded: bool,
    /// How firmly it means to fight; 0 if only blows can move it.
    #[serde(default)]
    pub resolve: i32,
    /// How it left the fight; `None` while it stands.
    #[serde(default)]
    pub departure: Option<Departure>,
}

/// A round of a fight begins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CombatRound {
    pub stage: String,
    /// Which round, from 1.
    pub round: u32,
    /// The state of all combatants.
    pub standing: Vec<CombatantStatus>,
}

impl AgentEvent for CombatRound {
    const TYPE: &'static str = "combat_round";
    const IS_MINOR: bool = true;
}

/// The tag of a message by which somebody draws cards; its value is the round.
pub(super) const DRAW_TAG: &str = "draw_cards";

/// A hand of cards was drawn; only its holder learns of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CardsDrawn {
    pub actor: String,
    /// In which round, from 1.
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
    /// The energy it takes.
    pub cost: i32,
    /// How strong the effect is.
    pub power: i32,
    /// The chance to work in percent.
    pub accuracy: i32,
    /// The number of rounds that the effect lasts.
    pub rounds: i32,
}

impl AgentEvent for CardsDrawn {
    const TYPE: &'static str = "cards_drawn";
    const IS_CUE: bool = false;
    const IS_MINOR: bool = true;

    fn is_public(&self) -> bool {
        false
    }

    fn tags(&self) -> Tags {
        // The key is no member of a message.
        let tags = Tags::new().with_user(DRAW_TAG, self.round);
        tags.unwrap_or_default()
    }

    fn short_template() -> Option<String> {
        Some("events/cards_drawn_short".into())
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
    /// Whether the target fell.
    pub fell: bool,
}

/// A card was played and resolved by the rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

impl AgentEvent for CardPlayed {
    const TYPE: &'static str = "card_played";
    const IS_MINOR: bool = true;

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        Some(&mut self.description)
    }
}

/// Somebody in a fight holds back, shows something, wavers, flees or yields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CombatMove {
    pub stage: String,
    pub actor: String,
    /// `hold`, `show`, `waver`, `flee` or `yield`.
    pub action: String,
    /// The item that it shows; else empty.
    pub item: String,
    /// How the item looks.
    pub look: String,
    /// What it looks like, by its own mind; may be empty.
    pub description: String,
}

impl AgentEvent for CombatMove {
    const TYPE: &'static str = "combat_move";
    const IS_MINOR: bool = true;

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        Some(&mut self.description)
    }
}

/// A card that somebody chose was not played; only its player learns of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CardHeld {
    pub actor: String,
    pub card: String,
    pub reason: String,
}

impl AgentEvent for CardHeld {
    const TYPE: &'static str = "card_held";
    const IS_MINOR: bool = true;
}

/// A hero is wounded, or its wound has healed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wound {
    pub actor: String,
    /// The number of days at home until it has healed; 0 when it has.
    pub days: u32,
}

impl AgentEvent for Wound {
    const TYPE: &'static str = "wound";

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Wounded {
                who: self.actor.as_str().into(),
                days: self.days,
            }
            .into(),
        )
    }
}

/// A stage narrates what happened on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Narration {
    pub stage: String,
    pub message: String,
}

impl AgentEvent for Narration {
    const TYPE: &'static str = "narration";

    fn speaker(&self) -> Option<&str> {
        Some(&self.stage)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        Some(&mut self.message)
    }
}

/// A fight is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CombatOutcome {
    pub stage: String,
    /// Pairs it with its beginning.
    pub combat_id: String,
    /// How it ended for the party.
    pub result: FightResult,
    pub fallen: Vec<String>,
    pub felled: Vec<String>,
    /// Those of both sides who fled.
    #[serde(default)]
    pub fled: Vec<String>,
    /// Those of both sides who yielded.
    #[serde(default)]
    pub yielded: Vec<String>,
    /// How the last of the losing side left the fight; `None` if the rounds ran out.
    #[serde(default)]
    pub how: Option<Departure>,
    /// What the party gained.
    pub gains: Vec<String>,
}

impl AgentEvent for CombatOutcome {
    const TYPE: &'static str = "combat_outcome";
    const IS_MINOR: bool = true;

    fn tags(&self) -> Tags {
        [
            COMBAT_OUTCOME.of(self.stage.as_str()),
            COMBAT_ID.of(self.combat_id.as_str()),
        ]
        .into()
    }

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Fight(FightNote {
                fight: self.combat_id.as_str().into(),
                place: self.stage.as_str().into(),
                result: Some(end_of(self.result)),
                fallen: shared(self.fallen.iter().chain(&self.felled)),
                fled: shared(&self.fled),
                yielded: shared(&self.yielded),
                gains: shared(&self.gains),
                ..FightNote::default()
            })
            .into(),
        )
    }
}

/// How a fight ended, as world agents learn of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BattleReport {
    pub dungeon: String,
    pub stage: String,
    /// How it ended for the party.
    pub result: FightResult,
    /// Whom the party fought.
    pub foes: Vec<String>,
    pub fallen: Vec<String>,
}

impl AgentEvent for BattleReport {
    const TYPE: &'static str = "battle_report";

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Fight(FightNote {
                place: self.stage.as_str().into(),
                foes: shared(&self.foes),
                result: Some(end_of(self.result)),
                fallen: shared(&self.fallen),
                ..FightNote::default()
            })
            .into(),
        )
    }
}

/// What was seen or heard in public at home, as world agents learn of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct News {
    pub stage: String,
    /// What those who were there saw or heard.
    pub message: String,
}

impl AgentEvent for News {
    const TYPE: &'static str = "news";
}

/// The campaign is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Homecoming {
    /// The number of fights won.
    pub won: u32,
    /// The number of all fights.
    pub fights: u32,
    /// The party, by name.
    pub party: Vec<String>,
}

impl AgentEvent for Homecoming {
    const TYPE: &'static str = "homecoming";
}

/// Somebody takes something that lies on its stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemTaken {
    pub actor: String,
    pub item: String,
    pub look: String,
}

impl AgentEvent for ItemTaken {
    const TYPE: &'static str = "take";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Took {
                who: self.actor.as_str().into(),
                item: self.item.as_str().into(),
            }
            .into(),
        )
    }
}

/// Somebody gives something to somebody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemGiven {
    pub actor: String,
    pub to: String,
    pub item: String,
    pub look: String,
}

impl AgentEvent for ItemGiven {
    const TYPE: &'static str = "give";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Gave {
                who: self.actor.as_str().into(),
                item: self.item.as_str().into(),
                to: self.to.as_str().into(),
            }
            .into(),
        )
    }
}

/// An item has another holder, lies elsewhere, or is gone, by what somebody decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemMoved {
    pub item: String,
    /// How it looks; empty if somebody had it, or if it is gone.
    pub look: String,
    /// Who had it; empty if nobody.
    pub from: String,
    /// Who has it now; empty if nobody.
    pub to: String,
    /// Where it lies now; empty if nowhere.
    pub place: String,
}

impl ItemMoved {
    /// What its new holder notes.
    pub(super) fn took(&self) -> Option<Happening> {
        let (who, item) = (self.to.as_str().into(), self.item.as_str().into());
        (!self.to.is_empty()).then_some(Happening::Took { who, item })
    }

    /// What its old holder notes.
    pub(super) fn lost(&self) -> Option<Happening> {
        let (who, item) = (self.from.as_str().into(), self.item.as_str().into());
        let lost = Happening::Lost {
            who,
            item,
            hidden_at: None,
        };
        (!self.from.is_empty()).then_some(lost)
    }
}

impl AgentEvent for ItemMoved {
    const TYPE: &'static str = "item_moved";

    fn happening(&self) -> Option<Noting> {
        self.took().or_else(|| self.lost()).map(Noting::from)
    }
}

/// Somebody shows something to somebody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemShown {
    pub actor: String,
    pub to: String,
    pub item: String,
    pub look: String,
}

impl AgentEvent for ItemShown {
    const TYPE: &'static str = "show";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }
}

/// Somebody reads something; what it learns from it is told to it alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemRead {
    pub actor: String,
    pub item: String,
}

impl AgentEvent for ItemRead {
    const TYPE: &'static str = "read";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }
}

/// Somebody uses something, in the words of the world file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemUsed {
    pub actor: String,
    pub item: String,
    /// With whom or what; may be empty.
    pub with: String,
    /// What everybody there sees.
    pub message: String,
}

impl AgentEvent for ItemUsed {
    const TYPE: &'static str = "use";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }
}

/// Somebody hides something where it is; nobody else learns it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemHidden {
    pub actor: String,
    pub item: String,
    pub stage: String,
}

impl AgentEvent for ItemHidden {
    const TYPE: &'static str = "hide";

    fn is_public(&self) -> bool {
        false
    }

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Lost {
                who: self.actor.as_str().into(),
                item: self.item.as_str().into(),
                hidden_at: Some(self.stage.as_str().into()),
            }
            .into(),
        )
    }
}

/// Somebody means to go where somebody goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Following {
    pub actor: String,
    pub who: String,
}

impl AgentEvent for Following {
    const TYPE: &'static str = "follow";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }
}

/// Somebody has read something that says nothing new; nobody else learns it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NothingNew {
    pub actor: String,
    pub item: String,
    /// What it says, fact by fact.
    pub says: Vec<String>,
}

impl AgentEvent for NothingNew {
    const TYPE: &'static str = "nothing_new";

    fn is_public(&self) -> bool {
        false
    }
}

/// Somebody makes a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PromiseMade {
    pub actor: String,
    pub to: String,
    /// What, in its words.
    pub words: String,
}

impl AgentEvent for PromiseMade {
    const TYPE: &'static str = "promise";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        Some(&mut self.words)
    }

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Promised {
                who: self.actor.as_str().into(),
                to: self.to.as_str().into(),
                words: self.words.as_str().into(),
                state: Pledge::Made,
            }
            .into(),
        )
    }
}

/// Somebody keeps a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PromiseKept {
    pub actor: String,
    /// To whom it was made.
    pub to: String,
    pub words: String,
}

impl AgentEvent for PromiseKept {
    const TYPE: &'static str = "keep";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        Some(&mut self.words)
    }

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Promised {
                who: self.actor.as_str().into(),
                to: self.to.as_str().into(),
                words: self.words.as_str().into(),
                state: Pledge::Kept,
            }
            .into(),
        )
    }
}

/// Somebody feels differently for somebody; nobody else learns it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeelingChanged {
    pub actor: String,
    pub about: String,
    /// 1 for better, -1 for worse.
    pub change: i32,
    /// Why, in its words.
    pub why: String,
}

impl AgentEvent for FeelingChanged {
    const TYPE: &'static str = "feels";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }

    fn is_public(&self) -> bool {
        false
    }

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Felt {
                about: self.about.as_str().into(),
                change: self.change,
                why: self.why.as_str().into(),
            }
            .into(),
        )
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attempted {
    pub actor: String,
    /// What, in its words.
    pub what: String,
}

impl AgentEvent for Attempted {
    const TYPE: &'static str = "attempt";

    fn speaker(&self) -> Option<&str> {
        Some(&self.actor)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        Some(&mut self.what)
    }

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Tried {
                who: self.actor.as_str().into(),
                attempt: self.what.as_str().into(),
                outcome: "".into(),
                found: "".into(),
                left: "".into(),
            }
            .into(),
        )
    }
}

/// What came of an attempt. Nobody speaks it, so it tells no fact: a phrase that gives one away is
/// masked, whatever the stage knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttemptOutcome {
    pub actor: String,
    /// `full`, `cost` or `not`.
    pub outcome: String,
    /// What is seen, in the words of the stage; may be empty.
    pub message: String,
    /// The item that was found; else empty.
    pub found: String,
    /// The item that was left where it was tried; else empty.
    #[serde(default)]
    pub left: String,
    /// The place to which a way is open again; else empty.
    pub way: String,
    /// Who regained hit points by it; else empty.
    #[serde(default)]
    pub healed: String,
    #[serde(default)]
    pub healed_by: i32,
    /// The number of hit points that it cost.
    pub hurt: i32,
    /// Whether all who are there know whatever the words give away.
    #[serde(skip)]
    pub is_known: bool,
}

impl AgentEvent for AttemptOutcome {
    const TYPE: &'static str = "attempt_outcome";

    fn knower(&self) -> Option<&str> {
        self.is_known.then_some(&self.actor)
    }

    fn spoken(&mut self) -> Option<&mut String> {
        Some(&mut self.message)
    }

    fn happening(&self) -> Option<Noting> {
        Some(
            Happening::Tried {
                who: self.actor.as_str().into(),
                attempt: "".into(),
                outcome: self.outcome.as_str().into(),
                found: self.found.as_str().into(),
                left: self.left.as_str().into(),
            }
            .into(),
        )
    }
}

fn shared<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<Arc<str>> {
    names.into_iter().map(|name| name.as_str().into()).collect()
}

fn end_of(result: FightResult) -> FightEnd {
    match result {
        FightResult::Won => FightEnd::Won,
        FightResult::Lost => FightEnd::Lost,
        FightResult::Drawn => FightEnd::Drawn,
    }
}
