//! Rehearsals of a small world.
#![expect(clippy::disallowed_methods, reason = "tests")]

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use playhouse_engine::message::Language;
use playhouse_engine::statistics::Share;
use playhouse_engine::world_data::DataFolder;
use playhouse_rpg::Campaign;
use playhouse_rpg::rehearsal::{
    Contradiction, Expectations, Find, FindWhen, Rehearsal, RehearsalPlan, RunEnd, RunFigures,
    read_runs, rehearse, write_runs,
};
use playhouse_rpg::world_file::{WorldKind, new_world};

fn small_world() -> Campaign {
    world_with("")
}

/// The small world with more scenes.
fn world_with(scenes: &str) -> Campaign {
    changed_world(&[("scenes: [", &format!("scenes: [{scenes}"))])
}

/// The small world in which each of these texts is another.
fn changed_world(changes: &[(&str, &str)]) -> Campaign {
    let folder = tempfile::tempdir().unwrap();
    new_world(folder.path(), WorldKind::Journey, Language::En).unwrap();
    let file = folder.path().join("world.ron");
    let mut world = std::fs::read_to_string(&file).unwrap();
    for (old, new) in changes {
        world = world.replace(old, new);
    }
    std::fs::write(&file, world).unwrap();
    let data = DataFolder::embedded();
    let world = DataFolder::at(folder.path()).unwrap();
    Campaign::load_from(&data, &world, "mill").unwrap()
}

fn plan(seed: u64, runs: u32, jobs: usize) -> RehearsalPlan {
    RehearsalPlan {
        seed,
        runs,
        jobs,
        ..RehearsalPlan::default()
    }
}

