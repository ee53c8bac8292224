//! OpenTelemetry: the spans of asks, calls and tools, and figures made of them, sent by OTLP.
//!
//! The usual variables say where to, such as `OTEL_EXPORTER_OTLP_ENDPOINT`; without one nothing is
//! sent.

use opentelemetry::metrics::{Counter, Histogram, Meter, MeterProvider};
use opentelemetry::trace::TracerProvider;
use opentelemetry::{Array, Context, KeyValue, Value as Attribute};
use opentelemetry_otlp::{ExporterBuildError, MetricExporter, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::{
    BatchSpanProcessor, SdkTracerProvider, Span, SpanData, SpanProcessor,
};
use std::time::Duration;
use tracing::{Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

use super::env::variable;
use crate::engine::telemetry::{CONTENT, SPANS};
use crate::secrets;

/// The variable that asks for what was said, too.
const WITH_CONTENT: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

/// The attributes that hold what was said.
const SAID: [&str; 4] = [
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
];

/// What sends spans and figures until it is dropped.
pub(crate) struct Telemetry {
    spans: SdkTracerProvider,
    figures: SdkMeterProvider,
    with_content: bool,
}

impl Telemetry {
    /// What the environment asks for; `None` if that is nothing.
    pub(crate) fn from_env() -> Option<Result<Self, ExporterBuildError>> {
        let is_off = variable("OTEL_SDK_DISABLED").is_some_and(|off| off == "true");
        let anywhere = variable("OTEL_EXPORTER_OTLP_ENDPOINT").is_some();
        let wants = |name| !is_off && (anywhere || variable(name).is_some());
        let spans = wants("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let figures = wants("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
        (spans || figures).then(|| Self::new(spans, figures))
    }

    fn new(sends_spans: bool, sends_figures: bool) -> Result<Self, ExporterBuildError> {
        playhouse_llm::http_client::use_ring();
        if let Some(headers) = variable("OTEL_EXPORTER_OTLP_HEADERS") {
            headers.split(['=', ',']).for_each(secrets::remember);
        }
        let with_content = variable(WITH_CONTENT).is_some_and(|asked| asked != "false");
        let resource = Resource::builder();
        let resource = match variable("OTEL_SERVICE_NAME") {
            Some(_) => resource,
            None => resource.with_service_name("playhouse"),
        };
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = resource.with_attribute(version).build();
        let figures = SdkMeterProvider::builder().with_resource(resource.clone());
        let figures = if sends_figures {
            let exporter = MetricExporter::builder().with_http().build()?;
            figures.with_periodic_exporter(exporter).build()
        } else {
            figures.build()
        };
        let batch = if sends_spans {
            let exporter = SpanExporter::builder().with_http().build()?;
            Some(BatchSpanProcessor::builder(exporter).build())
        } else {
            None
        };
        let measured = Measured::new(&figures.meter("playhouse"), batch, with_content);
        let spans = SdkTracerProvider::builder().with_resource(resource);
        Ok(Self {
            spans: spans.with_span_processor(measured).build(),
            figures,
            with_content,
        })
    }

    /// What makes spans of those of the program.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let mut targets = Targets::new().with_target(SPANS, Level::TRACE);
        if !self.with_content {
            targets = targets.with_target(CONTENT, tracing::level_filters::LevelFilter::OFF);
        }
        let layer = tracing_opentelemetry::layer().with_tracer(self.spans.tracer("playhouse"));
        let layer = layer.with_location(false).with_threads(false);
        layer.with_tracked_inactivity(false).with_filter(targets)
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        for sent in [self.spans.shutdown(), self.figures.shutdown()] {
            if let Err(error) = sent {
                tracing::warn!(%error, "not all could be sent to the collector");
            }
        }
    }
}

/// Makes figures of spans that are over, and passes them on as the conventions have them.
#[derive(Debug)]
struct Measured {
    next: Option<BatchSpanProcessor>,
    with_content: bool,
    tokens: Histogram<u64>,
    duration: Histogram<f64>,
    repeated: Histogram<f64>,
    cost: Counter<f64>,
    asks: Counter<u64>,
}

impl Measured {
    fn new(meter: &Meter, next: Option<BatchSpanProcessor>, with_content: bool) -> Self {
        let powers =
            |base: f64, from: f64, count| (0..count).map(|n| from * base.powi(n)).collect();
        Self {
            next,
            with_content,
            tokens: meter
                .u64_histogram("gen_ai.client.token.usage")
                .with_unit("{token}")
                .with_boundaries(powers(4.0, 1.0, 14))
                .build(),
            duration: meter
                .f64_histogram("gen_ai.client.operation.duration")
                .with_unit("s")
                .with_boundaries(powers(2.0, 0.01, 14))
                .build(),
            repeated: meter
                .f64_histogram("playhouse.prompt.repeated_share")
                .with_unit("1")
                .with_boundaries((1..10).map(|tenth| f64::from(tenth) / 10.0).collect())
                .build(),
            cost: meter.f64_counter("playhouse.cost").build(),
            asks: meter
                .u64_counter("playhouse.asks")
                .with_unit("{ask}")
                .build(),
        }
    }

    fn measure(&self, span: &SpanData) {
        let found = |key: &str| {
            let mut attributes = span.attributes.iter();
            attributes.find(|attribute| attribute.key.as_str() == key)
        };
        let labels = |keys: &[&str]| -> Vec<KeyValue> {
            keys.iter().filter_map(|key| found(key).cloned()).collect()
        };
        let number = |key: &str| match found(key)?.value {
            Attribute::I64(number) => Some(number as f64),
            Attribute::F64(number) => Some(number),
            _ => None,
        };
        let asked_for = "playhouse.ask.purpose";
        if found("playhouse.answered_by").is_some() {
            let labels = labels(&["playhouse.answered_by", asked_for, "gen_ai.request.model"]);
            self.asks.add(1, &labels);
            return;
        }
        let mut labels = labels(&[
            "gen_ai.operation.name",
            "gen_ai.provider.name",
            "gen_ai.request.model",
            "gen_ai.tool.name",
            "error.type",
            asked_for,
        ]);
        let length = span.end_time.duration_since(span.start_time);
        self.duration
            .record(length.unwrap_or_default().as_secs_f64(), &labels);
        if let Some(share) = number("playhouse.prompt.repeated_share") {
            self.repeated.record(share, &labels);
        }
        if let Some(cost) = number("playhouse.cost") {
            self.cost.add(cost, &labels);
        }
        for kind in ["input", "output"] {
            if let Some(tokens) = number(&format!("gen_ai.usage.{kind}_tokens")) {
                labels.push(KeyValue::new("gen_ai.token.type", kind));
                self.tokens.record(tokens as u64, &labels);
                labels.pop();
            }
        }
    }
}

impl SpanProcessor for Measured {
    fn on_start(&self, span: &mut Span, context: &Context) {
        if let Some(next) = &self.next {
            next.on_start(span, context);
        }
    }

    fn on_end(&self, mut span: SpanData) {
        self.measure(&span);
        let Some(next) = &self.next else {
            return;
        };
        // A log of everything may have asked for it.
        let is_kept = |key: &str| self.with_content || !SAID.contains(&key);
        span.attributes
            .retain(|attribute| is_kept(attribute.key.as_str()));
        for attribute in &mut span.attributes {
            // Spans of `tracing` have no lists.
            if attribute.key.as_str() == "gen_ai.response.finish_reasons"
                && let Attribute::String(reason) = &attribute.value
            {
                attribute.value = Attribute::Array(Array::String(vec![reason.clone()]));
            }
        }
        next.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.next
            .as_ref()
            .map_or(Ok(()), SpanProcessor::force_flush)
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        let next = self.next.as_ref();
        next.map_or(Ok(()), |next| next.shutdown_with_timeout(timeout))
    }

    fn set_resource(&mut self, resource: &Resource) {
        if let Some(next) = &mut self.next {
            next.set_resource(resource);
        }
    }
}
