//! A server of models on this machine, whose answers a test decides.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::write;

pub(super) enum Reply {
    /// These pieces of an answer, with this time before each.
    Pieces(Vec<String>, Duration),
    /// A call of a tool, with its arguments.
    Tool(String, Value),
    /// A failure with this body.
    Error(String),
    /// A whole response: its status, further headers, and its body.
    Raw(u16, &'static str, String),
}

impl Reply {
    /// An answer that is there at once.
    pub(super) fn at_once(text: impl Into<String>) -> Self {
        Self::Pieces(vec![text.into()], Duration::ZERO)
    }
}

pub(super) struct Request {
    pub(super) path: String,
    /// The lines before its body.
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// Starts a server, and writes `models.ron` with its model `m` into a folder.
pub(super) fn serve_model(folder: &Path, answer: impl Fn(&Value) -> Reply + Send + Sync + 'static) {
    let port = serve(answer);
    write_model(folder, port, "retry: (times: 0, patience: 0)");
}

/// Starts a server; returns its port.
pub(super) fn serve(answer: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> u16 {
    serve_pages(move |_, request| answer(request))
}

/// As [`serve`], for a server that answers by the path, too.
pub(super) fn serve_pages(answer: impl Fn(&str, &Value) -> Reply + Send + Sync + 'static) -> u16 {
    serve_http(move |request| answer(&request.path, &request.json()))
}

/// As [`serve`], for a server that answers by all that it is sent.
pub(super) fn serve_http(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> u16 {
    serve_bytes(move |request, stream| {
        // A program that has ended reads no answer.
        let _ = reply(stream, answer(&request));
    })
}

/// As [`serve`], for a server that writes its answers itself.
pub(super) fn serve_bytes(answer: impl Fn(Request, TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let answer = answer.clone();
            std::thread::spawn(move || answer(request(&stream), stream));
        }
    });
    port
}

/// Writes `models.ron` with a model `m` whose server can't be reached; returns its address.
pub(super) fn unreachable_model(folder: &Path) -> String {
    // A port that was free a moment ago.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    write_model(folder, address.port(), "retry: (times: 0, patience: 0)");
    format!("http://{address}")
}

/// Writes `models.ron` with a model `m` that is served at a port.
pub(super) fn write_model(folder: &Path, port: u16, settings: &str) {
    let model = format!(
        r#"(models: {{"m": (provider: "openai", model: "x", schema: constrained,
            base_url: "http://127.0.0.1:{port}/v1", {settings})}})"#
    );
    write(&folder.join("models.ron"), &model);
}

fn request(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap_or_default() > 2 {}
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length.then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or_default()];
    let _ = reader.read_exact(&mut body);
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    Request { path, head, body }
}

fn reply(mut stream: TcpStream, reply: Reply) -> std::io::Result<()> {
    let (deltas, between) = match reply {
        Reply::Error(body) => {
            let head = "HTTP/1.1 500 Error\r\nconnection: close\r\ncontent-length:";
            return write!(stream, "{head} {}\r\n\r\n{body}", body.len());
        }
        Reply::Raw(status, headers, body) => {
            let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}");
            return write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
        }
        Reply::Pieces(pieces, between) => {
            let pieces = pieces.into_iter().map(|text| json!({"content": text}));
            (pieces.collect(), between)
        }
        Reply::Tool(name, arguments) => {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            let call = json!({"index": 0, "id": "t1", "type": "function", "function": function});
            (vec![json!({"tool_calls": [call]})], Duration::ZERO)
        }
    };
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    for delta in deltas {
        std::thread::sleep(between);
        let event = json!({"choices": [{"index": 0, "delta": delta}]});
        write!(stream, "data: {event}\n\n")?;
        stream.flush()?;
    }
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    write!(stream, "data: {end}\n\ndata: [DONE]\n\n")
}

/// The schema that an answer to a request must fit, if there is one.
pub(super) fn schema_of(request: &Value) -> Option<Value> {
    let format = &request["response_format"]["json_schema"]["schema"];
    if format.is_object() {
        return Some(format.clone());
    }
    let messages = request["messages"].as_array()?;
    let asked = messages.last()?["content"].as_str()?;
    let (_, schema) = asked.rsplit_once("It must fit this JSON schema:\n")?;
    serde_json::from_str(schema.lines().next()?).ok()
}

/// A value that fits a schema, whose texts are given. Of what may be left out it has the first
/// that is in `wanted`.
pub(super) fn fitting(schema: &Value, wanted: &[&str], text: &mut impl FnMut() -> String) -> Value {
    if let Some(values) = schema["enum"].as_array() {
        return values[0].clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str(),
        kind => kind.as_str(),
    };
    match kind {
        Some("object") => {
            let properties = schema["properties"].as_object();
            let Some(properties) = properties else {
                return json!({});
            };
            let required = schema["required"].as_array().into_iter().flatten();
            let mut names: Vec<_> = required.filter_map(Value::as_str).collect();
            let extra = wanted.iter().find(|name| properties.contains_key(**name));
            names.extend(extra);
            let filled = names.into_iter().filter_map(|name| {
                let value = fitting(properties.get(name)?, wanted, text);
                Some((name.to_owned(), value))
            });
            Value::Object(filled.collect::<Map<_, _>>())
        }
        Some("array") => match schema["minItems"].as_u64() {
            Some(1..) => json!([fitting(&schema["items"], wanted, text)]),
            _ => json!([]),
        },
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        _ => text().into(),
    }
}
