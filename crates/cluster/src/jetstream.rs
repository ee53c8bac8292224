//! A store in NATS JetStream, for any number of machines.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_nats::header::NATS_EXPECTED_LAST_SUBJECT_SEQUENCE;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull, push};
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{
    self, DiscardPolicy, RawMessageError, RawMessageErrorKind, RetentionPolicy, Stream,
};
use async_nats::jetstream::{AckKind, Context, Message, kv};
use async_nats::{ConnectOptions, HeaderMap, ServerAddr};
use futures_executor::block_on;
use futures_util::{StreamExt, TryStreamExt};
use playhouse_engine::save::SlotName;
use tokio::io::AsyncReadExt;
use tokio::runtime::{Builder, Runtime};
use tokio::task::unconstrained;
use tokio::time::timeout;

use crate::store::{decoded, encoded, world_of};
use crate::{Claimed, Lease, Owner, Position, Record, Store, StoreError, TakeInput};

/// How long a worker that says nothing is thought to be alive.
pub const LEASE: Duration = Duration::from_secs(10);
/// How long an answer is waited for.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How long a snapshot or a list may take. The client waits for these without end, also when the
/// node that sent them is gone.
const TRANSFER: Duration = Duration::from_secs(20);
/// The most that one message takes, in bytes; a server takes 1 MiB unless it is told otherwise.
const PART: usize = 1 << 19;
/// How long a list or a snapshot is waited for before it is asked for again, and how often.
const SOON: Duration = Duration::from_millis(500);
const TRIES: usize = 16;
/// How often a claim is tried again while somebody else appends.
const CLAIMS: usize = 100;
/// As many copies are kept as there are servers, but no more than these.
const MOST_COPIES: usize = 3;

const WORLDS: &str = "PLAYHOUSE_WORLDS";
const INPUTS: &str = "PLAYHOUSE_INPUTS";
const QUEUE: &str = "PLAYHOUSE_QUEUE";
const RECORDS: &str = "playhouse_records";
const SNAPSHOTS: &str = "playhouse_snapshots";
/// The subjects of journals, and of the queue: a world is in the place of the star.
const JOURNAL: &str = "playhouse.world.*.journal";
const QUEUED: &str = "playhouse.queue.*";
const WORKERS: &str = "workers";

/// Who wrote a message of a journal.
const OWNER: &str = "Playhouse-Owner";
/// What a message of a journal is.
const KIND: &str = "Playhouse-Kind";

/// Worlds in JetStream. A journal is a subject of one stream, and an append is a message that says
/// which it expects to be the last of its subject. A new owner first appends a message of its own,
/// after which the messages of the last one are refused.
pub struct JetStreamStore {
    connection: Arc<Connection>,
    context: Context,
    worlds: Stream,
    queue: Stream,
    workers: PullConsumer,
    inputs: PullConsumer,
    records: kv::Store,
    snapshots: ObjectStore,
}

/// What lets a connection go on while nobody waits for it; taken when it is dropped.
#[derive(Debug)]
struct Connection(Option<Runtime>);

impl Connection {
    /// What a future comes to, wherever this is called.
    fn wait<T>(&self, what: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        let runtime = self.0.as_ref();
        let runtime = runtime.ok_or_else(|| StoreError::unavailable("closed"))?;
        let _entered = runtime.enter();
        // Whoever calls may be a task, which would not be let go on for ever.
        block_on(unconstrained(what))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Whoever drops it may be within a runtime, which can't wait for another.
        let runtime = self.0.take();
        runtime.into_iter().for_each(Runtime::shutdown_background);
    }
}

/// What a message of a journal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Somebody claims the world. What was not whole before is void.
    Claim,
    /// The beginning of lines, or more of them, of which there is a rest.
    Part,
    /// Lines, or the rest of them.
    Whole,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Claim, Self::Part, Self::Whole];

    fn name(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Part => "part",
            Self::Whole => "whole",
        }
    }

    fn of(message: &StreamMessage) -> Result<Self, StoreError> {
        let name = message.headers.get(KIND).map(|kind| kind.as_str());
        let mut kinds = Self::ALL.into_iter();
        let found = kinds.find(|kind| Some(kind.name()) == name);
        found.ok_or_else(|| StoreError::damaged(&message.subject))
    }
}

