import type { Config } from '../config/config.js';

/**
 * Exports traces if the operator has set an OTLP endpoint; otherwise the exporter is not loaded. Returns a shutdown
 * function.
 */
export async function startTracing(config: Config): Promise<() => Promise<void>> {
  if (!config.otlpEndpoint) return async () => undefined;
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const exporter = new OTLPTraceExporter({ url: `${config.otlpEndpoint}/v1/traces` });
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  provider.register();
  return () => provider.shutdown();
}
