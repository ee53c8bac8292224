//! Texts: nothing empty, nothing that can't be shown, everything in the world's language, and no
//! secret where everybody can read it.

use playhouse_engine::event::guard::{SecretRule, Secrets};
use playhouse_engine::knowledge::{Fact, KnownBy};
use playhouse_engine::locale::{UiText, text};
use playhouse_engine::mind::Language;

use super::names::Kind;
use super::report::{Report, choices, each, part};
use crate::drama::{Condition, Effect, Ending, PARTY, Scene};
use crate::world_file::types::{Voice, WorldFile};

/// The number of letters from which on the language of a text can be guessed.
const MIN_LETTERS: usize = 40;

/// The most phrases of all facts: each is looked for in all that everybody reads, and in all that
/// is said.
const MAX_PHRASES: usize = 2_000;

#[derive(Clone, Copy)]
enum Readers<'a> {
    Everyone,
    /// This one reads it before the story begins.
    Only(&'a str),
    /// Everybody when the story ends so.
    Last(&'a Ending),
    Few,
}
use Readers::{Everyone, Few, Last, Only};

struct Text<'a> {
    path: String,
    text: &'a str,
    readers: Readers<'a>,
    /// The facts that those who read it learn with it.
    taught: Vec<&'a str>,
    /// What happens if it is empty; `None` if it must not be.
    instead: Option<UiText>,
}

pub(super) fn check(report: &mut Report<'_>) {
    let world = report.world;
    if world.title.contains('\n') {
        let right = text!(rpg_check_one_line);
        report.error("title", text!(rpg_check_title_lines), right);
    }
    for (path, actor) in each("actors", &world.actors) {
        check_voice(&path, &actor.voice, report);
    }
    for (path, foe) in each("foes", &world.foes) {
        check_voice(&path, &foe.voice, report);
    }
    let phrases = phrases(report);
    let secrets = Secrets::new(phrases.iter().map(|(_, words)| SecretRule {
        text: (*words).to_owned(),
        ..SecretRule::default()
    }));
    for text in Texts::of(world).0 {
        check_text(&text, report);
        if report.is_read("language") {
            check_language(world.language, &text, report);
        }
        if !matches!(text.readers, Few) && !report.is_full() {
            check_secrets((&phrases, &secrets), &text, report);
        }
    }
}

/// The facts and their phrases; none if they are too many.
fn phrases<'a>(report: &mut Report<'a>) -> Vec<(&'a Fact, &'a str)> {
    let of_fact = |fact: &'a Fact| {
        let phrases = fact.phrases.iter().map(String::as_str);
        let phrases = phrases.filter(|words| !words.trim().is_empty());
        phrases.map(move |words| (fact, words))
    };
    let phrases: Vec<_> = report.world.facts.iter().flat_map(of_fact).collect();
    if phrases.len() <= MAX_PHRASES {
        return phrases;
    }
    let wrong = text!(rpg_check_too_many_phrases, count = phrases.len());
    report.error("facts", wrong, text!(rpg_check_fewer, max = MAX_PHRASES));
    Vec::new()
}

struct Texts<'a>(Vec<Text<'a>>);