impl fmt::Debug for JetStreamStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JetStreamStore").finish_non_exhaustive()
    }
}

impl JetStreamStore {
    /// The store of the servers at these addresses, with commas between them. What it lacks there
    /// is created. A worker that says nothing for the time of the lease is thought to be dead; the
    /// first to connect decides how long that is.
    ///
    /// # Errors
    /// Nobody answers, or the server refuses.
    pub fn connect(addresses: &str, lease: Duration) -> Result<Self, StoreError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("playhouse-store")
            .enable_all()
            .build()
            .map_err(failed)?;
        let connection = Arc::new(Connection(Some(runtime)));
        let addresses: Vec<_> = addresses.split(',').collect();
        connection.wait(Self::find(connection.clone(), &addresses, lease))
    }

    async fn find(
        connection: Arc<Connection>,
        addresses: &[&str],
        lease: Duration,
    ) -> Result<Self, StoreError> {
        let num_replicas = if addresses.len() < MOST_COPIES {
            1
        } else {
            MOST_COPIES
        };
        let addresses = addresses.iter().map(|address| address.parse());
        let addresses: Vec<ServerAddr> = addresses.collect::<Result<_, _>>().map_err(failed)?;
        let mut options = ConnectOptions::new()
            .name("playhouse")
            .connection_timeout(TIMEOUT)
            .request_timeout(Some(TIMEOUT));
        // The client leaves out what an address says of them.
        let logins = addresses
            .iter()
            .map(|known| known.username().zip(known.password()));
        if let Some((user, password)) = logins.flatten().next() {
            options = options.user_and_password(user.into(), password.into());
        }
        let client = options.connect(addresses).await.map_err(failed)?;
        let mut context = async_nats::jetstream::new(client);
        context.set_timeout(TIMEOUT);
        let stream = |name: &str, subject| stream::Config {
            name: name.into(),
            subjects: vec![subject],
            num_replicas,
            ..Default::default()
        };
        let worlds = stream::Config {
            // A full stream refuses what is new, and keeps what is old.
            discard: DiscardPolicy::New,
            deny_delete: true,
            ..stream(WORLDS, JOURNAL.into())
        };
        let queue = stream::Config {
            retention: RetentionPolicy::WorkQueue,
            // A world is on the queue once.
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            ..stream(QUEUE, QUEUED.into())
        };
        let workers = pull::Config {
            durable_name: Some(WORKERS.into()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_deliver: -1,
            max_ack_pending: 1_000_000,
            ..Default::default()
        };
        let inputs = stream::Config {
            retention: RetentionPolicy::WorkQueue,
            // The last that a seat sent counts.
            max_messages_per_subject: 1,
            max_message_size: PART as i32,
            // Whoever sends names the subject of the answer, and could let the server write there.
            no_ack: true,
            ..stream(INPUTS, seat_subject("*", "*", "input"))
        };
        // `create_key_value` asks about the account, and does not understand the answer of 2.9.10.
        let records = stream::Config {
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            deny_delete: true,
            allow_rollup: true,
            ..stream(&format!("KV_{RECORDS}"), format!("$KV.{RECORDS}.>"))
        };
        let snapshots = object_store::Config {
            bucket: SNAPSHOTS.into(),
            num_replicas,
            ..Default::default()
        };
        let inputs = context.get_or_create_stream(inputs).await.map_err(failed)?;
        let queue = context.get_or_create_stream(queue).await.map_err(failed)?;
        context
            .get_or_create_stream(records)
            .await
            .map_err(failed)?;
        let snapshots = match context.get_object_store(SNAPSHOTS).await {
            Ok(snapshots) => snapshots,
            Err(_) => context
                .create_object_store(snapshots)
                .await
                .map_err(failed)?,
        };
        Ok(Self {
            worlds: context.get_or_create_stream(worlds).await.map_err(failed)?,
            inputs: inputs
                .get_or_create_consumer(WORKERS, workers.clone())
                .await
                .map_err(failed)?,
            workers: queue
                .get_or_create_consumer(WORKERS, workers)
                .await
                .map_err(failed)?,
            queue,
            records: context.get_key_value(RECORDS).await.map_err(failed)?,
            snapshots,
            context,
            connection,
        })
    }

    /// The first message of a journal after a position, by the leader of the stream.
    async fn next(
        &self,
        world: &SlotName,
        after: u64,
    ) -> Result<Option<StreamMessage>, StoreError> {
        let asked = self
            .worlds
            .raw_message_builder()
            .sequence(after + 1)
            .next_by_subject(subject(JOURNAL, world));
        found(asked.send().await)
    }

    /// Appends one message right after another. Whether a message of which nothing was heard was
    /// written is seen by what stands there now: it is of this owner, or another's.
    async fn publish(
        &self,
        world: &SlotName,
        owner: &Owner,
        kind: Kind,
        after: u64,
        payload: &[u8],
    ) -> Result<u64, StoreError> {
        let mut headers = HeaderMap::new();
        headers.insert(NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, after.to_string());
        headers.insert(OWNER, owner.as_str());
        headers.insert(KIND, kind.name());
        let message = PublishMessage::build()
            .payload(payload.to_vec().into())
            .headers(headers);
        let error = match self.send(subject(JOURNAL, world), message).await {
            Ok(sequence) => return Ok(sequence),
            Err(error) => error,
        };
        match self.next(world, after).await? {
            Some(message) => match message.headers.get(OWNER) {
                Some(by) if by.as_str() == owner.as_str() => Ok(message.sequence),
                _ => Err(StoreError::Stale),
            },
            None if error.kind() == PublishErrorKind::WrongLastSequence => Err(StoreError::Stale),
            None => Err(refused(&error)),
        }
    }

    async fn send(&self, subject: String, message: PublishMessage) -> Result<u64, PublishError> {
        let ack = self.context.send_publish(subject, message).await?.await?;
        Ok(ack.sequence)
    }

    async fn append_all(
        &self,
        world: &SlotName,
        owner: &Owner,
        mut at: u64,
        lines: &[u8],
    ) -> Result<Position, StoreError> {
        let count = lines.len().div_ceil(PART);
        for (number, part) in lines.chunks(PART).enumerate() {
            let is_last = number + 1 == count;
            let kind = if is_last { Kind::Whole } else { Kind::Part };
            at = self.publish(world, owner, kind, at, part).await?;
        }
        Ok(Position(at))
    }

    /// The lines of a journal after a position, up to a message.
    async fn lines(
        &self,
        world: &SlotName,
        after: Position,
        last: u64,
    ) -> Result<(Vec<u8>, Position), StoreError> {
        let (mut lines, mut parts) = (Vec::new(), Vec::new());
        let (mut whole, mut at) = (after, after.0);
        while at < last
            && let Some(message) = self.next(world, at).await?
        {
            at = message.sequence;
            match Kind::of(&message)? {
                Kind::Claim => parts.clear(),
                Kind::Part => {
                    parts.extend_from_slice(&message.payload);
                    continue;
                }
                Kind::Whole => {
                    lines.append(&mut parts);
                    lines.extend_from_slice(&message.payload);
                }
            }
            whole = Position(at);
        }
        Ok((lines, whole))
    }

    async fn put_on_queue(&self, world: &SlotName) -> Result<(), StoreError> {
        let message = PublishMessage::build();
        match self.send(subject(QUEUED, world), message).await {
            Ok(_) => Ok(()),
            Err(error) => match answer_of(&error) {
                // It is on the queue already.
                Some(answer) if answer.to_string().contains("per subject") => Ok(()),
                _ => Err(refused(&error)),
            },
        }
    }

    fn lease(&self, message: Message) -> JetStreamLease {
        let connection = self.connection.clone();
        JetStreamLease {
            connection,
            message,
        }
    }

    /// What somebody at a seat has sent, if there is anything.
    fn input(&self) -> Result<Option<Message>, StoreError> {
        self.connection.wait(async {
            let asked = self.inputs.fetch().max_messages(1).messages();
            let mut batch = asked.await.map_err(failed)?;
            let taken = timeout(TIMEOUT, batch.next()).await;
            taken.map_err(failed)?.transpose().map_err(failed)
        })
    }
}

