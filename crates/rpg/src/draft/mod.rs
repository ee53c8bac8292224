//! Drafts: a world from a few sentences of its writer, part by part, by any mind.
//!
//! A draft is a game of its own. Its only place is asked for one part of the world after the other
//! (`parts.rs`), each in a form with a schema; `part.rs` lets `check` judge it where it will stand,
//! so that a mind can mend its mistakes, and leaves out what is still wrong. Then the improviser
//! rehearses the world, and the mind is told what never came about (`mend.rs`). Because a draft is
//! a game, each answer is in a journal before it is used: whoever goes on pays nothing twice. Start
//! reading at [`DraftGame`].

mod build;
mod mend;
mod part;
mod parts;
mod suggest;
pub(crate) mod write;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{Kind, all_of};
use playhouse_engine::engine::{MeetSet, Setup, StepSet, StoryEnd};
use playhouse_engine::event::{AnsweredBy, Phrasebook, Prompt, PromptSet};
use playhouse_engine::exchange::{self, Answers, Ask};
use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::message::{Digest, tokens};
use playhouse_engine::mind::Language;
use playhouse_engine::save::Meta;
use playhouse_engine::session::{Game, SetupError};
use playhouse_engine::world_data::{DataFolder, Problem, Problems, Severity};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use self::mend::{Played, Unmet, in_words};
use self::part::{DraftPart, Drafted, with_help};
use self::parts::{
    Changes, Endings, NewScene, Outline, PlannedScene, Plot, Scenes, Stakes, Voices, WrittenEnding,
};
use self::write::{Remarks, written};
use crate::campaign::Campaign;
use crate::drama::{Condition, Ending};
use crate::rehearsal::{RehearsalPlan, RunFigures, rehearse};
use crate::world_file::{CampaignStep, WorldFile};

pub use mend::{Shift, percent};
pub use suggest::{SuggestedPart, added};

/// What a draft is called in journals.
const GAME: &str = "draft";

/// How much of a writer's text is read, in characters.
const MOST_READ: usize = 24_000;

/// The tokens of a model's window that are left to all but a writer's text: what was drafted so
/// far, an answer, and one that is mended.
const NOT_NOTES: u64 = 16_384;

/// The largest percentage of runs that may end with the same ending.
const MOST_OF_AN_ENDING: u64 = 60;

/// How many scenes are asked for at a time.
const SCENES_AT_A_TIME: usize = 3;

/// How often a mind is told what rehearsals did not come to.
const ROUNDS: u32 = 3;

/// The longest answer in tokens.
const ANSWER_TOKENS: u32 = 4_096;

/// Why no draft can be begun.
#[derive(Debug, Error, Localize)]
pub enum DraftError {
    /// All mistakes in the prompts.
    Data(Problems),
    #[text(rpg_draft_no_premise)]
    NoPremise,
}

impl From<Problems> for DraftError {
    fn from(problems: Problems) -> Self {
        Self::Data(problems)
    }
}

/// What those are told who wait for a draft.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftNews {
    /// A part is in the draft, with what it names.
    Taken {
        part: &'static str,
        names: Vec<String>,
    },
    /// The mind gave no usable answer for a part.
    Unanswered { part: &'static str },
    /// So many runs of a rehearsal are played.
    Rehearsed { done: u32, all: u32 },
}

/// Takes the news of a draft.
type Listener = Arc<dyn Fn(DraftNews) + Send + Sync>;

/// A world that is drafted from a text of its writer.
#[derive(Clone)]
pub struct DraftGame {
    premise: String,
    /// What the writer wishes of a part.
    wish: String,
    language: Language,
    first: Step,
    world: WorldFile,
    /// The world to which something is added, if it is to be rehearsed.
    campaign: Option<Campaign>,
    runs: u32,
    phrases: Phrasebook,
    data: DataFolder,
    listener: Option<Listener>,
}

/// What is asked for next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    #[default]
    Outline,
    Voices,
    Stakes,
    Plot,
    /// The words of the scenes from this one on.
    Scenes(usize),
    Endings,
    /// What rehearsals did not come to, for this time.
    Changes(u32),
    /// One part of a world that is there, for this time.
    Suggest(SuggestedPart, u32),
    /// What comes of it.
    Suggested(SuggestedPart, u32),
    Over,
}

