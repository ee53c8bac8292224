//! Spans and figures of calls, as a collector gets them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::{Value, json};

use super::model_server::{Reply, serve_http, serve_model};
use super::{Dir, command, err, has, succeed};

/// What a collector got.
#[derive(Clone, Default)]
struct Collected {
    spans: Arc<Mutex<Vec<ExportTraceServiceRequest>>>,
    figures: Arc<Mutex<Vec<ExportMetricsServiceRequest>>>,
}

impl Collected {
    /// A collector on this machine that speaks OTLP over HTTP; also returns its port.
    fn start() -> (Self, u16) {
        let collected = Self::default();
        let collector = collected.clone();
        let port = serve_http(move |request| {
            let head = request.head.to_lowercase();
            has(&head, &["content-type: application/x-protobuf"]);
            if head.starts_with("post /v1/traces ") {
                let sent = ExportTraceServiceRequest::decode(&*request.body).unwrap();
                collector.spans.lock().unwrap().push(sent);
            } else {
                assert!(head.starts_with("post /v1/metrics "), "{head}");
                let sent = ExportMetricsServiceRequest::decode(&*request.body).unwrap();
                collector.figures.lock().unwrap().push(sent);
            }
            let kind = "content-type: application/x-protobuf\r\n";
            Reply::Raw(200, kind, String::new())
        });
        (collected, port)
    }

    fn spans(&self, operation: &str) -> Vec<Span> {
        let sent = self.spans.lock().unwrap();
        let scopes = sent.iter().flat_map(|sent| &sent.resource_spans);
        let spans = scopes.flat_map(|resource| &resource.scope_spans);
        let spans = spans.flat_map(|scope| scope.spans.clone());
        let wanted = json!(operation);
        let is_wanted = |span: &Span| members(&span.attributes)["gen_ai.operation.name"] == wanted;
        spans.filter(is_wanted).collect()
    }

    /// The sum of a figure, or how often it was measured, by the label of this name.
    fn figure(&self, name: &str, label: &str) -> BTreeMap<String, f64> {
        let sent = self.figures.lock().unwrap();
        let last = sent.last().unwrap();
        let scopes = last
            .resource_metrics
            .iter()
            .flat_map(|resource| &resource.scope_metrics);
        let metric = scopes
            .flat_map(|scope| &scope.metrics)
            .find(|metric| metric.name == name);
        let mut found = BTreeMap::new();
        let mut add = |attributes: &[KeyValue], value: f64| {
            let key = members(attributes)[label]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            *found.entry(key).or_default() += value;
        };
        match metric
            .unwrap_or_else(|| panic!("no {name}"))
            .data
            .as_ref()
            .unwrap()
        {
            Data::Histogram(histogram) => {
                for point in &histogram.data_points {
                    add(&point.attributes, point.sum.unwrap());
                }
            }
            Data::Sum(sum) => {
                use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
                for point in &sum.data_points {
                    let value = match point.value.unwrap() {
                        Number::AsDouble(value) => value,
                        Number::AsInt(value) => value as f64,
                    };
                    add(&point.attributes, value);
                }
            }
            other => panic!("{other:?}"),
        }
        found
    }
}

/// Attributes as JSON.
fn members(attributes: &[KeyValue]) -> Value {
    fn json_of(value: Option<&AnyValue>) -> Value {
        match value.and_then(|value| value.value.as_ref()) {
            Some(Any::StringValue(text)) => json!(text),
            Some(Any::IntValue(number)) => json!(number),
            Some(Any::DoubleValue(number)) => json!(number),
            Some(Any::BoolValue(is)) => json!(is),
            Some(Any::ArrayValue(list)) => list
                .values
                .iter()
                .map(|value| json_of(Some(value)))
                .collect(),
            _ => Value::Null,
        }
    }
    let members = attributes.iter();
    let members = members.map(|member| (member.key.clone(), json_of(member.value.as_ref())));
    Value::Object(members.collect())
}

const SLOW: Duration = Duration::from_millis(60);

