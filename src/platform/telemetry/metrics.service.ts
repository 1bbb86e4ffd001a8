import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { observeIsolation } from '../isolation/isolated-workers.js';

/** Prometheus metrics, served on the internal port only. */
@Injectable()
export class MetricsService {
  readonly registry = new Registry();

  readonly requests = new Histogram({
    name: 'countersign_http_request_seconds',
    help: 'Time from request to response, by route pattern and status class',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [this.registry],
  });
  readonly calls = new Counter({
    name: 'countersign_tool_calls_total',
    help: 'Tool calls by surface and outcome',
    labelNames: ['surface', 'outcome'],
    registers: [this.registry],
  });
  readonly tasks = new Counter({
    name: 'countersign_tasks_total',
    help: 'Tasks by the state they entered',
    labelNames: ['state'],
    registers: [this.registry],
  });
  readonly streams = new Gauge({
    name: 'countersign_open_streams',
    help: 'Open event streams',
    registers: [this.registry],
  });

  readonly isolatedRuns = new Counter({
    name: 'countersign_isolated_runs_total',
    help: 'Runs of foreign input in worker processes, by job and outcome',
    labelNames: ['job', 'outcome'],
    registers: [this.registry],
  });

  readonly quarantined = new Counter({
    name: 'countersign_quarantined_total',
    help: 'Files, documents and jobs that were quarantined after they crashed two processes, by kind',
    labelNames: ['kind'],
    registers: [this.registry],
  });

  constructor() {
    observeIsolation((job, outcome) => this.isolatedRuns.inc({ job, outcome }));
    collectDefaultMetrics({ register: this.registry });
  }
}
