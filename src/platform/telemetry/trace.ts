import { context, propagation, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api';

const tracer = trace.getTracer('countersign');

/** Runs `run` inside a span. Without an OTLP endpoint, the cost is negligible. */
export function withSpan<T>(name: string, attributes: Attributes, run: (span: Span) => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, { attributes }, async (current) => {
    try {
      return await run(current);
    } catch (error) {
      current.recordException(error as Error);
      current.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      current.end();
    }
  });
}

/** The active trace as W3C headers. A task stores them, so that its later turns belong to the trace of the request. */
export function traceHeaders(): Record<string, string> {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

export const withTraceContext = <T>(headers: Record<string, string | undefined>, run: () => T): T =>
  context.with(propagation.extract(context.active(), headers), run);
