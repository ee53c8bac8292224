//! Texts: nothing empty, nothing that can't be shown, everything in the world's language, and no
//! secret where everybody can read it.

use playhouse_engine::knowledge::Fact;
use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Language;

use crate::drama::Effect;
use crate::world_file::types::{Voice, WorldFile};

use super::report::{Report, part};

/// The number of letters from which on the language of a text can be guessed.
const MIN_LETTERS: usize = 40;

/// The most phrases of all facts: each is looked for in all that everybody reads, and in all that
/// is said.
const MAX_PHRASES: usize = 2_000;

/// Who reads a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    Everyone,
    Some,
}

struct Text<'a> {
    path: String,
    text: &'a str,
    readers: Readers,
    /// What happens if it is empty; `None` if it must not be.
    instead: Option<UiText>,
}

pub(super) fn check(world: &WorldFile, report: &mut Report<'_>) {
    if world.title.contains('\n') {
        report.error(
            "title",
            text!(rpg_check_title_lines),
            text!(rpg_check_one_line),
        );
    }
    for (i, actor) in world.actors.iter().enumerate() {
        check_voice(&format!("actors[{i}]"), &actor.voice, report);
    }
    for (i, foe) in world.foes.iter().enumerate() {
        check_voice(&format!("foes[{i}]"), &foe.voice, report);
    }
    let phrases = phrases(world, report);
    for text in texts(world) {
        check_text(&text, report);
        check_language(world.language, &text, report);
        if text.readers == Readers::Everyone && !report.is_full() {
            check_secrets(&phrases, &text, report);
        }
    }
}

/// The facts' ids and phrases; none if they are too many.
fn phrases<'a>(world: &'a WorldFile, report: &mut Report<'_>) -> Vec<(&'a str, &'a str)> {
    let of_fact = |fact: &'a Fact| {
        let phrases = fact.phrases.iter().map(String::as_str);
        let phrases = phrases.filter(|words| !words.trim().is_empty());
        phrases.map(|words| (fact.id.as_str(), words))
    };
    let phrases: Vec<_> = world.facts.iter().flat_map(of_fact).collect();
    if phrases.len() <= MAX_PHRASES {
        return phrases;
    }
    let wrong = text!(rpg_check_too_many_phrases, count = phrases.len());
    report.error("facts", wrong, text!(rpg_check_fewer, max = MAX_PHRASES));
    Vec::new()
}

/// All texts of a world, in the order of the file's fields.
fn texts(world: &WorldFile) -> Vec<Text<'_>> {
    use Readers::{Everyone, Some};
    let mut texts = Vec::new();
    let mut add = |path: String, text, readers| {
        texts.push(Text {
            path,
            text,
            readers,
            instead: None,
        });
    };
    add("title".into(), &world.title, Everyone);
    add("rules".into(), &world.rules, Everyone);
    for (i, agent) in world.agents.iter().enumerate() {
        add(format!("agents[{i}].profile"), &agent.profile, Some);
        add(format!("agents[{i}].kickoff"), &agent.kickoff, Some);
    }
    for (i, stage) in world.stages.iter().enumerate() {
        add(format!("stages[{i}].profile"), &stage.profile, Everyone);
        add(format!("stages[{i}].kickoff"), &stage.kickoff, Some);
    }
    for (i, actor) in world.actors.iter().enumerate() {
        add(format!("actors[{i}].profile"), &actor.profile, Some);
        add(format!("actors[{i}].look"), &actor.look, Everyone);
        add(format!("actors[{i}].kickoff"), &actor.kickoff, Some);
        for (path, text) in voice_texts(&format!("actors[{i}]"), &actor.voice) {
            add(path, text, Some);
        }
    }
    for (i, foe) in world.foes.iter().enumerate() {
        add(format!("foes[{i}].profile"), &foe.profile, Some);
        add(format!("foes[{i}].look"), &foe.look, Everyone);
        add(format!("foes[{i}].kickoff"), &foe.kickoff, Some);
        for (path, text) in voice_texts(&format!("foes[{i}]"), &foe.voice) {
            add(path, text, Some);
        }
    }
    for (i, skill) in world.skills.iter().enumerate() {
        add(format!("skills[{i}].about"), &skill.about, Everyone);
    }
    for (i, fact) in world.facts.iter().enumerate() {
        let readers = if fact.is_common() { Everyone } else { Some };
        add(format!("facts[{i}].text"), &fact.text, readers);
    }
    for (i, dungeon) in world.dungeons.iter().enumerate() {
        add(format!("dungeons[{i}].profile"), &dungeon.profile, Everyone);
        for (j, fight) in dungeon.fights.iter().enumerate() {
            add(
                format!("dungeons[{i}].fights[{j}].gain"),
                &fight.gain,
                Everyone,
            );
        }
    }
    texts.extend(drama_texts(world));
    texts
}

