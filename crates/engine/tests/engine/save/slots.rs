//! Slots: names, locks, lists, and files that are whole or absent.

use std::fs;

use playhouse_engine::save::{SaveError, Slot, list};
use playhouse_engine::session::{Session, SessionError};

use crate::save::town::{Town, minds};

#[tokio::test(start_paused = true)]
async fn a_second_holder_is_refused_until_the_first_is_gone() {
    let root = tempfile::tempdir().unwrap();
    let game = Town::default();
    let first = Session::start(root.path(), "one", &game, 1, minds(0).0).unwrap();
    let second = Session::resume(root.path(), "one", &game, minds(0).0, false).err();
    let Some(SessionError::Save(error @ SaveError::SlotBusy(_))) = second else {
        panic!("{second:?}");
    };
    assert!(error.to_string().contains("in use by another process"));
    drop(first);
    Session::resume(root.path(), "one", &game, minds(0).0, false).unwrap();
    let again = Session::start(root.path(), "one", &game, 1, minds(0).0).err();
    assert!(matches!(
        again,
        Some(SessionError::Save(SaveError::SlotExists(_)))
    ));
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let root = tempfile::tempdir().unwrap();
    for name in ["../up", "a/b", ".hidden", "", "nul", "a\nb"] {
        let error = Slot::create(root.path(), name, &[], b"", None).unwrap_err();
        assert!(matches!(error, SaveError::BadSlotName { .. }), "{name:?}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    let error = Slot::find(root.path(), "nobody").unwrap_err();
    assert!(matches!(error, SaveError::NoSuchSlot { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_list_says_what_each_save_is_even_where_one_is_broken() {
    let root = tempfile::tempdir().unwrap();
    assert!(list(&root.path().join("none")).unwrap().is_empty());
    let over = Town {
        until: Some(1),
        ..Town::default()
    };
    let mut session = Session::start(root.path(), "第一", &over, 4, minds(0).0).unwrap();
    session.engine.run(None).await.unwrap();
    Session::start(root.path(), "begun", &Town::default(), 5, minds(0).0).unwrap();
    let broken = root.path().join("broken");
    fs::create_dir(&broken).unwrap();
    fs::write(broken.join("world.json"), "{\"format\":").unwrap();
    fs::create_dir(root.path().join("empty")).unwrap();
    fs::write(root.path().join("README.md"), "not a slot").unwrap();
    fs::create_dir(root.path().join(".hidden")).unwrap();

    let slots = list(root.path()).unwrap();
    let names = slots.iter().map(|listed| listed.slot.name().as_str());
    let names: Vec<_> = names.collect();
    assert_eq!(names, ["begun", "broken", "empty", "第一"]);
    let head = |number: usize| slots[number].head.as_ref();
    let begun = head(0).unwrap().as_ref().unwrap();
    assert_eq!((&*begun.world, begun.turn, begun.seed), ("Town", 0, 5));
    assert_eq!(begun.ending, None);
    assert!(slots[0].size > 1000 && slots[0].changed.is_some());
    let broken = head(1).unwrap_err().to_string();
    assert!(broken.contains("truncated"), "{broken}");
    assert!(head(2).unwrap().is_none());
    let over = head(3).unwrap().as_ref().unwrap();
    assert!(over.turn == 1 && over.ending.is_some());
}

#[tokio::test(start_paused = true)]
async fn contexts_can_be_read_beside_the_snapshot() {
    let root = tempfile::tempdir().unwrap();
    let game = Town::default();
    let mut session = Session::start(root.path(), "one", &game, 1, minds(0).0).unwrap();
    let contexts = session.slot().folder().join("contexts");
    let dora = contexts.join("Dora%20%22the%20Dot%22%20Doe.txt");
    let first = fs::read_to_string(&dora).unwrap();
    assert!(
        first.ends_with("You are Dora \"the Dot\" Doe.\n"),
        "{first}"
    );
    session.engine.run(Some(2)).await.unwrap();
    let later = fs::read_to_string(&dora).unwrap();
    assert!(
        later.starts_with(&first) && later.contains("AI(Dora"),
        "{later}"
    );
    assert_eq!(fs::read_dir(&contexts).unwrap().count(), 8);

    // What did not change is not written again.
    let eve = contexts.join("Old%20Eve.txt");
    fs::write(&eve, "untouched").unwrap();
    session.engine.run(Some(3)).await.unwrap();
    assert_eq!(fs::read_to_string(&eve).unwrap(), "untouched");
}
