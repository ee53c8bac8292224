use crate::cast::StableId;
use crate::cli::prelude::*;
use crate::event::{AnswerRecord, AnsweredBy, AudienceRule, EventRecord, Recipient, Record};
use crate::message::BodyId;

use serde::Serialize;

use super::*;
use crate::cli::testing::{Written, output};
use crate::drama::{FightResult, GoalState};
use crate::rpg::events::{CombatOutcome, Day};
use crate::rpg::{ChoiceOutcome, FactOutcome, FightOutcome, GoalOutcome, StoryOutcome};

fn story(language: Language, width: usize) -> (StoryPrinter, Written) {
    let (out, written) = output(width);
    let mut roster = Roster::default();
    for (name, faction) in [("Mira", "hero"), ("米拉", "hero"), ("Tobin", "neutral")] {
        roster.note(name, faction);
    }
    for stage in ["Inn", "Quay", "旧磨坊"] {
        roster.note_stage(stage);
    }
    let out = Arc::new(Mutex::new(out));
    (StoryPrinter::new(out, language, roster), written)
}

fn event(place: &str, kind: &str, data: Value) -> Record {
    let speaker = data.get("actor").or(data.get("stage"));
    Record::Event(EventRecord {
        speaker: speaker.and_then(Value::as_str).map(Into::into),
        id: BodyId {
            place: 1,
            number: 1,
        },
        turn: 1,
        time: 1,
        place: place.into(),
        kind: kind.into(),
        data,
        text: format!("({kind})"),
        audience: vec![Recipient {
            id: StableId(1),
            name: "Mira".into(),
        }],
        rule: AudienceRule::Notified,
        ..EventRecord::default()
    })
}

fn answer(place: &str, who: &str, purpose: &str, text: &str, by: AnsweredBy) -> Record {
    Record::Answer(AnswerRecord {
        turn: 1,
        place: place.into(),
        entity: who.into(),
        id: StableId(1),
        number: 1,
        reply: "",
        purpose: purpose.into(),
        text: text.into(),
        by,
        recalled: Vec::new(),
        calls: Vec::new(),
        guarded: Vec::new(),
    })
}

fn speak(place: &str, actor: &str, target: &str, message: &str) -> Record {
    let data = json!({"actor": actor, "target": target, "message": message});
    event(place, "speak", data)
}

fn told(language: Language, width: usize, records: &[Record]) -> String {
    let (mut story, written) = story(language, width);
    for record in records {
        story.print(record);
    }
    story.finish();
    written.get()
}

/// What happened, a line each: the place, `-` for none, the kind of event and its data; or the
/// place, who says something, to whom, and the words; or only the number of a turn.
fn records(lines: &str) -> Vec<Record> {
    let record = |line: &str| {
        if let Ok(turn) = line.parse() {
            return Record::Turn { turn };
        }
        let (place, what) = line.split_once(' ').unwrap();
        let place = if place == "-" { "" } else { place };
        if let Some((speaking, words)) = what.split_once(": ")
            && let Some((who, to)) = speaking.split_once('>')
        {
            return speak(place, who, to, words);
        }
        let (kind, data) = what.split_once(' ').unwrap();
        event(place, kind, serde_json::from_str(data).unwrap())
    };
    lines.trim().lines().map(str::trim).map(record).collect()
}

/// The data of an event, of which these members are not the default.
fn whole<E: Default + Serialize>(members: Value) -> Value {
    let mut data = json!(E::default());
    for (name, value) in members.as_object().into_iter().flatten() {
        data[name] = value.clone();
    }
    data
}

