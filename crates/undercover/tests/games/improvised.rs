//! Games on the improviser: that they are games.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::FutureExt;
use playhouse_engine::event::AnsweredBy;
use playhouse_engine::mind::improviser::Improviser;
use playhouse_engine::mind::{Mind, Prompt, ScriptLine, ScriptMind};
use playhouse_engine::world_data::Lexicon;
use playhouse_undercover::improviser::with_words;
use playhouse_undercover::{Match, PlayerRole, Rules, Side, WordSource, shipped_words};

use super::table::{
    Language, NAMES, cards, data, improviser, opening, play, rules, table_of, usual,
};

const LANGUAGES: [Language; 2] = [Language::En, Language::Zh];

/// How many games in each language are played to see whether either side wins often enough.
const GAMES: u64 = 100;

#[tokio::test]
async fn either_side_wins_often_enough() {
    let mind = Arc::new(improviser());
    for language in LANGUAGES {
        let game = usual(language);
        let mut civilians = 0;
        for seed in 0..GAMES {
            let played = play(opening(&game, seed), mind.clone()).await;
            civilians += u64::from(table_of(&played).winner == Some(Side::Civilian));
        }
        let share = civilians * 100 / GAMES;
        assert!((25..=75).contains(&share), "{language:?}: {share} %");
    }
}

#[tokio::test]
async fn what_it_heard_before_changes_no_answer() {
    let improviser = improviser();
    for language in LANGUAGES {
        let game = usual(language);
        let seasoned = Arc::new(improviser.clone());
        play(opening(&game, 1), seasoned.clone()).await;
        // One that begins anew at every question.
        let fresh = improviser.clone();
        let fresh = ScriptMind::by_rule(move |prompt| {
            let fresh = with_words(&fresh, language, &Lexicon::default());
            ScriptLine::say(answered(&fresh, prompt))
        });
        let first = play(opening(&game, 1), seasoned).await;
        let second = play(opening(&game, 1), Arc::new(fresh)).await;
        assert_eq!(table_of(&first), table_of(&second), "{language:?}");
    }
}

/// Where among all that can be said of a word, from 0 (vague) to 1 (narrow), a line stands; nothing
/// where it says nothing of it.
fn place(line: &str, attributes: &[&str]) -> Option<f64> {
    let index = attributes.iter().position(|text| line.contains(text))?;
    Some(index as f64 / (attributes.len() - 1) as f64)
}

#[tokio::test]
async fn lines_narrow_as_rounds_pass() {
    let mind = Arc::new(improviser());
    for language in LANGUAGES {
        let game = usual(language);
        let mut places: [Vec<f64>; 3] = Default::default();
        for seed in 0..25 {
            let mut setup = opening(&game, seed);
            let cards = cards(&mut setup.world);
            let played = play(setup, mind.clone()).await;
            let lexicon = game.lexicon();
            for player in &table_of(&played).players {
                // Whoever finds out that it is undercover has reasons to stay vague.
                let (PlayerRole::Civilian, Some(word)) = &cards[&player.name] else {
                    continue;
                };
                let attributes = lexicon.attributes(word).unwrap();
                for (line, places) in player.description_history.iter().zip(&mut places) {
                    places.extend(place(line, &attributes));
                }
            }
        }
        let means = places.map(|places| places.iter().sum::<f64>() / places.len() as f64);
        assert!(
            means[0] + 0.1 < means[1] && means[1] + 0.05 < means[2],
            "{language:?}: {means:?}"
        );
    }
}

#[tokio::test]
async fn votes_follow_from_how_far_a_line_is_from_ones_own_word() {
    let lexicon = shipped_words(&data(), Language::En).unwrap();
    let improviser = improviser();
    let (mut on_stranger, mut votes) = (0, 0);
    for seed in 0..20 {
        let pair = lexicon.pairs[seed * 5].clone();
        let stranger = lexicon.pairs[seed * 5 + 1].first.clone();
        let rules = Rules {
            max_rounds: 1,
            ..rules(Language::En, 5)
        };
        let words = WordSource::Custom(Lexicon {
            pairs: vec![pair.clone()],
        });
        let game = Match::new(&data(), rules, words).unwrap();
        let mut setup = opening(&game, seed as u64);
        let cards = cards(&mut setup.world);
        let civilians = cards
            .iter()
            .filter(|(_, (role, _))| *role == PlayerRole::Civilian);
        let civilians: Vec<_> = civilians.map(|(name, _)| name.clone()).collect();
        let odd = civilians[0].clone();
        // Everybody says what fits both words, but one, who speaks of something else.
        let improviser = improviser.clone();
        let lines = lines_of(&pair.shared, &stranger.own, &odd);
        let mind = ScriptMind::by_rule(move |prompt| match prompt.purpose {
            "undercover.describe" => ScriptLine::say(lines[&**prompt.entity].clone()),
            _ => ScriptLine::say(answered(&improviser, prompt)),
        });
        let played = play(setup, Arc::new(mind)).await;
        let table = table_of(&played);
        for vote in &table.current_votes {
            let (voter, target) = (
                table.name(vote.voter_id),
                table.name(vote.target_id.unwrap()),
            );
            if voter != odd {
                votes += 1;
                on_stranger += u32::from(target == odd);
            }
        }
    }
    // By lot it would be one in four. Nobody knows all that can be said of words, and chance moves
    // every vote, so it is not all.
    assert!(on_stranger * 3 >= votes, "{on_stranger} of {votes}");
}

