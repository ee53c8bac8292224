//! Who plays a save, and undercover in a single game or a tournament.

use crate::cli::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::mind::improviser::Improviser;
use crate::mind::{Mind, Minds};
use crate::undercover::improviser::with_words;
use crate::undercover::{Match, Rules};
use crate::world_data::Lexicon;

use super::{chat, play};
use crate::cli::saved::{Played, Saved};
use crate::cli::settings::IMPROVISER;
use crate::cli::{loader, slot_settings};
use bevy_ecs::prelude::World;

pub(super) const NAME: &str = "undercover";

/// Prints who is at the table, and who plays.
pub(super) fn introduce(app: &App, rules: &Rules, introduction: Option<&str>) {
    let (table, players) = (&rules.table, Argument::list(&rules.players));
    let title = say!(rules.language, story_table, table, players);
    play::introduce(app, &[Paragraph::of(Style::Bold, title)], introduction);
}

/// The minds of a save that goes on where nobody sits at a terminal; `None` for a team that can't.
pub(super) fn minds_of(app: &App, saved: &Saved, world: &mut World) -> Result<Option<Minds>> {
    slot_settings::check_models(app, saved, world)?;
    let given = saved.given_models();
    Ok(match &saved.played {
        Played::World(_) => {
            let main = loader::main_mind(app, &app.settings.model.value)?.mind;
            let minds = loader::minds(app, main, world)?;
            Some(loader::given_minds(app, minds, &given)?)
        }
        Played::Undercover(game) => {
            let (rules, seed) = (game.rules(), saved.story.header.seed);
            let players = Players::find(app, rules)?;
            Some(players.given(app, game, seed, &given)?)
        }
        Played::Team(game) => chat::minds_of_run(app, game, world)?,
    })
}

/// Who plays: the minds of the players.
pub(super) struct Players {
    /// The mind of players without a model of their own; `None` for the improviser, which is made
    /// for each pair of words.
    main: Option<Arc<dyn Mind>>,
    by_alias: BTreeMap<String, Option<Arc<dyn Mind>>>,
    improviser: Improviser,
    /// What the improviser says about itself, if it plays.
    pub(super) introduction: Option<String>,
}

impl Players {
    /// The minds that the settings and the rules name.
    pub(super) fn find(app: &App, rules: &Rules) -> Result<Self> {
        let improviser = loader::improviser(app)?;
        let find = |name: &str| match name {
            IMPROVISER => Ok::<_, CommandError>(None),
            name => Ok(Some(loader::main_mind(app, name)?.mind)),
        };
        let main = find(&app.settings.model.value)?;
        let names = rules.player_models().into_iter();
        let by_alias = names.map(|name| Ok((name.clone(), find(&name)?)));
        let by_alias = by_alias.collect::<Result<BTreeMap<_, _>>>()?;
        let improvised = main.is_none() && rules.models.len() < rules.players.len();
        let introduces = improvised || by_alias.values().any(Option::is_none);
        let introduction = improviser.introduction(app.language);
        Ok(Self {
            introduction: introduces.then(|| introduction.to_owned()),
            main,
            by_alias,
            improviser,
        })
    }

    /// The mind of players without a model of their own.
    pub(super) fn main_mind(&self, game: &Match, seed: u64) -> Arc<dyn Mind> {
        let main = self.main.clone();
        main.unwrap_or_else(|| self.improviser(game, seed))
    }

    /// The minds of a game with those that were given to single players of a save.
    pub(super) fn given(
        &self,
        app: &App,
        game: &Match,
        seed: u64,
        models: &BTreeSet<String>,
    ) -> Result<Minds> {
        let minds = self.minds(game, seed);
        // The improviser of this table knows its words.
        if models.contains(IMPROVISER) {
            let others = models.iter().filter(|model| *model != IMPROVISER);
            let minds = loader::given_minds(app, minds, &others.cloned().collect())?;
            return Ok(minds.with_alias(IMPROVISER, self.improviser(game, seed)));
        }
        loader::given_minds(app, minds, models)
    }

    pub(super) fn minds(&self, game: &Match, seed: u64) -> Minds {
        let minds = Minds::all(self.main_mind(game, seed));
        self.by_alias.iter().fold(minds, |minds, (alias, mind)| {
            let mind = mind.clone().unwrap_or_else(|| self.improviser(game, seed));
            minds.with_alias(alias.as_str(), mind)
        })
    }

    /// The improviser, with what can be said about the words of a game.
    fn improviser(&self, game: &Match, seed: u64) -> Arc<dyn Mind> {
        let words = Lexicon {
            pairs: game.pair(seed).cloned().into_iter().collect(),
        };
        let improviser = self.improviser.clone();
        Arc::new(with_words(&improviser, game.rules().language, &words))
    }
}
