//! What somebody who only reads finds.

use super::*;

/// A folder with a story that is over.
fn finished() -> Dir {
    let folder = Dir::new();
    for command in ["new mill", "run mill --seed 1 --save done -q"] {
        succeed(&folder, command);
    }
    folder
}

/// Whether something covers a part of the story, as a script.
const COVERED: &str = "(() => { const panel = document.querySelector('#inspector'); \
     if (!panel.checkVisibility()) return 'no panel'; const box = panel.getBoundingClientRect(); \
     const told = document.querySelector('#told').getBoundingClientRect(); \
     return told.right > box.left + 1 && told.bottom > box.top + 1 && told.left < box.right - 1; \
     })()";

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_story_that_is_over_says_so_and_offers_to_be_read() {
    let browser = browser();
    let folder = &finished();
    let page = Served::begin(folder, "watch --all --json");
    browser.open_story(&page, "done", "");
    let offers = "document.querySelector('#told .front .actions')";
    browser.wait(offers);
    browser.wait("document.querySelectorAll('#told article').length > 5");
    assert_eq!(
        browser.value("document.querySelector('#told').scrollTop"),
        0
    );
    let over = label(&page, "page_run_finished");
    let front = browser.value("document.querySelector('#told .front').innerText");
    has(front.as_str().unwrap(), &[&over]);
    let bar = browser.value("document.querySelector('#bar').innerText");
    has(bar.as_str().unwrap(), &[&over]);

    // Nothing of what it cost until one asks, and no timeline.
    let shown = "document.querySelector('#inspector').innerText";
    let tokens = json!(label(&page, "page_prompt_tokens"));
    assert_eq!(browser.value(&format!("{shown}.includes({tokens})")), false);
    assert_eq!(
        browser.value("document.querySelector('#strip').hidden"),
        true
    );
    browser.click(&label(&page, "page_show_figures"));
    browser.wait(&format!("{shown}.includes({tokens})"));
    browser.click(&label(&page, "page_show_strip"));
    browser.wait("!document.querySelector('#strip').hidden");
    browser.click(&label(&page, "page_show_strip"));
    browser.wait("document.querySelector('#strip').hidden");
    assert_eq!(browser.barriers(), Vec::<String>::new());

    // What else could have been chosen: the options don't touch.
    browser.click(&label(&page, "page_what_if"));
    browser.wait("document.querySelector('dialog[open] a.choice-link')");
    browser.script("document.querySelector('dialog[open] a.choice-link').click();");
    browser.wait("document.querySelector('#inspector .menu button')");
    browser.wait("!document.querySelector('dialog[open]')");
    let gaps = browser.value(
        "[...document.querySelectorAll('#inspector .menu button')].map((one) => \
         one.getBoundingClientRect()).every((one, i, all) => !i || one.top - all[i - 1].bottom >= 4)",
    );
    assert_eq!(gaps, true);

    // As somebody saw it.
    browser.script(
        "const as = document.querySelector('#told .front select'); as.selectedIndex = 1; \
         as.dispatchEvent(new Event('change'));",
    );
    browser.wait("location.search.includes('who=') && location.search.includes('read=1')");
    browser.wait("!document.querySelector('#told .filter').hidden");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn what_is_seen_of_somebody_never_covers_the_story() {
    let browser = browser();
    let folder = &finished();
    let page = Served::begin(folder, "watch --all --json");
    let events = page.list("done/events?from=0&kind=choice", "events");
    let n = events[0]["number"].as_u64().unwrap();
    for (width, height) in [(1280, 800), (800, 900), (390, 844)] {
        browser.resize(width, height);
        for read in ["", "&read=1"] {
            browser.open_story(&page, "done", &format!("?n={n}{read}"));
            let event = format!("document.querySelector('#told [data-n=\"{n}\"]')");
            browser.wait(&event);
            browser.script(&format!("{event}.querySelector('a').click();"));
            browser.wait("document.querySelector('#inspector .seen h2')");
            let at = format!("{width}{read}");
            browser.wait("document.body.classList.contains('is-seeing')");
            assert_eq!(browser.value(COVERED), false, "{at}");
            let is_read = format!(
                "(() => {{ const box = {event}.getBoundingClientRect(); const view = \
                 document.querySelector('#told').getBoundingClientRect(); \
                 return box.bottom > view.top && box.top < view.bottom - 20; }})()"
            );
            assert_eq!(browser.value(&is_read), true, "{at}");
            let sideways = browser.value("document.documentElement.scrollWidth");
            assert_eq!(sideways, width, "{at}");
            browser.script("document.querySelector('#inspector .close').click();");
            browser.wait("!document.body.classList.contains('is-seeing')");
            assert_eq!(browser.value(&is_read), true, "{at}, closed");
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn calls_without_times_are_spread_over_their_turns() {
    let browser = browser();
    let folder = &finished();
    let page = Served::begin(folder, "watch --all --json");
    browser.open_story(&page, "done", "?view=calls");
    let places = "import('/assets/timeline.js').then(({ Timeline }) => { window.drawn ??= (() => { \
         const pane = document.createElement('div'); document.body.append(pane); \
         return new Timeline(pane); })(); return new Set((drawn.boxes || []).map(([left]) => \
         Math.round(left))).size > 10 && drawn.isByTurn; })";
    browser.wait(places);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Maps by their ways: a ring, a star, a grid, two that nothing joins, and a line.
const MAPS: &str = "{ ring: [...Array(8)].map((_, i) => [i, (i + 1) % 8]), \
     star: [1, 2, 3, 4, 5, 6].map((i) => [0, i]), \
     grid: [0, 1, 3, 4, 6, 7].map((i) => [i, i + 1]).concat([0, 1, 2, 3, 4, 5].map((i) => [i, i + 3])), \
     apart: [[0, 1], [2, 3], [3, 4], [4, 2]], line: [0, 1, 2, 3, 4].map((i) => [i, i + 1]) }";

/// The ways of a map that lead behind the card of a third place, as a function.
const BEHIND: &str = "(map) => [...map.querySelectorAll('.ways g')].filter((way) => { \
     const ends = way.dataset.way.split('-'); const line = way.querySelector('polyline'); \
     const origin = way.ownerSVGElement.getBoundingClientRect(); const length = line.getTotalLength(); \
     return [...map.querySelectorAll('[data-place]')].some((card) => { \
     if (ends.includes(card.dataset.place)) return false; const box = card.getBoundingClientRect(); \
     return [...Array(200)].some((_, i) => { const at = line.getPointAtLength(length * i / 199); \
     const [x, y] = [origin.left + at.x, origin.top + at.y]; \
     return x > box.left && x < box.right && y > box.top && y < box.bottom; }); }); \
     }).map((way) => way.dataset.way)";

#[test]
#[ignore = "needs chromium and chromedriver"]
fn no_way_on_a_map_leads_behind_a_place() {
    let browser = browser();
    let folder = &finished();
    let page = Served::begin(folder, "watch --all --json");
    browser.open_story(&page, "done", "?view=map");
    browser.wait("document.querySelector('.stage-map .ways polyline')");
    assert_eq!(
        browser.value(&format!("({BEHIND})(document.body)")),
        json!([])
    );
    // In grids of several widths, and the same each time.
    let found = browser.script(&format!(
        "return import('/assets/map.js').then(({{ mapOf }}) => Object.entries({MAPS}).flatMap(([name, \
         ways]) => [2, 3, 4].flatMap((columns) => {{ const ids = [...new Set(ways.flat())]; \
         const list = ids.map((id) => ({{ id, name: `${{id}}`, exits: ways.flatMap(([a, b]) => \
         (a === id ? [b] : b === id ? [a] : [])) }})); \
         const draw = () => {{ const {{ map, drawWays }} = mapOf(list, columns); \
         document.querySelector('.pane').replaceChildren(map); drawWays(); return map; }}; \
         const map = draw(); const cells = new Set([...map.querySelectorAll('li')].map((one) => \
         one.style.cssText)); const before = map.outerHTML; \
         const behind = ({BEHIND})(map); const isSame = before === draw().outerHTML; \
         return isSame && cells.size === ids.length && !behind.length ? [] : \
         [`${{name}} in ${{columns}}: ${{isSame}} ${{cells.size}} ${{behind}}`]; }})));"
    ));
    assert_eq!(found, json!([]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What an entity has, and what it has later: every member that may become false or none.
const ENTITIES: [(&str, &str); 5] = [
    ("{ dead: true }", "{ dead: false }"),
    ("{ dead: true }", "{}"),
    ("{ place: 9 }", "{ place: null }"),
    ("{ place: 9 }", "{}"),
    ("{ faction: 'foe' }", "{}"),
];

/// The same of a run.
const RUNS: [(&str, &str); 6] = [
    ("{ error: 'no server' }", "{ error: null }"),
    ("{ error: 'no server' }", "{}"),
    ("{ problems: [{ text: 'line 3' }] }", "{ problems: [] }"),
    ("{ between_calls: true }", "{ between_calls: false }"),
    ("{ review: true }", "{ review: false }"),
    ("{ thinking: [{ call: 1, who: 3 }] }", "{ thinking: [] }"),
];

#[test]
#[ignore = "needs chromium and chromedriver"]
fn what_is_no_longer_so_is_gone_from_the_page() {
    let browser = browser();
    let folder = &finished();
    let page = Served::begin(folder, "watch --all --json");
    browser.open_story(&page, "done", "");
    for (before, after) in ENTITIES {
        let left = browser.script(&format!(
            "return import('/assets/data.js').then(({{ state, setEntities }}) => {{ \
             const who = {{ id: 99, name: 'Somebody', kind: 'actor', hue: 1 }}; \
             const [before, after] = [{before}, {after}].map((more) => ({{ ...who, ...more }})); \
             setEntities([before]); setEntities([after]); \
             return JSON.stringify(state.entities.get(99)) === JSON.stringify(after) \
             && state.entityList.filter(({{ id }}) => id === 99).length === 1; }});"
        ));
        assert_eq!(left, true, "{before} {after}");
    }
    for (before, after) in RUNS {
        let left = browser.script(&format!(
            "return import('/assets/data.js').then(({{ state, setRun }}) => {{ \
             const run = {{ state: 'playing', thinking: [] }}; \
             for (const more of [{before}, {after}]) setRun({{ now: 0, turn: 1, can: [], run: {{ ...run, \
             ...more }} }}); \
             return JSON.stringify(state.run) === JSON.stringify({{ ...run, ...{after} }}); }});"
        ));
        assert_eq!(left, true, "{before} {after}");
    }
    // What is drawn follows.
    browser.script(
        "return import('/assets/data.js').then(({ state, setEntities }) => { \
         const [one] = state.entityList.filter(({ kind }) => kind === 'actor'); \
         window.struck = [true, false].map((dead) => { setEntities([{ ...one, dead }]); \
         return [...document.querySelectorAll('#side-people .is-dead')].some((link) => \
         link.innerText === one.name); }); });",
    );
    assert_eq!(browser.value("struck"), json!([true, false]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn the_list_of_stories_tells_when_and_how_far_and_begins_new_ones() {
    let browser = browser();
    let folder = &finished();
    let played = "run drowned-assize --seed 2 --save half --until 12 -q";
    succeed(folder, played);
    let page = Served::begin(folder, "watch --all --json");
    let list = |query: &str| {
        browser.open(format!("http://{}/{query}", page.address));
        browser.wait("[...document.querySelectorAll('time')].every((one) => one.innerText)");
    };
    let text = || browser.value("document.querySelector('#stories').innerText");
    for (query, words) in [
        (
            "?lang=en",
            [
                "The Drowned Assize", "Day 1 · Turn 12", "paused", "finished",
            ],
        ),
        (
            "?lang=zh",
            [
                "The Drowned Assize",
                "第 1 天 · 第 12 轮",
                "已暂停",
                "已完结",
            ],
        ),
    ] {
        list(query);
        has(text().as_str().unwrap(), &words);
        assert_eq!(browser.barriers(), Vec::<String>::new());
    }
    // The newest is first, and the time is that of the reader.
    list("?lang=en");
    let first = "document.querySelector('#stories li strong').innerText";
    assert_eq!(browser.value(first), "The Drowned Assize");
    let hour = "document.querySelector('time').title.includes(new Intl.DateTimeFormat('en', { \
         timeStyle: 'short' }).format(Number(document.querySelector('time').dataset.at)))";
    assert_eq!(browser.value(hour), true);
    // One goes on with what isn't over.
    browser.click(&label(&page, "page_continue"));
    browser.wait(IS_READY);
    browser.wait("import('/assets/data.js').then(({ state }) => state.story.turn > 12)");
    // A new story, by a wrong name first: the dialog says what is wrong.
    list("?lang=en");
    browser.click(&label(&page, "page_new_story"));
    browser.fill("name", "done");
    browser.fill("seed", "5");
    browser.click(&label(&page, "page_start"));
    browser.wait("document.querySelector('#new [role=alert]').innerText.includes('done')");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    browser.fill("name", "fresh");
    browser.click(&label(&page, "page_start"));
    browser.wait("location.pathname === '/story/fresh'");
    browser.wait(IS_READY);
    let story = page.api("fresh/story");
    assert_eq!(
        (&story["seed"], &story["world"]),
        (&json!(5), &json!("drowned-assize"))
    );
    let complaints = browser.complaints();
    assert!(
        complaints.iter().all(|line| line.contains("409")),
        "{complaints:?}"
    );
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_story_is_found_among_many() {
    let browser = browser();
    let folder = &finished();
    for copy in ["able", "baker", "charlie", "dog", "easy", "fox"] {
        succeed(folder, &format!("branch done {copy} --turn 2"));
    }
    let page = Served::begin(folder, "watch --all --json");
    browser.open(format!("http://{}/?lang=en", page.address));
    browser.wait("document.querySelectorAll('#stories li').length === 7");
    let shown = "[...document.querySelectorAll('#stories li')].filter((one) => \
         one.checkVisibility()).map((one) => one.querySelector('.small').innerText)";
    let look_for = |words: &str| {
        browser.script(&format!(
            "const box = document.querySelector('#find'); box.value = {}; \
             box.dispatchEvent(new Event('input'));",
            json!(words)
        ));
        browser.value(shown)
    };
    assert_eq!(look_for("CHARL"), json!(["charlie"]));
    assert_eq!(look_for("nothing of that name"), json!([]));
    browser.wait("document.querySelector('#nothing').checkVisibility()");
    assert_eq!(look_for("").as_array().unwrap().len(), 7);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
#[ignore = "needs chromium and chromedriver"]
fn a_book_is_printed_with_its_chapters_on_pages_of_their_own() {
    let browser = browser();
    let folder = &Dir::new();
    succeed(
        folder,
        "run drowned-assize --seed 1 --save tide --until 40 -q",
    );
    let page = Served::begin(folder, "watch --all --json");
    browser.open(format!("http://{}/story/tide/book?lang=en", page.address));
    browser.wait("document.querySelectorAll('main h2').length > 1");
    assert_eq!(browser.barriers(), Vec::<String>::new());
    browser.devtools("Emulation.setEmulatedMedia", &json!({"media": "print"}));
    assert_eq!(
        browser.value("document.querySelector('nav').checkVisibility()"),
        false
    );
    let breaks = "[...document.querySelectorAll('.chapter')].every((one) => \
         getComputedStyle(one).breakBefore === 'page')";
    assert_eq!(browser.value(breaks), true);
    let title = browser.value("document.querySelectorAll('main h2')[1].innerText");
    let printed = browser.devtools("Page.printToPDF", &json!({"preferCSSPageSize": true}));
    let pdf = BASE64.decode(printed["data"].as_str().unwrap()).unwrap();
    let pages = |pdf: &[u8]| {
        let text = String::from_utf8_lossy(pdf).into_owned();
        text.matches("/Type /Page\n").count()
    };
    let whole = pages(&pdf);
    assert!(whole > 5, "{whole}");
    assert!(title.as_str().unwrap().contains("Day"), "{title}");
    browser.open(format!("http://{}/story/tide/book/2?lang=en", page.address));
    let printed = browser.devtools("Page.printToPDF", &json!({"preferCSSPageSize": true}));
    let one = pages(&BASE64.decode(printed["data"].as_str().unwrap()).unwrap());
    assert!(one > 1 && one < whole, "{one} of {whole}");
    // What is on the screen is printed as it is read, without what one clicks on.
    browser.devtools("Emulation.setEmulatedMedia", &json!({"media": ""}));
    browser.open_story(&page, "tide", "?n=200&lang=en");
    browser.wait("document.querySelectorAll('#told article').length > 5");
    browser.devtools("Emulation.setEmulatedMedia", &json!({"media": "print"}));
    let shown = "['#told article', '.on-paper', '#top h1', '#side', '#tools', '#strip'] \
         .map((one) => document.querySelector(one).checkVisibility())";
    assert_eq!(
        browser.value(shown),
        json!([true, true, true, false, false, false])
    );
    let cut = "[document.body, ...document.querySelectorAll('#frame, main, #told')].some((one) => \
         one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY !== 'visible')";
    assert_eq!(browser.value(cut), false);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
