//! What readers of a story see of its campaign: the things, feelings and scenes that it adds to
//! everybody and every place, and what its host can do.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, EntityName, Kind, StableId, turn_number};
use playhouse_engine::event::EventRecord;
use playhouse_engine::exchange::Question;
use playhouse_engine::journal::HOST;
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_story::data::{ToldChoice, ToldVote};
use playhouse_story::{
    Being, Contents, EventEntry, Members, NextFold, Picture, PictureReader, WorldState,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::archive::{budget, next_archive};
use super::combat::Hand;
use super::components::{CurrentFight, Fighter, Health, RpgWorld, goals_of};
use super::doing::{doing, open_scene};
use super::drama::{
    Belongings, Bond, Bonds, Effect, GoalState, Hidden, History, Item, Promise, Promises,
    Qualities, Quality, Scene, StoryData,
};
use super::home::vote::{OneVote, VoteCounted};
use super::host::HostDeed;
use super::scenes::choose::{ChoiceData, ChoiceMade};
use super::scenes::endings::StoryCloses;

/// What a campaign adds to the picture of its world.
#[derive(Debug, Default)]
pub struct CampaignPicture {
    pub items: Vec<ItemPicture>,
    pub qualities: Vec<QualityPicture>,
    pub scenes: Vec<ScenePicture>,
    /// The tokens of a prompt within which the past is archived.
    pub budget: Option<u64>,
    /// By number of the entity.
    beings: BTreeMap<u32, BeingPicture>,
}

/// What a campaign adds to the picture of an entity.
#[derive(Debug, Default)]
pub struct BeingPicture {
    /// Who it is, as its world says.
    pub about: String,
    pub health: Option<Health>,
    pub skills: Vec<Arc<str>>,
    pub hand: Hand,
    pub bonds: Vec<(Arc<str>, Bond)>,
    /// The words of each goal, and whether it was reached.
    pub goals: Vec<(String, GoalState)>,
    pub promises: Vec<Promise>,
    pub items: Vec<Arc<str>>,
    /// What is going on there, if it is a stage.
    pub doing: &'static str,
    /// The scene that is open there.
    pub scene: Option<Arc<str>>,
}

/// An item and where it is.
#[derive(Clone, Debug, Serialize)]
pub struct ItemPicture {
    pub name: String,
    pub look: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<u32>,
    pub hidden: bool,
}

/// A quality of the world and its value.
#[derive(Clone, Debug, Serialize)]
pub struct QualityPicture {
    #[serde(rename = "quality")]
    pub id: String,
    pub title: String,
    pub value: i32,
    pub max: i32,
    pub hidden: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct ScenePicture {
    #[serde(rename = "scene")]
    pub id: String,
    pub at: String,
    pub played: usize,
    /// What may be chosen after it: the ids with their labels.
    pub options: Vec<(String, String)>,
}

impl CampaignPicture {
    /// What it adds to an entity.
    pub fn being(&self, being: &Being) -> Option<&BeingPicture> {
        self.beings.get(&being.id)
    }

    fn look_of(&self, item: &str) -> &str {
        let mut items = self.items.iter();
        items
            .find(|known| known.name == item)
            .map_or("", |item| &item.look)
    }
}

impl Picture for CampaignPicture {
    fn of(world: &World) -> Self {
        let story = world.get_resource::<StoryData>();
        let (items, qualities, scenes) = story.map_or_else(Default::default, |story| {
            let items = story.items.iter().map(|item| item_of(world, item));
            let qualities = story
                .qualities
                .iter()
                .map(|quality| quality_of(world, quality));
            let scenes = story.scenes.iter().map(|scene| scene_of(world, scene));
            (items.collect(), qualities.collect(), scenes.collect())
        });
        let cast = world.resource::<CastList>().everybody();
        Self {
            items,
            qualities,
            scenes,
            budget: world.get_resource::<RpgWorld>().map(budget),
            beings: cast
                .into_iter()
                .filter_map(|(id, entity)| {
                    Some((
                        id.0,
                        BeingPicture::of(world, world.get_entity(entity).ok()?),
                    ))
                })
                .collect(),
        }
    }

    fn told_choice(&self, event: &EventRecord) -> Option<ToldChoice> {
        let choice: ChoiceMade = event.read()?;
        Some(ToldChoice {
            who: choice.actor,
            scene: choice.scene,
            option: choice.option,
            label: choice.label,
        })
    }

    fn told_votes(&self, event: &EventRecord) -> Vec<ToldVote> {
        let counted: Option<VoteCounted> = event.read();
        let votes = counted.into_iter().flat_map(|counted| counted.votes);
        let vote = |vote: OneVote| ToldVote {
            who: vote.name,
            vote: Some(vote.option),
            ..ToldVote::default()
        };
        votes.map(vote).collect()
    }

    fn told_ending(&self, event: &EventRecord) -> Option<String> {
        event.read().map(|StoryCloses { ending, .. }| ending)
    }

    fn in_list(&self, being: &Being, reader: PictureReader) -> Members {
        let Some(own) = self.being(being) else {
            return Members::new();
        };
        let mut members = Members::from_iter([("items".to_owned(), json!(own.items))]);
        if being.kind == Kind::Stage {
            members.insert("doing".into(), own.doing.into());
            // The name of a scene may tell what is to come.
            let scene = own.scene.as_ref().filter(|_| reader == PictureReader::Host);
            members.extend(scene.map(|scene| ("scene".into(), json!(scene))));
        }
        let health = own.health.map(|health| [health.hp, health.max]);
        members.extend(health.map(|health| ("hp".into(), json!(health))));
        members
    }

    fn alone(&self, being: &Being, story: &Contents) -> Members {
        let Some(own) = self.being(being) else {
            return Members::new();
        };
        let to = |name: &str| story.id_of(name);
        let bonds = own.bonds.iter().map(|(name, bond)| {
            json!({"to": to(name), "name": name, "word": bond.word, "value": bond.value})
        });
        let goals = own
            .goals
            .iter()
            .map(|(words, state)| json!({"words": words, "state": state}));
        let promises = own.promises.iter().map(|promise| {
            let Promise {
                to: name,
                words,
                state,
                ..
            } = promise;
            json!({"to": to(name), "name": name, "words": words, "state": state})
        });
        let items = own
            .items
            .iter()
            .map(|name| json!({"name": name, "look": self.look_of(name)}));
        [
            ("about", json!(own.about)),
            ("skills", json!(own.skills)),
            ("hand", json!(own.hand.cards)),
            ("bonds", bonds.collect()),
            ("goals", goals.collect()),
            ("promises", promises.collect()),
            ("items", items.collect()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
    }

    fn beliefs(&self, pair: [&Being; 2], _story: &Contents, reader: PictureReader) -> Members {
        let [who, about] = pair;
        let mut bonds = self.being(who).into_iter().flat_map(|own| &own.bonds);
        let bond = bonds
            .find(|(to, _)| *to == about.name)
            .map(|(_, bond)| json!({"word": bond.word, "value": bond.value}));
        let sides = if reader == PictureReader::Host { 2 } else { 1 };
        let both = [(who, about), (about, who)].into_iter().take(sides);
        let promises = both.flat_map(|(by, to)| {
            self.being(by)
                .into_iter()
                .flat_map(|own| &own.promises)
                .filter(move |promise| promise.to == to.name)
                .map(move |promise| {
                    json!({"by": by.id, "words": promise.words, "state": promise.state})
                })
        });
        let mut members = Members::from_iter([("promises".to_owned(), promises.collect())]);
        members.extend(bond.map(|bond| ("bond".to_owned(), bond)));
        members
    }

    fn lists(&self, reader: PictureReader) -> Vec<(&'static str, Value)> {
        let all = || ("items", json!(self.items));
        match reader {
            PictureReader::Host => vec![
                all(),
                ("qualities", json!(self.qualities)),
                ("scenes", json!(self.scenes)),
            ],
            PictureReader::Seat(seat) => {
                let own = self.items.iter().filter(|item| item.holder == Some(seat));
                vec![("items", own.map(|item| json!(item)).collect())]
            }
        }
    }

    fn next_fold(&self, being: &Being) -> Option<NextFold> {
        next_archive(&being.context.value, &being.chapters.value, self.budget?)
            .filter(|_| !being.is_dead)
    }

    fn alternatives(&self, event: &EventEntry, story: &Contents) -> Option<(u32, Vec<Value>)> {
        let record = event.record();
        let made: ChoiceMade = record.read()?;
        let who = story.id_of(&made.actor)?;
        let turn = turn_number(record.turn);
        let call = story.calls.iter().rev().find(|call| {
            (call.who, call.turn) == (who, turn) && *call.purpose == *ChoiceData::PURPOSE
        })?;
        let scene = self.scenes.iter().find(|scene| scene.id == made.scene)?;
        let others: Vec<_> = scene
            .options
            .iter()
            .filter(|(id, _)| *id != made.option)
            .map(|(id, label)| json!({"option": id, "label": label}))
            .collect();
        (!others.is_empty()).then_some((call.call, others))
    }

    fn deeds(&self, story: &Contents) -> Vec<&'static str> {
        let state = &story.state;
        let has_director = state
            .beings
            .iter()
            .any(|being| being.kind == Kind::WorldAgent);
        let deeds = [
            ("note", has_director),
            ("teach", !state.facts.value.is_empty()),
            ("give", !self.items.is_empty()),
            ("move", true),
            ("change", !self.qualities.is_empty()),
            ("scene", !self.scenes.is_empty()),
            ("end", true),
        ];
        let possible = deeds.into_iter().filter(|(_, is_possible)| *is_possible);
        possible.map(|(deed, _)| deed).collect()
    }

    fn input(&self, deed: &Value, story: &Contents) -> Option<Result<Value, UiText>> {
        let name = deed.get("do")?.as_str()?;
        if !PageDeed::NAMES.contains(&name) {
            return None;
        }
        Some(match PageDeed::deserialize(deed) {
            Ok(deed) => {
                let deed = deed.of_host(self, &story.state);
                deed.map(|deed| deed.to_input(HOST))
                    .ok_or_else(|| text!(page_unknown_name))
            }
            Err(error) => Err(text!(page_bad_request, reason = error.text())),
        })
    }
}

impl BeingPicture {
    fn of(world: &World, entity: EntityRef<'_>) -> Self {
        let name = entity.get::<EntityName>().map(|name| &*name.0);
        let file = world.get_resource::<RpgWorld>();
        let about = file.zip(name).and_then(|(file, name)| file.0.profile(name));
        Self {
            about: about.unwrap_or_default().trim().to_owned(),
            health: entity.get::<Health>().copied(),
            skills: all(entity.get(), |fighter: &Fighter| fighter.skills.clone()),
            hand: entity.get::<Hand>().cloned().unwrap_or_default(),
            bonds: all(entity.get(), |bonds: &Bonds| {
                let bonds = bonds.0.iter();
                bonds.map(|(to, bond)| (to.clone(), bond.clone())).collect()
            }),
            goals: goals_of(world, entity),
            promises: all(entity.get(), |promises: &Promises| promises.0.clone()),
            items: all(entity.get(), |items: &Belongings| {
                items.0.iter().cloned().collect()
            }),
            doing: match entity.get::<CurrentFight>() {
                Some(fight) if fight.end.is_none() => "fight",
                _ => doing(entity),
            },
            scene: open_scene(entity),
        }
    }
}

/// What a host does on a page, where everybody has a number.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum PageDeed {
    Give {
        item: String,
        to: u32,
    },
    Teach {
        who: u32,
        fact: String,
    },
    Move {
        who: u32,
        to: u32,
    },
    Change {
        quality: String,
        by: i32,
    },
    Effect {
        place: Option<u32>,
        effect: Effect,
    },
    Scene {
        scene: String,
    },
    /// The story ends here, for good.
    End,
}

impl PageDeed {
    const NAMES: [&'static str; 7] = ["give", "teach", "move", "change", "effect", "scene", "end"];

    /// The same with names; `None` if one of the things or people is unknown.
    fn of_host(self, picture: &CampaignPicture, state: &WorldState) -> Option<HostDeed> {
        let name = |id: u32| Some(state.being(id)?.name.to_string());
        let mut place = String::new();
        let effect = match self {
            Self::Give { item, to } => {
                picture.items.iter().find(|known| known.name == item)?;
                match state.being(to)?.kind {
                    Kind::Stage => Effect::Put(item, name(to)?),
                    _ => Effect::Give(item, name(to)?),
                }
            }
            Self::Teach { who, fact } => Effect::Teach(name(who)?, state.fact(&fact)?.id.clone()),
            Self::Move { who, to } => Effect::Move(name(who)?, name(to)?),
            Self::Change { quality, by } => {
                picture.qualities.iter().find(|known| known.id == quality)?;
                Effect::Add(quality, by)
            }
            Self::Effect { place: at, effect } => {
                place = at.map_or_else(|| Some(String::new()), name)?;
                effect
            }
            Self::Scene { scene: id } => {
                picture.scenes.iter().find(|known| known.id == id)?;
                return Some(HostDeed::Scene { id });
            }
            Self::End => return Some(HostDeed::End),
        };
        Some(HostDeed::Effect { place, effect })
    }
}

fn item_of(world: &World, item: &Item) -> ItemPicture {
    let cast = || world.resource::<CastList>().all();
    let has = |items: &Belongings| items.0.contains(item.name.as_str());
    let holder = cast().find(|(_, entity)| world.get(*entity).is_some_and(has));
    let hides = |hidden: &Hidden| hidden.0.contains_key(item.name.as_str());
    ItemPicture {
        name: item.name.clone(),
        look: item.look.clone(),
        holder: holder.map(|(StableId(id), _)| id),
        hidden: cast().any(|(_, entity)| world.get(entity).is_some_and(hides)),
    }
}

fn quality_of(world: &World, quality: &Quality) -> QualityPicture {
    let values = world.get_resource::<Qualities>();
    QualityPicture {
        id: quality.id.clone(),
        title: quality.shown().to_owned(),
        value: values.map_or(0, |values| values.value(&quality.id)),
        max: quality.max,
        hidden: quality.hidden,
    }
}

fn scene_of(world: &World, scene: &Scene) -> ScenePicture {
    let history = world.get_resource::<History>();
    let options = scene.options();
    let options = options.map(|option| (option.id.clone(), option.label.clone()));
    ScenePicture {
        id: scene.id.clone(),
        at: scene.at.clone(),
        played: history.map_or(0, |history| history.times(&scene.id)),
        options: options.collect(),
    }
}

fn all<C, T>(component: Option<&C>, of: impl FnOnce(&C) -> Vec<T>) -> Vec<T> {
    component.map(of).unwrap_or_default()
}
