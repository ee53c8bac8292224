//! What the program writes into folders: its data, completions, manual pages.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::{Dir, err, exits, has, lacks, out, run, succeed, world, write};

#[test]
fn the_built_in_data_are_written_to_be_edited() {
    let folder = &Dir::new();
    succeed(folder, "data export mine");
    let world = fs::read_dir(folder.join("mine/worlds")).unwrap().next();
    let file = world.unwrap().unwrap().path().join("world.ron");
    let text = fs::read_to_string(&file).unwrap();
    let again = run(folder, "data export mine --json");
    has(&out(&again), &["\"written\":0"]);
    let mut edited = fs::OpenOptions::new().append(true).open(&file).unwrap();
    edited.write_all(b"// mine\n").unwrap();
    let refused = exits(folder, "data export mine", 2);
    has(&err(&refused), &["world.ron"]);
    succeed(folder, "data export mine --force");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    let listed = |arguments: &str| out(&run(folder, arguments));
    assert_eq!(listed("worlds --data mine"), listed("worlds"));
}

#[test]
fn shells_and_man_learn_the_command_line() {
    let folder = &Dir::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = out(&run(folder, &format!("completions {shell}")));
        assert!(script.contains("undercover"), "{shell}");
    }
    succeed(folder, "manual man");
    let page = fs::read_to_string(folder.join("man/playhouse-resume.1")).unwrap();
    has(&page, &["COMMON OPTIONS", "max\\-cost"]);
    assert!(folder.join("man/playhouse.1").is_file());
    assert!(!folder.join("man/playhouse-help.1").exists());
}

#[test]
fn a_branch_with_another_seed_is_another_story_that_replays() {
    let folder = &Dir::new();
    let done = |arguments: &str| out(&succeed(folder, arguments));
    done("zhaoying-ban --save old --until 6 -q");
    done("branch old same --turn 3");
    done("branch old other --turn 3 --seed 99");
    done("branch old other2 --turn 3 --seed 99");
    // Stopped in the middle, it keeps the seed.
    done("resume other --until 4 -q");
    for slot in ["same", "other", "other2"] {
        done(&format!("resume {slot} --until 6 -q"));
    }
    let world = |slot: &str| world(folder, slot);
    assert!(
        world("same") == world("old"),
        "without a seed nothing changes"
    );
    assert!(world("other") != world("old"), "with another seed it does");
    assert!(world("other") == world("other2"), "the seed decides");
    done("replay other");
}

/// Replaces a text in a file, which must have it.
fn edit(path: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(old), "no '{old}' in {}", path.display());
    write(path, &text.replace(old, new));
}

#[test]
fn the_improviser_writes_from_the_grammars_of_the_data_folder() {
    let folder = &Dir::new();
    run(folder, "data export data");
    let file = folder.join("data/improviser/en/any.ron");
    edit(
        &file,
        "The built-in improviser plays",
        "All of them are played by the",
    );
    let told = run(folder, "run drowned-assize --until 1");
    has(&out(&told), &["All of them are played by the"]);

    edit(&file, "\"generic.more\":", "\"generic.mroe\":");
    for command in [
        "run drowned-assize --until 1",
        "check drowned-assize",
        "doctor improviser",
    ] {
        let refused = run(folder, command);
        assert_ne!(refused.status.code(), Some(0), "{command}");
        let said = format!("{}{}", out(&refused), err(&refused));
        assert!(said.contains("generic.more"), "{command}: {said}");
    }
    edit(
        &file,
        "\"generic.mroe\": [",
        "\"generic.more\": [\"{nothing}\",",
    );
    let checked = out(&run(folder, "check drowned-assize"));
    let line = fs::read_to_string(&file).unwrap();
    let line = line
        .lines()
        .position(|line| line.contains("{nothing}"))
        .unwrap()
        + 1;
    has(&checked, &[&format!("any.ron:{line}")]);
}

