import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { type EventStream, openStream, type StreamEvent } from '../platform/http/sse.js';
import { Log } from '../platform/telemetry/log.service.js';
import { Metrics } from '../platform/telemetry/metrics.service.js';
import type { Principal } from '../principal/principal.js';
import type { StreamSlot } from './key-usage.service.js';
import { RateLimits } from './rate-limits.service.js';
import { isTerminal } from './task.entity.js';
import type { TaskUpdate } from './task-feed.service.js';
import { TasksService, type TaskView } from './tasks.service.js';

const recheckMs = 5000;

interface Followed {
  task: TaskView;
  /** The number of the last event that the reader has seen. */
  after: number;
  slot: StreamSlot;
  onWire(update: TaskUpdate): StreamEvent;
  /** Asked every five seconds, since a stream may last for days, and what opened it may not. */
  hasEnded(): Promise<boolean>;
}

/** Streams of a task's numbered updates, through every door. A reader that is slow or gone is let go; the task does not notice. */
@Injectable()
export class TaskStreams {
  constructor(
    private readonly tasks: TasksService,
    private readonly limits: RateLimits,
    private readonly log: Log,
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  /** Before anything is changed: a stream that may not be opened must not leave a task behind. */
  reserve(principal: Principal): StreamSlot {
    return this.limits.openStream(principal);
  }

  open(
    principal: Principal,
    { task, after, slot, onWire, hasEnded }: Followed,
    request: Request,
    response: Response,
  ): void {
    if (response.closed) return slot.release(); // the reader did not wait for the first byte
    const stream = openStream(request, response, this.config.stream);
    this.metrics.streams.inc();
    const rechecks = setInterval(() => void this.recheck(stream, hasEnded), recheckMs);
    stream.onClose(() => {
      clearInterval(rechecks);
      slot.release();
      this.metrics.streams.dec();
    });
    const feed = this.tasks.follow(principal, task, after, (update) => {
      stream.send(onWire(update));
      if (isTerminal(update.status.state)) stream.close();
    });
    stream.onClose(() => feed.close());
    const hasSeenAll = isTerminal(task.status.state) && after >= task.number;
    if (hasSeenAll) stream.close();
    if (!stream.isOpen) feed.close(); // it may have been closed before it could be told so
  }

  private async recheck(stream: EventStream, hasEnded: Followed['hasEnded']): Promise<void> {
    try {
      if (await hasEnded()) stream.close();
    } catch (error) {
      this.log.warn({ err: error }, 'who reads a stream could not be checked; it is checked again');
    }
  }
}