/// A world that comes about, and what is to be said of it.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    step: Step,
    pub world: WorldFile,
    /// The scenes as they were planned.
    planned: Vec<PlannedScene>,
    /// What of the writer's text was of no use, in the mind's words.
    pub not_used: Vec<String>,
    /// What code left out, and why.
    pub changed: Vec<String>,
    /// What rehearsals still don't come to.
    unmet: Vec<Unmet>,
    /// What rehearsals come to without what is suggested.
    before: Option<Played>,
    /// What was suggested last, as it was answered.
    suggested: String,
    /// How often what comes with the suggestion that did not without it, or more or less often.
    pub shifts: Vec<Shift>,
}

/// The texts that are in every draft.
#[derive(Serialize, Prompt)]
#[serde(untagged)]
enum Given {
    /// What a mind is told that drafts.
    #[prompt("draft/identity")]
    Identity,
    /// What characters are told.
    #[prompt("draft/rules")]
    Rules,
}

/// What a part of a world is asked for with.
#[derive(Serialize, Prompt)]
#[prompt("draft/ask")]
struct DraftData<'a> {
    step: &'a str,
    premise: &'a str,
    /// What the writer wishes of a part.
    wish: &'a str,
    world: &'a WorldFile,
    /// How it is told, without the rules of every draft.
    manner: &'a str,
    /// What each scene needs, each of its options and each ending, in words.
    scene_needs: BTreeMap<&'a str, String>,
    needs: BTreeMap<&'a str, BTreeMap<&'a str, String>>,
    ending_needs: BTreeMap<&'a str, String>,
    planned: &'a [PlannedScene],
    /// Those whose words are asked for now.
    wanted: &'a [PlannedScene],
    unmet: Vec<&'a str>,
    /// What was suggested last.
    suggested: &'a str,
    most_of_an_ending: u64,
}

impl DraftGame {
    /// A draft from a text, of which as much is read as leaves room for the draft in a model's
    /// window, if that is known, and at most 24,000 characters. It is rehearsed this number of
    /// times.
    pub fn new(
        data: &DataFolder,
        premise: &str,
        language: Language,
        runs: u32,
        window: Option<u64>,
    ) -> Result<Self, DraftError> {
        let mut premise: String = premise.trim().chars().take(MOST_READ).collect();
        if premise.is_empty() {
            return Err(DraftError::NoPremise);
        }
        let tokens = u64::from(tokens::estimate(&premise));
        let room = window.map_or(tokens, |it| (it / 4).max(it.saturating_sub(NOT_NOTES)));
        if room < tokens {
            let read = premise.chars().count() as u64 * room / tokens;
            premise = premise.chars().take(read as usize).collect();
        }
        let mut prompts = PromptSet::default();
        exchange::declare_prompts(&mut prompts);
        prompts.declare::<Given>().declare::<DraftData<'_>>();
        let (phrases, _) = prompts.load(data, &format!("prompts/{}", language.code()))?;
        let rules = phrases.fill_if_known(&Given::Rules).unwrap_or_default();
        let text = |text: UiText| text.in_language(language);
        let ending = Ending {
            id: "open".into(),
            title: text(text!(rpg_draft_open_title)),
            closing: text(text!(rpg_draft_open_closing)),
            ..Ending::default()
        };
        let world = WorldFile {
            name: text(text!(rpg_draft_untitled)),
            title: text(text!(rpg_draft_untitled)),
            language,
            rules,
            common: premise.lines().next().unwrap_or_default().to_owned(),
            endings: vec![ending],
            schedule: vec![CampaignStep::Home { days: 1 }],
            ..WorldFile::default()
        };
        Ok(Self {
            premise,
            wish: String::new(),
            language,
            first: Step::Outline,
            world,
            campaign: None,
            runs,
            phrases,
            data: data.clone(),
            listener: None,
        })
    }

