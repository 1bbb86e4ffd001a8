import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { type EventStream, openStream, type StreamEvent } from '../platform/http/sse.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import type { Principal } from '../principal/principal.js';
import type { InFlightSlot } from '../platform/limits/in-flight-limit.js';
import { RateLimitsService } from '../limits/rate-limits.service.js';
import { isTerminal } from './task.entity.js';
import type { TaskUpdate } from './task-feed.service.js';
import { TasksService, type TaskView } from './tasks.service.js';

const revalidateMs = 5000;

interface TaskStreamOptions {
  task: TaskView;
  /** Number of the last event that the reader has received. */
  after: number;
  slot: InFlightSlot;
  /** Sent before any update. */
  first?: StreamEvent;
  onWire(update: TaskUpdate): StreamEvent | StreamEvent[];
  /** The stream ends with this update. Default: the stream ends when the task ends. */
  isLast?(update: TaskUpdate): boolean;
  /** Whether the reader's credential was revoked. Checked every five seconds: a stream may outlive its credential. */
  hasLostAccess(): Promise<boolean>;
}

/**
 * Streams a task's numbered updates, for every protocol. A slow or disconnected reader is dropped without effect on the
 * task.
 */
@Injectable()
export class TaskStreamsService {
  constructor(
    private readonly tasks: TasksService,
    private readonly limits: RateLimitsService,
    private readonly log: LogService,
    private readonly config: Config,
    private readonly metrics: MetricsService,
  ) {}

  /** Call before any change: a stream that cannot be opened must not leave a task behind. */
  reserve(principal: Principal): InFlightSlot {
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
      hasLostAccess,
    }: TaskStreamOptions,
    request: Request,
    response: Response,
  ): void {
    if (response.closed) return slot.release(); // the reader disconnected before the first byte
    const stream = openStream(request, response, this.config.stream);
    this.metrics.streams.inc();
    const rechecks = setInterval(() => void this.revalidate(stream, hasLostAccess), revalidateMs);
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
    if (!stream.isOpen) feed.close(); // the stream may have closed before its onClose was registered
  }

  private async revalidate(stream: EventStream, hasLostAccess: TaskStreamOptions['hasLostAccess']): Promise<void> {
    try {
      if (await hasLostAccess()) stream.close();
    } catch (error) {
      this.log.warn({ err: error }, 'stream reader could not be revalidated; the next check retries');
    }
  }
}
