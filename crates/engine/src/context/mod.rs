//! What each entity remembers: its conversation, its closed chapters and its readable form.
//!
//! An [`AgentContext`] keeps its own rules (at most one system message, which is the first; nothing
//! is rewritten in place), finds messages by tag through an index, and removes them by id. Start
//! reading at [`AgentContext`].
//!
//! # A fight, from its beginning to its archive
//!
//! What the campaign does in `rpg/combat` and `rpg/archive`, in a game of its own: a system
//! message, a tagged message that begins a fight, an order whose short form is sent, a tagged
//! outcome, and a summary in the place of all of it.
//!
//! ```
//! use playhouse_engine::cast::WorldTurn;
//! use playhouse_engine::context::SearchOrder;
//! use playhouse_engine::message::{TagKey, Tags};
//! use playhouse_engine::prelude::*;
//! use playhouse_engine::testing::tiny;
//!
//! #[derive(Component)]
//! struct Fighter;
//! #[derive(Serialize, Deserialize, AgentEvent)]
//! #[event("combat_outcome", style = Contest, tags = message_tags)]
//! struct CombatOutcome;
//! impl CombatOutcome {
//!     fn message_tags(&self) -> Tags {
//!         TagKey::new("combat_outcome").of("Hall").into()
//!     }
//! }
//! #[derive(Serialize, Deserialize, AgentEvent)]
//! #[event("combat_archive", style = Memory)]
//! struct CombatArchive {
//!     message: String,
//! }
//!
//! fn question(purpose: &'static str, prompt: impl Into<Box<str>>) -> Ask<Prose> {
//!     Ask::new(purpose, prompt, ProseRules::default(), Prose("…".into()))
//! }
//!
//! fn combat_initialization(fighters: Query<Entity, With<Fighter>>, mut commands: Commands) {
//!     for fighter in &fighters {
//!         let ask = question("combat.initialization", "# A fight begins! What do you feel?");
//!         let ask = ask.tag(TagKey::new("combat_initialization").of("Hall"));
//!         commands.entity(fighter).insert(ask);
//!     }
//! }
//!
//! fn draw_cards(fighters: Query<Entity, With<Fighter>>, mut commands: Commands) {
//!     for fighter in &fighters {
//!         let ask = question("draw_cards", "# Order! Round 1\nYou hold … Answer with …");
//!         commands.entity(fighter).insert(ask.condensed("# Order! Round 1").sent_short());
//!     }
//! }
//!
//! fn end_combat(fighters: Query<Entity, With<Fighter>>, mut events: EventWriter) {
//!     for fighter in &fighters {
//!         events.broadcast_to_stage(fighter, CombatOutcome, &[]);
//!     }
//! }
//!
//! fn combat_archive(
//!     mut fighters: Query<(Entity, &mut AgentContext), With<Fighter>>,
//!     mut commands: Commands,
//! ) {
//!     for (fighter, mut context) in &mut fighters {
//!         let order = SearchOrder::NewestFirst;
//!         let find = |key| context.filter_human_messages_by_attribute(key, "Hall", order);
//!         let (begin, end) = (find("combat_initialization"), find("combat_outcome"));
//!         let removed = context.remove_message_range(begin[0].id, end[0].id).unwrap();
//!         let told: Vec<_> = removed.iter().map(|held| held.message.body.full_text()).collect();
//!         let ask = question("combat.archive", format!("Sum up:\n{}", told.join("\n")));
//!         commands.entity(fighter).insert(ask.forgotten());
//!     }
//! }
//!
//! fn take(mut answers: Answers<Prose>, turn: Res<WorldTurn>, mut events: EventWriter) {
//!     for (fighter, Prose(answer), _) in answers.take() {
//!         if turn.0 == 3 {
//!             events.notify_entities(&[fighter], CombatArchive { message: answer });
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut tiny = tiny(); // a stage, `Hall`, with two actors who have their system messages
//! let ann = tiny.ann;
//! tiny.world().entity_mut(ann).insert(Fighter);
//! register_event::<CombatOutcome>(tiny.world());
//! register_event::<CombatArchive>(tiny.world());
//! let on = |wanted: u64| move |turn: Res<WorldTurn>| turn.0 == wanted;
//! tiny.setup.meet.add_systems((
//!     combat_initialization.run_if(on(0)).in_set(MeetSet::Rules),
//!     draw_cards.run_if(on(1)).in_set(MeetSet::Rules),
//!     end_combat.run_if(on(2)).in_set(MeetSet::Rules),
//!     combat_archive.run_if(on(3)).in_set(MeetSet::Rules),
//! ).chain());
//! tiny.setup.step.add_systems(take.in_set(StepSet::Take));
//! let mind = ScriptMind::lines([
//!     ("Ann", ScriptLine::say("My hands are cold.")),
//!     ("Ann", ScriptLine::say("I draw the hammer.")),
//!     ("Ann", ScriptLine::say("I won a fight with a hammer.")),
//! ]);
//! let mut engine = tiny.engine(mind)?;
//! engine.run(Some(3)).await?;
//! let context = engine.world.get::<AgentContext>(ann).unwrap();
//! let fight = "System: You are Ann.\nH: # A fight begins! What do you feel?\n\
//!     AI(Ann): My hands are cold.\nH: # Order! Round 1\nAI(Ann): I draw the hammer.\n\
//!     H: events/combat_outcome null\n";
//! assert_eq!(buffer(context), fight);
//! let ai = &context.entries()[2].body().response().unwrap().to_map();
//! for member in ["token_usage", "model_provider", "model_name", "prompt_cache_hit_tokens"] {
//!     assert!(ai.contains_key(member), "{member}");
//! }
//! engine.run(Some(4)).await?;
//! let context = engine.world.get::<AgentContext>(ann).unwrap();
//! let summary = r#"H: events/combat_archive {"message":"I won a fight with a hammer."}"#;
//! assert_eq!(buffer(context), format!("System: You are Ann.\n{summary}\n"));
//! # Ok(())
//! # }
//! ```

mod agent_context;
mod buffer;
mod chapter;
mod chapter_id;
mod happening;
mod json;
#[cfg(test)]
mod laws;
mod record;
mod view;

pub use agent_context::{
    AgentContext, ContextError, ContextStats, Entry, EntryId, SearchOrder, StoredMessage,
};
pub use buffer::buffer;
pub use chapter::{Chapter, Chapters};
pub use chapter_id::ChapterId;
pub use happening::{Common, Happened, Happening, Noting};
pub use json::{context_from_json, context_to_json};
pub use record::{ChapterRecord, Level, Note};
pub use view::{SourceView, View};
