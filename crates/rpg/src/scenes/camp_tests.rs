//! What is played in the shipped worlds after a fight that was won.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, Dead, OnStage};
use playhouse_engine::world_data::DataFolder;

use crate::campaign::Campaign;
use crate::drama::{
    Belongings, Effect, FightResult, History, Occasion, StoryData, move_item, next_scene,
};
use crate::everybody::{names, party};

/// Whoever is left standing, and whoever has what they carry, there is a scene; and if they go on,
/// it gets up whoever has fallen.
#[test]
fn no_party_goes_on_without_those_who_fell() {
    for folder in ["drowned-assize", "zhaoying-ban"] {
        let campaign = Campaign::load(&DataFolder::embedded(), folder).unwrap();
        let fights = campaign.file.dungeons.iter().flat_map(|dungeon| {
            let last = dungeon.fights.len() - 1;
            let fights = dungeon.fights.iter().enumerate();
            fights.map(move |(number, fight)| (&fight.stage, number < last))
        });
        for (stage, goes_on) in fights {
            let mut setup = campaign.new_game(1).unwrap();
            let world = &mut setup.world;
            world.insert_resource(Occasion::Camp);
            let won = (stage.as_str().into(), FightResult::Won);
            world.resource_mut::<History>().fights.push(won);
            let place = world.resource::<CastList>().by_name(stage).unwrap();
            let heroes = party(world);
            for hero in &heroes {
                world.entity_mut(*hero).insert(OnStage(place));
            }
            for carrier in &heroes {
                carry_all(world, &heroes, *carrier);
                for standing in 1..1_u32 << heroes.len() {
                    stand(world, &heroes, standing);
                    let story = world.resource::<StoryData>();
                    let scene = next_scene(world, &story.scenes, stage);
                    let scene = scene.unwrap_or_else(|| panic!("{stage}: {standing:b}"));
                    for name in names(world, &heroes).into_iter().filter(|_| goes_on) {
                        let revived = Effect::Revive(name, stage.clone());
                        assert!(
                            scene.effects.contains(&revived),
                            "{}: {revived:?}",
                            scene.id
                        );
                    }
                }
            }
        }
    }
}

/// One of the heroes has all that they had.
fn carry_all(world: &mut World, heroes: &[Entity], carrier: Entity) {
    let held = heroes
        .iter()
        .filter_map(|hero| world.get::<Belongings>(*hero));
    let held: Vec<_> = held.flat_map(|held| held.0.iter().cloned()).collect();
    for item in held {
        move_item(world, &item, Some(carrier));
    }
}

/// The heroes whose bits are set stand, the others have fallen.
fn stand(world: &mut World, heroes: &[Entity], standing: u32) {
    for (number, hero) in heroes.iter().enumerate() {
        let mut hero = world.entity_mut(*hero);
        if standing >> number & 1 == 1 {
            hero.remove::<Dead>();
        } else {
            hero.insert(Dead);
        }
    }
}
