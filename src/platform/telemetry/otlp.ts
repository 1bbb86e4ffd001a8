import type { Config } from '../config/config.js';

/** Traces leave the process only when the operator named an OTLP endpoint; only then the exporter is loaded. Returns what ends it. */
export async function startTracing(config: Config): Promise<() => Promise<void>> {
  if (!config.otlpEndpoint) return async () => undefined;
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const exporter = new OTLPTraceExporter({ url: `${config.otlpEndpoint}/v1/traces` });
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
  return () => provider.shutdown();
}