/// The texts of items, goals, qualities, scenes and endings.
fn drama_texts(world: &WorldFile) -> Vec<Text<'_>> {
    let some = Readers::Some;
    let mut texts = Vec::new();
    let mut add = |path: String, text, readers, instead| {
        texts.push(Text {
            path,
            text,
            readers,
            instead,
        });
    };
    for (i, actor) in world.actors.iter().enumerate() {
        for (j, goal) in actor.goals.iter().enumerate() {
            let path = format!("actors[{i}].goals[{j}].words");
            add(path, &goal.words, some, None);
        }
    }
    for (i, foe) in world.foes.iter().enumerate() {
        for (j, moved) in foe.moved_by.iter().enumerate() {
            let path = format!("foes[{i}].moved_by[{j}].seen");
            add(path, &moved.seen, some, None);
        }
    }
    for (i, item) in world.items.iter().enumerate() {
        add(format!("items[{i}].look"), &item.look, some, None);
    }
    for (i, quality) in world.qualities.iter().enumerate() {
        for (j, step) in quality.steps.iter().enumerate() {
            let readers = if quality.hidden {
                some
            } else {
                Readers::Everyone
            };
            let path = format!("qualities[{i}].steps[{j}].text");
            add(path, &step.text, readers, None);
        }
    }
    for (i, scene) in world.scenes.iter().enumerate() {
        let path = format!("scenes[{i}]");
        let silent = || Some(text!(drama_opens_silently));
        add(format!("{path}.opening"), &scene.opening, some, silent());
        effect_texts(&format!("{path}.effects"), &scene.effects, &mut add);
        let Some(choice) = &scene.choice else {
            continue;
        };
        let path = format!("{path}.choice");
        add(format!("{path}.question"), &choice.question, some, None);
        for (j, option) in choice.options.iter().enumerate() {
            let path = format!("{path}.options[{j}]");
            let label = || Some(text!(drama_label_is_seen));
            add(format!("{path}.label"), &option.label, some, None);
            add(format!("{path}.seen"), &option.seen, some, label());
            effect_texts(&format!("{path}.effects"), &option.effects, &mut add);
        }
    }
    for (i, ending) in world.endings.iter().enumerate() {
        add(format!("endings[{i}].title"), &ending.title, some, None);
        add(format!("endings[{i}].closing"), &ending.closing, some, None);
    }
    texts
}

fn effect_texts<'a>(
    path: &str,
    effects: &'a [Effect],
    add: &mut impl FnMut(String, &'a str, Readers, Option<UiText>),
) {
    for (i, effect) in effects.iter().enumerate() {
        let (number, text) = match effect {
            Effect::Tell(text) | Effect::Announce(text) => (0, text),
            Effect::TellTo(_, text) => (1, text),
            Effect::Promise(_, _, text) => (2, text),
            _ => continue,
        };
        let path = part(&format!("{path}[{i}]"), number);
        add(path, text, Readers::Some, None);
    }
}

/// The lines of a voice, and the words that are never said.
fn voice_texts<'a>(whose: &str, voice: &'a Voice) -> Vec<(String, &'a str)> {
    let lists = [("lines", &voice.lines), ("never", &voice.never)];
    let texts = lists.into_iter().flat_map(|(list, texts)| {
        let texts = texts.iter().enumerate();
        texts.map(move |(i, text)| (format!("{whose}.voice.{list}[{i}]"), text.as_str()))
    });
    texts.collect()
}

/// The example lines of a voice must not contain words that it never says.
fn check_voice(whose: &str, voice: &Voice, report: &mut Report<'_>) {
    let never = voice.never.iter().filter(|words| !words.trim().is_empty());
    let never: Vec<_> = never.map(|words| (words, words.to_lowercase())).collect();
    for (i, line) in voice.lines.iter().enumerate() {
        let line = line.to_lowercase();
        for (words, _) in never.iter().filter(|(_, words)| line.contains(words)) {
            let words = words.as_str();
            let wrong = text!(rpg_check_voice_never, words);
            let right = text!(rpg_check_reword_voice);
            report.error(&format!("{whose}.voice.lines[{i}]"), wrong, right);
        }
    }
}

fn check_text(text: &Text<'_>, report: &mut Report<'_>) {
    if text.text.trim().is_empty() {
        let right = text!(rpg_check_write_text);
        match &text.instead {
            Some(instead) => report.warn(&text.path, instead.clone(), right),
            None => report.error(&text.path, text!(rpg_check_text_missing), right),
        }
    }
    let invisible = |c: &char| c.is_control() && !matches!(c, '\n' | '\t');
    if let Some(bad) = text.text.chars().find(invisible) {
        let code = format!("{:04X}", u32::from(bad));
        let wrong = text!(rpg_check_text_control, code);
        report.error(&text.path, wrong, text!(world_data_remove_it));
    }
}

fn check_language(language: Language, text: &Text<'_>, report: &mut Report<'_>) {
    let letters = text.text.chars().filter(|c| c.is_alphabetic());
    let (total, han) = letters.fold((0, 0), |(total, han), c| {
        (total + 1, han + usize::from(is_han(c)))
    });
    if total < MIN_LETTERS {
        return;
    }
    match language {
        Language::En if han * 2 > total => {
            report.warn(
                &text.path,
                text!(rpg_check_text_chinese),
                text!(rpg_check_write_chinese),
            );
        }
        Language::Zh if han * 10 < total => {
            report.warn(
                &text.path,
                text!(rpg_check_text_not_chinese),
                text!(rpg_check_write_english),
            );
        }
        _ => {}
    }
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// A text that everybody reads must not contain words that must not be spoken.
fn check_secrets(phrases: &[(&str, &str)], text: &Text<'_>, report: &mut Report<'_>) {
    let told = phrases
        .iter()
        .filter(|(_, words)| text.text.contains(words));
    for (fact, words) in told {
        let wrong = text!(rpg_check_fact_told, words, fact);
        report.warn(&text.path, wrong, text!(rpg_check_leave_fact_out));
    }
}
