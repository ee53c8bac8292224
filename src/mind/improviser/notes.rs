//! The facts of a prompt, read from its notes. Whatever is missing or of another form is as if empty.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer};
use serde_json::Value;

/// Reads a member; one of another form counts as missing.
fn lenient<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(T::deserialize(value).unwrap_or_default())
}

macro_rules! notes {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, Default, serde::Deserialize)]
        #[serde(default)]
        pub(super) struct $name {
            $(#[serde(deserialize_with = "lenient")] pub(super) $field: $type,)*
        })*
    };
}

notes! {
    /// All that the known purposes tell.
    Notes {
        me: String,
        kind: String,
        place: String,
        profile: String,
        camp: String,
        companions: Vec<String>,
        dungeons: Vec<String>,
        home: bool,
        exits: Vec<String>,
        heroes: Vec<String>,
        day: u32,
        round: u32,
        present: Vec<Fighter>,
        last_news: String,
        heard: Vec<Line>,
        next_dungeon: String,
        last_fight: Fight,
        secrets: Vec<String>,
        refused: String,
        events: Vec<Happening>,
        foes: Vec<Fighter>,
        allies: Vec<Fighter>,
        hp: i64,
        max_hp: i64,
        energy: i64,
        hand: Vec<Skill>,
        deeds: Vec<Deed>,
        standing: Vec<Fighter>,
        what: String,
        result: String,
        fallen: Vec<String>,
        gains: Vec<String>,
        with: Vec<String>,
        must: Vec<String>,
        said: Vec<Line>,
        hand_on: Vec<String>,
        found: Vec<String>,
        legal: Vec<Numbered>,
    }

    /// Somebody with a number.
    Numbered {
        id: u64,
        name: String,
    }

    /// A line that somebody said.
    Line {
        who: String,
        text: String,
    }

    /// The last fight, as those who were there know it.
    Fight {
        place: String,
        result: String,
        foes: Vec<String>,
    }

    /// Something that happened.
    Happening {
        r#type: String,
        text: String,
    }

    /// A skill in the hand.
    Skill {
        skill: String,
        kind: String,
        cost: i64,
        power: i64,
        legal: Vec<String>,
    }

    /// What somebody did in a round.
    Deed {
        by: String,
        skill: String,
        card: String,
        kind: String,
        target: String,
        hit: bool,
        amount: i64,
        fell: bool,
    }
}

/// Somebody in sight, in a fight with more to tell; the notes give a bare name or an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Fighter {
    pub(super) name: String,
    pub(super) look: String,
    pub(super) hp: i64,
    pub(super) max_hp: i64,
    pub(super) camp: String,
    pub(super) effects: Vec<String>,
}

impl Fighter {
    /// How much of its health is left, in percent; all where nothing is known.
    pub(super) fn health(&self) -> i64 {
        match self.max_hp {
            ..=0 => 100,
            max => (self.hp.saturating_mul(100) / max).clamp(0, 100),
        }
    }
}

impl<'de> Deserialize<'de> for Fighter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        let number = |key: &str| value.get(key).and_then(Value::as_i64).unwrap_or_default();
        let effects = value.get("effects").and_then(Value::as_array);
        let effects = effects.into_iter().flatten().map(|effect| match effect {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        Ok(Self {
            name: value.as_str().unwrap_or_else(|| text("name")).into(),
            look: text("look").into(),
            hp: number("hp"),
            max_hp: number("max_hp"),
            camp: text("camp").into(),
            effects: effects.collect(),
        })
    }
}

impl Notes {
    /// Reads the notes of a prompt.
    pub(super) fn read(notes: &Value) -> Self {
        Self::deserialize(notes).unwrap_or_default()
    }

    /// Everybody whom those in the same scene know too. Who sums up a fight does so among its own.
    pub(super) fn group(&self) -> Vec<&str> {
        let lists = [&self.companions, &self.heroes, &self.with, &self.fallen];
        let names = lists.into_iter().flatten().map(String::as_str);
        let foes = self.foes.iter().filter(|_| self.what.is_empty());
        let seen = foes.chain(&self.allies).chain(&self.present);
        names
            .chain(seen.map(|fighter| fighter.name.as_str()))
            .collect()
    }
}

/// The words without the sign that ends them, so that they fit into a sentence.
pub(super) fn bare(text: &str) -> &str {
    text.trim()
        .trim_end_matches(['.', '!', '?', '。', '！', '？', ';', '；', ',', '，'])
        .trim_end()
}

/// The first clause of a text, or its beginning, at most this many letters.
pub(super) fn fragment(text: &str, most: usize) -> Cow<'_, str> {
    let ends = [
        '.', '!', '?', ';', '。', '！', '？', '；', '\n', '“', '”', '{', '}', '<', '>',
    ];
    let clauses = text.split(ends).map(str::trim);
    let clause = clauses.into_iter().find(|clause| !clause.is_empty());
    let clause = clause.unwrap_or_default();
    match clause.char_indices().nth(most) {
        None => Cow::Borrowed(clause),
        Some((end, _)) => {
            let cut = clause.get(..end).unwrap_or_default();
            // A word is not cut in two; Chinese has no spaces to cut at.
            let cut = cut
                .rfind([' ', '，', '、'])
                .and_then(|at| cut.get(..at))
                .unwrap_or(cut);
            Cow::Owned(format!("{}…", cut.trim_end_matches([',', '，', ' '])))
        }
    }
}
