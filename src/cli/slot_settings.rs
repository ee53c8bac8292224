//! What a save is played with: model, seat and limits, kept beside its journal, so that `resume`
//! continues as before.
//!
//! A save may come from anybody, so a model that may cost money counts only if the user chose it
//! for this save, or trusts the file ([`Gate`](super::trust::Gate)).

use crate::cli::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

use crate::message::Digest;
use crate::mind::Minds;
use crate::save::Slot;
use crate::session::{Batch, Game, Session};
use crate::trust::{Demanding, Untrusted};
use bevy_ecs::prelude::World;
use serde::{Deserialize, Serialize};

use super::loader;
use super::saved::Saved;
use super::settings::{IMPROVISER, OFF, Origin, Setting};
use super::shell::shell_quoted;
use super::trust::TrustList;

/// A task that a team was given, which is kept here until its journal has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LastTask {
    pub(crate) text: String,
    /// The number of the run that it begins.
    pub(crate) run: u32,
}

/// With what a save is played, beside the settings of the program.
#[derive(Default)]
pub(crate) struct PlayedWith {
    /// The models that single players have.
    pub(crate) player_models: BTreeSet<String>,
    pub(crate) task: Option<LastTask>,
}

impl From<BTreeSet<String>> for PlayedWith {
    fn from(player_models: BTreeSet<String>) -> Self {
        Self {
            player_models,
            task: None,
        }
    }
}

/// The version of the settings of a save.
const FORMAT: u32 = 1;

/// What a save is played with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SlotSettings {
    /// The version of the format. Who writes the file by hand may leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<u32>,
    /// The last task of a team.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<LastTask>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The model that makes vectors for recall.
    #[serde(skip_serializing_if = "Option::is_none")]
    embeddings: Option<String>,
    /// The models that single players have (`--model-of`).
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    player_models: BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seat: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_cost: Option<f64>,
    /// The digest of the others, which tells damage. Who writes the file by hand leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<String>,
}

impl Demanding for SlotSettings {
    fn demands(&self, known: &Self) -> Vec<UiText> {
        let Self {
            model,
            embeddings,
            player_models,
            task: _,
            seat: _,
            max_calls: _,
            max_tokens: _,
            max_cost: _,
            format: _,
            sum: _,
        } = self;
        let models: BTreeSet<_> = model.iter().chain(player_models).collect();
        let is_new = |model: &&String| *model != IMPROVISER && known.model.as_ref() != Some(model);
        let models = models.into_iter().filter(is_new);
        let vectors = embeddings
            .iter()
            .filter(|model| *model != OFF && known.embeddings.as_ref() != Some(model));
        models
            .chain(vectors)
            .map(|model| text!(cli_trust_slot_model, model))
            .collect()
    }
}

impl SlotSettings {
    /// The settings in a text, which may come from anybody.
    pub(crate) fn read(path: &Path, text: &str) -> Result<Self> {
        let damaged = |problem| {
            let error = CommandError::new(ErrorKind::Save, problem).at(path.display());
            error.help(text!(cli_slot_settings_help))
        };
        let read = serde_json::from_str::<Self>(text).map_err(|error| damaged(error.text()));
        let mut settings = read?;
        if let Some(found) = settings.format.filter(|found| *found > FORMAT) {
            return Err(damaged(text!(save_newer, found, newest = FORMAT)));
        }
        let sum = settings.sum.take();
        if sum.is_some_and(|sum| sum != settings.own_sum()) {
            return Err(damaged(text!(cli_settings_changed)));
        }
        Ok(settings)
    }

    fn own_sum(&self) -> String {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        Digest::of(&bytes).to_string()
    }