impl Store for JetStreamStore {
    fn create(&self, world: &SlotName, journal: &[u8]) -> Result<(), StoreError> {
        let owner = Owner::draw()?;
        self.connection.wait(async {
            match self.append_all(world, &owner, 0, journal).await {
                Err(StoreError::Stale) => {}
                begun => return begun.map(drop),
            }
            let (old, _) = self.lines(world, Position::default(), u64::MAX).await?;
            if old.starts_with(journal) {
                return Ok(());
            }
            let world = world.to_string();
            Err(StoreError::Exists { world })
        })
    }

    fn claim(&self, world: &SlotName, owner: &Owner) -> Result<Claimed, StoreError> {
        self.connection.wait(async {
            for _ in 0..CLAIMS {
                let asked = self.worlds.raw_message_builder();
                let last = asked.last_by_subject(subject(JOURNAL, world)).send().await;
                let last = found(last)?.ok_or_else(|| StoreError::missing(world))?;
                let claim = self.publish(world, owner, Kind::Claim, last.sequence, b"");
                match claim.await {
                    // What comes after it is this owner's, or that of a later one.
                    Ok(own) => {
                        let (journal, at) = self.lines(world, Position::default(), own).await?;
                        return Ok(Claimed { journal, at });
                    }
                    Err(StoreError::Stale) => {}
                    Err(error) => return Err(error),
                }
            }
            Err(StoreError::Stale)
        })
    }