impl<'a> Texts<'a> {
    /// All texts of a world.
    fn of(world: &'a WorldFile) -> Self {
        let mut texts = Self(Vec::new());
        texts.add("title".into(), &world.title, Everyone);
        texts.add("rules".into(), &world.rules, Everyone);
        if !world.common.is_empty() {
            texts.add("common".into(), &world.common, Everyone);
        }
        for (path, agent) in each("agents", &world.agents) {
            texts.add(format!("{path}.profile"), &agent.profile, Only(&agent.name));
            texts.add(format!("{path}.kickoff"), &agent.kickoff, Only(&agent.name));
        }
        for (path, bond) in each("bonds", &world.bonds) {
            if !bond.word.is_empty() {
                texts.add(format!("{path}.word"), &bond.word, Only(&bond.from));
            }
        }
        for (path, stage) in each("stages", &world.stages) {
            texts.add(format!("{path}.profile"), &stage.profile, Everyone);
            texts.add(format!("{path}.kickoff"), &stage.kickoff, Only(&stage.name));
        }
        for (path, actor) in each("actors", &world.actors) {
            let own = Only(&actor.name);
            let of_actor = [&actor.profile, &actor.look, &actor.kickoff];
            texts.add_fighter(&path, of_actor, &actor.voice, own);
            for (path, goal) in each(&format!("{path}.goals"), &actor.goals) {
                texts.add(format!("{path}.words"), &goal.words, own);
            }
            for (path, past) in each(&format!("{path}.past"), &actor.past) {
                texts.add(format!("{path}.summary"), &past.summary, Few);
                for (path, line) in each(&format!("{path}.said"), &past.said) {
                    texts.add(format!("{path}.words"), &line.words, Few);
                }
            }
        }
        for (path, foe) in each("foes", &world.foes) {
            let of_foe = [&foe.profile, &foe.look, &foe.kickoff];
            texts.add_fighter(&path, of_foe, &foe.voice, Few);
            for (path, moved) in each(&format!("{path}.moved_by"), &foe.moved_by) {
                texts.add(format!("{path}.seen"), &moved.seen, Few);
            }
        }
        for (path, skill) in each("skills", &world.skills) {
            texts.add(format!("{path}.about"), &skill.about, Everyone);
        }
        for (path, fact) in each("facts", &world.facts) {
            let readers = if fact.is_common() { Everyone } else { Few };
            texts.add(format!("{path}.text"), &fact.text, readers);
        }
        for (path, dungeon) in each("dungeons", &world.dungeons) {
            texts.add(format!("{path}.profile"), &dungeon.profile, Everyone);
            for (path, fight) in each(&format!("{path}.fights"), &dungeon.fights) {
                texts.add(format!("{path}.gain"), &fight.gain, Everyone);
            }
        }
        for (path, item) in each("items", &world.items) {
            texts.add(format!("{path}.look"), &item.look, Everyone);
        }
        for (path, quality) in each("qualities", &world.qualities) {
            let readers = if quality.hidden { Few } else { Everyone };
            for (path, step) in each(&format!("{path}.steps"), &quality.steps) {
                texts.add(format!("{path}.text"), &step.text, readers);
            }
        }
        for (path, scene) in each("scenes", &world.scenes) {
            texts.add_scene(&path, scene);
        }
        for (path, ending) in each("endings", &world.endings) {
            texts.add(format!("{path}.title"), &ending.title, Few);
            texts.add(format!("{path}.closing"), &ending.closing, Last(ending));
        }
        texts
    }

    fn add(&mut self, path: String, text: &'a str, readers: Readers<'a>) {
        self.0.push(Text {
            path,
            text,
            readers,
            taught: Vec::new(),
            instead: None,
        });
    }

    /// Adds what everybody sees before these effects. It may be empty: then something else happens.
    fn add_seen(&mut self, path: String, text: &'a str, effects: &'a [Effect], instead: UiText) {
        self.0.push(Text {
            path,
            text,
            readers: Everyone,
            taught: taught(effects).collect(),
            instead: Some(instead),
        });
    }