    /// What the command was told, and what the save was played with before. Other settings are
    /// those of the user, and may change.
    fn of(app: &App, played_with: PlayedWith) -> Self {
        fn own<T: Clone>(setting: &Setting<T>) -> Option<T> {
            let is_own = [Origin::Flag, Origin::Save].contains(&setting.origin);
            is_own.then(|| setting.value.clone())
        }
        let settings = &app.settings;
        Self {
            model: Some(settings.model.value.clone()),
            embeddings: own(&settings.embeddings),
            player_models: played_with.player_models,
            task: played_with.task,
            seat: settings.seat.value.clone(),
            max_calls: own(&settings.max_calls).flatten(),
            max_tokens: own(&settings.max_tokens).flatten(),
            max_cost: own(&settings.max_cost).flatten(),
            format: None,
            sum: None,
        }
    }

    /// As the options that would choose the same.
    fn options(&self) -> Vec<String> {
        fn option<T: ToString>(name: &str, value: Option<T>) -> Option<String> {
            Some(format!("--{name} {}", value?.to_string()))
        }
        let model = self.model.as_ref().filter(|model| *model != IMPROVISER);
        let options = [
            option("model", model),
            option("embeddings", self.embeddings.as_ref()),
            option("seat", self.seat.as_ref()),
            option("max-calls", self.max_calls),
            option("max-tokens", self.max_tokens),
            option("max-cost", self.max_cost),
        ];
        options.into_iter().flatten().collect()
    }

    /// The settings of a save, with their text; `None` if it has none.
    fn of_slot(slot: &Slot) -> Result<Option<(Self, String)>> {
        let Some(bytes) = slot.read_settings()? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Some((Self::read(&slot.settings_file(), &text)?, text)))
    }

    fn to_text(&self) -> String {
        let own = Self {
            format: Some(FORMAT),
            ..self.clone()
        };
        let sum = Some(own.own_sum());
        serde_json::to_string_pretty(&Self { sum, ..own }).unwrap_or_default() + "\n"
    }
}

/// The model with which a save is played, for those who only want to know.
pub(crate) fn model(slot: &Slot) -> Result<Option<String>> {
    let settings = SlotSettings::of_slot(slot)?;
    Ok(settings.and_then(|(settings, _)| settings.model))
}

/// Why the settings of a save can't be read.
pub(crate) fn damage(slot: &Slot) -> Option<UiText> {
    let error = SlotSettings::of_slot(slot).err()?;
    Some(text!(
        cli_settings_damaged,
        problem = error.message.unwrap_or_default()
    ))
}

/// The last task of a team's save, if it keeps one.
pub(crate) fn last_task(slot: &Slot) -> Result<Option<LastTask>> {
    let settings = SlotSettings::of_slot(slot)?;
    Ok(settings.and_then(|(settings, _)| settings.task))
}

/// Starts a story in a new slot, whose folder says from the beginning with what it is played.
pub(crate) fn start(
    app: &App,
    name: &str,
    game: &dyn Game,
    seed: u64,
    minds: Minds,
    played_with: impl Into<PlayedWith>,
) -> Result<Session> {
    let settings = SlotSettings::of(app, played_with.into());
    let text = settings.to_text();
    let root = &app.settings.saves.value;
    let session = Session::start_with(root, name, game, seed, minds, Some(text.as_bytes()))?;
    trust(app, session.slot(), settings, &text)?;
    Ok(session)
}

/// Keeps with what this save is played.
pub(crate) fn remember(app: &App, name: &str, played_with: impl Into<PlayedWith>) -> Result<()> {
    let settings = SlotSettings::of(app, played_with.into());
    let text = settings.to_text();
    let slot = Slot::find(&app.settings.saves.value, name)?;
    if slot.read_settings()?.as_deref() != Some(text.as_bytes()) {
        slot.write_settings(text.as_bytes())?;
    }
    trust(app, &slot, settings, &text)
}

