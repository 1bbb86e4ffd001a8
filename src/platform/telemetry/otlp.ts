import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Config } from '../config/config.js';

/** Traces leave the process only when the operator named an OTLP endpoint. Returns what ends the export. */
export function startTracing(config: Config): () => Promise<void> {
  if (!config.otlpEndpoint) return async () => undefined;
  const exporter = new OTLPTraceExporter({ url: `${config.otlpEndpoint}/v1/traces` });
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
  return () => provider.shutdown();
}
