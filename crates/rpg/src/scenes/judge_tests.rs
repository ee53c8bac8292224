//! What is judged, by whom, and how often.

use crate::testing::{TestScene, play_all, scene};

#[test]
fn scenes_that_are_judged() {
    play_all(include_str!("judge_tests.scenes"));
}

/// A choice and an ending of a story, which are judged.
fn court() -> TestScene {
    let mut court = scene(
        r#"schedule: [Home(days: 9)],
        scenes: [(id: "choice", at: "Hall", turns: 1, choice: (
            who: "Ann", question: "What now?", options: [
                (id: "one", label: "One.", when: Judged(claim: "a")),
                (id: "two", label: "Two.", when: Judged(claim: "b")),
                (id: "three", label: "Three.", when: Not(Judged(claim: "a")))]))],
        endings: [
            (id: "early", early: true, when: Judged(claim: "c")),
            (id: "late", when: Judged(claim: "d")),
            (id: "last", when: Judged(claim: "never asked"))]"#,
    );
    court.play(r#"! Announce("The rain stops.")"#);
    court
}

#[test]
fn options_are_judged_by_their_stage() {
    court().play(
        r#"campaign after 0: kickoff
        campaign
        begin Judge
        => Hall is shown /claim "a"
        Hall: {"holds": true, "event": 1}
        => Hall is shown /claim "b"
        Hall: {}
        => asked nobody
        meeting
        campaign
        begin Choose
        => Ann is shown /options ["one", "nothing"]"#,
    );
}

#[test]
fn questions_are_judged_with_the_options() {
    let mut scene = scene(
        r#"schedule: [Home(days: 9)], scenes: [(id: "s", at: "Hall", turns: 1, choice: (who: "Ann",
            question: "Well?", instead: [(when: Judged(claim: "a"), question: "What now?")],
            options: [(id: "one", label: "One."), (id: "two", label: "Two.")]))]"#,
    );
    scene.play(
        r#"! Announce("The rain stops.")
        campaign after 0: kickoff
        campaign
        begin Judge
        => Hall is shown /claim "a"
        Hall: {"holds": true, "event": 1}
        meeting
        campaign
        begin Choose
        => Ann is shown /question "What now?""#,
    );
}

#[test]
fn endings_are_judged_by_a_world_agent() {
    let mut court = court();
    court.place = court.find("Clerk");
    court.play(
        r#"campaign after 9: kickoff
        begin Judge
        => Clerk is shown /claim "c"
        Clerk: {}
        => Clerk is shown /claim "d"
        Clerk: {"holds": true, "event": 1}
        => asked nobody
        meeting
        campaign
        => story_closes says /ending "late""#,
    );
}
