//! What an actor who is asked for its plan knows and has.

use std::cmp::Reverse;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use playhouse_engine::cast::{Appearance, Whereabouts, WorldTurn};
use playhouse_engine::context::AgentContext;
use playhouse_engine::event::kinds::MemorySearch;
use playhouse_engine::knowledge::{FactBook, Knowledge, MadeFacts, MadeKind, Today};
use playhouse_engine::memory::{AnswerWords, Lore};
use serde::Serialize;

use super::here::items_of;
use super::uses::OpenUses;
use crate::actions::Use;
use crate::components::{Health, LastFight, RpgWorld};
use crate::conversation::{SpokenLine, heard, last_event, last_event_text};
use crate::drama::{
    Belongings, Bonds, Choice, Condition, Effect, Goal, Goals, Hidden, History, PARTY, Promises,
    Scene, StoryData,
};
use crate::events::CHOICE;
use crate::interests::Interests;
use crate::kickoff::names_without;
use crate::scenes::choose::ChoiceMade;
use crate::scenes::leads::Leads;
use crate::scenes::open::OpenScene;

/// The maximum number of facts that play made which an actor is offered to tell.
const MADE_FACTS: usize = 3;
/// The maximum number of all facts that an actor is offered to tell.
const MAX_FACTS: usize = 12;

/// What an actor knows and has, wants and feels.
pub(super) struct View<'a> {
    pub(super) name: String,
    /// The names of the others who are here.
    pub(super) present: Vec<String>,
    pub(super) context: &'a AgentContext,
    knowledge: Option<&'a Knowledge>,
    pub(super) last_fight: Option<&'a LastFight>,
    pub(super) bonds: Option<&'a Bonds>,
    /// What it has promised and not kept yet; `None` if it can't promise anything.
    pub(super) promises: Option<Vec<OpenPromise<'a>>>,
    /// What those here have promised to it and not kept yet.
    pub(super) owed: Vec<OwedPromise<'a>>,
    /// What it wants and has neither got nor lost.
    pub(super) wanted: Vec<&'a Goal>,
    pub(super) heard: Vec<SpokenLine>,
    /// All that it knows and not everyone does.
    pub(super) facts: Vec<KnownFact<'a>>,
    pub(super) items: Vec<SeenItem<'a>>,
    pub(super) lying: Vec<SeenItem<'a>>,
    /// Whether it has to decide something here.
    pub(super) decides: bool,
    /// Whether it has to be there for an option that somebody here may choose.
    pub(super) is_chosen_of: bool,
}

#[derive(Clone, Serialize)]
pub(super) struct KnownFact<'a> {
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    pub(super) text: &'a str,
    /// From whom it was learned; empty if from nobody.
    pub(super) from: &'a str,
    /// The titles of what else it knows that can't be true if this is.
    pub(super) denies: Vec<&'a str>,
    /// Whether it was learned in this talk.
    pub(super) is_new: bool,
    /// Whether one's own goal or choice depends on it, for minds that can't read text.
    pub(super) is_own: bool,
    /// Whether a goal of one's own is lost if it spreads.
    pub(super) is_feared: bool,
    /// Whether it is what has to be decided here: told before, it would forestall that.
    pub(super) is_decided_on: bool,
    /// Whether it found it out by itself.
    pub(super) is_found: bool,
    /// Those here who heard it from this one, or with it.
    pub(super) aware: Vec<&'a str>,
    /// Whether the system message says it.
    pub(super) is_said_above: bool,
    #[serde(skip)]
    pub(super) is_from_start: bool,
    /// Whether play made it.
    #[serde(skip)]
    pub(super) is_made: bool,
    /// Whether nobody can say it.
    #[serde(skip)]
    pub(super) is_sworn: bool,
    /// Whether one knows that it is not news to anybody here.
    #[serde(skip)]
    pub(super) is_known_here: bool,
    /// The turn in which it was learned.
    #[serde(skip)]
    pub(super) since: u64,
}

