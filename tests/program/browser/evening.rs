//! People at seats in the browser, who play together or alone.

use serde_json::{Value, json};

use super::super::Dir;
use super::super::served::Served;
use super::{BETWEEN_LOOKS, LOOKS, at_seats, browser, phones};
use crate::{lacks, succeed};

/// Takes a turn if the seat is asked for one: says something, does something, or both, as its
/// number has it. Returns what is said and done in the words in which it is confirmed.
const TAKE_A_TURN: &str = "const ask = document.querySelector('#seat .ask:not([data-answered])'); \
     if (!ask) return null; ask.dataset.answered = '1'; \
     const form = ask.querySelector('form'); const turn = window.turn = (window.turn ?? 0) + 1; \
     const told = () => form.dispatchEvent(new Event('input')); \
     const send = form.querySelector('[type=submit]'); \
     const words = form.querySelector('textarea'); \
     const menu = [...form.querySelectorAll('.menu button')].filter((one) => one.textContent !== 'flee'); \
     if (words && (turn % 3 || !menu.length)) words.value = `The tide is out, and this is line ${turn}.`; \
     const fill = () => { for (const one of form.querySelectorAll('.beneath :is(select, textarea)')) { \
     one.value ||= one.options?.[one.options.length - 1].value ?? 'I try my luck.'; } told(); }; \
     if (turn % 3 !== 1) menu[turn % menu.length]?.click(); fill(); \
     if (send?.disabled) { menu[0]?.click(); fill(); } \
     const summary = form.querySelector('.summary')?.textContent ?? ''; \
     if (form.isConnected && send) form.requestSubmit(); return summary || 'words';";

