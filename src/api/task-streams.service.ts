import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Recheck } from '../access/recheck.service.js';
import { Config } from '../platform/config/config.js';
import { invalidRequest, rateLimited } from '../platform/errors/general.error.js';
import { type EventStream, openStream } from '../platform/http/sse.js';
import { Log } from '../platform/telemetry/log.service.js';
import { Metrics } from '../platform/telemetry/metrics.service.js';
import type { Principal } from '../principal/principal.js';
import { KeyUsage } from '../tasks/key-usage.service.js';
import { isTerminal } from '../tasks/task.entity.js';
import { TasksService, type TaskView } from '../tasks/tasks.service.js';
import { updateOnWire } from './tasks.wire.js';

const recheckMs = 5000;

/** Streams of a task's numbered updates. A reader that is slow or gone is let go; the task does not notice. */
@Injectable()
export class TaskStreams {
  constructor(
    private readonly tasks: TasksService,
    private readonly usage: KeyUsage,
    private readonly recheck: Recheck,
    private readonly log: Log,
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  open(principal: Principal, task: TaskView, after: number, request: Request, response: Response): void {
    if (request.method === 'HEAD') return void response.type('text/event-stream').end();
    const slot = this.reserve(principal);
    if (response.closed) return slot.release(); // the reader did not wait for the first byte
    const stream = openStream(request, response, this.config.stream);
    this.metrics.streams.inc();
    const rechecks = setInterval(() => void this.close(principal, stream), recheckMs);
    stream.onClose(() => {
      clearInterval(rechecks);
      slot.release();
      this.metrics.streams.dec();
    });
    const feed = this.tasks.follow(principal, task, after, (update) => {
      stream.send(updateOnWire(task.id, update));
      if (isTerminal(update.status.state)) stream.close();
    });
    stream.onClose(() => feed.close());
    if (isTerminal(task.status.state) && after >= task.number) stream.close();
    if (!stream.isOpen) feed.close(); // it may have been closed before it could be told so
  }

  private reserve(principal: Principal): { release(): void } {
    const { streams } = this.config.limits;
    const slot = this.usage.openStream(principal, streams);
    if (slot) return slot;
    throw rateLimited(`A person has at most ${streams} streams open through one product.`, {
      headers: { 'Retry-After': '5' },
    });
  }

  /** A stream may last for days; what the person agreed to may not. */
  private async close(principal: Principal, stream: EventStream): Promise<void> {
    try {
      if (await this.recheck.check(principal)) stream.close();
    } catch (error) {
      this.log.warn({ err: error }, 'who reads a stream could not be checked; it is checked again');
    }
  }
}

/** The number of the last event that a reader has seen; see the HTML standard, section 9.2.4. */
export function lastEventId(request: Request): number {
  const given = request.get('Last-Event-ID');
  if (given === undefined || given === '') return 0;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw invalidRequest('Last-Event-ID is the number of an event.', {
    errors: [{ pointer: '/Last-Event-ID', detail: 'not a number' }],
  });
}