#[test]
fn a_home_scene_reads_as_one() {
    let words = "Rain drums on the roof, and nobody has lit the lamps.";
    let by = AnsweredBy::Fallback(crate::locale::UiText::verbatim("silence"));
    let mut scene = vec![
        event("", "day", whole::<Day>(json!({"day": 2, "part": "begin"}))),
        answer("Inn", "Inn", "home.scene", words, AnsweredBy::Mind),
        event("Inn", "scene", json!({"stage": "Inn", "message": words})),
        answer("Inn", "Mira", "home.plan", "{\"mind\": \"…\"}", by),
    ];
    scene.extend(records(
        r#"
        Inn Mira>Tobin: Did you see the light on the water last night?
        Inn mind {"actor": "Mira", "message": "He looks away."}
        Inn whisper {"actor": "Tobin", "target": "Mira", "message": "The lamp is out."}
        Inn leave {"actor": "Tobin", "stage": "Inn", "to": "Quay"}
        Inn magic {}
        "#,
    ));
    let text = told(Language::En, 48, &scene);
    insta::assert_snapshot!(text, @r"
    ═══ Day 2 ═══

    ── Inn ──
      Rain drums on the roof, and nobody has lit the
      lamps.
      Mira to Tobin: Did you see the light on the
        water last night? °
        (Mira thinks: He looks away.)
      Tobin whispers to Mira: The lamp is out.
      → Tobin goes from Inn to Quay.
      (magic)

    ° a default answer: the model gave no usable one
    ");
}

#[test]
fn scenes_of_several_places_are_not_mixed() {
    let scenes = records(
        "
        Inn Mira>: One.
        Quay Tobin>: A.
        Inn Mira>: Two.
        Quay Tobin>: B.
        1
        Quay Tobin>: C.
        ",
    );
    let text = told(Language::En, 60, &scenes);
    insta::assert_snapshot!(text, @r"
    ── Inn ──
      Mira: One.
      Mira: Two.

    ── Quay ──
      Tobin: A.
      Tobin: B.
      Tobin: C.
    ");
}

#[test]
fn what_others_hear_of_later_is_told_once() {
    // What is not part of the story is not told at all.
    let heard = records(
        r#"
        Inn announce {"actor": "Mira", "stage": "Inn", "message": "Fire!"}
        Inn keep {"actor": "Mira", "to": "Tobin", "words": "I will come."}
        Inn leave {"actor": "Tobin", "stage": "Inn", "to": "Quay"}
        - announce {"actor": "Mira", "stage": "Inn", "message": "Fire!"}
        - keep {"actor": "Mira", "to": "Tobin", "words": "I will come."}
        - arrive {"actor": "Tobin", "stage": "Quay", "from": "Inn"}
        - leave {"actor": "Tobin", "stage": "Inn", "to": "Quay"}
        - battle_report {"dungeon": "Mill", "stage": "Mill", "result": "won", "foes": [], "fallen": []}
        - judged {"judge": "Inn", "claim": "so", "holds": true, "shown_by": ""}
        "#,
    );
    let text = told(Language::En, 60, &heard);
    assert!(
        !text.contains("battle_report") && !text.contains("so"),
        "{text}"
    );
    for once in ["Fire!", "(keep)", "goes from Inn to Quay"] {
        assert_eq!(text.matches(once).count(), 1, "{once}: {text}");
    }
}

#[test]
fn readers_learn_what_somebody_learns_for_the_first_time() {
    let learned = |fact: &str, message: &str| {
        let data = json!({"fact": fact, "title": "About it", "message": message, "from": "Tobin"});
        event("Inn", "learned", data)
    };
    let (mut story, written) = story(Language::En, 80);
    story.formatter.roster.note("米拉", "foe");
    let mut by_foe = learned("key", "The key is false.");
    if let Record::Event(event) = &mut by_foe {
        event.audience[0] = Recipient {
            id: StableId(9),
            name: "米拉".into(),
        };
    }
    for record in [
        by_foe,
        learned("key", "The key is false."),
        speak("Inn", "Tobin", "Mira", "Hear me. The lamp is out."),
        learned("lamp", "The lamp is out."),
    ] {
        story.print(&record);
    }
    story.finish();
    insta::assert_snapshot!(written.get(), @r"
    ── Inn ──
        (米拉 learned from Tobin: The key is false.)
        (Mira learned from Tobin: About it)
      Tobin to Mira: Hear me. The lamp is out.
        (Mira learned from Tobin: About it)
    ");
}

#[test]
fn what_is_known_to_readers_is_told_by_its_title() {
    let data = json!({"fact": "key", "title": "钥匙", "message": "钥匙是假的。", "from": ""});
    let learned = || event("客栈", "learned", data.clone());
    let text = told(Language::Zh, 60, &[learned(), learned()]);
    assert!(text.contains("得知：钥匙是假的。"), "{text}");
    assert!(text.contains("知道了“钥匙”的实情"), "{text}");
}

#[test]
fn readers_are_told_that_somebody_searches_and_not_what_it_finds() {
    let query = json!({"actor": "Mira", "message": "the key", "found": ["It is false."]});
    let text = told(Language::En, 60, &[event("Inn", "query", query)]);
    assert!(
        text.contains("(Mira searches memory for “the key”)"),
        "{text}"
    );
    assert!(!text.contains("false"), "{text}");
}

#[test]
fn how_a_thing_or_a_card_looks_is_told_once() {
    let give = |actor: &str, to: &str| {
        let data = json!({"actor": actor, "item": "the key", "to": to, "look": "Bronze."});
        let mut record = event("Inn", "give", data);
        if let Record::Event(event) = &mut record {
            event.text = format!("{actor} gives the key to {to}: Bronze.");
        }
        record
    };
    let card = || {
        let data = json!({"stage": "Inn", "actor": "Mira", "card": "Boathook", "skill": "Boathook",
            "kind": "attack", "description": "Ash and iron.", "targets": []});
        event("Inn", "card_played", data)
    };
    let records = [give("Mira", "Tobin"), give("Tobin", "Mira"), card(), card()];
    insta::assert_snapshot!(told(Language::En, 60, &records), @r"
    ── Inn ──
      Mira gives the key to Tobin: Bronze.
      Tobin gives the key to Mira.
      Mira plays Boathook: Ash and iron.
      Mira plays Boathook
    ");
}

#[test]
fn a_place_is_described_when_somebody_is_there() {
    let (mut story, written) = story(Language::En, 60);
    story.formatter.roster.note_far("Quay");
    let seen = json!({"actor": "Quay", "look": "Wet stone."});
    let kickoff = "I am the quay.";
    for record in [
        answer("Quay", "Quay", "kickoff", kickoff, AnsweredBy::Mind),
        speak("Inn", "Mira", "Tobin", "Let us go."),
        event("", "appearance", seen),
    ] {
        story.print(&record);
    }
    story.finish();
    let text = written.get();
    let position = |words: &str| text.find(words).unwrap();
    assert!(
        position("Let us go.") < position("Wet stone.")
            && position("Wet stone.") < position("I am the quay.")
    );
}

#[test]
fn a_chinese_fight_lines_up() {
    let fighter = |name: &str, hp: i32, max_hp: i32, faction: &str, effects: &[&str]| {
        json!({"name": name, "hp": hp, "max_hp": max_hp, "faction": faction, "effects": effects,
            "attack": 5, "defense": 2, "wounded": false, "resolve": 0, "departure": null})
    };
    let standing = [
        fighter("米拉", 24, 30, "hero", &["铁壁"]),
        fighter("守门人老葛", 0, 8, "hero", &[]),
        fighter("Wolf", 5, 28, "foe", &[]),
    ];
    let card = json!({"stage": "旧磨坊", "actor": "米拉", "card": "潮刃", "skill": "斩击", "kind": "attack",
        "description": "她压低身子，钩刃贴着积水划出一道冷光，直取狼的前腿。", "targets": [
            {"name": "Wolf", "hit": true, "amount": 7, "effect": "", "fell": true},
            {"name": "守门人老葛", "hit": false, "amount": 0, "effect": "", "fell": false}]});
    let outcome =
        whole::<CombatOutcome>(json!({"stage": "旧磨坊", "combat_id": "1", "result": "won",
        "fallen": ["守门人老葛"], "felled": ["Wolf"], "gains": ["铜钥匙"]}));
    let begun = json!({"stage": "旧磨坊", "combat_id": "1", "heroes": ["米拉", "守门人老葛"], "foes": ["Wolf"]});
    let round = json!({"stage": "旧磨坊", "round": 2, "standing": standing});
    let death = json!({"actor": "Wolf", "by": "米拉", "stage": "旧磨坊"});
    let fight = [
        ("combat_initialization", begun),
        ("combat_round", round),
        ("card_played", card),
        ("death", death),
        ("combat_outcome", outcome),
    ]
    .map(|(kind, data)| event("旧磨坊", kind, data));
    let text = told(Language::Zh, 44, &fight);
    insta::assert_snapshot!(text, @r"
    ── 旧磨坊 ──

    ⚔ 战斗 ⚔
      米拉、守门人老葛对阵Wolf

      第 2 回合
        米拉        █████████████▒▒▒  24/30  铁壁
        守门人老葛  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒   0/8   倒下
        Wolf        ███▒▒▒▒▒▒▒▒▒▒▒▒▒   5/28
      米拉打出“潮刃”（斩击）：她压低身子，钩刃贴
        着积水划出一道冷光，直取狼的前腿。
          → Wolf：受伤 7，倒下
          → 守门人老葛：落空
        Wolf被米拉击倒了。

      旧磨坊一战，胜。
        击倒：Wolf
        倒下：守门人老葛
        获得：铜钥匙
    ");
}

#[test]
fn a_person_at_a_seat_reads_what_it_will_remember() {
    let data = json!({
        "actor": "Mira", "stage": "Inn", "chapter": "Mira/1", "record": "A fight.",
        "message": "I was afraid.",
    });
    for (seat, is_told) in [(None, false), (Some("Mira".into()), true)] {
        let (story, written) = story(Language::En, 60);
        let mut story = story.at_seat(seat, None);
        story.print(&event("Inn", "archive", data.clone()));
        story.finish();
        let told = "Mira will remember: I was afraid.";
        assert_eq!(written.get().contains(told), is_told, "{}", written.get());
    }
}

#[test]
fn foreign_text_does_not_control_the_terminal() {
    let words = "\u{1b}]0;title\u{7}\u{1b}[2Jboo\u{9b}1m";
    let text = told(Language::En, 60, &[speak("Inn", "Mira", "", words)]);
    assert!(
        !text.chars().any(|c| c.is_control() && c != '\n'),
        "{text:?}"
    );
}

#[test]
fn names_are_coloured_only_if_wanted() {
    let written = Written::default();
    let out = Arc::new(Mutex::new(Output::new(written.clone(), 60, true)));
    let mut roster = Roster::default();
    roster.note("Mira", "hero");
    StoryPrinter::new(out, Language::En, roster).print(&speak("Inn", "Mira", "", "Hello."));
    assert!(
        written.get().contains("\u{1b}[1;36mMira\u{1b}[0m: Hello."),
        "{:?}",
        written.get()
    );
}

#[test]
fn a_story_ends_with_what_became_of_it() {
    let outcome = StoryOutcome {
        goals: vec![GoalOutcome {
            who: "Mira".into(),
            words: "Nobody finds the letter before I have burned it.".into(),
            state: GoalState::Lost,
        }],
        learned: vec![
            FactOutcome {
                fact: "letter".into(),
                title: "What the letter says".into(),
                who: vec!["Mira".into(), "Tobin".into()],
            },
            FactOutcome {
                fact: "made-1".into(),
                title: "Mira hid the key.".into(),
                who: vec!["Tobin".into()],
            },
        ],
        choices: vec![ChoiceOutcome {
            who: "Tobin".into(),
            scene: "fire".into(),
            option: "keep".into(),
            label: "Put it out".into(),
        }],
        fights: vec![FightOutcome {
            stage: "Quay".into(),
            result: FightResult::Won,
        }],
        ..StoryOutcome::default()
    };
    let (mut out, written) = output(40);
    write_outcome(&mut out, Language::En, &outcome);
    insta::assert_snapshot!(written.get(), @r"
    Goals
      lost  Mira: Nobody finds the letter
            before I have burned it.

    Decided
      Tobin: Put it out

    Learned
      What the letter says: Mira, Tobin
      Mira hid the key: Tobin

    Fights
      won  Quay
    ");
    let (mut out, written) = output(40);
    write_outcome(&mut out, Language::Zh, &outcome);
    assert!(
        written.get().contains("  落空  Mira：Nobody"),
        "{}",
        written.get()
    );
}

#[test]
fn scenes_of_one_round_are_each_told_in_one_piece() {
    // A judge needs a turn, and what came of a scene stands where it was decided.
    let mut scenes = records(
        r#"
        Inn scene_opens {"stage": "Inn", "scene": "one", "message": "The door opens."}
        Quay scene_opens {"stage": "Quay", "scene": "one", "message": "The wheel stops."}
        Quay Ann>Ben: Who is it?
        Inn Mira>Tobin: Well?
        1
        2
        Quay Ben>Ann: The miller.
        Inn Tobin>Mira: I stay.
        Inn learned {"fact": "key", "title": "It", "message": "It is false.", "from": "Tobin"}
        3
        "#,
    );
    let day = whole::<Day>(json!({"day": 3, "part": "begin"}));
    scenes.push(event("", "day", day));
    scenes.push(speak("Quay", "Ben", "", "A new day."));
    let text = told(Language::En, 60, &scenes);
    let headings = |name: &str| text.matches(&format!("── {name}")).count();
    assert_eq!((headings("Inn"), headings("Quay")), (1, 2), "{text}");
    let at = |words: &str| text.find(words).unwrap();
    assert!(at("I stay.") < at("Who is it?"), "{text}");
    assert!(at("It is false") < at("Who is it?"), "{text}");
}

#[test]
fn what_befalls_those_who_arrive_is_told_after_the_scene_from_which_they_come() {
    let opens = |place: &str, message: &str| {
        let data = json!({"stage": place, "scene": "one", "message": message});
        event(place, "scene_opens", data)
    };
    let way = |from: &str, to: &str| json!({"actor": "Tobin", "stage": from, "to": to, "from": to});
    let learned = json!({"fact": "key", "title": "It", "message": "It is false.", "from": "Mira"});
    let records = [
        opens("Inn", "The door opens."),
        opens("Quay", "The wheel stops."),
        speak("Inn", "Mira", "", "I own it."),
        speak("Quay", "Tobin", "", "Who is it?"),
        event("Quay", "leave", way("Quay", "Inn")),
        event("", "arrive", way("Inn", "Quay")),
        event("Inn", "learned", learned),
    ];
    let text = told(Language::En, 60, &records);
    let at = |words: &str| text.find(words).unwrap();
    assert!(at("I own it.") < at("Who is it?"), "{text}");
    assert!(at("goes from Quay to Inn") < at("It is false"), "{text}");
    assert_eq!(text.matches("── Inn").count(), 2, "{text}");
}