/// A day whose model takes a while for each answer; returns the collector and what was told.
fn asked(arguments: &str, with_content: bool, words: &str) -> (Collected, String) {
    let folder = &Dir::new();
    succeed(folder, "new mill");
    let delta =
        json!({"choices": [{"index": 0, "delta": {"content": words}, "finish_reason": "stop"}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 40}}});
    let body = format!("data: {delta}\n\ndata: {usage}\n\ndata: [DONE]\n\n");
    serve_model(folder, move |_| {
        std::thread::sleep(SLOW);
        Reply::Raw(200, "content-type: text/event-stream\r\n", body.clone())
    });
    let (collected, port) = Collected::start();
    let play = "run mill --models models.ron --model m --seed 1 --save s --until 1";
    let mut command = command(folder, &format!("{play} {arguments}"));
    let endpoint = format!("http://127.0.0.1:{port}");
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
    if with_content {
        command.env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    }
    let output = command.output().unwrap();
    (collected, err(&output))
}

#[test]
fn each_call_is_a_span_of_its_true_length_within_that_of_its_ask() {
    let (collected, told) = asked("-v --max-defaults 99", false, "A grey morning at the mill.");
    let (calls, asks) = (collected.spans("chat"), collected.spans("invoke_agent"));
    assert!(!calls.is_empty() && !asks.is_empty());
    for call in &calls {
        let length = Duration::from_nanos(call.end_time_unix_nano - call.start_time_unix_nano);
        assert!(length >= SLOW, "{length:?}");
        let ask = asks
            .iter()
            .find(|ask| ask.span_id == call.parent_span_id)
            .unwrap();
        assert!(ask.start_time_unix_nano <= call.start_time_unix_nano);
        assert!(ask.end_time_unix_nano >= call.end_time_unix_nano);
        let said = members(&call.attributes);
        assert_eq!(call.name, "chat x");
        for (member, value) in [
            ("gen_ai.provider.name", json!("openai")),
            ("gen_ai.request.model", json!("x")),
            ("gen_ai.response.finish_reasons", json!(["stop"])),
        ] {
            assert_eq!(said[member], value, "{member}");
        }
        assert_eq!(said["gen_ai.usage.input_tokens"], 100);
        assert_eq!(said["gen_ai.usage.cache_read.input_tokens"], 40);
        assert!(said["playhouse.prompt.repeated_share"].is_number());
        assert!(
            said["gen_ai.input.messages"].is_null() && said["gen_ai.output.messages"].is_null()
        );
        let name = said["gen_ai.agent.name"].as_str().unwrap();
        assert_eq!(members(&ask.attributes)["gen_ai.agent.name"], name);
        assert_eq!(ask.name, format!("invoke_agent {name}"));
    }
    let durations = collected.figure("gen_ai.client.operation.duration", "gen_ai.operation.name");
    assert!(durations["chat"] >= SLOW.as_secs_f64() * calls.len() as f64);
    let tokens = collected.figure("gen_ai.client.token.usage", "gen_ai.token.type");
    let count = calls.len() as f64;
    assert_eq!(
        (tokens["input"], tokens["output"]),
        (100.0 * count, 7.0 * count)
    );
    let answered = collected.figure("playhouse.asks", "playhouse.answered_by");
    assert_eq!(answered.values().sum::<f64>(), asks.len() as f64);
    assert!(answered.keys().all(|by| !by.is_empty()), "{answered:?}");
    has(&told, &["answered", "ms=", "input=", "output="]);
}

#[test]
fn an_answer_is_told_from_one_that_the_model_refused() {
    for (words, by) in [
        ("I'm sorry, but I can't help with that.", "fallback"),
        ("A grey morning at the mill.", "mind"),
    ] {
        let (collected, _) = asked("-q --max-defaults 99", false, words);
        let answered = collected.figure("playhouse.asks", "playhouse.answered_by");
        assert!(answered[by] > 0.0, "{words}: {answered:?}");
    }
}

#[test]
fn what_was_said_is_sent_only_on_request() {
    let (collected, _) = asked("-q --max-defaults 99", true, "A grey morning at the mill.");
    let call = &collected.spans("chat")[0];
    let said = members(&call.attributes);
    let (input, output) = (
        &said["gen_ai.input.messages"],
        &said["gen_ai.output.messages"],
    );
    let input: Value = serde_json::from_str(input.as_str().unwrap()).unwrap();
    assert_eq!(
        (&input[0]["role"], &input[0]["parts"][0]["type"]),
        (&json!("system"), &json!("text"))
    );
    has(
        output.as_str().unwrap(),
        &["A grey morning at the mill.", "assistant"],
    );
}

#[test]
fn a_collector_that_is_away_stops_nothing() {
    let folder = &Dir::new();
    let mut command = command(folder, "run --seed 1 --save s --until 1 -q");
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", err(&output));
}