#[derive(Serialize)]
pub(super) struct SeenItem<'a> {
    pub(super) name: &'a str,
    pub(super) look: &'a str,
    /// Whether there is something to read.
    pub(super) readable: bool,
    /// Whether it can be destroyed.
    pub(super) destructible: bool,
    /// Whether one's own goal or choice depends on it.
    pub(super) is_own: bool,
    /// Whether it has to be decided here what becomes of it, or who learns what it says.
    pub(super) is_decided_on: bool,
    /// Whether an option of a choice or an ending is about it.
    pub(super) is_needed: bool,
    /// Whether one knows all that there is to read.
    pub(super) is_known: bool,
}

/// What another has decided, as far as minds without language can speak of it.
#[derive(Default, Serialize)]
pub(super) struct Decided<'a> {
    /// Who decided; empty if nobody did.
    pub(super) by: String,
    /// How it is for the one who saw it: better, worse, or neither.
    felt: i32,
    /// What changed hands or is gone, and who got it, or to whom something was promised.
    item: &'a str,
    receiver: &'a str,
}

#[derive(Serialize)]
pub(super) struct OpenPromise<'a> {
    pub(super) to: &'a str,
    pub(super) words: &'a str,
    /// The day on which it was made, if that is over.
    said_on: Option<u32>,
}

#[derive(Serialize)]
pub(super) struct OwedPromise<'a> {
    /// From 1, by which it is named when it is kept.
    pub(super) number: usize,
    pub(super) by: String,
    pub(super) words: &'a str,
    said_on: Option<u32>,
}

/// What actors know, have and feel.
#[derive(SystemParam)]
pub(crate) struct ActorMinds<'w, 's> {
    pub(super) world: Res<'w, RpgWorld>,
    turn: Res<'w, WorldTurn>,
    today: Res<'w, Today>,
    pub(super) whereabouts: Whereabouts<'w, 's>,
    book: Res<'w, FactBook>,
    made: Res<'w, MadeFacts>,
    lore: Res<'w, Lore>,
    pub(super) story: Res<'w, StoryData>,
    minds: Query<
        'w,
        's,
        (
            &'static AgentContext,
            Option<&'static Knowledge>,
            Option<&'static LastFight>,
            Option<&'static Bonds>,
            Option<&'static Promises>,
            Option<&'static Goals>,
        ),
    >,
    history: Res<'w, History>,
    scenes: Query<'w, 's, &'static OpenScene>,
    belongings: Query<'w, 's, &'static Belongings>,
    hidden: Query<'w, 's, &'static Hidden>,
    uses: Query<'w, 's, &'static OpenUses>,
    pub(super) appearances: Query<'w, 's, &'static Appearance>,
    pub(super) bodies: Query<'w, 's, &'static Health>,
    pub(super) words: Res<'w, AnswerWords>,
}

