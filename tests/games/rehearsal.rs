//! Rehearsals of a small world.

use std::io::Write;
use std::ops::ControlFlow;

use playhouse::message::Language;
use playhouse::rpg::Campaign;
use playhouse::rpg::rehearsal::{Plan, Rehearsal, RunEnd, RunFigures, rehearse};
use playhouse::rpg::world_file::new_world;
use playhouse::statistics::Share;
use playhouse::world_data::DataFolder;

/// Drama for the world that `new_world` writes.
const DRAMA: &str = r#"
    items: [(name: "the key", look: "A miller's key.", at: "Tam Weller")],
    bonds: [(from: "Isa Finch", to: "Tam Weller", word: "friend", value: 1)],
    qualities: [(id: "flour", max: 3, start: 1)],
    scenes: [
        (id: "the-offer", at: "Bakehouse", opening: "The oven is cold.", choice: Some((
            who: "Tam Weller", question: "Do you tell her?", options: [
                (id: "tell", label: "Tell her", seen: "Tam tells Isa.", effects: [
                    Teach("Isa Finch", "leaving"), Give("the key", "Isa Finch"), Add("flour", 1),
                ]),
                (id: "lie", label: "Lie", seen: "Tam shrugs.", effects: [
                    Bond("Isa Finch", "Tam Weller", -2), Destroy("the key"),
                ]),
            ],
        ))),
        (id: "the-flood", at: "Bakehouse", when: Never, opening: "Water comes in."),
    ],
    endings: [
        (id: "stays", title: "He stays", when: Chose("the-offer", "tell")),
        (id: "goes", title: "He goes"),
    ],
"#;

fn small_world() -> Campaign {
    let folder = tempfile::tempdir().unwrap();
    let path = new_world(folder.path(), Language::En).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let (start, end) = text.split_at(text.rfind("schedule:").unwrap());
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(format!("{start}{DRAMA}{end}").as_bytes())
        .unwrap();
    let data = DataFolder::embedded();
    let world = DataFolder::at(folder.path()).unwrap();
    Campaign::load_from(&data, &world, "mill").unwrap()
}

fn runs(campaign: &Campaign, plan: Plan) -> Vec<RunFigures> {
    rehearse(campaign, &plan, &|_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn the_number_of_jobs_changes_no_figure() {
    let campaign = small_world();
    let plan = |jobs| Plan {
        seed: 5,
        runs: 20,
        jobs,
        find: None,
    };
    let one = runs(&campaign, plan(1));
    assert_eq!(one, runs(&campaign, plan(2)));
    let seeds: Vec<_> = one.iter().map(|run| run.seed).collect();
    assert_eq!(seeds, (5..25).collect::<Vec<_>>());
    let rehearsal = Rehearsal::of(&campaign.file, &one);
    assert_eq!((rehearsal.runs, rehearsal.failed.len()), (20, 0));
    assert_eq!(rehearsal.fights[0].fought, Share { hits: 20, of: 20 });
    assert_eq!(rehearsal.fights[0].won.of, 20);
    assert_eq!(rehearsal.default_answers.value(), Some(0.0));
    let shares = rehearsal.activities.values();
    let shares: f64 = shares.filter_map(|share| share.value()).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{:?}", rehearsal.activities);
}

#[test]
fn drama_is_counted_whatever_happens() {
    let campaign = small_world();
    let (find, _) = campaign
        .file
        .read_condition("find", "Knows(\"Isa Finch\", \"leaving\")")
        .unwrap();
    let runs = runs(
        &campaign,
        Plan {
            seed: 1,
            runs: 20,
            jobs: 2,
            find: Some(find),
        },
    );
    let drama = Rehearsal::of(&campaign.file, &runs).drama;
    let scenes = drama.scenes.iter();
    let scenes: Vec<_> = scenes.map(|scene| (&*scene.id, scene.runs.hits)).collect();
    assert_eq!(scenes, [("the-flood", 0), ("the-offer", 20)]);
    let chosen = |id| {
        let mut options = drama.options.iter();
        options.find(|option| option.option == id).unwrap().chosen
    };
    let (told, lied) = (chosen("tell"), chosen("lie"));
    assert_eq!((told.of, told.hits + lied.hits), (20, 20));
    let ending = |index: usize| drama.endings[index].runs;
    assert_eq!((ending(0), ending(1)), (told, lied));
    assert_eq!(drama.items[0].gone, lied);
    let held = drama.items[0].holders.get("Isa Finch").copied();
    assert_eq!(held.unwrap_or(Share { hits: 0, of: 20 }), told);
    let leaving = &drama.facts[0];
    assert_eq!((leaving.told.hits, leaving.learned), (0, told));
    let found = runs.iter().filter(|run| run.found == Some(true));
    assert_eq!(found.count() as u64, told.hits);
    let value = drama.bonds[0].end.value().unwrap();
    assert!(
        (value - (1.0 - lied.hits as f64 / 10.0)).abs() < 1e-9,
        "{value}"
    );
    assert_eq!(drama.qualities[0].end.of, 20);
}

#[test]
fn a_run_is_the_same_alone_and_among_others() {
    let campaign = small_world();
    let plan = |seed, runs| Plan {
        seed,
        runs,
        jobs: 1,
        find: None,
    };
    let all = runs(&campaign, plan(1, 4));
    assert_eq!(all[3..], runs(&campaign, plan(4, 1))[..]);
    assert!(matches!(all[3].end, RunEnd::Finished(_)));
    assert_ne!(all[2].spent, all[3].spent);
}

#[test]
fn a_rehearsal_can_be_broken_off() {
    let campaign = small_world();
    let plan = Plan {
        seed: 1,
        runs: 1_000,
        jobs: 1,
        find: None,
    };
    let stopped = rehearse(&campaign, &plan, &|run| match run.seed {
        3 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(stopped.unwrap().len(), 3);
}