    fn append(
        &self,
        world: &SlotName,
        owner: &Owner,
        at: Position,
        lines: &[u8],
    ) -> Result<Position, StoreError> {
        self.connection
            .wait(self.append_all(world, owner, at.0, lines))
    }

    fn read(&self, world: &SlotName, after: Position) -> Result<(Vec<u8>, Position), StoreError> {
        let read = self.connection.wait(self.lines(world, after, u64::MAX))?;
        if read.1 == Position::default() {
            return Err(StoreError::missing(world));
        }
        Ok(read)
    }

    fn save(&self, world: &SlotName, mut snapshot: &[u8]) -> Result<(), StoreError> {
        let name = encoded(world.as_str());
        self.connection.wait(async {
            let saved = self.snapshots.put(&*name, &mut snapshot);
            let saved = timeout(TRANSFER, saved).await.map_err(failed)?;
            saved.map(drop).map_err(failed)
        })
    }

    fn snapshot(&self, world: &SlotName) -> Result<Option<Vec<u8>>, StoreError> {
        let name = encoded(world.as_str());
        let begun = soon(async || {
            let mut object = self.snapshots.get(&name).await?;
            let mut bytes = Vec::new();
            let read = object.read_buf(&mut bytes).await;
            Ok::<_, object_store::GetError>((object, bytes, read))
        });
        self.connection.wait(async {
            let (mut object, mut bytes) = match begun.await? {
                Ok((object, bytes, Ok(_))) => (object, bytes),
                Err(error) if error.kind() != object_store::GetErrorKind::NotFound => {
                    return Err(failed(error));
                }
                // One that is replaced meanwhile is as good as none.
                _ => return Ok(None),
            };
            let read = timeout(TRANSFER, object.read_to_end(&mut bytes)).await;
            Ok(read.map_err(failed)?.is_ok().then_some(bytes))
        })
    }