impl ActorMinds<'_, '_> {
    /// What an actor knows and has who is on a stage with all these.
    pub(super) fn view(&self, stage: Entity, here: &[Entity], actor: Entity) -> Option<View<'_>> {
        let (context, knowledge, last_fight, bonds, promises, states) =
            self.minds.get(actor).ok()?;
        let name = self.whereabouts.name_text(actor);
        let goals = self.world.0.goals(&name);
        let wanted: Vec<_> = states.map_or(Vec::new(), |states| states.open(goals).collect());
        let open = self.scenes.get(stage).ok();
        // Also while it is talked over.
        let is_ahead = |scene: &str| {
            self.history.times(scene) == 0 || open.is_some_and(|open| *open.id == *scene)
        };
        let interests = Interests::of(&name, &wanted, &self.story.scenes, is_ahead);
        let choices = self.choices(stage);
        let options = choices.clone().flat_map(|choice| &choice.options);
        let decided = Interests::forestalling(options);
        let stakes = (&interests, &decided);
        let others: Vec<_> = here
            .iter()
            .copied()
            .filter(|other| *other != actor)
            .collect();
        let sees = self.world.0.sees(&name);
        let items = |holder| self.items_of((holder, sees), stage, knowledge, stakes);
        Some(View {
            present: names_without(&self.whereabouts, here, actor),
            promises: promises.map(|promises| self.open_promises(promises)),
            owed: self.owed_to(&name, &others),
            heard: heard(context),
            facts: self.known(&name, knowledge, &others, stakes).collect(),
            items: items(actor).collect(),
            lying: items(stage).collect(),
            decides: choices.clone().any(|choice| choice.who.contains(&name)),
            is_chosen_of: decided.people.contains(&*name),
            name,
            context,
            knowledge,
            last_fight,
            bonds,
            wanted,
        })
    }

    /// What is still to be decided on a stage, one after the other.
    pub(super) fn choices(&self, stage: Entity) -> impl Iterator<Item = &Choice> + Clone {
        let open = self.scenes.get(stage).ok();
        let over = open.map_or(0, |open| open.choices);
        let scene = open.and_then(|open| self.story.scene(&open.id));
        scene.into_iter().flat_map(Scene::choices).skip(over)
    }

    /// What an actor has, or what lies on a stage for another who knows this to see, unless it is
    /// used up. Without sight, one knows of it and not how it looks.
    fn items_of<'a>(
        &'a self,
        (holder, sees): (Entity, bool),
        stage: Entity,
        knowledge: Option<&'a Knowledge>,
        (interests, decided): (&Interests<'_>, &Interests<'_>),
    ) -> impl Iterator<Item = SeenItem<'a>> {
        let hidden = self.hidden.get(holder).ok();
        let uses = self.uses.get(stage).ok();
        let knows = move |fact: &String| knowledge.is_some_and(|known| known.knows(fact));
        let items = items_of(&self.story, self.belongings.get(holder).ok()).filter(move |item| {
            let is_hidden = hidden.is_some_and(|hidden| hidden.hides(&item.name, knowledge));
            !is_hidden && !uses.is_some_and(|uses| uses.is_spent(&item.name))
        });
        items.map(move |item| SeenItem {
            name: &item.name,
            look: if sees { &item.look } else { "" },
            readable: !item.teaches.is_empty(),
            destructible: !item.destroyed.is_empty(),
            is_own: interests.are_in(item),
            is_decided_on: decided.are_about(item),
            is_needed: self.story.needed_items.contains(&item.name),
            is_known: item.teaches.iter().all(knows),
        })
    }

    /// What another has decided before an actor's eyes since it answered last.
    pub(super) fn decided(&self, view: &View<'_>) -> Decided<'_> {
        let told = last_event::<ChoiceMade>(view.context);
        let tags = told.and_then(|entry| view.context.tags(entry.id()));
        let told = tags.and_then(|tags| tags.text(CHOICE.as_str()));
        let found = told.and_then(|told| {
            let mut choices = self.history.choices.iter().rev();
            let (scene, option, by) =
                choices.find(|(scene, option, _)| *told == format!("{scene}={option}"))?;
            Some((scene, self.story.option(scene, option)?, by))
        });
        let Some((scene, option, by)) = found.filter(|(.., by)| ***by != *view.name) else {
            return Decided::default();
        };
        let mut effects = option.effects.iter().map(Effect::bare);
        let (item, receiver) = effects
            .find_map(|effect| match effect {
                Effect::Give(item, to) => Some((item.as_str(), to.as_str())),
                Effect::Destroy(item) => Some((item.as_str(), "")),
                Effect::Promise(from, to, ..) if **from == **by => Some(("", to.as_str())),
                _ => None,
            })
            .unwrap_or_default();
        Decided {
            felt: Leads::felt((&view.name, by), &view.wanted, (scene, option)),
            by: by.to_string(),
            item,
            receiver,
        }
    }

    fn open_promises<'a>(&self, promises: &'a Promises) -> Vec<OpenPromise<'a>> {
        let open = promises.open().map(|promise| OpenPromise {
            to: &promise.to,
            words: &promise.words,
            said_on: promise.said_on(self.today.0),
        });
        open.collect()
    }

    /// What these have promised to an actor and not kept yet.
    fn owed_to(&self, name: &str, others: &[Entity]) -> Vec<OwedPromise<'_>> {
        let mut owed = Vec::new();
        for other in others {
            let Ok((.., Some(promises), _)) = self.minds.get(*other) else {
                continue;
            };
            let promises = promises
                .0
                .iter()
                .filter(|it| it.is_owed_to(name, self.turn.0));
            // Who did not hear a promise does not know of it.
            for promise in promises.filter(|it| it.is_known_to(name)) {
                owed.push(OwedPromise {
                    number: owed.len() + 1,
                    by: self.whereabouts.name_text(*other),
                    words: &promise.words,
                    said_on: promise.said_on(self.today.0),
                });
            }
        }
        owed
    }

    /// What can be used here, and with what.
    pub(super) fn uses(&self, stage: Entity, view: &View<'_>) -> Vec<Use> {
        let Ok(open) = self.uses.get(stage) else {
            return Vec::new();
        };
        let place = self.whereabouts.name_text(stage);
        let is_there = |what: &str| {
            let is_here = view.present.iter().any(|name| name == what);
            what == place || view.is_at_hand(what) || is_here
        };
        let open = open.offered(&self.story, |item| view.is_at_hand(item), is_there);
        let open = open.into_iter().map(|open| Use {
            item: open.item.to_owned(),
            with: open.does.with.clone(),
        });
        open.collect()
    }

    /// The ids of the facts that everyone knows.
    pub(super) fn common(&self) -> impl Iterator<Item = String> {
        let common = self.book.all().filter(|fact| fact.is_common());
        common.map(|fact| fact.id.clone())
    }

    /// Whether something is still hidden where this fact says.
    fn hides_by(&self, fact: &str) -> bool {
        let mut hidden = self.hidden.iter().flat_map(|hidden| hidden.0.values());
        hidden.any(|by| **by == *fact)
    }

    /// Whether the condition of a scene names an actor.
    pub(super) fn is_named(&self, scene: &str, name: &str) -> bool {
        let scene = self.story.scene(scene);
        let parts = scene.map(|scene| scene.when.parts()).unwrap_or_default();
        let takes_part =
            scene.is_some_and(|scene| scene.among.iter().chain(&scene.cast).any(|who| who == name));
        takes_part
            || parts.iter().any(|part| match part {
                Condition::At(who, _) | Condition::Alive(who) => who == name || who == PARTY,
                Condition::Together(names) => names.iter().any(|who| who == name),
                _ => false,
            })
    }

    /// What an actor may tell of what is news to another here, and how much more it could tell:
    /// what it has always known first, so that nobody's own secrets make way for news; then what
    /// was spoken of or learned last; what play made last, and only the newest of it.
    pub(super) fn worth_telling<'a>(&self, view: &View<'a>) -> (Vec<KnownFact<'a>>, usize) {
        let news = view.tellable().filter(|fact| !fact.is_known_here);
        let mut facts: Vec<_> = news.cloned().collect();
        let count = facts.len();
        let made = self.made.newest_first();
        let made = made.filter(|made| facts.iter().any(|fact| fact.id == made.id));
        let newest: Vec<_> = made.take(MADE_FACTS).map(|made| made.id.clone()).collect();
        facts.retain(|fact| !fact.is_made || newest.iter().any(|id| id == fact.id));
        let mut found = Vec::new();
        if facts.len() > MAX_FACTS {
            let (lore, spoken) = (&self.lore, view.spoken_of());
            found = lore.find(&self.book, view.knowledge, (&spoken, None), MAX_FACTS);
        }
        facts.sort_by_key(|fact| {
            let spoken_of = found.iter().position(|found| found.id == fact.id);
            let is_own_secret = fact.is_from_start && fact.is_own;
            (
                fact.is_made,
                !fact.is_from_start,
                !is_own_secret,
                spoken_of.unwrap_or(usize::MAX),
                Reverse(fact.since),
            )
        });
        facts.truncate(MAX_FACTS);
        let more = count - facts.len();
        (facts, more)
    }

    /// All facts that an actor knows and not everyone does, in the order of the world file.
    fn known<'a>(
        &'a self,
        me: &str,
        knowledge: Option<&'a Knowledge>,
        others: &[Entity],
        (interests, decided): (&Interests<'_>, &Interests<'_>),
    ) -> impl Iterator<Item = KnownFact<'a>> {
        let facts = self.book.all().filter(|fact| !fact.is_common());
        facts.filter_map(move |fact| {
            let knowledge = knowledge?;
            let known = knowledge.get(&fact.id)?;
            let made = MadeKind::of(&fact.id);
            if made == Some(MadeKind::Hiding) && !self.hides_by(&fact.id) {
                return None;
            }
            let denials = self.book.denials(fact, knowledge);
            // A list must not tell more than one was there to see.
            let shares = |other: &&Entity| {
                let theirs = self.minds.get(**other).ok();
                let theirs = theirs.and_then(|(_, theirs, ..)| theirs?.get(&fact.id));
                theirs.is_some_and(|theirs| known.is_shared_with(theirs))
            };
            let is_known_here = others.iter().all(|other| shares(&other));
            let aware = others.iter().filter(shares);
            let aware = aware.filter_map(|other| Some(&*self.whereabouts.name(*other)?.0));
            Some(KnownFact {
                denies: denials.map(|fact| fact.title.as_str()).collect(),
                id: &fact.id,
                title: made.map_or(&fact.title, |_| &fact.text),
                text: &fact.text,
                from: known.from.as_deref().unwrap_or_default(),
                is_new: !known.by.is_empty() && known.turn == self.turn.0,
                is_own: interests.facts.contains(fact.id.as_str()),
                is_decided_on: decided.facts.contains(fact.id.as_str()),
                is_feared: interests.feared.contains(fact.id.as_str()),
                is_found: !known.by.is_empty() && known.from.is_none() && made.is_none(),
                aware: aware.collect(),
                is_said_above: fact.is_known_at_start(me),
                is_from_start: known.by.is_empty(),
                is_made: made.is_some(),
                is_sworn: fact.sworn,
                // Alone, it can tell everybody elsewhere.
                is_known_here: !others.is_empty() && is_known_here,
                since: known.turn,
            })
        })
    }
}