#[test]
#[ignore = "needs chromium and chromedriver"]
fn four_people_play_a_campaign_at_four_phones_beside_two_minds() {
    let phones = phones();
    let folder = &Dir::new();
    let names = [
        "Odile Marsh", "Brant Hollis", "Sister Temperance", "Jory Teasel",
    ];
    let seats = names.map(|name| format!(" --seat {}", name.replace(' ', "\u{a0}")));
    let story = format!("drowned-assize --seed 1 --save evening{}", seats.concat());
    let page = Served::start(folder, &story);
    let players = at_seats(&phones, &page);
    let mut turns = [0; 4];
    let mut spoken: [Vec<String>; 4] = Default::default();
    for _ in 0..LOOKS {
        for (number, (browser, _)) in players.iter().enumerate() {
            if browser.value("Boolean(document.querySelector('.ask:not([data-answered])'))") == true
            {
                let turn = turns[number];
                browser.wait_for_all_in_sight(format!("player {number}, turn {turn}"));
                if let Some(taken) = browser.script(TAKE_A_TURN).as_str() {
                    turns[number] += 1;
                    spoken[number].push(taken.to_owned());
                }
            }
        }
        if page.api("evening/story")["run"]["state"] == "finished" {
            break;
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    let over = page.wait_for("evening", "finished");
    assert!(turns.iter().all(|turns| *turns > 20), "{turns:?}");
    // Minds played the others.
    for name in ["Edda Hollis", "Pell Gantry"] {
        let people = page.api("evening/people");
        let mind = super::one(&people, "name", name);
        assert_eq!(mind["played_by"], "mind");
        assert!(mind["calls"].as_u64() > Some(10), "{mind}");
    }
    let of = |name: &str| super::one(&over["entities"], "name", name)["id"].clone();
    for ((browser, seat), spoken) in players.iter().zip(&spoken) {
        browser.wait("document.querySelector('#told .status.fin')");
        // What one says oneself is in one's story, in its place.
        let own = of(seat["name"].as_str().unwrap());
        let said = |event: &Value| event["speaker"] == own && event["said"].is_string();
        let told = browser.events();
        let lines = told.iter().filter(|event| said(event));
        let lines: Vec<_> = lines.map(|event| event["said"].to_string()).collect();
        let aloud = spoken.iter().filter(|taken| taken.contains("You say"));
        let kept = aloud.filter(|taken| {
            let line = taken.rsplit_once("this is line ").map(|(_, line)| line);
            let number = line.and_then(|line| line.split('.').next());
            number.is_some_and(|number| {
                let words = format!("line {number}.");
                lines.iter().any(|line| line.contains(&words))
            })
        });
        assert!(kept.count() > 5, "{lines:?}");
        // Names of others lead nowhere: nobody looks into them from a seat.
        let own = "document.querySelector('.seat-who a').textContent";
        let links = format!(
            "[...document.querySelectorAll('#told a.who')].every((one) => one.textContent === {own})"
        );
        assert_eq!(browser.value(&links), true);
        assert_ne!(
            browser.value("document.querySelector('#told span.who')"),
            Value::Null
        );
        let read = browser.value("document.querySelector('#told').innerText");
        lacks(read.as_str().unwrap(), &["# ", "look around and wait"]);
        assert_eq!(browser.complaints(), Vec::<String>::new());
        assert_eq!(browser.barriers(), Vec::<String>::new());
    }
    drop(page);
    succeed(folder, "replay evening -q");
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn one_reads_who_one_is_before_the_first_question() {
    let browser = browser();
    for (arguments, parts) in [
        (
            "drowned-assize --save seat --seat Jory\u{a0}Teasel",
            &[
                "Ropemaker's apprentice",
                "What you want",
                "What you have",
                "the clapper",
                "What you know",
                "shows this again",
            ][..],
        ),
        (
            "zhaoying-ban --lang zh --save seat --seat 沈豆娘",
            &["你想要的", "你带着的", "你知道", "可以再看"],
        ),
    ] {
        let folder = &Dir::new();
        let page = Served::start(folder, arguments);
        let address = page.record("seat")["address"].as_str().unwrap();
        let lang = if arguments.contains("zh") { "zh" } else { "en" };
        browser.open(format!("{address}?lang={lang}"));
        for (width, height) in super::SIZES {
            browser.resize(width, height);
            browser.wait("document.querySelector('#seat .ask textarea')");
            browser.wait_for_all_in_sight(format!("{lang}, {width} wide"));
        }
        let you = browser.value("document.querySelector('#seat .you').textContent");
        let you = you.as_str().unwrap();
        super::has(you, parts);
        // Its name calls it back, without what models are told.
        browser.script("document.querySelector('.seat-who a').click()");
        browser.wait("document.querySelector('#inspector h2')");
        let sheet = browser.value("document.querySelector('#inspector').textContent");
        lacks(sheet.as_str().unwrap(), &["# ", "for example:", "JSON"]);
        browser.script(
            "document.querySelector('#seat form').requestSubmit(); \
             document.querySelector('#seat button.quiet:not(.seat-who *)')?.click()",
        );
        browser.wait("document.querySelectorAll('#seat .menu button').length > 2");
        assert_eq!(
            browser.value("document.querySelector('#seat .you')"),
            Value::Null
        );
    }
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn words_that_can_not_be_used_stay_in_the_form() {
    let browser = browser();
    let folder = &Dir::new();
    let game =
        "undercover --json --players 4 --words kite,balloon --seat Bruno --watch --save cards";
    let page = Served::begin(folder, game);
    browser.open(page.record("seat")["address"].as_str().unwrap());
    let words = "document.querySelector('#seat .ask textarea')";
    browser.wait(words);
    let unsent = |typed: &str| {
        browser.script(&format!(
            "{words}.value = '{typed}'; \
             {words}.dispatchEvent(new Event('input', {{ bubbles: true }})); location.reload()"
        ));
        browser.wait(&format!("{words}?.value === '{typed}'"));
    };
    unsent("Something round.");
    browser.script(&format!(
        "{words}.value = 'A kite, no balloon.'; {words}.form.requestSubmit()"
    ));
    browser.wait(&format!("{words}?.value === 'A kite, no balloon.' && document.querySelector('#seat .question').textContent"));
    let page = Served::start(
        folder,
        "drowned-assize --seed 1 --save seat --seat Jory\u{a0}Teasel",
    );
    browser.open(page.record("seat")["address"].as_str().unwrap());
    browser.wait(words);
    browser.script("document.querySelector('#seat button.quiet:not(.seat-who *)').click()");
    browser.wait("document.querySelectorAll('#seat .menu button').length > 2");
    browser.script("document.querySelector('#seat .menu button').click()");
    unsent("Is there soup?");
    browser.wait("document.querySelector('#seat .menu [aria-pressed=true]')");
    browser.script("document.querySelector('#seat .menu button').click()");
    // Too long to be said.
    browser.script(&format!(
        "{words}.value = Array.from({{ length: 900 }}, (_, i) => `soup ${{i}}`).join(' '); document.querySelector('#seat .menu button').click(); \
         {words}.form.requestSubmit()"
    ));
    browser.wait("document.querySelector('#seat .summary')?.textContent.includes('soup 0 soup 1')");
    browser.wait("document.querySelector('#seat .question')?.textContent.includes('At most 600')");
    let why = browser.value("document.querySelector('#seat .question').innerText");
    lacks(why.as_str().unwrap(), &["speak.text"]);
    let kept = browser.value("[document.querySelector('#seat .menu [aria-pressed=true]').textContent, document.querySelector('#seat .beneath select').value]");
    assert_eq!(kept, json!(["give something to somebody", "1"]));
    browser.script(&format!("{words}.value = 'Soup?'; {words}.form.dispatchEvent(new Event('input')); {words}.form.requestSubmit()"));
    browser.wait("/gives the clapper/.test(document.querySelector('#told').innerText)");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
