//! OTLP over HTTP, in protobuf.

use opentelemetry::KeyValue;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use prost::Message as _;

use super::post::Post;

/// Sends `ExportTraceServiceRequest`s.
#[derive(Debug)]
pub(super) struct Exporter {
    post: Post,
    resource: ResourceAttributesWithSchema,
}

impl Exporter {
    pub(super) fn new(post: Post, service: &str, attributes: &[(String, String)]) -> Self {
        let attributes = attributes.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone()));
        let resource = Resource::builder_empty()
            .with_attributes(attributes)
            .with_service_name(service.to_owned())
            .with_attribute(KeyValue::new("telemetry.sdk.name", "opentelemetry"))
            .with_attribute(KeyValue::new("telemetry.sdk.language", "rust"))
            .build();
        Self { post, resource: (&resource).into() }
    }
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let resource_spans = group_spans_by_resource_and_scope(batch, &self.resource);
        self.post.send(ExportTraceServiceRequest { resource_spans }.encode_to_vec()).await
    }
}