/// Trusts the settings of a save: the user chose its models just now.
fn trust(app: &App, slot: &Slot, settings: SlotSettings, text: &str) -> Result<()> {
    let needs_trust = !settings.demands(&SlotSettings::default()).is_empty();
    if needs_trust && let Some(folder) = app.config_folder() {
        let (path, file) = (slot.settings_file(), Untrusted::new(settings, text));
        let mut list = TrustList::read(Some(folder))?;
        if list.hash_of(&path) != Some(file.hash()) {
            list.add(&path, file.hash())?;
            list.write(Some(folder))?;
        }
    }
    Ok(())
}

/// Adds models that the user chose just now for single entities of a save. They are trusted if what
/// else its settings want is.
pub(crate) fn give_models(
    app: &App,
    slot: &Slot,
    models: impl IntoIterator<Item = String>,
) -> Result<()> {
    let path = slot.settings_file();
    let (mut settings, before) = match SlotSettings::of_slot(slot)? {
        Some((settings, text)) => (settings, Some(text)),
        None => Default::default(),
    };
    let was_harmless = settings.demands(&SlotSettings::default()).is_empty();
    settings.player_models.extend(models);
    let text = settings.to_text();
    let Some(folder) = app.config_folder() else {
        return slot
            .write_settings(text.as_bytes())
            .map_err(CommandError::from);
    };
    let mut list = TrustList::read(Some(folder))?;
    let trusted = list.hash_of(&path).map(str::to_owned);
    let before = before.map(|text| Untrusted::new((), &text).hash().to_owned());
    slot.write_settings(text.as_bytes())?;
    if was_harmless || (trusted.is_some() && trusted == before) {
        list.add(&path, Untrusted::new(settings, &text).hash())?;
        list.write(Some(folder))?;
    }
    Ok(())
}

/// The models that answer for single entities of a save's world. One that the save alone names is
/// refused unless the user chose it for this save: a save may come from anybody.
pub(crate) fn check_models(
    app: &App,
    saved: &Saved,
    world: &mut World,
) -> Result<BTreeSet<String>> {
    let in_data = saved.played.asked_models(app);
    let preferred = loader::preferences(world);
    let preferred = preferred.iter().map(|model| &**model).collect();
    let mut models = saved.given_models();
    models.extend(loader::asked_models(app, preferred));
    models.extend(in_data.iter().cloned());
    let is_of_save = |model: &&String| saved.carries_data || !in_data.contains(*model);
    let of_save = models.iter().filter(is_of_save).cloned().collect();
    check_player_models(app, &saved.slot, &of_save)?;
    Ok(models)
}

/// Refuses models of players that the settings of a save, which [`recall`] has admitted, don't
/// name: the journal names them too, and may come from anybody.
pub(crate) fn check_player_models(app: &App, slot: &Slot, models: &BTreeSet<String>) -> Result<()> {
    let path = slot.settings_file();
    let settings = SlotSettings::of_slot(slot)?.unwrap_or_default().0;
    let own = [IMPROVISER, &app.settings.model.value];
    let mut models = models.difference(&settings.player_models);
    match models.find(|model| !own.contains(&model.as_str())) {
        None => Ok(()),
        Some(model) => {
            let message = text!(cli_trust_slot_model, model);
            let error = CommandError::usage(message);
            let file = shell_quoted(&path);
            Err(error.help(text!(cli_trust_slot_unnamed, path, file, model)))
        }
    }
}

/// Takes over what a save was played with before, except for what the command was told.
pub(crate) fn recall(app: &mut App, name: &str, no_seat: bool) -> Result<()> {
    let Ok(slot) = Slot::find(&app.settings.saves.value, name) else {
        // The command says so.
        return Ok(());
    };
    let Some((mut recalled, text)) = SlotSettings::of_slot(&slot)? else {
        return confirm_model(app, name);
    };
    let path = slot.settings_file();
    if app.settings.model.origin == Origin::Flag {
        recalled.model = None;
    }
    if app.settings.embeddings.origin == Origin::Flag {
        recalled.embeddings = None;
    }
    if app.settings.seat.value.is_some() || no_seat {
        recalled.seat = None;
    }
    let known = SlotSettings {
        model: Some(app.settings.model.value.clone()),
        embeddings: Some(app.settings.embeddings.value.clone()),
        ..SlotSettings::default()
    };
    let file = Untrusted::new(recalled, &text);
    let recalled = app.gate().admit(file, &path, &known).map_err(|error| {
        let file = shell_quoted(&path);
        error.help(text!(cli_trust_slot_help, file))
    })?;
    apply(app, recalled);
    Ok(())
}

