//! Real servers, each in a folder of its own.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use playhouse_cluster::{JetStreamStore, Store};
use tempfile::TempDir;

/// Debian has it where only the system's own programs are looked for.
const PROGRAMS: [&str; 2] = ["nats-server", "/usr/sbin/nats-server"];

fn program() -> &'static str {
    let runs = |program: &&&str| {
        let asked = Command::new(program).arg("--version").output();
        asked.is_ok_and(|output| output.status.success())
    };
    let found = PROGRAMS.iter().find(runs);
    found.unwrap_or_else(|| panic!("nats-server is missing"))
}

/// Servers that form a cluster; a single one is alone. They end with this.
pub(crate) struct Nats {
    folder: TempDir,
    nodes: Vec<Node>,
    /// Name and password, if they are asked for.
    login: &'static str,
}

struct Node {
    child: Option<Child>,
    arguments: Vec<String>,
    port: u16,
}

impl Drop for Nats {
    fn drop(&mut self) {
        (0..self.nodes.len()).for_each(|node| self.kill(node));
    }
}

impl Nats {
    pub(crate) fn start(count: usize) -> Self {
        Self::start_with(count, "", "", "")
    }

    /// As [`Self::start`], with more lines of the configuration of JetStream, and of that of the
    /// server, which asks for this login.
    pub(crate) fn start_with(
        count: usize,
        jetstream: &str,
        more: &str,
        login: &'static str,
    ) -> Self {
        let program = program();
        let folder = tempfile::tempdir().unwrap();
        let ports: Vec<_> = (0..count).map(|_| (free_port(), free_port())).collect();
        let routes = ports
            .iter()
            .map(|(_, route)| format!("nats://127.0.0.1:{route}"));
        let routes = routes.collect::<Vec<_>>().join(",");
        let nodes = ports.iter().enumerate().map(|(number, (port, route))| {
            let path = folder.path().join(format!("{number}.conf"));
            let store = folder.path().join(number.to_string());
            let cluster = if count == 1 {
                String::new()
            } else {
                format!(
                    "cluster {{ name: test, listen: \"127.0.0.1:{route}\", routes: [{routes}] }}\n"
                )
            };
            let config = format!(
                "server_name: n{number}\nlisten: \"127.0.0.1:{port}\"\n{cluster}\
                 jetstream {{ store_dir: {store:?}\n{jetstream} }}\n{more}\n"
            );
            std::fs::write(&path, config).unwrap();
            Node {
                child: None,
                arguments: vec![program.into(), "-c".into(), path.display().to_string()],
                port: *port,
            }
        });
        let nodes = nodes.collect();
        let mut nats = Self {
            folder,
            nodes,
            login,
        };
        (0..count).for_each(|node| nats.revive(node));
        nats
    }

    pub(crate) fn kill(&mut self, node: usize) {
        if let Some(mut child) = self.nodes[node].child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) fn revive(&mut self, node: usize) {
        let log = std::fs::File::create(self.folder.path().join(format!("{node}.log"))).unwrap();
        let node = &mut self.nodes[node];
        let (program, arguments) = node.arguments.split_first().unwrap();
        let child = Command::new(program)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        node.child = Some(child.unwrap());
    }

    pub(crate) fn address(&self) -> String {
        self.address_for(self.login)
    }

    pub(crate) fn address_for(&self, login: &str) -> String {
        let addresses = self.nodes.iter();
        let addresses = addresses.map(|node| format!("nats://{login}127.0.0.1:{}", node.port));
        addresses.collect::<Vec<_>>().join(",")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A connection, as soon as the servers are ready.
    pub(crate) fn connect(&self, lease: Duration) -> Arc<dyn Store> {
        let begun = Instant::now();
        loop {
            match JetStreamStore::connect(&self.address(), lease) {
                Ok(store) => return Arc::new(store),
                Err(error) if begun.elapsed() > Duration::from_secs(60) => panic!("{error}"),
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
