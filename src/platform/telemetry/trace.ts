import { context, propagation, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api';

const tracer = trace.getTracer('countersign');

/** Runs `run` inside a span; costs next to nothing while no OTLP endpoint is set. */
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

/** The active trace as W3C headers: stored with a task, so that its later turns belong to the request's trace. */
export function traceHeaders(): Record<string, string> {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

export const withTraceContext = <T>(headers: Record<string, string | undefined>, run: () => T): T =>
  context.with(propagation.extract(context.active(), headers), run);