    /// The same draft, whose news are told.
    #[must_use]
    pub fn telling(mut self, listener: impl Fn(DraftNews) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    fn tell(&self, news: DraftNews) {
        if let Some(listener) = &self.listener {
            listener(news);
        }
    }

    /// As much of the writer's text as is read.
    pub fn premise(&self) -> &str {
        &self.premise
    }
}

impl Game for DraftGame {
    fn meta(&self) -> Meta {
        let text = format!("{} {}", self.language.code(), self.premise);
        Meta {
            world: GAME.into(),
            data: Digest::of(text.as_bytes()).to_string(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        let mut setup = Setup::new(seed);
        setup.world.insert_resource(self.phrases.clone());
        setup.world.insert_resource(self.language);
        setup.world.insert_resource(Drafting(self.clone()));
        setup.saves().resource::<Draft>("draft");
        setup.meet.add_systems(ask_next.in_set(MeetSet::Rules));
        let takes = (
            take::<Outline>,
            take::<Voices>,
            take::<Stakes>,
            take::<Plot>,
            take::<Scenes>,
            take::<Endings>,
            take::<Changes>,
            take::<NewScene>,
            take::<WrittenEnding>,
        );
        setup.step.add_systems(takes.chain().in_set(StepSet::Take));
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        setup.world.insert_resource(Draft {
            step: self.first,
            world: self.world.clone(),
            ..Draft::default()
        });
        let identity = self
            .phrases
            .fill_if_known(&Given::Identity)
            .unwrap_or_default();
        setup.spawn_stage("Draft", identity)?;
        Ok(())
    }
}

/// What the systems of a draft need of its game.
#[derive(Resource)]
struct Drafting(DraftGame);

/// Adds a part that a mind gave.
fn take<P: DraftPart>(
    mut answers: Answers<Drafted<P>>,
    mut draft: ResMut<Draft>,
    game: Res<Drafting>,
) {
    for (_, Drafted(part), by) in answers.take() {
        let language = draft.world.language;
        let (is_answer, part) = if let AnsweredBy::Fallback(why) = by {
            let said = text!(rpg_draft_no_answer, part = P::NAME, why);
            draft.changed.push(said.in_language(language));
            // What was suggested before is better than nothing.
            let last = serde_json::from_str(&draft.suggested);
            (false, last.unwrap_or(part))
        } else {
            (true, part)
        };
        let answer = serde_json::to_string(&part).unwrap_or_default();
        let note = |part: &P, (path, said): (String, UiText)| {
            let at = match &*path {
                "" => P::NAME.to_owned(),
                path => part::by_name(part, path),
            };
            format!("{at}: {}", said.in_language(language))
        };
        let foreign = part::foreign(&part, language);
        let foreign = match foreign.is_most {
            true => vec![String::new()],
            false => foreign.told,
        };
        let foreign = foreign.into_iter();
        let foreign = foreign.map(|path| note(&part, (path, text!(rpg_draft_language))));
        draft.changed.extend(foreign);
        let (part, mistakes) = part::without_mistakes(&part, &draft);
        let left_out = mistakes.into_iter().map(|mistake| {
            let (part, why) = (mistake.name, mistake.message);
            text!(rpg_draft_left_out, part, why).in_language(language)
        });
        draft.changed.extend(left_out);
        let doubts = part.doubts(&draft).into_iter();
        let doubts = doubts.map(|doubt| note(&part, doubt));
        draft.changed.extend(doubts);
        let mut names = part::names_in(&part);
        let before = draft.world.clone();
        part.add_to(&mut draft);
        names.retain(|name| draft.world.has_named(name));
        game.0.tell(match is_answer {
            true => DraftNews::Taken {
                part: P::NAME,
                names,
            },
            false => DraftNews::Unanswered { part: P::NAME },
        });
        let is_there = |planned: &PlannedScene| {
            let mut scenes = draft.world.scenes.iter();
            scenes.any(|scene| scene.id == planned.id)
        };
        let planned = draft.planned.iter().filter(|planned| is_there(planned));
        draft.planned = planned.cloned().collect();
        draft.step = match draft.problems().has_errors() {
            // Without places and people there is nothing to go on with.
            true => Step::Over,
            // Who changes nothing would be asked the same again.
            false if matches!(draft.step, Step::Changes(_)) && draft.world == before => Step::Over,
            false if draft.suggested == answer => Step::Over,
            false => next_step(draft.step, draft.planned.len()),
        };
        if let Step::Suggested(..) = draft.step {
            draft.suggested = answer;
        }
    }
}

fn next_step(step: Step, scenes: usize) -> Step {
    match step {
        Step::Outline => Step::Voices,
        Step::Voices => Step::Stakes,
        Step::Stakes => Step::Plot,
        Step::Plot if scenes > 0 => Step::Scenes(0),
        Step::Scenes(from) if from + SCENES_AT_A_TIME < scenes => {
            Step::Scenes(from + SCENES_AT_A_TIME)
        }
        Step::Plot | Step::Scenes(_) => Step::Endings,
        Step::Endings => Step::Changes(0),
        Step::Changes(round) => Step::Changes(round + 1),
        Step::Suggest(part, round) => Step::Suggested(part, round),
        Step::Suggested(..) | Step::Over => Step::Over,
    }
}

/// Asks for the next part, or ends the draft.
fn ask_next(world: &mut World) {
    let mut draft = world.resource::<Draft>().clone();
    let game = world.resource::<Drafting>().0.clone();
    if let Step::Changes(round) = draft.step {
        rehearse_draft(&mut draft, &game, round);
    }
    if let Step::Suggested(part, round) = draft.step {
        rehearse_suggestion(&mut draft, &game, part, round);
    }
    let asked = match draft.step {
        Step::Outline => ask::<Outline>(world, &draft, &game),
        Step::Voices => ask::<Voices>(world, &draft, &game),
        Step::Stakes => ask::<Stakes>(world, &draft, &game),
        Step::Plot => ask::<Plot>(world, &draft, &game),
        Step::Scenes(_) => ask::<Scenes>(world, &draft, &game),
        Step::Endings => ask::<Endings>(world, &draft, &game),
        Step::Changes(_) => ask::<Changes>(world, &draft, &game),
        Step::Suggest(SuggestedPart::Scene, _) => ask::<NewScene>(world, &draft, &game),
        Step::Suggest(SuggestedPart::Ending, _) => ask::<WrittenEnding>(world, &draft, &game),
        Step::Suggest(SuggestedPart::Voice, _) => ask::<Voices>(world, &draft, &game),
        Step::Suggest(SuggestedPart::Fact, _) => ask::<Stakes>(world, &draft, &game),
        Step::Suggested(..) | Step::Over => None,
    };
    if asked.is_none() {
        draft.step = Step::Over;
        world.insert_resource(StoryEnd(draft.world.name.clone()));
    }
    world.insert_resource(draft);
}

fn ask<P: DraftPart>(world: &mut World, draft: &Draft, game: &DraftGame) -> Option<()> {
    let desk = all_of(world, Kind::Stage).into_iter().next()?;
    let unmet = draft.unmet.iter().map(|unmet| &*unmet.told);
    let words = |when: &Condition| in_words(when, game.language);
    let needs = draft.world.scenes.iter().map(|scene| {
        let options = scene.options().map(|it| (&*it.id, words(&it.when)));
        (&*scene.id, options.collect::<BTreeMap<_, _>>())
    });
    let (scenes, endings) = (draft.world.scenes.iter(), draft.world.endings.iter());
    let rules = game.phrases.fill_if_known(&Given::Rules);
    let rules = rules.unwrap_or_default();
    let data = DraftData {
        step: P::NAME,
        premise: &game.premise,
        wish: &game.wish,
        world: &draft.world,
        manner: draft.world.rules.trim_end_matches(rules.as_str()).trim(),
        scene_needs: scenes.map(|it| (&*it.id, words(&it.when))).collect(),
        needs: needs.collect(),
        ending_needs: endings.map(|it| (&*it.id, words(&it.when))).collect(),
        planned: &draft.planned,
        wanted: draft.wanted(),
        unmet: unmet.collect(),
        suggested: &draft.suggested,
        most_of_an_ending: MOST_OF_AN_ENDING,
    };
    let question = match world.resource::<Phrasebook>().fill(&data) {
        Ok(question) => question,
        Err(error) => {
            tracing::warn!(%error, "a question can't be made");
            return None;
        }
    };
    let ask = Ask::new(
        "draft",
        question,
        Arc::new(draft.clone()),
        Drafted(P::default()),
    );
    let ask = ask.max_tokens(ANSWER_TOKENS).forgotten();
    world.entity_mut(desk).insert(ask);
    Some(())
}

/// Rehearses the world; what is left after the last round is told to the writer.
fn rehearse_draft(draft: &mut Draft, game: &DraftGame, round: u32) {
    game.rehearse(draft);
    if draft.unmet.is_empty() || round >= ROUNDS {
        draft.step = Step::Over;
    }
}

/// Rehearses a world without and with what is suggested. If that does harm, it is asked for again.
fn rehearse_suggestion(draft: &mut Draft, game: &DraftGame, part: SuggestedPart, round: u32) {
    draft.step = Step::Over;
    let is_plot = matches!(part, SuggestedPart::Scene | SuggestedPart::Ending);
    if !is_plot || draft.world == game.world {
        return;
    }
    let before = draft.before.take();
    let before = before.map_or_else(|| game.rehearsed(&game.world), Ok);
    let both = before.and_then(|before| Ok((before, game.rehearsed(&draft.world)?)));
    match both {
        Ok((before, after)) => {
            draft.shifts = after.shifts_from(&before);
            draft.unmet = after.worse_than(&before, game.language);
            draft.before = Some(before);
            if !draft.unmet.is_empty() && round < ROUNDS {
                draft.world = game.world.clone();
                draft.planned.clear();
                draft.changed.clear();
                draft.step = Step::Suggest(part, round + 1);
            }
        }
        Err(failed) => draft.unmet = vec![failed],
    }
}

impl DraftGame {
    /// Notes what rehearsals of a draft do not come to.
    pub fn rehearse(&self, draft: &mut Draft) {
        let played = self.rehearsed(&draft.world);
        draft.unmet = played.map_or_else(|failed| vec![failed], |played| played.unmet);
    }

    /// What the improviser makes of a world, or why it can't be rehearsed.
    fn rehearsed(&self, world: &WorldFile) -> Result<Played, Unmet> {
        let failed = |error: &dyn Localize| {
            let said = text!(rpg_draft_not_rehearsed, error = error.text());
            Unmet::of_world(said.in_language(self.language))
        };
        let campaign = match &self.campaign {
            Some(campaign) => {
                let mut campaign = campaign.clone();
                campaign.file = Arc::new(world.clone());
                campaign
            }
            None => {
                let text = written(world, &Remarks::new());
                let folder = DataFolder::of_texts([("world.ron".into(), text)].into());
                let campaign = Campaign::load_from(&self.data, &folder, GAME);
                campaign.map_err(|error| failed(&error))?
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let plan = RehearsalPlan {
            seed: 1,
            runs: self.runs,
            jobs: cores,
            consistency: true,
            ..RehearsalPlan::default()
        };
        let done = Mutex::new(0);
        let on_run = |_: &RunFigures| {
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            *done += 1;
            self.tell(DraftNews::Rehearsed {
                done: *done,
                all: self.runs,
            });
            ControlFlow::Continue(())
        };
        let runs = rehearse(&campaign, &plan, &on_run).map_err(|error| failed(&error))?;
        Ok(Played::of(&campaign.file, &runs))
    }
}

impl Draft {
    /// The text of the world file, with comments on what its writer should look at.
    pub fn text(&self) -> String {
        let mut remarks = Remarks::new();
        for problem in self.problems().iter() {
            let end = problem.field.find(']').map(|end| end + 1);
            if let Some(item) = end.and_then(|end| problem.field.get(..end)) {
                let said = problem.message.in_language(self.world.language);
                let mut unmet = self.unmet.iter().filter(|unmet| unmet.at == item);
                // Rehearsals may have shown the same.
                if !unmet.any(|unmet| unmet.said.contains(&said)) {
                    remarks.entry(item.to_owned()).or_default().push(said);
                }
            }
        }
        for unmet in &self.unmet {
            let remarks = remarks.entry(unmet.at.clone()).or_default();
            remarks.push(unmet.said.clone());
        }
        written(&self.world, &remarks)
    }

    /// What `check` says of it; errors only if the mind gave no places or people.
    pub fn problems(&self) -> Problems {
        write::problems(&self.world)
    }

    /// The scenes whose words are asked for now.
    fn wanted(&self) -> &[PlannedScene] {
        let Step::Scenes(from) = self.step else {
            return &[];
        };
        let rest = self.planned.get(from..).unwrap_or_default();
        rest.get(..SCENES_AT_A_TIME.min(rest.len()))
            .unwrap_or_default()
    }

    /// What `check` warns of, unless it did so of the world before, or rehearsals have shown the
    /// same.
    pub fn warnings(&self, before: Option<&WorldFile>) -> Vec<String> {
        let known = before.map(write::problems).unwrap_or_default();
        let is_new = |it: &&Problem| known.iter().all(|known| known.message != it.message);
        let problems = self.problems();
        let warnings = problems.iter().filter(is_new);
        let warnings = warnings.filter(|it| it.severity == Severity::Warning);
        let told = warnings.filter_map(|problem| {
            let language = self.world.language;
            let message = problem.message.in_language(language);
            let is_shown = self.unmet().any(|unmet| unmet.contains(&message));
            let said = with_help(problem.message.clone(), problem.help.clone());
            let at = part::by_name(&self.world, &problem.field);
            (!is_shown).then(|| format!("{at}: {}", said.in_language(language)))
        });
        told.collect()
    }

    /// What is expected of rehearsals.
    pub fn expectations(&self) -> String {
        let language = self.world.language;
        let note = text!(rpg_draft_note_expectations).in_language(language);
        let scenes = self.world.scenes.iter();
        let scenes =
            scenes.map(|scene| format!("    Scene({}, 1, 100),\n", write::ron_text(&scene.id)));
        let scenes: String = scenes.collect();
        format!("// {note}\n[\n    EachEnding(1, {MOST_OF_AN_ENDING}),\n{scenes}]\n")
    }

    /// What rehearsals still don't come to.
    pub fn unmet(&self) -> impl Iterator<Item = &String> {
        self.unmet.iter().map(|unmet| &unmet.said)
    }
}