/// Takes over what a story was submitted with. Whoever may write into a store may spend what its
/// workers may.
#[cfg(feature = "cluster")]
pub(crate) fn take_over(app: &mut App, slot: &Slot) -> Result<()> {
    if let Some((settings, _)) = SlotSettings::of_slot(slot)? {
        apply(app, settings);
    }
    Ok(())
}

/// With what a story is submitted, whose players have these models.
#[cfg(feature = "cluster")]
pub(crate) fn text(app: &App, player_models: BTreeSet<String>) -> String {
    SlotSettings::of(app, player_models.into()).to_text()
}

/// Asks whether a save that does not say with what it is played goes on with the model that counts
/// now, unless the user named that.
fn confirm_model(app: &App, slot: &str) -> Result<()> {
    let model = &app.settings.model;
    let is_batch = Batch::exists(&app.settings.saves.value, slot);
    if is_batch || model.origin == Origin::Flag {
        return Ok(());
    }
    let model = &*model.value;
    if app.confirm(&say!(app.language, cli_no_settings_question, slot, model)) == Some(true) {
        return Ok(());
    }
    let error = CommandError::usage(text!(cli_no_settings, slot, model));
    Err(error.help(text!(cli_no_settings_help, model)))
}

/// Trusts what a save is played with in one that branches from it.
pub(crate) fn copy_trust(app: &App, from: &Slot, to: &Slot) -> Result<()> {
    let mut list = TrustList::read(app.config_folder())?;
    let trusted = list.hash_of(&from.settings_file()).map(str::to_owned);
    if let Some(hash) = trusted {
        list.add(&to.settings_file(), &hash)?;
        list.write(app.config_folder())?;
    }
    Ok(())
}

fn apply(app: &mut App, mut recalled: SlotSettings) {
    let settings = &mut app.settings;
    take(&mut settings.model, recalled.model.clone());
    take(&mut settings.embeddings, recalled.embeddings.clone());
    take(&mut settings.seat, recalled.seat.clone().map(Some));
    take_limit(&mut settings.max_calls, &mut recalled.max_calls);
    take_limit(&mut settings.max_tokens, &mut recalled.max_tokens);
    take_limit(&mut settings.max_cost, &mut recalled.max_cost);
    let options = recalled.options();
    if !options.is_empty() && app.prints_text() {
        let options = Argument::list(options);
        app.err().line(say!(app.language, cli_recalled, options));
    }
}

fn take<T>(setting: &mut Setting<T>, recalled: Option<T>) {
    if let Some(value) = recalled {
        *setting = saved(value);
    }
}

/// A limit of the command counts; else the lower one of the save's and the user's own.
fn take_limit<T: PartialOrd + Copy>(limit: &mut Setting<Option<T>>, recalled: &mut Option<T>) {
    let is_lower = match (limit.value, *recalled) {
        (Some(own), Some(recalled)) => limit.origin != Origin::Flag && recalled < own,
        (None, Some(_)) => true,
        (_, None) => false,
    };
    if is_lower {
        *limit = saved(*recalled);
    } else {
        *recalled = None;
    }
}

fn saved<T>(value: T) -> Setting<T> {
    Setting {
        value,
        origin: Origin::Save,
    }
}

/// The settings of a save, if that is what the file at this path is.
pub(crate) fn is_slot_settings(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == Slot::SETTINGS)
}