fn runs(campaign: &Campaign, plan: RehearsalPlan) -> Vec<RunFigures> {
    rehearse(campaign, &plan, &|_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn the_number_of_jobs_changes_no_figure() {
    let campaign = small_world();
    let plan = |jobs| plan(5, 20, jobs);
    let figures = runs(&campaign, plan(1));
    assert_eq!(figures, runs(&campaign, plan(2)));
    // As they come from another machine.
    let line = write_runs(&figures).unwrap();
    assert!(!line.contains('\n'));
    assert_eq!(read_runs(&line).unwrap(), figures);
    let seeds: Vec<_> = figures.iter().map(|run| run.seed).collect();
    assert_eq!(seeds, (5..25).collect::<Vec<_>>());
    let rehearsal = Rehearsal::of(&campaign.file, &figures);
    assert_eq!((rehearsal.runs, rehearsal.failed.len()), (20, 0));
    assert_eq!(rehearsal.fights[0].fought, Share { hits: 20, of: 20 });
    assert_eq!(rehearsal.fights[0].won.of, 20);
    assert_eq!(rehearsal.default_answers.value(), Some(0.0));
    let shares = rehearsal.activities.values();
    let shares: f64 = shares.filter_map(|share| share.value()).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{:?}", rehearsal.activities);
}

#[test]
fn drama_is_counted_as_it_happened() {
    let campaign = small_world();
    let find = "Knows(\"Isa Finch\", \"leaving\")";
    let (find, _) = campaign.file.read_condition("find", find).unwrap();
    let plan = RehearsalPlan {
        find: Some(Find {
            condition: find,
            when: FindWhen::End,
        }),
        ..plan(1, 20, 2)
    };
    let runs = runs(&campaign, plan);
    let rehearsal = Rehearsal::of(&campaign.file, &runs);
    let drama = &rehearsal.drama;
    let opened = drama.scenes[0].runs;
    assert_eq!(opened.hits, rehearsal.fights[0].won.hits);
    let chosen = |id| {
        let mut options = drama.options.iter();
        options.find(|option| option.option == id).unwrap().chosen
    };
    let (shared, taken) = (chosen("share"), chosen("take"));
    // Nobody decides if whoever has to has fallen.
    assert_eq!(shared.of, shared.hits + taken.hits);
    assert!(shared.of <= opened.hits);
    let endings: Vec<_> = drama
        .endings
        .iter()
        .map(|ending| ending.runs.hits)
        .collect();
    assert_eq!(endings, [shared.hits, taken.hits, 20 - shared.of]);
    let key = &drama.items[0];
    let held: u64 = key.holders.values().map(|share| share.hits).sum();
    assert_eq!(held + key.gone.hits, 20);
    let leaving = drama.facts.iter().find(|fact| fact.id == "leaving");
    assert!(leaving.unwrap().learned.hits >= shared.hits);
    let found = runs.iter().filter(|run| run.found == Some(true)).count();
    assert_eq!(
        found as u64,
        leaving.unwrap().by.get("Isa Finch").copied().unwrap_or(0)
    );
    assert_eq!(drama.bonds[0].end.of, 20);
}

/// The small world, whose scene and first ending hang on a judge as well.
fn judged_world(sign: &str) -> Campaign {
    let folder = tempfile::tempdir().unwrap();
    new_world(folder.path(), WorldKind::Journey, Language::En).unwrap();
    let path = folder.path().join("world.ron");
    let mut text = std::fs::read_to_string(&path).unwrap();
    let judged = format!(r#"Judged(claim: "Isa trusts Tam.", signs: ["{sign}"])"#);
    for (old, new) in [
        (
            r#"id: "the-coins","#,
            format!(r#"id: "the-coins", when: {judged},"#),
        ),
        (
            r#"when: Chose("the-coins", "share")"#,
            format!(r#"when: All([Chose("the-coins", "share"), {judged}])"#),
        ),
    ] {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, &new);
    }
    std::fs::write(&path, text).unwrap();
    let world = DataFolder::at(folder.path()).unwrap();
    Campaign::load_from(&DataFolder::embedded(), &world, "mill").unwrap()
}

#[test]
fn signs_in_events_stand_in_for_a_judge() {
    let played = |sign| {
        let campaign = judged_world(sign);
        let rehearsal = Rehearsal::of(&campaign.file, &runs(&campaign, plan(1, 20, 2)));
        assert_eq!(rehearsal.failed.len(), 0);
        let mut purposes = rehearsal.purposes.iter();
        assert!(purposes.any(|figures| figures.purpose == "scene.judge"));
        assert_eq!(rehearsal.default_answers.value(), Some(0.0));
        (
            rehearsal.drama.scenes[0].runs.hits,
            rehearsal.fights[0].won.hits,
        )
    };
    let (never, won) = played("has won…Isa trusts Tam");
    assert!(never == 0 && won > 0, "{never} of {won}");
    let (always, won) = played("Grinding Floor…has won");
    assert_eq!(always, won);
}

#[test]
fn a_run_is_the_same_alone_and_among_others() {
    let campaign = small_world();
    let plan = |seed, runs| plan(seed, runs, 1);
    let together = runs(&campaign, plan(1, 4));
    let alone = &runs(&campaign, plan(4, 1))[0];
    assert!(alone.has_memories && !together[3].has_memories);
    assert_eq!(without_lengths(&together[3]), without_lengths(alone));
    assert!(matches!(together[3].end, RunEnd::Finished(_)));
    assert_ne!(together[2].spent, together[3].spent);
}

/// A run without the lengths of prompts, which are the only thing that memories change.
fn without_lengths(run: &RunFigures) -> RunFigures {
    let mut run = run.clone();
    (run.has_memories, run.cached_tokens) = (false, 0);
    for spent in run.spent.values_mut() {
        (spent.usage.input, spent.usage.cached) = (0, 0);
    }
    run
}

#[test]
fn a_rehearsal_can_be_broken_off() {
    let campaign = small_world();
    let plan = plan(1, 1_000, 1);
    let stopped = rehearse(&campaign, &plan, &|run| match run.seed {
        3 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(stopped.unwrap().len(), 3);
}

#[test]
fn the_shipped_worlds_are_fought_and_talked_through_as_they_should_be() {
    // Wider than what their files expect of a thousand runs; fewer than these tell more of their
    // seeds than of the world.
    let text = "[Fights(40, 85), Talk(48, 100), Repeated(0, 12)]";
    for world in ["drowned-assize", "zhaoying-ban"] {
        let campaign = Campaign::load(&DataFolder::embedded(), world).unwrap();
        let expected = Expectations::read("expect.ron", text, &campaign.file).unwrap();
        let runs = runs(&campaign, plan(1, 30, 2));
        let unmet = expected.unmet(&Rehearsal::of(&campaign.file, &runs));
        assert_eq!(unmet.to_string(), "", "{world}");
    }
}

#[test]
fn the_mystery_comes_to_each_of_its_ends_whoever_did_it() {
    // Wider than what its file expects of a thousand runs.
    let text = "[EachEnding(1, 70), EachTold(2, 100), Talk(48, 100)]";
    let campaign = Campaign::load(&DataFolder::embedded(), "the-word-for-it").unwrap();
    let expected = Expectations::read("expect.ron", text, &campaign.file).unwrap();
    let runs = runs(&campaign, plan(1, 200, 2));
    let unmet = expected.unmet(&Rehearsal::of(&campaign.file, &runs));
    assert_eq!(unmet.to_string(), "");
}

#[test]
fn what_never_comes_about_is_told_with_what_was_missing() {
    let scene = |id: &str, when: &str| {
        format!("(id: \"{id}\", at: \"Village Green\", opening: \"So.\", when: {when}),\n")
    };
    let scenes = [
        scene("late", "All([Day(1), Day(90)])"),
        scene("first", "All([Day(1), At(\"Isa Finch\", \"Village Green\")])"),
        scene("camp", "Now(Camp)"),
        "(id: \"kept\", at: \"Bakehouse\", cast: [\"Isa Finch\"], when: Now(Morning), opening: \"So.\"),\n"
            .into(),
    ];
    let campaign = world_with(&scenes.concat());
    let plan = plan(1, 4, 2);
    let rehearsal = Rehearsal::of(&campaign.file, &runs(&campaign, plan));
    let missed = |id: &str| {
        let mut missed = rehearsal.missed.iter();
        missed.find(|missed| missed.point.name() == id)
    };
    let all = Share { hits: 4, of: 4 };
    let none = Share { hits: 0, of: 4 };
    let late = missed("late").unwrap();
    assert!(late.is_never());
    assert_eq!((late.asked, late.parts.len()), (all, 2));
    let [always, never] = &*late.parts else {
        panic!("{late:?}");
    };
    assert_eq!((always.never, never.never), (none, all));
    assert_eq!((&*never.part, never.alone), ("Day(90)", all));
    // What opens on a day is not asked about in a camp, and the other way round.
    assert_eq!(missed("camp").map(|missed| missed.parts.len()), Some(1));
    assert!(missed("first").is_none());
    // Who was needed by another scene was not missing: that came first.
    let kept = missed("kept").unwrap();
    assert!(kept.is_never() && kept.parts.iter().all(|part| part.never == none));
    assert_eq!(kept.instead, [("first".to_owned(), 4)].into());
}

#[test]
fn what_never_held_in_the_same_run_is_named_together() {
    let [take, share] = ["take", "share"].map(|it| format!("Chose(\"the-coins\", \"{it}\")"));
    let both = format!(
        "endings: [(id: \"both\", title: \"Both\", closing: \"So.\", when: All([{take}, {share}])),"
    );
    let campaign = changed_world(&[("endings: [", &both)]);
    let figures = runs(&campaign, plan(1, 24, 2));
    let rehearsal = Rehearsal::of(&campaign.file, &figures);
    let missed = rehearsal.missed.iter().find(|it| it.point.name() == "both");
    let reason = missed.unwrap().reason().in_language(Language::En);
    assert!(
        reason.ends_with(&format!("never in the same run: {take}, {share}")),
        "{reason}"
    );
}

/// What a small world with one more scene tells falsely.
fn false_texts(campaign: &Campaign, count: u32) -> Vec<(String, Contradiction)> {
    let plan = RehearsalPlan {
        consistency: true,
        ..plan(1, count, 2)
    };
    let runs = runs(campaign, plan);
    let found = runs.into_iter().flat_map(|run| run.notes.false_texts);
    let found: BTreeSet<_> = found.map(|found| (found.path, found.wrong)).collect();
    found.into_iter().collect()
}

#[test]
fn a_text_that_is_not_true_when_it_is_told_is_found() {
    let key = || "the miller's key".to_owned();
    let turns = r#"opening: "Isa turns the miller's key over and over.""#;
    let gives = r#"effects: [Give("the miller's key", "Isa Finch")]"#;
    let dies = r#"opening: "Who is next?", effects: [Kill("Tam Weller")]"#;
    let after =
        r#"(id: "after", at: "Village Green", when: Happened("new"), opening: "Tam sighs."),"#;
    // Tam gives away what may have got to somebody else.
    let hands =
        |to: &str| format!(r#"opening: "So.", effects: [Give("the miller's key", "{to}")]"#);
    // No talk in which it might be given away before.
    let takes = r#"(id: "after", at: "Village Green", when: Happened("new"), cast: ["Tam Weller"], turns: 0,
        opening: "And?", choice: (who: "Tam Weller", question: "?", options: [(id: "give",
        label: "Give it away", when: Always, effects: [Give("the miller's key", "Isa Finch")])])),"#;
    let asks = r#"(id: "after", at: "Village Green", when: Happened("new"), opening: "And?",
        choice: (who: "Isa Finch", question: "Where is Tam?", options: [(id: "a",
        label: "Call Tam", seen: "Isa calls."), (id: "b", label: "Wait", seen: "Isa waits.")])),"#;
    let asks_instead = asks.replace(
        "question:",
        r#"instead: [(when: Always, question: "Where is Tam now?")], question:"#,
    );
    for (scene, more, expected) in [
        (
            turns.to_owned(),
            "",
            vec![("opening", Contradiction::Gone(key()))],
        ),
        (format!("{turns}, {gives}"), "", vec![]),
        (
            format!(r#"{turns}, absent: ["the miller's key"]"#),
            "",
            vec![],
        ),
        (
            format!(r#"{turns}, when: Not(Holds("Isa Finch", "the miller's key"))"#),
            "",
            vec![],
        ),
        (
            hands("Isa Finch"),
            takes,
            vec![("effects[0]", Contradiction::NotThere(key()))],
        ),
        (hands("Tam Weller"), takes, vec![]),
        (
            hands("Isa Finch"),
            &takes.replace(
                "when: Always",
                r#"when: Holds("Isa Finch", "the miller's key")"#,
            ),
            vec![],
        ),
        (
            dies.to_owned(),
            after,
            vec![("opening", Contradiction::Dead("Tam Weller".into()))],
        ),
        // What somebody is asked is read like what is told.
        (
            dies.to_owned(),
            asks,
            vec![
                ("label", Contradiction::Dead("Tam Weller".into())),
                ("question", Contradiction::Dead("Tam Weller".into())),
            ],
        ),
        (
            dies.to_owned(),
            &asks_instead,
            vec![
                ("question", Contradiction::Dead("Tam Weller".into())),
                ("label", Contradiction::Dead("Tam Weller".into())),
            ],
        ),
        (
            r#"opening: "Who is next?", effects: [If(Always, Tell("The miller's key turns."))]"#
                .to_owned(),
            "",
            vec![("0", Contradiction::Gone(key()))],
        ),
    ] {
        let scenes = format!(r#"(id: "new", at: "Village Green", {scene}), {more}"#);
        let found = false_texts(&world_with(&scenes), 6);
        let found: Vec<_> = found
            .iter()
            .map(|(path, wrong)| (path.rsplit('.').next().unwrap(), wrong.clone()))
            .collect();
        assert_eq!(found, expected, "{scenes}");
    }
}

#[test]
fn whoever_is_called_otherwise_is_meant_by_that_too() {
    let (tam, green) = ("name: \"Tam Weller\",", "at: \"Village Green\"");
    let called = format!("{tam} called: \"the baker\",");
    let scenes = format!(
        "scenes: [(id: \"new\", {green}, opening: \"So.\", effects: [Kill(\"Tam Weller\")]),
            (id: \"after\", {green}, when: Happened(\"new\"), opening: \"The baker sneezes.\"),"
    );
    let world = changed_world(&[(tam, &called), ("scenes: [", &scenes)]);
    let found = false_texts(&world, 2);
    let dead = Contradiction::Dead("Tam Weller".into());
    assert_eq!(found, [("scenes[1].opening".to_owned(), dead)]);
}

#[test]
fn no_line_of_a_shipped_world_is_false_where_it_is_told() {
    let data = DataFolder::embedded();
    for world in ["drowned-assize", "zhaoying-ban", "the-word-for-it"] {
        let campaign = Campaign::load(&data, world).unwrap();
        assert_eq!(false_texts(&campaign, 12), [], "{world}");
    }
}
