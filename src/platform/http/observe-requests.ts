import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { MetricsService } from '../telemetry/metrics.service.js';

const tracer = trace.getTracer('countersign');

/** Measures each request by route pattern (URLs contain ids), and starts its span in the caller's trace. */
export const observeRequests =
  (metrics: MetricsService): RequestHandler =>
  (request: Request, response: Response, next: NextFunction) => {
    const since = performance.now();
    const caller = propagation.extract(context.active(), request.headers);
    const span = tracer.startSpan(`HTTP ${request.method}`, { kind: SpanKind.SERVER }, caller);
    response.once('close', () => {
      const route = routeOf(request);
      const labels = { method: request.method, route, status: `${Math.floor(response.statusCode / 100)}xx` };
      metrics.requests.observe(labels, (performance.now() - since) / 1000);
      span.updateName(`${request.method} ${route}`);
      span.setAttributes({
        'http.request.method': request.method,
        'http.route': route,
        'http.response.status_code': response.statusCode,
      });
      span.end();
    });
    context.with(trace.setSpan(caller, span), next);
  };

function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? request.baseUrl + route.path : 'none';
}
