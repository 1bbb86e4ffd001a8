import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { type EventStream, openStream, type StreamEvent } from '../platform/http/sse.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import type { Principal } from '../principal/principal.js';
import type { StreamSlot } from './key-usage.service.js';
import { RateLimitsService } from './rate-limits.service.js';
import { isTerminal } from './task.entity.js';
import type { TaskUpdate } from './task-feed.service.js';
import { TasksService, type TaskView } from './tasks.service.js';

const revalidateMs = 5000;

interface TaskStreamOptions {
  task: TaskView;
  /** The number of the last event that the reader has seen. */
  after: number;
  slot: StreamSlot;
  /** What the reader is told before any update. */
  first?: StreamEvent;
  onWire(update: TaskUpdate): StreamEvent | StreamEvent[];
  /** The stream ends with it; left out: when the task does. */
  isLast?(update: TaskUpdate): boolean;
  /** Asked every five seconds, since a stream may last for days, and what opened it may not. */
  hasEnded(): Promise<boolean>;
}

/** Streams of a task's numbered updates, through every door. A reader that is slow or gone is let go; the task does not notice. */
@Injectable()
export class TaskStreamsService {
  constructor(
    private readonly tasks: TasksService,
    private readonly limits: RateLimitsService,
    private readonly log: LogService,
    private readonly config: Config,
    private readonly metrics: MetricsService,
  ) {}

  /** Before anything is changed: a stream that may not be opened must not leave a task behind. */
  reserve(principal: Principal): StreamSlot {
    return this.limits.openStream(principal);
  }

  open(
    principal: Principal,
    {
      task,
      after,
      slot,
      first,
      onWire,
      isLast = ({ status }) => isTerminal(status.state),
      hasEnded,
    }: TaskStreamOptions,
    request: Request,
    response: Response,
  ): void {
    if (response.closed) return slot.release(); // the reader did not wait for the first byte
    const stream = openStream(request, response, this.config.stream);
    this.metrics.streams.inc();
    const rechecks = setInterval(() => void this.revalidate(stream, hasEnded), revalidateMs);
    stream.onClose(() => {
      clearInterval(rechecks);
      slot.release();
      this.metrics.streams.dec();
    });
    if (first) stream.send(first);
    const feed = this.tasks.follow(principal, task, after, (update) => {
      for (const event of [onWire(update)].flat()) stream.send(event);
      if (isLast(update)) stream.close();
    });
    stream.onClose(() => feed.close());
    const hasSeenAll = after >= task.number && isLast({ ...task, artifacts: task.artifacts ?? null });
    if (hasSeenAll) stream.close();
    if (!stream.isOpen) feed.close(); // it may have been closed before it could be told so
  }

  private async revalidate(stream: EventStream, hasEnded: TaskStreamOptions['hasEnded']): Promise<void> {
    try {
      if (await hasEnded()) stream.close();
    } catch (error) {
      this.log.warn({ err: error }, 'who reads a stream could not be checked; it is checked again');
    }
  }
}
