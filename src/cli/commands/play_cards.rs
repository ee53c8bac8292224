//! `play`: a story in which the characters of cards meet, in a world made on the spot.

use crate::cli::prelude::*;
use std::collections::BTreeMap;

use super::import::{into_world, read_cards, warn};
use super::play::{self, Left};
use super::run;
use crate::cli::args::{NewSaveArgs, PlayCardsArgs, StoryArgs};
use crate::cli::loader;
use crate::interop::cards::clean_name;
use crate::rpg::Campaign;
use crate::rpg::import::{Cast, meeting_in};
use crate::rpg::world_file::WorldFile;
use crate::world_data::{DataFolder, Source};

const WORLD: &str = "world.ron";

pub(super) fn play(app: &App, args: &PlayCardsArgs) -> Result<Left> {
    let seed = play::seed(app, args.new.seed)?;
    let cast = read_cards(app, &args.cards)?;
    let language = args.world_lang.unwrap_or_else(|| cast.language());
    let seat = app.settings.seat.value.as_deref();
    let is_of_card = |seat: &&str| {
        let mut cards = cast.cards.iter();
        cards.any(|(_, card)| card.called().eq_ignore_ascii_case(seat))
    };
    let person = seat.filter(|seat| !is_of_card(seat)).and_then(clean_name);
    let first = cast.cards.first().map(|(file, _)| file.as_str());
    // No world of a folder is called so; the save is called after its end.
    let name = format!("cards:/{}", first.unwrap_or("story"));
    let world = meeting_in(language, args.scene.as_deref());
    let cast = Cast {
        person,
        seed,
        ..cast
    };
    let imported = into_world(app, cast, Source::new(WORLD, &world))?;
    warn(app, &imported.reports);
    let texts = BTreeMap::from([(WORLD.to_owned(), imported.world.text().to_owned())]);
    let texts = texts.into_iter().chain(imported.books);
    let world = DataFolder::of_texts(texts.collect());
    let window = |world: &WorldFile| loader::window(app, world);
    let campaign = Campaign::load_changed(&app.data()?, Some(&world), &name, Ok, window)
        .or_fail(ErrorKind::World)?;
    let story = StoryArgs {
        world: None,
        new: NewSaveArgs {
            seed: Some(seed),
            ..args.new.clone()
        },
        play: args.play.clone(),
        is_bare: false,
    };
    run::begin(app, &campaign, &story, None)
}
