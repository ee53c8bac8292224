//! Minds that are models behind servers, for the stories of `playhouse-engine`.
//!
//! ```
//! use playhouse_engine::prelude::*;
//! use playhouse_llm::models::Models;
//!
//! # use std::io::{BufRead, BufReader, Read, Write};
//! # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
//! # let address = format!("http://{}", listener.local_addr()?);
//! # std::thread::spawn(move || {
//! #     for stream in listener.incoming().flatten() {
//! #         let (mut reader, mut line, mut length) = (BufReader::new(&stream), String::new(), 0);
//! #         while reader.read_line(&mut line).unwrap_or(0) > 2 {
//! #             let header = line.to_lowercase();
//! #             let value = header.strip_prefix("content-length:");
//! #             length = value.map_or(length, |value| value.trim().parse().unwrap_or(0));
//! #             line.clear();
//! #         }
//! #         let _ = reader.read_exact(&mut vec![0; length]);
//! #         let delta = r#"{"choices":[{"delta":{"content":"Hm."},"finish_reason":"stop"}]}"#;
//! #         let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream";
//! #         let _ = write!(&stream, "{head}\r\n\r\ndata: {delta}\n\ndata: [DONE]\n\n");
//! #     }
//! # });
//! # let env = |name: &str| (name == "OPENAI_BASE_URL").then(|| address.clone());
//! # #[cfg(any())]
//! let env = |name: &str| std::env::var(name).ok(); // keys, and OPENAI_BASE_URL
//! let mind = Models::shipped(&env)?.mind("some-model")?; // an alias, PROVIDER/MODEL, or as here
//! # fn ask(actors: Query<(Entity, &Kind)>, mut commands: Commands) {
//! #     for (actor, _) in actors.iter().filter(|(_, kind)| **kind == Kind::Actor) {
//! #         let ask = Ask::new("greet", "Say hello.", ProseRules::default(), Prose("…".into()));
//! #         commands.entity(actor).insert(ask);
//! #     }
//! # }
//! # #[derive(Resource, Default)]
//! # struct Said(Vec<String>);
//! # fn take(mut answers: Answers<Prose>, mut said: ResMut<Said>) {
//! #     said.0.extend(answers.take().into_iter().map(|(_, prose, _)| prose.0));
//! # }
//! # let mut setup = Setup::new(1);
//! # setup.world.init_resource::<Said>();
//! # setup.meet.add_systems(ask.in_set(MeetSet::Rules));
//! # setup.step.add_systems(take.in_set(StepSet::Take));
//! # setup.spawn_stage("Hall", "You are a hall.")?;
//! # setup.spawn_actor("Ida", "Hall", "You are Ida.")?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let mut engine = Engine::in_memory(setup, Minds::all(mind))?;
//! engine.settings.limits.calls = Some(100);
//! # runtime.block_on(async {
//! engine.run(Some(1)).await?;
//! # Ok::<(), EngineError>(())
//! # })?;
//! # assert_eq!(engine.world.resource::<Said>().0, ["Hm."]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`models`] reads a file that names models and servers, and makes minds of them; [`http`] has the
//! minds themselves, which speak the APIs of all usual providers; [`survey`] finds out what an
//! unknown server can do. Start reading at [`models::Models`].

pub mod http;
pub mod http_client;
pub mod models;
pub mod survey;