    fn record(&self, name: &str) -> Result<Option<Record>, StoreError> {
        self.connection.wait(async {
            let entry = self.records.entry(encoded(name)).await.map_err(failed)?;
            let put = entry.filter(|entry| entry.operation == kv::Operation::Put);
            Ok(put.map(|entry| Record {
                value: entry.value.to_vec(),
                revision: entry.revision,
            }))
        })
    }

    fn write(&self, name: &str, value: &[u8], revision: u64) -> Result<u64, StoreError> {
        let value = value.to_vec().into();
        self.connection.wait(async {
            let written = self.records.update(encoded(name), value, revision).await;
            written.map_err(|error| match error.kind() {
                kv::UpdateErrorKind::WrongLastRevision => StoreError::Stale,
                _ => failed(error),
            })
        })
    }

    /// All records in one go, without a question for each.
    fn records(&self) -> Result<BTreeMap<String, Record>, StoreError> {
        let all = soon(|| {
            let wanted = push::OrderedConfig {
                deliver_subject: self.context.client().new_inbox(),
                ..Default::default()
            };
            self.records.stream.create_consumer(wanted)
        });
        self.connection.wait(async {
            let all = all.await?.map_err(failed)?;
            let count = all.cached_info().num_pending;
            let mut left = count;
            let mut messages = all.messages().await.map_err(failed)?;
            let mut found = BTreeMap::new();
            // What changes meanwhile comes again, of which there may be no end.
            while left > 0 && (found.len() as u64) < count {
                let message = timeout(TRANSFER, messages.try_next()).await;
                let message = message.map_err(failed)?.map_err(failed)?;
                let message = message.ok_or_else(|| StoreError::unavailable("closed"))?;
                let info = message.info().map_err(failed)?;
                left = info.pending;
                let name = message.subject.strip_prefix(&self.records.prefix);
                let Some(name) = name.and_then(decoded) else {
                    continue;
                };
                let record = Record {
                    revision: info.stream_sequence,
                    value: message.message.payload.to_vec(),
                };
                found.insert(name, record);
            }
            Ok(found)
        })
    }

    fn remove(&self, world: &SlotName, records: &[String]) -> Result<(), StoreError> {
        self.connection.wait(async {
            for name in records {
                let subject = format!("{}{}", self.records.prefix, encoded(name));
                purge(&self.records.stream, subject).await?;
            }
            purge(&self.queue, subject(QUEUED, world)).await?;
            purge(&self.worlds, subject(JOURNAL, world)).await?;
            match self.snapshots.delete(encoded(world.as_str())).await {
                Err(error) if error.kind() != object_store::DeleteErrorKind::NotFound => {
                    Err(failed(error))
                }
                _ => Ok(()),
            }
        })
    }

    fn enqueue(&self, world: &SlotName) -> Result<(), StoreError> {
        self.connection.wait(self.put_on_queue(world))
    }

    fn enqueue_anew(&self, world: &SlotName) -> Result<(), StoreError> {
        self.connection.wait(async {
            purge(&self.queue, subject(QUEUED, world)).await?;
            self.put_on_queue(world).await
        })
    }

    fn tell_seat(&self, world: &SlotName, seat: &str, line: &[u8]) -> Result<(), StoreError> {
        let subject = seat_subject(&encoded(world.as_str()), &encoded(seat), "feed");
        let client = self.context.client();
        let told = client.publish(subject, line.to_vec().into());
        self.connection.wait(async { told.await.map_err(failed) })
    }

    fn hear_seats(&self, take: &mut TakeInput<'_>) -> Result<(), StoreError> {
        while let Some(message) = self.input()? {
            let mut parts = message.subject.split('.').skip(2);
            if let [Some(world), Some(seat)] = [(); 2].map(|()| parts.next().and_then(decoded))
                && let Ok(world) = world.parse()
            {
                take(&world, &seat, &message.payload)?;
            }
            self.lease(message).finish()?;
        }
        Ok(())
    }