/// A line for each player: something that fits, and for one something that does not.
fn lines_of(fits: &[String], strange: &[String], odd: &str) -> BTreeMap<String, String> {
    let lines = NAMES[..5].iter().zip(fits).map(|(name, fits)| {
        if *name == odd {
            (odd.to_owned(), format!("It {}.", strange[0]))
        } else {
            ((*name).to_owned(), format!("It {fits}."))
        }
    });
    lines.collect()
}

/// What the improviser answers; it never waits.
fn answered(improviser: &Improviser, prompt: &Prompt<'_>) -> String {
    let answer = improviser.answer(prompt).now_or_never();
    answer.unwrap().unwrap().text
}

/// Things that are true of words, in words of a person's own: what is said in four rounds.
const IN_OWN_WORDS: &str = "
violin: You play it with a bow. / Your chin rests against it. / Every orchestra needs several. / Stradivari made famous ones.
sofa: My whole family fits next to each other there. / I nap there on Sundays. / You would put it in the living room. / Remote controls vanish between its cushions.
doctor: You see one when you feel ill. / There was a stethoscope the last time. / You make an appointment first. / Prescriptions come from there.
bicycle: I commute on mine when the weather allows. / The chain needs oil now and then. / Mine got a puncture last week. / You keep moving or you fall over.
river: It always finds its way down to the sea. / Paris and London grew up beside one. / After storms it may burst its banks. / Salmon swim up it.
筷子: 我左手也能使得很利索。 / 少了其中之一就没法吃了。 / 日本人的头更尖一些。 / 夹豆子最考验功夫。
扇子: 胳膊动一动就凉快了。 / 折起来能放进袖子里。 / 上面常常画着山水。 / 跳舞的人也会用到。
雨伞: 我昨天把它忘在地铁上了。 / 天气预报说要带上。 / 骨架坏了就没法用。 / 按一下就弹开了。
灯笼: 节日里大街小巷都看得到。 / 小孩子提着到处跑。 / 外面那层一捅就破。 / 黑夜里远远就能看见。
凉席: 三伏天离了它睡不着。 / 卷起来立在门后面。 / 刚铺上的时候要先洗洗。 / 汗出多了会粘在身上。
";

#[tokio::test]
async fn who_describes_truly_in_words_of_their_own_is_not_voted_out_for_it() {
    let improviser = improviser();
    let (mut played, mut out_first, mut always) = (0, 0, Vec::new());
    for row in IN_OWN_WORDS.trim().lines() {
        let (word, lines) = row.split_once(": ").unwrap();
        let language = if word.is_ascii() {
            Language::En
        } else {
            Language::Zh
        };
        let lexicon = shipped_words(&data(), language).unwrap();
        let pair = lexicon.pairs.iter().find(|pair| pair.first.word == word);
        let words = Lexicon {
            pairs: vec![pair.unwrap().clone()],
        };
        let game = Match::new(
            &data(),
            rules(language, 6),
            WordSource::Custom(words.clone()),
        );
        let game = game.unwrap();
        let mind = Arc::new(with_words(&improviser, language, &words));
        let (mut of_word, mut out_of_word) = (0, 0);
        for seed in 0..20 {
            let mut setup = opening(&game, seed);
            let cards = cards(&mut setup.world);
            let has_word = |card: &(PlayerRole, Option<String>)| {
                card.0 == PlayerRole::Civilian && card.1.as_deref() == Some(word)
            };
            let Some((person, _)) = cards.iter().find(|(_, card)| has_word(card)) else {
                continue;
            };
            let (person, mind) = (person.clone(), mind.clone());
            let somebody = person.clone();
            let seats = ScriptMind::by_rule(move |prompt| {
                let describes = prompt.purpose == "undercover.describe";
                if describes && **prompt.entity == *somebody {
                    let round = prompt.notes()["round"].as_u64().unwrap_or(1) as usize;
                    let line = lines.split(" / ").cycle().nth(round - 1);
                    return ScriptLine::say(line.unwrap_or_default());
                }
                ScriptLine::say(answered(&mind, prompt))
            });
            let ended = play(setup, Arc::new(seats)).await;
            let table = table_of(&ended);
            let first = table.eliminations.iter().find(|gone| gone.round == 1);
            of_word += 1;
            out_of_word +=
                u32::from(first.is_some_and(|gone| table.name(gone.player_id) == person));
        }
        played += of_word;
        out_first += out_of_word;
        if out_of_word * 2 > of_word {
            always.push((word, out_of_word, of_word));
        }
    }
    // By lot it would be one in six.
    assert!(played > 75, "{played}");
    assert!(out_first * 4 <= played, "{out_first} of {played}");
    assert_eq!(always, []);
}

#[tokio::test]
async fn nobody_falls_back_and_no_line_is_said_twice() {
    for language in LANGUAGES {
        let game = usual(language);
        let mind = Arc::new(improviser());
        for seed in 0..12 {
            let played = play(opening(&game, seed), mind.clone()).await;
            for answer in played.answers() {
                let is_fallback = matches!(answer.by, AnsweredBy::Fallback(_));
                assert!(!is_fallback, "{language:?} {seed}: {answer:?}");
            }
            let mut said = BTreeSet::new();
            for line in table_of(&played).descriptions() {
                assert!(said.insert(&line.description), "{}", line.description);
            }
        }
    }
}
