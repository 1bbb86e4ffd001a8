import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { KeysService } from '../configurations/keys.service.js';
import { rateLimited } from '../platform/errors/general.error.js';
import { type EventStream, openStream } from '../platform/http/sse.js';
import { Log } from '../platform/telemetry/log.service.js';
import { Config } from '../platform/config/config.js';
import { Metrics } from '../platform/telemetry/metrics.service.js';
import type { Principal } from '../principal/principal.js';
import { KeyUsage } from '../tasks/key-usage.service.js';
import { isTerminal } from '../tasks/task.entity.js';
import { TasksService, type TaskView } from '../tasks/tasks.service.js';
import { InFlight } from './in-flight.service.js';
import { updateOnWire } from './wire.js';

const recheckMs = 5000;

/** Streams of a task's numbered updates. A reader that is slow or gone is let go; the task does not notice. */
@Injectable()
export class TaskStreams {
  constructor(
    private readonly tasks: TasksService,
    private readonly usage: KeyUsage,
    private readonly inFlight: InFlight,
    private readonly keys: KeysService,
    private readonly log: Log,
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  /** Before anything is changed: a stream that may not be opened must not leave a task behind. */
  reserve(principal: Principal): { release(): void } {
    const slot = this.usage.openStream(principal, this.config.limits.streams);
    if (!slot) {
      throw rateLimited(`A key has at most ${this.config.limits.streams} streams open.`, {
        headers: { 'Retry-After': '5' },
      });
    }
    return slot;
  }

  open(
    principal: Principal,
    task: TaskView,
    after: number,
    slot: { release(): void },
    request: Request,
    response: Response,
  ): void {
    if (response.closed) return slot.release(); // the reader did not wait for the first byte
    const stream = openStream(request, response, this.config.stream);
    this.inFlight.leave(response);
    this.metrics.streams.inc();
    const rechecks = setInterval(() => void this.recheck(principal, stream), recheckMs);
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
    const hasSeenAll = isTerminal(task.status.state) && after >= task.number;
    if (hasSeenAll) stream.close();
    if (!stream.isOpen) feed.close(); // it may have been closed before it could be told so
  }

  /** A stream may last for days; the key that opened it may not. */
  private async recheck(principal: Principal, stream: EventStream): Promise<void> {
    try {
      if (await this.keys.whyClosed(principal)) stream.close();
    } catch (error) {
      this.log.warn({ err: error }, 'the key of a stream could not be checked; it is checked again');
    }
  }
}
