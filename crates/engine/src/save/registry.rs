//! Which components and resources are saved, by name.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use bevy_ecs::change_detection::Tick;
use bevy_ecs::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::json::to_raw;

/// A component or resource that can be saved.
pub trait Saveable: Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> Saveable for T {}

#[derive(Clone, Copy)]
pub(super) struct ComponentIo {
    /// The component's JSON, if the entity has it.
    pub(super) write: fn(EntityRef) -> Option<Written>,
    /// Appends the bytes to be hashed, if the entity has the component.
    pub(super) pack: fn(EntityRef, &mut Vec<u8>),
    /// When the component last changed, if the entity has it.
    pub(super) changed: fn(EntityRef) -> Option<Tick>,
    pub(super) read: fn(&mut EntityWorldMut, &RawValue) -> Result<(), ReadError>,
}

#[derive(Clone, Copy)]
pub(super) struct ResourceIo {
    pub(super) write: fn(&World) -> Option<Written>,
    pub(super) pack: fn(&World, &mut Vec<u8>),
    pub(super) read: fn(&mut World, &RawValue) -> Result<(), ReadError>,
}

/// Why a value can't be read, and where in it.
pub(super) type ReadError = serde_path_to_error::Error<serde_json::Error>;

/// A value's JSON, or why it has none.
pub(super) type Written = Result<Box<RawValue>, serde_json::Error>;

/// The components and resources that are saved, each with a permanent name.
#[derive(Resource, Clone, Default)]
pub struct SaveRegistry {
    pub(super) components: BTreeMap<&'static str, ComponentIo>,
    pub(super) resources: BTreeMap<&'static str, ResourceIo>,
    pub(super) after_load: Vec<fn(&mut World)>,
    /// The types that are saved, or need not be.
    known: BTreeSet<TypeId>,
    /// The others that people were told of. Clones share it.
    named: Arc<Mutex<BTreeSet<TypeId>>>,
}

impl SaveRegistry {
    /// Saves a component under this name. Components refer to other entities by `StableId` or name,
    /// never by `Entity`.
    pub fn component<C: Component + Saveable>(&mut self, name: &'static str) -> &mut Self {
        let io = ComponentIo {
            write: |entity| entity.get::<C>().map(to_raw),
            pack: |entity, out| pack(entity.get::<C>(), out),
            changed: |entity| Some(entity.get_ref::<C>()?.last_changed()),
            read: |entity, value| {
                entity.insert(read_json::<C>(value)?);
                Ok(())
            },
        };
        self.components.insert(name, io);
        self.known.insert(TypeId::of::<C>());
        self
    }

    pub fn resource<R: Resource + Saveable>(&mut self, name: &'static str) -> &mut Self {
        let io = ResourceIo {
            write: |world| world.get_resource::<R>().map(to_raw),
            pack: |world, out| pack(world.get_resource::<R>(), out),
            read: |world, value| {
                world.insert_resource(read_json::<R>(value)?);
                Ok(())
            },
        };
        self.resources.insert(name, io);
        self.known.insert(TypeId::of::<R>());
        self
    }

    /// Leaves out a component or a resource that need not be saved: it follows from what is saved,
    /// or matters for a moment only. Saves say nothing of it then; see
    /// [`unsaved`](super::unsaved()).
    pub fn not_saved<T: 'static>(&mut self) -> &mut Self {
        self.known.insert(TypeId::of::<T>());
        self
    }

    /// Whether a type is saved, or need not be.
    pub(super) fn knows(&self, id: TypeId) -> bool {
        self.known.contains(&id)
    }

    /// Whether people are told for the first time that a type is not saved.
    pub(super) fn names_first(&self, id: TypeId) -> bool {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        named.insert(id)
    }

    /// Runs this once a save has been read, for data that follows from what was saved.
    pub fn after_load(&mut self, run: fn(&mut World)) -> &mut Self {
        self.after_load.push(run);
        self
    }
}

/// MessagePack with field names, which is several times as fast as JSON.
fn pack<T: Serialize>(value: Option<&T>, out: &mut Vec<u8>) {
    let mut serializer = rmp_serde::Serializer::new(out).with_struct_map();
    // Writing to a vector can't fail. A value that can't be serialized is hashed as far as it can.
    let _ = value.map(|value| value.serialize(&mut serializer));
}

fn read_json<T: DeserializeOwned>(value: &RawValue) -> Result<T, ReadError> {
    serde_path_to_error::deserialize(value)
}