    fn add_fighter(
        &mut self,
        path: &str,
        texts: [&'a String; 3],
        voice: &'a Voice,
        own: Readers<'a>,
    ) {
        let [profile, look, kickoff] = texts;
        self.add(format!("{path}.profile"), profile, own);
        self.add(format!("{path}.look"), look, Everyone);
        self.add(format!("{path}.kickoff"), kickoff, own);
        for (list, lines) in [("lines", &voice.lines), ("never", &voice.never)] {
            for (path, line) in each(&format!("{path}.voice.{list}"), lines) {
                self.add(path, line, own);
            }
        }
    }

    fn add_scene(&mut self, path: &str, scene: &'a Scene) {
        let silent = text!(drama_opens_silently);
        self.add_seen(
            format!("{path}.opening"),
            &scene.opening,
            &scene.effects,
            silent,
        );
        for (path, own) in each(&format!("{path}.opening_for"), &scene.opening_for) {
            self.add(format!("{path}.text"), &own.text, Few);
        }
        self.add_effects(path, &scene.effects);
        for (path, choice) in choices(path, scene) {
            self.add(format!("{path}.question"), &choice.question, Few);
            for (path, other) in each(&format!("{path}.instead"), &choice.instead) {
                self.add(format!("{path}.question"), &other.question, Few);
            }
            for (path, option) in each(&format!("{path}.options"), &choice.options) {
                self.add(format!("{path}.label"), &option.label, Few);
                let label = text!(drama_label_is_seen);
                self.add_seen(format!("{path}.seen"), &option.seen, &option.effects, label);
                self.add_effects(&path, &option.effects);
            }
        }
    }

    fn add_effects(&mut self, path: &str, effects: &'a [Effect]) {
        for (path, effect) in each(&format!("{path}.effects"), effects) {
            let (number, text) = match effect.bare() {
                Effect::Tell(text) | Effect::Announce(text) => (0, text),
                Effect::TellTo(_, text) => (1, text),
                Effect::Promise(_, _, text, _) => (2, text),
                _ => continue,
            };
            self.add(part(&path, number), text, Few);
        }
    }
}

/// The facts that effects teach.
fn taught(effects: &[Effect]) -> impl Iterator<Item = &str> {
    effects.iter().filter_map(|effect| match effect.bare() {
        Effect::Teach(_, fact) | Effect::Tells(_, _, fact) | Effect::Reveal(fact) => {
            Some(fact.as_str())
        }
        _ => None,
    })
}

/// The facts that are out when an ending comes: those that it needs somebody to know, and those
/// that are taught by what it needs to have happened or what brings it.
fn settled_by<'a>(ending: &'a Ending, world: &'a WorldFile) -> Vec<&'a str> {
    let scenes = |id: &'a String| world.scenes.iter().filter(move |scene| scene.id == *id);
    let brings = |effect: &Effect| matches!(effect.bare(), Effect::End(id) if *id == ending.id);
    let options = world.scenes.iter().flat_map(Scene::options);
    let bringing = options.filter(|option| option.effects.iter().any(brings));
    let mut facts: Vec<_> = bringing.flat_map(|it| taught(&it.effects)).collect();
    for (part, _) in ending.when.required("") {
        match part {
            Condition::Knows(_, fact) | Condition::Told(_, _, fact) => facts.push(fact.as_str()),
            Condition::Happened(id) => scenes(id).for_each(|it| facts.extend(taught(&it.effects))),
            Condition::Chose(id, option) => {
                let options = scenes(id).flat_map(Scene::options);
                let options = options.filter(|known| known.id == *option);
                options.for_each(|option| facts.extend(taught(&option.effects)));
            }
            _ => {}
        }
    }
    facts
}

/// The example lines of a voice must not contain words that it never says.
fn check_voice(whose: &str, voice: &Voice, report: &mut Report<'_>) {
    let never = voice.never.iter().filter(|words| !words.trim().is_empty());
    let never: Vec<_> = never.map(|words| (words, words.to_lowercase())).collect();
    for (path, line) in each(&format!("{whose}.voice.lines"), &voice.lines) {
        let line = line.to_lowercase();
        for (words, _) in never.iter().filter(|(_, words)| line.contains(words)) {
            let wrong = text!(rpg_check_voice_never, words = words.as_str());
            report.error(&path, wrong, text!(rpg_check_reword_voice));
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
    if text.text.contains("r#\"") {
        let wrong = text!(rpg_check_text_goes_on);
        report.warn(&text.path, wrong, text!(rpg_check_end_text));
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
    let (wrong, right) = match language {
        _ if total < MIN_LETTERS => return,
        Language::En if han * 2 > total => (
            text!(rpg_check_text_chinese),
            text!(rpg_check_write_chinese),
        ),
        Language::Zh if han * 10 < total => (
            text!(rpg_check_text_not_chinese),
            text!(rpg_check_write_english),
        ),
        _ => return,
    };
    report.warn(&text.path, wrong, right);
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// A text must not contain words that must not be spoken where those read it who don't know them.
fn check_secrets(
    (phrases, secrets): (&[(&Fact, &str)], &Secrets),
    text: &Text<'_>,
    report: &mut Report<'_>,
) {
    let told = secrets.rules_in(text.text).into_iter();
    let told = told.filter_map(|number| phrases.get(number));
    for (fact, words) in told {
        let id = fact.id.as_str();
        let is_known = |who: &str| match &fact.known_by {
            KnownBy::Only(names) => names.iter().any(|name| {
                // A name that is unknown is a mistake of its own.
                name == who || name == PARTY || !report.is_named(Kind::Entity, name)
            }),
            KnownBy::Everyone => true,
        };
        let wrong = match text.readers {
            _ if text.taught.contains(&id) => continue,
            Only(who) if is_known(who) => continue,
            Last(ending) if settled_by(ending, report.world).contains(&id) => continue,
            Only(who) => text!(rpg_check_fact_told_to, who, words, fact = id),
            _ => text!(rpg_check_fact_told, words, fact = id),
        };
        report.warn(&text.path, wrong, text!(rpg_check_leave_fact_out));
    }
}