#[test]
fn a_save_carries_its_world_and_takes_over_what_its_author_changes() {
    let folder = &Dir::new();
    let done = |arguments: &str| succeed(folder, arguments);
    done("new mine");
    done("run mine --save tale --until 3 -q");
    let file = folder.join("mine/world.ron");
    edit(
        &file,
        "A broad young man with flour",
        "A broad young man with soot",
    );
    edit(&file, "tired of bread", "tired of rain");
    edit(
        &file,
        "(name: \"the miller's key\"",
        "(name: \"a bent nail\", at: \"Isa Finch\", look: \"Bent.\"), (name: \"the miller's key\"",
    );
    // What is read is as it was.
    done("replay tale");
    done("branch tale twig --turn 2");
    let shown = |slot: &str, name: &str| out(&run(folder, &format!("show {slot} '{name}'")));
    assert!(shown("tale", "Tam Weller").contains("tired of bread"));

    let resumed = done("resume tale --until 5");
    let said = err(&resumed);
    has(
        &said,
        &["'Tam Weller' (look, profile)", "'a bent nail' is new"],
    );
    let tam = shown("tale", "Tam Weller");
    has(&tam, &["tired of rain"]);
    lacks(&tam, &["tired of bread"]);
    assert!(
        !err(&done("resume tale --until 6")).contains("has changed"),
        "once is enough"
    );
    done("replay tale");
    done("branch tale late --turn 5");
    done("branch tale early --turn 2");
    done("resume early --until 4 -q");
    done("replay early");

    // Without its folder it goes on with its own copy.
    fs::rename(folder.join("mine"), folder.join("elsewhere")).unwrap();
    for command in [
        "replay tale",
        "resume late --until 7 -q",
        "replay late",
        "resume twig --until 4 -q",
        "replay twig",
        "show tale --view events",
        "ask tale what Isa",
    ] {
        let output = run(folder, command);
        assert!(
            !err(&output).contains("no world"),
            "{command}: {}",
            err(&output)
        );
    }
    done("replay late");
    done("replay twig");
    assert!(shown("twig", "Tam Weller").contains("tired of bread"));
}

#[test]
fn a_world_that_lacks_what_is_alive_or_held_is_refused_with_the_reason() {
    let folder = &Dir::new();
    run(folder, "new mine");
    run(folder, "run mine --save tale --until 3 -q");
    let file = folder.join("mine/world.ron");
    let world = fs::read_to_string(&file).unwrap();
    for (old, new, reason) in [
        ("Isa Finch", "Isolde Finch", "'Isa Finch' is gone"),
        ("Home(days: 1)", "Home(days: 2)", "schedule"),
        ("Peel Swing", "Peel Sweep", "'Peel Swing'"),
    ] {
        write(&file, &world);
        edit(&file, old, new);
        let refused = exits(folder, "resume tale", 4);
        let said = err(&refused).replace("\n  ", " ");
        has(&said, &[reason]);
        assert!(
            said.split_whitespace().all(|word| word.len() < 60),
            "{said}"
        );
    }
    edit(&file, "World(", "World(nonsense: 1,");
    let refused = exits(folder, "resume tale", 3);
    has(&err(&refused), &["world.ron:"]);
    succeed(folder, "replay tale");
}

/// Writes a file of a world.
fn put(folder: &Dir, path: &str, text: &str) {
    write(&folder.join(path), text);
}