impl<'a> View<'a> {
    /// What it knows and can say.
    pub(super) fn tellable(&self) -> impl Iterator<Item = &KnownFact<'a>> {
        self.facts.iter().filter(|fact| !fact.is_sworn)
    }

    /// What it knows and nobody can say.
    pub(super) fn sworn(&self) -> impl Iterator<Item = &KnownFact<'a>> {
        self.facts.iter().filter(|fact| fact.is_sworn)
    }

    /// All that it has and that lies here.
    pub(super) fn at_hand(&self) -> impl Iterator<Item = &SeenItem<'a>> {
        self.items.iter().chain(&self.lying)
    }

    /// What others here decide on: it stays where it is until then.
    pub(super) fn reserved(&self) -> impl Iterator<Item = &'a str> {
        let decided_on = self.at_hand().filter(|item| item.is_decided_on);
        decided_on.filter(|_| !self.decides).map(|item| item.name)
    }

    fn is_at_hand(&self, item: &str) -> bool {
        self.at_hand().any(|known| known.name == item)
    }

    /// What was said to it and what it found.
    fn spoken_of(&self) -> String {
        let found = last_event_text::<MemorySearch>(self.context);
        let spoken = self.heard.iter().map(SpokenLine::text).chain([&*found]);
        spoken.collect::<Vec<_>>().join("\n")
    }

    /// What it has promised and not kept yet.
    pub(super) fn open_promises(&self) -> &[OpenPromise<'a>] {
        self.promises.as_deref().unwrap_or_default()
    }
}

/// The titles of what nobody can say and is news to an actor here, in the order of the world file:
/// what is one's own, and the newest of the rest, as many as are offered to be told.
pub(super) fn worth_listing<'a>(view: &View<'a>) -> Vec<&'a str> {
    let mut news: Vec<_> = view
        .sworn()
        .filter(|fact| !fact.is_known_here)
        .enumerate()
        .collect();
    news.sort_by_key(|(_, fact)| (!fact.is_own, Reverse(fact.since)));
    news.truncate(MAX_FACTS);
    news.sort_by_key(|(place, _)| *place);
    news.into_iter().map(|(_, fact)| fact.title).collect()
}