    fn take(&self, within: Duration) -> Result<Option<(SlotName, Box<dyn Lease>)>, StoreError> {
        let message = self.connection.wait(async {
            let asked = self.workers.batch().max_messages(1).expires(within);
            let mut batch = asked.messages().await.map_err(failed)?;
            let taken = timeout(within + TIMEOUT, batch.next()).await;
            taken.map_err(failed)?.transpose().map_err(failed)
        })?;
        let Some(message) = message else {
            return Ok(None);
        };
        let world = world_of(message.subject.rsplit('.').next().unwrap_or_default())?;
        Ok(Some((world, Box::new(self.lease(message)))))
    }
}

/// Work that was delivered, and is not acknowledged.
#[derive(Debug)]
struct JetStreamLease {
    connection: Arc<Connection>,
    message: Message,
}

impl JetStreamLease {
    fn say(&self, kind: AckKind, is_sure: bool) -> Result<(), StoreError> {
        self.connection.wait(async {
            let said = async {
                if is_sure {
                    self.message.double_ack_with(kind).await
                } else {
                    self.message.ack_with(kind).await
                }
            };
            let said = timeout(TIMEOUT, said).await.map_err(failed)?;
            said.map_err(failed)
        })
    }
}

impl Lease for JetStreamLease {
    fn keep(&self) -> Result<(), StoreError> {
        self.say(AckKind::Progress, false)
    }

    fn give_back(&self, after: Duration) -> Result<(), StoreError> {
        let after = (!after.is_zero()).then_some(after);
        self.say(AckKind::Nak(after), false)
    }

    fn finish(&self) -> Result<(), StoreError> {
        self.say(AckKind::Ack, true)
    }
}

/// A subject of a world.
fn subject(kind: &str, world: &SlotName) -> String {
    kind.replace('*', &encoded(world.as_str()))
}

/// What is sent to a seat (`feed`), or by it (`input`).
fn seat_subject(world: &str, seat: &str, what: &str) -> String {
    format!("playhouse.seat.{world}.{seat}.{what}")
}

/// What comes of a question that a server may give to a node that is gone, of which nothing is
/// heard: it is asked again soon.
async fn soon<F: Future>(ask: impl Fn() -> F) -> Result<F::Output, StoreError> {
    for _ in 1..TRIES {
        if let Ok(answer) = timeout(SOON, ask()).await {
            return Ok(answer);
        }
    }
    timeout(SOON, ask()).await.map_err(failed)
}

/// Removes what a stream has under a subject.
async fn purge(stream: &Stream, subject: String) -> Result<(), StoreError> {
    let purged = stream.purge().filter(subject).await;
    purged.map(drop).map_err(failed)
}

/// A message that was asked for, if there is one.
fn found(
    answer: Result<StreamMessage, RawMessageError>,
) -> Result<Option<StreamMessage>, StoreError> {
    match answer {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// What the server said about a message that it did not take.
fn answer_of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e async_nats::jetstream::Error> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(answer) = error.downcast_ref() {
            return Some(answer);
        }
        cause = error.source();
    }
    None
}

/// Why the server did not take a message.
fn refused(error: &PublishError) -> StoreError {
    use async_nats::jetstream::ErrorCode as Code;
    const FULL: [Code; 5] = [
        Code::ACCOUNT_RESOURCES_EXCEEDED,
        Code::INSUFFICIENT_RESOURCES,
        Code::MEMORY_RESOURCES_EXCEEDED,
        Code::STORAGE_RESOURCES_EXCEEDED,
        Code::STREAM_STORE_FAILED,
    ];
    match answer_of(error) {
        Some(answer) if FULL.contains(&answer.error_code()) => StoreError::Full {
            reason: answer.to_string(),
        },
        Some(answer) => StoreError::unavailable(answer),
        None => StoreError::unavailable(error),
    }
}

fn failed(error: impl fmt::Display) -> StoreError {
    StoreError::unavailable(error)
}