#[test]
fn a_world_of_several_files_is_one_world() {
    let folder = &Dir::new();
    succeed(folder, "data export data");
    let own = folder.join("data/worlds/take-the-biscuit");
    assert!(own.join("scenes.ron").exists(), "it is shipped in files");
    succeed(folder, "run take-the-biscuit --save tale --until 4 -q");
    let text = |file: &str| fs::read_to_string(own.join(file)).unwrap();
    let people = text("people.ron");

    // All mistakes are told, each in its own file.
    let wrong = people.replacen("faction:", "fraction:", 1);
    put(folder, "data/worlds/take-the-biscuit/people.ron", &wrong);
    edit(
        &own.join("scenes.ron"),
        "effects: [",
        "effects: [Give(\"the moon\", \"Nobody\"), ",
    );
    let said = out(&exits(folder, "check take-the-biscuit", 3));
    let line =
        |text: &str, part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    let scene = line(&text("scenes.ron"), "the moon");
    has(&said, &[&format!("scenes.ron:{scene}:"), "the moon"]);
    if wrong != people {
        let actor = line(&wrong, "fraction:");
        has(&said, &[&format!("people.ron:{actor}:"), "fraction"]);
    }

    // A story goes on with a change in any of them, and needs none of them.
    edit(
        &own.join("scenes.ron"),
        "Give(\"the moon\", \"Nobody\"), ",
        "",
    );
    put(
        folder,
        "data/worlds/take-the-biscuit/people.ron",
        &people.replacen("profile: r#\"", "profile: r#\"\n Soot. ", 1),
    );
    has(
        &err(&succeed(folder, "resume tale --until 6")),
        &["profile"],
    );
    fs::remove_dir_all(folder.join("data")).unwrap();
    succeed(folder, "replay tale");
}

#[test]
fn what_the_files_of_a_world_may_have_is_said() {
    let folder = &Dir::new();
    succeed(folder, "new mine --kind talk");
    let file = folder.join("mine/world.ron");
    edit(
        &file,
        "World(\n",
        "World(\n    files: [\"more\", \"none.ron\", \"../x.ron\"],\n",
    );
    put(
        folder,
        "mine/more/a.ron",
        "(facts: [(id: \"ash\", title: \"The oven\", known_by: Everyone, text: \"The oven is cold.\")], title: \"Again\")",
    );
    put(folder, "mine/more/notes.txt", "not read");
    let said = out(&exits(folder, "check mine", 3));
    has(
        &said,
        &["there is no none.ron here", "there is no ../x.ron here"],
    );
    edit(&file, ", \"none.ron\", \"../x.ron\"", "");
    let said = out(&exits(folder, "check mine", 3));
    has(&said, &["a.ron:1:", "duplicate field `title`"]);
    put(
        folder,
        "mine/more/a.ron",
        "(facts: [(id: \"ash\", title: \"The oven\", known_by: Everyone, text: \"The oven is cold.\")], files: [])",
    );
    has(
        &out(&exits(folder, "check mine", 3)),
        &["a.ron:1:", "only world.ron may name files"],
    );
    put(
        folder,
        "mine/more/a.ron",
        "(facts: [(id: \"ash\", title: \"The oven\", known_by: Everyone, text: \"The oven is cold.\"",
    );
    has(&out(&exits(folder, "check mine", 3)), &["a.ron:1:"]);
    put(
        folder,
        "mine/more/a.ron",
        "(facts: [(id: \"ash\", title: \"The oven\", known_by: Everyone, text: \"The oven is cold.\")])",
    );
    succeed(folder, "check mine");
}

#[test]
fn all_mistakes_of_settings_are_told_without_their_values() {
    let folder = &Dir::new();
    let models = r#"(
        models: {
            "a": (provider: "deepseek", model: 5, price: (input: "sk-secret", outputt: 3)),
            "b": (windoww: 8000, model: "m"),
        },
    )"#;
    put(folder, "models.ron", models);
    let said = err(&exits(
        folder,
        "run tuannian --model a --models models.ron",
        3,
    ))
    .replace("\n  ", " ");
    let places = [
        "models.\"a\".model",
        "models.\"a\".price.input",
        "models.\"a\".price.outputt",
        "models.\"b\".windoww",
    ];
    has(&said, &places);
    lacks(&said, &["sk-secret"]);
    put(folder, "playhouse.ron", "(model: 5, worldd: \"x\")");
    has(
        &err(&exits(folder, "config", 2)),
        &["model: unexpected", "worldd"],
    );
}
